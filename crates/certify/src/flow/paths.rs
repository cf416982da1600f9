//! The paths from a node: every sequence of statements that a process can take before somebody else may move.
//!
//! A path ends at the first point that has a node. Until then it composes statements, and what one of them learned holds
//! for the next, because no process interrupts (see [`Ground::is_passed_through`], which is asked at every point on the path).
//! Each statement is read as `model::semantics` performs it, and generously: what is not tracked forbids nothing.
//!
//! Three places where the semantics is subtle, and where this file follows it to the letter:
//!
//! * `else` says that the conditions of the edges *before* it are false: edges are tried in order.
//! * In a deterministic step a choice is taken when the earlier ones cannot be; but a step that begins with a message
//!   that is handed over goes straight to the receive, whatever stands before it.
//! * A deterministic step that jumps to a point that does not exist ends.
//!
//! And one place where composing is subtle: a path may send a message and then look at it. Whether it finds anything is
//! decided by the atoms of the queue, so these must contain what was sent before, even if the path ends nowhere without it.

use super::counting::Ledger;
use super::knowledge::{Knowledge, Reader};
use super::shape::Ground;
use super::values;
use crate::Refusal;
use crate::pace::Pace;
use model::expr::{Expr, Pattern, Place};
use model::flow_proof::{Point, Values};
use model::ids::EdgeId;
use model::network::{Action, Edge};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};

/// A message of a path.
#[derive(Clone)]
pub(super) enum Traffic {
    /// It goes to a queue, with these fields.
    Sent(u32, Vec<Values>),
    /// One of this atom is taken from a queue.
    Taken(u32, u32),
}

/// A process that a path creates.
#[derive(Clone)]
pub(super) struct Run {
    /// The edge.
    pub(super) edge: u32,
    /// The machine.
    pub(super) machine: usize,
    /// What its arguments can be, before they are stored.
    pub(super) arguments: Vec<Values>,
}

/// A path.
#[derive(Clone)]
pub(super) struct Path {
    /// Where it has led so far.
    pub(super) to: Point,
    /// The edge that it took last.
    pub(super) edge: u32,
    /// What holds there.
    pub(super) known: Knowledge,
    /// Messages.
    pub(super) traffic: Vec<Traffic>,
    /// Processes.
    pub(super) runs: Vec<Run>,
    /// Points on the path.
    passed: Vec<Point>,
    /// How much of the traffic came before the last location on the path.
    shown: usize,
}

impl Path {
    /// The traffic that can be seen if the path fails: what came before the last location. (A deterministic step that
    /// fails leaves nothing behind.)
    pub(super) fn shown(&self) -> &[Traffic] {
        self.traffic.get(..self.shown).unwrap_or_default()
    }

    /// Something was sent that can be seen.
    pub(super) fn has_sent(&self) -> bool {
        self.shown().iter().any(|traffic| matches!(traffic, Traffic::Sent(..)))
    }
}

/// No more paths than this from one node.
const MOST_PATHS: usize = 1 << 18;

/// Finds the paths of one instance.
pub(super) struct Walker<'a> {
    ground: &'a Ground<'a>,
    budget: &'a Pace<'a>,
    /// It.
    pub(super) instance: u32,
    /// Evaluates for it.
    pub(super) reader: Reader<'a>,
    /// Ways that sent something and then fail, whatever the values are: there is no state after them, but there was a
    /// moment before.
    pub(super) failed: RefCell<Vec<Path>>,
    /// Something is sent or taken, and nothing is known of where.
    pub(super) anywhere: Cell<bool>,
    /// Messages that were sent, before the same path looked at their queue.
    pub(super) sent: RefCell<HashSet<(u32, Vec<Values>)>>,
}

impl<'a> Walker<'a> {
    /// For an instance.
    pub(super) fn new(ground: &'a Ground<'a>, budget: &'a Pace<'a>, instance: u32) -> Self {
        let reader = Reader::new(ground, Some(instance));
        let (failed, anywhere, sent) = Default::default();
        Walker { ground, budget, instance, reader, failed, anywhere, sent }
    }

