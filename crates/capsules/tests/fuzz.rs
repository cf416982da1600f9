//! No input makes the reader panic or hang: texts are damaged at random.
//!
//! The generator is seeded; `HIGHWATER_FUZZ=N` makes it longer.

use capsules::{Dialect, Text, codes, read, Threads};
use model::random::Random;

const ROOM: &str = r#"
RoomModel M {
    import a.b.*
    PrimitiveType int: ptInteger -> "int" default "0"
    Enumeration E { A, B = 0x3 }
    ProtocolClass P extends Q { incoming { Message a() } outgoing { Message b(int) } }
    ProtocolClass Q { incoming { Message c() } semantics { in: c } }
    LogicalSystem LS { SubSystemRef main: Main }
    SubSystemClass Main { ActorRef top: Top LogicalThread t ActorInstanceMapping top -> t }
    abstract ActorClass Base { Interface { Port p: P } Structure { external Port p Attribute n: int = "1" } }
    ActorClass Top {
        Structure { ActorRef one: A ActorRef two: A conjugated Port q[2]: P Binding q and one.p Binding q and two.p }
        Behavior {
            Operation f(x: int): int '''return x;'''
            StateMachine {
                Transition init: initial -> S
                Transition t: S -> cp c { triggers { <b: q guard '''x > 0'''> or <b: q> } action '''q.a();''' }
                Transition: cp c -> S { cond '''n == 1''' }
                Transition: cp c -> in of T
                ChoicePoint c
                State S { entry { "q.a();" "n = 2;" } }
                State T { subgraph { EntryPoint in State U Transition: my in -> U } }
            }
        }
    }
    ActorClass A extends Base { Behavior { StateMachine { State S Transition: initial -> S { action '''p.b(1);''' } } } }
}"#;

const ART: &str = r#"
[[rt::decl]] `enum Mode { OFF, ON = 4 };`
protocol P [[rt::properties(version=1)]] : Q { in a(), b(`int` x); out redefine c(); };
protocol Q { out c(); };
abstract capsule Base { service behavior port p : P; };
capsule Server : Base {
    [[rt::decl]] `private: int n = 0; bool busy = false; Mode mode = Mode::OFF;`
    behavior port timer : Timing;
    statemachine {
        state Idle, Busy { entry `timer.informIn(RTTimespec(1, 0));`; exit `n++;`; entrypoint in; exitpoint out;
            state Inner; in -> Inner; Inner -> out on p.b; local: on timer.timeout[`n < 3`] `if (n) { p.c().send(); }`; };
        choice c; junction j;
        initial -> Idle `for (int i = 0; i < 2; i++) { n += i; }`;
        go: Idle -> j on p.a, p.* when `return n < 5 && mode == Mode::OFF;` `busy = true;`;
        j -> c; c -> Busy.in when `busy`; c -> Idle when `else`; Busy.out -> Idle `while (n > 0) { n -= 1; break; }`;
    };
};
template <typename T> class C { trigger run(`int` x); statemachine { state S; initial -> S; S -> history on run(); }; };
capsule Top { part server : Server[2]; behavior port q~ : P[2]; connect q with server.p;
    statemachine { state S; initial -> S `q.a().send(); int r = rand() % 3; std::cout << r << std::endl;`; }; };
"#;

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "[[rt::decl]]",
    ";",
    ":",
    "::",
    ",",
    "->",
    "`",
    "'''",
    "\"",
    "'",
    "*",
    "~",
    ".",
    "..",
    "<",
    ">",
    "state",
    "initial",
    "history",
    "choice",
    "junction",
    "exitpoint",
    "redefine",
    "exclude",
    "on",
    "when",
    "`else`",
    "port",
    "part",
    "optional",
    "connect",
    "capsule",
    "protocol",
    "Transition",
    "State",
    "triggers",
    "my",
    "of",
    "cp",
    "0",
    "7",
    "99999999999999999999",
    "é",
    "\0",
    "/*",
    "*/",
    "//",
    "\n",
    "S",
    "p",
    "Top",
    "++",
    "=",
    "%",
    "/ 0",
    "if (",
    "else",
    "for (",
    "while (1)",
    "return",
    "break;",
    "int",
    "int x = 3;",
    ".send();",
    "\u{feff}",
    "\\",
];

fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let len = if first.is_alphanumeric() { word } else { first.len_utf8() };
        found.push(&rest[..len]);
        rest = &rest[len..];
    }
    found
}

fn mutated(text: &str, random: &mut Random) -> String {
    let mut parts = pieces(text);
    for _ in 0..1 + random.below(6) {
        let at = random.below(parts.len());
        match random.below(6) {
            0 => drop(parts.drain(at..(at + 1 + random.below(20usize)).min(parts.len()))),
            1 => parts.insert(at, PIECES[random.below(PIECES.len())]),
            2 => {
                let other = random.below(parts.len());
                parts.swap(at, other);
            }
            3 => parts[at] = PIECES[random.below(PIECES.len())],
            4 => {
                let end = (at + 1 + random.below(40usize)).min(parts.len());
                let copy = parts[at..end].to_vec();
                let to = random.below(parts.len());
                parts.splice(to..to, copy);
            }
            _ if random.one_in(4) => parts.truncate(at + 1),
            _ => {}
        }
        if parts.is_empty() {
            parts.push(" ");
        }
    }
    parts.concat()
}

#[test]
fn nothing_panics_on_mutated_texts() {
    let mut accepted = 0;
    for (dialect, text) in [(Dialect::Art, ART), (Dialect::Room, ROOM)] {
        for round in 0..testing::rounds(3000) {
            let mut random = Random::new(round * 2 + u64::from(dialect == Dialect::Room));
            let input = if round == 0 { text.to_owned() } else { mutated(text, &mut random) };
            let read = read(dialect, &Text { name: "fuzz".into(), text: input.clone() }, &[], None, &Threads::Any);
            for diagnostic in &read.diagnostics {
                read.sources.describe(diagnostic.primary.span);
                assert!(codes::explain(diagnostic.code).is_some(), "{}", diagnostic.code);
            }
            assert_eq!(read.network.is_none(), read.diagnostics.iter().any(|d| d.is_error()), "{input}");
            accepted += u64::from(read.network.is_some());
        }
    }
    assert!(accepted > 0, "no mutant was accepted");
}
