//! Random models and formulas against SPIN itself, where SPIN and a C compiler are installed.
//!
//! The formulas have neither events nor `X`, and the models no assertions; `pan -a -E` then has an error just if the
//! formula is violated. `HIGHWATER_SPIN=N` compares N models, each with a formula and with a `never` claim; without it a
//! handful is tried. Without SPIN the test says so and passes.
//!
//! Weak fairness (`-f`) is compared for models without a rendezvous. With one, SPIN's is another notion: there, the receiver
//! of a rendezvous neither can move nor does move; only the sender does. Here, both can, and both do. With `-f` SPIN also
//! misses some runs that end and go on in their last state (seed 110), so only violations that it finds are compared.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use crate::ltl_models;

use crate::ltl_models::Style;
use std::path::Path;
use std::process::Command;
use testing::judge;

const STYLE: Style = Style { own: false };

/// Whether SPIN's verifier finds an error; `None` if it gave up.
fn spin(folder: &Path, fair: bool) -> Option<bool> {
    let arguments: &[&str] = if fair { &["-a", "-E", "-n", "-f", "-m100000"] } else { &["-a", "-E", "-n", "-m100000"] };
    let report = judge::verify(folder, arguments)?;
    // Some formulas are beyond SPIN's grammar, and then there is no claim.
    let claimed = report.0.lines().any(|line| line.contains("never claim") && line.contains('+'));
    if !claimed {
        return None;
    }
    let errors = report.errors()?;
    if errors == 0 && !report.is_complete() { None } else { Some(errors > 0) }
}

/// Whether the tool finds a violation; `None` if there is no answer.
fn highwater(folder: &Path, property: &str, fair: bool) -> Option<bool> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_highwater"));
    command.current_dir(folder).args(["check", "model.pml", "-p", property, "--timeout", "20s"]);
    let output = command.args(if fair { &["--fair"][..] } else { &[] }).output().expect("the tool runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0) => Some(false),
        Some(1) => Some(true),
        // It holds for an empty reason.
        Some(3) if said.contains("vacuous") => Some(false),
        _ => None,
    }
}

/// Compares one model; returns how many answers were compared.
fn compare(folder: &Path, seed: u64, property: &str, text: &str) -> u64 {
    std::fs::write(folder.join("model.pml"), text).expect("the model is written");
    let Some(ours) = highwater(folder, property, false) else { return 0 };
    if !judge::make_verifier(folder, &[]) {
        return 0;
    }
    let mut compared = 0;
    if let Some(theirs) = spin(folder, false) {
        assert_eq!(ours, theirs, "seed {seed}: {property} is violated here: {ours}, for SPIN: {theirs}\n{text}");
        compared += 1;
    }
    let meets = text.contains("r!") && text.contains("r?");
    if let (false, Some(ours), Some(theirs)) = (meets, highwater(folder, property, true), spin(folder, true)) {
        assert!(ours || !theirs, "seed {seed}: {property}, fair, violated here: {ours}, for SPIN: {theirs}\n{text}");
        compared += 1;
    }
    compared
}

#[test]
fn formulas_and_claims_have_the_verdicts_of_spin() {
    if !judge::has_spin() {
        println!("skipped: SPIN or a C compiler is not installed");
        return;
    }
    let count = judge::models_for_spin(4);
    let first = testing::first(0);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ltl-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for SPIN");
    let mut compared = 0;
    for seed in first..first + count {
        let model = ltl_models::model(seed, STYLE);
        // For SPIN, acceptance labels of processes count beside a formula, too.
        let plain = model.replace("accept_", "other_");
        let formula = format!("{plain}ltl f {{ {} }}\n", ltl_models::formula(seed, STYLE));
        compared += compare(&folder, seed, "ltl:f", &formula);
        compared += compare(&folder, seed, "never", &format!("{model}{}", ltl_models::never(seed, STYLE)));
    }
    let _ = std::fs::remove_dir_all(&folder);
    eprintln!("{compared} answers compared");
    assert!(compared >= count, "SPIN answered only {compared} of {count} models");
}
