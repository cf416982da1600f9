//! Weights under which no cycle gains, by cycle generation; or a combination of cycles that forbids them.
//!
//! For given weights, a cycle that gains is one shortest-path search per instance. Each one that is found becomes a row of
//! a *master problem over the weights alone*, which is small and solved exactly; then the search goes on with the new
//! weights. Nothing enumerates cycles (Ciclo, section IV-C, has one variable for each). When the master problem has no
//! solution, its Farkas multipliers combine the cycles that were found into a walk that takes nothing and adds something:
//! the papers' counterexample.

use crate::graph::{Graph, Search};
use crate::net::Net;
use linear::{Outcome, Problem, Rational, Variable, common_denominator};
use model::verdict::Reason;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

/// The work of a search, per transition, and of a pivot, per row and column.
const SEARCH: usize = 8;
const PIVOT: usize = 32;

/// A cycle: transitions in order.
pub type Cycle = Vec<u32>;

/// The transitions that are looked at, as graphs.
pub struct Frame<'n> {
    /// The net.
    pub net: &'n Net,
    /// One graph per instance.
    pub graphs: Vec<Graph>,
    /// Per instance: the counters that it changes.
    pub counters: Vec<Vec<u32>>,
    instances_of: HashMap<u32, Vec<u32>>,
}

impl<'n> Frame<'n> {
    /// The graphs of the transitions that are alive.
    pub fn new(net: &'n Net, alive: &[bool]) -> Self {
        let mut instances_of: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut graphs = Vec::with_capacity(net.of_instance.len());
        let mut all = Vec::with_capacity(net.of_instance.len());
        for (instance, range) in net.of_instance.iter().enumerate() {
            let mut edges = Vec::new();
            let mut counters = BTreeSet::new();
            for id in range.clone().filter(|&t| alive[t as usize]) {
                let transition = &net.transitions[id as usize];
                edges.push((transition.from, transition.to, id));
                counters.extend(transition.effects.iter().map(|(c, _)| *c));
            }
            for &counter in &counters {
                instances_of.entry(counter).or_default().push(instance as u32);
            }
            all.push(counters.into_iter().collect());
            graphs.push(Graph::new(net.graph_nodes[instance] as usize, edges));
        }
        Frame { net, graphs, counters: all, instances_of }
    }

    /// A cycle of an instance that gains under the weights.
    fn gaining(&self, instance: u32, weights: &[Rational]) -> Result<Option<Cycle>, TooLarge> {
        let counters = &self.counters[instance as usize];
        if counters.iter().all(|&c| weights[c as usize].is_zero()) {
            return Ok(None);
        }
        let used: Vec<Rational> = counters.iter().map(|&c| weights[c as usize].clone()).collect();
        let whole = whole_numbers(&used)?;
        let whole: HashMap<u32, i128> = counters.iter().copied().zip(whole).collect();
        let cost = |t: u32| gain(&self.net.transitions[t as usize].effects, |c| whole[&c]);
        match self.graphs[instance as usize].search(&cost) {
            Search::Cycle(cycle) => Ok(Some(cycle)),
            Search::Distances(_) => Ok(None),
        }
    }

    /// What it takes to search the graph of an instance.
    fn work(&self, instance: u32) -> usize {
        SEARCH * (1 + self.net.of_instance[instance as usize].len())
    }

    /// The sum of the effects of transitions.
    pub fn effect<'a>(&self, transitions: impl IntoIterator<Item = &'a u32>) -> BTreeMap<u32, i64> {
        let mut sum = BTreeMap::new();
        for &t in transitions {
            for &(counter, change) in &self.net.transitions[t as usize].effects {
                *sum.entry(counter).or_default() += change;
            }
        }
        sum.retain(|_, change| *change != 0);
        sum
    }
}

/// What effects weigh.
pub fn gain(effects: &[(u32, i64)], weight: impl Fn(u32) -> i128) -> i128 {
    effects.iter().map(|&(counter, change)| weight(counter) * i128::from(change)).sum()
}

/// A number does not fit.
#[derive(Debug)]
pub struct TooLarge;

