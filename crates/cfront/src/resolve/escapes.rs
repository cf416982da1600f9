//! What a routine without a body may write.
//!
//! It can write what it reaches from its pointer arguments, through pointers in there, and so on. It may also keep the
//! addresses that it got, for itself and for every other routine without a body: from then on each call of one may write
//! there. A bit for each object that can be concerned says whether its address has got out. Routines of the C library keep
//! nothing, and write through their arguments only.
//!
//! Which objects a pointer means is decided when the call is made, so the writes are conditional: `x := reached ? any : x`.

use super::points_to::{Addresses, PointsTo};
use super::{ResolvedEdge, Resolver};
use crate::codes::Say;
use crate::lower::Result;
use crate::lower::graph::{Graph, Step};
use crate::patience::Patience;
use crate::program::{Instruction, LocationId, ObjectId, Variable, VariableId};
use crate::standard::keeps_pointers;
use crate::term::{Operation, Scalar, TermId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// More objects than this, or longer chains of pointers, are taken to be reached altogether.
const OBJECTS: usize = 64;
const ROUNDS: usize = 16;

/// Objects whose address can be known outside.
pub(super) struct Escapes {
    /// By edge of a call: the objects whose address may have got out before.
    before: HashMap<usize, BTreeSet<ObjectId>>,
    /// Whether the address of an object has got out, as a variable.
    bits: BTreeMap<ObjectId, VariableId>,
}

impl Escapes {
    pub fn new(graph: &mut Graph, points_to: &PointsTo, budget: &Patience<'_>) -> Result<Self> {
        let mut sites = Vec::new();
        for (number, edge) in graph.edges.iter().enumerate() {
            if let Step::Call { routine, reach, .. } = &edge.step
                && keeps_pointers(routine)
            {
                let targets = reach.iter().flat_map(|&pointer| points_to.targets(graph, pointer)).collect();
                sites.push((number, closure(graph, points_to, targets)));
            }
        }
        let mut before: HashMap<usize, BTreeSet<ObjectId>> = HashMap::new();
        if sites.iter().any(|(_, objects)| !objects.is_empty()) {
            let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); graph.locations.len()];
            graph.edges.iter().enumerate().for_each(|(number, edge)| leaving[edge.source.0 as usize].push(number));
            for (site, objects) in sites.iter().filter(|(_, objects)| !objects.is_empty()) {
                let mut seen: HashSet<LocationId> = HashSet::new();
                let mut todo = vec![graph.edges[*site].target];
                while let Some(location) = todo.pop() {
                    budget.check(|| graph.edges[*site].span)?;
                    if seen.insert(location) {
                        todo.extend(leaving[location.0 as usize].iter().map(|&number| graph.edges[number].target));
                    }
                }
                for (later, _) in sites.iter().filter(|(later, _)| seen.contains(&graph.edges[*later].source)) {
                    before.entry(*later).or_default().extend(objects);
                }
            }
        }
        let concerned: BTreeSet<ObjectId> = before.values().flatten().copied().collect();
        let mut bits = BTreeMap::new();
        for object in concerned {
            let name = format!("{}#escaped", graph.objects[object.0 as usize].name);
            bits.insert(object, graph.temporary(name, None, Scalar::BOOL, false));
        }
        Ok(Escapes { before, bits })
    }
}

/// The objects that can be reached from addresses, but constants.
fn closure(graph: &Graph, points_to: &PointsTo, targets: Addresses) -> BTreeSet<ObjectId> {
    let (mut todo, mut found): (Vec<u64>, BTreeSet<ObjectId>) = (targets.into_iter().collect(), BTreeSet::new());
    while let Some(target) = todo.pop() {
        let Some(object) = points_to.object_at(graph, target) else { continue };
        if !graph.constant[object.0 as usize] && found.insert(object) {
            let variables = &graph.objects[object.0 as usize].variables;
            variables.iter().for_each(|&variable| todo.extend(points_to.set(variable)));
        }
    }
    found
}

/// Variables that get any value, and what is assigned behind that.
type Written = (Vec<VariableId>, Vec<(VariableId, TermId)>);

