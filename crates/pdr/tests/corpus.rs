//! Public programs whose answers are in their names, where they are at hand: `HIGHWATER_C_CORPUS` names a folder, whose
//! files with `true-unreach-call` or `false-unreach-call` in their names are asked, for `HIGHWATER_C_SECONDS` each.
//!
//! A wrong answer fails the test; a program that is not read, or not decided in time, is only counted.

use crate::common;
use model::budget::Budget;
use model::context::Context;

use cfront::interpret::Outcome;
use cfront::{DataModel, Options, preprocess::preprocess};
use pdr::Answer;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[allow(clippy::print_stderr)]
fn show(text: &str) {
    eprintln!("{text}");
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            files(&path, found);
        } else if name.ends_with(".i") || name.ends_with(".c") && !path.with_extension("i").exists() {
            found.push(path);
        }
    }
}

#[test]
fn no_answer_about_a_public_program_is_wrong() {
    let Ok(folder) = std::env::var("HIGHWATER_C_CORPUS") else { return };
    let seconds = std::env::var("HIGHWATER_C_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    let mut wrong = Vec::new();
    let mut counts = std::collections::BTreeMap::new();
    for path in paths {
        let name = path.display().to_string();
        let safe = match (name.contains("true-unreach-call"), name.contains("false-unreach-call")) {
            (true, false) => true,
            (false, true) => false,
            _ => continue,
        };
        let start = Instant::now();
        let (said, answer) = asked(&path, seconds);
        if answer.is_some_and(|answer| answer != safe) {
            wrong.push(name.clone());
        }
        show(&format!("{:8.2} s  {said:<28} {name}", start.elapsed().as_secs_f64()));
        *counts.entry(said.split(':').next().unwrap_or_default().to_owned()).or_insert(0) += 1;
    }
    show(&format!("{counts:?}"));
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What is said, and whether the program is safe.
fn asked(path: &Path, seconds: u64) -> (String, Option<bool>) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let input = match preprocess(path, &text, DataModel::Ilp32, &[]) {
        Ok(input) => input,
        Err(failure) => return (format!("unread: {}", failure.diagnostic.code), None),
    };
    let read = cfront::read(&input, &Options::default());
    let Some(component) = read.program.and_then(|program| program.components.into_iter().next()) else {
        let first = read.diagnostics.first();
        return (
            first.map_or(String::from("unread"), |first| format!("unread: {} {}", first.code, first.message)),
            None,
        );
    };
    let limits = Budget::unlimited().timeout(Duration::from_secs(seconds));
    let (answer, _) = pdr::check(&component, &common::stated, &Context::silent(&limits));
    match answer {
        Answer::Safe(invariant) => match common::verified(&component, &invariant) {
            Ok(()) => (String::from("safe"), Some(true)),
            Err(refusal) => panic!("{}: {refusal}", path.display()),
        },
        Answer::Unsafe(run) => {
            assert!(matches!(run.outcome, Outcome::Error(kind, _) if kind.is_stated()));
            (String::from("unsafe"), Some(false))
        }
        Answer::Inconclusive(reason) => (format!("open: {reason:?}"), None),
    }
}
