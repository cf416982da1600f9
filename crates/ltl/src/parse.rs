//! Reading formulas, as SPIN reads them.
//!
//! SPIN 6.5.2 has two levels of binary operators, and both associate to the left: `U`, `V` (and here `R` and `W`) bind
//! tighter than `&&`, `||`, `->` and `<->`, *which are all equal*. So
//!
//! * `a U b U c` is `(a U b) U c`, and `a && b U c` is `a && (b U c)`;
//! * `a -> b -> c` is `(a -> b) -> c`, and `a || b && c` is `(a || b) && c`;
//! * operators with one operand bind tightest: `[] a U b` is `([] a) U b`.
//!
//! A formula must not mean one thing here and another there, so [`parse`] follows SPIN. Most people expect `&&` before
//! `||` before `->` before `<->`, and `->` and `U` from the right; where that makes another formula of the same text,
//! [`Parsed::usual`] has it, so that a caller can warn. [`parse_with`] reads that way.
//!
//! Operators: `[] G always`, `<> F eventually`, `X next`, `U until stronguntil`, `V R release`, `W weakuntil`,
//! `! ~ not`, `&& /\ and`, `|| \/ or`, `-> implies`, `<-> equivalent iff`, `true`, `false`.
//!
//! Atoms: names (`busy`, `buf[2].full`), events and labels (`ch!msg`, `q[1]?ack(1,_)`, `P[0]@critical`), and anything
//! else in quotes or braces (`"x > 3"`, `{len(q) == 2}`). Equal texts are equal atoms, quoted or not.

use crate::formula::Formula;
use crate::lex::{Word, Words, error};
use std::collections::HashMap;
use std::ops::Range;

/// Nesting beyond this is refused, so that recursion over formulas is safe.
pub const MAX_DEPTH: usize = 1_000;

/// A formula that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// The text of each atom, by number.
    pub atoms: Vec<String>,
    /// Where each atom occurs, in bytes; by number, in order.
    pub places: Vec<Vec<Range<usize>>>,
    /// What the other precedence makes of the text, if that is another formula.
    pub usual: Option<Formula>,
}

/// Why a text is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes.
    pub range: Range<usize>,
    /// What to do.
    pub hint: Option<String>,
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}

/// Which operators bind tighter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precedence {
    /// `&&`, `||`, `->` and `<->` are equal; all from the left.
    Spin,
    /// `U R W`, then `&&`, `||`, `->`, `<->`; from the right, but `&&`, `||` and `<->`.
    Usual,
}

/// Reads a formula as SPIN does.
pub fn parse(text: &str) -> Result<Parsed, SyntaxError> {
    parse_with(text, Precedence::Spin)
}

/// Reads a formula.
pub fn parse_with(text: &str, precedence: Precedence) -> Result<Parsed, SyntaxError> {
    let other = match precedence {
        Precedence::Spin => Precedence::Usual,
        Precedence::Usual => Precedence::Spin,
    };
    let mut parsed = Parser::new(text, precedence)?.parse()?;
    let usual = Parser::new(text, other)?.parse();
    parsed.usual = usual.ok().map(|parsed| parsed.formula).filter(|formula| *formula != parsed.formula);
    Ok(parsed)
}

struct Parser<'a> {
    words: Words<'a>,
    word: Word<'a>,
    place: Range<usize>,
    precedence: Precedence,
    numbers: HashMap<&'a str, u32>,
    atoms: Vec<String>,
    places: Vec<Vec<Range<usize>>>,
    /// Parentheses and operators that are open.
    open: usize,
}

/// A formula and its depth.
type Sized = (Formula, usize);

