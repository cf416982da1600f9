//! From a tree to a network: names are looked up, and every automaton becomes a machine with one process.
//!
//! A channel is a global channel variable without a capacity; its name is its number, unless the file gives it one. A
//! message is a symbolic constant, and a channel carries one field of it. State `n` of the file becomes the next free
//! location, with `n` as its label. A location without transitions is one where a process may stop.
//!
//! What stands in a file is found by tables, so that reading is linear; only messages about errors look for the nearest
//! name, and there are not many of those.

mod automaton;
mod bad;
mod data;
mod language;

use crate::Model;
use crate::ast::{File, Name};
use model::diagnostic::{Diagnostic, nearest};
use model::expr::{Expr, Place, Scope};
use model::ids::{LocationId, SymbolSetId, VariableId};
use model::network::{self, ChannelType, Initial, Instance, Network, ScalarType, SymbolSet};
use model::source::Span;
use std::collections::HashMap;

/// More errors than this are noise.
const MOST_ERRORS: usize = 30;
/// The most messages: what two bytes can count.
const MOST_MESSAGES: usize = 0xffff;

/// Makes a model of a tree; `None` if there was an error, which `diagnostics` then has.
pub(crate) fn lower(file: &File, diagnostics: &mut Vec<Diagnostic>) -> Option<Model> {
    Lowering::new(file, diagnostics).model()
}

pub(crate) use bad::lower_short;

/// A message of the alphabet.
#[derive(Clone, Copy)]
struct Message {
    /// What stands for it in a queue.
    symbol: i32,
    /// Its value in an expression, if it has one.
    value: Option<i32>,
}

struct Lowering<'f, 'd> {
    file: &'f File,
    diagnostics: &'d mut Vec<Diagnostic>,
    channels: HashMap<&'f str, usize>,
    messages: HashMap<&'f str, Message>,
    automata: HashMap<&'f str, usize>,
    /// Per automaton: its states.
    states: Vec<HashMap<&'f str, LocationId>>,
}

impl<'f, 'd> Lowering<'f, 'd> {
    fn new(file: &'f File, diagnostics: &'d mut Vec<Diagnostic>) -> Self {
        let (channels, messages, automata) = (HashMap::new(), HashMap::new(), HashMap::new());
        Lowering { file, diagnostics, channels, messages, automata, states: Vec::new() }
    }

    fn model(&mut self) -> Option<Model> {
        let mut network = Network { symbol_sets: vec![SymbolSet::default()], ..Network::default() };
        self.declare_channels();
        self.declare_messages(&mut network);
        self.lower_channels(&mut network);
        self.declare_automata();
        for index in 0..self.file.automata.len() {
            let machine = self.machine(index);
            network.machines.push(machine);
            network.instances.push(Instance { machine: index.into(), priority: 1 });
        }
        let specification = self.specification(&network);
        self.never_sent(&network);
        if crate::has_errors(self.diagnostics) {
            return None;
        }
        Some(Model { network, specification })
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MOST_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn twice(&mut self, what: &str, name: &Name, first: Span) {
        let error = Diagnostic::error("S0102", name.span, format!("{what} `{}` is declared twice", name.text));
        self.report(error.label("again here").also(first, "first here"));
    }

    fn unknown<'n>(&mut self, code: &'static str, what: &str, name: &Name, known: impl Iterator<Item = &'n str>) {
        let error = self.unknown_name(code, what, name, known);
        self.report(error);
    }

