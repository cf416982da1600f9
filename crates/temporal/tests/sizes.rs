//! Automata are small: known sizes, and no more states than `spin -f`.

use crate::support;
use crate::support::{Random, patterns, spin};
use temporal::{Formula, Limits, automaton, parse};

fn states(text: &str) -> usize {
    automaton(&parse(text).unwrap().formula, &Limits::default()).unwrap().states.len()
}

#[test]
fn textbook_formulas_have_textbook_sizes() {
    for (text, size) in [
        ("true", 1),
        ("false", 1),
        ("a", 2),
        ("<> a", 2),
        ("[] a", 1),
        ("a U b", 2),
        ("a V b", 2),
        ("[] <> a", 2),
        ("<> [] a", 2),
        ("<> [] <> a", 2),
        ("[] (a -> <> b)", 2),
        ("!([] (a -> <> b))", 2),
        ("[] <> a && [] <> b", 3),
        ("!([] <> a -> [] <> b)", 3),
        ("<> a && [] !a", 1),
        ("[] (a -> X b)", 2),
        ("(a U b) U c", 4),
        ("[] <> a -> [] <> b", 3),
        ("<> (a && X <> (b && X <> c))", 4),
    ] {
        assert_eq!(states(text), size, "{text}");
    }
}

#[test]
fn the_state_event_surge_protector_stays_small() {
    let limits = Limits::default();
    for range in 1..=8 {
        let [both, ..] = patterns::surge_protector(range);
        assert_eq!(automaton(&both.0, &limits).unwrap().states.len(), 1);
        assert_eq!(automaton(&both.0.negated(), &limits).unwrap().states.len(), 2);
    }
}

#[test]
fn the_catalogue_does_not_grow() {
    let limits = Limits::default();
    let size = |formula: &Formula| automaton(formula, &limits).unwrap().states.len();
    let total: usize = patterns::all().iter().map(|(formula, _)| size(formula) + size(&formula.negated())).sum();
    assert!(total <= 421, "{total} states; it was 421");
}

/// `HIGHWATER_SPIN=N`: the catalogue, the surge protector and N random formulas, with their negations.
#[test]
fn no_more_states_than_spin() {
    let count = testing::judge::asked_for_spin();
    let Some(count) = count.filter(|_| testing::judge::has_spin()) else { return };
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let random = (0..count).map(|seed| {
        let mut random = Random::new(seed);
        let size = 5 + random.below(12) as usize;
        (support::formula(&mut random, size, 3, false), names.clone())
    });
    let surge = (1..=3).flat_map(patterns::surge_protector);
    let (mut ours, mut theirs) = (0, 0);
    for (formula, names) in patterns::all().into_iter().chain(surge).chain(random) {
        for formula in [formula.negated(), formula] {
            let Some((states, _)) = spin::claim_size("spin", &formula, &names, 3) else { continue };
            ours += automaton(&formula, &Limits::default()).unwrap().states.len();
            theirs += states;
        }
    }
    assert!(ours <= theirs, "{ours} states, SPIN has {theirs}");
}
