//! The way back: compositions as FSP, structures as `.aut`.
//!
//! Every component becomes a process with one local process per state. Its alphabet is written out after `+`, since a state
//! may refuse what no state does. Events that were hidden, and steps without a name, get names that no component has and are
//! hidden around the whole. A component that has done its work wherever it is and never refuses anything is a `property`: that
//! is how fluents and properties look from here. What is read back has the same reachable product, up to names.

use crate::aut::NAMELESS;
use crate::names::is_plain;
use model::composition::{Atom, Component, Composition};
use model::formula::{Connective, Ltl, Modality};
use model::ids::EventId;
use model::structure::{Ending, Structure, TAU};
use std::collections::HashSet;
use std::fmt::Write;

/// Why a composition cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotExpressible(pub String);

impl std::fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotExpressible {}

/// A composition as FSP.
pub fn print(composition: &Composition) -> Result<String, NotExpressible> {
    let names = Names::new(composition);
    let mut text = String::new();
    let mut processes = Vec::new();
    for (index, component) in composition.components.iter().enumerate() {
        let process = format!("C{index}");
        names.process(&mut text, &process, index, component, composition)?;
        processes.push(process);
    }
    let system = if is_process(&composition.name) && !processes.contains(&composition.name) {
        &composition.name
    } else {
        "SYSTEM"
    };
    let _ = write!(text, "||{system} = ({})", processes.join(" || "));
    if !names.hidden.is_empty() {
        let hidden: Vec<&str> = names.hidden.iter().map(String::as_str).collect();
        let _ = write!(text, "\n  \\{{{}}}", hidden.join(", "));
    }
    text += ".\n";
    let mut used = HashSet::new();
    for (index, requirement) in composition.formulas.iter().enumerate() {
        let plain = is_process(&requirement.name) && used.insert(requirement.name.as_str());
        let name = if plain { requirement.name.clone() } else { format!("Formula{index}") };
        let _ = writeln!(text, "\nltl {name} {{ {} }}", formula(&requirement.formula, composition));
    }
    Ok(text)
}

/// A structure as `.aut`. Propositions are left out, and so is how states end.
pub fn print_aut(structure: &Structure, name: &dyn Fn(EventId) -> String) -> Result<String, NotExpressible> {
    let [first] = structure.initial() else { return Err(several()) };
    let mut text = format!("des ({first}, {}, {})\n", structure.steps(), structure.states());
    for state in 0..structure.states() as u32 {
        for step in structure.moves(state) {
            let quoted =
                if step.event == TAU { "i".to_owned() } else { format!("\"{}\"", quotable(&name(step.event))) };
            if step.event != TAU && NAMELESS.contains(&quoted.trim_matches('"')) {
                return Err(NotExpressible(format!("in this notation, {quoted} is a step without a name")));
            }
            let _ = writeln!(text, "({state}, {quoted}, {})", step.to);
        }
    }
    Ok(text)
}

fn several() -> NotExpressible {
    NotExpressible("a component has no first state, or several, which this notation cannot say".into())
}

/// How events are written: by number, and after them the step without a name of each component.
struct Names {
    events: Vec<String>,
    silent: Vec<String>,
    hidden: Vec<String>,
    /// Propositions that hold nowhere. They get a state that is never reached, so that formulas can name them.
    never: Vec<String>,
}

impl Names {
    fn new(composition: &Composition) -> Names {
        let taken: HashSet<&str> = composition.events.iter().map(|event| event.name.as_str()).collect();
        let mut front = String::from("hidden");
        while taken.iter().any(|name| name.starts_with(&front)) {
            front.push('_');
        }
        let mut names = Names { events: Vec::new(), silent: Vec::new(), hidden: Vec::new(), never: never(composition) };
        for (index, event) in composition.events.iter().enumerate() {
            if event.name.starts_with('(') {
                let name = format!("{front}[{index}]");
                let event = EventId::from(index);
                if composition.components.iter().any(|component| component.structure.takes_part(event)) {
                    names.hidden.push(name.clone());
                }
                names.events.push(name);
            } else {
                names.events.push(label(&event.name));
            }
        }
        for (index, component) in composition.components.iter().enumerate() {
            let name = format!("{front}.silent[{index}]");
            if (0..component.structure.states() as u32).any(|s| !component.structure.moves_with(s, TAU).is_empty()) {
                names.hidden.push(name.clone());
            }
            names.silent.push(name);
        }
        names
    }

    fn event(&self, event: EventId, component: usize) -> &str {
        let names = if event == TAU { self.silent.get(component) } else { self.events.get(event.index()) };
        names.map_or("?", String::as_str)
    }

