//! Every violation has a place, and every process that waits in a deadlock has its statement and the reason.
//!
//! The examples, and the public models with an invalid end state if they are on the machine: some by default, with
//! `HIGHWATER_CORPUS=full` all of them. Those are Promela with the declared channels and with channels that lose messages,
//! communicating machines, and the compositions of the FSP book.

#![allow(clippy::print_stdout)]

use crate::binary::{check, highwater, path};
use crate::corpus;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What a document does not explain.
#[derive(Default)]
struct Missing {
    violations: usize,
    deadlocks: usize,
    waiting: usize,
    gaps: Vec<String>,
}

impl Missing {
    fn look(&mut self, file: &Path, results: &[Value]) {
        for result in results.iter().filter(|result| result["verdict"] == "violated") {
            self.violations += 1;
            let (witness, property) = (&result["witness"], result["property"].as_str().unwrap());
            let place = &witness["problem_at"];
            if !place["line"].is_u64() || !place["column"].is_u64() {
                self.gaps.push(format!("{}: {property} has no place", file.display()));
            }
            if property == "deadlock" {
                self.deadlocks += 1;
                for waits in witness["waiting"].as_array().unwrap().iter().filter(|waits| waits["done"] == false) {
                    self.wait(file, waits);
                }
            }
        }
    }

    fn wait(&mut self, file: &Path, waits: &Value) {
        self.waiting += 1;
        let events = waits["events"].as_array().unwrap();
        let explained = |event: &Value| {
            let refused = event["refused_by"].as_array().is_some_and(|by| !by.is_empty());
            let words = event["event"].as_str().unwrap();
            let statement = !["if", "do", "atomic", "{"].contains(&words.split_whitespace().next().unwrap_or("if"));
            statement && (refused || event["reason"].as_str().is_some_and(|reason| !reason.is_empty()))
        };
        // A component of a composition that has stopped waits for no event, but says so.
        let said = !events.is_empty() || waits["reason"].as_str().is_some_and(|reason| !reason.is_empty());
        if !said || !events.iter().all(explained) {
            self.gaps.push(format!("{}: {waits}", file.display()));
        }
    }
}

fn examples() -> Vec<PathBuf> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut models = Vec::new();
    for folder in std::fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let model = |file: &PathBuf| {
            let small = ["handshake.spec", "philosophers.spec", "writer.spec", "ring.c", "average.c"];
            let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
            ["pml", "fsp", "scm"].contains(&extension) || small.iter().any(|name| file.ends_with(name))
        };
        models.extend(files.filter(model));
    }
    models.sort();
    models
}

#[test]
fn every_violation_of_the_examples_has_a_place_and_every_wait_a_reason() {
    let mut missing = Missing::default();
    for file in examples() {
        let (_, results, _) = check(&file, &["--timeout", "10s"]);
        missing.look(&file, &results);
    }
    println!("{} violations, {} deadlocks, {} waits", missing.violations, missing.deadlocks, missing.waiting);
    assert!(missing.gaps.is_empty(), "{} gaps:\n{}", missing.gaps.len(), missing.gaps.join("\n"));
    assert!(missing.violations > 40 && missing.deadlocks > 15, "{} violations", missing.violations);
}

/// Public models that may have an invalid end state, and how to read them; Promela only where SPIN found an error, or did not
/// finish, unless messages can be lost.
fn public() -> Vec<(PathBuf, &'static str)> {
    let promela = corpus::folder();
    let rows = corpus::rows(&promela).into_iter();
    let mut rows: Vec<_> = rows.filter(|row| row.accepted && !corpus::REFUSED.contains(&row.file.as_str())).collect();
    // Those that SPIN finished come first.
    rows.sort_by_key(|row| row.errors == 0 || !row.complete);
    let declared = rows.iter().filter(|row| row.errors > 0 || !row.complete);
    let declared = declared.map(|row| (promela.join(&row.file), "declared"));
    // A model that the table does not have.
    let declared = declared.chain([(promela.join("case-studies/harmony/mpkernel/kernel"), "declared")]);
    let lossy = rows.iter().filter(|row| row.errors == 0).map(|row| (promela.join(&row.file), "drop"));
    let mut others = Vec::new();
    for folder in ["kmc", "scm", "fsp-book"] {
        let files = std::fs::read_dir(promela.join("..").join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let model =
            |file: &PathBuf| ["cfsm", "scm", "fsp"].iter().any(|kind| file.extension().is_some_and(|e| e == *kind));
        others.extend(files.filter(model).map(|file| (file, "")));
    }
    others.sort();
    declared.chain(others).chain(lossy).collect()
}

/// What is found about deadlock in a file; of Promela depth-first where the shortest run is not found in time.
fn checked(file: &Path, channels: &str) -> Option<Value> {
    let check = |more: &[&str]| {
        let arguments =
            [&["check", path(file), "--format", "json", "-p", "deadlock", "--timeout", "10s"], more].concat();
        serde_json::from_slice::<Value>(&highwater(&arguments).stdout).ok()
    };
    if channels.is_empty() {
        return check(&[]);
    }
    let document = check(&["--channels", channels])?;
    let open = document["results"][0]["reason"] == "timeout";
    if open { check(&["--channels", channels, "--search", "depth"]) } else { Some(document) }
}

#[test]
fn every_wait_of_public_models_with_an_invalid_end_state_has_a_reason() {
    if !corpus::folder().join("spin-results.tsv").exists() {
        println!("skipped: no public models beside the project");
        return;
    }
    let full = testing::full_corpus();
    let mut missing = Missing::default();
    let (mut looked, mut models) = (0, BTreeSet::new());
    let mut by_kind: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for (index, (file, channels)) in public().into_iter().enumerate() {
        // Without the full corpus, every tenth.
        if !full && index % 10 > 0 {
            continue;
        }
        looked += 1;
        // A file that is a part of others, or has no composition, has no document.
        let Some(document) = checked(&file, channels) else { continue };
        let before = missing.deadlocks;
        missing.look(&file, document["results"].as_array().map_or(&[], Vec::as_slice));
        if missing.deadlocks > before {
            let kind = document["model"]["language"].as_str().unwrap_or("").to_owned();
            *by_kind.entry((kind, channels)).or_default() += 1;
            models.insert(file);
        }
    }
    println!(
        "{looked} readings of models: {} deadlocks in {} files, {} waits; {by_kind:?}",
        missing.deadlocks,
        models.len(),
        missing.waiting
    );
    assert!(missing.gaps.is_empty(), "{} gaps:\n{}", missing.gaps.len(), missing.gaps.join("\n"));
    assert!(models.len() >= if full { 100 } else { 8 }, "{} files with a deadlock", models.len());
}
