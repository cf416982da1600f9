//! P0101 to P0117: what cannot be parsed.

use super::Explanation;

/// The codes of the parser, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "P0101",
        title: "something else is expected here",
        text: "\
The words up to this place make sense, but this one cannot follow them. The message says what could
stand here. If the place itself looks right, look at what comes before it: a forgotten operand,
parenthesis or separator is noticed only at the next word.",
        example: "\
byte x = ;
init { x = 1 }",
    },
    Explanation {
        code: "P0102",
        title: "keyword used as a name",
        text: "\
Variables, channels, types, labels and processes cannot have the name of a keyword, such as `len`,
`full`, `empty`, `run`, `timeout` or `priority`, nor of a predefined variable, such as `_pid`.
Choose another name; one more letter is enough.",
        example: "\
byte timeout;
init { skip }",
    },
    Explanation {
        code: "P0103",
        title: "something is not closed",
        text: "\
Each `do` ends with `od`, each `if` with `fi`, and each bracket with its counterpart. The message
shows both where it was opened and the first word that cannot belong to it any more; the closing
word is missing somewhere between the two. If several are open, an inner one that lacks its end
takes the end of the outer one, so look at all of them.",
        example: "\
byte x;
active proctype P()
{
    x = 0;
    do
    :: x < 3 -> x++
    :: else -> break
}",
    },
    Explanation {
        code: "P0104",
        title: "embedded C",
        text: "\
`c_code`, `c_expr`, `c_decl`, `c_state` and `c_track` put C into a model. SPIN hands it to a
compiler without understanding it; Highwater checks the model itself and cannot see through C.
Express the same in Promela: variables, `d_step { .. }` for a computation in one step, `select` for
a value that may be anything.",
        example: "\
byte x;
init { x = 0; c_code { now.x = 1; } }",
    },
    Explanation {
        code: "P0105",
        title: "nested too deeply",
        text: "\
Parentheses, operators or statements stand in each other too deeply, or an expression has thousands
of operators. This hardly ever happens in a model that was written by hand; look at the macros or at
the program that made it. Split the expression: assign parts of it to variables.",
        example: "\
#define TEN      x + x + x + x + x + x + x + x + x + x
#define HUNDRED  TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN
#define THOUSAND HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED + \\
                 HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED
int x;
init { x = 1; x = THOUSAND + THOUSAND + THOUSAND + THOUSAND + THOUSAND }",
    },
    Explanation {
        code: "P0106",
        title: "`eval` outside of a receive",
        text: "\
In a receive, a variable takes the value of its field, so `eval(x)` is there to compare the field
with the value of `x` instead. Everywhere else a variable just means its value, and `eval` has no
place. Write the expression without it.",
        example: "\
byte x, y;
init { y = 1; x = eval(y) }",
    },
    Explanation {
        code: "P0107",
        title: "first value of an array is not constant",
        text: "\
The list in `byte a[2] = { 1, 2 }` gives the elements their values before anything runs, and can
hold numbers only. Assign other values to the elements in a statement, for instance first thing in
`init`.",
        example: "\
byte x;
byte a[2] = { 1, x };
init { a[0] = x }",
    },
    Explanation {
        code: "P0108",
        title: "separator missing between statements",
        text: "\
Between two statements stands `;` or `->`, which mean the same. The end of a line and a closing
brace count as one, too. Here a statement is complete and another word follows on the same line. Put
a `;` before that word, or an operator, if it should belong to the statement.",
        example: "\
byte x, y;
init { x = 1 y = 2 }",
    },
    Explanation {
        code: "P0109",
        title: "label before a declaration",
        text: "\
A label names a statement, a place where a process can be. A declaration is no such place. Put the
label before the next statement, or before a `skip`.",
        example: "\
init {
    start: byte x;
    x = 1;
    goto start
}",
    },
    Explanation {
        code: "P0110",
        title: "`return` without a receiver",
        text: "\
`return e` is allowed in an `inline` that is called for a value, as in `x = name(..)`: it assigns to
`x`. In a process, or in an inline that is called as a statement, nobody takes the value. Call the
inline for a value, or assign to a variable instead. A process ends at its closing brace; `goto` a
label there to end it early.",
        example: "\
byte x;
inline next() { x++; return x }
init { x = 0; next() }",
    },
    Explanation {
        code: "P0111",
        title: "no statement",
        text: "\
A body, a block and an option must have at least one statement, because a process must be able to
stand somewhere in it. Write `skip`, which does nothing.",
        example: "\
init { }",
    },
    Explanation {
        code: "P0112",
        title: "inline defined twice",
        text: "\
Two `inline` have the same name, so a call could mean either. Rename or remove one of them. If both
come from the same file, that file is included twice: put `#ifndef NAME`, `#define NAME` and
`#endif` around its text.",
        example: "\
byte x;
inline step() { x++ }
inline step() { x-- }
init { step() }",
    },
    Explanation {
        code: "P0113",
        title: "wrong number of arguments of an inline",
        text: "\
An inline is called with as many arguments as it has parameters. They are separated by commas; each
may be any text that makes sense where the parameter stands. Compare the call with the definition.",
        example: "\
byte x;
inline add(a, b) { x = a + b }
init { x = 0; add(1) }",
    },
    Explanation {
        code: "P0114",
        title: "inline that calls itself",
        text: "\
The body of an inline is copied to where it is called. One that calls itself, directly or through
others, would be copied forever. Use a loop, or a process that is started with `run` for each call.",
        example: "\
byte x;
inline count() { x++; count() }
init { count() }",
    },
    Explanation {
        code: "P0115",
        title: "inlines that become too long",
        text: "\
The body of an inline is copied to where it is called, so inlines that call others several times
multiply: together they have too many words to be read. Put the repetition into a loop, or make the
inline a process that answers requests over a channel.",
        example: "\
inline a() { x++; x++; x++; x++; x++; x++; x++; x++; x++; x++ }
inline b() { a(); a(); a(); a(); a(); a(); a(); a(); a(); a() }
inline c() { b(); b(); b(); b(); b(); b(); b(); b(); b(); b() }
inline d() { c(); c(); c(); c(); c(); c(); c(); c(); c(); c() }
inline e() { d(); d(); d(); d(); d(); d(); d(); d(); d(); d() }
inline f() { e(); e(); e(); e(); e(); e(); e(); e(); e(); e() }
inline g() { f(); f(); f(); f(); f(); f(); f(); f(); f(); f() }
int x;
init { g() }",
    },
    Explanation {
        code: "P0116",
        title: "no time left to read the model",
        text: "\
The limit of `--timeout` covers all of the work, and it was over before the model was read. A model
that was written by hand is read in a moment; one that takes longer was made by a program, or its
inlines are copied into each other many times. Make it smaller, or raise the limit.",
        example: "\
/* read with `--timeout 0.1s` */
inline a() { x++; x++; x++; x++; x++; x++; x++; x++; x++; x++ }
inline b() { a(); a(); a(); a(); a(); a(); a(); a(); a(); a() }
inline c() { b(); b(); b(); b(); b(); b(); b(); b(); b(); b() }
inline d() { c(); c(); c(); c(); c(); c(); c(); c(); c(); c() }
inline e() { d(); d(); d(); d(); d(); d(); d(); d(); d(); d() }
inline f() { e(); e(); e(); e(); e(); e(); e(); e(); e(); e() }
inline g() { f(); f(); f(); f(); f(); f(); f(); f(); f(); f() }
int x;
init { g() }",
    },
    Explanation {
        code: "P0117",
        title: "a call of something that is not an inline",
        text: "\
A name with arguments in parentheses is the call of an inline, and an inline must be defined before
it is called. A process is created with `run`. Loops and choices are `do` and `if`: there is no
`while`.",
        example: "\
byte x;
init {
  x = 1;
  advance(x)
}",
    },
];
