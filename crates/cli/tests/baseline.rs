//! Verdicts, reasons, numbers of states, bounds and exit codes as they were in an earlier version: no change of the inside
//! changes an answer.
//!
//! The tables in `baseline/` have a line for each answer: file, exit code, property, verdict, reason, states of a complete
//! search, bounds of the channels. They were written by an earlier binary, and only what does not depend on the machine is
//! in them: no times, nothing about files that reached a limit of time or memory. The public models are checked up to a
//! number of states, where they are at hand. Usually a part of the files is checked; `HIGHWATER_CORPUS=full` checks all.
//! `HIGHWATER_BASELINE=BINARY cargo test --release -p highwater-cli --test all baseline` writes the answers of that binary
//! for the files of the tables; read the difference before you commit it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Limits that depend on the machine: what they stop is not compared.
const BY_THE_MACHINE: [&str; 4] = ["timeout", "memory", "limit", "interrupted"];

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::from("-"),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The bound of each channel; a channel without an answer may get one.
fn bounds(result: &Value) -> String {
    let bound = |channel: &Value| {
        let bound = [&channel["proved_at_most"], &channel["verdict"]].into_iter().find(|value| !value.is_null());
        format!("{}={}", text(&channel["name"]), bound.map_or_else(String::new, text))
    };
    let channels: Vec<String> = result["channels"].as_array().into_iter().flatten().map(bound).collect();
    if channels.is_empty() { String::from("-") } else { channels.join(",") }
}

fn states(result: &Value) -> String {
    let searched =
        result["engine"] == "explore" && result["verdict"] == "proved" && result["property"] != "boundedness";
    if searched { text(&result["stats"]["states"]) } else { String::from("-") }
}

/// Whether the tables are written again, by any binary.
fn writes() -> bool {
    std::env::var_os("HIGHWATER_BASELINE").is_some()
}

/// The answers about a file, as lines without its name; nothing if the machine decided.
fn answers(binary: &Path, file: &Path, more: &[&str]) -> Option<Vec<String>> {
    let mut command = Command::new(binary);
    command.arg("check").arg(file).args(more).args(["--format", "json"]);
    let output = command.output().expect("the tool runs");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{}: {error}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    });
    let code = output.status.code().expect("an exit code");
    let errors = document["errors"].as_array().into_iter().flatten();
    let mut lines: Vec<String> =
        errors.map(|error| format!("{code}\t-\terror:{}\t-\t-\t-", text(&error["code"]))).collect();
    for result in document["results"].as_array().into_iter().flatten() {
        let (verdict, reason) = (text(&result["verdict"]), text(&result["reason"]));
        if verdict == "inconclusive" && BY_THE_MACHINE.contains(&reason.as_str()) {
            return None;
        }
        let property = text(&result["property"]);
        let placed = verdict != "violated" || result["witness"]["problem_at"].is_object();
        assert!(placed || writes(), "{}: the violation of {property} has no place", file.display());
        lines.push(format!("{code}\t{property}\t{verdict}\t{reason}\t{}\t{}", states(result), bounds(result)));
    }
    Some(lines)
}

/// Whether a bound is a smaller one for the same channel; that no run exceeds it is a test of its own.
fn is_tighter(earlier: &str, now: &str) -> bool {
    let parts = |bound: &str| {
        let (name, most) = bound.rsplit_once('=')?;
        Some((name.to_owned(), most.parse::<u64>().ok()?))
    };
    parts(earlier).zip(parts(now)).is_some_and(|((was, most), (is, now))| was == is && now < most)
}

/// Whether an answer is the earlier one; a channel without an answer may have got one, and a bound may be tighter.
fn agrees(earlier: &str, now: &str) -> bool {
    let (before, after): (Vec<&str>, Vec<&str>) = (earlier.split('\t').collect(), now.split('\t').collect());
    let (Some((bounds_before, before)), Some((bounds_after, after))) = (before.split_last(), after.split_last()) else {
        return false;
    };
    let (before_each, after_each) = (bounds_before.split(','), bounds_after.split(','));
    before == after
        && before_each.clone().count() == after_each.clone().count()
        && before_each.zip(after_each).all(|(one, other)| match one.strip_suffix("=inconclusive") {
            Some(name) => other.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')),
            None => one == other || is_tighter(one, other),
        })
}

/// Compares one file in `every` of a table with what the tool says now, or writes the table again.
fn compare(table: &str, folder: &Path, more: &dyn Fn(&str) -> &'static [&'static str], every: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/baseline").join(table);
    let known = std::fs::read_to_string(&path).expect("the table");
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, answer) in known.lines().filter_map(|line| line.split_once('\t')) {
        files.entry(file).or_default().push(answer);
    }
    let other = std::env::var_os("HIGHWATER_BASELINE").map(PathBuf::from);
    let binary = other.clone().unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_highwater")));
    let step = if testing::full_corpus() || other.is_some() { 1 } else { every };
    let (mut differences, mut written, mut compared) = (String::new(), String::new(), 0);
    for (file, earlier) in files.iter().step_by(step) {
        let Some(now) = answers(&binary, &folder.join(file), more(file)) else { continue };
        compared += 1;
        now.iter().for_each(|line| written += &format!("{file}\t{line}\n"));
        if earlier.len() != now.len() || !earlier.iter().zip(&now).all(|(earlier, now)| agrees(earlier, now)) {
            let _ = writeln!(differences, "{file}\n  earlier {earlier:#?}\n  now {now:#?}");
        }
    }
    if other.is_some() {
        std::fs::write(&path, written).expect("the table is written");
        return;
    }
    assert!(compared * step * 2 > files.len(), "{compared} files of {} were compared", files.len());
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn the_examples_have_the_answers_of_an_earlier_version() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    compare("examples.tsv", &folder, &|_| &[], 3);
}

#[test]
fn public_models_have_the_answers_of_an_earlier_version() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models");
    if !folder.is_dir() {
        return;
    }
    let promela = |file: &str| [".pml", ".pm", ".pr"].iter().any(|extension| file.ends_with(extension));
    compare("public.tsv", &folder, &|file| if promela(file) { &["--max-states", "100000"] } else { &[] }, 12);
}

#[test]
fn a_changed_verdict_bound_or_exit_code_is_a_difference() {
    let line = "0\tboundedness\tproved\t-\t-\ta=2,b=inconclusive";
    assert!(agrees(line, line) && agrees(line, &line.replace("b=inconclusive", "b=3")));
    assert!(agrees(line, &line.replace("a=2", "a=1")), "a tighter bound is no loss");
    for (old, new) in [("0\tb", "1\tb"), ("proved", "violated"), ("a=2", "a=3"), ("b=", "c="), (",b=inconclusive", "")]
    {
        assert!(!agrees(line, &line.replace(old, new)), "{old} {new}");
    }
}
