//! Values that are worth trying for an input: those that the program compares it with, and their neighbours.
//!
//! Variables between which values are copied are one class. A class has the constants that any of its variables is
//! compared with, directly or in a sum with another constant.

use crate::slice::Slice;
use cfront::program::{Component, Instruction, VariableId};
use cfront::term::{Operation, Term, TermId};
use std::collections::HashSet;

/// Constants of one class that are tried.
const CONSTANTS: usize = 48;

/// Classes of variables and their values.
pub(crate) struct Inputs {
    /// By variable: another one of its class, or itself.
    class: Vec<usize>,
    /// By the variable that stands for its class.
    values: Vec<Vec<u64>>,
    /// Variables whose class gets a value from outside.
    outside: HashSet<usize>,
}

impl Inputs {
    pub(crate) fn new(component: &Component, slice: &Slice) -> Inputs {
        let count = component.variables.len();
        let mut found =
            Inputs { class: (0..count).collect(), values: vec![Vec::new(); count], outside: HashSet::new() };
        let live = component.edges.iter().zip(&slice.live).filter(|(_, live)| **live);
        let mut compared: Vec<(usize, u64)> = Vec::new();
        let mut seen = HashSet::new();
        let mut asked: Vec<VariableId> = Vec::new();
        for (edge, _) in live {
            match &edge.instruction {
                Instruction::Assume(condition) => comparisons(component, *condition, &mut seen, &mut compared),
                Instruction::Assign(list) => {
                    for &(variable, value) in list {
                        if let Some((source, _)) = copied(component, value) {
                            found.join(variable.0 as usize, source);
                        }
                        comparisons(component, value, &mut seen, &mut compared);
                    }
                }
                Instruction::Havoc(variables, _) => asked.extend(variables),
                Instruction::Call { result, writes, .. } => asked.extend(writes.iter().chain(result)),
                _ => {}
            }
        }
        found.outside = asked.iter().map(|variable| found.representative(variable.0 as usize)).collect();
        for (variable, value) in compared {
            let class = found.representative(variable);
            let values = &mut found.values[class];
            if values.len() < CONSTANTS && !values.contains(&value) {
                values.push(value);
            }
        }
        found
    }

    fn representative(&self, variable: usize) -> usize {
        let mut at = variable;
        while self.class[at] != at {
            at = self.class[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.representative(a), self.representative(b));
        self.class[a] = b;
    }

    /// Whether values from outside are copied to the variable.
    pub(crate) fn is_from_outside(&self, variable: VariableId) -> bool {
        self.outside.contains(&self.representative(variable.0 as usize))
    }

    /// What to try for a variable, the simplest first.
    pub(crate) fn of(&self, component: &Component, variable: VariableId) -> Vec<u64> {
        let scalar = component.variable(variable).scalar;
        let mut list: Vec<u64> = vec![0, 1];
        let known = &self.values[self.representative(variable.0 as usize)];
        list.extend(known);
        for &value in known {
            list.extend([value.wrapping_add(1), value.wrapping_sub(1)]);
        }
        list.push(u64::MAX);
        let mut seen = HashSet::new();
        list.iter_mut().for_each(|value| *value = scalar.truncate(u128::from(*value)) as u64);
        list.retain(|value| seen.insert(*value));
        list
    }
}

/// The constants that a term compares variables with.
fn comparisons(component: &Component, root: TermId, seen: &mut HashSet<TermId>, found: &mut Vec<(usize, u64)>) {
    let terms = &component.terms;
    let mut waiting = vec![root];
    while let Some(term) = waiting.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Term::Binary(Operation::Equal | Operation::Less | Operation::LessEqual, a, b) = terms.get(term) {
            for (side, other) in [(a, b), (b, a)] {
                if let (Some((variable, shift)), Some(bits)) = (copied(component, side), terms.constant_bits(other)) {
                    found.push((variable, (bits as u64).wrapping_sub(shift)));
                }
            }
        }
        waiting.extend(terms.children(term));
    }
}

/// The variable that a term is, but for its width and a constant that is added.
fn copied(component: &Component, mut term: TermId) -> Option<(usize, u64)> {
    let terms = &component.terms;
    let mut shift = 0_u64;
    loop {
        match terms.get(term) {
            Term::Variable(variable) => return Some((variable.0 as usize, shift)),
            Term::Convert(inner) => term = inner,
            Term::Binary(operation @ (Operation::Add | Operation::Subtract), a, b) => {
                let bits = terms.constant_bits(b)? as u64;
                let bits = if operation == Operation::Add { bits } else { bits.wrapping_neg() };
                shift = shift.wrapping_add(bits);
                term = a;
            }
            _ => return None,
        }
    }
}
