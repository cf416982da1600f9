//! Why nothing can happen: who waits for which event, who refuses it, and where the waiting goes round in a circle.
//!
//! A component waits for the events that it has steps for. Each of them needs all components that know it, and somebody
//! refuses: that is whom the component waits for. In a deadlock with no component at its end, each waits for another one, so
//! there is a circle; a shortest one is shown. A component that could be helped by several others (a fork that either
//! neighbour may put back) is said to wait for those that it met last, if they are among them: they are most likely the ones
//! that hold it.

use model::chart::{Awaited, Waits, shortest_circle};
use model::composition::{Composition, Run, StepLabel, Stepper};
use model::ids::EventId;

/// So many events of a component are looked at for a circle.
const MOST_EVENTS: usize = 64;

/// What each component waits for, in a state in which nothing can happen.
pub fn waiting(composition: &Composition, state: &[u32]) -> Vec<Waits> {
    let stepper = Stepper::new(composition);
    let name = |&number: &u32| {
        let lane = number as usize;
        (lane, composition.components[lane].state_name(state[lane]))
    };
    let refused = |event: EventId| Awaited {
        event: composition.event_name(event).to_owned(),
        refused_by: refusers(composition, &stepper, state, event).iter().map(name).collect(),
        ..Awaited::default()
    };
    let one = |(index, component): (usize, &model::composition::Component)| Waits {
        lane: index,
        state: Some(component.state_name(state[index])),
        span: Some(component.state_span(state[index])),
        done: component.structure.ending(state[index]) == model::structure::Ending::Done,
        events: wanted(composition, state, index).into_iter().map(refused).collect(),
    };
    composition.components.iter().enumerate().map(one).collect()
}

/// The events that a component has steps for.
fn wanted(composition: &Composition, state: &[u32], component: usize) -> Vec<EventId> {
    let moves = composition.components[component].structure.moves(state[component]);
    let mut events: Vec<EventId> = moves.iter().map(|step| step.event).collect();
    events.dedup();
    events
}

/// Those who know an event and have no step for it.
fn refusers(composition: &Composition, stepper: &Stepper<'_>, state: &[u32], event: EventId) -> Vec<u32> {
    let refuses = |number: &u32| {
        let structure = &composition.components[*number as usize].structure;
        structure.moves_with(state[*number as usize], event).is_empty()
    };
    stepper.participants(event).iter().copied().filter(refuses).collect()
}

/// Components each of which waits for the next, and the last for the first.
pub fn circle(composition: &Composition, run: &Run) -> Vec<usize> {
    let state = run.states.last().map_or(&[][..], Vec::as_slice);
    let stepper = Stepper::new(composition);
    let waits_for = |component: usize| -> Vec<usize> {
        let events = wanted(composition, state, component).into_iter().take(MOST_EVENTS);
        events.flat_map(|event| refusers(composition, &stepper, state, event)).map(|other| other as usize).collect()
    };
    let all: Vec<Vec<usize>> = (0..composition.components.len()).map(waits_for).collect();
    likely_circle(&all, &last_met(&stepper, run, all.len()))
}

/// Those each of whom waits for the next, and the last for the first; `all` says who waits for whom, and `met` whom each met
/// last.
pub fn likely_circle(all: &[Vec<usize>], met: &[Vec<usize>]) -> Vec<usize> {
    let likely = |(others, met): (&Vec<usize>, &Vec<usize>)| {
        let likely: Vec<usize> = others.iter().copied().filter(|other| met.contains(other)).collect();
        if likely.is_empty() { others.clone() } else { likely }
    };
    let likely: Vec<Vec<usize>> = all.iter().zip(met).map(likely).collect();
    shortest_circle(&likely).or_else(|| shortest_circle(all)).unwrap_or_default()
}

/// By component, who took part in its last step.
fn last_met(stepper: &Stepper<'_>, run: &Run, components: usize) -> Vec<Vec<usize>> {
    let mut met = vec![Vec::new(); components];
    for step in &run.steps {
        if let StepLabel::Event(event) = step {
            let together: Vec<usize> = stepper.participants(*event).iter().map(|&number| number as usize).collect();
            for &component in &together {
                met[component] = together.iter().copied().filter(|&other| other != component).collect();
            }
        }
    }
    met
}
