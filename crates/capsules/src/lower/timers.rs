//! Timers, and the events that external ports may raise.
//!
//! A request that is pending is a message in the channel of its port, and a process of the port moves it to the queue of the
//! capsule, at any time. A periodic timer goes back to that channel when its timeout is dispatched, so that at most one of its
//! timeouts waits.
//!
//! A request whose identity is kept in a member of type `RTTimerId` has one of two kinds of messages that no other request
//! outstanding has, so that `cancelTimer` takes exactly this one away, wherever it is. A third request for one member while the
//! first two are outstanding is not modelled: from then on anything may happen (`chaos`).

use super::actions::{Lowered, Scopes, no};
use super::build::{Build, place, value};
use super::handlers::Handlers;
use super::priorities::{Priority, mentions_priorities, priority};
use super::threads::each_expression;
use super::variables::Meaning;
use super::words::{self, Told};
use super::{Lowering, global};
use crate::action::{self, Expr as Syntax, ExprKind, Member};
use crate::ast::Code;
use crate::resolve::Class;
use model::expr::{BinaryOp, Expr};
use model::ids::{LocationId, VariableId};
use model::network::{Action, Machine, ReceiveMode, ScalarType, Telling};
use model::source::Span;
use std::collections::BTreeSet;

/// As many requests of one member may be outstanding.
const KINDS: usize = 2;

/// A kind of request for a port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    /// The event, with a mark that tells kinds apart.
    pub(super) event: String,
    /// The member that knows it, and which of its kinds.
    member: Option<(usize, usize)>,
    pub(super) wish: Wish,
}

/// What a request for a timer says: whether it is periodic, and the priority of its timeouts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Wish {
    pub(super) every: bool,
    pub(super) priority: Priority,
}

impl Wish {
    /// An event, usual where a single timeout of the usual priority is wanted.
    const USUAL: Wish = Wish { every: false, priority: Priority::General };

    fn new(method: &str, arguments: &[Syntax]) -> Wish {
        let priority = arguments.iter().skip(1).find_map(priority).unwrap_or(Priority::General);
        Wish { every: method == "informEvery", priority }
    }
}

/// `timer.informIn(..)`: what is wanted.
pub(super) fn wish(call: &Syntax) -> Wish {
    match &call.kind {
        ExprKind::Call(function, arguments) => match &function.kind {
            ExprKind::Member(_, method) => Wish::new(method, arguments),
            _ => Wish::USUAL,
        },
        _ => Wish::USUAL,
    }
}

/// The requests for timers of a class.
fn wishes(class: &Class<'_>) -> BTreeSet<Wish> {
    let mut found = BTreeSet::from([Wish::USUAL]);
    if mentions(class, "informEvery") {
        found.insert(Wish { every: true, ..Wish::USUAL });
    }
    if mentions_priorities(class) {
        each_expression(class, &mut |e| {
            let ExprKind::Call(function, arguments) = &e.kind else { return };
            let ExprKind::Member(_, method) = &function.kind else { return };
            if method.starts_with("inform") {
                found.insert(Wish::new(method, arguments));
            }
        });
    }
    found
}

/// A member that identifies a timer: which of its requests it stands for (0 for none), and which are outstanding.
pub(super) struct Identity {
    name: String,
    current: VariableId,
    outstanding: [VariableId; KINDS],
}

/// All code of a class.
pub(super) fn codes<'c>(class: &'c Class<'_>) -> impl Iterator<Item = &'c Code> {
    let machine = class.machine.iter();
    let of_states = machine.clone().flat_map(|m| &m.states).flat_map(|s| s.entry.iter().chain(&s.exit)).copied();
    let of_transitions = machine.flat_map(|m| &m.transitions).flat_map(|t| {
        let guards = t.triggers.iter().filter_map(|trigger| trigger.guard.as_ref());
        t.guard.into_iter().chain(t.effect).chain(t.earlier.iter().copied()).chain(guards)
    });
    let snippets = class.lineage.iter().flat_map(|capsule| &capsule.snippets).map(|snippet| &snippet.code);
    of_states.chain(of_transitions).chain(snippets)
}

/// Whether some code of a class has a word in it.
pub(super) fn mentions(class: &Class<'_>, word: &str) -> bool {
    codes(class).any(|code| code.text.contains(word))
}

/// The members of a class that identify timers, if it cancels or asks about any.
pub(super) fn members(class: &Class<'_>) -> Vec<String> {
    if !mentions(class, "cancelTimer") && !mentions(class, "isValid") {
        return Vec::new();
    }
    let snippets = class.lineage.iter().flat_map(|capsule| &capsule.snippets).filter(|s| s.kind.text == "decl");
    let variables = snippets.flat_map(|snippet| action::members(&snippet.code).0).filter_map(|member| match member {
        Member::Variables(ty, names, _) if ty == "RTTimerId" => Some(names),
        _ => None,
    });
    variables.flatten().map(|(name, _)| name).collect()
}

