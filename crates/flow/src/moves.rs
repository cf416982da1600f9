//! The moves that linear invariants have to survive: every abstract step, with its messages, its processes and its ghosts.
//!
//! Ghosts follow the variables that conditions test (and those that are copied to them): shared ones, locals of single
//! instances, and differences of two numbers of 32 bits. Whether one may wrap is found by walking all steps once.

use crate::analysis::Analysis;
use crate::ghosts::{ALL, Ledger, Now, Span, Term, Trust, Watched, join, span_of};
use crate::step::{Seen, Step, Stepper, Traffic};
use crate::world::{World, stores};
use model::budget::Budget;
use model::expr::{BinaryOp, Expr, Place, Scope};
use model::flow_proof::{Ghost, GhostTerm, Origin, Point, is_smashed};
use model::ids::MachineId;
use model::network::{Action, ScalarType};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// More ghosts, nodes and moves than this are not looked at.
const MOST_GHOSTS: usize = 64;
/// The work of the moves of a node.
const NODE: usize = 256;
const MOST_NODES: usize = 400;
const MOST_MOVES: usize = 1_200;

/// A step.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Move {
    /// The instance.
    pub instance: u32,
    /// The node that it leaves.
    pub from: u32,
    /// The node that it gets to.
    pub to: u32,
    /// By how much the messages of an atom become more.
    pub traffic: BTreeMap<(u32, u32), i64>,
    /// What it takes first.
    pub taken: Option<(u32, u32)>,
    /// Instances that are created, with their first nodes.
    pub born: Vec<(u32, Vec<u32>)>,
    /// The ghosts.
    pub ledger: Ledger,
}

/// Ghosts, and what becomes of them.
pub struct Moves {
    /// The ghosts.
    pub ghosts: Vec<Ghost>,
    /// What each can be in any state.
    pub usual: Vec<Span>,
    /// All steps.
    pub all: Vec<Move>,
}

/// How far conditions on a ghost count at a node of an instance, if not all the way.
pub type Trusted = HashMap<(u32, u32, u32), Trust>;

/// The ghosts of a network that is small enough.
pub fn ghosts(world: &World<'_>, analysis: &Analysis) -> Option<Vec<Ghost>> {
    let nodes: usize = analysis.instances.iter().map(|i| i.nodes.len()).sum();
    if nodes > MOST_NODES {
        return None;
    }
    let mut finder = Finder { world, analysis, found: BTreeSet::new(), stored: BTreeSet::new() };
    finder.find();
    let found = finder.found;
    let fits = !found.is_empty() && found.len() <= MOST_GHOSTS;
    fits.then(|| found.into_iter().map(|terms| Ghost { wraps: terms.len() > 1, terms }).collect())
}

struct Finder<'a> {
    world: &'a World<'a>,
    analysis: &'a Analysis,
    found: BTreeSet<Vec<GhostTerm>>,
    /// Variables that something is stored into.
    stored: BTreeSet<(Option<u32>, u32)>,
}

