//! Variables by their slots: which a place can mean, what they hold, and what a write makes of them.
//!
//! An index that is known exactly means one slot, and a write replaces what it holds. Any other may mean several, and a write
//! adds to each of them. Where a number is counted, a write also says by how much its distance grows.

use super::{Step, Stepper};
use crate::values;
use model::expr::{Expr, Place, Scope};
use model::flow_proof::{Values, is_smashed};
use model::network::Variable;

/// The slots that a place can mean.
pub(super) enum Target {
    Exactly(usize),
    OneOf(Vec<usize>),
}

impl<'a> Stepper<'a> {
    pub(crate) fn variables(&self, scope: Scope) -> &'a [Variable] {
        self.world.network.variables(scope, self.machine)
    }

    /// The elements that indices can mean, those out of range left out.
    fn elements(&self, step: &Step, variable: &Variable, indices: &[Expr]) -> Vec<usize> {
        let mut elements = vec![0usize];
        for (index, dimension) in indices.iter().zip(&variable.dimensions) {
            let values = values::meet(&self.eval(step, index), &values::range(0, dimension.len as i32 - 1));
            let Some((low, high)) = values::bounds(&values) else { return Vec::new() };
            let chosen: Vec<usize> =
                (low..=high).filter(|&n| values::contains(&values, n)).map(|n| n as usize).collect();
            let len = dimension.len as usize;
            elements = elements.iter().flat_map(|e| chosen.iter().map(move |i| e * len + i)).collect();
        }
        elements
    }

    pub(super) fn target(&self, step: &Step, place: &Place) -> Target {
        let variables = self.variables(place.scope);
        let variable = &variables[place.variable.index()];
        let slots = match place.scope {
            Scope::Global => &self.world.globals,
            Scope::Local => &self.info().slots,
        };
        if is_smashed(variable) {
            return Target::OneOf(vec![slots.slot(variables, place.variable.index(), 0)]);
        }
        let elements = self.elements(step, variable, &place.indices);
        let mut found: Vec<usize> =
            elements.iter().map(|&e| slots.slot(variables, place.variable.index(), e)).collect();
        match found.len() {
            1 => Target::Exactly(found.remove(0)),
            _ => Target::OneOf(found),
        }
    }

    /// The slot that a place means, if it is one scalar.
    pub(crate) fn one_slot(&self, step: &Step, place: &Place) -> Option<u32> {
        match self.target(step, place) {
            Target::Exactly(slot) => Some(slot as u32),
            Target::OneOf(_) => None,
        }
    }

    /// The slots that a place can mean, and whether it is one scalar.
    pub(crate) fn all_slots(&self, step: &Step, place: &Place) -> (Vec<u32>, bool) {
        match self.target(step, place) {
            Target::Exactly(slot) => (vec![slot as u32], true),
            Target::OneOf(slots) => (slots.iter().map(|&slot| slot as u32).collect(), false),
        }
    }

    pub(super) fn slot(&self, step: &Step, scope: Scope, slot: usize) -> Values {
        match scope {
            Scope::Local => step.locals[slot].clone(),
            Scope::Global => match step.shared.iter().find(|(s, _)| *s as usize == slot) {
                Some((_, values)) => values.clone(),
                None => {
                    self.seen.borrow_mut().globals.push(slot as u32);
                    self.facts.globals[slot].clone()
                }
            },
        }
    }

    pub(super) fn read(&self, step: &Step, place: &Place) -> Values {
        match self.target(step, place) {
            Target::Exactly(slot) => self.slot(step, place.scope, slot),
            Target::OneOf(slots) => {
                let each = slots.iter().map(|&slot| self.slot(step, place.scope, slot));
                values::union(each)
            }
        }
    }

    /// Stores values; `false` if there is no value, or no such place. `change` is the difference to the old value, if it
    /// is always the same.
    pub(super) fn write(&self, step: &mut Step, place: &Place, value: Values, change: Option<i32>) -> bool {
        if values::is_empty(&value) {
            return false;
        }
        let target = self.target(step, place);
        let ty = self.variables(place.scope)[place.variable.index()].ty;
        let stored = values::truncate(ty, value);
        let (slots, exact) = match target {
            Target::Exactly(slot) => (vec![slot], true),
            Target::OneOf(slots) if slots.is_empty() => return false,
            Target::OneOf(slots) => (slots, false),
        };
        for slot in slots {
            let old = self.slot(step, place.scope, slot);
            let new = if exact { stored.clone() } else { values::join(&old, &stored) };
            self.count(step, place.scope, slot, (&old, &new), change.filter(|_| exact), ty);
            match place.scope {
                Scope::Local => step.locals[slot] = new,
                Scope::Global => {
                    step.writes.push((slot as u32, stored.clone()));
                    step.shared.retain(|(s, _)| *s as usize != slot);
                    step.shared.push((slot as u32, new));
                }
            }
        }
        true
    }

    /// By how much the distances of counted numbers can grow.
    fn count(
        &self,
        step: &mut Step,
        scope: Scope,
        slot: usize,
        (old, new): (&Values, &Values),
        change: Option<i32>,
        ty: model::network::ScalarType,
    ) {
        for (index, number) in self.numbers.iter().enumerate() {
            if number.slot as usize != slot || number.instance.is_some() != (scope == Scope::Local) {
                continue;
            }
            let (Some((low, high)), Some((m, k))) = (values::bounds(old), values::bounds(new)) else { continue };
            let (low, high, m, k) = (i64::from(low), i64::from(high), i64::from(m), i64::from(k));
            let fits = |c: i64| {
                let whole = values::bounds(&values::of_type(ty)).unwrap_or((0, 0));
                i64::from(whole.0) <= low + c && high + c <= i64::from(whole.1)
            };
            let rise = match change.map(i64::from).filter(|&c| fits(c)) {
                Some(c) if number.upwards => -c,
                Some(c) => c,
                None if number.upwards => high - m,
                None => k - low,
            };
            step.growth[index] += rise;
        }
    }
}