    /// All paths from a node, if shared slots have these values.
    pub(super) fn paths(&self, node: u32, shared: BTreeMap<u32, Values>) -> Result<Vec<Path>, Refusal> {
        let node_of = &self.ground.instance(self.instance).nodes[node as usize];
        let mut known = Knowledge { locals: node_of.values.clone(), shared, ..Knowledge::default() };
        known.ledger = Ledger::start(self.ground, (self.instance, node), &known);
        let start = Path {
            to: node_of.at,
            // In the middle of a deterministic step, its edge is being taken.
            edge: if let Point::Inside(edge, _) = node_of.at { edge } else { 0 },
            known,
            traffic: Vec::new(),
            runs: Vec::new(),
            passed: Vec::new(),
            shown: 0,
        };
        let mut found = Vec::new();
        let mut open = vec![start];
        while let Some(path) = open.pop() {
            self.budget.spend(path.passed.len())?;
            let mut further = self.statements(&path)?;
            further.retain(|next| !next.known.is_absurd());
            if further.is_empty() && path.has_sent() {
                self.failed.borrow_mut().push(path);
            }
            for mut next in further {
                if self.ground.points[self.instance as usize].contains(&next.to) {
                    found.push(next);
                } else {
                    self.pass(node, &mut next)?;
                    open.push(next);
                }
            }
            if found.len() + open.len() > MOST_PATHS {
                return Err(Refusal::Unfinished(format!(
                    "too many paths lead on from {}",
                    self.ground.place(self.instance, node)
                )));
            }
        }
        Ok(found)
    }

    /// Goes through a point that has no node.
    fn pass(&self, node: u32, path: &mut Path) -> Result<(), Refusal> {
        let at = path.to;
        let verdict = self.ground.is_passed_through(self.instance, at);
        let verdict = if path.passed.contains(&at) { Err("there is no node on a cycle") } else { verdict };
        path.passed.push(at);
        if matches!(at, Point::Location(_)) {
            path.shown = path.traffic.len();
        }
        verdict.map_err(|why| {
            let from = self.ground.place(self.instance, node);
            Refusal::NotInvariant(format!("from {from} a step leads to {at:?}: {why}"))
        })
    }

    /// One statement further.
    fn statements(&self, path: &Path) -> Result<Vec<Path>, Refusal> {
        match path.to {
            Point::Gone => Ok(Vec::new()),
            Point::Location(location) => self.edges(path, location),
            Point::Inside(edge, inner) => self.choices(path, edge, inner),
        }
    }

    fn edges(&self, path: &Path, location: u32) -> Result<Vec<Path>, Refusal> {
        let machine = self.ground.machine(self.instance);
        let mut found = Vec::new();
        let Some(here) = machine.locations.get(location as usize) else { return Ok(found) };
        for (position, &id) in here.edges.iter().enumerate() {
            let Some(edge) = machine.edges.get(id.index()) else { continue };
            let mut start = path.clone();
            start.edge = id.0;
            if is_else(&edge.action) {
                let earlier = here.edges[..position].iter().filter_map(|e: &EdgeId| machine.edges.get(e.index()));
                if !self.suppose_untaken(&mut start, earlier.map(|edge| &edge.action)) {
                    continue;
                }
            }
            match &edge.action {
                Action::Deterministic(_) => found.push(Path { to: Point::Inside(id.0, 0), ..start }),
                Action::End => found.push(Path { to: Point::Gone, ..start }),
                action => {
                    let done = self.perform(start, action)?;
                    found.extend(done.into_iter().map(|path| Path { to: Point::at(edge.to), ..path }));
                }
            }
        }
        Ok(found)
    }

