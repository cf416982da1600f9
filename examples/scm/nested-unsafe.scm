// The nested protocol with disconnections: UNSAFE.
//
// The server may end a session with `d`, as in `cd.scm`. A `c` that is on its way then meets a server that waits for `o`.
// Messages `m` that are on their way would block the server before that; it throws them away. Five steps.

scm nested_unsafe :

nb_channels = 2 ;           // 0: client to server, 1: server to client
parameters :
int o ;
int c ;
int m ;
int d ;                     // disconnect

automaton client :
initial : 0
state 0 :
to 1 : when true , 0 ! o ;
state 1 :
to 1 : when true , 0 ! m ;
to 0 : when true , 0 ! c ;
to 0 : when true , 1 ? d ;

automaton server :
initial : 0
state 0 :
to 1 : when true , 0 ? o ;
to 0 : when true , 0 ? m ;
to 2 : when true , 0 ? c ;
state 1 :
to 1 : when true , 0 ? m ;
to 0 : when true , 0 ? c ;
to 0 : when true , 1 ! d ;
state 2 :                   // undefined reception

bad_states :
(automaton server : in 2 : true)
