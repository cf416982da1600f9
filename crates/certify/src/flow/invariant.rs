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

use super::counting::{Failure, Ledger};
use super::paths::{Path, Traffic, Walker};
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
    /// Processes that are created.
    pub(super) born: Vec<Born>,
    /// Followed variables that it reads or writes, with the values before and after: indices.
    pub(super) moves: Vec<(u32, u32, u32)>,
    /// It is surely progress.
    pub(super) progress: bool,
    /// What it counts.
    pub(super) ledger: Ledger,
}

/// An instance, and the node where a new process of it starts.
pub(super) type Born = (u32, u32);

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
                checker.node(&walker, node)?;
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
            self.birth(home, &first_locals(self.ground, home, &[]))?;
        }
        Ok(())
    }

    /// The first nodes of a process with these values; none if it cannot be created.
    fn birth(&self, instance: u32, locals: &[Values]) -> Result<Vec<u32>, Refusal> {
        if locals.iter().any(values::is_none) {
            return Ok(Vec::new());
        }
        let machine = self.ground.machine(instance);
        let nodes = self.arrive(instance, Point::at(machine.initial), locals);
        let first = &self.ground.instance(instance).first;
        nodes.filter(|nodes| nodes.iter().all(|n| first.contains(n))).ok_or_else(|| {
            let name = &machine.name;
            Refusal::NotInvariant(format!("instance {instance} ({name}) can start with values that no first node has"))
        })
    }

    /// The nodes that a process is at when it gets to a point with these values, one for each combination of values of folded
    /// slots; none if a node is missing or too small, or if there are too many to tell apart.
    fn arrive(&self, instance: u32, at: Point, locals: &[Values]) -> Option<Vec<u32>> {
        let folded: Vec<u32> = self.ground.folded(instance, at).collect();
        let set = |&slot: &u32| match &locals[slot as usize] {
            Values::Set(all) => Some(all.clone()),
            _ => None,
        };
        let node = |key| {
            let &node = self.ground.nodes[instance as usize].get(&(at, key))?;
            let mut held = (0u32..).zip(&self.ground.instance(instance).nodes[node as usize].values);
            let inside =
                |(slot, held): (u32, &Values)| folded.contains(&slot) || values::within(&locals[slot as usize], held);
            (at == Point::Gone || held.all(inside)).then_some(node)
        };
        let keys = products(&folded.iter().map(set).collect::<Option<Vec<Vec<i32>>>>()?).ok()?;
        keys.into_iter().map(node).collect()
    }

    /// All steps from a node.
    fn node(&mut self, walker: &Walker<'_>, node: u32) -> Result<(), Refusal> {
        let mut known = HashSet::new();
        for choice in products(&self.touched(walker, node)?)? {
            let shared = choice.iter().map(|&(f, value)| {
                let followed = &self.ground.abstraction.followed[f as usize];
                (followed.slot, values::number(followed.values[value as usize]))
            });
            let paths = walker.paths(node, shared.collect())?;
            let failed = walker.failed.take().into_iter().map(|path| Failure::new(walker.instance, node, &path));
            self.steps.failed.extend(failed);
            for (queue, message) in walker.sent.take() {
                self.sent((walker.instance, node), queue, &message)?;
            }
            for path in paths {
                self.path(walker, node, &path, &choice, &mut known)?;
            }
        }
        self.steps.complete.extend(known);
        if self.steps.complete.len() + self.steps.failed.len() > MOST_STEPS {
            return Err(Refusal::Unfinished(String::from("the model has too many abstract steps")));
        }
        Ok(())
    }

    /// The followed variables that paths from a node read or write, each with all its values.
    fn touched(&self, walker: &Walker<'_>, node: u32) -> Result<Vec<Vec<(u32, u32)>>, Refusal> {
        let followed = &self.ground.abstraction.followed;
        if followed.is_empty() {
            return Ok(Vec::new());
        }
        walker.reader.touched.borrow_mut().clear();
        walker.paths(node, BTreeMap::new())?;
        walker.sent.take();
        walker.failed.take();
        let touched = walker.reader.touched.borrow();
        let found = (0u32..).zip(followed).filter(|(_, followed)| touched.contains(&followed.slot));
        Ok(found.map(|(f, followed)| (0..followed.values.len() as u32).map(|value| (f, value)).collect()).collect())
    }

    /// Checks one path, and keeps its steps.
    fn path(
        &mut self,
        walker: &Walker<'_>,
        node: u32,
        path: &Path,
        choice: &[(u32, u32)],
        known: &mut HashSet<Step>,
    ) -> Result<(), Refusal> {
        let (ground, at) = (self.ground, (walker.instance, node));
        let mut ledger = path.known.ledger.clone();
        let Some(births) = self.births(at, path, &mut ledger)? else {
            if path.has_sent() {
                self.steps.failed.insert(Failure::new(walker.instance, node, path));
            }
            return Ok(());
        };
        let held = |slot: u32| &ground.abstraction.globals[slot as usize];
        let is_new = |(slot, value): &&(u32, Values)| !values::within(&self.shown(value), held(*slot));
        if let Some((slot, _)) = path.known.writes.iter().find(is_new) {
            return Err(self.refuse(at, &format!("stores a value in global slot {slot} that is not foreseen")));
        }
        let targets = self.arrive(walker.instance, path.to, &path.known.locals);
        let targets =
            targets.ok_or_else(|| self.refuse(at, &format!("leads to {:?} with values that no node has", path.to)))?;
        let pieces = path.traffic.iter().map(|traffic| self.pieces(walker, at, traffic));
        let pieces = pieces.collect::<Result<Vec<Vec<Piece>>, Refusal>>()?;
        let from = ground.instance(walker.instance).nodes[node as usize].at;
        let progress = self.progress.is_move(ground, walker.instance, from, path.to, path.edge);
        ledger.close(ground, path.to == Point::Gone);
        let moves = choice.iter().map(|&moved| self.moves(path, moved)).collect::<Vec<_>>();
        let (moves, births) = (products(&moves)?, products(&births)?);
        for traffic in products(&pieces)? {
            let progress = progress || traffic.iter().any(|&(.., progress)| progress);
            for (moves, born) in moves.iter().flat_map(|moves| births.iter().map(move |born| (moves, born))) {
                for &to in &targets {
                    self.budget.spend(traffic.len() + moves.len())?;
                    let (traffic, moves, born, ledger) = (sum(&traffic), moves.clone(), born.clone(), ledger.clone());
                    known.insert(Step {
                        instance: walker.instance,
                        from: node,
                        to,
                        traffic,
                        born,
                        moves,
                        progress,
                        ledger,
                    });
                }
            }
        }
        Ok(())
    }

    fn refuse(&self, (instance, node): (u32, u32), what: &str) -> Refusal {
        Refusal::NotInvariant(format!("from {}, a step {what}", self.ground.place(instance, node)))
    }

    /// A value where others can see it: a reference to a queue that can vanish may come to mean any other.
    fn shown(&self, value: &Values) -> Values {
        match value {
            Values::Queues(queues) if queues.iter().any(|&q| self.ground.kinds[q as usize].dies) => Values::AnyQueue,
            other => other.clone(),
        }
    }

    /// The processes that a path creates, each with the nodes where it may start; none if one of them cannot be created.
    fn births(
        &self,
        (creator, node): (u32, u32),
        path: &Path,
        ledger: &mut Ledger,
    ) -> Result<Option<Vec<Vec<Born>>>, Refusal> {
        let (mut births, mut singles) = (Vec::with_capacity(path.runs.len()), HashSet::new());
        for run in &path.runs {
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
            let locals = first_locals(self.ground, instance, &run.arguments);
            let first = self.birth(instance, &locals)?;
            if first.is_empty() {
                return Ok(None);
            }
            if !self.ground.instance(instance).many {
                if !singles.insert(instance) {
                    return refuse("creates a single instance twice");
                }
                ledger.create(self.ground, instance, &locals);
            }
            births.push(first.into_iter().map(|node| (instance, node)).collect());
        }
        Ok(Some(births))
    }

    /// The atoms that a message can belong to.
    fn pieces(&self, walker: &Walker<'_>, at: (u32, u32), traffic: &Traffic) -> Result<Vec<Piece>, Refusal> {
        match traffic {
            Traffic::Taken(queue, atom) => {
                let count = self.ground.kinds[*queue as usize].fields.len();
                let message: Vec<Values> = (0..count).map(|field| walker.field(*queue, *atom, field)).collect();
                Ok(vec![(*queue, *atom, -1, self.progress.is_message(self.ground, *queue, false, &message))])
            }
            Traffic::Sent(queue, message) => self.sent(at, *queue, message),
        }
    }

    fn sent(&self, at: (u32, u32), queue: u32, message: &[Values]) -> Result<Vec<Piece>, Refusal> {
        let declared = &self.ground.abstraction.queues[queue as usize];
        let fields: Vec<Vec<(u32, Values)>> =
            message.iter().zip(&declared.constants).map(|(v, c)| classes(v, c)).collect();
        let mut found = Vec::new();
        for message in products(&fields)? {
            self.budget.spend(declared.atoms.len())?;
            let (wanted, values): (Vec<u32>, Vec<Values>) = message.into_iter().unzip();
            let of_class = (0u32..).zip(&declared.atoms).find(|(_, atom)| atom.classes == wanted);
            let inside = |(value, held): (&Values, &Values)| values::within(&self.shown(value), held);
            let Some((atom, _)) = of_class.filter(|(_, atom)| values.iter().zip(&atom.values).all(inside)) else {
                let name = self.ground.queue_name(queue);
                return Err(self.refuse(at, &format!("sends a message to {name} that is not foreseen")));
            };
            found.push((queue, atom, 1, self.progress.is_message(self.ground, queue, true, &values)));
        }
        Ok(found)
    }

    /// How a followed variable moves: the values before and after.
    fn moves(&self, path: &Path, (f, before): (u32, u32)) -> Vec<(u32, u32, u32)> {
        let followed = &self.ground.abstraction.followed[f as usize];
        let can_be = |n: i32| path.known.shared.get(&followed.slot).is_none_or(|held| values::contains(held, n));
        let after = (0u32..).zip(&followed.values).filter(|(_, n)| can_be(**n));
        after.map(|(after, _)| (f, before, after)).collect()
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
