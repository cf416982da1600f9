//! Invariants to and from documents: the operations have the names of SMT-LIB.

use super::reading::data_model_name;
use c::Options;
use c::program::{LocationId, VariableId};
use model::program_proof::{ProgramProof, ProofNode};
use predicates::Invariant;
use predicates::invariant::Node;
use smt::{Op, Sort};

/// The operations and their names; `extract` is a case of its own.
const NAMES: [(Op, &str); 26] = [
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

/// The proof of a document.
pub fn written(invariant: &Invariant, options: &Options, faults: bool) -> ProgramProof {
    ProgramProof {
        entry: options.entries.first().cloned().unwrap_or_default(),
        data_model: String::from(data_model_name(options.data_model)),
        signed_overflow: options.signed_overflow_is_error,
        faults,
        nodes: invariant.nodes.iter().map(node).collect(),
        conditions: invariant.conditions.iter().map(|(at, conditions)| (at.0, conditions.clone())).collect(),
    }
}

fn node(node: &Node) -> ProofNode {
    match node {
        Node::Variable(VariableId(variable)) => ProofNode::Variable { variable: *variable },
        Node::Constant { sort, bits } => ProofNode::Constant { constant: format!("{bits:x}"), width: width(*sort) },
        Node::Apply { op, sort, arguments } => {
            let (plain, low) = match op {
                Op::Extract(low) => (Op::Extract(0), Some(*low)),
                op => (*op, None),
            };
            let name = NAMES.iter().find(|(known, _)| *known == plain).map_or("", |(_, name)| name);
            ProofNode::Apply { op: String::from(name), low, width: width(*sort), arguments: arguments.clone() }
        }
    }
}

/// The invariant of a document, or what is wrong with it. That it is one of terms is for the checker to see.
pub fn read(proof: &ProgramProof) -> Result<Invariant, String> {
    let nodes = proof.nodes.iter().enumerate().map(|(number, node)| {
        read_node(node)
            .ok_or_else(|| format!("entry {number} of the invariant has an operation or a number that there is not"))
    });
    let conditions = proof.conditions.iter().map(|(at, conditions)| (LocationId(*at), conditions.clone()));
    Ok(Invariant { nodes: nodes.collect::<Result<_, _>>()?, conditions: conditions.collect() })
}

fn read_node(node: &ProofNode) -> Option<Node> {
    Some(match node {
        ProofNode::Variable { variable } => Node::Variable(VariableId(*variable)),
        ProofNode::Constant { constant, width } => {
            let (sort, bits) = (sort(*width), u128::from_str_radix(constant, 16).ok()?);
            // More bits than fit would be another number.
            let fits = match sort {
                Sort::Bool => bits <= 1,
                Sort::Bv(width) => width >= 128 || bits >> width == 0,
            };
            fits.then_some(Node::Constant { sort, bits })?
        }
        ProofNode::Apply { op, low, width, arguments } => {
            let (op, _) = NAMES.iter().find(|(_, name)| name == op)?;
            let op = match (op, low) {
                (Op::Extract(_), Some(low)) => Op::Extract(*low),
                (Op::Extract(_), None) | (_, Some(_)) => return None,
                (op, None) => *op,
            };
            Node::Apply { op, sort: sort(*width), arguments: arguments.clone() }
        }
    })
}

fn width(sort: Sort) -> u32 {
    match sort {
        Sort::Bool => 0,
        Sort::Bv(width) => width,
    }
}

fn sort(width: u32) -> Sort {
    if width == 0 { Sort::Bool } else { Sort::Bv(width) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invariant_is_the_same_after_it_was_written_and_read() {
        let word = Sort::Bv(32);
        let mut nodes = vec![
            Node::Variable(VariableId(3)),
            Node::Constant { sort: word, bits: 0xffff_fffe },
            Node::Constant { sort: Sort::Bool, bits: 1 },
            Node::Apply { op: Op::Extract(7), sort: Sort::Bv(8), arguments: vec![0] },
        ];
        for (op, _) in NAMES {
            nodes.push(Node::Apply { op, sort: word, arguments: vec![0; op.arity()] });
        }
        let invariant = Invariant { nodes, conditions: vec![(LocationId(2), vec![2]), (LocationId(5), Vec::new())] };
        let proof = written(&invariant, &Options::default(), false);
        assert_eq!(read(&proof), Ok(invariant));
    }

    #[test]
    fn what_is_no_operation_or_no_number_of_that_width_is_refused() {
        let constant = |constant: &str, width| ProofNode::Constant { constant: String::from(constant), width };
        let apply = |op: &str, low| ProofNode::Apply { op: String::from(op), low, width: 8, arguments: vec![0] };
        let wrong = [
            constant("100", 8),
            constant("2", 0),
            constant("x", 8),
            apply("sin", None),
            apply("extract", None),
            apply("bvnot", Some(1)),
        ];
        for node in wrong {
            let proof = ProgramProof { nodes: vec![node.clone()], ..ProgramProof::default() };
            assert!(read(&proof).is_err(), "{node:?}");
        }
    }
}
