//! Threads: which capsules share one, and what that means for their handlers.
//!
//! A thread handles one message at a time. Capsules that share a thread have a lock: a handler takes it with its message and
//! releases it when the capsule rests again. In the reading *as configured* the capsules of a controller share a lock and a
//! queue; a message in it names its receiver, and is dispatched when all capsules of the controller have been initialised. In the reading *any threads* a capsule
//! has a queue of its own, and only capsules that call each other by `invoke` share a thread, as they must.

use super::build::Build;
use super::reach::{expressions, expressions_in};
use super::timers::codes;
use super::{Lowering, global, global_place};
use crate::action::{self, Expr as Syntax, ExprKind};
use crate::resolve::{Class, Instances, Messages, Slot, unsupported};
use crate::threads::{Controller, Threads};
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern};
use model::ids::{LocationId, VariableId};
use model::network::{Action, Initial, ScalarType, Variable};
use model::source::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What capsules that share a thread have in common.
#[derive(Clone, Copy)]
pub(super) struct Lock {
    /// Whether a handler runs.
    busy: VariableId,
    /// How many capsules have yet to be initialised; only as configured.
    pub(super) starting: Option<VariableId>,
}

/// Threads of all instances.
#[derive(Default)]
pub(super) struct Sharing {
    /// Per instance: the number of its controller, or of its group.
    pub(super) thread: Vec<usize>,
    /// As configured: the names of the controllers.
    pub(super) controllers: Vec<String>,
    pub(super) locks: HashMap<usize, Lock>,
}

/// Every expression in the code of a class that can be parsed.
pub(super) fn each_expression(class: &Class<'_>, visit: &mut dyn FnMut(&Syntax)) {
    for code in codes(class) {
        if let Ok(statements) = action::statements(code) {
            statements.iter().for_each(|s| expressions(s, &mut |e| expressions_in(e, visit)));
        }
        for function in action::functions(code) {
            function.body.iter().for_each(|s| expressions(s, &mut |e| expressions_in(e, visit)));
        }
    }
}

/// The ports and events that a class calls by `invoke`.
pub(super) fn invoked(class: &Class<'_>) -> BTreeSet<(usize, String)> {
    let mut found = BTreeSet::new();
    if !super::timers::mentions(class, "invoke") {
        return found;
    }
    each_expression(class, &mut |e| {
        let ExprKind::Member(inner, method) = &e.kind else { return };
        let ExprKind::Call(event, _) = &inner.kind else { return };
        let ExprKind::Member(port, event) = &event.kind else { return };
        let ExprKind::Name(port) = &port.kind else { return };
        if matches!(method.as_str(), "invoke" | "invokeAt") {
            found.extend(class.port(port).map(|port| (port, event.clone())));
        }
    });
    found
}

/// The logical threads that a class gives to a part; the empty name is its own thread.
fn threads_of_part(class: &Class<'_>, part: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_expression(class, &mut |e| {
        let ExprKind::Call(function, arguments) = &e.kind else { return };
        let ExprKind::Member(_, method) = &function.kind else { return };
        if !method.starts_with("incarnate") || arguments.first().is_none_or(|a| a.kind != ExprKind::Name(part.into())) {
            return;
        }
        let thread = match &arguments[..] {
            [_, _, thread] | [_, _, _, thread, _] => Some(thread),
            _ => None,
        };
        found.insert(match thread.map(|thread| &thread.kind) {
            Some(ExprKind::Name(name)) if name != "nullptr" => name.clone(),
            _ => String::new(),
        });
    });
    found
}

