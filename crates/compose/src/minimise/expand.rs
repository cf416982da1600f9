//! From a path of the last abstractions down the tree to a run of the components.
//!
//! A class can do whatever one of its states can, after steps that stay inside of it and that no component outside sees. So a step
//! of a node is made in two parts: first its parts *prepare*, which may take steps of their own, and then all of them take the
//! step together. Preparing one part changes nothing for the others. At the end of a run to a deadlock, nodes *settle* in
//! the same way: each goes on silently until it is ready for no more than it should be.
//!
//! A class that steps silently to itself is one whose states can all be silent forever inside of it, so each of them has a
//! silent step to take. The loop of a lasso is repeated until the components are where they were at the start of an earlier round.

use super::piece::{Origin, Piece};
use super::sets::{Sets, includes, together};
use crate::lts::{Leaf, TAU};
use crate::meter::Meter;
use crate::problem::Problem;
use crate::product::{Path, Product, Step, Successors};
use crate::table::Table;
use model::budget::Budget;
use model::verdict::Reason;
use std::collections::{BTreeSet, HashMap};

/// The tree may be deep.
const STACK: usize = 1 << 28;
/// How many states lie between two looks at the clock.
const CHECK_EVERY: u32 = 1 << 10;
/// A run that gets longer than this is given up.
const LONGEST: usize = 1 << 18;

/// A run of the components, in their own numbers; none if the path cannot be taken down.
pub(crate) fn expand(
    problem: &Problem<'_>,
    pieces: &[Piece],
    live: &[usize],
    path: &Path,
    sets: &Sets,
    meter: &Meter<'_>,
) -> Result<Option<Path>, Reason> {
    meter.look()?;
    let budget = meter.budget();
    let work = || Expansion::new(problem, pieces, live, sets, &budget).run(live, path);
    let deep = pieces.iter().map(|piece| piece.depth).max().unwrap_or(0) > 100;
    let run = match deep {
        false => work(),
        true => std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            thread.ok().and_then(|thread| thread.join().ok()).flatten()
        }),
    };
    // If it was stopped, that is the reason.
    meter.look().map(|()| run)
}

/// A step that is prepared: what happens, and where the components go.
struct Pending {
    step: Step,
    moves: Vec<(usize, u32)>,
}

struct Expansion<'a> {
    budget: &'a Budget,
    leaves: &'a [Leaf],
    pieces: &'a [Piece],
    sets: &'a Sets,
    is_deadlock: bool,
    /// Classes are those of strong bisimulation: no state needs to be prepared.
    is_strong: bool,
    products: Vec<Product<'a>>,
    /// The node that a node is part of.
    above: Vec<Option<usize>>,
    /// The class that each node is in.
    class: Vec<u32>,
    run: Path,
}

impl<'a> Expansion<'a> {
    fn new(problem: &'a Problem<'a>, pieces: &'a [Piece], live: &[usize], sets: &'a Sets, budget: &'a Budget) -> Self {
        let mut above = vec![None; pieces.len()];
        let mut products = Vec::with_capacity(pieces.len() + 1);
        for (number, piece) in pieces.iter().enumerate() {
            let parts = match piece.origin {
                Origin::Leaf(component) => vec![&problem.leaves[component].lts],
                Origin::Pair(left, right) => {
                    (above[left], above[right]) = (Some(number), Some(number));
                    vec![&pieces[left].quotient, &pieces[right].quotient]
                }
            };
            products.push(Product::new(parts, problem.events));
        }
        products.push(Product::new(live.iter().map(|&piece| &pieces[piece].quotient).collect(), problem.events));
        Expansion {
            budget,
            leaves: &problem.leaves,
            pieces,
            sets,
            is_deadlock: problem.is_deadlock(),
            is_strong: problem.watch.is_some() && problem.sees_stuttering,
            products,
            above,
            class: vec![0; pieces.len()],
            run: Path::default(),
        }
    }

    fn run(mut self, live: &[usize], path: &Path) -> Option<Path> {
        let mut start = vec![0; self.leaves.len()];
        for (&piece, &class) in live.iter().zip(path.states.first()?) {
            self.begin(piece, class, &mut start)?;
        }
        self.run.states.push(start);
        let stem = path.loop_from.unwrap_or(path.steps.len());
        for at in 0..stem {
            self.at_root(live, path, at)?;
        }
        if self.is_deadlock {
            self.settle_root(live)?;
        }
        if path.loop_from.is_some() {
            let mut starts: HashMap<Vec<u32>, usize> = HashMap::new();
            loop {
                let here = self.run.states.last()?.clone();
                if let Some(&earlier) = starts.get(&here) {
                    self.run.loop_from = Some(earlier);
                    break;
                }
                starts.insert(here, self.run.steps.len());
                for at in stem..path.steps.len() {
                    self.at_root(live, path, at)?;
                }
            }
        }
        Some(self.run)
    }

