//! Terms as a table of plain data, the form in which proofs have them: operations are named as in SMT-LIB.

use crate::{Op, Sort, TermId, Terms};
use model::program_proof::ProofNode;
use std::collections::HashMap;

/// The operations and their names; `extract` is a case of its own.
pub const NAMES: [(Op, &str); 26] = [
    (Op::Not, "not"),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::Eq, "="),
    (Op::Ite, "ite"),
    (Op::BvNot, "bvnot"),
    (Op::BvNeg, "bvneg"),
    (Op::BvAnd, "bvand"),
    (Op::BvOr, "bvor"),
    (Op::BvXor, "bvxor"),
    (Op::Add, "bvadd"),
    (Op::Sub, "bvsub"),
    (Op::Mul, "bvmul"),
    (Op::Udiv, "bvudiv"),
    (Op::Urem, "bvurem"),
    (Op::Sdiv, "bvsdiv"),
    (Op::Srem, "bvsrem"),
    (Op::Shl, "bvshl"),
    (Op::Lshr, "bvlshr"),
    (Op::Ashr, "bvashr"),
    (Op::Ult, "bvult"),
    (Op::Slt, "bvslt"),
    (Op::Concat, "concat"),
    (Op::Zext, "zero_extend"),
    (Op::Sext, "sign_extend"),
    (Op::Extract(0), EXTRACT),
];

const EXTRACT: &str = "extract";

/// The parts of some terms, arguments first, and the place of each. `variables` are those with a number.
pub fn table(
    terms: &Terms,
    variables: &HashMap<TermId, u32>,
    roots: &[TermId],
) -> (Vec<ProofNode>, HashMap<TermId, u32>) {
    let (mut nodes, mut places) = (Vec::new(), HashMap::new());
    for part in terms.parts(roots) {
        let node = terms.node(part);
        let written = match (variables.get(&part), node.op()) {
            (Some(&variable), _) => ProofNode::Variable { variable },
            (None, Op::Const(bits)) => constant(node.sort(), bits),
            (None, op) => {
                let arguments = node.arguments().iter().filter_map(|argument| places.get(argument).copied());
                apply(op, node.sort(), arguments.collect())
            }
        };
        places.insert(part, nodes.len() as u32);
        nodes.push(written);
    }
    (nodes, places)
}

/// A number, or a truth value.
pub fn constant(sort: Sort, bits: u128) -> ProofNode {
    ProofNode::Constant { constant: format!("{bits:x}"), width: width(sort) }
}

/// An operation on earlier entries.
pub fn apply(op: Op, sort: Sort, arguments: Vec<u32>) -> ProofNode {
    let (plain, low) = match op {
        Op::Extract(low) => (Op::Extract(0), Some(low)),
        op => (op, None),
    };
    let name = NAMES.iter().find(|(known, _)| *known == plain).map_or("", |(_, name)| name);
    ProofNode::Apply { op: String::from(name), low, width: width(sort), arguments }
}

fn width(sort: Sort) -> u32 {
    match sort {
        Sort::Bool => 0,
        Sort::Bv(width) => width,
    }
}
