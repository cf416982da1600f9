//! Sets of values, and what operators make of them.
//!
//! A set is kept number by number while it is small, and as a range otherwise. Every function here returns at least what
//! the concrete operation can give (and, where that is easy, nothing else): that is all a checker needs. References to
//! channels are sets of queues; what arithmetic does to one is not known.

use model::expr::{BinaryOp, UnaryOp};
use model::flow_proof::Values;
use model::network::ScalarType;

/// Larger sets become ranges.
const MOST: usize = 256;
/// More pairs are not tried one by one.
const PAIRS: usize = 1 << 14;

/// This number.
pub(super) fn number(n: i32) -> Values {
    Values::Set(vec![n])
}

/// No value: where it turns up, nothing can happen.
pub(super) fn none() -> Values {
    Values::Set(Vec::new())
}

/// 0 or 1.
pub(super) fn truth_value() -> Values {
    Values::Set(vec![0, 1])
}

/// Any number.
pub(super) fn any() -> Values {
    Values::Range(i32::MIN, i32::MAX)
}

/// Any number that is not negative.
pub(super) fn natural() -> Values {
    Values::Range(0, i32::MAX)
}

/// The numbers from `low` to `high`.
pub(super) fn between(low: i32, high: i32) -> Values {
    if i64::from(high) - i64::from(low) < MOST as i64 {
        Values::Set((low..=high).collect())
    } else {
        Values::Range(low, high)
    }
}

/// These numbers.
fn numbers(mut all: Vec<i32>) -> Values {
    all.sort_unstable();
    all.dedup();
    match (all.first(), all.last()) {
        (Some(&low), Some(&high)) if all.len() > MOST => Values::Range(low, high),
        _ => Values::Set(all),
    }
}

/// Everything that a variable of the type can hold.
pub(super) fn of_type(ty: ScalarType) -> Values {
    match ty {
        ScalarType::Channel => Values::AnyQueue,
        ScalarType::Bit => truth_value(),
        ScalarType::Byte | ScalarType::Pid | ScalarType::Symbol(_) => Values::Range(0, 255),
        ScalarType::Short => Values::Range(i32::from(i16::MIN), i32::from(i16::MAX)),
        ScalarType::Unsigned(bits) if bits < 31 => between(0, (1 << bits) - 1),
        ScalarType::Unsigned(31) => natural(),
        ScalarType::Int | ScalarType::Unsigned(_) => any(),
    }
}

/// What is in a variable of the type after one of the values was stored.
pub(super) fn stored(ty: ScalarType, values: Values) -> Values {
    match (ty, values) {
        (ScalarType::Channel, values @ (Values::Queues(_) | Values::AnyQueue)) => values,
        (ScalarType::Channel, Values::Set(all)) if all.iter().all(|&n| n == 0) => Values::Queues(Vec::new()),
        (ScalarType::Channel, _) => Values::AnyQueue,
        (_, Values::Queues(_) | Values::AnyQueue) => of_type(ty),
        (_, Values::Set(all)) => numbers(all.into_iter().map(|n| ty.truncate(n)).collect()),
        (_, Values::Range(low, high)) => match extent(&of_type(ty)) {
            Some((least, greatest)) if least <= low && high <= greatest => Values::Range(low, high),
            _ => of_type(ty),
        },
    }
}

/// The least and the greatest number; nothing for references, or if there is none.
pub(super) fn extent(values: &Values) -> Option<(i32, i32)> {
    match values {
        Values::Set(all) => Some((*all.first()?, *all.last()?)),
        Values::Range(low, high) => Some((*low, *high)),
        Values::Queues(_) | Values::AnyQueue => None,
    }
}

/// Whether a number can be among them. A reference can be any number.
pub(super) fn contains(values: &Values, n: i32) -> bool {
    match values {
        Values::Set(all) => all.binary_search(&n).is_ok(),
        Values::Range(low, high) => (*low..=*high).contains(&n),
        Values::Queues(_) | Values::AnyQueue => true,
    }
}

