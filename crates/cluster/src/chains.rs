//! The end of a search: every process hears what all have counted and found, and gets the runs to violations.
//!
//! A state remembers the state that it was reached from, which may belong to another process. So a run is put together
//! backwards, in rounds: whoever owns its first state so far tells everyone the states before it, up to one of another
//! process. What went wrong at the end of a run is found out by expanding its last state again, in every process.

use crate::exchange::garbled;
use crate::search::{Count, Search};
use crate::totals::{self, Place, Totals};
use crate::wire::{Kind, Reader, Writer};
use explore::expansion::Problem;
use explore::partition::{StateRef, WorkerId};
use explore::search::{Found, Violation};
use model::semantics::Reached;
use model::verdict::Reason;
use std::collections::BTreeMap;

/// No more runs of one property than this are shown.
const MOST_RUNS: usize = 16;

/// A run that is being put together: its states, the last one first, and the one that comes next.
struct Chain {
    states: Vec<Vec<u8>>,
    next: Option<StateRef>,
    /// Only its last state is needed.
    last_only: bool,
}

/// Ends a search.
pub(crate) fn finish(mut search: Search<'_>) -> Result<Found, Reason> {
    let totals = exchange_totals(&mut search)?;
    let keep_going = search.options.keep_going;
    let mut problems: Vec<_> = totals.iter().flat_map(|part| part.problems.iter().copied()).collect();
    problems.sort_by_key(|&(.., place)| place);
    if !keep_going {
        // A search that ends at the first violation knows of one state.
        let first = problems.first().map(|&(.., place)| place);
        problems.retain(|&(.., place)| Some(place) == first);
    }
    let crash = totals.iter().filter_map(|part| part.crash).min();
    let places = problems.iter().map(|&(.., place)| (place, false));
    let mut chains: BTreeMap<Place, Chain> = BTreeMap::new();
    for ((layer, worker, id), last_only) in crash.map(|place| (place, true)).into_iter().chain(places) {
        let chain = Chain { states: Vec::new(), next: Some((worker, id)), last_only };
        chains.entry((layer, worker, id)).and_modify(|known| known.last_only &= last_only).or_insert(chain);
    }
    // Failures that are one are kept once.
    let mut kept: Vec<(usize, u64, Place)> = Vec::new();
    for &(property, same, place) in &problems {
        let own = || kept.iter().filter(|(other, ..)| *other == property);
        if own().count() < MOST_RUNS && own().all(|(_, known, _)| *known != same) {
            kept.push((property, same, place));
        }
    }
    chains.retain(|place, _| Some(*place) == crash || kept.iter().any(|(.., known)| known == place));
    put_together(&mut search, &mut chains)?;
    let mut found = summed(&search, &totals)?;
    if let Some(chain) = crash.and_then(|place| chains.get(&place)) {
        examine(&mut search, chain)?;
        found.crashed = search.expander.crashed.take();
    }
    for (property, same, place) in kept {
        let chain = chains.get(&place).ok_or_else(garbled)?;
        let property = search.options.properties[property].clone();
        let problem = examine(&mut search, chain)?.into_iter().find(|p| p.property == property && p.same == same);
        let problem = problem.ok_or_else(garbled)?;
        let states: Vec<Vec<u8>> = chain.states.iter().rev().cloned().collect();
        let run = search.expander.run_along(&states, &problem.last_steps);
        found.runs.push(run);
        found.violations.push(Violation { property, fault: problem.fault });
    }
    search.exchange.close();
    Ok(found)
}

/// What is wrong at the end of a run.
fn examine(search: &mut Search<'_>, chain: &Chain) -> Result<Vec<Problem>, Reason> {
    let (state, budget) = (chain.states.first().ok_or_else(garbled)?, search.cx.budget);
    search.expander.crashed = None;
    let expanded = search.expander.expand(state, &mut |_: &[u8]| (), &mut || budget.room(0, 0).err());
    expanded.map_err(|unfinished| unfinished.reason())?;
    Ok(std::mem::take(&mut search.expander.problems))
}

/// Every process hears from all others what they have counted.
fn exchange_totals(search: &mut Search<'_>) -> Result<Vec<Totals>, Reason> {
    let mut parcel = search.parcel(Kind::Totals);
    totals::write(search, &mut parcel);
    search.exchange.broadcast(&parcel.0);
    let mut found: BTreeMap<WorkerId, Totals> = BTreeMap::new();
    search.round(|search, bytes| {
        let (head, mut reader) = Reader::open(bytes).ok_or_else(garbled)?;
        let properties = search.options.properties.len();
        let totals = totals::read(&mut reader, head.source, properties).filter(|_| head.kind == Kind::Totals);
        found.insert(head.source, totals.ok_or_else(garbled)?);
        Ok(())
    })?;
    if found.len() == search.exchange.count { Ok(found.into_values().collect()) } else { Err(garbled()) }
}

