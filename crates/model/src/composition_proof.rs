//! The proof object of the compose engine: which states of components, and of groups of components, are alike.
//!
//! The components are the leaves of a tree; an inner node composes its parts, two or more. Every node has an
//! *abstraction*, a structure whose states are classes. What the classes are is all that the proof says; everything else
//! follows from it, bottom up, and a checker computes it again:
//!
//! * **The states of a node.** Of a leaf, the states of its component that can be reached in it alone. Of an inner node, the
//!   tuples of classes of its parts that can be reached when the parts' abstractions are composed. A step that a part
//!   *hides* is a step of that part alone.
//! * **Classes.** [`Node::classes`] gives each of these states a class. States of one class agree in the propositions that
//!   the formula speaks of, and in being wrong: a tuple is wrong if one of its parts is, and nothing happens in it. A leaf or
//!   the root may be without classes, and then each state is one of its own.
//! * **Hiding.** [`Node::hidden`] are events of which no component outside of the node knows, and of which the formula does
//!   not speak. In the abstraction they have no name any more.
//! * **Steps.** A class has a step to another one where one of its states has a step to one of the other's (the existential
//!   quotient, section 3.2 of the MAGIC paper).
//!
//! By Theorems 1 and 5 of the paper, applied at every node, each run of the components is one of the abstraction of
//! the root, with the same propositions, and the same events apart from the hidden ones.
//!
//! **For a formula**, steps without names are kept, those from a class to itself too, unless the formula is
//! *stutter-invariant* (below). The abstraction of the root has no infinite run that violates the formula.
//!
//! **For safety**, the abstraction of the root reaches no wrong state. Steps without names from a class to itself say nothing
//! here, nor for deadlock, and may be dropped.
//!
//! **For deadlock**, classes also carry *ready sets* (in the paper: refusals, section 8): what a state is ready to do.
//!
//! * A state of a leaf has one ready set: the events of its steps, [`READY_TO_END`] if it is done; none at all if it has a
//!   step without a name (it can still move by itself), or if it is wrong.
//! * A tuple has a ready set for each choice of one from each of its parts: an event is in it if all parts that have the
//!   event in their alphabets are ready for it (for [`READY_TO_END`] that is all parts). If a hidden event is in it, the
//!   choice can still move and does not count.
//! * A class has those of its states. Of two, one of which includes the other, the smaller is enough.
//!
//! The abstraction of the root reaches no class with an empty ready set. Why this is enough: let the components be stuck in
//! a state. Then nothing hidden can happen in it at any node, so at every node its true ready set is among those of
//! its class (or a smaller one), by induction; that of the root would be empty.
//!
//! # Invariants
//!
//! A proof of deadlock freedom or safety may have [`CompositionProof::invariants`] instead of abstractions; then the tree says
//! nothing but that the components are its leaves. An [`Invariant`] gives a weight to each state of some components. Only
//! states count that are not wrong and can be reached in the component alone through such states, and steps between them. Of
//! these, the first states of a component weigh the same; a step without a name leads to the same weight; and all its steps with
//! one event gain the same. For each event, these gains of the components that know it sum up to 0, unless one of them has
//! no such step with it. By induction, the weights of the components' states sum up to the same in all states of the system in
//! which nothing is wrong, for nothing happens after an error. No component begins in an error. No choice of a state for each
//! component keeps all these sums and is stuck; or, for safety, lets a step happen that leads a component into an error. That is
//! a question about clauses, which a checker makes itself, and answers with a checked refutation.
//!
//! # Formulas that are invariant under stuttering
//!
//! A position of a run has propositions and an event, or none that the formula speaks of. It is *silent* if it has none
//! and the next position has the same propositions. Compare the truth of a formula at a silent position with its truth at
//! the position after it: each part of a formula allows only some of the four *pairs* of truth values.
//!
//! * A proposition: both true or both false. An event: false, then anything. A constant: itself, twice.
//! * Boolean operators: whatever comes out for pairs of the operands.
//! * An operator with a recurrence, such as `a U b = b || (a && later)`: for pairs of the operands, and for both values of
//!   *later* after the second position, first the value at the second and then that at the first. If the two always
//!   agree, the operator is *invariant*; else the formula is not. `<>`, `[]`, `R` and `W` are alike. `X` never is.
//!
//! The formula is stutter-invariant if every temporal operator in it is invariant, and it is so itself: its pairs agree.
//! Then its truth does not change when silent positions are put in or taken out, even infinitely many, as long as the run
//! stays infinite: by induction, the truth of each part at a position does not change when that is done after the
//! position. For an atom this is plain. For an invariant operator, stuttering in front of a position can be taken away; at
//! the position itself the operands do not change; and a least fixpoint that is true is so after finitely many positions,
//! of which there get no more. Greatest fixpoints are their duals.
//!
//! For such a formula, a class has a step without a name to itself only if it has a *silent cycle*: a cycle, among the
//! states of the node, of steps without names or with hidden events, that stays inside of the class. Why this is enough: let a
//! run of the components be given. At every node, what is left out are silent positions, since states of a class agree in
//! their propositions. And if the components below a node go on forever, then so does its abstraction: of a part that
//! does, infinitely many steps are left, by induction; and if from some time on all steps of the node stayed silently
//! inside of one class, there would be a silent cycle in it, for it has finitely many states. So each infinite
//! run of the components is one of the root with silent positions taken out, and the formula cannot tell.

//! # Fair runs
//!
//! A proof may be about runs that are fair in a sense ([`CompositionProof::fair`]). Then the tree says nothing but that the
//! components are its leaves: of a class nobody knows who can move in it, nor which steps are the alternatives of one choice.
//! A proof about all runs is one about those that are fair, too.

use crate::fairness::Fairness;

/// A pseudo-event: what a component that has done its work is ready for. It is in the alphabet of every component.
pub const READY_TO_END: u32 = u32::MAX - 1;

/// A tree of abstractions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompositionProof {
    /// The root: it has every component below it, once.
    pub root: Node,
    /// Sums that never change; if there are some, they are the proof.
    pub invariants: Vec<Invariant>,
    /// Which runs it is about.
    pub fair: Fairness,
}

/// A sum of weights of local states that never changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// By component, in order, the weight of each of its states. Other components weigh nothing.
    pub weights: Vec<(u32, Vec<i64>)>,
}

/// A node of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it is made of.
    pub parts: Parts,
    /// Events that are hidden from here on, in order.
    pub hidden: Vec<u32>,
    /// States and their classes. Of a leaf, a state has one number; of an inner node, a class of each part. States that
    /// cannot be reached may be listed or not. Empty, at a leaf or at the root: each state is a class of its own.
    pub classes: Vec<(Vec<u32>, u32)>,
}

/// What a node is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parts {
    /// One component, by number.
    Component(u32),
    /// Nodes.
    Nodes(Vec<Node>),
}
