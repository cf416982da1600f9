//! Says for C files whether an error that their authors wrote down can be reached: `reach [--seconds N] [--check] FILE…`.
//!
//! With `--check`, each proof is checked.

use cfront::program::ErrorKind;
use model::budget::Budget;
use model::context::Context;
use model::observer::{Event, Observer, Topic};
use pdr::Answer;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let mut seconds = 60;
    let (mut verbose, mut check) = (false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => seconds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(seconds),
            "--verbose" => verbose = true,
            "--check" => check = true,
            file => say(&format!("{file}: {}", reach(file, seconds, verbose, check))),
        }
    }
}

#[allow(clippy::print_stdout)]
fn say(text: &str) {
    println!("{text}");
}

fn reach(file: &str, seconds: u64, verbose: bool, check: bool) -> String {
    let Ok(bytes) = std::fs::read(file) else { return String::from("cannot be read") };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let input = match cfront::preprocess::preprocess(Path::new(file), &text, cfront::DataModel::Ilp32, &[]) {
        Ok(input) => input,
        Err(failure) => return format!("unsupported: {}", failure.diagnostic.message),
    };
    let read = cfront::read(&input, &cfront::Options::default());
    let Some(program) = read.program else {
        let first = read.diagnostics.first().map_or(String::new(), |diagnostic| diagnostic.message.clone());
        return format!("unsupported: {first}");
    };
    let Some(component) = program.components.first() else { return String::from("unsupported: nothing to check") };
    let start = Instant::now();
    let limits = Budget::unlimited().timeout(Duration::from_secs(seconds));
    let observer = Verbose { verbose, start };
    let (answer, statistics) =
        pdr::check(component, &|kind: &ErrorKind| kind.is_stated(), &Context::new(&limits, &observer));
    if verbose {
        for (location, clauses) in &statistics.invariant {
            say(&format!("  at {}:", location.0));
            clauses.iter().for_each(|clause| say(&format!("    {clause}")));
        }
    }
    let verdict = match answer {
        Answer::Safe(invariant) if check => format!("SAFE, {}", checked(component, &invariant, seconds)),
        Answer::Safe(_) => String::from("SAFE"),
        Answer::Unsafe(run) => format!("UNSAFE after {} steps", run.edges.len()),
        Answer::Inconclusive(reason) => format!("unknown: {reason}"),
    };
    format!(
        "{verdict} [{:.2}s, {} levels, {} cuts, {} variables, {} lemmas, {} obligations, {} calls]",
        statistics.time.as_secs_f64(),
        statistics.iterations,
        statistics.cut_points,
        statistics.variables,
        statistics.lemmas,
        statistics.obligations,
        statistics.solver_calls
    )
}

/// What the checker says about a proof, and how long that took.
fn checked(component: &cfront::Component, invariant: &pdr::Invariant, seconds: u64) -> String {
    let limits = Budget::unlimited().timeout(Duration::from_secs(seconds));
    let start = Instant::now();
    let checked = certify::programs::verify(component, &invariant.proof(), &mut bitvector::SatRefuter, &limits);
    let time = start.elapsed().as_secs_f64();
    match checked {
        Ok(obligations) => format!("checked in {time:.2}s, {obligations} refuted"),
        Err(refusal) => format!("NOT CHECKED in {time:.2}s: {refusal}"),
    }
}

/// Shows progress.
struct Verbose {
    verbose: bool,
    start: Instant,
}

impl Observer for Verbose {
    fn wants(&self, topic: Topic) -> bool {
        self.verbose && topic == Topic::Progress
    }

    fn event(&self, event: &Event<'_>) {
        say(&format!("  {:.1}s {event:?}", self.start.elapsed().as_secs_f64()));
    }
}
