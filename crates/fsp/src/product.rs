//! Parts composed into one, where LTSA composes first and goes on with the result: under a priority, in front of a
//! relabelling that merges events of a composition with hidden ones, and where a composition is made deterministic.
//!
//! The rules are those of [`model::composition::Stepper`]. Under a priority `<<{a}`, where an event of the set can happen,
//! nothing else can; under `>>{a}`, an event of the set can happen only where nothing else can. What has no name, and what
//! was hidden before, is in no set.

use crate::ast::Name;
use crate::context::{Context, Refused};
use crate::group::{Part, Used};
use crate::limits::{MOST_STATES, MOST_STEPS};
use crate::names::{Symbol, joined, prefixes};
use crate::raw::{Raw, RawState, SILENT};
use model::diagnostic::Diagnostic;
use model::source::Span;
use model::structure::Ending;
use std::collections::HashMap;
use std::rc::Rc;

/// A priority: the events of the labels go first, or last.
pub(crate) struct Order<'o> {
    pub(crate) labels: &'o HashMap<String, Span>,
    pub(crate) low: bool,
    /// Which labels are events of a part.
    pub(crate) used: &'o mut Used,
}

/// The composition of some parts as one part that is called `name`.
pub(crate) fn product(
    context: &mut Context<'_>,
    parts: &[Part],
    order: Option<Order<'_>>,
    name: &Name,
) -> Result<Part, Refused> {
    let mut events: Vec<Symbol> = parts.iter().flat_map(|part| part.events.iter().flatten().copied()).collect();
    events.sort_unstable();
    events.dedup();
    let first = order.map(|mut order| {
        let first = events.iter().map(|&event| order.goes_first(context, event)).collect();
        Ranks { first, silent: order.low }
    });
    let propositions = parts.iter().flat_map(|part| {
        let named = |(name, span): &(String, Span)| (joined(&part.label, name), *span);
        part.raw.propositions.iter().map(named)
    });
    let mut raw = Raw { propositions: propositions.collect(), ..Raw::default() };
    let machine = Machine::new(parts, &events, first, name.span);
    raw.states = machine.run(context)?;
    raw.events = events;
    Ok(Part::new(Rc::new(raw), name.text.clone(), name.span))
}

impl Order<'_> {
    /// Whether an event is one of those that others wait for.
    fn goes_first(&mut self, context: &Context<'_>, event: Symbol) -> bool {
        let entry = context.symbols.entry(event);
        let mut fronts = std::iter::once(entry.name.as_str()).chain(prefixes(&entry.name).map(|(front, _)| front));
        let named = fronts.find_map(|front| self.labels.get(front)).filter(|_| !entry.hidden);
        if let Some(place) = named {
            self.used.insert(*place, true);
        }
        named.is_some() != self.low
    }
}

/// Which events others wait for.
struct Ranks {
    /// By number.
    first: Vec<bool>,
    /// What has no name.
    silent: bool,
}

impl Ranks {
    fn is_first(&self, event: u32) -> bool {
        self.first.get(event as usize).copied().unwrap_or(self.silent)
    }
}

/// The parts, with one numbering of events, and the states found so far.
struct Machine<'p> {
    parts: &'p [Part],
    /// By part and state, the steps in order.
    moves: Vec<Vec<Vec<(u32, u32)>>>,
    /// By event, the parts that take part.
    participants: Vec<Vec<usize>>,
    ranks: Option<Ranks>,
    span: Span,
    numbers: HashMap<Rc<[u32]>, u32>,
    tuples: Vec<Rc<[u32]>>,
}

