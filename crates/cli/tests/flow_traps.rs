//! The traps of the flow engine, one small model for each, with the right answer.
//!
//! A proof that channels stay finite is easy to get wrong in ways that look right. The design page of the engine names
//! the traps that were found on paper; below them stand those that attacks on the code found. Each model says what must
//! be proved, what must not, and where it can be shown, that the opposite is true: a growing run, or a cycle without progress.
//! A change that makes the engine stronger must keep every line here.

use explore::growth::{GrowthOptions, growth};
use explore::progress::{ProgressOf, search};
use flow::{Question, Report};
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::Property;
use std::time::Duration;

fn network(text: &str) -> Network {
    let read = promela::read("trap.pml", text, &promela::preprocess::Options::default());
    read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics))
}

fn ask(network: &Network, question: &Question) -> Report {
    let limits = Budget::unlimited().timeout(Duration::from_secs(20));
    flow::check(network, question, &Context::silent(&limits))
}

/// What is proved of a queue: whether it is bounded, and by how much.
#[track_caller]
fn queue(report: &Report, name: &str) -> (bool, Option<u64>) {
    let found = report.queues.iter().find(|q| q.name == name);
    let found = found.unwrap_or_else(|| panic!("no queue `{name}` in {:?}", report.queues));
    (found.bounded, found.at_most)
}

/// A search sees these queues grow without end, or at least become long.
fn grow(network: &Network, names: &[&str]) -> bool {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let limits = Budget::unlimited().states(2_000);
    let channels = names.iter().map(|&name| name.to_owned()).collect();
    let options = GrowthOptions { channels, ..GrowthOptions::default() };
    let report = growth(&semantics, &options, &Context::silent(&limits));
    let shown = report.channels();
    let long = |name: &str| report.longest.iter().any(|q| q.channel == name && q.length >= 20);
    names.iter().all(|&name| shown.contains(name) || long(name))
}

/// A name without the number of the process, which is another one in a proof than in a run.
fn group(name: &str) -> String {
    match (name.find('['), name.find(':')) {
        (Some(open), Some(colon)) if open < colon => format!("{}{}", &name[..open], &name[colon..]),
        _ => name.to_owned(),
    }
}

/// The queues really grow, and nothing else is said of them.
#[track_caller]
fn unbounded(text: &str, names: &[&str]) {
    let network = network(text);
    let report = ask(&network, &Question::Boundedness);
    assert!(!report.complete, "proved, but it grows:\n{text}");
    assert!(grow(&network, names), "{names:?} are not seen to grow:\n{text}");
    for name in names {
        let claimed = report.queues.iter().any(|q| group(&q.name) == group(name) && q.bounded);
        assert!(!claimed, "`{name}` is said to be bounded:\n{text}");
    }
}

/// All queues are bounded, these ones by this much.
#[track_caller]
fn bounded(text: &str, bounds: &[(&str, u64)]) {
    let network = network(text);
    let report = ask(&network, &Question::Boundedness);
    assert!(report.complete, "not proved: {:?}\n{text}", report.reason);
    for &(name, bound) in bounds {
        assert_eq!(queue(&report, name), (true, Some(bound)), "`{name}`:\n{text}");
    }
}

/// There is a cycle without progress in some reading, and no proof of the contrary.
#[track_caller]
fn livelock(text: &str) {
    let network = network(text);
    let report = ask(&network, &Question::Livelock { events: Vec::new() });
    assert!(!report.complete, "proved to be free of livelock:\n{text}");
    let limits = Budget::unlimited().states(20_000);
    let spins = [Reading::Declared, Reading::Unbounded].into_iter().any(|reading| {
        let semantics = Semantics::new(&network, reading);
        search(&semantics, &ProgressOf::Labels, &Context::silent(&limits)).lasso.is_some()
    });
    assert!(spins, "no cycle without progress:\n{text}");
}

