//! Operators: promotions, conversions, arithmetic on numbers and pointers, assignments.

use super::effects::has_effects;
use super::expression::{Content, Operand, Value};
use super::place::Place;
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::ErrorKind;
use crate::term::{Memory, Operation, Scalar, Term, TermId};
use crate::types::{Integer, Type};
use lang_c::ast::*;
use lang_c::span::{Node, Span as Parsed};

/// The operator inside of a compound assignment.
pub(super) fn compound(operator: &BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator::*;
    Some(match operator {
        AssignMultiply => Multiply,
        AssignDivide => Divide,
        AssignModulo => Modulo,
        AssignPlus => Plus,
        AssignMinus => Minus,
        AssignShiftLeft => ShiftLeft,
        AssignShiftRight => ShiftRight,
        AssignBitwiseAnd => BitwiseAnd,
        AssignBitwiseXor => BitwiseXor,
        AssignBitwiseOr => BitwiseOr,
        _ => return None,
    })
}

/// Whether `++` or `--` goes up, and whether the value is the one before.
pub(super) fn step(operator: &UnaryOperator) -> Option<(bool, bool)> {
    match operator {
        UnaryOperator::PreIncrement => Some((true, false)),
        UnaryOperator::PreDecrement => Some((false, false)),
        UnaryOperator::PostIncrement => Some((true, true)),
        UnaryOperator::PostDecrement => Some((false, true)),
        _ => None,
    }
}

