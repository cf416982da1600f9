//! Arithmetic: C's operators on integers, in C's order.

use super::{Parsed, Parser};
use crate::ast::{Expr, Name, Operator};
use crate::lexer::TokenKind;
use model::diagnostic::Diagnostic;

/// Operators by strength, weakest first.
const LEVELS: &[&[(&str, Operator)]] = &[
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[("|", Operator::BitOr)],
    &[("^", Operator::BitXor)],
    &[("&", Operator::BitAnd)],
    &[("==", Operator::Equal), ("!=", Operator::Different)],
    &[("<", Operator::Less), ("<=", Operator::LessEqual), (">", Operator::Greater), (">=", Operator::GreaterEqual)],
    &[("<<", Operator::ShiftLeft), (">>", Operator::ShiftRight)],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[("*", Operator::Times), ("/", Operator::Divide), ("%", Operator::Remainder)],
];

/// The level of `+`: what constants and ranges are made of, since `||` may begin the next definition there.
const SUM: usize = 8;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| parser.chain(0))
    }

    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| parser.chain(SUM))
    }

    fn chain(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let start = self.peek().span;
        let first = self.chain(level + 1)?;
        let mut rest = Vec::new();
        while let Some(&(_, operator)) = operators.iter().find(|(sign, _)| self.is(sign)) {
            self.next();
            rest.push((operator, self.chain(level + 1)?));
        }
        let span = start.to(self.last_span());
        Ok(if rest.is_empty() { first } else { Expr::Chain(Box::new(first), rest, span) })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.peek().span;
        let sign = self.peek().text;
        if !(self.is("!") || self.is("-") || self.is("+")) {
            return self.operand();
        }
        self.next();
        let inner = self.deeper(Self::unary)?;
        let span = start.to(self.last_span());
        Ok(match sign {
            "!" => Expr::Not(Box::new(inner), span),
            "-" => Expr::Minus(Box::new(inner), span),
            _ => inner,
        })
    }

    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        match token.kind {
            TokenKind::Number => self.number().map(Expr::Number),
            TokenKind::Lower | TokenKind::Upper => {
                self.next();
                Ok(Expr::Name(Name { text: token.text.to_owned(), span: token.span }))
            }
            _ if self.eat("'") => self.label().map(|label| Expr::Label(Box::new(label))),
            _ if self.eat("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            _ => Err(self.unexpected("a number, a name or `(`")),
        }
    }

    pub(super) fn number(&mut self) -> Parsed<i64> {
        let token = self.next();
        match token.text.parse::<i32>() {
            Ok(number) => Ok(i64::from(number)),
            Err(_) => {
                let error = Diagnostic::error("F0004", token.span, "this number is too large");
                Err(self.report(error.help(format!("the greatest number is {}", i32::MAX))))
            }
        }
    }
}
