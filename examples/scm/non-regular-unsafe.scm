// The non-regular system with an answer that comes too early: UNSAFE.
//
// The second process says `d` before it has written its mark. The first one may be back in state 0 while the second still
// has to write: five steps.

scm non_regular_unsafe :

nb_channels = 4 ;
parameters :
int a ; int b ;
int c ;
int d ;

automaton first :
initial : 0
state 0 :
to 1 : when true , 0 ! a ;
state 1 :
to 2 : when true , 1 ! c ;
state 2 :
to 0 : when true , 3 ? d ;

automaton second :
initial : 0
state 0 :
to 1 : when true , 1 ? c ;
state 1 :
to 2 : when true , 3 ! d ;
state 2 :
to 0 : when true , 2 ! b ;

bad_states :
(automaton first : in 0 : true automaton second : in 2 : true)
