//! What the tests share: a seeded generator of numbers, the inputs of runs, and small ways to read and run.
#![allow(dead_code, reason = "every test uses a part of it")]

pub mod generate;

use cfront::interpret::{Outcome, Request, Run, run};
use cfront::{Component, Input, Options, Program, Read};

/// A small generator of numbers; the same seed gives the same numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'t, T: ?Sized>(&mut self, list: &[&'t T]) -> &'t T {
        list[self.below(list.len())]
    }
}

/// The inputs of a run. The harness of the differential test has the same function in C: keep them alike.
pub struct Inputs(u64);

impl Inputs {
    pub fn new(seed: u64) -> Self {
        Inputs(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let v = self.0 >> 16;
        match self.0 >> 60 & 3 {
            0 => v & 15,
            1 => (v & 15).wrapping_neg(),
            2 => [0, 1, u64::MAX, 0x7fff_ffff, 0x8000_0000, 0x7f, 0x80, 1 << 63][(v & 7) as usize],
            _ => v.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }
}

/// The longer runs that were asked for, or the usual number.
pub fn seeds(usual: u64) -> u64 {
    std::env::var("HIGHWATER_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

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
