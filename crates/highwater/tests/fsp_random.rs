//! Random FSP against an interpreter of the book's definition, which knows only the tree that the text was printed from.

use highwater::{Check, Model, Verdict};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::time::Duration;
use testing::Random;

const MOST_STATES: usize = 5_000;
/// The naive search for terminal sets takes time.
const MOST_FOR_PROGRESS: usize = 300;

/// An expression over the index `i` of a local process, the variable `v` of a label and the parameter `N`.
enum Term {
    Number(i64),
    Name(&'static str),
    Binary(&'static str, Box<(Term, Term)>),
}

type Values = BTreeMap<&'static str, i64>;

enum Label {
    Plain(&'static str),
    Indexed(&'static str, Term),
    /// `a[v:0..1]`
    Bound(&'static str, i64),
    Set(Vec<&'static str>),
}

enum Body {
    Stop,
    End,
    Error,
    Choice(Vec<Option_>),
    If(Term, Box<(Body, Body)>),
    /// The local process of this number, with an index.
    Goto(usize, Option<Term>),
}

/// A guard, a label, and what follows.
struct Option_ {
    guard: Option<Term>,
    label: Label,
    next: Body,
}

/// A local process; the first is the process itself and has no index.
struct Local {
    high: Option<i64>,
    body: Body,
}

struct Process {
    property: bool,
    /// What stands in front.
    words: &'static str,
    /// The value of `N` where none is given.
    parameter: i64,
    locals: Vec<Local>,
    extension: Vec<&'static str>,
    changes: Changes,
}

/// `/{new/old}` and `\{..}` or `@{..}`.
#[derive(Default)]
struct Changes {
    relabel: Vec<(Vec<&'static str>, String)>,
    hide: Vec<String>,
    interface: bool,
}

/// How a process stands in a composition.
enum Part {
    Plain(usize, Option<i64>),
    Labelled(&'static str, usize),
    Shared(Vec<&'static str>, usize),
    /// `forall[j:0..1] q[j]:P`
    Indexed(usize),
}

struct System {
    processes: Vec<Process>,
    parts: Vec<Part>,
    changes: Changes,
    /// `<<{..}`, or `>>{..}` with `true`.
    priority: Option<(bool, Vec<String>)>,
    /// `||T = S/{new/old}`, if `S` is composed first: it hides something, or has a priority.
    outer: Vec<(String, String)>,
    formulas: Vec<(usize, String, String)>,
    /// `progress G0 = {..}`, or `if {..} then {..}`.
    progress: Vec<(Option<Vec<String>>, Vec<String>)>,
}

/// What the interpreter makes of a process.
#[derive(Clone)]
struct Lts {
    alphabet: BTreeSet<String>,
    moves: Vec<Vec<(Option<String>, usize)>>,
    ends: Vec<Ending>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    None,
    Done,
    Error,
}

impl Term {
    fn text(&self) -> String {
        match self {
            Term::Number(value) => value.to_string(),
            Term::Name(name) => (*name).to_owned(),
            Term::Binary(operator, sides) => format!("({} {operator} {})", sides.0.text(), sides.1.text()),
        }
    }

    fn value(&self, values: &Values) -> i64 {
        match self {
            Term::Number(value) => *value,
            Term::Name(name) => values[name],
            Term::Binary(operator, sides) => {
                let (a, b) = (sides.0.value(values), sides.1.value(values));
                match *operator {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "%" => a % b,
                    "<" => i64::from(a < b),
                    "<=" => i64::from(a <= b),
                    ">" => i64::from(a > b),
                    "==" => i64::from(a == b),
                    "!=" => i64::from(a != b),
                    "&&" => i64::from(a != 0 && b != 0),
                    "||" => i64::from(a != 0 || b != 0),
                    other => panic!("no operator: {other}"),
                }
            }
        }
    }
}

/// Plain names, and names that always have an index.
const PLAIN: [&str; 4] = ["a", "b", "c", "d"];
const WITH_INDEX: [&str; 2] = ["e", "f"];

struct Generator {
    random: Random,
    /// The names that are known here.
    names: Vec<&'static str>,
    /// The highest index of each local process.
    highs: Vec<Option<i64>>,
    property: bool,
}

impl Generator {
    fn operand(&mut self) -> Term {
        if self.random.chance(65) {
            let names = self.names.clone();
            return Term::Name(self.random.pick(&names));
        }
        Term::Number(self.random.below(3))
    }

    fn condition(&mut self) -> Term {
        let compare = |g: &mut Self| {
            let sides = (g.operand(), g.operand());
            Term::Binary(g.random.pick(&["<", "<=", ">", "==", "!="]), Box::new(sides))
        };
        let first = compare(self);
        if self.random.chance(80) {
            return first;
        }
        Term::Binary(self.random.pick(&["&&", "||"]), Box::new((first, compare(self))))
    }

    /// A number from 0 to `high`.
    fn index(&mut self, high: i64) -> Term {
        if self.random.chance(30) {
            return Term::Number(self.random.below(high + 1));
        }
        let sum = Term::Binary(self.random.pick(&["+", "*"]), Box::new((self.operand(), self.operand())));
        Term::Binary("%", Box::new((sum, Term::Number(high + 1))))
    }

    fn label(&mut self) -> Label {
        match self.random.below(8) {
            0 | 1 => {
                let base = self.random.pick(&WITH_INDEX);
                Label::Indexed(base, self.index(1))
            }
            2 if !self.property => Label::Bound(self.random.pick(&WITH_INDEX), 1),
            3 if !self.property => Label::Set(vec![self.random.pick(&PLAIN), self.random.pick(&PLAIN)]),
            _ => Label::Plain(self.random.pick(&PLAIN)),
        }
    }

    fn target(&mut self, depth: usize) -> Body {
        if depth > 0 && self.random.chance(35) {
            return self.body(depth - 1);
        }
        if !self.property && self.random.one_in(7) {
            return [Body::Stop, Body::End, Body::Error].into_iter().nth(self.random.below(3)).unwrap_or(Body::Stop);
        }
        let local = self.random.below(self.highs.len());
        // Some are out of range: that is an error.
        let beyond = i64::from(!self.property && self.random.one_in(8));
        Body::Goto(local, self.highs[local].map(|high| self.index(high + beyond)))
    }

    fn body(&mut self, depth: usize) -> Body {
        if depth > 0 && self.random.one_in(6) {
            let condition = self.condition();
            return Body::If(condition, Box::new((self.body(depth - 1), self.body(depth - 1))));
        }
        let mut options: Vec<Option_> = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let guard = self.random.chance(30).then(|| self.condition());
            let label = self.label();
            // A property must be deterministic: one option for each name.
            if self.property && options.iter().any(|other| other.label.base() == label.base()) {
                continue;
            }
            let known = self.names.len();
            if matches!(label, Label::Bound(..)) {
                self.names.push("v");
            }
            let next = self.target(depth);
            self.names.truncate(known);
            options.push(Option_ { guard, label, next });
        }
        Body::Choice(options)
    }

    fn process(&mut self, property: bool) -> Process {
        self.property = property;
        self.highs = vec![None];
        for _ in 0..self.random.below(3) {
            let high = self.random.chance(70).then(|| 1 + self.random.below(2));
            self.highs.push(high);
        }
        let mut locals = Vec::new();
        for high in self.highs.clone() {
            self.names = if high.is_some() { vec!["N", "i"] } else { vec!["N"] };
            locals.push(Local { high, body: self.body(2) });
        }
        let extension = if self.random.one_in(4) { vec![self.random.pick(&PLAIN)] } else { vec![] };
        let changes = if property { Changes::default() } else { self.changes("") };
        let words = match self.random.below(6) {
            0 if !property => "deterministic ",
            1 => "minimal ",
            _ => "",
        };
        Process { property, words, parameter: self.random.below(3), locals, extension, changes }
    }

    fn changes(&mut self, prefix: &str) -> Changes {
        let mut changes = Changes::default();
        if self.random.one_in(4) {
            let old = format!("{prefix}{}", self.old());
            let mut new = vec![self.random.pick(&["a", "b", "g"])];
            if self.random.one_in(4) {
                new.push("h");
            }
            changes.relabel.push((new, old));
        }
        if self.random.one_in(4) {
            changes.hide = (0..1 + self.random.below(2)).map(|_| format!("{prefix}{}", self.old())).collect();
            changes.interface = self.random.one_in(3);
        }
        changes
    }

    fn old(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("{}[{}]", self.random.pick(&WITH_INDEX), self.random.below(2)),
            _ => self.random.pick(&PLAIN).to_owned(),
        }
    }

    fn part(&mut self, process: usize, property: bool) -> Part {
        if property {
            return Part::Plain(process, None);
        }
        match self.random.below(7) {
            0 => Part::Labelled(self.random.pick(&["x", "y"]), process),
            1 => Part::Shared(vec!["x", "y"], process),
            2 => Part::Indexed(process),
            3 => Part::Plain(process, Some(self.random.below(3))),
            _ => Part::Plain(process, None),
        }
    }
}

/// One of these names.
fn one(random: &mut Random, names: &[String]) -> String {
    names[random.below(names.len())].clone()
}

fn system(seed: u64) -> System {
    let mut g = Generator { random: Random::new(seed), names: vec![], highs: vec![], property: false };
    let mut processes: Vec<Process> = (0..1 + g.random.below(3)).map(|_| g.process(false)).collect();
    let mut parts = Vec::new();
    for index in 0..processes.len() {
        let part = g.part(index, false);
        parts.push(part);
    }
    if g.random.chance(40) {
        parts.push(Part::Plain(processes.len(), None));
        processes.push(g.process(true));
    }
    let prefix = if parts.iter().any(|p| matches!(p, Part::Labelled(..) | Part::Shared(..))) { "x." } else { "" };
    let changes = g.changes(prefix);
    let mut system = System {
        processes,
        parts,
        changes,
        priority: None,
        outer: Vec::new(),
        formulas: Vec::new(),
        progress: Vec::new(),
    };
    let events: BTreeSet<String> = system.components().iter().flat_map(|lts| lts.alphabet.iter().cloned()).collect();
    let events: Vec<String> = events.into_iter().collect();
    if !events.is_empty() && g.random.one_in(3) {
        let named = (0..1 + g.random.below(2)).map(|_| one(&mut g.random, &events)).collect();
        system.priority = Some((g.random.chance(50), named));
    }
    let mut visible: Vec<String> = events.iter().filter(|event| !system.changes.hides(event)).cloned().collect();
    let composed_first = system.priority.is_some() || !system.changes.hide.is_empty();
    if composed_first && visible.len() > 1 && g.random.chance(60) {
        let (old, new) = (one(&mut g.random, &visible), one(&mut g.random, &visible));
        system.outer.push((new, old));
    }
    visible = visible.iter().map(|event| system.outside(event)).collect();
    if !visible.is_empty() {
        let mut event = || one(&mut g.random, &visible);
        let pairs = [(event(), event()), (event(), event())];
        for (a, b) in pairs {
            system.formulas.push((g.random.below(4), a, b));
        }
        for _ in 0..2 {
            let condition = g.random.one_in(3).then(|| vec![one(&mut g.random, &visible)]);
            let events = (0..1 + g.random.below(2)).map(|_| one(&mut g.random, &visible)).collect();
            system.progress.push((condition, events));
        }
    }
    system
}

impl Label {
    fn base(&self) -> &'static str {
        match self {
            Label::Plain(base) | Label::Indexed(base, _) | Label::Bound(base, _) => base,
            Label::Set(names) => names[0],
        }
    }

    fn text(&self) -> String {
        match self {
            Label::Plain(base) => (*base).to_owned(),
            Label::Indexed(base, index) => format!("{base}[{}]", index.text()),
            Label::Bound(base, high) => format!("{base}[v:0..{high}]"),
            Label::Set(names) => format!("{{{}}}", names.join(", ")),
        }
    }

    /// The events, with the values that are known after each.
    fn events(&self, values: &Values) -> Vec<(String, Values)> {
        match self {
            Label::Plain(base) => vec![((*base).to_owned(), values.clone())],
            Label::Indexed(base, index) => vec![(format!("{base}[{}]", index.value(values)), values.clone())],
            Label::Bound(base, high) => {
                let with = |v: i64| {
                    let mut values = values.clone();
                    values.insert("v", v);
                    (format!("{base}[{v}]"), values)
                };
                (0..=*high).map(with).collect()
            }
            Label::Set(names) => names.iter().map(|name| ((*name).to_owned(), values.clone())).collect(),
        }
    }
}

impl Body {
    fn text(&self) -> String {
        match self {
            Body::Stop => "STOP".to_owned(),
            Body::End => "END".to_owned(),
            Body::Error => "ERROR".to_owned(),
            Body::Choice(options) => {
                let option = |o: &Option_| {
                    let guard = o.guard.as_ref().map_or_else(String::new, |g| format!("when ({}) ", g.text()));
                    format!("{guard}{} -> {}", o.label.text(), o.next.text())
                };
                format!("({})", options.iter().map(option).collect::<Vec<_>>().join(" | "))
            }
            Body::If(test, sides) => {
                format!("if ({}) then {} else {}", test.text(), sides.0.text(), sides.1.text())
            }
            Body::Goto(local, index) => {
                format!("L{local}{}", index.as_ref().map_or_else(String::new, |index| format!("[{}]", index.text())))
            }
        }
    }
}

impl Process {
    fn text(&self, number: usize) -> String {
        let mut clauses = Vec::new();
        for (index, local) in self.locals.iter().enumerate() {
            let name = if index == 0 {
                format!("P{number}(N={}) = L0,\nL0", self.parameter)
            } else {
                format!("L{index}{}", local.high.map_or_else(String::new, |high| format!("[i:0..{high}]")))
            };
            clauses.push(format!("{name} = {}", local.body.text()));
        }
        let property = format!("{}{}", self.words, if self.property { "property " } else { "" });
        let extension =
            if self.extension.is_empty() { String::new() } else { format!(" + {{{}}}", self.extension.join(", ")) };
        format!("{property}{}{extension}{}.\n", clauses.join(",\n"), self.changes.text())
    }

    /// The place of a body: what comes before an event.
    fn place<'p>(&'p self, mut body: &'p Body, mut values: Values) -> (&'p Body, Values) {
        loop {
            match body {
                Body::If(test, sides) => body = if test.value(&values) != 0 { &sides.0 } else { &sides.1 },
                Body::Goto(local, index) => {
                    let index = index.as_ref().map(|index| index.value(&values));
                    if index.zip(self.locals[*local].high).is_some_and(|(index, high)| index > high) {
                        return (&Body::Error, Values::new());
                    }
                    values = Values::from([("N", values["N"])]);
                    values.extend(index.map(|index| ("i", index)));
                    body = &self.locals[*local].body;
                }
                _ => return (body, values),
            }
        }
    }

    fn options<'p>(&'p self, body: &'p Body, values: &Values) -> Vec<(String, (&'p Body, Values))> {
        let Body::Choice(options) = body else { return Vec::new() };
        let taken = options.iter().filter(|o| o.guard.as_ref().is_none_or(|guard| guard.value(values) != 0));
        taken.flat_map(|o| o.label.events(values).into_iter().map(|(e, v)| (e, self.place(&o.next, v)))).collect()
    }

    fn lts(&self, parameter: Option<i64>) -> Lts {
        let first = Values::from([("N", parameter.unwrap_or(self.parameter))]);
        let mut places = vec![self.place(&self.locals[0].body, first.clone())];
        // What is never reached counts for the alphabet.
        for local in &self.locals {
            for index in 0..=local.high.unwrap_or(0) {
                let mut values = first.clone();
                values.extend(local.high.map(|_| ("i", index)));
                places.push(self.place(&local.body, values));
            }
        }
        let mut numbers: HashMap<(*const Body, Values), usize> = HashMap::new();
        let mut states: Vec<(&Body, Values)> = Vec::new();
        for place in places {
            numbers.entry((std::ptr::from_ref(place.0), place.1.clone())).or_insert_with(|| {
                states.push(place);
                states.len() - 1
            });
        }
        let mut lts = Lts { alphabet: BTreeSet::new(), moves: Vec::new(), ends: Vec::new() };
        let mut at = 0;
        while at < states.len() {
            let (body, values) = states[at].clone();
            let mut moves = Vec::new();
            for (event, place) in self.options(body, &values) {
                lts.alphabet.insert(event.clone());
                let next = *numbers.entry((std::ptr::from_ref(place.0), place.1.clone())).or_insert_with(|| {
                    states.push(place);
                    states.len() - 1
                });
                moves.push((Some(event), next));
            }
            lts.moves.push(moves);
            lts.ends.push(match body {
                Body::End => Ending::Done,
                Body::Error => Ending::Error,
                _ => Ending::None,
            });
            at += 1;
        }
        lts.alphabet.extend(self.extension.iter().map(|name| (*name).to_owned()));
        if self.property {
            lts.complete();
        }
        let lts = lts.relabelled(&self.changes).hidden(&self.changes);
        if self.words == "deterministic " { lts.determinised() } else { lts }
    }
}

impl Lts {
    /// The sets of states that it can be in after the same events.
    fn determinised(&self) -> Lts {
        let closed = |states: BTreeSet<usize>| {
            let mut set = states;
            loop {
                let silent = set.iter().flat_map(|&state| &self.moves[state]).filter(|(event, _)| event.is_none());
                let more: BTreeSet<usize> = silent.map(|(_, to)| *to).filter(|to| !set.contains(to)).collect();
                if more.is_empty() {
                    return set;
                }
                set.extend(more);
            }
        };
        let mut sets = vec![closed(BTreeSet::from([0]))];
        let mut lts = Lts { alphabet: self.alphabet.clone(), moves: Vec::new(), ends: Vec::new() };
        while let Some(set) = sets.get(lts.moves.len()).cloned() {
            let is = |ending| set.iter().any(|&state| self.ends[state] == ending);
            lts.ends.push(match (is(Ending::Error), is(Ending::Done)) {
                (true, _) => Ending::Error,
                (false, true) => Ending::Done,
                (false, false) => Ending::None,
            });
            let mut moves = Vec::new();
            for event in &self.alphabet {
                let steps = set.iter().flat_map(|&state| &self.moves[state]);
                let next: BTreeSet<usize> =
                    steps.filter(|(e, _)| e.as_ref() == Some(event)).map(|(_, to)| *to).collect();
                if next.is_empty() {
                    continue;
                }
                let next = closed(next);
                let number = sets.iter().position(|known| *known == next).unwrap_or_else(|| {
                    sets.push(next);
                    sets.len() - 1
                });
                moves.push((Some(event.clone()), number));
            }
            lts.moves.push(moves);
        }
        lts
    }

    /// A property goes to the error by every event that it does not allow, and may stop anywhere else.
    fn complete(&mut self) {
        self.ends.fill(Ending::Done);
        let error = self.moves.len();
        for moves in &mut self.moves {
            let allowed: BTreeSet<String> = moves.iter().filter_map(|(event, _)| event.clone()).collect();
            moves.extend(self.alphabet.difference(&allowed).map(|event| (Some(event.clone()), error)));
        }
        self.moves.push(Vec::new());
        self.ends.push(Ending::Error);
    }

    /// Replaces each event by several.
    fn renamed(&self, names: impl Fn(&str) -> Vec<String>) -> Lts {
        let step = |(event, to): &(Option<String>, usize)| -> Vec<(Option<String>, usize)> {
            match event {
                Some(event) => names(event).into_iter().map(|name| (Some(name), *to)).collect(),
                None => vec![(None, *to)],
            }
        };
        Lts {
            alphabet: self.alphabet.iter().flat_map(|event| names(event)).collect(),
            moves: self.moves.iter().map(|moves| moves.iter().flat_map(step).collect()).collect(),
            ends: self.ends.clone(),
        }
    }

    fn relabelled(&self, changes: &Changes) -> Lts {
        self.renamed(|event| match changes.relabel.iter().find(|(_, old)| old == event) {
            Some((new, _)) => new.iter().map(|name| (*name).to_owned()).collect(),
            None => vec![event.to_owned()],
        })
    }

    /// Hidden events are internal steps of this process.
    fn hidden(mut self, changes: &Changes) -> Lts {
        self.alphabet.retain(|event| !changes.hides(event));
        for (event, _) in self.moves.iter_mut().flatten() {
            if event.as_ref().is_some_and(|event| changes.hides(event)) {
                *event = None;
            }
        }
        self
    }
}

impl Changes {
    fn hides(&self, event: &str) -> bool {
        !self.hide.is_empty() && self.hide.iter().any(|name| name == event) != self.interface
    }

    fn text(&self) -> String {
        format!("{}{}", self.relabel_text(), self.hide_text())
    }

    fn relabel_text(&self) -> String {
        let mut text = String::new();
        for (new, old) in &self.relabel {
            let _ = match new.as_slice() {
                [one] => write!(text, "/{{{one}/{old}}}"),
                several => write!(text, "/{{{{{}}}/{old}}}", several.join(", ")),
            };
        }
        text
    }

    fn hide_text(&self) -> String {
        if self.hide.is_empty() {
            return String::new();
        }
        format!("{}{{{}}}", if self.interface { "@" } else { "\\" }, self.hide.join(", "))
    }
}

impl System {
    /// The name of an event after the last relabelling.
    fn outside(&self, event: &str) -> String {
        let new = self.outer.iter().find(|(_, old)| old == event);
        new.map_or_else(|| event.to_owned(), |(new, _)| new.clone())
    }

    fn text(&self) -> String {
        let mut text: String = self.processes.iter().enumerate().map(|(n, process)| process.text(n)).collect();
        let part = |part: &Part| match part {
            Part::Plain(process, None) => format!("P{process}"),
            Part::Plain(process, Some(value)) => format!("P{process}({value})"),
            Part::Labelled(label, process) => format!("{label}:P{process}"),
            Part::Shared(labels, process) => format!("{{{}}}::P{process}", labels.join(", ")),
            Part::Indexed(process) => format!("forall[j:0..1] q[j]:P{process}"),
        };
        let parts: Vec<String> = self.parts.iter().map(part).collect();
        let priority = self.priority.as_ref().map_or_else(String::new, |(low, names)| {
            format!("{}{{{}}}", if *low { ">>" } else { "<<" }, names.join(", "))
        });
        let (relabel, hide) = (self.changes.relabel_text(), self.changes.hide_text());
        let _ = writeln!(text, "||S = ({}){relabel}{priority}{hide}.", parts.join(" || "));
        for (new, old) in &self.outer {
            let _ = writeln!(text, "||T = (S)/{{{new}/{old}}}.");
        }
        for (number, (condition, events)) in self.progress.iter().enumerate() {
            let condition =
                condition.as_ref().map_or_else(String::new, |names| format!("if {{{}}} then ", names.join(", ")));
            let _ = writeln!(text, "progress G{number} = {condition}{{{}}}", events.join(", "));
        }
        for (number, (shape, a, b)) in self.formulas.iter().enumerate() {
            let formula = match shape {
                0 => format!("[] !{a}"),
                1 => format!("[] <> {a}"),
                2 => format!("[] ({a} -> <> {b})"),
                _ => format!("<> [] !{a}"),
            };
            let _ = writeln!(text, "ltl F{number} {{ {formula} }}");
        }
        text
    }

    /// The components of the composition, after its relabelling.
    fn components(&self) -> Vec<Lts> {
        let mut all = Vec::new();
        let prefixed = |lts: Lts, labels: &[String]| {
            lts.renamed(|event| labels.iter().map(|label| format!("{label}.{event}")).collect())
        };
        for part in &self.parts {
            let lts = |process: &usize, parameter| self.processes[*process].lts(parameter);
            match part {
                Part::Plain(process, parameter) => all.push(lts(process, *parameter)),
                Part::Labelled(label, process) => all.push(prefixed(lts(process, None), &[(*label).to_owned()])),
                Part::Shared(labels, process) => {
                    let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
                    all.push(prefixed(lts(process, None), &labels));
                }
                Part::Indexed(process) => {
                    all.extend((0..2).map(|j| prefixed(lts(process, None), &[format!("q[{j}]")])));
                }
            }
        }
        all.iter().map(|lts| lts.relabelled(&self.changes)).collect()
    }

    /// All that can be reached; `None` if that is too much.
    fn product(&self) -> Option<Product> {
        let components = self.components();
        let mut states = vec![vec![0; components.len()]];
        let mut numbers = HashMap::from([(states[0].clone(), 0)]);
        let mut product = Product::default();
        let mut at = 0;
        while at < states.len() {
            let state = states[at].clone();
            let ended = |ending| state.iter().zip(&components).map(move |(&s, lts)| lts.ends[s] == ending);
            let wrong = ended(Ending::Error).any(|yes| yes);
            let mut steps = if wrong { Vec::new() } else { steps(&components, &state) };
            if let Some((low, names)) = &self.priority {
                let first = |event: &Option<String>| event.as_ref().is_some_and(|event| names.contains(event)) != *low;
                if steps.iter().any(|(event, _)| first(event)) {
                    steps.retain(|(event, _)| first(event));
                }
            }
            product.done.push(!wrong && ended(Ending::Done).all(|yes| yes));
            product.wrong |= wrong;
            product.stuck |= !wrong && steps.is_empty() && !ended(Ending::Done).all(|yes| yes);
            let mut found = Vec::new();
            for (event, next) in steps {
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    states.push(next);
                    states.len() - 1
                });
                let event = event.filter(|event| !self.changes.hides(event));
                found.push((event.map(|event| self.outside(&event)), number));
            }
            if states.len() > MOST_STATES {
                return None;
            }
            product.moves.push(found);
            at += 1;
        }
        Some(product)
    }
}

/// An event needs all components that have it; an internal step needs one.
fn steps(components: &[Lts], state: &[usize]) -> Vec<(Option<String>, Vec<usize>)> {
    let mut found = Vec::new();
    let events: BTreeSet<&String> = components.iter().flat_map(|lts| &lts.alphabet).collect();
    for event in events {
        let mut targets = vec![state.to_vec()];
        for (index, lts) in components.iter().enumerate().filter(|(_, lts)| lts.alphabet.contains(event)) {
            let own: Vec<usize> =
                lts.moves[state[index]].iter().filter(|(e, _)| e.as_ref() == Some(event)).map(|(_, to)| *to).collect();
            let with = |target: &Vec<usize>, to: usize| {
                let mut target = target.clone();
                target[index] = to;
                target
            };
            targets = targets.iter().flat_map(|target| own.iter().map(move |to| with(target, *to))).collect();
        }
        found.extend(targets.into_iter().map(|target| (Some(event.clone()), target)));
    }
    for (index, lts) in components.iter().enumerate() {
        for (event, to) in &lts.moves[state[index]] {
            if event.is_none() {
                let mut target = state.to_vec();
                target[index] = *to;
                found.push((None, target));
            }
        }
    }
    found
}

#[derive(Default)]
struct Product {
    moves: Vec<Vec<(Option<String>, usize)>>,
    done: Vec<bool>,
    stuck: bool,
    wrong: bool,
}

impl Product {
    /// The states from which a run of allowed steps goes on without end.
    fn endless(&self, allowed: impl Fn(&Option<String>) -> bool) -> Vec<bool> {
        let mut live = vec![true; self.moves.len()];
        loop {
            let mut changed = false;
            for state in 0..live.len() {
                let goes_on = self.moves[state].iter().any(|(event, to)| allowed(event) && live[*to]);
                if live[state] && !goes_on {
                    live[state] = false;
                    changed = true;
                }
            }
            if !changed {
                return live;
            }
        }
    }

