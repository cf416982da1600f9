//! Temporal logic: formulas of state/event LTL, and small Büchi automata for them.
//!
//! * In: a [`Formula`] over numbered atoms, or its text; both are of `ltl`. What an atom means, a proposition of a
//!   state or an
//!   event of a step, is the caller's business.
//! * Out: an [`Automaton`] that accepts exactly the words that satisfy the formula, or word that it is [`TooLarge`]. To
//!   look for violations, callers translate [`Formula::negated`].
//!
//! Everything is checked against a naive twin: [`Formula::holds_on`] evaluates a formula by definition on an ultimately
//! periodic word ([`Lasso`]), and [`Automaton::accepts`] runs an automaton on it.
//!
//! The way of a formula, file by file: `term` and `simplify` (negation normal form), `alternating` and `tableau`
//! (Gastin & Oddoux), `degeneralise`, `simulation` and `acceptance` (reductions), `reduce` (which of them, in which
//! order), `merging` (what simulation does not see), `translate` (all of it). Guards are exact (`guard`). What need not
//! be part of an automaton is kept apart before that, if the caller wants so (`assumptions`). `monitor` makes an
//! automaton deterministic where only bad prefixes matter.
//!
//! This crate never prints, knows nothing of models, and never hangs: time and size are limits that come in and
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
mod assumptions;
mod automaton;
mod degeneralise;
mod export;
mod graph;
mod guard;
mod implication;
mod merging;
mod monitor;
mod reduce;
mod simplify;
mod simulation;
mod tableau;
mod term;
mod translate;

pub use assumptions::{Assumption, apart};
pub use automaton::{Automaton, Cube, Edge, State};
pub use ltl::{
    Formula, Lasso, MAX_DEPTH, Parsed, Precedence, SyntaxError, Valuation, numbered, parse, parse_with, with_atoms,
};
pub use monitor::{Monitor, monitor};
pub use translate::{Limits, TooLarge, automaton, within};
