//! Whether a formula that holds needs all of its parts.
//!
//! A formula is vacuous in a part if the part can be replaced by the constant that makes the formula strongest, and the
//! formula still holds (Beer et al.; Kupferman and Vardi): `false` where the part occurs positively, `true` where it occurs
//! negatively. In `[] (request -> <> reply)` without a request, `<> reply` is such a part.
//!
//! Not every part that is not needed makes a formula vacuous. `[] (p || q)` where `p` always holds says what its author
//! meant, and more: that `q` is spare is a note. Two kinds of parts make it vacuous: the right-hand side of an implication, and a temporal disjunct next to a propositional one, which is an
//! implication written otherwise. Of two temporal disjuncts, `[]<> b || []<> c`, neither is the condition of the other: the
//! formula asks for one of them, and one of them is what it gets. A part of what an implication assumes is spare, too:
//! `([]<> a -> []<> b) -> <> c` says what its author meant if it holds without `[]<> b`, and more.

use crate::formula::{Connective, Ltl, Modality};

/// A formula with one of its parts replaced by a constant. If it holds, the original holds vacuously.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strengthened<A> {
    /// The stronger formula.
    pub formula: Ltl<A>,
    /// What is to be said if it holds.
    pub words: String,
    /// The original is `[] (condition -> ..)` without temporal operators in the condition, and this is `[] !condition`.
    pub is_never: bool,
    /// If it holds, the original is vacuous; otherwise a part of it is spare.
    is_vacuous: bool,
}

impl<A: Clone> Ltl<A> {
    /// The formulas that hold just if this one holds vacuously, outermost parts first.
    pub fn strengthened(&self) -> Vec<Strengthened<A>> {
        let mut found = self.weighed(true);
        if let (Some(condition), Some(first)) = (self.antecedent(), found.first_mut()) {
            first.words = format!("`{condition}` never holds, so the formula says nothing");
            first.is_never = true;
        }
        found
    }

    /// The formulas that hold just if a propositional alternative next to another one is not needed.
    pub fn spare(&self) -> Vec<Strengthened<A>> {
        self.weighed(false)
    }

    fn weighed(&self, vacuous: bool) -> Vec<Strengthened<A>> {
        let mut found = Vec::new();
        collect(self, true, false, &|part| part, &mut found);
        found.retain(|part| part.is_vacuous == vacuous);
        found
    }
}

type Rebuild<'a, A> = &'a dyn Fn(Ltl<A>) -> Ltl<A>;

