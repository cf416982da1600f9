//! Where a simpler search for infinite runs, or a simpler reduction, gives a wrong answer: by name.

use explore::liveness::Setting;
use explore::reduction::Mode;
use explore::{Options, Order};
use model::context::Context;
use model::fairness::Fairness;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Verdict};

/// The verdict on the one formula of a model.
fn formula(text: &str, reduction: Mode) -> Verdict {
    formula_with_notes(text, reduction).0
}

fn formula_with_notes(text: &str, reduction: Mode) -> (Verdict, Vec<String>) {
    let read = promela::read("trap.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
    let semantics = Semantics::new(&network, Reading::Declared);
    let (semantics, sources, cx) = (&semantics, &read.sources, Context::unlimited());
    let setting = Setting { semantics, sources, fair: Fairness::None, options: &Options::reducing(reduction), cx };
    let outcome = setting.formula(&network.formulas[0].property(), &network.formulas[0].formula);
    (outcome.verdict, outcome.details.advice)
}

/// The verdict on safety or deadlock.
fn searched(text: &str, property: Property, order: Order, reduction: Mode) -> Verdict {
    let read = promela::read("trap.pml", text, &promela::preprocess::Options::default());
    let network = read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics));
    let semantics = Semantics::new(&network, Reading::Declared);
    let options = Options { order, properties: vec![property], reduction, ..Options::default() };
    explore::check(&semantics, &read.sources, &options, &Context::unlimited()).remove(0).verdict
}

#[test]
fn a_loop_of_one_process_does_not_put_off_another_forever() {
    let text = "byte x;
        proctype P() { byte m; do :: m = (m + 1) % 3; m = (m + 1) % 3 od }
        proctype Q() { chan other; if :: timeout -> skip :: else -> x = 1 fi; other!1 }
        init { atomic { run P(); run Q(); run P() } }";
    for order in [Order::Breadth, Order::Depth] {
        for reduction in [Mode::Off, Mode::On] {
            assert_eq!(
                searched(text, Property::Safety, order, reduction),
                Verdict::Violated,
                "{order:?} {reduction:?}"
            );
        }
    }
}

#[test]
fn a_loop_closed_by_a_step_that_closes_no_loop_of_its_process() {
    let text = "bit a; byte x, y;
        active proctype P() { skip; a = 1 }
        active proctype Q() { do :: x = y -> d_step { 1; x = (x + 1) % 3 } od }
        ltl f { [] (a == 0) }";
    assert_eq!((formula(text, Mode::Off), formula(text, Mode::On)), (Verdict::Violated, Verdict::Violated));
}

#[test]
fn a_send_disables_the_else_beside_a_receive() {
    let text = "chan a = [1] of { byte }; chan b = [1] of { byte }; chan q = [1] of { byte };
        proctype P(chan in, out) { byte l;
          do :: in?l :: if :: l == 9 -> out!l :: else -> l = 1 fi; out!l :: in?<l> od }
        init { atomic { run P(a, b); run P(b, q) } }";
    for order in [Order::Breadth, Order::Depth] {
        for reduction in [Mode::Off, Mode::On] {
            let verdict = searched(text, Property::Deadlock, order, reduction);
            assert_eq!(verdict, Verdict::Violated, "{order:?} {reduction:?}");
        }
    }
}

#[test]
fn an_event_is_not_the_same_a_moment_later() {
    let text = "chan q = [1] of { bit }; bit x;
        active proctype P() { q!1 } active proctype Q() { x = 1 }
        ltl f { !(q!1) }";
    assert_eq!((formula(text, Mode::Off), formula(text, Mode::On)), (Verdict::Violated, Verdict::Violated));
}

#[test]
fn timeout_is_true_before_an_atomic_sequence_that_waits_for_it() {
    let text = "bit x; active proctype P() { atomic { timeout -> x = 1; x = 0 } } ltl f { ! timeout }";
    assert_eq!(formula(text, Mode::Off), Verdict::Violated);
}

#[test]
fn a_run_whose_next_step_fails_does_not_go_on() {
    let text = "byte x, y; active proctype P() { x = 1; y = 1 / y } ltl f { <> (y == 5) }";
    assert!(matches!(formula(text, Mode::Off), Verdict::Inconclusive(_)), "what comes after an error is not known");
}

