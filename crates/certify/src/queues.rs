//! Invariants over queues, checked by their definition.
//!
//! A [`QueueProof`] says what the queues can hold in each control state. Three things make it a proof:
//!
//! * *Initiation*: the first control state is listed, and its set has the empty queues.
//! * *Consecution*: whatever a step makes of a set lies in the set of the control state that it leads to. Lossy
//!   channels
//!   may lose messages after each step. That is enough: what is lost later could as well be lost then, and in the beginning
//!   there is nothing to lose.
//! * *Safety*: no set has a word that violates the property there.
//!
//! Everything is done by walking: through an automaton and what a step does to its words, letter by letter, beside the
//! automaton that the result must lie in. Since that one is deterministic there is at each moment one state to look at,
//! so that inclusion is a matter of visiting pairs of states. No automaton is ever built, made deterministic or made
//! smaller. `machines` reads the steps off the network, `words` has the walks, `pattern` the languages of bad
//! configurations. For networks with data, where steps are those of the semantics, there is `data`; `waits` says what a
//! process there waits for.
//!
//! A word with another number of separators than it should have stands for no configuration. Such words do no harm: all
//! that is asked of them is asked in addition.

pub(crate) mod contents;
pub(crate) mod data;
#[cfg(test)]
mod data_tests;
mod looks;
pub(crate) mod machines;
pub(crate) mod pattern;
#[cfg(test)]
mod tests;
pub(crate) mod words;

use crate::Refusal;
use crate::pace::Pace;
use crate::queue_counts::Count;
use machines::{Machines, Op};
use model::context::Context;
use model::network::Network;
use model::queue_proof::QueueProof;
use model::verdict::Property;
use pattern::Pattern;
use scm::{Bad, Specification};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use words::{First, Words};

/// Whether a proof with data can be about a network: whether no statement asks more about queues than classes of
/// contents decide.
pub fn can_be_asked(network: &Network) -> Result<(), Refusal> {
    looks::asked(network).map(|_| ())
}

/// Whether no statement of a network looks further into the queues than at the head of one.
pub fn can_speak_of(network: &Network) -> Result<(), Refusal> {
    looks::at_heads_only(network)
}

/// Checks that a proof is one, for a Promela model whose channels have no bounds.
pub fn verify_promela(
    network: &Network,
    property: &Property,
    proof: &QueueProof,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    crate::keeps(network, property)?;
    data::verify(network, data::Rules::Promela, property, proof, cx)
}

/// Checks that a proof is one, for a network of communicating machines and its bad configurations.
pub fn verify(
    network: &Network,
    specification: &Specification,
    property: &Property,
    proof: &QueueProof,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    crate::keeps(network, property)?;
    if proof.data.is_some() {
        return data::verify(network, data::Rules::Machines(specification), property, proof, cx);
    }
    let faults = Faults::of(property, specification)?;
    let check = Check::read(network, proof, cx)?;
    check.inductive()?;
    check.excludes(&faults, &|_| Vec::new())
}

/// The control states, each with the place of its automaton.
fn listed(proof: &QueueProof, machines: &Machines, automata: &[Words]) -> Result<BTreeMap<Vec<u32>, usize>, Refusal> {
    let mut invariant = BTreeMap::new();
    for entry in &proof.entries {
        let at = entry.automaton as usize;
        if at >= automata.len() {
            return Err(Refusal::Malformed(format!("there is no automaton {at}")));
        }
        if !machines.is_control(&entry.control) {
            return Err(Refusal::Malformed(format!("{:?} is not a control state", entry.control)));
        }
        if invariant.insert(entry.control.clone(), at).is_some() {
            return Err(Refusal::Malformed(format!("control state {:?} is listed twice", entry.control)));
        }
    }
    Ok(invariant)
}

/// What must not be.
pub(crate) enum Faults<'a> {
    Bad(Vec<(&'a Bad, Option<Pattern>)>),
    Deadlock,
    Reception,
    Orphan,
}

impl Faults<'_> {
    pub(crate) fn of<'a>(property: &Property, specification: &'a Specification) -> Result<Faults<'a>, Refusal> {
        Ok(match property {
            Property::Safety => Faults::Bad(patterns(specification)?),
            Property::Deadlock => Faults::Deadlock,
            Property::Reception => Faults::Reception,
            Property::Orphan => Faults::Orphan,
            _ => return Err(Refusal::WrongKind(property.to_string())),
        })
    }
}

fn patterns(specification: &Specification) -> Result<Vec<(&Bad, Option<Pattern>)>, Refusal> {
    let conditional = |bad: &Bad| bad.machines.iter().flatten().flatten().any(|allowed| allowed.condition.is_some());
    if specification.bad.iter().any(conditional) {
        return Err(Refusal::Malformed(String::from("the bad configurations speak of variables")));
    }
    let pattern = |bad: &Bad| bad.queues.as_ref().map(|language| Pattern::new(&language.regex));
    Ok(specification.bad.iter().map(|bad| (bad, pattern(bad))).collect())
}

/// Steps between sets that were looked at: the set before, the operation, the set after, if there is one.
type Known = HashSet<(usize, Op, Option<usize>)>;

/// What the counts of messages in a control state must be.
pub(crate) type CountsAt<'a> = dyn Fn(&[u32]) -> Vec<Count<'a>> + 'a;

/// A proof about plain machines, made ready.
pub(crate) struct Check<'a> {
    pub(crate) machines: Machines,
    pub(crate) automata: Vec<Words>,
    pub(crate) invariant: BTreeMap<Vec<u32>, usize>,
    pub(crate) patience: Pace<'a>,
}

