//! The network of machines: what every front end produces and every engine reads.
//!
//! A [`Network`] is a list of [`Machine`]s, each a graph of locations and edges, with the variables
//! of the whole and the kinds of channels there are. A machine may have many instances (processes);
//! some run from the start, others are created by a [`Action::Run`]. What an edge *does* is an
//! [`Action`] (`actions`), what a network holds are variables and channels (`variables`); what all of it means is said in one
//! place only, [`crate::semantics`].
//!
//! The same structure serves Promela (all of it), communicating finite machines (`.scm`: edges that
//! send or receive one constant on a global channel) and UML-RT capsules (one machine per capsule,
//! ports as channel variables that are set at creation).

mod actions;
pub mod show;
mod variables;
mod words;

pub use variables::{ChannelType, Dimension, Initial, ScalarType, SymbolSet, Variable};

pub use actions::{Action, Choice, Deterministic, ReceiveMode};
pub use words::{Telling, Words};

use crate::expr::{Expr, Place, Scope};
use crate::formula::{Atom, Ltl};
use crate::ids::{EdgeId, LocationId, MachineId, SymbolSetId, VariableId};
use crate::source::Span;
use crate::verdict::Property;
use std::collections::{BTreeSet, HashSet};

/// An edge of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocationId,
    /// Where it leads.
    pub to: LocationId,
    /// What it does.
    pub action: Action,
    /// The process keeps control after this step, for as long as it can move (`atomic`).
    pub atomic: bool,
    /// Not 0: the edge belongs to an escape (`unless`). Edges are tried in order, and once an edge
    /// of one escape was executable those of others, and ordinary ones, are not looked at.
    pub escape: u32,
    /// Where it is written.
    pub span: Span,
}

/// A location of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// Edges that start here, in the order in which they are tried; an `else` is last.
    pub edges: Vec<EdgeId>,
    /// For each of these edges, the number of the statement that it executes, where the front end counts the statements of the
    /// whole model as SPIN does: what a trail names. Else empty.
    pub executes: Vec<u32>,
    /// Labels in the source.
    pub labels: Vec<String>,
    /// A process may stop here forever (`end`, or the closing brace).
    pub end: bool,
    /// Being here is progress.
    pub progress: bool,
    /// Being here again and again is accepting.
    pub accept: bool,
    /// Where it is in the source: the statement that comes next.
    pub span: Option<Span>,
    /// Where a process must be for the statement to count as reached: here, or at a choice that offers it. Empty if the
    /// statement says nothing that its neighbours do not say, such as the first one of a block.
    pub reached_from: Vec<LocationId>,
}

/// What a machine is in its front end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MachineKind {
    /// Processes of this type can run.
    Process,
    /// A `never` claim.
    Never,
    /// A `trace` assertion.
    Trace,
    /// A `notrace` assertion.
    NoTrace,
}

/// A process type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: MachineKind,
    /// How many of its variables are parameters: they come first.
    pub parameters: usize,
    /// Parameters, then local variables.
    pub variables: Vec<Variable>,
    /// Locations; numbers without any edge leading to them do no harm.
    pub locations: Vec<Location>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Where a process starts.
    pub initial: LocationId,
    /// The process moves only while this is not zero (`provided`).
    pub provided: Option<Expr>,
    /// Where it is declared.
    pub span: Span,
}

impl Machine {
    /// The edges that leave a location, in order.
    pub fn edges_from(&self, location: LocationId) -> impl Iterator<Item = &Edge> {
        self.locations[location.index()].edges.iter().map(|e| &self.edges[e.index()])
    }

    /// Its name and its parameters: `P(byte a, chan c)`.
    pub fn title(&self) -> String {
        let parameters = self.variables[..self.parameters].iter().map(|v| format!("{} {}", v.ty.name(), v.name));
        format!("{}({})", self.name, parameters.collect::<Vec<_>>().join(", "))
    }

    /// The locations that have edges, or that an edge leads to.
    pub fn used(&self) -> impl Iterator<Item = (LocationId, &Location)> {
        let ends: HashSet<LocationId> = self.edges.iter().flat_map(|e| [e.from, e.to]).chain([self.initial]).collect();
        let locations = self.locations.iter().enumerate().map(|(index, location)| (LocationId::from(index), location));
        locations.filter(move |(id, _)| ends.contains(id))
    }
}