    fn reaches(&self, from: usize, wanted: usize) -> bool {
        let mut seen = vec![false; self.moves.len()];
        let mut waiting = vec![from];
        while let Some(state) = waiting.pop() {
            if state == wanted {
                return true;
            }
            if !std::mem::replace(&mut seen[state], true) {
                waiting.extend(self.moves[state].iter().map(|(_, to)| *to));
            }
        }
        false
    }

    /// The events of each terminal set: what happens in the states that a state leads to, if they all lead back.
    fn terminal_sets(&self) -> Vec<BTreeSet<String>> {
        let mut found = Vec::new();
        for state in 0..self.moves.len() {
            let (mut seen, mut waiting) = (BTreeSet::from([state]), vec![state]);
            while let Some(at) = waiting.pop() {
                waiting.extend(self.moves[at].iter().map(|(_, to)| *to).filter(|to| seen.insert(*to)));
            }
            let over = self.moves[state].is_empty() && self.done[state];
            if !over && seen.iter().all(|&other| self.reaches(other, state)) {
                found
                    .push(seen.iter().flat_map(|&at| &self.moves[at]).filter_map(|(event, _)| event.clone()).collect());
            }
        }
        found
    }

    /// Whether an infinite run violates a formula; every state of the product is reached.
    fn violates(&self, shape: usize, a: &String, b: &String) -> bool {
        let is = |event: &Option<String>, name: &String| event.as_ref() == Some(name);
        let steps =
            || self.moves.iter().enumerate().flat_map(|(from, list)| list.iter().map(move |(e, to)| (from, e, *to)));
        match shape {
            0 => {
                let live = self.endless(|_| true);
                steps().any(|(_, event, to)| is(event, a) && live[to])
            }
            1 => self.endless(|event| !is(event, a)).contains(&true),
            2 => {
                let live = self.endless(|event| !is(event, b));
                a != b && steps().any(|(_, event, to)| is(event, a) && live[to])
            }
            _ => steps().any(|(from, event, to)| is(event, a) && self.reaches(to, from)),
        }
    }
}

#[test]
fn verdicts_are_those_of_the_definition() {
    let (mut proved, mut violated, mut open, mut large) = (0, 0, 0, 0);
    for seed in testing::first(1)..testing::first(1) + testing::seeds(300) {
        let system = system(seed);
        let text = system.text();
        let Some(product) = system.product() else {
            large += 1;
            continue;
        };
        let model =
            Model::from_text("random.fsp", &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let report = Check::new(&model).timeout(Duration::from_secs(5)).run().unwrap();
        let formulas = system.formulas.iter().enumerate();
        let mut expected = vec![("safety".to_owned(), product.wrong), ("deadlock".to_owned(), product.stuck)];
        expected.extend(formulas.map(|(n, (shape, a, b))| (format!("ltl:F{n}"), product.violates(*shape, a, b))));
        if product.moves.len() <= MOST_FOR_PROGRESS {
            let sets = product.terminal_sets();
            for (number, (condition, events)) in system.progress.iter().enumerate() {
                let one_of = |names: &Vec<String>, set: &BTreeSet<String>| names.iter().any(|name| set.contains(name));
                let concerned = |set: &&BTreeSet<String>| condition.as_ref().is_none_or(|names| one_of(names, set));
                let wrong = sets.iter().filter(concerned).any(|set| !one_of(events, set));
                expected.push((format!("progress:G{number}"), wrong));
            }
        }
        for (property, wrong) in expected {
            let Some(finding) = report.finding(&property) else {
                assert!(property == "safety" && !wrong, "seed {seed}: nothing about {property}\n{text}");
                continue;
            };
            match finding.verdict() {
                Verdict::Violated => violated += 1,
                Verdict::Proved => proved += 1,
                _ => open += 1,
            }
            let ours = finding.verdict() == Verdict::Violated;
            let answered = finding.reason().is_none();
            assert!(!answered || ours == wrong, "seed {seed}: {property} is violated: {ours} here, {wrong}\n{text}");
        }
    }
    let figures = format!("{proved} proved, {violated} violated, {open} open or vacuous; {large} products too large");
    #[allow(clippy::print_stdout)]
    {
        println!("{figures}");
    }
    assert!(proved > violated / 4 && violated > 0, "{figures}");
}
