//! S0101 to S0113: declarations, names and data.

use super::Explanation;

/// The codes about declarations, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "S0101",
        title: "no channel, or too many of something",
        text: "\
A model has at least one channel, and at most 255 channels and 255 automata: their numbers take one
byte in a state. A message takes at most two bytes, so there are at most 65535 of them. Channels and
messages that nobody uses can be left out.",
        example: "\
scm m :
nb_channels = 0 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :",
    },
    Explanation {
        code: "S0102",
        title: "name declared twice",
        text: "\
Two channels, messages or automata of the model have the same name, or two states or variables of
one automaton. A transition could mean either of them. Rename one. Different automata may have
states of the same name, and numbers count as names: `01` and `1` are the same state.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ! a ;
state 0 :",
    },
    Explanation {
        code: "S0103",
        title: "unknown channel",
        text: "\
Channels are numbered from 0, so a model with `nb_channels = 2` has the channels 0 and 1. Use one of
them, or declare more. With `channels : up, down ;` instead of `nb_channels`, channels have names,
and numbers still work.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 1 ! a ;",
    },
    Explanation {
        code: "S0104",
        title: "unknown message",
        text: "\
What is sent and received must be declared as a parameter: `parameters : int a ; int b ;`. Declare
it, or correct its name; upper and lower case are different.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int request ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ! reqest ;",
    },
    Explanation {
        code: "S0105",
        title: "unknown state",
        text: "\
A transition, the list of initial states or a bad state names a state that its automaton does not
have. Every state is declared, also one without transitions: `state 3 :`. States belong to one
automaton; those of the others cannot be reached.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 7 : when true , 0 ! a ;",
    },
    Explanation {
        code: "S0106",
        title: "unknown automaton",
        text: "\
A bad state names an automaton that the model does not have. Correct the name. An automaton that is
not named in a bad state may be anywhere.",
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
(automaton q : in 0 : true)",
    },
    Explanation {
        code: "S0107",
        title: "unknown variable",
        text: "\
A guard or an assignment names a variable that its automaton does not declare. Variables are
declared between the name of the automaton and its initial states, as in `int x = 0 ;`, and are seen
by no other automaton: machines share nothing but channels.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
int count ;
initial : 0
state 0 :
to 0 : when cuont < 3 , 0 ! a ;",
    },
    Explanation {
        code: "S0108",
        title: "model without an automaton",
        text: "\
There is nothing in the model that could move. An automaton is declared like this:
`automaton p : initial : 0 state 0 : to 0 : when true , 0 ! a ;`.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;",
    },
    Explanation {
        code: "S0110",
        title: "real variable",
        text: "\
A variable of type `real` has infinitely many values, and no exact arithmetic on them is built in.
In `parameters`, `real` and `int` mean the same, since messages are only names. Declare the variable
as `int` if whole numbers will do.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
real x ;
initial : 0
state 0 :
to 0 : when x < 3 , 0 ! a ;",
    },
    Explanation {
        code: "S0111",
        title: "message without a value",
        text: "\
A message is used as a number, in a guard or in an assignment, but none was given to it. A parameter
that is declared with a value, `int a = 3 ;`, is a message and a constant as well. To receive a
message use `0 ? a`.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
int x ;
initial : 0
state 0 :
to 0 : when x < a , 0 ! a ;",
    },
    Explanation {
        code: "S0112",
        title: "assignments that depend on their order",
        text: "\
One transition assigns a variable and then reads or assigns it again. Whether all values are
computed first, or one assignment after the other, is nowhere written down for this format, so it is
not guessed. Use two transitions with a state between them, or compute the value in one assignment.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
int x ; int y ;
initial : 0
state 0 :
to 0 : when true , 0 ! a with x = y , y = x ;",
    },
    Explanation {
        code: "S0113",
        title: "initial value that is not a constant",
        text: "\
What a variable or a parameter starts with is computed while the model is read: from numbers, and
from parameters that were declared before with a value. Variables cannot be used, and nothing can be
divided by zero.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a = 1 / 0 ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ! a ;",
    },
];
