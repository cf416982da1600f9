//! Infinite runs on disk against the search of one thread in memory: formulas, assumptions, `never` claims, acceptance and
//! livelock, with and without fairness; with room for the graph and without, in one thread and in several, whole and
//! interrupted.
//!
//! `HIGHWATER_SEEDS=N` tries N models, `HIGHWATER_FIRST=S` starts at a seed.

use crate::ltl_models::{self, Style};
use explore::Options;
use explore::disk::{Disk, Identity, Refused};
use explore::liveness::Setting;
use explore::progress::ProgressOf;
use explore::reduction::Mode;
use model::budget::Budget;
use model::context::Context;
use model::fairness::Fairness;
use model::network::{MachineKind, Network};
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::verdict::{Certificate, Outcome, Property, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MOST_STATES: u64 = 3_000;

struct Case {
    name: String,
    network: Network,
    sources: SourceMap,
    reading: Reading,
    fair: Fairness,
}

impl Case {
    fn new(seed: u64, text: &str) -> Option<Case> {
        let read = promela::read("random.pml", text, &promela::preprocess::Options::default());
        let reading = [Reading::Declared, Reading::Declared, Reading::Drop][seed as usize % 3];
        let fair = [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::None][seed as usize / 3 % 4];
        let name = format!("seed {seed}, {reading:?}, {fair:?}\n{text}");
        Some(Case { name, network: read.network?, sources: read.sources, reading, fair })
    }

    fn properties(&self) -> Vec<Property> {
        let mut properties: Vec<Property> =
            self.network.formulas.iter().map(model::network::Formula::property).collect();
        let claims = self.network.claims.iter().filter(|claim| claim.kind == MachineKind::Never);
        properties.extend(claims.map(|claim| Property::Never(claim.name.clone())));
        properties.extend([Property::Acceptance, Property::Livelock]);
        properties
    }

    /// Each search has a semantics of its own, as each process has.
    fn search(&self, property: &Property, options: &Options, budget: &Budget) -> Outcome {
        let semantics = &Semantics::new(&self.network, self.reading);
        let (sources, fair, cx) = (&self.sources, self.fair, Context::silent(budget));
        let setting = Setting { semantics, sources, fair, options, cx };
        match property {
            Property::Ltl(name) => {
                let formula = self.network.formulas.iter().find(|formula| formula.name == *name).unwrap();
                setting.formula(property, &formula.formula)
            }
            Property::Never(_) => setting.never(&self.network.claims[0]),
            Property::Acceptance => setting.acceptance(),
            _ => setting.livelock(&ProgressOf::Labels),
        }
    }

    fn identity(&self) -> Identity {
        vec![(String::from("model"), self.name.clone())]
    }

    /// A proof is accepted, and is the same where every state was visited.
    fn agrees(&self, how: &str, expected: &Outcome, found: &Outcome, whole: bool) {
        let name = format!("{} {how}\n{}", found.property, self.name);
        assert_eq!(expected.verdict, found.verdict, "{name}");
        assert_eq!(expected.witness.is_some(), found.witness.is_some(), "{name}");
        if whole {
            assert_eq!(expected.certificate, found.certificate, "{name}");
        }
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("infinite_disk").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Compares all combinations; the verdict, if the model is small enough.
fn compare(case: &Case, property: &Property, seed: u64, place: &Path) -> Option<Outcome> {
    let few = Budget::unlimited().states(MOST_STATES);
    if matches!(case.search(property, &Options::default(), &few).verdict, Verdict::Inconclusive(_)) {
        return None;
    }
    // Whether a formula holds vacuously may take more states.
    let unlimited = Budget::unlimited();
    let plain = case.search(property, &Options::default(), &unlimited);
    // What follows without fairness is proved by the first search of two.
    let whole = !matches!(plain.certificate, Some(Certificate::Searched { .. }));
    for (jobs, room, mode) in [
        (1, None, Mode::Off),
        (1, Some(0), Mode::Off),
        (3, Some(0), Mode::Off),
        (2, Some(20_000), Mode::Off),
        (2, Some(0), Mode::On),
    ] {
        let disk = room.map_or(Disk::spill(place), |room| Disk::spill(place).room(room));
        let options = Options { disk: Some(disk), jobs, alone: (seed % 7) as usize, ..Options::reducing(mode) };
        let found = case.search(property, &options, &unlimited);
        case.agrees(&format!("{jobs} threads, room {room:?}, {mode:?}"), &plain, &found, whole && mode == Mode::Off);
    }
    interrupted(case, property, &plain, place, whole);
    Some(plain)
}

/// Interrupted at several depths, each time with other threads and another room.
fn interrupted(case: &Case, property: &Property, plain: &Outcome, place: &Path, whole: bool) {
    let at = place.join("checkpoint");
    let _ = std::fs::remove_dir_all(&at);
    let mut disk = Disk::checkpoint(&at, None, case.identity()).expect("a new one");
    for (jobs, room, most) in [(1, 0, 3), (2, 9_000, 6), (1, 0, 9), (2, 0, u64::MAX), (1, 1 << 30, u64::MAX)] {
        let options = Options { disk: Some(disk.room(room)), jobs, alone: 0, ..Options::default() };
        let found = case.search(property, &options, &Budget::unlimited().depth(most));
        if most == u64::MAX || found.verdict == Verdict::Violated {
            case.agrees(&format!("resumed to depth {most}"), plain, &found, whole);
        }
        disk = Disk::resume(&at, case.identity()).unwrap_or_else(|why| panic!("{why}: {}", case.name));
    }
}

#[test]
fn infinite_runs_on_disk_agree_with_those_in_memory_on_random_models() {
    let (first, seeds) = (testing::first(0), testing::seeds(60));
    let (style, place) = (Style { own: true }, folder("random"));
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for seed in first..first + seeds {
        let formula = if seed % 2 == 0 { ltl_models::formula(seed, style) } else { ltl_models::assuming(seed, style) };
        let claim = if seed % 3 == 0 { ltl_models::never(seed, style) } else { String::new() };
        let text = format!("{}ltl f {{ {formula} }}\n{claim}", ltl_models::model(seed, style));
        let Some(case) = Case::new(seed, &text) else { continue };
        for property in case.properties() {
            if let Some(Outcome { verdict, .. }) = compare(&case, &property, seed, &place) {
                let property = property.to_string();
                let kind = property.split(':').next().unwrap_or_default();
                *counts.entry(format!("{} {kind}", verdict.name())).or_default() += 1;
            }
        }
    }
    for (verdict, most) in [("proved ltl", 12), ("violated ltl", 12), ("violated never", 30), ("proved livelock", 12)] {
        let count = counts.get(verdict).copied().unwrap_or(0);
        assert!(count * most > seeds, "{verdict}: {counts:?}");
    }
}

#[test]
fn a_damaged_file_of_edges_is_refused() {
    let text = "bit a, b, c; active proctype P() { do :: a = !a; b = !b od } active proctype Q() { do :: c = !c od }
                ltl f { []<> (!a || b) }";
    let case = Case { fair: Fairness::Weak, ..Case::new(0, text).expect("a model") };
    let at = folder("damaged");
    let disk = Disk::checkpoint(&at, None, case.identity()).expect("a new one");
    let options = Options { disk: Some(disk), ..Options::default() };
    case.search(&Property::Ltl(String::from("f")), &options, &Budget::unlimited());
    let resume = || Disk::resume(&at, case.identity());
    assert!(resume().is_ok());
    let whole = std::fs::read(at.join("edges")).expect("a file");
    assert!(whole.len() > 40, "{}", whole.len());
    for place in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        std::fs::write(at.join("edges"), damaged).expect("a damaged file");
        assert!(matches!(resume(), Err(Refused::Damaged(..) | Refused::Unreadable(..))), "{place}");
    }
    std::fs::write(at.join("edges"), &whole[..whole.len() - 1]).expect("a short file");
    assert!(resume().is_err());
}
