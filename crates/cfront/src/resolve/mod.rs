//! Pointers become case splits: from a graph with symbolic memory to one with variables only.
//!
//! `points_to` says which addresses a pointer can hold. A load becomes a selection over the variables at those
//! addresses, a store a simultaneous assignment to all of them, each keeping its value unless it is the one that is
//! meant. The check that an address is one of them stands before each access, as an edge of its own.
//!
//! `lifetimes` makes pointers to objects that are gone indeterminate; `escapes` says what routines without a body may
//! write.

mod escapes;
mod lifetimes;
mod points_to;
mod shared;

use crate::codes::Say;
use crate::lower::Result;
use crate::lower::graph::{Graph, RawEdge, RawLocation, Step};
use crate::patience::Patience;
use crate::program::{Cause, Instruction, LocationId, Object, ObjectId, Variable, VariableId};
use crate::term::{Memory, Operation, Scalar, Term, TermId, Terms};
use crate::types::DataModel;
use escapes::Escapes;
use model::source::Span;
use points_to::{Addresses, PointsTo};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// More terms than this are too many for whoever comes behind.
const TERMS: usize = 1_000_000;

/// A graph without memory.
pub(crate) struct Resolved {
    pub terms: Terms,
    pub variables: Vec<Variable>,
    /// By variable: other components use it, too.
    pub shared: Vec<bool>,
    pub objects: Vec<Object>,
    pub locations: Vec<RawLocation>,
    pub edges: Vec<ResolvedEdge>,
}

/// From where, to where, what, and the text that it comes from.
pub(crate) type ResolvedEdge = (LocationId, LocationId, Instruction, Span);

/// Resolves all accesses to memory.
pub(crate) fn resolve(
    mut graph: Graph,
    start: LocationId,
    model: DataModel,
    has_body: &dyn Fn(&str) -> bool,
    budget: &Patience<'_>,
) -> Result<Resolved> {
    let points_to = PointsTo::new(&graph, budget)?;
    let escapes = Escapes::new(&mut graph, &points_to, budget)?;
    let (pointer, known) = (model.pointer(), HashMap::new());
    let mut resolver = Resolver { graph, points_to, escapes, pointer, known, has_body, budget, span: Span::NONE };
    let raw = std::mem::take(&mut resolver.graph.edges);
    let mut edges = Vec::with_capacity(raw.len());
    let mut dying = Vec::new();
    for (number, RawEdge { source, target, step, span }) in raw.into_iter().enumerate() {
        resolver.span = span;
        let instruction = match step {
            Step::Dies(objects) => {
                dying.push((edges.len(), objects));
                Instruction::Nop
            }
            Step::Call { routine, arguments, result, reach, looks } => {
                let arguments = arguments.into_iter().map(|term| resolver.term(term)).collect::<Result<_>>()?;
                let (writes, kept) = resolver.written(number, &routine, &reach)?;
                let lent = resolver.lent(reach.iter().chain(&looks));
                let middle = if kept.is_empty() { target } else { resolver.graph.fresh_before(target) };
                if !kept.is_empty() {
                    edges.push((middle, target, Instruction::Assign(kept), span));
                }
                edges.push((source, middle, Instruction::Call { routine, arguments, result, writes, lent }, span));
                continue;
            }
            step => match resolver.accessed(&step)? {
                Some(cases) => {
                    resolver.one_of_cases(source, target, cases, &mut edges);
                    continue;
                }
                None => resolver.step(step)?,
            },
        };
        edges.push((source, target, instruction, span));
        resolver.check_size()?;
    }
    resolver.begin_unescaped(start, &mut edges);
    resolver.end_lifetimes(&mut edges, dying)?;
    let Graph { terms, variables, shared, objects, locations, .. } = resolver.graph;
    Ok(Resolved { terms, variables, shared, objects, locations, edges })
}

