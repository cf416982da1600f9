//! The two levels (section 6 of the paper, and its footnotes on predicates).
//!
//! The inner level is the compose engine, which refines partitions of the structures that were extracted. When it says that
//! the question holds for them, it holds for the program. When it gives a run, the run is validated one component at a time;
//! those that cannot go along get new predicates, they alone are extracted again, and the inner level is asked again.
//! A run that all components can take is done by the interpreter before it is called a violation.

use crate::abstraction::{Extract, Predicates};
use crate::graph::Graph;
use crate::joint::{Cuts, Joint, Way};
use crate::meter::{Meter, Statistics};
use crate::path::execute;
use crate::ranking::{Effect, Marked, Rank, effects};
use crate::replay::{Moved, replay};
use crate::shown::shown;
use crate::system::{Examined, Known, compose};
use crate::validate::{Checked, Projection, Real, project};
use bitvector::Outcome as Answered;
use cfront::interpret::Input;
use compose::{Method, Verdict};
use model::budget::Budget;
use model::composition::{Composition, Run, StepLabel};
use model::composition_proof::CompositionProof;
use model::context::Context;
use model::observer::ProgressOnly;
use model::reason::Reason;
use spec::{Part, Prepared, Question, Specification};
use std::collections::HashSet;

/// More predicates at one place than this are not tried.
const MOST_PREDICATES: usize = 60;
/// With more than this, it is time to begin with guesses instead.
const FEW_PREDICATES: usize = 20;

/// Rounds of a loop over shared variables that are tried, and rounds that may lie between equal states.
const MOST_ROUNDS: usize = 16;
const MOST_BETWEEN: usize = 4;

/// How many times as many states as in the last round the same method may look at, and how many at least.
const AGAIN: u64 = 4;
const FEW_STATES: u64 = 20_000;

/// An answer, and what was counted on the way.
#[derive(Debug)]
pub struct Answer {
    /// The answer.
    pub verdict: Outcome,
    /// What was counted.
    pub statistics: Statistics,
    /// Which predicates came when, and because of which run.
    pub refined: Vec<Refined>,
}

/// New predicates of a procedure, and the run that it cannot take part in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refined {
    /// The round, from 1.
    pub round: u64,
    /// The number of the part.
    pub part: usize,
    /// The events of the run, and how many steps it has.
    pub run: (Vec<String>, usize),
    /// The new predicates, as C would write them, and where they stand; and numbers that fall there.
    pub predicates: Vec<(model::source::Span, String)>,
}

/// An answer.
#[derive(Debug)]
pub enum Outcome {
    /// It holds.
    Holds(Box<Holds>),
    /// A run of the program that violates it.
    Fails(Box<Violation>),
    /// Not known.
    Inconclusive(Reason),
}

/// Why it holds: structures that over-approximate the procedures, and a proof for their composition.
#[derive(Debug)]
pub struct Holds {
    /// The question.
    pub question: Question,
    /// For each procedure, by its number among the parts, how its structure comes about.
    pub parts: Vec<PartProof>,
    /// The structures in parallel.
    pub composition: Composition,
    /// The proof for them; see `certify::composition`.
    pub proof: CompositionProof,
    /// For each shared variable, where the next class of its values begins.
    pub cuts: Vec<Vec<u64>>,
    /// Why no two parts access a shared variable at the same time, where the question is another one.
    pub races: Option<Box<Holds>>,
}

/// A procedure with its predicates and its structure.
#[derive(Debug)]
pub struct PartProof {
    /// Its number among the parts.
    pub part: usize,
    /// Its steps.
    pub graph: Graph,
    /// Its predicates.
    pub predicates: Predicates,
    /// The structure under these predicates.
    pub extract: Extract,
    /// Numbers that do not fall forever.
    pub ranks: Vec<Rank>,
    /// What each move of the structure does to them.
    pub effects: Vec<Vec<Effect>>,
}

