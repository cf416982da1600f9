//! Random `.scm` systems with data against an interpreter of the book's definition, which knows only the tree that the text
//! was printed from.
//!
//! The interpreter searches configurations with short queues. If no queue ever wants to be longer, its answers are those of
//! the system; otherwise what it finds is still a violation, and what it does not find is open.

use highwater::{Check, Model, Verdict};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::time::Duration;
use testing::Random;

/// How long a queue may be.
const LONGEST: usize = 4;
const MOST_CONFIGURATIONS: usize = 4_000;
const PROPERTIES: [&str; 6] = ["safety", "deadlock", "reception", "orphan", "partial-deadlock", "eventual-reception"];

/// An expression over the variables of an automaton.
enum Term {
    Number(i32),
    Variable(usize),
    /// The value of a message.
    Message(usize),
    Not(Box<Term>),
    Negative(Box<Term>),
    Binary(&'static str, Box<(Term, Term)>),
}

struct Transition {
    to: usize,
    guard: Option<Term>,
    /// Channel, whether it sends, message.
    action: Option<(usize, bool, usize)>,
    assignments: Vec<(usize, Term)>,
}

struct Automaton {
    variables: Vec<i32>,
    initial: Vec<usize>,
    states: Vec<Vec<Transition>>,
}

/// A language over messages and separators.
enum Regex {
    Empty,
    Message(usize),
    Separator,
    Sequence(Vec<Regex>),
    Union(Vec<Regex>),
    Star(Box<Regex>),
    Plus(Box<Regex>),
}

/// For each automaton that is named, its states and what holds there; and what the queues hold.
struct Bad {
    automata: BTreeMap<usize, Vec<(usize, Option<Term>)>>,
    queues: Option<Regex>,
}

struct System {
    lossy: Vec<bool>,
    /// The messages, by their values.
    messages: Vec<Option<i32>>,
    automata: Vec<Automaton>,
    bad: Vec<Bad>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    /// `None`: before the choice of an initial state.
    states: Vec<Option<usize>>,
    variables: Vec<Vec<i32>>,
    queues: Vec<Vec<usize>>,
}

fn system(seed: u64) -> System {
    let mut random = Random::new(seed);
    let channels = 1 + random.below(2_usize);
    let lossy = (0..channels).map(|_| random.one_in(5)).collect();
    let messages: Vec<Option<i32>> =
        (0..2 + random.below(2)).map(|_| random.chance(50).then(|| random.below(4))).collect();
    let mut system = System { lossy, messages, automata: Vec::new(), bad: Vec::new() };
    for _ in 0..2 + usize::from(random.one_in(5)) {
        let automaton = automaton(&mut random, &system);
        system.automata.push(automaton);
    }
    for _ in 0..random.below(3) {
        let bad = bad(&mut random, &system);
        system.bad.push(bad);
    }
    system
}

fn automaton(random: &mut Random, system: &System) -> Automaton {
    let variables: Vec<i32> = (0..random.below(3)).map(|_| random.below(3)).collect();
    let states = 1 + random.below(4_usize);
    let initial = (0..1 + usize::from(random.one_in(6))).map(|_| random.below(states)).collect();
    let mut list = Vec::new();
    for _ in 0..states {
        let count = random.below(4_usize);
        list.push((0..count).map(|_| transition(random, system, states, &variables)).collect());
    }
    Automaton { variables, initial, states: list }
}

fn transition(random: &mut Random, system: &System, states: usize, variables: &[i32]) -> Transition {
    let guard = random.chance(45).then(|| condition(random, system, variables.len(), 2));
    let channel = random.below(system.lossy.len());
    let message = random.below(system.messages.len());
    let action = random.chance(80).then(|| (channel, random.chance(45), message));
    let mut assignments: Vec<(usize, Term)> = Vec::new();
    for variable in 0..variables.len() {
        // The order of the assignments must not matter: one reads no variable but its own.
        if random.chance(35) {
            let own = Box::new((Term::Variable(variable), number(random, system)));
            let value = match random.below(4) {
                0 => number(random, system),
                1 => Term::Negative(Box::new(Term::Variable(variable))),
                _ => {
                    let changed = Term::Binary(random.pick(&["+", "-", "*"]), own);
                    Term::Binary("%", Box::new((changed, Term::Number(2 + random.below(3)))))
                }
            };
            assignments.push((variable, value));
        }
    }
    Transition { to: random.below(states), guard, action, assignments }
}

fn number(random: &mut Random, system: &System) -> Term {
    let message = random.below(system.messages.len());
    match system.messages[message] {
        Some(_) if random.chance(40) => Term::Message(message),
        _ => Term::Number(random.below(4)),
    }
}

fn operand(random: &mut Random, system: &System, variables: usize) -> Term {
    if variables > 0 && random.chance(70) {
        return Term::Variable(random.below(variables));
    }
    number(random, system)
}

fn condition(random: &mut Random, system: &System, variables: usize, depth: usize) -> Term {
    if depth > 0 && random.chance(35) {
        let mut inner = || condition(random, system, variables, depth - 1);
        let both = Box::new((inner(), inner()));
        return match random.below(3) {
            0 => Term::Not(Box::new(both.0)),
            1 => Term::Binary(random.pick(&["or", "||"]), both),
            _ => Term::Binary(random.pick(&["and", "&&"]), both),
        };
    }
    let mut left = operand(random, system, variables);
    if random.chance(30) {
        let operator = random.pick(&["+", "-", "*", "/", "%"]);
        let right = if matches!(operator, "/" | "%") {
            Term::Number(1 + random.below(3))
        } else {
            operand(random, system, variables)
        };
        left = Term::Binary(operator, Box::new((left, right)));
    }
    let operator = random.pick(&["==", "=", "!=", "<>", "<=", ">=", "<", ">"]);
    Term::Binary(operator, Box::new((left, operand(random, system, variables))))
}

fn bad(random: &mut Random, system: &System) -> Bad {
    let mut automata = BTreeMap::new();
    for (index, automaton) in system.automata.iter().enumerate() {
        if random.chance(60) {
            let count = 1 + random.below(2);
            let states = (0..count).map(|_| {
                let guard = random.chance(40).then(|| condition(random, system, automaton.variables.len(), 1));
                (random.below(automaton.states.len()), guard)
            });
            automata.insert(index, states.collect());
        }
    }
    let queues = (automata.is_empty() || random.chance(50)).then(|| {
        let mut side = || {
            let mut parts = vec![regex(random, system, 2)];
            for _ in 1..system.lossy.len() {
                parts.push(Regex::Separator);
                parts.push(regex(random, system, 2));
            }
            Regex::Sequence(parts)
        };
        let first = side();
        let second = side();
        if random.chance(30) { Regex::Union(vec![first, second]) } else { first }
    });
    Bad { automata, queues }
}

fn regex(random: &mut Random, system: &System, depth: usize) -> Regex {
    let message = Regex::Message(random.below(system.messages.len()));
    if depth == 0 {
        return message;
    }
    let mut inner = || regex(random, system, depth - 1);
    let (a, b) = (inner(), inner());
    match random.below(6) {
        0 => Regex::Empty,
        1 => Regex::Sequence(vec![a, b]),
        2 => Regex::Union(vec![a, b]),
        3 => Regex::Star(Box::new(a)),
        4 => Regex::Plus(Box::new(a)),
        _ => message,
    }
}

impl Term {
    fn text(&self) -> String {
        match self {
            Term::Number(value) => value.to_string(),
            Term::Variable(index) => format!("x{index}"),
            Term::Message(index) => format!("m{index}"),
            Term::Not(inner) => format!("not ({})", inner.text()),
            Term::Negative(inner) => format!("-({})", inner.text()),
            Term::Binary(operator, sides) => format!("({}) {operator} ({})", sides.0.text(), sides.1.text()),
        }
    }

