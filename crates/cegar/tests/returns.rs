//! Returns of procedures and of routines as events of formulas.

use crate::common::{ask, checked, read_with, specification};
use cegar::{Outcome, Question};

const TEXT: &str = "
enum { GONE = 0, FRESH = 1 };
void tick(void);
int poll(int port);
int sensor(void) { int n = 0; while (n < 2) { if (poll(n) == GONE) return -1; n++; } return n; }
void clock(void) { while (1) tick(); }
void once(void) { tick(); }
";

const HEAD: &str = "file \"p.c\";
P = (gone -> return {$0 == 0} -> STOP | fresh -> return {$0 == 1} -> STOP).
";

/// What is answered to a formula of the sensor beside the clock, in states and steps; with `poll` as a process, or not.
#[track_caller]
fn holds(formula: &str, described: bool) -> bool {
    let about = if described { "cproc poll { abstract { A, (1), P }; }\n" } else { "" };
    let spec = format!("{HEAD}{about}program = (sensor || clock)\nltl A {{ {formula} }}\n");
    let specification = specification(read_with("test.spec", &spec, &[("p.c", TEXT)]));
    match ask(&specification, Question::Formula(0), 20).verdict {
        Outcome::Holds(holds) => {
            checked(&specification, &holds).expect("the proof is accepted");
            true
        }
        Outcome::Fails(violation) => {
            assert!(!violation.steps.is_empty());
            false
        }
        Outcome::Inconclusive(reason) => panic!("{formula}: {reason:?}"),
    }
}

#[test]
fn a_procedure_returns_with_a_value() {
    assert!(holds("[] (sensor.return -> sensor.return {$0 == 2 || $0 == -1})", true));
    assert!(!holds("[] !sensor.return {$0 == 2}", true));
    assert!(!holds("[] !sensor.return {$0 < GONE}", true));
    assert!(holds("[] !sensor.return {$0 == 1}", true));
    assert!(holds("[] (sensor.return -> X [] !sensor.return)", true));
    // There is no fairness: the clock may be the only one that runs.
    assert!(!holds("<> sensor.return", true));
}

#[test]
fn a_routine_returns_with_a_value_for_its_arguments() {
    assert!(holds("[] (fresh -> X ((!gone && !fresh) W poll.return {$0 == FRESH}))", true));
    assert!(holds("[] (sensor.poll.return {$0 == GONE} -> X [] !sensor.poll.return)", true));
    assert!(!holds("[] (sensor.poll.return {$0 == FRESH} -> X [] !sensor.poll.return)", true));
    assert!(holds("[] !poll.return {$1 > 1}", true));
    assert!(!holds("[] !poll.return {$1 == 1 && $0 == GONE}", true));
    assert!(holds("[] (poll.return {$1 == 1} -> X [] !poll.return)", true));
}

#[test]
fn a_routine_that_is_an_event_returns_after_it() {
    assert!(holds("!poll.return W poll", false));
    assert!(!holds("[] !poll.return {$0 == 7}", false));
    assert!(holds("[] (poll.return {$0 == GONE} -> [] !poll)", false));
    assert!(holds("[] (sensor.return {$0 == 2} -> [] !poll)", false));
    // A clock that ticks has a return, too, of which no other component knows.
    assert!(!holds("[] !tick.return", false));
    assert!(holds("[] (tick.return -> X (!tick.return W tick))", false));
}

#[test]
fn what_does_not_return_is_told() {
    let error = |formula: &str| {
        let spec = format!(
            "{HEAD}program = (sensor || other:sensor || clock || once || P2)\nP2 = (x -> P2).\nltl A {{ {formula} }}\n"
        );
        let read = read_with("test.spec", &spec, &[("p.c", TEXT)]);
        let found = read.diagnostics.iter().find(|d| d.is_error()).expect(formula);
        (found.code.to_owned(), read.sources.text(found.primary.span).to_owned())
    };
    let expected = |code: &str, place: &str| (code.to_owned(), place.to_owned());
    assert_eq!(error("[] return"), expected("M0204", "return"));
    assert_eq!(error("[] !poll.return {$0 == 1}"), expected("M0204", "poll.return {$0 == 1}"));
    assert_eq!(error("[] P2.return"), expected("M0203", "P2.return"));
    assert_eq!(error("[] sensr.return"), expected("M0203", "sensr.return"));
    assert_eq!(error("[] sensor.return {$1 == 0}"), expected("M0004", "$1 == 0"));
    assert_eq!(error("[] sensor.return {$0 == lvel}"), expected("M0104", "lvel"));
    assert_eq!(error("[] once.return {$0 == 1}").0, "M0105");
    assert_eq!(error("[] sensor.return {$0 == }").0, "M0002");
    assert_eq!(error("[] sensor.return {$0 == 1").0, "M0001");
}

#[test]
fn the_data_of_an_event_is_returned() {
    let program = |condition: &str| {
        format!(
            "void assert(int holds);\nint receive(void);\nint v = 1;
void server(void) {{ while (1) {{ int w = receive(); v = w; assert({condition}); }} }}\n"
        )
    };
    let spec = |process: &str, beside: &str, alphabet: &str| {
        format!(
            "file \"p.c\";\nR = ({process} -> STOP).\ncproc receive {{ abstract {{ A, (1), R }}; }}
S = ({beside} -> S) + {{{alphabet}}}.\nprogram = (server || S)\n"
        )
    };
    let one = spec("get[v:0..2] -> return {$0 == v}", "get[0] -> get[2]", "get[0..2]");
    let two = spec("get[v:0..1][k:0..1] -> return {$0 == v + 2 * k}", "get[1][1] -> get[0][1]", "get[0..1][0..1]");
    let below = spec("get[v:-1..1] -> return {$0 < v}", "get[-1] -> get[0]", "get[-1..1]");
    let local = spec("idle[u:0..1] -> R[u]), R[v:0..1] = (ask -> return {$0 == v}", "idle[0] -> ask", "idle[0..1]");
    for (spec, condition, holds) in [
        (&one, "w == 0 || w == 2", true),
        (&one, "w == 0", false),
        (&one, "w != 0", false),
        (&two, "w == 3 || w == 2", true),
        (&two, "w == 3", false),
        (&below, "w < 0", true),
        (&below, "w < -1", false),
        (&local, "w == 0", true),
        (&local, "w == 1", false),
    ] {
        let specification = specification(read_with("test.spec", spec, &[("p.c", &program(condition))]));
        match ask(&specification, Question::Safety, 20).verdict {
            Outcome::Holds(proof) => assert!(holds && checked(&specification, &proof).is_ok(), "{spec} {condition}"),
            Outcome::Fails(_) => assert!(!holds, "{spec} {condition}"),
            other => panic!("{spec} {condition}: {other:?}"),
        }
    }
}
