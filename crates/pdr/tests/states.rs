//! Programs that are decided by walking from state to state, and facts about loops that no condition mentions.

use crate::common::{ask, ask_first, component, verified};
use certify::programs::Refusal;
use pdr::invariant::{Invariant, Node};
use pdr::{Answer, First};

fn safe_by(text: &str, first: First) -> (cfront::Component, Invariant) {
    let component = component(text);
    match ask_first(&component, first, 20).0 {
        Answer::Safe(invariant) => {
            assert_eq!(verified(&component, &invariant), Ok(()), "{text}");
            (component, invariant)
        }
        other => panic!("{other:?} for {text}"),
    }
}

fn unsafe_by(text: &str, first: First) {
    let component = component(text);
    match ask_first(&component, first, 20).0 {
        Answer::Unsafe(run) => {
            let mut inputs = run.inputs.iter().map(|input| input.bits);
            let again = cfront::interpret::run(&component, &mut |_| inputs.next().unwrap_or(0), run.edges.len());
            assert_eq!(again, run);
        }
        other => panic!("{other:?} for {text}"),
    }
}

/// A machine that goes one state further for the right input, and back to the start for any other.
fn machine(states: u32, error: u32) -> String {
    let mut steps = String::new();
    for state in 0..states {
        steps += &format!("if (s == {state} && x == {}) {{ s = {}; continue; }}\n", state * 7 % 5 + 1, state + 1);
    }
    format!(
        "int main(void) {{ int s = 0; while (1) {{ int x = __VERIFIER_nondet_int();
           if (x < 1 || x > 5) return 0; {steps} s = 0; check(s != {error}); }} }}"
    )
    .replace("s = 0; check", &format!("if (s == {states}) check(s != {error}); s = 0; check"))
}

#[test]
fn a_long_sequence_of_events_is_found_and_its_absence_proved() {
    unsafe_by(&machine(40, 40), First::States);
    unsafe_by(&machine(40, 40), First::Sets);
    safe_by(&machine(40, 41), First::States);
    safe_by(&machine(6, 7), First::Sets);
}

#[test]
fn inputs_that_nobody_would_try_are_shown_by_the_solver() {
    let program = |bad: u32| {
        format!(
            "int main(void) {{ unsigned s = 0; while (s < 5) {{ unsigned x = __VERIFIER_nondet_uint();
               if (x * 2654435761u == 12345u) s = s + 1; else if ((x ^ s) % 1000u == 777u) s = 0; check(s != {bad}); }} return 0; }}"
        )
    };
    unsafe_by(&program(4), First::States);
    safe_by(&program(6), First::States);
}

#[test]
fn an_input_at_the_head_of_a_loop_is_asked_for_in_every_state() {
    let program = |bad: &str| {
        format!(
            "int a, b, c; int main(void) {{ while (1) {{ int t; t = __VERIFIER_nondet_int();
               if (t == 1) a = 1; else if (t == 2 && a) b = 1; else if (t == 3 && b) c = 1;
               check({bad}); }} }}"
        )
    };
    unsafe_by(&program("!(a && b && c)"), First::States);
    safe_by(&program("!(c && !b)"), First::States);
}

/// Three processes hand a number around that each adds one to.
fn ring(sum: u32) -> String {
    format!(
        "int main(void) {{ int turn = 0, token = 0, local = 0; while (1) {{
           int go = __VERIFIER_nondet_int(); if (!go) continue;
           if (turn == 0) {{ token = __VERIFIER_nondet_int(); local = token; turn = 1; }}
           else if (turn == 1) {{ token += 1; turn = 2; }}
           else if (turn == 2) {{ token += 1; turn = 3; }}
           else {{ check(token == local + {sum}); turn = 0; }} }} }}"
    )
}

#[test]
fn numbers_that_are_carried_around_need_not_be_listed() {
    safe_by(&ring(2), First::States);
    unsafe_by(&ring(3), First::States);
}

#[test]
fn a_state_that_was_left_out_of_a_list_is_missed_by_the_checker() {
    let (component, invariant) = safe_by(&machine(12, 13), First::States);
    let mut refused = 0;
    for (number, node) in invariant.nodes.iter().enumerate() {
        let Node::Constant { sort: bitvector::Sort::Bv(32), bits } = *node else { continue };
        let mut changed = invariant.clone();
        changed.nodes[number] = Node::Constant { sort: bitvector::Sort::Bv(32), bits: bits + 100 };
        match verified(&component, &changed) {
            Err(Refusal::NotInductive(_)) => refused += 1,
            other => panic!("{other:?} for another number than {bits}"),
        }
    }
    assert!(refused >= 12, "{refused}");
}

#[test]
fn a_fault_that_nobody_asked_for_is_no_proof() {
    let component = component(
        "int main(void) { int a[4], s = 0; for (int i = 0; i < 4; i++) a[i] = i; while (s < 9) {
           int x = __VERIFIER_nondet_int(); if (x == 3) s++; a[s % 6] = 1; check(s < 10); } return 0; }",
    );
    for first in [First::Sets, First::States] {
        let (answer, _) = ask_first(&component, first, 20);
        assert!(matches!(answer, Answer::Inconclusive(model::verdict::Reason::Crash(_))), "{answer:?}");
    }
}

#[test]
fn what_a_loop_has_reached_is_known_behind_it() {
    safe_by(
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, k = 0; while (i < n) { i++; k++; }
           int j = 0; while (j < n) { check(k > 0); j++; k--; } return 0; }",
        First::Sets,
    );
}

#[test]
fn sums_of_four_variables_are_kept() {
    let program = |claim: &str| {
        format!(
            "int main(void) {{ int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
               if (a > 1000000 || b < 0 || b > 1000000) return 0;
               int sum = a, left = b; while (left > 0) {{ left--; sum++; }} check({claim}); return 0; }}"
        )
    };
    safe_by(&program("sum == a + b"), First::Sets);
    unsafe_by(&program("sum != a + b"), First::Sets);
}

#[test]
fn steps_of_two_and_eight_hit_the_end_and_steps_of_three_miss_it() {
    safe_by("int main(void) { int i = 0; while (i < 1000000) i += 2; check(i == 1000000); return 0; }", First::Sets);
    safe_by("int main(void) { int i = 4; while (i < 100000) i += 8; check(i == 100004); return 0; }", First::Sets);
    let (answer, _) =
        ask(&component("int main(void) { int i = 0; while (i < 10000) i += 3; check(i == 10000); return 0; }"), 20);
    assert!(matches!(answer, Answer::Unsafe(_)), "{answer:?}");
}
