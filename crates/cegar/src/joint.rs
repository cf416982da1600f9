//! Is a run of components that share variables a run of the program?
//!
//! Each component can go its own way with its own inputs, the values that it loads among them. Together they can if every
//! load gives what was stored last. So the run is executed in its order, over all components, with the value of each shared
//! variable as a term: a load takes it, a store gives another one. What each component asks of its inputs must hold then.
//!
//! If it cannot, the classes of values are too coarse: a component has loaded another value of the class than the one that
//! was stored. The run is executed once more with what is loaded left open, and that each load gives what was stored as an
//! assumption of its own: the loads in a minimal core say which variables that concerns, and the values that they should have
//! given become classes of their own, or else the values that these variables have in the run. Where they are no constants,
//! the numbers with which the core compares bound new classes.

use crate::graph::Graph;
use crate::meter::Meter;
use crate::path::{Execution, Path};
use crate::system::Examined;
use crate::validate::{Projection, Real};
use bitvector::{Embedded, Evaluation, Model, Op, Outcome, TermId, Terms};
use cfront::term::Scalar;
use model::composition::{Run, StepLabel};
use model::reason::Reason;
use spec::SharedVariable;
use spec::graph::Access;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The way of one component.
pub(crate) struct Way {
    pub(crate) projection: Projection,
    pub(crate) path: Path,
    pub(crate) execution: Execution,
}

/// A load: which component, its input, and the variable.
struct Load {
    component: usize,
    input: TermId,
    variable: usize,
    /// What was stored last.
    stored: TermId,
}

/// What is known of loads when a run is executed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loads {
    /// They give what was stored last.
    Linked,
    /// Nothing.
    Open,
}

/// All components together, over one pool of terms.
pub(crate) struct Joint<'j> {
    variables: &'j [SharedVariable],
    run: &'j Run,
    rounds: usize,
    ways: Vec<Way>,
    terms: Terms,
    /// By component: its terms in the common pool.
    images: Vec<HashMap<TermId, TermId>>,
    loads: Vec<Load>,
    /// The values that each variable has in the run.
    history: Vec<Vec<TermId>>,
    /// The values before the loop and after each of its rounds.
    memory: Vec<Vec<TermId>>,
    /// What must hold, and which component asks for it.
    constraints: Vec<(TermId, usize, TermId)>,
    solver: Embedded,
}

/// New bounds between classes of values: the variable, and where the next class begins.
pub(crate) type Cuts = BTreeSet<(usize, u64)>;

