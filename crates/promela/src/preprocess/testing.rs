//! What the tests of all parts have in common: a model given as a text, and what became of it.

use model::diagnostic::Diagnostic;
use model::source::SourceMap;

use super::{Loader, Options, tokenize};
use crate::token::{Names, Token, TokenKind};

/// Files that exist in the test only.
struct Shelf<'a>(&'a [(&'a str, &'a str)]);

impl Loader for Shelf<'_> {
    fn load(&mut self, name: &str, _: bool, _: &str) -> Result<(String, String), String> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|&(name, text)| (name.to_owned(), text.to_owned())).ok_or_else(|| String::from("no such file"))
    }
}

/// What became of a model.
pub(super) struct Reading {
    pub sources: SourceMap,
    pub names: Names,
    pub tokens: Vec<Token>,
    pub diagnostics: Vec<Diagnostic>,
}

pub(super) fn read_with(text: &str, options: &Options, files: &[(&str, &str)]) -> Reading {
    let mut sources = SourceMap::new();
    let main = sources.add("main.pml", text);
    let (mut names, mut diagnostics) = (Names::new(), Vec::new());
    let tokens = tokenize(&mut sources, main, options, &mut Shelf(files), &mut names, &mut diagnostics);
    assert!(matches!(tokens.last(), Some(Token { kind: TokenKind::Eof, .. })));
    Reading { sources, names, tokens, diagnostics }
}

pub(super) fn read(text: &str) -> Reading {
    read_with(text, &Options::default(), &[])
}

impl Reading {
    /// The tokens without the last, with blanks between them.
    pub fn words(&self) -> String {
        let word = |token: &Token| match token.kind {
            TokenKind::Name(name) => self.names.text(name).to_owned(),
            TokenKind::Number(value) => value.to_string(),
            TokenKind::Str(text) => format!("\"{}\"", self.names.text(text)),
            mark => mark.mark().unwrap_or_default().to_owned(),
        };
        self.tokens[..self.tokens.len() - 1].iter().map(word).collect::<Vec<_>>().join(" ")
    }

    pub fn codes(&self) -> Vec<&str> {
        self.diagnostics.iter().map(|report| report.code).collect()
    }

    /// Everything that the only message says and points at.
    pub fn only(&self, code: &str) -> (&Diagnostic, &str) {
        assert_eq!(self.codes(), [code], "{:?}", self.diagnostics);
        let report = &self.diagnostics[0];
        assert!(!report.primary.text.is_empty() && !report.help.is_empty(), "{report:?}");
        (report, self.sources.text(report.primary.span))
    }
}

/// A model that is fine, and the words it comes to.
#[track_caller]
pub(super) fn check(text: &str, words: &str) {
    let reading = read(text);
    assert_eq!(reading.words(), words);
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
}
