/*
 * Connections with data between opening and closing: a loop in a loop, for queues of any length.
 *
 * The client opens a connection, sends some data and closes it, again and again, and never waits. The server lags behind by as
 * many connections as the queue has room for; still it never finds data, or a closing, where it expects an opening.
 *
 * With -D IMPATIENT the server may close a connection on its own account, as in the c/d protocol: then a closing of the
 * client, already on its way, is found where an opening should be.
 */
#define CAPACITY 1

mtype = { open, data, close, closed };

chan request = [CAPACITY] of { mtype };
chan answer  = [CAPACITY] of { mtype };

active proctype Client() {
end:
  do
  :: request!open;
     do
     :: request!data
     :: request!close; break
#ifdef IMPATIENT
     :: answer?closed -> break
#endif
     od
  od
}

active proctype Server() {
  mtype got;
end:
  do
  :: request?got ->
     assert(got == open);
     do
     :: request?data
     :: request?close -> break
#ifdef IMPATIENT
     :: answer!closed; break
#endif
     od
  od
}
