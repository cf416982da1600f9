//! Tokens → syntax tree: a recursive-descent parser for the grammar of SPIN 6.
//!
//! The parser reads tokens from a stack of streams, so that the call of an `inline` is expanded where
//! it stands: the body, with its parameters replaced token by token, becomes a stream of its own.
//! After an error it skips to the next separator and goes on, so that one run reports several errors.
//! Nesting is limited, so that no input can exhaust the stack.
//!
//! Where SPIN wants a separator between statements, so do we; like SPIN we take the end of a line, or
//! a closing brace, for one.

mod declaration;
mod expression;
mod statement;

use crate::ast::{Claim, Ltl, Proctype, Program, Sequence, Unit};
use crate::preprocess::Options;
use crate::token::{Name, Names, Token, TokenKind, kw};
use model::diagnostic::Diagnostic;
use model::network::MachineKind;
use model::source::Span;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Deeper nesting than this is refused.
const DEEPEST: u32 = 1_000;
/// An inline that expands deeper than this calls itself.
const DEEPEST_INLINE: usize = 100;
/// After so many errors there is nothing to be gained from more.
const MOST_ERRORS: usize = 25;

/// Parses a model. Errors are collected in `diagnostics`; the tree holds what could be understood.
/// All inlines together may not expand to more than `limits.max_tokens` tokens.
pub fn parse(tokens: &[Token], limits: &Options, names: &mut Names, diagnostics: &mut Vec<Diagnostic>) -> Program {
    let proctypes = proctype_names(tokens);
    let mut parser = Parser {
        streams: vec![Stream { tokens: tokens.into(), places: None, next: 0, inline: None }],
        names,
        diagnostics,
        inlines: HashMap::new(),
        proctypes,
        declared: HashSet::new(),
        depth: 0,
        expanded: 0,
        limits,
        statements: 0,
        last: Span::NONE,
        last_kind: TokenKind::Semi,
        last_place: Span::NONE,
        expanded_tokens: Vec::new(),
        from_expansions: HashSet::new(),
        calls: Vec::new(),
        return_targets: Vec::new(),
        ltl: false,
    };
    let program = parser.program();
    Program { from_expansions: parser.from_expansions, calls: parser.calls, ..program }
}

/// Names of process types can be used before their declaration.
fn proctype_names(tokens: &[Token]) -> HashSet<Name> {
    let mut names = HashSet::new();
    for pair in tokens.windows(2) {
        if let (TokenKind::Name(kw::PROCTYPE | kw::D_PROCTYPE), TokenKind::Name(name)) = (pair[0].kind, pair[1].kind) {
            names.insert(name);
        }
    }
    names
}

/// Nothing useful could be parsed; the message is in the diagnostics already.
pub(super) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Where a statement starts in the text that is parsed: at an argument of an inline where its parameter is.
#[derive(Clone, Copy)]
struct Start {
    span: Span,
    /// How many tokens before it come out of macros, or are arguments of inlines.
    expanded_tokens: usize,
}

struct Stream {
    tokens: Rc<[Token]>,
    /// Where the tokens stand, if not where they are written.
    places: Option<Rc<[Span]>>,
    next: usize,
    /// The inline that it expands.
    inline: Option<Name>,
}

impl Stream {
    /// Where the next token stands, and whether it is written there.
    fn place(&self) -> (Span, bool) {
        let token = self.tokens[self.next];
        let span = self.places.as_ref().map_or(token.span, |places| places[self.next]);
        (span, span == token.spelled)
    }
}

#[derive(Clone)]
struct Inline {
    parameters: Vec<Name>,
    body: Rc<[Token]>,
    span: Span,
}

struct Parser<'a> {
    streams: Vec<Stream>,
    names: &'a mut Names,
    diagnostics: &'a mut Vec<Diagnostic>,
    inlines: HashMap<Name, Inline>,
    proctypes: HashSet<Name>,
    /// Process types whose declaration has begun: `P:x` is a remote reference then, not a label.
    declared: HashSet<Name>,
    depth: u32,
    expanded: usize,
    limits: &'a Options,
    /// How many statements there were: now and then somebody looks at the clock.
    statements: usize,
    /// The last token that was consumed.
    last: Span,
    last_kind: TokenKind,
    /// Where it stands.
    last_place: Span,
    /// Where tokens are written that come out of macros, or are arguments of inlines.
    expanded_tokens: Vec<Span>,
    /// Statements with parts that are written elsewhere.
    from_expansions: HashSet<Span>,
    /// Calls of inlines, each with the body that is copied there.
    calls: Vec<(Span, Span)>,
    /// Where `return` in the inlines being expanded puts its value.
    return_targets: Vec<Option<crate::ast::VarRef>>,
    /// Inside a temporal formula.
    ltl: bool,
}

