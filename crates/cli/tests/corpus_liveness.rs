//! The public models, if they are on the machine: SPIN's verdicts on formulas, claims and progress; and the same verdicts with
//! and without partial-order reduction.
//!
//! `../shared/models/promela/spin-ltl.tsv` and `spin-progress.tsv` have SPIN's verdicts. By default rows of up to 300,000
//! states are tried; `HIGHWATER_CORPUS=full` tries all that SPIN finished. Without the folder the tests say so and pass.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// SPIN 6 puts an assertion into the claim that it makes of an invariant, and the table was made with a verifier that
/// ignores assertions (`-A`). Without that option SPIN finds these violations, too.
const HIDDEN_BY_AN_OPTION: &[(&str, &str)] = &[
    ("spin-distribution/Exercises/ex_3a.pml", "ltl:invariant"),
    ("spin-distribution/LTL/bakery.pml", "ltl:invariant"),
    ("spin-distribution/LTL/train.pml", "ltl:c6"),
];

/// The formula asks for the length of a channel that does not exist: an error for SPIN, no answer here.
const WITHOUT_A_VALUE: &[(&str, &str)] = &[("spin-distribution/LTL/ltl_example.pml", "ltl:c6")];

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/promela");
    let there = folder.join("spin-ltl.tsv").exists();
    if !there {
        println!("skipped: no public models beside the project");
    }
    there.then_some(folder)
}

/// File, property, whether SPIN finds a violation.
fn rows(folder: &Path, table: &str) -> Vec<(String, String, bool)> {
    let full = testing::full_corpus();
    let most = if full { u64::MAX } else { 300_000 };
    let text = std::fs::read_to_string(folder.join(table)).expect("the table is there");
    let rows = text.lines().skip(1).filter_map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let known = matches!(cells[2], "yes" | "no") && cells[3].parse().is_ok_and(|stored: u64| stored <= most);
        known.then(|| (cells[0].to_owned(), cells[1].to_owned(), cells[2] == "yes"))
    });
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() > 10, "{table} has rows");
    rows
}

/// The verdict on one property; `None` if the model does not have it.
fn verdict(folder: &Path, file: &str, property: &str, more: &[&str]) -> Option<String> {
    let path = folder.join(file);
    let property = match property {
        "progress" => "livelock",
        other => other,
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.current_dir(path.parent()?).arg("check").arg(path.file_name()?);
    command.args(["-p", property, "--format", "json", "--timeout", "120s"]).args(more);
    let output = command.output().expect("the tool runs");
    let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
    let result = &document["results"][0];
    result["verdict"].as_str().filter(|_| result["reason"] != "not-applicable").map(str::to_owned)
}

#[test]
fn formulas_claims_and_progress_have_spins_verdicts() {
    let Some(folder) = folder() else { return };
    let mut wrong = Vec::new();
    for (file, property, violated) in ["spin-ltl.tsv", "spin-progress.tsv"].iter().flat_map(|t| rows(&folder, t)) {
        let row = (file.as_str(), property.as_str());
        let expected: &[&str] = match violated {
            _ if WITHOUT_A_VALUE.contains(&row) => &["inconclusive"],
            _ if HIDDEN_BY_AN_OPTION.contains(&row) => &["violated"],
            true => &["violated"],
            false => &["proved", "vacuous"],
        };
        let found = verdict(&folder, &file, &property, &[]);
        // A claim that the preprocessor leaves out: SPIN has none to check either.
        if !found.as_deref().map_or(!violated, |found| expected.contains(&found)) {
            wrong.push(format!("{file} {property}: {found:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn reduction_changes_no_verdict() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("spin-results.tsv")).expect("the table is there");
    let mut wrong = Vec::new();
    let mut compared = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let small = cells[2].parse().is_ok_and(|stored: u64| stored <= 100_000);
        if cells[1] != "yes" || cells[6] != "yes" || !small {
            continue;
        }
        for property in ["safety", "deadlock"] {
            let ask = |reduction| verdict(&folder, cells[0], property, &["--reduction", reduction]);
            let (whole, reduced) = (ask("none"), ask("order"));
            compared += 1;
            if whole != reduced {
                wrong.push(format!("{} {property}: {whole:?} without, {reduced:?} with reduction", cells[0]));
            }
        }
    }
    assert!(compared > 100, "only {compared} compared");
    assert!(wrong.is_empty(), "{} of {compared} differ:\n{}", wrong.len(), wrong.join("\n"));
}
