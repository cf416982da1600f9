// Peterson's election of a leader in a ring of three: SAFE.
//
// Each process has a name, and knows its own. An active process sends the name that it stands for and learns its
// neighbour's. If that is the same, nobody else is active, and it is the leader. Otherwise it hands the neighbour's name on
// and learns the one behind it. If the neighbour's name is the greatest of the three it goes on and stands for it; else it
// only relays from now on. Of two active neighbours at most one survives a round, and the greatest name is never lost.
// Channel i leads to process i. There is never more than one leader.
//
// A small property of many states: few engines need to look at all of them. `scm::families::peterson(n)` writes this file for
// n processes.

scm peterson :
nb_channels = 3 ;
parameters :
int m0 ;
int m1 ;
int m2 ;

automaton peer0 :
initial : 0
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
initial : 1
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
