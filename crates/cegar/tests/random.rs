//! Random programs against explicit exploration of what the interpreter does.
//!
//! Small components with globals of two bits, arrays, pointers, loops, branches on inputs, assertions and events, up to three
//! of them beside a small process.
//! The twin runs the interpreter from every state on every input that matters, makes a structure of what it sees, and asks
//! the same questions of that. No two answers contradict each other, and every proof is accepted.

use crate::generate;

use crate::common::{ask, checked, read_with, specification};
use cegar::{Outcome, Part, Procedure, Question, Specification};
use cfront::interpret::{Machine, Outcome as Ends, Run};
use cfront::program::{Instruction, VariableId};
use generate::{FORMULAS, HEAD, Kind, Random, Sketch, allowed, head_of, holds, process, program};
use model::composition::{Component, Composition, Stepper};
use model::ids::EventId;
use model::structure::{Ending, Move, StateParts, Structure, TAU};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Programs with more states than this are passed over.
const MOST_STATES: usize = 3_000;

/// What the interpreter does from every state, as a structure. Whoever fails an assumption moves on the spot, if that is
/// wished: nothing is stuck beside it.
/// What it returns is an event, if that is wished.
fn explored(procedure: &Procedure, specification: &Specification, text: &str, how: How) -> Option<Structure> {
    let component = &procedure.component;
    let head = head_of(&component.name, how.kind);
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
    // Inside: 0 at a location, 1 in the routine, 2 after `ping`, 3 after `pong`, 4 after the event of another; then the ends.
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
        let own = how.returns.prefix(&procedure.name, "");
        let routine_returns = |value: i128| {
            let prefix = how.returns.prefix(&procedure.name, &format!("{routine}."));
            returned(specification, &prefix, Some(value))
        };
        let take = |event: EventId, inputs: &[u64]| {
            let mut next = Vec::new();
            for &input in inputs {
                let (mut after, mut run) = (machine.clone(), fresh());
                let mut event = if inside == 0 { event } else { routine_returns(i128::from(input)).unwrap_or(TAU) };
                let end = match after.step(&mut |_| input, &mut run) {
                    None => 0,
                    // An assumption does not hold: nothing happens.
                    Some(Ends::Blocked) if !how.spin => continue,
                    Some(Ends::Blocked) => 0,
                    Some(Ends::Error(..)) => wrong,
                    Some(Ends::Returned(value)) => {
                        event = match (how.returns, value) {
                            (Watched::Values, Some(value)) => EventId::from(RETURNED + value as usize),
                            _ => returned(specification, &own, value).unwrap_or(TAU),
                        };
                        done
                    }
                    Some(_) => done,
                };
                next.push((event, after, end));
            }
            next
        };
        match inside {
            0 if routine == "routine" => next.push((TAU, machine.clone(), 1)),
            0 if !routine.is_empty() && routine_returns(0).is_some() => {
                next.push((event_named(routine), machine.clone(), 4));
            }
            0 if !routine.is_empty() => next = take(event_named(routine), &[0, 1, 2, 3]),
            0 => next = take(TAU, &[0, 1, 2, 3]),
            1 => {
                next.push((event_named("ping"), machine.clone(), 2));
                next.push((event_named("pong"), machine.clone(), 3));
            }
            2 => next = take(TAU, &[0]),
            3 => next = take(TAU, &[1, 2]),
            4 => next = take(TAU, &[0, 1, 2, 3, 4, 5, 6, 7]),
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
            if holds(&specification.propositions[id.index()].name, &value) {
                states[at].labels.push(*id);
            }
        }
        at += 1;
        if states.len() > how.most {
            return None;
        }
    }
    let mut alphabet = procedure.alphabet.clone();
    let prefixes = ["", "routine.", "get.", "a."].map(|routine| how.returns.prefix(&procedure.name, routine));
    let watched = |name: &str| prefixes.iter().any(|prefix| is_return(name, prefix));
    let returns = specification.events.iter().enumerate().filter(|(_, event)| watched(&event.name));
    alphabet.extend(returns.map(|(number, _)| EventId::from(number)));
    Some(Structure::new(alphabet, vec![0], states))
}

/// How a procedure is explored.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub(crate) kind: Kind,
    pub(crate) spin: bool,
    pub(crate) returns: Watched,
    /// A procedure with more states than this is passed over.
    pub(crate) most: usize,
}

/// Whose returns are events.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Watched {
    Nobody,
    /// Those of procedures, each value by itself.
    Values,
    /// Those of which the formula speaks.
    Formula,
}

impl Watched {
    /// How the events of a return are named.
    fn prefix(self, part: &str, routine: &str) -> String {
        match self {
            Watched::Formula => format!("{part}.{routine}return"),
            _ => String::from("nobody"),
        }
    }
}

fn is_return(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(" {"))
}