impl<'j> Joint<'j> {
    /// Executes a run, with so many rounds of its loop.
    pub(crate) fn new(
        examined: &[Examined],
        variables: &'j [SharedVariable],
        run: &'j Run,
        rounds: usize,
        ways: Vec<Way>,
    ) -> Joint<'j> {
        Joint::executed(examined, variables, (run, rounds), ways, Loads::Linked)
    }

    fn executed(
        examined: &[Examined],
        variables: &'j [SharedVariable],
        (run, rounds): (&'j Run, usize),
        ways: Vec<Way>,
        loads: Loads,
    ) -> Joint<'j> {
        let mut terms = Terms::new();
        let first: Vec<TermId> = variables
            .iter()
            .map(|variable| terms.constant_of(encode::sort(variable.scalar), u128::from(variable.initial)))
            .collect();
        let mut joint = Joint {
            variables,
            run,
            rounds,
            images: vec![HashMap::new(); ways.len()],
            ways,
            terms,
            loads: Vec::new(),
            history: first.iter().map(|&value| vec![value]).collect(),
            memory: Vec::new(),
            constraints: Vec::new(),
            solver: Embedded::new(),
        };
        let mut now = first;
        let mut positions = vec![0; examined.len()];
        let (stem, round) = run.steps.split_at(run.loop_from.unwrap_or(run.steps.len()));
        joint.walk(examined, stem, &mut positions, &mut now, loads);
        joint.memory.push(now.clone());
        for _ in 0..rounds {
            joint.walk(examined, round, &mut positions, &mut now, loads);
            joint.memory.push(now.clone());
        }
        for (component, one) in examined.iter().enumerate() {
            let own: Vec<TermId> = joint.ways[component].execution.constraints().collect();
            for constraint in own {
                let image = joint.image(&one.graph, component, constraint);
                joint.constraints.push((image, component, constraint));
            }
        }
        joint
    }

    fn walk(
        &mut self,
        examined: &[Examined],
        steps: &[StepLabel],
        positions: &mut [usize],
        now: &mut [TermId],
        loads: Loads,
    ) {
        for label in steps {
            for (component, one) in examined.iter().enumerate() {
                if !one.takes_part(label) {
                    continue;
                }
                let position = positions[component];
                positions[component] += 1;
                let Some(&step) = self.ways[component].path.steps.get(position) else { continue };
                match one.graph.steps[step as usize].access {
                    Some(Access::Load(variable, _)) => {
                        let execution = &self.ways[component].execution;
                        let Some(&(_, input)) = execution.inputs[position + 1].first() else { continue };
                        if loads == Loads::Linked {
                            self.images[component].insert(input, now[variable]);
                        }
                        self.loads.push(Load { component, input, variable, stored: now[variable] });
                    }
                    Some(Access::Store(variable, own)) => {
                        let value = self.ways[component].execution.values[position + 1][own.0 as usize];
                        now[variable] = self.image(&one.graph, component, value);
                        self.history[variable].push(now[variable]);
                    }
                    None => {}
                }
            }
        }
    }

    /// A term of a component in the common pool.
    fn image(&mut self, graph: &Graph, component: usize, term: TermId) -> TermId {
        let known = &mut self.images[component];
        if let Some(&image) = known.get(&term) {
            return image;
        }
        for part in graph.terms.parts(&[term]) {
            if known.contains_key(&part) {
                continue;
            }
            let node = graph.terms.node(part);
            let image = match node.op() {
                Op::Var(_) => {
                    let name = format!("{component}:{}", graph.terms.name(part).unwrap_or_default());
                    self.terms.var(&name, node.sort())
                }
                op => {
                    let arguments: Vec<TermId> = node.arguments().iter().map(|argument| known[argument]).collect();
                    self.terms.make(op, node.sort(), &arguments)
                }
            };
            known.insert(part, image);
        }
        known[&term]
    }

    /// The ways of the components.
    pub(crate) fn into_ways(self) -> Vec<Way> {
        self.ways
    }

    /// Whether all can go their ways, and something more holds.
    pub(crate) fn ask(&mut self, more: Option<TermId>, meter: &mut Meter<'_>) -> Result<Outcome, Reason> {
        let parts: Vec<TermId> = self.constraints.iter().map(|&(image, ..)| image).chain(more).collect();
        meter.ask(&mut self.solver, &self.terms, &parts)
    }

    /// What matters has the same values after some rounds of the loop.
    pub(crate) fn closes(&mut self, examined: &mut [Examined], before: usize, after: usize) -> TermId {
        let mut same = Vec::new();
        for (component, one) in examined.iter_mut().enumerate() {
            let way = &self.ways[component];
            let (stem, length) = way.projection.lengths();
            let (from, to) = (stem + before * length, stem + after * length);
            let own = way.execution.closes(&mut one.graph, from, to);
            same.push(self.image(&one.graph, component, own));
        }
        for variable in 0..self.variables.len() {
            same.push(self.terms.eq(self.memory[before][variable], self.memory[after][variable]));
        }
        self.terms.and_all(&same)
    }

    /// The ways with the inputs of a model.
    pub(crate) fn real(&mut self, examined: &[Examined], model: &Model, rounds: Option<(usize, usize)>) -> Vec<Real> {
        let mut evaluation = Evaluation::new(model.clone());
        let mut real = Vec::new();
        for (component, one) in examined.iter().enumerate() {
            let asked = self.ways[component].execution.inputs.clone();
            let mut inputs = Vec::new();
            for step in asked {
                let mut own = Vec::new();
                for (_, input) in step {
                    let image = self.image(&one.graph, component, input);
                    own.push(evaluation.bits(&self.terms, image) as u64);
                }
                inputs.push(own);
            }
            let way = &self.ways[component];
            real.push(Real::joined(way.path.clone(), inputs, way.projection.lengths(), rounds));
        }
        real
    }

    /// The loads, by number, of a minimal core: with any values in their place, all can go their ways together.
    fn concerned(&mut self, examined: &[Examined], meter: &mut Meter<'_>) -> Result<Vec<usize>, Reason> {
        let (ways, run) = (std::mem::take(&mut self.ways), (self.run, self.rounds));
        let mut open = Joint::executed(examined, self.variables, run, ways, Loads::Open);
        let mut links = Vec::new();
        for number in 0..open.loads.len() {
            let Load { component, input, stored, .. } = open.loads[number];
            let loaded = open.image(&examined[component].graph, component, input);
            links.push(open.terms.eq(loaded, stored));
        }
        // The links come first: whatever can be left out is one of them, if possible.
        let parts: Vec<TermId> =
            links.iter().copied().chain(open.constraints.iter().map(|&(image, ..)| image)).collect();
        let found = meter.ask(&mut open.solver, &open.terms, &parts)?;
        let Outcome::Unsat(core) = found else { return Ok(Vec::new()) };
        let core: HashSet<TermId> = core.into_iter().collect();
        let core: Vec<TermId> = parts.into_iter().filter(|part| core.contains(part)).collect();
        let core = meter.core(&mut open.solver, &open.terms, &core);
        Ok((0..links.len()).filter(|&number| core.contains(&links[number])).collect())
    }

    /// Bounds that tell the values apart that a core of constraints has mixed up.
    pub(crate) fn cuts(
        &mut self,
        examined: &[Examined],
        core: &[TermId],
        known: &[Vec<u64>],
        meter: &mut Meter<'_>,
    ) -> Result<Cuts, Reason> {
        let needed = self.concerned(examined, meter)?;
        let needed: Vec<&Load> = needed.into_iter().map(|number| &self.loads[number]).collect();
        let stored = |load: &&Load| Some((load.variable, self.terms.as_const(load.stored)?));
        for values in [needed.iter().filter_map(stored).collect(), self.values(&needed)] {
            let found = self.bounds(values, known);
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let core: HashSet<TermId> = meter.core(&mut self.solver, &self.terms, core).into_iter().collect();
        let mut concerned: Vec<&Load> = Vec::new();
        let mut numbers: Vec<u128> = Vec::new();
        for &(image, component, constraint) in self.constraints.iter().filter(|(image, ..)| core.contains(image)) {
            let terms = &examined[component].graph.terms;
            let free: HashSet<TermId> = terms.free_variables(&[constraint]).into_iter().collect();
            let own = self.loads.iter().filter(|load| load.component == component && free.contains(&load.input));
            concerned.extend(own);
            numbers.extend(terms.parts(&[constraint]).into_iter().filter_map(|part| terms.as_const(part)));
            numbers.extend(self.terms.parts(&[image]).into_iter().filter_map(|part| self.terms.as_const(part)));
        }
        let found = self.bounds(self.values(&concerned), known);
        if !found.is_empty() {
            return Ok(found);
        }
        let compared = concerned.iter().flat_map(|load| numbers.iter().map(|&number| (load.variable, number)));
        Ok(self.bounds(compared.collect(), known))
    }

    /// The constants that the variables of loads have in the run.
    fn values(&self, loads: &[&Load]) -> Vec<(usize, u128)> {
        let values = loads.iter().flat_map(|load| {
            let values = self.history[load.variable].iter().filter_map(|&value| self.terms.as_const(value));
            values.map(|bits| (load.variable, bits))
        });
        values.collect()
    }

    /// New bounds of the classes that have one of these values only.
    fn bounds(&self, values: Vec<(usize, u128)>, known: &[Vec<u64>]) -> Cuts {
        let bounds = values.into_iter().flat_map(|(variable, bits)| {
            around(self.variables[variable].scalar, bits).into_iter().map(move |bits| (variable, bits))
        });
        bounds.filter(|(variable, bits)| !known[*variable].contains(bits)).collect()
    }
}

/// The bounds of the class that has one value only: the smallest value begins no other class.
fn around(scalar: Scalar, bits: u128) -> Vec<u64> {
    let bits = scalar.truncate(bits);
    let next = scalar.truncate(bits.wrapping_add(1));
    [bits, next].into_iter().filter(|&bits| bits != scalar.lowest()).map(|bits| bits as u64).collect()
}
