//! Growing runs of random models are executed again, naively, for many more rounds than the checker does.
//!
//! `HIGHWATER_SEEDS=N` tries a model for every 8 of N; 150 without it.

use explore::growth::{GrowthOptions, growth};
use model::budget::Budget;
use model::context::Context;
use model::growth::{GrowingRun, Parts};
use model::semantics::{Reading, Semantics, Step, Stepper};
use testing::models::loops;

const ROUNDS: usize = 50;

/// Takes steps one by one; `None` if one is not possible.
fn follow(stepper: &mut Stepper<'_>, state: &[u8], steps: &[Step]) -> Option<Vec<u8>> {
    let (mut state, mut control): (Vec<u8>, Option<u32>) = (state.to_vec(), None);
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
    Some(state)
}

/// The length of a queue, by name.
fn length(parts: &mut Parts<'_>, state: &[u8], channel: &str) -> u32 {
    let position = parts.queue_names(state).iter().position(|name| name.as_deref() == Some(channel));
    parts.lengths(state)[position.expect("the channel is there")]
}

/// Runs the last stage for fifty rounds after the earlier ones have pumped enough; each makes its channel longer.
fn grows_for_long(semantics: &Semantics<'_>, run: &GrowingRun) -> Result<(), String> {
    let (mut stepper, mut parts) = (semantics.stepper(), Parts::new(semantics));
    let mut state = stepper.initial().expect("small").expect("no fault");
    state = follow(&mut stepper, &state, &run.prefix).ok_or("the prefix does not run")?;
    for (index, stage) in run.stages.iter().enumerate() {
        state = follow(&mut stepper, &state, &stage.between).ok_or("the steps between do not run")?;
        let rounds = ROUNDS * 40usize.pow((run.stages.len() - 1 - index) as u32);
        for round in 0..rounds {
            let next = follow(&mut stepper, &state, &stage.steps)
                .ok_or_else(|| format!("round {round} of stage {index} does not run"))?;
            for (channel, gain) in &stage.gains {
                let (old, new) = (length(&mut parts, &state, channel), length(&mut parts, &next, channel));
                if i64::from(new) - i64::from(old) != *gain {
                    return Err(format!("round {round} of stage {index} adds {old} -> {new} to {channel}, not {gain}"));
                }
            }
            state = next;
        }
    }
    Ok(())
}

#[derive(Default)]
struct Counts {
    complete: usize,
    growing: usize,
    staged: usize,
}

fn check(seed: u64, counts: &mut Counts) {
    let text = loops::model(seed, false);
    let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
    let Some(network) = read.network else { return };
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let limits = Budget::unlimited().states(400);
    let report = growth(&semantics, &GrowthOptions::default(), &Context::silent(&limits));
    if report.complete {
        counts.complete += 1;
        assert!(report.growing.is_empty(), "seed {seed}: a finite system does not grow\n{text}");
        assert!(report.digest.is_some(), "seed {seed}\n{text}");
    }
    for run in &report.growing {
        counts.growing += 1;
        counts.staged += usize::from(run.stages.len() > 1);
        if run.stages.len() < 3 {
            grows_for_long(&semantics, run).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}\n{run:#?}"));
        }
    }
    for longest in &report.longest {
        let (mut stepper, mut parts) = (semantics.stepper(), Parts::new(&semantics));
        let initial = stepper.initial().expect("small").expect("no fault");
        let state = follow(&mut stepper, &initial, &longest.run).expect("the run to the longest length runs");
        // A queue may be longest in the middle of an atomic sequence: then the run leads to where that starts.
        let reached = length(&mut parts, &state, &longest.channel);
        assert!(reached <= longest.length, "seed {seed}\n{text}");
        assert!(reached == longest.length || text.contains("atomic"), "seed {seed}\n{text}");
    }
}

#[test]
fn growing_runs_of_random_models_run_for_fifty_rounds() {
    let asked: Option<u64> = testing::long();
    let seeds = asked.map_or(150, |seeds| seeds.div_ceil(8));
    let mut counts = Counts::default();
    (0..seeds).for_each(|seed| check(seed, &mut counts));
    let Counts { complete, growing, staged } = counts;
    let enough = complete * 10 > seeds as usize && growing * 4 > seeds as usize && staged > 0;
    assert!(enough, "too few of a kind: {complete} complete, {growing} growing, {staged} staged of {seeds}");
}
