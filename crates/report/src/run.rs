//! A run as JSON: the `witness` of an answer, and of a trace.
//!
//! A step is written twice over. For people and their scripts there is who moved, where, what happened,
//! what changed and what the channels hold; values are strings, written as in the source (`3`,
//! `ack`). For replay there is its key, which names processes and edges by number: it means
//! something only together with the very text of the model, which is why a trace has its hash.
//!
//! The names of fields differ between the kinds of runs, and are kept: the chart's form has them. Where it has no list
//! of moves, the fields of the first move are those of the step.
//!
//! A run may have millions of steps, so the structures borrow from it, and each step becomes JSON
//! only when its turn comes.

use crate::chart::stopped;
use crate::places::{At, Places};
use certificate::ByName;
use model::chart::{Awaited, Change, Chart, ChartStep, Contents, Gap, Input, Inputs, Lane, Move, Waits};
use model::source::Span;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The `witness` of an answer.
#[derive(Clone, Copy)]
pub(crate) struct WitnessJson<'a> {
    chart: &'a Chart,
    places: &'a Places<'a>,
}

/// A run as JSON.
pub(crate) fn witness<'a>(chart: &'a Chart, places: &'a Places<'a>) -> WitnessJson<'a> {
    WitnessJson { chart, places }
}

impl WitnessJson<'_> {
    fn at(&self, span: Option<Span>) -> Option<At<'_>> {
        span.and_then(|span| self.places.at(span))
    }

    /// What the lanes begin with: in a list of lanes, or else in the run itself.
    fn beginnings<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let lanes = &self.chart.lanes;
        if let Some(list) = self.chart.form.lanes {
            return map.serialize_entry(list, &List(lanes, |lane| LaneJson { lane, witness: *self }));
        }
        if lanes.iter().any(|lane| lane.initial.is_some()) {
            map.serialize_entry("initial", &List(lanes, |lane: &Lane| lane.initial))?;
        }
        match lanes.iter().find_map(|lane| lane.inputs.as_ref()) {
            Some(inputs) => self.inputs(map, inputs),
            None => Ok(()),
        }
    }

    fn inputs<M: SerializeMap>(&self, map: &mut M, inputs: &Inputs) -> Result<(), M::Error> {
        map.serialize_entry("inputs", &List(&inputs.values, |input| self.input(input)))?;
        map.serialize_entry("bits", &inputs.bits)
    }

    fn input<'b>(&'b self, input: &'b Input) -> InputJson<'b> {
        let Input { kind, routine, variable, value, span } = input;
        let at = self.places.at(*span).map(At::start);
        InputJson { kind, routine: routine.as_deref(), variable: variable.as_deref(), value, at }
    }

    /// Who moves: the name of the lane, and the number of a process.
    fn lane<M: SerializeMap>(&self, map: &mut M, key: &'static str, lane: Option<usize>) -> Result<(), M::Error> {
        let lane = lane.and_then(|lane| self.chart.lanes.get(lane));
        map.serialize_entry(key, &lane.map(|lane| &lane.name))?;
        if self.chart.form.processes {
            map.serialize_entry("instance", &lane.and_then(|lane| lane.instance))?;
        }
        Ok(())
    }

    /// What a lane does; remarks apart. Where states have names, there is nothing else to say.
    fn does<M: SerializeMap>(&self, map: &mut M, one: Option<&Move>) -> Result<(), M::Error> {
        if let Some((from, to)) = one.and_then(|one| one.states.as_ref()) {
            map.serialize_entry("from", from)?;
            return map.serialize_entry("to", to);
        }
        if let Some(does) = self.chart.form.does {
            map.serialize_entry(does, one.map_or("", |one| &one.does))?;
        }
        let changes = one.map_or(&[][..], |one| &one.changes);
        map.serialize_entry("changed", &ChangesJson(changes))
    }
}

impl Serialize for WitnessJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let chart = self.chart;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", chart.form.kind)?;
        map.serialize_entry("problem", &chart.problem)?;
        map.serialize_entry("problem_code", chart.problem_code)?;
        map.serialize_entry("problem_at", &self.at(chart.place()).map(At::start))?;
        unless_empty(&mut map, "remarks", &chart.remarks)?;
        self.beginnings(&mut map)?;
        map.serialize_entry("steps", &List(&chart.steps, |step| StepJson { step, witness: *self }))?;
        if let Some(Gap { after, steps }) = chart.gap {
            map.serialize_entry("gap", &GapJson { after, steps })?;
        }
        map.serialize_entry("loop_from", &chart.loop_from)?;
        if !chart.gains.is_empty() {
            map.serialize_entry("gains", &ByName(&chart.gains))?;
        }
        if !chart.waiting.is_empty() {
            map.serialize_entry("waiting", &List(&chart.waiting, |waits| WaitsJson { waits, witness: *self }))?;
        }
        if !chart.circle.is_empty() {
            map.serialize_entry("circle", &List(&chart.circle, |&lane: &usize| chart.lane_name(lane)))?;
        }
        map.end()
    }
}

