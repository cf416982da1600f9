//! C components: do structures do all that procedures of C do, and keep what is asked?
//!
//! The contract is the essay of [`model::components_proof`]. Nothing is taken from the proof but predicates, states and
//! steps. The graph of each procedure is made again from the specification (`spec`), the predicates are built in its terms,
//! and then a solver refutes that
//!
//! * a first state of the procedure lies in none of the initial states;
//! * a concrete state in an abstract one has a step of the graph into none of the listed targets. More targets than are
//!   needed do no harm.
//!
//! What the others see of a state (events, endings, propositions of the formula) follows from its place and its truths, and
//! is made here. That the structures keep what is asked is for [`crate::composition`].
//!
//! Deadlock can be read off structures only where no return is conditional; see the essay of [`spec::graph`].

use crate::Refusal;
use crate::programs::entry;
use bitvector::{Effort, Outcome, Solver, Sort, TermId};
use model::components_proof::{ComponentsProof, ProcedureStructure};
use model::composition::{Component, Composition};
use model::context::Context;
use model::structure::{Move, StateParts, Structure};
use spec::graph::Graph;
use spec::{Asked, Part, Procedure, Question, Specification};
use std::collections::HashMap;

/// Checks a proof about the components of a specification. How many questions the solver answered. How C was read is for
/// the caller to compare: a specification is of one reading.
pub fn verify(
    specification: &Specification,
    question: Question,
    proof: &ComponentsProof,
    solver: &mut dyn Solver,
    cx: &Context<'_>,
) -> Result<u64, Refusal> {
    let malformed = |what: String| Refusal::Malformed(what);
    let asked = Asked::new(specification, question).map_err(|reason| malformed(reason.to_string()))?;
    let mut claimed: HashMap<usize, &ProcedureStructure> = HashMap::new();
    for structure in &proof.abstraction.procedures {
        if claimed.insert(structure.part as usize, structure).is_some() {
            return Err(malformed(format!("there are two structures for part {}", structure.part)));
        }
    }
    let (mut components, mut questions) = (Vec::new(), 0);
    for (number, part) in asked.parts.iter().enumerate() {
        components.push(match (part, claimed.remove(&number)) {
            (Part::Process(process), None) => (**process).clone(),
            (Part::Process(process), Some(_)) => {
                return Err(malformed(format!("`{}` is not a procedure", process.name)));
            }
            (Part::Procedure(procedure), None) => {
                return Err(malformed(format!("nothing is said about `{}`", procedure.name)));
            }
            (Part::Procedure(procedure), Some(claimed)) => {
                let mut checking = Checking::new(&asked, question, procedure, claimed)?;
                checking.over_approximates(solver, cx)?;
                questions += checking.questions;
                checking.component(&asked, procedure)
            }
        });
    }
    if !claimed.is_empty() {
        return Err(malformed(String::from("there is a structure for a part that there is not")));
    }
    let (events, propositions) = (specification.events.clone(), specification.propositions.clone());
    let (name, formulas, progress) = (specification.name.clone(), Vec::new(), Vec::new());
    let composition = Composition { name, components, events, propositions, formulas, progress };
    let question = match (question, asked.formula) {
        (_, Some(formula)) => crate::composition::Question::Formula(formula),
        (Question::Deadlock, None) => crate::composition::Question::Deadlock,
        (_, None) => crate::composition::Question::Safety,
    };
    crate::composition::verify(&composition, question, &proof.composition, cx)?;
    Ok(questions)
}

/// The structure of one procedure under examination.
struct Checking<'p> {
    graph: Graph,
    claimed: &'p ProcedureStructure,
    /// By place: its predicates.
    predicates: Vec<Vec<TermId>>,
    /// By state: the truth of the predicates of its place.
    truths: Vec<Vec<bool>>,
    questions: u64,
}

