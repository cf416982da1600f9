//! Terminal sets: states that lead to each other and to nothing else. Under fair choice every run ends up in one.

use crate::composition::{Composition, Progress, Run, Stepper};
use crate::fairness::Fairness;
use crate::ids::EventId;
use std::collections::{HashMap, HashSet};

/// More states than this are not looked at.
const MOST_STATES: usize = 5_000_000;

impl Progress {
    /// Whether a set of states misses it, by the events that happen there.
    pub fn is_missed(&self, happens: &dyn Fn(EventId) -> bool) -> bool {
        let one_of = |events: &Vec<EventId>| events.iter().any(|&event| happens(event));
        self.condition.as_ref().is_none_or(one_of) && !self.sets.iter().all(one_of)
    }

    /// The sets of which nothing happens, as their events.
    pub fn missing(&self, happens: &dyn Fn(EventId) -> bool) -> Vec<EventId> {
        let missed = self.sets.iter().filter(|events| !events.iter().any(|&event| happens(event)));
        missed.flatten().copied().collect()
    }
}

impl Run {
    /// Whether the run shows that progress is missed: it leads into a terminal set that misses the events, or to a bad end; or it
    /// is infinite, fair in this sense, and misses them on its loop. Its states are those of the composition, and it replays.
    pub fn misses(&self, composition: &Composition, progress: &Progress, fair: Fairness) -> bool {
        let Some(from) = self.loop_from else {
            let happens = self.states.last().and_then(|last| terminal_events(composition, last));
            return happens.is_some_and(|happens| {
                // Only fair choice takes a run round through all of a set.
                (fair == Fairness::Choice || happens.is_empty())
                    && progress.is_missed(&|event| happens.contains(&event))
            });
        };
        let happens: HashSet<EventId> = self.steps[from..].iter().map(|step| step.event()).collect();
        progress.is_missed(&|event| happens.contains(&event)) && self.is_fair(composition, fair)
    }
}

/// The events that happen in the terminal set of a state; none if it is in no such set, if it is done, or if there are too
/// many states to tell. A state that is stuck or wrong is a terminal set where nothing happens.
pub fn terminal_events(composition: &Composition, state: &[u32]) -> Option<HashSet<EventId>> {
    if composition.is_done(state) && !composition.is_wrong(state) && is_last(composition, state) {
        return None;
    }
    let mut stepper = Stepper::new(composition);
    let mut numbers: HashMap<Vec<u32>, usize> = HashMap::from([(state.to_vec(), 0)]);
    let mut states = vec![state.to_vec()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new()];
    let mut events = HashSet::new();
    let mut at = 0;
    while let Some(from) = states.get(at).cloned() {
        stepper.steps(&from, &mut |step, to| {
            events.insert(step.event());
            let number = *numbers.entry(to.to_vec()).or_insert(states.len());
            if number == states.len() {
                states.push(to.to_vec());
                before.push(Vec::new());
            }
            before[number].push(at);
        });
        if states.len() > MOST_STATES {
            return None;
        }
        at += 1;
    }
    // It is left for good unless every state leads back.
    let (mut leads_back, mut work, mut count) = (vec![false; states.len()], vec![0], 1);
    leads_back[0] = true;
    while let Some(state) = work.pop() {
        for &earlier in &before[state] {
            if !std::mem::replace(&mut leads_back[earlier], true) {
                count += 1;
                work.push(earlier);
            }
        }
    }
    (count == states.len()).then_some(events)
}

fn is_last(composition: &Composition, state: &[u32]) -> bool {
    let mut last = true;
    Stepper::new(composition).steps(state, &mut |_, _| last = false);
    last
}
