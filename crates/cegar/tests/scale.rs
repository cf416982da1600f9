//! A procedure of 3,000 lines, 20 components, 200 predicates: inside the limits, and with an answer.
//!
//! The long procedure is a state machine with a case for each phase of a protocol, as they are written by hand and by
//! generators: flags that are set in one phase and requested in another, counters, choices of the environment.

use crate::common::{ask, checked, read_with, specification};
use cegar::{Outcome, Question, Specification};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The phases of the long procedure; each is some lines long.
const PHASES: usize = 200;
/// The workers beside it.
const WORKERS: usize = 19;

/// A state machine: each phase asks a worker to do something, waits for it, and looks at what was found out before.
fn long_procedure(wrong: bool) -> String {
    let mut text = String::from("int __VERIFIER_nondet_int(void);\nvoid assert(int holds);\n");
    for worker in 0..WORKERS {
        let _ = writeln!(text, "void ask{worker}(void);\nvoid done{worker}(void);");
    }
    text += "int phase = 1;\nint errors = 0;\nint flags[8];\nint steps = 0;\n\nvoid engine(void)\n{\n";
    text += "    while (1) {\n        int found = __VERIFIER_nondet_int();\n        int kind = 0;\n";
    text += "        switch (phase) {\n";
    for phase in 1..=PHASES {
        let (worker, flag) = (phase % WORKERS, phase % 8);
        let next = if phase == PHASES { 1 } else { phase + 1 };
        let _ = writeln!(text, "        case {phase}:");
        let _ = writeln!(text, "            if (found < 0)\n                kind = 1;");
        let _ = writeln!(text, "            else if (found > {phase})\n                kind = 2;");
        let _ = writeln!(text, "            ask{worker}();\n            done{worker}();");
        let _ = writeln!(text, "            if (kind == 1) {{\n                flags[{flag}] = 1;");
        let _ = writeln!(text, "            }} else {{\n                flags[{flag}] = 0;\n            }}");
        let _ = writeln!(text, "            assert(kind == 1 || !flags[{flag}]);");
        let _ = writeln!(text, "            steps = steps + 1;\n            phase = {next};\n            break;");
    }
    text += "        default:\n            assert(0);\n        }\n";
    if wrong {
        text += "        if (phase == 100 && found == 77)\n            phase = 400;\n";
    }
    text += "    }\n}\n";
    text += "void begin(void);\nvoid end(void);\n";
    text += "void worker(void)\n{\n    while (1) {\n        begin();\n        end();\n    }\n}\n";
    text
}

fn system(wrong: bool) -> Specification {
    let mut spec = String::from("file \"engine.c\";\nprogram = (engine");
    for worker in 0..WORKERS {
        let _ = write!(spec, " || w{worker}:worker/{{ask{worker}/w{worker}.begin, done{worker}/w{worker}.end}}");
    }
    spec += ")\nltl InTurn { [] (ask3 -> <> ask4) }\n";
    let text = long_procedure(wrong);
    assert!(text.lines().count() > 3_000, "{}", text.lines().count());
    specification(read_with("scale.spec", &spec, &[("engine.c", &text)]))
}

#[test]
fn three_thousand_lines_and_twenty_components_have_an_answer() {
    let specification = system(false);
    for question in [Question::Deadlock, Question::Safety, Question::Formula(0)] {
        let start = Instant::now();
        let answer = ask(&specification, question, 60);
        if std::env::var_os("HIGHWATER_TELL").is_some() {
            #[allow(clippy::print_stderr)]
            {
                eprintln!("{question:?} {:?} {:?}", start.elapsed(), answer.statistics);
            }
        }
        match answer.verdict {
            Outcome::Holds(holds) => {
                checked(&specification, &holds).expect("a proof");
            }
            other => panic!("{question:?}: {other:?}"),
        }
    }
}

#[test]
fn a_mistake_behind_a_hundred_phases_is_found() {
    let specification = system(true);
    let start = Instant::now();
    let answer = ask(&specification, Question::Safety, 60);
    if std::env::var_os("HIGHWATER_TELL").is_some() {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("{:?} {:?}", start.elapsed(), answer.statistics);
        }
    }
    let Outcome::Fails(violation) = answer.verdict else { panic!("{:?}", answer.verdict) };
    let asked = violation.steps.iter().filter(|step| step.event.as_ref().is_some_and(|name| name.starts_with("ask")));
    assert_eq!(asked.count(), 99, "one worker for each phase");
}

#[test]
fn limits_hold_for_a_long_procedure() {
    let specification = system(false);
    let start = Instant::now();
    let answer = ask(&specification, Question::Safety, 0);
    assert!(matches!(answer.verdict, Outcome::Inconclusive(_)));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
