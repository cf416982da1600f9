//! Linear invariants over messages, places and ghosts, and the bounds of queues that follow from them.
//!
//! An unknown invariant is a sum with unknown factors. That a move keeps it is a linear condition on the factors: the sum
//! after the move, less the sum before it, is at least 0 for the worst values of everything else. Two kinds are looked for,
//! each by one exact linear program over all moves:
//!
//! * *Limits* of one ghost (`n ≤ 3 − [between test and count]`): the ghost and the places of processes. A move that tests
//!   the ghost, or stores to it, has to establish the limit again; any other has to keep it.
//! * *Balances* (`n ≥ messages + [takes one]`): every move keeps them; where a ghost is stored to, limits may help. They
//!   are looked for together with what they are good for: the bound of a queue, or that a condition speaks of its ghost.
//!
//! Conditions are trusted first. One whose demand cannot be shown is not trusted any more, and all starts again.
//! The programs do not depend on the numbers that variables are compared with: a window of 10,000 is proved as fast as one
//! of 3.

mod program;

use crate::analysis::Analysis;
use crate::ghosts::{Demand, Now, Span};
use crate::moves::{self, Move, Moves, Trusted};
use crate::world::World;
use linear::{Outcome, Rational, common_denominator};
use model::budget::Budget;
use model::flow_proof::{Combination, Hint, Linear, LinearBound, LinearInvariant, Origin, Point};
use program::{Lin, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// No factor of a proof is greater than this.
const GREATEST: i128 = 1 << 32;
/// How often conditions are given up.
const MOST_ATTEMPTS: usize = 12;
/// The work of a pivot.
const PIVOT: usize = 4096;

/// An invariant whose factors are sums.
#[derive(Clone, Default)]
struct Unknown {
    constant: Lin,
    messages: BTreeMap<(u32, u32), Lin>,
    /// Per instance: its nodes, and last, what it counts before it is created.
    nodes: BTreeMap<u32, Vec<Lin>>,
    ghosts: BTreeMap<u32, Lin>,
}

impl Unknown {
    fn node(&self, instance: u32, node: usize) -> Option<&Lin> {
        self.nodes.get(&instance).and_then(|nodes| nodes.get(node))
    }
}

/// A sum over the state before a move.
#[derive(Clone, Default)]
struct Sum {
    constant: Lin,
    messages: BTreeMap<(u32, u32), Lin>,
    nodes: BTreeMap<u32, Vec<Lin>>,
    ghosts: BTreeMap<u32, Lin>,
}

/// What can be before a move, or in a state.
struct Scene<'s> {
    own: Option<(u32, u32)>,
    born: &'s [(u32, Vec<u32>)],
    before: &'s [Span],
    /// At least so many messages are there.
    there: &'s dyn Fn((u32, u32)) -> i64,
    settled: bool,
}

/// An invariant that was found, and what it is in the proof.
struct Found {
    invariant: LinearInvariant,
    /// The ghost that it limits.
    ghost: u32,
}

/// Looks for invariants.
struct Inductor<'a> {
    world: &'a World<'a>,
    analysis: &'a Analysis,
    moves: Moves,
    limits: Vec<Found>,
    budget: &'a Budget,
    proof: Linear,
    /// Where each limit is in the proof.
    listed: HashMap<usize, u32>,
}

/// Linear invariants, with bounds for as many of these queues as there are.
pub fn invariants(world: &World<'_>, analysis: &Analysis, queues: &BTreeSet<u32>, budget: &Budget) -> Option<Linear> {
    let mut ghosts = moves::ghosts(world, analysis)?;
    let mut trusted = Trusted::new();
    for _ in 0..MOST_ATTEMPTS {
        let moves = moves::moves(world, analysis, &mut ghosts, &trusted, budget)?;
        let mut inductor = Inductor {
            world,
            analysis,
            moves,
            limits: Vec::new(),
            budget,
            proof: Linear { ghosts: ghosts.clone(), ..Linear::default() },
            listed: HashMap::new(),
        };
        inductor.find_limits();
        let base = inductor.balance();
        let failed = inductor.demands(&base)?;
        if failed.is_empty() {
            for &queue in queues {
                if inductor.is_counted(queue) && !inductor.is_handed_over(queue) {
                    inductor.bound(&base, queue);
                }
            }
            return Some(inductor.proof).filter(|proof| !proof.bounds.is_empty());
        }
        trusted.extend(failed);
    }
    None
}

