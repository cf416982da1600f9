/*
 * IBOC-refinement, Figs. 4 to 6: a loop that runs while i < 4.
 *
 * Without more (Fig. 4) it runs four times. Fig. 5 is what is left when the code is forgotten: a cycle that sends.
 * With `-D RESET` there is a second cycle that sets i back to 0 (Fig. 6), and then there is no end to it.
 */

mtype = { msg };

chan ch = [1] of { mtype };

active proctype P() {
    int i = 0;

    do
    :: i < 4 -> ch!msg; i++
#ifdef RESET
    :: i >= 4 -> i = 0
#endif
    od
}
