//! All ways from one location of a proof to the next ones, as one question.

use super::Refusal;
use super::cases;
use super::table::Table;
use super::words::{Known, evaluate, sort};
use bitvector::{Effort, Outcome, Solver, Sort, TermId, Terms};
use cfront::Component;
use cfront::program::{Edge, Instruction, LocationId, VariableId};
use cfront::term::TermId as CTerm;
use model::budget::Budget;
use model::program_proof::ProgramProof;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What must be unsatisfiable, location by location.
pub(super) struct Derived {
    pub(super) terms: Terms,
    /// All of these terms together.
    pub(super) questions: Vec<(LocationId, Vec<TermId>)>,
}

/// The questions of a proof.
pub(super) fn derive(component: &Component, proof: &ProgramProof, budget: &Budget) -> Result<Derived, Refusal> {
    let mut walk = Walk::new(component, proof)?;
    let mut questions = vec![walk.at_entry()?];
    for start in walk.starts() {
        let whole = walk.whole(start)?;
        let order = walk.in_order(start)?;
        questions.push((start, walk.question(start, &order, &whole, budget)?));
    }
    Ok(Derived { terms: walk.terms, questions })
}

/// Asks all questions, case by case where the conditions are a list of cases.
pub(super) fn ask(
    component: &Component,
    proof: &ProgramProof,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<(), Refusal> {
    let mut walk = Walk::new(component, proof)?;
    let (entry, question) = walk.at_entry()?;
    walk.refute(entry, &question, solver, budget)?;
    for start in walk.starts() {
        let order = walk.in_order(start)?;
        let whole = walk.whole(start)?;
        let cases = cases::split(&walk.terms, &whole.known).unwrap_or_else(|| vec![Vec::new()]);
        for literals in cases {
            let case = walk.case(&whole, literals);
            let question = walk.question(start, &order, &case, budget)?;
            walk.refute(start, &question, solver, budget)?;
        }
    }
    Ok(())
}

/// Locations in an order, the start first, and the place of each in it.
struct Order {
    sequence: Vec<LocationId>,
    rank: HashMap<LocationId, usize>,
}

/// What is assumed where a walk starts.
struct Case {
    /// All of these hold.
    known: Vec<TermId>,
    /// The values of the variables, by number.
    values: Vec<TermId>,
}

/// Where a run may be: under which condition, and with which values of the variables, by number.
#[derive(Clone)]
struct Arrival {
    here: TermId,
    values: Vec<TermId>,
}

struct Walk<'c> {
    component: &'c Component,
    table: Table<'c>,
    terms: Terms,
    variables: Vec<TermId>,
    /// What is known of a variable of a meeting.
    premises: HashMap<TermId, Vec<TermId>>,
    fresh: u64,
}

impl<'c> Walk<'c> {
    fn new(component: &'c Component, proof: &'c ProgramProof) -> Result<Self, Refusal> {
        let mut terms = Terms::new();
        let variables: Vec<TermId> = component
            .variables
            .iter()
            .enumerate()
            .map(|(number, variable)| terms.var(&format!("{}#{number}", variable.name), sort(variable.scalar)))
            .collect();
        let table = Table::new(component, proof, &mut terms, &variables)?;
        Ok(Walk { component, table, terms, variables, premises: HashMap::new(), fresh: 0 })
    }

    /// What is said of the entry must hold of any values.
    fn at_entry(&mut self) -> Result<(LocationId, Vec<TermId>), Refusal> {
        let entry = self.component.entry;
        let known = self.conditions(entry, &self.variables.clone())?;
        Ok((entry, vec![self.terms.not(known)]))
    }

    /// Where walks start.
    fn starts(&self) -> Vec<LocationId> {
        let mut starts = self.table.locations();
        if !self.table.has(self.component.entry) {
            starts.push(self.component.entry);
        }
        starts
    }

    /// All that the proof says of a location, of any values.
    fn whole(&mut self, start: LocationId) -> Result<Case, Refusal> {
        let values = self.variables.clone();
        let known = self.table.each_condition(&mut self.terms, start, &values)?;
        Ok(Case { known, values })
    }

    /// The same with more that holds. A variable that is equal to a constant is that constant.
    fn case(&mut self, whole: &Case, literals: Vec<TermId>) -> Case {
        let mut known = whole.known.clone();
        known.extend(literals);
        let constants: HashMap<TermId, TermId> =
            known.iter().filter_map(|&literal| cases::constant(&mut self.terms, literal)).collect();
        let values = whole.values.iter().map(|variable| constants.get(variable).copied().unwrap_or(*variable));
        Case { values: values.collect(), known }
    }

    /// Believes a question to be unsatisfiable only if the solver says so, or if it is so on its face.
    fn refute(
        &self,
        location: LocationId,
        question: &[TermId],
        solver: &mut dyn Solver,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        if question.contains(&self.terms.bool(false)) {
            return Ok(());
        }
        match solver.check(&self.terms, question, &Effort::from(budget)) {
            Outcome::Unsat(_) => Ok(()),
            Outcome::Sat(_) => Err(Refusal::NotInductive(location)),
            Outcome::Unknown(reason) => Err(Refusal::Undecided(location, reason)),
        }
    }

