//! What is read back, and what is refused.

use super::*;
use crate::json::{write_certificates, write_check, write_trace};
use crate::sample;
use model::chart::{Chart, JointKey, NetworkKey, StepKey};
use model::semantics::Step;
use model::verdict::{Certificate, Outcome, Property, Verdict};

fn trace_text(outcome: &Outcome) -> String {
    let mut out = Vec::new();
    write_trace(&mut out, &sample::model(), outcome, &sample::sources()).unwrap();
    String::from_utf8(out).unwrap()
}

fn check_text(outcomes: Vec<Outcome>) -> String {
    let mut out = Vec::new();
    write_check(&mut out, &sample::document(&sample::sources(), outcomes)).unwrap();
    String::from_utf8(out).unwrap()
}

fn message(text: &str) -> String {
    parse_trace(text).unwrap_err().to_string()
}

fn steps(trace: &Trace) -> Vec<Step> {
    let of = |key: &StepKey| if let StepKey::Network(key) = key { Some(Step::from(*key)) } else { None };
    trace.keys(of).unwrap()
}

#[test]
fn a_trace_that_was_written_is_read_back_with_the_same_steps() {
    let mut outcome = sample::outcome(Verdict::Violated);
    let run = outcome.witness.as_mut().unwrap();
    run.steps[4].key = Some(StepKey::Network(NetworkKey::Loss(0, 1)));
    run.loop_from = Some(2);
    outcome.reading = Reading::Drop;
    let expected: Vec<Step> = sample::keys(run);
    let trace = parse_trace(&trace_text(&outcome)).unwrap();
    assert_eq!(steps(&trace), expected);
    assert_eq!((trace.reading, trace.loop_from, trace.property.as_str()), (Reading::Drop, Some(2), "safety"));
    assert_eq!((trace.sha256.as_str(), trace.defines), ("9f86d081884c7d65", vec![String::from("N=3")]));
    assert_eq!(trace.problem_code.as_deref(), Some("assertion"));
}

/// A trace of a run, written and read.
fn read_back(run: Chart) -> Trace {
    let outcome = Outcome { witness: Some(run), ..sample::outcome(Verdict::Violated) };
    parse_trace(&trace_text(&outcome)).unwrap()
}

#[test]
fn runs_of_all_kinds_are_read_back_with_what_replay_needs() {
    let keys = |trace: &Trace| trace.keys(|key| Some(key.clone())).unwrap();
    let written = |run: &Chart| run.steps.iter().filter_map(|step| step.key.clone()).collect::<Vec<_>>();
    let run = Chart { loop_from: Some(1), ..sample::joint() };
    let trace = read_back(run.clone());
    assert_eq!((keys(&trace), trace.kind.as_str(), trace.loop_from), (written(&run), "joint-run", Some(1)));
    assert_eq!(trace.initial, Some(vec![0; 4]));
    let joint = trace.keys(|key| if let StepKey::Joint(key) = key { Some(key.clone()) } else { None }).unwrap();
    let states = JointKey::run(vec![0, 0], &joint, None).unwrap().states;
    assert_eq!(states, [vec![0, 0], vec![1, 0], vec![1, 1]]);
    assert_eq!(JointKey::run(Vec::new(), &joint, None), Err(0));
    let none = trace.keys(|key| if let StepKey::Network(key) = key { Some(*key) } else { None });
    assert!(none.unwrap_err().to_string().starts_with("the field `witness.steps[0].step` is `another thing`"));
    let run = sample::components();
    let trace = read_back(run.clone());
    assert_eq!((keys(&trace), trace.kind.as_str()), (written(&run), "components-run"));
    assert_eq!(trace.lanes.iter().map(|lane| lane.initial).collect::<Vec<_>>(), [None, None, Some(0)]);
    assert_eq!(trace.lanes[0].bits, Some(vec![5]));
    let trace = read_back(sample::program());
    assert_eq!((trace.bits, trace.steps.len(), trace.kind.as_str()), (Some(vec![0xffff_fffd]), 2, "program-run"));
}

#[test]
fn the_first_run_of_a_check_document_is_a_trace_too() {
    let proved = Outcome { property: Property::Boundedness, ..sample::outcome(Verdict::Proved) };
    let text = check_text(vec![proved.clone()]) + &check_text(vec![proved, sample::deadlock()]);
    let trace = parse_trace(&text).unwrap();
    assert_eq!(trace.property, "deadlock");
    assert_eq!(steps(&trace), [sample::edge(0, 0), sample::edge(0, 1)]);
}

#[test]
fn certificates_that_were_written_are_read_back() {
    let outcome = sample::outcome(Verdict::Proved);
    let mut out = Vec::new();
    write_certificates(&mut out, &sample::model(), std::slice::from_ref(&outcome)).unwrap();
    let read = parse_certificate(&String::from_utf8(out).unwrap()).unwrap();
    assert_eq!(Some(&read.claims[0].certificate), outcome.certificate.as_ref());
    assert_eq!((read.claims[0].property.as_str(), read.claims[0].reading), ("safety", Reading::Declared));
    assert_eq!(read.sha256, sample::model().sha256);
}

