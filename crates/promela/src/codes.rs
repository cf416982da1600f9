//! The codes of this front end's diagnostics: what each means, with an example.
//!
//! | Codes        | Who says it | Explained in |
//! |--------------|-------------|--------------|
//! | P0001..P0020 | the preprocessor, about text and directives | `preprocessing` |
//! | P0101..P0116 | the parser, about the order of words        | `syntax` |
//! | P0201..P0219 | the lowering, about declarations            | `declarations` |
//! | P0220..P0246 | the lowering, about names and statements    | `statements` |
//! | P0251..P0254 | the lowering, as warnings                   | `warnings` |
//!
//! Every example is a whole model that gets its message, and no other; `tests/messages.rs` reads
//! them all, and compares what is said about them with snapshots.

pub use model::explanation::Explanation;

use model::explanation::{Table, find, read};

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    find(&ALL, code)
}

/// All codes, in order.
pub static ALL: Table = Table::new(|| read(&RANGES));

/// The texts of the ranges, in order.
const RANGES: [&str; 5] = [
    include_str!("codes/preprocessing.md"),
    include_str!("codes/syntax.md"),
    include_str!("codes/declarations.md"),
    include_str!("codes/statements.md"),
    include_str!("codes/warnings.md"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_in_order_and_every_explanation_is_whole() {
        assert_eq!(model::explanation::fault(&ALL), None);
    }

    #[test]
    fn a_code_is_found_in_upper_and_lower_case() {
        assert_eq!(explain("p0101").map(|entry| entry.code), Some("P0101"));
        assert!(explain("P9999").is_none());
    }
}
