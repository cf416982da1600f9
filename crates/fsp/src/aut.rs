//! Aldebaran's `.aut`: a header `des (first, transitions, states)` and one transition a line, `(from, "label", to)`.
//!
//! Labels are quoted or not. `i`, `tau` and `"tau"` are steps without a name. `phil.1.eat` is read as `phil[1].eat`; a label
//! that is no label of FSP (`"PUT !1"`) is kept as it is. A header that counts other transitions than there are is an
//! error, since the file is most likely cut off.

use crate::context::{Context, Refused};
use crate::limits::{MOST_STATES, MOST_STEPS};
use crate::names::canonical;
use crate::raw::{Raw, RawState, SILENT};
use model::diagnostic::Diagnostic;
use model::source::{FileId, Span};
use std::collections::HashMap;

/// Words for a step without a name.
pub(crate) const NAMELESS: &[&str] = &["i", "tau", "τ"];

/// A line of the file and where it begins.
#[derive(Clone, Copy)]
struct Line<'t> {
    file: FileId,
    text: &'t str,
    start: usize,
}

impl Line<'_> {
    fn span(&self) -> Span {
        Span::new(self.file, self.start, self.start + self.text.len())
    }

    fn error(&self, message: impl Into<String>) -> Refused {
        let error = Diagnostic::error("F0401", self.span(), message);
        Box::new(
            error.help("the first line is `des (first, transitions, states)`, the others are `(from, \"label\", to)`"),
        )
    }
}

/// Reads a file; states that cannot be reached are left out, but not their events.
pub(crate) fn parse(file: FileId, text: &str, context: &mut Context<'_>) -> Result<Raw, Refused> {
    let mut lines = lines(file, text);
    let Some(head) = lines.next() else {
        return Err(Line { file, text: "", start: 0 }.error("this file is empty, and a header was expected"));
    };
    let (first, steps, states) = header(head)?;
    if states > MOST_STATES as u64 || steps > MOST_STEPS as u64 {
        let message = format!("this structure has {states} states and {steps} transitions");
        let error = Diagnostic::error("F0201", head.span(), message);
        return Err(Box::new(error.label(format!("at most {MOST_STATES} and {MOST_STEPS} are possible"))));
    }
    if first >= states {
        return Err(no_state(&head, first, states));
    }
    let mut raw = Raw::default();
    let mut moves: Vec<Vec<(u32, u32)>> = vec![Vec::new(); states as usize];
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut count = 0u64;
    for line in lines {
        context.charge(1, line.span())?;
        let (from, label, to) = transition(line)?;
        for state in [from, to] {
            if state >= states {
                return Err(no_state(&line, state, states));
            }
        }
        count += 1;
        if NAMELESS.contains(&label) {
            moves[from as usize].push((SILENT, to as u32));
            continue;
        }
        let (next, name) = (numbers.len() as u32, canonical(label));
        let event = *numbers.entry(name.clone()).or_insert(next);
        if event == next {
            raw.events.push(context.symbols.intern(&name, line.span())?);
        }
        moves[from as usize].push((event, to as u32));
    }
    if count != steps {
        let message = format!("the header counts {steps} transitions, but there are {count}");
        return Err(Box::new(Diagnostic::error("F0402", head.span(), message).help("is the end of the file missing?")));
    }
    raw.states = reachable(first as usize, moves);
    Ok(raw)
}

/// Lines that are not blank.
fn lines(file: FileId, text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split('\n').filter_map(move |line| {
        let at = start + (line.len() - line.trim_start().len());
        start += line.len() + 1;
        let line = line.trim();
        (!line.is_empty()).then_some(Line { file, text: line, start: at })
    })
}

fn header(line: Line<'_>) -> Result<(u64, u64, u64), Refused> {
    let inside = line.text.strip_prefix("des").map(str::trim_start);
    let inside = inside.and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
    let numbers: Option<Vec<u64>> = inside.and_then(|rest| rest.split(',').map(|n| n.trim().parse().ok()).collect());
    match numbers.as_deref() {
        Some([first, steps, states]) => Ok((*first, *steps, *states)),
        _ => Err(line.error("this is not the header of an `.aut` file")),
    }
}

fn transition(line: Line<'_>) -> Result<(u64, &str, u64), Refused> {
    let parts = || {
        let inside = line.text.strip_prefix('(')?.strip_suffix(')')?;
        let (from, rest) = inside.split_once(',')?;
        let (label, to) = rest.rsplit_once(',')?;
        let label = label.trim();
        let bare = label.strip_prefix('"').and_then(|label| label.strip_suffix('"'));
        let label = bare.unwrap_or(label).trim();
        (!label.is_empty() && !label.contains('"')).then_some(())?;
        Some((from.trim().parse().ok()?, label, to.trim().parse().ok()?))
    };
    parts().ok_or_else(|| line.error("this is not a transition"))
}

fn no_state(line: &Line<'_>, state: u64, states: u64) -> Refused {
    let error = Diagnostic::error("F0403", line.span(), format!("there is no state {state}"));
    Box::new(error.help(format!("the header says that there are {states} states, counted from 0")))
}

/// The states that can be reached, renumbered breadth-first; their names are the old numbers.
fn reachable(first: usize, moves: Vec<Vec<(u32, u32)>>) -> Vec<RawState> {
    let mut numbers = vec![u32::MAX; moves.len()];
    let mut order = vec![first];
    numbers[first] = 0;
    let mut at = 0;
    while let Some(&state) = order.get(at) {
        at += 1;
        for &(_, to) in &moves[state] {
            if numbers[to as usize] == u32::MAX {
                numbers[to as usize] = order.len() as u32;
                order.push(to as usize);
            }
        }
    }
    let renumbered = |state: &usize| RawState {
        moves: moves[*state].iter().map(|&(event, to)| (event, numbers[to as usize])).collect(),
        name: state.to_string(),
        ..RawState::default()
    };
    order.iter().map(renumbered).collect()
}
