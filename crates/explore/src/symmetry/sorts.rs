//! Which values name processes.
//!
//! A value names a process where it is the number of one, or a parameter that nothing assigns. Everything that such a value is
//! stored in, compared with, sent as or used as an index for names processes, too: these places form a *class* (union and find).
//! What may be done with the values of a class is what does not depend on which process is which: copies, tests for equality,
//! indices. A class is *plain*, its values are numbers, if something else is done with them: arithmetic, an order, a sum.
//! Numbers of channels form a class of their own.
//!
//! Only edges count that can be taken after all processes have been created.

use model::expr::{BinaryOp, Expr, Pattern, Place, Scope, UnaryOp};
use model::ids::{LocationId, MachineId, VariableId};
use model::network::{Action, Edge, Initial, Machine, Network, ScalarType};
use std::collections::{BTreeMap, BTreeSet};

/// A place where values are, before classes are put together.
type Node = usize;

/// What names the processes of a machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Name {
    /// Their numbers.
    Number(MachineId),
    /// One of their parameters.
    Parameter(MachineId, usize),
}

/// What is known of a class.
#[derive(Clone, Default, Debug)]
pub(super) struct Class {
    /// Something is done with its values that can tell processes apart.
    pub(super) plain: bool,
    /// Constants that its values meet.
    pub(super) constants: BTreeSet<i32>,
    /// What its values are at first.
    pub(super) names: BTreeSet<Name>,
    /// What holds its values.
    pub(super) types: Vec<ScalarType>,
    /// The length of the shortest array that it is an index of.
    pub(super) shortest: Option<u32>,
    /// It is an index of an array of channels.
    of_channels: bool,
}

impl Class {
    fn join(&mut self, other: Class) {
        self.plain |= other.plain;
        self.of_channels |= other.of_channels;
        self.constants.extend(other.constants);
        self.names.extend(other.names);
        self.types.extend(other.types);
        self.shortest = [self.shortest, other.shortest].into_iter().flatten().min();
    }

    /// Whether a value can be in every place of the class, and meets no constant.
    pub(super) fn takes(&self, value: i32) -> bool {
        let fits = self.types.iter().all(|ty| ty.truncate(value) == value);
        let is_index = self.shortest.is_none_or(|length| (0..i64::from(length)).contains(&i64::from(value)));
        let met = |constant: &i32| *constant == value || self.types.iter().any(|ty| ty.truncate(*constant) == value);
        fits && is_index && !self.constants.iter().any(met)
    }

    /// Whether a value stays what it is wherever in the class it is stored.
    pub(super) fn keeps(&self, value: i32) -> bool {
        self.types.iter().all(|ty| ty.truncate(value) == value)
    }
}

/// A value of an expression.
#[derive(Clone, Copy)]
enum Value {
    /// A number.
    Plain,
    Constant(i32),
    /// It is in the class of a node.
    In(Node),
}

/// The classes of a network.
#[derive(Debug)]
pub(super) struct Sorts {
    above: Vec<Node>,
    classes: Vec<Class>,
    globals: Vec<Node>,
    locals: Vec<Vec<Node>>,
    fields: Vec<Vec<Node>>,
    /// By variable of the network, and by machine and variable: the indices.
    global_indices: Vec<Vec<Node>>,
    local_indices: Vec<Vec<Vec<Node>>>,
    /// By machine, the numbers of its processes.
    numbers: Vec<Node>,
    channels: Node,
    /// By machine: why its processes cannot be exchanged, if that does not depend on the state.
    pub(super) fixed: Vec<Option<&'static str>>,
    /// By machine and location: no process can be created from here on by this one; and it cannot end, and has not.
    pub(super) settled: Vec<Vec<bool>>,
    pub(super) lasting: Vec<Vec<bool>>,
}

