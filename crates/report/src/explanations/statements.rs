//! What is wrong with a statement, in Promela and in C.

use crate::explain::Explanation;

pub(super) const ALL: &[Explanation] = &[
    Explanation {
        code: "assertion",
        title: "an assertion does not hold",
        text: "\
A run reaches `assert(e)` when `e` is 0. An assertion is always executable; it does not wait for its
condition to become true.",
        example: "\
byte n;
active [2] proctype P() {
  byte old;
  old = n;
  n = old + 1;
  assert(n == old + 1)  /* not if the other process came in between */
}",
        advice: "\
follow the run to see which step made the condition false; two steps that must not be separated
belong into an `atomic`.",
    },
    Explanation {
        code: "error-call",
        title: "an error routine is called",
        text: "\
A run of a C program calls `__VERIFIER_error` or `reach_error`.",
        example: "\
void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 7) reach_error();
}",
        advice: "\
follow the run and its inputs; `--c-test OUT.c` writes a program that a compiler takes and that
does the same.",
    },
    Explanation {
        code: "error-label",
        title: "an error label is reached",
        text: "\
A run of a C program gets to the label `ERROR`, in a text that calls no error routine.",
        example: "\
int main(void) {
  int x;
  if (x == 7) goto ERROR;
  return 0;
ERROR:
  return 1;
}",
        advice: "\
follow the run and its inputs; `--c-test OUT.c` writes a program that a compiler takes and that
does the same.",
    },
    Explanation {
        code: "division-overflow",
        title: "the lowest number is divided by -1",
        text: "\
The quotient of the lowest number of a signed type and -1 does not fit into the type. C does not say
what happens then.",
        example: "\
int main(void) {
  int x = -2147483647 - 1;
  return x / -1;
}",
        advice: "ask before dividing.",
    },
    Explanation {
        code: "shift-out-of-range",
        title: "a shift by too many bits",
        text: "\
A number is shifted by a negative number of bits, or by as many bits as it has or more. C does not say
what happens then.",
        example: "\
int main(void) {
  int n = 32;
  return 1 << n;
}",
        advice: "keep the number of bits below the width of the promoted type.",
    },
    Explanation {
        code: "invalid-pointer",
        title: "a pointer that points to nothing of that kind",
        text: "\
A run of a C program reads or writes through a pointer that is null, that points behind the end of an
object, or into its middle.",
        example: "\
int main(void) {
  int *p = 0;
  return *p;
}",
        advice: "follow the pointer backwards in the run: the last step that changes it is to blame.",
    },
    Explanation {
        code: "pointer-arithmetic",
        title: "pointer arithmetic leaves the object",
        text: "\
A sum would point neither into its object nor to the place right behind it, or two pointers into
different objects are subtracted or compared by order. C does not say what happens then.",
        example: "\
int a[3];
int main(void) {
  int *p = a + 5;
  return 0;
}",
        advice: "keep the index inside of the array.",
    },
    Explanation {
        code: "signed-overflow",
        title: "a signed result does not fit",
        text: "\
The result of an operation on signed numbers is none of its type. It is an error only if
`--c-signed-overflow` asks for it; else the result wraps around.",
        example: "\
int main(void) {
  int x = 2147483647;
  return x + 1;
}",
        advice: "use a wider or an unsigned type, or ask before adding.",
    },
    Explanation {
        code: "index-out-of-range",
        title: "an array has no such element",
        text: "\
An index is negative, or not less than the number of elements. Elements are numbered from 0. The run
cannot go on.",
        example: "\
byte a[3];
active proctype P() {
  byte i;
  do
  :: i <= 3 -> a[i] = 1; i++    /* a[3] does not exist */
  :: else -> break
  od
}",
        advice: "correct the bound: `i < 3`.",
    },
    Explanation {
        code: "division-by-zero",
        title: "division, or remainder, by zero",
        text: "\
The right-hand side of `/` or `%` is 0 when the expression is evaluated. The run cannot go on.",
        example: "\
byte n;
active proctype P() { byte share; share = 12 / n }",
        advice: "guard the expression: `if :: n > 0 -> share = 12 / n :: else fi`.",
    },
    Explanation {
        code: "uninitialised-channel",
        title: "a channel variable that refers to no channel",
        text: "\
A `chan` without an initialiser is a reference that refers to nothing until a channel is assigned to
it or received into it.",
        example: "\
chan reply;                             /* no `= [1] of { byte }` */
active proctype P() { reply!1 }",
        advice: "give the declaration an initialiser, or assign a channel before the variable is used.",
    },
    Explanation {
        code: "dead-channel",
        title: "a channel whose process has ended",
        text: "\
A channel that is declared inside a process vanishes with it. Another process still has a reference to
it and uses it.",
        example: "\
chan hello = [1] of { chan };
proctype Client() { chan own = [1] of { byte }; hello!own }
init { chan reply; run Client(); hello?reply; _nr_pr == 1; reply!1 }",
        advice: "declare the channel outside, or let its process wait until nobody needs it.",
    },
    Explanation {
        code: "field-count",
        title: "a message with another number of fields than the channel has",
        text: "\
Where the channel is known from its declaration, this is found before anything runs. Here it came
through a variable, a parameter or a message, and was another kind of channel.",
        example: "\
chan pair = [1] of { byte, byte };
proctype P(chan c) { c!1 }              /* one field, but `pair` has two */
init { run P(pair) }",
        advice: "use channels of one kind for one parameter, or send all fields.",
    },
    Explanation {
        code: "poll-rendezvous",
        title: "the contents of a rendezvous channel",
        text: "\
A channel of capacity 0 never holds a message, so there is nothing that `c?[..]` or `c?<..>` could look
at: a message is handed over in the same step in which it is sent.",
        example: "\
chan c = [0] of { byte };
active proctype P() { c!1 }
active proctype Q() { c?[1] -> c?1 }",
        advice: "receive without asking before, or give the channel a capacity of at least 1.",
    },
    Explanation {
        code: "blocked-d_step",
        title: "a statement inside d_step cannot be executed",
        text: "\
A `d_step` is one step: once it has begun, every statement in it must be executable when its turn
comes. Only its first statement may wait. An `if` without `else` in which no guard holds is the usual
case.",
        example: "\
byte x;
active proctype P() { d_step { x = 1; x == 2; x = 3 } }",
        advice: "move the condition to the front of the `d_step`, add an `else`, or use `atomic`.",
    },
    Explanation {
        code: "endless-d_step",
        title: "a d_step that does not end",
        text: "\
A `d_step` is one step and must come to its end. This one has executed a million statements and has not.",
        example: "\
byte x;
active proctype P() { d_step { do :: x = 1 - x od } }",
        advice: "give the loop a `break`, or use `atomic`: then each turn is a step.",
    },
    Explanation {
        code: "rendezvous-in-d_step",
        title: "a rendezvous inside d_step",
        text: "\
A rendezvous is a step of two processes. A `d_step` is a step of one, so only its first statement may be
one.",
        example: "\
byte x;
chan c = [0] of { byte };
active proctype P() { d_step { x = 1; c!x } }
active proctype Q() { byte y; c?y }",
        advice: "move it out of the `d_step`, or use `atomic`.",
    },
    Explanation {
        code: "enabled-self",
        title: "a process asks whether it is enabled itself",
        text: "\
`enabled(p)` says whether process `p` can move. For the process that asks, the answer would depend on
itself.",
        example: "active proctype P() { enabled(_pid) -> skip }",
        advice: "ask about another process, or leave the condition out.",
    },
];
