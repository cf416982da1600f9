//! Growing runs of random models are executed again, naively, for many more rounds than the checker does.
//!
//! `HIGHWATER_SEEDS=N` tries N models that look at their queues (100 without it), and a plain one for every 8 of N (150).

use explore::growth::{GrowthOptions, GrowthReport, growth};
use explore::search::{Options, search};
use model::budget::Budget;
use model::context::Context;
use model::growth::{GrowingRun, Parts};
use model::semantics::{Reading, Semantics, Step, Stepper};
use std::collections::BTreeMap;
use std::time::Duration;
use testing::models::{loops, queues};

const ROUNDS: usize = 50;

/// A state, and the process that has control in it.
type Point = (Vec<u8>, Option<u32>);

/// Takes steps one by one; `None` if one is not possible.
fn follow(stepper: &mut Stepper<'_>, point: &Point, steps: &[Step]) -> Option<Point> {
    let (mut state, mut control) = point.clone();
    for step in steps {
        control = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        let mut next = None;
        stepper
            .expand(&state, control, &mut |successor| {
                if successor.step == *step && next.is_none() {
                    next = successor.state.map(|state| (state.to_vec(), successor.control));
                }
            })
            .ok()?;
        (state, control) = next?;
    }
    Some((state, control))
}

/// The edges of a step, without the numbers of processes.
fn edges(stepper: &mut Stepper<'_>, state: &[u8], step: Step) -> Vec<Option<(u32, u32)>> {
    let players = match step {
        Step::Edge { process, edge } => vec![(process, edge)],
        Step::Rendezvous { sender, receiver } => vec![sender, receiver],
        Step::Loss { .. } => Vec::new(),
    };
    players.into_iter().map(|(p, edge)| Some((stepper.machine_of(state, p)?.0, edge.0))).collect()
}

/// Takes steps like these, by whichever process: the youngest that can, or the oldest.
fn follow_alike(
    stepper: &mut Stepper<'_>,
    point: &Point,
    like: &[Vec<Option<(u32, u32)>>],
    oldest: bool,
) -> Option<Point> {
    let (mut state, mut control) = point.clone();
    for wanted in like {
        control = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        let mut all = Vec::new();
        stepper
            .expand(&state, control, &mut |successor| {
                all.extend(successor.state.map(|next| (successor.step, next.to_vec(), successor.control)));
            })
            .ok()?;
        all.retain(|(step, ..)| edges(stepper, &state, *step) == *wanted);
        let (_, next, keeps) = if oldest { all.into_iter().next()? } else { all.pop()? };
        (state, control) = (next, keeps);
    }
    Some((state, control))
}

/// The length of a queue, by name.
fn length(parts: &mut Parts<'_>, state: &[u8], channel: &str) -> u32 {
    let position = parts.queue_names(state).iter().position(|name| name.as_deref() == Some(channel));
    parts.lengths(state)[position.expect("the channel is there")]
}

/// Runs the last stage for fifty rounds after the earlier ones have pumped enough; each makes its channel longer.
fn grows_for_long(semantics: &Semantics<'_>, run: &GrowingRun) -> Result<(), String> {
    let (mut stepper, mut parts) = (semantics.stepper(), Parts::new(semantics));
    let mut point = (stepper.initial().expect("small").expect("no fault"), None);
    point = follow(&mut stepper, &point, &run.prefix).ok_or("the prefix does not run")?;
    for (index, stage) in run.stages.iter().enumerate() {
        point = follow(&mut stepper, &point, &stage.between).ok_or("the steps between do not run")?;
        let rounds = ROUNDS * 40usize.pow((run.stages.len() - 1 - index) as u32);
        for round in 0..rounds {
            let any = std::iter::once(&stage.steps).chain(&stage.others);
            let mut next = any.into_iter().filter_map(|steps| follow(&mut stepper, &point, steps));
            let next = next.next().ok_or_else(|| format!("round {round} of stage {index} does not run"))?;
            for (channel, gain) in &stage.gains {
                let (old, new) = (length(&mut parts, &point.0, channel), length(&mut parts, &next.0, channel));
                let gained = i64::from(new) - i64::from(old);
                if gained != *gain && (stage.others.is_empty() || gained < 1) {
                    return Err(format!("round {round} of stage {index} adds {old} -> {new} to {channel}, not {gain}"));
                }
            }
            point = next;
        }
    }
    Ok(())
}

/// The same where processes multiply: another process plays a part in each round.
fn multiplies_for_long(semantics: &Semantics<'_>, run: &GrowingRun, oldest: bool) -> Result<(), String> {
    let (mut stepper, mut parts) = (semantics.stepper(), Parts::new(semantics));
    let mut point = (stepper.initial().expect("small").expect("no fault"), None);
    point = follow(&mut stepper, &point, &run.prefix).ok_or("the prefix does not run")?;
    let [stage] = run.stages.as_slice() else { return Err(String::from("stages")) };
    let (mut like, mut at) = (Vec::new(), point.clone());
    for step in &stage.steps {
        like.push(edges(&mut stepper, &at.0, *step));
        at = follow(&mut stepper, &at, &[*step]).ok_or("the loop does not run")?;
    }
    for round in 0..ROUNDS {
        let next = follow_alike(&mut stepper, &point, &like, oldest).ok_or_else(|| format!("round {round} stops"))?;
        for (channel, gain) in &stage.gains {
            let (old, new) = (length(&mut parts, &point.0, channel), length(&mut parts, &next.0, channel));
            if i64::from(new) - i64::from(old) != *gain {
                return Err(format!("round {round} adds {old} -> {new} to {channel}, not {gain}"));
            }
        }
        point = next;
    }
    Ok(())
}

