//! Expressions: exact ones, and those whose value is unknown.

use super::actions::{Lowered, Scopes, no};
use super::build::value;
use super::guard::{Guard, not};
use super::handlers::{Cause, Handlers, unreadable};
use super::reach::{could_write, words_of};
use super::variables::{Meaning, Type};
use crate::action::{Expr as Syntax, ExprKind};
use model::expr::{BinaryOp, Expr, UnaryOp};
use std::collections::HashSet;

/// The most values that a random number may have.
const MOST_VALUES: i64 = 256;
/// Functions that only compute, or only write.
const HARMLESS: [&str; 13] = [
    "getName",
    "getIndex",
    "RTTimespec",
    "time",
    "rand",
    "srand",
    "printf",
    "puts",
    "fflush",
    "std::to_string",
    "std::chrono::milliseconds",
    "std::chrono::seconds",
    "std::chrono::microseconds",
];

impl<'a> Handlers<'_, '_, 'a, '_> {
    /// The value of an expression; `None` if it is unknown, an error if it could do more than compute.
    pub(super) fn value_of(&mut self, e: &Syntax, scopes: &mut Scopes<'a>) -> Lowered<Option<Expr>> {
        let error = match self.exact(e, scopes) {
            Ok(value) => return Ok(Some(value)),
            Err(error) => error,
        };
        let mut words = HashSet::new();
        words_of(e, &mut words);
        self.unknown(words, could_write(e), &error, scopes)?;
        self.guess(&error);
        Ok(None)
    }

    /// A guard; an error is reported.
    pub(super) fn guard_of(&mut self, e: &Syntax, cause: Cause<'a>) -> Guard {
        match self.value_of(e, &mut Scopes::new(cause)) {
            Ok(Some(e)) => Guard::exact(e),
            Ok(None) => Guard::unknown(),
            Err(error) => {
                self.messages.report(unreadable(&error));
                Guard::never()
            }
        }
    }

    /// Whether an expression has no effect at all.
    pub(super) fn harmless(&self, e: &Syntax) -> bool {
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::Literal => true,
            ExprKind::Text(_) | ExprKind::Name(_) => true,
            ExprKind::Unary(op, inner) => !matches!(*op, "++" | "--" | "&") && self.harmless(inner),
            ExprKind::Binary(op, left, right) => {
                !super::reach::is_assignment(op) && self.harmless(left) && self.harmless(right)
            }
            ExprKind::Conditional(condition, then, other) => {
                [condition, then, other].into_iter().all(|e| self.harmless(e))
            }
            ExprKind::Cast(_, inner) => self.harmless(inner),
            ExprKind::List(inside) => inside.iter().all(|e| self.harmless(e)),
            ExprKind::Call(function, arguments) => {
                let ExprKind::Name(name) = &function.kind else { return false };
                // An operation may have any name.
                let own = self.lowering.library.is_room() || self.reach.is_own(name);
                !own && HARMLESS.contains(&name.as_str()) && arguments.iter().all(|argument| self.harmless(argument))
            }
            _ => false,
        }
    }

    /// An exact expression.
    pub(super) fn exact(&self, e: &Syntax, scopes: &Scopes<'a>) -> Lowered<Expr> {
        if let Some(number) = self.number(e, scopes) {
            return Ok(number);
        }
        match &e.kind {
            ExprKind::Number(number) | ExprKind::Character(number) => match i32::try_from(*number) {
                Ok(number) => Ok(Expr::Const(number)),
                Err(_) => no(e.span, "this number"),
            },
            ExprKind::Name(name) if name == "true" => Ok(Expr::Const(1)),
            ExprKind::Name(name) if name == "false" => Ok(Expr::Const(0)),
            ExprKind::Name(name) => match self.meaning(name, scopes) {
                Some(Meaning::Variable(variable, _)) => Ok(value(variable, e.span)),
                Some(Meaning::Constant(number)) => Ok(Expr::Const(number)),
                Some(Meaning::Sender) if scopes.cause.is_some() => Ok(Expr::Const(1)),
                _ => no(e.span, format!("the value of `{name}`")),
            },
            ExprKind::Index(text, index) => match (&text.kind, &index.kind) {
                (ExprKind::Name(name), ExprKind::Number(index)) => match self.meaning(name, scopes) {
                    Some(Meaning::Text(characters)) if characters.contains_key(index) => {
                        Ok(value(characters[index], e.span))
                    }
                    _ => no(e.span, format!("the value of `{name}`")),
                },
                _ => no(e.span, "this expression"),
            },
            ExprKind::Unary("*", inner) => {
                let known = self.reply_data(inner, scopes);
                known.map_or_else(|| no(e.span, "this value"), Ok)
            }
            ExprKind::Unary("+", inner) => self.exact(inner, scopes),
            ExprKind::Unary(op, inner) => {
                let op = match *op {
                    "!" => UnaryOp::Not,
                    "-" => UnaryOp::Negate,
                    "~" => UnaryOp::Complement,
                    _ => return no(e.span, "this expression"),
                };
                Ok(Expr::Unary(op, Box::new(self.exact(inner, scopes)?)))
            }
            ExprKind::Binary(op, left, right) => {
                // `port != (RTProtocol *) 0`: a message that came has a port.
                if self.is_sender_name(left, scopes) && is_null(right) && matches!(*op, "!=" | "==") {
                    return Ok(Expr::Const(i32::from(*op == "!=")));
                }
                if is_null(right)
                    && matches!(*op, "!=" | "==")
                    && let Some(valid) = self.validity(left, scopes)
                {
                    return Ok(if *op == "!=" { valid } else { not(valid) });
                }
                let Some(op) = binary(op) else { return no(e.span, format!("`{op}`")) };
                let (left, right) = (self.exact(left, scopes)?, self.exact(right, scopes)?);
                Ok(Expr::Binary(op, Box::new(left), Box::new(right)))
            }
            ExprKind::Conditional(condition, then, other) => Ok(Expr::Conditional(
                Box::new(self.exact(condition, scopes)?),
                Box::new(self.exact(then, scopes)?),
                Box::new(self.exact(other, scopes)?),
            )),
            ExprKind::Cast(ty, inner) => match self.names.exact(ty) {
                Some(ty) => Ok(of_type(ty, self.exact(inner, scopes)?)),
                None => no(e.span, "this cast"),
            },
            ExprKind::Call(function, arguments) if arguments.is_empty() => {
                let known = match &function.kind {
                    ExprKind::Name(name) if name == "getIndex" && !self.reach.is_own(name) => Some(self.own_index()),
                    ExprKind::Member(handle, method) if method == "isValid" => self.validity(handle, scopes),
                    ExprKind::Member(msg, method) if method == "sapIndex0" => self.only_end(msg, scopes),
                    _ => None,
                };
                known.map_or_else(|| no(e.span, "this expression"), Ok)
            }
            _ => no(e.span, "this expression"),
        }
    }

    /// `msg->sapIndex0()`, where the port has one end only.
    fn only_end(&self, msg: &Syntax, scopes: &Scopes<'a>) -> Option<Expr> {
        let port = scopes.cause?.port;
        (msg.kind == ExprKind::Name(String::from("msg")) && self.ends(port) == 1).then_some(Expr::Const(0))
    }

    /// Whether the expression is the port that the message came from.
    fn is_sender_name(&self, e: &Syntax, scopes: &Scopes<'a>) -> bool {
        matches!(&e.kind, ExprKind::Name(name)
            if matches!(self.meaning(name, scopes), Some(Meaning::Sender)) && scopes.cause.is_some())
    }
}

