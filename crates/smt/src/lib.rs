//! Exact decisions about fixed-width integers: terms, a bit-blaster, a SAT solver, and other solvers behind a trait.