/// Whether there is no value.
pub(super) fn is_none(values: &Values) -> bool {
    matches!(values, Values::Set(all) if all.is_empty())
}

/// The only number there is.
pub(super) fn constant(values: &Values) -> Option<i32> {
    extent(values).filter(|(low, high)| low == high).map(|(low, _)| low)
}

/// Those of either.
pub(super) fn join(a: &Values, b: &Values) -> Values {
    match (a, b) {
        _ if is_none(a) => b.clone(),
        _ if is_none(b) => a.clone(),
        (Values::Queues(x), Values::Queues(y)) => {
            let mut all = [x.as_slice(), y].concat();
            all.sort_unstable();
            all.dedup();
            Values::Queues(all)
        }
        (Values::Set(x), Values::Set(y)) => numbers([x.as_slice(), y].concat()),
        _ => match (extent(a), extent(b)) {
            (Some((l, h)), Some((m, k))) => between(l.min(m), h.max(k)),
            _ => Values::AnyQueue,
        },
    }
}

/// Those of both. A number and a reference can be equal; what is known of the number is kept then.
pub(super) fn meet(a: &Values, b: &Values) -> Values {
    match (a, b) {
        (Values::Set(all), other) | (other, Values::Set(all)) => {
            Values::Set(all.iter().copied().filter(|&n| contains(other, n)).collect())
        }
        (Values::Range(l, h), Values::Range(m, k)) => between(*l.max(m), *h.min(k)),
        (Values::Queues(x), Values::Queues(y)) => Values::Queues(x.iter().copied().filter(|q| y.contains(q)).collect()),
        (Values::AnyQueue, known) | (known, Values::AnyQueue) => known.clone(),
        (range @ Values::Range(..), Values::Queues(_)) | (Values::Queues(_), range @ Values::Range(..)) => {
            range.clone()
        }
    }
}

/// Whether everything in `a` is in `b`.
pub(super) fn within(a: &Values, b: &Values) -> bool {
    match (a, b) {
        _ if is_none(a) => true,
        (Values::Queues(_) | Values::AnyQueue, Values::AnyQueue) => true,
        (Values::Queues(x), Values::Queues(y)) => x.iter().all(|q| y.binary_search(q).is_ok()),
        (Values::Set(all), Values::Set(_) | Values::Range(..)) => all.iter().all(|&n| contains(b, n)),
        (Values::Range(l, h), Values::Range(m, k)) => m <= l && h <= k,
        (Values::Range(l, h), Values::Set(all)) => {
            let width = i64::from(*h) - i64::from(*l) + 1;
            let inside = all.iter().filter(|n| (l..=h).contains(n)).count();
            width == inside as i64
        }
        _ => false,
    }
}

/// Whether one of the values can be true (not zero), and whether one can be false.
pub(super) fn truth(values: &Values) -> (bool, bool) {
    (!is_none(values) && constant(values) != Some(0), contains(values, 0))
}

fn of_truth(can_hold: bool, can_fail: bool) -> Values {
    Values::Set([(can_fail, 0), (can_hold, 1)].iter().filter(|(can, _)| *can).map(|(_, n)| *n).collect())
}

/// What an operator makes of the values.
pub(super) fn unary(op: UnaryOp, a: &Values) -> Values {
    match (op, a) {
        (UnaryOp::Not, _) => {
            let (holds, fails) = truth(a);
            of_truth(fails, holds)
        }
        (UnaryOp::Negate, Values::Set(all)) => numbers(all.iter().map(|n| n.wrapping_neg()).collect()),
        (UnaryOp::Complement, Values::Set(all)) => numbers(all.iter().map(|n| !n).collect()),
        (UnaryOp::Negate, Values::Range(low, high)) if *low > i32::MIN => between(-high, -low),
        (UnaryOp::Complement, Values::Range(low, high)) => between(!high, !low),
        _ => any(),
    }
}