/// What all processes have counted together, without runs.
fn summed(search: &Search<'_>, totals: &[Totals]) -> Result<Found, Reason> {
    let mut found = crate::nothing(Reason::StoppedEarly);
    found.stopped = search.stopped.clone();
    let (mut digest, mut reached) = (0u128, vec![false; totals.first().map_or(0, |part| part.reached.len())]);
    let mut counts = vec![Count::default(); search.options.properties.len()];
    for part in totals {
        found.stats.states += part.stats.states;
        found.stats.transitions += part.stats.transitions;
        found.stats.depth = found.stats.depth.max(part.stats.depth);
        found.stats.state_bytes += part.stats.state_bytes;
        found.stats.memory_bytes += part.stats.memory_bytes;
        found.alone += part.alone;
        digest = digest.wrapping_add(part.digest);
        reached.iter_mut().zip(&part.reached).for_each(|(all, part)| *all |= part);
        for (all, part) in counts.iter_mut().zip(&part.counts) {
            all.times += part.times;
            all.failures.extend(&part.failures);
        }
    }
    if found.stopped.is_none() {
        found.digest = Some(digest);
        found.reached = Some(Reached::restore(search.semantics, reached).ok_or_else(garbled)?);
    }
    let counts = search.options.properties.iter().zip(counts).filter(|(_, count)| count.times > 0);
    found.counts = counts.map(|(p, count)| (p.clone(), count.times, count.failures.len() as u64)).collect();
    Ok(found)
}

/// Rounds until all runs are complete.
fn put_together(search: &mut Search<'_>, chains: &mut BTreeMap<Place, Chain>) -> Result<(), Reason> {
    while chains.values().any(|chain| chain.next.is_some()) {
        let mut body = Writer::default();
        for (index, chain) in chains.values().enumerate() {
            if let Some(at) = chain.next.filter(|(owner, _)| usize::from(*owner) == search.exchange.process) {
                body.number(index as u64);
                write_part(search, at, chain.last_only, &mut body);
            }
        }
        for target in (0..search.exchange.count).filter(|_| !body.0.is_empty()) {
            let mut parcel = search.parcel(Kind::Chain);
            search.dictionary.tell(target, &mut parcel);
            parcel.0.extend_from_slice(&body.0);
            search.exchange.send(target, parcel.0);
        }
        search.round(|search, bytes| take_parts(search, bytes, chains))?;
    }
    Ok(())
}

/// Writes the states of a run from one of this process back to one that was reached from another process.
fn write_part(search: &mut Search<'_>, mut at: StateRef, last_only: bool, writer: &mut Writer) {
    let mut states = Writer::default();
    let mut count = 0;
    let next = loop {
        search.write_state(at, &mut states);
        count += 1;
        match search.partition.parent(at.1).filter(|_| !last_only) {
            Some(parent) if parent.0 == at.0 => at = parent,
            other => break other,
        }
    };
    writer.number(count);
    writer.0.append(&mut states.0);
    writer.number(next.is_some().into());
    if let Some((owner, id)) = next {
        writer.number(owner.into());
        writer.number(id.into());
    }
}

fn take_parts(search: &mut Search<'_>, bytes: &[u8], chains: &mut BTreeMap<Place, Chain>) -> Result<(), Reason> {
    let (head, mut reader) = Reader::open(bytes).ok_or_else(garbled)?;
    let translation = search.translations.get_mut(usize::from(head.source)).ok_or_else(garbled)?;
    let mut read = || {
        translation.learn(search.semantics, &mut reader)?;
        while !reader.is_empty() {
            let chain = chains.values_mut().nth(reader.small()?)?;
            for _ in 0..reader.number()? {
                let mut state = Vec::new();
                translation.translate(reader.bytes()?, &mut state)?;
                chain.states.push(state);
            }
            chain.next = if reader.number()? == 0 { None } else { Some((reader.small()?, reader.small()?)) };
        }
        Some(())
    };
    if head.kind == Kind::Chain { read().ok_or_else(garbled) } else { Err(garbled()) }
}
