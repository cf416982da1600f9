//! Every violation has a place, and every process that waits in a deadlock has its statement and the reason.
//!
//! The examples, and the public models with an invalid end state if they are on the machine: some by default, with
//! `HIGHWATER_CORPUS=full` all of them.

#![allow(clippy::print_stdout)]

use crate::binary::check;
use crate::corpus;
use serde_json::Value;
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
        // A component of a composition that has stopped waits for nothing.
        let stopped = events.is_empty() && waits["state"] == "STOP";
        let explained = |event: &Value| {
            let refused = event["refused_by"].as_array().is_some_and(|by| !by.is_empty());
            let words = event["event"].as_str().unwrap();
            let statement = !["if", "do", "atomic", "{"].contains(&words.split_whitespace().next().unwrap_or("if"));
            statement && (refused || event["reason"].as_str().is_some_and(|reason| !reason.is_empty()))
        };
        if !stopped && (events.is_empty() || !events.iter().all(explained)) {
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

#[test]
fn every_wait_of_public_models_with_an_invalid_end_state_has_a_reason() {
    let folder = corpus::folder();
    if !folder.join("spin-results.tsv").exists() {
        println!("skipped: no public models beside the project");
        return;
    }
    let most = if testing::full_corpus() { usize::MAX } else { 10 };
    let mut missing = Missing::default();
    for row in corpus::rows(&folder).iter().filter(|row| row.accepted && row.errors > 0) {
        if missing.deadlocks >= most {
            break;
        }
        if corpus::REFUSED.contains(&row.file.as_str()) {
            continue;
        }
        let file = folder.join(&row.file);
        let (_, results, _) = check(&file, &["-p", "deadlock", "--timeout", "10s"]);
        missing.look(&file, &results);
    }
    println!("{} deadlocks, {} waits", missing.deadlocks, missing.waiting);
    assert!(missing.gaps.is_empty(), "{} gaps:\n{}", missing.gaps.len(), missing.gaps.join("\n"));
    assert!(missing.deadlocks >= most.min(50), "{} deadlocks", missing.deadlocks);
}
