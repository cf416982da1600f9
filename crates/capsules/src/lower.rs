//! From instances to a network: a machine per capsule instance, with one unbounded queue of messages.
//!
//! This is the reading *any threads*: each instance has a queue of its own, and a handler may be interrupted where that makes a
//! difference (`atomic`), so that every assignment of capsules to threads of equal priority is contained.
//!
//! A message is the pair of the port and the event at its receiver. What it carries is kept where it is an `int`, a `bool` or an
//! enumeration, and where some code reads it. A part that is created at run time is a machine that waits until it exists. A pending timer is a message in a channel of its timing port; a process of that port moves it to the queue of the capsule, at any time.
//!
//! A location where a message is awaited stands for the innermost active state, and has its path as a label. A state without
//! any trigger in it or around it is final.
//!
//! Which values are unknown is found in rounds: a variable that gets an unknown value anywhere is unknown everywhere, and so is
//! what a message carries. Each round starts with what the ones before it have found.

mod actions;
mod anything;
mod arguments;
mod atomic;
mod build;
mod calls;
mod deferred;
mod guard;
mod handlers;
mod invoke;
mod operations;
mod parts;
mod priorities;
mod reach;
mod structures;
mod threads;
mod timers;
mod values;
mod variables;
mod words;

use crate::ast::{ClassKind, NodeKind, PartKind, TriggerKind};
use crate::questions;
use crate::resolve::{
    Class, Instances, Library, MachineData, Messages, NodeData, PortData, Slot, TransitionData, VertexId, unsupported,
};
use crate::threads::Threads;
use model::diagnostic::Diagnostic;
use model::expr::{Expr, Pattern, Place, Scope};
use model::ids::{MachineId, SymbolSetId, VariableId};
use model::network::{
    Action, ChannelType, Initial, Instance, Machine, MachineKind, Network, ScalarType, SymbolSet, Variable, Words,
};
use model::source::Span;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use structures::Shape;

/// Variables and data of messages whose values are unknown, by where they are declared.
pub(crate) type Forgotten = BTreeSet<(u32, u32, String)>;

/// What a declaration is known by.
fn key(name: &str, span: Span) -> (u32, u32, String) {
    (span.file.0, span.start, name.to_owned())
}

/// As many messages as a symbol can name.
const MOST_MESSAGES: usize = 255;

/// What is known about the whole.
struct Lowering<'l, 'a> {
    library: &'l Library<'a>,
    instances: &'l Instances<'a>,
    /// Per port and event: the symbol that stands for it in a queue.
    symbols: HashMap<(String, String), i32>,
    names: Vec<String>,
    /// Per instance with a state machine: the variable of its queue.
    queues: HashMap<usize, VariableId>,
    /// Per queue and priority other than the usual one: the variable of the queue for it.
    priorities: BTreeMap<(VariableId, priorities::Priority), VariableId>,
    /// Per timing port: the variable of its pending timers.
    timers: HashMap<(usize, usize), VariableId>,
    /// Per instance that is created at run time: the variable that says whether it exists.
    alive: HashMap<usize, VariableId>,
    /// Whether some code destroys parts.
    destroys: bool,
    /// Per machine of a part that may be destroyed: the variable that says that it has to end.
    leaving: HashMap<usize, VariableId>,
    /// Per instance that defers messages: the variable of those.
    deferred: HashMap<usize, VariableId>,
    sharing: threads::Sharing,
    calls: invoke::Calls,
    /// A message names its receiver.
    addressed: bool,
    /// The most numbers that a message carries and that some code reads.
    width: usize,
    /// A message that is deferred has its priority behind these.
    keeps_priorities: bool,
    /// Per queue and priority: the variable of the queue for messages that are recalled to its front.
    fronts: BTreeMap<(VariableId, priorities::Priority), VariableId>,
    /// Per part that is created at run time: what is given to it, and how that looks, if it is known and always the same.
    arguments: HashMap<usize, Vec<VariableId>>,
    given: RefCell<HashMap<usize, Option<Shape>>>,
    /// Whether the program has ended, if some code may end it.
    ended: Option<VariableId>,
    forgotten: RefCell<Forgotten>,
    network: Network,
    /// Per machine: the thread that runs it.
    groups: Vec<usize>,
}

