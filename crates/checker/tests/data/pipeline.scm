// A pipeline of 12 stages; channel i leads to stage i, and the last one to the sink.
scm pipeline :
nb_channels = 13 ;
parameters :
int a ;
int b ;

automaton source :
initial : 0
state 0 :
to 1 : when true , 0 ! a ;
state 1 :
to 0 : when true , 0 ! b ;

automaton stage0 :
initial : 0
state 0 :
to 1 : when true , 0 ? a ;
to 2 : when true , 0 ? b ;
state 1 :
to 0 : when true , 1 ! a ;
state 2 :
to 0 : when true , 1 ! b ;

automaton stage1 :
initial : 0
state 0 :
to 1 : when true , 1 ? a ;
to 2 : when true , 1 ? b ;
state 1 :
to 0 : when true , 2 ! a ;
state 2 :
to 0 : when true , 2 ! b ;

automaton stage2 :
initial : 0
state 0 :
to 1 : when true , 2 ? a ;
to 2 : when true , 2 ? b ;
state 1 :
to 0 : when true , 3 ! a ;
state 2 :
to 0 : when true , 3 ! b ;

automaton stage3 :
initial : 0
state 0 :
to 1 : when true , 3 ? a ;
to 2 : when true , 3 ? b ;
state 1 :
to 0 : when true , 4 ! a ;
state 2 :
to 0 : when true , 4 ! b ;

automaton stage4 :
initial : 0
state 0 :
to 1 : when true , 4 ? a ;
to 2 : when true , 4 ? b ;
state 1 :
to 0 : when true , 5 ! a ;
state 2 :
to 0 : when true , 5 ! b ;

automaton stage5 :
initial : 0
state 0 :
to 1 : when true , 5 ? a ;
to 2 : when true , 5 ? b ;
state 1 :
to 0 : when true , 6 ! a ;
state 2 :
to 0 : when true , 6 ! b ;

automaton stage6 :
initial : 0
state 0 :
to 1 : when true , 6 ? a ;
to 2 : when true , 6 ? b ;
state 1 :
to 0 : when true , 7 ! a ;
state 2 :
to 0 : when true , 7 ! b ;

automaton stage7 :
initial : 0
state 0 :
to 1 : when true , 7 ? a ;
to 2 : when true , 7 ? b ;
state 1 :
to 0 : when true , 8 ! a ;
state 2 :
to 0 : when true , 8 ! b ;

automaton stage8 :
initial : 0
state 0 :
to 1 : when true , 8 ? a ;
to 2 : when true , 8 ? b ;
state 1 :
to 0 : when true , 9 ! a ;
state 2 :
to 0 : when true , 9 ! b ;

automaton stage9 :
initial : 0
state 0 :
to 1 : when true , 9 ? a ;
to 2 : when true , 9 ? b ;
state 1 :
to 0 : when true , 10 ! a ;
state 2 :
to 0 : when true , 10 ! b ;

automaton stage10 :
initial : 0
state 0 :
to 1 : when true , 10 ? a ;
to 2 : when true , 10 ? b ;
state 1 :
to 0 : when true , 11 ! a ;
state 2 :
to 0 : when true , 11 ! b ;

automaton stage11 :
initial : 0
state 0 :
to 1 : when true , 11 ? a ;
to 2 : when true , 11 ? b ;
state 1 :
to 0 : when true , 12 ! a ;
state 2 :
to 0 : when true , 12 ! b ;

automaton sink :
initial : 0
state 0 :
to 1 : when true , 12 ? a ;
to 2 : when true , 12 ? b ;
state 1 :
to 0 : when true , 12 ? b ;
to 2 : when true , 12 ? a ;
// out of turn
state 2 :

bad_states :
(automaton sink : in 2 : true)
