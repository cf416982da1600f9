//! Random hierarchical state machines: what the lowered network can reach is what the rules of execution say.
//!
//! A machine is generated as a structure. It is written as Art and lowered, and it is interpreted by a naive interpreter that is
//! written straight from the rules and shares nothing with the lowering. Compared are all configurations in which the capsule
//! waits: its innermost active state, its variables, its queue; and whether it can get stuck. One variable mixes in the
//! number of every piece of code that runs, so that it tells the order of exits, effects and entries.
//!
//! `HIGHWATER_SEEDS=N` takes more machines.

use capsules::{Dialect, Text, Threads, read};
use model::network::Network;
use model::random::Random;
use model::semantics::{Reading, Semantics};
use model::source::SourceMap;
use model::trace::Narrator;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Choice,
    Junction,
    Entry,
    Exit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Vertex {
    Initial,
    History,
    State(usize),
    Node(usize),
    /// Of an internal transition.
    Nowhere,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Guard {
    True,
    Is(i32),
    IsNot(i32),
    Else,
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Mix(i32),
    Next,
    Send(usize),
}

#[derive(Clone, Debug)]
struct Transition {
    owner: Option<usize>,
    from: Vertex,
    to: Vertex,
    /// `None` is any event.
    events: Vec<Option<usize>>,
    guard: Guard,
    effect: Vec<Act>,
}

#[derive(Default, Debug)]
struct Machine {
    parents: Vec<Option<usize>>,
    entry: Vec<Vec<Act>>,
    exit: Vec<Vec<Act>>,
    nodes: Vec<(Kind, Option<usize>)>,
    transitions: Vec<Transition>,
}

const EVENTS: usize = 3;
/// As many transitions as one message may take before it counts as endless.
const FUEL: usize = 300;

fn acts(random: &mut Random, number: &mut i32) -> Vec<Act> {
    let mut found = Vec::new();
    if random.chance(80) {
        *number += 1;
        found.push(Act::Mix(*number));
    }
    if random.chance(30) {
        found.push(Act::Next);
    }
    if random.chance(15) {
        found.push(Act::Send(random.below(EVENTS)));
    }
    found
}

fn generate(random: &mut Random) -> Machine {
    let mut machine = Machine::default();
    let mut number = 0;
    for state in 0..2 + random.below(5usize) {
        let parent = (state > 0 && random.chance(65)).then(|| random.below(state));
        machine.parents.push(parent);
        machine.entry.push(acts(random, &mut number));
        machine.exit.push(acts(random, &mut number));
    }
    let states = machine.parents.len();
    for state in 0..states {
        if machine.parents.contains(&Some(state)) {
            (0..random.below(3u32)).for_each(|_| machine.nodes.push((Kind::Entry, Some(state))));
            (0..random.below(3u32)).for_each(|_| machine.nodes.push((Kind::Exit, Some(state))));
        }
    }
    let regions: Vec<Option<usize>> =
        [None].into_iter().chain((0..states).filter(|&s| machine.parents.contains(&Some(s))).map(Some)).collect();
    for &region in &regions {
        (0..random.below(2u32)).for_each(|_| machine.nodes.push((Kind::Choice, region)));
        (0..random.below(2u32)).for_each(|_| machine.nodes.push((Kind::Junction, region)));
    }
    let guard = |random: &mut Random| match random.below(6u32) {
        0 => Guard::Is(random.below(3)),
        1 => Guard::IsNot(random.below(3)),
        _ => Guard::True,
    };
    let events = |random: &mut Random| {
        let count = 1 + random.below(2usize);
        (0..count).map(|_| (!random.one_in(8u32)).then(|| random.below(EVENTS))).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    for &owner in &regions {
        if owner.is_none() || random.chance(70) {
            let to = machine.target(owner, random);
            let effect = acts(random, &mut number);
            found.push(Transition { owner, from: Vertex::Initial, to, events: Vec::new(), guard: Guard::True, effect });
        }
    }
    for state in 0..states {
        for _ in 0..random.below(4u32) {
            let owner = machine.parents[state];
            let to = machine.target(owner, random);
            let (events, guard, effect) = (events(random), guard(random), acts(random, &mut number));
            found.push(Transition { owner, from: Vertex::State(state), to, events, guard, effect });
        }
        if random.chance(20) {
            let (events, guard, effect) = (events(random), guard(random), acts(random, &mut number));
            let (from, to) = (Vertex::Nowhere, Vertex::Nowhere);
            found.push(Transition { owner: Some(state), from, to, events, guard, effect });
        }
    }
    for node in 0..machine.nodes.len() {
        let (kind, parent) = machine.nodes[node];
        let (owner, count) = match kind {
            Kind::Choice => (parent, 1 + random.below(3u32)),
            Kind::Junction => (parent, 1 + random.below(2u32)),
            Kind::Entry => (parent, random.below(3u32)),
            Kind::Exit => (parent.and_then(|state| machine.parents[state]), random.below(3u32)),
        };
        for index in 0..count {
            let mut to = machine.target(owner, random);
            // Most cycles of pseudo states are endless, or rejected.
            if matches!(to, Vertex::Node(_)) && random.chance(70) {
                to = machine.target(owner, random);
            }
            let mut guard = guard(random);
            let guarded = |t: &Transition| t.from == Vertex::Node(node) && t.guard != Guard::True;
            if index > 0 && index + 1 == count && random.chance(60) {
                let before = found.iter().filter(|t| t.from == Vertex::Node(node)).count();
                if found.iter().filter(|t| guarded(t)).count() == before {
                    guard = Guard::Else;
                }
            }
            let effect = acts(random, &mut number);
            found.push(Transition { owner, from: Vertex::Node(node), to, events: Vec::new(), guard, effect });
        }
    }
    // A point that nothing leads to stands for its state.
    let targets: Vec<Vertex> = found.iter().map(|t| t.to).collect();
    for transition in &mut found {
        let Vertex::Node(node) = transition.from else { continue };
        let point = matches!(machine.nodes[node].0, Kind::Entry | Kind::Exit);
        if point && !targets.contains(&transition.from) {
            transition.events = events(random);
            if transition.guard == Guard::Else {
                transition.guard = Guard::True;
            }
        }
    }
    machine.transitions = found;
    machine
}

impl Machine {
    fn target(&self, region: Option<usize>, random: &mut Random) -> Vertex {
        let mut all: Vec<Vertex> = Vec::new();
        for state in (0..self.parents.len()).filter(|&state| self.parents[state] == region) {
            all.extend([Vertex::State(state); 2]);
        }
        for (node, &(kind, parent)) in self.nodes.iter().enumerate() {
            let fits = match kind {
                Kind::Choice | Kind::Junction => parent == region,
                Kind::Exit => parent == region && region.is_some(),
                Kind::Entry => parent != region && parent.is_some_and(|state| self.parents[state] == region),
            };
            if fits {
                all.push(Vertex::Node(node));
            }
        }
        if region.is_some() {
            all.push(Vertex::History);
        }
        all[random.below(all.len())]
    }

    fn text(&self, script: &[usize]) -> String {
        let mut text = String::from("protocol P {");
        (0..EVENTS).for_each(|e| text += &format!(" out e{e}();"));
        text += " };\ncapsule Top {\n[[rt::decl]] `int h = 1; int v = 0, n = 0;`\n";
        text += "behavior port p : P; behavior port q~ : P; connect p with q;\nstatemachine {\n";
        self.region(None, &mut text, script);
        text + "};\n};\n"
    }

    fn region(&self, region: Option<usize>, text: &mut String, script: &[usize]) {
        for state in (0..self.parents.len()).filter(|&state| self.parents[state] == region) {
            let _ = write!(text, "state S{state} {{ ");
            for (word, acts) in [("entry", &self.entry[state]), ("exit", &self.exit[state])] {
                if !acts.is_empty() {
                    let _ = write!(text, "{word} `{}`; ", code(acts));
                }
            }
            self.region(Some(state), text, script);
            *text += "};\n";
        }
        for (node, (kind, _)) in self.nodes.iter().enumerate().filter(|(_, (_, parent))| *parent == region) {
            let word = match kind {
                Kind::Choice => "choice",
                Kind::Junction => "junction",
                Kind::Entry => "entrypoint",
                Kind::Exit => "exitpoint",
            };
            let _ = writeln!(text, "{word} N{node};");
        }
        for transition in self.transitions.iter().filter(|t| t.owner == region) {
            if transition.from != Vertex::Nowhere {
                let _ = write!(text, "{} -> {} ", self.name(transition.from, region), self.name(transition.to, region));
            }
            let triggers = transition.events.iter().map(|e| e.map_or("q.*".into(), |e| format!("q.e{e}")));
            let triggers: Vec<String> = triggers.collect();
            if !triggers.is_empty() {
                let _ = write!(text, "on {} ", triggers.join(", "));
            }
            match transition.guard {
                Guard::True => {}
                Guard::Is(k) => drop(write!(text, "when `v == {k}` ")),
                Guard::IsNot(k) => drop(write!(text, "when `return v != {k};` ")),
                Guard::Else => *text += "when `else` ",
            }
            let sends: String = if region.is_none() && transition.from == Vertex::Initial {
                script.iter().map(|e| format!("p.e{e}().send(); ")).collect()
            } else {
                String::new()
            };
            let _ = writeln!(text, "`{sends}{}`;", code(&transition.effect));
        }
    }

    fn name(&self, vertex: Vertex, region: Option<usize>) -> String {
        match vertex {
            Vertex::Initial => "initial".into(),
            Vertex::History => "history*".into(),
            Vertex::State(state) => format!("S{state}"),
            Vertex::Node(node) => match self.nodes[node].1 {
                Some(state) if Some(state) != region => format!("S{state}.N{node}"),
                _ => format!("N{node}"),
            },
            Vertex::Nowhere => String::new(),
        }
    }
}

fn code(acts: &[Act]) -> String {
    let one = |act: &Act| match act {
        Act::Mix(k) => format!("h = (h * 7 + {k}) % 10007; "),
        Act::Next => "v = (v + 1) % 3; ".into(),
        Act::Send(e) => format!("if (n < 3) {{ n++; p.e{e}().send(); }} "),
    };
    acts.iter().map(one).collect()
}

/// A configuration. Between two messages the active states are on the stack, the outermost first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Config {
    stack: Vec<usize>,
    last: Vec<Option<usize>>,
    h: i32,
    v: i32,
    n: i32,
    queue: VecDeque<usize>,
}

/// What can become of a configuration.
#[derive(Default)]
struct Outcome {
    configs: Vec<Config>,
    stuck: bool,
    /// It went on for too long.
    endless: bool,
}

struct Interpreter<'m> {
    machine: &'m Machine,
    fuel: usize,
}