/// The kinds of requests that a port of a class may have; none for other ports.
pub(super) fn requests(class: &Class<'_>, port: usize) -> Vec<Request> {
    let event = match class.ports[port].protocol.text.as_str() {
        "Timing" => "timeout",
        "External" => "event",
        _ => return Vec::new(),
    };
    let wishes = if event == "timeout" { wishes(class) } else { BTreeSet::from([Wish::USUAL]) };
    let known = if event == "timeout" { members(class) } else { Vec::new() };
    let members = known.iter().enumerate().flat_map(|(index, name)| {
        (0..KINDS).map(move |kind| (Some((index, kind)), format!(" {name}{}", "'".repeat(kind))))
    });
    let marks: Vec<_> = [(None, String::new())].into_iter().chain(members).collect();
    let all = |wish: Wish| {
        let every = if wish.every { " every" } else { "" };
        let usual = wish.priority == Priority::General;
        let priority = if usual { String::new() } else { format!(" ({:?})", wish.priority) };
        let named = move |mark: &str| format!("{event}{every}{priority}{mark}");
        marks.iter().map(move |(member, mark)| Request { event: named(mark), member: *member, wish })
    };
    wishes.into_iter().flat_map(all).collect()
}

/// Declares what a member needs to identify timers.
pub(super) fn identity(name: String, build: &mut Build, span: Span) -> Identity {
    let mut bit = |what: String, ty| build.variable(format!("{name} ({what})"), ty, 0, span);
    let outstanding = [0, 1].map(|kind| bit(format!("request {} outstanding", kind + 1), ScalarType::Bit));
    let current = bit(String::from("request"), ScalarType::Byte);
    Identity { name, current, outstanding }
}

impl Lowering<'_, '_> {
    /// The queue that a timeout waits in.
    pub(super) fn queue_of_timeout(&self, instance: usize, request: &Request) -> VariableId {
        let usual = self.queues[&instance];
        self.queue_for(usual, request.wish.priority).unwrap_or(usual)
    }

    /// Moves pending requests of a port to the queue of its capsule, each in one step.
    pub(super) fn timer(&self, instance: usize, port: usize, pending: VariableId) -> (Machine, Told) {
        let class = self.instances.class(instance);
        let data = &class.ports[port];
        let span = data.name.span;
        let mut build = Build::new(span);
        let idle = build.location();
        build.label(idle, "idle", true);
        for request in requests(class, port) {
            let symbol = self.own_symbol(instance, port, &request.event);
            let pattern = self.pattern(instance, symbol, Vec::new());
            let receive = Action::Receive { channel: global(pending, span), pattern, mode: anywhere() };
            let expired = build.then(idle, receive, span);
            build.tell(Telling::Silent);
            let queue = self.queue_of_timeout(instance, &request);
            build.edge(expired, idle, self.send(instance, queue, symbol, Vec::new(), span), span);
            let is_timer = data.protocol.text == "Timing";
            build.says(format!("{} {}", data.name.text, if is_timer { "expires" } else { "raises an event" }));
        }
        let told = words::told(&mut build);
        (build.machine(format!("{}.{}", self.path(instance), data.name.text), idle, span), told)
    }
}

/// The first message that fits, wherever it is.
pub(super) fn anywhere() -> ReceiveMode {
    ReceiveMode { anywhere: true, ..ReceiveMode::default() }
}

