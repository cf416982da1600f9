//! The families for any size: what the small ones answer, and that the specification grows as it should.

use crate::common::{ask, checked, specification};
use cegar::families::{Style, kernel, philosophers, readers_writers, surge_protector};
use cegar::{Options, Outcome, Question, Specification};

fn read(text: &str) -> Specification {
    let load = |wanted: &str| {
        let file = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/c").join(wanted);
        Ok(cfront::Input::plain(wanted, std::fs::read_to_string(file).map_err(|error| error.to_string())?))
    };
    specification(cegar::read("family.spec", text, &Options::default(), &load))
}

/// The answer, whose proof is checked; and the states of the formula's automaton.
fn holds(text: &str, question: Question) -> (bool, u64) {
    let specification = read(text);
    let answer = ask(&specification, question, 60);
    let automaton = answer.statistics.automaton_states;
    match answer.verdict {
        Outcome::Holds(holds) => {
            checked(&specification, &holds).expect("a proof");
            (true, automaton)
        }
        Outcome::Fails(violation) => {
            assert!(violation.loop_from.is_none());
            (false, automaton)
        }
        Outcome::Inconclusive(reason) => panic!("{reason:?}"),
    }
}

#[test]
fn philosophers_get_stuck_unless_one_is_left_handed() {
    for n in 2..=6 {
        assert!(!holds(&philosophers(n, false), Question::Deadlock).0, "{n}");
        assert!(holds(&philosophers(n, true), Question::Deadlock).0, "{n}");
    }
}

#[test]
fn the_kernel_gets_stuck_only_if_locks_are_taken_in_two_orders() {
    for (hasty, file) in [(false, "rtos-2.spec"), (true, "rtos-2-hasty.spec")] {
        let examples = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/c");
        assert_eq!(std::fs::read_to_string(examples.join(file)).expect(file), kernel(2, hasty));
        assert_eq!(holds(&kernel(2, hasty), Question::Deadlock).0, !hasty);
    }
    for n in 3..=6 {
        assert!(holds(&kernel(n, false), Question::Deadlock).0, "{n}");
        assert!(!holds(&kernel(n, true), Question::Deadlock).0, "{n}");
    }
}

#[test]
fn readers_and_writers_do_not_get_stuck() {
    for n in 1..=4 {
        assert!(holds(&readers_writers(n), Question::Deadlock).0, "{n}");
        assert_eq!(read(&readers_writers(n)).parts.len(), 2 * n + 1);
    }
    assert!(holds(&readers_writers(2), Question::Safety).0, "its assertions");
}

#[test]
fn the_protector_protects_in_three_styles_and_its_formula_grows_least_in_states_and_events() {
    for range in 1..=3 {
        let style = |style: Style| holds(&surge_protector(range, style), Question::Formula(0));
        let [both, states, events] = [Style::StatesAndEvents, Style::States, Style::Events].map(style);
        assert!(both.0 && states.0 && events.0, "{range}");
        assert!(both.1 <= states.1 && both.1 <= events.1, "{range}: {both:?} {states:?} {events:?}");
    }
}

#[test]
fn a_controller_without_room_for_readers_is_found_out() {
    // The first reader is one too many.
    let wrong = readers_writers(2).replace("ROOM = (return {$0 == 2}", "ROOM = (return {$0 == 0}");
    assert!(!holds(&wrong, Question::Safety).0);
}

#[test]
fn the_members_among_the_examples_are_those_that_are_generated() {
    let members = [
        ("five-philosophers.spec", philosophers(5, false)),
        ("readers-writers.spec", readers_writers(3)),
        ("surge-both.spec", surge_protector(3, Style::StatesAndEvents)),
        ("surge-states.spec", surge_protector(3, Style::States)),
        ("surge-events.spec", surge_protector(3, Style::Events)),
    ];
    for (name, text) in members {
        let file = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/c").join(name);
        assert_eq!(std::fs::read_to_string(file).expect(name), text, "{name}");
    }
}
