//! The steps of one process on its own: which edges it can take, and what becomes of its values.
//!
//! Sends are always possible, for channels have no limit. Whether a receive is possible depends on the queue, so it
//! gives one outcome for each message that may be at the head. All else is decided by the values of the process, or
//! refused.

use super::Message;
use super::values::{Eval, Seer, Store, Trouble, truncated};
use crate::print::NotExpressible;
use model::expr::{BinaryOp, Expr, Pattern, Scope};
use model::ids::{ChannelTypeId, EdgeId, LocationId};
use model::network::{Action, Choice, Deterministic, Edge, Network, ReceiveMode, ScalarType};
use model::source::Span;
use std::collections::{BTreeSet, HashSet};

/// A deterministic step of more statements than this is not looked at to its end.
const LONGEST_STEP: usize = 100_000;

/// What a step does to the channels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Label {
    Internal,
    Send(usize, Message),
    Receive(usize, Message),
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) label: Label,
    /// The edges that make it up.
    pub(super) edges: Vec<EdgeId>,
    pub(super) to: LocationId,
    pub(super) store: Store,
    /// The statement that goes wrong; the outcome stands for the error, not for what comes after it.
    pub(super) fault: Option<Span>,
    /// The process keeps control.
    pub(super) atomic: bool,
}

/// What a state offers.
#[derive(Default)]
pub(super) struct Offer {
    pub(super) outcomes: Vec<Outcome>,
    /// Queues that it waits for: more messages there make more outcomes.
    pub(super) awaited: BTreeSet<usize>,
}

/// What somebody may send, per queue, in the order in which it was found.
#[derive(Default)]
pub(super) struct Sent {
    pub(super) messages: Vec<Vec<Message>>,
    known: HashSet<(usize, Message)>,
}

impl Sent {
    pub(super) fn new(queues: usize) -> Sent {
        Sent { messages: vec![Vec::new(); queues], known: HashSet::new() }
    }

    /// Adds a message; whether it is new.
    pub(super) fn insert(&mut self, queue: usize, message: &Message) -> bool {
        let new = self.known.insert((queue, message.clone()));
        if new {
            self.messages[queue].push(message.clone());
        }
        new
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}

/// What a part of a step did: to the channels, and to the values.
struct Effect {
    label: Label,
    store: Store,
    /// The first assertion that failed on the way; the run goes on all the same.
    failed: Option<Span>,
}

impl Effect {
    fn new(label: Label, store: Store) -> Effect {
        Effect { label, store, failed: None }
    }
}

/// Takes steps of one process.
#[derive(Clone, Copy)]
pub(super) struct Walker<'a> {
    pub(super) seer: Seer<'a>,
    /// The kinds of the queues.
    pub(super) queues: &'a [ChannelTypeId],
    pub(super) sent: &'a Sent,
}

