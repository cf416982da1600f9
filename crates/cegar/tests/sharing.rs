//! Random systems of components that share variables, against an interpreter of all interleavings.
//!
//! Components use scalars, an array, a struct and pointers to them, some of it under a lock, some after an event of another
//! component. The twin has its own language, its own order of loads and stores, and its own idea of a race: two
//! components that are at an access to one cell, one of them a store.

use crate::common::{ask, checked, read_with, specification};
use cegar::{Outcome, Question};
use std::collections::{HashMap, HashSet};
use testing::Random;

/// Systems with more states than this are passed over.
const MOST_STATES: usize = 40_000;
/// More steps without an access or event than this are an endless loop.
const MOST_LOCAL: usize = 2_000;

const HEAD: &str = "int __VERIFIER_nondet_int(void);\nvoid assert(int holds);\nvoid take(void);\nvoid give(void);
void post(void);\nvoid await(void);\nint x = 1;\nint y;\nint t[2] = {0, 2};\nstruct both { int f; int g; } s = {3, 1};\n";
/// Cells: `x`, `y`, `t[0]`, `t[1]`, `s.f`, `s.g`.
const FIRST: [i32; 6] = [1, 0, 0, 2, 3, 1];
const CELLS: [&str; 6] = ["x", "y", "t[0]", "t[1]", "s.f", "s.g"];
/// Registers of a thread: `u`, `v`, `w.f`, `w.g`, the pointer, the counters of loops, and behind these temporaries.
const POINTER: usize = 4;
const COUNTER: usize = 5;
const TEMPORARY: usize = 7;

#[derive(Clone, Debug)]
enum Place {
    Register(usize),
    Cell(usize),
    Element(Box<Value>),
    Pointed,
}

#[derive(Clone, Debug)]
enum Value {
    Number(i32),
    Of(Place),
    Binary(&'static str, Box<Value>, Box<Value>),
}

#[derive(Clone, Debug)]
enum Statement {
    Assign(Place, Value),
    Increment(Place),
    Any(usize),
    Point(Value, usize, usize),
    CopyOut,
    CopyIn,
    If(Value, Vec<Statement>, Vec<Statement>),
    Repeat(usize, i32, Vec<Statement>),
    Forever(Vec<Statement>),
    Assert(Value),
    Call(Event),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Event {
    Take,
    Give,
    Post,
    Await,
}

/// What is done in one step of the twin.
#[derive(Clone, Debug)]
enum Step {
    Load(usize, Address),
    Store(Address, usize),
    Number(usize, i32),
    Copy(usize, usize),
    Binary(usize, &'static str, usize, usize),
    Any(usize),
    Unless(usize, usize),
    Jump(usize),
    Assert(usize),
    Event(Event),
    End,
}

#[derive(Clone, Copy, Debug)]
enum Address {
    Cell(usize),
    /// `t[register]`.
    Element(usize),
    /// `*p`.
    Pointed,
}

// The text.

fn place_text(place: &Place) -> String {
    match place {
        Place::Register(number) => String::from(["u", "v", "w.f", "w.g"][*number]),
        Place::Cell(cell) => String::from(CELLS[*cell]),
        Place::Element(index) => format!("t[{} & 1]", value_text(index)),
        Place::Pointed => String::from("*p"),
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Of(place) => place_text(place),
        Value::Binary(sign, a, b) => format!("({} {sign} {})", value_text(a), value_text(b)),
    }
}

fn text(statements: &[Statement]) -> String {
    statements.iter().map(statement_text).collect()
}

fn statement_text(statement: &Statement) -> String {
    match statement {
        Statement::Assign(place, value) => format!("{} = {} & 3;\n", place_text(place), value_text(value)),
        Statement::Increment(place) => format!("{}++;\n", place_text(place)),
        Statement::Any(register) => {
            format!("{} = __VERIFIER_nondet_int() & 1;\n", place_text(&Place::Register(*register)))
        }
        Statement::Point(value, a, b) => format!("p = {} ? &{} : &{};\n", value_text(value), CELLS[*a], CELLS[*b]),
        Statement::CopyOut => String::from("w = s;\n"),
        Statement::CopyIn => String::from("s = w;\n"),
        Statement::If(value, yes, no) => {
            format!("if ({}) {{\n{}}} else {{\n{}}}\n", value_text(value), text(yes), text(no))
        }
        Statement::Repeat(counter, times, body) => {
            format!("for (i{counter} = 0; i{counter} < {times}; i{counter}++) {{\n{}}}\n", text(body))
        }
        Statement::Forever(body) => format!("while (1) {{\n{}}}\n", text(body)),
        Statement::Assert(value) => format!("assert({});\n", value_text(value)),
        Statement::Call(event) => format!("{}();\n", name(*event)),
    }
}

fn name(event: Event) -> &'static str {
    match event {
        Event::Take => "take",
        Event::Give => "give",
        Event::Post => "post",
        Event::Await => "await",
    }
}

// The twin's steps.

#[derive(Default)]
struct Compiler {
    steps: Vec<Step>,
    next: usize,
}

impl Compiler {
    fn temporary(&mut self) -> usize {
        self.next += 1;
        TEMPORARY + self.next - 1
    }

