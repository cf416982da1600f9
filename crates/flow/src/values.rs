//! Sets of numbers and of queues: what a variable or a field of a message can hold.
//!
//! Small sets are kept exactly, larger ones as a range. The form is canonical: a set of at most [`MOST`] numbers is
//! always a [`Values::Set`], a larger one always a [`Values::Range`], so equality of representations is equality of
//! sets. Arithmetic enumerates small sets and falls back to intervals; every operation errs on the side of more.

use model::expr::{BinaryOp, UnaryOp};
use model::flow_proof::Values;
use model::network::ScalarType;

/// Sets of more numbers than this are ranges.
pub const MOST: usize = 64;
/// So many pairs are tried one by one.
const PAIRS: usize = 2048;

/// One number.
pub fn single(value: i32) -> Values {
    Values::Set(vec![value])
}

/// No value.
pub fn nothing() -> Values {
    Values::Set(Vec::new())
}

/// True or false.
pub fn either() -> Values {
    Values::Set(vec![0, 1])
}

/// Any number.
pub fn anything() -> Values {
    Values::Range(i32::MIN, i32::MAX)
}

/// The numbers from `low` to `high`.
pub fn range(low: i32, high: i32) -> Values {
    if low > high {
        nothing()
    } else if i64::from(high) - i64::from(low) < MOST as i64 {
        Values::Set((low..=high).collect())
    } else {
        Values::Range(low, high)
    }
}

/// These numbers.
pub fn set(mut numbers: Vec<i32>) -> Values {
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() > MOST { Values::Range(numbers[0], numbers[numbers.len() - 1]) } else { Values::Set(numbers) }
}

/// What a variable of a type can hold.
pub fn of_type(ty: ScalarType) -> Values {
    match ty {
        ScalarType::Bit => either(),
        ScalarType::Byte | ScalarType::Pid | ScalarType::Symbol(_) => Values::Range(0, 255),
        ScalarType::Short => Values::Range(i32::from(i16::MIN), i32::from(i16::MAX)),
        ScalarType::Int => anything(),
        ScalarType::Unsigned(bits) if bits >= 32 => anything(),
        ScalarType::Unsigned(bits) => range(0, ((1i64 << bits) - 1) as i32),
        ScalarType::Channel => Values::AnyQueue,
    }
}

/// What `values` are after being stored in a variable of a type.
pub fn truncate(ty: ScalarType, values: Values) -> Values {
    match (ty, &values) {
        (ScalarType::Channel, Values::Queues(_) | Values::AnyQueue) => values,
        (ScalarType::Channel, Values::Set(numbers)) if numbers.iter().all(|&n| n == 0) => Values::Queues(Vec::new()),
        (ScalarType::Channel, _) => Values::AnyQueue,
        (_, Values::Queues(_) | Values::AnyQueue) => of_type(ty),
        (_, Values::Set(numbers)) => {
            if numbers.iter().all(|&n| ty.truncate(n) == n) {
                values
            } else {
                set(numbers.iter().map(|&n| ty.truncate(n)).collect())
            }
        }
        (_, Values::Range(low, high)) => {
            let whole = of_type(ty);
            if bounds(&whole).is_some_and(|(l, h)| l <= *low && *high <= h) { values } else { whole }
        }
    }
}

/// The least and the greatest number; none for no number, or queues.
pub fn bounds(values: &Values) -> Option<(i32, i32)> {
    match values {
        Values::Set(numbers) => Some((*numbers.first()?, *numbers.last()?)),
        Values::Range(low, high) => Some((*low, *high)),
        Values::Queues(_) | Values::AnyQueue => None,
    }
}

/// The only number there is.
pub fn constant(values: &Values) -> Option<i32> {
    match values {
        Values::Set(numbers) if numbers.len() == 1 => Some(numbers[0]),
        _ => None,
    }
}

/// Whether there is no value at all.
pub fn is_empty(values: &Values) -> bool {
    matches!(values, Values::Set(numbers) if numbers.is_empty())
}

