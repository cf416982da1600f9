//! The proof object for C components: structures that do all that procedures of C do, and a proof about the structures.
//!
//! For each procedure there are *predicates* at each of its places, and a *structure* whose states are a place with the truth
//! of the predicates there (section 3.2 of the MAGIC paper). It is an over-approximation of the procedure if
//!
//! * every first state of the procedure lies in an initial state, and
//! * for every state and every step of the procedure from its place, whatever a concrete state in it can become lies in one
//!   of the listed targets.
//!
//! A *shared variable* is a component of its own, whose states are classes of its values: intervals, with the places where
//! they meet. Loads and stores are events of the class. Two parts that are at accesses to one variable, one of them a
//! store, are an error of the safety property; a proof of another property comes with one that this cannot be.
//!
//! **Loops that end.** A [`Rank`] gives each place a term, and so each concrete state a number, read without sign. Whatever the
//! terms are, no run makes the number smaller infinitely often unless it makes it larger infinitely often, too: there are
//! finitely many numbers. The proof says of each move of the structure whether it makes the number smaller ([`Rank::falls`]), or
//! may make it larger ([`Rank::rises`]); of all others, that they do not make it larger. That is so if no concrete state in the
//! one state has a step into the other with which it is not. Of the procedure itself, then: if moves that fall occur again and
//! again, so do some that may rise. The formula need only hold of runs of the structures of which that is true, for each rank.
//! A move that falls has no event; it gets one of its own, which the others do not know, so that the assumption can speak of it,
//! and so does a move that may rise. Of moves that rise with an event, the event counts, whoever else brings it about: that
//! assumes less. Nothing else is to be proved of a rank: that an outer loop resets the counter of an inner one is a move
//! that rises, and ranks that fall one after the other are several ranks. Only formulas are about what happens infinitely often,
//! so no other proof has ranks.
//!
//! All of these are questions to a solver, one for each step. What the others see of a state (events,
//! propositions of the formula, how it ends) follows from its place and its truths. What remains is a question about
//! structures in parallel, and for that there is a tree of partitions, see [`crate::composition_proof`].
//!
//! Places, steps and variables are numbers, which mean something only for texts that were read in the same way; how they
//! were read comes along. The operations of predicates are those of [`crate::program_proof`].

use crate::composition_proof::CompositionProof;
use crate::program_proof::ProofNode;
use serde::{Deserialize, Serialize};

/// Structures of procedures, and a proof for them in parallel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentsProof {
    /// How the texts were read, and the structures.
    pub abstraction: ComponentsAbstraction,
    /// The proof about the structures.
    pub composition: CompositionProof,
    /// Why no two parts access a shared variable at the same time, where the property is another one.
    pub races: Option<Box<ComponentsProof>>,
}

/// How procedures were read, and their structures.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ComponentsAbstraction {
    /// The widths of the integer types: `ilp32` or `lp64`.
    pub data_model: String,
    /// A signed result that its type cannot hold is an error.
    pub signed_overflow: bool,
    /// A structure for each procedure.
    pub procedures: Vec<ProcedureStructure>,
    /// For each shared variable the values, as bits, at which the next class of its values begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<Vec<u64>>,
}

/// The structure of one procedure under its predicates.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProcedureStructure {
    /// The number of the part.
    pub part: u32,
    /// The table of expressions.
    pub nodes: Vec<ProofNode>,
    /// By place: the entries of the table that are its predicates. Those of the formula come first.
    pub predicates: Vec<Vec<u32>>,
    /// The states.
    pub states: Vec<AbstractState>,
    /// Where it begins.
    pub initial: Vec<u32>,
    /// By state: steps of the procedure, and the states that they lead to.
    pub moves: Vec<Vec<(u32, u32)>>,
    /// Numbers that do not fall forever.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<Rank>,
}

/// A number for each state of a procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Rank {
    /// By place: the entry of the table. All have one width.
    pub terms: Vec<u32>,
    /// Moves that make it smaller: a state, and which of its moves.
    pub falls: Vec<(u32, u32)>,
    /// Moves that may make it larger.
    pub rises: Vec<(u32, u32)>,
}

/// A place with the truth of its predicates.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AbstractState {
    /// The place.
    pub place: u32,
    /// By which of several steps that look alike.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub via: u32,
    /// A digit for each predicate of the place: 1 if it holds, 0 if not.
    pub truths: String,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
