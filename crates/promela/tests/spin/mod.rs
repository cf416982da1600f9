//! Random models from the whole grammar against SPIN itself, where SPIN and a C compiler are installed.
//!
//! A run tries the same 40 models each time, so that it is deterministic. The seed of a failure is printed with the smallest
//! model that still fails. `HIGHWATER_FIRST=SEED` begins there, `HIGHWATER_SPIN=N` tries N models, `HIGHWATER_PAIR=A+B` aims
//! them at a pair of features. `HIGHWATER_LOG=FILE` keeps seeds and pairs of features, and goes on after the last seed of the
//! file; it aims at pairs that the file does not have.
//!
//! `cover.tsv` has seeds and pairs whose models together reach every pair of features that there is. When the generator has
//! changed, it is made of a new log without open pairs: `awk -F'\t' '$4 { print $1 "\t" $2 }' FILE`.

#![allow(clippy::print_stdout)]

mod aim;
mod generate;
mod impossible;
mod infinite;
mod judge;
mod pairs;
mod random;
mod shrink;
mod tree;

use judge::Outcome;
use pairs::{Pair, Table};
use random::Random;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tree::Node;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|s| s.parse().ok())
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("highwater-spin-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for SPIN");
    folder
}

/// The models of a campaign.
enum Models {
    /// Those of some seeds, of which each may be aimed at one pair.
    Seeds { first: u64, count: u64, pair: Option<Pair> },
    /// Those of a list.
    Listed(Vec<(u64, Option<Pair>)>),
}

/// What all threads of a campaign share.
struct Campaign {
    table: Mutex<Table>,
    models: Models,
    next: AtomicU64,
    failures: Mutex<Vec<String>>,
    compared: AtomicU64,
    infinite: AtomicU64,
    excused: AtomicU64,
    show: bool,
}

