//! Random C programs, their inputs, and what they do when they are compiled.

pub mod compiler;
pub mod inputs;
pub mod wide;
