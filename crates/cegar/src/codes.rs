//! The codes of this front end's diagnostics.

/// What a code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// In a few words.
    pub title: &'static str,
    /// In full.
    pub text: &'static str,
}

const fn entry(code: &'static str, title: &'static str, text: &'static str) -> Explanation {
    Explanation { code, title, text }
}

const CODES: &[Explanation] = &[
    entry(
        "M0001",
        "syntax",
        "A definition of a specification is not complete, or has a part that does not belong there.",
    ),
    entry(
        "M0002",
        "expression",
        "An expression of C was expected: variables, numbers, `$0`, arithmetic, comparisons, logic.",
    ),
    entry("M0003", "file", "A C file cannot be read. File names are relative to the specification."),
    entry("M0004", "not supported", "The specification says something that is not supported."),
    entry("M0101", "no program", "A specification needs one `program = (a || b)`, whose parts have different names."),
    entry("M0102", "unknown routine", "`cproc` speaks of a routine or procedure that no file has."),
    entry("M0103", "unknown procedure", "The program names a procedure or a process that is not defined."),
    entry(
        "M0104",
        "unknown variable",
        "An expression names a variable that the procedure does not have, or has more than once.",
    ),
    entry(
        "M0105",
        "unknown argument",
        "`$0` is the result of a routine, `$1` its first argument; elsewhere they mean nothing.",
    ),
    entry("M0106", "impossible return", "No value satisfies the condition of a `return`."),
    entry("M0107", "unknown event", "A relabelling `new/old` names an event that the part does not have."),
    entry("M0108", "process", "A process cannot be used here."),
    entry(
        "M0109",
        "shared variable",
        "One part of the program writes a variable that another one uses. Parts have variables of their own, and meet in \
         events only: what would be proved of two copies need not hold of one variable. `_Thread_local` in its \
         declaration says that each part has its own.",
    ),
    entry("M0201", "formula", "The text of a formula is not a formula."),
    entry(
        "M0202",
        "two readings",
        "`&&`, `||` and `->` bind equally, as in SPIN. Parentheses make clear what is meant.",
    ),
    entry("M0203", "unknown atom", "A formula names an event or a proposition that no part has."),
    entry("M0204", "several parts", "An expression in a formula speaks of the variables of more than one part."),
];

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    all().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

/// All codes, in order.
pub fn all() -> impl Iterator<Item = &'static Explanation> {
    CODES.iter()
}
