//! No input makes the reader panic, and whatever it accepts runs.
//!
//! Units are mutated: pieces are removed, repeated, exchanged and replaced. `HIGHWATER_FUZZ=N` makes it longer.

use crate::common::Random;
use crate::common::generate::generate;
use cfront::interpret::{Request, run};
use cfront::{Input, Options};

const PIECES: &[&str] = &[
    "int",
    "unsigned",
    "char",
    "long",
    "_Bool",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "extern",
    "const",
    "void",
    "float",
    "if",
    "else",
    "while",
    "for",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "goto",
    "return",
    "sizeof",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    "?",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "~",
    "!",
    "<",
    ">",
    "==",
    "&&",
    "||",
    "<<",
    ">>",
    "++",
    "--",
    "->",
    ".",
    "...",
    "0",
    "1",
    "-1",
    "7",
    "4294967296",
    "99999999999999999999",
    "0x",
    "'a'",
    "'",
    "\"",
    "\"s\"",
    "x",
    "main",
    "L0",
    "p0",
    "s0",
    "a0",
    "é",
    "\0",
    "/*",
    "*/",
    "//",
    "\n",
    "#",
    "#line 3",
    "\\",
    "__attribute__",
    "__extension__",
    "1.5",
    "0[a0]",
    "&&L0",
    "(int)",
    "(char*)",
];

fn mutate(text: &str, random: &mut Random) -> String {
    let mut pieces: Vec<String> = text.split_inclusive([' ', ';', '(', ')', '\n']).map(String::from).collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(pieces.len());
        match random.below(5) {
            0 => {
                pieces.remove(at);
            }
            1 => pieces[at] = format!("{} ", random.pick(PIECES)),
            2 => {
                let other = random.below(pieces.len());
                pieces.swap(at, other);
            }
            3 => pieces.insert(at, format!(" {} ", random.pick(PIECES))),
            _ => {
                let copy = pieces[at].clone();
                let to = random.below(pieces.len());
                pieces.insert(to, copy);
            }
        }
        if pieces.is_empty() {
            return String::new();
        }
    }
    pieces.concat()
}

#[test]
fn mutated_units_are_read_or_refused_and_what_is_read_runs() {
    let rounds = testing::rounds(300);
    let examples: Vec<&str> = cfront::codes::ALL.iter().filter(|e| e.code != "C0004").map(|e| e.example).collect();
    let mut accepted = 0;
    for seed in 0..rounds {
        let mut random = Random::new(seed);
        let (text, entry) = if random.chance(50) {
            (generate(&mut random, 0), "test_0")
        } else {
            (random.pick(&examples).to_string(), "main")
        };
        let text = mutate(&text, &mut random);
        let options = Options {
            entries: vec![String::from(entry)],
            signed_overflow_is_error: random.chance(20),
            ..Options::default()
        };
        let read = cfront::read(&Input::plain("fuzz.c", text), &options);
        assert_eq!(read.program.is_none(), !read.diagnostics.is_empty(), "seed {seed}");
        if let Some(program) = read.program {
            accepted += 1;
            let component = &program.components[0];
            run(component, &mut |_: &Request| random.bits() >> random.below(60), 5_000);
            cfront::display::component(component);
        }
    }
    assert!(accepted > 0);
}

#[test]
fn deep_nesting_is_read_or_refused_and_does_not_overflow_the_stack() {
    let wrap = |body: String| format!("int main(void) {{ int x = 1; {body} return x; }}");
    let texts = [
        wrap(format!("x = {}1{};", "(".repeat(200), ")".repeat(200))),
        wrap(format!("x = {}1{};", "f(1, ".repeat(100), ")".repeat(100))),
        wrap(format!("x = {}1{};", "(int)(x)[".repeat(60), "]".repeat(60))),
        wrap(format!("int a = {}1{};", "{".repeat(60), "}".repeat(60))),
        wrap(format!("int (*a){}1{};", "[sizeof(int[".repeat(40), "])]".repeat(40))),
        wrap(format!("x = {}1{};", "sizeof(int (*)(int (*)(".repeat(10), ")))".repeat(10))),
        wrap(format!("x = {}1;", "- ".repeat(1_900))),
        wrap(format!("x = 1{};", " + x".repeat(1_900))),
        wrap("if (x) ".repeat(5_000) + ";"),
        wrap("if (x == 3) x = 1; else ".repeat(2_000) + ";"),
        wrap(format!("x = {}1;", "x ? x : ".repeat(900))),
        wrap(format!("{}{}", "{".repeat(200), "}".repeat(200))),
        wrap(format!("x = {};", "x = ".repeat(1_000) + "1")),
        wrap(format!("switch (x) {{ {} ; }}", (0..3_000).map(|n| format!("case {n}: ")).collect::<String>())),
        "*".repeat(3_000),
        "struct a { ".repeat(200),
        format!("int {}x;", "*".repeat(3_000)),
    ];
    for text in texts {
        let read = cfront::read(&Input::plain("deep.c", text.clone()), &Options::default());
        assert!(read.program.is_some() || !read.diagnostics.is_empty(), "{}", &text[..80]);
    }
}
