//! Processes of FSP: parts of the program, routines, and what procedures conform to.

use super::{Reader, Refused, action, return_number};
use crate::expression::Expression;
use crate::graph::{Action, Returns, RoutineState, RoutineStructure};
use crate::outline::{PartText, Piece};
use model::composition::{Component as Process, Composition};
use model::diagnostic::Diagnostic;
use model::ids::EventId;
use model::source::Span;
use model::structure::{Ending, Move, StateParts, Structure, TAU};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// More sets of states than this are too many.
const MOST_SETS: usize = 100_000;
/// The name of the composition that is added to the text for one part.
const ADDED: &str = "HighwaterPart";

impl Reader<'_> {
    /// The composition that a name, or a part as it is written, means.
    fn fsp(&mut self, name: &str, part: Option<&PartText>, span: Span) -> Refused<Composition> {
        let mut text = self.outline.fsp.clone();
        let length = text.len();
        let mut system = name.to_owned();
        if let Some(part) = part.filter(|part| part.label.is_some() || !part.relabel.is_empty()) {
            text.push_str(&format!("\n||{ADDED} = ({}).\n", part.whole.text));
            system = ADDED.to_owned();
        }
        let options = fsp::Options { system: Some(system), ..fsp::Options::default() };
        let load = |file: &str| (self.load)(file).map(|input| input.text);
        let read = fsp::read("specification", &text, &options, &load);
        let within = |place: Span| if place == Span::NONE || place.end as usize > length { span } else { place };
        for mut diagnostic in read.diagnostics {
            diagnostic.primary.span = within(diagnostic.primary.span);
            self.diagnostics.push(diagnostic);
        }
        read.composition.ok_or_else(|| {
            let error = Diagnostic::error("M0108", span, format!("the process `{name}` cannot be used"));
            Box::new(error.help("see what else is said about it"))
        })
    }

    /// The processes of a part of the program.
    pub(super) fn processes(&mut self, part: &PartText) -> Refused<Vec<Process>> {
        let composition = self.fsp(&part.name.text, Some(part), part.whole.span)?;
        let mut events = HashMap::new();
        for (number, named) in composition.events.iter().enumerate() {
            if return_number(&named.name).is_some() {
                let error = Diagnostic::error("M0108", part.whole.span, "a part of the program cannot return");
                return Err(Box::new(error.help("`return` is for processes that stand for routines")));
            }
            // A hidden event belongs to this part alone.
            let name = match named.name.starts_with('(') {
                true => format!("{} of {}", named.name, part.whole.text),
                false => named.name.clone(),
            };
            events.insert(EventId::from(number), self.event(&name, named.span));
        }
        let named: Vec<_> =
            composition.propositions.iter().map(|named| self.proposition(&named.name, named.span)).collect();
        let renumbered = |process: Process| {
            let old = &process.structure;
            let state = |at: u32| StateParts {
                moves: old
                    .moves(at)
                    .iter()
                    .map(|step| Move { event: events.get(&step.event).copied().unwrap_or(TAU), ..*step })
                    .collect(),
                labels: old.labels(at).iter().filter_map(|label| named.get(label.index()).copied()).collect(),
                ending: match old.ending(at) {
                    Ending::None if part.is_final => Ending::Done,
                    ending => ending,
                },
            };
            let alphabet: Vec<EventId> = old.alphabet().iter().filter_map(|event| events.get(event).copied()).collect();
            let states = (0..old.states() as u32).map(state).collect();
            let structure = Structure::new(alphabet, old.initial().to_vec(), states);
            Process { structure, ..process }
        };
        Ok(composition.components.into_iter().map(renumbered).collect())
    }

    /// The structure that stands for a routine; its events go to the alphabet.
    pub(super) fn routine_structure(
        &mut self,
        process: &Piece,
        part: &PartText,
        program: &cfront::Component,
        alphabet: &mut Vec<EventId>,
    ) -> Refused<RoutineStructure> {
        let composition = self.fsp(&process.text, None, process.span)?;
        let [component] = &composition.components[..] else {
            let error = Diagnostic::error("M0108", process.span, format!("`{}` is a composition", process.text));
            return Err(Box::new(error.help("here stands a single process")));
        };
        let (mut actions, mut returns) = (HashMap::new(), Vec::new());
        for &event in component.structure.alphabet() {
            let label = composition.event_name(event).to_owned();
            let action = match label.starts_with('(') {
                true => Action::Event(TAU),
                false => action(self, &label, part, program, process.span)?,
            };
            match &action {
                Action::Event(event) => alphabet.push(*event),
                Action::Return(condition) => returns.push(condition.clone()),
            }
            actions.insert(event, action);
        }
        alphabet.retain(|&event| event != TAU);
        let structure = &component.structure;
        let state = |at: u32| RoutineState {
            moves: structure
                .moves(at)
                .iter()
                .map(|step| (actions.get(&step.event).cloned().unwrap_or(Action::Event(TAU)), step.to))
                .collect(),
            error: structure.ending(at) == Ending::Error,
        };
        let [initial] = structure.initial() else {
            let error = Diagnostic::error("M0108", process.span, "this process begins in several states");
            return Err(Box::new(error));
        };
        let states = (0..structure.states() as u32).map(state).collect();
        Ok(RoutineStructure { name: process.text.clone(), initial: *initial, states, returns })
    }

    /// A process that accepts what a structure does, and nothing else: it is made deterministic, and every event of the
    /// procedure that it does not allow leads to an error. What the procedure never does is no event of it: it would be
    /// taken without the procedure. Returns are distinguished by the combinations of their conditions.
    pub(super) fn watcher(
        &mut self,
        allowed: &RoutineStructure,
        alphabet: &[EventId],
        procedure: &str,
        span: Span,
    ) -> Refused<(Returns, Process)> {
        let returns = self.returns_of(allowed, procedure, span)?;
        let matching = |condition: &Expression| {
            let number = returns.conditions.iter().position(|known| known == condition);
            let events = returns.events.iter().enumerate();
            let events = events.filter(move |(bits, _)| number.is_some_and(|number| bits >> number & 1 == 1));
            events.map(|(_, &event)| event).collect::<Vec<_>>()
        };
        let mut all: BTreeSet<EventId> = alphabet.iter().copied().collect();
        all.extend(&returns.events);
        let mut known: HashMap<BTreeSet<u32>, u32> = HashMap::new();
        // State 0 is the error.
        let mut states = vec![StateParts { ending: Ending::Error, ..StateParts::default() }];
        let first = closed(allowed, BTreeSet::from([allowed.initial]));
        known.insert(first.clone(), 1);
        states.push(StateParts::default());
        let mut todo = vec![(first, 1_u32)];
        while let Some((set, number)) = todo.pop() {
            let mut targets: BTreeMap<EventId, BTreeSet<u32>> = BTreeMap::new();
            let leaving = set.iter().flat_map(|&at| &allowed.states[at as usize].moves);
            for (action, to) in leaving.filter(|(_, to)| !allowed.states[*to as usize].error) {
                let events = match action {
                    Action::Event(event) => vec![*event],
                    Action::Return(condition) => matching(condition),
                };
                for event in events {
                    targets.entry(event).or_default().insert(*to);
                }
            }
            let mut moves = Vec::new();
            for &event in &all {
                let Some(target) = targets.remove(&event) else {
                    moves.push(Move { event, to: 0 });
                    continue;
                };
                let target = closed(allowed, target);
                let to = *known.entry(target.clone()).or_insert_with(|| {
                    states.push(StateParts::default());
                    todo.push((target, states.len() as u32 - 1));
                    states.len() as u32 - 1
                });
                moves.push(Move { event, to });
            }
            if states.len() > MOST_SETS {
                return Err(Box::new(Diagnostic::error("M0004", span, "this process has too many states")));
            }
            states[number as usize].moves = moves;
            // What is allowed may stop at any time.
            states[number as usize].ending = Ending::Done;
        }
        let structure = Structure::new(all, vec![1], states);
        let (state_names, state_spans) = Default::default();
        let name = format!("what {} allows", allowed.name);
        Ok((returns, Process { name, structure, state_names, state_spans, span }))
    }
}

/// A set of states with all that can be reached silently.
fn closed(structure: &RoutineStructure, mut set: BTreeSet<u32>) -> BTreeSet<u32> {
    let mut todo: Vec<u32> = set.iter().copied().collect();
    while let Some(at) = todo.pop() {
        for (action, to) in &structure.states[at as usize].moves {
            if matches!(action, Action::Event(event) if *event == TAU) && set.insert(*to) {
                todo.push(*to);
            }
        }
    }
    set
}