impl<'p> Checking<'p> {
    /// Every number of the structure means something in the graph, and the propositions of the formula are predicates of
    /// every place.
    fn new(
        asked: &Asked<'_>,
        question: Question,
        procedure: &Procedure,
        claimed: &'p ProcedureStructure,
    ) -> Result<Checking<'p>, Refusal> {
        let malformed = |what: &str| Refusal::Malformed(format!("{what} (`{}`)", procedure.name));
        let mut graph = asked.graph(procedure).map_err(|reason| malformed(&reason.to_string()))?;
        if question == Question::Deadlock && graph.conditional_return.is_some() {
            return Err(malformed("deadlock cannot be answered where a return is conditional"));
        }
        let mut made: HashMap<u32, TermId> = HashMap::new();
        for (node, number) in claimed.nodes.iter().zip(0..) {
            let term = entry(&mut graph.terms, node, &graph.variables, &made);
            made.insert(number, term.ok_or_else(|| malformed("an entry of the table is not a term"))?);
        }
        let predicate = |number: &u32| made.get(number).copied().filter(|&term| graph.terms.sort(term) == Sort::Bool);
        let predicates = claimed.predicates.iter().map(|at| at.iter().map(predicate).collect::<Option<Vec<TermId>>>());
        let predicates: Option<Vec<Vec<TermId>>> = predicates.collect();
        let predicates = predicates.ok_or_else(|| malformed("a predicate is not a condition"))?;
        if predicates.len() != graph.nodes.len() {
            return Err(malformed("the proof speaks of other places"));
        }
        if !predicates.iter().all(|at| at.starts_with(&graph.propositions)) {
            return Err(malformed("a place does not have the propositions of the formula"));
        }
        let truth = |digit: char| digit.to_digit(2).map(|digit| digit == 1);
        let truths = claimed.states.iter().map(|state| state.truths.chars().map(truth).collect::<Option<Vec<bool>>>());
        let truths: Option<Vec<Vec<bool>>> = truths.collect();
        let truths = truths.ok_or_else(|| malformed("a truth is neither 0 nor 1"))?;
        let checking = Checking { graph, claimed, predicates, truths, questions: 0 };
        match checking.fits() {
            true => Ok(checking),
            false => Err(malformed("the structure does not fit its graph")),
        }
    }

    fn fits(&self) -> bool {
        let (graph, states) = (&self.graph, &self.claimed.states);
        let has_truths = |(state, truths): (&model::components_proof::AbstractState, &Vec<bool>)| {
            self.predicates.get(state.place as usize).is_some_and(|at| at.len() == truths.len())
        };
        let leads = |from: usize, &(step, to): &(u32, u32)| {
            let (step, target) = (graph.steps.get(step as usize), states.get(to as usize));
            step.zip(target).is_some_and(|(step, to)| step.source == states[from].place && step.target == to.place)
        };
        states.iter().zip(&self.truths).all(has_truths)
            && self.claimed.moves.len() == states.len()
            && self.claimed.moves.iter().enumerate().all(|(from, moves)| moves.iter().all(|each| leads(from, each)))
            && self
                .claimed
                .initial
                .iter()
                .all(|&initial| states.get(initial as usize).is_some_and(|state| state.place == graph.start))
    }

    /// The structure does all that the procedure does.
    fn over_approximates(&mut self, solver: &mut dyn Solver, cx: &Context<'_>) -> Result<(), Refusal> {
        let first: HashMap<TermId, TermId> =
            self.graph.variables.iter().copied().zip(self.graph.first.iter().copied()).collect();
        let at = &self.predicates[self.graph.start as usize];
        let images = self.graph.terms.substitute_all(at, &first);
        let mut question = Vec::new();
        for &initial in &self.claimed.initial {
            question.push(self.outside(&images, initial));
        }
        self.refute(&question, solver, cx)?;
        for (state, moves) in self.claimed.moves.iter().enumerate() {
            let place = self.claimed.states[state].place as usize;
            let here = self.inside(&self.predicates[place].clone(), state as u32);
            for step in self.graph.nodes[place].leaving.clone() {
                let (guard, target) = (self.graph.steps[step as usize].guard, self.graph.steps[step as usize].target);
                let there = self.predicates[target as usize].clone();
                let images: Vec<TermId> = there.iter().map(|&after| self.graph.before(step, after)).collect();
                let mut question = vec![guard];
                question.extend(&here);
                for &(_, to) in moves.iter().filter(|(taken, _)| *taken == step) {
                    question.push(self.outside(&images, to));
                }
                self.refute(&question, solver, cx)?;
            }
        }
        Ok(())
    }

    /// Conditions with the truths of a state.
    fn inside(&mut self, conditions: &[TermId], state: u32) -> Vec<TermId> {
        let truths = &self.truths[state as usize];
        let each = conditions.iter().zip(truths);
        each.map(|(&condition, &truth)| if truth { condition } else { self.graph.terms.not(condition) }).collect()
    }

    /// Not with the truths of a state.
    fn outside(&mut self, conditions: &[TermId], state: u32) -> TermId {
        let inside = self.inside(conditions, state);
        let inside = self.graph.terms.and_all(&inside);
        self.graph.terms.not(inside)
    }

    fn refute(&mut self, question: &[TermId], solver: &mut dyn Solver, cx: &Context<'_>) -> Result<(), Refusal> {
        self.questions += 1;
        match solver.check(&self.graph.terms, question, &Effort::from(cx.budget)) {
            Outcome::Unsat(_) => Ok(()),
            Outcome::Sat(_) => {
                Err(Refusal::NotInvariant(String::from("a step of the program is missing in a structure")))
            }
            Outcome::Unknown(reason) => Err(Refusal::Undecided(reason)),
        }
    }

    /// What the others see.
    fn component(&self, asked: &Asked<'_>, procedure: &Procedure) -> Component {
        let propositions = asked.propositions(procedure);
        let states = self.claimed.states.iter().zip(&self.truths).zip(&self.claimed.moves);
        let parts = states.map(|((state, truths), moves)| StateParts {
            moves: moves.iter().map(|&(step, to)| Move { event: self.graph.steps[step as usize].event, to }).collect(),
            labels: propositions.iter().zip(truths).filter(|(_, truth)| **truth).map(|(&id, _)| id).collect(),
            ending: self.graph.ending(state.place),
        });
        Component {
            name: procedure.name.clone(),
            structure: Structure::new(asked.alphabet(procedure), self.claimed.initial.clone(), parts.collect()),
            state_names: Vec::new(),
            state_spans: vec![procedure.span; self.claimed.states.len()],
            span: procedure.span,
        }
    }
}