/// A run of the program.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What happens, step by step.
    pub steps: Vec<ViolationStep>,
    /// For an infinite run: after the last step it goes on from here.
    pub loop_from: Option<usize>,
    /// The inputs of each procedure, by the number of the part.
    pub inputs: Vec<(usize, Vec<Input>)>,
    /// The same run of the structures.
    pub run: Run,
    /// The structures.
    pub composition: Composition,
}

/// A step of a run of the program.
#[derive(Clone, Debug)]
pub struct ViolationStep {
    /// The event; `None` for a step of one procedure alone.
    pub event: Option<String>,
    /// What the procedures do that take part.
    pub moves: Vec<Moved>,
}

/// Answers a question about a specification.
pub fn check(specification: &Specification, question: Question, method: Method, cx: &Context<'_>) -> Answer {
    let mut statistics = Statistics::default();
    let mut refined = Vec::new();
    let mut attempt = |guess: bool, most: usize, budget: &Budget| {
        let mut levels = Levels::new(specification, question, guess, most)?;
        let mut meter = Meter { cx: cx.with(budget), statistics: std::mem::take(&mut statistics) };
        let answer = levels.answer(method, &mut meter);
        statistics = meter.statistics;
        refined = std::mem::take(&mut levels.refined);
        answer
    };
    let mut verdict = attempt(false, FEW_PREDICATES, cx.budget);
    if matches!(verdict, Err(Reason::NotProvable(_))) {
        verdict = attempt(true, MOST_PREDICATES, &cx.budget.slice(50));
        if matches!(verdict, Err(Reason::NotProvable(_) | Reason::Timeout)) && !cx.budget.is_late() {
            verdict = attempt(false, MOST_PREDICATES, cx.budget);
        }
    }
    let verdict = verdict.and_then(|verdict| without_races(specification, verdict, method, cx));
    Answer { verdict: verdict.unwrap_or_else(Outcome::Inconclusive), statistics, refined }
}

/// C promises nothing of a program with a race: there must be none if something is to hold.
fn without_races(
    specification: &Specification,
    verdict: Outcome,
    method: Method,
    cx: &Context<'_>,
) -> Result<Outcome, Reason> {
    let Outcome::Holds(mut holds) = verdict else { return Ok(verdict) };
    let looks = matches!(holds.question, Question::Deadlock | Question::Formula(_));
    if looks && !specification.shared.is_empty() {
        match check(specification, Question::Races, method, cx).verdict {
            Outcome::Holds(races) => holds.races = Some(races),
            Outcome::Inconclusive(reason) => return Err(reason),
            Outcome::Fails(_) => {
                let message = "two parts access a shared variable at the same time (`-p safety` shows the run)";
                return Err(Reason::NotProvable(String::from(message)));
            }
        }
    }
    Ok(Outcome::Holds(holds))
}

struct Levels<'s> {
    specification: &'s Specification,
    question: Question,
    asked: Prepared<'s>,
    /// For each shared variable, where the next class of its values begins.
    cuts: Vec<Vec<u64>>,
    examined: Vec<Examined>,
    /// What answered in the last round of the inner level, and the states that it looked at.
    answered: Option<(Method, u64)>,
    refined: Vec<Refined>,
    /// Predicates at one place.
    most: usize,
}

impl<'s> Levels<'s> {
    fn new(specification: &'s Specification, question: Question, guess: bool, most: usize) -> Result<Self, Reason> {
        let asked = Prepared::new(specification, question)?;
        let mut examined = Vec::new();
        for (number, part) in asked.parts.iter().enumerate() {
            if let Part::Procedure(procedure) = part {
                let one = Examined::new(number, procedure, &asked, guess)?;
                if question == Question::Deadlock && one.graph.conditional_return.is_some() {
                    let message = "deadlock is not supported where a return condition of a routine speaks of arguments";
                    return Err(Reason::NotSupported(String::from(message)));
                }
                examined.push(one);
            }
        }
        let cuts = vec![Vec::new(); specification.shared.len()];
        Ok(Levels { specification, question, asked, cuts, examined, answered: None, refined: Vec::new(), most })
    }

