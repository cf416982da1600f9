//! Communicating machines in the format of KMC (`.cfsm`): one machine after the other, one transition a line.
//!
//! ```text
//! model   := machine+
//! machine := ".outputs" ... ".state graph" transition* ".marking" STATE ".end"
//! transition := STATE PEER ("!"|"?") MESSAGE STATE
//! ```
//!
//! Machines are known by their place, from 0. Between any two that talk there is a channel in each direction that is used:
//! `1 ! a` in machine 0 sends to machine 1, `1 ? a` receives from it. Here machine 0 is `M0`, and what it sends to machine 1
//! goes through `M0_M1`. A comment is `--` and the rest of the line.

use crate::ast::{Action, Automaton, Channel, File, Name, State, Transition, Variable};
use model::diagnostic::Diagnostic;
use model::source::{FileId, Span};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The most machines: what a byte can count.
const MOST: usize = 255;
/// After so many errors the rest is noise.
const MOST_ERRORS: usize = 30;

/// Makes a tree of a text; what is wrong goes to `diagnostics`.
pub(crate) fn parse(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> File {
    let mut reader = Reader { diagnostics, machines: Vec::new(), open: None };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reader.line(&words(file, start, line));
        start += line.len();
        if reader.diagnostics.len() >= MOST_ERRORS {
            return File::default();
        }
    }
    let end = Span::new(file, text.len(), text.len());
    let is_unfinished = reader.open.is_some() || reader.machines.is_empty();
    if is_unfinished && reader.diagnostics.is_empty() {
        let wanted = if reader.open.is_some() { "`.end`" } else { "`.outputs`" };
        reader.error("S0003", end, format!("expected {wanted}, found the end of the file"));
    }
    reader.file()
}

/// The words of a line without its comment; `!` and `?` are words wherever they stand.
fn words(file: FileId, start: usize, line: &str) -> Vec<Name> {
    let code = line.split("--").next().unwrap_or("");
    let mut words: Vec<Name> = Vec::new();
    let mut inside = false;
    for (at, character) in code.char_indices() {
        let is_mark = matches!(character, '!' | '?');
        let span = Span::new(file, start + at, start + at + character.len_utf8());
        match words.last_mut() {
            Some(word) if inside && !is_mark && !character.is_whitespace() => {
                word.text.push(character);
                word.span = word.span.to(span);
            }
            _ if character.is_whitespace() => {}
            _ => words.push(Name { text: character.to_string(), span }),
        }
        inside = !is_mark && !character.is_whitespace();
    }
    words
}

/// A transition as it is written.
struct Line {
    from: Name,
    peer: Name,
    send: bool,
    message: Name,
    to: Name,
}

/// A machine up to here.
struct Machine {
    /// The line that begins it.
    begin: Span,
    lines: Vec<Line>,
    initial: Option<Name>,
}

struct Reader<'d> {
    diagnostics: &'d mut Vec<Diagnostic>,
    machines: Vec<Machine>,
    open: Option<Machine>,
}

impl Reader<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    fn line(&mut self, words: &[Name]) {
        let Some(first) = words.first() else { return };
        match (first.text.as_str(), &mut self.open) {
            (".outputs", None) => {
                self.open = Some(Machine { begin: first.span, lines: Vec::new(), initial: None });
            }
            (_, None) | (".outputs", Some(_)) => {
                let wanted = if self.open.is_some() { ".end" } else { ".outputs" };
                self.error("S0003", first.span, format!("expected `{wanted}`, found `{}`", first.text));
            }
            (".state", Some(_)) => {}
            (".marking", Some(machine)) => match (words, &machine.initial) {
                ([_, initial], None) => machine.initial = Some(initial.clone()),
                _ => self.error("S0003", first.span, String::from("expected one initial state after `.marking`")),
            },
            (".end", Some(_)) => self.close(first.span),
            (_, Some(_)) => self.transition(words),
        }
    }

    fn close(&mut self, end: Span) {
        let Some(machine) = self.open.take() else { return };
        if machine.initial.is_none() {
            self.error("S0003", end, String::from("expected `.marking` with the initial state, found `.end`"));
        }
        self.machines.push(machine);
        if self.machines.len() == MOST + 1 {
            self.error("S0101", end, format!("there can be 1 to {MOST} automata, not {}", MOST + 1));
        }
    }

    fn transition(&mut self, words: &[Name]) {
        let [from, peer, direction, message, to] = words else {
            let span = words[0].span.to(words[words.len() - 1].span);
            let wanted = "expected a transition: state, machine, `!` or `?`, message, state";
            return self.error("S0003", span, String::from(wanted));
        };
        if !matches!(direction.text.as_str(), "!" | "?") {
            let message = format!("expected `!` or `?`, found `{}`", direction.text);
            return self.error("S0003", direction.span, message);
        }
        let [from, peer, message, to] = [from, peer, message, to].map(Name::clone);
        let line = Line { from, peer, send: direction.text == "!", message, to };
        if let Some(machine) = &mut self.open {
            machine.lines.push(line);
        }
    }

    fn file(mut self) -> File {
        let machines = std::mem::take(&mut self.machines);
        let mut file = File::default();
        let mut channels = BTreeMap::new();
        let mut messages = HashSet::new();
        for (index, machine) in machines.iter().enumerate() {
            let mut automaton = Automaton {
                name: Name { text: format!("M{index}"), span: machine.begin },
                variables: Vec::new(),
                initial: machine.initial.iter().cloned().collect(),
                states: machine.states(),
            };
            let numbers = automaton.states.iter().enumerate();
            let numbers: HashMap<String, usize> = numbers.map(|(at, state)| (state.name.text.clone(), at)).collect();
            for line in &machine.lines {
                let Some(peer) = self.peer(&line.peer, machines.len()) else { continue };
                let ends = if line.send { (index, peer) } else { (peer, index) };
                let channel = Name { text: format!("M{}_M{}", ends.0, ends.1), span: line.peer.span };
                channels.entry(ends).or_insert_with(|| Channel { name: channel.clone(), lossy: false });
                if messages.insert(&line.message.text) {
                    file.messages.push(Variable { name: line.message.clone(), real: false, value: None });
                }
                automaton.states[numbers[&line.from.text]].transitions.push(line.transition(channel));
            }
            file.automata.push(automaton);
        }
        if let Some(extra) = channels.values().nth(MOST) {
            self.error("S0101", extra.name.span, format!("there can be 1 to {MOST} channels, not {}", channels.len()));
        }
        file.channels = channels.into_values().collect();
        file
    }

    fn peer(&mut self, name: &Name, machines: usize) -> Option<usize> {
        let peer = name.number().and_then(|peer| usize::try_from(peer).ok()).filter(|peer| *peer < machines);
        if peer.is_none() {
            let message = format!("there is no machine `{}`; they are numbered from 0 to {}", name.text, machines - 1);
            self.error("S0106", name.span, message);
        }
        peer
    }
}

impl Machine {
    /// Every state that is named, in order, without transitions.
    fn states(&self) -> Vec<State> {
        let mut known = HashSet::new();
        let named = self.initial.iter().chain(self.lines.iter().flat_map(|line| [&line.from, &line.to]));
        let new = named.filter(|name| known.insert(&name.text));
        new.map(|name| State { name: name.clone(), transitions: Vec::new() }).collect()
    }
}

impl Line {
    fn transition(&self, channel: Name) -> Transition {
        Transition {
            to: self.to.clone(),
            guard: None,
            action: Some(Action { channel, send: self.send, message: self.message.clone() }),
            assignments: Vec::new(),
            span: self.from.span.to(self.to.span),
        }
    }
}
