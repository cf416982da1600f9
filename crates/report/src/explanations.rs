//! The texts of `highwater explain`, in the order in which they are listed.
//!
//! Each says what the code means, shows a small model in which it happens, and says what to do. A
//! command is shown instead where no model is to blame.

mod reasons;
mod runs;
mod statements;
mod verdicts;

use crate::explain::Explanation;

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Explanation> {
    [verdicts::ALL, reasons::ALL, runs::ALL, statements::ALL].into_iter().flatten()
}

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
