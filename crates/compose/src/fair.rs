//! Infinite runs that are fair and that an automaton accepts.
//!
//! All states of the product with the automaton are stored, and all steps between them. Fairness is what steps *request* and
//! *grant* (Streett): a run counts if all that it requests again and again is granted again and again.
//!
//! * weak: every step requests each component; it grants those that take part in it, and those that cannot move before it;
//! * strong: a step requests the components that can move before it, and grants those that take part;
//! * fair choice: a step requests all steps of the state that it leaves, and grants itself.
//!
//! A run that goes round through all steps of a strongly connected component again and again grants whatever any run in it can.
//! So where a request is granted by no step there, the states that make it are taken away, and what is left is looked at again
//! (Emerson & Lei 1987). The run that is shown goes from one thing that must happen to the nearest other one.
//!
//! Whatever merges states or steps says too little here: of a class, it is not known who can move in it, nor which steps are the
//! alternatives of one choice. So the other methods are asked about *all* runs first: a proof is one for fair runs, too, and
//! the run that they find may be fair. Only then comes this one.

use crate::Verdict;
use crate::components::{NONE, components};
use crate::meter::Meter;
use crate::problem::Problem;
use crate::product::{Path, Product, Step};
use crate::progress::Graph;
use crate::search::breadth_first;
use crate::trace::RefinementTrace;
use crate::watch::Watch;
use crate::{Method, Statistics, TAU, answer_by, by};
use model::composition::{Atom, Progress, Question};
use model::fairness::Fairness;
use model::formula::Ltl;
use model::verdict::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Longer runs are of no use to anyone.
const LONGEST: usize = 1 << 18;

/// Answers for all runs by a method, and if this does not answer for fair ones, by looking at every state.
pub(crate) fn formula(
    problem: &Problem<'_>,
    (formula, fair): (&Ltl<Atom>, Fairness),
    method: Method,
    meter: &Meter<'_>,
    trace: &mut RefinementTrace<'_>,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    let all = Problem::new(problem.composition, Question::Formula(formula), &meter.budget())?;
    let found = answer_by(&all, method, meter, trace, statistics);
    match &found {
        Ok(Verdict::Holds(_)) => return found,
        Ok(Verdict::Fails(run)) if run.is_fair(problem.composition, fair) => return found,
        _ => {}
    }
    let Some(watch) = &problem.watch else { return found };
    by(statistics, &format!("{}, plain", fair.words()), |_| {
        let product = problem.product();
        let run = Arena::new(problem, &product, watch, fair, meter)?.run(meter)?;
        Ok(answer(problem, run))
    })
}

/// Progress of other runs than those under fair choice: each of them has the events again and again, and none comes to a bad
/// end.
pub(crate) fn progress(
    problem: &Problem<'_>,
    (progress, fair): (&Progress, Fairness),
    meter: &Meter<'_>,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    by(statistics, &format!("{}, plain", fair.words()), |_| {
        let product = problem.product();
        if progress.is_missed(&|_| false) {
            let ends = |state: &[u32], moves: bool| product.is_wrong(state) || !moves && !problem.is_done(state);
            if let Some(path) = breadth_first(&product, meter, ends)? {
                return Ok(answer(problem, Some(path)));
            }
        }
        for set in &progress.sets {
            let watch = Watch::missing(set, progress.condition.as_deref());
            if let Some(path) = Arena::new(problem, &product, &watch, fair, meter)?.run(meter)? {
                return Ok(answer(problem, Some(path)));
            }
        }
        Ok(answer(problem, None))
    })
}

fn answer(problem: &Problem<'_>, found: Option<Path>) -> Verdict {
    match found {
        Some(path) => Verdict::Fails(Box::new(problem.run(&path))),
        None => Verdict::Holds(Box::new(problem.trivial_proof())),
    }
}

/// A product with an automaton: pairs of their states, and steps between them.
struct Arena<'a> {
    product: &'a Product<'a>,
    watch: &'a Watch,
    fair: Fairness,
    graph: Graph,
    /// A state of the graph and one of the automaton.
    pairs: Vec<(u32, u32)>,
    /// How many of the pairs are the first ones of runs.
    initial: usize,
    /// Where the steps of each pair begin, and where the last ends.
    first: Vec<usize>,
    /// The number of the graph's step, and the pair that it leads to.
    steps: Vec<(u32, u32)>,
}

