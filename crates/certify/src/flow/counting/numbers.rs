//! Numbers: distances from a limit, which rankings may weigh. No value that the abstraction allows is beyond the limit, so no
//! distance is negative.

use super::ghosts::Affine;
use super::{Ledger, held, type_of};
use crate::Refusal;
use crate::flow::knowledge::{Knowledge, Reader, Target};
use crate::flow::shape::Ground;
use crate::flow::values;
use model::expr::Scope;
use model::flow_proof::{Number, Values};
use std::collections::HashMap;

/// The numbers of a slot of an instance, or of a shared one.
pub(super) type BySlot = HashMap<(Option<u32>, u32), Vec<u32>>;

/// Looks at the numbers of the proof, and finds them by slot.
pub(super) fn look_at(ground: &Ground<'_>) -> Result<BySlot, Refusal> {
    let mut found = BySlot::new();
    for (index, number) in (0u32..).zip(&ground.abstraction.numbers) {
        let inside = |values: &Values| {
            let least = values::extent(values).map(|extent| distances(number, extent).0);
            values::is_none(values) || least.is_some_and(|least| least >= 0)
        };
        let is_number = type_of(ground, number.instance, number.slot).is_some();
        if !is_number || !held(ground, number.instance, number.slot).all(inside) {
            return Err(Refusal::Malformed(format!("number {index} is not counted up to its limit")));
        }
        found.entry((number.instance, number.slot)).or_default().push(index);
    }
    Ok(found)
}

/// The least and the greatest distance of these values.
fn distances(number: &Number, (low, high): (i32, i32)) -> (i64, i64) {
    let [low, high, limit] = [low, high, number.limit].map(i64::from);
    if number.upwards { (limit - high, limit - low) } else { (low - limit, high - limit) }
}

/// The greatest distance of a number at the start, or when its instance is created.
pub(super) fn first_distance(ground: &Ground<'_>, globals: &[Values], number: &Number) -> i64 {
    let slot = number.slot as usize;
    let held: Vec<&Values> = match number.instance {
        None => vec![&globals[slot]],
        Some(id) => {
            let instance = ground.instance(id);
            instance.first.iter().map(|&node| &instance.nodes[node as usize].values[slot]).collect()
        }
    };
    let extents = held.into_iter().filter_map(values::extent);
    extents.map(|extent| distances(number, extent).1).max().unwrap_or(0)
}

impl Ledger {
    /// The path ends. When its process does, what a number was last stays, but its distance is not less than 0.
    pub(in crate::flow) fn close(&mut self, ground: &Ground<'_>, ended: bool) {
        let (id, node) = self.own;
        for (&index, growth) in self.growth.iter_mut().filter(|_| ended) {
            let number = &ground.abstraction.numbers[index as usize];
            if number.instance == Some(id) {
                let held = &ground.instance(id).nodes[node as usize].values[number.slot as usize];
                let least = values::extent(held).map_or(0, |extent| distances(number, extent).0);
                *growth = (*growth).max(-least);
            }
        }
        self.growth.retain(|_, growth| *growth != 0);
    }
}

impl Reader<'_> {
    /// The most that distances of numbers grow by a store: exactly, if a constant is added and no value wraps.
    pub(super) fn move_numbers(
        &self,
        known: &mut Knowledge,
        scope: Scope,
        target: &Target,
        (value, sum): (&Values, Option<&Affine>),
    ) {
        for &slot in &target.slots {
            let key = (self.owner(scope), slot as u32);
            for &index in self.ground.counting.numbers.get(&key).into_iter().flatten() {
                let number = &self.ground.abstraction.numbers[index as usize];
                let before = self.slot(known, scope, slot, target.ty);
                let after = if target.surely { value.clone() } else { values::join(&before, value) };
                let (Some(before), Some(after)) = (values::extent(&before), values::extent(&after)) else { continue };
                let (least, greatest) = values::extent(&values::of_type(target.ty)).unwrap_or((0, -1));
                let fits = |by: &i64| {
                    i64::from(least) <= i64::from(before.0) + by && i64::from(before.1) + by <= greatest.into()
                };
                let growth = match sum.and_then(|sum| sum.added_to(key)).filter(fits) {
                    Some(by) if number.upwards => -by,
                    Some(by) => by,
                    None => distances(number, after).1 - distances(number, before).0,
                };
                *known.ledger.growth.entry(index).or_default() += growth;
            }
        }
    }
}
