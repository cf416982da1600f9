//! Is a run of the structures a run of the program?
//!
//! Components share no data, so a run of the composition is real if each component can go its own way with its own inputs:
//! the events are the same ones for all, and nothing else connects them. For each component the run is projected to the
//! steps in which it takes part ([`project`]), and its path is executed with symbols ([`crate::path`]).
//!
//! An infinite run is a stem and a loop. The component must be able to repeat its part of the loop forever. That is so if
//! after some rounds of the loop the variables that matter have the values that they had some rounds before: the solver is
//! requested inputs that make it so, after it has been seen whether the inputs that it found anyway do. Each component may need other numbers of rounds; the largest start and a common
//! multiple of the periods is right for all. If no such inputs are found, the loop is unrolled further: the path may become
//! impossible, and then there are new predicates. Before that, a number is looked for that falls in the loop (`ranking`).
//!
//! Components that share variables are not independent of each other: see `joint`.

use crate::abstraction::Extract;
use crate::graph::Graph;
use crate::meter::Meter;
use crate::path::{Execution, Feasibility, Path, execute};
use crate::ranking::rank;
use crate::system::Examined;
use bitvector::{Evaluation, Model};
use model::composition::{Run, StepLabel};
use model::structure::TAU;
use model::verdict::Reason;

/// Rounds of a loop that may come before it closes, and rounds that may lie between equal states.
const MOST_BEFORE: usize = 3;
const MOST_BETWEEN: usize = 4;
/// Rounds after which a loop that does not close is given up.
const MOST_ROUNDS: usize = 64;
/// After so many refinements of a component, predicates are no longer local.
const LOCAL_ROUNDS: u32 = 60;
/// So often a run with a loop that is impossible is refined by predicates only.
const PATIENCE: u32 = 2;

/// The part of a run that one component has, with the rounds of its loop.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    stem: Path,
    /// The steps of one round, and the truths after each of them.
    round: Path,
    infinite: bool,
}

/// What came of one component.
pub(crate) enum Checked {
    /// It can take part in this way.
    Real(Box<Real>),
    /// It cannot, and now it has new predicates.
    Refined,
    /// It is not known.
    Open(String),
}

/// A path with inputs.
pub(crate) struct Real {
    pub(crate) path: Path,
    /// Inputs of the beginning, then of each step, as bits.
    pub(crate) inputs: Vec<Vec<u64>>,
    /// Rounds of the loop before it closes, and rounds after which it does; `None` for a finite run.
    pub(crate) rounds: Option<(usize, usize)>,
    /// How many steps the stem and a round have.
    pub(crate) lengths: (usize, usize),
    /// The values of all inputs.
    model: Model,
}

/// The steps of a run in which a component takes part.
pub(crate) fn project(run: &Run, component: usize, graph: &Graph, extract: &Extract) -> Option<Projection> {
    let state = |at: usize| run.states.get(at).and_then(|states| states.get(component)).copied();
    let truths = |state: u32| extract.states[state as usize].values[..graph.propositions.len()].to_vec();
    let loop_from = run.loop_from.unwrap_or(run.steps.len());
    let mut stem = Path { steps: Vec::new(), truths: vec![truths(state(0)?)] };
    let mut round = Path::default();
    for (at, step_label) in run.steps.iter().enumerate() {
        let event = match *step_label {
            StepLabel::Silent { component: mover } if mover as usize == component => TAU,
            StepLabel::Event(event) if extract.structure.takes_part(event) => event,
            _ => continue,
        };
        let (from, to) = (state(at)?, state(at + 1)?);
        let moves = extract.moves.get(from as usize)?;
        let taken = moves.iter().find(|(step, target)| *target == to && graph.steps[*step as usize].event == event);
        let path = if at < loop_from { &mut stem } else { &mut round };
        path.steps.push(taken?.0);
        path.truths.push(truths(to));
    }
    Some(Projection { stem, round, infinite: run.loop_from.is_some() })
}

impl Real {
    /// A path with inputs that were found for all components together.
    pub(crate) fn joined(
        path: Path,
        inputs: Vec<Vec<u64>>,
        lengths: (usize, usize),
        rounds: Option<(usize, usize)>,
    ) -> Real {
        Real { path, inputs, rounds, lengths, model: Model::new(Vec::new()) }
    }
}

impl Projection {
    /// How many steps the stem and a round have.
    pub(crate) fn lengths(&self) -> (usize, usize) {
        (self.stem.steps.len(), self.round.steps.len())
    }

    /// The stem and so many rounds.
    pub(crate) fn unrolled(&self, rounds: usize) -> Path {
        let mut path = self.stem.clone();
        for _ in 0..rounds {
            path.steps.extend(&self.round.steps);
            path.truths.extend(self.round.truths.iter().cloned());
        }
        path
    }

