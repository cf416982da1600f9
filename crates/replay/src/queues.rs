//! Runs of networks whose channels have no bounds, with what is wrong at their end.
//!
//! What is wrong is seen in the model's own semantics: an error of the last step, a bad configuration, or a state with
//! nothing left to do. A process that has ended vanishes in a step of its own, which the machines that a run was found on
//! may not have.

use crate::{Ending, Replayed, ending, unconfirmed};
use model::chart::Chart;
use model::context::Context;
use model::fault::Fault;
use model::ids::{LocationId, MachineId};
use model::network::Action;
use model::reason::Reason;
use model::semantics::{Semantics, Step};
use model::source::SourceMap;
use model::trace::{self, Narrator, ReplayError};
use model::verdict::Property;
use scm::Specification;

/// What a run is taken in, and the property that it is said to violate.
pub struct QueueRun<'a> {
    /// The network.
    pub semantics: &'a Semantics<'a>,
    /// Its texts.
    pub sources: &'a SourceMap,
    /// Its bad configurations.
    pub bad: &'a Specification,
    /// The property.
    pub property: &'a Property,
    /// It is a Promela model: that decides which ends are proper.
    pub promela: bool,
    /// Why the run may be none of the model, if whoever found it did not look at the model itself.
    pub inexact: Option<&'static str>,
}

impl QueueRun<'_> {
    /// A run counts once it was taken again, and ends as it should.
    pub fn replayed(&self, mut steps: Vec<Step>, cx: &Context<'_>) -> Result<(Replayed, Chart), Reason> {
        let none = || self.doubt("the run is none of the model");
        if self.is_promela_deadlock() {
            steps = until_all_are_gone(self.semantics, steps).ok_or_else(none)?;
        }
        let mut narrator = Narrator::new(self.semantics, self.sources).within(*cx);
        let replayed = narrator.replay(&steps).map_err(|error| match error {
            ReplayError::Unfinished(reason) => reason,
            _ => none(),
        })?;
        let end = self.end(&replayed)?.ok_or_else(|| self.doubt("the run does not end as it should"))?;
        let (problem, problem_code, problem_span) = (end.problem, end.code, end.span);
        let stuck = *self.property == Property::Deadlock;
        let chart = Chart { problem, problem_code, problem_span, stuck, ..narrator.chart(replayed) };
        let replayed = match self.promela {
            true => Replayed::network(self.semantics, &chart, cx),
            false => Replayed::machines(self.semantics, &chart, cx),
        };
        Ok((replayed?, chart))
    }

    fn is_promela_deadlock(&self) -> bool {
        self.promela && *self.property == Property::Deadlock
    }

    fn doubt(&self, why: &str) -> Reason {
        self.inexact.map_or_else(|| unconfirmed(why), |inexact| Reason::NotProvable(String::from(inexact)))
    }

    /// What is wrong at the end.
    fn end(&self, replayed: &trace::Replayed) -> Result<Option<Ending>, Reason> {
        Ok(match &replayed.fault {
            Some(fault) if *self.property == Property::Safety => {
                let problem = fault.fault.to_string();
                Some(Ending { problem, code: fault.fault.code(), span: Some(fault.span) })
            }
            // After a failed assertion a run goes on; after other errors it cannot.
            Some(fault) if fault.fault != Fault::Assertion => return Err(Reason::Crash(fault.fault.to_string())),
            _ if self.is_promela_deadlock() => is_stuck(self.semantics, replayed),
            _ if is_inside(self.semantics, replayed) => None,
            _ => ending(self.semantics, self.sources, self.bad, self.property, &replayed.state),
        })
    }
}

/// A run, and after it the ends of all processes that have nothing else to do.
fn until_all_are_gone(semantics: &Semantics<'_>, mut steps: Vec<Step>) -> Option<Vec<Step>> {
    let mut stepper = semantics.stepper();
    let mut state = stepper.initial().ok()?.ok()?;
    let mut control = None;
    let mut position = 0;
    loop {
        let owner = match control {
            Some(process) if stepper.keeps_control(&state, process).ok()? => Some(process),
            _ => None,
        };
        let mut all = Vec::new();
        stepper
            .expand(&state, owner, &mut |successor| {
                all.extend(successor.state.map(|next| (successor.step, next.to_vec(), successor.control)));
            })
            .ok()?;
        let is_end = |step: Step| match step {
            Step::Edge { process, edge } => {
                let place = place(semantics, &state, process)?;
                let machine = semantics.network().machine(place.0);
                Some(matches!(machine.edges.get(edge.index())?.action, Action::End))
            }
            _ => None,
        };
        let wanted = match steps.get(position) {
            Some(&wanted) => Some(wanted),
            None => all.iter().map(|(step, ..)| *step).find(|&step| is_end(step) == Some(true)),
        };
        let Some(wanted) = wanted else { return Some(steps) };
        let (step, next, next_control) = all.into_iter().find(|(step, ..)| *step == wanted)?;
        if position >= steps.len() {
            steps.push(step);
        }
        position += 1;
        (state, control) = (next, next_control);
    }
}

fn place(semantics: &Semantics<'_>, state: &[u8], process: u32) -> Option<(MachineId, LocationId)> {
    let mut stepper = semantics.stepper();
    stepper.load(state);
    ((process as usize) < stepper.loaded_processes()).then(|| stepper.loaded_place(process as usize))
}

/// Whether a run ends in the middle of an atomic sequence that goes on.
fn is_inside(semantics: &Semantics<'_>, replayed: &trace::Replayed) -> bool {
    let mut stepper = semantics.stepper();
    replayed.control.is_some_and(|process| stepper.keeps_control(&replayed.state, process) != Ok(false))
}

/// Promela's invalid end state: nothing can move, and a process is where it must not stop.
fn is_stuck(semantics: &Semantics<'_>, replayed: &trace::Replayed) -> Option<Ending> {
    let mut stepper = semantics.stepper();
    let moves = stepper.expand(&replayed.state, None, &mut |_| ()).ok()?;
    let stuck = moves == 0 && !stepper.is_valid_end(&replayed.state);
    let problem = String::from("invalid end state: nothing can move");
    stuck.then_some(Ending { problem, code: "invalid-end-state", span: None })
}