    fn address(&mut self, place: &Place) -> Address {
        match place {
            Place::Cell(cell) => Address::Cell(*cell),
            Place::Pointed => Address::Pointed,
            Place::Element(index) => {
                let (index, one, to) = (self.value(index), self.temporary(), self.temporary());
                self.steps.push(Step::Number(one, 1));
                self.steps.push(Step::Binary(to, "&", index, one));
                Address::Element(to)
            }
            Place::Register(_) => unreachable!("a register has no address"),
        }
    }

    fn value(&mut self, value: &Value) -> usize {
        let to = self.temporary();
        match value {
            Value::Number(number) => self.steps.push(Step::Number(to, *number)),
            Value::Of(Place::Register(register)) => self.steps.push(Step::Copy(to, *register)),
            Value::Of(place) => {
                let address = self.address(place);
                self.steps.push(Step::Load(to, address));
            }
            Value::Binary(sign @ ("&&" | "||"), a, b) => {
                let a = self.value(a);
                let (zero, both) = (self.temporary(), *sign == "&&");
                self.steps.push(Step::Number(zero, 0));
                self.steps.push(Step::Binary(to, "!=", a, zero));
                let test = self.temporary();
                self.steps.push(Step::Binary(test, if both { "!=" } else { "==" }, to, zero));
                let branch = self.steps.len();
                self.steps.push(Step::Unless(test, 0));
                let b = self.value(b);
                self.steps.push(Step::Binary(to, "!=", b, zero));
                self.steps[branch] = Step::Unless(test, self.steps.len());
            }
            Value::Binary(sign, a, b) => {
                let a = self.value(a);
                let b = self.value(b);
                self.steps.push(Step::Binary(to, sign, a, b));
            }
        }
        to
    }

