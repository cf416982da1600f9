//! F0101 to F0114: definitions, names and what they mean.

use super::Explanation;

/// The codes about definitions, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "F0101",
        title: "name defined twice",
        text: "\
Two constants, ranges or sets have one name, or two processes and compositions, two formulas and
fluents, two parameters, or two local processes of one process with indices in common. Rename one.",
        example: "\
P = (a -> P).
P = (b -> P).",
    },
    Explanation {
        code: "F0102",
        title: "unknown constant, range, set or variable",
        text: "\
A name is used that nothing defines. Constants are defined by `const N = 3`, ranges by `range R =
0..N`, sets by `set S = {a, b}`. A variable is bound by an index, `a[i:R]`, and is known from
there to the end of its alternative; indices of a local process are known in all of it.",
        example: "\
const COUNT = 3
P = (a[CUONT] -> P).",
    },
    Explanation {
        code: "F0103",
        title: "unknown process",
        text: "\
A composition is made of processes and compositions of the same text, and there is none with this
name.",
        example: "\
CLIENT = (call -> CLIENT).
||S = (a:CLEINT).",
    },
    Explanation {
        code: "F0104",
        title: "unknown local process",
        text: "\
What follows `->` is `STOP`, `END`, `ERROR`, or a local process: the first process itself, or one
that follows it, with commas in between, before the full stop. Other processes of the text are not
meant, but in front of `;` and in compositions.",
        example: "\
P = (a -> WAITING),
WAITNG = (b -> P).",
    },
    Explanation {
        code: "F0105",
        title: "index out of range",
        text: "\
A local process is used with an index for which it is not defined, or with another number of
indices. LTSA makes an error state of it; most often a guard is missing, as in `when (i < N) up ->
COUNT[i+1]`. Only states that can be reached count.",
        example: "\
P = COUNT[0],
COUNT[i:0..3] = (up -> COUNT[i+1]).",
    },
    Explanation {
        code: "F0106",
        title: "wrong number of arguments",
        text: "\
A process with parameters is used with all of them, `P(3, 4)`, or with none, `P`; then the values
in its definition are taken.",
        example: "\
P(N=1) = (a[N] -> P).
||S = (P(1, 2)).",
    },
    Explanation {
        code: "F0107",
        title: "label where a number is needed",
        text: "\
A variable that ranges over a set of labels can be a part of labels and be compared by `==` and
`!=`, but not be calculated with.",
        example: "\
P = (say[x:{yes, no}] -> Q[x]),
Q[x:{yes, no}] = (when (x > 0) done -> P).",
    },
    Explanation {
        code: "F0108",
        title: "number without a value",
        text: "\
An expression divides by zero, or its value does not fit 64 bits.",
        example: "\
const N = 0
P = (a[1/N] -> P).",
    },
    Explanation {
        code: "F0109",
        title: "process that only names itself",
        text: "\
A local process is another name for a second one, which leads back to the first, and no event ever
happens. Write what it does, or `STOP`.",
        example: "\
P = Q,
Q = P.",
    },
    Explanation {
        code: "F0110",
        title: "property that is not deterministic",
        text: "\
A property watches events, and must know from them alone where it is: no state has two steps with
one event, and nothing is hidden. Join the alternatives: instead of `(a -> b -> P | a -> c -> P)`
write `(a -> (b -> P | c -> P))`.",
        example: "\
property P = (a -> b -> P | a -> c -> P).",
    },
    Explanation {
        code: "F0111",
        title: "no process",
        text: "\
The text defines no process, or none with the name that was asked for.",
        example: "\
const N = 3",
    },
    Explanation {
        code: "F0112",
        title: "proposition of two components",
        text: "\
Components share no propositions: a proposition is about the state of one of them. Rename one, or
label the processes, `a:P || b:P`: then the propositions are `a.p` and `b.p`.",
        example: "\
P{busy} = (a -> P).
Q{busy} = (b -> Q).
||S = (P || Q).",
    },
    Explanation {
        code: "F0113",
        title: "relabelling of a composition with hidden events",
        text: "\
Relabelling applies to every component of a composition, so that events with one new name happen
together. In a composition with hidden events LTSA composes first and relabels then, where they do
not. So that nothing is read in two ways, such a relabelling is refused. Do it before anything is
hidden, inside.",
        example: "\
P = (a -> x -> P).
Q = (b -> x -> Q).
||S = (P || Q)\\{x}.
||T = (S)/{c/a, c/b}.",
    },
    Explanation {
        code: "F0114",
        title: "file that cannot be read",
        text: "\
A process is read from an `.aut` file, whose name is relative to the text that names it.",
        example: "\
P = \"missing.aut\".",
    },
];
