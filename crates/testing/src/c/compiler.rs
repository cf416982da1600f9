//! Programs as a compiler sees them: many in one file, each run on many inputs, and what came of it.
//!
//! Statics are put back between runs by copying the program's data; what is undefined traps, and a trap is caught. So
//! thousands of runs need one process.

use super::inputs::{INPUTS_IN_C, NONDET_IN_C};
use crate::judge;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The first runs are kept in full.
pub const KEPT: u64 = 6;

/// The runs of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runs {
    /// On so many sequences of random inputs.
    Random(u64),
    /// On every value of its only input, which has 16 bits.
    Every,
}

impl Runs {
    /// How many, and the next input of run number `run` in C.
    fn in_c(self) -> (u64, &'static str) {
        match self {
            Runs::Random(number) => (number, "next_input()"),
            Runs::Every => (1 << 16, "word"),
        }
    }
}

/// How a compiled run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// With this value.
    Returned(i64),
    /// At an error that the program states.
    Error,
    /// By doing what is undefined.
    Fault,
    /// At an assumption that does not hold.
    Blocked,
    /// After too many inputs.
    TooLong,
}

/// What all runs of one program did.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// The first ones.
    pub kept: Vec<End>,
    /// A run that reached an error, by the number of its inputs.
    pub error: Option<u64>,
    /// A run that trapped.
    pub fault: Option<u64>,
    /// The lowest and the highest value that a run returned, if one did.
    pub range: Option<(i64, i64)>,
}

/// What a run does that is undefined must trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags {
    /// Signed overflow is undefined; otherwise it wraps.
    pub signed_overflow: bool,
    /// `long` has 32 bits.
    pub short_long: bool,
}

impl Flags {
    fn arguments(self) -> Vec<&'static str> {
        let mut list = vec!["-std=gnu11", "-w", "-O0", "-fno-strict-aliasing", "-fsanitize-undefined-trap-on-error"];
        list.push("-fsanitize=bounds,bounds-strict,shift-exponent,integer-divide-by-zero,null");
        list.push(if self.signed_overflow { "-fsanitize=signed-integer-overflow" } else { "-fwrapv" });
        list
    }
}

/// The seed of the inputs of a run.
pub fn input_seed(program: u64, run: u64) -> u64 {
    run * 1_000_003 + program
}