fn certificates_text(outcomes: &[Outcome]) -> String {
    let mut out = Vec::new();
    write_certificates(&mut out, &sample::model(), outcomes).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_proof_of_the_flow_engine_and_the_longest_queues_are_read_back() {
    let mut explored = sample::outcome(Verdict::Proved);
    if let Some(Certificate::Explored { longest, .. }) = &mut explored.certificate {
        *longest = vec![(String::from("q"), 2), (String::from("P[2]:c"), 0)];
    }
    let outcomes = [sample::bounded(), explored];
    let read = parse_certificate(&certificates_text(&outcomes)).unwrap();
    for (claim, outcome) in read.claims.iter().zip(&outcomes) {
        assert_eq!(Some(&claim.certificate), outcome.certificate.as_ref());
    }
    assert_eq!((read.claims[0].property.as_str(), read.claims[0].reading), ("boundedness", Reading::Unbounded));
}

#[test]
fn a_certificate_that_cannot_be_used_says_which_field_is_wrong() {
    let good = certificates_text(&[sample::bounded()]);
    let message = |text: &str| parse_certificate(text).unwrap_err().to_string();
    assert_eq!(message(&good.replace("\"proof\"", "\"reef\"")), "the field `certificates[0].proof` is missing");
    assert_eq!(
        message(&good.replace("\"ranking\"", "\"rank\"")),
        "the field `certificates[0].proof.ranking` is missing"
    );
    assert_eq!(
        message(&good.replace("\"then\":0", "\"then\":1")),
        "the field `certificates[0].proof.ranking[1].lose.then` is `1`, expected the number of an earlier stage to \
         which no other leads"
    );
    assert_eq!(
        message(&good.replace("flow-weights", "oracle")),
        "the field `certificates[0].kind` is `oracle`, expected `explored-states`, `explored-product`, `searched`, \
         `flow-weights`, `queue-invariant`, `queue-counts`, `queue-parts`, `queue-ranking`, `partitions`, `program-invariant` or `predicate-abstraction`"
    );
}

#[test]
fn a_run_that_nobody_asked_for_comes_last() {
    let text = check_text(vec![sample::advisory(sample::unbounded()), sample::deadlock()]);
    assert_eq!(parse_trace(&text).unwrap().property, "deadlock");
    let text = check_text(vec![sample::advisory(sample::unbounded())]);
    assert_eq!(parse_trace(&text).unwrap().loop_from, Some(2));
}

#[test]
fn a_document_that_cannot_be_used_says_what_is_missing() {
    let good = trace_text(&sample::outcome(Verdict::Violated));
    assert_eq!(message(" "), "not a Highwater document: the file is empty");
    assert_eq!(message("{}"), "the field `schema` is missing");
    assert_eq!(message(&good.replace("\"sha256\"", "\"md5\"")), "the field `model.sha256` is missing");
    assert_eq!(message(&good.replace("\"step\"", "\"stop\"")), "the field `witness.steps[0].step` is missing");
    assert_eq!(
        message(&good.replace("\"declared\"", "\"guessed\"")),
        "the field `reading` is `guessed`, expected `declared`, `unbounded` or `drop`"
    );
    assert_eq!(
        message(&good.replace("trace/1", "trace/9")),
        "the field `schema` is `highwater-trace/9`, expected `highwater-trace/1` or `highwater/1`"
    );
    assert_eq!(
        message(&check_text(vec![sample::outcome(Verdict::Proved)])),
        "no result of the document has a run (`witness`): nothing is violated"
    );
}

#[test]
fn what_is_not_json_is_refused_with_the_line() {
    assert!(message("never { }").contains("line 1 column"), "{}", message("never { }"));
    assert!(message("7").contains("an object with a field `schema`"), "{}", message("7"));
    assert!(parse_trace(&"[".repeat(100_000)).is_err());
    let good = trace_text(&sample::outcome(Verdict::Violated));
    for end in 0..good.trim_end().len() {
        assert!(parse_trace(&good[..end]).is_err());
    }
}

#[test]
fn an_invariant_over_queues_is_read_back() {
    use model::queue_proof::{QueueAutomaton, QueueEntry, QueueProof};
    let automaton = QueueAutomaton { accepting: vec![0], edges: vec![vec![(1, 1)], vec![(0, 0)]] };
    let entries = vec![QueueEntry { control: vec![0, 2], automaton: 0 }];
    let bad = vec![String::from("p@1 with a")];
    let proof = QueueProof { bad, automata: vec![automaton], entries, ..QueueProof::default() };
    let certificate = Certificate::Queues(Box::new(proof));
    let outcome = Outcome { certificate: Some(certificate.clone()), ..sample::outcome(Verdict::Proved) };
    let mut out = Vec::new();
    write_certificates(&mut out, &sample::model(), &[outcome]).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(parse_certificate(&text).unwrap().claims[0].certificate, certificate);
    let message = parse_certificate(&text.replace("\"invariant\"", "\"variant\"")).unwrap_err().to_string();
    assert_eq!(message, "the field `certificates[0].invariant` is missing");
}

#[test]
fn a_digest_that_is_no_number_is_refused() {
    let outcome = sample::outcome(Verdict::Proved);
    let mut out = Vec::new();
    write_certificates(&mut out, &sample::model(), &[outcome]).unwrap();
    let text = String::from_utf8(out).unwrap();
    for digest in ["", "+1", "xyz", &"f".repeat(33)] {
        let bad = text.replace("000000000000feed0000000000000001", digest);
        assert_ne!(bad, text);
        let message = parse_certificate(&bad).unwrap_err().to_string();
        assert!(message.contains("`certificates[0].digest`"), "{message}");
    }
}
