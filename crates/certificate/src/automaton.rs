//! An automaton as JSON: the claim that a proof about infinite runs was made with.
//!
//! Atoms are numbers, in the order in which the formula names them; what they say stands in the formula, and whoever
//! reads the certificate takes them from there.

use model::claim::{AtomSet, Claim, ClaimEdge, ClaimState};
use serde::{Deserialize, Serialize};

/// An automaton.
#[derive(Serialize, Deserialize)]
pub(crate) struct AutomatonJson {
    initial: u32,
    states: Vec<StateJson>,
}

#[derive(Serialize, Deserialize)]
struct StateJson {
    accepting: bool,
    edges: Vec<EdgeJson>,
}

#[derive(Serialize, Deserialize)]
struct EdgeJson {
    holds: Vec<u32>,
    fails: Vec<u32>,
    to: Option<u32>,
}

/// A claim as JSON.
pub(crate) fn automaton_json(claim: &Claim) -> AutomatonJson {
    let atoms = |set: AtomSet| (0..AtomSet::BITS).filter(|index| set >> index & 1 == 1).collect();
    let edge = |edge: &ClaimEdge| EdgeJson { holds: atoms(edge.holds), fails: atoms(edge.fails), to: edge.to };
    let state =
        |state: &ClaimState| StateJson { accepting: state.accepting, edges: state.edges.iter().map(edge).collect() };
    AutomatonJson { initial: claim.initial, states: claim.states.iter().map(state).collect() }
}

/// A claim that was read back; its atoms are not in it. `None` if an atom or a state does not exist.
pub(crate) fn claim_of(automaton: &AutomatonJson) -> Option<Claim> {
    let exists = |state: u32| (state as usize) < automaton.states.len();
    let bits =
        |atoms: &[u32]| atoms.iter().try_fold(0, |set: AtomSet, &atom| Some(set | (1 as AtomSet).checked_shl(atom)?));
    let edge = |edge: &EdgeJson| {
        let to = edge.to;
        let (holds, fails) = (bits(&edge.holds)?, bits(&edge.fails)?);
        to.is_none_or(exists).then_some(ClaimEdge { holds, fails, to, assertion: None })
    };
    let state = |state: &StateJson| {
        let edges = state.edges.iter().map(edge).collect::<Option<Vec<_>>>()?;
        Some(ClaimState { accepting: state.accepting, edges, words: String::new() })
    };
    let states = automaton.states.iter().map(state).collect::<Option<Vec<_>>>()?;
    exists(automaton.initial).then_some(Claim { atoms: Vec::new(), states, initial: automaton.initial })
}
