//! F0001 to F0007: characters, and the order of words.

use super::Explanation;

/// The codes about syntax, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "F0001",
        title: "character that is not part of the language",
        text: "\
The text has characters outside of comments and quotes that mean nothing here. Names are made of
letters of the English alphabet, digits and `_`. Remove them, or put them into a comment: `// to
the end of the line` or `/* over several lines */`.",
        example: "\
P = (naïve -> P).",
    },
    Explanation {
        code: "F0002",
        title: "comment that is not closed",
        text: "\
A comment that begins with `/*` goes on up to the next `*/`, and there is none. All that follows
was taken for a comment. Comments do not nest. Close it, or use `//`, which ends with the line.",
        example: "\
P = (a -> P). /* the end",
    },
    Explanation {
        code: "F0003",
        title: "unexpected word",
        text: "\
Something else is expected at this place. Most often a `.` is missing at the end of the definition
before it, a `,` between local processes, or parentheses around `a -> P`. Names of processes,
constants, ranges and sets begin with a capital letter, those of events, propositions and
variables with a small one.",
        example: "\
P = (a -> P)
Q = (b -> Q).",
    },
    Explanation {
        code: "F0004",
        title: "number that is too large",
        text: "\
Numbers in a text go up to 2147483647.",
        example: "\
const N = 99999999999
P = (a[N] -> P).",
    },
    Explanation {
        code: "F0005",
        title: "nested too deeply",
        text: "\
Parentheses, conditions, sets and compositions can be nested 200 levels deep, and a label can have
200 parts. Give inner parts names of their own.",
        example: "\
P = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((STOP)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))).",
    },
    Explanation {
        code: "F0006",
        title: "something that LTSA has and this tool has not",
        text: "\
Priorities (`<<`, `>>`), `deterministic`, `constraint` and quantifiers in formulas are not
supported. They are refused where leaving them out could change an answer. The message says what
can be written instead.",
        example: "\
P = (a -> P | b -> P).
||S = (P) >> {a}.",
    },
    Explanation {
        code: "F0007",
        title: "quote that is not closed",
        text: "\
A text in quotes, which is a label or the name of a file, ends on the line on which it begins.",
        example: "\
P = \"machine.aut.",
    },
];