    fn masked(&mut self, value: usize, mask: i32) -> usize {
        let (number, to) = (self.temporary(), self.temporary());
        self.steps.push(Step::Number(number, mask));
        self.steps.push(Step::Binary(to, "&", value, number));
        to
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.next = 0;
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign(place, value) => {
                let value = self.value(value);
                let value = self.masked(value, 3);
                match place {
                    Place::Register(register) => self.steps.push(Step::Copy(*register, value)),
                    place => {
                        let address = self.address(place);
                        self.steps.push(Step::Store(address, value));
                    }
                }
            }
            Statement::Increment(place) => {
                let address = self.address(place);
                let (old, one, new) = (self.temporary(), self.temporary(), self.temporary());
                self.steps.push(Step::Load(old, address));
                self.steps.push(Step::Number(one, 1));
                self.steps.push(Step::Binary(new, "+", old, one));
                self.steps.push(Step::Store(address, new));
            }
            Statement::Any(register) => self.steps.push(Step::Any(*register)),
            Statement::Point(value, a, b) => {
                let value = self.value(value);
                self.branch(value, |compiler, yes| {
                    compiler.steps.push(Step::Number(POINTER, if yes { *a } else { *b } as i32));
                });
            }
            Statement::CopyOut => {
                self.steps.push(Step::Load(2, Address::Cell(4)));
                self.steps.push(Step::Load(3, Address::Cell(5)));
            }
            Statement::CopyIn => {
                self.steps.push(Step::Store(Address::Cell(4), 2));
                self.steps.push(Step::Store(Address::Cell(5), 3));
            }
            Statement::If(value, yes, no) => {
                let value = self.value(value);
                self.branch(value, |compiler, taken| compiler.statements(if taken { yes } else { no }));
            }
            Statement::Repeat(counter, times, body) => {
                let counter = COUNTER + counter;
                self.steps.push(Step::Number(counter, 0));
                let start = self.steps.len();
                let (bound, test) = (self.temporary(), self.temporary());
                self.steps.push(Step::Number(bound, *times));
                self.steps.push(Step::Binary(test, "<", counter, bound));
                let leave = self.steps.len();
                self.steps.push(Step::Unless(test, 0));
                self.statements(body);
                let one = self.temporary();
                self.steps.push(Step::Number(one, 1));
                self.steps.push(Step::Binary(counter, "+", counter, one));
                self.steps.push(Step::Jump(start));
                self.steps[leave] = Step::Unless(test, self.steps.len());
            }
            Statement::Forever(body) => {
                let start = self.steps.len();
                self.statements(body);
                self.steps.push(Step::Jump(start));
            }
            Statement::Assert(value) => {
                let value = self.value(value);
                self.steps.push(Step::Assert(value));
            }
            Statement::Call(event) => self.steps.push(Step::Event(*event)),
        }
    }

    fn branch(&mut self, value: usize, mut side: impl FnMut(&mut Compiler, bool)) {
        let test = self.steps.len();
        self.steps.push(Step::Unless(value, 0));
        side(self, true);
        let end = self.steps.len();
        self.steps.push(Step::Jump(0));
        self.steps[test] = Step::Unless(value, self.steps.len());
        side(self, false);
        self.steps[end] = Step::Jump(self.steps.len());
    }
}

// All interleavings.

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    at: usize,
    registers: Vec<i32>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    cells: Vec<i32>,
    threads: Vec<Thread>,
    holder: Option<usize>,
    posted: u8,
}

/// What can be reached.
#[derive(Default, Debug)]
struct Truth {
    race: bool,
    wrong: bool,
    stuck: bool,
    /// An infinite run in which the first thread takes the lock only finitely often.
    starves: bool,
}

struct Twin {
    threads: Vec<Vec<Step>>,
    locked: bool,
    ordered: bool,
}

impl Twin {
    /// A thread goes on to its next access, event or end: every state that it can be in then, and whether it can fail.
    fn settle(&self, number: usize, thread: Thread) -> Option<(Vec<Thread>, bool)> {
        let (mut todo, mut settled, mut steps, mut wrong) = (vec![thread], Vec::new(), 0, false);
        while let Some(mut thread) = todo.pop() {
            loop {
                steps += 1;
                if steps > MOST_LOCAL {
                    return None;
                }
                let registers = &mut thread.registers;
                thread.at += 1;
                match &self.threads[number][thread.at - 1] {
                    Step::Load(..) | Step::Store(..) | Step::Event(_) | Step::End => {
                        thread.at -= 1;
                        settled.push(thread);
                        break;
                    }
                    Step::Number(to, number) => registers[*to] = *number,
                    Step::Copy(to, from) => registers[*to] = registers[*from],
                    Step::Binary(to, sign, a, b) => registers[*to] = apply(sign, registers[*a], registers[*b]),
                    Step::Any(to) => {
                        let mut other = thread.clone();
                        other.registers[*to] = 1;
                        todo.push(other);
                        thread.registers[*to] = 0;
                    }
                    Step::Unless(test, to) if registers[*test] == 0 => thread.at = *to,
                    Step::Unless(..) => {}
                    Step::Jump(to) => thread.at = *to,
                    Step::Assert(value) if registers[*value] == 0 => {
                        wrong = true;
                        break;
                    }
                    Step::Assert(_) => {}
                }
            }
        }
        Some((settled, wrong))
    }

