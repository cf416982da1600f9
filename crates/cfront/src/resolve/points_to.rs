//! What pointers can point to: a set of addresses for each pointer variable.
//!
//! Andersen's analysis: without regard to the order of steps, every assignment adds what its right-hand side can be to
//! what its left-hand side can be, until nothing is added. Addresses are those of bytes, so fields and elements are told
//! apart. The sets are finite, because arithmetic that leaves an object is an error of the program and is not followed.
//! A pointer of unknown origin (not initialised, any value, from a routine without a body) points to nothing: access
//! through it is an error for all but the values that are in the set for other reasons.

use crate::lower::Result;
use crate::lower::graph::{Graph, Step};
use crate::patience::Patience;
use crate::program::{Instruction, ObjectId, VariableId};
use crate::term::{Memory, Term, TermId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A pointer to more places than this is taken to walk through its object.
const WALK: usize = 32;

/// A set of addresses.
pub(super) type Addresses = BTreeSet<u64>;

pub(super) struct PointsTo {
    sets: HashMap<VariableId, Addresses>,
    /// Objects by their first address.
    objects: BTreeMap<u64, ObjectId>,
}

impl PointsTo {
    /// The least sets that all steps agree with.
    pub fn new(graph: &Graph, budget: &Patience<'_>) -> Result<Self> {
        let objects = graph.objects.iter().enumerate().map(|(n, object)| (object.address, ObjectId(n as u32)));
        let mut analysis = PointsTo { sets: HashMap::new(), objects: objects.collect() };
        let (mut assignments, mut stores) = (Vec::new(), Vec::new());

        for edge in &graph.edges {
            match &edge.step {
                Step::Plain(Instruction::Assign(list)) => {
                    let pointers = list.iter().filter(|(variable, term)| {
                        graph.variables[variable.0 as usize].pointer && graph.terms.constant_bits(*term).is_none()
                    });
                    assignments.extend(pointers.map(|&(variable, term)| (variable, term, edge.span)));
                }
                Step::Store(list) => stores.extend(list.iter().map(|&(address, value)| (address, value, edge.span))),
                _ => {}
            }
        }
        loop {
            let mut changed = false;
            for &(variable, term, span) in &assignments {
                budget.check(|| span)?;
                let found = analysis.targets(graph, term);
                changed |= analysis.add(variable, found);
            }
            for &(address, value, span) in &stores {
                budget.check(|| span)?;
                let found = analysis.targets(graph, value);
                if found.is_empty() {
                    continue;
                }
                for target in analysis.targets(graph, address) {
                    budget.check(|| span)?;
                    if let Some(variable) = analysis.variable_at(graph, target)
                        && graph.variables[variable.0 as usize].pointer
                    {
                        changed |= analysis.add(variable, found.clone());
                    }
                }
            }
            if !changed {
                return Ok(analysis);
            }
        }
    }

    fn add(&mut self, variable: VariableId, more: Addresses) -> bool {
        let set = self.sets.entry(variable).or_default();
        let before = set.len();
        set.extend(more);
        set.len() > before
    }

    /// All pointers with all that they can point to, in order.
    pub fn all(&self) -> Vec<(VariableId, u64)> {
        let mut all: Vec<(VariableId, u64)> =
            self.sets.iter().flat_map(|(&variable, set)| set.iter().map(move |&target| (variable, target))).collect();
        all.sort_unstable();
        all
    }

    /// What a variable can point to.
    pub fn set(&self, variable: VariableId) -> impl Iterator<Item = u64> {
        self.sets.get(&variable).into_iter().flatten().copied()
    }

    /// The object that an address lies in, or one past whose end it is.
    pub fn object_at(&self, graph: &Graph, address: u64) -> Option<ObjectId> {
        let (_, &object) = self.objects.range(..=address).next_back()?;
        let found = &graph.objects[object.0 as usize];
        (address <= found.address + found.size).then_some(object)
    }

    /// The variable that begins at an address.
    pub fn variable_at(&self, graph: &Graph, address: u64) -> Option<VariableId> {
        let object = self.object_at(graph, address)?;
        graph.at(object, address - graph.objects[object.0 as usize].address)
    }

    /// What a term can point to.
    pub fn targets(&self, graph: &Graph, term: TermId) -> Addresses {
        match graph.terms.get(term) {
            Term::Variable(variable) => self.sets.get(&variable).cloned().unwrap_or_default(),
            Term::Convert(inner) => self.targets(graph, inner),
            Term::Select(_, a, b) => {
                let mut both = self.targets(graph, a);
                both.extend(self.targets(graph, b));
                both
            }
            Term::Memory(Memory::Address(object, offset)) => {
                let object = &graph.objects[object.0 as usize];
                (offset <= object.size).then_some(object.address + offset).into_iter().collect()
            }
            Term::Memory(Memory::Load(address)) => {
                let variables = self.targets(graph, address).into_iter();
                let variables = variables.filter_map(|target| self.variable_at(graph, target));
                variables.filter_map(|variable| self.sets.get(&variable)).flatten().copied().collect()
            }
            Term::Memory(Memory::Offset(base, index, stride, length)) => {
                self.moved(graph, base, index, (stride, length))
            }
            _ => Addresses::new(),
        }
    }

    fn moved(&self, graph: &Graph, base: TermId, index: TermId, (stride, length): (u64, u64)) -> Addresses {
        let mut found = Addresses::new();
        let starts = self.targets(graph, base);
        // A pointer that walks gets to every step; to follow it one by one takes too long.
        let walks = starts.len() > WALK;
        let mut begun = Addresses::new();
        for start in starts {
            let Some(object) = self.object_at(graph, start) else { continue };
            let object = &graph.objects[object.0 as usize];
            let end = object.address + object.size;
            if let Some(bits) = graph.terms.constant_bits(index).filter(|_| !walks || stride == 1) {
                let distance = graph.terms.scalar(index).value(bits).saturating_mul(i128::from(stride));
                let moved = u64::try_from(i128::from(start).saturating_add(distance));
                found.extend(moved.ok().filter(|moved| (object.address..=end).contains(moved)));
            } else if stride == 0 {
                found.insert(start);
            } else if length > 0 {
                let steps = (0..length).map(|step| start.saturating_add(step.saturating_mul(stride)));
                found.extend(steps.take_while(|address| *address <= end));
            } else {
                let first = object.address + (start - object.address) % stride;
                if !begun.insert(first) {
                    continue;
                }
                found.extend((first..=end).step_by(usize::try_from(stride).unwrap_or(usize::MAX)));
            }
        }
        found
    }
}
