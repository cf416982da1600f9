//! The search: property-directed reachability over cut points, with literals over words.
//!
//! For each cut point and each level there is a *frame*, a set of clauses that holds wherever a run is after at most so
//! many blocks (Bradley, *SAT-based model checking without unrolling*, 2011; over control flow: Cimatti and Griggio,
//! *Software model checking via IC3*, 2012; Lange, Neuhäußer and Noll, *IC3 software model checking on control flow
//! automata*, 2015). Before the first block only the entry can be where a run is, with any values.
//!
//! An *obligation* is a cube of states at a cut point from which an error is reached. If a block leads into it from
//! within the frame before, the states that do so become an obligation one level earlier (`lift.rs`); at the entry that
//! is a run. If no block does, the cube is made larger (`generalise.rs`) and its negation is a new clause. When no clause
//! is lost from one level to the next, the frame is an inductive invariant.

use crate::Counts;
use crate::enumerated::Beside;
use crate::system::{Cut, System};
use bitvector::{Effort, Embedded, Model, Outcome, Solver, TermId};
use cfront::interpret::Run;
use model::context::Context;
use model::observer::Progress;
use model::reason::Reason;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A conjunction of literals over the state.
pub(crate) type Cube = Vec<TermId>;

/// The level of a clause that holds always.
pub(crate) const ALWAYS: usize = usize::MAX / 2;

/// What the solver said.
pub(crate) enum Said {
    /// There is a model.
    Yes(Model),
    /// There is none, because of these.
    No(Vec<TermId>),
    /// It would have cost too much.
    Unknown,
}

impl Said {
    pub(crate) fn core(self) -> Option<Vec<TermId>> {
        match self {
            Said::No(core) => Some(core),
            _ => None,
        }
    }
}

/// No state of the cube is reached within so many blocks.
#[derive(Clone, Debug)]
pub(crate) struct Lemma {
    pub(crate) cube: Cube,
    pub(crate) clause: TermId,
    pub(crate) level: usize,
}

/// States that lead to an error.
struct Obligation {
    cut: Cut,
    cube: Cube,
    /// The obligation that it leads to, and the model of the inputs on the way.
    next: Option<(usize, Model)>,
}

/// What the search came to.
pub(crate) enum Found {
    /// These cubes are never reached, by cut point.
    Invariant(Vec<Vec<Cube>>),
    /// The inputs of a run, block by block.
    Run(Vec<Model>),
    /// These states are all that there are, as conditions by cut point, for the solver and for people.
    States(Vec<Vec<(TermId, String)>>),
    /// A run that was found by walking.
    Walked(Run),
}

/// Whether a cube is kept out of a frame.
pub(crate) enum Reached {
    /// Yes, because of these of its literals.
    Never(Cube),
    /// A model of this block leads into it.
    By(usize, Model),
    /// It would have cost too much to say.
    Unknown,
}

/// The state of a search.
pub(crate) struct Search<'c, 'a> {
    pub(crate) system: System<'c>,
    pub(crate) cx: Context<'a>,
    pub(crate) solver: Embedded,
    /// By cut point, the errors last.
    pub(crate) lemmas: Vec<Vec<Lemma>>,
    pub(crate) top: usize,
    through: HashMap<(usize, TermId), TermId>,
    pub(crate) vocabulary: crate::generalise::Vocabulary,
    pub(crate) obligations: u64,
    /// A state that stood in the way is being excluded: no second one meanwhile.
    pub(crate) aside: bool,
    /// The search over states with numbers.
    pub(crate) beside: Beside<'c, 'a>,
}

impl<'c, 'a> Search<'c, 'a> {
    pub(crate) fn new(mut system: System<'c>, cx: &Context<'a>, beside: Beside<'c, 'a>) -> Self {
        let lemmas = vec![Vec::new(); system.cuts.len() + 1];
        let vocabulary = crate::generalise::Vocabulary::new(&mut system);
        Search {
            system,
            cx: *cx,
            solver: Embedded::new(),
            lemmas,
            top: 0,
            through: HashMap::new(),
            vocabulary,
            obligations: 0,
            aside: false,
            beside,
        }
    }

