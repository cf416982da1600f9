//! What was found, in one sentence.

use crate::chart::when;
use crate::document::ModelInfo;
use crate::style::{Style, clean, counted, duration, grouped};
use model::semantics::Reading;
use model::verdict::{Certificate, ChannelState, ChannelVerdict, Outcome, Verdict};

/// What was found, for which reading, by whom, in what time. Where there are no channels, nothing is said of them.
pub(super) fn sentence(outcome: &Outcome, model: &ModelInfo, style: Style) -> String {
    let reading = if model.has_channels() { reading(outcome.reading) } else { "" };
    let (found, scope) = match &outcome.verdict {
        Verdict::Proved => (claim(outcome), scope(outcome)),
        Verdict::Violated => (finding(outcome), String::new()),
        Verdict::Inconclusive(reason) => {
            let reached = outcome
                .stats
                .as_ref()
                .map_or_else(String::new, |stats| format!(" after {}", counted(stats.states, "state", "states")));
            let known = share(&outcome.details.channels);
            (format!("{}{known}{reached}", clean(&reason.to_string())), String::new())
        }
        Verdict::Vacuous(why) => (clean(why), String::new()),
    };
    let about: Vec<&str> = [scope.as_str(), reading].into_iter().filter(|part| !part.is_empty()).collect();
    let about = if about.is_empty() { String::new() } else { format!(" {} {}", style.dash(), about.join(", ")) };
    format!("{found}{about} ({}, {})", outcome.engine, duration(outcome.time))
}

/// What holds when a property is proved. A proof for every capacity says so.
fn claim(outcome: &Outcome) -> String {
    let Some(certificate) = &outcome.certificate else { return String::from(outcome.property.statement()) };
    let any = if certificate.is_for_any_capacity(&outcome.property) { ", for channels of any length" } else { "" };
    // What the engine for queues lists are configurations of machines, and it says of them what its invariants say.
    let is_list = outcome.engine == "fifo" && matches!(certificate, Certificate::Explored { .. });
    let certificate = if is_list { &Certificate::Queues(Box::default()) } else { certificate };
    format!("{}{any}", certificate.statement(&outcome.property))
}

/// What a proof examined.
fn scope(outcome: &Outcome) -> String {
    match outcome.details.scope.is_empty() {
        true => outcome.certificate.as_ref().map(Certificate::scope).unwrap_or_default(),
        false => clean(&outcome.details.scope),
    }
}

/// How many of the channels are known to be bounded, where not all are.
fn share(channels: &[ChannelVerdict]) -> String {
    let bounded = channels.iter().filter(|channel| channel.state == ChannelState::Bounded).count();
    if bounded == 0 {
        return String::new();
    }
    let (bounded, all) = (grouped(bounded as u64), counted(channels.len() as u64, "channel", "channels"));
    format!("; {bounded} of {all} proved bounded")
}

fn reading(reading: Reading) -> &'static str {
    match reading {
        Reading::Declared => "channels as declared",
        Reading::Unbounded => "channels without bounds",
        Reading::Drop => "full channels lose messages",
    }
}

/// What was found when a property is violated.
pub(super) fn finding(outcome: &Outcome) -> String {
    let Some(witness) = &outcome.witness else { return String::from("violated, without a run") };
    let stuck = witness.waiting.iter().filter(|waits| !waits.done).count();
    let what = match stuck {
        stuck if stuck > 0 && witness.stuck && witness.form.processes => {
            counted(stuck as u64, "process is stuck", "processes are stuck")
        }
        _ => clean(&witness.problem) + ",",
    };
    let more = outcome.stats.as_ref().map_or(0, |stats| stats.violations);
    let more = if more > 1 { format!(", {} in all", counted(more, "violation", "violations")) } else { String::new() };
    format!("{what} {}{more}", when(witness))
}
