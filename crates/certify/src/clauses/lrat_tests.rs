//! Proofs of the solver are accepted; damaged ones never refute clauses that can hold together.

use super::*;
use bitvector::SatRefuter;
use model::refutation::Refuter;
use testing::{Random, seeds};

fn random_cnf(random: &mut Random) -> Cnf {
    let mut cnf = Cnf::new();
    let count = 3 + random.below(8) as u32;
    let variables: Vec<Literal> = (0..count).map(|_| cnf.variable()).collect();
    // Near the threshold, so that about half of them can be satisfied; short clauses make facts.
    for _ in 0..count + random.below(4 * count as usize) as u32 {
        let length = 1 + random.below(3) + random.below(2);
        let mut literal = || {
            let variable = variables[random.below(variables.len())];
            if random.one_in(2) { variable } else { !variable }
        };
        let clause: Vec<Literal> = (0..length).map(|_| literal()).collect();
        cnf.add(&clause);
    }
    cnf
}

/// Whether an assignment makes all clauses true, by trying all.
fn can_hold(cnf: &Cnf) -> bool {
    (0..1_u32 << cnf.variables()).any(|assignment| {
        let holds = |literal: &Literal| (assignment >> literal.variable() & 1 == 1) != literal.is_negative();
        cnf.clauses().all(|clause| clause.iter().any(holds))
    })
}

fn accepted(cnf: &Cnf, proof: &Lrat) -> bool {
    check(cnf, proof, &Budget::unlimited()).is_ok()
}

#[test]
fn clauses_are_refuted_if_no_assignment_makes_them_true_and_the_proof_is_accepted() {
    let (mut refuted, mut possible) = (0, 0);
    for seed in 0..seeds(3000) {
        let cnf = random_cnf(&mut Random::new(seed));
        match SatRefuter.refute(&cnf, &Budget::unlimited()) {
            Ok(proof) => {
                assert!(!can_hold(&cnf), "seed {seed}");
                assert_eq!(check(&cnf, &proof, &Budget::unlimited()), Ok(()), "seed {seed}");
                refuted += 1;
            }
            Err(Reason::NotProvable(_)) => {
                assert!(can_hold(&cnf), "seed {seed}");
                possible += 1;
            }
            Err(reason) => panic!("seed {seed}: {reason}"),
        }
    }
    assert!(refuted > seeds(3000) / 5 && possible > seeds(3000) / 5, "{refuted} refuted, {possible} possible");
}

/// More pigeons than holes: thousands of conflicts, with restarts, minimised clauses and deletions.
fn pigeons(holes: usize) -> Cnf {
    let mut cnf = Cnf::new();
    let places: Vec<Vec<Literal>> = (0..=holes).map(|_| (0..holes).map(|_| cnf.variable()).collect()).collect();
    places.iter().for_each(|pigeon| cnf.add(pigeon));
    for (second, later) in places.iter().enumerate() {
        for (&one, &other) in places[..second].iter().flat_map(|earlier| earlier.iter().zip(later)) {
            cnf.add(&[!one, !other]);
        }
    }
    cnf
}

#[test]
fn a_long_proof_with_deletions_is_accepted() {
    let cnf = pigeons(8);
    let proof = SatRefuter.refute(&cnf, &Budget::unlimited()).expect("they do not fit");
    assert_eq!(check(&cnf, &proof, &Budget::unlimited()), Ok(()));
    assert!(proof.steps.iter().any(|step| matches!(step, LratStep::Delete(_))), "{} steps", proof.steps.len());
    let spent = Budget::unlimited().timeout(std::time::Duration::ZERO);
    assert_eq!(check(&cnf, &proof, &spent), Err(Rejection::Unfinished(Reason::Timeout)));
}

/// Changes one thing: a hint, a literal, a step.
fn damaged(proof: &Lrat, cnf: &Cnf, random: &mut Random) -> Lrat {
    let mut proof = proof.clone();
    let at = random.below(proof.steps.len());
    let clauses = cnf.len() + proof.steps.len() + 2;
    let variables = cnf.variables() as usize + 1;
    let mut literal = || {
        let literal = Literal::positive(random.below(variables) as u32);
        if random.one_in(2) { literal } else { !literal }
    };
    let (one, other) = (literal(), literal());
    let (any, kind) = (random.below(clauses) as u32, random.below(10));
    match &mut proof.steps[at] {
        LratStep::Lemma { hints, .. } if kind == 0 && !hints.is_empty() => {
            let place = random.below(hints.len());
            hints[place] = any;
        }
        LratStep::Lemma { hints, .. } if kind == 1 && !hints.is_empty() => {
            hints.remove(random.below(hints.len()));
        }
        LratStep::Lemma { hints, .. } if kind == 2 => hints.insert(random.below(hints.len() + 1), any),
        LratStep::Lemma { literals, .. } if kind == 3 && !literals.is_empty() => {
            let place = random.below(literals.len());
            literals[place] = one;
        }
        LratStep::Lemma { literals, .. } if kind == 4 && !literals.is_empty() => {
            literals.remove(random.below(literals.len()));
        }
        LratStep::Lemma { literals, .. } if kind == 5 => *literals = vec![one, other],
        LratStep::Lemma { hints, .. } if kind == 6 => hints.reverse(),
        LratStep::Delete(deleted) if kind == 7 => deleted.push(any),
        _ if kind == 8 => {
            proof.steps.remove(at);
        }
        _ => proof.steps.insert(at, LratStep::Delete(vec![any])),
    }
    proof
}

