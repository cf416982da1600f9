//! Random models against SPIN itself, where SPIN and a C compiler are installed.
//!
//! `HIGHWATER_SPIN=N` compares N models; without it a handful is tried. Without SPIN the test says so
//! and passes.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use crate::generator;

use std::path::Path;
use std::process::{Command, Stdio};

fn installed(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// The number after which `word` comes in SPIN's report.
fn number_before(text: &str, word: &str) -> Option<u64> {
    let end = text.find(word)?;
    text[..end].split_whitespace().next_back()?.parse::<f64>().ok().map(|n| n as u64)
}

/// States and errors as SPIN's verifier counts them; `None` if it gave up.
fn spin(folder: &Path) -> Option<(u64, u64)> {
    let run = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).current_dir(folder).output();
    run("spin", &["-o1", "-o2", "-o3", "-a", "model.pml"]).ok()?;
    let flags = ["-O0", "-w", "-DSAFETY", "-DNOCLAIM", "-DNOREDUCE", "-o", "pan", "pan.c"];
    if !run("cc", &flags).ok()?.status.success() {
        return None;
    }
    let output = run("./pan", &["-m200000", "-c0", "-n"]).ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.contains("Search not completed") || text.contains("max search depth too small") {
        return None;
    }
    let errors = text.split("errors: ").nth(1)?.split_whitespace().next()?.parse().ok()?;
    Some((number_before(&text, " states, stored")?, errors))
}

fn highwater(folder: &Path) -> (u64, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.current_dir(folder).args([
        "check",
        "model.pml",
        "-p",
        "safety,deadlock",
        "--keep-going",
        "--format",
        "json",
    ]);
    let output = command.output().expect("the tool runs");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    let states = document["results"][0]["stats"]["states"].as_u64().expect("a number of states");
    (states, output.status.code() == Some(1))
}

#[test]
fn random_models_have_the_states_and_errors_that_spin_finds() {
    if !installed("spin", "-V") || !installed("cc", "--version") {
        println!("skipped: SPIN or a C compiler is not installed");
        return;
    }
    let count = std::env::var("HIGHWATER_SPIN").ok().and_then(|s| s.parse().ok()).unwrap_or(8);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for SPIN");
    let mut compared = 0;
    for seed in 5000..5000 + count {
        std::fs::write(folder.join("model.pml"), generator::model(seed)).expect("the model is written");
        let _ = std::fs::remove_file(folder.join("pan.c"));
        let Some((states, errors)) = spin(&folder) else { continue };
        let (ours, violated) = highwater(&folder);
        let text = generator::model(seed);
        assert_eq!(ours, states, "seed {seed}: states\n{text}");
        assert_eq!(violated, errors > 0, "seed {seed}: SPIN finds {errors} errors\n{text}");
        compared += 1;
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(compared * 2 >= count, "SPIN finished only {compared} of {count} models");
}
