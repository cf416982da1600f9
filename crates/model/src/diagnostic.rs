//! What a front end says about bad or dubious input.
//!
//! A [`Diagnostic`] is a value; it is not printed here. It has a code that `highwater explain` knows,
//! a primary place with what is wrong there, further places that help, and a hint that says what
//! would be right. A front end collects as many as it finds in one run; rendering is the business
//! of `report`.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The model cannot be read.
    Error,
    /// The model can be read, but probably says something else than its author means.
    Warning,
}

/// A place with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be said about it; may be empty.
    pub text: String,
}

/// One message about the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The code that `highwater explain` takes, such as `P0101`.
    pub code: &'static str,
    /// What is wrong, in one line.
    pub message: String,
    /// The place that is wrong.
    pub primary: Label,
    /// Other places that help to understand, such as an earlier declaration.
    pub secondary: Vec<Label>,
    /// What would be right.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message.into())
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: String) -> Self {
        let primary = Label { span, text: String::new() };
        Diagnostic { severity, code, message, primary, secondary: Vec::new(), help: Vec::new() }
    }

    /// What is to be said under the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Another place with a remark.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// A hint about what would be right.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Whether it keeps the model from being read.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The name among `candidates` that looks most like `name`, if any looks like it at all.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + name.chars().count() / 3;
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty() && *candidate != name)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| {
            distance <= limit && distance < candidate.chars().count().min(name.chars().count())
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, one row at a time; a change of case costs nothing extra beyond one.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let names = ["request", "reply", "ack"];
        assert_eq!(nearest("reqest", names), Some("request"));
        assert_eq!(nearest("zzzzzz", names), None);
        assert_eq!(nearest("x", ["y", "z"]), None);
    }
}