struct Resolver<'f> {
    graph: Graph,
    points_to: PointsTo,
    escapes: Escapes,
    pointer: Scalar,
    known: HashMap<TermId, TermId>,
    /// Which functions are procedures of this unit.
    has_body: &'f dyn Fn(&str) -> bool,
    budget: &'f Patience<'f>,
    /// The edge that is being resolved.
    span: Span,
}

/// A symbolic address.
struct Address {
    /// The whole sum, as a term.
    whole: TermId,
    /// Its constant part, if the rest is indices that are known to be in bounds.
    start: Option<u64>,
    /// Index, bytes for each step, and the number of steps that there are; large steps first.
    indices: Vec<(TermId, u64, u64)>,
}

/// An address and the variable there.
type Candidates = Vec<(u64, VariableId)>;

impl Resolver<'_> {
    fn check_size(&self) -> Result<()> {
        self.budget.check(|| self.span)?;
        if self.graph.terms.len() > TERMS {
            let message = "what pointers and indices can mean up to here has too many cases";
            return Err(Box::new(Say::TooLarge.at(self.span, message)));
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<Instruction> {
        match step {
            Step::Plain(Instruction::Assign(list)) => {
                let mut resolved = Vec::with_capacity(list.len());
                for (variable, term) in list {
                    resolved.push((variable, self.term(term)?));
                }
                Ok(Instruction::Assign(resolved))
            }
            Step::Plain(Instruction::Assume(term)) => Ok(Instruction::Assume(self.term(term)?)),
            Step::Plain(Instruction::Return(Some(term))) => Ok(Instruction::Return(Some(self.term(term)?))),
            Step::Plain(Instruction::Stop(Some(term))) => Ok(Instruction::Stop(Some(self.term(term)?))),
            Step::Plain(instruction) => Ok(instruction),
            Step::Store(list) => self.stores(list),
            // They have edges of their own.
            Step::Dies(_) | Step::Call { .. } => Ok(Instruction::Nop),
            Step::Refresh(address, scalar) => {
                let mut candidates = self.candidates(address, scalar)?;
                candidates.iter().for_each(|&(_, variable)| self.graph.mark_loaded(variable));
                candidates.retain(|&(_, variable)| self.graph.volatile[variable.0 as usize]);
                let variables = candidates.into_iter().map(|(_, variable)| variable).collect();
                Ok(Instruction::Havoc(variables, Cause::Volatile))
            }
            Step::Refused(address, object, diagnostic) => match self.can_be(address, object) {
                true => Err(diagnostic),
                false => Ok(Instruction::Assume(self.graph.terms.truth(false))),
            },
        }
    }

    fn stores(&mut self, list: Vec<(TermId, TermId)>) -> Result<Instruction> {
        let mut values: BTreeMap<VariableId, TermId> = BTreeMap::new();
        for (address, value) in list {
            let candidates = self.candidates(address, self.graph.terms.scalar(value))?;
            let (symbolic, value) = (self.address(address)?, self.term(value)?);
            for &(target, variable) in &candidates {
                self.check_size()?;
                let value = self.graph.terms.convert(value, self.graph.scalar_of(variable));
                let old = match values.get(&variable) {
                    Some(&old) => old,
                    None => self.graph.read(variable),
                };
                let meant = self.means(&symbolic, target);
                let only = candidates.len() == 1;
                let new = if only { value } else { self.graph.terms.select(meant, value, old) };
                values.insert(variable, new);
            }
        }
        Ok(Instruction::Assign(values.into_iter().collect()))
    }

    /// An address as a sum: where it starts, and indices that were checked.
    fn address(&mut self, id: TermId) -> Result<Address> {
        let mut indices = Vec::new();
        let (mut start, mut at) = (0_u64, id);
        let whole = self.term(id)?;
        loop {
            match self.graph.terms.get(at) {
                Term::Memory(Memory::Offset(base, index, stride, length)) => {
                    match self.graph.terms.constant_bits(index) {
                        Some(bits) => {
                            let steps = self.graph.terms.scalar(index).value(bits) as u64;
                            start = start.wrapping_add(steps.wrapping_mul(stride));
                        }
                        None if length > 0 => indices.push((self.term(index)?, stride, length)),
                        None => return Ok(Address { whole, start: None, indices }),
                    }
                    at = base;
                }
                Term::Memory(Memory::Address(object, offset)) => {
                    let address = self.graph.objects[object.0 as usize].address;
                    start = start.wrapping_add(address).wrapping_add(offset);
                    indices.sort_by_key(|&(_, stride, _)| std::cmp::Reverse(stride));
                    return Ok(Address { whole, start: Some(start), indices });
                }
                _ => return Ok(Address { whole, start: None, indices }),
            }
        }
    }

    /// Whether an address is a target: by its indices where it has some, as they are in bounds.
    fn means(&mut self, address: &Address, target: u64) -> TermId {
        let Some(start) = address.start.filter(|&start| start <= target) else {
            return self.is_at(address.whole, target);
        };
        let mut rest = target - start;
        let mut questions = Vec::new();
        for &(index, stride, length) in &address.indices {
            let step = (rest / stride.max(1)).min(length.saturating_sub(1));
            rest -= step * stride;
            let scalar = self.graph.terms.scalar(index);
            let step = self.graph.terms.constant(i128::from(step), scalar);
            questions.push(self.graph.terms.equal(index, step));
        }
        if rest != 0 {
            return self.is_at(address.whole, target);
        }
        self.graph.terms.balanced(Operation::And, &questions)
    }

    /// Whether an address is less than a target.
    fn is_below(&mut self, address: &Address, target: u64) -> TermId {
        if let (Some(start), [(index, stride, _)]) = (address.start, &address.indices[..])
            && *stride > 0
            && target >= start
        {
            let scalar = self.graph.terms.scalar(*index);
            let bound = self.graph.terms.constant(i128::from((target - start).div_ceil(*stride)), scalar);
            return self.graph.terms.binary(Operation::Less, *index, bound);
        }
        let middle = self.graph.terms.constant(i128::from(target), self.pointer);
        self.graph.terms.binary(Operation::Less, address.whole, middle)
    }

    fn is_at(&mut self, address: TermId, target: u64) -> TermId {
        let target = self.graph.terms.constant(i128::from(target), self.pointer);
        self.graph.terms.equal(address, target)
    }

    /// The variables of that width that an address can mean. If it can mean something of another kind, that is refused.
    fn candidates(&self, address: TermId, scalar: Scalar) -> Result<Candidates> {
        let mut found = Vec::new();
        self.check_size()?;
        for target in self.points_to.targets(&self.graph, address) {
            let Some(object) = self.points_to.object_at(&self.graph, target) else { continue };
            let object = &self.graph.objects[object.0 as usize];
            if target + u64::from(scalar.width).div_ceil(8) > object.address + object.size {
                continue;
            }
            match self.points_to.variable_at(&self.graph, target) {
                Some(variable) if self.graph.scalar_of(variable).width == scalar.width => {
                    found.push((target, variable))
                }
                _ => {
                    let message =
                        format!("this pointer may point into `{}`, where such a value does not lie", object.name);
                    return Err(Box::new(Say::Punning.at(self.span, message)));
                }
            }
        }
        Ok(found)
    }

    /// The addresses that a term can mean, with so many bytes there that belong to no variable.
    fn unseen(&self, address: TermId, size: u64) -> Result<Vec<u64>> {
        let mut places = Vec::new();
        for target in self.points_to.targets(&self.graph, address) {
            let Some(object) = self.points_to.object_at(&self.graph, target) else { continue };
            let start = self.graph.objects[object.0 as usize].address;
            match self.graph.is_unseen(object, target - start, size) {
                Some(true) => places.push(target),
                Some(false) => {}
                None => {
                    let name = &self.graph.objects[object.0 as usize].name;
                    let message = format!("this pointer may point into `{name}`, where such a value does not lie");
                    return Err(Box::new(Say::Punning.at(self.span, message)));
                }
            }
        }
        Ok(places)
    }

    /// Whether an address can be that of an object.
    fn can_be(&self, address: TermId, object: ObjectId) -> bool {
        let target = self.graph.objects[object.0 as usize].address;
        self.points_to.targets(&self.graph, address).contains(&target)
    }

    fn is_constant(&self, variable: VariableId) -> bool {
        let object = self.graph.variables[variable.0 as usize].object;
        self.graph.constant[object.0 as usize]
    }

    fn term(&mut self, id: TermId) -> Result<TermId> {
        if let Some(&known) = self.known.get(&id) {
            return Ok(known);
        }
        let scalar = self.graph.terms.scalar(id);
        let resolved = match self.graph.terms.get(id) {
            Term::Constant(_) | Term::Variable(_) => id,
            Term::Not(a) => {
                let a = self.term(a)?;
                self.graph.terms.not(a)
            }
            Term::Negate(a) => {
                let a = self.term(a)?;
                self.graph.terms.negate(a)
            }
            Term::Convert(a) => {
                let a = self.term(a)?;
                self.graph.terms.convert(a, scalar)
            }
            Term::Binary(operation, a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                self.graph.terms.binary(operation, a, b)
            }
            Term::Select(condition, a, b) => {
                let (condition, a, b) = (self.term(condition)?, self.term(a)?, self.term(b)?);
                self.graph.terms.select(condition, a, b)
            }
            Term::Memory(memory) => self.memory(memory, scalar)?,
        };
        self.known.insert(id, resolved);
        Ok(resolved)
    }

    fn memory(&mut self, memory: Memory, scalar: Scalar) -> Result<TermId> {
        match memory {
            Memory::Address(object, offset) => {
                let address = self.graph.objects[object.0 as usize].address.wrapping_add(offset);
                Ok(self.graph.terms.constant(i128::from(address), self.pointer))
            }
            Memory::Load(address) => {
                let candidates = self.candidates(address, scalar)?;
                let address = self.address(address)?;
                Ok(self.loaded(&address, &candidates, scalar))
            }
            Memory::Offset(base, index, stride, _) => {
                let (base, index) = (self.term(base)?, self.term(index)?);
                let signed = Scalar { signed: self.graph.terms.scalar(index).signed, ..self.pointer };
                let index = self.graph.terms.convert(index, signed);
                let index = self.graph.terms.convert(index, self.pointer);
                let stride = self.graph.terms.constant(i128::from(stride), self.pointer);
                let distance = self.graph.terms.binary(Operation::Multiply, index, stride);
                Ok(self.graph.terms.binary(Operation::Add, base, distance))
            }
            Memory::Valid(address, scalar, written) => {
                let mut candidates = self.candidates(address, scalar)?;
                if written {
                    candidates.retain(|&(_, variable)| !self.is_constant(variable));
                }
                let address = self.term(address)?;
                let places: Vec<u64> = candidates.into_iter().map(|(target, _)| target).collect();
                Ok(self.one_of(address, &places))
            }
            Memory::Is(address, object) => {
                if !self.can_be(address, object) {
                    return Ok(self.graph.terms.truth(false));
                }
                let (address, target) = (self.term(address)?, self.graph.objects[object.0 as usize].address);
                Ok(self.is_at(address, target))
            }
            Memory::Unseen(address, size) => {
                let places = self.unseen(address, size)?;
                let address = self.term(address)?;
                Ok(self.one_of(address, &places))
            }
            Memory::Number(address) => {
                if let Some(&target) = self.points_to.targets(&self.graph, address).first() {
                    let object = self.points_to.object_at(&self.graph, target);
                    let name = object.map_or("?", |object| &self.graph.objects[object.0 as usize].name);
                    let message = format!("an address is used as a number, maybe that of `{name}`");
                    return Err(Box::new(Say::Address.at(self.span, message)));
                }
                let address = self.term(address)?;
                Ok(self.graph.terms.convert(address, scalar))
            }
            Memory::Together(x, y) => self.together(x, y),
        }
    }

    /// The value at an address, given that it is one of the candidates: a chain of questions, or a tree if there are many.
    fn loaded(&mut self, address: &Address, candidates: &[(u64, VariableId)], scalar: Scalar) -> TermId {
        match candidates {
            [] => self.graph.terms.constant(0, scalar),
            [(_, variable)] => {
                let value = self.graph.read(*variable);
                self.graph.terms.convert(value, scalar)
            }
            [(target, variable), rest @ ..] if rest.len() < 8 => {
                let value = self.graph.read(*variable);
                let value = self.graph.terms.convert(value, scalar);
                let others = self.loaded(address, rest, scalar);
                let meant = self.means(address, *target);
                self.graph.terms.select(meant, value, others)
            }
            _ => {
                let (low, high) = candidates.split_at(candidates.len() / 2);
                let is_low = self.is_below(address, high[0].0);
                let (low, high) = (self.loaded(address, low, scalar), self.loaded(address, high, scalar));
                self.graph.terms.select(is_low, low, high)
            }
        }
    }

    /// Whether an address is one of many. Runs of equal distance are one question.
    fn one_of(&mut self, address: TermId, places: &[u64]) -> TermId {
        let mut questions = Vec::new();
        let mut rest = places;
        while let [first, ..] = *rest {
            let step = rest.get(1).map_or(1, |second| second - first);
            let length = (1..rest.len()).take_while(|&n| rest[n] - rest[n - 1] == step).count() + 1;
            let length = if length < 4 { 1 } else { length };
            questions.push(if length == 1 {
                self.is_at(address, first)
            } else {
                self.in_run(address, first, step, length)
            });
            rest = &rest[length..];
        }
        self.graph.terms.balanced(Operation::Or, &questions)
    }

    fn in_run(&mut self, address: TermId, first: u64, step: u64, length: usize) -> TermId {
        let pointer = self.pointer;
        let terms = &mut self.graph.terms;
        let start = terms.constant(i128::from(first), pointer);
        let distance = terms.binary(Operation::Subtract, address, start);
        let reach = terms.constant(i128::from(step) * length as i128, pointer);
        let inside = terms.binary(Operation::Less, distance, reach);
        let step = terms.constant(i128::from(step), pointer);
        let rest = terms.binary(Operation::Remainder, distance, step);
        let zero = terms.constant(0, pointer);
        let exact = terms.equal(rest, zero);
        terms.and(inside, exact)
    }

    fn together(&mut self, x: TermId, y: TermId) -> Result<TermId> {
        let mut targets: Addresses = self.points_to.targets(&self.graph, x);
        targets.extend(self.points_to.targets(&self.graph, y));
        let objects = targets.into_iter().filter_map(|target| self.points_to.object_at(&self.graph, target));
        let objects: BTreeSet<_> = objects.collect();
        let (x, y) = (self.term(x)?, self.term(y)?);
        let mut questions = Vec::new();
        for object in objects {
            let (address, size) = {
                let object = &self.graph.objects[object.0 as usize];
                (object.address, object.size)
            };
            let (in_x, in_y) = (self.inside(x, address, size), self.inside(y, address, size));
            questions.push(self.graph.terms.and(in_x, in_y));
        }
        Ok(self.graph.terms.balanced(Operation::Or, &questions))
    }

    fn inside(&mut self, pointer: TermId, address: u64, size: u64) -> TermId {
        let terms = &mut self.graph.terms;
        let start = terms.constant(i128::from(address), self.pointer);
        let size = terms.constant(i128::from(size), self.pointer);
        let distance = terms.binary(Operation::Subtract, pointer, start);
        terms.binary(Operation::LessEqual, distance, size)
    }
}
