//! Ghosts: integers without limit that follow variables along abstract steps.
//!
//! A counter of a window or of credits has a width, and for all that an interval knows it may wrap around. A ghost moves by
//! what statements add and never wraps; it is equal to the variable as long as it stays in the range of the type, which is
//! what linear invariants ([`crate::induction`]) show. Here conditions are *trusted* to speak of ghosts, and each time a
//! [`Demand`] is noted: what has to be shown before the condition may be used.
//!
//! `model::flow_proof` says what ghosts mean; the checker follows them with code of its own.

use crate::step::{Step, Stepper};
use crate::values;
use model::expr::{BinaryOp, Expr, Place, Scope, UnaryOp};
use model::flow_proof::Values;
use model::network::ScalarType;
use std::collections::BTreeMap;

/// The least and the greatest of some numbers, where there are such.
pub type Span = (Option<i64>, Option<i64>);

/// All numbers.
pub const ALL: Span = (None, None);

/// What a ghost is now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Now {
    /// A ghost as it was before the step, plus this.
    Moved(u32, i64),
    /// One of these numbers.
    Among(Span),
}

/// A slot of a ghost, as one process sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    /// Whose slot.
    pub scope: Scope,
    /// The slot.
    pub slot: u32,
    /// It is subtracted.
    pub minus: bool,
    /// Its type.
    pub ty: ScalarType,
}

/// A ghost, as one process sees it.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Its slots; none if they are locals of another process.
    pub terms: Vec<Term>,
    /// It may differ from its slot.
    pub wraps: bool,
    /// How far conditions on it count.
    pub trust: Trust,
    /// What it can be anywhere.
    pub usual: Span,
}

/// How far conditions on a ghost count: `!=` says which side it is on, only that it is another number, or nothing counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Trust {
    /// What is not equal is less.
    Less,
    /// What is not equal is greater.
    Greater,
    /// What is not equal is something else.
    Other,
    /// Nothing counts.
    Nothing,
}

/// What has to be shown before a condition says anything of a ghost.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Demand {
    /// The ghost that is compared.
    pub compared: u32,
    /// The ghost, as it was before the step.
    pub ghost: u32,
    /// It lies between these.
    pub between: (i64, i64),
    /// What is known of ghosts at that moment.
    pub before: Vec<Span>,
    /// What counts if it cannot be shown.
    pub otherwise: Trust,
}

/// The ghosts before a step, and now.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ledger {
    /// What each was.
    pub before: Vec<Span>,
    /// What each is.
    pub now: Vec<Now>,
    /// What was trusted.
    pub demands: Vec<Demand>,
}

impl Ledger {
    fn span(&self, now: Now) -> Span {
        match now {
            Now::Moved(ghost, by) => moved(self.before[ghost as usize], by),
            Now::Among(span) => span,
        }
    }
}

fn moved((low, high): Span, by: i64) -> Span {
    (low.map(|n| n.saturating_add(by)), high.map(|n| n.saturating_add(by)))
}

fn negated((low, high): Span) -> Span {
    (high.map(i64::saturating_neg), low.map(i64::saturating_neg))
}

fn meet(a: Span, b: Span) -> Span {
    (a.0.into_iter().chain(b.0).max(), a.1.into_iter().chain(b.1).min())
}

/// The numbers of both.
pub fn join(a: Span, b: Span) -> Span {
    (a.0.zip(b.0).map(|(a, b)| a.min(b)), a.1.zip(b.1).map(|(a, b)| a.max(b)))
}

/// Whether all numbers of a span lie between two.
pub fn lies_between((low, high): Span, (least, most): (i64, i64)) -> bool {
    low.is_some_and(|low| least <= low) && high.is_some_and(|high| high <= most)
}

/// The numbers that values can be.
pub fn span_of(values: &Values) -> Span {
    values::bounds(values).map_or(ALL, |(low, high)| (Some(low.into()), Some(high.into())))
}

/// The numbers that a type can hold.
fn range_of(ty: ScalarType) -> (i64, i64) {
    values::bounds(&values::of_type(ty)).map_or((0, -1), |(low, high)| (low.into(), high.into()))
}

/// A sum of slots and a constant.
type Affine = (BTreeMap<(bool, u32), i64>, i64);

