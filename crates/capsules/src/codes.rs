//! The codes of this front end's diagnostics: what each means, with an example.
//!
//! | Codes        | Stage                                         | Explained in |
//! |--------------|-----------------------------------------------|--------------|
//! | U0001..U0008 | lexer and parser                              | `syntax` |
//! | U0101..U0127 | names, inheritance, structure, state machines | `structure` |
//! | U0201..U0203 | lowering                                      | `lowering` |
//! | U0301..U0306 | lowering, as warnings                         | `lowering` |
//!
//! Every example is a whole model that gets its message, and no other; `tests/messages.rs` reads them all.

pub use model::explanation::Explanation;

use model::explanation::{Table, find, read};

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    find(&ALL, code)
}

/// All codes, in order.
pub static ALL: Table = Table::new(|| read(&RANGES));

/// The texts of the ranges, in order.
const RANGES: [&str; 3] =
    [include_str!("codes/syntax.md"), include_str!("codes/structure.md"), include_str!("codes/lowering.md")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_in_order_and_every_explanation_is_whole() {
        assert_eq!(model::explanation::fault(&ALL), None);
    }
}
