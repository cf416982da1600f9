//! Simulation: nodes that can do all that others can are enough.
//!
//! *Direct* simulation, forwards (Dill, Hu & Wong-Toi 1991; Etessami & Holzmann 2000, section 4; Somenzi & Bloem 2000,
//! section 5): `q` simulates `p` if with every letter every edge of `p` is answered by an edge of `q` with at least its
//! marks, to a node that simulates the target. *Reverse* simulation is the same against the direction of edges, and
//! the initial node is simulated by itself alone. Nodes that simulate each other are merged. Then an edge gives up the
//! letters with which a better one is possible, or one that is as good and has a smaller number.
//!
//! *Delayed* simulation (Etessami, Wilke & Schuller 2001, *Fair simulation relations, parity games, and state space
//! reduction for Büchi automata*, sections 3 and 5) allows the answer to an accepting node to come later. It merges
//! more, and gives no right to take edges away.
//!
//! *Bisimulation* asks for equal edges. It merges least, but does not compare all pairs, so it comes first.
//!
//! Answers are sought letter by letter: the guard of an edge may be covered by several edges together.

use crate::graph::{Edge, Graph, Node};
use crate::guard::{Diagrams, Guard};
use crate::term::Terms;
use rustc_hash::FxHashMap as Map;

/// `holds(p, q)`: q simulates p.
pub(crate) struct Relation {
    count: usize,
    bits: Vec<bool>,
}

impl Relation {
    fn new(count: usize, pair: impl Fn(usize, usize) -> bool) -> Relation {
        Relation { count, bits: (0..count * count).map(|i| pair(i / count, i % count)).collect() }
    }

    pub(crate) fn holds(&self, p: usize, q: usize) -> bool {
        self.bits[p * self.count + q]
    }

    /// Whether an edge of the second node and marks makes one of the first needless: it is better, or it is as good
    /// and has the smaller number.
    fn prefers(&self, (p, marks): (usize, u64), (q, more): (usize, u64)) -> bool {
        let better = marks & !more == 0 && self.holds(p, q);
        let equal = marks == more && self.holds(q, p);
        better && (!equal || q < p)
    }

    /// Each node's class of nodes that simulate each other, named by its first member.
    fn classes(&self) -> Vec<usize> {
        let equal = |p, q| self.holds(p, q) && self.holds(q, p);
        (0..self.count).map(|p| (0..p).find(|&q| equal(p, q)).unwrap_or(p)).collect()
    }
}

/// One end of an edge, as seen from the other.
#[derive(Clone, Copy)]
struct Link {
    guard: Guard,
    marks: u64,
    node: usize,
}

/// Merges nodes that have the same edges to the same classes, as often as that goes. Nothing if the budget was spent.
pub(crate) fn bisimulation(graph: &Graph, guards: &mut Diagrams) -> Option<Graph> {
    let mut classes: Vec<usize> = vec![0; graph.nodes.len()];
    let mut count = 0;
    loop {
        let mut numbers: Map<Signature, usize> = Map::default();
        let mut refined = Vec::new();
        for node in &graph.nodes {
            let signature = signature(node, &classes, guards);
            let next = numbers.len();
            refined.push(*numbers.entry(signature).or_insert(next));
        }
        if guards.exhausted() {
            return None;
        }
        classes = refined;
        if numbers.len() == count {
            break;
        }
        count = numbers.len();
    }
    let mut first = vec![usize::MAX; count];
    for (node, &class) in classes.iter().enumerate() {
        first[class] = first[class].min(node);
    }
    let representatives: Vec<usize> = classes.iter().map(|&class| first[class]).collect();
    let merged = graph.merged(guards, &representatives);
    (!guards.exhausted()).then_some(merged)
}

/// Whether a node accepts, and its edges: the class of the target, marks and guard.
type Signature = (bool, Vec<(usize, u64, Guard)>);

