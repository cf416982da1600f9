/*
 * Ciclo, Fig. 5: how often can a cycle run before another one must?
 *
 * The figure is a control-flow graph with four cycles. The boss hands out a job while i <= 2 (C2), may do one by itself
 * when j <= 0 (C3, which shares the i++ with C2), may wait while i > 2 (C4), and starts again at i = 0 (C1) when the
 * worker has done three jobs. So C2 runs at most three times before C1 has to run, and C1 has its price.
 */

mtype = { job, done };

chan jobs  = [1] of { mtype };
chan ready = [1] of { mtype };

active proctype Boss() {
    byte i, j;

end:
    do
    :: ready?done; i = 0; j = 0             /* C1 */
    :: i <= 2 -> jobs!job; i++              /* C2 */
    :: true ->
        do
        :: i > 2                            /* C4 */
        :: j <= 0 -> j = 1; break
        :: else -> goto end
        od;
        i++                                 /* C3 */
    od
}

active proctype Worker() {
end:
    do
    :: jobs?job; jobs?job; jobs?job; ready!done
    od
}