/// Whether a number is among them.
pub fn contains(values: &Values, number: i32) -> bool {
    match values {
        Values::Set(numbers) => numbers.binary_search(&number).is_ok(),
        Values::Range(low, high) => *low <= number && number <= *high,
        Values::Queues(_) | Values::AnyQueue => true,
    }
}

/// Whether some number but `number` is among them.
pub fn has_other_than(values: &Values, number: i32) -> bool {
    match values {
        Values::Set(numbers) => numbers.iter().any(|&n| n != number),
        _ => true,
    }
}

/// Both together.
pub fn join(a: &Values, b: &Values) -> Values {
    match (a, b) {
        (Values::Set(x), _) if x.is_empty() => b.clone(),
        (_, Values::Set(y)) if y.is_empty() => a.clone(),
        (Values::Queues(x), Values::Queues(y)) => Values::Queues(merged(x, y)),
        (Values::Queues(_) | Values::AnyQueue, _) | (_, Values::Queues(_) | Values::AnyQueue) => Values::AnyQueue,
        (Values::Set(x), Values::Set(y)) => set(merged(x, y)),
        _ => {
            let ((l, h), (m, k)) = (bounds(a).unwrap_or((0, 0)), bounds(b).unwrap_or((0, 0)));
            range(l.min(m), h.max(k))
        }
    }
}

/// All of them together: an array of channels is one set, not one after the other.
pub fn union(each: impl Iterator<Item = Values>) -> Values {
    let (mut queues, mut rest) = (None::<Vec<u32>>, nothing());
    for values in each {
        match values {
            Values::Queues(more) => queues.get_or_insert_default().extend(more),
            other => rest = join(&rest, &other),
        }
    }
    match queues {
        Some(queues) => join(&rest, &Values::Queues(merged(&queues, &[]))),
        None => rest,
    }
}

fn merged<T: Ord + Copy>(x: &[T], y: &[T]) -> Vec<T> {
    let mut all = [x, y].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// What both have.
pub fn meet(a: &Values, b: &Values) -> Values {
    match (a, b) {
        (Values::Set(x), _) => Values::Set(x.iter().copied().filter(|&n| contains(b, n)).collect()),
        (_, Values::Set(y)) => Values::Set(y.iter().copied().filter(|&n| contains(a, n)).collect()),
        (Values::Queues(x), Values::Queues(y)) => {
            Values::Queues(x.iter().copied().filter(|q| y.binary_search(q).is_ok()).collect())
        }
        (Values::AnyQueue, _) => b.clone(),
        (_, Values::AnyQueue) => a.clone(),
        (Values::Range(l, h), Values::Range(m, k)) => range(*l.max(m), *h.min(k)),
        _ => a.clone(),
    }
}

/// Whether everything in `a` is in `b`.
pub fn within(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::Set(x), _) if x.is_empty() => true,
        (Values::Queues(_) | Values::AnyQueue, Values::AnyQueue) => true,
        (Values::Queues(x), Values::Queues(y)) => x.iter().all(|q| y.binary_search(q).is_ok()),
        (Values::Set(x), Values::Set(_) | Values::Range(..)) => x.iter().all(|&n| contains(b, n)),
        (Values::Range(l, h), Values::Range(m, k)) => m <= l && h <= k,
        _ => false,
    }
}

/// Whether the values can be true (not zero), and whether they can be false.
pub fn truth(values: &Values) -> (bool, bool) {
    match values {
        Values::Queues(_) | Values::AnyQueue => (true, true),
        _ => (has_other_than(values, 0), contains(values, 0)),
    }
}

fn of_truth(truth: bool, falsity: bool) -> Values {
    match (truth, falsity) {
        (true, true) => either(),
        (true, false) => single(1),
        (false, true) => single(0),
        (false, false) => nothing(),
    }
}

