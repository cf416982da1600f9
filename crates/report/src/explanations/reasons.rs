//! Why there is no answer.

use crate::explain::Explanation;

pub(super) const ALL: &[Explanation] = &[
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
        code: "limit",
        title: "a bound of Highwater itself was reached",
        text: "\
The model is larger than the tool can represent: a queue of more than 65535 messages, more than
65535 different sets of running processes, or, except with `--channels unbounded`, more than 255
processes or channels at a time, which is also SPIN's limit. This is not an error of the model.",
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
        code: "disk",
        title: "a file could not be written or read",
        text: "\
A search that keeps states on disk could not write or read one of its files. What was found by then is
reported; nothing is concluded from what is missing.",
        example: "highwater check --spill /small/disk large.pml",
        advice: "make room on the disk, or name another folder.",
    },
    Explanation {
        code: "worker",
        title: "a process that shared the work was lost",
        text: "\
Several processes share a search, and one of them ended before its part was done. What was found by
then is reported; nothing is concluded from what is missing.",
        example: "highwater check --cluster one,two --process 0 large.pml",
        advice: "look at the log of the process that was lost, and start all of them again.",
    },
    Explanation {
        code: "numbers",
        title: "a number outgrew what is computed with",
        text: "\
An exact number in a proof or a search became larger than the tool computes with. This is not an
error of the model.",
        example: "highwater check huge-constants.pml",
        advice: "make the constants of the model smaller, or try another `--engine`.",
    },
    Explanation {
        code: "not-applicable",
        title: "the model has nothing that the property is about",
        text: "\
The property was named, and the model has no channel, label, formula or claim for it. Nothing was
checked, so nothing is proved.",
        example: "\
byte x;
active proctype P() { x = 1 }           /* with -p boundedness: there is no channel */",
        advice: "look for a misspelt name, or leave the property out.",
    },
    Explanation {
        code: "internal",
        title: "two parts of Highwater contradict each other",
        text: "\
A run did not replay, or the checker refuses a proof: one part of Highwater is wrong. Neither is shown
as an answer. The exit code is 101.",
        example: "highwater check model.pml",
        advice: "please report it with the model. Another `--engine` may have an answer.",
    },
];
