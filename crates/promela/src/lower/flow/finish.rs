//! Elements to locations and edges.
//!
//! First the ends of blocks are tied to what follows them, and jumps out of atomic sequences give up
//! control. Then every element gets its transitions: its own, or those that a choice or a block offers;
//! the transitions of escapes come before them. What remains are locations, which are the elements,
//! and edges.

use super::reported::Reported;
use super::{El, ElKind, Finished, FlowError, Graph, Jump, LONGEST_HUNT, SeqId};
use crate::token::Name;
use model::ids::{EdgeId, LocationId};
use model::network::{Action, Edge, Location};
use model::source::Span;

/// A transition before it becomes an edge.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// The element that it executes.
    pub(super) element: El,
    pub(super) to: El,
    escape: u32,
    /// Elements that its escapes start at, outermost first.
    escapes: Vec<El>,
}

impl Graph {
    /// Turns the elements into locations and edges. A claim may loop without doing anything.
    pub(in crate::lower) fn finish(
        mut self,
        body: SeqId,
        is_claim: bool,
        text: &dyn Fn(Name) -> String,
    ) -> Result<Finished, Vec<FlowError>> {
        let mut errors = Vec::new();
        self.check_jumps(&mut errors);
        self.check_steps(&mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        self.tie(body);
        self.patch_all();
        let mut transitions = self.transitions(&mut errors);
        self.spread_labels(&transitions);
        self.prepend_escapes(&mut transitions);
        if !is_claim {
            self.check_transitions(&transitions, &mut errors);
        }
        let initial = match self.seq(body).first.map(|first| self.hunt(first, self.at(first).atomic)) {
            Some(Ok(e)) => e,
            Some(Err(error)) => {
                errors.push(error);
                El(0)
            }
            None => El(0),
        };
        if !errors.is_empty() {
            return Err(errors);
        }
        let reported = self.reported(body, &transitions);
        Ok(self.into_machine(transitions, initial, reported, text))
    }

    /// A step that creates processes would create them in its middle; SPIN does not allow it either.
    fn check_steps(&self, errors: &mut Vec<FlowError>) {
        let creates = |kind: &ElKind| matches!(kind, ElKind::Action(Action::Run { .. }));
        let wrong = self.elements.iter().filter(|element| element.in_d_step && creates(&element.kind));
        errors.extend(wrong.map(|element| FlowError::RunInDStep(element.span)));
    }

    fn check_jumps(&self, errors: &mut Vec<FlowError>) {
        for element in &self.elements {
            let ElKind::Goto(jump) = element.kind else { continue };
            match self.target(jump, element.span) {
                Err(error) => errors.push(error),
                Ok(target) if self.at(target).in_d_step != element.in_d_step => {
                    errors.push(FlowError::CrossesDStep(element.span));
                }
                Ok(_) => {}
            }
        }
    }

    pub(super) fn target(&self, jump: Jump, span: Span) -> Result<El, FlowError> {
        let found = match jump {
            Jump::Label(name, scope) => match self.find_label(name, scope) {
                Some(entry) => Some(entry.element),
                None => {
                    let known = self.labels.iter().map(|l| l.name).collect();
                    return Err(FlowError::NoLabel(name, span, known));
                }
            },
            Jump::Break(target) => self.break_targets[target as usize],
        };
        found.ok_or(FlowError::EndlessJump(span))
    }

    /// The last element of a block is followed by what follows the block.
    fn tie(&mut self, sequence: SeqId) {
        let last = self.seq(sequence).last;
        let mut current = self.seq(sequence).first;
        while let Some(e) = current {
            let element = self.at(e);
            let next = element.next;
            let options = element.options.clone();
            if let ElKind::Block(body) | ElKind::Atomic(body) | ElKind::DStep(body) = element.kind {
                if let Some(inner_last) = self.seq(body).last {
                    self.at_mut(inner_last).next = next;
                }
                self.tie(body);
            }
            for option in options {
                self.tie(option);
            }
            current = if Some(e) == last { None } else { self.at(e).next };
        }
    }

    /// A jump out of an atomic sequence gives up control; one into another keeps it.
    fn patch_all(&mut self) {
        for index in 0..self.elements.len() {
            let ElKind::Goto(jump) = self.elements[index].kind else { continue };
            let Ok(target) = self.target(jump, self.elements[index].span) else { continue };
            let inside = self.at(target).atomic || self.at(target).last_atomic;
            let element = &mut self.elements[index];
            if (element.atomic || element.last_atomic) && !inside {
                element.atomic = false;
                element.last_atomic = true;
            }
            if element.last_atomic && inside {
                element.last_atomic = false;
                element.atomic = true;
            }
        }
    }

    /// The first real element from `e` on, as seen by a statement that is inside an atomic sequence or not.
    pub(super) fn hunt(&self, e: El, from_atomic: bool) -> Result<El, FlowError> {
        let mut e = e;
        for _ in 0..LONGEST_HUNT {
            let element = self.at(e);
            let next = match element.kind {
                ElKind::Goto(jump) => self.target(jump, element.span)?,
                ElKind::Join | ElKind::BreakTarget => match element.next {
                    Some(next) => next,
                    None => return Ok(e),
                },
                ElKind::Unless => match element.options.first().and_then(|&main| self.seq(main).first) {
                    Some(first) => self.hunt(first, from_atomic)?,
                    None => return Ok(e),
                },
                _ => return Ok(e),
            };
            if next == e {
                return Err(FlowError::EndlessJump(element.span));
            }
            if from_atomic && !self.at(next).atomic {
                return Ok(e);
            }
            e = next;
        }
        Err(FlowError::EndlessJump(self.at(e).span))
    }

    /// The first element of a sequence, past joins and into an `unless`.
    pub(super) fn start(&self, sequence: SeqId) -> Option<El> {
        let mut e = self.seq(sequence).first?;
        for _ in 0..LONGEST_HUNT {
            let element = self.at(e);
            e = match element.kind {
                ElKind::Join => match element.next {
                    Some(next) => next,
                    None => return Some(e),
                },
                ElKind::Unless => self.seq(*element.options.first()?).first?,
                _ => return Some(e),
            };
        }
        Some(e)
    }

    /// Per element, what can be done there.
    fn transitions(&self, errors: &mut Vec<FlowError>) -> Vec<Vec<Transition>> {
        let mut all = vec![Vec::new(); self.elements.len()];
        for (index, list) in all.iter_mut().enumerate().skip(1) {
            if self.elements[index].in_d_step {
                // No edge starts here, but a jump inside a step that leads nowhere is an error all the same.
                errors.extend(self.transition(El(index as u32)).err());
                continue;
            }
            let mut leaves = Vec::new();
            self.leaves(El(index as u32), &mut leaves, 0);
            for leaf in leaves {
                match self.transition(leaf) {
                    Ok(transition) => list.push(transition),
                    Err(error) => errors.push(error),
                }
            }
        }
        errors.dedup_by(|a, b| format!("{a:?}") == format!("{b:?}"));
        all
    }

    /// The elements that a choice or a block offers, in order.
    fn leaves(&self, e: El, into: &mut Vec<El>, depth: usize) {
        if depth > 10_000 {
            return;
        }
        match &self.at(e).kind {
            ElKind::Choice | ElKind::Loop => {
                for &option in &self.at(e).options {
                    if let Some(start) = self.start(option) {
                        self.leaves(start, into, depth + 1);
                    }
                }
            }
            ElKind::Block(body) | ElKind::Atomic(body) => {
                if let Some(start) = self.start(*body) {
                    self.leaves(start, into, depth + 1);
                }
            }
            ElKind::Unless => {
                if let Some(start) = self.at(e).options.first().and_then(|&main| self.start(main)) {
                    self.leaves(start, into, depth + 1);
                }
            }
            _ => into.push(e),
        }
    }

    /// The transition of an element that is not a choice or a block.
    pub(super) fn transition(&self, e: El) -> Result<Transition, FlowError> {
        let element = self.at(e);
        let next = match element.kind {
            ElKind::Goto(jump) => Some(self.target(jump, element.span)?),
            ElKind::Stop => None,
            _ => element.next,
        };
        let to = match next {
            Some(next) => self.hunt(next, element.atomic)?,
            None => e,
        };
        let mut escapes = Vec::new();
        if !matches!(element.kind, ElKind::Join) {
            for &escape in &element.escapes {
                if let Some(first) = self.seq(escape).first {
                    escapes.push(self.hunt(first, element.atomic)?);
                }
            }
        }
        Ok(Transition { element: e, to, escape: 0, escapes })
    }

    /// Labels on a block or on the first statement of an option reach where control really is.
    fn spread_labels(&mut self, transitions: &[Vec<Transition>]) {
        for (index, list) in transitions.iter().enumerate().skip(1) {
            let kind = &self.elements[index].kind;
            if matches!(kind, ElKind::Choice | ElKind::Loop | ElKind::Block(_) | ElKind::Atomic(_)) {
                for transition in list {
                    let special = self.at(transition.element).special;
                    self.at_mut(transition.to).special.join(special);
                }
            }
        }
        for (index, list) in transitions.iter().enumerate().skip(1) {
            let element = &self.elements[index];
            if let (ElKind::Join, true, [only]) = (&element.kind, element.special.end, list.as_slice()) {
                let to = only.to;
                self.at_mut(to).special.end = true;
            }
        }
    }

    /// Puts the transitions of escapes before those of the statements they watch over.
    fn prepend_escapes(&self, transitions: &mut [Vec<Transition>]) {
        for index in 1..transitions.len() {
            let own = transitions[index].clone();
            for transition in &own {
                for &escape in transition.escapes.iter().rev() {
                    for copy in transitions[escape.0 as usize].clone() {
                        if transitions[index].iter().any(|t| t.element == copy.element) {
                            continue;
                        }
                        transitions[index].insert(0, Transition { escape: escape.0, ..copy });
                    }
                }
            }
        }
    }

    fn check_transitions(&self, transitions: &[Vec<Transition>], errors: &mut Vec<FlowError>) {
        for (index, list) in transitions.iter().enumerate().skip(1) {
            let is_else = |t: &&Transition| matches!(self.at(t.element).kind, ElKind::Action(Action::Else));
            let mut elses = list.iter().filter(is_else);
            if let (Some(_), Some(second)) = (elses.next(), elses.next()) {
                errors.push(FlowError::TwoElse(self.at(second.element).span));
            }
            let skips = |t: &&Transition| {
                t.to.0 as usize == index && matches!(self.at(t.element).kind, ElKind::Action(Action::Skip))
            };
            if let Some(looping) = list.iter().find(skips) {
                errors.push(FlowError::SelfLoop(self.at(looping.element).span));
            }
        }
    }

    fn into_machine(
        self,
        transitions: Vec<Vec<Transition>>,
        initial: El,
        mut reported: Reported,
        text: &dyn Fn(Name) -> String,
    ) -> Finished {
        let mut locations: Vec<Location> = self
            .elements
            .iter()
            .enumerate()
            .map(|(index, element)| Location {
                reached_from: reported.remove(&El(index as u32)).unwrap_or_default(),
                end: element.special.end || matches!(element.kind, ElKind::Stop),
                progress: element.special.progress,
                accept: element.special.accept,
                span: Some(element.span),
                labels: element.labels.iter().map(|&name| text(name)).collect(),
                ..Location::default()
            })
            .collect();
        let mut edges = Vec::new();
        let reachable = reachable(&transitions, initial);
        for (index, list) in transitions.iter().enumerate().skip(1) {
            if !reachable[index] {
                continue;
            }
            for transition in list {
                let element = self.at(transition.element);
                locations[index].edges.push(EdgeId::from(edges.len()));
                locations[index].executes.push(transition.element.0);
                edges.push(Edge {
                    from: LocationId(index as u32),
                    to: LocationId(transition.to.0),
                    action: self.action(transition.element),
                    atomic: element.atomic,
                    escape: transition.escape,
                    span: element.span,
                });
            }
        }
        Finished { locations, edges, initial: LocationId(initial.0) }
    }

    pub(super) fn action(&self, e: El) -> Action {
        match &self.at(e).kind {
            ElKind::Action(action) => action.clone(),
            ElKind::Stop => Action::End,
            ElKind::DStep(body) => Action::Deterministic(Box::new(self.deterministic(e, *body))),
            _ => Action::Skip,
        }
    }
}

fn reachable(transitions: &[Vec<Transition>], initial: El) -> Vec<bool> {
    let mut seen = vec![false; transitions.len()];
    let mut work = vec![initial];
    while let Some(e) = work.pop() {
        if std::mem::replace(&mut seen[e.0 as usize], true) {
            continue;
        }
        work.extend(transitions[e.0 as usize].iter().map(|t| t.to));
    }
    seen
}
