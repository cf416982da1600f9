//! `invoke` and `reply`: a call of another capsule, which handles it at once, past its queue.
//!
//! The call is a message in a channel of its own, which the receiver takes while it rests. Both share a thread, so that nothing
//! else of that thread runs until the reply is there. A reply is kept until the receiver rests again. The call fails if the port
//! is not bound, if another thread runs the receiver, or if the receiver is not ready: it has not been initialised, or is part of a cycle
//! of calls. It also fails if the caller waits for a reply that was not made.

use super::actions::{Lowered, Scopes, no};
use super::build::{place, value};
use super::handlers::{Cause, Handlers, Message};
use super::threads::{invoked, is};
use super::variables::{Meaning, Type};
use super::{Lowering, global, global_place};
use crate::action::{Expr as Syntax, ExprKind};
use crate::questions::BAD_INVOKE;
use crate::resolve::{Messages, Slot, unsupported};
use model::expr::{BinaryOp, Expr, Pattern};
use model::ids::{LocationId, VariableId};
use model::network::{Action, ReceiveMode, ScalarType};
use model::source::Span;
use std::collections::{BTreeSet, HashMap};

/// What calls need.
#[derive(Default)]
pub(super) struct Calls {
    /// Per instance that is called: the ports and events, the channel, and whether it is ready.
    called: HashMap<usize, Called>,
    /// Per instance that calls: the channel of replies.
    replies: HashMap<usize, VariableId>,
}

pub(super) struct Called {
    pub(super) events: BTreeSet<(usize, String)>,
    pub(super) channel: VariableId,
    pub(super) ready: VariableId,
}

/// A call of a port.
pub(super) struct Invocation<'s> {
    pub(super) port: usize,
    pub(super) event: &'s str,
    pub(super) data: &'s [Syntax],
    pub(super) only: Option<i64>,
    pub(super) reply: Option<&'s Syntax>,
    pub(super) span: Span,
}

/// The event of a reply that is none.
const NONE: &str = "(no reply)";

impl Lowering<'_, '_> {
    /// Declares what calls need.
    pub(super) fn declare_calls(&mut self, messages: &mut Messages<'_>) {
        for instance in 0..self.instances.instances.len() {
            let class = self.instances.class(instance);
            let span = class.capsule.name.span;
            for (port, event) in invoked(class) {
                self.symbol("", NONE);
                if !self.calls.replies.contains_key(&instance) {
                    let channel = self.channel(format!("{} (replies)", self.path(instance)), span);
                    self.calls.replies.insert(instance, channel);
                }
                for index in 0..self.instances.ends(instance, port) {
                    let Some(&other) = self.instances.wiring.get(&Slot { instance, port, index }) else { continue };
                    if self.instances.ends(other.instance, other.port) != 1 {
                        let port = &self.instances.class(other.instance).ports[other.port];
                        messages.report(unsupported(port.name.span, "a replicated port that is invoked"));
                    }
                    if !self.calls.called.contains_key(&other.instance) {
                        let name = self.path(other.instance);
                        let channel = self.channel(format!("{name} (invoked)"), span);
                        let ready = self.shared(format!("{name} ready"), ScalarType::Bit, 0, span);
                        let events = BTreeSet::new();
                        self.calls.called.insert(other.instance, Called { events, channel, ready });
                    }
                    if let Some(called) = self.calls.called.get_mut(&other.instance) {
                        called.events.insert((other.port, event.clone()));
                    }
                }
            }
        }
    }

    pub(super) fn called(&self, instance: usize) -> Option<&Called> {
        self.calls.called.get(&instance)
    }