impl<'a> Walker<'a> {
    fn network(&self) -> &'a Network {
        self.seer.network
    }

    fn at(&self, span: Span) -> Walker<'a> {
        Walker { seer: Seer { span, ..self.seer }, ..*self }
    }

    /// The outcomes of all edges of a location.
    pub(super) fn offer(&self, location: LocationId, store: &Store) -> Result<Offer, NotExpressible> {
        let network: &'a Network = self.network();
        let machine = network.machine(self.seer.machine);
        let mut offer = Offer::default();
        for &id in &machine.locations[location.index()].edges {
            let edge = &machine.edges[id.index()];
            if edge.escape != 0 {
                return NotExpressible::new(edge.span, "an escape (`unless`) depends on what else is possible");
            }
            if is_else(&edge.action) {
                if !offer.outcomes.is_empty() {
                    continue;
                }
                if !offer.awaited.is_empty() {
                    let why = "this `else` depends on a queue: a machine cannot see that a message is not there";
                    return NotExpressible::new(edge.span, why);
                }
            }
            self.edge(id, edge, store, &mut offer)?;
        }
        Ok(offer)
    }

    fn edge(&self, id: EdgeId, edge: &Edge, store: &Store, offer: &mut Offer) -> Result<(), NotExpressible> {
        let walker = self.at(edge.span);
        let outcome = |label: Label, store: Store, fault: Option<Span>| {
            let (to, atomic) = (edge.to, edge.atomic && fault.is_none());
            Outcome { label, edges: vec![id], to, store, fault, atomic }
        };
        match walker.effects(&edge.action, store, &mut offer.awaited) {
            Ok(effects) => {
                for Effect { label, store, failed } in effects {
                    let error = failed.map(|span| outcome(label.clone(), store.clone(), Some(span)));
                    offer.outcomes.extend(error);
                    offer.outcomes.push(outcome(label, store, None));
                }
            }
            Err(Trouble::Fault) => offer.outcomes.push(outcome(Label::Internal, store.clone(), Some(edge.span))),
            Err(Trouble::Refused(reason)) => return Err(reason),
        }
        Ok(())
    }

    /// What an action can do; nothing if it is not executable.
    fn effects(&self, action: &Action, store: &Store, awaited: &mut BTreeSet<usize>) -> Eval<Vec<Effect>> {
        let internal = |store: Store| Ok(vec![Effect::new(Label::Internal, store)]);
        match action {
            Action::Observe { .. } => Ok(Vec::new()),
            Action::Skip | Action::Else | Action::Print { .. } => internal(store.clone()),
            Action::Condition(e) => {
                if self.seer.holds(e, store)? {
                    internal(store.clone())
                } else {
                    Ok(Vec::new())
                }
            }
            Action::Assert(e) => {
                let failed = if self.seer.holds(e, store)? { None } else { Some(self.seer.span) };
                Ok(vec![Effect { failed, ..Effect::new(Label::Internal, store.clone()) }])
            }
            Action::Assign(place, e) => {
                let mut next = store.clone();
                self.seer.assign(place, self.seer.eval(e, store)?, &mut next)?;
                internal(next)
            }
            Action::Send { .. } => {
                let (queue, message) = self.send(action, store)?;
                Ok(vec![Effect::new(Label::Send(queue, message), store.clone())])
            }
            Action::Receive { channel, pattern, mode } => {
                let queue = self.queue(channel, store)?;
                self.check_mode(*mode)?;
                awaited.insert(queue);
                self.receive(queue, pattern, store)
            }
            Action::Deterministic(step) => self.deterministic(step, store, awaited),
            Action::End => Ok(Vec::new()),
            Action::Run { .. } => self.refuse("a process is created while the system runs"),
            Action::SetPriority(..) => self.refuse("priorities depend on what other processes can do"),
        }
    }

    fn refuse<T>(&self, why: &str) -> Eval<T> {
        Ok(NotExpressible::new(self.seer.span, why)?)
    }

    fn check_mode(&self, mode: ReceiveMode) -> Eval<()> {
        if mode.anywhere {
            return self.refuse("a receive from the middle of a queue (`??`)");
        }
        if mode.keep {
            return self.refuse("a receive that leaves the message in the queue");
        }
        Ok(())
    }

    /// The queue that an expression means, if it is one that holds messages.
    fn queue(&self, channel: &Expr, store: &Store) -> Eval<usize> {
        let reference = self.seer.eval(channel, store)?;
        let queue = usize::try_from(reference).ok().and_then(|reference| reference.checked_sub(1));
        let Some((queue, kind)) = queue.and_then(|queue| Some((queue, *self.queues.get(queue)?))) else {
            return Err(Trouble::Fault);
        };
        if self.network().channel_types[kind.index()].is_rendezvous() {
            return self.refuse("a rendezvous: this channel holds no message");
        }
        Ok(queue)
    }

    fn fields(&self, queue: usize) -> &'a [ScalarType] {
        let network: &'a Network = self.network();
        &network.channel_types[self.queues[queue].index()].fields
    }

    fn send(&self, action: &Action, store: &Store) -> Eval<(usize, Message)> {
        let Action::Send { channel, message, sorted } = action else { return Err(Trouble::Fault) };
        let queue = self.queue(channel, store)?;
        if *sorted {
            return self.refuse("a send into the middle of a queue (`!!`)");
        }
        let values = message.iter().map(|e| self.seer.eval(e, store)).collect::<Eval<Vec<i32>>>()?;
        let fields = self.fields(queue);
        if values.len() != fields.len() {
            return Err(Trouble::Fault);
        }
        Ok((queue, Message { fields: fields.to_vec(), values: truncated(fields, &values) }))
    }

    /// One effect for each message that a receive may find at the head of its queue.
    fn receive(&self, queue: usize, pattern: &[Pattern], store: &Store) -> Eval<Vec<Effect>> {
        let mut effects = Vec::new();
        for message in &self.sent.messages[queue] {
            if self.fits(pattern, message, store)? {
                let next = self.bound(pattern, message, store)?;
                effects.push(Effect::new(Label::Receive(queue, message.clone()), next));
            }
        }
        Ok(effects)
    }

    fn fits(&self, pattern: &[Pattern], message: &Message, store: &Store) -> Eval<bool> {
        if pattern.len() != message.values.len() {
            return Err(Trouble::Fault);
        }
        for (pattern, &value) in pattern.iter().zip(&message.values) {
            if let Pattern::Match(e) = pattern
                && self.seer.eval(e, store)? != value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn bound(&self, pattern: &[Pattern], message: &Message, store: &Store) -> Eval<Store> {
        let mut next = store.clone();
        for (pattern, &value) in pattern.iter().zip(&message.values) {
            if let Pattern::Bind(place) = pattern {
                self.seer.assign(place, value, &mut next)?;
            }
        }
        Ok(next)
    }

    /// The effects of a deterministic step: several only where it begins with a receive.
    fn deterministic(&self, step: &Deterministic, store: &Store, awaited: &mut BTreeSet<usize>) -> Eval<Vec<Effect>> {
        if !self.may_begin(step, store)? {
            return Ok(Vec::new());
        }
        match self.choose(step.nodes.first().map_or(&[][..], Vec::as_slice), store)? {
            Chosen::Nothing => Err(Trouble::Fault),
            Chosen::Choice(_) => Ok(vec![self.run(step, 0, Label::Internal, store.clone())?]),
            Chosen::Receives(queue, choices) => {
                awaited.insert(queue);
                let mut effects = Vec::new();
                for message in &self.sent.messages[queue] {
                    for choice in &choices {
                        let Action::Receive { pattern, .. } = &choice.action else { continue };
                        if !self.fits(pattern, message, store)? {
                            continue;
                        }
                        let label = Label::Receive(queue, message.clone());
                        let next = self.bound(pattern, message, store)?;
                        effects.push(match choice.next {
                            Some(node) => self.run(step, node as usize, label, next)?,
                            None => Effect::new(label, next),
                        });
                        break;
                    }
                }
                Ok(effects)
            }
        }
    }

    /// Whether the guard of a deterministic step may hold. What it says about queues is left to the first statement.
    fn may_begin(&self, step: &Deterministic, store: &Store) -> Eval<bool> {
        for guard in &step.guard {
            let may = match guard {
                Action::Condition(Expr::Binary(BinaryOp::And, condition, head)) if is_head(head, step) => {
                    self.seer.holds(condition, store)?
                }
                Action::Condition(e) => self.seer.holds(e, store)?,
                _ => true,
            };
            if may {
                return Ok(true);
            }
        }
        Ok(step.guard.is_empty())
    }

    /// The first executable choice of a node, or receives that all wait for the same queue.
    fn choose<'c>(&self, choices: &'c [Choice], store: &Store) -> Eval<Chosen<'c>> {
        let mut receives: Vec<&Choice> = Vec::new();
        let mut awaited = None;
        for choice in choices {
            let walker = self.at(choice.span);
            match &choice.action {
                Action::Condition(e) if !walker.seer.holds(e, store)? => {}
                Action::Receive { channel, mode, .. } => {
                    walker.check_mode(*mode)?;
                    let queue = walker.queue(channel, store)?;
                    if awaited.is_some_and(|other| other != queue) {
                        return walker.refuse("a deterministic step that waits for two channels");
                    }
                    awaited = Some(queue);
                    receives.push(choice);
                }
                _ if awaited.is_some() => {
                    return walker.refuse("this choice of a deterministic step depends on a message that is not there");
                }
                _ => return Ok(Chosen::Choice(choice)),
            }
        }
        Ok(awaited.map_or(Chosen::Nothing, |queue| Chosen::Receives(queue, receives)))
    }

    /// Runs a deterministic step from a node to its end.
    fn run(&self, step: &Deterministic, mut node: usize, label: Label, store: Store) -> Eval<Effect> {
        let mut done = Effect::new(label, store);
        for _ in 0..LONGEST_STEP {
            let Some(choices) = step.nodes.get(node) else { return Ok(done) };
            let choice = match self.choose(choices, &done.store)? {
                Chosen::Choice(choice) => choice,
                Chosen::Nothing => return Err(Trouble::Fault),
                Chosen::Receives(..) => return self.refuse("a receive in the middle of a deterministic step"),
            };
            let walker = self.at(choice.span);
            let effects = walker.effects(&choice.action, &done.store, &mut BTreeSet::new())?;
            let Some(effect) = effects.into_iter().next() else { return Err(Trouble::Fault) };
            if effect.label != Label::Internal && done.label != Label::Internal {
                return walker.refuse("a deterministic step with two uses of channels");
            }
            let label = if effect.label == Label::Internal { done.label } else { effect.label };
            done = Effect { label, store: effect.store, failed: done.failed.or(effect.failed) };
            match choice.next {
                Some(next) => node = next as usize,
                None => return Ok(done),
            }
        }
        self.refuse("a deterministic step that may not end")
    }
}