impl Sorts {
    /// The classes of a network; or why no processes can be exchanged at all.
    pub(super) fn of(network: &Network) -> Result<Sorts, &'static str> {
        if network.uses_priorities || network.uses_last_mover {
            return Err("processes have priorities, or the model asks which one moved last");
        }
        let mut sorts = Sorts::empty(network);
        let assigned = assigned(network);
        let known = Known { network, assigned: &assigned };
        if network.any_expression(&observes) || edges(network).any(|edge| sets_priority(&edge.action)) {
            return Err("the model asks by a number what a process can do, or where it is");
        }
        for (index, machine) in network.machines.iter().enumerate() {
            let id = MachineId::from(index);
            if let Some(provided) = &machine.provided {
                sorts.tested(&known, id, provided);
            }
            for edge in &machine.edges {
                if sorts.settled[index][edge.from.index()] {
                    sorts.action(&known, id, &edge.action);
                }
            }
        }
        sorts.name_parameters(&known);
        sorts.conclude(network);
        Ok(sorts)
    }

    fn empty(network: &Network) -> Sorts {
        let mut sorts = Sorts {
            above: Vec::new(),
            classes: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            fields: Vec::new(),
            global_indices: Vec::new(),
            local_indices: Vec::new(),
            numbers: Vec::new(),
            channels: 0,
            fixed: vec![None; network.machines.len()],
            settled: network.machines.iter().map(|m| never_again(m, &|a| matches!(a, Action::Run { .. }))).collect(),
            lasting: network.machines.iter().map(lasting).collect(),
        };
        sorts.channels = sorts.node(None);
        for variable in &network.variables {
            let (node, indices) = sorts.variable(variable);
            sorts.globals.push(node);
            sorts.global_indices.push(indices);
        }
        for (index, machine) in network.machines.iter().enumerate() {
            let (nodes, indices) = machine.variables.iter().map(|variable| sorts.variable(variable)).unzip();
            sorts.locals.push(nodes);
            sorts.local_indices.push(indices);
            let number = sorts.node(None);
            sorts.classes[number].names.insert(Name::Number(index.into()));
            sorts.numbers.push(number);
        }
        for kind in &network.channel_types {
            let fields = kind.fields.iter().map(|&ty| sorts.node(Some(ty))).collect();
            sorts.fields.push(fields);
        }
        sorts
    }

    fn node(&mut self, ty: Option<ScalarType>) -> Node {
        let node = self.above.len();
        self.above.push(node);
        self.classes.push(Class { types: ty.into_iter().collect(), ..Class::default() });
        if ty == Some(ScalarType::Channel) {
            self.same(node, self.channels);
        }
        node
    }

    fn variable(&mut self, variable: &model::network::Variable) -> (Node, Vec<Node>) {
        let node = self.node(Some(variable.ty));
        let of_channels = matches!(variable.initial, Initial::NewChannel(_));
        let index = |dimension: &model::network::Dimension| {
            let node = self.node(None);
            self.classes[node].shortest = Some(dimension.len);
            self.classes[node].of_channels = of_channels;
            node
        };
        (node, variable.dimensions.iter().map(index).collect())
    }

    // --- classes ------------------------------------------------------------------------------------

    fn root(&self, mut node: Node) -> Node {
        while self.above[node] != node {
            node = self.above[node];
        }
        node
    }

    fn same(&mut self, a: Node, b: Node) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.above[a] = b;
            let class = std::mem::take(&mut self.classes[a]);
            self.classes[b].join(class);
        }
    }

    fn plain(&mut self, node: Node) {
        let root = self.root(node);
        self.classes[root].plain = true;
    }

    /// Two values meet: one is stored where the other may be, or they are compared.
    fn meet(&mut self, a: Value, b: Value) {
        match (a, b) {
            (Value::In(a), Value::In(b)) => self.same(a, b),
            (Value::In(node), Value::Plain) | (Value::Plain, Value::In(node)) => self.plain(node),
            (Value::In(node), Value::Constant(value)) | (Value::Constant(value), Value::In(node)) => {
                let root = self.root(node);
                self.classes[root].constants.insert(value);
            }
            _ => {}
        }
    }

    // --- what is done with values -------------------------------------------------------------------

    fn tested(&mut self, known: &Known<'_>, machine: MachineId, e: &Expr) {
        let value = self.value(known, machine, e);
        self.meet(value, Value::Constant(0));
    }

    /// A number is computed from the value.
    fn computed(&mut self, known: &Known<'_>, machine: MachineId, e: &Expr) {
        let value = self.value(known, machine, e);
        self.meet(value, Value::Plain);
    }

    fn place(&mut self, known: &Known<'_>, machine: MachineId, place: &Place) -> Value {
        let variable = place.variable.index();
        let (node, indices) = match place.scope {
            Scope::Global => (self.globals[variable], self.global_indices[variable].clone()),
            Scope::Local => {
                (self.locals[machine.index()][variable], self.local_indices[machine.index()][variable].clone())
            }
        };
        self.indexed(known, machine, &place.indices, &indices);
        Value::In(node)
    }

    fn indexed(&mut self, known: &Known<'_>, machine: MachineId, indices: &[Expr], nodes: &[Node]) {
        for (index, &node) in indices.iter().zip(nodes) {
            let value = self.value(known, machine, index);
            self.meet(value, Value::In(node));
        }
    }

    fn value(&mut self, known: &Known<'_>, machine: MachineId, e: &Expr) -> Value {
        match e {
            Expr::Const(value) => Value::Constant(*value),
            Expr::Read(place) => self.place(known, machine, place),
            Expr::Pid => Value::In(self.numbers[machine.index()]),
            Expr::Unary(UnaryOp::Not, e) => {
                self.tested(known, machine, e);
                Value::Plain
            }
            Expr::Unary(_, e) => {
                self.computed(known, machine, e);
                Value::Plain
            }
            Expr::Binary(BinaryOp::Equal | BinaryOp::NotEqual, a, b) => {
                let (a, b) = (self.value(known, machine, a), self.value(known, machine, b));
                self.meet(a, b);
                Value::Plain
            }
            Expr::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.tested(known, machine, a);
                self.tested(known, machine, b);
                Value::Plain
            }
            Expr::Binary(_, a, b) => {
                self.computed(known, machine, a);
                self.computed(known, machine, b);
                Value::Plain
            }
            Expr::Conditional(condition, a, b) => {
                self.tested(known, machine, condition);
                let (a, b) = (self.value(known, machine, a), self.value(known, machine, b));
                self.meet(a, b);
                // What one branch meets, the other does.
                match (a, b) {
                    (Value::In(_), _) => a,
                    (_, Value::In(_)) => b,
                    _ => Value::Plain,
                }
            }
            Expr::Channel(_, channel) => {
                self.channel(known, machine, channel);
                Value::Plain
            }
            Expr::Poll { channel, pattern, .. } => {
                self.channel(known, machine, channel);
                self.message(known, machine, channel, pattern);
                Value::Plain
            }
            Expr::At { machine: other, pid, .. } => {
                self.number(known, machine, *other, pid.as_deref());
                Value::Plain
            }
            Expr::Remote { machine: other, pid, variable, indices, .. } => {
                self.number(known, machine, *other, pid.as_deref());
                let nodes = self.local_indices[other.index()][variable.index()].clone();
                self.indexed(known, machine, indices, &nodes);
                Value::In(self.locals[other.index()][variable.index()])
            }
            Expr::Timeout | Expr::NonProgress | Expr::ProcessCount => Value::Plain,
            // These were rejected before.
            Expr::LastMover | Expr::RunResult | Expr::Enabled(_) | Expr::ProgramCounter(_) | Expr::Priority(_) => {
                Value::Plain
            }
        }
    }

    /// A process of another machine is meant, by its number or as the first one there is.
    fn number(&mut self, known: &Known<'_>, machine: MachineId, other: MachineId, pid: Option<&Expr>) {
        match pid {
            Some(pid) => {
                let value = self.value(known, machine, pid);
                self.meet(value, Value::In(self.numbers[other.index()]));
            }
            None => self.fixed[other.index()] = Some("the model asks for the first process of this type"),
        }
    }

    fn channel(&mut self, known: &Known<'_>, machine: MachineId, channel: &Expr) {
        let value = self.value(known, machine, channel);
        self.meet(value, Value::In(self.channels));
    }

    /// The fields of a message that may be of a channel.
    fn fields_of(&self, known: &Known<'_>, machine: MachineId, channel: &Expr) -> Vec<Vec<Node>> {
        match known.channel_type(machine, channel) {
            Some(kind) => vec![self.fields[kind].clone()],
            None => self.fields.clone(),
        }
    }

    fn message(&mut self, known: &Known<'_>, machine: MachineId, channel: &Expr, pattern: &[Pattern]) {
        let values: Vec<Option<Value>> = pattern
            .iter()
            .map(|field| match field {
                Pattern::Match(e) => Some(self.value(known, machine, e)),
                Pattern::Bind(place) => Some(self.place(known, machine, place)),
                Pattern::Any => None,
            })
            .collect();
        for nodes in self.fields_of(known, machine, channel) {
            for (value, node) in values.iter().zip(nodes) {
                if let Some(value) = *value {
                    self.meet(value, Value::In(node));
                }
            }
        }
    }

    fn action(&mut self, known: &Known<'_>, machine: MachineId, action: &Action) {
        match action {
            Action::Condition(e) | Action::Assert(e) => self.tested(known, machine, e),
            Action::Assign(place, e) => {
                let (place, value) = (self.place(known, machine, place), self.value(known, machine, e));
                self.meet(place, value);
            }
            Action::Send { channel, message, sorted } => {
                self.channel(known, machine, channel);
                let values: Vec<Value> = message.iter().map(|e| self.value(known, machine, e)).collect();
                for nodes in self.fields_of(known, machine, channel) {
                    for (&value, node) in values.iter().zip(nodes) {
                        self.meet(value, Value::In(node));
                        if *sorted {
                            self.plain(node);
                        }
                    }
                }
            }
            Action::Receive { channel, pattern, .. } | Action::Observe { channel, pattern, .. } => {
                self.channel(known, machine, channel);
                self.message(known, machine, channel, pattern);
            }
            Action::Print { arguments, .. } => {
                // What is printed is no part of the state, but an index may be wrong.
                for e in arguments {
                    self.value(known, machine, e);
                }
            }
            Action::Deterministic(body) => {
                body.guard.iter().for_each(|action| self.action(known, machine, action));
                body.nodes.iter().flatten().for_each(|choice| self.action(known, machine, &choice.action));
            }
            // No process is created where this counts.
            Action::Skip | Action::Else | Action::End | Action::Run { .. } | Action::SetPriority(..) => {}
        }
    }

    /// Parameters that nothing assigns name processes.
    fn name_parameters(&mut self, known: &Known<'_>) {
        for (index, machine) in known.network.machines.iter().enumerate() {
            for parameter in 0..machine.parameters {
                let variable = &machine.variables[parameter];
                let place = (Some(MachineId::from(index)), VariableId::from(parameter));
                let is_name = variable.ty != ScalarType::Channel && variable.dimensions.is_empty();
                if is_name && !known.assigned.contains(&place) {
                    let root = self.root(self.locals[index][parameter]);
                    self.classes[root].names.insert(Name::Parameter(index.into(), parameter));
                }
            }
        }
    }

    /// A class has values of one kind; and with numbers of channels nothing is computed.
    fn conclude(&mut self, network: &Network) {
        let channels = self.root(self.channels);
        let class = &mut self.classes[channels];
        class.constants.remove(&0);
        let only_channels = class.types.iter().all(|ty| *ty == ScalarType::Channel);
        class.plain |= !class.constants.is_empty() || !class.names.is_empty() || !only_channels;
        let fixed = class.plain || class.shortest.is_some();
        class.plain = fixed;
        for class in &mut self.classes {
            let is_number = |name: &&Name| matches!(name, Name::Number(_));
            let parameters = class.names.iter().filter(|name| !is_number(name)).count();
            class.plain |= parameters > 1 || (parameters == 1 && class.names.len() > 1);
            class.plain |= fixed && class.of_channels;
        }
        for (index, machine) in network.machines.iter().enumerate() {
            let own = machine.variables.iter().any(|variable| matches!(variable.initial, Initial::NewChannel(_)));
            let why = if self.classes[self.root(self.numbers[index])].plain {
                Some("something is computed from their numbers, or these are compared by an order")
            } else if own && fixed {
                Some("they have channels of their own, and the model computes with numbers of channels")
            } else if !machine.used().any(|(location, _)| self.lasting[index][location.index()]) {
                Some("they can end")
            } else {
                None
            };
            self.fixed[index] = self.fixed[index].or(why);
        }
    }

    // --- answers ------------------------------------------------------------------------------------

    /// All classes whose values name processes.
    pub(super) fn classes(&self) -> impl Iterator<Item = (usize, &Class)> {
        let roots = (0..self.above.len()).filter(|&node| self.above[node] == node);
        roots.map(|root| (root, &self.classes[root])).filter(|(_, class)| !class.plain && !class.names.is_empty())
    }

    pub(super) fn of_number(&self, machine: MachineId) -> usize {
        self.root(self.numbers[machine.index()])
    }

    /// The class of a variable, and those of its indices.
    pub(super) fn of_variable(&self, machine: Option<MachineId>, variable: usize) -> (usize, Vec<usize>) {
        let (node, indices) = match machine {
            None => (self.globals[variable], &self.global_indices[variable]),
            Some(machine) => (self.locals[machine.index()][variable], &self.local_indices[machine.index()][variable]),
        };
        (self.root(node), indices.iter().map(|&node| self.root(node)).collect())
    }

    pub(super) fn of_field(&self, kind: usize, field: usize) -> usize {
        self.root(self.fields[kind][field])
    }

    pub(super) fn of_channels(&self) -> usize {
        self.root(self.channels)
    }
}

