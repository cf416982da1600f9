//! S0001 to S0006: characters, and the order of words.

use super::Explanation;

/// The codes about syntax, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "S0001",
        title: "character that is not part of the language",
        text: "\
The text has characters outside of comments that mean nothing here. Names are made of letters of the
English alphabet, digits and `_`. Remove them, or put them into a comment:
`// to the end of the line` or `/* over several lines */`.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int naïve ;
automaton p :
initial : 0
state 0 :",
    },
    Explanation {
        code: "S0002",
        title: "comment that is not closed",
        text: "\
A comment that begins with `/*` goes on up to the next `*/`, and there is none. All that follows was
taken for a comment. Comments do not nest. Close it, or use `//`, which ends with the line.",
        example: "\
scm m : /* a model
nb_channels = 1 ;",
    },
    Explanation {
        code: "S0003",
        title: "unexpected word",
        text: "\
Something else is expected at this place. Most often a `:` or a `;` is missing in front of it, or
two parts stand in the wrong order: the number of channels, `lossy`, the messages (`parameters`),
the automata, and last the bad states. A transition is `to 1 : when true , 0 ! a ;`.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 when true , 0 ! a ;",
    },
    Explanation {
        code: "S0004",
        title: "number that is too large",
        text: "\
Numbers of states and values of variables are whole numbers up to 2147483647. Use a smaller number;
states may also have names.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 99999999999 : when true , 0 ! a ;",
    },
    Explanation {
        code: "S0005",
        title: "nested too deeply",
        text: "\
An expression has more than 200 levels of parentheses or operators within each other. No protocol
that was written by hand needs that many. If the file was generated, let the generator leave out
parentheses that are not needed.",
        example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((true)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) ;",
    },
    Explanation {
        code: "S0006",
        title: "missing dot in a regular expression",
        text: "\
Two messages, or two expressions in parentheses, follow each other without a `.` between them. Write
`a.b` for `a` and then `b`. It may be left out only next to a separator `#`.",
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
(automaton p : in 0 : true with a a)",
    },
];
