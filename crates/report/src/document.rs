//! What one run of `check` on one file found: the facts that both the terminal and the JSON show.
//!
//! Here is also what the exit code makes of them. An outcome that is *advisory* was not requested: it is shown, and
//! whatever it says, the exit code does not count it.

pub use model::info::{ComponentsInfo, CompositionInfo, ModelInfo, ProgramInfo};

use crate::json::Unreadable;
use model::diagnostic::Diagnostic;
use model::semantics::Reading;
use model::source::SourceMap;
use model::verdict::{Outcome, Reason, Verdict};
use std::borrow::Cow;
use std::time::Duration;

/// A property that is there and that no one looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotChecked {
    /// The property, such as `ltl:p1`.
    pub property: String,
    /// Why.
    pub reason: Reason,
    /// The reading it would have been requested.
    pub reading: Reading,
    /// The user requested it: then it counts as inconclusive. Else it is only mentioned.
    pub asked: bool,
}

/// Everything there is to report about one file.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// The model.
    pub model: ModelInfo,
    /// The answers.
    pub outcomes: Cow<'a, [Outcome]>,
    /// Questions without an attempt at an answer.
    pub not_checked: Cow<'a, [NotChecked]>,
    /// The warnings of the front end.
    pub warnings: Cow<'a, [Diagnostic]>,
    /// The texts that spans refer to.
    pub sources: &'a SourceMap,
    /// Wall time for the file, reading it included.
    pub time: Duration,
}

/// What there is to say about one of several files.
#[derive(Clone, Debug)]
pub enum Entry<'a> {
    /// It was checked.
    Checked(Box<Document<'a>>),
    /// It could not be read.
    Unreadable(Unreadable<'a>),
}

impl Entry<'_> {
    /// The file as the user named it.
    pub fn file(&self) -> &str {
        match self {
            Entry::Checked(document) => &document.model.file,
            Entry::Unreadable(unreadable) => unreadable.file,
        }
    }

    /// The exit code for this file.
    pub fn exit_code(&self) -> i32 {
        match self {
            Entry::Checked(document) => document.exit_code(),
            Entry::Unreadable(unreadable) => unreadable.exit_code,
        }
    }

    /// What the front end says about it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Entry::Checked(document) => &document.warnings,
            Entry::Unreadable(unreadable) => unreadable.diagnostics,
        }
    }

    /// The texts that spans refer to.
    pub fn sources(&self) -> &SourceMap {
        match self {
            Entry::Checked(document) => document.sources,
            Entry::Unreadable(unreadable) => unreadable.sources,
        }
    }
}

impl Document<'_> {
    /// The exit code: 1 if something is violated, else 101 if a part of the tool contradicts another, else 3 if something
    /// asked has no answer, else 0.
    pub fn exit_code(&self) -> i32 {
        exit_code(&self.outcomes, &self.not_checked)
    }
}

/// The exit code: 1 if something is violated, else 101 if a part of the tool contradicts another, else 3 if something asked
/// has no answer, else 0.
pub fn exit_code(outcomes: &[Outcome], not_checked: &[NotChecked]) -> i32 {
    let codes = outcomes.iter().filter(|o| counts(o)).map(|outcome| match &outcome.verdict {
        Verdict::Proved => 0,
        Verdict::Violated => 1,
        Verdict::Inconclusive(reason) => reason.exit_code(),
        Verdict::Vacuous(_) => 3,
    });
    combined_exit_code(codes.chain(not_checked.iter().filter(|n| n.asked).map(|_| 3)))
}

/// Whether an outcome was requested.
pub(crate) fn counts(outcome: &Outcome) -> bool {
    !outcome.details.advisory
}

/// The exit code for several files: the most important one, in the order 2, 1, 101, 3, 0.
pub fn combined_exit_code(codes: impl IntoIterator<Item = i32>) -> i32 {
    let weight = |code: &i32| match code {
        0 => 0,
        3 => 1,
        1 => 3,
        2 => 4,
        _ => 2,
    };
    codes.into_iter().max_by_key(weight).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn code(verdicts: &[Verdict], asked: Option<bool>) -> i32 {
        let outcomes: Vec<_> = verdicts.iter().cloned().map(sample::outcome).collect();
        let not_checked: Vec<_> = asked.into_iter().map(sample::not_checked).collect();
        exit_code(&outcomes, &not_checked)
    }

    #[test]
    fn a_violation_outweighs_a_missing_answer_which_outweighs_proofs() {
        let late = Verdict::Inconclusive(Reason::Timeout);
        assert_eq!(code(&[Verdict::Proved], None), 0);
        assert_eq!(code(&[Verdict::Proved, late.clone()], None), 3);
        assert_eq!(code(&[Verdict::Vacuous(String::from("no label"))], None), 3);
        assert_eq!(code(&[late.clone(), Verdict::Violated, Verdict::Proved], None), 1);
        let bug = Verdict::Inconclusive(Reason::Internal(String::from("a proof against a run")));
        assert_eq!(code(&[late, bug.clone(), Verdict::Proved], Some(true)), 101);
        assert_eq!(code(&[bug, Verdict::Violated], None), 1);
    }

    #[test]
    fn a_property_that_is_not_checked_counts_only_if_it_was_asked_for() {
        assert_eq!(code(&[Verdict::Proved], Some(false)), 0);
        assert_eq!(code(&[Verdict::Proved], Some(true)), 3);
        assert_eq!(code(&[Verdict::Violated], Some(true)), 1);
    }

    #[test]
    fn advice_never_counts_whatever_it_says() {
        let late = Verdict::Inconclusive(Reason::Timeout);
        for verdict in [Verdict::Proved, Verdict::Violated, late, Verdict::Vacuous(String::new())] {
            let advice = sample::advisory(sample::outcome(verdict));
            assert_eq!(exit_code(std::slice::from_ref(&advice), &[]), 0);
            assert_eq!(exit_code(&[advice.clone(), sample::deadlock()], &[]), 1);
            assert_eq!(exit_code(&[advice], &[sample::not_checked(true)]), 3);
        }
    }

    #[test]
    fn several_files_exit_with_the_most_important_code() {
        assert_eq!(combined_exit_code([]), 0);
        assert_eq!(combined_exit_code([0, 3, 0]), 3);
        assert_eq!(combined_exit_code([3, 1]), 1);
        assert_eq!(combined_exit_code([1, 2, 3]), 2);
        assert_eq!(
            (combined_exit_code([3, 101, 0]), combined_exit_code([101, 1]), combined_exit_code([2, 101])),
            (101, 1, 2)
        );
    }
}
