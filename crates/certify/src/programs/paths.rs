//! All paths from one location of a proof to the next ones, as one question.

use super::Refusal;
use super::cases;
use super::table::{Sort, Table, sort};
use super::words::{Known, evaluate};
use crate::clauses::circuit::{Answer, Circuit, FALSE, TRUE};
use crate::clauses::words::Word;
use cfront::Component;
use cfront::program::{Edge, Instruction, LocationId, VariableId};
use cfront::term::TermId;
use model::budget::Budget;
use model::program_proof::ProgramProof;
use model::refutation::{Literal, Refuter};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Locations in an order, the start first, and the place of each in it.
struct Order {
    sequence: Vec<LocationId>,
    rank: HashMap<LocationId, usize>,
}

/// Where a run may be: under which condition, and with which values of the variables, by number.
#[derive(Clone)]
struct Arrival {
    here: Literal,
    values: Rc<Vec<Word>>,
}

/// What the proof says of a location.
#[derive(Default)]
struct Held {
    conditions: Vec<u32>,
    /// The entries that the conditions are made of.
    below: Vec<u32>,
}

/// A component and its proof under examination.
pub(super) struct Walk<'c> {
    component: &'c Component,
    table: Table,
    held: BTreeMap<LocationId, Held>,
    budget: &'c Budget,
}

impl<'c> Walk<'c> {
    pub(super) fn new(component: &'c Component, proof: &ProgramProof, budget: &'c Budget) -> Result<Self, Refusal> {
        let sorts: Vec<Sort> = component.variables.iter().map(|variable| sort(variable.scalar)).collect();
        let wrong = |number: usize| Refusal::Malformed(format!("entry {number} of the invariant is not a term"));
        let table = Table::new(&proof.nodes, &sorts).map_err(wrong)?;
        let mut held: BTreeMap<LocationId, Held> = BTreeMap::new();
        for (location, conditions) in &proof.conditions {
            if *location as usize >= component.locations.len() {
                return Err(Refusal::Malformed(format!("there is no location {location}")));
            }
            if let Some(number) = conditions.iter().find(|&&number| !table.is_condition(number)) {
                return Err(Refusal::Malformed(format!("entry {number} of the invariant is not a condition")));
            }
            held.entry(LocationId(*location)).or_default().conditions.extend(conditions);
        }
        for here in held.values_mut() {
            here.below = table.below(&here.conditions);
        }
        Ok(Walk { component, table, held, budget })
    }

    /// Refutes every path out of the invariant, case by case where the conditions are a list of cases. How many questions
    /// that were.
    pub(super) fn check(&self, refuter: &mut dyn Refuter) -> Result<u64, Refusal> {
        self.at_entry(refuter)?;
        let mut questions = 1;
        for start in self.starts() {
            let order = self.in_order(start)?;
            let conditions = self.held.get(&start).map_or(&[][..], |here| &here.conditions);
            let cases = cases::split(&self.table, conditions).unwrap_or_else(|| vec![Vec::new()]);
            for case in cases {
                let mut circuit = Circuit::new(self.budget);
                let question = self.question(&mut circuit, start, &order, &case)?;
                is_never(&circuit, question, start, refuter)?;
                questions += 1;
            }
        }
        Ok(questions)
    }

    /// What is said of the entry must hold of any values.
    fn at_entry(&self, refuter: &mut dyn Refuter) -> Result<(), Refusal> {
        let mut circuit = Circuit::new(self.budget);
        let values = self.any_values(&mut circuit);
        let known = self.conditions(&mut circuit, self.component.entry, &values);
        is_never(&circuit, !known, self.component.entry, refuter)
    }

    /// Where walks start.
    fn starts(&self) -> Vec<LocationId> {
        let mut starts: Vec<LocationId> = self.held.keys().copied().collect();
        if !self.held.contains_key(&self.component.entry) {
            starts.push(self.component.entry);
        }
        starts
    }

    fn any_values(&self, circuit: &mut Circuit<'_>) -> Vec<Word> {
        let width = |variable: VariableId| u32::from(self.component.variable(variable).scalar.width);
        (0..self.component.variables.len() as u32).map(|each| circuit.any_word(width(VariableId(each)))).collect()
    }

    /// All that the proof says of a location, of these values.
    fn conditions(&self, circuit: &mut Circuit<'_>, location: LocationId, values: &[Word]) -> Literal {
        let Some(here) = self.held.get(&location) else { return TRUE };
        let known = self.table.evaluate(circuit, &here.below, values);
        circuit.all(here.conditions.iter().map(|&condition| known.get(condition).lowest()))
    }

