/*
 * IBOC, Fig. 5: the same process type on two channels, and twice on one.
 *
 * A doubler takes a message and gives two. Between C and D it runs dry; from D to D it floods D. As printed no message is
 * ever put in, so nothing moves: `-D FIRST` puts one into D.
 */

mtype = { msg };

chan C = [2] of { mtype };
chan D = [2] of { mtype };

proctype Doubler(chan from; chan to) {
    do
    :: from?msg; to!msg; to!msg
    od
}

init {
#ifdef FIRST
    D!msg;
#endif
    run Doubler(C, D);
    run Doubler(D, D)
}
