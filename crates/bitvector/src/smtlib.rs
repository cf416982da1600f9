//! Terms for other solvers: SMT-LIB 2, logic QF_BV, and the values that come back.
//!
//! A part that is used more than once, or is long, gets a name by `define-fun`, so the text is linear in the number of
//! parts and shallow. Variables keep their names where SMT-LIB lets them.

use crate::evaluate::Value;
use crate::semantics::mask;
use crate::terms::{MAX_WIDTH, Node, Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::fmt::Write;

/// Texts longer than this get a name.
const LONGEST: usize = 120;
/// Parentheses in a reply nest no deeper than this.
const DEEPEST: usize = 64;

/// Declarations and definitions for some terms, and the text of each.
pub(crate) struct Script {
    /// Lines of SMT-LIB.
    pub(crate) preamble: String,
    /// The texts of the roots.
    pub(crate) roots: Vec<String>,
    /// The variables, with their symbols.
    pub(crate) variables: Vec<(TermId, String)>,
}

/// A whole obligation: is the conjunction of these terms satisfiable?
pub fn obligation(terms: &Terms, assertions: &[TermId]) -> String {
    let script = script(terms, assertions);
    let mut text = String::from("(set-logic QF_BV)\n");
    text.push_str(&script.preamble);
    for root in &script.roots {
        let _ = writeln!(text, "(assert {root})");
    }
    text.push_str("(check-sat)\n");
    text
}

pub(crate) fn script(terms: &Terms, roots: &[TermId]) -> Script {
    let parts = terms.parts(roots);
    let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
    for &part in &parts {
        for &argument in terms.node(part).arguments() {
            *uses.entry(argument).or_default() += 1;
        }
    }
    let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
    let mut taken = HashSet::new();
    let mut script = Script { preamble: String::new(), roots: Vec::new(), variables: Vec::new() };
    for part in parts {
        let node = terms.node(part);
        let mut text = match node.op() {
            Op::Var(_) => {
                let symbol = symbol(terms, part, &mut taken);
                let _ = writeln!(script.preamble, "(declare-const {symbol} {})", sort_text(node.sort()));
                script.variables.push((part, symbol.clone()));
                symbol
            }
            _ => application(terms, node, &texts),
        };
        let shared = uses.get(&part).is_some_and(|&count| count > 1);
        if !node.arguments().is_empty() && (shared || text.len() > LONGEST) {
            let name = format!("t!{}", part.index());
            let _ = writeln!(script.preamble, "(define-fun {name} () {} {text})", sort_text(node.sort()));
            text = name;
        }
        texts.insert(part, text);
    }
    script.roots = roots.iter().map(|root| texts.get(root).cloned().unwrap_or_default()).collect();
    script
}

fn sort_text(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Bv(width) => format!("(_ BitVec {width})"),
    }
}

/// Names that already mean something to a solver.
const RESERVED: [&str; 32] = [
    "true",
    "false",
    "not",
    "and",
    "or",
    "xor",
    "ite",
    "distinct",
    "let",
    "forall",
    "exists",
    "concat",
    "extract",
    "repeat",
    "zero_extend",
    "sign_extend",
    "rotate_left",
    "rotate_right",
    "select",
    "store",
    "as",
    "par",
    "_",
    "match",
    "Bool",
    "Int",
    "Real",
    "Array",
    "BitVec",
    "abs",
    "div",
    "mod",
];

/// The name of a variable, quoted; a name of ours if it cannot be taken.
fn symbol(terms: &Terms, variable: TermId, taken: &mut HashSet<String>) -> String {
    let name = terms.name(variable).unwrap_or_default();
    let allowed = |c: char| c.is_ascii_graphic() && !matches!(c, '|' | '\\' | '!' | '"') || c == ' ';
    let usable = !name.is_empty() && name.chars().all(allowed) && !RESERVED.contains(&name) && !name.starts_with("bv");
    if usable && taken.insert(name.to_owned()) { format!("|{name}|") } else { format!("v!{}", variable.index()) }
}