impl<'a> Arena<'a> {
    fn new(
        problem: &Problem<'_>,
        product: &'a Product<'a>,
        watch: &'a Watch,
        fair: Fairness,
        meter: &Meter<'_>,
    ) -> Result<Arena<'a>, Reason> {
        let graph = Graph::new(problem, meter)?;
        if graph.all_steps() >= u32::MAX as usize {
            return Err(Reason::States);
        }
        let pairs: Vec<(u32, u32)> = (0..graph.initial as u32).map(|state| (state, watch.initial)).collect();
        let mut number: FxHashMap<(u32, u32), u32> = pairs.iter().copied().zip(0..).collect();
        let (initial, first, steps) = (pairs.len(), vec![0], Vec::new());
        let mut arena = Arena { product, watch, fair, graph, pairs, initial, first, steps };
        let mut tuple = Vec::new();
        while let Some(&(state, at)) = arena.pairs.get(arena.first.len() - 1) {
            arena.graph.table.get(state, &mut tuple);
            let label = product.label(&tuple);
            for (index, &(step, to)) in arena.graph.numbered(state) {
                let letter = label | watch.event(step.event);
                for edge in watch.states[at as usize].edges.iter().filter(|edge| edge.allows(letter)) {
                    let next = *number.entry((to, edge.to)).or_insert_with(|| {
                        arena.pairs.push((to, edge.to));
                        arena.pairs.len() as u32 - 1
                    });
                    arena.steps.push((index, next));
                }
            }
            meter.spend(1 + arena.graph.steps(state).len())?;
            arena.first.push(arena.steps.len());
            meter.store(arena.pairs.len(), arena.graph.bytes() + arena.pairs.len() * 40 + arena.steps.len() * 8)?;
        }
        Ok(arena)
    }

    fn steps(&self, pair: u32) -> &[(u32, u32)] {
        &self.steps[self.first[pair as usize]..self.first[pair as usize + 1]]
    }

    fn is_accepting(&self, pair: u32) -> bool {
        self.watch.states[self.pairs[pair as usize].1 as usize].accepting
    }

    /// Visits the components that take part in a step.
    fn participants(&self, step: Step, visit: &mut dyn FnMut(u32)) {
        match step.event {
            TAU => visit(step.part),
            event => self.product.participants.of(event).iter().copied().for_each(visit),
        }
    }

    /// Who can move in a pair.
    fn enabled(&self, pair: u32) -> FxHashSet<u32> {
        let mut enabled = FxHashSet::default();
        for &(step, _) in self.graph.steps(self.pairs[pair as usize].0) {
            self.participants(step, &mut |part| {
                enabled.insert(part);
            });
        }
        enabled
    }

    /// What the steps of a pair request.
    fn requests(&self, pair: u32) -> FxHashSet<u32> {
        match self.fair {
            Fairness::None => FxHashSet::default(),
            Fairness::Weak => (0..self.product.parts.len() as u32).collect(),
            Fairness::Strong => self.enabled(pair),
            Fairness::Choice => self.graph.numbered(self.pairs[pair as usize].0).map(|(index, _)| index).collect(),
        }
    }

    /// What any step of a pair grants.
    fn spares(&self, pair: u32) -> FxHashSet<u32> {
        if self.fair != Fairness::Weak {
            return FxHashSet::default();
        }
        let enabled = self.enabled(pair);
        (0..self.product.parts.len() as u32).filter(|part| !enabled.contains(part)).collect()
    }

    /// Visits what a step grants, wherever it begins.
    fn serves(&self, index: u32, visit: &mut dyn FnMut(u32)) {
        match self.fair {
            Fairness::None => {}
            Fairness::Weak | Fairness::Strong => self.participants(self.graph.step(index).0, visit),
            Fairness::Choice => visit(index),
        }
    }

    /// A fair run that the automaton accepts.
    fn run(&self, meter: &Meter<'_>) -> Result<Option<Path>, Reason> {
        let mut kept = vec![true; self.pairs.len()];
        loop {
            let (component, count) =
                components(self.pairs.len(), &|pair| kept[pair as usize], &|pair| self.steps(pair), meter)?;
            let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
            for (pair, &own) in (0u32..).zip(&component).filter(|(_, own)| **own != NONE) {
                members[own as usize].push(pair);
            }
            let mut changes = false;
            for members in members {
                let inside = |&&(_, to): &&(u32, u32)| component[to as usize] == component[members[0] as usize];
                let mut granted: FxHashSet<u32> = FxHashSet::default();
                let mut cycles = false;
                for &pair in &members {
                    let mut stays = false;
                    for &(index, _) in self.steps(pair).iter().filter(inside) {
                        stays = true;
                        self.serves(index, &mut |request| {
                            granted.insert(request);
                        });
                    }
                    if stays {
                        granted.extend(self.spares(pair));
                    }
                    cycles |= stays;
                    meter.spend(1 + self.steps(pair).len())?;
                }
                if !cycles || !members.iter().any(|&pair| self.is_accepting(pair)) {
                    members.iter().for_each(|&pair| kept[pair as usize] = false);
                    continue;
                }
                let is_heard = |pair: u32| self.requests(pair).is_subset(&granted);
                let unheard: Vec<u32> = members.iter().copied().filter(|&pair| !is_heard(pair)).collect();
                if unheard.is_empty() {
                    return self.tour(&component, &members, meter).map(Some);
                }
                unheard.iter().for_each(|&pair| kept[pair as usize] = false);
                changes = true;
            }
            if !changes {
                return Ok(None);
            }
        }
    }

    /// A run into a strongly connected component, and round through it past an accepting pair and all that is requested.
    fn tour(&self, component: &[u32], members: &[u32], meter: &Meter<'_>) -> Result<Path, Reason> {
        let own = component[members[0] as usize];
        let mut wanted: FxHashSet<u32> = members.iter().flat_map(|&pair| self.requests(pair)).collect();
        let firsts: Vec<u32> = (0..self.initial as u32).collect();
        let knot = |pair: u32| component[pair as usize] == own && self.is_accepting(pair);
        let mut walk = Walk::default();
        walk.pairs.extend(firsts.iter().copied().find(|&pair| knot(pair)));
        if walk.pairs.is_empty() {
            self.nearest(&firsts, &|_| true, &|_, _, to| knot(to), &mut walk, meter)?;
        }
        let (from, knot) = (walk.steps.len(), walk.last());
        let inside = |pair: u32| component[pair as usize] == own;
        let mut seen = from;
        loop {
            for at in seen..walk.steps.len() {
                let spared = self.spares(walk.pairs[at]);
                wanted.retain(|request| !spared.contains(request));
                self.serves(walk.steps[at], &mut |request| {
                    wanted.remove(&request);
                });
            }
            seen = walk.steps.len();
            if wanted.is_empty() && walk.last() == knot && seen > from {
                break;
            }
            let useful = |pair: u32, index: u32, to: u32| {
                let mut serves = false;
                self.serves(index, &mut |request| serves |= wanted.contains(&request));
                match wanted.is_empty() {
                    true => to == knot,
                    false => serves || !self.spares(pair).is_disjoint(&wanted),
                }
            };
            let last = walk.last();
            self.nearest(&[last], &inside, &useful, &mut walk, meter)?;
            if walk.steps.len() > LONGEST {
                return Err(Reason::NotProvable(format!("a fair run that violates it has more than {LONGEST} steps")));
            }
        }
        let mut path = Path { loop_from: Some(from), ..Path::default() };
        for &pair in &walk.pairs {
            let mut tuple = Vec::new();
            self.graph.table.get(self.pairs[pair as usize].0, &mut tuple);
            path.states.push(tuple);
        }
        path.steps = walk.steps.iter().map(|&index| self.graph.step(index).0).collect();
        Ok(path)
    }

    /// Goes on along a shortest way with a step at its end that is useful.
    fn nearest(
        &self,
        starts: &[u32],
        may_pass: &dyn Fn(u32) -> bool,
        useful: &dyn Fn(u32, u32, u32) -> bool,
        walk: &mut Walk,
        meter: &Meter<'_>,
    ) -> Result<(), Reason> {
        // By pair, the pair before it and the step from there.
        let mut before: FxHashMap<u32, Option<(u32, u32)>> = starts.iter().map(|&start| (start, None)).collect();
        let mut waiting: VecDeque<u32> = starts.iter().copied().collect();
        while let Some(pair) = waiting.pop_front() {
            meter.spend(1 + self.steps(pair).len())?;
            for &(index, to) in self.steps(pair).iter().filter(|step| may_pass(step.1)) {
                if useful(pair, index, to) {
                    let mut back = vec![(Some(index), to)];
                    let mut at = pair;
                    while let Some(&Some((earlier, step))) = before.get(&at) {
                        back.push((Some(step), at));
                        at = earlier;
                    }
                    back.extend(walk.pairs.is_empty().then_some((None, at)));
                    for (step, pair) in back.into_iter().rev() {
                        walk.steps.extend(step);
                        walk.pairs.push(pair);
                    }
                    return Ok(());
                }
                before.entry(to).or_insert_with(|| {
                    waiting.push_back(to);
                    Some((pair, index))
                });
            }
        }
        Err(Reason::Internal(String::from("a strongly connected component is none")))
    }
}

/// Pairs one after the other, and the steps in between.
#[derive(Default)]
struct Walk {
    pairs: Vec<u32>,
    steps: Vec<u32>,
}

impl Walk {
    fn last(&self) -> u32 {
        self.pairs.last().copied().unwrap_or_default()
    }
}
