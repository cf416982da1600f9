//! All methods in turn: the default.
//!
//! No setting is best (section 7.1 and figure 10 of the paper: for most there is a protocol that takes hours). So each
//! gets a slice of work, then the next, and a longer slice in the next round; each goes on where it stopped. Slices are
//! counted in steps of work, not in time, so that the same question gets the same answer from the same method on every
//! machine.
//!
//! With several threads, the members are dealt out to *lanes*, each with a space of its own, and the first lane that has an
//! answer stops the others.
//!
//! Plain search comes first, since most faults are near. Abstract interpretation proves most of what can be proved, and
//! with each channel for itself it does so for systems with many channels.
//! Breadth-first refinement with `UPInv` finds every fault (corollary 6.8), and the other refinements prove what needs
//! precision in a few places only.

use crate::absint::AbsInt;
use crate::armc::Armc;
use crate::cegar::{CegarSettings, Generator, Pass, Refining};
use crate::method::{Answer, Limits, Technique, examine};
use crate::property::Property;
use crate::search::Search;
use crate::space::Space;
use crate::system::System;
use crate::trace::Event;
use crate::verdict::{Report, Statistics, Verdict};
use model::context::Context;
use model::reason::Reason;
use queues::{Apart, Bisimulation, Direction, Extrapolation, Limit};
use std::sync::Arc;

/// The first slice, in steps of work.
const FIRST_SLICE: u64 = 1 << 17;

/// How many times longer than a slice the turn of a member may be that seems to come to an end.
const CONVERGING: u64 = 256;

/// How precise the words of single channels are, where nothing is known of how they belong together.
const APART_PRECISION: u32 = 2;

/// The methods, and whose turn it is.
pub(crate) struct Portfolio {
    members: Vec<Box<dyn Technique>>,
    /// Members that gave up.
    out: Vec<Option<Reason>>,
    turn: usize,
    winner: usize,
}

impl Portfolio {
    pub(crate) fn new() -> Self {
        Portfolio::lane(0, 1)
    }

    /// The members whose turn it is in one of several lanes.
    fn lane(lane: usize, lanes: usize) -> Self {
        let members = members().into_iter().enumerate().filter(|(at, _)| at % lanes == lane);
        let members: Vec<Box<dyn Technique>> = members.map(|(_, member)| member).collect();
        let out = members.iter().map(|_| None).collect();
        Portfolio { members, out, turn: 0, winner: 0 }
    }

    /// The work of a turn: doubled each round.
    fn slice(&self) -> u64 {
        let round = self.turn / self.members.len().max(1);
        FIRST_SLICE.saturating_mul(1 << round.min(40))
    }

    /// Lets a member work for a while; its answer, if it has one.
    fn turn(
        &mut self,
        member: usize,
        space: &mut Space<'_>,
        cx: &Context<'_>,
        total: u64,
    ) -> Result<Option<Answer>, Limit> {
        let first = self.slice();
        let mut slice = first;
        Event::Turn { method: &self.members[member].name() }.tell(space, cx);
        loop {
            let end = space.languages.steps().saturating_add(slice).min(total);
            let limits = queues::Limits { steps: end, ..space.languages.limits().clone() };
            space.languages.set_limits(limits);
            match self.members[member].advance(space, cx) {
                Ok(Answer::Stuck(reason)) => self.out[member] = Some(reason),
                Ok(answer) => return Ok(Some(answer)),
                Err(Limit::Steps) if end < total => {
                    slice = slice.saturating_mul(2);
                    if self.members[member].converges() && slice / first <= CONVERGING {
                        continue;
                    }
                }
                Err(Limit::States) => self.out[member] = Some(Limit::States.into()),
                Err(Limit::Memory) => self.make_room(space)?,
                Err(limit) => return Err(limit),
            }
            return Ok(None);
        }
    }

