//! Action code: the statements and expressions of C++ (and of the C and Java that look the same) that occur in state machines.
//!
//! This is syntax only. Which of it has a meaning is for the lowering to say; everything else is an error at its place there,
//! and so is what cannot be parsed here.

mod functions;

pub(crate) use functions::{Function, functions, operation, preprocessed};

use crate::ast::Code;
use functions::functions_in;
use model::source::Span;
use std::collections::HashSet;

/// How deep expressions and statements may nest.
const DEEPEST: usize = 60;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExprKind {
    Number(i64),
    Character(i64),
    /// A number with a unit or a fraction, or an unusual character.
    Literal,
    /// A string, without its quotes.
    Text(String),
    /// A name; scopes are separated by `::`.
    Name(String),
    Call(Box<Expr>, Vec<Expr>),
    /// `.` or `->`
    Member(Box<Expr>, String),
    Unary(&'static str, Box<Expr>),
    /// `++` or `--` behind its operand.
    Postfix(&'static str, Box<Expr>),
    /// Also assignments.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A cast to a type.
    Cast(String, Box<Expr>),
    /// `a[b]`
    Index(Box<Expr>, Box<Expr>),
    /// `new T(..)` or `new T[n]`
    New(String, Vec<Expr>),
    /// `{a, b}`, as the first value of a variable.
    List(Vec<Expr>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StmtKind {
    Block(Vec<Stmt>),
    /// Variables of a type.
    Declare(String, Declared),
    Expr(Expr),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    DoWhile(Box<Stmt>, Expr),
    For(Option<Box<Stmt>>, Option<Expr>, Option<Expr>, Box<Stmt>),
    Switch(Expr, Vec<Arm>),
    Return(Option<Expr>),
    Break,
    Continue,
}

/// What follows the labels of a `switch`, up to the next label.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arm {
    /// `None` is `default`.
    pub(crate) labels: Vec<Option<Expr>>,
    pub(crate) body: Vec<Stmt>,
}

/// What cannot be read, and where.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unreadable {
    pub(crate) span: Span,
    pub(crate) what: String,
    /// It could send, because of this word.
    pub(crate) sends: Option<String>,
}

type Parsed<T> = Result<T, Unreadable>;

/// Names with their first values.
pub(crate) type Declared = Vec<(String, Option<Expr>)>;

/// The statements of action code.
pub(crate) fn statements(code: &Code) -> Parsed<Vec<Stmt>> {
    let mut parser = Parser { tokens: tokenize(code)?, at: 0, depth: 0 };
    let mut found = Vec::new();
    while parser.peek().kind != Kind::End {
        found.push(parser.statement()?);
    }
    Ok(found)
}

/// A guard: an expression, or statements of which the last returns one. The statements before it are given as well.
pub(crate) fn condition(code: &Code) -> Parsed<(Vec<Stmt>, Expr)> {
    let mut parser = Parser { tokens: tokenize(code)?, at: 0, depth: 0 };
    let returns = parser.eat("return");
    if let Ok(found) = parser.expression() {
        let closed = parser.eat(";");
        if parser.peek().kind == Kind::End && (closed || !returns) {
            return Ok((Vec::new(), found));
        }
    }
    parser.at = 0;
    let mut before = Vec::new();
    loop {
        if parser.peek().kind == Kind::End {
            return Err(parser.unreadable("a guard that returns nothing"));
        }
        let statement = parser.statement()?;
        match statement.kind {
            StmtKind::Return(Some(found)) if parser.peek().kind == Kind::End => return Ok((before, found)),
            _ => before.push(statement),
        }
    }
}

/// Declarations of members: variables and enumerations. Access labels are passed over.
///
/// The names that occur in anything else, such as the body of an operation, are given as well: they may mean something else than
/// a declaration says, as a member does that a constructor sets.
pub(crate) fn members(code: &Code) -> (Vec<Member>, HashSet<String>) {
    let Ok(tokens) = tokenize(code) else { return (Vec::new(), words(code)) };
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let (mut found, mut others) = (Vec::new(), HashSet::new());
    while parser.peek().kind != Kind::End {
        let start = parser.at;
        match parser.member() {
            Some(member) => found.push(member),
            // What a function does matters where it is called.
            None if !functions_in(&parser.tokens[start..parser.at]).is_empty() => {}
            None => others.extend(parser.tokens[start..parser.at].iter().map(|token| token.text.clone())),
        }
    }
    (found, others)
}

/// The words in a text that are called there, or defined as macros.
pub(crate) fn called(code: &Code) -> HashSet<String> {
    let Ok(tokens) = tokenize(code) else { return words(code) };
    let is = |token: Option<&Token>, text: &str| token.is_some_and(|token| token.text == text);
    let named = tokens.iter().enumerate().filter(|(at, token)| {
        let defined = *at > 0 && is(tokens.get(at - 1), "define");
        token.kind == Kind::Name && (defined || is(tokens.get(at + 1), "("))
    });
    named.map(|(_, token)| token.text.clone()).collect()
}

/// The words of those declarations and statements in a text that give away something: that mention it other than before `.`, `->` or `(`.
pub(crate) fn given_away(code: &Code, is_it: impl Fn(&str) -> bool) -> HashSet<String> {
    let Ok(tokens) = tokenize(code) else { return words(code) };
    let ends = |token: &Token| token.kind == Kind::Mark && matches!(token.text.as_str(), ";" | "{" | "}");
    let mut found = HashSet::new();
    // A list is part of a declaration.
    let mut start = 0;
    for at in 0..tokens.len() {
        let lists = ends(&tokens[at]) && tokens[at].text == "{" && at > 0 && tokens[at - 1].kind == Kind::Name;
        if (ends(&tokens[at]) && !lists) || tokens[at].kind == Kind::End {
            let part = &tokens[start..at];
            let used = |at: usize| part.get(at + 1).is_some_and(|t| matches!(t.text.as_str(), "." | "->" | "("));
            let gives = |(at, t): (usize, &Token)| t.kind == Kind::Name && is_it(&t.text) && !used(at);
            if part.iter().enumerate().any(gives) {
                found.extend(part.iter().filter(|t| t.kind == Kind::Name).map(|t| t.text.clone()));
            }
            start = at + 1;
        }
    }
    found
}

/// All words in a text.
pub(crate) fn words(code: &Code) -> HashSet<String> {
    code.text.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned).collect()
}

/// A member of a class.
#[derive(Debug)]
pub(crate) enum Member {
    Variables(String, Declared, Span),
    Enumeration(String, Declared),
    /// A class that has nothing but variables: their types and names.
    Structure(String, Vec<(String, Declared)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Name,
    Number,
    Literal,
    Mark,
    End,
}

#[derive(Clone, Debug)]
struct Token {
    kind: Kind,
    text: String,
    span: Span,
}

const MARKS: [&str; 43] = [
    "<<=", ">>=", "->", "::", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "{", "}", "(", ")", "[", "]", ";", ":", ",", ".", "?", "=", "<", ">", "+", "-", "*", "/", "%",
    "&", "|",
];
const MORE_MARKS: [&str; 4] = ["^", "!", "~", "#"];

fn tokenize(code: &Code) -> Parsed<Vec<Token>> {
    let text = code.text.as_str();
    let place = |from: usize, to: usize| {
        Span::new(code.span.file, code.span.start as usize + from, code.span.start as usize + to)
    };
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let len = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("#include") {
            // What it declares is not known; that it is there says nothing.
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            let Some(len) = rest.find("*/") else {
                return Err(Unreadable {
                    span: place(at, at + 2),
                    what: String::from("a comment that is not closed"),
                    sends: None,
                });
            };
            at += len + 2;
            continue;
        } else if first.is_alphabetic() || first == '_' {
            let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            tokens.push(Token { kind: Kind::Name, text: rest[..len].to_owned(), span: place(at, at + len) });
            len
        } else if first.is_ascii_digit() {
            let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
            tokens.push(Token { kind: Kind::Number, text: rest[..len].to_owned(), span: place(at, at + len) });
            len
        } else if first == '"' || first == '\'' {
            let Some(len) = literal_length(rest, first as u8) else {
                return Err(Unreadable {
                    span: place(at, at + 1),
                    what: String::from("a literal that is not closed"),
                    sends: None,
                });
            };
            tokens.push(Token { kind: Kind::Literal, text: rest[..len].to_owned(), span: place(at, at + len) });
            len
        } else if let Some(mark) = MARKS.iter().chain(&MORE_MARKS).find(|mark| rest.starts_with(**mark)) {
            tokens.push(Token { kind: Kind::Mark, text: (*mark).to_owned(), span: place(at, at + mark.len()) });
            mark.len()
        } else {
            let what = format!("`{first}`");
            return Err(Unreadable { span: place(at, at + first.len_utf8()), what, sends: None });
        };
        at += len;
    }
    tokens.push(Token { kind: Kind::End, text: String::new(), span: place(text.len(), text.len()) });
    Ok(tokens)
}

fn literal_length(rest: &str, quote: u8) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        if byte == quote {
            return Some(at + 1);
        }
        at += if byte == b'\\' { 2 } else { 1 };
    }
    None
}

