//! Whether an infinite run of a composition is fair: by what its loop does, and what could happen there.

use crate::composition::{Composition, Run, StepLabel, Stepper};
use crate::fairness::Fairness;
use std::collections::{BTreeSet, HashSet};

impl Run {
    /// Whether the run is infinite, and fair in this sense. Its states are those of the composition, and it replays.
    pub fn is_fair(&self, composition: &Composition, fair: Fairness) -> bool {
        let Some(from) = self.loop_from else { return false };
        let mut stepper = Stepper::new(composition);
        let (mut taken, mut alternatives) = (HashSet::new(), HashSet::new());
        let (mut moved, mut always) = (BTreeSet::new(), None::<BTreeSet<u32>>);
        let mut ever: BTreeSet<u32> = BTreeSet::new();
        for at in from..self.steps.len() {
            let state = &self.states[at];
            taken.insert((state, self.steps[at], self.states[at + 1].clone()));
            moved.extend(participants(&stepper, self.steps[at]));
            let mut labels = Vec::new();
            stepper.steps(state, &mut |step, to| {
                alternatives.insert((state, step, to.to_vec()));
                labels.push(step);
            });
            let enabled: BTreeSet<u32> = labels.into_iter().flat_map(|step| participants(&stepper, step)).collect();
            ever.extend(&enabled);
            always = Some(always.map_or(enabled.clone(), |always| &always & &enabled));
        }
        match fair {
            Fairness::None => true,
            Fairness::Weak => always.unwrap_or_default().is_subset(&moved),
            Fairness::Strong => ever.is_subset(&moved),
            Fairness::Choice => alternatives.is_subset(&taken),
        }
    }
}

fn participants(stepper: &Stepper<'_>, step: StepLabel) -> Vec<u32> {
    match step {
        StepLabel::Event(event) => stepper.participants(event).to_vec(),
        StepLabel::Silent { component } => vec![component],
    }
}
