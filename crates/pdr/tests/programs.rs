//! Small programs with known answers: loops, locks, machines of states, arrays, pointers, and the traps of C's integers.

use crate::common;
use model::budget::Budget;
use model::context::Context;

use crate::common::verified;
use bitvector::{Op, Sort};
use certify::programs::Refusal;
use model::verdict::Reason;
use pdr::Answer;
use pdr::invariant::{Invariant, Node};
use std::time::{Duration, Instant};

fn assert_safe(text: &str) {
    let component = common::component(text);
    match common::ask(&component, 20).0 {
        Answer::Safe(invariant) => {
            assert_eq!(verified(&component, &invariant), Ok(()));
        }
        other => panic!("{other:?} for {text}"),
    }
}

fn assert_unsafe(text: &str) {
    let component = common::component(text);
    match common::ask(&component, 20).0 {
        Answer::Unsafe(run) => {
            let mut inputs = run.inputs.iter().map(|input| input.bits);
            let again = cfront::interpret::run(&component, &mut |_| inputs.next().unwrap_or(0), run.edges.len());
            assert_eq!(again, run);
        }
        other => panic!("{other:?} for {text}"),
    }
}

#[test]
fn a_counter_ends_where_its_loop_says() {
    assert_safe("int main(void) { int i = 0; while (i < 1000000) i++; check(i == 1000000); return 0; }");
    assert_unsafe("int main(void) { int i = 0; while (i < 1000) i++; check(i != 1000); return 0; }");
}

#[test]
fn an_input_that_must_be_guessed_is_computed() {
    assert_unsafe(
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); check(x * 3 != 2863311531u + 1234); return 0; }",
    );
}

#[test]
fn a_lock_is_taken_and_given_in_turn() {
    let program = |bug: &str| {
        format!(
            "int main(void) {{ int lock = 0; while (1) {{
               int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
               if (a != 0) {{ check(lock == 0); lock = 1; }}
               if (b != 0) {{ if (a != 0) {{ check(lock == 1); lock = 0; }} }} else {{ {bug} }}
               if (a != 0 && b == 0) {{ check(lock == 1); lock = 0; }}
             }} }}"
        )
    };
    assert_safe(&program(""));
    assert_unsafe(&program("lock = 0;"));
}

#[test]
fn a_machine_of_states_comes_to_its_states_in_order() {
    let program = |last: &str| {
        format!(
            "int main(void) {{ int state = 10, seen = 0; while (1) {{ switch (state) {{
               case 10: state = __VERIFIER_nondet_int() ? 20 : 30; break;
               case 20: if (seen == 0) seen = 1; state = 30; break;
               case 30: if (seen == 1) seen = 2; state = 40; break;
               case 40: check({last}); state = seen == 2 ? 50 : 10; break;
               default: return 0; }} }} }}"
        )
    };
    assert_safe(&program("seen != 1"));
    assert_unsafe(&program("seen != 2"));
}

#[test]
fn arrays_and_pointers_are_followed() {
    assert_safe(
        "int main(void) { int a[4]; int i; for (i = 0; i < 4; i++) a[i] = i * i;
           int k = __VERIFIER_nondet_uint() & 3; int *p = &a[k]; check(*p == k * k); return 0; }",
    );
    assert_unsafe(
        "int main(void) { int x = 1, y = 2; int *p = __VERIFIER_nondet_int() == 77 ? &x : &y; *p = 5;
           check(x == 1); return 0; }",
    );
}

#[test]
fn unsigned_numbers_wrap_and_signed_ones_compare_with_their_sign() {
    assert_unsafe("int main(void) { unsigned x = __VERIFIER_nondet_uint(); check(x + 1 > x); return 0; }");
    assert_safe(
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x < 4294967295u) check(x + 1 > x); return 0; }",
    );
    // -1 becomes the largest unsigned number.
    assert_unsafe("int main(void) { int x = -1; unsigned y = 1; check(x < y); return 0; }");
    assert_safe("int main(void) { int x = -1; int y = 1; check(x < y); return 0; }");
    assert_safe("int main(void) { unsigned char c = 255; c++; check(c == 0); return 0; }");
    assert_unsafe("int main(void) { signed char c = 127; c++; check(c > 0); return 0; }");
}

