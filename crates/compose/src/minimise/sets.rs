//! Ready sets, each kept once and known by its number.

use crate::lts::END;
use std::collections::HashMap;

/// Sets of events, in order.
#[derive(Debug, Default)]
pub(crate) struct Sets {
    sets: Vec<Box<[u32]>>,
    numbers: HashMap<Box<[u32]>, u32>,
}

impl Sets {
    pub(crate) fn number(&mut self, set: Vec<u32>) -> u32 {
        let set = set.into_boxed_slice();
        if let Some(&known) = self.numbers.get(&set) {
            return known;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }

    pub(crate) fn get(&self, number: u32) -> &[u32] {
        &self.sets[number as usize]
    }

    /// Leaves only the smallest sets: one that includes another says nothing more.
    pub(crate) fn leave_smallest(&self, numbers: &mut Vec<u32>) {
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() > 1 {
            let all = numbers.clone();
            let includes_another = |&a: &u32| all.iter().any(|&b| a != b && includes(self.get(a), self.get(b)));
            numbers.retain(|number| !includes_another(number));
        }
    }
}

/// Whether a set includes another.
pub(crate) fn includes(all: &[u32], some: &[u32]) -> bool {
    some.len() <= all.len() && some.iter().all(|event| all.binary_search(event).is_ok())
}

/// What two parts are ready for together: none if something hidden can happen.
pub(crate) fn together(
    (a, alphabet_a): (&[u32], &[u32]),
    (b, alphabet_b): (&[u32], &[u32]),
    hidden: &[u32],
) -> Option<Vec<u32>> {
    let has = |set: &[u32], event: u32| set.binary_search(&event).is_ok();
    let alone_or_both = |&event: &u32| has(b, event) || event != END && !has(alphabet_b, event);
    let alone = |&event: &u32| event != END && !has(alphabet_a, event);
    let mut ready: Vec<u32> = a.iter().copied().filter(alone_or_both).collect();
    ready.extend(b.iter().copied().filter(alone));
    ready.sort_unstable();
    let can_move = ready.iter().any(|&event| has(hidden, event));
    (!can_move).then_some(ready)
}
