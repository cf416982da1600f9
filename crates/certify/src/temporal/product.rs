//! A model and an automaton in parallel: all pairs of their states that can be reached.
//!
//! In a pair the automaton moves first: it looks at what holds in the state, and at what happens in a move of the model,
//! and both are in their next states then. What a run must do again and again to be a counterexample is written on
//! the steps as what each leaves undone, its [`Debt`]s: a step from a pair that is not accepting owes acceptance, a step
//! that puts off what the formula promises owes that promise, and, among fair runs, a step owes a turn to each process that
//! can move and does not. A cycle is a counterexample if no debt is on all of its steps, and if every request on it is
//! granted on it: with strong fairness, a process that can move on some step does move on some step.

use super::components::Edge;
use super::settled::{Account, is_settled_somewhere};
use crate::Refusal;
use crate::pace::pause;
use model::claim::{AtomSet, product_digest};
use model::context::Context;
use model::fairness::Fairness;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// What is left undone by a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Debt {
    /// To be in an accepting state.
    Acceptance,
    /// To keep a promise.
    Promise(u32),
    /// To give a process its turn.
    Turn(u32),
    /// To see that what a formula assumes is so.
    Assumption(u32),
}

/// Some of them.
pub(crate) type Debts = BTreeSet<Debt>;

/// What is true at a position of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Atoms {
    pub holds: AtomSet,
    /// Conditions that have no value.
    pub undefined: AtomSet,
}

impl Atoms {
    /// Whoever asks for a condition without a value gets no answer.
    pub(crate) fn ask(&self, wanted: AtomSet) -> Result<AtomSet, Refusal> {
        if wanted & self.undefined != 0 {
            return Err(Refusal::Unfinished(String::from("a condition of the property has no value in some state")));
        }
        Ok(self.holds & wanted)
    }
}

/// Where an automaton can go, with what it leaves undone; `None` is the end of a claim.
pub(crate) type Branches = Vec<(Option<u32>, Debts)>;

/// An automaton that watches a run.
pub(crate) trait Watch {
    /// Its first state.
    fn initial(&self) -> u32;

    /// Where it can go from a state.
    fn steps(&mut self, at: u32, atoms: Atoms) -> Result<Branches, Refusal>;

    /// What else matters of a step.
    fn also(&self, _: &mut Account<Debt>, _: Atoms, _: &Place, _: &Processes) -> Result<(), Refusal> {
        Ok(())
    }

    /// It comes to its end in a state, whatever happens next.
    fn ends(&self, at: u32, atoms: Atoms) -> Result<bool, Refusal>;
}

/// Processes.
pub(crate) type Processes = BTreeSet<u32>;

/// A move.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Move {
    /// The state it leads to.
    pub to: u32,
    /// The events that happen.
    pub events: AtomSet,
    /// The processes that take part.
    pub moved: Processes,
}

/// What there is to know of a state.
#[derive(Default)]
pub(crate) struct Place {
    /// The conditions that hold.
    pub holds: AtomSet,
    /// Those that have no value.
    pub undefined: AtomSet,
    /// Some process is at a location labelled as accepting.
    pub accepting: bool,
    /// The processes that take part in some first step.
    pub enabled: Processes,
    pub moves: Vec<Move>,
    pub digest: u128,
}

impl Place {
    /// What a step owes, requests and grants so that runs are fair to those that are enabled.
    pub(crate) fn give_turns(&self, account: &mut Account<Debt>, fair: Fairness, moved: &Processes) {
        let turn = |&process: &u32| Debt::Turn(process);
        match fair {
            Fairness::None => {}
            Fairness::Weak => account.owed.extend(self.enabled.difference(moved).map(turn)),
            // Under fair choice, it is the steps of a state that get their turns.
            Fairness::Strong | Fairness::Choice => {
                account.requested.extend(self.enabled.iter().map(turn));
                account.granted.extend(moved.iter().map(turn));
            }
        }
    }
}

/// What runs beside the automaton: its states are numbers.
pub(crate) trait Moving {
    /// Where it begins.
    fn initial(&mut self) -> Result<Vec<u32>, Refusal>;

