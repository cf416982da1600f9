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
use std::collections::btree_map::Entry;

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

impl Property {
    /// The question that a property of a model asks, if it is one of a single configuration.
    pub fn of(property: &model::verdict::Property) -> Option<Property> {
        Some(match property {
            model::verdict::Property::Safety => Property::BadStates,
            model::verdict::Property::Deadlock => Property::Deadlock,
            model::verdict::Property::Reception => Property::Reception,
            model::verdict::Property::Orphan => Property::Orphan,
            _ => return None,
        })
    }
}

/// What the queues hold in one configuration.
pub(crate) struct Queues<'a> {
    /// The messages, queue by queue.
    pub(crate) letters: &'a [u16],
    /// Where each queue begins among them, and the end of the last.
    pub(crate) starts: &'a [usize],
}

impl Queues<'_> {
    fn queue(&self, channel: usize) -> &[u16] {
        &self.letters[self.starts[channel]..self.starts[channel + 1]]
    }

    /// The message at the head of a channel.
    pub(crate) fn first(&self, channel: usize) -> Option<u32> {
        self.queue(channel).first().map(|&letter| u32::from(letter))
    }

    /// Channel by channel.
    pub(crate) fn contents(&self) -> Vec<Vec<u32>> {
        let queue = |channel| self.queue(channel).iter().map(|&letter| u32::from(letter)).collect();
        (0..self.starts.len() - 1).map(queue).collect()
    }
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

    /// Whether it can go on.
    fn is_enabled(&self, queues: &Queues<'_>) -> bool {
        let ready = |(&channel, takes): (&usize, &Vec<u32>)| queues.first(channel).is_some_and(|m| takes.contains(&m));
        self.free || self.takes.iter().any(ready)
    }

    /// Whether it waits for messages, and the first ones of all its channels are others.
    fn is_surprised(&self, queues: &Queues<'_>) -> bool {
        let waits = !self.free && !self.takes.is_empty();
        waits && !self.is_enabled(queues) && self.takes.keys().all(|&channel| queues.first(channel).is_some())
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
    /// All contents; by channel, those where it is empty; by channel and messages, those that begin with one of these.
    universe: Language,
    dry: Vec<Language>,
    ready: BTreeMap<(usize, Vec<u32>), Language>,
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
        let abilities: Vec<Vec<Abilities>> = abilities.collect();
        let universe = languages.universe()?;
        let mut faults =
            Faults { property, abilities, bad: Vec::new(), universe, dry: Vec::new(), ready: BTreeMap::new() };
        for channel in 0..system.channels {
            faults.dry.push(languages.empty_channel(channel)?);
        }
        for (&channel, takes) in faults.abilities.iter().flatten().flat_map(|abilities| &abilities.takes) {
            if let Entry::Vacant(ready) = faults.ready.entry((channel, takes.clone())) {
                ready.insert(languages.beginning_with(channel, takes)?);
            }
        }
        for (number, bad) in system.bad.iter().enumerate() {
            let queues = match &bad.queues {
                Some(regex) => languages.regex(regex),
                None => Ok(universe),
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

    /// Whether one configuration is a fault.
    pub(crate) fn has(&self, control: &[u16], queues: &Queues<'_>, languages: &Languages) -> bool {
        let mut abilities = self.abilities(control);
        match self.property {
            Property::BadStates => self.is_bad(control, queues, languages),
            Property::Deadlock if abilities.clone().all(Abilities::is_final) => !queues.letters.is_empty(),
            Property::Deadlock => !abilities.any(|abilities| abilities.is_enabled(queues)),
            Property::Stuck => {
                !abilities.any(|abilities| abilities.is_enabled(queues)) && self.is_bad(control, queues, languages)
            }
            Property::Reception => abilities.any(|abilities| abilities.is_surprised(queues)),
            Property::Orphan => !queues.letters.is_empty() && abilities.all(Abilities::is_final),
        }
    }

    fn is_bad(&self, control: &[u16], queues: &Queues<'_>, languages: &Languages) -> bool {
        self.bad_at(control).any(|language| languages.contains(language, &queues.contents()))
    }

    /// The languages of the bad configurations with these states.
    fn bad_at<'a, S: Copy + Into<u32>>(&'a self, control: &'a [S]) -> impl Iterator<Item = Language> + 'a {
        let within = |(states, &state): (&Option<Vec<bool>>, &S)| {
            states.as_ref().is_none_or(|states| states.get(state.into() as usize).copied().unwrap_or(false))
        };
        self.bad.iter().filter(move |(states, _)| states.iter().zip(control).all(within)).map(|(_, queues)| *queues)
    }

    fn bad_states(&self, control: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
        self.bad_at(control).try_fold(languages.empty(), |all, queues| languages.union(all, queues))
    }

    fn abilities<'a, S: Copy + Into<u32>>(
        &'a self,
        control: &'a [S],
    ) -> impl Iterator<Item = &'a Abilities> + Clone + 'a {
        self.abilities.iter().zip(control).filter_map(|(states, &state)| states.get(state.into() as usize))
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
        let mut takes = abilities.flat_map(|abilities| &abilities.takes);
        takes.try_fold(self.universe, |stuck, (&channel, takes)| {
            languages.difference(stuck, self.ready(channel, takes, languages))
        })
    }

    fn ready(&self, channel: usize, takes: &[u32], languages: &Languages) -> Language {
        self.ready.get(&(channel, takes.to_vec())).copied().unwrap_or(languages.empty())
    }

    fn reception(&self, control: &[u32], languages: &mut Languages) -> Result<Language, Limit> {
        let mut all = languages.empty();
        let waiting = self.abilities(control).filter(|abilities| !abilities.free && !abilities.takes.is_empty());
        for abilities in waiting {
            let mut unexpected = self.universe;
            for (&channel, takes) in &abilities.takes {
                unexpected = languages.difference(unexpected, self.ready(channel, takes, languages))?;
                unexpected = languages.difference(unexpected, self.dry[channel])?;
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