impl Parser<'_> {
    fn program(&mut self) -> Program {
        let mut program = Program::default();
        while self.peek().kind != TokenKind::Eof && self.errors() < MOST_ERRORS {
            let before = self.position();
            if let Err(Failed) = self.unit(&mut program.units) {
                self.skip_to_unit(before);
            }
        }
        program
    }

    fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|d| d.is_error()).count()
    }

    fn unit(&mut self, units: &mut Vec<Unit>) -> Parsed<()> {
        let token = self.peek();
        let TokenKind::Name(word) = token.kind else {
            if matches!(token.kind, TokenKind::Semi | TokenKind::Arrow) {
                self.advance();
                return Ok(());
            }
            return Err(self.expected("a declaration or a process type"));
        };
        match word {
            kw::ACTIVE | kw::PROCTYPE | kw::D_PROCTYPE => units.push(Unit::Proctype(self.proctype()?)),
            kw::INIT => units.push(Unit::Proctype(self.init()?)),
            kw::NEVER | kw::TRACE | kw::NOTRACE => units.push(Unit::Claim(self.claim()?)),
            kw::LTL => units.push(Unit::Ltl(self.ltl_block()?)),
            kw::TYPEDEF => units.push(self.typedef()?),
            kw::INLINE => self.inline_definition()?,
            kw::MTYPE if self.is_symbol_list() => units.push(self.symbols()?),
            kw::C_CODE | kw::C_DECL | kw::C_EXPR | kw::C_STATE | kw::C_TRACK => return Err(self.embedded_c()),
            _ if self.at_declaration() => {
                let declaration = self.declaration()?;
                units.push(Unit::Declaration(declaration));
                self.end_of_declaration()?;
            }
            _ => return Err(self.expected("a declaration or a process type")),
        }
        Ok(())
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let mut active = None;
        if self.eat_word(kw::ACTIVE) {
            let one = self.number_expr(1, self.last);
            active = Some(one);
            if self.eat(TokenKind::LBracket) {
                active = Some(self.expr()?);
                self.expect(TokenKind::RBracket, "after the number of processes")?;
            }
        }
        if !self.eat_word(kw::PROCTYPE) && !self.eat_word(kw::D_PROCTYPE) {
            return Err(self.expected("`proctype`"));
        }
        let (name, span) = self.name("the name of the process type")?;
        self.declared.insert(name);
        self.expect(TokenKind::LParen, "after the name of a process type")?;
        let mut parameters = Vec::new();
        while self.peek().kind != TokenKind::RParen {
            parameters.push(self.declaration()?);
            if !self.eat(TokenKind::Semi) && self.peek().kind != TokenKind::RParen {
                return Err(self.expected("`;` or `)` after a parameter"));
            }
        }
        self.advance();
        let priority = self.priority()?;
        let provided = self.provided()?;
        let (body, end) = self.body()?;
        Ok(Proctype { name, span, active, parameters, priority, provided, body, end })
    }

    fn init(&mut self) -> Parsed<Proctype> {
        self.advance();
        let span = self.last;
        let name = self.names.intern(":init:");
        let priority = self.priority()?;
        let (body, end) = self.body()?;
        let active = Some(self.number_expr(1, span));
        Ok(Proctype { name, span, active, parameters: Vec::new(), priority, provided: None, body, end })
    }

    fn priority(&mut self) -> Parsed<Option<i32>> {
        if !self.eat_word(kw::PRIORITY) {
            return Ok(None);
        }
        match self.peek().kind {
            TokenKind::Number(value) => {
                self.advance();
                Ok(Some(value))
            }
            _ => Err(self.expected("a number after `priority`")),
        }
    }

    fn provided(&mut self) -> Parsed<Option<crate::ast::Expr>> {
        if !self.eat_word(kw::PROVIDED) {
            return Ok(None);
        }
        self.expect(TokenKind::LParen, "after `provided`")?;
        let condition = self.expr()?;
        self.expect(TokenKind::RParen, "after the condition of `provided`")?;
        Ok(Some(condition))
    }

    fn claim(&mut self) -> Parsed<Claim> {
        let kind = match self.peek().kind {
            TokenKind::Name(kw::TRACE) => MachineKind::Trace,
            TokenKind::Name(kw::NOTRACE) => MachineKind::NoTrace,
            _ => MachineKind::Never,
        };
        self.advance();
        let span = self.last;
        let name = match self.peek().kind {
            TokenKind::Name(name) => {
                self.advance();
                Some(name)
            }
            _ => None,
        };
        let (body, end) = self.body()?;
        Ok(Claim { kind, name, span, body, end })
    }

    fn ltl_block(&mut self) -> Parsed<Ltl> {
        self.advance();
        let name = match self.peek().kind {
            TokenKind::Name(name) => {
                self.advance();
                Some(name)
            }
            _ => None,
        };
        self.expect(TokenKind::LBrace, "before the formula")?;
        self.ltl = true;
        let formula = self.expr();
        self.ltl = false;
        let formula = formula?;
        let span = formula.span;
        while self.eat(TokenKind::Semi) {}
        self.expect(TokenKind::RBrace, "after the formula")?;
        Ok(Ltl { name, formula, span })
    }

    /// The braces of a process type, and what is between them.
    fn body(&mut self) -> Parsed<(Sequence, Span)> {
        let open = self.peek();
        self.expect(TokenKind::LBrace, "before the body")?;
        let errors = self.errors();
        let body = self.sequence()?;
        self.close(TokenKind::RBrace, open.span, "this body")?;
        if body.is_empty() && self.errors() == errors {
            return Err(self.error("P0111", self.last, "a body must have at least one statement", |d| {
                d.label("nothing stands before this brace").help("write `skip` if nothing is to be done")
            }));
        }
        Ok((body, self.last))
    }

    fn inline_definition(&mut self) -> Parsed<()> {
        self.advance();
        let (name, span) = self.name("the name of the inline")?;
        self.expect(TokenKind::LParen, "after the name of an inline")?;
        let mut parameters = Vec::new();
        while self.peek().kind != TokenKind::RParen {
            parameters.push(self.name("a parameter")?.0);
            if !self.eat(TokenKind::Comma) && self.peek().kind != TokenKind::RParen {
                return Err(self.expected("`,` or `)` after a parameter"));
            }
        }
        self.advance();
        let open = self.peek();
        if open.kind != TokenKind::LBrace {
            return Err(self.expected("`{` before the body of the inline"));
        }
        let mut body = Vec::new();
        let mut level = 0usize;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::LBrace => level += 1,
                TokenKind::RBrace => level -= 1,
                TokenKind::Eof => return Err(self.never_closed(TokenKind::RBrace, open.span, "the inline")),
                _ => {}
            }
            self.advance();
            body.push(token);
            if level == 0 {
                break;
            }
        }
        if let Some(earlier) = self.inlines.get(&name).map(|i| i.span) {
            let text = self.names.text(name).to_owned();
            return Err(self.error("P0112", span, format!("inline `{text}` is defined twice"), |d| {
                d.also(earlier, "first defined here")
            }));
        }
        self.inlines.insert(name, Inline { parameters, body: body.into(), span });
        Ok(())
    }

    // --- tokens ---------------------------------------------------------------------------------

    fn peek(&mut self) -> Token {
        self.peek_at(0)
    }

    /// The token `ahead` places on; looks beyond the end of an inline into the text around it.
    fn peek_at(&self, mut ahead: usize) -> Token {
        for stream in self.streams.iter().rev() {
            let left = stream.tokens.len() - stream.next;
            if ahead < left {
                return stream.tokens[stream.next + ahead];
            }
            ahead -= left;
        }
        let bottom = &self.streams[0].tokens;
        bottom[bottom.len() - 1]
    }

    /// Where the next token stands.
    fn start(&self) -> Start {
        let stream = self.streams.iter().rev().find(|stream| stream.next < stream.tokens.len());
        let span = stream.map_or(self.last_place, |stream| stream.place().0);
        Start { span, expanded_tokens: self.expanded_tokens.len() }
    }

    fn advance(&mut self) {
        while let Some(stream) = self.streams.last_mut() {
            if stream.next < stream.tokens.len() {
                let token = stream.tokens[stream.next];
                let (place, as_written) = stream.place();
                self.last_place = place;
                if !as_written {
                    self.expanded_tokens.push(token.span);
                }
                self.last = token.span;
                self.last_kind = token.kind;
                if token.kind != TokenKind::Eof {
                    stream.next += 1;
                }
                return;
            }
            if self.streams.len() == 1 {
                return;
            }
            self.streams.pop();
        }
    }

    fn position(&self) -> (usize, usize) {
        (self.streams.len(), self.streams.last().map_or(0, |s| s.next))
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek().kind == kind;
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: Name) -> bool {
        self.eat(TokenKind::Name(word))
    }

    fn expect(&mut self, kind: TokenKind, context: &str) -> Parsed<()> {
        if self.eat(kind) {
            return Ok(());
        }
        let wanted = kind.describe(self.names);
        Err(self.expected(&format!("{wanted} {context}")))
    }

    /// A name that is not a keyword.
    fn name(&mut self, what: &str) -> Parsed<(Name, Span)> {
        let token = self.peek();
        match token.kind {
            TokenKind::Name(name) if !kw::is_reserved(name) || self.is_free_keyword(name) => {
                self.advance();
                Ok((name, token.span))
            }
            TokenKind::Name(name) => {
                let text = self.names.text(name).to_owned();
                Err(self.error("P0102", token.span, format!("`{text}` is a keyword, not a name"), |d| {
                    d.label(format!("{what} is expected here")).help("choose another name")
                }))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// `in` is a keyword in `for` only.
    fn is_free_keyword(&self, name: Name) -> bool {
        name == kw::IN
    }

    // --- errors ---------------------------------------------------------------------------------

    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        extend: impl FnOnce(Diagnostic) -> Diagnostic,
    ) -> Failed {
        let diagnostic = extend(Diagnostic::error(code, span, message));
        self.diagnostics.push(diagnostic);
        Failed
    }

    /// "expected X, found Y", with the macro that Y comes from.
    fn expected(&mut self, what: &str) -> Failed {
        let token = self.peek();
        let found = token.kind.describe(self.names);
        let mut diagnostic = Diagnostic::error("P0101", token.span, format!("expected {what}, found {found}"))
            .label(format!("expected {what}"));
        if token.spelled != token.span && token.spelled != Span::NONE {
            diagnostic = diagnostic.also(token.spelled, "it comes from this text");
        }
        self.diagnostics.push(diagnostic);
        Failed
    }

    /// The closing token of something that was opened at `open`.
    fn close(&mut self, kind: TokenKind, open: Span, what: &str) -> Parsed<()> {
        if self.eat(kind) {
            return Ok(());
        }
        Err(self.never_closed(kind, open, what))
    }

    fn never_closed(&mut self, kind: TokenKind, open: Span, what: &str) -> Failed {
        let token = self.peek();
        let (wanted, found) = (kind.describe(self.names), token.kind.describe(self.names));
        self.error("P0103", token.span, format!("expected {wanted} to close {what}, found {found}"), |d| {
            d.label(format!("{wanted} is missing before this"))
                .also(open, format!("{what} starts here"))
                .help(format!("put {wanted} where {what} ends"))
        })
    }

    fn embedded_c(&mut self) -> Failed {
        let token = self.peek();
        let word = token.kind.describe(self.names);
        self.error("P0104", token.span, format!("embedded C ({word}) is not supported"), |d| {
            d.label("C code that SPIN would pass to the compiler")
                .help("express it in Promela; Highwater cannot see through C code in a model")
        })
    }

    fn too_deep(&mut self, span: Span) -> Failed {
        self.error("P0105", span, format!("nested more than {DEEPEST} levels deep"), |d| {
            d.help("split it into smaller expressions or statements")
        })
    }

    /// Runs `parse` one level deeper.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let span = self.peek().span;
            return Err(self.too_deep(span));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// After an error at the top level: on to the next unit that starts a line.
    fn skip_to_unit(&mut self, before: (usize, usize)) {
        self.streams.truncate(1);
        self.return_targets.clear();
        self.depth = 0;
        if self.position() == before {
            self.advance();
        }
        let starts = [
            kw::ACTIVE,
            kw::PROCTYPE,
            kw::D_PROCTYPE,
            kw::INIT,
            kw::NEVER,
            kw::LTL,
            kw::TYPEDEF,
            kw::INLINE,
            kw::TRACE,
        ];
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::Eof => return,
                TokenKind::Name(word) if starts.contains(&word) && token.newline_before => return,
                _ => self.advance(),
            }
        }
    }
}
