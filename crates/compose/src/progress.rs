//! Progress under fair choice: does every terminal set of the product have the events?
//!
//! All states and steps are stored, and strongly connected components are found. A component that no step leaves is a terminal
//! set. The run is a shortest one into a set that misses an event.

use crate::Verdict;
use crate::components::components;
use crate::meter::Meter;
use crate::problem::Problem;
use crate::product::{Step, Successors};
use crate::search::{NO_PARENT, path_to};
use crate::table::Table;
use model::composition::Progress;
use model::verdict::Reason;
use std::collections::HashSet;

/// The states of a product and the steps between them.
pub(crate) struct Graph {
    pub(crate) table: Table,
    pub(crate) parents: Vec<u32>,
    /// The first states have the numbers below this one.
    pub(crate) initial: usize,
    /// Where the steps of each state begin, and where the last ends.
    first: Vec<usize>,
    /// What happens, and where it leads.
    steps: Vec<(Step, u32)>,
}

impl Graph {
    pub(crate) fn new(problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Graph, Reason> {
        let product = problem.product();
        let mut graph = Graph {
            table: Table::new(product.parts.iter().map(|part| part.states())),
            parents: Vec::new(),
            initial: 0,
            first: vec![0],
            steps: Vec::new(),
        };
        product.initial(|state| {
            if graph.table.insert(state).1 {
                graph.parents.push(NO_PARENT);
            }
            Ok(())
        })?;
        graph.initial = graph.table.len();
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
                graph.steps.push((step, number));
            }
            graph.first.push(graph.steps.len());
            meter.store(graph.table.len(), graph.bytes())?;
            at += 1;
        }
        Ok(graph)
    }

    pub(crate) fn states(&self) -> usize {
        self.first.len() - 1
    }

    pub(crate) fn bytes(&self) -> usize {
        self.table.bytes() + self.parents.len() * 12 + self.steps.len() * 12
    }

    pub(crate) fn steps(&self, state: u32) -> &[(Step, u32)] {
        &self.steps[self.first[state as usize]..self.first[state as usize + 1]]
    }

    pub(crate) fn all_steps(&self) -> usize {
        self.steps.len()
    }

    /// The numbers of a state's steps, with the steps.
    pub(crate) fn numbered(&self, state: u32) -> impl Iterator<Item = (u32, &(Step, u32))> {
        (self.first[state as usize] as u32..).zip(self.steps(state))
    }

    /// The step with a number.
    pub(crate) fn step(&self, number: u32) -> &(Step, u32) {
        &self.steps[number as usize]
    }
}

/// Answers by the terminal sets of the product.
pub(crate) fn progress(problem: &Problem<'_>, progress: &Progress, meter: &Meter<'_>) -> Result<Verdict, Reason> {
    let graph = Graph::new(problem, meter)?;
    let (component, count) = components(graph.states(), &|_| true, &|state| graph.steps(state), meter)?;
    let (mut is_left, mut happens) = (vec![false; count], vec![HashSet::new(); count]);
    for from in 0..graph.states() as u32 {
        let own = component[from as usize];
        for &(step, to) in graph.steps(from) {
            if component[to as usize] == own {
                happens[own as usize].insert(step.event);
            } else {
                is_left[own as usize] = true;
            }
        }
        meter.spend(1 + graph.steps(from).len())?;
    }
    let product = problem.product();
    let mut tuple = Vec::new();
    let missed = (0..graph.states() as u32).find(|&state| {
        let own = component[state as usize] as usize;
        graph.table.get(state, &mut tuple);
        let ends = graph.steps(state).is_empty() && problem.is_done(&tuple) && !product.is_wrong(&tuple);
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