impl Interpreter<'_> {
    fn act(&self, config: &mut Config, acts: &[Act]) {
        for act in acts {
            match act {
                Act::Mix(k) => config.h = (config.h * 7 + k) % 10007,
                Act::Next => config.v = (config.v + 1) % 3,
                Act::Send(e) if config.n < 3 => {
                    config.n += 1;
                    config.queue.push_back(*e);
                }
                Act::Send(_) => {}
            }
        }
    }

    fn holds(&self, config: &Config, transition: usize) -> bool {
        match self.machine.transitions[transition].guard {
            // A branch without a guard is taken if none with a guard is.
            Guard::True => {
                let from = self.machine.transitions[transition].from;
                let guarded = |t: &usize| matches!(self.machine.transitions[*t].guard, Guard::Is(_) | Guard::IsNot(_));
                let is_node = matches!(from, Vertex::Node(_)) && self.machine.transitions[transition].events.is_empty();
                !is_node || !self.leaving(from).into_iter().filter(guarded).any(|t| self.holds(config, t))
            }
            Guard::Is(k) => config.v == k,
            Guard::IsNot(k) => config.v != k,
            Guard::Else => {
                let from = self.machine.transitions[transition].from;
                let mut others = (0..self.machine.transitions.len())
                    .filter(|&t| t != transition && self.machine.transitions[t].from == from);
                !others.any(|t| self.holds(config, t))
            }
        }
    }

    fn leaving(&self, vertex: Vertex) -> Vec<usize> {
        (0..self.machine.transitions.len()).filter(|&t| self.machine.transitions[t].from == vertex).collect()
    }

    /// Rule 4: the ways on from a transition whose own guard holds; the guards on it are those of now.
    fn ways(&self, config: &Config, transition: usize) -> Vec<Vec<usize>> {
        if !self.holds(config, transition) {
            return Vec::new();
        }
        let to = self.machine.transitions[transition].to;
        let onward = match to {
            Vertex::Node(node) if self.machine.nodes[node].0 != Kind::Choice => self.leaving(to),
            _ => Vec::new(),
        };
        if onward.is_empty() {
            return vec![vec![transition]];
        }
        let rest = onward.into_iter().flat_map(|next| self.ways(config, next));
        rest.map(|way| [vec![transition], way].concat()).collect()
    }

    fn leave(&self, config: &mut Config) {
        let Some(state) = config.stack.pop() else { return };
        self.act(config, &self.machine.exit[state]);
        if let Some(&around) = config.stack.last() {
            config.last[around] = Some(state);
        }
    }

    fn enter(&self, config: &mut Config, state: usize) {
        config.stack.push(state);
        self.act(config, &self.machine.entry[state]);
    }

    fn take(&mut self, mut config: Config, way: &[usize], outcome: &mut Outcome) {
        if self.fuel == 0 {
            outcome.endless = true;
            return;
        }
        self.fuel -= 1;
        for (position, &index) in way.iter().enumerate() {
            let transition = self.machine.transitions[index].clone();
            self.act(&mut config, &transition.effect);
            let last = position + 1 == way.len();
            match transition.to {
                Vertex::Nowhere => outcome.configs.push(config.clone()),
                Vertex::Initial => unreachable!(),
                Vertex::History => self.inside(config.clone(), outcome),
                Vertex::State(state) => {
                    self.enter(&mut config, state);
                    self.inside(config.clone(), outcome);
                }
                Vertex::Node(node) => match (self.machine.nodes[node].0, last) {
                    (Kind::Junction, _) => {}
                    (Kind::Choice, _) => self.decide(&config, Vertex::Node(node), outcome),
                    (Kind::Exit, false) => self.leave(&mut config),
                    (Kind::Exit, true) => self.inside(config.clone(), outcome),
                    (Kind::Entry, _) => {
                        let state = self.machine.nodes[node].1.unwrap();
                        self.enter(&mut config, state);
                        if last {
                            self.inside(config.clone(), outcome);
                        }
                    }
                },
            }
        }
    }

    /// Any branch whose guards hold; stuck without one.
    fn decide(&mut self, config: &Config, vertex: Vertex, outcome: &mut Outcome) {
        let ways: Vec<Vec<usize>> = self.leaving(vertex).into_iter().flat_map(|t| self.ways(config, t)).collect();
        outcome.stuck |= ways.is_empty();
        for way in ways {
            self.take(config.clone(), &way, outcome);
        }
    }

    /// Rule 6: what a composite does when it is entered without an entry point.
    fn inside(&mut self, mut config: Config, outcome: &mut Outcome) {
        let state = *config.stack.last().unwrap();
        let initial = |t: &Transition| t.owner == Some(state) && t.from == Vertex::Initial;
        if let Some(child) = config.last[state] {
            self.enter(&mut config, child);
            self.inside(config, outcome);
        } else if let Some(initial) = self.machine.transitions.iter().position(initial) {
            let ways = self.ways(&config, initial);
            outcome.stuck |= ways.is_empty();
            for way in ways {
                self.take(config.clone(), &way, outcome);
            }
        } else {
            outcome.configs.push(config);
        }
    }

    /// Rules 2 and 3 for the first message of the queue.
    fn dispatch(&mut self, config: &Config, outcome: &mut Outcome) {
        self.fuel = FUEL;
        let mut config = config.clone();
        let Some(event) = config.queue.pop_front() else { return };
        for &level in config.stack.iter().rev() {
            let starts = |t: &Transition| match t.from {
                Vertex::Nowhere => t.owner == Some(level),
                Vertex::State(state) => state == level,
                Vertex::Node(node) => {
                    let targeted = self.machine.transitions.iter().any(|other| other.to == t.from);
                    let (kind, parent) = self.machine.nodes[node];
                    matches!(kind, Kind::Entry | Kind::Exit) && parent == Some(level) && !targeted
                }
                _ => false,
            };
            let triggered = |t: &Transition| t.events.iter().any(|e| e.is_none_or(|e| e == event));
            let all = 0..self.machine.transitions.len();
            let enabled: Vec<usize> = all
                .filter(|&t| starts(&self.machine.transitions[t]) && triggered(&self.machine.transitions[t]))
                .collect();
            let ways: Vec<Vec<usize>> = enabled.into_iter().flat_map(|t| self.ways(&config, t)).collect();
            if ways.is_empty() {
                continue;
            }
            for way in ways {
                let first = &self.machine.transitions[way[0]];
                let mut config = config.clone();
                while first.from != Vertex::Nowhere && config.stack.last().copied() != first.owner {
                    self.leave(&mut config);
                }
                self.take(config, &way, outcome);
            }
            return;
        }
        outcome.configs.push(config);
    }
}

