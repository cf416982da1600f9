//! The proof object of the flow engine: what is written down so that somebody else can check it.
//!
//! A proof has two halves. The first is an **abstraction**: which processes there can be, at which points they can be
//! with which values, what shared variables and messages can hold. The second is a **ranking**: weights for messages
//! and potentials for points, under which no step gains. A checker takes the model and the first half, derives every
//! abstract step again, sees that no step leaves the abstraction (so it is an invariant) and that no step breaks the
//! ranking. It needs no linear programming and no search.
//!
//! # The abstraction
//!
//! *Slots.* Every scalar is a slot. The slots of a list of variables are, variable after variable, its elements; an
//! array of more than [`SMASH_ABOVE`] elements (of channels: [`SMASH_CHANNELS_ABOVE`]) has one slot for all of them, which is only ever widened (see [`Slots`]).
//!
//! *Values.* [`Values`] over-approximates what a slot, or a field of a message, holds. A slot of channel type holds a
//! reference to one of the `queues`, or none.
//!
//! *Queues.* One abstract queue for each element of each global variable that declares channels, and for each such
//! element of each instance, in this order. The queues of an instance with `many` stand for those of all its processes
//! together. The messages of a queue are split into *atoms*: per field some constants are distinguished, and an atom says
//! for each field which constant it is, or that it is none of them. Atoms that are not listed are never sent.
//!
//! *Instances.* A single instance is one process (or none, before it was created, or after it ended). An instance with
//! `many` is any number of processes. Nodes are points of the machine with values of the local slots; of two nodes at
//! the same point, the values of the `folded` slots differ, but for those that are *open* there: these have several values at
//! each node of the point, and do not tell its nodes apart. A process at a node has values inside the node's.
//! Deterministic steps are walked through node by node ([`Point::Inside`]), as if they could be interrupted.
//!
//! *Creation.* [`Creation`] says which instance a `run` at a node makes. A single instance is created at one place
//! only: from the start, or by one `run` at one node of a single instance that stands before it in the list. No way leads
//! from that node back to it: the nodes of its creator have *levels*, no step goes to a lower one, and every step from that
//! node goes to a higher one.
//!
//! *Parts.* Shared variables that are `followed` have a node for each value. Every step that may read or write one is
//! split by its value before (and after).
//!
//! A reference to a queue of an instance whose machine has a reachable end may be used after the process has ended, when
//! its number means another queue. So such a queue is listed only in local slots of the instance itself and of those that
//! it creates (and they create, and so on); in a global slot or a message the reference is `AnyQueue`.
//!
//! # Abstract steps
//!
//! A step goes from one node to the next. It composes statements only through points that are no nodes of the instance,
//! and from which no statement takes a message (so that in the middle of a step no queue is longer than before or after it):
//! inside a deterministic step, or at a location where the process has control and keeps it: it is not the initial one, it
//! has no progress label, every edge that leads to it is atomic and is no send that may be a rendezvous, some edge that
//! leaves it can always be taken (not a condition, receive or end; a send only in a proof of boundedness, which is about
//! channels without limit, and only if it is surely no rendezvous; a deterministic step if its guard is empty or has such
//! a statement). A send is surely no rendezvous if the network has no rendezvous channel, or if it names a variable that
//! declares buffered channels and that nothing in the network assigns to or receives into. Further, the machine has no `provided` clause and the network no priorities. What one
//! statement learned of a shared variable holds for the next in the same step.
//!
//! Every step is split by the values of the followed slots that statements on the way from its node may read or write
//! (conditions beside an `else` included): its values before are given, so its gain and its moves are exact. A local slot that
//! is folded, and not open, has one value at each node; a step whose folded slots have several values at its end leads to several nodes.
//!
//! Reading is generous: `timeout`, `else` beyond what its sibling conditions say, `len` and the like, remote references,
//! `enabled`, priorities, `provided`, full channels and atomicity never forbid a step. But a step knows what such a test
//! says of the one queue that it means (not one of a `many` instance, not a rendezvous): `nfull`, or not `full`, that it
//! holds less than was declared, `empty` nothing, `len` as much as the number that it is compared with (at most 65536, and
//! without other lengths in it). Each message that the same step sends there later makes it one more. A send can always happen. A
//! receive can happen for every atom of every queue it may mean whose values fit. So a proof holds for every capacity.
//!
//! A step has a *gain* under [`Weights`]: the weight of what it sends minus the weight of what it takes (a receive that
//! keeps the message takes nothing), plus the potential after minus the potential before, for every part that moves,
//! plus for each [`Number`] its weight times the most that its distance can grow: for an assignment that adds a constant to
//! the slot itself, where no value before it wraps around, exactly that constant (with its sign); for any other assignment, the greatest
//! difference between a value before and a value after; summed over the assignments of the step. A process of a `many` instance adds
//! the potential of its node when it is created, takes it away when it ends.
//!
//! # Linear invariants
//!
//! [`Linear`] strengthens the abstraction, in a proof of boundedness only: inequalities over numbers of messages, places of
//! processes and *ghosts*. A [`Ghost`] is an integer without limit that starts as the value of its slot and moves by what
//! statements add to it; a ghost that wraps is equal to the slot modulo the slot's width only, one that does not is equal
//! to it. Abstraction and inequalities are proved together, by one induction over steps (a message that is handed over is
//! two steps, of its sender and then of its receiver; in between it counts as a message):
//!
//! * A store of `slot + constant` moves a ghost by the constant, if the width of the target is not greater than that
//!   modulo which the ghost is known; a ghost that does not wrap moves only if no value that the slot can have wraps.
//!   Any other store makes the ghost some number among the values that are stored.
//! * A condition that compares a ghost (or a constant minus it, or plus) with a constant limits the ghost, if the facts
//!   before the step imply that the value is the ghost: it lies in the range of its type, and what is compared in that of
//!   32 bits. A difference of two slots of 32 bits may be a ghost: then the slots may wrap.
//! * An invariant is kept by a step if its sum after the step, times a `scale`, is at least the sum of some invariants
//!   before it times their factors, for all values that the parts can have. The checker tries the invariant itself, none,
//!   and the combinations that the proof gives for the node.
//! * A queue that vanishes with its owner, or that is many, has no part in it. Before it is created, an instance is at
//!   no node and its ghosts are 0; when it has ended, they stay as they are.
//!
//! # Rankings
//!
//! See [`Ranking`]. Weights of messages in buffered queues, potentials of `many` instances (0 at the end) and weights of
//! numbers are at least 0; potentials of single instances and of followed variables, and weights of rendezvous messages
//! (which are sent and taken in the same step) have any sign. Queues that are not `claimed` have weight 0 everywhere:
//! nothing is known about how much is in them. A claimed queue with a [`Bound`] need not weigh anything; in the weights of
//! bounds, everything may. Either all nodes of a `many` instance count (weight at least 1 where something is claimed bounded)
//! or none does (weight 0 everywhere).

