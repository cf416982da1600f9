//! What a process has counted and found: how it is told to the others, and kept in a checkpoint.

use crate::search::{Count, Problem, Search};
use crate::wire::{Reader, Writer};
use explore::partition::WorkerId;
use explore::table::StateId;
use model::verdict::SearchStats;

/// A place in the search, in the order in which one process alone would come to it.
pub(crate) type Place = (u64, WorkerId, StateId);

/// What a process has counted and found.
#[derive(Clone, Default)]
pub(crate) struct Totals {
    pub(crate) stats: SearchStats,
    pub(crate) alone: u64,
    pub(crate) digest: u128,
    pub(crate) crash: Option<Place>,
    pub(crate) reached: Vec<bool>,
    pub(crate) counts: Vec<Count>,
    /// Failures: the index of the property, what tells them apart, and where.
    pub(crate) problems: Vec<(usize, u64, Place)>,
}

/// What a process has counted since it began, and before, if it goes on from a checkpoint.
pub(crate) fn write(search: &Search<'_>, writer: &mut Writer) {
    let (partition, expander, before) = (&search.partition, &search.expander, &search.before);
    for n in [
        partition.len() as u64,
        expander.transitions + before.stats.transitions,
        search.depth,
        partition.state_bytes(),
        partition.memory_bytes(),
        expander.alone + before.alone,
    ] {
        writer.number(n);
    }
    writer.wide(expander.digest.wrapping_add(before.digest));
    writer.number(search.crash.is_some().into());
    if let Some((layer, id)) = search.crash {
        writer.number(layer);
        writer.number(id.into());
    }
    let earlier = before.reached.iter().copied().chain(std::iter::repeat(false));
    let reached = expander.stepper.reached().places().iter().zip(earlier);
    writer.bytes(&reached.map(|(&now, earlier)| (now || earlier).into()).collect::<Vec<u8>>());
    for count in &search.counts {
        writer.number(count.times);
        writer.number(count.failures.len() as u64);
        count.failures.iter().for_each(|&same| writer.wide(same.into()));
    }
    writer.number(search.problems.len() as u64);
    for problem in &search.problems {
        writer.number(problem.property as u64);
        writer.wide(problem.same.into());
        writer.number(problem.layer);
        writer.number(problem.at.into());
    }
}

pub(crate) fn read(reader: &mut Reader<'_>, source: WorkerId, properties: usize) -> Option<Totals> {
    let [states, transitions, depth, state_bytes, memory_bytes, alone] = {
        let mut all = [0; 6];
        for n in &mut all {
            *n = reader.number()?;
        }
        all
    };
    let stats = SearchStats { states, transitions, depth, state_bytes, memory_bytes, violations: 0 };
    let digest = reader.wide()?;
    let place = |reader: &mut Reader<'_>| Some((reader.number()?, source, reader.small()?));
    let crash = if reader.number()? == 0 { None } else { Some(place(reader)?) };
    let reached = reader.bytes()?.iter().map(|&here| here != 0).collect();
    let mut counts = vec![Count::default(); properties];
    for count in &mut counts {
        count.times = reader.number()?;
        for _ in 0..reader.number()? {
            count.failures.insert(u64::try_from(reader.wide()?).ok()?);
        }
    }
    let mut problems = Vec::new();
    for _ in 0..reader.number()? {
        let property = reader.small().filter(|&property: &usize| property < properties)?;
        let same = u64::try_from(reader.wide()?).ok()?;
        problems.push((property, same, place(reader)?));
    }
    Some(Totals { stats, alone, digest, crash, reached, counts, problems })
}

/// The process goes on with what it had counted before.
pub(crate) fn go_on(search: &mut Search<'_>, totals: Totals) {
    search.depth = totals.stats.depth;
    search.crash = totals.crash.map(|(layer, _, id)| (layer, id));
    let problem = |&(property, same, (layer, _, at)): &(usize, u64, Place)| Problem { property, same, layer, at };
    search.problems = totals.problems.iter().map(problem).collect();
    search.counts.clone_from(&totals.counts);
    search.before = totals;
}
