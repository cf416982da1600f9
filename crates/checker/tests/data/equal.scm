/* Both queues are equally long between rounds; no regular set of words says so. */
scm equal :
nb_channels = 2 ;
parameters : int a ;

automaton source :
initial : 0
state 0 : to 1 : when true , 0 ! a ;
state 1 : to 0 : when true , 1 ! a ;

automaton sink :
initial : 0
state 0 : to 1 : when true , 0 ? a ;
state 1 : to 0 : when true , 1 ? a ;

bad_states : (automaton source : in 0 : true automaton sink : in 0 : true with a.(a)^*.#._)
