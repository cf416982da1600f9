/* A server lends one lock to clients that a loop creates, and that do not wait; its mailbox grows. */
mtype = { request, release, grant, deny };
chan mail = [8] of { mtype };
chan out = [8] of { mtype };
byte lent;

proctype client() {
    do
    :: mail!request;
       do
       :: mail!request
       :: out?grant -> lent++; lent--; mail!release; break
       :: out?deny -> break
       od
    od
}

active proctype server() {
    do
    :: mail?request -> out!grant;
       do
       :: mail?request -> out!deny
       :: mail?release -> break
       od
    od
}

init { do :: run client() :: break od }

ltl one_lock { [] (lent <= 1) }