#[test]
fn equal_conditions_are_one_and_a_left_side_that_holds_is_seen() {
    let text = "byte x, y; active proctype P() { x = 1; x = 0 }
        ltl f { [] ((x > y) -> ((x == 7) <-> (x == 7))) }";
    assert_eq!(formula(text, Mode::Off), Verdict::Proved);
    let text = "byte x; active proctype P() { x = 1; x = 0 } ltl f { [] ((x == 7) -> <> (x == 0)) }";
    assert!(matches!(formula(text, Mode::Off), Verdict::Vacuous(_)));
}

#[test]
fn a_claim_with_more_states_than_there_are_numbers_has_no_answer() {
    let text = format!(
        "bit x; active proctype P() {{ do :: x = 1 - x od }} never {{ {} accept: do :: x od }}",
        "1; ".repeat(70_000)
    );
    let read = promela::read("trap.pml", &text, &promela::preprocess::Options::default());
    let network = read.network.expect("it is a model");
    let semantics = Semantics::new(&network, Reading::Declared);
    let reduction = Mode::Off;
    let (semantics, sources, cx) = (&semantics, &read.sources, Context::unlimited());
    let setting = Setting { semantics, sources, fair: Fairness::None, options: &Options::reducing(reduction), cx };
    assert!(matches!(setting.never(&network.claims[0]).verdict, Verdict::Inconclusive(_)));
}

/// `a` and `b` take turns, `c` never holds, `x` stays below 4.
const TURNS: &str = "bit a, b, c; byte x;
    active proctype P() { do :: atomic { a = 1; b = 0; x = 3 } :: atomic { a = 0; b = 1; x = 2 } -> skip od }";

#[test]
fn a_formula_that_holds_without_one_of_its_parts_is_vacuous() {
    for text in [
        "[] (c -> <> b)",
        "(c && x == 9) -> []<> c",
        "[] (a -> (c -> <> b))",
        "[] (!c || <> b)",
        "[] (<> b || !c)",
        "([]<> c) -> ([]<> b)",
        "[] (c -> <> b) && [] (x < 4)",
        "[] (x < 4) && [] (!c || <> b)",
        "! <> (c && !b && ! (c -> b))",
        "[] ((a && c) -> X b)",
        "<> c -> [] b",
        "[] ((x == 3) -> (a || <> b))",
    ] {
        let verdict = formula(&format!("{TURNS} ltl f {{ {text} }}"), Mode::Off);
        assert!(matches!(verdict, Verdict::Vacuous(_)), "{text}: {verdict:?}");
    }
    for text in [
        "[] (a -> !b)",
        "[] (!a || !b)",
        "[] (x < 4 || c)",
        "[] (x < 4)",
        "! (<> [] c)",
        "(x == 0) -> [] (x < 4)",
        "[] (a -> (!b U (b || [] a)))",
    ] {
        let verdict = formula(&format!("{TURNS} ltl f {{ {text} }}"), Mode::Off);
        assert_eq!(verdict, Verdict::Proved, "{text}");
    }
}

#[test]
fn a_propositional_alternative_that_is_not_needed_is_a_note() {
    for (text, spare) in [
        ("[] (x < 4 || c)", &["c"][..]),
        ("[] (c || x < 4)", &["c"]),
        ("[] (x < 4 || x < 5)", &["(x < 4)", "(x < 5)"]),
        ("[] ((a && x == 3) -> !b)", &["a", "(x == 3)"]),
        ("[] !(a && b)", &[]),
        ("[] (x < 4)", &[]),
    ] {
        let (verdict, notes) = formula_with_notes(&format!("{TURNS} ltl f {{ {text} }}"), Mode::Off);
        assert_eq!(verdict, Verdict::Proved, "{text}");
        let noted: Vec<bool> =
            spare.iter().map(|part| notes.iter().any(|n| n.contains(&format!("`{part}` is not")))).collect();
        assert!(notes.len() == spare.len() && noted.iter().all(|noted| *noted), "{text}: {notes:?}");
    }
}
