//! What a process knows while it takes a step: values of its own slots, and of shared ones.
//!
//! [`Reader`] evaluates expressions on such knowledge, supposes conditions, and stores values. It mirrors
//! `model::evaluate`, with sets for numbers: whatever is true of a state inside the sets before is true of the state
//! after. A result without values means that there is no such state: a division by zero, an index out of range, a
//! condition that cannot hold.

use super::counting::Ledger;
use super::shape::{Ground, Table};
use super::values;
use model::expr::{BinaryOp, ChannelTest, Expr, Place, Scope, UnaryOp};
use model::flow_proof::{Values, is_smashed};
use model::network::ScalarType;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Values of slots.
#[derive(Clone, Default)]
pub(super) struct Knowledge {
    /// The slots of the process.
    pub(super) locals: Vec<Values>,
    /// Shared slots of which more is known than always holds.
    pub(super) shared: BTreeMap<u32, Values>,
    /// What was stored to shared slots.
    pub(super) writes: Vec<(u32, Values)>,
    /// What was counted.
    pub(super) ledger: Ledger,
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
        self.shared.retain(|slot, mine| {
            let theirs = other.shared.get(slot);
            theirs.into_iter().for_each(|theirs| *mine = values::join(mine, theirs));
            theirs.is_some()
        });
        self.ledger.weaken(&other.ledger);
    }
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

/// Evaluates expressions as a process of an instance.
pub(super) struct Reader<'a> {
    /// The tables.
    pub(super) ground: &'a Ground<'a>,
    /// The instance; none for the first values of shared slots.
    pub(super) instance: Option<u32>,
    /// Shared slots that were read or stored to.
    pub(super) touched: RefCell<BTreeSet<u32>>,
}

impl<'a> Reader<'a> {
    /// A process of an instance.
    pub(super) fn new(ground: &'a Ground<'a>, instance: Option<u32>) -> Self {
        Reader { ground, instance, touched: RefCell::default() }
    }

    /// The variables of a scope.
    pub(super) fn table(&self, scope: Scope) -> Option<&'a Table<'a>> {
        match scope {
            Scope::Global => Some(&self.ground.globals),
            Scope::Local => Some(&self.ground.locals[self.ground.instance(self.instance?).machine as usize]),
        }
    }

    /// What a slot can hold.
    pub(super) fn slot(&self, known: &Knowledge, scope: Scope, slot: usize, ty: ScalarType) -> Values {
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
        let table = self.table(place.scope)?;
        let variable = table.variables.get(place.variable.index())?;
        let slot = |element| table.slots.slot(table.variables, place.variable.index(), element);
        if is_smashed(variable) {
            return Some(Target { slots: vec![slot(0)], surely: false, ty: variable.ty });
        }
        let mut elements: Vec<usize> = if variable.is_empty() { Vec::new() } else { vec![0] };
        for (index, dimension) in place.indices.iter().zip(&variable.dimensions) {
            let index = self.eval(known, index);
            let len = dimension.len as usize;
            let inside: Vec<usize> = match &index {
                Values::Set(all) => all.iter().filter_map(|&n| usize::try_from(n).ok().filter(|&n| n < len)).collect(),
                other => (0..len).filter(|&n| values::contains(other, n as i32)).collect(),
            };
            elements = elements.iter().flat_map(|e| inside.iter().map(move |i| e * len + i)).collect();
        }
        let slots: Vec<usize> = elements.into_iter().map(slot).collect();
        let surely = slots.len() == 1;
        if slots.is_empty() { None } else { Some(Target { slots, surely, ty: variable.ty }) }
    }

    fn read(&self, known: &Knowledge, place: &Place) -> Values {
        let Some(target) = self.target(known, place) else { return values::none() };
        let each = target.slots.iter().map(|&slot| self.slot(known, place.scope, slot, target.ty));
        each.fold(values::none(), |all, values| values::join(&all, &values))
    }

    /// What an expression can be.
    pub(super) fn eval(&self, known: &Knowledge, e: &Expr) -> Values {
        let truth = |e: &Expr| values::binary(BinaryOp::NotEqual, &self.eval(known, e), &values::number(0));
        match e {
            Expr::Const(n) => values::number(*n),
            Expr::Read(place) => self.read(known, place),
            Expr::Unary(op, a) => values::unary(*op, &self.eval(known, a)),
            Expr::Binary(BinaryOp::And, a, b) => self.choice(known, a, || truth(b), || values::number(0)),
            Expr::Binary(BinaryOp::Or, a, b) => self.choice(known, a, || values::number(1), || truth(b)),
            Expr::Binary(op, a, b) => values::binary(*op, &self.eval(known, a), &self.eval(known, b)),
            Expr::Conditional(c, a, b) => self.choice(known, c, || self.eval(known, a), || self.eval(known, b)),
            Expr::Pid => self.instance.map_or_else(values::natural, |id| self.ground.pids[id as usize].clone()),
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

    /// One expression where a condition can hold, another where it can fail.
    fn choice(
        &self,
        known: &Knowledge,
        condition: &Expr,
        then: impl Fn() -> Values,
        otherwise: impl Fn() -> Values,
    ) -> Values {
        let (holds, fails) = values::truth(&self.eval(known, condition));
        let then = if holds { then() } else { values::none() };
        let otherwise = if fails { otherwise() } else { values::none() };
        values::join(&then, &otherwise)
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
                self.suppose_compared(known, a, if truth { *op } else { values::opposite(*op) }, b)
            }
            _ => {
                let op = if truth { BinaryOp::NotEqual } else { BinaryOp::Equal };
                self.suppose_compared(known, e, op, &Expr::Const(0))
            }
        }
    }

    /// Supposes that two expressions compare so.
    fn suppose_compared(&self, known: &mut Knowledge, a: &Expr, op: BinaryOp, b: &Expr) -> bool {
        let (left, right) = (self.eval(known, a), self.eval(known, b));
        let mirrored = values::mirrored(op);
        self.count_compared(known, a, op, (b, &right));
        self.count_compared(known, b, mirrored, (a, &left));
        self.restrict(known, a, &values::compared(op, &left, &right))
            && self.restrict(known, b, &values::compared(mirrored, &right, &left))
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
        let mut kept = to.clone();
        if let Expr::Read(place) = e
            && let Some(target) = self.target(known, place)
            && target.surely
        {
            let slot = target.slots[0];
            kept = values::meet(&self.slot(known, place.scope, slot, target.ty), to);
            known.keep(place.scope, slot, kept.clone());
        }
        !values::is_none(&kept)
    }

    /// Stores a value, that of an expression or one that was received; none if there is no value, or no such place.
    pub(super) fn store(&self, known: &mut Knowledge, place: &Place, value: &Values, e: Option<&Expr>) -> Option<()> {
        if values::is_none(value) {
            return None;
        }
        let target = self.target(known, place)?;
        let value = values::stored(target.ty, value.clone());
        self.count_store(known, place.scope, &target, (&value, e));
        for slot in target.slots {
            let before = self.slot(known, place.scope, slot, target.ty);
            let after = if target.surely { value.clone() } else { values::join(&before, &value) };
            known.keep(place.scope, slot, after);
            if place.scope == Scope::Global {
                known.writes.push((slot as u32, value.clone()));
            }
        }
        Some(())
    }
}
