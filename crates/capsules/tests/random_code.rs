//! Random action code against a naive interpreter of C++.
//!
//! A capsule runs code when it starts: assignments, branches, loops, calls of its operations, values that are chosen, structures and
//! arrays with pointers to them, parts that are created and get a structure, messages that carry one, and calls of functions that are not
//! known, each of which writes a variable. The interpreter runs the code on every choice, with a few values for what unknown functions
//! write, and for what is read before it is set. Whatever it sends and gives to others, the network must be able to do; without a guess,
//! the network does nothing else. `HIGHWATER_SEEDS=N` takes more programs.

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
    Cell(Place),
}

/// A number in an object, as it is written; an index may be computed.
#[derive(Clone, Debug)]
struct Place {
    text: String,
    real: String,
    index: Option<Box<Value>>,
    after: &'static str,
}

/// An object as it is written, and which one that is.
#[derive(Clone, Debug)]
struct Object {
    text: String,
    real: String,
    /// `Q`, which has a `P` in it, or `P`.
    whole: bool,
    pointer: bool,
}

/// How an object of type `P` is known by another name.
#[derive(Clone, Copy, Debug)]
enum Alias {
    /// `P* z; z = &object;`
    Pointer,
    /// `P& z = object;`
    Reference,
    /// `(x == y ? &object : &object)->`
    Conditional,
    /// `int* z; z = t.xs;`
    Array,
    /// `z(t.xs, value);`, where `void z(int all[], int a = 3)`
    Parameter,
    /// A member `P* m = &s;`
    Member,
    /// `P& z()` of the capsule.
    Result,
}

/// How an object is declared.
#[derive(Clone, Debug)]
enum First {
    /// Of these fields nothing is set.
    Open,
    /// All are set one by one, but perhaps `b`.
    Fields(Vec<Value>, bool),
    /// `{a}`
    List(Vec<Value>),
    Copy(Object),
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
    SetNumber(Place, Value),
    Object(Object, First),
    Pointer(Object, Object),
    CopyObject(Object, Object),
    /// `object = P{a, b, c}`
    CopyNew(Object, Vec<Value>),
    /// `object = ps[i]`
    CopyElement(Object, Value),
    /// A number in an object is written by another name for the object.
    Alias(Alias, Object, Value),
    /// An unknown function that writes an object.
    ReadObject(Object),
    /// `id = frame.incarnate(w, EmptyActorClass, &object)`
    CreateWith(Object),
    /// `r.g(object).send()`
    Give(Object),
    /// `r.g(P{a, b, c}).send()`
    GiveNew(Vec<Value>),
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
    /// The variables in scope, the objects, and whether a handle is.
    known: Vec<String>,
    objects: Vec<Object>,
    handle: bool,
    operations: bool,
    loops: usize,
    next: usize,
    unknown: bool,
    /// Parts may be created without data.
    plain: bool,
    /// Where the variables of this block begin.
    start: usize,
}

