//! A run that ends in an error becomes a C file; compiled, it ends at the same error.

use crate::common;

use cfront::interpret::{Outcome, Request, run};
use cfront::program::ErrorKind;
use cfront::{DataModel, Input, Options, witness};
use std::process::Command;

/// The status of the compiled test; `None` if there is no compiler.
fn status(text: &str, name: &str) -> Option<i32> {
    let compiler = cfront::preprocess::compiler()?;
    let directory = std::env::temp_dir().join(format!("highwater-w-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
    let (source, program) = (directory.join("test.c"), directory.join("test"));
    std::fs::write(&source, text).ok()?;
    let output = Command::new(compiler).args(["-w", "-fwrapv", "-o"]).args([&program, &source]).output().ok()?;
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    let status = Command::new(&program).status().ok()?;
    let _ = std::fs::remove_dir_all(&directory);
    status.code()
}

/// Finds inputs that lead to an error by trying, writes the test, compiles it and runs it.
fn reproduces(text: &str, kind: ErrorKind, name: &str) {
    let options = Options { data_model: DataModel::Lp64, ..Options::default() };
    let input = Input::plain("unit.c", text);
    let program = common::program(text, &options);
    let component = &program.components[0];
    let found = (0..10_000).find_map(|seed| {
        let mut random = common::Random::new(seed);
        let run = run(component, &mut |_: &Request| random.bits() % 6, 10_000);
        matches!(run.outcome, Outcome::Error(found, _) if found == kind).then_some(run)
    });
    let Some(run) = found else { panic!("no inputs lead to the error\n{text}") };
    let test = witness::test(&input, component, &run, DataModel::Lp64);
    assert!(test.exits && test.missing.is_empty(), "{:?}", test.missing);
    if let Some(status) = status(&test.text, name) {
        assert_eq!(status, witness::STATUS, "{}", test.text);
    }
}

#[test]
fn a_call_of_an_error_routine_is_reproduced() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_error(void) __attribute__((noreturn));
        extern void __VERIFIER_assume(int);
        int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 1);
        for (int i = 0; i < 3; i++) y += __VERIFIER_nondet_int() * x;
        if (y == 19) { ERROR: __VERIFIER_error(); } return 0; }";
    reproduces(text, ErrorKind::ErrorCall, "call");
}

#[test]
fn an_error_routine_with_a_body_is_reproduced() {
    let text = "extern unsigned long __VERIFIER_nondet_ulong(void); void reach_error() { }
        int main(void) { if (__VERIFIER_nondet_ulong() == 3) reach_error(); return 0; }";
    reproduces(text, ErrorKind::ErrorCall, "body");
}

#[test]
fn an_assertion_is_reproduced() {
    let text = "extern _Bool flip(int); int main(void) { int n = 0; while (flip(n)) n++; assert(n < 4); return 0; }";
    reproduces(text, ErrorKind::Assertion, "assertion");
}

#[test]
fn an_error_label_and_values_that_were_not_initialised_are_reproduced() {
    let text = "int main(void) { int a, b = 1, c; for (int i = 0; i < 2; i++) { short d; b = b * 7 + d; }
        if (a == 3 && c == a + 1 && b == 75) goto ERROR; return 0; ERROR: return 1; }";
    reproduces(text, ErrorKind::ErrorLabel, "label");
}

#[test]
fn a_routine_that_the_run_does_not_call_need_not_exist() {
    let text = "extern int __VERIFIER_nondet_int(void); void elsewhere(int); void reach_error(void); int (*far)(void);
        static int unused(void) { elsewhere(3); return __VERIFIER_nondet_long(); }
        void check(int holds) { if (!holds) reach_error(); }
        int main(void) { int x = __VERIFIER_nondet_int(); check(x != 2); if (x == 77) { check(0); elsewhere(x); }
        assert(x != 3); return 0; }";
    reproduces(text, ErrorKind::ErrorCall, "unused");
    reproduces(text, ErrorKind::Assertion, "unused-assertion");
}
