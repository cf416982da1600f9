//! Merging by proof: two states become one, and an emptiness check tells whether that was right.
//!
//! Simulation sees only what can be answered step by step. Merging any two states, whatever they are, only adds words.
//! So the result is right if it shares no word with the automaton of the negated formula, which is a search for an
//! accepting cycle in their product. (In the spirit of Dax, Eisinger & Klaedtke 2007, *Mechanizing the powerset
//! construction for restricted classes of ω-automata*, who reduce first and compare with the negation then.)
//!
//! Tried and dropped: merging in several translations of the formula instead of the smallest one alone. It saved three
//! states of five thousand.

use crate::acceptance;
use crate::graph::{Edge, Graph, Node};
use crate::guard::{Diagrams, Guard};
use crate::reduce::reduced_states;
use crate::term::{TermId, Terms};
use rustc_hash::FxHashMap as Map;

/// All pairs are tried, each with a product; larger automata are left alone.
const MOST_STATES: usize = 40;

/// The graph with as many pairs of states merged as the automaton of the negation allows.
pub(crate) fn merged_by_proof(mut graph: Graph, negation: &Graph, terms: &mut Terms) -> Graph {
    while graph.nodes.len() <= MOST_STATES {
        let Some(smaller) = one_merge(&graph, negation, terms) else { break };
        let (few, many) = (acceptance::fewest(&smaller), acceptance::most(&smaller));
        let few = reduced_states(few, terms, acceptance::fewest);
        let many = reduced_states(many, terms, acceptance::most);
        graph = if many.size() < few.size() { many } else { few };
    }
    graph
}

fn one_merge(graph: &Graph, negation: &Graph, terms: &mut Terms) -> Option<Graph> {
    for second in 1..graph.nodes.len() {
        for first in 0..second {
            let class: Vec<usize> =
                (0..graph.nodes.len()).map(|node| if node == second { first } else { node }).collect();
            let mut candidate = graph.clone();
            candidate.nodes[first].label = terms.or(vec![graph.nodes[first].label, graph.nodes[second].label]);
            let candidate = candidate.merged(&mut terms.guards, &class);
            let right = disjoint(&candidate, negation, &mut terms.guards);
            if terms.guards.exhausted() {
                return None;
            }
            if right {
                return Some(candidate);
            }
        }
    }
    None
}

/// Whether no word is accepted by both of two state-based automata.
fn disjoint(left: &Graph, right: &Graph, guards: &mut Diagrams) -> bool {
    let mut numbers: Map<(usize, usize), usize> = Map::default();
    numbers.insert((left.initial, right.initial), 0);
    let mut waiting = vec![(left.initial, right.initial)];
    let mut nodes = Vec::new();
    while let Some(&(p, q)) = waiting.get(nodes.len()) {
        let marks = u64::from(left.nodes[p].accepting) | u64::from(right.nodes[q].accepting) << 1;
        let mut edges = Vec::new();
        for a in &left.nodes[p].edges {
            for b in &right.nodes[q].edges {
                guards.spend(1);
                let guard = guards.and(a.guard, b.guard);
                if guard == Guard::FALSE {
                    continue;
                }
                let next = waiting.len();
                let to = *numbers.entry((a.to, b.to)).or_insert(next);
                if to == next {
                    waiting.push((a.to, b.to));
                }
                edges.push(Edge { guard, marks, to });
            }
        }
        nodes.push(Node { label: TermId::TRUE, accepting: false, edges });
    }
    let product = Graph { initial: 0, nodes, full: 3, state_based: false };
    !product.accepting_components(&product.components()).contains(&true)
}