    fn parts(&self, piece: usize) -> Vec<usize> {
        match self.pieces[piece].origin {
            Origin::Leaf(_) => Vec::new(),
            Origin::Pair(left, right) => vec![left, right],
        }
    }

    /// Chooses first states of the components below a node that make up a class.
    fn begin(&mut self, piece: usize, class: u32, start: &mut [u32]) -> Option<()> {
        let mut chosen: Option<Vec<u32>> = None;
        let known = &self.pieces[piece];
        // The visit fails in order to stop.
        let _ = self.products[piece].initial(|state| {
            if known.class(state) == Some(class) {
                chosen = Some(state.to_vec());
                return Err(Reason::StoppedEarly);
            }
            Ok(())
        });
        let chosen = chosen?;
        self.class[piece] = class;
        if let Origin::Leaf(component) = known.origin {
            start[component] = chosen[0];
        }
        for (part, class) in self.parts(piece).into_iter().zip(chosen) {
            self.begin(part, class, start)?;
        }
        Some(())
    }

    /// A step of the path at the root.
    fn at_root(&mut self, live: &[usize], path: &Path, at: usize) -> Option<()> {
        let pending = self.join(live, path.steps[at], &path.states[at + 1])?;
        self.perform(pending)
    }

    /// Prepares all parts that take part in a step.
    fn join(&mut self, parts: &[usize], step: Step, next: &[u32]) -> Option<Pending> {
        if step.event == TAU {
            return self.prepare(*parts.get(step.part as usize)?, TAU, next[step.part as usize]);
        }
        let mut all = Pending { step, moves: Vec::new() };
        for (&part, &class) in parts.iter().zip(next) {
            if self.pieces[part].quotient.takes_part(step.event) {
                let one = self.prepare(part, step.event, class)?;
                all.step = one.step;
                all.moves.extend(one.moves);
            }
        }
        Some(all)
    }

    /// Brings a node to where it can take a step to a class at once.
    fn prepare(&mut self, piece: usize, event: u32, class: u32) -> Option<Pending> {
        let known = &self.pieces[piece];
        let fits = |step: Step, next: &[u32]| {
            let named = if known.hides(step.event) { TAU } else { step.event };
            named == event && known.class(next) == Some(class)
        };
        let path = self.silently(piece, &mut |expansion, state| {
            let mut successors = Successors::default();
            expansion.products[piece].expand(state, &mut successors).ok()?;
            successors.iter().find(|(step, next)| fits(*step, next)).map(|(step, next)| (step, next.to_vec()))
        })?;
        let (step, next) = self.take(piece, path)?;
        self.inside(piece, step, &next)
    }

    /// Prepares a step between states of a node.
    fn inside(&mut self, piece: usize, step: Step, next: &[u32]) -> Option<Pending> {
        match self.pieces[piece].origin {
            Origin::Leaf(component) => {
                let step = Step { event: step.event, part: component as u32 };
                Some(Pending { step, moves: vec![(component, next[0])] })
            }
            Origin::Pair(left, right) => self.join(&[left, right], step, next),
        }
    }

    /// Takes the steps of a silent path, and says what was found at its end.
    fn take<T>(&mut self, piece: usize, (path, found): Silent<T>) -> Option<T> {
        for (step, next) in path {
            let pending = self.inside(piece, step, &next)?;
            self.perform(pending)?;
        }
        Some(found)
    }

    /// The state that a node is in: classes of its parts, or the state of its component.
    fn state(&self, piece: usize) -> Option<Vec<u32>> {
        match self.pieces[piece].origin {
            Origin::Leaf(component) => Some(vec![self.run.states.last()?[component]]),
            Origin::Pair(left, right) => Some(vec![self.class[left], self.class[right]]),
        }
    }

