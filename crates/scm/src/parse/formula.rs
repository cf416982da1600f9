//! Expressions over numbers: guards, initial values, and what is assigned.
//!
//! From loose to tight: `or`, `and`, `not`, comparisons, sums, products, signs. C's spelling is taken as well
//! (`||`, `&&`, `!`, `==`, `!=`). Binary operators of one level are read in a loop, and each counts as a level of
//! nesting, for the tree that they make is as deep as their number.

use super::{Parsed, Parser};
use crate::ast::{Formula, Name};
use crate::lexer::TokenKind;
use model::expr::{BinaryOp, UnaryOp};

/// Operators by level, loose ones first.
const LEVELS: [&[(&str, BinaryOp)]; 5] = [
    &[("||", BinaryOp::Or), ("or", BinaryOp::Or)],
    &[("&&", BinaryOp::And), ("and", BinaryOp::And)],
    &[
        ("==", BinaryOp::Equal),
        ("=", BinaryOp::Equal),
        ("!=", BinaryOp::NotEqual),
        ("<>", BinaryOp::NotEqual),
        ("<=", BinaryOp::LessEqual),
        (">=", BinaryOp::GreaterEqual),
        ("<", BinaryOp::Less),
        (">", BinaryOp::Greater),
    ],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
    &[("*", BinaryOp::Mul), ("/", BinaryOp::Div), ("%", BinaryOp::Rem)],
];

impl Parser<'_> {
    pub(super) fn formula(&mut self) -> Parsed<Formula> {
        self.deeper(|parser| parser.binary(0))
    }

    fn binary(&mut self, level: usize) -> Parsed<Formula> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let outside = self.depth;
        while let Some(&(_, op)) = operators.iter().find(|(text, _)| self.is(text) || self.is_word(text)) {
            self.next();
            let right = self.deeper(|parser| parser.binary(level + 1))?;
            left = Formula::Binary(op, Box::new((left, right)));
            self.depth += 1;
        }
        self.depth = outside;
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Formula> {
        let op = match self.peek().text {
            "!" => UnaryOp::Not,
            "not" => UnaryOp::Not,
            "-" => UnaryOp::Negate,
            _ => return self.primary(),
        };
        self.next();
        let operand = self.deeper(Self::unary)?;
        Ok(Formula::Unary(op, Box::new(operand)))
    }

    fn primary(&mut self) -> Parsed<Formula> {
        if self.eat("true") {
            return Ok(Formula::Constant(1));
        }
        if self.is_word("false") {
            self.next();
            return Ok(Formula::Constant(0));
        }
        if self.eat("(") {
            let inner = self.formula()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let token = self.peek();
        match token.kind {
            TokenKind::Number => Ok(Formula::Constant(self.number()? as i32)),
            TokenKind::Name => {
                self.next();
                Ok(Formula::Variable(Name { text: token.text.to_owned(), span: token.span }))
            }
            _ => Err(self.unexpected("`true` or a condition")),
        }
    }
}