/// The controller of every instance.
fn controllers(instances: &Instances<'_>, all: &[Controller], room: bool, messages: &mut Messages<'_>) -> Vec<usize> {
    let mut found = vec![0; instances.instances.len()];
    let physical =
        |logical: &str| all.iter().position(|c| c.name == logical || c.logical.iter().any(|known| known == logical));
    let mut mapped: HashMap<usize, &String> = HashMap::new();
    for instance in 0..instances.instances.len() {
        let class = instances.class(instance);
        for (path, thread) in &class.capsule.threads {
            mapped.extend(instances.inside(instance, path).into_iter().map(|inner| (inner, thread)));
        }
        for (part, inside) in instances.instances[instance].parts.iter().enumerate() {
            let name = &class.parts[part].name;
            let threads = match inside.first().and_then(|inner| mapped.get(inner)) {
                Some(thread) => BTreeSet::from([(*thread).clone()]),
                None if room => BTreeSet::new(),
                None => threads_of_part(class, &name.text),
            };
            if threads.len() > 1 {
                messages.report(unsupported(name.span, "a part with several threads, as configured,"));
            }
            let own = found[instance];
            let thread = match threads.first().filter(|logical| !logical.is_empty()) {
                Some(logical) => physical(logical).unwrap_or_else(|| {
                    let text = format!("the thread `{logical}` of a part, which no build file configures,");
                    messages.report(unsupported(name.span, &text));
                    own
                }),
                None => own,
            };
            inside.iter().for_each(|&inner| found[inner] = thread);
        }
    }
    found
}

