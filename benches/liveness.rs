//! Formulas, claims and progress beside SPIN, and what partial-order reduction saves, in one run on one machine.
//!
//! Needs SPIN, a C compiler and the public models beside the project. Writes `benches/LIVENESS.md`.
//!
//! ```text
//! cargo bench -p highwater-cli --bench liveness
//! ```
//!
//! Time to a verdict is what a user waits for: for SPIN `spin -a`, `cc -O2` and `./pan -a` (`-l` for progress), with its own
//! reduction; for Highwater `check -p PROPERTY`. Rows that one of the two does not finish in 30 seconds are left out. For
//! the reduction, both tools visit the states of safety and deadlock, with and without.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The same statements in both tools: no data-flow optimisation, no hidden variables, no merging.
const RAW: [&str; 3] = ["-o1", "-o2", "-o3"];
/// Models for the table of the reduction have at least so many states, and at most.
const STATES: std::ops::Range<u64> = 20_000..6_000_000;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let corpus = root.join("../shared/models/promela");
    let table = |name: &str| std::fs::read_to_string(corpus.join(name)).ok();
    let (Some(formulas), Some(progress), Some(results)) =
        (table("spin-ltl.tsv"), table("spin-progress.tsv"), table("spin-results.tsv"))
    else {
        println!("skipped: no public models beside the project");
        return;
    };
    if Command::new("spin").arg("-V").stdout(Stdio::null()).status().is_err() {
        println!("skipped: SPIN is not installed");
        return;
    }
    let mut text = String::from("# Formulas and reduction beside SPIN 6.5.2\n\n");
    text += "Measured in one run on one machine by `benches/liveness.rs`.\n\n";
    text += &verdicts(&corpus, &(formulas + &progress));
    text += &reduction(&corpus, &results);
    println!("{text}");
    if let Err(error) = std::fs::write(root.join("benches/LIVENESS.md"), text) {
        println!("cannot write the table: {error}");
    }
}

/// A copy of a model's folder, to work in.
fn copied(corpus: &Path, file: &str) -> Option<(PathBuf, String)> {
    let model = corpus.join(file);
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("liveness");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir_all(&work).ok()?;
    let done = Command::new("cp").arg("-r").arg(model.parent()?.join(".")).arg(&work).status().ok()?;
    done.success().then_some((work, model.file_name()?.to_str()?.to_owned()))
}

