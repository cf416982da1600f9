//! `[] !P@l` with channels of any length: proved by weights where a search would never end, and accepted by the checker.

use highwater::settings::{Channels, Settings};
use highwater::{Check, Model, Verdict};

/// A server that answers each request once, and then does something else; with another process beside them.
fn model(extra: &str, other: &str) -> Model {
    let text = format!(
        "mtype = {{ req, ack }}; chan up = [1] of {{ mtype }}, down = [1] of {{ mtype }}, log = [1] of {{ byte }};
         active proctype Client() {{
             idle: do
             :: down?ack -> unexpected: skip
             :: up!req; if :: down?ack :: down?req -> wrong: skip fi
             od
         }}
         active proctype Server() {{ do :: up?req -> down!ack{extra} od }}
         {other}
         ltl never_wrong {{ [] !(Client@wrong || Client@unexpected) }}"
    );
    Model::from_text("model.pml", &text).expect("a model")
}

/// A search never ends.
const FLOOD: &str = "active proctype Log() { do :: log!1 od }";

fn check(model: &Model) -> highwater::Report {
    let settings = Settings { channels: Channels::Unbounded, ..Settings::default() };
    let check = Check::new(model).settings(settings).property("ltl:never_wrong").expect("a property");
    check.timeout(std::time::Duration::from_secs(10)).run().expect("a report")
}

#[test]
fn a_place_that_no_process_comes_to_is_proved_by_weights() {
    let once = model("", FLOOD);
    let report = check(&once);
    let finding = report.finding("ltl:never_wrong").expect("a finding");
    assert_eq!((finding.verdict(), finding.engine()), (Verdict::Proved, Some("flow")));
    let certificate = finding.certificate().expect("a certificate");
    assert!(once.verify(&certificate).expect("a document").is_accepted());
    // The same proof is none for a server that answers twice.
    let twice = model("; down!ack", FLOOD);
    let other = certificate.replace(once.sha256(), twice.sha256());
    assert!(!twice.verify(&other).is_ok_and(|verified| verified.is_accepted()));
}

#[test]
fn a_place_that_a_process_comes_to_is_reached_by_a_run() {
    for extra in ["; down!ack", "; down!req"] {
        let report = check(&model(extra, ""));
        let finding = report.finding("ltl:never_wrong").expect("a finding");
        assert_eq!(finding.verdict(), Verdict::Violated, "{extra}");
    }
}