impl Generator<'_> {
    fn variable(&mut self) -> String {
        let at = self.random.below(self.known.len());
        self.known[at].clone()
    }

    fn object(&mut self) -> Object {
        let at = self.random.below(self.objects.len());
        self.objects[at].clone()
    }

    /// An object of type `P`.
    fn part(&mut self) -> Object {
        let object = self.object();
        let mark = if object.pointer { "->" } else { "." };
        if !object.whole {
            return object;
        }
        Object {
            text: format!("{}{mark}in", object.text),
            real: format!("{}.in", object.real),
            whole: false,
            pointer: false,
        }
    }

    /// A number in an object of type `P`.
    fn own(&mut self, object: &Object) -> Value {
        let field = ["a", "b", "c"][self.random.below(3)];
        let mark = if object.pointer { "->" } else { "." };
        let (text, real) = (format!("{}{mark}{field}", object.text), format!("{}.{field}", object.real));
        Value::Cell(Place { text, real, index: None, after: "" })
    }

    fn place(&mut self) -> Place {
        if self.random.chance(20) {
            let index = Value::Binary("&", Box::new(Value::Variable(self.variable())), Box::new(Value::Number(1)));
            let after = [".a", ".b", ".c"][self.random.below(3)];
            let text = format!("ps[{}]{after}", value_text(&index));
            return Place { text, real: "ps".into(), index: Some(Box::new(index)), after };
        }
        let object = self.object();
        if object.whole && self.random.chance(50) {
            let mark = if object.pointer { "->" } else { "." };
            let (text, real) = (format!("{}{mark}xs", object.text), format!("{}.xs", object.real));
            if self.random.chance(50) {
                let at = self.random.below(2u32);
                return Place { text: format!("{text}[{at}]"), real: format!("{real}[{at}]"), index: None, after: "" };
            }
            let index = Value::Binary("&", Box::new(Value::Variable(self.variable())), Box::new(Value::Number(1)));
            return Place {
                text: format!("{text}[{}]", value_text(&index)),
                real,
                index: Some(Box::new(index)),
                after: "",
            };
        }
        let part = self.part();
        let field = ["a", "b", "c"][self.random.below(3)];
        let mark = if part.pointer { "->" } else { "." };
        Place {
            text: format!("{}{mark}{field}", part.text),
            real: format!("{}.{field}", part.real),
            index: None,
            after: "",
        }
    }

    fn object_code(&mut self) -> Code {
        let whole = self.random.chance(40);
        self.next += 1;
        let name = format!("o{}", self.next);
        let new = Object { text: name.clone(), real: name, whole, pointer: false };
        match self.random.below(12u32) {
            0 | 1 => {
                let first = match self.random.below(4u32) {
                    0 if self.unknown && self.random.chance(60) => First::Open,
                    0 | 1 => {
                        let values = (0..if whole { 5 } else { 3 }).map(|_| self.value(1)).collect();
                        First::Fields(values, self.unknown && self.random.chance(60))
                    }
                    2 => First::List((0..1 + self.random.below(3u32)).map(|_| self.value(1)).collect()),
                    _ => {
                        let from = if whole { self.whole() } else { self.part() };
                        First::Copy(from)
                    }
                };
                let first = if whole && matches!(first, First::List(_)) { First::Copy(self.whole()) } else { first };
                self.objects.push(new.clone());
                Code::Object(new, first)
            }
            2 => {
                let to = if whole { self.whole() } else { self.part() };
                let pointer = Object { text: format!("q{}", self.next), real: to.real.clone(), whole, pointer: true };
                self.objects.push(pointer.clone());
                Code::Pointer(pointer, to)
            }
            8 | 9 if self.random.chance(50) => {
                let all = [Alias::Pointer, Alias::Reference, Alias::Conditional, Alias::Array, Alias::Parameter];
                let members = [Alias::Member, Alias::Result];
                let all: Vec<Alias> = all.into_iter().chain(members.into_iter().filter(|_| self.unknown)).collect();
                let alias = all[self.random.below(all.len())];
                Code::Alias(alias, self.part(), self.value(1))
            }
            8 | 9 if self.random.chance(50) => {
                let object = self.part();
                let index = if self.random.chance(50) { self.own(&object) } else { self.value(1) };
                Code::CopyElement(object, index)
            }
            8 | 9 => {
                let object = self.part();
                let (acts, own) = (self.random.one_in(4u32), self.random.chance(50));
                let one = |_| match () {
                    () if acts => self.any(),
                    () if own => self.own(&object),
                    () => self.value(1),
                };
                let values = (0..3).map(one).collect();
                Code::CopyNew(object, values)
            }
            3 if whole => Code::CopyObject(self.whole(), self.whole()),
            3 => Code::CopyObject(self.part(), self.part()),
            4 if self.unknown => Code::ReadObject(self.part()),
            5 | 6 if self.handle => Code::CreateWith(self.part()),
            5 => Code::GiveNew((0..3).map(|_| self.value(1)).collect()),
            7 => Code::Give(self.part()),
            _ => Code::SetNumber(self.place(), self.value(0)),
        }
    }

    /// An object of type `Q`.
    fn whole(&mut self) -> Object {
        let all: Vec<Object> = self.objects.iter().filter(|object| object.whole).cloned().collect();
        all[self.random.below(all.len())].clone()
    }

    fn value(&mut self, depth: usize) -> Value {
        if self.random.chance(15) {
            return Value::Cell(self.place());
        }
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
        let (known, objects, handle) = (self.known.len(), self.objects.len(), self.handle);
        let start = std::mem::replace(&mut self.start, if depth == 0 { 0 } else { known });
        let count = 1 + self.random.below(if depth == 0 { 5 } else { 3usize });
        let mut found = Vec::new();
        for _ in 0..count {
            found.push(self.code(depth));
            // What was written by another name shows.
            let shown = match &found[found.len() - 1] {
                Code::Alias(Alias::Array | Alias::Parameter, ..) => {
                    let place = Place { text: "t.xs[1]".into(), real: "t.xs[1]".into(), index: None, after: "" };
                    Code::Set(self.variable(), Value::Cell(place))
                }
                Code::Alias(_, object, _) | Code::CopyNew(object, _) | Code::CopyElement(object, _) => {
                    Code::Give(object.clone())
                }
                _ => continue,
            };
            found.push(shown);
        }
        self.known.truncate(known);
        self.objects.truncate(objects);
        (self.handle, self.start) = (handle, start);
        found
    }

    fn code(&mut self, depth: usize) -> Code {
        let deep = depth < 2;
        if self.random.chance(25) {
            return self.object_code();
        }
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
            14 if self.handle && self.plain => Code::Create,
            14 if self.handle => Code::CreateWith(self.part()),
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
    let unknown = random.chance(50);
    let plain = random.chance(20);
    let members = || vec![String::from("x"), String::from("y")];
    let objects: Vec<Object> = [("s", false), ("t", true), ("ps[0]", false), ("ps[1]", false)]
        .map(|(name, whole)| Object { text: name.into(), real: name.into(), whole, pointer: false })
        .into();
    let mut generator = Generator {
        random,
        known: members(),
        objects: objects.clone(),
        handle: false,
        operations: false,
        loops: 0,
        next: 0,
        unknown,
        plain,
        start: 0,
    };
    let mut operation = |result: bool| {
        (generator.known, generator.objects) = (members(), objects.clone());
        generator.known.push(String::from("a"));
        let mut code = generator.block(0);
        if result {
            code.push(Code::Return(generator.value(1)));
        }
        code
    };
    let (f, g) = (operation(true), operation(false));
    (generator.known, generator.objects, generator.operations) = (members(), objects.clone(), true);
    // Otherwise nothing is known of what a part gets.
    let mut first = vec![Code::Handle, Code::CreateWith(objects[0].clone())];
    generator.handle = true;
    first.extend(generator.block(0));
    first.extend((0..2).map(|_| generator.code(0)));
    // What is read before it is set shows.
    if unknown && generator.random.chance(50) {
        let open = Object { text: "last".into(), real: "last".into(), whole: false, pointer: false };
        let values = vec![generator.value(1), generator.value(1), Value::Number(1)];
        let given = if generator.random.chance(50) { First::Open } else { First::Fields(values, true) };
        first.extend([Code::Object(open.clone(), given), Code::Give(open)]);
    }
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
        Value::Cell(place) => place.text.clone(),
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
            Code::SetNumber(place, value) => write!(text, "{} = {}; ", place.text, value_text(value)),
            Code::Object(object, first) => {
                let (ty, name) = (if object.whole { "Q" } else { "P" }, &object.text);
                let list = |values: &[Value]| values.iter().map(value_text).collect::<Vec<_>>().join(", ");
                match first {
                    First::Open => write!(text, "{ty} {name}; "),
                    First::Fields(values, open) => {
                        let all = paths(object.whole);
                        let set = all.iter().zip(values).filter(|(path, _)| !(*open && path.ends_with('b')));
                        let set: String =
                            set.map(|(path, value)| format!("{name}{path} = {}; ", value_text(value))).collect();
                        write!(text, "{ty} {name}; {set}")
                    }
                    First::List(values) => write!(text, "{ty} {name} = {{{}}}; ", list(values)),
                    First::Copy(from) => {
                        write!(text, "{ty} {name} = {}{}; ", if from.pointer { "*" } else { "" }, from.text)
                    }
                }
            }
            Code::Pointer(pointer, to) => {
                let (ty, mark) = (if pointer.whole { "Q" } else { "P" }, if to.pointer { "" } else { "&" });
                write!(text, "{ty}* {} = {mark}{}; ", pointer.text, to.text)
            }
            Code::CopyObject(to, from) => {
                let mark = |object: &Object| if object.pointer { "*" } else { "" };
                write!(text, "{}{} = {}{}; ", mark(to), to.text, mark(from), from.text)
            }
            Code::CopyNew(to, values) => {
                let values: Vec<String> = values.iter().map(value_text).collect();
                write!(text, "{}{} = P{{{}}}; ", if to.pointer { "*" } else { "" }, to.text, values.join(", "))
            }
            Code::CopyElement(to, index) => {
                let mark = if to.pointer { "*" } else { "" };
                write!(text, "{mark}{} = ps[({}) & 1]; ", to.text, value_text(index))
            }
            Code::Alias(alias, object, value) => {
                let (pointer, value) = (if object.pointer { "" } else { "&" }, value_text(value));
                let name = &object.text;
                let whole = if object.pointer { format!("*{name}") } else { name.clone() };
                match alias {
                    Alias::Pointer => {
                        write!(text, "{{ int value = {value}; P* z; z = {pointer}{name}; z->b = value; }} ")
                    }
                    Alias::Reference => write!(text, "{{ int value = {value}; P& z = {whole}; z.b = value; }} "),
                    Alias::Conditional => {
                        let both = format!("{pointer}{name}");
                        write!(text, "{{ int value = {value}; P* z; z = x == y ? {both} : {both}; z->b = value; }} ")
                    }
                    Alias::Array => write!(text, "{{ int value = {value}; int* z; z = t.xs; z[1] = value; }} "),
                    Alias::Parameter => write!(text, "z(t.xs, {value}); "),
                    Alias::Member => write!(text, "m->b = {value}; "),
                    Alias::Result => write!(text, "{{ int value = {value}; P& z = n(); z.b = value; }} "),
                }
            }
            Code::ReadObject(object) => {
                write!(text, "read({}{}); ", if object.pointer { "" } else { "&" }, object.text)
            }
            Code::CreateWith(object) => {
                let given = if object.pointer { format!("&*{}", object.text) } else { format!("&{}", object.text) };
                write!(text, "id = frame.incarnate(w, EmptyActorClass, {given}); ")
            }
            Code::Give(object) => {
                write!(text, "r.g({}{}).send(); ", if object.pointer { "*" } else { "" }, object.text)
            }
            Code::GiveNew(values) => {
                let values: Vec<String> = values.iter().map(value_text).collect();
                write!(text, "r.g(P{{{}}}).send(); ", values.join(", "))
            }
        };
    }
}

