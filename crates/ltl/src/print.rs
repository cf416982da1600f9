//! Writing formulas, for SPIN and for people.
//!
//! Parentheses stand around every operand that has two operands itself, but for chains of one of `&&` and `||`, so
//! that a formula reads the same under every precedence. What is written is read back as the same formula.

use crate::formula::Formula;
use crate::lex::is_bare_atom;

/// The signs of operators with one operand, and of those with two.
struct Signs {
    next: &'static str,
    globally: &'static str,
    finally: &'static str,
    release: &'static str,
}

const PROMELA: Signs = Signs { next: "X ", globally: "[] ", finally: "<> ", release: "V" };
const PAPER: Signs = Signs { next: "X ", globally: "G ", finally: "F ", release: "R" };

impl Formula {
    /// As Promela has it: `[] (a -> <> b)`. Atoms without a name are `p0`, `p1`, …
    pub fn to_promela<S: AsRef<str>>(&self, names: &[S]) -> String {
        let mut text = String::new();
        PROMELA.write(self, names, &mut text);
        text
    }

    /// As papers have it: `G (a -> F b)`.
    pub fn to_paper<S: AsRef<str>>(&self, names: &[S]) -> String {
        let mut text = String::new();
        PAPER.write(self, names, &mut text);
        text
    }
}

impl Signs {
    fn write<S: AsRef<str>>(&self, formula: &Formula, names: &[S], text: &mut String) {
        match formula {
            Formula::True => text.push_str("true"),
            Formula::False => text.push_str("false"),
            Formula::Atom(atom) => text.push_str(&quoted(&name(names, *atom))),
            Formula::Not(a) => self.unary("!", a, names, text),
            Formula::Next(a) => self.unary(self.next, a, names, text),
            Formula::Globally(a) => self.unary(self.globally, a, names, text),
            Formula::Finally(a) => self.unary(self.finally, a, names, text),
            Formula::And(a, b) => self.binary(matches!(**a, Formula::And(..)), a, "&&", b, names, text),
            Formula::Or(a, b) => self.binary(matches!(**a, Formula::Or(..)), a, "||", b, names, text),
            Formula::Implies(a, b) => self.binary(false, a, "->", b, names, text),
            Formula::Iff(a, b) => self.binary(false, a, "<->", b, names, text),
            Formula::Until(a, b) => self.binary(false, a, "U", b, names, text),
            Formula::Release(a, b) => self.binary(false, a, self.release, b, names, text),
            Formula::WeakUntil(a, b) => self.binary(false, a, "W", b, names, text),
        }
    }

    fn unary<S: AsRef<str>>(&self, sign: &str, operand: &Formula, names: &[S], text: &mut String) {
        text.push_str(sign);
        self.operand(operand, names, text);
    }

    fn binary<S: AsRef<str>>(
        &self,
        chain: bool,
        left: &Formula,
        sign: &str,
        right: &Formula,
        names: &[S],
        text: &mut String,
    ) {
        if chain {
            self.write(left, names, text);
        } else {
            self.operand(left, names, text);
        }
        text.push(' ');
        text.push_str(sign);
        text.push(' ');
        self.operand(right, names, text);
    }

    fn operand<S: AsRef<str>>(&self, operand: &Formula, names: &[S], text: &mut String) {
        let has_two = !matches!(
            operand,
            Formula::True
                | Formula::False
                | Formula::Atom(_)
                | Formula::Not(_)
                | Formula::Next(_)
                | Formula::Globally(_)
                | Formula::Finally(_)
        );
        if has_two {
            text.push('(');
        }
        self.write(operand, names, text);
        if has_two {
            text.push(')');
        }
    }
}

/// The name of an atom, `p7` if it has none.
pub fn name<S: AsRef<str>>(names: &[S], atom: u32) -> String {
    names.get(atom as usize).map_or_else(|| format!("p{atom}"), |name| name.as_ref().to_string())
}

fn quoted(name: &str) -> String {
    match (is_bare_atom(name), name.contains('"')) {
        (true, _) => name.to_string(),
        (false, false) => format!("\"{name}\""),
        (false, true) => format!("{{{name}}}"),
    }
}