/// What a node of a deterministic step does.
enum Chosen<'c> {
    Nothing,
    Choice(&'c Choice),
    Receives(usize, Vec<&'c Choice>),
}

/// Whether it depends on shared variables, even on those that no other process changes, if an action can be taken.
pub(super) fn depends_on_others(network: &Network, action: &Action) -> bool {
    let shared = |e: &Expr| match e {
        Expr::Read(place) if place.scope == Scope::Global => {
            network.variables.get(place.variable.index()).is_none_or(|v| v.ty != ScalarType::Channel)
        }
        _ => false,
    };
    match action {
        // What a receive compares with may be shared: it is the process that waits.
        Action::Condition(Expr::Binary(BinaryOp::And, condition, head)) if matches!(**head, Expr::Poll { .. }) => {
            condition.any(&shared)
        }
        Action::Condition(e) => e.any(&shared),
        Action::Deterministic(step) => step.guard.iter().any(|guard| depends_on_others(network, guard)),
        _ => false,
    }
}

/// Whether an edge can be taken only when no other one can.
fn is_else(action: &Action) -> bool {
    match action {
        Action::Else => true,
        Action::Deterministic(step) => matches!(step.guard.as_slice(), [Action::Else]),
        _ => false,
    }
}

/// Whether an expression asks just for what the first statement of a step receives.
fn is_head(e: &Expr, step: &Deterministic) -> bool {
    let Expr::Poll { channel, pattern, anywhere: false } = e else { return false };
    match step.nodes.first().map(Vec::as_slice) {
        Some([Choice { action: Action::Receive { channel: own, pattern: taken, .. }, .. }]) => {
            **channel == *own && pattern == taken
        }
        _ => false,
    }
}
