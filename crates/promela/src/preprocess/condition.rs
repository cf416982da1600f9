//! Whether the condition of an `#if` holds.
//!
//! The macros of the line are expanded first, and `defined` is answered on the way, as long as the
//! name behind it is still a name. What remains is an expression of C, which is read from left to
//! right with two stacks, one for values and one for operators that wait for their right operand,
//! so that its depth costs no stack of the machine.

use std::mem;

use model::diagnostic::Diagnostic;
use model::source::Span;

use super::Preprocessor;
use super::directives::{Directive, Test};
use super::report::{error_at, shown};
use super::value::{Value, c_character, c_integer};
use crate::lexer::{Piece, PieceKind};
use crate::token::{Names, TokenKind};

impl Preprocessor<'_> {
    /// Whether what stands after `#if`, `#ifdef` and the like holds. An `#else` always does.
    pub(super) fn condition(&mut self, directive: Directive, span: Span) -> bool {
        let (Directive::If(test) | Directive::Elif(test)) = directive else { return true };
        if test == Test::Expression {
            return self.expression(span);
        }
        match self.next_on_line().and_then(|piece| piece.name()) {
            Some(name) => self.macro_named(name).is_some() == (test == Test::Defined),
            None => {
                self.lacks_name(directive, span);
                false
            }
        }
    }

    fn expression(&mut self, span: Span) -> bool {
        let outer = mem::replace(&mut self.in_condition, true);
        let pieces = self.expanded_line(span);
        self.in_condition = outer;
        let problem = match evaluate(&pieces, self.names) {
            Ok(value) => return value,
            Err(problem) => problem,
        };
        let report = match problem.piece {
            Some(piece) => error_at("P0009", piece, problem.message),
            None => Diagnostic::error("P0009", span, problem.message),
        };
        let help = "a condition consists of whole numbers, `defined(NAME)`, parentheses and the operators of C; \
                    a name without a macro counts as 0";
        self.report(report.label(problem.label).help(help));
        false
    }

    /// `defined NAME` and `defined(NAME)`, which become 1 or 0.
    pub(super) fn eval_defined(&mut self, operator: Piece) -> Piece {
        let mut operand = self.next_piece();
        let in_parentheses = operand.is_some_and(|piece| piece.is(TokenKind::LParen));
        if in_parentheses {
            operand = self.next_piece();
        }
        let name = operand.and_then(|piece| piece.name());
        let closed = !in_parentheses || self.next_piece().is_some_and(|piece| piece.is(TokenKind::RParen));
        if name.is_none() || !closed {
            let report = error_at("P0009", operator, "`defined` needs the name of a macro");
            self.report(report.label("no name follows").help("write `defined(NAME)`"));
        }
        let value = name.is_some_and(|name| self.macro_named(name).is_some());
        let text = self.names.intern(if value { "1" } else { "0" });
        Piece { kind: PieceKind::Number(text), ..operator }
    }
}

/// Whether the condition of an `#if` holds, after its macros have been expanded.
fn evaluate(pieces: &[Piece], names: &Names) -> Result<bool, Problem> {
    let mut evaluator = Evaluator { names, values: Vec::new(), operators: Vec::new() };
    let mut wants_operand = true;
    for &piece in pieces {
        wants_operand = if wants_operand { evaluator.operand(piece)? } else { evaluator.operator(piece)? };
    }
    if wants_operand {
        let message = if pieces.is_empty() { "the condition is empty" } else { "the condition ends too early" };
        return Err(problem(pieces.last().copied(), message, "a value must follow"));
    }
    evaluator.finish()
}

/// What is wrong with a condition, and which piece of it.
struct Problem {
    piece: Option<Piece>,
    message: String,
    label: &'static str,
}

fn problem(piece: Option<Piece>, message: impl Into<String>, label: &'static str) -> Problem {
    Problem { piece, message: message.into(), label }
}

struct Evaluator<'a> {
    names: &'a Names,
    values: Vec<Value>,
    operators: Vec<Waiting>,
}

/// An operator that waits for its right operand.
#[derive(Copy, Clone)]
enum Waiting {
    Parenthesis(Piece),
    Unary(TokenKind),
    Binary(TokenKind, Piece),
    /// The `?` of a choice whose `:` has not come yet.
    Question(Piece),
    /// `?` and `:` together.
    Choice,
}

