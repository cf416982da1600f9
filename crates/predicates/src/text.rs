//! An invariant as text, one entry a line, for certificates.
//!
//! ```text
//! variable 12
//! constant 32 5
//! apply bvadd 32 0 1
//! at 14 2 3
//! ```
//!
//! A width of 0 is a truth value. Operations have their names of SMT-LIB; `extract` is followed by its lowest bit. The
//! last kind of line names a location and the entries that hold there.

use crate::invariant::{Invariant, Node};
use c::program::{LocationId, VariableId};
use smt::{Op, Sort};
use std::fmt;
use std::str::{FromStr, SplitWhitespace};

const NAMES: [(&str, Op); 24] = [
    ("not", Op::Not),
    ("and", Op::And),
    ("or", Op::Or),
    ("=", Op::Eq),
    ("ite", Op::Ite),
    ("bvnot", Op::BvNot),
    ("bvneg", Op::BvNeg),
    ("bvand", Op::BvAnd),
    ("bvor", Op::BvOr),
    ("bvxor", Op::BvXor),
    ("bvadd", Op::Add),
    ("bvsub", Op::Sub),
    ("bvmul", Op::Mul),
    ("bvudiv", Op::Udiv),
    ("bvurem", Op::Urem),
    ("bvsdiv", Op::Sdiv),
    ("bvsrem", Op::Srem),
    ("bvshl", Op::Shl),
    ("bvlshr", Op::Lshr),
    ("bvashr", Op::Ashr),
    ("bvult", Op::Ult),
    ("bvslt", Op::Slt),
    ("concat", Op::Concat),
    ("zero_extend", Op::Zext),
];

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for node in &self.nodes {
            match node {
                Node::Variable(variable) => writeln!(f, "variable {}", variable.0)?,
                Node::Constant { sort, bits } => writeln!(f, "constant {} {bits}", width(*sort))?,
                Node::Apply { op, sort, arguments } => {
                    write!(f, "apply ")?;
                    match op {
                        Op::Extract(low) => write!(f, "extract {low}")?,
                        Op::Sext => write!(f, "sign_extend")?,
                        op => write!(f, "{}", NAMES.iter().find(|(_, each)| each == op).map_or("?", |(name, _)| name))?,
                    }
                    write!(f, " {}", width(*sort))?;
                    arguments.iter().try_for_each(|argument| write!(f, " {argument}"))?;
                    writeln!(f)?;
                }
            }
        }
        for (location, list) in &self.conditions {
            write!(f, "at {}", location.0)?;
            list.iter().try_for_each(|number| write!(f, " {number}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

fn width(sort: Sort) -> u32 {
    match sort {
        Sort::Bool => 0,
        Sort::Bv(width) => width,
    }
}

impl FromStr for Invariant {
    /// The number of the line that is not one, from one.
    type Err = usize;

    fn from_str(text: &str) -> Result<Invariant, usize> {
        let mut invariant = Invariant::default();
        for (number, line) in text.lines().enumerate() {
            read_line(&mut invariant, line).ok_or(number + 1)?;
        }
        Ok(invariant)
    }
}

fn read_line(invariant: &mut Invariant, line: &str) -> Option<()> {
    let mut words = line.split_whitespace();
    match words.next()? {
        "variable" => invariant.nodes.push(Node::Variable(VariableId(number(&mut words)?))),
        "constant" => {
            let sort = read_sort(&mut words)?;
            invariant.nodes.push(Node::Constant { sort, bits: words.next()?.parse().ok()? });
        }
        "apply" => {
            let op = match words.next()? {
                "extract" => Op::Extract(number(&mut words)?),
                "sign_extend" => Op::Sext,
                name => NAMES.iter().find(|(each, _)| *each == name)?.1,
            };
            let sort = read_sort(&mut words)?;
            let arguments = words.by_ref().map(|word| word.parse().ok()).collect::<Option<Vec<u32>>>()?;
            invariant.nodes.push(Node::Apply { op, sort, arguments });
        }
        "at" => {
            let location = LocationId(number(&mut words)?);
            let list = words.by_ref().map(|word| word.parse().ok()).collect::<Option<Vec<u32>>>()?;
            invariant.conditions.push((location, list));
        }
        _ => return None,
    }
    words.next().is_none().then_some(())
}

fn number(words: &mut SplitWhitespace<'_>) -> Option<u32> {
    words.next()?.parse().ok()
}

fn read_sort(words: &mut SplitWhitespace<'_>) -> Option<Sort> {
    number(words).map(|width| if width == 0 { Sort::Bool } else { Sort::Bv(width) })
}
