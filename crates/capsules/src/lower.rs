//! From instances to a network: a machine per capsule instance, with one unbounded queue of messages.
//!
//! This is the reading *any threads*: each instance has a queue of its own, and a handler may be interrupted before each
//! of its sends, so that every assignment of capsules to threads of equal priority is contained. What a handler does
//! between two sends concerns its own instance alone and is atomic.
//!
//! A message is the pair of the port and the event at its receiver. What it carries is not kept: code that reads it is rejected. A pending timer
//! is a message in a channel of its timing port; a process of that port moves it to the queue of the capsule, at any time.
//!
//! A location where a message is awaited stands for the innermost active state, and has its path as a label. A state without
//! any trigger in it or around it is one where a process may stop.

mod actions;
mod build;
mod handlers;
mod variables;

use crate::ast::{ClassKind, NodeKind, PartKind, TriggerKind};
use crate::resolve::{
    Class, Instances, Library, MachineData, Messages, NodeData, Slot, TransitionData, VertexId, unsupported,
};
use build::Build;
use model::diagnostic::Diagnostic;
use model::expr::{Expr, Place, Scope};
use model::ids::{SymbolSetId, VariableId};
use model::network::{
    Action, ChannelType, Initial, Instance, Machine, MachineKind, Network, ReceiveMode, ScalarType, SymbolSet, Variable,
};
use model::source::Span;
use std::collections::HashMap;

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
    /// Per timing port: the variable of its pending timers.
    timers: HashMap<(usize, usize), VariableId>,
    network: Network,
}

/// Lowers all instances; `None` after an error.
pub(crate) fn lower<'a>(
    library: &Library<'a>,
    instances: &Instances<'a>,
    messages: &mut Messages<'_>,
) -> Option<Network> {
    for class in &instances.classes {
        reject(class, messages);
    }
    if messages.any() {
        return None;
    }
    let mut lowering = Lowering {
        library,
        instances,
        symbols: HashMap::new(),
        names: Vec::new(),
        queues: HashMap::new(),
        timers: HashMap::new(),
        network: Network::default(),
    };
    lowering.declare(messages);
    for instance in 0..instances.instances.len() {
        lowering.instance(instance, messages);
    }
    let Lowering { mut network, names, .. } = lowering;
    network.symbol_sets = vec![SymbolSet { name: String::new(), symbols: names }];
    (!messages.any()).then_some(network)
}

/// What no part of the lowering knows is an error at its place.
fn reject(class: &Class<'_>, messages: &mut Messages<'_>) {
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
    for part in class.parts.iter().filter(|part| part.kind != PartKind::Fixed || !part.snippets.is_empty()) {
        messages.report(unsupported(part.name.span, "a part that is created at run time"));
    }
    let Some(machine) = &class.machine else { return };
    for state in &machine.states {
        if let Some(span) = state.refined {
            messages.report(unsupported(span, "a state that is redefined"));
        }
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
                messages.report(unsupported(port.span, "a trigger of a port without `behavior`"));
            }
        }
        check_source(machine, transition, messages);
        let from_state = matches!(transition.vertices, Some((VertexId::State(_), _)) | None);
        if from_state && transition.triggers.is_empty() {
            messages.report(unsupported(transition.span, "a transition from a state without a trigger"));
        }
        if let Some(span) = transition.refined {
            messages.report(unsupported(span, "a transition that is redefined"));
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
            return messages.report(unsupported(transition.span, "an internal transition outside all states"));
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
        let fields = vec![ScalarType::Symbol(SymbolSetId(0))];
        let span = self.instances.classes[0].capsule.name.span;
        self.network.channel_types = vec![ChannelType { capacity: None, fields, lossy: false, span }];
        for instance in 0..self.instances.instances.len() {
            let class = self.instances.class(instance);
            if class.machine.is_none() {
                continue;
            }
            let name = self.path(instance);
            let id = self.channel(name, class.capsule.name.span);
            self.queues.insert(instance, id);
            for port in 0..class.ports.len() {
                for event in class.ports[port].alphabet.incoming.clone() {
                    self.symbol(&class.ports[port].name.text, &event.text);
                }
                if class.ports[port].protocol.text == "Timing" {
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

    fn channel(&mut self, name: String, span: Span) -> VariableId {
        let initial = Initial::NewChannel(0.into());
        self.network.variables.push(Variable { name, ty: ScalarType::Channel, dimensions: Vec::new(), initial, span });
        VariableId::from(self.network.variables.len() - 1)
    }

    fn symbol(&mut self, port: &str, event: &str) -> i32 {
        let next = self.names.len() as i32 + 1;
        let symbol = *self.symbols.entry((port.to_owned(), event.to_owned())).or_insert(next);
        if symbol == next {
            self.names.push(format!("{port}.{event}"));
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
        let machine = handlers::machine(self, instance, name, messages);
        self.process(machine);
        for port in 0..class.ports.len() {
            if let Some(&pending) = self.timers.get(&(instance, port)) {
                let machine = self.timer(instance, port, pending);
                self.process(machine);
            }
        }
    }

    fn process(&mut self, machine: Machine) {
        self.network.instances.push(Instance { machine: self.network.machines.len().into(), priority: 1 });
        self.network.machines.push(machine);
    }

    /// Moves pending timers of a port to the queue of its capsule, each in one step.
    fn timer(&self, instance: usize, port: usize, pending: VariableId) -> Machine {
        let data = &self.instances.class(instance).ports[port];
        let span = data.name.span;
        let symbol = self.symbols[&(data.name.text.clone(), String::from("timeout"))];
        let mut build = Build::new(span);
        let (idle, expired) = (build.location(), build.location());
        build.label(idle, "idle", true);
        let pattern = vec![model::expr::Pattern::Match(Expr::Const(symbol))];
        let receive = Action::Receive { channel: global(pending, span), pattern, mode: ReceiveMode::default() };
        build.edge(idle, expired, receive, span);
        build.edge(expired, idle, send(self.queues[&instance], symbol, span), span);
        build.edges[0].atomic = true;
        let name = format!("{}.{}", self.path(instance), data.name.text);
        build.machine(name, idle, span)
    }

    /// Where a message from an end of a port goes: the queue and the symbol there.
    fn receiver(&self, slot: Slot, event: &str) -> Option<(VariableId, i32)> {
        let other = self.instances.wiring.get(&slot)?;
        let port = &self.instances.class(other.instance).ports[other.port];
        let symbol = self.symbols.get(&(port.name.text.clone(), event.to_owned()))?;
        Some((*self.queues.get(&other.instance)?, *symbol))
    }
}

/// Sends a message.
fn send(channel: VariableId, symbol: i32, span: Span) -> Action {
    Action::Send { channel: global(channel, span), message: vec![Expr::Const(symbol)], sorted: false }
}

/// A global variable.
fn global(variable: VariableId, span: Span) -> Expr {
    Expr::Read(Place { scope: Scope::Global, variable, indices: Vec::new(), span })
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
