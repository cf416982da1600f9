// A lock server with 3 clients that do not wait; channel 0 is its mailbox, which grows, channel i leads to client i.
scm lock_server :
nb_channels = 4 ;
parameters :
int r1 ;
int e1 ;
int r2 ;
int e2 ;
int r3 ;
int e3 ;
int g ;
int d ;

automaton server :
initial : 0
state 0 :
to 1 : when true , 0 ? r1 ;
to 2 : when true , 0 ? r2 ;
to 3 : when true , 0 ? r3 ;
state 1 :
to 4 : when true , 1 ! g ;
state 4 :
to 0 : when true , 0 ? e1 ;
to 4 : when true , 0 ? r1 ;
to 8 : when true , 0 ? r2 ;
to 9 : when true , 0 ? r3 ;
state 8 :
to 4 : when true , 2 ! d ;
state 9 :
to 4 : when true , 3 ! d ;
state 2 :
to 5 : when true , 2 ! g ;
state 5 :
to 0 : when true , 0 ? e2 ;
to 5 : when true , 0 ? r2 ;
to 10 : when true , 0 ? r1 ;
to 12 : when true , 0 ? r3 ;
state 10 :
to 5 : when true , 1 ! d ;
state 12 :
to 5 : when true , 3 ! d ;
state 3 :
to 6 : when true , 3 ! g ;
state 6 :
to 0 : when true , 0 ? e3 ;
to 6 : when true , 0 ? r3 ;
to 13 : when true , 0 ? r1 ;
to 14 : when true , 0 ? r2 ;
state 13 :
to 6 : when true , 1 ! d ;
state 14 :
to 6 : when true , 2 ! d ;

automaton client1 :
initial : 0
state 0 :
to 1 : when true , 0 ! r1 ;
state 1 :
to 2 : when true , 1 ? g ;
to 0 : when true , 1 ? d ;
to 1 : when true , 0 ! r1 ;
// has the lock
state 2 :
to 0 : when true , 0 ! e1 ;

automaton client2 :
initial : 0
state 0 :
to 1 : when true , 0 ! r2 ;
state 1 :
to 2 : when true , 2 ? g ;
to 0 : when true , 2 ? d ;
to 1 : when true , 0 ! r2 ;
// has the lock
state 2 :
to 0 : when true , 0 ! e2 ;

automaton client3 :
initial : 0
state 0 :
to 1 : when true , 0 ! r3 ;
state 1 :
to 2 : when true , 3 ? g ;
to 0 : when true , 3 ? d ;
to 1 : when true , 0 ! r3 ;
// has the lock
state 2 :
to 0 : when true , 0 ! e3 ;

bad_states :
(automaton client1 : in 2 : true automaton client2 : in 2 : true)
(automaton client1 : in 2 : true automaton client3 : in 2 : true)
(automaton client2 : in 2 : true automaton client3 : in 2 : true)
