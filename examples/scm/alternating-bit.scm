// The alternating bit protocol, with data on a channel of their own: SAFE.
//
// The sender hands a message to channel 2 and repeats the bit that belongs to it on channel 0, as often as it likes,
// until the same bit comes back on channel 1. The receiver takes a message only when the bit has changed, and repeats its
// last acknowledgement. Channels 0 and 1 grow without bound, and old bits may sit in them for long; still sender and
// receiver walk around the square together, never more than a step apart. That is the property: of sixteen pairs of
// states, eight are reached.

scm alternating_bit :

nb_channels = 3 ;           // 0: bits to the receiver, 1: bits back, 2: the data
parameters :
int a ; int b ;             // the two values of the bit
int m ;                     // a message

automaton sender :
initial : 0
state 0 :                   // a new message
to 1 : when true , 2 ! m ;
state 1 :                   // repeats bit a until it is acknowledged
to 1 : when true , 0 ! a ;
to 1 : when true , 1 ? b ;
to 2 : when true , 1 ? a ;
state 2 :                   // the next message
to 3 : when true , 2 ! m ;
state 3 :                   // repeats bit b
to 3 : when true , 0 ! b ;
to 3 : when true , 1 ? a ;
to 0 : when true , 1 ? b ;

automaton receiver :
initial : 0
state 0 :                   // waits for a, repeats its last acknowledgement
to 0 : when true , 1 ! b ;
to 0 : when true , 0 ? b ;
to 1 : when true , 0 ? a ;
state 1 :                   // a has come: there is a message
to 2 : when true , 2 ? m ;
state 2 :                   // waits for b
to 2 : when true , 1 ! a ;
to 2 : when true , 0 ? a ;
to 3 : when true , 0 ? b ;
state 3 :
to 0 : when true , 2 ? m ;

// Good are only 00, 10, 11, 12, 22, 32, 33 and 30.
bad_states :
(automaton sender : in 0 : true automaton receiver : in 1 : true in 2 : true in 3 : true)
(automaton sender : in 1 : true automaton receiver : in 3 : true)
(automaton sender : in 2 : true automaton receiver : in 0 : true in 1 : true in 3 : true)
(automaton sender : in 3 : true automaton receiver : in 1 : true)
