//! Statements and sequences of them; the expansion of inline calls.

use super::{DEEPEST_INLINE, Failed, MOST_ERRORS, Parsed, Parser, Start, Stream};
use crate::ast::{Expr, ExprKind, Sequence, Stmt, StmtKind, VarRef};
use crate::token::{Name, Token, TokenKind, kw};
use model::expr::BinaryOp;
use model::reason::Reason;
use model::source::Span;

impl Parser<'_> {
    /// Statements up to something that ends a sequence: `}`, `::`, `fi`, `od`.
    pub(super) fn sequence(&mut self) -> Parsed<Sequence> {
        let mut statements = Vec::new();
        loop {
            while matches!(self.peek().kind, TokenKind::Semi | TokenKind::Arrow) {
                self.advance();
            }
            if self.ends_sequence() {
                return Ok(statements);
            }
            if self.peek().kind == TokenKind::Eof {
                return Ok(statements);
            }
            self.check_time()?;
            let (before, level) = (self.position(), self.streams.len());
            match self.deeper(|p| p.step()) {
                Ok(statement) => {
                    statements.push(statement);
                    self.separator()?;
                }
                Err(Failed) => self.recover(before, level)?,
            }
        }
    }

    /// Reading a model counts as time, too.
    fn check_time(&mut self) -> Parsed<()> {
        self.statements += 1;
        if !self.statements.is_multiple_of(1 << 12) {
            return Ok(());
        }
        let (message, help) = match self.limits.budget.in_time() {
            Ok(()) => return Ok(()),
            Err(Reason::Interrupted) => ("interrupted while the model was read", "start it again"),
            Err(_) => {
                ("the time limit was reached while the model was read", "raise --timeout, or make the model smaller")
            }
        };
        let span = self.peek().span;
        let failed = self.error("P0116", span, message, |d| d.help(help));
        self.skip_all();
        Err(failed)
    }

    /// Nothing more is to be read, at any level.
    fn skip_all(&mut self) {
        self.streams.truncate(1);
        while self.peek().kind != TokenKind::Eof {
            self.advance();
        }
    }

    fn ends_sequence(&mut self) -> bool {
        matches!(self.peek().kind, TokenKind::RBrace | TokenKind::ColonColon | TokenKind::Name(kw::FI | kw::OD))
    }

    /// Between two statements stands `;` or `->`, or a line ends, or the first ends with a brace.
    fn separator(&mut self) -> Parsed<()> {
        let next = self.peek();
        let optional = next.newline_before
            || matches!(self.last_kind, TokenKind::RBrace | TokenKind::Name(kw::ELSE))
            || matches!(next.kind, TokenKind::Semi | TokenKind::Arrow | TokenKind::Eof)
            || self.ends_sequence();
        if optional {
            return Ok(());
        }
        if let (TokenKind::Name(name), TokenKind::LParen) = (self.last_kind, next.kind) {
            let text = self.names.text(name).to_owned();
            let place = self.last;
            let is_process = self.proctypes.contains(&name);
            return Err(self.error("P0117", place, format!("`{text}` is not an inline that can be called here"), |d| {
                d.label("called like one").help(if is_process {
                    format!("a process is created with `run {text}(..)`")
                } else {
                    format!("define `inline {text}(..) {{ .. }}` before it is used; Promela has `if` and `do`, no `while`")
                })
            }));
        }
        let found = next.kind.describe(self.names);
        Err(self.error("P0108", next.span, format!("expected `;` between two statements, found {found}"), |d| {
            d.label("a new statement seems to start here").help("put `;` or `->` before it")
        }))
    }

    /// After an error in a statement: on to the next separator, or the end of the sequence.
    fn recover(&mut self, before: (usize, usize), level: usize) -> Parsed<()> {
        if self.errors() >= MOST_ERRORS || self.streams.len() > level {
            return Err(Failed);
        }
        if self.position() == before {
            self.advance();
        }
        let mut nesting = 0usize;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Eof => return Err(Failed),
                TokenKind::Semi | TokenKind::Arrow if nesting == 0 => return Ok(()),
                TokenKind::LBrace | TokenKind::Name(kw::IF | kw::DO) => nesting += 1,
                TokenKind::RBrace | TokenKind::Name(kw::FI | kw::OD) if nesting > 0 => nesting -= 1,
                _ if nesting == 0 && self.ends_sequence() => return Ok(()),
                TokenKind::Name(kw::PROCTYPE | kw::ACTIVE | kw::INIT) if token.newline_before => return Err(Failed),
                _ => {}
            }
            self.advance();
        }
    }

    /// A declaration, or a statement with its `unless`.
    fn step(&mut self) -> Parsed<Stmt> {
        let start = self.start();
        if let TokenKind::Name(kw::XR | kw::XS) = self.peek().kind {
            self.advance();
            let mut channels = vec![self.var_ref()?];
            while self.eat(TokenKind::Comma) {
                channels.push(self.var_ref()?);
            }
            return Ok(self.done(start, StmtKind::ChannelClaim(channels)));
        }
        if self.at_declaration() && !self.at_label() {
            let declaration = self.declaration()?;
            return Ok(self.done(start, StmtKind::Declaration(declaration)));
        }
        let statement = self.statement()?;
        self.with_unless(start, statement)
    }

    fn with_unless(&mut self, start: Start, statement: Stmt) -> Parsed<Stmt> {
        // `{ .. } ; unless` is not an unless, but a newline may stand before the word.
        if !self.eat_word(kw::UNLESS) {
            return Ok(statement);
        }
        let escape = self.deeper(|p| p.statement())?;
        Ok(self.done(start, StmtKind::Unless(Box::new(statement), Box::new(escape))))
    }

    fn done(&mut self, start: Start, kind: StmtKind) -> Stmt {
        let span = start.span.to(self.last_place);
        let inside = |part: &Span| part.file == span.file && span.start <= part.start && part.end <= span.end;
        if !self.expanded_tokens[start.expanded_tokens..].iter().all(inside) {
            self.from_expansions.insert(span);
        }
        Stmt { kind, span }
    }

    fn at_label(&mut self) -> bool {
        matches!(self.peek().kind, TokenKind::Name(name) if !kw::is_reserved(name) && !self.declared.contains(&name))
            && self.peek_at(1).kind == TokenKind::Colon
    }

    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        let token = self.peek();
        let start = self.start();
        if self.at_label() {
            return self.labelled();
        }
        let TokenKind::Name(word) = token.kind else {
            if token.kind == TokenKind::LBrace {
                let body = self.block("this block")?;
                return Ok(self.done(start, StmtKind::Block(body)));
            }
            let condition = self.expr()?;
            return Ok(self.done(start, StmtKind::Condition(condition)));
        };
        let kind = match word {
            kw::IF => StmtKind::If(self.options(kw::FI, "this `if`")?),
            kw::DO => StmtKind::Do(self.options(kw::OD, "this `do`")?),
            kw::FOR => self.for_loop()?,
            kw::SELECT => self.select()?,
            kw::BREAK => {
                self.advance();
                StmtKind::Break
            }
            kw::GOTO => {
                self.advance();
                let (label, span) = self.name("a label after `goto`")?;
                StmtKind::Goto(label, span)
            }
            kw::ELSE => {
                self.advance();
                StmtKind::Else
            }
            kw::ATOMIC => {
                self.advance();
                StmtKind::Atomic(self.block("this `atomic`")?)
            }
            kw::D_STEP => {
                self.advance();
                StmtKind::DStep(self.block("this `d_step`")?)
            }
            kw::ASSERT => {
                self.advance();
                StmtKind::Assert(self.expr()?)
            }
            kw::PRINTF => self.printf()?,
            kw::PRINTM => self.printm()?,
            kw::SET_PRIORITY => self.set_priority()?,
            kw::RETURN => self.return_value()?,
            kw::C_CODE | kw::C_DECL | kw::C_EXPR => return Err(self.embedded_c()),
            _ if self.inlines.contains_key(&word) && self.peek_at(1).kind == TokenKind::LParen => {
                return self.inline_call(None);
            }
            _ => return self.simple(),
        };
        Ok(self.done(start, kind))
    }

    /// `label: statement`; a label at the end of a sequence labels a `skip`.
    fn labelled(&mut self) -> Parsed<Stmt> {
        let start = self.start();
        let label = self.name("a label")?;
        self.advance();
        if self.at_declaration() && !self.at_label() {
            let span = self.peek().span;
            return Err(self.error("P0109", span, "a label cannot stand before a declaration", |d| {
                d.help("put the label before the next statement")
            }));
        }
        let inner = if self.ends_sequence() || matches!(self.peek().kind, TokenKind::Semi | TokenKind::Arrow) {
            let skip = self.number_expr(1, label.1);
            Stmt { kind: StmtKind::Condition(skip), span: label.1 }
        } else {
            self.deeper(|p| p.statement())?
        };
        Ok(self.done(start, StmtKind::Labelled(label, Box::new(inner))))
    }

    /// `{ .. }`
    fn block(&mut self, what: &str) -> Parsed<Sequence> {
        let open = self.peek().span;
        self.expect(TokenKind::LBrace, "before the statements")?;
        let errors = self.errors();
        let body = self.sequence()?;
        self.close(TokenKind::RBrace, open, what)?;
        if body.is_empty() && self.errors() == errors {
            return Err(self.error("P0111", self.last, format!("{what} must have at least one statement"), |d| {
                d.help("write `skip` if nothing is to be done")
            }));
        }
        Ok(body)
    }

    /// The options of `if` or `do`, up to `fi` or `od`.
    fn options(&mut self, close: Name, what: &str) -> Parsed<Vec<Sequence>> {
        let open = self.peek().span;
        self.advance();
        let mut options = Vec::new();
        if self.peek().kind != TokenKind::ColonColon {
            return Err(self.expected("`::` and the first option"));
        }
        while self.eat(TokenKind::ColonColon) {
            let separator = self.last;
            let errors = self.errors();
            let option = self.sequence()?;
            if option.is_empty() && self.errors() == errors {
                return Err(self.error("P0111", separator, "an option must have at least one statement", |d| {
                    d.label("nothing follows this `::`").help("write `skip` if nothing is to be done")
                }));
            }
            options.push(option);
        }
        self.close(TokenKind::Name(close), open, what)?;
        Ok(options)
    }

    /// `for (x : a .. b) { .. }` or `for (x in a) { .. }`
    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let open = self.peek().span;
        self.expect(TokenKind::LParen, "after `for`")?;
        let variable = self.var_ref()?;
        if self.eat_word(kw::IN) {
            let container = self.var_ref()?;
            self.close(TokenKind::RParen, open, "the head of this `for`")?;
            self.eat(TokenKind::Semi);
            let body = self.block("this `for`")?;
            return Ok(StmtKind::ForIn { variable, container, body });
        }
        self.expect(TokenKind::Colon, "or `in` after the variable of `for`")?;
        let from = self.expr()?;
        self.expect(TokenKind::DotDot, "between the bounds of `for`")?;
        let to = self.expr()?;
        self.close(TokenKind::RParen, open, "the head of this `for`")?;
        self.eat(TokenKind::Semi);
        let body = self.block("this `for`")?;
        Ok(StmtKind::For { variable, from, to, body })
    }

    fn select(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let literal = self.is_literal_select();
        let open = self.peek().span;
        self.expect(TokenKind::LParen, "after `select`")?;
        let variable = self.var_ref()?;
        self.expect(TokenKind::Colon, "after the variable of `select`")?;
        let from = self.expr()?;
        self.expect(TokenKind::DotDot, "between the bounds of `select`")?;
        let to = self.expr()?;
        self.close(TokenKind::RParen, open, "this `select`")?;
        Ok(StmtKind::Select { variable, from, to, literal })
    }

    /// `(name : number .. number)` on one line and not in an inline: SPIN's lexer knows this form.
    fn is_literal_select(&mut self) -> bool {
        let tokens = [0, 1, 2, 3, 4, 5, 6].map(|ahead| self.peek_at(ahead));
        let form = matches!(
            tokens.map(|t| t.kind),
            [
                TokenKind::LParen,
                TokenKind::Name(_),
                TokenKind::Colon,
                TokenKind::Number(_),
                TokenKind::DotDot,
                TokenKind::Number(_),
                TokenKind::RParen
            ]
        );
        form && tokens.iter().all(|t| !t.newline_before) && self.streams.iter().all(|s| s.inline.is_none())
    }

    fn printf(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let open = self.peek().span;
        self.expect(TokenKind::LParen, "after `printf`")?;
        let TokenKind::Str(text) = self.peek().kind else { return Err(self.expected("a format in quotes")) };
        self.advance();
        let format = self.names.text(text).to_owned();
        let mut arguments = Vec::new();
        while let TokenKind::Str(_) = self.peek().kind {
            self.advance();
        }
        if self.eat(TokenKind::Comma) {
            arguments = self.arguments(TokenKind::RParen)?;
        }
        self.close(TokenKind::RParen, open, "this `printf`")?;
        Ok(StmtKind::Print { format, arguments })
    }

    fn printm(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let open = self.peek().span;
        self.expect(TokenKind::LParen, "after `printm`")?;
        let argument = self.expr()?;
        self.close(TokenKind::RParen, open, "this `printm`")?;
        Ok(StmtKind::Print { format: String::from("%e"), arguments: vec![argument] })
    }

    fn set_priority(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let open = self.peek().span;
        self.expect(TokenKind::LParen, "after `set_priority`")?;
        let process = self.expr()?;
        self.expect(TokenKind::Comma, "between the process number and its priority")?;
        let priority = self.expr()?;
        self.close(TokenKind::RParen, open, "this `set_priority`")?;
        Ok(StmtKind::SetPriority(process, priority))
    }

    /// `return e` in an inline that was called as `x = f(..)` assigns to `x`.
    fn return_value(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let span = self.last;
        let value = self.expr()?;
        match self.return_targets.last() {
            Some(Some(target)) => Ok(StmtKind::Assign(target.clone(), value)),
            _ => Err(self.error("P0110", span, "`return` outside an inline that is called for a value", |d| {
                d.help("call the inline as `x = name(..)`")
            })),
        }
    }

    /// A statement that starts with a variable or an expression.
    fn simple(&mut self) -> Parsed<Stmt> {
        let start = self.start();
        if !self.starts_with_reference() {
            let condition = self.expr()?;
            return Ok(self.done(start, StmtKind::Condition(condition)));
        }
        let reference = self.var_ref()?;
        let kind = match self.peek().kind {
            TokenKind::Assign => {
                self.advance();
                if let TokenKind::Name(name) = self.peek().kind
                    && self.inlines.contains_key(&name)
                    && self.peek_at(1).kind == TokenKind::LParen
                {
                    return self.inline_call(Some(reference));
                }
                StmtKind::Assign(reference, self.expr()?)
            }
            TokenKind::PlusPlus => self.increment(reference, BinaryOp::Add),
            TokenKind::MinusMinus => self.increment(reference, BinaryOp::Sub),
            TokenKind::Bang => self.send(reference, false)?,
            TokenKind::BangBang => self.send(reference, true)?,
            _ => self.receive(reference)?,
        };
        Ok(self.done(start, kind))
    }

    /// Looks over `name[..].name` to see whether an assignment, a send or a receive follows.
    fn starts_with_reference(&mut self) -> bool {
        let mut ahead = 0;
        loop {
            match self.peek_at(ahead).kind {
                TokenKind::Name(name) if !kw::is_reserved(name) || name == kw::IN || name >= kw::UNDERSCORE => {
                    ahead += 1
                }
                _ => return false,
            }
            if self.peek_at(ahead).kind == TokenKind::LBracket {
                let mut level = 0usize;
                loop {
                    match self.peek_at(ahead).kind {
                        TokenKind::LBracket => level += 1,
                        TokenKind::RBracket => level -= 1,
                        TokenKind::Eof => return false,
                        _ => {}
                    }
                    ahead += 1;
                    if level == 0 {
                        break;
                    }
                }
            }
            match self.peek_at(ahead).kind {
                TokenKind::Dot => ahead += 1,
                TokenKind::Question | TokenKind::QuestionQuestion => {
                    return self.peek_at(ahead + 1).kind != TokenKind::LBracket;
                }
                TokenKind::Assign
                | TokenKind::PlusPlus
                | TokenKind::MinusMinus
                | TokenKind::Bang
                | TokenKind::BangBang => return true,
                _ => return false,
            }
        }
    }

    fn increment(&mut self, reference: VarRef, op: BinaryOp) -> StmtKind {
        self.advance();
        let span = reference.full_span();
        let variable = Expr { kind: ExprKind::Name(Box::new(reference.clone())), span, depth: 1 };
        let one = self.number_expr(1, self.last);
        let kind = ExprKind::Binary(op, Box::new(variable), Box::new(one));
        StmtKind::Assign(reference, Expr { kind, span: span.to(self.last), depth: 2 })
    }

    /// `c!a,b`, `c!a(b)`
    fn send(&mut self, channel: VarRef, sorted: bool) -> Parsed<StmtKind> {
        self.advance();
        let mut message = vec![self.expr()?];
        let next = self.peek();
        if next.kind == TokenKind::LParen && !next.newline_before {
            self.advance();
            message.extend(self.arguments(TokenKind::RParen)?);
            self.close(TokenKind::RParen, next.span, "this list of fields")?;
        }
        while self.eat(TokenKind::Comma) {
            message.push(self.expr()?);
        }
        Ok(StmtKind::Send { channel, message, sorted })
    }

    /// `c?a,b`, `c??a(b)`, `c?<a>`
    fn receive(&mut self, channel: VarRef) -> Parsed<StmtKind> {
        let anywhere = self.peek().kind == TokenKind::QuestionQuestion;
        self.advance();
        let open = self.peek();
        let keep = self.eat(TokenKind::Lt);
        let pattern = self.pattern(TokenKind::Semi)?;
        if keep {
            self.close(TokenKind::Gt, open.span, "this receive")?;
        }
        Ok(StmtKind::Receive { channel, pattern, anywhere, keep })
    }

    /// The call of an inline: its body with the arguments in place, as a block.
    fn inline_call(&mut self, target: Option<VarRef>) -> Parsed<Stmt> {
        let token = self.peek();
        let TokenKind::Name(name) = token.kind else { return Err(self.expected("an inline")) };
        let call = self.start();
        self.advance();
        let Some(inline) = self.inlines.get(&name).cloned() else { return Err(self.expected("an inline")) };
        let arguments = self.inline_arguments(token.span)?;
        let text = self.names.text(name).to_owned();
        if arguments.len() != inline.parameters.len() {
            let (given, wanted) = (arguments.len(), inline.parameters.len());
            let message = format!("inline `{text}` takes {wanted} arguments, but {given} are given");
            return Err(self.error("P0113", token.span, message, |d| d.also(inline.span, "defined here")));
        }
        let depth = self.streams.iter().filter(|s| s.inline.is_some()).count();
        if depth >= DEEPEST_INLINE {
            return Err(self.error("P0114", token.span, format!("inline `{text}` calls itself without end"), |d| {
                d.also(inline.span, "defined here").help("an inline is copied into its caller, so it cannot recurse")
            }));
        }
        self.expanded += inline.body.len() + arguments.iter().map(Vec::len).sum::<usize>();
        if self.expanded > self.limits.max_tokens {
            self.skip_all();
            return Err(self.error("P0115", token.span, "the inlines of this model expand to too many tokens", |d| d));
        }
        if let (Some(first), Some(last)) = (inline.body.first(), inline.body.last()) {
            self.calls.push((token.span, first.span.to(last.span)));
        }
        let (body, places) = substitute(&inline.body, &inline.parameters, &arguments);
        let places = (!inline.parameters.is_empty()).then(|| places.into());
        self.expanded += body.len();
        let level = self.streams.len();
        self.streams.push(Stream { tokens: body.into(), places, next: 0, inline: Some(name) });
        self.return_targets.push(target);
        let result = self.block(&format!("the inline `{text}`"));
        self.return_targets.pop();
        let closing = self.last_kind;
        self.streams.truncate(level);
        let body = result?;
        (self.last, self.last_kind) = (token.span, closing);
        self.last_place = call.span;
        Ok(Stmt { kind: StmtKind::Inline(body), span: token.span })
    }

    /// The arguments of an inline call, as tokens.
    fn inline_arguments(&mut self, call: Span) -> Parsed<Vec<Vec<Token>>> {
        self.expect(TokenKind::LParen, "after the name of an inline")?;
        let mut arguments: Vec<Vec<Token>> = vec![Vec::new()];
        let mut level = 1usize;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::LParen | TokenKind::LBracket => level += 1,
                TokenKind::RParen | TokenKind::RBracket => level -= 1,
                TokenKind::Eof => return Err(self.never_closed(TokenKind::RParen, call, "this call")),
                _ => {}
            }
            self.advance();
            if level == 0 {
                break;
            }
            if token.kind == TokenKind::Comma && level == 1 {
                arguments.push(Vec::new());
            } else if let Some(argument) = arguments.last_mut() {
                argument.push(token);
            }
        }
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        Ok(arguments)
    }
}

/// The body of an inline with its parameters replaced, and where each token stands in the body.
fn substitute(body: &[Token], parameters: &[Name], arguments: &[Vec<Token>]) -> (Vec<Token>, Vec<Span>) {
    let (mut result, mut places) = (Vec::with_capacity(body.len()), Vec::with_capacity(body.len()));
    for token in body {
        let parameter = match token.kind {
            TokenKind::Name(name) => parameters.iter().position(|&p| p == name),
            _ => None,
        };
        match parameter {
            Some(index) => {
                let first = result.len();
                result.extend_from_slice(&arguments[index]);
                if let Some(start) = result.get_mut(first) {
                    start.newline_before = token.newline_before;
                }
                for inner in result.iter_mut().skip(first + 1) {
                    inner.newline_before = false;
                }
            }
            None => result.push(*token),
        }
        places.resize(result.len(), token.span);
    }
    (result, places)
}
