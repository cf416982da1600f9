//! F0401 to F0403: `.aut` files.

use super::Explanation;

/// The codes about automata, in order.
pub(super) const CODES: &[Explanation] = &[
    Explanation {
        code: "F0401",
        title: "not a line of an .aut file",
        text: "\
The first line is `des (first, transitions, states)`, and every other one is a transition, `(from,
\"label\", to)`. The quotes can be left out.",
        example: "\
des (0, 1, 2)
(0, \"a\" 1)",
    },
    Explanation {
        code: "F0402",
        title: "other number of transitions than announced",
        text: "\
The header counts the transitions of the file. If there are fewer, the file was most likely cut
off.",
        example: "\
des (0, 3, 2)
(0, \"a\", 1)
(1, \"b\", 0)",
    },
    Explanation {
        code: "F0403",
        title: "unknown state in an .aut file",
        text: "\
States are counted from 0, and the header says how many there are.",
        example: "\
des (0, 1, 2)
(0, \"a\", 2)",
    },
];
