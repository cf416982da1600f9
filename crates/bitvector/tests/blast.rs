//! Terms, circuits and the SAT solver against a twin: exhaustive at small widths, random at large ones.

use crate::support::{
    ARITHMETIC, CHEAP, COMPARISONS, Garden, Operation, Random, Tree, all_values, bits, build, declare, seeds, value,
};
use bitvector::{Effort, Embedded, Model, Outcome, Solver, Terms};

/// All operations on one or two arguments of a width, with the width of the result.
fn operations(width: u32) -> Vec<(Operation, u32, usize)> {
    let mut all: Vec<(Operation, u32, usize)> = ARITHMETIC.iter().map(|&operation| (operation, width, 2)).collect();
    all.extend(COMPARISONS.iter().map(|&operation| (operation, 0, 2)));
    all.extend([(Operation::BvNot, width, 1), (Operation::BvNeg, width, 1), (Operation::Concat, 2 * width, 2)]);
    all.extend([Operation::Zext, Operation::Sext].map(|operation| (operation, width + 2, 1)));
    all.extend((0..width).map(|low| (Operation::Extract(low), width - low, 1)));
    all
}

#[test]
fn every_operation_means_what_it_should_on_all_values_of_small_widths() {
    for width in 1..=4 {
        for (operation, result, arity) in operations(width) {
            let widths = vec![width; arity];
            let tree = Tree::Node(operation, result, (0..arity).map(|which| Tree::Variable(which, width)).collect());
            let mut terms = Terms::new();
            let variables = declare(&mut terms, &widths);
            let term = build(&mut terms, &tree, &variables);
            let mut solver = Embedded::without_memory();
            for values in all_values(&widths) {
                let expected = value(&tree, &values);
                let mut question: Vec<_> = variables
                    .iter()
                    .zip(&values)
                    .map(|(&variable, &bits)| {
                        let constant = terms.constant(width, bits);
                        terms.eq(variable, constant)
                    })
                    .collect();
                let constant = terms.constant_of(terms.sort(term), expected);
                let right = terms.eq(term, constant);
                let wrong = terms.not(right);
                question.push(right);
                let context = format!("{operation:?} of width {width} on {values:?} is {expected}");
                assert!(solver.check(&terms, &question, &Effort::unlimited()).is_sat(), "{context}");
                question.pop();
                question.push(wrong);
                assert!(solver.check(&terms, &question, &Effort::unlimited()).is_unsat(), "{context}");
            }
        }
    }
}

#[test]
fn random_terms_evaluate_as_their_twins() {
    for seed in 0..seeds(1500) {
        let mut random = Random::new(seed);
        let widest = [4, 8, 33, 64, 128][random.below(5) as usize];
        let widths = [0, widest, widest, 1 + random.below(u64::from(widest)) as u32];
        let garden = Garden { widths: &widths, operations: &ARITHMETIC, widest };
        let width = if random.one_in(2) { 0 } else { widest };
        let tree = garden.tree(&mut random, width, 5);
        let mut terms = Terms::new();
        let variables = declare(&mut terms, &widths);
        let term = build(&mut terms, &tree, &variables);
        for _ in 0..8 {
            let values: Vec<u128> = widths.iter().map(|&width| bits(&mut random, width.max(1))).collect();
            let model = Model::new(variables.iter().copied().zip(values.iter().copied()).collect());
            let found = model.evaluate(&terms, term).bits;
            assert_eq!(found, value(&tree, &values), "seed {seed}: {tree:?} at {values:?}");
        }
    }
}

