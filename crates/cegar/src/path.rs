//! Paths of one component: can the program take them, and if not, which predicates say why?
//!
//! A [`Path`] is a sequence of steps from the beginning, with the truths of the propositions in between (a formula saw
//! them, so they belong to what has to be possible). It is executed with symbols for the inputs: every step adds its guard.
//! If the guards cannot hold together, a small core of them says why, and their weakest preconditions, at every node on the
//! way back to the beginning, are new predicates: with them the abstraction knows, step by step, whether the guards of the
//! core hold. A precondition that has become a constant needs no predicates before that; one that speaks of an input says
//! nothing about the states before, and is dropped. If nothing new comes of it, the values that the variables of the core
//! have on this path, where they are constants, are new predicates instead; and at last, that a variable has one of the
//! few constants that the program mentions. Variables that take constants only are followed as a whole (`enumerated`).

use crate::abstraction::{Predicates, literal};
use crate::enumerated::{Enumerated, matters};
use crate::graph::Graph;
use crate::meter::Meter;
use crate::system::Examined;
use bitvector::{Embedded, Model, Op, Outcome, Sort, TermId};
use cfront::program::VariableId;
use model::verdict::Reason;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

/// More constants than this are too many to ask for each.
const MOST_CONSTANTS: usize = 12;

/// More guards than this are not compared with one another.
const MOST_COMPARED: usize = 40;

/// Steps from the beginning, and the truths of propositions in each state, one more than there are steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) steps: Vec<u32>,
    pub(crate) truths: Vec<Vec<bool>>,
}

/// A path that was executed with symbols.
pub(crate) struct Execution {
    /// What must hold, over inputs; where it comes from.
    constraints: Vec<(TermId, Origin)>,
    /// The values of the variables in each state, over inputs.
    pub(crate) values: Vec<Vec<TermId>>,
    /// The inputs that the interpreter will ask for, by step; those of the beginning come first.
    pub(crate) inputs: Vec<Vec<(VariableId, TermId)>>,
}

/// Where a constraint comes from: in which state, and what it says there about the variables.
#[derive(Clone, Copy, Debug)]
struct Origin {
    state: usize,
    condition: TermId,
}

/// What came of a path.
pub(crate) enum Feasibility {
    /// The program can take it, with these inputs.
    Possible(Model),
    /// It cannot, and this is what cannot be: places in the list of constraints.
    Impossible(Vec<usize>),
}

/// Executes a path with symbols.
pub(crate) fn execute(graph: &mut Graph, path: &Path) -> Execution {
    let mut values = graph.first.clone();
    let mut execution =
        Execution { constraints: Vec::new(), values: Vec::new(), inputs: vec![graph.first_inputs.clone()] };
    see(graph, path, 0, &values, &mut execution);
    for (number, &step) in path.steps.iter().enumerate() {
        let step = graph.steps[step as usize].clone();
        let mut meaning: HashMap<TermId, TermId> =
            graph.variables.iter().copied().zip(values.iter().copied()).collect();
        let mut fresh = HashMap::new();
        for &input in &step.open {
            let name = format!("{}@{number}", graph.terms.name(input).unwrap_or("input"));
            let sort = graph.terms.sort(input);
            let renamed = graph.terms.var(&name, sort);
            meaning.insert(input, renamed);
            fresh.insert(input, renamed);
        }
        let guard = graph.terms.substitute(step.guard, &meaning);
        execution.constraints.push((guard, Origin { state: number, condition: step.guard }));
        let asked = step.inputs.iter().map(|(variable, input)| (*variable, fresh[input]));
        execution.inputs.push(asked.collect());
        execution.values.push(values.clone());
        let new: Vec<(VariableId, TermId)> =
            step.update.iter().map(|&(variable, value)| (variable, graph.terms.substitute(value, &meaning))).collect();
        new.into_iter().for_each(|(variable, value)| values[variable.0 as usize] = value);
        see(graph, path, number + 1, &values, &mut execution);
    }
    execution.values.push(values);
    execution
}

/// The propositions have their truths.
fn see(graph: &mut Graph, path: &Path, state: usize, values: &[TermId], execution: &mut Execution) {
    let meaning: HashMap<TermId, TermId> = graph.variables.iter().copied().zip(values.iter().copied()).collect();
    for (proposition, &truth) in graph.propositions.clone().into_iter().zip(&path.truths[state]) {
        let condition = literal(graph, proposition, truth);
        let constraint = graph.terms.substitute(condition, &meaning);
        execution.constraints.push((constraint, Origin { state, condition }));
    }
}

