//! Limits hold: what is too large is refused, and nothing hangs or overflows.

use crate::support;
use crate::support::Random;
use model::budget::Budget;
use std::time::{Duration, Instant};
use temporal::{Formula, Limits, TooLarge, automaton, parse};
use testing::seeds;

#[test]
fn formulas_of_size_200_are_translated_or_refused() {
    let limits = Limits { steps: 200_000, ..Limits::default() };
    for seed in 0..seeds(20).min(1_000) {
        let formula = support::formula(&mut Random::new(seed), 200, 6, true);
        let start = Instant::now();
        let result = automaton(&formula, &limits).map(|automaton| automaton.states.len());
        assert!(start.elapsed() < Duration::from_secs(20), "seed {seed}: {result:?} after {:?}", start.elapsed());
    }
}

#[test]
fn guards_may_be_exponential_but_not_for_long() {
    // With the a before the b, the diagram of the conjunction of all ai <-> bi has two to the 60 nodes.
    let pair = |i: u32| Formula::Atom(i).iff(Formula::Atom(i + 60));
    let formula = (0..60).map(pair).reduce(Formula::and).unwrap().globally();
    let limits = Limits { steps: 2_000_000, ..Limits::default() };
    assert_eq!(automaton(&formula, &limits), Err(TooLarge::Steps));
}

#[test]
fn many_atoms_are_fine() {
    let formula = (0..300).map(Formula::Atom).reduce(Formula::or).unwrap().globally();
    let automaton = automaton(&formula, &Limits::default()).unwrap();
    assert_eq!((automaton.states.len(), automaton.states[0].edges[0].guard.len()), (1, 300));
}

#[test]
fn many_eventualities_are_refused_or_translated() {
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    for count in [5, 8, 70] {
        let formula = (0..count).map(|i| Formula::Atom(i).finally().globally()).reduce(Formula::and).unwrap();
        match automaton(&formula, &limits) {
            Ok(automaton) => assert_eq!(automaton.states.len(), count as usize + 1),
            Err(reason) => assert!(matches!(reason, TooLarge::Promises | TooLarge::Steps), "{count}: {reason}"),
        }
    }
}

#[test]
fn few_states_are_a_limit() {
    let formula = parse("<> (a && X <> (b && X <> (c && X <> d)))").unwrap().formula;
    let limits = Limits { states: 3, ..Limits::default() };
    assert_eq!(automaton(&formula, &limits), Err(TooLarge::States));
}

#[test]
fn time_is_a_limit() {
    let formula = (0..8).map(|i| Formula::Atom(i).finally().globally()).reduce(Formula::and).unwrap();
    let start = Instant::now();
    let limits = Limits { budget: Budget::unlimited().timeout(Duration::ZERO), ..Limits::default() };
    assert_eq!(automaton(&formula, &limits), Err(TooLarge::Time));
    let (budget, stop) = Budget::unlimited().linked();
    stop.cancel();
    assert_eq!(automaton(&formula, &Limits { budget, ..Limits::default() }), Err(TooLarge::Time));
    let soon = Limits { budget: Budget::unlimited().timeout(Duration::from_millis(100)), ..Limits::default() };
    let large = support::formula(&mut Random::new(1), 400, 8, true);
    let _ = automaton(&large, &soon);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn depth_is_a_limit() {
    let mut formula = Formula::Atom(0);
    for _ in 0..2_000 {
        formula = formula.next();
    }
    assert_eq!(automaton(&formula, &Limits::default()), Err(TooLarge::Depth));
}

#[test]
fn the_deepest_formulas_that_are_read_are_translated() {
    let text = format!("{}a", "!X ".repeat(490));
    let parsed = parse(&text).unwrap();
    let automaton = automaton(&parsed.formula, &Limits::default()).unwrap();
    assert_eq!(automaton.states.len(), 492);
}

#[test]
fn deep_formulas_of_every_shape_are_translated_or_refused() {
    let limits = Limits { steps: 300_000, ..Limits::default() };
    let (a, b) = (|| Formula::Atom(0), || Formula::Atom(1));
    let shapes: [(&str, &dyn Fn(Formula) -> Formula); 6] = [
        ("a U (b R …)", &|inner| a().until(b().release(inner))),
        ("(… U b) R a", &|inner| inner.until(b()).release(a())),
        ("a -> !…", &|inner| a().implies(inner.not())),
        ("G (a || …)", &|inner| a().or(inner).globally()),
        ("a && X …", &|inner| a().and(inner.next())),
        ("… <-> X a", &|inner| inner.iff(a().next())),
    ];
    for (shape, around) in shapes {
        let mut formula = b();
        while formula.depth() + 2 <= limits.depth {
            formula = around(formula);
        }
        for formula in [formula.negated(), formula] {
            let start = Instant::now();
            let result = automaton(&formula, &limits).map(|automaton| automaton.states.len());
            assert!(start.elapsed() < Duration::from_secs(20), "{shape}: {result:?} after {:?}", start.elapsed());
        }
    }
}

/// Kept apart from its exit, the loop of the first state would need a cube for every way in which no pair is wrong.
#[test]
fn many_pairs_of_events_and_conditions_are_no_trouble() {
    let pairs: Vec<String> = (0..60).map(|n| format!("(event{n} -> condition{n})")).collect();
    let parsed = parse(&format!("[] ({})", pairs.join(" && "))).unwrap();
    let automaton = automaton(&parsed.formula.negated(), &Limits::default()).unwrap();
    let cubes = automaton.states.iter().flat_map(|state| &state.edges).map(|edge| edge.guard.len());
    assert_eq!((automaton.states.len(), cubes.sum::<usize>()), (2, 62));
}