    fn cell(thread: &Thread, address: Address) -> usize {
        match address {
            Address::Cell(cell) => cell,
            Address::Element(register) => 2 + thread.registers[register] as usize,
            Address::Pointed => thread.registers[POINTER] as usize,
        }
    }

    fn access(&self, state: &State, number: usize) -> Option<(usize, bool)> {
        let thread = &state.threads[number];
        match &self.threads[number][thread.at] {
            Step::Load(_, address) => Some((Self::cell(thread, *address), false)),
            Step::Store(address, _) => Some((Self::cell(thread, *address), true)),
            _ => None,
        }
    }

    fn has_race(&self, state: &State) -> bool {
        let at: Vec<_> = (0..self.threads.len()).filter_map(|number| self.access(state, number)).collect();
        at.iter().enumerate().any(|(n, a)| at[n + 1..].iter().any(|b| a.0 == b.0 && (a.1 || b.1)))
    }

    /// One thread takes its next access or event; whether it is the lock that it takes.
    fn step(&self, state: &State, number: usize) -> Option<(State, bool)> {
        let mut next = state.clone();
        let thread = &mut next.threads[number];
        let mut takes = false;
        match &self.threads[number][thread.at] {
            Step::Load(to, address) => {
                let cell = Self::cell(thread, *address);
                thread.registers[*to] = next.cells[cell];
            }
            Step::Store(address, from) => {
                let cell = Self::cell(thread, *address);
                next.cells[cell] = thread.registers[*from];
            }
            Step::Event(Event::Take) if state.holder.is_none() => {
                next.holder = Some(number);
                takes = true;
            }
            Step::Event(Event::Give) if state.holder == Some(number) => next.holder = None,
            Step::Event(Event::Post) if state.posted == 0 => next.posted = 1,
            Step::Event(Event::Await) if state.posted == 1 => next.posted = 2,
            _ => return None,
        }
        next.threads[number].at += 1;
        Some((next, takes))
    }

    fn ended(&self, state: &State, number: usize) -> bool {
        matches!(self.threads[number][state.threads[number].at], Step::End)
    }

    /// All states; nothing if there are too many.
    fn explore(&self) -> Option<Truth> {
        let mut truth = Truth::default();
        let registers = self.threads.iter().flatten().map(highest).max().unwrap_or(0) + 1;
        let begin = Thread { at: 0, registers: vec![0; registers.max(TEMPORARY)] };
        let blank = State { cells: FIRST.to_vec(), threads: vec![begin; self.threads.len()], holder: None, posted: 0 };
        let mut first = vec![blank];
        for number in 0..self.threads.len() {
            first = self.settled(&first, number, &mut truth)?;
        }
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let (mut todo, mut edges): (Vec<State>, Vec<Vec<(usize, bool)>>) = (Vec::new(), Vec::new());
        for state in first {
            if let std::collections::hash_map::Entry::Vacant(slot) = numbers.entry(state.clone()) {
                slot.insert(todo.len());
                todo.push(state);
            }
        }
        while edges.len() < todo.len() {
            let state = todo[edges.len()].clone();
            truth.race |= self.has_race(&state);
            let (mut leaving, mut moves) = (Vec::new(), false);
            for number in 0..self.threads.len() {
                let Some((next, takes)) = self.step(&state, number) else { continue };
                moves = true;
                for next in self.settled(&[next], number, &mut truth)? {
                    let count = todo.len();
                    let to = *numbers.entry(next.clone()).or_insert_with(|| {
                        todo.push(next);
                        count
                    });
                    leaving.push((to, takes && number == 0));
                }
            }
            // A lock is never done.
            let all = (0..self.threads.len()).all(|number| self.ended(&state, number));
            let done = all && !self.locked && (!self.ordered || state.posted == 2);
            truth.stuck |= !moves && !done;
            edges.push(leaving);
            if todo.len() > MOST_STATES {
                return None;
            }
        }
        truth.starves = has_cycle(&edges);
        Some(truth)
    }