/// How tightly `?:` binds.
const CHOICE: u8 = 2;

impl Evaluator<'_> {
    /// Takes a piece where a value must begin; tells whether a value is still wanted after it.
    fn operand(&mut self, piece: Piece) -> Result<bool, Problem> {
        match piece.kind {
            PieceKind::Name(_) => self.values.push(Value::signed(0)),
            PieceKind::Number(text) => match c_integer(self.names.text(text)) {
                Some(value) => self.values.push(value),
                None => return Err(problem(Some(piece), "this is not a whole number of C", "not a whole number")),
            },
            PieceKind::Char(text) => match c_character(self.names.text(text)) {
                Some(value) => self.values.push(Value::signed(value)),
                None => return Err(problem(Some(piece), "this is not a single character", "not a character")),
            },
            PieceKind::Mark(TokenKind::LParen) => self.operators.push(Waiting::Parenthesis(piece)),
            PieceKind::Mark(TokenKind::BangBang) => {
                self.operators.extend([Waiting::Unary(TokenKind::Bang), Waiting::Unary(TokenKind::Bang)]);
            }
            PieceKind::Mark(mark @ (TokenKind::Bang | TokenKind::Tilde | TokenKind::Plus | TokenKind::Minus)) => {
                self.operators.push(Waiting::Unary(mark));
            }
            _ => {
                let message = format!("`{}` cannot stand here in a condition", shown(piece, self.names));
                return Err(problem(Some(piece), message, "a value must stand here"));
            }
        }
        Ok(!matches!(piece.kind, PieceKind::Name(_) | PieceKind::Number(_) | PieceKind::Char(_)))
    }

    /// Takes a piece after a value; tells whether a value must follow.
    fn operator(&mut self, piece: Piece) -> Result<bool, Problem> {
        match piece.kind {
            PieceKind::Mark(TokenKind::RParen) => {
                self.reduce(0);
                match self.operators.pop() {
                    Some(Waiting::Parenthesis(_)) => return Ok(false),
                    Some(Waiting::Question(question)) => return Err(lacks_colon(question)),
                    _ => return Err(problem(Some(piece), "this `)` closes nothing", "no `(` is open")),
                }
            }
            PieceKind::Mark(TokenKind::Question) => {
                self.reduce(CHOICE + 1);
                self.operators.push(Waiting::Question(piece));
            }
            PieceKind::Mark(TokenKind::Colon) => {
                self.reduce(0);
                match self.operators.last_mut() {
                    Some(last @ Waiting::Question(_)) => *last = Waiting::Choice,
                    _ => return Err(problem(Some(piece), "this `:` belongs to no `?`", "no `?` is open")),
                }
            }
            PieceKind::Mark(mark) if binding(mark).is_some() => {
                self.reduce(binding(mark).unwrap_or(0));
                self.operators.push(Waiting::Binary(mark, piece));
            }
            _ => {
                let message = format!("`{}` cannot follow a value in a condition", shown(piece, self.names));
                return Err(problem(Some(piece), message, "an operator must stand here"));
            }
        }
        Ok(true)
    }

    fn finish(mut self) -> Result<bool, Problem> {
        self.reduce(0);
        match self.operators.pop() {
            Some(Waiting::Parenthesis(open)) => Err(problem(Some(open), "this `(` is not closed", "opened here")),
            Some(Waiting::Question(question)) => Err(lacks_colon(question)),
            _ => match self.values.pop() {
                Some(Value { fault: Some(piece), .. }) => {
                    Err(problem(Some(piece), "the condition divides by zero", "the right side is 0"))
                }
                value => Ok(value.is_some_and(|value| value.bits != 0)),
            },
        }
    }

    /// Applies the waiting operators that bind at least as tightly as `least`.
    fn reduce(&mut self, least: u8) {
        while let Some(&waiting) = self.operators.last() {
            let tightness = match waiting {
                Waiting::Parenthesis(_) | Waiting::Question(_) => return,
                Waiting::Unary(_) => u8::MAX,
                Waiting::Binary(mark, _) => binding(mark).unwrap_or(0),
                Waiting::Choice => CHOICE,
            };
            if tightness < least {
                return;
            }
            self.operators.pop();
            self.apply(waiting);
        }
    }

    fn apply(&mut self, operator: Waiting) {
        let Some(last) = self.values.pop() else { return };
        let result = match operator {
            Waiting::Unary(mark) => last.unary(mark),
            Waiting::Binary(mark, piece) => match self.values.pop() {
                Some(left) => left.binary(mark, last, piece),
                None => last,
            },
            Waiting::Choice => match (self.values.pop(), self.values.pop()) {
                (Some(yes), Some(condition)) => condition.choose(yes, last),
                _ => last,
            },
            Waiting::Parenthesis(_) | Waiting::Question(_) => last,
        };
        self.values.push(result);
    }
}