/// Runs a program for at most 30 seconds; how long it took, and what it said.
fn timed(work: &Path, program: &str, arguments: &[&str]) -> Option<(f64, String)> {
    let start = Instant::now();
    let mut command = Command::new("timeout");
    let output = command.arg("30").arg(program).args(arguments).current_dir(work).stdin(Stdio::null()).output().ok()?;
    let time = start.elapsed().as_secs_f64();
    (output.status.code() != Some(124)).then(|| (time, String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn number(text: &str, after: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains(after))?;
    line.split_whitespace().next()?.parse().ok()
}

fn highwater(work: &Path, arguments: &[&str]) -> Option<(f64, Value)> {
    let (time, text) = timed(work, env!("CARGO_BIN_EXE_highwater"), arguments)?;
    let document: Value = serde_json::from_str(&text).ok()?;
    Some((time, document["results"][0].clone()))
}

// --- verdicts -------------------------------------------------------------------------------------------

fn verdicts(corpus: &Path, rows: &str) -> String {
    let mut text = String::from(
        "## Time to a verdict\n\n| model | property | verdict | spin, cc, pan, s | highwater, s | ratio |\n",
    );
    text += "| --- | --- | --- | ---: | ---: | ---: |\n";
    let mut logarithms = Vec::new();
    for line in rows.lines().filter(|line| !line.starts_with("file\t")) {
        let cells: Vec<&str> = line.split('\t').collect();
        eprintln!("{} {}", cells[0], cells[1]);
        if let Some((spin, own, verdict)) = verdict(corpus, cells[0], cells[1]) {
            logarithms.push((spin / own).ln());
            let _ = writeln!(
                text,
                "| {} | {} | {verdict} | {spin:.2} | {own:.3} | {:.1} |",
                cells[0],
                cells[1],
                spin / own
            );
        }
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp();
    text + &format!("\nGeometric mean over {} rows: **{mean:.1} times** sooner.\n\n", logarithms.len())
}

/// Seconds of SPIN and of Highwater, and Highwater's verdict.
fn verdict(corpus: &Path, file: &str, property: &str) -> Option<(f64, f64, String)> {
    let (work, name) = copied(corpus, file)?;
    let progress = property == "progress";
    let mut flags = vec!["-O2", "-w", "-DVECTORSZ=8192", "-DMEMLIM=6000"];
    flags.extend(progress.then_some(["-DNP", "-DNOCLAIM"]).into_iter().flatten());
    flags.extend(["-o", "pan", "pan.c"]);
    let (generate, _) = timed(&work, "spin", &["-a", &name])?;
    let (compile, _) = timed(&work, "cc", &flags)?;
    let named = property.strip_prefix("ltl:").filter(|named| *named != "ltl_0");
    let mut how = vec!["-m2000000", "-w22", if progress { "-l" } else { "-a" }];
    how.extend(named.map(|named| ["-N", named]).into_iter().flatten());
    let (pan, said) = timed(&work, "./pan", &how)?;
    if !said.contains("errors: ") || said.contains("max search depth too small") {
        return None;
    }
    let property = if progress { "livelock" } else { property };
    let (own, result) = highwater(&work, &["check", "-p", property, "--format", "json", "--timeout", "30s", &name])?;
    let verdict = result["verdict"].as_str().filter(|verdict| *verdict != "inconclusive")?.to_owned();
    Some((generate + compile + pan, own, verdict))
}

// --- reduction ------------------------------------------------------------------------------------------

fn reduction(corpus: &Path, results: &str) -> String {
    let mut text = String::from(
        "## What partial-order reduction saves\n\n| model | states | reduced | of all | pan's reduced | of all |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let (mut own, mut pan) = (Vec::new(), Vec::new());
    for line in results.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let clean = cells[1] == "yes" && cells[4] == "0" && cells[6] == "yes";
        let Some(states) = cells[2].parse().ok().filter(|states| clean && STATES.contains(states)) else { continue };
        eprintln!("{}", cells[0]);
        if let Some((reduced, theirs)) = reduced(corpus, cells[0]) {
            let share = |of: u64| of as f64 / states as f64;
            own.push(share(reduced).ln());
            pan.push(share(theirs).ln());
            let _ = writeln!(
                text,
                "| {} | {states} | {reduced} | {:.2} | {theirs} | {:.2} |",
                cells[0],
                share(reduced),
                share(theirs)
            );
        }
    }
    let mean = |all: &[f64]| (all.iter().sum::<f64>() / all.len().max(1) as f64).exp();
    let (own, pan, rows) = (mean(&own), mean(&pan), own.len());
    text + &format!("\nGeometric means over {rows} models: {own:.2} of the states are left, {pan:.2} with pan.\n")
}

/// States that are left with reduction: Highwater's and pan's.
fn reduced(corpus: &Path, file: &str) -> Option<(u64, u64)> {
    let (work, name) = copied(corpus, file)?;
    timed(&work, "spin", &[&RAW[..], &["-a", &name]].concat())?;
    timed(
        &work,
        "cc",
        &["-O1", "-w", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192", "-DMEMLIM=6000", "-o", "pan", "pan.c"],
    )?;
    let (_, said) = timed(&work, "./pan", &["-m2000000", "-w22", "-c0", "-n"])?;
    let theirs = number(&said, "states, stored")?;
    let arguments = ["check", "-p", "safety,deadlock", "--engine", "explore", "--reduction", "order"];
    let (_, result) = highwater(&work, &[&arguments[..], &["--format", "json", "--timeout", "30s", &name]].concat())?;
    Some((result["stats"]["states"].as_u64()?, theirs))
}