    /// Looks for inputs with which the component goes this way.
    pub(crate) fn check(&self, examined: &mut Examined, meter: &mut Meter<'_>) -> Result<Checked, Reason> {
        if !self.infinite || self.round.steps.is_empty() {
            let rounds = self.infinite.then_some((0, 1));
            let path = self.stem.clone();
            let execution = execute(&mut examined.graph, &path);
            return self.feasible(examined, path, &execution, rounds, meter);
        }
        let mut rounds = 1;
        while rounds <= MOST_ROUNDS {
            let path = self.unrolled(rounds);
            let execution = execute(&mut examined.graph, &path);
            match self.feasible(examined, path, &execution, None, meter)? {
                Checked::Real(real) => {
                    if let Some(closed) = self.repeats(&examined.graph, rounds, *real, &execution) {
                        return Ok(Checked::Real(Box::new(closed)));
                    }
                }
                other => return Ok(other),
            }
            if let Some(real) = self.closed(examined, rounds, &execution, meter)? {
                return Ok(Checked::Real(Box::new(real)));
            }
            if rounds == 1 && self.ends(examined, 2, meter)? {
                return Ok(Checked::Refined);
            }
            rounds *= 2;
        }
        Ok(Checked::Open(format!(
            "a loop can be taken {MOST_ROUNDS} times, but no values were found that come back, and no reason why it ends"
        )))
    }

    /// Looks for a number that falls in the loop, in the last of so many rounds. Whether there is something new.
    pub(crate) fn ends(&self, examined: &mut Examined, rounds: usize, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        Ok(!self.round.steps.is_empty() && rank(examined, &self.stem, &self.round, rounds, meter)?)
    }

    pub(crate) fn feasible(
        &self,
        examined: &mut Examined,
        path: Path,
        execution: &Execution,
        rounds: Option<(usize, usize)>,
        meter: &mut Meter<'_>,
    ) -> Result<Checked, Reason> {
        match execution.feasible(examined, &path, meter)? {
            Feasibility::Possible(model) => Ok(Checked::Real(Box::new(self.real(path, execution, &model, rounds)))),
            Feasibility::Impossible(core) => {
                // Predicates that tell the rounds of loops apart keep coming: perhaps some number falls on this one.
                examined.rounds_of_loops += u32::from(self.infinite);
                if examined.rounds_of_loops > PATIENCE
                    && self.infinite
                    && (self.ends(examined, 2, meter)? || self.ends(examined, 1, meter)?)
                {
                    return Ok(Checked::Refined);
                }
                examined.rounds += 1;
                let wide = examined.rounds > LOCAL_ROUNDS;
                if execution.refine(examined, &path, &core, wide) {
                    examined.extract = None;
                    Ok(Checked::Refined)
                } else {
                    Ok(Checked::Open(String::from(
                        "a path is impossible, but no new predicates were found that show it",
                    )))
                }
            }
        }
    }

    /// Whether values come back with the inputs that were found, and then the path up to there.
    fn repeats(&self, graph: &Graph, rounds: usize, mut real: Real, execution: &Execution) -> Option<Real> {
        let (stem, length) = real.lengths;
        let mut evaluation = Evaluation::new(real.model.clone());
        let mut seen: Vec<Vec<u128>> = Vec::new();
        for round in 0..=rounds {
            let values = &execution.values[stem + round * length];
            let relevant = (0..values.len()).filter(|&number| graph.relevant[number]);
            let values: Vec<u128> = relevant.map(|number| evaluation.bits(&graph.terms, values[number])).collect();
            if let Some(before) = seen.iter().position(|known| *known == values) {
                let steps = stem + round * length;
                real.path.steps.truncate(steps);
                real.path.truths.truncate(steps + 1);
                real.inputs.truncate(steps + 1);
                real.rounds = Some((before, round - before));
                return Some(real);
            }
            seen.push(values);
        }
        None
    }

    /// Inputs with which the values come back within so many rounds.
    fn closed(
        &self,
        examined: &mut Examined,
        rounds: usize,
        execution: &Execution,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Real>, Reason> {
        let (stem, length) = (self.stem.steps.len(), self.round.steps.len());
        for between in 1..=MOST_BETWEEN.min(rounds) {
            // Shorter ways to close were tried when there were fewer rounds.
            let before = rounds - between;
            if before > MOST_BEFORE {
                continue;
            }
            let (from, to) = (stem + before * length, stem + rounds * length);
            let closes = execution.closes(&mut examined.graph, from, to);
            if let Some(model) = execution.inputs_with(&examined.graph, closes, &mut examined.solver, meter)? {
                let path = self.unrolled(rounds);
                return Ok(Some(self.real(path, execution, &model, Some((before, between)))));
            }
        }
        Ok(None)
    }

    fn real(&self, path: Path, execution: &Execution, model: &Model, rounds: Option<(usize, usize)>) -> Real {
        let bits =
            |inputs: &Vec<(_, bitvector::TermId)>| inputs.iter().map(|&(_, input)| model.get(input) as u64).collect();
        let inputs = execution.inputs.iter().map(bits).collect();
        let lengths = (self.stem.steps.len(), self.round.steps.len());
        Real { path, inputs, rounds, lengths, model: model.clone() }
    }
}
