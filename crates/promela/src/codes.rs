//! The codes of this front end's diagnostics: what each means, with an example.

/// What there is to say about a code.
#[derive(Debug, Clone, Copy)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means and what to do.
    pub text: &'static str,
    /// A model, or a part of one, that gets the message; may be empty.
    pub example: &'static str,
}

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    ALL.iter().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

/// All codes, in order.
pub const ALL: &[Explanation] = &[];
