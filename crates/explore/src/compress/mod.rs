//! States in a few bytes each, whatever their length: shared pieces, packed states, and the table of them.
//!
//! * [`Pieces`] names strings of sixteen bytes, for all threads.
//! * [`Packer`] turns a state into two such names, looking up only what a step has changed.
//! * [`PackedTable`] is the set of packed states, with numbers in the order in which they are found.
//!
//! Nothing is lost: two states are the same exactly if their names are.

mod packer;
mod pieces;
mod table;

pub(crate) use packer::{CROWDED, Packer};
pub use pieces::Pieces;
pub(crate) use table::{Entry, PackedTable};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{NO_PARENT, StateId};
    use std::collections::HashMap;
    use std::sync::Arc;

    /// A source of numbers below a bound.
    fn random(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut random = testing::Random::new(seed);
        move |bound| random.below(bound)
    }

    #[test]
    fn packed_states_are_told_apart_and_come_back() {
        let mut random = random(0x5eed);
        let pieces = Arc::new(Pieces::default());
        let mut packer = Packer::new(Arc::clone(&pieces));
        let mut table = PackedTable::default();
        let mut naive: HashMap<Vec<u8>, StateId> = HashMap::new();
        let mut order: Vec<Vec<u8>> = Vec::new();
        let mut bytes = Vec::new();
        for round in 0..4_000 {
            let longest = [3, 20, 40, 70, 130, 400, 3_000][round % 7];
            let mut state: Vec<u8> = (0..random(longest)).map(|_| random(3) as u8).collect();
            if let (Some(known), true) = (order.get(random(order.len() as u64 + 1) as usize), random(2) == 0) {
                // What follows is compared with this one, and differs a little.
                packer.open(table.get(naive[known]), &mut bytes);
                assert_eq!(bytes, *known);
                state.clone_from(known);
            }
            for _ in 0..random(4) {
                for _ in 0..random(3) {
                    let at = random(state.len() as u64 + 1) as usize;
                    match random(3) {
                        0 => state.insert(at, random(3) as u8),
                        1 if at < state.len() => drop(state.remove(at)),
                        _ => state.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1),
                    }
                }
                packer.push(&state, NO_PARENT);
                if !naive.contains_key(&state) {
                    naive.insert(state.clone(), order.len() as StateId);
                    order.push(state.clone());
                }
            }
            let mut batch = Vec::new();
            assert!(packer.settle(|entry| batch.push(entry)) && table.insert_all(&batch));
            assert_eq!(table.len(), order.len());
            if packer.is_crowded() {
                pieces.grow_if_due(CROWDED);
                packer.refresh();
            }
        }
        for (id, state) in order.iter().enumerate() {
            packer.open(table.get(id as StateId), &mut bytes);
            assert_eq!(bytes, *state);
        }
    }

    #[test]
    fn threads_give_the_same_name_to_the_same_state() {
        let pieces = Arc::new(Pieces::default());
        let named = |seed: u64| {
            let (mut packer, mut random) = (Packer::new(Arc::clone(&pieces)), random(seed));
            let mut names = Vec::new();
            for _ in 0..3_000 {
                let state: Vec<u8> = std::iter::repeat_n(random(5) as u8, random(60) as usize).collect();
                packer.push(&state, NO_PARENT);
                assert!(packer.settle(|entry| names.push((state.clone(), format!("{entry:?}")))));
            }
            names
        };
        let named = &named;
        let mut known: HashMap<Vec<u8>, String> = HashMap::new();
        let all = std::thread::scope(|scope| {
            let handles: Vec<_> = (1..5).map(|seed| scope.spawn(move || named(seed))).collect();
            handles.into_iter().flat_map(|handle| handle.join().expect("a thread that ends")).collect::<Vec<_>>()
        });
        for (state, name) in all {
            assert_eq!(*known.entry(state).or_insert_with(|| name.clone()), name);
        }
    }
}
