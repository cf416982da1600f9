//! What can never happen again after a run: a machine moves, or the head of a queue is received.
//!
//! A run alone does not show it. What does is a set of configurations that has its end, is closed under steps, and has none
//! in which the step that is waited for is possible. It is built here, from the end of the run, by the model's own semantics.
//! Losses are no steps. Where the configurations are too many, perhaps without end, they are put together: a queue holds a
//! *prefix*, message by message, and behind it any number of some messages in any order. What follows from such a set is
//! more than what follows from each configuration, so that it is closed if they are; and the step is seen if one of them
//! allows it.
//!
//! With queues known in part only, what a statement does must depend on heads alone (`certify::queues::can_speak_of`): then
//! all that can happen happens with no more than one queue having more than its prefix, and that one message more.

use crate::Ending;
use model::growth::Parts;
use model::network::Action;
use model::semantics::{Semantics, Step, Stepper};
use model::verdict::Property;
use std::collections::{BTreeSet, HashSet};

/// A closed set has at most so many configurations and messages in them, where there are finitely many, and at the first
/// attempts. (Queues that grow would fill the memory with few configurations.)
const MOST: usize = 1 << 18;
const FIRST: usize = 1 << 12;
/// The longest prefix that is tried.
const LONGEST: usize = 3;

/// Message by message, field by field.
type Message = Vec<i32>;

/// What a queue may hold: a prefix, and then any number of the others.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Content {
    prefix: Vec<Message>,
    others: BTreeSet<Message>,
}

/// A state without messages, and its queues.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    state: Vec<u8>,
    queues: Vec<Content>,
}

/// What is waited for.
#[derive(Clone, Copy)]
enum Awaited {
    Machine(usize),
    Queue(usize),
}

/// What can never happen again after a state, if the property is about that and something cannot.
pub(crate) fn never(semantics: &Semantics<'_>, property: &Property, state: &[u8]) -> Option<Ending> {
    let mut stepper = semantics.stepper();
    let messages = stepper.messages(state);
    stepper.load(state);
    let network = semantics.network();
    let has_transitions =
        |&(machine, at)| network.machine(machine).edges_from(at).any(|edge| !matches!(edge.action, Action::End));
    let places: Vec<_> = stepper.loaded_places().collect();
    let open: Vec<Awaited> = match property {
        Property::PartialDeadlock => {
            (0..places.len()).filter(|&at| has_transitions(&places[at])).map(Awaited::Machine).collect()
        }
        _ => (0..messages.len()).filter(|&at| !messages[at].is_empty()).map(Awaited::Queue).collect(),
    };
    let (awaited, size) = open.into_iter().find_map(|awaited| Some((awaited, closed(semantics, state, awaited)?)))?;
    let after = match size {
        1 => String::from("nothing can move"),
        size => format!("a set of {size} configurations is closed under steps"),
    };
    let (problem, code) = match awaited {
        Awaited::Machine(machine) => {
            let name = &network.machine(places[machine].0).name;
            (format!("`{name}` can never move again: {after}, and it moves in none"), "partial-deadlock")
        }
        Awaited::Queue(queue) => {
            let names = Parts::new(semantics).queue_names(state);
            let name = names.into_iter().nth(queue).flatten().unwrap_or_else(|| queue.to_string());
            let what = format!("the message at the head of `{name}` can never be received");
            (format!("{what}: {after}, and it is received in none"), "stuck-message")
        }
    };
    Some(Ending { problem, code, span: None })
}

/// The size of a closed set that has the state, and no step that is waited for; `None` if none was found.
fn closed(semantics: &Semantics<'_>, state: &[u8], awaited: Awaited) -> Option<usize> {
    let explore = |longest: usize, most: usize| Closure { semantics, awaited, longest, most }.explore(state);
    let exactly = |most: usize| explore(usize::MAX, most);
    match exactly(FIRST) {
        Closed::Yes(size) => return Some(size),
        Closed::No => return None,
        Closed::TooLarge => {}
    }
    if certify::queues::can_speak_of(semantics.network()).is_ok() {
        let found = (0..=LONGEST).find_map(|longest| match explore(longest, FIRST) {
            Closed::Yes(size) => Some(size),
            _ => None,
        });
        if found.is_some() {
            return found;
        }
    }
    match exactly(MOST) {
        Closed::Yes(size) => Some(size),
        _ => None,
    }
}