/// Lowers all instances; `None` after an error.
pub(crate) fn lower<'a>(
    library: &Library<'a>,
    instances: &Instances<'a>,
    threads: &Threads,
    messages: &mut Messages<'_>,
) -> Option<Network> {
    let mut forgotten = Forgotten::new();
    loop {
        let mut found = Vec::new();
        let known = forgotten.len();
        let network = round(library, instances, threads, &mut forgotten, &mut Messages::new(&mut found));
        if forgotten.len() == known || network.is_none() {
            found.into_iter().for_each(|diagnostic| messages.report(diagnostic));
            return network;
        }
    }
}

fn round<'a>(
    library: &Library<'a>,
    instances: &Instances<'a>,
    threads: &Threads,
    forgotten: &mut Forgotten,
    messages: &mut Messages<'_>,
) -> Option<Network> {
    let mut lowering = Lowering {
        library,
        instances,
        symbols: HashMap::new(),
        names: Vec::new(),
        queues: HashMap::new(),
        priorities: BTreeMap::new(),
        timers: HashMap::new(),
        alive: HashMap::new(),
        destroys: instances.classes.iter().any(parts::destroys),
        leaving: HashMap::new(),
        deferred: HashMap::new(),
        sharing: threads::Sharing::default(),
        calls: invoke::Calls::default(),
        addressed: *threads != Threads::Any,
        width: if instances.classes.iter().any(reads_data) { width(library, instances) } else { 0 },
        keeps_priorities: instances.classes.iter().any(|class| timers::mentions(class, "defer"))
            && instances.classes.iter().any(priorities::mentions_priorities),
        fronts: BTreeMap::new(),
        arguments: HashMap::new(),
        given: RefCell::default(),
        ended: None,
        forgotten: RefCell::new(std::mem::take(forgotten)),
        network: Network::default(),
        groups: Vec::new(),
    };
    lowering.network.words = Some(Words { addressed: lowering.addressed, ..Words::default() });
    lowering.share(threads, messages);
    lowering.declare(messages);
    if instances.classes.iter().any(|class| reach::ENDING.iter().any(|word| timers::mentions(class, word))) {
        lowering.ended = Some(lowering.shared(String::from("program ended"), ScalarType::Bit, 0, Span::NONE));
    }
    lowering.declare_calls(messages);
    lowering.declare_priorities();
    lowering.declare_fronts();
    for instance in 0..instances.instances.len() {
        lowering.instance(instance, messages);
    }
    let (locks, groups) = (lowering.lock_variables(), std::mem::take(&mut lowering.groups));
    let receivers = (0..instances.instances.len()).map(|instance| lowering.path(instance)).collect();
    let Lowering { mut network, names, priorities, addressed, .. } = lowering;
    *forgotten = lowering.forgotten.into_inner();
    let looked_at = priorities.into_iter().flat_map(|((usual, _), queue)| [usual, queue]).collect();
    atomic::mark(&mut network, &groups, &locks, &looked_at);
    network.symbol_sets = vec![SymbolSet { name: String::new(), symbols: names }];
    if addressed {
        network.symbol_sets.push(SymbolSet { name: String::from("capsule"), symbols: receivers });
    }
    if questions::applies(&network, "unexpected") {
        let formula = questions::question(&network, "unexpected").ok()?;
        network.formulas.push(formula);
    }
    (!messages.any()).then_some(network)
}

/// The most numbers that a message carries.
fn width(library: &Library<'_>, instances: &Instances<'_>) -> usize {
    let names = variables::types(library);
    let ports = instances.classes.iter().flat_map(|class| &class.ports);
    let events = ports.flat_map(|port| port.alphabet.incoming.iter().map(move |event| (port, &event.text)));
    let types = events.filter_map(|(port, event)| library.event(port.protocol, event)?.data.as_deref());
    // A type that is unknown here may be declared in a capsule.
    types.map(|ty| names.shape(ty).map_or(1, |shape| shape.cells())).max().unwrap_or(0)
}

/// Whether some code of a class mentions the data of messages.
fn reads_data(class: &Class<'_>) -> bool {
    timers::mentions(class, "rtdata") || timers::mentions(class, "getData")
}

