//! Guards and updates of a graph as words of literals.

use crate::clauses::circuit::Circuit;
use crate::clauses::words::Word;
use bitvector::{Op, TermId, Terms};
use cfront::term::Operation;
use rustc_hash::FxHashMap;

/// The words of some terms: for variables, any.
#[derive(Default)]
pub(super) struct Words {
    known: FxHashMap<TermId, Word>,
}

impl Words {
    /// The word of a term.
    pub(super) fn of(&mut self, circuit: &mut Circuit<'_>, terms: &Terms, root: TermId) -> Word {
        for part in terms.parts(&[root]) {
            if !self.known.contains_key(&part) {
                let word = self.part(circuit, terms, part);
                self.known.insert(part, word);
            }
        }
        self.known[&root].clone()
    }

    fn part(&self, circuit: &mut Circuit<'_>, terms: &Terms, part: TermId) -> Word {
        let (node, width) = (terms.node(part), terms.width(part));
        let argument = |place: usize| &self.known[&node.arguments()[place]];
        let mut binary =
            |operation: Operation, signed: bool| circuit.apply(operation, signed, argument(0), argument(1));
        match node.op() {
            Op::Const(bits) => Word::number(width, bits),
            Op::Var(_) => circuit.any_word(width),
            Op::Not | Op::BvNot => circuit.complement(argument(0)),
            Op::BvNeg => circuit.negative(argument(0)),
            Op::Ite => circuit.select(argument(0).lowest(), argument(1), argument(2)),
            Op::Concat => argument(0).above(argument(1)),
            Op::Extract(low) => argument(0).extract(low, width),
            Op::Zext => argument(0).resized(width, false),
            Op::Sext => argument(0).resized(width, true),
            Op::And | Op::BvAnd => binary(Operation::And, false),
            Op::Or | Op::BvOr => binary(Operation::Or, false),
            Op::BvXor => binary(Operation::Xor, false),
            Op::Eq => binary(Operation::Equal, false),
            Op::Add => binary(Operation::Add, false),
            Op::Sub => binary(Operation::Subtract, false),
            Op::Mul => binary(Operation::Multiply, false),
            Op::Udiv => binary(Operation::Divide, false),
            Op::Urem => binary(Operation::Remainder, false),
            Op::Sdiv => binary(Operation::Divide, true),
            Op::Srem => binary(Operation::Remainder, true),
            Op::Shl => binary(Operation::ShiftLeft, false),
            Op::Lshr => binary(Operation::ShiftRight, false),
            Op::Ashr => binary(Operation::ShiftRight, true),
            Op::Ult => binary(Operation::Less, false),
            Op::Slt => binary(Operation::Less, true),
        }
    }
}