/// What came of an attempt.
enum Closed {
    Yes(usize),
    /// The step that is waited for is possible somewhere, or something goes wrong.
    No,
    TooLarge,
}

struct Closure<'a> {
    semantics: &'a Semantics<'a>,
    awaited: Awaited,
    /// The longest prefix.
    longest: usize,
    most: usize,
}

impl Closure<'_> {
    fn explore(&self, state: &[u8]) -> Closed {
        let mut stepper = self.semantics.stepper();
        stepper.listen();
        let exact = |prefix: Vec<Message>| Content { prefix, others: BTreeSet::new() };
        let queues = stepper.messages(state).into_iter().map(exact).collect();
        let first = Node { state: stepper.without_messages(state), queues };
        let mut seen: HashSet<Node> = HashSet::from([first.clone()]);
        let (mut work, mut size) = (vec![first], 1);
        while let Some(node) = work.pop() {
            let Some(next) = self.successors(&mut stepper, &node) else { return Closed::No };
            for node in next {
                if size >= self.most {
                    return Closed::TooLarge;
                }
                if seen.insert(node.clone()) {
                    size += 1 + node.queues.iter().map(|queue| queue.prefix.len()).sum::<usize>();
                    work.push(node);
                }
            }
        }
        Closed::Yes(seen.len())
    }

    /// Where the steps of all configurations of a node lead; `None` if one of them is the one that is waited for, or is no
    /// plain step.
    fn successors(&self, stepper: &mut Stepper<'_>, node: &Node) -> Option<Vec<Node>> {
        let prefixes: Vec<Vec<Message>> = node.queues.iter().map(|queue| queue.prefix.clone()).collect();
        let mut next = Vec::new();
        self.sample(stepper, node, &prefixes, &mut next)?;
        for (at, queue) in node.queues.iter().enumerate().filter(|(_, queue)| queue.prefix.is_empty()) {
            for message in &queue.others {
                let mut contents = prefixes.clone();
                contents[at].push(message.clone());
                self.sample(stepper, node, &contents, &mut next)?;
            }
        }
        Some(next)
    }

    fn sample(
        &self,
        stepper: &mut Stepper<'_>,
        node: &Node,
        contents: &[Vec<Message>],
        next: &mut Vec<Node>,
    ) -> Option<()> {
        let state = stepper.with_messages(&node.state, contents)?;
        let mut found = Vec::new();
        let mut plain = true;
        let expanded = stepper.expand(&state, None, &mut |successor| match (successor.step, successor.state) {
            (Step::Loss { .. }, _) => {}
            (Step::Edge { process, .. }, Some(after)) if successor.control.is_none() => {
                found.push((process as usize, after.to_vec(), successor.exchanges.to_vec()));
            }
            _ => plain = false,
        });
        if expanded.is_err() || !plain {
            return None;
        }
        for (process, after, exchanges) in found {
            let mut queues = node.queues.clone();
            let mut received = None;
            match exchanges.as_slice() {
                [] => {}
                [one] if one.sent => queues.get_mut(one.queue as usize)?.send(&one.fields, self.longest),
                [one] => {
                    received = Some(one.queue as usize);
                    queues.get_mut(one.queue as usize)?.receive();
                }
                _ => return None,
            }
            let is_awaited = match self.awaited {
                Awaited::Machine(machine) => machine == process,
                Awaited::Queue(queue) => received == Some(queue),
            };
            if is_awaited {
                return None;
            }
            next.push(Node { state: stepper.without_messages(&after), queues });
        }
        Some(())
    }
}

impl Content {
    fn send(&mut self, message: &[i32], longest: usize) {
        if self.others.is_empty() && self.prefix.len() < longest {
            self.prefix.push(message.to_vec());
        } else {
            self.others.insert(message.to_vec());
        }
    }

    /// Takes the head. If that is one of the others, there may be any number of them left.
    fn receive(&mut self) {
        if !self.prefix.is_empty() {
            self.prefix.remove(0);
        }
    }
}