impl<'a> Parser<'a> {
    fn new(text: &'a str, precedence: Precedence) -> Result<Parser<'a>, SyntaxError> {
        let mut words = Words::new(text);
        let (word, place) = words.next()?;
        let (numbers, atoms, places) = (HashMap::new(), Vec::new(), Vec::new());
        Ok(Parser { words, word, place, precedence, numbers, atoms, places, open: 0 })
    }

    fn parse(mut self) -> Result<Parsed, SyntaxError> {
        if self.word == Word::End {
            return Err(error("there is no formula", self.place, Some("an example: [] (request -> <> reply)")));
        }
        let (formula, _) = self.expression(0)?;
        match self.word {
            Word::End => Ok(Parsed { formula, atoms: self.atoms, places: self.places, usual: None }),
            Word::Close => Err(error("this `)` closes nothing", self.place, None)),
            _ => Err(error(
                "an operator was expected here",
                self.place,
                Some("join formulas with `&&`, `||`, `->`, `U`"),
            )),
        }
    }

    fn advance(&mut self) -> Result<(), SyntaxError> {
        (self.word, self.place) = self.words.next()?;
        Ok(())
    }

    /// Operands joined by operators that bind at least as tight as `least`: precedence climbing.
    fn expression(&mut self, least: u8) -> Result<Sized, SyntaxError> {
        let mut left = self.operand()?;
        while let Some((strength, from_right)) = self.strength().filter(|(strength, _)| *strength >= least) {
            let (operator, place) = (self.word, self.place.clone());
            self.advance()?;
            self.descend(&place)?;
            let right = self.expression(if from_right { strength } else { strength + 1 })?;
            self.open -= 1;
            let depth = 1 + left.1.max(right.1);
            check_depth(depth, &place)?;
            left = (joined(operator, left.0, right.0), depth);
        }
        Ok(left)
    }

    /// How tight the operator binds that comes next, and whether it associates to the right.
    fn strength(&self) -> Option<(u8, bool)> {
        let usual = self.precedence == Precedence::Usual;
        match self.word {
            Word::Until | Word::Release | Word::WeakUntil => Some((5, usual)),
            Word::And if usual => Some((4, false)),
            Word::Or if usual => Some((3, false)),
            Word::Implies if usual => Some((2, true)),
            Word::And | Word::Or | Word::Implies | Word::Iff => Some((1, false)),
            _ => None,
        }
    }

    fn operand(&mut self) -> Result<Sized, SyntaxError> {
        let (word, place) = (self.word, self.place.clone());
        let operator: fn(Formula) -> Formula = match word {
            Word::Not => Formula::not,
            Word::Next => Formula::next,
            Word::Globally => Formula::globally,
            Word::Finally => Formula::finally,
            _ => return self.primary(),
        };
        self.advance()?;
        self.descend(&place)?;
        let (inner, depth) = self.operand()?;
        self.open -= 1;
        check_depth(depth + 1, &place)?;
        Ok((operator(inner), depth + 1))
    }

    fn primary(&mut self) -> Result<Sized, SyntaxError> {
        let formula = match self.word {
            Word::Open => return self.parenthesised(),
            Word::True => Formula::True,
            Word::False => Formula::False,
            Word::Atom(text) => Formula::Atom(self.number(text)),
            Word::End => return Err(error("the formula ends where an operand was expected", self.place.clone(), None)),
            _ => return Err(error("an operand was expected here", self.place.clone(), None)),
        };
        self.advance()?;
        Ok((formula, 1))
    }

    fn parenthesised(&mut self) -> Result<Sized, SyntaxError> {
        let open = self.place.clone();
        self.advance()?;
        self.descend(&open)?;
        let inner = self.expression(0)?;
        self.open -= 1;
        match self.word {
            Word::Close => {
                self.advance()?;
                Ok(inner)
            }
            Word::End => Err(error("this `(` is not closed", open, None)),
            _ => Err(error("an operator or `)` was expected here", self.place.clone(), None)),
        }
    }

    fn number(&mut self, text: &'a str) -> u32 {
        let next = self.atoms.len() as u32;
        let number = *self.numbers.entry(text).or_insert(next);
        if number == next {
            self.atoms.push(text.to_string());
            self.places.push(Vec::new());
        }
        self.places[number as usize].push(self.place.clone());
        number
    }

    fn descend(&mut self, place: &Range<usize>) -> Result<(), SyntaxError> {
        self.open += 1;
        check_depth(self.open, place)
    }
}

fn check_depth(depth: usize, place: &Range<usize>) -> Result<(), SyntaxError> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    let message = format!("the formula is nested deeper than {MAX_DEPTH} operators");
    Err(error(message, place.clone(), Some("split it into several formulas")))
}

fn joined(operator: Word, left: Formula, right: Formula) -> Formula {
    match operator {
        Word::And => left.and(right),
        Word::Or => left.or(right),
        Word::Implies => left.implies(right),
        Word::Iff => left.iff(right),
        Word::Until => left.until(right),
        Word::Release => left.release(right),
        _ => left.weak_until(right),
    }
}
