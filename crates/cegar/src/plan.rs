//! What has to be asked about a step, for all abstract states at once.
//!
//! Which predicates a step changes does not depend on the state that takes it. Of the predicates at its target, most are
//! known without a question: the step does not touch them, or makes them true or false whatever was before. What remains
//! depends on a part of the source's predicates only: on those that share variables with the guard and with what is asked,
//! directly or through other predicates. The rest is independent of it, so it can be left out without a loss: an abstract
//! state has a concrete one, and its parts over different variables can be chosen freely. Fewer truths to look at mean fewer
//! questions, because more states ask the same.

use crate::abstraction::Predicates;
use crate::graph::Graph;
use bitvector::TermId;
use std::collections::{HashMap, HashSet};

/// How the truth of a predicate after a step is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum After {
    /// As that of a predicate before.
    Same(usize),
    /// The opposite of that of a predicate before.
    Opposite(usize),
    /// Always this.
    Always(bool),
    /// By the next of the answers.
    Queried,
}

/// What a step does to predicates.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// For each predicate of the target.
    pub(crate) after: Vec<After>,
    /// What is asked: conditions before the step.
    pub(crate) asked: Vec<TermId>,
    /// The predicates of the source that matter for the guard and for what is asked.
    pub(crate) matter: Vec<usize>,
    /// The guard, if it is a predicate of the source or the opposite of one: which, and the truth that it needs.
    pub(crate) guard: Option<(usize, bool)>,
}

/// The free variables of terms, each found once.
#[derive(Default)]
pub(crate) struct Free(HashMap<TermId, Vec<TermId>>);

impl Free {
    fn of(&mut self, graph: &Graph, term: TermId) -> &[TermId] {
        self.0.entry(term).or_insert_with(|| graph.terms.free_variables(&[term]))
    }
}

/// Plans a step.
pub(crate) fn plan(graph: &mut Graph, predicates: &Predicates, step: u32, free: &mut Free) -> Plan {
    let (source, target) = (graph.steps[step as usize].source, graph.steps[step as usize].target);
    let here: HashMap<TermId, usize> =
        predicates.at[source as usize].iter().enumerate().map(|(number, &predicate)| (predicate, number)).collect();
    let known = |graph: &mut Graph, condition: TermId| match here.get(&condition) {
        Some(&number) => Some((number, true)),
        None => {
            let opposite = graph.terms.not(condition);
            here.get(&opposite).map(|&number| (number, false))
        }
    };
    let (mut after, mut asked) = (Vec::new(), Vec::new());
    for &predicate in &predicates.at[target as usize] {
        let image = graph.before(step, predicate);
        after.push(match (graph.terms.as_const(image), known(graph, image)) {
            (Some(bits), _) => After::Always(bits != 0),
            (None, Some((number, true))) => After::Same(number),
            (None, Some((number, false))) => After::Opposite(number),
            (None, None) => {
                asked.push(image);
                After::Queried
            }
        });
    }
    let guard = graph.steps[step as usize].guard;
    let roots: Vec<TermId> = asked.iter().copied().chain([guard]).collect();
    let matter = connected(graph, &predicates.at[source as usize], &roots, free);
    let guard = known(graph, guard);
    Plan { after, asked, matter, guard }
}

/// The predicates that share variables with some terms, directly or through one another.
fn connected(graph: &Graph, here: &[TermId], roots: &[TermId], free: &mut Free) -> Vec<usize> {
    let mut reached: HashSet<TermId> = HashSet::new();
    for &root in roots {
        reached.extend(free.of(graph, root));
    }
    let mut taken = vec![false; here.len()];
    loop {
        let mut more = false;
        for (number, &predicate) in here.iter().enumerate() {
            if !taken[number] && free.of(graph, predicate).iter().any(|variable| reached.contains(variable)) {
                taken[number] = true;
                more = true;
                reached.extend(free.of(graph, predicate));
            }
        }
        if !more {
            return (0..here.len()).filter(|&number| taken[number]).collect();
        }
    }
}
