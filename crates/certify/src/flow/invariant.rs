//! The invariant: what holds at the start, and every step stays inside it.
//!
//! For each node of each instance, once per choice of values for the followed variables that matter there, every path is
//! walked. What it stores, sends and creates must be foreseen, and where it ends there must be a node for each combination
//! of folded values. Then, by induction over runs, the abstraction holds of every state; and the [`Step`]s that are
//! returned are all that runs consist of. The rankings are checked on them.
//!
//! References to channels are numbers of queues, and a number means another queue once its owner has ended. A child ends
//! before its parent, so a process, and those that it creates, can use its own channels safely; anybody else may keep a
//! number for too long. That is why a reference to a queue that can vanish becomes `AnyQueue` when it is stored
//! where others find it: in a shared variable or in a message.
//!
//! What variables hold at first is worked out in `first`.

mod first;

pub(super) use first::{first_globals, first_locals};

use super::ghosts::Ledger;
use super::paths::{Path, Run, Traffic, Walker};
use super::progress::Progress;
use super::shape::Ground;
use super::values;
use crate::Refusal;
use crate::pace::Pace;
use model::flow_proof::{Point, Values};
use std::collections::{BTreeMap, HashSet};

/// A step: how an instance gets from a node to another, and what that changes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Step {
    /// The instance.
    pub(super) instance: u32,
    /// The node that it leaves.
    pub(super) from: u32,
    /// The node that it gets to.
    pub(super) to: u32,
    /// By how much the messages of an atom of a queue become more.
    pub(super) traffic: Vec<(u32, u32, i32)>,
    /// Processes of `many` instances that are created, with the nodes where each may start.
    pub(super) born: Vec<Born>,
    /// Single instances that are created, with the nodes where each may start.
    pub(super) single: Vec<Born>,
    /// Followed variables that it reads or writes, with the values before and after: indices.
    pub(super) moves: Vec<(u32, u32, u32)>,
    /// The most that the distances of numbers grow.
    pub(super) growth: Vec<(u32, i64)>,
    /// Queues that hold no more than this after it, because it has seen that they are short.
    pub(super) lengths: Vec<((u32, Option<u32>), u64)>,
    /// It is surely progress.
    pub(super) progress: bool,
    /// What becomes of ghosts.
    pub(super) ledger: Ledger,
}

/// The processes that a path creates: those of `many` instances, and single ones.
type Created = (Vec<Born>, Vec<Born>);

/// An instance, and the nodes where a new process of it may start.
pub(super) type Born = (u32, Vec<u32>);

/// A step that fails in the middle of an atomic sequence, after it has sent something: the run ends there.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Failure {
    /// The instance.
    pub(super) instance: u32,
    /// The node that it has left.
    pub(super) from: u32,
    /// What it has taken: queue and atom.
    pub(super) taken: Vec<(u32, u32)>,
    /// The queues that it has sent to, once for each message.
    pub(super) sent: Vec<u32>,
}

impl Failure {
    fn new(instance: u32, from: u32, path: &Path) -> Self {
        let mut failure = Failure { instance, from, taken: Vec::new(), sent: Vec::new() };
        for traffic in path.shown() {
            match traffic {
                Traffic::Sent(queue, _) => failure.sent.push(*queue),
                Traffic::Taken(queue, atom) => failure.taken.push((*queue, *atom)),
            }
        }
        failure
    }
}

/// All that runs consist of.
#[derive(Default)]
pub(super) struct Steps {
    /// Steps from node to node.
    pub(super) complete: Vec<Step>,
    /// Steps that end a run.
    pub(super) failed: HashSet<Failure>,
    /// A channel is used of which nothing is known: every queue may be meant.
    pub(super) anywhere: bool,
}

/// No more steps than this.
const MOST_STEPS: usize = 4_000_000;
/// No more combinations than this are looked at for one node, or one message.
const MOST_COMBINATIONS: usize = 1 << 16;

/// Checks the invariant and returns the steps.
pub(super) struct Checker<'a> {
    ground: &'a Ground<'a>,
    budget: &'a Pace<'a>,
    progress: &'a Progress,
    steps: Steps,
}

