//! Sums that no step raises, checked by their definition: see [`model::queue_parts::Weights`].
//!
//! Every process weighs something where it is, and so does every message of some channels. Each edge is looked at
//! alone: it takes its process to another location, adds the heaviest message that it may send, takes away the lightest
//! one that it may receive, and adds a process that it creates. If no edge raises the sum, it is never more than in the
//! beginning, however many processes there are. What is lost, and who vanishes, only lowers it: no weight is negative.
//!
//! A channel has weights if one shared variable holds it from the beginning, and nothing is ever stored there. Another
//! expression may stand for any channel. A message weighs something by its first field.
//!
//! A shared variable has a weight if it starts with a constant, is only counted up and down, and each process has
//! counted up by as much as it is about to count down: the difference, found location by location, is never negative.
//! So what was counted is never negative; and what the type of the variable holds of it is the same, or less.

use crate::Refusal;
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern, Place, Scope, UnaryOp};
use model::formula::{Atom, Connective, Ltl, Modality};
use model::ids::{LocationId, MachineId};
use model::network::{Action, Edge, Initial, Machine, Network, ScalarType};
use model::queue_parts::Weights;
use std::collections::{BTreeMap, BTreeSet};

/// A channel that an expression stands for.
enum Queue {
    /// That of a shared variable.
    Shared(usize),
    /// One that has no weights.
    Other,
    /// Any.
    Unknown,
}

/// A sum that no step raises.
pub(super) struct Sum<'a> {
    weights: &'a Weights,
    messages: BTreeMap<(usize, i32), i128>,
    counters: BTreeMap<usize, i128>,
    /// What it is at most: what it is in the beginning.
    total: i128,
    /// The first fields of messages of a channel, if all are known.
    letters: BTreeMap<usize, Option<BTreeSet<i32>>>,
}

