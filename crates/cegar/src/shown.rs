//! Predicates as C would write them.

use crate::check::PartProof;
use bitvector::{TermId, Terms};

/// The predicates of a part by place, as C would write them; those of formulas, which hold or not at every place, are left
/// out.
pub fn predicates(proof: &PartProof) -> Vec<(model::source::Span, Vec<String>)> {
    let skip = proof.graph.propositions.len();
    let each = proof.graph.nodes.iter().zip(&proof.predicates.at).filter(|(_, at)| at.len() > skip);
    each.map(|(node, at)| {
        let texts = at[skip..].iter().map(|&predicate| shown(&proof.graph.terms, predicate));
        (node.span, texts.collect())
    })
    .collect()
}

/// A predicate as C would write it.
pub(crate) fn shown(terms: &Terms, predicate: TermId) -> String {
    without_numbers(&bitvector::to_c(terms, predicate))
}

/// `x#3` is `x`.
fn without_numbers(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        shown.push_str(&rest[..at]);
        rest = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    shown + rest
}
