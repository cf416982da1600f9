// A bounded retransmission protocol whose sender does not wait: UNSAFE.
//
// After it has given up, the sender begins the next packet at once. The receiver, and the queues, are still busy with the old
// one. That a receiver takes an `f` at any time does not help.

scm brp :

channels : frames, acks ;
parameters :
int f ;                     // the first frame of a packet
int one ; int zero ;        // frames between, in turns
int l ;                     // the last frame
int s ;                     // synchronisation: nothing of this packet comes after it

automaton sender :
initial : idle
state idle :
to first : frames ! f ;
state first :
to first : frames ! f ;
to odd : acks ? f ;
to last : acks ? f ;
to ending : when true ;                 // the timer
state odd :
to odd : frames ! one ;
to odd : acks ? f ;
to odd : acks ? zero ;
to even : acks ? one ;
to last : acks ? one ;
to ending : when true ;
state even :
to even : frames ! zero ;
to even : acks ? one ;
to odd : acks ? zero ;
to last : acks ? zero ;
to ending : when true ;
state last :
to last : frames ! l ;
to last : acks ? f ;
to last : acks ? one ;
to last : acks ? zero ;
to ending : acks ? l ;
to ending : when true ;
state ending :              // sent, or given up
to idle : when true ;                   // no synchronisation

automaton receiver :
initial : start
state start :
to got_first : frames ? f ;
state got_first :
to got_first : acks ! f ;
to got_first : frames ? f ;
to got_odd : frames ? one ;
to got_last : frames ? l ;
state got_odd :
to got_odd : acks ! one ;
to got_odd : frames ? one ;
to got_even : frames ? zero ;
to got_last : frames ? l ;
to got_first : frames ? f ;
state got_even :
to got_even : acks ! zero ;
to got_even : frames ? zero ;
to got_odd : frames ? one ;
to got_last : frames ? l ;
to got_first : frames ? f ;
state got_last :
to got_last : acks ! l ;
to got_last : frames ? l ;
to got_first : frames ? f ;

bad_states :
// the alternating bit: how far apart the two may be
(automaton sender : in first automaton receiver : in got_odd in got_even in got_last)
(automaton sender : in odd automaton receiver : in start in got_last)
(automaton sender : in even automaton receiver : in start in got_first in got_last)
(automaton sender : in last automaton receiver : in start)
// a new packet begins only when all is ready for it: the receiver, and both queues
(automaton sender : in idle automaton receiver : in got_first in got_odd in got_even in got_last)
(automaton sender : in idle with frames : (f|one|zero|l|s)^+)
(automaton sender : in idle with acks : (f|one|zero|l|s)^+)
