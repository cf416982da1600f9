//! What a process knows while it takes a step: values of its own slots, and of shared ones.
//!
//! [`Reader`] evaluates expressions on such knowledge, supposes conditions, and stores values. It mirrors
//! `model::evaluate`, with sets for numbers: whatever is true of a state inside the sets before is true of the state
//! after. A result without values means that there is no such state: a division by zero, an index out of range, a
//! condition that cannot hold.

use super::shape::{Ground, Table};
use super::values;
use model::expr::{BinaryOp, ChannelTest, Expr, Pattern, Place, Scope, UnaryOp};
use model::flow_proof::{Values, is_smashed};
use model::network::ScalarType;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A number above this is no limit of a length: it may come from one.
const GREATEST_LENGTH: i32 = 1 << 16;

/// Values of slots.
#[derive(Clone, Default)]
pub(super) struct Knowledge {
    /// The slots of the process.
    pub(super) locals: Vec<Values>,
    /// Shared slots of which more is known than always holds.
    pub(super) shared: BTreeMap<u32, Values>,
    /// Queues that hold no more than this, all in all or of one atom.
    pub(super) lengths: BTreeMap<(u32, Option<u32>), u64>,
}

impl Knowledge {
    /// There is no such state.
    pub(super) fn is_absurd(&self) -> bool {
        self.locals.iter().chain(self.shared.values()).any(values::is_none)
    }

    fn keep(&mut self, scope: Scope, slot: usize, values: Values) {
        match scope {
            Scope::Global => drop(self.shared.insert(slot as u32, values)),
            Scope::Local => {
                if let Some(known) = self.locals.get_mut(slot) {
                    *known = values;
                }
            }
        }
    }

    /// What is true either way.
    fn weaken(&mut self, other: &Knowledge) {
        for (mine, theirs) in self.locals.iter_mut().zip(&other.locals) {
            *mine = values::join(mine, theirs);
        }
        self.shared.retain(|slot, mine| match other.shared.get(slot) {
            Some(theirs) => {
                *mine = values::join(mine, theirs);
                true
            }
            None => false,
        });
        self.lengths.retain(|queue, mine| match other.lengths.get(queue) {
            Some(theirs) => {
                *mine = *theirs.max(mine);
                true
            }
            None => false,
        });
    }

    /// A queue holds no more than this, all in all or of one atom.
    fn shorten(&mut self, queue: u32, atom: Option<u32>, most: u64) {
        let length = self.lengths.entry((queue, atom)).or_insert(most);
        *length = most.min(*length);
    }

    /// One message more is in a queue, which may be of these atoms.
    pub(super) fn send(&mut self, queue: u32, of: impl Fn(u32) -> bool) {
        for (&(_, atom), length) in self.lengths.range_mut((queue, None)..=(queue, Some(u32::MAX))) {
            *length = length.saturating_add(u64::from(atom.is_none_or(&of)));
        }
    }
}

/// A store into one slot.
pub(super) struct Stored {
    /// Whose slot.
    pub(super) scope: Scope,
    /// Which.
    pub(super) slot: u32,
    /// What was in it before.
    pub(super) before: Values,
    /// What is in it now.
    pub(super) after: Values,
    /// What was stored, if it was this slot that was stored to.
    pub(super) value: Values,
    /// It is surely this slot.
    pub(super) surely: bool,
    /// Its type.
    pub(super) ty: ScalarType,
}

/// The slots that a place can mean.
pub(super) struct Target {
    /// The slots.
    pub(super) slots: Vec<usize>,
    /// It is one slot, and that slot is one scalar.
    pub(super) surely: bool,
    /// Their type.
    pub(super) ty: ScalarType,
}

/// Evaluates expressions as a process of a machine.
pub(super) struct Reader<'a> {
    /// The tables.
    pub(super) ground: &'a Ground<'a>,
    /// The index of the machine.
    pub(super) machine: usize,
    /// What `_pid` can be.
    pub(super) pid: Values,
    /// Shared slots that were read or stored to.
    pub(super) touched: RefCell<BTreeSet<u32>>,
}