/// The values of an operator with one operand.
pub fn unary(op: UnaryOp, a: &Values) -> Values {
    match (op, a) {
        (UnaryOp::Not, _) => {
            let (t, f) = truth(a);
            of_truth(f, t)
        }
        (UnaryOp::Negate, Values::Set(x)) => set(x.iter().map(|n| n.wrapping_neg()).collect()),
        (UnaryOp::Complement, Values::Set(x)) => set(x.iter().map(|n| !n).collect()),
        (UnaryOp::Negate, Values::Range(l, h)) if *l > i32::MIN => range(-h, -l),
        (UnaryOp::Complement, Values::Range(l, h)) => range(!h, !l),
        _ => anything(),
    }
}

/// The values of an operator with two operands.
pub fn binary(op: BinaryOp, a: &Values, b: &Values) -> Values {
    // The right side is looked at only where the left one does not decide, so it may have no value at all.
    let ((t, f), (u, g)) = (truth(a), truth(b));
    match op {
        BinaryOp::And => return of_truth(t && u, f || t && g),
        BinaryOp::Or => return of_truth(t || f && u, f && g),
        _ => {}
    }
    if let (Values::Set(x), Values::Set(y)) = (a, b)
        && x.len() * y.len() <= PAIRS
    {
        return set(x.iter().flat_map(|&m| y.iter().filter_map(move |&n| op.apply(m, n))).collect());
    }
    match op {
        _ if is_empty(a) || is_empty(b) => nothing(),
        _ => match (bounds(a), bounds(b)) {
            (Some(x), Some(y)) => of_ranges(op, x, y),
            _ if is_comparison(op) => either(),
            _ => anything(),
        },
    }
}

/// Whether the operator says yes or no.
pub fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
}

fn of_ranges(op: BinaryOp, (l, h): (i32, i32), (m, k): (i32, i32)) -> Values {
    let exact = |low: i64, high: i64| match (i32::try_from(low), i32::try_from(high)) {
        (Ok(low), Ok(high)) => range(low, high),
        _ => anything(),
    };
    let (l6, h6, m6, k6) = (i64::from(l), i64::from(h), i64::from(m), i64::from(k));
    match op {
        BinaryOp::Add => exact(l6 + m6, h6 + k6),
        BinaryOp::Sub => exact(l6 - k6, h6 - m6),
        BinaryOp::Mul => {
            let corners = [l6 * m6, l6 * k6, h6 * m6, h6 * k6];
            let low = corners.iter().copied().min().unwrap_or(0);
            exact(low, corners.iter().copied().max().unwrap_or(0))
        }
        BinaryOp::Div if l >= 0 && m > 0 => range(l / k, h / m),
        BinaryOp::Rem if l >= 0 && m > 0 => range(0, h.min(k - 1)),
        BinaryOp::BitAnd if l >= 0 && m >= 0 => range(0, h.min(k)),
        BinaryOp::ShiftRight if l >= 0 => range(0, h),
        BinaryOp::Less => of_truth(l < k, h >= m),
        BinaryOp::LessEqual => of_truth(l <= k, h > m),
        BinaryOp::Greater => of_truth(h > m, l <= k),
        BinaryOp::GreaterEqual => of_truth(h >= m, l < k),
        BinaryOp::Equal => of_truth(l <= k && m <= h, !(l == h && m == k && l == m)),
        BinaryOp::NotEqual => of_truth(!(l == h && m == k && l == m), l <= k && m <= h),
        _ => anything(),
    }
}

/// Those of `a` for which the comparison with some of `b` is true.
pub fn compared(op: BinaryOp, a: &Values, b: &Values) -> Values {
    let Some((m, k)) = bounds(b) else { return a.clone() };
    if let Values::Set(x) = a {
        let keeps = |n: i32| match op {
            BinaryOp::Less => n < k,
            BinaryOp::LessEqual => n <= k,
            BinaryOp::Greater => n > m,
            BinaryOp::GreaterEqual => n >= m,
            BinaryOp::Equal => contains(b, n),
            _ => has_other_than(b, n),
        };
        return Values::Set(x.iter().copied().filter(|&n| keeps(n)).collect());
    }
    let Some((l, h)) = bounds(a) else { return a.clone() };
    match op {
        BinaryOp::Less => k.checked_sub(1).map_or_else(nothing, |k| range(l, h.min(k))),
        BinaryOp::LessEqual => range(l, h.min(k)),
        BinaryOp::Greater => m.checked_add(1).map_or_else(nothing, |m| range(l.max(m), h)),
        BinaryOp::GreaterEqual => range(l.max(m), h),
        BinaryOp::Equal => meet(a, b),
        BinaryOp::NotEqual if m == k && m == l => range(l + 1, h),
        BinaryOp::NotEqual if m == k && m == h => range(l, h - 1),
        _ => a.clone(),
    }
}

