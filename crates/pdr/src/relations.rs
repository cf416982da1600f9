//! Equations between variables, guessed from runs and proved before the search starts.
//!
//! That `x + y == n` holds at a loop head follows from no condition of the program; clauses over what the program compares
//! would list its instances forever. So a few runs of the interpreter are watched. Relations of simple shapes that held
//! at a cut point every time are candidates (inequalities: `inequalities.rs`), and those that are not inductive together are
//! dropped until the rest is (Flanagan and Leino, *Houdini*, 2001). The rest are facts: clauses of all levels.

use crate::search::{ALWAYS, Said, Search};
use crate::system::{Cut, Step};
use bitvector::{Evaluation, Op, Sort, TermId};
use cfront::interpret::{Machine, Outcome, Request, Run};
use model::verdict::Reason;
use std::collections::{BTreeMap, HashMap};

/// Runs that are watched, steps of each, and states that are kept for a cut point.
const RUNS: u64 = 20;
const STEPS: usize = 400;
const STATES: usize = 120;
/// Variables that take part, and candidates at a cut point.
const VARIABLES: usize = 10;
const CANDIDATES: usize = 40;
/// Conflicts that one question may cost.
const CONFLICTS: u64 = 4_000;

/// States that runs had at a cut point, by the places of the variables that take part.
type States = HashMap<Cut, Vec<Vec<u64>>>;

/// Pairs of variables.
type Pairs = Vec<(usize, usize)>;

impl Search<'_, '_> {
    /// Learns what equations hold always.
    pub(crate) fn learn_relations(&mut self) -> Result<(), Reason> {
        let counters = self.counters();
        if counters.is_empty() {
            return Ok(());
        }
        let (places, states) = self.watch(&counters)?;
        let mut candidates: Vec<Vec<TermId>> = vec![Vec::new(); self.lemmas.len()];
        for (cut, states) in states {
            candidates[cut] = self.candidates(&places, &counters, &states);
            let more = self.inequalities(&places, &states);
            candidates[cut].extend(more);
        }
        self.drop_what_is_not_inductive(&mut candidates)?;
        for (cut, facts) in candidates.into_iter().enumerate() {
            for fact in facts {
                let opposite = self.system.terms.not(fact);
                self.learn(cut, vec![opposite], ALWAYS);
            }
        }
        Ok(())
    }

    /// Variables that get sums.
    fn counters(&self) -> Vec<usize> {
        let mut found = Vec::new();
        for step in &self.system.steps {
            if let Step::Assign(list) = step {
                for &(at, value) in list {
                    if matches!(self.system.terms.node(value).op(), Op::Add | Op::Sub) && !found.contains(&at) {
                        found.push(at);
                    }
                }
            }
        }
        found.truncate(VARIABLES);
        found
    }

    /// Runs the component a few times. Which variables take part, and their values.
    fn watch(&self, counters: &[usize]) -> Result<(Vec<usize>, States), Reason> {
        let system = &self.system;
        let mut places = counters.to_vec();
        let words = (0..system.state.len()).filter(|&at| system.terms.sort(system.state[at]) != Sort::Bool);
        places.extend(words.filter(|at| !counters.contains(at)).take(VARIABLES.saturating_sub(counters.len())));
        let mut states: States = HashMap::new();
        for number in 0..RUNS {
            let mut machine = Machine::new(system.component);
            let mut run =
                Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
            let mut asked = 0;
            let mut answer = |_: &Request| {
                asked += 1;
                // Small, and different for each input and each run; sometimes negative.
                let value = (number * 7 + asked * 5) % 13 + number % 2 * asked % 3;
                if (number + asked) % 5 == 4 { value.wrapping_neg() } else { value }
            };
            while run.edges.len() < STEPS {
                self.cx.budget.check()?;
                if machine.step(&mut answer, &mut run).is_some() {
                    break;
                }
                if let Some(cut) = system.cut_at[machine.location().0 as usize] {
                    let kept = states.entry(cut).or_default();
                    if cut != 0 && kept.len() < STATES {
                        kept.push(places.iter().map(|&at| machine.bits(system.variables[at])).collect());
                    }
                }
            }
        }
        Ok((places, states))
    }

