//! The order of passes, and the choice of the smallest result.
//!
//! No single order of reductions is best: whether transient states accept, in which order marks are counted and which
//! direction of simulation comes first all change the result by a state or two. Formulas are small and automata are
//! used for long, so several ways are gone and the smallest automaton is kept. Each pass that runs out of budget
//! leaves the automaton as it was.

use crate::acceptance;
use crate::degeneralise::degeneralise;
use crate::graph::Graph;
use crate::simulation;
use crate::term::Terms;

/// Simulation compares all pairs of states; larger automata are left as they are.
const MOST_STATES: usize = 400;

/// The smallest state-based automaton that the known ways lead to; nothing if not even one was found with `steps`.
pub(crate) fn reduce(graph: Graph, terms: &mut Terms, steps: u64) -> Option<Graph> {
    terms.guards.grant(steps);
    let generalised = reduced_marks(graph, terms);
    terms.guards.grant(steps);
    let mut best: Option<Graph> = None;
    for order in orders(&generalised) {
        for (eager, high) in [(true, false), (false, false), (true, true), (false, true)] {
            let plain = degeneralise(&generalised, &order, eager, high, &mut terms.guards);
            if terms.guards.exhausted() {
                return best;
            }
            for candidate in candidates(plain, terms) {
                if best.as_ref().is_none_or(|best| candidate.size() < best.size()) {
                    best = Some(candidate);
                }
            }
            let large = best.as_ref().is_some_and(|best| best.nodes.len() > MOST_STATES);
            if large || generalised.full == 0 {
                return best;
            }
        }
    }
    best
}

/// The automaton reduced with few and with many accepting states.
fn candidates(graph: Graph, terms: &mut Terms) -> Vec<Graph> {
    let graph = simulation::bisimulation(&graph, &mut terms.guards).unwrap_or(graph);
    if graph.nodes.len() > MOST_STATES {
        return vec![graph];
    }
    let ways: [fn(&Graph) -> Graph; 2] = [acceptance::fewest, acceptance::most];
    ways.map(|adjust| reduced_states(adjust(&graph), terms, adjust)).to_vec()
}

/// Simulation while acceptance is still on edges, until nothing changes.
fn reduced_marks(graph: Graph, terms: &mut Terms) -> Graph {
    let graph = acceptance::needed_marks(&graph);
    let mut graph = simulation::bisimulation(&graph, &mut terms.guards).unwrap_or(graph);
    while graph.nodes.len() <= MOST_STATES {
        let before = graph.size();
        graph = simulation::forward(&graph, &mut terms.guards).unwrap_or(graph);
        graph = simulation::reverse(&graph, terms).unwrap_or(graph);
        graph = acceptance::needed_marks(&graph);
        if graph.size() == before || terms.guards.exhausted() {
            break;
        }
    }
    graph
}

/// All reductions of a state-based automaton, until nothing changes.
pub(crate) fn reduced_states(mut graph: Graph, terms: &mut Terms, adjust: fn(&Graph) -> Graph) -> Graph {
    loop {
        let before = graph.size();
        graph = simulation::forward(&graph, &mut terms.guards).unwrap_or(graph);
        graph = simulation::reverse(&graph, terms).unwrap_or(graph);
        graph = adjust(&graph);
        if graph.size() == before {
            graph = simulation::delayed(&graph, &mut terms.guards).unwrap_or(graph);
        }
        graph = adjust(&graph);
        if graph.size() == before || terms.guards.exhausted() {
            return graph;
        }
    }
}

/// Orders in which marks are counted: all of them while they are few, then rotations of two.
fn orders(graph: &Graph) -> Vec<Vec<u32>> {
    let marks: Vec<u32> = (0..64).filter(|mark| graph.full >> mark & 1 == 1).collect();
    if marks.len() <= 3 {
        return permutations(&marks);
    }
    let rotated = |by: usize| {
        let mut marks = marks.clone();
        marks.rotate_left(by);
        marks
    };
    let forwards = (0..marks.len().min(4)).map(rotated);
    let backwards = forwards.clone().map(|order| order.into_iter().rev().collect());
    forwards.chain(backwards).collect()
}

