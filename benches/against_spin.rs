//! Highwater beside SPIN, in one run on one machine: time to a verdict, states per second, bytes per state.
//!
//! Needs SPIN, a C compiler and the public models beside the project. Writes `benches/RESULTS.md`.
//!
//! ```text
//! cargo bench -p highwater-cli --bench against_spin             # every fourth small model, all large ones
//! cargo bench -p highwater-cli --bench against_spin -- quick    # every eighth, and every fifth large one
//! cargo bench -p highwater-cli --bench against_spin -- all      # everything, some 20 minutes
//! cargo bench -p highwater-cli --bench against_spin -- named    # the large models that the goals name, some 5 minutes
//! cargo bench -p highwater-cli --bench against_spin -- defaults # SPIN at its defaults on all models, some 10 minutes
//! ```
//!
//! Both tools do the same work: the whole raw state space, no reduction, no statement merging, going on
//! after errors. Time to a verdict is what a user waits for: for SPIN `spin -a`, `cc -O2` and `./pan`;
//! for Highwater `check` with one thread. Times are wall times; the smaller of two runs counts.
//!
//! SPIN *at its defaults* (`spin -a`, `cc -O2`, `./pan`) merges statements, resets dead variables and reduces by
//! partial order. It is compared with `--reduction order` by states, where both go on after errors, and with what
//! `check` does without options by CPU time, where there are no errors; `pan` alone, without its compiler, and on large
//! models only. What a reduction costs that does not reduce is seen beside `--reduction none`. That is a section of its
//! own, which the other runs leave as it is.
//!
//! Large models are also run with two threads, with states that are not packed, and by a `pan` that was compiled
//! with `-DCOLLAPSE`: what threads gain, what packing costs, and what it saves.

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
    /// For large models.
    more: Option<More>,
}

/// What is measured of large models only.
struct More {
    /// Seconds with two threads.
    two_threads: f64,
    /// Seconds with states that are not packed.
    unpacked: f64,
    /// Bytes per state of a `pan` with `-DCOLLAPSE`.
    collapse_bytes: f64,
    /// Steps per state, steps inside atomic sequences included.
    steps: f64,
    /// The length of a state before it is packed.
    length: f64,
}

/// Models that belong to the table whatever their size.
const ALWAYS: [&str; 2] = ["spin-distribution/LTL/pftp.pml", PETERSON];
/// The large models that the goals for speed name: three of SPIN's own, and BEEM's of a million states or more.
const NAMED: [&str; 10] = [
    "spin-distribution/LTL/leader.pml",
    "spin-distribution/LTL/pftp.pml",
    PETERSON,
    "beem/adding.3.pm",
    "beem/at.3.pm",
    "beem/brp.3.pm",
    "beem/fischer.3.pm",
    "beem/iprotocol.3.pm",
    "beem/rether.3.pm",
    "beem/szymanski.3.pm",
];
/// From so many states on, a model is large.
const LARGE: u64 = 800_000;
/// As published, for five processes, it is too large for `pan`; it is run with four.
const PETERSON: &str = "spin-distribution/LTL/petersonN.pml";

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
    if asked("defaults") {
        let rows: Vec<AtDefaults> = rows
            .iter()
            .step_by(if asked("quick") { 8 } else { 1 })
            .filter_map(|row| against_defaults(&corpus, row))
            .collect();
        return write(&format!("{}{}", sections().0, defaults_report(&rows)));
    }
    let row = |file: &&str| Row { file: (*file).to_owned(), states: 0 };
    let (small, large): (Vec<Row>, Vec<Row>) = if asked("named") {
        (Vec::new(), NAMED.iter().map(row).collect())
    } else {
        let (large, small): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|r| r.states >= LARGE);
        let large = large.into_iter().step_by(every_large).chain(ALWAYS.iter().map(row));
        (small.into_iter().step_by(every_small).collect(), large.collect())
    };
    let small: Vec<Measured> = small.iter().filter_map(|row| measure(&corpus, row, false)).collect();
    let large: Vec<Measured> = large.iter().filter_map(|row| measure(&corpus, row, true)).collect();
    write(&format!("{}{}", report(&small, &large), sections().1));
}

fn write(text: &str) {
    println!("{text}");
    if let Err(error) = std::fs::write(root().join("benches/RESULTS.md"), text) {
        println!("cannot write the table: {error}");
    }
}

const DEFAULTS: &str = "\n## SPIN at its defaults\n";