    /// Can a run that starts where the conditions hold, in this case of them, come to an error, or to a location whose
    /// conditions do not hold?
    fn question(
        &self,
        circuit: &mut Circuit<'_>,
        start: LocationId,
        order: &Order,
        case: &[u32],
    ) -> Result<Literal, Refusal> {
        let mut values = self.any_values(circuit);
        // In this case, a variable that is equal to a number is that number.
        for (variable, number) in case.iter().filter_map(|&literal| self.table.equation(literal)) {
            values[variable as usize] = number;
        }
        let known = self.conditions(circuit, start, &values);
        let of_case = self.table.evaluate(circuit, &self.table.below(case), &values);
        let of_case = circuit.all(case.iter().map(|&literal| of_case.get(literal).lowest()));
        let known = circuit.and(known, of_case);
        // What waits between the ends, by its place in the order, and what waits at the ends.
        let mut between: BTreeMap<usize, Vec<Arrival>> = BTreeMap::new();
        let mut ends: BTreeMap<LocationId, Vec<Arrival>> = BTreeMap::new();
        let mut bad: Vec<Literal> = Vec::new();
        between.insert(0, vec![Arrival { here: known, values: Rc::new(values) }]);
        while let Some((place, arrivals)) = between.pop_first() {
            self.budget.check().map_err(|reason| Refusal::Undecided(start, reason))?;
            let Some(here) = joined(circuit, arrivals) else { continue };
            let Some(&location) = order.sequence.get(place) else { continue };
            for (_, edge) in self.component.leaving(location) {
                match edge.instruction {
                    Instruction::Error(_) => bad.push(here.here),
                    Instruction::Return(_) | Instruction::Stop(_) => {}
                    _ => {
                        let behind = self.behind(circuit, &here, edge)?;
                        if behind.here == FALSE {
                            continue;
                        }
                        match order.rank.get(&edge.target) {
                            Some(&place) if !self.is_end(edge.target) => between.entry(place).or_default().push(behind),
                            _ => ends.entry(edge.target).or_default().push(behind),
                        }
                    }
                }
            }
        }
        for (location, arrivals) in ends {
            if let Some(there) = joined(circuit, arrivals) {
                let conditions = self.conditions(circuit, location, &there.values);
                bad.push(circuit.and(there.here, !conditions));
            }
        }
        Ok(circuit.any(bad.into_iter()))
    }

    /// A location where paths end: the proof has it, or it is the entry, of which nothing may be known.
    fn is_end(&self, location: LocationId) -> bool {
        self.held.contains_key(&location) || location == self.component.entry
    }

    /// The locations up to the next ends, each before those that its edges lead to. A cycle among them has no such order.
    fn in_order(&self, start: LocationId) -> Result<Order, Refusal> {
        let (mut open, mut done) = (HashSet::from([start]), HashSet::new());
        let mut order = Vec::new();
        let mut stack = vec![(start, 0_usize)];
        while let Some((here, next)) = stack.last_mut() {
            let here = *here;
            let Some(&edge) = self.component.location(here).leaving.get(*next) else {
                open.remove(&here);
                done.insert(here);
                order.push(here);
                stack.pop();
                continue;
            };
            *next += 1;
            let Edge { target, instruction, .. } = self.component.edge(edge);
            if ends(instruction) || self.is_end(*target) || done.contains(target) {
                continue;
            }
            if !open.insert(*target) {
                return Err(Refusal::Malformed(format!("location {} is on a cycle without conditions", target.0)));
            }
            stack.push((*target, 0));
        }
        order.reverse();
        let rank = order.iter().enumerate().map(|(at, &location)| (location, at)).collect();
        Ok(Order { sequence: order, rank })
    }

    /// Behind an edge that does not end the run.
    fn behind(&self, circuit: &mut Circuit<'_>, here: &Arrival, edge: &Edge) -> Result<Arrival, Refusal> {
        let mut behind = here.clone();
        match &edge.instruction {
            Instruction::Assume(condition) => {
                let condition = self.value(circuit, *condition, &here.values, &mut Known::new())?;
                behind.here = circuit.and(here.here, condition.lowest());
            }
            Instruction::Assign(list) => {
                // Every right-hand side is evaluated before any variable changes.
                let mut known = Known::new();
                for &(variable, value) in list {
                    let value = self.value(circuit, value, &here.values, &mut known)?;
                    Rc::make_mut(&mut behind.values)[variable.0 as usize] = value;
                }
            }
            Instruction::Havoc(variables, _) => self.set_any(circuit, &mut behind, variables.iter()),
            Instruction::Call { result, writes, .. } => {
                self.set_any(circuit, &mut behind, writes.iter().chain(result));
            }
            Instruction::Nop | Instruction::Return(_) | Instruction::Stop(_) | Instruction::Error(_) => {}
        }
        Ok(behind)
    }

    fn value(
        &self,
        circuit: &mut Circuit<'_>,
        expression: TermId,
        values: &[Word],
        known: &mut Known,
    ) -> Result<Word, Refusal> {
        evaluate(circuit, &self.component.terms, expression, values, known)
            .ok_or_else(|| Refusal::Malformed(String::from("the program has an expression that is not finished")))
    }

    fn set_any<'v>(
        &self,
        circuit: &mut Circuit<'_>,
        behind: &mut Arrival,
        variables: impl Iterator<Item = &'v VariableId>,
    ) {
        for &variable in variables {
            let any = circuit.any_word(u32::from(self.component.variable(variable).scalar.width));
            Rc::make_mut(&mut behind.values)[variable.0 as usize] = any;
        }
    }
}

/// Believes that a literal is never true only if the checker of refutations does.
fn is_never(
    circuit: &Circuit<'_>,
    question: Literal,
    location: LocationId,
    refuter: &mut dyn Refuter,
) -> Result<(), Refusal> {
    match circuit.ask(question, refuter) {
        Answer::Never => Ok(()),
        Answer::Possible => Err(Refusal::NotInductive(location)),
        Answer::Unknown(reason) => Err(Refusal::Undecided(location, reason)),
    }
}

/// Where paths meet: of each two, an input says which one was taken. No two conditions are believed to exclude each other.
fn joined(circuit: &mut Circuit<'_>, arrivals: Vec<Arrival>) -> Option<Arrival> {
    let mut arrivals = arrivals.into_iter();
    let mut met = arrivals.next()?;
    for arrival in arrivals {
        let second = circuit.input();
        met.here = circuit.choice(second, arrival.here, met.here);
        if Rc::ptr_eq(&met.values, &arrival.values) {
            continue;
        }
        for (value, other) in Rc::make_mut(&mut met.values).iter_mut().zip(arrival.values.iter()) {
            *value = circuit.select(second, other, value);
        }
    }
    Some(met)
}

/// Whether the run ends here.
fn ends(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Return(_) | Instruction::Stop(_) | Instruction::Error(_))
}