#[derive(Default, Debug)]
struct Counts {
    models: usize,
    complete: usize,
    growing: usize,
    staged: usize,
    doubled: usize,
    multiplied: usize,
    /// Processes multiply, and the naive judge could not tell who plays whose part.
    unjudged: usize,
    looking: usize,
}

fn check(seed: u64, text: &str, counts: &mut Counts) {
    let read = promela::read("random.pml", text, &promela::preprocess::Options::default());
    let Some(network) = read.network else { return };
    counts.models += 1;
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let limits = Budget::unlimited().states(400);
    let report = growth(&semantics, &GrowthOptions::default(), &Context::silent(&limits));
    // A system with finitely many states has no run that fills a channel without end.
    // An atomic sequence may never end.
    let limits = Budget::unlimited().states(1_500).at_most(Duration::from_millis(500));
    let found = search(&semantics, &Options { keep_going: true, ..Options::default() }, &Context::silent(&limits));
    let finite = found.stopped.is_none() && found.crashed.is_none();
    assert!(!finite || report.growing.is_empty(), "seed {seed}: a finite system does not grow\n{text}");
    if report.complete {
        counts.complete += 1;
        assert!(report.growing.is_empty(), "seed {seed}: a finite system does not grow\n{text}");
        assert!(!finite || report.digest == found.digest, "seed {seed}\n{text}");
        if report.crashed.is_none() {
            walked(seed, text, &semantics, &report);
        }
    }
    for run in &report.growing {
        counts.growing += 1;
        counts.staged += usize::from(run.stages.len() > 1);
        counts.doubled += usize::from(run.stages.iter().any(|stage| !stage.others.is_empty()));
        counts.looking +=
            usize::from(["len(", "empty(", "full(", "?[", "?<", "priority"].iter().any(|l| text.contains(l)));
        if run.stages.len() >= 3 {
            continue;
        }
        let judged = grows_for_long(&semantics, run);
        if judged.is_err() && text.contains("run Q") && run.stages.len() == 1 {
            counts.multiplied += 1;
            let tries = [false, true].map(|oldest| multiplies_for_long(&semantics, run, oldest));
            counts.unjudged += usize::from(tries.iter().all(Result::is_err));
            continue;
        }
        judged.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}\n{run:#?}"));
    }
    for longest in &report.longest {
        let (mut stepper, mut parts) = (semantics.stepper(), Parts::new(&semantics));
        let initial = (stepper.initial().expect("small").expect("no fault"), None);
        let (state, _) = follow(&mut stepper, &initial, &longest.run).expect("the run to the longest length runs");
        // A queue may be longest in the middle of an atomic sequence: then the run leads to where that starts.
        let reached = length(&mut parts, &state, &longest.channel);
        assert!(reached <= longest.length, "seed {seed}\n{text}");
        assert!(reached == longest.length || text.contains("atomic"), "seed {seed}\n{text}");
    }
}

/// Long walks see no more than a search of all states does.
fn walked(seed: u64, text: &str, semantics: &Semantics<'_>, report: &GrowthReport) {
    let limits = Budget::unlimited().at_most(Duration::from_millis(100));
    for (channel, length) in explore::fill::lengths(semantics, &BTreeMap::new(), &Context::silent(&limits)) {
        let longest = report.longest.iter().find(|q| q.channel == channel).map_or(0, |q| q.length);
        assert!(
            length <= longest,
            "seed {seed}: a walk fills {channel} with {length}, no state has more than {longest}\n{text}"
        );
    }
}

#[test]
fn growing_runs_of_random_models_run_for_fifty_rounds() {
    let asked: Option<u64> = testing::long();
    let seeds = asked.map_or(150, |seeds| seeds.div_ceil(8));
    let (first, mut counts) = (testing::first(0), Counts::default());
    (first..first + seeds).for_each(|seed| check(seed, &loops::model(seed, false), &mut counts));
    let Counts { complete, growing, staged, .. } = counts;
    let enough = complete * 10 > seeds as usize && growing * 4 > seeds as usize && (staged > 0 || seeds < 100);
    assert!(enough, "too few of a kind: {complete} complete, {growing} growing, {staged} staged of {seeds}");
}

#[test]
fn growing_runs_of_models_that_look_at_queues_run_for_fifty_rounds() {
    let seeds = testing::long().unwrap_or(100);
    let mut counts = Counts::default();
    let first = testing::first(0);
    (first..first + seeds).for_each(|seed| check(seed, &queues::model(seed, seed % 3 == 0), &mut counts));
    let Counts { models, complete, growing, doubled, multiplied, unjudged, looking, .. } = counts;
    assert!(models as u64 * 10 > seeds * 9, "too few models: {counts:?}");
    assert!(complete * 10 > models && growing * 4 > models && looking * 8 > models, "too few of a kind: {counts:?}");
    let rare = seeds < 400 || (doubled > 0 && multiplied > 0);
    assert!(rare && unjudged * 4 <= multiplied, "too few of a kind: {counts:?}");
}
