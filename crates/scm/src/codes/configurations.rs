//! S0201 to S0205: bad configurations.

use super::Explanation;

/// The codes about bad configurations, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "S0201",
        title: "wrong number of separators",
        text: "\
A regular expression after `with` describes all queues at once, in the order of their numbers, with
a separator `#` between two of them: `a.b.#._` is `a` and then `b` in channel 0, and nothing in
channel 1. So it needs exactly one separator less than there are channels. To speak of one channel
only, name it: `with 1 : a.b^*`; the others may then hold anything.",
        example: "\
scm m :
nb_channels = 2 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ! a ;
bad_states :
(automaton p : in 0 : true with a.a^*)",
    },
    Explanation {
        code: "S0202",
        title: "repeated separator",
        text: "\
A part with a separator `#` is repeated, by `^*` or `^+`. The number of channels is fixed, so the
number of separators is as well. Repeat what stands between two separators.",
        example: "\
scm m :
nb_channels = 2 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ! a ;
bad_states :
(automaton p : in 0 : true with (a.#)^*)",
    },
    Explanation {
        code: "S0203",
        title: "alternatives with different numbers of separators",
        text: "\
The sides of `|` describe different numbers of queues. Since `.` binds tighter than `|`, the
expression `a.#|b` is either `a.#` or `b`, not `a.#` and then something. Put parentheses around the
alternatives of one queue.",
        example: "\
scm m :
nb_channels = 2 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ! a ;
bad_states :
(automaton p : in 0 : true with a.#|a)",
    },
    Explanation {
        code: "S0204",
        title: "named twice in one bad state",
        text: "\
Between one pair of parentheses, an automaton (or a channel, after `with`) is named twice. Several
automata mean *and*, and no automaton is in two states at once. If *or* is meant, write the states
one after the other: `automaton p : in 0 : true in 1 : true`, or use a second pair of parentheses.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ! a ;
bad_states :
(automaton p : in 0 : true automaton p : in 0 : true)",
    },
    Explanation {
        code: "S0205",
        title: "separator in the language of one channel",
        text: "\
After `with`, there is either one expression for all channels, with separators, or a list of
channels with an expression for each, without: `with 0 : a^* , 1 : _`. The two cannot be mixed.",
        example: "\
scm m :
nb_channels = 2 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ! a ;
bad_states :
(automaton p : in 0 : true with 0 : a.#)",
    },
];
