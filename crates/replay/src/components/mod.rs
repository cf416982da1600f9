//! Runs of C components: every procedure is followed by the interpreter, with its inputs, step by
//! step beside the others.
//!
//! Nothing is taken from the engine, or from a document, but who moves when, by which step, and on which inputs. Here is seen
//! whether that is a run: an event is taken by all that know it, a guard holds for the values that there are, the interpreter
//! takes the edge of the step, a load of a shared variable gives what was stored last, and a loop comes back to the values
//! that matter.

mod c_tests;
mod memory;
mod narrator;
mod parts;
mod violation;

pub use c_tests::Units;
pub use memory::Memory;
pub use narrator::Narrator;
pub use parts::{Moved, Walker, Walking};

use crate::{Replayed, unconfirmed};
use model::chart::Chart;
use model::composition::Atom;
use model::ids::{EventId, PropositionId};
use model::reason::Reason;
use model::source::SourceMap;
use spec::{Part, Prepared, Question, Specification};

/// Who moves when, and on which inputs.
#[derive(Clone, Debug)]
pub struct Script {
    /// For each part, the state that a process begins in.
    pub initial: Vec<Option<u32>>,
    /// For each part, the inputs of a procedure.
    pub inputs: Vec<Vec<u64>>,
    /// The steps.
    pub steps: Vec<Taken>,
    /// For an infinite run: after the last step it goes on from here.
    pub loop_from: Option<usize>,
}

/// The event of a step, if others see it; and the parts that move, each with the step of its graph, or with the state that a
/// process gets into.
pub type Taken = (Option<EventId>, Vec<(usize, u32)>);

impl Script {
    /// The run of a loop once more around it, as a run that ends.
    pub fn once_more(&self, followed: &Followed<'_>) -> Script {
        let mut more = Script { loop_from: None, ..self.clone() };
        more.steps.extend_from_slice(self.loop_from.and_then(|from| self.steps.get(from..)).unwrap_or_default());
        for (inputs, &before) in more.inputs.iter_mut().zip(&followed.before_loop) {
            let again = inputs.get(before..).unwrap_or_default().to_vec();
            inputs.extend(again);
        }
        more
    }
}

/// A run that was followed to its end.
pub struct Followed<'a> {
    /// The parts at its end.
    pub walkers: Vec<Walker<'a>>,
    /// The run as a chart; nothing is said yet of what is wrong with it.
    pub run: Chart,
    /// The event at each position.
    pub events: Vec<Option<EventId>>,
    /// The propositions that hold at each position, that of the end included.
    pub truths: Vec<Vec<PropositionId>>,
    /// For each part, how many inputs it had used when the loop began.
    before_loop: Vec<usize>,
}

impl Followed<'_> {
    /// Whether an atom holds at a position.
    pub fn holds(&self, atom: Atom, at: usize) -> bool {
        match atom {
            Atom::Event(event) => self.events.get(at) == Some(&Some(event)),
            Atom::Proposition(proposition) => self.truths.get(at).is_some_and(|truths| truths.contains(&proposition)),
        }
    }
}

impl Replayed {
    /// A run of C components, followed part by part.
    pub fn components<'p>(
        specification: &Specification,
        question: Question,
        parts: &'p [Part],
        sources: &SourceMap,
        script: &Script,
    ) -> Result<(Replayed, Followed<'p>, Chart), Reason> {
        let confirmed = confirmed(specification, question, parts, sources, script);
        let (followed, chart) = confirmed.map_err(|why| unconfirmed(&why))?;
        Ok((Replayed { steps: chart.steps.len() }, followed, chart))
    }
}

/// A run that was followed and violates the property.
pub fn confirmed<'p>(
    specification: &Specification,
    question: Question,
    parts: &'p [Part],
    sources: &SourceMap,
    script: &Script,
) -> Result<(Followed<'p>, Chart), String> {
    let followed = follow(specification, question, parts, sources, script)?;
    let chart = violation::violation(specification, question, sources, &followed)?;
    Ok((followed, chart))
}

/// Follows a script; or says why it is no run.
pub fn follow<'a>(
    specification: &Specification,
    question: Question,
    parts: &'a [Part],
    sources: &SourceMap,
    script: &Script,
) -> Result<Followed<'a>, String> {
    let mut walkers = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let initial = script.initial.get(number).copied().flatten();
        let inputs = script.inputs.get(number).cloned().unwrap_or_default();
        walkers.push(Walker::new(specification, question, part, initial, inputs)?);
    }
    let mut narrator = Narrator::new(sources, &walkers);
    let (mut events, mut truths, mut marks) = (Vec::new(), vec![truths_of(&walkers)], None);
    let mut before_loop = Vec::new();
    let mut memory = Memory::new(specification);
    let named = Prepared::new(specification, question).map_err(|reason| reason.to_string())?.events;
    for (at, (event, moves)) in script.steps.iter().enumerate() {
        if script.loop_from == Some(at) {
            marks = Some((walkers.iter().map(Walker::standing).collect::<Vec<_>>(), memory.clone()));
            before_loop = walkers.iter().map(Walker::used).collect();
        }
        let wrong = |why: String| format!("step {}: {why}", at + 1);
        if walkers.iter().any(Walker::is_wrong) {
            return Err(wrong(String::from("a part is in an error already")));
        }
        participants(&walkers, *event, moves).map_err(wrong)?;
        narrator.begin(event.and_then(|event| named.get(event.index())).map(|event| event.name.clone()));
        for &(part, code) in moves {
            let Some(walker) = walkers.get_mut(part) else { return Err(wrong(String::from("there is no such part"))) };
            let moved = walker.take(*event, code).map_err(wrong)?;
            memory.after(walker, code).map_err(wrong)?;
            narrator.describe(part, code, walker, &moved);
        }
        events.push(*event);
        truths.push(truths_of(&walkers));
    }
    if script.loop_from.is_some() && marks != Some((walkers.iter().map(Walker::standing).collect(), memory)) {
        return Err(String::from("the loop does not come back to where it began"));
    }
    let run = narrator.chart(parts, script.loop_from, &walkers);
    Ok(Followed { walkers, run, events, truths, before_loop })
}

/// Those who move are all that know the event, or one alone.
fn participants(walkers: &[Walker<'_>], event: Option<EventId>, moves: &[(usize, u32)]) -> Result<(), String> {
    let Some(event) = event else {
        return if moves.len() == 1 { Ok(()) } else { Err(String::from("one part moves alone")) };
    };
    let know = (0..walkers.len()).filter(|&part| walkers[part].knows(event));
    let mut take: Vec<usize> = moves.iter().map(|&(part, _)| part).collect();
    take.sort_unstable();
    match know.eq(take) && !moves.is_empty() {
        true => Ok(()),
        false => Err(String::from("every component that has an event takes part in it, and no other does")),
    }
}

fn truths_of(walkers: &[Walker<'_>]) -> Vec<PropositionId> {
    walkers.iter().flat_map(Walker::truths).collect()
}