/// Instances that call each other by `invoke`, directly or not, have one number.
fn groups(instances: &Instances<'_>) -> Vec<usize> {
    let mut group: Vec<usize> = (0..instances.instances.len()).collect();
    for instance in 0..instances.instances.len() {
        for (port, _) in invoked(instances.class(instance)) {
            for index in 0..instances.ends(instance, port) {
                let Some(other) = instances.wiring.get(&Slot { instance, port, index }) else { continue };
                let (from, to) = (group[instance], group[other.instance]);
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    group
}

impl Lowering<'_, '_> {
    /// Decides which capsules share a thread, and declares the locks.
    pub(super) fn share(&mut self, threads: &Threads, messages: &mut Messages<'_>) {
        let has_machine = |instance: &usize| self.instances.class(*instance).machine.is_some();
        let running: Vec<usize> = (0..self.instances.instances.len()).filter(has_machine).collect();
        let thread = match threads {
            Threads::Any => groups(self.instances),
            Threads::Configured(all) => controllers(self.instances, all, self.library.is_room(), messages),
        };
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        running.iter().for_each(|&instance| members.entry(thread[instance]).or_default().push(instance));
        if let Threads::Configured(all) = threads {
            self.sharing.controllers = all.iter().map(|controller| controller.name.clone()).collect();
        }
        for (number, instances) in members {
            let configured = self.sharing.controllers.get(number).cloned();
            if configured.is_none() && instances.len() < 2 {
                continue;
            }
            let name = configured.clone().unwrap_or_else(|| format!("thread of {}", self.path(instances[0])));
            let span = self.instances.class(instances[0]).capsule.name.span;
            let busy = self.shared(format!("{name} busy"), ScalarType::Bit, 0, span);
            let fixed = instances.iter().filter(|&&i| self.instances.instances[i].optional.is_none()).count();
            let starting =
                configured.map(|_| self.shared(format!("{name} starting"), ScalarType::Byte, fixed as i32, span));
            self.sharing.locks.insert(number, Lock { busy, starting });
        }
        self.sharing.thread = thread;
    }

    /// A variable that machines share.
    pub(super) fn shared(&mut self, name: String, ty: ScalarType, first: i32, span: Span) -> VariableId {
        let initial = if first == 0 { Initial::Zero } else { Initial::Value(Expr::Const(first)) };
        self.network.variables.push(Variable { name, ty, dimensions: Vec::new(), initial, span });
        VariableId::from(self.network.variables.len() - 1)
    }

    pub(super) fn lock(&self, instance: usize) -> Option<Lock> {
        self.sharing.locks.get(self.sharing.thread.get(instance)?).copied()
    }

    /// Takes the lock for the initial transition.
    pub(super) fn start(&self, at: LocationId, instance: usize, build: &mut Build, span: Span) -> LocationId {
        let Some(Lock { busy, .. }) = self.lock(instance) else { return at };
        let free = is(busy, 0, span);
        let at = build.then(at, Action::Condition(free), span);
        build.then(at, Action::Assign(global_place(busy, span), Expr::Const(1)), span)
    }

    /// Where an instance takes messages from each of its queues: no message of a higher priority waits there, and the
    /// lock is taken.
    pub(super) fn dispatch(
        &self,
        at: LocationId,
        instance: usize,
        build: &mut Build,
        span: Span,
    ) -> Vec<(LocationId, VariableId)> {
        let queues = self.queues_of(instance);
        let one = |(position, &queue)| (self.take(at, (&queues[..position], queue), instance, build, span), queue);
        queues.iter().enumerate().map(one).collect()
    }

    fn take(
        &self,
        at: LocationId,
        (higher, queue): (&[VariableId], VariableId),
        instance: usize,
        build: &mut Build,
        span: Span,
    ) -> LocationId {
        let lock = self.lock(instance);
        if lock.is_none() && higher.is_empty() {
            return at;
        }
        let starting = lock.and_then(|lock| lock.starting);
        let busy = lock.map(|lock| lock.busy);
        let queue = Box::new(global(queue, span));
        let waiting = if starting.is_some() {
            let fields = self.network.channel_types[0].fields.len();
            let mut pattern = vec![Pattern::Any; fields];
            pattern[0] = Pattern::Match(super::address(instance));
            Expr::Poll { channel: queue, pattern, anywhere: false }
        } else {
            Expr::Channel(ChannelTest::NotEmpty, queue)
        };
        let none = higher.iter().map(|&queue| Expr::Channel(ChannelTest::Empty, Box::new(global(queue, span))));
        let free = [busy, starting].into_iter().flatten().map(|lock| is(lock, 0, span));
        let free = free.chain(none).chain([waiting]);
        let free = free.reduce(|a, b| Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b)));
        let at = build.then(at, Action::Condition(free.unwrap_or(Expr::Const(1))), span);
        let Some(busy) = busy else { return at };
        build.then(at, Action::Assign(global_place(busy, span), Expr::Const(1)), span)
    }

    /// Releases the lock, after the initial transition or after a message.
    pub(super) fn release(
        &self,
        at: LocationId,
        instance: usize,
        first: bool,
        build: &mut Build,
        span: Span,
    ) -> LocationId {
        let Some(Lock { busy, starting }) = self.lock(instance) else { return at };
        let mut at = at;
        if let Some(starting) = starting.filter(|_| first) {
            at = self.count(at, starting, -1, build, span);
        }
        build.then(at, Action::Assign(global_place(busy, span), Expr::Const(0)), span)
    }

    /// Changes a counter.
    pub(super) fn count(
        &self,
        at: LocationId,
        counter: VariableId,
        by: i32,
        build: &mut Build,
        span: Span,
    ) -> LocationId {
        let (op, by) = if by < 0 { (BinaryOp::Sub, -by) } else { (BinaryOp::Add, by) };
        let new = Expr::Binary(op, Box::new(global(counter, span)), Box::new(Expr::Const(by)));
        build.then(at, Action::Assign(global_place(counter, span), new), span)
    }

    /// The variables of locks: taking one commutes to the right, releasing it to the left.
    pub(super) fn lock_variables(&self) -> BTreeSet<VariableId> {
        let locks = self.sharing.locks.values().flat_map(|lock| [Some(lock.busy), lock.starting]).flatten();
        // What is given to a part is written before it exists, and read when it starts. No other thread uses the queues of
        // messages that were deferred.
        let own = self.deferred.values().chain(self.fronts.values());
        locks.chain(self.arguments.values().flatten().copied()).chain(own.copied()).collect()
    }
}

pub(super) fn is(variable: VariableId, number: i32, span: Span) -> Expr {
    Expr::Binary(BinaryOp::Equal, Box::new(global(variable, span)), Box::new(Expr::Const(number)))
}
