// A ring of four processes with three tokens: UNSAFE.
//
// Processes 0, 1 and 2 hold a token each. Process 0 warns process 1, which gives its token away in a hurry, without a
// warning; process 2 has not been warned, and holds two.

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
initial : 1
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