impl Lowering<'_> {
    pub(super) fn unary(&mut self, unary: &Node<UnaryOperatorExpression>) -> Result<Operand> {
        let (operator, operand) = (&unary.node.operator.node, &unary.node.operand);
        if let Some((up, before)) = step(operator) {
            if before {
                let place = self.place(operand)?;
                let old = self.load(&place, operand.span)?;
                let old = self.save(old, operand.span)?;
                self.step_place(&place, old.clone(), up, false, unary.span)?;
                return Ok(Operand::Value(old));
            }
            return self.increment(operand, up, true, unary.span).map(Operand::Value);
        }
        Ok(Operand::Value(match operator {
            UnaryOperator::Address => self.address_of(operand)?,
            UnaryOperator::Indirection => {
                let pointer = self.value(operand)?;
                let place = self.pointee(&pointer, operand.span)?;
                if let Type::Function(_) = place.ty
                    && let Some(name) = self.function_at(place.address)
                {
                    return Ok(Operand::Value(Value { content: Content::Function(name), ty: place.ty }));
                }
                return Ok(Operand::Place(place));
            }
            UnaryOperator::Negate => {
                let condition = self.condition(operand)?;
                let not = self.graph.terms.not(condition);
                self.truth(not)
            }
            _ => {
                let (term, ty) = self.promoted(operand)?;
                let term = match operator {
                    UnaryOperator::Complement => self.graph.terms.not(term),
                    UnaryOperator::Minus => self.negative(term, ty, unary.span),
                    _ => term,
                };
                Value::scalar(term, Type::Integer(ty))
            }
        }))
    }

    fn negative(&mut self, term: TermId, ty: Integer, place: Parsed) -> TermId {
        if ty.signed && self.options.signed_overflow_is_error {
            let scalar = self.graph.terms.scalar(term);
            let lowest = self.graph.terms.intern(Term::Constant(scalar.lowest()), scalar);
            let overflows = self.graph.terms.equal(term, lowest);
            let fits = self.graph.terms.not(overflows);
            self.check(fits, ErrorKind::SignedOverflow, place);
        }
        self.graph.terms.negate(term)
    }

    fn promoted(&mut self, operand: &Node<Expression>) -> Result<(TermId, Integer)> {
        let (term, ty) = self.scalar_value(operand)?;
        let Type::Integer(integer) = ty else {
            return self.error(Say::Operands, operand.span, "a number is needed here, and this is a pointer");
        };
        let promoted = integer.promoted();
        Ok((self.graph.terms.convert(term, promoted.scalar(self.types.model)), promoted))
    }

    /// The function that an address is that of, if it is a known one.
    pub(super) fn function_at(&self, address: TermId) -> Option<String> {
        match self.graph.terms.get(address) {
            Term::Memory(Memory::Address(object, 0)) => self.graph.objects.get(object.0 as usize)?.function.clone(),
            _ => None,
        }
    }

    fn address_of(&mut self, operand: &Node<Expression>) -> Result<Value> {
        // `&a[i]` is `a + i`, also one past the end.
        if let Expression::BinaryOperator(binary) = &operand.node
            && binary.node.operator.node == BinaryOperator::Index
        {
            let (base, index) = self.pair(&binary.node.lhs, &binary.node.rhs)?;
            return self.arithmetic(&BinaryOperator::Plus, base, index, operand.span);
        }
        match self.operand(operand)? {
            Operand::Place(place) => Ok(Value::scalar(place.address, Type::pointer_to(place.ty))),
            Operand::Value(Value { content: Content::Function(_), .. }) => self.value(operand),
            Operand::Value(_) => self.error(Say::Operands, operand.span, "this has no address"),
        }
    }

    /// What can be assigned.
    pub(super) fn place(&mut self, expression: &Node<Expression>) -> Result<Place> {
        match self.operand(expression)? {
            Operand::Place(place) => Ok(place),
            Operand::Value(_) => self.error(Say::Operands, expression.span, "this cannot be assigned"),
        }
    }

    /// `++x` and `--x`; their value is right only if it is said to be used.
    pub(super) fn increment(
        &mut self,
        operand: &Node<Expression>,
        up: bool,
        used: bool,
        parsed: Parsed,
    ) -> Result<Value> {
        let place = self.place(operand)?;
        let old = self.load(&place, operand.span)?;
        self.step_place(&place, old, up, used, parsed)
    }

    fn step_place(&mut self, place: &Place, old: Value, up: bool, used: bool, parsed: Parsed) -> Result<Value> {
        let one = self.integer(1, Integer::INT);
        let operator = if up { BinaryOperator::Plus } else { BinaryOperator::Minus };
        let new = self.arithmetic(&operator, old, one, parsed)?;
        let new = self.convert_to(new, &place.ty, parsed)?;
        self.assign(place, new, used, parsed)
    }

    /// Assigns, and gives the value of the assignment. It is not read again from an address that is computed: the
    /// assignment may have changed what that means, as in `a[a[0]] = 1`.
    fn assign(&mut self, place: &Place, mut value: Value, used: bool, parsed: Parsed) -> Result<Value> {
        let known = matches!(self.graph.terms.get(place.address), Term::Memory(Memory::Address(..)));
        if used && !known {
            value = self.save(value, parsed)?;
        }
        self.store(place, &value, parsed)?;
        if used && known { self.load(place, parsed) } else { Ok(value) }
    }

    pub(super) fn binary(&mut self, binary: &Node<BinaryOperatorExpression>) -> Result<Operand> {
        let BinaryOperatorExpression { operator, lhs, rhs } = &binary.node;
        match &operator.node {
            BinaryOperator::Index => return self.index(lhs, rhs, binary.span).map(Operand::Place),
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => {
                let bit = self.short_circuit(binary)?;
                return Ok(Operand::Value(self.truth(bit)));
            }
            _ => {}
        }
        if let Some(value) = self.assignment(binary, true)? {
            return Ok(Operand::Value(value));
        }
        let (left, right) = self.pair(lhs, rhs)?;
        self.arithmetic(&operator.node, left, right, binary.span).map(Operand::Value)
    }

    /// Does an assignment, if it is one. Its value is right only if it is said to be used.
    pub(super) fn assignment(&mut self, binary: &Node<BinaryOperatorExpression>, used: bool) -> Result<Option<Value>> {
        let BinaryOperatorExpression { operator, lhs, rhs } = &binary.node;
        let inner = compound(&operator.node);
        if inner.is_none() && operator.node != BinaryOperator::Assign {
            return Ok(None);
        }
        let mut value = self.value(rhs)?;
        if has_effects(lhs) {
            value = self.save(value, rhs.span)?;
        }
        let place = self.place(lhs)?;
        if let Some(inner) = inner {
            let left = self.load(&place, lhs.span)?;
            value = self.arithmetic(&inner, left, value, binary.span)?;
        }
        let value = self.convert_to(value, &place.ty, rhs.span)?;
        self.assign(&place, value, used, binary.span).map(Some)
    }

    fn index(&mut self, lhs: &Node<Expression>, rhs: &Node<Expression>, parsed: Parsed) -> Result<Place> {
        let base = self.operand(lhs)?;
        if let Operand::Place(array @ Place { ty: Type::Array(_, Some(_)), .. }) = &base {
            let array = &if has_effects(rhs) { self.settled(array, lhs.span)? } else { array.clone() };
            let index = self.value(rhs)?;
            if let Type::Integer(_) = index.ty {
                return self.element(array, &index, parsed);
            }
            return self.error(Say::Operands, rhs.span, "an index is a number");
        }
        let mut base = match base {
            Operand::Place(place) => self.load(&place, lhs.span)?,
            Operand::Value(value) => value,
        };
        if has_effects(rhs) {
            base = self.save(base, lhs.span)?;
        }
        let index = self.value(rhs)?;
        let pointer = self.arithmetic(&BinaryOperator::Plus, base, index, parsed)?;
        self.pointee(&pointer, parsed)
    }

    /// The place with its address computed now, before something changes an index in it.
    fn settled(&mut self, place: &Place, parsed: Parsed) -> Result<Place> {
        let address = Value::scalar(place.address, Type::pointer_to(place.ty.clone()));
        if let Term::Memory(Memory::Address(..)) = self.graph.terms.get(place.address) {
            return Ok(place.clone());
        }
        let saved = self.save(address, parsed)?;
        let (address, _) = self.as_scalar(saved, parsed)?;
        Ok(Place { address, ..place.clone() })
    }

    /// An operation on two values: conversions, checks, and the term.
    pub(super) fn arithmetic(&mut self, operator: &BinaryOperator, a: Value, b: Value, place: Parsed) -> Result<Value> {
        use BinaryOperator::*;
        let ((left, left_type), (right, right_type)) = (self.as_scalar(a, place)?, self.as_scalar(b, place)?);
        let (a, b) = match (left_type, right_type) {
            (Type::Integer(a), Type::Integer(b)) => (a, b),
            (left_type, right_type) => {
                let (a, b) = (Value::scalar(left, left_type), Value::scalar(right, right_type));
                return self.pointer_arithmetic(operator, a, b, place);
            }
        };
        if matches!(operator, ShiftLeft | ShiftRight) {
            return self.shift(operator, (left, a), (right, b), place);
        }
        let ty = a.common(b, self.types.model);
        let scalar = ty.scalar(self.types.model);
        let (x, y) = (self.graph.terms.convert(left, scalar), self.graph.terms.convert(right, scalar));
        let (x, y) = self.compared_addresses(operator, x, y);
        if let Some(bit) = self.comparison(operator, x, y) {
            return Ok(self.truth(bit));
        }
        let operation = match operator {
            Multiply => Operation::Multiply,
            Divide => Operation::Divide,
            Modulo => Operation::Remainder,
            Plus => Operation::Add,
            Minus => Operation::Subtract,
            BitwiseAnd => Operation::And,
            BitwiseXor => Operation::Xor,
            BitwiseOr => Operation::Or,
            _ => return self.error(Say::Operands, place, "this operator does not go with numbers"),
        };
        self.check_division(operation, x, y, place);
        self.check_overflow(operation, x, y, place);
        let term = self.graph.terms.binary(operation, x, y);
        Ok(Value::scalar(term, Type::Integer(ty)))
    }

    /// Addresses that are compared as numbers, `(unsigned long)p == (unsigned long)q`, are compared as addresses.
    fn compared_addresses(&mut self, operator: &BinaryOperator, x: TermId, y: TermId) -> (TermId, TermId) {
        let pointer = self.pointer();
        let address = |lowering: &Self, term: TermId| match lowering.graph.terms.get(term) {
            Term::Memory(Memory::Number(inner)) if lowering.graph.terms.scalar(term).width >= pointer.width => {
                Some(inner)
            }
            _ => None,
        };
        if !matches!(operator, BinaryOperator::Equals | BinaryOperator::NotEquals) {
            return (x, y);
        }
        let zero = |lowering: &Self, term: TermId| lowering.graph.terms.constant_bits(term) == Some(0);
        match (address(self, x), address(self, y)) {
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) if zero(self, y) => (a, self.graph.terms.constant(0, pointer)),
            (None, Some(b)) if zero(self, x) => (self.graph.terms.constant(0, pointer), b),
            _ => (x, y),
        }
    }

    /// A comparison as one bit.
    pub(super) fn comparison(&mut self, operator: &BinaryOperator, x: TermId, y: TermId) -> Option<TermId> {
        let terms = &mut self.graph.terms;
        Some(match operator {
            BinaryOperator::Equals => terms.equal(x, y),
            BinaryOperator::NotEquals => {
                let equal = terms.equal(x, y);
                terms.not(equal)
            }
            BinaryOperator::Less => terms.binary(Operation::Less, x, y),
            BinaryOperator::Greater => terms.binary(Operation::Less, y, x),
            BinaryOperator::LessOrEqual => terms.binary(Operation::LessEqual, x, y),
            BinaryOperator::GreaterOrEqual => terms.binary(Operation::LessEqual, y, x),
            _ => return None,
        })
    }

    fn shift(
        &mut self,
        operator: &BinaryOperator,
        left: (TermId, Integer),
        right: (TermId, Integer),
        place: Parsed,
    ) -> Result<Value> {
        let ty = left.1.promoted();
        let scalar = ty.scalar(self.types.model);
        let value = self.graph.terms.convert(left.0, scalar);
        let counter = right.1.promoted().scalar(self.types.model);
        let count = self.graph.terms.convert(right.0, counter);
        let count = self.graph.terms.convert(count, Scalar::unsigned(counter.width));
        let bound = self.graph.terms.constant(i128::from(scalar.width), Scalar::unsigned(counter.width));
        let small = self.graph.terms.binary(Operation::Less, count, bound);
        self.check(small, ErrorKind::Shift, place);
        let count = self.graph.terms.convert(count, scalar);
        let operation =
            if *operator == BinaryOperator::ShiftLeft { Operation::ShiftLeft } else { Operation::ShiftRight };
        Ok(Value::scalar(self.graph.terms.binary(operation, value, count), Type::Integer(ty)))
    }

    fn check_division(&mut self, operation: Operation, x: TermId, y: TermId, place: Parsed) {
        if !matches!(operation, Operation::Divide | Operation::Remainder) {
            return;
        }
        let nonzero = self.graph.terms.nonzero(y);
        self.check(nonzero, ErrorKind::DivisionByZero, place);
        let scalar = self.graph.terms.scalar(x);
        if scalar.signed {
            let lowest = self.graph.terms.intern(Term::Constant(scalar.lowest()), scalar);
            let minus_one = self.graph.terms.constant(-1, scalar);
            let (low, minus) = (self.graph.terms.equal(x, lowest), self.graph.terms.equal(y, minus_one));
            let overflows = self.graph.terms.and(low, minus);
            let fits = self.graph.terms.not(overflows);
            self.check(fits, ErrorKind::DivisionOverflow, place);
        }
    }

    /// The result fits if it is the same in twice as many bits.
    fn check_overflow(&mut self, operation: Operation, x: TermId, y: TermId, place: Parsed) {
        let scalar = self.graph.terms.scalar(x);
        let can = matches!(operation, Operation::Add | Operation::Subtract | Operation::Multiply);
        if !(self.options.signed_overflow_is_error && scalar.signed && can) {
            return;
        }
        let wide = Scalar::signed(scalar.width * 2);
        let terms = &mut self.graph.terms;
        let narrow = terms.binary(operation, x, y);
        let narrow = terms.convert(narrow, wide);
        let (x, y) = (terms.convert(x, wide), terms.convert(y, wide));
        let exact = terms.binary(operation, x, y);
        let fits = terms.equal(exact, narrow);
        self.check(fits, ErrorKind::SignedOverflow, place);
    }

    /// An explicit conversion; only that may turn one kind of pointer into another, and so on.
    pub(super) fn cast(&mut self, value: Value, ty: &Type, place: Parsed) -> Result<Value> {
        if *ty == Type::Void {
            return Ok(Value::nothing(Type::Void));
        }
        self.convert_to(value, ty, place)
    }

    /// The value as one of another type.
    pub(super) fn convert_to(&mut self, value: Value, ty: &Type, place: Parsed) -> Result<Value> {
        let term = match (&value.content, &value.ty, ty) {
            (Content::Scalar(term), _, Type::Integer(Integer::BOOL)) => self.graph.terms.nonzero(*term),
            (Content::Scalar(term), Type::Integer(_), Type::Integer(to)) => {
                self.graph.terms.convert(*term, to.scalar(self.types.model))
            }
            (Content::Scalar(term), Type::Pointer { .. }, Type::Pointer { .. }) => *term,
            (Content::Scalar(term), Type::Integer(_), Type::Pointer { .. }) => {
                if self.graph.terms.constant_bits(*term) != Some(0) {
                    return self.error(Say::Address, place, "a number other than 0 is used as an address");
                }
                self.graph.terms.constant(0, self.pointer())
            }
            // Whether it is the address of something is known later.
            (Content::Scalar(term), Type::Pointer { .. }, Type::Integer(_)) => {
                let scalar = self.scalar(ty, place)?;
                match self.graph.terms.constant_bits(*term) {
                    Some(bits) => self.graph.terms.constant(bits as i128, scalar),
                    None => self.graph.terms.memory(Memory::Number(*term), scalar),
                }
            }
            (Content::Aggregate(_), Type::Record(from), Type::Record(to)) if from == to => return Ok(value),
            (_, Type::Integer(_) | Type::Float(_), Type::Float(_)) => return Ok(Value::nothing(ty.clone())),
            (Content::Nothing, from, to) if from == to => return Ok(value),
            (_, Type::Float(_), _) => return self.error(Say::Float, place, "a floating-point value is used"),
            _ => {
                let (from, to) = (self.types.describe(&value.ty), self.types.describe(ty));
                return self.error(Say::Operands, place, format!("`{from}` does not become `{to}`"));
            }
        };
        Ok(Value::scalar(term, ty.clone()))
    }

    /// The type of `? :`.
    pub(super) fn common_type(&mut self, a: &Value, b: &Value, place: Parsed) -> Result<Type> {
        match (&a.ty, &b.ty) {
            (Type::Integer(x), Type::Integer(y)) => Ok(Type::Integer(x.common(*y, self.types.model))),
            (Type::Pointer { .. }, Type::Integer(_)) => Ok(a.ty.clone()),
            (Type::Integer(_), Type::Pointer { .. }) => Ok(b.ty.clone()),
            (Type::Pointer { to, .. }, Type::Pointer { .. }) if **to == Type::Void => Ok(b.ty.clone()),
            (Type::Pointer { .. }, Type::Pointer { .. }) => Ok(a.ty.clone()),
            (Type::Void, _) | (_, Type::Void) => Ok(Type::Void),
            (Type::Float(_), _) | (_, Type::Float(_)) => Ok(Type::Float(8)),
            (x, y) if x == y => Ok(a.ty.clone()),
            _ => self.error(Say::Operands, place, "the two sides have different types"),
        }
    }
}
