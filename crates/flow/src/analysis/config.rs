//! What is looked at closely: the configuration of an analysis, the first one, and how it may change.
//!
//! Constants in patterns are distinguished from the beginning, and what decides how often a `run` is reached is folded into points.
//! All else is refined later, where a counterexample asks for it.

use crate::scc;
use crate::world::World;
use model::expr::{Expr, Pattern};
use model::ids::VariableId;
use model::network::{Action, ScalarType};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How precise to be, and where. Machines, slots, channel types and fields are given by their indices.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Local slots that tell nodes apart.
    pub folded: BTreeMap<u32, BTreeSet<u32>>,
    /// Slots that cannot be folded: they can hold too much.
    pub unfoldable: BTreeSet<(u32, u32)>,
    /// Shared slots that are parts.
    pub followed: BTreeSet<u32>,
    /// Numbers that are counted: slots of a machine, or global ones.
    pub numbers: BTreeSet<(Option<u32>, u32)>,
    /// Machines with any number of processes.
    pub many: BTreeSet<u32>,
    /// Folded slots do not tell nodes apart where their values no longer matter.
    pub forgets_dead: bool,
    /// Constants that are distinguished: channel type, field.
    pub constants: BTreeMap<(u32, u32), BTreeSet<i32>>,
}

/// What to do differently in the next analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// Processes of this machine cannot be distinguished.
    Many(u32),
    /// This slot of a machine can hold too much to be folded.
    Unfoldable(u32, u32),
    /// More constants matter.
    Constants(BTreeMap<(u32, u32), BTreeSet<i32>>),
}

/// A first configuration: constants in patterns are distinguished, and what decides how often a `run` is reached is folded.
pub fn first_config(world: &World<'_>) -> Config {
    let mut config = Config::default();
    fold_creation_loops(world, &mut config);
    pattern_constants(world, &mut config);
    config
}

/// Constants in patterns, for every channel with as many fields; or more, as a poll may leave out the last ones.
fn pattern_constants(world: &World<'_>, config: &mut Config) {
    let mut note = |pattern: &[Pattern], poll: bool| {
        for (ty, channel_type) in world.network.channel_types.iter().enumerate() {
            let fields = channel_type.fields.len();
            if fields != pattern.len() && !(poll && fields > pattern.len()) {
                continue;
            }
            for (field, pattern) in pattern.iter().enumerate() {
                if let Pattern::Match(Expr::Const(value)) = pattern {
                    config.constants.entry((ty as u32, field as u32)).or_default().insert(*value);
                }
            }
        }
    };
    for edge in world.network.machines.iter().flat_map(|m| &m.edges) {
        match &edge.action {
            Action::Receive { pattern, .. } => note(pattern, false),
            Action::Deterministic(body) => {
                for choice in body.nodes.iter().flatten() {
                    if let Action::Receive { pattern, .. } = &choice.action {
                        note(pattern, false);
                    }
                }
            }
            _ => {}
        }
        edge.action.walk(&mut |e| {
            if let Expr::Poll { pattern, .. } = e {
                note(pattern, true);
            }
        });
    }
}

/// Locals that conditions, or arguments of a `run`, read in a cycle with a `run` in it.
fn fold_creation_loops(world: &World<'_>, config: &mut Config) {
    for (index, machine) in world.network.machines.iter().enumerate() {
        let edges: Vec<(usize, usize)> = machine.edges.iter().map(|e| (e.from.index(), e.to.index())).collect();
        let components = scc::components(machine.locations.len(), &edges);
        let inside = |e: &model::network::Edge| components.is_inside(e.from.index(), e.to.index());
        let looping: HashSet<u32> = machine
            .edges
            .iter()
            .filter(|e| inside(e) && matches!(e.action, Action::Run { .. }))
            .map(|e| components.of[e.from.index()])
            .collect();
        for edge in machine.edges.iter().filter(|e| looping.contains(&components.of[e.from.index()])) {
            if matches!(edge.action, Action::Condition(_) | Action::Run { .. }) {
                for variable in scalar_locals(&edge.action, machine) {
                    let slot = world.machines[index].slots.slot(&machine.variables, variable.index(), 0);
                    config.folded.entry(index as u32).or_default().insert(slot as u32);
                }
            }
        }
    }
}

/// The local scalars that an action reads.
pub fn scalar_locals(action: &Action, machine: &model::network::Machine) -> Vec<VariableId> {
    let mut found = Vec::new();
    action.walk(&mut |e| {
        if let Expr::Read(place) = e
            && place.scope == model::expr::Scope::Local
            && machine.variables[place.variable.index()].dimensions.is_empty()
            && machine.variables[place.variable.index()].ty != ScalarType::Channel
        {
            found.push(place.variable);
        }
    });
    found
}
