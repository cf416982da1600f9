//! Expressions of an invariant to and from documents: the operations have the names of SMT-LIB.

use crate::invariant::{Invariant, Node};
use bitvector::table::{self, NAMES};
use bitvector::{Op, Sort};
use cfront::program::VariableId;
use model::program_proof::{ProgramProof, ProofNode};

impl Invariant {
    /// The proof of a document. How the program was read is for the caller to fill in.
    pub fn proof(&self) -> ProgramProof {
        ProgramProof {
            nodes: self.nodes.iter().map(written_node).collect(),
            conditions: self.conditions.iter().map(|(at, conditions)| (at.0, conditions.clone())).collect(),
            ..ProgramProof::default()
        }
    }
}

/// An entry of a table of expressions, as a document has it.
pub fn written_node(node: &Node) -> ProofNode {
    match node {
        Node::Variable(VariableId(variable)) => ProofNode::Variable { variable: *variable },
        Node::Constant { sort, bits } => table::constant(*sort, *bits),
        Node::Apply { op, sort, arguments } => table::apply(*op, *sort, arguments.clone()),
    }
}

/// An entry of a document, if it has an operation and a number that there are.
pub fn read_node(node: &ProofNode) -> Option<Node> {
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

fn sort(width: u32) -> Sort {
    if width == 0 { Sort::Bool } else { Sort::Bv(width) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfront::program::LocationId;

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
        let proof = invariant.proof();
        let read: Vec<Option<Node>> = proof.nodes.iter().map(read_node).collect();
        assert_eq!(read, invariant.nodes.into_iter().map(Some).collect::<Vec<_>>());
        assert_eq!(proof.conditions, [(2, vec![2]), (5, Vec::new())]);
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
            assert!(read_node(&node).is_none(), "{node:?}");
        }
    }
}
