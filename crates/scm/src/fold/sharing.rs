//! Which shared variables are not shared.
//!
//! Machines share nothing but channels. A global variable is harmless when no process writes it once the processes run (it
//! is a constant), when only one process uses it (it belongs to that process), or when no process reads it. Any other is
//! what this format cannot say.

use super::processes::Start;
use crate::print::NotExpressible;
use model::expr::{Expr, Pattern, Place, Scope};
use model::ids::LocationId;
use model::network::{Action, Edge, Initial, Machine, Network};
use model::source::Span;
use std::collections::BTreeSet;

/// What becomes of a global variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// It keeps its value.
    Constant,
    /// It belongs to the process at this index.
    Owned(usize),
    /// It is written, but no process reads it.
    Unread,
}

/// Who uses a variable.
#[derive(Default)]
struct Users {
    readers: BTreeSet<usize>,
    writers: BTreeSet<usize>,
    written: Option<Span>,
}

/// What becomes of each global variable; an error at the first that is shared.
pub(super) fn uses(network: &Network, start: &Start) -> Result<Vec<Use>, NotExpressible> {
    let processes = &start.processes;
    let mut users: Vec<Users> = network.variables.iter().map(|_| Users::default()).collect();
    for (index, process) in processes.iter().enumerate() {
        let machine = network.machine(process.machine);
        for variable in &machine.variables {
            if let Initial::Value(e) = &variable.initial {
                read(e, index, &mut users);
            }
        }
        reachable_edges(machine, process.start).for_each(|edge| visit(&edge.action, index, edge.span, &mut users));
    }
    for &(creator, edge) in &start.exposed {
        let edge = &network.machine(processes[creator].machine).edges[edge.index()];
        visit(&edge.action, creator, edge.span, &mut users);
    }
    users
        .iter()
        .zip(&network.variables)
        .map(|(users, variable)| {
            let everyone: BTreeSet<usize> = users.readers.union(&users.writers).copied().collect();
            match (users.written, everyone.first()) {
                (None, _) | (_, None) => Ok(Use::Constant),
                (_, Some(&owner)) if everyone.len() == 1 => Ok(Use::Owned(owner)),
                _ if users.readers.is_empty() => Ok(Use::Unread),
                (Some(span), _) => {
                    let names: Vec<String> = everyone.iter().take(3).map(|&p| processes[p].name(network)).collect();
                    let names = names.join(" and ");
                    let why = format!("`{}` is shared by {names}; machines share nothing but channels", variable.name);
                    NotExpressible::new(span, why)
                }
            }
        })
        .collect()
}

/// The edges that can be reached from a location, whatever the data.
pub(super) fn reachable_edges(machine: &Machine, start: LocationId) -> impl Iterator<Item = &Edge> {
    let mut seen = vec![false; machine.locations.len()];
    let mut waiting = vec![start];
    seen[start.index()] = true;
    while let Some(location) = waiting.pop() {
        for edge in machine.edges_from(location) {
            if !std::mem::replace(&mut seen[edge.to.index()], true) {
                waiting.push(edge.to);
            }
        }
    }
    machine.edges.iter().filter(move |edge| seen[edge.from.index()])
}

fn read(e: &Expr, process: usize, users: &mut [Users]) {
    e.walk(&mut |e| {
        if let Expr::Read(Place { scope: Scope::Global, variable, .. }) = e {
            users[variable.index()].readers.insert(process);
        }
    });
}

fn write(place: &Place, process: usize, span: Span, users: &mut [Users]) {
    place.indices.iter().for_each(|e| read(e, process, users));
    if place.scope == Scope::Global {
        let users = &mut users[place.variable.index()];
        users.writers.insert(process);
        users.written.get_or_insert(span);
    }
}

fn visit(action: &Action, process: usize, span: Span, users: &mut [Users]) {
    match action {
        // What is only shown is not read.
        Action::Print { .. } => {}
        Action::Deterministic(step) => {
            step.guard.iter().for_each(|action| visit(action, process, span, users));
            step.nodes.iter().flatten().for_each(|choice| visit(&choice.action, process, choice.span, users));
        }
        action => {
            action.walk(&mut |e| {
                if let Expr::Read(Place { scope: Scope::Global, variable, .. }) = e {
                    users[variable.index()].readers.insert(process);
                }
            });
        }
    }
    match action {
        Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => write(place, process, span, users),
        Action::Receive { pattern, .. } => pattern.iter().for_each(|pattern| {
            if let Pattern::Bind(place) = pattern {
                write(place, process, span, users);
            }
        }),
        _ => {}
    }
}