/// The event of a return, if it is one: its name lists the conditions that the value satisfies.
fn returned(specification: &Specification, prefix: &str, value: Option<i128>) -> Option<EventId> {
    let conditions = |name: &str| {
        let rest = name.strip_prefix(prefix).unwrap_or("").trim().trim_start_matches('{').trim_end_matches('}');
        let all = rest.split("&&").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        all.collect::<HashSet<_>>()
    };
    let holds = |condition: &String| true_of(condition, value.expect("a value"));
    let named: Vec<(usize, HashSet<String>)> = specification
        .events
        .iter()
        .enumerate()
        .filter(|(_, event)| is_return(&event.name, prefix))
        .map(|(number, event)| (number, conditions(&event.name)))
        .collect();
    let all: HashSet<String> = named.iter().flat_map(|(_, conditions)| conditions.clone()).collect();
    let wanted: HashSet<String> = all.into_iter().filter(holds).collect();
    named.iter().find(|(_, conditions)| *conditions == wanted).map(|&(number, _)| EventId::from(number))
}

pub(crate) fn side_by_side(specification: &Specification, parts: &[Part], text: &str, how: How) -> Option<Composition> {
    let components = parts.iter().map(|part| match part {
        Part::Process(process) => Some((**process).clone()),
        Part::Procedure(procedure) => Some(Component {
            name: procedure.name.clone(),
            structure: explored(procedure, specification, text, how)?,
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
        progress: Vec::new(),
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

pub(crate) fn keeps(composition: &Composition, formula: &model::formula::Ltl<model::composition::Atom>) -> bool {
    let question = compose::Question::Formula(formula);
    let answer = compose::check(composition, question, compose::Method::Plain, &model::context::Context::unlimited());
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
    /// For each question.
    seconds: u64,
}

#[test]
fn answers_agree_with_the_interpreter() {
    let seeds: u64 = testing::seeds(60);
    let first: u64 = testing::first(1);
    // A long run is about wrong answers, a short one about missing ones as well.
    let long = testing::long().is_some();
    let mut count = Count { seconds: if long { 1 } else { 20 }, ..Count::default() };
    for seed in first..first + seeds {
        one(seed, &mut count);
    }
    if std::env::var_os("HIGHWATER_TELL").is_some() {
        #[allow(clippy::print_stderr)]
        {
            eprintln!("{count:?}");
        }
    }
    assert!(long || count.open * 5 <= count.holds + count.fails + 5, "{count:?}");
}

fn one(seed: u64, count: &mut Count) {
    let mut random = Random::new(seed);
    let kind = Kind {
        procedures: [1, 1, 1, 2, 2, 3][random.below(6) as usize % 6],
        rich: random.chance(60),
        returns: random.chance(30),
    };
    let text = program(&mut random, kind);
    let mut spec = String::from("file \"p.c\";\n");
    spec += "R = (ping -> return {$0 == 0} -> STOP | pong -> return {$0 == 1 || $0 == 2} -> STOP).\n";
    let beside = process(&mut random, false);
    let allows = if random.chance(50) { process(&mut random, true) } else { allowed(&mut random) };
    spec += &beside.text("S");
    spec += &if kind.returns { allows.text("K") } else { String::new() };
    let calls = text.matches("routine(").count() > 1;
    spec += if calls { "cproc routine { abstract { A, (1), R }; }\n" } else { "" };
    spec += &format!("program = ({} || S)\n", generate::NAMES[..kind.procedures].join(" || "));
    spec += if kind.returns { "conforms p to K;\n" } else { "conforms p to S;\n" };
    let head = spec.clone();
    let body = &text[HEAD.len()..];
    let has = |event: &str| body.matches(&format!("{event}()")).count() > 0 || head.contains(&format!("{event} ->"));
    for (number, formula) in FORMULAS.iter().enumerate().filter(|(_, formula)| kind.rich || !formula.contains('t')) {
        let speaks = |event: &str| formula.split(|c: char| !c.is_alphanumeric()).any(|word| word == event);
        if ["a", "b", "d"].iter().all(|event| !speaks(event) || has(event)) {
            spec += &format!("ltl F{number} {{ {formula} }}\n");
        }
    }
    if let Some(formula) = about_returns(&mut random, kind, body) {
        spec += &format!("ltl Returns {{ {formula} }}\n");
    }
    let whole = format!("seed {seed}\n{text}\n{spec}");
    let specification = specification_or(&spec, &text, &whole);
    let how = How { kind, spin: false, returns: Watched::Nobody, most: MOST_STATES };
    let Some(concrete) = side_by_side(&specification, &specification.parts, &text, how) else { return };
    let product = concrete.components.iter().map(|component| component.structure.states()).product::<usize>();
    if product > MOST_STATES * 100 {
        return;
    }
    let compare = |question: Question, expected: bool, count: &mut Count| {
        let answer = ask(&specification, question, count.seconds);
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
    let Some(spinning) = side_by_side(&specification, &specification.parts, &text, How { spin: true, ..how }) else {
        return;
    };
    compare(Question::Deadlock, !reaches(&spinning, &|stepper, state| stepper.is_stuck(state)), count);
    compare(Question::Safety, !reaches(&concrete, &|_, state| concrete.is_wrong(state)), count);
    let watching = How { returns: Watched::Formula, ..how };
    let Some(watched) = side_by_side(&specification, &specification.parts, &text, watching) else { return };
    for (number, requirement) in specification.formulas.iter().enumerate() {
        let seen = if requirement.name == "Returns" { &watched } else { &concrete };
        compare(Question::Formula(number), keeps(seen, &requirement.formula), count);
    }
    let procedure = &specification.conformances[0].procedure;
    let how = How { returns: Watched::Values, ..how };
    let Some(structure) = explored(procedure, &specification, &text, how) else { return };
    let name = |event: EventId| specification.events[event.index()].name.as_str();
    let allows = if kind.returns { &allows } else { &beside };
    compare(Question::Conformance(0), conforms(&structure, &name, allows), count);
}

/// Whether every trace of a structure is one of the process: by the sets of states that the process may be in.
fn conforms<'n>(structure: &Structure, name: &dyn Fn(EventId) -> &'n str, allows: &Sketch) -> bool {
    let first = (0_u32, BTreeSet::from([0_usize]));
    let mut seen = HashSet::from([first.clone()]);
    let mut todo = vec![first];
    while let Some((state, set)) = todo.pop() {
        for step in structure.moves(state) {
            let after: BTreeSet<usize> = match step.event {
                TAU => set.clone(),
                event if event.index() >= RETURNED && !allows.speaks_of_returns() => set.clone(),
                event => {
                    let takes = |label: &str| match event.index().checked_sub(RETURNED) {
                        Some(value) => label.strip_prefix("return").is_some_and(|text| true_of(text, value as i128)),
                        None => label == name(event),
                    };
                    let leaving = set.iter().filter_map(|&at| allows.states.get(at)).flatten();
                    leaving.filter(|(label, _)| takes(label)).map(|&(_, to)| to).collect()
                }
            };
            if after.is_empty() {
                return false;
            }
            if seen.insert((step.to, after.clone())) {
                todo.push((step.to, after));
            }
        }
    }
    true
}

/// Whether a condition like `{$0 < 2}` holds of a value.
fn true_of(condition: &str, value: i128) -> bool {
    let words: Vec<&str> = condition.trim().trim_matches(['{', '}']).split_whitespace().collect();
    let number = words[2].parse::<i128>().expect("a number");
    match words[1] {
        "==" => value == number,
        "<" => value < number,
        "!=" => value != number,
        other => panic!("{other}"),
    }
}

/// The event of a return with a value has this number and the value.
const RETURNED: usize = 1_000_000;

/// A formula about returns of the procedures and of the routines that the first of them calls.
fn about_returns(random: &mut Random, kind: Kind, body: &str) -> Option<String> {
    let first = body.split("q(void)").next().unwrap_or_default();
    let calls = |routine: &str| first.contains(&format!("{routine}("));
    let mut atoms = vec![String::from("p.return")];
    for part in generate::NAMES.iter().take(kind.procedures).filter(|_| kind.returns) {
        atoms.extend([format!("{part}.return {{$0 == 1}}"), format!("{{{part}.return {{$0 < 2}}}}")]);
    }
    for routine in ["routine", "get"].into_iter().filter(|routine| calls(routine)) {
        atoms.extend([format!("p.{routine}.return {{$0 == 1}}"), format!("p.{routine}.return {{$0 < 2}}")]);
        atoms.push(format!("p.{routine}.return"));
    }
    atoms.extend(calls("a").then(|| String::from("p.a.return")));
    let mut atom = || atoms[random.below(atoms.len() as u64) as usize % atoms.len()].clone();
    let (one, two) = (atom(), atom());
    let shapes = [
        format!("[] !{one}"),
        format!("[] ({one} -> <> {two})"),
        format!("(<> {one}) -> <> {two}"),
        format!("(!{one}) U {two}"),
        format!("[] ({one} -> {two})"),
        format!("[] <> {one}"),
    ];
    let chosen = random.below(2 * shapes.len() as u64) as usize;
    shapes.get(chosen).cloned()
}

fn specification_or(spec: &str, text: &str, whole: &str) -> Specification {
    let read = read_with("test.spec", spec, &[("p.c", text)]);
    if read.specification.is_none() {
        let said: Vec<String> = read.diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect();
        panic!("{}\n{whole}", said.join("\n"));
    }
    specification(read)
}
