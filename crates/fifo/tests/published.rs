//! Published models and the examples of this project: verdicts, and the figures of another tool.
//!
//! The published models are looked at where they are at hand.

#![allow(clippy::print_stdout)]

use crate::support::{examples, published};
use fifo::Progress;
use fifo::{Cegar, CegarSettings, Generator, Limits, Method, Pass, Property, Report, System, Verdict, check};
use model::context::Context;
use queues::{Bisimulation, Direction};
use std::sync::Arc;
use std::time::Instant;

fn word(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Safe(_) | Verdict::Finite => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Inconclusive(_) => "inconclusive",
    }
}

/// Run with `--release -- --nocapture` for the times.
#[test]
fn the_default_solves_all_of_them() {
    for (name, system) in published().into_iter().chain(examples()) {
        let begun = Instant::now();
        let report = check(&system, Property::BadStates, &Method::Auto, &Limits::default(), &Context::unlimited());
        println!("{name:28} {:8} {:>10.1?}  {}", word(&report), begun.elapsed(), report.statistics.method);
        let expected = if name.contains("unsafe") || name == "cd" { "unsafe" } else { "safe" };
        assert_eq!(word(&report), expected, "{name}: {:?}", report.verdict);
        // No more than a second or two, on any machine: a step is some fifty nanoseconds.
        assert!(report.statistics.steps < 20_000_000, "{name} takes {} steps", report.statistics.steps);
    }
}

/// Refinement to the end: the verdict, the number of refinements, and the size of the whole abstraction.
fn refine(system: &System, settings: CegarSettings) -> (&'static str, usize, usize, usize) {
    let mut cegar = Cegar::new(system, Property::BadStates, settings, &Limits::default()).expect("a system");
    let mut loops = 0;
    let verdict = loop {
        match cegar.iterate().expect("no limit") {
            Progress::Refined => loops += 1,
            Progress::Safe => break "safe",
            Progress::Unsafe(_) => break "unsafe",
        }
    };
    let (states, transitions) = cegar.whole_size().expect("no limit");
    (verdict, loops, states, transitions)
}

fn settings(generator: Generator, pass: Pass, direction: Direction) -> CegarSettings {
    CegarSettings { generator, pass, extrapolation: Arc::new(Bisimulation::rho(direction)), iterations: None }
}

/// McScM 1.2.1 on the same files with the same settings says, row by row: 47 loops and 90/526, 65 and 81/313, 244 and
/// 261/1173, 8 and 21/47, 33 and 10689/56802, 6 and 12/49. The sizes of the last two are ours, and so are the loops but for
/// Peterson's. The rest is a matter of which one of several shortest counterexamples comes first: here the order of the
/// transitions in the file decides, there an order that changes with every split. How much it matters shows when the
/// transitions are shuffled: we then need 40 to 47 loops, 53 to 82, 255 to 358, 6 to 8. For the non-regular protocol, one
/// order in six gives the published 8 and 21/47; for Peterson's, reversing each machine gives 33.
#[test]
fn settings_of_the_published_table() {
    use Generator::Adaptive;
    use Pass::{Backward, Forward};
    let models = published();
    for (name, settings, expected) in [
        ("ABP_safe", settings(Adaptive, Backward, Direction::Forward), ("safe", 42, 86, 503)),
        ("nested", settings(Adaptive, Backward, Direction::Forward), ("safe", 66, 100, 345)),
        ("nested", settings(Adaptive, Forward, Direction::Forward), ("safe", 302, 312, 1635)),
        ("nonreg", settings(Adaptive, Backward, Direction::Forward), ("safe", 8, 21, 48)),
        ("peterson", settings(Adaptive, Forward, Direction::Backward), ("safe", 35, 10689, 56802)),
        ("peterson reversed", settings(Adaptive, Forward, Direction::Backward), ("safe", 33, 10689, 56802)),
        ("cd", settings(Adaptive, Backward, Direction::Forward), ("unsafe", 6, 12, 49)),
    ] {
        let file = name.trim_end_matches(" reversed");
        let Some((_, system)) = models.iter().find(|(found, _)| found == file) else { continue };
        let mut system = system.clone();
        if name != file {
            system.machines.iter_mut().for_each(|machine| machine.transitions.reverse());
        }
        assert_eq!(refine(&system, settings), expected, "{name}");
    }
}

/// All eight settings of the paper's comparison on the small models.
#[test]
fn every_setting_gives_the_same_verdict() {
    for (name, system) in published().into_iter().filter(|(name, _)| name != "peterson") {
        let expected = if name.contains("unsafe") || name == "cd" { "unsafe" } else { "safe" };
        for generator in [Generator::Uniform, Generator::Adaptive] {
            for pass in [Pass::Forward, Pass::Backward] {
                for direction in [Direction::Forward, Direction::Backward] {
                    let settings = settings(generator, pass, direction);
                    let found = refine(&system, settings.clone());
                    println!("{name:28} {:30} {found:?}", settings.name());
                    assert_eq!(found.0, expected, "{name} with {}", settings.name());
                }
            }
        }
    }
}
