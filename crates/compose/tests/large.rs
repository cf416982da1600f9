//! Large components and large alphabets: near linear time, and limits that are kept.

use crate::support::{Builder, METHODS, Part, ask_within, binary, event, unary};
use compose::{Method, Question, Verdict};
use model::budget::Budget;
use model::composition::Composition;
use model::formula::{Connective, Modality};
use model::structure::Ending;
use std::time::{Duration, Instant};

const STATES: u32 = 100_000;
const EVENTS: u32 = 10_000;

/// A long way of many events, ending or going round, beside one who does them all at any time.
fn long_way(events: u32, round: bool) -> Composition {
    let mut builder = Builder::default();
    let mut way = Part::new("way", STATES as usize);
    let mut anything = Part::new("anything", 1);
    for number in 0..events {
        let event = builder.event(&format!("e{number}"));
        anything.step(0, event, 0);
    }
    for state in 0..STATES {
        if state + 1 < STATES || round {
            way.step(state, state % events, (state + 1) % STATES);
        }
    }
    builder.add(way);
    builder.add(anything);
    builder.build()
}

/// Each has one state that offers everything and another that ends, and a third that must agree.
fn wide() -> Composition {
    let mut builder = Builder::default();
    let mut parts: Vec<Part> = (0..3).map(|part| Part::new(&format!("P{part}"), 2)).collect();
    for number in 0..EVENTS {
        let event = builder.event(&format!("e{number}"));
        for part in &mut parts {
            part.step(0, event, u32::from(number == EVENTS - 1));
        }
    }
    for mut part in parts {
        part.ends(1, Ending::Done);
        builder.add(part);
    }
    builder.build()
}

/// What it answers within some seconds, if it does.
fn within(composition: &Composition, question: Question<'_>, method: Method, seconds: u64) -> Option<bool> {
    let start = Instant::now();
    let limits = Budget::unlimited().timeout(Duration::from_secs(seconds));
    let answer = ask_within(composition, question, method, &limits);
    assert!(start.elapsed() < Duration::from_secs(seconds + 5), "{method:?} did not stop in time");
    match answer.verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Fails(_) => Some(false),
        Verdict::Inconclusive(_) => None,
    }
}

#[test]
fn a_component_of_a_hundred_thousand_states() {
    let (round, ends) = (long_way(EVENTS, true), long_way(100, false));
    let responds = unary(Modality::Always, binary(Connective::Implies, event(3), unary(Modality::Next, event(4))));
    for method in [Method::Plain, Method::Refine] {
        assert_eq!(within(&round, Question::Deadlock, method, 20), Some(true), "{method:?}");
    }
    assert_eq!(within(&ends, Question::Deadlock, Method::Minimise, 20), Some(false));
    assert_eq!(within(&round, Question::Formula(&responds), Method::Auto, 20), Some(true));
    // Split after split along the way takes too long, and ends in time.
    assert_eq!(within(&ends, Question::Deadlock, Method::Paper, 1), None);
}

#[test]
fn an_alphabet_of_ten_thousand_events_by_every_method() {
    let wide = wide();
    for method in METHODS {
        assert_eq!(within(&wide, Question::Deadlock, method, 20), Some(true), "{method:?}");
    }
}

/// Rings that know nothing of each other: ten to the twelfth states.
fn rings() -> Composition {
    let mut builder = Builder::default();
    for number in 0..12 {
        let mut ring = Part::new(&format!("R{number}"), 10);
        let step = builder.event(&format!("e{number}"));
        for state in 0..10 {
            ring.step(state, step, (state + 1) % 10);
        }
        builder.add(ring);
    }
    builder.build()
}

#[test]
fn a_proof_that_is_found_at_once_can_be_checked() {
    use model::formula::Ltl;
    let rings = rings();
    let not = |formula: Ltl<_>| unary(Modality::Not, formula);
    let formulas = [
        unary(Modality::Always, Ltl::Constant(true)),
        unary(Modality::Always, binary(Connective::Or, event(0), not(event(0)))),
        binary(Connective::Or, event(3), not(event(3))),
    ];
    for formula in formulas {
        let limits = Budget::unlimited().timeout(Duration::from_secs(20));
        let answer = ask_within(&rings, Question::Formula(&formula), Method::Auto, &limits);
        let Verdict::Holds(proof) = answer.verdict else { panic!("{:?} for {formula}", answer.verdict) };
        let asked = Question::Formula(&formula);
        let accepted = certify::composition::verify(
            &rings,
            asked,
            &proof,
            &mut bitvector::SatRefuter,
            &model::context::Context::silent(&limits),
        );
        assert_eq!(accepted, Ok(()), "{formula}");
    }
}
