//! Labelled transition systems as files of their own: how large one is, the smallest that is equivalent, and what tells two
//! apart.

use crate::Error;
use crate::model::{Model, System};
use compose::equivalence::{Ability, Distinction, Side, distinguish};
use input::choices;
use model::budget::Budget;
use model::composition::Composition;
use model::context::Context;
use model::ids::EventId;
use model::observer::Silent;
use model::structure::{Move, StateParts, Structure, TAU};
use model::verdict::Reason;
use std::collections::HashMap;
use std::fmt::Write;

choices! {
    /// When two states are equivalent.
    Equivalence {
        Branching = "branching": "Branching bisimulation: steps without a name that change nothing do not count",
        Divergence = "divergence": "The same, but infinitely many of them do",
        Strong = "strong": "Strong bisimulation: every step counts",
        Trace = "trace": "The same sequences of events",
    }
}

impl Equivalence {
    fn of_engine(self) -> compose::equivalence::Equivalence {
        match self {
            Equivalence::Branching => compose::equivalence::Equivalence::Branching,
            Equivalence::Divergence => compose::equivalence::Equivalence::Divergence,
            Equivalence::Strong => compose::equivalence::Equivalence::Strong,
            Equivalence::Trace => compose::equivalence::Equivalence::Trace,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Equivalence::Branching => "branching bisimulation",
            Equivalence::Divergence => "branching bisimulation with divergence",
            Equivalence::Strong => "strong bisimulation",
            Equivalence::Trace => "trace equivalence",
        }
    }
}

/// Sizes and simple facts, in a few lines.
pub fn info(model: &Model) -> Result<String, Error> {
    let (structure, names) = Names::default().add(model)?;
    let states = 0..structure.states() as u32;
    let silent: usize = states.clone().map(|state| structure.moves_with(state, TAU).len()).sum();
    let stops = states.clone().filter(|&state| structure.moves(state).is_empty()).count();
    let chooses = |state: &u32| {
        let moves = structure.moves(*state);
        moves.iter().any(|step| step.event == TAU) || moves.windows(2).any(|pair| pair[0].event == pair[1].event)
    };
    let deterministic = if states.clone().any(|state| chooses(&state)) { "not deterministic" } else { "deterministic" };
    Ok(format!(
        "{}: {} states, {} transitions, {silent} of them without a name, {} events\n{stops} states without a transition; {deterministic}\n",
        model.info.file,
        structure.states(),
        structure.steps(),
        names.names.len(),
    ))
}

/// The smallest equivalent structure, as `.aut`; the inner error says which limit was reached.
pub fn minimise(model: &Model, by: Equivalence, budget: &Budget) -> Result<Result<String, Reason>, Error> {
    let (structure, names) = Names::default().add(model)?;
    let smallest = match compose::equivalence::minimise(&structure, by.of_engine(), &Context::new(budget, &Silent)) {
        Ok(smallest) => smallest,
        Err(reason) => return Ok(Err(reason)),
    };
    let name = |event: EventId| names.names.get(event.index()).cloned().unwrap_or_default();
    fsp::print_aut(&smallest, &name).map(Ok).map_err(|refused| Error::Usage(refused.0))
}

/// Whether two structures are equivalent, and how they differ otherwise; the inner error says which limit was reached.
pub fn compare(
    left: &Model,
    right: &Model,
    by: Equivalence,
    budget: &Budget,
) -> Result<Result<Comparison, Reason>, Error> {
    let (a, names) = Names::default().add(left)?;
    let (b, names) = names.add(right)?;
    let found = match distinguish(&a, &b, by.of_engine(), &Context::new(budget, &Silent)) {
        Ok(found) => found,
        Err(reason) => return Ok(Err(reason)),
    };
    let files = [left.info.file.as_str(), right.info.file.as_str()];
    let text = match &found {
        None => format!("equivalent ({})\n", by.title()),
        Some(found) => format!("different ({})\n{}", by.title(), names.describe(found, files)),
    };
    Ok(Ok(Comparison { equivalent: found.is_none(), text }))
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// Whether the two are equivalent.
    pub equivalent: bool,
    /// The result as text; if they are not, what one can do and the other cannot.
    pub text: String,
}

/// Events by name: the same numbers in several models.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    /// The structure of a model that has just one, with these numbers.
    fn add(mut self, model: &Model) -> Result<(Structure, Names), Error> {
        let System::Composition(composition) = &model.system else {
            return Err(refused(model, "no transition system"));
        };
        let [component] = &composition.components[..] else { return Err(refused(model, "a composition of several")) };
        let of = &component.structure;
        if of.initial().len() != 1 {
            return Err(refused(model, "a structure with several first states"));
        }
        let alphabet: Vec<EventId> = of.alphabet().iter().map(|&event| self.event(event, composition)).collect();
        let states = (0..of.states() as u32).map(|state| {
            let moves = of.moves(state).iter().map(|step| Move { event: self.event(step.event, composition), ..*step });
            StateParts { moves: moves.collect(), ..StateParts::default() }
        });
        let states = states.collect();
        let alphabet = alphabet.into_iter().filter(|&event| event != TAU);
        Ok((Structure::new(alphabet, of.initial().to_vec(), states), self))
    }

    /// Hidden events have no name outside.
    fn event(&mut self, event: EventId, composition: &Composition) -> EventId {
        let named = composition.events.get(event.index()).filter(|named| event != TAU && !named.name.starts_with('('));
        let Some(named) = named else { return TAU };
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(named.name.clone()).or_insert(next);
        if number == next {
            self.names.push(named.name.clone());
        }
        EventId(number)
    }

    fn describe(&self, found: &Distinction, files: [&str; 2]) -> String {
        let sides = |by: Side| if by == Side::Left { (files[0], files[1]) } else { (files[1], files[0]) };
        let name = |event: EventId| match self.names.get(event.index()) {
            Some(name) => format!("`{name}`"),
            None => String::from("a step without a name"),
        };
        let mut text = String::new();
        for (number, exchange) in (1..).zip(&found.exchanges) {
            let (mover, other) = sides(exchange.by);
            let _ = writeln!(text, "  {number}  {mover} does {}, and {other} answers", name(exchange.event));
        }
        let (able, unable) = sides(found.by);
        let _ = match found.ability {
            Ability::Event(event) => writeln!(text, "  then {able} can do {}, and {unable} cannot", name(event)),
            Ability::Divergence => {
                writeln!(text, "  then {able} can take steps without a name forever, and {unable} cannot")
            }
        };
        text
    }
}

fn refused(model: &Model, what: &str) -> Error {
    Error::Usage(format!(
        "{}: {what}; `lts` is for one labelled transition system, such as an .aut file",
        model.info.file
    ))
}
