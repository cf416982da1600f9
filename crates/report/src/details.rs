//! More about an answer, as JSON: channels with their bounds, cycles with their places, and what was refuted on the way.
//!
//! A channel has its six fields always, with `null` for what is not known, so that a script need not ask whether they
//! are there. Lists that are empty are left out of a result altogether: most properties have no channels and no cycles.

use crate::places::{At, Places};
use crate::stats::ExhibitsJson;
use certificate::ByName;
use model::source::Span;
use model::verdict::{ChannelVerdict, CycleVerdict, Details, UnreachedStatement};
use serde::Serialize;

/// The part of a result that comes from [`Details`].
#[derive(Serialize, Default)]
pub(crate) struct DetailsJson<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channels: Vec<ChannelJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycles: Vec<CycleJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    grows: &'a [String],
    #[serde(flatten)]
    exhibits: ExhibitsJson<'a>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    advice: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreached: Vec<UnreachedJson<'a>>,
}

/// Channels, cycles, refinements and advice.
pub(crate) fn details<'a>(details: &'a Details, places: &'a Places<'a>) -> DetailsJson<'a> {
    DetailsJson {
        channels: details.channels.iter().map(channel).collect(),
        cycles: details.cycles.iter().map(|one| cycle(one, places)).collect(),
        grows: &details.grows,
        exhibits: ExhibitsJson(Some((&details.exhibits, places))),
        advice: &details.advice,
        unreached: details.unreached.iter().map(|statement| unreached(statement, places)).collect(),
    }
}

#[derive(Serialize)]
struct ChannelJson<'a> {
    name: &'a str,
    verdict: &'static str,
    declared: Option<u32>,
    proved_at_most: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights_at_most: Option<u64>,
    reached: Option<u64>,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    gain: Option<i64>,
    messages: &'a [String],
    senders: &'a [String],
    receivers: &'a [String],
}

fn channel(channel: &ChannelVerdict) -> ChannelJson<'_> {
    ChannelJson {
        name: &channel.name,
        verdict: channel.state.name(),
        declared: channel.declared,
        proved_at_most: channel.proved_at_most,
        weights_at_most: channel.weights_at_most,
        reached: channel.reached,
        exact: channel.is_exact(),
        gain: channel.gain,
        messages: &channel.messages,
        senders: &channel.senders,
        receivers: &channel.receivers,
    }
}

#[derive(Serialize)]
struct CycleJson<'a> {
    process: &'a str,
    times: &'a str,
    statements: Vec<StatementJson<'a>>,
    effects: ByName<'a, i64>,
}

#[derive(Serialize)]
struct StatementJson<'a> {
    text: &'a str,
    at: Option<At<'a>>,
}

fn cycle<'a>(cycle: &'a CycleVerdict, places: &Places<'a>) -> CycleJson<'a> {
    let statement = |(text, span): &'a (String, Span)| StatementJson { text, at: places.at(*span) };
    CycleJson {
        process: &cycle.process,
        times: &cycle.times,
        statements: cycle.statements.iter().map(statement).collect(),
        effects: ByName(&cycle.effects),
    }
}

#[derive(Serialize)]
struct UnreachedJson<'a> {
    process: &'a str,
    state: u32,
    text: &'a str,
    at: Option<At<'a>>,
}

fn unreached<'a>(statement: &'a UnreachedStatement, places: &Places<'a>) -> UnreachedJson<'a> {
    let UnreachedStatement { process, state, span, text } = statement;
    UnreachedJson { process, state: *state, text, at: places.at(*span) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use model::verdict::Outcome;

    fn json(outcome: &Outcome) -> String {
        let sources = sample::sources();
        let places = Places::new(&sources);
        serde_json::to_string(&details(&outcome.details, &places)).unwrap().replace("},{", "},\n{")
    }

    #[test]
    fn channels_have_the_fields_of_the_contract() {
        insta::assert_snapshot!(json(&sample::bounded()), @r#"
        {"channels":[{"name":"q","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]},
        {"name":"log","verdict":"bounded","declared":null,"proved_at_most":1200,"reached":7,"exact":false,"messages":["req(1)","req(2)","req(3)","req(4)","ack","nak"],"senders":["P","Q"],"receivers":[]}],"refinements":[{"processes":["P[0]","Q[1]"],"cycles":3,"grows":["q"],"refined":["values of `x`"]},
        {"processes":["P[0]"],"cycles":1,"grows":["q","r"],"refined":["values of `y`","values of `P[0]:n`"]}],"advice":["`log` needs room for 1200 messages"]}
        "#);
        insta::assert_snapshot!(json(&sample::unbounded()), @r#"
        {"channels":[{"name":"q","verdict":"unbounded","declared":2,"proved_at_most":null,"reached":2,"exact":false,"gain":2,"messages":["req"],"senders":["P"],"receivers":["Q"]},
        {"name":"r","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]}]}
        "#);
    }

    #[test]
    fn cycles_have_statements_with_places_and_effects() {
        insta::assert_snapshot!(json(&sample::not_provable()), @r#"
        {"channels":[{"name":"q","verdict":"inconclusive","declared":2,"proved_at_most":null,"reached":2,"exact":false,"messages":["req"],"senders":["P"],"receivers":["Q"]},
        {"name":"r","verdict":"bounded","declared":2,"proved_at_most":2,"reached":2,"exact":true,"messages":["req"],"senders":["P"],"receivers":["Q"]}],"cycles":[{"process":"P[0]","times":"2","statements":[{"text":"c!ack","at":{"file":"models/hand.pml","line":11,"column":3}},
        {"text":"q!req(7)","at":{"file":"models/hand.pml","line":12,"column":3}}],"effects":{"q: req":1}},
        {"process":"Q[*]","times":"1","statements":[{"text":"c?ack","at":{"file":"models/hand.pml","line":16,"column":3}},
        {"text":"q?req(x)","at":{"file":"models/hand.pml","line":17,"column":3}}],"effects":{"q: req":-1,"processes of R":1}}],"grows":["processes of R","q"],"advice":["a loop of P sends without waiting: let it wait for an answer"]}
        "#);
    }

    #[test]
    fn what_is_empty_is_left_out() {
        assert_eq!(json(&sample::deadlock()), "{}");
    }
}
