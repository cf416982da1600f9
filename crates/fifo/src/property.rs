//! What must not be reached: bad states from the model, and faults that have a name.
//!
//! For a control state, each property is a set of queue contents. With `Fault ⊆ (M*)ⁿ` per control state they are all
//! questions of the same kind, and every method answers all of them.
//!
//! * *Deadlock*: no transition is possible, unless every machine is in a state without transitions and every queue is
//!   empty. A loss is not a transition.
//! * *Stuck*: no transition is possible, and the configuration is one of the bad ones.
//! * *Reception*: some machine has only receives to go on with, every channel it would receive from has a first
//!   message, and none of these is one that it takes there.
//! * *Orphan*: every machine is in a state without transitions, and a queue is not empty.

use crate::system::{Machine, Op, System, SystemError};
use queues::{Language, Languages, Limit, RegexError};
use std::collections::BTreeMap;

/// The question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// None of the bad configurations of the system is reached.
    BadStates,
    /// There is no deadlock.
    Deadlock,
    /// Whatever is reached of the bad configurations of the system has a transition: there is no deadlock, where the caller
    /// says which ends are proper ones.
    Stuck,
    /// There is no unspecified reception.
    Reception,
    /// No message is left at the end.
    Orphan,
}

/// For one state of a machine: what it can do there.
#[derive(Clone, Debug, Default)]
struct Abilities {
    /// Whether it can go on whatever is in the queues.
    free: bool,
    /// The messages it takes, by channel.
    takes: BTreeMap<usize, Vec<u32>>,
}

impl Abilities {
    fn is_final(&self) -> bool {
        !self.free && self.takes.is_empty()
    }
}

/// A property, ready to be asked of control states.
#[derive(Debug)]
pub(crate) struct Faults {
    property: Property,
    /// By machine and state.
    abilities: Vec<Vec<Abilities>>,
    /// By bad configuration, with its queue language.
    bad: Vec<(Vec<Option<Vec<bool>>>, Language)>,
}

impl Faults {
    pub(crate) fn new(system: &System, property: Property, languages: &mut Languages) -> Result<Self, SystemError> {
        let abilities = system.machines.iter().map(|machine| {
            let mut abilities = vec![Abilities::default(); machine.states.len()];
            for transition in &machine.transitions {
                match transition.op {
                    Op::Internal | Op::Send(..) => abilities[transition.from].free = true,
                    Op::Receive(channel, message) => {
                        abilities[transition.from].takes.entry(channel).or_default().push(message);
                    }
                }
            }
            abilities
        });
        let mut faults = Faults { property, abilities: abilities.collect(), bad: Vec::new() };
        for (number, bad) in system.bad.iter().enumerate() {
            let queues = match &bad.queues {
                Some(regex) => languages.regex(regex),
                None => languages.universe().map_err(RegexError::from),
            };
            let queues = queues.map_err(|error| match error {
                RegexError::Limit(limit) => SystemError::Limit(limit),
                error => SystemError::BadQueues { number, error },
            })?;
            let among = |(machine, states): (&Machine, &Option<Vec<usize>>)| {
                states.as_ref().map(|states| {
                    let mut among = vec![false; machine.states.len()];
                    states.iter().for_each(|&state| among[state] = true);
                    among
                })
            };
            let states = system.machines.iter().zip(&bad.states).map(among).collect();
            faults.bad.push((states, queues));
        }
        Ok(faults)
    }

    /// The queue contents that are a fault in this control state.
    pub(crate) fn of(&self, control: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
        match self.property {
            Property::BadStates => self.bad_states(control, languages),
            Property::Deadlock => self.deadlock(control, languages),
            Property::Stuck => {
                let (stuck, bad) = (self.stuck(control, languages)?, self.bad_states(control, languages)?);
                languages.intersection(stuck, bad)
            }
            Property::Reception => self.reception(control, languages),
            Property::Orphan => self.orphan(control, languages),
        }
    }

    fn bad_states(&self, control: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
        let mut all = languages.empty();
        for (states, queues) in &self.bad {
            let within = |(states, &state): (&Option<Vec<bool>>, &u32)| {
                states.as_ref().is_none_or(|states| states.get(state as usize).copied().unwrap_or(false))
            };
            if states.iter().zip(control).all(within) {
                all = languages.union(all, *queues)?;
            }
        }
        Ok(all)
    }

    fn abilities<'a>(&'a self, control: &'a [u32]) -> impl Iterator<Item = &'a Abilities> + Clone + 'a {
        self.abilities.iter().zip(control).filter_map(|(states, &state)| states.get(state as usize))
    }

    fn deadlock(&self, control: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
        let abilities = self.abilities(control);
        if abilities.clone().any(|abilities| abilities.free) {
            return Ok(languages.empty());
        }
        if abilities.clone().all(Abilities::is_final) {
            return self.orphan(control, languages);
        }
        self.stuck(control, languages)
    }

    /// The contents with which no transition is possible.
    fn stuck(&self, control: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
        let abilities = self.abilities(control);
        if abilities.clone().any(|abilities| abilities.free) {
            return Ok(languages.empty());
        }
        let mut stuck = languages.universe()?;
        for (&channel, takes) in abilities.flat_map(|abilities| &abilities.takes) {
            let ready = languages.beginning_with(channel, takes)?;
            stuck = languages.difference(stuck, ready)?;
        }
        Ok(stuck)
    }

    fn reception(&self, control: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
        let mut all = languages.empty();
        let waiting = self.abilities(control).filter(|abilities| !abilities.free && !abilities.takes.is_empty());
        for abilities in waiting {
            let mut unexpected = languages.universe()?;
            for (&channel, takes) in &abilities.takes {
                let ready = languages.beginning_with(channel, takes)?;
                let dry = languages.empty_channel(channel)?;
                unexpected = languages.difference(unexpected, ready)?;
                unexpected = languages.difference(unexpected, dry)?;
            }
            all = languages.union(all, unexpected)?;
        }
        Ok(all)
    }

    fn orphan(&self, control: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
        if !self.abilities(control).all(Abilities::is_final) {
            return Ok(languages.empty());
        }
        let all_empty = languages.all_empty()?;
        languages.complement(all_empty)
    }
}