fn signature(node: &Node, classes: &[usize], guards: &mut Diagrams) -> Signature {
    let mut edges: Vec<(usize, u64, Guard)> = Vec::new();
    for edge in &node.edges {
        guards.spend(1);
        let class = classes[edge.to];
        match edges.iter_mut().find(|other| other.0 == class && other.1 == edge.marks) {
            Some(other) => other.2 = guards.or(other.2, edge.guard),
            None => edges.push((class, edge.marks, edge.guard)),
        }
    }
    edges.sort_unstable();
    (node.accepting, edges)
}

/// Merges by forward simulation and prunes edges. Nothing if the budget was spent.
pub(crate) fn forward(graph: &Graph, guards: &mut Diagrams) -> Option<Graph> {
    let classes = simulation(&outgoing(graph), guards, |_, _| true)?.classes();
    let merged = graph.merged(guards, &classes);
    let relation = simulation(&outgoing(&merged), guards, |_, _| true)?;
    let mut pruned = merged.clone();
    for node in &mut pruned.nodes {
        let all = node.edges.clone();
        for edge in &mut node.edges {
            guards.spend(1 + all.len() as u64 / 16);
            for better in &all {
                let (old, new) = ((edge.to, edge.marks), (better.to, better.marks));
                if relation.prefers(old, new) {
                    edge.guard = guards.minus(edge.guard, better.guard);
                }
            }
        }
        node.edges.retain(|edge| edge.guard != Guard::FALSE);
    }
    (!guards.exhausted()).then(|| pruned.trimmed())
}

/// What the guard of an edge could be as well: it may take back the letters that it gave up for a better edge of the same
/// node. A run that goes along the worse edge is simulated by one that goes along the better. Nothing if the budget was
/// spent.
pub(crate) fn widest(graph: &Graph, guards: &mut Diagrams) -> Option<Vec<Vec<Guard>>> {
    let relation = simulation(&outgoing(graph), guards, |_, _| true)?;
    let widened = |node: &Node, edge: &Edge, guards: &mut Diagrams| {
        let better = |other: &&Edge| edge.marks & !other.marks == 0 && relation.holds(edge.to, other.to);
        node.edges.iter().filter(better).fold(edge.guard, |guard, other| guards.or(guard, other.guard))
    };
    let mut all = Vec::new();
    for node in &graph.nodes {
        all.push(node.edges.iter().map(|edge| widened(node, edge, guards)).collect());
    }
    (!guards.exhausted()).then_some(all)
}

/// Merges by reverse simulation and prunes edges. Nothing if the budget was spent.
pub(crate) fn reverse(graph: &Graph, terms: &mut Terms) -> Option<Graph> {
    let classes = reverse_simulation(graph, &mut terms.guards)?.classes();
    let mut labelled = graph.clone();
    for (node, &class) in classes.iter().enumerate().filter(|&(node, &class)| node != class) {
        let labels = vec![labelled.nodes[class].label, graph.nodes[node].label];
        labelled.nodes[class].label = terms.or(labels);
    }
    let guards = &mut terms.guards;
    let merged = labelled.merged(guards, &classes);
    let relation = reverse_simulation(&merged, guards)?;
    let sources = incoming(&merged);
    let mut pruned = merged.clone();
    for (from, node) in pruned.nodes.iter_mut().enumerate() {
        for edge in &mut node.edges {
            for better in &sources[edge.to] {
                if relation.prefers((from, edge.marks), (better.node, better.marks)) {
                    edge.guard = guards.minus(edge.guard, better.guard);
                }
            }
        }
        node.edges.retain(|edge| edge.guard != Guard::FALSE);
    }
    (!guards.exhausted()).then(|| pruned.trimmed())
}

fn reverse_simulation(graph: &Graph, guards: &mut Diagrams) -> Option<Relation> {
    let accepting = |node: usize| graph.nodes[node].accepting;
    simulation(&incoming(graph), guards, |p, q| {
        (p != graph.initial || q == graph.initial) && (!accepting(p) || accepting(q))
    })
}

fn outgoing(graph: &Graph) -> Vec<Vec<Link>> {
    let link = |edge: &Edge| Link { guard: edge.guard, marks: edge.marks, node: edge.to };
    graph.nodes.iter().map(|node| node.edges.iter().map(link).collect()).collect()
}