impl From<TooLarge> for Reason {
    fn from(TooLarge: TooLarge) -> Reason {
        Reason::Numbers(String::from("a proof has numbers that do not fit into 64 bits"))
    }
}

/// Multiplies numbers by their common denominator.
pub fn whole_numbers(numbers: &[Rational]) -> Result<Vec<i128>, TooLarge> {
    let fits = |n: Option<i128>| n.filter(|n| n.unsigned_abs() < 1 << 80).ok_or(TooLarge);
    if numbers.iter().all(Rational::is_integer) {
        return numbers.iter().map(|n| fits(n.to_i128())).collect();
    }
    let denominator = common_denominator(numbers);
    numbers.iter().map(|n| fits((n * &denominator).to_i128())).collect()
}

/// Weights, or why there are none.
pub enum Weighed {
    /// Under these weights no cycle gains.
    Weights(Vec<Rational>),
    /// These cycles together, so many times each, gain under all weights.
    Combination(Vec<(Cycle, Rational)>),
    /// There was no more time.
    Stopped,
    /// Numbers became too large.
    TooLarge,
}

/// The master problem.
pub struct Master<'f, 'n> {
    frame: &'f Frame<'n>,
    /// The least weight of each counter; none for one that does not count.
    least: &'f [Option<i64>],
    /// What a unit of weight costs.
    cost: &'f dyn Fn(u32) -> i64,
    /// The problem.
    pub(crate) problem: Problem,
    columns: HashMap<u32, (Variable, Option<Variable>)>,
    cycles: Vec<Cycle>,
    /// The weights that solve it.
    pub weights: Vec<Rational>,
    /// How many cycles were generated.
    pub generated: usize,
    dirty: BTreeSet<u32>,
}

impl<'f, 'n> Master<'f, 'n> {
    /// A master problem without a row: every counter has its least weight.
    pub fn new(frame: &'f Frame<'n>, least: &'f [Option<i64>], cost: &'f dyn Fn(u32) -> i64) -> Self {
        Master {
            frame,
            least,
            cost,
            problem: Problem::new(),
            columns: HashMap::new(),
            cycles: Vec::new(),
            weights: least.iter().map(|w| Rational::from(w.unwrap_or(0))).collect(),
            generated: 0,
            dirty: (0..frame.graphs.len() as u32).collect(),
        }
    }

    fn column(&mut self, counter: u32) -> (Variable, Option<Variable>) {
        if let Some(&known) = self.columns.get(&counter) {
            return known;
        }
        let cost = Rational::from((self.cost)(counter));
        let up = self.problem.add_variable(cost.clone());
        let balances = self.frame.net.counters[counter as usize].balances();
        let down = balances.then(|| self.problem.add_variable(cost));
        self.columns.insert(counter, (up, down));
        (up, down)
    }

    /// `sum of effects <= bound + slack`, for a cycle, a path, or anything else with effects.
    fn row(&mut self, effects: &BTreeMap<u32, i64>, extra: &[(Variable, Rational)], bound: i64) {
        let mut row: Vec<(Variable, Rational)> = extra.to_vec();
        let mut bound = bound;
        for (&counter, &change) in effects {
            let Some(least) = self.least[counter as usize] else { continue };
            bound -= least * change;
            let (up, down) = self.column(counter);
            row.push((up, Rational::from(change)));
            row.extend(down.map(|down| (down, Rational::from(-change))));
        }
        self.problem.add_row(&row, Rational::from(bound));
    }

    /// A row that is no cycle.
    pub(crate) fn add_other(&mut self, effects: &BTreeMap<u32, i64>, extra: &[(Variable, Rational)], bound: i64) {
        self.row(effects, extra, bound);
        self.cycles.push(Vec::new());
    }

    /// A cycle that may not gain.
    fn add_cycle(&mut self, cycle: Cycle) {
        let effects = self.frame.effect(&cycle);
        self.row(&effects, &[], 0);
        self.cycles.push(cycle);
        self.generated += 1;
    }

