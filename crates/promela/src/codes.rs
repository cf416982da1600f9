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

mod declarations;
mod preprocessing;
mod statements;
mod syntax;
mod warnings;

pub use model::explanation::Explanation;

use model::explanation::{count, find, joined};

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    find(ALL, code)
}

/// All codes, in order.
pub const ALL: &[Explanation] = &joined::<{ count(&RANGES) }>(&RANGES);

/// The tables of the ranges, in order.
const RANGES: [&[Explanation]; 5] =
    [preprocessing::CODES, syntax::CODES, declarations::CODES, statements::CODES, warnings::CODES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_in_order_and_every_explanation_is_whole() {
        assert_eq!(model::explanation::fault(ALL), None);
    }

    #[test]
    fn a_code_is_found_in_upper_and_lower_case() {
        assert_eq!(explain("p0101").map(|entry| entry.code), Some("P0101"));
        assert!(explain("P9999").is_none());
    }
}
