//! What the tests share: reading a text, asking, and running all inputs.
#![allow(dead_code)]

pub mod generate;

use bitvector::SatRefuter;
use certify::programs::Refusal;
use cfront::Component;
use cfront::interpret::{Outcome, Request};
use cfront::program::ErrorKind;
use model::budget::Budget;
use model::context::Context;
use pdr::{Answer, First, Invariant, Statistics};
use std::time::Duration;
pub use testing::seeds;

/// Declarations that every program starts with.
pub const PRELUDE: &str = "extern void __VERIFIER_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
void check(int holds) { if (!holds) __VERIFIER_error(); }
";

/// The component `main` of a text.
pub fn component(text: &str) -> Component {
    let read = cfront::read(&cfront::Input::plain("test.c", format!("{PRELUDE}{text}")), &cfront::Options::default());
    match read.program {
        Some(mut program) => program.components.remove(0),
        None => panic!("{:?}\n{text}", read.diagnostics),
    }
}

/// Errors that the author wrote down.
pub fn stated(kind: &ErrorKind) -> bool {
    kind.is_stated()
}

/// Asks about the stated errors.
pub fn ask(component: &Component, seconds: u64) -> (Answer, Statistics) {
    ask_first(component, First::Sets, seconds)
}

/// The same, and says who begins.
pub fn ask_first(component: &Component, first: First, seconds: u64) -> (Answer, Statistics) {
    let limits = Budget::unlimited().timeout(Duration::from_secs(seconds));
    pdr::check_with(component, &stated, first, &Context::silent(&limits))
}

/// What the checker says about an invariant.
pub fn verified(component: &Component, invariant: &Invariant) -> Result<(), Refusal> {
    certify::programs::verify(component, &invariant.proof(), &mut SatRefuter, &Budget::unlimited()).map(|_| ())
}

/// What all runs together do.
#[derive(Debug, Default)]
pub struct Truth {
    pub stated: bool,
    pub fault: bool,
}

/// Runs a component on every sequence of inputs below `domain`; nothing if there are too many, or if a run is too long.
pub fn truth(component: &Component, domain: u64, most_runs: usize, most_steps: usize) -> Option<Truth> {
    let mut truth = Truth::default();
    let mut digits: Vec<u64> = Vec::new();
    for _ in 0..most_runs {
        let mut at = 0;
        let mut answer = |_: &Request| {
            if at == digits.len() {
                digits.push(0);
            }
            at += 1;
            digits[at - 1]
        };
        let run = cfront::interpret::run(component, &mut answer, most_steps);
        match run.outcome {
            Outcome::StepLimit => return None,
            Outcome::Error(kind, _) if kind.is_stated() => truth.stated = true,
            Outcome::Error(..) => truth.fault = true,
            _ => {}
        }
        digits.truncate(at);
        while digits.last() == Some(&(domain - 1)) {
            digits.pop();
        }
        match digits.last_mut() {
            Some(last) => *last += 1,
            None => return Some(truth),
        }
    }
    None
}