    fn value(&self, variables: &[i32], system: &System) -> i32 {
        let of = |term: &Term| term.value(variables, system);
        match self {
            Term::Number(value) => *value,
            Term::Variable(index) => variables[*index],
            Term::Message(index) => system.messages[*index].expect("only messages with a value are named"),
            Term::Not(inner) => i32::from(of(inner) == 0),
            Term::Negative(inner) => of(inner).wrapping_neg(),
            Term::Binary(operator, sides) => {
                let (a, b) = (of(&sides.0), of(&sides.1));
                match *operator {
                    "+" => a.wrapping_add(b),
                    "-" => a.wrapping_sub(b),
                    "*" => a.wrapping_mul(b),
                    "/" => a / b,
                    "%" => a % b,
                    "or" | "||" => i32::from(a != 0 || b != 0),
                    "and" | "&&" => i32::from(a != 0 && b != 0),
                    "==" | "=" => i32::from(a == b),
                    "!=" | "<>" => i32::from(a != b),
                    "<=" => i32::from(a <= b),
                    ">=" => i32::from(a >= b),
                    "<" => i32::from(a < b),
                    ">" => i32::from(a > b),
                    other => panic!("no operator: {other}"),
                }
            }
        }
    }
}

impl Regex {
    fn text(&self) -> String {
        let list = |parts: &[Regex], between: &str| parts.iter().map(Regex::text).collect::<Vec<_>>().join(between);
        match self {
            Regex::Empty => "_".to_owned(),
            Regex::Message(index) => format!("m{index}"),
            Regex::Separator => "#".to_owned(),
            Regex::Sequence(parts) => list(parts, "."),
            Regex::Union(parts) => format!("({})", list(parts, "|")),
            Regex::Star(inner) => format!("({})^*", inner.text()),
            Regex::Plus(inner) => format!("({})^+", inner.text()),
        }
    }

