//! Invariants of C programs: what the engine finds is accepted; what was damaged is refused, or true of every run.

use bitvector::{Model, SatRefuter, TermId, Terms};
use certify::programs::{Refusal, verify};
use cfront::Component;
use cfront::interpret::{Machine, Outcome, Run};
use cfront::program::{ErrorKind, LocationId};
use model::budget::Budget;
use model::context::Context;
use model::program_proof::{ProgramProof, ProofNode};
use pdr::Answer;
use pdr::invariant::Node;
use std::time::Duration;
use testing::{Random, seeds};

const PRELUDE: &str = "extern void __VERIFIER_error(void); extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void); void check(int holds) { if (!holds) __VERIFIER_error(); }
";

/// Programs that are safe, and a change of each after which they are not.
const PROGRAMS: [(&str, &str, &str); 9] = [
    (
        "int main(void) { int i = 0, x = 0; while (__VERIFIER_nondet_int()) { x = i; i = 1 - i; }
           check(x < 2 && x >= 0); return 0; }",
        "1 - i",
        "2 - i",
    ),
    ("int main(void) { int i = 0; while (i < 1000) i++; check(i == 1000); return 0; }", "i++", "i += 3"),
    (
        "int main(void) { int lock = 0; while (1) { int a = __VERIFIER_nondet_int();
           if (a) { check(lock == 0); lock = 1; } if (a) { check(lock == 1); lock = 0; } } }",
        "lock = 0; } }",
        "lock = a > 7; } }",
    ),
    (
        "int main(void) { int s = 1, n = 0; while (__VERIFIER_nondet_int()) { switch (s) { case 1: s = 2; n = 0; break;
           case 2: n = 1; s = 3; break; default: check(n == 1); s = 1; } } return 0; }",
        "n = 1; s = 3",
        "s = 3",
    ),
    (
        "int main(void) { unsigned y = 1; while (1) { y = y + 2 * __VERIFIER_nondet_uint(); check(y != 0); } }",
        "2 *",
        "3 *",
    ),
    (
        "int main(void) { int a[3] = {0, 0, 0}; unsigned i = 0; while (i < 3) { a[i] = 5; i++; }
           check(a[__VERIFIER_nondet_uint() % 3] == 5); return 0; }",
        "i < 3",
        "i < 2",
    ),
    (
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), x = n, y = 0; while (x > 0) { x--; y++; }
           check(y == n); return 0; }",
        "y = 0",
        "y = n == 9",
    ),
    (
        "int main(void) { int x = 1, y = 2, *p = &x; while (__VERIFIER_nondet_int()) { p = p == &x ? &y : &x; *p = 3 - *p; }
           check(x + y != 7); return 0; }",
        "3 - *p",
        "4 + *p",
    ),
    (
        "int main(void) { signed char c = 0; unsigned short s = 0; int i, j; for (i = 0; i < 4; i++) { c = c + 1;
           for (j = 0; j < 2; j++) s = s + 2; } check(c == 4 && (s & 15) == 0); return 0; }",
        "s + 2",
        "s + 3",
    ),
];

fn component(text: &str) -> Component {
    let read = cfront::read(&cfront::Input::plain("test.c", format!("{PRELUDE}{text}")), &cfront::Options::default());
    match read.program {
        Some(mut program) => program.components.remove(0),
        None => panic!("{:?}\n{text}", read.diagnostics),
    }
}

fn found(component: &Component) -> ProgramProof {
    let limits = Budget::unlimited().timeout(Duration::from_secs(30));
    let asked = |kind: &ErrorKind| kind.is_stated();
    match pdr::check(component, &asked, &Context::silent(&limits)).0 {
        Answer::Safe(invariant) => invariant.proof(),
        other => panic!("{other:?}"),
    }
}

fn checked(component: &Component, proof: &ProgramProof) -> Result<(), Refusal> {
    verify(component, proof, &mut SatRefuter, &Budget::unlimited()).map(|_| ())
}

/// A small generator of numbers.
#[test]
fn what_the_engine_finds_is_accepted_and_nothing_of_it_proves_the_broken_program() {
    for (text, old, new) in PROGRAMS {
        let safe = component(text);
        let proof = found(&safe);
        assert_eq!(checked(&safe, &proof), Ok(()), "{text}");
        let broken = component(&text.replace(old, new));
        let refused = checked(&broken, &proof);
        assert!(refused.is_err() && !matches!(refused, Err(Refusal::Undecided(..))), "{refused:?}: {text}");
    }
}

#[test]
fn a_proof_without_its_conditions_is_refused() {
    for (text, _, _) in PROGRAMS {
        let safe = component(text);
        let mut proof = found(&safe);
        proof.conditions.iter_mut().for_each(|(_, list)| list.clear());
        assert!(matches!(checked(&safe, &proof), Err(Refusal::NotInductive(_))), "{text}");
    }
}

