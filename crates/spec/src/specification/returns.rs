//! Returns as events, for those who look at them.
//!
//! A return is a step without a name, until a process of `conforms` or a formula speaks of it: `return {$0 == 0}` in a
//! process, `server.return {$0 == 0}` in a formula for the end of a procedure, `server.recv.return {$0 < 0}` for that of a
//! routine that it calls. Then it is an event, one for each combination of the conditions, so that exactly one of them
//! happens; an atom of a formula is the disjunction of those in which its condition holds. No other component takes part in it.

use super::{Part, Reader, Refused};
use crate::expression::{Expression, parse};
use crate::graph::{Action, Returns, RoutineStructure};
use model::composition::Atom;
use model::diagnostic::Diagnostic;
use model::formula::{Connective, Ltl};
use model::ids::EventId;
use model::source::Span;

/// More conditions than this are too many for one event for each combination.
const MOST_CONDITIONS: usize = 6;

/// An atom of a formula that speaks of a return.
pub(super) struct ReturnAtom {
    part: usize,
    routine: Option<String>,
    condition: Option<Expression>,
    span: Span,
}

impl Reader<'_> {
    /// The returns that a process tells apart: all of its alphabet, those that it never does included. One that has none
    /// does not look at them.
    pub(super) fn returns_of(&mut self, allowed: &RoutineStructure, procedure: &str, span: Span) -> Refused<Returns> {
        let mut returns = Returns { part: procedure.to_owned(), ..Returns::default() };
        let done = allowed.states.iter().flat_map(|state| &state.moves).filter_map(|(action, _)| match action {
            Action::Return(condition) => Some(condition),
            Action::Event(_) => None,
        });
        for condition in done.chain(&allowed.returns) {
            if !returns.conditions.contains(condition) {
                without_arguments(condition)?;
                returns.conditions.push(condition.clone());
            }
        }
        if !returns.conditions.is_empty() {
            self.name_combinations(&mut returns, "return", span)?;
        }
        Ok(returns)
    }

    /// The events: their names are the conditions that hold.
    fn name_combinations(&mut self, returns: &mut Returns, name: &str, span: Span) -> Refused<()> {
        let conditions = &returns.conditions;
        if conditions.len() > MOST_CONDITIONS {
            let message = format!("more than {MOST_CONDITIONS} conditions of returns are not supported");
            return Err(Box::new(Diagnostic::error("M0004", span, message)));
        }
        let texts: Vec<String> = conditions.iter().map(|c| self.sources.text(c.span).trim().to_owned()).collect();
        for bits in 0..1_usize << texts.len() {
            let hold = texts.iter().enumerate().filter(|(number, _)| bits >> number & 1 == 1);
            let hold: Vec<&str> = hold.map(|(_, text)| text.as_str()).collect();
            let name = if hold.is_empty() { name.to_owned() } else { format!("{name} {{{}}}", hold.join(" && ")) };
            returns.events.push(self.event(&name, span));
        }
        Ok(())
    }

    /// What an atom says of a return; `None` if it speaks of something else.
    pub(super) fn return_atom(&mut self, text: &str, span: Span, parts: &[Part]) -> Refused<Option<ReturnAtom>> {
        let (name, condition) = match text.split_once('{') {
            Some((name, rest)) => (name.trim(), rest.strip_suffix('}')),
            None => (text.trim(), None),
        };
        let Some(owner) = name.strip_suffix("return").filter(|owner| owner.is_empty() || owner.ends_with('.')) else {
            return Ok(None);
        };
        let known = self.event_numbers.get(name);
        if known.is_some_and(|&event| parts.iter().any(|part| part.takes_part(event))) {
            return Ok(None);
        }
        let (part, routine) = self.owner(owner.trim_end_matches('.'), span, parts)?;
        let condition = match condition {
            Some(condition) => Some(self.return_condition(condition, span, &parts[part])?),
            None => None,
        };
        if let (Some(condition), None) = (&condition, &routine) {
            without_arguments(condition)?;
        }
        Ok(Some(ReturnAtom { part, routine, condition, span }))
    }

    fn return_condition(&mut self, text: &str, atom: Span, part: &Part) -> Refused<Expression> {
        let offset = self.sources.text(atom).find(text).unwrap_or(0);
        let start = atom.start as usize + offset;
        let mut condition = parse(text, Span::new(atom.file, start, start + text.len()))?;
        condition.without_prefix(part.name());
        if let Part::Procedure(procedure) = part
            && let Some(unit) = self.unit_with(&procedure.component.name)
        {
            self.with_constants(&mut condition, unit, &procedure.component);
        }
        Ok(condition)
    }

    /// Who returns: a part, or a routine that a part calls.
    fn owner(&self, owner: &str, span: Span, parts: &[Part]) -> Refused<(usize, Option<String>)> {
        let procedures = || {
            parts.iter().enumerate().filter_map(|(number, part)| match part {
                Part::Procedure(procedure) => Some((number, procedure)),
                Part::Process(_) => None,
            })
        };
        let itself = procedures().find(|(_, procedure)| procedure.name == owner);
        if let Some((number, _)) = itself {
            return Ok((number, None));
        }
        if owner.is_empty() {
            let all: Vec<usize> = procedures().map(|(number, _)| number).collect();
            return match all[..] {
                [one] => Ok((one, None)),
                _ => {
                    let error = Diagnostic::error("M0204", span, "this does not say which part returns");
                    let name = procedures().next().map_or("server", |(_, procedure)| &procedure.name);
                    Err(Box::new(error.help(format!("an example: `{name}.return`"))))
                }
            };
        }
        let mut found = Vec::new();
        for (number, procedure) in procedures() {
            let inner = owner.strip_prefix(procedure.name.as_str()).and_then(|rest| rest.strip_prefix('.'));
            for routine in [inner, Some(owner)].into_iter().flatten() {
                if procedure.routines.contains_key(routine) {
                    found.push((number, Some(routine.to_owned())));
                }
            }
        }
        match &found[..] {
            [one] => Ok(one.clone()),
            [] => {
                let error = Diagnostic::error("M0203", span, format!("nothing that returns has the name `{owner}`"));
                let help = "`server.return` is the end of the procedure `server`, `server.recv.return` that of a routine \
                            without a body that it calls";
                Err(Box::new(error.help(help)))
            }
            [(number, _), ..] => {
                let error = Diagnostic::error("M0204", span, format!("more than one part calls `{owner}`"));
                Err(Box::new(error.help(format!("name the part: `{}.{owner}.return`", parts[*number].name()))))
            }
        }
    }

    /// The events of all returns of which a formula speaks, and what each atom becomes.
    pub(super) fn watched(&mut self, atoms: &[ReturnAtom], parts: &[Part]) -> Refused<(Vec<Returns>, Vec<Ltl<Atom>>)> {
        let mut all: Vec<Returns> = Vec::new();
        for atom in atoms {
            let part = parts[atom.part].name();
            let same = |returns: &&mut Returns| returns.part == part && returns.routine == atom.routine;
            let condition = atom.condition.clone();
            match all.iter_mut().find(same) {
                Some(returns) => returns.conditions.extend(condition),
                None => all.push(Returns {
                    part: part.to_owned(),
                    routine: atom.routine.clone(),
                    conditions: condition.into_iter().collect(),
                    events: Vec::new(),
                }),
            }
        }
        for returns in &mut all {
            let first = atoms.iter().find(|atom| parts[atom.part].name() == returns.part);
            let span = first.map_or(Span::NONE, |atom| atom.span);
            let routine = returns.routine.as_ref().map_or(String::new(), |routine| format!("{routine}."));
            let name = format!("{}.{routine}return", returns.part);
            self.name_combinations(returns, &name, span)?;
        }
        let formulas = atoms.iter().map(|atom| {
            let part = parts[atom.part].name();
            let returns = all.iter().find(|returns| returns.part == part && returns.routine == atom.routine);
            returns.map_or(Ltl::Constant(false), |returns| self.meant(atom, returns))
        });
        let formulas = formulas.collect();
        Ok((all, formulas))
    }

    /// The events in which the condition of an atom holds.
    fn meant(&self, atom: &ReturnAtom, returns: &Returns) -> Ltl<Atom> {
        let number = atom.condition.as_ref().and_then(|c| returns.conditions.iter().position(|known| known == c));
        let events = returns.events.iter().enumerate();
        let events = events.filter(|(bits, _)| number.is_none_or(|number| bits >> number & 1 == 1));
        let event = |(_, &event): (usize, &EventId)| {
            Ltl::Atom(Box::new(Atom::Event(event)), self.events[event.index()].name.clone())
        };
        let either = |a, b| Ltl::Binary(Connective::Or, Box::new(a), Box::new(b));
        events.map(event).reduce(either).unwrap_or(Ltl::Constant(false))
    }
}

fn without_arguments(condition: &Expression) -> Refused<()> {
    if condition.dollars().is_none_or(|most| most == 0) {
        return Ok(());
    }
    let error = Diagnostic::error("M0004", condition.span, "arguments in what a procedure returns are not supported");
    Err(Box::new(error.help("`$0` is the value that it returns")))
}
