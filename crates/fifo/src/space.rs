//! The product of the machines, unfolded as far as somebody asks, with the queue languages next to it.
//!
//! A control state (a state of each machine) gets a number when it is first seen; its moves and its faults are worked out
//! when they are first requested. All methods share one space, and with it every result about queue languages.
//!
//! A lossy channel may lose messages at any time. It is enough to let it do so right after each move: what is lost later
//! could as well be lost then, and in the beginning there is nothing to lose. So `post(l, L)` is closed under losses here,
//! and `pre(l, L)` starts from all that losses can have made `L` of.

use crate::property::{Faults, Property, Queues};
use crate::system::{Op, System, SystemError, Transition};
use queues::{Language, Languages, Limit};
use rustc_hash::FxHashMap as HashMap;
use std::rc::Rc;

/// The number of a control state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Control(pub(crate) u32);

impl Control {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A transition of one machine in the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) machine: u32,
    pub(crate) transition: u32,
    pub(crate) op: Op,
    pub(crate) target: Control,
}

/// The product so far.
pub(crate) struct Space<'a> {
    pub(crate) system: &'a System,
    pub(crate) languages: Languages,
    /// Contents with all channels empty, and all contents.
    pub(crate) start: Language,
    pub(crate) universe: Language,
    lossy: Vec<bool>,
    faults: Faults,
    /// The transitions by machine and state.
    pub(crate) leaving: Rc<[Vec<Vec<u32>>]>,
    controls: Vec<Rc<[u32]>>,
    numbers: HashMap<Rc<[u32]>, Control>,
    moves: Vec<Option<Rc<[Move]>>>,
    bad: Vec<Option<Language>>,
    /// The messages at the heads of queues, by their contents.
    heads: HashMap<Language, Rc<[(usize, u32)]>>,
    initial: Vec<Control>,
    /// See [`crate::Limits::listed`].
    pub(crate) listed: Option<usize>,
}

/// What a control state takes, roughly.
const CONTROL_BYTES: usize = 150;
/// What the messages at the heads of queues take besides themselves, roughly.
const HEADS_BYTES: usize = 48;

impl<'a> Space<'a> {
    pub(crate) fn new(system: &'a System, property: Property, limits: queues::Limits) -> Result<Self, SystemError> {
        system.validate()?;
        let mut languages = Languages::new(system.channels, system.alphabet.len(), limits);
        let faults = Faults::new(system, property, &mut languages)?;
        let (start, universe) = (languages.all_empty()?, languages.universe()?);
        let leaving = system.machines.iter().map(|machine| {
            let mut leaving = vec![Vec::new(); machine.states.len()];
            let transitions = machine.transitions.iter().enumerate();
            transitions.for_each(|(at, transition)| leaving[transition.from].push(at as u32));
            leaving
        });
        Ok(Space {
            system,
            languages,
            start,
            universe,
            lossy: (0..system.channels).map(|channel| system.is_lossy(channel)).collect(),
            faults,
            leaving: leaving.collect(),
            controls: Vec::new(),
            numbers: HashMap::default(),
            moves: Vec::new(),
            bad: Vec::new(),
            heads: HashMap::default(),
            initial: Vec::new(),
            listed: None,
        })
    }

    /// How many control states were seen.
    pub(crate) fn controls(&self) -> usize {
        self.controls.len()
    }

    /// The state of each machine.
    pub(crate) fn states(&self, control: Control) -> &Rc<[u32]> {
        &self.controls[control.index()]
    }

    /// The control states to begin with.
    pub(crate) fn initial(&mut self) -> Result<Vec<Control>, Limit> {
        if self.initial.is_empty() {
            let system = self.system;
            let mut choices = vec![Vec::new()];
            for machine in &system.machines {
                self.room_for(choices.len(), machine.initial.len())?;
                let longer = |states: &Vec<u32>| {
                    let with = |&state: &usize| states.iter().copied().chain([state as u32]).collect();
                    machine.initial.iter().map(with).collect::<Vec<Vec<u32>>>()
                };
                choices = choices.iter().flat_map(longer).collect();
            }
            let mut initial = Vec::new();
            for states in choices {
                initial.push(self.number(states.into())?);
            }
            initial.sort_unstable();
            initial.dedup();
            self.initial = initial;
        }
        Ok(self.initial.clone())
    }

