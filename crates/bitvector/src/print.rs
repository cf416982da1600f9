//! Terms for people: C, with few liberties.
//!
//! Signed operations look as in C; unsigned ones have `(unsigned)` before the left operand, and casts have the names
//! `u8`, `i32`. A part that is too long is cut to an ellipsis: this text is to be read, obligations are written in
//! SMT-LIB (`smtlib.rs`).

use crate::semantics::{is_negative, mask, to_signed};
use crate::terms::{Node, Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;

/// Parts longer than this are cut.
const LONGEST: usize = 2000;
/// A term with more parts is not for people.
const MOST_PARTS: usize = 2000;

/// How tightly an operator binds, as in C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    Unary,
    Whole,
}

struct Piece {
    text: String,
    tightness: Tightness,
}

impl Piece {
    fn within(&self, least: Tightness) -> String {
        if self.tightness >= least { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// The term as C.
pub fn to_c(terms: &Terms, term: TermId) -> String {
    let parts = terms.parts(&[term]);
    if parts.len() > MOST_PARTS {
        return format!("… ({} parts)", parts.len());
    }
    let mut pieces: FxHashMap<TermId, Piece> = FxHashMap::default();
    for part in parts {
        let mut piece = Printer { terms, pieces: &pieces }.piece(part);
        if piece.text.len() > LONGEST {
            piece = Piece { text: "…".to_owned(), tightness: Tightness::Whole };
        }
        pieces.insert(part, piece);
    }
    pieces.remove(&term).map(|piece| piece.text).unwrap_or_default()
}

struct Printer<'a> {
    terms: &'a Terms,
    pieces: &'a FxHashMap<TermId, Piece>,
}

impl Printer<'_> {
    fn text(&self, term: TermId, least: Tightness) -> String {
        self.pieces.get(&term).map(|piece| piece.within(least)).unwrap_or_default()
    }

    fn piece(&self, term: TermId) -> Piece {
        let node = self.terms.node(term);
        let arguments = node.arguments();
        match (node.op(), arguments) {
            (Op::Const(bits), _) => whole(constant(bits, node.sort())),
            (Op::Var(_), _) => whole(self.terms.name(term).unwrap_or_default().to_owned()),
            (Op::Not, &[a]) => self.negation(a),
            (Op::BvNot, &[a]) => self.unary("~", a),
            (Op::BvNeg, &[a]) => self.unary("-", a),
            (Op::Zext, &[a]) => self.unary(&format!("(u{}) ", node.sort().width()), a),
            (Op::Sext, &[a]) => self.unary(&format!("(i{}) ", node.sort().width()), a),
            (Op::Extract(0), &[a]) => self.unary(&format!("(u{}) ", node.sort().width()), a),
            (Op::Extract(low), &[a]) => {
                let shifted = format!("({} >> {low})", self.text(a, Tightness::Shift));
                Piece { text: format!("(u{}) {shifted}", node.sort().width()), tightness: Tightness::Unary }
            }
            (Op::Concat, &[a, b]) => {
                whole(format!("concat({}, {})", self.text(a, Tightness::Choice), self.text(b, Tightness::Choice)))
            }
            (Op::Ite, &[c, a, b]) => Piece {
                text: format!(
                    "{} ? {} : {}",
                    self.text(c, Tightness::Or),
                    self.text(a, Tightness::Or),
                    self.text(b, Tightness::Or)
                ),
                tightness: Tightness::Choice,
            },
            (Op::Ult | Op::Slt, &[a, b]) => self.order(node, "<", a, b),
            (Op::Eq, &[a, b]) => self.binary("==", Tightness::Equality, a, b),
            (Op::Add, &[a, b]) => self.sum(a, b),
            (op, &[a, b]) => {
                let (symbol, tightness, unsigned) = operator(op);
                let mut piece = self.binary(symbol, tightness, a, b);
                if unsigned {
                    piece.text = format!("(unsigned) {} {symbol} {}", self.unary_text(a), self.unary_text(b));
                }
                piece
            }
            _ => whole(String::new()),
        }
    }

    fn unary_text(&self, a: TermId) -> String {
        self.text(a, Tightness::Unary)
    }

    fn unary(&self, prefix: &str, a: TermId) -> Piece {
        Piece { text: format!("{prefix}{}", self.unary_text(a)), tightness: Tightness::Unary }
    }

    /// The right side of an operator that is not associative needs parentheses at equal tightness.
    fn binary(&self, symbol: &str, tightness: Tightness, a: TermId, b: TermId) -> Piece {
        let associative = matches!(symbol, "&&" | "||" | "&" | "|" | "^");
        let right = match self.pieces.get(&b) {
            Some(piece) if piece.tightness == tightness && !associative => format!("({})", piece.text),
            _ => self.text(b, tightness),
        };
        Piece { text: format!("{} {symbol} {right}", self.text(a, tightness)), tightness }
    }

    /// Negations of comparisons are comparisons.
    fn negation(&self, a: TermId) -> Piece {
        let inner = self.terms.node(a);
        match (inner.op(), inner.arguments()) {
            (Op::Eq, &[x, y]) => self.binary("!=", Tightness::Equality, x, y),
            (Op::Ult | Op::Slt, &[x, y]) => self.order(inner, ">=", x, y),
            _ => self.unary("!", a),
        }
    }

    fn order(&self, node: Node, symbol: &str, a: TermId, b: TermId) -> Piece {
        let signed = node.op() == Op::Slt;
        let side = |term: TermId, least: Tightness| match (self.terms.as_const(term), self.terms.width(term)) {
            (Some(bits), width) if signed => to_signed(bits, width).to_string(),
            (Some(bits), _) => bits.to_string(),
            (None, _) => self.text(term, least),
        };
        let text = if signed {
            format!("{} {symbol} {}", side(a, Tightness::Shift), side(b, Tightness::Shift))
        } else {
            format!("(unsigned) {} {symbol} {}", side(a, Tightness::Unary), side(b, Tightness::Unary))
        };
        Piece { text, tightness: Tightness::Order }
    }

    fn sum(&self, a: TermId, b: TermId) -> Piece {
        let width = self.terms.width(b);
        match self.terms.as_const(b) {
            Some(bits) if is_negative(bits, width) => {
                let taken = bits.wrapping_neg() & mask(width);
                Piece { text: format!("{} - {taken}", self.text(a, Tightness::Sum)), tightness: Tightness::Sum }
            }
            _ => self.binary("+", Tightness::Sum, a, b),
        }
    }
}

fn whole(text: String) -> Piece {
    Piece { text, tightness: Tightness::Whole }
}

/// Symbol, tightness, and whether the operation reads its operands without signs.
fn operator(op: Op) -> (&'static str, Tightness, bool) {
    match op {
        Op::And => ("&&", Tightness::And, false),
        Op::Or => ("||", Tightness::Or, false),
        Op::BvAnd => ("&", Tightness::BitAnd, false),
        Op::BvOr => ("|", Tightness::BitOr, false),
        Op::BvXor => ("^", Tightness::BitXor, false),
        Op::Sub => ("-", Tightness::Sum, false),
        Op::Mul => ("*", Tightness::Product, false),
        Op::Sdiv => ("/", Tightness::Product, false),
        Op::Srem => ("%", Tightness::Product, false),
        Op::Udiv => ("/", Tightness::Product, true),
        Op::Urem => ("%", Tightness::Product, true),
        Op::Shl => ("<<", Tightness::Shift, false),
        Op::Lshr => (">>", Tightness::Shift, true),
        Op::Ashr => (">>", Tightness::Shift, false),
        _ => ("?", Tightness::Choice, false),
    }
}

/// Small negative numbers with a sign, others without: the bits alone do not say.
fn constant(bits: u128, sort: Sort) -> String {
    match sort {
        Sort::Bool => (bits != 0).to_string(),
        Sort::Bv(width) => {
            let signed = to_signed(bits, width);
            if width >= 8 && (-32768..0).contains(&signed) { signed.to_string() } else { bits.to_string() }
        }
    }
}
