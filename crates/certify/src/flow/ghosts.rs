//! What becomes of ghosts on a path: by how much they moved, and what conditions say of them.
//!
//! A ghost is an integer without limit, and equal to its slots modulo their width. The statements of a path are followed in
//! order: what a ghost is *now* is what some ghost was *before* the step plus a constant, or some number of an interval.
//! A condition is about values, not about ghosts: it counts only where the value is the ghost, that is, where the
//! ghost is known to lie in the range of the type, and the expression in that of 32 bits.

use super::knowledge::{Knowledge, Reader, Target};
use super::linear::Form;
use super::shape::Ground;
use super::values;
use model::expr::{BinaryOp, Expr, Place, Scope, UnaryOp};
use model::flow_proof::{Ghost, GhostTerm, Point, Values};
use model::network::ScalarType;
use std::collections::BTreeMap;

/// Numbers between two, both included; without one of them, there is no limit on that side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Span {
    pub(super) low: Option<i64>,
    pub(super) high: Option<i64>,
}

impl Span {
    /// All numbers.
    pub(super) const ALL: Span = Span { low: None, high: None };

    /// The numbers that values can be.
    pub(super) fn of(values: &Values) -> Self {
        match values::extent(values) {
            Some((low, high)) => Span::between(low.into(), high.into()),
            None => Span::ALL,
        }
    }

    pub(super) fn between(low: i64, high: i64) -> Self {
        Span { low: Some(low), high: Some(high) }
    }

    /// The numbers of both.
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

    fn is_within(self, low: i64, high: i64) -> bool {
        self.low.is_some_and(|n| low <= n) && self.high.is_some_and(|n| n <= high)
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

/// The ghosts before a step, and now.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Ledger {
    pub(super) before: Vec<Span>,
    pub(super) now: Vec<Now>,
}

impl Ledger {
    /// Nothing has moved yet.
    pub(super) fn start(ground: &Ground<'_>, instance: u32, known: &Knowledge) -> Self {
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
        Ledger { before: before.collect(), now: (0..ghosts.len() as u32).map(|ghost| Now::Moved(ghost, 0)).collect() }
    }

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
    pub(super) fn create(&mut self, ground: &Ground<'_>, instance: u32, locals: &[Values]) {
        for (index, ghost) in ground.abstraction.linear.ghosts.iter().enumerate() {
            if ghost.terms.iter().any(|term| term.instance == Some(instance)) {
                self.before[index] = Span::between(0, 0);
                self.now[index] = Now::Some(first(ghost, &|_, slot| locals.get(slot)));
            }
        }
    }
}

/// What a ghost can be in any state.
pub(super) fn usual(ground: &Ground<'_>, ghost: &Ghost) -> Span {
    match ghost.terms.as_slice() {
        [term] if !ghost.wraps => match term.instance {
            None => Span::of(&ground.abstraction.globals[term.slot as usize]),
            Some(id) => {
                let alive = ground.instance(id).nodes.iter().filter(|node| node.at != Point::Gone);
                let held = alive.map(|node| Span::of(&node.values[term.slot as usize]));
                held.fold(Span::between(0, 0), Span::join)
            }
        },
        _ => Span::ALL,
    }
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

/// A sum of slots and a constant: how often each slot is in it.
#[derive(Default)]
struct Affine {
    slots: BTreeMap<(Option<u32>, u32), i64>,
    constant: i64,
}

/// Follows the ghosts of one instance's paths.
pub(super) struct Follower<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) instance: u32,
    /// The node where the path begins, and the message that it has taken, if it is its first traffic.
    pub(super) node: u32,
    pub(super) taken: Option<(u32, u32)>,
}

