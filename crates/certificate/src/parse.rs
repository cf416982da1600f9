//! The document of `--certificate`, read back.
//!
//! A document may be old, edited, cut short or something else altogether, so every field is optional
//! on the way in and requested by name on the way out: the message says which one is missing.

use crate::automaton::{self, AutomatonJson};
use crate::by_name::Longest;
use crate::partitions::{self, NodeJson};
use crate::proof::{RawProof, proof_of};
use crate::{
    COMPONENTS, COMPOSITION, COUNTS, EXPLORED, FLOW, PARTS, PRODUCT, PROGRAM, QUEUES, RANKING, SCHEMA, SEARCHED,
};
use model::components_proof::{ComponentsAbstraction, ComponentsProof};
use model::composition_proof::CompositionProof;
use model::fairness::Fairness;
use model::semantics::Reading;
use model::verdict::{Certificate, Property};
use serde::Deserialize;
use thiserror::Error;

/// Why a document cannot be used.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// The text is not JSON, or a field has another type.
    #[error("not a Highwater document: {0}")]
    Json(#[from] serde_json::Error),
    /// The text is empty.
    #[error("not a Highwater document: the file is empty")]
    Empty,
    /// It is a document of another kind.
    #[error("the field `schema` is `{found}`, expected {expected}")]
    Schema {
        /// What the document says.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A field is not there.
    #[error("the field `{0}` is missing")]
    Missing(String),
    /// A field has a value that means nothing.
    #[error("the field `{field}` is `{found}`, expected {expected}")]
    Value {
        /// The field.
        field: String,
        /// What the document says.
        found: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A document of `check` in which nothing is violated.
    #[error("no result of the document has a run (`witness`): nothing is violated")]
    NoRun,
}

/// How C was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CReading {
    /// `ilp32` or `lp64`.
    pub data_model: String,
    /// A signed result that its type cannot hold is an error.
    pub signed_overflow: bool,
    /// The procedure that a run of a program starts with.
    pub entry: Option<String>,
}

/// What one proof claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The property.
    pub property: String,
    /// How capacities were read; as declared, where there are no channels.
    pub reading: Reading,
    /// What the proof rests on.
    pub certificate: Certificate,
}

/// The certificates of one run of `check`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificates {
    /// The file that was checked.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// The definitions of the command line.
    pub defines: Vec<String>,
    /// The composition that the command line named.
    pub system: Option<String>,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// Reads the document of `--certificate`.
pub fn parse(text: &str) -> Result<Certificates, DocumentError> {
    let schema = schema(text)?;
    if schema != SCHEMA {
        return Err(DocumentError::Schema { found: schema, expected: "`highwater-certificate/1`" });
    }
    let raw: RawCertificates = serde_json::from_str(text)?;
    let Origin { file, sha256, defines, system, .. } = origin(raw.model)?;
    let claims = need(raw.certificates, || "certificates".into())?;
    let claims = claims.into_iter().enumerate().map(|(position, claim)| claim_of(position, claim));
    Ok(Certificates { file, sha256, defines, system, claims: claims.collect::<Result<_, _>>()? })
}

/// The property that a document names.
pub fn property_named(name: &str) -> Option<Property> {
    Some(match name {
        "safety" => Property::Safety,
        "deadlock" => Property::Deadlock,
        "boundedness" => Property::Boundedness,
        "livelock" => Property::Livelock,
        "reception" => Property::Reception,
        "orphan" => Property::Orphan,
        "partial-deadlock" => Property::PartialDeadlock,
        "eventual-reception" => Property::EventualReception,
        "acceptance" => Property::Acceptance,
        "progress" => Property::Progress(String::new()),
        "trace" | "notrace" => Property::Trace(name.to_owned()),
        _ => match name.split_once(':').unwrap_or(("", name)) {
            ("", question) => Property::Question(question.to_owned()),
            ("ltl", formula) => Property::Ltl(formula.to_owned()),
            ("never", claim) => Property::Never(claim.to_owned()),
            ("conformance", name) => Property::Conformance(name.to_owned()),
            ("progress", name) => Property::Progress(name.to_owned()),
            _ => return None,
        },
    })
}