/// One way in which a message can be sent or taken: queue, atom, change, progress.
type Piece = (u32, u32, i32, bool);

impl<'a> Checker<'a> {
    /// Checks the invariant and returns the steps.
    pub(super) fn steps(
        ground: &'a Ground<'a>,
        budget: &'a Pace<'a>,
        progress: &'a Progress,
    ) -> Result<Steps, Refusal> {
        let mut checker = Checker { ground, budget, progress, steps: Steps::default() };
        checker.start()?;
        for (id, instance) in (0u32..).zip(&ground.abstraction.instances) {
            let walker = Walker::new(ground, budget, id);
            for node in 0..instance.nodes.len() as u32 {
                checker.node(&walker, id, node)?;
            }
            checker.steps.anywhere |= walker.anywhere.get();
        }
        Ok(checker.steps)
    }

    /// Shared variables and processes as they are at first.
    fn start(&self) -> Result<(), Refusal> {
        let first = first_globals(self.ground);
        for (slot, value) in first.iter().enumerate() {
            if !values::within(value, &self.ground.abstraction.globals[slot]) {
                return Err(Refusal::NotInvariant(format!("global slot {slot} does not start with its values")));
            }
        }
        for (index, followed) in self.ground.abstraction.followed.iter().enumerate() {
            if values::constant(&first[followed.slot as usize]) != Some(followed.first) {
                return Err(Refusal::NotInvariant(format!("followed variable {index} starts with another value")));
            }
        }
        for &home in &self.ground.homes {
            self.birth(home, &[])?;
        }
        Ok(())
    }

    /// The first nodes of a process with these arguments; none if it cannot be created.
    fn birth(&self, instance: u32, arguments: &[Values]) -> Result<Vec<u32>, Refusal> {
        let locals = first_locals(self.ground, instance, arguments);
        if locals.iter().any(values::is_none) {
            return Ok(Vec::new());
        }
        let machine = self.ground.machine(instance);
        let nodes = self.arrive(instance, Point::at(machine.initial), &locals);
        let first = &self.ground.instance(instance).first;
        nodes.filter(|nodes| nodes.iter().all(|n| first.contains(n))).ok_or_else(|| {
            let name = &machine.name;
            Refusal::NotInvariant(format!("instance {instance} ({name}) can start with values that no first node has"))
        })
    }

