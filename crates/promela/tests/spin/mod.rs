//! Random models from the whole grammar against SPIN itself, where SPIN and a C compiler are installed.
//!
//! A run tries the same 40 models each time, so that it is deterministic. The seed of a failure is printed with the smallest model that still fails. `HIGHWATER_FIRST=SEED` begins there,
//! `HIGHWATER_SPIN=N` tries N models, `HIGHWATER_PAIR=A+B` aims them at a pair of features. `HIGHWATER_LOG=FILE` keeps seeds and pairs of features, and goes on after the last seed of the file.

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

/// What all threads of a campaign share.
struct Campaign {
    table: Mutex<Table>,
    next: AtomicU64,
    end: u64,
    failures: Mutex<Vec<String>>,
    compared: AtomicU64,
    infinite: AtomicU64,
    pair: Option<Pair>,
    show: bool,
}

impl Campaign {
    fn work(&self, thread: u64) {
        let folder = folder(&thread.to_string());
        loop {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            if seed >= self.end {
                break;
            }
            self.one(seed, &folder);
        }
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// A pair to aim at: `HIGHWATER_PAIR`, or with a log, for two models of three, one that it does not have. Then a model
    /// depends on those before it; otherwise it depends on its seed alone.
    fn wanted(&self, seed: u64) -> Option<Pair> {
        if self.pair.is_some() || std::env::var_os("HIGHWATER_LOG").is_none() || seed.is_multiple_of(3) {
            return self.pair;
        }
        let holes = self.table.lock().expect("no panic before").holes();
        (!holes.is_empty()).then(|| *Random::new(!seed).pick(&holes))
    }

    fn one(&self, seed: u64, folder: &Path) {
        let wanted = self.wanted(seed);
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
            Outcome::Differ(why) => {
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
        let fails = |model: &[Node]| matches!(judge::compare(folder, &tree::print(model).text), Outcome::Differ(_));
        tree::print(&shrink::shrink(model, fails)).text
    }
}

#[test]
fn random_models_have_the_states_and_errors_that_spin_finds() {
    if !judge::installed("spin", "-V") || !judge::installed("cc", "--version") {
        println!("skipped: SPIN or a C compiler is not installed");
        return;
    }
    let table = Table::load(std::env::var_os("HIGHWATER_LOG").map(PathBuf::from));
    let first = number("HIGHWATER_FIRST").or(table.next).unwrap_or(1);
    let count = number("HIGHWATER_SPIN").unwrap_or(40);
    let campaign = Campaign {
        table: Mutex::new(table),
        next: AtomicU64::new(first),
        end: first + count,
        failures: Mutex::default(),
        compared: AtomicU64::new(0),
        infinite: AtomicU64::new(0),
        pair: std::env::var("HIGHWATER_PAIR").ok().map(|text| pairs::pair(&text).expect("two features of the table")),
        show: number("HIGHWATER_SHOW").is_some(),
    };
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let campaign = &campaign;
            scope.spawn(move || campaign.work(thread));
        }
    });
    let compared = campaign.compared.load(Ordering::Relaxed);
    let infinite = campaign.infinite.load(Ordering::Relaxed);
    println!("seeds from {first}: {compared} of {count} models compared, {infinite} of them for infinite runs");
    campaign.table.lock().expect("no panic").print();
    let failures = campaign.failures.lock().expect("no panic");
    assert!(failures.is_empty(), "{} models differ from SPIN:\n{}", failures.len(), failures.join("\n"));
    assert!(compared * 2 >= count, "SPIN finished only {compared} of {count} models");
}
