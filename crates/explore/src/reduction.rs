//! Partial-order reduction: where one process can move first without loss, only that one moves.
//!
//! Steps of different processes that touch different things can be taken in either order. In a state in which all
//! steps of one process are independent of everything that the others may do before it moves, it is enough to look at that
//! process (Peled's ample sets; Godefroid's persistent sets). The steps that matter for the property must not be among
//! them, and no process may be put off for ever.
//!
//! * **Independence.** What the edges of a location touch (`access.rs`) is compared with what every other process can touch *from
//!   where it is on*, with processes that it may create. Channels and array elements are told apart where the expressions that name
//!   them are fixed for a process: parameters, `_pid`. A send and a receive on the two ends of a channel are independent, as
//!   long as neither can enable another statement of the same location, nor disable one: beside an `else` or an escape, and in a
//!   deterministic step, a send or a receive is a test of the channel as well.
//! * **Visibility.** A location is left out if its edges write what a formula reads, or enter or leave a label that it
//!   names, or are an event of it.
//! * **Nobody is put off for ever.** A search that knows its states lets a process move alone only if that leads to a state
//!   that is still to be expanded (breadth-first, for errors and deadlocks), or to none that is still open (depth-first,
//!   for infinite runs). A search for cycles without progress needs no such care: see `progress.rs`. One that does not know them uses that in every cycle some process goes round a loop of its control
//!   flow: edges that close such loops are never taken alone ([`Choice::closing`]). Each of these is enough by itself; half
//!   of one and half of the other is not.
//!
//! Not for models that look into other processes (`P@label`, `P:x`, `enabled`, `pc_value`, `_last`, priorities,
//! `provided`, `np_`), and not for lossy channels. `timeout` does no harm: while a process can move, it is false.

mod access;

use access::{Access, MachineAccess, Object, Stability, Use};
use model::event::Event;
use model::expr::{Expr, Scope};
use model::formula::Atom;
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, Initial, Location, Machine, Network};
use model::semantics::{Reading, Semantics, Stepper};
use model::verdict::Limits;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// When states are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Never: every state is visited.
    Off,
    /// Once there are many states: small models are visited as a whole, so that runs are shortest and numbers mean
    /// something.
    #[default]
    Auto,
    /// Wherever it is possible.
    On,
}

/// With [`Mode::Auto`], so many states are visited before some are left out.
pub const WHOLE: u64 = 100_000;

/// Whether leaving out states is worth its price, given in how many states one process moved alone.
pub fn pays(alone: u64, states: u64) -> bool {
    alone * 20 >= states
}

/// How large a search was.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// States in which one process moved alone.
    pub alone: u64,
    /// All states.
    pub states: u64,
    /// The search ended because there may be no more.
    pub full: bool,
}

/// Searches as the mode says. With [`Mode::Auto`] first as a whole, then with a try at leaving states out, then in the
/// way that is better.
pub fn gradually<F>(mode: Mode, limits: Limits, search: &dyn Fn(bool, Limits) -> F, tally: &dyn Fn(&F) -> Tally) -> F {
    if mode != Mode::Auto {
        return search(mode == Mode::On, limits);
    }
    let fits = |most: u64| limits.states.is_none_or(|limit| most < limit);
    let mut pays_off = false;
    for (reduce, most) in [(false, WHOLE), (true, 2 * WHOLE)].into_iter().filter(|(_, most)| fits(*most)) {
        let found = search(reduce, Limits { states: Some(most), ..limits });
        let Tally { alone, states, full } = tally(&found);
        pays_off = pays(alone, states);
        if !full {
            return found;
        }
    }
    search(pays_off, limits)
}

/// Labels of processes that a property looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Labels {
    /// None.
    None,
    /// Those of acceptance.
    Acceptance,
    /// Those of progress.
    Progress,
}

/// A process that may move alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The process.
    pub process: u32,
    /// Its step may close a loop of its control flow.
    pub closing: bool,
}