    fn composition(&self) -> Composition {
        let extracts: Vec<(usize, &Graph, &Extract)> =
            self.examined.iter().filter_map(|one| Some((one.part, &one.graph, one.extract.as_ref()?))).collect();
        compose(self.specification, &self.asked, &extracts)
    }

    fn answer(&mut self, method: Method, meter: &mut Meter<'_>) -> Result<Outcome, Reason> {
        loop {
            meter.cx.check()?;
            self.extract(meter)?;
            let composition = self.composition();
            let marked = self.asked.formula.map(|formula| Marked::new(&composition, formula, &self.examined));
            let question = match &marked {
                Some(marked) => compose::Question::Formula(&marked.formula),
                None if self.question == Question::Deadlock => compose::Question::Deadlock,
                None => compose::Question::Safety,
            };
            let seen = marked.as_ref().map_or(&composition, |marked| &marked.composition);
            let inner = self.inner(seen, question, method, meter);
            meter.statistics.splits += inner.statistics.iterations;
            let most = meter.statistics.composed_states.max(inner.statistics.abstract_states);
            meter.statistics.composed_states = most;
            meter.statistics.automaton_states = inner.statistics.automaton_states;
            let run = match inner.verdict {
                Verdict::Holds(proof) => return Ok(Outcome::Holds(Box::new(self.holds(composition, *proof)))),
                Verdict::Inconclusive(reason) => return Err(reason),
                Verdict::Fails(run) => marked.map_or(*run.clone(), |marked| marked.plain(*run)),
            };
            match self.validate(&composition, &run, meter)? {
                None => {
                    meter.statistics.refinements += 1;
                    meter.cx.refinement(|| self.refinement(meter));
                }
                Some(violation) => return Ok(Outcome::Fails(Box::new(violation))),
            }
        }
    }

    /// The inner level. What answered in the last round is likely to answer in this one, too: it is asked first, and may
    /// look at some times as many states as it needed then. The plain search comes first anyway.
    fn inner(
        &mut self,
        composition: &Composition,
        question: compose::Question<'_>,
        method: Method,
        meter: &Meter<'_>,
    ) -> compose::Answer {
        // The refinements of the inner level would drown those of the outer one.
        let observer = ProgressOnly(meter.cx.observer);
        let ask = |method: Method, budget: &Budget| {
            compose::check(composition, question, method, &Context::new(budget, &observer))
        };
        if let (Method::Auto, Some((before, states))) = (method, self.answered) {
            let most = states.saturating_mul(AGAIN).max(FEW_STATES);
            let states = meter.cx.budget.most_states().map_or(most, |limit| limit.min(most));
            let answer = ask(before, &meter.cx.budget.clone().states(states));
            if !matches!(answer.verdict, Verdict::Inconclusive(_)) {
                self.answered = Some((before, answer.statistics.abstract_states));
                return answer;
            }
        }
        let answer = ask(method, meter.cx.budget);
        let by = match answer.statistics.method.as_str() {
            "refine" => Some(Method::Refine),
            "minimise" => Some(Method::Minimise),
            _ => None,
        };
        self.answered = by.map(|by| (by, answer.statistics.abstract_states));
        answer
    }

    fn refinement(&self, meter: &Meter<'_>) -> String {
        let each = self.examined.iter().map(|one| {
            let name = self.asked.parts[one.part].name();
            let state = if one.extract.is_none() { ", refined" } else { "" };
            format!("{name}: {} predicates{state}", one.predicates.count(&one.graph))
        });
        let round = meter.statistics.refinements;
        let why = self.refined.iter().filter(|refined| refined.round == round).map(|refined| {
            let mut texts: Vec<&str> = refined.predicates.iter().map(|(_, text)| text.as_str()).collect();
            texts.sort_unstable();
            texts.dedup();
            format!("\n  new in {}: {}", self.asked.parts[refined.part].name(), texts.join("; "))
        });
        let run = self.refined.last().map_or_else(String::new, |refined| {
            let (events, steps) = &refined.run;
            format!("a run of {steps} steps with the events {}", events.join(", "))
        });
        let each: Vec<String> = each.collect();
        format!("round {round}: {run} is impossible; {}{}", each.join("; "), why.collect::<String>())
    }