type Waiting = (usize, i32, i32, i32, Vec<usize>);

/// All configurations where the capsule waits, and whether it can get stuck; `None` if it runs for too long.
fn interpreted(machine: &Machine, script: &[usize]) -> Option<(BTreeSet<Waiting>, bool)> {
    let mut interpreter = Interpreter { machine, fuel: FUEL };
    let start = Config {
        stack: Vec::new(),
        last: vec![None; machine.parents.len()],
        h: 1,
        v: 0,
        n: 0,
        queue: script.iter().copied().collect(),
    };
    let mut outcome = Outcome::default();
    let initial = machine.transitions.iter().position(|t| t.owner.is_none() && t.from == Vertex::Initial)?;
    let ways = interpreter.ways(&start, initial);
    outcome.stuck |= ways.is_empty();
    for way in ways {
        interpreter.take(start.clone(), &way, &mut outcome);
    }
    let mut seen: BTreeSet<Config> = BTreeSet::new();
    let mut left = std::mem::take(&mut outcome.configs);
    while let Some(config) = left.pop() {
        if seen.insert(config.clone()) {
            interpreter.dispatch(&config, &mut outcome);
            left.append(&mut outcome.configs);
        }
        if outcome.endless || seen.len() > 2000 {
            return None;
        }
    }
    if outcome.endless {
        return None;
    }
    let waiting = seen.into_iter().map(|c| (*c.stack.last().unwrap(), c.h, c.v, c.n, c.queue.into_iter().collect()));
    Some((waiting.collect(), outcome.stuck))
}