    /// The nodes that a process is at when it gets to a point with these values; none if a node is missing or too small.
    fn arrive(&self, instance: u32, at: Point, locals: &[Values]) -> Option<Vec<u32>> {
        let keys = self.keys(instance, at, locals)?;
        let nodes = &self.ground.nodes[instance as usize];
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            let &node = nodes.get(&(at, key))?;
            if at != Point::Gone {
                let held = &self.ground.instance(instance).nodes[node as usize].values;
                let folded: Vec<u32> = self.ground.folded(instance, at).collect();
                let inside =
                    |slot: usize| folded.contains(&(slot as u32)) || values::within(&locals[slot], &held[slot]);
                if !(0..held.len()).all(inside) {
                    return None;
                }
            }
            found.push(node);
        }
        Some(found)
    }

    /// The combinations of values of folded slots; none if there are too many to tell apart.
    fn keys(&self, instance: u32, at: Point, locals: &[Values]) -> Option<Vec<Vec<i32>>> {
        let mut keys: Vec<Vec<i32>> = vec![Vec::new()];
        for slot in self.ground.folded(instance, at) {
            let Values::Set(all) = &locals[slot as usize] else { return None };
            if keys.len().saturating_mul(all.len()) > MOST_COMBINATIONS {
                return None;
            }
            keys = keys.iter().flat_map(|key| all.iter().map(move |n| [key.as_slice(), &[*n]].concat())).collect();
        }
        Some(keys)
    }

    /// All steps from a node.
    fn node(&mut self, walker: &Walker<'_>, instance: u32, node: u32) -> Result<(), Refusal> {
        let touched = self.touched(walker, node)?;
        let mut known = HashSet::new();
        let mut choice = vec![0usize; touched.len()];
        loop {
            let shared = touched.iter().zip(&choice).map(|(&f, &value)| {
                let followed = &self.ground.abstraction.followed[f as usize];
                (followed.slot, values::number(followed.values[value]))
            });
            let paths = walker.paths(node, shared.collect())?;
            let failed = walker.failed.take().into_iter().map(|path| Failure::new(instance, node, &path));
            self.steps.failed.extend(failed);
            for (queue, message) in walker.sent.take() {
                self.sent(queue, &message)?.map_err(|what| self.refuse((instance, node), what))?;
            }
            for path in paths {
                self.path(walker, (instance, node), &path, &touched, &choice, &mut known)?;
            }
            if !self.next_choice(&touched, &mut choice) {
                break;
            }
        }
        self.steps.complete.extend(known);
        if self.steps.complete.len() + self.steps.failed.len() > MOST_STEPS {
            return Err(Refusal::Unfinished(String::from("the model has too many abstract steps")));
        }
        Ok(())
    }

    /// The followed variables that paths from a node read or write.
    fn touched(&self, walker: &Walker<'_>, node: u32) -> Result<Vec<u32>, Refusal> {
        let followed = &self.ground.abstraction.followed;
        if followed.is_empty() {
            return Ok(Vec::new());
        }
        walker.reader.touched.borrow_mut().clear();
        walker.paths(node, BTreeMap::new())?;
        walker.sent.take();
        walker.failed.take();
        let touched = walker.reader.touched.borrow();
        let found: Vec<u32> = (0..).zip(followed).filter(|(_, f)| touched.contains(&f.slot)).map(|(i, _)| i).collect();
        let sizes = found.iter().map(|&f| followed[f as usize].values.len());
        if sizes.fold(1usize, usize::saturating_mul) > MOST_COMBINATIONS {
            return Err(Refusal::Unfinished(String::from("too many values of shared variables have to be told apart")));
        }
        Ok(found)
    }

    /// Counts on to the next choice of values; `false` after the last.
    fn next_choice(&self, touched: &[u32], choice: &mut [usize]) -> bool {
        for (&f, value) in touched.iter().zip(choice) {
            *value += 1;
            if *value < self.ground.abstraction.followed[f as usize].values.len() {
                return true;
            }
            *value = 0;
        }
        false
    }

    /// Checks one path, and keeps its steps.
    fn path(
        &mut self,
        walker: &Walker<'_>,
        (instance, node): (u32, u32),
        path: &Path,
        touched: &[u32],
        choice: &[usize],
        known: &mut HashSet<Step>,
    ) -> Result<(), Refusal> {
        let Some((born, single)) = self.runs((instance, node), &path.runs)? else {
            if path.has_sent() {
                self.steps.failed.insert(Failure::new(instance, node, path));
            }
            return Ok(());
        };
        let refuse = |what: String| self.refuse((instance, node), format!("that ends with edge {} {what}", path.edge));
        if let Some((slot, _)) = path.writes.iter().find(|(slot, value)| !self.is_foreseen(*slot, value)) {
            return Err(refuse(format!("stores a value in global slot {slot} that is not foreseen")));
        }
        let targets = self.arrive(instance, path.to, &path.known.locals);
        let targets = targets.ok_or_else(|| refuse(format!("leads to {:?} with values that no node has", path.to)))?;
        let mut pieces: Vec<Vec<Piece>> = Vec::with_capacity(path.traffic.len());
        for traffic in &path.traffic {
            pieces.push(self.pieces(walker, traffic)?.map_err(refuse)?);
        }
        let from = self.ground.instance(instance).nodes[node as usize].at;
        let progress = self.progress.is_move(self.ground, instance, from, path.to, path.edge);
        let growth = self.growth((instance, node), path);
        let lengths: Vec<_> = path.known.lengths.iter().map(|(&what, &most)| (what, most)).collect();
        let mut ledger = path.ledger.clone();
        for run in path.runs.iter().filter(|_| !path.ledger.now.is_empty()) {
            if let Some(&id) = self.ground.creations.get(&(instance, node, run.edge))
                && !self.ground.instance(id).many
            {
                ledger.create(self.ground, id, &first_locals(self.ground, id, &run.arguments));
            }
        }
        for traffic in products(&pieces)? {
            for moves in products(&self.moves(path, touched, choice))? {
                for &to in &targets {
                    self.budget.spend(traffic.len() + moves.len())?;
                    let progress = progress || traffic.iter().any(|&(.., progress)| progress);
                    let (traffic, born, growth) = (sum(&traffic), born.clone(), growth.clone());
                    let (moves, lengths, single, ledger) =
                        (moves.clone(), lengths.clone(), single.clone(), ledger.clone());
                    let from = node;
                    let step =
                        Step { instance, from, to, traffic, born, single, moves, growth, lengths, progress, ledger };
                    known.insert(step);
                }
            }
        }
        Ok(())
    }

    fn refuse(&self, (instance, node): (u32, u32), what: String) -> Refusal {
        Refusal::NotInvariant(format!("from {}, a step {what}", self.ground.place(instance, node)))
    }

    /// Whether a value may be stored in a shared slot.
    fn is_foreseen(&self, slot: u32, value: &Values) -> bool {
        let known = &self.ground.abstraction.globals[slot as usize];
        values::within(&self.shown(value), known)
    }

    /// A value where others can see it: a reference to a queue that can vanish may come to mean any other.
    fn shown(&self, value: &Values) -> Values {
        match value {
            Values::Queues(queues) if queues.iter().any(|&q| self.ground.kinds[q as usize].dies) => Values::AnyQueue,
            other => other.clone(),
        }
    }

    /// The processes of `many` instances that a path creates, and the single ones; none if it cannot create what it has to.
    fn runs(&self, (creator, node): (u32, u32), runs: &[Run]) -> Result<Option<Created>, Refusal> {
        let (mut born, mut singles): (Vec<Born>, Vec<Born>) = (Vec::new(), Vec::new());
        for run in runs {
            let refuse = |what: &str| {
                let place = self.ground.place(creator, node);
                Err(Refusal::Creation(format!("from {place}, the `run` of edge {} {what}", run.edge)))
            };
            let Some(&instance) = self.ground.creations.get(&(creator, node, run.edge)) else {
                return refuse("is not foreseen");
            };
            if self.ground.instance(instance).machine as usize != run.machine {
                return refuse("creates a process of another type");
            }
            let first = self.birth(instance, &run.arguments)?;
            if first.is_empty() {
                return Ok(None);
            }
            if self.ground.instance(instance).many {
                born.push((instance, first));
            } else if singles.iter().any(|(id, _)| *id == instance) {
                return refuse("creates a single instance twice");
            } else {
                singles.push((instance, first));
            }
        }
        Ok(Some((born, singles)))
    }

    /// The atoms that a message can belong to; or what is wrong.
    fn pieces(&self, walker: &Walker<'_>, traffic: &Traffic) -> Result<Result<Vec<Piece>, String>, Refusal> {
        match traffic {
            Traffic::Taken(queue, atom) => {
                let count = self.ground.kinds[*queue as usize].fields.len();
                let message: Vec<Values> = (0..count).map(|field| walker.field(*queue, *atom, field)).collect();
                let progress = self.progress.is_message(self.ground, *queue, false, &message);
                Ok(Ok(vec![(*queue, *atom, -1, progress)]))
            }
            Traffic::Sent(queue, message) => self.sent(*queue, message),
        }
    }

    fn sent(&self, queue: u32, message: &[Values]) -> Result<Result<Vec<Piece>, String>, Refusal> {
        let declared = &self.ground.abstraction.queues[queue as usize];
        let fields: Vec<Vec<(u32, Values)>> =
            message.iter().zip(&declared.constants).map(|(v, c)| classes(v, c)).collect();
        let mut found = Vec::new();
        for message in products(&fields)? {
            self.budget.spend(declared.atoms.len())?;
            let of_class =
                declared.atoms.iter().position(|a| a.classes.iter().eq(message.iter().map(|(class, _)| class)));
            let inside = |&atom: &usize| {
                message
                    .iter()
                    .zip(&declared.atoms[atom].values)
                    .all(|((_, v), held)| values::within(&self.shown(v), held))
            };
            let Some(atom) = of_class.filter(inside) else {
                return Ok(Err(format!("sends a message to {} that is not foreseen", self.ground.queue_name(queue))));
            };
            let values: Vec<Values> = message.into_iter().map(|(_, values)| values).collect();
            let progress = self.progress.is_message(self.ground, queue, true, &values);
            found.push((queue, atom as u32, 1, progress));
        }
        Ok(Ok(found))
    }

    /// How followed variables move: per variable, the values before and after.
    fn moves(&self, path: &Path, touched: &[u32], choice: &[usize]) -> Vec<Vec<(u32, u32, u32)>> {
        let each = touched.iter().zip(choice).map(|(&f, &before)| {
            let followed = &self.ground.abstraction.followed[f as usize];
            let can_be = |n: i32| path.known.shared.get(&followed.slot).is_none_or(|held| values::contains(held, n));
            let after = (0u32..).zip(&followed.values).filter(|(_, n)| can_be(**n));
            after.map(|(after, _)| (f, before as u32, after)).collect()
        });
        each.collect()
    }

    /// The most that distances grow. When a process ends, what it had last stays, but not less than 0.
    fn growth(&self, (instance, node): (u32, u32), path: &Path) -> Vec<(u32, i64)> {
        let ended = |number: u32, growth: i64| {
            let number_of = &self.ground.abstraction.numbers[number as usize];
            if path.to != Point::Gone || number_of.instance.is_none() {
                return growth;
            }
            let held = &self.ground.instance(instance).nodes[node as usize].values[number_of.slot as usize];
            let (low, high) = values::extent(held).unwrap_or((number_of.limit, number_of.limit));
            let (low, high, limit) = (i64::from(low), i64::from(high), i64::from(number_of.limit));
            growth.max(if number_of.upwards { high - limit } else { limit - low })
        };
        let each = path.growth.iter().map(|(&number, &growth)| (number, ended(number, growth)));
        each.filter(|(_, growth)| *growth != 0).collect()
    }
}

