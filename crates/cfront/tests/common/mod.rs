//! What the tests share: small ways to read and run.
#![allow(dead_code, reason = "every test uses a part of it")]

pub mod generate;

use cfront::interpret::{Outcome, Request, Run, run};
use cfront::{Component, Input, Options, Program, Read};
pub use testing::{Random, seeds};

pub fn read(text: &str, options: &Options) -> Read {
    cfront::read(&Input::plain("test.c", text), options)
}

/// A unit that can be read.
pub fn program(text: &str, options: &Options) -> Program {
    let read = read(text, options);
    match read.program {
        Some(program) => program,
        None => panic!(
            "{}\n{text}",
            report::diagnostics::render(&read.diagnostics, &read.sources, report::style::Style::PLAIN)
        ),
    }
}

/// Runs a component on the given inputs, and zeros after them.
pub fn run_on(component: &Component, inputs: &[i64]) -> Run {
    let mut rest = inputs.iter();
    run(component, &mut |_: &Request| rest.next().map_or(0, |&value| value as u64), 1_000_000)
}

/// The value that `main` returns.
pub fn result(text: &str, inputs: &[i64]) -> Outcome {
    result_with(text, inputs, &Options::default())
}

pub fn result_with(text: &str, inputs: &[i64], options: &Options) -> Outcome {
    run_on(&program(text, options).components[0], inputs).outcome
}