/// What no part of the lowering knows is an error at its place.
pub(crate) fn reject(class: &Class<'_>, messages: &mut Messages<'_>) {
    for capsule in &class.lineage {
        for (span, what) in &capsule.special {
            messages.report(unsupported(*span, what));
        }
        for snippet in capsule.snippets.iter().filter(|s| matches!(s.kind.text.as_str(), "create" | "destroy")) {
            messages.report(unsupported(snippet.kind.span, "a capsule that is created by C++"));
        }
        if let Some(base) = capsule.bases.get(1) {
            messages.report(unsupported(base.span, "a second superclass"));
        }
    }
    for port in &class.ports {
        if let Some((span, what)) = port.special {
            messages.report(unsupported(span, what));
        }
    }
    for part in class.parts.iter().filter(|part| part.kind == PartKind::Plugin || !part.snippets.is_empty()) {
        messages.report(unsupported(part.name.span, "a part that is created by C++"));
    }
    let Some(machine) = &class.machine else { return };
    for state in &machine.states {
        if let Some(code) = state.polled {
            messages.report(unsupported(code.span, "code that runs in every cycle"));
        }
    }
    for transition in &machine.transitions {
        for trigger in transition.triggers {
            let TriggerKind::Message { port, .. } = &trigger.kind else {
                messages.report(unsupported(transition.span, "a trigger that is a call"));
                continue;
            };
            if class.port(&port.text).is_some_and(|port| !class.ports[port].behavior) {
                let text = format!("port `{}` is not a behaviour port: this trigger never fires", port.text);
                messages.report(Diagnostic::warning("U0303", port.span, text));
            }
        }
        check_source(machine, transition, messages);
        let from_state = matches!(transition.vertices, Some((VertexId::State(_), _)) | None);
        if from_state && transition.triggers.is_empty() {
            let error = Diagnostic::error("U0127", transition.span, "a transition from a state needs a trigger");
            messages.report(error.label("no message could cause it"));
        }
    }
}

/// A transition lies in the region of the vertex that it leaves. One from an entry point lies in the region of its state: from
/// outside, nothing leaves through an entry point.
fn check_source(machine: &MachineData<'_>, transition: &TransitionData<'_>, messages: &mut Messages<'_>) {
    let region = match transition.vertices {
        Some((VertexId::State(state), _)) => machine.states[state].parent,
        Some((VertexId::Node(node), _)) => {
            let NodeData { kind, parent, .. } = machine.nodes[node];
            match (kind, parent) {
                (NodeKind::ExitPoint, Some(state)) => machine.states[state].parent,
                (NodeKind::EntryPoint, Some(_)) | (NodeKind::Choice | NodeKind::Junction, _) => parent,
                _ => return messages.report(unsupported(transition.span, "a transition from this point")),
            }
        }
        Some(_) => return,
        None if transition.owner.is_none() => {
            let error = Diagnostic::error("U0125", transition.span, "this internal transition is outside all states");
            return messages.report(error.label("it is internal to nothing"));
        }
        None => return,
    };
    if region != transition.owner {
        messages.report(unsupported(transition.span, "a transition from another region"));
    }
}

impl<'l, 'a> Lowering<'l, 'a> {
    /// Queues, timers and symbols.
    fn declare(&mut self, messages: &mut Messages<'_>) {
        let types = variables::types(self.library);
        let data = std::iter::repeat_n(ScalarType::Int, self.carried());
        let address = self.addressed.then_some(ScalarType::Symbol(SymbolSetId(1)));
        let fields = address.into_iter().chain([ScalarType::Symbol(SymbolSetId(0))]).chain(data).collect();
        let span = self.instances.classes[0].capsule.name.span;
        self.network.channel_types = vec![ChannelType { capacity: None, fields, lossy: false, span }];
        for instance in 0..self.instances.instances.len() {
            let class = self.instances.class(instance);
            if self.instances.instances[instance].optional == Some(instance) {
                let name = format!("{} exists", self.path(instance));
                let ty = if self.destroys { ScalarType::Byte } else { ScalarType::Bit };
                let (initial, span) = (Initial::Zero, class.capsule.name.span);
                self.network.variables.push(Variable { name, ty, dimensions: Vec::new(), initial, span });
                let alive = VariableId::from(self.network.variables.len() - 1);
                self.network.words.iter_mut().for_each(|words| words.shared.extend([alive]));
                self.alive.insert(instance, alive);
            }
            if class.machine.is_none() {
                continue;
            }
            self.declare_arguments(instance);
            if self.destroys && self.instances.instances[instance].optional.is_some() {
                let name = format!("{} leaving", self.path(instance));
                let leaving = self.shared(name, ScalarType::Bit, 0, class.capsule.name.span);
                self.leaving.insert(instance, leaving);
            }
            let span = class.capsule.name.span;
            let thread = self.sharing.thread[instance];
            let known = self.queues.iter().find(|(other, _)| self.addressed && self.sharing.thread[**other] == thread);
            let id = match known.map(|(_, id)| *id) {
                Some(id) => id,
                None => {
                    let controller = self.sharing.controllers.get(thread).filter(|_| self.addressed).cloned();
                    self.channel(controller.unwrap_or_else(|| self.path(instance)), span)
                }
            };
            self.queues.insert(instance, id);
            if timers::mentions(class, "defer") {
                self.symbol(deferred::MARK.0, deferred::MARK.1);
                let id = self.channel(format!("{}{}", self.path(instance), questions::DEFERRED), span);
                self.deferred.insert(instance, id);
            }
            for port in 0..class.ports.len() {
                for event in class.ports[port].alphabet.incoming.clone() {
                    self.symbol(&class.ports[port].name.text, &event.text);
                    let declared = self.library.event(class.ports[port].protocol, &event.text);
                    if let (Some(ty), Some(words)) = (declared.and_then(|e| e.data.as_ref()), &mut self.network.words) {
                        let numbers = types.shape(ty).map_or(1, |shape| shape.cells());
                        words.carrying.insert(format!("{}.{}", class.ports[port].name.text, event.text), numbers);
                    }
                }
                let requests = timers::requests(class, port);
                for request in &requests {
                    self.symbol(&class.ports[port].name.text, &request.event);
                }
                if !requests.is_empty() {
                    let name = format!("{}.{}", self.path(instance), class.ports[port].name.text);
                    let id = self.channel(name, class.ports[port].name.span);
                    self.timers.insert((instance, port), id);
                }
            }
        }
        if self.names.len() > MOST_MESSAGES || self.network.variables.len() > MOST_MESSAGES {
            let text = format!("there are more than {MOST_MESSAGES} kinds of messages or queues");
            messages.report(Diagnostic::error("U0118", span, text));
        }
    }

