//! Code that is not understood and could send: it may send every message of the capsule, set every timer and lose every
//! message, any number of times. It is assumed not to invoke, and to name a priority where it sends with one; whatever
//! it computes is unknown.
//!
//! And what happens once a limit of the lowering is passed, which is more than any capsule does (`chaos`).

use super::build::{place, value};
use super::guard::Guard;
use super::handlers::Handlers;
use super::priorities::mentions_priorities;
use super::reach::{expressions, words_of_statement};
use super::timers::requests;
use crate::action::{Expr, ExprKind, Stmt, Unreadable};
use crate::questions::{self, UNBOUND};
use crate::resolve::Slot;
use model::diagnostic::Diagnostic;
use model::expr::{BinaryOp, Expr as Value, Pattern};
use model::ids::{EdgeId, LocationId, VariableId};
use model::network::{Action, ReceiveMode, ScalarType};
use model::source::Span;
use std::collections::HashSet;

/// Words of code that does more than send: such code is rejected.
const MORE: [&str; 19] = [
    "this",
    "thread",
    "async",
    "context",
    "self",
    "invoke",
    "invokeAt",
    "destroy",
    "incarnate",
    "incarnateAt",
    "import",
    "deport",
    "cancelTimer",
    "recall",
    "recallAll",
    "purge",
    "defer",
    "createOptionalActor",
    "destroyOptionalActor",
];

/// The words of a text, with their places.
fn words_in(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.char_indices().filter_map(move |(at, c)| {
        let starts = is_word(c) && !text[..at].chars().next_back().is_some_and(is_word);
        let rest = &text[at..];
        starts.then(|| (at, &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]))
    })
}

impl Handlers<'_, '_, '_, '_> {
    /// Whether what code could do is among the things that [`Self::anything`] does.
    pub(super) fn may_do_anything(&self, error: &Unreadable, statement: &Stmt) -> bool {
        let Some(word) = &error.sends else { return false };
        let mut words = HashSet::new();
        words_of_statement(statement, &mut words);
        let mut escapes = false;
        expressions(statement, &mut |e| escapes |= self.escapes(e));
        words.contains(word) && !escapes && self.is_limited(&words)
    }

    /// The same of code that cannot be parsed: what could send is mentioned before `.` and `->` only.
    pub(super) fn text_may_do_anything(&self, error: &Unreadable, text: &str) -> bool {
        let words: HashSet<String> = words_in(text).map(|(_, word)| word.to_owned()).collect();
        let used_only =
            words_in(text).filter(|(_, word)| *word != "msg" && self.reach.forbids(word)).all(|(at, word)| {
                let behind = text[at + word.len()..].trim_start();
                behind.starts_with('.') || behind.starts_with("->") || behind.starts_with('(')
            });
        let is_lambda = ["[this", "[&", "[=", "[]"].iter().any(|start| text.contains(start));
        error.sends.as_ref().is_some_and(|word| words.contains(word))
            && used_only
            && !is_lambda
            && self.is_limited(&words)
    }

    fn is_limited(&self, words: &HashSet<String>) -> bool {
        let has_parts = self.class.parts.iter().any(|part| part.kind != crate::ast::PartKind::Fixed);
        let is_usual = !self.lowering.instances.classes.iter().any(mentions_priorities);
        !has_parts
            && is_usual
            && self.names.timers.is_empty()
            && !words.iter().any(|word| MORE.contains(&word.as_str()))
    }