fn incoming(graph: &Graph) -> Vec<Vec<Link>> {
    let mut links = vec![Vec::new(); graph.nodes.len()];
    for (from, edge) in graph.edges() {
        links[edge.to].push(Link { guard: edge.guard, marks: edge.marks, node: from });
    }
    links
}

/// The largest simulation within `start`.
fn simulation(links: &[Vec<Link>], guards: &mut Diagrams, start: impl Fn(usize, usize) -> bool) -> Option<Relation> {
    let count = links.len();
    let mut relation = Relation::new(count, start);
    let mut changed = true;
    while changed {
        changed = false;
        for p in 0..count {
            for q in 0..count {
                if p != q && relation.holds(p, q) && !answered(&links[p], &links[q], &relation, guards) {
                    relation.bits[p * count + q] = false;
                    changed = true;
                }
            }
            if guards.exhausted() {
                return None;
            }
        }
    }
    Some(relation)
}

fn answered(asked: &[Link], answers: &[Link], relation: &Relation, guards: &mut Diagrams) -> bool {
    asked.iter().all(|link| {
        covered(link.guard, answers, guards, |answer| {
            link.marks & !answer.marks == 0 && relation.holds(link.node, answer.node)
        })
    })
}

/// Whether every letter of the guard is on some link that will do.
fn covered(guard: Guard, links: &[Link], guards: &mut Diagrams, will_do: impl Fn(&Link) -> bool) -> bool {
    let mut rest = guard;
    guards.spend(1 + links.len() as u64);
    for link in links.iter().filter(|link| will_do(link)) {
        rest = guards.minus(rest, link.guard);
        if rest == Guard::FALSE {
            break;
        }
    }
    rest == Guard::FALSE
}

/// Merges by delayed simulation. Nothing if the budget was spent.
pub(crate) fn delayed(graph: &Graph, guards: &mut Diagrams) -> Option<Graph> {
    let won = delayed_game(graph, guards)?;
    let count = graph.nodes.len();
    let accepting = |node: usize| graph.nodes[node].accepting;
    let relation = Relation::new(count, |p, q| won[usize::from(accepting(p) && !accepting(q))].holds(p, q));
    let merged = graph.merged(guards, &relation.classes());
    (!guards.exhausted()).then_some(merged)
}

/// From which pairs, without (0) and with (1) a debt, can all debts be paid forever? A debt arises when p accepts and
/// is paid when q does. The game has a Büchi condition: νZ μY. (no debt and a step into Z) or a step into Y.
fn delayed_game(graph: &Graph, guards: &mut Diagrams) -> Option<[Relation; 2]> {
    let links = outgoing(graph);
    let count = graph.nodes.len();
    let accepting = |node: usize| graph.nodes[node].accepting;
    let mut outer = [Relation::new(count, |_, _| true), Relation::new(count, |_, _| true)];
    loop {
        let mut inner = [Relation::new(count, |_, _| false), Relation::new(count, |_, _| false)];
        let mut changed = true;
        while changed {
            changed = false;
            for debt in [0, 1] {
                for p in 0..count {
                    for q in 0..count {
                        if inner[debt].holds(p, q) || !outer[debt].holds(p, q) {
                            continue;
                        }
                        let goal = if debt == 0 { &outer } else { &inner };
                        let won = links[p].iter().all(|link| {
                            covered(link.guard, &links[q], guards, |answer| {
                                let owes = accepting(link.node) || debt == 1;
                                let debt = usize::from(owes && !accepting(answer.node));
                                goal[debt].holds(link.node, answer.node)
                            })
                        });
                        inner[debt].bits[p * count + q] = won;
                        changed |= won;
                    }
                    if guards.exhausted() {
                        return None;
                    }
                }
            }
        }
        if inner[0].bits == outer[0].bits && inner[1].bits == outer[1].bits {
            return Some(inner);
        }
        outer = inner;
    }
}
