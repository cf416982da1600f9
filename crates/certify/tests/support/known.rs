//! Systems with known answers: the most that each channel ever holds, or that it grows.

use super::seconds;
use explore::growth::{GrowthOptions, growth};
use flow::Question;
use model::context::Context;
use model::flow_proof::{FlowProof, QueueKey};
use model::ids::MachineId;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::Property;
use std::collections::BTreeMap;

/// A system, and what is true of it.
#[derive(Debug)]
pub struct Known {
    pub name: String,
    pub text: String,
    /// A search does not come to an end.
    pub large: bool,
    /// Per channel: the most that it holds; none if it grows. A name without an index or a process is that of all such.
    pub truth: BTreeMap<String, Option<u64>>,
}

/// What the flow engine proves of a system.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing.
    Open,
    /// Something, and which known bounds it does not prove, as text.
    Proved(Vec<String>),
}

impl Known {
    /// A system without its text. Entries are channels with a number or `grows`.
    pub fn new<'e>(name: &str, large: bool, truth: impl Iterator<Item = (&'e str, &'e str)>) -> Self {
        let most = |most: &str| (most != "grows").then(|| most.parse().unwrap_or_else(|_| panic!("{name}: {most}")));
        let truth = truth.map(|(channel, entry)| (channel.to_owned(), most(entry))).collect();
        Known { name: name.to_owned(), text: String::new(), large, truth }
    }

    pub fn network(&self) -> Network {
        let read = promela::read("known.pml", &self.text, &promela::preprocess::Options::default());
        read.network.unwrap_or_else(|| panic!("{}: {:?}\n{}", self.name, read.diagnostics, self.text))
    }

    pub fn is_bounded(&self) -> bool {
        self.truth.values().all(Option::is_some)
    }

    /// The entry for a queue: that of its full name, or else without the process, or else also without the index.
    fn entry(&self, queue: &str) -> Option<(&str, Option<u64>)> {
        let own = queue.rsplit(':').next().unwrap_or(queue);
        let all = own.split('[').next().unwrap_or(own);
        let entry = [queue, own, all].into_iter().find_map(|name| self.truth.get_key_value(name));
        entry.map(|(name, most)| (name.as_str(), *most))
    }

    /// What a search contradicts.
    pub fn unconfirmed(&self) -> Vec<String> {
        let network = self.network();
        let semantics = Semantics::new(&network, Reading::Unbounded);
        let limits = seconds(60).states(if self.is_bounded() && !self.large { 300_000 } else { 3_000 });
        let report = growth(&semantics, &GrowthOptions::default(), &Context::silent(&limits));
        let mut different = Vec::new();
        if !report.complete && self.is_bounded() && !self.large {
            different.push(format!("{}: not all states were visited", self.name));
        }
        let growing = report.channels();
        for (channel, most) in &self.truth {
            let is_it = |queue: &str| self.entry(queue).is_some_and(|(name, _)| name == channel);
            let found = report.longest.iter().filter(|queue| is_it(&queue.channel));
            let longest = found.map(|queue| u64::from(queue.length)).max().unwrap_or(0);
            let grows = growing.iter().any(|queue| is_it(queue));
            match most {
                Some(_) if grows => different.push(format!("{}: {channel} is said to grow", self.name)),
                Some(most) if longest != *most => different.push(format!("{}: {channel} {longest}", self.name)),
                None if !grows && longest <= 20 => {
                    different.push(format!("{}: {channel} does not grow", self.name));
                }
                _ => {}
            }
        }
        different
    }

    /// What flow proves. Panics where it is wrong, or refused.
    pub fn by_flow(&self) -> Outcome {
        let network = self.network();
        let report = flow::check(&network, &Question::Boundedness, &Context::silent(&seconds(10)));
        let Some(proof) = report.proof else { return Outcome::Open };
        let accepted = certify::flow::verify(&network, &Property::Boundedness, &proof, &Context::silent(&seconds(20)));
        let accepted = accepted.unwrap_or_else(|refusal| panic!("{}: refused: {refusal}\n{}", self.name, self.text));
        let mut missing = Vec::new();
        for (key, bound) in &accepted.bounded {
            let queue = queue_name(&network, &proof, key);
            match (self.entry(&queue), bound) {
                (Some((_, None)), _) => panic!("{}: {queue} is said to be bounded\n{}", self.name, self.text),
                (Some((_, Some(most))), Some(bound)) if *bound < most => {
                    panic!("{}: {queue} is said to hold {bound} at most, not {most}\n{}", self.name, self.text)
                }
                (Some((_, Some(most))), Some(bound)) if *bound > most => {
                    missing.push(format!("{queue}: {bound} for {most}"))
                }
                (Some(_), None) => missing.push(format!("{queue}: no number")),
                (None, _) | (Some(_), Some(_)) => {}
            }
        }
        let open = report.queues.iter().filter(|queue| !queue.bounded);
        let open = open.filter(|queue| matches!(self.entry(&queue.name), Some((_, Some(_)))));
        missing.extend(open.map(|queue| format!("{}: no bound", queue.name)));
        Outcome::Proved(missing)
    }
}

/// The name of a queue, without its process.
fn queue_name(network: &Network, proof: &FlowProof, key: &QueueKey) -> String {
    let variables = match key.instance {
        None => &network.variables,
        Some(id) => &network.machine(MachineId(proof.abstraction.instances[id as usize].machine)).variables,
    };
    variables[key.variable as usize].element_name(key.element as usize)
}
