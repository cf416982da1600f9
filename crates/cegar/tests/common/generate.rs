//! Small random components: globals of two bits, arrays, pointers, switches, nested loops, helpers, and events.

#![allow(dead_code, reason = "not every test generates")]

use std::fmt::Write as _;

pub use testing::Random;

/// What every program declares.
pub const HEAD: &str = "\
int __VERIFIER_nondet_int(void);\nvoid a(void);\nvoid b(void);\nvoid d(void);\nint get(void);\nint routine(int x);
void assert(int holds);\nvoid __VERIFIER_assume(int holds);\n";

/// The type of variables that each procedure has for itself.
const OWN: &str = "_Thread_local unsigned char";

/// What a program may use.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// How many procedures run in parallel.
    pub procedures: usize,
    /// An array, a pointer, a helper that is called, a signed number, loops that count.
    pub rich: bool,
    /// Procedures return values.
    pub returns: bool,
}

/// The names of the procedures.
pub const NAMES: [&str; 3] = ["p", "q", "r"];

/// The beginning of a procedure.
pub fn head_of(name: &str, kind: Kind) -> String {
    format!("{} {name}(void) {{\n", if kind.returns { "int" } else { "void" })
}

/// A program.
pub fn program(random: &mut Random, kind: Kind) -> String {
    let mut text = String::from(HEAD);
    let k = |random: &mut Random| random.below(4) % 4;
    let _ = write!(text, "{OWN} x = {};\n{OWN} y = {};\n", k(random), k(random));
    if kind.rich {
        let _ = write!(text, "{OWN} t[3] = {{{}, {}}};\n{OWN} *ptr = &x;\n", k(random), k(random));
        text += "static unsigned char twice(unsigned char v) { if (v > 1) return 3; return v + v; }\n";
        text += "static void swap(unsigned char *u, unsigned char *v) { unsigned char w = *u; *u = *v; *v = w; }\n";
    }
    for name in NAMES.into_iter().take(kind.procedures) {
        let endless = random.chance(70);
        text += &head_of(name, kind);
        // Variables that are not used are not there.
        text += "x = (x + y) & 3;\n";
        if kind.rich {
            text += "t[1] = (t[1] + 1) & 3;\n";
        }
        text += if endless { "while (1) {\n" } else { "" };
        let mut body = Body { random, kind, text: String::new(), loops: 0 };
        body.statements("x", "y", 2);
        text += &body.text;
        text += if endless { "}\n" } else { "" };
        text += if kind.returns { "return x;\n}\n" } else { "}\n" };
    }
    text
}

struct Body<'r> {
    random: &'r mut Random,
    kind: Kind,
    text: String,
    loops: u32,
}