    /// A shortest path inside of the class that a node is in, by steps that no component outside sees, to a state where something
    /// is found.
    fn silently<T>(&self, piece: usize, find: &mut dyn FnMut(&Self, &[u32]) -> Option<T>) -> Option<Silent<T>> {
        let known = &self.pieces[piece];
        let product = &self.products[piece];
        let class = self.class[piece];
        let mut table = Table::new(product.parts.iter().map(|part| part.states()));
        let mut origin: Vec<Option<(u32, Step)>> = vec![None];
        table.insert(&self.state(piece)?);
        let (mut state, mut successors) = (Vec::new(), Successors::default());
        let mut at = 0;
        while (at as usize) < table.len() {
            if at % CHECK_EVERY == 0 && self.budget.check().is_err() {
                return None;
            }
            table.get(at, &mut state);
            if let Some(found) = find(self, &state) {
                return Some((path_to(&table, &origin, at), found));
            }
            if !self.is_strong {
                product.expand(&state, &mut successors).ok()?;
                for (step, next) in successors.iter() {
                    if known.hides(step.event) && known.class(next) == Some(class) && table.insert(next).1 {
                        origin.push(Some((at, step)));
                    }
                }
            }
            at += 1;
        }
        None
    }

    /// Everybody who takes part takes the step.
    fn perform(&mut self, pending: Pending) -> Option<()> {
        let mut state = self.run.states.last()?.clone();
        for &(component, to) in &pending.moves {
            state[component] = to;
        }
        self.run.states.push(state);
        self.run.steps.push(pending.step);
        if self.run.steps.len() > LONGEST {
            return None;
        }
        // Components are the first nodes, in order, and a node comes after its parts.
        let mut changed: BTreeSet<usize> = pending.moves.iter().map(|&(component, _)| component).collect();
        while let Some(node) = changed.pop_first() {
            self.class[node] = self.pieces[node].class(&self.state(node)?)?;
            changed.extend(self.above[node]);
        }
        Some(())
    }

    /// Brings every component to where nothing can happen.
    fn settle_root(&mut self, live: &[usize]) -> Option<()> {
        let &[left, right] = live else { return None };
        let (a, b) = self.settled(left, right, self.class[left], self.class[right], &[], &[])?;
        self.settle(left, a)?;
        self.settle(right, b)
    }

    /// Ready sets of two nodes that make up no more than is wanted.
    fn settled(
        &self,
        left: usize,
        right: usize,
        class_a: u32,
        class_b: u32,
        hidden: &[u32],
        wanted: &[u32],
    ) -> Option<(u32, u32)> {
        let (a, b) = (&self.pieces[left], &self.pieces[right]);
        let sets =
            a.ready[class_a as usize].iter().flat_map(|&x| b.ready[class_b as usize].iter().map(move |&y| (x, y)));
        sets.into_iter().find(|&(x, y)| {
            let one = (self.sets.get(x), a.quotient.alphabet.as_slice());
            let other = (self.sets.get(y), b.quotient.alphabet.as_slice());
            together(one, other, hidden).is_some_and(|set| includes(wanted, &set))
        })
    }

    /// Goes on silently until the components below a node are ready for no more than a set.
    fn settle(&mut self, piece: usize, set: u32) -> Option<()> {
        let wanted = self.sets.get(set);
        let known = &self.pieces[piece];
        match known.origin {
            Origin::Leaf(component) => {
                let leaf = &self.leaves[component];
                let path = self.silently(piece, &mut |_, state| {
                    let ready = leaf.ready(state[0]);
                    let stable = !ready.iter().any(|&event| known.hides(event));
                    (stable && includes(wanted, &ready)).then_some(())
                })?;
                self.take(piece, path)
            }
            Origin::Pair(left, right) => {
                let path = self.silently(piece, &mut |expansion, state| {
                    expansion.settled(left, right, state[0], state[1], &known.hidden, wanted)
                })?;
                let (a, b) = self.take(piece, path)?;
                self.settle(left, a)?;
                self.settle(right, b)
            }
        }
    }
}

/// Steps that no component sees, each with the state after it, and what was found at their end.
type Silent<T> = (Vec<(Step, Vec<u32>)>, T);

fn path_to(table: &Table, origin: &[Option<(u32, Step)>], end: u32) -> Vec<(Step, Vec<u32>)> {
    let mut path = Vec::new();
    let mut at = end;
    while let Some((from, step)) = origin[at as usize] {
        let mut state = Vec::new();
        table.get(at, &mut state);
        path.push((step, state));
        at = from;
    }
    path.reverse();
    path
}