/// What was written before: up to the section on SPIN's defaults, and that section.
fn sections() -> (String, String) {
    let text = std::fs::read_to_string(root().join("benches/RESULTS.md")).unwrap_or_default();
    let at = text.find(DEFAULTS).unwrap_or(text.len());
    (text[..at].to_owned(), text[at..].to_owned())
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

/// A copy of the folder of a model, and the name of the model there.
fn copied(corpus: &Path, row: &Row) -> Option<(PathBuf, String)> {
    eprintln!("{}", row.file);
    let model = corpus.join(&row.file);
    let (folder, name) = (model.parent()?, model.file_name()?.to_str()?);
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("against_spin");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir_all(&work).ok()?;
    let copied = Command::new("cp").arg("-r").arg(folder.join(".")).arg(&work).status().ok()?;
    copied.success().then(|| (work, name.to_owned()))
}

/// States and CPU seconds.
struct AtDefaults {
    file: String,
    raw: u64,
    pan: (u64, f64),
    /// With `--reduction order`.
    order: (u64, f64),
    /// Without options; nothing where there are errors.
    plain: Option<(u64, f64)>,
    /// With `--reduction none`; for large models.
    whole: Option<(u64, f64)>,
}

fn against_defaults(corpus: &Path, row: &Row) -> Option<AtDefaults> {
    let (work, name) = copied(corpus, row)?;
    // `time` of bash counts the processor time of what it waits for.
    let seconds = |arguments: &[&str]| {
        let timed = ["-c", "ulimit -t 120; TIMEFORMAT='%U %S'; time \"$@\"", "bash"];
        let mut command = Command::new("bash");
        command.args(timed).args(arguments).current_dir(&work).stdin(Stdio::null());
        let output = command.output().ok()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let spent = said.lines().last()?.split_whitespace().map(|second| second.parse::<f64>().ok());
        Some((String::from_utf8_lossy(&output.stdout).into_owned(), spent.sum::<Option<f64>>()?))
    };
    seconds(&["spin", "-a", &name])?;
    let quality = if row.states > TIMED { "-O2" } else { "-O0" };
    seconds(&["cc", quality, "-w", "-DNOCLAIM", "-DVECTORSZ=8192", "-o", "pan", "pan.c"])?;
    // At its defaults, but that it goes on after errors, looks at no claim, and has room for long states and deep
    // stacks.
    let (said, spent) = seconds(&["./pan", "-m2000000", "-c0", "-n"])?;
    let pan = (stored(&said)?, spent);
    let check = |more: &[&str]| {
        let fixed = ["check", &name, "-p", "safety,deadlock", "--format", "json", "--timeout", "900s", "--jobs", "1"];
        let (said, spent) = seconds(&[&[env!("CARGO_BIN_EXE_highwater")], &fixed[..], more].concat())?;
        let document: Value = serde_json::from_str(&said).ok()?;
        let results = document["results"].as_array()?.clone();
        let proved = results.iter().all(|result| result["verdict"] == "proved");
        // Without `--keep-going` a violation of one property leaves the other one open.
        let stopped = |result: &Value| result["reason"] == "stopped-early" && !more.contains(&"--keep-going");
        let ended = results.iter().all(|result| result["verdict"] != "inconclusive" || stopped(result));
        ended.then_some(((results.first()?["stats"]["states"].as_u64()?, spent), proved))
    };
    let (order, _) = check(&["--reduction", "order", "--keep-going"])?;
    let plain = check(&[])?;
    let whole = || Some(check(&["--reduction", "none", "--keep-going"])?.0);
    Some(AtDefaults {
        file: row.file.clone(),
        raw: row.states,
        pan,
        order,
        plain: plain.1.then_some(plain.0),
        whole: if row.states > TIMED { whole() } else { None },
    })
}

/// The states that `pan` stored, if it visited them all.
fn stored(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.ends_with("states, stored"))?;
    let complete = !said.contains("Search not completed") && !said.contains("max search depth too small");
    let states = line.split_whitespace().next()?.parse::<f64>().ok()?;
    complete.then_some(states as u64)
}

/// From so many states of the raw state space on, time is compared.
const TIMED: u64 = 200_000;

