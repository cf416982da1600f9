//! The paper's examples, and small structures that show one thing each.

use crate::support::{
    Builder, METHODS, Part, ask, ask_within, binary, event, philosophers, proposition, unary, verdict,
};
use compose::vacuity::vacuity;
use compose::{Method, Question, Verdict, check};
use model::budget::Budget;
use model::composition::{Atom, Composition, Run};
use model::context::Context;
use model::formula::{Connective, Ltl, Modality};
use model::observer::{Event, Observer, Topic};
use model::structure::{Ending, TAU};
use model::verdict::Reason;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// An alphabet, and steps `(from, event, to)`.
type Shape<'a> = (&'a [u32], &'a [(u32, u32, u32)]);

fn composition(parts: &[Shape<'_>]) -> Composition {
    let mut builder = Builder::default();
    for name in ["a", "b", "c", "d"] {
        builder.event(name);
    }
    for (alphabet, steps) in parts {
        let states = steps.iter().flat_map(|&(from, _, to)| [from, to]).max().unwrap_or(0) + 1;
        let mut part = Part::new("M", states as usize);
        part.alphabet = alphabet.to_vec();
        for &(from, event, to) in *steps {
            part.step(from, event, to);
        }
        builder.add(part);
    }
    builder.build()
}

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
const D: u32 = 3;

fn run(composition: &Composition, question: Question<'_>, method: Method) -> Run {
    match ask(composition, question, method).verdict {
        Verdict::Fails(run) => *run,
        other => panic!("{method:?}: {other:?}"),
    }
}

fn deadlock_free(parts: &[Shape<'_>]) -> bool {
    let composition = composition(parts);
    let answers = METHODS.map(|method| verdict(&composition, Question::Deadlock, method));
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    answers[0] == Ok(true)
}

/// Section 4: two states, `p q` and `q r`; `a` and `b` stay in the first, `c` leads to the second and `d` back.
fn section_4() -> Composition {
    let mut builder = Builder::default();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| builder.event(name));
    let [p, q, r] = ["p", "q", "r"].map(|name| builder.proposition(name));
    let mut part = Part::new("M", 2);
    part.step(0, a, 0).step(0, b, 0).step(0, c, 1).step(1, d, 0);
    part.label(0, p).label(0, q).label(1, q).label(1, r);
    builder.add(part);
    builder.build()
}

fn responds(event_number: u32, answer: Ltl<Atom>) -> Ltl<Atom> {
    unary(Modality::Always, binary(Connective::Implies, event(event_number), answer))
}

#[test]
fn section_4_has_four_formulas_and_four_verdicts() {
    let composition = section_4();
    let later = || unary(Modality::Eventually, proposition(2));
    let cases = [
        (responds(C, later()), true),
        (responds(B, later()), false),
        (responds(D, later()), true),
        (responds(D, unary(Modality::Next, later())), false),
    ];
    for (formula, expected) in cases {
        for method in METHODS {
            assert_eq!(verdict(&composition, Question::Formula(&formula), method), Ok(expected), "{formula}");
        }
    }
}

#[test]
fn figures_5_and_6_get_stuck_after_four_steps() {
    let m1: &[(u32, u32, u32)] = &[(0, A, 1), (0, A, 2), (1, B, 3), (2, B, 3), (3, C, 4)];
    let m2: &[(u32, u32, u32)] = &[(0, A, 1), (1, D, 2), (2, C, 3)];
    let both = composition(&[(&[], m1), (&[], m2)]);
    for method in METHODS {
        let found = run(&both, Question::Deadlock, method);
        assert_eq!((found.steps.len(), found.states.last()), (4, Some(&vec![4, 3])), "{method:?}");
        assert_eq!(run(&composition(&[(&[], m1)]), Question::Deadlock, method).steps.len(), 3);
        assert_eq!(run(&composition(&[(&[], m2)]), Question::Deadlock, method).steps.len(), 3);
    }
}

#[test]
fn section_8_deadlock_is_neither_preserved_nor_reflected() {
    let m1: Shape<'_> = (&[A], &[(0, A, 1)]);
    let m2: Shape<'_> = (&[A, B], &[(0, B, 0), (0, A, 1), (1, B, 1), (1, A, 2)]);
    let m3: Shape<'_> = (&[A, B], &[(0, A, 0)]);
    let m4: Shape<'_> = (&[A, B], &[(0, B, 0)]);
    // State 0 is the paper's p, 1 is q, 2 is r.
    let m5: Shape<'_> = (&[A], &[(0, A, 0), (1, A, 2)]);
    assert!(!deadlock_free(&[m1]) && !deadlock_free(&[m2]) && deadlock_free(&[m1, m2]), "claim 1");
    assert!(deadlock_free(&[m3]) && deadlock_free(&[m4]) && !deadlock_free(&[m3, m4]), "claim 2");
    assert!(!deadlock_free(&[m1]) && deadlock_free(&[m3]) && !deadlock_free(&[m1, m3]), "claim 3");
    assert!(!deadlock_free(&[m1]) && deadlock_free(&[m4]) && deadlock_free(&[m1, m4]), "claim 4");
    let m1_as_one: Shape<'_> = (&[A], &[(0, A, 0)]);
    assert!(!deadlock_free(&[m1]) && deadlock_free(&[m1_as_one]), "claim 5");
    let m5_with_p_and_q_as_one: Shape<'_> = (&[A], &[(0, A, 0), (0, A, 1)]);
    assert!(deadlock_free(&[m5]) && !deadlock_free(&[m5_with_p_and_q_as_one]), "claim 6");
}

#[test]
fn who_has_done_its_work_is_not_stuck_unless_somebody_else_is() {
    for (endings, expected) in [([Ending::Done; 2], true), ([Ending::Done, Ending::None], false)] {
        let mut builder = Builder::default();
        let (a, b) = (builder.event("a"), builder.event("b"));
        for (own, ending) in [a, b].into_iter().zip(endings) {
            let mut part = Part::new("P", 2);
            part.step(0, own, 1).ends(1, ending);
            builder.add(part);
        }
        let composition = builder.build();
        for method in METHODS {
            assert_eq!(verdict(&composition, Question::Deadlock, method), Ok(expected), "{method:?}");
        }
    }
}

#[test]
fn nothing_happens_in_an_error_and_it_is_no_deadlock() {
    let mut builder = Builder::default();
    let a = builder.event("a");
    let mut part = Part::new("P", 2);
    part.step(0, a, 1).step(1, a, 0).ends(1, Ending::Error);
    builder.add(part);
    let mut other = Part::new("Q", 1);
    other.silent(0, 0);
    builder.add(other);
    let composition = builder.build();
    for method in METHODS {
        assert_eq!(verdict(&composition, Question::Deadlock, method), Ok(true), "{method:?}");
        assert_eq!(run(&composition, Question::Safety, method).steps.len(), 1);
    }
}

#[test]
fn the_loop_of_a_run_may_be_longer_than_that_of_its_abstraction() {
    // Together, three rounds of one and two of the other.
    let mut builder = Builder::default();
    let a = builder.event("a");
    let [p, q] = ["p", "q"].map(|name| builder.proposition(name));
    for (length, label) in [(3, p), (2, q)] {
        let mut part = Part::new("P", length as usize);
        (0..length).for_each(|state| {
            part.step(state, a, (state + 1) % length);
        });
        part.label(0, label);
        builder.add(part);
    }
    let composition = builder.build();
    let never = unary(Modality::Always, Ltl::Constant(false));
    for method in METHODS {
        assert_eq!(verdict(&composition, Question::Formula(&never), method), Ok(false), "{method:?}");
    }
    let both = binary(Connective::And, proposition(p), proposition(q));
    let again = unary(Modality::Always, unary(Modality::Eventually, both));
    for method in METHODS {
        assert_eq!(verdict(&composition, Question::Formula(&again), method), Ok(true), "{method:?}");
    }
}

#[test]
fn a_step_without_a_name_is_a_position() {
    let mut builder = Builder::default();
    let a = builder.event("a");
    let mut part = Part::new("P", 2);
    part.step(0, TAU.0, 1).step(1, a, 1);
    builder.add(part);
    let mut other = Part::new("Q", 1);
    other.step(0, a, 0);
    builder.add(other);
    let composition = builder.build();
    for method in METHODS {
        assert_eq!(verdict(&composition, Question::Formula(&event(a)), method), Ok(false), "{method:?}");
        let second = unary(Modality::Next, event(a));
        assert_eq!(verdict(&composition, Question::Formula(&second), method), Ok(true), "{method:?}");
    }
}

#[test]
fn a_formula_is_empty_without_infinite_runs_or_without_its_condition() {
    let look = |composition: &Composition, formula: &Ltl<Atom>| {
        vacuity(composition, formula, Method::Auto, &Context::unlimited())
    };
    let formula = responds(D, unary(Modality::Eventually, event(A)));
    let finite = composition(&[(&[A], &[(0, A, 1)])]);
    let why = |text: &str| Ok(Some(String::from(text)));
    assert_eq!(look(&finite, &formula), why("there is no infinite run, and formulas speak of no other"));
    let without = composition(&[(&[A], &[(0, A, 0)])]);
    assert_eq!(look(&without, &formula), why("`e3` never holds on an infinite run"));
    let with = composition(&[(&[A], &[(0, A, 0), (0, D, 0)])]);
    assert_eq!(look(&with, &formula), Ok(None));
    assert_eq!(look(&with, &unary(Modality::Always, event(A))), Ok(None));
}

#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl Observer for Lines {
    fn wants(&self, topic: Topic) -> bool {
        topic == Topic::Refinement
    }

    fn event(&self, event: &Event<'_>) {
        if let Event::Refinement(line) = event {
            self.0.lock().unwrap().push((*line).to_owned());
        }
    }
}

