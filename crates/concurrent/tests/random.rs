//! Random programs against explicit exploration of what the interpreter does.
//!
//! Small components with globals of two bits, loops, branches on inputs, assertions and events, beside a small process.
//! The twin runs the interpreter from every state on every input that matters, makes a structure of what it sees, and asks
//! the same questions of that. No two answers contradict each other, and every proof is accepted.

mod common;

use c::interpret::{Machine, Outcome as Ends, Run};
use c::program::{Instruction, VariableId};
use common::{ask, checked, read_with, specification};
use concurrent::{Outcome, Part, Procedure, Question, Specification};
use model::composition::{Component, Composition, Stepper};
use model::ids::EventId;
use model::structure::{Ending, Move, StateParts, Structure, TAU};
use std::collections::{HashMap, HashSet};

/// Programs with more states than this are passed over.
const MOST_STATES: usize = 3_000;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize % from.len()]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) % 100 < percent
    }
}

const HEAD: &str = "\
int __VERIFIER_nondet_int(void);\nvoid a(void);\nvoid b(void);\nvoid d(void);\nint get(void);\nint routine(int x);
void assert(int holds);\nvoid __VERIFIER_assume(int holds);\n";

/// The body of a procedure over two variables.
fn statements(random: &mut Random, x: &str, y: &str, depth: u32, text: &mut String) {
    let count = 1 + random.below(3) % 3;
    for _ in 0..count {
        let k = random.below(4) % 4;
        match random.below(12) % 12 {
            0 => *text += &format!("{x} = ({x} + 1) & 3;\n"),
            1 => *text += &format!("{y} = {k};\n"),
            2 => *text += &format!("{x} = __VERIFIER_nondet_int() & 3;\n"),
            3 => *text += &format!("{x} = {y};\n"),
            4 => *text += &format!("{y} = get() & 3;\n"),
            5 => *text += &format!("{y} = routine({x});\n"),
            6 | 7 => *text += &format!("{}();\n", random.pick(&["a", "b", "d"])),
            8 if random.chance(40) => *text += &format!("assert({});\n", condition(random, x, y)),
            9 if random.chance(30) => *text += "return;\n",
            9 if random.chance(20) => *text += &format!("__VERIFIER_assume({});\n", condition(random, x, y)),
            _ if depth == 0 => *text += &format!("{x} = ({x} + {y}) & 3;\n"),
            10 => {
                *text += &format!("while ({}) {{\n", condition(random, x, y));
                statements(random, x, y, depth - 1, text);
                *text += "}\n";
            }
            _ => {
                *text += &format!("if ({}) {{\n", condition(random, x, y));
                statements(random, x, y, depth - 1, text);
                *text += "} else {\n";
                statements(random, y, x, depth - 1, text);
                *text += "}\n";
            }
        }
    }
}

fn condition(random: &mut Random, x: &str, y: &str) -> String {
    let k = random.below(4) % 4;
    match random.below(6) % 6 {
        0 => format!("{x} == {k}"),
        1 => format!("{x} < {y}"),
        2 => format!("{y} & 1"),
        3 => format!("{x} != {y}"),
        4 => format!("{x} <= {k} && {y} != {k}"),
        _ => String::from("__VERIFIER_nondet_int() & 1"),
    }
}

fn program(random: &mut Random, two: bool) -> String {
    let mut text = String::from(HEAD);
    let k = |random: &mut Random| random.below(4) % 4;
    text += &format!("unsigned char x = {};\nunsigned char y = {};\n", k(random), k(random));
    for name in ["p", "q"].into_iter().take(if two { 2 } else { 1 }) {
        let endless = random.chance(70);
        text += &format!("void {name}(void) {{\n");
        // Variables that are not used are not there.
        text += "x = (x + y) & 3;\n";
        text += if endless { "while (1) {\n" } else { "" };
        statements(random, "x", "y", 2, &mut text);
        text += if endless { "}\n}\n" } else { "}\n" };
    }
    text
}

