//! One verdict, however a model is searched: every combination of reduction, merging, symmetry, packing, threads, disk and
//! processes of a cluster. Where nothing can be reduced or exchanged, the search visits every state.
//!
//! Searches that leave out the same states also count the same states, in the same order or not. Seeds are printed with every
//! failure; `HIGHWATER_SEEDS=N` tries N models.

#![allow(clippy::print_stdout)]

use crate::agreement::states;
use crate::{Case, options};
use explore::disk::Disk;
use explore::reduction::Mode;
use explore::symmetry::Symmetry;
use explore::{Options, Order, Packing};
use model::budget::Budget;
use model::semantics::{Reading, Semantics};
use model::verdict::{Outcome, Reason, Verdict};
use std::path::{Path, PathBuf};
use testing::Random;
use testing::models::{alike, ends, loops, meetings};

const MOST_STATES: u64 = 3_000;

/// One of four kinds of models; `None` for the few that are rejected, as two `else` at one place are.
fn case(seed: u64) -> Option<Case> {
    let text = match seed % 4 {
        0 => ends::model(seed),
        1 => loops::model(seed, seed % 8 == 1),
        2 => alike::model(seed),
        _ => meetings::model(&mut Random::new(seed)),
    };
    let reading = [Reading::Declared, Reading::Declared, Reading::Drop, Reading::Unbounded][seed as usize / 4 % 4];
    let read = promela::read("model.pml", &text, &promela::preprocess::Options::default());
    Some(Case { name: format!("seed {seed}\n{text}"), network: read.network?, sources: read.sources, reading })
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("combinations");
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// The searches of one process, with what tells them apart; the first visits states in the usual way.
fn alone(reduction: Mode, symmetry: bool, place: &Path) -> Vec<(String, Options)> {
    let few = Options { alone: 5, long: 0, room: 500, reduction, symmetry, ..options() };
    let mut all = vec![(String::from("plainly"), Options { reduction, symmetry, ..options() })];
    all.push((String::from("depth-first"), Options { order: Order::Depth, packing: Packing::Always, ..few.clone() }));
    for jobs in [1, 2] {
        for packing in [Packing::Never, Packing::Always] {
            all.push((format!("{jobs} threads, {packing:?} packed"), Options { jobs, packing, ..few.clone() }));
        }
        for room in [None, Some(0)] {
            let disk = room.map_or(Disk::spill(place), |room| Disk::spill(place).room(room));
            let options = Options { jobs, disk: Some(disk), ..few.clone() };
            all.push((format!("{jobs} threads on disk, room {room:?}"), options));
        }
    }
    all
}

/// The verdicts, without the reasons of those that are open: a crash may be met by one search and not by another.
fn verdicts(outcomes: &[Outcome]) -> Vec<Option<bool>> {
    let verdict = |outcome: &Outcome| match &outcome.verdict {
        Verdict::Proved => Some(true),
        Verdict::Violated => Some(false),
        Verdict::Inconclusive(Reason::Crash(_)) => None,
        other => panic!("{}: {other:?}", outcome.property),
    };
    outcomes.iter().map(verdict).collect()
}

/// What searches count that leave out the same states.
fn counts(outcomes: &[Outcome]) -> Vec<Option<(u64, u64)>> {
    outcomes.iter().map(|o| o.stats.as_ref().map(|stats| (stats.states, stats.transitions))).collect()
}

/// Compares all combinations: how many states were left out, if the model is small enough; and whether it is violated.
fn compare(case: &Case, place: &Path) -> Option<([bool; 2], bool)> {
    let few = Budget::unlimited().states(MOST_STATES);
    let whole = case.alone(&Options { reduction: Mode::Off, ..options() }, &few);
    if states(&whole[0]) >= MOST_STATES {
        return None;
    }
    let semantics = Semantics::new(&case.network, case.reading);
    let alike = case.reading != Reading::Unbounded && Symmetry::new(&semantics).is_ok();
    let wanted = verdicts(&whole);
    let mut smaller = [false, false];
    for symmetry in [false, true].into_iter().filter(|symmetry| !symmetry || alike) {
        for reduction in [Mode::Off, Mode::Auto, Mode::Trimmed, Mode::On] {
            let all = alone(reduction, symmetry, place);
            let first = case.alone(&all[0].1, &few);
            smaller[usize::from(symmetry)] |= states(&first[0]) < states(&whole[0]);
            let told = |how: &str| format!("{reduction:?}, symmetry {symmetry}, {how}: {}", case.name);
            let same = |how: &str, found: &[Outcome]| {
                assert_eq!(wanted, verdicts(found), "{}", told(how));
                assert_eq!(first[0].details.unreached, found[0].details.unreached, "{}", told(how));
                assert_eq!(counts(&first), counts(found), "{}", told(how));
            };
            same("plainly", &first);
            for (how, options) in &all[1..] {
                same(how, &case.alone(options, &few));
            }
            let early = case.alone(&Options { keep_going: false, ..all[2].1.clone() }, &few);
            let violated = |all: &[Outcome]| all.iter().any(|outcome| outcome.verdict == Verdict::Violated);
            assert_eq!(violated(&whole), violated(&early), "{}", told("until the first violation"));
            for found in case.together(2, &all[2].1, &few) {
                same("two processes", &found);
            }
        }
    }
    Some((smaller, wanted.contains(&Some(false))))
}

#[test]
fn one_verdict_however_a_model_is_searched() {
    let (seeds, place) = (testing::seeds(48), folder());
    let (mut compared, mut reduced, mut exchanged, mut violated) = (0, 0, 0, 0);
    for seed in testing::first(0)..testing::first(0) + seeds {
        let Some(([less, alike], wrong)) = case(seed).and_then(|case| compare(&case, &place)) else { continue };
        compared += 1;
        reduced += u64::from(less);
        exchanged += u64::from(alike);
        violated += u64::from(wrong);
    }
    println!("{compared} models compared, {reduced} reduced, {exchanged} with symmetry, {violated} violated");
    assert!(compared * 2 > seeds && reduced * 4 > compared && exchanged * 20 > compared && violated > 0, "{compared}");
}