    /// When memory is full, those who hold much of it give up, for the others to go on.
    fn make_room(&mut self, space: &mut Space<'_>) -> Result<(), Limit> {
        let mut freed = 0;
        for (member, out) in self.members.iter_mut().zip(&mut self.out) {
            let bytes = member.abandon();
            if bytes > 0 {
                *out = Some(Limit::Memory.into());
                freed += bytes;
            }
        }
        space.languages.give_back(freed);
        if freed > 0 { Ok(()) } else { Err(Limit::Memory) }
    }

    fn work(&mut self, space: &mut Space<'_>, cx: &Context<'_>, total: u64) -> Result<Answer, Limit> {
        while self.out.iter().any(Option::is_none) {
            let member = self.turn % self.members.len();
            if self.out[member].is_none() {
                self.winner = member;
                if let Some(answer) = self.turn(member, space, cx, total)? {
                    return Ok(answer);
                }
            }
            self.turn += 1;
        }
        let last = self.out.iter().flatten().next_back().cloned();
        Ok(Answer::Stuck(last.unwrap_or_else(|| Reason::NotProvable("no method is left".into()))))
    }
}

impl Technique for Portfolio {
    fn name(&self) -> String {
        self.members[self.winner].name()
    }

    fn advance(&mut self, space: &mut Space<'_>, cx: &Context<'_>) -> Result<Answer, Limit> {
        let before = space.languages.limits().clone();
        let answer = self.work(space, cx, before.steps);
        space.languages.set_limits(before);
        answer
    }

    fn count(&self, statistics: &mut Statistics) {
        self.members[self.winner].count(statistics);
    }
}

/// Everybody, in order of their turns.
fn members() -> Vec<Box<dyn Technique>> {
    let rho = |direction| Arc::new(Bisimulation::rho(direction)) as Arc<dyn Extrapolation>;
    let second = Arc::new(Bisimulation::rho_second(Direction::Forward)) as Arc<dyn Extrapolation>;
    let cegar = |generator, pass, extrapolation| {
        let settings = CegarSettings { generator, pass, extrapolation, iterations: None };
        Box::new(Refining::new(settings)) as Box<dyn Technique>
    };
    vec![
        Box::new(Search::new()),
        Box::new(AbsInt::new(rho(Direction::Both))),
        Box::new(AbsInt::up_to(APART_PRECISION, Arc::new(Apart(rho(Direction::Both))))),
        Box::new(AbsInt::new(rho(Direction::Forward))),
        cegar(Generator::Uniform, Pass::Forward, second),
        cegar(Generator::Adaptive, Pass::Backward, rho(Direction::Forward)),
        cegar(Generator::Adaptive, Pass::Forward, rho(Direction::Backward)),
        cegar(Generator::Uniform, Pass::Forward, rho(Direction::Backward)),
        Box::new(Armc::new(rho(Direction::Forward))),
    ]
}

/// The portfolio on several threads. The cx is told about the first lane.
pub(crate) fn in_lanes(
    system: &System,
    property: Property,
    limits: &Limits,
    threads: usize,
    cx: &Context<'_>,
) -> Report {
    let lanes = threads.min(members().len());
    let shared = Limits { memory: limits.memory.map(|bytes| bytes / lanes), ..limits.clone() };
    let (budget, answered) = cx.budget.linked();
    let work = |lane: usize, cx: &Context<'_>| {
        let report = examine(system, property, &mut Portfolio::lane(lane, lanes), &shared, cx);
        if is_definite(&report) {
            answered.cancel();
        }
        report
    };
    let (work, budget) = (&work, &budget);
    let mut reports = std::thread::scope(|scope| {
        let others: Vec<_> = (1..lanes).map(|lane| scope.spawn(move || work(lane, &Context::silent(budget)))).collect();
        let mut reports = vec![work(0, &cx.with(budget))];
        reports.extend(others.into_iter().filter_map(|other| other.join().ok()));
        reports
    });
    let best = reports.iter().position(is_definite).unwrap_or(0);
    reports.swap_remove(best)
}

fn is_definite(report: &Report) -> bool {
    !matches!(report.verdict, Verdict::Inconclusive(_))
}
