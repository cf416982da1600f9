//! Invariants over queues in parts, checked by their definition: see [`model::queue_parts`].
//!
//! * Each part has the first configuration, and no step of its machines leads out of it. Messages that it does not know cost
//!   nothing to send, and can be received at any time; those of a history that it follows only in the order of this history.
//! * Each history that a part follows is kept by some part. By induction over the steps of a run, all parts and all histories
//!   hold: what is read is a prefix of what was written, or, where messages are lost, is left of one.
//! * No configuration with something bad satisfies all parts. For each machine there is a set of locations where it may be in
//!   a bad configuration, and each part takes away those that none of its control states has together with the others. If
//!   for some machine none is left, there is no such configuration.
//!
//! Sums that no step raises (`sums`) take away locations, too: those with which it would be more than in the beginning. They
//! also prove formulas that say that channels, or shared variables that count, are at most some number.
//!
//! What stands at the head of a channel may not be known to any single part. So it is assumed, case by case: a part that
//! has the message in its words must have it first there, one that knows the channel otherwise must allow it.

mod sums;

use crate::Refusal;
use crate::pace::Pace;
use crate::queues::Faults;
use crate::queues::machines::{Machines, Op};
use crate::queues::words::{First, Words};
use model::context::Context;
use model::network::Network;
use model::queue_parts::{self, QueueParts};
use model::verdict::Property;
use scm::{Bad, Specification};
use std::collections::{BTreeMap, BTreeSet};
use sums::Sum;

/// With more cases of what stands at heads than this, a proof is not checked.
const MOST_CASES: usize = 1 << 12;

/// Checks that a proof is one, for a network of communicating machines and its bad configurations.
pub fn verify(
    network: &Network,
    specification: &Specification,
    property: &Property,
    proof: &QueueParts,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    crate::keeps(network, property)?;
    let machines = Machines::read(network)?;
    let traffic = Traffic::of(&machines);
    let histories = histories(proof)?;
    let parts = proof.parts.iter().map(|part| Part::read(part, &machines, &traffic, &histories));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let kept: BTreeSet<usize> = parts.iter().flat_map(|part| part.keeps.iter().copied()).collect();
    if let Some(channel) = parts.iter().flat_map(|part| &part.follows).find(|channel| !kept.contains(channel)) {
        return Err(Refusal::Malformed(format!("no part keeps the history of channel {channel}")));
    }
    let sums = proof.sums.iter().map(|weights| Sum::read(weights, network)).collect::<Result<_, _>>()?;
    let check =
        Check { machines: &machines, traffic: &traffic, histories: &histories, parts, sums, pace: Pace::new(cx) };
    check.parts.iter().try_for_each(|part| check.inductive(part))?;
    check.excludes(&Faults::of(property, specification)?)
}

/// Checks that sums prove a formula `[] p`, for a network of any kind; there are no parts.
pub fn verify_formula(network: &Network, property: &Property, proof: &QueueParts) -> Result<(), Refusal> {
    crate::keeps(network, property)?;
    let wrong = || Refusal::WrongKind(property.to_string());
    if !proof.parts.is_empty() || !proof.histories.is_empty() || !proof.bad.is_empty() {
        return Err(wrong());
    }
    let formula = network.formulas.iter().find(|formula| formula.property() == *property).ok_or_else(wrong)?;
    let sums = proof.sums.iter().map(|weights| Sum::read(weights, network)).collect::<Result<Vec<_>, _>>()?;
    match sums::prove(network, &formula.formula, &sums) {
        Some(true) => Ok(()),
        Some(false) => Err(Refusal::Violated(String::from("the sums allow more"))),
        None => Err(wrong()),
    }
}

/// Who sends and reads what.
struct Traffic {
    /// By channel and message.
    senders: BTreeMap<(usize, u32), BTreeSet<usize>>,
    /// By channel.
    readers: BTreeMap<usize, BTreeSet<usize>>,
}

impl Traffic {
    fn of(machines: &Machines) -> Traffic {
        let mut traffic = Traffic { senders: BTreeMap::new(), readers: BTreeMap::new() };
        for (number, machine) in machines.machines.iter().enumerate() {
            for step in machine.steps.iter().flatten() {
                let (of, number) = match step.op {
                    Op::Internal => continue,
                    Op::Send(channel, message) => (traffic.senders.entry((channel, message)).or_default(), number),
                    Op::Receive(channel, _) => (traffic.readers.entry(channel).or_default(), number),
                };
                of.insert(number);
            }
        }
        traffic
    }