/// A list, each entry made into JSON when its turn comes.
struct List<'a, T, F>(&'a [T], F);

impl<'a, T, J: Serialize, F: Fn(&'a T) -> J> Serialize for List<'a, T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(&self.1))
    }
}

fn unless_empty<M: SerializeMap>(map: &mut M, key: &'static str, list: &[String]) -> Result<(), M::Error> {
    if list.is_empty() { Ok(()) } else { map.serialize_entry(key, list) }
}

struct StepJson<'a> {
    step: &'a ChartStep,
    witness: WitnessJson<'a>,
}

impl Serialize for StepJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StepJson { step, witness } = self;
        let (form, first) = (witness.chart.form, step.moves.first());
        let mut map = serializer.serialize_map(None)?;
        match form.moves {
            Some(list) => {
                map.serialize_entry("event", &step.event)?;
                map.serialize_entry(list, &List(&step.moves, |one| MoveJson { one, witness: *witness, brief: false }))?;
                unless_empty(&mut map, "remarks", &step.remarks)?;
            }
            None => {
                witness.lane(&mut map, form.lane, first.map(|one| one.lane))?;
                map.serialize_entry("at", &witness.at(first.and_then(|one| one.span)))?;
                if let Some(one) = step.moves.get(1) {
                    map.serialize_entry("partner", &MoveJson { one, witness: *witness, brief: true })?;
                }
                if let Some(event) = &step.event {
                    map.serialize_entry("event", event)?;
                }
                witness.does(&mut map, first)?;
                if form.processes {
                    map.serialize_entry("channels", &ChannelsJson(&step.channels))?;
                    map.serialize_entry("atomic", &step.atomic)?;
                }
                let own = first.map_or(&[][..], |one| &one.remarks);
                unless_empty(&mut map, "remarks", &[own, &step.remarks].concat())?;
            }
        }
        if let Some(key) = &step.key {
            map.serialize_entry("step", key)?;
        }
        map.end()
    }
}

/// One of several who take part.
struct MoveJson<'a> {
    one: &'a Move,
    witness: WitnessJson<'a>,
    /// Of the receiver of a rendezvous, who it is and where is enough.
    brief: bool,
}

impl Serialize for MoveJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let MoveJson { one, witness, brief } = self;
        let mut map = serializer.serialize_map(None)?;
        witness.lane(&mut map, witness.chart.form.lane, Some(one.lane))?;
        if *brief || one.span.is_some() || one.states.is_none() {
            map.serialize_entry("at", &witness.at(one.span))?;
        }
        if !brief {
            witness.does(&mut map, Some(one))?;
            unless_empty(&mut map, "remarks", &one.remarks)?;
        }
        map.end()
    }
}

struct LaneJson<'a> {
    lane: &'a Lane,
    witness: WitnessJson<'a>,
}

impl Serialize for LaneJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let LaneJson { lane, witness } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &lane.name)?;
        if let Some(initial) = lane.initial {
            map.serialize_entry("initial", &initial)?;
        }
        if let Some(inputs) = &lane.inputs {
            witness.inputs(&mut map, inputs)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct InputJson<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    routine: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<&'a str>,
    value: &'a str,
    at: Option<At<'a>>,
}

#[derive(Serialize)]
struct GapJson {
    after: usize,
    steps: u64,
}

/// A lane at the end.
struct WaitsJson<'a> {
    waits: &'a Waits,
    witness: WitnessJson<'a>,
}

impl Serialize for WaitsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let WaitsJson { waits, witness } = self;
        let lane = if witness.chart.form.processes { witness.chart.form.lane } else { "component" };
        let mut map = serializer.serialize_map(None)?;
        witness.lane(&mut map, lane, Some(waits.lane))?;
        if let Some(state) = &waits.state {
            map.serialize_entry("state", state)?;
        }
        map.serialize_entry("at", &witness.at(waits.span).map(At::start))?;
        map.serialize_entry("done", &waits.done)?;
        map.serialize_entry("events", &List(&waits.events, |awaited| awaited_json(awaited, witness.chart)))?;
        if let Some(reason) = stopped(waits).filter(|_| witness.chart.stuck) {
            map.serialize_entry("reason", reason)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct AwaitedJson<'a> {
    event: &'a str,
    refused_by: Vec<RefuserJson<'a>>,
    #[serde(flatten)]
    blocked: Option<BlockedJson<'a>>,
}

