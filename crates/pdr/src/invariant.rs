//! A proof as plain data: what holds at which location.
//!
//! An [`Invariant`] is a table of nodes, arguments before the terms that use them, and for some locations the numbers of
//! conditions that hold whenever a run is there. Nothing in it refers to the search that found it. `certify::programs`
//! reads it from a document ([`model::program_proof`]), and checks every arity and every width.

use bitvector::{Op, Sort, TermId, Terms};
use cfront::program::{LocationId, VariableId};
use std::collections::HashMap;

/// An expression over the variables of a component, whose arguments are earlier entries of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A variable of the component, with its own width; one of one bit is a truth value.
    Variable(VariableId),
    /// A number, or a truth value.
    Constant {
        /// What it is.
        sort: Sort,
        /// Its bits.
        bits: u128,
    },
    /// An operation.
    Apply {
        /// Which; neither a constant nor a variable.
        op: Op,
        /// What comes out.
        sort: Sort,
        /// Earlier entries.
        arguments: Vec<u32>,
    },
}

/// Conditions that hold wherever they stand. The proof of safety is that they are inductive and exclude the errors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Invariant {
    /// The table.
    pub nodes: Vec<Node>,
    /// For each location that cuts a cycle: all of these hold. Entries of the table.
    pub conditions: Vec<(LocationId, Vec<u32>)>,
}

impl Invariant {
    /// Writes terms down. `variables` are the terms of the component's variables, by number.
    pub(crate) fn of_terms(
        terms: &Terms,
        variables: &HashMap<TermId, VariableId>,
        conditions: &[(LocationId, Vec<TermId>)],
    ) -> Invariant {
        let roots: Vec<TermId> = conditions.iter().flat_map(|(_, list)| list.iter().copied()).collect();
        let mut number: HashMap<TermId, u32> = HashMap::new();
        let mut nodes = Vec::new();
        for part in terms.parts(&roots) {
            let node = terms.node(part);
            let written = match (variables.get(&part), node.op()) {
                (Some(&variable), _) => Node::Variable(variable),
                (None, Op::Const(bits)) => Node::Constant { sort: node.sort(), bits },
                (None, op) => {
                    let arguments = node.arguments().iter().filter_map(|argument| number.get(argument).copied());
                    Node::Apply { op, sort: node.sort(), arguments: arguments.collect() }
                }
            };
            number.insert(part, nodes.len() as u32);
            nodes.push(written);
        }
        let numbers = |list: &Vec<TermId>| list.iter().filter_map(|term| number.get(term).copied()).collect();
        Invariant { nodes, conditions: conditions.iter().map(|(at, list)| (*at, numbers(list))).collect() }
    }
}

/// Whether there is such a sort.
pub fn valid(sort: Sort) -> bool {
    match sort {
        Sort::Bool => true,
        Sort::Bv(width) => (1..=bitvector::MAX_WIDTH).contains(&width),
    }
}

/// Whether an operation takes these arguments and gives this sort.
pub fn fits(terms: &Terms, op: Op, sort: Sort, arguments: &[TermId]) -> bool {
    let sorts: Vec<Sort> = arguments.iter().map(|&argument| terms.sort(argument)).collect();
    if sorts.len() != op.arity() || !valid(sort) {
        return false;
    }
    let word = |sort: Sort| matches!(sort, Sort::Bv(_));
    match (op, &sorts[..]) {
        (Op::Const(_) | Op::Var(_), _) => false,
        (Op::Not | Op::And | Op::Or, list) => sort == Sort::Bool && list.iter().all(|&each| each == Sort::Bool),
        (Op::Eq, &[a, b]) => sort == Sort::Bool && a == b,
        (Op::Ult | Op::Slt, &[a, b]) => sort == Sort::Bool && a == b && word(a),
        (Op::Ite, &[condition, a, b]) => condition == Sort::Bool && a == b && sort == a,
        (Op::Concat, &[a, b]) => word(a) && word(b) && sort == Sort::Bv(a.width() + b.width()),
        (Op::Extract(low), &[a]) => {
            word(a) && word(sort) && low.checked_add(sort.width()).is_some_and(|end| end <= a.width())
        }
        (Op::Zext | Op::Sext, &[a]) => word(a) && word(sort) && a.width() <= sort.width(),
        (_, list) => word(sort) && list.iter().all(|&each| each == sort),
    }
}