fn lacks_colon(question: Piece) -> Problem {
    problem(Some(question), "this `?` lacks its `:`", "no `:` follows")
}

/// How tightly a binary operator binds; `None` if a condition does not have it.
fn binding(mark: TokenKind) -> Option<u8> {
    Some(match mark {
        TokenKind::Comma => 1,
        // 2 is `CHOICE`
        TokenKind::PipePipe => 3,
        TokenKind::AmpAmp => 4,
        TokenKind::Pipe => 5,
        TokenKind::Caret => 6,
        TokenKind::Amp => 7,
        TokenKind::EqEq | TokenKind::BangEq => 8,
        TokenKind::Lt | TokenKind::LtEq | TokenKind::Gt | TokenKind::GtEq => 9,
        TokenKind::Shl | TokenKind::Shr => 10,
        TokenKind::Plus | TokenKind::Minus => 11,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 12,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::preprocess::testing::read;

    #[test]
    fn conditions_are_expressions_of_c() {
        for (condition, holds) in [
            ("1 + 2 * 3 == 7", true),
            ("(1 + 2) * 3 == 9", true),
            ("-7 / 2 == -3 && -7 % 2 == -1", true),
            ("1 << 4 >> 2 == 4", true),
            ("-1 > 0u", true),
            ("-1 < 0", true),
            ("!0 && !!3 && ~0 == -1", true),
            ("1 ? 0 : 1", false),
            ("0 ? 1 : 0 ? 1 : 2", true),
            ("1 ? 2, 0 : 1", false),
            ("0x1F == 31 && 010 == 8 && 0b11 == 3 && 10uLL == 10", true),
            ("'a' == 97 && '\\n' == 10 && '\\0' == 0 && '\\101' == 65", true),
            ("6 & 3 | 8 ^ 1", true),
            ("true", false),
            ("0 && 1 / 0", false),
            ("1 || 1 % 0", true),
            ("1 ? 1 : 1 / 0", true),
            ("(0 && 1 / 0) == 0", true),
            ("9223372036854775807 + 1 < 0", true),
            ("(-9223372036854775807 - 1) / -1 != 0", true),
            ("1 << 200 || -1 >> 200 == -1", true),
            ("defined N && !defined(M) && defined ( N )", true),
            ("N == 5 && F(2) == 4 && M == 0", true),
            ("HAS", true),
        ] {
            let reading =
                read(&format!("#define N 5\n#define F(x) x * x\n#define HAS defined(N)\n#if {condition}\nyes\n#endif"));
            assert_eq!(
                (reading.words().as_str(), reading.codes()),
                (if holds { "yes" } else { "" }, vec![]),
                "{condition}"
            );
        }
    }

    #[test]
    fn a_condition_that_is_no_expression_is_an_error_and_does_not_hold() {
        for condition in [
            "",
            "1 +",
            "+",
            "1 2",
            "(1",
            "1)",
            "1 ? 2",
            "1 : 2",
            "(1 ? 2)",
            "1 / 0",
            "1 % 0",
            "\"s\"",
            "1.5",
            "0x",
            "1ux",
            "x = 1",
            "'ab'",
            "defined",
            "defined(",
            "defined(1)",
            "99999999999999999999",
            "1 -> 2",
            "--1",
            "@",
            "é",
        ] {
            let reading = read(&format!("#if {condition}\nyes\n#else\nno\n#endif"));
            assert!(reading.codes().contains(&"P0009"), "{condition}");
            assert!(["no", "yes"].contains(&reading.words().as_str()), "{condition}");
        }
    }

    #[test]
    fn an_error_in_a_condition_points_at_its_piece() {
        let reading = read("#define Z 0\n#if 1 + 4 / Z\n#endif");
        assert_eq!(reading.only("P0009").1, "/");
        assert_eq!(read("#if\n#endif").only("P0009").1, "#if");
    }
}