use crate::ids::{EdgeId, LocationId, MachineId};
use crate::network::{ScalarType, Variable};
use crate::runs::Runs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An array of more elements than this has one slot.
pub const SMASH_ABOVE: usize = 256;
/// An array of more channels than this has one slot.
pub const SMASH_CHANNELS_ABOVE: usize = 1 << 17;

/// Whether all elements of a variable share one slot.
pub fn is_smashed(variable: &Variable) -> bool {
    let most = if variable.ty == ScalarType::Channel { SMASH_CHANNELS_ABOVE } else { SMASH_ABOVE };
    variable.len() > most
}

/// Where the slots of variables are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slots {
    first: Vec<u32>,
    count: usize,
}

impl Slots {
    /// The slots of variables, in order.
    pub fn new(variables: &[Variable]) -> Self {
        let mut first = Vec::with_capacity(variables.len());
        let mut count = 0;
        for variable in variables {
            first.push(count as u32);
            count += if is_smashed(variable) { 1 } else { variable.len() };
        }
        Slots { first, count }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The slot of an element of a variable.
    pub fn slot(&self, variables: &[Variable], variable: usize, element: usize) -> usize {
        let offset = if is_smashed(&variables[variable]) { 0 } else { element };
        self.first[variable] as usize + offset
    }

    /// The variable and the element of a slot; element 0 for a whole array.
    pub fn element(&self, slot: usize) -> (usize, usize) {
        let variable = self.first.partition_point(|&first| first as usize <= slot) - 1;
        (variable, slot - self.first[variable] as usize)
    }
}

/// What a slot, or a field of a message, can hold.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Values {
    /// One of these numbers, in rising order.
    Set(Vec<i32>),
    /// A number from here to there, both included.
    Range(i32, i32),
    /// A reference to one of these queues, in rising order, or to none.
    Queues(Vec<u32>),
    /// A reference to any queue.
    AnyQueue,
}

/// Where a process is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Point {
    /// At a location.
    Location(u32),
    /// In a deterministic step: the edge, and the node of its body.
    Inside(u32, u32),
    /// It has ended.
    Gone,
}

impl Point {
    /// The point of a location.
    pub fn at(location: LocationId) -> Self {
        Point::Location(location.0)
    }

    /// The point of a node inside the deterministic step of an edge.
    pub fn inside(edge: EdgeId, node: u32) -> Self {
        Point::Inside(edge.0, node)
    }
}

/// A point of an instance, and what its local slots can hold there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Node {
    /// The point.
    pub at: Point,
    /// One entry per slot.
    pub values: Vec<Values>,
}