#[track_caller]
fn live(text: &str) {
    let report = ask(&network(text), &Question::Livelock { events: Vec::new() });
    assert!(report.complete, "not proved: {:?}\n{text}", report.reason);
}

// What the design page names.

/// No single closed walk grows `k`; the row of `a`, which grows, must not hold it back.
#[test]
fn growth_in_stages() {
    unbounded(
        "chan a = [1] of { byte }; chan k = [1] of { byte };
         active proctype P() { do :: a!1 :: break od; do :: a?1 -> k!1 od }",
        &["a", "k"],
    );
}

/// The same where the second stage is refined after the first was left out: each message of `a` makes one of `k`, by turns.
#[test]
fn growth_in_stages_behind_a_flag() {
    unbounded(
        "chan a = [1] of { byte }; chan k = [1] of { byte }; chan q = [1] of { byte };
         active proctype P() { bit b; do :: a!1 :: break od; do :: b == 0 -> a?1; b = 1 :: b == 1 -> k!1; b = 0 od }
         active proctype Q() { bit b; do :: b == 0 -> q!1; b = 1 :: b == 1 -> q?1; b = 0 od }",
        &["a", "k"],
    );
}

/// A channel that grows does not stop the refinement that its neighbours need.
#[test]
fn a_flood_beside_others() {
    for (flood, neighbours) in [
        (
            "active proctype F() { do :: flood!1 od }",
            "active proctype P() { byte i = 5; do :: i != 0 -> i = i / 2; q!1 :: else -> break od }",
        ),
        (
            "active proctype F() { do :: flood!1 od } active proctype G() { do :: flood?_ -> flood!1; flood!2 od }",
            "byte x = 7; active proctype Q() { do :: d_step { x != 0 -> x = x / 2 }; q!1 od }",
        ),
        (
            "active proctype F() { do :: flood!1; x != 9 od }",
            "byte x; active proctype Q() { do :: atomic { x == 0 -> x = 1 }; q!1 od } active proctype R() { do :: q?1 -> x = 0 od }",
        ),
    ] {
        let neighbours_first =
            format!("chan flood = [1] of {{ byte }}, q = [1] of {{ byte }}; byte unused; {neighbours} {flood}");
        let network = network(&neighbours_first);
        let report = ask(&network, &Question::Boundedness);
        assert!(!report.complete && queue(&report, "q").0, "{neighbours_first}");
        assert_eq!(queue(&report, "flood"), (false, None), "{neighbours_first}");
    }
}

/// Bounds are about paths from the start, not about cycles: 7, not 0.
#[test]
fn a_burst() {
    bounded(
        "chan q = [1] of { byte };
         active proctype P() { byte i; do :: i < 7 -> q!i; i++ :: else -> break od }",
        &[("q", 7)],
    );
}

/// A weak inequality would certify a loop that does nothing.
#[test]
fn spinning_beside_progress() {
    livelock(
        "byte x;\nactive proctype P() { do :: x = 1 od }\nactive proctype R() { do :: x = 2; progress: x = 3 od }",
    );
    live("byte x;\nactive proctype R() { do :: x = 2; progress: x = 3 od }");
}

/// IBOC figure 9: a process that creates processes which send. Potentials of any sign would bound it.
#[test]
fn creation_without_end() {
    unbounded(
        "chan c = [1] of { byte };
         proctype Q() { c!1 }
         active proctype P() { do :: run Q() od }",
        &["c"],
    );
    unbounded(
        "chan c = [1] of { byte };
         proctype Q() { run Q(); c!1; c!1 }
         active proctype P() { run Q() }
         active proctype R() { do :: c?1 od }",
        &["c"],
    );
}

