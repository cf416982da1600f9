//! What matters for the requested errors: live edges, and the variables that decide which path a run takes along them.
//!
//! An edge is live if a requested error lies behind it; a run that leaves the live edges never comes to an error, so the
//! rest of the graph is an end. A variable matters if a live assumption reads it, or if it is assigned to one that
//! matters. Every live assumption counts, so the slice has exactly the runs of the component: an error that is reached
//! in the slice is reached in the component with the same inputs.

use cfront::program::{Component, EdgeId, ErrorKind, Instruction, LocationId, VariableId};
use std::collections::HashSet;

/// The part of a component that matters.
pub(crate) struct Slice {
    /// By edge: a requested error lies behind it, or it is one.
    pub(crate) live: Vec<bool>,
    /// By location: its live edges, in order.
    pub(crate) leaving: Vec<Vec<EdgeId>>,
    /// By edge: an assumption that changes nothing, because its opposite leads to the same place.
    pub(crate) idle: Vec<bool>,
    /// The variables that matter, in order.
    pub(crate) variables: Vec<VariableId>,
}

impl Slice {
    /// The slice for these errors.
    pub(crate) fn new(component: &Component, asked: &dyn Fn(&ErrorKind) -> bool) -> Slice {
        let live = live_edges(component, asked);
        let leaving: Vec<Vec<EdgeId>> = (0..component.locations.len() as u32)
            .map(|number| {
                let edges = component.leaving(LocationId(number));
                edges.map(|(id, _)| id).filter(|id| live[id.0 as usize]).collect()
            })
            .collect();
        let idle = idle_edges(component, &leaving);
        let variables = relevant(component, &live, &idle);
        Slice { live, leaving, idle, variables }
    }
}

fn live_edges(component: &Component, asked: &dyn Fn(&ErrorKind) -> bool) -> Vec<bool> {
    let mut entering: Vec<Vec<usize>> = vec![Vec::new(); component.locations.len()];
    let mut live = vec![false; component.edges.len()];
    let mut pending: Vec<LocationId> = Vec::new();
    for (number, edge) in component.edges.iter().enumerate() {
        match &edge.instruction {
            Instruction::Error(kind) if asked(kind) => {
                live[number] = true;
                pending.push(edge.source);
            }
            Instruction::Error(_) | Instruction::Return(_) | Instruction::Stop(_) => {}
            _ => entering[edge.target.0 as usize].push(number),
        }
    }
    let mut seen: HashSet<LocationId> = HashSet::new();
    while let Some(location) = pending.pop() {
        if seen.insert(location) {
            for &number in &entering[location.0 as usize] {
                live[number] = true;
                pending.push(component.edges[number].source);
            }
        }
    }
    live
}

/// Two assumptions, one the negation of the other, from one place to one place.
fn idle_edges(component: &Component, leaving: &[Vec<EdgeId>]) -> Vec<bool> {
    let mut idle = vec![false; component.edges.len()];
    for edges in leaving {
        if let [a, b] = edges[..]
            && component.edge(a).target == component.edge(b).target
            && opposite(component, a, b)
        {
            idle[a.0 as usize] = true;
            idle[b.0 as usize] = true;
        }
    }
    idle
}

/// Whether two edges assume opposite conditions.
pub(crate) fn opposite(component: &Component, a: EdgeId, b: EdgeId) -> bool {
    use cfront::term::Term::Not;
    match (&component.edge(a).instruction, &component.edge(b).instruction) {
        (&Instruction::Assume(x), &Instruction::Assume(y)) => {
            component.terms.get(x) == Not(y) || component.terms.get(y) == Not(x)
        }
        _ => false,
    }
}

fn relevant(component: &Component, live: &[bool], idle: &[bool]) -> Vec<VariableId> {
    let terms = &component.terms;
    let edges = || component.edges.iter().enumerate().filter(|(number, _)| live[*number]);
    let mut found: HashSet<VariableId> = HashSet::new();
    // Terms share their parts: each part is looked at once.
    let mut seen = HashSet::new();
    for (number, edge) in edges() {
        if let Instruction::Assume(condition) = edge.instruction
            && !idle[number]
        {
            found.extend(terms.new_variables(condition, &mut seen));
        }
    }
    loop {
        let before = found.len();
        for (_, edge) in edges() {
            if let Instruction::Assign(list) = &edge.instruction {
                for &(variable, value) in list {
                    if found.contains(&variable) {
                        found.extend(terms.new_variables(value, &mut seen));
                    }
                }
            }
        }
        if found.len() == before {
            break;
        }
    }
    let mut variables: Vec<VariableId> = found.into_iter().collect();
    variables.sort_unstable();
    variables
}
