//! Enumerated states as a proof, and the search over states beside the other one.
//!
//! When walking has come to an end, the states at cut points are a candidate for an invariant: a condition that lists
//! them. From each, the paths to the next cut points are followed with any inputs. Because almost everything is a constant
//! there, little is left for the solver. If inputs lead out of the list, or to an error, no one has tried them: the walk goes
//! on from there. If none do, the list is inductive.
//!
//! The list is written as a decision diagram (`listing.rs`): one variable after the other, equal parts once.
//!
//! Numbers from outside that are only carried around make such a list endless. A *loose* list leaves them out, but for what
//! they have in common with the first of them: a difference that has few values. A loose list holds states that no one has
//! walked to, so a block that leaves it shows nothing; it is tried again when more states are known.

use crate::First;
use crate::explore::{Explored, Explorer, Known};
use crate::listing::Listing;
use crate::search::{Found, Said, Search};
use crate::system::Cut;
use bitvector::{Evaluation, Model, TermId};
use cfront::program::{ErrorKind, LocationId, VariableId};
use model::budget::Stopwatch;
use model::verdict::Reason;
use std::collections::HashSet;
use std::time::Duration;

/// Of ten parts of the time, walking may take so many.
const PARTS: u32 = 3;
/// How long is walked at a time, at least.
const SLICE: Duration = Duration::from_millis(60);
/// Walking starts when the search has asked so many questions, or has taken so long: what the search finds says more.
const HEAD_START: u64 = 800;
const LONG: Duration = Duration::from_secs(2);
/// How often the solver is asked whether the list is complete.
const ROUNDS: u32 = 300;
/// Conflicts that one question may cost.
const CONFLICTS: u64 = 100_000;
/// Paths that are added before walking goes on.
const WAYS: usize = 64;
/// Lists that are tried before a loose one.
const EXACT_ROUNDS: u32 = 1;
/// The search over states, and what it looks for.
pub(crate) struct Beside<'c, 'a> {
    pub(crate) explorer: &'a mut Explorer<'c>,
    asked: &'a dyn Fn(&ErrorKind) -> bool,
    start: Stopwatch,
    first: First,
    rounds: u32,
    /// Listed states from which all paths end in listed ones, by cut point and number of the state.
    checked: HashSet<(Cut, usize)>,
    /// Nothing more is to be expected.
    over: bool,
}

impl<'c, 'a> Beside<'c, 'a> {
    pub(crate) fn new(explorer: &'a mut Explorer<'c>, asked: &'a dyn Fn(&ErrorKind) -> bool, first: First) -> Self {
        let start = Stopwatch::start();
        Beside { explorer, asked, start, first, rounds: 0, checked: HashSet::new(), over: false }
    }
}

/// What the solver says of a list.
enum Complete {
    Yes(Vec<Vec<(TermId, String)>>),
    /// There is more, and paths were added that show it.
    No,
    /// A loose list is left in a state that no one walked to.
    Loose,
    /// It would have cost too much.
    Unknown,
}

impl Search<'_, '_> {
    /// Walks for a while, if it is walking's turn.
    pub(crate) fn walk_beside(&mut self) -> Result<Option<Found>, Reason> {
        let beside = &mut self.beside;
        let early = self.solver.statistics().checks < HEAD_START && beside.start.elapsed() < LONG;
        if early && beside.first == First::Sets {
            return Ok(None);
        }
        let allowed = (beside.start.elapsed() + SLICE) * PARTS / 10;
        if beside.over || beside.explorer.spent > allowed {
            return Ok(None);
        }
        match beside.explorer.explore(allowed - beside.explorer.spent + SLICE, beside.asked, self.cx.budget)? {
            Explored::Run(run) => return Ok(Some(Found::Walked(run))),
            Explored::Some => return Ok(None),
            Explored::All => {}
        }
        let explorer = &beside.explorer;
        beside.rounds += 1;
        if explorer.lossy || explorer.too_many || explorer.faulty || beside.rounds > ROUNDS {
            beside.over = true;
            return Ok(None);
        }
        let start = Stopwatch::start();
        let loose = self.beside.rounds > EXACT_ROUNDS && self.beside.rounds.is_power_of_two();
        let mut complete = if loose { self.complete(true)? } else { Complete::Loose };
        if let Complete::Loose = complete {
            complete = self.complete(false)?;
        }
        self.beside.explorer.spent += start.elapsed();
        match complete {
            Complete::Yes(conditions) => return Ok(Some(Found::States(conditions))),
            Complete::No => {}
            Complete::Unknown | Complete::Loose => self.beside.over = true,
        }
        Ok(None)
    }