/// A process for each request. How many have ended and wait for younger ones to end is not known, and does not matter.
#[test]
fn a_process_for_each_request() {
    accepted(
        "chan req = [4] of { byte }, rep = [4] of { byte }; proctype Worker() { rep!1 }
         active [3] proctype Client() { do :: req!1; rep?_ od }
         active proctype Server() { do :: req?_ -> run Worker() od }",
        &[("req", 3), ("rep", 3)],
    );
    accepted(
        "chan tok = [4] of { byte }, res = [4] of { byte }; proctype Worker() { res!1 }
         active proctype Boss() { tok!1; tok!1; tok!1; do :: tok?_ -> run Worker() od }
         active proctype Sink() { do :: res?_ -> tok!1 od }",
        &[("tok", 3), ("res", 3)],
    );
    accepted(
        "chan req = [4] of { chan }; proctype Worker(chan c) { c!1 }
         active [2] proctype Client() { chan me = [1] of { byte }; do :: req!me; me?_ od }
         active proctype Server() { chan c; do :: req?c -> run Worker(c) od }",
        &[("req", 2)],
    );
    // One too many: each worker answers twice, or a client does not wait.
    for (worker, client) in [("rep!1; rep!1", "req!1; rep?_"), ("rep!1", "req!1; if :: rep?_ :: skip fi")] {
        let text = format!(
            "chan req = [4] of {{ byte }}, rep = [4] of {{ byte }}; proctype Worker() {{ {worker} }}
             active proctype Client() {{ do :: {client} od }}
             active proctype Server() {{ do :: req?_ -> run Worker() od }}"
        );
        unbounded(&text, &["rep"]);
    }
}

/// Each leaf of a case distinction on `go` would rank with another set of points: before, the sends do not count, and after,
/// the processes that wait for it do not.
#[test]
fn processes_that_wait_for_a_flag() {
    let text = "chan c = [1] of { byte }; bit go;
         proctype W() { go == 1; c!1 }
         active proctype P() { do :: run W() :: break od; go = 1 }";
    assert_eq!(queue(&ask(&network(text), &Question::Boundedness), "c"), (false, None));
    unbounded(text, &["c"]);
}

/// A session has a channel of its own: the bound is one for each session, and there are any number of them.
#[test]
fn a_channel_that_only_its_process_names() {
    let session = |session: &str, others: &str| {
        format!(
            "chan req = [4] of {{ byte }}; byte x; {others}
             proctype Session() {{ chan mine = [1] of {{ byte }}; {session} }}
             active proctype Listener() {{ do :: run Session() od }}"
        )
    };
    accepted(&session("mine!1; mine?_; mine!1; mine!2; mine?_", ""), &[("Session[*]:mine", 2)]);
    accepted(&session("do :: mine!1; mine?_ :: break od", ""), &[("Session[*]:mine", 1)]);
    unbounded(&session("do :: mine!1 :: mine?_ od", ""), &["Session[1]:mine"]);
    // Another process names it: by an argument, a message, a shared variable, or a number.
    let other = "proctype Other(chan c) { do :: c!1 od }";
    unbounded(&session("run Other(mine); x == 9", other), &["Session[1]:mine"]);
    let grows = |text: &str| unbounded(text, &["Session[2]:mine"]);
    let by_message = "chan k = [1] of { chan }; active proctype F() { chan c; k?c; do :: c!1 od }";
    grows(&session("k!mine; x == 9", by_message));
    grows(&session("h = mine; x == 9", "chan h; active proctype F() { do :: h != 0 -> h!1 od }"));
    grows(&session("x = mine; x == 999", "active proctype F() { do :: x != 0 -> x!1 od }"));
}

/// Two processes of one type are not one: each brings a message.
#[test]
fn two_instances() {
    bounded("chan c = [1] of { byte };\nactive [2] proctype P() { c!1; do :: c?1 -> c!1 od }", &[("c", 2)]);
    // What one cannot do alone, two can: each waits for the flag of the other.
    unbounded(
        "chan c = [1] of { byte }; bit f;
         active [2] proctype P() { do :: f == 0 -> f = 1 :: f == 1 -> f = 0; c!1 od }",
        &["c"],
    );
    unbounded(
        "chan c = [1] of { byte }; bit f;
         proctype Q(bit v) { do :: f == v -> f = 1 - v; c!1 od }
         active proctype P() { run Q(0); run Q(1) }",
        &["c"],
    );
}

