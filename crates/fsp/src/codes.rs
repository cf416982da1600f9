//! The codes of this front end's diagnostics: what each means, with an example.
//!
//! | Codes        | Who says it | Explained in |
//! |--------------|-------------|--------------|
//! | F0001..F0007 | the lexer and the parser, about the order of words | `syntax` |
//! | F0101..F0114 | about definitions, names and what they mean        | `definitions` |
//! | F0201..F0202 | about what is too large                            | `sizes` |
//! | F0301..F0304 | about formulas and fluents                         | `formulas` |
//! | F0401..F0403 | about `.aut` files                                 | `automata` |
//! | F0501..F0507 | warnings                                           | `warnings` |
//!
//! Every example is a whole text that gets its message, and no other; `tests/messages.rs` reads them all, and compares
//! what is said about them with snapshots. Those of F04 are `.aut` files.

pub use model::explanation::Explanation;

use model::explanation::{Table, find, read};

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    find(&ALL, code)
}

/// All codes, in order.
pub static ALL: Table = Table::new(|| read(&RANGES));

/// The texts of the ranges, in order.
const RANGES: [&str; 6] = [
    include_str!("codes/syntax.md"),
    include_str!("codes/definitions.md"),
    include_str!("codes/sizes.md"),
    include_str!("codes/formulas.md"),
    include_str!("codes/automata.md"),
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
        assert_eq!(explain("f0101").map(|entry| entry.code), Some("F0101"));
        assert!(explain("F9999").is_none());
    }
}
