//! Why a formula does not hold on a run: a few words at the places that matter.
//!
//! The formula is evaluated on the run directly. From its outermost operator inwards the operands are followed that
//! decide the value: `[] e` is false because of the first position where `e` is, `<> e` because nothing comes any more.

use crate::formula::{Connective, Ltl, Modality};

/// A run, as far as a formula can see it.
pub struct Seen<'a, A> {
    /// How many positions it has.
    pub positions: usize,
    /// The last of them is followed by this one.
    pub loop_from: usize,
    /// Whether an atom holds at a position.
    pub holds: &'a dyn Fn(&A, usize) -> bool,
    /// Whether an atom is about what happens next, not about a state.
    pub is_event: &'a dyn Fn(&A) -> bool,
}

/// Positions, and what there is to say of them.
pub type Remarks = Vec<(usize, String)>;

impl<A: Clone + PartialEq> Seen<'_, A> {
    /// Where conditions change, and why the formula does not hold.
    pub fn remarks(&self, formula: &Ltl<A>) -> Remarks {
        let mut remarks = self.changes(formula);
        self.blame(formula, 0, false, &mut remarks);
        remarks
    }

    fn along(&self, formula: &Ltl<A>) -> Vec<bool> {
        formula.along(self.positions, self.loop_from, self.holds)
    }

    /// Where conditions of the formula become true or false; events are seen in the steps themselves.
    fn changes(&self, formula: &Ltl<A>) -> Remarks {
        let mut remarks = Vec::new();
        for (atom, text) in formula.atoms().iter().filter(|(atom, _)| !(self.is_event)(atom)) {
            let values: Vec<bool> = (0..self.positions).map(|at| (self.holds)(atom, at)).collect();
            if values.first() == Some(&true) {
                remarks.push((0, format!("`{text}` is true")));
            }
            for (index, pair) in values.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]) {
                remarks.push((index + 1, format!("`{text}` is {} now", pair[1])));
            }
        }
        remarks
    }

    /// The positions from one on, once round the loop.
    fn from(&self, at: usize) -> impl Iterator<Item = usize> {
        (at..self.positions).chain(self.loop_from..at.max(self.loop_from))
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.positions { at + 1 } else { self.loop_from }
    }

    /// Why a formula has this value at a position.
    fn blame(&self, formula: &Ltl<A>, at: usize, value: bool, remarks: &mut Remarks) {
        match formula {
            Ltl::Constant(_) => {}
            Ltl::Atom(atom, text) if (self.is_event)(atom) => {
                let happens = if value { "happens" } else { "does not happen" };
                // What happens at a position is seen in the step that leaves it.
                remarks.push((at + 1, format!("here `{text}` {happens}")));
            }
            Ltl::Atom(..) if value => remarks.push((at, format!("here `{}` holds", plain(formula)))),
            Ltl::Atom(..) => remarks.push((at, format!("here `{}` does not hold", plain(formula)))),
            Ltl::Unary(Modality::Not, inner) => self.blame(inner, at, !value, remarks),
            Ltl::Unary(Modality::Next, inner) => self.blame(inner, self.next(at), value, remarks),
            Ltl::Unary(Modality::Always, inner) => self.blame_lasting(inner, at, value, remarks),
            Ltl::Unary(Modality::Eventually, inner) => self.blame_coming(inner, at, value, remarks),
            Ltl::Binary(op, a, b) => self.blame_binary(*op, (a, b), at, value, remarks),
        }
    }

    /// `[] e`: false because of the first position where it is.
    fn blame_lasting(&self, inner: &Ltl<A>, at: usize, value: bool, remarks: &mut Remarks) {
        let values = self.along(inner);
        match self.from(at).find(|&position| !values[position]) {
            Some(position) if !value => self.blame(inner, position, false, remarks),
            _ => remarks.push((at, format!("from here on `{}` {} always", plain(inner), self.verb(inner)))),
        }
    }

    /// Events happen, everything else holds.
    fn verb(&self, formula: &Ltl<A>) -> &'static str {
        match formula {
            Ltl::Atom(atom, _) if (self.is_event)(atom) => "happens",
            _ => "holds",
        }
    }

    /// `<> e`: true because of the first position where it is.
    fn blame_coming(&self, inner: &Ltl<A>, at: usize, value: bool, remarks: &mut Remarks) {
        let values = self.along(inner);
        match self.from(at).find(|&position| values[position]) {
            Some(position) if value => self.blame(inner, position, true, remarks),
            _ => remarks.push((at, format!("from here on `{}` never {}", plain(inner), self.verb(inner)))),
        }
    }

    fn blame_binary(&self, op: Connective, (a, b): (&Ltl<A>, &Ltl<A>), at: usize, value: bool, remarks: &mut Remarks) {
        let (left, right) = (self.along(a), self.along(b));
        match op {
            Connective::And | Connective::Or => {
                // All operands that have the value of the whole; for the other value each of them matters.
                let decisive = [(a, left[at]), (b, right[at])];
                for (operand, _) in decisive.iter().filter(|(_, own)| *own == value) {
                    self.blame(operand, at, value, remarks);
                }
            }
            Connective::Implies => {
                if left[at] != value {
                    self.blame(a, at, !value, remarks);
                }
                if right[at] == value {
                    self.blame(b, at, value, remarks);
                }
            }
            Connective::Iff => {
                self.blame(a, at, left[at], remarks);
                self.blame(b, at, right[at], remarks);
            }
            Connective::Until | Connective::WeakUntil => {
                let stop = self.from(at).find(|&position| !left[position] || right[position]);
                match stop {
                    Some(position) if right[position] => self.blame(b, position, true, remarks),
                    Some(position) => {
                        remarks.push((position, format!("`{}` has not come, and", plain(b))));
                        self.blame(a, position, false, remarks);
                    }
                    None => remarks.push((at, format!("from here on `{}` never {}", plain(b), self.verb(b)))),
                }
            }
            Connective::Release => match self.from(at).find(|&position| left[position] || !right[position]) {
                Some(position) if !right[position] => self.blame(b, position, false, remarks),
                Some(position) => self.blame(a, position, true, remarks),
                None => remarks.push((at, format!("from here on `{}` {} always", plain(b), self.verb(b)))),
            },
        }
    }
}

/// A formula in a sentence: an atom as it is written.
fn plain<A>(formula: &Ltl<A>) -> String {
    match formula {
        Ltl::Atom(_, text) => text.clone(),
        _ => formula.to_string(),
    }
}
