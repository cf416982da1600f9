//! Tables and documents of figures.

use super::*;
use crate::sample;
use model::semantics::Reading;
use model::verdict::{Property, Verdict};

fn shown(outcomes: &[Outcome]) -> String {
    tables(outcomes, &Places::new(&sample::sources()), Style::PLAIN)
}

fn json(outcome: &Outcome) -> String {
    let sources = sample::sources();
    serde_json::to_string(&stats_json(outcome, &Places::new(&sources))).unwrap()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| String::from(text)).collect()
}

#[test]
fn stats_of_one_search_share_a_row() {
    let deadlock = Outcome { property: Property::Deadlock, ..sample::outcome(Verdict::Proved) };
    let mut bounded = Outcome { property: Property::Boundedness, ..sample::outcome(Verdict::Proved) };
    bounded.reading = Reading::Unbounded;
    let outcomes = [sample::outcome(Verdict::Proved), deadlock, bounded];
    insta::assert_snapshot!(shown(&outcomes), @"
    search for        states  transitions  depth  bytes/state   memory  states/s
    safety, deadlock  10 052       30 127     41         24.0  1.5 MiB   814 586
    boundedness       10 052       30 127     41         24.0  1.5 MiB   814 586
    ");
}

#[test]
fn figures_and_exhibits_of_an_engine_are_tables() {
    insta::assert_snapshot!(shown(&[sample::bounded()]), @"
    flow for     instances  points  transitions  counterexamples
    boundedness          2      41        1 077                2

    combinations of cycles on the way, for boundedness
      processes   cycles  would add to  refined
      P[0]; Q[1]  3       q             values of `x`
      P[0]        1       q; r          values of `y`
                                        values of `P[0]:n`
    ");
}

#[test]
fn figures_of_two_engines_are_one_object() {
    let mut outcome = sample::not_provable();
    outcome.stats = Some(sample::stats());
    outcome.details.sheets[0].push("cycles", "cycles", 12_000);
    insta::assert_snapshot!(json(&outcome), @r#"{"states":10052,"transitions":30127,"depth":41,"state_bytes":241248,"memory_bytes":1572864,"violations":0,"instances":2,"points":41,"abstract_transitions":1077,"counterexamples":2,"cycles":12000}"#);
}

#[test]
fn every_unit_has_its_text_and_its_number() {
    let mut outcome = Outcome { stats: None, ..sample::outcome(Verdict::Proved) };
    let mut sheet = Sheet::new("all for")
        .with("method", "answered by", String::from("abstract interpretation, ρ forward"))
        .with("classes", "classes", Value::Counts((1..=10).collect()))
        .with("memory_bytes", "memory", Value::Bytes(1_572_864))
        .with("search_ms", "search", Duration::from_micros(12_340))
        .with("check_ms", "check", Duration::ZERO)
        .with("checked_by", "checked by", String::new())
        .with("automaton_states", "", 0);
    sheet.set("checked_by", String::from("the embedded solver"));
    outcome.details.sheets = vec![sheet];
    insta::assert_snapshot!(shown(std::slice::from_ref(&outcome)), @"
    all for  answered by                           classes                                    memory  search  checked by
    safety   abstract interpretation, rho forward  1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + ... = 55  1.5 MiB   12 ms  the embedded solver
    ");
    insta::assert_snapshot!(json(&outcome), @r#"{"method":"abstract interpretation, ρ forward","classes":[1,2,3,4,5,6,7,8,9,10],"memory_bytes":1572864,"search_ms":12.3,"check_ms":0.0,"checked_by":"the embedded solver","automaton_states":0}"#);
}

#[test]
fn lists_of_records_have_rows_of_their_own() {
    let (here, there) = (sample::span("x = 1"), sample::span("c!ack"));
    let place = |span, predicates: &[&str]| {
        Datum::Record(vec![
            Field::new("at", "place", Datum::Place(Some(span))),
            Field::new("predicates", "predicates", Datum::texts(&texts(predicates))),
        ])
    };
    let row = Datum::Record(vec![
        Field::new("part", "part", Datum::Text(String::from("client"))),
        Field::new("states", "states", Datum::Count(1_040)),
        Field::new("events", "events", Datum::List(Vec::new())),
        Field::new("predicates", "predicates", Datum::List(vec![place(here, &["x == 1", "y"]), place(there, &["y"])])),
    ]);
    let lines = vec![Datum::Text(String::from("i < n"))];
    let mut outcome = Outcome { stats: None, ..sample::outcome(Verdict::Proved) };
    outcome.details.exhibits = vec![
        Exhibit { key: "procedures", title: "what the proof needs", in_stats: true, rows: vec![row] },
        Exhibit { key: "predicates", title: "the predicates", in_stats: true, rows: lines },
        Exhibit { key: "invariant", title: "not there", in_stats: true, rows: Vec::new() },
    ];
    insta::assert_snapshot!(shown(std::slice::from_ref(&outcome)), @"
    what the proof needs, for safety
      part    states  events  place        predicates
      client  1 040   -       hand.pml:8   x == 1
                                           y
                              hand.pml:11  y

    the predicates, for safety
      i < n
    ");
    insta::assert_snapshot!(json(&outcome), @r#"{"procedures":[{"part":"client","states":1040,"events":[],"predicates":[{"at":{"file":"models/hand.pml","line":8,"column":5},"predicates":["x == 1","y"]},{"at":{"file":"models/hand.pml","line":11,"column":3},"predicates":["y"]}]}],"predicates":["i < n"]}"#);
}

#[test]
fn of_very_many_rows_some_are_left_out() {
    let mut outcome = sample::bounded();
    let rows = (0..200).map(|n: u32| Datum::Text(n.to_string())).collect();
    outcome.details.exhibits = vec![Exhibit { rows, ..sample::refinements() }];
    let text = shown(&[outcome]);
    assert!(text.ends_with("... and 140 more rows; --format json has all\n"), "{text}");
}

#[test]
fn where_nothing_was_counted_there_is_nothing() {
    let mut outcome = sample::deadlock();
    outcome.stats = None;
    assert_eq!(json(&outcome), "{}");
    assert_eq!(shown(&[outcome]), "");
}
