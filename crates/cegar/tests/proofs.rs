//! Proofs that were tampered with are refused.

use crate::common::{ask, checked, read_with, specification};
use cegar::{Holds, Outcome, Question, Specification};

const PROGRAM: &str = "
int __VERIFIER_nondet_int(void);
void assert(int holds);
void a(void);
int x = 0;
void p(void) {
    int y = 2;
    while (1) {
        if (__VERIFIER_nondet_int())
            x = 1;
        else
            y = 3;
        a();
        assert(x <= 1 && y >= 2);
    }
}
";

fn proved(question: Question) -> (Specification, Holds) {
    let spec = "file \"p.c\";\nS = (a -> S).\nprogram = (p || S)\nltl Small { [] {p.x <= 1} }\n";
    let specification = specification(read_with("test.spec", spec, &[("p.c", PROGRAM)]));
    match ask(&specification, question, 20).verdict {
        Outcome::Holds(holds) => (specification, *holds),
        other => panic!("{other:?}"),
    }
}

fn accepted(specification: &Specification, holds: &Holds) -> bool {
    checked(specification, holds).is_ok()
}

#[test]
fn a_proof_as_it_was_found_is_accepted_for_each_kind_of_question() {
    for question in [Question::Safety, Question::Deadlock, Question::Formula(0)] {
        let (specification, holds) = proved(question);
        let questions = checked(&specification, &holds).unwrap();
        assert!(questions >= holds.parts[0].extract.states.len() as u64, "{questions}");
    }
}

#[test]
fn the_predicates_of_a_proof_are_expressions_of_c() {
    let (_, holds) = proved(Question::Safety);
    let shown: Vec<String> = cegar::predicates(&holds.parts[0]).into_iter().flat_map(|(_, texts)| texts).collect();
    assert!(!shown.is_empty() && shown.iter().all(|text| !text.contains('#')), "{shown:?}");
}

#[test]
fn a_structure_without_one_of_its_steps_is_refused() {
    let (specification, holds) = proved(Question::Safety);
    let count = holds.parts[0].extract.moves.len();
    for state in 0..count {
        for step in 0..holds.parts[0].extract.moves[state].len() {
            let (specification, mut holds) = proved(Question::Safety);
            holds.parts[0].extract.moves[state].remove(step);
            assert!(!accepted(&specification, &holds), "state {state}, step {step}");
        }
    }
    assert!(accepted(&specification, &holds));
}

#[test]
fn a_structure_with_another_truth_or_beginning_is_refused() {
    let (_, first) = proved(Question::Formula(0));
    for state in 0..first.parts[0].extract.states.len() {
        let (specification, mut holds) = proved(Question::Formula(0));
        for value in &mut holds.parts[0].extract.states[state].values {
            *value = !*value;
        }
        assert!(!accepted(&specification, &holds), "state {state}");
    }
    let (specification, mut holds) = proved(Question::Formula(0));
    holds.parts[0].extract.initial.clear();
    assert!(!accepted(&specification, &holds));
}

#[test]
fn another_question_or_nothing_about_a_part_is_refused() {
    let (specification, mut holds) = proved(Question::Safety);
    holds.question = Question::Formula(0);
    assert!(!accepted(&specification, &holds));
    let (specification, mut holds) = proved(Question::Safety);
    holds.parts.clear();
    assert!(!accepted(&specification, &holds));
}