/// Parts below `at`, which occurs positively or not, and is assumed or not; `rebuild` puts something else in its place.
fn collect<A: Clone>(
    at: &Ltl<A>,
    positive: bool,
    assumed: bool,
    rebuild: Rebuild<'_, A>,
    found: &mut Vec<Strengthened<A>>,
) {
    match at {
        Ltl::Constant(_) | Ltl::Atom(..) => {}
        Ltl::Unary(op, inner) => {
            let positive = positive ^ (*op == Modality::Not);
            collect(inner, positive, assumed, &|part| rebuild(Ltl::Unary(*op, Box::new(part))), found);
        }
        // Both sides occur positively and negatively.
        Ltl::Binary(Connective::Iff, ..) => {}
        Ltl::Binary(op, a, b) => {
            let left = |part: Ltl<A>| rebuild(Ltl::Binary(*op, Box::new(part), b.clone()));
            let right = |part: Ltl<A>| rebuild(Ltl::Binary(*op, a.clone(), Box::new(part)));
            let alternatives = matches!((op, positive), (Connective::Or, true) | (Connective::And, false));
            let is_vacuous = !assumed && (!alternatives || !a.is_propositional() || !b.is_propositional());
            let mut replaced = |part: &Ltl<A>, rebuild: Rebuild<'_, A>| {
                let formula = rebuild(Ltl::Constant(!positive));
                let words = match is_vacuous {
                    true => format!("it still holds if `{part}` is replaced by `{}`", !positive),
                    false => format!("`{part}` is not needed: the formula holds with `{}` in its place", !positive),
                };
                found.push(Strengthened { formula, words, is_never: false, is_vacuous });
            };
            match (op, a.is_propositional(), b.is_propositional()) {
                (Connective::Implies, ..) if !matches!(**b, Ltl::Constant(_)) => replaced(b, &right),
                (Connective::Or, true, false) => replaced(b, &right),
                (Connective::Or, false, true) => replaced(a, &left),
                // Under a negation, a conjunction is a disjunction of the negated parts.
                (Connective::And, true, false) if !positive => replaced(b, &right),
                (Connective::And, false, true) if !positive => replaced(a, &left),
                (_, true, true) if alternatives => {
                    replaced(a, &left);
                    replaced(b, &right);
                }
                _ => {}
            }
            let implies = *op == Connective::Implies;
            collect(a, positive ^ implies, assumed || implies && positive, &left, found);
            collect(b, positive, assumed, &right, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(name: &str) -> Ltl<()> {
        Ltl::Atom(Box::new(()), name.to_owned())
    }

    fn unary(op: Modality, inner: Ltl<()>) -> Ltl<()> {
        Ltl::Unary(op, Box::new(inner))
    }

    fn binary(op: Connective, a: Ltl<()>, b: Ltl<()>) -> Ltl<()> {
        Ltl::Binary(op, Box::new(a), Box::new(b))
    }

    fn strengthened(formula: &Ltl<()>) -> Vec<String> {
        formula.strengthened().iter().map(|found| found.formula.to_string()).collect()
    }

    #[test]
    fn the_right_hand_side_of_an_implication_is_a_part_at_any_depth() {
        let eventually = unary(Modality::Eventually, atom("b"));
        let inner = binary(Connective::Implies, atom("c"), eventually);
        let formula = unary(Modality::Always, binary(Connective::Implies, atom("a"), inner));
        assert_eq!(strengthened(&formula), ["[] (a -> false)", "[] (a -> (c -> false))"]);
        assert!(formula.strengthened()[0].is_never);
    }

    #[test]
    fn a_temporal_disjunct_counts_next_to_a_propositional_one_only() {
        let eventually = unary(Modality::Eventually, atom("b"));
        let or = |a, b| unary(Modality::Always, binary(Connective::Or, a, b));
        assert_eq!(strengthened(&or(unary(Modality::Not, atom("c")), eventually.clone())), ["[] (!c || false)"]);
        assert_eq!(strengthened(&or(atom("p"), atom("q"))), Vec::<String>::new());
        assert_eq!(strengthened(&or(eventually.clone(), eventually)), Vec::<String>::new());
        let often = |name| unary(Modality::Always, unary(Modality::Eventually, atom(name)));
        assert_eq!(strengthened(&binary(Connective::Or, often("b"), often("c"))), Vec::<String>::new());
        assert_eq!(strengthened(&binary(Connective::Implies, often("b"), often("c"))), ["[] <> b -> false"]);
    }

    fn spare(formula: &Ltl<()>) -> Vec<String> {
        formula.spare().iter().map(|found| found.formula.to_string()).collect()
    }

    #[test]
    fn what_is_assumed_too_much_is_spare() {
        let often = |name| unary(Modality::Always, unary(Modality::Eventually, atom(name)));
        let implies = |a, b| binary(Connective::Implies, a, b);
        let formula = implies(implies(often("a"), often("b")), often("c"));
        assert_eq!(strengthened(&formula), ["([] <> a -> [] <> b) -> false"]);
        assert_eq!(spare(&formula), ["([] <> a -> true) -> [] <> c"]);
        let both = implies(binary(Connective::And, atom("p"), often("q")), often("c"));
        assert_eq!(strengthened(&both), ["(p && [] <> q) -> false"]);
        assert_eq!(spare(&both), ["(p && true) -> [] <> c"]);
    }

    #[test]
    fn propositional_alternatives_can_be_spare() {
        let either = binary(Connective::Or, atom("p"), atom("q"));
        assert_eq!(spare(&unary(Modality::Always, either.clone())), ["[] (false || q)", "[] (p || false)"]);
        assert_eq!(spare(&unary(Modality::Not, either)), Vec::<String>::new());
        let both = binary(Connective::And, atom("p"), atom("q"));
        assert_eq!(spare(&unary(Modality::Always, both.clone())), Vec::<String>::new());
        let condition = binary(Connective::Implies, both, unary(Modality::Eventually, atom("r")));
        assert_eq!(spare(&condition), ["(true && q) -> <> r", "(p && true) -> <> r"]);
        assert_eq!(strengthened(&condition), ["(p && q) -> false"]);
    }

    #[test]
    fn a_conjunction_under_a_negation_is_a_disjunction() {
        let never = unary(Modality::Not, unary(Modality::Eventually, atom("b")));
        let both = |a, b| binary(Connective::And, a, b);
        let not = |inner| unary(Modality::Not, inner);
        let always = unary(Modality::Always, not(both(atom("c"), never.clone())));
        assert_eq!(strengthened(&always), ["[] !(c && true)"]);
        let eventually = not(unary(Modality::Eventually, both(never.clone(), atom("c"))));
        assert_eq!(strengthened(&eventually), ["!<> (true && c)"]);
        assert_eq!(strengthened(&unary(Modality::Always, both(atom("c"), never))), Vec::<String>::new());
    }

    #[test]
    fn a_part_that_occurs_negatively_becomes_true() {
        let implication = binary(Connective::Implies, atom("a"), atom("b"));
        let formula = unary(Modality::Not, unary(Modality::Eventually, implication));
        assert_eq!(strengthened(&formula), ["!<> (a -> true)"]);
    }
}