/// Variables that some statement assigns, those of the network and those of machines.
type Assigned = BTreeSet<(Option<MachineId>, VariableId)>;

struct Known<'n> {
    network: &'n Network,
    assigned: &'n Assigned,
}

impl Known<'_> {
    /// The type of a channel, where it is known.
    fn channel_type(&self, machine: MachineId, channel: &Expr) -> Option<usize> {
        let Expr::Read(place) = channel else { return None };
        let owner = (place.scope == Scope::Local).then_some(machine);
        match self.network.variable(place, machine).initial {
            Initial::NewChannel(kind) if !self.assigned.contains(&(owner, place.variable)) => Some(kind.index()),
            _ => None,
        }
    }
}

fn assigned(network: &Network) -> Assigned {
    let mut assigned = Assigned::new();
    for (index, machine) in network.machines.iter().enumerate() {
        let mut add = |place: &Place| {
            let owner = (place.scope == Scope::Local).then(|| MachineId::from(index));
            assigned.insert((owner, place.variable));
        };
        machine.edges.iter().for_each(|edge| stored(&edge.action, &mut add));
    }
    assigned
}

/// Where an action stores something.
fn stored(action: &Action, add: &mut dyn FnMut(&Place)) {
    match action {
        Action::Assign(place, _) | Action::Run { then: Some((place, _)), .. } => add(place),
        Action::Receive { pattern, .. } => pattern.iter().for_each(|field| {
            if let Pattern::Bind(place) = field {
                add(place);
            }
        }),
        Action::Deterministic(body) => {
            body.guard.iter().for_each(|action| stored(action, add));
            body.nodes.iter().flatten().for_each(|choice| stored(&choice.action, add));
        }
        _ => {}
    }
}

