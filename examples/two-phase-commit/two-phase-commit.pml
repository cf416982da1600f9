/*
 * Two-phase commit: several participants do a transaction together, or none of them does.
 *
 * The coordinator asks everybody to prepare. Who can, votes yes and is bound by it; who cannot, votes
 * no and aborts at once. The coordinator commits if all votes are yes, and aborts if one is no or if
 * one is not there in time. Everybody who voted yes waits for the decision and does what it says.
 *
 * -D IMPATIENT   a participant that has voted yes gives up waiting and aborts by itself
 * -D N=4         another number of participants
 */

#ifndef N
#define N 3
#endif

mtype = { prepare, yes, no, commit, abort };

chan to[N]       = [2] of { mtype };        /* coordinator -> participant i */
chan coordinator = [N] of { mtype };        /* the votes */

byte committed, aborted;                    /* how many participants have done which */

/* A participant settles what it does; nobody may commit while another aborts. */
inline settle(count) {
    atomic {
        count++;
        assert(committed == 0 || aborted == 0)
    }
}

active proctype Coordinator() {
    byte i, votes;
    mtype vote, decision = commit;

    for (i : 0 .. N - 1) {
        to[i]!prepare
    }

    do
    :: votes < N ->
        if
        :: coordinator?vote ->
            votes++;
            if
            :: vote == no -> decision = abort
            :: else
            fi
        :: decision = abort -> break        /* has waited long enough */
        fi
    :: else -> break
    od;

    for (i : 0 .. N - 1) {
        to[i]!decision
    }
}

active [N] proctype Participant() {
    byte self = _pid - 1;

    to[self]?prepare;
    if
    :: coordinator!yes ->
        if
        :: to[self]?commit -> settle(committed)
        :: to[self]?abort  -> settle(aborted)
#ifdef IMPATIENT
        :: settle(aborted)
#endif
        fi
    :: coordinator!no ->
        settle(aborted)
    fi
}