#[test]
fn no_damaged_proof_refutes_clauses_that_can_hold_together() {
    let (mut rejected, mut still) = (0, 0);
    for seed in 0..seeds(1500) {
        let mut random = Random::new(seed);
        let cnf = random_cnf(&mut random);
        let Ok(proof) = SatRefuter.refute(&cnf, &Budget::unlimited()) else { continue };
        // Without one of its clauses, the same proof is about others.
        let dropped = random.below(cnf.len());
        let mut fewer = Cnf::new();
        for (number, clause) in cnf.clauses().enumerate() {
            let flipped: Vec<Literal> = clause.iter().map(|&literal| !literal).collect();
            fewer.add(if number == dropped { &flipped } else { clause });
        }
        let fewer_can_hold = can_hold(&fewer);
        for _ in 0..20 {
            let damaged = damaged(&proof, &cnf, &mut random);
            match accepted(&cnf, &damaged) {
                true => still += 1,
                false => rejected += 1,
            }
            let accepts = accepted(&fewer, &damaged) || accepted(&fewer, &proof);
            assert!(!(accepts && fewer_can_hold), "seed {seed}: {fewer:?} {damaged:?}");
        }
    }
    assert!(rejected > still, "{rejected} rejected, {still} accepted");
}

#[test]
fn proofs_that_were_made_up_refute_nothing_that_can_hold() {
    for seed in 0..seeds(3000) {
        let mut random = Random::new(seed);
        let cnf = random_cnf(&mut random);
        if !can_hold(&cnf) {
            continue;
        }
        let mut steps = Vec::new();
        for _ in 0..random.below(12) {
            let made = Lrat { steps: vec![LratStep::Lemma { literals: Vec::new(), hints: vec![0, 1, 2] }] };
            steps.extend(damaged(&made, &cnf, &mut random).steps);
        }
        // All clauses as hints, in any order: what propagation can show, it shows.
        let mut hints: Vec<u32> = (0..cnf.len() as u32).collect();
        for at in (1..hints.len()).rev() {
            hints.swap(at, random.below(at + 1));
        }
        steps.push(LratStep::Lemma { literals: Vec::new(), hints });
        assert!(!accepted(&cnf, &Lrat { steps: steps.clone() }), "seed {seed}: {cnf:?} {steps:?}");
    }
}

#[test]
fn steps_that_do_not_follow_are_rejected_by_name() {
    let mut cnf = Cnf::new();
    let [a, b] = [cnf.variable(), cnf.variable()];
    for clause in [[a, b], [!a, b], [a, !b], [!a, !b]] {
        cnf.add(&clause);
    }
    let lemma =
        |literals: &[Literal], hints: &[u32]| LratStep::Lemma { literals: literals.to_vec(), hints: hints.to_vec() };
    let of = |steps: &[LratStep]| check(&cnf, &Lrat { steps: steps.to_vec() }, &Budget::unlimited());
    let (first, last) = (lemma(&[b], &[0, 1]), lemma(&[], &[4, 2, 3]));
    assert_eq!(of(&[first.clone(), last.clone()]), Ok(()));
    assert_eq!(of(&[]), Err(Rejection::Incomplete));
    assert_eq!(of(std::slice::from_ref(&first)), Err(Rejection::Incomplete));
    assert_eq!(of(std::slice::from_ref(&last)), Err(Rejection::Step(0)));
    // Two literals without a value: neither follows.
    assert_eq!(of(&[lemma(&[], &[0, 2, 3])]), Err(Rejection::Step(0)));
    // A hint too early, too few, after its deletion, of itself; a variable that there is not.
    assert_eq!(of(&[lemma(&[b], &[1, 2])]), Err(Rejection::Step(0)));
    assert_eq!(of(&[lemma(&[b], &[0])]), Err(Rejection::Step(0)));
    assert_eq!(of(&[first.clone(), LratStep::Delete(vec![4]), last.clone()]), Err(Rejection::Step(2)));
    assert_eq!(of(&[first.clone(), LratStep::Delete(vec![5])]), Err(Rejection::Step(1)));
    assert_eq!(of(&[lemma(&[], &[4])]), Err(Rejection::Step(0)));
    assert_eq!(of(&[lemma(&[Literal::positive(7)], &[0])]), Err(Rejection::Step(0)));
    // What always holds needs no hint.
    assert_eq!(of(&[lemma(&[a, !a], &[]), first, lemma(&[], &[5, 2, 3])]), Ok(()));
}
