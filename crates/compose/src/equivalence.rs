//! Two structures, or one and its quotient: which states are equivalent, and what tells two structures apart.
//!
//! Strong bisimulation, branching bisimulation and branching bisimulation with explicit divergence are those of `minimise`.
//! Two structures are trace equivalent if they have the same sequences of events with names; their deterministic forms are then
//! strongly bisimilar.
//!
//! What tells two states apart is a play of the bisimulation game: one side makes a step, the other answers with the same event
//! and loses in the end. The rounds of the refinement say how to win: the states came apart in round `k` because one of them has
//! a step, after silent steps inside of its class of round `k - 1`, to a class that the other has no such step to. Whatever the
//! answer, it leads to states that came apart earlier.

use crate::lts::{Leaf, Lts, TAU};
use crate::meter::Meter;
use crate::minimise::classes::{Alike, alike_by_bunches, rounds};
use model::context::Context;
use model::ids::EventId;
use model::structure::{Move, StateParts, Structure};
use model::verdict::Reason;
use std::collections::{BTreeSet, HashMap};

/// When two states are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equivalence {
    /// Strong bisimulation: every step counts.
    Strong,
    /// Branching bisimulation: steps without a name that change nothing do not count.
    Branching,
    /// The same, but that there can be infinitely many of them does.
    Divergence,
    /// The same sequences of events.
    Trace,
}

impl Equivalence {
    fn manner(self) -> Alike {
        match self {
            Equivalence::Strong | Equivalence::Trace => Alike::Strong,
            Equivalence::Branching => Alike::Branching,
            Equivalence::Divergence => Alike::Diverging,
        }
    }
}

/// One of two structures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// A step of one side and the answer of the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// Who makes the step.
    pub by: Side,
    /// What happens on both sides.
    pub event: EventId,
}

/// What only one side can do at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ability {
    /// A step with this event.
    Event(EventId),
    /// Steps without a name forever.
    Divergence,
}

/// How two structures are distinguished.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distinction {
    /// What both do; the answers are those that hold out longest.
    pub exchanges: Vec<Exchange>,
    /// Who can do what the other cannot.
    pub by: Side,
    /// What that is.
    pub ability: Ability,
}

/// The smallest structure that is equivalent, without states that are not reached. Propositions and endings are left out.
pub fn minimise(structure: &Structure, by: Equivalence, cx: &Context<'_>) -> Result<Structure, Reason> {
    let meter = Meter::new(cx);
    let lts = prepared(structure, by, &meter)?;
    let classes = alike_by_bunches(&lts, by.manner(), &meter)?;
    let mut states: Vec<StateParts> = vec![StateParts::default(); classes.stays.len()];
    for (state, moves) in lts.moves.iter().enumerate() {
        let class = classes.of[state];
        let step = |&(event, to): &(u32, u32)| Move { event: EventId(event), to: classes.of[to as usize] };
        let counts = |step: &Move| step.event.0 != TAU || step.to != class || classes.stays[class as usize];
        states[class as usize].moves.extend(moves.iter().map(step).filter(counts));
        meter.spend(1 + moves.len())?;
    }
    let initial = lts.initial.iter().map(|&state| classes.of[state as usize]);
    Ok(from_the_first(&Structure::new(structure.alphabet().iter().copied(), initial.collect(), states)))
}

/// The same structure with states numbered breadth-first.
fn from_the_first(structure: &Structure) -> Structure {
    let lts = Leaf::new(structure, None).lts;
    let step = |&(event, to): &(u32, u32)| Move { event: EventId(event), to };
    let states =
        lts.moves.iter().map(|moves| StateParts { moves: moves.iter().map(step).collect(), ..StateParts::default() });
    Structure::new(structure.alphabet().iter().copied(), lts.initial, states.collect())
}

/// What tells two structures apart, each with one first state; `None` if they are equivalent. Their events have the same numbers.
pub fn distinguish(
    left: &Structure,
    right: &Structure,
    by: Equivalence,
    cx: &Context<'_>,
) -> Result<Option<Distinction>, Reason> {
    let meter = Meter::new(cx);
    let mut both = prepared(left, by, &meter)?;
    let other = prepared(right, by, &meter)?;
    let offset = both.states() as u32;
    let (Some(&a), Some(&b)) = (both.initial.first(), other.initial.first()) else { return Ok(None) };
    let b = b + offset;
    both.moves.extend(other.moves.into_iter().map(|moves| moves.into_iter().map(|(e, to)| (e, to + offset)).collect()));
    both.wrong.extend(other.wrong);
    both.labels.extend(other.labels);
    let classes = alike_by_bunches(&both, by.manner(), &meter)?;
    if classes.of[a as usize] == classes.of[b as usize] {
        return Ok(None);
    }
    let (rounds, one) = rounds(&both, by.manner(), (a, b), &meter)?;
    Game { lts: &both, rounds, one, manner: by.manner() }.play(a, b, &meter).map(Some)
}

/// What can be reached, without propositions and endings; deterministic for traces.
fn prepared(structure: &Structure, by: Equivalence, meter: &Meter<'_>) -> Result<Lts, Reason> {
    let mut lts = Leaf::new(structure, None).lts;
    lts.wrong.fill(false);
    if by == Equivalence::Trace { deterministic(&lts, meter) } else { Ok(lts) }
}

