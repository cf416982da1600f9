/*
 * IBOC, Fig. 2: one channel, used in both directions.
 *
 * Each side sends one message of its own kind and then trades: one of the other's for one of its own.
 */

mtype = { tick, tock };

chan C = [2] of { mtype };

active proctype P() {
    C!tick;
    do
    :: C?tock -> C!tick
    od
}

active proctype Q() {
    C!tock;
    do
    :: C?tick -> C!tock
    od
}
