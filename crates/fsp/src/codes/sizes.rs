//! F0201 and F0202: what is too large.

use super::Explanation;

/// The codes about sizes, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "F0201",
        title: "too large",
        text: "\
A range has more than 2 million values, a component more than 2 million states or 20 million
steps, the text more than a million events or 20000 components, or all of it together is too much
to be written out. Make constants and ranges smaller.",
        example: "\
P = (a[0..1000000000] -> P).",
    },
    Explanation {
        code: "F0202",
        title: "definition without an end",
        text: "\
A composition, a process or a constant is defined by itself. Compositions can be, if a condition
stops it: `||S(N=3) = if N > 0 then (a[N]:P || S(N-1)) else (P)`.",
        example: "\
P = (a -> P).
||S(N=1) = (P || a:S(N+1)).",
    },
];
