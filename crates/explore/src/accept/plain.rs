//! The run of a trimmed semantics as a run of the model, with the claim beside it.
//!
//! A move of a reduced search may be several moves of the model, and its cycles close but for variables that nothing
//! reads any more (`reduction/dead.rs`). So the steps are taken again in the plain semantics, round the cycle until a state comes back,
//! and the claim is led along what is seen on the way. For a claim that cannot tell how long a run stays in a state there is such a
//! path; where there is none, there is no counterexample.

use super::{Lasso, Move, Question};
use model::claim::{AtomSet, Watcher};
use model::semantics::{Semantics, Step, Stepper};
use std::collections::{HashMap, VecDeque};

/// So often a cycle is taken before it is given up: each time round, a queue loses a message that was sent before.
const MOST_ROUNDS: usize = 1_000;
/// So many pairs of a position and a state of the claim are looked at.
const MOST_PAIRS: usize = 4_000_000;

/// Steps that a run takes once, and those that it repeats.
pub(crate) type Rounds = (Vec<Step>, Vec<Step>);

/// Takes a cycle as often as it needs to come back to the same state of the plain semantics.
pub(crate) fn close(semantics: &Semantics<'_>, stem: &[Step], cycle: &[Step]) -> Option<Rounds> {
    let mut stepper = semantics.stepper();
    let mut at = (stepper.initial().ok()?.ok()?, None);
    for &step in stem {
        at = take(&mut stepper, at, step)?;
    }
    let mut seen = vec![at.clone()];
    for rounds in 1..=MOST_ROUNDS {
        for &step in cycle {
            at = take(&mut stepper, at, step)?;
        }
        if let Some(first) = seen.iter().position(|known| *known == at) {
            let repeated = |times: usize| std::iter::repeat_n(cycle, times).flatten().copied();
            let stem = stem.iter().copied().chain(repeated(first)).collect();
            return Some((stem, repeated(rounds - first).collect()));
        }
        seen.push(at.clone());
    }
    None
}

/// A state, and the process that has control in it.
type At = (Vec<u8>, Option<u32>);

fn take(stepper: &mut Stepper<'_>, (state, control): At, wanted: Step) -> Option<At> {
    let mut next = None;
    let mut visit = |successor: model::semantics::Successor<'_>| {
        if let (true, None, Some(after)) = (successor.step == wanted, &next, successor.state) {
            next = Some((after.to_vec(), successor.control));
        }
    };
    stepper.expand(&state, control, &mut visit).ok()?;
    let (state, control) = next?;
    let control = control.filter(|&process| stepper.keeps_control(&state, process) != Ok(false));
    Some((state, control))
}

/// A counterexample of the trimmed semantics as one of the model.
pub(crate) fn plain(semantics: &Semantics<'_>, question: &Question<'_>, lasso: &Lasso) -> Option<Lasso> {
    let steps = |moves: &[Move]| moves.iter().flat_map(|m| m.steps.iter().copied()).collect::<Vec<Step>>();
    let (stem, cycle) = close(semantics, &steps(&lasso.stem), &steps(&lasso.cycle))?;
    let mut word = Word::new(semantics, question);
    word.follow(&stem)?;
    let loop_from = word.moves.len();
    word.follow(&cycle)?;
    if cycle.is_empty() {
        // The run stays in its last state.
        word.stay()?;
    }
    word.with_claim(loop_from)
}

/// The moves of a run, with what holds and happens at each.
struct Word<'a> {
    question: &'a Question<'a>,
    watcher: Watcher<'a>,
    stepper: Stepper<'a>,
    asker: Stepper<'a>,
    at: Option<At>,
    /// The steps of the move that has not ended yet.
    open: Vec<Step>,
    events: AtomSet,
    moves: Vec<Vec<Step>>,
    atoms: Vec<AtomSet>,
    accepting: Vec<bool>,
}

impl<'a> Word<'a> {
    fn new(semantics: &'a Semantics<'a>, question: &'a Question<'a>) -> Self {
        let mut stepper = semantics.stepper();
        stepper.listen();
        let first = stepper.initial().ok().and_then(Result::ok);
        Word {
            question,
            watcher: Watcher::new(semantics, &question.claim.atoms),
            stepper,
            asker: semantics.stepper(),
            at: first.map(|state| (state, None)),
            open: Vec::new(),
            events: 0,
            moves: Vec::new(),
            atoms: Vec::new(),
            accepting: Vec::new(),
        }
    }

