//! The document that `check --certificate` writes: written, and read back.
//!
//! * In: the [`model::verdict::Certificate`]s of a check ([`whole`]), or the text of a document ([`parse`]).
//! * Out: JSON, or the claims of the document. Nothing in them is believed: see `certify`.
//!
//! The structures are the schema: a field has the name and the place that it has in the document. Trees stand in lists
//! (`partitions`, `proof`), so that a deep one is read without recursion.

mod automaton;
mod by_name;
mod indented;
mod json;
mod parse;
mod partitions;
mod proof;

pub use by_name::ByName;
pub use indented::Indented;
pub use json::{CertificateJson, in_short, whole};
pub use parse::{
    CReading, Certificates, Claim, DocumentError, Origin, OriginJson, need, origin, parse, property_named, reading,
    schema,
};

/// The schema of the document.
pub const SCHEMA: &str = "highwater-certificate/1";
/// The kind of a certificate that is a claim about all reachable states.
const EXPLORED: &str = "explored-states";
/// The kind of a certificate of a search that left out states.
const SEARCHED: &str = "searched";
/// The kind of a certificate about all states of the product with an automaton.
const PRODUCT: &str = "explored-product";
/// The kind of a certificate that is a proof of the flow engine.
const FLOW: &str = "flow-weights";
/// The kind of a certificate that is an invariant over queues.
const QUEUES: &str = "queue-invariant";
/// The kind of a certificate that is an invariant over queues with sums that no step changes.
const COUNTS: &str = "queue-counts";
const PARTS: &str = "queue-parts";
/// The kind of a certificate that is an invariant over queues with a ranking.
const RANKING: &str = "queue-ranking";
/// The kind of a certificate that is a tree of abstractions of components.
const COMPOSITION: &str = "partitions";
/// The kind of a certificate that is an invariant of a C program.
const PROGRAM: &str = "program-invariant";
/// The kind of a certificate that has structures of procedures of C.
const COMPONENTS: &str = "predicate-abstraction";
