//! Deterministic steps: the elements between the braces of a `d_step` as the nodes of one action.
//!
//! At a node the first executable choice is taken. The guard of the step follows SPIN: of a first
//! `if` or `do`, only options that start with something that can block decide whether the step can
//! be taken.

use super::{El, ElKind, Graph, LONGEST_HUNT, SeqId};
use model::network::{Action, Choice, Deterministic};
use std::collections::HashMap;

impl Graph {
    /// The body of a deterministic step: its elements as nodes. An inner choice or block is a node of its own:
    /// once it is entered there is no way back, as in SPIN.
    pub(super) fn deterministic(&self, step: El, body: SeqId) -> Deterministic {
        let exit = self.at(step).next;
        let mut nodes = Nodes::default();
        if let Some(start) = self.start(body) {
            nodes.number(start);
        }
        while let Some(e) = nodes.work.pop() {
            let choices = match &self.at(e).kind {
                ElKind::Choice | ElKind::Loop => {
                    let options = self.at(e).options.iter().filter_map(|&option| self.start(option));
                    options.map(|start| self.choice_in_step(start, exit, &mut nodes)).collect()
                }
                _ => vec![self.choice_in_step(e, exit, &mut nodes)],
            };
            let number = nodes.number(e) as usize;
            nodes.nodes[number] = choices;
        }
        Deterministic { guard: self.step_guard(body), nodes: nodes.nodes }
    }

    /// What is done at an element: the statement itself, or going inside.
    fn choice_in_step(&self, e: El, exit: Option<El>, nodes: &mut Nodes) -> Choice {
        let inside = match &self.at(e).kind {
            ElKind::Choice | ElKind::Loop => Some(e),
            ElKind::Block(body) | ElKind::Atomic(body) => self.start(*body),
            _ => None,
        };
        let (action, next) = match inside {
            Some(inner) => (Action::Skip, Some(inner)),
            None => (self.action(e), self.next_in_step(e, exit)),
        };
        Choice { action, next: next.map(|next| nodes.number(next)), span: self.at(e).span }
    }

    /// What must be executable for a deterministic step to be taken: its first statement, or one of the guards of
    /// its first choice that can block. With no such guard it can always be taken.
    fn step_guard(&self, body: SeqId) -> Vec<Action> {
        let mut guard = Vec::new();
        let Some(first) = self.start(body) else { return guard };
        match &self.at(first).kind {
            ElKind::Block(inner) | ElKind::Atomic(inner) => return self.step_guard(*inner),
            ElKind::Choice | ElKind::Loop => self.option_guards(first, &mut guard),
            ElKind::Action(action @ (Action::Condition(_) | Action::Send { .. } | Action::Receive { .. })) => {
                guard.push(action.clone());
            }
            ElKind::Action(Action::Else) => guard.push(Action::Else),
            _ => {}
        }
        guard
    }

    fn option_guards(&self, choice: El, into: &mut Vec<Action>) {
        for start in self.at(choice).options.iter().filter_map(|&option| self.start(option)) {
            match &self.at(start).kind {
                ElKind::Block(inner) => {
                    let first = self.seq(*inner).first;
                    if let Some(e) = first.filter(|&e| matches!(self.at(e).kind, ElKind::Choice)) {
                        self.option_guards(e, into);
                    }
                }
                ElKind::Choice | ElKind::Loop => self.option_guards(start, into),
                ElKind::Action(action @ (Action::Condition(_) | Action::Send { .. } | Action::Receive { .. })) => {
                    into.push(action.clone());
                }
                // `skip` is a condition, too, and `else` can always be taken.
                ElKind::Action(Action::Else | Action::Skip) => into.push(Action::Skip),
                _ => {}
            }
        }
    }

    /// Where a statement of a deterministic step leads inside it; `None` if it leaves.
    fn next_in_step(&self, e: El, exit: Option<El>) -> Option<El> {
        let element = self.at(e);
        let mut next = match element.kind {
            ElKind::Goto(jump) => self.target(jump, element.span).ok()?,
            _ => element.next?,
        };
        for _ in 0..LONGEST_HUNT {
            if Some(next) == exit || !self.at(next).in_d_step {
                return None;
            }
            next = match self.at(next).kind {
                ElKind::Goto(jump) => self.target(jump, self.at(next).span).ok()?,
                ElKind::Join | ElKind::BreakTarget => self.at(next).next?,
                _ => return Some(next),
            };
        }
        None
    }
}

/// The nodes of a deterministic step while they are being made.
#[derive(Default)]
struct Nodes {
    nodes: Vec<Vec<Choice>>,
    numbers: HashMap<El, u32>,
    work: Vec<El>,
}

impl Nodes {
    /// The number of the node for an element, which is made if it is new.
    fn number(&mut self, e: El) -> u32 {
        if let Some(&number) = self.numbers.get(&e) {
            return number;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(Vec::new());
        self.numbers.insert(e, number);
        self.work.push(e);
        number
    }
}