fn is_null(e: &Syntax) -> bool {
    match &e.kind {
        ExprKind::Cast(_, inner) => is_null(inner),
        ExprKind::Number(number) => *number == 0,
        ExprKind::Name(name) => name == "nullptr" || name == "NULL",
        _ => false,
    }
}

/// `rand() % n`: how many values it has.
pub(super) fn random(e: &Syntax) -> Option<i32> {
    let ExprKind::Binary("%", left, right) = &e.kind else { return None };
    let ExprKind::Call(function, arguments) = &left.kind else { return None };
    let is_rand = matches!(&function.kind, ExprKind::Name(name) if name == "rand" || name == "std::rand");
    match right.kind {
        ExprKind::Number(values) if is_rand && arguments.is_empty() && (1..=MOST_VALUES).contains(&values) => {
            i32::try_from(values).ok()
        }
        _ => None,
    }
}

/// A value as a variable of a type holds it.
pub(super) fn of_type(ty: Type, e: Expr) -> Expr {
    match ty {
        Type::Int => e,
        Type::Bool => Expr::Binary(BinaryOp::NotEqual, Box::new(e), Box::new(Expr::Const(0))),
    }
}

/// Shifts are left out: what C++ does with most of them is undefined.
pub(super) fn binary(op: &str) -> Option<BinaryOp> {
    Some(match op {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "&&" => BinaryOp::And,
        "||" => BinaryOp::Or,
        _ => return None,
    })
}