impl Finder<'_> {
    fn find(&mut self) {
        let mut copied: Vec<Copied> = Vec::new();
        let mut tested: Vec<(MachineId, Expr)> = Vec::new();
        for (id, machine) in (0u32..).map(MachineId).zip(&self.world.network.machines) {
            for action in machine.edges.iter().flat_map(|edge| simple(&edge.action)) {
                stores(action, &mut |place| {
                    self.stored.insert(variable(id, place));
                });
                match action {
                    Action::Condition(e) => tested.push((id, e.clone())),
                    Action::Assign(place, e) => {
                        let mut reads = Vec::new();
                        e.walk(&mut |e| reads.extend(read(e).cloned()));
                        copied.push((id, variable(id, place), reads));
                    }
                    _ => {}
                }
            }
        }
        let mut wanted: BTreeSet<(Option<u32>, u32)> = BTreeSet::new();
        for (id, e) in &tested {
            let mut apart: Vec<*const Expr> = Vec::new();
            e.walk(&mut |e| {
                if let Expr::Binary(BinaryOp::Sub, a, b) = e
                    && let (Some(x), Some(y)) = (read(a), read(b))
                    && self.difference(*id, x, y)
                {
                    apart.extend([std::ptr::from_ref(a.as_ref()), std::ptr::from_ref(b.as_ref())]);
                } else if let Some(place) = read(e)
                    && !apart.contains(&std::ptr::from_ref(e))
                {
                    wanted.insert(variable(*id, place));
                    self.single(*id, place);
                }
            });
        }
        for (id, into, reads) in &copied {
            if wanted.contains(into) {
                reads.iter().for_each(|place| self.single(*id, place));
            }
        }
    }

    /// The single instances of a machine, for a local; none of them for a shared variable.
    fn owners(&self, id: MachineId, place: &Place) -> Vec<Option<u32>> {
        match place.scope {
            Scope::Global => vec![None],
            Scope::Local => {
                let all = (0u32..).zip(&self.analysis.instances);
                all.filter(|(_, i)| i.machine == id && !i.many).map(|(id, _)| Some(id)).collect()
            }
        }
    }

    /// The slots of a place, if it is a number that changes.
    fn slots(&self, id: MachineId, place: &Place) -> Vec<u32> {
        let variables = self.world.network.variables(place.scope, id);
        let index = place.variable.index();
        let declared = &variables[index];
        if declared.ty == ScalarType::Channel || is_smashed(declared) || !self.stored.contains(&variable(id, place)) {
            return Vec::new();
        }
        let slots = match place.scope {
            Scope::Global => &self.world.globals,
            Scope::Local => &self.world.info(id).slots,
        };
        (0..declared.len()).map(|element| slots.slot(variables, index, element) as u32).collect()
    }

    fn single(&mut self, id: MachineId, place: &Place) {
        for instance in self.owners(id, place) {
            for slot in self.slots(id, place) {
                let folded = instance.is_some_and(|i| self.analysis.instances[i as usize].folded.contains(&slot));
                if !folded {
                    self.found.insert(vec![GhostTerm { instance, slot, minus: false }]);
                }
            }
        }
    }

    /// The difference of two numbers of 32 bits.
    fn difference(&mut self, id: MachineId, a: &Place, b: &Place) -> bool {
        let network = self.world.network;
        let wide = |place: &Place| network.variable(place, id).ty == ScalarType::Int;
        let (&[x], &[y]) = (self.slots(id, a).as_slice(), self.slots(id, b).as_slice()) else { return false };
        if a.scope != b.scope || x == y || !wide(a) || !wide(b) {
            return false;
        }
        for instance in self.owners(id, a) {
            let term = |slot: u32, minus: bool| GhostTerm { instance, slot, minus };
            let terms = if x < y { vec![term(x, false), term(y, true)] } else { vec![term(y, true), term(x, false)] };
            let other: Vec<GhostTerm> = terms.iter().map(|t| GhostTerm { minus: !t.minus, ..*t }).collect();
            if !self.found.contains(&other) {
                self.found.insert(terms);
            }
        }
        true
    }
}

/// An assignment: whose, into which variable, and what it reads.
type Copied = (MachineId, (Option<u32>, u32), Vec<Place>);

fn read(e: &Expr) -> Option<&Place> {
    match e {
        Expr::Read(place) => Some(place),
        _ => None,
    }
}

fn variable(id: MachineId, place: &Place) -> (Option<u32>, u32) {
    ((place.scope == Scope::Local).then_some(id.0), place.variable.0)
}

/// An action, or those of a deterministic step.
fn simple(action: &Action) -> Vec<&Action> {
    match action {
        Action::Deterministic(body) => body.nodes.iter().flatten().map(|choice| &choice.action).collect(),
        other => vec![other],
    }
}