/// The subset construction: a state is the set of states that a sequence of events can lead to.
fn deterministic(lts: &Lts, meter: &Meter<'_>) -> Result<Lts, Reason> {
    let mut found = Lts { alphabet: lts.alphabet.clone(), initial: vec![0], ..Lts::default() };
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut waiting = vec![silently(lts, lts.initial.clone())];
    numbers.insert(waiting[0].clone(), 0);
    let (mut at, mut bytes) = (0, 0);
    while at < waiting.len() {
        let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
        for &(event, to) in waiting[at].iter().flat_map(|&state| &lts.moves[state as usize]) {
            if event != TAU {
                next.entry(event).or_default().push(to);
            }
        }
        let mut moves = Vec::with_capacity(next.len());
        for (event, states) in next {
            let states = silently(lts, states);
            bytes += states.len() * 8;
            meter.spend(states.len())?;
            let number = *numbers.entry(states).or_insert_with_key(|states| {
                waiting.push(states.clone());
                waiting.len() as u32 - 1
            });
            moves.push((event, number));
        }
        moves.sort_unstable();
        found.moves.push(moves);
        found.wrong.push(false);
        found.labels.push(0);
        at += 1;
        meter.store(waiting.len(), bytes)?;
    }
    Ok(found)
}

/// The states that steps without a name lead to, in order.
fn silently(lts: &Lts, states: Vec<u32>) -> Vec<u32> {
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut waiting = states;
    while let Some(state) = waiting.pop() {
        if seen.insert(state) {
            waiting.extend(lts.moves_with(state, TAU).iter().map(|step| step.1));
        }
    }
    seen.into_iter().collect()
}

/// The bisimulation game between two states that are not equivalent.
struct Game<'l> {
    lts: &'l Lts,
    /// The classes, round by round.
    rounds: Vec<Vec<u32>>,
    /// Equal numbers are on one cycle of silent steps.
    one: Vec<u32>,
    manner: Alike,
}

/// Steps of a state after silent ones inside of its class: event and target.
struct Steps {
    steps: Vec<(u32, u32)>,
    /// It can be silent forever, and that counts.
    forever: bool,
}

impl Game<'_> {
    fn play(&self, mut left: u32, mut right: u32, meter: &Meter<'_>) -> Result<Distinction, Reason> {
        let mut exchanges = Vec::new();
        loop {
            let round = self.apart(left, right);
            let (ours, theirs) = (self.steps(left, round, meter)?, self.steps(right, round, meter)?);
            let tries = [(Side::Left, left, right, &ours, &theirs), (Side::Right, right, left, &theirs, &ours)];
            if let Some((by, ..)) = tries.iter().find(|(.., own, other)| own.forever && !other.forever) {
                return Ok(Distinction { exchanges, by: *by, ability: Ability::Divergence });
            }
            let attack = tries.iter().find_map(|(by, _, answering, own, other)| {
                let step = self.unmatched(own, other, round)?;
                Some((*by, *answering, step, *other))
            });
            // States that came apart differ in their steps.
            let Some((by, answering, (event, to), other)) = attack else {
                return Err(Reason::Internal(String::from("two states came apart without a reason")));
            };
            let stays = (event == TAU && self.manner != Alike::Strong).then_some(answering);
            let answers = other.steps.iter().filter(|step| step.0 == event).map(|step| step.1).chain(stays);
            let Some(answer) = answers.max_by_key(|&answer| self.apart(to, answer)) else {
                return Ok(Distinction { exchanges, by, ability: Ability::Event(EventId(event)) });
            };
            exchanges.push(Exchange { by, event: EventId(event) });
            (left, right) = if by == Side::Left { (to, answer) } else { (answer, to) };
        }
    }

    /// The first round in which two states are apart.
    fn apart(&self, a: u32, b: u32) -> usize {
        self.rounds.partition_point(|classes| classes[a as usize] == classes[b as usize])
    }

    /// What a state can do in a round.
    fn steps(&self, state: u32, round: usize, meter: &Meter<'_>) -> Result<Steps, Reason> {
        let mut found = Steps { steps: Vec::new(), forever: false };
        let Some(classes) = round.checked_sub(1).and_then(|before| self.rounds.get(before)) else { return Ok(found) };
        let mut seen = BTreeSet::from([state]);
        let mut waiting = vec![state];
        while let Some(at) = waiting.pop() {
            for &(event, to) in &self.lts.moves[at as usize] {
                meter.spend(1)?;
                let silent = event == TAU && self.manner != Alike::Strong;
                if !silent || classes[to as usize] != classes[at as usize] {
                    found.steps.push((event, to));
                } else if seen.insert(to) {
                    waiting.push(to);
                }
                let cycle = silent && self.one[at as usize] == self.one[to as usize];
                found.forever |= cycle && self.manner == Alike::Diverging;
            }
        }
        Ok(found)
    }

    /// A step to a class that the other side has no step to with the same event.
    fn unmatched(&self, own: &Steps, other: &Steps, round: usize) -> Option<(u32, u32)> {
        let classes = self.rounds.get(round.checked_sub(1)?)?;
        let key = |step: &(u32, u32)| (step.0, classes[step.1 as usize]);
        let matched: BTreeSet<(u32, u32)> = other.steps.iter().map(key).collect();
        own.steps.iter().find(|step| !matched.contains(&key(step))).copied()
    }
}
