//! Numbers, characters and strings.

use super::place::Place;
use super::{Lowering, Result};
use crate::codes::Say;
use crate::program::VariableKind;
use crate::types::{Integer, Rank, Type};
use lang_c::ast;
use lang_c::span::{Node, Span as Parsed};
use std::sync::Arc;

impl Lowering<'_> {
    /// The value and type of an integer constant (C11 6.4.4.1: the first type in the list that holds it).
    pub(super) fn integer_literal(&self, integer: &ast::Integer, place: Parsed) -> Result<(i128, Integer)> {
        if integer.suffix.imaginary {
            return self.error(Say::Construct, place, "imaginary numbers are not modelled");
        }
        let radix = match integer.base {
            ast::IntegerBase::Decimal => 10,
            ast::IntegerBase::Octal => 8,
            ast::IntegerBase::Hexadecimal => 16,
            ast::IntegerBase::Binary => 2,
        };
        let digits = if integer.number.is_empty() { "0" } else { &*integer.number };
        let Ok(value) = u64::from_str_radix(digits, radix) else {
            return self.error(Say::Operands, place, "this number does not fit into any type");
        };
        let first = match integer.suffix.size {
            ast::IntegerSize::Int => Rank::Int,
            ast::IntegerSize::Long => Rank::Long,
            ast::IntegerSize::LongLong => Rank::LongLong,
        };
        for rank in [Rank::Int, Rank::Long, Rank::LongLong].into_iter().filter(|&rank| rank >= first) {
            for signed in [true, false] {
                let allowed = if signed { !integer.suffix.unsigned } else { integer.suffix.unsigned || radix != 10 };
                let ty = Integer { rank, signed };
                if allowed && ty.scalar(self.types.model).holds(i128::from(value)) {
                    return Ok((i128::from(value), ty));
                }
            }
        }
        // A decimal number that only an unsigned type holds: GCC warns and takes that.
        Ok((i128::from(value), Integer { rank: Rank::LongLong, signed: false }))
    }

    /// The value of `'a'`, an `int`.
    pub(super) fn character_literal(&self, text: &str, place: Parsed) -> Result<i128> {
        let Some(body) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) else {
            return self.error(Say::Construct, place, "wide characters are not modelled");
        };
        match unescape(body).as_deref() {
            Some([byte]) => Ok(i128::from(*byte as i8)),
            _ => self.error(Say::Construct, place, "a character constant of several characters is not modelled"),
        }
    }

    /// The bytes of a string, with the zero at its end.
    pub(super) fn string_bytes(&self, literal: &Node<ast::StringLiteral>) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for part in &literal.node {
            let body = part.strip_prefix("u8").unwrap_or(part);
            let body = body.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            match body.and_then(unescape) {
                Some(more) => bytes.extend(more),
                None => return self.error(Say::Construct, literal.span, "this kind of string is not modelled"),
            }
        }
        bytes.push(0);
        Ok(bytes)
    }

    /// The array that a string literal is.
    pub(super) fn string_place(&mut self, literal: &Node<ast::StringLiteral>) -> Result<Place> {
        let bytes = self.string_bytes(literal)?;
        let ty = Type::Array(Arc::new(Type::Integer(Integer::CHAR)), Some(bytes.len() as u64));
        let key = (literal.span.start, literal.span.end);
        let object = match self.literals.get(&key) {
            Some(&object) => object,
            None => {
                let name = literal.node.concat();
                let object = self.object(&ty, &name, (None, VariableKind::Literal), literal.span)?;
                self.literals.insert(key, object);
                self.graph.constant[object.0 as usize] = true;
                let variables = self.graph.objects[object.0 as usize].variables.clone();
                for (variable, byte) in variables.into_iter().zip(bytes) {
                    let scalar = self.graph.scalar_of(variable);
                    let value = self.graph.terms.constant(i128::from(byte), scalar);
                    self.initial.push((variable, value));
                }
                object
            }
        };
        let address = self.graph.terms.address(object, 0, self.pointer());
        Ok(Place { address, ty, safe: true })
    }
}

/// The bytes that the inside of a literal stands for; `None` if it has an escape that we do not know.
fn unescape(body: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = body.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escaped = rest.next()?;
        let value = match escaped {
            b'n' => 10,
            b't' => 9,
            b'r' => 13,
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => escaped,
            b'0'..=b'7' => {
                let mut value = u32::from(escaped - b'0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) else { break };
                    value = value * 8 + u32::from(digit - b'0');
                }
                u8::try_from(value).ok()?
            }
            b'x' => {
                let mut value = 0_u32;
                while let Some(digit) = rest.next_if(u8::is_ascii_hexdigit) {
                    value = value * 16 + (digit as char).to_digit(16)?;
                    u8::try_from(value).ok()?;
                }
                u8::try_from(value).ok()?
            }
            _ => return None,
        };
        bytes.push(value);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_stand_for_bytes() {
        assert_eq!(unescape(r"a\n\x41\101\0\\").unwrap(), b"a\nAA\0\\");
        assert_eq!(unescape(r"\q"), None);
        assert_eq!(unescape(r"\xfff"), None);
    }
}