    fn extract(&mut self, meter: &mut Meter<'_>) -> Result<(), Reason> {
        let (mut states, mut predicates, mut ranks) = (0, 0, 0);
        for one in &mut self.examined {
            // Those that every assignment decides make no choices.
            let choices = |at: &Vec<bitvector::TermId>| at.iter().filter(|&&p| !one.enumerated.asks(p)).count();
            let most = self.most + one.graph.propositions.len();
            if one.predicates.at.iter().any(|at| at.len() > most && choices(at) > most) {
                let message = format!("more than {} predicates at one place did not suffice", self.most);
                return Err(Reason::NotProvable(message));
            }
            states += one.extract(meter)?.states.len() as u64;
            one.effects = effects(one, meter)?;
            predicates += one.predicates.count(&one.graph) as u64;
            let useful = one.effects.iter().flatten().fold(0, |ranks, effect| ranks | effect.falls);
            ranks += u64::from(useful.count_ones());
        }
        meter.statistics.abstract_states = states;
        meter.statistics.predicates = predicates;
        meter.statistics.ranks = ranks;
        Ok(())
    }

    fn holds(&mut self, composition: Composition, proof: CompositionProof) -> Holds {
        let parts = self.examined.drain(..).filter_map(|one| {
            let Examined { part, graph, predicates, extract, ranks, effects, .. } = one;
            Some(PartProof { part, graph, predicates, extract: extract?, ranks: ranks.known, effects })
        });
        let (cuts, races) = (std::mem::take(&mut self.cuts), None);
        Holds { question: self.question, parts: parts.collect(), composition, proof, cuts, races }
    }