    /// Variables for what may be given to a part that is created at run time.
    fn declare_arguments(&mut self, instance: usize) {
        let class = self.instances.class(instance);
        let owner =
            self.instances.instances.iter().position(|i| i.parts.iter().flatten().any(|part| *part == instance));
        let is_root = self.instances.instances[instance].optional == Some(instance);
        let Some(owner) = owner.filter(|_| is_root && reads_data(class)) else { return };
        let owner = self.instances.class(owner);
        if !timers::mentions(owner, "EmptyActorClass") {
            return;
        }
        let names = variables::types(self.library);
        let named = names.structures.iter().filter(|(name, _)| timers::mentions(owner, name));
        let cells = named.filter_map(|(_, shape)| Some(shape.as_ref()?.cells())).max().unwrap_or(1);
        let name = self.path(instance);
        let span = class.capsule.name.span;
        for at in 1..=cells {
            let given = self.shared(format!("{name} (given {at})"), ScalarType::Int, 0, span);
            self.arguments.entry(instance).or_default().push(given);
        }
    }

    fn channel(&mut self, name: String, span: Span) -> VariableId {
        let initial = Initial::NewChannel(0.into());
        self.network.variables.push(Variable { name, ty: ScalarType::Channel, dimensions: Vec::new(), initial, span });
        VariableId::from(self.network.variables.len() - 1)
    }

    fn symbol(&mut self, port: &str, event: &str) -> i32 {
        let next = self.names.len() as i32 + 1;
        let symbol = *self.symbols.entry((port.to_owned(), event.to_owned())).or_insert(next);
        if symbol == next {
            self.names.push(if port.is_empty() { event.to_owned() } else { format!("{port}.{event}") });
        }
        symbol
    }

    /// The name of an instance: its path, or that of the class at the top.
    fn path(&self, instance: usize) -> String {
        let path = &self.instances.instances[instance].path;
        if path.is_empty() { self.instances.class(instance).capsule.name.text.clone() } else { path.clone() }
    }

    /// The machine of an instance, and those of its timers.
    fn instance(&mut self, instance: usize, messages: &mut Messages<'_>) {
        let class = self.instances.class(instance);
        if class.machine.is_none() || class.capsule.kind != ClassKind::Capsule {
            return;
        }
        let name = self.path(instance);
        let (machine, havoc, told) = handlers::machine(self, instance, name, messages);
        let id = self.network.machines.len().into();
        self.network.havoc.extend(havoc.into_iter().map(|edge| (id, edge)));
        self.groups.push(self.sharing.thread[instance]);
        self.process(machine, id, told);
        for port in 0..class.ports.len() {
            if let Some(&pending) = self.timers.get(&(instance, port)) {
                let (machine, told) = self.timer(instance, port, pending);
                // Threads of capsules have the numbers of capsules.
                self.groups.push(self.instances.instances.len() + self.groups.len());
                self.process(machine, id, told);
            }
        }
    }

