//! What the edges of a machine touch: shared variables, the two ends of channels, the list of processes.
//!
//! An [`Access`] names its object by the expressions of the source: `flag[_pid]`, or the channel in a parameter. Expressions that have
//! the same value for as long as a process lives (constants, `_pid`, parameters that no process assigns) are *stable*: for a given
//! process they mean one object. The others may mean any element, or any channel.

use super::partners::Partners;
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern, Place, Scope};
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, Initial, Machine, Network, ScalarType};
use std::collections::{BTreeSet, HashSet};

/// What is done to an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub(super) enum Use {
    /// A variable is read.
    Read,
    /// A variable is written.
    Write,
    /// A message is put at the end of a queue.
    Send,
    /// A message is put somewhere into a queue (`!!`).
    Sort,
    /// The first message is taken or looked at by a receive.
    Take,
    /// A message is taken from anywhere in a queue (`??`).
    Pick,
    /// Length or contents are requested.
    Test,
    /// It is requested whether there is a message, or what the first one is.
    TestHead,
    /// It is requested whether there is room.
    TestRoom,
    /// Whether a message can be sent or taken decides about other edges of the location, or whether an atomic sequence is interrupted.
    Decide,
    /// A process is created.
    Run,
    /// A process ends.
    End,
    /// The number of processes is requested.
    Count,
}

/// The object of an access.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Object {
    /// A shared variable, or an element of it.
    Variable(VariableId, Vec<Expr>),
    /// A channel.
    Channel(Expr),
    /// The list of processes.
    Processes,
    /// Who is ready for a rendezvous: read by edges that look for partners, written by edges that offer to be one.
    Offers,
}

/// Something that an edge does to an object.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Access {
    pub(super) object: Object,
    pub(super) how: Use,
}

/// What is known of one machine.
#[derive(Debug)]
pub(super) struct MachineAccess {
    /// All accesses of the machine, each once.
    pub(super) accesses: Vec<Access>,
    /// Per edge: what it does, as indices.
    pub(super) edges: Vec<BTreeSet<usize>>,
    /// Per edge: the machines that it creates.
    runs: Vec<BTreeSet<MachineId>>,
    /// Local variables that no process assigns, and that an object is named by.
    pub(super) stable: Vec<VariableId>,
    /// Per location: what can be done from there on.
    pub(super) far: Vec<BTreeSet<usize>>,
    /// Per location: the machines that can be created from there on.
    pub(super) creates: Vec<BTreeSet<MachineId>>,
}

/// Which variables never change after their first value.
#[derive(Debug)]
pub(super) struct Stability {
    globals: HashSet<VariableId>,
    locals: HashSet<(MachineId, VariableId)>,
    /// Shared channel variables whose value goes elsewhere: into a message, a parameter, another variable.
    pub(super) escaping: HashSet<VariableId>,
}

/// A stable array with more elements than this is not worth looking at.
const MOST_ELEMENTS: usize = 16;

impl Use {
    /// What it means for others: a test is a test, and a receive a receive.
    pub(super) fn for_others(self) -> Use {
        match self {
            Use::TestHead | Use::TestRoom | Use::Decide => Use::Test,
            Use::Pick => Use::Take,
            other => other,
        }
    }
}

impl Stability {
    pub(super) fn new(network: &Network) -> Stability {
        let (mut globals, mut locals) = (HashSet::new(), HashSet::new());
        let mut escaping = HashSet::new();
        for (index, machine) in network.machines.iter().enumerate() {
            let id = MachineId::from(index);
            for edge in &machine.edges {
                written(&edge.action, &mut |place| match place.scope {
                    Scope::Global => drop(globals.insert(place.variable)),
                    Scope::Local => drop(locals.insert((id, place.variable))),
                });
                escapes(&edge.action, network, &mut escaping);
            }
            for variable in &machine.variables {
                if let Initial::Value(e) = &variable.initial {
                    channel_reads(e, network, &mut escaping);
                }
            }
        }
        for variable in &network.variables {
            if let Initial::Value(e) = &variable.initial {
                channel_reads(e, network, &mut escaping);
            }
        }
        Stability { globals, locals, escaping }
    }

