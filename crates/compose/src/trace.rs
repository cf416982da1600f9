//! The trace of a refinement, in the paper's words.

use crate::lts::{END, TAU};
use crate::partition::Partition;
use crate::product::Path;
use model::composition::Composition;
use model::context::Context;
use model::ids::EventId;

/// Longer sequences of events are cut.
const SHOWN: usize = 12;

/// Tells the observer, if it wants refinements.
pub(crate) struct RefinementTrace<'a> {
    composition: &'a Composition,
    cx: Context<'a>,
}

impl<'a> RefinementTrace<'a> {
    pub(crate) fn new(composition: &'a Composition, cx: &Context<'a>) -> Self {
        RefinementTrace { composition, cx: *cx }
    }

    /// Tells a line that is only made if it is wanted.
    pub(crate) fn tell(&mut self, line: impl FnOnce(&Composition) -> String) {
        self.cx.refinement(|| line(self.composition));
    }

    pub(crate) fn iteration(&mut self, number: u64, partitions: &[Partition<'_>]) {
        self.tell(|_| {
            let classes: Vec<String> = partitions.iter().map(|partition| partition.classes().to_string()).collect();
            format!("iteration {number}: abstract states of the components: {}", classes.join(" "))
        });
    }

    pub(crate) fn none_left(&mut self) {
        self.tell(|_| String::from("  the composed abstractions have no counterexample"));
    }

    pub(crate) fn counterexample(&mut self, path: &Path) {
        self.tell(|composition| {
            let stem = path.loop_from.unwrap_or(path.steps.len());
            let before = events(composition, path, 0, stem);
            match path.loop_from {
                None if before.is_empty() => String::from("  abstract counterexample: at the start"),
                None => format!("  abstract counterexample: {before}"),
                Some(_) => {
                    let round = events(composition, path, stem, path.steps.len());
                    format!("  abstract counterexample: {before}{}again and again: {round}", separator(&before))
                }
            }
        });
    }

    pub(crate) fn broken(&mut self, part: usize, steps: usize, inside: usize, all: usize) {
        self.tell(|composition| {
            let name = component(composition, part);
            format!(
                "  spurious in {name}: it cannot go on after its step {steps}; \
                 split there: {inside} of {all} states from the others"
            )
        });
    }

    pub(crate) fn wrong_end(&mut self, part: usize, event: u32) {
        self.tell(|composition| {
            let (name, event) = (component(composition, part), event_name(composition, event));
            format!(
                "  spurious in {name}: no state that it gets to refuses all that its class does; \
                 split: those that refuse {event} from the others"
            )
        });
    }

    pub(crate) fn real(&mut self) {
        self.tell(|_| String::from("  every component can do its part: the counterexample is real"));
    }
}

fn separator(before: &str) -> &'static str {
    if before.is_empty() { "" } else { ", then " }
}

fn component(composition: &Composition, part: usize) -> String {
    composition.components.get(part).map_or_else(|| part.to_string(), |component| component.name.clone())
}

fn event_name(composition: &Composition, event: u32) -> String {
    match event {
        END => String::from("to end"),
        TAU => String::from("a step of its own"),
        _ => composition.event_name(EventId(event)).to_owned(),
    }
}

fn events(composition: &Composition, path: &Path, from: usize, to: usize) -> String {
    let shown = path.steps[from..to].iter().take(SHOWN);
    let mut names: Vec<&str> = shown.map(|step| composition.event_name(EventId(step.event))).collect();
    if to - from > SHOWN {
        names.push("..");
    }
    names.join(" ")
}