    fn follow(&mut self, steps: &[Step]) -> Option<()> {
        for &wanted in steps {
            let (state, control) = self.at.take()?;
            if self.open.is_empty() {
                self.look_at(&state)?;
            }
            let (watcher, asker, mut next) = (&self.watcher, &mut self.asker, None);
            self.stepper
                .expand(&state, control, &mut |successor| {
                    if let (true, None, Some(after)) = (successor.step == wanted, &next, successor.state) {
                        let events = watcher.in_step(asker, &state, &successor);
                        next = Some((after.to_vec(), successor.control, events));
                    }
                })
                .ok()?;
            let (after, control, events) = next?;
            let control = control.filter(|&process| self.asker.keeps_control(&after, process) != Ok(false));
            self.open.push(wanted);
            self.events |= events;
            self.at = Some((after, control));
            if control.is_none() {
                self.moves.push(std::mem::take(&mut self.open));
                *self.atoms.last_mut()? |= std::mem::take(&mut self.events);
            }
        }
        self.open.is_empty().then_some(())
    }

    /// Notes what holds in a state in which a move starts.
    fn look_at(&mut self, state: &[u8]) -> Option<()> {
        let mut stuck = true;
        self.asker.expand(state, None, &mut |successor| stuck &= successor.timeout).ok()?;
        self.atoms.push(self.watcher.in_state(&mut self.asker, state, AtomSet::MAX, stuck).ok()?);
        self.accepting.push(self.question.labels && self.asker.is_accepting(state));
        Some(())
    }

    fn stay(&mut self) -> Option<()> {
        let (state, _) = self.at.clone()?;
        self.look_at(&state)?;
        self.moves.push(Vec::new());
        Some(())
    }

    /// A path of the claim along the run, on which it accepts: a path to an accepting pair of a position and a state of the claim,
    /// and one from there back to it.
    fn with_claim(&self, loop_from: usize) -> Option<Lasso> {
        let initial = (0, self.question.claim.initial);
        let from_start = self.paths(initial, loop_from);
        let mut accepting: Vec<Pair> =
            from_start.keys().copied().filter(|pair| self.accepts(*pair, loop_from)).collect();
        accepting.sort_unstable();
        let mut looked_at = 0;
        for pair in accepting {
            let round = self.paths(pair, loop_from);
            looked_at += round.len();
            let last = round.keys().copied().filter(|&last| self.next(last, loop_from).contains(&pair)).min();
            if let Some(last) = last {
                let stem = self.moves_along(&from_start, initial, pair, None);
                return Some(Lasso { stem, cycle: self.moves_along(&round, pair, last, Some(pair)) });
            }
            if looked_at > MOST_PAIRS {
                break;
            }
        }
        None
    }

    fn accepts(&self, (position, claim): Pair, loop_from: usize) -> bool {
        position >= loop_from && (self.accepting[position] || self.question.claim.states[claim as usize].accepting)
    }

    fn next(&self, (position, claim): Pair, loop_from: usize) -> Vec<Pair> {
        let next = if position + 1 == self.moves.len() { loop_from } else { position + 1 };
        let open = self.question.claim.states[claim as usize].edges.iter().filter(|e| e.is_open(self.atoms[position]));
        open.filter_map(|edge| edge.to).map(|to| (next, to)).collect()
    }

    /// Every pair that can be reached from one, with the pair before it.
    fn paths(&self, from: Pair, loop_from: usize) -> HashMap<Pair, Pair> {
        let mut before = HashMap::from([(from, from)]);
        let mut work = VecDeque::from([from]);
        while let Some(pair) = work.pop_front() {
            for next in self.next(pair, loop_from) {
                before.entry(next).or_insert_with(|| {
                    work.push_back(next);
                    pair
                });
            }
        }
        before
    }

    /// The moves from one pair to another, and to one more.
    fn moves_along(&self, before: &HashMap<Pair, Pair>, from: Pair, to: Pair, and: Option<Pair>) -> Vec<Move> {
        let mut pairs: Vec<Pair> = and.into_iter().collect();
        let mut at = to;
        while at != from {
            pairs.push(at);
            at = before[&at];
        }
        pairs.push(from);
        pairs.reverse();
        let moved = |pair: &[Pair]| Move { steps: self.moves[pair[0].0].clone(), claim: pair[1].1 };
        pairs.windows(2).map(moved).collect()
    }
}

/// A position of the run and a state of the claim.
type Pair = (usize, u32);