    /// A violation, if all components can take the run; nothing if there are new predicates.
    fn validate(
        &mut self,
        composition: &Composition,
        run: &Run,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Violation>, Reason> {
        if !self.specification.shared.is_empty() && !matches!(self.question, Question::Conformance(_)) {
            return self.together(composition, run, meter);
        }
        let (mut real, mut refined, mut open) = (Vec::new(), false, None);
        for one in &mut self.examined {
            let lost = || Reason::Internal(String::from("a run could not be followed in a component"));
            let extract = one.extract.as_ref().ok_or_else(lost)?;
            let projection = project(run, one.part, &one.graph, extract).ok_or_else(lost)?;
            let known = one.known();
            match projection.check(one, meter)? {
                Checked::Real(found) => real.push(*found),
                Checked::Refined => {
                    refined = true;
                    let round = meter.statistics.refinements + 1;
                    self.refined.push(Refined::new(round, one, &known, composition, run));
                }
                Checked::Open(message) => open = Some(message),
            }
        }
        if refined {
            return Ok(None);
        }
        if let Some(message) = open {
            return Err(Reason::NotProvable(message));
        }
        self.violation(composition, run, &real).map(Some)
    }

    /// Replays each component, and tells the run in terms of C.
    fn violation(&self, composition: &Composition, run: &Run, real: &[Real]) -> Result<Violation, Reason> {
        let before = real.iter().filter_map(|real| real.rounds).map(|(before, _)| before).max().unwrap_or(0);
        let rounds = real.iter().filter_map(|real| real.rounds).map(|(_, between)| between).fold(1, multiple);
        let run = unrolled(run, before, rounds);
        let (plain, shown) = self.plain(composition, &run, real)?;
        let mut steps: Vec<ViolationStep> = shown
            .steps
            .iter()
            .map(|step| ViolationStep {
                event: match step {
                    StepLabel::Event(event) => Some(plain.event_name(*event).to_owned()),
                    StepLabel::Silent { .. } => None,
                },
                moves: Vec::new(),
            })
            .collect();
        let mut inputs = Vec::new();
        for (one, real) in self.examined.iter().zip(real) {
            let Part::Procedure(procedure) = &self.asked.parts[one.part] else { continue };
            let again = (before + rounds + 1).max(2);
            let replayed = replay(one.part, &procedure.component, &one.graph, real, again)
                .map_err(|what| Reason::Internal(format!("a run of `{}` did not replay: {what}", procedure.name)))?;
            let number = |moved: Moved| Moved { step: one.graph.steps[moved.step as usize].plain, ..moved };
            let mut moves = replayed.moves.into_iter().map(number);
            for (step, described) in run.steps.iter().zip(&mut steps) {
                if one.takes_part(step) {
                    described.moves.extend(moves.next());
                }
            }
            inputs.push((one.part, replayed.inputs));
        }
        Ok(Violation { steps, loop_from: run.loop_from, inputs, run: shown, composition: plain })
    }

    /// A run as it is where the values of shared variables are one class.
    fn plain(&self, composition: &Composition, run: &Run, real: &[Real]) -> Result<(Composition, Run), Reason> {
        let (mut composition, mut run) = (composition.clone(), run.clone());
        if self.specification.shared.is_empty() {
            return Ok((composition, run));
        }
        let asked = Prepared::new(self.specification, self.question)?;
        let mut positions = vec![0; real.len()];
        for label in &mut run.steps {
            let before = *label;
            if let StepLabel::Event(event) = label {
                *event = self.asked.plain_event(*event);
            }
            for (number, one) in self.examined.iter().enumerate().filter(|(_, one)| one.takes_part(&before)) {
                let step = real[number].path.steps.get(positions[number]);
                positions[number] += 1;
                let access = step.and_then(|&step| one.graph.steps[step as usize].access);
                if let Some(event) = access.and_then(|access| asked.plain_access(one.part, access)) {
                    *label = StepLabel::Event(event);
                }
            }
        }
        for (number, part) in asked.parts.iter().enumerate() {
            if let Part::Process(process) = part {
                composition.components[number] = (**process).clone();
                if number >= self.specification.parts.len() {
                    run.states.iter_mut().for_each(|states| states[number] = 0);
                }
            }
        }
        composition.events = asked.events;
        Ok((composition, run))
    }

    /// The same as [`Self::validate`] where components share variables.
    fn together(
        &mut self,
        composition: &Composition,
        run: &Run,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Violation>, Reason> {
        let most = if run.loop_from.is_some() { MOST_ROUNDS } else { 0 };
        let mut rounds = most.min(1);
        loop {
            meter.cx.check()?;
            let Some(ways) = self.ways(composition, run, rounds, meter)? else { return Ok(None) };
            let mut joint = Joint::new(&self.examined, &self.specification.shared, run, rounds, ways);
            let model = match joint.ask(None, meter)? {
                Answered::Sat(model) => model,
                Answered::Unsat(core) => {
                    let cuts = joint.cuts(&self.examined, &core, &self.cuts, meter)?;
                    self.cut(&cuts, run, meter)?;
                    return Ok(None);
                }
                Answered::Unknown(reason) => return Err(reason),
            };
            if most == 0 {
                let real = joint.real(&self.examined, &model, None);
                return self.violation(composition, run, &real).map(Some);
            }
            for between in 1..=MOST_BETWEEN.min(rounds) {
                let closes = joint.closes(&mut self.examined, rounds - between, rounds);
                if let Answered::Sat(model) = joint.ask(Some(closes), meter)? {
                    let real = joint.real(&self.examined, &model, Some((rounds - between, between)));
                    return self.violation(composition, run, &real).map(Some);
                }
            }
            if rounds == 1 {
                let ways = joint.into_ways();
                for (one, way) in self.examined.iter_mut().zip(ways) {
                    if way.projection.ends(one, 2, meter)? {
                        return Ok(None);
                    }
                }
            }
            rounds *= 2;
            if rounds > most {
                let message = "a loop can be taken many times, but no values were found that come back, and no reason why it ends";
                return Err(Reason::NotProvable(String::from(message)));
            }
        }
    }

    /// The way of each component in a run; none if there are new predicates, because one cannot go it.
    fn ways(
        &mut self,
        composition: &Composition,
        run: &Run,
        rounds: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Vec<Way>>, Reason> {
        let (mut ways, mut refined, mut open) = (Vec::new(), false, None);
        for one in &mut self.examined {
            let lost = || Reason::Internal(String::from("a run could not be followed in a component"));
            let extract = one.extract.as_ref().ok_or_else(lost)?;
            let projection: Projection = project(run, one.part, &one.graph, extract).ok_or_else(lost)?;
            let path = projection.unrolled(rounds);
            let execution = execute(&mut one.graph, &path);
            let known = one.known();
            match projection.feasible(one, path.clone(), &execution, None, meter)? {
                Checked::Real(_) => ways.push(Way { projection, path, execution }),
                Checked::Refined => {
                    refined = true;
                    let round = meter.statistics.refinements + 1;
                    self.refined.push(Refined::new(round, one, &known, composition, run));
                }
                Checked::Open(message) => open = Some(message),
            }
        }
        match open {
            _ if refined => Ok(None),
            Some(message) => Err(Reason::NotProvable(message)),
            None => Ok(Some(ways)),
        }
    }

    /// Finer classes of the values of shared variables.
    fn cut(&mut self, cuts: &Cuts, run: &Run, meter: &mut Meter<'_>) -> Result<(), Reason> {
        if cuts.is_empty() {
            let message = "the values of shared variables were not told apart by intervals";
            return Err(Reason::NotProvable(String::from(message)));
        }
        let names = |step: &StepLabel| match step {
            StepLabel::Event(event) => self.asked.events.get(event.index()).map(|event| event.name.clone()),
            StepLabel::Silent { .. } => None,
        };
        let run: (Vec<String>, usize) = (run.steps.iter().filter_map(names).collect(), run.steps.len());
        for &(number, bits) in cuts {
            let variable = &self.specification.shared[number];
            let value = |bits: u64| variable.scalar.value(u128::from(bits));
            self.cuts[number].push(bits);
            self.cuts[number].sort_by_key(|&bits| value(bits));
            let (part, round) = (self.specification.parts.len() + number, meter.statistics.refinements + 1);
            let predicates = vec![(variable.span, format!("{} < {}", variable.name, value(bits)))];
            self.refined.push(Refined { round, part, run: run.clone(), predicates });
        }
        self.asked = Prepared::with_cuts(self.specification, self.question, &self.cuts)?;
        for one in &mut self.examined {
            if let Some(Part::Procedure(procedure)) = self.asked.parts.get(one.part) {
                // The numbers of events have moved for all.
                one.again(procedure, &self.asked)?;
            }
        }
        Ok(())
    }
}

impl Refined {
    /// What a component got beyond what was known before.
    fn new(round: u64, one: &Examined, known: &Known, composition: &Composition, run: &Run) -> Self {
        let event = |step: &StepLabel| match step {
            StepLabel::Event(event) => Some(composition.event_name(*event).to_owned()),
            StepLabel::Silent { .. } => None,
        };
        let (mut predicates, mut seen) = (Vec::new(), HashSet::new());
        for ((node, at), &known) in one.graph.nodes.iter().zip(&one.predicates.at).zip(&known.predicates) {
            for &predicate in at.iter().skip(known) {
                let new = (node.span, shown(&one.graph.terms, predicate));
                if seen.insert(new.clone()) {
                    predicates.push(new);
                }
            }
        }
        for rank in &one.ranks.known[known.ranks..] {
            let (node, text) = &rank.shown;
            predicates.push((one.graph.nodes[*node as usize].span, text.clone()));
        }
        let events = run.steps.iter().filter_map(event).collect();
        Refined { round, part: one.part, run: (events, run.steps.len()), predicates }
    }
}

/// The least common multiple.
fn multiple(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x.max(1) * b
}

/// A run whose loop begins some rounds later, and has some rounds in one.
fn unrolled(run: &Run, before: usize, rounds: usize) -> Run {
    let Some(from) = run.loop_from else { return run.clone() };
    let mut longer = run.clone();
    for _ in 1..before + rounds {
        longer.steps.extend_from_slice(&run.steps[from..]);
        longer.states.extend_from_slice(&run.states[from + 1..]);
    }
    longer.loop_from = Some(from + before * (run.steps.len() - from));
    longer
}
