//! Accesses through pointers and indices to variables that other components use, too.
//!
//! A selection over all that an address can mean would load every one of them. An access is one step to one variable, so
//! there is a branch for each variable that can be meant. The last one is taken if none of the others is: the check that
//! stands before each access has made sure that it is one of them.

use super::{Candidates, ResolvedEdge, Resolver};
use crate::lower::Result;
use crate::lower::graph::Step;
use crate::program::{Cause, Instruction, LocationId};
use crate::term::{Memory, Operation, Term, TermId};

/// What is done, and under which condition.
pub(super) type Cases = Vec<(TermId, Instruction)>;

impl Resolver<'_> {
    /// The cases of an access that may be one to a shared variable; none if it is no such access.
    pub(super) fn accessed(&mut self, step: &Step) -> Result<Option<Cases>> {
        match step {
            Step::Plain(Instruction::Assign(list)) => match list[..] {
                [(into, term)] => self.loads(into, term),
                _ => Ok(None),
            },
            Step::Store(list) => match list[..] {
                [(address, value)] => self.one_store(address, value),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn is_shared(&self, candidates: &Candidates) -> bool {
        candidates.iter().any(|&(_, variable)| self.graph.shared[variable.0 as usize])
    }

    fn loads(&mut self, into: crate::program::VariableId, term: TermId) -> Result<Option<Cases>> {
        let Term::Memory(Memory::Load(address)) = self.graph.terms.get(term) else { return Ok(None) };
        let candidates = self.candidates(address, self.graph.terms.scalar(term))?;
        if !self.is_shared(&candidates) {
            return Ok(None);
        }
        let conditions = self.conditions(address, &candidates)?;
        let cases = conditions.into_iter().zip(candidates).map(|(condition, (_, variable))| {
            let instruction = match self.graph.shared[variable.0 as usize] {
                true => Instruction::Havoc(vec![into], Cause::Shared(variable)),
                false => {
                    let value = self.graph.read(variable);
                    let scalar = self.graph.scalar_of(into);
                    Instruction::Assign(vec![(into, self.graph.terms.convert(value, scalar))])
                }
            };
            (condition, instruction)
        });
        Ok(Some(cases.collect()))
    }

    fn one_store(&mut self, address: TermId, value: TermId) -> Result<Option<Cases>> {
        let candidates = self.candidates(address, self.graph.terms.scalar(value))?;
        if !self.is_shared(&candidates) {
            return Ok(None);
        }
        let (conditions, value) = (self.conditions(address, &candidates)?, self.term(value)?);
        let cases = conditions.into_iter().zip(candidates).map(|(condition, (_, variable))| {
            let value = self.graph.terms.convert(value, self.graph.scalar_of(variable));
            (condition, Instruction::Assign(vec![(variable, value)]))
        });
        Ok(Some(cases.collect()))
    }

    /// When each of the candidates is meant: exactly one of these conditions holds.
    fn conditions(&mut self, address: TermId, candidates: &Candidates) -> Result<Vec<TermId>> {
        let address = self.address(address)?;
        let mut conditions: Vec<TermId> = Vec::new();
        for (number, &(target, _)) in candidates.iter().enumerate() {
            let condition = match number + 1 == candidates.len() {
                false => self.means(&address, target),
                true => {
                    let others = self.graph.terms.balanced(Operation::Or, &conditions);
                    self.graph.terms.not(others)
                }
            };
            conditions.push(condition);
        }
        Ok(conditions)
    }

    /// A branch for each case.
    pub(super) fn one_of_cases(
        &mut self,
        source: LocationId,
        target: LocationId,
        cases: Cases,
        edges: &mut Vec<ResolvedEdge>,
    ) {
        for (condition, instruction) in cases {
            let middle = self.graph.fresh_before(source);
            edges.push((source, middle, Instruction::Assume(condition), self.span));
            edges.push((middle, target, instruction, self.span));
        }
    }
}