impl Execution {
    /// What must hold, over inputs.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = TermId> + '_ {
        self.constraints.iter().map(|&(constraint, _)| constraint)
    }

    /// Of the guards that are false whatever the inputs are, the one that needs the fewest new predicates.
    fn cheapest(&self, examined: &mut Examined, path: &Path, meter: &Meter<'_>) -> Result<Option<usize>, Reason> {
        let Examined { graph, enumerated, predicates, .. } = examined;
        let mut best = None;
        let false_ones = (0..self.constraints.len()).filter(|&place| {
            let constraint = self.constraints[place].0;
            graph.terms.as_const(constraint) == Some(0)
        });
        for place in false_ones.take(MOST_COMPARED).collect::<Vec<_>>() {
            meter.cx.check()?;
            let Origin { state, condition } = self.constraints[place].1;
            let wanted = preconditions(graph, path, 0..=state, condition);
            let new =
                |(state, atom): &&(usize, TermId)| !predicates.at[node_at(graph, path, *state) as usize].contains(atom);
            let cost = wanted.iter().filter(new).count();
            let variables = graph.terms.free_variables(&[condition]);
            let more: usize = variables.into_iter().map(|variable| together(graph, enumerated, variable).len()).sum();
            // What needs nothing new is of no use.
            if cost + more > 0 && best.is_none_or(|(least, _)| cost + more < least) {
                best = Some((cost + more, place));
            }
        }
        Ok(best.map(|(_, place)| place))
    }

    /// Whether the program can take the path.
    pub(crate) fn feasible(
        &self,
        examined: &mut Examined,
        path: &Path,
        meter: &mut Meter<'_>,
    ) -> Result<Feasibility, Reason> {
        if let Some(place) = self.cheapest(examined, path, meter)? {
            return Ok(Feasibility::Impossible(vec![place]));
        }
        let Examined { graph, solver, .. } = examined;
        let parts: Vec<TermId> = self.constraints.iter().map(|&(constraint, _)| constraint).collect();
        match meter.ask(solver, &graph.terms, &parts)? {
            Outcome::Sat(model) => Ok(Feasibility::Possible(model)),
            Outcome::Unsat(core) => {
                let core = meter.core(solver, &graph.terms, &core);
                let known = |part: &TermId| self.constraints.iter().position(|(constraint, _)| constraint == part);
                Ok(Feasibility::Impossible(core.iter().filter_map(known).collect()))
            }
            Outcome::Unknown(_) => Err(Reason::NotProvable(String::from("the solver did not decide a path"))),
        }
    }

    /// Inputs with which the program takes the path and `more` holds, if there are any.
    pub(crate) fn inputs_with(
        &self,
        graph: &Graph,
        more: TermId,
        solver: &mut Embedded,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Model>, Reason> {
        let mut parts: Vec<TermId> = self.constraints.iter().map(|&(constraint, _)| constraint).collect();
        parts.push(more);
        match meter.ask(solver, &graph.terms, &parts)? {
            Outcome::Sat(model) => Ok(Some(model)),
            _ => Ok(None),
        }
    }

    /// The relevant variables have the same values in two states.
    pub(crate) fn closes(&self, graph: &mut Graph, from: usize, to: usize) -> TermId {
        let (a, b) = (&self.values[from], &self.values[to]);
        let relevant = (0..a.len()).filter(|&number| graph.relevant[number]).collect::<Vec<_>>();
        let same: Vec<TermId> = relevant.into_iter().map(|number| graph.terms.eq(a[number], b[number])).collect();
        graph.terms.and_all(&same)
    }

    /// New predicates that keep the abstraction from this path. Whether there are any.
    /// `wide`: what the core speaks of is looked at everywhere from now on.
    pub(crate) fn refine(&self, examined: &mut Examined, path: &Path, core: &[usize], wide: bool) -> bool {
        let Examined { graph, enumerated, predicates, .. } = examined;
        let mut new = self.counted(graph, enumerated, path, core, predicates);
        if new {
            return true;
        }
        for &place in core {
            let Origin { state, condition } = self.constraints[place].1;
            for (state, atom) in preconditions(graph, path, 0..=state, condition) {
                new |= predicates.add(graph, node_at(graph, path, state), atom);
            }
            if wide {
                everywhere(graph, condition, predicates);
            }
        }
        let mut named: Vec<TermId> = self.named(graph, core).into_iter().collect();
        named.sort_unstable();
        for variable in named {
            for (node, atom) in together(graph, enumerated, variable) {
                new |= predicates.add(graph, node, atom);
            }
            enumerated.complete(variable);
        }
        new || self.constants(graph, path, core, true, predicates)
            || self.constants(graph, path, core, false, predicates)
            || self.mentioned(graph, path, core, true, predicates)
            || self.mentioned(graph, path, core, false, predicates)
    }

    /// Counters that have only a few values on paths are followed by these values, wherever they matter: `count == 2` is
    /// decided by whatever is done to `count`, but `count + 1 < 3` asks for `count + 2 < 3` next.
    fn counted(
        &self,
        graph: &mut Graph,
        enumerated: &mut Enumerated,
        path: &Path,
        core: &[usize],
        predicates: &mut Predicates,
    ) -> bool {
        let numbers: HashMap<TermId, usize> = graph.variables.iter().enumerate().map(|(n, &v)| (v, n)).collect();
        let (mut values, mut counters) = (Vec::new(), HashSet::new());
        for &place in core {
            let Origin { state, condition } = self.constraints[place].1;
            for (state, atom) in preconditions(graph, path, 0..=state, condition) {
                for variable in graph.terms.free_variables(&[atom]) {
                    if enumerated.counts(variable) {
                        counters.insert(variable);
                    }
                    let value = numbers.get(&variable).map(|&number| self.values[state][number]);
                    let constant = value.filter(|&value| graph.terms.as_const(value).is_some());
                    match constant.filter(|_| enumerated.is_followable(variable)) {
                        Some(value) => values.push((state, variable, value)),
                        None => return false,
                    }
                }
            }
        }
        let follow = !counters.is_empty() && enumerated.are_in_the_way(&counters);
        if !follow || !values.iter().all(|&(_, variable, value)| enumerated.takes(variable, value)) {
            return false;
        }
        let mut new = false;
        for (state, variable, value) in values {
            let equal = graph.terms.eq(variable, value);
            enumerated.follow(equal);
            new |= predicates.add(graph, node_at(graph, path, state), equal);
            for node in matters(graph, variable) {
                new |= predicates.add(graph, node, equal);
            }
        }
        new
    }

    /// Whether variables have one of the constants that guards, propositions and assignments mention.
    fn mentioned(
        &self,
        graph: &mut Graph,
        path: &Path,
        core: &[usize],
        only_core: bool,
        predicates: &mut Predicates,
    ) -> bool {
        let named = self.named(graph, core);
        let mut roots: Vec<TermId> = graph.steps.iter().map(|step| step.guard).collect();
        roots.extend(graph.steps.iter().flat_map(|step| step.update.iter().map(|&(_, value)| value)));
        roots.extend(&graph.propositions);
        let parts = graph.terms.parts(&roots);
        let mut numbers: Vec<u128> = parts.iter().filter_map(|&part| graph.terms.as_const(part)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() > MOST_CONSTANTS {
            return false;
        }
        let mut new = false;
        for state in 0..=self.last(core) {
            let node = node_at(graph, path, state);
            for number in (0..graph.variables.len()).filter(|&number| graph.relevant[number]).collect::<Vec<_>>() {
                let variable = graph.variables[number];
                if only_core && !named.contains(&variable) {
                    continue;
                }
                let (sort, width) = (graph.terms.sort(variable), graph.terms.width(variable));
                for &bits in numbers.iter().filter(|&&bits| width >= 128 || bits >> width == 0) {
                    let constant = graph.terms.constant_of(sort, bits);
                    let equal = graph.terms.eq(variable, constant);
                    new |= graph.terms.as_const(equal).is_none() && predicates.add(graph, node, equal);
                }
            }
        }
        new
    }

    /// The variables that a core speaks of.
    fn named(&self, graph: &Graph, core: &[usize]) -> HashSet<TermId> {
        let conditions: Vec<TermId> = core.iter().map(|&place| self.constraints[place].1.condition).collect();
        graph.terms.free_variables(&conditions).into_iter().collect()
    }

    /// The last state that a core speaks of.
    fn last(&self, core: &[usize]) -> usize {
        core.iter().map(|&place| self.constraints[place].1.state).max().unwrap_or(0)
    }

    /// The values of variables, where they are constants on this path: of those in the core, or of all that matter.
    fn constants(
        &self,
        graph: &mut Graph,
        path: &Path,
        core: &[usize],
        only_core: bool,
        predicates: &mut Predicates,
    ) -> bool {
        let named = self.named(graph, core);
        let mut new = false;
        for state in 0..=self.last(core) {
            let node = node_at(graph, path, state);
            for number in 0..graph.variables.len() {
                let (variable, value) = (graph.variables[number], self.values[state][number]);
                let wanted = graph.relevant[number] && (!only_core || named.contains(&variable));
                if wanted && graph.terms.as_const(value).is_some() {
                    let equal = graph.terms.eq(variable, value);
                    new |= graph.terms.as_const(equal).is_none() && predicates.add(graph, node, equal);
                }
            }
        }
        new
    }
}

/// The node of a state of a path.
pub(crate) fn node_at(graph: &Graph, path: &Path, state: usize) -> u32 {
    match state.checked_sub(1) {
        None => graph.start,
        Some(before) => graph.steps[path.steps[before] as usize].target,
    }
}

/// What a condition in the last of these states needs: its atoms there, and their preconditions on the way back.
pub(crate) fn preconditions(
    graph: &mut Graph,
    path: &Path,
    states: RangeInclusive<usize>,
    condition: TermId,
) -> Vec<(usize, TermId)> {
    let variables: HashSet<TermId> = graph.variables.iter().copied().collect();
    let mut current = atoms(graph, condition);
    let mut wanted = Vec::new();
    let last = *states.end();
    for at in states.rev() {
        if at < last {
            let mut earlier = HashSet::new();
            for atom in std::mem::take(&mut current) {
                let before = graph.before(path.steps[at], atom);
                earlier.extend(atoms(graph, before));
            }
            current = earlier.into_iter().collect();
            current.sort_unstable();
        }
        let own = |graph: &Graph, atom: TermId| {
            let free = graph.terms.free_variables(&[atom]);
            !free.is_empty() && free.iter().all(|variable| variables.contains(variable))
        };
        current.retain(|&atom| own(graph, atom));
        if current.is_empty() {
            break;
        }
        wanted.extend(current.iter().map(|&atom| (at, atom)));
    }
    wanted
}

/// All that is asked about a variable that takes constants only, wherever its value matters.
fn together(graph: &Graph, enumerated: &Enumerated, variable: TermId) -> Vec<(u32, TermId)> {
    let atoms = enumerated.about(variable);
    if atoms.is_empty() {
        return Vec::new();
    }
    matters(graph, variable).into_iter().flat_map(|node| atoms.iter().map(move |&atom| (node, atom))).collect()
}

/// The atoms of a condition become predicates of all nodes: a flag that decides at one place decides at others.
fn everywhere(graph: &mut Graph, condition: TermId, predicates: &mut Predicates) {
    let variables: HashSet<TermId> = graph.variables.iter().copied().collect();
    for atom in atoms(graph, condition) {
        let free = graph.terms.free_variables(&[atom]);
        if !free.is_empty() && free.iter().all(|variable| variables.contains(variable)) {
            for node in 0..graph.nodes.len() as u32 {
                predicates.add(graph, node, atom);
            }
        }
    }
}

/// The parts of a condition that are no logic: comparisons and Boolean variables.
pub(crate) fn atoms(graph: &Graph, condition: TermId) -> Vec<TermId> {
    let (mut found, mut seen, mut todo) = (Vec::new(), HashSet::new(), vec![condition]);
    while let Some(next) = todo.pop() {
        if !seen.insert(next) {
            continue;
        }
        let node = graph.terms.node(next);
        let logic = match node.op() {
            Op::Not | Op::And | Op::Or => true,
            Op::Ite => node.sort() == Sort::Bool,
            Op::Eq => node.arguments().first().is_some_and(|&first| graph.terms.sort(first) == Sort::Bool),
            _ => false,
        };
        match node.op() {
            _ if logic => todo.extend_from_slice(node.arguments()),
            Op::Const(_) => {}
            _ => found.push(next),
        }
    }
    found
}
