//! Which two nodes come next: neighbours whose composition is likely to stay small and to hide much.
//!
//! Only nodes that share an event are neighbours. Of these, the pair with the smallest product of sizes, weighed by how much of
//! what both know remains visible. When no neighbours are left, the two smallest nodes.

use super::piece::Piece;
use crate::problem::Problem;
use std::collections::HashMap;

/// Among more nodes than this that share an event, only those next to each other count as neighbours because of it.
const CROWD: usize = 8;
/// How often a pair that gets too large may be put off.
const MOST_PUT_OFF: usize = 8;

/// Who is still there, and who knows what.
pub(crate) struct Order<'p> {
    problem: &'p Problem<'p>,
    live: Vec<usize>,
    /// By event, the nodes that know it.
    knowing: Vec<Vec<u32>>,
    put_off: Vec<(usize, usize)>,
}

impl<'p> Order<'p> {
    pub(crate) fn new(problem: &'p Problem<'p>) -> Self {
        let mut knowing = vec![Vec::new(); problem.events];
        for (component, leaf) in (0u32..).zip(&problem.leaves) {
            leaf.lts.alphabet.iter().for_each(|&event| knowing[event as usize].push(component));
        }
        Order { problem, live: Vec::new(), knowing, put_off: Vec::new() }
    }

    /// The nodes that are not part of another.
    pub(crate) fn live(&self) -> &[usize] {
        &self.live
    }

    /// The events of two alphabets that no other component knows and that the formula does not speak of, in order.
    pub(crate) fn only_known_to(&self, a: &[u32], b: &[u32]) -> Vec<u32> {
        let knows = |alphabet: &[u32], event: u32| usize::from(alphabet.binary_search(&event).is_ok());
        let mut events: Vec<u32> = a.iter().chain(b).copied().collect();
        events.sort_unstable();
        events.dedup();
        let hidden = |&event: &u32| {
            let here = knows(a, event) + knows(b, event);
            self.knowing[event as usize].len() == here && self.may_hide(event)
        };
        events.retain(hidden);
        events
    }

    fn may_hide(&self, event: u32) -> bool {
        self.problem.watch.as_ref().is_none_or(|watch| !watch.names(event))
    }

    /// A leaf is there. It has the number of its component.
    pub(crate) fn add(&mut self, number: usize, piece: &Piece) {
        self.live.push(number);
        piece.hidden.iter().for_each(|&event| self.knowing[event as usize].clear());
    }

    /// Two nodes have become one.
    pub(crate) fn merge(&mut self, left: usize, right: usize, number: usize, piece: &Piece) {
        self.live.retain(|&live| live != left && live != right);
        self.live.push(number);
        piece.hidden.iter().for_each(|&event| self.knowing[event as usize].clear());
        for &event in &piece.quotient.alphabet {
            let knowing = &mut self.knowing[event as usize];
            knowing.retain(|&node| node as usize != left && node as usize != right);
            knowing.push(number as u32);
        }
        self.put_off.clear();
    }

    /// A pair is too large. Whether there is another to be tried.
    pub(crate) fn try_another(&mut self, left: usize, right: usize) -> bool {
        self.put_off.push((left.min(right), left.max(right)));
        self.put_off.len() < MOST_PUT_OFF
    }

    /// The next pair; none when only two are left.
    pub(crate) fn next(&self, pieces: &[Piece]) -> Option<(usize, usize)> {
        if self.live.len() <= 2 {
            return None;
        }
        let best = self.neighbours().into_iter().filter(|(pair, _)| !self.put_off.contains(pair));
        let best = best.min_by_key(|&(pair, hides)| (cost(pieces, pair, hides), pair)).map(|(pair, _)| pair);
        best.or_else(|| self.smallest(pieces))
    }

    /// Pairs of nodes that share events, and how many of these would be hidden.
    fn neighbours(&self) -> HashMap<(usize, usize), usize> {
        let mut pairs: HashMap<(usize, usize), usize> = HashMap::new();
        for (event, knowing) in self.knowing.iter().enumerate().filter(|(_, knowing)| knowing.len() > 1) {
            let hides = usize::from(knowing.len() == 2 && self.may_hide(event as u32));
            let reach = if knowing.len() <= CROWD { knowing.len() } else { 1 };
            for (at, &a) in knowing.iter().enumerate() {
                for &b in knowing[at + 1..].iter().take(reach) {
                    let pair = (a.min(b) as usize, a.max(b) as usize);
                    *pairs.entry(pair).or_default() += hides;
                }
            }
        }
        pairs
    }

    fn smallest(&self, pieces: &[Piece]) -> Option<(usize, usize)> {
        let mut live = self.live.clone();
        live.sort_unstable_by_key(|&node| (pieces[node].quotient.states(), node));
        let pairs = live.iter().zip(live.iter().skip(1)).map(|(&a, &b)| (a.min(b), a.max(b)));
        pairs.into_iter().find(|pair| !self.put_off.contains(pair))
    }
}

/// What a pair is likely to cost.
fn cost(pieces: &[Piece], (left, right): (usize, usize), hides: usize) -> u128 {
    let (a, b) = (&pieces[left].quotient, &pieces[right].quotient);
    let known = a.alphabet.len() + b.alphabet.len() + 1;
    let visible = known.saturating_sub(2 * hides);
    a.states() as u128 * b.states() as u128 * visible as u128 * 16 / known as u128
}
