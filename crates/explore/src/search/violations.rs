//! The violations that a search has come across, and the run to each.
//!
//! The first of each property is kept, with the place where it was found, and the others are counted. Threads count for
//! themselves, and are put together so that the result does not depend on their number.

use super::{Found, Options};
use crate::expansion::Problem;
use model::fault::FaultAt;
use model::semantics::Step;
use model::verdict::{Property, Reason, SearchStats};

/// Something that is wrong, and where.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Which property it violates.
    pub property: Property,
    /// The fault; none for a deadlock.
    pub fault: Option<FaultAt>,
}

/// The violations found so far: the first of each property, and how many.
pub(crate) struct Violations<At> {
    pub(crate) first: Vec<(Problem, At)>,
    counts: Vec<(Property, u64)>,
}

impl<At> Violations<At> {
    pub(crate) fn new() -> Self {
        Violations { first: Vec::new(), counts: Vec::new() }
    }

    pub(crate) fn add(&mut self, options: &Options, problem: Problem, at: At) {
        self.add_with(options, problem, || at);
    }

    /// Like [`Violations::add`], where it costs something to say where.
    pub(crate) fn add_with(&mut self, options: &Options, problem: Problem, at: impl FnOnce() -> At) {
        if !options.properties.contains(&problem.property) {
            return;
        }
        match self.counts.iter_mut().find(|(property, _)| *property == problem.property) {
            Some((_, count)) => *count += 1,
            None => {
                self.counts.push((problem.property.clone(), 1));
                self.first.push((problem, at()));
            }
        }
    }

    /// Of each property that is violated: how often, and where first.
    pub(crate) fn tallies(&self) -> impl Iterator<Item = (&Property, u64, &At)> {
        self.counts.iter().filter_map(|(property, count)| {
            let first = self.first.iter().find(|(problem, _)| problem.property == *property);
            first.map(|(_, at)| (property, *count, at))
        })
    }

    /// Adds a violation that was the first of so many.
    pub(crate) fn put(&mut self, problem: Problem, count: u64, at: At) {
        self.counts.push((problem.property.clone(), count));
        self.first.push((problem, at));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Adds what several threads found: of each property the least one is shown, if there is none yet.
    pub(crate) fn extend<Other: Ord>(&mut self, others: impl Iterator<Item = Violations<Other>>, at: fn(Other) -> At) {
        let mut first = Vec::new();
        for other in others {
            first.extend(other.first);
            for (property, count) in other.counts {
                match self.counts.iter_mut().find(|(known, _)| *known == property) {
                    Some((_, known)) => *known += count,
                    None => self.counts.push((property, count)),
                }
            }
        }
        first.sort_by(|(_, a), (_, b)| a.cmp(b));
        for (problem, place) in first {
            if self.first.iter().all(|(known, _)| known.property != problem.property) {
                self.first.push((problem, at(place)));
            }
        }
    }

    /// What a search says in the end; `run_to` finds the steps to a place.
    pub(crate) fn found(
        self,
        stopped: Option<Reason>,
        stats: SearchStats,
        digest: Option<u128>,
        crashed: Option<FaultAt>,
        mut run_to: impl FnMut(&At) -> Vec<Step>,
    ) -> Found {
        let mut found = Found {
            violations: Vec::new(),
            counts: self.counts,
            stopped,
            stats,
            digest,
            runs: Vec::new(),
            crashed,
            alone: 0,
            reached: None,
        };
        for (problem, at) in self.first {
            let mut run = run_to(&at);
            run.extend(problem.last_steps);
            found.runs.push(run);
            found.violations.push(Violation { property: problem.property, fault: problem.fault });
        }
        found
    }
}
