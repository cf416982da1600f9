//! F0301 to F0304: formulas and fluents.

use super::Explanation;

/// The codes about formulas, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "F0301",
        title: "not a formula",
        text: "\
Formulas are made of `[] <> X U W V ! && || -> <->`, parentheses and atoms. Atoms are events,
propositions and fluents; several in braces mean one of them: `{a, b[1..2]}`. A name that is a
word of temporal logic goes into quotes: `\"release\"`.",
        example: "\
P = (a -> P).
ltl F { [] (a -> ) }",
    },
    Explanation {
        code: "F0302",
        title: "unknown name in a formula",
        text: "\
An atom is neither an event of a component, nor a proposition, nor a fluent. With `a:P` both
events and propositions of `P` begin with `a.`; hidden events cannot be named.",
        example: "\
P = (request -> reply -> P).
ltl F { [] (reqest -> <> reply) }",
    },
    Explanation {
        code: "F0303",
        title: "name of both an event and a proposition",
        text: "\
Say which is meant: `\"event x\"` or `\"prop x\"`.",
        example: "\
P{a} = (a -> P).
ltl F { [] a }",
    },
    Explanation {
        code: "F0304",
        title: "fluent that cannot be",
        text: "\
An event both begins and ends the fluent, or an index has no variable.",
        example: "\
P = (a -> P).
fluent ON = <{a}, {a}>",
    },
];
