//! Properties: processes that watch.

use crate::ast::Name;
use crate::context::Refused;
use crate::limits::MOST_STEPS;
use crate::raw::{Raw, RawState, SILENT};
use model::diagnostic::Diagnostic;
use model::structure::Ending;

/// A property watches: what it does not allow leads to an error. It must be deterministic, or it could look away.
pub(crate) fn complete(raw: &mut Raw, name: &Name) -> Result<(), Refused> {
    let error = raw.states.iter().position(|state| state.ending == Ending::Error).unwrap_or(raw.states.len()) as u32;
    if raw.states.len().saturating_mul(raw.events.len()) > MOST_STEPS {
        let message = format!("the property `{}` has more than {MOST_STEPS} steps", name.text);
        return Err(Box::new(Diagnostic::error("F0201", name.span, message)));
    }
    let mut used = false;
    for state in raw.states.iter_mut().filter(|state| state.ending != Ending::Error) {
        // It prevents no component from ending: wherever it is, it has done its work.
        state.ending = Ending::Done;
        state.moves.sort_unstable();
        state.moves.dedup();
        let silent = state.moves.iter().any(|step| step.0 == SILENT);
        if silent || state.moves.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            let message = format!("the property `{}` is not deterministic", name.text);
            let error = Diagnostic::error("F0110", state.span.unwrap_or(name.span), message);
            return Err(Box::new(
                error.label("two steps with one event").help("join the alternatives that begin with the same event"),
            ));
        }
        let mut known = state.moves.iter().map(|step| step.0).peekable();
        let mut missing = Vec::new();
        for event in 0..raw.events.len() as u32 {
            if known.peek() == Some(&event) {
                known.next();
            } else {
                missing.push((event, error));
            }
        }
        used |= !missing.is_empty();
        state.moves.extend(missing);
    }
    if used && error as usize == raw.states.len() {
        let ending = Ending::Error;
        raw.states.push(RawState { ending, name: "ERROR".into(), span: Some(name.span), ..RawState::default() });
    }
    Ok(())
}
