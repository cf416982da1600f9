//! The public models, if they are on the machine: the same states as SPIN, the same errors.
//!
//! `../shared/models/promela/spin-results.tsv` has SPIN's numbers for each. By default models of up to
//! 300,000 states are tried; `HIGHWATER_CORPUS=full` tries up to 6 million. Without the folder the
//! test says so and passes.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// SPIN reads it, Highwater refuses it: a send with a field too few (book, "Differences from SPIN").
pub(crate) const REFUSED: &[&str] = &["case-studies/conference/conference.pr"];

/// SPIN refuses it, Highwater reads it (book, "Differences from SPIN").
const READ_DELIBERATELY: &[&str] = &[
    "pcdp/bg-verif.pml",
    "psmc/ch01/counting-6.pml",
    "psmc/ch06/sparse-6.pml",
    "psmc/ch06/sum2-6.pml",
    "psmc/ch11/fischer-6.pml",
];

pub(crate) struct Row {
    pub(crate) file: String,
    pub(crate) accepted: bool,
    pub(crate) stored: Option<u64>,
    pub(crate) errors: u64,
    pub(crate) complete: bool,
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/promela")
}

pub(crate) fn rows(folder: &Path) -> Vec<Row> {
    let table = std::fs::read_to_string(folder.join("spin-results.tsv")).expect("the table is there");
    let rows: Vec<Row> = table
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |i: usize| cells.get(i).copied().unwrap_or("");
            Row {
                file: cell(0).to_owned(),
                accepted: cell(1) == "yes",
                stored: cell(2).parse().ok(),
                errors: cell(4).parse().unwrap_or(0),
                complete: cell(6) == "yes",
            }
        })
        .collect();
    assert!(rows.len() > 100, "the table has rows");
    rows
}

/// What is wrong with one row, if something is.
fn check(folder: &Path, row: &Row, most: u64) -> Option<String> {
    let path = folder.join(&row.file);
    let (directory, name) = (path.parent()?, path.file_name()?);
    // Rows that SPIN did not finish are read only.
    let explored = row.accepted && row.complete && row.stored.is_some_and(|s| s <= most);
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.current_dir(directory).arg("check").arg(name);
    command.args(["-p", "safety,deadlock", "--engine", "explore", "--reduction", "none", "--keep-going"]);
    command.args(["--channels", "declared", "--format", "json", "--timeout", "300s"]);
    if !explored {
        command.args(["--max-states", "1"]);
    }
    let output = command.output().expect("the tool runs");
    let code = output.status.code();
    if !row.accepted {
        let expected = if READ_DELIBERATELY.contains(&row.file.as_str()) { code != Some(2) } else { code == Some(2) };
        return (!expected).then(|| format!("SPIN refuses it, exit code {code:?}"));
    }
    if code == Some(2) || !matches!(code, Some(0 | 1 | 3)) {
        let refused = REFUSED.contains(&row.file.as_str()) && code == Some(2);
        return (!refused).then(|| format!("exit code {code:?}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    if !explored {
        return None;
    }
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    let states = document["results"][0]["stats"]["states"].as_u64();
    if states != row.stored {
        return Some(format!("{states:?} states, SPIN has {:?}", row.stored));
    }
    let violated = code == Some(1);
    (violated != (row.errors > 0)).then(|| format!("violated: {violated}, SPIN has {} errors", row.errors))
}

#[test]
fn states_and_errors_are_those_of_spin() {
    let folder = folder();
    if !folder.join("spin-results.tsv").exists() {
        println!("skipped: no public models beside the project");
        return;
    }
    let most = if testing::full_corpus() { 6_000_000 } else { 300_000 };
    let rows = rows(&folder);
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(problem) = check(&folder, row, most) {
                        wrong.lock().expect("no panic").push(format!("{}: {problem}", row.file));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} of {} models differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