fn application(terms: &Terms, node: Node, texts: &FxHashMap<TermId, String>) -> String {
    let width = node.sort().width();
    let first = node.arguments().first().map_or(width, |&argument| terms.width(argument));
    let head = match node.op() {
        Op::Const(bits) => return constant_text(bits, node.sort()),
        Op::Var(_) => return String::new(),
        Op::Extract(low) => format!("(_ extract {} {low})", low + width - 1),
        Op::Zext => format!("(_ zero_extend {})", width - first),
        Op::Sext => format!("(_ sign_extend {})", width - first),
        op => function(op).to_owned(),
    };
    let mut text = format!("({head}");
    for argument in node.arguments() {
        text.push(' ');
        text.push_str(texts.get(argument).map_or("", String::as_str));
    }
    text.push(')');
    text
}

fn constant_text(bits: u128, sort: Sort) -> String {
    match sort {
        Sort::Bool => (bits != 0).to_string(),
        Sort::Bv(width) => format!("(_ bv{bits} {width})"),
    }
}

fn function(op: Op) -> &'static str {
    match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Eq => "=",
        Op::Ite => "ite",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::Udiv => "bvudiv",
        Op::Urem => "bvurem",
        Op::Sdiv => "bvsdiv",
        Op::Srem => "bvsrem",
        Op::Shl => "bvshl",
        Op::Lshr => "bvlshr",
        Op::Ashr => "bvashr",
        Op::Ult => "bvult",
        Op::Slt => "bvslt",
        Op::Concat => "concat",
        Op::Const(_) | Op::Var(_) | Op::Extract(_) | Op::Zext | Op::Sext => "",
    }
}

/// What a solver says: an atom or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// A word.
    Atom(String),
    /// Replies in parentheses.
    List(Vec<Reply>),
}

impl Reply {
    /// The parts of a list.
    pub fn list(&self) -> Option<&[Reply]> {
        match self {
            Reply::List(parts) => Some(parts),
            Reply::Atom(_) => None,
        }
    }

    /// The word.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Reply::Atom(word) => Some(word),
            Reply::List(_) => None,
        }
    }
}

/// Reads all replies in a text; nothing if parentheses do not match.
pub fn parse_replies(text: &str) -> Option<Vec<Reply>> {
    let mut open: Vec<Vec<Reply>> = vec![Vec::new()];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' => {
                open.push(Vec::new());
                1
            }
            ')' => {
                let list = open.pop()?;
                open.last_mut()?.push(Reply::List(list));
                1
            }
            '|' | '"' => {
                let length = rest[1..].find(first)? + 2;
                open.last_mut()?.push(Reply::Atom(rest[..length].to_owned()));
                length
            }
            _ => {
                let length = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')')).unwrap_or(rest.len());
                open.last_mut()?.push(Reply::Atom(rest[..length].to_owned()));
                length
            }
        };
        if open.len() > DEEPEST {
            return None;
        }
        rest = rest[length..].trim_start();
    }
    let all = open.pop()?;
    open.is_empty().then_some(all)
}

/// The value in a reply: `true`, `#b01`, `#x0f` or `(_ bv5 8)`.
pub fn parse_value(reply: &Reply) -> Option<Value> {
    match reply {
        Reply::Atom(word) => match word.as_str() {
            "true" => Some(Value { sort: Sort::Bool, bits: 1 }),
            "false" => Some(Value { sort: Sort::Bool, bits: 0 }),
            _ => {
                let (digits, base, each) = match word.strip_prefix("#b") {
                    Some(digits) => (digits, 2, 1),
                    None => (word.strip_prefix("#x")?, 16, 4),
                };
                sized(u128::from_str_radix(digits, base).ok()?, digits.len() as u32 * each)
            }
        },
        Reply::List(parts) => match parts.as_slice() {
            [Reply::Atom(underscore), Reply::Atom(number), Reply::Atom(width)] if underscore == "_" => {
                sized(number.strip_prefix("bv")?.parse().ok()?, width.parse().ok()?)
            }
            _ => None,
        },
    }
}

fn sized(bits: u128, width: u32) -> Option<Value> {
    ((1..=MAX_WIDTH).contains(&width) && bits <= mask(width)).then_some(Value { sort: Sort::Bv(width), bits })
}