impl Body<'_> {
    fn line(&mut self, line: &str) {
        self.text += line;
        self.text += "\n";
    }

    fn statements(&mut self, x: &str, y: &str, depth: u32) {
        for _ in 0..1 + self.random.below(3) % 3 {
            match self.kind.rich && self.random.chance(45) {
                true => self.rich(x, y, depth),
                false => self.plain(x, y, depth),
            }
        }
    }

    fn plain(&mut self, x: &str, y: &str, depth: u32) {
        let k = self.random.below(4) % 4;
        match self.random.below(12) % 12 {
            0 => self.line(&format!("{x} = ({x} + 1) & 3;")),
            1 => self.line(&format!("{y} = {k};")),
            2 => self.line(&format!("{x} = __VERIFIER_nondet_int() & 3;")),
            3 => self.line(&format!("{x} = {y};")),
            4 => self.line(&format!("{y} = get() & 3;")),
            5 => self.line(&format!("{y} = routine({x});")),
            6 | 7 => {
                let event = self.random.pick(&["a", "b", "d"]);
                self.line(&format!("{event}();"));
            }
            8 if self.random.chance(40) => {
                let condition = self.condition(x, y);
                self.line(&format!("assert({condition});"));
            }
            9 if self.random.chance(30) => {
                let value = if self.kind.returns { format!(" {y}") } else { String::new() };
                self.line(&format!("return{value};"));
            }
            9 if self.random.chance(20) => {
                let condition = self.condition(x, y);
                self.line(&format!("__VERIFIER_assume({condition});"));
            }
            _ if depth == 0 => self.line(&format!("{x} = ({x} + {y}) & 3;")),
            10 => {
                let condition = self.condition(x, y);
                self.line(&format!("while ({condition}) {{"));
                self.statements(x, y, depth - 1);
                self.line("}");
            }
            _ => {
                let condition = self.condition(x, y);
                self.line(&format!("if ({condition}) {{"));
                self.statements(x, y, depth - 1);
                self.line("} else {");
                self.statements(y, x, depth - 1);
                self.line("}");
            }
        }
    }

    fn rich(&mut self, x: &str, y: &str, depth: u32) {
        let k = self.random.below(3) % 3;
        match self.random.below(15) % 15 {
            14 => self.line(&format!("{x} = !{x};")),
            0 => self.line(&format!("t[{k}] = {y};")),
            1 => self.line(&format!("{x} = t[{k}];")),
            2 => self.line(&format!("t[{x} & 1] = {y};")),
            3 => self.line(&format!("{y} = t[{x} & 1];")),
            4 if self.random.chance(30) => self.line(&format!("{y} = t[{x}];")),
            5 => {
                let target = self.random.pick(&["&x", "&y", "&t[0]", "t + 1"]);
                self.line(&format!("ptr = {target};"));
            }
            6 => self.line(&format!("*ptr = {k};")),
            7 => self.line(&format!("{x} = *ptr;")),
            8 => self.line(&format!("{x} = twice({y});")),
            9 => self.line(&format!("swap(&{x}, ptr);")),
            10 if self.random.chance(30) => self.line(&format!("{y} = ({k} + 1) / {x} & 3;")),
            11 => {
                let event = self.random.pick(&["a", "b", "d"]);
                self.line(&format!("{{ signed char s = {x} - {y}; if (s < 0) {event}(); }}"));
            }
            12 if depth > 0 => {
                self.loops += 1;
                let counter = format!("i{}", self.loops);
                let to = 1 + self.random.below(2) % 2;
                self.line(&format!("{{ int {counter}; for ({counter} = 0; {counter} < {to}; {counter}++) {{"));
                self.statements(x, y, depth - 1);
                self.line("} }");
            }
            _ if depth > 0 => {
                self.line(&format!("switch ({x}) {{\ncase 0:"));
                self.statements(x, y, depth - 1);
                let falls = self.random.chance(30);
                self.line(if falls { "case 2:" } else { "break;\ncase 2:" });
                self.statements(y, x, depth - 1);
                self.line("break;\ndefault:");
                self.statements(x, y, depth - 1);
                self.line("}");
            }
            _ => self.line(&format!("t[2] = {x};")),
        }
    }

    fn condition(&mut self, x: &str, y: &str) -> String {
        let k = self.random.below(4) % 4;
        match self.random.below(if self.kind.rich { 9 } else { 6 }) {
            0 => format!("{x} == {k}"),
            1 => format!("{x} < {y}"),
            2 => format!("{y} & 1"),
            3 => format!("{x} != {y}"),
            4 => format!("{x} <= {k} && {y} != {k}"),
            5 => String::from("__VERIFIER_nondet_int() & 1"),
            6 => format!("t[{}] > {y}", k % 3),
            7 => format!("*ptr == {k}"),
            _ => format!("ptr == &{x} || t[1] == {k}"),
        }
    }
}

/// A process: what each of its states may do, and where that leads. The last state does nothing.
#[derive(Debug)]
pub struct Sketch {
    pub states: Vec<Vec<(String, usize)>>,
    /// States that it never comes to, which are part of its text.
    pub unused: Vec<String>,
}

