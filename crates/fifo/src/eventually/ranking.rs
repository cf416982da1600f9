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
/// The most layers of a stage that drains nothing, before a channel is drained and when that was of no use; of one that drains
/// a channel; and rounds of its outer fixpoint.
const FEW_LAYERS: u32 = 6;
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
#[derive(Default)]
struct Pieces {
    drains: Option<usize>,
    pieces: Vec<Piece>,
    /// All of them together, by control state.
    sets: Sets,
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
        let mut pieces = Pieces::default();
        for (control, step) in self.moves()? {
            if self.kind.discharged(step.machine as usize, step.op) == Some(self.obligation) {
                let enabled = self.before(step.op, all)?;
                self.add(Piece { control, set: enabled, step, layer: 0 }, &mut pieces)?;
            }
        }
        self.close(pieces)
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

    /// Adds what of a piece is left, and in no piece of its control state yet.
    fn add(&mut self, piece: Piece, pieces: &mut Pieces) -> Result<(), Limit> {
        let (left, taken) = (self.of(&self.left, piece.control), self.of(&pieces.sets, piece.control));
        let set = self.space.languages.intersection(piece.set, left)?;
        let set = self.space.languages.difference(set, taken)?;
        if !self.space.languages.is_empty(set) {
            let both = self.space.languages.union(taken, set)?;
            pieces.sets.insert(piece.control, both);
            pieces.pieces.push(Piece { set, ..piece });
        }
        Ok(())
    }

    /// Gives pieces their rank.
    fn close(&mut self, pieces: Pieces) -> Result<(), Limit> {
        for (&control, &set) in &pieces.sets {
            let (covered, left) = (self.of(&self.covered, control), self.of(&self.left, control));
            let covered = self.space.languages.union(covered, set)?;
            let left = self.space.languages.difference(left, set)?;
            self.covered.insert(control, covered);
            self.left.insert(control, left);
        }
        let empty = self.space.languages.empty();
        self.left.retain(|_, set| *set != empty);
        if !pieces.pieces.is_empty() {
            self.stages.push(pieces);
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
            self.approach(FEW_LAYERS)?;
            for channel in 0..self.space.system.channels {
                self.drain(channel)?;
            }
            if self.left == before {
                self.approach(LAYERS)?;
            }
            if self.left == before {
                return Ok(false);
            }
        }
        Ok(self.left.is_empty())
    }

    /// A stage that drains nothing, if it comes to an end by itself.
    fn approach(&mut self, most: u32) -> Result<(), Limit> {
        let mut pieces = Pieces::default();
        for layer in 0..most {
            let (reached, known) = (pieces.sets.clone(), pieces.pieces.len());
            for (control, step) in self.moves()? {
                let covered = self.of(&self.covered, step.target);
                let into = self.space.languages.union(covered, self.of(&reached, step.target))?;
                let set = self.before(step.op, into)?;
                self.add(Piece { control, set, step, layer }, &mut pieces)?;
            }
            if pieces.pieces.len() == known {
                return self.close(pieces);
            }
        }
        Ok(())
    }

    /// A stage that drains a channel.
    fn drain(&mut self, channel: usize) -> Result<(), Limit> {
        let mut kept = self.left.clone();
        for _ in 0..ROUNDS {
            let pieces = self.round(channel, &kept)?;
            if pieces.sets.is_empty() {
                return Ok(());
            }
            if pieces.sets == kept {
                return self.close(pieces);
            }
            kept = pieces.sets;
        }
        Ok(())
    }

    /// What of some sets is ranked if all of them can be come back to with a message less.
    fn round(&mut self, channel: usize, kept: &Sets) -> Result<Pieces, Limit> {
        let mut pieces = Pieces { drains: Some(channel), ..Pieces::default() };
        for layer in 0..LAYERS {
            let (reached, known) = (pieces.sets.clone(), pieces.pieces.len());
            for (control, step) in self.moves()? {
                let covered = self.of(&self.covered, step.target);
                let same_stage = match step.op {
                    Op::Receive(from, _) if from == channel => self.of(kept, step.target),
                    Op::Send(to, _) if to == channel => self.space.languages.empty(),
                    _ => self.of(&reached, step.target),
                };
                let into = self.space.languages.union(covered, same_stage)?;
                let set = self.before(step.op, into)?;
                let set = self.space.languages.intersection(set, self.of(kept, control))?;
                self.add(Piece { control, set, step, layer }, &mut pieces)?;
            }
            if pieces.pieces.len() == known {
                break;
            }
        }
        Ok(pieces)
    }
}