fn equals(left: Expr, right: i32) -> Expr {
    Expr::Binary(BinaryOp::Equal, Box::new(left), Box::new(Expr::Const(right)))
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// A call of a port of `Timing` that needs no identity.
    pub(super) fn set_timer(&mut self, at: LocationId, port: usize, wish: Wish, span: Span) -> LocationId {
        let request = requests(self.class, port).into_iter().find(|r| r.member.is_none() && r.wish == wish);
        match request {
            Some(request) => self.request(at, port, &request, span),
            None => at,
        }
    }

    /// `external.enable()`: one event may be raised. `disable()`: none may any more.
    pub(super) fn enable(&mut self, at: LocationId, port: usize, on: bool, span: Span) -> LocationId {
        let pending = self.lowering.timers[&(self.instance, port)];
        let symbol = self.lowering.own_symbol(self.instance, port, "event");
        let is = |test| Action::Condition(Expr::Channel(test, Box::new(global(pending, span))));
        let (empty, waiting) = (is(model::expr::ChannelTest::Empty), is(model::expr::ChannelTest::NotEmpty));
        let after = self.build.location();
        let allow = self.build.then(at, empty, span);
        let present = self.build.then(at, waiting, span);
        if on {
            self.build.edge(allow, after, self.lowering.send(self.instance, pending, symbol, Vec::new(), span), span);
            self.build.says("allows one event");
            self.build.edge(present, after, Action::Skip, span);
        } else {
            let pattern = self.lowering.pattern(self.instance, symbol, Vec::new());
            let take = Action::Receive { channel: global(pending, span), pattern, mode: ReceiveMode::default() };
            self.build.edge(present, after, take, span);
            self.build.edge(allow, after, Action::Skip, span);
        }
        after
    }

    fn request(&mut self, at: LocationId, port: usize, request: &Request, span: Span) -> LocationId {
        let pending = self.lowering.timers[&(self.instance, port)];
        let symbol = self.lowering.own_symbol(self.instance, port, &request.event);
        let after = self.build.then(at, self.lowering.send(self.instance, pending, symbol, Vec::new(), span), span);
        self.build.says(format!("sets {}", self.class.ports[port].name.text));
        after
    }

    /// `member = timer.informIn(..)`
    pub(super) fn set_member(
        &mut self,
        at: LocationId,
        member: usize,
        (port, wish): (usize, Wish),
        span: Span,
    ) -> LocationId {
        let after = self.build.location();
        let Identity { current, outstanding, .. } = self.names.timers[member];
        let all = requests(self.class, port);
        let mut at = at;
        for (kind, &flag) in outstanding.iter().enumerate() {
            let free = self.build.then(at, Action::Condition(equals(value(flag, span), 0)), span);
            let taken = self.build.then(at, Action::Condition(value(flag, span)), span);
            let request = all.iter().find(|r| r.member == Some((member, kind)) && r.wish == wish);
            if let Some(request) = request {
                let sent = self.request(free, port, request, span);
                let noted = self.build.then(sent, Action::Assign(place(flag, span), Expr::Const(1)), span);
                let kind = Expr::Const(kind as i32 + 1);
                self.build.edge(noted, after, Action::Assign(place(current, span), kind), span);
            }
            at = taken;
        }
        self.chaos(at, span);
        after
    }

    /// A timeout is dispatched: a periodic timer waits again, another request is no longer outstanding.
    pub(super) fn dispatched(&mut self, at: LocationId, port: usize, request: &Request, span: Span) -> LocationId {
        if request.wish.every {
            return self.request(at, port, request, span);
        }
        let Some((member, kind)) = request.member else { return at };
        self.over(at, member, kind, span)
    }

    fn over(&mut self, at: LocationId, member: usize, kind: usize, span: Span) -> LocationId {
        let Identity { current, outstanding, .. } = self.names.timers[member];
        let at = self.build.then(at, Action::Assign(place(outstanding[kind], span), Expr::Const(0)), span);
        let is_it = equals(value(current, span), kind as i32 + 1);
        let left = Expr::Conditional(Box::new(is_it), Box::new(Expr::Const(0)), Box::new(value(current, span)));
        self.build.then(at, Action::Assign(place(current, span), left), span)
    }

    /// `port.cancelTimer(member)`: takes the request away, pending or expired. Nothing happens if it was dispatched.
    pub(super) fn cancel(&mut self, at: LocationId, timer: &Syntax, scopes: &Scopes<'a>) -> Lowered<LocationId> {
        let span = timer.span;
        let Some(member) = self.member_of(timer, scopes) else { return no(span, "this identity of a timer") };
        let after = self.build.location();
        let current = value(self.names.timers[member].current, span);
        self.build.edge(at, after, Action::Condition(equals(current.clone(), 0)), span);
        for kind in 0..KINDS {
            let found = self.build.then(at, Action::Condition(equals(current.clone(), kind as i32 + 1)), span);
            let gone = self.build.location();
            for port in 0..self.class.ports.len() {
                for request in requests(self.class, port).iter().filter(|r| r.member == Some((member, kind))) {
                    let symbol = self.lowering.own_symbol(self.instance, port, &request.event);
                    let queue = self.lowering.queue_of_timeout(self.instance, request);
                    let channels = [self.lowering.timers[&(self.instance, port)], queue];
                    for channel in channels {
                        let pattern = self.lowering.pattern(self.instance, symbol, Vec::new());
                        let take = Action::Receive { channel: global(channel, span), pattern, mode: anywhere() };
                        self.build.edge(found, gone, take, span);
                        self.build.says(format!("cancels {}", self.names.timers[member].name));
                    }
                }
            }
            let end = self.over(gone, member, kind, span);
            self.build.edge(end, after, Action::Skip, span);
        }
        Ok(after)
    }

    pub(super) fn member_of(&self, e: &Syntax, scopes: &Scopes<'a>) -> Option<usize> {
        let ExprKind::Name(name) = &e.kind else { return None };
        match self.meaning(name, scopes) {
            Some(Meaning::Timer) => self.names.timers.iter().position(|timer| timer.name == *name),
            _ => None,
        }
    }

    /// `handle.isValid()`
    pub(super) fn validity(&self, e: &Syntax, scopes: &Scopes<'a>) -> Option<Expr> {
        let ExprKind::Name(name) = &e.kind else { return None };
        match self.meaning(name, scopes)? {
            Meaning::Timer => {
                let member = self.member_of(e, scopes)?;
                let current = value(self.names.timers[member].current, e.span);
                Some(Expr::Binary(BinaryOp::NotEqual, Box::new(current), Box::new(Expr::Const(0))))
            }
            Meaning::Handle(variable) | Meaning::Reply(_, variable) => Some(value(variable, e.span)),
            _ => None,
        }
    }
}
