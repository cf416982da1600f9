//! A run as JSON: the `witness` of an answer, and of a trace.
//!
//! A step is written twice over. For people and their scripts there is who moved, where, what happened,
//! what changed and what the channels hold; values are strings, written as in the source (`3`,
//! `ack`). For replay there is a [`StepCode`], which names processes and edges by number: it means
//! something only together with the very text of the model, which is why a trace has its hash.
//!
//! A run with a loop says where that starts, and what one round of it adds to each channel that grows.
//!
//! A run may have millions of steps, so the structures borrow from it, and each step becomes JSON
//! only when its turn comes.

use crate::by_name::ByName;
use crate::places::{At, Places};
use model::ids::EdgeId;
use model::semantics::Step;
use model::verdict::{Actor, Change, Contents, Witness, WitnessStep};
use serde::{Deserialize, Serialize, Serializer};

/// The `witness` of an answer.
#[derive(Serialize)]
pub(crate) struct WitnessJson<'a> {
    kind: &'static str,
    problem: &'a str,
    problem_code: &'static str,
    problem_at: Option<At<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
    steps: StepsJson<'a>,
    loop_from: Option<usize>,
    #[serde(skip_serializing_if = "ByName::is_empty")]
    gains: ByName<'a, i64>,
}

/// A run as JSON.
pub(crate) fn witness<'a>(witness: &'a Witness, places: &'a Places<'a>) -> WitnessJson<'a> {
    WitnessJson {
        kind: "run",
        problem: &witness.problem,
        problem_code: witness.problem_code,
        problem_at: witness.problem_span.and_then(|span| places.at(span)).map(At::start),
        remarks: &witness.remarks,
        steps: StepsJson { steps: &witness.steps, places },
        loop_from: witness.loop_from,
        gains: ByName(&witness.gains),
    }
}

/// The steps of a run, each made into JSON when its turn comes.
struct StepsJson<'a> {
    steps: &'a [WitnessStep],
    places: &'a Places<'a>,
}

impl Serialize for StepsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.steps.iter().map(|step| step_json(step, self.places)))
    }
}

#[derive(Serialize)]
struct StepJson<'a> {
    process: Option<&'a str>,
    instance: Option<u32>,
    at: Option<At<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partner: Option<ActorJson<'a>>,
    event: &'a str,
    changed: ChangesJson<'a>,
    channels: ChannelsJson<'a>,
    atomic: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
    step: StepCode,
}

#[derive(Serialize)]
struct ActorJson<'a> {
    process: &'a str,
    instance: u32,
    at: Option<At<'a>>,
}

fn step_json<'a>(step: &'a WitnessStep, places: &Places<'a>) -> StepJson<'a> {
    StepJson {
        process: step.actor.as_ref().map(|actor| actor.name.as_str()),
        instance: step.actor.as_ref().map(|actor| actor.instance),
        at: step.actor.as_ref().and_then(|actor| places.at(actor.span)),
        partner: step.partner.as_ref().map(|partner| actor_json(partner, places)),
        event: &step.event,
        changed: ChangesJson(&step.changes),
        channels: ChannelsJson(&step.channels),
        atomic: step.atomic,
        remarks: &step.remarks,
        step: StepCode::from(step.step),
    }
}

fn actor_json<'a>(actor: &'a Actor, places: &Places<'a>) -> ActorJson<'a> {
    ActorJson { process: &actor.name, instance: actor.instance, at: places.at(actor.span) }
}

struct ChangesJson<'a>(&'a [Change]);

impl Serialize for ChangesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|change| (&change.name, &change.value)))
    }
}

struct ChannelsJson<'a>(&'a [Contents]);

impl Serialize for ChannelsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|contents| (&contents.channel, &contents.messages)))
    }
}

/// A step for replay: `{"edge":[0,3]}`, `{"rendezvous":[[0,3],[1,2]]}`, `{"loss":[0,1]}`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StepCode {
    /// The process and its edge.
    Edge(u32, u32),
    /// The sender and its edge, the receiver and its edge.
    Rendezvous((u32, u32), (u32, u32)),
    /// The queue and the position of the message.
    Loss(u32, u32),
}

impl From<Step> for StepCode {
    fn from(step: Step) -> Self {
        match step {
            Step::Edge { process, edge } => StepCode::Edge(process, edge.0),
            Step::Rendezvous { sender, receiver } => {
                StepCode::Rendezvous((sender.0, sender.1.0), (receiver.0, receiver.1.0))
            }
            Step::Loss { queue, position } => StepCode::Loss(queue, position),
        }
    }
}

impl From<StepCode> for Step {
    fn from(code: StepCode) -> Self {
        match code {
            StepCode::Edge(process, edge) => Step::Edge { process, edge: EdgeId(edge) },
            StepCode::Rendezvous(sender, receiver) => {
                Step::Rendezvous { sender: (sender.0, EdgeId(sender.1)), receiver: (receiver.0, EdgeId(receiver.1)) }
            }
            StepCode::Loss(queue, position) => Step::Loss { queue, position },
        }
    }
}
