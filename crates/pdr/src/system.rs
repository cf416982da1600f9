//! The component as a transition system over few control points: large blocks.
//!
//! Control is looked at only at *cut points*: the entry, every location that a depth-first walk comes back to, and one
//! point that stands for all requested errors. What lies between two cut points has no cycle, so it is one [`Block`]: a
//! condition under which the path is taken, and for each variable its value at the end, both over the values at the start
//! and the inputs in between. Paths that meet again are merged by selections, so a block is as large as the program text
//! and not as the number of its paths (Beyer et al., *Software model checking via large-block encoding*, 2009).
//!
//! A block is a function of the start and the inputs. So the weakest precondition of a condition is a substitution.

use crate::slice::{Slice, opposite};
use bitvector::{Sort, TermId, Terms};
use cfront::program::{Component, EdgeId, ErrorKind, Instruction, LocationId, VariableId};
use encode::{Encoder, sort};
use model::budget::Budget;
use model::verdict::Reason;
use std::collections::{BTreeMap, HashMap, btree_map};

/// A cut point, by number. The entry is the first, the errors are the last.
pub(crate) type Cut = usize;

/// What an edge does to the variables that matter.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Nothing.
    Pass,
    /// Passable if this holds.
    Assume(TermId),
    /// New values, all at once, by the variable's place in [`System::state`].
    Assign(Vec<(usize, TermId)>),
    /// Values from outside.
    Input(Vec<(usize, TermId)>),
    /// A requested error.
    Error,
}

/// All paths from one cut point to another.
#[derive(Debug)]
pub(crate) struct Block {
    /// Where it starts.
    pub(crate) source: Cut,
    /// Where it ends.
    pub(crate) target: Cut,
    /// When it is taken, over the values at the start and the inputs.
    pub(crate) guard: TermId,
    /// The values at the end, in the order of [`System::state`].
    pub(crate) next: Vec<TermId>,
    /// The inputs that it reads.
    pub(crate) inputs: Vec<TermId>,
}

/// A component between cut points.
pub(crate) struct System<'c> {
    pub(crate) component: &'c Component,
    pub(crate) slice: Slice,
    pub(crate) terms: Terms,
    /// The variables that matter.
    pub(crate) state: Vec<TermId>,
    /// Their names in C.
    pub(crate) variables: Vec<VariableId>,
    /// The cut points; the errors have no location.
    pub(crate) cuts: Vec<LocationId>,
    /// By location.
    pub(crate) cut_at: Vec<Option<Cut>>,
    /// By edge, for live ones.
    pub(crate) steps: Vec<Step>,
    /// By edge: what must hold for it to be chosen, where conditions do not exclude each other.
    pub(crate) choices: HashMap<EdgeId, TermId>,
    /// The input that a location asks for a variable.
    pub(crate) inputs: HashMap<(LocationId, VariableId), TermId>,
    pub(crate) blocks: Vec<Block>,
    /// By target: the blocks that end there.
    pub(crate) entering: Vec<Vec<usize>>,
    /// An order in which edges that do not end at cut points go forward, and the place of each location in it.
    sequence: Vec<LocationId>,
    rank: Vec<usize>,
}

