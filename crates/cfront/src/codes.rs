//! The codes of this front end's diagnostics: what each means, with an example.
//!
//! | Codes        | Who says it | Explained in |
//! |--------------|-------------|--------------|
//! | C0001..C0005 | the preprocessor, the parser, the limits   | `syntax` |
//! | C0101..C0110 | the lowering, about what is not C          | `meaning` |
//! | C0201..C0213 | the lowering, about C that is not modelled | `unsupported` |
//!
//! Every example but three is a whole unit that gets its message, and no other; `tests/messages.rs` reads them all, and
//! compares what is said about them with snapshots. Two need a compiler that is missing or fails, one a limit.

use model::diagnostic::Diagnostic;
use model::explanation::{Table, find, read};
use model::source::Span;

pub use model::explanation::Explanation;

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    find(&ALL, code)
}

/// All codes, in order.
pub static ALL: Table = Table::new(|| {
    read(&[include_str!("codes/syntax.md"), include_str!("codes/meaning.md"), include_str!("codes/unsupported.md")])
});

/// What can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Say {
    Syntax,
    NoCompiler,
    Preprocessor,
    Nesting,
    Limit,
    UnknownName,
    Incomplete,
    Operands,
    NotConstant,
    UnknownLabel,
    UnknownMember,
    NoProcedure,
    Arguments,
    Misplaced,
    Redeclared,
    Float,
    Recursion,
    FunctionPointer,
    Heap,
    Union,
    BitField,
    Address,
    Punning,
    TooLarge,
    Assembler,
    VariableLength,
    Construct,
    Threads,
}

impl Say {
    /// Its code.
    pub fn code(self) -> &'static str {
        match self {
            Say::Syntax => "C0001",
            Say::NoCompiler => "C0002",
            Say::Preprocessor => "C0003",
            Say::Nesting => "C0004",
            Say::Limit => "C0005",
            Say::UnknownName => "C0101",
            Say::Incomplete => "C0102",
            Say::Operands => "C0103",
            Say::NotConstant => "C0104",
            Say::UnknownLabel => "C0105",
            Say::UnknownMember => "C0106",
            Say::NoProcedure => "C0107",
            Say::Arguments => "C0108",
            Say::Misplaced => "C0109",
            Say::Redeclared => "C0110",
            Say::Float => "C0201",
            Say::Recursion => "C0202",
            Say::FunctionPointer => "C0203",
            Say::Heap => "C0204",
            Say::Union => "C0205",
            Say::BitField => "C0206",
            Say::Address => "C0207",
            Say::Punning => "C0208",
            Say::TooLarge => "C0209",
            Say::Assembler => "C0210",
            Say::VariableLength => "C0211",
            Say::Construct => "C0212",
            Say::Threads => "C0213",
        }
    }

    /// An error at a place.
    pub fn at(self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.code(), span, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_in_order_and_every_explanation_is_whole() {
        assert_eq!(model::explanation::fault(&ALL), None);
    }

    #[test]
    fn a_code_is_found_in_upper_and_lower_case() {
        assert_eq!(explain("c0101").map(|entry| entry.code), Some("C0101"));
        assert!(explain("C9999").is_none());
    }
}
