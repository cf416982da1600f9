//! Random action code against a naive interpreter of C++.
//!
//! A capsule runs code when it starts: assignments, branches, loops, calls of its operations, values that are chosen, parts that are
//! created, and calls of functions that are not known, each of which writes a variable. The interpreter runs the code on every
//! choice, with a few values for what unknown functions write. Whatever it sends, the network must be able to send; without
//! a guess, the network sends nothing else. `HIGHWATER_SEEDS=N` takes more programs.

use capsules::{Dialect, Text, Threads, read};
use model::network::Network;
use model::random::Random;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::trace::Narrator;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

#[derive(Clone, Debug)]
enum Value {
    Number(i32),
    Variable(String),
    Binary(&'static str, Box<Value>, Box<Value>),
    Not(Box<Value>),
    /// `f(x)`
    Call(Box<Value>),
    /// `id.isValid()`
    Valid,
}

#[derive(Clone, Debug)]
enum Code {
    Set(String, Value),
    Add(String, i32),
    /// With a number that no other declaration has.
    Declare(String, usize, Value),
    If(Value, Vec<Code>, Vec<Code>),
    /// At most so often.
    While(Value, i32, Vec<Code>),
    For(String, i32, Vec<Code>),
    /// Labels, what is run, and whether a `break` follows.
    Switch(Value, Vec<(Option<i32>, Vec<Code>, bool)>),
    Send(usize),
    /// An unknown function that writes a variable.
    Read(String),
    ReadHandle,
    Choose(String, i32),
    /// `g(x);`
    Call(Value),
    Create,
    /// `RTActorId id;`
    Handle,
    Break,
    Return(Value),
}

const EVENTS: usize = 4;
/// How many parts there are to create.
const PARTS: i32 = 2;
/// What an unknown function may write.
const READ: [i32; 4] = [-1, 0, 1, 3];
/// More runs of one program are not compared.
const MOST_RUNS: usize = 600;
/// As many statements as a run may have.
const FUEL: usize = 300;

struct Generator<'r> {
    random: &'r mut Random,
    /// The variables in scope, and whether a handle is.
    known: Vec<String>,
    handle: bool,
    operations: bool,
    loops: usize,
    next: usize,
    unknown: bool,
    /// Where the variables of this block begin.
    start: usize,
}

