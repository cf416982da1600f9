//! The papers' own method, as a yardstick: enumerate every elementary cycle, then ask one linear problem.
//!
//! Ciclo sections IV-B to IV-D and V, IBOC section 2. The net is not refined. The elementary cycles of each process
//! ([`johnson`]) become effect vectors ([`system`]); one variable for each says how often it is taken. Boundedness is
//! inequalities (3)–(5): a combination that takes nothing and adds something. Livelock is (25)–(28): any combination at
//! all that takes nothing, of cycles without progress. If there is one, the papers say UNKNOWN, and so does this module.
//!
//! If there is none, the papers say BOUNDED, and stop. Here the verdict carries a proof, and costs nothing more: the
//! problem has no solution by Farkas' lemma, and the lemma's multipliers of the rows *are* weights under which no cycle
//! gains. (So the default prover, which looks for such weights, need not be asked: it would find some.) In the same way the
//! dual values of (14)–(16) are weights that prove the bound of a queue. They may prove less than the paper's bound, since
//! a path counts as a whole then and not counter by counter; the paper's is reported, and follows.
//!
//! What differs from the papers: messages are split into atoms, a rendezvous has to balance, and a process type with any
//! number of processes is one node with counters, as everywhere in this crate. Bounds are those of the linear problem,
//! rounded down; the papers solve it in whole numbers.

pub mod johnson;
mod list;
pub mod paths;
mod pictures;
pub mod system;

pub use list::{ShownCycle, TypeCycles, list};
pub use pictures::Pictures;

use crate::analysis::{self, Analysis};
use crate::bounds::Proved;
use crate::net::{self, Counter, Net};
use crate::prove::{Counterexample, Prover, Shape};
use crate::weigh::{Frame, TooLarge};
use crate::world::World;
use crate::{Combination, Engine, MOST_NODES, Question, Report, abstraction, bounds, keep_bound, raise, shape};
use linear::{Outcome, Problem, Rational, Row, Variable};
use model::budget::{Budget, Stopwatch};
use model::context::Context;
use model::flow_proof::{FlowProof, Progress, Ranking, Weights};
use model::network::Network;
use model::verdict::Reason;
use paths::AcyclicPart;
use std::collections::HashMap;
use system::{CycleSystem, Effect, MOST_CYCLES};

/// Answers a question about a network by the papers' method.
pub fn check(network: &Network, question: &Question, cx: &Context<'_>) -> Report {
    check_with(network, question, cx, MOST_CYCLES)
}

/// The same, with no more than so many cycles.
fn check_with(network: &Network, question: &Question, cx: &Context<'_>, most_cycles: usize) -> Report {
    let world = World::new(network, matches!(question, Question::Boundedness));
    let budget = cx.budget;
    match unrefined(&world, question, budget) {
        Ok((analysis, net)) => {
            let shape = shape(&analysis, &net);
            let asked = Asked { world: &world, question, analysis: &analysis, net: &net, shape: &shape };
            asked.answer(most_cycles, budget)
        }
        Err(reason) => Report { reason: Some(reason), ..Report::empty() },
    }
}

/// The first net: nothing is looked at more closely.
fn unrefined(world: &World<'_>, question: &Question, budget: &Budget) -> Result<(Analysis, Net), Reason> {
    let mut config = analysis::first_config(world);
    let mut engine = Engine { world, question, budget: budget.clone(), combinations: Vec::new(), problems: 0 };
    let (analysis, net) = engine.build(&mut config, MOST_NODES)?;
    if net.numbers.is_empty() {
        return Ok((analysis, net));
    }
    // A counter that was too large to unroll a loop of `run` by is counted instead; the papers do not.
    config.numbers.clear();
    let events = engine.events();
    let net = net::build(world, &analysis, &config, events.as_deref(), &engine.budget)?;
    Ok((analysis, net))
}

/// A question about a net.
struct Asked<'a> {
    world: &'a World<'a>,
    question: &'a Question,
    analysis: &'a Analysis,
    net: &'a Net,
    shape: &'a Shape,
}

/// What the homogeneous problem says.
enum Combined {
    /// A combination, with effects that are not negative.
    Combination(Counterexample),
    /// There is none: per counter, its weight.
    Weights(Vec<Rational>),
    /// No time.
    Stopped,
}