/// The numbers of an object.
fn paths(whole: bool) -> &'static [&'static str] {
    if whole { &[".in.a", ".in.b", ".in.c", ".xs[0]", ".xs[1]"] } else { &[".a", ".b", ".c"] }
}

/// What shows in the state of a capsule: whether the first number is more than 1, and what the others hold.
const STATES: &str = "state S000, S001, S010, S011, S100, S101, S110, S111; choice k;";
const CHOICE: [&str; 8] = ["000", "001", "010", "011", "100", "101", "110", "111"];

fn branches() -> String {
    let one = |name: &&str| {
        let test =
            |at: usize, holds: &str| if name.as_bytes()[at] == b'1' { holds.to_owned() } else { format!("!({holds})") };
        format!("k -> S{name} when `{} && {} && {}`;\n", test(0, "u.a > 1"), test(1, "u.b > 1"), test(2, "u.c"))
    };
    CHOICE.iter().map(one).collect()
}

/// What a capsule shows of a structure.
fn shows(a: i32, b: i32, c: i32) -> usize {
    usize::from(a > 1) * 4 + usize::from(b > 1) * 2 + usize::from(c != 0)
}

fn text(program: &Program) -> String {
    let mut text = String::from(
        "[[rt::decl]] `struct P { int a; int b; bool c = true; std::string name; }; struct Q { P in; int xs[2]; };`\nprotocol P {",
    );
    text += &(0..EVENTS).map(|e| format!(" out e{e}();")).collect::<String>();
    text += " };\nprotocol R { out g(`P`); };\n";
    let decl = "[[rt::decl]] `P u = {0, 0, false};`";
    let branches = branches();
    text += &format!(
        "capsule W {{ {decl} statemachine {{ {STATES} initial -> k `u = *((P*) rtdata);`;\n{branches}}}; }};\n"
    );
    text += &format!("capsule V {{ {decl} service behavior port r~ : R; statemachine {{ {STATES} initial -> S000;\n");
    text += &CHOICE.map(|name| format!("S{name} -> k on r.g `u = *rtdata;`;\n")).concat();
    text += &format!("{branches}}}; }};\n");
    text += "capsule Top {\n[[rt::decl]] `int x = 1; int y = 2; P s = {1, 2}; Q t{}; P ps[2] = {{3}, {0, 1, false}};\n";
    for (head, code) in [("int f(int a)", &program.f), ("void g(int a)", &program.g)] {
        text += &format!("{head} {{ ");
        code_text(code, &mut text);
        text += "}\n";
    }
    text += "void z(int all[], int a = 3) { all[1] = a; } ";
    let mut all = String::new();
    [&program.first, &program.f, &program.g].into_iter().for_each(|code| code_text(code, &mut all));
    if all.contains("m->") {
        text += "P* m = &s; ";
    }
    if all.contains("n()") {
        text += "P& n() { return s; } ";
    }
    text += "`\nbehavior port p : P; behavior port q~ : P; connect p with q; behavior port frame : Frame;\n";
    text += "behavior port r : R; part v : V; connect r with v.r;\n";
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

/// What a program does: what it sends, what it gives to parts, and what it gives last by a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    sent: Vec<usize>,
    /// In any order.
    parts: Vec<usize>,
    last: usize,
}