    /// Whether something that could send is given away, so that it could be used later: only what is used at once is not. The
    /// message is gone when it has been handled.
    fn escapes(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => name.split("::").any(|word| word != "msg" && self.reach.forbids(word)),
            ExprKind::Member(inner, _) => !matches!(inner.kind, ExprKind::Name(_)) && self.escapes(inner),
            ExprKind::Call(function, arguments) => {
                let calls = matches!(function.kind, ExprKind::Name(_));
                (!calls && self.escapes(function)) || arguments.iter().any(|e| self.escapes(e))
            }
            ExprKind::Unary("&", inner) => {
                matches!(&inner.kind, ExprKind::Name(name)
                if name.split("::").any(|word| self.operations.contains_key(word)))
                    || self.escapes(inner)
            }
            ExprKind::Unary(_, inner) | ExprKind::Postfix(_, inner) | ExprKind::Cast(_, inner) => self.escapes(inner),
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => self.escapes(a) || self.escapes(b),
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().any(|e| self.escapes(e)),
            ExprKind::New(_, inside) | ExprKind::List(inside) => inside.iter().any(|e| self.escapes(e)),
            ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::Literal | ExprKind::Text(_) => false,
        }
    }

    /// Reports code that may do anything, and forgets the variables of the capsule.
    pub(super) fn not_understood(&mut self, error: &Unreadable) {
        let word = error.sends.clone().unwrap_or_default();
        let text = format!("this code is not modelled, and could send because of `{word}`");
        self.messages.report(Diagnostic::warning("U0305", error.span, text).label("any messages may be sent here"));
        for variable in 0..self.build.variables.len() {
            let (name, span) = (self.build.variables[variable].name.clone(), self.build.variables[variable].span);
            if !name.contains(' ') || name.ends_with("(local)") || name.ends_with("(given)") {
                self.lowering.forgotten.borrow_mut().insert(super::key(&name, span));
            }
        }
    }

    /// What follows is not modelled: every queue may get and lose anything, every variable that machines share may
    /// change, the capsule may be in any state, and every invariant may be violated. Nothing is forgotten for it: where
    /// no run comes here, all else is exact.
    pub(super) fn chaos(&mut self, at: LocationId, span: Span) {
        let beyond = self.condition(at, &Guard::unknown(), span);
        let (hub, is_new) = match self.chaos {
            Some(hub) => (hub, false),
            None => (self.build.location(), true),
        };
        self.chaos = Some(hub);
        self.build.edge(beyond, hub, Action::Skip, span);
        if !is_new {
            return;
        }
        questions::labels().for_each(|label| self.build.label(hub, label, false));
        self.guess_edge(hub, hub, Action::Assert(Value::Const(0)), span);
        let fields = self.lowering.network.channel_types[0].fields.len();
        let any: Vec<VariableId> =
            (0..fields).map(|_| self.build.variable(String::from("any value"), ScalarType::Int, 0, span)).collect();
        let next = |e: Value| Value::Binary(BinaryOp::Add, Box::new(e), Box::new(Value::Const(1)));
        for &field in &any {
            self.guess_edge(hub, hub, Action::Assign(place(field, span), next(value(field, span))), span);
        }
        for (index, variable) in self.lowering.network.variables.iter().enumerate() {
            let shared = super::global(index.into(), span);
            if variable.ty != ScalarType::Channel {
                let changed = Action::Assign(super::global_place(index.into(), span), next(shared));
                self.guess_edge(hub, hub, changed, span);
                continue;
            }
            let message = any.iter().map(|&field| value(field, span)).collect();
            let send = Action::Send { channel: shared.clone(), message, sorted: false };
            self.guess_edge(hub, hub, send, span);
            let (pattern, mode) = (vec![Pattern::Any; fields], ReceiveMode::default());
            self.guess_edge(hub, hub, Action::Receive { channel: shared, pattern, mode }, span);
        }
        for state in 0..self.waits.len() {
            let there = self.build.location();
            self.name(there, state);
            self.guess_edge(hub, there, Action::Skip, span);
            self.guess_edge(there, hub, Action::Skip, span);
        }
    }

    fn guess_edge(&mut self, from: LocationId, to: LocationId, action: Action, span: Span) {
        self.build.havoc.push(EdgeId::from(self.build.edges.len()));
        self.build.edge(from, to, action, span);
    }

    /// Any messages are sent, any timers are set.
    pub(super) fn anything(&mut self, at: LocationId, span: Span) -> LocationId {
        let here = self.condition(at, &Guard::unknown(), span);
        let class = self.class;
        let mut open = false;
        for port in (0..class.ports.len()).filter(|&port| class.ports[port].behavior) {
            for request in requests(class, port) {
                let pending: VariableId = self.lowering.timers[&(self.instance, port)];
                let symbol = self.lowering.own_symbol(self.instance, port, &request.event);
                let set = self.lowering.send(self.instance, pending, symbol, Vec::new(), span);
                self.guess_edge(here, here, set, span);
            }
            for event in &class.ports[port].alphabet.outgoing {
                self.lowering.forget_data(&class.ports[port], &event.text);
                for index in 0..self.ends(port) {
                    let slot = Slot { instance: self.instance, port, index };
                    let Some((receiver, queue, symbol)) = self.lowering.receiver(slot, &event.text) else {
                        open = true;
                        continue;
                    };
                    open |= self.lowering.alive_of(receiver).is_some();
                    let message = self.lowering.send(receiver, queue, symbol, Vec::new(), span);
                    match self.lowering.exists(receiver, span) {
                        Some(exists) => {
                            let there = self.build.location();
                            self.guess_edge(here, there, Action::Condition(exists), span);
                            self.guess_edge(there, here, message, span);
                        }
                        None => self.guess_edge(here, here, message, span),
                    }
                }
            }
        }
        if open {
            let lost = self.build.location();
            self.build.label(lost, UNBOUND, false);
            self.guess_edge(here, lost, Action::Skip, span);
            self.guess_edge(lost, here, Action::Skip, span);
        }
        self.condition(here, &Guard::unknown(), span)
    }
}