#[test]
fn random_formulas_of_small_widths_are_decided_as_by_enumeration() {
    let mut counts = [0, 0];
    for seed in 0..seeds(600) {
        let mut random = Random::new(seed);
        let width = 1 + random.below(4) as u32;
        let widths = [width, width, 1 + random.below(3) as u32];
        let garden = Garden { widths: &widths, operations: &ARITHMETIC, widest: 4 };
        let trees: Vec<Tree> = (0..1 + random.below(4)).map(|_| garden.tree(&mut random, 0, 4)).collect();
        let mut terms = Terms::new();
        let variables = declare(&mut terms, &widths);
        let question: Vec<_> = trees.iter().map(|tree| build(&mut terms, tree, &variables)).collect();
        let holds = |values: &Vec<u128>, chosen: &dyn Fn(usize) -> bool| {
            trees.iter().enumerate().all(|(which, tree)| !chosen(which) || value(tree, values) == 1)
        };
        let expected = all_values(&widths).iter().any(|values| holds(values, &|_| true));
        counts[usize::from(expected)] += 1;
        match Embedded::new().check(&terms, &question, &Effort::unlimited()) {
            Outcome::Sat(model) => {
                let values: Vec<u128> = variables.iter().map(|&variable| model.get(variable)).collect();
                assert!(holds(&values, &|_| true), "seed {seed}: {values:?} is no model of {trees:?}");
            }
            Outcome::Unsat(core) => {
                assert!(!expected, "seed {seed}: {trees:?} is satisfiable");
                let in_core = |which: usize| core.contains(&question[which]);
                let possible = all_values(&widths).iter().any(|values| holds(values, &in_core));
                assert!(!possible, "seed {seed}: the core of {trees:?} is satisfiable");
            }
            Outcome::Unknown(reason) => panic!("seed {seed}: {reason}"),
        }
    }
    assert!(counts[0] * 10 > counts[1] && counts[1] * 10 > counts[0], "both kinds are tried: {counts:?}");
}

#[test]
fn equations_of_large_widths_that_have_a_solution_get_one() {
    for seed in 0..seeds(150) {
        let mut random = Random::new(seed);
        let widest = [8, 16, 32, 64][random.below(4) as usize];
        let widths = [widest, widest, 0];
        let operations: &[Operation] = if widest > 16 { &CHEAP } else { &ARITHMETIC };
        let garden = Garden { widths: &widths, operations, widest };
        let tree = garden.tree(&mut random, widest, 3);
        let hidden: Vec<u128> = widths.iter().map(|&width| bits(&mut random, width.max(1))).collect();
        let mut terms = Terms::new();
        let variables = declare(&mut terms, &widths);
        let term = build(&mut terms, &tree, &variables);
        let target = value(&tree, &hidden);
        let constant = terms.constant(widest, target);
        let equation = terms.eq(term, constant);
        let limits = Effort { conflicts: Some(3000), ..Effort::unlimited() };
        match Embedded::new().check(&terms, &[equation], &limits) {
            Outcome::Sat(model) => {
                let values: Vec<u128> = variables.iter().map(|&variable| model.get(variable)).collect();
                assert_eq!(value(&tree, &values), target, "seed {seed}: {tree:?}");
            }
            Outcome::Unsat(_) => panic!("seed {seed}: {hidden:?} is a solution of {tree:?} = {target}"),
            Outcome::Unknown(_) => {}
        }
    }
}

#[test]
fn operations_of_large_widths_are_right_at_random_values() {
    for seed in 0..seeds(60) {
        let mut random = Random::new(seed);
        let width = [8, 13, 32, 64][random.below(4) as usize];
        for (operation, result, arity) in operations(width) {
            let tree = Tree::Node(operation, result, (0..arity).map(|which| Tree::Variable(which, width)).collect());
            let values: Vec<u128> = (0..arity).map(|_| bits(&mut random, width)).collect();
            let mut terms = Terms::new();
            let variables = declare(&mut terms, &vec![width; arity]);
            let term = build(&mut terms, &tree, &variables);
            let mut question = Vec::new();
            for (&variable, &bits) in variables.iter().zip(&values) {
                let constant = terms.constant(width, bits);
                question.push(terms.eq(variable, constant));
            }
            let expected = terms.constant_of(terms.sort(term), value(&tree, &values));
            question.push(terms.ne(term, expected));
            let outcome = Embedded::without_memory().check(&terms, &question, &Effort::unlimited());
            assert!(outcome.is_unsat(), "seed {seed}: {operation:?} of width {width} on {values:?}");
        }
    }
}