impl Inductor<'_> {
    fn is_handed_over(&self, queue: u32) -> bool {
        let ty = self.analysis.facts.queues[queue as usize].channel_type;
        self.world.network.channel_types[ty.index()].is_rendezvous()
    }

    /// A queue that stays: messages of others are not counted.
    fn is_counted(&self, queue: u32) -> bool {
        let facts = &self.analysis.facts.queues[queue as usize];
        let stays = facts.key.instance.is_none_or(|id| {
            let owner = &self.analysis.instances[id as usize];
            !owner.many && owner.nodes.iter().all(|node| node.at != Point::Gone)
        });
        stays && !self.world.network.channel_types[facts.channel_type.index()].lossy
    }

    fn is_created(&self, instance: u32) -> bool {
        self.analysis.instances[instance as usize].origin == Origin::Run
    }

    fn is_many(&self, instance: u32) -> bool {
        self.analysis.instances[instance as usize].many
    }

    /// Unknown factors for the nodes of an instance: those of a single one are at least 0, as only differences count.
    fn nodes(&self, program: &mut Program, instance: u32, cost: &Rational) -> Vec<Lin> {
        let facts = &self.analysis.instances[instance as usize];
        let mut nodes: Vec<Lin> = Vec::with_capacity(facts.nodes.len() + 1);
        for node in &facts.nodes {
            nodes.push(match facts.many {
                true if node.at == Point::Gone => Lin::default(),
                true => program.free(0),
                false => Lin::variable(program.problem.add_variable(cost.clone())),
            });
        }
        if self.is_created(instance) && !facts.many {
            nodes.push(Lin::variable(program.problem.add_variable(cost.clone())));
        }
        nodes
    }

    /// The least value of a sum in a scene is at least 0.
    fn require(&self, program: &mut Program, sum: Sum, scene: &Scene<'_>) {
        let mut total = sum.constant;
        for (message, factor) in sum.messages.iter().filter(|(_, factor)| !factor.is_zero()) {
            let there = (scene.there)(*message);
            if self.is_handed_over(message.0) {
                if !scene.settled {
                    let part = program.product(factor, (Some(there.min(1)), Some(1)));
                    total.add(&part, 1);
                }
            } else {
                program.require(factor);
                total.add(factor, there);
            }
        }
        for (&instance, factors) in &sum.nodes {
            if factors.iter().all(Lin::is_zero) {
                continue;
            }
            if self.is_many(instance) {
                factors.iter().filter(|factor| !factor.is_zero()).for_each(|factor| program.require(factor));
                if let Some((_, node)) = scene.own.filter(|(own, _)| *own == instance) {
                    total.add(&factors[node as usize], 1);
                }
            } else {
                let least = program.least(factors);
                total.add(&least, 1);
            }
        }
        for (&ghost, factor) in &sum.ghosts {
            let part = program.product(factor, scene.before[ghost as usize]);
            total.add(&part, 1);
        }
        program.require(&total);
    }

    /// Adds an invariant as it is before a move.
    fn add_before(&self, sum: &mut Sum, invariant: &Unknown, times: i64, scene: &Scene<'_>) {
        sum.constant.add(&invariant.constant, times);
        for (&message, factor) in &invariant.messages {
            sum.messages.entry(message).or_default().add(factor, times);
        }
        for (&instance, factors) in &invariant.nodes {
            let many = self.is_many(instance);
            match scene.own.filter(|(own, _)| *own == instance && !many) {
                Some((_, node)) => sum.constant.add(&factors[node as usize], times),
                None if !many && scene.born.iter().any(|(id, _)| *id == instance) => {
                    sum.constant.add(&factors[factors.len() - 1], times);
                }
                None => {
                    let sums = sum.nodes.entry(instance).or_insert_with(|| vec![Lin::default(); factors.len()]);
                    sums.iter_mut().zip(factors).for_each(|(sum, factor)| sum.add(factor, times));
                }
            }
        }
        for (&ghost, factor) in &invariant.ghosts {
            sum.ghosts.entry(ghost).or_default().add(factor, times);
        }
    }

    /// The invariant after a move; less the invariant before it, if it is kept and not established again.
    fn after(&self, program: &mut Program, unknown: &Unknown, step: &Move, scene: &Scene<'_>, kept: bool) -> Sum {
        let mut sum = Sum::default();
        if !kept {
            self.add_before(&mut sum, unknown, 1, scene);
        }
        for (message, &change) in &step.traffic {
            if let Some(factor) = unknown.messages.get(message) {
                sum.constant.add(factor, change);
            }
        }
        for (node, times) in [(step.to, 1), (step.from, -1)] {
            if let Some(factor) = unknown.node(step.instance, node as usize) {
                sum.constant.add(factor, times);
            }
        }
        for (instance, first) in &step.born {
            let Some(factors) = unknown.nodes.get(instance) else { continue };
            let each: Vec<Lin> = first.iter().map(|&node| factors[node as usize].clone()).collect();
            let least = program.least(&each);
            sum.constant.add(&least, 1);
            if !self.is_many(*instance) {
                sum.constant.add(&factors[factors.len() - 1], -1);
            }
        }
        for (&ghost, factor) in &unknown.ghosts {
            match step.ledger.now[ghost as usize] {
                Now::Moved(origin, by) => {
                    sum.constant.add(factor, by);
                    if origin != ghost {
                        sum.ghosts.entry(origin).or_default().add(factor, 1);
                        sum.ghosts.entry(ghost).or_default().add(factor, -1);
                    }
                }
                Now::Among(span) => {
                    let part = program.product(factor, span);
                    sum.constant.add(&part, 1);
                    sum.ghosts.entry(ghost).or_default().add(factor, -1);
                }
            }
        }
        sum
    }

    /// The invariant holds at the start.
    fn require_start(&self, program: &mut Program, unknown: &Unknown) {
        let mut total = unknown.constant.clone();
        for (&instance, factors) in &unknown.nodes {
            let facts = &self.analysis.instances[instance as usize];
            let each: Vec<Lin> = facts.first.iter().map(|&node| factors[node as usize].clone()).collect();
            if facts.many {
                let there = self.world.network.instances.iter().filter(|i| i.machine == facts.machine).count();
                if there > 0 && !each.is_empty() {
                    let least = program.least(&each);
                    total.add(&least, there as i64);
                }
            } else if self.is_created(instance) {
                total.add(&factors[factors.len() - 1], 1);
            } else if !each.is_empty() {
                let least = program.least(&each);
                total.add(&least, 1);
            }
        }
        for (&ghost, factor) in &unknown.ghosts {
            let first = moves::first(self.world, self.analysis, &self.moves.ghosts[ghost as usize]);
            let part = program.product(factor, first);
            total.add(&part, 1);
        }
        program.require(&total);
    }

    fn solve(&self, program: &mut Program) -> Option<Vec<Rational>> {
        match program.problem.solve(&mut || self.budget.spend(PIVOT).is_ok()) {
            Outcome::Optimal(solution) => Some(solution.values),
            _ => None,
        }
    }

    /// The upper and the lower limit of each ghost.
    fn find_limits(&mut self) {
        for ghost in 0..self.moves.ghosts.len() as u32 {
            for upper in [true, false] {
                if let Some(invariant) = self.limit(ghost, upper) {
                    self.limits.push(Found { invariant, ghost });
                }
            }
        }
    }

    fn limit(&self, ghost: u32, upper: bool) -> Option<LinearInvariant> {
        let usual = self.moves.usual[ghost as usize];
        let helps = |step: &Move| {
            let end = |span: Span| if upper { span.1 } else { span.0 };
            match step.ledger.now[ghost as usize] {
                Now::Among(_) => true,
                Now::Moved(origin, _) if origin != ghost => true,
                Now::Moved(..) => end(step.ledger.before[ghost as usize]) != end(usual),
            }
        };
        let touches = |step: &&Move| step.ledger.now[ghost as usize] != Now::Moved(ghost, 0) || helps(step);
        let concerned: BTreeSet<u32> =
            self.moves.all.iter().filter(touches).map(|step| step.instance).filter(|&id| !self.is_many(id)).collect();
        if !self.moves.all.iter().any(helps) {
            return None;
        }
        let mut program = Program::default();
        let mut unknown = Unknown { constant: Lin::default(), ..Unknown::default() };
        let up = program.problem.add_variable(Rational::from(1i64));
        let down = program.problem.add_variable(Rational::from(-1i64));
        unknown.constant = Lin::variable(up);
        unknown.constant.add(&Lin::variable(down), -1);
        for &instance in &concerned {
            let count = self.analysis.instances[instance as usize].nodes.len() + usize::from(self.is_created(instance));
            let cost = Rational::fraction(1, count as i128)?;
            unknown.nodes.insert(instance, self.nodes(&mut program, instance, &cost));
        }
        unknown.ghosts.insert(ghost, Lin::number(if upper { -1 } else { 1 }));
        self.require_start(&mut program, &unknown);
        for step in &self.moves.all {
            let moves = unknown.nodes.contains_key(&step.instance) && step.from != step.to;
            if !moves && !touches(&step) && !step.born.iter().any(|(id, _)| unknown.nodes.contains_key(id)) {
                continue;
            }
            let there = |message: (u32, u32)| -step.traffic.get(&message).copied().unwrap_or(0).min(0);
            let scene = Scene {
                own: Some((step.instance, step.from)),
                born: &step.born,
                before: &step.ledger.before,
                there: &there,
                settled: false,
            };
            let sum = self.after(&mut program, &unknown, step, &scene, !helps(step));
            self.require(&mut program, sum, &scene);
        }
        let values = self.solve(&mut program)?;
        self.whole(&unknown, &values).map(|(invariant, _)| invariant)
    }

    /// An invariant in whole numbers, and what it was multiplied by.
    fn whole(&self, unknown: &Unknown, values: &[Rational]) -> Option<(LinearInvariant, Rational)> {
        let mut constant = unknown.constant.value(values);
        let mut nodes: BTreeMap<u32, Vec<Rational>> = BTreeMap::new();
        for (&instance, factors) in &unknown.nodes {
            let mut each: Vec<Rational> = factors.iter().map(|factor| factor.value(values)).collect();
            if !self.is_many(instance) {
                // Before it is created an instance counts 0; one that is always there may count 0 where it starts.
                let base = if self.is_created(instance) { each.pop()? } else { each.iter().min()?.clone() };
                each.iter_mut().for_each(|value| *value = &*value - &base);
                constant += &base;
            }
            nodes.insert(instance, each);
        }
        let messages: BTreeMap<(u32, u32), Rational> =
            unknown.messages.iter().map(|(&m, factor)| (m, factor.value(values))).collect();
        let ghosts: BTreeMap<u32, Rational> = unknown.ghosts.iter().map(|(&g, f)| (g, f.value(values))).collect();
        let all = messages.values().chain(nodes.values().flatten()).chain(ghosts.values()).chain([&constant]);
        let times = common_denominator(all);
        let whole = |value: &Rational| {
            let number = (value * &times).to_i128().filter(|n| n.abs() <= GREATEST)?;
            i64::try_from(number).ok()
        };
        let mut invariant = LinearInvariant { constant: whole(&constant)?, ..LinearInvariant::default() };
        for (&(queue, atom), value) in messages.iter().filter(|(_, value)| !value.is_zero()) {
            let count = self.analysis.facts.queues[queue as usize].atoms.len();
            invariant.messages.entry(queue).or_insert_with(|| vec![0; count])[atom as usize] = whole(value)?;
        }
        for (&instance, each) in nodes.iter().filter(|(_, each)| each.iter().any(|value| !value.is_zero())) {
            invariant.nodes.insert(instance, each.iter().map(whole).collect::<Option<_>>()?);
        }
        for (&ghost, value) in ghosts.iter().filter(|(_, value)| !value.is_zero()) {
            invariant.ghosts.insert(ghost, whole(value)?);
        }
        Some((invariant, times))
    }

    /// A known invariant times a factor.
    fn scaled(&self, invariant: &LinearInvariant, factor: &Lin) -> Unknown {
        let times = |n: i64| {
            let mut product = Lin::default();
            product.add(factor, n);
            product
        };
        let mut unknown = Unknown { constant: times(invariant.constant), ..Unknown::default() };
        for (&queue, held) in &invariant.messages {
            unknown.messages.extend((0u32..).zip(held).map(|(atom, &n)| ((queue, atom), times(n))));
        }
        for (&instance, held) in &invariant.nodes {
            let mut nodes: Vec<Lin> = held.iter().map(|&n| times(n)).collect();
            if self.is_created(instance) && !self.is_many(instance) {
                nodes.push(Lin::default());
            }
            unknown.nodes.insert(instance, nodes);
        }
        unknown.ghosts = invariant.ghosts.iter().map(|(&ghost, &n)| (ghost, times(n))).collect();
        unknown
    }

    /// The program of all balances.
    fn balance(&self) -> Base {
        let mut program = Program::default();
        let mut unknown = Unknown { constant: program.free(0), ..Unknown::default() };
        for (queue, facts) in (0u32..).zip(&self.analysis.facts.queues).filter(|(queue, _)| self.is_counted(*queue)) {
            for atom in 0..facts.atoms.len() as u32 {
                unknown.messages.insert((queue, atom), program.free(1));
            }
        }
        for instance in 0..self.analysis.instances.len() as u32 {
            unknown.nodes.insert(instance, self.nodes(&mut program, instance, &Rational::from(0i64)));
        }
        for ghost in 0..self.moves.ghosts.len() as u32 {
            unknown.ghosts.insert(ghost, program.free(1));
        }
        self.require_start(&mut program, &unknown);
        let mut helpers: BTreeMap<(u32, u32), Vec<Help>> = BTreeMap::new();
        for step in &self.moves.all {
            let there = |message: (u32, u32)| -step.traffic.get(&message).copied().unwrap_or(0).min(0);
            let scene = Scene {
                own: Some((step.instance, step.from)),
                born: &step.born,
                before: &step.ledger.before,
                there: &there,
                settled: false,
            };
            let mut sum = self.after(&mut program, &unknown, step, &scene, true);
            let stored: BTreeSet<u32> = sum.ghosts.keys().copied().collect();
            let mut help = Vec::new();
            for (index, limit) in self.limits.iter().enumerate().filter(|(_, limit)| stored.contains(&limit.ghost)) {
                let factor = program.positive(1);
                self.add_before(&mut sum, &self.scaled(&limit.invariant, &factor), -1, &scene);
                help.push((index, factor));
            }
            if !help.is_empty() {
                helpers.entry((step.instance, step.from)).or_default().push(help);
            }
            self.require(&mut program, sum, &scene);
        }
        Base { program, unknown, helpers }
    }

    /// Shows what conditions need; returns those for which it cannot be shown. `None` if there is no more time.
    fn demands(&mut self, base: &Base) -> Option<Trusted> {
        let mut failed = Trusted::new();
        type Known = (u32, u32, Demand, Option<(u32, u32)>);
        let mut known: BTreeMap<String, Known> = BTreeMap::new();
        for step in &self.moves.all {
            for demand in &step.ledger.demands {
                let key = (step.instance, step.from, demand.clone(), step.taken);
                known.insert(format!("{key:?}"), key);
            }
        }
        for (instance, node, demand, taken) in known.into_values() {
            self.budget.check().ok()?;
            if !self.demand(base, (instance, node), &demand, taken) {
                failed.insert((instance, node, demand.compared), demand.otherwise);
            }
        }
        Some(failed)
    }

    fn demand(&mut self, base: &Base, own: (u32, u32), demand: &Demand, taken: Option<(u32, u32)>) -> bool {
        let there = |message: (u32, u32)| i64::from(taken == Some(message));
        let (low, high) = demand.between;
        let span = demand.before[demand.ghost as usize];
        let ends = [(1, -low, span.0.is_some_and(|n| low <= n)), (-1, high, span.1.is_some_and(|n| n <= high))];
        for (sign, constant, clear) in ends {
            let scene = Scene { own: Some(own), born: &[], before: &demand.before, there: &there, settled: false };
            let mut sum = Sum { constant: Lin::number(constant), ..Sum::default() };
            sum.ghosts.insert(demand.ghost, Lin::number(sign));
            if clear {
                continue;
            }
            let Some((combination, _)) = self.show(base, sum, &scene, None) else { return false };
            self.proof.hints.push(Hint { instance: own.0, node: own.1, combination });
        }
        true
    }

    /// The bound of a queue.
    fn bound(&mut self, base: &Base, queue: u32) {
        let usual = self.moves.usual.clone();
        let scene = Scene { own: None, born: &[], before: &usual, there: &|_| 0, settled: true };
        let atoms = self.analysis.facts.queues[queue as usize].atoms.len() as u32;
        let messages = (0..atoms).map(|atom| ((queue, atom), Lin::number(-1))).collect();
        let sum = Sum { messages, ..Sum::default() };
        if let Some((combination, Some(most))) = self.show(base, sum, &scene, Some(()))
            && let Some(at_most) = most.floor().to_i128().and_then(|n| u64::try_from(n).ok())
        {
            self.proof.bounds.push(LinearBound { queue, at_most, combination });
        }
    }

    /// Shows that a sum (plus the least number for which it is so) is at least 0, by a balance and limits.
    fn show(
        &mut self,
        base: &Base,
        mut sum: Sum,
        scene: &Scene<'_>,
        plus: Option<()>,
    ) -> Option<(Combination, Option<Rational>)> {
        let mut program = base.program.clone();
        let plus = plus.map(|()| program.positive(1_000_000));
        plus.iter().for_each(|plus| sum.constant.add(plus, 1));
        self.add_before(&mut sum, &base.unknown, -1, scene);
        let mut factors = Vec::new();
        for (index, limit) in self.limits.iter().enumerate() {
            let factor = program.positive(1);
            self.add_before(&mut sum, &self.scaled(&limit.invariant, &factor), -1, scene);
            factors.push((index, factor));
        }
        self.require(&mut program, sum, scene);
        let values = self.solve(&mut program)?;
        let (invariant, times) = self.whole(&base.unknown, &values)?;
        let mut of: Vec<(u32, Rational)> = Vec::new();
        let trivial = invariant == LinearInvariant { constant: invariant.constant, ..LinearInvariant::default() };
        if !trivial {
            let balance = self.keep(base, invariant, &times, &values)?;
            of.push((balance, times.recip()?));
        }
        for (index, factor) in factors {
            let value = factor.value(&values);
            if value.is_positive() {
                of.push((self.list(index), value));
            }
        }
        Some((combination(&of)?, plus.map(|plus| plus.value(&values))))
    }

    /// Puts a balance into the proof, and says why steps keep it.
    fn keep(&mut self, base: &Base, invariant: LinearInvariant, times: &Rational, values: &[Rational]) -> Option<u32> {
        if let Some(known) = self.proof.invariants.iter().position(|known| *known == invariant) {
            return Some(known as u32);
        }
        self.proof.invariants.push(invariant);
        let index = self.proof.invariants.len() as u32 - 1;
        for (&(instance, node), helps) in &base.helpers {
            for help in helps {
                let used: Vec<(usize, Rational)> = help
                    .iter()
                    .map(|(limit, factor)| (*limit, &factor.value(values) * times))
                    .filter(|(_, factor)| factor.is_positive())
                    .collect();
                if used.is_empty() {
                    continue;
                }
                let mut of = vec![(index, Rational::from(1i64))];
                of.extend(used.into_iter().map(|(limit, factor)| (self.list(limit), factor)));
                let hint = Hint { instance, node, combination: combination(&of)? };
                if !self.proof.hints.contains(&hint) {
                    self.proof.hints.push(hint);
                }
            }
        }
        Some(index)
    }

    /// The number of a limit in the proof.
    fn list(&mut self, limit: usize) -> u32 {
        if let Some(&known) = self.listed.get(&limit) {
            return known;
        }
        self.proof.invariants.push(self.limits[limit].invariant.clone());
        let index = self.proof.invariants.len() as u32 - 1;
        self.listed.insert(limit, index);
        index
    }
}

/// Limits that help to keep a balance in a step, and how much.
type Help = Vec<(usize, Lin)>;

/// The program of all balances, before it is said what one is good for.
struct Base {
    program: Program,
    unknown: Unknown,
    helpers: BTreeMap<(u32, u32), Vec<Help>>,
}

/// A combination in whole numbers.
fn combination(of: &[(u32, Rational)]) -> Option<Combination> {
    let scale = common_denominator(of.iter().map(|(_, factor)| factor));
    let small = |value: &Rational| {
        let number = value.to_i128().filter(|n| n.abs() <= GREATEST)?;
        i64::try_from(number).ok()
    };
    let each = of.iter().map(|(index, factor)| Some((*index, small(&(factor * &scale))?)));
    Some(Combination { scale: small(&scale)?, of: each.collect::<Option<_>>()? })
}
