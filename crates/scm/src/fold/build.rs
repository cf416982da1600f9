//! From states and messages to a network of plain machines.

use super::closure::{Closure, State};
use super::processes::Start;
use super::step::{Label, Outcome};
use super::{FaultState, Folded, FoldedProcess, FoldedState, Message};
use crate::print::{NotExpressible, different};
use model::expr::{Expr, Pattern, Place, Scope};
use model::ids::{EdgeId, LocationId, SymbolSetId, VariableId};
use model::network::{
    Action, ChannelType, Edge, Initial, Instance, Location, Machine, MachineKind, Network, ReceiveMode, ScalarType,
    SymbolSet, Variable,
};
use model::source::Span;
use std::collections::{HashMap, HashSet};

/// The most messages that two bytes can count.
const MOST_MESSAGES: usize = 0xffff;

/// The most channels of an `.scm` file.
const MOST_CHANNELS: usize = 255;

/// Builds the result.
pub(super) fn build<'n>(
    network: &'n Network,
    start: Start,
    mut closure: Closure<'n>,
) -> Result<Folded, NotExpressible> {
    let messages = alphabet(&closure);
    if messages.len() > MOST_MESSAGES {
        return NotExpressible::new(Span::NONE, "there are too many different messages");
    }
    if let Some((_, span)) = start.queue_names.get(MOST_CHANNELS) {
        return NotExpressible::new(*span, format!("there are more than {MOST_CHANNELS} channels"));
    }
    let symbols = (1..).zip(&messages).map(|(symbol, message)| (message.clone(), symbol)).collect();
    let mut folded = Folded {
        network: Network { symbol_sets: vec![names(network, &messages)], ..Network::default() },
        processes: Vec::new(),
        queues: start.queues.clone(),
        messages,
        prologue: start.prologue.clone(),
        faults: Vec::new(),
        approximations: Vec::new(),
    };
    channels(network, &start, &mut folded.network, folded.messages.len());
    for process in 0..closure.processes.len() {
        let mut builder = Builder::new(network, &mut closure, process, &symbols);
        builder.edges()?;
        let Builder { machine, folded: made, faults, .. } = builder;
        let id = process.into();
        folded.faults.extend(faults.iter().map(|&(location, span)| FaultState { machine: id, location, span }));
        folded.network.machines.push(machine);
        folded.network.instances.push(Instance { machine: id, priority: 1 });
        folded.processes.push(made);
    }
    folded.approximations = closure.approximations();
    Ok(folded)
}

/// All messages, each once, in the order of the channels.
fn alphabet(closure: &Closure<'_>) -> Vec<Message> {
    let mut seen: HashSet<&Message> = HashSet::new();
    closure.sent.messages.iter().flatten().filter(|message| seen.insert(*message)).cloned().collect()
}

fn names(network: &Network, messages: &[Message]) -> SymbolSet {
    let mut taken = HashSet::new();
    let name = |message: &Message| {
        let fields = message.fields.iter().zip(&message.values);
        let fields: Vec<String> = fields.map(|(&ty, &value)| network.show_value(ty, value)).collect();
        fields.join("_").replace('-', "minus")
    };
    let symbols = messages.iter().map(|message| different(&name(message), &mut taken)).collect();
    SymbolSet { name: String::new(), symbols }
}

/// One channel variable for each queue, with its name, and no limit.
fn channels(network: &Network, start: &Start, folded: &mut Network, messages: usize) {
    let small = messages <= usize::from(u8::MAX);
    let field = if small { ScalarType::Symbol(SymbolSetId(0)) } else { ScalarType::Unsigned(16) };
    for (index, (kind, (name, span))) in start.queues.iter().zip(&start.queue_names).enumerate() {
        let kind = &network.channel_types[kind.index()];
        let (lossy, span) = (kind.lossy, *span);
        folded.channel_types.push(ChannelType { capacity: None, fields: vec![field], lossy, span: kind.span });
        folded.variables.push(Variable {
            name: name.clone(),
            ty: ScalarType::Channel,
            dimensions: Vec::new(),
            initial: Initial::NewChannel(index.into()),
            span,
        });
    }
}

/// Builds the machine of one process.
struct Builder<'b, 'n> {
    original: &'n Machine,
    closure: &'b mut Closure<'n>,
    process: usize,
    symbols: &'b HashMap<Message, i32>,
    machine: Machine,
    folded: FoldedProcess,
    faults: Vec<(LocationId, Span)>,
}

