//! What to look at more closely, when a combination of cycles is unrefuted.
//!
//! Only what the combination involves: first the local variables that its statements test or send, folded into
//! locations; then the shared variables that they test, as parts of their own; then the numbers that they change, as
//! credits; then what those are computed from. Variables that can hold too much to be distinguished are counted as
//! numbers. (IBOC-refinement section 4 and Ciclo section VII find dependencies of one cycle on others in these places.)

use crate::analysis::{Analysis, Config};
use crate::net::{Counter, Net};
use crate::prove::Counterexample;
use crate::values;
use crate::world::{World, stores};
use model::expr::{Expr, Pattern, Place, Scope};
use model::flow_proof::{Values, is_smashed};
use model::ids::MachineId;
use model::network::{Action, ScalarType};
use std::collections::BTreeSet;

/// A shared variable of more values than this is counted, not followed.
const MOST_VALUES: usize = 40;
/// A local that chooses a channel is folded if it has no more values than this.
const MOST_INDICES: u64 = 4096;
/// An array of more elements than this is not followed.
const MOST_ELEMENTS: usize = 64;

/// The configuration to try next, and what is new in it; `None` if there is nothing more to look at.
pub fn refine(
    world: &World<'_>,
    analysis: &Analysis,
    net: &Net,
    config: &Config,
    found: &Counterexample,
) -> Option<(Config, Vec<String>)> {
    let used = actions(world, net, analysis, found);
    let tiers: [Tier<'_>; 11] = [
        &|r, config| r.fold_channels(config),
        &|r, config| r.fold_tested(Tests::Conditions, false, config),
        &|r, config| r.fold_tested(Tests::All, false, config),
        &|r, config| r.follow_tested(Tests::Conditions, false, config),
        &|r, config| r.fold_indices(config),
        &|r, config| r.tell_received_apart(config),
        &|r, config| r.fold_tested(Tests::All, true, config),
        &|r, config| r.follow_tested(Tests::All, true, config),
        &|r, config| r.fold_computed(config),
        &|r, config| r.count_changed(config),
        &|r, config| r.follow_all(config),
    ];
    let refiner = Refiner { world, analysis, net, used };
    for tier in tiers {
        let mut next = config.clone();
        tier(&refiner, &mut next);
        if next != *config {
            let words = refiner.words(config, &next);
            return Some((next, words));
        }
    }
    None
}

/// A configuration in which the locals that choose channels are distinguished, also where they are received; `None` if they
/// are already.
pub fn with_indices(world: &World<'_>, analysis: &Analysis, net: &Net, config: &Config) -> Option<Config> {
    let mut next = config.clone();
    let actions = (0u32..).map(MachineId).zip(&world.network.machines);
    let used = actions.flat_map(|(id, machine)| machine.edges.iter().map(move |edge| (id, &edge.action))).collect();
    let refiner = Refiner { world, analysis, net, used };
    refiner.fold_channels(&mut next);
    let folded = next.clone();
    refiner.tell_received_apart(&mut next);
    if next.constants.values().any(|constants| constants.len() as u64 > MOST_INDICES) {
        next = folded;
    }
    // With a node for each value that was received before, there would be a step for each pair.
    (next != *config).then_some(Config { forgets_dead: true, ..next })
}

/// One kind of refinement.
type Tier<'t> = &'t dyn Fn(&Refiner<'_>, &mut Config);

/// The actions that a combination takes, with their machines.
fn actions<'w>(
    world: &'w World<'_>,
    net: &Net,
    analysis: &Analysis,
    found: &Counterexample,
) -> Vec<(MachineId, &'w Action)> {
    let mut edges = BTreeSet::new();
    for t in found.transitions() {
        let transition = &net.transitions[t as usize];
        let machine = analysis.instances[transition.instance as usize].machine;
        edges.extend(transition.edges.iter().map(|&e| (machine, e)));
    }
    let mut actions = Vec::new();
    for (machine, edge) in edges {
        match &world.network.machine(machine).edges[edge.index()].action {
            Action::Deterministic(body) => {
                actions.extend(body.nodes.iter().flatten().map(|choice| (machine, &choice.action)));
            }
            action => actions.push((machine, action)),
        }
    }
    actions
}