impl<'a> Sum<'a> {
    pub(super) fn read(weights: &'a Weights, network: &Network) -> Result<Sum<'a>, Refusal> {
        let malformed = |why: &str| Err(Refusal::Malformed(format!("a sum {why}")));
        let locations = |(of, machine): (&Vec<u32>, &Machine)| of.len() == machine.locations.len();
        if weights.locations.len() != network.machines.len()
            || !weights.locations.iter().zip(&network.machines).all(locations)
        {
            return malformed("does not have a weight for each location");
        }
        let messages =
            weights.messages.iter().map(|&(channel, letter, weight)| ((channel as usize, letter), weight.into()));
        let messages: BTreeMap<(usize, i32), i128> = messages.collect();
        let counters = weights.counters.iter().map(|&(variable, weight)| (variable as usize, weight.into()));
        let counters: BTreeMap<usize, i128> = counters.collect();
        if messages.len() != weights.messages.len() || counters.len() != weights.counters.len() {
            return malformed("has two weights for a message or a variable");
        }
        let stores = Stores::of(network);
        if messages.keys().any(|&(channel, _)| !stores.is_channel(network, channel)) {
            return malformed("has weights for a channel that is stored to, takes no messages, or is none");
        }
        let mut sum = Sum { weights, messages, counters, total: 0, letters: BTreeMap::new() };
        let initial = |machine: MachineId| {
            i128::from(weights.locations[machine.index()][network.machine(machine).initial.index()])
        };
        sum.total = network.instances.iter().map(|instance| initial(instance.machine)).sum();
        for (&variable, &weight) in &sum.counters {
            sum.total += weight * first_value(network, variable)?;
        }
        for &(channel, _) in sum.messages.keys() {
            sum.letters.entry(channel).or_insert_with(|| stores.letters(network, channel));
        }
        for machine in 0..network.machines.len() {
            sum.is_not_raised(network, machine, &stores)?;
        }
        for &variable in sum.counters.keys() {
            counts_down_what_it_counted_up(network, variable)?;
        }
        Ok(sum)
    }

    fn is_not_raised(&self, network: &Network, machine: usize, stores: &Stores) -> Result<(), Refusal> {
        let (of, weights) = (&network.machines[machine], &self.weights.locations[machine]);
        for (from, location) in of.locations.iter().enumerate() {
            for id in &location.edges {
                let edge = &of.edges[id.index()];
                let raised = i128::from(weights[edge.to.index()]) - i128::from(weights[from])
                    + self.added(network, MachineId::from(machine), &edge.action, stores)?;
                if raised > 0 {
                    let what = format!("a step of `{}` raises a sum", of.name);
                    return Err(Refusal::NotInvariant(what));
                }
            }
        }
        Ok(())
    }

    /// The most that an action adds, beside what it does to the place of its process.
    fn added(&self, network: &Network, machine: MachineId, action: &Action, stores: &Stores) -> Result<i128, Refusal> {
        Ok(match action {
            Action::Skip | Action::Condition(_) | Action::Else | Action::Assert(_) | Action::Print { .. } => 0,
            Action::Observe { .. } | Action::SetPriority(..) | Action::End => 0,
            Action::Send { channel, message, .. } => match stores.queue(network, machine, channel) {
                Queue::Other => 0,
                Queue::Unknown => self.messages.values().copied().max().unwrap_or(0),
                Queue::Shared(channel) => match message.first() {
                    Some(Expr::Const(value)) => self.weight(channel, stored(network, channel, *value)),
                    _ => self.of_channel(channel).max().unwrap_or(0),
                },
            },
            Action::Receive { channel, pattern, mode } if !mode.keep => {
                self.counts(pattern.iter().filter_map(|field| match field {
                    Pattern::Bind(place) => Some(place),
                    _ => None,
                }))?;
                match stores.queue(network, machine, channel) {
                    Queue::Shared(channel) => -self.lightest(channel, pattern.first()),
                    _ => 0,
                }
            }
            Action::Receive { pattern, .. } => {
                self.counts(pattern.iter().filter_map(|field| match field {
                    Pattern::Bind(place) => Some(place),
                    _ => None,
                }))?;
                0
            }
            Action::Assign(place, value) => match self.counter(place) {
                None => 0,
                Some(variable) => {
                    let by = counted(variable, value).ok_or_else(|| not_counted(network, variable))?;
                    self.counters[&variable] * by
                }
            },
            Action::Run { machine, then, .. } => {
                self.counts(then.iter().map(|(place, _)| place))?;
                let initial = network.machine(*machine).initial.index();
                i128::from(self.weights.locations[machine.index()][initial])
            }
            Action::Deterministic(body) => {
                for choice in body.nodes.iter().flatten() {
                    let added = match &choice.action {
                        Action::Assign(place, _) if self.counter(place).is_none() => 0,
                        Action::Assign(..) | Action::Run { .. } | Action::Deterministic(_) => 1,
                        // What it receives is not taken off.
                        action => self.added(network, machine, action, stores)?,
                    };
                    if added > 0 {
                        return Err(Refusal::NotInvariant(String::from("several statements in one step raise a sum")));
                    }
                }
                0
            }
        })
    }

    fn counter(&self, place: &Place) -> Option<usize> {
        let variable = place.variable.index();
        (place.scope == Scope::Global && self.counters.contains_key(&variable)).then_some(variable)
    }

    /// None of these places is a variable that counts.
    fn counts<'p>(&self, mut places: impl Iterator<Item = &'p Place>) -> Result<(), Refusal> {
        match places.any(|place| self.counter(place).is_some()) {
            true => Err(Refusal::Malformed(String::from("a sum has a weight for a variable that is stored to"))),
            false => Ok(()),
        }
    }

    fn weight(&self, channel: usize, letter: i32) -> i128 {
        self.messages.get(&(channel, letter)).copied().unwrap_or(0)
    }

