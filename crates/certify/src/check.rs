//! One claim of a certificate, by the checker of its kind: what is true of the model if the claim is accepted.
//!
//! Nothing is left to the caller but to read the model under the options that the certificate names: that a certificate
//! is of a kind that says something about the property, that its channel semantics are those it was made for, how C was
//! read, and which bad configurations it excludes is seen here. What an accepted claim states is in [`Facts`], and in
//! nothing else.

use crate::{
    Refusal, arrivals, composition, flow, programs, queue_counts, queue_parts, queue_ranking, queue_search, queues,
};
use cfront::{DataModel, Options};
use model::composition::Composition;
use model::context::Context;
use model::fairness::Fairness;
use model::flow_proof::{FlowProof, QueueKey};
use model::network::{Network, Variable};
use model::refutation::Refuter;
use model::semantics::{Reading, Semantics};
use model::verdict::{Certificate, Property};
use std::fmt;

/// The model that a claim is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'m> {
    /// Processes that communicate over channels; communicating machines have bad configurations.
    Network(&'m Network, Option<&'m scm::Specification>),
    /// Components that synchronise on shared events.
    Composition(&'m Composition),
    /// A C program, and how it was read.
    Program(&'m cfront::Component, &'m Options),
    /// C components, and how C was read.
    Components(&'m spec::Specification, &'m Options),
}

/// What an accepted claim states about the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// This holds: of all channels, if it is boundedness and `channels` is not a part of them.
    pub property: Property,
    /// Under this channel semantics; `None` where there are no channels.
    pub reading: Option<Reading>,
    /// Of runs that are fair in this sense.
    pub fair: Fairness,
    /// These events are progress, instead of the labels of the model.
    pub progress: Vec<String>,
    /// These configurations are not reached, instead of those that the model states.
    pub bad: Vec<String>,
    /// For boundedness: the channels that stay finite, the most that each holds where that is known, and how many buffered
    /// channels there are, if the claim does not list them all.
    pub channels: Vec<(String, Option<u64>)>,
    /// See `channels`.
    pub buffered: Option<usize>,
    /// What was examined, and how much of it: not a fact about the model.
    pub by: Option<String>,
}

/// More channels than this are only counted.
const MOST_NAMED: usize = 8;

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reading) = self.reading {
            write!(f, "  channels: {}", reading.name())?;
        }
        if self.fair.is_assumed() {
            write!(f, "  {}", self.fair.words())?;
        }
        if !self.progress.is_empty() {
            write!(f, "  --progress {}", self.progress.join(","))?;
        }
        for line in &self.bad {
            write!(f, "  --bad '{line}'")?;
        }
        if let Some(buffered) = self.buffered {
            let each = self.channels.iter().map(|(name, bound)| match bound {
                Some(bound) => format!("{name} <= {bound}"),
                None => format!("{name} is finite"),
            });
            let (each, count): (Vec<String>, usize) = (each.take(MOST_NAMED).collect(), self.channels.len());
            let more = if count > MOST_NAMED { ", ..." } else { "" };
            write!(f, "  {}{more} ({count} of {buffered})", each.join(", "))?;
        }
        match &self.by {
            Some(by) => write!(f, "  {by}"),
            None => Ok(()),
        }
    }
}