    fn unknown_name<'n>(
        &self,
        code: &'static str,
        what: &str,
        name: &Name,
        known: impl Iterator<Item = &'n str>,
    ) -> Diagnostic {
        let error = Diagnostic::error(code, name.span, format!("there is no {what} `{}`", name.text));
        // Looking for the nearest name takes a while, and what is not reported need not have one.
        let near = if self.diagnostics.len() < MOST_ERRORS { nearest(&name.text, known.take(1000)) } else { None };
        match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    }

    fn declare_channels(&mut self) {
        let file = self.file;
        for (index, channel) in file.channels.iter().enumerate() {
            if let Some(first) = self.channels.insert(&channel.name.text, index) {
                self.twice("channel", &channel.name, file.channels[first].name.span);
            }
        }
    }

    /// The index of a channel; an error if there is none.
    fn channel(&mut self, name: &Name) -> Option<usize> {
        let file = self.file;
        let numbered = name.number().and_then(|number| usize::try_from(number).ok());
        let found = numbered.or_else(|| self.channels.get(name.text.as_str()).copied());
        let found = found.filter(|&index| index < file.channels.len());
        if found.is_none() && name.number().is_some() {
            let error = Diagnostic::error("S0103", name.span, format!("there is no channel {}", name.text));
            self.report(error.help(match file.channels.len() {
                1 => String::from("there is one channel, and its number is 0"),
                count => format!("channels are numbered from 0 to {}", count - 1),
            }));
        } else if found.is_none() {
            let named = file.channels.iter().map(|channel| channel.name.text.as_str());
            self.unknown("S0103", "channel", name, named);
        }
        found
    }

    fn declare_messages(&mut self, network: &mut Network) {
        let file = self.file;
        if let Some(extra) = file.messages.get(MOST_MESSAGES) {
            let message = format!("there are more than {MOST_MESSAGES} messages");
            self.report(Diagnostic::error("S0101", extra.name.span, message));
            return;
        }
        for (index, declared) in file.messages.iter().enumerate() {
            let value = self.constant(declared);
            let message = Message { symbol: index as i32 + 1, value };
            if let Some(first) = self.messages.insert(&declared.name.text, message) {
                self.twice("message", &declared.name, file.messages[first.symbol as usize - 1].name.span);
            }
            network.symbol_sets[0].symbols.push(declared.name.text.clone());
        }
    }

    /// The symbol of a message; an error if there is none.
    fn message(&mut self, name: &Name) -> Option<i32> {
        let found = self.messages.get(name.text.as_str()).map(|message| message.symbol);
        if found.is_none() {
            let file = self.file;
            self.unknown("S0104", "message", name, file.messages.iter().map(|m| m.name.text.as_str()));
        }
        found
    }

    fn lower_channels(&mut self, network: &mut Network) {
        let file = self.file;
        let small = file.messages.len() <= usize::from(u8::MAX);
        let field = if small { ScalarType::Symbol(SymbolSetId(0)) } else { ScalarType::Unsigned(16) };
        for (index, channel) in file.channels.iter().enumerate() {
            let span = channel.name.span;
            let kind = ChannelType { capacity: None, fields: vec![field], lossy: channel.lossy, span };
            network.channel_types.push(kind);
            network.variables.push(network::Variable {
                name: channel.name.text.clone(),
                ty: ScalarType::Channel,
                dimensions: Vec::new(),
                initial: Initial::NewChannel(index.into()),
                span,
            });
        }
        for name in &file.lossy {
            if let Some(index) = self.channel(name) {
                network.channel_types[index].lossy = true;
                network.channel_types[index].span = name.span;
            }
        }
    }

    fn declare_automata(&mut self) {
        let file = self.file;
        if file.automata.is_empty() {
            let end = file.messages.last().map_or(Span::NONE, |message| message.name.span);
            self.report(Diagnostic::error("S0108", end, "there is no automaton in this model"));
        }
        for (index, automaton) in file.automata.iter().enumerate() {
            if let Some(first) = self.automata.insert(&automaton.name.text, index) {
                self.twice("automaton", &automaton.name, file.automata[first].name.span);
            }
            let mut states: HashMap<&str, LocationId> = HashMap::new();
            for (index, state) in automaton.states.iter().enumerate() {
                if let Some(first) = states.insert(&state.name.text, index.into()) {
                    self.twice("state", &state.name, automaton.states[first.index()].name.span);
                }
            }
            self.states.push(states);
        }
    }

    /// The location of a state of an automaton; an error if there is none.
    fn state(&mut self, automaton: usize, name: &Name) -> Option<LocationId> {
        let found = self.states[automaton].get(name.text.as_str()).copied();
        if found.is_none() {
            let declared = &self.file.automata[automaton];
            let known = declared.states.iter().map(|state| state.name.text.as_str());
            let error = self.unknown_name("S0105", "state", name, known);
            let error = error.label(format!("not declared in automaton `{}`", declared.name.text));
            let declaration = format!("declare it: `state {} :`, with no transition if it is final", name.text);
            self.report(error.help(declaration));
        }
        found
    }

    /// A receive of something that no process ever sends there is most often a slip.
    fn never_sent(&mut self, network: &Network) {
        let actions = || self.file.automata.iter().flat_map(|a| &a.states).flat_map(|s| &s.transitions);
        let actions = || actions().filter_map(|transition| transition.action.as_ref());
        let index = |name: &Name| match name.number() {
            Some(number) => usize::try_from(number).ok(),
            None => self.channels.get(name.text.as_str()).copied(),
        };
        let sends: std::collections::HashSet<_> =
            actions().filter(|a| a.send).map(|a| (index(&a.channel), a.message.text.as_str())).collect();
        let missing = actions().filter(|a| !a.send && !sends.contains(&(index(&a.channel), a.message.text.as_str())));
        let warnings: Vec<Diagnostic> = missing
            .take(MOST_ERRORS)
            .map(|action| {
                let (message, channel) = (&action.message, &action.channel.text);
                let text = format!("no machine sends `{}` on channel {channel}", message.text);
                Diagnostic::warning("S0301", message.span, text).label("this transition can never be taken")
            })
            .collect();
        if !crate::has_errors(self.diagnostics) && !network.machines.is_empty() {
            warnings.into_iter().for_each(|warning| self.report(warning));
        }
    }
}

/// The channel variable at an index, as an expression.
fn channel_variable(index: usize, span: Span) -> Expr {
    Expr::Read(Place { scope: Scope::Global, variable: VariableId::from(index), indices: Vec::new(), span })
}

/// A variable of an automaton, as a place.
fn local_variable(index: usize, span: Span) -> Place {
    Place { scope: Scope::Local, variable: VariableId::from(index), indices: Vec::new(), span }
}
