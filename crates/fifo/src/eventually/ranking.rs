//! Rankings of invariants: see [`model::queue_ranking`] for what one is.
//!
//! For an obligation, let `U` be the configurations of the invariant in which it is open, and `R` those that have a rank. The
//! first stage ranks what discharges it at once. A stage that drains nothing adds layer after layer of what one transition
//! leads into `R`. Where that does not come to an end, because contents of any length need that many transitions, a channel is
//! drained: `νX. μY.` the configurations of `U` from which a transition leads into `R`, or takes a message from the channel and
//! leads into `X`, or sends none to it and leads into `Y`. So each round takes a message, and then something is done again
//! that ends in a finite number of layers.
//!
//! An invariant that is too coarse has configurations from which nothing leads on, and is then replaced by a more precise one.

use super::Kind;
use crate::absint::AbsInt;
use crate::method::{Answer, Technique};
use crate::proof::Automata;
use crate::space::{Control, Move, Space};
use crate::system::Op;
use model::context::Context;
use model::queue_proof::{QueueEntry, QueueProof};
use model::queue_ranking::{QueueRanking, Region, Stage};
use queues::{Bisimulation, Direction, Extrapolation, Language, Limit};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The precisions of invariants that are tried.
const PRECISIONS: [u32; 4] = [1, 2, 3, 4];
/// The most layers of a stage, and rounds of the outer fixpoint.
const LAYERS: u32 = 40;
const ROUNDS: usize = 24;
/// More stages than this are not tried.
const STAGES: usize = 24;
/// Steps of work for an invariant and its ranking.
const STEPS: u64 = 20_000_000;

/// Sets by control state; what is not there is empty.
type Sets = BTreeMap<Control, Language>;

/// An invariant with a ranking, and how it was found.
pub(super) fn find(
    space: &mut Space<'_>,
    kind: Kind,
    cx: &Context<'_>,
) -> Result<Option<(QueueRanking, String)>, Limit> {
    let limits = space.languages.limits().clone();
    for k in PRECISIONS {
        let steps = space.languages.steps().saturating_add(STEPS).min(limits.steps);
        space.languages.set_limits(queues::Limits { steps, ..limits.clone() });
        let extrapolation: Arc<dyn Extrapolation> = Arc::new(Bisimulation::rho(Direction::Both));
        let mut method = AbsInt::at(k, extrapolation);
        let found = attempt(space, kind, &mut method, cx);
        space.languages.set_limits(limits.clone());
        match found {
            Ok(Some(proof)) => return Ok(Some((proof, format!("a ranking, {}", method.name())))),
            Ok(None) => {}
            Err(Limit::Steps | Limit::States) if limits.steps > space.languages.steps() => {}
            Err(limit) => return Err(limit),
        }
    }
    Ok(None)
}

fn attempt(
    space: &mut Space<'_>,
    kind: Kind,
    method: &mut AbsInt,
    cx: &Context<'_>,
) -> Result<Option<QueueRanking>, Limit> {
    let Answer::Safe(reached) = method.advance(space, cx)? else { return Ok(None) };
    let mut proof = QueueRanking::default();
    let mut automata = Automata::default();
    for obligation in 0..kind.count(space.system) {
        let mut ranked =
            Ranked { space, kind, obligation, covered: Sets::new(), left: Sets::new(), stages: Vec::new() };
        ranked.begin(&reached)?;
        if !ranked.finish()? {
            return Ok(None);
        }
        let stages = ranked.stages;
        proof.obligations.push(stages.into_iter().map(|stage| stage.written(space, &mut automata)).collect());
    }
    let entry = |&(control, set): &(Control, Language)| QueueEntry {
        control: space.states(control).to_vec(),
        automaton: automata.number(&space.languages, set),
    };
    let entries = reached.iter().map(entry).collect();
    proof.invariant = QueueProof { automata: automata.all, entries, ..QueueProof::default() };
    Ok(Some(proof))
}

