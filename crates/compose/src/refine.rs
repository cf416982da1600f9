//! Counterexample-guided refinement, component by component: Figs. 4 and 8 of the paper, and a less patient version.
//!
//! Every component has a partition of its states. The product of the quotients is searched; what it finds is looked at in
//! each component alone. A component that cannot do its part has its partition split, and the search starts again.
//!
//! * [`Manner::Paper`] starts with the coarsest partitions, and splits one class of one component in an iteration.
//! * [`Manner::Eager`] starts with partitions by what states are ready for (deadlock), or by which events of the formula
//!   they offer; it splits in every component that cannot follow, but in those that the question is about first, and in
//!   others only if these can follow. What it separates are the states that could take the step on which a component
//!   fails: that tells more about the component than where it happens to be.
//!
//! For deadlock the paper demands at the end of a path a state that refuses exactly what its class does. If the
//! component gets to no such state, its class is split by an event that a state which it gets to does not refuse, although
//! the class does.

use crate::assemble::assemble;
use crate::lasso::accepted_lasso;
use crate::lts::{END, TAU};
use crate::meter::Meter;
use crate::partition::Partition;
use crate::problem::Problem;
use crate::product::{Participants, Path, Product};
use crate::projection::{Fate, LocalPath, Projection, follow};
use crate::search::breadth_first;
use crate::trace::RefinementTrace;
use crate::{Statistics, Verdict};
use model::composition_proof::{CompositionProof, Node, Parts};
use model::verdict::Reason;

/// How patient the refinement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// Literally as in the paper.
    Paper,
    /// Better first partitions, more splits.
    Eager,
}

/// Answers by refinement, in not more than so many iterations.
pub(crate) fn refine(
    problem: &Problem<'_>,
    manner: Manner,
    most_iterations: u64,
    meter: &Meter<'_>,
    trace: &mut RefinementTrace<'_>,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    let mut partitions: Vec<Partition<'_>> =
        (0..problem.leaves.len()).map(|part| first_partition(problem, part, manner)).collect();
    let layers = match manner {
        Manner::Paper => (0..partitions.len()).map(|part| vec![part]).collect(),
        Manner::Eager => layers(problem),
    };
    statistics.iterations = 0;
    loop {
        statistics.classes = partitions.iter().map(|partition| partition.classes() as u64).collect();
        statistics.iterations += 1;
        trace.iteration(statistics.iterations, &partitions);
        let Some(path) = counterexample(problem, &partitions, meter)? else {
            trace.none_left();
            return Ok(Verdict::Holds(Box::new(proof(problem, &partitions))));
        };
        trace.counterexample(&path);
        let (projections, locals) = match look_closer(&mut partitions, &path, (manner, &layers), problem, meter, trace)?
        {
            Some(real) => real,
            None if statistics.iterations >= most_iterations => return Err(Reason::States),
            None => continue,
        };
        trace.real();
        let structures: Vec<_> = problem.leaves.iter().map(|leaf| &leaf.lts).collect();
        let run = assemble(&path, &structures, &projections, &locals);
        let too_long = || Reason::NotProvable(String::from("there is a run, but it repeats only after very long"));
        return run.map(|run| Verdict::Fails(Box::new(problem.run(&run)))).ok_or_else(too_long);
    }
}

fn first_partition<'p>(problem: &'p Problem<'_>, part: usize, manner: Manner) -> Partition<'p> {
    let leaf = &problem.leaves[part];
    let lts = &leaf.lts;
    let ready = |state: u32| match (manner, &problem.watch) {
        (Manner::Paper, _) => Vec::new(),
        (Manner::Eager, None) if !problem.is_deadlock() => Vec::new(),
        (Manner::Eager, None) => leaf.ready(state),
        (Manner::Eager, Some(watch)) => {
            leaf.ready(state).into_iter().filter(|&event| watch.names(event)).collect::<Vec<u32>>()
        }
    };
    Partition::new(leaf, problem.is_deadlock(), |state| {
        (lts.wrong[state as usize], lts.labels[state as usize], ready(state))
    })
}

/// A path of the product of the quotients that would show that the answer is no.
fn counterexample(
    problem: &Problem<'_>,
    partitions: &[Partition<'_>],
    meter: &Meter<'_>,
) -> Result<Option<Path>, Reason> {
    let quotients: Vec<_> = partitions.iter().map(|partition| &partition.quotient).collect();
    if problem.is_deadlock() {
        let product = Product::new(quotients, problem.events);
        return breadth_first(&product, meter, |state, _| {
            !product.is_wrong(state) && is_abstract_deadlock(&product, partitions, state)
        });
    }
    let kind = |event: u32| problem.watch.as_ref().map_or(0, |watch| watch.event(event));
    let (product, left) = Product::reduced(&quotients, problem.events, kind);
    let path = match &problem.watch {
        Some(watch) => accepted_lasso(&product, watch, meter)?,
        None => breadth_first(&product, meter, |state, _| product.is_wrong(state))?,
    };
    Ok(path.map(|path| Product::whole(path, &left, partitions.len())))
}

/// Every event is refused by a component: there is none that all who have it are always ready for.
fn is_abstract_deadlock(product: &Product<'_>, partitions: &[Partition<'_>], state: &[u32]) -> bool {
    let always = |part: usize| partitions[part].always[state[part] as usize].as_slice();
    let ready = |part: usize, event: u32| always(part).binary_search(&event).is_ok();
    let possible = |part: usize, event: u32| match event {
        TAU => true,
        END => part == 0 && (0..partitions.len()).all(|other| ready(other, END)),
        _ => {
            let who = product.participants.of(event);
            who.first() == Some(&(part as u32)) && who.iter().all(|&other| ready(other as usize, event))
        }
    };
    !partitions.is_empty() && !(0..partitions.len()).any(|part| always(part).iter().any(|&event| possible(part, event)))
}