impl<'a> Reader<'a> {
    /// A process of a machine.
    pub(super) fn new(ground: &'a Ground<'a>, machine: usize, pid: Values) -> Self {
        Reader { ground, machine, pid, touched: RefCell::default() }
    }

    /// What a slot can hold.
    fn slot(&self, known: &Knowledge, scope: Scope, slot: usize, ty: ScalarType) -> Values {
        let found = match scope {
            Scope::Local => known.locals.get(slot),
            Scope::Global => {
                self.touched.borrow_mut().insert(slot as u32);
                known.shared.get(&(slot as u32)).or_else(|| self.ground.abstraction.globals.get(slot))
            }
        };
        found.cloned().unwrap_or_else(|| values::of_type(ty))
    }

    /// The slots that a place can mean; none if every index is out of range.
    pub(super) fn target(&self, known: &Knowledge, place: &Place) -> Option<Target> {
        let table = self.ground.table(place.scope, self.machine)?;
        let variable = table.variables.get(place.variable.index())?;
        let slot = |element| table.slots.slot(table.variables, place.variable.index(), element);
        if is_smashed(variable) {
            return Some(Target { slots: vec![slot(0)], surely: false, ty: variable.ty });
        }
        let slots: Vec<usize> = self.elements(known, table, place).into_iter().map(slot).collect();
        let surely = slots.len() == 1;
        if slots.is_empty() { None } else { Some(Target { slots, surely, ty: variable.ty }) }
    }

    /// The elements that the indices of a place can mean.
    fn elements(&self, known: &Knowledge, table: &Table<'_>, place: &Place) -> Vec<usize> {
        let variable = &table.variables[place.variable.index()];
        if variable.is_empty() {
            return Vec::new();
        }
        let mut elements: Vec<usize> = vec![0];
        for (index, dimension) in place.indices.iter().zip(&variable.dimensions) {
            let index = self.eval(known, index);
            let len = dimension.len as usize;
            let inside: Vec<usize> = match &index {
                Values::Set(all) => all.iter().filter_map(|&n| usize::try_from(n).ok().filter(|&n| n < len)).collect(),
                other => (0..len).filter(|&n| values::contains(other, n as i32)).collect(),
            };
            elements = elements.iter().flat_map(|e| inside.iter().map(move |i| e * len + i)).collect();
        }
        elements
    }

    fn read(&self, known: &Knowledge, place: &Place) -> Values {
        let Some(target) = self.target(known, place) else { return values::none() };
        let each = target.slots.iter().map(|&slot| self.slot(known, place.scope, slot, target.ty));
        each.fold(values::none(), |all, values| values::join(&all, &values))
    }

    /// What an expression can be.
    pub(super) fn eval(&self, known: &Knowledge, e: &Expr) -> Values {
        match e {
            Expr::Const(n) => values::number(*n),
            Expr::Read(place) => self.read(known, place),
            Expr::Unary(op, a) => values::unary(*op, &self.eval(known, a)),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => self.eval_junction(known, *op, a, b),
            Expr::Binary(op, a, b) => values::binary(*op, &self.eval(known, a), &self.eval(known, b)),
            Expr::Conditional(condition, a, b) => {
                let (holds, fails) = values::truth(&self.eval(known, condition));
                let a = if holds { self.eval(known, a) } else { values::none() };
                let b = if fails { self.eval(known, b) } else { values::none() };
                values::join(&a, &b)
            }
            Expr::Pid => self.pid.clone(),
            Expr::Channel(ChannelTest::Len, _) | Expr::ProcessCount | Expr::RunResult => values::natural(),
            Expr::Channel(..)
            | Expr::Poll { .. }
            | Expr::Timeout
            | Expr::Enabled(_)
            | Expr::NonProgress
            | Expr::At { .. } => values::truth_value(),
            Expr::LastMover | Expr::ProgramCounter(_) | Expr::Priority(_) => values::any(),
            Expr::Remote { machine, variable, .. } => {
                let table = self.ground.locals.get(machine.index());
                let ty = table.and_then(|table| table.variables.get(variable.index())).map(|variable| variable.ty);
                // 0 if there is no such process; every type has it.
                ty.map_or_else(values::any, values::of_type)
            }
        }
    }

