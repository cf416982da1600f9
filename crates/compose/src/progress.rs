//! Progress under fair choice: does every terminal set of the product have the events?
//!
//! All states and steps are stored, and strongly connected components are found (Tarjan, without recursion). A component that
//! no step leaves is a terminal set. The run is a shortest one into a set that misses an event.

use crate::Verdict;
use crate::meter::Meter;
use crate::problem::Problem;
use crate::product::Successors;
use crate::search::{NO_PARENT, path_to};
use crate::table::Table;
use model::composition::Progress;
use model::verdict::Reason;
use std::collections::HashSet;

/// The states of a product and the steps between them.
pub(crate) struct Graph {
    pub(crate) table: Table,
    pub(crate) parents: Vec<u32>,
    /// Where the steps of each state begin, and where the last ends.
    first: Vec<usize>,
    /// What happens, and where it leads.
    steps: Vec<(u32, u32)>,
}

impl Graph {
    pub(crate) fn new(problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Graph, Reason> {
        let product = problem.product();
        let mut graph = Graph {
            table: Table::new(product.parts.iter().map(|part| part.states())),
            parents: Vec::new(),
            first: vec![0],
            steps: Vec::new(),
        };
        product.initial(|state| {
            if graph.table.insert(state).1 {
                graph.parents.push(NO_PARENT);
            }
            Ok(())
        })?;
        let (mut state, mut successors) = (Vec::new(), Successors::default());
        let mut at = 0;
        while (at as usize) < graph.table.len() {
            graph.table.get(at, &mut state);
            product.expand(&state, &mut successors)?;
            meter.spend(1 + successors.len())?;
            for (step, next) in successors.iter() {
                let (number, new) = graph.table.insert(next);
                if new {
                    graph.parents.push(at);
                }
                graph.steps.push((step.event, number));
            }
            graph.first.push(graph.steps.len());
            let bytes = graph.table.bytes() + graph.parents.len() * 12 + graph.steps.len() * 8;
            meter.store(graph.table.len(), bytes)?;
            at += 1;
        }
        Ok(graph)
    }

    pub(crate) fn states(&self) -> usize {
        self.first.len() - 1
    }

    pub(crate) fn steps(&self, state: u32) -> &[(u32, u32)] {
        &self.steps[self.first[state as usize]..self.first[state as usize + 1]]
    }
}

/// Answers by the terminal sets of the product.
pub(crate) fn progress(problem: &Problem<'_>, progress: &Progress, meter: &Meter<'_>) -> Result<Verdict, Reason> {
    let graph = Graph::new(problem, meter)?;
    let component = components(&graph, meter)?;
    let count = component.iter().max().map_or(0, |&last| last as usize + 1);
    let (mut is_left, mut happens) = (vec![false; count], vec![HashSet::new(); count]);
    for from in 0..graph.states() as u32 {
        let own = component[from as usize];
        for &(event, to) in graph.steps(from) {
            if component[to as usize] == own {
                happens[own as usize].insert(event);
            } else {
                is_left[own as usize] = true;
            }
        }
        meter.spend(1 + graph.steps(from).len())?;
    }
    let is_done = |state: &[u32]| problem.leaves.iter().zip(state).all(|(leaf, &at)| leaf.done[at as usize]);
    let product = problem.product();
    let mut tuple = Vec::new();
    let missed = (0..graph.states() as u32).find(|&state| {
        let own = component[state as usize] as usize;
        graph.table.get(state, &mut tuple);
        let ends = graph.steps(state).is_empty() && is_done(&tuple) && !product.is_wrong(&tuple);
        !is_left[own] && !ends && progress.is_missed(&|event| happens[own].contains(&event.0))
    });
    Ok(match missed {
        Some(state) => {
            let path = path_to(&product, &graph.table, &graph.parents, state)?;
            Verdict::Fails(Box::new(problem.run(&path)))
        }
        None => Verdict::Holds(Box::new(problem.trivial_proof())),
    })
}

/// The number of each state's strongly connected component.
fn components(graph: &Graph, meter: &Meter<'_>) -> Result<Vec<u32>, Reason> {
    const NEW: u32 = u32::MAX;
    let count = graph.states();
    let (mut component, mut index, mut low) = (vec![NEW; count], vec![NEW; count], vec![0u32; count]);
    let (mut stack, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let (mut next, mut found) = (0, 0);
    for root in 0..count as u32 {
        if index[root as usize] != NEW {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (state, ref mut at)) = path.last_mut() {
            let own = state as usize;
            if index[own] == NEW {
                (index[own], low[own]) = (next, next);
                next += 1;
                stack.push(state);
            }
            let steps = graph.steps(state);
            let mut deeper = None;
            while let Some(&(_, to)) = steps.get(*at) {
                if index[to as usize] == NEW {
                    deeper = Some(to);
                    break;
                }
                if component[to as usize] == NEW {
                    low[own] = low[own].min(index[to as usize]);
                }
                *at += 1;
            }
            meter.spend(1)?;
            if let Some(to) = deeper {
                path.push((to, 0));
                // The step is looked at again when the state below is done.
                continue;
            }
            path.pop();
            if low[own] == index[own] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = found;
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
            if let Some(&(above, _)) = path.last() {
                low[above as usize] = low[above as usize].min(low[own]);
            }
        }
    }
    Ok(component)
}
