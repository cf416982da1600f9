//! Systems that were written before the rules were known (`data/before_the_rules.txt`): what the flow engine proves of them is
//! accepted, is never less than the truth, and is enough for most of those that are bounded.

use crate::support::known::{Known, Outcome};

/// Processes follow each other, and may all wait for the youngest to end: there are states without end.
const LARGE: &[&str] = &["session-one-at-a-time", "session-two-slots", "session-clients-created-and-awaited"];

fn systems() -> Vec<Known> {
    let mut found: Vec<Known> = Vec::new();
    for line in include_str!("data/before_the_rules.txt").lines() {
        if let Some(head) = line.strip_prefix("## ") {
            let (name, _) = head.split_once(": ").unwrap();
            found.push(Known::new(name, LARGE.contains(&name), std::iter::empty()));
            continue;
        }
        let Some(system) = found.last_mut() else { continue };
        match line.strip_prefix("answer: ") {
            Some(answer) => {
                let entries = answer.split(' ').map(|entry| entry.split_once('=').unwrap());
                system.truth = Known::new(&system.name, system.large, entries).truth;
            }
            None => system.text += &format!("{line}\n"),
        }
    }
    found
}

#[test]
fn a_search_confirms_the_answers() {
    let different: Vec<String> = systems().iter().flat_map(Known::unconfirmed).collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Bounded systems of which flow alone proves nothing, or does not bound every channel.
const OPEN: &[&str] = &[
    "reqrep-cancel",
    "reqrep-data-eof",
    "retry-with-timeout",
    "barrier-global-counter",
    "altbit-duplicates-filtered",
    "backpressure-empty-only",
    "backpressure-sum",
    "pipeline-expands",
    "timer-start-fire-stop",
    "priority-process",
    "wrap-byte-difference",
    "reset-drains-queue",
    "misc-provided",
];

/// Bounded systems whose bounds flow alone does not prove exactly.
const LOOSE: &[&str] = &[
    "credit-grant-varies",
    "pool-scatter-gather",
    "fanout-one-ack-queue",
    "barrier-coordinator",
    "session-own-channel",
    "election-ring-max",
    "election-terms",
    "flag-three-phases",
    "flag-two-producers-race",
    "flag-peterson",
    "log-compaction-writes-back",
    "twopc-two-participants",
    "atomic-transfer",
    "reset-by-message",
    "reset-unless",
];

#[test]
fn most_are_proved_by_flow_alone_and_none_is_wrong() {
    let systems = systems();
    let bounded = systems.iter().filter(|system| system.is_bounded()).count();
    assert_eq!((systems.len(), bounded), (200, 140));
    let (mut open, mut loose) = (Vec::new(), Vec::new());
    for system in &systems {
        match system.by_flow() {
            _ if !system.is_bounded() => {}
            Outcome::Open => open.push(system.name.as_str()),
            Outcome::Proved(missing) if missing.iter().any(|what| what.ends_with("no bound")) => {
                open.push(&system.name)
            }
            Outcome::Proved(missing) if !missing.is_empty() => loose.push(system.name.as_str()),
            Outcome::Proved(_) => {}
        }
    }
    assert_eq!(open, OPEN);
    assert_eq!(loose, LOOSE);
    assert!(100 * (bounded - OPEN.len()) >= 85 * bounded, "{} of {bounded} are open", OPEN.len());
}
