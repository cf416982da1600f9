//! What is said about a model, and how much of it.
//!
//! A message about a piece points at the place where the user wrote it, and also at the body of the
//! macro that it comes out of. A broken model can be wrong in a million places, and a single word in
//! it a million characters long; neither makes a message better, so both are cut.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use model::diagnostic::Diagnostic;
use model::source::Span;

use super::Preprocessor;
use crate::lexer::Piece;
use crate::token::Names;

/// How many messages of one kind are worth reading.
const MAX_REPORTS: usize = 20;

/// How many characters of a text a message shows.
const MAX_SHOWN: usize = 120;

impl Preprocessor<'_> {
    /// Takes a message down, unless reading has stopped: what is wrong then is just that it stopped.
    pub(super) fn report(&mut self, report: Diagnostic) {
        if !self.stopped {
            self.reports.add(report);
        }
    }
}

/// The messages so far, of which there are only so many of each kind.
pub(super) struct Reports<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    counts: HashMap<&'static str, usize>,
}

impl<'a> Reports<'a> {
    pub fn new(diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        Reports { diagnostics, counts: HashMap::new() }
    }

    pub fn add(&mut self, report: Diagnostic) {
        let count = self.counts.entry(report.code).or_insert(0);
        *count += 1;
        match (*count).cmp(&MAX_REPORTS) {
            Ordering::Less => self.diagnostics.push(report),
            Ordering::Equal => self.diagnostics.push(report.help("further messages of this kind are left out")),
            Ordering::Greater => {}
        }
    }

    /// Whether a further message with this code would be left out.
    pub fn is_full(&self, code: &str) -> bool {
        self.counts.get(code).is_some_and(|&count| count >= MAX_REPORTS)
    }
}

/// An error about a piece.
pub(super) fn error_at(code: &'static str, piece: Piece, message: impl Into<String>) -> Diagnostic {
    with_body(Diagnostic::error(code, piece.span, message), piece)
}

/// A warning about a piece.
pub(super) fn warning_at(code: &'static str, piece: Piece, message: impl Into<String>) -> Diagnostic {
    with_body(Diagnostic::warning(code, piece.span, message), piece)
}

/// Adds where the characters of a piece stand, if that is not where it was written.
fn with_body(report: Diagnostic, piece: Piece) -> Diagnostic {
    also_if(report, (piece.span != piece.spelled).then_some(piece.spelled), "comes out of this macro")
}

/// Adds another place with a remark, if there is one.
pub(super) fn also_if(report: Diagnostic, place: Option<Span>, text: &str) -> Diagnostic {
    match place {
        Some(span) => report.also(span, text),
        None => report,
    }
}

/// A piece as a message shows it.
pub(super) fn shown(piece: Piece, names: &Names) -> String {
    let mut text = String::new();
    piece.kind.spell(names, &mut text);
    shorten(&text).into_owned()
}

/// As much of a text as a message can hold.
pub(super) fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use crate::preprocess::testing::read;

    #[test]
    fn an_error_out_of_a_macro_shows_the_use_and_the_body() {
        let reading = read("#define BIG 0xFF\nx = BIG;");
        let (report, place) = reading.only("P0005");
        assert_eq!(place, "BIG");
        assert_eq!(reading.sources.text(report.secondary[0].span), "0xFF");
    }

    #[test]
    fn at_most_twenty_messages_of_a_kind_are_given() {
        let reading = read(&"é".repeat(1000));
        assert_eq!(reading.diagnostics.len(), 20);
        assert!(reading.diagnostics[19].help[1].contains("left out"));
    }

    #[test]
    fn a_message_shows_only_the_beginning_of_a_long_text() {
        let long = "9".repeat(100_000);
        for text in
            [long.clone(), format!("{long}x"), format!("#{long}"), format!("#error {long}"), format!("#if {long}")]
        {
            let reading = read(&text);
            assert!(reading.diagnostics.iter().all(|report| report.message.len() < 300), "{:?}", reading.diagnostics);
        }
    }
}
