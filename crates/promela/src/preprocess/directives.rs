//! Directives: the lines that begin with `#`.
//!
//! The word after the `#` is looked up in a table, and what it stands for is obeyed at once, before
//! the next piece is read. Whatever a directive does not want of its line is skipped. How each kind
//! of directive works is told elsewhere; here are the table, the two directives that only say
//! something, `#error` and `#warning`, and how the rest of a line is read.

use model::diagnostic::{Diagnostic, nearest};
use model::source::Span;

use super::Preprocessor;
use super::report::{shorten, shown};
use crate::lexer::{Piece, PieceKind};

/// A directive, by its word.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Directive {
    Define,
    Undef,
    Include,
    /// `#if`, `#ifdef` and `#ifndef`
    If(Test),
    /// `#elif`, `#elifdef` and `#elifndef`
    Elif(Test),
    Else,
    Endif,
    Error,
    Warning,
    /// `#line`, `#pragma` and the like, which say nothing about the model.
    Ignored,
}

/// What an `#if` or `#elif` asks.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Test {
    /// Whether an expression is other than 0.
    Expression,
    /// Whether a macro is defined.
    Defined,
    /// Whether a macro is not defined.
    Undefined,
}

const DIRECTIVES: [(&str, Directive); 16] = [
    ("define", Directive::Define),
    ("undef", Directive::Undef),
    ("include", Directive::Include),
    ("if", Directive::If(Test::Expression)),
    ("ifdef", Directive::If(Test::Defined)),
    ("ifndef", Directive::If(Test::Undefined)),
    ("elif", Directive::Elif(Test::Expression)),
    ("elifdef", Directive::Elif(Test::Defined)),
    ("elifndef", Directive::Elif(Test::Undefined)),
    ("else", Directive::Else),
    ("endif", Directive::Endif),
    ("error", Directive::Error),
    ("warning", Directive::Warning),
    ("line", Directive::Ignored),
    ("pragma", Directive::Ignored),
    ("ident", Directive::Ignored),
];

impl Directive {
    /// How it is written, without the `#`.
    fn word(self) -> &'static str {
        DIRECTIVES.iter().find(|&&(_, directive)| directive == self).map_or("", |&(word, _)| word)
    }
}

impl Preprocessor<'_> {
    /// Obeys the directive that begins with this `#`, up to the end of its line.
    pub(super) fn directive(&mut self, hash: Piece) {
        let Some((word, span)) = self.directive_word(hash) else { return };
        let file = self.files.len() - 1;
        match self.directive_of(word) {
            Some(directive) => self.obey(directive, span),
            None => self.unknown_directive(word, span),
        }
        // An `#include` has opened another file meanwhile; the line belongs to this one.
        if let Some(file) = self.files.get_mut(file) {
            file.scanner.skip_line();
        }
    }

    /// The word after the `#`, and the place of both.
    pub(super) fn directive_word(&mut self, hash: Piece) -> Option<(Piece, Span)> {
        self.charge(1, hash.span);
        let word = self.next_on_line()?;
        Some((word, hash.span.to(word.span)))
    }

    pub(super) fn directive_of(&self, word: Piece) -> Option<Directive> {
        match word.kind {
            PieceKind::Name(name) => {
                let text = self.names.text(name);
                DIRECTIVES.iter().find(|(known, _)| *known == text).map(|&(_, directive)| directive)
            }
            // `# 12 "file"` is what a preprocessor that ran before leaves.
            PieceKind::Number(_) => Some(Directive::Ignored),
            _ => None,
        }
    }

    fn obey(&mut self, directive: Directive, span: Span) {
        match directive {
            Directive::Define => self.define(span),
            Directive::Undef => self.undef(span),
            Directive::Include => self.include(span),
            Directive::If(_) => self.open_if(directive, span),
            Directive::Elif(_) | Directive::Else => self.end_group(directive, span),
            Directive::Endif => self.close_if(span),
            Directive::Error | Directive::Warning => self.message(directive, span),
            Directive::Ignored => {}
        }
    }

    fn unknown_directive(&mut self, word: Piece, span: Span) {
        let text = shown(word, self.names);
        let help = match nearest(&text, DIRECTIVES.iter().map(|&(known, _)| known)) {
            Some(known) => format!("did you mean `#{known}`?"),
            None => String::from("a line that begins with `#` must hold a directive, such as `#define`"),
        };
        let report = Diagnostic::error("P0010", span, format!("there is no directive `#{text}`"));
        self.report(report.label("unknown directive").help(help));
    }

    /// `#error` and `#warning`.
    fn message(&mut self, directive: Directive, span: Span) {
        let pieces = self.rest_of_line(span);
        let text = self.spelling(&pieces);
        let text = shorten(&text);
        let place = pieces.last().map_or(span, |last| span.to(last.span));
        let report = if directive == Directive::Error {
            Diagnostic::error("P0019", place, format!("#error {text}")).label("the model refuses to be read like this")
        } else {
            Diagnostic::warning("P0019", place, format!("#warning {text}")).label("the model warns")
        };
        self.report(report.help("if the line should not be reached, look at the `#if` around it and at `-D`"));
    }

    /// Says that a directive lacks the name of a macro.
    pub(super) fn lacks_name(&mut self, directive: Directive, span: Span) {
        let directive = directive.word();
        let report = Diagnostic::error("P0010", span, format!("`#{directive}` needs the name of a macro"));
        self.report(report.label("no name follows").help(format!("write `#{directive} NAME`")));
    }

    /// The pieces up to the end of the line.
    pub(super) fn rest_of_line(&mut self, span: Span) -> Vec<Piece> {
        let mut pieces = Vec::new();
        while let Some(piece) = self.next_on_line() {
            pieces.push(piece);
        }
        self.charge(pieces.len(), span);
        pieces
    }

    /// The pieces up to the end of the line, with their macros expanded.
    pub(super) fn expanded_line(&mut self, span: Span) -> Vec<Piece> {
        let pieces = self.rest_of_line(span);
        self.expand_isolated(pieces, span)
    }

    pub(super) fn next_on_line(&mut self) -> Option<Piece> {
        self.files.last_mut()?.scanner.next_on_line(self.names)
    }

    /// Pieces as text, with one blank wherever there is space between them.
    pub(super) fn spelling(&self, pieces: &[Piece]) -> String {
        let mut text = String::new();
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 && piece.space_before {
                text.push(' ');
            }
            piece.kind.spell(self.names, &mut text);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::preprocess::testing::{check, read};

    #[test]
    fn error_and_warning_are_messages_of_the_model() {
        let reading = read("#error never  do \"this\"\nx");
        let (report, place) = reading.only("P0019");
        assert_eq!((report.message.as_str(), place), ("#error never do \"this\"", "#error never  do \"this\""));
        assert!(report.is_error());
        assert_eq!(reading.words(), "x");
        assert!(!read("#warning careful").only("P0019").0.is_error());
        check("#if 0\n#error no\n#endif", "");
    }

    #[test]
    fn directives_that_say_nothing_about_the_model_are_ignored() {
        check("#\n#line 3 \"x\"\n#pragma once\n# 12 \"file\" 1\n#ident \"x\"\na", "a");
    }

    #[test]
    fn an_unknown_directive_is_an_error_with_a_suggestion() {
        let reading = read("#defin N 1\nx");
        let (report, place) = reading.only("P0010");
        assert_eq!((place, reading.words().as_str()), ("#defin", "x"));
        assert_eq!(report.help[0], "did you mean `#define`?");
        read("#!").only("P0010");
        check("#if 0\n#nonsense\n#endif", "");
    }
}
