//! Arithmetic on pointers: steps, distances and comparisons, inside of one object.

use super::expression::Value;
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::ErrorKind;
use crate::term::{Memory, Operation, Scalar, Term, TermId};
use crate::types::{Integer, Rank, Type};
use lang_c::ast::BinaryOperator;
use lang_c::span::Span as Parsed;

impl Lowering<'_> {
    pub(super) fn pointer_arithmetic(
        &mut self,
        operator: &BinaryOperator,
        a: Value,
        b: Value,
        place: Parsed,
    ) -> Result<Value> {
        use BinaryOperator::*;
        match (operator, &a.ty, &b.ty) {
            (Plus, Type::Integer(_), Type::Pointer { .. }) => self.move_pointer(b, a, false, place),
            (Plus | Minus, Type::Pointer { .. }, Type::Integer(_)) => {
                self.move_pointer(a, b, *operator == Minus, place)
            }
            (Minus, Type::Pointer { to, .. }, Type::Pointer { .. }) => {
                let Some(stride) = self.types.size(to).filter(|&size| size > 0) else {
                    return self.error(Say::Incomplete, place, "the size of what the pointers point to is not known");
                };
                let ((x, _), (y, _)) = (self.as_scalar(a, place)?, self.as_scalar(b, place)?);
                self.check_together(x, y, place);
                let signed = Scalar::signed(self.pointer().width);
                let difference = self.graph.terms.binary(Operation::Subtract, x, y);
                let difference = self.graph.terms.convert(difference, signed);
                let stride = self.graph.terms.constant(i128::from(stride), signed);
                let steps = self.graph.terms.binary(Operation::Divide, difference, stride);
                let rank = if signed.width == 32 { Rank::Int } else { Rank::Long };
                Ok(Value::scalar(steps, Type::Integer(Integer { rank, signed: true })))
            }
            (Equals | NotEquals | Less | Greater | LessOrEqual | GreaterOrEqual, _, _) => {
                let ty = if let Type::Pointer { .. } = a.ty { a.ty.clone() } else { b.ty.clone() };
                let (a, b) = (self.convert_to(a, &ty, place)?, self.convert_to(b, &ty, place)?);
                let ((x, _), (y, _)) = (self.as_scalar(a, place)?, self.as_scalar(b, place)?);
                if !matches!(operator, Equals | NotEquals) {
                    self.check_together(x, y, place);
                }
                match self.comparison(operator, x, y) {
                    Some(bit) => Ok(self.truth(bit)),
                    None => self.error(Say::Operands, place, "this operator does not go with pointers"),
                }
            }
            _ => self.error(Say::Operands, place, "this operator does not go with pointers"),
        }
    }

    fn check_together(&mut self, x: TermId, y: TermId, place: Parsed) {
        // Two known places in one object: the initial value of a global may be such a sum.
        if let (Term::Memory(Memory::Address(one, from)), Term::Memory(Memory::Address(other, to))) =
            (self.graph.terms.get(x), self.graph.terms.get(y))
            && one == other
            && self.graph.objects.get(one.0 as usize).is_some_and(|object| from.max(to) <= object.size)
        {
            return;
        }
        let together = self.graph.terms.memory(Memory::Together(x, y), Scalar::BOOL);
        self.check(together, ErrorKind::PointerArithmetic, place);
    }

    fn move_pointer(&mut self, pointer: Value, index: Value, back: bool, place: Parsed) -> Result<Value> {
        let Type::Pointer { to, .. } = &pointer.ty else {
            return self.error(Say::Operands, place, "a pointer is needed here");
        };
        let Some(stride) = self.types.size(to) else {
            return self.error(Say::Incomplete, place, "the size of what the pointer points to is not known");
        };
        let ty = pointer.ty.clone();
        let ((base, _), (index, _)) = (self.as_scalar(pointer, place)?, self.as_scalar(index, place)?);
        let wide = Scalar::signed(self.pointer().width.max(self.graph.terms.scalar(index).width));
        let mut index = self.graph.terms.convert(index, wide);
        if back {
            index = self.graph.terms.negate(index);
        }
        let moved = self.graph.terms.offset(base, index, stride, 0);
        if moved != base {
            self.check_together(base, moved, place);
        }
        Ok(Value::scalar(moved, ty))
    }
}
