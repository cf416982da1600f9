// The connection/disconnection protocol with data in nested loops: SAFE.
//
// A client opens a session, sends any number of messages `m`, closes it, and begins again. There is no disconnection by
// the server, so nothing can cross. What makes it hard is the loop in a loop: the queue holds words of
// (o m* c)*, or a suffix of one and the beginning of another, and methods that speed up simple loops get nowhere. State 2
// of the server is where it lands when it waits for `o` and gets `c`.

scm nested :

nb_channels = 1 ;
parameters :
int o ;                     // open
int c ;                     // close
int m ;                     // a message

automaton client :
initial : 0
state 0 :
to 1 : when true , 0 ! o ;
state 1 :
to 1 : when true , 0 ! m ;
to 0 : when true , 0 ! c ;

automaton server :
initial : 0
state 0 :
to 1 : when true , 0 ? o ;
to 2 : when true , 0 ? c ;
state 1 :
to 1 : when true , 0 ? m ;
to 0 : when true , 0 ? c ;
state 2 :                   // undefined reception

bad_states :
(automaton server : in 2 : true)
