//! Counting: how much queues hold, and systems that are bounded because they count.
//!
//! A proof may say more than that queues stay finite: bounds, by sums that no step raises (`bounds`); linear invariants over
//! messages, places of processes and ghosts (`linear`, `ghosts`); and in its rankings it may weigh the distances of numbers
//! from their limits (`numbers`). A proof that says nothing of this kind rests on nothing of this module: then no queue has a
//! bound, and what ledgers say of lengths is used nowhere.
//!
//! A [`Ledger`] goes along with what a path knows. It is told of each condition, store, message and creation.

mod bounds;
mod failures;
mod ghosts;
mod lengths;
mod linear;
mod numbers;

use super::invariant::Steps;
use super::knowledge::{Knowledge, Reader, Target};
use super::shape::Ground;
use crate::Refusal;
use crate::pace::Pace;
use ghosts::{Now, Span};
use model::expr::{BinaryOp, Expr, Scope};
use model::flow_proof::{Combination, FlowProof, Point, Values};
use model::network::ScalarType;
use std::collections::{BTreeMap, HashMap};

pub(super) use bounds::Bounded;
pub(super) use failures::Failure;

/// What the proof counts, by where it is.
#[derive(Default)]
pub(super) struct Tables<'a> {
    /// Numbers by instance (or none) and slot.
    numbers: numbers::BySlot,
    /// Combinations of linear invariants, by instance and node.
    hints: HashMap<(u32, u32), Vec<&'a Combination>>,
}

impl<'a> Tables<'a> {
    /// Looks at everything that is counted, before anything else uses it.
    pub(super) fn new(ground: &Ground<'a>) -> Result<Self, Refusal> {
        Ok(Tables { numbers: numbers::look_at(ground)?, hints: linear::look_at(ground)? })
    }
}

/// The type of a number: a scalar among the shared variables, or of a single instance.
fn type_of(ground: &Ground<'_>, instance: Option<u32>, slot: u32) -> Option<ScalarType> {
    let table = match instance {
        None => &ground.globals,
        Some(id) => {
            let instance = ground.abstraction.instances.get(id as usize).filter(|instance| !instance.many)?;
            &ground.locals[instance.machine as usize]
        }
    };
    let ty = table.types.get(slot as usize).copied()?;
    (ty != ScalarType::Channel && !table.is_smashed(slot as usize)).then_some(ty)
}

/// What it holds, wherever its process is.
fn held<'a>(ground: &Ground<'a>, instance: Option<u32>, slot: u32) -> impl Iterator<Item = &'a Values> {
    let shared = instance.is_none().then(|| &ground.abstraction.globals[slot as usize]);
    let nodes = instance.map_or(&[][..], |id| &ground.abstraction.instances[id as usize].nodes);
    let alive = nodes.iter().filter(|node| node.at != Point::Gone);
    shared.into_iter().chain(alive.map(move |node| &node.values[slot as usize]))
}

/// What a path counts.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Ledger {
    /// Queues that hold no more than this, all in all or of one atom.
    lengths: BTreeMap<(u32, Option<u32>), u64>,
    /// Per number: the most that its distance grew.
    pub(super) growth: BTreeMap<u32, i64>,
    /// The ghosts before the step, and now.
    before: Vec<Span>,
    now: Vec<Now>,
    /// The instance and the node where the path begins.
    own: (u32, u32),
    /// The message that it took first, and whether it took or sent any.
    taken: Option<(u32, u32)>,
    begun: bool,
}

impl Ledger {
    /// Nothing has moved yet.
    pub(super) fn start(ground: &Ground<'_>, own: (u32, u32), known: &Knowledge) -> Self {
        let (before, now) = ghosts::start(ground, own.0, known);
        Ledger { before, now, own, ..Ledger::default() }
    }

    /// What is true either way, after one condition or another. Conditions move nothing.
    pub(super) fn weaken(&mut self, other: &Ledger) {
        self.lengths.retain(|what, mine| {
            let theirs = other.lengths.get(what);
            *mine = theirs.map_or(*mine, |theirs| *theirs.max(mine));
            theirs.is_some()
        });
        self.before.iter_mut().zip(&other.before).for_each(|(mine, theirs)| *mine = mine.join(*theirs));
        for (mine, theirs) in self.now.iter_mut().zip(&other.now) {
            if let (Now::Some(mine), Now::Some(theirs)) = (mine, theirs) {
                *mine = mine.join(*theirs);
            }
        }
    }

    /// One message more is in a queue, which may be of these atoms.
    pub(super) fn send(&mut self, queue: u32, of: impl Fn(u32) -> bool) {
        self.begun = true;
        for (&(_, atom), length) in self.lengths.range_mut((queue, None)..=(queue, Some(u32::MAX))) {
            *length = length.saturating_add(u64::from(atom.is_none_or(&of)));
        }
    }

    /// A message of an atom was taken.
    pub(super) fn take(&mut self, queue: u32, atom: u32) {
        self.taken = self.taken.or((!self.begun).then_some((queue, atom)));
        self.begun = true;
    }
}

impl Reader<'_> {
    /// An expression compares so with another, which has these values.
    pub(super) fn count_compared(&self, known: &mut Knowledge, e: &Expr, op: BinaryOp, with: (&Expr, &Values)) {
        self.measure(known, e, op, with);
        self.compare_ghost(known, e, op, with.1);
    }

    /// A value is about to be stored: that of an expression, where there is one.
    pub(super) fn count_store(
        &self,
        known: &mut Knowledge,
        scope: Scope,
        target: &Target,
        (value, e): (&Values, Option<&Expr>),
    ) {
        let abstraction = self.ground.abstraction;
        if abstraction.numbers.is_empty() && abstraction.linear.ghosts.is_empty() {
            return;
        }
        let sum = e.filter(|_| target.surely).and_then(|e| self.sum(known, e));
        self.move_numbers(known, scope, target, (value, sum.as_ref()));
        self.move_ghosts(known, scope, target, (value, sum.as_ref()));
    }
}

/// Checks all bounds and linear invariants.
pub(super) fn check(
    ground: &Ground<'_>,
    steps: &Steps,
    proof: &FlowProof,
    budget: &Pace<'_>,
) -> Result<Bounded, Refusal> {
    let mut bounded = bounds::check(ground, steps, proof, budget)?;
    for (queue, most) in linear::check(ground, steps, budget)? {
        bounded.limit(queue, most);
    }
    Ok(bounded)
}
