// Peterson's election among three processes of the same name: UNSAFE.
//
// The names must be different. Here all are called m2, so each takes its neighbour's name for its own that has come around
// the ring, and declares itself the leader.

scm peterson :
nb_channels = 3 ;
parameters :
int m0 ;
int m1 ;
int m2 ;

automaton peer0 :
initial : 2
// active, stands for m0
state 0 :
to 3 : when true , 1 ! m0 ;
state 3 :
to 28 : when true , 0 ? m0 ;
to 7 : when true , 0 ? m1 ;
to 8 : when true , 0 ? m2 ;
state 7 :
to 16 : when true , 1 ! m1 ;
state 16 :
to 1 : when true , 0 ? m0 ;
to 24 : when true , 0 ? m1 ;
to 24 : when true , 0 ? m2 ;
state 8 :
to 17 : when true , 1 ! m2 ;
state 17 :
to 2 : when true , 0 ? m0 ;
to 2 : when true , 0 ? m1 ;
to 24 : when true , 0 ? m2 ;
// active, stands for m1
state 1 :
to 4 : when true , 1 ! m1 ;
state 4 :
to 9 : when true , 0 ? m0 ;
to 28 : when true , 0 ? m1 ;
to 11 : when true , 0 ? m2 ;
state 9 :
to 18 : when true , 1 ! m0 ;
state 18 :
to 24 : when true , 0 ? m0 ;
to 24 : when true , 0 ? m1 ;
to 24 : when true , 0 ? m2 ;
state 11 :
to 20 : when true , 1 ! m2 ;
state 20 :
to 2 : when true , 0 ? m0 ;
to 2 : when true , 0 ? m1 ;
to 24 : when true , 0 ? m2 ;
// active, stands for m2
state 2 :
to 5 : when true , 1 ! m2 ;
state 5 :
to 12 : when true , 0 ? m0 ;
to 13 : when true , 0 ? m1 ;
to 28 : when true , 0 ? m2 ;
state 12 :
to 21 : when true , 1 ! m0 ;
state 21 :
to 24 : when true , 0 ? m0 ;
to 24 : when true , 0 ? m1 ;
to 24 : when true , 0 ? m2 ;
state 13 :
to 22 : when true , 1 ! m1 ;
state 22 :
to 24 : when true , 0 ? m0 ;
to 24 : when true , 0 ? m1 ;
to 24 : when true , 0 ? m2 ;
// relays
state 24 :
to 25 : when true , 0 ? m0 ;
to 26 : when true , 0 ? m1 ;
to 27 : when true , 0 ? m2 ;
state 25 :
to 24 : when true , 1 ! m0 ;
state 26 :
to 24 : when true , 1 ! m1 ;
state 27 :
to 24 : when true , 1 ! m2 ;
// the leader
state 28 :