const HARNESS: &str = "
int printf(const char *, ...); void *malloc(unsigned long long); void *memcpy(void *, const void *, unsigned long long);
#include <setjmp.h>
#include <signal.h>
extern char __data_start[], _end[];
static sigjmp_buf back; static int asked; static unsigned long long word;
static unsigned long long next(void) {
  if (++asked > 400) siglongjmp(back, 4);
  return INPUT;
}
NONDET
void __VERIFIER_assume(int holds) { if (!holds) siglongjmp(back, 3); }
void reach_error(void) { siglongjmp(back, 1); }
static void trap(int number) { siglongjmp(back, 2); }
static void go(long long (*test)(void), unsigned long long program, void *saved) {
  volatile struct { unsigned long long run, error, fault, returned; long long low, high; } kept = {0};
  for (kept.run = 0; kept.run < RUNS; kept.run++) {
    memcpy(__data_start, saved, _end - __data_start);
    asked = 0; word = kept.run; state = kept.run * 1000003ULL + program;
    int end = sigsetjmp(back, 0);
    long long value = 0;
    if (!end) {
      value = test();
      if (!kept.returned || value < kept.low) kept.low = value;
      if (!kept.returned || value > kept.high) kept.high = value;
      kept.returned = 1;
    }
    if (end == 1 && !kept.error) kept.error = kept.run + 1;
    if (end == 2 && !kept.fault) kept.fault = kept.run + 1;
    if (kept.run < KEPT) {
      if (end) printf(\"%c \", \"?EFBL\"[end]); else printf(\"%lld \", value);
    }
  }
  printf(\"%llu %llu %llu %lld %lld\\n\", kept.error, kept.fault, kept.returned, kept.low, kept.high);
}
";

/// Runs these programs, each given by its number and its text; `None` if there is no compiler.
pub fn run_all(programs: &[(u64, String)], runs: Runs, flags: Flags, name: &str) -> Option<Vec<Ends>> {
    if !judge::has_compiler() {
        return None;
    }
    let (number, input) = runs.in_c();
    let mut text = String::from(super::wide::DECLARATIONS);
    programs.iter().for_each(|(_, unit)| text.push_str(unit));
    text += INPUTS_IN_C;
    let harness = HARNESS.replace("NONDET", NONDET_IN_C).replace("INPUT", input);
    text += &harness.replace("RUNS", &number.to_string()).replace("KEPT", &KEPT.to_string());
    text += "int main(void) {\n  struct sigaction act = {0}; act.sa_handler = trap; act.sa_flags = SA_NODEFER;\n";
    text += "  sigaction(SIGILL, &act, 0); sigaction(SIGFPE, &act, 0); sigaction(SIGSEGV, &act, 0); sigaction(SIGBUS, &act, 0);\n";
    text += "  void *saved = malloc(_end - __data_start); memcpy(saved, __data_start, _end - __data_start);\n";
    for (number, _) in programs {
        let _ = writeln!(text, "  go(test_{number}, {number}ULL, saved);");
    }
    text += "  return 0;\n}\n";
    let made = built(&text, flags, name);
    let output = Command::new(&made.program).output();
    let output = output.unwrap_or_else(|error| panic!("{name}: {error}"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<Ends> = said.lines().map(ends).collect();
    assert_eq!(lines.len(), programs.len(), "{name}: {:?} after {said}", output.status);
    Some(lines)
}

fn ends(line: &str) -> Ends {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let mut last =
        || words.pop().and_then(|word| word.parse::<i64>().ok()).unwrap_or_else(|| panic!("no number: {line}"));
    let (high, low, returned) = (last(), last(), last());
    let mut run = || u64::try_from(last()).ok().and_then(|number| number.checked_sub(1));
    let (fault, error) = (run(), run());
    let kept = words.iter().map(|word| match *word {
        "E" => End::Error,
        "F" => End::Fault,
        "B" => End::Blocked,
        "L" => End::TooLong,
        number => End::Returned(number.parse().unwrap_or_else(|_| panic!("no number: {line}"))),
    });
    Ends { kept: kept.collect(), error, fault, range: (returned != 0).then_some((low, high)) }
}

/// The status of a whole program when it is run: `Err` is a signal. `None` if there is no compiler.
pub fn status(text: &str, flags: Flags, traps: bool, name: &str) -> Option<Result<i32, ()>> {
    if !judge::has_compiler() {
        return None;
    }
    let made = if traps { built(text, flags, name) } else { plain(text, flags, name) };
    let status = Command::new(&made.program).stdin(Stdio::null()).status().ok()?;
    Some(status.code().ok_or(()))
}

/// A program that vanishes with its directory.
struct Made {
    directory: PathBuf,
    program: PathBuf,
}

impl Drop for Made {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn built(text: &str, flags: Flags, name: &str) -> Made {
    compile(text, flags, &flags.arguments(), name)
}

fn plain(text: &str, flags: Flags, name: &str) -> Made {
    compile(text, flags, &["-w", "-fwrapv"], name)
}

fn compile(text: &str, flags: Flags, arguments: &[&str], name: &str) -> Made {
    let directory = std::env::temp_dir().join(format!("highwater-attack-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap_or_else(|error| panic!("{name}: {error}"));
    let made = Made { program: directory.join("program"), directory };
    let source = made.directory.join("program.c");
    let text = if flags.short_long { with_short_long(text) } else { text.to_owned() };
    write(&source, &text);
    let output = Command::new("cc").args(arguments).arg("-o").args([&made.program, &source]).output();
    let output = output.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(output.status.success(), "{name}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    made
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// A text for 32-bit `long` as one for a 64-bit compiler: there, `int` has the width and the conversions of `long`.
pub fn with_short_long(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut changed = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match is_word(first) {
            true => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        let number = first.is_ascii_digit() && word.ends_with('L') && !word.ends_with("LL");
        if word == "long" && after.starts_with(" long") {
            changed += "long long";
            rest = &after[" long".len()..];
            continue;
        }
        changed += match word {
            "long" => "int",
            word if number => word.trim_end_matches('L'),
            word => word,
        };
        rest = after;
    }
    changed
}