/// The schema of the first document in a text.
pub fn schema(text: &str) -> Result<String, DocumentError> {
    let first = serde_json::Deserializer::from_str(text).into_iter::<RawSchema>().next();
    need(first.ok_or(DocumentError::Empty)??.schema, || "schema".into())
}

#[derive(Deserialize)]
#[serde(expecting = "an object with a field `schema`")]
struct RawSchema {
    schema: Option<String>,
}

/// The model that a document is about, as it stands there.
#[derive(Deserialize)]
pub struct OriginJson {
    file: Option<String>,
    sha256: Option<String>,
    defines: Option<Vec<String>>,
    system: Option<String>,
    entry: Option<String>,
    data_model: Option<String>,
    signed_overflow: Option<bool>,
}

#[derive(Deserialize)]
struct RawCertificates {
    model: Option<OriginJson>,
    certificates: Option<Vec<RawClaim>>,
}

#[derive(Deserialize)]
struct RawClaim {
    property: Option<String>,
    reading: Option<String>,
    kind: Option<String>,
    states: Option<u64>,
    digest: Option<String>,
    longest: Option<Longest>,
    events: Option<Vec<String>>,
    proof: Option<RawProof>,
    fair: Option<bool>,
    strong: Option<bool>,
    choice: Option<bool>,
    automaton: Option<AutomatonJson>,
    invariant: Option<model::queue_proof::QueueProof>,
    counts: Option<model::queue_counts::QueueCounts>,
    parts: Option<model::queue_parts::QueueParts>,
    ranking: Option<model::queue_ranking::QueueRanking>,
    partitions: Option<Vec<NodeJson>>,
    program: Option<model::program_proof::ProgramProof>,
    abstraction: Option<ComponentsAbstraction>,
    races: Option<RawComponents>,
}

/// A proof about C components in that of another property of theirs.
#[derive(Deserialize)]
struct RawComponents {
    abstraction: ComponentsAbstraction,
    partitions: Vec<NodeJson>,
}

