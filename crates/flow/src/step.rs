//! Abstract steps: what a process at a node can do, when values are known only as sets.
//!
//! [`Stepper::steps`] walks every edge of a point, and on through transient points, and gives each way as a [`Step`]:
//! where it ends, what the local slots hold then, what was sent and taken, what was written. Everything that depends on
//! what is not tracked counts as possible (`model::flow_proof` has the list), so the steps cover all that
//! `model::semantics` can do from states inside the sets.
//! (Ciclo, section VI: code abstraction; here the code is not thrown away but evaluated on sets.)
//!
//! What is known of shared things is in `facts`, variables are read and written in `places`, and `conditions` evaluates
//! expressions and takes them for granted.

mod conditions;
mod facts;
mod places;

pub use facts::{Facts, QueueFacts};

use crate::ghosts::{Ledger, Watched};
use crate::values;
use crate::world::{MachineInfo, World};
use model::expr::{BinaryOp, Expr, Pattern, Place};
use model::flow_proof::{Number, Point, Values};
use model::ids::{ChannelTypeId, EdgeId, MachineId};
use model::network::{Action, Choice};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A message that a step sends or takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Traffic {
    /// It is sent, with these fields.
    Sent(u32, Vec<Values>),
    /// One of this atom is taken.
    Taken(u32, u32),
}

/// A process that a step creates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Created {
    /// The edge that does.
    pub edge: EdgeId,
    /// Its type.
    pub machine: MachineId,
    /// Its parameters.
    pub arguments: Vec<Values>,
}

/// One way on from a node.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it ends.
    pub to: Point,
    /// The edges that it takes.
    pub edges: Vec<EdgeId>,
    /// What the local slots hold then.
    pub locals: Vec<Values>,
    /// What is known of global slots then, as far as more is known than in the facts.
    pub shared: Vec<(u32, Values)>,
    /// What was written to global slots.
    pub writes: Vec<(u32, Values)>,
    /// Messages.
    pub traffic: Vec<Traffic>,
    /// Processes.
    pub created: Vec<Created>,
    /// Per number of the stepper: the most that its distance grows.
    pub growth: Vec<i64>,
    /// The most that queues hold at its end, all in all or of one atom, where a test has shown it.
    pub lengths: BTreeMap<(u32, Option<u32>), u64>,
    /// How much of the traffic came before the last location that it passed through.
    pub shown: usize,
    /// The ghosts.
    pub ledger: Ledger,
}

impl Step {
    /// No state is like this.
    fn is_absurd(&self) -> bool {
        let shared = self.shared.iter().map(|(_, values)| values);
        let arguments = self.created.iter().flat_map(|created| &created.arguments);
        self.locals.iter().chain(shared).chain(arguments).any(values::is_empty)
    }

    /// What can be seen of its traffic if it fails (a deterministic step that fails leaves nothing behind), if something
    /// was sent.
    pub fn sent_before(&self) -> Option<&[Traffic]> {
        let shown = &self.traffic[..self.shown];
        shown.iter().any(|traffic| matches!(traffic, Traffic::Sent(..))).then_some(shown)
    }
}

/// What was looked at, so that it is looked at again when it changes.
#[derive(Default)]
pub struct Seen {
    /// Global slots.
    pub globals: Vec<u32>,
    /// Queues.
    pub queues: Vec<u32>,
    /// All queues.
    pub all_queues: bool,
    /// Numbers that fields were compared with: channel type, field, values.
    pub compared: Vec<(ChannelTypeId, u32, Values)>,
    /// What was sent and taken on ways that come to no end: every statement there fails.
    pub failed: Vec<Vec<Traffic>>,
    /// Ghosts that do not wrap, but something is added to them that may.
    pub wrapping: Vec<u32>,
}

