//! Other tools as judges: SPIN and the system's C compiler, where they are installed.
//!
//! A judge that is missing is no failure: the test says that it compared nothing, and passes.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Whether a program can be called with this argument.
pub fn installed(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Whether there is a C compiler.
pub fn has_compiler() -> bool {
    installed("cc", "--version")
}

/// Whether SPIN can make verifiers.
pub fn has_spin() -> bool {
    installed("spin", "-V") && has_compiler()
}

/// The compiler for SPIN's verifiers: Tiny C takes a tenth of the time that the system's compiler takes.
pub fn verifier_compiler() -> &'static str {
    if installed("tcc", "-v") { "tcc" } else { "cc" }
}

/// How many models are compared with SPIN's answers: `HIGHWATER_SPIN`, or the usual number.
pub fn models_for_spin(usual: u64) -> u64 {
    asked_for_spin().unwrap_or(usual)
}

/// `HIGHWATER_SPIN`, for comparisons that are not made without it.
pub fn asked_for_spin() -> Option<u64> {
    crate::variable("HIGHWATER_SPIN")
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Option<Output> {
    Command::new(program).args(arguments).current_dir(folder).output().ok()
}

/// Makes SPIN's verifier of `model.pml` in a folder, without optimisations that change the number of states; the flags are
/// the compiler's. False if SPIN refuses the model.
pub fn make_verifier(folder: &Path, flags: &[&str]) -> bool {
    let _ = std::fs::remove_file(folder.join("pan.c"));
    let arguments = [&["-O0", "-w", "-DNOREDUCE"], flags, &["-o", "pan", "pan.c"]].concat();
    run(folder, "spin", &["-o1", "-o2", "-o3", "-a", "model.pml"]).is_some()
        && run(folder, "cc", &arguments).is_some_and(|output| output.status.success())
}

/// What the verifier in a folder reports.
pub fn verify(folder: &Path, arguments: &[&str]) -> Option<SpinReport> {
    let output = run(folder, "./pan", arguments)?;
    Some(SpinReport(String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// The report of SPIN's verifier.
pub struct SpinReport(pub String);

impl SpinReport {
    /// Whether the whole state space was searched.
    pub fn is_complete(&self) -> bool {
        !self.0.contains("Search not completed") && !self.0.contains("max search depth too small")
    }

    /// How many errors were found.
    pub fn errors(&self) -> Option<u64> {
        self.0.split("errors: ").nth(1)?.split_whitespace().next()?.parse().ok()
    }

    /// How many states were stored.
    pub fn states(&self) -> Option<u64> {
        let end = self.0.find(" states, stored")?;
        self.0[..end].split_whitespace().next_back()?.parse::<f64>().ok().map(|number| number as u64)
    }
}

/// Compiles a C program, with assertions and wrapping arithmetic; the exit code of running it.
pub fn exit_code_of_c(source: &Path, binary: &Path) -> Option<i32> {
    let compiled =
        Command::new("cc").args(["-fwrapv", "-w", "-o"]).args([binary, source]).output().expect("a compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Command::new(binary).stdin(Stdio::null()).status().expect("it runs").code()
}
