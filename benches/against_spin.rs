//! Highwater beside SPIN, in one run on one machine: time to a verdict, states per second, bytes per state.
//!
//! Needs SPIN, a C compiler and the public models beside the project. Writes `benches/RESULTS.md`.
//!
//! ```text
//! cargo bench -p highwater --bench against_spin             # every fourth small model, all large ones
//! cargo bench -p highwater --bench against_spin -- quick    # every eighth, and every fifth large one
//! cargo bench -p highwater --bench against_spin -- all      # everything, some 20 minutes
//! ```
//!
//! Both tools do the same work: the whole raw state space, no reduction, no statement merging, going on
//! after errors. Time to a verdict is what a user waits for: for SPIN `spin -a`, `cc -O2` and `./pan`;
//! for Highwater `check`. Times are wall times; the smaller of two runs counts.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

struct Row {
    file: String,
    states: u64,
}

struct Measured {
    file: String,
    states: u64,
    /// Seconds from the text to the verdict.
    spin_total: f64,
    /// Seconds of `pan` alone.
    pan: f64,
    highwater: f64,
    pan_bytes: f64,
    highwater_bytes: f64,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn main() {
    let asked = |word: &str| std::env::args().any(|a| a == word);
    let (every_small, every_large) = match (asked("quick"), asked("all")) {
        (true, _) => (8, 5),
        (_, true) => (1, 1),
        _ => (4, 1),
    };
    let corpus = root().join("../shared/models/promela");
    let Ok(table) = std::fs::read_to_string(corpus.join("spin-results.tsv")) else {
        println!("skipped: no public models beside the project");
        return;
    };
    if Command::new("spin").arg("-V").stdout(Stdio::null()).status().is_err() {
        println!("skipped: SPIN is not installed");
        return;
    }
    let rows = rows(&table);
    let small: Vec<&Row> = rows.iter().filter(|r| r.states < 800_000).step_by(every_small).collect();
    let large: Vec<&Row> = rows.iter().filter(|r| r.states >= 800_000).step_by(every_large).collect();
    let small: Vec<Measured> = small.iter().filter_map(|row| measure(&corpus, row)).collect();
    let large: Vec<Measured> = large.iter().filter_map(|row| measure(&corpus, row)).collect();
    let text = report(&small, &large);
    println!("{text}");
    if let Err(error) = std::fs::write(root().join("benches/RESULTS.md"), text) {
        println!("cannot write the table: {error}");
    }
}

fn rows(table: &str) -> Vec<Row> {
    let cells = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    cells
        .filter(|c| c.len() > 6 && c[1] == "yes" && c[6] == "yes")
        .filter_map(|c| Some(Row { file: c[0].to_owned(), states: c[2].parse().ok()? }))
        .filter(|r| r.states <= 10_000_000)
        .collect()
}

/// The best of two runs, in seconds, and the output of the last.
fn best(mut run: impl FnMut() -> Option<Output>) -> Option<(f64, Output)> {
    let mut best = f64::INFINITY;
    let mut output = None;
    for _ in 0..2 {
        let start = Instant::now();
        output = Some(run()?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    Some((best, output?))
}

fn measure(corpus: &Path, row: &Row) -> Option<Measured> {
    eprintln!("{}", row.file);
    let model = corpus.join(&row.file);
    let (folder, name) = (model.parent()?, model.file_name()?.to_str()?);
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("against_spin");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir_all(&work).ok()?;
    let copied = Command::new("cp").arg("-r").arg(folder.join(".")).arg(&work).status().ok()?;
    if !copied.success() {
        return None;
    }
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(&work).stdin(Stdio::null()).output().ok()
    };
    let flags = ["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DNOREDUCE", "-DVECTORSZ=8192", "-o", "pan", "pan.c"];
    let (generate, _) = best(|| run("spin", &["-o1", "-o2", "-o3", "-a", name]))?;
    let (compile, compiled) = best(|| run("cc", &flags))?;
    if !compiled.status.success() {
        return None;
    }
    let (pan, output) = best(|| run("./pan", &["-m2000000", "-w22", "-c0", "-n"]))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let (highwater, output) = best(|| {
        let arguments =
            ["check", name, "-p", "safety,deadlock", "--keep-going", "--format", "json", "--timeout", "300s"];
        run(env!("CARGO_BIN_EXE_highwater"), &arguments)
    })?;
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    let stats = &document["results"][0]["stats"];
    let states = stats["states"].as_u64()?;
    Some(Measured {
        file: row.file.clone(),
        states,
        spin_total: generate + compile + pan,
        pan,
        highwater,
        pan_bytes: megabytes_for_states(&said)? * 1_048_576.0 / states.max(1) as f64,
        highwater_bytes: stats["memory_bytes"].as_f64()? / states.max(1) as f64,
    })
}

/// What `pan` needs for its states and their table: "actual memory usage" and "hash table".
fn megabytes_for_states(said: &str) -> Option<f64> {
    let first = |line: &str| line.split_whitespace().next()?.parse::<f64>().ok();
    let states = said.lines().find(|l| l.contains("actual memory usage for states")).and_then(first);
    let table = said.lines().find(|l| l.contains("memory used for hash table")).and_then(first)?;
    Some(states.unwrap_or(0.0) + table)
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = ratios.fold((0.0, 0), |(sum, count), r| (sum + r.ln(), count + 1));
    (sum / f64::from(count.max(1))).exp()
}

fn report(small: &[Measured], large: &[Measured]) -> String {
    let all = || small.iter().chain(large);
    let total = geometric_mean(all().map(|m| m.spin_total / m.highwater));
    let rate = geometric_mean(large.iter().map(|m| m.pan / m.highwater));
    let mut text = String::from("# Highwater beside SPIN 6.5.2\n\n");
    let _ = writeln!(
        text,
        "Measured in one run on one machine by `benches/against_spin.rs`: the whole raw state space, one thread.\n\n\
         * Time to a verdict (`spin -a`, `cc -O2`, `./pan` against `check`), geometric mean over {} models: \
         **{total:.1} times** faster.\n\
         * States per second against `pan` (`-O2 -DSAFETY -DNOREDUCE`) on {} models of 0.8 million states or more, \
         geometric mean: **{rate:.2}** of pan's.\n",
        all().count(),
        large.len()
    );
    text += "Bytes per state count states and tables of both tools (pan with `-w22`).\n\n";
    text +=
        "| model | states | pan, s | highwater, s | states/s of pan's | bytes/state pan | bytes/state highwater |\n";
    text += "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for m in large {
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} |",
            m.file,
            m.states,
            m.pan,
            m.highwater,
            m.pan / m.highwater,
            m.pan_bytes,
            m.highwater_bytes
        );
    }
    text += "\nWhat limits Highwater: a probe of the state table and the comparison that follows are a third to a half\n\
             of the time (cache misses); the rest is the interpretation of statements, which pan has compiled.\n";
    text
}
