//! What a proof rests on, and what it says in one line.

use super::Property;
use crate::claim::Claim;
use crate::components_proof::ComponentsProof;
use crate::composition_proof::CompositionProof;
use crate::fairness::Fairness;
use crate::flow_proof::FlowProof;
use crate::program_proof::ProgramProof;
use crate::queue_counts::QueueCounts;
use crate::queue_parts::QueueParts;
use crate::queue_proof::QueueProof;
use crate::queue_ranking::QueueRanking;
use crate::text::counted;

/// What a `proved` rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// All reachable states were visited: so many, and this is the digest of their set.
    Explored {
        /// The number of states.
        states: u64,
        /// The sum of the states' fingerprints modulo 2^128: it does not depend on the order.
        digest: u128,
        /// For boundedness: the longest that each channel got, by name.
        longest: Vec<(String, u64)>,
        /// For livelock: the events that are progress; none for labels.
        events: Vec<String>,
    },
    /// All states of the product of the model with a claim were visited, and none of its cycles is accepting.
    Product {
        /// The number of product states.
        states: u64,
        /// The sum of their fingerprints modulo 2^128.
        digest: u128,
        /// The claim that was watched: an automaton for the negation of a formula, or a `never` claim as it is
        /// written.
        claim: Box<Claim>,
        /// For runs that are fair in this sense.
        fair: Fairness,
    },
    /// A search that left out states where the order of steps does not matter. The checker leaves out none.
    Searched {
        /// For runs that are fair in this sense.
        fair: Fairness,
        /// For livelock: the events that are progress; none for labels.
        events: Vec<String>,
    },
    /// Weights and potentials under which nothing gains.
    Flow(Box<FlowProof>),
    /// What the queues can hold, wherever the machines are.
    Queues(Box<QueueProof>),
    /// The same, with sums of numbers of messages that no step changes.
    Counts(Box<QueueCounts>),
    /// The same in parts, each about a few machines, and what is ever written to channels.
    Parts(Box<QueueParts>),
    /// The same, with steps that lead from everywhere to what must stay possible.
    Ranking(Box<QueueRanking>),
    /// Which states of components, and of groups of them, are alike.
    Composition(Box<CompositionProof>),
    /// What holds at which location of a C program.
    Program(Box<ProgramProof>),
    /// Structures that over-approximate procedures of C, and which of their states are alike.
    Components(Box<ComponentsProof>),
}

impl Certificate {
    /// What holds once the property is proved by it.
    pub fn statement(&self, property: &Property) -> &'static str {
        match (property, self) {
            (Property::Safety, Certificate::Composition(_) | Certificate::Components(_)) => {
                "no component gets into an error"
            }
            (Property::Deadlock, Certificate::Composition(_) | Certificate::Components(_)) => "nothing gets stuck",
            (Property::Ltl(_), Certificate::Composition(_) | Certificate::Components(_)) => {
                "the formula holds on every infinite run"
            }
            (Property::Safety, Certificate::Program(_)) => "no error is reached",
            (Property::Safety, Certificate::Queues(proof)) if proof.data.is_some() => "no error is reached",
            (Property::Deadlock, Certificate::Queues(proof)) if proof.data.is_some() => "nothing gets stuck",
            (Property::Safety, Certificate::Queues(_) | Certificate::Counts(_) | Certificate::Parts(_)) => {
                "no bad configuration is reached"
            }
            (Property::Deadlock, Certificate::Queues(_) | Certificate::Counts(_) | Certificate::Parts(_)) => {
                "in every configuration a machine can move, or all have ended"
            }
            (property, _) => property.statement(),
        }
    }

    /// Whether a proof of this property holds for channels of every capacity, although that is not the question.
    pub fn is_for_any_capacity(&self, property: &Property) -> bool {
        *property != Property::Boundedness
            && match self {
                Certificate::Flow(_) => true,
                Certificate::Queues(proof) => proof.data.is_some(),
                _ => false,
            }
    }

    /// What the proof examined; empty where the engine's statistics say it.
    pub fn scope(&self) -> String {
        match self {
            Certificate::Explored { states: 1, .. } => String::from("the only state"),
            Certificate::Explored { states, .. } => format!("all {}", counted(*states, "state", "states")),
            Certificate::Product { states, fair, .. } => {
                let fair = fair.words();
                let and = if fair.is_empty() { "" } else { ", " };
                format!("{fair}{and}all {} with the claim", counted(*states, "state", "states"))
            }
            Certificate::Searched { fair: Fairness::None, .. } => String::from("all states up to the order of steps"),
            Certificate::Searched { fair, .. } => format!("{}, all states", fair.words()),
            Certificate::Queues(proof) => counted(proof.entries.len() as u64, "control state", "control states"),
            Certificate::Ranking(proof) => {
                counted(proof.invariant.entries.len() as u64, "control state", "control states")
            }
            Certificate::Counts(proof) => {
                let controls = counted(proof.invariant.entries.len() as u64, "control state", "control states");
                format!("{}, {controls}", counted(proof.relations.len() as u64, "relation", "relations"))
            }
            Certificate::Parts(proof) => {
                let controls = proof.parts.iter().map(|part| part.invariant.entries.len() as u64).sum();
                let controls = counted(controls, "control state", "control states");
                let sums = counted(proof.sums.len() as u64, "sum", "sums");
                let parts = format!("{}, {controls}", counted(proof.parts.len() as u64, "part", "parts"));
                match (proof.parts.is_empty(), proof.sums.is_empty()) {
                    (_, true) => parts,
                    (true, false) => sums,
                    (false, false) => format!("{parts}, {sums}"),
                }
            }
            Certificate::Program(proof) => {
                match proof.conditions.iter().filter(|(_, conditions)| !conditions.is_empty()).count() {
                    0 => String::from("no invariant is needed"),
                    held => format!("an invariant at {}", counted(held as u64, "location", "locations")),
                }
            }
            Certificate::Flow(_) | Certificate::Composition(_) | Certificate::Components(_) => String::new(),
        }
    }
}
