//! What a formula only says of infinitely often, kept apart: conditions that an automaton would pay for with states.
//!
//! A conjunct `□◇b`, or `◇□¬a ∨ □◇b` (where `a` occurs again and again, so does `b`: strong fairness), with `a` and `b`
//! without temporal operators, depends on no beginning of a word and so on no state of an automaton. Made part of a
//! Büchi automaton, n of them multiply its states by 3ⁿ or so; beside it, they are a *Streett* condition, for which
//! emptiness is polynomial (Emerson & Lei 1987). Formulas have such conjuncts where a property is negated that assumes
//! something of runs: `(□◇a → □◇b) ∧ .. → φ`.

use ltl::Formula;

/// Where the first occurs again and again, so must the second. Neither has temporal operators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// What is asked; `true` where the second must occur anyway.
    pub asked: Formula,
    /// What must occur.
    pub given: Formula,
}

/// A formula as a conjunction of assumptions, no more than `most`, and the rest. A single `□◇b` stays: that is what a
/// Büchi automaton is made for.
pub fn apart(formula: &Formula, most: usize) -> (Formula, Vec<Assumption>) {
    let (mut rest, mut assumptions) = (Vec::new(), Vec::new());
    for part in parts((formula, true), true) {
        match assumption(part).filter(|_| assumptions.len() < most) {
            Some(assumption) => assumptions.push(assumption),
            None => rest.push(written(part)),
        }
    }
    if let [Assumption { asked: Formula::True, .. }] | [] = assumptions[..] {
        return (formula.clone(), Vec::new());
    }
    (rest.into_iter().reduce(Formula::and).unwrap_or(Formula::True), assumptions)
}

/// A formula, or with `false` its negation.
type Signed<'f> = (&'f Formula, bool);

fn written((formula, sign): Signed<'_>) -> Formula {
    if sign { formula.clone() } else { formula.negated() }
}

/// The conjuncts of a formula, or its disjuncts.
fn parts<'f>((formula, sign): Signed<'f>, conjuncts: bool) -> Vec<Signed<'f>> {
    let both = |one: Signed<'f>, other: Signed<'f>| [parts(one, conjuncts), parts(other, conjuncts)].concat();
    match formula {
        Formula::Not(a) => parts((a, !sign), conjuncts),
        Formula::And(a, b) if sign == conjuncts => both((a, sign), (b, sign)),
        Formula::Or(a, b) if sign != conjuncts => both((a, sign), (b, sign)),
        Formula::Implies(a, b) if sign != conjuncts => both((a, !sign), (b, sign)),
        _ => vec![(formula, sign)],
    }
}

/// `◇□¬a ∨ □◇b ∨ □◇c ..`; the first may be missing.
fn assumption(part: Signed<'_>) -> Option<Assumption> {
    let (mut asked, mut given) = (None, Vec::new());
    for part in parts(part, false) {
        let never = eventually(part).and_then(always).filter(|inner| is_boolean(inner.0));
        let again = always(part).and_then(eventually).filter(|inner| is_boolean(inner.0));
        match (never, again, part) {
            (Some((formula, sign)), ..) if asked.is_none() => asked = Some(written((formula, !sign))),
            (_, Some(inner), _) => given.push(written(inner)),
            (_, _, (Formula::True, false) | (Formula::False, true)) => {}
            _ => return None,
        }
    }
    // `◇□¬a` by itself is small as an automaton, and ends a search sooner.
    let given = given.into_iter().reduce(Formula::or)?;
    Some(Assumption { asked: asked.unwrap_or(Formula::True), given })
}

fn always((formula, sign): Signed<'_>) -> Option<Signed<'_>> {
    match (formula, sign) {
        (Formula::Globally(a), true) | (Formula::Finally(a), false) => Some((a, sign)),
        (Formula::Not(a), _) => always((a, !sign)),
        _ => None,
    }
}

fn eventually((formula, sign): Signed<'_>) -> Option<Signed<'_>> {
    match (formula, sign) {
        (Formula::Finally(a), true) | (Formula::Globally(a), false) => Some((a, sign)),
        (Formula::Not(a), _) => eventually((a, !sign)),
        _ => None,
    }
}

fn is_boolean(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::False | Formula::Atom(_) => true,
        Formula::Not(a) => is_boolean(a),
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => {
            is_boolean(a) && is_boolean(b)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart_of(text: &str) -> (usize, usize) {
        let parsed = crate::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let (rest, assumptions) = apart(&parsed.formula.negated(), 32);
        let real = assumptions.iter().filter(|assumption| assumption.asked != Formula::True).count();
        let states = crate::automaton(&rest, &crate::Limits::default()).map_or(0, |automaton| automaton.states.len());
        assert_eq!(assumptions.is_empty(), rest == parsed.formula.negated());
        assert!(real <= assumptions.len());
        (assumptions.len(), states)
    }

    #[test]
    fn assumptions_are_found_however_they_are_written() {
        for text in [
            "([]<> a -> []<> b) -> [](p -> <> q)",
            "!([](p -> <> q)) -> !(!<>[] !a -> []<> b)",
            "[](p -> <> q) || !(!([]<> a) || []<> b)",
            "!(<>[] !a || !<>[] !b) || [](p -> <> q)",
        ] {
            assert_eq!(apart_of(text), (1, 2), "{text}");
        }
        assert_eq!(apart_of("(<>[] a -> []<> b) -> <> q"), (0, 2), "one promise is left to the automaton");
        assert_eq!(apart_of("([]<> a && []<> b) -> <> q"), (2, 1));
        assert_eq!(apart_of("!([]<> (a || !b && c) -> []<> (c -> d))"), (1, 1));
        for text in ["[]<> a -> []<> b", "[](a -> <> b)", "([]<> (a U b) -> []<> c) -> d", "X ([]<> a -> []<> b)"] {
            assert_eq!(apart_of(text).0, 0, "{text}");
        }
    }

    #[test]
    fn twenty_assumptions_and_reactivity_cost_no_states() {
        let many: Vec<String> = (0..20).map(|n| format!("([]<> a{n} -> []<> b{n})")).collect();
        assert_eq!(apart_of(&format!("({}) -> [](p -> <> q)", many.join(" && "))), (20, 2));
        // The formulas R(n) of the papers on ltl2ba: without what is kept apart, their automata have more than 2ⁿ
        // states.
        for n in 1..=8 {
            let parts: Vec<String> = (1..=n).map(|k| format!("([]<> p{k} || <>[] p{})", k + 1)).collect();
            assert_eq!(apart_of(&format!("!({})", parts.join(" && "))), (n, 1), "R({n})");
        }
    }
}
