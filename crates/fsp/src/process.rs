//! Primitive processes, run: from clauses to states and steps.
//!
//! A state is a place in the text together with the values of the variables there. Local processes that are only another
//! name for something are followed to what they mean, unless they carry propositions: then they are states of their own.
//! States are found breadth-first from the first clause.
//!
//! The alphabet has the events of *all* local processes for all values of their indices, reachable or not, as in LTSA: an
//! event in the text is one that the process has a say in. Guards that do not hold take their events away.

mod alphabet;
mod locals;
pub(crate) mod property;

use crate::ast::{Alternative, Body, Choice, Clause, Expr, Name, Place, Process};
use crate::context::{Context, Env, Refused, Value};
use crate::determinise;
use crate::group::Part;
use crate::limits::{MOST_STATES, MOST_STEPS};
use crate::lower::Lowering;
use crate::names::Symbol;
use crate::parse::{END, ERROR, STOP};
use crate::raw::{Raw, RawState, SILENT};
use locals::Local;
use model::diagnostic::Diagnostic;
use model::source::Span;
use model::structure::Ending;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

/// Following names for names has an end, or there is none.
const LONGEST_ALIAS: usize = 100_000;

/// Where a process can be.
#[derive(Clone)]
enum Site<'f> {
    Ended(Place),
    Choice(&'f Choice, Env<'f>),
    /// Before the action of this number.
    Middle(&'f Alternative, usize, Env<'f>),
    /// A local process with propositions.
    Labelled(&'f Clause, Env<'f>),
    /// In a state of a process in front of `;`.
    Within(Rc<Sequence<'f>>, usize, u32),
}

/// `P;Q;BODY`, with the processes that come first.
struct Sequence<'f> {
    places: Vec<Place>,
    parts: Vec<Rc<Part>>,
    last: &'f Body,
    env: Env<'f>,
}

pub(crate) struct Builder<'l, 'f, 'a> {
    lowering: &'l mut Lowering<'f, 'a>,
    process: &'f Process,
    locals: HashMap<&'f str, Local<'f>>,
    numbers: HashMap<(Place, Vec<Value>), u32>,
    waiting: VecDeque<(u32, Site<'f>)>,
    states: Vec<RawState>,
    /// For a nameless state: where it was reached from, and by what.
    reached: Vec<Option<(u32, u32)>>,
    events: HashMap<Symbol, u32>,
    alphabet: Vec<Symbol>,
    propositions: Vec<(String, Span)>,
    proposition_numbers: HashMap<String, u32>,
    /// The sequences that were reached: one of their processes may never end, and their events count all the same.
    sequences: BTreeMap<(Place, Vec<Value>), Rc<Sequence<'f>>>,
    steps: usize,
}

/// Runs a process whose parameters are set in the context.
pub(crate) fn run<'f>(lowering: &mut Lowering<'f, '_>, process: &'f Process) -> Result<Raw, Refused> {
    let mut builder = Builder {
        lowering,
        process,
        locals: HashMap::new(),
        numbers: HashMap::new(),
        waiting: VecDeque::new(),
        states: Vec::new(),
        reached: Vec::new(),
        events: HashMap::new(),
        alphabet: Vec::new(),
        propositions: Vec::new(),
        proposition_numbers: HashMap::new(),
        sequences: BTreeMap::new(),
        steps: 0,
    };
    builder.run()
}

