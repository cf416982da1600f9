//! Loops that end: numbers that fall on the way round.
//!
//! A [`Rank`] gives a state of a component a number: for each node a term over the variables, all of one width, read without
//! sign. There are finitely many such numbers, so whatever the terms are, no run makes the number smaller infinitely often
//! unless it makes it larger infinitely often, too. So the steps of a structure that are known to make it smaller, and those
//! that may make it larger, get events of their own, and the formula is asked under the assumption that this is so (ranking
//! abstraction: Kesten, Pnueli, Vardi, *Verification by augmented abstraction*, 2001). Nothing has to be proved of whole
//! loops: resets by outer loops, other ways round, and ranks that only fall together are for the inner level to find.
//!
//! Where ranks come from: a run goes round a loop that does not close. The candidates are the variables that it changes, the
//! differences of what its guards compare, differences and sums of two variables, and two of them one after the other. One
//! of them is taken if the solver says that it falls in the second of two rounds, from any values, and never rises in it
//! (where there cannot be two rounds, in one; that is tried only where predicates keep coming). Then what makes it fall becomes predicates, from the step where it does back to where it did before.

use crate::abstraction::{Extract, Predicates, literal};
use crate::graph::Graph;
use crate::meter::Meter;
use crate::path::{Path, atoms, node_at, preconditions};
use crate::shown::shown;
use crate::system::Examined;
use bitvector::{Embedded, Evaluation, Model, Op, Outcome, Sort, TermId, Terms};
use model::composition::{Atom, Composition, Named, Run, StepLabel};
use model::formula::{Connective, Ltl, Modality};
use model::ids::EventId;
use model::reason::Reason;
use model::structure::{Move, StateParts, Structure, TAU};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// More ranks than this for one component are not tried: each makes the automaton larger.
const MOST_RANKS: usize = 6;
/// More candidates for one loop than this are not tried.
const MOST_CANDIDATES: usize = 200;
/// A rank has no more bits than this.
const WIDEST: u32 = 128;

/// A number for each state of a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rank {
    /// By node.
    pub at: Vec<TermId>,
    /// What it is, as C would write it, and a node where it falls.
    pub shown: (u32, String),
}

/// What a move does to ranks, one bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub struct Effect {
    /// It makes them smaller.
    pub falls: u32,
    /// It may make them larger.
    pub rises: u32,
}

/// A step with the truths around it, and the rank.
type Question = (u32, usize, Vec<bool>, Vec<bool>);

/// The ranks of a component.
#[derive(Default)]
pub(crate) struct Ranks {
    pub(crate) known: Vec<Rank>,
    solver: Embedded,
    /// What was asked before; it counts while the predicates are the same.
    remembered: HashMap<Question, (bool, bool)>,
}

impl Ranks {
    /// Other steps may have the same numbers now.
    pub(crate) fn forget(&mut self) {
        self.remembered.clear();
    }

    /// Whether a step between states with these truths makes a rank smaller, and whether it may make it larger.
    fn effect(
        &mut self,
        examined: (&mut Graph, &Predicates),
        number: usize,
        step: u32,
        (here, there): (&[bool], &[bool]),
        meter: &mut Meter<'_>,
    ) -> Result<(bool, bool), Reason> {
        let (graph, predicates) = examined;
        let (source, target) = (graph.steps[step as usize].source as usize, graph.steps[step as usize].target as usize);
        let before = self.known[number].at[source];
        let after = graph.before(step, self.known[number].at[target]);
        if before == after {
            return Ok((false, false));
        }
        let key = (step, number, here.to_vec(), there.to_vec());
        if let Some(&found) = self.remembered.get(&key) {
            return Ok(found);
        }
        let mut parts = vec![graph.steps[step as usize].guard];
        for (&predicate, &truth) in predicates.at[source].iter().zip(here) {
            parts.push(literal(graph, predicate, truth));
        }
        for (&predicate, &truth) in predicates.at[target].iter().zip(there) {
            let image = graph.before(step, predicate);
            parts.push(literal(graph, image, truth));
        }
        let smaller = graph.terms.ult(after, before);
        let (not_smaller, larger) = (graph.terms.not(smaller), graph.terms.ult(before, after));
        let mut never = |condition: TermId, meter: &mut Meter<'_>| {
            let parts = [&parts[..], &[condition]].concat();
            Ok::<bool, Reason>(matches!(meter.ask(&mut self.solver, &graph.terms, &parts)?, Outcome::Unsat(_)))
        };
        let falls = graph.steps[step as usize].event == TAU && never(not_smaller, meter)?;
        let rises = !falls && !never(larger, meter)?;
        self.remembered.insert(key, (falls, rises));
        Ok((falls, rises))
    }
}

