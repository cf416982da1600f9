//! What becomes of ghosts on a path: by how much they moved, and what conditions say of them.
//!
//! A ghost is an integer without limit, and equal to its slots modulo their width. The statements of a path are followed in
//! order: what a ghost is *now* is what some ghost was *before* the step plus a constant, or some number of an interval.
//! A condition is about values, not about ghosts: it counts only where the value is the ghost, that is, where the
//! ghost is known to lie in the range of the type, and the expression in that of 32 bits.

use super::linear::{Form, least_product};
use super::{Ledger, held, type_of};
use crate::flow::knowledge::{Knowledge, Reader, Target};
use crate::flow::shape::Ground;
use crate::flow::values;
use model::expr::{BinaryOp, Expr, Scope, UnaryOp};
use model::flow_proof::{Ghost, GhostTerm, Values};
use std::collections::BTreeMap;

/// Numbers between two, both included; without one of them, there is no limit on that side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Span {
    pub(super) low: Option<i64>,
    pub(super) high: Option<i64>,
}

impl Span {
    /// All numbers.
    const ALL: Span = Span { low: None, high: None };

    /// The numbers that values can be.
    fn of(values: &Values) -> Self {
        values::extent(values).map_or(Span::ALL, |(low, high)| Span::between(low.into(), high.into()))
    }

    pub(super) fn between(low: i64, high: i64) -> Self {
        Span { low: Some(low), high: Some(high) }
    }

    /// The numbers of either.
    pub(super) fn join(self, other: Span) -> Self {
        let (low, high) = (self.low.zip(other.low), self.high.zip(other.high));
        Span { low: low.map(|(a, b)| a.min(b)), high: high.map(|(a, b)| a.max(b)) }
    }

    fn moved(self, by: i64) -> Self {
        Span { low: self.low.map(|n| n.saturating_add(by)), high: self.high.map(|n| n.saturating_add(by)) }
    }

    fn negated(self) -> Self {
        Span { low: self.high.map(i64::saturating_neg), high: self.low.map(i64::saturating_neg) }
    }

    fn meet(self, other: Span) -> Self {
        let low = self.low.into_iter().chain(other.low).max();
        let high = self.high.into_iter().chain(other.high).min();
        Span { low, high }
    }
}

/// What a ghost is now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Now {
    /// What a ghost was before the step, plus a number.
    Moved(u32, i64),
    /// Some number of these.
    Some(Span),
}

/// The ghosts before a step, and as they are then.
pub(super) fn start(ground: &Ground<'_>, instance: u32, known: &Knowledge) -> (Vec<Span>, Vec<Now>) {
    let ghosts = &ground.abstraction.linear.ghosts;
    let before = ghosts.iter().map(|ghost| match (ghost.wraps, ghost.terms.first()) {
        (false, Some(GhostTerm { instance: Some(id), slot, .. })) if *id == instance => {
            known.locals.get(*slot as usize).map_or(Span::ALL, Span::of)
        }
        (false, Some(GhostTerm { instance: None, slot, .. })) => {
            Span::of(known.shared.get(slot).unwrap_or(&ground.abstraction.globals[*slot as usize]))
        }
        _ => usual(ground, ghost),
    });
    (before.collect(), (0..ghosts.len() as u32).map(|ghost| Now::Moved(ghost, 0)).collect())
}

/// What a ghost can be in any state.
pub(super) fn usual(ground: &Ground<'_>, ghost: &Ghost) -> Span {
    let [term] = ghost.terms.as_slice() else { return Span::ALL };
    if ghost.wraps {
        return Span::ALL;
    }
    let unborn = term.instance.map(|_| Span::between(0, 0));
    let held = held(ground, term.instance, term.slot).map(Span::of);
    unborn.into_iter().chain(held).reduce(Span::join).unwrap_or(Span::ALL)
}

/// What a ghost can be at first, if slots hold this: when its instance is created, or at the start.
pub(super) fn first<'v>(ghost: &Ghost, held: &dyn Fn(Option<u32>, usize) -> Option<&'v Values>) -> Span {
    let mut sum = Span::between(0, 0);
    for term in &ghost.terms {
        let span = held(term.instance, term.slot as usize).map_or(Span::ALL, Span::of);
        let span = if term.minus { span.negated() } else { span };
        let add = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a.saturating_add(b));
        sum = Span { low: add(sum.low, span.low), high: add(sum.high, span.high) };
    }
    sum
}

impl Ledger {
    /// What a ghost can be now.
    fn span(&self, now: Now) -> Span {
        match now {
            Now::Moved(ghost, by) => self.before[ghost as usize].moved(by),
            Now::Some(span) => span,
        }
    }

    /// It is one of these.
    fn restrict(&mut self, ghost: usize, to: Span) {
        match &mut self.now[ghost] {
            Now::Moved(origin, by) => {
                let before = &mut self.before[*origin as usize];
                *before = before.meet(to.moved(by.saturating_neg()));
            }
            Now::Some(span) => *span = span.meet(to),
        }
    }

