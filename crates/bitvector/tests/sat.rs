//! The SAT solver against enumeration, and its proofs against the checker.

use crate::support::{Random, seeds};
use bitvector::Effort;
use bitvector::sat::{Answer, Lit, ProofStep, Sat, Var, check_proof};
use model::reason::Reason;

fn variables(sat: &mut Sat, count: usize) -> Vec<Var> {
    (0..count).map(|_| sat.new_variable()).collect()
}

fn random_clause(random: &mut Random, variables: &[Var], longest: u64) -> Vec<Lit> {
    (0..1 + random.below(longest))
        .map(|_| variables[random.below(variables.len() as u64) as usize].literal(random.one_in(2)))
        .collect()
}

fn holds(literal: Lit, assignment: u32) -> bool {
    (assignment >> literal.var().index() & 1 == 1) == literal.is_positive()
}

fn possible(clauses: &[Vec<Lit>], assumptions: &[Lit], count: usize) -> bool {
    (0..1u32 << count).any(|assignment| {
        assumptions.iter().all(|&literal| holds(literal, assignment))
            && clauses.iter().all(|clause| clause.iter().any(|&literal| holds(literal, assignment)))
    })
}

#[test]
fn random_clauses_with_assumptions_are_decided_as_by_enumeration() {
    for seed in 0..seeds(400) {
        let mut random = Random::new(seed);
        let count = 3 + random.below(8) as usize;
        let mut sat = Sat::new();
        sat.log_proof();
        let mut known = variables(&mut sat, 2);
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        // Clauses and variables come in between questions.
        for round in 0..6 {
            while known.len() < count.min(3 + 2 * round) {
                known.push(sat.new_variable());
            }
            for _ in 0..random.below(3 * count as u64 / 2) {
                let clause = random_clause(&mut random, &known, 4);
                sat.add_clause(&clause);
                clauses.push(clause);
            }
            let assumptions = if random.one_in(4) { Vec::new() } else { random_clause(&mut random, &known, 4) };
            let expected = possible(&clauses, &assumptions, known.len());
            // A question that is given up in between must leave no trace.
            sat.solve(&assumptions, None, &Effort { conflicts: Some(1), ..Effort::unlimited() });
            match sat.solve(&assumptions, None, &Effort::unlimited()) {
                Answer::Sat => {
                    assert!(expected, "seed {seed}");
                    let satisfied = |&literal: &Lit| sat.model(literal.var()) == literal.is_positive();
                    assert!(clauses.iter().all(|clause| clause.iter().any(satisfied)), "seed {seed}");
                    assert!(assumptions.iter().all(satisfied), "seed {seed}");
                }
                Answer::Unsat => {
                    assert!(!expected, "seed {seed}");
                    let core = sat.core().to_vec();
                    assert!(core.iter().all(|literal| assumptions.contains(literal)), "seed {seed}");
                    assert!(!possible(&clauses, &core, known.len()), "seed {seed}");
                    assert!(proves(&sat, &core), "seed {seed}");
                }
                Answer::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
        }
        assert!(check_proof(sat.proof()).is_ok(), "seed {seed}");
    }
}

/// Long clauses are looked at from where a literal was last found. Assumptions make most of their literals false, one after
/// the other and each time in another order; what is left is decided as by enumeration.
#[test]
fn long_clauses_are_decided_as_what_is_left_of_them() {
    for seed in 0..seeds(200) {
        let mut random = Random::new(seed);
        let mut sat = Sat::new();
        let (few, many) = (variables(&mut sat, 6), variables(&mut sat, 60));
        let clauses: Vec<Vec<Lit>> = (0..3 + random.below(30))
            .map(|_| {
                let mut clause = random_clause(&mut random, &few, 3);
                let rest: Vec<Lit> = many.iter().filter(|_| !random.one_in(4)).map(|var| var.literal(true)).collect();
                clause.splice(0..0, rest);
                (0..clause.len()).for_each(|at| clause.swap(at, random.below(at as u64 + 1) as usize));
                clause.extend_from_within(..2);
                clause
            })
            .collect();
        clauses.iter().for_each(|clause| sat.add_clause(clause));
        for _ in 0..8 {
            let mut assumptions: Vec<Lit> = many.iter().map(|var| var.literal(false)).collect();
            (0..assumptions.len()).for_each(|at| assumptions.swap(at, random.below(at as u64 + 1) as usize));
            assumptions.truncate(assumptions.len() - random.below(3) as usize);
            let is_left = |literal: &Lit| !assumptions.contains(&!*literal);
            let short = clauses.iter().map(|clause| clause.iter().copied().filter(is_left).collect::<Vec<Lit>>());
            // A clause with one of the many left can be true by it alone.
            let short: Vec<Vec<Lit>> =
                short.filter(|clause| clause.iter().all(|literal| literal.var().index() < few.len())).collect();
            let answer = sat.solve(&assumptions, None, &Effort::unlimited());
            let expected = if possible(&short, &[], few.len()) { Answer::Sat } else { Answer::Unsat };
            assert_eq!(answer, expected, "seed {seed}");
        }
    }
}

/// Does the log contain the lemma that the core is impossible?
fn proves(sat: &Sat, core: &[Lit]) -> bool {
    let wanted: Vec<Lit> = core.iter().map(|&literal| !literal).collect();
    sat.proof().iter().any(|step| matches!(step, ProofStep::Lemma { clause, .. } if *clause == wanted))
}

/// `holes + 1` pigeons do not fit.
fn pigeons(sat: &mut Sat, holes: usize) {
    let places: Vec<Vec<Var>> = (0..=holes).map(|_| variables(sat, holes)).collect();
    for pigeon in &places {
        let somewhere: Vec<Lit> = pigeon.iter().map(|place| place.literal(true)).collect();
        sat.add_clause(&somewhere);
    }
    for (second, later) in places.iter().enumerate() {
        for earlier in &places[..second] {
            for (one, other) in earlier.iter().zip(later) {
                sat.add_clause(&[one.literal(false), other.literal(false)]);
            }
        }
    }
}

#[test]
fn pigeons_do_not_fit_and_the_proof_is_accepted() {
    let mut sat = Sat::new();
    sat.log_proof();
    pigeons(&mut sat, 5);
    assert_eq!(sat.solve(&[], None, &Effort::unlimited()), Answer::Unsat);
    assert!(matches!(sat.proof().last(), Some(ProofStep::Lemma { clause, .. }) if clause.is_empty()));
    assert!(check_proof(sat.proof()).is_ok());
}

#[test]
fn clauses_are_forgotten_and_the_answer_stays_right() {
    let mut sat = Sat::new();
    pigeons(&mut sat, 8);
    assert_eq!(sat.solve(&[], None, &Effort::unlimited()), Answer::Unsat);
    // Hard random clauses near the threshold, satisfiable by construction.
    for seed in 0..seeds(3) {
        let mut random = Random::new(seed);
        let mut sat = Sat::new();
        let known = variables(&mut sat, 220);
        let hidden: Vec<bool> = known.iter().map(|_| random.one_in(2)).collect();
        let mut clauses = Vec::new();
        while clauses.len() < 930 {
            let mut clause = Vec::new();
            while clause.len() < 3 {
                clause.push(known[random.below(220) as usize].literal(random.one_in(2)));
            }
            if clause.iter().any(|literal| hidden[literal.var().index()] == literal.is_positive()) {
                sat.add_clause(&clause);
                clauses.push(clause);
            }
        }
        assert_eq!(sat.solve(&[], None, &Effort::unlimited()), Answer::Sat, "seed {seed}");
        let satisfied = |literal: &Lit| sat.model(literal.var()) == literal.is_positive();
        assert!(clauses.iter().all(|clause| clause.iter().any(satisfied)), "seed {seed}");
    }
}

#[test]
fn a_wrong_lemma_is_refused() {
    let mut sat = Sat::new();
    let [a, b, c] = [0; 3].map(|_| sat.new_variable().literal(true));
    let input = ProofStep::Input(vec![a, b]);
    let lemma = |clause: Vec<Lit>| ProofStep::Lemma { clause, hints: Vec::new() };
    let follows = lemma(vec![a, b, c]);
    let wrong = lemma(vec![a]);
    assert_eq!(check_proof(&[input.clone(), follows]), Ok(1));
    assert_eq!(check_proof(&[input.clone(), wrong]), Err(1));
    let unit = ProofStep::Input(vec![!b]);
    let deleted = ProofStep::Delete(0);
    assert_eq!(check_proof(&[input.clone(), unit.clone(), lemma(vec![a])]), Ok(1));
    assert_eq!(check_proof(&[input, unit, deleted, lemma(vec![a])]), Err(3));
}

#[test]
fn the_budget_of_conflicts_is_kept_and_the_search_can_go_on() {
    let mut sat = Sat::new();
    pigeons(&mut sat, 7);
    let limits = Effort { conflicts: Some(10), ..Effort::unlimited() };
    assert!(matches!(sat.solve(&[], None, &limits), Answer::Unknown(Reason::Limit(_))));
    assert_eq!(sat.solve(&[], None, &Effort::unlimited()), Answer::Unsat);
}