    fn of_channel(&self, channel: usize) -> impl Iterator<Item = i128> + '_ {
        self.messages.range((channel, i32::MIN)..=(channel, i32::MAX)).map(|(_, &weight)| weight)
    }

    /// The least that a message of a channel weighs, if its first field is as it is received.
    fn lightest(&self, channel: usize, first: Option<&Pattern>) -> i128 {
        if let Some(Pattern::Match(Expr::Const(value))) = first {
            return self.weight(channel, *value);
        }
        match self.letters.get(&channel) {
            Some(Some(letters)) => letters.iter().map(|&letter| self.weight(channel, letter)).min().unwrap_or(0),
            _ => 0,
        }
    }

    /// Keeps those of the locations where machines may be that the sum allows, if these messages are in channels. There
    /// is one process of each machine. Whether any was dropped.
    pub(super) fn narrow(&self, locations: &mut [BTreeSet<u32>], heads: &BTreeMap<usize, Option<u32>>) -> bool {
        let weight = |machine: usize, at: u32| i128::from(self.weights.locations[machine][at as usize]);
        let least =
            |(machine, of): (usize, &BTreeSet<u32>)| of.iter().map(|&at| weight(machine, at)).min().unwrap_or(0);
        let least: Vec<i128> = locations.iter().enumerate().map(least).collect();
        let letter = |(&channel, head): (&usize, &Option<u32>)| {
            head.and_then(|letter| i32::try_from(letter).ok()).map_or(0, |letter| self.weight(channel, letter))
        };
        let rest = self.total - least.iter().sum::<i128>() - heads.iter().map(letter).sum::<i128>();
        let mut changed = false;
        for (machine, of) in locations.iter_mut().enumerate() {
            let before = of.len();
            of.retain(|&at| weight(machine, at) - least[machine] <= rest);
            changed |= of.len() < before;
        }
        changed
    }

    /// What the length of a channel, or a variable, is at most.
    fn bound(&self, what: &Counted) -> Option<i128> {
        let weight = match *what {
            Counted::Messages(channel) => self.lightest(channel, None),
            Counted::Variable(variable) => self.counters.get(&variable).copied().unwrap_or(0),
        };
        (weight > 0).then(|| self.total / weight)
    }
}

/// What is stored where, outside of initial values.
pub(super) struct Stores {
    /// Of machines, or shared.
    places: BTreeSet<(Option<MachineId>, usize)>,
}

impl Stores {
    pub(super) fn of(network: &Network) -> Stores {
        let mut places = BTreeSet::new();
        for (number, machine) in network.machines.iter().enumerate() {
            let mut store = |place: &Place| {
                let of = (place.scope == Scope::Local).then_some(MachineId::from(number));
                places.insert((of, place.variable.index()));
            };
            machine.edges.iter().for_each(|edge| stored_by(&edge.action, &mut store));
        }
        Stores { places }
    }

    /// Whether a shared variable always has the same channel, which holds messages.
    fn is_channel(&self, network: &Network, variable: usize) -> bool {
        network.variables.get(variable).is_some_and(|declared| match declared.initial {
            Initial::NewChannel(ty) => {
                declared.dimensions.is_empty()
                    && !network.channel_types[ty.index()].is_rendezvous()
                    && !self.places.contains(&(None, variable))
            }
            _ => false,
        })
    }

    fn queue(&self, network: &Network, machine: MachineId, channel: &Expr) -> Queue {
        let Expr::Read(place) = channel else { return Queue::Unknown };
        let (variable, of) = (place.variable.index(), (place.scope == Scope::Local).then_some(machine));
        let declared = network.variables(place.scope, machine).get(variable);
        let is_own = declared.is_some_and(|declared| matches!(declared.initial, Initial::NewChannel(_)));
        if !is_own || self.places.contains(&(of, variable)) {
            return Queue::Unknown;
        }
        match of.is_none() && self.is_channel(network, variable) {
            true => Queue::Shared(variable),
            false => Queue::Other,
        }
    }