type Real = (Vec<Projection>, Vec<LocalPath>);

/// Validates a path in each component, and splits where it cannot be followed: in the first layer of components where there
/// is something to split. None if something was split.
fn look_closer(
    partitions: &mut [Partition<'_>],
    path: &Path,
    (manner, layers): (Manner, &[Vec<usize>]),
    problem: &Problem<'_>,
    meter: &Meter<'_>,
    trace: &mut RefinementTrace<'_>,
) -> Result<Option<Real>, Reason> {
    let mut real: Vec<Option<(Projection, LocalPath)>> = partitions.iter().map(|_| None).collect();
    for layer in layers {
        let mut spurious = false;
        for &part in layer {
            let partition = &mut partitions[part];
            let projection = Projection::new(path, part, &partition.leaf.lts);
            let last = path.states[path.states.len() - 1][part];
            let refuses_as_class =
                |state: u32| !problem.is_deadlock() || partition.leaf.ready(state) == partition.always[last as usize];
            match follow(partition, &projection, meter, refuses_as_class)? {
                Fate::Real(local) => {
                    real[part] = Some((projection, local));
                    continue;
                }
                Fate::Broken(at) => {
                    let class = partition.class_of[at.here[0] as usize];
                    let states = match manner {
                        Manner::Paper => at.here,
                        Manner::Eager => partition.leading(class, at.next),
                    };
                    trace.broken(part, at.steps, states.len(), partition.members(class).len());
                    partition.split(&states);
                }
                Fate::WrongEnd(states) => {
                    let (event, ready) = disagreement(partition, last, &states);
                    trace.wrong_end(part, event);
                    partition.split(&ready);
                }
            }
            spurious = true;
        }
        if spurious {
            return Ok(None);
        }
    }
    Ok(Some(real.into_iter().flatten().unzip()))
}

/// The components by how far they are from what is asked: first those that know an event of the formula, have one of
/// its propositions or can be wrong, then those that share events with them, and so on.
fn layers(problem: &Problem<'_>) -> Vec<Vec<usize>> {
    let leaves = &problem.leaves;
    if problem.is_deadlock() {
        return vec![(0..leaves.len()).collect()];
    }
    let names = |event: &u32| problem.watch.as_ref().is_some_and(|watch| watch.names(*event));
    let is_first = |part: &usize| {
        let lts = &leaves[*part].lts;
        lts.alphabet.iter().any(names) || lts.labels.iter().any(|&label| label != 0) || lts.wrong.contains(&true)
    };
    let participants = Participants::new(leaves.iter().map(|leaf| leaf.lts.alphabet.as_slice()), problem.events);
    let mut reached = vec![false; leaves.len()];
    let mut layers: Vec<Vec<usize>> = Vec::new();
    let mut layer: Vec<usize> = (0..leaves.len()).filter(is_first).collect();
    while !layer.is_empty() {
        layer.iter().for_each(|&part| reached[part] = true);
        let mut next = Vec::new();
        for &event in layer.iter().flat_map(|&part| &leaves[part].lts.alphabet) {
            for &other in participants.of(event) {
                if !std::mem::replace(&mut reached[other as usize], true) {
                    next.push(other as usize);
                }
            }
        }
        layers.push(std::mem::replace(&mut layer, next));
    }
    layers.push((0..leaves.len()).filter(|&part| !reached[part]).collect());
    layers
}

/// An event that one of the states does not refuse although its class does, and the states of the class that do not.
fn disagreement(partition: &Partition<'_>, class: u32, states: &[u32]) -> (u32, Vec<u32>) {
    let always = &partition.always[class as usize];
    let offered = states.iter().flat_map(|&state| partition.leaf.ready(state));
    let event = offered.into_iter().find(|event| always.binary_search(event).is_err()).unwrap_or(TAU);
    let is_ready = |state: &u32| partition.leaf.ready(*state).binary_search(&event).is_ok();
    (event, partition.members(class).iter().copied().filter(is_ready).collect())
}

/// The final partitions.
fn proof(problem: &Problem<'_>, partitions: &[Partition<'_>]) -> CompositionProof {
    let mut proof = problem.trivial_proof();
    let leaves = match &mut proof.root {
        Node { parts: Parts::Nodes(nodes), .. } => nodes.as_mut_slice(),
        leaf => std::slice::from_mut(leaf),
    };
    for (leaf, partition) in leaves.iter_mut().zip(partitions) {
        leaf.classes = partition.listed();
    }
    proof
}
