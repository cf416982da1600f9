//! Temporal formulas over states *and* events, as a model or a user states them.
//!
//! The logic is SE-LTL of the MAGIC paper (section 4): a formula speaks of an infinite run
//! `s₀ a₀ s₁ a₁ …`, where `sᵢ` is a state and `aᵢ` is what happens next. At position `i` a
//! state atom is true if it holds in `sᵢ`, and an event atom if it is among what happens in `aᵢ`; a step may be
//! several events at once (an atomic sequence with two sends). A run that comes to an end goes on forever in its last
//! state, and nothing happens there, as in SPIN.

use crate::event::Event;
use crate::expr::Expr;
use std::fmt;

/// What a formula is made of: true or false at a position of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// The expression is not zero in the state.
    State(Expr),
    /// The event happens on the way to the next state.
    Event(Event),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Modality {
    /// `!`
    Not,
    /// `X`: at the next position.
    Next,
    /// `[]`, `G`: at every position from here on.
    Always,
    /// `<>`, `F`: at some position from here on.
    Eventually,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Connective {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `U`: the second comes, and the first holds until then.
    Until,
    /// `V`, `R`: the second holds up to and including where the first does, or forever.
    Release,
    /// `W`: as `U`, but the second need not come.
    WeakUntil,
}

/// A formula over some kind of atoms: those of a network, or of a composition ([`crate::composition::Atom`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ltl<A = Atom> {
    /// True or false.
    Constant(bool),
    /// What is true or false at a position, with its text.
    Atom(Box<A>, String),
    /// One operand.
    Unary(Modality, Box<Ltl<A>>),
    /// Two operands.
    Binary(Connective, Box<Ltl<A>>, Box<Ltl<A>>),
}

impl<A> Ltl<A> {
    /// Whether it says that something holds at every position, and nothing about how positions follow one another.
    pub fn is_invariant(&self) -> bool {
        matches!(self, Ltl::Unary(Modality::Always, inner) if inner.is_local())
    }

    /// Whether it says that something never happens, by its form: then every run that breaks it does so after finitely
    /// many positions (Sistla, FAC 1994).
    pub fn is_safety(&self) -> bool {
        self.promises_nothing(true)
    }

    /// Whether the formula, or its negation, has nothing that must come at some time.
    fn promises_nothing(&self, as_it_is: bool) -> bool {
        match self {
            Ltl::Constant(_) | Ltl::Atom(..) => true,
            Ltl::Unary(op, inner) => match op {
                Modality::Not => inner.promises_nothing(!as_it_is),
                Modality::Next => inner.promises_nothing(as_it_is),
                Modality::Always => as_it_is && inner.promises_nothing(as_it_is),
                Modality::Eventually => !as_it_is && inner.promises_nothing(as_it_is),
            },
            Ltl::Binary(op, a, b) => {
                let both = |one: bool, other: bool| a.promises_nothing(one) && b.promises_nothing(other);
                match op {
                    Connective::And | Connective::Or => both(as_it_is, as_it_is),
                    Connective::Implies => both(!as_it_is, as_it_is),
                    Connective::Iff => both(true, true) && both(false, false),
                    Connective::Until => !as_it_is && both(as_it_is, as_it_is),
                    Connective::Release | Connective::WeakUntil => as_it_is && both(as_it_is, as_it_is),
                }
            }
        }
    }

    fn is_local(&self) -> bool {
        match self {
            Ltl::Constant(_) | Ltl::Atom(..) => true,
            Ltl::Unary(op, inner) => *op == Modality::Not && inner.is_local(),
            Ltl::Binary(op, left, right) => {
                matches!(op, Connective::And | Connective::Or | Connective::Implies | Connective::Iff)
                    && left.is_local()
                    && right.is_local()
            }
        }
    }
}

impl<A> fmt::Display for Ltl<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ltl::Constant(value) => write!(f, "{value}"),
            Ltl::Atom(_, text) if text.contains(' ') => write!(f, "({text})"),
            Ltl::Atom(_, text) => write!(f, "{text}"),
            Ltl::Unary(op, inner) => {
                let symbol = match op {
                    Modality::Not => "!",
                    Modality::Next => "X ",
                    Modality::Always => "[] ",
                    Modality::Eventually => "<> ",
                };
                write!(f, "{symbol}{}", Operand(inner))
            }
            Ltl::Binary(op, a, b) => {
                let symbol = match op {
                    Connective::And => "&&",
                    Connective::Or => "||",
                    Connective::Implies => "->",
                    Connective::Iff => "<->",
                    Connective::Until => "U",
                    Connective::Release => "V",
                    Connective::WeakUntil => "W",
                };
                write!(f, "{} {symbol} {}", Operand(a), Operand(b))
            }
        }
    }
}

