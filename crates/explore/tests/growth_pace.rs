//! How fast the search for growth is, against the search for safety on the same states.
//!
//! `HIGHWATER_MODEL=FILE cargo test --release -p highwater-explore --test all growth_pace -- --ignored --nocapture`

use explore::growth::{GrowthOptions, growth};
use explore::search::search;
use model::budget::{Budget, Stopwatch};
use model::context::Context;
use model::semantics::{Reading, Semantics};

/// Workers that pass tokens on and count: many states, and channels that do not grow.
fn model(workers: usize) -> String {
    let next = (0..workers).map(|w| (w, (w + 1) % workers));
    let worker = |(own, next): (usize, usize)| {
        format!(
            "active proctype W{own}() {{ byte n; q[{own}]!0; do :: q[{own}]?n; n = (n + 1) % 3; q[{next}]!n od }}\n"
        )
    };
    format!("chan q[{workers}] = [4] of {{ byte }};\n{}", next.map(worker).collect::<String>())
}

#[test]
#[ignore = "measures time"]
#[allow(clippy::print_stdout)]
fn growth_at_the_pace_of_safety() {
    let text = match std::env::var("HIGHWATER_MODEL") {
        Ok(file) => std::fs::read_to_string(file).expect("the model can be read"),
        Err(_) => model(5),
    };
    let read = promela::read("model.pml", &text, &promela::preprocess::Options::default());
    let network = read.network.expect("a model");
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let limits = Budget::unlimited().states(testing::seeds(3_000_000));
    let cx = Context::silent(&limits);
    let start = Stopwatch::start();
    let options = explore::search::Options { keep_going: true, ..explore::search::Options::default() };
    let safety = search(&semantics, &options, &cx);
    let for_safety = start.elapsed();
    let start = Stopwatch::start();
    let report = growth(&semantics, &GrowthOptions::default(), &cx);
    let for_growth = start.elapsed();
    println!("safety: {:?} states, {for_safety:?}, {:?}", safety.stats.states, safety.stopped);
    println!(
        "growth: {:?} states, {for_growth:?}, complete {}, {:?}, grows {:?}",
        report.stats.states,
        report.complete,
        report.stopped,
        report.channels()
    );
    let slower = for_growth.as_secs_f64() / for_safety.as_secs_f64();
    println!("{slower:.2} times slower");
    assert!(slower <= 3.0 || !report.growing.is_empty(), "{slower:.2} times slower");
}
