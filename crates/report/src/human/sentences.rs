//! What was found, in one sentence.

use crate::chart::when;
use crate::document::ModelInfo;
use crate::style::{Style, clean, counted, duration, grouped};
use model::semantics::Reading;
use model::verdict::{Certificate, ChannelState, ChannelVerdict, Outcome, Property, Verdict};

/// What was found, for which reading, by whom, in what time. Where there are no channels, nothing is said of them.
pub(super) fn sentence(outcome: &Outcome, model: &ModelInfo, style: Style) -> String {
    let reading = if model.has_channels() { reading(outcome.reading) } else { "" };
    let (found, scope) = match &outcome.verdict {
        Verdict::Proved => (String::from(claim(outcome)) + width(outcome), scope(outcome)),
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

/// What holds when a property is proved.
fn claim(outcome: &Outcome) -> &'static str {
    let over_queues = matches!(&outcome.certificate, Some(Certificate::Queues(proof)) if proof.data.is_none());
    let with_data = matches!(&outcome.certificate, Some(Certificate::Queues(proof)) if proof.data.is_some());
    let composed = matches!(outcome.certificate, Some(Certificate::Composition(_) | Certificate::Components(_)));
    match &outcome.property {
        Property::Safety if matches!(outcome.certificate, Some(Certificate::Program(_))) => "no error is reached",
        Property::Safety if composed => "no component gets into an error",
        Property::Deadlock if composed => "nothing gets stuck",
        Property::Ltl(_) if composed => "the formula holds on every infinite run",
        Property::Safety if with_data => "no error is reached",
        Property::Deadlock if with_data => "nothing gets stuck",
        Property::Safety if over_queues => "no bad configuration is reached",
        Property::Deadlock if over_queues => "no machine waits in vain",
        Property::Safety => "no assertion fails, no run-time error",
        Property::Deadlock => "no invalid end state",
        Property::Boundedness => "every channel is bounded",
        Property::Livelock => "no endless run without progress",
        Property::Reception => "no machine is stuck before a message that it does not take",
        Property::Orphan => "no message is left over at the end",
        Property::Ltl(_) => "the formula holds on every run",
        Property::Never(_) => "no run matches the claim",
        Property::Acceptance => "no run passes through acceptance labels forever",
        Property::Trace(_) => "every run conforms",
        Property::Conformance(_) => "the procedure does nothing else",
        Property::Progress(_) => "the events happen again and again",
    }
}

/// A proof of the flow engine, or over the queues, is one for every capacity. (For boundedness that is what the question says already.)
fn width(outcome: &Outcome) -> &'static str {
    match (&outcome.property, &outcome.certificate) {
        (Property::Boundedness, _) => "",
        (_, Some(Certificate::Flow(_))) => ", for channels of any length",
        (_, Some(Certificate::Queues(proof))) if proof.data.is_some() => ", for channels of any length",
        _ => "",
    }
}

/// What a proof looked at.
fn scope(outcome: &Outcome) -> String {
    match &outcome.certificate {
        Some(Certificate::Explored { states: 1, .. }) => String::from("the only state"),
        Some(Certificate::Explored { states, .. }) => format!("all {}", counted(*states, "state", "states")),
        Some(Certificate::Product { states, fair, .. }) => {
            let fair = if *fair { "fair runs only, " } else { "" };
            format!("{fair}all {} with the claim", counted(*states, "state", "states"))
        }
        Some(Certificate::Searched { fair: true, .. }) => String::from("fair runs only, all states"),
        Some(Certificate::Searched { .. }) => String::from("all states up to the order of steps"),
        Some(Certificate::Queues(proof)) => counted(proof.entries.len() as u64, "control state", "control states"),
        Some(Certificate::Composition(_) | Certificate::Components(_)) => clean(&outcome.details.scope),
        Some(Certificate::Program(proof)) => {
            let held = proof.conditions.iter().filter(|(_, conditions)| !conditions.is_empty()).count();
            match held {
                0 => String::from("no invariant is needed"),
                held => format!("an invariant at {}", counted(held as u64, "location", "locations")),
            }
        }
        Some(Certificate::Flow(_)) | None => String::new(),
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