#[test]
fn the_story_names_the_component_and_what_is_split() {
    let lines = Lines::default();
    let composition = philosophers(2, true);
    let cx = Context::new(Context::unlimited().budget, &lines);
    let answer = check(&composition, Question::Deadlock, Method::Paper, &cx);
    let lines = lines.0.lock().unwrap();
    assert!(matches!(answer.verdict, Verdict::Fails(_)));
    let shown = |what: &str| lines.iter().filter(|line| line.contains(what)).count() as u64;
    assert_eq!(shown("iteration "), answer.statistics.iterations);
    assert_eq!(shown("spurious in "), answer.statistics.iterations - 1);
    assert!(shown("spurious in phil[0]") > 0 && shown("real") == 1, "{lines:#?}");
}

#[test]
fn limits_are_reasons() {
    let composition = philosophers(12, true);
    for method in [Method::Plain, Method::Paper, Method::Refine] {
        let few = Budget::unlimited().states(1000);
        let answer = ask_within(&composition, Question::Deadlock, method, &few);
        assert!(matches!(answer.verdict, Verdict::Inconclusive(Reason::States)), "{answer:?}");
        let start = Instant::now();
        let soon = Budget::unlimited().timeout(Duration::from_millis(50));
        let answer = ask_within(&composition, Question::Deadlock, method, &soon);
        assert!(matches!(answer.verdict, Verdict::Inconclusive(Reason::Timeout)), "{answer:?}");
        assert!(start.elapsed() < Duration::from_secs(2));
        let little = Budget::unlimited().memory(1);
        let answer = ask_within(&composition, Question::Deadlock, method, &little);
        assert!(matches!(answer.verdict, Verdict::Inconclusive(Reason::Memory)), "{answer:?}");
    }
    for method in METHODS {
        let (stopped, stop) = Budget::unlimited().linked();
        stop.cancel();
        let answer = ask_within(&composition, Question::Deadlock, method, &stopped);
        assert!(matches!(answer.verdict, Verdict::Inconclusive(Reason::Interrupted)), "{answer:?}");
        let tiny = Budget::unlimited().states(3);
        let answer = ask_within(&composition, Question::Deadlock, method, &tiny);
        assert!(matches!(answer.verdict, Verdict::Inconclusive(Reason::States)), "{answer:?}");
    }
}

#[test]
fn a_composition_of_nothing_has_nothing_wrong_with_it() {
    let nothing = Composition::default();
    for method in METHODS {
        let answer = ask(&nothing, Question::Deadlock, method);
        assert!(matches!(answer.verdict, Verdict::Holds(_)), "{answer:?}");
        let never = Ltl::Constant(false);
        assert!(matches!(ask(&nothing, Question::Formula(&never), method).verdict, Verdict::Holds(_)));
    }
}
