//! The codes of this front end's diagnostics: what each means, with an example.
//!
//! | Codes        | Who says it | Explained in |
//! |--------------|-------------|--------------|
//! | S0001..S0006 | the lexer and the parser, about the order of words | `syntax` |
//! | S0101..S0113 | the lowering, about declarations, names and data   | `declarations` |
//! | S0201..S0205 | the lowering, about bad configurations             | `configurations` |
//! | S0301        | the lowering, as a warning                         | `warnings` |
//!
//! Every example is a whole model that gets its message, and no other; `tests/messages.rs` reads them all, and compares
//! what is said about them with snapshots.

pub use model::explanation::Explanation;

use model::explanation::{Table, find, read};

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    find(&ALL, code)
}

/// All codes, in order.
pub static ALL: Table = Table::new(|| read(&RANGES));

/// The texts of the ranges, in order.
const RANGES: [&str; 4] = [
    include_str!("codes/syntax.md"),
    include_str!("codes/declarations.md"),
    include_str!("codes/configurations.md"),
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
        assert_eq!(explain("s0101").map(|entry| entry.code), Some("S0101"));
        assert!(explain("S9999").is_none());
    }
}