/// Each test alone says that its channel returns; both together would prove it, and it grows.
#[test]
fn two_tests_of_emptiness() {
    let text = "chan c = [1] of { byte }; chan d = [1] of { byte };
        active proctype P() { do
          :: do :: c?1 -> d!1 :: empty(c) -> d!1; break od; do :: d?1 -> c!1 :: empty(d) -> c!1; break od
        od }";
    let report = ask(&network(text), &Question::Boundedness);
    assert!(!report.complete && !queue(&report, "c").0 && !queue(&report, "d").0, "{:?}", report.queues);
}

/// The first value allows one message, the restorer five.
#[test]
fn a_restorer_that_goes_lower() {
    let text = "chan q = [1] of { byte }; byte i = 6;
        active proctype P() { do :: i < 7 -> q!1; i++ :: i == 7 -> break od; i = 2; do :: i < 7 -> q!1; i++ :: else -> break od }";
    let report = ask(&network(text), &Question::Boundedness);
    let (_, most) = queue(&report, "q");
    assert!(most.is_none_or(|most| most >= 6), "the bound is too small: {most:?}");
    unbounded(
        "chan q = [1] of { byte }; byte i = 6;
         active proctype P() { do :: i < 7 -> q!1; i++ :: i == 7 -> i = 2 od }",
        &["q"],
    );
}

/// A byte that is only ever counted up comes back to 0.
#[test]
fn a_counter_that_wraps() {
    unbounded("chan q = [1] of { byte };\nactive proctype P() { byte i; do :: i++; q!1 od }", &["q"]);
    unbounded(
        "chan q = [1] of { byte };\nbit f; active proctype P() { do :: f++; if :: f -> q!1 :: else fi od }",
        &["q"],
    );
    unbounded(
        "chan q = [1] of { byte }; unsigned u : 2;
         active proctype P() { do :: u < 3 -> u++; q!1 :: u > 2 -> u++ od }",
        &["q"],
    );
}

/// In each of the two loops nothing grows, so in the end nothing does; but a bound counts what happens before.
#[test]
fn a_branch_that_starts_late() {
    let text = "chan q = [1] of { byte };
        active proctype P() { byte i; q!1; q!1; do :: i < 3 -> q!1; i++ :: else -> break od; do :: q?1 -> q!1 od }";
    bounded(text, &[("q", 5)]);
    let text = "chan q = [1] of { byte }; bit f;
        active proctype P() { q!1; q!1; q!1; f = 1; do :: f == 0 -> q!1 :: f == 1 -> q?1; q!1 od }";
    let (bounded, most) = queue(&ask(&network(text), &Question::Boundedness), "q");
    assert!(!bounded || most.is_none_or(|most| most >= 3), "{most:?}");
}

/// (req,5) is taken by both receives: whoever counts it as the special kind only, forgets the other.
#[test]
fn patterns_that_overlap() {
    unbounded(
        "mtype = { req }; chan ch = [1] of { mtype, byte }; chan out = [1] of { byte };
         active proctype S() { do :: ch!req,5 od }
         active proctype R() { byte x; do :: ch?req,5 :: ch?req,x -> out!x od }",
        &["ch", "out"],
    );
    unbounded(
        "mtype = { req }; chan ch = [1] of { mtype, byte }; chan out = [1] of { byte };
         active proctype P() { byte x; ch!req,5; do :: ch?req,x -> ch!req,5; out!1 :: ch?req,5 -> ch!req,5 od }",
        &["out"],
    );
    unbounded(
        "chan ch = [1] of { byte }; chan out = [1] of { byte };
         active proctype P() { byte x = 3; byte y; ch!3; do :: ch?eval(x) -> out!1; ch!3 :: ch?2 -> skip od }",
        &["out"],
    );
}

