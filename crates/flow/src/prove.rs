//! The search for a ranking: why nothing grows without end, or why nothing spins without progress.
//!
//! It speaks of the transitions that a run takes infinitely often. At first all of them are *alive*.
//!
//! 1. Weights of at least 1 under which no alive cycle gains: done, nothing grows ([`Ranking::Bounded`]).
//! 2. If there are none, a combination of cycles gains under all weights. A run that grows is a walk, connected in every
//!    part. Where the combination is connected, it is the counterexample. Where it is not, either the part's alive
//!    transitions fall into several strongly connected components: in the end a run stays in one, so each is a case of its
//!    own ([`Ranking::Split`]); or something connects them: then weights are looked for under which the connecting
//!    transitions lose, so that they are taken finitely often only, and are left out ([`Ranking::Lose`]).
//!
//! For livelock the alive transitions are those that are no progress, and all of them have to lose, one after the other.
//! (Ciclo sections IV, V and VII-B; IBOC-refinement section 5. For the abstraction as it is, this is complete.)

use crate::graph::Search;
use crate::net::{Counter, Net};
use crate::weigh::{self, Cycle, Frame, TooLarge, Weighed, gain, whole_numbers};
use linear::Rational;
use model::budget::Budget;
use model::flow_proof::{Part, Ranking, Weights};
use model::verdict::Reason;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An unrefuted combination of cycles.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// Cycles, and how often each is taken.
    pub cycles: Vec<(Cycle, Rational)>,
}

/// Why there is no ranking.
pub enum Unproved {
    /// There is this.
    Counterexample(Counterexample),
    /// A limit.
    Stopped(Reason),
}

/// What is to be proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Nothing that counts grows.
    Bounded,
    /// Nothing but progress is done forever.
    Progress,
}

/// Counts what a proof needed.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Cycles that were generated.
    pub cycles: usize,
    /// Problems that were solved.
    pub problems: usize,
    /// Cases.
    pub cases: usize,
    /// Combinations that were refuted: by components, by losing connections.
    pub refuted: usize,
}

/// More cases than this are not looked at.
const MOST_CASES: usize = 3000;

/// Looks for rankings of one net.
pub struct Prover<'n, 'w> {
    /// The net.
    pub net: &'n Net,
    /// Sizes of instances, for the weights.
    pub shape: &'w Shape,
    /// Per counter: it does not count, nothing is known of how it grows.
    pub dropped: Vec<bool>,
    /// Per counter: it has a bound of its own, and need not weigh anything.
    pub limited: Vec<bool>,
    /// What was done.
    pub effort: Effort,
    /// Says when there is no more time.
    pub budget: &'w Budget,
}

/// How many atoms, nodes and values there are: the shape of [`Weights`].
pub struct Shape {
    /// Atoms per queue.
    pub atoms: Vec<usize>,
    /// Nodes per instance.
    pub nodes: Vec<usize>,
    /// Any number of processes.
    pub many: Vec<bool>,
    /// Values per followed variable.
    pub values: Vec<usize>,
}

impl<'n, 'w> Prover<'n, 'w> {
    /// A prover for a net, with some counters left out.
    pub fn new(net: &'n Net, shape: &'w Shape, dropped: Vec<bool>, budget: &'w Budget) -> Self {
        Prover { net, shape, dropped, limited: vec![false; net.counters.len()], effort: Effort::default(), budget }
    }

    /// The same, where some queues, or atoms of them, have bounds of their own.
    pub fn with_limits(mut self, limited: &BTreeSet<(u32, Option<u32>)>) -> Self {
        let is_limited = |c: &Counter| c.is_among(limited);
        self.limited = self.net.counters.iter().map(is_limited).collect();
        self
    }

    /// Looks for a ranking.
    pub fn prove(&mut self, goal: Goal) -> Result<Ranking, Unproved> {
        let alive: Vec<bool> = self.net.transitions.iter().map(|t| goal == Goal::Bounded || !t.progress).collect();
        match goal {
            Goal::Bounded => self.bounded(alive),
            Goal::Progress => self.progress(alive),
        }
    }

    /// Least weights: 1 for what could grow if `strict`, 0 else; none for what does not count.
    pub fn least(&self, strict: bool) -> Vec<Option<i64>> {
        let each = self.net.counters.iter().zip(&self.dropped).zip(&self.limited);
        let least = |((c, &dropped), &limited): ((&Counter, &bool), &bool)| {
            (!dropped).then(|| i64::from(strict && c.grows() && !limited))
        };
        each.map(least).collect()
    }