    /// A process that moves in the lane of a capsule instance.
    fn process(&mut self, machine: Machine, lane: MachineId, told: words::Told) {
        if let Some(words) = &mut self.network.words {
            words::add(words, self.network.machines.len().into(), lane, told);
        }
        self.network.instances.push(Instance { machine: self.network.machines.len().into(), priority: 1 });
        self.network.machines.push(machine);
    }

    /// The symbol of a message that an instance receives.
    fn own_symbol(&self, instance: usize, port: usize, event: &str) -> i32 {
        let port = &self.instances.class(instance).ports[port].name.text;
        self.symbols[&(port.clone(), event.to_owned())]
    }

    /// Sends a message to an instance.
    fn send(&self, to: usize, channel: VariableId, symbol: i32, data: Vec<Expr>, span: Span) -> Action {
        self.message(to, channel, Expr::Const(symbol), data, span)
    }

    fn message(&self, to: usize, channel: VariableId, symbol: Expr, data: Vec<Expr>, span: Span) -> Action {
        let address = self.addressed.then(|| address(to));
        let data = data.into_iter().chain(std::iter::repeat(Expr::Const(0))).take(self.carried());
        let message = address.into_iter().chain([symbol]).chain(data).collect();
        Action::Send { channel: global(channel, span), message, sorted: false }
    }

    /// How many numbers a message has.
    fn carried(&self) -> usize {
        self.width + usize::from(self.keeps_priorities)
    }

    /// The pattern of a message to an instance.
    fn pattern(&self, to: usize, symbol: i32, data: Vec<Pattern>) -> Vec<Pattern> {
        let address = self.addressed.then(|| Pattern::Match(address(to)));
        let symbol = Pattern::Match(Expr::Const(symbol));
        let data = data.into_iter().chain(std::iter::repeat(Pattern::Any)).take(self.carried());
        address.into_iter().chain([symbol]).chain(data).collect()
    }

    /// The type of what a message carries, if its values are known. The declaration counts, not the port.
    fn data_type(&self, port: &PortData<'_>, event: &str) -> Option<&str> {
        let declared = self.library.event(port.protocol, event)?;
        let known = !self.forgotten.borrow().contains(&key(event, declared.name.span));
        declared.data.as_deref().filter(|_| self.width > 0 && known)
    }

    fn forget_data(&self, port: &PortData<'_>, event: &str) {
        if let Some(declared) = self.library.event(port.protocol, event) {
            self.forgotten.borrow_mut().insert(key(event, declared.name.span));
        }
    }

    /// Where both ends of a connection declare a message of their own, what it carries is unknown: the types may differ.
    fn agree(&self, slot: Slot, event: &str) {
        let Some(other) = self.instances.wiring.get(&slot) else { return };
        let ports = [slot, *other].map(|slot| &self.instances.class(slot.instance).ports[slot.port]);
        let [sends, receives] = ports.map(|port| self.library.event(port.protocol, event).map(|e| e.name.span));
        if sends != receives {
            ports.into_iter().for_each(|port| self.forget_data(port, event));
        }
    }

    /// The variable that says whether an instance exists, if it is created at run time.
    fn alive_of(&self, instance: usize) -> Option<VariableId> {
        self.alive.get(&self.instances.instances[instance].optional?).copied()
    }

    /// Where a message from an end of a port goes: the instance, its queue, and the symbol there.
    fn receiver(&self, slot: Slot, event: &str) -> Option<(usize, VariableId, i32)> {
        let other = self.instances.wiring.get(&slot)?;
        let port = &self.instances.class(other.instance).ports[other.port];
        let symbol = self.symbols.get(&(port.name.text.clone(), event.to_owned()))?;
        Some((other.instance, *self.queues.get(&other.instance)?, *symbol))
    }
}

/// A capsule instance as the receiver of a message.
fn address(instance: usize) -> Expr {
    Expr::Const(instance as i32 + 1)
}

/// A global variable.
fn global(variable: VariableId, span: Span) -> Expr {
    Expr::Read(global_place(variable, span))
}

fn global_place(variable: VariableId, span: Span) -> Place {
    Place { scope: Scope::Global, variable, indices: Vec::new(), span }
}

/// A machine as a process type.
fn process_type(name: String, span: Span) -> Machine {
    Machine {
        name,
        kind: MachineKind::Process,
        parameters: 0,
        variables: Vec::new(),
        locations: Vec::new(),
        edges: Vec::new(),
        initial: 0.into(),
        provided: None,
        span,
    }
}