/// What an operator makes of any two of the values.
pub(super) fn binary(op: BinaryOp, a: &Values, b: &Values) -> Values {
    if let (Values::Set(x), Values::Set(y)) = (a, b)
        && x.len().saturating_mul(y.len()) <= PAIRS
    {
        return numbers(x.iter().flat_map(|&m| y.iter().filter_map(move |&n| op.apply(m, n))).collect());
    }
    if is_none(a) || is_none(b) {
        return none();
    }
    if is_comparison(op) {
        return of_truth(!is_none(&compared(op, a, b)), !is_none(&compared(opposite(op), a, b)));
    }
    match (extent(a), extent(b)) {
        (Some(x), Some(y)) => of_ranges(op, x, y),
        _ => any(),
    }
}

/// Whether the operator compares.
pub(super) fn is_comparison(op: BinaryOp) -> bool {
    opposite(op) != op
}

/// `b mirrored(op) a` is `a op b`, for comparisons.
pub(super) fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

/// The comparison that holds exactly when this one does not.
pub(super) fn opposite(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        other => other,
    }
}

/// Interval arithmetic; any number where the result may wrap around.
fn of_ranges(op: BinaryOp, (l, h): (i32, i32), (m, k): (i32, i32)) -> Values {
    let corners = |exact: fn(i64, i64) -> i64| {
        let all = [(l, m), (l, k), (h, m), (h, k)].map(|(a, b)| exact(a.into(), b.into()));
        let [low, high] = all.iter().fold([i64::MAX, i64::MIN], |[low, high], &n| [low.min(n), high.max(n)]);
        match (i32::try_from(low), i32::try_from(high)) {
            (Ok(low), Ok(high)) => between(low, high),
            _ => any(),
        }
    };
    match op {
        BinaryOp::Add => corners(|a, b| a + b),
        BinaryOp::Sub => corners(|a, b| a - b),
        BinaryOp::Mul => corners(|a, b| a * b),
        BinaryOp::Div if l >= 0 && m > 0 => corners(|a, b| a / b),
        BinaryOp::Rem if l >= 0 && m > 0 => between(0, h.min(k - 1)),
        BinaryOp::BitAnd if l >= 0 && m >= 0 => between(0, h.min(k)),
        BinaryOp::ShiftRight if l >= 0 => between(0, h),
        _ => any(),
    }
}

