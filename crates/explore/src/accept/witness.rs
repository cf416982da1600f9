//! The run of a lasso, replayed and put into words.
//!
//! What the search says is not believed: the run is taken again in the model's own semantics, the claim is followed along it
//! edge by edge, acceptance and fairness are looked for in the loop, and a formula is evaluated on the run directly,
//! without any automaton. Only then it is a counterexample.

use super::{Lasso, Move, Question};
use model::blame::Seen;
use model::chart::Chart;
use model::claim::{AtomSet, Claim, Watcher, halves};
use model::fairness::Fairness;
use model::formula::{Atom, Ltl};
use model::semantics::{Semantics, Step, Stepper, Successor};
use model::source::SourceMap;
use model::trace::Narrator;
use std::collections::BTreeSet;

/// A position of the run: a state, what holds there, and what happens next.
struct Position {
    state: Vec<u8>,
    atoms: AtomSet,
    /// The claim's state.
    claim: u32,
    /// Processes that take part in the next move.
    moved: BTreeSet<u32>,
}

/// Replays a lasso; `None` if it is not a counterexample after all.
pub(crate) fn witness(
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    question: &Question<'_>,
    formula: Option<&Ltl>,
    lasso: &Lasso,
) -> Option<Chart> {
    let watcher = Watcher::new(semantics, &question.claim.atoms);
    let moves: Vec<&Move> = lasso.stem.iter().chain(&lasso.cycle).collect();
    let mut replay = Replay { semantics, watcher, stepper: semantics.stepper(), asker: semantics.stepper() };
    replay.stepper.listen();
    let (positions, last) = replay.positions(question, &moves)?;
    let loop_from = lasso.stem.len();
    if let Some((formula, moves)) = formula.and_then(|f| Some((f, bad_prefix(question.claim, f, &positions, &last)?))) {
        let stem = lasso.stem.iter().chain(&lasso.cycle).take(moves).cloned().collect();
        let prefix: Vec<Position> = positions.into_iter().chain([last]).take(moves + 1).collect();
        let lasso = Lasso { stem, cycle: Vec::new() };
        return words(semantics, sources, question, Some(formula), &lasso, &prefix);
    }
    if lasso.cycle.is_empty() {
        replay.ends(question.claim, &positions, &last)?;
    } else {
        let start = &positions[loop_from];
        if start.state != last.state || start.claim != last.claim {
            return None;
        }
        replay.is_accepted(question, &positions[loop_from..])?;
    }
    if let Some(formula) = formula {
        let holds = |atom: &Atom, at: usize| holds(question.claim, positions[at].atoms, atom);
        if lasso.cycle.is_empty() || formula.holds_on(positions.len(), loop_from, &holds) {
            return None;
        }
    }
    words(semantics, sources, question, formula, lasso, &positions)
}

/// Whether nothing that could follow these steps keeps a formula.
pub fn is_bad_prefix(semantics: &Semantics<'_>, formula: &Ltl, steps: &[Step]) -> bool {
    let atoms = formula.atoms().into_iter().map(|(atom, _)| atom).collect();
    let claim = Claim { atoms, ..crate::liveness::anything() };
    let question = Question::new(&claim);
    let watcher = Watcher::new(semantics, &claim.atoms);
    let mut replay = Replay { semantics, watcher, stepper: semantics.stepper(), asker: semantics.stepper() };
    replay.stepper.listen();
    let Some(moves) = replay.in_moves(steps) else { return false };
    let seen = replay.positions(&question, &moves.iter().collect::<Vec<_>>());
    seen.is_some_and(|(positions, last)| bad_prefix(&claim, formula, &positions, &last).is_some())
}

