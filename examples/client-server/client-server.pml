/*
 * A client, a server, and the question "how long must each buffer be?"
 *
 * After Fig. 1 of S. Leue and W. Wei, "Integer Linear Programming-Based Property Checking for
 * Asynchronous Reactive Systems": each client asks, waits for the answer, and lets go again; the
 * server serves one client at a time. A client may let go and at once ask again before the server
 * has taken the first of the two messages.
 */

mtype = { req, ack, rel };

chan ts[2] = [1] of { mtype };      /* from client i to the server */
chan tc[2] = [1] of { mtype };      /* from the server to client i */

init {
    byte i = 0;
    do
    :: i < 2 -> run client(i); i++
    :: else  -> break
    od;
    run server()
}

proctype client(byte id) {
    do
    :: ts[id]!req; tc[id]?ack; ts[id]!rel
    od
}

proctype server() {
    do
    :: ts[0]?req; tc[0]!ack; ts[0]?rel
    :: ts[1]?req; tc[1]!ack; ts[1]?rel
    od
}