    fn settled(&self, states: &[State], number: usize, truth: &mut Truth) -> Option<Vec<State>> {
        let mut settled = Vec::new();
        for state in states {
            let (threads, wrong) = self.settle(number, state.threads[number].clone())?;
            truth.wrong |= wrong;
            settled.extend(threads.into_iter().map(|thread| {
                let mut next = state.clone();
                next.threads[number] = thread;
                next
            }));
        }
        Some(settled)
    }
}

/// Whether there is a cycle without marked edges.
fn has_cycle(edges: &[Vec<(usize, bool)>]) -> bool {
    let mut entering = vec![0_usize; edges.len()];
    let plain = |at: usize| edges[at].iter().filter(|(_, marked)| !marked).map(|&(to, _)| to);
    for at in 0..edges.len() {
        plain(at).for_each(|to| entering[to] += 1);
    }
    let mut todo: Vec<usize> = (0..edges.len()).filter(|&at| entering[at] == 0).collect();
    let mut gone = 0;
    while let Some(at) = todo.pop() {
        gone += 1;
        for to in plain(at) {
            entering[to] -= 1;
            if entering[to] == 0 {
                todo.push(to);
            }
        }
    }
    gone < edges.len()
}

fn highest(step: &Step) -> usize {
    match step {
        Step::Load(to, _) | Step::Number(to, _) | Step::Any(to) => *to,
        Step::Copy(a, b) => *a.max(b),
        Step::Binary(a, _, b, c) => *a.max(b).max(c),
        _ => 0,
    }
}

fn apply(sign: &str, a: i32, b: i32) -> i32 {
    match sign {
        "+" => a.wrapping_add(b),
        "&" => a & b,
        "==" => i32::from(a == b),
        "!=" => i32::from(a != b),
        "<" => i32::from(a < b),
        other => panic!("{other}"),
    }
}

// Random systems.

struct Maker<'r> {
    random: &'r mut Random,
    endless: bool,
    loops: usize,
}