    /// Whether the known states are all; else adds paths that show it.
    fn complete(&mut self, loose: bool) -> Result<Complete, Reason> {
        let mut listings = vec![Listing::default()];
        for cut in 1..self.system.cuts.len() {
            match self.listing(cut, loose) {
                Some(listing) => listings.push(listing),
                None => return Ok(Complete::Unknown),
            }
        }
        let mut added = 0;
        for source in 0..listings.len() {
            let cases = if source == 0 { vec![(0, self.system.state.clone())] } else { self.cases(&listings[source]) };
            for (row, values) in cases {
                let checked = (!loose).then_some((source, row));
                if checked.is_some_and(|checked| self.beside.checked.contains(&checked)) {
                    continue;
                }
                match self.case(source, &values, &listings, loose)? {
                    Complete::Yes(_) => self.beside.checked.extend(checked),
                    Complete::No => added += 1,
                    other => return Ok(other),
                }
                if added == WAYS {
                    return Ok(Complete::No);
                }
            }
        }
        let conditions = listings.into_iter().map(|listing| listing.conditions).collect();
        Ok(if added > 0 { Complete::No } else { Complete::Yes(conditions) })
    }

    /// Whether all paths from a state, of which some values may be open, end in listed ones.
    fn case(&mut self, source: Cut, values: &[TermId], listings: &[Listing], loose: bool) -> Result<Complete, Reason> {
        for (target, arrival) in self.system.ways_from(source, values.to_vec(), self.cx.budget)? {
            let mut question = vec![arrival.guard];
            if let Some(listing) = listings.get(target) {
                match self.is_listed(listing, &arrival.values) {
                    Some(true) => continue,
                    Some(false) => {}
                    None => {
                        let there: Vec<TermId> = listing.conditions.iter().map(|(condition, _)| *condition).collect();
                        let there = self.system.all_at(&there, &arrival.values);
                        let there = self.system.terms.and_all(&there);
                        question.push(self.system.terms.not(there));
                    }
                }
            }
            match self.ask(&question, Some(CONFLICTS))? {
                Said::No(_) => {}
                Said::Unknown => return Ok(Complete::Unknown),
                Said::Yes(model) if self.add_path(source, values, &model) => return Ok(Complete::No),
                Said::Yes(_) => return Ok(if loose { Complete::Loose } else { Complete::Unknown }),
            }
        }
        Ok(Complete::Yes(Vec::new()))
    }

    /// Adds the path of a model to those that are to be walked, if it starts in a known state.
    fn add_path(&mut self, source: Cut, values: &[TermId], model: &Model) -> bool {
        let system = &self.system;
        let explorer = &mut *self.beside.explorer;
        let input = |at: LocationId, variable: VariableId| {
            system.inputs.get(&(at, variable)).map_or(0, |&input| model.get(input) as u64)
        };
        if source == 0 {
            explorer.add_path_from_entry(&input);
            return true;
        }
        let mut evaluation = Evaluation::new(model.clone());
        let mut state: Vec<u64> = values.iter().map(|&value| evaluation.bits(&system.terms, value) as u64).collect();
        explorer.liveness.forget(system.cuts[source], &mut state);
        let same = |known: &Known| known.cut == source && known.values[..] == state[..];
        let Some(row) = explorer.known.iter().position(same) else { return false };
        explorer.add_path(row, &input);
        true
    }
}
