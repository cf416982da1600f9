//! Messages that a capsule defers: they wait in a queue of their own until they are recalled to the queue of the capsule, or purged.
//!
//! A message that is deferred keeps its priority. What is recalled to the front of a queue waits in a queue of its own, from
//! which the capsule takes messages first. To put a message before those that wait there already, all of these are taken and
//! sent again behind it; a mark tells where to stop. The oldest message of several events is found in the same way. No other
//! thread uses these queues.

use super::actions::{Lowered, Scopes, no};
use super::build::{place, value};
use super::global;
use super::guard::{Guard, not};
use super::handlers::{Handlers, Message};
use super::priorities::Priority;
use super::threads::each_expression;
use super::timers::anywhere;
use super::variables::Type;
use crate::action::{Expr as Syntax, ExprKind};
use crate::ast::TriggerKind;
use crate::resolve::Class;
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern};
use model::ids::{LocationId, VariableId};
use model::network::{Action, ReceiveMode, ScalarType, Telling};
use model::source::Span;

/// The port and the event that stand for the mark.
pub(super) const MARK: (&str, &str) = ("", "(mark)");

/// What is done with messages that were deferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recall {
    /// One, or all, to the end of the queue or to its front.
    One(End),
    All(End),
    Purge,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Back,
    Front,
}

/// The method of a port, or of one of its events, that recalls or purges.
pub(super) fn recall(method: &str, arguments: &[Syntax]) -> Option<Recall> {
    let end = match arguments {
        [] => End::Back,
        [Syntax { kind: ExprKind::Number(0), .. }] => End::Back,
        [Syntax { kind: ExprKind::Number(_), .. }] => End::Front,
        [Syntax { kind: ExprKind::Name(name), .. }] if name == "true" => End::Front,
        [Syntax { kind: ExprKind::Name(name), .. }] if name == "false" => End::Back,
        _ => return None,
    };
    match (method, arguments) {
        ("recall", _) => Some(Recall::One(end)),
        ("recallAll", _) => Some(Recall::All(end)),
        ("recallFront", []) => Some(Recall::One(End::Front)),
        ("recallAllFront", []) => Some(Recall::All(End::Front)),
        ("purge", []) => Some(Recall::Purge),
        _ => None,
    }
}

/// Whether some code of a class recalls messages to the front.
pub(super) fn recalls_to_front(class: &Class<'_>) -> bool {
    let mut found = false;
    each_expression(class, &mut |e| {
        let ExprKind::Call(function, arguments) = &e.kind else { return };
        let ExprKind::Member(_, method) = &function.kind else { return };
        found |= matches!(recall(method, arguments), Some(Recall::One(End::Front) | Recall::All(End::Front)));
    });
    found
}

/// A message that was taken from those that are deferred.
struct Taken {
    named: String,
    symbol: i32,
    /// What it carries; then its priority, if that is kept.
    data: Vec<VariableId>,
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// `msg->defer()`
    pub(super) fn defer(&mut self, at: LocationId, span: Span, scopes: &Scopes<'a>) -> Lowered<LocationId> {
        let Some(Message { port, event, invoked: false }) = scopes.cause else {
            return no(span, "`defer` without a message that was sent");
        };
        let Some(&deferred) = self.lowering.deferred.get(&self.instance) else { return no(span, "this `defer`") };
        if self.class.ports[port].protocol.text == "Timing" {
            return no(span, "a timeout that is deferred");
        }
        let symbol = self.lowering.own_symbol(self.instance, port, event);
        let known = self.data_of(port, event).map(|object| object.cells(span)).unwrap_or_default();
        let mut data: Vec<Expr> = known.into_iter().map(|(place, _)| Expr::Read(place)).collect();
        data.resize(self.lowering.width, Expr::Const(0));
        data.extend(self.priority.map(|priority| value(priority, span)));
        let after = self.build.then(at, self.lowering.send(self.instance, deferred, symbol, data, span), span);
        self.build.says(format!("defers {}.{event}{{}}", self.class.ports[port].name.text));
        Ok(after)
    }

