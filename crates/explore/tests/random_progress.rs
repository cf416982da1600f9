//! The search for non-progress cycles against a naive twin on random models.
//!
//! The twin makes the whole graph, inner states of atomic sequences included, takes progress out of it, and asks of
//! every node in turn whether it can reach itself. `HIGHWATER_SEEDS=N` tries N models.

use model::context::Context;
use model::fairness::Fairness;

use explore::Options;
use explore::liveness::Setting;
use explore::progress::ProgressOf;
use explore::reduction::Mode;
use model::ids::{EdgeId, MachineId};
use model::semantics::{Reading, Semantics};
use model::verdict::{Outcome, Verdict};
use std::collections::{HashMap, HashSet};
use testing::models::loops;

const MOST_NODES: usize = 600;

/// The graph of states, and of inner states with the process in control; edges say whether they are progress events.
struct Graph {
    nodes: Vec<(Vec<u8>, Option<u32>)>,
    edges: Vec<Vec<(usize, bool)>>,
    progress: Vec<bool>,
    crashed: bool,
}

/// `None` if it is too large.
fn graph(semantics: &Semantics<'_>, progress: &ProgressOf<'_>) -> Option<Graph> {
    let (mut stepper, mut asker) = (semantics.stepper(), semantics.stepper());
    let initial = (stepper.initial().ok()?.ok()?, None);
    let mut graph = Graph { nodes: vec![initial.clone()], edges: Vec::new(), progress: Vec::new(), crashed: false };
    let mut numbers: HashMap<(Vec<u8>, Option<u32>), usize> = HashMap::from([(initial, 0)]);
    while graph.edges.len() < graph.nodes.len() {
        let (state, control) = graph.nodes[graph.edges.len()].clone();
        let mut next = Vec::new();
        let count = stepper.expand(&state, control, &mut |successor| match successor.state {
            Some(after) => {
                let event = progress.is_event(&mut asker, &state, successor.step);
                next.push(((after.to_vec(), successor.control), event));
            }
            None => graph.crashed = true,
        });
        if count.ok()? == 0 && control.is_some() {
            next.push(((state.clone(), None), false));
        }
        graph.progress.push(progress.is_state(&mut asker, &state));
        let edges = next.into_iter().map(|(node, event)| {
            let new = graph.nodes.len();
            let number = *numbers.entry(node.clone()).or_insert(new);
            if number == new {
                graph.nodes.push(node);
            }
            (number, event)
        });
        let edges = edges.collect();
        graph.edges.push(edges);
        if graph.nodes.len() > MOST_NODES {
            return None;
        }
    }
    Some(graph)
}

/// Whether a node reaches itself through nodes that `allowed` holds of, without events.
fn on_cycle(graph: &Graph, start: usize, allowed: &dyn Fn(usize) -> bool) -> bool {
    let (mut seen, mut work) = (HashSet::new(), vec![start]);
    while let Some(node) = work.pop() {
        for &(next, event) in graph.edges[node].iter().filter(|(next, _)| allowed(*next)) {
            if !event && next == start {
                return true;
            }
            if !event && seen.insert(next) {
                work.push(next);
            }
        }
    }
    false
}

fn naive(graph: &Graph) -> bool {
    let real = |node: usize| graph.nodes[node].1.is_none();
    // An inner state whose process is blocked is the same as the state: it has one edge, to it.
    (0..graph.nodes.len()).any(|node| match real(node) {
        true => !graph.progress[node] && on_cycle(graph, node, &|n| !real(n) || !graph.progress[n]),
        false => !graph.progress[node] && on_cycle(graph, node, &|n| !real(n) && !graph.progress[n]),
    })
}

fn compare(seed: u64, progress: &ProgressOf<'_>, reading: Reading, counts: &mut [usize; 3]) {
    let text = loops::model(seed, matches!(progress, ProgressOf::Labels));
    let read = promela::read("random.pml", &text, &promela::preprocess::Options::default());
    let Some(network) = read.network else { return };
    let semantics = Semantics::new(&network, reading);
    let Some(graph) = graph(&semantics, progress) else { return };
    let (sources, cx) = (&read.sources, Context::unlimited());
    let expected = naive(&graph);
    let (alone, room) = ((seed % 3) as usize * 4, if seed.is_multiple_of(2) { 0 } else { u64::MAX });
    for jobs in [1, 2] {
        let options = &Options { jobs, alone, room, long: 0, ..Options::reducing(Mode::Off) };
        let setting = Setting { semantics: &semantics, sources, fair: Fairness::None, options, cx };
        judge(seed, (&graph, expected), setting.livelock(progress), counts, &text);
    }
}

fn judge(seed: u64, (graph, expected): (&Graph, bool), outcome: Outcome, counts: &mut [usize; 3], text: &str) {
    match outcome.verdict {
        Verdict::Violated => {
            assert!(expected, "seed {seed}: the twin sees no cycle\n{text}");
            let witness = outcome.witness.expect("a violation has a run");
            assert!(witness.loop_from.is_some_and(|at| at < witness.steps.len()), "seed {seed}");
            counts[0] += 1;
        }
        Verdict::Proved => {
            assert!(!expected && !graph.crashed, "seed {seed}: the twin sees a cycle\n{text}");
            let states = graph.nodes.iter().filter(|(_, control)| control.is_none()).count() as u64;
            assert_eq!(outcome.stats.map(|s| s.states), Some(states), "seed {seed}\n{text}");
            counts[1] += 1;
        }
        other => {
            assert!(!expected && graph.crashed, "seed {seed}: {other:?}\n{text}");
            counts[2] += 1;
        }
    }
}

fn seeds() -> u64 {
    testing::seeds(600)
}

#[test]
fn cycles_without_progress_labels_are_those_of_the_twin() {
    let mut counts = [0; 3];
    for seed in 0..seeds() {
        compare(seed, &ProgressOf::Labels, Reading::Declared, &mut counts);
        compare(seed + 1_000_000, &ProgressOf::Labels, Reading::Drop, &mut counts);
    }
    assert!(counts[0] > 20 && counts[1] > 20, "too few of a kind: {counts:?}");
}

#[test]
fn cycles_without_progress_edges_are_those_of_the_twin() {
    let mut counts = [0; 3];
    for seed in 0..seeds() {
        let all = (0..4u32).flat_map(|machine| (0..60u32).map(move |edge| (machine, edge)));
        let chosen = all.filter(|(m, e)| !(u64::from(m * 7 + e * 3) + seed).is_multiple_of(3));
        let edges = chosen.map(|(m, e)| (MachineId(m), EdgeId(e))).collect();
        compare(seed + 7_000, &ProgressOf::Edges(edges), Reading::Declared, &mut counts);
    }
    assert!(counts[0] > 20 && counts[1] > 20, "too few of a kind: {counts:?}");
}
