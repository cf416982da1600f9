//! No input makes the reader panic, and what it accepts can be printed and read again.
//!
//! Examples are mutated: pieces are removed, repeated, exchanged, and replaced by other pieces or strange characters.
//! The generator is seeded; `HIGHWATER_FUZZ=N` makes it longer.

use crate::common::{Random, examples, files};
use scm::fold::{Limits, fold};

/// A model with variables; there is none among the examples.
const DATA: &str = "
scm data : nb_channels = 2 ; parameters : int a = 3 ; int b ;
automaton p : int x ; int y = a - 1 ; initial : 0, 1
state 0 : to 0 : when x < a && !(y / x == 2) , 0 ! a with x = x + 1 , y = 7 % 2 ; to 1 : when x == a , 1 ? b ;
state 1 : to 0 : when true with x = 0 ;
automaton q : initial : 0 state 0 : to 0 : when true , 0 ? a ; to 0 : when true , 1 ! b ;
bad_states : (automaton p : in 0 : x * 2 >= 4 or y <> 1 in 1 : true with a.a^*.#.(_|b))";

const PIECES: &[&str] = &[
    "automaton",
    "state",
    "to",
    "when",
    "true",
    "in",
    "with",
    "bad_states",
    "initial",
    "int",
    "real",
    "lossy",
    "scm",
    "parameters",
    "nb_channels",
    "channels",
    ":",
    ";",
    ",",
    "!",
    "?",
    "(",
    ")",
    "#",
    ".",
    "|",
    "^*",
    "^+",
    "_",
    "0",
    "1",
    "7",
    "99999999999999999999",
    "a",
    "x",
    "é",
    "\0",
    "/*",
    "*/",
    "//",
    "\n",
    "-",
    "/ 0",
    "= 1",
    "&&",
    "'",
    "\u{feff}",
];

fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if first.is_alphanumeric() {
            rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        found.push(&rest[..len]);
        rest = &rest[len..];
    }
    found
}

fn mutated(text: &str, random: &mut Random) -> String {
    let mut parts = pieces(text);
    for _ in 0..1 + random.below(6) {
        let at = random.below(parts.len());
        match random.below(5) {
            0 => drop(parts.drain(at..(at + 1 + random.below(20)).min(parts.len()))),
            1 => parts.insert(at, PIECES[random.below(PIECES.len())]),
            2 => {
                let other = random.below(parts.len());
                parts.swap(at, other);
            }
            3 => parts[at] = PIECES[random.below(PIECES.len())],
            _ => parts.truncate(at + 1),
        }
        if parts.is_empty() {
            parts.push(" ");
        }
    }
    parts.concat()
}

#[test]
fn nothing_panics_on_mutated_examples() {
    let rounds = testing::rounds(60) as usize;
    let mut accepted = 0;
    let mut texts: Vec<String> = files(&examples()).iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    texts.push(DATA.into());
    for text in texts {
        let text: String = text.lines().filter(|line| !line.starts_with("//")).flat_map(|line| [line, "\n"]).collect();
        for round in 0..rounds {
            let mut random = Random::new(0x5bd1_e995 + round as u64 * 7919);
            let input = mutated(&text, &mut random);
            let read = scm::read("fuzz.scm", &input);
            for diagnostic in &read.diagnostics {
                read.sources.describe(diagnostic.primary.span);
                assert!(scm::codes::explain(diagnostic.code).is_some(), "{}", diagnostic.code);
            }
            assert_eq!(read.model.is_none(), read.diagnostics.iter().any(|d| d.is_error()), "{input}");
            let Some(model) = read.model else { continue };
            accepted += 1;
            let limits = Limits { states: 500, messages: 100, steps: 5000, ..Limits::default() };
            if let Ok(folded) = fold(&model.network, &limits) {
                scm::print(&folded.network, &folded.specification(&model.network, &model.specification)).unwrap();
            }
            if let Ok(printed) = scm::print(&model.network, &model.specification) {
                assert!(scm::read("printed.scm", &printed).model.is_some(), "{round}:\n{input}\n{printed}");
            }
        }
    }
    assert!(accepted > 0, "no mutant was accepted");
}