    /// The choices at a point of a deterministic step.
    fn choices(&self, path: &Path, edge: u32, inner: u32) -> Result<Vec<Path>, Refusal> {
        let machine = self.ground.machine(self.instance);
        let Some(Edge { action: Action::Deterministic(body), to, .. }) = machine.edges.get(edge as usize) else {
            return Ok(Vec::new());
        };
        let Some(choices) = body.nodes.get(inner as usize) else {
            return Ok(vec![Path { to: Point::at(*to), ..path.clone() }]);
        };
        let mut found = Vec::new();
        for (position, choice) in choices.iter().enumerate() {
            let to = choice.next.map_or(Point::at(*to), |next| Point::Inside(edge, next));
            let mut start = path.clone();
            let mut done =
                match self.suppose_untaken(&mut start, choices[..position].iter().map(|earlier| &earlier.action)) {
                    true => self.perform(start, &choice.action)?,
                    false => Vec::new(),
                };
            if inner == 0 && matches!(&choice.action, Action::Receive { mode, .. } if !mode.keep) {
                done.retain(|path| !self.handed(path));
                done.extend(self.perform(path.clone(), &choice.action)?.into_iter().filter(|path| self.handed(path)));
            }
            found.extend(done.into_iter().map(|path| Path { to, ..path }));
        }
        Ok(found)
    }

