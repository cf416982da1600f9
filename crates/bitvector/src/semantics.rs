//! What every operation means: SMT-LIB's fixed-width integers, as functions on numbers.
//!
//! A value is a `u128` whose bits above the width are zero; a Boolean is zero or one. All operations are total, as in
//! SMT-LIB's theory `FixedSizeBitVectors`: unsigned division by zero gives all ones, the remainder by zero is the
//! dividend, and the signed ones follow from these by their definition through signs and absolute values.
//! Evaluation and constant folding both come here, so they cannot disagree.

use crate::terms::{Op, Sort};

/// All ones in `width` bits.
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// The sign bit of `width` bits.
pub(crate) fn sign_bit(width: u32) -> u128 {
    1u128 << (width - 1)
}

/// Is the number negative, read as two's complement?
pub(crate) fn is_negative(bits: u128, width: u32) -> bool {
    bits & sign_bit(width) != 0
}

/// The number that the bits stand for in two's complement.
pub fn to_signed(bits: u128, width: u32) -> i128 {
    let unused = 128 - width;
    ((bits << unused) as i128) >> unused
}

fn negate(bits: u128, width: u32) -> u128 {
    bits.wrapping_neg() & mask(width)
}

fn magnitude(bits: u128, width: u32) -> u128 {
    if is_negative(bits, width) { negate(bits, width) } else { bits }
}

fn unsigned_quotient(a: u128, b: u128, width: u32) -> u128 {
    a.checked_div(b).unwrap_or(mask(width))
}

fn unsigned_remainder(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

fn signed_quotient(a: u128, b: u128, width: u32) -> u128 {
    let quotient = unsigned_quotient(magnitude(a, width), magnitude(b, width), width);
    if is_negative(a, width) == is_negative(b, width) { quotient } else { negate(quotient, width) }
}

fn signed_remainder(a: u128, b: u128, width: u32) -> u128 {
    let remainder = unsigned_remainder(magnitude(a, width), magnitude(b, width));
    if is_negative(a, width) { negate(remainder, width) } else { remainder }
}

/// A shift amount that is surely less than 128, or none.
fn amount(b: u128, width: u32) -> Option<u32> {
    if b < u128::from(width) { Some(b as u32) } else { None }
}

/// The result of an operation on values. `from` is the sort of the first argument, `to` of the result.
/// Constants and variables have no arguments and no meaning here; they give zero.
pub(crate) fn apply(op: Op, from: Sort, to: Sort, [a, b, c]: [u128; 3]) -> u128 {
    let width = from.width();
    let flag = u128::from;
    let value = match op {
        Op::Const(bits) => bits,
        Op::Var(_) => 0,
        Op::Not => a ^ 1,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Eq => flag(a == b),
        Op::Ite => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Op::BvNot => !a,
        Op::BvNeg => a.wrapping_neg(),
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Udiv => unsigned_quotient(a, b, width),
        Op::Urem => unsigned_remainder(a, b),
        Op::Sdiv => signed_quotient(a, b, width),
        Op::Srem => signed_remainder(a, b, width),
        Op::Shl => amount(b, width).map_or(0, |n| a << n),
        Op::Lshr => amount(b, width).map_or(0, |n| a >> n),
        Op::Ashr => (to_signed(a, width) >> amount(b, width).unwrap_or(width - 1)) as u128,
        Op::Ult => flag(a < b),
        Op::Slt => flag(to_signed(a, width) < to_signed(b, width)),
        Op::Concat => (a << (to.width() - width)) | b,
        Op::Extract(low) => a >> low,
        Op::Zext => a,
        Op::Sext => to_signed(a, width) as u128,
    };
    value & mask(to.width())
}
