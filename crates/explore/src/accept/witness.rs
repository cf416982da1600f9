//! The run of a lasso, replayed and put into words.
//!
//! What the search says is not believed: the run is taken again in the model's own semantics, the claim is followed along it
//! edge by edge, acceptance and fairness are looked for in the loop, and a formula is evaluated on the run directly,
//! without any automaton. Only then it is a counterexample.

use super::{Lasso, Move, Question};
use model::claim::{AtomSet, Claim, Watcher, halves};
use model::formula::{Atom, Connective, Ltl, Modality};
use model::semantics::{Semantics, Stepper};
use model::source::SourceMap;
use model::trace::Narrator;
use model::verdict::Witness;
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
) -> Option<Witness> {
    let watcher = Watcher::new(semantics, &question.claim.atoms);
    let moves: Vec<&Move> = lasso.stem.iter().chain(&lasso.cycle).collect();
    let mut replay = Replay { semantics, watcher, stepper: semantics.stepper(), asker: semantics.stepper() };
    replay.stepper.listen();
    let (positions, last) = replay.positions(question, &moves)?;
    let loop_from = lasso.stem.len();
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
        if question.fair {
            let mut unfair: Option<BTreeSet<u32>> = None;
            for position in cycle {
                let enabled = self.enabled(&position.state)?;
                let always = unfair.take().map_or(enabled.clone(), |set| &set & &enabled);
                unfair = Some(always);
            }
            let moved: BTreeSet<u32> = cycle.iter().flat_map(|position| position.moved.iter().copied()).collect();
            accepting &= unfair.is_none_or(|unfair| unfair.is_subset(&moved));
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
) -> Option<Witness> {
    let mut narrator = Narrator::new(semantics, sources);
    let steps: Vec<_> = lasso.stem.iter().chain(&lasso.cycle).flat_map(|m| m.steps.iter().copied()).collect();
    let replayed = narrator.replay(&steps).ok()?;
    let standing = narrator.snapshot(&replayed.state).processes;
    let stem: usize = lasso.stem.iter().map(|m| m.steps.len()).sum();
    let (problem, problem_code) = match (formula, lasso.cycle.is_empty()) {
        (Some(formula), _) => (format!("this run does not keep `{formula}`"), "formula"),
        (None, true) => (String::from("the claim comes to its end on this run"), "claim-violated"),
        (None, false) => (String::from("acceptance cycle"), "acceptance-cycle"),
    };
    let mut witness = Witness {
        steps: replayed.steps,
        loop_from: (!lasso.cycle.is_empty()).then_some(stem),
        gains: Vec::new(),
        remarks: Vec::new(),
        problem,
        problem_code,
        problem_span: None,
        standing,
    };
    for (position, text) in remarks(question, formula, lasso, positions) {
        add_remark(&mut witness, lasso, position, text);
    }
    Some(witness)
}

/// Puts a remark on a position beside the step that leads to it.
fn add_remark(witness: &mut Witness, lasso: &Lasso, position: usize, text: String) {
    let moves = lasso.stem.iter().chain(&lasso.cycle).take(position);
    let steps: usize = moves.map(|m| m.steps.len()).sum();
    let remarks = match steps.checked_sub(1).and_then(|step| witness.steps.get_mut(step)) {
        Some(step) => &mut step.remarks,
        None => &mut witness.remarks,
    };
    if !remarks.contains(&text) {
        remarks.push(text);
    }
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
        let run = Run { claim, positions, loop_from: lasso.stem.len() };
        let mut remarks = run.changes(formula);
        run.blame(formula, 0, false, &mut remarks);
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

struct Run<'a> {
    claim: &'a Claim,
    positions: &'a [Position],
    loop_from: usize,
}

impl Run<'_> {
    fn along(&self, formula: &Ltl) -> Vec<bool> {
        let holds = |atom: &Atom, at: usize| holds(self.claim, self.positions[at].atoms, atom);
        formula.along(self.positions.len(), self.loop_from, &holds)
    }

    /// Where conditions of the formula become true or false; events are seen in the steps themselves.
    fn changes(&self, formula: &Ltl) -> Vec<(usize, String)> {
        let mut remarks = Vec::new();
        for (atom, text) in formula.atoms().iter().filter(|(atom, _)| matches!(atom, Atom::State(_))) {
            let values: Vec<bool> = self.positions.iter().map(|p| holds(self.claim, p.atoms, atom)).collect();
            if values.first() == Some(&true) {
                remarks.push((0, format!("`{text}` is true")));
            }
            for (index, pair) in values.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]) {
                remarks.push((index + 1, format!("`{text}` is {} now", pair[1])));
            }
        }
        remarks
    }

    /// The positions from one on, once round the loop.
    fn from(&self, at: usize) -> impl Iterator<Item = usize> {
        (at..self.positions.len()).chain(self.loop_from..at.max(self.loop_from))
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.positions.len() { at + 1 } else { self.loop_from }
    }

    /// Why a formula has this value at a position, in a few words at the places that matter.
    fn blame(&self, formula: &Ltl, at: usize, value: bool, remarks: &mut Vec<(usize, String)>) {
        match formula {
            Ltl::Constant(_) => {}
            Ltl::Atom(atom, text) if matches!(**atom, Atom::Event(_)) => {
                let happens = if value { "happens" } else { "does not happen" };
                remarks.push((self.next(at), format!("here `{text}` {happens}")));
            }
            Ltl::Atom(..) if value => remarks.push((at, format!("here `{}` holds", plain(formula)))),
            Ltl::Atom(..) => remarks.push((at, format!("here `{}` does not hold", plain(formula)))),
            Ltl::Unary(Modality::Not, inner) => self.blame(inner, at, !value, remarks),
            Ltl::Unary(Modality::Next, inner) => self.blame(inner, self.next(at), value, remarks),
            Ltl::Unary(Modality::Always, inner) => self.blame_lasting(inner, at, value, remarks),
            Ltl::Unary(Modality::Eventually, inner) => self.blame_coming(inner, at, value, remarks),
            Ltl::Binary(op, a, b) => self.blame_binary(*op, (a, b), at, value, remarks),
        }
    }

    /// `[] e`: false because of the first position where it is.
    fn blame_lasting(&self, inner: &Ltl, at: usize, value: bool, remarks: &mut Vec<(usize, String)>) {
        let values = self.along(inner);
        match self.from(at).find(|&position| !values[position]) {
            Some(position) if !value => self.blame(inner, position, false, remarks),
            _ => remarks.push((at, format!("from here on `{}` holds always", plain(inner)))),
        }
    }

    /// `<> e`: true because of the first position where it is.
    fn blame_coming(&self, inner: &Ltl, at: usize, value: bool, remarks: &mut Vec<(usize, String)>) {
        let values = self.along(inner);
        match self.from(at).find(|&position| values[position]) {
            Some(position) if value => self.blame(inner, position, true, remarks),
            _ => remarks.push((at, format!("from here on `{}` never holds", plain(inner)))),
        }
    }

    fn blame_binary(
        &self,
        op: Connective,
        (a, b): (&Ltl, &Ltl),
        at: usize,
        value: bool,
        remarks: &mut Vec<(usize, String)>,
    ) {
        let (left, right) = (self.along(a), self.along(b));
        match op {
            Connective::And | Connective::Or => {
                // All operands that have the value of the whole; for the other value each of them matters.
                let decisive = [(a, left[at]), (b, right[at])];
                for (operand, _) in decisive.iter().filter(|(_, own)| *own == value) {
                    self.blame(operand, at, value, remarks);
                }
            }
            Connective::Implies => {
                if left[at] != value {
                    self.blame(a, at, !value, remarks);
                }
                if right[at] == value {
                    self.blame(b, at, value, remarks);
                }
            }
            Connective::Iff => {
                self.blame(a, at, left[at], remarks);
                self.blame(b, at, right[at], remarks);
            }
            Connective::Until | Connective::WeakUntil => {
                let stop = self.from(at).find(|&position| !left[position] || right[position]);
                match stop {
                    Some(position) if right[position] => self.blame(b, position, true, remarks),
                    Some(position) => {
                        remarks.push((position, format!("`{}` has not come, and", plain(b))));
                        self.blame(a, position, false, remarks);
                    }
                    None => remarks.push((at, format!("from here on `{}` never holds", plain(b)))),
                }
            }
            Connective::Release => match self.from(at).find(|&position| left[position] || !right[position]) {
                Some(position) if !right[position] => self.blame(b, position, false, remarks),
                Some(position) => self.blame(a, position, true, remarks),
                None => remarks.push((at, format!("from here on `{}` holds always", plain(b)))),
            },
        }
    }
}

/// A formula in a sentence: an atom as it is written.
fn plain(formula: &Ltl) -> String {
    match formula {
        Ltl::Atom(_, text) => text.clone(),
        _ => formula.to_string(),
    }
}