/// A process that is there from the start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Its type.
    pub machine: MachineId,
    /// Its priority.
    pub priority: u8,
}

/// A temporal formula that came with the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What it says.
    pub formula: Ltl,
    /// A front end wrote it for a question of its language.
    pub is_question: bool,
    /// Where it is.
    pub span: Span,
}

impl Formula {
    /// That it holds.
    pub fn property(&self) -> Property {
        let name = self.name.clone();
        if self.is_question { Property::Question(name) } else { Property::Ltl(name) }
    }
}

/// A system of machines that communicate over channels and shared variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Network {
    /// Sets of symbolic constants; the first is the unnamed one.
    pub symbol_sets: Vec<SymbolSet>,
    /// Shared variables.
    pub variables: Vec<Variable>,
    /// Kinds of channels.
    pub channel_types: Vec<ChannelType>,
    /// Process types.
    pub machines: Vec<Machine>,
    /// `never` claims and `trace` assertions: not processes.
    pub claims: Vec<Machine>,
    /// Processes that run from the start, in order of their numbers.
    pub instances: Vec<Instance>,
    /// Temporal formulas.
    pub formulas: Vec<Formula>,
    /// Whether any priority other than the usual one can occur.
    pub uses_priorities: bool,
    /// Whether somebody asks who moved last: then it is part of the state.
    pub uses_last_mover: bool,
    /// Edges that guess, because the front end does not model the code or the data that decides about them. Every run of the
    /// model is one of the network; a run of the network that takes such an edge may be none of the model.
    pub havoc: BTreeSet<(MachineId, EdgeId)>,
    /// How runs are told, where the source knows other things than processes and statements.
    pub words: Option<Words>,
}

impl Network {
    /// The machine of an id.
    pub fn machine(&self, id: MachineId) -> &Machine {
        &self.machines[id.index()]
    }

    /// The variables of a scope, as a process of `machine` sees them.
    pub fn variables(&self, scope: Scope, machine: MachineId) -> &[Variable] {
        match scope {
            Scope::Global => &self.variables,
            Scope::Local => &self.machine(machine).variables,
        }
    }

    /// The variable that a place lies in, as a process of `machine` sees it.
    pub fn variable(&self, place: &Place, machine: MachineId) -> &Variable {
        &self.variables(place.scope, machine)[place.variable.index()]
    }

    /// The name of a symbolic constant.
    pub fn symbol(&self, set: SymbolSetId, value: i32) -> Option<&str> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        self.symbol_sets.get(set.index())?.symbols.get(index).map(String::as_str)
    }

    /// The name of a value in the first set that has one for it; the number if none has.
    pub fn any_symbol(&self, value: i32) -> String {
        let name = (0..self.symbol_sets.len()).find_map(|set| self.symbol(set.into(), value));
        name.map_or_else(|| value.to_string(), str::to_owned)
    }

    /// A value as a user would write it.
    pub fn show_value(&self, ty: ScalarType, value: i32) -> String {
        match ty {
            ScalarType::Symbol(set) => self.symbol(set, value).map_or_else(|| value.to_string(), str::to_owned),
            _ => value.to_string(),
        }
    }

    /// Calls `visit` for every expression of the processes.
    pub fn walk_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        for machine in &self.machines {
            machine.provided.iter().for_each(|e| e.walk(visit));
            machine.edges.iter().for_each(|edge| edge.action.walk(visit));
        }
    }

    /// Whether `wanted` holds of some expression of the processes.
    pub fn any_expression(&self, wanted: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk_expressions(&mut |e| found |= wanted(e));
        found
    }

    /// Visits every expression of processes and claims, with the machine that evaluates it, and of formulas.
    pub fn walk_all(&self, visit: &mut dyn FnMut(Option<&Machine>, &Expr)) {
        for machine in self.machines.iter().chain(&self.claims) {
            let visit = &mut |e: &Expr| visit(Some(machine), e);
            machine.provided.iter().for_each(|e| e.walk(visit));
            machine.edges.iter().for_each(|edge| edge.action.walk(visit));
        }
        for formula in &self.formulas {
            formula.formula.walk(&mut |part| {
                if let Ltl::Atom(atom, _) = part
                    && let Atom::State(e) = &**atom
                {
                    e.walk(&mut |e| visit(None, e));
                }
            });
        }
    }

    /// The variable at an id, in a table of variables.
    pub fn global(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }
}