/// Binary operators from the loosest to the tightest.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];
const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
/// Names of types that are one word or several.
const TYPE_WORDS: [&str; 9] = ["int", "bool", "unsigned", "signed", "long", "short", "char", "float", "double"];

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn ahead(&self, by: usize) -> &Token {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, text: &str) -> bool {
        self.is_ahead(0, text)
    }

    fn is_ahead(&self, by: usize, text: &str) -> bool {
        let token = self.ahead(by);
        matches!(token.kind, Kind::Name | Kind::Mark) && token.text == text
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<Span> {
        if self.is(text) { Ok(self.next().span) } else { Err(self.unreadable(&format!("code without `{text}` here"))) }
    }

    fn unreadable(&self, what: &str) -> Unreadable {
        Unreadable { span: self.peek().span, what: what.to_owned(), sends: None }
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return Err(self.unreadable("code that is nested so deeply"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        self.deeper(Self::statement_inside)
    }

    fn statement_inside(&mut self) -> Parsed<Stmt> {
        let start = self.peek().span;
        let kind = match self.peek().text.as_str() {
            _ if self.peek().kind == Kind::End => return Err(self.unreadable("code that ends here")),
            "{" => {
                self.next();
                let mut inner = Vec::new();
                while !self.eat("}") {
                    inner.push(self.statement()?);
                }
                StmtKind::Block(inner)
            }
            ";" => {
                self.next();
                StmtKind::Block(Vec::new())
            }
            "if" => {
                self.next();
                let condition = self.parenthesised()?;
                let then = Box::new(self.statement()?);
                let other = if self.eat("else") { Some(Box::new(self.statement()?)) } else { None };
                StmtKind::If(condition, then, other)
            }
            "while" => {
                self.next();
                let condition = self.parenthesised()?;
                StmtKind::While(condition, Box::new(self.statement()?))
            }
            "do" => {
                self.next();
                let body = Box::new(self.statement()?);
                self.expect("while")?;
                let condition = self.parenthesised()?;
                self.expect(";")?;
                StmtKind::DoWhile(body, condition)
            }
            "for" => self.for_loop()?,
            "return" => {
                self.next();
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                StmtKind::Return(value)
            }
            "break" | "continue" => {
                let kind = if self.next().text == "break" { StmtKind::Break } else { StmtKind::Continue };
                self.expect(";")?;
                kind
            }
            "switch" => self.switch()?,
            "delete" => {
                self.next();
                if self.eat("[") {
                    self.expect("]")?;
                }
                let e = self.expression()?;
                self.expect(";")?;
                StmtKind::Expr(Expr { span: e.span, kind: ExprKind::Postfix("--", Box::new(e)) })
            }
            word @ ("goto" | "try" | "throw" | "case" | "default" | "#") => {
                let what = format!("`{word}`");
                return Err(self.unreadable(&what));
            }
            _ => {
                let simple = self.simple()?;
                self.expect(";")?;
                return Ok(simple);
            }
        };
        Ok(Stmt { kind, span: start })
    }

    fn switch(&mut self) -> Parsed<StmtKind> {
        self.next();
        let e = self.parenthesised()?;
        self.expect("{")?;
        let mut arms: Vec<Arm> = Vec::new();
        while !self.eat("}") {
            let label = if self.eat("default") {
                Some(None)
            } else if self.eat("case") {
                Some(Some(self.conditional()?))
            } else {
                None
            };
            match (label, arms.last_mut()) {
                (Some(label), last) => {
                    self.expect(":")?;
                    match last.filter(|arm| arm.body.is_empty()) {
                        Some(arm) => arm.labels.push(label),
                        None => arms.push(Arm { labels: vec![label], body: Vec::new() }),
                    }
                }
                (None, Some(arm)) => {
                    let statement = self.statement()?;
                    arm.body.push(statement);
                }
                (None, None) => return Err(self.unreadable("a statement before the first label")),
            }
        }
        Ok(StmtKind::Switch(e, arms))
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.next();
        self.expect("(")?;
        let first = if self.is(";") { None } else { Some(Box::new(self.simple()?)) };
        self.expect(";")?;
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.expect(")")?;
        Ok(StmtKind::For(first, condition, step, Box::new(self.statement()?)))
    }

    /// A declaration or an expression, without its semicolon.
    fn simple(&mut self) -> Parsed<Stmt> {
        let span = self.peek().span;
        let kind = match self.declared_type() {
            Some(ty) => {
                let (names, sizes) = self.declarators(&ty)?;
                StmtKind::Declare(ty + &sizes, names)
            }
            None => StmtKind::Expr(self.expression()?),
        };
        Ok(Stmt { kind, span: span.to(self.tokens[self.at - 1].span) })
    }

    /// The type, if a declaration begins here: names, then `*` or `&`, then another name and `=`, `;`, `,` or a list.
    fn declared_type(&mut self) -> Option<String> {
        let start = self.at;
        let mut words: Vec<String> = Vec::new();
        while self.peek().kind == Kind::Name {
            let mut word = self.next().text;
            while self.is("::") && self.ahead(1).kind == Kind::Name {
                self.next();
                word = format!("{word}::{}", self.next().text);
            }
            words.push(word);
        }
        if words.is_empty() {
            return None;
        }
        let mut pointer = String::new();
        while self.is("*") || self.is("&") {
            pointer += &self.next().text;
        }
        if pointer.is_empty() {
            // The last word is the name that is declared.
            words.pop();
            self.at -= 1;
        }
        let named =
            self.peek().kind == Kind::Name && [";", "=", ",", "[", "(", "{"].iter().any(|mark| self.is_ahead(1, mark));
        let is_type = ["struct", "class", "enum", "union"].contains(&words.last().map_or("", String::as_str));
        let named = named && !(is_type && self.is_ahead(1, "{"));
        words.retain(|word| !matches!(word.as_str(), "const"));
        if words.is_empty() || !named || self.at <= start {
            self.at = start;
            return None;
        }
        Some(words.join(" ") + &pointer)
    }

    /// Names with their first values, and the sizes of an array; `[]` if they are not the same for all or no plain numbers or
    /// names. `T x(..)` is a call of `T`.
    fn declarators(&mut self, ty: &str) -> Parsed<(Declared, String)> {
        let (mut found, mut all) = (Vec::new(), Vec::new());
        loop {
            if self.peek().kind != Kind::Name {
                return Err(self.unreadable("this declaration"));
            }
            let Token { text: name, span, .. } = self.next();
            let mut sizes = String::new();
            while self.eat("[") {
                let size = if self.is("]") { None } else { Some(self.expression()?.kind) };
                self.expect("]")?;
                sizes += &match size {
                    Some(ExprKind::Number(size)) => format!("[{size}]"),
                    Some(ExprKind::Name(size)) => format!("[{size}]"),
                    _ => String::from("[]"),
                };
            }
            all.push(sizes);
            let value = if self.eat("=") {
                Some(if self.is("{") { self.list()? } else { self.expression()? })
            } else if self.is("{") {
                Some(self.list()?)
            } else if self.eat("(") {
                let function = Box::new(Expr { kind: ExprKind::Name(ty.to_owned()), span });
                let arguments = self.arguments()?;
                Some(Expr { kind: ExprKind::Call(function, arguments), span })
            } else {
                None
            };
            found.push((name, value));
            if !self.eat(",") {
                let same = all.iter().all(|sizes| *sizes == all[0]);
                return Ok((found, if same { all.swap_remove(0) } else { String::from("[]") }));
            }
        }
    }

    /// `{a, {b, c}}`
    fn list(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let span = parser.expect("{")?;
            let mut inside = Vec::new();
            while !parser.is("}") {
                inside.push(if parser.is("{") { parser.list()? } else { parser.expression()? });
                if !parser.eat(",") {
                    break;
                }
            }
            let end = parser.expect("}")?;
            Ok(Expr { kind: ExprKind::List(inside), span: span.to(end) })
        })
    }

    /// Behind `(`, up to and with `)`.
    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.is(")") {
            arguments.push(self.expression()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let left = parser.conditional()?;
            let Some(op) = ASSIGNMENTS.iter().find(|op| parser.is(op)) else { return Ok(left) };
            parser.next();
            let right = parser.expression()?;
            let span = left.span.to(right.span);
            Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span })
        })
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(":")?;
        let other = self.expression()?;
        let span = condition.span.to(other.span);
        Ok(Expr { kind: ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(other)), span })
    }

    fn binary(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(op) = operators.iter().find(|op| self.is(op)) {
            self.next();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let span = self.peek().span;
        if let Some(op) = ["!", "-", "+", "~", "++", "--", "*", "&"].into_iter().find(|op| self.is(op)) {
            self.next();
            let inner = self.deeper(Self::unary)?;
            return Ok(Expr { span: span.to(inner.span), kind: ExprKind::Unary(op, Box::new(inner)) });
        }
        if let Some(ty) = self.cast() {
            let inner = self.deeper(Self::unary)?;
            return Ok(Expr { span: span.to(inner.span), kind: ExprKind::Cast(ty, Box::new(inner)) });
        }
        self.postfix()
    }

    /// `"(" type ")"`, where the type ends with `*` or is built in.
    fn cast(&mut self) -> Option<String> {
        if !self.is("(") {
            return None;
        }
        let start = self.at;
        self.next();
        let mut ty = String::new();
        while matches!(self.peek().kind, Kind::Name) || self.is("::") || self.is("*") {
            ty += &self.next().text;
        }
        let is_type = ty.ends_with('*') && ty.len() > 1 || TYPE_WORDS.contains(&ty.as_str());
        if !self.is(")") || !is_type {
            self.at = start;
            return None;
        }
        self.next();
        Some(ty)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut found = self.primary()?;
        loop {
            let span = found.span;
            if self.eat("(") {
                let arguments = self.arguments()?;
                let end = self.tokens[self.at - 1].span;
                found = Expr { kind: ExprKind::Call(Box::new(found), arguments), span: span.to(end) };
            } else if self.is(".") || self.is("->") {
                self.next();
                if self.peek().kind != Kind::Name {
                    return Err(self.unreadable("this member"));
                }
                let name = self.next();
                let whole = span.to(name.span);
                // An operation of the capsule itself.
                let own = found.kind == ExprKind::Name(String::from("this")) && self.is("(");
                let kind = if own { ExprKind::Name(name.text) } else { ExprKind::Member(Box::new(found), name.text) };
                found = Expr { kind, span: whole };
            } else if let Some(op) = ["++", "--"].into_iter().find(|op| self.is(op)) {
                let end = self.next().span;
                found = Expr { kind: ExprKind::Postfix(op, Box::new(found)), span: span.to(end) };
            } else if self.eat("[") {
                let index = self.expression()?;
                let end = self.expect("]")?;
                found = Expr { kind: ExprKind::Index(Box::new(found), Box::new(index)), span: span.to(end) };
            } else {
                return Ok(found);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        let kind = match token.kind {
            Kind::Name if token.text.ends_with("_cast") && self.is_ahead(1, "<") => {
                self.next();
                self.next();
                let mut ty = String::new();
                while !self.is(">") && self.peek().kind != Kind::End && !self.is(";") {
                    ty += &self.next().text;
                }
                self.expect(">")?;
                ExprKind::Cast(ty, Box::new(self.parenthesised()?))
            }
            Kind::Name if self.is("new") => {
                self.next();
                let Expr { kind, .. } = self.deeper(Self::postfix)?;
                let (ty, arguments) = match kind {
                    ExprKind::Call(ty, arguments) => (ty.kind, arguments),
                    ExprKind::Index(ty, size) => (ty.kind, vec![*size]),
                    ty => (ty, Vec::new()),
                };
                let ExprKind::Name(ty) = ty else { return Err(self.unreadable("this type")) };
                ExprKind::New(ty, arguments)
            }
            Kind::Name => {
                self.next();
                let mut name = token.text;
                while self.is("::") && self.ahead(1).kind == Kind::Name {
                    self.next();
                    name = format!("{name}::{}", self.next().text);
                }
                if self.is("{") {
                    let function = Box::new(Expr { kind: ExprKind::Name(name), span: token.span });
                    let list = self.list()?;
                    let span = token.span.to(list.span);
                    return Ok(Expr { kind: ExprKind::Call(function, vec![list]), span });
                }
                ExprKind::Name(name)
            }
            Kind::Number => {
                self.next();
                number(&token.text).map_or(ExprKind::Literal, ExprKind::Number)
            }
            Kind::Literal => {
                self.next();
                match token.text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
                    Some(text) => ExprKind::Text(text.to_owned()),
                    None => character(&token.text).map_or(ExprKind::Literal, ExprKind::Character),
                }
            }
            Kind::Mark if self.is("(") => {
                self.next();
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            _ => return Err(self.unreadable("this expression")),
        };
        Ok(Expr { kind, span: token.span })
    }

    /// A member of a class, or what looks like one: up to a semicolon, or to the end of a body.
    fn member(&mut self) -> Option<Member> {
        if ["public", "private", "protected"].iter().any(|word| self.is(word)) && self.is_ahead(1, ":") {
            self.next();
            self.next();
            return None;
        }
        if self.eat(";") {
            return None;
        }
        let start = self.at;
        if self.is("enum") {
            if let Some(found) = self.enumeration() {
                return Some(found);
            }
            self.at = start;
        }
        if self.is("struct") || self.is("class") {
            if let Some(found) = self.structure() {
                return Some(found);
            }
            self.at = start;
        }
        let span = self.peek().span;
        if let Some(ty) = self.declared_type()
            && let Ok((names, sizes)) = self.declarators(&ty)
            && self.eat(";")
            && !self.tokens[start..self.at].iter().any(|token| token.text == "(")
        {
            return Some(Member::Variables(ty + &sizes, names, span));
        }
        self.at = start;
        self.skip_member();
        None
    }

    fn structure(&mut self) -> Option<Member> {
        self.next();
        if self.is("[") {
            while !(self.is("]") && self.is_ahead(1, "]")) {
                if self.next().kind == Kind::End {
                    return None;
                }
            }
            self.at += 2;
        }
        let name = self.next().text;
        self.eat("final");
        if !self.eat("{") {
            return None;
        }
        let mut fields = Vec::new();
        while !self.eat("}") {
            if ["public", "private", "protected"].iter().any(|word| self.is(word)) && self.is_ahead(1, ":") {
                self.at += 2;
                continue;
            }
            let ty = self.declared_type()?;
            let start = self.at;
            let (names, sizes) = self.declarators(&ty).ok()?;
            if self.tokens[start..self.at].iter().any(|token| token.text == "(") || !self.eat(";") {
                return None;
            }
            fields.push((ty + &sizes, names));
        }
        self.eat(";").then_some(Member::Structure(name, fields))
    }

    fn enumeration(&mut self) -> Option<Member> {
        self.next();
        self.eat("class");
        while self.is("[")
            || self.is("]")
            || (self.peek().kind == Kind::Name && !self.is_ahead(1, "{"))
            || self.is("::")
        {
            self.next();
        }
        let name = self.next().text;
        if !self.eat("{") {
            return None;
        }
        let mut literals = Vec::new();
        while self.peek().kind == Kind::Name {
            let literal = self.next().text;
            let value = if self.eat("=") { Some(self.conditional().ok()?) } else { None };
            literals.push((literal, value));
            if !self.eat(",") {
                break;
            }
        }
        (self.eat("}") && self.eat(";")).then_some(Member::Enumeration(name, literals))
    }

    fn skip_member(&mut self) {
        let mut depth = 0;
        loop {
            let token = self.next();
            match token.text.as_str() {
                _ if token.kind == Kind::End => return,
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if depth <= 0 && !self.is(";") {
                        return;
                    }
                }
                ";" if depth <= 0 => return,
                _ => {}
            }
        }
    }
}

/// `'a'`, `'\0'`
fn character(text: &str) -> Option<i64> {
    match text.strip_prefix('\'')?.strip_suffix('\'')?.as_bytes() {
        [plain] if *plain != b'\\' => Some(i64::from(*plain)),
        b"\\0" => Some(0),
        b"\\n" => Some(10),
        b"\\t" => Some(9),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let value = match digits {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    };
    value.filter(|value| *value <= i64::from(i32::MAX))
}
