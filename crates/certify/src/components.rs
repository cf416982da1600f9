//! C components: do structures do all that procedures of C do, and keep what is asked?
//!
//! The contract is the essay of [`model::components_proof`]. Nothing is taken from the proof but predicates, states and
//! steps. The graph of each procedure is made again from the specification (`spec`), its guards and updates and the predicates
//! are words of literals (`crate::clauses`), and then clauses are refuted that say that
//!
//! * a first state of the procedure lies in none of the initial states;
//! * a concrete state in an abstract one has a step of the graph into none of the listed targets (more targets than are
//!   needed do no harm), or into one of them with which a rank does not do what is claimed (`ranks`).
//!
//! What the others see of a state (events, endings, propositions of the formula) follows from its place and its truths, and
//! is made here. That the structures keep what is asked is for [`crate::composition`].
//!
//! Deadlock can be read off structures only where no return is conditional; see the essay of [`spec::graph`].

mod ranks;

use crate::Refusal;
use crate::clauses::circuit::{Answer, Circuit};
use crate::clauses::words::Word;
use crate::programs::table::{Sort, Table, sort};
use crate::programs::words::{Known, evaluate};
use cfront::term::TermId;
use model::components_proof::{ComponentsProof, ProcedureStructure};
use model::composition::{Component, Composition};
use model::context::Context;
use model::refutation::{Literal, Refuter};
use model::structure::{Move, StateParts, Structure, TAU};
use ranks::{Claims, Marks};
use spec::graph::Graph;
use spec::{Part, Prepared, Procedure, Question, Specification};
use std::collections::HashMap;

/// Checks a proof about the components of a specification. How many obligations were refuted. How C was read is for
/// the caller to compare: a specification is of one reading.
pub fn verify(
    specification: &Specification,
    question: Question,
    proof: &ComponentsProof,
    refuter: &mut dyn Refuter,
    cx: &Context<'_>,
) -> Result<u64, Refusal> {
    let malformed = |what: String| Refusal::Malformed(what);
    let asked = Prepared::with_cuts(specification, question, &proof.abstraction.shared);
    let asked = asked.map_err(|reason| malformed(reason.to_string()))?;
    let mut claimed: HashMap<usize, &ProcedureStructure> = HashMap::new();
    for structure in &proof.abstraction.procedures {
        if claimed.insert(structure.part as usize, structure).is_some() {
            return Err(malformed(format!("there are two structures for part {}", structure.part)));
        }
    }
    let mut questions = without_races(specification, question, proof, refuter, cx)?;
    let mut components = Vec::new();
    let mut marks = Marks::new(asked.events.clone());
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
                checking.over_approximates(refuter, cx)?;
                questions += checking.questions;
                checking.component(&asked, &mut marks)
            }
        });
    }
    if !claimed.is_empty() {
        return Err(malformed(String::from("there is a structure for a part that there is not")));
    }
    let formula = asked.formula.map(|formula| marks.assumed(formula));
    let (events, propositions) = (marks.events, specification.propositions.clone());
    let (name, formulas, progress) = (specification.name.clone(), Vec::new(), Vec::new());
    let composition = Composition { name, components, events, propositions, formulas, progress };
    let question = match (question, &formula) {
        (_, Some(formula)) => crate::composition::Question::Formula(formula),
        (Question::Deadlock, None) => crate::composition::Question::Deadlock,
        (_, None) => crate::composition::Question::Safety,
    };
    crate::composition::verify(&composition, question, &proof.composition, refuter, cx)?;
    Ok(questions)
}

/// What holds of runs in which all see accesses in one order holds of the program if it has no race. Safety says that
/// itself, and a procedure in isolation shares nothing.
fn without_races(
    specification: &Specification,
    question: Question,
    proof: &ComponentsProof,
    refuter: &mut dyn Refuter,
    cx: &Context<'_>,
) -> Result<u64, Refusal> {
    let looks = matches!(question, Question::Deadlock | Question::Formula(_));
    match &proof.races {
        _ if !looks || specification.shared.is_empty() => Ok(0),
        Some(races) => verify(specification, Question::Races, races, refuter, cx),
        None => Err(Refusal::Malformed(String::from("nothing is said about races of shared variables"))),
    }
}

