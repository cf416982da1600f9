//! Statements that no run reaches: SPIN's list, on the public models where both searches are complete.
//!
//! SPIN's verifier runs with `HIGHWATER_CORPUS=full` only. A statement has the same number in both tools, and most have the
//! same line, too: SPIN gives a choice the line of its first option, the end of a process the line of what follows it, and a
//! statement of a macro the line where the macro is used.

#![allow(clippy::print_stdout)]

use crate::corpus::{REFUSED, Row, folder, rows};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::judge;

const MOST_STATES: u64 = 300_000;

/// Process type and state, with the lines that are given for it.
type Unreached = BTreeMap<(String, u64), BTreeSet<u64>>;

/// SPIN's list of a model; `None` if its verifier does not complete the search.
fn spins(path: &Path, row: &Row, work: &Path, compiler: &str) -> Option<Unreached> {
    let (from, name) = (path.parent()?, path.file_name()?.to_str()?);
    let run = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).current_dir(work).output().ok();
    let (from, to) = (format!("{}/.", from.display()), work.display().to_string());
    run("cp", &["-r", &from, &to])?;
    run("spin", &["-o1", "-o2", "-o3", "-a", name])?;
    let flags = ["-w", "-DSAFETY", "-DNOCLAIM", "-DNOREDUCE", "-DVECTORSZ=8192", "-DMEMLIM=4000", "-o", "pan", "pan.c"];
    run(compiler, &flags)?;
    let said = String::from_utf8_lossy(&run("./pan", &["-m1000000", "-w20", "-c0"])?.stdout).into_owned();
    let report = judge::SpinReport(said);
    // After a fault at run time SPIN goes on and Highwater does not.
    let fatal = |line: &str| {
        let error = line.strip_prefix("pan:").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        error
            .is_some_and(|error| !["assertion violated", "invalid end state"].iter().any(|known| error.contains(known)))
    };
    let comparable = report.is_complete() && report.states() == row.stored && !report.0.lines().any(fatal);
    comparable.then(|| listed(&report.0))
}

fn listed(report: &str) -> Unreached {
    let (mut unreached, mut process) = (Unreached::new(), None);
    for line in report.lines() {
        if let Some(name) = line.strip_prefix("unreached in ") {
            process = match name.split_once(' ') {
                Some(("proctype", name)) => Some(name.to_owned()),
                None => Some(format!(":{name}:")),
                // Claims are no processes.
                Some(_) => None,
            };
        } else if let (Some(process), Some((place, rest))) =
            (&process, line.strip_prefix('\t').and_then(|line| line.split_once(", state ")))
        {
            let state = rest.split(',').next().and_then(|state| state.trim().parse().ok());
            let number = place.rsplit(':').next().and_then(|line| line.parse().ok());
            if let (Some(state), Some(number)) = (state, number) {
                unreached.entry((process.clone(), state)).or_default().insert(number);
            }
        }
    }
    unreached
}

/// Our list, each with its first and its last line.
fn ours(path: &Path) -> Option<Unreached> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.current_dir(path.parent()?).arg("check").arg(path.file_name()?);
    command.args(["-p", "safety,deadlock", "--engine", "explore", "--reduction", "none", "--keep-going"]);
    command.args(["--channels", "declared", "--format", "json", "--timeout", "300s"]);
    let document: Value = serde_json::from_slice(&command.output().ok()?.stdout).ok()?;
    let statements = document["results"][0]["unreached"].as_array().cloned().unwrap_or_default();
    let key = |statement: &Value| (statement["process"].as_str().unwrap_or("").to_owned(), statement["state"].as_u64());
    let entry = |statement: &Value| {
        let line = statement["at"]["line"].as_u64()?;
        let last = statement["at"]["end_line"].as_u64().unwrap_or(line);
        let (process, state) = key(statement);
        Some(((process, state?), BTreeSet::from([line, last])))
    };
    statements.iter().map(entry).collect()
}

/// What is wrong with one model; or how many statements are not reached, and of how many SPIN's line is another one.
fn compare(spins: &Unreached, ours: &Unreached) -> Result<(usize, usize), String> {
    let differing: Vec<_> = spins.keys().filter(|key| !ours.contains_key(key)).collect();
    let surplus: Vec<_> = ours.keys().filter(|key| !spins.contains_key(key)).collect();
    if !differing.is_empty() || !surplus.is_empty() {
        return Err(format!("only for SPIN: {differing:?}, only here: {surplus:?}"));
    }
    let other_line = |(key, lines): &(&(String, u64), &BTreeSet<u64>)| {
        let (first, last) = (lines.first().copied().unwrap_or(0), lines.last().copied().unwrap_or(0));
        spins[*key].iter().any(|line| *line < first || *line > last)
    };
    Ok((ours.len(), ours.iter().filter(other_line).count()))
}

#[test]
fn unreached_statements_are_those_of_spin() {
    let folder = folder();
    if !testing::full_corpus() || !folder.join("spin-results.tsv").exists() || !judge::has_spin() {
        println!("skipped: no HIGHWATER_CORPUS=full, no public models, or no SPIN");
        return;
    }
    let rows = rows(&folder);
    let (next, compiler) = (AtomicUsize::new(0), judge::verifier_compiler());
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let small = row.stored.is_some_and(|stored| stored <= MOST_STATES);
                    if !row.accepted || !row.complete || !small || REFUSED.contains(&row.file.as_str()) {
                        continue;
                    }
                    let work = tempfile(&row.file);
                    let path = folder.join(&row.file);
                    let spins = spins(&path, row, &work, compiler);
                    let _ = std::fs::remove_dir_all(&work);
                    let Some(spins) = spins else { continue };
                    let result = ours(&path).ok_or("no result".to_owned()).and_then(|ours| compare(&spins, &ours));
                    results.lock().expect("no panic").push((row.file.clone(), result));
                }
            });
        }
    });
    let results = results.into_inner().expect("no panic");
    let wrong: Vec<String> =
        results.iter().filter_map(|(file, result)| Some(format!("{file}: {}", result.as_ref().err()?))).collect();
    let (mut statements, mut other_lines) = (0, 0);
    for (all, other) in results.iter().filter_map(|(_, result)| result.as_ref().ok()) {
        (statements, other_lines) = (statements + all, other_lines + other);
    }
    println!("{} models compared, {statements} statements not reached, {other_lines} in another line", results.len());
    assert!(wrong.is_empty(), "{} of {} models differ:\n{}", wrong.len(), results.len(), wrong.join("\n"));
    assert!(other_lines * 10 < statements, "{other_lines} of {statements} statements have another line");
    assert!(results.len() > 200, "SPIN completed only {} searches", results.len());
}

/// A folder for SPIN.
fn tempfile(name: &str) -> std::path::PathBuf {
    let name = format!("highwater-unreached-{}-{}", std::process::id(), name.replace('/', "-"));
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder for SPIN");
    folder
}