/// What each move of a component does to its ranks.
pub(crate) fn effects(examined: &mut Examined, meter: &mut Meter<'_>) -> Result<Vec<Vec<Effect>>, Reason> {
    let Examined { graph, predicates, extract, ranks, .. } = examined;
    let Some(extract) = extract.as_ref().filter(|_| !ranks.known.is_empty()) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for (state, moves) in extract.states.iter().zip(&extract.moves) {
        let mut effects = vec![Effect::default(); moves.len()];
        for (&(step, to), effect) in moves.iter().zip(&mut effects) {
            for number in 0..ranks.known.len() {
                let truths = (&state.values[..], &extract.states[to as usize].values[..]);
                let (falls, rises) = ranks.effect((graph, predicates), number, step, truths, meter)?;
                effect.falls |= u32::from(falls) << number;
                effect.rises |= u32::from(rises) << number;
            }
        }
        all.push(effects);
    }
    Ok(all)
}

/// Structures whose moves have events for what they do to ranks, and the formula under the assumption about these.
pub(crate) struct Marked {
    pub(crate) composition: Composition,
    pub(crate) formula: Ltl<Atom>,
    /// The number of the first of these events, and whose they are.
    first: usize,
    owners: Vec<u32>,
}

impl Marked {
    /// Marks the structures in a composition.
    pub(crate) fn new(composition: &Composition, formula: &Ltl<Atom>, examined: &[Examined]) -> Marked {
        let (composition, formula) = (composition.clone(), formula.clone());
        let first = composition.events.len();
        let mut marked = Marked { composition, formula, first, owners: Vec::new() };
        for one in examined {
            if let Some(extract) = &one.extract {
                marked.mark(one, extract);
            }
        }
        marked
    }

    fn mark(&mut self, one: &Examined, extract: &Extract) {
        // A rank that never falls says nothing.
        let useful = one.effects.iter().flatten().fold(0, |ranks, effect| ranks | effect.falls);
        if useful == 0 {
            return;
        }
        let mut marks: BTreeMap<Effect, EventId> = BTreeMap::new();
        let mut rise: Vec<BTreeSet<EventId>> = vec![BTreeSet::new(); one.ranks.known.len()];
        let mut states = Vec::new();
        let old = &self.composition.components[one.part].structure;
        for (state, (moves, effects)) in extract.moves.iter().zip(&one.effects).enumerate() {
            let mut marked = Vec::new();
            for (&(step, to), effect) in moves.iter().zip(effects) {
                let effect = Effect { falls: effect.falls & useful, rises: effect.rises & useful };
                let own = one.graph.steps[step as usize].event;
                let event = match own {
                    TAU if effect != Effect::default() => *marks.entry(effect).or_insert_with(|| {
                        let name = format!("{} {:b} {:b}", one.name, effect.falls, effect.rises);
                        self.composition.events.push(Named { name, span: one.graph.nodes[0].span });
                        self.owners.push(one.part as u32);
                        EventId::from(self.composition.events.len() - 1)
                    }),
                    own => own,
                };
                if event != TAU {
                    let rises = (0..rise.len()).filter(|rank| effect.rises >> rank & 1 == 1);
                    rises.for_each(|rank| {
                        rise[rank].insert(event);
                    });
                }
                marked.push(Move { event, to });
            }
            let at = state as u32;
            states.push(StateParts { moves: marked, labels: old.labels(at).to_vec(), ending: old.ending(at) });
        }
        let alphabet: Vec<EventId> = old.alphabet().iter().copied().chain(marks.values().copied()).collect();
        let structure = Structure::new(alphabet, extract.initial.clone(), states);
        self.composition.components[one.part].structure = structure;
        for rank in (0..rise.len()).filter(|rank| useful >> rank & 1 == 1) {
            let falls = marks.iter().filter(|(effect, _)| effect.falls >> rank & 1 == 1).map(|(_, &event)| event);
            let falls = self.again(falls.collect());
            let rises = self.again(rise[rank].iter().copied().collect());
            let fair = Ltl::Binary(Connective::Implies, Box::new(falls), Box::new(rises));
            let formula = std::mem::replace(&mut self.formula, Ltl::Constant(true));
            self.formula = Ltl::Binary(Connective::Implies, Box::new(fair), Box::new(formula));
        }
    }