/// Says which process can move alone.
#[derive(Debug)]
pub struct Reduction<'n> {
    network: &'n Network,
    reading: Reading,
    stability: Stability,
    machines: Vec<MachineAccess>,
    /// Per machine and location: what does not depend on the process.
    places: Vec<Vec<Place>>,
    /// What the property looks at.
    visible: Visible,
    /// Numbers of what can be done to objects.
    bits: HashMap<Bit, usize>,
    /// Per process number: who it was the last time.
    last: Vec<Option<(Identity, usize)>>,
    identities: HashMap<Identity, usize>,
    /// Per identity and location: what its edges rule out, and what it can do from there on.
    resolved: Vec<Vec<Option<Resolved>>>,
    /// Of the state at hand: identity and location of every process.
    current: Vec<(usize, LocationId)>,
}

/// A process, as far as objects are named by it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Identity {
    process: usize,
    machine: MachineId,
    values: Vec<i32>,
}

/// Something done to an object; `None` for any channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Bit {
    Variable(VariableId, usize, Use),
    Channel(Option<usize>, Use),
    Processes(Use),
}

/// What is known of a location without its process.
#[derive(Clone, Debug, Default)]
struct Place {
    /// The edges of a move that starts here: first those of the location, then those of atomic sequences.
    first: Vec<usize>,
    later: Vec<usize>,
    closing: bool,
    /// It enters or leaves a label that the property names, or writes a local variable that it reads.
    visible: bool,
}

#[derive(Debug)]
struct Resolved {
    /// The process cannot move alone from here.
    never: bool,
    rules_out: Bits,
    far: Bits,
}

type Bits = Vec<u64>;

/// What a property looks at.
#[derive(Debug, Default)]
struct Visible {
    variables: HashSet<VariableId>,
    /// Channels whose contents or exchanges matter; all of them, if one is not named directly.
    channels: HashSet<usize>,
    all_channels: bool,
    processes: bool,
    locations: HashSet<(MachineId, LocationId)>,
    locals: HashSet<(MachineId, VariableId)>,
}

/// An array with more elements than this is one object.
const MOST_ELEMENTS: usize = 64;