fn process(random: &mut Random) -> String {
    let states = 1 + random.below(3) % 3;
    let mut clauses = Vec::new();
    for state in 0..states {
        let moves: Vec<String> = (0..1 + random.below(3) % 3)
            .map(|_| {
                let event = random.pick(&["a", "b", "d", "ping", "get", "tick"]);
                let to = random.below(states) % states;
                if random.chance(8) { format!("{event} -> END") } else { format!("{event} -> S{to}") }
            })
            .collect();
        clauses.push(format!("S{state} = ({})", moves.join(" | ")));
    }
    format!("S = (start -> S0),\n{}.\n", clauses.join(",\n")).replace("S = (start -> S0)", "S = S0")
}

const FORMULAS: &[&str] = &[
    "[] <> a",
    "[] (a -> <> b)",
    "[] {p.x <= 2}",
    "<> [] !d",
    "{p.y == 0} U (a || {p.x == 1})",
    "[] ({p.x == p.y} -> X {p.x == p.y})",
    "<> {p.x == 3} || [] <> b",
    "X X {p.x == 2}",
];

/// What the interpreter does from every state, as a structure. Whoever fails an assumption moves on the spot, if that is
/// wished: nothing is stuck beside it.
fn explored(procedure: &Procedure, specification: &Specification, text: &str, spin: bool) -> Option<Structure> {
    let component = &procedure.component;
    let head = format!("void {}(void) {{", component.name);
    let body = (text.find(&head).expect("the body") + head.len()) as u32;
    let mut machine = Machine::new(component);
    let fresh = || Run { outcome: Ends::StepLimit, edges: Vec::new(), inputs: Vec::new(), events: Vec::new() };
    // Initial values are there before the first state.
    while component.leaving(machine.location()).next().is_some_and(|(_, edge)| edge.span.start < body) {
        machine.step(&mut |_| 0, &mut fresh());
    }
    let key = |machine: &Machine<'_>, inside: u32| {
        let values: Vec<u64> = (0..component.variables.len()).map(|n| machine.bits(VariableId(n as u32))).collect();
        (machine.location(), values, inside)
    };
    let event_named = |name: &str| {
        let found = specification.events.iter().position(|event| event.name == name);
        EventId::from(found.expect(name))
    };
    // Inside: 0 at a location, 1 in the routine, 2 after `ping`, 3 after `pong`; then the ends.
    let (done, wrong) = (90, 91);
    let mut known = HashMap::new();
    known.insert(key(&machine, 0), 0_u32);
    let mut todo = vec![(machine, 0_u32)];
    let mut states = vec![StateParts::default()];
    let mut at = 0;
    while at < todo.len() {
        let (machine, inside) = todo[at].clone();
        let mut next: Vec<(EventId, Machine<'_>, u32)> = Vec::new();
        let leaving = component.leaving(machine.location()).next();
        let routine = match leaving.map(|(_, edge)| &edge.instruction) {
            Some(Instruction::Call { routine, .. }) => routine.as_str(),
            _ => "",
        };
        let take = |event: EventId, inputs: &[u64]| {
            let mut next = Vec::new();
            for &input in inputs {
                let (mut after, mut run) = (machine.clone(), fresh());
                let end = match after.step(&mut |_| input, &mut run) {
                    None => 0,
                    // An assumption does not hold: nothing happens.
                    Some(Ends::Blocked) if !spin => continue,
                    Some(Ends::Blocked) => 0,
                    Some(Ends::Error(..)) => wrong,
                    Some(_) => done,
                };
                next.push((event, after, end));
            }
            next
        };
        match inside {
            0 if routine == "routine" => next.push((TAU, machine.clone(), 1)),
            0 if !routine.is_empty() => next = take(event_named(routine), &[0, 1, 2, 3]),
            0 => next = take(TAU, &[0, 1, 2, 3]),
            1 => {
                next.push((event_named("ping"), machine.clone(), 2));
                next.push((event_named("pong"), machine.clone(), 3));
            }
            2 => next = take(TAU, &[0]),
            3 => next = take(TAU, &[1, 2]),
            _ => {}
        }
        for (event, machine, inside) in next {
            let count = states.len() as u32;
            let to = *known.entry(key(&machine, inside)).or_insert_with(|| {
                states.push(StateParts::default());
                todo.push((machine.clone(), inside));
                count
            });
            states[at].moves.push(Move { event, to });
        }
        let (machine, inside) = &todo[at];
        states[at].ending = match *inside {
            90 => Ending::Done,
            91 => Ending::Error,
            _ => Ending::None,
        };
        let value = |name: &str| {
            let number = component.variables.iter().position(|v| v.name == name && v.procedure.is_none());
            machine.bits(VariableId(number.expect(name) as u32))
        };
        for (id, _) in &procedure.propositions {
            let (x, y) = (value("x"), value("y"));
            let holds = match specification.propositions[id.index()].name.as_str() {
                "p.x <= 2" => x <= 2,
                "p.y == 0" => y == 0,
                "p.x == 1" => x == 1,
                "p.x == p.y" => x == y,
                "p.x == 3" => x == 3,
                "p.x == 2" => x == 2,
                other => panic!("{other}"),
            };
            if holds {
                states[at].labels.push(*id);
            }
        }
        at += 1;
        if states.len() > MOST_STATES {
            return None;
        }
    }
    Some(Structure::new(procedure.alphabet.iter().copied(), vec![0], states))
}