/// A part of a formula, in parentheses where it has an operator with two operands.
struct Operand<'a, A>(&'a Ltl<A>);

impl<A> fmt::Display for Operand<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self.0, Ltl::Binary(..)) { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

impl Ltl {
    /// The formula speaks of events.
    pub fn has_events(&self) -> bool {
        let mut found = false;
        self.walk(&mut |part| found |= matches!(part, Ltl::Atom(atom, _) if matches!(**atom, Atom::Event(_))));
        found
    }
}

impl<A> Ltl<A> {
    /// Calls `visit` for this formula and everything in it, outermost first.
    pub fn walk(&self, visit: &mut dyn FnMut(&Ltl<A>)) {
        visit(self);
        match self {
            Ltl::Constant(_) | Ltl::Atom(..) => {}
            Ltl::Unary(_, inner) => inner.walk(visit),
            Ltl::Binary(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
        }
    }

    /// Calls `change` for every atom.
    pub fn walk_atoms_mut(&mut self, change: &mut dyn FnMut(&mut A)) {
        match self {
            Ltl::Constant(_) => {}
            Ltl::Atom(atom, _) => change(atom),
            Ltl::Unary(_, inner) => inner.walk_atoms_mut(change),
            Ltl::Binary(_, a, b) => {
                a.walk_atoms_mut(change);
                b.walk_atoms_mut(change);
            }
        }
    }

    /// The atoms, each once, in the order of the text.
    pub fn atoms(&self) -> Vec<(A, String)>
    where
        A: Clone + PartialEq,
    {
        let mut atoms: Vec<(A, String)> = Vec::new();
        self.walk(&mut |part| {
            if let Ltl::Atom(atom, text) = part
                && atoms.iter().all(|(known, _)| *known != **atom)
            {
                atoms.push(((**atom).clone(), text.clone()));
            }
        });
        atoms
    }

    /// The formula speaks of the next position: a run may not be stretched.
    pub fn has_next(&self) -> bool {
        let mut found = false;
        self.walk(&mut |part| found |= matches!(part, Ltl::Unary(Modality::Next, _)));
        found
    }

    /// No temporal operator: true or false at a position by itself.
    pub fn is_propositional(&self) -> bool {
        let mut temporal = false;
        self.walk(&mut |part| {
            temporal |= match part {
                Ltl::Unary(op, _) => *op != Modality::Not,
                Ltl::Binary(op, ..) => matches!(op, Connective::Until | Connective::Release | Connective::WeakUntil),
                _ => false,
            };
        });
        !temporal
    }

    /// What a formula without temporal operators says of one position.
    pub fn holds(&self, atom: &dyn Fn(&A) -> bool) -> bool {
        match self {
            Ltl::Constant(value) => *value,
            Ltl::Atom(which, _) => atom(which),
            Ltl::Unary(_, inner) => !inner.holds(atom),
            Ltl::Binary(op, a, b) => {
                let (a, b) = (a.holds(atom), b.holds(atom));
                match op {
                    Connective::And => a && b,
                    Connective::Implies => !a || b,
                    Connective::Iff => a == b,
                    _ => a || b,
                }
            }
        }
    }

    /// In `[] (a -> ..)` without temporal operators in `a`: the `a`. If it never holds, the formula says nothing.
    pub fn antecedent(&self) -> Option<&Ltl<A>> {
        let Ltl::Unary(Modality::Always, inner) = self else { return None };
        match &**inner {
            Ltl::Binary(Connective::Implies, a, _) if a.is_propositional() => Some(a),
            _ => None,
        }
    }

    /// Whether the formula holds on the run with these positions, the last of which is followed by position
    /// `loop_from`; `atom` says whether an atom holds at a position.
    pub fn holds_on(&self, positions: usize, loop_from: usize, atom: &dyn Fn(&A, usize) -> bool) -> bool {
        self.along(positions, loop_from, atom).first().copied().unwrap_or(false)
    }

    /// Whether every run that begins with these positions breaks the formula, whatever comes behind them: a bad prefix,
    /// and one that shows it by itself (Kupferman and Vardi's *informative* prefixes, FMSD 2001). `atom` says whether
    /// an atom holds at a position, where that is known.
    pub fn is_refuted_by(&self, positions: usize, atom: &dyn Fn(&A, usize) -> Option<bool>) -> bool {
        self.settled(positions, atom).first() == Some(&Some(false))
    }

    /// The value of the formula at each position, where it is the same for everything that may come behind the last
    /// one.
    fn settled(&self, positions: usize, atom: &dyn Fn(&A, usize) -> Option<bool>) -> Vec<Option<bool>> {
        let operand = |e: &Ltl<A>| e.settled(positions, atom);
        let backwards = |step: &dyn Fn(usize, Option<bool>) -> Option<bool>| {
            let (mut values, mut later) = (vec![None; positions], None);
            for at in (0..positions).rev() {
                later = step(at, later);
                values[at] = later;
            }
            values
        };
        match self {
            Ltl::Constant(value) => vec![Some(*value); positions],
            Ltl::Atom(which, _) => (0..positions).map(|at| atom(which, at)).collect(),
            Ltl::Unary(op, inner) => {
                let inner = operand(inner);
                match op {
                    Modality::Not => inner.iter().map(|&value| not(value)).collect(),
                    Modality::Next => (1..=positions).map(|at| inner.get(at).copied().flatten()).collect(),
                    Modality::Always => backwards(&|at, later| and(inner[at], later)),
                    Modality::Eventually => backwards(&|at, later| or(inner[at], later)),
                }
            }
            Ltl::Binary(op, a, b) => {
                let (a, b) = (operand(a), operand(b));
                match op {
                    Connective::And => backwards(&|at, _| and(a[at], b[at])),
                    Connective::Or => backwards(&|at, _| or(a[at], b[at])),
                    Connective::Implies => backwards(&|at, _| or(not(a[at]), b[at])),
                    Connective::Iff => backwards(&|at, _| Some(a[at]? == b[at]?)),
                    Connective::Until | Connective::WeakUntil => backwards(&|at, later| or(b[at], and(a[at], later))),
                    Connective::Release => backwards(&|at, later| and(b[at], or(a[at], later))),
                }
            }
        }
    }

    /// The positions at which the formula holds. The value of a temporal operator at a position follows from that at
    /// the next; round the loop, twice is enough.
    pub fn along(&self, positions: usize, loop_from: usize, atom: &dyn Fn(&A, usize) -> bool) -> Vec<bool> {
        let next = |at: usize| if at + 1 < positions { at + 1 } else { loop_from };
        let operand = |e: &Ltl<A>| e.along(positions, loop_from, atom);
        let fixpoint = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut values = vec![start; positions];
            for _ in 0..2 {
                for at in (0..positions).rev() {
                    values[at] = step(at, values[next(at)]);
                }
            }
            values
        };
        match self {
            Ltl::Constant(value) => vec![*value; positions],
            Ltl::Atom(which, _) => (0..positions).map(|at| atom(which, at)).collect(),
            Ltl::Unary(op, inner) => {
                let inner = operand(inner);
                match op {
                    Modality::Not => inner.iter().map(|value| !value).collect(),
                    Modality::Next => (0..positions).map(|at| inner[next(at)]).collect(),
                    Modality::Always => fixpoint(true, &|at, later| inner[at] && later),
                    Modality::Eventually => fixpoint(false, &|at, later| inner[at] || later),
                }
            }
            Ltl::Binary(op, a, b) => {
                let (a, b) = (operand(a), operand(b));
                let each = |both: &dyn Fn(bool, bool) -> bool| a.iter().zip(&b).map(|(&a, &b)| both(a, b)).collect();
                match op {
                    Connective::And => each(&|a, b| a && b),
                    Connective::Or => each(&|a, b| a || b),
                    Connective::Implies => each(&|a, b| !a || b),
                    Connective::Iff => each(&|a, b| a == b),
                    Connective::Until => fixpoint(false, &|at, later| b[at] || a[at] && later),
                    Connective::WeakUntil => fixpoint(true, &|at, later| b[at] || a[at] && later),
                    Connective::Release => fixpoint(true, &|at, later| b[at] && (a[at] || later)),
                }
            }
        }
    }
}

fn not(value: Option<bool>) -> Option<bool> {
    value.map(|value| !value)
}

/// False if one of them is known to be.
fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    if a == Some(false) || b == Some(false) { Some(false) } else { Some(a? && b?) }
}

