//! Steps for replay, as traces have them: processes, edges, components and states by number.
//!
//! They mean something only together with the very text of the model, which is why a trace has its hash.

use crate::composition::{Run, StepLabel};
use crate::ids::{EdgeId, EventId};
use crate::semantics::Step;
use serde::{Deserialize, Serialize};

/// A step of a run of any kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StepKey {
    /// Of processes.
    Network(NetworkKey),
    /// Of structures that synchronise on events.
    Joint(JointKey),
    /// Of C components.
    Moves(MovesKey),
}

/// A step of processes: `{"edge":[0,3]}`, `{"rendezvous":[[0,3],[1,2]]}`, `{"loss":[0,1]}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetworkKey {
    /// The process and its edge.
    Edge(u32, u32),
    /// The sender and its edge, the receiver and its edge.
    Rendezvous((u32, u32), (u32, u32)),
    /// The queue and the position of the message.
    Loss(u32, u32),
}

impl From<Step> for NetworkKey {
    fn from(step: Step) -> Self {
        match step {
            Step::Edge { process, edge } => NetworkKey::Edge(process, edge.0),
            Step::Rendezvous { sender, receiver } => {
                NetworkKey::Rendezvous((sender.0, sender.1.0), (receiver.0, receiver.1.0))
            }
            Step::Loss { queue, position } => NetworkKey::Loss(queue, position),
        }
    }
}

impl From<NetworkKey> for Step {
    fn from(key: NetworkKey) -> Self {
        match key {
            NetworkKey::Edge(process, edge) => Step::Edge { process, edge: EdgeId(edge) },
            NetworkKey::Rendezvous(sender, receiver) => {
                Step::Rendezvous { sender: (sender.0, EdgeId(sender.1)), receiver: (receiver.0, EdgeId(receiver.1)) }
            }
            NetworkKey::Loss(queue, position) => Step::Loss { queue, position },
        }
    }
}

/// A step of structures: `{"event":3,"to":[[0,1],[4,1]]}`, with the new state of each component that moves;
/// `{"silent":2,"to":[[2,5]]}` for a step without a name, and whose it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JointKey {
    /// The event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<u32>,
    /// The component that moves, in a step without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent: Option<u32>,
    /// Components and their new states.
    pub to: Vec<(u32, u32)>,
}

impl JointKey {
    /// The key of a step between two states.
    pub fn new(step: StepLabel, from: &[u32], to: &[u32]) -> Self {
        let changed = (0..).zip(from.iter().zip(to)).filter(|(_, (from, to))| from != to);
        let to = changed.map(|(component, (_, &to))| (component, to)).collect();
        match step {
            StepLabel::Event(event) => JointKey { event: Some(event.0), silent: None, to },
            StepLabel::Silent { component } => JointKey { event: None, silent: Some(component), to },
        }
    }

    /// Takes the step; `None` if it makes no sense.
    fn take(&self, state: &[u32]) -> Option<(StepLabel, Vec<u32>)> {
        let mut next = state.to_vec();
        for &(component, to) in &self.to {
            *next.get_mut(component as usize)? = to;
        }
        let step = match (self.event, self.silent) {
            (Some(event), None) => StepLabel::Event(EventId(event)),
            (None, Some(component)) => StepLabel::Silent { component },
            _ => return None,
        };
        Some((step, next))
    }

    /// The run that takes these steps; the position of the first step that makes no sense, if one does.
    pub fn run<'k>(
        initial: Vec<u32>,
        steps: impl IntoIterator<Item = &'k JointKey>,
        loop_from: Option<usize>,
    ) -> Result<Run, usize> {
        let mut run = Run { states: vec![initial], steps: Vec::new(), loop_from };
        for (position, key) in steps.into_iter().enumerate() {
            let before = run.states.last().map_or(&[][..], Vec::as_slice);
            let (step, next) = key.take(before).ok_or(position)?;
            run.steps.push(step);
            run.states.push(next);
        }
        Ok(run)
    }
}

/// A step of C components: who moves, and by which step of the procedure, or to which state of the process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MovesKey {
    /// Parts and their steps.
    pub moves: Vec<(u32, u32)>,
}
