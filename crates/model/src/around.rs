//! The states around one: where a walk has been, what it could have done instead, and what can happen next.
//!
//! A picture of all states helps with the smallest models only. This one has the last states of a walk, the others that
//! they lead to, and those that are a few steps ahead, each state once: a step that leads back to a known state is an edge
//! to it, so that loops are seen.

use crate::chart::{NetworkKey, StepKey};
use crate::fault::Overflow;
use crate::semantics::{Semantics, Step, Stepper};
use crate::source::SourceMap;
use crate::trace::Narrator;
use std::collections::HashMap;

/// No more states than this are shown.
const MOST_STATES: usize = 48;
/// So many of them are for what comes next; the others are for what could have happened before.
const MOST_AHEAD: usize = 36;
/// How many steps ahead.
const AHEAD: i32 = 3;
/// How many states of the walk.
const BEHIND: usize = 5;
/// Longer labels are cut.
const LONGEST_LABEL: usize = 60;

/// The states around one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Around {
    /// The states.
    pub states: Vec<Near>,
    /// The steps between them: from, to, what happens.
    pub steps: Vec<(usize, usize, String)>,
    /// Where the walk is.
    pub here: usize,
}

/// One of the states around another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Near {
    /// How many steps it is away: behind the state in the middle, or ahead of it.
    pub column: i32,
    /// It is reached by so many steps of the walk ..
    pub kept: usize,
    /// .. and then by these.
    pub then: Vec<StepKey>,
    /// The walk passes through it.
    pub passed: bool,
    /// How a run ends here, if it does: `error`, `stuck`, `end`; else empty.
    pub end: &'static str,
    /// Some of its steps lead to states that are not shown.
    pub more: bool,
}

/// A state with who has control in it; none after an error.
type Place = Option<(Vec<u8>, Option<u32>)>;

struct Picture<'s> {
    stepper: Stepper<'s>,
    around: Around,
    places: Vec<Place>,
    known: HashMap<(Vec<u8>, Option<u32>), usize>,
}

/// The states around the one that some steps lead to; `None` if they are not possible.
pub fn around(semantics: &Semantics<'_>, sources: &SourceMap, walk: &[Step]) -> Result<Option<Around>, Overflow> {
    let stepper = semantics.stepper();
    let mut picture = Picture { stepper, around: Around::default(), places: Vec::new(), known: HashMap::new() };
    let Some(here) = picture.walk(walk)? else { return Ok(None) };
    picture.around.here = here;
    picture.ahead(here)?;
    picture.instead(here)?;
    picture.edges(&mut Narrator::new(semantics, sources))?;
    Ok(Some(picture.around))
}

impl Picture<'_> {
    /// The last states of the walk; the last of all.
    fn walk(&mut self, steps: &[Step]) -> Result<Option<usize>, Overflow> {
        let Ok(first) = self.stepper.initial()? else { return Ok(None) };
        let (mut place, mut here): (Place, usize) = (Some((first, None)), 0);
        for position in 0..=steps.len() {
            let away = steps.len() - position;
            if away <= BEHIND {
                here = self.add(place.clone(), -(away as i32), position, Vec::new());
                (self.around.states[here].passed, self.around.states[here].column) = (true, -(away as i32));
            }
            let Some(&step) = steps.get(position) else { break };
            let next = self.successors(&place)?.into_iter().find(|(taken, _)| *taken == step);
            let Some((_, next)) = next else { return Ok(None) };
            place = next;
        }
        Ok(Some(here))
    }

    /// Adds a state that is not known yet.
    fn add(&mut self, place: Place, column: i32, kept: usize, then: Vec<StepKey>) -> usize {
        if let Some(&known) = place.as_ref().and_then(|place| self.known.get(place)) {
            return known;
        }
        let index = self.around.states.len();
        let end = if place.is_none() { "error" } else { "" };
        self.around.states.push(Near { column, kept, then, passed: false, end, more: false });
        self.known.extend(place.clone().map(|place| (place, index)));
        self.places.push(place);
        index
    }

    /// The steps that can be taken, and where they lead.
    fn successors(&mut self, place: &Place) -> Result<Vec<(Step, Place)>, Overflow> {
        let Some((state, control)) = place else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        self.stepper.expand(state, *control, &mut |successor| {
            let next = successor.state.filter(|_| successor.fault.is_none());
            found.push((successor.step, next.map(|next| (next.to_vec(), successor.control))));
        })?;
        for (_, place) in &mut found {
            if let Some((state, control @ Some(_))) = place {
                *control = control.filter(|&process| self.stepper.keeps_control(state, process) != Ok(false));
            }
        }
        Ok(found)
    }

    /// Adds where the steps of a state lead, while there is room.
    fn spread(&mut self, from: usize, most: usize) -> Result<(), Overflow> {
        let Near { column, kept, then, .. } = self.around.states[from].clone();
        for (step, place) in self.successors(&self.places[from].clone())? {
            if self.around.states.len() >= most {
                break;
            }
            let path = [then.as_slice(), &[StepKey::Network(NetworkKey::from(step))]].concat();
            self.add(place, column + 1, kept, path);
        }
        Ok(())
    }

    /// What can happen next, breadth-first.
    fn ahead(&mut self, here: usize) -> Result<(), Overflow> {
        self.spread(here, MOST_AHEAD)?;
        let mut next = here + 1;
        while next < self.around.states.len() && self.around.states[next].column < AHEAD {
            self.spread(next, MOST_AHEAD)?;
            next += 1;
        }
        Ok(())
    }

    /// What could have happened before, the latest first.
    fn instead(&mut self, here: usize) -> Result<(), Overflow> {
        for passed in (0..here).rev() {
            self.spread(passed, MOST_STATES)?;
        }
        Ok(())
    }

    /// All steps between the states, and how runs end.
    fn edges(&mut self, narrator: &mut Narrator<'_>) -> Result<(), Overflow> {
        for from in 0..self.places.len() {
            let Some((state, _)) = self.places[from].clone() else { continue };
            let successors = self.successors(&self.places[from].clone())?;
            if successors.is_empty() {
                self.around.states[from].end = if self.stepper.is_valid_end(&state) { "end" } else { "stuck" };
            }
            for (step, place) in successors {
                let key = StepKey::Network(NetworkKey::from(step));
                let known = match &place {
                    Some(place) => self.known.get(place).copied(),
                    // An error has no state: its own steps lead to it.
                    None => self.around.states.iter().position(|near| {
                        let own = &self.around.states[from];
                        near.end == "error"
                            && near.kept == own.kept
                            && near.then == [&own.then[..], std::slice::from_ref(&key)].concat()
                    }),
                };
                let Some(to) = known else {
                    self.around.states[from].more = true;
                    continue;
                };
                let words = narrator.describe(&state, step);
                let who = words.moves.first().and_then(|first| narrator.lane(first.lane));
                let who = who.map_or_else(String::new, |lane| format!("{lane} "));
                let label = (who + words.event.as_deref().unwrap_or("")).chars().take(LONGEST_LABEL).collect();
                self.around.steps.push((from, to, label));
            }
        }
        Ok(())
    }
}