/// A value that the walk never visits may not be read: the global form of IBOC-refinement's figure 1, both ways.
#[test]
fn shared_flags() {
    bounded(
        "chan q = [1] of { byte }; bit f = 1;
         active proctype P() { do :: f == 0 -> q!1 :: f == 1 -> q?1 od }",
        &[("q", 0)],
    );
    unbounded(
        "chan q = [1] of { byte }; bit f = 1;
         active proctype P() { do :: f == 0 -> q!1 :: f == 1 -> f = 0 od }",
        &["q"],
    );
}

/// 2-Proctype, IBOC figure 11: AB and BA feed each other.
#[test]
fn there_and_back() {
    bounded(
        "chan ab = [1] of { byte }; chan ba = [1] of { byte };
         active proctype A() { ab!1; do :: ba?1 -> ab!1 od }
         active proctype B() { do :: ab?1 -> ba!1 od }",
        &[("ab", 1), ("ba", 1)],
    );
    unbounded(
        "chan ab = [1] of { byte }; chan ba = [1] of { byte };
         active proctype A() { ab!1; do :: ba?1 -> ab!1; ab!1 od }
         active proctype B() { do :: ab?1 -> ba!1 od }",
        &["ab"],
    );
}

/// A poll and `?<...>` take nothing.
#[test]
fn looking_is_not_taking() {
    unbounded(
        "chan q = [1] of { byte }; byte x;
         active proctype P() { q!1; do :: q?<x> -> q!1 :: q?[1] -> q!1 od }",
        &["q"],
    );
}

/// An atomic sequence can be interrupted where it blocks.
#[test]
fn atomic_is_interrupted_where_it_blocks() {
    unbounded(
        "chan c = [1] of { byte }; chan q = [1] of { byte }; byte g;
         active proctype P() { do :: atomic { g = 1; c?1; if :: g == 2 -> q!1 :: else fi } od }
         active proctype R() { do :: g = 2; c!1 od }",
        &["q"],
    );
}

/// A jump into an atomic sequence comes without control: what the sequence knew may have changed.
#[test]
fn a_jump_into_an_atomic_sequence() {
    unbounded(
        "chan q = [1] of { byte }; byte g;
         active proctype P() { start: if
           :: atomic { g = 0; middle: if :: g == 2 -> q!1 :: else fi }
           :: g = 0; goto middle
           fi; goto start }
         active proctype R() { do :: g = 2 od }",
        &["q"],
    );
}

/// A rendezvous hands control over, even in the middle of an atomic sequence, and the partner may have stored something.
#[test]
fn a_meeting_in_an_atomic_sequence() {
    unbounded(
        "chan q = [1] of { byte }; chan r = [0] of { byte }; byte g;
         active proctype P() { do
           :: atomic { g == 0; if :: r!1; if :: g == 1 -> q!1 :: else fi :: skip fi }; g = 0
           od }
         active proctype R() { do :: r?g od }",
        &["q"],
    );
}

/// Processes that cannot be distinguished may be there from the start, too.
#[test]
fn many_from_the_start() {
    let text =
        "chan c = [1] of { byte };\nactive proctype A() { c!1 }\nactive proctype M() { atomic { run A(); run A() } }";
    let (bounded, most) = queue(&ask(&network(text), &Question::Boundedness), "c");
    assert!(!bounded || most.is_none_or(|most| most >= 3), "{most:?}");
}

// What attacks on the code found.

/// Different messages of one queue, sent by processes that have nothing else in common, are in the same queue.
#[test]
fn one_queue_of_strangers() {
    bounded(
        "mtype = { red, blue }; chan c = [1] of { mtype };
         active proctype A() { c!red; c!red; do :: c?red -> c!red od }
         active proctype B() { c!blue; do :: c?blue -> c!blue od }",
        &[("c", 3)],
    );
}