    /// The messages that are ever sent to a channel.
    fn letters(&self, channel: usize) -> impl Iterator<Item = u32> + '_ {
        self.senders.range((channel, 0)..=(channel, u32::MAX)).map(|(&(_, message), _)| message)
    }

    fn writers(&self, channel: usize) -> impl Iterator<Item = usize> + '_ {
        self.senders.range((channel, 0)..=(channel, u32::MAX)).flat_map(|(_, senders)| senders.iter().copied())
    }
}

/// A language that is closed under prefixes.
struct History {
    edges: Vec<BTreeMap<u32, u32>>,
}

impl History {
    fn after(&self, state: u32, message: u32) -> Option<u32> {
        self.edges[state as usize].get(&message).copied()
    }

    /// Where it may be when a message is read: behind it, if nothing is lost in between.
    fn read(&self, state: u32, message: u32, lossy: bool) -> BTreeSet<u32> {
        let mut seen = BTreeSet::from([state]);
        let mut work = if lossy { vec![state] } else { Vec::new() };
        while let Some(at) = work.pop() {
            work.extend(self.edges[at as usize].values().filter(|&&next| seen.insert(next)));
        }
        seen.into_iter().filter_map(|at| self.after(at, message)).collect()
    }
}

fn histories(proof: &QueueParts) -> Result<BTreeMap<usize, History>, Refusal> {
    let malformed = |why: String| Err(Refusal::Malformed(why));
    let mut histories = BTreeMap::new();
    for queue_parts::History { channel, edges } in &proof.histories {
        let states = edges.len();
        let by_message: Vec<BTreeMap<u32, u32>> = edges.iter().map(|list| list.iter().copied().collect()).collect();
        if states == 0 || edges.iter().zip(&by_message).any(|(list, map)| list.len() != map.len()) {
            return malformed(format!("the history of channel {channel} is not deterministic"));
        }
        if by_message.iter().flat_map(BTreeMap::values).any(|&to| to as usize >= states) {
            return malformed(format!("the history of channel {channel} has a state that does not exist"));
        }
        if histories.insert(*channel as usize, History { edges: by_message }).is_some() {
            return malformed(format!("channel {channel} has two histories"));
        }
    }
    Ok(histories)
}

/// An invariant about some machines, made ready.
struct Part {
    machines: Vec<usize>,
    follows: Vec<usize>,
    keeps: Vec<usize>,
    /// The messages that its words have.
    known: BTreeSet<(usize, u32)>,
    automata: Vec<Words>,
    invariant: BTreeMap<Vec<u32>, usize>,
}

impl Part {
    fn read(
        part: &queue_parts::Part,
        all: &Machines,
        traffic: &Traffic,
        histories: &BTreeMap<usize, History>,
    ) -> Result<Part, Refusal> {
        let malformed = |why: &str| Err(Refusal::Malformed(format!("a part {why}")));
        let numbers = |list: &[u32]| list.iter().map(|&number| number as usize).collect::<Vec<usize>>();
        let (machines, follows, keeps) = (numbers(&part.machines), numbers(&part.follows), numbers(&part.keeps));
        if machines.last().is_none_or(|&last| last >= all.machines.len()) || !machines.is_sorted_by(|a, b| a < b) {
            return malformed("has machines that do not exist, or none, or not in order");
        }
        if !part.invariant.bad.is_empty() || part.invariant.data.is_some() {
            return malformed("has bad configurations or data");
        }
        let own: BTreeSet<usize> = machines.iter().copied().collect();
        let read_by = |channel: usize| traffic.readers.get(&channel).cloned().unwrap_or_default();
        for &channel in follows.iter().chain(&keeps) {
            if !histories.contains_key(&channel) {
                return malformed("has a history that is not there");
            }
        }
        for &channel in &follows {
            let readers = read_by(channel);
            if readers.len() > 1 || !readers.is_subset(&own) {
                return malformed("follows a channel from which other machines read");
            }
        }
        if keeps.iter().any(|&channel| traffic.writers(channel).any(|writer| !own.contains(&writer))) {
            return malformed("keeps the history of a channel to which other machines write");
        }
        let known = traffic.senders.iter().filter(|((channel, _), senders)| {
            !follows.contains(channel) && senders.is_subset(&own) && read_by(*channel).is_subset(&own)
        });
        let known = known.map(|(&name, _)| name).collect();
        let automata = Words::all(&part.invariant.automata, all.lossy.len())?;
        let sizes: Vec<usize> = machines
            .iter()
            .map(|&machine| all.machines[machine].steps.len())
            .chain(follows.iter().chain(&keeps).map(|channel| histories[channel].edges.len()))
            .collect();
        let mut invariant = BTreeMap::new();
        for entry in &part.invariant.entries {
            let fits = entry.control.len() == sizes.len()
                && entry.control.iter().zip(&sizes).all(|(&at, &size)| (at as usize) < size);
            if !fits || entry.automaton as usize >= automata.len() {
                return malformed("has a control state or an automaton that does not exist");
            }
            if invariant.insert(entry.control.clone(), entry.automaton as usize).is_some() {
                return malformed("lists a control state twice");
            }
        }
        Ok(Part { machines, follows, keeps, known, automata, invariant })
    }