/// A field cut into classes: one for each constant that it can be, and the rest.
fn classes(field: &Values, constants: &[i32]) -> Vec<(u32, Values)> {
    if matches!(field, Values::Queues(_) | Values::AnyQueue) {
        return vec![(constants.len() as u32, field.clone())];
    }
    let constant = |(class, n): (u32, &i32)| values::contains(field, *n).then(|| (class, values::number(*n)));
    let mut found: Vec<(u32, Values)> = (0u32..).zip(constants).filter_map(constant).collect();
    let rest = match field {
        Values::Set(all) => Values::Set(all.iter().copied().filter(|n| constants.binary_search(n).is_err()).collect()),
        other => other.clone(),
    };
    if !values::is_none(&rest) {
        found.push((constants.len() as u32, rest));
    }
    found
}

/// Every way to choose one of each.
fn products<T: Clone>(choices: &[Vec<T>]) -> Result<Vec<Vec<T>>, Refusal> {
    let mut found: Vec<Vec<T>> = vec![Vec::new()];
    for choice in choices {
        if found.len().saturating_mul(choice.len()) > MOST_COMBINATIONS {
            return Err(Refusal::Unfinished(String::from(
                "too many kinds of messages, or values, have to be told apart in one step",
            )));
        }
        found = found
            .iter()
            .flat_map(|f| choice.iter().map(move |c| [f.as_slice(), std::slice::from_ref(c)].concat()))
            .collect();
    }
    Ok(found)
}

/// What pieces of traffic change together.
fn sum(pieces: &[Piece]) -> Vec<(u32, u32, i32)> {
    let mut sum: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for &(queue, atom, change, _) in pieces {
        *sum.entry((queue, atom)).or_default() += change;
    }
    sum.into_iter().filter(|(_, change)| *change != 0).map(|((queue, atom), change)| (queue, atom, change)).collect()
}