impl<'b, 'n> Builder<'b, 'n> {
    fn new(
        network: &'n Network,
        closure: &'b mut Closure<'n>,
        process: usize,
        symbols: &'b HashMap<Message, i32>,
    ) -> Self {
        let running = &closure.processes[process];
        let original = network.machine(running.machine);
        let same = closure.processes.iter().filter(|other| other.machine == running.machine).count();
        let name = if same == 1 { original.name.clone() } else { format!("{}_{}", original.name, running.number) };
        let states = &closure.states[process].list;
        let machine = Machine {
            name,
            kind: MachineKind::Process,
            parameters: 0,
            variables: Vec::new(),
            locations: states.iter().map(|state| location(original, state)).collect(),
            edges: Vec::new(),
            initial: LocationId(0),
            provided: None,
            span: original.span,
        };
        let folded_state = |state: &State| FoldedState {
            location: state.location,
            values: state.locals.clone(),
            globals: closure.store(process, state).globals,
            fault: false,
        };
        let folded = FoldedProcess {
            process: running.number,
            machine: running.machine,
            owned: closure.owned[process].clone(),
            states: states.iter().map(folded_state).collect(),
            origins: Vec::new(),
        };
        Builder { original, closure, process, symbols, machine, folded, faults: Vec::new() }
    }

    fn edges(&mut self) -> Result<(), NotExpressible> {
        for from in 0..self.closure.states[self.process].list.len() {
            for outcome in self.closure.transitions(self.process, from)?.outcomes {
                let to = match outcome.fault {
                    Some(span) => self.fault(from, span),
                    None => {
                        let state = self.closure.state(self.process, outcome.to, &outcome.store);
                        self.closure.states[self.process].position(&state).unwrap_or(from).into()
                    }
                };
                self.edge(from, to, outcome);
            }
        }
        Ok(())
    }

    /// The location that stands for an error of a statement.
    fn fault(&mut self, from: usize, span: Span) -> LocationId {
        if let Some(&(location, _)) = self.faults.iter().find(|(_, other)| *other == span) {
            return location;
        }
        let id = LocationId::from(self.machine.locations.len());
        let label = format!("error_{}", self.faults.len() + 1);
        self.machine.locations.push(Location {
            labels: vec![label],
            end: true,
            span: Some(span),
            ..Location::default()
        });
        self.folded.states.push(FoldedState { fault: true, ..self.folded.states[from].clone() });
        self.faults.push((id, span));
        id
    }

    fn edge(&mut self, from: usize, to: LocationId, outcome: Outcome) {
        let span = outcome.edges.first().map_or(self.original.span, |edge| self.original.edges[edge.index()].span);
        let action = self.action(&outcome.label, span);
        self.machine.locations[from].edges.push(EdgeId::from(self.machine.edges.len()));
        self.machine.edges.push(Edge { from: from.into(), to, action, atomic: false, escape: 0, span });
        self.folded.origins.push(outcome.edges);
    }

    fn action(&self, label: &Label, span: Span) -> Action {
        let (queue, message) = match label {
            Label::Internal => return Action::Skip,
            Label::Send(queue, message) | Label::Receive(queue, message) => (*queue, message),
        };
        let variable = VariableId::from(queue);
        let channel = Expr::Read(Place { scope: Scope::Global, variable, indices: Vec::new(), span });
        let symbol = Expr::Const(self.symbols.get(message).copied().unwrap_or(0));
        match label {
            Label::Send(..) => Action::Send { channel, message: vec![symbol], sorted: false },
            _ => Action::Receive { channel, pattern: vec![Pattern::Match(symbol)], mode: ReceiveMode::default() },
        }
    }
}

/// A location of the result: named after the one it comes from, and the values there.
fn location(machine: &Machine, state: &State) -> Location {
    let original = &machine.locations[state.location.index()];
    let mut name = original.labels.first().cloned().unwrap_or_else(|| state.location.0.to_string());
    if !state.locals.is_empty() || !state.owned.is_empty() {
        let elements = machine.variables.iter().flat_map(|v| (0..v.len()).map(|element| v.element_name(element)));
        let values = elements.zip(&state.locals).map(|(name, value)| format!("{name}={value}"));
        let shared = state.owned.iter().map(i32::to_string);
        name += &format!("({})", values.chain(shared).take(12).collect::<Vec<_>>().join(","));
    }
    let labels = std::iter::once(name).chain(original.labels.iter().cloned()).collect();
    let Location { end, progress, accept, span, .. } = *original;
    Location { labels, end, progress, accept, span, ..Location::default() }
}
