//! The configurations that were listed, and which of them can still discharge an obligation.

use super::Kind;
use crate::search::Search;
use crate::space::Space;
use queues::Limit;
use rustc_hash::FxHashSet as HashSet;

/// So many candidates are given at most.
const MOST_CANDIDATES: usize = 24;
/// What a move takes, roughly.
const MOVE_BYTES: usize = 20;

/// A move, losses apart.
struct Move {
    from: u32,
    to: u32,
    /// What it discharges; [`NOTHING`].
    discharges: u32,
}

const NOTHING: u32 = u32::MAX;

/// All moves between configurations.
pub(super) struct Graph {
    /// By the configuration that they lead to.
    moves: Vec<Move>,
    /// By configuration, where the moves that lead to it begin; and the end of the last.
    into: Vec<u32>,
    /// By obligation: where it is open.
    open: Vec<Vec<u32>>,
    /// How many configurations were expanded: the first ones.
    expanded: usize,
    count: usize,
}

impl Graph {
    pub(super) fn new(space: &mut Space<'_>, search: &Search, kind: Kind) -> Result<Graph, Limit> {
        let (count, expanded) = search.size();
        let (machines, obligations) = (space.system.machines.len(), kind.count(space.system));
        let mut listed = Vec::new();
        let mut open = vec![Vec::new(); obligations];
        for from in 0..expanded as u32 {
            space.languages.spend(1 + obligations)?;
            let word = search.word(from);
            for (obligation, open) in open.iter_mut().enumerate() {
                let is_open = match kind {
                    Kind::Machines => !space.leaving[obligation][usize::from(word[obligation])].is_empty(),
                    Kind::Channels => word[machines + obligation] > 0,
                };
                if is_open {
                    open.push(from);
                }
            }
            search.moves(space, from, &mut |machine, op, to| {
                let discharges = kind.discharged(machine, op).map_or(NOTHING, |obligation| obligation as u32);
                listed.push(Move { from, to, discharges });
            })?;
        }
        space.languages.spend(listed.len())?;
        space.languages.keep(listed.len() * MOVE_BYTES)?;
        let (moves, into) = by_target(listed, count);
        space.languages.give_back(moves.len() * MOVE_BYTES);
        Ok(Graph { moves, into, open, expanded, count })
    }

    /// Where all of these can be reached from, by moves.
    fn backwards(&self, from: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut reached = vec![false; self.count];
        let mut work = Vec::new();
        let mut reach = |at: u32, work: &mut Vec<u32>| {
            if !std::mem::replace(&mut reached[at as usize], true) {
                work.push(at);
            }
        };
        from.for_each(|at| reach(at, &mut work));
        while let Some(at) = work.pop() {
            let into = &self.moves[self.into[at as usize] as usize..self.into[at as usize + 1] as usize];
            into.iter().for_each(|step| reach(step.from, &mut work));
        }
        reached
    }

    /// From where an obligation can be discharged, by what is listed.
    fn able(&self, obligation: usize) -> Vec<bool> {
        let discharging = self.moves.iter().filter(|step| step.discharges == obligation as u32);
        self.backwards(discharging.map(|step| step.from))
    }

    /// What may lead to configurations that were not expanded.
    fn unknown(&self) -> Vec<bool> {
        self.backwards(self.expanded as u32..self.count as u32)
    }

    /// The first configuration in which an obligation is open that is never discharged.
    pub(super) fn stuck(&self) -> Option<u32> {
        let unknown = self.unknown();
        let first = |obligation: usize| {
            let able = self.able(obligation);
            self.open[obligation].iter().copied().find(|&at| !able[at as usize] && !unknown[at as usize])
        };
        (0..self.open.len()).filter_map(first).min()
    }

    /// Configurations in which an obligation is open that nothing listed discharges, with different control states.
    pub(super) fn candidates(&self, space: &Space<'_>, search: &Search) -> Vec<u32> {
        let machines = space.system.machines.len();
        let mut candidates = Vec::new();
        for obligation in 0..self.open.len() {
            let (able, mut seen) = (self.able(obligation), HashSet::default());
            let unable = self.open[obligation].iter().copied().filter(|&at| !able[at as usize]);
            let fresh = unable.filter(|&at| seen.insert(search.word(at)[..machines].to_vec()));
            candidates.extend(fresh.take(MOST_CANDIDATES / self.open.len() + 1));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }
}

/// Moves by their target, with the places where those of each target begin.
fn by_target(listed: Vec<Move>, count: usize) -> (Vec<Move>, Vec<u32>) {
    let mut into = vec![0u32; count + 1];
    listed.iter().for_each(|step| into[step.to as usize + 1] += 1);
    for at in 0..count {
        into[at + 1] += into[at];
    }
    let mut moves = listed;
    moves.sort_unstable_by_key(|step| step.to);
    (moves, into)
}
