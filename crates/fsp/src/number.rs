//! The last step: parts become components, and events and propositions get their numbers.

use crate::context::{Context, Refused};
use crate::group::Part;
use crate::limits::MOST_STEPS;
use crate::names::{Symbol, joined};
use crate::raw::{RawState, SILENT};
use model::composition::{Component, Composition, Named};
use model::diagnostic::Diagnostic;
use model::ids::{EventId, PropositionId};
use model::source::Span;
use model::structure::{Move, StateParts, Structure, TAU};
use std::collections::HashMap;

/// The composition of some parts, without formulas.
pub(crate) fn composition(name: &str, parts: &[Part], context: &mut Context<'_>) -> Result<Composition, Refused> {
    let mut numbering = Numbering::default();
    let mut composition = Composition { name: name.to_owned(), ..Composition::default() };
    for (part, name) in parts.iter().zip(component_names(parts)) {
        let labels = numbering.propositions(part, &mut composition)?;
        let component = numbering.component(part, name, &labels, context)?;
        composition.components.push(component);
    }
    composition.events = numbering.events(context);
    Ok(composition)
}

#[derive(Default)]
struct Numbering {
    numbers: HashMap<Symbol, EventId>,
    symbols: Vec<Symbol>,
    propositions: HashMap<String, Span>,
}

impl Numbering {
    /// Numbers the propositions of a part. Components must not share any: the paper's section 3.3.
    fn propositions(&mut self, part: &Part, composition: &mut Composition) -> Result<Vec<PropositionId>, Refused> {
        let mut ids = Vec::new();
        for (name, span) in &part.raw.propositions {
            let name = joined(&part.label, name);
            if let Some(other) = self.propositions.get(&name) {
                let message = format!("two components have the proposition `{name}`");
                let error = Diagnostic::error("F0112", *span, message);
                let error = if other == span {
                    error.label("the same process is used twice").also(part.span, "used here again")
                } else {
                    error.also(*other, "the other one")
                };
                let help = "a proposition belongs to one component: rename it, or label the processes, `a:P || b:P`";
                return Err(Box::new(error.help(help)));
            }
            self.propositions.insert(name.clone(), *span);
            ids.push(PropositionId::from(composition.propositions.len()));
            composition.propositions.push(Named { name, span: *span });
        }
        Ok(ids)
    }

    fn component(
        &mut self,
        part: &Part,
        name: String,
        labels: &[PropositionId],
        context: &mut Context<'_>,
    ) -> Result<Component, Refused> {
        let raw = &part.raw;
        let events: Vec<Vec<EventId>> =
            part.events.iter().map(|names| names.iter().map(|&symbol| self.event(symbol)).collect()).collect();
        let mut steps = 0;
        for state in &raw.states {
            steps += state.moves.iter().map(|step| events.get(step.0 as usize).map_or(1, Vec::len)).sum::<usize>();
        }
        context.charge(steps as u64 / 4, part.span)?;
        if steps > MOST_STEPS {
            let message = format!("`{name}` has more than {MOST_STEPS} steps");
            return Err(Box::new(Diagnostic::error("F0201", part.span, message)));
        }
        let state = |state: &RawState| StateParts {
            moves: state.moves.iter().flat_map(|&step| moves(step, &events)).collect(),
            labels: state.labels.iter().map(|&label| labels[label as usize]).collect(),
            ending: state.ending,
        };
        let states = raw.states.iter().map(state).collect();
        let structure = Structure::new(events.iter().flatten().copied(), vec![0], states);
        let state_names = raw.states.iter().map(|state| state.name.clone()).collect();
        let state_spans = raw.states.iter().map(|state| state.span.unwrap_or(part.span)).collect();
        Ok(Component { name, structure, state_names, state_spans, span: part.span })
    }

    fn event(&mut self, symbol: Symbol) -> EventId {
        let next = EventId::from(self.symbols.len());
        let number = *self.numbers.entry(symbol).or_insert(next);
        if number == next {
            self.symbols.push(symbol);
        }
        number
    }

    /// The names of the events. A hidden one stands in parentheses, and no two have one name.
    fn events(&self, context: &Context<'_>) -> Vec<Named> {
        let mut hidden: HashMap<&str, usize> = HashMap::new();
        let mut named = |symbol: &Symbol| {
            let entry = context.symbols.entry(*symbol);
            if !entry.hidden {
                return Named { name: entry.name.clone(), span: entry.span };
            }
            let count = hidden.entry(entry.name.as_str()).or_insert(0);
            *count += 1;
            let name = if *count == 1 { format!("({})", entry.name) } else { format!("({})#{count}", entry.name) };
            Named { name, span: entry.span }
        };
        self.symbols.iter().map(&mut named).collect()
    }
}

fn moves((event, to): (u32, u32), events: &[Vec<EventId>]) -> Vec<Move> {
    if event == SILENT {
        return vec![Move { event: TAU, to }];
    }
    let names = events.get(event as usize).map_or(&[][..], Vec::as_slice);
    names.iter().map(|&event| Move { event, to }).collect()
}

/// A component is called by its label, `phil[1]`; with the process behind it where that is not enough, `a:P`.
fn component_names(parts: &[Part]) -> Vec<String> {
    let mut labels: HashMap<&str, usize> = HashMap::new();
    parts.iter().for_each(|part| *labels.entry(part.label.as_str()).or_insert(0) += 1);
    let mut known: HashMap<String, usize> = HashMap::new();
    let named = |part: &Part| {
        let name = match part.label.as_str() {
            "" => part.process.clone(),
            label if labels.get(label) == Some(&1) => label.to_owned(),
            label => format!("{label}:{}", part.process),
        };
        let count = known.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { name } else { format!("{name}#{count}") }
    };
    parts.iter().map(named).collect()
}
