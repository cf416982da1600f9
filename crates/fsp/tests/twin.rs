//! Random models against a twin: an interpreter of *terms*, straight from the definitions of Magee and Kramer's book. A state of a
//! process is a term without variables, a structure is everything that terms can become, and structures are composed, renamed
//! and hidden one by one. What the reader makes of the text of the same terms has to be strongly bisimilar to it.

use crate::common::{Random, none, product, rendered};
use model::composition::{Composition, StepLabel};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// `factor * v + plus`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Value {
    variable: Option<usize>,
    factor: i64,
    plus: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Condition {
    left: Value,
    operator: &'static str,
    right: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Index {
    Value(Value),
    /// `[v:0..n]`
    Range(usize, i64),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Action {
    names: Vec<&'static str>,
    index: Option<Index>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Alternative {
    guard: Option<Condition>,
    actions: Vec<Action>,
    then: Body,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Body {
    Stop,
    End,
    Error,
    Choice(Vec<Alternative>),
    If(Condition, Box<Body>, Box<Body>),
    Call(usize, Option<Value>),
    /// `P;BODY`
    Sequence(usize, Box<Body>),
    /// A process in front of `;` that has begun.
    Running(usize, Box<Body>, Box<Body>),
}

type Pairs = Vec<(String, String)>;

#[derive(Default)]
struct Changes {
    /// New and old.
    relabel: Pairs,
    /// `>>` or `<<`.
    priority: Option<(bool, Vec<String>)>,
    /// `@` or `\`.
    hide: Option<(bool, Vec<String>)>,
}

#[derive(Default)]
struct Process {
    property: bool,
    /// Each with the last value of its index. The first is the process itself.
    locals: Vec<(Option<i64>, Body)>,
    extension: Vec<String>,
    changes: Changes,
}

/// `{a, b}::{c, d}:P/{new/old}`
struct Part {
    share: Vec<&'static str>,
    labels: Vec<&'static str>,
    member: Member,
    relabel: Pairs,
}

enum Member {
    Process(usize),
    Composite(usize),
    Group(Vec<Part>),
}

struct Composite {
    parts: Vec<Part>,
    changes: Changes,
}

#[derive(Default)]
struct Text {
    processes: Vec<Process>,
    composites: Vec<Composite>,
}

// Terms at random.

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const LABELS: [&str; 3] = ["p", "q", "a"];

fn pick(random: &mut Random, from: &[&'static str]) -> &'static str {
    from[random.below(from.len())]
}

fn some(random: &mut Random, from: &[&'static str]) -> Vec<&'static str> {
    let found: BTreeSet<_> = (0..1 + random.below(2)).map(|_| pick(random, from)).collect();
    found.into_iter().collect()
}

/// A name, perhaps with a number behind it, a label in front of it, or only a label.
fn random_name(random: &mut Random) -> String {
    let mut name = pick(random, &NAMES).to_owned();
    if random.one_in(4) {
        write!(name, ".{}", random.below(2)).unwrap();
    }
    match random.below(8) {
        0 => pick(random, &LABELS).to_owned(),
        1 | 2 => format!("{}.{name}", pick(random, &LABELS)),
        _ => name,
    }
}

fn random_names(random: &mut Random) -> Vec<String> {
    (0..1 + random.below(2)).map(|_| random_name(random)).collect()
}

fn random_pairs(random: &mut Random) -> Pairs {
    if random.one_in(2) {
        return Pairs::new();
    }
    let pairs: BTreeSet<_> = (0..1 + random.below(3)).map(|_| (random_name(random), random_name(random))).collect();
    pairs.into_iter().collect()
}

fn random_changes(random: &mut Random) -> Changes {
    let mut set = |one_in| random.one_in(one_in).then(|| (random.one_in(2), random_names(random)));
    let (priority, hide) = (set(4), set(3));
    Changes { relabel: random_pairs(random), priority, hide }
}

/// What may be used where a term stands.
struct Scope<'s> {
    process: usize,
    /// The last values of the indices of the local processes.
    locals: &'s [Option<i64>],
    /// Local processes before this one may not be used until an event has happened.
    least: usize,
    variables: Vec<usize>,
    sequences: bool,
}

fn random_value(random: &mut Random, scope: &Scope<'_>) -> Value {
    let plus = random.below(3);
    if scope.variables.is_empty() || random.one_in(4) {
        return Value { variable: None, factor: 1, plus };
    }
    let variable = Some(scope.variables[random.below(scope.variables.len())]);
    Value { variable, factor: if random.one_in(3) { -1 } else { 1 }, plus: plus % 2 }
}

fn random_condition(random: &mut Random, scope: &Scope<'_>) -> Condition {
    let operator = pick(random, &["<", "==", "!=", ">="]);
    Condition { left: random_value(random, scope), operator, right: random.below(3) }
}

fn random_body(random: &mut Random, scope: &Scope<'_>, depth: u32) -> Body {
    match random.below(if depth == 0 { 8 } else { 18 }) {
        0 => [Body::Stop, Body::End, Body::Error][random.below(3)].clone(),
        1 => Body::End,
        2..8 if scope.least < scope.locals.len() => {
            let local = scope.least + random.below(scope.locals.len() - scope.least);
            Body::Call(local, scope.locals[local].map(|_| random_value(random, scope)))
        }
        2..8 => Body::Stop,
        8 | 9 => {
            let mut branch = || Box::new(random_body(random, scope, depth - 1));
            let (mut then, otherwise) = (branch(), branch());
            if then.lacks_else() {
                *then = Body::Stop;
            }
            Body::If(random_condition(random, scope), then, otherwise)
        }
        10 if scope.process > 0 && scope.sequences => {
            Body::Sequence(random.below(scope.process), Box::new(random_body(random, scope, depth - 1)))
        }
        _ => Body::Choice((0..1 + random.below(3)).map(|_| random_alternative(random, scope, depth)).collect()),
    }
}

fn random_alternative(random: &mut Random, scope: &Scope<'_>, depth: u32) -> Alternative {
    let guard = random.one_in(3).then(|| random_condition(random, scope));
    let mut inner = Scope { least: 0, variables: scope.variables.clone(), ..*scope };
    let mut actions = Vec::new();
    for _ in 0..1 + random.below(2) {
        let names = if random.one_in(6) { some(random, &NAMES) } else { vec![pick(random, &NAMES)] };
        let index = match random.below(5) {
            0 => Some(Index::Value(random_value(random, &inner))),
            1 => {
                let fresh = 1 + inner.variables.last().copied().unwrap_or(0);
                inner.variables.push(fresh);
                Some(Index::Range(fresh, random.below(2)))
            }
            _ => None,
        };
        actions.push(Action { names, index });
    }
    Alternative { guard, actions, then: random_body(random, &inner, depth - 1) }
}

fn random_process(random: &mut Random, process: usize) -> Process {
    let property = process > 0 && random.one_in(5);
    let mut bounds = vec![None];
    bounds.extend((0..random.below(3)).map(|_| random.one_in(2).then(|| 1 + random.below(2))));
    let mut locals = Vec::new();
    for (at, &bound) in bounds.iter().enumerate() {
        let variables = bound.map(|_| 0).into_iter().collect();
        let scope = Scope { process, locals: &bounds, least: at + 1, variables, sequences: true };
        let mut body = random_body(random, &scope, 3);
        if !matches!(body, Body::Choice(_)) && !random.one_in(3) {
            body = Body::Choice((0..1 + random.below(3)).map(|_| random_alternative(random, &scope, 3)).collect());
        }
        locals.push((bound, body));
    }
    let extension = if random.one_in(4) { random_names(random) } else { Vec::new() };
    let mut changes = Changes { priority: None, ..random_changes(random) };
    changes.hide.take_if(|_| property);
    Process { property, locals, extension, changes }
}

fn random_part(random: &mut Random, text: &Text, depth: u32) -> Part {
    let member = match random.below(6) {
        0 if depth > 0 => {
            Member::Group((0..1 + random.below(2)).map(|_| random_part(random, text, depth - 1)).collect())
        }
        1..4 if !text.composites.is_empty() => Member::Composite(random.below(text.composites.len())),
        _ => Member::Process(random.below(text.processes.len())),
    };
    let share = if random.one_in(5) { some(random, &LABELS) } else { Vec::new() };
    let labels = if random.one_in(4) { some(random, &LABELS) } else { Vec::new() };
    Part { share, labels, member, relabel: random_pairs(random) }
}

fn random_text(random: &mut Random) -> Text {
    let mut text = Text::default();
    for process in 0..1 + random.below(3) {
        // A property is last, where no `;` can come behind it.
        let made = random_process(random, process);
        let last = made.property;
        text.processes.push(made);
        if last {
            break;
        }
    }
    for _ in 0..1 + random.below(3) {
        let parts = (0..1 + random.below(3)).map(|_| random_part(random, &text, 1)).collect();
        text.composites.push(Composite { parts, changes: random_changes(random) });
    }
    text
}

// Terms as text.

fn list<T>(items: &[T], between: &str, show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(between)
}

impl Value {
    fn show(self) -> String {
        match (self.variable, self.factor) {
            (None, _) => self.plus.to_string(),
            (Some(variable), 1) => format!("v{variable}+{}", self.plus),
            (Some(variable), _) => format!("{}-v{variable}", self.plus),
        }
    }
}

impl Condition {
    fn show(self) -> String {
        format!("({} {} {})", self.left.show(), self.operator, self.right)
    }
}

fn show_set<T: AsRef<str>>(names: &[T]) -> String {
    match names {
        [one] => one.as_ref().to_owned(),
        _ => format!("{{{}}}", list(names, ", ", |name| name.as_ref().to_owned())),
    }
}

fn show_action(action: &Action) -> String {
    let index = match action.index {
        None => String::new(),
        Some(Index::Value(value)) => format!("[{}]", value.show()),
        Some(Index::Range(variable, last)) => format!("[v{variable}:0..{last}]"),
    };
    show_set(&action.names) + &index
}

fn show_local(process: usize, local: usize) -> String {
    if local == 0 { format!("P{process}") } else { format!("L{local}") }
}

fn show_body(process: usize, body: &Body) -> String {
    match body {
        Body::Stop => "STOP".into(),
        Body::End => "END".into(),
        Body::Error => "ERROR".into(),
        Body::Choice(alternatives) => {
            let show = |alternative: &Alternative| {
                let guard = alternative.guard.map_or(String::new(), |guard| format!("when {} ", guard.show()));
                let actions = list(&alternative.actions, " -> ", show_action);
                format!("{guard}{actions} -> {}", show_body(process, &alternative.then))
            };
            format!("({})", list(alternatives, " | ", show))
        }
        Body::If(condition, then, otherwise) => {
            let front = format!("if {} then {}", condition.show(), show_body(process, then));
            if **otherwise == Body::Stop { front } else { format!("{front} else {}", show_body(process, otherwise)) }
        }
        Body::Call(local, index) => {
            let index = index.map_or(String::new(), |value| format!("[{}]", value.show()));
            show_local(process, *local) + &index
        }
        Body::Sequence(first, then) => format!("P{first};{}", show_body(process, then)),
        Body::Running(..) => unreachable!("not written"),
    }
}

fn show_pairs(pairs: &Pairs) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    format!(" /{{{}}}", list(pairs, ", ", |(new, old)| format!("{new}/{old}")))
}

fn show_changes(changes: &Changes) -> String {
    let mut text = show_pairs(&changes.relabel);
    let set = |names: &[String]| format!("{{{}}}", names.join(", "));
    if let Some((low, names)) = &changes.priority {
        write!(text, " {}{}", if *low { ">>" } else { "<<" }, set(names)).unwrap();
    }
    if let Some((interface, names)) = &changes.hide {
        write!(text, " {}{}", if *interface { "@" } else { "\\" }, set(names)).unwrap();
    }
    text
}

fn show_part(part: &Part) -> String {
    let member = match &part.member {
        Member::Process(number) => format!("P{number}"),
        Member::Composite(number) => format!("C{number}"),
        Member::Group(parts) => format!("({})", list(parts, " || ", show_part)),
    };
    let share = if part.share.is_empty() { String::new() } else { show_set(&part.share) + "::" };
    let labels = if part.labels.is_empty() { String::new() } else { show_set(&part.labels) + ":" };
    format!("{share}{labels}{member}{}", show_pairs(&part.relabel))
}

fn show(text: &Text) -> String {
    let mut shown = String::new();
    for (number, process) in text.processes.iter().enumerate() {
        let locals: Vec<usize> = (0..process.locals.len()).collect();
        let local = |&local: &usize| {
            let (bound, body) = &process.locals[local];
            let index = bound.map_or(String::new(), |last| format!("[v0:0..{last}]"));
            format!("{}{index} = {}", show_local(number, local), show_body(number, body))
        };
        let word = if process.property { "property " } else { "" };
        let extension = if process.extension.is_empty() {
            String::new()
        } else {
            format!(" + {{{}}}", process.extension.join(", "))
        };
        let changes = show_changes(&process.changes);
        writeln!(shown, "{word}{}{extension}{changes}.", list(&locals, ",\n  ", local)).unwrap();
    }
    for (number, composite) in text.composites.iter().enumerate() {
        let parts = list(&composite.parts, " || ", show_part);
        writeln!(shown, "||C{number} = ({parts}){}.", show_changes(&composite.changes)).unwrap();
    }
    shown
}

// What terms mean.

impl Value {
    /// Without variables.
    fn get(self) -> i64 {
        assert_eq!(self.variable, None, "the term is closed");
        self.plus
    }

    fn set(&mut self, variable: usize, value: i64) {
        if self.variable == Some(variable) {
            *self = Value { variable: None, factor: 1, plus: self.factor * value + self.plus };
        }
    }
}

impl Condition {
    fn holds(self) -> bool {
        let left = self.left.get();
        match self.operator {
            "<" => left < self.right,
            "==" => left == self.right,
            "!=" => left != self.right,
            _ => left >= self.right,
        }
    }
}

impl Body {
    /// Whether an `else` behind its text would be its own. Without one, it is `STOP`.
    fn lacks_else(&self) -> bool {
        match self {
            Body::If(_, _, otherwise) => **otherwise == Body::Stop || otherwise.lacks_else(),
            Body::Sequence(_, then) => then.lacks_else(),
            _ => false,
        }
    }

    /// A value for a variable, everywhere.
    fn set(&mut self, variable: usize, value: i64) {
        match self {
            Body::Choice(alternatives) => alternatives.iter_mut().for_each(|one| one.set(variable, value)),
            Body::If(condition, then, otherwise) => {
                condition.left.set(variable, value);
                then.set(variable, value);
                otherwise.set(variable, value);
            }
            Body::Call(_, Some(index)) => index.set(variable, value),
            Body::Sequence(_, then) => then.set(variable, value),
            _ => {}
        }
    }
}

impl Alternative {
    fn set(&mut self, variable: usize, value: i64) {
        self.guard.iter_mut().for_each(|guard| guard.left.set(variable, value));
        for action in &mut self.actions {
            if let Some(Index::Value(index)) = &mut action.index {
                index.set(variable, value);
            }
        }
        self.then.set(variable, value);
    }

    fn is_open(&self) -> bool {
        self.guard.is_none_or(Condition::holds)
    }

    /// The labels of the first action, each with what comes then.
    fn begun(&self) -> Vec<(String, Body)> {
        let (first, rest) = self.actions.split_first().expect("an action");
        let numbers: Vec<Option<i64>> = match first.index {
            None => vec![None],
            Some(Index::Value(value)) => vec![Some(value.get())],
            Some(Index::Range(_, last)) => (0..=last).map(Some).collect(),
        };
        let mut found = Vec::new();
        for name in &first.names {
            for &number in &numbers {
                let mut next = Alternative { guard: None, actions: rest.to_vec(), then: self.then.clone() };
                if let (Some(Index::Range(variable, _)), Some(value)) = (first.index, number) {
                    next.set(variable, value);
                }
                let label = number.map_or((*name).to_owned(), |number| format!("{name}.{number}"));
                let then = if rest.is_empty() { next.then } else { Body::Choice(vec![next]) };
                found.push((label, then));
            }
        }
        found
    }
}

/// An event; none for a step without a name.
type Event = Option<String>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Ending {
    None,
    Done,
    Error,
}

/// What terms become: a structure whose first state is the initial one.
#[derive(Clone, Default)]
struct Lts {
    alphabet: BTreeSet<String>,
    endings: Vec<Ending>,
    steps: Vec<BTreeSet<(Event, usize)>>,
}

/// A model that is too large, or a property that is not deterministic.
struct Skipped;

const MOST_STATES: usize = 2_000;

/// Everything that can be reached.
fn closure<T: Clone + Ord>(
    first: T,
    ending: impl Fn(&T) -> Ending,
    steps: impl Fn(&T) -> Vec<(Event, T)>,
) -> Result<Lts, Skipped> {
    let mut lts = Lts::default();
    let mut numbers = BTreeMap::from([(first.clone(), 0)]);
    let mut waiting = vec![first];
    while let Some(state) = waiting.get(lts.steps.len()).cloned() {
        let mut found = BTreeSet::new();
        for (event, to) in steps(&state) {
            let next = numbers.len();
            let number = *numbers.entry(to.clone()).or_insert(next);
            if number == next {
                waiting.push(to);
            }
            found.insert((event, number));
        }
        if waiting.len() > MOST_STATES {
            return Err(Skipped);
        }
        lts.endings.push(ending(&state));
        lts.steps.push(found);
    }
    Ok(lts)
}

/// Whether a name is one of a set, or begins with one.
fn named(names: &[String], name: &str) -> bool {
    names.iter().any(|front| name == front || name.strip_prefix(front).is_some_and(|rest| rest.starts_with('.')))
}

/// The new names of a name: of the whole, or of the longest label in front that has one.
fn relabelled(pairs: &Pairs, name: &str) -> Vec<String> {
    let longest =
        pairs.iter().filter(|(_, old)| named(std::slice::from_ref(old), name)).map(|(_, old)| old.len()).max();
    let Some(longest) = longest else { return vec![name.to_owned()] };
    let taken = pairs.iter().filter(|(_, old)| *old == name[..longest]);
    taken.map(|(new, _)| format!("{new}{}", &name[longest..])).collect()
}

impl Changes {
    /// The names of an event that can be seen, or none.
    fn renamed(&self, name: &str) -> Vec<Event> {
        let hidden = |name: &str| self.hide.as_ref().is_some_and(|(only, names)| named(names, name) != *only);
        relabelled(&self.relabel, name).into_iter().map(|name| Some(name).filter(|name| !hidden(name))).collect()
    }
}

impl Lts {
    fn renamed(&self, names: &dyn Fn(&str) -> Vec<Event>) -> Lts {
        let of = |event: &Event| event.as_ref().map_or(vec![None], |name| names(name));
        let steps = |steps: &BTreeSet<(Event, usize)>| {
            steps.iter().flat_map(|(event, to)| of(event).into_iter().map(move |event| (event, *to))).collect()
        };
        Lts {
            alphabet: self.alphabet.iter().flat_map(|name| names(name)).flatten().collect(),
            endings: self.endings.clone(),
            steps: self.steps.iter().map(steps).collect(),
        }
    }

    /// Where something is not allowed, it is an error.
    fn property(mut self) -> Lts {
        let wrong = self.steps.len();
        for (ending, steps) in
            self.endings.iter_mut().zip(&mut self.steps).filter(|(ending, _)| **ending != Ending::Error)
        {
            *ending = Ending::Done;
            let allowed: BTreeSet<Event> = steps.iter().map(|(event, _)| event.clone()).collect();
            let all = self.alphabet.iter().cloned().map(Some);
            steps.extend(all.filter(|event| !allowed.contains(event)).map(|event| (event, wrong)));
        }
        self.endings.push(Ending::Error);
        self.steps.push(BTreeSet::new());
        self
    }

    fn prefer(&mut self, low: bool, names: &[String]) {
        for steps in &mut self.steps {
            let first = |event: &Event| event.as_ref().is_some_and(|name| named(names, name)) != low;
            if steps.iter().any(|(event, _)| first(event)) {
                steps.retain(|(event, _)| first(event));
            }
        }
    }
}

/// An event happens when all that have it are ready.
fn compose(parts: &[Lts]) -> Result<Lts, Skipped> {
    let ending = |state: &Vec<usize>| {
        let endings: Vec<Ending> = parts.iter().zip(state).map(|(part, &at)| part.endings[at]).collect();
        match () {
            () if endings.contains(&Ending::Error) => Ending::Error,
            () if endings.contains(&Ending::None) => Ending::None,
            () => Ending::Done,
        }
    };
    let alphabet: BTreeSet<String> = parts.iter().flat_map(|part| part.alphabet.clone()).collect();
    let steps = |state: &Vec<usize>| {
        let mut found = Vec::new();
        if ending(state) == Ending::Error {
            return found;
        }
        for (at, part) in parts.iter().enumerate() {
            for (_, to) in part.steps[state[at]].iter().filter(|(event, _)| event.is_none()) {
                let mut next = state.clone();
                next[at] = *to;
                found.push((None, next));
            }
        }
        for name in &alphabet {
            let mut all = vec![Vec::new()];
            for (part, &at) in parts.iter().zip(state) {
                let targets: Vec<usize> = if part.alphabet.contains(name) {
                    let steps = part.steps[at].iter();
                    steps.filter(|(event, _)| event.as_ref() == Some(name)).map(|(_, to)| *to).collect()
                } else {
                    vec![at]
                };
                let longer = |next: Vec<usize>| {
                    targets.iter().map(move |&to| next.iter().copied().chain([to]).collect()).collect::<Vec<_>>()
                };
                all = all.into_iter().flat_map(longer).collect();
            }
            found.extend(all.into_iter().map(|next| (Some(name.clone()), next)));
        }
        found
    };
    Ok(Lts { alphabet: alphabet.clone(), ..closure(vec![0; parts.len()], ending, steps)? })
}

impl Text {
    /// A term of a process as one that says what can happen next.
    fn head(&self, process: usize, body: Body) -> Body {
        match body {
            Body::If(condition, then, otherwise) => {
                self.head(process, *if condition.holds() { then } else { otherwise })
            }
            Body::Call(local, index) => {
                let (bound, mut body) = self.processes[process].locals[local].clone();
                if let (Some(last), Some(index)) = (bound, index) {
                    if !(0..=last).contains(&index.get()) {
                        return Body::Error;
                    }
                    body.set(0, index.get());
                }
                self.head(process, body)
            }
            Body::Sequence(first, then) => {
                self.head(process, Body::Running(first, Box::new(Body::Call(0, None)), then))
            }
            Body::Running(first, inner, then) => match self.head(first, *inner) {
                Body::End => self.head(process, *then),
                Body::Error => Body::Error,
                inner => Body::Running(first, Box::new(inner), then),
            },
            body => body,
        }
    }

    fn steps(&self, process: usize, body: &Body) -> Vec<(Event, Body)> {
        let mut found = Vec::new();
        match body {
            Body::Choice(alternatives) => {
                for (label, then) in alternatives.iter().filter(|one| one.is_open()).flat_map(Alternative::begun) {
                    found.push((Some(label), self.head(process, then)));
                }
            }
            Body::Running(first, inner, then) => {
                for (event, to) in self.steps(*first, inner) {
                    let renamed = |name: String| self.processes[*first].changes.renamed(&name);
                    for event in event.map_or(vec![None], renamed) {
                        let next = Body::Running(*first, Box::new(to.clone()), then.clone());
                        found.push((event, self.head(process, next)));
                    }
                }
            }
            _ => {}
        }
        found
    }

    /// The events of a process before it is relabelled: those of all its local processes, reached or not, and of its extension.
    fn alphabet(&self, process: usize) -> BTreeSet<String> {
        let mut found: BTreeSet<String> = self.processes[process].extension.iter().cloned().collect();
        for (bound, body) in &self.processes[process].locals {
            for value in 0..=bound.unwrap_or(0) {
                let mut body = body.clone();
                body.set(0, value);
                self.events(&body, &mut found);
            }
        }
        found
    }

    fn events(&self, body: &Body, found: &mut BTreeSet<String>) {
        match body {
            Body::Choice(alternatives) => {
                for (label, then) in alternatives.iter().filter(|one| one.is_open()).flat_map(Alternative::begun) {
                    found.insert(label);
                    self.events(&then, found);
                }
            }
            Body::If(condition, then, otherwise) => {
                self.events(if condition.holds() { then } else { otherwise }, found);
            }
            Body::Sequence(first, then) => {
                let changes = &self.processes[*first].changes;
                found.extend(self.alphabet(*first).iter().flat_map(|name| changes.renamed(name)).flatten());
                self.events(then, found);
            }
            _ => {}
        }
    }

    fn process(&self, process: usize) -> Result<Lts, Skipped> {
        let ending = |body: &Body| match body {
            Body::End => Ending::Done,
            Body::Error => Ending::Error,
            _ => Ending::None,
        };
        let first = self.head(process, Body::Call(0, None));
        let mut lts = closure(first, ending, |body| self.steps(process, body))?;
        lts.alphabet = self.alphabet(process);
        let lts = if self.processes[process].property { lts.property() } else { lts };
        Ok(lts.renamed(&|name| self.processes[process].changes.renamed(name)))
    }

    fn parts(&self, parts: &[Part]) -> Result<Vec<Lts>, Skipped> {
        let mut all = Vec::new();
        for part in parts {
            let mut found = match &part.member {
                Member::Process(number) => vec![self.process(*number)?],
                Member::Composite(number) => self.composite(*number)?,
                Member::Group(parts) => self.parts(parts)?,
            };
            let with = |lts: &Lts, labels: &[&str]| {
                lts.renamed(&|name| labels.iter().map(|label| Some(format!("{label}.{name}"))).collect())
            };
            if !part.labels.is_empty() {
                let labelled = |label: &&'static str| found.iter().map(|lts| with(lts, &[label])).collect::<Vec<_>>();
                found = part.labels.iter().flat_map(labelled).collect();
            }
            if !part.share.is_empty() {
                found = found.iter().map(|lts| with(lts, &part.share)).collect();
            }
            let relabelled = |name: &str| relabelled(&part.relabel, name).into_iter().map(Some).collect();
            all.extend(found.iter().map(|lts| lts.renamed(&relabelled)));
        }
        Ok(all)
    }

    /// What is relabelled is each part; what is hidden, or under a priority, is composed first.
    fn composite(&self, number: usize) -> Result<Vec<Lts>, Skipped> {
        let Composite { parts, changes } = &self.composites[number];
        let relabelled = |name: &str| relabelled(&changes.relabel, name).into_iter().map(Some).collect();
        let parts: Vec<Lts> = self.parts(parts)?.iter().map(|lts| lts.renamed(&relabelled)).collect();
        if changes.priority.is_none() && changes.hide.is_none() {
            return Ok(parts);
        }
        let mut whole = compose(&parts)?;
        if let Some((low, names)) = &changes.priority {
            whole.prefer(*low, names);
        }
        let hide = Changes { hide: changes.hide.clone(), ..Changes::default() };
        Ok(vec![whole.renamed(&|name| hide.renamed(name))])
    }
}

// The comparison.

/// What the reader made of a text. Hidden events are shown in parentheses.
fn read(composition: &Composition) -> Lts {
    let name = |event: &str| event.replace("].", ".").replace([']'], "").replace('[', ".");
    let visible = |event: &str| (!event.starts_with('(')).then(|| name(event));
    let found = product(composition);
    let ending = |(at, state): (usize, &Vec<u32>)| match () {
        () if found.wrong.contains(&at) => Ending::Error,
        () if composition.is_done(state) => Ending::Done,
        () => Ending::None,
    };
    let steps = |steps: &Vec<(StepLabel, usize)>| {
        let event = |step: StepLabel| match step {
            StepLabel::Silent { .. } => None,
            StepLabel::Event(event) => visible(composition.event_name(event)),
        };
        steps.iter().map(|&(step, to)| (event(step), to)).collect()
    };
    Lts {
        alphabet: composition.events.iter().filter_map(|event| visible(&event.name)).collect(),
        endings: found.states.iter().enumerate().map(ending).collect(),
        steps: found.steps.iter().map(steps).collect(),
    }
}

/// Classes are distinguished by how they end and where their steps lead, until there are no more of them.
fn bisimilar(left: &Lts, right: &Lts) -> bool {
    let shift = |steps: &BTreeSet<(Event, usize)>| -> Vec<(Event, usize)> {
        steps.iter().map(|(event, to)| (event.clone(), to + left.steps.len())).collect()
    };
    let mut steps: Vec<Vec<(Event, usize)>> = left.steps.iter().map(|steps| steps.iter().cloned().collect()).collect();
    steps.extend(right.steps.iter().map(shift));
    let mut classes: Vec<usize> = left.endings.iter().chain(&right.endings).map(|&ending| ending as usize).collect();
    let mut count = 0;
    loop {
        let mut numbers = BTreeMap::new();
        let mut next = Vec::new();
        for (class, steps) in classes.iter().zip(&steps) {
            let moves: BTreeSet<(&Event, usize)> = steps.iter().map(|(event, to)| (event, classes[*to])).collect();
            let fresh = numbers.len();
            next.push(*numbers.entry((*class, moves)).or_insert(fresh));
        }
        let found = numbers.len();
        classes = next;
        if found == count {
            return classes[0] == classes[left.steps.len()];
        }
        count = found;
    }
}

fn deadlocks(lts: &Lts) -> bool {
    lts.endings.iter().zip(&lts.steps).any(|(ending, steps)| *ending == Ending::None && steps.is_empty())
}

#[test]
fn random_models_are_what_their_terms_mean() {
    // Skipped, with a deadlock, with an error, with an end, with steps without a name, with many states.
    let mut counts = [0; 6];
    let (first, count) = (testing::first(0), testing::seeds(800));
    for seed in first..first + count {
        let text = random_text(&mut Random::new(seed ^ 0xf5b0_0000));
        let shown = show(&text);
        let expected = text.composite(text.composites.len() - 1).and_then(|parts| compose(&parts));
        let Ok(expected) = expected else {
            counts[0] += 1;
            continue;
        };
        let read_text = fsp::read("model.fsp", &shown, &fsp::Options::default(), &none);
        let Some(composition) = &read_text.composition else {
            // A property with two steps of one event: a term may stand for several states, so that the twin cannot say.
            let codes: Vec<&str> = read_text.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code).collect();
            assert_eq!(codes, ["F0110"], "seed {seed}\n{}\n{shown}", rendered(&read_text));
            counts[0] += 1;
            continue;
        };
        let found = read(composition);
        assert_eq!(found.alphabet, expected.alphabet, "seed {seed}\n{shown}");
        let has = |lts: &Lts, ending| lts.endings.contains(&ending);
        assert_eq!(deadlocks(&found), deadlocks(&expected), "deadlock, seed {seed}\n{shown}");
        assert_eq!(has(&found, Ending::Error), has(&expected, Ending::Error), "error, seed {seed}\n{shown}");
        assert!(bisimilar(&found, &expected), "seed {seed}\n{shown}");
        counts[1] += u64::from(deadlocks(&expected));
        counts[2] += u64::from(has(&expected, Ending::Error));
        counts[3] += u64::from(has(&expected, Ending::Done));
        counts[4] += u64::from(expected.steps.iter().flatten().any(|(event, _)| event.is_none()));
        counts[5] += u64::from(expected.steps.len() > 8);
    }
    let enough = counts[0] < count / 3 && counts[1..].iter().all(|&some| some > count / 20);
    assert!(testing::long().is_some() || enough, "{counts:?}");
}
