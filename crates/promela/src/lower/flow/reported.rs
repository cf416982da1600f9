//! Which statements are worth a report if no run reaches them, as SPIN's verifier decides it.
//!
//! A jump, a join, an `else` and a `skip` do nothing, and what a choice or a block offers first is reached with the choice or
//! the block itself, as an escape is with the statements that it watches over. A choice or a block is reached, too, when
//! control gets to where its last option leads. A deterministic step is one statement.

use super::finish::Transition;
use super::{El, ElKind, Graph, Jump, SeqId};
use model::expr::Expr;
use model::ids::LocationId;
use model::network::Action;
use std::collections::{BTreeMap, BTreeSet};

/// The statements that are reported, with the locations that reach each.
pub(super) type Reported = BTreeMap<El, Vec<LocationId>>;

/// The elements of a body.
#[derive(Default)]
struct Elements {
    seen: BTreeSet<El>,
    /// Those that are not reported.
    passed_over: BTreeSet<El>,
    /// Where the last option of a choice or the first statement of a block leads.
    leads_to: BTreeMap<El, El>,
}

impl Graph {
    pub(super) fn reported(&self, body: SeqId, transitions: &[Vec<Transition>]) -> Reported {
        let mut elements = Elements::default();
        self.walk(body, &mut elements);
        let mut reported = Reported::new();
        for e in elements.seen.difference(&elements.passed_over) {
            let leads_to = elements.leads_to.get(e);
            let passed_through = leads_to.is_some_and(|to| elements.passed_over.contains(to));
            if !passed_through && !self.begins_with_jump(&transitions[e.0 as usize]) {
                reported.insert(*e, [e].into_iter().chain(leads_to).map(|e| LocationId(e.0)).collect());
            }
        }
        reported
    }

    fn walk(&self, sequence: SeqId, elements: &mut Elements) {
        let last = self.seq(sequence).last;
        let mut current = self.seq(sequence).first;
        while let Some(e) = current {
            if elements.seen.insert(e) {
                self.walk_element(e, elements);
            }
            current = if Some(e) == last { None } else { self.at(e).next };
        }
    }

    fn walk_element(&self, e: El, elements: &mut Elements) {
        let element = self.at(e);
        match &element.kind {
            ElKind::Goto(_) | ElKind::Join | ElKind::BreakTarget | ElKind::Action(Action::Else | Action::Skip) => {
                elements.passed_over.insert(e);
            }
            ElKind::Unless => {
                elements.passed_over.insert(e);
                element.options.iter().for_each(|&part| self.walk(part, elements));
            }
            ElKind::Choice | ElKind::Loop => self.walk_parts(e, &element.options, elements),
            ElKind::Block(inner) | ElKind::Atomic(inner) => self.walk_parts(e, &[*inner], elements),
            ElKind::Action(_) | ElKind::DStep(_) | ElKind::Stop => {}
        }
        for &escape in &element.escapes {
            let first = self.seq(escape).first.and_then(|first| self.hunt(first, element.atomic).ok());
            elements.passed_over.extend(first);
        }
    }

    fn walk_parts(&self, e: El, parts: &[SeqId], elements: &mut Elements) {
        let mut offered = Vec::new();
        self.offered(e, &mut offered);
        let leads_to = offered.last().and_then(|&last| self.transition(last).ok()).map(|transition| transition.to);
        elements.leads_to.extend(leads_to.map(|to| (e, to)));
        elements.passed_over.extend(offered);
        for &part in parts {
            elements.passed_over.extend(self.seq(part).first);
            self.walk(part, elements);
        }
    }

    /// What a choice or a block offers; an option that starts with `false` is none.
    fn offered(&self, e: El, into: &mut Vec<El>) {
        let element = self.at(e);
        match &element.kind {
            ElKind::Choice | ElKind::Loop => {
                let starts = element.options.iter().filter_map(|&option| self.start(option));
                starts.filter(|&start| !self.is_false(start)).for_each(|start| self.offered(start, into));
            }
            ElKind::Block(inner) | ElKind::Atomic(inner) => {
                self.start(*inner).into_iter().for_each(|start| self.offered(start, into));
            }
            _ => into.push(e),
        }
    }

    fn is_false(&self, e: El) -> bool {
        let element = self.at(e);
        element.escapes.is_empty() && matches!(element.kind, ElKind::Action(Action::Condition(Expr::Const(0))))
    }

    /// A choice whose first option is a `break` is not reported.
    fn begins_with_jump(&self, transitions: &[Transition]) -> bool {
        let first = transitions.first().map(|t| &self.at(t.element).kind);
        matches!(first, Some(ElKind::Goto(Jump::Break(_)) | ElKind::Join | ElKind::BreakTarget))
    }
}
