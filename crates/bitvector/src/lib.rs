//! Exact decisions about fixed-width integers: terms, a bit-blaster, a SAT solver, and other solvers behind a trait.
//!
//! In come Boolean terms over variables of 1 to 128 bits, built in a [`Terms`]. Out comes an [`Outcome`]: a [`Model`] that
//! was evaluated, a core of assumptions that cannot hold together, or why there is no answer. Three solvers:
//!
//! * [`Embedded`]: word-level simplification while terms are built, a circuit for each term (`blast`), a CDCL solver
//!   (`sat`), and a memory of answers, cores and models;
//! * [`External`]: a `z3` or `cvc5` process that speaks SMT-LIB 2;
//! * [`CrossChecked`]: two of them, which must agree.
//!
//! [`SatRefuter`] is the SAT solver alone: clauses in, an LRAT proof out, for a checker that does not trust it.
//!
//! What must never happen: a wrong answer. Satisfiable ones are checked here, always; unsatisfiable ones can be logged as
//! a proof of clauses ([`sat::check_proof`]), asked again of another solver, or written down as an obligation
//! ([`smtlib::obligation`]); with the feature `cross-check`, all are compared while tests run. A limit, a dead process or a
//! disagreement is [`Outcome::Unknown`] with its [`model::reason::Reason`].
//!
//! ```
//! use bitvector::{Effort, Embedded, Outcome, Solver, Sort, Terms};
//!
//! let mut terms = Terms::new();
//! let x = terms.var("x", Sort::Bv(32));
//! let y = terms.var("y", Sort::Bv(32));
//! let three = terms.constant(32, 3);
//! let four = terms.constant(32, 4);
//! let x_is_three = terms.eq(x, three);
//! let y_above_x = terms.slt(x, y);
//! let y_below_four = terms.slt(y, four);
//! let question = [x_is_three, y_above_x, y_below_four];
//! let outcome = Embedded::new().check(&terms, &question, &Effort::unlimited());
//! assert!(matches!(outcome, Outcome::Unsat(core) if core.len() == 3));
//! ```

pub mod blast;
mod cross;
mod effort;
mod embedded;
mod evaluate;
mod external;
#[cfg(feature = "cross-check")]
mod judge;
mod print;
mod refute;
pub mod sat;
pub mod semantics;
pub mod smtlib;
mod solver;
pub mod table;
mod terms;

pub use cross::CrossChecked;
pub use effort::Effort;
pub use embedded::{Embedded, Statistics};
pub use evaluate::{Evaluation, Model, Value};
pub use external::{External, Program};
pub use print::to_c;
pub use refute::SatRefuter;
pub use solver::{Outcome, Solver, entails, minimal_core};
pub use terms::{MAX_WIDTH, Node, Op, Sort, TermId, Terms};