    /// A closed walk that should lose at least 1; it is dear if it cannot.
    fn add_losing(&mut self, effects: &BTreeMap<u32, i64>) {
        let slack = self.problem.add_variable(Rational::from(1_000_000));
        self.row(effects, &[(slack, Rational::from(-1))], -1);
        self.cycles.push(Vec::new());
        self.generated += 1;
    }

    /// Solves the problem and takes over the weights.
    pub(crate) fn solve(&mut self, keep_going: &mut dyn FnMut(usize) -> bool) -> Option<Weighed> {
        let pivot = PIVOT * (1 + self.cycles.len() + self.columns.len());
        match self.problem.solve(&mut || keep_going(pivot)) {
            Outcome::Optimal(solution) => {
                let columns: Vec<(u32, (Variable, Option<Variable>))> =
                    self.columns.iter().map(|(&c, &v)| (c, v)).collect();
                for (counter, (up, down)) in columns {
                    let least = Rational::from(self.least[counter as usize].unwrap_or(0));
                    let mut weight = &least + &solution.values[up.0 as usize];
                    if let Some(down) = down {
                        weight = &weight - &solution.values[down.0 as usize];
                    }
                    if weight != self.weights[counter as usize] {
                        self.weights[counter as usize] = weight;
                        self.dirty.extend(self.frame.instances_of.get(&counter).into_iter().flatten());
                    }
                }
                None
            }
            Outcome::Infeasible(multipliers) => {
                let cycles = multipliers.into_iter().filter(|(_, m)| m.is_positive());
                let cycles = cycles.map(|(row, m)| (self.cycles[row.0 as usize].clone(), m));
                Some(Weighed::Combination(cycles.collect()))
            }
            Outcome::Unbounded(_) | Outcome::Stopped => Some(Weighed::Stopped),
        }
    }

    /// Adds cycles that gain until none does.
    pub fn generate(&mut self, keep_going: &mut dyn FnMut(usize) -> bool) -> Weighed {
        loop {
            let mut found = Vec::new();
            let mut again = BTreeSet::new();
            for instance in std::mem::take(&mut self.dirty) {
                match self.frame.gaining(instance, &self.weights) {
                    Ok(Some(cycle)) => {
                        again.insert(instance);
                        found.push(cycle);
                    }
                    Ok(None) => {}
                    Err(TooLarge) => return Weighed::TooLarge,
                }
                if !keep_going(self.frame.work(instance)) {
                    return Weighed::Stopped;
                }
            }
            if found.is_empty() {
                return Weighed::Weights(self.weights.clone());
            }
            self.dirty = again;
            found.into_iter().for_each(|cycle| self.add_cycle(cycle));
            if let Some(end) = self.solve(keep_going) {
                return end;
            }
        }
    }
}

/// Weights of at least `least` under which no cycle gains.
pub fn weigh(frame: &Frame<'_>, least: &[Option<i64>], keep_going: &mut dyn FnMut(usize) -> bool) -> (Weighed, usize) {
    let mut master = Master::new(frame, least, &|_| 1);
    let weighed = master.generate(keep_going);
    (weighed, master.generated)
}

/// Weights under which no cycle gains, and as many transitions of the wanted ones as possible lie on cycles that all lose.
/// Returns the weights; which transitions lose is seen from them (see [`tight`]).
pub fn losing(
    frame: &Frame<'_>,
    least: &[Option<i64>],
    wanted: &dyn Fn(u32) -> bool,
    keep_going: &mut dyn FnMut(usize) -> bool,
) -> Weighed {
    let mut master = Master::new(frame, least, &|_| 1);
    let mut tried: HashSet<Vec<(u32, i64)>> = HashSet::new();
    loop {
        let weighed = master.generate(keep_going);
        let Weighed::Weights(weights) = weighed else { return weighed };
        let Ok(tight) = tight(frame, &weights) else { return Weighed::TooLarge };
        let mut added = false;
        for (instance, graph) in (0u32..).zip(&frame.graphs) {
            // A walk of gain 0 that was asked to lose, and does not, never does: its effect is not new.
            for effect in tight_walks(frame, graph, &tight, wanted) {
                if tried.insert(effect.iter().map(|(&c, &change)| (c, change)).collect())
                    && effect.keys().any(|&c| least[c as usize].is_some())
                {
                    master.add_losing(&effect);
                    added = true;
                }
            }
            if !keep_going(frame.work(instance)) {
                return Weighed::Stopped;
            }
        }
        if !added {
            return Weighed::Weights(weights);
        }
        if let Some(end) = master.solve(keep_going) {
            return end;
        }
    }
}