/// The comparison that holds when `op` does not.
pub fn negated(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        other => other,
    }
}

/// The comparison with its sides exchanged.
pub fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

/// `new`, which has grown from `old` again and again, made large at once so that it stops: to the next threshold, or to
/// all that the type can hold.
pub fn widened(old: &Values, new: &Values, ty: ScalarType, thresholds: &[i32]) -> Values {
    let whole = of_type(ty);
    let (Some((l, h)), Some((m, k)), Some((low, high))) = (bounds(old), bounds(new), bounds(&whole)) else {
        return if within(new, old) { old.clone() } else { whole };
    };
    let down = if m < l { thresholds.iter().rev().copied().find(|&t| t <= m).unwrap_or(low).max(low) } else { l };
    let up = if k > h { thresholds.iter().copied().find(|&t| t >= k).unwrap_or(high).min(high) } else { h };
    range(down.min(m), up.max(k))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [BinaryOp; 18] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
        BinaryOp::And,
        BinaryOp::Or,
    ];

    /// Every operator on ranges covers what it gives on the numbers in them.
    #[test]
    fn ranges_cover_their_numbers() {
        let ends = [i32::MIN, i32::MIN + 1, -70, -2, -1, 0, 1, 2, 69, 200, i32::MAX - 1, i32::MAX];
        let mut ranges = Vec::new();
        for &low in &ends {
            ranges.extend(ends.iter().filter(|&&high| low <= high).map(|&high| (low, high)));
        }
        let samples = |(l, h): (i32, i32)| {
            let middle = ((i64::from(l) + i64::from(h)) / 2) as i32;
            [l, h, middle, l.saturating_add(1).min(h), h.saturating_sub(1).max(l), 0.clamp(l, h), 1.clamp(l, h)]
        };
        for &a in &ranges {
            for &b in &ranges {
                for op in OPS {
                    let values = binary(op, &range(a.0, a.1), &range(b.0, b.1));
                    for m in samples(a) {
                        for n in samples(b) {
                            let Some(exact) = op.apply(m, n) else { continue };
                            assert!(contains(&values, exact), "{m} {} {n} = {exact}, not in {values:?}", op.symbol());
                            if is_comparison(op) && exact == 1 {
                                assert!(contains(&compared(op, &range(a.0, a.1), &range(b.0, b.1)), m));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn joins_and_meets() {
        assert_eq!(join(&single(1), &single(3)), Values::Set(vec![1, 3]));
        assert_eq!(meet(&range(0, 100), &range(50, 300)), range(50, 100));
        assert_eq!(join(&range(0, 100), &single(200)), Values::Range(0, 200));
        assert!(within(&single(5), &range(0, 100)) && !within(&range(0, 100), &single(5)));
        assert_eq!(truncate(ScalarType::Byte, single(256)), single(0));
        assert_eq!(truncate(ScalarType::Byte, range(0, 300)), Values::Range(0, 255));
        assert_eq!(truncate(ScalarType::Channel, single(0)), Values::Queues(Vec::new()));
    }

    #[test]
    fn widening_stops_at_thresholds() {
        let thresholds = [0, 7, 100];
        assert_eq!(widened(&range(0, 3), &range(0, 4), ScalarType::Int, &thresholds), range(0, 7));
        assert_eq!(widened(&range(0, 100), &range(0, 101), ScalarType::Int, &thresholds), Values::Range(0, i32::MAX));
    }
}