    /// What there is to know of a state.
    fn place(&mut self, state: u32, cx: &Context<'_>) -> Result<Rc<Place>, Refusal>;

    /// The first error in which a run ends.
    fn crash(&mut self) -> Option<String> {
        None
    }
}

/// All pairs, in the order in which they were found.
pub(crate) struct Product<'a> {
    moves: &'a mut dyn Moving,
    watch: &'a mut dyn Watch,
    pairs: Vec<(u32, u32)>,
    index: HashMap<(u32, u32), u32>,
    accounts: HashMap<Account<Debt>, u32>,
    found: Found,
}

/// What was found.
#[derive(Default)]
pub(crate) struct Found {
    /// Per pair: its steps.
    next: Vec<Vec<Edge>>,
    /// What matters of steps, by number.
    accounts: Vec<Account<Debt>>,
    /// The sum of the pairs' digests.
    pub digest: u128,
    /// The automaton comes to its end somewhere.
    ended: bool,
    crash: Option<String>,
}

impl<'a> Product<'a> {
    pub(crate) fn new(moves: &'a mut dyn Moving, watch: &'a mut dyn Watch) -> Self {
        let (pairs, index, accounts) = (Vec::new(), HashMap::new(), HashMap::new());
        Product { moves, watch, pairs, index, accounts, found: Found::default() }
    }

    /// Visits every pair.
    pub(crate) fn search(mut self, cx: &Context<'_>) -> Result<Found, Refusal> {
        for initial in self.moves.initial()? {
            self.number((initial, self.watch.initial()));
        }
        while let Some(&(state, at)) = self.pairs.get(self.found.next.len()) {
            let place = self.moves.place(state, cx)?;
            self.found.digest = self.found.digest.wrapping_add(product_digest(place.digest, at));
            let next = self.steps(&place, at)?;
            self.found.next.push(next);
            let (done, known) = (self.found.next.len() as u64, self.pairs.len() as u64);
            cx.budget.fits_states(known)?;
            pause(done, known - done, cx)?;
        }
        self.found.crash = self.moves.crash();
        Ok(self.found)
    }

    fn number(&mut self, pair: (u32, u32)) -> u32 {
        let pairs = &mut self.pairs;
        *self.index.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            pairs.len() as u32 - 1
        })
    }

    fn steps(&mut self, place: &Place, at: u32) -> Result<Vec<Edge>, Refusal> {
        let mut next = Vec::new();
        let here = Atoms { holds: place.holds, undefined: place.undefined };
        self.found.ended |= self.watch.ends(at, here)?;
        for step in &place.moves {
            let atoms = Atoms { holds: place.holds | step.events, ..here };
            for (to, owed) in self.watch.steps(at, atoms)? {
                self.found.ended |= to.is_none();
                let Some(to) = to else { continue };
                let mut account = Account { owed, requested: Debts::new(), granted: Debts::new() };
                self.watch.also(&mut account, atoms, place, &step.moved)?;
                let to = self.number((step.to, to));
                let all = &mut self.found.accounts;
                let account = *self.accounts.entry(account).or_insert_with_key(|account| {
                    all.push(account.clone());
                    all.len() as u32 - 1
                });
                next.push((to, account));
            }
        }
        next.sort_unstable();
        next.dedup();
        Ok(next)
    }
}

impl Found {
    /// The number of pairs.
    pub(crate) fn states(&self) -> u64 {
        self.next.len() as u64
    }

    /// The automaton nowhere comes to its end.
    pub(crate) fn ends(&self) -> Result<(), Refusal> {
        let ended = || Refusal::Violated(String::from("the claim comes to its end on some run"));
        if self.ended { Err(ended()) } else { Ok(()) }
    }

    /// No run is accepted.
    pub(crate) fn is_empty(&self) -> Result<(), Refusal> {
        self.ends()?;
        if is_settled_somewhere(self.next.clone(), &|_, (_, account)| &self.accounts[account as usize]) {
            return Err(Refusal::Violated(String::from("there is an infinite run that is a counterexample")));
        }
        match &self.crash {
            Some(crash) => Err(Refusal::Crash(crash.clone())),
            None => Ok(()),
        }
    }
}