    /// Where the state of the history of a channel that it follows stands in a control state.
    fn followed(&self, channel: usize) -> Option<usize> {
        Some(self.machines.len() + self.follows.iter().position(|&other| other == channel)?)
    }

    fn kept(&self, channel: usize) -> Option<usize> {
        let before = self.machines.len() + self.follows.len();
        Some(before + self.keeps.iter().position(|&other| other == channel)?)
    }
}

/// A configuration that would be bad.
struct Suspect {
    /// By machine, where it may be.
    locations: Vec<BTreeSet<u32>>,
    /// What stands first in some channels.
    heads: BTreeMap<usize, Option<u32>>,
    /// No machine can move.
    stuck: bool,
}

struct Check<'a> {
    machines: &'a Machines,
    traffic: &'a Traffic,
    histories: &'a BTreeMap<usize, History>,
    parts: Vec<Part>,
    sums: Vec<Sum<'a>>,
    pace: Pace<'a>,
}

impl Check<'_> {
    fn is_lossy(&self, channel: usize) -> bool {
        self.machines.lossy.get(channel).copied().unwrap_or(false)
    }

    fn inductive(&self, part: &Part) -> Result<(), Refusal> {
        let all = self.machines.initial();
        let mut initial: Vec<u32> = part.machines.iter().map(|&machine| all[machine]).collect();
        initial.resize(initial.len() + part.follows.len() + part.keeps.len(), 0);
        let has_empty = |&at: &usize| part.automata[at].accepts(&self.machines.empty_queues());
        if !part.invariant.get(&initial).is_some_and(has_empty) {
            return Err(Refusal::NotInvariant(String::from("the first configuration is not in a part")));
        }
        let nothing = Words::nothing();
        for (control, &here) in &part.invariant {
            for (op, target) in self.steps(part, control)? {
                let there = part.invariant.get(&target).map_or(&nothing, |&at| &part.automata[at]);
                if !part.automata[here].leads_into(op, &self.machines.lossy, there, &self.pace)? {
                    return Err(Refusal::NotInvariant(format!("a step leads from {control:?} out of a part")));
                }
            }
        }
        Ok(())
    }

    /// The steps of the machines of a part: what they do to its words, and to which control state they lead.
    fn steps(&self, part: &Part, control: &[u32]) -> Result<Vec<(Op, Vec<u32>)>, Refusal> {
        let mut steps = Vec::new();
        for (place, &machine) in part.machines.iter().enumerate() {
            for step in &self.machines.machines[machine].steps[control[place] as usize] {
                let mut target = control.to_vec();
                target[place] = step.to;
                let is_known = |channel, message| part.known.contains(&(channel, message));
                match step.op {
                    Op::Send(channel, message) => {
                        if let Some(at) = part.kept(channel) {
                            let after = self.histories[&channel].after(control[at], message);
                            let lost = || Refusal::NotInvariant(format!("the history of channel {channel} is left"));
                            target[at] = after.ok_or_else(lost)?;
                        }
                        steps.push((if is_known(channel, message) { step.op } else { Op::Internal }, target));
                    }
                    // Nobody sends it.
                    Op::Receive(channel, message) if !self.traffic.senders.contains_key(&(channel, message)) => {}
                    Op::Receive(channel, message) if !is_known(channel, message) => match part.followed(channel) {
                        None => steps.push((Op::Internal, target)),
                        Some(at) => {
                            let after = self.histories[&channel].read(control[at], message, self.is_lossy(channel));
                            steps.extend(after.into_iter().map(|state| {
                                let mut target = target.clone();
                                target[at] = state;
                                (Op::Internal, target)
                            }));
                        }
                    },
                    op => steps.push((op, target)),
                }
            }
        }
        Ok(steps)
    }

    fn excludes(&self, faults: &Faults<'_>) -> Result<(), Refusal> {
        let possible = match faults {
            Faults::Bad(list) => self.any(list.iter().map(|(bad, _)| self.covered(bad)))?,
            Faults::Reception => self.any(self.surprises()?.into_iter())?,
            Faults::Orphan => self.any(self.left_over())?,
            Faults::Deadlock => self.any(self.left_over())? || self.any(self.standstills()?.into_iter())?,
        };
        match possible {
            true => Err(Refusal::Violated(String::from("the parts allow something bad"))),
            false => Ok(()),
        }
    }

    fn any(&self, mut suspects: impl Iterator<Item = Suspect>) -> Result<bool, Refusal> {
        suspects.try_fold(false, |any, suspect| Ok(any || self.is_possible(suspect)?))
    }

    fn anywhere(&self) -> Vec<BTreeSet<u32>> {
        self.machines.machines.iter().map(|machine| (0..machine.steps.len() as u32).collect()).collect()
    }

    /// The configurations that are bad if nothing is asked of their queues.
    fn covered(&self, bad: &Bad) -> Suspect {
        let mut locations = self.anywhere();
        for (of, allowed) in locations.iter_mut().zip(&bad.machines) {
            if let Some(allowed) = allowed {
                of.retain(|&at| allowed.iter().any(|one| one.location.0 == at));
            }
        }
        Suspect { locations, heads: BTreeMap::new(), stuck: false }
    }

    /// All machines have ended, and a message is left.
    fn left_over(&self) -> impl Iterator<Item = Suspect> + '_ {
        let ended = |steps: &[_]| steps.is_empty();
        let locations: Vec<BTreeSet<u32>> = self
            .machines
            .machines
            .iter()
            .map(|machine| (0..machine.steps.len() as u32).filter(|&at| ended(&machine.steps[at as usize])).collect())
            .collect();
        self.traffic.senders.keys().map(move |&(channel, message)| Suspect {
            locations: locations.clone(),
            heads: BTreeMap::from([(channel, Some(message))]),
            stuck: false,
        })
    }

    /// A machine has only receives, and messages that it does not take stand before it.
    fn surprises(&self) -> Result<Vec<Suspect>, Refusal> {
        let mut suspects = Vec::new();
        for (number, machine) in self.machines.machines.iter().enumerate() {
            for (at, steps) in machine.steps.iter().enumerate() {
                if steps.is_empty() || steps.iter().any(|step| !matches!(step.op, Op::Receive(..))) {
                    continue;
                }
                let takes = |channel, message| steps.iter().any(|step| step.op == Op::Receive(channel, message));
                let channels: BTreeSet<usize> = steps.iter().filter_map(|step| received(step.op)).collect();
                let others = |&channel: &usize| {
                    let letters = self.traffic.letters(channel).filter(|&letter| !takes(channel, letter));
                    (channel, letters.map(Some).collect())
                };
                for heads in cases(&channels.iter().map(others).collect::<Vec<_>>())? {
                    let mut locations = self.anywhere();
                    locations[number] = BTreeSet::from([at as u32]);
                    suspects.push(Suspect { locations, heads, stuck: false });
                }
            }
        }
        Ok(suspects)
    }

    /// No machine can move, and one has not ended. Heads of channels that no part has as a whole are assumed.
    fn standstills(&self) -> Result<Vec<Suspect>, Refusal> {
        let is_whole = |channel: usize, part: &Part| {
            self.traffic.letters(channel).all(|letter| part.known.contains(&(channel, letter)))
        };
        let partial = self.traffic.readers.keys().filter(|&&channel| {
            self.traffic.letters(channel).next().is_some() && !self.parts.iter().any(|part| is_whole(channel, part))
        });
        let heads = |&channel: &usize| {
            (channel, std::iter::once(None).chain(self.traffic.letters(channel).map(Some)).collect())
        };
        let cases = cases(&partial.map(heads).collect::<Vec<_>>())?;
        let mut suspects = Vec::new();
        for (number, machine) in self.machines.machines.iter().enumerate() {
            for heads in &cases {
                let mut locations = self.anywhere();
                locations[number].retain(|&at| !machine.steps[at as usize].is_empty());
                suspects.push(Suspect { locations, heads: heads.clone(), stuck: true });
            }
        }
        Ok(suspects)
    }

    /// Whether the parts allow such a configuration, as far as they see it by looking at single machines.
    fn is_possible(&self, mut suspect: Suspect) -> Result<bool, Refusal> {
        if suspect.stuck {
            for (machine, locations) in self.machines.machines.iter().zip(&mut suspect.locations) {
                locations.retain(|&at| {
                    machine.steps[at as usize].iter().all(|step| match step.op {
                        Op::Receive(channel, message) => suspect.heads.get(&channel) != Some(&Some(message)),
                        _ => false,
                    })
                });
            }
        }
        let mut fitting = Vec::new();
        for part in &self.parts {
            let mut controls: Vec<&[u32]> = Vec::new();
            for (control, &words) in &part.invariant {
                let within = part.machines.iter().zip(control).all(|(&m, at)| suspect.locations[m].contains(at));
                if within && self.fits(part, control, &part.automata[words], &suspect)? {
                    controls.push(control);
                }
            }
            fitting.push(controls);
        }
        loop {
            let mut changed = false;
            for (part, controls) in self.parts.iter().zip(&mut fitting) {
                self.pace.spend(controls.len())?;
                controls.retain(|control| {
                    part.machines.iter().zip(*control).all(|(&machine, at)| suspect.locations[machine].contains(at))
                });
                for (place, &machine) in part.machines.iter().enumerate() {
                    let before = suspect.locations[machine].len();
                    let seen: BTreeSet<u32> = controls.iter().map(|control| control[place]).collect();
                    suspect.locations[machine].retain(|at| seen.contains(at));
                    changed |= suspect.locations[machine].len() < before;
                }
            }
            for sum in &self.sums {
                changed |= sum.narrow(&mut suspect.locations, &suspect.heads);
            }
            if suspect.locations.iter().any(BTreeSet::is_empty) {
                return Ok(false);
            }
            if !changed {
                return Ok(true);
            }
        }
    }

    /// Whether a control state of a part has words with these heads and, if it must be stuck, no step.
    fn fits(&self, part: &Part, control: &[u32], words: &Words, suspect: &Suspect) -> Result<bool, Refusal> {
        let mut firsts: BTreeMap<usize, First> = BTreeMap::new();
        for (&channel, head) in &suspect.heads {
            let mut letters: BTreeSet<u32> = self.traffic.letters(channel).collect();
            match head {
                None => _ = firsts.insert(channel, First::NoneOf(letters)),
                Some(message) => {
                    if let Some(at) = part.followed(channel)
                        && self.histories[&channel].read(control[at], *message, self.is_lossy(channel)).is_empty()
                    {
                        return Ok(false);
                    }
                    if part.known.contains(&(channel, *message)) {
                        letters.remove(message);
                        firsts.insert(channel, First::Other(letters));
                    }
                }
            }
        }
        if suspect.stuck {
            let steps =
                part.machines.iter().zip(control).flat_map(|(&m, &at)| &self.machines.machines[m].steps[at as usize]);
            for step in steps {
                let Op::Receive(channel, message) = step.op else { return Ok(false) };
                let is_whole = self.traffic.letters(channel).all(|letter| part.known.contains(&(channel, letter)));
                if suspect.heads.contains_key(&channel) || !is_whole {
                    continue;
                }
                match firsts.entry(channel).or_insert_with(|| First::NoneOf(BTreeSet::new())) {
                    First::NoneOf(taken) | First::Other(taken) => _ = taken.insert(message),
                }
            }
        }
        words.has_with(&firsts, &[], &self.pace)
    }
}

fn received(op: Op) -> Option<usize> {
    match op {
        Op::Receive(channel, _) => Some(channel),
        _ => None,
    }
}

/// Heads of channels.
type Heads = BTreeMap<usize, Option<u32>>;

/// All ways to choose a head for each channel.
fn cases(choices: &[(usize, Vec<Option<u32>>)]) -> Result<Vec<Heads>, Refusal> {
    let mut cases = vec![Heads::new()];
    for (channel, heads) in choices {
        if cases.len().saturating_mul(heads.len()) > MOST_CASES {
            return Err(Refusal::Unfinished(String::from("too many messages can stand before a machine")));
        }
        let mut longer: Vec<Heads> = Vec::new();
        for case in &cases {
            longer.extend(heads.iter().map(|&head| {
                let mut case = case.clone();
                case.insert(*channel, head);
                case
            }));
        }
        cases = longer;
    }
    Ok(cases)
}
