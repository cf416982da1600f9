//! Conditions of which some parts are not modelled.
//!
//! An unknown part may be true and may be false. So a condition has two faces: what holds wherever it may be true, and what holds
//! only where it must be true. They are the same where everything is modelled.

use model::expr::{BinaryOp, Expr, UnaryOp};

/// A condition.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    may: Expr,
    must: Expr,
    /// Some part is unknown.
    pub(super) guess: bool,
}

impl Guard {
    pub(super) fn exact(e: Expr) -> Guard {
        Guard { may: e.clone(), must: e, guess: false }
    }

    pub(super) fn always() -> Guard {
        Guard::exact(Expr::Const(1))
    }

    pub(super) fn never() -> Guard {
        Guard::exact(Expr::Const(0))
    }

    pub(super) fn unknown() -> Guard {
        Guard { may: Expr::Const(1), must: Expr::Const(0), guess: true }
    }

    pub(super) fn not(self) -> Guard {
        Guard { may: not(self.must), must: not(self.may), guess: self.guess }
    }

    pub(super) fn and(self, other: Guard) -> Guard {
        let join = |a: Expr, b: Expr| match (a.constant(), b.constant()) {
            (Some(0), _) | (_, Some(1)) => a,
            (Some(1), _) => b,
            _ => Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b)),
        };
        Guard { may: join(self.may, other.may), must: join(self.must, other.must), guess: self.guess || other.guess }
    }

    pub(super) fn or(self, other: Guard) -> Guard {
        let join = |a: Expr, b: Expr| match (a.constant(), b.constant()) {
            (_, Some(1)) | (Some(0), _) => b,
            (Some(1), _) | (_, Some(0)) => a,
            _ => Expr::Binary(BinaryOp::Or, Box::new(a), Box::new(b)),
        };
        Guard { may: join(self.may, other.may), must: join(self.must, other.must), guess: self.guess || other.guess }
    }

    /// Whether it holds in any case.
    pub(super) fn is_certain(&self) -> bool {
        self.must.constant() == Some(1)
    }

    /// Where it may hold.
    pub(super) fn possible(&self) -> &Expr {
        &self.may
    }
}

pub(super) fn not(e: Expr) -> Expr {
    match e.constant() {
        Some(value) => Expr::Const(i32::from(value == 0)),
        None => Expr::Unary(UnaryOp::Not, Box::new(e)),
    }
}