/// How many moves of a run are enough to see that nothing that could follow them keeps the formula; the state that they
/// lead to is seen, what happens there is not. More moves are no less, so halving finds the fewest.
fn bad_prefix(claim: &Claim, formula: &Ltl, positions: &[Position], last: &Position) -> Option<usize> {
    let refutes = |moves: usize| {
        let known = |atom: &Atom, at: usize| {
            let unknown = at == moves && matches!(atom, Atom::Event(_));
            (!unknown).then(|| holds(claim, positions.get(at).unwrap_or(last).atoms, atom))
        };
        formula.is_refuted_by(moves + 1, &known)
    };
    if !refutes(positions.len()) {
        return None;
    }
    let (mut low, mut high) = (0, positions.len());
    while low < high {
        let middle = (low + high) / 2;
        if refutes(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// Whether an atom is in a set.
fn holds(claim: &Claim, atoms: AtomSet, atom: &Atom) -> bool {
    claim.atoms.iter().position(|known| known == atom).is_some_and(|index| atoms >> index & 1 == 1)
}

struct Replay<'a> {
    semantics: &'a Semantics<'a>,
    watcher: Watcher<'a>,
    stepper: Stepper<'a>,
    asker: Stepper<'a>,
}

impl Replay<'_> {
    /// Steps as moves of a claim with one state: an atomic sequence is one move.
    fn in_moves(&mut self, steps: &[Step]) -> Option<Vec<Move>> {
        let (mut moves, mut open) = (Vec::new(), Vec::new());
        let (mut state, mut control) = (self.asker.initial().ok()?.ok()?, None);
        for &wanted in steps {
            let mut next = None;
            let take = &mut |successor: Successor<'_>| {
                if let (true, None, Some(after)) = (successor.step == wanted, &next, successor.state) {
                    next = Some((after.to_vec(), successor.control));
                }
            };
            self.asker.expand(&state, control, take).ok()?;
            (state, control) = next?;
            control = control.filter(|&process| self.asker.keeps_control(&state, process) != Ok(false));
            open.push(wanted);
            if control.is_none() {
                moves.push(Move { steps: std::mem::take(&mut open), claim: 0 });
            }
        }
        open.is_empty().then_some(moves)
    }

    /// The positions before each move, and the one after the last, in which nothing happens yet.
    fn positions(&mut self, question: &Question<'_>, moves: &[&Move]) -> Option<(Vec<Position>, Position)> {
        let claim = question.claim;
        let mut at = Position {
            state: self.stepper.initial().ok()?.ok()?,
            atoms: 0,
            claim: claim.initial,
            moved: BTreeSet::new(),
        };
        let mut positions = Vec::with_capacity(moves.len());
        for (index, step) in moves.iter().enumerate() {
            let next = self.take(&mut at, step, question.stutters)?;
            let edges = &claim.states.get(at.claim as usize)?.edges;
            let follows = edges.iter().any(|edge| edge.is_open(at.atoms) && edge.to == Some(step.claim));
            // The last move of a run on which the claim ends leads nowhere in the claim.
            let ends = index + 1 == moves.len() && edges.iter().any(|edge| edge.is_open(at.atoms) && edge.to.is_none());
            if !follows && !ends {
                return None;
            }
            positions.push(at);
            at = Position { state: next, atoms: 0, claim: step.claim, moved: BTreeSet::new() };
        }
        at.atoms = self.in_state(&at.state)?;
        Some((positions, at))
    }

    fn in_state(&mut self, state: &[u8]) -> Option<AtomSet> {
        let mut stuck = true;
        self.asker.expand(state, None, &mut |successor| stuck &= successor.timeout).ok()?;
        self.watcher.in_state(&mut self.asker, state, AtomSet::MAX, stuck).ok()
    }

    /// Takes a move; fills in what holds and happens at the position, and returns the state after it.
    fn take(&mut self, at: &mut Position, step: &Move, stutters: bool) -> Option<Vec<u8>> {
        at.atoms = self.in_state(&at.state)?;
        let (mut state, mut control) = (at.state.clone(), None);
        if step.steps.is_empty() {
            let moves = self.stepper.expand(&state, None, &mut |_| ()).ok()?;
            return (stutters && moves == 0).then_some(state);
        }
        for &wanted in &step.steps {
            let (watcher, asker) = (&self.watcher, &mut self.asker);
            let mut next = None;
            self.stepper
                .expand(&state, control, &mut |successor| {
                    if let (true, None, Some(after)) = (successor.step == wanted, &next, successor.state) {
                        let events = watcher.in_step(asker, &state, &successor);
                        next = Some((after.to_vec(), successor.control, events));
                    }
                })
                .ok()?;
            let (after, keeps, events) = next?;
            at.atoms |= events;
            at.moved.extend(halves(wanted).into_iter().flatten().map(|(process, _)| process));
            state = after;
            control = keeps;
        }
        // In the middle of an atomic sequence there is no state.
        let inside = control.is_some_and(|process| self.asker.keeps_control(&state, process) != Ok(false));
        (!inside).then_some(state)
    }

    /// The claim ends in the last state, or in the last move.
    fn ends(&mut self, claim: &Claim, positions: &[Position], last: &Position) -> Option<()> {
        let at_end = |position: &Position| {
            let edges = &claim.states[position.claim as usize].edges;
            edges.iter().any(|edge| edge.to.is_none() && edge.is_open(position.atoms))
        };
        (at_end(last) || positions.last().is_some_and(at_end)).then_some(())
    }

    /// Acceptance occurs in the loop, and every process gets its turn if that is asked.
    fn is_accepted(&mut self, question: &Question<'_>, cycle: &[Position]) -> Option<()> {
        let mut accepting = false;
        for position in cycle {
            accepting |= question.claim.states[position.claim as usize].accepting;
            accepting |= question.labels && self.asker.is_accepting(&position.state);
        }
        if question.fair.is_assumed() {
            let enabled: Vec<_> = cycle.iter().map(|position| self.enabled(&position.state)).collect::<Option<_>>()?;
            let entitled = enabled.into_iter().reduce(|all, here| match question.fair {
                Fairness::Strong | Fairness::Choice => &all | &here,
                Fairness::None | Fairness::Weak => &all & &here,
            });
            let moved: BTreeSet<u32> = cycle.iter().flat_map(|position| position.moved.iter().copied()).collect();
            accepting &= entitled.is_none_or(|entitled| entitled.is_subset(&moved));
        }
        accepting.then_some(())
    }

    /// The processes that can move in a state.
    fn enabled(&mut self, state: &[u8]) -> Option<BTreeSet<u32>> {
        let mut enabled = BTreeSet::new();
        self.asker
            .expand(state, None, &mut |successor| {
                enabled.extend(halves(successor.step).into_iter().flatten().map(|(process, _)| process));
            })
            .ok()?;
        debug_assert_eq!(self.semantics.reading(), self.asker.semantics().reading());
        Some(enabled)
    }
}