/// Those of `a` that compare so with some of `b`.
pub(super) fn compared(op: BinaryOp, a: &Values, b: &Values) -> Values {
    let (Some((l, h)), Some((m, k))) = (extent(a), extent(b)) else {
        return if is_none(b) { none() } else { a.clone() };
    };
    match op {
        BinaryOp::Less => k.checked_sub(1).map_or_else(none, |k| meet(a, &Values::Range(i32::MIN, k))),
        BinaryOp::LessEqual => meet(a, &Values::Range(i32::MIN, k)),
        BinaryOp::Greater => m.checked_add(1).map_or_else(none, |m| meet(a, &Values::Range(m, i32::MAX))),
        BinaryOp::GreaterEqual => meet(a, &Values::Range(m, i32::MAX)),
        BinaryOp::Equal => meet(a, b),
        BinaryOp::NotEqual if m == k => match a {
            Values::Set(all) => Values::Set(all.iter().copied().filter(|&n| n != m).collect()),
            // Of a range, only an end can be cut off.
            _ if l == m => compared(BinaryOp::Greater, a, b),
            _ if h == m => compared(BinaryOp::Less, a, b),
            _ => a.clone(),
        },
        _ => a.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOp::*;

    const OPS: [BinaryOp; 18] = [
        Add,
        Sub,
        Mul,
        Div,
        Rem,
        BitAnd,
        BitOr,
        BitXor,
        ShiftLeft,
        ShiftRight,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        Equal,
        NotEqual,
        And,
        Or,
    ];
    const TYPES: [ScalarType; 7] = [
        ScalarType::Bit,
        ScalarType::Byte,
        ScalarType::Pid,
        ScalarType::Short,
        ScalarType::Int,
        ScalarType::Unsigned(5),
        ScalarType::Unsigned(31),
    ];

    /// Sets and ranges, each with some of its numbers.
    fn samples() -> Vec<(Values, Vec<i32>)> {
        let ends =
            [i32::MIN, i32::MIN + 1, -70_000, -300, -1, 0, 1, 2, 31, 255, 256, 400, 70_000, i32::MAX - 1, i32::MAX];
        let mut all = vec![(Values::Set(vec![-5, 0, 7]), vec![-5, 0, 7]), (Values::Set(vec![3]), vec![3])];
        for (i, &low) in ends.iter().enumerate() {
            for &high in &ends[i..] {
                let middle = ((i64::from(low) + i64::from(high)) / 2) as i32;
                let inside = [low, high, middle, low.saturating_add(1).min(high), 0.clamp(low, high)];
                all.push((between(low, high), inside.to_vec()));
                all.push((Values::Range(low, high), inside.to_vec()));
            }
        }
        all
    }

    #[test]
    fn operators_cover_what_they_do_to_numbers() {
        let samples = samples();
        for (a, some_a) in &samples {
            for op in [UnaryOp::Not, UnaryOp::Negate, UnaryOp::Complement] {
                let result = unary(op, a);
                for &n in some_a {
                    let exact = match op {
                        UnaryOp::Not => i32::from(n == 0),
                        UnaryOp::Negate => n.wrapping_neg(),
                        UnaryOp::Complement => !n,
                    };
                    assert!(contains(&result, exact));
                }
            }
            for ty in TYPES {
                assert!(some_a.iter().all(|&n| contains(&stored(ty, a.clone()), ty.truncate(n))));
                assert!(some_a.iter().all(|&n| contains(&of_type(ty), ty.truncate(n))));
            }
            for (b, some_b) in &samples {
                for op in OPS {
                    let (result, kept) = (binary(op, a, b), compared(op, a, b));
                    for (&m, &n) in some_a.iter().flat_map(|m| some_b.iter().map(move |n| (m, n))) {
                        let Some(exact) = op.apply(m, n) else { continue };
                        assert!(contains(&result, exact), "{m} {} {n} in {result:?}", op.symbol());
                        assert!(!is_comparison(op) || exact == 0 || contains(&kept, m));
                        assert_eq!(is_comparison(op), op.apply(m, n) != opposite(op).apply(m, n));
                    }
                }
            }
        }
    }

    #[test]
    fn sets_have_the_usual_laws() {
        let samples = samples();
        for (a, some_a) in &samples {
            assert!(within(a, a));
            for (b, some_b) in &samples {
                let (both, either) = (meet(a, b), join(a, b));
                assert!(within(a, &either) && within(b, &either));
                assert!(some_a.iter().all(|&n| contains(&both, n) == contains(b, n)));
                let inside = some_b.iter().all(|&n| contains(a, n));
                assert!(!within(b, a) || inside);
            }
        }
    }

    #[test]
    fn references_stay_references_only_in_channels() {
        let reference = Values::Queues(vec![1]);
        assert_eq!(stored(ScalarType::Channel, reference.clone()), reference);
        assert_eq!(stored(ScalarType::Channel, number(0)), Values::Queues(Vec::new()));
        assert_eq!(stored(ScalarType::Channel, number(1)), Values::AnyQueue);
        assert_eq!(stored(ScalarType::Byte, reference.clone()), Values::Range(0, 255));
        assert!(within(&reference, &Values::AnyQueue) && !within(&Values::AnyQueue, &reference));
        assert!(!within(&number(0), &reference) && !within(&reference, &any()));
    }
}