impl Maker<'_> {
    fn place(&mut self, depth: u32) -> Place {
        match self.random.below(9u32) {
            0 | 1 => Place::Register(self.random.below(4usize)),
            2..=5 => Place::Cell([0, 0, 0, 1, 1, 2, 3, 4, 5][self.random.below(9usize)]),
            6 if depth > 0 => Place::Element(Box::new(self.value(depth - 1))),
            7 => Place::Pointed,
            _ => Place::Cell(0),
        }
    }

    fn value(&mut self, depth: u32) -> Value {
        if depth == 0 || self.random.chance(35) {
            return match self.random.chance(25) {
                true => Value::Number(self.random.below(4i32)),
                false => Value::Of(self.place(depth)),
            };
        }
        let sign = self.random.pick(&["+", "&", "==", "<", "&&", "||", "!="]);
        Value::Binary(sign, Box::new(self.value(depth - 1)), Box::new(self.value(depth - 1)))
    }

    /// What is not a constant for the reader of C.
    fn open(&mut self) -> Value {
        let first = Value::Of(Place::Register(self.random.below(2usize)));
        let sign = self.random.pick(&["<", "==", "!=", "||"]);
        Value::Binary(sign, Box::new(first), Box::new(self.value(1)))
    }

    fn statements(&mut self, depth: u32) -> Vec<Statement> {
        (0..1 + self.random.below(3u32)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Statement {
        match self.random.below(12u32) {
            0 | 1 if depth > 0 => {
                let (value, yes) = (self.open(), self.statements(depth - 1));
                let no = if self.random.chance(40) { self.statements(depth - 1) } else { Vec::new() };
                Statement::If(value, yes, no)
            }
            2 if depth > 0 && self.loops < 2 => {
                self.loops += 1;
                let counter = self.loops - 1;
                // Some go around too often to be unrolled.
                let times = if self.random.one_in(6) { 40 } else { 1 + self.random.below(2i32) };
                Statement::Repeat(counter, times, self.statements(depth - 1))
            }
            3 if !self.endless => Statement::Increment(Place::Cell(self.random.below(6usize))),
            4 => Statement::Any(self.random.below(2usize)),
            5 => {
                let (a, b) = (self.random.below(4usize), self.random.below(4usize));
                Statement::Point(self.open(), a, b)
            }
            6 => match self.random.chance(50) {
                true => Statement::CopyOut,
                false => Statement::CopyIn,
            },
            7 | 8 => {
                let of = Value::Of(Place::Cell(self.random.below(6usize)));
                let bound = Value::Number(1 + self.random.below(4i32));
                Statement::Assert(Value::Binary(self.random.pick(&["<", "!="]), Box::new(of), Box::new(bound)))
            }
            _ => Statement::Assign(self.place(1), self.value(2)),
        }
    }
}

/// A system: its text and its twin.
fn system(random: &mut Random) -> (String, String, Twin) {
    let count = if random.chance(25) { 3 } else { 2 };
    let ordered = random.chance(30);
    let (mut program, mut threads, mut lockers) = (String::from(HEAD), Vec::new(), Vec::new());
    let careless = random.chance(35);
    for number in 0..count {
        let endless = random.chance(35);
        let mut body = Vec::new();
        let mut maker = Maker { random, endless, loops: 0 };
        let mut locked = false;
        for _ in 0..1 + maker.random.below(2u32) {
            let block = maker.statements(1);
            let shares = !(careless && maker.random.chance(30));
            locked |= shares;
            let (before, after) = if shares { (Some(Event::Take), Some(Event::Give)) } else { (None, None) };
            body.extend(before.map(Statement::Call));
            body.extend(block);
            body.extend(after.map(Statement::Call));
        }
        if endless {
            // A loop without a step that others see would never settle.
            body.push(Statement::Call(Event::Take));
            body.push(Statement::Call(Event::Give));
            locked = true;
            body = vec![Statement::Forever(body)];
        }
        if ordered && number < 2 && !endless {
            let event = Statement::Call(if number == 0 { Event::Post } else { Event::Await });
            let at = if number == 0 && maker.random.chance(70) { body.len() } else { 0 };
            body.insert(at, event);
        }
        if locked {
            lockers.push(number);
        }
        program += &format!(
            "void t{number}(void) {{\nint u = 0, v = 0, i0, i1;\nstruct both w = {{0, 0}};\nint *p = &x;\n{}}}\n",
            text(&body)
        );
        let mut compiler = Compiler::default();
        compiler.statements(&body);
        compiler.steps.push(Step::End);
        threads.push(compiler.steps);
    }
    let has = |event: Event| threads.iter().flatten().any(|step| matches!(step, Step::Event(e) if *e == event));
    let ordered = has(Event::Post) && has(Event::Await);
    let one_sided = has(Event::Post) != has(Event::Await);
    let mut spec = String::from("file \"t.c\";\n");
    let mut parts: Vec<String> = (0..count).map(|n| format!("{}:t{n}", ["a", "b", "c"][n])).collect();
    if !lockers.is_empty() {
        let each = lockers.iter().map(|&n| ["a", "b", "c"][n]).map(|l| format!("{l}.take -> {l}.give -> LOCK"));
        spec += &format!("LOCK = ({}).\n", each.collect::<Vec<_>>().join(" | "));
        parts.push(String::from("LOCK"));
    }
    if ordered {
        spec += "ORDER = (a.post -> b.await -> END).\n";
        parts.push(String::from("ORDER"));
    }
    spec += &format!("program = ({})\n", parts.join(" || "));
    if lockers.contains(&0) {
        spec += "ltl Again { [] <> a.take }\n";
    }
    let mut twin = Twin { threads, locked: !lockers.is_empty(), ordered };
    if one_sided {
        // Nobody else knows the event: it is a step like any other.
        for step in twin.threads.iter_mut().flatten() {
            if matches!(step, Step::Event(Event::Post | Event::Await)) {
                *step = Step::Copy(0, 0);
            }
        }
    }
    (program, spec, twin)
}

#[derive(Default, Debug)]
struct Count {
    proved: u32,
    races: u32,
    errors: u32,
    stuck: u32,
    formulas: u32,
    open: u32,
    large: u32,
}

#[test]
fn answers_agree_with_all_interleavings() {
    let (seeds, first) = (testing::seeds(25), testing::first(1));
    let long = testing::long().is_some();
    let mut count = Count::default();
    for seed in first..first + seeds {
        one(seed, if long { 2 } else { 20 }, &mut count);
    }
    if std::env::var_os("HIGHWATER_TELL").is_some() {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("{count:?}");
        }
    }
    assert!(long || count.proved > 2 && count.races > 2 && count.errors > 2 && count.stuck > 2, "{count:?}");
    assert!(long || count.open * 5 <= count.proved + count.races + count.errors + count.stuck, "{count:?}");
}

