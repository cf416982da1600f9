/*
 * IBOC, Fig. 7: the assignment comes after a loop that never ends.
 *
 * In the loop C and D are two queues. What is put into C comes out of D twice, and that is all. `-D FIRST` puts one
 * message into C, which the figure does not.
 */

mtype = { msg };

chan C = [2] of { mtype };
chan D = [2] of { mtype };

active proctype P() {
#ifdef FIRST
    C!msg;
#endif
    do
    :: C?msg; D!msg; D!msg
    od;
    C = D
}
