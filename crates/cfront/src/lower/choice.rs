//! `? :`, `&&` and `||`: one term where the operands do nothing, control flow where they do.

use super::expression::Value;
use super::place::Place;
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::{Instruction, LocationId};
use crate::term::TermId;
use crate::types::{Integer, Type};
use lang_c::ast::*;
use lang_c::span::Node;

impl Lowering<'_> {
    pub(super) fn conditional(&mut self, conditional: &Node<ConditionalExpression>) -> Result<Value> {
        let ConditionalExpression { condition, then_expression, else_expression } = &conditional.node;
        let condition = self.condition(condition)?;
        if let Some(bits) = self.graph.terms.constant_bits(condition) {
            let (chosen, other) =
                if bits == 1 { (then_expression, else_expression) } else { (else_expression, then_expression) };
            let other = self.aside(conditional.span, |lowering| lowering.value(other))?;
            let value = self.value(chosen)?;
            let ty = self.common_type(&value, &other, conditional.span)?;
            return self.convert_to(value, &ty, conditional.span);
        }
        let (yes_start, yes, yes_end, yes_quiet) = self.apart(conditional.span, |l| l.value(then_expression))?;
        let (no_start, no, no_end, no_quiet) = self.apart(conditional.span, |l| l.value(else_expression))?;
        let ty = self.common_type(&yes, &no, conditional.span)?;
        if yes_quiet && no_quiet && !matches!(ty, Type::Void | Type::Record(_)) {
            let (yes, no) = (self.convert_to(yes, &ty, conditional.span)?, self.convert_to(no, &ty, conditional.span)?);
            let ((yes, _), (no, _)) = (self.as_scalar(yes, conditional.span)?, self.as_scalar(no, conditional.span)?);
            return Ok(Value::scalar(self.graph.terms.select(condition, yes, no), ty));
        }
        self.fork(condition, yes_start, no_start, conditional.span);
        let result = match ty {
            Type::Void | Type::Float(_) | Type::Opaque => None,
            _ => Some(self.temporary(&ty, "choice", conditional.span)?),
        };
        let target = result.map(|object| {
            let address = self.graph.terms.address(object, 0, self.types.model.pointer());
            Place { address, ty: ty.clone(), safe: true }
        });
        let join = self.fresh(conditional.span);
        for (end, value, source) in [(yes_end, yes, then_expression), (no_end, no, else_expression)] {
            self.here = end;
            if let Some(target) = &target {
                let value = self.convert_to(value, &ty, source.span)?;
                self.store(target, &value, source.span)?;
            }
            self.jump(join, conditional.span);
        }
        self.here = join;
        match target {
            Some(target) => self.load(&target, conditional.span),
            None => Ok(Value::nothing(ty)),
        }
    }

    /// `&&` and `||` as a value of one bit.
    pub(super) fn short_circuit(&mut self, binary: &Node<BinaryOperatorExpression>) -> Result<TermId> {
        let both = binary.node.operator.node == BinaryOperator::LogicalAnd;
        let first = self.condition(&binary.node.lhs)?;
        if self.graph.terms.constant_bits(first) == Some(u128::from(!both)) {
            return Ok(first);
        }
        let (start, second, end, quiet) = self.apart(binary.span, |l| l.condition(&binary.node.rhs))?;
        if quiet {
            let terms = &mut self.graph.terms;
            return Ok(if both { terms.and(first, second) } else { terms.or(first, second) });
        }
        let bool_type = Type::Integer(Integer::BOOL);
        let object = self.temporary(&bool_type, "both", binary.span)?;
        let Some(variable) = self.graph.at(object, 0) else {
            return self.error(Say::Construct, binary.span, "this condition");
        };
        let (short, join) = (self.fresh(binary.span), self.fresh(binary.span));
        let (yes, no) = if both { (start, short) } else { (short, start) };
        self.fork(first, yes, no, binary.node.lhs.span);
        self.here = short;
        let decided = self.graph.terms.truth(!both);
        self.plain(Instruction::Assign(vec![(variable, decided)]), binary.span);
        self.jump(join, binary.span);
        self.here = end;
        self.plain(Instruction::Assign(vec![(variable, second)]), binary.span);
        self.jump(join, binary.span);
        self.here = join;
        Ok(self.graph.read(variable))
    }

    /// Two ways on, by an expression; `&&`, `||` and `!` become ways of their own where they must.
    pub(super) fn branch(&mut self, expression: &Node<Expression>, yes: LocationId, no: LocationId) -> Result<()> {
        match &expression.node {
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Negate => {
                self.branch(&unary.node.operand, no, yes)
            }
            Expression::BinaryOperator(binary)
                if matches!(binary.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) =>
            {
                let both = binary.node.operator.node == BinaryOperator::LogicalAnd;
                let (start, second, end, quiet) = self.apart(binary.span, |l| l.condition(&binary.node.rhs))?;
                if quiet {
                    let first = self.condition(&binary.node.lhs)?;
                    let terms = &mut self.graph.terms;
                    let condition = if both { terms.and(first, second) } else { terms.or(first, second) };
                    self.fork(condition, yes, no, expression.span);
                    return Ok(());
                }
                let (on, off) = if both { (start, no) } else { (yes, start) };
                self.branch(&binary.node.lhs, on, off)?;
                self.here = end;
                self.fork(second, yes, no, binary.node.rhs.span);
                Ok(())
            }
            _ => {
                let condition = self.condition(expression)?;
                self.fork(condition, yes, no, expression.span);
                Ok(())
            }
        }
    }
}
