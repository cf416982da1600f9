//! Routines of the C library whose results follow from their arguments.
//!
//! A routine without a body may do anything, and a proof under that reading holds for what it really does. A run does not:
//! one in which `abs` returns a negative number is no run of the program. So whoever finds a run asks here whether it
//! relies on such a routine.

use crate::interpret::{Purpose, Run};

const ROUTINES: [&str; 56] = [
    "abs",
    "labs",
    "llabs",
    "imaxabs",
    "div",
    "ldiv",
    "lldiv",
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "strlen",
    "strnlen",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "strtok",
    "sprintf",
    "snprintf",
    "qsort",
    "bsearch",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "isxdigit",
    "ispunct",
    "isprint",
    "iscntrl",
    "isgraph",
    "toupper",
    "tolower",
    "ffs",
    "bzero",
    "bcopy",
];

/// The first routine that has a fixed meaning and got values of its own choice in this run.
pub fn relied_on(run: &Run) -> Option<&str> {
    run.inputs.iter().find_map(|input| match &input.request.purpose {
        Purpose::Result(routine) | Purpose::Written(routine) => {
            ROUTINES.contains(&routine.as_str()).then_some(routine.as_str())
        }
        Purpose::Havoc(_) => None,
    })
}
