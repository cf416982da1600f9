//! Verdicts, and what can be asked and by whom.

use crate::explain::Explanation;

pub(super) const ALL: &[Explanation] = &[
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
        code: "concurrent",
        title: "the engine that looks at procedures of C through predicates",
        text: "\
It answers for C components (`.spec`). Each procedure becomes a structure whose states are a place
with the truth of some predicates; the structures side by side are given to the engine `compose`.
A run that comes back is validated one procedure at a time. One that cannot go along gets new
predicates, and it alone is looked at again. The predicates, the structures and the classes of their
states are the certificate.",
        example: "\
file \"pair.c\";
program = (client || server)
ltl Answered { [] (request -> <> reply) }",
        advice: "\
`--stats` shows the predicates that were needed, and the runs that they exclude; `--trace-refinement`
tells it round by round.",
    },
    Explanation {
        code: "conformance",
        title: "a procedure does only what a process allows",
        text: "\
`conforms save to ALLOWED;` in a specification of C components asks whether the procedure `save`, alone,
does nothing that the process `ALLOWED` does not do: its calls of routines, the events of routines that
are given by processes, and, if the process speaks of returns, the value that it returns.",
        example: "\
ALLOWED = (lock -> write -> unlock -> ALLOWED | return {$0 == 0} -> STOP).
conforms save to ALLOWED;",
        advice: "`-p conformance` asks for all of them, `-p conformance:save` for those of one procedure.",
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
];
