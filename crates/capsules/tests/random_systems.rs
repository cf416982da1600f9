//! Random systems of capsules: what the lowered network can reach is what the rules of execution say.
//!
//! Capsules are flat state machines that send to each other, with data and priorities, with parts that are created at
//! run time, and with guards that are not modelled. The naive interpreter lets every capsule be interrupted before
//! every single action; the network may keep some of them together. Compared are all configurations where every capsule
//! rests, and all unexpected messages.
//!
//! `HIGHWATER_SEEDS=N` takes more systems.

use capsules::{Dialect, Text, Threads, read};
use model::network::{Action, Network};
use model::random::Random;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::trace::Narrator;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;

/// A message to another capsule: the receiver, one of two events, and what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Send {
    to: usize,
    event: usize,
    value: Value,
    /// One of [`PRIORITIES`].
    priority: usize,
}

/// The highest first.
const PRIORITIES: [&str; 3] = ["High", "General", "Background"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Number(i32),
    Own,
}

#[derive(Clone, Copy, Debug)]
enum Guard {
    True,
    Is(i32),
    DataIs(i32),
    Unknown,
}

#[derive(Clone, Debug)]
struct Transition {
    from: usize,
    to: usize,
    sender: usize,
    event: usize,
    guard: Guard,
    /// `d = *rtdata`
    stores: bool,
    sends: Vec<Send>,
}

#[derive(Clone, Debug)]
struct Capsule {
    optional: bool,
    states: usize,
    first: Vec<Send>,
    transitions: Vec<Transition>,
}

/// As many messages as a capsule sends at most.
const MOST: i32 = 2;

fn sends(random: &mut Random, own: usize, count: usize, priorities: bool) -> Vec<Send> {
    let mut found = Vec::new();
    for _ in 0..random.below(3u32) {
        let to = (own + 1 + random.below(count - 1)) % count;
        let value = if random.chance(40) { Value::Own } else { Value::Number(random.below(2)) };
        let priority = if priorities { random.below(PRIORITIES.len()) } else { 1 };
        found.push(Send { to, event: random.below(2), value, priority });
    }
    found
}

fn generate(random: &mut Random) -> Vec<Capsule> {
    let count = 2 + random.below(2usize);
    let priorities = random.chance(40);
    let capsule = |own: usize, random: &mut Random| {
        let states = 1 + random.below(3usize);
        let transitions = (0..2 + random.below(4u32)).map(|_| {
            let event = random.below(2);
            let guard = match random.below(8u32) {
                0 => Guard::Is(random.below(2)),
                1 if event == 0 => Guard::DataIs(random.below(2)),
                2 => Guard::Unknown,
                _ => Guard::True,
            };
            Transition {
                from: random.below(states),
                to: random.below(states),
                sender: (own + 1 + random.below(count - 1)) % count,
                event,
                guard,
                stores: event == 0 && random.chance(60),
                sends: sends(random, own, count, priorities),
            }
        });
        let transitions = transitions.collect();
        Capsule { optional: random.chance(30), states, first: sends(random, own, count, priorities), transitions }
    };
    (0..count).map(|own| capsule(own, random)).collect()
}

/// The event with data, and the one without, in the direction from one capsule to another.
fn event(from: usize, to: usize, event: usize) -> &'static str {
    [["u", "v"], ["x", "y"]][usize::from(from > to)][event]
}

fn text(system: &[Capsule]) -> String {
    let mut text = String::from("protocol P { out u(`int`); out v(); in x(`int`); in y(); };\n");
    let code = |own: usize, sends: &[Send]| {
        let one = |send: &Send| {
            let data = match (send.event, send.value) {
                (1, _) => String::new(),
                (_, Value::Own) => String::from("d"),
                (_, Value::Number(number)) => number.to_string(),
            };
            let name = event(own, send.to, send.event);
            let priority = if send.priority == 1 { "" } else { PRIORITIES[send.priority] };
            format!("if (n < {MOST}) {{ n++; p{}.{name}({data}).send({priority}); }} ", send.to)
        };
        sends.iter().map(one).collect::<String>()
    };
    for (own, capsule) in system.iter().enumerate() {
        let _ = writeln!(text, "capsule C{own} {{ [[rt::decl]] `int d = 0; int n = 0;`");
        for other in (0..system.len()).filter(|other| *other != own) {
            let _ = writeln!(text, "service behavior port p{other}{} : P;", if own > other { "~" } else { "" });
        }
        let _ = writeln!(text, "statemachine {{ initial -> S0 `{}`;", code(own, &capsule.first));
        text += &(0..capsule.states).map(|state| format!("state S{state};\n")).collect::<String>();
        for t in &capsule.transitions {
            let _ = write!(text, "S{} -> S{} on p{}.{} ", t.from, t.to, t.sender, event(t.sender, own, t.event));
            match t.guard {
                Guard::True => {}
                Guard::Is(k) => drop(write!(text, "when `d == {k}` ")),
                Guard::DataIs(k) => drop(write!(text, "when `*rtdata == {k}` ")),
                Guard::Unknown => drop(write!(text, "when `isReady()` ")),
            }
            let _ = writeln!(text, "`{}{}`;", if t.stores { "d = *rtdata; " } else { "" }, code(own, &t.sends));
        }
        text += "}; };\n";
    }
    text += "capsule Top { behavior port frame : Frame;\n";
    for (own, capsule) in system.iter().enumerate() {
        let (kind, number) = if capsule.optional { ("optional", "[0..1]") } else { ("fixed", "") };
        let _ = writeln!(text, "{kind} part c{own} : C{own}{number};");
    }
    for own in 0..system.len() {
        let connect = |other: usize| format!("connect c{own}.p{other} with c{other}.p{own};\n");
        text += &(own + 1..system.len()).map(connect).collect::<String>();
    }
    text += "statemachine { state S; initial -> S `";
    for own in (0..system.len()).filter(|own| system[*own].optional) {
        let _ = write!(text, "frame.incarnate(c{own}, EmptyActorClass); ");
    }
    text + "`; }; };\n"
}

