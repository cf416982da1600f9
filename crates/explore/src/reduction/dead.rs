//! Variables that nothing reads any more before they are written: live variables, backwards over the edges of a machine.
//!
//! Two states that differ in such a variable only have the same future, so it is set to zero as soon as it is dead
//! (Holzmann, *The engineering of a model checker: the Gnu i-protocol case study revisited*, SPIN 1999). This is for elements of
//! local variables, and for shared variables that a single process, one of whose type there is only ever one, touches.
//!
//! The analysis is the textbook one: an edge reads every variable that one of its expressions names, and writes a variable if it
//! does so in any case. `x = x + 1` reads `x`. A stronger analysis could call `x` dead where nothing but its own
//! increments read it, but then a cycle of the reduced states might never close in the plain semantics: with this one, what
//! is dead at the start of a cycle is written in it from what is live, or stays as it is, so the cycle closes when it is taken
//! once more.
//!
//! A label, `P:x` or a formula that looks at a variable keeps it alive. Variables that are never assigned are left alone: they
//! name channels and elements (`access.rs`).

use super::Reduction;
use super::access::can_fail;
use model::expr::{Expr, Pattern, Place, Scope};
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, Deterministic, Edge, Initial, Machine, Network, ScalarType};
use std::collections::{BTreeSet, HashMap, HashSet};

/// An array with more elements than this is alive as a whole, and is not reset.
const MOST_ELEMENTS: usize = 64;

/// An element of a variable.
pub(super) type Element = (Scope, VariableId, usize);

/// A set of elements, by their numbers.
type Set = BTreeSet<usize>;

/// The elements to be reset after each edge of a machine.
pub(super) fn resets(reduction: &Reduction<'_>, id: MachineId, owned: &HashSet<VariableId>) -> Vec<Vec<Element>> {
    let machine = reduction.network.machine(id);
    let analysis = Analysis::new(reduction, id, owned);
    let live = analysis.live(machine);
    let nothing = Set::new();
    let reset = |edge: &Edge| {
        if matches!(edge.action, Action::End) {
            return Vec::new();
        }
        let after = live.get(edge.to.index()).unwrap_or(&nothing);
        let mut touched = live[edge.from.index()].clone();
        analysis.may_write(&edge.action, &mut touched);
        touched.difference(after).map(|&element| analysis.elements[element]).collect()
    };
    machine.edges.iter().map(reset).collect()
}

/// Shared variables that a single process touches, and the type of that process.
pub(super) fn owned(network: &Network) -> HashMap<VariableId, MachineId> {
    let mut users: HashMap<VariableId, BTreeSet<MachineId>> = HashMap::new();
    let mut shared: HashSet<VariableId> = HashSet::new();
    for (index, machine) in network.machines.iter().enumerate() {
        let id = MachineId::from(index);
        let mut touch = |place: &Place| {
            if place.scope == Scope::Global {
                users.entry(place.variable).or_default().insert(id);
            }
        };
        for edge in &machine.edges {
            edge.action.walk(&mut |e| {
                if let Expr::Read(place) = e {
                    touch(place);
                }
            });
            super::access::written(&edge.action, &mut touch);
        }
        machine.variables.iter().for_each(|variable| first_reads(&variable.initial, &mut shared));
    }
    network.variables.iter().for_each(|variable| first_reads(&variable.initial, &mut shared));
    let owner = |(variable, users): (&VariableId, &BTreeSet<MachineId>)| {
        let single = (users.len() == 1).then(|| users.first().copied()).flatten()?;
        let plain = network.global(*variable).ty != ScalarType::Channel && !shared.contains(variable);
        (plain && is_single(network, single, 0)).then_some((*variable, single))
    };
    users.iter().filter_map(owner).collect()
}

/// What a first value reads is read by whoever creates the process.
fn first_reads(initial: &Initial, into: &mut HashSet<VariableId>) {
    if let Initial::Value(e) = initial {
        e.walk(&mut |part| {
            if let Expr::Read(place) = part {
                into.insert(place.variable);
            }
        });
    }
}

/// At most one process of a type is ever created: it runs from the start, or one statement that is reached once creates it.
pub(super) fn is_single(network: &Network, id: MachineId, depth: usize) -> bool {
    let instances = network.instances.iter().filter(|instance| instance.machine == id).count();
    let mut runs = network.machines.iter().enumerate().flat_map(|(index, machine)| {
        let creates = |edge: &&Edge| matches!(edge.action, Action::Run { machine, .. } if machine == id);
        machine.edges.iter().filter(creates).map(move |edge| (MachineId::from(index), edge))
    });
    match (instances, runs.next(), runs.next()) {
        (1, None, None) => true,
        (0, Some((creator, run)), None) => {
            let once = !reaches(network.machine(creator), run.to, run.from);
            once && depth < network.machines.len() && is_single(network, creator, depth + 1)
        }
        _ => false,
    }
}