impl Generator<'_> {
    fn variable(&mut self) -> String {
        let at = self.random.below(self.known.len());
        self.known[at].clone()
    }

    fn value(&mut self, depth: usize) -> Value {
        let inner = |this: &mut Self| Box::new(this.value(depth + 1));
        match self.random.below(if depth > 2 { 2 } else { 6u32 }) {
            0 => Value::Number(self.random.below(4)),
            1 | 2 => Value::Variable(self.variable()),
            3 if self.random.chance(30) => Value::Not(inner(self)),
            _ => {
                let op = ["+", "-", "*", "==", "!=", "<", ">=", "&&", "||"][self.random.below(9)];
                Value::Binary(op, inner(self), inner(self))
            }
        }
    }

    /// A value that may be that of a call.
    fn any(&mut self) -> Value {
        match self.random.below(8u32) {
            0 if self.operations => Value::Call(Box::new(self.value(1))),
            1 if self.operations => {
                Value::Binary(">", Box::new(Value::Call(Box::new(self.value(1)))), Box::new(Value::Number(1)))
            }
            2 if self.handle => Value::Valid,
            3 if self.handle => Value::Not(Box::new(Value::Valid)),
            _ => self.value(0),
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Code> {
        let (known, handle) = (self.known.len(), self.handle);
        let start = std::mem::replace(&mut self.start, if depth == 0 { 0 } else { known });
        let count = 1 + self.random.below(if depth == 0 { 5 } else { 3usize });
        let found = (0..count).map(|_| self.code(depth)).collect();
        self.known.truncate(known);
        (self.handle, self.start) = (handle, start);
        found
    }

    fn code(&mut self, depth: usize) -> Code {
        let deep = depth < 2;
        match self.random.below(18u32) {
            0 | 1 => Code::Set(self.variable(), self.any()),
            2 => Code::Add(self.variable(), if self.random.chance(50) { 1 } else { -1 }),
            3 => {
                let first = self.any();
                let hidden = self.variable();
                self.next += 1;
                let is_new = !self.known[self.start..].contains(&hidden);
                let name = if is_new && self.random.chance(40) { hidden } else { format!("k{}", self.next) };
                self.known.push(name.clone());
                Code::Declare(name, self.next, first)
            }
            4 | 5 if deep => Code::If(self.any(), self.block(depth + 1), self.block(depth + 1)),
            6 if deep => {
                let condition = self.value(0);
                self.loops += 1;
                let body = self.block(depth + 1);
                self.loops -= 1;
                Code::While(condition, self.random.below(3), body)
            }
            7 if deep => {
                let name = format!("i{}", self.next);
                self.next += 1;
                self.loops += 1;
                let body = self.block(depth + 1);
                self.loops -= 1;
                Code::For(name, self.random.below(3), body)
            }
            8 if deep => {
                let chosen = self.value(1);
                let loops = std::mem::take(&mut self.loops);
                let mut arms: Vec<(Option<i32>, Vec<Code>, bool)> = (0..self.random.below(4))
                    .map(|label| (Some(label), self.block(depth + 1), self.random.chance(60)))
                    .collect();
                let at = self.random.below(arms.len() + 1);
                if self.random.chance(50) {
                    arms.insert(at, (None, self.block(depth + 1), self.random.chance(60)));
                }
                self.loops = loops;
                Code::Switch(chosen, arms)
            }
            9 | 10 => Code::Send(self.random.below(EVENTS)),
            11 if self.unknown => Code::Read(self.variable()),
            12 => Code::Choose(self.variable(), 2 + self.random.below(2)),
            13 if self.operations => Code::Call(self.value(1)),
            14 if self.handle => Code::Create,
            15 if self.handle && self.unknown && self.random.one_in(3u32) => Code::ReadHandle,
            15 if !self.handle => {
                self.handle = true;
                Code::Handle
            }
            16 if self.loops > 0 && self.random.chance(40) => Code::Break,
            _ => Code::Send(self.random.below(EVENTS)),
        }
    }
}

struct Program {
    first: Vec<Code>,
    /// `int f(int a)` and `void g(int a)`.
    f: Vec<Code>,
    g: Vec<Code>,
}

fn generate(random: &mut Random) -> Program {
    let unknown = random.chance(60);
    let members = || vec![String::from("x"), String::from("y")];
    let mut generator =
        Generator { random, known: members(), handle: false, operations: false, loops: 0, next: 0, unknown, start: 0 };
    let mut operation = |result: bool| {
        generator.known = members();
        generator.known.push(String::from("a"));
        let mut code = generator.block(0);
        if result {
            code.push(Code::Return(generator.value(1)));
        }
        code
    };
    let (f, g) = (operation(true), operation(false));
    (generator.known, generator.operations) = (members(), true);
    let mut first = generator.block(0);
    first.extend((0..2).map(|_| generator.code(0)));
    // What the variables hold in the end shows.
    for (event, name) in ["x", "y"].into_iter().enumerate() {
        let positive = Value::Binary(">", Box::new(Value::Variable(name.into())), Box::new(Value::Number(1)));
        first.push(Code::If(positive, vec![Code::Send(event)], vec![Code::Send(event + 2)]));
    }
    Program { first, f, g }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Variable(name) => name.clone(),
        Value::Binary(op @ ("+" | "-" | "*"), a, b) => format!("(({} {op} {}) % 7)", value_text(a), value_text(b)),
        Value::Binary(op, a, b) => format!("({} {op} {})", value_text(a), value_text(b)),
        Value::Not(inner) => format!("!{}", value_text(inner)),
        Value::Call(argument) => format!("f({})", value_text(argument)),
        Value::Valid => String::from("id.isValid()"),
    }
}

