//! The arithmetic of C, as the conditions of `#if` need it.
//!
//! All values have 64 bits, with a sign or without. Nothing here fails: sums wrap around, shifts may
//! have any count, and a division by zero is only noted in its result. It becomes an error if that
//! result is what the condition comes to.

use crate::lexer::Piece;
use crate::token::TokenKind;

/// A value of a condition: 64 bits, as wide as C can count.
#[derive(Copy, Clone)]
pub(super) struct Value {
    pub bits: i64,
    pub unsigned: bool,
    /// A division by zero that went into it. It matters only if the value does: not on the side
    /// of `&&`, `||` or `?:` that is not looked at.
    pub fault: Option<Piece>,
}

impl Value {
    pub fn signed(bits: i64) -> Value {
        Value { bits, unsigned: false, fault: None }
    }

    fn truth(condition: bool, fault: Option<Piece>) -> Value {
        Value { bits: i64::from(condition), unsigned: false, fault }
    }

    pub fn unary(self, mark: TokenKind) -> Value {
        match mark {
            TokenKind::Bang => Value::truth(self.bits == 0, self.fault),
            TokenKind::Tilde => Value { bits: !self.bits, ..self },
            TokenKind::Minus => Value { bits: self.bits.wrapping_neg(), ..self },
            _ => self,
        }
    }

    pub fn binary(self, mark: TokenKind, right: Value, piece: Piece) -> Value {
        let fault = self.fault.or(right.fault);
        let (a, b) = (self.bits, right.bits);
        let unsigned = self.unsigned || right.unsigned;
        let order = if unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) };
        let number = |bits: i64| Value { bits, unsigned, fault };
        match mark {
            TokenKind::Comma => Value { fault, ..right },
            TokenKind::PipePipe if a != 0 => Value::truth(true, self.fault),
            TokenKind::PipePipe => Value::truth(b != 0, fault),
            TokenKind::AmpAmp if a == 0 => Value::truth(false, self.fault),
            TokenKind::AmpAmp => Value::truth(b != 0, fault),
            TokenKind::Pipe => number(a | b),
            TokenKind::Caret => number(a ^ b),
            TokenKind::Amp => number(a & b),
            TokenKind::EqEq => Value::truth(order.is_eq(), fault),
            TokenKind::BangEq => Value::truth(order.is_ne(), fault),
            TokenKind::Lt => Value::truth(order.is_lt(), fault),
            TokenKind::LtEq => Value::truth(order.is_le(), fault),
            TokenKind::Gt => Value::truth(order.is_gt(), fault),
            TokenKind::GtEq => Value::truth(order.is_ge(), fault),
            TokenKind::Shl => Value { fault, ..self.shifted(right, true) },
            TokenKind::Shr => Value { fault, ..self.shifted(right, false) },
            TokenKind::Plus => number(a.wrapping_add(b)),
            TokenKind::Minus => number(a.wrapping_sub(b)),
            TokenKind::Star => number(a.wrapping_mul(b)),
            TokenKind::Slash | TokenKind::Percent if b == 0 => Value { fault: fault.or(Some(piece)), ..number(0) },
            TokenKind::Slash if unsigned => number((a as u64 / b as u64) as i64),
            TokenKind::Slash => number(a.wrapping_div(b)),
            _ if unsigned => number((a as u64 % b as u64) as i64),
            _ => number(a.wrapping_rem(b)),
        }
    }

    /// A shift by any count; a negative one goes the other way.
    fn shifted(self, count: Value, left: bool) -> Value {
        let backwards = !count.unsigned && count.bits < 0;
        let count = if backwards { count.bits.unsigned_abs() } else { count.bits as u64 };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let bits = if left != backwards {
            self.bits.checked_shl(count).unwrap_or(0)
        } else if self.unsigned {
            (self.bits as u64).checked_shr(count).unwrap_or(0) as i64
        } else {
            self.bits >> count.min(63)
        };
        Value { bits, ..self }
    }

    pub fn choose(self, yes: Value, no: Value) -> Value {
        let chosen = if self.bits != 0 { yes } else { no };
        Value { unsigned: yes.unsigned || no.unsigned, fault: self.fault.or(chosen.fault), ..chosen }
    }
}

/// A whole number as C writes it: decimal, octal, hexadecimal or binary, with `u` and `l` behind it.
pub(super) fn c_integer(text: &str) -> Option<Value> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text[digits.len()..].to_ascii_lowercase();
    if !matches!(suffix.as_str(), "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    let digits = digits.to_ascii_lowercase();
    let value = if let Some(digits) = digits.strip_prefix("0x") {
        u64::from_str_radix(digits, 16)
    } else if let Some(digits) = digits.strip_prefix("0b") {
        u64::from_str_radix(digits, 2)
    } else if digits.starts_with('0') {
        u64::from_str_radix(&digits, 8)
    } else {
        digits.parse()
    };
    let value = value.ok()?;
    Some(Value { bits: value as i64, unsigned: suffix.contains('u') || value > i64::MAX as u64, fault: None })
}

/// The value of a character constant of C.
pub(super) fn c_character(text: &str) -> Option<i64> {
    let mut characters = text.chars();
    let first = characters.next()?;
    let rest = characters.as_str();
    let value = match (first, rest) {
        ('\\', "n") => 10,
        ('\\', "t") => 9,
        ('\\', "r") => 13,
        ('\\', "f") => 12,
        ('\\', "v") => 11,
        ('\\', "b") => 8,
        ('\\', "a") => 7,
        ('\\', "\\" | "'" | "\"" | "?") => i64::from(rest.as_bytes()[0]),
        ('\\', octal) if octal.len() <= 3 => i64::from_str_radix(octal, 8).ok()?,
        (single, "") if single.is_ascii() => i64::from(u32::from(single)),
        _ => return None,
    };
    Some(value)
}