/// Whether the control flow leads from a location to another.
fn reaches(machine: &Machine, from: LocationId, to: LocationId) -> bool {
    let (mut seen, mut work) = (HashSet::from([from]), vec![from]);
    while let Some(at) = work.pop() {
        if at == to {
            return true;
        }
        let Some(location) = machine.locations.get(at.index()) else { continue };
        let next = location.edges.iter().map(|edge| machine.edges[edge.index()].to);
        work.extend(next.filter(|next| seen.insert(*next)));
    }
    false
}

struct Analysis<'a> {
    network: &'a Network,
    machine: MachineId,
    elements: Vec<Element>,
    /// Per variable that is followed: the number of its first element.
    first: HashMap<(bool, VariableId), usize>,
}

impl<'a> Analysis<'a> {
    fn new(reduction: &Reduction<'a>, machine: MachineId, owned: &HashSet<VariableId>) -> Self {
        let network = reduction.network;
        let (mut elements, mut first) = (Vec::new(), HashMap::new());
        let mut follow = |scope: Scope, variable: VariableId, len: usize| {
            if len <= MOST_ELEMENTS {
                first.insert((scope == Scope::Local, variable), elements.len());
                elements.extend((0..len).map(|element| (scope, variable, element)));
            }
        };
        for (index, variable) in network.machine(machine).variables.iter().enumerate() {
            let id = VariableId::from(index);
            let visible = reduction.visible.locals.contains(&(machine, id));
            if !visible && reduction.stability.is_local_assigned(machine, id) {
                follow(Scope::Local, id, variable.len());
            }
        }
        for &variable in owned.iter().collect::<BTreeSet<_>>() {
            if !reduction.visible.variables.contains(&variable) && reduction.stability.is_assigned(variable) {
                follow(Scope::Global, variable, network.global(variable).len());
            }
        }
        Analysis { network, machine, elements, first }
    }

    /// Per location: what may be read before it is written.
    fn live(&self, machine: &Machine) -> Vec<Set> {
        let mut live = vec![Set::new(); machine.locations.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for edge in machine.edges.iter().rev() {
                let after = live.get(edge.to.index()).cloned().unwrap_or_default();
                let before = self.before(&edge.action, after);
                let known = live[edge.from.index()].len();
                live[edge.from.index()].extend(before);
                changed |= live[edge.from.index()].len() != known;
            }
        }
        live
    }

    /// What is live before an action, given what is live after it.
    fn before(&self, action: &Action, mut live: Set) -> Set {
        match action {
            Action::End => Set::new(),
            Action::Deterministic(step) => self.before_step(step, live),
            _ => {
                self.must_write(action, &mut live);
                self.reads(action, &mut live);
                live
            }
        }
    }

    /// What is live before a deterministic step: the same analysis for its nodes.
    fn before_step(&self, step: &Deterministic, after: Set) -> Set {
        let mut live = vec![Set::new(); step.nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (node, choices) in step.nodes.iter().enumerate().rev() {
                let known = live[node].len();
                for choice in choices {
                    let next = choice.next.map(|next| live.get(next as usize).cloned().unwrap_or_default());
                    let before = self.before(&choice.action, next.unwrap_or_else(|| after.clone()));
                    live[node].extend(before);
                }
                changed |= live[node].len() != known;
            }
        }
        let mut before = live.first().cloned().unwrap_or(after);
        step.guard.iter().for_each(|guard| self.reads(guard, &mut before));
        before
    }

    fn reads(&self, action: &Action, into: &mut Set) {
        if let Action::Print { arguments, .. } = action
            && !arguments.iter().any(can_fail)
        {
            return;
        }
        action.walk(&mut |e| {
            if let Expr::Read(place) = e {
                into.extend(self.named(place));
            }
        });
    }

    /// Takes out what an action writes in any case.
    fn must_write(&self, action: &Action, live: &mut Set) {
        let mut write = |place: &Place| {
            if let [element] = self.named(place)[..] {
                live.remove(&element);
            }
        };
        match action {
            Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => write(place),
            Action::Receive { pattern, .. } => pattern.iter().for_each(|field| {
                if let Pattern::Bind(place) = field {
                    write(place);
                }
            }),
            _ => {}
        }
    }

    /// Adds everything that an action may write.
    fn may_write(&self, action: &Action, into: &mut Set) {
        super::access::written(action, &mut |place| into.extend(self.named(place)));
    }

    /// The elements that a place may mean.
    fn named(&self, place: &Place) -> Vec<usize> {
        let Some(&first) = self.first.get(&(place.scope == Scope::Local, place.variable)) else { return Vec::new() };
        let variable = self.network.variable(place, self.machine);
        let mut element = 0;
        for (index, dimension) in place.indices.iter().zip(&variable.dimensions) {
            let value = index.constant().and_then(|value| usize::try_from(value).ok());
            match value.filter(|&value| value < dimension.len as usize) {
                Some(value) => element = element * dimension.len as usize + value,
                None => return (first..first + variable.len()).collect(),
            }
        }
        vec![first + element]
    }
}