impl Follower<'_> {
    fn ghosts(&self) -> &[Ghost] {
        &self.reader.ground.abstraction.linear.ghosts
    }

    fn owner(&self, scope: Scope) -> Option<u32> {
        (scope == Scope::Local).then_some(self.instance)
    }

    /// An expression as a sum of slots. Machine arithmetic computes it modulo 2 to the 32.
    fn affine(&self, known: &Knowledge, e: &Expr, factor: i64, sum: &mut Affine) -> Option<()> {
        match e {
            Expr::Const(n) => sum.constant = sum.constant.checked_add(factor * i64::from(*n))?,
            Expr::Read(place) => {
                let target = self.reader.target(known, place).filter(|target| target.surely)?;
                let key = (self.owner(place.scope), target.slots[0] as u32);
                let followed = self.ghosts().iter().any(|g| g.terms.iter().any(|t| (t.instance, t.slot) == key));
                match values::constant(&self.reader.eval(known, e)) {
                    Some(n) if !followed => sum.constant = sum.constant.checked_add(factor * i64::from(n))?,
                    _ => *sum.slots.entry(key).or_default() += factor,
                }
            }
            Expr::Unary(UnaryOp::Negate, a) => self.affine(known, a, -factor, sum)?,
            Expr::Binary(BinaryOp::Add, a, b) => {
                self.affine(known, a, factor, sum)?;
                self.affine(known, b, factor, sum)?;
            }
            Expr::Binary(BinaryOp::Sub, a, b) => {
                self.affine(known, a, factor, sum)?;
                self.affine(known, b, -factor, sum)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn sum(&self, known: &Knowledge, e: &Expr) -> Option<Affine> {
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

    /// A condition is true, or false: what that says of ghosts.
    pub(super) fn suppose(&self, ledger: &mut Ledger, known: &Knowledge, e: &Expr, truth: bool) {
        match e {
            _ if self.ghosts().is_empty() => {}
            Expr::Unary(UnaryOp::Not, a) => self.suppose(ledger, known, a, !truth),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                // Both sides are known only where both decide.
                if (*op == BinaryOp::And) == truth {
                    self.suppose(ledger, known, a, truth);
                    self.suppose(ledger, known, b, truth);
                }
            }
            Expr::Binary(op, a, b) if values::is_comparison(*op) => {
                let op = if truth { *op } else { values::opposite(*op) };
                if let Some(n) = self.plain(known, b) {
                    self.compare(ledger, known, a, op, n);
                }
                // Where the value of a variable is known, both sides are numbers, and either may be a ghost.
                if let Some(n) = self.plain(known, a) {
                    self.compare(ledger, known, b, values::mirrored(op), n);
                }
            }
            _ => self.compare(ledger, known, e, if truth { BinaryOp::NotEqual } else { BinaryOp::Equal }, 0),
        }
    }

    /// The constant that an expression is.
    fn plain(&self, known: &Knowledge, e: &Expr) -> Option<i64> {
        values::constant(&self.reader.eval(known, e)).map(i64::from)
    }

    fn compare(&self, ledger: &mut Ledger, known: &Knowledge, e: &Expr, op: BinaryOp, with: i64) {
        let Some(sum) = self.sum(known, e) else { return };
        let Some((ghost, sign)) = self.ghost_of(&sum) else { return };
        let Some(now) = self.certain(ledger, ghost, sign, sum.constant) else { return };
        let value = if sign > 0 { now } else { now.negated() }.moved(sum.constant);
        let value = match op {
            BinaryOp::Less => value.meet(Span { low: None, high: Some(with - 1) }),
            BinaryOp::LessEqual => value.meet(Span { low: None, high: Some(with) }),
            BinaryOp::Greater => value.meet(Span { low: Some(with + 1), high: None }),
            BinaryOp::GreaterEqual => value.meet(Span { low: Some(with), high: None }),
            BinaryOp::Equal => value.meet(Span::between(with, with)),
            // It is another number: greater, if it is not less, and less, if it is not greater.
            _ => {
                let (least, most) = if sign > 0 { (with, with) } else { (-with, -with) };
                let [least, most] = [least, most].map(|n| n - sign * sum.constant);
                let (above, below) = (self.at_least(ledger, ghost, least), self.at_most(ledger, ghost, most));
                let (not_less, not_greater) = if sign > 0 { (above, below) } else { (below, above) };
                let low = not_less.then_some(with + 1);
                let high = not_greater.then_some(with - 1);
                value.meet(Span { low, high })
            }
        };
        let back = value.moved(-sum.constant);
        ledger.restrict(ghost, if sign > 0 { back } else { back.negated() });
    }

    /// What a ghost can be now, if the value of its slots, times the sign and plus the constant, is surely the ghost's.
    fn certain(&self, ledger: &Ledger, ghost: usize, sign: i64, constant: i64) -> Option<Span> {
        let mut span = ledger.span(ledger.now[ghost]);
        let [low, high] = [i32::MIN, i32::MAX].map(i64::from);
        let (least, most) =
            if sign > 0 { (low - constant, high - constant) } else { (constant - high, constant - low) };
        let (mut least, mut most) = (least, most);
        let ghost_of = &self.ghosts()[ghost];
        if ghost_of.wraps
            && let [term] = ghost_of.terms.as_slice()
        {
            let (low, high) = values::extent(&values::of_type(self.ty(*term)?))?;
            (least, most) = (least.max(low.into()), most.min(high.into()));
        }
        if !span.is_within(least, most) {
            let (above, below) = (self.at_least(ledger, ghost, least), self.at_most(ledger, ghost, most));
            if !(above && below) {
                return None;
            }
            span = span.meet(Span::between(least, most));
        }
        Some(span)
    }

    fn at_least(&self, ledger: &Ledger, ghost: usize, low: i64) -> bool {
        match ledger.now[ghost] {
            Now::Some(span) => span.low.is_some_and(|n| low <= n),
            Now::Moved(origin, by) => self.implied(ledger, Form::of_ghost(origin, 1, by.saturating_sub(low))),
        }
    }

    fn at_most(&self, ledger: &Ledger, ghost: usize, high: i64) -> bool {
        match ledger.now[ghost] {
            Now::Some(span) => span.high.is_some_and(|n| n <= high),
            Now::Moved(origin, by) => self.implied(ledger, Form::of_ghost(origin, -1, high.saturating_sub(by))),
        }
    }

    fn implied(&self, ledger: &Ledger, form: Form) -> bool {
        form.is_implied(self.reader.ground, (self.instance, self.node), &ledger.before, self.taken)
    }

    fn ty(&self, term: GhostTerm) -> Option<ScalarType> {
        let ground = self.reader.ground;
        match term.instance {
            None => ground.globals.types.get(term.slot as usize).copied(),
            Some(id) => ground.locals[ground.instance(id).machine as usize].types.get(term.slot as usize).copied(),
        }
    }

    /// A value is stored: of an expression, where there is one.
    pub(super) fn store(
        &self,
        ledger: &mut Ledger,
        known: &Knowledge,
        place: &Place,
        e: Option<&Expr>,
        value: &Values,
    ) {
        if self.ghosts().is_empty() {
            return;
        }
        let Some(target) = self.reader.target(known, place) else { return };
        let owner = self.owner(place.scope);
        let hit = |ghost: &Ghost| {
            let here = |term: &&GhostTerm| term.instance == owner && target.slots.contains(&(term.slot as usize));
            ghost.terms.iter().find(here).copied()
        };
        let found: Vec<(usize, Now)> = self
            .ghosts()
            .iter()
            .enumerate()
            .filter_map(|(index, ghost)| {
                let term = hit(ghost)?;
                Some((index, self.stored(ledger, known, &target, (index, term), e, value)))
            })
            .collect();
        for (index, now) in found {
            ledger.now[index] = now;
        }
    }

    /// What a ghost is after a store into one of its slots.
    fn stored(
        &self,
        ledger: &Ledger,
        known: &Knowledge,
        target: &Target,
        (index, term): (usize, GhostTerm),
        e: Option<&Expr>,
        value: &Values,
    ) -> Now {
        let ghost = &self.ghosts()[index];
        let held = Span::of(&values::stored(target.ty, value.clone()));
        let sum = e.filter(|_| target.surely).and_then(|e| self.sum(known, e));
        if ghost.terms.len() > 1 {
            // Slots of 32 bits: what is added to one is added to the sum.
            let itself = (term.instance, term.slot);
            return match sum {
                Some(sum) if sum.slots.len() == 1 && sum.slots.get(&itself) == Some(&1) => {
                    shifted(ledger.now[index], if term.minus { -sum.constant } else { sum.constant })
                }
                _ => Now::Some(Span::ALL),
            };
        }
        if !target.surely {
            let kept = ledger.span(ledger.now[index]);
            return Now::Some(if ghost.wraps { Span::ALL } else { kept.join(held) });
        }
        let moved = sum.and_then(|sum| {
            let (source, _) = self.ghost_of(&sum).filter(|&(_, sign)| sign == 1)?;
            let source_of = &self.ghosts()[source];
            let [from] = source_of.terms.as_slice() else { return None };
            let now = shifted(ledger.now[source], sum.constant);
            let known_to = if source_of.wraps { self.ty(*from)?.bits() } else { 32 };
            let (low, high) = values::extent(&values::of_type(target.ty))?;
            let exact = !source_of.wraps && ledger.span(now).is_within(low.into(), high.into());
            (if ghost.wraps { target.ty.bits() <= known_to } else { exact }).then_some(now)
        });
        moved.unwrap_or(Now::Some(held))
    }
}

fn shifted(now: Now, by: i64) -> Now {
    match now {
        Now::Moved(ghost, before) => Now::Moved(ghost, before.saturating_add(by)),
        Now::Some(span) => Now::Some(span.moved(by)),
    }
}
