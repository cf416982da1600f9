// Opening and closing a TCP connection, without timers, windows and numbers: SAFE.
//
// The client opens with the three-way handshake (`syn`; `syn` and `ack`; `ack`), the server waits. Once established, both
// send data, and either closes: actively, by sending `fin`, waiting for its acknowledgement and for the other's `fin`; or
// passively, by acknowledging a `fin` and sending its own when it likes. When both close at the same time the two `fin` cross
// each other, and each side still waits for the acknowledgement of its own. After that a new connection may begin, and what
// is left of the old one in the queues must not be taken for a part of it.
//
// The property is the agreement that a handshake is for: never does one side believe in a connection that the other side has
// closed. Data make both queues unbounded.

scm tcp :

channels : up, down ;
parameters :
int syn ;                   // open
int ack ;                   // acknowledged
int fin ;                   // no more from me
int data ;

automaton client :
initial : closed
state closed :
to syn_sent : up ! syn ;
state syn_sent :
to syn_seen : down ? syn ;
state syn_seen :            // the server's half is open
to answering : down ? ack ;
state answering :
to established : up ! ack ;
state established :
to established : up ! data ;
to established : down ? data ;
to fin_wait_1 : up ! fin ;
to fin_seen : down ? fin ;
state fin_wait_1 :          // active close: the other side may still send
to fin_wait_1 : down ? data ;
to fin_wait_2 : down ? ack ;
to crossed : down ? fin ;
state fin_wait_2 :
to fin_wait_2 : down ? data ;
to last_answer : down ? fin ;
state last_answer :
to closed : up ! ack ;
state crossed :             // both close at the same time
to closing : up ! ack ;
state closing :
to closed : down ? ack ;
state fin_seen :            // passive close
to close_wait : up ! ack ;
state close_wait :
to close_wait : up ! data ;
to last_ack : up ! fin ;
state last_ack :
to closed : down ? ack ;

automaton server :
initial : closed
state closed :
to syn_seen : up ? syn ;
state syn_seen :
to syn_sent : down ! syn ;
state syn_sent :
to waiting : down ! ack ;
state waiting :             // for the third part of the handshake
to established : up ? ack ;
state established :
to established : down ! data ;
to established : up ? data ;
to fin_wait_1 : down ! fin ;
to fin_seen : up ? fin ;
state fin_wait_1 :          // active close: the other side may still send
to fin_wait_1 : up ? data ;
to fin_wait_2 : up ? ack ;
to crossed : up ? fin ;
state fin_wait_2 :
to fin_wait_2 : up ? data ;
to last_answer : up ? fin ;
state last_answer :
to closed : down ! ack ;
state crossed :             // both close at the same time
to closing : down ! ack ;
state closing :
to closed : up ? ack ;
state fin_seen :            // passive close
to close_wait : down ! ack ;
state close_wait :
to close_wait : down ! data ;
to last_ack : down ! fin ;
state last_ack :
to closed : up ? ack ;

// One side takes the connection for established, the other one has none.
bad_states :
(automaton client : in closed automaton server : in established)
(automaton client : in established automaton server : in closed)