    /// The lengths of the prefixes of a word that are in the language; `None` is a separator.
    fn prefixes(&self, word: &[Option<usize>]) -> HashSet<usize> {
        let after = |starts: HashSet<usize>, regex: &Regex| -> HashSet<usize> {
            starts.iter().flat_map(|&at| regex.prefixes(&word[at..]).into_iter().map(move |n| at + n)).collect()
        };
        let repeated = |inner: &Regex, mut found: HashSet<usize>| loop {
            let more = after(found.clone(), inner);
            let before = found.len();
            found.extend(more);
            if found.len() == before {
                return found;
            }
        };
        match self {
            Regex::Empty => HashSet::from([0]),
            Regex::Message(index) => (word.first() == Some(&Some(*index))).then_some(1).into_iter().collect(),
            Regex::Separator => (word.first() == Some(&None)).then_some(1).into_iter().collect(),
            Regex::Sequence(parts) => parts.iter().fold(HashSet::from([0]), after),
            Regex::Union(parts) => parts.iter().flat_map(|part| part.prefixes(word)).collect(),
            Regex::Star(inner) => repeated(inner, HashSet::from([0])),
            Regex::Plus(inner) => repeated(inner, inner.prefixes(word)),
        }
    }
}

fn list<T>(items: &[T], text: impl Fn(usize, &T) -> String, between: &str) -> String {
    items.iter().enumerate().map(|(index, item)| text(index, item)).collect::<Vec<_>>().join(between)
}

impl System {
    fn text(&self) -> String {
        let mut text = format!("scm random : nb_channels = {} ;\n", self.lossy.len());
        let lossy: Vec<String> =
            (0..self.lossy.len()).filter(|&channel| self.lossy[channel]).map(|c| c.to_string()).collect();
        if !lossy.is_empty() {
            let _ = writeln!(text, "lossy : {}", lossy.join(", "));
        }
        let value = |value: &Option<i32>| value.map_or_else(String::new, |value| format!(" = {value}"));
        let _ = writeln!(text, "parameters : {}", list(&self.messages, |n, m| format!("int m{n}{} ;", value(m)), " "));
        for (index, automaton) in self.automata.iter().enumerate() {
            let _ = writeln!(text, "automaton p{index} :");
            let _ = writeln!(text, "{}", list(&automaton.variables, |n, value| format!("int x{n} = {value} ;"), " "));
            let _ = writeln!(text, "initial : {}", list(&automaton.initial, |_, state| state.to_string(), ", "));
            for (number, transitions) in automaton.states.iter().enumerate() {
                let _ = writeln!(text, "state {number} :{}", list(transitions, |_, t| t.text(), ""));
            }
        }
        if !self.bad.is_empty() {
            let _ = writeln!(text, "bad_states :\n{}", list(&self.bad, |_, bad| bad.text(), "\n"));
        }
        text
    }

    fn initial(&self) -> Configuration {
        let first = |a: &Automaton| (a.initial.iter().all(|s| *s == a.initial[0])).then_some(a.initial[0]);
        Configuration {
            states: self.automata.iter().map(first).collect(),
            variables: self.automata.iter().map(|automaton| automaton.variables.clone()).collect(),
            queues: vec![Vec::new(); self.lossy.len()],
        }
    }

