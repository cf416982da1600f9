//! No input makes the reader panic or hang: texts are damaged at random.
//!
//! The generator is seeded; `HIGHWATER_FUZZ=N` makes it longer.

use capsules::{Controller, Dialect, Text, Threads, codes, read};
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

/// What the other texts have not: timers, calls, deferred messages, operations, parts, redefinitions.
const FEATURES: &str = r"
protocol P { out ask(`int`); in told(`int`); in go(); out stop(); };
capsule Base { behavior port timer : Timing; service behavior port p~ : P; behavior port ext : External;
  [[rt::decl]] `int n = 0; RTTimerId tid; void tick(int by) { n += by; tid = timer.informIn(RTTimespec(1, 0)); } bool big() { return n > 2; }`
  statemachine { state S { entry `ext.enable();`; exit `ext.disable();`; }; state T; choice c;
    first: initial -> S `tick(1);`;
    t: S -> c on timer.timeout `if (tid.isValid()) { timer.cancelTimer(tid); } timer.informEvery(5ms);`;
    g: c -> T when `big()` `p.told(n).reply();`; c -> S when `else`;
    u: T -> S on p.stop `msg->defer(); p.stop().recallAll(); p.stop().purge();`;
    S -> S on p.ask `p.told(*rtdata + 1).reply();`; }; };
capsule Worker : Base { statemachine { redefine first: initial -> S `CALLSUPER;`; redefine g: c -> T; }; };
capsule Plain { statemachine { state S; initial -> S `encode(msg);`; }; };
capsule Top { behavior port frame : Frame; behavior port q : P[2]; behavior port t : Timing;
  optional part w : Worker[0..2]; fixed part b : Base; fixed part e : Plain; behavior port r : P; connect q with w.p; connect r with b.p;
  statemachine { state S; initial -> S `RTActorId id = frame.incarnate(w, EmptyObject, Other); if (!id.isValid()) { FAIL(1); } t.informIn(1);`;
    S -> S on t.timeout `RTMessage m; r.ask(2).invoke(&m); int x = *static_cast<int*>(m.getData()); r.stop().sendAt(0); ASSERT(frame.destroy(w) == 1, 0); PASS();`;
    S -> S on q.*; S -> S on r.* `rtport->stop().reply();`; }; };
";

fn check(dialect: Dialect, input: String, threads: &Threads) -> bool {
    let read = read(dialect, &Text { name: "fuzz".into(), text: input.clone() }, &[], None, threads);
    for diagnostic in &read.diagnostics {
        read.sources.describe(diagnostic.primary.span);
        assert!(codes::explain(diagnostic.code).is_some(), "{}", diagnostic.code);
    }
    assert_eq!(read.network.is_none(), read.diagnostics.iter().any(|d| d.is_error()), "{input}");
    read.network.is_some()
}

#[test]
fn nothing_panics_on_mutated_texts() {
    let controller = |name: &str| Controller { name: name.to_owned(), logical: vec![name.to_owned()] };
    let configured = Threads::Configured(vec![controller("Main"), controller("Other")]);
    let texts = [(Dialect::Art, ART), (Dialect::Room, ROOM), (Dialect::Art, FEATURES)];
    let mut accepted = [0; 3];
    for (index, (dialect, text)) in texts.into_iter().enumerate() {
        for round in 0..testing::rounds(2000) {
            let mut random = Random::new(round * 3 + index as u64);
            let input = if round < 2 { text.to_owned() } else { mutated(text, &mut random) };
            let threads = if round % 2 == 0 { &Threads::Any } else { &configured };
            accepted[index] += u64::from(check(dialect, input, threads));
        }
    }
    assert!(accepted.iter().all(|&count| count > 1), "too few mutants were accepted: {accepted:?}");
}

/// The public models are no part of this repository: where they are missing, nothing is tested.
#[test]
fn nothing_panics_on_mutated_public_models() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uml-rt");
    for (dialect, extension) in [(Dialect::Art, "art"), (Dialect::Room, "room")] {
        let mut found = Vec::new();
        crate::public_files::files(&folder, extension, &mut found);
        if found.is_empty() {
            continue;
        }
        for round in 0..testing::rounds(500) {
            let mut random = Random::new(round * 2 + u64::from(dialect == Dialect::Room));
            let path = &found[random.below(found.len())];
            let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
            check(dialect, mutated(&text, &mut random), &Threads::Any);
        }
    }
}
