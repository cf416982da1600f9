//! Runs that the engine found, taken in the model itself and looked at there.
//!
//! A run of folded machines is one of the model, prologue first and atomic sequences spelled out, unless a sequence was
//! split. What is wrong at its end is seen in the model's own semantics: an error of the last step, a bad configuration,
//! or a state with nothing left to do. A process that has ended vanishes in a step of its own, which machines do not have.

use super::target::{Folding, Origin, Target};
use super::{Ending, Machines, ending, system, unconfirmed};
use crate::evidence::{Claim, Replayed as Confirmed};
use model::chart::Chart;
use model::fault::Fault;
use model::ids::{LocationId, MachineId};
use model::network::Action;
use model::semantics::{Reading, Semantics, Step};
use model::trace::{Narrator, Replayed};
use model::verdict::{Outcome, Property, Reason};
use scm::Specification;

/// What is said of a run that only the folded machines can take.
const SPLIT: &str = "a run was found that the model cannot take: an atomic sequence uses channels more than once, and \
                     its machines let others come in between";

/// What is said of a run that only one machine for all can take.
const TAKEN: &str = "a run was found that the model cannot take: a process in an atomic sequence is taken to lose control \
                     before a message that is there";

impl Machines<'_> {
    /// A run counts once it was replayed, and ends as it should.
    pub(super) fn violated(&self, target: &Target, run: &fifo::Run, outcome: &mut Outcome) -> Result<Claim, Reason> {
        let steps = system::steps(&target.system, run);
        let found = match &target.origin {
            Origin::Model => self.plain_run(target, &outcome.property, &steps),
            Origin::Folded(folding) => self.folded_run(folding, &outcome.property, &steps),
            Origin::Whole(whole) => self.whole_run(&outcome.property, &whole.replay(run)),
        };
        let witness = outcome.witness.insert(found?);
        let semantics = Semantics::new(self.network, Reading::Unbounded);
        let replayed = match self.promela {
            true => Confirmed::network(&semantics, witness),
            false => Confirmed::machines(&semantics, witness),
        };
        replayed.map(Claim::Violated)
    }

    fn plain_run(&self, target: &Target, property: &Property, steps: &[Step]) -> Result<Chart, Reason> {
        let semantics = Semantics::new(self.network, Reading::Unbounded);
        let mut narrator = Narrator::new(&semantics, self.sources);
        let replayed = narrator.replay(steps).map_err(|_| unconfirmed("the run is none of the model"))?;
        let end = ending(&semantics, self.sources, &target.specification, property, &replayed.state);
        let end = end.ok_or_else(|| unconfirmed("the run does not end as it should"))?;
        Ok(self.chart(narrator, replayed, property, end))
    }

    fn folded_run(&self, folding: &Folding, property: &Property, steps: &[Step]) -> Result<Chart, Reason> {
        let doubt = |why: &str| match folding.folded.is_exact() {
            true => unconfirmed(why),
            false => Reason::NotProvable(String::from(SPLIT)),
        };
        let semantics = Semantics::new(self.network, Reading::Unbounded);
        let mut narrator = Narrator::new(&semantics, self.sources);
        let mut original = folding.folded.replay(steps);
        if self.promela && *property == Property::Deadlock {
            original = until_all_are_gone(&semantics, original).ok_or_else(|| doubt("the run is none of the model"))?;
        }
        let replayed = narrator.replay(&original).map_err(|_| doubt("the run is none of the model"))?;
        let end = match &replayed.fault {
            Some(fault) if *property == Property::Safety => {
                let problem = fault.fault.to_string();
                Some(Ending { problem, code: fault.fault.code(), span: Some(fault.span) })
            }
            // After a failed assertion a run goes on; after other errors it cannot.
            Some(fault) if fault.fault != Fault::Assertion => return Err(Reason::Crash(fault.fault.to_string())),
            _ if self.promela && *property == Property::Deadlock => is_stuck(&semantics, &replayed, property),
            _ if is_inside(&semantics, &replayed) => None,
            _ => ending(&semantics, self.sources, &folding.original, property, &replayed.state),
        };
        let end = end.ok_or_else(|| doubt("the run does not end as it should"))?;
        Ok(self.chart(narrator, replayed, property, end))
    }

    /// A run of one machine for all processes: step by step one of the model.
    fn whole_run(&self, property: &Property, steps: &[Step]) -> Result<Chart, Reason> {
        let semantics = Semantics::new(self.network, Reading::Unbounded);
        let doubt = || Reason::NotProvable(String::from(TAKEN));
        let mut narrator = Narrator::new(&semantics, self.sources);
        let replayed = narrator.replay(steps).map_err(|_| doubt())?;
        let end = match &replayed.fault {
            Some(fault) if *property == Property::Safety => {
                let problem = fault.fault.to_string();
                Some(Ending { problem, code: fault.fault.code(), span: Some(fault.span) })
            }
            _ if *property == Property::Deadlock => is_stuck(&semantics, &replayed, property),
            _ if is_inside(&semantics, &replayed) => None,
            _ => ending(&semantics, self.sources, &Specification::default(), property, &replayed.state),
        };
        Ok(self.chart(narrator, replayed, property, end.ok_or_else(doubt)?))
    }

    /// The run in words.
    fn chart(&self, mut narrator: Narrator<'_>, replayed: Replayed, property: &Property, end: Ending) -> Chart {
        // What was given on the command line is in no file.
        let span = end.span.filter(|_| self.settings.bad.is_empty() || replayed.fault.is_some());
        let stuck = *property == Property::Deadlock;
        Chart { problem: end.problem, problem_code: end.code, problem_span: span, stuck, ..narrator.chart(replayed) }
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
fn is_inside(semantics: &Semantics<'_>, replayed: &Replayed) -> bool {
    let mut stepper = semantics.stepper();
    replayed.control.is_some_and(|process| stepper.keeps_control(&replayed.state, process) != Ok(false))
}

/// Promela's invalid end state: nothing can move, and a process is where it must not stop.
fn is_stuck(semantics: &Semantics<'_>, replayed: &Replayed, property: &Property) -> Option<Ending> {
    let mut stepper = semantics.stepper();
    let moves = stepper.expand(&replayed.state, None, &mut |_| ()).ok()?;
    let stuck = *property == Property::Deadlock && moves == 0 && !stepper.is_valid_end(&replayed.state);
    let problem = String::from("invalid end state: nothing can move");
    stuck.then_some(Ending { problem, code: "invalid-end-state", span: None })
}
