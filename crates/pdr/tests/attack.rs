//! Random programs whose truth is known, because all their runs are run.

use crate::common;
use testing::Random;

use crate::common::Truth;
use crate::common::generate::{DOMAIN, program};
use bitvector::{Op, Sort};
use certify::programs::Refusal;
use model::verdict::Reason;
use pdr::invariant::{Invariant, Node};
use pdr::{Answer, First};

#[derive(Debug, Default)]
struct Counts {
    safe: u64,
    violated: u64,
    crash: u64,
    open: u64,
}

#[test]
fn no_answer_contradicts_a_run_of_a_random_program() {
    let mut counts = Counts::default();
    let first: u64 = testing::first(0);
    for seed in first..first + common::seeds(40) {
        attack(seed, &mut counts);
    }
    show(&format!("{counts:?}"));
    assert!(counts.safe > 0 && counts.violated > 0, "too few answers: {counts:?}");
}

#[allow(clippy::print_stderr)]
fn show(text: &str) {
    eprintln!("{text}");
}

fn attack(seed: u64, counts: &mut Counts) {
    let text = program(seed);
    let component = common::component(&text);
    let Some(truth) = common::truth(&component, DOMAIN, 4_000, 4_000) else { return };
    for first in [First::Sets, First::States] {
        let (answer, _) = common::ask_first(&component, first, 2);
        compare(seed, &text, &component, &truth, answer, counts);
    }
    if truth.stated {
        refuse_everything(seed, &component);
    }
}

fn compare(seed: u64, text: &str, component: &cfront::Component, truth: &Truth, answer: Answer, counts: &mut Counts) {
    match answer {
        Answer::Safe(invariant) => {
            counts.safe += 1;
            assert!(!truth.stated && !truth.fault, "seed {seed}: a run contradicts the proof\n{text}");
            assert_eq!(common::verified(component, &invariant), Ok(()), "seed {seed}\n{text}");
        }
        Answer::Unsafe(run) => {
            counts.violated += 1;
            assert!(truth.stated, "seed {seed}: no run has that error\n{text}");
            let mut inputs = run.inputs.iter().map(|input| input.bits);
            let again = cfront::interpret::run(component, &mut |_| inputs.next().unwrap_or(0), run.edges.len());
            assert_eq!(again.outcome, run.outcome, "seed {seed}: the run does not replay\n{text}");
        }
        Answer::Inconclusive(Reason::Crash(_)) => {
            counts.crash += 1;
            assert!(truth.fault && !truth.stated, "seed {seed}: no run ends in a fault, or one in an error\n{text}");
        }
        Answer::Inconclusive(Reason::NotProvable(what)) => panic!("seed {seed}: {what}\n{text}"),
        Answer::Inconclusive(_) => {
            counts.open += 1;
            if std::env::var("HIGHWATER_SHOW").is_ok() {
                show(&format!("seed {seed} is open"));
            }
        }
    }
}

/// No invariant proves that an error is not reached when it is.
fn refuse_everything(seed: u64, component: &cfront::Component) {
    let mut numbers = Random::new(seed ^ 0xabcd);
    for _ in 0..6 {
        let invariant = random_invariant(component, &mut numbers);
        let refused = common::verified(component, &invariant);
        assert!(matches!(refused, Err(Refusal::NotInductive(_))), "seed {seed}: {refused:?} for {invariant:?}");
    }
}

fn random_invariant(component: &cfront::Component, numbers: &mut Random) -> Invariant {
    let mut nodes = vec![Node::Constant { sort: Sort::Bool, bits: 0 }];
    let mut conditions = Vec::new();
    for (number, location) in component.locations.iter().enumerate() {
        if !location.loop_head {
            continue;
        }
        let mut list = Vec::new();
        for _ in 0..numbers.below(3) {
            list.push(random_condition(component, numbers, &mut nodes));
        }
        if numbers.below(6) == 0 {
            list.push(0);
        }
        conditions.push((cfront::program::LocationId(number as u32), list));
    }
    Invariant { nodes, conditions }
}

fn random_condition(component: &cfront::Component, numbers: &mut Random, nodes: &mut Vec<Node>) -> u32 {
    let variable = numbers.below(component.variables.len() as u64) as u32;
    let width = u32::from(component.variables[variable as usize].scalar.width);
    nodes.push(Node::Variable(cfront::program::VariableId(variable)));
    if width == 1 {
        return nodes.len() as u32 - 1;
    }
    nodes.push(Node::Constant { sort: Sort::Bv(width), bits: u128::from(numbers.below(4u64)) });
    let op = [Op::Eq, Op::Ult, Op::Slt][numbers.below(3) as usize];
    let arguments = vec![nodes.len() as u32 - 2, nodes.len() as u32 - 1];
    nodes.push(Node::Apply { op, sort: Sort::Bool, arguments });
    nodes.len() as u32 - 1
}
