//! F0501 to F0506: what is valid, but most likely a slip.

use super::Explanation;

/// The warnings, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "F0501",
        title: "relabelling that does nothing",
        text: "\
No process in front of the relabelling has an event with the old name, or one that begins with it.
A pair is written `new/old`.",
        example: "\
P = (call -> P).
||S = (P)/{cal/request}.",
    },
    Explanation {
        code: "F0502",
        title: "hiding that does nothing",
        text: "\
No process in front has such an event, so nothing is hidden (or, with `@`, kept).",
        example: "\
P = (a -> b -> P)\\{c}.",
    },
    Explanation {
        code: "F0503",
        title: "formula that can be read in two ways",
        text: "\
Formulas are read as SPIN reads them, where `&&`, `||`, `->` and `<->` bind equally tight, from
the left. Most people expect `&&` before `||` before `->`, which makes another formula of this
text. Set parentheses.",
        example: "\
P = (a -> b -> P).
ltl F { [] (a || b && a) }",
    },
    Explanation {
        code: "F0504",
        title: "progress property",
        text: "\
`progress P = {a, b}` is not checked, and the result is inconclusive. To say that one of the events happens again and
again, without LTSA's assumption of fair choice, write `ltl P { [] <> {a, b} }`.",
        example: "\
P = (a -> P).
progress LIVE = {a}",
    },
    Explanation {
        code: "F0505",
        title: "fluent with an unknown event",
        text: "\
No component has an event that should begin or end a fluent. The fluent takes no notice of it.",
        example: "\
P = (on -> off -> P).
fluent ON = <{on}, {of}>
assert F = []<> ON",
    },
    Explanation {
        code: "F0506",
        title: "formula of another system",
        text: "\
One of several systems of the text was asked for (`--system`), and a formula of the text speaks of
something that this system does not have. It is left out.",
        example: "\
P = (a -> P).
Q = (b -> Q).
||S = (P || Q).
ltl F { []<> b }                        // with --system P",
    },
];
