//! Calls: sends, timers, the creation of parts, output, assertions.

use super::actions::{Lowered, Scopes, no};
use super::deferred::recall;
use super::guard::{Guard, not};
use super::handlers::{Handlers, Message};
use super::invoke::Invocation;
use super::priorities::{Priority, priority};
use super::reach::{Ends, ends};
use super::structures::Shape;
use super::timers::wish;
use super::values::of_type;
use super::variables::Meaning;
use crate::action::{Expr as Syntax, ExprKind};
use crate::questions::UNBOUND;
use crate::resolve::Slot;
use model::diagnostic::Diagnostic;
use model::expr::Expr;
use model::ids::{LocationId, VariableId};
use model::network::Action;
use model::source::Span;
use std::rc::Rc;

/// What a message is sent to.
struct Send<'s> {
    port: usize,
    event: &'s str,
    data: &'s [Syntax],
    /// One end of the port only.
    only: Option<i64>,
    priority: Priority,
    span: Span,
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    pub(super) fn call(
        &mut self,
        at: LocationId,
        function: &Syntax,
        arguments: &[Syntax],
        whole: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let is_own = matches!(&function.kind, ExprKind::Name(name) if self.reach.is_own(name));
        match self.lowering.ended.filter(|_| !self.lowering.library.is_room() && !is_own).zip(ends(function)) {
            Some((ended, Ends::Program)) => {
                for argument in arguments {
                    self.ignored(argument, scopes)?;
                }
                let last = Action::Assign(super::global_place(ended, whole.span), Expr::Const(1));
                let at = self.build.then(at, last, whole.span);
                self.build.says("ends the program");
                // Nobody else moves any more.
                self.build.locations[at.index()].progress = true;
                self.build.edge(at, at, Action::Skip, whole.span);
                return Ok(self.build.location());
            }
            // Which of the others go on is not modelled: the run is a guess.
            Some((_, Ends::Thread)) => {
                let ended = self.condition(at, &Guard::unknown(), whole.span);
                self.build.label(ended, "has ended", true);
                return Ok(self.build.location());
            }
            None => {}
        }
        match &function.kind {
            ExprKind::Name(name) if self.acts(whole, scopes) => {
                let operation = Rc::clone(&self.operations[name]);
                self.inline(at, &operation, arguments, None, whole.span, scopes)
            }
            // Macros of tests.
            ExprKind::Name(name) if matches!(name.as_str(), "PASS" | "FAIL") && self.is_macro(name) => {
                let action = match name.as_str() {
                    "PASS" => Action::Print { format: String::from("PASS\\n"), arguments: Vec::new() },
                    _ => Action::Assert(Expr::Const(0)),
                };
                Ok(self.build.then(at, action, whole.span))
            }
            ExprKind::Name(name)
                if matches!(name.as_str(), "assert" | "ASSERT") && !arguments.is_empty() && self.is_macro(name) =>
            {
                self.assertion(at, arguments, whole.span, scopes)
            }
            ExprKind::Member(inner, method) => {
                if self.lowering.library.is_room() && method.ends_with("OptionalActor") {
                    return self.room_part(at, inner, (method, arguments), whole.span, scopes);
                }
                if let Some(port) = self.port_named(inner, scopes) {
                    return self.port_call(at, port, method, arguments, whole, scopes);
                }
                if method == "defer" && inner.kind == ExprKind::Name(String::from("msg")) && arguments.is_empty() {
                    return self.defer(at, whole.span, scopes);
                }
                match self.message_of(inner, scopes) {
                    Some((target, event, data)) => {
                        let port = self.target(target, scopes)?;
                        let span = whole.span;
                        if let Some(how) = recall(method, arguments) {
                            return self.recall(at, (port, Some(event)), how, span, scopes);
                        }
                        match (method.as_str(), arguments) {
                            ("reply", []) if scopes.cause.is_some_and(|cause| cause.invoked && cause.port == port) => {
                                return self.reply(at, (port, event, data), span, scopes);
                            }
                            ("invoke", [] | [_]) => {
                                let reply = arguments.first();
                                let call = Invocation { port, event, data, only: None, reply, span };
                                return self.invoke(at, &call, scopes);
                            }
                            ("invokeAt", [index] | [index, _]) => {
                                let ExprKind::Number(only) = index.kind else {
                                    return no(index.span, "an index that is not a number");
                                };
                                let reply = arguments.get(1);
                                let call = Invocation { port, event, data, only: Some(only), reply, span };
                                return self.invoke(at, &call, scopes);
                            }
                            _ => {}
                        }
                        let (arguments, priority) = match arguments {
                            [rest @ .., last] if method.starts_with("send") => match priority(last) {
                                Some(priority) => (rest, priority),
                                None => (arguments, Priority::General),
                            },
                            _ => (arguments, Priority::General),
                        };
                        let only = match (method.as_str(), arguments) {
                            // A reply to a message that was sent is a message.
                            ("send" | "reply", []) => None,
                            ("sendAt", [index]) => match index.kind {
                                ExprKind::Number(index) => Some(index),
                                _ => return no(index.span, "an index that is not a number"),
                            },
                            _ => return no(whole.span, format!("`{method}`")),
                        };
                        self.send(at, &Send { port, event, data, only, priority, span: whole.span }, scopes)
                    }
                    None => self.ignored(whole, scopes).map(|()| at),
                }
            }
            _ => self.ignored(whole, scopes).map(|()| at),
        }
    }

    /// Whether a name is no operation of the capsule.
    fn is_macro(&self, name: &str) -> bool {
        !self.lowering.library.is_room() && !self.reach.is_own(name)
    }

    /// `timer.informIn(..)`: the port and the method.
    pub(super) fn inform<'s>(&self, e: &'s Syntax, scopes: &Scopes<'a>) -> Option<(usize, &'s str)> {
        let ExprKind::Call(function, _) = &e.kind else { return None };
        let ExprKind::Member(inner, method) = &function.kind else { return None };
        let port = self.port_named(inner, scopes).filter(|&port| self.class.ports[port].protocol.text == "Timing")?;
        ["informIn", "informAt", "informEvery"].contains(&method.as_str()).then_some((port, method))
    }

    /// A call, and whether it succeeded, if its result says so.
    pub(super) fn handle(
        &mut self,
        at: LocationId,
        e: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<(LocationId, Option<Expr>)> {
        if let ExprKind::Call(function, arguments) = &e.kind
            && let ExprKind::Member(port, method) = &function.kind
            && let Some(port) = self.port_named(port, scopes)
            && self.class.ports[port].protocol.text == "Frame"
            && let Some(created) = created(method, arguments)
        {
            let (at, done) = self.create(at, created, (method, arguments), scopes)?;
            return Ok((at, Some(super::build::value(done, e.span))));
        }
        let is_set = self.inform(e, scopes).map(|_| Expr::Const(1));
        Ok((self.effect_of(at, e, scopes)?, is_set))
    }

    /// `target.event(data)`, where the target is a port.
    pub(super) fn message_of<'s>(
        &self,
        e: &'s Syntax,
        scopes: &Scopes<'a>,
    ) -> Option<(&'s Syntax, &'s str, &'s [Syntax])> {
        let ExprKind::Call(event, data) = &e.kind else { return None };
        let ExprKind::Member(target, event) = &event.kind else { return None };
        self.target(target, scopes).is_ok().then_some((&**target, event.as_str(), data.as_slice()))
    }

    pub(super) fn port_named(&self, e: &Syntax, scopes: &Scopes<'a>) -> Option<usize> {
        let ExprKind::Name(name) = &e.kind else { return None };
        self.class.port(name).filter(|_| self.meaning(name, scopes).is_none())
    }

    /// The port that a message is sent to: by name, or the one that the message came from.
    pub(super) fn target(&self, e: &Syntax, scopes: &Scopes<'a>) -> Lowered<usize> {
        if let Some(port) = self.port_named(e, scopes) {
            return Ok(port);
        }
        let name = match &e.kind {
            ExprKind::Cast(_, inner) => &inner.kind,
            kind => kind,
        };
        match (name, scopes.cause) {
            (ExprKind::Name(name), Some(Message { port, .. }))
                if self.ends(port) == 1
                    && match self.meaning(name, scopes) {
                        Some(meaning) => matches!(meaning, Meaning::Sender),
                        None => name == "rtport",
                    } =>
            {
                Ok(port)
            }
            _ => no(e.span, "this port"),
        }
    }

    /// Whether a call does something whose result may be thrown away: it sets a timer, or creates a part.
    pub(super) fn is_effect(&self, e: &Syntax, scopes: &Scopes<'a>) -> bool {
        let ExprKind::Call(function, _) = &e.kind else { return false };
        let ExprKind::Member(inner, _) = &function.kind else { return false };
        let protocol = self.port_named(inner, scopes).map(|port| self.class.ports[port].protocol.text.as_str());
        !self.lowering.library.is_room() && matches!(protocol, Some("Timing" | "Frame" | "External"))
    }

    /// A call of something of a port: a message in ROOM; a timer, the creation of a part or a line of a log in Art.
    fn port_call(
        &mut self,
        at: LocationId,
        port: usize,
        method: &str,
        arguments: &[Syntax],
        whole: &Syntax,
        scopes: &mut Scopes<'a>,
    ) -> Lowered<LocationId> {
        let protocol = self.class.ports[port].protocol.text.as_str();
        if let Some(how) = recall(method, arguments).filter(|_| !self.lowering.library.is_room()) {
            return self.recall(at, (port, None), how, whole.span, scopes);
        }
        if self.lowering.library.is_room() {
            let (data, only, priority) = (arguments, None, Priority::General);
            let send = Send { port, event: method, data, only, priority, span: whole.span };
            return self.send(at, &send, scopes);
        }
        match (protocol, method, arguments) {
            ("Log", "log" | "show" | "commit" | "open" | "close" | "cr" | "crtab" | "clear" | "space" | "tab", _) => {
                for argument in arguments {
                    self.ignored(argument, scopes)?;
                }
                Ok(at)
            }
            ("Timing", "informIn" | "informAt" | "informEvery", [_, ..]) => {
                self.copied(arguments, scopes)?;
                // What a timeout carries is not kept.
                self.named_priority(whole, scopes)?;
                if method == "informEvery" {
                    let text = "at most one timeout of this periodic timer waits at a time";
                    self.messages.report(Diagnostic::warning("U0304", whole.span, text));
                }
                Ok(self.set_timer(at, port, wish(whole), whole.span))
            }
            ("Timing", "cancelTimer", [timer]) => self.cancel(at, timer, scopes),
            ("Timing", "adjustTimeBegin" | "adjustTimeEnd" | "currentTime", _) => Ok(at),
            ("External", "enable" | "disable", []) => Ok(self.enable(at, port, method == "enable", whole.span)),
            // Checks of types at run time are not modelled.
            (_, "sendTypeCheckEnable" | "sendTypeCheckDisable", _) => Ok(at),
            ("Frame", "destroy", [part]) => Ok(self.destroy(at, part, scopes)?.0),
            _ => match created(method, arguments).filter(|_| protocol == "Frame") {
                Some(created) => Ok(self.create(at, created, (method, arguments), scopes)?.0),
                None => no(whole.span, format!("the call of `{method}` on a port of `{protocol}`")),
            },
        }
    }

    /// Arguments of the run-time system, which copies what it is given the address of.
    fn copied(&mut self, arguments: &[Syntax], scopes: &mut Scopes<'a>) -> Lowered<()> {
        for e in arguments {
            let inner = if let ExprKind::Unary("&", inner) = &e.kind { inner } else { e };
            self.ignored(inner, scopes)?;
            if std::ptr::eq(inner, e) {
                self.forget_pointed(e, scopes);
            }
        }
        Ok(())
    }

    /// `frame.incarnate(..)`
    fn create(
        &mut self,
        at: LocationId,
        (part, index): (&Syntax, Option<i64>),
        (method, arguments): (&str, &[Syntax]),
        scopes: &mut Scopes<'a>,
    ) -> Lowered<(LocationId, VariableId)> {
        self.copied(&arguments[1..], scopes)?;
        self.incarnate(at, (part, index), given(method, arguments), scopes)
    }

    fn send(&mut self, at: LocationId, send: &Send<'_>, scopes: &mut Scopes<'a>) -> Lowered<LocationId> {
        let Send { port, event, data, only, priority, span } = *send;
        let declared = &self.class.ports[port];
        if !declared.behavior {
            return no(span, format!("a send by `{}`, which is not a behaviour port,", declared.name.text));
        }
        if !declared.alphabet.outgoing.iter().any(|known| known.text == event) {
            let text = format!("port `{}` does not send `{event}`", declared.name.text);
            self.messages.report(Diagnostic::error("U0203", span, text).also(declared.name.span, "the port"));
            return Ok(at);
        }
        let carried = self.carried(port, event, data, scopes)?;
        let ends = self.ends(port);
        if only.is_some_and(|only| usize::try_from(only).map_or(true, |only| only >= ends)) {
            return no(span, "an index that the port does not have");
        }
        let (mut at, mut sent) = (at, false);
        for index in (0..ends).filter(|&index| only.is_none_or(|only| only == index as i64)) {
            let slot = Slot { instance: self.instance, port, index };
            let Some((receiver, queue, symbol)) = self.lowering.receiver(slot, event) else { continue };
            sent = true;
            let Some(queue) = self.lowering.queue_for(queue, priority) else { return no(span, "this priority") };
            self.lowering.agree(slot, event);
            let message = self.lowering.send(receiver, queue, symbol, carried.clone(), span);
            let told = format!("sends {}.{event}{{}}", declared.name.text);
            let alive = self.lowering.alive_of(receiver);
            if alive.is_some() && only.is_some() && ends > 1 {
                return no(span, "an index of a port that optional parts are connected to");
            }
            let Some(alive) = alive.filter(|_| self.lowering.alive_of(self.instance) != alive) else {
                at = self.build.then(at, message, span);
                self.build.says(told);
                continue;
            };
            let exists = self.lowering.exists(receiver, span).unwrap_or(super::global(alive, span));
            let there = self.build.then(at, Action::Condition(exists.clone()), span);
            let missing = self.build.then(at, Action::Condition(not(exists)), span);
            self.build.says(format!("sends {}.{event}", declared.name.text));
            let after = self.build.then(there, message, span);
            self.build.says(told);
            // Ends of a replicated port whose part does not exist are not counted.
            if ends == 1 {
                self.build.label(missing, UNBOUND, false);
                let wrong = format!("`{}` does not exist: the message is lost", self.lowering.path(receiver));
                self.build.wrong.insert(missing, wrong);
            }
            self.build.edge(missing, after, Action::Skip, span);
            at = after;
        }
        if sent {
            return Ok(at);
        }
        let text = format!("port `{}` is not connected here: the message is lost", declared.name.text);
        let of = if self.lowering.instances.instances[self.instance].path.is_empty() {
            String::from("in the top capsule")
        } else {
            format!("in `{}`", self.lowering.instances.instances[self.instance].path)
        };
        self.messages.report(Diagnostic::warning("U0301", span, text).label(of));
        let lost = self.build.then(at, Action::Skip, span);
        self.build.label(lost, UNBOUND, false);
        self.build.says(format!("sends {}.{event}", declared.name.text));
        let wrong = format!("port `{}` is not connected: the message is lost", declared.name.text);
        self.build.wrong.insert(lost, wrong);
        Ok(lost)
    }

    /// What a message carries; nothing if that is not kept.
    pub(super) fn carried(
        &mut self,
        port: usize,
        event: &str,
        data: &[Syntax],
        scopes: &mut Scopes<'a>,
    ) -> Lowered<Vec<Expr>> {
        let declared = &self.class.ports[port];
        let values = match (data, self.data_shape(port, event)) {
            ([only], Some(Shape::Scalar(ty))) => self.value_of(only, scopes)?.map(|value| vec![of_type(ty, value)]),
            ([only], Some(shape)) if self.values(&shape, only, scopes).is_some() => {
                self.values(&shape, only, scopes).and_then(|values| values.into_iter().collect())
            }
            _ => {
                let ty = self.lowering.library.event(declared.protocol, event).and_then(|e| e.data.as_deref());
                let points = ty.is_none_or(|ty| self.names.may_point(ty));
                for value in data {
                    self.ignored(value, scopes)?;
                    if points {
                        self.forget_pointed(value, scopes);
                    }
                }
                None
            }
        };
        // A message of a type that is known elsewhere carries an unknown value.
        if values.is_none() && self.lowering.data_type(declared, event).is_some() {
            self.lowering.forget_data(declared, event);
        }
        Ok(values.unwrap_or_default())
    }

    /// How many ends a port has; the connectors were made with the same number.
    pub(super) fn ends(&self, port: usize) -> usize {
        self.lowering.instances.ends(self.instance, port)
    }
}