impl<'n> Reduction<'n> {
    /// For a model and what a property looks at; `None` if nothing may be left out.
    pub fn new(semantics: &Semantics<'n>, atoms: &[Atom], labels: Labels) -> Option<Reduction<'n>> {
        let network = semantics.network();
        let looks_into_others = |e: &Expr| {
            matches!(
                e,
                Expr::Enabled(_)
                    | Expr::ProgramCounter(_)
                    | Expr::Priority(_)
                    | Expr::NonProgress
                    | Expr::LastMover
                    | Expr::At { .. }
                    | Expr::Remote { .. }
            )
        };
        if network.uses_priorities
            || network.uses_last_mover
            || network.any_expression(&looks_into_others)
            || network.machines.iter().any(|machine| machine.provided.is_some())
            || network.channel_types.iter().any(|channel| channel.lossy)
        {
            return None;
        }
        let stability = Stability::new(network);
        let mut visible = Visible::new(network, &stability, atoms)?;
        visible.add_labels(network, labels);
        let ids = (0..network.machines.len()).map(MachineId::from);
        let machines = ids.map(|id| MachineAccess::new(network, id, &stability)).collect();
        let mut reduction = Reduction {
            network,
            reading: semantics.reading(),
            stability,
            machines,
            places: Vec::new(),
            visible,
            bits: HashMap::new(),
            last: Vec::new(),
            identities: HashMap::new(),
            resolved: Vec::new(),
            current: Vec::new(),
        };
        let ids = (0..network.machines.len()).map(MachineId::from);
        reduction.places = ids.map(|id| reduction.places_of(id)).collect();
        Some(reduction)
    }

    /// The processes that may move alone in the state that is loaded; whether they can move at all is not looked at.
    pub fn choices(&mut self, stepper: &Stepper<'_>, choices: &mut Vec<Choice>) {
        choices.clear();
        self.look_at(stepper);
        for process in 0..self.current.len() {
            if self.is_alone(process) {
                let (machine, location) = stepper.loaded_place(process);
                let closing = self.places[machine.index()][location.index()].closing;
                choices.push(Choice { process: process as u32, closing });
            }
        }
        choices.sort_by_key(|choice| choice.closing);
    }

    /// Finds out who the processes are and where they are.
    fn look_at(&mut self, stepper: &Stepper<'_>) {
        self.current.clear();
        for process in 0..stepper.loaded_processes() {
            let (machine, location) = stepper.loaded_place(process);
            let identity = self.identity(stepper, process, machine);
            if self.resolved[identity][location.index()].is_none() {
                let resolved = self.resolve(stepper, process, machine, location);
                self.resolved[identity][location.index()] = Some(resolved);
            }
            self.current.push((identity, location));
        }
    }

    fn identity(&mut self, stepper: &Stepper<'_>, process: usize, machine: MachineId) -> usize {
        if self.last.len() <= process {
            self.last.resize(process + 1, None);
        }
        let stable = &self.machines[machine.index()].stable;
        let variables = &self.network.machine(machine).variables;
        let values = stable.iter().flat_map(|&id| (0..variables[id.index()].len()).map(move |element| (id, element)));
        let mut values = values.map(|(id, element)| stepper.loaded_local(process, id, element));
        if let Some((known, id)) = &self.last[process]
            && known.machine == machine
            && values.clone().eq(known.values.iter().copied())
        {
            return *id;
        }
        let identity = Identity { process, machine, values: values.by_ref().collect() };
        let next = self.identities.len();
        let id = *self.identities.entry(identity.clone()).or_insert(next);
        if id == next {
            let locations = self.network.machine(machine).locations.len();
            self.resolved.push((0..locations).map(|_| None).collect());
        }
        self.last[process] = Some((identity, id));
        id
    }

    fn at(&self, process: usize) -> Option<&Resolved> {
        let (identity, location) = self.current[process];
        self.resolved[identity][location.index()].as_ref()
    }

    /// Nothing that the others may do has to do with what this process does next.
    fn is_alone(&self, process: usize) -> bool {
        let Some(own) = self.at(process).filter(|own| !own.never) else { return false };
        own.rules_out.is_empty()
            || (0..self.current.len()).filter(|&other| other != process).all(|other| {
                self.at(other).is_some_and(|other| own.rules_out.iter().zip(&other.far).all(|(a, b)| a & b == 0))
            })
    }

    // --- locations --------------------------------------------------------------------------------

    fn places_of(&self, id: MachineId) -> Vec<Place> {
        let machine = self.network.machine(id);
        let closing = closing_edges(machine);
        (0..machine.locations.len())
            .map(|location| {
                let mut place = Place::default();
                place.first.extend(machine.locations[location].edges.iter().map(|edge| edge.index()));
                place.later = later_edges(machine, &place.first);
                let all = || place.first.iter().chain(&place.later);
                let closes = all().any(|edge| closing.contains(edge));
                let visible = all().any(|&edge| self.is_visible_edge(id, edge));
                Place { closing: closes, visible, ..place }
            })
            .collect()
    }

    fn is_visible_edge(&self, id: MachineId, edge: usize) -> bool {
        let taken = &self.network.machine(id).edges[edge];
        let at = |location| self.visible.locations.contains(&(id, location));
        let locals = &self.machines[id.index()].locals[edge];
        at(taken.from) || at(taken.to) || locals.iter().any(|&local| self.visible.locals.contains(&(id, local)))
    }

    // --- objects ----------------------------------------------------------------------------------

    fn bit(&mut self, bit: Bit) -> usize {
        let next = self.bits.len();
        *self.bits.entry(bit).or_insert(next)
    }

    fn resolve(&mut self, stepper: &Stepper<'_>, process: usize, machine: MachineId, location: LocationId) -> Resolved {
        let far = self.far(stepper, process, machine, location);
        let place = self.places[machine.index()][location.index()].clone();
        let mut rules_out = BTreeSet::new();
        let mut never = place.visible;
        let simple = self.simple(machine, &place);
        for (edges, inner) in [(&place.first, false), (&place.later, true)] {
            let accesses: BTreeSet<usize> =
                edges.iter().flat_map(|&edge| self.machines[machine.index()].edges[edge].iter().copied()).collect();
            for access in accesses {
                let access = self.machines[machine.index()].accesses[access].clone();
                let simple = !inner && simple.contains(&access.how);
                never |= !self.rule_out(stepper, process, machine, &access, simple, &mut rules_out);
            }
        }
        Resolved { never, rules_out: self.pack(&rules_out), far }
    }

    /// The uses of channels at a location that others cannot enable: a single send, or receives from one channel only.
    fn simple(&self, machine: MachineId, place: &Place) -> Vec<Use> {
        let edges: Vec<&Action> =
            place.first.iter().map(|&edge| &self.network.machine(machine).edges[edge].action).collect();
        let mut simple = Vec::new();
        if self.reading == Reading::Unbounded
            || matches!(edges[..], [Action::Send { .. }]) && self.reading == Reading::Declared
        {
            simple.push(Use::Send);
        }
        let plain = |action: &&Action| {
            let (Action::Receive { channel, mode, .. }, Some(Action::Receive { channel: first, .. })) =
                (action, edges.first())
            else {
                return false;
            };
            channel.clone().without_places() == first.clone().without_places() && !mode.anywhere
        };
        if edges.iter().all(plain) || matches!(edges[..], [Action::Receive { .. }]) {
            simple.push(Use::Take);
        }
        simple
    }

    /// What others must not do if this is to be independent of it; `false` if it cannot be told.
    fn rule_out(
        &mut self,
        stepper: &Stepper<'_>,
        process: usize,
        machine: MachineId,
        access: &Access,
        simple: bool,
        rules_out: &mut BTreeSet<Bit>,
    ) -> bool {
        match &access.object {
            Object::Variable(variable, _) => {
                if access.how == Use::Write && self.visible.variables.contains(variable) {
                    return false;
                }
                let against: &[Use] = if access.how == Use::Write { &[Use::Read, Use::Write] } else { &[Use::Write] };
                for element in self.elements(stepper, process, machine, &access.object) {
                    rules_out.extend(against.iter().map(|&how| Bit::Variable(*variable, element, how)));
                }
                true
            }
            Object::Channel(channel) => {
                let Some(queue) = self.queue(stepper, process, machine, &access.object) else { return false };
                if stepper.loaded_is_rendezvous(queue) != Some(false)
                    || self.visible.is_channel(queue) && access.how != Use::Test
                {
                    return false;
                }
                let against: &[Use] = match access.how {
                    Use::Send if simple => &[Use::Send, Use::Sort, Use::Test],
                    Use::Take if simple => &[Use::Take, Use::Sort, Use::Test],
                    Use::Test => &[Use::Send, Use::Sort, Use::Take],
                    _ => &[Use::Send, Use::Sort, Use::Take, Use::Test],
                };
                let escapes = self.escapes(channel);
                for &how in against {
                    rules_out.insert(Bit::Channel(Some(queue), how));
                    if escapes {
                        rules_out.insert(Bit::Channel(None, how));
                    }
                }
                true
            }
            Object::Processes => {
                let against: &[Use] = match access.how {
                    Use::Run => &[Use::Run, Use::End, Use::Count],
                    Use::End => &[Use::Run, Use::Count],
                    _ => &[Use::Run, Use::End],
                };
                rules_out.extend(against.iter().map(|&how| Bit::Processes(how)));
                !(self.visible.processes && access.how != Use::Count)
            }
        }
    }

    /// Everything that a process can do from a location on, and those that it may create.
    fn far(&mut self, stepper: &Stepper<'_>, process: usize, machine: MachineId, location: LocationId) -> Bits {
        let mut bits = BTreeSet::new();
        let gathered = &self.machines[machine.index()];
        let accesses: Vec<Access> =
            gathered.far(location).iter().map(|&index| gathered.accesses[index].clone()).collect();
        for access in &accesses {
            let known = self.stability.is_fixed(&access.object, machine, self.network).then_some(process);
            self.add_far(stepper, known, machine, access, &mut bits);
        }
        let mut created: BTreeSet<MachineId> = gathered_creates(&self.machines, machine, location);
        let mut work: Vec<MachineId> = created.iter().copied().collect();
        while let Some(id) = work.pop() {
            let initial = self.network.machine(id).initial;
            for more in gathered_creates(&self.machines, id, initial) {
                if created.insert(more) {
                    work.push(more);
                }
            }
        }
        for id in created {
            for access in self.machines[id.index()].accesses.clone() {
                self.add_far(stepper, None, id, &access, &mut bits);
            }
        }
        self.pack(&bits)
    }

    /// Adds what an access can mean; `process` is known where it means one thing.
    fn add_far(
        &mut self,
        stepper: &Stepper<'_>,
        process: Option<usize>,
        machine: MachineId,
        access: &Access,
        bits: &mut BTreeSet<Bit>,
    ) {
        match &access.object {
            Object::Variable(variable, indices) => {
                let elements = match process {
                    Some(process) => self.elements(stepper, process, machine, &access.object),
                    None if indices.iter().all(|index| index.constant().is_some()) => {
                        self.elements(stepper, usize::MAX, machine, &access.object)
                    }
                    None => self.all_elements(*variable),
                };
                bits.extend(elements.into_iter().map(|e| Bit::Variable(*variable, e, access.how)));
            }
            Object::Channel(channel) => {
                let named = process.and_then(|process| self.queue(stepper, process, machine, &access.object));
                match named {
                    Some(queue) => drop(bits.insert(Bit::Channel(Some(queue), access.how))),
                    None => bits.extend(self.queues_of(channel).into_iter().map(|q| Bit::Channel(q, access.how))),
                }
            }
            Object::Processes => drop(bits.insert(Bit::Processes(access.how))),
        }
    }

    /// The elements of a shared variable that a process means.
    fn elements(&self, stepper: &Stepper<'_>, process: usize, machine: MachineId, object: &Object) -> Vec<usize> {
        let Object::Variable(variable, indices) = object else { return Vec::new() };
        let declared = &self.network.variables[variable.index()];
        if declared.len() > MOST_ELEMENTS {
            return vec![0];
        }
        if !self.stability.is_fixed(object, machine, self.network) {
            return self.all_elements(*variable);
        }
        let mut element = 0;
        for (index, dimension) in indices.iter().zip(&declared.dimensions) {
            let value = match index.constant() {
                Some(value) => Some(value),
                None if process == usize::MAX => None,
                None => stepper.loaded_value(process, index),
            };
            match value.and_then(|value| usize::try_from(value).ok()).filter(|&value| value < dimension.len as usize) {
                Some(value) => element = element * dimension.len as usize + value,
                None => return self.all_elements(*variable),
            }
        }
        vec![element]
    }

    fn all_elements(&self, variable: VariableId) -> Vec<usize> {
        let len = self.network.variables[variable.index()].len();
        if len > MOST_ELEMENTS { vec![0] } else { (0..len).collect() }
    }

    /// The queue that a process means, if it always means the same one.
    fn queue(&self, stepper: &Stepper<'_>, process: usize, machine: MachineId, object: &Object) -> Option<usize> {
        let Object::Channel(channel) = object else { return None };
        let fixed = self.stability.is_fixed(object, machine, self.network);
        let value = fixed.then(|| stepper.loaded_value(process, channel)).flatten()?;
        usize::try_from(value).ok()?.checked_sub(1)
    }

    /// The queues that an expression can mean: those of a shared variable that nobody assigns, or any.
    fn queues_of(&self, channel: &Expr) -> Vec<Option<usize>> {
        match channel {
            Expr::Read(place) if place.scope == Scope::Global && !self.stability.is_assigned(place.variable) => {
                network_queues(self.network, place.variable).map(Some).collect()
            }
            _ => vec![None],
        }
    }

    /// A reference to the channel may be in a message or in a variable.
    fn escapes(&self, channel: &Expr) -> bool {
        match channel {
            Expr::Read(place) if place.scope == Scope::Global => self.stability.escaping.contains(&place.variable),
            _ => true,
        }
    }

    fn pack(&mut self, bits: &BTreeSet<Bit>) -> Bits {
        let mut packed = Vec::new();
        for bit in bits {
            let index = self.bit(*bit);
            if packed.len() <= index / 64 {
                packed.resize(index / 64 + 1, 0);
            }
            packed[index / 64] |= 1 << (index % 64);
        }
        packed
    }
}

fn gathered_creates(machines: &[MachineAccess], machine: MachineId, location: LocationId) -> BTreeSet<MachineId> {
    machines[machine.index()].creates[location.index()].clone()
}

/// The queues that the elements of a shared variable start with.
fn network_queues(network: &Network, variable: VariableId) -> Range<usize> {
    let is_own = |v: &&model::network::Variable| matches!(v.initial, Initial::NewChannel(_));
    let first = network.variables[..variable.index()].iter().filter(is_own).map(|v| v.len()).sum();
    let declared = &network.variables[variable.index()];
    first..first + if is_own(&declared) { declared.len() } else { 0 }
}

/// The edges of atomic sequences that start with one of these edges, without them.
fn later_edges(machine: &Machine, first: &[usize]) -> Vec<usize> {
    let mut later = BTreeSet::new();
    let mut work: Vec<usize> = first.to_vec();
    while let Some(edge) = work.pop() {
        let edge = &machine.edges[edge];
        if !edge.atomic {
            continue;
        }
        for next in machine.locations[edge.to.index()].edges.iter().map(|next| next.index()) {
            if later.insert(next) {
                work.push(next);
            }
        }
    }
    later.into_iter().collect()
}

/// Edges without which the control flow has no loop: those that lead back on a depth-first search.
fn closing_edges(machine: &Machine) -> HashSet<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Colour {
        New,
        Open,
        Done,
    }
    let mut colours = vec![Colour::New; machine.locations.len()];
    let mut closing = HashSet::new();
    for root in std::iter::once(machine.initial.index()).chain(0..machine.locations.len()) {
        if colours[root] != Colour::New {
            continue;
        }
        colours[root] = Colour::Open;
        let mut path = vec![(root, 0)];
        while let Some((location, next)) = path.last_mut() {
            let Some(edge) = machine.locations[*location].edges.get(*next) else {
                colours[*location] = Colour::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let to = machine.edges[edge.index()].to.index();
            match colours.get(to) {
                Some(Colour::New) => {
                    colours[to] = Colour::Open;
                    path.push((to, 0));
                }
                Some(Colour::Open) => drop(closing.insert(edge.index())),
                Some(Colour::Done) | None => {}
            }
        }
    }
    closing
}

impl Visible {
    /// What atoms look at; `None` if it is more than can be said.
    fn new(network: &Network, stability: &Stability, atoms: &[Atom]) -> Option<Visible> {
        let mut visible = Visible::default();
        for atom in atoms {
            match atom {
                Atom::State(e) => visible.expression(network, stability, e)?,
                Atom::Event(Event::Message { channel, .. }) => visible.named(network, channel)?,
                Atom::Event(Event::Reaches { machine, locations }) => {
                    visible.locations.extend(locations.iter().map(|&location| (*machine, location)));
                }
            }
        }
        Some(visible)
    }