    /// `&&` and `||`: the right side counts only where the left one does not decide.
    fn eval_junction(&self, known: &Knowledge, op: BinaryOp, a: &Expr, b: &Expr) -> Values {
        let left = self.eval(known, a);
        let (holds, fails) = values::truth(&left);
        match (op, holds, fails) {
            (BinaryOp::And, false, true) => values::number(0),
            (BinaryOp::Or, true, false) => values::number(1),
            (_, false, false) => values::none(),
            _ => {
                let (right_holds, right_fails) = values::truth(&self.eval(known, b));
                let decided = if op == BinaryOp::And { fails } else { holds };
                let (can_hold, can_fail) = match op {
                    BinaryOp::And => (holds && right_holds, decided || right_fails),
                    _ => (decided || right_holds, fails && right_fails),
                };
                let truths = [(can_fail, 0), (can_hold, 1)];
                Values::Set(truths.iter().filter(|(can, _)| *can).map(|(_, n)| *n).collect())
            }
        }
    }

    /// Supposes that an expression is true, or that it is false; `false` if it cannot be.
    pub(super) fn suppose(&self, known: &mut Knowledge, e: &Expr, truth: bool) -> bool {
        match e {
            Expr::Unary(UnaryOp::Not, a) => self.suppose(known, a, !truth),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                if (*op == BinaryOp::And) == truth {
                    self.suppose(known, a, truth) && self.suppose(known, b, truth)
                } else {
                    self.suppose_either(known, a, b, truth)
                }
            }
            Expr::Binary(op, a, b) if values::is_comparison(*op) => {
                let op = if truth { *op } else { values::opposite(*op) };
                let (left, right) = (self.eval(known, a), self.eval(known, b));
                self.measure(known, a, op, (b, &right));
                self.measure(known, b, values::mirrored(op), (a, &left));
                self.restrict(known, a, &values::compared(op, &left, &right))
                    && self.restrict(known, b, &values::compared(values::mirrored(op), &right, &left))
            }
            _ => {
                let all = self.eval(known, e);
                let op = if truth { BinaryOp::NotEqual } else { BinaryOp::Equal };
                self.ask(known, e, truth);
                self.restrict(known, e, &values::compared(op, &all, &values::number(0)))
            }
        }
    }

    /// The answer to a test of a channel. (Also without limits, `full` means as long as was declared, or longer.)
    fn ask(&self, known: &mut Knowledge, e: &Expr, truth: bool) {
        let (test, channel) = match e {
            Expr::Channel(test, channel) => (test, channel),
            Expr::Poll { channel, pattern, anywhere } if !truth => {
                return self.miss(known, channel, pattern, *anywhere);
            }
            _ => return,
        };
        let Some(queue) = self.one_queue(known, channel) else { return };
        let below = |capacity: u32| u64::from(capacity).checked_sub(1);
        let most = match test {
            ChannelTest::Empty if truth => Some(0),
            ChannelTest::NotEmpty | ChannelTest::Len if !truth => Some(0),
            ChannelTest::NotFull if truth => self.ground.kinds[queue as usize].capacity.and_then(below),
            ChannelTest::Full if !truth => self.ground.kinds[queue as usize].capacity.and_then(below),
            _ => None,
        };
        if let Some(most) = most {
            known.shorten(queue, None, most);
        }
    }

    /// No message fits a pattern: so there is none of an atom all of whose messages fit. The head alone says something only
    /// if whatever could be there would fit.
    fn miss(&self, known: &mut Knowledge, channel: &Expr, pattern: &[Pattern], anywhere: bool) {
        let Some(queue) = self.one_queue(known, channel) else { return };
        let wanted = |pattern: &Pattern| match pattern {
            Pattern::Match(e) => Some(values::constant(&self.eval(known, e))),
            Pattern::Bind(_) | Pattern::Any => None,
        };
        let wanted: Vec<Option<Option<i32>>> = pattern.iter().map(wanted).collect();
        let fits = |(held, wanted): (&Values, &Option<Option<i32>>)| {
            wanted.is_none_or(|n| n.is_some() && values::constant(held) == n)
        };
        let atoms = &self.ground.abstraction.queues[queue as usize].atoms;
        let fitting = (0u32..).zip(atoms).filter(|(_, atom)| atom.values.iter().zip(&wanted).all(fits));
        let fitting: Vec<u32> = fitting.map(|(index, _)| index).collect();
        if fitting.len() == atoms.len() {
            known.shorten(queue, None, 0);
        }
        for atom in fitting.into_iter().filter(|_| anywhere) {
            known.shorten(queue, Some(atom), 0);
        }
    }

    /// A length compares so with some of these numbers: they limit it, if nothing that can be arbitrarily much is in them.
    fn measure(&self, known: &mut Knowledge, e: &Expr, op: BinaryOp, (other, with): (&Expr, &Values)) {
        let Expr::Channel(ChannelTest::Len, channel) = e else { return };
        let (Some(queue), Some((_, greatest))) = (self.one_queue(known, channel), values::extent(with)) else { return };
        let grows = |e: &Expr| matches!(e, Expr::Channel(..) | Expr::ProcessCount | Expr::RunResult);
        if greatest > GREATEST_LENGTH || other.any(&grows) {
            return;
        }
        let most = match op {
            BinaryOp::Equal | BinaryOp::LessEqual => i64::from(greatest),
            BinaryOp::Less => i64::from(greatest) - 1,
            _ => return,
        };
        if let Ok(most) = u64::try_from(most) {
            known.shorten(queue, None, most);
        }
    }

    /// The one buffered queue that a channel expression means.
    fn one_queue(&self, known: &Knowledge, channel: &Expr) -> Option<u32> {
        match self.eval(known, channel) {
            Values::Queues(queues) if queues.len() == 1 => {
                queues.first().copied().filter(|&queue| self.ground.kinds[queue as usize].single)
            }
            _ => None,
        }
    }

    /// Supposes that one of two has this truth: the left one, or the right one after the left one has not.
    fn suppose_either(&self, known: &mut Knowledge, a: &Expr, b: &Expr, truth: bool) -> bool {
        let mut otherwise = known.clone();
        let left = self.suppose(known, a, truth);
        let right = self.suppose(&mut otherwise, a, !truth) && self.suppose(&mut otherwise, b, truth);
        match (left, right) {
            (true, true) => known.weaken(&otherwise),
            (false, true) => *known = otherwise,
            _ => {}
        }
        left || right
    }

    /// An expression has one of these values: if it is a scalar, that is known from now on. `false` if there is none.
    pub(super) fn restrict(&self, known: &mut Knowledge, e: &Expr, to: &Values) -> bool {
        if values::is_none(to) {
            return false;
        }
        if let Expr::Read(place) = e
            && let Some(target) = self.target(known, place)
            && target.surely
        {
            let slot = target.slots[0];
            let kept = values::meet(&self.slot(known, place.scope, slot, target.ty), to);
            if values::is_none(&kept) {
                return false;
            }
            known.keep(place.scope, slot, kept);
        }
        true
    }

    /// Stores a value; none if there is no value, or no such place.
    pub(super) fn store(&self, known: &mut Knowledge, place: &Place, value: Values) -> Option<Vec<Stored>> {
        if values::is_none(&value) {
            return None;
        }
        let Target { slots, surely, ty } = self.target(known, place)?;
        let value = values::stored(ty, value);
        let mut stored = Vec::with_capacity(slots.len());
        for slot in slots {
            let before = self.slot(known, place.scope, slot, ty);
            let after = if surely { value.clone() } else { values::join(&before, &value) };
            known.keep(place.scope, slot, after.clone());
            let (scope, slot, value) = (place.scope, slot as u32, value.clone());
            stored.push(Stored { scope, slot, before, after, value, surely, ty });
        }
        Some(stored)
    }
}