/// The same of the lowered network.
fn explored(network: &Network, sources: &SourceMap) -> (BTreeSet<Waiting>, bool) {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut narrator = Narrator::new(&semantics, sources);
    let mut stepper = semantics.stepper();
    let first = (stepper.initial().unwrap().unwrap(), None);
    let (mut waiting, mut stuck) = (BTreeSet::new(), false);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut left = vec![first];
    while let Some((state, control)) = left.pop() {
        let place = control.is_none().then(|| narrator.waiting(&state)[0].span.unwrap());
        if let Some(number) = place.and_then(|place| sources.text(place).strip_prefix('S')) {
            let snapshot = narrator.snapshot(&state);
            let value = |name: &str| {
                let name = format!("Top.{name}");
                snapshot.variables.iter().find(|v| v.name == name).unwrap().value.parse::<i32>().unwrap()
            };
            let event = |message: &String| message.strip_prefix("q.e").unwrap().parse().unwrap();
            let queue = snapshot.channels[0].messages.iter().map(event).collect();
            waiting.insert((number.parse().unwrap(), value("h"), value("v"), value("n"), queue));
        }
        stepper
            .expand(&state, control, &mut |successor| {
                stuck |= successor.fault.is_some();
                if let Some(next) = successor.state {
                    let next = (next.to_vec(), successor.control);
                    if seen.insert(next.clone()) {
                        left.push(next);
                    }
                }
            })
            .unwrap();
        assert!(seen.len() < 200_000, "the network has far more states than the machine");
    }
    (waiting, stuck)
}

