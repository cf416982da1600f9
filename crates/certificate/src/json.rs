//! What a proof rests on, as JSON: all of it in the document of `--certificate`, how large it is in a result.

use crate::automaton::{AutomatonJson, automaton_json};
use crate::by_name::ByName;
use crate::partitions::{self, NodeJson, PartitionsSummary};
use crate::proof::{ProofJson, ProofSummary, proof_json, summary};
use crate::{COMPONENTS, COMPOSITION, COUNTS, EXPLORED, FLOW, PARTS, PRODUCT, PROGRAM, QUEUES, RANKING, SEARCHED};
use model::claim::Claim;
use model::components_proof::{ComponentsAbstraction, ComponentsProof};
use model::fairness::Fairness;
use model::program_proof::ProgramProof;
use model::queue_counts::QueueCounts;
use model::queue_parts::QueueParts;
use model::queue_proof::QueueProof;
use model::queue_ranking::QueueRanking;
use model::verdict::Certificate;
use serde::Serialize;

/// What a proof rests on, to be put into a document.
#[derive(Serialize)]
#[serde(transparent)]
pub struct CertificateJson<'a>(Form<'a>);

#[derive(Serialize)]
#[serde(untagged)]
enum Form<'a> {
    /// A claim about all states, with the digest in hexadecimal.
    Explored {
        kind: &'static str,
        states: u64,
        digest: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        longest: Option<ByName<'a, u64>>,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        events: &'a [String],
    },
    /// How large a proof is.
    FlowSummary {
        kind: &'static str,
        #[serde(flatten)]
        summary: ProofSummary,
    },
    /// A claim about all states of the product with an automaton.
    Product {
        kind: &'static str,
        states: u64,
        digest: String,
        #[serde(flatten)]
        runs: Runs,
        #[serde(skip_serializing_if = "Option::is_none")]
        automaton: Option<AutomatonJson>,
    },
    /// A claim without numbers.
    Searched {
        kind: &'static str,
        #[serde(flatten)]
        runs: Runs,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        events: &'a [String],
    },
    /// All of it.
    Flow { kind: &'static str, proof: ProofJson<'a> },
    /// How large an invariant over queues is.
    QueuesSummary { kind: &'static str, control_states: usize, automata: usize },
    /// All of it.
    Queues { kind: &'static str, invariant: &'a QueueProof },
    /// All of it.
    Counts { kind: &'static str, counts: &'a QueueCounts },
    /// How large an invariant with relations is.
    CountsSummary { kind: &'static str, control_states: usize, automata: usize, relations: usize },
    /// All of it.
    Parts { kind: &'static str, parts: &'a QueueParts },
    /// How large an invariant in parts is.
    PartsSummary { kind: &'static str, control_states: usize, parts: usize, histories: usize },
    /// All of it.
    Ranking { kind: &'static str, ranking: &'a QueueRanking },
    /// How large an invariant with a ranking is.
    RankingSummary { kind: &'static str, control_states: usize, automata: usize, regions: usize },
    /// A tree of abstractions.
    Composition {
        kind: &'static str,
        #[serde(flatten)]
        runs: Runs,
        partitions: Vec<NodeJson>,
    },
    /// How large it is.
    CompositionSummary {
        kind: &'static str,
        #[serde(flatten)]
        runs: Runs,
        #[serde(flatten)]
        summary: PartitionsSummary,
    },
    /// An invariant of a C program.
    Program { kind: &'static str, program: &'a ProgramProof },
    /// How large it is.
    ProgramSummary { kind: &'static str, locations: usize, conditions: usize, nodes: usize },
    /// Structures of procedures, and a tree of abstractions of these.
    Components {
        kind: &'static str,
        #[serde(flatten)]
        proof: ComponentsJson<'a>,
    },
    /// How large they are.
    ComponentsSummary { kind: &'static str, procedures: usize, states: usize, predicates: usize },
}

/// Which infinite runs a proof is about.
#[derive(Serialize)]
struct Runs {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fair: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    strong: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    choice: bool,
}

impl Runs {
    fn new(fair: Fairness) -> Runs {
        let (strong, choice) = (fair == Fairness::Strong, fair == Fairness::Choice);
        Runs { fair: fair.is_assumed(), strong, choice }
    }
}

/// A certificate in the document of `--certificate`.
pub fn whole(certificate: &Certificate) -> CertificateJson<'_> {
    CertificateJson(match certificate {
        Certificate::Explored { states, digest, longest, events } => explored(*states, *digest, longest, events),
        Certificate::Product { states, digest, claim, fair } => product(*states, *digest, *fair, Some(claim)),
        Certificate::Searched { fair, events } => searched(*fair, events),
        Certificate::Flow(proof) => Form::Flow { kind: FLOW, proof: proof_json(proof) },
        Certificate::Queues(invariant) => Form::Queues { kind: QUEUES, invariant },
        Certificate::Counts(counts) => Form::Counts { kind: COUNTS, counts },
        Certificate::Parts(parts) => Form::Parts { kind: PARTS, parts },
        Certificate::Ranking(ranking) => Form::Ranking { kind: RANKING, ranking },
        Certificate::Composition(proof) => {
            Form::Composition { kind: COMPOSITION, runs: Runs::new(proof.fair), partitions: partitions::list(proof) }
        }
        Certificate::Program(program) => Form::Program { kind: PROGRAM, program },
        Certificate::Components(proof) => Form::Components { kind: COMPONENTS, proof: components(proof) },
    })
}

/// A proof about C components, and that there are no races.
#[derive(Serialize)]
struct ComponentsJson<'a> {
    abstraction: &'a ComponentsAbstraction,
    partitions: Vec<NodeJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    races: Option<Box<ComponentsJson<'a>>>,
}

fn components(proof: &ComponentsProof) -> ComponentsJson<'_> {
    ComponentsJson {
        abstraction: &proof.abstraction,
        partitions: partitions::list(&proof.composition),
        races: proof.races.as_deref().map(|races| Box::new(components(races))),
    }
}

/// A certificate in a result.
pub fn in_short(certificate: &Certificate) -> CertificateJson<'_> {
    CertificateJson(match certificate {
        Certificate::Explored { states, digest, longest, events } => explored(*states, *digest, longest, events),
        Certificate::Product { states, digest, fair, .. } => product(*states, *digest, *fair, None),
        Certificate::Searched { fair, events } => searched(*fair, events),
        Certificate::Flow(proof) => Form::FlowSummary { kind: FLOW, summary: summary(proof) },
        Certificate::Queues(invariant) => {
            let (control_states, automata) = (invariant.entries.len(), invariant.automata.len());
            Form::QueuesSummary { kind: QUEUES, control_states, automata }
        }
        Certificate::Counts(counts) => {
            let (control_states, automata) = (counts.invariant.entries.len(), counts.invariant.automata.len());
            Form::CountsSummary { kind: COUNTS, control_states, automata, relations: counts.relations.len() }
        }
        Certificate::Parts(proof) => {
            let control_states = proof.parts.iter().map(|part| part.invariant.entries.len()).sum();
            let (parts, histories) = (proof.parts.len(), proof.histories.len());
            Form::PartsSummary { kind: PARTS, control_states, parts, histories }
        }
        Certificate::Ranking(ranking) => {
            let (control_states, automata) = (ranking.invariant.entries.len(), ranking.invariant.automata.len());
            let regions = ranking.obligations.iter().flatten().map(|stage| stage.regions.len()).sum();
            Form::RankingSummary { kind: RANKING, control_states, automata, regions }
        }
        Certificate::Composition(proof) => Form::CompositionSummary {
            kind: COMPOSITION,
            runs: Runs::new(proof.fair),
            summary: partitions::summary(proof),
        },
        Certificate::Program(proof) => Form::ProgramSummary {
            kind: PROGRAM,
            locations: proof.conditions.len(),
            conditions: proof.conditions.iter().map(|(_, conditions)| conditions.len()).sum(),
            nodes: proof.nodes.len(),
        },
        Certificate::Components(proof) => components_summary(proof),
    })
}

fn components_summary(proof: &ComponentsProof) -> Form<'static> {
    let procedures = &proof.abstraction.procedures;
    Form::ComponentsSummary {
        kind: COMPONENTS,
        procedures: procedures.len(),
        states: procedures.iter().map(|procedure| procedure.states.len()).sum(),
        predicates: procedures.iter().flat_map(|procedure| &procedure.predicates).map(Vec::len).sum(),
    }
}

fn explored<'a>(states: u64, digest: u128, longest: &'a [(String, u64)], events: &'a [String]) -> Form<'a> {
    let longest = Some(ByName(longest)).filter(|longest| !longest.0.is_empty());
    Form::Explored { kind: EXPLORED, states, digest: format!("{digest:032x}"), longest, events }
}

fn product(states: u64, digest: u128, fair: Fairness, claim: Option<&Claim>) -> Form<'static> {
    let automaton = claim.map(automaton_json);
    let runs = Runs::new(fair);
    Form::Product { kind: PRODUCT, states, digest: format!("{digest:032x}"), runs, automaton }
}

fn searched(fair: Fairness, events: &[String]) -> Form<'_> {
    Form::Searched { kind: SEARCHED, runs: Runs::new(fair), events }
}