    fn process(
        &self,
        text: &mut String,
        process: &str,
        index: usize,
        component: &Component,
        composition: &Composition,
    ) -> Result<(), NotExpressible> {
        let structure = &component.structure;
        let [first] = structure.initial() else { return Err(several()) };
        let property = is_property(structure);
        let comment: String = component.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(text, "// {comment}");
        let _ = write!(text, "{}{process} = S{first}", if property { "property " } else { "" });
        for state in 0..structure.states() as u32 {
            let _ = write!(text, ",\n  S{state}");
            let labels = structure.labels(state).iter();
            let labels: Vec<String> = labels
                .filter_map(|id| composition.propositions.get(id.index()))
                .map(|named| label(&named.name))
                .collect();
            if !labels.is_empty() {
                let _ = write!(text, "{{{}}}", labels.join(", "));
            }
            let _ = write!(text, " = {}", self.body(structure, state, index, property)?);
        }
        if index == 0 && !self.never.is_empty() {
            let _ = write!(text, ",\n  NEVER{{{}}} = STOP", self.never.join(", "));
        }
        if !structure.alphabet().is_empty() {
            let alphabet: Vec<&str> = structure.alphabet().iter().map(|&event| self.event(event, index)).collect();
            let _ = write!(text, "\n  + {{{}}}", alphabet.join(", "));
        }
        text.push_str(".\n\n");
        Ok(())
    }

    fn body(
        &self,
        structure: &Structure,
        state: u32,
        component: usize,
        property: bool,
    ) -> Result<String, NotExpressible> {
        let moves = structure.moves(state);
        match structure.ending(state) {
            Ending::Error => return Ok("ERROR".into()),
            Ending::Done if moves.is_empty() && !property => return Ok("END".into()),
            Ending::Done if !property => {
                return Err(NotExpressible("a state that has done its work can still go on".into()));
            }
            _ if moves.is_empty() => return Ok("STOP".into()),
            _ => {}
        }
        let steps = moves.iter().map(|step| format!("{} -> S{}", self.event(step.event, component), step.to));
        Ok(format!("({})", steps.collect::<Vec<_>>().join(" | ")))
    }
}

fn never(composition: &Composition) -> Vec<String> {
    let mut known = HashSet::new();
    for component in &composition.components {
        for state in 0..component.structure.states() as u32 {
            known.extend(component.structure.labels(state).iter().map(|id| id.index()));
        }
    }
    let unknown = composition.propositions.iter().enumerate().filter(|(index, _)| !known.contains(index));
    unknown.map(|(_, named)| label(&named.name)).collect()
}

/// Done wherever it is, or in an error, and with exactly one step for every event of its alphabet.
fn is_property(structure: &Structure) -> bool {
    let watches = |state: u32| match structure.ending(state) {
        Ending::Error => true,
        Ending::None => false,
        Ending::Done => {
            let moves = structure.moves(state);
            moves.len() == structure.alphabet().len()
                && moves.iter().zip(structure.alphabet()).all(|(step, event)| step.event == *event)
        }
    };
    !structure.alphabet().is_empty() && (0..structure.states() as u32).all(watches)
}

fn is_process(name: &str) -> bool {
    let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word && name.starts_with(|c: char| c.is_ascii_uppercase()) && !["STOP", "END", "ERROR"].contains(&name)
}

fn label(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { format!("\"{}\"", quotable(name)) }
}

/// Quoted texts have no quotes and end on their line.
fn quotable(name: &str) -> String {
    name.chars().map(|c| if c == '"' || c.is_control() { '\'' } else { c }).collect()
}

fn formula(ltl: &Ltl<Atom>, composition: &Composition) -> String {
    match ltl {
        Ltl::Constant(value) => value.to_string(),
        Ltl::Atom(atom, text) => match **atom {
            Atom::Event(event) => {
                let name = composition.events.get(event.index()).map_or(text.as_str(), |event| &event.name);
                format!("\"event {}\"", quotable(name))
            }
            Atom::Proposition(proposition) => {
                let named = composition.propositions.get(proposition.index());
                format!("\"prop {}\"", quotable(named.map_or(text.as_str(), |named| &named.name)))
            }
        },
        Ltl::Unary(op, inner) => {
            let sign = match op {
                Modality::Not => "!",
                Modality::Next => "X",
                Modality::Always => "[]",
                Modality::Eventually => "<>",
            };
            format!("{sign} ({})", formula(inner, composition))
        }
        Ltl::Binary(op, a, b) => {
            let sign = match op {
                Connective::And => "&&",
                Connective::Or => "||",
                Connective::Implies => "->",
                Connective::Iff => "<->",
                Connective::Until => "U",
                Connective::Release => "V",
                Connective::WeakUntil => "W",
            };
            format!("(({}) {sign} ({}))", formula(a, composition), formula(b, composition))
        }
    }
}
