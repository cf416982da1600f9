//! The search with generated code, compiled for this machine, against the CPU's: states, transitions, depth, errors, digest,
//! places that were reached, and runs that replay.

use explore::Options;
use explore::search::Found;
use gpu::{Compile, Host, Refused};
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Property, Reason};
use std::time::Duration;

/// What became of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Compared {
    /// Both say the same; how many states there are, and the share of them that went back to the CPU.
    Same(u64, f64),
    /// There is nothing to compare, for this reason.
    Left(String),
}

/// What runs the text: a C++ compiler, or a line that says that there is none. With `HIGHWATER_DEVICE=cuda`, a GPU.
#[allow(clippy::print_stdout)]
pub fn compiler() -> Option<Box<dyn Compile + Sync>> {
    if std::env::var("HIGHWATER_DEVICE").is_ok_and(|device| device == "cuda") {
        return Some(Box::new(gpu::Cuda::new(0, None).unwrap_or_else(|e| panic!("{e}"))));
    }
    let host = Host::find();
    if host.is_none() {
        println!("skipped: there is no C++ compiler");
    }
    host.map(|host| -> Box<dyn Compile + Sync> {
        if std::env::var_os("HIGHWATER_GPU_MODELS").is_some() { Box::new(host.optimised()) } else { Box::new(host) }
    })
}

pub fn read(name: &str, text: &str) -> Option<(Network, SourceMap)> {
    let read = promela::read(name, text, &Default::default());
    read.network.map(|network| (network, read.sources))
}

fn summary(found: &Found) -> String {
    let stats = &found.stats;
    let mut counts: Vec<String> = found.counts.iter().map(|(property, n, _)| format!("{property} {n}")).collect();
    counts.sort();
    let (stopped, digest, crashed) = (&found.stopped, found.digest, found.crashed.is_some());
    let (states, transitions, depth) = (stats.states, stats.transitions, stats.depth);
    format!(
        "{states} states, {transitions} transitions, depth {depth}, {counts:?}, {stopped:?}, {crashed}, {digest:x?}"
    )
}

/// Compares the searches of a model of at most so many states; the device begins with the first layer of so many
/// states, the first number of `wide` that some layer reaches.
pub fn compare(
    (network, sources): &(Network, SourceMap),
    reading: Reading,
    wide: &[usize],
    most: u64,
    compiler: &dyn Compile,
) -> Result<Compared, String> {
    let semantics = Semantics::new(network, reading);
    let options =
        Options { keep_going: true, properties: vec![Property::Safety, Property::Deadlock], ..Options::default() };
    let budget = Budget::default().states(most).timeout(Duration::from_secs(60));
    let cx = Context::silent(&budget);
    let expected = explore::search::search(&semantics, &options, &cx);
    let left = |why: String| Ok(Compared::Left(why));
    match expected.stopped {
        Some(Reason::States) => return left(format!("more than {most} states")),
        Some(Reason::Timeout) => return left(String::from("the CPU takes more than a minute")),
        _ => {}
    }
    let mut result = None;
    for &wide in wide {
        match gpu::search((&semantics, sources), &options, wide, compiler, &Context::unlimited()) {
            Ok((found, report)) => result = Some((found, report)),
            Err(Refused::Unsupported(why)) => return left(why),
            Err(Refused::Failed(why)) => return Err(why.to_string()),
        }
        if result.as_ref().is_some_and(|(_, report)| !report.device.is_empty()) {
            break;
        }
    }
    let Some((found, report)) = result else { return left(String::from("nothing was searched")) };
    // What a search has seen when a limit of the tool stops it depends on the order within a layer; the limit does not.
    if let Some(reason) = &expected.stopped
        && found.stopped == expected.stopped
    {
        return left(format!("both stop: {reason}"));
    }
    let (one, other) = (summary(&found), summary(&expected));
    if one != other {
        return Err(format!("generated: {one}\n      CPU: {other}"));
    }
    if found.reached != expected.reached {
        return Err(String::from("other places were reached"));
    }
    // A violation counts only if its run replays.
    let conclude = |found: &Found| explore::conclude(found, &semantics, sources, &options, Duration::ZERO);
    for (one, other) in conclude(&found).iter().zip(conclude(&expected)) {
        if one.verdict != other.verdict {
            return Err(format!("{}: generated {:?}, CPU {:?}", one.property, one.verdict, other.verdict));
        }
    }
    if report.device.is_empty() {
        return left(String::from("no step begins on the device"));
    }
    let states = found.stats.states;
    Ok(Compared::Same(states, report.fallback as f64 / states as f64))
}
