//! P0220 to P0246: names, expressions and statements.

use super::Explanation;

/// The codes about what processes do, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "P0220",
        title: "unknown label",
        text: "\
A `goto` can lead to any label of the same process type, and `P@label` asks about a label of the
process type `P`. There is no such label. Check the spelling, or write `name:` before the statement
that is meant. A label in one process type is unknown in all others.",
        example: "\
byte x;
init {
again:
    x++;
    goto agian
}",
    },
    Explanation {
        code: "P0221",
        title: "jump that leads to itself",
        text: "\
A `goto` takes no step of its own: it says which statement comes next. Jumps that lead to each other
without a statement between them never come to one. Put a statement between the label and the jump.
To stop a process for good, let it wait for what never happens: `false`.",
        example: "\
init {
stop:
    goto stop
}",
    },
    Explanation {
        code: "P0222",
        title: "jump into or out of a `d_step`",
        text: "\
A `d_step` is one indivisible step, from its first statement to its last, so no jump can leave it in
the middle or enter it there. A `break` that leaves a loop around the `d_step` is such a jump, too.
Use `atomic`, which allows jumps, or let the `d_step` set a variable that is tested after it.",
        example: "\
byte x;
init {
    do
    :: d_step { x++; if :: x > 3 -> goto done :: else fi }
    od;
done:
    skip
}",
    },
    Explanation {
        code: "P0223",
        title: "two `else` in one choice",
        text: "\
`else` can be taken when no other option of its `if` or `do` can, so a choice has at most one. An
option that begins with an inner `if` or `do` brings the inner options along, with their `else`.
Remove one of them, or put a statement such as `skip` before the inner choice.",
        example: "\
byte x;
init {
    if
    :: x > 1 -> x = 0
    :: else -> x = 1
    :: else -> x = 2
    fi
}",
    },
    Explanation {
        code: "P0224",
        title: "loop that does nothing",
        text: "\
An option `:: skip` in a `do`, with nothing after it, leads from a place to that same place without
changing anything: a step that can be taken forever and means nothing. SPIN's verifier refuses it,
too. Remove the option, or let it wait for something or change something. To say that the process
may stay where it is, nothing need be written.",
        example: "\
byte x;
init {
    do
    :: x < 3 -> x++
    :: skip
    od
}",
    },
    Explanation {
        code: "P0225",
        title: "unknown variable",
        text: "\
The name is not declared, or not where it can be seen from here. A variable must be declared before
it is used, in the order of the file; one that is declared inside braces, or in a process type, is
seen only there. Check the spelling, or declare it, for instance with `byte name;`.",
        example: "\
byte counter;
init { conter = 1 }",
    },
    Explanation {
        code: "P0226",
        title: "wrong number of indices",
        text: "\
`P[n]:a` means the variable `a` of another process. If `a` is an array there, one of its elements
must be named, as in `P[n]:a[0]`; if it is not, there must be no index.",
        example: "\
active proctype P() { byte a[3]; a[0] = 1 }
active proctype Watch() { assert(P[0]:a == 0) }",
    },
    Explanation {
        code: "P0227",
        title: "structure used as a value",
        text: "\
A variable of a `typedef` has fields, and only these have values. Name the field, as in `p.x`. A
structure as a whole can be sent and received, but it cannot be assigned, compared or computed with:
assign its fields one by one.",
        example: "\
typedef Point { byte x, y };
Point p;
init { p = 1 }",
    },
    Explanation {
        code: "P0228",
        title: "index on something that is no array",
        text: "\
Only a variable that is declared with a number of elements, as in `byte a[3]`, takes an index. Leave
the index out, or declare the variable as an array.",
        example: "\
byte x;
init { x[0] = 1 }",
    },
    Explanation {
        code: "P0229",
        title: "unknown field",
        text: "\
After the dot stands the name of a field that the `typedef` of the variable declares. This one has
no such field, or the variable is not a structure at all. Compare with the `typedef`.",
        example: "\
typedef Point { byte x, y };
Point p;
init { p.z = 1 }",
    },
    Explanation {
        code: "P0230",
        title: "`run` inside an expression",
        text: "\
`run` starts a process and gives its number, so an expression with a `run` in it does something when
it is evaluated. That is supported where the `run` is the statement itself and in an assignment.
Assign its number to a variable first, `p = run P()`, and use the variable in the expression.",
        example: "\
proctype P() { skip }
init { if :: run P() > 0 -> skip fi }",
    },
    Explanation {
        code: "P0231",
        title: "temporal operator inside a value",
        text: "\
The operators `[]`, `<>`, `X`, `U`, `W`, `V` and their names say when something is true. They can
stand around conditions and be joined by `&&`, `||`, `!` and `->`, but not inside a value such as an
index, or the argument of `enabled`. Move them to the outside of the condition.",
        example: "\
bool seen[2], done;
ltl wrong { [] seen[<> done] }
init { seen[0] = true; done = true }",
    },
    Explanation {
        code: "P0232",
        title: "unknown process type",
        text: "\
After `run`, and before the `@` or `:` of a remote reference, stands the name of a `proctype` of the
model. There is none with this name. Check the spelling; the order in the file does not matter here.
An `inline` is called without `run`.",
        example: "\
proctype Worker() { skip }
init { run Woker() }",
    },
    Explanation {
        code: "P0233",
        title: "unknown variable of another process",
        text: "\
`P[n]:x` means the variable `x` of the process with number `n`, of type `P`. That type declares no
such variable, or it comes later in the file. Check the name, and put the process type before the
place where its variable is read.",
        example: "\
active proctype P() { byte count; count = 1 }
active proctype Watch() { assert(P[0]:total < 2) }",
    },
    Explanation {
        code: "P0234",
        title: "`_` read",
        text: "\
The variable `_` takes values and forgets them: use it for fields of a message that do not matter,
as in `q?_,x`. It has no value to be read. Use a variable of your own.",
        example: "\
byte x;
init { x = _ + 1 }",
    },
    Explanation {
        code: "P0235",
        title: "not a channel",
        text: "\
Sending, receiving, polling and `len`, `full`, `empty`, `nfull`, `nempty` are for channels, and this
variable cannot hold one. Declare it with `chan`, or check whether another variable is meant. To
negate a condition, put the `!` before it: `x!y` sends `y` to `x`.",
        example: "\
bool q;
init { q!1 }",
    },
    Explanation {
        code: "P0236",
        title: "predefined variable assigned",
        text: "\
`_pid`, `_nr_pr` and `_last` say which process this is, how many there are, and which one moved
last. They change by themselves and can be read only. In a receive, a name takes the value of the
field; to compare the field with a predefined variable instead, write `eval(_pid)`.",
        example: "\
init { _pid = 3 }",
    },
    Explanation {
        code: "P0237",
        title: "wrong number of message fields",
        text: "\
A channel is declared with the types of the fields of its messages, and each send and receive must
have all of them. A structure counts as all of its fields. Add or remove fields, or change the
declaration; in a receive, `_` stands for a field that does not matter. `q!a(b,c)` means the same as
`q!a,b,c`.",
        example: "\
chan q = [2] of { byte, bool };
init { q!7 }",
    },
    Explanation {
        code: "P0238",
        title: "wrong number of parameters",
        text: "\
A process is started with one value for each parameter of its process type. A parameter that is a
structure takes one for each field. Compare the `run` with the `proctype`. Process types that are
`active` start without a `run`, and all their parameters are then 0.",
        example: "\
proctype Worker(byte id; chan out) { out!id }
init { run Worker(1) }",
    },
    Explanation {
        code: "P0240",
        title: "label defined twice",
        text: "\
Two statements between the same braces have the same label, so a `goto` could mean either. Rename
one of them. Only the beginning of a name decides whether it is an `end`, `progress` or `accept`
label: `end1` and `end_idle` are end labels, too.",
        example: "\
byte x;
init {
end:
    x = 1;
end:
    x = 2
}",
    },
    Explanation {
        code: "P0241",
        title: "`break` outside of a loop",
        text: "\
`break` leaves the innermost `do` or `for` around it, and there is none here. To leave something
else, use `goto` and a label. An `if` needs no `break`: its options end where the next `::` begins.",
        example: "\
byte x;
init {
    if
    :: x == 0 -> break
    :: else -> skip
    fi
}",
    },
    Explanation {
        code: "P0242",
        title: "symbolic constant assigned",
        text: "\
The names of an `mtype` list are constants, like numbers. Declare a variable, as in `mtype state;`,
and assign the constant to it: `state = ready`. To compare, write `==`.",
        example: "\
mtype = { ready, done };
init { ready = done }",
    },
    Explanation {
        code: "P0243",
        title: "loop variable that is a channel",
        text: "\
`for` and `select` give their variable one number after the other, and a channel is not a number.
Use a variable of a number type. To go through the messages of a channel, write `for (m in q) { ..
}` with a variable `m` of the type of the messages.",
        example: "\
chan q = [2] of { byte };
init { for (q : 1 .. 3) { skip } }",
    },
    Explanation {
        code: "P0244",
        title: "empty range",
        text: "\
`select (x : a .. b)` gives `x` any value from `a` to `b`, both included. Here `b` is less than `a`,
so there is none to choose. Exchange the bounds, or correct them.",
        example: "\
byte x;
init { select (x : 5 .. 1) }",
    },
    Explanation {
        code: "P0245",
        title: "label before one part of an `unless`",
        text: "\
`name: a unless b` could label the statement `a` or all of it. SPIN wants it to be written in one of
two ways: `name: { a unless b }` labels all of it, `{ name: a } unless b` labels the statement `a`.",
        example: "\
byte x;
init {
    again: x++ unless { x > 3 }
}",
    },
    Explanation {
        code: "P0246",
        title: "no process runs",
        text: "\
A model is what its processes do, and in this one there are none: no `init`, and no process type
with `active` before it. A `proctype` alone only says what a process would do. Write `active
proctype P()`, or start it from `init { run P() }`.",
        example: "\
byte x;
proctype P() { x = 1 }",
    },
    Explanation {
        code: "P0247",
        title: "event that is not one",
        text: "\
In a formula, `ch!msg` says that `msg` is sent to `ch`, and `ch?msg` that it is taken from it. The
channel is one that is declared outside of processes with its capacity, or an element of an array
with a constant index. The fields are constants; `_` stands for any value, and fields at the end can
be left out.",
        example: "\
chan q = [2] of { byte, byte };
byte x;
ltl wrong { <> q!x }
init { q!1,2; q?x,_ }",
    },
];