    /// Who calls an instance by one of its ports: the instance, and its port.
    fn caller(&self, instance: usize, port: usize) -> Option<Slot> {
        self.instances.wiring.get(&Slot { instance, port, index: 0 }).copied()
    }
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    pub(super) fn invoke(
        &mut self,
        at: LocationId,
        call: &Invocation<'_>,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let Invocation { port, event, only, span, .. } = *call;
        let declared = &self.class.ports[port];
        if !declared.alphabet.outgoing.iter().any(|known| known.text == event) {
            return no(span, format!("an invoke of `{event}`, which the port does not send,"));
        }
        let carried = self.carried(port, event, call.data, scopes)?;
        let reply = match call.reply.map(|e| &e.kind) {
            Some(ExprKind::Unary("&", inner)) => match &inner.kind {
                ExprKind::Name(name) => self.meaning(name, scopes),
                _ => None,
            },
            _ => None,
        };
        let mut at = at;
        for index in (0..self.ends(port)).filter(|&index| only.is_none_or(|only| only == index as i64)) {
            let slot = Slot { instance: self.instance, port, index };
            let target = self.lowering.receiver(slot, event);
            let same = |other: usize| {
                self.lowering.sharing.thread.get(other) == self.lowering.sharing.thread.get(self.instance)
            };
            let Some((receiver, _, symbol)) = target.filter(|(receiver, ..)| same(*receiver)) else {
                at = self.failed(at, span);
                continue;
            };
            let Some(Called { channel, ready, .. }) = self.lowering.called(receiver) else {
                return no(span, "this call");
            };
            let (channel, ready) = (*channel, *ready);
            self.lowering.agree(slot, event);
            let there = is(ready, 1, span);
            let there = match self.lowering.exists(receiver, span) {
                Some(exists) => Expr::Binary(BinaryOp::And, Box::new(exists), Box::new(there)),
                None => there,
            };
            let sends = self.build.then(at, Action::Condition(there.clone()), span);
            let message = self.lowering.send(receiver, channel, symbol, carried.clone(), span);
            let waits = self.build.then(sends, message, span);
            let name = &self.class.ports[port].name.text;
            self.build.says(format!("invokes {name}.{event}{{}} of {}", self.lowering.path(receiver)));
            let after = self.replied(waits, call, reply.clone(), scopes);
            let missing = self.build.then(at, Action::Condition(super::guard::not(there)), span);
            let missing = self.failed(missing, span);
            self.build.edge(missing, after, Action::Skip, span);
            at = after;
        }
        Ok(at)
    }

    fn failed(&mut self, at: LocationId, span: Span) -> LocationId {
        let failed = self.build.then(at, Action::Skip, span);
        self.build.label(failed, BAD_INVOKE, false);
        self.build.wrong.insert(failed, String::from("the call fails"));
        self.build.then(failed, Action::Skip, span)
    }

    /// Waits for the reply.
    fn replied(
        &mut self,
        at: LocationId,
        call: &Invocation<'_>,
        reply: Option<Meaning>,
        scopes: &mut Scopes<'a>,
    ) -> LocationId {
        let Invocation { port, span, .. } = *call;
        let replies = self.lowering.calls.replies[&self.instance];
        let after = self.build.location();
        let (data, valid) = match reply {
            Some(Meaning::Reply(data, valid)) => (data, Some(valid)),
            _ => (None, None),
        };
        let keep = data.map(|data| place(data, span));
        let names: Vec<(String, &str)> = self.class.ports[port]
            .alphabet
            .incoming
            .iter()
            .map(|e| (self.class.ports[port].name.text.clone(), e.text.as_str()))
            .collect();
        for (name, event) in names.into_iter().chain([(String::new(), NONE)]) {
            let symbol = self.lowering.symbols[&(name, event.to_owned())];
            let field = keep.clone().filter(|_| event != NONE).map(Pattern::Bind).into_iter().collect();
            let pattern = self.lowering.pattern(self.instance, symbol, field);
            let receive = Action::Receive { channel: global(replies, span), pattern, mode: ReceiveMode::default() };
            let own = &self.class.ports[port].name.text;
            let text =
                if event == NONE { String::from("gets no reply") } else { format!("gets the reply {own}.{event}{{}}") };
            let mut got = self.build.then(at, receive, span);
            self.build.says(text);
            if event == NONE && call.reply.is_some() {
                got = self.failed(got, span);
            }
            if let Some(valid) = valid {
                let made = Expr::Const(i32::from(event != NONE));
                got = self.build.then(got, Action::Assign(place(valid, span), made), span);
            }
            self.build.edge(got, after, Action::Skip, span);
        }
        // What unknown code replies is unknown.
        let port_data = &self.class.ports[port];
        let exact = |event: &str| {
            self.lowering.library.event(port_data.protocol, event).is_some_and(|e| e.data.is_none())
                || self.lowering.data_type(port_data, event).and_then(|ty| self.names.exact(ty)).is_some()
        };
        if let Some(data) = data.filter(|_| !port_data.alphabet.incoming.iter().all(|e| exact(&e.text))) {
            self.forget(data);
        }
        let _ = scopes;
        after
    }

    /// `RTMessage reply;`
    pub(super) fn reply_variable(&mut self, span: Span, scopes: &mut Scopes<'a>) -> Meaning {
        if self.is_forgotten("reply valid (local)", span) {
            return Meaning::Opaque;
        }
        let valid = self.temporary("reply valid", Type::Bool, span, scopes);
        let known = self.lowering.width > 0 && !self.is_forgotten("reply (local)", span);
        let data = known.then(|| self.temporary("reply", Type::Int, span, scopes));
        Meaning::Reply(data, valid)
    }

