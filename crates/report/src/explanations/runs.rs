//! What is wrong with a run as a whole.

use crate::explain::Explanation;

pub(super) const ALL: &[Explanation] = &[
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
        code: "not-allowed",
        title: "a procedure does what a process does not allow",
        text: "\
The last event of the run is one that the process of `conforms PROCEDURE to PROCESS;` has no step for
there. If it is a return, the procedure returns a value that the process does not allow.",
        example: "\
ALLOWED = (lock -> HELD),
HELD = (write -> HELD | unlock -> ALLOWED).
conforms save to ALLOWED;       /* save writes before it locks */",
        advice: "change the procedure, or allow it in the process.",
    },
    Explanation {
        code: "uncovered-call",
        title: "a routine is called as the specification does not allow",
        text: "\
`cproc lock { abstract { A, ($1 == 1), LOCK }; }` says what `lock` does if its first argument is 1, and
nothing about other arguments: a call with another one is an error. So is one that brings its process
into `ERROR`.",
        example: "\
cproc lock { abstract { A, ($1 == 1), LOCK }; }
/* and in C: lock(2); */",
        advice: "add another `abstract` with a guard for such calls, or `(1)` for all.",
    },
];
