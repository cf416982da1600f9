//! One run for each different failure: what a search through all states keeps and counts is what a naive walk through all
//! states finds, in one thread and in several, and with states as they are or packed.

use explore::{Options, Packing};
use model::chart::{Chart, StepKey};
use model::context::Context;
use model::ids::{LocationId, MachineId};
use model::network::Network;
use model::semantics::{Reading, Semantics, Step, Stepper};
use model::source::{SourceMap, Span};
use model::verdict::{Outcome, Property, Verdict};
use std::collections::{HashSet, VecDeque};
use testing::models::ends;

const MOST_STATES: usize = 20_000;

/// What fails, and where processes are.
type Failure = (Option<(&'static str, Span)>, Vec<(MachineId, LocationId)>);

fn places(stepper: &mut Stepper<'_>, state: &[u8]) -> Vec<(MachineId, LocationId)> {
    (0..).map_while(|process| stepper.place(state, process)).collect()
}

/// All failures; none if there are too many states.
fn naive(semantics: &Semantics<'_>) -> Option<HashSet<Failure>> {
    let mut stepper = semantics.stepper();
    let first = stepper.initial().ok()?.ok()?;
    let (mut open, mut seen, mut failures) = (VecDeque::from([(first, None)]), HashSet::new(), HashSet::new());
    while let Some((state, control)) = open.pop_front() {
        let control = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        if !seen.insert((state.clone(), control)) {
            continue;
        }
        if seen.len() > MOST_STATES {
            return None;
        }
        let mut faults = Vec::new();
        let count = stepper.expand(&state, control, &mut |successor| {
            faults.extend(successor.fault.map(|fault| (fault.fault.code(), fault.span)));
            open.extend(successor.state.map(|next| (next.to_vec(), successor.control)));
        });
        let here = places(&mut stepper, &state);
        failures.extend(faults.into_iter().map(|fault| (Some(fault), here.clone())));
        if count.ok()? == 0 && !stepper.is_valid_end(&state) {
            failures.insert((None, here));
        }
    }
    Some(failures)
}

fn searched(semantics: &Semantics<'_>, sources: &SourceMap, jobs: usize, packing: Packing) -> Vec<Outcome> {
    let properties = vec![Property::Safety, Property::Deadlock];
    let alone = if jobs > 1 { 10 } else { 20_000 };
    let options = Options { keep_going: true, properties, jobs, packing, alone, ..Options::default() };
    explore::check(semantics, sources, &options, &Context::unlimited())
}

/// The failure that a run ends with.
fn failure(network: &Network, semantics: &Semantics<'_>, run: &Chart) -> Failure {
    let steps = run.steps.iter().map(|step| match &step.key {
        Some(StepKey::Network(key)) => Step::from(*key),
        other => panic!("{other:?}"),
    });
    let mut stepper = semantics.stepper();
    let (mut state, mut control) = (stepper.initial().unwrap().unwrap(), None);
    let mut last = (None, Vec::new());
    for wanted in steps {
        control = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        let here = places(&mut stepper, &state);
        let mut next = None;
        let take = &mut |successor: model::semantics::Successor<'_>| {
            if successor.step == wanted && next.is_none() {
                let fault = successor.fault.map(|fault| (fault.fault.code(), fault.span));
                next = Some((successor.state.map(<[u8]>::to_vec), successor.control, fault));
            }
        };
        stepper.expand(&state, control, take).unwrap();
        let (after, keeps, fault) = next.expect("a step of the run");
        last = (fault, here);
        (state, control) = (after.unwrap_or(state), keeps);
    }
    assert!(network.machines.len() > 1);
    if run.stuck { (None, places(&mut stepper, &state)) } else { last }
}

#[test]
fn every_different_failure_is_counted_and_has_a_run_up_to_sixteen() {
    let (mut several, mut many) = (0, 0);
    for seed in 0..testing::seeds(150) {
        let text = ends::model(seed);
        let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
        let network = read.network.unwrap_or_else(|| panic!("seed {seed}: {:?}\n{text}", read.diagnostics));
        let semantics = Semantics::new(&network, Reading::Declared);
        let Some(expected) = naive(&semantics) else { continue };
        for (jobs, packing) in [(1, Packing::Never), (1, Packing::Always), (2, Packing::Auto)] {
            for outcome in searched(&semantics, &read.sources, jobs, packing) {
                let deadlock = outcome.property == Property::Deadlock;
                let own: HashSet<&Failure> = expected.iter().filter(|(what, _)| what.is_none() == deadlock).collect();
                let runs: Vec<&Chart> = outcome.witness.iter().chain(&outcome.details.others).collect();
                assert_eq!(outcome.verdict == Verdict::Violated, !own.is_empty(), "seed {seed} {jobs}\n{text}");
                assert_eq!(outcome.details.failures, own.len() as u64, "seed {seed} {jobs} {packing:?}\n{text}");
                assert_eq!(runs.len(), own.len().min(16), "seed {seed} {jobs}\n{text}");
                let found: HashSet<Failure> = runs.iter().map(|run| failure(&network, &semantics, run)).collect();
                assert_eq!(found.len(), runs.len(), "seed {seed} {jobs}: two runs to one failure\n{text}");
                assert!(found.iter().all(|one| own.contains(one)), "seed {seed} {jobs}\n{text}");
                several += usize::from(runs.len() > 1);
                many += usize::from(own.len() > 16);
            }
        }
    }
    assert!(several > 60 && many > 5, "{several} {many}");
}
