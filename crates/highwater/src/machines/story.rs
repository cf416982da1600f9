//! `--trace-refinement`: how the engine `fifo` comes to its answer, told line by line on stderr in the words of the paper.
//!
//! An iteration finds an abstract run to something bad. It is feasible, and a run of the system; or a path invariant says
//! why it is spurious, and splits classes of queue contents along it.

use fifo::{AbstractState, Event, Op, System};
use model::context::Context;
use model::observer::Progress;
use queues::{Language, Languages};

/// Listens to the engine: shows that work goes on, and tells the story if it is wanted.
pub struct Listener<'a> {
    /// What names are taken from.
    pub system: &'a System,
    /// Who watches.
    pub cx: &'a Context<'a>,
}

impl fifo::Observer for Listener<'_> {
    fn event(&mut self, event: Event<'_>, languages: &mut Languages) {
        if let Event::Progress { controls, states, bytes } = event {
            let (states, waiting, memory_bytes) = (states as u64, controls as u64, bytes as u64);
            let engine = super::ENGINE;
            self.cx.progress(|| Progress { engine, states, waiting, memory_bytes, ..Progress::default() });
        } else {
            self.cx.refinement(|| self.words(&event, languages));
        }
    }
}

impl Listener<'_> {
    fn words(&self, event: &Event<'_>, languages: &mut Languages) -> String {
        match event {
            Event::Turn { method } => format!("method: {method}\n"),
            Event::Precision { k } => format!("  precision {k}\n"),
            Event::Counterexample { iteration, path, moves, feasible } => {
                let verdict = if *feasible { "feasible" } else { "spurious" };
                let mut text = format!("iteration {iteration}: an abstract run of {} steps, {verdict}\n", moves.len());
                for (index, state) in path.iter().enumerate() {
                    text += &format!("    {}\n", self.state(state, languages));
                    if let Some(&(machine, _, op)) = moves.get(index) {
                        text += &format!("      {}\n", self.step(machine, op));
                    }
                }
                text
            }
            Event::PathInvariant { candidates, .. } => {
                let lines = candidates.iter().enumerate().map(|(index, (k, sets))| {
                    let what = if index + 1 < candidates.len() { "failed candidate" } else { "path invariant" };
                    let sets: Vec<String> = sets.iter().map(|&set| self.set(set, languages)).collect();
                    format!("  {what}, k = {k}: {}\n", sets.join("  ;  "))
                });
                lines.collect()
            }
            Event::Split { state, inside, outside, .. } => {
                let (inside, outside) = (self.set(*inside, languages), self.set(*outside, languages));
                format!("  split {}: {inside}  |  {outside}\n", self.control(&state.control))
            }
            Event::Progress { .. } => String::new(),
        }
    }

    fn state(&self, state: &AbstractState, languages: &mut Languages) -> String {
        format!("{} {}", self.control(&state.control), self.set(state.class, languages))
    }

    fn control(&self, control: &[u32]) -> String {
        let names =
            self.system.machines.iter().zip(control).map(|(machine, &state)| {
                machine.states.get(state as usize).cloned().unwrap_or_else(|| state.to_string())
            });
        format!("({})", names.collect::<Vec<_>>().join(", "))
    }

    fn step(&self, machine: usize, op: Op) -> String {
        let name = self.system.machines.get(machine).map_or("", |machine| machine.name.as_str());
        let message = |letter: u32| self.system.alphabet.get(letter as usize).map_or("", String::as_str);
        match op {
            Op::Internal => format!("{name}: internal"),
            Op::Send(channel, letter) => format!("{name}: {channel} ! {}", message(letter)),
            Op::Receive(channel, letter) => format!("{name}: {channel} ? {}", message(letter)),
        }
    }

    fn set(&self, set: Language, languages: &mut Languages) -> String {
        let name =
            |letter: u32| self.system.alphabet.get(letter as usize).cloned().unwrap_or_else(|| letter.to_string());
        languages.describe(set, &name).unwrap_or_else(|_| String::from("(too large to show)"))
    }
}