fn defaults_report(rows: &[AtDefaults]) -> String {
    let no_more = rows.iter().filter(|row| row.order.0 <= row.pan.0).count();
    // `time` counts milliseconds.
    let faster = |row: &AtDefaults| Some(row.pan.1.max(0.001) / row.plain?.1.max(0.001));
    let timed: Vec<f64> = rows.iter().filter(|row| row.raw > TIMED).filter_map(faster).collect();
    let whole = |row: &AtDefaults| row.pan.1.max(0.001) / row.order.1.max(0.001);
    let all: Vec<f64> = rows.iter().filter(|row| row.raw > TIMED).map(whole).collect();
    let long: Vec<(u64, u64)> = rows
        .iter()
        .filter_map(|row| row.plain.filter(|plain| plain.1 > 1.0).map(|plain| (plain.0, row.pan.0)))
        .collect();
    // Where next to nothing is left out: how much longer it takes, and where most.
    let useless: Vec<f64> = rows
        .iter()
        .filter_map(|row| Some((row.order, row.whole?)))
        .filter(|(order, whole)| order.0 * 20 >= whole.0 * 19)
        .map(|(order, whole)| order.1.max(0.001) / whole.1.max(0.001))
        .collect();
    let mut text = format!(
        "{DEFAULTS}\nMeasured by `against_spin.rs -- defaults` on all public models that SPIN's raw search finishes: `spin -a`, \
         `cc -O2`, `./pan`, against `check` in one thread. CPU seconds are those of the search alone, without `spin` and `cc`; they are compared on \
         models with more than {TIMED} raw states.\n\n\
         * States with `--reduction order`: no more than `pan`'s on **{no_more} of {}** models.\n\
         * CPU time of `check` without options, on the {} models without errors that have more than {TIMED} raw states: \
         **{:.2} times** as fast as `pan` (geometric mean), {} of them less than 0.8 times as fast.\n\
         * CPU time of `--reduction order --keep-going` on all {} models that have more than {TIMED} raw states: **{:.2} times**, \
         {} of them less than 0.8 times.\n\
         * States of `check` without options where it takes more than a second: no more than `pan`'s on {} of {} models.\n\
         * Where it leaves out less than a twentieth of the states, `--reduction order` takes **{:.2} times** the CPU time of \
         `--reduction none` (geometric mean of {} models), {:.2} times at most.\n\n",
        rows.len(),
        timed.len(),
        geometric_mean(timed.iter().copied()),
        timed.iter().filter(|ratio| **ratio < 0.8).count(),
        all.len(),
        geometric_mean(all.iter().copied()),
        all.iter().filter(|ratio| **ratio < 0.8).count(),
        long.iter().filter(|(plain, pan)| plain <= pan).count(),
        long.len(),
        geometric_mean(useless.iter().copied()),
        useless.len(),
        useless.iter().copied().fold(0.0, f64::max),
    );
    text += "| model | raw states | pan | `--reduction order` | `check` | pan, CPU s | `order`, CPU s | `check`, CPU s | \
             `none`, CPU s |\n";
    text += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for AtDefaults { file, raw, pan, order, plain, whole } in rows {
        let shown = |spent: Option<f64>| match spent {
            Some(spent) if *raw > TIMED => format!("{spent:.2}"),
            _ => String::new(),
        };
        let states = plain.map_or_else(String::new, |plain| plain.0.to_string());
        let _ = writeln!(
            text,
            "| {file} | {raw} | {} | {} | {states} | {} | {} | {} | {} |",
            pan.0,
            order.0,
            shown(Some(pan.1)),
            shown(Some(order.1)),
            shown(plain.map(|plain| plain.1)),
            shown(whole.map(|whole| whole.1)),
        );
    }
    text
}

fn measure(corpus: &Path, row: &Row, large: bool) -> Option<Measured> {
    let (work, name) = copied(corpus, row)?;
    let name = name.as_str();
    if row.file == PETERSON {
        let text = std::fs::read_to_string(work.join(name)).ok()?;
        std::fs::write(work.join(name), text.replace("#define N\t5", "#define N\t4")).ok()?;
    }
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).current_dir(&work).stdin(Stdio::null()).output().ok()
    };
    let (generate, _) = best(|| run("spin", &["-o1", "-o2", "-o3", "-a", name]))?;
    let (compile, compiled) = best(|| run("cc", &[&FLAGS[..], &["-o", "pan", "pan.c"]].concat()))?;
    if !compiled.status.success() {
        return None;
    }
    let (pan, output) = best(|| run("./pan", &PAN))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let check =
        |arguments: &[&str]| run(env!("CARGO_BIN_EXE_highwater"), &[&["check", name], &CHECK[..], arguments].concat());
    let (highwater, output) = best(|| check(&["--jobs", "1"]))?;
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    let stats = &document["results"][0]["stats"];
    let states = stats["states"].as_u64()?;
    let per_state = |bytes: f64| bytes / states.max(1) as f64;
    let more = || {
        run("cc", &[&FLAGS[..], &["-DCOLLAPSE", "-o", "collapse", "pan.c"]].concat())?;
        let collapsed = run("./collapse", &PAN)?;
        Some(More {
            two_threads: best(|| check(&["--jobs", "2"]))?.0,
            unpacked: best(|| check(&["--jobs", "1", "--unpacked"]))?.0,
            collapse_bytes: per_state(megabytes_for_states(&String::from_utf8_lossy(&collapsed.stdout))? * 1_048_576.0),
            steps: per_state(stats["transitions"].as_f64()?),
            length: per_state(stats["state_bytes"].as_f64()?),
        })
    };
    Some(Measured {
        file: row.file.clone(),
        states,
        spin_total: generate + compile + pan,
        pan,
        highwater,
        pan_bytes: per_state(megabytes_for_states(&said)? * 1_048_576.0),
        highwater_bytes: per_state(stats["memory_bytes"].as_f64()?),
        more: if large { more() } else { None },
    })
}

