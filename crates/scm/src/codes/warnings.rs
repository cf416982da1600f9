//! S0301: what is valid, but most likely a slip.

use super::Explanation;

/// The warnings, in order.
pub(super) const CODES: &[Explanation] = &[Explanation {
    code: "S0301",
    title: "message that nobody sends there",
    text: "\
A transition waits for a message on a channel, and no transition of any automaton sends this message
on this channel. So it can never be taken. Most often the number of the channel is wrong, or the
message goes the other way.",
    example: "\
scm m :
nb_channels = 1 ;
parameters :
int a ;
automaton p :
initial : 0
state 0 :
to 0 : when true , 0 ? a ;",
}];
