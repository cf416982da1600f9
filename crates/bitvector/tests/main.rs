//! The integration tests of `bitvector`, one executable: each file is a module.

mod blast;
mod judge;
mod measure;
mod rules;
mod sat;
mod solvers;
mod support;
mod terms;
