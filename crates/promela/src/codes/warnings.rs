//! P0251 to P0255: what is probably meant otherwise.

use super::Explanation;

/// The codes of warnings of the lowering, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "P0251",
        title: "`hidden` is ignored",
        text: "\
SPIN leaves a `hidden` variable out of its states, on the promise that its value does not matter
from one step to the next. Highwater does not rely on that promise: the variable is part of the
state. The answers are right in any case, but there may be more states than SPIN counts. For a value
that does not matter, use the variable `_`, as in `q?_`.",
        example: "\
hidden byte scratch;
init { scratch = 1 }",
    },
    Explanation {
        code: "P0252",
        title: "constant does not fit",
        text: "\
A variable keeps as many bits of a value as its type has: 1 for `bit` and `bool`, 8 for `byte`, 16
for `short`. This constant has more, so another value is stored than the one that is written. Give
the variable a larger type, or correct the constant. What is computed while the model runs is cut in
the same way, without a message.",
        example: "\
byte x = 300;
init { x = 1 }",
    },
    Explanation {
        code: "P0253",
        title: "`else` beside a send or receive",
        text: "\
`else` can be taken when no other option can, at this very moment. Beside a send or receive, that
depends on what other processes do at the same time: if the message comes one step later, `else` may
have been taken already. This is right for polling, but often a mistake where waiting was meant. To
wait, leave the `else` out; to go on only when nothing else can happen in the whole model, use
`timeout`.",
        example: "\
chan q = [1] of { byte };
byte x;
active proctype P()
{
    if
    :: q?x
    :: else -> x = 1
    fi
}",
    },
    Explanation {
        code: "P0254",
        title: "array without an index",
        text: "\
The variable is an array, and only its elements have values. Without an index the first one is
taken, which is rarely meant. Say which element you mean, as in `a[0]`. To do something with all of
them, use `for (i in a) { .. a[i] .. }`.",
        example: "\
byte a[3];
init { a = 1 }",
    },
    Explanation {
        code: "P0255",
        title: "a variable that is never used",
        text: "\
Nothing refers to the variable. It does no harm but for the room it takes in every state; often it
is a leftover, or another variable was meant somewhere.",
        example: "\
byte used, unused;
init { used = 1 }",
    },
];