/// Several processes that one atomic sequence creates are several.
#[test]
fn a_sequence_that_creates_several_processes() {
    unbounded(
        "chan c = [1] of { byte };
         proctype A(byte n) { c!n } proctype B() { do :: c!1 od }
         active proctype M() { atomic { run A(1); run B() } }",
        &["c"],
    );
    let text = "chan c = [1] of { byte };\nproctype A(byte n) { c!n }\nactive proctype M() { atomic { run A(1); run A(2); run A(3) } }";
    let (bounded, most) = queue(&ask(&network(text), &Question::Boundedness), "c");
    assert!(!bounded || most.is_none_or(|most| most >= 3), "{most:?}");
}

/// The right side of `&&` and `||` may have no value where the left one decides.
#[test]
fn sides_that_are_not_looked_at() {
    unbounded(
        "chan c = [1] of { bit }; byte a[3];
         active proctype M() { byte i = 3; do :: c!(i < 3 && a[i] == 0) od }",
        &["c"],
    );
    unbounded(
        "chan c = [1] of { bit }; byte x;
         active proctype M() { bit y; do :: y = (x == 0 || 10 / x > 2); c!y od }",
        &["c"],
    );
}

/// A message that is handed over goes straight to its receive, whatever stands before it in the step.
#[test]
fn a_step_that_is_handed_a_message() {
    unbounded(
        "chan c = [1] of { bit }; chan r = [0] of { byte }; byte x;
         active proctype M() { byte y; do :: d_step { if :: x == 0 -> skip :: r?y -> c!1 fi } od }
         active proctype S() { do :: r!1 od }",
        &["c"],
    );
}

/// An `else` inside another choice says nothing of the options behind it.
#[test]
fn an_else_among_others() {
    unbounded(
        "chan c = [1] of { bit }; byte x;
         active proctype M() { do :: if :: if :: x == 1 -> skip :: else -> c!1 fi :: x == 0 -> skip fi od }",
        &["c"],
    );
    bounded(
        "chan c = [1] of { bit }; byte x;
         active proctype M() { do :: if :: else -> c!1 :: x == 0 -> skip fi od }",
        &[("c", 0)],
    );
}

/// A step may take, or look at, what it sent itself, and no one else sends.
#[test]
fn a_step_that_takes_what_it_sent() {
    unbounded(
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype M() { byte x; do :: d_step { c!1; c?x; d!1 } od }",
        &["d"],
    );
    unbounded(
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype M() { byte x; do :: d_step { c!1; c?<x>; d!1 } od }",
        &["c", "d"],
    );
}

/// Inside an atomic sequence there is no state, so a progress label there is not seen.
#[test]
fn labels_that_no_state_is_at() {
    livelock("byte x;\nactive proctype M() { do :: atomic { x = 1; progress: x = 2; x = 3 } od }");
    livelock(
        "chan a = [0] of { byte }; chan b = [0] of { byte };
         active proctype M() { byte y; do :: a!1; progress: b?y od }
         active proctype N() { byte y; do :: atomic { a?y; b!1 } od }",
    );
    live("byte x;\nactive proctype M() { do :: x = 1; progress: x = 2 od }");
}

/// A channel may be any, once its reference has outlived the process that owned it.
#[test]
fn references_that_outlive_their_process() {
    unbounded(
        "chan k = [1] of { chan }; chan h;
         proctype A() { chan o = [1] of { byte }; h = o }
         proctype B() { chan o = [1] of { byte }; byte x; do :: x = 0 od }
         active proctype M() { run A(); _nr_pr == 1; run B(); do :: h!1 od }",
        &["B[1]:o"],
    );
}

/// A reference is a number: it may be the one that a receive waits for.
#[test]
fn references_that_are_compared_with_numbers() {
    for receive in ["k?1", "k?eval(i)"] {
        let text = format!(
            "chan d = [1] of {{ byte }}; chan k = [1] of {{ chan }}; chan q = [1] of {{ byte }};
             active proctype P() {{ byte i = 1; do :: k!d; {receive} -> q!1 od }}"
        );
        unbounded(&text, &["q"]);
    }
}