    fn stopped(&mut self) -> Unproved {
        let reason = self.budget.check().err().unwrap_or_else(|| TooLarge.into());
        Unproved::Stopped(reason)
    }

    fn bounded(&mut self, alive: Vec<bool>) -> Result<Ranking, Unproved> {
        self.effort.cases += 1;
        if self.effort.cases > MOST_CASES {
            let reason = format!("more than {MOST_CASES} cases to tell apart");
            return Err(Unproved::Stopped(Reason::NotProvable(reason)));
        }
        let least = self.least(true);
        let frame = Frame::new(self.net, &alive);
        let (weighed, generated) = weigh::weigh(&frame, &least, &mut |work| self.budget.spend(work).is_ok());
        self.effort.cycles += generated;
        self.effort.problems += 1;
        match weighed {
            Weighed::Weights(weights) => match self.weights(&frame, &weights, 1) {
                Ok(weights) => Ok(Ranking::Bounded(weights)),
                Err(TooLarge) => Err(self.stopped()),
            },
            Weighed::Combination(cycles) => self.connect(&frame, &alive, Counterexample { cycles }),
            Weighed::Stopped | Weighed::TooLarge => Err(self.stopped()),
        }
    }

    /// Refutes a combination that is not connected.
    fn connect(&mut self, frame: &Frame<'_>, alive: &[bool], found: Counterexample) -> Result<Ranking, Unproved> {
        for part in self.parts(&found) {
            let Some(pieces) = self.pieces(part, &found) else { continue };
            self.effort.refuted += 1;
            if let Some(groups) = self.groups(part, alive, Some(&pieces)) {
                return self.split(part, groups, alive, Goal::Bounded);
            }
            if let Some(next) = self.without_connections(frame, alive, part)? {
                let (weights, alive) = next;
                return Ok(Ranking::Lose(weights, Box::new(self.bounded(alive)?)));
            }
        }
        Err(Unproved::Counterexample(found))
    }

    /// Weights under which some transitions that connect a part lose, and what is alive without those that do.
    fn without_connections(
        &mut self,
        frame: &Frame<'_>,
        alive: &[bool],
        part: Part,
    ) -> Result<Option<(Weights, Vec<bool>)>, Unproved> {
        let least = self.least(false);
        self.effort.problems += 1;
        let net = self.net;
        let touches = |t: u32| ends(net, part, t).is_some();
        let weighed = weigh::losing(frame, &least, &touches, &mut |work| self.budget.spend(work).is_ok());
        let Weighed::Weights(weights) = weighed else { return Err(self.stopped()) };
        let Ok(tight) = weigh::tight(frame, &weights) else { return Err(self.stopped()) };
        let cyclic = |graph: &crate::graph::Graph| {
            let components = graph.components();
            let mut inside = graph.edges.iter().filter(|(f, t, _)| components.is_inside(*f as usize, *t as usize));
            inside.any(|&(.., t)| !tight[t as usize] && touches(t))
        };
        if !frame.graphs.iter().any(cyclic) {
            return Ok(None);
        }
        let next = alive.iter().zip(&tight).map(|(&a, &t)| a && t).collect();
        match self.weights(frame, &weights, 1) {
            Ok(weights) => Ok(Some((weights, next))),
            Err(TooLarge) => Err(self.stopped()),
        }
    }

    fn progress(&mut self, mut alive: Vec<bool>) -> Result<Ranking, Unproved> {
        self.effort.cases += 1;
        if self.effort.cases > MOST_CASES {
            let reason = format!("more than {MOST_CASES} cases to tell apart");
            return Err(Unproved::Stopped(Reason::NotProvable(reason)));
        }
        if !alive.contains(&true) {
            return Ok(Ranking::Empty);
        }
        let frame = Frame::new(self.net, &alive);
        let least = self.least(false);
        self.effort.problems += 1;
        let weighed = weigh::losing(&frame, &least, &|_| true, &mut |work| self.budget.spend(work).is_ok());
        let Weighed::Weights(weights) = weighed else { return Err(self.stopped()) };
        let Ok(tight) = weigh::tight(&frame, &weights) else { return Err(self.stopped()) };
        let left = alive.iter().zip(&tight).filter(|(a, t)| **a && **t).count();
        if left < alive.iter().filter(|a| **a).count() {
            alive.iter_mut().zip(&tight).for_each(|(a, &t)| *a &= t);
            let Ok(weights) = self.weights(&frame, &weights, 1) else { return Err(self.stopped()) };
            return Ok(Ranking::Lose(weights, Box::new(self.progress(alive)?)));
        }
        for part in self.all_parts() {
            if let Some(groups) = self.groups(part, &alive, None) {
                self.effort.refuted += 1;
                return self.split(part, groups, &alive, Goal::Progress);
            }
        }
        Err(Unproved::Counterexample(self.all_cycles(&frame)))
    }

