//! `simulate --replay` for a C program: the interpreter runs it again on the inputs of a run that was written.

use super::ProgramFile;
use crate::error::Error;
use crate::simulate::replayed;
use cfront::interpret::{Outcome, Request};
use model::source::SourceMap;
use report::parse::Trace;
use report::style::Style;
use std::io::Write;

/// A longer run is not followed.
const MOST_STEPS: usize = 50_000_000;

/// Runs the program on the inputs of a trace; it must end in the error that the trace names.
pub fn replay(
    program: &ProgramFile,
    sources: &SourceMap,
    trace: &Trace,
    style: Style,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let none = || Error::Mismatch(String::from("the trace is none of a C program"));
    let mut inputs = trace.bits.as_ref().ok_or_else(none)?.iter();
    let (mut missing, component) = (false, &program.component);
    let mut next = |_: &Request| {
        inputs.next().copied().unwrap_or_else(|| {
            missing = true;
            0
        })
    };
    let found = cfront::interpret::run(component, &mut next, MOST_STEPS);
    let expected = trace.problem_code.as_deref().unwrap_or("an error");
    let counts = |kind: &cfront::program::ErrorKind| !missing && kind.code() == expected;
    let (run, _) = replay::executed(component, sources, &counts, &found).map_err(|end| {
        let end = match end {
            Outcome::Error(kind, _) if !missing => kind.code(),
            _ => "something else",
        };
        Error::Mismatch(format!("the run ends with {end}, not with {expected}"))
    })?;
    replayed(out, &run, found.edges.len(), trace, sources, style)
}