automaton peer1 :
initial : 2
// active, stands for m0
state 0 :
to 3 : when true , 2 ! m0 ;
state 3 :
to 28 : when true , 1 ? m0 ;
to 7 : when true , 1 ? m1 ;
to 8 : when true , 1 ? m2 ;
state 7 :
to 16 : when true , 2 ! m1 ;
state 16 :
to 1 : when true , 1 ? m0 ;
to 24 : when true , 1 ? m1 ;
to 24 : when true , 1 ? m2 ;
state 8 :
to 17 : when true , 2 ! m2 ;
state 17 :
to 2 : when true , 1 ? m0 ;
to 2 : when true , 1 ? m1 ;
to 24 : when true , 1 ? m2 ;
// active, stands for m1
state 1 :
to 4 : when true , 2 ! m1 ;
state 4 :
to 9 : when true , 1 ? m0 ;
to 28 : when true , 1 ? m1 ;
to 11 : when true , 1 ? m2 ;
state 9 :
to 18 : when true , 2 ! m0 ;
state 18 :
to 24 : when true , 1 ? m0 ;
to 24 : when true , 1 ? m1 ;
to 24 : when true , 1 ? m2 ;
state 11 :
to 20 : when true , 2 ! m2 ;
state 20 :
to 2 : when true , 1 ? m0 ;
to 2 : when true , 1 ? m1 ;
to 24 : when true , 1 ? m2 ;
// active, stands for m2
state 2 :
to 5 : when true , 2 ! m2 ;
state 5 :
to 12 : when true , 1 ? m0 ;
to 13 : when true , 1 ? m1 ;
to 28 : when true , 1 ? m2 ;
state 12 :
to 21 : when true , 2 ! m0 ;
state 21 :
to 24 : when true , 1 ? m0 ;
to 24 : when true , 1 ? m1 ;
to 24 : when true , 1 ? m2 ;
state 13 :
to 22 : when true , 2 ! m1 ;
state 22 :
to 24 : when true , 1 ? m0 ;
to 24 : when true , 1 ? m1 ;
to 24 : when true , 1 ? m2 ;
// relays
state 24 :
to 25 : when true , 1 ? m0 ;
to 26 : when true , 1 ? m1 ;
to 27 : when true , 1 ? m2 ;
state 25 :
to 24 : when true , 2 ! m0 ;
state 26 :
to 24 : when true , 2 ! m1 ;
state 27 :
to 24 : when true , 2 ! m2 ;
// the leader
state 28 :

automaton peer2 :
initial : 2
// active, stands for m0
state 0 :
to 3 : when true , 0 ! m0 ;
state 3 :
to 28 : when true , 2 ? m0 ;
to 7 : when true , 2 ? m1 ;
to 8 : when true , 2 ? m2 ;
state 7 :
to 16 : when true , 0 ! m1 ;
state 16 :
to 1 : when true , 2 ? m0 ;
to 24 : when true , 2 ? m1 ;
to 24 : when true , 2 ? m2 ;
state 8 :
to 17 : when true , 0 ! m2 ;
state 17 :
to 2 : when true , 2 ? m0 ;
to 2 : when true , 2 ? m1 ;
to 24 : when true , 2 ? m2 ;
// active, stands for m1
state 1 :
to 4 : when true , 0 ! m1 ;
state 4 :
to 9 : when true , 2 ? m0 ;
to 28 : when true , 2 ? m1 ;
to 11 : when true , 2 ? m2 ;
state 9 :
to 18 : when true , 0 ! m0 ;
state 18 :
to 24 : when true , 2 ? m0 ;
to 24 : when true , 2 ? m1 ;
to 24 : when true , 2 ? m2 ;
state 11 :
to 20 : when true , 0 ! m2 ;
state 20 :
to 2 : when true , 2 ? m0 ;
to 2 : when true , 2 ? m1 ;
to 24 : when true , 2 ? m2 ;
// active, stands for m2
state 2 :
to 5 : when true , 0 ! m2 ;
state 5 :
to 12 : when true , 2 ? m0 ;
to 13 : when true , 2 ? m1 ;
to 28 : when true , 2 ? m2 ;
state 12 :
to 21 : when true , 0 ! m0 ;
state 21 :
to 24 : when true , 2 ? m0 ;
to 24 : when true , 2 ? m1 ;
to 24 : when true , 2 ? m2 ;
state 13 :
to 22 : when true , 0 ! m1 ;
state 22 :
to 24 : when true , 2 ? m0 ;
to 24 : when true , 2 ? m1 ;
to 24 : when true , 2 ? m2 ;
// relays
state 24 :
to 25 : when true , 2 ? m0 ;
to 26 : when true , 2 ? m1 ;
to 27 : when true , 2 ? m2 ;
state 25 :
to 24 : when true , 0 ! m0 ;
state 26 :
to 24 : when true , 0 ! m1 ;
state 27 :
to 24 : when true , 0 ! m2 ;
// the leader
state 28 :

bad_states :
(automaton peer0 : in 28 : true automaton peer1 : in 28 : true)
(automaton peer0 : in 28 : true automaton peer2 : in 28 : true)
(automaton peer1 : in 28 : true automaton peer2 : in 28 : true)
