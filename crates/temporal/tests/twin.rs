//! The translation against its naive twin: formulas evaluated by definition on random words.

use crate::support;
use crate::support::{Random, patterns};
use temporal::{Formula, Lasso, Limits, automaton};
use testing::seeds;

/// Both the formula and its negation: exactly one of the two automata accepts, and it is the right one.
fn agrees(formula: &Formula, lassos: &[Lasso], context: &str) {
    let limits = Limits::default();
    let yes = automaton(formula, &limits).unwrap_or_else(|error| panic!("{context}: {formula:?}: {error}"));
    let no = automaton(&formula.negated(), &limits).unwrap_or_else(|error| panic!("{context}: {formula:?}: {error}"));
    for lasso in lassos {
        let holds = formula.holds_on(lasso);
        assert_eq!(yes.accepts(lasso), holds, "{context}: {formula:?} on {lasso:?}\n{yes:?}");
        assert_eq!(no.accepts(lasso), !holds, "{context}: not {formula:?} on {lasso:?}\n{no:?}");
    }
}

#[test]
fn random_formulas_agree_with_the_twin() {
    for seed in 0..seeds(800) {
        let mut random = Random::new(seed);
        let (size, atoms) = (1 + random.below(16) as usize, 1 + random.below(3));
        let with_next = random.below(2) == 0;
        let formula = support::formula(&mut random, size, atoms, with_next);
        let lassos: Vec<Lasso> = (0..40).map(|_| support::lasso(&mut random, atoms)).collect();
        agrees(&formula, &lassos, &format!("seed {seed}"));
    }
}

#[test]
fn all_patterns_in_all_scopes_agree_with_the_twin() {
    for (number, (formula, names)) in patterns::all().into_iter().enumerate() {
        let mut random = Random::new(number as u64);
        let lassos: Vec<Lasso> = (0..seeds(60)).map(|_| support::lasso(&mut random, names.len() as u64)).collect();
        agrees(&formula, &lassos, &formula.to_paper(&names));
    }
}

#[test]
fn surge_protectors_agree_with_the_twin() {
    for range in 1..=3 {
        for (formula, names) in patterns::surge_protector(range) {
            let mut random = Random::new(u64::from(range));
            let lassos: Vec<Lasso> = (0..seeds(60)).map(|_| support::lasso(&mut random, names.len() as u64)).collect();
            agrees(&formula, &lassos, &formula.to_paper(&names));
        }
    }
}

/// The obligation of the initial state is at most the formula.
#[test]
fn the_initial_state_knows_the_formula() {
    for seed in 0..seeds(300) {
        let mut random = Random::new(seed);
        let size = 1 + random.below(14) as usize;
        let formula = support::formula(&mut random, size, 2, true);
        let automaton = automaton(&formula, &Limits::default()).unwrap();
        let obligation = &automaton.states[automaton.initial as usize].formula;
        for _ in 0..10 {
            let lasso = support::lasso(&mut random, 2);
            assert!(!formula.holds_on(&lasso) || obligation.holds_on(&lasso), "seed {seed}: {formula:?}");
        }
    }
}