    /// The transitions of an automaton whose guards hold; none before the choice of an initial state.
    fn possible<'s>(&'s self, at: &'s Configuration, index: usize) -> impl Iterator<Item = &'s Transition> {
        let transitions = at.states[index].map_or(&[][..], |state| &self.automata[index].states[state]);
        transitions.iter().filter(move |t| t.guard.as_ref().is_none_or(|g| g.value(&at.variables[index], self) != 0))
    }

    fn steps(&self, at: &Configuration) -> Vec<Configuration> {
        self.moves(at).into_iter().map(|(_, _, next)| next).collect()
    }

    /// The steps with the automaton that takes each, and the channel that it receives from.
    fn moves(&self, at: &Configuration) -> Vec<(usize, Option<usize>, Configuration)> {
        let mut found = Vec::new();
        for (index, automaton) in self.automata.iter().enumerate() {
            if at.states[index].is_none() {
                let choose = |state: &usize| {
                    let mut next = at.clone();
                    next.states[index] = Some(*state);
                    next
                };
                found.extend(automaton.initial.iter().map(choose).map(|next| (index, None, next)));
            }
            for transition in self.possible(at, index) {
                let mut next = at.clone();
                next.states[index] = Some(transition.to);
                match transition.action {
                    Some((channel, true, message)) => next.queues[channel].push(message),
                    Some((channel, false, message)) => {
                        if next.queues[channel].first() != Some(&message) {
                            continue;
                        }
                        next.queues[channel].remove(0);
                    }
                    None => {}
                }
                for (variable, value) in &transition.assignments {
                    next.variables[index][*variable] = value.value(&at.variables[index], self);
                }
                let received = transition.action.and_then(|(channel, sends, _)| (!sends).then_some(channel));
                found.push((index, received, next));
            }
        }
        found
    }

    /// Whether an automaton that has not ended, or the head of a queue, is stuck for good in a configuration that was seen:
    /// what follows without losses was seen, too, and never moves it.
    fn stuck(&self, seen: &HashSet<Configuration>, of_automata: bool) -> bool {
        let count = if of_automata { self.automata.len() } else { self.lossy.len() };
        let all: Vec<&Configuration> = seen.iter().collect();
        let numbers: HashMap<&Configuration, usize> = all.iter().copied().zip(0..).collect();
        let moves: Vec<_> = all.iter().map(|at| self.moves(at)).collect();
        (0..count).any(|obligation| {
            let mut able = vec![false; all.len()];
            loop {
                let before = able.iter().filter(|able| **able).count();
                for (at, moves) in moves.iter().enumerate() {
                    able[at] = able[at]
                        || moves.iter().any(|(automaton, received, next)| {
                            let discharges =
                                if of_automata { *automaton == obligation } else { *received == Some(obligation) };
                            discharges || numbers.get(next).is_none_or(|&next| able[next])
                        });
                }
                if able.iter().filter(|able| **able).count() == before {
                    break;
                }
            }
            let open = |at: &Configuration| match of_automata {
                true => at.states[obligation].is_none_or(|s| !self.automata[obligation].states[s].is_empty()),
                false => !at.queues[obligation].is_empty(),
            };
            all.iter().zip(&able).any(|(at, able)| open(at) && !able)
        })
    }

    fn losses(&self, at: &Configuration) -> Vec<Configuration> {
        let lossy = (0..self.lossy.len()).filter(|&channel| self.lossy[channel]);
        let one = |(channel, position): (usize, usize)| {
            let mut next = at.clone();
            next.queues[channel].remove(position);
            next
        };
        lossy.flat_map(|c| (0..at.queues[c].len()).map(move |position| (c, position))).map(one).collect()
    }

    fn is_bad(&self, at: &Configuration) -> bool {
        let word: Vec<Option<usize>> =
            at.queues.iter().map(|q| q.iter().map(|m| Some(*m)).collect::<Vec<_>>()).collect::<Vec<_>>().join(&None);
        self.bad.iter().any(|bad| {
            let located = bad.automata.iter().all(|(&index, states)| {
                let holds = |guard: &Option<Term>| {
                    guard.as_ref().is_none_or(|guard| guard.value(&at.variables[index], self) != 0)
                };
                states.iter().any(|(state, guard)| at.states[index] == Some(*state) && holds(guard))
            });
            located && bad.queues.as_ref().is_none_or(|regex| regex.prefixes(&word).contains(&word.len()))
        })
    }

