//! `simulate` for C components: one run, at random or chosen by hand.
//!
//! The parts are those that follow a run that was found: procedures in the interpreter, processes in their structures. What
//! can happen is read off their graphs; the inputs of a step are drawn or typed, and if nothing that is drawn fits the
//! condition of a step, a solver gives what does.

use super::ComponentsFile;
use crate::error::Error;
use crate::programs::beside;
use crate::simulate::Chooser;
use cegar::Question;
use model::composition::Named;
use model::ids::EventId;
use model::source::SourceMap;
use model::structure::{Ending, TAU};
use replay::components::{Memory, Narrator, Walker};
use spec::Prepared;
use spec::graph::Place;
use std::collections::BTreeSet;
use std::io::Write;

/// As many values are there for the beginning, where variables can be anything.
const AT_THE_BEGINNING: usize = 100_000;
/// More choices of taking an event together are not offered.
const MOST_WAYS: usize = 100;
/// So often are inputs drawn before a solver is requested some.
const DRAWS: usize = 30;

/// What can happen: an event, or nothing that others see; and the parts that move, each by a step.
type Choice = (Option<EventId>, Vec<(usize, u32)>);

/// One run, chosen at random or by hand.
pub fn run(
    file: &ComponentsFile,
    sources: &SourceMap,
    steps: usize,
    chooser: &mut Chooser,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let refused = |why: String| Error::Usage(format!("this specification cannot be simulated: {why}"));
    // Here an assumption that does not hold is seen.
    let question = Question::Deadlock;
    let specification = &file.specification;
    let parts = cegar::parts_of(specification, question).map_err(|reason| refused(reason.to_string()))?;
    let mut walkers = Vec::new();
    for part in &parts {
        let initial = match part {
            cegar::Part::Process(process) => process.structure.initial().first().copied(),
            cegar::Part::Procedure(_) => None,
        };
        let inputs = vec![0; AT_THE_BEGINNING];
        walkers.push(Walker::new(specification, question, part, initial, inputs).map_err(refused)?);
    }
    let narrator = Narrator::new(sources, &walkers);
    let events = Prepared::new(specification, question).map_err(|reason| refused(reason.to_string()))?.events;
    let memory = Memory::new(specification);
    Simulation { events, sources, walkers, memory, narrator }.run(steps, chooser, out)
}

struct Simulation<'a> {
    events: Vec<Named>,
    sources: &'a SourceMap,
    walkers: Vec<Walker<'a>>,
    memory: Memory,
    narrator: Narrator<'a>,
}

