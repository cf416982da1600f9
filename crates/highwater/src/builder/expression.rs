//! Expressions and fields of messages: names are text until the system is built.

use model::expr::{BinaryOp, ChannelTest, UnaryOp};
use std::ops;

/// An expression over small integers: what guards test and assignments compute.
///
/// A number or a name is one: `Expr::from(3)`, `Expr::from("x")`. A name is a variable of the process, else a shared
/// variable, else a symbol. Arithmetic wraps at 32 bits, and a condition is true if it is not zero.
#[derive(Clone, Debug)]
pub struct Expr(pub(super) Term);

#[derive(Clone, Debug)]
pub(super) enum Term {
    Int(i32),
    Name(String),
    Unary(UnaryOp, Box<Term>),
    Binary(BinaryOp, Box<Term>, Box<Term>),
    Channel(ChannelTest, String),
    At { process: String, location: String },
    Timeout,
    Pid,
}

/// One field of a receive.
///
/// A number must be equal to the field. A name of a variable stores the field there; a name of a symbol must be equal to
/// it.
#[derive(Clone, Debug)]
pub struct Field(pub(super) Wanted);

#[derive(Clone, Debug)]
pub(super) enum Wanted {
    Any,
    Name(String),
    Equal(Term),
}

/// A variable or a symbol.
pub fn name(name: impl Into<String>) -> Expr {
    Expr(Term::Name(name.into()))
}

/// The number of messages in a channel.
pub fn length(channel: impl Into<String>) -> Expr {
    Expr(Term::Channel(ChannelTest::Len, channel.into()))
}

/// Whether a channel holds as many messages as its capacity says.
pub fn is_full(channel: impl Into<String>) -> Expr {
    Expr(Term::Channel(ChannelTest::Full, channel.into()))
}

/// Whether a channel holds no message.
pub fn is_empty(channel: impl Into<String>) -> Expr {
    Expr(Term::Channel(ChannelTest::Empty, channel.into()))
}

/// Whether the first process of a type is at a location.
pub fn at(process: impl Into<String>, location: impl Into<String>) -> Expr {
    Expr(Term::At { process: process.into(), location: location.into() })
}

/// True when nothing else in the system can move.
pub fn timeout() -> Expr {
    Expr(Term::Timeout)
}

/// The number of the process itself: processes are numbered from 0 in the order in which they are described.
pub fn pid() -> Expr {
    Expr(Term::Pid)
}

/// A field that may be anything.
pub fn any() -> Field {
    Field(Wanted::Any)
}

/// A field that must be equal to the value of an expression.
pub fn equal_to(value: impl Into<Expr>) -> Field {
    Field(Wanted::Equal(value.into().0))
}

impl From<i32> for Expr {
    fn from(value: i32) -> Expr {
        Expr(Term::Int(value))
    }
}

impl From<&str> for Expr {
    fn from(text: &str) -> Expr {
        name(text)
    }
}

impl From<i32> for Field {
    fn from(value: i32) -> Field {
        equal_to(value)
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Field {
        Field(Wanted::Name(text.to_owned()))
    }
}

impl Expr {
    fn with(self, op: BinaryOp, other: impl Into<Expr>) -> Expr {
        Expr(Term::Binary(op, Box::new(self.0), Box::new(other.into().0)))
    }

    /// `==`
    #[must_use]
    pub fn equals(self, other: impl Into<Expr>) -> Expr {
        self.with(BinaryOp::Equal, other)
    }

    /// `!=`
    #[must_use]
    pub fn differs(self, other: impl Into<Expr>) -> Expr {
        self.with(BinaryOp::NotEqual, other)
    }

    /// `<`
    #[must_use]
    pub fn less(self, other: impl Into<Expr>) -> Expr {
        self.with(BinaryOp::Less, other)
    }

    /// `<=`
    #[must_use]
    pub fn at_most(self, other: impl Into<Expr>) -> Expr {
        self.with(BinaryOp::LessEqual, other)
    }

    /// `>`
    #[must_use]
    pub fn greater(self, other: impl Into<Expr>) -> Expr {
        self.with(BinaryOp::Greater, other)
    }

    /// `>=`
    #[must_use]
    pub fn at_least(self, other: impl Into<Expr>) -> Expr {
        self.with(BinaryOp::GreaterEqual, other)
    }

    /// Both are true. The right side is evaluated only if the left one is true.
    #[must_use]
    pub fn and(self, other: impl Into<Expr>) -> Expr {
        self.with(BinaryOp::And, other)
    }

    /// One of them is true. The right side is evaluated only if the left one is false.
    #[must_use]
    pub fn or(self, other: impl Into<Expr>) -> Expr {
        self.with(BinaryOp::Or, other)
    }
}

macro_rules! operators {
    ($($operator:ident :: $method:ident = $op:ident;)+) => {
        $(impl<T: Into<Expr>> ops::$operator<T> for Expr {
            type Output = Expr;

            fn $method(self, other: T) -> Expr {
                self.with(BinaryOp::$op, other)
            }
        })+
    };
}

operators! {
    Add::add = Add;
    Sub::sub = Sub;
    Mul::mul = Mul;
    Div::div = Div;
    Rem::rem = Rem;
}

impl ops::Not for Expr {
    type Output = Expr;

    fn not(self) -> Expr {
        Expr(Term::Unary(UnaryOp::Not, Box::new(self.0)))
    }
}

impl ops::Neg for Expr {
    type Output = Expr;

    fn neg(self) -> Expr {
        Expr(Term::Unary(UnaryOp::Negate, Box::new(self.0)))
    }
}