fn code_text(code: &[Code], text: &mut String) {
    for one in code {
        let body = |code: &[Code]| {
            let mut text = String::new();
            code_text(code, &mut text);
            text
        };
        let _ = match one {
            Code::Set(name, value) => write!(text, "{name} = {}; ", value_text(value)),
            Code::Add(name, 1) => write!(text, "{name}++; "),
            Code::Add(name, _) => write!(text, "{name} -= 1; "),
            // A variable that is hidden may be in the value of the one that hides it.
            Code::Declare(name, number, value) => {
                write!(text, "int t{number} = {}; int {name} = t{number}; ", value_text(value))
            }
            Code::If(condition, then, other) => {
                write!(text, "if ({}) {{ {}}} else {{ {}}} ", value_text(condition), body(then), body(other))
            }
            Code::While(condition, most, inner) => write!(
                text,
                "{{ int left = {most}; while (left > 0 && {}) {{ left--; {}}} }} ",
                value_text(condition),
                body(inner)
            ),
            Code::For(name, most, inner) => {
                write!(text, "for (int {name} = 0; {name} < {most}; {name}++) {{ {}}} ", body(inner))
            }
            Code::Switch(value, arms) => {
                let arm = |(label, code, leaves): &(Option<i32>, Vec<Code>, bool)| {
                    let label = label.map_or("default".into(), |label| format!("case {label}"));
                    format!("{label}: {{ {}}} {}", body(code), if *leaves { "break; " } else { "" })
                };
                let arms: String = arms.iter().map(arm).collect();
                write!(text, "switch ({}) {{ {arms}}} ", value_text(value))
            }
            Code::Send(event) => write!(text, "p.e{event}().send(); "),
            Code::Read(name) => write!(text, "read(&{name}); "),
            Code::ReadHandle => write!(text, "read(&id); "),
            Code::Choose(name, values) => write!(text, "{name} = rand() % {values}; "),
            Code::Call(argument) => write!(text, "g({}); ", value_text(argument)),
            Code::Create => write!(text, "id = frame.incarnate(w); "),
            Code::Handle => write!(text, "RTActorId id; "),
            Code::Break => write!(text, "break; "),
            Code::Return(value) => write!(text, "return {}; ", value_text(value)),
        };
    }
}

fn text(program: &Program) -> String {
    let mut text = String::from("protocol P {");
    text += &(0..EVENTS).map(|e| format!(" out e{e}();")).collect::<String>();
    text += " };\ncapsule W { statemachine { state S; initial -> S; }; };\ncapsule Top {\n[[rt::decl]] `int x = 1; int y = 2;\n";
    for (head, code) in [("int f(int a)", &program.f), ("void g(int a)", &program.g)] {
        text += &format!("{head} {{ ");
        code_text(code, &mut text);
        text += "}\n";
    }
    text += "`\nbehavior port p : P; behavior port q~ : P; connect p with q; behavior port frame : Frame;\n";
    text += &format!("optional part w : W[0..{PARTS}];\nstatemachine {{ state Done; initial -> Done ` ");
    code_text(&program.first, &mut text);
    text + "`;\n}; };\n"
}

/// Where code goes on.
#[derive(PartialEq)]
enum Next {
    On,
    Break,
    Return(i32),
    /// The run is too long.
    Stop,
}

struct Run<'p> {
    program: &'p Program,
    /// What is chosen, and of how many.
    choices: Vec<(usize, usize)>,
    at: usize,
    members: BTreeMap<String, i32>,
    scopes: Vec<BTreeMap<String, i32>>,
    created: i32,
    sent: Vec<usize>,
    fuel: usize,
}