impl Sketch {
    /// Whether it has returns, those that it never does included.
    pub fn speaks_of_returns(&self) -> bool {
        let labels = self.states.iter().flatten().map(|(label, _)| label);
        labels.chain(&self.unused).any(|label| label.starts_with("return"))
    }

    /// As FSP.
    pub fn text(&self, name: &str) -> String {
        let end = self.states.len() - 1;
        let to = |to: usize| if to == end { String::from("END") } else { format!("{name}{to}") };
        let clause = |(state, moves): (usize, &Vec<(String, usize)>)| {
            let moves: Vec<String> = moves.iter().map(|(label, at)| format!("{label} -> {}", to(*at))).collect();
            format!("{name}{state} = ({})", moves.join(" | "))
        };
        let mut clauses: Vec<String> = self.states[..end].iter().enumerate().map(clause).collect();
        clauses.extend(self.unused.iter().enumerate().map(|(n, label)| format!("U{n} = ({label} -> STOP)")));
        format!("{name} = {name}0,\n{}.\n", clauses.join(",\n"))
    }
}

/// A process beside the procedures; with returns or without.
pub fn process(random: &mut Random, returns: bool) -> Sketch {
    let count = 1 + random.below(3) as usize % 3;
    let label = |random: &mut Random| match returns && random.chance(20) {
        true => returned(random),
        false => String::from(random.pick(&["a", "b", "d", "ping", "get", "tick"])),
    };
    let mut states = Vec::new();
    for _ in 0..count {
        let moves = (0..1 + random.below(3) % 3).map(|_| {
            let to = if random.chance(8) { count } else { random.below(count as u64) as usize % count };
            (label(random), to)
        });
        states.push(moves.collect());
    }
    states.push(Vec::new());
    let unused = if random.chance(30) { vec![label(random)] } else { Vec::new() };
    Sketch { states, unused }
}

fn returned(random: &mut Random) -> String {
    format!("return {{$0 {} {}}}", random.pick(&["==", "<", "!="]), random.below(4) % 4)
}

/// What the first procedure may do, and with which values it may return.
pub fn allowed(random: &mut Random) -> Sketch {
    let every = ["a", "b", "d", "get", "ping", "pong"];
    let mut moves: Vec<(String, usize)> =
        every.into_iter().filter(|_| random.chance(80)).map(|event| (String::from(event), 0)).collect();
    if random.chance(80) {
        moves.push((returned(random), 1));
    }
    if random.chance(50) {
        moves.push((String::from("return {$0 == 1}"), 1));
    }
    moves.push((String::from("tick"), 0));
    let unused = if random.chance(30) { vec![returned(random)] } else { Vec::new() };
    Sketch { states: vec![moves, Vec::new()], unused }
}

/// Formulas, and what the propositions in them mean: the last ones need the array.
pub const FORMULAS: &[&str] = &[
    "[] <> a",
    "[] (a -> <> b)",
    "[] {p.x <= 2}",
    "<> [] !d",
    "{p.y == 0} U (a || {p.x == 1})",
    "[] ({p.x == p.y} -> X {p.x == p.y})",
    "<> {p.x == 3} || [] <> b",
    "X X {p.x == 2}",
    "[] (b -> {p.x == p.y})",
    "<> [] {p.t[1] == 2}",
    "[] ({p.t[0] < p.x} -> <> a)",
];

/// Whether a proposition holds.
pub fn holds(proposition: &str, value: &dyn Fn(&str) -> u64) -> bool {
    match proposition {
        "p.x <= 2" => value("x") <= 2,
        "p.y == 0" => value("y") == 0,
        "p.x == 1" => value("x") == 1,
        "p.x == p.y" => value("x") == value("y"),
        "p.x == 3" => value("x") == 3,
        "p.x == 2" => value("x") == 2,
        "p.t[1] == 2" => value("t[1]") == 2,
        "p.t[0] < p.x" => value("t[0]") < value("x"),
        other => panic!("{other}"),
    }
}
