//! The codes of this front end's diagnostics, explained in `codes.md`.

pub use model::explanation::Explanation;

use model::explanation::{Table, find, read};

/// All codes, in order.
pub static ALL: Table = Table::new(|| read(&[include_str!("codes.md")]));

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    find(&ALL, code)
}
