//! The clauses of a circuit say what its gates do: every question against the values of the gates, for all inputs.

use super::*;
use bitvector::SatRefuter;
use testing::{Random, seeds};

/// The values of all gates, given those of the inputs in the order in which they were made.
pub(crate) fn simulate(circuit: &Circuit<'_>, inputs: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let (mut values, mut input): (Vec<bool>, usize) = (Vec::new(), 0);
    for gate in &circuit.gates {
        let of = |literal: &Literal| values[literal.variable() as usize] != literal.is_negative();
        let value = match gate {
            Gate::True => true,
            Gate::Input => {
                input += 1;
                inputs(input - 1)
            }
            Gate::And(parts) => parts.iter().all(of),
            Gate::Xor(a, b) => of(a) != of(b),
            Gate::Choice(which, then, other) => {
                if of(which) {
                    of(then)
                } else {
                    of(other)
                }
            }
            Gate::Majority(parts) => parts.iter().filter(|part| of(part)).count() >= 2,
        };
        values.push(value);
    }
    values
}

/// Whether a literal is true.
pub(crate) fn holds(values: &[bool], literal: Literal) -> bool {
    values[literal.variable() as usize] != literal.is_negative()
}

const INPUTS: usize = 5;

/// A circuit of all kinds of gates, and what each of its literals must be, as a function of the inputs.
fn random_circuit<'b>(random: &mut Random, budget: &'b Budget) -> (Circuit<'b>, Vec<(Literal, u32)>) {
    let mut circuit = Circuit::new(budget);
    // A truth table has a bit for each assignment.
    let table =
        |truth: &dyn Fn(usize) -> bool| (0..1 << INPUTS).fold(0, |table, at| table | u32::from(truth(at)) << at);
    let mut pool: Vec<(Literal, u32)> = vec![(TRUE, u32::MAX)];
    for input in 0..INPUTS {
        pool.push((circuit.input(), table(&|at| at >> input & 1 == 1)));
    }
    for _ in 0..30 {
        let mut pick = || {
            let (literal, table) = pool[random.below(pool.len())];
            if random.one_in(2) { (!literal, !table) } else { (literal, table) }
        };
        let [(a, x), (b, y), (c, z), (d, w)] = [pick(), pick(), pick(), pick()];
        pool.push(match random.below(7) {
            0 => (circuit.and(a, b), x & y),
            1 => (circuit.or(a, b), x | y),
            2 => (circuit.xor(a, b), x ^ y),
            3 => (circuit.choice(a, b, c), x & y | !x & z),
            4 => (circuit.majority(a, b, c), x & y | x & z | y & z),
            5 => (circuit.all([a, b, c, d].into_iter()), x & y & z & w),
            _ => (circuit.any([a, b, c, d].into_iter()), x | y | z | w),
        });
    }
    (circuit, pool)
}

#[test]
fn every_literal_is_the_function_that_it_was_made_for_and_its_clauses_say_so() {
    let budget = Budget::unlimited();
    for seed in 0..seeds(40) {
        let mut random = Random::new(seed);
        let (mut circuit, pool) = random_circuit(&mut random, &budget);
        for at in 0..1_usize << INPUTS {
            let values = simulate(&circuit, &|input| at >> input & 1 == 1);
            for &(literal, table) in &pool {
                assert_eq!(holds(&values, literal), table >> at & 1 == 1, "seed {seed}");
            }
        }
        let inputs: Vec<Literal> = pool[1..=INPUTS].iter().map(|&(input, _)| input).collect();
        for &(literal, table) in pool.iter().rev().take(8) {
            let expected = if table == 0 { Answer::Never } else { Answer::Possible };
            assert_eq!(circuit.ask(literal, &mut SatRefuter), expected, "seed {seed}");
            // The same for each assignment by itself.
            for at in 0..1_usize << INPUTS {
                let point = inputs.iter().enumerate().map(|(n, &input)| if at >> n & 1 == 1 { input } else { !input });
                let question: Vec<Literal> = point.chain([literal]).collect();
                let question = circuit.all(question.into_iter());
                let expected = if table >> at & 1 == 0 { Answer::Never } else { Answer::Possible };
                assert_eq!(circuit.ask(question, &mut SatRefuter), expected, "seed {seed}, {at:b}");
            }
        }
    }
}

#[test]
fn without_a_budget_there_is_no_answer() {
    let budget = Budget::unlimited().timeout(std::time::Duration::ZERO);
    let mut circuit = Circuit::new(&budget);
    let words = [0; 40].map(|_| circuit.any_word(64));
    let sum = words
        .iter()
        .fold(words[0].clone(), |sum, word| circuit.apply(cfront::term::Operation::Multiply, false, &sum, word));
    assert_eq!(circuit.ask(sum.lowest(), &mut SatRefuter), Answer::Unknown(Reason::Timeout));
    assert_eq!(circuit.ask(FALSE, &mut SatRefuter), Answer::Unknown(Reason::Timeout));
}

/// A refuter that is wrong: what it returns is no proof.
struct Liar(model::refutation::Lrat);

impl Refuter for Liar {
    fn refute(&mut self, _: &Cnf, _: &Budget) -> Result<model::refutation::Lrat, Reason> {
        Ok(self.0.clone())
    }
}

#[test]
fn a_refuter_that_is_wrong_is_not_believed() {
    use model::refutation::{Lrat, LratStep};
    let budget = Budget::unlimited();
    let mut circuit = Circuit::new(&budget);
    let (a, b) = (circuit.input(), circuit.input());
    let question = circuit.and(a, b);
    let empty = |hints: Vec<u32>| LratStep::Lemma { literals: Vec::new(), hints };
    for steps in [vec![], vec![empty(vec![])], vec![empty(vec![0, 1, 2, 3])], vec![empty(vec![99])]] {
        let answer = circuit.ask(question, &mut Liar(Lrat { steps }));
        assert!(matches!(answer, Answer::Unknown(Reason::Internal(_))), "{answer:?}");
    }
}
