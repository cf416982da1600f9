/*
 * IBOC, Fig. 10: three process types that create each other.
 *
 * As printed, no process is ever started. `-D START` starts one P. But then Q waits for a message that only R sends, and
 * R is created by Q.
 */

mtype = { msg0, msg1 };

chan C = [2] of { mtype };

proctype P() {
    C!msg0;
    run Q()
}

proctype Q() {
    C?msg1;
    run R()
}

proctype R() {
    C!msg1;
    run P()
}

#ifdef START
init {
    run P()
}
#endif
