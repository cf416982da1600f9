/*
 * Philosophers who share forks: the classical deadlock, and the classical way out of it.
 *
 * A fork that lies on the table is a message in its channel: to take it is to receive, to put it back
 * is to send. All philosophers but one take the left fork first. The last one takes the right fork
 * first, so they can never all hold one fork and wait for the other.
 *
 * -D GREEDY      all of them take the left fork first: they may starve together
 * -D N=7         another number of philosophers
 */

#ifndef N
#define N 5
#endif

#define left    self
#define right   ((self + 1) % N)

chan fork[N] = [1] of { bit };
bool eating[N];

proctype Philosopher(byte self) {
    do
    ::                                      /* thinks, and becomes hungry */
        if
#ifndef GREEDY
        :: self == N - 1 -> fork[right]?_; fork[left]?_
        :: self != N - 1 -> fork[left]?_; fork[right]?_
#else
        :: fork[left]?_ -> fork[right]?_
#endif
        fi;

        eating[self] = true;
        assert(!eating[(self + 1) % N] && !eating[(self + N - 1) % N]);
        eating[self] = false;

        fork[left]!1;
        fork[right]!1
    od
}

init {
    byte i;

    atomic {
        for (i : 0 .. N - 1) {
            fork[i]!1                       /* the table is laid */
        }
        for (i : 0 .. N - 1) {
            run Philosopher(i)
        }
    }
}
