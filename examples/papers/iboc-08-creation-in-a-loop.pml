/*
 * IBOC, Fig. 8: a loop that creates processes.
 *
 * No process sends more than one message, but there is no end of processes.
 */

mtype = { hello, goodbye };

chan C = [2] of { mtype };

proctype Guest() {
    C!hello;
    C?goodbye
}

active proctype Door() {
    do
    :: run Guest()
    od
}
