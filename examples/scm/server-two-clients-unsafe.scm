// Two clients, one of them impatient: UNSAFE.
//
// The first client may close without waiting for `bye1`. The server serves it still, while it is closed already: the shortest
// run has five steps.

scm server_two_clients :

channels : requests, replies ;
parameters :
int syn1 ; int ack1 ; int busy1 ; int data1 ; int fin1 ; int bye1 ;
int syn2 ; int ack2 ; int busy2 ; int data2 ; int fin2 ; int bye2 ;

automaton client1 :
initial : closed
state closed :
to opening : requests ! syn1 ;
state opening :
to established : replies ? ack1 ;
to closed : replies ? busy1 ;
state established :
to established : requests ! data1 ;
to closing : requests ! fin1 ;
to closed : requests ! fin1 ;     // does not wait
state closing :
to closed : replies ? bye1 ;

automaton client2 :
initial : closed
state closed :
to opening : requests ! syn2 ;
state opening :
to established : replies ? ack2 ;
to closed : replies ? busy2 ;
state established :
to established : requests ! data2 ;
to closing : requests ! fin2 ;
state closing :
to closed : replies ? bye2 ;

automaton server :
initial : closed
state closed :
to accepting1 : requests ? syn1 ;
to accepting2 : requests ? syn2 ;
state accepting1 :
to serving1 : replies ! ack1 ;
state serving1 :
to serving1 : requests ? data1 ;
to ending1 : requests ? fin1 ;
to refusing2 : requests ? syn2 ;
state refusing2 :          // client 2 has to wait
to serving1 : replies ! busy2 ;
state ending1 :
to closed : replies ! bye1 ;
state accepting2 :
to serving2 : replies ! ack2 ;
state serving2 :
to serving2 : requests ? data2 ;
to ending2 : requests ? fin2 ;
to refusing1 : requests ? syn1 ;
state refusing1 :          // client 1 has to wait
to serving2 : replies ! busy1 ;
state ending2 :
to closed : replies ! bye2 ;

bad_states :
// a client believes in a connection that the server does not have
(automaton client1 : in established automaton server : in closed in accepting2 in serving2 in refusing1 in ending2)
(automaton client2 : in established automaton server : in closed in accepting1 in serving1 in refusing2 in ending1)
// the server serves a client that has closed
(automaton client1 : in closed automaton server : in serving1)
(automaton client2 : in closed automaton server : in serving2)
// both at once
(automaton client1 : in established automaton client2 : in established)
