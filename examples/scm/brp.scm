// A bounded retransmission protocol: SAFE.
//
// A packet is sent as a first frame `f`, frames `one` and `zero` in turns, and a last one `l`. As in the alternating bit
// protocol, a frame is repeated until it is acknowledged, and both queues may grow. After some repetitions the sender gives
// up; there is no clock here, so that may happen at any time. The next packet must not begin while anything of the old one
// is on its way: its `f` would be taken for a repetition, or an old acknowledgement for a new one.
//
// In the real protocol both sides wait long enough. Here they synchronise: the sender puts `s` behind its last frame and reads
// acknowledgements away; the receiver, when it gets to `s`, puts an `s` behind its last acknowledgement. First in, first out:
// when the sender reads `s`, both queues are empty. The properties are those of the alternating bit protocol, and that a
// packet begins with empty queues and a receiver that expects one.

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
to flushing : frames ! s ;
state flushing :            // throws away what is left
to flushing : acks ? f ;
to flushing : acks ? one ;
to flushing : acks ? zero ;
to flushing : acks ? l ;
to idle : acks ? s ;

automaton receiver :
initial : start
state start :
to got_first : frames ? f ;
state got_first :
to got_first : acks ! f ;
to got_first : frames ? f ;
to got_odd : frames ? one ;
to got_last : frames ? l ;
to agreed : frames ? s ;
state got_odd :
to got_odd : acks ! one ;
to got_odd : frames ? one ;
to got_even : frames ? zero ;
to got_last : frames ? l ;
to agreed : frames ? s ;
state got_even :
to got_even : acks ! zero ;
to got_even : frames ? zero ;
to got_odd : frames ? one ;
to got_last : frames ? l ;
to agreed : frames ? s ;
state got_last :
to got_last : acks ! l ;
to got_last : frames ? l ;
to agreed : frames ? s ;
state agreed :              // all frames of the packet have been read
to start : acks ! s ;

bad_states :
// the alternating bit: how far apart the two may be
(automaton sender : in first automaton receiver : in got_odd in got_even in got_last)
(automaton sender : in odd automaton receiver : in start in got_last)
(automaton sender : in even automaton receiver : in start in got_first in got_last)
(automaton sender : in last automaton receiver : in start)
// a new packet begins only when all is ready for it: the receiver, and both queues
(automaton sender : in idle automaton receiver : in got_first in got_odd in got_even in got_last in agreed)
(automaton sender : in idle with frames : (f|one|zero|l|s)^+)
(automaton sender : in idle with acks : (f|one|zero|l|s)^+)
