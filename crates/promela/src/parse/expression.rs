//! Expressions, by precedence climbing with the precedences of SPIN's grammar, and temporal formulas,
//! which are expressions with more operators.

use super::{DEEPEST, Parsed, Parser};
use crate::ast::{Expr, ExprKind, PatternItem, Run, VarRef};
use crate::token::{TokenKind, kw};
use model::expr::{BinaryOp, ChannelTest, UnaryOp};
use model::formula::{Connective, Modality};
use model::source::Span;

/// A binary operator: of values, or temporal.
#[derive(Clone, Copy)]
enum Operator {
    Value(BinaryOp),
    /// `->`, `<->`, `U`, `V`, `W`
    Temporal(Connective),
}

/// How deep an expression tree may be, operators that associate included.
const DEEPEST_TREE: u32 = 4 * DEEPEST;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.binary(0)
    }

    pub(super) fn number_expr(&self, value: i32, span: Span) -> Expr {
        Expr { kind: ExprKind::Number(value), span, depth: 1 }
    }

    /// Builds an expression over operands, checking how deep it gets.
    fn node(&mut self, kind: ExprKind, span: Span, deepest: u32) -> Parsed<Expr> {
        if deepest >= DEEPEST_TREE {
            return Err(self.error("P0105", span, "this expression is too long", |d| {
                d.help("split it: assign a part of it to a variable, or use several conditions")
            }));
        }
        Ok(Expr { kind, span, depth: deepest + 1 })
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.deeper(|p| p.unary())?;
        while let Some((operator, precedence, tokens)) = self.operator() {
            if precedence < least {
                break;
            }
            for _ in 0..tokens {
                self.advance();
            }
            let right = self.deeper(|p| p.binary(precedence + 1))?;
            let span = left.span.to(right.span);
            let deepest = left.depth.max(right.depth);
            let kind = match operator {
                Operator::Value(op) => ExprKind::Binary(op, Box::new(left), Box::new(right)),
                Operator::Temporal(op) => ExprKind::Temporal2(op, Box::new(left), Box::new(right)),
            };
            left = self.node(kind, span, deepest)?;
        }
        Ok(left)
    }

    /// The operator that comes next, its precedence and how many tokens it has.
    fn operator(&mut self) -> Option<(Operator, u8, usize)> {
        if self.ltl
            && let Some(found) = self.temporal_operator()
        {
            return Some(found);
        }
        let (op, precedence) = match self.peek().kind {
            TokenKind::PipePipe => (BinaryOp::Or, 2),
            TokenKind::AmpAmp => (BinaryOp::And, 3),
            TokenKind::Pipe => (BinaryOp::BitOr, 7),
            TokenKind::Caret => (BinaryOp::BitXor, 8),
            TokenKind::Amp => (BinaryOp::BitAnd, 9),
            TokenKind::EqEq => (BinaryOp::Equal, 10),
            TokenKind::BangEq => (BinaryOp::NotEqual, 10),
            TokenKind::Gt => (BinaryOp::Greater, 11),
            TokenKind::Lt => (BinaryOp::Less, 11),
            TokenKind::GtEq => (BinaryOp::GreaterEqual, 11),
            TokenKind::LtEq => (BinaryOp::LessEqual, 11),
            TokenKind::Shl => (BinaryOp::ShiftLeft, 12),
            TokenKind::Shr => (BinaryOp::ShiftRight, 12),
            TokenKind::Plus => (BinaryOp::Add, 13),
            TokenKind::Minus => (BinaryOp::Sub, 13),
            TokenKind::Star => (BinaryOp::Mul, 14),
            TokenKind::Slash => (BinaryOp::Div, 14),
            TokenKind::Percent => (BinaryOp::Rem, 14),
            _ => return None,
        };
        Some((Operator::Value(op), precedence, 1))
    }

    fn temporal_operator(&mut self) -> Option<(Operator, u8, usize)> {
        let (first, second) = (self.peek(), self.peek_at(1));
        let adjacent = !second.space_before;
        let temporal = |op, precedence| (Operator::Temporal(op), precedence, 1);
        Some(match first.kind {
            TokenKind::Arrow | TokenKind::Name(kw::IMPLIES) => temporal(Connective::Implies, 1),
            TokenKind::Name(kw::EQUIVALENT) => temporal(Connective::Iff, 1),
            TokenKind::Lt if second.kind == TokenKind::Arrow && adjacent => (Operator::Temporal(Connective::Iff), 1, 2),
            TokenKind::Slash if second.kind == TokenKind::Backslash && adjacent => {
                (Operator::Value(BinaryOp::And), 3, 2)
            }
            TokenKind::Backslash if second.kind == TokenKind::Slash && adjacent => {
                (Operator::Value(BinaryOp::Or), 2, 2)
            }
            TokenKind::Name(kw::U | kw::UNTIL | kw::STRONGUNTIL) => temporal(Connective::Until, 5),
            TokenKind::Name(kw::W | kw::WEAKUNTIL) => temporal(Connective::WeakUntil, 5),
            TokenKind::Name(kw::V | kw::R | kw::RELEASE) => temporal(Connective::Release, 5),
            _ => return None,
        })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let op = match token.kind {
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Minus => UnaryOp::Negate,
            TokenKind::Tilde => UnaryOp::Complement,
            // Two negations in a row are one token to the lexer.
            TokenKind::BangBang => {
                self.advance();
                let inner = self.deeper(|p| p.unary())?;
                let (span, depth) = (token.span.to(inner.span), inner.depth);
                let once = self.node(ExprKind::Unary(UnaryOp::Not, Box::new(inner)), span, depth)?;
                let depth = once.depth;
                return self.node(ExprKind::Unary(UnaryOp::Not, Box::new(once)), span, depth);
            }
            TokenKind::MinusMinus => {
                self.advance();
                return self.deeper(|p| p.unary());
            }
            _ => {
                if self.ltl
                    && let Some((op, tokens)) = self.temporal_prefix()
                {
                    for _ in 0..tokens {
                        self.advance();
                    }
                    let inner = self.deeper(|p| p.unary())?;
                    let (span, depth) = (token.span.to(inner.span), inner.depth);
                    return self.node(ExprKind::Temporal(op, Box::new(inner)), span, depth);
                }
                return self.primary();
            }
        };
        self.advance();
        let inner = self.deeper(|p| p.unary())?;
        let (span, depth) = (token.span.to(inner.span), inner.depth);
        if let (UnaryOp::Negate, ExprKind::Number(value)) = (op, &inner.kind) {
            return Ok(self.number_expr(value.wrapping_neg(), span));
        }
        self.node(ExprKind::Unary(op, Box::new(inner)), span, depth)
    }

    /// `[]`, `<>`, `X` and their names, and the `G` and `F` of the literature where they cannot be variables: which
    /// operator, and how many tokens.
    fn temporal_prefix(&mut self) -> Option<(Modality, usize)> {
        let (first, second) = (self.peek(), self.peek_at(1));
        match first.kind {
            TokenKind::LBracket if second.kind == TokenKind::RBracket => Some((Modality::Always, 2)),
            TokenKind::Lt if second.kind == TokenKind::Gt => Some((Modality::Eventually, 2)),
            TokenKind::Name(kw::ALWAYS) => Some((Modality::Always, 1)),
            TokenKind::Name(kw::EVENTUALLY) => Some((Modality::Eventually, 1)),
            TokenKind::Name(kw::NEXT | kw::X) => Some((Modality::Next, 1)),
            TokenKind::Name(kw::G) if self.starts_operand() => Some((Modality::Always, 1)),
            TokenKind::Name(kw::F) if self.starts_operand() => Some((Modality::Eventually, 1)),
            _ => None,
        }
    }

    /// After a name that could be an operator: whether an operand follows.
    fn starts_operand(&mut self) -> bool {
        let (second, third) = (self.peek_at(1), self.peek_at(2));
        match second.kind {
            TokenKind::LParen | TokenKind::Bang | TokenKind::BangBang | TokenKind::Number(_) => true,
            TokenKind::LBracket => third.kind == TokenKind::RBracket,
            TokenKind::Lt => third.kind == TokenKind::Gt && !third.space_before,
            TokenKind::Name(word) => {
                !matches!(
                    word,
                    kw::U | kw::V | kw::W | kw::R | kw::UNTIL | kw::STRONGUNTIL | kw::WEAKUNTIL | kw::RELEASE
                ) && !matches!(word, kw::IMPLIES | kw::EQUIVALENT)
            }
            _ => false,
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let leaf = |kind| Ok(Expr { kind, span: token.span, depth: 1 });
        match token.kind {
            TokenKind::Number(value) => {
                self.advance();
                leaf(ExprKind::Number(value))
            }
            TokenKind::LParen => self.parenthesised(),
            TokenKind::Name(word) => match word {
                kw::TRUE | kw::SKIP => {
                    self.advance();
                    leaf(ExprKind::Number(1))
                }
                kw::FALSE => {
                    self.advance();
                    leaf(ExprKind::Number(0))
                }
                kw::TIMEOUT => {
                    self.advance();
                    leaf(ExprKind::Timeout)
                }
                kw::NP => {
                    self.advance();
                    leaf(ExprKind::NonProgress)
                }
                kw::RUN => self.run(),
                kw::LEN | kw::FULL | kw::EMPTY | kw::NFULL | kw::NEMPTY => self.channel_test(),
                kw::ENABLED | kw::PC_VALUE | kw::GET_PRIORITY => self.process_function(),
                kw::C_EXPR | kw::C_CODE => Err(self.embedded_c()),
                kw::EVAL => Err(self.error("P0106", token.span, "`eval` is for the fields of a receive only", |d| {
                    d.help("elsewhere the expression itself does")
                })),
                _ if self.proctypes.contains(&word) && self.is_remote_reference() => self.remote_reference(),
                _ if word < kw::UNDERSCORE && word != kw::IN => Err(self.expected("an expression")),
                _ => self.reference(),
            },
            _ => Err(self.expected("an expression")),
        }
    }

    /// `( e )` or `( c -> a : b )`
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let open = self.peek().span;
        self.advance();
        let first = self.deeper(|p| p.expr())?;
        if !self.ltl && self.eat(TokenKind::Arrow) {
            let yes = self.deeper(|p| p.expr())?;
            self.expect(TokenKind::Colon, "between the two values of a conditional expression")?;
            let no = self.deeper(|p| p.expr())?;
            self.close(TokenKind::RParen, open, "this conditional expression")?;
            let span = open.to(self.last);
            let deepest = first.depth.max(yes.depth).max(no.depth);
            return self.node(ExprKind::Conditional(Box::new(first), Box::new(yes), Box::new(no)), span, deepest);
        }
        self.close(TokenKind::RParen, open, "this parenthesis")?;
        Ok(Expr { span: open.to(self.last), ..first })
    }

    fn run(&mut self) -> Parsed<Expr> {
        self.advance();
        let start = self.last;
        let process = self.name("the name of a process type after `run`")?;
        let open = self.peek().span;
        self.expect(TokenKind::LParen, "after the name of the process type")?;
        let arguments = self.arguments(TokenKind::RParen)?;
        self.close(TokenKind::RParen, open, "this list of arguments")?;
        let priority = self.priority()?;
        let span = start.to(self.last);
        let deepest = arguments.iter().map(|e| e.depth).max().unwrap_or(0);
        self.node(ExprKind::Run(Box::new(Run { process, arguments, priority })), span, deepest)
    }

    /// Expressions with commas between them, up to a closing token that is not consumed.
    pub(super) fn arguments(&mut self, close: TokenKind) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        while self.peek().kind != close {
            arguments.push(self.deeper(|p| p.expr())?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(arguments)
    }

    fn channel_test(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let test = match token.kind {
            TokenKind::Name(kw::LEN) => ChannelTest::Len,
            TokenKind::Name(kw::FULL) => ChannelTest::Full,
            TokenKind::Name(kw::EMPTY) => ChannelTest::Empty,
            TokenKind::Name(kw::NFULL) => ChannelTest::NotFull,
            _ => ChannelTest::NotEmpty,
        };
        self.advance();
        self.expect(TokenKind::LParen, "before the channel")?;
        let channel = self.var_ref()?;
        self.close(TokenKind::RParen, token.span, "this test of a channel")?;
        let kind = ExprKind::Channel(test, Box::new(channel));
        Ok(Expr { kind, span: token.span.to(self.last), depth: 1 })
    }

    fn process_function(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        self.advance();
        self.expect(TokenKind::LParen, "before the process number")?;
        let pid = Box::new(self.deeper(|p| p.expr())?);
        self.close(TokenKind::RParen, token.span, "this call")?;
        let depth = pid.depth;
        let kind = match token.kind {
            TokenKind::Name(kw::ENABLED) => ExprKind::Enabled(pid),
            TokenKind::Name(kw::PC_VALUE) => ExprKind::PcValue(pid),
            _ => ExprKind::GetPriority(pid),
        };
        self.node(kind, token.span.to(self.last), depth)
    }

    /// `P@l`, `P:x`, `P[..]@l`, `P[..]:x`, where `P` is a process type
    fn is_remote_reference(&mut self) -> bool {
        matches!(self.peek_at(1).kind, TokenKind::At | TokenKind::Colon | TokenKind::LBracket)
    }

    fn remote_reference(&mut self) -> Parsed<Expr> {
        let process = self.name("a process type")?;
        let mut pid = None;
        if self.eat(TokenKind::LBracket) {
            pid = Some(Box::new(self.deeper(|p| p.expr())?));
            self.expect(TokenKind::RBracket, "after the process number")?;
        }
        let depth = pid.as_ref().map_or(0, |e| e.depth);
        let kind = if self.eat(TokenKind::At) {
            let label = self.name("a label")?;
            ExprKind::RemoteLabel { process, pid, label }
        } else if self.eat(TokenKind::Colon) {
            let variable = Box::new(self.var_ref()?);
            ExprKind::RemoteVariable { process, pid, variable }
        } else {
            return Err(self.expected("`@` and a label, or `:` and a variable"));
        };
        self.node(kind, process.1.to(self.last), depth)
    }

    /// A variable, or a poll of a channel.
    fn reference(&mut self) -> Parsed<Expr> {
        let reference = self.var_ref()?;
        let span = reference.full_span();
        if self.at_poll() {
            let anywhere = self.peek().kind == TokenKind::QuestionQuestion;
            self.advance();
            let open = self.peek().span;
            self.advance();
            let pattern = self.pattern(TokenKind::RBracket)?;
            self.close(TokenKind::RBracket, open, "this poll")?;
            let kind = ExprKind::Poll { channel: Box::new(reference), pattern, anywhere };
            return Ok(Expr { kind, span: span.to(self.last), depth: 1 });
        }
        if self.ltl && matches!(self.peek().kind, TokenKind::Bang | TokenKind::Question) {
            return self.event(reference);
        }
        Ok(Expr { kind: ExprKind::Name(Box::new(reference)), span, depth: 1 })
    }

    /// `ch!msg`, `ch?msg(1,_)`: something that happens.
    fn event(&mut self, channel: VarRef) -> Parsed<Expr> {
        let sent = self.peek().kind == TokenKind::Bang;
        let span = channel.full_span();
        self.advance();
        let mut fields = vec![self.pattern_item()?];
        let open = self.peek();
        if self.eat(TokenKind::LParen) {
            self.deeper(|p| p.pattern_items(&mut fields, TokenKind::RParen))?;
            self.close(TokenKind::RParen, open.span, "this list of fields")?;
        }
        let kind = ExprKind::Event { channel: Box::new(channel), sent, fields };
        Ok(Expr { kind, span: span.to(self.last), depth: 1 })
    }

    pub(super) fn at_poll(&mut self) -> bool {
        matches!(self.peek().kind, TokenKind::Question | TokenKind::QuestionQuestion)
            && self.peek_at(1).kind == TokenKind::LBracket
    }

    /// `name`, `name[e]`, `name.field`, and so on
    pub(super) fn var_ref(&mut self) -> Parsed<VarRef> {
        let token = self.peek();
        let (name, span) = match token.kind {
            TokenKind::Name(
                name @ (kw::UNDERSCORE | kw::UNDER_PID | kw::UNDER_LAST | kw::UNDER_NR_PR | kw::UNDER_PRIORITY),
            ) => {
                self.advance();
                (name, token.span)
            }
            TokenKind::Name(_) => self.name("a variable")?,
            _ => return Err(self.expected("a variable")),
        };
        let mut reference = VarRef { name, span, index: None, field: None, end: span };
        if self.peek().kind == TokenKind::LBracket && !(self.ltl && self.peek_at(1).kind == TokenKind::RBracket) {
            let open = self.peek().span;
            self.advance();
            reference.index = Some(Box::new(self.deeper(|p| p.expr())?));
            self.close(TokenKind::RBracket, open, "this index")?;
        }
        if self.eat(TokenKind::Dot) {
            reference.field = Some(Box::new(self.deeper(|p| p.var_ref())?));
        }
        if reference.index.is_some() || reference.field.is_some() {
            reference.end = self.last;
        }
        Ok(reference)
    }

    /// The fields of a receive: `a, b`, `a(b)`, `(a, b)`, with `eval(e)`.
    pub(super) fn pattern(&mut self, close: TokenKind) -> Parsed<Vec<PatternItem>> {
        let mut items = Vec::new();
        self.pattern_items(&mut items, close)?;
        Ok(items)
    }

    fn pattern_items(&mut self, items: &mut Vec<PatternItem>, close: TokenKind) -> Parsed<()> {
        if self.peek().kind == TokenKind::LParen {
            let open = self.peek().span;
            self.advance();
            self.deeper(|p| p.pattern_items(items, TokenKind::RParen))?;
            return self.close(TokenKind::RParen, open, "this list of fields");
        }
        loop {
            items.push(self.pattern_item()?);
            let next = self.peek();
            if next.kind == TokenKind::LParen && !(next.newline_before && close == TokenKind::Semi) {
                self.advance();
                self.deeper(|p| p.pattern_items(items, TokenKind::RParen))?;
                return self.close(TokenKind::RParen, next.span, "this list of fields");
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    fn pattern_item(&mut self) -> Parsed<PatternItem> {
        let token = self.peek();
        match token.kind {
            TokenKind::Number(value) => {
                self.advance();
                Ok(PatternItem::Number(value))
            }
            TokenKind::Minus => {
                self.advance();
                match self.peek().kind {
                    TokenKind::Number(value) => {
                        self.advance();
                        Ok(PatternItem::Number(value.wrapping_neg()))
                    }
                    _ => Err(self.expected("a number after `-`")),
                }
            }
            TokenKind::Name(kw::TRUE | kw::SKIP) => {
                self.advance();
                Ok(PatternItem::Number(1))
            }
            TokenKind::Name(kw::FALSE) => {
                self.advance();
                Ok(PatternItem::Number(0))
            }
            TokenKind::Name(kw::EVAL) => {
                self.advance();
                let open = self.peek().span;
                self.expect(TokenKind::LParen, "after `eval`")?;
                let e = self.deeper(|p| p.expr())?;
                self.close(TokenKind::RParen, open, "this `eval`")?;
                Ok(PatternItem::Eval(e))
            }
            TokenKind::Name(_) => Ok(PatternItem::Reference(self.var_ref()?)),
            _ => Err(self.expected("a variable, a constant or `eval(..)` as a field of the message")),
        }
    }
}