impl Simulation<'_> {
    fn run(&mut self, most: usize, chooser: &mut Chooser, out: &mut dyn Write) -> Result<i32, Error> {
        for number in 1..=most {
            if let Some(code) = self.ended(out, number - 1)? {
                return Ok(code);
            }
            let choices = self.choices();
            if choices.is_empty() {
                return self.stuck(out, number - 1);
            }
            let lines: Vec<String> = choices.iter().map(|choice| self.line(choice)).collect();
            let Some(index) = chooser.choose(out, &lines)? else { return Ok(0) };
            let Some(choice) = choices.into_iter().nth(index) else { return Ok(0) };
            if !self.take(out, number, &choice, chooser)? {
                return Ok(0);
            }
        }
        writeln!(out, "stopped after {most} steps (--steps)")?;
        Ok(0)
    }

    fn choices(&mut self) -> Vec<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        for part in 0..self.walkers.len() {
            let alone = self.walkers[part].steps_with(TAU);
            choices.extend(alone.into_iter().map(|code| (None, vec![(part, code)])));
        }
        let ready: BTreeSet<EventId> = self.walkers.iter().flat_map(Walker::ready).filter(|&e| e != TAU).collect();
        for event in ready {
            let mut together: Vec<Vec<(usize, u32)>> = vec![Vec::new()];
            for part in (0..self.walkers.len()).filter(|&part| self.walkers[part].knows(event)).collect::<Vec<_>>() {
                let codes = self.walkers[part].steps_with(event);
                let with = |moves: &Vec<(usize, u32)>, code: u32| [&moves[..], &[(part, code)]].concat();
                together = together.iter().flat_map(|moves| codes.iter().map(|&code| with(moves, code))).collect();
                together.truncate(MOST_WAYS);
            }
            choices.extend(together.into_iter().map(|moves| (Some(event), moves)));
        }
        choices
    }

    /// A choice in one line, before it is taken.
    fn line(&self, (event, moves): &Choice) -> String {
        let who = moves.iter().map(|&(part, code)| {
            let walker = &self.walkers[part];
            format!("{}: {}", walker.name(), walker.what(code, self.sources))
        });
        format!("{:<16} {}", self.name(*event), who.collect::<Vec<_>>().join(", "))
    }

    fn name(&self, event: Option<EventId>) -> &str {
        event.and_then(|event| self.events.get(event.index())).map_or("", |event| &event.name)
    }

    /// Takes a choice and shows it. Whether the run goes on: the user may have enough.
    fn take(
        &mut self,
        out: &mut dyn Write,
        number: usize,
        (event, moves): &Choice,
        chooser: &mut Chooser,
    ) -> Result<bool, Error> {
        self.narrator.begin(Some(self.name(*event).to_owned()).filter(|name| !name.is_empty()));
        for &(part, code) in moves {
            if !self.give(out, part, code, chooser)? {
                return Ok(false);
            }
            let walker = &mut self.walkers[part];
            let moved = walker.take(*event, code).map_err(Error::Mismatch)?;
            self.memory.after(walker, code).map_err(Error::Mismatch)?;
            self.narrator.describe(part, code, walker, &moved);
        }
        let Some(step) = self.narrator.last() else { return Ok(true) };
        for (place, moved) in step.moves.iter().enumerate().filter(|_| step.shown || step.event.is_some()) {
            let (head, event) = match place {
                0 => (format!("{number:5}"), step.event.as_deref().unwrap_or_default()),
                _ => (String::from("     "), ""),
            };
            let (who, where_) =
                (self.walkers[moved.lane].name(), moved.span.map(|span| self.sources.short(span)).unwrap_or_default());
            write!(out, "{head} {event:<16} {who:<16} {where_:<20} {}", moved.does)?;
            beside(out, &moved.changes, &moved.remarks)?;
        }
        Ok(true)
    }

    /// Gives a procedure the inputs of its next step.
    fn give(&mut self, out: &mut dyn Write, part: usize, code: u32, chooser: &mut Chooser) -> Result<bool, Error> {
        let loaded = self.memory.loaded(&self.walkers[part], code);
        let Walker::Procedure(walking) = &mut self.walkers[part] else { return Ok(true) };
        if let Some(value) = loaded {
            walking.supply(vec![value]);
            return Ok(true);
        }
        let wanted = walking.wanted(code);
        for draw in 0..=DRAWS {
            let mut inputs = Vec::new();
            for (what, scalar) in &wanted {
                match chooser.number(out, what, *scalar)? {
                    Some(bits) => inputs.push(bits),
                    None => return Ok(false),
                }
            }
            if walking.fits(code, &inputs) {
                walking.supply(inputs);
                return Ok(true);
            }
            match chooser {
                Chooser::Hand => writeln!(out, "the specification does not allow that")?,
                Chooser::Random(_) if draw == DRAWS => break,
                Chooser::Random(_) => {}
            }
        }
        let solution = walking.solution(code);
        walking.supply(solution.unwrap_or_default());
        Ok(true)
    }

    /// The exit code, if a part cannot go on, or need not.
    fn ended(&self, out: &mut dyn Write, steps: usize) -> Result<Option<i32>, Error> {
        if let Some(wrong) = self.walkers.iter().find(|walker| walker.is_wrong()) {
            let place = self.sources.describe(wrong.span());
            writeln!(out, "violated: `{}` is in an error at {place} after {steps} steps", wrong.name())?;
            return Ok(Some(1));
        }
        let blocked =
            |walker: &&Walker<'_>| matches!(walker, Walker::Procedure(w) if matches!(w.place(), Place::Blocked(_)));
        if let Some(walker) = self.walkers.iter().find(blocked) {
            writeln!(out, "the run ends after {steps} steps: an assumption of `{}` does not hold", walker.name())?;
            return Ok(Some(0));
        }
        Ok(None)
    }

    /// Nothing can happen.
    fn stuck(&self, out: &mut dyn Write, steps: usize) -> Result<i32, Error> {
        if self.walkers.iter().all(|walker| walker.ending() == Ending::Done) {
            writeln!(out, "the run ends after {steps} steps: every part has done its work")?;
            return Ok(0);
        }
        writeln!(out, "violated: deadlock after {steps} steps: nothing can happen")?;
        for walker in self.walkers.iter().filter(|walker| walker.ending() != Ending::Done) {
            writeln!(out, "  `{}` waits at {}", walker.name(), self.sources.describe(walker.span()))?;
        }
        Ok(1)
    }
}
