/*
 * Electing a leader in a ring in which messages travel one way (Chang and Roberts, 1979).
 *
 * Every node sends its identity to its neighbour. A node hands on an identity that is greater than
 * its own and swallows a smaller one; so only the greatest comes all the way round, and the node that
 * gets its own identity back is the leader. It then sends an announcement round the ring.
 *
 * The identities 1 .. N are placed around the ring in every possible order. Turning the ring changes
 * nothing, so node 0 always has identity N, and the other N - 1 nodes draw lots.
 *
 * -D N=6         another number of nodes (at least 2)
 * -D HASTY       a node believes that it has won as soon as it hears a smaller identity
 */

#ifndef N
#define N 5
#endif

mtype = { candidate, leader };

chan link[N] = [N] of { mtype, byte };      /* link[i] leads to node i */

byte leaders;                               /* how many nodes have declared themselves leader */
byte informed;                              /* how many nodes know the leader */

proctype Node(byte self; byte identity) {
    byte heard;
    bool elected;

    link[(self + 1) % N]!candidate(identity);
    do
    :: link[self]?candidate(heard) ->
        if
        :: heard > identity ->
            link[(self + 1) % N]!candidate(heard)
#ifdef HASTY
        :: heard <= identity && !elected ->
#else
        :: heard == identity ->             /* my own, after a full turn: nobody is greater */
#endif
            elected = true;
            leaders++;
            assert(leaders == 1);
            link[(self + 1) % N]!leader(identity)
        :: else                             /* smaller: swallowed */
        fi
    :: link[self]?leader(heard) ->
        assert(heard == N);                 /* everybody is told of the same, greatest identity */
        informed++;
        if
        :: !elected -> link[(self + 1) % N]!leader(heard)
        :: else                             /* the announcement has come back */
        fi;
        break
    od
}

init {
    byte node, identity;
    bool taken[N + 1];

    atomic {
        run Node(0, N);
        for (node : 1 .. N - 1) {
            select (identity : 1 .. N - 1);
            do                              /* from there on, the next one that is free */
            :: taken[identity] -> identity = identity % (N - 1) + 1
            :: else -> break
            od;
            taken[identity] = true;
            run Node(node, identity)
        }
    }

    _nr_pr == 1;                            /* all nodes have come to their end */
    assert(leaders == 1 && informed == N)
}
