//! Searches by several processes that are interrupted, and go on from their checkpoints: they end as if nothing had happened.
//!
//! Seeds are printed with every failure; `HIGHWATER_SEEDS=N` tries N models.

use crate::agreement::{agree, states};
use crate::{Case, options};
use cluster::Refused;
use explore::disk::Checkpoint;
use explore::{Options, Packing};
use model::budget::Budget;
use model::random::Random;
use model::semantics::Reading;
use model::verdict::{Outcome, Reason, Verdict};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testing::models::{ends, loops};

const MOST_STATES: u64 = 5_000;

/// A folder that is not there.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cluster").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Whether the limit left something open; what is violated before it is known.
fn stopped(found: &[Outcome]) -> bool {
    found.iter().any(|outcome| matches!(outcome.verdict, Verdict::Inconclusive(Reason::States | Reason::Depth)))
}

/// Cuts some bytes off the journal of a process, as if it had been interrupted while it wrote.
fn tear(folder: &Path, process: usize, random: &mut Random) {
    let path = folder.join(format!("process-{process}"));
    let bytes = fs::read(&path).unwrap();
    // The first frame is written before the search.
    let first = 12 + u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    let end = first + random.below(bytes.len() - first + 1);
    fs::write(path, &bytes[..end]).unwrap();
}

/// Whether the model was large enough to be interrupted.
fn interrupted(case: &Case, seed: u64) -> bool {
    let (mut random, few) = (Random::new(seed), Budget::unlimited().states(MOST_STATES));
    let alone = case.alone(&options(), &few);
    let depth = alone[0].stats.as_ref().map_or(0, |stats| stats.depth);
    if states(&alone[0]) >= MOST_STATES || depth < 3 {
        return false;
    }
    let count = 2 + seed as usize % 2;
    let packing = [Packing::Auto, Packing::Always][seed as usize / 3 % 2];
    let options = Options { packing, alone: 10, long: 0, room: 500, ..options() };
    let folder = fresh(&format!("seed-{seed}"));
    let mut checkpoint = Checkpoint::New(folder.clone());
    for _ in 0..3 {
        let limit = Budget::unlimited().depth(1 + random.below(depth as usize) as u64);
        for end in case.each(&vec![limit.clone(); count], &options, Some(&checkpoint)) {
            assert!(end.is_ok(), "{}: {end:?}", case.name);
        }
        // Each is torn at another place, or not at all.
        for process in 0..count {
            if random.below(2) == 0 {
                tear(&folder, process, &mut random);
            }
        }
        checkpoint = Checkpoint::Resume(folder.clone());
    }
    for end in case.each(&vec![few; count], &options, Some(&checkpoint)) {
        let found = end.unwrap_or_else(|why| panic!("{}: {why}", case.name));
        agree(&format!("resumed: {}", case.name), &alone, &found);
    }
    let _ = fs::remove_dir_all(&folder);
    true
}

#[test]
fn an_interrupted_search_ends_as_one_that_was_not() {
    let seeds = testing::seeds(40);
    let mut compared = 0;
    for seed in testing::first(0)..testing::first(0) + seeds {
        let text = if seed % 2 == 0 { ends::model(seed) } else { loops::model(seed, seed % 4 == 1) };
        let reading = [Reading::Declared, Reading::Drop, Reading::Unbounded][seed as usize / 2 % 3];
        compared += u64::from(interrupted(&Case::new(&format!("seed {seed}"), &text, reading), seed));
    }
    assert!(compared * 3 > seeds, "many models must be interrupted: {compared} of {seeds}");
}

fn counters() -> Case {
    let text =
        "byte x, y; active proctype P() { do :: x < 20 -> x++ od } active proctype Q() { do :: y < 20 -> y++ od }";
    Case::new("counters", text, Reading::Declared)
}

#[test]
fn what_does_not_belong_to_a_search_is_refused() {
    let (case, folder, few) = (counters(), fresh("refused"), Budget::unlimited().depth(9));
    let two = [few.clone(), few];
    let run = |case: &Case, checkpoint: Checkpoint, count: usize| -> Vec<Refused> {
        let ends =
            case.each(&two.iter().cycle().take(count).cloned().collect::<Vec<_>>(), &options(), Some(&checkpoint));
        ends.into_iter().filter_map(Result::err).collect()
    };
    let (new, resume) = (Checkpoint::New(folder.clone()), Checkpoint::Resume(folder.clone()));
    assert!(run(&case, new.clone(), 2).is_empty());
    let said = |refused: Vec<Refused>, count: usize, what: &str| {
        assert_eq!(refused.len(), count, "{refused:?}");
        assert!(refused.iter().all(|why| why.to_string().contains(what)), "{refused:?}: {what}");
    };
    said(run(&case, new, 2), 2, "has a checkpoint already");
    let other = Case { name: String::from("another model"), ..counters() };
    said(run(&other, resume.clone(), 2), 2, "its model is");
    said(run(&case, resume.clone(), 3), 3, "");
    assert!(run(&case, resume.clone(), 2).is_empty());
    let path = folder.join("process-1");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    // The other process waits for it.
    let limit = Budget::unlimited().timeout(Duration::from_secs(2));
    let ends = case.each(&[limit.clone(), limit], &options(), Some(&resume));
    said(ends.into_iter().filter_map(Result::err).collect(), 1, "damaged");
}

/// The journal of one process is from a search that went on without the other: their layers do not fit together.
#[test]
fn layers_of_different_starts_do_not_count() {
    let (case, folder) = (counters(), fresh("epochs"));
    let alone = case.alone(&options(), &Budget::unlimited());
    let run = |depth: u64, checkpoint: &Checkpoint| {
        let budget = Budget::unlimited().depth(depth);
        for end in case.each(&[budget.clone(), budget], &options(), Some(checkpoint)) {
            assert!(end.is_ok_and(|found| stopped(&found)));
        }
    };
    run(12, &Checkpoint::New(folder.clone()));
    let resume = Checkpoint::Resume(folder.clone());
    let (journal, old) = (folder.join("process-1"), fs::read(folder.join("process-1")).unwrap());
    fs::write(&journal, &old[..old.len() / 2]).unwrap();
    run(20, &resume);
    // As if this process had been lost before it cut its journal.
    fs::write(&journal, old).unwrap();
    for end in case.each(&vec![Budget::unlimited(); 2], &options(), Some(&resume)) {
        agree("epochs", &alone, &end.unwrap_or_else(|why| panic!("{why}")));
    }
}
