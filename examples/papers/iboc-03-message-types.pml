/*
 * IBOC, Fig. 3: which messages are of the same type?
 *
 * The reader tells `exact` from `inexact` and does not care for the number. As printed nobody sends; `-D SENSOR` adds a
 * sensor that measures when it is asked to. With `-D FIVE` as well there is the further receive of section 3.1,
 * `C?exact,5`: now (exact,5) is a type of its own, which two receives can take.
 */

mtype = { exact, inexact };

chan C   = [2] of { mtype, int };
chan ask = [1] of { bit };

int kept, dumped;

active proctype Reader() {
    int x;

    do
#ifdef SENSOR
    :: ask!1;
        if
#ifdef FIVE
        :: C?exact,5
#endif
        :: C?exact,x   -> kept = x
        :: C?inexact,x -> dumped = x
        fi
#else
    :: C?exact,x   -> kept = x
    :: C?inexact,x -> dumped = x
#endif
    od
}

#ifdef SENSOR
active proctype Sensor() {
    do
    :: ask?1;
        if
        :: C!exact,5
        :: C!exact,7
        :: C!inexact,5
        fi
    od
}
#endif