fn side_by_side(specification: &Specification, parts: &[Part], text: &str, spin: bool) -> Option<Composition> {
    let components = parts.iter().map(|part| match part {
        Part::Process(process) => Some((**process).clone()),
        Part::Procedure(procedure) => Some(Component {
            name: procedure.name.clone(),
            structure: explored(procedure, specification, text, spin)?,
            state_names: Vec::new(),
            state_spans: Vec::new(),
            span: procedure.span,
        }),
    });
    Some(Composition {
        name: String::new(),
        components: components.collect::<Option<_>>()?,
        events: specification.events.clone(),
        propositions: specification.propositions.clone(),
        formulas: Vec::new(),
    })
}

/// Whether a state of this kind can be reached.
fn reaches(composition: &Composition, bad: &dyn Fn(&mut Stepper<'_>, &[u32]) -> bool) -> bool {
    let mut stepper = Stepper::new(composition);
    let mut todo = composition.initial_states();
    let mut seen: HashSet<Vec<u32>> = todo.iter().cloned().collect();
    while let Some(state) = todo.pop() {
        if bad(&mut stepper, &state) {
            return true;
        }
        let mut next = Vec::new();
        stepper.steps(&state, &mut |_, to| next.push(to.to_vec()));
        todo.extend(next.into_iter().filter(|to| seen.insert(to.clone())));
    }
    false
}

fn keeps(composition: &Composition, formula: &model::formula::Ltl<model::composition::Atom>) -> bool {
    let question = compose::Question::Formula(formula);
    let answer = compose::check(
        composition,
        question,
        compose::Method::Plain,
        &model::verdict::Limits::default(),
        &model::verdict::Silent::default(),
        None,
    );
    match answer.verdict {
        compose::Verdict::Holds(_) => true,
        compose::Verdict::Fails(_) => false,
        compose::Verdict::Inconclusive(reason) => panic!("{reason:?}"),
    }
}

#[derive(Default, Debug)]
struct Count {
    holds: u32,
    fails: u32,
    open: u32,
}

#[test]
fn answers_agree_with_the_interpreter() {
    let seeds: u64 = std::env::var("HIGHWATER_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let first: u64 = std::env::var("HIGHWATER_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut count = Count::default();
    for seed in first..first + seeds {
        one(seed, &mut count);
    }
    if std::env::var_os("HIGHWATER_TELL").is_some() {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("{count:?}");
        }
    }
    assert!(count.open * 5 <= count.holds + count.fails + 5, "{count:?}");
}

fn one(seed: u64, count: &mut Count) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    (0..5).for_each(|_| _ = random.below(2));
    let two = random.chance(40);
    let text = program(&mut random, two);
    let mut spec = String::from("file \"p.c\";\n");
    spec += "R = (ping -> return {$0 == 0} -> STOP | pong -> return {$0 == 1 || $0 == 2} -> STOP).\n";
    spec += &process(&mut random);
    let calls = text.matches("routine(").count() > 1;
    spec += if calls { "cproc routine { abstract { A, (1), R }; }\n" } else { "" };
    spec += if two { "program = (p || q || S)\n" } else { "program = (p || S)\n" };
    spec += "conforms p to S;\n";
    let head = spec.clone();
    let body = &text[HEAD.len()..];
    let has = |event: &str| body.matches(&format!("{event}()")).count() > 0 || head.contains(&format!("{event} ->"));
    for (number, formula) in FORMULAS.iter().enumerate() {
        let events = [("a", "a"), ("b", "b"), ("d", "d")];
        let speaks = |event: &str| formula.split(|c: char| !c.is_alphanumeric()).any(|word| word == event);
        if events.iter().all(|(event, _)| !speaks(event) || has(event)) {
            spec += &format!("ltl F{number} {{ {formula} }}\n");
        }
    }
    let whole = format!("seed {seed}\n{text}\n{spec}");
    let specification = specification_or(&spec, &text, &whole);
    let Some(concrete) = side_by_side(&specification, &specification.parts, &text, false) else { return };
    let product = concrete.components.iter().map(|component| component.structure.states()).product::<usize>();
    if product > MOST_STATES * 100 {
        return;
    }
    let compare = |question: Question, expected: bool, count: &mut Count| {
        let answer = ask(&specification, question, 20);
        match &answer.verdict {
            Outcome::Holds(holds) => {
                count.holds += 1;
                assert!(expected, "{question:?} holds, but not in the interpreter: {whole}");
                let checked = checked(&specification, holds);
                assert!(checked.is_ok(), "{question:?}: {checked:?}: {whole}");
            }
            Outcome::Fails(_) => {
                count.fails += 1;
                assert!(!expected, "{question:?} fails, but not in the interpreter: {whole}");
            }
            Outcome::Inconclusive(reason) => {
                count.open += 1;
                let text = format!("{reason:?}");
                assert!(!text.contains("report"), "{question:?}: {text}: {whole}");
                if std::env::var_os("HIGHWATER_TELL").is_some() {
                    #[allow(clippy::print_stderr)]
                    {
                        eprintln!("seed {seed} {question:?}: {text} {:?}", answer.statistics);
                    }
                }
            }
        }
    };
    let Some(spinning) = side_by_side(&specification, &specification.parts, &text, true) else { return };
    compare(Question::Deadlock, !reaches(&spinning, &|stepper, state| stepper.is_stuck(state)), count);
    compare(Question::Safety, !reaches(&concrete, &|_, state| concrete.is_wrong(state)), count);
    for (number, requirement) in specification.formulas.iter().enumerate() {
        compare(Question::Formula(number), keeps(&concrete, &requirement.formula), count);
    }
    let conformance = &specification.conformances[0];
    let parts = [Part::Procedure(conformance.procedure.clone()), Part::Process(Box::new(conformance.watcher.clone()))];
    let Some(watched) = side_by_side(&specification, &parts, &text, false) else { return };
    compare(
        Question::Conformance(0),
        !reaches(&watched, &|_, state| watched.components[1].structure.ending(state[1]) == Ending::Error),
        count,
    );
}

fn specification_or(spec: &str, text: &str, whole: &str) -> Specification {
    let read = read_with("test.spec", spec, &[("p.c", text)]);
    if read.specification.is_none() {
        let said: Vec<String> = read.diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect();
        panic!("{}\n{whole}", said.join("\n"));
    }
    specification(read)
}