fn edges(network: &Network) -> impl Iterator<Item = &Edge> {
    network.machines.iter().flat_map(|machine| &machine.edges)
}

/// Whether an expression looks at a process by what is no variable.
fn observes(e: &Expr) -> bool {
    matches!(e, Expr::Enabled(_) | Expr::ProgramCounter(_) | Expr::Priority(_) | Expr::LastMover)
}

fn sets_priority(action: &Action) -> bool {
    matches!(action, Action::SetPriority(..))
}

/// By location: a process there has not ended, and never will. One that has may still be there, below younger ones.
fn lasting(machine: &Machine) -> Vec<bool> {
    let mut lasting = never_again(machine, &|action| matches!(action, Action::End));
    for edge in machine.edges.iter().filter(|edge| matches!(edge.action, Action::End)) {
        lasting[edge.to.index()] = false;
    }
    lasting
}

/// By location: no action of a kind can follow.
fn never_again(machine: &Machine, wanted: &dyn Fn(&Action) -> bool) -> Vec<bool> {
    let mut before: BTreeMap<LocationId, Vec<LocationId>> = BTreeMap::new();
    let mut work: Vec<LocationId> = Vec::new();
    for edge in &machine.edges {
        before.entry(edge.to).or_default().push(edge.from);
        if wanted(&edge.action) {
            work.push(edge.from);
        }
    }
    let mut never = vec![true; machine.locations.len()];
    while let Some(location) = work.pop() {
        if std::mem::replace(&mut never[location.index()], false) {
            work.extend(before.get(&location).into_iter().flatten());
        }
    }
    never
}