impl<'c> System<'c> {
    /// Builds the blocks of a component for some errors.
    pub(crate) fn new(
        component: &'c Component,
        asked: &dyn Fn(&ErrorKind) -> bool,
        budget: &Budget,
    ) -> Result<System<'c>, Reason> {
        let slice = Slice::new(component, asked);
        let mut terms = Terms::new();
        let mut encoder = Encoder::new(component, &component.terms, &mut terms);
        let variables = slice.variables.clone();
        let state = variables.iter().map(|&variable| encoder.variable(variable)).collect();
        let order = Order::new(component, &slice);
        let mut system = System {
            component,
            slice,
            terms,
            state,
            variables,
            cuts: order.cuts,
            cut_at: order.cut_at,
            steps: Vec::new(),
            choices: HashMap::new(),
            inputs: HashMap::new(),
            blocks: Vec::new(),
            entering: Vec::new(),
            sequence: order.sequence,
            rank: order.rank,
        };
        system.encode_steps(&mut encoder, budget)?;
        system.encode_choices();
        for source in 0..system.cuts.len() {
            system.build_from(source, budget)?;
        }
        system.entering = vec![Vec::new(); system.cuts.len() + 1];
        for (number, block) in system.blocks.iter().enumerate() {
            system.entering[block.target].push(number);
        }
        Ok(system)
    }

    /// The point that stands for the errors.
    pub(crate) fn error(&self) -> Cut {
        self.cuts.len()
    }

    fn encode_steps(&mut self, encoder: &mut Encoder<'_>, budget: &Budget) -> Result<(), Reason> {
        let place: HashMap<VariableId, usize> = self.variables.iter().enumerate().map(|(at, &v)| (v, at)).collect();
        for (number, edge) in self.component.edges.iter().enumerate() {
            budget.check()?;
            let step = if !self.slice.live[number] {
                Step::Pass
            } else {
                match &edge.instruction {
                    Instruction::Assume(_) if self.slice.idle[number] => Step::Pass,
                    Instruction::Assume(condition) => Step::Assume(encoder.term(&mut self.terms, *condition)),
                    Instruction::Assign(list) => {
                        let kept = list.iter().filter_map(|(variable, value)| Some((*place.get(variable)?, *value)));
                        Step::Assign(kept.map(|(at, value)| (at, encoder.term(&mut self.terms, value))).collect())
                    }
                    Instruction::Havoc(variables, _) => self.input_step(edge.source, variables.iter(), number, &place),
                    Instruction::Call { result, writes, .. } => {
                        self.input_step(edge.source, writes.iter().chain(result), number, &place)
                    }
                    Instruction::Error(_) => Step::Error,
                    Instruction::Nop | Instruction::Return(_) | Instruction::Stop(_) => Step::Pass,
                }
            };
            self.steps.push(step);
        }
        Ok(())
    }

    fn input_step<'v>(
        &mut self,
        source: LocationId,
        variables: impl Iterator<Item = &'v VariableId>,
        edge: usize,
        place: &HashMap<VariableId, usize>,
    ) -> Step {
        let mut list = Vec::new();
        for &variable in variables {
            if let Some(&at) = place.get(&variable) {
                let scalar = self.component.variable(variable).scalar;
                let input = self.terms.var(&format!("?input#{edge}#{}", variable.0), sort(scalar));
                self.inputs.insert((source, variable), input);
                list.push((at, input));
            }
        }
        Step::Input(list)
    }

    /// Conditions of edges that leave one location exclude each other in a graph made of C. Where that is not seen, an
    /// input decides, so that no way is lost.
    fn encode_choices(&mut self) {
        for edges in self.slice.leaving.clone() {
            let exclusive = match edges[..] {
                [] | [_] => true,
                [a, b] => opposite(self.component, a, b),
                _ => false,
            };
            if exclusive {
                continue;
            }
            let mut not_before = self.terms.bool(true);
            for (at, &edge) in edges.iter().enumerate() {
                let mut chosen = not_before;
                if at + 1 < edges.len() {
                    let choice = self.terms.var(&format!("?choice#{}", edge.0), Sort::Bool);
                    chosen = self.terms.and(not_before, choice);
                    let not = self.terms.not(choice);
                    not_before = self.terms.and(not_before, not);
                }
                self.choices.insert(edge, chosen);
            }
        }
    }

    /// The blocks that start at a cut point.
    fn build_from(&mut self, source: Cut, budget: &Budget) -> Result<(), Reason> {
        for (target, Arrival { guard, values: next }) in self.ways_from(source, self.state.clone(), budget)? {
            let mut roots = next.clone();
            roots.push(guard);
            let mut inputs = self.terms.free_variables(&roots);
            inputs.retain(|variable| !self.state.contains(variable));
            self.blocks.push(Block { source, target, guard, next, inputs });
        }
        Ok(())
    }

    /// Where paths from a cut point end that start with these values: one pass in topological order.
    pub(crate) fn ways_from(
        &mut self,
        source: Cut,
        values: Vec<TermId>,
        budget: &Budget,
    ) -> Result<Vec<(Cut, Arrival)>, Reason> {
        let start = self.cuts[source];
        // By the place in the order.
        let mut arrived: BTreeMap<usize, Arrival> = BTreeMap::new();
        let mut ended: BTreeMap<Cut, Arrival> = BTreeMap::new();
        let truth = self.terms.bool(true);
        arrived.insert(self.rank[start.0 as usize], Arrival { guard: truth, values });
        while let Some((place, here)) = arrived.pop_first() {
            budget.check()?;
            let location = self.sequence[place];
            for edge in self.slice.leaving[location.0 as usize].clone() {
                let Some(there) = self.take(&here, edge) else { continue };
                let target = self.component.edge(edge).target;
                let end = match self.steps[edge.0 as usize] {
                    Step::Error => Some(self.error()),
                    _ => self.cut_at[target.0 as usize],
                };
                match end {
                    Some(cut) => merge(&mut self.terms, &mut ended, cut, there),
                    None => merge(&mut self.terms, &mut arrived, self.rank[target.0 as usize], there),
                }
            }
        }
        let falsity = self.terms.bool(false);
        ended.retain(|_, arrival| arrival.guard != falsity);
        Ok(ended.into_iter().collect())
    }

    /// What holds behind an edge.
    fn take(&mut self, here: &Arrival, edge: EdgeId) -> Option<Arrival> {
        let mut there = here.clone();
        if let Some(&choice) = self.choices.get(&edge) {
            there.guard = self.terms.and(there.guard, choice);
        }
        match self.steps[edge.0 as usize].clone() {
            Step::Pass | Step::Error => {}
            Step::Assume(condition) => {
                let condition = self.at(condition, &here.values);
                there.guard = self.terms.and(there.guard, condition);
            }
            Step::Assign(list) => {
                let terms: Vec<TermId> = list.iter().map(|&(_, value)| value).collect();
                for ((at, _), value) in list.into_iter().zip(self.all_at(&terms, &here.values)) {
                    there.values[at] = value;
                }
            }
            Step::Input(list) => {
                for (at, input) in list {
                    there.values[at] = input;
                }
            }
        }
        (there.guard != self.terms.bool(false)).then_some(there)
    }

    /// A term over the state, with these values in the place of the variables.
    pub(crate) fn at(&mut self, term: TermId, values: &[TermId]) -> TermId {
        self.all_at(&[term], values).pop().unwrap_or(term)
    }

    /// The same for many terms, which may share their parts.
    pub(crate) fn all_at(&mut self, list: &[TermId], values: &[TermId]) -> Vec<TermId> {
        let read = self.terms.free_variables(list);
        let mut map = HashMap::new();
        for variable in read {
            if let Ok(at) = self.state.binary_search(&variable)
                && values[at] != variable
            {
                map.insert(variable, values[at]);
            }
        }
        if map.is_empty() { list.to_vec() } else { self.terms.substitute_all(list, &map) }
    }
}