/// Why a statement cannot be executed, and which lanes could change that.
#[derive(Serialize)]
struct BlockedJson<'a> {
    reason: &'a str,
    unblocked_by: Vec<String>,
}

#[derive(Serialize)]
struct RefuserJson<'a> {
    component: String,
    state: &'a str,
}

fn awaited_json<'a>(awaited: &'a Awaited, chart: &Chart) -> AwaitedJson<'a> {
    let refuser = |(lane, state): &'a (usize, String)| RefuserJson { component: chart.lane_name(*lane), state };
    let blocked = awaited.blocked.as_ref().map(|blocked| BlockedJson {
        reason: &blocked.why,
        unblocked_by: blocked.lanes.iter().map(|&lane| chart.lane_name(lane)).collect(),
    });
    AwaitedJson { event: &awaited.event, refused_by: awaited.refused_by.iter().map(refuser).collect(), blocked }
}

/// Variables and their new values, as an object.
pub(crate) struct ChangesJson<'a>(pub(crate) &'a [Change]);

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn json(chart: &Chart) -> String {
        let sources = sample::sources();
        serde_json::to_string(&witness(chart, &Places::new(&sources))).unwrap()
    }

    #[test]
    fn a_run_of_components_has_participants_and_who_waits() {
        insta::assert_snapshot!(json(&sample::joint()), @r#"{"kind":"joint-run","problem":"stuck","problem_code":"deadlock","problem_at":null,"initial":[0,0,0,0],"steps":[{"event":"go","participants":[{"component":"P","from":"IDLE","to":"BUSY"},{"component":"Q","from":"ON","to":"ON"}],"remarks":["`p` is true now"],"step":{"event":3,"to":[[0,1]]}},{"event":"tau","participants":[{"component":"Q","from":"ON","to":"OFF"}],"step":{"silent":1,"to":[[1,1]]}}],"loop_from":null,"waiting":[{"component":"P","state":"BUSY","at":null,"done":false,"events":[{"event":"a","refused_by":[{"component":"Q","state":"OFF"}]},{"event":"b","refused_by":[{"component":"Q","state":"OFF"}]}]},{"component":"R","state":"BUSY","at":null,"done":true,"events":[]},{"component":"S","state":"BUSY","at":null,"done":false,"events":[],"reason":"can do nothing any more"}],"circle":["P","Q"]}"#);
    }

    #[test]
    fn a_run_of_a_program_has_places_statements_changes_and_inputs() {
        insta::assert_snapshot!(json(&sample::program()), @r#"{"kind":"program-run","problem":"assertion violated","problem_code":"assertion","problem_at":{"file":"models/hand.pml","line":18,"column":3},"inputs":[{"kind":"nondet","routine":"read","value":"-3","at":{"file":"models/hand.pml","line":18,"column":3}}],"bits":[4294967293],"steps":[{"procedure":"main","at":{"file":"models/hand.pml","line":8,"column":5},"statement":"x = 1","changed":{"x":"1"}},{"procedure":"f","at":{"file":"models/hand.pml","line":18,"column":3},"statement":"assert(x == 0)","changed":{"f::n":"-3","p":"&a[1]"},"remarks":["`read` returned -3"]}],"loop_from":null}"#);
    }

    #[test]
    fn a_run_of_c_components_has_what_replay_needs() {
        insta::assert_snapshot!(json(&sample::components()), @r#"{"kind":"components-run","problem":"stuck","problem_code":"deadlock","problem_at":{"file":"models/hand.pml","line":12,"column":3},"parts":[{"name":"a","inputs":[],"bits":[5]},{"name":"b","inputs":[],"bits":[]},{"name":"L","initial":0}],"steps":[{"event":null,"moves":[{"part":"a","at":{"file":"models/hand.pml","line":8,"column":5},"does":"x = 1","changed":{"x":"1"}}],"step":{"moves":[[0,7]]}},{"event":null,"moves":[{"part":"a","at":{"file":"models/hand.pml","line":11,"column":3},"does":"c!ack","changed":{}}],"step":{"moves":[[0,7]]}},{"event":"take","moves":[{"part":"a","at":{"file":"models/hand.pml","line":12,"column":3},"does":"q!req(7)","changed":{}},{"part":"L","at":{"file":"models/hand.pml","line":16,"column":3},"does":"c?ack","changed":{}}],"step":{"moves":[[0,7],[2,7]]}}],"loop_from":null}"#);
    }

    #[test]
    fn steps_that_are_left_out_are_counted() {
        let long = Chart { gap: Some(Gap { after: 1, steps: 1_000 }), ..sample::program() };
        assert!(json(&long).contains(r#""gap":{"after":1,"steps":1000}"#), "{}", json(&long));
    }
}