/// Where an instance comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A process that is there from the start: its index.
    Initial(u32),
    /// A `run`: the entries of `creations` say where.
    Run,
}

/// A process, or any number of processes of one type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Instance {
    /// The index of its machine.
    pub machine: u32,
    /// Where a single instance comes from. Processes of a `many` instance may also be there from the start.
    pub origin: Origin,
    /// Any number of processes.
    pub many: bool,
    /// Slots whose values tell nodes at one point apart.
    pub folded: Vec<u32>,
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// The node at which it starts. (Folded slots have one value there, or there are several such nodes.)
    pub first: Vec<u32>,
    /// Where it creates single instances, one for each node: no step leads to a lower level.
    #[serde(default, skip_serializing_if = "Runs::is_empty")]
    pub levels: Runs,
}

impl Instance {
    /// Its machine.
    pub fn machine(&self) -> MachineId {
        MachineId(self.machine)
    }
}

/// Which instance a `run` makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Creation {
    /// The instance that runs it.
    pub creator: u32,
    /// The node at which it does.
    pub node: u32,
    /// The edge.
    pub edge: u32,
    /// The instance that is created.
    pub instance: u32,
}

/// Whose queue it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub struct QueueKey {
    /// The instance; none for a global one.
    pub instance: Option<u32>,
    /// The variable that declares it.
    pub variable: u32,
    /// The element of that variable.
    pub element: u32,
}

/// A class of messages, and what its fields can hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Atom {
    /// Per field: the index of its constant in the queue's `constants`, or their number for "none of them".
    pub classes: Vec<u32>,
    /// Per field: what it can hold; inside its class.
    pub values: Vec<Values>,
}

/// A queue and its messages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Queue {
    /// Which one.
    pub key: QueueKey,
    /// Per field: the constants that are distinguished, in rising order.
    pub constants: Vec<Vec<i32>>,
    /// The messages that are ever sent.
    pub atoms: Vec<Atom>,
    /// Its messages count in the ranking.
    pub claimed: bool,
}

/// A shared slot whose values are nodes of a part of their own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Followed {
    /// The global slot.
    pub slot: u32,
    /// Its values, in rising order: exactly those of the slot in `globals`.
    pub values: Vec<i32>,
    /// The value it starts with.
    pub first: i32,
}

/// A number whose distance to the end of its range is counted, as a credit that steps use up or give back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Number {
    /// The single instance whose local slot it is; none for a global slot.
    pub instance: Option<u32>,
    /// The slot.
    pub slot: u32,
    /// The distance is `limit - value` (upwards), or `value - limit`. It is never negative.
    pub upwards: bool,
    /// The end of the range.
    pub limit: i32,
}

/// A slot that a ghost follows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GhostTerm {
    /// The single instance whose local slot it is; none for a global slot.
    pub instance: Option<u32>,
    /// The slot.
    pub slot: u32,
    /// It is subtracted.
    pub minus: bool,
}

/// An integer without limit that follows a slot, or a sum of slots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ghost {
    /// The slots: one that is not subtracted, or several of 32 bits.
    pub terms: Vec<GhostTerm>,
    /// It is equal to the slot modulo the slot's width only.
    pub wraps: bool,
}

/// A sum that is at least 0 in every state.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LinearInvariant {
    /// The constant.
    pub constant: i64,
    /// Per queue, one factor for each atom: the number of such messages.
    pub messages: BTreeMap<u32, Vec<i64>>,
    /// Per instance, one for each node: the number of processes there.
    pub nodes: BTreeMap<u32, Vec<i64>>,
    /// Per ghost.
    pub ghosts: BTreeMap<u32, i64>,
}

/// `scale` times something is at least this sum of invariants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Combination {
    /// At least 1.
    pub scale: i64,
    /// Invariants, by their indices, with factors of at least 0.
    pub of: Vec<(u32, i64)>,
}

/// What to combine for steps from a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hint {
    /// The instance.
    pub instance: u32,
    /// The node.
    pub node: u32,
    /// The combination.
    pub combination: Combination,
}

/// Why a queue never holds more than this.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LinearBound {
    /// The queue, by its index in the abstraction.
    pub queue: u32,
    /// The most messages in it.
    pub at_most: u64,
    /// `at_most`, less what is in the queue, is at least 0 by this.
    pub combination: Combination,
}

/// Linear invariants, and the bounds that follow from them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Linear {
    /// The ghosts.
    pub ghosts: Vec<Ghost>,
    /// The invariants.
    pub invariants: Vec<LinearInvariant>,
    /// Why steps keep them, and conditions count.
    pub hints: Vec<Hint>,
    /// Bounds of queues.
    pub bounds: Vec<LinearBound>,
}

impl Linear {
    /// There is nothing in it.
    pub fn is_empty(&self) -> bool {
        *self == Linear::default()
    }
}