    /// `port.event().recall()`, `port.recallAll()`, `purge()` and the like: moves or drops messages, the oldest first.
    pub(super) fn recall(
        &mut self,
        at: LocationId,
        (port, event): (usize, Option<&str>),
        how: Recall,
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let Some(&deferred) = self.lowering.deferred.get(&self.instance) else { return Ok(at) };
        if how == Recall::All(End::Front) && self.priority.is_some() {
            return no(span, "a recall of all messages to the front, where they have priorities,");
        }
        let incoming = self.class.ports[port].alphabet.incoming.iter().map(|e| e.text.as_str());
        let events: Vec<&str> = incoming.filter(|known| event.is_none_or(|event| event == *known)).collect();
        let several = events.len() > 1;
        // The oldest of several events is at the head, as there are no others, or it comes there.
        let turns = several && !self.defers_only(port);
        if turns && how == Recall::All(End::Front) {
            return no(span, "a recall of several events to the front, where messages of other ports are deferred,");
        }
        let mode = if several { ReceiveMode::default() } else { anywhere() };
        let data = self.lowering.carried();
        let data: Vec<VariableId> = (0..data).map(|_| self.temporary("recalled", Type::Int, span, scopes)).collect();
        let mut found = Expr::Const(0);
        let mut all = Vec::new();
        for event in events {
            let symbol = self.lowering.own_symbol(self.instance, port, event);
            let pattern = self.lowering.pattern(self.instance, symbol, Vec::new());
            let channel = Box::new(global(deferred, span));
            let one = Expr::Poll { channel, pattern, anywhere: mode.anywhere };
            found = Expr::Binary(BinaryOp::Or, Box::new(found), Box::new(one));
            let named = format!("{}.{event}", self.class.ports[port].name.text);
            all.push(Taken { named, symbol, data: data.clone() });
        }
        let start = self.build.location();
        let at = if turns { self.mark(at, deferred, span) } else { at };
        self.build.edge(at, start, Action::Skip, span);
        let none = not(found.clone());
        let after = match turns {
            true => self.turn(start, deferred, none, span),
            false => self.build.then(start, Action::Condition(none), span),
        };
        for taken in &all {
            let at = self.take_deferred(start, (deferred, mode), taken, how, span);
            let (end, next) = match how {
                Recall::Purge => (at, start),
                Recall::One(end) => {
                    let at = self.put(at, taken, end, span);
                    (if turns { self.rotate(at, deferred, span) } else { at }, after)
                }
                Recall::All(End::Back) => (self.put(at, taken, End::Back, span), start),
                Recall::All(End::Front) => (self.put_all(at, (deferred, mode, &found), (taken, &all), span), after),
            };
            self.build.edge(end, next, Action::Skip, span);
        }
        Ok(after)
    }

    fn take_deferred(
        &mut self,
        at: LocationId,
        (deferred, mode): (VariableId, ReceiveMode),
        taken: &Taken,
        how: Recall,
        span: Span,
    ) -> LocationId {
        let bound = taken.data.iter().map(|&data| Pattern::Bind(place(data, span))).collect();
        let pattern = self.lowering.pattern(self.instance, taken.symbol, bound);
        let at = self.build.then(at, Action::Receive { channel: global(deferred, span), pattern, mode }, span);
        let purges = how == Recall::Purge;
        self.build.tell(if purges { Telling::Says(format!("purges {}", taken.named)) } else { Telling::Silent });
        at
    }

    /// Puts a message at an end of the queue of its priority.
    fn put(&mut self, at: LocationId, taken: &Taken, end: End, span: Span) -> LocationId {
        let usual = self.lowering.queues[&self.instance];
        let all = self.lowering.by_priority(usual);
        let all: Vec<_> = all.into_iter().filter(|(p, _)| self.priority.is_some() || *p == Priority::General).collect();
        let after = self.build.location();
        for (priority, queue) in all {
            let at = match (self.priority, taken.data.last()) {
                (Some(_), Some(&kept)) => {
                    let is = Expr::Binary(
                        BinaryOp::Equal,
                        Box::new(value(kept, span)),
                        Box::new(Expr::Const(priority.number())),
                    );
                    self.build.then(at, Action::Condition(is), span)
                }
                _ => at,
            };
            let at = match end {
                End::Back => self.send_recalled(at, queue, taken, span),
                End::Front => self.push_front(at, self.lowering.fronts[&(usual, priority)], taken, span),
            };
            self.build.edge(at, after, Action::Skip, span);
        }
        after
    }

    fn send_recalled(&mut self, at: LocationId, queue: VariableId, taken: &Taken, span: Span) -> LocationId {
        let carried = taken.data.iter().take(self.lowering.width).map(|&data| value(data, span)).collect();
        let sent = self.lowering.send(self.instance, queue, taken.symbol, carried, span);
        let at = self.build.then(at, sent, span);
        self.build.says(format!("recalls {}{{}}", taken.named));
        at
    }

    /// Puts a message before those in a queue.
    fn push_front(&mut self, at: LocationId, front: VariableId, taken: &Taken, span: Span) -> LocationId {
        let is = |test| Action::Condition(Expr::Channel(test, Box::new(global(front, span))));
        let empty = self.build.then(at, is(ChannelTest::Empty), span);
        let others = self.build.then(at, is(ChannelTest::NotEmpty), span);
        let after = self.send_recalled(empty, front, taken, span);
        let at = self.mark(others, front, span);
        let at = self.send_recalled(at, front, taken, span);
        let at = self.rotate(at, front, span);
        self.build.edge(at, after, Action::Skip, span);
        after
    }

