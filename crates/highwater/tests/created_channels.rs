//! Channels of processes that `run` creates: the engines number these processes differently, and no bound, run or capacity
//! of one may be taken for that of another.

use highwater::{ChannelState, Check, Model, Verdict};

/// The verdict, and for each channel its state, bound and what was reached.
type Answer = (Verdict, Vec<(String, ChannelState, Option<u64>, Option<u64>)>);

fn boundedness(text: &str) -> Answer {
    let model = Model::from_text("model.pml", text).expect("a model");
    let report = Check::new(&model).property("boundedness").expect("a property").run().expect("a report");
    let finding = report.finding("boundedness").expect("a finding");
    let row = |c: &highwater::ChannelBound| (c.name.clone(), c.state, c.at_most, c.reached);
    (finding.verdict(), finding.channels().iter().map(row).collect())
}

fn only(name: &str, state: ChannelState, at_most: Option<u64>, reached: Option<u64>) -> Answer {
    let verdict = if state == ChannelState::Unbounded { Verdict::Violated } else { Verdict::Proved };
    (verdict, vec![(name.to_owned(), state, at_most, reached)])
}

const TWO: &str = "active proctype A() { run W(0) } active proctype B() { run W(1) }";

/// Process 2 is that of `A` in the static engine, and may be that of `B` in a run.
#[test]
fn a_proof_and_a_search_of_two_creators_agree() {
    let worker =
        "proctype W(byte k) { chan l = [4] of { byte }; l!1; if :: k == 1 -> l!1; l!1; l!1 :: else fi; false }";
    let answer = boundedness(&format!("{worker} {TWO}"));
    assert_eq!(answer, only("W[*]:l", ChannelState::Bounded, Some(4), Some(4)));
}

#[test]
fn growth_of_one_creation_contradicts_no_proof_of_another() {
    let worker =
        "proctype W(byte k) { chan l = [4] of { byte }; if :: k == 1 -> do :: l!1 od :: else -> l!1 fi; false }";
    let (verdict, channels) = boundedness(&format!("{worker} {TWO}"));
    assert_eq!(verdict, Verdict::Violated);
    assert_eq!((channels[0].1, channels[0].2), (ChannelState::Unbounded, None));
}

/// Which number a process gets depends on the order of creation, and only one with number 3 fills its channel.
#[test]
fn the_bound_of_one_number_is_not_that_of_another() {
    let (verdict, channels) = boundedness(
        "chan c = [3] of { byte }; chan d = [3] of { byte };
         proctype X() { false }
         proctype W() { chan l = [2] of { byte }; l!1; if :: _pid == 3 -> l!1; l!1; l!1 :: else fi; false }
         active proctype A() { run W(); run W() }
         active proctype B() { run X(); c!1; c!2; do :: c?2 -> d!1 :: c?1 -> break od }",
    );
    assert_eq!(verdict, Verdict::Proved);
    let local = channels.iter().find(|(name, ..)| name == "W[*]:l").expect("a row for all workers");
    assert_eq!(*local, (String::from("W[*]:l"), ChannelState::Bounded, Some(4), Some(4)));
}

/// A dead process leaves its number to the next one.
#[test]
fn a_number_that_is_used_again_is_another_process() {
    let (verdict, channels) = boundedness(
        "proctype W(byte k) { chan l = [4] of { byte }; if :: k == 1 -> do :: l!1 od :: else -> l!1 fi }
         active proctype A() { run W(0); _nr_pr == 1; run W(1) }",
    );
    assert_eq!((verdict, channels.len()), (Verdict::Violated, 1));
    assert_eq!(channels[0].1, ChannelState::Unbounded);
}
