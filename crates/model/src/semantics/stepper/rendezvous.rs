//! Messages that are handed over, and messages that are lost.
//!
//! A send on a channel without room for messages looks for receives among the other processes, and each that takes the message makes
//! one step with it. In a lossy channel a message may vanish at any time, which is a step of no process.

use super::{Stepper, forget, step};
use crate::code::ActionCode;
use crate::evaluate::{Eval, View};
use crate::fault::{Fault, Overflow};
use crate::semantics::perform::{Performer, accepts};
use crate::semantics::{EdgeCode, Step, Successor};

impl<'s> Stepper<'s> {
    /// A send on a rendezvous channel with every receive that fits.
    pub(super) fn rendezvous(
        &mut self,
        sender: usize,
        send: &EdgeCode,
        queue: usize,
        timeout: bool,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<usize, Overflow> {
        let semantics = self.semantics;
        if let Err(fault) = self.compose_message(sender, send, queue) {
            let step = Step::Edge { process: sender as u32, edge: send.id };
            visit(Successor::failed(step, *fault, send.span));
            return Ok(1);
        }
        let mut count = 0;
        for receiver in (0..self.current.process_count()).filter(|&p| p != sender) {
            if !semantics.may_receive(&self.current, receiver) {
                continue;
            }
            let provided = !semantics.uses_provided || semantics.is_provided(&self.current, receiver).unwrap_or(false);
            if !provided {
                continue;
            }
            let mut escape = 0;
            for receive in semantics.edges_at(&self.current, receiver) {
                if escape > 0 && receive.escape != escape {
                    break;
                }
                let taken = self.meet(sender, send, receiver, receive, queue, timeout, visit)?;
                if taken > 0 && receive.escape > 0 {
                    escape = receive.escape;
                }
                count += taken;
            }
        }
        Ok(count)
    }

    pub(super) fn compose_message(&mut self, sender: usize, send: &EdgeCode, queue: usize) -> Eval<()> {
        let view = View::new(self.semantics, &self.current, sender, false);
        let ActionCode::Send { message, .. } = &send.action else { return Ok(()) };
        let channel_type = self.current.frame.queues[queue].channel_type;
        let fields = &self.semantics.layout.messages[channel_type.index()].fields;
        if fields.len() != message.len() {
            return Err(Box::new(Fault::FieldCount { given: message.len(), expected: fields.len() }));
        }
        self.message.clear();
        for (e, &(_, _, ty)) in message.iter().zip(fields) {
            self.message.push(ty.truncate(view.eval(e)?));
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn meet(
        &mut self,
        sender: usize,
        send: &EdgeCode,
        receiver: usize,
        receive: &EdgeCode,
        queue: usize,
        timeout: bool,
        visit: &mut impl FnMut(Successor<'_>),
    ) -> Result<usize, Overflow> {
        let semantics = self.semantics;
        let view = View::new(semantics, &self.current, receiver, timeout);
        match accepts(&view, &receive.action, queue, &self.message) {
            Ok(true) => {}
            Ok(false) => return Ok(0),
            Err(fault) => {
                let step = step(Some((sender, send)), receiver, receive);
                visit(Successor::failed(step, *fault, receive.span));
                return Ok(1);
            }
        }
        self.next.copy_from(&self.current);
        self.next.set_location(sender, send.to);
        forget(&mut self.next, sender, send);
        let (cache, next, fields) = (&mut self.cache, &mut self.next, &mut self.fields);
        let mut performer = Performer::new(semantics, cache, next, fields, receiver, timeout);
        performer.handed_over = Some((queue, &self.message));
        if self.listens {
            self.exchanges.clear();
            performer.listener = Some(&mut self.exchanges);
        }
        let result = performer.perform(&receive.action, receive.span);
        let soft = performer.failed_assertion.take();
        self.finish(Some((sender, send)), receiver, receive, result, soft, timeout, visit)?;
        Ok(1)
    }

    /// Any message of a lossy channel can vanish.
    pub(super) fn losses(&mut self, visit: &mut impl FnMut(Successor<'_>)) -> usize {
        let layout = &self.semantics.layout;
        let mut count = 0;
        for queue in 0..self.current.frame.queues.len() {
            let channel_type = self.current.frame.queues[queue].channel_type;
            if !layout.messages[channel_type.index()].lossy {
                continue;
            }
            for position in 0..self.current.queue_len(layout, queue) {
                self.next.copy_from(&self.current);
                self.next.remove_message(layout, queue, position);
                let step = Step::Loss { queue: queue as u32, position: position as u32 };
                let state = Some(self.next.bytes.as_slice());
                visit(Successor { step, state, control: None, fault: None, timeout: false, exchanges: &[] });
                count += 1;
            }
        }
        count
    }
}