fn one(seed: u64, seconds: u64, count: &mut Count) {
    let (program, spec, twin) = system(&mut Random::new(seed));
    let whole = format!("seed {seed}\n{program}\n{spec}");
    let Some(truth) = twin.explore() else {
        count.large += 1;
        return;
    };
    let read = read_with("t.spec", &spec, &[("t.c", &program)]);
    assert!(read.specification.is_some(), "{:?}: {whole}", read.diagnostics);
    let specification = specification(read);
    let mut compare = |question: Question, bad: bool| {
        let verdict = ask(&specification, question, seconds).verdict;
        let kind = match (question, truth.race) {
            (Question::Safety, true) => &mut count.races,
            (Question::Safety, false) => &mut count.errors,
            (Question::Deadlock, _) => &mut count.stuck,
            _ => &mut count.formulas,
        };
        match verdict {
            Outcome::Holds(holds) => {
                assert!(!bad && !truth.race, "{question:?} holds, but not in the twin ({truth:?}): {whole}");
                let checked = checked(&specification, &holds);
                assert!(checked.is_ok(), "{question:?}: {checked:?}: {whole}");
                count.proved += 1;
            }
            Outcome::Fails(_) => {
                assert!(bad, "{question:?} fails, but not in the twin ({truth:?}): {whole}");
                *kind += 1;
            }
            Outcome::Inconclusive(reason) => {
                let text = format!("{reason:?}");
                assert!(!text.contains("report") && !text.contains("replay"), "{question:?}: {text}: {whole}");
                count.open += u32::from(!truth.race);
                if std::env::var_os("HIGHWATER_TELL").is_some() {
                    #[allow(clippy::print_stderr)]
                    {
                        eprintln!("seed {seed} {question:?} ({truth:?}): {text}");
                    }
                }
            }
        }
    };
    compare(Question::Safety, truth.race || truth.wrong);
    if !truth.wrong {
        compare(Question::Deadlock, truth.stuck);
        if !specification.formulas.is_empty() {
            compare(Question::Formula(0), truth.starves);
        }
    }
}

