//! Where a simpler abstraction would be wrong about deadlock, by name.

use crate::common::{ask, checked, read_with, specification};
use cegar::{Outcome, Question};

const HEAD: &str =
    "int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assume(int holds);\nvoid a(void);\nvoid b(void);\n";

fn gets_stuck(body: &str, rest: &str) -> bool {
    let text = format!("{HEAD}{body}");
    let specification = specification(read_with("test.spec", &format!("file \"p.c\";\n{rest}"), &[("p.c", &text)]));
    match ask(&specification, Question::Deadlock, 20).verdict {
        Outcome::Holds(holds) => {
            checked(&specification, &holds).expect("a proof");
            false
        }
        Outcome::Fails(violation) => {
            assert!(violation.loop_from.is_none());
            true
        }
        Outcome::Inconclusive(reason) => panic!("{reason:?}"),
    }
}

#[test]
fn a_run_that_fails_an_assumption_is_not_stuck() {
    let rest = "cproc p { predicate (x == 1), (x == 2); }\nS = (a -> S).\nprogram = (p || S)\n";
    let body = "int x = 1;\nvoid p(void) { __VERIFIER_assume(x == 2); while (1) a(); }\n";
    assert!(!gets_stuck(body, rest));
    let body = "int x = 1;\nvoid p(void) { x = __VERIFIER_nondet_int(); __VERIFIER_assume(x == 2); while (1) b(); }\n";
    assert!(!gets_stuck(body, rest));
    let rest = "cproc p { predicate (x == 1), (x == 2); }\nS = (b -> STOP).\nprogram = (p || S)\n";
    assert!(gets_stuck(body, rest), "behind the assumption it is");
}

#[test]
fn a_branch_that_looks_open_is_closed_by_its_condition() {
    // Only if `x` is even is `b` offered, and it never is.
    let rest = "S = (a -> S).\nprogram = (p || S)\n";
    let body = "unsigned x = 1;\nvoid p(void) { while (1) { if (x & 1) a(); else b(); x += 2; } }\n";
    let with_b = "S = (a -> S) + {b}.\nprogram = (p || S)\n";
    assert!(!gets_stuck(body, rest));
    assert!(!gets_stuck(body, with_b));
    assert!(gets_stuck(&body.replace("x += 2", "x += 1"), with_b));
}

#[test]
fn a_flag_that_is_turned_over_is_followed() {
    let body = "int f = 0;\nvoid p(void) { while (1) { if (f) b(); else a(); f = !f; } }\n";
    assert!(!gets_stuck(body, "S = (a -> b -> S).\nprogram = (p || S)\n"));
    assert!(gets_stuck(body, "S = (a -> a -> S) + {b}.\nprogram = (p || S)\n"));
}

#[test]
fn a_routine_that_waits_for_one_of_two_events_refuses_neither() {
    let body = "int wait(void);\nvoid p(void) { while (1) { if (wait()) b(); } }\n";
    let routine = "W = (go -> return {$0 == 1} -> STOP | stay -> return {$0 == 0} -> STOP).\n\
                   cproc wait { abstract { A, (1), W }; }\n";
    assert!(!gets_stuck(body, &format!("{routine}S = (go -> b -> S | stay -> S).\nprogram = (p || S)\n")));
    assert!(gets_stuck(body, &format!("{routine}S = (go -> b -> S | stay -> b -> S).\nprogram = (p || S)\n")));
    assert!(!gets_stuck(body, &format!("{routine}S = (stay -> S) + {{go, b}}.\nprogram = (p || S)\n")));
}

#[test]
fn a_component_that_returns_has_done_its_work() {
    let body = "void p(void) { a(); }\n";
    assert!(!gets_stuck(body, "S = (a -> END).\nprogram = (p || S)\n"));
    assert!(gets_stuck(body, "S = (a -> STOP).\nprogram = (p || S)\n"));
    assert!(gets_stuck(body, "S = (a -> a -> END).\nprogram = (p || S)\n"));
}

#[test]
fn a_call_that_no_guard_covers_is_an_error() {
    let body = "int wait(int x);\nvoid p(void) { wait(1); wait(2); }\n";
    let rest = "W = (go -> return -> STOP).\ncproc wait { abstract { A, ($1 == 1), W }; }\nprogram = (p)\n";
    let text = format!("{HEAD}{body}");
    let specification = specification(read_with("test.spec", &format!("file \"p.c\";\n{rest}"), &[("p.c", &text)]));
    let Outcome::Fails(violation) = ask(&specification, Question::Safety, 20).verdict else { panic!() };
    let last = violation.steps.last().and_then(|step| step.moves.first()).map(|moved| moved.does.as_str());
    assert_eq!(last, Some("a call that the specification does not cover"));
    let covered = rest.replace("$1 == 1", "$1 > 0");
    assert!(!gets_stuck(body, &covered));
}

#[test]
fn a_result_that_is_made_of_arguments_is_always_there() {
    let body = "int next(int n);\nint n = 0;\nvoid p(void) { while (1) { n = next(n); if (n & 1) a(); else b(); } }\n";
    let routine = "N = (return {$0 == $1 + 1} -> STOP).\ncproc next { abstract { A, (1), N }; }\n";
    assert!(!gets_stuck(body, &format!("{routine}S = (a -> b -> S).\nprogram = (p || S)\n")));
    assert!(gets_stuck(body, &format!("{routine}S = (b -> a -> S).\nprogram = (p || S)\n")));
}

#[test]
fn a_process_that_is_final_may_wait_after_all_others_have_ended() {
    let body = "void p(void) { a(); b(); }\n";
    let process = "S = (a -> T), T = (b -> S).\n";
    assert!(gets_stuck(body, &format!("{process}program = (p || S)\n")));
    assert!(!gets_stuck(body, &format!("{process}program = (p || final S)\n")));
    let more = "U = (b -> a -> U).\nprogram = (p || final S || final U)\n";
    assert!(gets_stuck(body, &format!("{process}{more}")), "a procedure that waits is stuck");
    let relabelled = "program = (p || final S/{a/c})\n".replace("S/", "R/");
    assert!(!gets_stuck(body, &format!("R = (c -> b -> R).\n{relabelled}")));
}
