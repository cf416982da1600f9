//! P0201 to P0219: declarations.

use super::Explanation;

/// The codes about declarations, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "P0201",
        title: "symbolic constant declared twice",
        text: "\
All `mtype` lists of a model share their names, those of sets with a name of their own included. A
name that stands in two of them would have two values. Remove it from one of the lists, or rename
it.",
        example: "\
mtype = { request, reply };
mtype = { reply, close };
init { skip }",
    },
    Explanation {
        code: "P0202",
        title: "too many symbolic constants",
        text: "\
A variable of type `mtype` takes one byte, so a set has at most 255 constants; 0 stands for none.
Divide them into several sets: `mtype : color = { red, green }` declares a set of its own, which is
counted for itself.",
        example: "\
#define TEN(a) a ## 0, a ## 1, a ## 2, a ## 3, a ## 4, a ## 5, a ## 6, a ## 7, a ## 8, a ## 9
#define FIFTY(a) TEN(a ## 0), TEN(a ## 1), TEN(a ## 2), TEN(a ## 3), TEN(a ## 4)
mtype = { FIFTY(a), FIFTY(b), FIFTY(c), FIFTY(d), FIFTY(e), FIFTY(f) };
init { skip }",
    },
    Explanation {
        code: "P0203",
        title: "process type declared twice",
        text: "\
Two process types have the same name, or there are two `init`. A `run` could mean either of them.
Rename one. To start several processes of one type, write `active [2] proctype P()` or use `run`
several times; to start several types, use one `init` for all.",
        example: "\
proctype P() { skip }
proctype P() { skip }
init { run P() }",
    },
    Explanation {
        code: "P0204",
        title: "variable declared twice",
        text: "\
The same name is declared twice in the same place: among the globals, among the fields of a type, or
between the same braces. Remove or rename one of them. Inner braces may declare a name again; inside
of them it then means the inner variable.",
        example: "\
byte x;
int x;
init { x = 1 }",
    },
    Explanation {
        code: "P0205",
        title: "variable with the name of a symbolic constant",
        text: "\
The name stands in an `mtype` list, so it means a constant everywhere in the model, also before that
list. A variable of the same name could not be told from it. Choose another name for one of them.",
        example: "\
mtype = { ready, done };
bool ready;
init { skip }",
    },
    Explanation {
        code: "P0206",
        title: "variable too large",
        text: "\
Arrays in structures in arrays multiply: this variable would have more than a million elements. All
of them are part of every state, so no search could store many states. Make the arrays shorter; a
model with 3 of something most often shows the same errors as one with 1000.",
        example: "\
typedef Row { byte cell[2000] };
Row table[2000];
init { skip }",
    },
    Explanation {
        code: "P0207",
        title: "unknown type",
        text: "\
Two names in a row are a declaration, and the first must be a type: `bit`, `bool`, `byte`, `short`,
`int`, `unsigned`, `mtype`, `chan`, `pid`, or a `typedef` that comes before it in the file. Check
the spelling and the order. If this should be a statement, an operator or a separator is missing
between the two names.",
        example: "\
boolean ready;
init { skip }",
    },
    Explanation {
        code: "P0208",
        title: "impossible number of bits",
        text: "\
`unsigned x : 5` declares a variable of 5 bits, with the values 0 to 31. The number of bits is from
1 to 32.",
        example: "\
unsigned x : 40;
init { skip }",
    },
    Explanation {
        code: "P0209",
        title: "impossible number of elements",
        text: "\
An array has a fixed number of elements, at least 1 and at most 1048576. The number in the brackets
is that of the elements, so `byte a[2]` has `a[0]` and `a[1]`. Give the array the size that it
needs.",
        example: "\
#define WORKERS 0
byte busy[WORKERS];
init { skip }",
    },
    Explanation {
        code: "P0210",
        title: "not a constant",
        text: "\
The size of an array, the capacity of a channel and the number of active processes must be known
before anything runs. Use a number, a macro that stands for one, or an expression of them. A global
variable with a first value also counts, with that value.",
        example: "\
byte sizes[2];
chan q = [sizes[0]] of { byte };
init { q!1 }",
    },
    Explanation {
        code: "P0211",
        title: "list of first values without an array",
        text: "\
Braces give the elements of an array their first values, and this variable is not an array. Write
the value without braces, or declare an array: `byte x[2] = { 1, 2 }`.",
        example: "\
byte x = { 1, 2 };
init { x = 1 }",
    },
    Explanation {
        code: "P0212",
        title: "channel in a variable of another type",
        text: "\
`[2] of { byte }` makes a channel, and only a variable of type `chan` can hold one. Declare it as
`chan q = [2] of { byte }`.",
        example: "\
byte q = [2] of { byte };
init { skip }",
    },
    Explanation {
        code: "P0213",
        title: "impossible capacity of a channel",
        text: "\
A channel holds from 0 to 65535 messages. 0 is a rendezvous: a message is sent only while somebody
receives it. Every message that can be in a channel multiplies the states, so a small capacity is
better for checking, too. What can happen with channels of any length is asked with `--channels
unbounded`.",
        example: "\
chan q = [70000] of { byte };
init { q!1 }",
    },
    Explanation {
        code: "P0214",
        title: "a type that cannot be in a message",
        text: "\
A message is a row of simple fields. A structure in it stands for its fields, but an array of
structures inside of that structure cannot be laid out in this way. Send the elements one by one, or
send an index and keep the array in a global variable.",
        example: "\
typedef Point { byte x, y };
typedef Line { Point ends[2] };
chan q = [1] of { Line };
init { skip }",
    },
    Explanation {
        code: "P0215",
        title: "type declared twice",
        text: "\
Two `typedef` have the same name, so a declaration could mean either. Rename or remove one of them.
If both come from the same file, that file is included twice: put `#ifndef NAME`, `#define NAME` and
`#endif` around its text.",
        example: "\
typedef Point { byte x, y };
typedef Point { short x, y };
init { skip }",
    },
    Explanation {
        code: "P0216",
        title: "too many processes at the start",
        text: "\
`active [N] proctype` starts N processes, and together they are more than 100000. A model can have
255 processes at a time, as in SPIN. Use fewer: two or three of a kind most often show what many
would.",
        example: "\
active [200000] proctype Worker() { skip }
init { skip }",
    },
    Explanation {
        code: "P0217",
        title: "impossible priority",
        text: "\
The priority of a process is from 1, the lowest and what a process has if nothing is said, to 255.
Choose a number in that range; only the order of priorities matters.",
        example: "\
active proctype Urgent() priority 300 { skip }",
    },
    Explanation {
        code: "P0218",
        title: "parameter with a first value",
        text: "\
A parameter gets its value from the `run` that starts the process, so a first value would never be
used. Remove it, and pass the value: `run P(3)`.",
        example: "\
proctype P(byte n = 3) { n = 0 }
init { run P(1) }",
    },
    Explanation {
        code: "P0219",
        title: "parameter that is an array",
        text: "\
A process is started with simple values. Make the array global, and pass an index that says which
part the process may use; or pass each element in a parameter of its own.",
        example: "\
proctype P(byte a[2]) { skip }
init { skip }",
    },
];