/// Which statements are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tests {
    Conditions,
    All,
}

struct Refiner<'a> {
    world: &'a World<'a>,
    analysis: &'a Analysis,
    net: &'a Net,
    used: Vec<(MachineId, &'a Action)>,
}

impl Refiner<'_> {
    /// Calls `visit` for the places that conditions read; or that also patterns, messages and channels do.
    fn tested(&self, tests: Tests, visit: &mut dyn FnMut(MachineId, &Place)) {
        for &(machine, action) in &self.used {
            let mut reads = |e: &Expr| {
                if let Expr::Read(place) = e {
                    visit(machine, place);
                }
            };
            match action {
                Action::Condition(e) => e.walk(&mut reads),
                _ if tests == Tests::Conditions => {}
                Action::Send { channel, message, .. } => {
                    channel.walk(&mut reads);
                    message.iter().for_each(|e| e.walk(&mut reads));
                }
                Action::Receive { channel, pattern, .. } => {
                    channel.walk(&mut reads);
                    pattern.iter().for_each(|p| p.walk(&mut reads));
                }
                _ => {}
            }
        }
    }

    fn fold_tested(&self, tests: Tests, arrays: bool, config: &mut Config) {
        self.tested(tests, &mut |machine, place| {
            if place.scope == Scope::Local && (arrays || place.indices.is_empty()) {
                self.fold(machine, place, config);
            }
        });
    }

    fn follow_tested(&self, tests: Tests, arrays: bool, config: &mut Config) {
        self.tested(tests, &mut |_, place| {
            if place.scope == Scope::Global && (arrays || place.indices.is_empty()) {
                self.follow(place, config);
            }
        });
    }

    /// The locals that choose an element of an array of channels, where they do not hold too much.
    fn fold_channels(&self, config: &mut Config) {
        for &(machine, action) in &self.used {
            let (Action::Send { channel: Expr::Read(place), .. } | Action::Receive { channel: Expr::Read(place), .. }) =
                action
            else {
                continue;
            };
            for index in &place.indices {
                index.walk(&mut |e| {
                    if let Some(place) = local(e).filter(|place| place.indices.is_empty()) {
                        self.fold_index(machine, place, config);
                    }
                });
            }
        }
    }

    /// Folds a local that chooses an element of an array. It has as many values as elements, once messages are distinguished.
    fn fold_index(&self, machine: MachineId, place: &Place, config: &mut Config) {
        for slot in self.slots(machine, place) {
            let few = count(&self.held(machine, slot)) <= MOST_INDICES;
            if few && !config.unfoldable.contains(&(machine.0, slot)) {
                config.folded.entry(machine.0).or_default().insert(slot);
            }
        }
    }

    /// What a local slot can hold anywhere.
    fn held(&self, machine: MachineId, slot: u32) -> Values {
        let of = |i: &&crate::analysis::InstanceFacts| i.machine == machine;
        let nodes = self.analysis.instances.iter().filter(of).flat_map(|i| &i.nodes);
        let known = nodes.filter_map(|n| n.values.get(slot as usize));
        known.fold(values::nothing(), |a, b| values::join(&a, b))
    }

    /// Everything that the statements read or write.
    fn touched(&self, visit: &mut dyn FnMut(MachineId, &Place)) {
        for &(machine, action) in &self.used {
            action.walk(&mut |e| {
                if let Expr::Read(place) = e {
                    visit(machine, place);
                }
            });
            match action {
                Action::Assign(place, _) => visit(machine, place),
                Action::Receive { pattern, .. } => {
                    for pattern in pattern {
                        if let Pattern::Bind(place) = pattern {
                            visit(machine, place);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn fold_computed(&self, config: &mut Config) {
        self.touched(&mut |machine, place| {
            if place.scope == Scope::Local {
                self.fold(machine, place, config);
            }
        });
    }

    fn follow_all(&self, config: &mut Config) {
        self.touched(&mut |_, place| {
            if place.scope == Scope::Global {
                self.follow(place, config);
            }
        });
    }

    fn count_changed(&self, config: &mut Config) {
        self.touched(&mut |machine, place| {
            for slot in self.slots(machine, place) {
                match place.scope {
                    Scope::Local => {
                        let folded = config.folded.get(&machine.0).is_some_and(|f| f.contains(&slot));
                        if !folded && self.is_number(machine, place) {
                            config.numbers.insert((Some(machine.0), slot));
                        }
                    }
                    Scope::Global => {
                        if self.is_number(machine, place) {
                            config.numbers.insert((None, slot));
                        }
                    }
                }
            }
        });
    }

    fn is_number(&self, machine: MachineId, place: &Place) -> bool {
        let variable = self.world.network.variable(place, machine);
        variable.ty != ScalarType::Channel && !is_smashed(variable)
    }

    /// The slots that a place can mean, as far as its indices are constants.
    fn slots(&self, machine: MachineId, place: &Place) -> Vec<u32> {
        let variables = self.world.network.variables(place.scope, machine);
        let variable = &variables[place.variable.index()];
        let slots = match place.scope {
            Scope::Global => &self.world.globals,
            Scope::Local => &self.world.info(machine).slots,
        };
        if is_smashed(variable) {
            return Vec::new();
        }
        let constant = place.indices.iter().zip(&variable.dimensions).try_fold(0usize, |element, (index, d)| {
            let index = usize::try_from(index.constant()?).ok().filter(|&i| i < d.len as usize)?;
            Some(element * d.len as usize + index)
        });
        let all = match constant {
            Some(element) => element..element + 1,
            None if variable.len() <= MOST_ELEMENTS => 0..variable.len(),
            None => 0..0,
        };
        all.map(|element| slots.slot(variables, place.variable.index(), element) as u32).collect()
    }

    /// Folds a local variable, or counts it if it can hold too much.
    fn fold(&self, machine: MachineId, place: &Place, config: &mut Config) {
        if !self.is_number(machine, place) {
            return;
        }
        for slot in self.slots(machine, place) {
            let small = matches!(self.held(machine, slot), Values::Set(_));
            if small && !config.unfoldable.contains(&(machine.0, slot)) {
                config.folded.entry(machine.0).or_default().insert(slot);
            } else {
                config.numbers.insert((Some(machine.0), slot));
            }
        }
    }

    /// Follows a shared variable, or counts it if it can hold too much.
    fn follow(&self, place: &Place, config: &mut Config) {
        if !self.is_number(MachineId(0), place) {
            return;
        }
        for slot in self.slots(MachineId(0), place) {
            let small = matches!(&self.analysis.facts.globals[slot as usize], Values::Set(s) if s.len() <= MOST_VALUES);
            if small {
                config.followed.insert(slot);
            } else {
                config.numbers.insert((None, slot));
            }
        }
    }

    /// Fields that end up in folded variables: their values are distinguished.
    fn tell_received_apart(&self, config: &mut Config) {
        for &(machine, action) in &self.used {
            let Action::Receive { pattern, .. } = action else { continue };
            let Some(folded) = config.folded.get(&machine.0).cloned() else { continue };
            for (field, pattern) in pattern.iter().enumerate() {
                let Pattern::Bind(place) = pattern else { continue };
                if place.scope != Scope::Local || !self.slots(machine, place).iter().any(|s| folded.contains(s)) {
                    continue;
                }
                for queue in self.taken_by(machine) {
                    self.tell_apart(queue, field, pattern_len(action), config);
                }
            }
        }
    }

    /// Who stores to an element of a shared array that the statements test: which one it is, and what it is received from.
    fn fold_indices(&self, config: &mut Config) {
        let mut arrays = BTreeSet::new();
        self.tested(Tests::Conditions, &mut |_, place| {
            if place.scope == Scope::Global && !place.indices.is_empty() {
                arrays.insert(place.variable);
            }
        });
        for (machine, code) in (0u32..).map(MachineId).zip(&self.world.network.machines) {
            let mut indices = Vec::new();
            let mut received = Vec::new();
            for edge in &code.edges {
                stores(&edge.action, &mut |place| {
                    if place.scope == Scope::Global && arrays.contains(&place.variable) {
                        place.indices.iter().for_each(|e| e.walk(&mut |e| indices.extend(local(e).cloned())));
                    }
                });
                if let Action::Receive { pattern, .. } = &edge.action {
                    let binds = (0usize..).zip(pattern).filter_map(|(field, pattern)| match pattern {
                        Pattern::Bind(place) if place.scope == Scope::Local => {
                            Some((field, pattern_len(&edge.action), place))
                        }
                        _ => None,
                    });
                    received.extend(binds);
                }
            }
            for place in &indices {
                self.fold_index(machine, place, config);
                let same = received.iter().filter(|(.., bound)| bound.variable == place.variable);
                for (field, arity, _) in same {
                    self.taken_by(machine).into_iter().for_each(|queue| self.tell_apart(queue, *field, *arity, config));
                }
            }
        }
    }

    fn tell_apart(&self, queue: u32, field: usize, arity: usize, config: &mut Config) {
        let facts = &self.analysis.facts.queues[queue as usize];
        if facts.constants.len() != arity {
            return;
        }
        let contents = facts.atoms.iter().map(|(_, fields)| &fields[field]);
        let contents = contents.fold(values::nothing(), |a, b| values::join(&a, b));
        let known = config.constants.entry((facts.channel_type.0, field as u32)).or_default();
        match contents {
            Values::Set(numbers) => known.extend(numbers),
            Values::Range(low, high) if count(&contents) <= MOST_INDICES => known.extend(low..=high),
            _ => {}
        }
    }

    /// The queues that processes of a machine take from.
    fn taken_by(&self, machine: MachineId) -> BTreeSet<u32> {
        let mut queues = BTreeSet::new();
        let net = self.net;
        for transition in &net.transitions {
            if self.analysis.instances[transition.instance as usize].machine != machine {
                continue;
            }
            for &(counter, change) in &transition.effects {
                if let (Counter::Message(queue, _) | Counter::Rendezvous(queue, _), true) =
                    (net.counters[counter as usize], change < 0)
                {
                    queues.insert(queue);
                }
            }
        }
        queues
    }

    /// What is new, for people.
    fn words(&self, old: &Config, new: &Config) -> Vec<String> {
        let network = self.world.network;
        let mut words = Vec::new();
        for (&machine, slots) in &new.folded {
            for &slot in slots {
                if !old.folded.get(&machine).is_some_and(|f| f.contains(&slot)) {
                    let machine = &network.machines[machine as usize];
                    let (variable, element) =
                        self.world.info(machine_id(network, machine)).slots.element(slot as usize);
                    let name = machine.variables[variable].element_name(element);
                    words.push(format!("values of `{}:{name}`", machine.name));
                }
            }
        }
        let global = |slot: u32| {
            let (variable, element) = self.world.globals.element(slot as usize);
            network.variables[variable].element_name(element)
        };
        words.extend(new.followed.difference(&old.followed).map(|&s| format!("values of `{}`", global(s))));
        for &(machine, slot) in new.numbers.difference(&old.numbers) {
            match machine {
                None => words.push(format!("changes of `{}`", global(slot))),
                Some(machine) => {
                    let info = &self.world.machines[machine as usize];
                    let (variable, element) = info.slots.element(slot as usize);
                    let machine = &network.machines[machine as usize];
                    let name = machine.variables[variable].element_name(element);
                    words.push(format!("changes of `{}:{name}`", machine.name));
                }
            }
        }
        if new.constants != old.constants {
            words.push(String::from("values of fields of messages"));
        }
        words
    }
}

fn machine_id(network: &model::network::Network, machine: &model::network::Machine) -> MachineId {
    network.machines.iter().position(|m| std::ptr::eq(m, machine)).unwrap_or(0).into()
}

fn local(e: &Expr) -> Option<&Place> {
    match e {
        Expr::Read(place) if place.scope == Scope::Local => Some(place),
        _ => None,
    }
}

/// How many numbers these are.
fn count(values: &Values) -> u64 {
    match values {
        Values::Set(numbers) => numbers.len() as u64,
        Values::Range(low, high) => high.abs_diff(*low).into(),
        Values::Queues(_) | Values::AnyQueue => u64::MAX,
    }
}

fn pattern_len(action: &Action) -> usize {
    match action {
        Action::Receive { pattern, .. } => pattern.len(),
        _ => 0,
    }
}
