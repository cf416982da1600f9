//! Predicates as C would write them.

use crate::check::PartProof;
use bitvector::{TermId, Terms};

/// The predicates of a part by place, and what falls there, as C would write them; predicates of formulas, which hold or not at every
/// place, are left out.
pub fn predicates(proof: &PartProof) -> Vec<(model::source::Span, Vec<String>)> {
    let skip = proof.graph.propositions.len();
    let falls = |rank: usize| proof.effects.iter().flatten().any(|effect| effect.falls >> rank & 1 == 1);
    let ranks: Vec<&(u32, String)> =
        proof.ranks.iter().enumerate().filter(|(rank, _)| falls(*rank)).map(|(_, rank)| &rank.shown).collect();
    let each = (0..).zip(proof.graph.nodes.iter().zip(&proof.predicates.at)).map(|(place, (node, at))| {
        let texts = at[skip..].iter().map(|&predicate| shown(&proof.graph.terms, predicate));
        let own = ranks.iter().filter(|rank| rank.0 == place).map(|rank| rank.1.clone());
        (node.span, texts.chain(own).collect::<Vec<String>>())
    });
    each.filter(|(_, texts)| !texts.is_empty()).collect()
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
