/*
 * IBOC, Fig. 9: a process that creates its successor.
 *
 * There is no loop in the text at all.
 */

mtype = { hello };

chan C = [2] of { mtype };

active proctype P() {
    C!hello;
    run P()
}
