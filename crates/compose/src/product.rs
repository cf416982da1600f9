//! Structures in parallel, on the fly: the steps of a tuple of states.
//!
//! The rules are those of [`model::composition::Stepper`], for structures that may be quotients or groups. Each event is
//! looked at once, when the participant that *leads* it is: one whose states have few steps. A structure that can do ten
//! thousand things at any time leads nothing, and costs nothing.

use crate::lts::{Lts, TAU, with_event};
use model::claim::AtomSet;
use model::verdict::Reason;

/// More successors of one state than this are too many.
const MOST_SUCCESSORS: usize = 1 << 21;

/// What happens in a step, and which part is the first to take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) event: u32,
    pub(crate) part: u32,
}

/// A path of a product; an infinite one goes on at an earlier place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) states: Vec<Vec<u32>>,
    pub(crate) steps: Vec<Step>,
    pub(crate) loop_from: Option<usize>,
}

/// Who takes part in which event.
#[derive(Clone, Debug)]
pub(crate) struct Participants {
    first: Vec<u32>,
    parts: Vec<u32>,
    /// Events that cannot happen at all.
    blocked: Vec<bool>,
}

impl Participants {
    pub(crate) fn new<'a>(alphabets: impl Iterator<Item = &'a [u32]> + Clone, events: usize) -> Participants {
        let mut first = vec![0u32; events + 1];
        for &event in alphabets.clone().flatten() {
            first[event as usize + 1] += 1;
        }
        for event in 0..events {
            first[event + 1] += first[event];
        }
        let mut parts = vec![0; first[events] as usize];
        let mut next = first.clone();
        for (part, alphabet) in alphabets.enumerate() {
            for &event in alphabet {
                parts[next[event as usize] as usize] = part as u32;
                next[event as usize] += 1;
            }
        }
        Participants { first, parts, blocked: Vec::new() }
    }

    /// Puts those with the smallest numbers first.
    fn order_by(&mut self, numbers: &[usize]) {
        for event in 0..self.first.len() - 1 {
            let who = &mut self.parts[self.first[event] as usize..self.first[event + 1] as usize];
            who.sort_by_key(|&part| numbers[part as usize]);
        }
    }

    /// An event can never happen.
    fn block(&mut self, event: u32) {
        self.blocked.resize(self.first.len(), false);
        self.blocked[event as usize] = true;
    }

    fn is_blocked(&self, event: u32) -> bool {
        self.blocked.get(event as usize).is_some_and(|&blocked| blocked)
    }

    /// No component takes part in an event, and no component blocks it.
    fn is_free(&self, event: u32) -> bool {
        self.of(event).is_empty() && !self.is_blocked(event)
    }

    /// The parts that take part in an event, first the one that leads; none for [`TAU`].
    pub(crate) fn of(&self, event: u32) -> &[u32] {
        let at = event as usize;
        if at + 1 >= self.first.len() || self.is_blocked(event) {
            return &[];
        }
        &self.parts[self.first[at] as usize..self.first[at + 1] as usize]
    }
}

/// Structures in parallel.
pub(crate) struct Product<'a> {
    pub(crate) parts: Vec<&'a Lts>,
    pub(crate) participants: Participants,
    can_be_wrong: Vec<u32>,
    /// Whether a part leads an event.
    leads: Vec<bool>,
    /// What holds wherever the parts are.
    constant: AtomSet,
    /// Steps that change nothing and are always possible.
    idle: Vec<Step>,
}

/// The steps of one state; room that is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Successors {
    width: usize,
    steps: Vec<Step>,
    states: Vec<u32>,
    /// The participants of an event, with the place of the step each of them takes next.
    choice: Vec<usize>,
}

impl Successors {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Step, &[u32])> {
        let width = self.width;
        self.steps.iter().enumerate().map(move |(at, &step)| (step, &self.states[at * width..(at + 1) * width]))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    fn push(&mut self, step: Step, from: &[u32]) -> usize {
        self.steps.push(step);
        self.states.extend_from_slice(from);
        self.states.len() - self.width
    }
}