#[test]
fn what_is_checked_for_a_shared_variable_is_refused_without_the_proof_that_there_is_no_race() {
    let program = "void take(void); void give(void); int n;\nvoid t(void) { while (1) { take(); n = !n; give(); } }\n";
    let spec = "file \"t.c\";\nLOCK = (a.take -> a.give -> LOCK | b.take -> b.give -> LOCK).\n\
                program = (a:t || b:t || LOCK)\n";
    let specification = specification(read_with("t.spec", spec, &[("t.c", program)]));
    let Outcome::Holds(mut holds) = ask(&specification, Question::Deadlock, 20).verdict else { panic!("it holds") };
    checked(&specification, &holds).expect("the proof is accepted");
    let races = holds.races.take();
    assert!(checked(&specification, &holds).is_err());
    holds.races = races;
    holds.cuts[0] = vec![2, 1];
    assert!(checked(&specification, &holds).is_err());
}

/// C evaluates what is not needed, too.
#[test]
fn a_load_counts_where_nothing_depends_on_it() {
    let loads = [
        "p = u < (t[1] < x) ? &t[0] : &t[0];",
        "p = x ? &t[0] : &t[1];",
        "u = x ? 1 : 1;",
        "u = x * 0;",
        "u = x - x;",
        "x;",
        "(void)x;",
        "p = &x; u = *p * 0;",
        "p = &x; *p;",
        "p = u ? &t[0] : &x; *p;",
        "if (x) { }",
        "u = (x, 1);",
        "s;",
        "s.f * 0;",
        "x = x;",
    ];
    let others = ["u = u && x;", "u = sizeof x;", "&x;", "p = &x;", "if (0) u = x;", "p = u ? &x : &t[0]; *p;"];
    for (statement, expected) in loads.map(|load| (load, false)).into_iter().chain(others.map(|other| (other, true))) {
        let program = format!(
            "int x = 1; int t[2]; struct {{ int f; int g; }} s;\nvoid w(void) {{ x = 2; s.f = 1; }}\n\
             void r(void) {{ int *p; int u = 0; {statement} }}\n"
        );
        let read = read_with("t.spec", "file \"t.c\";\nprogram = (w || r)\n", &[("t.c", &program)]);
        let specification = specification(read);
        let verdict = ask(&specification, Question::Safety, 20).verdict;
        assert_eq!(matches!(verdict, Outcome::Holds(_)), expected, "{statement}: {verdict:?}");
        assert_eq!(matches!(verdict, Outcome::Fails(_)), !expected, "{statement}: {verdict:?}");
    }
}

/// A routine without a body may use an address that it gets, also where it must not write there, then and later.
#[test]
fn a_variable_whose_address_a_routine_gets_is_rejected() {
    let calls = [
        ("int *p", "look(&n);"),
        ("const int *p", "look(&n);"),
        ("const int *p", "const int *p = other ? &n : &other; look(p);"),
        ("const int *const *p", "const int *p = &n; look(&p);"),
        ("struct s v", "struct s v = { &n }; look(v);"),
    ];
    for (parameter, call) in calls {
        let program = format!(
            "struct s {{ const int *p; }};\nvoid look({parameter});\nint n, other;\n\
             void r(void) {{ {call} }}\nvoid w(void) {{ n = 1; }}\n"
        );
        let read = read_with("t.spec", "file \"t.c\";\nprogram = (r || w)\n", &[("t.c", &program)]);
        assert!(format!("{:?}", read.diagnostics).contains("M0109"), "{program}: {:?}", read.diagnostics);
    }
}

#[test]
fn names_of_events_are_different() {
    let program = "int n; int m[2]; void t(void) { n++; m[n & 1] = 1; }\n";
    let spec = "file \"t.c\";\nprogram = (a:t || b:t)\n";
    let specification = specification(read_with("t.spec", spec, &[("t.c", program)]));
    let asked = spec::Prepared::new(&specification, Question::Safety).expect("a question");
    let names: HashSet<&str> = asked.events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names.len(), asked.events.len());
}
