//! Variables that take a few constants: states of hand-written machines, flags.
//!
//! If every value that is assigned to a variable is a constant, or that of another such variable, then a predicate that
//! compares it with a constant is decided by every assignment: it costs no question and makes no choice. Refinement finds
//! such predicates one at a time, and a machine with a hundred states would need a hundred rounds. So when one of them is
//! needed, all that guards and propositions ask about the variable come along, at all nodes where its value matters still.
//! A variable that counts has too many values for that; those that it has on paths come along.

use crate::graph::Graph;
use crate::path::atoms;
use bitvector::{Op, TermId};
use std::collections::{HashMap, HashSet};

/// The variables that take constants only, and what is asked about each.
#[derive(Debug, Default)]
pub(crate) struct Enumerated {
    /// By variable: the atoms of guards and propositions that speak of it alone.
    questions: HashMap<TermId, Vec<TermId>>,
    /// The variables that take constants, or count; and those of them that count.
    followable: HashSet<TermId>,
    counters: HashSet<TermId>,
    /// The values of counters that were seen, the predicates that follow them, and how often each was in the way.
    seen: HashMap<TermId, HashSet<TermId>>,
    followed: HashSet<TermId>,
    in_the_way: HashMap<TermId, u32>,
    /// Variables about which everything is asked already.
    complete: HashSet<TermId>,
}

/// A counter with more values than this is not followed by its values.
const MOST_VALUES: usize = 32;
/// So often the preconditions are tried first: what matters may be whether a counter is even.
const PATIENCE: u32 = 2;

impl Enumerated {
    /// Looks at all assignments and guards.
    pub(crate) fn new(graph: &Graph) -> Self {
        let values = assigned(graph);
        let takes_constants = closed(graph, &values, false);
        let mut questions: HashMap<TermId, Vec<TermId>> = HashMap::new();
        let guards: HashSet<TermId> = graph.steps.iter().map(|step| step.guard).collect();
        let mut conditions: Vec<TermId> = guards.into_iter().chain(graph.propositions.iter().copied()).collect();
        conditions.sort_unstable();
        for atom in conditions.into_iter().flat_map(|condition| atoms(graph, condition)) {
            if let [variable] = graph.terms.free_variables(&[atom])[..]
                && takes_constants.contains(&variable)
            {
                let known = questions.entry(variable).or_default();
                if !known.contains(&atom) {
                    known.push(atom);
                }
            }
        }
        let followable = closed(graph, &values, true);
        let counters = followable.difference(&takes_constants).copied().collect();
        Enumerated { questions, followable, counters, ..Enumerated::default() }
    }

    /// Whether a variable takes constants, or counts from them.
    pub(crate) fn is_followable(&self, variable: TermId) -> bool {
        self.followable.contains(&variable)
    }

    /// Whether a variable counts.
    pub(crate) fn counts(&self, variable: TermId) -> bool {
        self.counters.contains(&variable)
    }

    /// Notes a value of a counter. Whether it is one of a few.
    pub(crate) fn takes(&mut self, variable: TermId, value: TermId) -> bool {
        let seen = self.seen.entry(variable).or_default();
        seen.insert(value);
        seen.len() <= MOST_VALUES
    }

    /// Whether a predicate is one of these questions, or follows a counter: every assignment decides it.
    pub(crate) fn asks(&self, predicate: TermId) -> bool {
        self.followed.contains(&predicate) || self.questions.values().any(|known| known.contains(&predicate))
    }

    /// Notes that counters are in the way of a path. Whether that was so often enough to follow them.
    pub(crate) fn are_in_the_way(&mut self, counters: &HashSet<TermId>) -> bool {
        counters.iter().fold(true, |often, &counter| {
            let times = self.in_the_way.entry(counter).or_default();
            *times += 1;
            often && *times > PATIENCE
        })
    }

    /// Notes a predicate that follows a counter.
    pub(crate) fn follow(&mut self, predicate: TermId) {
        self.followed.insert(predicate);
    }