/// Checks what a certificate claims about a property, under a channel semantics where the model has channels. For C, the
/// refuter proves the obligations; nothing that it says is believed without a check.
pub fn check(
    subject: Subject<'_>,
    property: &Property,
    reading: Reading,
    certificate: &Certificate,
    refuter: &mut dyn Refuter,
    cx: &Context<'_>,
) -> Result<Facts, Refusal> {
    let wrong = || Refusal::WrongKind(property.to_string());
    let (bad, progress, channels) = Default::default();
    let (fair, buffered, by) = (Fairness::None, None, None);
    let mut facts = Facts { property: property.clone(), reading: None, fair, progress, bad, channels, buffered, by };
    match (subject, certificate) {
        (Subject::Network(network, machines), _) => {
            facts.reading = Some(reading);
            of_network(network, machines, (reading, certificate), &mut facts, cx)?;
        }
        (Subject::Composition(composition), Certificate::Composition(proof)) => {
            let question = composition.question(property, proof.fair).ok_or_else(wrong)?;
            facts.fair = question.fair();
            composition::verify(composition, question, proof, refuter, cx)?;
            let count = composition.components.len();
            facts.by = Some(format!("{count} component{}", if count == 1 { "" } else { "s" }));
        }
        (Subject::Program(component, options), Certificate::Program(proof)) if *property == Property::Safety => {
            let same_entry = options.entries == [proof.entry.clone()];
            was_read_so(options, &proof.data_model, proof.signed_overflow, same_entry)?;
            facts.by = Some(obligations(programs::verify(component, proof, refuter, cx.budget)?));
        }
        (Subject::Components(specification, options), Certificate::Components(proof)) => {
            let abstraction = &proof.abstraction;
            was_read_so(options, &abstraction.data_model, abstraction.signed_overflow, true)?;
            let question = specification.question(property).ok_or_else(wrong)?;
            facts.by = Some(obligations(crate::components::verify(specification, question, proof, refuter, cx)?));
        }
        _ => return Err(wrong()),
    }
    Ok(facts)
}

fn of_network(
    network: &Network,
    machines: Option<&scm::Specification>,
    (reading, certificate): (Reading, &Certificate),
    facts: &mut Facts,
    cx: &Context<'_>,
) -> Result<(), Refusal> {
    let property = facts.property.clone();
    match certificate {
        Certificate::Product { fair: Fairness::Choice, .. } | Certificate::Searched { fair: Fairness::Choice, .. } => {
            return Err(Refusal::Malformed(String::from("fair choice is about compositions")));
        }
        Certificate::Queues(_) | Certificate::Counts(_) | Certificate::Parts(_) | Certificate::Ranking(_)
            if reading != Reading::Unbounded =>
        {
            let why = "an invariant over queues is about channels without bounds";
            return Err(Refusal::Malformed(String::from(why)));
        }
        Certificate::Queues(proof) if machines.is_none() && proof.bad.is_empty() => {
            queues::verify_promela(network, &property, proof, cx)?;
        }
        Certificate::Queues(proof) => {
            queues::verify(network, &excluded(&proof.bad, network, machines)?, &property, proof, cx)?;
            facts.bad.clone_from(&proof.bad);
        }
        Certificate::Counts(proof) => {
            let bad = excluded(&proof.invariant.bad, network, machines)?;
            queue_counts::verify(network, &bad, &property, proof, cx)?;
            facts.bad.clone_from(&proof.invariant.bad);
        }
        Certificate::Parts(proof) if matches!(property, Property::Ltl(_) | Property::Question(_)) => {
            queue_parts::verify_formula(network, &property, proof)?;
        }
        Certificate::Parts(proof) => {
            let bad = excluded(&proof.bad, network, machines)?;
            queue_parts::verify(network, &bad, &property, proof, cx)?;
            facts.bad.clone_from(&proof.bad);
        }
        Certificate::Ranking(proof) => queue_ranking::verify(network, &property, proof, cx)?,
        Certificate::Flow(proof) if matches!(property, Property::Ltl(_) | Property::Question(_)) => {
            arrivals::verify(network, &property, reading, proof, cx)?;
        }
        Certificate::Flow(proof) => {
            let accepted = flow::verify(network, &property, proof, cx)?;
            if property == Property::Boundedness {
                // A certificate of this kind says nothing about channels with their declared capacities.
                if reading != Reading::Unbounded {
                    let why = "weights bound channels that nothing else bounds";
                    return Err(Refusal::Malformed(String::from(why)));
                }
                let named = accepted.bounded.iter().map(|(key, bound)| (channel_name(key, proof, network), *bound));
                facts.channels = named.collect();
                facts.buffered = Some(accepted.buffered);
            }
            facts.progress = proof.progress.as_ref().map_or_else(Vec::new, |progress| progress.events.clone());
        }
        // Searches of the semantics know nothing of bad configurations, nor of the ends that machines have.
        Certificate::Explored { states, digest, events, longest }
            if machines.is_some() && is_of_machines(&property) =>
        {
            is_used(&property, events, longest)?;
            if reading != Reading::Unbounded {
                return Err(Refusal::WrongKind(property.to_string()));
            }
            let bad = excluded(&[], network, machines)?;
            let (found, sum) = queue_search::verify(network, &bad, &property, cx)?;
            crate::is_claimed((found, sum), (*states, *digest))?;
        }
        Certificate::Searched { .. } if machines.is_some() && is_of_machines(&property) => {
            return Err(Refusal::WrongKind(property.to_string()));
        }
        Certificate::Explored { events, longest, .. } => {
            is_used(&property, events, longest)?;
            crate::verify(&Semantics::new(network, reading), &property, certificate, cx)?;
            facts.progress.clone_from(events);
            facts.channels = longest.iter().map(|(name, length)| (name.clone(), Some(*length))).collect();
        }
        Certificate::Product { fair, .. } => {
            crate::verify(&Semantics::new(network, reading), &property, certificate, cx)?;
            facts.fair = *fair;
        }
        Certificate::Searched { fair, events } => {
            is_used(&property, events, &[])?;
            crate::verify(&Semantics::new(network, reading), &property, certificate, cx)?;
            (facts.fair, facts.progress) = (*fair, events.clone());
        }
        Certificate::Composition(_) | Certificate::Program(_) | Certificate::Components(_) => {
            return Err(Refusal::WrongKind(property.to_string()));
        }
    }
    Ok(())
}

