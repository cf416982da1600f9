//! Random compositions: every method against the checker's own search of the product; every proof through the checker, every
//! run replayed.

use crate::support::{
    METHODS, Random, ask, describe, random_composition, random_composition_with, random_formula, random_response,
    seeds, verdict,
};
use certify::composition::decide;
use compose::{Method, Question, Verdict};
use model::composition::Composition;
use model::context::Context;
use model::reason::Reason;

fn truth(composition: &Composition, question: Question<'_>) -> bool {
    decide(composition, question, &Context::unlimited()).expect("no limit")
}

fn agree(seed: u64, composition: &Composition, question: Question<'_>) -> bool {
    let expected = truth(composition, question);
    for method in METHODS {
        match verdict(composition, question, method) {
            Ok(found) => {
                assert_eq!(found, expected, "seed {seed}, {method:?}, {question:?}\n{}", describe(composition))
            }
            Err(problem) => panic!("seed {seed}, {question:?}: {problem}\n{}", describe(composition)),
        }
    }
    expected
}

#[test]
fn all_methods_agree_about_deadlock_and_safety() {
    let mut holds = [0; 2];
    let (first, count) = (testing::first(0), seeds(500));
    for seed in first..first + count {
        let composition = random_composition(&mut Random::new(seed));
        holds[0] += u64::from(agree(seed, &composition, Question::Deadlock));
        holds[1] += u64::from(agree(seed, &composition, Question::Safety));
    }
    assert!(holds.iter().all(|&holds| holds > count / 20 && holds < count - count / 20), "{holds:?} of {count}");
}

#[test]
fn stubborn_sets_find_a_deadlock_if_there_is_one() {
    let (first, count) = (testing::first(0), seeds(3000));
    let mut found = 0;
    for seed in first..first + count {
        let mut random = Random::new(seed ^ 0x5b00_0000);
        let silent = 2 + random.below(5);
        let composition = random_composition_with(&mut random, silent);
        let answer = ask(&composition, Question::Deadlock, Method::Stubborn).verdict;
        let fails = matches!(answer, Verdict::Fails(_));
        assert!(fails || matches!(answer, Verdict::Inconclusive(Reason::NotProvable(_))), "seed {seed}: {answer:?}");
        assert_eq!(fails, !truth(&composition, Question::Deadlock), "seed {seed}\n{}", describe(&composition));
        found += u64::from(fails);
    }
    assert!(found > count / 20 && found < count - count / 20, "{found} of {count}");
}

#[test]
fn all_methods_agree_about_formulas() {
    let mut holds = 0;
    let (first, count) = (testing::first(0), seeds(500));
    for seed in first..first + count {
        let mut random = Random::new(seed ^ 0xf0f0_0000);
        let composition = random_composition(&mut random);
        let formula = random_formula(&mut random, 3);
        holds += u64::from(agree(seed, &composition, Question::Formula(&formula)));
    }
    assert!(holds > count / 20 && holds < count - count / 20, "{holds} of {count}");
}

#[test]
fn all_methods_agree_about_formulas_where_much_is_silent() {
    let mut holds = 0;
    let (first, count) = (testing::first(0), seeds(1000));
    for seed in first..first + count {
        let mut random = Random::new(seed ^ 0x0f0f_0000);
        let silent = 2 + random.below(3);
        let composition = random_composition_with(&mut random, silent);
        let formula = random_response(&mut random);
        holds += u64::from(agree(seed, &composition, Question::Formula(&formula)));
    }
    assert!(holds > count / 20 && holds < count - count / 20, "{holds} of {count}");
}
