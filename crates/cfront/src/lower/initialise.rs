//! Initial values: lists with braces left out, designators, strings (C11 6.7.9).
//!
//! The result is a list of offsets with their values; what is not in it is zero. Where one is there twice, the later one
//! counts.

use super::effects::initializer_has_effects;
use super::expression::Content;
use super::place::Place;
use super::{Lowering, Result, SCALARS};
use crate::codes::Say;
use crate::program::Instruction;
use crate::program::VariableKind;
use crate::term::TermId;
use crate::types::{Rank, Type};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Parsed};

/// Offsets and values.
type Values = Vec<(u64, TermId)>;

/// A list of initializers, and how far it has been used.
struct Cursor<'i> {
    items: &'i [Node<InitializerListItem>],
    next: usize,
}

impl<'i> Cursor<'i> {
    fn item(&self) -> Option<&'i Node<InitializerListItem>> {
        self.items.get(self.next)
    }
}

impl Lowering<'_> {
    /// The values that an initializer gives to a type; an array without a length gets one.
    pub(super) fn initial_values(&mut self, ty: &Type, initializer: &Node<Initializer>) -> Result<(Type, Values)> {
        let mut filling = Filling { values: Vec::new(), save: false, length: 0 };
        filling.save = matches!(initializer.node, Initializer::List(_)) && initializer_has_effects(initializer);
        self.fill(ty, 0, initializer, &mut filling)?;
        let ty = match ty {
            Type::Array(element, None) => Type::Array(element.clone(), Some(filling.length)),
            other => other.clone(),
        };
        Ok((ty, filling.values))
    }

    /// The same for a variable that is initialised once, before the program starts.
    pub(super) fn static_values(&mut self, ty: &Type, initializer: &Node<Initializer>) -> Result<(Type, Values)> {
        let edges = self.graph.edges.len();
        let lowered = self.aside(initializer.span, |lowering| lowering.initial_values(ty, initializer))?;
        let constant = lowered.1.iter().all(|(_, term)| self.graph.terms.variables(*term).is_empty());
        if self.graph.edges.len() != edges || !constant {
            let what = if !self.frames.is_empty() { "static" } else { "global" };
            let message = format!("the initial value of a {what} variable is not a constant");
            return self.error(Say::NotConstant, initializer.span, message);
        }
        Ok(lowered)
    }

    fn fill(&mut self, ty: &Type, at: u64, initializer: &Node<Initializer>, filling: &mut Filling) -> Result<()> {
        match &initializer.node {
            Initializer::Expression(expression) => self.fill_expression(ty, at, expression, filling),
            Initializer::List(items) => {
                if let (Type::Array(..), [only]) = (ty, &items[..])
                    && let Initializer::Expression(expression) = &only.node.initializer.node
                    && is_string_for(ty, expression)
                {
                    return self.fill_expression(ty, at, expression, filling);
                }
                if !ty.is_aggregate() {
                    return match items.first() {
                        Some(item) => self.fill(ty, at, &item.node.initializer, filling),
                        None => Ok(()),
                    };
                }
                let mut cursor = Cursor { items, next: 0 };
                let length = self.fill_members(ty, at, &mut cursor, true, filling)?;
                filling.length = length;
                match cursor.item() {
                    Some(extra) => self.error(Say::Operands, extra.span, "there are more values than elements"),
                    None => Ok(()),
                }
            }
        }
    }

    fn fill_expression(
        &mut self,
        ty: &Type,
        at: u64,
        expression: &Node<Expression>,
        filling: &mut Filling,
    ) -> Result<()> {
        if let (Type::Array(element, length), Expression::StringLiteral(literal)) = (ty, &expression.node)
            && is_string_for(ty, expression)
        {
            let bytes = self.string_bytes(literal)?;
            let scalar = self.scalar(element, expression.span)?;
            let limit = length.unwrap_or(bytes.len() as u64) as usize;
            filling.length = limit as u64;
            for (offset, byte) in bytes.into_iter().take(limit).enumerate() {
                let value = self.graph.terms.constant(i128::from(byte), scalar);
                filling.values.push((at + offset as u64, value));
            }
            return Ok(());
        }
        let value = self.value(expression)?;
        let mut value = self.convert_to(value, ty, expression.span)?;
        if filling.save {
            value = self.save(value, expression.span)?;
        }
        match value.content {
            Content::Scalar(term) => filling.values.push((at, term)),
            Content::Aggregate(terms) => {
                let parts = self.parts(ty, expression.span)?;
                filling.values.extend(parts.iter().zip(terms).map(|((offset, _), term)| (at + offset, term)));
            }
            Content::Function(_) | Content::Nothing => {}
        }
        Ok(())
    }

    /// Fills the members of an aggregate from a list; gives how many there are.
    fn fill_members(
        &mut self,
        ty: &Type,
        at: u64,
        cursor: &mut Cursor<'_>,
        braces: bool,
        filling: &mut Filling,
    ) -> Result<u64> {
        let (mut index, mut length) = (0_u64, 0_u64);
        while let Some(item) = cursor.item() {
            let before = cursor.next;
            if !item.node.designation.is_empty() {
                if !braces {
                    break;
                }
                index = self.designated(ty, &item.node.designation, item.span)?;
                self.forget(ty, at, index, item.span, filling)?;
            }
            let Some((member, offset)) = self.member_at(ty, index, item.span)? else {
                if !item.node.designation.is_empty() {
                    return self.error(Say::Operands, item.span, "there is no such element");
                }
                break;
            };
            self.fill_member(&member, at + offset, item, cursor, filling)?;
            index += 1;
            length = length.max(index);
            if cursor.next == before {
                return self.error(Say::Construct, item.span, "elements without members are not modelled");
            }
        }
        Ok(length)
    }

    /// What was given to a member before counts no more, all of it.
    fn forget(&mut self, ty: &Type, at: u64, index: u64, place: Parsed, filling: &mut Filling) -> Result<()> {
        if let Some((member, offset)) = self.member_at(ty, index, place)? {
            let (start, size) = (at + offset, self.types.size(&member).unwrap_or(0));
            filling.values.retain(|&(offset, _)| !(start..start + size).contains(&offset));
        }
        Ok(())
    }

    fn fill_member(
        &mut self,
        member: &Type,
        at: u64,
        item: &Node<InitializerListItem>,
        cursor: &mut Cursor<'_>,
        filling: &mut Filling,
    ) -> Result<()> {
        let elided = match &item.node.initializer.node {
            Initializer::List(_) => false,
            Initializer::Expression(expression) => {
                member.is_aggregate() && !is_string_for(member, expression) && {
                    let ty = self.type_of(expression)?;
                    ty != *member
                }
            }
        };
        if !elided {
            cursor.next += 1;
            return self.fill(member, at, &item.node.initializer, filling);
        }
        // The designator has done its work; what is below takes the item as its first.
        let mut inner = Cursor { items: cursor.items, next: cursor.next };
        self.fill_elided(member, at, &mut inner, filling)?;
        cursor.next = inner.next;
        Ok(())
    }

    /// Members without braces of their own.
    fn fill_elided(&mut self, ty: &Type, at: u64, cursor: &mut Cursor<'_>, filling: &mut Filling) -> Result<()> {
        let mut index = 0;
        let start = cursor.next;
        while let Some(item) = cursor.item() {
            if cursor.next > start && !item.node.designation.is_empty() {
                return Ok(());
            }
            let Some((member, offset)) = self.member_at(ty, index, item.span)? else { return Ok(()) };
            let before = cursor.next;
            self.fill_member(&member, at + offset, item, cursor, filling)?;
            if cursor.next == before {
                return self.error(Say::Construct, item.span, "elements without members are not modelled");
            }
            index += 1;
        }
        Ok(())
    }

    /// The number of the member that a designator names.
    fn designated(&mut self, ty: &Type, designation: &[Node<Designator>], place: Parsed) -> Result<u64> {
        let [designator] = designation else {
            return self.error(Say::Construct, place, "designators of several steps are not modelled");
        };
        match (&designator.node, ty) {
            (Designator::Index(index), Type::Array(..)) => {
                let (value, _) = self.constant(index)?;
                match u64::try_from(value) {
                    Ok(index) if index < SCALARS as u64 => Ok(index),
                    Ok(_) => self.error(Say::TooLarge, index.span, "this index is too large"),
                    Err(_) => self.error(Say::Operands, index.span, "this index is negative"),
                }
            }
            (Designator::Member(name), Type::Record(number)) => {
                let fields = self.types.records.get(*number).and_then(|record| record.fields.as_ref());
                let found = fields.into_iter().flatten().position(|field| field.name == name.node.name);
                match found {
                    Some(index) => Ok(index as u64),
                    None => {
                        self.field(ty, &name.node.name, name.span)?;
                        self.error(Say::Construct, name.span, "members of anonymous members are not modelled here")
                    }
                }
            }
            (Designator::Range(_), _) => self.error(Say::Construct, place, "ranges are not modelled here"),
            _ => self.error(Say::Operands, place, "this designator does not go with the type"),
        }
    }

    /// Type and offset of a member; `None` behind the last one.
    fn member_at(&mut self, ty: &Type, index: u64, place: Parsed) -> Result<Option<(Type, u64)>> {
        match ty {
            Type::Array(element, length) => {
                if length.is_some_and(|length| index >= length) {
                    return Ok(None);
                }
                let Some(size) = self.types.size(element) else {
                    return self.error(Say::Incomplete, place, "the size of the elements is not known");
                };
                Ok(Some(((**element).clone(), index.saturating_mul(size))))
            }
            Type::Record(number) => {
                let Some(record) = self.types.records.get(*number).filter(|record| record.is_plain()) else {
                    return self.refuse_type(ty, place);
                };
                let Some(fields) = &record.fields else {
                    return self.error(Say::Incomplete, place, "this struct is only declared");
                };
                match fields.get(index as usize) {
                    Some(field) if field.bits => {
                        self.error(Say::BitField, place, format!("`{}` is a bit-field or has no length", field.name))
                    }
                    found => Ok(found.map(|field| (field.ty.clone(), field.offset))),
                }
            }
            _ => self.error(Say::Operands, place, "this has no members"),
        }
    }

    /// `(struct s){1, 2}`: an object without a name.
    pub(super) fn compound_literal(&mut self, literal: &Node<CompoundLiteral>) -> Result<Place> {
        let ty = self.type_name(&literal.node.type_name)?;
        let list = Node::new(Initializer::List(literal.node.initializer_list.clone()), literal.span);
        if self.frames.is_empty() {
            return self.error(
                Say::Construct,
                literal.span,
                "a compound literal outside of procedures is not modelled",
            );
        }
        let (ty, values) = self.initial_values(&ty, &list)?;
        let object = self.local_object(&ty, "literal", VariableKind::Local, literal.span)?;
        let mut assignments = Vec::new();
        for variable in self.graph.objects[object.0 as usize].variables.clone() {
            let at = self.graph.variables[variable.0 as usize].offset;
            let scalar = self.graph.scalar_of(variable);
            let value = values.iter().rev().find(|(offset, _)| *offset == at).map(|&(_, value)| value);
            assignments.push((variable, value.unwrap_or_else(|| self.graph.terms.constant(0, scalar))));
        }
        self.plain(Instruction::Assign(assignments), literal.span);
        let address = self.graph.terms.address(object, 0, self.pointer());
        Ok(Place { address, ty, safe: true })
    }
}

/// What has been found so far.
struct Filling {
    values: Values,
    /// Whether a later element can change what an earlier one reads.
    save: bool,
    /// The length of the outermost list.
    length: u64,
}

/// Whether an expression is a string that fills an array of characters.
fn is_string_for(ty: &Type, expression: &Node<Expression>) -> bool {
    let Type::Array(element, _) = ty else { return false };
    matches!(**element, Type::Integer(integer) if integer.rank == Rank::Char)
        && matches!(expression.node, Expression::StringLiteral(_))
}