    /// Can a run that starts where the conditions hold come to an error, or to a location whose conditions do not hold?
    fn question(
        &mut self,
        start: LocationId,
        order: &Order,
        case: &Case,
        budget: &Budget,
    ) -> Result<Vec<TermId>, Refusal> {
        // What waits between the ends, by its place in the order, and what waits at the ends.
        let mut between: BTreeMap<usize, Vec<Arrival>> = BTreeMap::new();
        let mut ends: BTreeMap<LocationId, Vec<Arrival>> = BTreeMap::new();
        let mut bad: Vec<TermId> = Vec::new();
        let nowhere = self.terms.bool(false);
        let first = Arrival { here: self.terms.bool(true), values: case.values.clone() };
        between.insert(0, vec![first]);
        while let Some((place, arrivals)) = between.pop_first() {
            budget.check().map_err(|reason| Refusal::Undecided(start, reason))?;
            let here = self.meeting(arrivals);
            let component = self.component;
            let Some(&location) = order.sequence.get(place) else { continue };
            for (_, edge) in component.leaving(location) {
                match edge.instruction {
                    Instruction::Error(_) => bad.push(here.here),
                    Instruction::Return(_) | Instruction::Stop(_) => {}
                    _ => {
                        let behind = self.behind(&here, edge)?;
                        if behind.here == nowhere {
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
            let there = self.meeting(arrivals);
            let conditions = self.conditions(location, &there.values)?;
            let broken = self.terms.not(conditions);
            bad.push(self.terms.and(there.here, broken));
        }
        let mut question = case.known.clone();
        question.push(self.terms.or_all(&bad));
        self.add_premises(&mut question);
        Ok(question)
    }

    fn conditions(&mut self, location: LocationId, values: &[TermId]) -> Result<TermId, Refusal> {
        self.table.conditions(&mut self.terms, location, values)
    }

    /// A location where ways end: the proof has it, or it is the entry, of which nothing may be known.
    fn is_end(&self, location: LocationId) -> bool {
        self.table.has(location) || location == self.component.entry
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
    fn behind(&mut self, here: &Arrival, edge: &Edge) -> Result<Arrival, Refusal> {
        let mut behind = here.clone();
        match &edge.instruction {
            Instruction::Assume(condition) => {
                let condition = self.value(*condition, &here.values, &mut Known::new())?;
                behind.here = self.terms.and(here.here, condition);
            }
            Instruction::Assign(list) => {
                // Every right-hand side is evaluated before any variable changes.
                let mut known = Known::new();
                for &(variable, value) in list {
                    let value = self.value(value, &here.values, &mut known)?;
                    set(&mut behind, variable, value);
                }
            }
            Instruction::Havoc(variables, _) => self.set_any(&mut behind, variables.iter()),
            Instruction::Call { result, writes, .. } => self.set_any(&mut behind, writes.iter().chain(result)),
            Instruction::Nop | Instruction::Return(_) | Instruction::Stop(_) | Instruction::Error(_) => {}
        }
        Ok(behind)
    }

    fn value(&mut self, expression: CTerm, values: &[TermId], known: &mut Known) -> Result<TermId, Refusal> {
        evaluate(&mut self.terms, &self.component.terms, expression, values, known)
            .ok_or_else(|| Refusal::Malformed(String::from("the program has an expression that is not finished")))
    }

    fn set_any<'v>(&mut self, behind: &mut Arrival, variables: impl Iterator<Item = &'v VariableId>) {
        for &variable in variables {
            let any = self.fresh(sort(self.component.variable(variable).scalar));
            set(behind, variable, any);
        }
    }

    fn fresh(&mut self, sort: Sort) -> TermId {
        self.fresh += 1;
        self.terms.var(&format!("?{}", self.fresh), sort)
    }

    /// Where ways meet.
    fn meeting(&mut self, arrivals: Vec<Arrival>) -> Arrival {
        if arrivals.len() < 2 {
            let nobody = || Arrival { here: self.terms.bool(false), values: self.variables.clone() };
            return arrivals.into_iter().next().unwrap_or_else(nobody);
        }
        let mut met = arrivals[0].clone();
        let taken: Vec<TermId> = arrivals.iter().map(|_| self.fresh(Sort::Bool)).collect();
        for (&taken, arrival) in taken.iter().zip(&arrivals) {
            let premise = self.terms.implies(taken, arrival.here);
            self.premises.entry(taken).or_default().push(premise);
        }
        for (at, met) in met.values.iter_mut().enumerate() {
            if arrivals.iter().all(|arrival| arrival.values[at] == *met) {
                continue;
            }
            let value = self.fresh(self.terms.sort(*met));
            for (&taken, arrival) in taken.iter().zip(&arrivals) {
                let same = self.terms.eq(value, arrival.values[at]);
                let premise = self.terms.implies(taken, same);
                self.premises.entry(value).or_default().push(premise);
            }
            *met = value;
        }
        met.here = self.terms.or_all(&taken);
        met
    }

    /// Adds what is known of the variables of meetings that the question speaks of, and of those that this speaks of. What
    /// is left out speaks of none of them: fewer premises make an obligation harder to prove, never easier.
    fn add_premises(&self, question: &mut Vec<TermId>) {
        let mut seen: HashSet<TermId> = HashSet::new();
        let mut waiting: Vec<TermId> = question.clone();
        while let Some(term) = waiting.pop() {
            if !seen.insert(term) {
                continue;
            }
            waiting.extend_from_slice(self.terms.node(term).arguments());
            for &premise in self.premises.get(&term).into_iter().flatten() {
                question.push(premise);
                waiting.push(premise);
            }
        }
    }
}

/// Whether the run ends here.
fn ends(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Return(_) | Instruction::Stop(_) | Instruction::Error(_))
}

fn set(arrival: &mut Arrival, variable: VariableId, value: TermId) {
    if let Some(slot) = arrival.values.get_mut(variable.0 as usize) {
        *slot = value;
    }
}