    /// Which properties a configuration violates by itself, in the order of [`PROPERTIES`].
    fn violated(&self, at: &Configuration) -> [bool; 4] {
        let ended = (0..self.automata.len())
            .all(|index| at.states[index].is_some_and(|state| self.automata[index].states[state].is_empty()));
        let empty = at.queues.iter().all(Vec::is_empty);
        let unspecified = |index: usize| {
            let mut some = false;
            self.possible(at, index).all(|transition| {
                some = true;
                let Some((channel, false, message)) = transition.action else { return false };
                at.queues[channel].first().is_some_and(|head| *head != message)
            }) && some
        };
        let deadlock = self.steps(at).is_empty() && !(ended && empty);
        [self.is_bad(at), deadlock, (0..self.automata.len()).any(unspecified), ended && !empty]
    }

    /// Which properties are violated in configurations with short queues, and whether there are no others.
    fn search(&self) -> ([bool; 6], bool) {
        let first = self.initial();
        let mut seen = HashSet::from([first.clone()]);
        let mut waiting = vec![first];
        let (mut found, mut complete) = ([false; 6], true);
        while let Some(at) = waiting.pop() {
            let here = self.violated(&at);
            (0..4).for_each(|index| found[index] |= here[index]);
            for next in self.steps(&at).into_iter().chain(self.losses(&at)) {
                if next.queues.iter().any(|queue| queue.len() > LONGEST) || seen.len() >= MOST_CONFIGURATIONS {
                    complete = false;
                } else if seen.insert(next.clone()) {
                    waiting.push(next);
                }
            }
        }
        found[4] = self.stuck(&seen, true);
        found[5] = self.stuck(&seen, false);
        (found, complete)
    }
}

impl Transition {
    fn text(&self) -> String {
        let guard = self.guard.as_ref().map_or_else(|| "true".to_owned(), Term::text);
        let action = self.action.map_or_else(String::new, |(channel, sends, message)| {
            format!(" , {channel} {} m{message}", if sends { "!" } else { "?" })
        });
        let with = if self.assignments.is_empty() { "" } else { " with " };
        let assignments =
            list(&self.assignments, |_, (variable, value)| format!("x{variable} = {}", value.text()), " , ");
        format!("\n  to {} : when {guard}{action}{with}{assignments} ;", self.to)
    }
}

impl Bad {
    fn text(&self) -> String {
        let state = |state: usize, guard: &Option<Term>| {
            format!(" in {state} : {}", guard.as_ref().map_or_else(|| "true".to_owned(), Term::text))
        };
        let automaton = |(index, states): (&usize, &Vec<(usize, Option<Term>)>)| {
            format!("automaton p{index} :{}", list(states, |_, (s, guard)| state(*s, guard), ""))
        };
        let automata: Vec<String> = self.automata.iter().map(automaton).collect();
        let queues = self.queues.as_ref().map_or_else(String::new, |regex| format!(" with {}", regex.text()));
        format!("({}{queues})", automata.join(" "))
    }
}

#[test]
fn verdicts_are_those_of_the_definition() {
    let (mut proved, mut violated, mut open, mut exact) = (0, 0, 0, 0);
    for seed in testing::first(1)..testing::first(1) + testing::seeds(150) {
        let system = system(seed);
        let text = system.text();
        let (found, complete) = system.search();
        exact += u64::from(complete);
        let model =
            Model::from_text("random.scm", &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let properties = PROPERTIES[usize::from(system.bad.is_empty())..].join(",");
        let check = Check::new(&model).property(&properties).unwrap().timeout(Duration::from_millis(1500));
        let report = check.run().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        for (property, found) in PROPERTIES.iter().zip(found) {
            let Some(finding) = report.finding(property) else { continue };
            match finding.verdict() {
                Verdict::Proved => {
                    proved += 1;
                    assert!(!found, "seed {seed}: {property} is proved here, and violated\n{text}");
                }
                Verdict::Violated => {
                    violated += 1;
                    assert!(found || !complete, "seed {seed}: {property} is violated here, and holds\n{text}");
                }
                _ => open += 1,
            }
        }
    }
    let figures = format!("{proved} proved, {violated} violated, {open} open; {exact} systems with short queues only");
    #[allow(clippy::print_stdout)]
    {
        println!("{figures}");
    }
    assert!(proved > 0 && violated > 0 && exact > 0, "{figures}");
}
