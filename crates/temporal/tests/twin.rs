//! The translation against its naive twin: formulas evaluated by definition on random words.

use crate::support;
use crate::support::{Random, patterns};
use model::formula::Ltl;
use temporal::{Formula, Lasso, Limits, automaton, monitor, with_atoms};
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

/// A word breaks a formula that promises nothing just where the monitor notices: going round the loop once for each of
/// its states is enough.
#[test]
fn monitors_notice_what_the_twin_says_is_broken() {
    let (mut safe, mut broken) = (0, 0);
    for seed in 0..seeds(3_000) {
        let mut random = Random::new(seed);
        let (size, atoms) = (1 + random.below(12) as usize, 1 + random.below(3));
        let formula = support::formula(&mut random, size, atoms, true);
        let named: Vec<Ltl<u32>> = (0..atoms as u32).map(|atom| Ltl::Atom(Box::new(atom), String::new())).collect();
        if !with_atoms(&formula, &named).is_safety() {
            continue;
        }
        safe += 1;
        let automaton = automaton(&formula, &Limits::default()).unwrap();
        let monitor = monitor(&automaton, 10_000).unwrap();
        for _ in 0..30 {
            let lasso = support::lasso(&mut random, atoms);
            let (mut at, mut position, mut noticed) = (0u32, 0, false);
            for _ in 0..lasso.len() * (monitor.states.len() + 1) {
                let letter = lasso.letter(position);
                let open: Vec<Option<u32>> = monitor.states[at as usize]
                    .iter()
                    .filter(|(cube, _)| cube.admits(letter))
                    .map(|(_, to)| *to)
                    .collect();
                assert_eq!(open.len(), 1, "seed {seed}: {formula:?} {monitor:?}");
                let Some(next) = open[0] else {
                    noticed = true;
                    break;
                };
                (at, position) = (next, lasso.successor(position));
            }
            assert_eq!(noticed, !formula.holds_on(&lasso), "seed {seed}: {formula:?} on {lasso:?}\n{monitor:?}");
            broken += usize::from(noticed);
        }
    }
    assert!(safe > 300 && broken > 1_000, "{safe} {broken}");
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