const FLAGS: [&str; 6] = ["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DNOREDUCE", "-DVECTORSZ=8192"];
const PAN: [&str; 4] = ["-m2000000", "-w22", "-c0", "-n"];
const CHECK: [&str; 7] = ["-p", "safety,deadlock", "--keep-going", "--format", "json", "--timeout", "300s"];

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
         * States per second against `pan` (`-O2 -DSAFETY -DNOREDUCE`) on {} large models (0.4 million states or more), \
         geometric mean: **{rate:.2}** of pan's.\n",
        all().count(),
        large.len()
    );
    let threads = geometric_mean(large.iter().filter_map(|m| Some(m.highwater / m.more.as_ref()?.two_threads)));
    let smaller =
        geometric_mean(large.iter().filter_map(|m| Some(m.more.as_ref()?.collapse_bytes / m.highwater_bytes)));
    let packing = geometric_mean(large.iter().filter_map(|m| Some(m.highwater / m.more.as_ref()?.unpacked)));
    let _ = writeln!(
        text,
        "* Two threads against one, geometric mean: **{threads:.2} times** as fast.\n\
         * Bytes per state of `pan` with `-DCOLLAPSE` against Highwater's, geometric mean: **{smaller:.1} times** as many.\n\
         * What packing states costs (one thread, against `--unpacked`), geometric mean: {packing:.2} times the time.\n"
    );
    text += "Bytes per state count states and tables of both tools (pan with `-w22`); petersonN is run with four processes.\n\n";
    text += "| model | states | pan, s | highwater, s | states/s of pan's | two threads, s | of one | bytes/state pan \
             | pan -DCOLLAPSE | highwater | what limits it |\n";
    text += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
    for m in large {
        text += &line(m);
    }
    text
}

fn line(m: &Measured) -> String {
    let mut text =
        format!("| {} | {} | {:.2} | {:.2} | {:.2} |", m.file, m.states, m.pan, m.highwater, m.pan / m.highwater);
    let (two, gain, collapse) = match &m.more {
        Some(more) => (
            format!("{:.2}", more.two_threads),
            format!("{:.2}", m.highwater / more.two_threads),
            format!("{:.0}", more.collapse_bytes),
        ),
        None => (String::new(), String::new(), String::new()),
    };
    let limit = m.more.as_ref().map(|more| limit(m, more)).unwrap_or_default();
    let _ = writeln!(text, " {two} | {gain} | {:.0} | {collapse} | {:.0} | {limit} |", m.pan_bytes, m.highwater_bytes);
    text
}

/// What most of the time goes to, as far as these numbers tell.
fn limit(m: &Measured, more: &More) -> String {
    let packing = 100.0 * (1.0 - more.unpacked / m.highwater);
    let step = 1e9 * more.unpacked / (more.steps * m.states as f64);
    if more.steps > 8.0 {
        format!("{:.0} steps per state, most inside atomic sequences, interpreted at {step:.0} ns each", more.steps)
    } else if packing > 25.0 {
        format!(
            "packing: {packing:.0} % of the time for states of {:.0} bytes, {:.1} steps each",
            more.length, more.steps
        )
    } else if step > 150.0 {
        format!("interpretation, {step:.0} ns for each of {:.1} steps per state; packing {packing:.0} %", more.steps)
    } else {
        format!(
            "cache misses of look-ups, {:.1} per state at {step:.0} ns with the step; packing {packing:.0} %",
            more.steps
        )
    }
}
