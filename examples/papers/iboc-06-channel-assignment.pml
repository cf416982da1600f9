/*
 * IBOC, Fig. 6: a channel variable is assigned before the loop.
 *
 * After C = D both names mean one queue, and the loop fills it. As printed it is empty and stays so: `-D FIRST` puts one
 * message in.
 */

mtype = { msg };

chan C = [2] of { mtype };
chan D = [2] of { mtype };

active proctype P() {
#ifdef FIRST
    D!msg;
#endif
    C = D;
    do
    :: C?msg; D!msg; D!msg
    od
}
