//! Progress and refinements of an analysis, as events of the observer. Refinements are lines in the words of the paper.
//!
//! An iteration finds an abstract run to something bad. It is feasible, and a run of the system; or a path invariant says
//! why it is spurious, and splits classes of queue contents along it.

use crate::ENGINE;
use crate::space::Space;
use crate::system::{Op, System};
use model::context::Context;
use model::observer::Progress;
use queues::{Language, Languages};

/// A control state with a class of its partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractState {
    /// The state of each machine.
    pub control: Vec<u32>,
    /// The class.
    pub class: Language,
}

/// Something that happened.
pub(crate) enum Event<'a> {
    /// A method begins or goes on.
    Turn { method: &'a str },
    /// Everything is tried again, with this parameter of the extrapolation.
    Precision { k: u32 },
    /// A path to bad in the abstraction, counted from 0: the abstract states on it, what happens between them (machine,
    /// transition, and what it does), and whether it is one of the system, too.
    Counterexample { iteration: usize, path: &'a [AbstractState], moves: &'a [(usize, usize, Op)], feasible: bool },
    /// Why the path is none of the system: rounds of the generator with their precision, candidates that failed, and the
    /// last one that did not; one language for each state of the path.
    PathInvariant { candidates: &'a [(u32, Vec<Language>)] },
    /// A class is split in the part inside the path invariant and the rest.
    Split { state: &'a AbstractState, inside: Language, outside: Language },
}

impl Event<'_> {
    /// Tells the observer, if it wants refinements. What that costs counts as work of the analysis and has its limits.
    pub(crate) fn tell(&self, space: &mut Space<'_>, cx: &Context<'_>) {
        let system = space.system;
        cx.refinement(|| self.words(system, &mut space.languages));
    }

    fn words(&self, system: &System, languages: &mut Languages) -> String {
        match self {
            Event::Turn { method } => format!("method: {method}"),
            Event::Precision { k } => format!("  precision {k}"),
            Event::Counterexample { iteration, path, moves, feasible } => {
                let verdict = if *feasible { "feasible" } else { "spurious" };
                let mut text = format!("iteration {iteration}: an abstract run of {} steps, {verdict}\n", moves.len());
                for (index, state) in path.iter().enumerate() {
                    let set = set(state.class, system, languages);
                    text += &format!("    {} {set}\n", control(&state.control, system));
                    if let Some(&(machine, _, op)) = moves.get(index) {
                        text += &format!("      {}\n", step(machine, op, system));
                    }
                }
                text
            }
            Event::PathInvariant { candidates } => {
                let lines = candidates.iter().enumerate().map(|(index, (k, sets))| {
                    let what = if index + 1 < candidates.len() { "failed candidate" } else { "path invariant" };
                    let sets: Vec<String> = sets.iter().map(|&one| set(one, system, languages)).collect();
                    format!("  {what}, k = {k}: {}\n", sets.join("  ;  "))
                });
                lines.collect()
            }
            Event::Split { state, inside, outside } => {
                let (inside, outside) = (set(*inside, system, languages), set(*outside, system, languages));
                format!("  split {}: {inside}  |  {outside}", control(&state.control, system))
            }
        }
    }
}

/// Work goes on: control states of the product that were seen; configurations that were found, or control states that were
/// followed, some several times.
pub(crate) fn progress(controls: usize, states: usize, space: &Space<'_>, cx: &Context<'_>) {
    let (states, waiting, memory_bytes) = (states as u64, controls as u64, space.languages.bytes() as u64);
    cx.progress(|| Progress { engine: ENGINE, states, waiting, memory_bytes, ..Progress::default() });
}

fn control(control: &[u32], system: &System) -> String {
    let names = system
        .machines
        .iter()
        .zip(control)
        .map(|(machine, &state)| machine.states.get(state as usize).cloned().unwrap_or_else(|| state.to_string()));
    format!("({})", names.collect::<Vec<_>>().join(", "))
}

fn step(machine: usize, op: Op, system: &System) -> String {
    let name = system.machines.get(machine).map_or("", |machine| machine.name.as_str());
    let message = |letter: u32| system.alphabet.get(letter as usize).map_or("", String::as_str);
    match op {
        Op::Internal => format!("{name}: internal"),
        Op::Send(channel, letter) => format!("{name}: {channel} ! {}", message(letter)),
        Op::Receive(channel, letter) => format!("{name}: {channel} ? {}", message(letter)),
    }
}

fn set(set: Language, system: &System, languages: &mut Languages) -> String {
    let name = |letter: u32| system.alphabet.get(letter as usize).cloned().unwrap_or_else(|| letter.to_string());
    languages.describe(set, &name).unwrap_or_else(|_| String::from("(too large to show)"))
}
