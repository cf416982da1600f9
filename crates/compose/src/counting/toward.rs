//! A search that goes toward a state: first where the components, each alone, have the fewest steps left,
//! and of several such states at the newest.

use crate::lts::Lts;
use crate::meter::Meter;
use crate::problem::Problem;
use crate::product::{Path, Successors};
use crate::search::{NO_PARENT, path_to};
use crate::table::Table;
use model::verdict::Reason;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A path to the state, or to another one that shows the same.
pub(super) fn search(problem: &Problem<'_>, target: &[u32], meter: &Meter<'_>) -> Result<Option<Path>, Reason> {
    let product = problem.product();
    let distances: Vec<Vec<u64>> =
        problem.leaves.iter().zip(target).map(|(leaf, &target)| distances(&leaf.lts, target)).collect();
    let left = |state: &[u32]| distances.iter().zip(state).map(|(own, &at)| own[at as usize]).sum::<u64>();
    let is_done = |state: &[u32]| problem.leaves.iter().zip(state).all(|(leaf, &at)| leaf.done[at as usize]);
    let mut table = Table::new(product.parts.iter().map(|part| part.states()));
    let (mut parents, mut waiting) = (Vec::new(), BinaryHeap::new());
    product.initial(|state| {
        let (number, new) = table.insert(state);
        if new {
            parents.push(NO_PARENT);
            waiting.push((Reverse(left(state)), number));
        }
        Ok(())
    })?;
    let (mut state, mut successors) = (Vec::new(), Successors::default());
    while let Some((_, at)) = waiting.pop() {
        table.get(at, &mut state);
        product.expand(&state, &mut successors)?;
        meter.spend(1 + successors.len())?;
        if problem.is_deadlock() && successors.is_empty() && !product.is_wrong(&state) && !is_done(&state) {
            return path_to(&product, &table, &parents, at).map(Some);
        }
        for (_, next) in successors.iter() {
            let (number, new) = table.insert(next);
            if new {
                parents.push(at);
                meter.store(table.len(), table.bytes() + parents.len() * 20)?;
                if !problem.is_deadlock() && product.is_wrong(next) {
                    return path_to(&product, &table, &parents, number).map(Some);
                }
                waiting.push((Reverse(left(next)), number));
            }
        }
    }
    Ok(None)
}

/// How many steps each state of a component is from one of them, at least.
fn distances(lts: &Lts, target: u32) -> Vec<u64> {
    /// From here it does not get there.
    const FAR: u64 = 1 << 20;
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); lts.states()];
    for (from, moves) in (0u32..).zip(&lts.moves) {
        moves.iter().for_each(|&(_, to)| before[to as usize].push(from));
    }
    let mut distance = vec![FAR; lts.states()];
    distance[target as usize] = 0;
    let mut work = VecDeque::from([target]);
    while let Some(state) = work.pop_front() {
        for &earlier in &before[state as usize] {
            if distance[earlier as usize] == FAR {
                distance[earlier as usize] = distance[state as usize] + 1;
                work.push_back(earlier);
            }
        }
    }
    distance
}