impl<'f> Builder<'_, 'f, '_> {
    fn context(&mut self) -> &mut Context<'f> {
        &mut self.lowering.context
    }

    fn run(&mut self) -> Result<Raw, Refused> {
        let process = self.process;
        self.declare()?;
        let Some(first) = process.clauses.first() else { return Ok(Raw::default()) };
        if let Some(index) = first.indices.first().filter(|index| !self.lowering.context.is_single(index)) {
            let error = Diagnostic::error("F0105", index.span, format!("`{}` has to begin somewhere", first.name.text));
            return Err(Box::new(error.help("the first process has no index: `P = Q[0], Q[i:R] = ..`")));
        }
        let begin = if first.labels.is_some() {
            Site::Labelled(first, Env::new())
        } else {
            self.resolve(&first.body, Env::new())?.0
        };
        self.state(begin, Some(first.name.text.clone()), first.name.span, None)?;
        while let Some((number, site)) = self.waiting.pop_front() {
            self.expand(number, site)?;
        }
        for sequence in std::mem::take(&mut self.sequences).into_values() {
            self.alphabet_of_sequence(&sequence)?;
        }
        for clause in &process.clauses {
            self.alphabet_of(clause)?;
        }
        if let Some(set) = &process.extension {
            for name in self.context().set(set, &Env::new())? {
                self.event(&name, set.span)?;
            }
        }
        self.name_states();
        let mut raw = Raw {
            states: std::mem::take(&mut self.states),
            events: std::mem::take(&mut self.alphabet),
            propositions: std::mem::take(&mut self.propositions),
        };
        if process.modifiers.property {
            if process.modifiers.deterministic {
                raw = determinise::determinise(&raw, &mut self.lowering.context, process.name.span)?;
            }
            property::complete(&mut raw, &process.name)?;
        }
        Ok(raw)
    }

    /// Follows names to a place; with the name of the first local process on the way.
    fn resolve(&mut self, body: &'f Body, env: Env<'f>) -> Result<(Site<'f>, Option<String>), Refused> {
        let (mut body, mut env, mut name) = (body, env, None);
        for _ in 0..LONGEST_ALIAS {
            match body {
                Body::Choice(choice) => return Ok((Site::Choice(choice, env), name)),
                Body::If(condition, then, otherwise) => {
                    let span = condition.span().unwrap_or(self.process.name.span);
                    let holds = self.context().integer(condition, &env, span)? != 0;
                    body = if holds { then } else { otherwise };
                }
                Body::Sequence(before, last) => {
                    let sequence = Rc::new(self.sequence(before, last, env)?);
                    let place = sequence.places.first().copied().unwrap_or(ERROR);
                    self.sequences.entry((place, values(&sequence.env))).or_insert_with(|| sequence.clone());
                    match self.within(&sequence, 0, 0) {
                        Some(site) => return Ok((site, name)),
                        None => (body, env) = (last, sequence.env.clone()),
                    }
                }
                Body::Use(used, indices) => {
                    if let (Some(place), true) = (ended(&used.text), indices.is_empty()) {
                        return Ok((Site::Ended(place), name));
                    }
                    let Some((clause, bound, shown)) = self.local(used, indices, &env)? else {
                        return Ok((Site::Ended(ERROR), name));
                    };
                    name.get_or_insert(shown);
                    if clause.labels.is_some() {
                        return Ok((Site::Labelled(clause, bound), name));
                    }
                    (body, env) = (&clause.body, bound);
                }
            }
            self.lowering.context.charge(1, self.process.name.span)?;
        }
        let error = Diagnostic::error("F0109", self.process.name.span, "this process does nothing but name itself");
        Err(Box::new(error.help("somewhere an event has to happen: `P = Q, Q = (a -> P).`")))
    }

    fn sequence(
        &mut self,
        before: &'f [(Place, Name, Vec<Expr>)],
        last: &'f Body,
        env: Env<'f>,
    ) -> Result<Sequence<'f>, Refused> {
        let mut sequence = Sequence { places: Vec::new(), parts: Vec::new(), last, env };
        for (place, name, arguments) in before {
            let mut values = Vec::new();
            for argument in arguments {
                values.push(self.lowering.context.value(argument, &sequence.env, name.span)?);
            }
            sequence.places.push(*place);
            sequence.parts.push(Rc::new(self.lowering.sequential(name, values)?));
        }
        Ok(sequence)
    }

    /// A state of a part of a sequence; the first of the next one where it ends, and nothing where all have ended.
    fn within(&self, sequence: &Rc<Sequence<'f>>, mut part: usize, mut state: u32) -> Option<Site<'f>> {
        loop {
            let raw = &sequence.parts.get(part)?.raw;
            match raw.states.get(state as usize)?.ending {
                Ending::Done => (part, state) = (part + 1, 0),
                Ending::Error => return Some(Site::Ended(ERROR)),
                Ending::None => return Some(Site::Within(sequence.clone(), part, state)),
            }
        }
    }

    /// The number of a state, new if it is not known.
    fn state(
        &mut self,
        site: Site<'f>,
        name: Option<String>,
        span: Span,
        from: Option<(u32, u32)>,
    ) -> Result<u32, Refused> {
        let key = key(&site);
        if let Some(&number) = self.numbers.get(&key) {
            return Ok(number);
        }
        if self.states.len() >= MOST_STATES {
            let message = format!("`{}` has more than {MOST_STATES} states", self.process.name.text);
            return Err(Box::new(Diagnostic::error("F0201", self.process.name.span, message)));
        }
        self.context().charge(1, span)?;
        let number = self.states.len() as u32;
        let (ended, name, span) = match &site {
            Site::Ended(place) => (true, Some(["STOP", "END", "ERROR"][*place as usize].to_owned()), span),
            Site::Choice(choice, _) => (false, name, choice.span),
            Site::Labelled(clause, _) => (false, name, clause.name.span),
            Site::Middle(alternative, at, _) => (false, name, alternative.actions[*at].span),
            Site::Within(..) => (false, name, span),
        };
        let reached = if ended || name.is_some() { None } else { from };
        let state = RawState { name: name.unwrap_or_default(), span: Some(span), ..RawState::default() };
        self.states.push(state);
        self.reached.push(reached);
        self.numbers.insert(key, number);
        self.waiting.push_back((number, site));
        Ok(number)
    }

    /// What can happen in a state, and what holds there.
    fn expand(&mut self, number: u32, mut site: Site<'f>) -> Result<(), Refused> {
        for _ in 0..LONGEST_ALIAS {
            let Site::Labelled(clause, env) = site else { return self.steps(number, site) };
            if let Some(set) = &clause.labels {
                for label in self.context().set(set, &env)? {
                    let proposition = self.proposition(label, set.span);
                    self.states[number as usize].labels.push(proposition);
                }
            }
            site = self.resolve(&clause.body, env)?.0;
        }
        let error = Diagnostic::error("F0109", self.process.name.span, "this process does nothing but name itself");
        Err(Box::new(error.help("somewhere an event has to happen: `P = Q, Q = (a -> P).`")))
    }

    fn steps(&mut self, number: u32, site: Site<'f>) -> Result<(), Refused> {
        match site {
            Site::Ended(place) => {
                let ending = [Ending::None, Ending::Done, Ending::Error][place as usize];
                self.states[number as usize].ending = ending;
                Ok(())
            }
            Site::Choice(choice, env) => {
                for alternative in &choice.alternatives {
                    if self.is_open(alternative, &env)? {
                        self.action(number, alternative, 0, &env)?;
                    }
                }
                Ok(())
            }
            Site::Middle(alternative, at, env) => self.action(number, alternative, at, &env),
            Site::Within(sequence, part, state) => self.step_within(number, &sequence, part, state),
            Site::Labelled(..) => Ok(()),
        }
    }

    fn is_open(&mut self, alternative: &'f Alternative, env: &Env<'f>) -> Result<bool, Refused> {
        let Some(guard) = &alternative.guard else { return Ok(true) };
        let span = guard.span().or(alternative.actions.first().map(|label| label.span));
        let span = span.unwrap_or(self.process.name.span);
        Ok(self.context().integer(guard, env, span)? != 0)
    }

    fn action(&mut self, from: u32, alternative: &'f Alternative, at: usize, env: &Env<'f>) -> Result<(), Refused> {
        let Some(label) = alternative.actions.get(at) else { return Ok(()) };
        for (name, env) in self.lowering.context.label(label, env)? {
            let event = self.event(&name, label.span)?;
            let (site, shown) = if at + 1 < alternative.actions.len() {
                (Site::Middle(alternative, at + 1, env), None)
            } else {
                self.resolve(&alternative.then, env)?
            };
            let to = self.state(site, shown, label.span, Some((from, event)))?;
            self.step(from, event, to, label.span)?;
        }
        Ok(())
    }

    fn step_within(&mut self, from: u32, sequence: &Rc<Sequence<'f>>, part: usize, state: u32) -> Result<(), Refused> {
        let Some(inner) = sequence.parts.get(part).cloned() else { return Ok(()) };
        let Some(raw) = inner.raw.states.get(state as usize) else { return Ok(()) };
        for &label in &raw.labels {
            let (name, span) = inner.raw.propositions[label as usize].clone();
            let proposition = self.proposition(name, span);
            self.states[from as usize].labels.push(proposition);
        }
        for &symbol in inner.events.iter().flatten() {
            self.own(symbol);
        }
        for &(event, to) in &raw.moves {
            let events = inner
                .events
                .get(event as usize)
                .map_or(vec![SILENT], |names| names.iter().map(|&symbol| self.own(symbol)).collect());
            for event in events {
                let (site, name) = match self.within(sequence, part, to) {
                    Some(site) => (site, None),
                    None => self.resolve(sequence.last, sequence.env.clone())?,
                };
                let to = self.state(site, name, inner.span, Some((from, event)))?;
                self.step(from, event, to, inner.span)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, from: u32, event: u32, to: u32, span: Span) -> Result<(), Refused> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            let message = format!("`{}` has more than {MOST_STEPS} steps", self.process.name.text);
            return Err(Box::new(Diagnostic::error("F0201", span, message)));
        }
        self.states[from as usize].moves.push((event, to));
        Ok(())
    }

    fn event(&mut self, name: &str, span: Span) -> Result<u32, Refused> {
        let symbol = self.context().symbols.intern(name, span)?;
        Ok(self.own(symbol))
    }

    /// The own number of an event. What a process in front of `;` hides has no name here.
    fn own(&mut self, symbol: Symbol) -> u32 {
        if self.lowering.context.symbols.entry(symbol).hidden {
            return SILENT;
        }
        let next = self.alphabet.len() as u32;
        let number = *self.events.entry(symbol).or_insert(next);
        if number == next {
            self.alphabet.push(symbol);
        }
        number
    }

    fn proposition(&mut self, name: String, span: Span) -> u32 {
        let next = self.propositions.len() as u32;
        let number = *self.proposition_numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.propositions.push((name, span));
        }
        number
    }
}

/// What tells a state from another.
fn key(site: &Site<'_>) -> (Place, Vec<Value>) {
    match site {
        Site::Ended(place) => (*place, Vec::new()),
        Site::Choice(choice, env) => (choice.place, values(env)),
        Site::Middle(alternative, at, env) => (alternative.first + *at as Place, values(env)),
        Site::Labelled(clause, env) => (clause.place, values(env)),
        Site::Within(sequence, part, state) => {
            let mut values = values(&sequence.env);
            values.push(Value::Int(i64::from(*state)));
            (sequence.places[*part], values)
        }
    }
}

fn values(env: &Env<'_>) -> Vec<Value> {
    env.iter().map(|(_, value)| value.clone()).collect()
}

fn ended(name: &str) -> Option<Place> {
    match name {
        "STOP" => Some(STOP),
        "END" => Some(END),
        "ERROR" => Some(ERROR),
        _ => None,
    }
}
