//! Expressions: their values, and the edges that computing them takes.

use super::effects::has_effects;
use super::place::Place;
use super::scope::Binding;
use super::{DEPTH, Lowering, Result};
use crate::codes::Say;
use crate::program::LocationId;
use crate::term::TermId;
use crate::types::{Integer, Rank, Type};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Parsed};
use model::diagnostic::{Diagnostic, nearest};

/// What a value consists of.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Scalar(TermId),
    /// The scalars of a struct, in order.
    Aggregate(Vec<TermId>),
    /// The name of a function.
    Function(String),
    /// No value, or one that is not modelled.
    Nothing,
}

#[derive(Clone, Debug)]
pub(super) struct Value {
    pub content: Content,
    pub ty: Type,
}

/// A place, or a value that has none.
pub(super) enum Operand {
    Place(Place),
    Value(Value),
}

impl Value {
    pub fn scalar(term: TermId, ty: Type) -> Self {
        Value { content: Content::Scalar(term), ty }
    }

    pub fn nothing(ty: Type) -> Self {
        Value { content: Content::Nothing, ty }
    }
}

impl Lowering<'_> {
    /// The value of an expression. Arrays and functions become pointers.
    pub(super) fn value(&mut self, expression: &Node<Expression>) -> Result<Value> {
        self.budget.check(|| self.span(expression.span))?;
        let value = match self.operand(expression)? {
            Operand::Place(place) => self.load(&place, expression.span)?,
            Operand::Value(Value { content: Content::Function(name), ty }) => {
                let span = self.span(expression.span);
                let object = self.graph.function(&self.types, &name, span);
                let address = self.graph.terms.address(object, 0, self.pointer());
                Value::scalar(address, Type::pointer_to(ty))
            }
            Operand::Value(value) => value,
        };
        if let Content::Scalar(term) = value.content
            && self.graph.terms.depth(term) > DEPTH
        {
            return self.error(Say::TooLarge, expression.span, "this expression is too complex");
        }
        Ok(value)
    }

    /// A number or a pointer.
    pub(super) fn scalar_value(&mut self, expression: &Node<Expression>) -> Result<(TermId, Type)> {
        let value = self.value(expression)?;
        self.as_scalar(value, expression.span)
    }

    pub(super) fn as_scalar(&self, value: Value, place: Parsed) -> Result<(TermId, Type)> {
        match value.content {
            Content::Scalar(term) => Ok((term, value.ty)),
            _ => self.refuse_type(&value.ty, place),
        }
    }

    /// Whether an expression is not zero: one bit.
    pub(super) fn condition(&mut self, expression: &Node<Expression>) -> Result<TermId> {
        let (term, _) = self.scalar_value(expression)?;
        Ok(self.graph.terms.nonzero(term))
    }

    /// Only what an expression does; its value is not needed.
    pub(super) fn discard(&mut self, expression: &Node<Expression>) -> Result<()> {
        match &expression.node {
            Expression::UnaryOperator(unary) => match super::operators::step(&unary.node.operator.node) {
                Some((up, _)) => self.increment(&unary.node.operand, up, false, expression.span).map(|_| ()),
                None => self.value(expression).map(|_| ()),
            },
            Expression::Cast(cast) if matches!(self.type_name(&cast.node.type_name), Ok(Type::Void)) => {
                self.discard(&cast.node.expression)
            }
            Expression::Comma(list) => list.iter().try_for_each(|one| self.discard(one)),
            Expression::BinaryOperator(binary) => match self.assignment(binary, false)? {
                Some(_) => Ok(()),
                None => self.value(expression).map(|_| ()),
            },
            // A name alone is loaded, too, which only another component can tell.
            Expression::Identifier(_) if !self.options.marks_loads => self.operand(expression).map(|_| ()),
            _ => self.value(expression).map(|_| ()),
        }
    }

    /// A constant integer.
    pub(super) fn constant(&mut self, expression: &Node<Expression>) -> Result<(i128, Integer)> {
        let value = self.aside(expression.span, |lowering| lowering.value(expression))?;
        if let (Content::Scalar(term), Type::Integer(integer)) = (&value.content, &value.ty)
            && let Some(bits) = self.graph.terms.constant_bits(*term)
        {
            return Ok((self.graph.terms.scalar(*term).value(bits), *integer));
        }
        self.error(Say::NotConstant, expression.span, "this is not a constant")
    }

    /// Lowers something at a place that is never reached: for its type, or for a constant.
    pub(super) fn aside<T>(&mut self, place: Parsed, work: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.here;
        self.here = self.fresh(place);
        let result = work(self);
        self.here = here;
        result
    }

    /// The type of an expression that is not evaluated; arrays stay arrays.
    pub(super) fn type_of(&mut self, expression: &Node<Expression>) -> Result<Type> {
        self.aside(expression.span, |lowering| {
            Ok(match lowering.operand(expression)? {
                Operand::Place(place) => place.ty,
                Operand::Value(value) => value.ty,
            })
        })
    }

    pub(super) fn integer(&mut self, value: i128, ty: Integer) -> Value {
        let term = self.graph.terms.constant(value, ty.scalar(self.types.model));
        Value::scalar(term, Type::Integer(ty))
    }

    /// A truth value as C has it: an `int`.
    pub(super) fn truth(&mut self, bit: TermId) -> Value {
        let int = Integer::INT.scalar(self.types.model);
        Value::scalar(self.graph.terms.convert(bit, int), Type::INT)
    }

    pub(super) fn size_type(&self) -> Integer {
        Integer { rank: if self.pointer().width == 32 { Rank::Int } else { Rank::Long }, signed: false }
    }

    /// A place or a value.
    pub(super) fn operand(&mut self, expression: &Node<Expression>) -> Result<Operand> {
        let place = expression.span;
        Ok(Operand::Value(match &expression.node {
            Expression::Identifier(name) => return self.name(name),
            Expression::StringLiteral(literal) => return Ok(Operand::Place(self.string_place(literal)?)),
            Expression::Member(member) => return self.member(member),
            Expression::CompoundLiteral(literal) => return Ok(Operand::Place(self.compound_literal(literal)?)),
            Expression::UnaryOperator(unary) => return self.unary(unary),
            Expression::BinaryOperator(binary) => return self.binary(binary),
            Expression::Constant(constant) => match &constant.node {
                Constant::Integer(integer) => {
                    let (value, ty) = self.integer_literal(integer, place)?;
                    self.integer(value, ty)
                }
                Constant::Character(text) => {
                    let value = self.character_literal(text, place)?;
                    self.integer(value, Integer::INT)
                }
                Constant::Float(_) => Value::nothing(Type::Float(8)),
            },
            Expression::Call(call) => self.call(call)?,
            Expression::SizeOfTy(size) => {
                let ty = self.type_name(&size.node.0)?;
                self.size_of(&ty, place)?
            }
            Expression::SizeOfVal(size) => {
                let ty = self.type_of(&size.node.0)?;
                self.size_of(&ty, place)?
            }
            Expression::AlignOf(align) => {
                let ty = self.type_name(&align.node.0)?;
                if self.types.is_aligned_less_in_a_struct(&ty) {
                    let message = "`_Alignof` and `__alignof__` differ for this type";
                    return self.error(Say::Construct, place, message);
                }
                let Some((_, align)) = self.types.layout(&ty) else {
                    return self.error(Say::Incomplete, place, "the size of this type is not known");
                };
                self.integer(i128::from(align), self.size_type())
            }
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name)?;
                let value = self.value(&cast.node.expression)?;
                self.cast(value, &ty, place)?
            }
            Expression::Conditional(conditional) => self.conditional(conditional)?,
            Expression::Comma(list) => {
                let Some((last, before)) = list.split_last() else {
                    return Ok(Operand::Value(Value::nothing(Type::Void)));
                };
                before.iter().try_for_each(|one| self.discard(one))?;
                self.value(last)?
            }
            Expression::OffsetOf(offset) => self.offset_of(offset)?,
            Expression::Statement(statement) => self.statement_expression(statement)?,
            Expression::GenericSelection(_) => {
                return self.error(Say::Construct, place, "generic selections are not modelled");
            }
            Expression::VaArg(_) => return self.error(Say::Construct, place, "variable arguments are not modelled"),
        }))
    }

    fn name(&mut self, identifier: &Node<Identifier>) -> Result<Operand> {
        let name = &identifier.node.name;
        match self.binding(name).cloned() {
            Some(Binding::Object(object, ty)) => {
                let address = self.graph.terms.address(object, 0, self.pointer());
                Ok(Operand::Place(Place { address, ty, safe: true }))
            }
            Some(Binding::Global(number)) => {
                let (object, ty) = self.global_object(number)?;
                let address = self.graph.terms.address(object, 0, self.pointer());
                Ok(Operand::Place(Place { address, ty, safe: true }))
            }
            Some(Binding::Function(function)) => {
                let content = Content::Function(name.clone());
                Ok(Operand::Value(Value { content, ty: Type::Function(function) }))
            }
            Some(Binding::Constant(value, ty)) => Ok(Operand::Value(self.integer(value, ty))),
            Some(Binding::Value(term, ty)) => Ok(Operand::Value(Value::scalar(term, ty))),
            Some(Binding::Broken(diagnostic)) => Err(diagnostic),
            Some(Binding::Typedef(..)) => {
                self.error(Say::Operands, identifier.span, format!("`{name}` is a type, and a value is needed"))
            }
            None => Err(Box::new(self.unknown_name(name, identifier.span))),
        }
    }

    fn unknown_name(&self, name: &str, place: Parsed) -> Diagnostic {
        let inner = self.frames.last().into_iter().flat_map(|frame| &frame.scopes);
        let names = inner.chain([&self.file]).flat_map(|scope| scope.names.keys()).map(String::as_str);
        let near = nearest(name, names).map(|near| format!("did you mean `{near}`?"));
        let diagnostic = Say::UnknownName.at(self.span(place), format!("`{name}` is not declared"));
        near.into_iter().fold(diagnostic, Diagnostic::help)
    }

    fn size_of(&mut self, ty: &Type, place: Parsed) -> Result<Value> {
        let Some(size) = self.types.size(ty) else {
            let described = self.types.describe(ty);
            return self.error(Say::Incomplete, place, format!("the size of `{described}` is not known here"));
        };
        if !self.types.is_exact(ty) {
            return self.error(Say::Construct, place, "the size of a struct with bit-fields or attributes");
        }
        Ok(self.integer(i128::from(size), self.size_type()))
    }

    fn member(&mut self, member: &Node<MemberExpression>) -> Result<Operand> {
        let MemberExpression { operator, expression, identifier } = &member.node;
        let base = match operator.node {
            MemberOperator::Direct => self.operand(expression)?,
            MemberOperator::Indirect => {
                let pointer = self.value(expression)?;
                Operand::Place(self.pointee(&pointer, expression.span)?)
            }
        };
        let ty = match &base {
            Operand::Place(place) => &place.ty,
            Operand::Value(value) => &value.ty,
        };
        let field = self.field(&ty.clone(), &identifier.node.name, identifier.span)?;
        match base {
            Operand::Place(place) => Ok(Operand::Place(self.part(&place, field.offset, field.ty))),
            Operand::Value(value)
                if matches!((&value.content, &field.ty), (Content::Aggregate(_), Type::Array(..))) =>
            {
                // An array has elements only where it lies somewhere.
                let object = self.temporary(&value.ty, "result", member.span)?;
                let address = self.graph.terms.address(object, 0, self.pointer());
                let whole = Place { address, ty: value.ty.clone(), safe: true };
                self.store(&whole, &value, member.span)?;
                Ok(Operand::Place(self.part(&whole, field.offset, field.ty)))
            }
            Operand::Value(Value { content: Content::Aggregate(terms), ty }) => {
                let end = field.offset + self.types.size(&field.ty).unwrap_or(0);
                let parts = self.parts(&ty, member.span)?;
                let inside = |at: u64| (field.offset..end).contains(&at);
                let chosen = parts.iter().zip(terms).filter(|((at, _), _)| inside(*at)).map(|(_, term)| term);
                let chosen: Vec<TermId> = chosen.collect();
                let content = match (&field.ty, &chosen[..]) {
                    (Type::Integer(_) | Type::Pointer { .. }, [one]) => Content::Scalar(*one),
                    (Type::Record(_), _) => Content::Aggregate(chosen),
                    _ => Content::Nothing,
                };
                Ok(Operand::Value(Value { content, ty: field.ty }))
            }
            Operand::Value(_) => self.error(Say::Operands, member.span, "this has no members"),
        }
    }

    pub(super) fn field(&self, ty: &Type, name: &str, place: Parsed) -> Result<crate::types::Field> {
        let Type::Record(number) = ty else {
            let described = self.types.describe(ty);
            return self.error(Say::UnknownMember, place, format!("`{described}` is neither a struct nor a union"));
        };
        let Some(record) = self.types.records.get(*number) else {
            return self.error(Say::Incomplete, place, "this struct is not defined");
        };
        if record.fields.is_none() {
            return self.error(Say::Incomplete, place, format!("`{}` is only declared", self.types.describe(ty)));
        }
        let Some(field) = self.types.field(*number, name) else {
            let names = record.fields.iter().flatten().map(|field| field.name.as_str());
            let near = nearest(name, names).map(|near| format!("did you mean `{near}`?"));
            let message = format!("`{}` has no member `{name}`", self.types.describe(ty));
            let diagnostic = Say::UnknownMember.at(self.span(place), message);
            return Err(Box::new(near.into_iter().fold(diagnostic, Diagnostic::help)));
        };
        if field.bits {
            return self.error(Say::BitField, place, format!("`{name}` is a bit-field or has no length"));
        }
        if !self.types.reaches_plainly(*number, name) {
            return self.error(Say::Union, place, format!("`{name}` lies on top of other members"));
        }
        Ok(field)
    }

    fn offset_of(&mut self, offset: &Node<OffsetOfExpression>) -> Result<Value> {
        let ty = self.type_name(&offset.node.type_name)?;
        let designator = &offset.node.designator;
        if !designator.node.members.is_empty() || !self.types.is_exact(&ty) {
            return self.error(Say::Construct, offset.span, "this kind of `offsetof` is not modelled");
        }
        let field = self.field(&ty, &designator.node.base.node.name, designator.span)?;
        Ok(self.integer(i128::from(field.offset), self.size_type()))
    }

    /// Evaluates a value before something that can change what it reads.
    pub(super) fn save(&mut self, value: Value, place: Parsed) -> Result<Value> {
        let terms = match &value.content {
            Content::Scalar(term) => std::slice::from_ref(term),
            Content::Aggregate(terms) => terms,
            Content::Function(_) | Content::Nothing => &[],
        };
        if terms.iter().all(|&term| self.graph.terms.constant_bits(term).is_some()) {
            return Ok(value);
        }
        let object = self.temporary(&value.ty, "value", place)?;
        let address = self.graph.terms.address(object, 0, self.pointer());
        let temporary = Place { address, ty: value.ty.clone(), safe: true };
        self.store(&temporary, &value, place)?;
        self.load(&temporary, place)
    }

    /// Two operands, from left to right.
    pub(super) fn pair(&mut self, left: &Node<Expression>, right: &Node<Expression>) -> Result<(Value, Value)> {
        let mut first = self.value(left)?;
        if has_effects(right) {
            first = self.save(first, left.span)?;
        }
        Ok((first, self.value(right)?))
    }

    /// Lowers something at a location of its own; says whether that took no edge.
    pub(super) fn apart<T>(
        &mut self,
        place: Parsed,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(LocationId, T, LocationId, bool)> {
        let (here, edges) = (self.here, self.graph.edges.len());
        let start = self.fresh(place);
        self.here = start;
        let result = work(self);
        let end = self.here;
        self.here = here;
        Ok((start, result?, end, end == start && self.graph.edges.len() == edges))
    }
}