struct Run<'p> {
    program: &'p Program,
    /// What is chosen, and of how many.
    choices: Vec<(usize, usize)>,
    at: usize,
    members: BTreeMap<String, i32>,
    scopes: Vec<BTreeMap<String, i32>>,
    created: i32,
    seen: Seen,
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

    /// The numbers of an object.
    fn numbers(&mut self, object: &Object) -> Vec<i32> {
        paths(object.whole).iter().map(|path| *self.place(&format!("{}{path}", object.real))).collect()
    }

    fn real(&mut self, place: &Place) -> String {
        match &place.index {
            Some(index) => format!("{}[{}]{}", place.real, self.value(index), place.after),
            None => place.real.clone(),
        }
    }

    fn set(&mut self, real: &str, value: i32) {
        *self.place(real) = if real.ends_with(".c") { i32::from(value != 0) } else { value };
    }

    fn declare(&mut self, object: &Object, first: &First) {
        let values = match first {
            First::Open => (0..paths(object.whole).len()).map(|_| READ[self.choose(READ.len())]).collect(),
            First::Copy(from) => self.numbers(from),
            First::List(values) => {
                let values: Vec<i32> = values.iter().map(|value| self.value(value)).collect();
                let at = |at: usize, otherwise: i32| values.get(at).copied().unwrap_or(otherwise);
                vec![at(0, 0), at(1, 0), at(2, 1)]
            }
            First::Fields(values, open) => {
                let mut found = Vec::new();
                for (path, value) in paths(object.whole).iter().zip(values) {
                    let is_open = *open && path.ends_with('b');
                    found.push(if is_open { READ[self.choose(READ.len())] } else { self.value(value) });
                }
                found
            }
        };
        for (path, value) in paths(object.whole).iter().zip(values) {
            let real = format!("{}{path}", object.real);
            self.scopes.last_mut().unwrap().insert(real.clone(), 0);
            let is_default = matches!(first, First::Open) && path.ends_with(".c");
            self.set(&real, if is_default { 1 } else { value });
        }
    }

    fn value(&mut self, value: &Value) -> i32 {
        match value {
            Value::Cell(place) => {
                let real = self.real(place);
                *self.place(&real)
            }
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
                    "&" => a & b,
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
            Code::Send(event) => self.seen.sent.push(*event),
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
            Code::SetNumber(place, value) => {
                let (value, real) = (self.value(value), self.real(place));
                self.set(&real, value);
            }
            Code::Object(object, first) => self.declare(object, first),
            Code::Pointer(..) => {}
            Code::CopyObject(to, from) => {
                let numbers = self.numbers(from);
                for (path, value) in paths(to.whole).iter().zip(numbers) {
                    self.set(&format!("{}{path}", to.real), value);
                }
            }
            Code::CopyNew(to, values) => {
                let values: Vec<i32> = values.iter().map(|value| self.value(value)).collect();
                for (path, value) in paths(false).iter().zip(values) {
                    self.set(&format!("{}{path}", to.real), value);
                }
            }
            Code::CopyElement(to, index) => {
                let real = format!("ps[{}]", self.value(index) & 1);
                let from = Object { text: real.clone(), real, whole: false, pointer: false };
                let numbers = self.numbers(&from);
                for (path, value) in paths(false).iter().zip(numbers) {
                    self.set(&format!("{}{path}", to.real), value);
                }
            }
            Code::Alias(alias, object, value) => {
                let value = self.value(value);
                let real = match alias {
                    Alias::Array | Alias::Parameter => "t.xs[1]".to_owned(),
                    Alias::Member | Alias::Result => "s.b".to_owned(),
                    _ => format!("{}.b", object.real),
                };
                self.set(&real, value);
            }
            Code::ReadObject(object) => {
                for path in paths(object.whole) {
                    let value = READ[self.choose(READ.len())];
                    self.set(&format!("{}{path}", object.real), value);
                }
            }
            Code::CreateWith(object) => {
                let valid = i32::from(self.created < PARTS);
                *self.place("id") = valid;
                self.created = (self.created + 1).min(PARTS);
                let numbers = self.numbers(object);
                if valid == 1 {
                    self.seen.parts.push(shows(numbers[0], numbers[1], numbers[2]));
                }
            }
            Code::Give(object) => {
                let numbers = self.numbers(object);
                self.seen.last = shows(numbers[0], numbers[1], numbers[2]);
            }
            Code::GiveNew(values) => {
                let numbers: Vec<i32> = values.iter().map(|value| self.value(value)).collect();
                self.seen.last = shows(numbers[0], numbers[1], numbers[2]);
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
fn interpreted(program: &Program) -> Option<BTreeSet<Seen>> {
    let (mut found, mut choices) = (BTreeSet::new(), Vec::new());
    for _ in 0..MOST_RUNS {
        let members = [
            ("x", 1),
            ("y", 2),
            ("s.a", 1),
            ("s.b", 2),
            ("s.c", 1),
            ("t.in.c", 1),
            ("ps[0].a", 3),
            ("ps[1].b", 1),
            ("ps[0].c", 1),
        ];
        let zeros = ["t.in.a", "t.in.b", "t.xs[0]", "t.xs[1]", "ps[0].b", "ps[1].a", "ps[1].c"].map(|name| (name, 0));
        let members = members.into_iter().chain(zeros).map(|(name, value)| (name.to_owned(), value)).collect();
        let (scopes, seen) = (vec![BTreeMap::new()], Seen::default());
        let mut run = Run { program, choices, at: 0, members, scopes, created: 0, seen, fuel: FUEL };
        // One scope for all, as they are written.
        for one in &program.first {
            if run.code(one) != Next::On {
                return None;
            }
        }
        run.seen.parts.sort_unstable();
        found.insert(run.seen);
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

/// What waits in the queue of the capsule when all have started, and what the others show.
fn explored(network: &Network, sources: &SourceMap) -> Option<BTreeSet<Seen>> {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let (mut narrator, mut stepper) = (Narrator::new(&semantics, sources), semantics.stepper());
    let first = (stepper.initial().unwrap().unwrap(), None);
    let (mut found, mut seen, mut left) = (BTreeSet::new(), BTreeSet::from([first.clone()]), vec![first]);
    while let Some((state, control)) = left.pop() {
        stepper.load(&state);
        let rests: Vec<(String, String)> = (0..stepper.loaded_processes())
            .filter_map(|process| {
                let (machine, location) = stepper.loaded_place(process);
                let machine = network.machine(machine);
                Some((machine.name.clone(), machine.locations[location.index()].labels.first()?.clone()))
            })
            .collect();
        let snapshot = narrator.snapshot(&state);
        let is = |name: &str| snapshot.variables.iter().find(|v| v.name == name).is_some_and(|v| v.value == "1");
        let messages = |name: &str| {
            let queue = snapshot.channels.iter().find(|contents| contents.channel == name);
            queue.map(|queue| queue.messages.clone()).unwrap_or_default()
        };
        let started = |(name, label): &(String, String)| label != "not created" || !is(&format!("{name} exists"));
        let all = rests.len() == stepper.loaded_processes() && rests.iter().all(started);
        let is_done = rests.iter().any(|(name, label)| name == "Top" && label == "Done");
        let all = all && is_done;
        if all && messages("v").is_empty() && control.is_none() {
            let event = |message: &String| message.strip_prefix("q.e").and_then(|e| e.parse().ok()).unwrap();
            let shown = |label: &str| CHOICE.iter().position(|name| label.strip_prefix('S') == Some(name));
            let parts = rests.iter().filter(|(name, _)| name.starts_with('w'));
            let mut parts: Vec<usize> = parts.filter_map(|(_, label)| shown(label)).collect();
            parts.sort_unstable();
            // After a guess no branch may hold.
            let Some(last) = rests.iter().find(|(name, _)| name == "v").and_then(|(_, label)| shown(label)) else {
                continue;
            };
            found.insert(Seen { sent: messages("Top").iter().map(event).collect(), parts, last });
            continue;
        }
        let (mut moved, mut nexts) = (false, Vec::new());
        stepper
            .expand(&state, control, &mut |successor| {
                moved = true;
                nexts.push((successor.state.expect("no fault").to_vec(), successor.control));
            })
            .unwrap();
        for next in nexts {
            stepper.load(&next.0);
            let (machine, location) = stepper.loaded_place(0);
            // What it has sent stays.
            let stays = network.machine(machine).locations[location.index()].labels.iter().any(|label| label == "Done");
            if (stays || !is_done) && seen.insert(next.clone()) {
                left.push(next);
            }
        }
        if !moved && control.is_some() && seen.insert((state.clone(), None)) {
            left.push((state, None));
        }
        // A loop whose condition is a guess sends forever.
        if seen.len() > 6_000 {
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
