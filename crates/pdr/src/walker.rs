//! A fast interpreter for the slice: what [`cfront::interpret`] does, for the variables that matter only.
//!
//! It is not trusted. What it finds is replayed by the interpreter, or proved by induction.

use crate::slice::Slice;
use cfront::program::{Component, EdgeId, ErrorKind, Instruction, LocationId, VariableId};
use cfront::term::{Term, TermId, apply, convert};

/// Where a walk came to a stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// At a cut point.
    Cut,
    /// Before an edge that asks for inputs that matter.
    Input(EdgeId),
    /// No error lies ahead.
    End,
    /// An error.
    Error(ErrorKind),
    /// As many steps as were allowed.
    Steps,
}

/// Walks along the graph with numbers.
pub(crate) struct Walker<'c> {
    component: &'c Component,
    /// By variable: its place in the slice.
    place: Vec<Option<usize>>,
    /// By term: its value, and in which state it was computed.
    known: Vec<(u64, u128)>,
    state: u64,
    /// By edge: whether it asks for inputs that matter.
    asks: Vec<bool>,
    /// By edge: whether it was taken.
    taken: Vec<bool>,
    /// Whether an edge was taken for the first time since this was last cleared.
    pub(crate) news: bool,
}

impl<'c> Walker<'c> {
    pub(crate) fn new(component: &'c Component, slice: &Slice) -> Walker<'c> {
        let mut place = vec![None; component.variables.len()];
        for (at, variable) in slice.variables.iter().enumerate() {
            place[variable.0 as usize] = Some(at);
        }
        let known = vec![(0, 0); component.terms.len()];
        let edges = component.edges.len();
        let (asks, taken) = (vec![false; edges], vec![false; edges]);
        let mut walker = Walker { component, place, known, state: 0, asks, taken, news: false };
        walker.asks = (0..edges as u32).map(|edge| !walker.asked(EdgeId(edge)).is_empty()).collect();
        walker
    }

    /// The place of a variable among the values, if it matters.
    pub(crate) fn place(&self, variable: VariableId) -> Option<usize> {
        self.place.get(variable.0 as usize).copied().flatten()
    }

    /// The variables that matter among those that an edge asks for, in the order of the interpreter.
    pub(crate) fn asked(&self, edge: EdgeId) -> Vec<VariableId> {
        let matter = |variable: &&VariableId| self.place(**variable).is_some();
        match &self.component.edge(edge).instruction {
            Instruction::Havoc(variables, _) => variables.iter().filter(matter).copied().collect(),
            Instruction::Call { result, writes, .. } => writes.iter().chain(result).filter(matter).copied().collect(),
            _ => Vec::new(),
        }
    }

    /// Walks to the next stop. At least one step is made, so a walk may start at a cut point.
    pub(crate) fn walk(
        &mut self,
        slice: &Slice,
        is_cut: &[Option<usize>],
        location: &mut LocationId,
        values: &mut [u64],
        steps: &mut usize,
    ) -> Stop {
        self.state += 1;
        let component = self.component;
        loop {
            let mut chosen = None;
            for (id, edge) in component.leaving(*location) {
                match edge.instruction {
                    Instruction::Assume(_) if slice.idle[id.0 as usize] => {}
                    Instruction::Assume(condition) if self.evaluate(condition, values) != 1 => continue,
                    _ => {}
                }
                chosen = Some((id, edge));
                break;
            }
            let Some((id, edge)) = chosen.filter(|(id, _)| slice.live[id.0 as usize]) else { return Stop::End };
            if *steps == 0 {
                return Stop::Steps;
            }
            *steps -= 1;
            match &edge.instruction {
                Instruction::Error(kind) => return Stop::Error(*kind),
                Instruction::Assign(list) => self.assign(list, values),
                _ if self.asks[id.0 as usize] => return Stop::Input(id),
                _ => {}
            }
            self.take(id);
            *location = edge.target;
            if is_cut[location.0 as usize].is_some() {
                return Stop::Cut;
            }
        }
    }

    /// Notes that an edge is taken.
    pub(crate) fn take(&mut self, edge: EdgeId) {
        if !std::mem::replace(&mut self.taken[edge.0 as usize], true) {
            self.news = true;
        }
    }

    fn assign(&mut self, list: &[(VariableId, TermId)], values: &mut [u64]) {
        if let &[(variable, term)] = list {
            if let Some(at) = self.place(variable) {
                values[at] = self.evaluate(term, values) as u64;
                self.state += 1;
            }
            return;
        }
        let new: Vec<(usize, u64)> = list
            .iter()
            .filter_map(|&(variable, term)| Some((self.place(variable)?, self.evaluate(term, values) as u64)))
            .collect();
        for (at, value) in new {
            values[at] = value;
        }
        self.state += 1;
    }

    /// The value of a term. Terms are as deep as the interpreter allows.
    fn evaluate(&mut self, id: TermId, values: &[u64]) -> u128 {
        let terms = &self.component.terms;
        let scalar = terms.scalar(id);
        match terms.get(id) {
            Term::Constant(bits) => return bits,
            Term::Variable(variable) => {
                return scalar.truncate(self.place(variable).map_or(0, |at| u128::from(values[at])));
            }
            _ => {}
        }
        let (state, bits) = self.known[id.0 as usize];
        if state == self.state {
            return bits;
        }
        let bits = match terms.get(id) {
            Term::Not(a) => scalar.truncate(!self.evaluate(a, values)),
            Term::Negate(a) => scalar.truncate(self.evaluate(a, values).wrapping_neg()),
            Term::Convert(a) => convert(terms.scalar(a), scalar, self.evaluate(a, values)),
            Term::Binary(operation, a, b) => {
                let left = self.evaluate(a, values);
                apply(operation, terms.scalar(a), left, self.evaluate(b, values))
            }
            Term::Select(condition, a, b) => {
                let chosen = if self.evaluate(condition, values) == 1 { a } else { b };
                self.evaluate(chosen, values)
            }
            Term::Constant(_) | Term::Variable(_) | Term::Memory(_) => 0,
        };
        self.known[id.0 as usize] = (self.state, bits);
        bits
    }
}