    /// Puts a message and all others that are found before those in a queue. Whether the oldest is the first of them is not
    /// documented.
    fn put_all(
        &mut self,
        at: LocationId,
        (deferred, mode, found): (VariableId, ReceiveMode, &Expr),
        (first, all): (&Taken, &[Taken]),
        span: Span,
    ) -> LocationId {
        let front = self.lowering.fronts[&(self.lowering.queues[&self.instance], Priority::General)];
        let only = self.build.then(at, Action::Condition(not(found.clone())), span);
        let after = self.push_front(only, front, first, span);
        let more = self.build.then(at, Action::Condition(found.clone()), span);
        for oldest_first in [true, false] {
            let mut at = self.condition(more, &Guard::unknown(), span);
            at = if oldest_first {
                let at = self.mark(at, front, span);
                self.send_recalled(at, front, first, span)
            } else {
                self.push_front(at, front, first, span)
            };
            let next = self.build.location();
            self.build.edge(at, next, Action::Skip, span);
            for taken in all {
                let at = self.take_deferred(next, (deferred, mode), taken, Recall::All(End::Front), span);
                let at = match oldest_first {
                    true => self.send_recalled(at, front, taken, span),
                    false => self.push_front(at, front, taken, span),
                };
                self.build.edge(at, next, Action::Skip, span);
            }
            let mut end = self.build.then(next, Action::Condition(not(found.clone())), span);
            if oldest_first {
                end = self.rotate(end, front, span);
            }
            self.build.edge(end, after, Action::Skip, span);
        }
        after
    }

    fn mark(&mut self, at: LocationId, queue: VariableId, span: Span) -> LocationId {
        let mark = self.lowering.symbols[&(MARK.0.to_owned(), MARK.1.to_owned())];
        let at = self.build.then(at, self.lowering.send(self.instance, queue, mark, Vec::new(), span), span);
        self.build.tell(Telling::Silent);
        at
    }

    /// Sends everything before the mark again, behind what is there, and takes the mark away.
    fn rotate(&mut self, at: LocationId, queue: VariableId, span: Span) -> LocationId {
        let next = self.build.location();
        self.build.edge(at, next, Action::Skip, span);
        self.turn(next, queue, Expr::Const(1), span)
    }

    /// The same for what is at the head while something holds.
    fn turn(&mut self, next: LocationId, queue: VariableId, holds: Expr, span: Span) -> LocationId {
        let mark = self.lowering.symbols[&(MARK.0.to_owned(), MARK.1.to_owned())];
        let pattern = self.lowering.pattern(self.instance, mark, Vec::new());
        let (channel, mode) = (global(queue, span), ReceiveMode::default());
        let is_mark = Expr::Poll { channel: Box::new(channel.clone()), pattern: pattern.clone(), anywhere: false };
        let after = self.build.location();
        let last = self.build.then(next, Action::Condition(is_mark.clone()), span);
        self.build.edge(last, after, Action::Receive { channel: channel.clone(), pattern, mode }, span);
        self.build.tell(Telling::Silent);
        let other = Expr::Binary(BinaryOp::And, Box::new(not(is_mark)), Box::new(holds));
        let other = self.build.then(next, Action::Condition(other), span);
        if self.moved.is_empty() {
            let fields = self.lowering.network.channel_types[0].fields.len();
            let mut variable = || self.build.variable(String::from("message to move"), ScalarType::Int, 0, span);
            self.moved = (0..fields).map(|_| variable()).collect();
        }
        let moved = self.moved.clone();
        let pattern = moved.iter().map(|&field| Pattern::Bind(place(field, span))).collect();
        let taken = self.build.then(other, Action::Receive { channel: channel.clone(), pattern, mode }, span);
        self.build.tell(Telling::Silent);
        let message = moved.iter().map(|&field| value(field, span)).collect();
        let mut at = self.build.then(taken, Action::Send { channel, message, sorted: false }, span);
        self.build.tell(Telling::Silent);
        for &field in &moved {
            at = self.build.then(at, Action::Assign(place(field, span), Expr::Const(0)), span);
        }
        self.build.edge(at, next, Action::Skip, span);
        after
    }

    /// Whether all messages that are deferred came by one port.
    fn defers_only(&self, port: usize) -> bool {
        let name = &self.class.ports[port].name.text;
        let elsewhere = self.class.lineage.iter().flat_map(|c| &c.snippets).any(|s| s.code.text.contains("defer"));
        let states = || self.machine.states.iter().flat_map(|s| s.entry.iter().chain(&s.exit));
        let from_port = |t: &&crate::resolve::TransitionData<'_>| {
            !t.triggers.is_empty()
                && t.triggers
                    .iter()
                    .all(|trigger| matches!(&trigger.kind, TriggerKind::Message { port, .. } if port.text == *name))
        };
        let mut transitions =
            self.machine.transitions.iter().filter(|t| t.effect.is_some_and(|e| e.text.contains("defer")));
        !elsewhere && !states().any(|code| code.text.contains("defer")) && transitions.all(|t| from_port(&t))
    }
}
