/*
 * IBOC-refinement, Fig. 8: a loop with a condition in two variables.
 *
 * x1 falls by 2, x2 rises by 1, and the loop goes on while x1 > 2 - x2 or x2 < 1. It runs three times. (The paper adds up
 * 3 for the first half of the condition and 2 for the second, which makes 5.)
 */

mtype = { msg };

chan ch = [1] of { mtype };

active proctype P() {
    int x1 = 6, x2 = -1;

    do
    :: (x1 > 2 - x2 || x2 < 1) ->
        ch!msg;
        x1 = x1 - 2;
        x2 = x2 + 1
    od
}
