//! Pointers to objects that are gone.
//!
//! When the lifetime of an object ends, the value of every pointer to it becomes indeterminate (C11 6.2.4, paragraph 2):
//! it is any value from then on, so that access through it is an error in some run, and nothing can be proved from where
//! it points. Only pointers that are read again matter; the others have ended, or are assigned first.

use super::{ResolvedEdge, Resolver};
use crate::lower::Result;
use crate::program::{Cause, Instruction, LocationId, ObjectId, VariableId};
use crate::simplify::{read_by, written_by};
use crate::term::{Operation, TermId};
use std::collections::{BTreeMap, HashMap, HashSet};

impl Resolver<'_> {
    /// Ends the lifetimes of objects at edges, which do nothing yet.
    pub(super) fn end_lifetimes(
        &mut self,
        edges: &mut Vec<ResolvedEdge>,
        dying: Vec<(usize, Vec<ObjectId>)>,
    ) -> Result<()> {
        let holders = self.holders();
        let mut ends: BTreeMap<VariableId, Vec<usize>> = BTreeMap::new();
        for (number, objects) in &dying {
            let pointers: HashSet<VariableId> =
                objects.iter().filter_map(|object| holders.get(object)).flatten().copied().collect();
            pointers.into_iter().for_each(|pointer| ends.entry(pointer).or_default().push(*number));
        }
        let lost = self.read_again(edges, ends)?;
        for (number, objects) in dying {
            let (source, target, _, span) = edges[number].clone();
            let pointers = lost.get(&number).map(|list| &list[..]).unwrap_or_default();
            let mut assignments: Vec<(VariableId, TermId)> = Vec::new();
            let mut values = Vec::new();
            for &pointer in pointers {
                let (value, assigned) = self.lose(pointer, &objects, &holders);
                values.push(value);
                assignments.push((pointer, assigned));
            }
            assignments.extend(self.forget_escapes(&objects));
            if assignments.is_empty() {
                continue;
            }
            let middle = self.graph.fresh_before(target);
            edges[number] = (source, middle, Instruction::Havoc(values, Cause::Dead), span);
            edges.push((middle, target, Instruction::Assign(assignments), span));
        }
        Ok(())
    }

    /// By object, the pointers that may hold an address in it.
    fn holders(&self) -> HashMap<ObjectId, Vec<VariableId>> {
        let mut holders: HashMap<ObjectId, Vec<VariableId>> = HashMap::new();
        for (variable, target) in self.points_to.all() {
            if let Some(object) = self.points_to.object_at(&self.graph, target) {
                let list = holders.entry(object).or_default();
                if list.last() != Some(&variable) {
                    list.push(variable);
                }
            }
        }
        holders
    }

    /// A pointer that is any value if it points into one of the objects: that value, and what is assigned.
    fn lose(
        &mut self,
        pointer: VariableId,
        objects: &[ObjectId],
        holders: &HashMap<ObjectId, Vec<VariableId>>,
    ) -> (VariableId, TermId) {
        let held: Vec<ObjectId> = objects
            .iter()
            .copied()
            .filter(|object| holders.get(object).is_some_and(|pointers| pointers.contains(&pointer)))
            .collect();
        let read = self.graph.read(pointer);
        let mut questions = Vec::new();
        for object in held {
            let object = &self.graph.objects[object.0 as usize];
            let (address, size) = (object.address, object.size);
            questions.push(self.inside(read, address, size));
        }
        let points_there = self.graph.terms.balanced(Operation::Or, &questions);
        let known = &self.graph.variables[pointer.0 as usize];
        let (name, procedure, scalar) = (known.name.clone(), known.procedure.clone(), known.scalar);
        let any = self.graph.temporary(name, procedure, scalar, true);
        let value = self.graph.read(any);
        (any, self.graph.terms.select(points_there, value, read))
    }

    /// The locations that can be reached from some.
    fn behind(&self, edges: &[ResolvedEdge], mut todo: Vec<LocationId>) -> Result<HashSet<LocationId>> {
        let mut seen = HashSet::new();
        if todo.is_empty() {
            return Ok(seen);
        }
        let mut leaving: Vec<Vec<LocationId>> = vec![Vec::new(); self.graph.locations.len()];
        edges.iter().for_each(|(source, target, ..)| leaving[source.0 as usize].push(*target));
        while let Some(location) = todo.pop() {
            if seen.insert(location) {
                self.check_size()?;
                todo.extend(&leaving[location.0 as usize]);
            }
        }
        Ok(seen)
    }

    /// By edge, the pointers that may be read behind it before they are assigned.
    fn read_again(
        &self,
        edges: &[ResolvedEdge],
        ends: BTreeMap<VariableId, Vec<usize>>,
    ) -> Result<HashMap<usize, Vec<VariableId>>> {
        let mut entering: Vec<Vec<usize>> = vec![Vec::new(); self.graph.locations.len()];
        let mut readers: HashMap<VariableId, Vec<usize>> = HashMap::new();
        let mut writers: HashMap<VariableId, HashSet<usize>> = HashMap::new();
        let behind = self.behind(edges, ends.values().flatten().map(|&number| edges[number].1).collect())?;
        for (number, (source, target, instruction, _)) in edges.iter().enumerate() {
            if !behind.contains(source) {
                continue;
            }
            self.check_size()?;
            entering[target.0 as usize].push(number);
            for variable in read_by(&self.graph.terms, instruction).into_iter().filter(|v| ends.contains_key(v)) {
                readers.entry(variable).or_default().push(number);
            }
            for variable in written_by(instruction).into_iter().filter(|v| ends.contains_key(v)) {
                writers.entry(variable).or_default().insert(number);
            }
        }
        let mut found: HashMap<usize, Vec<VariableId>> = HashMap::new();
        let none = HashSet::new();
        for (variable, numbers) in ends {
            let writers = writers.get(&variable).unwrap_or(&none);
            let readers = readers.get(&variable).map(|list| &list[..]).unwrap_or_default();
            let mut live = HashSet::new();
            let mut todo: Vec<_> = readers.iter().map(|&reader| edges[reader].0).collect();
            while let Some(location) = todo.pop() {
                if live.insert(location) {
                    self.check_size()?;
                    let passing = entering[location.0 as usize].iter().filter(|number| !writers.contains(number));
                    todo.extend(passing.map(|&number| edges[number].0));
                }
            }
            for number in numbers.into_iter().filter(|&number| live.contains(&edges[number].1)) {
                found.entry(number).or_default().push(variable);
            }
        }
        Ok(found)
    }
}
