//! A walk through a model: some steps from the first state, where they lead, and what can be done there.
//!
//! It is what `view` shows. The steps are those of the simulator, so a walk shows exactly what engines search.

use crate::error::Error;
use crate::model::{Model, System};
use crate::settings::Channels;
use crate::simulate::not_replayed;
use model::around::Around;
use model::chart::{Change, Chart, ChartStep, Contents, Lane, NetworkKey, StepKey};
use model::semantics::{Reading, Semantics, Step};
use model::trace::Narrator;
use model::verdict::{Outcome, Property, Reason, Verdict};
use report::json;

/// Where a walk leads.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The steps that were taken, and where every process is now.
    pub chart: Chart,
    /// The steps that can be taken now; none after an error.
    pub enabled: Vec<Enabled>,
    /// The variables and their values.
    pub variables: Vec<Change>,
    /// The channels and what they hold.
    pub channels: Vec<Contents>,
    reading: Reading,
}

/// A step that can be taken.
#[derive(Clone, Debug)]
pub struct Enabled {
    /// The step.
    pub key: StepKey,
    /// What it does.
    pub words: ChartStep,
    /// It ends in an error.
    pub fault: bool,
}

/// Takes some steps from the first state of a network.
pub fn walk(model: &Model, channels: Channels, steps: &[StepKey]) -> Result<Walk, Error> {
    let System::Network(network) = &model.system else {
        let kind = model.kind().name();
        return Err(Error::Usage(format!(
            "the explorer walks processes with channels; `simulate --interactive` is for {kind}"
        )));
    };
    let reading = if network.is_machines() { Reading::Unbounded } else { channels.into() };
    let semantics = Semantics::new(&network.network, reading);
    let mut narrator = Narrator::new(&semantics, &model.sources);
    let replayed = narrator.replay(&network_steps(steps)?).map_err(not_replayed)?;
    let (state, control, fault) = (replayed.state.clone(), replayed.control, replayed.fault.clone());
    let mut enabled = Vec::new();
    if fault.is_none() {
        let bound = |overflow: model::fault::Overflow| Error::Mismatch(overflow.to_string());
        let mut stepper = semantics.stepper();
        let control = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        let mut found = Vec::new();
        stepper.expand(&state, control, &mut |s| found.push((s.step, s.fault.is_some()))).map_err(bound)?;
        for (step, fault) in found {
            let (key, words) = (StepKey::Network(NetworkKey::from(step)), narrator.describe(&state, step));
            enabled.push(Enabled { key, words, fault });
        }
    }
    let snapshot = narrator.snapshot(&state);
    let stuck = enabled.is_empty() && fault.is_none() && !semantics.stepper().is_valid_end(&state);
    let mut chart = Chart { stuck, ..narrator.chart(replayed) };
    match fault {
        Some(fault) => {
            (chart.problem, chart.problem_code) = (fault.fault.to_string(), fault.fault.code());
            chart.problem_span = Some(fault.span);
        }
        None if stuck => (chart.problem, chart.problem_code) = (String::from("invalid end state"), "invalid-end-state"),
        None => {}
    }
    for (step, key) in chart.steps.iter_mut().zip(steps) {
        step.key = Some(key.clone());
    }
    // Whoever can move has a lane, even before the first step.
    chart.lanes = (0..).map_while(|lane| narrator.lane(lane).cloned()).collect::<Vec<Lane>>();
    Ok(Walk { chart, enabled, variables: snapshot.variables, channels: snapshot.channels, reading })
}

/// The states around the one that some steps lead to.
pub fn around(model: &Model, channels: Channels, steps: &[StepKey]) -> Result<Around, Error> {
    let System::Network(network) = &model.system else { return Ok(Around::default()) };
    let reading = if network.is_machines() { Reading::Unbounded } else { channels.into() };
    let semantics = Semantics::new(&network.network, reading);
    let found = model::around::around(&semantics, &model.sources, &network_steps(steps)?);
    Ok(found.map_err(|overflow| Error::Mismatch(overflow.to_string()))?.unwrap_or_default())
}

impl Walk {
    /// The channel semantics of its steps.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The walk as a document that `simulate --replay` follows.
    pub fn trace(&self, model: &Model) -> String {
        let property = if self.chart.stuck { Property::Deadlock } else { Property::Safety };
        let open = Outcome::open(property, self.reading, "view", Reason::StoppedEarly);
        let outcome = Outcome { verdict: Verdict::Violated, witness: Some(self.chart.clone()), ..open };
        let mut bytes = Vec::new();
        match json::write_trace(&mut bytes, &model.info, &outcome, &model.sources) {
            Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        }
    }
}

fn network_steps(keys: &[StepKey]) -> Result<Vec<Step>, Error> {
    let step = |key: &StepKey| match key {
        StepKey::Network(key) => Ok(Step::from(*key)),
        _ => Err(Error::Mismatch(String::from("a step of another kind of model"))),
    };
    keys.iter().map(step).collect()
}