fn claim_of(position: usize, raw: RawClaim) -> Result<Claim, DocumentError> {
    let field = |name: &str| format!("certificates[{position}].{name}");
    let RawClaim { property, reading: name, kind, states, digest, longest, events, proof, fair, automaton, .. } = raw;
    let (invariant, partitions, program, abstraction) = (raw.invariant, raw.partitions, raw.program, raw.abstraction);
    let is = |which: Option<bool>| which == Some(true);
    let fair = match (is(fair), is(raw.strong), is(raw.choice)) {
        (false, ..) => Fairness::None,
        (true, false, false) => Fairness::Weak,
        (true, true, _) => Fairness::Strong,
        (true, false, true) => Fairness::Choice,
    };
    let kind = need(kind, || field("kind"))?;
    let certificate = match kind.as_str() {
        EXPLORED => Certificate::Explored {
            states: need(states, || field("states"))?,
            digest: hexadecimal(&field("digest"), need(digest, || field("digest"))?)?,
            longest: longest.unwrap_or_default().0,
            events: events.unwrap_or_default(),
        },
        PRODUCT => {
            let automaton = need(automaton, || field("automaton"))?;
            let claim = automaton::claim_of(&automaton).ok_or_else(|| DocumentError::Value {
                field: field("automaton"),
                found: String::from("one that is not complete"),
                expected: "atoms and states that exist",
            })?;
            Certificate::Product {
                states: need(states, || field("states"))?,
                digest: hexadecimal(&field("digest"), need(digest, || field("digest"))?)?,
                claim: Box::new(claim),
                fair,
            }
        }
        SEARCHED => Certificate::Searched { fair, events: events.unwrap_or_default() },
        FLOW => Certificate::Flow(Box::new(proof_of(&field("proof"), need(proof, || field("proof"))?)?)),
        QUEUES => Certificate::Queues(Box::new(need(invariant, || field("invariant"))?)),
        COUNTS => Certificate::Counts(Box::new(need(raw.counts, || field("counts"))?)),
        PARTS => Certificate::Parts(Box::new(need(raw.parts, || field("parts"))?)),
        RANKING => Certificate::Ranking(Box::new(need(raw.ranking, || field("ranking"))?)),
        COMPOSITION => {
            let list = need(partitions, || field("partitions"))?;
            let proof = partitions::tree(&field("partitions"), list)?;
            Certificate::Composition(Box::new(CompositionProof { fair, ..proof }))
        }
        PROGRAM => Certificate::Program(Box::new(need(program, || field("program"))?)),
        COMPONENTS => {
            let abstraction = need(abstraction, || field("abstraction"))?;
            let list = need(partitions, || field("partitions"))?;
            let composition = partitions::tree(&field("partitions"), list)?;
            let races = match raw.races {
                None => None,
                Some(RawComponents { abstraction, partitions }) => {
                    let composition = partitions::tree(&field("races.partitions"), partitions)?;
                    Some(Box::new(ComponentsProof { abstraction, composition, races: None }))
                }
            };
            Certificate::Components(Box::new(ComponentsProof { abstraction, composition, races }))
        }
        _ => {
            let expected = "`explored-states`, `explored-product`, `searched`, `flow-weights`, `queue-invariant`, \
                            `queue-counts`, `queue-parts`, `queue-ranking`, `partitions`, `program-invariant` or \
                            `predicate-abstraction`";
            return Err(DocumentError::Value { field: field("kind"), found: kind, expected });
        }
    };
    let property = need(property, || field("property"))?;
    // Components in parallel and C programs have no channels that could be read in one way or another.
    let reading = match certificate {
        Certificate::Composition(_) | Certificate::Program(_) | Certificate::Components(_) => Reading::Declared,
        _ => reading(&field("reading"), name)?,
    };
    Ok(Claim { property, reading, certificate })
}

/// The model that a document is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The file that was checked.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// The definitions of the command line.
    pub defines: Vec<String>,
    /// The composition that the command line named.
    pub system: Option<String>,
    /// How C was read, if it was.
    pub c: Option<CReading>,
}

/// The model that a document is about.
pub fn origin(raw: Option<OriginJson>) -> Result<Origin, DocumentError> {
    let OriginJson { file, sha256, defines, system, entry, data_model, signed_overflow } =
        need(raw, || "model".into())?;
    let file = need(file, || "model.file".into())?;
    let sha256 = need(sha256, || "model.sha256".into())?;
    let signed_overflow = signed_overflow.unwrap_or(false);
    let c = data_model.map(|data_model| CReading { data_model, signed_overflow, entry });
    Ok(Origin { file, sha256, defines: need(defines, || "model.defines".into())?, system, c })
}

/// The value of a field that must be there.
pub fn need<T>(value: Option<T>, field: impl FnOnce() -> String) -> Result<T, DocumentError> {
    value.ok_or_else(|| DocumentError::Missing(field()))
}

/// The channel semantics with a name.
pub fn reading(field: &str, name: Option<String>) -> Result<Reading, DocumentError> {
    let found = need(name, || field.into())?;
    let known = [Reading::Declared, Reading::Unbounded, Reading::Drop].into_iter().find(|r| r.name() == found);
    let expected = "`declared`, `unbounded` or `drop`";
    known.ok_or_else(|| DocumentError::Value { field: field.into(), found, expected })
}

fn hexadecimal(field: &str, found: String) -> Result<u128, DocumentError> {
    let digits = found.bytes().all(|b| b.is_ascii_hexdigit());
    match u128::from_str_radix(&found, 16) {
        Ok(number) if digits => Ok(number),
        _ => Err(DocumentError::Value { field: field.into(), found, expected: "at most 32 hexadecimal digits" }),
    }
}
