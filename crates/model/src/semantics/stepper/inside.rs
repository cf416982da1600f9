//! What a deterministic step does, statement by statement.

use super::{EdgeCode, Stepper};
use crate::code::ActionCode;
use crate::ids::EdgeId;
use crate::semantics::perform::{Chosen, Performer};
use crate::semantics::{Semantics, Step};

impl Stepper<'_> {
    /// The statements of a step that can be taken in a state, if it is a deterministic one; `None` if it is not possible.
    pub(crate) fn inside(&mut self, state: &[u8], step: Step, timeout: bool) -> Option<Vec<Chosen>> {
        let semantics = self.semantics;
        self.load(state);
        let (sender, (process, edge)) = match step {
            Step::Edge { process, edge } => (None, (process as usize, edge)),
            Step::Rendezvous { sender, receiver } => (Some(sender), (receiver.0 as usize, receiver.1)),
            Step::Loss { .. } => return Some(Vec::new()),
        };
        let edge = self.edge(semantics, process, edge)?;
        if !matches!(edge.action, ActionCode::Deterministic(_)) {
            return Some(Vec::new());
        }
        let mut handed_over = None;
        self.next.copy_from(&self.current);
        if let Some((sender, send)) = sender {
            let (sender, send) = (sender as usize, self.edge(semantics, sender as usize, send)?);
            let ActionCode::Send { channel, .. } = &send.action else { return None };
            let view = crate::evaluate::View::new(semantics, &self.current, sender, timeout);
            let queue = view.queue(channel).ok()?;
            self.compose_message(sender, send, queue).ok()?;
            self.next.set_location(sender, send.to);
            handed_over = Some((queue, self.message.as_slice()));
        }
        let mut path = Vec::new();
        let (cache, next, fields) = (&mut self.cache, &mut self.next, &mut self.fields);
        let mut performer = Performer::new(semantics, cache, next, fields, process, timeout);
        performer.handed_over = handed_over;
        performer.path = Some(&mut path);
        performer.perform(&edge.action, edge.span).is_ok().then_some(path)
    }

    /// An edge that leaves the place where a process of the loaded state is.
    fn edge<'s>(&self, semantics: &'s Semantics<'s>, process: usize, id: EdgeId) -> Option<&'s EdgeCode> {
        if process >= self.current.process_count() {
            return None;
        }
        semantics.edges_at(&self.current, process).iter().find(|edge| edge.id == id)
    }
}
