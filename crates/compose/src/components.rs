//! Strongly connected components (Tarjan, without recursion).

use crate::meter::Meter;
use model::verdict::Reason;

/// The number of a node that is left out.
pub(crate) const NONE: u32 = u32::MAX;

/// The number of each node's component, components that others lead to first, and how many there are. Nodes that are not
/// `kept` are in none. A step is something, and the node that it leads to.
pub(crate) fn components<'a, T: 'a>(
    count: usize,
    kept: &dyn Fn(u32) -> bool,
    steps: &dyn Fn(u32) -> &'a [(T, u32)],
    meter: &Meter<'_>,
) -> Result<(Vec<u32>, usize), Reason> {
    let (mut component, mut index, mut low) = (vec![NONE; count], vec![NONE; count], vec![0u32; count]);
    let (mut stack, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let (mut next, mut found) = (0, 0);
    for root in (0..count as u32).filter(|&root| kept(root)) {
        if index[root as usize] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (state, ref mut at)) = path.last_mut() {
            let own = state as usize;
            if index[own] == NONE {
                (index[own], low[own]) = (next, next);
                next += 1;
                stack.push(state);
            }
            let mut deeper = None;
            while let Some(&(_, to)) = steps(state).get(*at) {
                if index[to as usize] == NONE && kept(to) {
                    deeper = Some(to);
                    break;
                }
                if component[to as usize] == NONE && kept(to) {
                    low[own] = low[own].min(index[to as usize]);
                }
                *at += 1;
            }
            meter.spend(1)?;
            if let Some(to) = deeper {
                path.push((to, 0));
                // The step is looked at again when the state below is done.
                continue;
            }
            path.pop();
            if low[own] == index[own] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = found;
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
            if let Some(&(above, _)) = path.last() {
                low[above as usize] = low[above as usize].min(low[own]);
            }
        }
    }
    Ok((component, found as usize))
}
