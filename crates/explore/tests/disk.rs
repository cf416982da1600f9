//! The search on disk against the search in memory: every combination of threads, memory, checkpoints and interruptions
//! gives one verdict and equal counts; what is damaged or foreign is refused.
//!
//! Seeds are printed with every failure; `HIGHWATER_SEEDS=N` tries N models.

use explore::disk::{Disk, Identity, Refused};
use explore::{Options, Packing};
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Outcome, Property, Reason, Verdict};
use std::fs;
use std::path::{Path, PathBuf};

const MOST_STATES: u64 = 20_000;

struct Case {
    name: String,
    network: Network,
    sources: SourceMap,
    reading: Reading,
    reduction: explore::reduction::Mode,
}

impl Case {
    fn new(name: &str, text: &str) -> Case {
        let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
        let network = read.network.unwrap_or_else(|| panic!("{name}: {:?}\n{text}", read.diagnostics));
        let reduction = explore::reduction::Mode::Off;
        Case { name: format!("{name}\n{text}"), network, sources: read.sources, reading: Reading::Declared, reduction }
    }

    fn options(&self) -> Options {
        let properties = vec![Property::Safety, Property::Deadlock];
        Options { keep_going: true, properties, reduction: self.reduction, ..Options::default() }
    }

    /// Each search has a semantics of its own, as each process has.
    fn search(&self, options: &Options, budget: &Budget) -> Vec<Outcome> {
        let semantics = Semantics::new(&self.network, self.reading);
        explore::check(&semantics, &self.sources, options, &Context::silent(budget))
    }

    fn on(&self, disk: Disk, jobs: usize, budget: &Budget) -> Vec<Outcome> {
        self.search(&Options { disk: Some(disk), jobs, alone: 0, ..self.options() }, budget)
    }

