//! Formulas and fluents: names in a formula become events and propositions of the composition.
//!
//! An atom is an event, a proposition, a fluent, or several labels in braces, of which one must hold: `{a, b[1..2]}`.
//! Indices can be constants of the text. Where a name is both an event and a proposition, `"event x"` and `"prop x"` say
//! which; quotes also help where a name is a word of temporal logic: `"release"`.
//!
//! A fluent is a component that watches: two states, with the proposition of its name in one of them, and in both a step
//! for each of its events, so that it never keeps anything from happening. As a proposition it is true *after* an event
//! that begins it. LTSA's `assert` counts it as true already at the position where that event happens, so there the atom
//! `F` is read as `begins || (F && !ends)`. In `ltl` it is the proposition.

use crate::asserts::Asserts;
use crate::ast::{File, Fluent, FormulaText, Label, Name};
use crate::context::{Context, Env, Refused};
use crate::lexer::tokenize;
use crate::names::joined;
use crate::parse::parse_labels;
use crate::{Options, progress};
use model::composition::{Atom, Component, Composition, Named, Requirement};
use model::diagnostic::{Diagnostic, nearest};
use model::formula::{Connective, Ltl, Modality};
use model::ids::{EventId, PropositionId};
use model::source::{FileId, Span};
use model::structure::{Ending, Move, StateParts, Structure};
use std::collections::HashMap;

/// The most names that one atom can stand for.
const MOST_NAMES: usize = 10_000;

/// A fluent written out: one for each choice of its indices.
struct Watcher {
    begins: Vec<EventId>,
    ends: Vec<EventId>,
    initially: bool,
    span: Span,
    /// Its proposition, once a formula uses it.
    proposition: Option<PropositionId>,
}

/// Adds the formulas of a text, and the fluents that they use, to a composition.
pub(crate) fn add(
    composition: &mut Composition,
    file: &File,
    extra: &[FormulaText],
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut context = Context::new(file);
    progress::add(composition, file, diagnostics);
    let mut names = Names::new(composition);
    for fluent in &file.fluents {
        if let Err(error) = names.fluent(fluent, &mut context, diagnostics) {
            diagnostics.push(*error);
        }
    }
    let mut found: Vec<(&Name, bool, Result<Requirement, Refused>)> = Vec::new();
    let is_chosen = options.system.is_some();
    let mut asserts = Asserts::new(file, &mut names, composition);
    for assert in &file.asserts {
        found.push((&assert.name, is_chosen, asserts.requirement(assert)));
    }
    let own = file.formulas.iter().map(|formula| (formula, is_chosen));
    for (formula, is_chosen) in own.chain(extra.iter().map(|formula| (formula, false))) {
        found.push((&formula.name, is_chosen, names.formula(formula, file, composition, diagnostics)));
    }
    for (name, may_be_of_another, requirement) in found {
        match requirement {
            Ok(requirement) => composition.formulas.push(requirement),
            Err(error) if may_be_of_another && error.code == "F0302" => {
                let message = format!("`{}` is left out: {}", name.text, error.message);
                diagnostics.push(Diagnostic::warning("F0506", error.primary.span, message));
            }
            Err(error) => diagnostics.push(*error),
        }
    }
}

/// What names in formulas can stand for.
pub(crate) struct Names {
    events: HashMap<String, EventId>,
    propositions: HashMap<String, PropositionId>,
    watchers: HashMap<String, Watcher>,
}

impl Names {
    fn new(composition: &Composition) -> Names {
        let number = |(index, named): (usize, &Named)| (named.name.clone(), index);
        let events = composition.events.iter().enumerate().map(number);
        let propositions = composition.propositions.iter().enumerate().map(number);
        Names {
            events: events.map(|(name, index)| (name, EventId::from(index))).collect(),
            propositions: propositions.map(|(name, index)| (name, PropositionId::from(index))).collect(),
            watchers: HashMap::new(),
        }
    }