/// All moves; ghosts that may wrap are marked. `None` if there are too many, or there is no time.
pub fn moves(
    world: &World<'_>,
    analysis: &Analysis,
    ghosts: &mut [Ghost],
    trusted: &Trusted,
    budget: &Budget,
) -> Option<Moves> {
    loop {
        let usual: Vec<Span> = ghosts.iter().map(|ghost| usual(analysis, ghost)).collect();
        let mut builder =
            Builder { world, analysis, ghosts, usual, trusted, wrapping: HashSet::new(), found: Vec::new() };
        builder.build(budget)?;
        let Builder { wrapping, found, usual, .. } = builder;
        if wrapping.is_empty() {
            return Some(Moves { ghosts: ghosts.to_vec(), usual, all: found });
        }
        wrapping.into_iter().for_each(|ghost| ghosts[ghost as usize].wraps = true);
    }
}

fn usual(analysis: &Analysis, ghost: &Ghost) -> Span {
    match ghost.terms.as_slice() {
        [term] if !ghost.wraps => match term.instance {
            None => span_of(&analysis.facts.globals[term.slot as usize]),
            Some(id) => {
                let alive = analysis.instances[id as usize].nodes.iter().filter(|node| node.at != Point::Gone);
                alive.map(|node| span_of(&node.values[term.slot as usize])).fold((Some(0), Some(0)), join)
            }
        },
        _ => ALL,
    }
}

/// What a ghost is at first, where its slots are locals.
fn first_local(world: &World<'_>, analysis: &Analysis, ghost: &Ghost) -> Span {
    let mut sum: Span = (Some(0), Some(0));
    for term in &ghost.terms {
        let Some(id) = term.instance else { return ALL };
        let (low, high) = span_of(&analysis.first_locals(world, id).0[term.slot as usize]);
        let (low, high) = if term.minus { (high.map(|n| -n), low.map(|n| -n)) } else { (low, high) };
        sum = (sum.0.zip(low).map(|(a, b)| a + b), sum.1.zip(high).map(|(a, b)| a + b));
    }
    sum
}

/// What a ghost is at the start.
pub fn first(world: &World<'_>, analysis: &Analysis, ghost: &Ghost) -> Span {
    if ghost.terms.iter().all(|term| term.instance.is_some()) {
        let created =
            |term: &GhostTerm| term.instance.is_some_and(|id| analysis.instances[id as usize].origin == Origin::Run);
        return if ghost.terms.iter().any(created) { (Some(0), Some(0)) } else { first_local(world, analysis, ghost) };
    }
    let mut sum = 0;
    for term in &ghost.terms {
        let Some(value) = crate::net::first_value(world, term.slot) else { return ALL };
        sum += if term.minus { -i64::from(value) } else { i64::from(value) };
    }
    (Some(sum), Some(sum))
}

struct Builder<'a> {
    world: &'a World<'a>,
    analysis: &'a Analysis,
    ghosts: &'a [Ghost],
    usual: Vec<Span>,
    trusted: &'a Trusted,
    wrapping: HashSet<u32>,
    found: Vec<Move>,
}

