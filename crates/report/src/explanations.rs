//! The texts of `highwater explain`, in the order in which they are listed.
//!
//! Each says what the code means, shows a small model in which it happens, and says what to do. A
//! command is shown instead where no model is to blame.

use model::explanation::{Explanation, Table, read};

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Explanation> {
    ALL.iter()
}

static ALL: Table = Table::new(|| {
    read(&[
        include_str!("explanations/verdicts.md"),
        include_str!("explanations/reasons.md"),
        include_str!("explanations/runs.md"),
        include_str!("explanations/statements.md"),
    ])
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_on_a_terminal() {
        let parts = |e: &Explanation| [e.title, e.text, e.example, e.advice];
        for line in all().flat_map(parts).flat_map(str::lines) {
            assert!(line.chars().count() <= 104, "{line}");
        }
    }
}