/// Configurations that take the same move.
#[derive(Clone)]
struct Piece {
    control: Control,
    set: Language,
    step: Move,
    layer: u32,
}

/// Pieces with a rank of their own.
struct Pieces {
    drains: Option<usize>,
    pieces: Vec<Piece>,
}

impl Pieces {
    fn written(self, space: &Space<'_>, automata: &mut Automata) -> Stage {
        let region = |piece: Piece| {
            let control = space.states(piece.control).to_vec();
            let leaving = &space.leaving[piece.step.machine as usize][control[piece.step.machine as usize] as usize];
            let transition = leaving.iter().position(|&at| at == piece.step.transition).unwrap_or_default();
            Region {
                control,
                automaton: automata.number(&space.languages, piece.set),
                machine: piece.step.machine,
                transition: transition as u32,
                layer: piece.layer,
            }
        };
        Stage {
            drains: self.drains.map(|channel| channel as u32),
            regions: self.pieces.into_iter().map(region).collect(),
        }
    }
}

struct Ranked<'s, 'a> {
    space: &'s mut Space<'a>,
    kind: Kind,
    obligation: usize,
    /// What has a rank, and what is open and has none.
    covered: Sets,
    left: Sets,
    stages: Vec<Pieces>,
}

impl Ranked<'_, '_> {
    /// What is open, and the first stage: what discharges it.
    fn begin(&mut self, reached: &[(Control, Language)]) -> Result<(), Limit> {
        for &(control, set) in reached {
            let open = match self.kind {
                Kind::Machines => {
                    let state = self.space.states(control)[self.obligation];
                    let ended = self.space.leaving[self.obligation][state as usize].is_empty();
                    if ended { self.space.languages.empty() } else { set }
                }
                Kind::Channels => {
                    let dry = self.space.languages.empty_channel(self.obligation)?;
                    self.space.languages.difference(set, dry)?
                }
            };
            if !self.space.languages.is_empty(open) {
                self.left.insert(control, open);
            }
        }
        let all = self.space.universe;
        let mut pieces = Vec::new();
        for (control, step) in self.moves()? {
            if self.kind.discharged(step.machine as usize, step.op) == Some(self.obligation) {
                let enabled = self.before(step.op, all)?;
                self.add((control, step, 0), enabled, &mut pieces)?;
            }
        }
        self.close(None, pieces)
    }

    /// The moves of control states where something has no rank.
    fn moves(&mut self) -> Result<Vec<(Control, Move)>, Limit> {
        let mut all = Vec::new();
        for (control, set) in self.left.clone() {
            all.extend(self.space.moves_with(control, set)?.into_iter().map(|step| (control, step)));
        }
        Ok(all)
    }

    /// The contents with which an operation is possible that leads into a set.
    fn before(&mut self, op: Op, set: Language) -> Result<Language, Limit> {
        match op {
            Op::Internal => Ok(set),
            Op::Send(channel, message) => self.space.languages.unsend(set, channel, message),
            Op::Receive(channel, message) => self.space.languages.unreceive(set, channel, message),
        }
    }

    fn of(&self, sets: &Sets, control: Control) -> Language {
        sets.get(&control).copied().unwrap_or(self.space.languages.empty())
    }

    /// Adds what of a set is left, and in no piece of its control state yet.
    fn add(
        &mut self,
        (control, step, layer): (Control, Move, u32),
        set: Language,
        pieces: &mut Vec<Piece>,
    ) -> Result<bool, Limit> {
        let mut fresh = self.space.languages.intersection(set, self.of(&self.left, control))?;
        for piece in pieces.iter().filter(|piece| piece.control == control) {
            fresh = self.space.languages.difference(fresh, piece.set)?;
        }
        let some = !self.space.languages.is_empty(fresh);
        if some {
            pieces.push(Piece { control, set: fresh, step, layer });
        }
        Ok(some)
    }