/// Where a path is: under which condition, and with which values.
#[derive(Clone)]
pub(crate) struct Arrival {
    pub(crate) guard: TermId,
    pub(crate) values: Vec<TermId>,
}

fn merge(terms: &mut Terms, table: &mut BTreeMap<usize, Arrival>, key: usize, new: Arrival) {
    match table.entry(key) {
        btree_map::Entry::Vacant(entry) => {
            entry.insert(new);
        }
        btree_map::Entry::Occupied(mut entry) => {
            let old = entry.get_mut();
            for (value, other) in old.values.iter_mut().zip(new.values) {
                *value = terms.ite(new.guard, other, *value);
            }
            old.guard = terms.or(old.guard, new.guard);
        }
    }
}

/// A depth-first walk: cut points, and an order in which edges that do not end at cut points go forward.
pub(crate) struct Order {
    sequence: Vec<LocationId>,
    rank: Vec<usize>,
    pub(crate) cuts: Vec<LocationId>,
    pub(crate) cut_at: Vec<Option<Cut>>,
}

impl Order {
    pub(crate) fn new(component: &Component, slice: &Slice) -> Order {
        let count = component.locations.len();
        let entry = component.entry;
        let (mut seen, mut open, mut is_cut) = (vec![false; count], vec![false; count], vec![false; count]);
        is_cut[entry.0 as usize] = true;
        let mut sequence = Vec::new();
        let mut stack = vec![(entry, 0_usize)];
        seen[entry.0 as usize] = true;
        open[entry.0 as usize] = true;
        while let Some((location, next)) = stack.last_mut() {
            let here = *location;
            let Some(&edge) = slice.leaving[here.0 as usize].get(*next) else {
                open[here.0 as usize] = false;
                sequence.push(here);
                stack.pop();
                continue;
            };
            *next += 1;
            let edge = component.edge(edge);
            let target = edge.target.0 as usize;
            if matches!(edge.instruction, Instruction::Error(_)) {
                continue;
            }
            if open[target] {
                is_cut[target] = true;
            } else if !seen[target] {
                seen[target] = true;
                open[target] = true;
                stack.push((edge.target, 0));
            }
        }
        sequence.reverse();
        let mut rank = vec![0; count];
        for (at, location) in sequence.iter().enumerate() {
            rank[location.0 as usize] = at;
        }
        let mut cut_at = vec![None; count];
        let mut cuts = Vec::new();
        for &location in &sequence {
            if is_cut[location.0 as usize] {
                cut_at[location.0 as usize] = Some(cuts.len());
                cuts.push(location);
            }
        }
        Order { sequence, rank, cuts, cut_at }
    }
}
