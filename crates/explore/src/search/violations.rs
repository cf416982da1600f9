//! The violations that a search has come across, and the run to each.
//!
//! Two failures are one if the same statement fails, or none does, and processes are at the same places. The first of each
//! is kept, with the place where it was found, up to sixteen for a property; the others are counted. Threads count for
//! themselves, and are put together so that the result does not depend on their number.

use super::{Found, Options};
use crate::expansion::Problem;
use model::fault::FaultAt;
use model::semantics::Step;
use model::verdict::{Property, Reason, SearchStats};
use rustc_hash::FxHashSet;

/// Something that is wrong, and where.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Which property it violates.
    pub property: Property,
    /// The fault; none for a deadlock.
    pub fault: Option<FaultAt>,
}

/// No more runs of one property than this are kept.
const MOST_RUNS: usize = 16;

/// The violations found so far: the first of each different failure, up to a number, and how many.
pub struct Violations<At> {
    pub(crate) first: Vec<(Problem, At)>,
    /// By property, how often it was violated, and which failures were found.
    counts: Vec<(Property, u64, FxHashSet<u64>)>,
}

impl<At> Default for Violations<At> {
    fn default() -> Self {
        Violations { first: Vec::new(), counts: Vec::new() }
    }
}

impl<At> Violations<At> {
    /// Adds one, if it is of a property that is looked for.
    pub fn add(&mut self, options: &Options, problem: Problem, at: At) {
        self.add_with(options, problem, || at);
    }

    /// Like [`Violations::add`], where it costs something to say where.
    pub(crate) fn add_with(&mut self, options: &Options, problem: Problem, at: impl FnOnce() -> At) {
        if !options.properties.contains(&problem.property) {
            return;
        }
        let (_, count, kinds) = self.counts_of(&problem.property);
        *count += 1;
        if kinds.insert(problem.same) && kinds.len() <= MOST_RUNS {
            self.first.push((problem, at()));
        }
    }

    /// Each failure that is kept: its property, how often that was violated if it is the first one of it, else 0, and where.
    pub(crate) fn tallies(&self) -> impl Iterator<Item = (&Property, u64, &At)> {
        let is_first = |index: usize, property: &Property| {
            self.first[..index].iter().all(|(other, _)| other.property != *property)
        };
        self.first.iter().enumerate().map(move |(index, (Problem { property, .. }, at))| {
            let count = self.counts.iter().find(|(known, ..)| known == property && is_first(index, property));
            (property, count.map_or(0, |(_, count, _)| *count), at)
        })
    }

    /// Whether a failure like this one is kept.
    pub(crate) fn has(&self, problem: &Problem) -> bool {
        self.first.iter().any(|(known, _)| known.property == problem.property && known.same == problem.same)
    }

    /// Adds a failure with what [`Violations::tallies`] says of it.
    pub(crate) fn put(&mut self, problem: Problem, tally: u64, at: At) {
        let (_, count, kinds) = self.counts_of(&problem.property);
        *count += tally;
        kinds.insert(problem.same);
        self.first.push((problem, at));
    }

    fn counts_of(&mut self, property: &Property) -> &mut (Property, u64, FxHashSet<u64>) {
        let known = self.counts.iter().position(|(known, ..)| known == property);
        let index = known.unwrap_or_else(|| {
            self.counts.push((property.clone(), 0, FxHashSet::default()));
            self.counts.len() - 1
        });
        &mut self.counts[index]
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Adds what several threads found: of each failure the least one is kept, if there is none yet. A thread finds its own
    /// in this order, so the least of all are among those that each thread kept.
    pub(crate) fn extend<Other: Ord>(&mut self, others: impl Iterator<Item = Violations<Other>>, at: fn(Other) -> At) {
        let mut first = Vec::new();
        for other in others {
            first.extend(other.first);
            for (property, count, kinds) in other.counts {
                let (_, known, known_kinds) = self.counts_of(&property);
                *known += count;
                known_kinds.extend(kinds);
            }
        }
        first.sort_by(|(_, a), (_, b)| a.cmp(b));
        for (problem, place) in first {
            let own = || self.first.iter().filter(|(known, _)| known.property == problem.property);
            if own().count() < MOST_RUNS && own().all(|(known, _)| known.same != problem.same) {
                self.first.push((problem, at(place)));
            }
        }
    }

    /// What a search says in the end; `run_to` finds the steps to a place, and has others follow.
    pub fn found(
        self,
        stopped: Option<Reason>,
        stats: SearchStats,
        digest: Option<u128>,
        crashed: Option<FaultAt>,
        mut run_to: impl FnMut(&At, &[Step]) -> Vec<Step>,
    ) -> Found {
        let mut found = Found {
            violations: Vec::new(),
            counts: self.counts.into_iter().map(|(p, count, kinds)| (p, count, kinds.len() as u64)).collect(),
            stopped,
            stats,
            digest,
            runs: Vec::new(),
            crashed,
            alone: 0,
            reduced: false,
            reached: None,
        };
        for (problem, at) in self.first {
            found.runs.push(run_to(&at, &problem.last_steps));
            found.violations.push(Violation { property: problem.property, fault: problem.fault });
        }
        found
    }
}
