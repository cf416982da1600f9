// A system whose reachable configurations are no regular set: SAFE.
//
// Each round, the first process writes `a` to channel 0 and asks with `c` on channel 1; the second answers by writing `b` to
// channel 2 and says `d` on channel 3. Nobody reads channels 0 and 2, which count the rounds. When both processes are in
// state 0, they hold a^n and b^n for the same n: no finite automaton tells that. The property does not need it. An
// invariant that knows channels 1 and 3 and forgets the counters is enough: when the first process begins a round, the
// second one is never in its state 2. A method that computes the reachable set exactly, as automata, cannot end here.

scm non_regular :

nb_channels = 4 ;
parameters :
int a ; int b ;             // marks that count
int c ;                     // your turn
int d ;                     // done

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
to 2 : when true , 2 ! b ;
state 2 :
to 0 : when true , 3 ! d ;

bad_states :
(automaton first : in 0 : true automaton second : in 2 : true)