    /// The value does not change while a process of the machine lives.
    fn is_stable(&self, e: &Expr, machine: MachineId, network: &Network) -> bool {
        match e {
            Expr::Const(_) | Expr::Pid => true,
            Expr::Read(place) => {
                let small = network.variable(place, machine).len() <= MOST_ELEMENTS;
                let assigned = match place.scope {
                    Scope::Global => self.globals.contains(&place.variable),
                    Scope::Local => !small || self.locals.contains(&(machine, place.variable)),
                };
                !assigned && place.indices.iter().all(|index| self.is_stable(index, machine, network))
            }
            Expr::Unary(_, a) => self.is_stable(a, machine, network),
            Expr::Binary(_, a, b) => self.is_stable(a, machine, network) && self.is_stable(b, machine, network),
            _ => false,
        }
    }

    /// Somebody assigns a shared variable.
    pub(super) fn is_assigned(&self, variable: VariableId) -> bool {
        self.globals.contains(&variable)
    }

    /// Some edge of the machine assigns a local variable.
    pub(super) fn is_local_assigned(&self, machine: MachineId, variable: VariableId) -> bool {
        self.locals.contains(&(machine, variable))
    }

    /// The object means one thing for each process of the machine.
    pub(super) fn is_fixed(&self, object: &Object, machine: MachineId, network: &Network) -> bool {
        match object {
            Object::Variable(_, indices) => indices.iter().all(|index| self.is_stable(index, machine, network)),
            Object::Channel(channel) => self.is_stable(channel, machine, network),
            Object::Processes | Object::Offers => true,
        }
    }
}

/// Visits every place that an action assigns.
pub(super) fn written(action: &Action, visit: &mut dyn FnMut(&Place)) {
    match action {
        Action::Assign(place, _) => visit(place),
        Action::Receive { pattern, .. } => bound(pattern, visit),
        Action::Run { then: Some((place, _)), .. } => visit(place),
        Action::Deterministic(step) => {
            step.nodes.iter().flatten().for_each(|choice| written(&choice.action, visit));
            step.guard.iter().for_each(|guard| written(guard, visit));
        }
        _ => {}
    }
}

fn bound(pattern: &[Pattern], visit: &mut dyn FnMut(&Place)) {
    for field in pattern {
        if let Pattern::Bind(place) = field {
            visit(place);
        }
    }
}

/// Shared channel variables that are read as values.
fn escapes(action: &Action, network: &Network, into: &mut HashSet<VariableId>) {
    let mut value = |e: &Expr| channel_reads(e, network, into);
    match action {
        Action::Assign(_, e) | Action::Condition(e) | Action::Assert(e) => value(e),
        Action::Send { message, .. } => message.iter().for_each(value),
        Action::Receive { pattern, .. } => pattern.iter().for_each(|field| {
            if let Pattern::Match(e) = field {
                value(e);
            }
        }),
        Action::Run { arguments, then, .. } => {
            arguments.iter().for_each(&mut value);
            then.iter().for_each(|(_, e)| value(e));
        }
        Action::Deterministic(step) => {
            step.guard.iter().for_each(|guard| escapes(guard, network, into));
            step.nodes.iter().flatten().for_each(|choice| escapes(&choice.action, network, into));
        }
        _ => {}
    }
}

/// Shared channel variables in an expression, except where their length or contents are requested.
fn channel_reads(e: &Expr, network: &Network, into: &mut HashSet<VariableId>) {
    match e {
        Expr::Read(place)
            if place.scope == Scope::Global && network.variables[place.variable.index()].ty == ScalarType::Channel =>
        {
            into.insert(place.variable);
        }
        Expr::Unary(_, a) => channel_reads(a, network, into),
        Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| channel_reads(e, network, into)),
        Expr::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| channel_reads(e, network, into)),
        _ => {}
    }
}