    /// Goes level by level until there is an answer.
    pub(crate) fn run(&mut self) -> Result<Found, Reason> {
        self.learn_relations()?;
        loop {
            self.top += 1;
            self.tell();
            if let Some(found) = self.block_errors()? {
                return Ok(found);
            }
            if let Some(level) = self.propagate()? {
                let kept = |lemmas: &Vec<Lemma>| {
                    lemmas.iter().filter(|lemma| lemma.level > level).map(|lemma| lemma.cube.clone()).collect()
                };
                return Ok(Found::Invariant(self.lemmas.iter().map(kept).collect()));
            }
        }
    }

    /// How far it is.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            iteration: self.top as u64,
            lemmas: self.lemmas.iter().map(Vec::len).sum::<usize>() as u64,
            obligations: self.obligations,
            solver_calls: self.solver.statistics().checks,
        }
    }

    fn tell(&mut self) {
        self.cx.progress(|| {
            let Counts { iteration, lemmas, obligations, solver_calls } = self.counts();
            let (states, waiting, transitions, depth) = (lemmas, obligations, solver_calls, iteration);
            Progress { engine: crate::ENGINE, states, waiting, transitions, depth, memory_bytes: 0 }
        });
    }

    /// Asks the solver.
    pub(crate) fn ask(&mut self, question: &[TermId], conflicts: Option<u64>) -> Result<Said, Reason> {
        let effort = Effort { conflicts, ..Effort::from(self.cx.budget) };
        match self.solver.check(&self.system.terms, question, &effort) {
            Outcome::Sat(model) => Ok(Said::Yes(model)),
            Outcome::Unsat(core) => Ok(Said::No(core)),
            Outcome::Unknown(Reason::Limit(_)) if conflicts.is_some() => Ok(Said::Unknown),
            Outcome::Unknown(reason) => Err(reason),
        }
    }

    /// A condition at the end of a block, as one at its start: the weakest precondition.
    pub(crate) fn through(&mut self, block: usize, literal: TermId) -> TermId {
        if let Some(&known) = self.through.get(&(block, literal)) {
            return known;
        }
        let next = std::mem::take(&mut self.system.blocks[block].next);
        let image = self.system.at(literal, &next);
        self.system.blocks[block].next = next;
        self.through.insert((block, literal), image);
        image
    }

    /// The clause that keeps a cube out.
    pub(crate) fn negation(&mut self, cube: &[TermId]) -> TermId {
        let cube = self.system.terms.and_all(cube);
        self.system.terms.not(cube)
    }

    /// The question whether a block leads into a cube from within the frame before; also the literals at its start.
    pub(crate) fn leads_to(&mut self, block: usize, cube: &[TermId], level: usize) -> (Vec<TermId>, Vec<TermId>) {
        let images: Vec<TermId> = cube.iter().map(|&literal| self.through(block, literal)).collect();
        let mut question = vec![self.system.blocks[block].guard];
        question.extend_from_slice(&images);
        let source = self.system.blocks[block].source;
        if source != 0 {
            let frame = self.lemmas[source].iter().filter(|lemma| lemma.level + 1 >= level);
            question.extend(frame.map(|lemma| lemma.clause));
        }
        (question, images)
    }

    /// Whether the cube is reached at this level from within the frame before, cube itself excepted.
    pub(crate) fn reached(
        &mut self,
        cut: Cut,
        cube: &[TermId],
        level: usize,
        conflicts: Option<u64>,
    ) -> Result<Reached, Reason> {
        let mut needed: Cube = Vec::new();
        for block in self.system.entering[cut].clone() {
            let source = self.system.blocks[block].source;
            if source != 0 && level == 1 {
                continue;
            }
            let (mut question, images) = self.leads_to(block, cube, level);
            if source == cut {
                question.push(self.negation(cube));
            }
            match self.ask(&question, conflicts)? {
                Said::Yes(model) => return Ok(Reached::By(block, model)),
                Said::Unknown => return Ok(Reached::Unknown),
                Said::No(core) => {
                    for (&literal, image) in cube.iter().zip(&images) {
                        if core.contains(image) && !needed.contains(&literal) {
                            needed.push(literal);
                        }
                    }
                }
            }
        }
        Ok(Reached::Never(cube.iter().copied().filter(|literal| needed.contains(literal)).collect()))
    }

    /// Keeps the errors out of the topmost frame, or finds a run.
    fn block_errors(&mut self) -> Result<Option<Found>, Reason> {
        let mut nodes = vec![Obligation { cut: self.system.error(), cube: Vec::new(), next: None }];
        let mut queue = BinaryHeap::from([Reverse((self.top, 0_usize))]);
        while let Some(Reverse((level, node))) = queue.pop() {
            self.cx.budget.check()?;
            if let Some(found) = self.walk_beside()? {
                return Ok(Some(found));
            }
            let (cut, cube) = (nodes[node].cut, nodes[node].cube.clone());
            if self.is_blocked(cut, &cube, level) {
                if level < self.top {
                    queue.push(Reverse((level + 1, node)));
                }
                continue;
            }
            self.obligations += 1;
            match self.reached(cut, &cube, level, None)? {
                Reached::Unknown => return Err(Reason::NotProvable(String::from("the solver has no answer"))),
                Reached::By(block, model) => {
                    let source = self.system.blocks[block].source;
                    if source == 0 {
                        return Ok(Some(Found::Run(inputs_from(&nodes, node, model))));
                    }
                    let before = self.predecessor(block, &cube, &model)?;
                    nodes.push(Obligation { cut: source, cube: before, next: Some((node, model)) });
                    queue.push(Reverse((level - 1, nodes.len() - 1)));
                    queue.push(Reverse((level, node)));
                }
                Reached::Never(core) => {
                    let reached = self.generalise(cut, core, level)?;
                    if reached < self.top {
                        queue.push(Reverse((reached + 1, node)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// A clause that is known keeps the cube out.
    fn is_blocked(&self, cut: Cut, cube: &[TermId], level: usize) -> bool {
        self.lemmas[cut]
            .iter()
            .any(|lemma| lemma.level >= level && lemma.cube.iter().all(|literal| cube.contains(literal)))
    }

    /// Adds a clause; weaker ones are forgotten.
    pub(crate) fn learn(&mut self, cut: Cut, cube: Cube, level: usize) {
        let clause = self.negation(&cube);
        self.vocabulary.note(&cube);
        self.lemmas[cut].retain(|old| old.level > level || !cube.iter().all(|literal| old.cube.contains(literal)));
        self.lemmas[cut].push(Lemma { cube, clause, level });
    }

    /// Moves clauses to later levels. The level at which none is lost, if there is one.
    fn propagate(&mut self) -> Result<Option<usize>, Reason> {
        for level in 1..self.top {
            for cut in 0..self.lemmas.len() {
                let waiting: Vec<Cube> = self.lemmas[cut]
                    .iter()
                    .filter(|lemma| lemma.level == level)
                    .map(|lemma| lemma.cube.clone())
                    .collect();
                for cube in waiting {
                    if let Reached::Never(_) = self.reached(cut, &cube, level + 1, None)? {
                        self.learn(cut, cube, level + 1);
                    }
                }
            }
            if self.lemmas.iter().flatten().all(|lemma| lemma.level != level) {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }
}

/// The inputs from the entry to the error, block by block.
fn inputs_from(nodes: &[Obligation], first: usize, model: Model) -> Vec<Model> {
    let mut run = vec![model];
    let mut at = first;
    while let Some((next, inputs)) = &nodes[at].next {
        run.push(inputs.clone());
        at = *next;
    }
    run
}
