/*
 * IBOC-refinement, Fig. 1: a flag that makes two branches take turns.
 *
 * Without the flag, the branch that sends could be taken forever. With it, a send is followed by a receive.
 */

mtype = { a, b };

chan ch1 = [1] of { mtype };
chan ch2 = [1] of { mtype };

active proctype Left() {
    do
    :: ch2?b -> ch1!a
    od
}

active proctype Right() {
    byte sent = 0;

    do
    :: sent == 0 -> ch2!b; sent = 1
    :: sent == 1 -> ch1?a; sent = 0
    od
}