#[test]
fn a_number_that_stays_odd_is_never_zero() {
    assert_safe(
        "int main(void) { unsigned y = 1; while (1) { y = y + 2 * __VERIFIER_nondet_uint(); check(y != 0); } }",
    );
}

#[test]
fn loops_nest() {
    let program = |end: u32| {
        format!(
            "int main(void) {{ int i, j, n = 0; for (i = 0; i < 3; i++) for (j = 0; j < 4; j++) n++;
               check(n == {end}); return 0; }}"
        )
    };
    assert_safe(&program(12));
    assert_unsafe(&program(11));
}

#[test]
fn jumps_make_loops_and_irreducible_flow() {
    assert_safe("int main(void) { int i = 0; again: i++; if (i < 10) goto again; check(i == 10); return 0; }");
    let irreducible = |end: &str| {
        format!(
            "int main(void) {{ int x = 0, n = 0; if (__VERIFIER_nondet_int()) goto second;
               first: x = 1; if (n > 3) goto end; n++;
               second: x = 2; n++; if (n < 8) goto first;
               end: check({end}); return 0; }}"
        )
    };
    assert_safe(&irreducible("x == 1 || x == 2"));
    assert_unsafe(&irreducible("x == 2"));
}

#[test]
fn a_loop_that_leads_to_no_error_is_no_obstacle() {
    assert_safe("int main(void) { int x = 0; check(x == 0); while (1) x++; }");
}

#[test]
fn a_fault_that_was_not_asked_for_prevents_a_proof_but_not_a_violation() {
    let text =
        "int main(void) { int a[2] = {0, 0}; int i = __VERIFIER_nondet_int(); a[i] = 1; check(a[0] <= 1); return 0; }";
    assert!(matches!(common::ask(&common::component(text), 20).0, Answer::Inconclusive(Reason::Crash(_))));
    assert_unsafe(
        "int main(void) { int a[2] = {0, 0}; int i = __VERIFIER_nondet_int(); a[i] = 1; check(a[1] == 0); return 0; }",
    );
}

const COUNTER: &str = "int main(void) { int i = 0, x = 0; while (__VERIFIER_nondet_int()) { x = i; i = 1 - i; }
                         check(x < 2 && x >= 0); return 0; }";

fn proof() -> (cfront::Component, Invariant) {
    let component = common::component(COUNTER);
    match common::ask(&component, 20).0 {
        Answer::Safe(invariant) => (component, invariant),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_invariant_from_which_a_condition_is_missing_is_refused() {
    let (component, invariant) = proof();
    assert_eq!(verified(&component, &invariant), Ok(()));
    let mut weak = invariant.clone();
    weak.conditions.iter_mut().for_each(|(_, list)| list.clear());
    assert!(matches!(verified(&component, &weak), Err(Refusal::NotInductive(_))));
    let mut cyclic = invariant.clone();
    cyclic.conditions.clear();
    assert!(matches!(verified(&component, &cyclic), Err(Refusal::Malformed(_))));
}

#[test]
fn an_invariant_that_is_false_at_the_start_is_refused() {
    let (component, mut invariant) = proof();
    invariant.nodes.push(Node::Constant { sort: Sort::Bool, bits: 0 });
    let falsity = invariant.nodes.len() as u32 - 1;
    for (_, list) in &mut invariant.conditions {
        *list = vec![falsity];
    }
    assert_eq!(verified(&component, &invariant), Err(Refusal::NotInductive(component.entry)));
}

#[test]
fn a_table_that_is_not_one_of_terms_is_refused() {
    let (component, invariant) = proof();
    let broken = [
        Node::Variable(cfront::program::VariableId(99_999)),
        Node::Apply { op: Op::Add, sort: Sort::Bv(8), arguments: vec![0] },
        Node::Apply { op: Op::Not, sort: Sort::Bool, arguments: vec![99_999] },
        Node::Apply { op: Op::Var(0), sort: Sort::Bool, arguments: vec![] },
        Node::Constant { sort: Sort::Bv(500), bits: 0 },
    ];
    for node in broken {
        let mut wrong = invariant.clone();
        wrong.nodes.push(node.clone());
        assert!(matches!(verified(&component, &wrong), Err(Refusal::Malformed(_))), "{node:?}");
    }
    let mut nowhere = invariant.clone();
    nowhere.conditions.push((cfront::program::LocationId(99_999), vec![]));
    assert!(matches!(verified(&component, &nowhere), Err(Refusal::Malformed(_))));
}

/// The invariant that the variable is zero at every loop head.
fn zero_at_heads(component: &cfront::Component, name: &str) -> Invariant {
    let variable = component.variables.iter().position(|variable| variable.name == name).expect("it is there");
    let nodes = vec![
        Node::Variable(cfront::program::VariableId(variable as u32)),
        Node::Constant { sort: Sort::Bv(32), bits: 0 },
        Node::Apply { op: Op::Eq, sort: Sort::Bool, arguments: vec![0, 1] },
    ];
    let heads = component.locations.iter().enumerate().filter(|(_, location)| location.loop_head);
    Invariant { nodes, conditions: heads.map(|(at, _)| (cfront::program::LocationId(at as u32), vec![2])).collect() }
}

#[test]
fn an_input_in_a_loop_is_any_value_each_time_for_the_checker() {
    let constant = common::component("int main(void) { int x = 0; while (1) { check(x == 0); x = x * 3; } }");
    assert_eq!(verified(&constant, &zero_at_heads(&constant, "x")), Ok(()));
    for body in
        ["x = __VERIFIER_nondet_int(); check(x == 0);", "x = routine(); check(x == 0);", "reach(&x); check(x == 0);"]
    {
        let text =
            format!("int routine(void); void reach(int *); int main(void) {{ int x = 0; while (1) {{ {body} }} }}");
        let component = common::component(&text);
        let refused = verified(&component, &zero_at_heads(&component, "x"));
        assert!(matches!(refused, Err(Refusal::NotInductive(_))), "{body}");
        assert_unsafe(&text);
    }
}

#[test]
fn sums_of_counters_are_kept() {
    assert_safe(
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), x = n, y = 0; while (x > 0) { x--; y++; }
           check(y == n); return 0; }",
    );
}