    /// The first fields of all messages that are ever sent to a channel, if they are known.
    fn letters(&self, network: &Network, channel: usize) -> Option<BTreeSet<i32>> {
        let mut letters = BTreeSet::new();
        let mut known = true;
        for (number, machine) in network.machines.iter().enumerate() {
            let mut look = |action: &Action| {
                let Action::Send { channel: to, message, .. } = action else { return };
                match (self.queue(network, MachineId::from(number), to), message.first()) {
                    (Queue::Shared(to), Some(Expr::Const(value))) if to == channel => {
                        letters.insert(stored(network, channel, *value));
                    }
                    (Queue::Shared(to), _) => known &= to != channel,
                    (Queue::Other, _) => {}
                    (Queue::Unknown, _) => known = false,
                }
            };
            for Edge { action, .. } in &machine.edges {
                look(action);
                if let Action::Deterministic(body) = action {
                    body.nodes.iter().flatten().for_each(|choice| look(&choice.action));
                }
            }
        }
        known.then_some(letters)
    }
}

fn stored_by(action: &Action, store: &mut dyn FnMut(&Place)) {
    match action {
        Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => store(place),
        Action::Receive { pattern, .. } => pattern.iter().for_each(|field| {
            if let Pattern::Bind(place) = field {
                store(place);
            }
        }),
        Action::Deterministic(body) => {
            body.nodes.iter().flatten().for_each(|choice| stored_by(&choice.action, store));
        }
        _ => {}
    }
}

/// A value as the first field of a message.
fn stored(network: &Network, channel: usize, value: i32) -> i32 {
    let Initial::NewChannel(ty) = network.variables[channel].initial else { return value };
    network.channel_types[ty.index()].fields.first().map_or(value, |field| field.truncate(value))
}

/// What a shared variable starts with.
fn first_value(network: &Network, variable: usize) -> Result<i128, Refusal> {
    let declared = network.variables.get(variable).filter(|declared| declared.dimensions.is_empty());
    let value = declared.and_then(|declared| match &declared.initial {
        Initial::Zero => Some(0),
        Initial::Value(Expr::Const(value)) => Some(declared.ty.truncate(*value)),
        _ => None,
    });
    value.filter(|value| *value >= 0).map(i128::from).ok_or_else(|| {
        Refusal::Malformed(String::from("a sum has a weight for a variable that does not start with a constant"))
    })
}

/// By how much a value is more than the variable that it is stored to.
fn counted(variable: usize, value: &Expr) -> Option<i128> {
    let is_itself =
        |e: &Expr| matches!(e, Expr::Read(place) if place.scope == Scope::Global && place.variable.index() == variable);
    match value {
        Expr::Binary(BinaryOp::Add, e, by) if is_itself(e) => by.constant().map(i128::from),
        Expr::Binary(BinaryOp::Sub, e, by) if is_itself(e) => by.constant().map(|by| -i128::from(by)),
        _ => None,
    }
}

fn not_counted(network: &Network, variable: usize) -> Refusal {
    Refusal::Malformed(format!("`{}` is not only counted up and down", network.variables[variable].name))
}

/// No process takes more from a variable than it has added to it.
fn counts_down_what_it_counted_up(network: &Network, variable: usize) -> Result<(), Refusal> {
    let is_counter = |place: &Place| place.scope == Scope::Global && place.variable.index() == variable;
    for machine in &network.machines {
        let mut balances: BTreeMap<LocationId, i128> = BTreeMap::from([(machine.initial, 0)]);
        let mut work = vec![machine.initial];
        while let Some(from) = work.pop() {
            for edge in machine.locations[from.index()].edges.iter().map(|id| &machine.edges[id.index()]) {
                let by = match &edge.action {
                    Action::Assign(place, value) if is_counter(place) => counted(variable, value),
                    _ => Some(0),
                };
                let after = balances[&from] + by.ok_or_else(|| not_counted(network, variable))?;
                let known = *balances.entry(edge.to).or_insert_with(|| {
                    work.push(edge.to);
                    after
                });
                if known != after || after < 0 {
                    let what =
                        format!("a process may take more from `{}` than it added", network.variables[variable].name);
                    return Err(Refusal::NotInvariant(what));
                }
            }
        }
    }
    Ok(())
}

