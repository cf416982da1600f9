//! P0001 to P0020: the text of a model, its macros and its directives.

use super::Explanation;

/// The codes of the preprocessor, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "P0001",
        title: "stray character",
        text: "\
Outside of comments and strings, Promela knows the letters a to z and A to Z, digits, the
underscore, and its operators. Other characters often come from a word processor or a web page:
curly quotes, long dashes, blanks that are not plain. Replace the character by the plain one, or
remove it. A `#` that is not the first thing on its line is a stray character, too.",
        example: "\
byte größe;
init { größe = 1 }",
    },
    Explanation {
        code: "P0002",
        title: "comment without end",
        text: "\
A comment that begins with `/*` goes on to the next `*/`, over any number of lines. Here there is
none, so all the rest of the file is comment. Write `*/` where the comment ends. Comments do not
nest: the first `*/` ends the comment, however many `/*` came before.",
        example: "\
byte x;     /* the number of requests
init { x = 1 }",
    },
    Explanation {
        code: "P0003",
        title: "quotation without end",
        text: "\
A string in double quotes and a character in single quotes end on the line on which they begin.
Close the quotation on its line. A quote inside a string is written `\\\"`. For a long string, end
the line with a backslash: the next one continues it.",
        example: "\
init { printf(\"hello\\n) }",
    },
    Explanation {
        code: "P0004",
        title: "bad character constant",
        text: "\
Between single quotes stands exactly one ASCII character, whose code is the value: `'a'` is 97. The
escapes are `\\n`, `\\r`, `\\t`, `\\f`, `\\\\`, `\\'` and `\\\"`. Any other escape gets a warning,
because SPIN reads it as the character after the backslash: `'\\0'` is 48, the digit, and not 0.
Write the number that you mean, and use double quotes for a string.",
        example: "\
byte answer = 'yes';
init { answer = 'y' }",
    },
    Explanation {
        code: "P0005",
        title: "not a decimal number",
        text: "\
A word that begins with a digit is a number, and Promela has decimal numbers only: `0x1F` and `3rd`
are neither numbers nor names. Write the value in decimal, and let names begin with a letter.",
        example: "\
int mask = 0xFF;
init { mask = 0 }",
    },
    Explanation {
        code: "P0006",
        title: "number out of range",
        text: "\
The largest type of Promela, `int`, has 32 bits, so numbers go up to 2147483647. This one does not
even fit into 64 bits, and has no meaning at all. Use a smaller number; a model needs the order of
large values more often than the values themselves, and small values make it faster to check.",
        example: "\
int limit = 99999999999999999999;
init { limit = 0 }",
    },
    Explanation {
        code: "P0007",
        title: "`#if` without `#endif`",
        text: "\
What stands between `#if` (or `#ifdef`, `#ifndef`) and `#endif` is read only if the condition holds.
Without the `#endif` that would be all the rest of the file. Add `#endif` where the optional part
ends; it must be in the same file as the `#if`.",
        example: "\
#ifdef FAST
byte speed = 2;
init { skip }",
    },
    Explanation {
        code: "P0008",
        title: "misplaced `#elif`, `#else` or `#endif`",
        text: "\
The directive belongs to no `#if` of this file, or it comes after the `#else` of its `#if`, which
must be the last part. Remove it, or add the `#if` that it should belong to. An `#if` that another
file opened does not count.",
        example: "\
#define N 2
#endif
byte x = N;
init { x = 1 }",
    },
    Explanation {
        code: "P0009",
        title: "bad `#if` condition",
        text: "\
The condition of an `#if` or `#elif` is worked out before the model is read, so it consists of whole
numbers, `defined(NAME)`, parentheses and the operators of C. Variables of the model mean nothing
there, and a name without a macro counts as 0. Whether a macro exists at all is asked with `#ifdef
NAME`.",
        example: "\
#define N
#if N > 2
byte x;
#endif
init { skip }",
    },
    Explanation {
        code: "P0010",
        title: "bad directive",
        text: "\
A line that begins with `#` is a directive: `#define`, `#undef`, `#include`, `#if` and its
relatives, `#error`, `#warning`. This one does not exist, or it lacks what it needs, such as the
name of a macro or of a file, or the parameters of its macro are not names with commas between them.
`#line` and `#pragma` are allowed, and ignored.",
        example: "\
#defin N 3
init { skip }",
    },
    Explanation {
        code: "P0011",
        title: "macro next to a range",
        text: "\
To a C preprocessor, which SPIN uses, all of `1..N` is one word: it begins with a digit. So SPIN
does not see the macro `N` in it, and goes on to complain about `N`. Highwater expands the macro.
Write `1 .. N`, with blanks, and both read the same.",
        example: "\
#define N 3
byte i, sum;
init { for (i : 1..N) { sum = sum + i } }",
    },
    Explanation {
        code: "P0012",
        title: "macro defined twice",
        text: "\
A second `#define` gives the macro another body than the first one. From there on the second counts,
also inside of other macros that use it, which is rarely meant. Remove one of them, or write
`#undef` before the second if the change is intended. A macro from the command line (`-D`) counts as
the first; to make it win, put `#ifndef NAME` around the `#define`.",
        example: "\
#define SIZE 2
#define SIZE 4
chan q = [SIZE] of { byte };
init { q!1 }",
    },
    Explanation {
        code: "P0013",
        title: "wrong number of macro arguments",
        text: "\
A macro with parameters must be given one argument for each of them. Arguments are separated by
commas; a comma inside parentheses belongs to its argument, but one inside braces or brackets does
not. Give the macro what its `#define` asks for.",
        example: "\
#define MAX(a, b) ((a > b) -> a : b)
byte x;
init { x = MAX(3) }",
    },
    Explanation {
        code: "P0014",
        title: "macro call without end",
        text: "\
The arguments of a macro go up to the `)` that closes the call, over several lines if need be. The
file ends before it comes. Most often a `)` is missing right in the call; count the parentheses in
the arguments.",
        example: "\
#define TWICE(a) (2 * (a))
byte x;
init { x = TWICE((x + 1) }",
    },
    Explanation {
        code: "P0015",
        title: "bad `##`",
        text: "\
In the body of a macro, `a ## b` makes one word of two: a name, a number or an operator. Here the
two do not make one word, for instance because a name would begin with a bracket. Remove the `##`:
what stands side by side in a body stays side by side.",
        example: "\
#define ELEMENT(i) values ## [i]
byte values[3];
init { ELEMENT(0) = 1 }",
    },
    Explanation {
        code: "P0016",
        title: "included file not found",
        text: "\
The file that an `#include` names cannot be read. A name in double quotes is looked for beside the
file that includes it, then in the directories of `-I`; a name in angle brackets only in the latter.
Check the name, or add the directory with `-I DIR`.",
        example: "\
#include \"no_such_file.pml\"
init { skip }",
    },
    Explanation {
        code: "P0017",
        title: "endless `#include`",
        text: "\
Files include each other more than 64 deep: most likely one of them includes itself, directly or
through another file. Begin a file that may be included twice with `#ifndef NAME` and `#define
NAME`, and end it with `#endif`, so that its text is read only once.",
        example: "\
/* this file is example.pml */
#include \"example.pml\"
init { skip }",
    },
    Explanation {
        code: "P0018",
        title: "model too large to be read",
        text: "\
Reading stopped at a limit: the model has too many words, its macros and files expand to too many,
macro calls stand too deep in each other, or the time was over. Macros that use each other several
times multiply, so a few lines can become billions. Look for such macros first, and use an `inline`,
a process or a loop instead.",
        example: "\
#define A x++; x++; x++; x++; x++; x++; x++; x++; x++; x++
#define B A; A; A; A; A; A; A; A; A; A
#define C B; B; B; B; B; B; B; B; B; B
#define D C; C; C; C; C; C; C; C; C; C
#define E D; D; D; D; D; D; D; D; D; D
#define F E; E; E; E; E; E; E; E; E; E
#define G F; F; F; F; F; F; F; F; F; F
int x;
init { G }",
    },
    Explanation {
        code: "P0019",
        title: "message of the model itself",
        text: "\
The model contains a line `#error` or `#warning` that was reached while it was read. Its author put
it there for the case that something is missing or does not go together, and its text should say
what. Look at the `#if` around it: often a macro must be set on the command line with `-D
NAME=VALUE`.",
        example: "\
#ifndef SIZE
#error give the size of the queue with -D SIZE=N
#endif
init { skip }",
    },
    Explanation {
        code: "P0020",
        title: "number cut to 32 bits",
        text: "\
The largest type of Promela, `int`, has 32 bits, so numbers go up to 2147483647. Of a larger one
only the lower 32 bits are kept, as SPIN does: the model is read with the other number that the
message shows. Write that number if it is meant, or a smaller one.",
        example: "\
int limit = 4294967297;
init { limit = 0 }",
    },
];