    fn fluent<'f>(
        &mut self,
        fluent: &'f Fluent,
        context: &mut Context<'f>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<(), Refused> {
        let mut all = Vec::new();
        context.for_all(&fluent.indices, &Env::new(), &mut |context, env| {
            let mut name = fluent.name.text.clone();
            for index in &fluent.indices {
                let bound = index.variable.as_ref().and_then(|variable| {
                    env.iter().rev().find(|(known, _)| *known == variable.text).map(|(_, value)| value.part())
                });
                let Some(part) = bound else {
                    let error = Diagnostic::error("F0304", index.span, "the index of a fluent needs a variable");
                    return Err(Box::new(error.help("write `fluent F[i:0..2] = <a[i], b[i]>`")));
                };
                name = joined(&name, &part);
            }
            let (begins, ends) = (context.set(&fluent.begins, env)?, context.set(&fluent.ends, env)?);
            let initially = match &fluent.initially {
                Some(value) => context.integer(value, env, fluent.name.span)? != 0,
                None => false,
            };
            all.push((name, begins, ends, initially));
            Ok(())
        })?;
        for (name, begins, ends, initially) in all {
            if let Some(both) = begins.iter().find(|event| ends.contains(event)) {
                let message = format!("`{both}` both begins and ends the fluent `{name}`");
                return Err(Box::new(Diagnostic::error("F0304", fluent.ends.span, message)));
            }
            let mut known = |events: &[String], span: Span| -> Vec<EventId> {
                let (found, missing): (Vec<_>, Vec<_>) =
                    events.iter().partition(|event| self.events.contains_key(*event));
                if let Some(event) = missing.first() {
                    let message = format!("no component has the event `{event}` of the fluent `{name}`");
                    let mut warning = Diagnostic::warning("F0505", span, message);
                    if let Some(near) = nearest_of(event, self.events.keys()) {
                        warning = warning.help(format!("did you mean `{near}`?"));
                    }
                    diagnostics.push(warning);
                }
                found.iter().filter_map(|event| self.events.get(*event).copied()).collect()
            };
            let (begins, ends) = (known(&begins, fluent.begins.span), known(&ends, fluent.ends.span));
            let watcher = Watcher { begins, ends, initially, span: fluent.name.span, proposition: None };
            self.watchers.insert(name, watcher);
        }
        Ok(())
    }

    fn formula(
        &mut self,
        formula: &FormulaText,
        file: &File,
        composition: &mut Composition,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Requirement, Refused> {
        let parsed = ltl::parse(&formula.text).map_err(|error| {
            let place = formula.place(error.range.clone());
            let diagnostic = Diagnostic::error("F0301", place, error.message);
            Box::new(error.hint.into_iter().fold(diagnostic, Diagnostic::help))
        })?;
        let span = formula.place(0..formula.text.len());
        if let Some(usual) = &parsed.usual {
            let warning = Diagnostic::warning("F0503", span, "this formula can be read in two ways");
            let warning = warning.label(format!("read as {}", parsed.formula.to_promela(&parsed.atoms)));
            diagnostics.push(warning.help(format!(
                "if {} is meant, set parentheses: as in SPIN, `&&`, `||` and `->` bind equally",
                usual.to_promela(&parsed.atoms)
            )));
        }
        let mut atoms = Vec::new();
        for (text, places) in parsed.atoms.iter().zip(&parsed.places) {
            let place = formula.place(places.first().cloned().unwrap_or(0..0));
            atoms.push(self.atom(text, place, file, composition)?);
        }
        let ltl = ltl::with_atoms(&parsed.formula, &atoms);
        Ok(Requirement { name: formula.name.text.clone(), formula: ltl, span })
    }

    fn atom(
        &mut self,
        text: &str,
        place: Span,
        file: &File,
        composition: &mut Composition,
    ) -> Result<Ltl<Atom>, Refused> {
        for (word, kind) in [("event ", Kind::Event), ("prop ", Kind::Proposition)] {
            if let Some(rest) = text.strip_prefix(word) {
                return self.any_of(rest.trim(), kind, place, file, composition);
            }
        }
        self.any_of(text, Kind::Either, place, file, composition)
    }

    /// One name, or several of which one must hold.
    fn any_of(
        &mut self,
        text: &str,
        kind: Kind,
        place: Span,
        file: &File,
        composition: &mut Composition,
    ) -> Result<Ltl<Atom>, Refused> {
        if self.is_known(text) {
            return self.one(text, kind, place, false, composition);
        }
        let names = written_out(text, file).unwrap_or_else(|| vec![text.to_owned()]);
        if names.len() > MOST_NAMES {
            let message = format!("this atom stands for {} names", names.len());
            let error = Diagnostic::error("F0201", place, message);
            return Err(Box::new(error.label(format!("at most {MOST_NAMES} are possible"))));
        }
        let mut atoms = Vec::new();
        for name in names {
            atoms.push(self.one(&name, kind, place, false, composition)?);
        }
        Ok(one_of(atoms).unwrap_or(Ltl::Constant(false)))
    }

    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.events.contains_key(name) || self.propositions.contains_key(name) || self.watchers.contains_key(name)
    }

    pub(crate) fn one(
        &mut self,
        name: &str,
        kind: Kind,
        place: Span,
        assert: bool,
        composition: &mut Composition,
    ) -> Result<Ltl<Atom>, Refused> {
        let event = self.events.get(name).copied().filter(|_| kind != Kind::Proposition);
        let event = event.filter(|_| !name.starts_with('('));
        let proposition = self.propositions.get(name).copied().filter(|_| kind != Kind::Event);
        let fluent = kind != Kind::Event && self.watchers.contains_key(name);
        match (event, proposition) {
            _ if fluent && event.is_some() => {
                let error = Diagnostic::error("F0303", place, format!("`{name}` is an event and a fluent"));
                Err(Box::new(error.help(format!("write `\"event {name}\"` or `\"prop {name}\"`"))))
            }
            (Some(_), Some(_)) => {
                let error = Diagnostic::error("F0303", place, format!("`{name}` is an event and a proposition"));
                Err(Box::new(error.help(format!("write `\"event {name}\"` or `\"prop {name}\"`"))))
            }
            (Some(event), None) => Ok(Ltl::Atom(Box::new(Atom::Event(event)), name.to_owned())),
            (None, Some(proposition)) => Ok(Ltl::Atom(Box::new(Atom::Proposition(proposition)), name.to_owned())),
            (None, None) if fluent => Ok(self.watched(name, assert, composition)),
            (None, None) => Err(self.unknown(name, place)),
        }
    }

    /// The atom of a fluent; its component is added when it is used for the first time.
    fn watched(&mut self, name: &str, assert: bool, composition: &mut Composition) -> Ltl<Atom> {
        let Some(watcher) = self.watchers.get_mut(name) else { return Ltl::Constant(false) };
        let proposition = *watcher.proposition.get_or_insert_with(|| {
            let id = PropositionId::from(composition.propositions.len());
            composition.propositions.push(Named { name: name.to_owned(), span: watcher.span });
            id
        });
        if !composition.components.iter().any(|component| component.name == format!("fluent {name}")) {
            composition.components.push(observer(name, watcher, proposition));
        }
        let state = Ltl::Atom(Box::new(Atom::Proposition(proposition)), name.to_owned());
        if !assert {
            return state;
        }
        let happens = |events: &[EventId]| {
            let atom =
                |&event: &EventId| Ltl::Atom(Box::new(Atom::Event(event)), composition.event_name(event).to_owned());
            one_of(events.iter().map(atom).collect())
        };
        let stays = match happens(&watcher.ends) {
            Some(ends) => binary(Connective::And, state, Ltl::Unary(Modality::Not, Box::new(ends))),
            None => state,
        };
        match happens(&watcher.begins) {
            Some(begins) => binary(Connective::Or, begins, stays),
            None => stays,
        }
    }

    fn unknown(&self, name: &str, place: Span) -> Refused {
        let message = format!("no component has an event or a proposition `{name}`");
        let error = Diagnostic::error("F0302", place, message);
        let known = self.events.keys().filter(|name| !name.starts_with('('));
        let known = known.chain(self.propositions.keys()).chain(self.watchers.keys());
        if self.events.contains_key(&format!("({name})")) {
            return Box::new(error.help("it is hidden; a formula speaks of events that can be seen"));
        }
        Box::new(match nearest_of(name, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("atoms are events, propositions of states and fluents"),
        })
    }
}