    /// One of these events happens again and again.
    fn again(&self, events: Vec<EventId>) -> Ltl<Atom> {
        let atom =
            |event: EventId| Ltl::Atom(Box::new(Atom::Event(event)), String::from(self.composition.event_name(event)));
        let either = |a, b| Ltl::Binary(Connective::Or, Box::new(a), Box::new(b));
        let some = events.into_iter().map(atom).reduce(either).unwrap_or(Ltl::Constant(false));
        Ltl::Unary(Modality::Always, Box::new(Ltl::Unary(Modality::Eventually, Box::new(some))))
    }

    /// The same run without these events.
    pub(crate) fn plain(&self, mut run: Run) -> Run {
        for label in &mut run.steps {
            if let StepLabel::Event(event) = *label
                && let Some(mark) = event.index().checked_sub(self.first)
            {
                *label = StepLabel::Silent { component: self.owners[mark] };
            }
        }
        run
    }
}

/// Two rounds of a loop, or one, from any values of the variables that it changes.
struct Circle {
    /// The way to the loop, and the rounds.
    path: Path,
    /// The steps of the way there, of the rounds before the last one, and of a round.
    stem: usize,
    before: usize,
    length: usize,
    /// The values of the variables before the first round and after each step, over those before it and inputs.
    values: Vec<HashMap<TermId, TermId>>,
    /// The guards of the steps.
    guards: Vec<TermId>,
    /// What holds in the loop because it held in a state of the way there, and nothing that it speaks of changes.
    facts: Vec<(usize, TermId)>,
    /// Values with which the loop can be taken twice.
    model: Option<Model>,
}

/// Under which conditions a rank falls, and does not rise.
struct Needs {
    /// In which states of the path, and what: the rank after the step is smaller, or not larger.
    conditions: Vec<(usize, TermId)>,
    /// What held on the way to the loop already, and from which state on.
    facts: BTreeSet<(usize, TermId)>,
}

impl Circle {
    fn new(graph: &mut Graph, stem: &Path, round: &Path, rounds: usize) -> Circle {
        let mut path = stem.clone();
        (0..rounds).for_each(|_| path.steps.extend(&round.steps));
        let (stem, length) = (stem.steps.len(), round.steps.len());
        let (facts, before) = (facts(graph, &path, stem), (rounds - 1) * length);
        let mut values: HashMap<TermId, TermId> =
            graph.variables.iter().map(|&variable| (variable, variable)).collect();
        let mut circle =
            Circle { path, stem, before, length, values: vec![values.clone()], guards: Vec::new(), facts, model: None };
        for number in stem..stem + rounds * length {
            let step = graph.steps[circle.path.steps[number] as usize].clone();
            for &input in &step.open {
                let name = format!("{}@@{number}", graph.terms.name(input).unwrap_or("input"));
                let sort = graph.terms.sort(input);
                values.insert(input, graph.terms.var(&name, sort));
            }
            circle.guards.push(graph.terms.substitute(step.guard, &values));
            let update = step.update.iter();
            let new: Vec<(TermId, TermId)> = update
                .map(|&(variable, value)| {
                    (graph.variables[variable.0 as usize], graph.terms.substitute(value, &values))
                })
                .collect();
            values.extend(new);
            circle.values.push(values.clone());
        }
        circle
    }

    /// What holds up to a step of the rounds.
    fn context(&self, step: usize) -> Vec<TermId> {
        self.facts.iter().map(|&(_, fact)| fact).chain(self.guards[..=step].iter().copied()).collect()
    }