fn is_empty_class(e: &Syntax) -> bool {
    matches!(&e.kind, ExprKind::Name(name) if ["EmptyActorClass", "EmptyObject", "nullptr"].contains(&name.as_str()))
}

/// `incarnate(part, EmptyActorClass, &data, ..)`: what is given to the part.
fn given<'s>(method: &str, arguments: &'s [Syntax]) -> Option<&'s Syntax> {
    arguments.get(2).filter(|e| method == "incarnate" && matches!(e.kind, ExprKind::Unary("&", _)))
}

/// `incarnate(part, ..)`: the part that is created, and where.
fn created<'s>(method: &str, arguments: &'s [Syntax]) -> Option<(&'s Syntax, Option<i64>)> {
    let any = |e: &Syntax| matches!(&e.kind, ExprKind::Unary("-", one) if one.kind == ExprKind::Number(1));
    match (method, arguments) {
        ("incarnate", [part]) => Some((part, None)),
        ("incarnate", [part, class, rest @ ..]) if is_empty_class(class) => match rest {
            [] | [_] | [_, _] => Some((part, None)),
            [_, _, index] if any(index) => Some((part, None)),
            _ => None,
        },
        ("incarnateAt", [part, index]) => match index.kind {
            ExprKind::Number(index) => Some((part, Some(index))),
            _ => None,
        },
        _ => None,
    }
}
