//! Formulas whose violations show after finitely many steps, with channels of any length.
//!
//! The proof has a monitor, a deterministic automaton over the atoms of the formula, and what the monitor knows is part
//! of a control state. It is not believed: the tableau of the negated formula must have nothing left to keep only where
//! the monitor is nowhere, for all words. Since the negation promises nothing for ever, every run that breaks the
//! formula has such a prefix. So a set of control states in which the monitor always is somewhere proves the formula.
//!
//! Positions are as for `temporal`: the monitor reads the states outside of atomic sequences, what happens on the way
//! to the next one is part of the same position, and where nothing can move it reads the same state again and again.

use crate::Refusal;
use crate::queues::contents::Asked;
use crate::temporal::product::{Atoms, Watch};
use crate::temporal::tableau::Tableau;
use model::claim::{AtomSet, Watcher};
use model::expr::Expr;
use model::formula::{Atom, Ltl};
use model::queue_proof::{MonitorEdge, QueueProof, Watched};
use model::semantics::{Semantics, Stepper, Successor};
use model::verdict::Property;
use std::collections::BTreeSet;

/// A formula with more atoms is not looked at: all their values are tried.
const MOST_ATOMS: usize = 12;

/// A monitor of a formula, which notices every bad prefix.
pub(crate) struct Monitor<'a> {
    states: &'a [Vec<MonitorEdge>],
    watcher: Watcher<'a>,
    /// Answers questions about events while the stepper is at work.
    asker: Stepper<'a>,
    pub(crate) asked: Asked,
}

impl<'a> Monitor<'a> {
    /// That of a proof, if the property is a formula.
    pub(crate) fn of(
        semantics: &'a Semantics<'a>,
        property: &Property,
        proof: &'a QueueProof,
    ) -> Result<Option<Monitor<'a>>, Refusal> {
        let network = semantics.network();
        let (Property::Ltl(name) | Property::Question(name)) = property else {
            return if proof.monitor.is_empty() { Ok(None) } else { Err(Refusal::WrongKind(property.to_string())) };
        };
        let formula = network.formulas.iter().find(|formula| formula.name == *name);
        let formula = &formula.ok_or_else(|| Refusal::WrongKind(property.to_string()))?.formula;
        let atoms: Vec<Atom> = formula.atoms().into_iter().map(|(atom, _)| atom).collect();
        if atoms.len() > MOST_ATOMS {
            return Err(Refusal::Unfinished(format!("a formula with more than {MOST_ATOMS} different conditions")));
        }
        let mut asked = Asked::default();
        for atom in &atoms {
            if let Atom::State(e) = atom {
                of_a_state(e)?;
                asked.condition(network, e)?;
            }
        }
        knows_bad_prefixes(formula, &atoms, &proof.monitor)?;
        let watcher = Watcher::new(semantics, &atoms);
        Ok(Some(Monitor { states: &proof.monitor, watcher, asker: semantics.stepper(), asked }))
    }

    /// What is known after a look at a state, where the monitor knew `before` on arrival. Of events more will be seen
    /// at this position; without any it is over at once, so that a run need not go on to be a bad one.
    pub(crate) fn reads(&mut self, state: &[u8], before: Watched) -> Result<Watched, Refusal> {
        let all = self.watcher.in_state(&mut self.asker, state, !0, false);
        let seen = all.map_err(|fault| Refusal::Crash(fault.fault.to_string()))? as u32;
        match self.watcher.has_events() {
            true => Ok(Watched { seen, ..before }),
            false => Ok(Watched { at: next(self.states, before.at, seen)?.unwrap_or(Watched::BROKEN.at), seen: 0 }),
        }
    }

    /// The events of a step that is taken in a state.
    pub(crate) fn events(&mut self, state: &[u8], step: &Successor<'_>) -> AtomSet {
        self.watcher.in_step(&mut self.asker, state, step)
    }

    /// What is known after a step with these events; it leads to the next position unless an atomic sequence goes on.
    pub(crate) fn after(&self, before: Watched, events: AtomSet, goes_on: bool) -> Result<Watched, Refusal> {
        if !self.watcher.has_events() {
            return Ok(before);
        }
        let seen = before.seen | events as u32;
        if goes_on {
            return Ok(Watched { seen, ..before });
        }
        Ok(next(self.states, before.at, seen)?.map_or(Watched::BROKEN, |at| Watched { at, seen: 0 }))
    }
}

/// The next state of a monitor; `None` where the formula is broken.
fn next(states: &[Vec<MonitorEdge>], at: u32, atoms: u32) -> Result<Option<u32>, Refusal> {
    let malformed = |what: &str| Err(Refusal::Malformed(format!("the monitor {what}")));
    let Some(edges) = states.get(at as usize) else { return malformed("has no such state") };
    let mut open = edges.iter().filter(|edge| edge.is_open(atoms));
    match (open.next(), open.next()) {
        (Some(edge), None) => Ok(edge.to),
        (None, _) => malformed("does not know where to go"),
        (Some(_), Some(_)) => malformed("can go in two ways"),
    }
}

/// Whatever is read, the monitor is nowhere once the tableau of the negation has nothing left to keep.
fn knows_bad_prefixes(formula: &Ltl, atoms: &[Atom], monitor: &[Vec<MonitorEdge>]) -> Result<(), Refusal> {
    let mut tableau = Tableau::of_negation(formula, atoms);
    if !tableau.is_finite() {
        return Err(Refusal::WrongKind(String::from("a formula whose violations may need infinitely many steps")));
    }
    let first = (0, tableau.initial());
    let mut seen = BTreeSet::from([first]);
    let mut work = vec![first];
    while let Some((at, kept)) = work.pop() {
        for letter in 0..1u32 << atoms.len() {
            let Some(to) = next(monitor, at, letter)? else { continue };
            let holds = Atoms { holds: AtomSet::from(letter), undefined: 0 };
            for kept in tableau.steps(kept, holds)?.into_iter().filter_map(|(kept, _)| kept) {
                if tableau.is_kept(kept) {
                    return Err(Refusal::NotInvariant(String::from("the monitor does not notice a bad prefix")));
                }
                if seen.insert((to, kept)) {
                    work.push((to, kept));
                }
            }
        }
    }
    Ok(())
}

/// An atom must be about a state alone.
fn of_a_state(e: &Expr) -> Result<(), Refusal> {
    let mut checked = Ok(());
    e.walk(&mut |part| {
        if matches!(part, Expr::Timeout | Expr::LastMover | Expr::RunResult) {
            checked = Err(Refusal::Malformed(String::from("the formula asks for more than a state")));
        }
    });
    checked
}
