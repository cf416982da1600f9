//! Breadth-first search of a product, with a shortest path to what is looked for.

use crate::meter::Meter;
use crate::product::{Path, Product, Successors};
use crate::table::Table;
use model::verdict::Reason;

pub(crate) const NO_PARENT: u32 = u32::MAX;

/// A shortest path to a state that `wanted` accepts; it is also told whether the state has steps.
pub(crate) fn breadth_first(
    product: &Product<'_>,
    meter: &Meter<'_>,
    mut wanted: impl FnMut(&[u32], bool) -> bool,
) -> Result<Option<Path>, Reason> {
    let mut table = Table::new(product.parts.iter().map(|part| part.states()));
    let mut parents: Vec<u32> = Vec::new();
    let store = |table: &mut Table, parents: &mut Vec<u32>, state: &[u32], parent: u32| {
        if table.insert(state).1 {
            parents.push(parent);
            meter.store(table.len(), table.bytes() + parents.len() * 4)?;
        }
        Ok(())
    };
    product.initial(|state| store(&mut table, &mut parents, state, NO_PARENT))?;
    let (mut state, mut successors) = (Vec::new(), Successors::default());
    let mut at = 0;
    while (at as usize) < table.len() {
        table.get(at, &mut state);
        product.expand(&state, &mut successors)?;
        meter.spend(1 + successors.len())?;
        if wanted(&state, !successors.is_empty()) {
            return path_to(product, &table, &parents, at).map(Some);
        }
        for (_, next) in successors.iter() {
            store(&mut table, &mut parents, next, at)?;
        }
        at += 1;
    }
    Ok(None)
}

/// The path by which a state was found. What happened in a step is found again.
pub(crate) fn path_to(product: &Product<'_>, table: &Table, parents: &[u32], end: u32) -> Result<Path, Reason> {
    let mut numbers = vec![end];
    while let Some(&parent) = numbers.last().and_then(|&last| parents.get(last as usize))
        && parent != NO_PARENT
    {
        numbers.push(parent);
    }
    let mut path = Path::default();
    for &number in numbers.iter().rev() {
        let mut state = Vec::new();
        table.get(number, &mut state);
        path.states.push(state);
    }
    let mut successors = Successors::default();
    for pair in path.states.windows(2) {
        product.expand(&pair[0], &mut successors)?;
        let taken = successors.iter().find(|(_, next)| *next == pair[1]).map(|(step, _)| step);
        path.steps.extend(taken);
    }
    Ok(path)
}
