//! The texts of `highwater explain`, in the order in which they are listed.
//!
//! Each says what the code means, shows a small model in which it happens, and says what to do. A
//! command is shown instead where no model is to blame.

use crate::explain::Explanation;

/// All of them.
pub(crate) const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "proved",
        title: "the property holds",
        text: "\
No run of the model violates the property, for the reading of the channels that the verdict names.
The proof comes with a certificate: for an exhaustive search, the number of states and a digest of
their set; for the flow engine, its weights. A proof for the channels as declared says nothing about
longer channels.",
        example: "\
byte x;
active proctype P() { x = 1; assert(x == 1) }",
        advice: "\
nothing; `highwater check --certificate OUT.json` writes the certificate, and
`highwater verify-certificate` checks it with code of its own.",
    },
    Explanation {
        code: "violated",
        title: "the property does not hold",
        text: "\
There is a run of the model that violates the property. It was replayed in the model's own semantics
before it was shown: it is a run of the model as it is written.",
        example: "\
byte x;
active proctype P() { x = 1; assert(x == 2) }",
        advice: "\
read the run from its end. `--trace OUT.json` writes all of it, and
`highwater simulate FILE --replay OUT.json` goes through it step by step.",
    },
    Explanation {
        code: "inconclusive",
        title: "there is no answer",
        text: "\
The property was neither proved nor violated; the reason is given with it. What was seen until then
did not violate the property, but what was not seen may. The exit code is 3, never 0.",
        example: "highwater check --timeout 1s large.pml",
        advice: "see the reason: each has its own explanation.",
    },
    Explanation {
        code: "vacuous",
        title: "the property holds, but for an empty reason",
        text: "\
The property holds because what it speaks about never happens, so the proof says little about the
model. This is most often a mistake in the model or in the property. The exit code is 3.",
        example: "\
bool sent, received;
active proctype P() { skip }            /* nobody ever sets `sent` */
ltl answered { [] (sent -> <> received) }",
        advice: "make sure that what the property speaks about can happen, or ask another question.",
    },
    Explanation {
        code: "boundedness",
        title: "does every channel stay finite, and how long does it get?",
        text: "\
The question is asked for channels without bounds: a send never waits. If all channels are bounded,
each has a number of messages that it never exceeds; declared so long, no sender ever blocks. The
table has that number (`at most`), and how many messages a run really put there (`reached`); where
both are the same, the bound is exact. With no `-p`, the answer is advice: it is shown, but the exit
code does not count it, because many models rely on sends that wait.",
        example: "\
mtype = { ask, answer };
chan q = [8] of { mtype };              /* at most 1 is ever needed .. */
chan r = [8] of { mtype };              /* .. here as well */
active proctype Client() { do :: q!ask; r?answer od }
active proctype Server() { do :: q?ask; r!answer od }",
        advice: "\
`highwater check -p boundedness FILE` asks for it. Declare channels as long as the table says, or
find out why one needs to be so long.",
    },
    Explanation {
        code: "livelock",
        title: "is there an endless run without progress?",
        text: "\
Progress is what the labels that start with `progress` say: a run must pass one of them again and
again. A run that in the end passes none, for ever, is a livelock: the processes are busy, but get
nothing done. A proof of the flow engine is one for channels of any length.",
        example: "\
chan q = [1] of { byte };
chan r = [1] of { byte };
active proctype Client() { do :: q!1; r?1; progress: skip od }    /* no way round past the label */
active proctype Server() { do :: q?1; r!1 od }",
        advice: "\
put `progress` labels where something useful is done, and ask with `-p livelock`.",
    },
    Explanation {
        code: "flow",
        title: "the engine that weighs messages",
        text: "\
It does not search states. It looks for weights of messages, and for potentials of the points of
processes, under which no step gains: then what is in the channels cannot grow without end. Where
there are none, some combination of cycles would gain; the engine looks more closely at the variables
that these cycles test, send or change, and tries again. Its proofs hold for every capacity of the
channels, and its certificates are checked without any search.",
        example: "\
chan q = [1] of { byte };
chan r = [1] of { byte };
active proctype P() { q!1; do :: r?1; q!1 od }
active proctype Q() { do :: q?1; r!1 od }       /* one message goes round: weights 1 and 1 */",
        advice: "\
`--engine flow` asks this engine only; `--stats` tells what it counted and what it looked at.",
    },
    Explanation {
        code: "compose",
        title: "the engine that looks at components one by one",
        text: "\
It answers for structures side by side (`.fsp`, `.aut`). States of a component, or of a group of
them, that need not be told apart are put into classes, and only the classes are composed. One way
starts with few classes and splits them where a run of the classes is none of the components
(`--method refine`, and `--method paper` as it is published); another composes two parts, hides
the events that nobody else knows, joins what is alike, and goes on with the next part (`--method
minimise`). The classes are the certificate. `--plain` composes everything and leaves out nothing.",
        example: "\
BUFFER = (in -> out -> BUFFER).
||CHAIN = (BUFFER/{mid/out} || BUFFER/{mid/in}).",
        advice: "\
`--stats` tells which way led to the answer, `--trace-refinement` how; `--plain` is there to
compare.",
    },
    Explanation {
        code: "predicates",
        title: "the engine that finds invariants of C programs",
        text: "\
It answers for C programs (`.c`). For the locations that cut the loops it looks for conditions over
the program's variables that hold whenever a run is there and that keep it away from errors, level by
level, with a solver for machine integers. If a run reaches an error instead, the run is executed by
an interpreter of the same program. The conditions are the certificate.",
        example: "\
int main(void) {
  unsigned i = 0;
  while (i < 100) i += 2;
  assert(i == 100);             /* holds because i is even and at most 100 */
}",
        advice: "`--stats` lists the predicates that were needed, and the invariant location by location.",
    },
    Explanation {
        code: "bounded",
        title: "a channel that stays finite",
        text: "\
No run puts more messages into the channel than the table says (`at most`), even if sends never
wait. `bounded` instead of a number says that it stays finite, but that no number is known.",
        example: "\
chan q = [1] of { byte };
active proctype P() { q!1; q!2; q!3 }   /* at most 3, although 1 is declared */",
        advice: "nothing. If the declared capacity is smaller, a sender may have to wait.",
    },
    Explanation {
        code: "unbounded",
        title: "a channel that grows without end",
        text: "\
There is a run with a loop, and each round of it leaves more messages in the channel than it found
there. The run was replayed, and its loop can be taken again and again. With the channels as
declared, the sender waits at some time in this run, or messages are lost.",
        example: "\
chan q = [4] of { byte };
active proctype P() { do :: q!1 od }    /* faster than Q, for ever */
active proctype Q() { do :: q?1 od }",
        advice: "\
let the sender wait for an answer, count what is under way, or accept that it blocks when the
channel is full: then boundedness is not the right question.",
    },
    Explanation {
        code: "timeout",
        title: "the time limit was reached",
        text: "\
The limit is wall time for one file, shared by all of its properties. The search was stopped; the
states that were seen by then are counted in the report.",
        example: "highwater check --timeout 10min large.pml",
        advice: "\
give it more time with `--timeout`, or make the model smaller: fewer processes, shorter channels,
fewer values, more statements in one `atomic` or `d_step`.",
    },
    Explanation {
        code: "memory",
        title: "the memory limit was reached",
        text: "\
The limit is on the resident size of the whole process. The search was stopped before the machine had
to; the states that were seen by then are counted in the report.",
        example: "highwater check --memory 16GiB large.pml",
        advice: "\
give it more with `--memory`, or make the model smaller: variables that need fewer bits, shorter
channels, variables that are set back to 0 when they are no longer needed.",
    },
    Explanation {
        code: "states",
        title: "the limit on the number of states was reached",
        text: "The search was told to store no more states than this, and there are more.",
        example: "highwater check --max-states 1000000 large.pml",
        advice: "raise `--max-states`, or leave it out.",
    },
    Explanation {
        code: "depth",
        title: "the limit on the length of runs was reached",
        text: "\
The search was told to follow runs no further than this, and some go on. All shorter runs were looked
at.",
        example: "highwater check --max-depth 10000 large.pml",
        advice: "raise `--max-depth`, or leave it out.",
    },
    Explanation {
        code: "bitstate",
        title: "states were remembered by a few bits each, so some may have been missed",
        text: "\
With `--bitstate` the search keeps three bits for a state instead of the state. Two states can have the
same bits; then the second is taken for known, and what follows it may not be seen. A violation that is
found is real, and has its run; that none was found proves nothing.",
        example: "highwater check --bitstate --memory 8GiB huge.pml",
        advice: "leave `--bitstate` out if the model fits into memory; or give more `--memory`: fewer states are missed.",
    },
    Explanation {
        code: "interrupted",
        title: "you stopped it",
        text: "The search was interrupted (Ctrl-C). What it had found by then is reported.",
        example: "highwater check large.pml        # and then Ctrl-C",
        advice: "run it again, perhaps with a limit: `--timeout 10min`.",
    },
    Explanation {
        code: "stopped-early",
        title: "the search stopped at a violation of another property",
        text: "\
One search answers several properties. It stops at the first violation, and the other properties are
then left without an answer: the part of the model that was not seen may violate them too.",
        example: "\
active proctype P() {
  if
  :: assert(false)      /* violates safety: the search stops here .. */
  :: skip; false        /* .. and may not have seen this deadlock */
  fi
}",
        advice: "correct the violation that was found, or go on after it with `--keep-going`.",
    },
    Explanation {
        code: "crash",
        title: "a run ends in an error, so nothing is known beyond it",
        text: "\
Some run of the model stops at an error such as an index out of range or a division by zero. What
would come after it is not known, so freedom from deadlock cannot be claimed. `safety` shows the
run.",
        example: "\
byte a[2]; byte i = 2;
active proctype P() { a[i] = 1 }    /* asked with -p deadlock */",
        advice: "\
mend the error that `-p safety` shows, then ask again.",
    },
    Explanation {
        code: "unreadable",
        title: "a file cannot be read",
        text: "\
The file is not there, is not a file, may not be read, or is written in a language that this
version does not know. Nothing was checked, and the exit code is 2.",
        example: "\
highwater check no-such-file.pml",
        advice: "\
look at the name and the folder. Promela models may have any name; `.scm`, `.fsp`, `.aut`, `.c`
and `.art` are kept for other languages.",
    },
    Explanation {
        code: "overflow",
        title: "a bound of Highwater itself was reached",
        text: "\
The model is larger than the tool can represent: a queue of more than 65535 messages, or more than
65535 different sets of running processes. This is not an error of the model.",
        example: "\
chan q = [1] of { byte };
active proctype P() { do :: q!1 od }    /* with --channels unbounded, q grows for ever */",
        advice: "\
bound what grows: receive what is sent, or ask for `--channels declared`. `-p boundedness` finds
channels that grow for ever.",
    },
    Explanation {
        code: "not-supported",
        title: "not possible yet, or not for this model",
        text: "\
This version, or this engine, cannot answer the question for this model. The words behind the verdict
say what is in the way.",
        example: "\
byte x;
active proctype P() { do :: x++ od }
ltl grows { <> (x == 100) }             /* needs an engine for temporal properties */",
        advice: "\
ask for other properties with `-p`, try another `--engine`, or say the same with an assertion.",
    },
    Explanation {
        code: "not-provable",
        title: "no proof was found, and no run that shows the opposite",
        text: "\
The flow engine found cycles that, taken together, would add to a channel (or go on without
progress), and saw nothing that forbids them. But no run was found that really takes them. The report
shows the cycles with their places. They may be the beginning of an error, or impossible for a reason
that the engine does not see, such as the order of messages in a channel.",
        example: "\
chan q = [2] of { bit };
chan r = [2] of { bit };
active proctype P() { q!0; q!1 }
active proctype Q() { q?1; do :: r!1 od }       /* 0 is in front of 1 for ever; with --engine flow */",
        advice: "\
look at the cycles: why can they not go on for ever? Say it in the model, with a condition or a
counter of small range; or ask a search for channels as declared: `--engine explore`.",
    },
    Explanation {
        code: "invalid-end-state",
        title: "nothing can move, and a process is not at its end (deadlock)",
        text: "\
No process can take a step, and at least one is neither at its closing brace nor at a label that
starts with `end`. The report lists where each process waits.",
        example: "\
chan a = [0] of { bit };
chan b = [0] of { bit };
active proctype P() { a!1; b?1 }
active proctype Q() { b!1; a?1 }        /* both send, nobody receives */",
        advice: "\
look at what each process waits for, and who should provide it. If waiting there for ever is right,
as for a server, put a label such as `end:` before the statement.",
    },
    Explanation {
        code: "deadlock",
        title: "components that wait for each other",
        text: "\
Nothing can happen any more, and not all components have done their work (`END`). An event needs
all components that have it in their alphabets, and each event that somebody is ready for is
refused by somebody else. The report says for each component what it waits for and who refuses it.
Where they wait in a circle, none can be the first to go on.",
        example: "\
ONE = (a -> b -> ONE).
TWO = (b -> a -> TWO).          /* refuses a, while ONE refuses b */
||BOTH = (ONE || TWO).",
        advice: "\
break the circle: let one component ask in another order, or let it give up. A component that may
stop where it is ends in `END`, not in `STOP`.",
    },
    Explanation {
        code: "error-state",
        title: "a component gets into an error",
        text: "\
The run ends in the state `ERROR` of a component: it is written so, or the component is a
`property`, and what happened is not allowed by it there.",
        example: "\
property POLITE = (knock -> enter -> POLITE).
GUEST = (enter -> GUEST).       /* does not knock */
||HOUSE = (GUEST || POLITE).",
        advice: "\
read the last step: it is the one that must not happen there.",
    },
    Explanation {
        code: "bad-configuration",
        title: "communicating machines reach a configuration that is declared bad",
        text: "\
The machines are in states, and the queues have contents, that `bad_states` of the file (or
`--bad` on the command line) forbids. The report shows where each machine is and what is in the
queues.",
        example: "\
scm example :
nb_channels = 1 ;
parameters : int a ;
automaton sender :
initial : 0
state 0 : to 1 : when true , 0 ! a ;
state 1 :
bad_states : (automaton sender : in 1 : true with a)",
        advice: "\
read the run from its end: which machine moved last, and what had it not heard of yet? Most often
two messages cross each other, or an old message is taken for a new one.",
    },
    Explanation {
        code: "unspecified-reception",
        title: "a machine is stuck before a message that it does not take",
        text: "\
All transitions of the machine in its state are receives. Every channel that it would receive from
has a message at its head, and none of these is one that it takes there. Since a queue is read
from its head only, the machine can never go on, unless the channel loses the message.",
        example: "\
scm example :
nb_channels = 1 ;
parameters : int a ; int b ;
automaton sender :
initial : 0
state 0 : to 1 : when true , 0 ! b ;
state 1 :
automaton receiver :
initial : 0
state 0 : to 1 : when true , 0 ? a ;
state 1 :",
        advice: "\
add a transition that takes the message in this state, even if it only drops it; or let the sender
wait.",
    },
    Explanation {
        code: "orphan-message",
        title: "all machines have ended, and a message is left in a queue",
        text: "\
Every machine is in a state without transitions, and a queue is not empty: somebody sent what
nobody took. For communicating machines that is a deadlock as well.",
        example: "\
scm example :
nb_channels = 1 ;
parameters : int a ;
automaton sender :
initial : 0
state 0 : to 1 : when true , 0 ! a ;
state 1 :",
        advice: "\
let the receiver take the message before it ends, or do not send it.",
    },
    Explanation {
        code: "not-expressible",
        title: "a model does not fit into communicating machines",
        text: "\
`highwater convert --to scm` writes machines that share nothing but queues without a limit. Data
of a process that have few values are folded into its states. Shared variables, rendezvous,
channels that are created on the way, processes that are created in a loop, receives from the
middle of a queue and the like do not fit; the message says what it is, and where.",
        example: "\
byte x;
chan c = [1] of { byte };
active proctype P() { x++; c!1 }
active proctype Q() { x++; c?_ }        /* both change x */",
        advice: "\
let one process own the variable, and the others send messages to it.",
    },
    Explanation {
        code: "approximated",
        title: "communicating machines do more than the model that they were made of",
        text: "\
An atomic sequence with several uses of channels is split by `highwater convert --to scm`: a
machine does one thing at a time, and others may come in between. What is never reached by the
machines is never reached by the model; a run of the machines need not be one of the model.",
        example: "\
chan c = [2] of { byte };
active proctype P() { atomic { c!1; c!2 } }
active proctype Q() { c?1; c?2 }",
        advice: "\
nothing, if a proof is what you look for. Replay a run on the model before you believe it.",
    },
    Explanation {
        code: "non-progress-cycle",
        title: "an endless run that makes no progress (livelock)",
        text: "\
From some step on, the run repeats a loop in which no process is at a label that starts with
`progress`. The processes are busy, but get nothing done.",
        example: "\
bool busy = true;
active proctype P() {
  do
  :: busy -> skip                       /* for ever, without progress */
  :: !busy -> progress: busy = true
  od
}",
        advice: "\
look at the loop of the run: what should have ended it? If what it does is useful, put a `progress`
label there.",
    },
    Explanation {
        code: "formula",
        title: "a run that does not keep a temporal formula",
        text: "\
The run, with its loop repeated for ever, does not satisfy the formula. Beside its steps stands where a
condition of the formula becomes true or false, and at the end of the chain of reasons what does not
come, or does not hold. A run that ends goes on in its last state for ever, and nothing happens there.",
        example: "\
bool asked, answered;
active proctype Client() {
  asked = true;
  do :: answered -> break :: skip od
}
active proctype Server() {
  asked -> if :: answered = true :: skip fi   /* may forget it */
}
ltl answer { [] (asked -> <> answered) }",
        advice: "\
look at the place where the last remark stands: what should have happened after it? If only an unfair
scheduler can bring it about, try `--fair`.",
    },
    Explanation {
        code: "acceptance-cycle",
        title: "an endless run through acceptance labels",
        text: "\
From some step on, the run repeats a loop that passes through a state with a label that starts with
`accept`: of the `never` claim, or of a process. That is what the claim says must not happen.",
        example: "\
bool busy = true;
active proctype P() { do :: busy -> skip od }
never {
accept:
  do :: busy od                         /* for ever busy */
}",
        advice: "look at the loop of the run: what should have led out of it?",
    },
    Explanation {
        code: "claim-violated",
        title: "a run that matches a `never` claim to its end",
        text: "\
The claim describes, step by step, a run that must not happen. This run matches it up to its closing
brace, or to an assertion in it that fails.",
        example: "\
byte x;
active proctype P() { x = 1; x = 2 }
never {
  do :: x == 2 -> break :: else od      /* ends when x is 2 */
}",
        advice: "look at the last steps of the run: they are the ones that the claim forbids.",
    },
    Explanation {
        code: "trace-broken",
        title: "a message that a `trace` assertion does not allow",
        text: "\
A `trace` assertion says in which order messages are sent to, or taken from, the channels that it
names. The last message of this run is in its scope, and no statement of the assertion fits it
where it stands.",
        example: "\
chan q = [2] of { byte };
active proctype P() { q!1; q!3 }
trace { q!1; q!2 }                      /* 3 is sent instead of 2 */",
        advice: "the marked statement is what the assertion waited for; `_` stands for any field.",
    },
    Explanation {
        code: "trace-incomplete",
        title: "a run that ends in the middle of a `trace` assertion",
        text: "\
The run comes to a proper end, but the assertion waits for more messages: it is neither at its
closing brace nor at a label that begins with `end`.",
        example: "\
chan q = [2] of { byte };
active proctype P() { q!1 }
trace { q!1; q!2 }                      /* 2 is never sent */",
        advice: "if the run may stop there, put a label such as `end:` before the statement that is waited for.",
    },
    Explanation {
        code: "trace-matched",
        title: "a run with just the messages of a `notrace` assertion",
        text: "\
A `notrace` assertion describes messages that must not come in this order, from the first one in
its scope on. This run has all of them.",
        example: "\
chan q = [2] of { byte };
active proctype P() { q!1; q!2 }
notrace { q!1; q!2 }",
        advice: "look at the messages of the run: the last one completes what the assertion forbids.",
    },
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
        code: "too-many-processes",
        title: "more than 255 processes at a time",
        text: "\
A `run` would create process number 256. A process that has ended still counts until all younger ones
have ended too. With `--channels unbounded` there is no such limit.",
        example: "\
proctype Worker() { false }             /* waits for ever */
init { do :: run Worker() od }",
        advice: "create a fixed number of processes, or wait until old ones have ended: `_nr_pr < 10`.",
    },
    Explanation {
        code: "too-many-channels",
        title: "more than 255 channels at a time",
        text: "\
A process that is created brings its own channels along, and there would be more than 255 in all. With
`--channels unbounded` there is no such limit.",
        example: "\
proctype Worker() { chan own[100] = [1] of { byte }; own[0]?_ }
init { run Worker(); run Worker(); run Worker() }",
        advice: "share channels between processes: declare them outside, or pass them as parameters.",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_on_a_terminal() {
        let parts = |e: &Explanation| [e.title, e.text, e.example, e.advice];
        for line in EXPLANATIONS.iter().flat_map(parts).flat_map(str::lines) {
            assert!(line.chars().count() <= 104, "{line}");
        }
    }
}
