// A mail client that does not wait: UNSAFE.
//
// The client sends its password right after its name, and takes the first `ok` for the answer to the password. It is the
// answer to the name.

scm pop3 :

channels : commands, answers ;
parameters :
int user ; int pass ; int stat ; int retr ; int quit ;
int ok ; int err ; int data ;

automaton client :
initial : waiting
state waiting :             // for the greeting
to nobody : answers ? ok ;
state nobody :              // not logged in
to naming : commands ! user ;
to leaving : commands ! quit ;
state naming :
to checking : commands ! pass ;   // does not wait for the answer
state checking :
to ready : answers ? ok ;
to nobody : answers ? err ;
state ready :               // logged in
to asking : commands ! stat ;
to fetching : commands ! retr ;
to leaving : commands ! quit ;
state asking :
to ready : answers ? ok ;
to ready : answers ? err ;
state fetching :
to reading : answers ? ok ;
to ready : answers ? err ;
state reading :             // the text comes after the answer
to ready : answers ? data ;
state leaving :
to waiting : answers ? ok ;

automaton server :
initial : idle
state idle :
to nobody : answers ! ok ;  // the greeting
state nobody :              // authorisation
to looking_up : commands ? user ;
to leaving : commands ? quit ;
state looking_up :
to named : answers ! ok ;
to nobody : answers ! err ;
state named :
to checking : commands ? pass ;
state checking :
to ready : answers ! ok ;
to nobody : answers ! err ;
state ready :               // transaction
to counting : commands ? stat ;
to finding : commands ? retr ;
to leaving : commands ? quit ;
state counting :
to ready : answers ! ok ;
to ready : answers ! err ;
state finding :
to sending : answers ! ok ;
to ready : answers ! err ;
state sending :
to ready : answers ! data ;
state leaving :
to idle : answers ! ok ;

bad_states :
// the client is logged in, the server does not know of it
(automaton client : in ready in asking in fetching in reading
 automaton server : in nobody in looking_up in named in checking)
// the server has let somebody in who does not know of it
(automaton client : in nobody in naming 
 automaton server : in ready in counting in finding in sending)