    /// A single instance is created: its ghosts were 0, and get the first values.
    pub(in crate::flow) fn create(&mut self, ground: &Ground<'_>, instance: u32, locals: &[Values]) {
        for (index, ghost) in ground.abstraction.linear.ghosts.iter().enumerate() {
            if ghost.terms.iter().any(|term| term.instance == Some(instance)) {
                self.before[index] = Span::between(0, 0);
                self.now[index] = Now::Some(first(ghost, &|_, slot| locals.get(slot)));
            }
        }
    }

    /// Whether a ghost, times a factor, plus a constant, is surely at least 0 now.
    fn implies(&self, ground: &Ground<'_>, ghost: usize, factor: i64, constant: i64) -> bool {
        match self.now[ghost] {
            Now::Some(span) => {
                least_product(factor.into(), span).is_some_and(|least| least + i128::from(constant) >= 0)
            }
            Now::Moved(origin, by) => {
                let [factor, constant, by] = [factor, constant, by].map(i128::from);
                let form = Form::of_ghost(origin, factor, constant + factor * by);
                form.is_implied(ground, self.own, &self.before, self.taken)
            }
        }
    }

    fn is_at_least(&self, ground: &Ground<'_>, ghost: usize, low: i64) -> bool {
        self.implies(ground, ghost, 1, low.saturating_neg())
    }

    fn is_at_most(&self, ground: &Ground<'_>, ghost: usize, high: i64) -> bool {
        self.implies(ground, ghost, -1, high)
    }
}

/// A sum of slots and a constant: how often each slot is in it.
#[derive(Default)]
pub(super) struct Affine {
    slots: BTreeMap<(Option<u32>, u32), i64>,
    constant: i64,
}

impl Affine {
    /// The constant that is added to a slot, if that is all.
    pub(super) fn added_to(&self, slot: (Option<u32>, u32)) -> Option<i64> {
        (self.slots.len() == 1 && self.slots.get(&slot) == Some(&1)).then_some(self.constant)
    }
}