impl Run<'_> {
    fn choose(&mut self, among: usize) -> usize {
        if self.at == self.choices.len() {
            self.choices.push((0, among));
        }
        self.at += 1;
        self.choices[self.at - 1].0
    }

    fn place(&mut self, name: &str) -> &mut i32 {
        let found = self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(name));
        found.or_else(|| self.members.get_mut(name)).unwrap_or_else(|| panic!("{name}"))
    }

    fn value(&mut self, value: &Value) -> i32 {
        match value {
            Value::Number(number) => *number,
            Value::Variable(name) => *self.place(name),
            Value::Not(inner) => i32::from(self.value(inner) == 0),
            Value::Valid => *self.place("id"),
            Value::Call(argument) => {
                let (program, given) = (self.program, self.value(argument));
                self.call(&program.f, given)
            }
            Value::Binary("&&", a, b) => i32::from(self.value(a) != 0 && self.value(b) != 0),
            Value::Binary("||", a, b) => i32::from(self.value(a) != 0 || self.value(b) != 0),
            Value::Binary(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                match *op {
                    "+" => (a + b) % 7,
                    "-" => (a - b) % 7,
                    "*" => (a * b) % 7,
                    "==" => i32::from(a == b),
                    "!=" => i32::from(a != b),
                    "<" => i32::from(a < b),
                    ">" => i32::from(a > b),
                    _ => i32::from(a >= b),
                }
            }
        }
    }

    fn call(&mut self, code: &[Code], given: i32) -> i32 {
        let outer = std::mem::replace(&mut self.scopes, vec![BTreeMap::from([(String::from("a"), given)])]);
        let next = self.block(code);
        self.scopes = outer;
        if let Next::Return(value) = next { value } else { 0 }
    }

    fn block(&mut self, code: &[Code]) -> Next {
        self.scopes.push(BTreeMap::new());
        let mut next = Next::On;
        for one in code {
            next = self.code(one);
            if next != Next::On {
                break;
            }
        }
        self.scopes.pop();
        next
    }

    fn code(&mut self, code: &Code) -> Next {
        if self.fuel == 0 {
            return Next::Stop;
        }
        self.fuel -= 1;
        match code {
            Code::Set(name, value) => {
                let value = self.value(value);
                *self.place(name) = value;
            }
            Code::Add(name, by) => *self.place(name) += by,
            Code::Declare(name, _, value) => {
                let value = self.value(value);
                self.scopes.last_mut().unwrap().insert(name.clone(), value);
            }
            Code::If(condition, then, other) => {
                let chosen = if self.value(condition) != 0 { then } else { other };
                return self.block(chosen);
            }
            Code::While(condition, most, body) => {
                for _ in 0..*most {
                    if self.value(condition) == 0 {
                        break;
                    }
                    match self.block(body) {
                        Next::On => {}
                        Next::Break => break,
                        next => return next,
                    }
                }
            }
            Code::For(name, most, body) => {
                for index in 0..*most {
                    self.scopes.push(BTreeMap::from([(name.clone(), index)]));
                    let next = self.block(body);
                    self.scopes.pop();
                    match next {
                        Next::On => {}
                        Next::Break => break,
                        next => return next,
                    }
                }
            }
            Code::Switch(value, arms) => {
                let value = self.value(value);
                let exact = arms.iter().position(|(label, ..)| *label == Some(value));
                let Some(first) = exact.or_else(|| arms.iter().position(|(label, ..)| label.is_none())) else {
                    return Next::On;
                };
                for (_, body, leaves) in &arms[first..] {
                    let next = self.block(body);
                    if next != Next::On {
                        return next;
                    }
                    if *leaves {
                        break;
                    }
                }
            }
            Code::Send(event) => self.sent.push(*event),
            Code::Read(name) => {
                let value = READ[self.choose(READ.len())];
                *self.place(name) = value;
            }
            Code::ReadHandle => {
                let valid = self.choose(2) as i32;
                *self.place("id") = valid;
            }
            Code::Choose(name, values) => {
                let value = self.choose(*values as usize) as i32;
                *self.place(name) = value;
            }
            Code::Call(argument) => {
                let (program, given) = (self.program, self.value(argument));
                self.call(&program.g, given);
            }
            Code::Create => {
                let valid = i32::from(self.created < PARTS);
                *self.place("id") = valid;
                self.created = (self.created + 1).min(PARTS);
            }
            Code::Handle => {
                self.scopes.last_mut().unwrap().insert(String::from("id"), 0);
            }
            Code::Break => return Next::Break,
            Code::Return(value) => return Next::Return(self.value(value)),
        }
        Next::On
    }
}

