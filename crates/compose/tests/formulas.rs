//! Formulas about a few of many components.

use crate::support::{METHODS, ask_within, binary, event, philosophers, readers_writers, unary, verdict};
use compose::{Method, Question, Verdict};
use model::budget::Budget;
use model::composition::{Atom, Composition};
use model::formula::{Connective, Ltl, Modality};
use std::time::{Duration, Instant};

fn number(composition: &Composition, name: &str) -> Ltl<Atom> {
    event(composition.events.iter().position(|event| event.name == name).expect("an event") as u32)
}

fn responds(to: Ltl<Atom>, answer: Ltl<Atom>) -> Ltl<Atom> {
    unary(Modality::Always, binary(Connective::Implies, to, answer))
}

/// While a writer is in, a reader does not start.
fn alone(composition: &Composition) -> Ltl<Atom> {
    let not = unary(Modality::Not, number(composition, "reader[0].start"));
    let until = binary(Connective::WeakUntil, not, number(composition, "writer[0].end"));
    responds(number(composition, "writer[0].start"), until)
}

/// A writer who wants to write does.
fn comes(composition: &Composition) -> Ltl<Atom> {
    let starts = unary(Modality::Eventually, number(composition, "writer[0].start"));
    responds(number(composition, "writer[0].think"), starts)
}

/// A philosopher who eats puts the fork back before its neighbour gets it.
fn forks(composition: &Composition) -> Ltl<Atom> {
    let not = unary(Modality::Not, number(composition, "take.0.1"));
    let until = binary(Connective::WeakUntil, not, number(composition, "put.1.1"));
    responds(number(composition, "take.1.1"), until)
}

/// Who thinks will eat.
fn eats(composition: &Composition) -> Ltl<Atom> {
    let eats = unary(Modality::Eventually, number(composition, "eat.0.0"));
    responds(number(composition, "think.0.0"), eats)
}

/// If something comes again and again, then so does something else.
fn again(one: Ltl<Atom>, other: Ltl<Atom>) -> Ltl<Atom> {
    let often = |what| unary(Modality::Always, unary(Modality::Eventually, what));
    binary(Connective::Implies, often(one), often(other))
}

/// Who thinks again and again eats again and again.
fn eats_again(composition: &Composition) -> Ltl<Atom> {
    again(number(composition, "think.0.0"), number(composition, "eat.0.0"))
}

/// A writer who thinks again and again writes again and again.
fn writes_again(composition: &Composition) -> Ltl<Atom> {
    again(number(composition, "writer[0].think"), number(composition, "writer[0].start"))
}

type Make = fn(&Composition) -> Ltl<Atom>;

fn cases(count: u32) -> Vec<(&'static str, Composition, Make, bool)> {
    vec![
        ("alone", readers_writers(count), alone as Make, true),
        ("comes", readers_writers(count), comes, false),
        ("forks", philosophers(count, false), forks, true),
        ("eats", philosophers(count, false), eats, false),
        ("writes again", readers_writers(count), writes_again, true),
        ("eats again", philosophers(count, false), eats_again, true),
    ]
}

#[test]
fn small_ones_by_every_method() {
    for (name, composition, formula, expected) in cases(3) {
        for method in METHODS {
            let question = formula(&composition);
            assert_eq!(verdict(&composition, Question::Formula(&question), method), Ok(expected), "{name} {method:?}");
        }
    }
}

#[test]
fn one_of_fifty_by_default() {
    // That a writer is alone takes seconds: the controller counts.
    for (name, composition, formula, expected) in cases(50).into_iter().filter(|case| case.0 != "alone") {
        let question = formula(&composition);
        assert_eq!(verdict(&composition, Question::Formula(&question), Method::Auto), Ok(expected), "{name}");
    }
}

/// A table of times and states, for `cargo test --release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout)]
fn growth() {
    for count in [10, 20, 50] {
        for (name, composition, formula, _) in cases(count) {
            let formula = formula(&composition);
            for method in [Method::Refine, Method::Minimise, Method::Auto] {
                let start = Instant::now();
                let limits = Budget::unlimited().timeout(Duration::from_secs(5)).memory(3 << 30);
                let answer = ask_within(&composition, Question::Formula(&formula), method, &limits);
                let what = match answer.verdict {
                    Verdict::Holds(_) => String::from("holds"),
                    Verdict::Fails(run) => format!("fails with {} steps", run.steps.len()),
                    Verdict::Inconclusive(reason) => reason.code().to_owned(),
                };
                let statistics = answer.statistics;
                println!(
                    "{name}-{count} {method:?} {what} {:.3}s states {} iterations {} by {}",
                    start.elapsed().as_secs_f64(),
                    statistics.abstract_states,
                    statistics.iterations,
                    statistics.method,
                );
            }
        }
    }
}
