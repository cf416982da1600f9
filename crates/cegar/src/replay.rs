//! Runs are believed only after the interpreter has done them.
//!
//! Each component is run on the inputs that the solver found, step by step beside the run of the structures: it must take
//! the same edges, guards must hold, the propositions must have the same truths in every state, and it must end where the run says. A loop is
//! run twice, and the variables that matter must have the same values after each time.

use crate::graph::{Graph, Step};
use crate::validate::Real;
use bitvector::{Model, TermId};
use cfront::interpret::{Input, Machine, Outcome, Run};
use cfront::program::{Component, Instruction, VariableId};
use model::source::Span;
use spec::graph::Place;
use std::collections::HashMap;

/// What a component does in one step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The part of the program.
    pub part: usize,
    /// The step of its graph; see `spec::graph`.
    pub step: u32,
    /// The text that is executed.
    pub span: Span,
    /// What it does, in one line.
    pub does: String,
    /// The variables that it changes, with their new values.
    pub changes: Vec<(String, i128)>,
}

/// What the interpreter did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replayed {
    pub(crate) moves: Vec<Moved>,
    pub(crate) inputs: Vec<Input>,
}

/// Runs a component on its inputs; `again` more times over the last round of its loop. Or what was different.
pub(crate) fn replay(
    part: usize,
    component: &Component,
    graph: &Graph,
    real: &Real,
    again: usize,
) -> Result<Replayed, String> {
    let mut player = Player {
        machine: Machine::new(component),
        part,
        component,
        graph,
        run: Run { outcome: Outcome::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() },
        moves: Vec::new(),
    };
    let mut first: Vec<u64> = real.inputs.first().cloned().unwrap_or_default();
    first.reverse();
    for &edge in &graph.before {
        player.execute(edge, &mut first)?;
    }
    player.sees(real.path.truths.first())?;
    let mut marks = Vec::new();
    for number in 0..real.path.steps.len() {
        marks.push(player.values());
        player.step(real, number)?;
    }
    marks.push(player.values());
    if let Some((before, between)) = real.rounds {
        let (stem, length) = real.lengths;
        let start = stem + before * length;
        let begins = marks.get(start).cloned().unwrap_or_default();
        for _ in 0..again.max(1) {
            if player.values() != begins {
                return Err(String::from("the values of a loop do not come back"));
            }
            for number in start..start + between * length {
                player.step(real, number)?;
            }
        }
        if player.values() != begins {
            return Err(String::from("the values of a loop do not come back"));
        }
    }
    Ok(Replayed { moves: player.moves, inputs: player.run.inputs })
}

struct Player<'p> {
    machine: Machine<'p>,
    part: usize,
    component: &'p Component,
    graph: &'p Graph,
    run: Run,
    moves: Vec<Moved>,
}

impl Player<'_> {
    /// The values that matter, and the location.
    fn values(&self) -> Vec<u64> {
        let relevant = (0..self.graph.relevant.len()).filter(|&number| self.graph.relevant[number]);
        let values = relevant.map(|number| self.machine.bits(VariableId(number as u32)));
        values.chain([u64::from(self.machine.location().0)]).collect()
    }

    fn step(&mut self, real: &Real, number: usize) -> Result<(), String> {
        let step = &self.graph.steps[real.path.steps[number] as usize];
        let before: Vec<u64> = self.all_values();
        let mut inputs = real.inputs.get(number + 1).cloned().unwrap_or_default();
        self.allowed(step, &inputs)?;
        if let Some(edge) = step.edge {
            inputs.reverse();
            self.execute(edge, &mut inputs)?;
        }
        let after = self.all_values();
        let changes = after.iter().zip(&before).enumerate();
        let changes = changes.filter(|(_, (new, old))| new != old).map(|(number, _)| {
            let variable = VariableId(number as u32);
            (cfront::display::name(self.component, variable), self.machine.value(variable))
        });
        let does = match (step.edge, self.graph.nodes[step.target as usize].place) {
            (Some(edge), _) => cfront::display::instruction(self.component, &self.component.edge(edge).instruction),
            (None, Place::Inside { call, .. }) => match &self.component.edge(call).instruction {
                Instruction::Call { routine, .. } => format!("in `{routine}`"),
                _ => String::new(),
            },
            (None, Place::Blocked(_)) => String::from("an assumption does not hold"),
            (None, _) => String::from("a call that the specification does not cover"),
        };
        let changes = changes.collect();
        let taken = real.path.steps[number];
        self.moves.push(Moved { part: self.part, step: taken, span: step.span, does, changes });
        self.sees(real.path.truths.get(number + 1))
    }

    /// The guard of a step holds: the conditions of returns are no edges that the interpreter could refuse.
    fn allowed(&self, step: &Step, inputs: &[u64]) -> Result<(), String> {
        let given = step.inputs.iter().zip(inputs).map(|(&(_, term), &value)| (term, u128::from(value)));
        let values: HashMap<TermId, u128> = self.valuation().chain(given).collect();
        // A result that is not read has no value here; that there is one is all that the guard says of it.
        let known = self.graph.terms.free_variables(&[step.guard]).iter().all(|term| values.contains_key(term));
        if known && !Model::new(values.into_iter().collect()).satisfies(&self.graph.terms, step.guard) {
            return Err(String::from("a condition does not hold in the interpreter"));
        }
        Ok(())
    }

    /// The variables as terms, with their values.
    fn valuation(&self) -> impl Iterator<Item = (TermId, u128)> + '_ {
        self.graph.variables.iter().copied().zip(self.all_values().into_iter().map(u128::from))
    }

    fn all_values(&self) -> Vec<u64> {
        (0..self.component.variables.len()).map(|number| self.machine.bits(VariableId(number as u32))).collect()
    }

    /// Executes one edge, and it must be this one. Inputs come from the end of the list.
    fn execute(&mut self, edge: cfront::program::EdgeId, inputs: &mut Vec<u64>) -> Result<(), String> {
        let mut missing = false;
        let mut next = |_: &cfront::interpret::Request| {
            inputs.pop().unwrap_or_else(|| {
                missing = true;
                0
            })
        };
        let outcome = self.machine.step(&mut next, &mut self.run);
        if missing {
            return Err(String::from("the interpreter asks for an input that the path does not have"));
        }
        if self.run.edges.last() != Some(&edge) || outcome == Some(Outcome::Blocked) {
            return Err(String::from("the interpreter takes another way"));
        }
        Ok(())
    }

    /// The propositions have these truths.
    fn sees(&self, truths: Option<&Vec<bool>>) -> Result<(), String> {
        let model = Model::new(self.valuation().collect());
        let wrong = |(proposition, truth): (&TermId, &bool)| model.satisfies(&self.graph.terms, *proposition) != *truth;
        match truths {
            Some(truths) if self.graph.propositions.iter().zip(truths).any(wrong) => {
                Err(String::from("a proposition has another truth in the interpreter"))
            }
            _ => Ok(()),
        }
    }
}
