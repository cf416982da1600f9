//! UML-RT: a guess is neither a violation nor a proof that something goes on.

use highwater::{Check, Model, Verdict};

fn verdict(model: &Model, property: &str) -> Verdict {
    let report = Check::new(model).property(property).unwrap().run().unwrap();
    let finding = report.findings().next().unwrap_or_else(|| panic!("no result for {property}"));
    finding.verdict()
}

fn capsule(code: &str) -> Model {
    let text = format!("capsule Top {{ statemachine {{ state S; initial -> S `{code}`; }}; }};");
    Model::from_text("m.art", &text).unwrap()
}

#[test]
fn a_run_that_depends_on_a_guess_is_possible_only() {
    let guessed = capsule("if (isReady()) { assert(false); }");
    assert_eq!(verdict(&guessed, "safety"), Verdict::Inconclusive);
    let certain = capsule("assert(false); if (isReady()) { int x = 1; }");
    assert_eq!(verdict(&certain, "safety"), Verdict::Violated);
}

#[test]
fn a_model_that_guesses_proves_what_never_happens_and_not_what_goes_on() {
    let model = capsule("if (isReady()) { int x = 1; }");
    for property in ["safety", "boundedness", "stuck-choice"] {
        assert_eq!(verdict(&model, property), Verdict::Proved, "{property}");
    }
    assert_eq!(verdict(&model, "deadlock"), Verdict::Inconclusive);
    assert_eq!(verdict(&model, "ltl:<> Top@S"), Verdict::Inconclusive);
    assert_eq!(verdict(&capsule("int x = 1;"), "deadlock"), Verdict::Proved);
}

/// A client that sends at start, and a server that takes.
fn client(code: &str) -> Model {
    let text = format!(
        "protocol P {{ out m(); }};
         capsule Client {{ service behavior port p : P; statemachine {{ state S; initial -> S `{code}`; }}; }};
         capsule Server {{ service behavior port p~ : P; statemachine {{ state S; initial -> S; S -> S on p.m; }}; }};
         capsule Top {{ part client : Client, server : Server; connect client.p with server.p;
                        statemachine {{ state S; initial -> S; }}; }};"
    );
    Model::from_text("m.art", &text).unwrap()
}

#[test]
fn a_length_that_a_guess_reaches_is_a_bound_and_not_an_exact_one() {
    let server = |code: &str| {
        let model = client(code);
        let report = Check::new(&model).property("boundedness").unwrap().run().unwrap();
        let channels = report.finding("boundedness").unwrap().channels();
        let server = channels.into_iter().find(|channel| channel.name.contains("server")).unwrap();
        (server.at_most, server.reached, server.is_exact())
    };
    assert_eq!(server("p.m().send(); p.m().send();"), (Some(2), Some(2), true));
    assert_eq!(server("p.m().send(); if (isReady()) { p.m().send(); }"), (Some(2), None, false));
}