    /// Every transition that is left lies on one of these cycles.
    fn all_cycles(&self, frame: &Frame<'_>) -> Counterexample {
        let mut covered: BTreeSet<u32> = BTreeSet::new();
        let mut cycles = Vec::new();
        for graph in &frame.graphs {
            for &(from, to, transition) in &graph.edges {
                if !covered.contains(&transition)
                    && let Some(mut cycle) = graph.path(to, from, &|_| true)
                {
                    cycle.push(transition);
                    covered.extend(&cycle);
                    cycles.push((cycle, Rational::from(1)));
                }
            }
        }
        Counterexample { cycles }
    }

    fn split(&mut self, part: Part, groups: Vec<u32>, alive: &[bool], goal: Goal) -> Result<Ranking, Unproved> {
        let count = groups.iter().copied().max().map_or(0, |g| g + 1);
        let mut cases = Vec::new();
        for group in 0..count {
            let stays = |t: u32| match ends(self.net, part, t) {
                Some((from, to)) => groups[from as usize] == group && groups[to as usize] == group,
                None => true,
            };
            let alive: Vec<bool> = (0..).zip(alive).map(|(t, &a)| a && stays(t)).collect();
            cases.push(match goal {
                Goal::Bounded => self.bounded(alive)?,
                Goal::Progress => self.progress(alive)?,
            });
        }
        Ok(Ranking::Split { part, groups, cases })
    }

    fn size(&self, part: Part) -> usize {
        match part {
            Part::Instance(id) => self.net.graph_nodes[id as usize] as usize,
            Part::Followed(index) => self.net.followed[index as usize].values.len(),
        }
    }

    fn all_parts(&self) -> Vec<Part> {
        let single = (0..).zip(&self.shape.many).filter(|(_, many)| !**many).map(|(id, _)| Part::Instance(id));
        single.chain((0..self.net.followed.len() as u32).map(Part::Followed)).collect()
    }

    /// The parts that a combination moves.
    fn parts(&self, found: &Counterexample) -> Vec<Part> {
        let used: BTreeSet<u32> = found.cycles.iter().flat_map(|(c, _)| c).copied().collect();
        let mut parts = BTreeSet::new();
        for &t in &used {
            let transition = &self.net.transitions[t as usize];
            if !self.shape.many[transition.instance as usize] {
                parts.insert(Part::Instance(transition.instance));
            }
            parts.extend(transition.moves.iter().map(|&(f, ..)| Part::Followed(f)));
        }
        parts.into_iter().collect()
    }

    /// The nodes of a part that a combination uses, if they are not connected: the piece of each.
    fn pieces(&self, part: Part, found: &Counterexample) -> Option<HashMap<u32, u32>> {
        let mut union: HashMap<u32, u32> = HashMap::new();
        fn root(union: &HashMap<u32, u32>, mut node: u32) -> u32 {
            while union[&node] != node {
                node = union[&node];
            }
            node
        }
        for &t in found.cycles.iter().flat_map(|(c, _)| c) {
            if let Some((from, to)) = ends(self.net, part, t) {
                union.entry(from).or_insert(from);
                union.entry(to).or_insert(to);
                let (a, b) = (root(&union, from), root(&union, to));
                union.insert(a, b);
            }
        }
        let pieces: HashMap<u32, u32> = union.keys().map(|&n| (n, root(&union, n))).collect();
        let count = pieces.values().collect::<BTreeSet<_>>().len();
        (count > 1).then_some(pieces)
    }

    /// Groups of nodes that a run stays in, in the end: strongly connected components of what is alive, in their order,
    /// those without use put together. `None` if there is only one of use.
    fn groups(&self, part: Part, alive: &[bool], used: Option<&HashMap<u32, u32>>) -> Option<Vec<u32>> {
        let edges: Vec<(usize, usize)> = (0..)
            .zip(alive)
            .filter(|(_, a)| **a)
            .filter_map(|(t, _)| ends(self.net, part, t))
            .map(|(from, to)| (from as usize, to as usize))
            .collect();
        let components = crate::scc::components(self.size(part), &edges);
        let mut useful: BTreeSet<u32> = BTreeSet::new();
        match used {
            Some(used) => useful.extend(used.keys().map(|&n| components.of[n as usize])),
            None => useful
                .extend(edges.iter().filter(|(f, t)| components.is_inside(*f, *t)).map(|(f, _)| components.of[*f])),
        }
        if useful.len() < 2 {
            return None;
        }
        // Component numbers rise against the edges: a group is all components up to a useful one.
        let group = |component: u32| useful.iter().position(|&u| component <= u).unwrap_or(useful.len() - 1) as u32;
        Some(components.of.iter().map(|&c| group(c)).collect())
    }

