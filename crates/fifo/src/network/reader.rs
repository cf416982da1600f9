//! The monitor of a formula, beside the network: a deterministic automaton that notices bad prefixes
//! (`temporal::monitor`).
//!
//! It reads the states outside of atomic sequences; what happens on the way to the next one is part of the same
//! position. Without events a position is over with the look at the state.

use super::Unproved;
use super::asked::Asked;
use model::claim::{AtomSet, Watcher};
use model::expr::Expr;
use model::formula::{Atom, Ltl};
use model::queue_proof::{MonitorEdge, Watched};
use model::semantics::{Semantics, Stepper, Successor};
use model::verdict::Property;
use temporal::{Cube, Limits};

/// A monitor with more atoms or states than this is not made.
const MOST_ATOMS: usize = 12;
const MOST_STATES: usize = 1 << 10;

pub(super) struct Reader<'a> {
    pub(super) states: Vec<Vec<MonitorEdge>>,
    watcher: Watcher<'a>,
    asker: Stepper<'a>,
    pub(super) asked: Asked,
}

impl<'a> Reader<'a> {
    /// That of a formula of the network, if the property is one.
    pub(super) fn of(
        semantics: &'a Semantics<'a>,
        property: &Property,
        limits: &queues::Limits,
    ) -> Result<Option<Reader<'a>>, Unproved> {
        let (Property::Ltl(name) | Property::Question(name)) = property else { return Ok(None) };
        let unfit = |why: String| Unproved::Unfit(why);
        let formulas = &semantics.network().formulas;
        let formula = formulas.iter().find(|formula| formula.name == *name);
        let formula = &formula.ok_or_else(|| unfit(format!("there is no formula {name}")))?.formula;
        let atoms = formula.atoms();
        if atoms.len() > MOST_ATOMS {
            return Err(unfit(format!("the formula has more than {MOST_ATOMS} different conditions")));
        }
        let states = monitor(formula, &atoms, limits)?;
        let atoms: Vec<Atom> = atoms.into_iter().map(|(atom, _)| atom).collect();
        let mut asked = Asked::default();
        for atom in &atoms {
            if let Atom::State(e) = atom {
                let more = |e: &Expr| matches!(e, Expr::Timeout | Expr::LastMover | Expr::RunResult);
                if e.any(&more) {
                    return Err(unfit(String::from("the formula asks for more than a state")));
                }
                asked.add(semantics.network(), e);
            }
        }
        Ok(Some(Reader { states, watcher: Watcher::new(semantics, &atoms), asker: semantics.stepper(), asked }))
    }

    fn next(&self, at: u32, atoms: u32) -> Option<u32> {
        self.states[at as usize].iter().find(|edge| edge.is_open(atoms)).and_then(|edge| edge.to)
    }

    /// What is known after a look at a state.
    pub(super) fn reads(&mut self, state: &[u8], before: Watched) -> Result<Watched, Unproved> {
        let all = self.watcher.in_state(&mut self.asker, state, !0, false);
        let seen = all.map_err(|fault| Unproved::Unfit(fault.fault.to_string()))? as u32;
        match self.watcher.has_events() {
            true => Ok(Watched { seen, ..before }),
            false => Ok(self.next(before.at, seen).map_or(Watched::BROKEN, |at| Watched { at, seen: 0 })),
        }
    }

    /// The events of a step that is taken in a state.
    pub(super) fn events(&mut self, state: &[u8], step: &Successor<'_>) -> AtomSet {
        self.watcher.in_step(&mut self.asker, state, step)
    }

    /// What is known after a step with these events, if an atomic sequence goes on, or if not.
    pub(super) fn after(&self, before: Watched, events: AtomSet, goes_on: bool) -> Watched {
        let seen = before.seen | events as u32;
        match (self.watcher.has_events(), goes_on) {
            (false, _) => before,
            (true, true) => Watched { seen, ..before },
            (true, false) => self.next(before.at, seen).map_or(Watched::BROKEN, |at| Watched { at, seen: 0 }),
        }
    }
}

fn monitor(
    formula: &Ltl,
    atoms: &[(Atom, String)],
    limits: &queues::Limits,
) -> Result<Vec<Vec<MonitorEdge>>, Unproved> {
    let most = Limits { budget: limits.budget.clone(), ..Limits::default() };
    let automaton = temporal::automaton(&temporal::numbered(formula, atoms), &most);
    let automaton = automaton.map_err(|why| Unproved::Unfit(why.to_string()))?;
    let Some(monitor) = temporal::monitor(&automaton, MOST_STATES) else {
        return Err(Unproved::Unfit(String::from("the monitor of the formula has too many states")));
    };
    let bits = |atoms: &[u32]| atoms.iter().fold(0, |bits, atom| bits | 1 << atom);
    let edge = |(cube, to): &(Cube, Option<u32>)| MonitorEdge {
        holds: bits(&cube.positive),
        fails: bits(&cube.negative),
        to: *to,
    };
    Ok(monitor.states.iter().map(|edges| edges.iter().map(edge).collect()).collect())
}