/// What a formula says is at most some number.
enum Counted {
    Messages(usize),
    Variable(usize),
}

/// Whether sums prove a formula `[] p`; `None` if `p` is not about what lengths of channels, or variables, are at most.
pub(super) fn prove(network: &Network, formula: &Ltl, sums: &[Sum<'_>]) -> Option<bool> {
    let Ltl::Unary(Modality::Always, body) = formula else { return None };
    let mut bounds = Vec::new();
    of_formula(network, body, true, &mut bounds)?;
    let holds =
        |(what, most): &(Counted, i128)| sums.iter().filter_map(|sum| sum.bound(what)).any(|bound| bound <= *most);
    Some(bounds.iter().all(holds))
}

/// Bounds that a formula, or its negation, follows from.
fn of_formula(network: &Network, formula: &Ltl, holds: bool, bounds: &mut Vec<(Counted, i128)>) -> Option<()> {
    match formula {
        Ltl::Unary(Modality::Not, inner) => of_formula(network, inner, !holds, bounds),
        Ltl::Binary(Connective::And, left, right) if holds => {
            of_formula(network, left, holds, bounds)?;
            of_formula(network, right, holds, bounds)
        }
        Ltl::Binary(Connective::Or, left, right) if !holds => {
            of_formula(network, left, holds, bounds)?;
            of_formula(network, right, holds, bounds)
        }
        Ltl::Atom(atom, _) => match &**atom {
            Atom::State(e) => of_expression(network, e, holds, bounds),
            Atom::Event(_) => None,
        },
        _ => None,
    }
}

fn of_expression(network: &Network, e: &Expr, holds: bool, bounds: &mut Vec<(Counted, i128)>) -> Option<()> {
    match e {
        Expr::Unary(UnaryOp::Not, inner) => return of_expression(network, inner, !holds, bounds),
        Expr::Binary(BinaryOp::And, left, right) if holds => {
            of_expression(network, left, holds, bounds)?;
            return of_expression(network, right, holds, bounds);
        }
        Expr::Binary(BinaryOp::Or, left, right) if !holds => {
            of_expression(network, left, holds, bounds)?;
            return of_expression(network, right, holds, bounds);
        }
        _ => {}
    }
    bounds.push(match (e, holds) {
        (Expr::Binary(BinaryOp::LessEqual, what, most), true)
        | (Expr::Binary(BinaryOp::Greater, what, most), false) => (counted_in(network, what)?, most.constant()?.into()),
        (Expr::Binary(BinaryOp::Less, what, most), true)
        | (Expr::Binary(BinaryOp::GreaterEqual, what, most), false) => {
            (counted_in(network, what)?, i128::from(most.constant()?) - 1)
        }
        (Expr::Binary(BinaryOp::Equal, what, most), true) | (Expr::Binary(BinaryOp::NotEqual, what, most), false)
            if most.constant() == Some(0) =>
        {
            (counted_in(network, what)?, 0)
        }
        (Expr::Channel(ChannelTest::Empty, channel), true) | (Expr::Channel(ChannelTest::NotEmpty, channel), false) => {
            (Counted::Messages(shared(channel)?), 0)
        }
        _ => return None,
    });
    Some(())
}

fn counted_in(network: &Network, e: &Expr) -> Option<Counted> {
    match e {
        Expr::Channel(ChannelTest::Len, channel) => Some(Counted::Messages(shared(channel)?)),
        e => shared(e).filter(|&variable| network.variables[variable].ty != ScalarType::Channel).map(Counted::Variable),
    }
}

fn shared(e: &Expr) -> Option<usize> {
    match e {
        Expr::Read(place) if place.scope == Scope::Global && place.indices.is_empty() => Some(place.variable.index()),
        _ => None,
    }
}