type Message = (usize, usize, i32);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Process {
    exists: bool,
    started: bool,
    state: usize,
    d: i32,
    n: i32,
    /// Per priority.
    queues: [VecDeque<Message>; PRIORITIES.len()],
    left: VecDeque<Send>,
}

/// The capsules, and how many of the optional ones the top capsule has looked at.
type Config = (Vec<Process>, usize);
/// Per capsule: its state, `d`, `n` and its queues; `None` before it is created.
type Rest = Vec<Option<(usize, i32, i32, [Vec<Message>; PRIORITIES.len()])>>;
/// The capsule, the sender and the event.
type Unexpected = (usize, usize, usize);

/// All configurations where every capsule rests, and all unexpected messages; `None` if there are too many.
fn interpreted(system: &[Capsule]) -> Option<(BTreeSet<Rest>, BTreeSet<Unexpected>)> {
    let process = |capsule: &Capsule| Process {
        exists: !capsule.optional,
        started: false,
        state: 0,
        d: 0,
        n: 0,
        queues: Default::default(),
        left: VecDeque::new(),
    };
    let first: Config = (system.iter().map(process).collect(), 0);
    let (mut seen, mut rests, mut unexpected) = (BTreeSet::from([first.clone()]), BTreeSet::new(), BTreeSet::new());
    let mut work = vec![first];
    while let Some((all, top)) = work.pop() {
        let mut next: Vec<Config> = Vec::new();
        if top < system.len() {
            let mut all = all.clone();
            all[top].exists = true;
            next.push((all, top + 1));
        }
        for own in 0..all.len() {
            let mut moved = all.clone();
            let this = &mut moved[own];
            if !this.exists {
                continue;
            }
            if !this.started {
                this.started = true;
                this.left = system[own].first.iter().copied().collect();
                next.push((moved, top));
            } else if let Some(send) = this.left.pop_front() {
                if this.n < MOST {
                    this.n += 1;
                    let value = match (send.event, send.value) {
                        (1, _) => 0,
                        (_, Value::Own) => this.d,
                        (_, Value::Number(number)) => number,
                    };
                    if moved[send.to].exists {
                        moved[send.to].queues[send.priority].push_back((own, send.event, value));
                    }
                }
                next.push((moved, top));
            } else if let Some((sender, event, value)) = this.queues.iter_mut().find_map(VecDeque::pop_front) {
                let mut may_be_lost = true;
                let (state, d) = (this.state, this.d);
                let here = |t: &&Transition| t.from == state && t.sender == sender && t.event == event;
                let candidates: Vec<Transition> = system[own].transitions.iter().filter(here).cloned().collect();
                for t in candidates {
                    let holds = match t.guard {
                        Guard::True => true,
                        Guard::Is(k) => d == k,
                        Guard::DataIs(k) => value == k,
                        Guard::Unknown => true,
                    };
                    if !holds {
                        continue;
                    }
                    may_be_lost &= matches!(t.guard, Guard::Unknown);
                    let mut taken = moved.clone();
                    taken[own].state = t.to;
                    taken[own].left = t.sends.iter().copied().collect();
                    if t.stores {
                        taken[own].d = value;
                    }
                    next.push((taken, top));
                }
                if may_be_lost {
                    unexpected.insert((own, sender, event));
                    next.push((moved, top));
                }
            }
        }
        let resting = |p: &Process| !p.exists || (p.started && p.left.is_empty());
        if top == system.len() && all.iter().all(resting) {
            let queues = |p: &Process| p.queues.each_ref().map(|queue| queue.iter().copied().collect());
            let one = |p: &Process| p.exists.then(|| (p.state, p.d, p.n, queues(p)));
            rests.insert(all.iter().map(one).collect());
        }
        for config in next {
            if seen.insert(config.clone()) {
                work.push(config);
            }
        }
        if seen.len() > 20_000 {
            return None;
        }
    }
    Some((rests, unexpected))
}

/// `p1.u` at a capsule: the sender and the event.
fn read_event(name: &str) -> (usize, usize) {
    let (port, event) = name.strip_prefix('p').unwrap().split_once('.').unwrap();
    (port.parse().unwrap(), usize::from(matches!(event, "v" | "y")))
}