/// True if one of them is known to be.
fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    not(and(not(a), not(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn atom(value: i32) -> Ltl {
        Ltl::Atom(Box::new(Atom::State(Expr::Const(value))), value.to_string())
    }

    /// Atom *n* holds at the positions where the letter *n* stands in the word.
    fn holds(formula: &Ltl, word: &[i32], loop_from: usize) -> bool {
        formula.holds_on(word.len(), loop_from, &|atom, at| *atom == Atom::State(Expr::Const(word[at])))
    }

    fn unary(op: Modality, inner: Ltl) -> Ltl {
        Ltl::Unary(op, Box::new(inner))
    }

    fn binary(op: Connective, a: Ltl, b: Ltl) -> Ltl {
        Ltl::Binary(op, Box::new(a), Box::new(b))
    }

    #[test]
    fn again_and_again_looks_round_the_loop() {
        let again = unary(Modality::Always, unary(Modality::Eventually, atom(2)));
        assert!(holds(&again, &[1, 2, 1], 1));
        assert!(!holds(&again, &[2, 2, 1], 2));
        assert!(holds(&unary(Modality::Eventually, unary(Modality::Always, atom(1))), &[2, 2, 1], 2));
    }

    #[test]
    fn until_needs_its_second_operand_and_weak_until_does_not() {
        for (op, expected) in [(Connective::Until, false), (Connective::WeakUntil, true)] {
            assert_eq!(holds(&binary(op, atom(1), atom(2)), &[1, 1], 0), expected);
            assert!(holds(&binary(op, atom(1), atom(2)), &[1, 1, 2, 3], 3));
            assert!(!holds(&binary(op, atom(1), atom(2)), &[1, 3, 2], 2));
        }
    }

    #[test]
    fn release_includes_the_position_of_its_first_operand() {
        let both = binary(Connective::Or, atom(1), atom(2));
        let release = binary(Connective::Release, atom(2), both);
        assert!(holds(&release, &[1, 2, 3], 2));
        assert!(!holds(&release, &[1, 3, 2], 2));
        assert!(holds(&release, &[1], 0));
    }

    /// A formula over the letters 1 to 3.
    fn random(random: &mut Random, depth: usize) -> Ltl {
        if depth == 0 || random.scaled(5) == 0 {
            return if random.scaled(8) == 0 {
                Ltl::Constant(random.scaled(2) == 0)
            } else {
                atom(1 + random.scaled(3) as i32)
            };
        }
        let inner = random_operand(random, depth);
        match random.scaled(11) {
            0 => unary(Modality::Not, inner),
            1 => unary(Modality::Next, inner),
            2 => unary(Modality::Always, inner),
            3 => unary(Modality::Eventually, inner),
            other => {
                use Connective::{And, Iff, Implies, Or, Release, Until, WeakUntil};
                let op = [And, Or, Implies, Iff, Until, WeakUntil, Release][other - 4];
                binary(op, inner, random_operand(random, depth))
            }
        }
    }

    fn random_operand(random: &mut Random, depth: usize) -> Ltl {
        self::random(random, depth - 1)
    }

    #[test]
    fn no_continuation_of_a_bad_prefix_keeps_the_formula() {
        let (mut refuted, mut dice) = (0, Random::new(41));
        for _ in 0..20_000 {
            let formula = random(&mut dice, 4);
            let length = 1 + dice.scaled(4);
            let word: Vec<i32> = (0..length).map(|_| 1 + dice.scaled(3) as i32).collect();
            let known = |atom: &Atom, at: usize| Some(*atom == Atom::State(Expr::Const(word[at])));
            // Of the last position it may not be known what happens there.
            let hidden = dice.scaled(2) == 0;
            let partly = |atom: &Atom, at: usize| {
                let unknown = hidden && at + 1 == length && *atom == Atom::State(Expr::Const(3));
                (!unknown).then(|| known(atom, at)).flatten()
            };
            if !formula.is_refuted_by(length, &partly) {
                continue;
            }
            refuted += 1;
            for _ in 0..20 {
                let mut run = word.clone();
                if hidden && run[length - 1] == 3 && dice.scaled(2) == 0 {
                    run[length - 1] = 4;
                }
                run.extend((0..dice.scaled(4)).map(|_| 1 + dice.scaled(3) as i32));
                let loop_from = dice.scaled(run.len());
                assert!(!holds(&formula, &run, loop_from), "{formula} {word:?} {run:?} {loop_from}");
            }
        }
        assert!(refuted > 2_000, "{refuted}");
    }

    #[test]
    fn the_first_break_of_an_invariant_is_a_bad_prefix_and_a_missing_answer_is_none() {
        let known =
            |word: &'static [i32]| move |atom: &Atom, at: usize| Some(*atom == Atom::State(Expr::Const(word[at])));
        let always = unary(Modality::Always, atom(1));
        assert!(!always.is_refuted_by(2, &known(&[1, 1])) && always.is_refuted_by(3, &known(&[1, 1, 2])));
        let answered =
            unary(Modality::Always, binary(Connective::Implies, atom(1), unary(Modality::Eventually, atom(2))));
        assert!(!answered.is_refuted_by(3, &known(&[1, 3, 3])));
        let until = binary(Connective::Until, atom(1), atom(2));
        assert!(!until.is_refuted_by(2, &known(&[1, 1])) && until.is_refuted_by(2, &known(&[1, 3])));
    }

    #[test]
    fn next_follows_the_loop() {
        assert!(holds(&unary(Modality::Next, unary(Modality::Next, atom(2))), &[1, 2], 1));
        assert!(holds(&unary(Modality::Next, unary(Modality::Next, atom(1))), &[1, 2], 0));
    }
}
