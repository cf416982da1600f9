//! Messages that a capsule defers: they wait in a queue of their own until they are recalled to the end of the queue of the capsule, or
//! purged.

use super::actions::{Lowered, Scopes, no};
use super::build::{place, value};
use super::global;
use super::handlers::{Handlers, Message};
use super::timers::anywhere;
use super::variables::Type;
use crate::ast::TriggerKind;
use model::expr::{Expr, Pattern};
use model::ids::{LocationId, VariableId};
use model::network::{Action, ReceiveMode, Telling};
use model::source::Span;

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
        if self.lowering.has_priorities(self.instance) {
            return no(span, "`defer` in a capsule whose messages have priorities");
        }
        let symbol = self.lowering.own_symbol(self.instance, port, event);
        let known = self.data_of(port, event).map(|object| object.cells(span)).unwrap_or_default();
        let data = known.into_iter().map(|(place, _)| Expr::Read(place)).collect();
        let after = self.build.then(at, self.lowering.send(self.instance, deferred, symbol, data, span), span);
        self.build.says(format!("defers {}.{event}{{}}", self.class.ports[port].name.text));
        Ok(after)
    }

    /// `port.event().recall()`, `port.recallAll()`, `purge()` and the like: moves or drops messages, the oldest first.
    pub(super) fn recall(
        &mut self,
        at: LocationId,
        (port, event): (usize, Option<&str>),
        method: &str,
        span: Span,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let Some(&deferred) = self.lowering.deferred.get(&self.instance) else { return Ok(at) };
        let incoming = self.class.ports[port].alphabet.incoming.iter().map(|e| e.text.as_str());
        let events: Vec<&str> = incoming.filter(|known| event.is_none_or(|event| event == *known)).collect();
        let symbols: Vec<i32> = events.iter().map(|e| self.lowering.own_symbol(self.instance, port, e)).collect();
        if symbols.len() > 1 && !self.defers_only(port) {
            return no(span, "a recall of several events, where messages of other ports are deferred,");
        }
        let width = self.lowering.width;
        let data: Vec<VariableId> = (0..width).map(|_| self.temporary("recalled", Type::Int, span, scopes)).collect();
        let (start, after) = (self.build.location(), self.build.location());
        self.build.edge(at, start, Action::Skip, span);
        let next = if method == "recall" { after } else { start };
        let mode = if symbols.len() > 1 { ReceiveMode::default() } else { anywhere() };
        let mut none = Expr::Const(1);
        for (event, symbol) in events.into_iter().zip(symbols) {
            let named = format!("{}.{event}", self.class.ports[port].name.text);
            let bound = data.iter().map(|&data| Pattern::Bind(place(data, span))).collect();
            let pattern = self.lowering.pattern(self.instance, symbol, bound);
            let found = Expr::Poll {
                channel: Box::new(global(deferred, span)),
                pattern: self.lowering.pattern(self.instance, symbol, Vec::new()),
                anywhere: mode.anywhere,
            };
            none = Expr::Binary(model::expr::BinaryOp::And, Box::new(none), Box::new(super::guard::not(found)));
            let receive = Action::Receive { channel: global(deferred, span), pattern, mode };
            let taken = self.build.then(start, receive, span);
            let purges = method == "purge";
            self.build.tell(if purges { Telling::Says(format!("purges {named}")) } else { Telling::Silent });
            if purges {
                self.build.edge(taken, next, Action::Skip, span);
                continue;
            }
            let queue = self.lowering.queues[&self.instance];
            let carried = data.iter().map(|&data| value(data, span)).collect();
            let sent = self.lowering.send(self.instance, queue, symbol, carried, span);
            self.build.edge(taken, next, sent, span);
            self.build.says(format!("recalls {named}{{}}"));
        }
        self.build.edge(start, after, Action::Condition(none), span);
        Ok(after)
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
