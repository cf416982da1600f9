//! A shortest circle in a graph of who waits for whom.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

/// From more lanes than this no circle is looked for.
const MOST_STARTS: usize = 256;

/// A shortest circle: each waits for the next, and the last for the first. Two that are equally short: the one that starts first.
pub fn shortest_circle(waits_for: &[Vec<usize>]) -> Option<Vec<usize>> {
    (0..waits_for.len().min(MOST_STARTS)).filter_map(|start| circle_from(waits_for, start)).min_by_key(Vec::len)
}

/// A shortest way from a lane back to itself.
fn circle_from(waits_for: &[Vec<usize>], start: usize) -> Option<Vec<usize>> {
    let mut before: HashMap<usize, usize> = HashMap::new();
    let mut work = VecDeque::from([start]);
    while let Some(at) = work.pop_front() {
        for &next in &waits_for[at] {
            if next == start {
                let mut way = vec![at];
                while let Some(&earlier) = way.last().filter(|&&last| last != start).and_then(|last| before.get(last)) {
                    way.push(earlier);
                }
                way.reverse();
                return Some(way);
            }
            if let Entry::Vacant(entry) = before.entry(next) {
                entry.insert(at);
                work.push_back(next);
            }
        }
    }
    None
}
