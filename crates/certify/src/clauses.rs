//! Obligations as clauses: a circuit over bits, its clauses, and proofs that these cannot hold together.
//!
//! An obligation is a literal of a [`circuit::Circuit`] that must never be true. The words of C programs are made of gates
//! here (`words`), directly from the operators and without any code of the search. The clauses go to a
//! [`model::refutation::Refuter`], and what it answers is checked (`lrat`), so neither a solver nor its terms are trusted.

pub(crate) mod circuit;
pub(crate) mod lrat;
pub(crate) mod words;