/// What closed walks of gain 0 add up to: one through each wanted transition that lies on one. In every component, all of
/// them go through one node: to it and from it along trees.
fn tight_walks(
    frame: &Frame<'_>,
    graph: &Graph,
    tight: &[bool],
    wanted: &dyn Fn(u32) -> bool,
) -> BTreeSet<BTreeMap<u32, i64>> {
    let edges: Vec<(u32, u32, u32)> = graph.edges.iter().copied().filter(|&(.., t)| tight[t as usize]).collect();
    if !edges.iter().any(|&(.., t)| wanted(t)) {
        return BTreeSet::new();
    }
    let back = Graph::new(graph.nodes, edges.iter().map(|&(f, t, id)| (t, f, id)).collect());
    let forth = Graph::new(graph.nodes, edges);
    let components = forth.components();
    let mut roots: HashMap<u32, u32> = HashMap::new();
    for node in 0..graph.nodes as u32 {
        roots.entry(components.of[node as usize]).or_insert(node);
    }
    let (mut there, mut home) = (HashMap::new(), HashMap::new());
    for &root in roots.values() {
        let inside = |node: u32| components.of[node as usize] == components.of[root as usize];
        tree_effects(frame, &forth, root, &inside, &mut there);
        tree_effects(frame, &back, root, &inside, &mut home);
    }
    let mut found = BTreeSet::new();
    for &(from, to, transition) in &forth.edges {
        if wanted(transition)
            && components.is_inside(from as usize, to as usize)
            && let (Some(there), Some(home)) = (there.get(&from), home.get(&to))
        {
            found.insert(sum(&[there, home], &frame.net.transitions[transition as usize].effects));
        }
    }
    found
}

/// What the ways of a breadth-first tree add up to, at each of its nodes.
fn tree_effects(
    frame: &Frame<'_>,
    graph: &Graph,
    root: u32,
    inside: &dyn Fn(u32) -> bool,
    effects: &mut HashMap<u32, BTreeMap<u32, i64>>,
) {
    effects.insert(root, BTreeMap::new());
    let mut queue = VecDeque::from([root]);
    while let Some(node) = queue.pop_front() {
        for &(_, next, transition) in graph.leaving(node as usize) {
            if inside(next) && !effects.contains_key(&next) {
                let effect = sum(&[&effects[&node]], &frame.net.transitions[transition as usize].effects);
                effects.insert(next, effect);
                queue.push_back(next);
            }
        }
    }
}

fn sum(parts: &[&BTreeMap<u32, i64>], effects: &[(u32, i64)]) -> BTreeMap<u32, i64> {
    let mut all: BTreeMap<u32, i64> = effects.iter().copied().collect();
    for (&counter, &change) in parts.iter().copied().flatten() {
        *all.entry(counter).or_default() += change;
    }
    all.retain(|_, change| *change != 0);
    all
}

/// The transitions that lie on a cycle of gain 0.
pub fn tight(frame: &Frame<'_>, weights: &[Rational]) -> Result<Vec<bool>, TooLarge> {
    let whole = whole_numbers(weights)?;
    let mut found = vec![false; frame.net.transitions.len()];
    for graph in &frame.graphs {
        let cost = |t: u32| gain(&frame.net.transitions[t as usize].effects, |c| whole[c as usize]);
        let Search::Distances(d) = graph.search(&cost) else { continue };
        let level = |&(from, to, t): &(u32, u32, u32)| cost(t) + d[from as usize] - d[to as usize] == 0;
        let level = Graph::new(graph.nodes, graph.edges.iter().copied().filter(level).collect());
        let components = level.components();
        for &(from, to, t) in &level.edges {
            found[t as usize] = components.is_inside(from as usize, to as usize);
        }
    }
    Ok(found)
}