impl MachineAccess {
    pub(super) fn new(network: &Network, id: MachineId, stability: &Stability, partners: &Partners) -> MachineAccess {
        let machine = network.machine(id);
        let mut gathered = MachineAccess {
            accesses: Vec::new(),
            edges: Vec::new(),
            runs: Vec::new(),
            stable: Vec::new(),
            far: vec![BTreeSet::new(); machine.locations.len()],
            creates: vec![BTreeSet::new(); machine.locations.len()],
        };
        for (number, edge) in machine.edges.iter().enumerate() {
            let mut gather = Gather { network, found: Vec::new(), runs: BTreeSet::new() };
            gather.action(&edge.action);
            let Gather { mut found, runs, .. } = gather;
            if matches!(edge.action, Action::Deterministic(_)) {
                test_channels(&mut found, Use::Test);
            } else if is_choosy(machine, edge.from) || is_interruptible(machine, edge.from) {
                test_channels(&mut found, Use::Decide);
            }
            let offers = |how: Use| Access { object: Object::Offers, how };
            found.extend(partners.looks(id, number).then(|| offers(Use::Read)));
            found.extend(partners.offers(id, number).then(|| offers(Use::Write)));
            let indices = found.into_iter().map(|access| gathered.index(access)).collect();
            gathered.edges.push(indices);
            gathered.runs.push(runs);
        }
        gathered.name_stable(network, id, stability);
        gathered.look_ahead(machine);
        gathered
    }

    fn index(&mut self, mut access: Access) -> usize {
        // The same object, wherever it is named.
        match &mut access.object {
            Object::Variable(_, indices) => {
                indices.iter_mut().for_each(|index| *index = index.clone().without_places());
            }
            Object::Channel(channel) => *channel = channel.clone().without_places(),
            Object::Processes | Object::Offers => {}
        }
        let known = self.accesses.iter().position(|known| *known == access);
        known.unwrap_or_else(|| {
            self.accesses.push(access);
            self.accesses.len() - 1
        })
    }

    /// The stable local variables that fixed objects are named by.
    fn name_stable(&mut self, network: &Network, id: MachineId, stability: &Stability) {
        let mut named = BTreeSet::new();
        for access in self.accesses.iter().filter(|access| stability.is_fixed(&access.object, id, network)) {
            let mut note = |e: &Expr| {
                if let Expr::Read(Place { scope: Scope::Local, variable, .. }) = e {
                    named.insert(*variable);
                }
            };
            match &access.object {
                Object::Variable(_, indices) => indices.iter().for_each(|index| index.walk(&mut note)),
                Object::Channel(channel) => channel.walk(&mut note),
                Object::Processes | Object::Offers => {}
            }
        }
        self.stable = named.into_iter().collect();
    }

    /// What can be done from each location on: backwards along the edges until nothing changes.
    fn look_ahead(&mut self, machine: &Machine) {
        let mut changed = true;
        while changed {
            changed = false;
            for (index, edge) in machine.edges.iter().enumerate().rev() {
                let (from, to) = (edge.from.index(), edge.to.index());
                let before = (self.far[from].len(), self.creates[from].len());
                let ahead: Vec<usize> =
                    self.edges[index].iter().chain(self.far.get(to).into_iter().flatten()).copied().collect();
                self.far[from].extend(ahead);
                let created: Vec<MachineId> =
                    self.runs[index].iter().chain(self.creates.get(to).into_iter().flatten()).copied().collect();
                self.creates[from].extend(created);
                changed |= before != (self.far[from].len(), self.creates[from].len());
            }
        }
    }

    /// What an edge does.
    pub(super) fn touches(&self, edge: usize) -> impl Iterator<Item = &Access> {
        self.edges[edge].iter().map(|&access| &self.accesses[access])
    }

    /// What can be done from a location on.
    pub(super) fn far(&self, location: LocationId) -> &BTreeSet<usize> {
        &self.far[location.index()]
    }
}

/// At this location, what one edge can do decides whether another one can be taken: there is an `else`, or an escape.
pub(super) fn is_choosy(machine: &Machine, location: LocationId) -> bool {
    machine.edges_from(location).any(|edge| match &edge.action {
        Action::Else => true,
        Action::Deterministic(step) => step.guard.contains(&Action::Else),
        _ => edge.escape != 0,
    })
}

/// A process comes to this location in the middle of an atomic sequence: if it cannot go on at once, others come between.
pub(super) fn is_interruptible(machine: &Machine, location: LocationId) -> bool {
    machine.edges.iter().any(|edge| edge.atomic && edge.to == location)
}

/// Whether a message can be sent or taken matters here even if it is not: that is a test of the channel, too.
fn test_channels(found: &mut Vec<Access>, how: Use) {
    let tests = found.iter().filter(|access| matches!(access.object, Object::Channel(_)));
    let tests: Vec<Access> = tests.map(|access| Access { how, ..access.clone() }).collect();
    found.extend(tests);
}