    /// What is asked about a variable, if it takes constants only, and was not asked yet.
    pub(crate) fn about(&self, variable: TermId) -> &[TermId] {
        match self.complete.contains(&variable) {
            true => &[],
            false => self.questions.get(&variable).map_or(&[], Vec::as_slice),
        }
    }

    /// Notes that everything is asked about a variable.
    pub(crate) fn complete(&mut self, variable: TermId) {
        self.complete.insert(variable);
    }
}

/// The values that are assigned to each variable. What is left open at a declaration, and assigned before it is read, is
/// no value.
fn assigned(graph: &Graph) -> HashMap<TermId, Vec<TermId>> {
    let mut values: HashMap<TermId, Vec<TermId>> =
        graph.variables.iter().copied().zip(graph.first.iter().map(|&value| vec![value])).collect();
    let mut mattering: HashMap<TermId, HashSet<u32>> = HashMap::new();
    for step in &graph.steps {
        for &(variable, value) in &step.update {
            let variable = graph.variables[variable.0 as usize];
            let counts = !step.open.contains(&value) || {
                let nodes = mattering.entry(variable);
                nodes.or_insert_with(|| matters(graph, variable).into_iter().collect()).contains(&step.target)
            };
            if counts {
                values.entry(variable).or_default().push(value);
            }
        }
    }
    values
}

/// The variables to which only constants and values of one another are assigned: the largest such set. If counting is
/// allowed, a constant may be added to such a value.
fn closed(graph: &Graph, values: &HashMap<TermId, Vec<TermId>>, counting: bool) -> HashSet<TermId> {
    let mut found: HashSet<TermId> = graph.variables.iter().copied().collect();
    loop {
        let fits =
            |value: TermId| sources(graph, value, counting).is_some_and(|from| from.iter().all(|v| found.contains(v)));
        let out: Vec<TermId> = found.iter().copied().filter(|v| !values[v].iter().all(|&value| fits(value))).collect();
        if out.is_empty() {
            return found;
        }
        for variable in out {
            found.remove(&variable);
        }
    }
}

/// The variables whose value a term takes over, if it is a choice of variables and constants.
fn sources(graph: &Graph, value: TermId, counting: bool) -> Option<Vec<TermId>> {
    let (mut found, mut todo, mut seen) = (Vec::new(), vec![value], HashSet::new());
    while let Some(next) = todo.pop() {
        if !seen.insert(next) {
            continue;
        }
        let node = graph.terms.node(next);
        match node.op() {
            Op::Const(_) => {}
            Op::Var(_) => found.push(next),
            Op::Ite => todo.extend_from_slice(&node.arguments()[1..]),
            Op::Add if counting && node.arguments().iter().any(|&part| graph.terms.as_const(part).is_some()) => {
                todo.extend_from_slice(node.arguments());
            }
            _ => return None,
        }
    }
    Some(found)
}

/// The nodes at which the value of a variable matters: some way from there reads it before it is assigned again.
pub(crate) fn matters(graph: &Graph, variable: TermId) -> Vec<u32> {
    let number = graph.variables.iter().position(|&v| v == variable);
    let assigns = |step: &crate::graph::Step| step.update.iter().any(|(v, _)| Some(v.0 as usize) == number);
    let reads = |step: &crate::graph::Step| {
        let relevant = step.update.iter().filter(|(v, _)| graph.relevant[v.0 as usize]).map(|&(_, value)| value);
        let terms: Vec<TermId> = relevant.chain([step.guard]).collect();
        graph.terms.free_variables(&terms).contains(&variable)
    };
    let mut coming: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes.len()];
    let (mut matters, mut todo) = (vec![false; graph.nodes.len()], Vec::new());
    for step in &graph.steps {
        if reads(step) {
            todo.push(step.source);
        }
        if !assigns(step) {
            coming[step.target as usize].push(step.source);
        }
    }
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut matters[node as usize], true) {
            todo.extend(&coming[node as usize]);
        }
    }
    (0..graph.nodes.len() as u32).filter(|&node| matters[node as usize]).collect()
}