/// Takes abstract steps of one process.
pub struct Stepper<'a> {
    /// The network.
    pub world: &'a World<'a>,
    /// What is known.
    pub facts: &'a Facts,
    /// The type of the process.
    pub machine: MachineId,
    /// The number of the process.
    pub pid: &'a Values,
    /// Numbers that are counted: those of this process, and global ones.
    pub numbers: &'a [Number],
    /// The ghosts, as this process sees them.
    pub watched: &'a [Watched],
    /// What was looked at.
    pub seen: RefCell<Seen>,
}

impl<'a> Stepper<'a> {
    fn info(&self) -> &'a MachineInfo {
        self.world.info(self.machine)
    }

    /// Every way on from a point, with these local values and this knowledge of shared variables.
    pub fn steps(&self, at: Point, locals: &[Values], shared: &[(u32, Values)]) -> Vec<Step> {
        let start = Step {
            to: at,
            edges: Vec::new(),
            locals: locals.to_vec(),
            shared: shared.to_vec(),
            writes: Vec::new(),
            traffic: Vec::new(),
            created: Vec::new(),
            growth: vec![0; self.numbers.len()],
            lengths: BTreeMap::new(),
            shown: 0,
            ledger: self.open_ledger(locals, shared),
        };
        let mut found = Vec::new();
        self.walk(at, start, &mut found);
        found
    }

    /// Goes on from a point; a step that has moved ends at the first point that is not transient.
    fn walk(&self, at: Point, step: Step, found: &mut Vec<Step>) {
        let further = self.further(at, &step);
        if let Some(sent) = step.sent_before()
            && further.iter().all(Step::is_absurd)
        {
            self.seen.borrow_mut().failed.push(sent.to_vec());
        }
        for mut next in further {
            if !self.info().transient.contains(&next.to) {
                found.push(next);
                continue;
            }
            if matches!(next.to, Point::Location(_)) {
                next.shown = next.traffic.len();
            }
            self.walk(next.to, next, found);
        }
    }

    /// One statement further.
    fn further(&self, at: Point, step: &Step) -> Vec<Step> {
        match at {
            Point::Gone => Vec::new(),
            Point::Inside(edge, node) => self.choices(step, edge, node),
            Point::Location(location) => self.edges(step, location),
        }
    }

    /// The choices at a point of a deterministic step.
    fn choices(&self, step: &Step, edge: u32, node: u32) -> Vec<Step> {
        let machine = self.world.network.machine(self.machine);
        let Action::Deterministic(body) = &machine.edges[edge as usize].action else { return Vec::new() };
        let mut found = Vec::new();
        let Some(choices) = body.nodes.get(node as usize) else { return found };
        for (index, choice) in choices.iter().enumerate() {
            let Some(mut start) = self.choose(step, choices, index) else { continue };
            if start.edges.is_empty() {
                start.edges.push(EdgeId(edge));
            }
            let to = choice.next.map_or(Point::at(machine.edges[edge as usize].to), |n| Point::Inside(edge, n));
            found.extend(self.apply(start, &choice.action, EdgeId(edge)).into_iter().map(|next| Step { to, ..next }));
        }
        found
    }

    /// The edges of a location.
    fn edges(&self, step: &Step, location: u32) -> Vec<Step> {
        let machine = self.world.network.machine(self.machine);
        let mut found = Vec::new();
        let Some(here) = machine.locations.get(location as usize) else { return found };
        for (position, &id) in here.edges.iter().enumerate() {
            let edge = &machine.edges[id.index()];
            let mut start = step.clone();
            start.edges.push(id);
            if is_else(&edge.action) {
                // Edges are tried in order: `else` says nothing of those behind it.
                let earlier = here.edges[..position].iter();
                let conditions = earlier.flat_map(|e| guards(&machine.edges[e.index()].action));
                if !conditions.into_iter().all(|e| self.suppose(&mut start, e, false)) {
                    continue;
                }
            }
            match &edge.action {
                Action::Deterministic(_) => found.push(Step { to: Point::inside(id, 0), ..start }),
                Action::End => found.push(Step { to: Point::Gone, ..start }),
                action => {
                    let done = self.apply(start, action, id).into_iter();
                    found.extend(done.map(|next| Step { to: Point::at(edge.to), ..next }));
                }
            }
        }
        found
    }

    /// In a deterministic step, a choice is taken when those before it cannot be; but a message that is handed over goes
    /// straight to the receive, whatever stands before it.
    fn choose(&self, step: &Step, choices: &[Choice], index: usize) -> Option<Step> {
        let mut start = step.clone();
        if matches!(choices[index].action, Action::Receive { .. }) && self.world.has_rendezvous {
            return Some(start);
        }
        for earlier in &choices[..index] {
            if let Action::Condition(e) = &earlier.action
                && !self.suppose(&mut start, e, false)
            {
                return None;
            }
        }
        Some(start)
    }

    /// A condition has this truth; `false` if it cannot have it.
    fn suppose(&self, step: &mut Step, e: &Expr, truth: bool) -> bool {
        self.follow_condition(step, e, truth);
        self.assume(step, e, truth)
    }

    /// What an action does: one step for each way in which it can be done.
    fn apply(&self, mut step: Step, action: &Action, edge: EdgeId) -> Vec<Step> {
        match action {
            Action::Skip | Action::Else | Action::Assert(_) | Action::Print { .. } | Action::SetPriority(..) => {
                vec![step]
            }
            Action::Condition(e) => {
                if self.suppose(&mut step, e, true) {
                    vec![step]
                } else {
                    Vec::new()
                }
            }
            Action::Assign(place, e) => {
                if self.assign(&mut step, place, e) {
                    vec![step]
                } else {
                    Vec::new()
                }
            }
            Action::Send { channel, message, .. } => self.send(&step, channel, message),
            Action::Receive { channel, pattern, mode } => self.receive(&step, channel, pattern, mode.keep),
            Action::Run { machine, arguments, then, .. } => {
                let types = &self.world.info(*machine).types;
                let values = arguments.iter().zip(types).map(|(e, &ty)| values::truncate(ty, self.eval(&step, e)));
                let arguments = values.collect();
                step.created.push(Created { edge, machine: *machine, arguments });
                match then {
                    Some((place, e)) if !self.assign(&mut step, place, e) => Vec::new(),
                    _ => vec![step],
                }
            }
            Action::End | Action::Observe { .. } | Action::Deterministic(_) => Vec::new(),
        }
    }

    /// Stores the value of an expression; `false` if there is none, as after a division by zero.
    fn assign(&self, step: &mut Step, place: &Place, e: &Expr) -> bool {
        let value = self.eval(step, e);
        let change = constant_change(place, e);
        self.follow_store(step, place, Some(e), &value);
        self.write(step, place, value, change)
    }

    fn send(&self, step: &Step, channel: &Expr, message: &[Expr]) -> Vec<Step> {
        let fields: Vec<Values> = message.iter().map(|e| self.eval(step, e)).collect();
        if fields.iter().any(values::is_empty) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for queue in self.queues(step, channel) {
            let facts = &self.facts.queues[queue as usize];
            let types = &self.world.network.channel_types[facts.channel_type.index()].fields;
            if types.len() == fields.len() {
                let stored: Vec<Values> =
                    fields.iter().zip(types).map(|(v, &ty)| values::truncate(ty, v.clone())).collect();
                let mut next = step.clone();
                for (&(_, atom), length) in next.lengths.range_mut((queue, None)..=(queue, Some(u32::MAX))) {
                    let fits = |(held, field)| !values::is_empty(&values::meet(held, field));
                    let of = |atom: u32| facts.atoms[atom as usize].1.iter().zip(&stored).all(fits);
                    *length += u64::from(atom.is_none_or(of));
                }
                next.traffic.push(Traffic::Sent(queue, stored));
                found.push(next);
            }
        }
        found
    }

    fn receive(&self, step: &Step, channel: &Expr, pattern: &[Pattern], keep: bool) -> Vec<Step> {
        let mut found = Vec::new();
        for queue in self.queues(step, channel) {
            self.seen.borrow_mut().queues.push(queue);
            let facts = &self.facts.queues[queue as usize];
            self.note_comparisons(step, facts.channel_type, pattern);
            for (atom, (classes, fields)) in facts.atoms.iter().enumerate() {
                if fields.len() == pattern.len()
                    && let Some(mut next) = self.take(step, facts, classes, fields, pattern)
                {
                    if !keep {
                        next.traffic.push(Traffic::Taken(queue, atom as u32));
                    }
                    found.push(next);
                }
            }
        }
        found
    }

    fn note_comparisons(&self, step: &Step, channel_type: ChannelTypeId, pattern: &[Pattern]) {
        for (field, pattern) in pattern.iter().enumerate() {
            if let Pattern::Match(e) = pattern {
                let values = self.eval(step, e);
                self.seen.borrow_mut().compared.push((channel_type, field as u32, values));
            }
        }
    }

    /// A message with these fields is matched and bound; `None` if it does not fit.
    fn take(
        &self,
        step: &Step,
        facts: &QueueFacts,
        classes: &[u32],
        fields: &[Values],
        pattern: &[Pattern],
    ) -> Option<Step> {
        let mut next = step.clone();
        let mut fitting = Vec::with_capacity(fields.len());
        for (position, (field, pattern)) in fields.iter().zip(pattern).enumerate() {
            let Pattern::Match(e) = pattern else {
                fitting.push(field.clone());
                continue;
            };
            let mut both = values::meet(field, &self.eval(&next, e));
            let constants = &facts.constants[position];
            // A reference is in no class of its own, but its number may be one of the constants.
            let other = classes[position] as usize == constants.len();
            let number = !matches!(field, Values::Queues(_) | Values::AnyQueue);
            if let (Values::Set(numbers), true) = (&mut both, other && number) {
                numbers.retain(|n| constants.binary_search(n).is_err());
            }
            if values::is_empty(&both) {
                return None;
            }
            self.restrict(&mut next, e, &both);
            fitting.push(both);
        }
        for (field, pattern) in fitting.into_iter().zip(pattern) {
            if let Pattern::Bind(place) = pattern {
                self.follow_store(&mut next, place, None, &field);
                if !self.write(&mut next, place, field, None) {
                    return None;
                }
            }
        }
        Some(next)
    }

    /// The queues that a channel expression can mean.
    fn queues(&self, step: &Step, channel: &Expr) -> Vec<u32> {
        match self.eval(step, channel) {
            Values::Queues(queues) => queues,
            Values::Set(numbers) if numbers.iter().all(|&n| n == 0) => Vec::new(),
            _ => {
                self.seen.borrow_mut().all_queues = true;
                (0..self.facts.queues.len() as u32).collect()
            }
        }
    }
}

/// `else`, also as the guard of a deterministic step.
fn is_else(action: &Action) -> bool {
    match action {
        Action::Else => true,
        Action::Deterministic(body) => matches!(body.guard.as_slice(), [Action::Else]),
        _ => false,
    }
}

/// The conditions that are false when an action cannot be taken.
fn guards(action: &Action) -> Vec<&Expr> {
    match action {
        Action::Condition(e) => vec![e],
        Action::Deterministic(body) => body.guard.iter().flat_map(guards).collect(),
        _ => Vec::new(),
    }
}

/// The constant that is added, where a place is assigned itself plus a constant.
fn constant_change(place: &Place, e: &Expr) -> Option<i32> {
    let Expr::Binary(op, a, b) = e else { return None };
    let same = |e: &Expr| matches!(e, Expr::Read(p) if p.scope == place.scope && p.variable == place.variable && p.indices == place.indices);
    match (op, a.constant(), b.constant()) {
        (BinaryOp::Add, _, Some(c)) if same(a) => Some(c),
        (BinaryOp::Add, Some(c), _) if same(b) => Some(c),
        (BinaryOp::Sub, _, Some(c)) if same(a) => c.checked_neg(),
        _ => None,
    }
}
