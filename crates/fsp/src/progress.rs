//! `progress` of a text: sets of events of which one must happen again and again, under fair choice.
//!
//! Beside those with a name there is one without: every event of the alphabet happens again and again, which is what LTSA
//! checks where a text has none.

use crate::ast::{File, SetExpr};
use crate::context::{Context, Refused};
use crate::names::joined;
use model::composition::{Composition, Progress};
use model::diagnostic::Diagnostic;
use model::ids::EventId;
use model::source::Span;
use std::collections::HashMap;

/// Adds the progress properties of a text to a composition.
pub(crate) fn add(composition: &mut Composition, file: &File, diagnostics: &mut Vec<Diagnostic>) {
    let visible = (0u32..).zip(&composition.events).filter(|(_, event)| !event.name.starts_with('('));
    let events: HashMap<String, EventId> =
        visible.map(|(number, event)| (event.name.clone(), EventId(number))).collect();
    let mut each: Vec<Vec<EventId>> = events.values().map(|&event| vec![event]).collect();
    each.sort_unstable();
    let mut all = Vec::new();
    if let Err(error) = declared(file, &events, &mut all, diagnostics) {
        diagnostics.push(*error);
    }
    all.push(Progress { name: String::new(), span: Span::NONE, condition: None, sets: each });
    composition.progress = all;
}

fn declared(
    file: &File,
    events: &HashMap<String, EventId>,
    into: &mut Vec<Progress>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), Refused> {
    let mut context = Context::new(file);
    for progress in &file.progress {
        let mut written = Vec::new();
        context.for_all(&progress.indices, &Vec::new(), &mut |context, env| {
            let parts = progress.indices.iter().filter_map(|index| {
                let variable = index.variable.as_ref()?;
                env.iter().rev().find(|(known, _)| *known == variable.text).map(|(_, value)| value.part())
            });
            let name = parts.fold(progress.name.text.clone(), |name, part| joined(&name, &part));
            let condition = match &progress.condition {
                Some(set) => Some((set, context.set(set, env)?)),
                None => None,
            };
            written.push((name, condition, context.set(&progress.events, env)?));
            Ok(())
        })?;
        for (name, condition, set) in written {
            let mut known = |set: &SetExpr, names: Vec<String>| -> Vec<EventId> {
                if let Some(missing) = names.iter().find(|name| !events.contains_key(*name)) {
                    let message = format!("no component has the event `{missing}` of the progress property `{name}`");
                    diagnostics.push(Diagnostic::warning("F0504", set.span, message));
                }
                names.iter().filter_map(|name| events.get(name).copied()).collect()
            };
            let condition = condition.map(|(set, names)| known(set, names));
            let sets = vec![known(&progress.events, set)];
            into.push(Progress { name, span: progress.name.span, condition, sets });
        }
    }
    Ok(())
}