    /// Weights in whole numbers, with potentials under which no transition of the frame gains, and each loses that does not
    /// lie on a cycle of gain 0.
    pub fn weights(&self, frame: &Frame<'_>, weights: &[Rational], scale: i128) -> Result<Weights, TooLarge> {
        let whole = whole_numbers(weights)?;
        let mut result = Weights::default();
        let most = frame.graphs.iter().map(|g| g.nodes).max().unwrap_or(1) as i128 + 1;
        let factor = scale * most;
        for (graph, instance) in frame.graphs.iter().zip(0..) {
            if self.shape.many[instance] {
                continue;
            }
            let cost = |t: u32| gain(&self.net.transitions[t as usize].effects, |c| whole[c as usize]);
            let Search::Distances(d) = graph.search(&cost) else { return Err(TooLarge) };
            let level: Vec<(usize, usize)> = graph
                .edges
                .iter()
                .filter(|&&(from, to, t)| cost(t) + d[from as usize] - d[to as usize] == 0)
                .map(|&(from, to, _)| (from as usize, to as usize))
                .collect();
            let components = crate::scc::components(graph.nodes, &level);
            let potential = |(node, distance): (usize, &i128)| {
                i64::try_from(i128::from(components.of[node]) - distance * factor).map_err(|_| TooLarge)
            };
            let potentials = d.iter().enumerate().map(potential).collect::<Result<_, _>>()?;
            result.nodes.insert(instance as u32, potentials);
        }
        self.fill(&mut result, &whole, factor)?;
        Ok(result)
    }

    /// Weights of counters.
    pub fn fill(&self, result: &mut Weights, whole: &[i128], factor: i128) -> Result<(), TooLarge> {
        let mut processes = BTreeMap::new();
        for (counter, weight) in self.net.counters.iter().zip(whole).filter(|(_, weight)| **weight != 0) {
            let weight = i64::try_from(weight * factor).map_err(|_| TooLarge)?;
            let entry = |map: &mut BTreeMap<u32, Vec<i64>>, key: u32, size: usize, at: u32| {
                map.entry(key).or_insert_with(|| vec![0; size])[at as usize] = weight;
            };
            match *counter {
                Counter::Message(queue, atom) | Counter::Rendezvous(queue, atom) => {
                    entry(&mut result.messages, queue, self.shape.atoms[queue as usize], atom);
                }
                Counter::Processes(instance, node) => {
                    entry(&mut processes, instance, self.shape.nodes[instance as usize], node);
                }
                Counter::Value(followed, value) => {
                    entry(&mut result.values, followed, self.shape.values[followed as usize], value);
                }
                Counter::Distance(number) => {
                    result.numbers.insert(number, weight);
                }
            }
        }
        result.nodes.extend(processes.into_iter().map(|(instance, each)| (instance, each.into_iter().collect())));
        Ok(())
    }
}

/// The nodes of a part that a transition leaves and gets to.
fn ends(net: &Net, part: Part, transition: u32) -> Option<(u32, u32)> {
    let transition = &net.transitions[transition as usize];
    match part {
        Part::Instance(id) => (transition.instance == id).then_some((transition.from, transition.to)),
        Part::Followed(index) => transition.moves.iter().find(|(f, ..)| *f == index).map(|&(_, from, to)| (from, to)),
    }
}

impl Counterexample {
    /// The transitions that it uses.
    pub fn transitions(&self) -> BTreeSet<u32> {
        self.cycles.iter().flat_map(|(cycle, _)| cycle).copied().collect()
    }

    /// What it adds to each counter.
    pub fn effect(&self, net: &Net) -> BTreeMap<u32, Rational> {
        let mut sum: BTreeMap<u32, Rational> = BTreeMap::new();
        for (cycle, times) in &self.cycles {
            for &t in cycle {
                for &(counter, change) in &net.transitions[t as usize].effects {
                    let entry = sum.entry(counter).or_insert_with(|| Rational::from(0));
                    *entry = &*entry + &(times * &Rational::from(change));
                }
            }
        }
        sum.retain(|_, change| !change.is_zero());
        sum
    }
}