impl<'a> Check<'a> {
    pub(crate) fn read(network: &Network, proof: &QueueProof, cx: &Context<'a>) -> Result<Check<'a>, Refusal> {
        if proof.data.is_some() {
            return Err(Refusal::Malformed(String::from("it is for machines with data")));
        }
        let machines = Machines::read(network)?;
        let automata = Words::all(&proof.automata, machines.lossy.len())?;
        let invariant = listed(proof, &machines, &automata)?;
        Ok(Check { machines, automata, invariant, patience: Pace::new(cx) })
    }

    /// The first configuration is in it, and no step leads out of it.
    pub(crate) fn inductive(&self) -> Result<(), Refusal> {
        self.initiation()?;
        let mut known = Known::new();
        self.invariant.iter().try_for_each(|(control, &here)| self.consecution(control, here, &mut known))
    }

    /// No control state has something bad in its set, with the counts that there are.
    pub(crate) fn excludes(&self, faults: &Faults<'_>, counts: &CountsAt<'_>) -> Result<(), Refusal> {
        self.invariant.iter().try_for_each(|(control, &here)| self.safety(control, here, faults, &counts(control)))
    }

    fn initiation(&self) -> Result<(), Refusal> {
        let initial = self.machines.initial();
        let contains = |&at: &usize| self.automata[at].accepts(&self.machines.empty_queues());
        match self.invariant.get(&initial).is_some_and(contains) {
            true => Ok(()),
            false => Err(Refusal::NotInvariant(String::from("the first configuration is not in it"))),
        }
    }

    /// Many control states have the same sets: what leads from one set to another by some operation is in `known`.
    fn consecution(&self, control: &[u32], here: usize, known: &mut Known) -> Result<(), Refusal> {
        let nothing = Words::nothing();
        let mut target = control.to_vec();
        for (index, machine) in self.machines.machines.iter().enumerate() {
            for step in &machine.steps[control[index] as usize] {
                target[index] = step.to;
                let at = self.invariant.get(&target).copied();
                if !known.insert((here, step.op, at)) {
                    continue;
                }
                let there = at.map_or(&nothing, |at| &self.automata[at]);
                if !self.automata[here].leads_into(step.op, &self.machines.lossy, there, &self.patience)? {
                    let what = format!("a step of `{}` leads from {control:?} out of it", machine.name);
                    return Err(Refusal::NotInvariant(what));
                }
            }
            target[index] = control[index];
        }
        Ok(())
    }

    fn safety(&self, control: &[u32], here: usize, faults: &Faults<'_>, counts: &[Count<'_>]) -> Result<(), Refusal> {
        let words = &self.automata[here];
        let is_bad = match faults {
            Faults::Bad(list) => self.is_bad(list, control, words, counts)?,
            Faults::Deadlock => self.can_deadlock(control, words, counts)?,
            Faults::Reception => self.can_be_surprised(control, words, counts)?,
            Faults::Orphan => self.all_ended(control) && words.has_message(counts, &self.patience)?,
        };
        match is_bad {
            true => Err(Refusal::Violated(format!("the set of control state {control:?} has something bad in it"))),
            false => Ok(()),
        }
    }

    fn is_bad(
        &self,
        list: &[(&Bad, Option<Pattern>)],
        control: &[u32],
        words: &Words,
        counts: &[Count<'_>],
    ) -> Result<bool, Refusal> {
        for (bad, pattern) in list {
            if is_covered(bad, control) && words.meets(pattern, counts, &self.patience)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn all_ended(&self, control: &[u32]) -> bool {
        self.machines.at(control).all(<[_]>::is_empty)
    }

    /// Some contents let nothing move, other than empty queues where all machines have ended.
    fn can_deadlock(&self, control: &[u32], words: &Words, counts: &[Count<'_>]) -> Result<bool, Refusal> {
        if self.all_ended(control) {
            return words.has_message(counts, &self.patience);
        }
        let all: Vec<Op> = self.machines.at(control).flatten().map(|step| step.op).collect();
        if all.iter().any(|op| !matches!(op, Op::Receive(..))) {
            return Ok(false);
        }
        let heads = takes(&all).into_iter().map(|(channel, taken)| (channel, First::NoneOf(taken)));
        words.has_with(&heads.collect(), counts, &self.patience)
    }

    /// Some contents have a message at the head of every channel that a machine waits for, and it takes none of them.
    fn can_be_surprised(&self, control: &[u32], words: &Words, counts: &[Count<'_>]) -> Result<bool, Refusal> {
        for steps in self.machines.at(control) {
            let ops: Vec<Op> = steps.iter().map(|step| step.op).collect();
            let waits = !ops.is_empty() && ops.iter().all(|op| matches!(op, Op::Receive(..)));
            let heads = takes(&ops).into_iter().map(|(channel, taken)| (channel, First::Other(taken)));
            if waits && words.has_with(&heads.collect(), counts, &self.patience)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The messages that are received, by channel.
fn takes(ops: &[Op]) -> BTreeMap<usize, BTreeSet<u32>> {
    let mut takes: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for op in ops {
        if let Op::Receive(channel, message) = *op {
            takes.entry(channel).or_default().insert(message);
        }
    }
    takes
}

pub(crate) fn is_covered(bad: &Bad, control: &[u32]) -> bool {
    let fits = |(allowed, at): (&Option<Vec<scm::Allowed>>, &u32)| {
        allowed.as_ref().is_none_or(|states| states.iter().any(|state| state.location.0 == *at))
    };
    bad.machines.iter().zip(control).all(fits)
}