#[test]
fn a_cycle_without_a_location_of_the_proof_is_refused() {
    for (text, _, _) in PROGRAMS {
        let safe = component(text);
        let mut proof = found(&safe);
        let heads: Vec<usize> = (0..safe.locations.len()).filter(|&at| safe.locations[at].loop_head).collect();
        // Where loops nest, the head of one may cut the cycles of both.
        if let [head] = heads[..] {
            proof.conditions.retain(|(at, _)| *at as usize != head);
            assert!(matches!(checked(&safe, &proof), Err(Refusal::Malformed(_))), "{head}: {text}");
        }
    }
}

#[test]
fn a_proof_that_is_false_at_the_start_is_refused() {
    let safe = component(PROGRAMS[0].0);
    let mut proof = found(&safe);
    proof.nodes.push(ProofNode::Constant { constant: String::from("0"), width: 0 });
    let falsity = proof.nodes.len() as u32 - 1;
    proof.conditions.iter_mut().for_each(|(_, list)| *list = vec![falsity]);
    assert_eq!(checked(&safe, &proof), Err(Refusal::NotInductive(safe.entry)));
}

#[test]
fn a_table_that_is_not_one_of_terms_is_refused() {
    let safe = component(PROGRAMS[0].0);
    let proof = found(&safe);
    let constant = |constant: &str, width| ProofNode::Constant { constant: String::from(constant), width };
    let apply = |op: &str, low, width, arguments: &[u32]| ProofNode::Apply {
        op: String::from(op),
        low,
        width,
        arguments: arguments.to_vec(),
    };
    let last = proof.nodes.len() as u32;
    let broken = [
        ProofNode::Variable { variable: 99_999 },
        constant("100", 8),
        constant("2", 0),
        constant("x", 8),
        constant("0", 500),
        apply("sin", None, 8, &[0]),
        apply("bvadd", None, 8, &[0]),
        apply("bvadd", Some(1), 32, &[0, 0]),
        apply("extract", None, 8, &[0]),
        apply("not", None, 0, &[99_999]),
        apply("and", None, 0, &[last, last]),
        apply("", None, 0, &[]),
    ];
    for node in broken {
        let mut wrong = proof.clone();
        wrong.nodes.push(node.clone());
        assert!(matches!(checked(&safe, &wrong), Err(Refusal::Malformed(_))), "{node:?}");
    }
    let nowhere = [(99_999, Vec::new()), (proof.conditions[0].0, vec![99_999])];
    for condition in nowhere {
        let mut wrong = proof.clone();
        wrong.conditions.push(condition.clone());
        assert!(matches!(checked(&safe, &wrong), Err(Refusal::Malformed(_))), "{condition:?}");
    }
}

/// Changes one thing in a proof.
fn damaged(proof: &ProgramProof, random: &mut Random) -> ProgramProof {
    let mut damaged = proof.clone();
    let count = damaged.nodes.len();
    for _ in 0..20 {
        let at = random.below(count);
        let place = random.below(damaged.conditions.len());
        let kind = random.below(6);
        let list = &mut damaged.conditions[place].1;
        match (kind, &mut damaged.nodes[at]) {
            (0, _) if !list.is_empty() => {
                let dropped = random.below(list.len());
                list.remove(dropped);
            }
            (1, _) if count > 0 => list.push(at as u32),
            (2 | 3, ProofNode::Constant { constant, width }) => {
                let bits = u128::from_str_radix(constant, 16).unwrap_or(0);
                let changed = bits ^ 1 << random.below((*width).max(1) as usize);
                *constant = format!("{changed:x}");
            }
            (4, ProofNode::Apply { op, .. }) => {
                let pairs = [("bvult", "bvslt"), ("and", "or"), ("bvadd", "bvsub"), ("bvand", "bvor"), ("=", "bvult")];
                let other = pairs.iter().find_map(|(a, b)| match op.as_str() {
                    name if name == *a => Some(*b),
                    name if name == *b => Some(*a),
                    _ => None,
                });
                *op = String::from(other.unwrap_or(op));
            }
            (5, ProofNode::Apply { arguments, .. }) if arguments.len() == 2 => arguments.swap(0, 1),
            _ => continue,
        }
        return damaged;
    }
    damaged
}

/// Whether all conditions of a proof hold wherever a run comes by.
fn holds_in(component: &Component, proof: &ProgramProof, seed: u64) -> bool {
    let mut terms = Terms::new();
    let variables: Vec<TermId> = component
        .variables
        .iter()
        .enumerate()
        .map(|(number, variable)| {
            let sort = if variable.scalar.width == 1 {
                bitvector::Sort::Bool
            } else {
                bitvector::Sort::Bv(variable.scalar.width.into())
            };
            terms.var(&number.to_string(), sort)
        })
        .collect();
    let mut made: Vec<TermId> = Vec::new();
    for node in &proof.nodes {
        made.push(match pdr::document::read_node(node).expect("it was accepted") {
            Node::Variable(variable) => variables[variable.0 as usize],
            Node::Constant { sort, bits } => terms.constant_of(sort, bits),
            Node::Apply { op, sort, arguments } => {
                let arguments: Vec<TermId> = arguments.iter().map(|&argument| made[argument as usize]).collect();
                terms.make(op, sort, &arguments)
            }
        });
    }
    let mut random = Random::new(seed * 2 + 1);
    let mut machine = Machine::new(component);
    let mut run = Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
    while run.edges.len() < 600 {
        let here = |at: &u32| LocationId(*at) == machine.location();
        let values = variables.iter().enumerate();
        let values = values.map(|(at, &term)| (term, machine.bits(cfront::program::VariableId(at as u32)).into()));
        let state = Model::new(values.collect());
        for (_, list) in proof.conditions.iter().filter(|(at, _)| here(at)) {
            if list.iter().any(|&number| state.evaluate(&terms, made[number as usize]).bits == 0) {
                return false;
            }
        }
        let mut inputs = |_: &cfront::interpret::Request| [0, 1, 2, 7, u64::MAX][random.below(5)];
        match machine.step(&mut inputs, &mut run) {
            Some(Outcome::Error(..)) => return false,
            Some(_) => return true,
            None => {}
        }
    }
    true
}