/// Whether the value of an expression may not exist.
pub(super) fn can_fail(e: &Expr) -> bool {
    e.any(&|part| match part {
        Expr::Read(place) => place.indices.iter().any(|index| index.constant().is_none()),
        Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Rem),
        Expr::Const(_) | Expr::Unary(..) | Expr::Conditional(..) | Expr::Pid => false,
        _ => true,
    })
}

/// Gathers the accesses of one edge.
struct Gather<'n> {
    network: &'n Network,
    found: Vec<Access>,
    runs: BTreeSet<MachineId>,
}

impl Gather<'_> {
    fn push(&mut self, object: Object, how: Use) {
        self.found.push(Access { object, how });
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::Observe { .. } => {}
            Action::Condition(e) | Action::Assert(e) => self.value(e),
            Action::Assign(place, e) => {
                self.value(e);
                self.assign(place);
            }
            Action::Send { channel, message, sorted } => {
                self.value(channel);
                message.iter().for_each(|e| self.value(e));
                self.push(Object::Channel(channel.clone()), if *sorted { Use::Sort } else { Use::Send });
            }
            Action::Receive { channel, pattern, mode } => {
                self.value(channel);
                pattern.iter().for_each(|field| self.field(field));
                bound(pattern, &mut |place| self.assign(place));
                self.push(Object::Channel(channel.clone()), if mode.anywhere { Use::Pick } else { Use::Take });
            }
            // What is printed changes nothing, unless it cannot be computed.
            Action::Print { arguments, .. } => {
                arguments.iter().filter(|e| can_fail(e)).for_each(|e| self.value(e));
            }
            Action::Run { machine, arguments, then, .. } => {
                arguments.iter().for_each(|e| self.value(e));
                self.push(Object::Processes, Use::Run);
                self.runs.insert(*machine);
                for variable in &self.network.machine(*machine).variables {
                    if let Initial::Value(e) = &variable.initial {
                        self.first_value(e);
                    }
                }
                if let Some((place, e)) = then {
                    self.value(e);
                    self.assign(place);
                }
            }
            Action::SetPriority(a, b) => [a, b].into_iter().for_each(|e| self.value(e)),
            Action::End => self.push(Object::Processes, Use::End),
            Action::Deterministic(step) => {
                step.guard.iter().for_each(|guard| self.action(guard));
                step.nodes.iter().flatten().for_each(|choice| self.action(&choice.action));
            }
        }
    }

    fn assign(&mut self, place: &Place) {
        place.indices.iter().for_each(|index| self.value(index));
        if place.scope == Scope::Global {
            self.push(Object::Variable(place.variable, place.indices.clone()), Use::Write);
        }
    }

    fn field(&mut self, field: &Pattern) {
        if let Pattern::Match(e) = field {
            self.value(e);
        }
    }

    /// The first value of a variable of a process that is created: its names are not those of the creator, so an index may
    /// be any.
    fn first_value(&mut self, e: &Expr) {
        let known = self.found.len();
        self.value(e);
        for access in &mut self.found[known..] {
            let any = |indices: &mut Vec<Expr>| indices.iter_mut().for_each(|index| *index = Expr::RunResult);
            match &mut access.object {
                Object::Variable(_, indices) => any(indices),
                Object::Channel(Expr::Read(place)) if place.scope == Scope::Global => any(&mut place.indices),
                Object::Channel(channel) => *channel = Expr::RunResult,
                Object::Processes | Object::Offers => {}
            }
        }
    }

    fn value(&mut self, e: &Expr) {
        e.walk(&mut |part| match part {
            Expr::Read(place) if place.scope == Scope::Global => {
                self.found
                    .push(Access { object: Object::Variable(place.variable, place.indices.clone()), how: Use::Read });
            }
            Expr::Channel(test, channel) => {
                let how = match test {
                    ChannelTest::Len => Use::Test,
                    ChannelTest::Empty | ChannelTest::NotEmpty => Use::TestHead,
                    ChannelTest::Full | ChannelTest::NotFull => Use::TestRoom,
                };
                self.found.push(Access { object: Object::Channel((**channel).clone()), how });
            }
            Expr::Poll { channel, anywhere, .. } => {
                let how = if *anywhere { Use::Test } else { Use::TestHead };
                self.found.push(Access { object: Object::Channel((**channel).clone()), how });
            }
            Expr::ProcessCount => self.found.push(Access { object: Object::Processes, how: Use::Count }),
            _ => {}
        });
    }
}
