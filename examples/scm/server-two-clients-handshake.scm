// A server and two clients with the handshake of TCP, on shared channels: SAFE.
//
// The paper's server with two clients is its TCP with a second client that uses the same channels, and messages of its own.
// Its published file has 225 control states; the tool of its authors (version 1.2.1) did not come to an answer for it in half a
// minute, with any of ten settings. This is our own reading of that: clients with five states, a server with nine, and so as many
// control states. A client opens with three messages (`syn` up, `syn` down, `ack` up), both sides send data, and the client
// closes with `fin`, which the server answers. Meanwhile the server throws away what the other client wants.
//
// A client believes in a connection only while the server has one with it, and never do both clients.

scm server_two_clients_handshake :

channels : up, down ;
parameters :
int syn1 ; int ack1 ; int fin1 ; int data1 ;
int syn2 ; int ack2 ; int fin2 ; int data2 ;

automaton client1 :
initial : closed
state closed :
to opening : up ! syn1 ;
state opening :
to answering : down ? syn1 ;
state answering :
to established : up ! ack1 ;
state established :
to established : up ! data1 ;
to established : down ? data1 ;
to closing : up ! fin1 ;
state closing :
to closing : down ? data1 ;
to closed : down ? fin1 ;

automaton client2 :
initial : closed
state closed :
to opening : up ! syn2 ;
state opening :
to answering : down ? syn2 ;
state answering :
to established : up ! ack2 ;
state established :
to established : up ! data2 ;
to established : down ? data2 ;
to closing : up ! fin2 ;
state closing :
to closing : down ? data2 ;
to closed : down ? fin2 ;

automaton server :
initial : closed
state closed :
to asked1 : up ? syn1 ;
to asked2 : up ? syn2 ;
state asked1 :
to waiting1 : down ! syn1 ;
to asked1 : up ? syn2 ;
state waiting1 :
to serving1 : up ? ack1 ;
to waiting1 : up ? syn2 ;
state serving1 :
to serving1 : up ? data1 ;
to serving1 : down ! data1 ;
to serving1 : up ? syn2 ;
to ending1 : up ? fin1 ;
state ending1 :
to closed : down ! fin1 ;
to ending1 : up ? syn2 ;
state asked2 :
to waiting2 : down ! syn2 ;
to asked2 : up ? syn1 ;
state waiting2 :
to serving2 : up ? ack2 ;
to waiting2 : up ? syn1 ;
state serving2 :
to serving2 : up ? data2 ;
to serving2 : down ! data2 ;
to serving2 : up ? syn1 ;
to ending2 : up ? fin2 ;
state ending2 :
to closed : down ! fin2 ;
to ending2 : up ? syn1 ;

bad_states :
// a client believes in a connection, and the server has none with it
(automaton client1 : in established automaton server : in closed in asked1 in ending1 in asked2 in waiting2 in serving2 in ending2)
(automaton client2 : in established automaton server : in closed in asked2 in ending2 in asked1 in waiting1 in serving1 in ending1)
// both at once
(automaton client1 : in established automaton client2 : in established)