impl Campaign {
    /// Compares all models; the table with the pairs that were reached.
    fn run(table: Table, models: Models) -> Table {
        let count = match &models {
            Models::Seeds { count, .. } => *count,
            Models::Listed(list) => list.len() as u64,
        };
        let campaign = Campaign {
            table: Mutex::new(table),
            models,
            next: AtomicU64::new(0),
            failures: Mutex::default(),
            compared: AtomicU64::new(0),
            infinite: AtomicU64::new(0),
            excused: AtomicU64::new(0),
            show: number("HIGHWATER_SHOW").is_some(),
        };
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| campaign.work(count));
            }
        });
        let (compared, infinite) = (campaign.compared.into_inner(), campaign.infinite.into_inner());
        let excused = campaign.excused.into_inner();
        println!("{compared} of {count} models compared, {infinite} of them for infinite runs");
        println!("{excused} have the verdicts of SPIN, whose own searches count different states");
        let table = campaign.table.into_inner().expect("no panic");
        table.print();
        let failures = campaign.failures.into_inner().expect("no panic");
        assert!(failures.is_empty(), "{} models differ from SPIN:\n{}", failures.len(), failures.join("\n"));
        assert!(excused * 100 <= count.max(200), "SPIN's searches differ for {excused} of {count} models");
        assert!(compared * 2 >= count, "SPIN finished only {compared} of {count} models");
        table
    }

    fn work(&self, count: u64) {
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        let folder = folder(&FOLDERS.fetch_add(1, Ordering::Relaxed).to_string());
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            let (seed, wanted) = match &self.models {
                Models::Seeds { first, pair, .. } => (first + index, pair.or_else(|| self.open(first + index))),
                Models::Listed(list) => list[index as usize],
            };
            self.one(seed, wanted, &folder);
        }
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// With a log, for two models of three, a pair that it does not have. Then a model depends on those before it; otherwise
    /// it depends on its seed alone.
    fn open(&self, seed: u64) -> Option<Pair> {
        if std::env::var_os("HIGHWATER_LOG").is_none() || seed.is_multiple_of(3) {
            return None;
        }
        let holes = self.table.lock().expect("no panic before").holes();
        (!holes.is_empty()).then(|| *Random::new(!seed).pick(&holes))
    }

    fn one(&self, seed: u64, wanted: Option<Pair>, folder: &Path) {
        let model = aim::model(seed, wanted);
        let printed = tree::print(&model);
        let outcome = judge::compare(folder, &printed.text);
        let mut groups = Vec::new();
        let word = match &outcome {
            Outcome::Agree(spin) => {
                self.compared.fetch_add(1, Ordering::Relaxed);
                groups = tree::groups(&printed.occurrences, &spin.unreached);
                self.infinite(seed, &model, &printed.text, folder, spin.fatal);
                format!("agree {}", spin.states)
            }
            Outcome::Refused(why) => format!("refused {why}"),
            Outcome::Large => "large".to_owned(),
            Outcome::Unfinished(why) => format!("unfinished {why}"),
            Outcome::Excused(why) => {
                self.excused.fetch_add(1, Ordering::Relaxed);
                println!("seed {seed}: {why}");
                format!("excused {why}")
            }
            Outcome::Differ(judge::Difference { how: why, .. }) => {
                let text = self.smallest(&model, folder);
                let failure = format!("seed {seed} for {}: {why}\n{text}", pairs::name(wanted));
                println!("{failure}");
                self.failures.lock().expect("no panic before").push(failure);
                format!("differ {why}")
            }
        };
        if self.show {
            println!("== {seed} {word}");
            if matches!(outcome, Outcome::Refused(_) | Outcome::Unfinished(_)) {
                println!("{}", printed.text);
            }
        }
        self.table.lock().expect("no panic before").record(seed, wanted, &word.replace(['\t', '\n'], " "), &groups);
    }

    /// For a sample: the same infinite runs.
    fn infinite(&self, seed: u64, model: &[Node], text: &str, folder: &Path, fatal: bool) {
        if fatal || !matches!(seed % 4, 0) {
            return;
        }
        let answers = |model: &[Node], text: &str| {
            let (question, text) = infinite::question(seed / 4, model, text)?;
            infinite::compare(folder, question, &text).map(|answers| (question, answers, text))
        };
        let Some((question, (ours, theirs), _)) = answers(model, text) else { return };
        self.infinite.fetch_add(1, Ordering::Relaxed);
        if ours == theirs {
            return;
        }
        let differs = |model: &[Node]| {
            answers(model, &tree::print(model).text)
                .is_some_and(|(now, (a, b), _)| now == question && a == ours && b == theirs)
        };
        let small = shrink::shrink(model, differs);
        let text = answers(&small, &tree::print(&small).text).map_or_else(String::new, |(_, _, text)| text);
        let failure = format!("seed {seed}: {question:?} is violated here: {ours}, for SPIN: {theirs}\n{text}");
        println!("{failure}");
        self.failures.lock().expect("no panic before").push(failure);
    }

    fn smallest(&self, model: &[Node], folder: &Path) -> String {
        let fails = |model: &[Node]| matches!(judge::compare(folder, &tree::print(model).text), Outcome::Differ(..));
        tree::print(&shrink::shrink(model, fails)).text
    }
}

fn has_judges() -> bool {
    let there = judge::installed("spin", "-V") && judge::installed("cc", "--version");
    if !there {
        println!("skipped: SPIN or a C compiler is not installed");
    }
    there
}

#[test]
fn random_models_have_the_states_and_errors_that_spin_finds() {
    if has_judges() {
        let table = Table::load(std::env::var_os("HIGHWATER_LOG").map(PathBuf::from));
        let first = number("HIGHWATER_FIRST").or(table.next).unwrap_or(1);
        let count = number("HIGHWATER_SPIN").unwrap_or(40);
        let pair = std::env::var("HIGHWATER_PAIR").ok();
        let pair = pair.map(|text| pairs::pair(&text).expect("two features of the table"));
        println!("seeds from {first}");
        Campaign::run(table, Models::Seeds { first, count, pair });
    }
}

/// Several hundred models: only where `HIGHWATER_SPIN` is set.
#[test]
fn every_pair_of_features_is_reached_in_a_model_that_spin_agrees_about() {
    if testing::judge::asked_for_spin().is_some() && has_judges() {
        let lines = include_str!("cover.tsv").lines().map(|line| {
            let (seed, pair) = line.split_once('\t').expect("a seed and a pair");
            (seed.parse().expect("a seed"), pairs::pair(pair))
        });
        let table = Campaign::run(Table::default(), Models::Listed(lines.collect()));
        assert_eq!(table.holes(), [], "these pairs are not reached");
    }
}