impl Stepper<'_> {
    /// Nothing has moved yet.
    pub(crate) fn open_ledger(&self, locals: &[Values], shared: &[(u32, Values)]) -> Ledger {
        let before = self.watched.iter().map(|ghost| match ghost.terms.as_slice() {
            [term] if !ghost.wraps && term.scope == Scope::Local => locals.get(term.slot as usize).map_or(ALL, span_of),
            [term] if !ghost.wraps => match shared.iter().find(|(slot, _)| *slot == term.slot) {
                Some((_, values)) => span_of(values),
                None => ghost.usual,
            },
            _ => ghost.usual,
        });
        let now = (0..self.watched.len() as u32).map(|ghost| Now::Moved(ghost, 0));
        Ledger { before: before.collect(), now: now.collect(), demands: Vec::new() }
    }

    fn sum(&self, step: &Step, e: &Expr, times: i64, sum: &mut Affine) -> Option<()> {
        match e {
            Expr::Const(n) => sum.1 += times * i64::from(*n),
            Expr::Read(place) => {
                let (local, slot) = (place.scope == Scope::Local, self.one_slot(step, place)?);
                let is_term = |t: &Term| (t.scope == Scope::Local, t.slot) == (local, slot);
                let watched = self.watched.iter().any(|ghost| ghost.terms.iter().any(is_term));
                match values::constant(&self.eval(step, e)) {
                    Some(n) if !watched => sum.1 += times * i64::from(n),
                    _ => *sum.0.entry((local, slot)).or_default() += times,
                }
            }
            Expr::Unary(UnaryOp::Negate, a) => self.sum(step, a, -times, sum)?,
            Expr::Binary(BinaryOp::Add, a, b) => {
                self.sum(step, a, times, sum)?;
                self.sum(step, b, times, sum)?;
            }
            Expr::Binary(BinaryOp::Sub, a, b) => {
                self.sum(step, a, times, sum)?;
                self.sum(step, b, -times, sum)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// A ghost with its sign, and a constant, that an expression is the sum of.
    fn ghost_sum(&self, step: &Step, e: &Expr) -> Option<(usize, i64, i64)> {
        let mut sum: Affine = (BTreeMap::new(), 0);
        self.sum(step, e, 1, &mut sum)?;
        sum.0.retain(|_, times| *times != 0);
        let is = |ghost: &Watched, sign: i64| {
            let held =
                |t: &Term| sum.0.get(&(t.scope == Scope::Local, t.slot)) == Some(&if t.minus { -sign } else { sign });
            !ghost.terms.is_empty() && ghost.terms.len() == sum.0.len() && ghost.terms.iter().all(held)
        };
        let found = [1, -1]
            .into_iter()
            .find_map(|sign| self.watched.iter().position(|ghost| is(ghost, sign)).map(|index| (index, sign)));
        found.map(|(index, sign)| (index, sign, sum.1))
    }

    /// What a condition says of ghosts.
    pub(crate) fn follow_condition(&self, step: &mut Step, e: &Expr, truth: bool) {
        match e {
            _ if self.watched.is_empty() => {}
            Expr::Unary(UnaryOp::Not, a) => self.follow_condition(step, a, !truth),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                if (*op == BinaryOp::And) == truth {
                    self.follow_condition(step, a, truth);
                    self.follow_condition(step, b, truth);
                }
            }
            Expr::Binary(op, a, b) if values::is_comparison(*op) => {
                let op = if truth { *op } else { values::negated(*op) };
                let constant = |e: &Expr| values::constant(&self.eval(step, e));
                let (left, right) = (constant(a), constant(b));
                if let Some(n) = right {
                    self.compare(step, a, op, n.into());
                }
                if let Some(n) = left {
                    self.compare(step, b, values::mirrored(op), n.into());
                }
            }
            _ => self.compare(step, e, if truth { BinaryOp::NotEqual } else { BinaryOp::Equal }, 0),
        }
    }

    fn compare(&self, step: &mut Step, e: &Expr, op: BinaryOp, with: i64) {
        let Some((ghost, sign, constant)) = self.ghost_sum(step, e) else { return };
        let watched = &self.watched[ghost];
        if watched.trust == Trust::Nothing {
            return;
        }
        let whole = (i64::from(i32::MIN), i64::from(i32::MAX));
        let mut between =
            if sign > 0 { (whole.0 - constant, whole.1 - constant) } else { (constant - whole.1, constant - whole.0) };
        if let ([term], true) = (watched.terms.as_slice(), watched.wraps) {
            let range = range_of(term.ty);
            between = (between.0.max(range.0), between.1.min(range.1));
        }
        let mut otherwise = Trust::Nothing;
        // The number that the ghost is compared with.
        let end = if sign > 0 { with - constant } else { constant - with };
        if op == BinaryOp::NotEqual && between.0 < end && end < between.1 && watched.trust < Trust::Other {
            otherwise = if watched.trust == Trust::Less { Trust::Greater } else { Trust::Other };
            between = if watched.trust == Trust::Less { (between.0, end) } else { (end, between.1) };
        }
        let now = step.ledger.now[ghost];
        let span = step.ledger.span(now);
        if !lies_between(span, between) {
            let Now::Moved(origin, by) = now else { return };
            let before = step.ledger.before.clone();
            let between = (between.0 - by, between.1 - by);
            step.ledger.demands.push(Demand { compared: ghost as u32, ghost: origin, between, before, otherwise });
        }
        let span = meet(span, (Some(between.0), Some(between.1)));
        let value = moved(if sign > 0 { span } else { negated(span) }, constant);
        let value = match op {
            BinaryOp::Less => meet(value, (None, Some(with - 1))),
            BinaryOp::LessEqual => meet(value, (None, Some(with))),
            BinaryOp::Greater => meet(value, (Some(with + 1), None)),
            BinaryOp::GreaterEqual => meet(value, (Some(with), None)),
            BinaryOp::Equal => meet(value, (Some(with), Some(with))),
            _ if value.0 == Some(with) => (Some(with + 1), value.1),
            _ if value.1 == Some(with) => (value.0, Some(with - 1)),
            _ => value,
        };
        let back = moved(value, -constant);
        let back = if sign > 0 { back } else { negated(back) };
        match &mut step.ledger.now[ghost] {
            Now::Moved(origin, by) => {
                let before = &mut step.ledger.before[*origin as usize];
                *before = meet(*before, moved(back, -*by));
            }
            Now::Among(span) => *span = meet(*span, back),
        }
    }

    /// What a store makes of ghosts: of an expression, or of something received.
    pub(crate) fn follow_store(&self, step: &mut Step, place: &Place, e: Option<&Expr>, value: &Values) {
        if self.watched.is_empty() {
            return;
        }
        let (slots, exact) = self.all_slots(step, place);
        let ty = self.variables(place.scope)[place.variable.index()].ty;
        let held = span_of(&values::truncate(ty, value.clone()));
        let mut found = Vec::new();
        for (index, ghost) in self.watched.iter().enumerate() {
            let hit = ghost.terms.iter().find(|t| t.scope == place.scope && slots.contains(&t.slot));
            let Some(term) = hit else { continue };
            let sum = e.filter(|_| exact).and_then(|e| self.ghost_sum(step, e));
            found.push((index, self.after_store(step, (index, term), (ty, held, exact), sum, e)));
        }
        for (index, now) in found {
            step.ledger.now[index] = now;
        }
    }

    fn after_store(
        &self,
        step: &Step,
        (index, term): (usize, &Term),
        (ty, held, exact): (ScalarType, Span, bool),
        sum: Option<(usize, i64, i64)>,
        e: Option<&Expr>,
    ) -> Now {
        let (ghost, now) = (&self.watched[index], step.ledger.now[index]);
        let shifted = |now: Now, by: i64| match now {
            Now::Moved(origin, before) => Now::Moved(origin, before + by),
            Now::Among(span) => Now::Among(moved(span, by)),
        };
        if ghost.terms.len() > 1 {
            let own = e.filter(|_| exact).and_then(|e| {
                let mut sum: Affine = (BTreeMap::new(), 0);
                self.sum(step, e, 1, &mut sum)?;
                let itself = BTreeMap::from([((term.scope == Scope::Local, term.slot), 1)]);
                (sum.0 == itself).then_some(sum.1)
            });
            return own.map_or(Now::Among(ALL), |by| shifted(now, if term.minus { -by } else { by }));
        }
        if !exact {
            return Now::Among(if ghost.wraps { ALL } else { join(step.ledger.span(now), held) });
        }
        let Some((source, 1, by)) = sum else { return Now::Among(held) };
        let from = &self.watched[source];
        let [read] = from.terms.as_slice() else { return Now::Among(held) };
        let next = shifted(step.ledger.now[source], by);
        let fits = !from.wraps && lies_between(step.ledger.span(next), range_of(ty));
        let follows = match ghost.wraps {
            true => ty.bits() <= if from.wraps { read.ty.bits() } else { 32 },
            false => fits,
        };
        if source == index && !follows {
            self.seen.borrow_mut().wrapping.push(index as u32);
        }
        if follows { next } else { Now::Among(held) }
    }
}