/// Which kind of name is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Event,
    Proposition,
    Either,
}

/// A disjunction, halved again and again, so that it is not deep.
pub(crate) fn one_of(mut atoms: Vec<Ltl<Atom>>) -> Option<Ltl<Atom>> {
    while atoms.len() > 1 {
        let mut halved = Vec::with_capacity(atoms.len().div_ceil(2));
        let mut rest = atoms.into_iter();
        while let Some(first) = rest.next() {
            halved.push(match rest.next() {
                Some(second) => binary(Connective::Or, first, second),
                None => first,
            });
        }
        atoms = halved;
    }
    atoms.pop()
}

pub(crate) fn binary(op: Connective, a: Ltl<Atom>, b: Ltl<Atom>) -> Ltl<Atom> {
    Ltl::Binary(op, Box::new(a), Box::new(b))
}

/// The nearest name; the first in order of those that are equally near.
fn nearest_of<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> Option<&'n str> {
    /// Looking at more names than this takes too long for a hint.
    const MOST: usize = 20_000;
    nearest(name, known.take(MOST).map(String::as_str))
}

/// The labels that the text of an atom means; `None` if it is no label. Names of fluents begin with a capital letter, and
/// what follows is an index.
fn written_out(text: &str, file: &File) -> Option<Vec<String>> {
    let (front, rest) = match text.find('[') {
        Some(at) if text.starts_with(|c: char| c.is_ascii_uppercase()) => text.split_at(at),
        _ => ("", text),
    };
    let mut diagnostics = Vec::new();
    let tokens = tokenize(FileId(0), rest, &mut diagnostics);
    if !diagnostics.is_empty() {
        return None;
    }
    let labels: Vec<Label> = parse_labels(&tokens)?;
    let mut context = Context::new(file);
    let mut names = Vec::new();
    for label in &labels {
        let written = context.label(label, &Env::new()).ok()?;
        names.extend(written.into_iter().map(|(name, _)| joined(front, &name)));
    }
    Some(names)
}

/// Two states: it begins in the first, and watches. Whatever happens, it has done its work.
fn observer(name: &str, watcher: &Watcher, proposition: PropositionId) -> Component {
    let to = |events: &[EventId], on: bool| {
        let to = u32::from(on != watcher.initially);
        events.iter().map(move |&event| Move { event, to }).collect::<Vec<_>>()
    };
    let moves = [to(&watcher.begins, true), to(&watcher.ends, false)].concat();
    let state = |on: bool| {
        let labels = if on { vec![proposition] } else { Vec::new() };
        StateParts { moves: moves.clone(), labels, ending: Ending::Done }
    };
    let named = |on: bool| if on { name.to_owned() } else { format!("not {name}") };
    let order = [watcher.initially, !watcher.initially];
    Component {
        name: format!("fluent {name}"),
        structure: Structure::new([], vec![0], order.map(state).into()),
        state_names: order.map(named).into(),
        state_spans: vec![watcher.span; 2],
        span: watcher.span,
    }
}
