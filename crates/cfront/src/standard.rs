//! Routines of the C library whose results follow from their arguments, and other things that a run may not choose.
//!
//! A routine without a body may do anything, and a proof under that reading holds for what it really does. A run does not:
//! one in which `abs` returns a negative number is no run of the program. So whoever finds a run asks here whether it
//! relies on such a routine. Some return any number of a range, and only what lies outside of it is not believed. A fault
//! behind a pointer that came from outside, and is not null, is not believed either: where it points is not known.

use crate::interpret::{Input, Outcome, Purpose, Run};
use crate::program::{Cause, ErrorKind};

/// Routines that do one thing only.
const ROUTINES: [&str; 91] = [
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
    "isblank",
    "isascii",
    "toascii",
    "ffsl",
    "ffsll",
    "mempcpy",
    "memccpy",
    "memrchr",
    "memmem",
    "rawmemchr",
    "stpcpy",
    "stpncpy",
    "strsep",
    "strtok_r",
    "strcoll",
    "strlcpy",
    "strlcat",
    "strchrnul",
    "strcasestr",
    "strdup",
    "strndup",
    "sscanf",
    "vsprintf",
    "vsnprintf",
    "vsscanf",
    "index",
    "rindex",
    "htons",
    "htonl",
    "ntohs",
    "ntohl",
    "bcmp",
    "wcslen",
    "wcscpy",
    "wcscmp",
];

/// Routines that return any number from the first to the second.
const RANGES: [(&str, i128, i128); 10] = [
    ("rand", 0, i32::MAX as i128),
    ("rand_r", 0, i32::MAX as i128),
    ("random", 0, i32::MAX as i128),
    ("lrand48", 0, i32::MAX as i128),
    ("nrand48", 0, i32::MAX as i128),
    ("getchar", -1, 255),
    ("getc", -1, 255),
    ("fgetc", -1, 255),
    ("getchar_unlocked", -1, 255),
    ("getc_unlocked", -1, 255),
];

/// Routines for input, output and time, which leave no address behind.
const PLAIN: [&str; 34] = [
    "printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "putc", "fputc", "perror", "scanf",
    "fscanf", "vscanf", "vfscanf", "gets", "fgets", "fread", "fwrite", "fopen", "fclose", "fflush", "feof", "ferror",
    "read", "write", "open", "close", "time", "clock", "srand", "srandom", "getenv", "sleep", "usleep",
];

/// Whether a routine without a body may keep an address that it gets, or write to one that it or another one got before.
/// The C library does neither, but for `strtok`.
pub(crate) fn keeps_pointers(routine: &str) -> bool {
    let is_range = RANGES.iter().any(|(name, ..)| *name == routine);
    let is_library = ROUTINES.contains(&routine) || PLAIN.contains(&routine) || is_range;
    !is_library || routine == "strtok"
}

/// The first routine that has a fixed meaning and got values of its own choice in this run.
pub fn relied_on(run: &Run) -> Option<&str> {
    let misled =
        matches!(run.outcome, Outcome::Error(ErrorKind::Pointer | ErrorKind::PointerArithmetic | ErrorKind::Index, _));
    run.inputs.iter().find_map(|input| {
        let wild = misled && input.request.pointer && input.bits != 0;
        match &input.request.purpose {
            Purpose::Result(routine) => (wild || is_impossible(routine, input)).then_some(routine.as_str()),
            Purpose::Written(routine) => (wild || ROUTINES.contains(&routine.as_str())).then_some(routine.as_str()),
            Purpose::Havoc(Cause::Parameter | Cause::Elsewhere) => wild.then_some("the environment"),
            Purpose::Havoc(_) => None,
        }
    })
}

/// Whether a routine of that name may not return the value.
fn is_impossible(routine: &str, input: &Input) -> bool {
    let value = input.request.scalar.value(u128::from(input.bits));
    let outside = |(name, low, high)| name == routine && !(low..=high).contains(&value);
    ROUTINES.contains(&routine) || RANGES.into_iter().any(outside)
}
