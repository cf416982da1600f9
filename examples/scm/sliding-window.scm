// A sliding window protocol, ten packets and a window of two: SAFE.
//
// The sender has at most two packets on their way that have not been acknowledged. Packets and acknowledgements are numbered
// modulo three. An acknowledgement of a packet that was not sent, or that was acknowledged before, or out of order, leads to
// an error state, and so does a packet that the receiver does not expect. Channel 0 carries packets, channel 1
// acknowledgements, both in order and without loss, so neither error can be reached; and with a window of two no queue ever
// holds more than two messages.
//
// `scm::families::sliding_window(m, w)` writes this file for m packets and a window of w.

scm sliding_window :
nb_channels = 2 ;
parameters :
int p0 ;
int p1 ;
int p2 ;
int a0 ;
int a1 ;
int a2 ;

automaton sender :
initial : 0
// 0 acknowledged, 0 sent
state 0 :
to 1 : when true , 0 ! p0 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 0 acknowledged, 1 sent
state 1 :
to 2 : when true , 0 ! p1 ;
to 3 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 0 acknowledged, 2 sent
state 2 :
to 4 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 1 acknowledged, 1 sent
state 3 :
to 4 : when true , 0 ! p1 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 1 acknowledged, 2 sent
state 4 :
to 5 : when true , 0 ! p2 ;
to 33 : when true , 1 ? a0 ;
to 6 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 1 acknowledged, 3 sent
state 5 :
to 33 : when true , 1 ? a0 ;
to 7 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 2 acknowledged, 2 sent
state 6 :
to 7 : when true , 0 ! p2 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 2 acknowledged, 3 sent
state 7 :
to 8 : when true , 0 ! p0 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 9 : when true , 1 ? a2 ;
// 2 acknowledged, 4 sent
state 8 :
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 10 : when true , 1 ? a2 ;
// 3 acknowledged, 3 sent
state 9 :
to 10 : when true , 0 ! p0 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 3 acknowledged, 4 sent
state 10 :
to 11 : when true , 0 ! p1 ;
to 12 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 3 acknowledged, 5 sent
state 11 :
to 13 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 4 acknowledged, 4 sent
state 12 :
to 13 : when true , 0 ! p1 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 4 acknowledged, 5 sent
state 13 :
to 14 : when true , 0 ! p2 ;
to 33 : when true , 1 ? a0 ;
to 15 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 4 acknowledged, 6 sent
state 14 :
to 33 : when true , 1 ? a0 ;
to 16 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 5 acknowledged, 5 sent
state 15 :
to 16 : when true , 0 ! p2 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 5 acknowledged, 6 sent
state 16 :
to 17 : when true , 0 ! p0 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 18 : when true , 1 ? a2 ;
// 5 acknowledged, 7 sent
state 17 :
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 19 : when true , 1 ? a2 ;
// 6 acknowledged, 6 sent
state 18 :
to 19 : when true , 0 ! p0 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 6 acknowledged, 7 sent
state 19 :
to 20 : when true , 0 ! p1 ;
to 21 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 6 acknowledged, 8 sent
state 20 :
to 22 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 7 acknowledged, 7 sent
state 21 :
to 22 : when true , 0 ! p1 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 7 acknowledged, 8 sent
state 22 :
to 23 : when true , 0 ! p2 ;
to 33 : when true , 1 ? a0 ;
to 24 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 7 acknowledged, 9 sent
state 23 :
to 33 : when true , 1 ? a0 ;
to 25 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 8 acknowledged, 8 sent
state 24 :
to 25 : when true , 0 ! p2 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 8 acknowledged, 9 sent
state 25 :
to 26 : when true , 0 ! p0 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 27 : when true , 1 ? a2 ;
// 8 acknowledged, 10 sent
state 26 :
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 28 : when true , 1 ? a2 ;
// 9 acknowledged, 9 sent
state 27 :
to 28 : when true , 0 ! p0 ;
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 9 acknowledged, 10 sent
state 28 :
to 30 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// 10 acknowledged, 10 sent
state 30 :
to 33 : when true , 1 ? a0 ;
to 33 : when true , 1 ? a1 ;
to 33 : when true , 1 ? a2 ;
// an acknowledgement out of order
state 33 :

automaton receiver :
initial : 0
// 0 received and acknowledged
state 0 :
to 1 : when true , 0 ? p0 ;
to 21 : when true , 0 ? p1 ;
to 21 : when true , 0 ? p2 ;
state 1 :
to 2 : when true , 1 ! a0 ;
// 1 received and acknowledged
state 2 :
to 21 : when true , 0 ? p0 ;
to 3 : when true , 0 ? p1 ;
to 21 : when true , 0 ? p2 ;
state 3 :
to 4 : when true , 1 ! a1 ;
// 2 received and acknowledged
state 4 :
to 21 : when true , 0 ? p0 ;
to 21 : when true , 0 ? p1 ;
to 5 : when true , 0 ? p2 ;
state 5 :
to 6 : when true , 1 ! a2 ;
// 3 received and acknowledged
state 6 :
to 7 : when true , 0 ? p0 ;
to 21 : when true , 0 ? p1 ;
to 21 : when true , 0 ? p2 ;
state 7 :
to 8 : when true , 1 ! a0 ;
// 4 received and acknowledged
state 8 :
to 21 : when true , 0 ? p0 ;
to 9 : when true , 0 ? p1 ;
to 21 : when true , 0 ? p2 ;
state 9 :
to 10 : when true , 1 ! a1 ;
// 5 received and acknowledged
state 10 :
to 21 : when true , 0 ? p0 ;
to 21 : when true , 0 ? p1 ;
to 11 : when true , 0 ? p2 ;
state 11 :
to 12 : when true , 1 ! a2 ;
// 6 received and acknowledged
state 12 :
to 13 : when true , 0 ? p0 ;
to 21 : when true , 0 ? p1 ;
to 21 : when true , 0 ? p2 ;
state 13 :
to 14 : when true , 1 ! a0 ;
// 7 received and acknowledged
state 14 :
to 21 : when true , 0 ? p0 ;
to 15 : when true , 0 ? p1 ;
to 21 : when true , 0 ? p2 ;
state 15 :
to 16 : when true , 1 ! a1 ;
// 8 received and acknowledged
state 16 :
to 21 : when true , 0 ? p0 ;
to 21 : when true , 0 ? p1 ;
to 17 : when true , 0 ? p2 ;
state 17 :
to 18 : when true , 1 ! a2 ;
// 9 received and acknowledged
state 18 :
to 19 : when true , 0 ? p0 ;
to 21 : when true , 0 ? p1 ;
to 21 : when true , 0 ? p2 ;
state 19 :
to 20 : when true , 1 ! a0 ;
// all received; a packet more is an error
state 20 :
to 21 : when true , 0 ? p0 ;
to 21 : when true , 0 ? p1 ;
to 21 : when true , 0 ? p2 ;
// a packet out of order
state 21 :

bad_states :
(automaton sender : in 33 : true)
(automaton receiver : in 21 : true)