impl Reader<'_> {
    fn ghosts(&self) -> &[Ghost] {
        &self.ground.abstraction.linear.ghosts
    }

    /// Whose slots a process sees in a scope.
    pub(super) fn owner(&self, scope: Scope) -> Option<u32> {
        self.instance.filter(|_| scope == Scope::Local)
    }

    /// An expression as a sum of slots. Machine arithmetic computes it modulo 2 to the 32.
    fn affine(&self, known: &Knowledge, e: &Expr, factor: i64, sum: &mut Affine) -> Option<()> {
        match e {
            Expr::Const(n) => sum.constant = sum.constant.checked_add(factor * i64::from(*n))?,
            Expr::Read(place) => {
                let target = self.target(known, place).filter(|target| target.surely)?;
                let key = (self.owner(place.scope), target.slots[0] as u32);
                let followed = self.ghosts().iter().any(|g| g.terms.iter().any(|t| (t.instance, t.slot) == key));
                match values::constant(&self.eval(known, e)) {
                    Some(n) if !followed => sum.constant = sum.constant.checked_add(factor * i64::from(n))?,
                    _ => *sum.slots.entry(key).or_default() += factor,
                }
            }
            Expr::Unary(UnaryOp::Negate, a) => self.affine(known, a, -factor, sum)?,
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                self.affine(known, a, factor, sum)?;
                self.affine(known, b, if *op == BinaryOp::Add { factor } else { -factor }, sum)?;
            }
            _ => return None,
        }
        Some(())
    }

    pub(super) fn sum(&self, known: &Knowledge, e: &Expr) -> Option<Affine> {
        let mut sum = Affine::default();
        self.affine(known, e, 1, &mut sum)?;
        sum.slots.retain(|_, times| *times != 0);
        Some(sum)
    }

    /// A ghost, and with which sign, that is the sum of the slots of an expression.
    fn ghost_of(&self, sum: &Affine) -> Option<(usize, i64)> {
        let same = |ghost: &Ghost, sign: i64| {
            ghost.terms.len() == sum.slots.len()
                && ghost.terms.iter().all(|term| {
                    let times = if term.minus { -sign } else { sign };
                    sum.slots.get(&(term.instance, term.slot)) == Some(&times)
                })
        };
        let with = |sign: i64| self.ghosts().iter().position(|ghost| same(ghost, sign)).map(|index| (index, sign));
        with(1).or_else(|| with(-1))
    }

    /// An expression compares so with a constant: what that says of the ghost that is in it.
    pub(super) fn compare_ghost(&self, known: &mut Knowledge, e: &Expr, op: BinaryOp, with: &Values) {
        let Some(with) = values::constant(with).filter(|_| !self.ghosts().is_empty()) else { return };
        let Some(sum) = self.sum(known, e) else { return };
        let Some((ghost, sign)) = self.ghost_of(&sum) else { return };
        let Some(certain) = self.certain(&known.ledger, ghost, sign, sum.constant) else { return };
        let (op, n) = match sign {
            1 => (op, i64::from(with) - sum.constant),
            _ => (values::mirrored(op), sum.constant - i64::from(with)),
        };
        let to = match op {
            BinaryOp::Less => Span { low: None, high: Some(n - 1) },
            BinaryOp::LessEqual => Span { low: None, high: Some(n) },
            BinaryOp::Greater => Span { low: Some(n + 1), high: None },
            BinaryOp::GreaterEqual => Span { low: Some(n), high: None },
            BinaryOp::Equal => Span::between(n, n),
            // It is another number: greater, if it is not less, and less, if it is not greater.
            _ => {
                let low = known.ledger.is_at_least(self.ground, ghost, n).then_some(n + 1);
                let high = known.ledger.is_at_most(self.ground, ghost, n).then_some(n - 1);
                Span { low, high }
            }
        };
        known.ledger.restrict(ghost, certain.meet(to));
    }

    /// What a ghost can be now, if the value of its slots, times the sign and plus the constant, is surely the ghost's.
    fn certain(&self, ledger: &Ledger, ghost: usize, sign: i64, constant: i64) -> Option<Span> {
        let whole = Span::between(i32::MIN.into(), i32::MAX.into()).moved(-constant);
        let mut whole = if sign > 0 { whole } else { whole.negated() };
        let ghost_of = &self.ghosts()[ghost];
        if let ([term], true) = (ghost_of.terms.as_slice(), ghost_of.wraps) {
            whole = whole.meet(Span::of(&values::of_type(type_of(self.ground, term.instance, term.slot)?)));
        }
        let (low, high) = whole.low.zip(whole.high)?;
        let span = ledger.span(ledger.now[ghost]);
        let within = span.low.is_some_and(|n| low <= n) && span.high.is_some_and(|n| n <= high);
        let implied = || ledger.is_at_least(self.ground, ghost, low) && ledger.is_at_most(self.ground, ghost, high);
        (within || implied()).then(|| span.meet(whole))
    }

    /// What becomes of ghosts when a value is stored into slots.
    pub(super) fn move_ghosts(
        &self,
        known: &mut Knowledge,
        scope: Scope,
        target: &Target,
        store: (&Values, Option<&Affine>),
    ) {
        let owner = self.owner(scope);
        let hit = |ghost: &Ghost| {
            let here = |term: &&GhostTerm| term.instance == owner && target.slots.contains(&(term.slot as usize));
            ghost.terms.iter().find(here).copied()
        };
        let hit = self.ghosts().iter().enumerate().filter_map(|(index, ghost)| Some((index, hit(ghost)?)));
        let moved = hit.map(|(index, term)| (index, self.moved(&known.ledger, target, (index, term), store)));
        for (index, now) in moved.collect::<Vec<(usize, Now)>>() {
            known.ledger.now[index] = now;
        }
    }

    /// What a ghost is after a store into one of its slots.
    fn moved(
        &self,
        ledger: &Ledger,
        target: &Target,
        (index, term): (usize, GhostTerm),
        (value, sum): (&Values, Option<&Affine>),
    ) -> Now {
        let ghost = &self.ghosts()[index];
        if ghost.terms.len() > 1 {
            // Slots of 32 bits: what is added to one is added to the sum.
            let by = sum.and_then(|sum| sum.added_to((term.instance, term.slot)));
            let by = by.map(|by| if term.minus { -by } else { by });
            return by.map_or(Now::Some(Span::ALL), |by| shifted(ledger.now[index], by));
        }
        if !target.surely {
            let kept = ledger.span(ledger.now[index]);
            return Now::Some(if ghost.wraps { Span::ALL } else { kept.join(Span::of(value)) });
        }
        let moved = sum.and_then(|sum| {
            let (source, _) = self.ghost_of(sum).filter(|&(_, sign)| sign == 1)?;
            let source_of = &self.ghosts()[source];
            let [from] = source_of.terms.as_slice() else { return None };
            let now = shifted(ledger.now[source], sum.constant);
            let known_to = if source_of.wraps { type_of(self.ground, from.instance, from.slot)?.bits() } else { 32 };
            let whole = Span::of(&values::of_type(target.ty));
            let span = ledger.span(now);
            let exact = !source_of.wraps && span.low.is_some() && span.high.is_some() && span.meet(whole) == span;
            (if ghost.wraps { target.ty.bits() <= known_to } else { exact }).then_some(now)
        });
        moved.unwrap_or(Now::Some(Span::of(value)))
    }
}

fn shifted(now: Now, by: i64) -> Now {
    match now {
        Now::Moved(ghost, before) => Now::Moved(ghost, before.saturating_add(by)),
        Now::Some(span) => Now::Some(span.moved(by)),
    }
}
