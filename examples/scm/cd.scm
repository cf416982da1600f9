// The connection/disconnection protocol (Jard and Raynal; Example 2.1 of the McScM paper): UNSAFE.
//
// A client opens a session with `o` and may close it with `c`. The server learns of both, and may end the session on its
// own with `d`. Both ends of a session are natural, and together they are wrong: when client and server end it at the
// same time, `c` and `d` cross each other. The server is then back in its state 0, where it expects `o`, and finds `c` at
// the head of its queue, an undefined reception that blocks it for ever. The shortest run to it has four steps:
//
//     client: 0 ! o     server: 0 ? o     server: 1 ! d     client: 0 ! c
//
// The queues are not bounded: the client can open and close without anybody listening.

scm connection_disconnection :

nb_channels = 2 ;           // 0: client to server, 1: server to client
parameters :
int o ;                     // open
int c ;                     // close
int d ;                     // disconnect

automaton client :
initial : 0
state 0 :                   // no session
to 1 : when true , 0 ! o ;
state 1 :                   // in a session
to 0 : when true , 0 ! c ;
to 0 : when true , 1 ? d ;

automaton server :
initial : 0
state 0 :
to 1 : when true , 0 ? o ;
state 1 :
to 0 : when true , 0 ? c ;
to 0 : when true , 1 ! d ;

// The server waits for `o`, and `c` is next.
bad_states :
(automaton server : in 0 : true with c.(o|c|d)^*.#.(o|c|d)^*)
