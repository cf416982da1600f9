//! Functions that are defined in the C++ of a capsule, operations of ROOM, and the macros of redefinitions.

use super::{Kind, Parser, Stmt, Token, statements, tokenize, words};
use crate::ast::Code;
use std::collections::HashSet;

/// A function that is defined in C++.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) returns: String,
    /// Types and names.
    pub(crate) parameters: Vec<(String, String)>,
    pub(crate) body: Vec<Stmt>,
    /// All words of the body.
    pub(crate) words: HashSet<String>,
}

/// The functions that are defined in a text, outside of other classes. Those that cannot be parsed are left out.
pub(crate) fn functions(code: &Code) -> Vec<Function> {
    tokenize(code).map_or_else(|_| Vec::new(), |tokens| functions_in(&tokens))
}

pub(super) fn functions_in(tokens: &[Token]) -> Vec<Function> {
    let (mut found, mut at, mut first) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        let is = |at: usize, text: &str| tokens.get(at).is_some_and(|t| t.kind == Kind::Mark && t.text == text);
        if is(at, ";") || is(at, ":") {
            first = at + 1;
        } else if is(at, "{") {
            at = closing(tokens, at, "{", "}");
            first = at + 1;
        } else if is(at, "(") {
            let end = closing(tokens, at, "(", ")");
            let mut open = end + 1;
            while tokens
                .get(open)
                .is_some_and(|t| ["const", "override", "noexcept", "final"].contains(&t.text.as_str()))
            {
                open += 1;
            }
            if is(open, "{") && at > first {
                let close = closing(tokens, open, "{", "}");
                // A bracket that is not closed has nothing in it.
                let inside = |from: usize, to: usize| tokens.get(from..to).unwrap_or_default();
                found.extend(function(&tokens[first..at], inside(at + 1, end), inside(open + 1, close)));
                at = close;
                first = at + 1;
            } else {
                at = end;
            }
        }
        at += 1;
    }
    found
}

/// The parameters and the body of an operation of ROOM.
pub(crate) fn operation(name: &str, parameters: &[(String, String)], returns: &str, code: &Code) -> Option<Function> {
    let body = statements(code).ok()?;
    let (name, returns) = (name.to_owned(), returns.to_owned());
    Some(Function { name, returns, parameters: parameters.to_vec(), body, words: words(code) })
}

/// Where a bracket closes; the last token if it does not.
fn closing(tokens: &[Token], open: usize, left: &str, right: &str) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open).filter(|(_, token)| token.kind == Kind::Mark) {
        if token.text == left {
            depth += 1;
        } else if token.text == right {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len() - 1
}

fn function(head: &[Token], parameters: &[Token], body: &[Token]) -> Option<Function> {
    let (name, before) = head.split_last()?;
    let mut before = before;
    while let [rest @ .., _, colons] = before
        && colons.text == "::"
    {
        before = rest;
    }
    const IGNORED: [&str; 7] = ["virtual", "static", "inline", "public", "private", "protected", "const"];
    let returns = before.iter().filter(|t| !IGNORED.contains(&t.text.as_str())).map(|t| t.text.as_str());
    let returns: Vec<&str> = returns.collect();
    if name.kind != Kind::Name || returns.is_empty() {
        return None;
    }
    let mut declared = Vec::new();
    for one in parameters.split(|token| token.text == ",").filter(|one| !one.is_empty()) {
        declared.push(parameter(one)?);
    }
    let end = Token { kind: Kind::End, text: String::new(), span: name.span };
    let words = body.iter().map(|token| token.text.clone()).collect();
    let mut parser = Parser { tokens: body.iter().cloned().chain([end]).collect(), at: 0, depth: 0 };
    let mut statements = Vec::new();
    while parser.peek().kind != Kind::End {
        statements.push(parser.statement().ok()?);
    }
    let returns = returns.concat();
    Some(Function { name: name.text.clone(), returns, parameters: declared, body: statements, words })
}

/// The type and the name of a parameter, without the value that it has if none is given. An array is a pointer.
fn parameter(tokens: &[Token]) -> Option<(String, String)> {
    let at = |mark: &str| tokens.iter().position(|token| token.kind == Kind::Mark && token.text == mark);
    let declared = &tokens[..at("=").unwrap_or(tokens.len())];
    let end = at("[").filter(|end| *end < declared.len());
    let (name, ty) = declared[..end.unwrap_or(declared.len())].split_last()?;
    let dimensions = declared.iter().filter(|token| token.text == "[").count();
    if dimensions > 1 || (end.is_some() && name.kind != Kind::Name) {
        return None;
    }
    let ty = ty.iter().map(|t| t.text.as_str()).filter(|word| *word != "const").chain(end.map(|_| "*"));
    Some((ty.collect(), name.text.clone()))
}

/// The code without lines that a test for macros leaves out (`#ifdef CALLSUPER`): these macros exist in redefinitions only.
pub(crate) fn preprocessed(code: &Code, redefines: bool) -> Code {
    if !code.text.contains("CALLSUPER") && !code.text.contains("SUPERMETHOD") {
        return code.clone();
    }
    let (mut text, mut kept) = (String::new(), vec![]);
    for line in code.text.split_inclusive('\n') {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_macro = |name: &str| ["CALLSUPER", "SUPERMETHOD"].contains(&name);
        let directive = match words[..] {
            ["#ifdef", name] if is_macro(name) => {
                kept.push(redefines);
                true
            }
            ["#ifndef", name] if is_macro(name) => {
                kept.push(!redefines);
                true
            }
            ["#endif"] => kept.pop().is_some(),
            _ => false,
        };
        if directive || kept.contains(&false) {
            text.extend(line.chars().map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) }));
        } else {
            text += line;
        }
    }
    Code { text, span: code.span }
}
