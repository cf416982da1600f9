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

#[test]
fn beyond_a_limit_of_the_lowering_nothing_is_proved() {
    // A third request for one timer while two are outstanding; what follows in the code counts, too.
    let third = |rest: &str| {
        let text = format!(
            "capsule Top {{ [[rt::decl]] `int n = 0; RTTimerId tid;` behavior port t : Timing; statemachine {{ state S, U;
             initial -> S `tid = t.informIn(1); tid = t.informIn(1); {rest} if (tid.isValid()) {{ n = 1; }}`;
             S -> S on t.timeout when `n == 0`; S -> U on t.timeout when `n == 1 && n == 0`; }}; }};"
        );
        Model::from_text("m.art", &text).unwrap()
    };
    let (reached, missed) = (third("tid = t.informIn(1);"), third(""));
    for property in ["unexpected", "safety", "boundedness", "quiescence", "ltl:[] !Top@U"] {
        let check = Check::new(&reached).timeout(std::time::Duration::from_millis(500));
        let report = check.property(property).unwrap().run().unwrap();
        let finding = report.findings().next().unwrap();
        assert!(matches!(finding.verdict(), Verdict::Inconclusive | Verdict::Violated), "{property}");
    }
    assert_eq!(verdict(&missed, "unexpected"), Verdict::Violated);
    assert_eq!(verdict(&missed, "boundedness"), Verdict::Proved);
    assert_eq!(verdict(&missed, "ltl:[] !Top@U"), Verdict::Proved);
}

#[test]
fn a_question_is_named_as_it_was_asked() {
    let model = capsule("int x = 1;");
    let report = Check::new(&model).property("stuck-choice,quiescence(Top@S)").unwrap().run().unwrap();
    let names: Vec<String> = report.findings().map(|finding| finding.property().to_string()).collect();
    assert_eq!(names, ["stuck-choice", "quiescence(Top@S)"]);
    assert!(
        report.certificates().contains("\"property\":\"stuck-choice\"")
            || report.certificates().contains("\"property\": \"stuck-choice\"")
    );
}