fn permutations(marks: &[u32]) -> Vec<Vec<u32>> {
    if marks.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in marks.iter().enumerate() {
        let rest: Vec<u32> = marks.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &mark)| mark).collect();
        all.extend(permutations(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Node};
    use crate::tableau::tableau;
    use crate::term::TermId;
    use ltl::parse;
    use ltl::{Lasso, Valuation};

    /// Whether a graph accepts a word: the product of both has a reachable component that meets all marks.
    fn accepts(graph: &Graph, terms: &Terms, lasso: &Lasso) -> bool {
        let positions = lasso.len();
        let node = |index: usize| {
            let (from, at) = (index / positions, index % positions);
            let edges = graph.nodes[from].edges.iter();
            let enabled = edges.filter(|edge| terms.guards.admits(edge.guard, lasso.letter(at)));
            let moved = enabled.map(|edge| Edge { to: edge.to * positions + lasso.successor(at), ..edge.clone() });
            Node { label: TermId::TRUE, accepting: false, edges: moved.collect() }
        };
        let nodes = (0..graph.nodes.len() * positions).map(node).collect();
        let product = Graph { initial: graph.initial * positions, nodes, full: graph.full, state_based: false };
        let components = product.components();
        let accepting = product.accepting_components(&components);
        product.trimmed().nodes.len() > 1 || accepting[components.of[product.initial]]
    }

    /// All words that are a cycle of up to three letters.
    fn lassos(atoms: u32) -> Vec<Lasso> {
        let letter = |bits: u32| (0..atoms).filter(|atom| bits >> atom & 1 == 1).collect::<Valuation>();
        let letters: Vec<Valuation> = (0..1 << atoms).map(letter).collect();
        let longer = |words: &[Vec<Valuation>]| {
            let extended =
                |word: &Vec<Valuation>, letter: &Valuation| [&word[..], std::slice::from_ref(letter)].concat();
            words.iter().flat_map(|word| letters.iter().map(|letter| extended(word, letter))).collect::<Vec<_>>()
        };
        let one = longer(&[Vec::new()]);
        let (two, three) = (longer(&one), longer(&longer(&one)));
        let cycles = [one, two, three].concat();
        cycles.into_iter().map(|cycle| Lasso { stem: Vec::new(), cycle }).collect()
    }

    fn check(name: &str, formula: &str, graph: &Graph, terms: &Terms) {
        let parsed = parse(formula).unwrap();
        for lasso in lassos(parsed.atoms.len() as u32) {
            assert_eq!(
                accepts(graph, terms, &lasso),
                parsed.formula.holds_on(&lasso),
                "{name}: {formula} on {lasso:?}"
            );
        }
    }

    /// Formulas on which each pass has something to do.
    const FORMULAS: [&str; 10] = [
        // Waiting for <> leads to fewer states than progress.
        "a V X X <> (b && X b)",
        "[] (a -> <> b)",
        "!([] <> a -> [] <> b)",
        "[] <> a && [] <> b",
        "<> [] a || [] (b -> X a)",
        "(a U b) U (b U a)",
        "X (a || X <> b) && [] (a -> X (b V <> a))",
        "!(a U (X X G ((((b R (a <-> b)) U X a)) -> a)))",
        "[] (a -> <> (b && X (a U b)))",
        "<> (a && X (b && X <> a)) <-> [] <> b",
    ];

    #[test]
    fn every_pass_keeps_the_language() {
        for text in FORMULAS {
            let mut terms = Terms::new(10_000_000, &model::budget::Budget::unlimited());
            let root = terms.of_formula(&parse(text).unwrap().formula);
            for guess in [false, true] {
                let graph = tableau(&mut terms, root, guess, 5_000).unwrap();
                check("tableau", text, &graph, &terms);
                let graph = acceptance::needed_marks(&graph);
                check("needed marks", text, &graph, &terms);
                let graph = simulations_keep_the_language(text, graph, &mut terms);
                let graph = reduced_marks(graph, &mut terms);
                for order in orders(&graph) {
                    for (eager, high) in [(true, false), (false, false), (true, true), (false, true)] {
                        let graph = degeneralise(&graph, &order, eager, high, &mut terms.guards);
                        check("degeneralise", text, &graph, &terms);
                        states_keep_the_language(text, &graph, &mut terms);
                    }
                }
            }
        }
    }

    fn simulations_keep_the_language(text: &str, graph: Graph, terms: &mut Terms) -> Graph {
        let graph = simulation::bisimulation(&graph, &mut terms.guards).unwrap();
        check("bisimulation", text, &graph, terms);
        let graph = simulation::forward(&graph, &mut terms.guards).unwrap();
        check("forward", text, &graph, terms);
        let graph = simulation::reverse(&graph, terms).unwrap();
        check("reverse", text, &graph, terms);
        check("widest", text, &widened(&graph, terms), terms);
        graph
    }

    /// All guards at once as wide as they can be.
    fn widened(graph: &Graph, terms: &mut Terms) -> Graph {
        let widest = simulation::widest(graph, &mut terms.guards).unwrap();
        let mut graph = graph.clone();
        for (node, guards) in graph.nodes.iter_mut().zip(widest) {
            node.edges.iter_mut().zip(guards).for_each(|(edge, guard)| edge.guard = guard);
        }
        graph
    }

    fn states_keep_the_language(text: &str, graph: &Graph, terms: &mut Terms) {
        let ways: [fn(&Graph) -> Graph; 2] = [acceptance::fewest, acceptance::most];
        for adjust in ways {
            let graph = adjust(graph);
            check("acceptance", text, &graph, terms);
            let delayed = simulation::delayed(&graph, &mut terms.guards).unwrap();
            check("delayed", text, &delayed, terms);
            simulations_keep_the_language(text, graph, terms);
        }
    }
}