#[test]
fn random_machines_reach_what_the_rules_say() {
    let (mut compared, mut rejected, mut endless, mut largest) = (0, 0, 0, 0);
    let seeds = testing::seeds(1000);
    for seed in testing::first(0)..testing::first(0) + seeds {
        let mut random = Random::new(seed);
        let machine = generate(&mut random);
        let script: Vec<usize> = (0..2 + random.below(6usize)).map(|_| random.below(EVENTS)).collect();
        let text = machine.text(&script);
        let read = read(Dialect::Art, &Text { name: "m.art".into(), text: text.clone() }, &[], None, &Threads::Any);
        let Some(network) = &read.network else {
            let syntax =
                read.diagnostics.iter().find(|d| !d.code.starts_with("U02") && !["U0123", "U0126"].contains(&d.code));
            assert!(syntax.is_none(), "seed {seed}: {syntax:?}\n{text}");
            rejected += 1;
            continue;
        };
        let Some((expected, stuck)) = interpreted(&machine, &script) else {
            endless += 1;
            continue;
        };
        let found = explored(network, &read.sources);
        assert_eq!(found, (expected, stuck), "seed {seed}\n{text}");
        largest = largest.max(found.0.len());
        compared += 1;
    }
    assert!(compared * 2 > seeds, "{compared} compared, {rejected} rejected, {endless} endless");
    assert!(largest > 20, "only small machines");
}