    fn identity(&self) -> Identity {
        vec![(String::from("model"), self.name.clone())]
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("disk").join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn states(outcome: &Outcome) -> u64 {
    outcome.stats.as_ref().map_or(0, |stats| stats.states)
}

/// The number of steps of a run, if it has no atomic sequence: those count as one step of the search.
fn length(outcome: &Outcome) -> Option<usize> {
    let witness = outcome.witness.as_ref()?;
    (!witness.steps.iter().any(|step| step.atomic)).then_some(witness.steps.len())
}

/// Both searched everything, and say the same.
fn agree(name: &str, one: &[Outcome], other: &[Outcome]) {
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(other) {
        let property = &one.property;
        assert_eq!(one.verdict, other.verdict, "{name}: {property}");
        assert_eq!(one.certificate, other.certificate, "{name}: {property}");
        assert_eq!(one.details.unreached, other.details.unreached, "{name}: {property}");
        let counted =
            |o: &Outcome| o.stats.as_ref().map(|s| (s.states, s.transitions, s.depth, s.violations, s.state_bytes));
        assert_eq!(counted(one), counted(other), "{name}: {property}");
        if let (Some(one), Some(other)) = (length(one), length(other)) {
            assert_eq!(one, other, "{name}: {property}: runs of different lengths");
        }
    }
}

/// Compares all combinations; whether the model was small enough.
fn compare(case: &Case, place: &Path) -> bool {
    let name = &case.name;
    let few = Budget::unlimited().states(MOST_STATES);
    let whole = case.search(&Options { packing: Packing::Never, ..case.options() }, &few);
    if states(&whole[0]) >= MOST_STATES {
        return false;
    }
    for (jobs, room) in [(1, None), (3, None), (1, Some(256 * 200)), (2, Some(0))] {
        let disk = room.map_or(Disk::spill(place), |room| Disk::spill(place).room(room));
        agree(&format!("{name}, {jobs} threads, room {room:?}"), &whole, &case.on(disk.clone(), jobs, &few));
        let options = Options { disk: Some(disk), jobs, alone: 0, keep_going: false, ..case.options() };
        stops_early(name, &whole, &case.search(&options, &few));
    }
    interrupted(case, &whole, place);
    true
}

/// A search that stops at the first violation finds one exactly if there is one, and it is a shortest one.
fn stops_early(name: &str, all: &[Outcome], early: &[Outcome]) {
    let violated = |outcomes: &[Outcome]| outcomes.iter().any(|o| o.verdict == Verdict::Violated);
    assert_eq!(violated(all), violated(early), "{name}");
    for (one, other) in all.iter().zip(early).filter(|(_, early)| early.verdict == Verdict::Violated) {
        assert_eq!(one.verdict, Verdict::Violated, "{name}");
        if let (Some(one), Some(other)) = (length(one), length(other)) {
            assert_eq!(one, other, "{name}: not shortest");
        }
    }
}

/// Interrupted at several depths, each time with other threads and another room.
fn interrupted(case: &Case, whole: &[Outcome], place: &Path) {
    let (at, spill) = (place.join("checkpoint"), place.join("elsewhere"));
    let depth = whole[0].stats.as_ref().map_or(0, |stats| stats.depth);
    for (round, spill) in [None, Some(spill.as_path())].into_iter().enumerate() {
        let _ = fs::remove_dir_all(&at);
        let disk = Disk::checkpoint(&at, spill, case.identity()).expect("a new one").room(round as u64 * 10_000);
        let first = case.on(disk, 1 + round, &Budget::unlimited().depth(depth / 4));
        assert!(first.iter().all(|o| o.certificate.is_none()), "{}", case.name);
        assert!(matches!(Disk::checkpoint(&at, None, case.identity()), Err(Refused::Exists(_))));
        for (jobs, most) in [(2, depth / 2), (1, depth * 3 / 4), (3, u64::MAX), (1, u64::MAX)] {
            let disk = Disk::resume(&at, case.identity()).unwrap_or_else(|why| panic!("{why}: {}", case.name));
            let found = case.on(disk, jobs, &Budget::unlimited().depth(most));
            match most {
                u64::MAX => agree(&format!("{}, resumed", case.name), whole, &found),
                _ => {
                    let stopped = |o: &Outcome| o.certificate.is_none() && o.verdict != Verdict::Proved;
                    assert!(found.iter().all(stopped), "{}: {most} of {depth}", case.name);
                }
            }
        }
        let other = vec![(String::from("model"), String::from("another"))];
        assert!(matches!(Disk::resume(&at, other), Err(Refused::Foreign(..))));
    }
}

#[test]
fn every_combination_of_disk_threads_and_interruptions_agrees_on_random_models() {
    let seeds = testing::seeds(24);
    let (first, mut compared) = (testing::first(0), 0);
    let place = folder("random");
    for seed in first..first + seeds {
        let mut case = Case::new(&format!("seed {seed}"), &testing::models::ends::model(seed));
        case.reading = [Reading::Declared, Reading::Declared, Reading::Drop, Reading::Unbounded][seed as usize % 4];
        if seed % 5 > 2 {
            case.reduction = explore::reduction::Mode::On;
        }
        compared += u64::from(compare(&case, &place));
    }
    assert!(compared * 2 > seeds, "{compared} of {seeds}");
}

/// Layers of many blocks: processes that count.
const COUNTERS: &str = "byte x, y, z;
    proctype P(byte n) { byte i; do :: i < n -> i++; x = (x + i) % 7 :: else -> break od }
    active proctype A() { do :: y < 8 -> y++ :: y > 5 -> y = y - 2; z = y % 5 :: y == 8 -> break od; run P(2) }
    active proctype B() { run P(3); byte j; do :: j < 5 -> j++ :: else -> break od; assert(x != 6 || z != 2) }";

#[test]
fn layers_of_many_blocks_agree() {
    let case = Case::new("counters", COUNTERS);
    let plain = case.search(&case.options(), &Budget::unlimited());
    assert!(states(&plain[0]) > 15_000, "{}", states(&plain[0]));
    let place = folder("counters");
    for (jobs, room) in [(1, 1 << 20), (2, 1 << 20), (2, 1 << 18), (1, 1 << 16)] {
        agree("counters", &plain, &case.on(Disk::spill(&place).room(room), jobs, &Budget::unlimited()));
    }
    assert_eq!(fs::read_dir(&place).map(Iterator::count).unwrap_or(0), 0, "nothing is left behind");
    interrupted(&case, &plain, &place);
}

#[test]
fn a_damaged_file_is_refused_wherever_it_is_damaged() {
    let case = Case::new("counters", COUNTERS);
    let at = folder("damaged");
    let disk = Disk::checkpoint(&at, None, case.identity()).expect("a new one");
    case.on(disk, 1, &Budget::unlimited().depth(25));
    let resume = || Disk::resume(&at, case.identity());
    assert!(resume().is_ok());
    let mut files = 0;
    for entry in fs::read_dir(&at).expect("files").flatten() {
        let whole = fs::read(entry.path()).expect("a file");
        if entry.file_name() == "overflow" {
            continue;
        }
        files += 1;
        for at in (0..whole.len()).step_by((whole.len() / 20).max(1)) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(entry.path(), damaged).expect("a damaged file");
            let why = resume().expect_err("damaged");
            assert!(matches!(why, Refused::Damaged(..) | Refused::Unreadable(..)), "{why}: {:?}", entry.path());
        }
        fs::write(entry.path(), &whole[..whole.len() - 1]).expect("a short file");
        assert!(resume().is_err(), "{:?}", entry.path());
        fs::remove_file(entry.path()).expect("removed");
        assert!(resume().is_err(), "{:?}", entry.path());
        fs::write(entry.path(), whole).expect("as it was");
    }
    assert!(files >= 3, "{files}");
    assert!(resume().is_ok());
}

#[test]
fn a_folder_that_cannot_be_made_is_inconclusive() {
    let case = Case::new("counters", COUNTERS);
    let file = folder("file");
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::write(&file, "").expect("written");
    let found = case.on(Disk::spill(&file), 1, &Budget::unlimited());
    assert!(
        found.iter().all(|o| matches!(o.verdict, Verdict::Inconclusive(Reason::Disk(_)))),
        "{:?}",
        found[0].verdict
    );
}