    /// The conditions of earlier choices are false; `false` if they cannot be.
    fn suppose_untaken<'n>(&self, path: &mut Path, mut earlier: impl Iterator<Item = &'n Action>) -> bool {
        earlier.all(|action| conditions(action).into_iter().all(|e| self.reader.suppose(&mut path.known, e, false)))
    }

    /// The last message of a path was handed over.
    fn handed(&self, path: &Path) -> bool {
        matches!(path.traffic.last(), Some(Traffic::Taken(queue, _)) if self.ground.kinds[*queue as usize].rendezvous)
    }

    /// What an action can do, and where it leads to is still to be said.
    fn perform(&self, mut path: Path, action: &Action) -> Result<Vec<Path>, Refusal> {
        match action {
            Action::Observe { .. } => Ok(Vec::new()),
            Action::Skip | Action::Else | Action::Assert(_) | Action::Print { .. } | Action::SetPriority(..) => {
                Ok(vec![path])
            }
            Action::Condition(e) => {
                Ok(if self.reader.suppose(&mut path.known, e, true) { vec![path] } else { Vec::new() })
            }
            Action::Assign(place, e) => Ok(self.assign(path, place, e).into_iter().collect()),
            Action::Send { channel, message, .. } => self.send(&path, channel, message),
            Action::Receive { channel, pattern, mode } => self.receive(&path, channel, pattern, mode.keep),
            Action::Run { machine, arguments, then, .. } => {
                let arguments: Vec<Values> = arguments.iter().map(|e| self.reader.eval(&path.known, e)).collect();
                if arguments.iter().any(values::is_none) {
                    return Ok(Vec::new());
                }
                path.runs.push(Run { edge: path.edge, machine: machine.index(), arguments });
                Ok(match then {
                    Some((place, e)) => self.assign(path, place, e).into_iter().collect(),
                    None => vec![path],
                })
            }
            Action::End | Action::Deterministic(_) => Err(Refusal::Malformed(String::from(
                "a deterministic step of the model contains what it cannot contain",
            ))),
        }
    }

    fn assign(&self, mut path: Path, place: &Place, e: &Expr) -> Option<Path> {
        let value = self.reader.eval(&path.known, e);
        self.reader.store(&mut path.known, place, &value, Some(e))?;
        Some(path)
    }

    /// The queues that a channel expression can mean.
    fn queues(&self, known: &Knowledge, channel: &Expr) -> Vec<u32> {
        match self.reader.eval(known, channel) {
            Values::Queues(queues) => queues,
            Values::Set(all) if all.iter().all(|&n| n == 0) => Vec::new(),
            _ => {
                self.anywhere.set(true);
                (0..self.ground.kinds.len() as u32).collect()
            }
        }
    }

    fn send(&self, path: &Path, channel: &Expr, message: &[Expr]) -> Result<Vec<Path>, Refusal> {
        let fields: Vec<Values> = message.iter().map(|e| self.reader.eval(&path.known, e)).collect();
        let mut found = Vec::new();
        if fields.iter().any(values::is_none) {
            return Ok(found);
        }
        for queue in self.queues(&path.known, channel) {
            let types = self.ground.kinds[queue as usize].fields;
            if types.len() == fields.len() {
                self.budget.spend(types.len())?;
                let each = fields.iter().zip(types);
                let stored: Vec<Values> = each.map(|(field, &ty)| values::stored(ty, field.clone())).collect();
                let mut next = path.clone();
                next.known.ledger.send(queue, |atom| {
                    let held = |(at, field)| values::meet(&self.field(queue, atom, at), field);
                    !stored.iter().enumerate().map(held).any(|both| values::is_none(&both))
                });
                next.traffic.push(Traffic::Sent(queue, stored));
                found.push(next);
            }
        }
        Ok(found)
    }

    fn receive(&self, path: &Path, channel: &Expr, pattern: &[Pattern], keep: bool) -> Result<Vec<Path>, Refusal> {
        let mut found = Vec::new();
        for queue in self.queues(&path.known, channel) {
            if self.ground.kinds[queue as usize].fields.len() != pattern.len() {
                continue;
            }
            for traffic in &path.traffic {
                if let Traffic::Sent(to, message) = traffic
                    && *to == queue
                {
                    self.sent.borrow_mut().insert((queue, message.clone()));
                }
            }
            for atom in 0..self.ground.abstraction.queues[queue as usize].atoms.len() as u32 {
                self.budget.spend(pattern.len())?;
                if let Some(mut next) = self.take(path, queue, atom, pattern) {
                    if !keep {
                        next.known.ledger.take(queue, atom);
                        next.traffic.push(Traffic::Taken(queue, atom));
                    }
                    found.push(next);
                }
            }
        }
        Ok(found)
    }

    /// A message of an atom is matched, then bound field by field; none if it does not fit.
    fn take(&self, path: &Path, queue: u32, atom: u32, pattern: &[Pattern]) -> Option<Path> {
        let mut next = path.clone();
        let mut message = Vec::with_capacity(pattern.len());
        for (field, pattern) in pattern.iter().enumerate() {
            let mut held = self.field(queue, atom, field);
            if let Pattern::Match(e) = pattern {
                held =
                    self.without_constants(queue, atom, field, values::meet(&held, &self.reader.eval(&next.known, e)));
                if !self.reader.restrict(&mut next.known, e, &held) {
                    return None;
                }
            }
            if values::is_none(&held) {
                return None;
            }
            message.push(held);
        }
        for (held, pattern) in message.into_iter().zip(pattern) {
            if let Pattern::Bind(place) = pattern {
                self.reader.store(&mut next.known, place, &held, None)?;
            }
        }
        Some(next)
    }

    /// What a field of an atom can hold.
    pub(super) fn field(&self, queue: u32, atom: u32, field: usize) -> Values {
        let held = &self.ground.abstraction.queues[queue as usize].atoms[atom as usize].values[field];
        self.without_constants(queue, atom, field, held.clone())
    }

    /// A number in the last class of a field is none of its constants.
    fn without_constants(&self, queue: u32, atom: u32, field: usize, held: Values) -> Values {
        let queue = &self.ground.abstraction.queues[queue as usize];
        let constants = &queue.constants[field];
        let last = queue.atoms[atom as usize].classes[field] as usize == constants.len();
        match (held, &queue.atoms[atom as usize].values[field]) {
            (Values::Set(mut all), Values::Set(_) | Values::Range(..)) if last => {
                all.retain(|n| constants.binary_search(n).is_err());
                Values::Set(all)
            }
            (held, _) => held,
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

/// Conditions that are false if an action cannot be taken.
fn conditions(action: &Action) -> Vec<&Expr> {
    match action {
        Action::Condition(e) => vec![e],
        Action::Deterministic(body) => body.guard.iter().flat_map(conditions).collect(),
        _ => Vec::new(),
    }
}