impl<'p> Machine<'p> {
    fn new(parts: &'p [Part], events: &[Symbol], ranks: Option<Ranks>, span: Span) -> Self {
        let number = |symbol: &Symbol| events.partition_point(|event| event < symbol) as u32;
        let mut participants = vec![Vec::new(); events.len()];
        let mut moves = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let names: Vec<Vec<u32>> = part.events.iter().map(|names| names.iter().map(number).collect()).collect();
            let mut alphabet: Vec<u32> = names.iter().flatten().copied().collect();
            alphabet.sort_unstable();
            alphabet.dedup();
            alphabet.into_iter().for_each(|event| participants[event as usize].push(index));
            let steps = |state: &RawState| {
                let written = |&(event, to): &(u32, u32)| {
                    let silent = [SILENT];
                    let names = names.get(event as usize).map_or(&silent[..], Vec::as_slice);
                    names.iter().map(|&name| (name, to)).collect::<Vec<_>>()
                };
                let mut steps: Vec<(u32, u32)> = state.moves.iter().flat_map(written).collect();
                steps.sort_unstable();
                steps.dedup();
                steps
            };
            moves.push(part.raw.states.iter().map(steps).collect());
        }
        Machine { parts, moves, participants, ranks, span, numbers: HashMap::new(), tuples: Vec::new() }
    }

    fn run(mut self, context: &mut Context<'_>) -> Result<Vec<RawState>, Refused> {
        self.number(vec![0; self.parts.len()], context)?;
        let (mut states, mut steps) = (Vec::new(), 0);
        while let Some(tuple) = self.tuples.get(states.len()).cloned() {
            let mut state = self.state(&tuple);
            if state.ending != Ending::Error {
                for (event, to) in self.successors(&tuple, context)? {
                    let to = self.number(to, context)?;
                    state.moves.push((event, to));
                }
            }
            steps += state.moves.len();
            if steps > MOST_STEPS {
                return Err(self.too_large(format!("this composition has more than {MOST_STEPS} steps")));
            }
            states.push(state);
        }
        Ok(states)
    }

    fn number(&mut self, tuple: Vec<u32>, context: &mut Context<'_>) -> Result<u32, Refused> {
        context.charge(1 + tuple.len() as u64 / 8, self.span)?;
        if let Some(&number) = self.numbers.get(tuple.as_slice()) {
            return Ok(number);
        }
        if self.tuples.len() >= MOST_STATES {
            return Err(self.too_large(format!("this composition has more than {MOST_STATES} states")));
        }
        let (number, tuple): (u32, Rc<[u32]>) = (self.tuples.len() as u32, tuple.into());
        self.tuples.push(tuple.clone());
        self.numbers.insert(tuple, number);
        Ok(number)
    }

    fn too_large(&self, message: String) -> Refused {
        let error = Diagnostic::error("F0201", self.span, message);
        Box::new(error.help("priorities and `deterministic` need the whole composition: make it smaller"))
    }

    /// A tuple as a state, without its steps.
    fn state(&self, tuple: &[u32]) -> RawState {
        let states: Vec<&RawState> =
            self.parts.iter().zip(tuple).map(|(part, &at)| &part.raw.states[at as usize]).collect();
        let ending = if states.iter().any(|state| state.ending == Ending::Error) {
            Ending::Error
        } else if states.iter().all(|state| state.ending == Ending::Done) {
            Ending::Done
        } else {
            Ending::None
        };
        let (mut labels, mut before) = (Vec::new(), 0);
        for (part, state) in self.parts.iter().zip(&states) {
            labels.extend(state.labels.iter().map(|label| label + before));
            before += part.raw.propositions.len() as u32;
        }
        let names: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
        let name = if names.len() == 1 { names[0].to_owned() } else { format!("({})", names.join(", ")) };
        let span = states.first().and_then(|state| state.span);
        RawState { labels, ending, name, span, ..RawState::default() }
    }

    /// The steps of a tuple that no step goes before.
    fn successors(&self, tuple: &[u32], context: &mut Context<'_>) -> Result<Vec<(u32, Vec<u32>)>, Refused> {
        let mut found: Vec<(u32, Vec<u32>)> = Vec::new();
        for (index, &at) in tuple.iter().enumerate() {
            let moves = &self.moves[index][at as usize];
            for (place, &(event, to)) in moves.iter().enumerate() {
                context.charge(1, self.span)?;
                if event == SILENT {
                    let mut next = tuple.to_vec();
                    next[index] = to;
                    found.push((event, next));
                } else if (place == 0 || moves[place - 1].0 != event)
                    && self.participants[event as usize].first() == Some(&index)
                {
                    self.together(tuple, event, &mut found, context)?;
                }
            }
        }
        if let Some(ranks) = &self.ranks
            && found.iter().any(|(event, _)| ranks.is_first(*event))
        {
            found.retain(|(event, _)| ranks.is_first(*event));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Every combination of the participants' steps.
    fn together(
        &self,
        tuple: &[u32],
        event: u32,
        found: &mut Vec<(u32, Vec<u32>)>,
        context: &mut Context<'_>,
    ) -> Result<(), Refused> {
        let mut all = vec![tuple.to_vec()];
        for &part in &self.participants[event as usize] {
            let moves = &self.moves[part][tuple[part] as usize];
            let from = moves.partition_point(|step| step.0 < event);
            let targets = moves[from..].iter().take_while(|step| step.0 == event);
            let mut longer = Vec::new();
            for &(_, to) in targets {
                context.charge(all.len() as u64, self.span)?;
                for next in &all {
                    let mut next = next.clone();
                    next[part] = to;
                    longer.push(next);
                }
            }
            all = longer;
        }
        found.extend(all.into_iter().map(|next| (event, next)));
        Ok(())
    }
}