impl Resolver<'_> {
    /// The objects whose addresses a routine gets, or finds there.
    pub(super) fn lent<'t>(&self, pointers: impl Iterator<Item = &'t TermId>) -> Vec<ObjectId> {
        let targets = pointers.flat_map(|&pointer| self.points_to.targets(&self.graph, pointer)).collect();
        closure(&self.graph, &self.points_to, targets).into_iter().collect()
    }

    /// The variables to which a call gives any value, and what is assigned behind it.
    pub(super) fn written(&mut self, call: usize, routine: &str, pointers: &[TermId]) -> Result<Written> {
        let mut targets = Addresses::new();
        pointers.iter().for_each(|&pointer| targets.extend(self.points_to.targets(&self.graph, pointer)));
        let earlier = self.escapes.before.get(&call).cloned().unwrap_or_default();
        targets.extend(earlier.iter().map(|object| self.graph.objects[object.0 as usize].address));
        let objects = closure(&self.graph, &self.points_to, targets);
        self.refuse_callbacks(routine, &objects)?;
        let reached = self.reached(pointers, &earlier, &objects)?;
        let always = reached.values().all(|&condition| self.graph.terms.constant_bits(condition).is_some());
        let (mut writes, mut kept) = (Vec::new(), Vec::new());
        for (&object, &condition) in &reached {
            if self.graph.terms.constant_bits(condition) == Some(0) {
                continue;
            }
            for variable in self.graph.objects[object.0 as usize].variables.clone() {
                if always {
                    writes.push(variable);
                    continue;
                }
                // All conditions are about the values before the call.
                let Variable { name, procedure, scalar, pointer, .. } =
                    self.graph.variables[variable.0 as usize].clone();
                let any = self.graph.temporary(name, procedure, scalar, pointer);
                writes.push(any);
                let (new, old) = (self.graph.read(any), self.graph.read(variable));
                kept.push((variable, self.graph.terms.select(condition, new, old)));
            }
            self.check_size()?;
        }
        if keeps_pointers(routine) {
            let bits =
                reached.iter().filter_map(|(object, &condition)| Some((*self.escapes.bits.get(object)?, condition)));
            kept.extend(bits);
        }
        Ok((writes, kept))
    }

    /// A routine could call a procedure that it reaches.
    fn refuse_callbacks(&self, routine: &str, objects: &BTreeSet<ObjectId>) -> Result<()> {
        for object in objects {
            let function = self.graph.objects[object.0 as usize].function.as_deref();
            if let Some(function) = function.filter(|&name| (self.has_body)(name)) {
                let message = format!("`{routine}` has no body, and could call `{function}`, whose address it gets");
                return Err(Box::new(Say::FunctionPointer.at(self.span, message)));
            }
        }
        Ok(())
    }

    /// When each of the objects is reached: from the pointers, from what has got out, or through pointers in either.
    fn reached(
        &mut self,
        pointers: &[TermId],
        earlier: &BTreeSet<ObjectId>,
        objects: &BTreeSet<ObjectId>,
    ) -> Result<BTreeMap<ObjectId, TermId>> {
        let everything = self.graph.terms.truth(true);
        let all: BTreeMap<ObjectId, TermId> = objects.iter().map(|&object| (object, everything)).collect();
        if objects.len() > OBJECTS {
            return Ok(all);
        }
        let mut first: BTreeMap<ObjectId, TermId> = BTreeMap::new();
        for &pointer in pointers {
            let targets = self.points_to.targets(&self.graph, pointer);
            let pointer = self.term(pointer)?;
            self.add_meant(pointer, targets, everything, objects, &mut first);
        }
        for object in earlier {
            if let Some(&bit) = self.escapes.bits.get(object) {
                let escaped = self.graph.read(bit);
                self.add_condition(*object, escaped, &mut first);
            }
        }
        let mut now = first.clone();
        for _ in 0..ROUNDS {
            let mut next = first.clone();
            for (&object, &condition) in &now {
                for variable in self.graph.objects[object.0 as usize].variables.clone() {
                    let targets: Addresses = self.points_to.set(variable).collect();
                    if !targets.is_empty() {
                        let pointer = self.graph.read(variable);
                        self.add_meant(pointer, targets, condition, objects, &mut next);
                    }
                }
            }
            self.check_size()?;
            if next == now {
                return Ok(now);
            }
            now = next;
        }
        Ok(all)
    }

    /// The objects that a pointer means are reached under a condition.
    fn add_meant(
        &mut self,
        pointer: TermId,
        targets: Addresses,
        condition: TermId,
        objects: &BTreeSet<ObjectId>,
        found: &mut BTreeMap<ObjectId, TermId>,
    ) {
        let meant = targets.into_iter().filter_map(|target| self.points_to.object_at(&self.graph, target));
        let meant: BTreeSet<ObjectId> = meant.filter(|object| objects.contains(object)).collect();
        for object in meant {
            let known = &self.graph.objects[object.0 as usize];
            let (address, size) = (known.address, known.size);
            let points_there = self.inside(pointer, address, size);
            let both = self.graph.terms.and(condition, points_there);
            self.add_condition(object, both, found);
        }
    }

    fn add_condition(&mut self, object: ObjectId, condition: TermId, found: &mut BTreeMap<ObjectId, TermId>) {
        let condition = match found.get(&object) {
            Some(&known) => self.graph.terms.balanced(Operation::Or, &[known, condition]),
            None => condition,
        };
        found.insert(object, condition);
    }

    /// At the start no address has got out.
    pub(super) fn begin_unescaped(&mut self, start: LocationId, edges: &mut [ResolvedEdge]) {
        let none = self.graph.terms.truth(false);
        let bits: Vec<(VariableId, TermId)> = self.escapes.bits.values().map(|&bit| (bit, none)).collect();
        for (source, _, instruction, _) in edges {
            if *source == start
                && let Instruction::Assign(list) = instruction
            {
                list.extend(bits.iter().copied());
            }
        }
    }

    /// A new object at an old address has not got out.
    pub(super) fn forget_escapes(&mut self, objects: &[ObjectId]) -> Vec<(VariableId, TermId)> {
        let none = self.graph.terms.truth(false);
        objects.iter().filter_map(|object| self.escapes.bits.get(object).map(|&bit| (bit, none))).collect()
    }
}
