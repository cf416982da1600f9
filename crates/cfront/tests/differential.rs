//! The interpreter against the compiler: random programs do the same in both.
//!
//! Many tests go into one file, which is compiled once without optimisation; each test runs in a process of its own on
//! several inputs. Where there is no compiler the test says so and passes.

#![allow(clippy::print_stdout, reason = "a test says what it compared")]

use crate::common;

use crate::common::generate::generate;
use crate::common::{Random, seeds};
use cfront::interpret::{Outcome, Request, run};
use cfront::program::ErrorKind;
use cfront::{DataModel, Options};
use std::fmt::Write;
use std::process::Command;
use testing::c::inputs::{INPUTS_IN_C, Inputs, NONDET_IN_C};

const RUNS: u64 = 6;
const BATCH: u64 = 24;

const DECLARATIONS: &str = "\
int __VERIFIER_nondet_int(void); unsigned int __VERIFIER_nondet_uint(void);
char __VERIFIER_nondet_char(void); unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void); unsigned short __VERIFIER_nondet_ushort(void);
long __VERIFIER_nondet_long(void); unsigned long __VERIFIER_nondet_ulong(void);
_Bool __VERIFIER_nondet_bool(void);
void reach_error(void);
";

const NEXT: &str = "static unsigned long long next(void) { return next_input(); }\n";

const HARNESS: &str = "\
int printf(const char *, ...); void _exit(int); int fork(void); int waitpid(int, int *, int); int fflush(void *);
void reach_error(void) { printf(\"error\\n\"); fflush(0); _exit(0); }
static void go(long long (*test)(void), unsigned long long seed) {
  int status = 0;
  if (fork() == 0) { state = seed; printf(\"%lld\\n\", test()); fflush(0); _exit(0); }
  waitpid(-1, &status, 0);
  if (status) { printf(\"fault\\n\"); fflush(0); }
}
";

/// What the compiled tests print, run by run; `None` if there is no compiler.
fn compiled(text: &str, numbers: &[u64], name: &str) -> Option<Vec<String>> {
    let compiler = cfront::preprocess::compiler()?;
    let directory = std::env::temp_dir().join(format!("highwater-cfront-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
    let (source, program) = (directory.join("tests.c"), directory.join("tests"));
    let mut whole = format!("{DECLARATIONS}{text}{INPUTS_IN_C}{NEXT}{NONDET_IN_C}{HARNESS}int main(void) {{\n");
    for number in numbers {
        for seed in 0..RUNS {
            let _ = writeln!(whole, "  go(test_{number}, {});", seed * 1000 + number);
        }
    }
    whole += "  return 0;\n}\n";
    std::fs::write(&source, whole).ok()?;
    let output = Command::new(compiler)
        .args(["-std=gnu11", "-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-o"])
        .args([&program, &source])
        .output()
        .ok()?;
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&program).output().ok()?;
    let _ = std::fs::remove_dir_all(&directory);
    Some(String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect())
}

/// What the interpreter says; `None` if the run is not defined by C, so that the compiler may do anything.
fn interpreted(component: &cfront::Component, seed: u64) -> Option<String> {
    let mut inputs = Inputs(seed);
    let run = run(component, &mut |_: &Request| inputs.next(), 2_000_000);
    match run.outcome {
        Outcome::Returned(Some(value)) => Some(value.to_string()),
        Outcome::Error(ErrorKind::ErrorCall, _) => Some(String::from("error")),
        Outcome::Error(ErrorKind::DivisionByZero | ErrorKind::DivisionOverflow, _) => Some(String::from("fault")),
        Outcome::Error(..) => None,
        other => panic!("{other:?}"),
    }
}

/// A unit for 32-bit `long` as one for a 64-bit compiler: there, `int` has the width and the conversions of `long`.
fn with_short_long(unit: &str) -> String {
    let unit = unit.replace("nondet_ulong", "nondet_uint").replace("nondet_long", "nondet_int");
    let mut words = Vec::new();
    for word in unit.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let is_long_number =
            name.ends_with('L') && !name.ends_with("LL") && name.starts_with(|c: char| c.is_ascii_digit());
        words.push(if is_long_number { word.replacen('L', "", 1) } else { word.to_string() });
    }
    words.concat().replace("long long", "LONGLONG").replace("long", "int").replace("LONGLONG", "long long")
}

#[test]
fn random_programs_do_the_same_in_the_interpreter_and_when_compiled() {
    compare(DataModel::Lp64, "lp64", seeds(48));
}

#[test]
fn random_programs_do_the_same_with_32_bit_longs() {
    compare(DataModel::Ilp32, "ilp32", seeds(24));
}

fn compare(data_model: DataModel, name: &str, total: u64) {
    let (mut compared, mut undefined, mut returned) = (0, 0, 0);
    for batch in 0..total.div_ceil(BATCH) {
        let numbers: Vec<u64> = (batch * BATCH..((batch + 1) * BATCH).min(total)).collect();
        let units: Vec<String> = numbers.iter().map(|&n| generate(&mut Random::new(n), n as usize)).collect();
        let mut text = units.concat();
        if data_model == DataModel::Ilp32 {
            text = with_short_long(&text);
        }
        let Some(printed) = compiled(&text, &numbers, &format!("{name}-{batch}")) else {
            println!("there is no C compiler here: nothing was compared");
            return;
        };
        let mut printed = printed.iter();
        for (number, unit) in numbers.iter().zip(&units) {
            let options = Options { data_model, entries: vec![format!("test_{number}")], ..Options::default() };
            let program = common::program(&format!("{DECLARATIONS}{unit}"), &options);
            for seed in 0..RUNS {
                let expected = printed.next().map_or("nothing", String::as_str);
                match interpreted(&program.components[0], seed * 1000 + number) {
                    None => undefined += 1,
                    // A compiler may take `x % x` for 0 without looking at `x`: what divides by zero is undefined.
                    Some(found) if found == "fault" && expected != "fault" => undefined += 1,
                    Some(found) => {
                        assert_eq!(found, expected, "{name}, test {number}, inputs {seed}\n{unit}");
                        compared += 1;
                        returned += usize::from(found.parse::<i64>().is_ok());
                    }
                }
            }
        }
    }
    println!("{compared} runs compared, {returned} of them to the end, {undefined} undefined");
    assert!(undefined * 20 < compared, "most runs are defined");
    assert!(returned * 3 > compared, "many runs get to the end");
}
