//! `deterministic`: a structure that has the same traces and never two steps with one event, by sets of states.
//!
//! Steps without a name, and hidden ones, are taken before anything else happens. A set is an error if one of its states is,
//! and has done its work if one of them has; a proposition holds in it if it holds in all of them. That the original might
//! refuse an event is lost, as in LTSA.

use crate::context::{Context, Refused};
use crate::limits::MOST_STATES;
use crate::raw::{Raw, RawState};
use model::diagnostic::Diagnostic;
use model::source::Span;
use model::structure::Ending;
use std::collections::{BTreeMap, HashMap};

/// A structure made deterministic.
pub(crate) fn determinise(raw: &Raw, context: &mut Context<'_>, span: Span) -> Result<Raw, Refused> {
    let visible: Vec<bool> = raw.events.iter().map(|&event| !context.symbols.entry(event).hidden).collect();
    let sets = Sets { raw, visible: &visible, span };
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut number = |set: Vec<u32>, found: &mut Vec<Vec<u32>>| {
        *numbers.entry(set).or_insert_with_key(|set| {
            found.push(set.clone());
            found.len() as u32 - 1
        })
    };
    if !raw.states.is_empty() {
        number(sets.closure(vec![0], context)?, &mut found);
    }
    let mut states: Vec<RawState> = Vec::new();
    while let Some(set) = found.get(states.len()).cloned() {
        let mut state = sets.state(&set);
        if state.ending != Ending::Error {
            for (event, targets) in sets.steps(&set) {
                let to = sets.closure(targets, context)?;
                state.moves.push((event, number(to, &mut found)));
            }
        }
        states.push(state);
        if states.len() > MOST_STATES {
            let message = format!("this has more than {MOST_STATES} states when it is deterministic");
            return Err(Box::new(Diagnostic::error("F0201", span, message)));
        }
    }
    // Hidden events happen no more; their numbers are those of the visible ones.
    let kept: Vec<usize> = (0..visible.len()).filter(|&event| visible[event]).collect();
    for step in states.iter_mut().flat_map(|state| &mut state.moves) {
        step.0 = kept.partition_point(|&event| event < step.0 as usize) as u32;
    }
    let events = kept.iter().map(|&event| raw.events[event]).collect();
    Ok(Raw { states, events, propositions: raw.propositions.clone() })
}

/// What sets of states can do.
struct Sets<'r> {
    raw: &'r Raw,
    /// By event: it has a name outside.
    visible: &'r [bool],
    span: Span,
}

impl Sets<'_> {
    fn is_visible(&self, event: u32) -> bool {
        self.visible.get(event as usize).copied().unwrap_or(false)
    }

    /// With what is reached by steps that have no name.
    fn closure(&self, mut set: Vec<u32>, context: &mut Context<'_>) -> Result<Vec<u32>, Refused> {
        let mut known: std::collections::HashSet<u32> = set.iter().copied().collect();
        let mut work = set.clone();
        while let Some(state) = work.pop() {
            let moves = &self.raw.states[state as usize].moves;
            context.charge(1 + moves.len() as u64, self.span)?;
            for &(_, to) in moves.iter().filter(|step| !self.is_visible(step.0)) {
                if known.insert(to) {
                    set.push(to);
                    work.push(to);
                }
            }
        }
        set.sort_unstable();
        set.dedup();
        Ok(set)
    }

    fn steps(&self, set: &[u32]) -> BTreeMap<u32, Vec<u32>> {
        let mut steps: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(event, to) in set.iter().flat_map(|&state| &self.raw.states[state as usize].moves) {
            if self.is_visible(event) {
                steps.entry(event).or_default().push(to);
            }
        }
        for targets in steps.values_mut() {
            targets.sort_unstable();
            targets.dedup();
        }
        steps
    }

    /// A set as a state, without its steps.
    fn state(&self, set: &[u32]) -> RawState {
        let states: Vec<&RawState> = set.iter().map(|&state| &self.raw.states[state as usize]).collect();
        let is = |ending: Ending| states.iter().any(|state| state.ending == ending);
        let ending = match (is(Ending::Error), is(Ending::Done)) {
            (true, _) => Ending::Error,
            (false, true) => Ending::Done,
            (false, false) => Ending::None,
        };
        let mut labels = states.first().map(|state| state.labels.clone()).unwrap_or_default();
        labels.retain(|label| states.iter().all(|state| state.labels.contains(label)));
        let names: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
        let name = if names.len() == 1 { names[0].to_owned() } else { format!("{{{}}}", names.join(", ")) };
        RawState { labels, ending, name, span: states.first().and_then(|state| state.span), ..RawState::default() }
    }
}