/// The abstraction: an invariant of all runs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Abstraction {
    /// What each global slot can hold.
    pub globals: Vec<Values>,
    /// The queues.
    pub queues: Vec<Queue>,
    /// The processes.
    pub instances: Vec<Instance>,
    /// Which instances are created where.
    pub creations: Vec<Creation>,
    /// Shared variables that are parts.
    pub followed: Vec<Followed>,
    /// Numbers that are counted.
    pub numbers: Vec<Number>,
    /// Linear invariants.
    #[serde(default, skip_serializing_if = "Linear::is_empty")]
    pub linear: Linear,
}

/// What everything weighs. What has no entry weighs nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Weights {
    /// Per queue, one for each atom.
    pub messages: BTreeMap<u32, Vec<i64>>,
    /// Per instance, one for each node: the potential.
    pub nodes: BTreeMap<u32, Runs>,
    /// Per followed variable, one for each value.
    pub values: BTreeMap<u32, Vec<i64>>,
    /// Per number.
    pub numbers: BTreeMap<u32, i64>,
}

/// A part of the system that is in one of finitely many states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// A single instance.
    Instance(u32),
    /// A followed variable, by its index in `followed`.
    Followed(u32),
}

/// Why no run grows (or spins) forever. It speaks of the steps that a run takes infinitely often: at first all steps
/// can be; for livelock, all that are no progress.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// No step is left that could be taken infinitely often.
    Empty,
    /// No step that is left gains, and every claimed message, and every node of every `many` instance, weighs at least 1:
    /// so nothing claimed grows.
    Bounded(Weights),
    /// No step that is left gains; those that lose are taken finitely often only and are left out from here on.
    Lose(Weights, Box<Ranking>),
    /// No step that is left moves the part to a higher group, so in the end it stays in one. One case per group: steps of
    /// the part that begin or end outside of the group are left out.
    Split {
        /// The part.
        part: Part,
        /// The group of each of its nodes, or values.
        groups: Vec<u32>,
        /// One per group.
        cases: Vec<Ranking>,
    },
}

/// Why a queue never holds more than this.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bound {
    /// The queue, by its index in the abstraction.
    pub queue: u32,
    /// Only messages of these atoms are counted; all, if there is none. The bounds of all atoms that are ever sent bound
    /// the queue, as their sum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub atoms: Vec<u32>,
    /// The most messages in it.
    pub at_most: u64,
    /// An index into the list of weights: under these, *no* step gains, not even those that are taken once; each of
    /// the atoms weighs at least `unit`, and the sum at the start, less the lowest potential of each part, is less than
    /// `unit * (at_most + 1)`.
    ///
    /// If nothing but messages of this queue (one queue, and buffered), potentials of single instances and of followed
    /// variables weigh anything, a step may gain after which the queue, or each atom in it that weighs anything, is known
    /// to be short. Then also the weight of
    /// that many of the heaviest messages, with the difference between the highest and the lowest potential of each part,
    /// is less than `unit * (at_most + 1)`.
    ///
    /// If nothing but messages of one queue of a `many` instance and potentials of that instance weigh anything, no other
    /// slot, field or argument than the one that declares the queue ever holds a reference to it, and every channel that
    /// is used is known, then it is a bound for each of the queues: only steps of the instance count, no creation, and the
    /// sum at the start is the highest potential of a first node.
    pub weights: u32,
    /// What a message of the queue weighs at least.
    pub unit: i64,
}

/// What counts as progress.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Events, as they were given. Without any, progress labels: a step that begins or ends at a location with one.
    pub events: Vec<String>,
}

/// A proof that claimed queues stay finite, or that there is no livelock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FlowProof {
    /// The invariant.
    pub abstraction: Abstraction,
    /// For livelock: what progress is. For boundedness: none.
    pub progress: Option<Progress>,
    /// The ranking.
    pub ranking: Ranking,
    /// How much the queues can hold.
    pub bounds: Vec<Bound>,
    /// The weights that `bounds` refers to.
    pub bound_weights: Vec<Weights>,
    /// In a proof that no process comes to a place: the network that it is about has these machines unfolded.
    #[serde(default)]
    pub histories: Vec<History>,
}

/// What the processes of a machine remember, and what they never do.
///
/// The machine is unfolded: a location has a copy for each mark that a process there may have. A process has the mark 0
/// first, and then that of the last marked edge that it took. The marks say nothing that the steps before do not say,
/// so the unfolded machine has the same runs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct History {
    /// The machine.
    pub machine: u32,
    /// Edges, each with the mark that a process has after it.
    pub marks: Vec<(u32, u32)>,
    /// Edges that no process with this mark ever takes; the proof shows it, together with all other claims of this
    /// kind.
    pub never: Vec<(u32, u32)>,
}
