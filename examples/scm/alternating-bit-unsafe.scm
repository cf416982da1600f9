// An alternating bit protocol with an eager receiver: UNSAFE.
//
// In its state 0 the receiver should repeat the acknowledgement of the last message, `b`. This one acknowledges `a`,
// which it has not seen. The sender believes it, and goes on to state 2 while the receiver is still in 0: three steps.

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
to 0 : when true , 1 ! a ;
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
