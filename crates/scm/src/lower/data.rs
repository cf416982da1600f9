//! Expressions over the variables of an automaton, and constants.

use super::{Lowering, local_variable};
use crate::ast::{Formula, Name, Variable};
use model::diagnostic::Diagnostic;
use model::expr::{Expr, UnaryOp};

impl Lowering<'_, '_> {
    /// An expression as an automaton sees it; `None` after an error.
    pub(super) fn expression(&mut self, automaton: usize, formula: &Formula) -> Option<Expr> {
        Some(match formula {
            Formula::Constant(value) => Expr::Const(*value),
            Formula::Variable(name) => match self.named_constant(automaton, name) {
                Some(value) => Expr::Const(value),
                None => Expr::Read(local_variable(self.variable(automaton, name)?, name.span)),
            },
            Formula::Unary(op, operand) => Expr::Unary(*op, Box::new(self.expression(automaton, operand)?)),
            Formula::Binary(op, operands) => {
                let left = self.expression(automaton, &operands.0)?;
                Expr::Binary(*op, Box::new(left), Box::new(self.expression(automaton, &operands.1)?))
            }
        })
    }

    /// The index of a variable of an automaton; an error if there is none.
    pub(super) fn variable(&mut self, automaton: usize, name: &Name) -> Option<usize> {
        let declared = &self.file.automata[automaton].variables;
        let found = declared.iter().position(|variable| variable.name.text == name.text);
        if found.is_none() && self.messages.contains_key(name.text.as_str()) {
            let message = format!("the message `{}` has no value", name.text);
            let error = Diagnostic::error("S0111", name.span, message);
            self.report(error.help(format!("give it one where it is declared: `int {} = 1 ;`", name.text)));
        } else if found.is_none() {
            self.unknown("S0107", "variable", name, declared.iter().map(|variable| variable.name.text.as_str()));
        }
        found
    }

    /// The value of a parameter, if the name is one that has a value, and no variable of the automaton.
    fn named_constant(&self, automaton: usize, name: &Name) -> Option<i32> {
        let declared = &self.file.automata[automaton].variables;
        if declared.iter().any(|variable| variable.name.text == name.text) {
            return None;
        }
        self.messages.get(name.text.as_str())?.value
    }

    /// The value that a declaration gives; an error if it is not a constant.
    pub(super) fn constant(&mut self, declared: &Variable) -> Option<i32> {
        let formula = declared.value.as_ref()?;
        let value = self.evaluate(formula);
        if value.is_none() {
            let message = format!("the value of `{}` is not a constant", declared.name.text);
            let error = Diagnostic::error("S0113", declared.name.span, message);
            self.report(error.help("use numbers, and parameters that have a value and are declared before"));
        }
        value
    }

    fn evaluate(&self, formula: &Formula) -> Option<i32> {
        match formula {
            Formula::Constant(value) => Some(*value),
            Formula::Variable(name) => self.messages.get(name.text.as_str())?.value,
            Formula::Unary(op, operand) => self.evaluate(operand).map(|value| match op {
                UnaryOp::Not => i32::from(value == 0),
                UnaryOp::Negate => value.wrapping_neg(),
                UnaryOp::Complement => !value,
            }),
            Formula::Binary(op, operands) => op.apply(self.evaluate(&operands.0)?, self.evaluate(&operands.1)?),
        }
    }
}