#[test]
fn the_predicates_of_a_proof_are_told() {
    let component = common::component(COUNTER);
    let (_, statistics) = common::ask(&component, 20);
    assert!(statistics.iterations > 0 && statistics.solver_calls > 0);
    let about = |name: char| statistics.predicates.iter().any(|predicate| predicate.starts_with(name));
    assert!(about('x') && about('i'), "{:?}", statistics.predicates);
}

/// Factors of a large number: hard for any solver.
const HARD: &str = "int main(void) { unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    if (x > 1 && y > 1 && x < 65536 && y < 65536) { unsigned long long p = (unsigned long long)x * y;
      unsigned i = 0; while (__VERIFIER_nondet_int()) i += 2 * (unsigned)p; check(p != 4292870399ull || i == 1); } return 0; }";

#[test]
fn a_deadline_is_kept() {
    let component = common::component(HARD);
    let start = Instant::now();
    let limits = Budget::unlimited().timeout(Duration::from_millis(100));
    let (answer, _) = pdr::check(&component, &common::stated, &Context::silent(&limits));
    assert!(start.elapsed() < Duration::from_secs(3));
    assert!(!matches!(answer, Answer::Safe(_)));
}

#[test]
fn whoever_watches_can_stop_it() {
    let component = common::component(HARD);
    let start = Instant::now();
    let (budget, stop) = Budget::unlimited().linked();
    let (answer, _) = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            stop.cancel();
        });
        pdr::check(&component, &common::stated, &Context::silent(&budget))
    });
    assert!(start.elapsed() < Duration::from_secs(3));
    assert!(!matches!(answer, Answer::Safe(_)));
}

#[test]
fn a_run_that_depends_on_a_routine_of_the_library_is_no_violation() {
    let text = "int abs(int); int main(void) { int x = abs(__VERIFIER_nondet_int() & 7); check(x >= 0); return 0; }";
    let answer = common::ask(&common::component(text), 20).0;
    assert!(
        matches!(&answer, Answer::Inconclusive(Reason::NotSupported(what)) if what.contains("`abs`")),
        "{answer:?}"
    );
    assert_unsafe("int other(int); int main(void) { check(other(3) >= 0); return 0; }");
    assert_safe("int abs(int); int main(void) { check((abs(3) & 1) < 2); return 0; }");
}