/// The structure of one procedure under examination.
struct Checking<'p> {
    procedure: &'p Procedure,
    graph: Graph,
    claimed: &'p ProcedureStructure,
    table: Table,
    claims: Vec<Claims<'p>>,
    /// By state: the truth of the predicates of its place.
    truths: Vec<Vec<bool>>,
    questions: u64,
}

impl<'p> Checking<'p> {
    /// Every number of the structure means something in the graph, and the propositions of the formula are predicates of
    /// every place.
    fn new(
        asked: &Prepared<'_>,
        question: Question,
        procedure: &'p Procedure,
        claimed: &'p ProcedureStructure,
    ) -> Result<Checking<'p>, Refusal> {
        let malformed = |what: &str| Refusal::Malformed(format!("{what} (`{}`)", procedure.name));
        let graph = asked.graph(procedure).map_err(|reason| malformed(&reason.to_string()))?;
        if question == Question::Deadlock && graph.conditional_return.is_some() {
            return Err(malformed("deadlock cannot be answered where a return is conditional"));
        }
        let sorts: Vec<Sort> = procedure.component.variables.iter().map(|variable| sort(variable.scalar)).collect();
        let table = Table::new(&claimed.nodes, &sorts);
        let table = table.map_err(|_| malformed("an entry of the table is not a term"))?;
        if !claimed.predicates.iter().flatten().all(|&number| table.is_condition(number)) {
            return Err(malformed("a predicate is not a condition"));
        }
        if claimed.predicates.len() != graph.nodes.len() {
            return Err(malformed("the proof speaks of other places"));
        }
        if !claimed.predicates.iter().all(|at| at.len() >= graph.propositions.len()) {
            return Err(malformed("a place does not have the propositions of the formula"));
        }
        if !matches!(question, Question::Formula(_)) && !claimed.ranks.is_empty() {
            return Err(malformed("only formulas are about what happens infinitely often, and there are ranks"));
        }
        let claims = ranks::claims(claimed, &graph, &table).map_err(malformed)?;
        let truth = |digit: char| digit.to_digit(2).map(|digit| digit == 1);
        let truths = claimed.states.iter().map(|state| state.truths.chars().map(truth).collect::<Option<Vec<bool>>>());
        let truths: Option<Vec<Vec<bool>>> = truths.collect();
        let truths = truths.ok_or_else(|| malformed("a truth is neither 0 nor 1"))?;
        let checking = Checking { procedure, graph, claimed, table, claims, truths, questions: 0 };
        match checking.fits() {
            true => Ok(checking),
            false => Err(malformed("the structure does not fit its graph")),
        }
    }

    fn fits(&self) -> bool {
        let (graph, states) = (&self.graph, &self.claimed.states);
        let has_truths = |(state, truths): (&model::components_proof::AbstractState, &Vec<bool>)| {
            self.claimed.predicates.get(state.place as usize).is_some_and(|at| at.len() == truths.len())
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

    /// The structure does all that the procedure does: one obligation for the beginning, and one for each step.
    fn over_approximates(&mut self, refuter: &mut dyn Refuter, cx: &Context<'_>) -> Result<(), Refusal> {
        self.has_propositions(refuter, cx)?;
        let mut circuit = Circuit::new(cx.budget);
        let inputs = self.graph.first_inputs.iter().map(|&(_, input)| input);
        let mut known = self.any(&mut circuit, inputs);
        let first = self.graph.first.iter().map(|&value| self.word(&mut circuit, value, &[], &mut known));
        let first: Vec<Word> = first.collect::<Result<_, Refusal>>()?;
        let images = self.predicates(&mut circuit, self.graph.start, &first);
        let outside = self.outside(&mut circuit, &images, self.claimed.initial.iter().copied());
        self.is_never(&circuit, outside, refuter)?;
        let mut states: Vec<Vec<u32>> = vec![Vec::new(); self.graph.nodes.len()];
        for (number, state) in self.claimed.states.iter().enumerate() {
            states[state.place as usize].push(number as u32);
        }
        for (step, source) in self.graph.steps.iter().map(|step| step.source).enumerate().collect::<Vec<_>>() {
            let mut circuit = Circuit::new(cx.budget);
            let missing = self.missing(&mut circuit, step as u32, &states[source as usize])?;
            self.is_never(&circuit, missing, refuter)?;
        }
        Ok(())
    }

    /// The first predicates of every place are the propositions of the formula.
    fn has_propositions(&mut self, refuter: &mut dyn Refuter, cx: &Context<'_>) -> Result<(), Refusal> {
        let (mut circuit, mut known) = (Circuit::new(cx.budget), Known::new());
        let values = self.any_values(&mut circuit);
        let mut differ = Vec::new();
        for (at, &proposition) in self.graph.propositions.iter().enumerate() {
            let mut numbers: Vec<u32> = self.claimed.predicates.iter().map(|predicates| predicates[at]).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let meant = self.word(&mut circuit, proposition, &values, &mut known)?.lowest();
            let said = self.table.evaluate(&mut circuit, &self.table.below(&numbers), &values);
            differ.extend(numbers.iter().map(|&number| circuit.xor(said.get(number).lowest(), meant)));
        }
        let differ = circuit.any(differ.into_iter());
        match circuit.ask(differ, refuter) {
            Answer::Never => Ok(()),
            Answer::Possible => {
                Err(Refusal::Malformed(String::from("a place does not have the propositions of the formula")))
            }
            Answer::Unknown(reason) => Err(Refusal::Undecided(reason)),
        }
    }

    /// Whether a step leads from one of these states, all those of its source, to none of the targets that are listed, or
    /// does something else to a rank than what is claimed.
    fn missing(&self, circuit: &mut Circuit<'_>, step: u32, states: &[u32]) -> Result<Literal, Refusal> {
        let before = self.any_values(circuit);
        let taken = &self.graph.steps[step as usize];
        let mut known = self.any(circuit, taken.open.iter().copied());
        let mut after = before.clone();
        for &(variable, value) in &taken.update {
            after[variable.0 as usize] = self.word(circuit, value, &before, &mut known)?;
        }
        let guard = self.word(circuit, taken.guard, &before, &mut known)?.lowest();
        let here = self.predicates(circuit, taken.source, &before);
        let there = self.predicates(circuit, taken.target, &after);
        let mut missing = Vec::new();
        for &state in states {
            let moves = self.claimed.moves[state as usize].iter().filter(|(taken, _)| *taken == step);
            let outside = self.outside(circuit, &there, moves.map(|&(_, to)| to));
            let inside = self.inside(circuit, &here, state);
            missing.push(circuit.and(inside, outside));
        }
        for claims in &self.claims {
            let terms = claims.terms(taken.source, taken.target);
            let old = self.table.evaluate(circuit, &self.table.below(&[terms.0]), &before);
            let new = self.table.evaluate(circuit, &self.table.below(&[terms.1]), &after);
            for &state in states {
                let moves = (0..).zip(&self.claimed.moves[state as usize]).filter(|(_, (taken, _))| *taken == step);
                for (number, &(_, to)) in moves {
                    let wrong = claims.misjudged(circuit, (state, number), old.get(terms.0), new.get(terms.1));
                    let from_to = [self.inside(circuit, &here, state), self.inside(circuit, &there, to)];
                    missing.extend(wrong.map(|wrong| circuit.all([wrong].into_iter().chain(from_to))));
                }
            }
        }
        let missing = circuit.any(missing.into_iter());
        Ok(circuit.and(guard, missing))
    }

    /// Any values of the variables, by number.
    fn any_values(&self, circuit: &mut Circuit<'_>) -> Vec<Word> {
        let variables = self.procedure.component.variables.iter();
        variables.map(|variable| circuit.any_word(u32::from(variable.scalar.width))).collect()
    }

    /// Any values of inputs.
    fn any(&self, circuit: &mut Circuit<'_>, inputs: impl Iterator<Item = TermId>) -> Known {
        let width = |input: TermId| u32::from(self.graph.terms.scalar(input).width);
        inputs.map(|input| (input, circuit.any_word(width(input)))).collect()
    }

    /// The value of an expression of the graph; the inputs in it are known.
    fn word(
        &self,
        circuit: &mut Circuit<'_>,
        expression: TermId,
        values: &[Word],
        known: &mut Known,
    ) -> Result<Word, Refusal> {
        evaluate(circuit, &self.graph.terms, expression, values, known)
            .ok_or_else(|| Refusal::Malformed(format!("an expression of `{}` has no value", self.procedure.name)))
    }

    /// The predicates of a place, of these values.
    fn predicates(&self, circuit: &mut Circuit<'_>, place: u32, values: &[Word]) -> Vec<Literal> {
        let numbers = &self.claimed.predicates[place as usize];
        let known = self.table.evaluate(circuit, &self.table.below(numbers), values);
        numbers.iter().map(|&number| known.get(number).lowest()).collect()
    }

    /// Conditions with the truths of a state.
    fn inside(&self, circuit: &mut Circuit<'_>, conditions: &[Literal], state: u32) -> Literal {
        let each = conditions.iter().zip(&self.truths[state as usize]);
        circuit.all(each.map(|(&condition, &truth)| if truth { condition } else { !condition }))
    }

    /// Not with the truths of any of these states.
    fn outside(&self, circuit: &mut Circuit<'_>, conditions: &[Literal], states: impl Iterator<Item = u32>) -> Literal {
        let inside: Vec<Literal> = states.map(|state| self.inside(circuit, conditions, state)).collect();
        !circuit.any(inside.into_iter())
    }

    fn is_never(&mut self, circuit: &Circuit<'_>, literal: Literal, refuter: &mut dyn Refuter) -> Result<(), Refusal> {
        self.questions += 1;
        match circuit.ask(literal, refuter) {
            Answer::Never => Ok(()),
            Answer::Possible => Err(Refusal::NotInvariant(String::from(
                "a step of the program is missing in a structure, or does something else to a rank",
            ))),
            Answer::Unknown(reason) => Err(Refusal::Undecided(reason)),
        }
    }

    /// What the others see.
    fn component(&self, asked: &Prepared<'_>, marks: &mut Marks) -> Component {
        let procedure = self.procedure;
        let (propositions, mut alphabet) = (asked.propositions(procedure), asked.alphabet(procedure));
        let events = marks.events_of(self.claimed, &self.claims, &self.graph);
        alphabet.extend(events.iter().flatten().filter(|&&event| event != TAU));
        let moves = self.claimed.moves.iter().zip(&events);
        let states = self.claimed.states.iter().zip(&self.truths).zip(moves);
        let parts = states.map(|((state, truths), (moves, events))| StateParts {
            moves: moves.iter().zip(events).map(|(&(_, to), &event)| Move { event, to }).collect(),
            labels: propositions.iter().zip(truths).filter(|(_, truth)| **truth).map(|(&id, _)| id).collect(),
            ending: self.graph.ending(state.place),
        });
        Component {
            name: procedure.name.clone(),
            structure: Structure::new(alphabet, self.claimed.initial.clone(), parts.collect()),
            state_names: Vec::new(),
            state_spans: vec![procedure.span; self.claimed.states.len()],
            span: procedure.span,
        }
    }
}
