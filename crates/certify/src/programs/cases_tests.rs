//! The cases of a condition, against the condition.

use super::*;
use crate::clauses::circuit::{Circuit, TRUE};
use crate::clauses::words::Word;
use model::budget::Budget;
use model::program_proof::ProofNode;

fn apply(nodes: &mut Vec<ProofNode>, op: &str, arguments: &[u32]) -> u32 {
    nodes.push(ProofNode::Apply { op: op.into(), low: None, width: 0, arguments: arguments.to_vec() });
    nodes.len() as u32 - 1
}

fn equals(nodes: &mut Vec<ProofNode>, variable: u32, number: u32) -> u32 {
    nodes.push(ProofNode::Variable { variable });
    nodes.push(ProofNode::Constant { constant: format!("{number:x}"), width: 8 });
    let last = nodes.len() as u32;
    apply(nodes, "=", &[last - 2, last - 1])
}

/// `(x == 0 && y == 0 || x == 1 && y == 1 …)` over eight values of each.
fn list(nodes: &mut Vec<ProofNode>, listed: &dyn Fn(u32, u32) -> bool) -> u32 {
    let mut rows = Vec::new();
    for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))).filter(|&(x, y)| listed(x, y)) {
        let literals = [equals(nodes, 0, x), equals(nodes, 1, y)];
        rows.push(apply(nodes, "and", &literals));
    }
    rows.into_iter().reduce(|one, other| apply(nodes, "or", &[one, other])).expect("a row")
}

#[test]
fn the_cases_of_a_list_are_its_states_and_no_others() {
    let mut nodes = Vec::new();
    let condition = list(&mut nodes, &|x, y| (x * 3 + y) % 4 == 1);
    let table = Table::new(&nodes, &[8, 8]).expect("it is a table");
    let cases = split(&table, &[condition]).expect("it is a list");
    let budget = Budget::unlimited();
    for (x, y) in (0..10).flat_map(|x| (0..10).map(move |y| (x, y))) {
        let values = [Word::number(8, x), Word::number(8, y)];
        let mut circuit = Circuit::new(&budget);
        let all: Vec<u32> = (0..nodes.len() as u32).collect();
        let known = table.evaluate(&mut circuit, &all, &values);
        let holds = |&entry: &u32| known.get(entry).lowest() == TRUE;
        assert_eq!(cases.iter().any(|case| case.iter().all(holds)), holds(&condition), "{x}, {y}");
    }
    for literal in cases.into_iter().flatten() {
        assert!(table.equation(literal).is_some());
    }
}

#[test]
fn a_clause_and_a_short_list_stay_whole() {
    let mut nodes = Vec::new();
    let short = list(&mut nodes, &|x, y| x == 1 && y < 3);
    let clause = (0..20).map(|number| equals(&mut nodes, 0, number)).collect::<Vec<_>>();
    let clause = clause.into_iter().reduce(|one, other| apply(&mut nodes, "or", &[one, other])).expect("a literal");
    let table = Table::new(&nodes, &[8, 8]).expect("it is a table");
    assert_eq!(split(&table, &[short]), None);
    assert_eq!(split(&table, &[clause]), None);
}