/// What the code may send; `None` if it has too many runs.
fn interpreted(program: &Program) -> Option<BTreeSet<Vec<usize>>> {
    let (mut found, mut choices) = (BTreeSet::new(), Vec::new());
    for _ in 0..MOST_RUNS {
        let members = BTreeMap::from([(String::from("x"), 1), (String::from("y"), 2)]);
        let (scopes, sent) = (vec![BTreeMap::new()], Vec::new());
        let mut run = Run { program, choices, at: 0, members, scopes, created: 0, sent, fuel: FUEL };
        // One scope for all, as they are written.
        for one in &program.first {
            if run.code(one) != Next::On {
                return None;
            }
        }
        found.insert(run.sent);
        choices = run.choices;
        while choices.last().is_some_and(|(chosen, among)| chosen + 1 == *among) {
            choices.pop();
        }
        match choices.last_mut() {
            Some((chosen, _)) => *chosen += 1,
            None => return Some(found),
        }
    }
    None
}

/// What waits in the queue of the capsule when it first rests.
fn explored(network: &Network, sources: &SourceMap) -> Option<BTreeSet<Vec<usize>>> {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let (mut narrator, mut stepper) = (Narrator::new(&semantics, sources), semantics.stepper());
    let first = (stepper.initial().unwrap().unwrap(), None);
    let (mut found, mut seen, mut left) = (BTreeSet::new(), BTreeSet::from([first.clone()]), vec![first]);
    while let Some((state, control)) = left.pop() {
        stepper.load(&state);
        let (machine, location) = stepper.loaded_place(0);
        if network.machine(machine).locations[location.index()].labels.iter().any(|label| label == "Done") {
            let channels = narrator.snapshot(&state).channels;
            let queue = channels.iter().find(|contents| contents.channel == "Top");
            let event = |message: &String| message.strip_prefix("q.e").and_then(|e| e.parse().ok()).unwrap();
            found.insert(queue.map(|queue| queue.messages.iter().map(event).collect()).unwrap_or_default());
            continue;
        }
        let mut moved = false;
        stepper
            .expand(&state, control, &mut |successor| {
                moved = true;
                let next = (successor.state.expect("no fault").to_vec(), successor.control);
                if seen.insert(next.clone()) {
                    left.push(next);
                }
            })
            .unwrap();
        if !moved && control.is_some() && seen.insert((state.clone(), None)) {
            left.push((state, None));
        }
        // A loop whose condition is a guess sends forever.
        if seen.len() > 3_000 {
            return None;
        }
    }
    Some(found)
}

#[test]
fn random_code_sends_what_it_does_in_c() {
    let seeds = testing::seeds(400);
    let (mut exact, mut guessed, mut rejected) = (0, 0, 0);
    for seed in testing::first(0)..testing::first(0) + seeds {
        let program = generate(&mut Random::new(seed));
        let text = text(&program);
        let read = read(Dialect::Art, &Text { name: "m.art".into(), text: text.clone() }, &[], None, &Threads::Any);
        let Some(network) = &read.network else {
            let is_rejected = |d: &model::diagnostic::Diagnostic| !d.is_error() || d.code == "U0202";
            assert!(read.diagnostics.iter().all(is_rejected), "seed {seed}: {:#?}\n{text}", read.diagnostics);
            rejected += 1;
            continue;
        };
        let (Some(expected), Some(found)) = (interpreted(&program), explored(network, &read.sources)) else { continue };
        let missing: Vec<_> = expected.difference(&found).take(2).collect();
        assert!(missing.is_empty(), "seed {seed}: missing {missing:?}\n{text}");
        if network.havoc.is_empty() {
            exact += 1;
            let more: Vec<_> = found.difference(&expected).take(2).collect();
            assert!(more.is_empty(), "seed {seed}: more {more:?}\n{text}");
        } else {
            guessed += 1;
        }
    }
    let enough = exact * 10 > seeds * 2 && guessed * 10 > seeds * 2 && rejected * 10 < seeds;
    assert!(enough, "{exact} exact, {guessed} guessed, {rejected} rejected");
}
