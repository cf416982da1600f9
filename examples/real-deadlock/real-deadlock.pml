/*
 * Two telephone exchanges share a trunk, and either may start a call on it: a deadlock that is easily
 * overlooked, because each end is right when it is looked at alone.
 *
 * An exchange that seizes the trunk waits for `accept` or `busy`; an exchange that is called answers
 * with one of the two; who has called hangs up. But if both seize the trunk at the same moment, each
 * gets a `seize` where it waits for an answer, and neither knows what to do with it. Longer queues do
 * not help.
 *
 * -D GIVE_WAY    in a collision the call of exchange 0 stands, and exchange 1 answers it
 */

mtype = { seize, accept, busy, release };

chan line[2] = [2] of { mtype };            /* line[i] leads to exchange i */

byte talking;                               /* ends of the trunk that are in a conversation */

active [2] proctype Exchange() {
    byte me   = _pid;
    byte peer = 1 - _pid;

idle:
    if
    :: line[peer]!seize -> goto calling
    :: line[me]?seize   -> goto called
    fi;

calling:
    if
    :: line[me]?busy   -> goto idle
    :: line[me]?accept ->
        talking++;
        assert(talking <= 2);
        talking--;
        line[peer]!release;
        goto idle
#ifdef GIVE_WAY
    :: line[me]?seize  ->                   /* a collision */
        if
        :: me == 0 -> goto calling
        :: me == 1 -> goto called
        fi
#endif
    fi;

called:
    if
    :: line[peer]!busy   -> goto idle
    :: line[peer]!accept ->
        talking++;
        assert(talking <= 2);
        line[me]?release;
        talking--;
        goto idle
    fi
}
