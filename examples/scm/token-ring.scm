// A ring of four processes that pass tokens on: SAFE.
//
// Two tokens are in the ring, and no process may ever hold both. Who holds a token warns the next process with an alert `a`
// before it sends the token `t`. Who is warned gives its own token away at once, without a warning of its own; who has none
// takes no notice. So a process is always empty when a token comes, as long as the one that gives way in a hurry does not
// meet a third token. Channel i leads from process i to the next one; all queues stay short.
//
// Five states each, 625 together, as in the paper. `scm::families::token_ring(n)` writes this file for n processes.

scm token_ring :
nb_channels = 4 ;
parameters :
int t ;
int a ;

automaton process0 :
initial : 1
// no token
state 0 :
to 1 : when true , 3 ? t ;
to 0 : when true , 3 ? a ;
// a token
state 1 :
to 2 : when true , 0 ! a ;
to 3 : when true , 3 ? a ;
to 4 : when true , 3 ? t ;
// a token, and the next process has been warned
state 2 :
to 0 : when true , 0 ! t ;
to 3 : when true , 3 ? a ;
to 4 : when true , 3 ? t ;
// warned: the token must go
state 3 :
to 0 : when true , 0 ! t ;
// two tokens
state 4 :

automaton process1 :
initial : 0
// no token
state 0 :
to 1 : when true , 0 ? t ;
to 0 : when true , 0 ? a ;
// a token
state 1 :
to 2 : when true , 1 ! a ;
to 3 : when true , 0 ? a ;
to 4 : when true , 0 ? t ;
// a token, and the next process has been warned
state 2 :
to 0 : when true , 1 ! t ;
to 3 : when true , 0 ? a ;
to 4 : when true , 0 ? t ;
// warned: the token must go
state 3 :
to 0 : when true , 1 ! t ;
// two tokens
state 4 :

automaton process2 :
initial : 1
// no token
state 0 :
to 1 : when true , 1 ? t ;
to 0 : when true , 1 ? a ;
// a token
state 1 :
to 2 : when true , 2 ! a ;
to 3 : when true , 1 ? a ;
to 4 : when true , 1 ? t ;
// a token, and the next process has been warned
state 2 :
to 0 : when true , 2 ! t ;
to 3 : when true , 1 ? a ;
to 4 : when true , 1 ? t ;
// warned: the token must go
state 3 :
to 0 : when true , 2 ! t ;
// two tokens
state 4 :

automaton process3 :
initial : 0
// no token
state 0 :
to 1 : when true , 2 ? t ;
to 0 : when true , 2 ? a ;
// a token
state 1 :
to 2 : when true , 3 ! a ;
to 3 : when true , 2 ? a ;
to 4 : when true , 2 ? t ;
// a token, and the next process has been warned
state 2 :
to 0 : when true , 3 ! t ;
to 3 : when true , 2 ? a ;
to 4 : when true , 2 ? t ;
// warned: the token must go
state 3 :
to 0 : when true , 3 ! t ;
// two tokens
state 4 :

bad_states :
(automaton process0 : in 4 : true)
(automaton process1 : in 4 : true)
(automaton process2 : in 4 : true)
(automaton process3 : in 4 : true)