/// The same of the lowered network.
fn explored(system: &[Capsule], network: &Network, sources: &SourceMap) -> (BTreeSet<Rest>, BTreeSet<Unexpected>) {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut narrator = Narrator::new(&semantics, sources);
    let mut stepper = semantics.stepper();
    let first = (stepper.initial().unwrap().unwrap(), None);
    let (mut rests, mut unexpected) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = BTreeSet::from([first.clone()]);
    let mut left = vec![first];
    while let Some((state, control)) = left.pop() {
        stepper.load(&state);
        let places: Vec<_> = (0..stepper.loaded_processes()).map(|p| stepper.loaded_place(p)).collect();
        let label = |process: usize| {
            let (machine, location) = places[process];
            network.machine(machine).locations[location.index()].labels.first().map(String::as_str)
        };
        if control.is_none() {
            for own in 0..system.len() {
                let (machine, location) = places[own + 1];
                if label(own + 1) == Some("unexpected message") {
                    let edge = network.machine(machine).edges_from(location).next().unwrap();
                    let Action::Print { format, .. } = &edge.action else { panic!("{edge:?}") };
                    let name = format.strip_prefix("unexpected message ").unwrap().trim_end_matches("\\n");
                    let (sender, event) = read_event(name);
                    unexpected.insert((own, sender, event));
                }
            }
            let is_rest = |process: usize| label(process).is_some_and(|l| !l.contains(' ') || l == "not created");
            if (0..=system.len()).all(is_rest) {
                let snapshot = narrator.snapshot(&state);
                let value = |own: usize, name: &str| {
                    let name = format!("c{own}.{name}");
                    snapshot.variables.iter().find(|v| v.name == name).unwrap().value.parse::<i32>().unwrap()
                };
                let one = |own: usize| {
                    let state = label(own + 1).unwrap().strip_prefix('S')?.parse().unwrap();
                    let message = |text: &String| {
                        let (name, data) = text.split_once([',', '(']).unwrap_or((text, "0"));
                        let (sender, event) = read_event(name.trim());
                        (sender, event, data.trim().trim_end_matches(')').parse().unwrap())
                    };
                    let queues = PRIORITIES.map(|priority| {
                        let name =
                            if priority == "General" { format!("c{own}") } else { format!("c{own} ({priority})") };
                        let channel = snapshot.channels.iter().find(|c| c.channel == name);
                        channel.map(|channel| channel.messages.iter().map(message).collect()).unwrap_or_default()
                    });
                    Some((state, value(own, "d"), value(own, "n"), queues))
                };
                rests.insert((0..system.len()).map(one).collect());
            }
        }
        stepper
            .expand(&state, control, &mut |successor| {
                let next = (successor.state.expect("no fault").to_vec(), successor.control);
                if seen.insert(next.clone()) {
                    left.push(next);
                }
            })
            .unwrap();
        assert!(seen.len() < 500_000, "the network has far more states than the system");
    }
    (rests, unexpected)
}

#[test]
fn random_systems_reach_what_the_rules_say() {
    let (mut compared, mut lost, mut largest, mut urgent) = (0, 0, 0, 0);
    let seeds = testing::seeds(300);
    for seed in testing::first(0)..testing::first(0) + seeds {
        let system = generate(&mut Random::new(seed));
        let text = text(&system);
        let read = read(Dialect::Art, &Text { name: "m.art".into(), text: text.clone() }, &[], None, &Threads::Any);
        let Some(network) = &read.network else { panic!("seed {seed}: {:?}\n{text}", read.diagnostics) };
        let Some(expected) = interpreted(&system) else { continue };
        let found = explored(&system, network, &read.sources);
        let shows = |rest: &Rest| rest.iter().zip(&system).all(|(one, c)| one.is_some() || c.optional);
        assert!(found.0.iter().all(shows), "seed {seed}");
        // What messages carry is kept only where some code reads it.
        let kept = text.contains("rtdata");
        let whole = |rests: &BTreeSet<Rest>| -> BTreeSet<Rest> {
            let mut rests: Vec<Rest> = rests.iter().filter(|r| r.iter().all(Option::is_some)).cloned().collect();
            let messages = rests.iter_mut().flatten().flatten().flat_map(|(.., queues)| queues).flatten();
            messages.filter(|_| !kept).for_each(|message| message.2 = 0);
            rests.into_iter().collect()
        };
        assert_eq!(whole(&found.0), whole(&expected.0), "seed {seed}\n{text}");
        assert_eq!(found.1, expected.1, "seed {seed}\n{text}");
        assert_eq!(network.havoc.is_empty(), !text.contains("isReady"), "seed {seed}");
        largest = largest.max(expected.0.len());
        lost += usize::from(!expected.1.is_empty());
        urgent += usize::from(text.contains("send(High)"));
        compared += 1;
    }
    assert!(compared * 4 > seeds * 3, "{compared} of {seeds} compared");
    assert!(largest > 20 && lost > 0 && urgent > 0, "only small systems");
}