    /// Every control state of the product, reachable or not. Only for measuring.
    pub(crate) fn whole_product(&mut self) -> Result<Vec<Control>, Limit> {
        let system = self.system;
        let mut all = vec![Vec::new()];
        for machine in &system.machines {
            self.room_for(all.len(), machine.states.len())?;
            let count = machine.states.len() as u32;
            let longer = |states: &Vec<u32>| {
                let states = states.clone();
                (0..count).map(move |state| states.iter().copied().chain([state]).collect::<Vec<u32>>())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.into_iter().map(|states| self.number(states.into())).collect()
    }

    /// Whether so many control states can be listed at once.
    fn room_for(&mut self, some: usize, times: usize) -> Result<(), Limit> {
        let count = some.saturating_mul(times);
        self.languages.spend(count)?;
        if count > self.languages.limits().states { Err(Limit::States) } else { Ok(()) }
    }

    /// The number of a control state.
    pub(crate) fn number(&mut self, states: Rc<[u32]>) -> Result<Control, Limit> {
        if let Some(&control) = self.numbers.get(&states) {
            return Ok(control);
        }
        self.languages.keep(CONTROL_BYTES + 8 * states.len())?;
        let control = Control(self.controls.len() as u32);
        self.controls.push(states.clone());
        self.numbers.insert(states, control);
        self.moves.push(None);
        self.bad.push(None);
        Ok(control)
    }

    /// What can happen in a control state, machine by machine, if the queues allow it.
    pub(crate) fn moves(&mut self, control: Control) -> Result<Rc<[Move]>, Limit> {
        if let Some(moves) = &self.moves[control.index()] {
            return Ok(moves.clone());
        }
        let states = self.controls[control.index()].clone();
        let mut moves = Vec::new();
        for (machine, &state) in states.iter().enumerate() {
            for at in 0..self.leaving[machine][state as usize].len() {
                let number = self.leaving[machine][state as usize][at];
                let transition = self.system.machines[machine].transitions[number as usize];
                let mut next: Vec<u32> = states.to_vec();
                next[machine] = transition.to as u32;
                let target = self.number(next.into())?;
                moves.push(Move { machine: machine as u32, transition: number, op: transition.op, target });
            }
        }
        self.languages.keep(moves.len() * size_of::<Move>())?;
        let moves: Rc<[Move]> = moves.into();
        self.moves[control.index()] = Some(moves.clone());
        Ok(moves)
    }

    /// The moves that some of these contents allow. Control states that only other moves lead to are not unfolded.
    pub(crate) fn moves_with(&mut self, control: Control, contents: Language) -> Result<Vec<Move>, Limit> {
        if !self.heads.contains_key(&contents) {
            let heads: Rc<[(usize, u32)]> = self.languages.heads(contents).into();
            self.languages.keep(HEADS_BYTES + size_of_val(&*heads))?;
            self.heads.insert(contents, heads);
        }
        let (heads, leaving) = (self.heads[&contents].clone(), self.leaving.clone());
        let states = self.controls[control.index()].clone();
        let mut moves = Vec::new();
        for (machine, &state) in states.iter().enumerate() {
            for &transition in &leaving[machine][state as usize] {
                let Transition { op, to, .. } = self.system.machines[machine].transitions[transition as usize];
                if matches!(op, Op::Receive(channel, message) if heads.binary_search(&(channel, message)).is_err()) {
                    continue;
                }
                let mut next: Vec<u32> = states.to_vec();
                next[machine] = to as u32;
                moves.push(Move { machine: machine as u32, transition, op, target: self.number(next.into())? });
            }
        }
        Ok(moves)
    }

    /// The queue contents that are bad in a control state.
    pub(crate) fn bad(&mut self, control: Control) -> Result<Language, Limit> {
        if let Some(bad) = self.bad[control.index()] {
            return Ok(bad);
        }
        let states = self.controls[control.index()].clone();
        let bad = self.faults.of(&states, &mut self.languages)?;
        self.bad[control.index()] = Some(bad);
        Ok(bad)
    }

    /// The same, for a control state by its states.
    pub(crate) fn bad_at(&mut self, states: &[u32]) -> Result<Language, Limit> {
        self.faults.of(states, &mut self.languages)
    }

    /// Whether one configuration is bad.
    pub(crate) fn is_bad(&self, states: &[u16], queues: &Queues<'_>) -> bool {
        self.faults.has(states, queues, &self.languages)
    }

    /// `post(l, L)`, with losses.
    pub(crate) fn post(&mut self, op: Op, language: Language) -> Result<Language, Limit> {
        let after = match op {
            Op::Internal => language,
            Op::Send(channel, message) => self.languages.send(language, channel, message)?,
            Op::Receive(channel, message) => self.languages.receive(language, channel, message)?,
        };
        self.languages.lose(after, &self.lossy)
    }

    /// `pre(l, L)`, with losses.
    pub(crate) fn pre(&mut self, op: Op, language: Language) -> Result<Language, Limit> {
        let before_losses = self.languages.gain(language, &self.lossy)?;
        match op {
            Op::Internal => Ok(before_losses),
            Op::Send(channel, message) => self.languages.unsend(before_losses, channel, message),
            Op::Receive(channel, message) => self.languages.unreceive(before_losses, channel, message),
        }
    }
}
