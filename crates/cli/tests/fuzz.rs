//! A seeded mutation fuzzer: no mutant of a model makes the tool panic, hang or outgrow its memory.
//!
//! Models are the project's examples and, where they are on the machine, the public ones. A mutant
//! has tokens and lines removed, doubled, swapped or replaced. It is read, and if it can be read it
//! is searched for a moment, under limits. `HIGHWATER_FUZZ=N` tries N mutants.

use testing::models::ends;

use explore::{Options, Order};
use model::budget::Budget;
use model::context::Context;
use model::semantics::{Reading, Semantics};
use model::verdict::Property;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testing::Random;

/// A mutant that takes longer than this hangs; the limits it is given are far below.
const HANG: Duration = Duration::from_secs(60);

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    let mut folders = vec![root.join("examples"), root.join("../shared/models/promela")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if ["pml", "pm", "prm", "pr", "promela"].contains(&extension.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Cuts a text into words, blanks and marks.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut previous = None;
    for (index, c) in text.char_indices() {
        if previous.is_some_and(|p| p != kind(c) || p == 2) {
            pieces.push(&text[start..index]);
            start = index;
        }
        previous = Some(kind(c));
    }
    pieces.push(&text[start..]);
    pieces
}

const WORDS: &[&str] = &[
    "do",
    "od",
    "if",
    "fi",
    "::",
    "->",
    ";",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "atomic",
    "d_step",
    "unless",
    "goto",
    "break",
    "run",
    "chan",
    "byte",
    "int",
    "mtype",
    "typedef",
    "inline",
    "else",
    "timeout",
    "!",
    "?",
    "!!",
    "??",
    "<",
    ">",
    "@",
    ":",
    ".",
    "..",
    ",",
    "=",
    "==",
    "++",
    "--",
    "0",
    "1",
    "255",
    "-1",
    "2147483647",
    "99999999999",
    "#define",
    "#if",
    "#endif",
    "\n#include \"x\"\n",
    "\"",
    "'",
    "/*",
    "*/",
    "\\",
    "\0",
    "é",
    "init",
    "active",
    "proctype",
    "never",
    "ltl",
    "trace",
    "provided",
    "priority",
    "eval",
    "len",
    "full",
    "enabled",
    "_pid",
    "_last",
    "_",
    "skip",
    "for",
    "select",
    "in",
    "of",
    "unsigned",
    "hidden",
    "d_step {",
    "atomic {",
    "} unless {",
    "assert(",
    "printf(\"",
    "x",
    "%",
    "/ 0",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut pieces: Vec<&str> = pieces(text);
    for _ in 0..1 + random.below(8) {
        if pieces.is_empty() {
            break;
        }
        let at = random.below(pieces.len() as u64) as usize;
        let other = random.below(pieces.len() as u64) as usize;
        match random.below(6) {
            0 => {
                pieces.remove(at);
            }
            1 => pieces.insert(at, pieces[other]),
            2 => pieces.swap(at, other),
            3 => pieces[at] = WORDS[random.below(WORDS.len() as u64) as usize],
            4 => pieces.insert(at, WORDS[random.below(WORDS.len() as u64) as usize]),
            _ => {
                let end = (at + random.below(20) as usize).min(pieces.len());
                pieces.drain(at..end);
            }
        }
    }
    pieces.concat()
}

/// Reads a mutant and searches it for a moment.
fn try_mutant(text: &str, path: &Path) {
    let budget = Budget::unlimited().timeout(Duration::from_secs(5));
    let options =
        promela::preprocess::Options { budget, max_tokens: 200_000, ..promela::preprocess::Options::default() };
    let read = promela::read(&path.display().to_string(), text, &options);
    let plain = report::style::Style::PLAIN;
    let _ = report::diagnostics::render(&read.diagnostics, &read.sources, plain);
    let Some(network) = read.network else { return };
    for reading in [Reading::Declared, Reading::Unbounded] {
        let semantics = Semantics::new(&network, reading);
        let budget = Budget::unlimited().timeout(Duration::from_secs(5)).states(300);
        let properties = vec![Property::Safety, Property::Deadlock];
        let options = Options { order: Order::Breadth, keep_going: true, properties, ..Options::default() };
        explore::check(&semantics, &read.sources, &options, &Context::silent(&budget));
    }
}

fn fuzz(seeds: std::ops::Range<u64>, models: &[(PathBuf, String)]) -> Vec<String> {
    let mut failures = Vec::new();
    for seed in seeds {
        let mut random = Random::new(seed);
        let (path, text) = &models[random.below(models.len() as u64) as usize];
        let mutant = mutate(text, &mut random);
        let start = Instant::now();
        let survived = std::panic::catch_unwind(|| try_mutant(&mutant, path)).is_ok();
        if !survived || start.elapsed() > HANG {
            failures.push(format!("seed {seed} of {}: {}", path.display(), if survived { "hangs" } else { "panics" }));
        }
    }
    failures
}

#[test]
fn no_mutant_panics_or_hangs() {
    let count: u64 = testing::rounds(2000);
    let mut models: Vec<(PathBuf, String)> = models()
        .into_iter()
        .filter_map(|path| Some((path.clone(), String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())))
        .filter(|(_, text)| text.len() < 100_000)
        .collect();
    models.extend((0..20).map(|seed| (PathBuf::from(format!("random-{seed}.pml")), ends::model(seed))));
    let half = count / 2;
    // Deep recursion is bounded, but not for the small stack of a test thread.
    let worker = |range| {
        let models = models.clone();
        std::thread::Builder::new().stack_size(1 << 28).spawn(move || fuzz(range, &models)).expect("a thread")
    };
    let threads = [worker(0..half), worker(half..count)];
    let failures: Vec<String> = threads.into_iter().flat_map(|t| t.join().expect("the fuzzer itself works")).collect();
    assert!(failures.is_empty(), "{} of {count} mutants:\n{}", failures.len(), failures.join("\n"));
}