// Failures on the way, and queues that limit themselves.

/// A proof of boundedness that the checker accepts.
#[track_caller]
fn accepted(text: &str, bounds: &[(&str, u64)]) {
    bounded(text, bounds);
    let network = network(text);
    let proof = ask(&network, &Question::Boundedness).proof.expect("a proof");
    let limits = Budget::unlimited();
    let answer = certify::flow::verify(&network, &Property::Boundedness, &proof, &Context::silent(&limits));
    answer.unwrap_or_else(|refusal| panic!("refused: {refusal}\n{text}"));
}

/// What was sent before a run fails is in the queue when it does.
#[test]
fn a_queue_before_a_failure() {
    let channels = "chan q = [1] of { byte }; chan a[2] = [1] of { byte };";
    accepted(
        &format!("{channels} active proctype P() {{ byte x; atomic {{ x = 2; q!1; a[x]!1 }} }}"),
        &[("q", 1), ("a[0]", 0), ("a[1]", 0)],
    );
    accepted(
        &format!(
            "{channels} active proctype P() {{ byte x; q!0; if
               :: atomic {{ x = 2; q!1; q!1; a[x]!1 }}
               :: atomic {{ x = 1; q!1; a[x]!1 }}
               fi }}"
        ),
        &[("q", 3), ("a[0]", 0), ("a[1]", 1)],
    );
    accepted(
        &format!("{channels} byte g; active proctype P() {{ do :: atomic {{ q?1; q!1; q!1; g = 1 / g }} od }}"),
        &[("q", 0)],
    );
}

/// Who asks before it sends limits the queue; others that ask at the same time may each add theirs.
#[test]
fn a_queue_that_limits_itself() {
    let channel = "chan q = [3] of { byte };";
    accepted(&format!("{channel} active proctype P() {{ do :: atomic {{ nfull(q) -> q!1 }} od }}"), &[("q", 3)]);
    accepted(&format!("{channel} active proctype P() {{ do :: d_step {{ len(q) < 2 -> q!1 }} od }}"), &[("q", 2)]);
    accepted(&format!("{channel} active [2] proctype P() {{ do :: nfull(q) -> q!1 od }}"), &[("q", 4)]);
    accepted(
        &format!("{channel} active [2] proctype P() {{ do :: atomic {{ if :: full(q) :: else -> q!1; q!1 fi }} od }}"),
        &[("q", 4)],
    );
}

/// Asking is not enough: not another queue, not once for all, not where the limit grows itself.
#[test]
fn queues_that_do_not_limit_themselves() {
    let channels = "chan c = [1] of { byte }; chan d = [1] of { byte };";
    unbounded(&format!("{channels} active proctype P() {{ do :: atomic {{ nfull(c) -> d!1 }} od }}"), &["d"]);
    unbounded(&format!("{channels} active proctype P() {{ nfull(c) -> do :: c!1 od }}"), &["c"]);
    unbounded(&format!("{channels} active proctype P() {{ do :: nfull(c) -> c!1 :: c!2 od }}"), &["c"]);
    unbounded(
        &format!("{channels} byte g; active proctype P() {{ do :: atomic {{ (nfull(c) || g == 0) -> c!1 }} od }}"),
        &["c"],
    );
    unbounded(
        &format!("{channels} active proctype P() {{ do :: atomic {{ len(c) < len(d) -> c!1 }} :: d!1 od }}"),
        &["c", "d"],
    );
}

/// Two queues that each are short at times: what one has not, the other has.
#[test]
fn two_queues_that_are_short_in_turn() {
    unbounded(
        "chan c = [1] of { byte }; chan d = [1] of { byte };
         active proctype P() { do
           :: do :: c?_ -> d!1 :: empty(c) -> d!1; break od;
              do :: d?_ -> c!1 :: empty(d) -> c!1; break od
           od }",
        &["c", "d"],
    );
}
