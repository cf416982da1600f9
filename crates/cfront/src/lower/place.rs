//! Places: what can be assigned and pointed to, and how values come from them.
//!
//! A place is an address and a type. While the address is that of a known byte of a known object, reading and writing
//! mean one variable. A symbolic address is left to `resolve`; it is *safe* if the front end has already made sure that
//! it lies inside of its object, and otherwise each access asks.

use super::expression::{Content, Value};
use super::graph::Step;
use super::{Lowering, Result, SCALARS};
use crate::codes::Say;
use crate::program::{Cause, ErrorKind, Instruction, Variable, VariableId};
use crate::term::{Memory, Scalar, Term, TermId};
use crate::types::Type;
use lang_c::span::Span as Parsed;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(super) struct Place {
    pub address: TermId,
    pub ty: Type,
    pub safe: bool,
}

impl Lowering<'_> {
    /// A part of a place, some bytes further.
    pub(super) fn part(&mut self, place: &Place, offset: u64, ty: Type) -> Place {
        let one = self.graph.terms.constant(i128::from(offset), self.pointer());
        let address = self.graph.terms.offset(place.address, one, 1, 0);
        Place { address, ty, safe: place.safe }
    }

    /// What is stored at a place; arrays and functions become pointers.
    pub(super) fn load(&mut self, place: &Place, parsed: Parsed) -> Result<Value> {
        let ty = place.ty.clone();
        match &ty {
            Type::Integer(_) | Type::Pointer { .. } => {
                let term = self.load_scalar(place, parsed)?;
                Ok(Value { content: Content::Scalar(term), ty })
            }
            Type::Array(element, _) => {
                let ty = Type::Pointer { to: element.clone(), constant: false };
                Ok(Value { content: Content::Scalar(place.address), ty })
            }
            Type::Function(_) => Ok(Value { content: Content::Scalar(place.address), ty: Type::pointer_to(ty) }),
            Type::Record(_) => {
                let mut terms = Vec::new();
                for (offset, leaf) in self.parts(&ty, parsed)?.iter() {
                    let part = self.part(place, *offset, leaf.clone());
                    terms.push(self.load_scalar(&part, parsed)?);
                }
                Ok(Value { content: Content::Aggregate(terms), ty })
            }
            Type::Void | Type::Float(_) | Type::Opaque => {
                self.ensure_unseen(place, parsed)?;
                Ok(Value { content: Content::Nothing, ty })
            }
        }
    }

    /// The scalars of a struct, as offsets and types.
    pub(super) fn parts(&mut self, ty: &Type, parsed: Parsed) -> Result<Rc<[(u64, Type)]>> {
        if let Type::Record(number) = ty
            && self.types.records.get(*number).is_some_and(|record| !record.is_plain())
        {
            return self.refuse_type(ty, parsed);
        }
        if let Type::Record(number) = ty
            && let Some(known) = self.parts.get(number)
        {
            return Ok(known.clone());
        }
        match self.types.leaves(ty, SCALARS) {
            Some(leaves) => {
                let parts: Rc<[(u64, Type)]> = leaves.into_iter().map(|leaf| (leaf.offset, leaf.ty)).collect();
                if let Type::Record(number) = ty {
                    self.parts.insert(*number, parts.clone());
                }
                Ok(parts)
            }
            None => self.error(Say::TooLarge, parsed, "this value has too many parts"),
        }
    }

    fn load_scalar(&mut self, place: &Place, parsed: Parsed) -> Result<TermId> {
        let scalar = self.scalar(&place.ty, parsed)?;
        if let Term::Memory(Memory::Address(object, offset)) = self.graph.terms.get(place.address) {
            let Some(variable) = self.known_variable(object, offset, scalar, false, parsed)? else {
                return Ok(self.graph.terms.constant(0, scalar));
            };
            self.graph.mark_loaded(variable);
            let read = match (self.graph.shared[variable.0 as usize], self.graph.volatile[variable.0 as usize]) {
                (true, _) => self.any_value(variable, Cause::Shared(variable), parsed),
                (_, true) => self.any_value(variable, Cause::Volatile, parsed),
                _ => self.graph.read(variable),
            };
            return Ok(self.graph.terms.convert(read, scalar));
        }
        self.ensure_valid(place, scalar, false, parsed);
        let loaded = self.graph.terms.memory(Memory::Load(place.address), scalar);
        if !self.has_volatile && self.options.shared.is_empty() {
            if self.options.marks_loads {
                self.emit(Step::Refresh(place.address, scalar), parsed);
            }
            return Ok(loaded);
        }
        // Something volatile or shared may lie there: each read has a value of its own.
        self.emit(Step::Refresh(place.address, scalar), parsed);
        let pointer = matches!(place.ty, Type::Pointer { .. });
        let read = self.graph.temporary(String::from("read"), Some(self.procedure()), scalar, pointer);
        self.plain(Instruction::Assign(vec![(read, loaded)]), parsed);
        Ok(self.graph.read(read))
    }

    /// A read of a volatile or shared variable.
    fn any_value(&mut self, variable: VariableId, cause: Cause, parsed: Parsed) -> TermId {
        let Variable { name, procedure, scalar, pointer, .. } = self.graph.variables[variable.0 as usize].clone();
        let read = self.graph.temporary(name, procedure, scalar, pointer);
        self.havoc(vec![read], cause, parsed);
        self.graph.read(read)
    }

    /// The variable at a known place. An address past the end of its object is an error of the program, and so is
    /// writing into a string literal.
    fn known_variable(
        &mut self,
        object: crate::program::ObjectId,
        offset: u64,
        scalar: Scalar,
        written: bool,
        parsed: Parsed,
    ) -> Result<Option<VariableId>> {
        let size = self.graph.objects.get(object.0 as usize).map_or(0, |object| object.size);
        if written && self.graph.constant.get(object.0 as usize) == Some(&true) {
            let never = self.graph.terms.truth(false);
            self.check(never, ErrorKind::Pointer, parsed);
            return Ok(None);
        }
        match self.graph.at(object, offset) {
            Some(variable) if self.graph.scalar_of(variable).width == scalar.width => Ok(Some(variable)),
            None if offset.saturating_add(u64::from(scalar.width).div_ceil(8)) > size => {
                let never = self.graph.terms.truth(false);
                self.check(never, ErrorKind::Pointer, parsed);
                Ok(None)
            }
            _ => self.error(Say::Punning, parsed, "this access is to a part of something, or to another type"),
        }
    }

    fn ensure_valid(&mut self, place: &Place, scalar: Scalar, written: bool, parsed: Parsed) {
        if !place.safe {
            let valid = self.graph.terms.memory(Memory::Valid(place.address, scalar, written), Scalar::BOOL);
            self.check(valid, ErrorKind::Pointer, parsed);
        }
    }

    /// What is read and written without a value, such as a `double`, must lie where no variable does: a pointer may have
    /// come from one of another type.
    fn ensure_unseen(&mut self, place: &Place, parsed: Parsed) -> Result<()> {
        if place.safe {
            return Ok(());
        }
        for (offset, size) in self.types.unseen(&place.ty) {
            let part = self.part(place, offset, Type::Void);
            let unseen = match self.graph.terms.get(part.address) {
                Term::Memory(Memory::Address(object, offset)) => match self.graph.is_unseen(object, offset, size) {
                    Some(inside) => self.graph.terms.truth(inside),
                    None => return self.error(Say::Punning, parsed, "this access is to something of another type"),
                },
                _ => self.graph.terms.memory(Memory::Unseen(part.address, size), Scalar::BOOL),
            };
            self.check(unseen, ErrorKind::Pointer, parsed);
        }
        Ok(())
    }

    /// Assigns a value of the place's own type.
    pub(super) fn store(&mut self, place: &Place, value: &Value, parsed: Parsed) -> Result<()> {
        self.ensure_unseen(place, parsed)?;
        let place = &self.fixed(place, parsed);
        let writes: Vec<(Place, TermId)> = match (&value.content, &place.ty) {
            (Content::Scalar(term), Type::Integer(_) | Type::Pointer { .. }) => vec![(place.clone(), *term)],
            (Content::Aggregate(terms), Type::Record(_)) => {
                let parts = self.parts(&place.ty.clone(), parsed)?;
                parts.iter().zip(terms).map(|((at, ty), &term)| (self.part(place, *at, ty.clone()), term)).collect()
            }
            // A floating-point variable cannot be read, so nothing is lost.
            (_, Type::Float(_) | Type::Opaque) => return Ok(()),
            _ => return self.error(Say::Operands, parsed, "this cannot be assigned"),
        };
        let mut assignments = Vec::new();
        let mut stores = Vec::new();
        for (place, term) in writes {
            let scalar = self.scalar(&place.ty, parsed)?;
            match self.graph.terms.get(place.address) {
                Term::Memory(Memory::Address(object, offset)) => {
                    if let Some(variable) = self.known_variable(object, offset, scalar, true, parsed)? {
                        let term = self.graph.terms.convert(term, self.graph.scalar_of(variable));
                        assignments.push((variable, term));
                    }
                }
                _ => {
                    self.ensure_valid(&place, scalar, true, parsed);
                    stores.push((place.address, term));
                }
            }
        }
        if !self.options.shared.is_empty() {
            // One store is one step.
            assignments.into_iter().for_each(|one| self.plain(Instruction::Assign(vec![one]), parsed));
            stores.into_iter().for_each(|one| self.emit(Step::Store(vec![one]), parsed));
            return Ok(());
        }
        if !assignments.is_empty() {
            self.plain(Instruction::Assign(assignments), parsed);
        }
        if !stores.is_empty() {
            self.emit(Step::Store(stores), parsed);
        }
        Ok(())
    }

    /// A place whose address does not change while a struct is stored there, part by part.
    fn fixed(&mut self, place: &Place, parsed: Parsed) -> Place {
        let known = matches!(self.graph.terms.get(place.address), Term::Memory(Memory::Address(..)));
        if known || self.options.shared.is_empty() || !matches!(place.ty, Type::Record(_)) {
            return place.clone();
        }
        let address = self.graph.temporary(String::from("place"), Some(self.procedure()), self.pointer(), true);
        self.plain(Instruction::Assign(vec![(address, place.address)]), parsed);
        Place { address: self.graph.read(address), ..place.clone() }
    }

    /// The place that a pointer points to.
    pub(super) fn pointee(&mut self, pointer: &Value, parsed: Parsed) -> Result<Place> {
        match (&pointer.content, &pointer.ty) {
            (Content::Scalar(address), Type::Pointer { to, .. }) => {
                Ok(Place { address: *address, ty: (**to).clone(), safe: false })
            }
            _ => self.error(Say::Operands, parsed, "a pointer is needed here"),
        }
    }

    /// An element of an array that lies at a place, with a check of the index.
    pub(super) fn element(&mut self, array: &Place, index: &Value, parsed: Parsed) -> Result<Place> {
        let (Type::Array(element, Some(length)), Content::Scalar(index), Type::Integer(integer)) =
            (&array.ty, &index.content, &index.ty)
        else {
            return self.error(Say::Operands, parsed, "this cannot be indexed");
        };
        // The number of every element must be a value of the index, so that it can be compared with it.
        let index = self.graph.terms.convert(*index, integer.promoted().scalar(self.types.model));
        let (element, length) = ((**element).clone(), *length);
        let Some(stride) = self.types.size(&element) else {
            return self.error(Say::Incomplete, parsed, "the size of the elements is not known");
        };
        let scalar = Scalar::unsigned(self.graph.terms.scalar(index).width.max(self.pointer().width));
        let wide = self.graph.terms.convert(index, Scalar { signed: self.graph.terms.scalar(index).signed, ..scalar });
        let wide = self.graph.terms.convert(wide, scalar);
        let bound = self.graph.terms.constant(i128::from(length), scalar);
        let inside = self.graph.terms.binary(crate::term::Operation::Less, wide, bound);
        self.check(inside, ErrorKind::Index, parsed);
        let address = self.graph.terms.offset(array.address, index, stride, length);
        Ok(Place { address, ty: element, safe: array.safe })
    }
}
