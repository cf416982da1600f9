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
//! **For a formula**, steps without names are kept, those from a class to itself too. The abstraction of the root has no
//! infinite run that violates the formula.
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

/// A pseudo-event: what a component that has done its work is ready for. It is in the alphabet of every component.
pub const READY_TO_END: u32 = u32::MAX - 1;

/// A tree of abstractions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompositionProof {
    /// The root: it has every component below it, once.
    pub root: Node,
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