    fn expression(&mut self, network: &Network, stability: &Stability, e: &Expr) -> Option<()> {
        let mut known = true;
        e.walk(&mut |part| match part {
            Expr::Read(place) => drop(self.variables.insert(place.variable)),
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => self.channel(network, stability, channel),
            Expr::ProcessCount => self.processes = true,
            Expr::At { machine, location, .. } => {
                self.processes = true;
                self.locations.insert((*machine, *location));
            }
            Expr::Remote { machine, variable, .. } => {
                self.processes = true;
                self.locals.insert((*machine, *variable));
            }
            Expr::Timeout
            | Expr::LastMover
            | Expr::Enabled(_)
            | Expr::ProgramCounter(_)
            | Expr::Priority(_)
            | Expr::NonProgress => known = false,
            _ => {}
        });
        known.then_some(())
    }

    fn channel(&mut self, network: &Network, stability: &Stability, channel: &Expr) {
        if let Expr::Read(place) = channel
            && place.scope == Scope::Global
            && !stability.is_assigned(place.variable)
        {
            let queues = network_queues(network, place.variable);
            self.all_channels |= queues.is_empty();
            self.channels.extend(queues);
        } else {
            self.all_channels = true;
        }
    }

    /// Labels, too.
    fn add_labels(&mut self, network: &Network, labels: Labels) {
        let is_one = |location: &Location| match labels {
            Labels::None => false,
            Labels::Acceptance => location.accept,
            Labels::Progress => location.progress,
        };
        for (index, machine) in network.machines.iter().enumerate() {
            let labelled = machine.locations.iter().enumerate().filter(|(_, location)| is_one(location));
            for (at, _) in labelled {
                self.locations.insert((MachineId::from(index), LocationId::from(at)));
                // A process that comes or goes may be at a label.
                self.processes = true;
            }
        }
    }

    fn named(&mut self, network: &Network, name: &str) -> Option<()> {
        for (index, variable) in network.variables.iter().enumerate() {
            let queues = network_queues(network, VariableId::from(index));
            if let Some(element) = (0..queues.len()).find(|&element| variable.element_name(element) == name) {
                self.channels.insert(queues.start + element);
                return Some(());
            }
        }
        None
    }

    fn is_channel(&self, queue: usize) -> bool {
        self.all_channels || self.channels.contains(&queue)
    }
}