    /// Relations that hold in all states.
    fn candidates(&mut self, places: &[usize], counters: &[usize], states: &[Vec<u64>]) -> Vec<TermId> {
        let mut found: Vec<TermId> = Vec::new();
        let Some(first) = states.first() else { return found };
        let count = places.len();
        let width = |search: &Self, at: usize| search.system.terms.width(search.system.state[places[at]]);
        let varies = |at: usize| states.iter().any(|state| state[at] != first[at]);
        for a in 0..count {
            for b in 0..count {
                let counts = counters.contains(&places[a]) || counters.contains(&places[b]);
                if a == b || !counts || !varies(a) || !varies(b) || width(self, a) != width(self, b) {
                    continue;
                }
                let bits = width(self, a);
                let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
                for factor in [1, 2, 3, 4, mask] {
                    if a > b && (factor == 1 || factor == mask) {
                        continue;
                    }
                    let offset = |state: &[u64]| state[a].wrapping_sub(state[b].wrapping_mul(factor)) & mask;
                    // a == factor * b + offset
                    if states.iter().all(|state| offset(state) == offset(first)) {
                        found.push(self.relation(places[a], &[(places[b], factor)], offset(first)));
                    }
                    // a == factor * b ± c + offset
                    for c in 0..count {
                        if c == a || c == b || !varies(c) || width(self, c) != bits || found.len() >= CANDIDATES {
                            continue;
                        }
                        let twice = [1, mask, factor, factor.wrapping_neg() & mask];
                        let others = if (2..5).contains(&factor) { &twice[..] } else { &twice[..2] };
                        for &other in others {
                            let rest = |state: &[u64]| offset(state).wrapping_sub(state[c].wrapping_mul(other)) & mask;
                            if states.iter().all(|state| rest(state) == rest(first)) {
                                let sum = [(places[b], factor), (places[c], other)];
                                found.push(self.relation(places[a], &sum, rest(first)));
                            }
                        }
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(CANDIDATES);
        found.extend(self.equal_differences(places, counters, states));
        found
    }

    /// `a - b == c - d` for four variables, two of them counters. What three of them say alone is not repeated.
    fn equal_differences(&mut self, places: &[usize], counters: &[usize], states: &[Vec<u64>]) -> Vec<TermId> {
        // By width and differences, in an order of their own: names of terms depend on it.
        let mut groups: BTreeMap<(u32, Vec<u64>), Pairs> = BTreeMap::new();
        for a in 0..places.len() {
            for b in 0..places.len() {
                let (left, right) = (self.system.state[places[a]], self.system.state[places[b]]);
                let width = self.system.terms.width(left);
                if a == b || !counters.contains(&places[a]) || width != self.system.terms.width(right) || width < 2 {
                    continue;
                }
                let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
                let minus: Vec<u64> = states.iter().map(|state| state[a].wrapping_sub(state[b]) & mask).collect();
                if minus.iter().any(|&value| value != minus[0]) {
                    // A difference and its opposite are distinguished by the order of the two.
                    groups.entry((width, minus.clone())).or_default().push((a, b));
                    let opposite = minus.iter().map(|value| value.wrapping_neg() & mask).collect();
                    groups.entry((width, opposite)).or_default().push((b, a));
                }
            }
        }
        let mut found = Vec::new();
        for pairs in groups.values() {
            for (number, &(a, b)) in pairs.iter().enumerate() {
                for &(c, d) in &pairs[number + 1..] {
                    if a != c && b != d && a != d && b != c {
                        let state = &self.system.state;
                        let terms = &mut self.system.terms;
                        let left = terms.add(state[places[a]], state[places[d]]);
                        let right = terms.add(state[places[c]], state[places[b]]);
                        found.push(terms.eq(left, right));
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found.truncate(CANDIDATES);
        found
    }

    /// `left == sum + offset`, with what is subtracted on the other side.
    fn relation(&mut self, left: usize, sum: &[(usize, u64)], offset: u64) -> TermId {
        let state = &self.system.state;
        let terms = &mut self.system.terms;
        let mut left = state[left];
        let width = terms.width(left);
        let mut right = terms.constant(width, u128::from(offset));
        for &(at, factor) in sum {
            if factor > 4 {
                left = terms.add(left, state[at]);
                continue;
            }
            let factor = terms.constant(width, u128::from(factor));
            let product = terms.mul(factor, state[at]);
            right = terms.add(right, product);
        }
        terms.eq(left, right)
    }

    /// Houdini: drops candidates until every block that ends where one stands implies it.
    fn drop_what_is_not_inductive(&mut self, candidates: &mut [Vec<TermId>]) -> Result<(), Reason> {
        loop {
            let mut dropped = false;
            for block in 0..self.system.blocks.len() {
                let (source, target) = (self.system.blocks[block].source, self.system.blocks[block].target);
                let mut at = 0;
                while at < candidates[target].len() {
                    let image = self.through(block, candidates[target][at]);
                    let mut question = vec![self.system.blocks[block].guard, self.system.terms.not(image)];
                    question.extend_from_slice(&candidates[source]);
                    match self.ask(&question, Some(CONFLICTS))? {
                        Said::No(_) => at += 1,
                        Said::Unknown => {
                            candidates[target].remove(at);
                            dropped = true;
                        }
                        Said::Yes(model) => {
                            // Everything that this state breaks goes at once, but for what was found to hold.
                            let mut evaluation = Evaluation::new(model);
                            let images: Vec<TermId> =
                                candidates[target].clone().iter().map(|&each| self.through(block, each)).collect();
                            let mut images = images.into_iter();
                            candidates[target].retain(|_| {
                                let image = images.next();
                                image.is_some_and(|image| evaluation.bits(&self.system.terms, image) == 1)
                            });
                            dropped = true;
                        }
                    }
                }
            }
            if !dropped {
                return Ok(());
            }
        }
    }
}