    /// Whether it can be taken so often.
    fn is_possible(&mut self, examined: &mut Examined, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        let parts = self.context(self.before + self.length - 1);
        match meter.ask(&mut examined.solver, &examined.graph.terms, &parts)? {
            Outcome::Sat(model) => {
                self.model = Some(model);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Where a loop that ends in a state has begun, as far as it is in the path.
    fn rotation(&self, state: usize) -> usize {
        self.stem.max(state + 1 - self.length.min(state))
    }

    /// A number for each position of a round: the same term everywhere; or between the first step that changes it and the last
    /// one what it will be after that one, so that what goes up and down on the way round moves once.
    fn shapes(&self, graph: &mut Graph, measure: Measure) -> Vec<Vec<TermId>> {
        let steps = &self.path.steps[self.stem..self.stem + self.length];
        let mut shapes = vec![vec![measure.term; self.length + 1]];
        let changes = |graph: &mut Graph, at: usize| graph.before(steps[at], measure.term) != measure.term;
        let changing: Vec<usize> = (0..self.length).filter(|&at| changes(graph, at)).collect();
        let (Some(&first), Some(&last)) = (changing.first(), changing.last()) else { return Vec::new() };
        let node = |graph: &Graph, at: usize| graph.steps[steps[at] as usize].source;
        let between = first + 1..=last;
        let once = between.clone().all(|at| {
            let own = node(graph, at);
            (0..self.length).all(|other| other == at || node(graph, other) != own)
        });
        if first < last && once {
            let mut shape = shapes[0].clone();
            for at in between.rev() {
                shape[at] = graph.before(steps[at], shape[at + 1]);
            }
            let variables = &self.values[0];
            let own = graph.terms.free_variables(&shape).iter().all(|free| variables.contains_key(free));
            shapes.extend(own.then_some(shape));
        }
        shapes
    }

    /// What a rank needs to fall in the last round and not to rise, if it does that.
    fn needs(
        &self,
        examined: &mut Examined,
        measure: Measure,
        shape: &[TermId],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Needs>, Reason> {
        let Examined { graph, solver, .. } = examined;
        let values = self.values[self.before..].iter();
        let along: Vec<TermId> =
            shape.iter().zip(values).map(|(&term, values)| graph.terms.substitute(term, values)).collect();
        if self.model.as_ref().is_some_and(|model| !measure.falls_along(graph, &along, model)) {
            return Ok(None);
        }
        let (mut needs, mut used, mut falls) = (Vec::new(), BTreeSet::new(), false);
        for at in 0..self.length {
            if along[at] == along[at + 1] {
                continue;
            }
            let step = self.path.steps[self.stem + at];
            let silent = graph.steps[step as usize].event == TAU;
            let after = graph.before(step, shape[at + 1]);
            let mut found = false;
            for falling in [true, false].into_iter().filter(|&falling| silent || !falling) {
                let right = measure.keeps(&mut graph.terms, (along[at], along[at + 1]), falling);
                let wrong = graph.terms.not(right);
                let parts = [&self.context(self.before + at)[..], &[wrong]].concat();
                if let Outcome::Unsat(core) = meter.ask(solver, &graph.terms, &parts)? {
                    let condition = measure.keeps(&mut graph.terms, (shape[at], after), falling);
                    needs.push((self.stem + self.before + at, condition));
                    used.extend(self.facts.iter().filter(|(_, fact)| core.contains(fact)));
                    (found, falls) = (true, falls || falling);
                    break;
                }
            }
            if !found {
                return Ok(None);
            }
        }
        Ok(falls.then_some(Needs { conditions: needs, facts: used }))
    }
}

/// How a term is read as a number that falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Measure {
    term: TermId,
    /// It has a sign.
    signed: bool,
    /// It is the opposite that falls.
    grows: bool,
}

impl Measure {
    /// The number without a sign, from a value of the term.
    fn number(self, terms: &mut Terms, value: TermId) -> TermId {
        let width = terms.width(value);
        let sign = terms.constant(width, if self.signed { 1 << (width - 1) } else { 0 });
        let number = terms.bv_xor(value, sign);
        if self.grows { terms.bv_not(number) } else { number }
    }

    /// From one value to another, the number falls, or at least does not rise.
    fn keeps(self, terms: &mut Terms, (old, new): (TermId, TermId), falling: bool) -> TermId {
        let (low, high) = if self.grows { (old, new) } else { (new, old) };
        match (falling, self.signed) {
            (true, false) => terms.ult(low, high),
            (true, true) => terms.slt(low, high),
            (false, false) => terms.ule(low, high),
            (false, true) => terms.sle(low, high),
        }
    }

    /// Whether values never rise and fall at least once under a model.
    fn falls_along(self, graph: &mut Graph, along: &[TermId], model: &Model) -> bool {
        let numbers: Vec<TermId> = along.iter().map(|&value| self.number(&mut graph.terms, value)).collect();
        let mut evaluation = Evaluation::new(model.clone());
        let numbers: Vec<u128> = numbers.into_iter().map(|number| evaluation.bits(&graph.terms, number)).collect();
        numbers.windows(2).all(|pair| pair[1] <= pair[0]) && numbers.first() > numbers.last()
    }
}

/// What holds on the way to a loop and in it, because nothing that it speaks of changes from then on.
fn facts(graph: &mut Graph, path: &Path, stem: usize) -> Vec<(usize, TermId)> {
    let variables: HashSet<TermId> = graph.variables.iter().copied().collect();
    let mut facts: Vec<(usize, TermId)> = Vec::new();
    for (variable, value) in graph.variables.clone().into_iter().zip(graph.first.clone()) {
        learn(graph, &variables, 0, (variable, value), &mut facts);
    }
    for (number, &step) in path.steps.iter().enumerate() {
        let step = graph.steps[step as usize].clone();
        if number < stem {
            let held = atoms(graph, step.guard);
            let known =
                |fact: &TermId| graph.terms.free_variables(&[*fact]).iter().all(|free| variables.contains(free));
            // A guard that is one comparison, or its opposite.
            if held.len() == 1 && known(&held[0]) {
                facts.push((number, step.guard));
            }
        }
        let written: HashSet<TermId> =
            step.update.iter().map(|(variable, _)| graph.variables[variable.0 as usize]).collect();
        facts.retain(|(_, fact)| graph.terms.free_variables(&[*fact]).iter().all(|free| !written.contains(free)));
        for &(variable, value) in step.update.iter().filter(|_| number < stem) {
            let variable = graph.variables[variable.0 as usize];
            // What changes together with it says nothing of it.
            if graph.terms.free_variables(&[value]).iter().all(|free| !written.contains(free)) {
                learn(graph, &variables, number + 1, (variable, value), &mut facts);
            }
        }
    }
    facts
}

/// A variable has a value that other variables have, or a constant.
fn learn(
    graph: &mut Graph,
    variables: &HashSet<TermId>,
    state: usize,
    (variable, value): (TermId, TermId),
    facts: &mut Vec<(usize, TermId)>,
) {
    if graph.terms.free_variables(&[value]).iter().all(|free| variables.contains(free)) {
        let equal = graph.terms.eq(variable, value);
        if graph.terms.as_const(equal).is_none() {
            facts.push((state, equal));
        }
    }
}

/// Looks for a rank that falls whenever a component takes a loop, the way to which is given. Whether there is a new one, or
/// there are new predicates that show that one falls.
pub(crate) fn rank(
    examined: &mut Examined,
    stem: &Path,
    round: &Path,
    rounds: usize,
    meter: &mut Meter<'_>,
) -> Result<bool, Reason> {
    let mut circle = Circle::new(&mut examined.graph, stem, round, rounds);
    if !circle.is_possible(examined, meter)? {
        return Ok(false);
    }
    for candidate in candidates(examined, &round.steps, rounds) {
        for shape in circle.shapes(&mut examined.graph, candidate) {
            if let Some(needs) = circle.needs(examined, candidate, &shape, meter)?
                && take(examined, &circle, candidate, &shape, needs)
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Follows a rank. Whether there is something new.
fn take(examined: &mut Examined, circle: &Circle, measure: Measure, shape: &[TermId], needs: Needs) -> bool {
    let path = &circle.path;
    let Examined { graph, predicates, ranks, .. } = examined;
    let Some(&(state, _)) = needs.conditions.first() else { return false };
    let text = format!("{} {}", shown(&graph.terms, measure.term), if measure.grows { "grows" } else { "falls" });
    let place = graph.steps[path.steps[state] as usize].source;
    let at = vec![measure.number(&mut graph.terms, measure.term); graph.nodes.len()];
    let mut rank = Rank { at, shown: (place, text) };
    for (&step, &term) in path.steps[circle.stem..].iter().zip(shape) {
        rank.at[graph.steps[step as usize].source as usize] = measure.number(&mut graph.terms, term);
    }
    let mut new = false;
    if ranks.known.iter().all(|known| known.at != rank.at) {
        if ranks.known.len() >= MOST_RANKS {
            return false;
        }
        ranks.known.push(rank);
        new = true;
    }
    for (state, condition) in needs.conditions {
        for (state, atom) in preconditions(graph, path, circle.rotation(state)..=state, condition) {
            new |= predicates.add(graph, node_at(graph, path, state), atom);
        }
    }
    for (from, fact) in needs.facts {
        for atom in atoms(graph, fact) {
            for state in from..=path.steps.len() {
                new |= predicates.add(graph, node_at(graph, path, state), atom);
            }
        }
    }
    if new {
        examined.extract = None;
    }
    new
}

/// Terms that may fall on a loop, likely ones first: they are read without sign. A variable that takes a few constants only
/// falls on any loop that there cannot be twice, and that says nothing.
fn candidates(examined: &mut Examined, round: &[u32], rounds: usize) -> Vec<Measure> {
    let Examined { graph, enumerated, .. } = examined;
    let counts = |variable: TermId| rounds > 1 || !enumerated.is_followable(variable) || enumerated.counts(variable);
    let mut changed: BTreeSet<TermId> = BTreeSet::new();
    let mut compared: Vec<(TermId, TermId)> = Vec::new();
    for &step in round {
        let step = graph.steps[step as usize].clone();
        let written = step.update.iter().map(|(variable, _)| graph.variables[variable.0 as usize]);
        changed.extend(written.filter(|&variable| graph.terms.sort(variable) != Sort::Bool && counts(variable)));
        compared.extend(atoms(graph, step.guard).into_iter().filter_map(|atom| sides(graph, atom)));
    }
    let mut found = Candidates::default();
    let changed: Vec<TermId> = changed.into_iter().collect();
    for &variable in &changed {
        found.both(variable);
    }
    for &(a, b) in &compared {
        let difference = graph.terms.sub(b, a);
        found.both(difference);
        found.both(a);
        found.both(b);
        found.wide(&mut graph.terms, a, b);
    }
    for (number, &a) in changed.iter().enumerate() {
        for &b in &changed[number + 1..] {
            found.wide(&mut graph.terms, a, b);
        }
    }
    for &a in &changed {
        for &b in changed.iter().filter(|&&b| b != a) {
            found.pairs(&mut graph.terms, a, b);
        }
    }
    let variables: HashSet<TermId> = graph.variables.iter().copied().collect();
    found.list.retain(|measure| {
        let free = graph.terms.free_variables(&[measure.term]);
        graph.terms.width(measure.term) <= WIDEST
            && !free.is_empty()
            && free.iter().all(|free| variables.contains(free))
    });
    found.list.truncate(MOST_CANDIDATES);
    found.list
}

/// The numbers that a condition compares.
fn sides(graph: &Graph, atom: TermId) -> Option<(TermId, TermId)> {
    let node = graph.terms.node(atom);
    match (node.op(), node.arguments()) {
        (Op::Ult | Op::Slt | Op::Eq, &[a, b]) if graph.terms.sort(a) != Sort::Bool => Some((a, b)),
        _ => None,
    }
}

/// Terms, each once.
#[derive(Default)]
struct Candidates {
    list: Vec<Measure>,
}

impl Candidates {
    fn add(&mut self, measure: Measure) {
        if !self.list.contains(&measure) {
            self.list.push(measure);
        }
    }

    /// A number that falls or grows, without a sign or with one.
    fn both(&mut self, term: TermId) {
        for (signed, grows) in [(false, false), (false, true), (true, false), (true, true)] {
            self.add(Measure { term, signed, grows });
        }
    }

    /// The difference and the sum of two numbers, with so many bits that they are exact.
    fn wide(&mut self, terms: &mut Terms, a: TermId, b: TermId) {
        let width = terms.width(a).max(terms.width(b)) + 2;
        if width > WIDEST {
            return;
        }
        for signed in [false, true] {
            let mut wide = |term| if signed { terms.sext(term, width) } else { terms.zext(term, width) };
            let (a, b) = (wide(a), wide(b));
            for term in [terms.sub(a, b), terms.add(a, b)] {
                for grows in [false, true] {
                    self.add(Measure { term, signed: true, grows });
                }
            }
        }
    }

    /// Two numbers, the first of which decides.
    fn pairs(&mut self, terms: &mut Terms, a: TermId, b: TermId) {
        if terms.width(a) + terms.width(b) > WIDEST {
            return;
        }
        let mut own = Candidates::default();
        own.both(a);
        let first = std::mem::take(&mut own.list);
        own.both(b);
        for a in first {
            for &b in &own.list {
                let (high, low) = (a.number(terms, a.term), b.number(terms, b.term));
                self.add(Measure { term: terms.concat(high, low), signed: false, grows: false });
            }
        }
    }
}