    /// `*static_cast<int*>(reply.getData())`
    pub(super) fn reply_data(&self, pointer: &Syntax, scopes: &Scopes<'a>) -> Option<Expr> {
        let ExprKind::Cast(ty, inner) = &pointer.kind else { return None };
        let ty = ty.strip_prefix("const").unwrap_or(ty).strip_suffix('*')?;
        self.names.exact(ty)?;
        let ExprKind::Call(function, arguments) = &inner.kind else { return None };
        let ExprKind::Member(reply, method) = &function.kind else { return None };
        let ExprKind::Name(name) = &reply.kind else { return None };
        match self.meaning(name, scopes) {
            Some(Meaning::Reply(Some(data), _)) if method == "getData" && arguments.is_empty() => {
                Some(value(data, pointer.span))
            }
            _ => None,
        }
    }

    /// `port.event(data).reply()`, where the message was a call.
    pub(super) fn reply(
        &mut self,
        at: LocationId,
        (port, event, data): (usize, &str, &[Syntax]),
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let carried = self.carried(port, event, data, scopes)?;
        let caller = self.lowering.caller(self.instance, port);
        let symbol = caller.and_then(|slot| {
            let port = &self.lowering.instances.class(slot.instance).ports[slot.port];
            self.lowering.symbols.get(&(port.name.text.clone(), event.to_owned())).copied()
        });
        let (Some(symbol), Some((kept, kept_data))) = (symbol, self.reply) else { return no(span, "this reply") };
        self.lowering.agree(Slot { instance: self.instance, port, index: 0 }, event);
        let at = self.build.then(at, Action::Assign(place(kept, span), Expr::Const(symbol)), span);
        // Of a structure nothing is read.
        let carried = carried.into_iter().next().unwrap_or(Expr::Const(0));
        Ok(self.build.then(at, Action::Assign(place(kept_data, span), carried), span))
    }

    /// A call was handled: the reply is sent, and the caller goes on.
    pub(super) fn give_reply(&mut self, at: LocationId, port: usize, span: Span) -> LocationId {
        let caller = self.lowering.caller(self.instance, port);
        let channel = caller.and_then(|slot| self.lowering.calls.replies.get(&slot.instance).copied());
        let (Some(caller), Some(channel), Some((kept, data))) = (caller, channel, self.reply) else { return at };
        let none = self.lowering.symbols[&(String::new(), NONE.to_owned())];
        let made = Expr::Binary(BinaryOp::NotEqual, Box::new(value(kept, span)), Box::new(Expr::Const(0)));
        let symbol = Expr::Conditional(Box::new(made), Box::new(value(kept, span)), Box::new(Expr::Const(none)));
        let send = self.lowering.message(caller.instance, channel, symbol, vec![value(data, span)], span);
        let at = self.ready(at, true, span);
        let at = self.build.then(at, send, span);
        self.build.says("returns");
        let at = self.build.then(at, Action::Assign(place(kept, span), Expr::Const(0)), span);
        self.build.then(at, Action::Assign(place(data, span), Expr::Const(0)), span)
    }

    /// Whether this instance can be called from now on.
    pub(super) fn ready(&mut self, at: LocationId, on: bool, span: Span) -> LocationId {
        let Some(Called { ready, .. }) = self.lowering.called(self.instance) else { return at };
        let ready = global_place(*ready, span);
        self.build.then(at, Action::Assign(ready, Expr::Const(i32::from(on))), span)
    }

    /// Where a handler ends: the capsule rests in a state.
    pub(super) fn resting(&mut self, state: usize, cause: Cause<'a>) -> LocationId {
        let lowering = self.lowering;
        let kind = match cause {
            None => Ending::First,
            Some(Message { port, invoked: true, .. }) => Ending::Call(port),
            Some(_) => Ending::Message,
        };
        if lowering.lock(self.instance).is_none() && kind == Ending::Message {
            return self.waits[state];
        }
        if let Some(&known) = self.rests.get(&(state, kind)) {
            return known;
        }
        let span = self.machine.states[state].name.span;
        let first = self.build.location();
        self.rests.insert((state, kind), first);
        let at = match kind {
            Ending::Call(port) => self.give_reply(first, port, span),
            Ending::First | Ending::Message => {
                let at = self.ready(first, true, span);
                lowering.release(at, self.instance, kind == Ending::First, &mut self.build, span)
            }
        };
        self.build.edge(at, self.waits[state], Action::Skip, span);
        first
    }
}

/// What ends when a capsule rests.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Ending {
    First,
    Message,
    /// A call by a port.
    Call(usize),
}