    /// Gives pieces their rank.
    fn close(&mut self, drains: Option<usize>, pieces: Vec<Piece>) -> Result<(), Limit> {
        for piece in &pieces {
            let (covered, left) = (self.of(&self.covered, piece.control), self.of(&self.left, piece.control));
            let covered = self.space.languages.union(covered, piece.set)?;
            let left = self.space.languages.difference(left, piece.set)?;
            self.covered.insert(piece.control, covered);
            self.left.insert(piece.control, left);
        }
        self.left.retain(|_, set| *set != self.space.languages.empty());
        if !pieces.is_empty() {
            self.stages.push(Pieces { drains, pieces });
        }
        Ok(())
    }

    /// Whether everything gets a rank.
    fn finish(&mut self) -> Result<bool, Limit> {
        for _ in 0..STAGES {
            if self.left.is_empty() {
                return Ok(true);
            }
            let before = self.left.clone();
            if self.approach()? {
                continue;
            }
            for channel in 0..self.space.system.channels {
                self.drain(channel)?;
            }
            if self.left == before {
                return Ok(false);
            }
        }
        Ok(self.left.is_empty())
    }

    /// A stage that drains nothing; whether it came to an end by itself with everything ranked.
    fn approach(&mut self) -> Result<bool, Limit> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut reached = self.covered.clone();
        for layer in 0..LAYERS {
            let known = pieces.len();
            for (control, step) in self.moves()? {
                let before = self.before(step.op, self.of(&reached, step.target))?;
                self.add((control, step, layer), before, &mut pieces)?;
            }
            if pieces.len() == known {
                break;
            }
            for piece in &pieces[known..] {
                let both = self.space.languages.union(self.of(&reached, piece.control), piece.set)?;
                reached.insert(piece.control, both);
            }
        }
        // What is finite is ranked by now; else a channel is drained first, since its layers would have no end.
        let mut whole = self.left.clone();
        for piece in &pieces {
            let left = self.space.languages.difference(self.of(&whole, piece.control), piece.set)?;
            whole.insert(piece.control, left);
        }
        let done = whole.values().all(|&set| self.space.languages.is_empty(set));
        let ends = pieces.last().is_some_and(|piece| piece.layer + 1 < LAYERS);
        if done || ends {
            self.close(None, pieces)?;
        }
        Ok(done)
    }

    /// A stage that drains a channel.
    fn drain(&mut self, channel: usize) -> Result<(), Limit> {
        let mut kept = self.left.clone();
        for _ in 0..ROUNDS {
            let pieces = self.round(channel, &kept)?;
            let mut sets = Sets::new();
            for piece in &pieces {
                let both = self.space.languages.union(self.of(&sets, piece.control), piece.set)?;
                sets.insert(piece.control, both);
            }
            if sets.is_empty() {
                return Ok(());
            }
            if sets == kept {
                return self.close(Some(channel), pieces);
            }
            kept = sets;
        }
        Ok(())
    }

    /// What of some sets is ranked if all of them can be come back to with a message less.
    fn round(&mut self, channel: usize, kept: &Sets) -> Result<Vec<Piece>, Limit> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut reached = Sets::new();
        for layer in 0..LAYERS {
            let known = pieces.len();
            for (control, step) in self.moves()? {
                let mut into = self.of(&self.covered, step.target);
                match step.op {
                    Op::Receive(from, _) if from == channel => {
                        into = self.space.languages.union(into, self.of(kept, step.target))?;
                    }
                    Op::Send(to, _) if to == channel => {}
                    _ => into = self.space.languages.union(into, self.of(&reached, step.target))?,
                }
                let before = self.before(step.op, into)?;
                let before = self.space.languages.intersection(before, self.of(kept, control))?;
                self.add((control, step, layer), before, &mut pieces)?;
            }
            if pieces.len() == known {
                break;
            }
            for piece in &pieces[known..] {
                let both = self.space.languages.union(self.of(&reached, piece.control), piece.set)?;
                reached.insert(piece.control, both);
            }
        }
        Ok(pieces)
    }
}
