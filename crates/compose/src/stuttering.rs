//! Formulas that are invariant under stuttering: silent positions may be put in and taken out.
//!
//! What a silent position is, and why the rules are right, is said in [`model::composition_proof`]. Here they are put as
//! four properties of a formula: true at every silent position (*always*), false at every one (*never*), true at a silent
//! position only if it is true after it (*falls* through, backwards), and true at a silent position whenever it is true after
//! it (*lasts* through). An event is *never*, a proposition falls and lasts. `a U b` falls if `b` does; it lasts if `a` is
//! *always*, or `b` is, or both last. All other temporal operators are made of it.

use model::composition::Atom;
use model::formula::{Connective, Ltl, Modality};

/// What is known of a formula at silent positions.
#[derive(Clone, Copy, Debug)]
struct Through {
    always: bool,
    never: bool,
    falls: bool,
    lasts: bool,
}

/// Whether silent positions may be put in and taken out without changing the truth of a formula.
pub(crate) fn is_invariant(formula: &Ltl<Atom>) -> bool {
    through(formula).is_some_and(|formula| formula.falls && formula.lasts)
}

impl Through {
    const EVENT: Through = Through { always: false, never: true, falls: true, lasts: false };
    const PROPOSITION: Through = Through { always: false, never: false, falls: true, lasts: true };
    const TRUE: Through = Through { always: true, never: false, falls: true, lasts: true };

    fn not(self) -> Through {
        Through { always: self.never, never: self.always, falls: self.lasts, lasts: self.falls }
    }

    fn or(self, other: Through) -> Through {
        let always = self.always || other.always;
        Through {
            always,
            never: self.never && other.never,
            falls: self.falls && other.falls,
            lasts: always || self.lasts && other.lasts,
        }
    }

    fn and(self, other: Through) -> Through {
        self.not().or(other.not()).not()
    }

    /// Of use only if stuttering later on does not change it either.
    fn until(self, other: Through) -> Option<Through> {
        let falls = other.falls;
        let lasts = self.always || other.always || self.lasts && other.lasts;
        let (always, never) = (other.always, self.never && other.never);
        (falls && lasts).then_some(Through { always, never, falls, lasts })
    }
}

/// None if stuttering after a position can change the truth at it.
fn through(formula: &Ltl<Atom>) -> Option<Through> {
    let not_until = |a: Through, b: Through| a.until(b).map(Through::not);
    match formula {
        Ltl::Constant(true) => Some(Through::TRUE),
        Ltl::Constant(false) => Some(Through::TRUE.not()),
        Ltl::Atom(atom, _) => Some(match **atom {
            Atom::Event(_) => Through::EVENT,
            Atom::Proposition(_) => Through::PROPOSITION,
        }),
        Ltl::Unary(op, inner) => {
            let inner = through(inner)?;
            match op {
                Modality::Not => Some(inner.not()),
                Modality::Next => None,
                Modality::Eventually => Through::TRUE.until(inner),
                Modality::Always => not_until(Through::TRUE, inner.not()),
            }
        }
        Ltl::Binary(op, a, b) => {
            let (a, b) = (through(a)?, through(b)?);
            match op {
                Connective::And => Some(a.and(b)),
                Connective::Or => Some(a.or(b)),
                Connective::Implies => Some(a.not().or(b)),
                Connective::Iff => Some(a.and(b).or(a.not().and(b.not()))),
                Connective::Until => a.until(b),
                Connective::Release => not_until(a.not(), b.not()),
                Connective::WeakUntil => not_until(b.not(), a.or(b).not()),
            }
        }
    }
}

#[cfg(test)]
mod tests;