#[test]
fn a_damaged_proof_is_refused_or_true_of_every_run_and_never_proves_the_broken_program() {
    let (mut refused, mut accepted) = (0, 0);
    for (text, old, new) in PROGRAMS {
        let (safe, broken) = (component(text), component(&text.replace(old, new)));
        let proof = found(&safe);
        for seed in 0..seeds(12) {
            let damaged = damaged(&proof, &mut Random::new(seed * 77 + 5));
            match checked(&safe, &damaged) {
                Err(_) => refused += 1,
                Ok(()) => {
                    accepted += 1;
                    let true_of_runs = (0..6).all(|run| holds_in(&safe, &damaged, seed * 10 + run));
                    assert!(true_of_runs, "seed {seed}: {damaged:?}\n{text}");
                }
            }
            assert!(checked(&broken, &damaged).is_err(), "seed {seed}: {damaged:?}\n{text}");
        }
    }
    assert!(refused > accepted, "{refused} refused, {accepted} accepted");
}

/// Programs that reach an error in one way each; `x` is zero at every loop head until it does.
const UNSAFE: [&str; 13] = [
    "int main(void) { int x = 0; while (1) { x = __VERIFIER_nondet_int(); check(x == 0); } }",
    "int routine(void); int main(void) { int x = 0; while (1) { x = routine(); check(x == 0); } }",
    "void reach(int *); int main(void) { int x = 0; while (1) { reach(&x); check(x == 0); } }",
    "int main(void) { int x = 0; while (1) { int y; check(y != 3); } }",
    "int main(void) { int x = 0; while (1) { if (__VERIFIER_nondet_int()) x = 0; else x = 1; check(x == 0); } }",
    "int main(void) { int x = 0; while (1) { switch (__VERIFIER_nondet_int()) { case 1: x = 1; case 2: check(x == 0); } } }",
    "int main(void) { int x = 0, y = 0, *p; while (1) { p = __VERIFIER_nondet_int() ? &x : &y; *p = 1; check(x == 0); } }",
    "int main(void) { int x = 0; while (1) { x = 7 / __VERIFIER_nondet_int(); x = 0; } check(0); }",
    "int main(void) { int x = 0, a[2] = {0, 0}; while (1) { a[__VERIFIER_nondet_uint() & 3] = 0; } check(0); }",
    "int main(void) { int x = 0; while (1) { x = 1 << __VERIFIER_nondet_int(); x = 0; } check(0); }",
    "int main(void) { int x = 0; while (x == 0) { x = __VERIFIER_nondet_int() == 5; if (x) break; } check(x == 0); }",
    "int main(void) { int x = 0; while (1) { int *p = 0; if (__VERIFIER_nondet_int()) p = &x; *p = 0; } check(0); }",
    "int main(void) { int x = 0, y = 1; while (1) { int z = x; x = y; y = z; check(x == 0); x = 0; y = 1; } }",
];

/// The invariant that `x` is zero at every loop head, or nothing there.
fn zero_at_heads(component: &Component, with_condition: bool) -> ProgramProof {
    let variable = component.variables.iter().position(|variable| variable.name == "x");
    let word = |constant: &str| ProofNode::Constant { constant: String::from(constant), width: 32 };
    let nodes = vec![
        variable.map_or(word("0"), |at| ProofNode::Variable { variable: at as u32 }),
        word("0"),
        ProofNode::Apply { op: String::from("="), low: None, width: 0, arguments: vec![0, 1] },
    ];
    let heads = component.locations.iter().enumerate().filter(|(_, location)| location.loop_head);
    let held = if with_condition { vec![2] } else { Vec::new() };
    let conditions = heads.map(|(at, _)| (at as u32, held.clone())).collect();
    ProgramProof { nodes, conditions, ..ProgramProof::default() }
}

#[test]
fn nothing_proves_a_program_that_reaches_an_error() {
    for text in UNSAFE {
        let program = component(text);
        for with_condition in [false, true] {
            let refused = checked(&program, &zero_at_heads(&program, with_condition));
            assert!(matches!(refused, Err(Refusal::NotInductive(_))), "{refused:?}: {text}");
        }
    }
    let safe = component("int main(void) { int x = 0; while (1) { check(x == 0); x = x * 3; } }");
    assert_eq!(checked(&safe, &zero_at_heads(&safe, true)), Ok(()));
}