/// What is asked of the configurations of machines by their own rules.
fn is_of_machines(property: &Property) -> bool {
    matches!(property, Property::Safety | Property::Deadlock | Property::Reception | Property::Orphan)
}

/// Progress events say something about livelock only, and lengths of channels about boundedness only: for another property
/// they are not looked at, and must not be stated.
fn is_used(property: &Property, events: &[String], longest: &[(String, u64)]) -> Result<(), Refusal> {
    let unused = |what: &str| Err(Refusal::Malformed(format!("{what} say nothing about `{property}`")));
    match property {
        _ if *property != Property::Livelock && !events.is_empty() => unused("progress events"),
        _ if *property != Property::Boundedness && !longest.is_empty() => unused("lengths of channels"),
        _ => Ok(()),
    }
}

/// A proof about C holds for the reading of C that it was found for.
fn was_read_so(options: &Options, data_model: &str, signed_overflow: bool, same_entry: bool) -> Result<(), Refusal> {
    let own = match options.data_model {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    };
    match own == data_model && options.signed_overflow_is_error == signed_overflow && same_entry {
        true => Ok(()),
        false => Err(Refusal::Malformed(String::from("it is for another reading of the program"))),
    }
}

fn obligations(count: u64) -> String {
    format!("{count} obligation{} refuted", if count == 1 { "" } else { "s" })
}

/// The bad configurations that a proof is about: those that it names, or else those of the model.
fn excluded(
    given: &[String],
    network: &Network,
    machines: Option<&scm::Specification>,
) -> Result<scm::Specification, Refusal> {
    let none = || Refusal::Malformed(String::from("it is for communicating machines, and the model is none"));
    let own = machines.ok_or_else(none)?;
    if given.is_empty() {
        return Ok(own.clone());
    }
    let read = |line: &String| {
        let unreadable = || Refusal::Malformed(format!("`{line}` is no set of configurations of the model"));
        scm::read_bad("--bad", line, network).bad.ok_or_else(unreadable)
    };
    Ok(scm::Specification { bad: given.iter().map(read).collect::<Result<_, _>>()? })
}

/// The variable of a queue, and the name of its machine if it is a local one.
fn variable<'n>(key: &QueueKey, proof: &FlowProof, network: &'n Network) -> (Option<&'n str>, &'n Variable) {
    match key.instance.and_then(|id| proof.abstraction.instances.get(id as usize)) {
        None => (None, &network.variables[key.variable as usize]),
        Some(instance) => {
            let machine = network.machine(instance.machine());
            (Some(&machine.name), &machine.variables[key.variable as usize])
        }
    }
}

fn channel_name(key: &QueueKey, proof: &FlowProof, network: &Network) -> String {
    let (machine, variable) = variable(key, proof, network);
    let name = variable.element_name(key.element as usize);
    machine.map_or(name.clone(), |machine| format!("{machine}:{name}"))
}