impl Asked<'_> {
    fn answer(&self, most_cycles: usize, budget: &Budget) -> Report {
        let mut system = CycleSystem::default();
        let collected = system.collect(self.net, &|t| self.is_asked(t), most_cycles, budget);
        let combined = match &collected {
            Ok(()) => self.combine(&system, budget),
            Err(_) => Combined::Stopped,
        };
        let mut report = match combined {
            Combined::Weights(weights) => self.proved(&system, &weights, budget),
            Combined::Combination(found) => self.unknown(&found),
            Combined::Stopped => {
                let mut report = Report::new(self.world, self.analysis, self.net, &[]);
                report.reason = collected.as_ref().err().cloned().or_else(|| budget.check().err());
                report
            }
        };
        report.sizes.cycles = Some(system.cycles);
        report.sizes.effect_vectors = Some(system.vectors.len());
        report.sizes.problems += usize::from(collected.is_ok());
        report
    }

    fn is_bounds(&self) -> bool {
        matches!(self.question, Question::Boundedness)
    }

    /// Cycles with progress are not requested (27); so transitions that are progress are on no cycle.
    fn is_asked(&self, transition: u32) -> bool {
        self.is_bounds() || !self.net.transitions[transition as usize].progress
    }

    /// Inequalities (3)–(5), or (25)–(28). "More than 0" is "at least 1", since the rest can be multiplied.
    fn combine(&self, system: &CycleSystem, budget: &Budget) -> Combined {
        let zero = vec![0; self.net.counters.len()];
        let mut problem = CycleProblem::new(self.net, system, &|_| 1, &zero, &zero);
        let grown = |effect: &Effect| -> i64 {
            effect.iter().filter(|(c, _)| self.net.counters[*c as usize].grows()).map(|(_, change)| change).sum()
        };
        let wanted = |effect: &Effect| if self.is_bounds() { grown(effect) } else { 1 };
        let terms = system.vectors.iter().zip(&problem.variables);
        let goal: Vec<(Variable, Rational)> = terms.map(|((e, _), &v)| (v, Rational::from(-wanted(e)))).collect();
        let goal = problem.problem.add_row(&goal, Rational::from(-1));
        match problem.problem.solve(&mut || budget.check().is_ok()) {
            Outcome::Optimal(solution) => {
                let cycles = system.vectors.iter().zip(solution.values).filter(|(_, times)| times.is_positive());
                let cycles = cycles.map(|((_, cycle), times)| (cycle.clone(), times)).collect();
                Combined::Combination(Counterexample { cycles })
            }
            Outcome::Infeasible(multipliers) => self.farkas(&problem, goal, &multipliers),
            Outcome::Unbounded(_) | Outcome::Stopped => Combined::Stopped,
        }
    }

    /// Farkas' multipliers as weights: scaled so that what grows weighs 1 at least, or that every cycle loses 1 at least.
    fn farkas(&self, problem: &CycleProblem, goal: Row, multipliers: &[(Row, Rational)]) -> Combined {
        let scale = multipliers.iter().find(|(row, _)| *row == goal).and_then(|(_, m)| m.recip());
        let Some(scale) = scale else { return Combined::Stopped };
        let scaled = multipliers.iter().filter(|(row, _)| *row != goal).map(|(row, m)| (*row, m * &scale));
        let least = self.net.counters.iter().map(|c| Rational::from(i64::from(self.is_bounds() && c.grows())));
        Combined::Weights(problem.weights(least.collect(), scaled))
    }

    fn unknown(&self, found: &Counterexample) -> Report {
        let mut report = Report::new(self.world, self.analysis, self.net, &[]);
        report.reason = Some(Reason::NotProvable(String::from("an unrefuted combination of cycles remains")));
        report.show(self.world, self.analysis, self.net, found);
        report.combinations.push(Combination::new(self.world, self.analysis, self.net, found, None));
        report
    }

    fn proved(&self, system: &CycleSystem, weights: &[Rational], budget: &Budget) -> Report {
        let alive: Vec<bool> = (0..self.net.transitions.len() as u32).map(|t| self.is_asked(t)).collect();
        let frame = Frame::new(self.net, &alive);
        let never = Budget::unlimited();
        let dropped = vec![false; self.net.counters.len()];
        let prover = Prover::new(self.net, self.shape, dropped, &never);
        let weights = match prover.weights(&frame, weights, 1) {
            Ok(weights) => weights,
            Err(TooLarge) => {
                let mut report = Report::new(self.world, self.analysis, self.net, &[]);
                report.reason = Some(TooLarge.into());
                return report;
            }
        };
        let claimed = vec![true; self.analysis.facts.queues.len()];
        let mut report = Report::new(self.world, self.analysis, self.net, &claimed);
        let mut proof = FlowProof {
            abstraction: abstraction(self.analysis, self.net, &claimed),
            progress: None,
            ranking: Ranking::Empty,
            bounds: Vec::new(),
            bound_weights: Vec::new(),
            histories: Vec::new(),
        };
        match self.question {
            Question::Livelock { events } => {
                proof.ranking = Ranking::Lose(weights, Box::new(Ranking::Empty));
                proof.progress = Some(Progress { events: events.iter().map(|(text, _)| text.clone()).collect() });
            }
            Question::Boundedness => {
                proof.ranking = Ranking::Bounded(weights);
                let begin = Stopwatch::start();
                self.bound_all(system, &prover, &frame, &mut proof, &mut report, budget);
                report.sizes.bounds_time = begin.elapsed();
            }
        }
        report.proof = Some(proof);
        report.complete = true;
        report
    }

    /// The bound of every queue, one linear problem for each, while there is time.
    fn bound_all(
        &self,
        system: &CycleSystem,
        prover: &Prover<'_, '_>,
        frame: &Frame<'_>,
        proof: &mut FlowProof,
        report: &mut Report,
        budget: &Budget,
    ) {
        let Some(acyclic) = paths::acyclic_part(self.net, budget) else { return };
        let mut counters: HashMap<u32, Vec<u32>> = HashMap::new();
        for (index, counter) in (0..).zip(&self.net.counters) {
            if let Counter::Message(queue, _) = counter {
                counters.entry(*queue).or_default().push(index);
            }
        }
        for row in &mut report.queues {
            let (proved, weights) = match counters.get(&row.queue) {
                // Nothing is ever sent to it.
                None => (Proved::EMPTY, Weights::default()),
                Some(counters) => {
                    report.sizes.problems += 1;
                    let Some((at_most, weights)) = self.bound(system, &acyclic, counters, budget) else { return };
                    let Ok(room) = bounds::room(prover, frame, &weights) else { continue };
                    let Some(&proved) = room.units(self.net).get(&row.queue) else { continue };
                    // What the weights prove is not more; if it were, it would be what is certain.
                    (Proved { at_most: at_most.max(proved.at_most), ..proved }, room.weights)
                }
            };
            let proved = raise(self.net, self.shape, row.queue, proved, &weights);
            row.at_most = Some(proved.at_most);
            keep_bound(proof, row.queue, proved, weights);
        }
    }

    /// Problem (14)–(16) for a queue, given by its counters: the bound, and the weights that prove it.
    fn bound(
        &self,
        system: &CycleSystem,
        acyclic: &AcyclicPart,
        queue: &[u32],
        budget: &Budget,
    ) -> Option<(u64, Vec<Rational>)> {
        let added = |effect: &Effect| -> i64 {
            effect.iter().filter(|(c, _)| queue.contains(c)).map(|(_, change)| change).sum()
        };
        let mut problem = CycleProblem::new(self.net, system, &|e| -added(e), &acyclic.most, &acyclic.least);
        let Outcome::Optimal(solution) = problem.problem.solve(&mut || budget.check().is_ok()) else { return None };
        let first: i64 = queue.iter().map(|&c| acyclic.most[c as usize]).sum();
        let most = (&Rational::from(first) - &solution.objective).floor().to_i128()?;
        let own = (0..self.net.counters.len() as u32).map(|c| Rational::from(i64::from(queue.contains(&c))));
        let multipliers = (0..).map(Row).zip(solution.multipliers);
        Some((u64::try_from(most).ok()?, problem.weights(own.collect(), multipliers)))
    }
}

