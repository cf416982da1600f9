//! Temporal logic: formulas of state/event LTL, and small Büchi automata for them.
//!
//! * In: text ([`parse`]) or a [`Formula`] over numbered atoms. What an atom means, a proposition of a state or an
//!   event of a step, is the caller's business.
//! * Out: an [`Automaton`] that accepts exactly the words that satisfy the formula, or word that it is [`TooLarge`]. To
//!   look for violations, callers translate [`Formula::negated`].
//!
//! Everything is checked against a naive twin: [`Formula::holds_on`] evaluates a formula by definition on an ultimately
//! periodic word ([`Lasso`]), and [`Automaton::accepts`] runs an automaton on it.
//!
//! The way of a formula, file by file: `parse`, `term` and `simplify` (negation normal form), `alternating` and
//! `tableau` (Gastin & Oddoux), `degeneralise`, `simulation` and `acceptance` (reductions), `reduce` (which of them, in
//! which order), `merging` (what simulation does not see), `translate` (all of it). Guards are exact (`guard`).
//!
//! This crate never prints, knows nothing of models but their formulas (`numbered`), and never hangs: time and size are limits that come in and
//! reasons that go out.
//!
//! ```
//! use temporal::{automaton, parse, Limits};
//!
//! let parsed = parse("[] (request -> <> reply)")?;
//! let violations = automaton(&parsed.formula.negated(), &Limits::default())?;
//! assert_eq!(violations.states.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod acceptance;
mod alternating;
mod automaton;
mod degeneralise;
mod export;
mod formula;
mod graph;
mod guard;
mod implication;
mod lasso;
mod lex;
mod merging;
mod numbered;
mod parse;
mod print;
mod reduce;
mod simplify;
mod simulation;
mod tableau;
mod term;
mod translate;

pub use automaton::{Automaton, Cube, Edge, State};
pub use formula::Formula;
pub use lasso::{Lasso, Valuation};
pub use numbered::{numbered, with_atoms};
pub use parse::{MAX_DEPTH, Parsed, Precedence, SyntaxError, parse, parse_with};
pub use translate::{Limits, TooLarge, automaton};