// --- words --------------------------------------------------------------------------------------------

fn words(
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    question: &Question<'_>,
    formula: Option<&Ltl>,
    lasso: &Lasso,
    positions: &[Position],
) -> Option<Chart> {
    let mut narrator = Narrator::new(semantics, sources);
    let steps: Vec<_> = lasso.stem.iter().chain(&lasso.cycle).flat_map(|m| m.steps.iter().copied()).collect();
    let replayed = narrator.replay(&steps).ok()?;
    let stem: usize = lasso.stem.iter().map(|m| m.steps.len()).sum();
    let (problem, problem_code) = match (formula, lasso.cycle.is_empty()) {
        (Some(formula), _) => (format!("this run does not keep `{formula}`"), "formula"),
        (None, true) => (String::from("the claim comes to its end on this run"), "claim-violated"),
        (None, false) => (String::from("acceptance cycle"), "acceptance-cycle"),
    };
    let loop_from = (!lasso.cycle.is_empty()).then_some(stem);
    let mut chart = Chart { loop_from, problem, problem_code, ..narrator.chart(replayed) };
    // What is wrong at the end is all that there is to say of a question that the front end wrote.
    let questions = &semantics.network().formulas;
    let is_question = questions.iter().any(|known| known.is_question && Some(&known.formula) == formula);
    if is_question && chart.loop_from.is_none() {
        let wrong = chart.steps.last().and_then(|step| Some((step.moves.first()?.lane, step.remarks.last()?.clone())));
        if let Some((lane, wrong)) = wrong {
            chart.problem = format!("{}: {wrong}", chart.lane_name(lane));
        }
        return Some(chart);
    }
    for (position, text) in remarks(question, formula, lasso, positions) {
        // A move is an atomic sequence of steps.
        let moves = lasso.stem.iter().chain(&lasso.cycle).take(position);
        chart.remark(moves.map(|m| m.steps.len()).sum(), text);
    }
    Some(chart)
}

/// What there is to say of positions: for a formula, why it does not hold; for a claim, where it goes.
fn remarks(
    question: &Question<'_>,
    formula: Option<&Ltl>,
    lasso: &Lasso,
    positions: &[Position],
) -> Vec<(usize, String)> {
    let claim = question.claim;
    if let Some(formula) = formula {
        let is_event = |atom: &Atom| matches!(atom, Atom::Event(_));
        // Whatever comes behind a bad prefix, the formula is not kept: then let the last state stay, and nothing happen.
        let ends = lasso.cycle.is_empty();
        let seen = Seen {
            positions: positions.len(),
            loop_from: lasso.stem.len(),
            holds: &|atom, at| {
                let behind = ends && at == lasso.stem.len() && is_event(atom);
                !behind && holds(claim, positions[at].atoms, atom)
            },
            is_event: &is_event,
        };
        let mut remarks = seen.remarks(formula);
        remarks.retain(|&(position, _)| position <= lasso.stem.len() || !ends);
        return remarks;
    }
    let mut remarks = Vec::new();
    for (index, pair) in positions.windows(2).enumerate() {
        let words = &claim.states[pair[1].claim as usize].words;
        if pair[0].claim != pair[1].claim && !words.is_empty() {
            remarks.push((index + 1, format!("the claim is at {words}")));
        }
    }
    remarks
}