impl<'a> Product<'a> {
    pub(crate) fn new(parts: Vec<&'a Lts>, events: usize) -> Product<'a> {
        let mut participants = Participants::new(parts.iter().map(|part| part.alphabet.as_slice()), events);
        let steps = |part: &&Lts| part.moves.iter().map(Vec::len).max().unwrap_or(0);
        let steps: Vec<usize> = parts.iter().map(steps).collect();
        participants.order_by(&steps);
        let mut leads = vec![false; parts.len()];
        for event in 0..events as u32 {
            participants.of(event).first().into_iter().for_each(|&part| leads[part as usize] = true);
        }
        let can_be_wrong =
            (0u32..).zip(&parts).filter(|(_, part)| part.wrong.contains(&true)).map(|(index, _)| index).collect();
        Product { parts, participants, can_be_wrong, leads, constant: 0, idle: Vec::new() }
    }

    /// The same with less to carry about: parts that have one state are left out, and what they do is noted once and for
    /// all. Of idle steps, one of each kind is enough. Also the numbers of the parts that are left.
    pub(crate) fn reduced<K: PartialEq>(
        parts: &[&'a Lts],
        events: usize,
        kind: impl Fn(u32) -> K,
    ) -> (Product<'a>, Vec<usize>) {
        let is_constant = |part: &Lts| part.states() == 1 && !part.wrong[0];
        let left: Vec<usize> = (0..parts.len()).filter(|&part| !is_constant(parts[part])).collect();
        let mut product = Product::new(left.iter().map(|&part| parts[part]).collect(), events);
        let mut kinds: Vec<K> = Vec::new();
        let constants = parts.iter().enumerate().filter(|(_, part)| is_constant(part));
        let mut offered: Vec<(u32, usize)> = Vec::new();
        for (number, part) in constants {
            product.constant |= part.labels[0];
            offered.extend(part.moves[0].iter().map(|step| (step.0, number)));
            let refuses = |event: &&u32| part.moves_with(0, **event).is_empty();
            part.alphabet.iter().filter(refuses).for_each(|&event| product.participants.block(event));
        }
        for (event, number) in offered {
            let alone = event == TAU || product.participants.is_free(event);
            if alone && !kinds.contains(&kind(event)) {
                kinds.push(kind(event));
                // Numbers after those of the parts that are left.
                product.idle.push(Step { event, part: (left.len() + number) as u32 });
            }
        }
        (product, left)
    }

    /// A path of a reduced product with all parts in it again.
    pub(crate) fn whole(path: Path, left: &[usize], parts: usize) -> Path {
        let state = |reduced: Vec<u32>| {
            let mut state = vec![0; parts];
            left.iter().zip(reduced).for_each(|(&part, at)| state[part] = at);
            state
        };
        let part = |part: usize| left.get(part).copied().unwrap_or_else(|| part - left.len());
        let step = |step: Step| Step { event: step.event, part: part(step.part as usize) as u32 };
        Path {
            states: path.states.into_iter().map(state).collect(),
            steps: path.steps.into_iter().map(step).collect(),
            loop_from: path.loop_from,
        }
    }

    /// Whether something is wrong in a state.
    pub(crate) fn is_wrong(&self, state: &[u32]) -> bool {
        self.can_be_wrong.iter().any(|&part| self.parts[part as usize].wrong[state[part as usize] as usize])
    }

    /// The propositions of the formula that hold in a state.
    pub(crate) fn label(&self, state: &[u32]) -> AtomSet {
        self.parts.iter().zip(state).fold(self.constant, |set, (part, &at)| set | part.labels[at as usize])
    }

    /// Visits all first states, until `visit` fails.
    pub(crate) fn initial(&self, mut visit: impl FnMut(&[u32]) -> Result<(), Reason>) -> Result<(), Reason> {
        if self.parts.iter().any(|part| part.initial.is_empty()) {
            return Ok(());
        }
        let mut choice = vec![0; self.parts.len()];
        let mut state: Vec<u32> = self.parts.iter().map(|part| part.initial[0]).collect();
        loop {
            visit(&state)?;
            let mut at = 0;
            loop {
                let Some(part) = self.parts.get(at) else { return Ok(()) };
                choice[at] = (choice[at] + 1) % part.initial.len();
                state[at] = part.initial[choice[at]];
                if choice[at] != 0 {
                    break;
                }
                at += 1;
            }
        }
    }

    /// Finds all steps of a state.
    pub(crate) fn expand(&self, state: &[u32], found: &mut Successors) -> Result<(), Reason> {
        found.width = state.len();
        found.steps.clear();
        found.states.clear();
        if self.is_wrong(state) {
            return Ok(());
        }
        for &step in &self.idle {
            found.push(step, state);
        }
        for (index, (part, &at)) in self.parts.iter().zip(state).enumerate() {
            let moves = &part.moves[at as usize];
            let mut next = if self.leads[index] { 0 } else { moves.partition_point(|step| step.0 < TAU) };
            while let Some(&(event, to)) = moves.get(next) {
                let step = Step { event, part: index as u32 };
                if event == TAU {
                    let place = found.push(step, state);
                    found.states[place + index] = to;
                    next += 1;
                    continue;
                }
                if self.participants.of(event).first() == Some(&(index as u32)) {
                    self.together(state, step, found)?;
                }
                next += with_event(&moves[next..], event).len();
            }
        }
        Ok(())
    }

    /// Every combination of the participants' steps.
    fn together(&self, state: &[u32], step: Step, found: &mut Successors) -> Result<(), Reason> {
        let who = self.participants.of(step.event);
        let options = |part: u32| self.parts[part as usize].moves_with(state[part as usize], step.event);
        if who.iter().any(|&part| options(part).is_empty()) {
            return Ok(());
        }
        let mut choice = std::mem::take(&mut found.choice);
        choice.clear();
        choice.resize(who.len(), 0);
        'all: loop {
            if found.len() >= MOST_SUCCESSORS {
                found.choice = choice;
                return Err(Reason::States);
            }
            let place = found.push(step, state);
            for (&part, &taken) in who.iter().zip(&choice) {
                found.states[place + part as usize] = options(part)[taken].1;
            }
            for (taken, &part) in choice.iter_mut().zip(who) {
                *taken += 1;
                if *taken < options(part).len() {
                    continue 'all;
                }
                *taken = 0;
            }
            break;
        }
        found.choice = choice;
        Ok(())
    }
}