/// A linear problem with a variable for each effect vector and a row for each counter: it does not become negative.
struct CycleProblem {
    problem: Problem,
    variables: Vec<Variable>,
    /// Per row: its counter, and the sign of its multiplier in the weight of the counter.
    rows: Vec<(u32, i64)>,
}

impl CycleProblem {
    /// The acyclic part of a run changes each counter by something from `least` to `most`.
    fn new(net: &Net, system: &CycleSystem, cost: &dyn Fn(&Effect) -> i64, most: &[i64], least: &[i64]) -> Self {
        let mut problem = Problem::new();
        let mut by_counter: Vec<Vec<(Variable, i64)>> = vec![Vec::new(); net.counters.len()];
        let mut variables = Vec::with_capacity(system.vectors.len());
        for (effect, _) in &system.vectors {
            let variable = problem.add_variable(Rational::from(cost(effect)));
            variables.push(variable);
            effect.iter().for_each(|&(counter, change)| by_counter[counter as usize].push((variable, change)));
        }
        let mut rows = Vec::new();
        for (counter, changes) in by_counter.iter().enumerate() {
            let mut row = |sign: i64, bound: i64| {
                let terms: Vec<(Variable, Rational)> =
                    changes.iter().map(|&(v, change)| (v, Rational::from(-sign * change))).collect();
                problem.add_row(&terms, Rational::from(bound));
                rows.push((counter as u32, sign));
            };
            row(1, most[counter]);
            if net.counters[counter].balances() {
                row(-1, -least[counter]);
            }
        }
        CycleProblem { problem, variables, rows }
    }

    /// Multipliers of rows, added to weights of counters.
    fn weights(&self, mut weights: Vec<Rational>, multipliers: impl Iterator<Item = (Row, Rational)>) -> Vec<Rational> {
        for (row, multiplier) in multipliers {
            if let Some(&(counter, sign)) = self.rows.get(row.0 as usize) {
                let weight = &mut weights[counter as usize];
                *weight = &*weight + &(&multiplier * &Rational::from(sign));
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests;
