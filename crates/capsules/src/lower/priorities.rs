//! Priorities of messages: each that is in use has a queue of its own, from which a capsule takes a message only while
//! the queues of all higher ones are empty.

use super::actions::{Lowered, Scopes, no};
use super::handlers::Handlers;
use super::threads::each_expression;
use super::variables::Meaning;
use super::{Lowering, deferred, timers};
use crate::action::{self, Expr as Syntax, ExprKind};
use crate::resolve::{Class, Slot};
use model::ids::VariableId;
use std::collections::BTreeSet;

/// The priorities that a message may have, the highest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Priority {
    Panic,
    High,
    General,
    Low,
    Background,
}

/// All but the usual one.
const NAMED: [Priority; 4] = [Priority::Panic, Priority::High, Priority::Low, Priority::Background];

/// A priority by name.
pub(super) fn priority(e: &Syntax) -> Option<Priority> {
    let ExprKind::Name(name) = &e.kind else { return None };
    let name = name.rsplit("::").next().unwrap_or(name);
    NAMED.into_iter().chain([Priority::General]).find(|priority| format!("{priority:?}") == name)
}

impl Priority {
    /// How a message that is deferred keeps it; 0 is the usual one.
    pub(super) fn number(self) -> i32 {
        NAMED.iter().position(|priority| *priority == self).map_or(0, |at| at as i32 + 1)
    }
}

/// Whether code of a class mentions a priority: code that is not understood may use it.
pub(super) fn mentions_priorities(class: &Class<'_>) -> bool {
    let names = NAMED.map(|priority| format!("{priority:?}"));
    names.iter().any(|name| timers::mentions(class, name))
        && timers::codes(class).any(|code| names.iter().any(|name| action::words(code).contains(name)))
}

/// The ports and events that a class sends with a priority. The port is unknown where it is not given by its name.
fn sent(class: &Class<'_>) -> BTreeSet<(Option<usize>, String, Priority)> {
    let mut found = BTreeSet::new();
    if !mentions_priorities(class) {
        return found;
    }
    each_expression(class, &mut |e| {
        let ExprKind::Call(function, arguments) = &e.kind else { return };
        let ExprKind::Member(message, method) = &function.kind else { return };
        let ExprKind::Call(event, _) = &message.kind else { return };
        let ExprKind::Member(port, event) = &event.kind else { return };
        let port = match &port.kind {
            ExprKind::Name(name) => class.port(name),
            _ => None,
        };
        let known = arguments.last().and_then(priority).filter(|_| method.starts_with("send"));
        found.extend(known.filter(|p| *p != Priority::General).map(|priority| (port, event.clone(), priority)));
    });
    found
}

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// The priority of a timer is one that a capsule may use, given by its name, or the usual one.
    pub(super) fn named_priority(&self, call: &Syntax, scopes: &Scopes<'a>) -> Lowered<()> {
        let ExprKind::Call(_, arguments) = &call.kind else { return Ok(()) };
        for (at, e) in arguments.iter().enumerate().skip(1) {
            let ExprKind::Name(name) = &e.kind else { continue };
            let is_number = matches!(self.meaning(name, scopes), Some(Meaning::Variable(..) | Meaning::Constant(_)));
            if priority(e).is_none() && (at == 3 || is_number || name.rsplit("::").next() == Some("System")) {
                return no(e.span, "this priority");
            }
        }
        match arguments.get(3) {
            Some(e) if priority(e).is_none() => no(e.span, "this priority"),
            _ => Ok(()),
        }
    }
}

impl Lowering<'_, '_> {
    /// Declares a queue for each priority with which some message may be sent to a queue.
    pub(super) fn declare_priorities(&mut self) {
        let mut wanted = BTreeSet::new();
        for instance in 0..self.instances.instances.len() {
            let class = self.instances.class(instance);
            for (port, event, priority) in sent(class) {
                let ports = (0..class.ports.len()).filter(|&other| port.is_none_or(|port| port == other));
                for slot in ports.flat_map(|port| {
                    (0..self.instances.ends(instance, port)).map(move |index| Slot { instance, port, index })
                }) {
                    wanted.extend(self.receiver(slot, &event).map(|(_, queue, _)| (queue, priority)));
                }
            }
        }
        for &(instance, port) in self.timers.keys() {
            for request in timers::requests(self.instances.class(instance), port) {
                wanted.insert((self.queues[&instance], request.wish.priority));
            }
        }
        wanted.retain(|(_, priority)| *priority != Priority::General);
        for (queue, priority) in wanted {
            let usual = &self.network.variables[queue.index()];
            let (name, span) = (format!("{} ({priority:?})", usual.name), usual.span);
            let id = self.channel(name, span);
            self.priorities.insert((queue, priority), id);
        }
    }

    /// The queue for a priority; `None` if there is none.
    pub(super) fn queue_for(&self, queue: VariableId, priority: Priority) -> Option<VariableId> {
        if priority == Priority::General { Some(queue) } else { self.priorities.get(&(queue, priority)).copied() }
    }

    /// Declares a queue for what is recalled to the front of another.
    pub(super) fn declare_fronts(&mut self) {
        let recalls = |instance: &usize| deferred::recalls_to_front(self.instances.class(*instance));
        let wanted: BTreeSet<VariableId> =
            self.deferred.keys().copied().filter(recalls).map(|instance| self.queues[&instance]).collect();
        for usual in wanted {
            for (priority, queue) in self.by_priority(usual) {
                let queue = &self.network.variables[queue.index()];
                let (name, span) = (format!("{} (front)", queue.name), queue.span);
                let front = self.channel(name, span);
                self.fronts.insert((usual, priority), front);
            }
        }
    }

    /// The priorities of the messages in a queue, the highest first, each with the queue for it.
    pub(super) fn by_priority(&self, usual: VariableId) -> Vec<(Priority, VariableId)> {
        let mut all: Vec<(Priority, VariableId)> =
            NAMED.into_iter().filter_map(|priority| Some((priority, self.queue_for(usual, priority)?))).collect();
        all.push((Priority::General, usual));
        all.sort_unstable();
        all
    }

    /// The queues of an instance, that of the highest priority first.
    pub(super) fn queues_of(&self, instance: usize) -> Vec<VariableId> {
        let usual = self.queues[&instance];
        let all = self.by_priority(usual).into_iter();
        all.flat_map(|(priority, queue)| self.fronts.get(&(usual, priority)).copied().into_iter().chain([queue]))
            .collect()
    }

    /// The priority of the messages in a queue of an instance.
    pub(super) fn priority_of(&self, queue: VariableId) -> Priority {
        let mut all = self.priorities.iter().chain(&self.fronts);
        all.find(|(_, known)| **known == queue).map_or(Priority::General, |((_, priority), _)| *priority)
    }

    /// Whether messages of several priorities wait for an instance.
    pub(super) fn has_priorities(&self, instance: usize) -> bool {
        let usual = self.queues[&instance];
        self.priorities.keys().any(|(queue, _)| *queue == usual)
    }
}