impl Builder<'_> {
    fn build(&mut self, budget: &Budget) -> Option<()> {
        let creations = self.analysis.creations.iter().map(|c| ((c.creator, c.node, c.edge), c.instance));
        let creations: HashMap<(u32, u32, u32), u32> = creations.collect();
        for (id, instance) in (0u32..).zip(&self.analysis.instances) {
            let mut watched: Vec<Watched> = (0..self.ghosts.len()).map(|ghost| self.watched(id, ghost)).collect();
            for (node, here) in (0u32..).zip(&instance.nodes) {
                budget.spend(NODE).ok()?;
                for (ghost, watched) in (0u32..).zip(&mut watched) {
                    watched.trust = self.trusted.get(&(id, node, ghost)).copied().unwrap_or(Trust::Less);
                }
                let stepper = Stepper {
                    world: self.world,
                    facts: &self.analysis.facts,
                    machine: instance.machine,
                    pid: &instance.pid,
                    numbers: &[],
                    watched: &watched,
                    seen: std::cell::RefCell::new(Seen::default()),
                };
                let steps = stepper.steps(here.at, &here.values, &[]);
                self.wrapping.extend(stepper.seen.into_inner().wrapping);
                let mut known = HashSet::new();
                steps.iter().for_each(|step| self.add(id, node, step, &creations, &mut known));
            }
            if self.found.len() > MOST_MOVES {
                return None;
            }
        }
        Some(())
    }

    fn watched(&self, id: u32, index: usize) -> Watched {
        let ghost = &self.ghosts[index];
        let machine = self.analysis.instances[id as usize].machine;
        let term = |t: &GhostTerm| match t.instance {
            None => {
                let ty = self.world.global_types[t.slot as usize];
                Some(Term { scope: Scope::Global, slot: t.slot, minus: t.minus, ty })
            }
            Some(owner) if owner == id => {
                let ty = self.world.info(machine).types[t.slot as usize];
                Some(Term { scope: Scope::Local, slot: t.slot, minus: t.minus, ty })
            }
            Some(_) => None,
        };
        let terms = ghost.terms.iter().filter_map(term).collect();
        Watched { terms, wraps: ghost.wraps, trust: Trust::Less, usual: self.usual[index] }
    }

    fn add(
        &mut self,
        id: u32,
        node: u32,
        step: &Step,
        creations: &HashMap<(u32, u32, u32), u32>,
        known: &mut HashSet<Move>,
    ) {
        let mut ledger = step.ledger.clone();
        let mut born = Vec::new();
        for created in &step.created {
            let Some(&instance) = creations.get(&(id, node, created.edge.0)) else { return };
            let first = self.analysis.instances[instance as usize].first.clone();
            if first.is_empty() {
                return;
            }
            born.push((instance, first));
            for (index, ghost) in self.ghosts.iter().enumerate() {
                if ghost.terms.iter().any(|term| term.instance == Some(instance)) {
                    ledger.before[index] = (Some(0), Some(0));
                    ledger.now[index] = Now::Among(first_local(self.world, self.analysis, ghost));
                }
            }
        }
        let taken = match step.traffic.first() {
            Some(Traffic::Taken(queue, atom)) => Some((*queue, *atom)),
            _ => None,
        };
        for &to in &self.analysis.nodes_of(id, step.to, &step.locals) {
            for traffic in self.split(&step.traffic) {
                let (born, ledger) = (born.clone(), ledger.clone());
                let found = Move { instance: id, from: node, to, traffic, taken, born, ledger };
                if known.insert(found.clone()) {
                    self.found.push(found);
                }
            }
        }
    }

    /// What traffic changes, for every choice of atoms.
    fn split(&self, traffic: &[Traffic]) -> Vec<BTreeMap<(u32, u32), i64>> {
        let mut found: Vec<BTreeMap<(u32, u32), i64>> = vec![BTreeMap::new()];
        for message in traffic {
            let (queue, atoms, change) = match message {
                Traffic::Taken(queue, atom) => (*queue, vec![*atom], -1),
                Traffic::Sent(queue, fields) => {
                    let facts = &self.analysis.facts.queues[*queue as usize];
                    let atoms = facts.split(fields).iter().filter_map(|(classes, _)| facts.atom(classes)).collect();
                    (*queue, atoms, 1)
                }
            };
            let with = |known: &BTreeMap<(u32, u32), i64>, atom: u32| {
                let mut next = known.clone();
                *next.entry((queue, atom)).or_default() += change;
                next
            };
            found = found.iter().flat_map(|f| atoms.iter().map(|&atom| with(f, atom)).collect::<Vec<_>>()).collect();
        }
        found
    }
}
