//! Growth on the figures of the papers, and on models that only seem to grow.

use explore::growth::{GrowthOptions, GrowthReport, growth};
use model::budget::{Budget, Cancel};
use model::context::Context;
use model::growth::{GrowingRun, Refusal, Stage};
use model::network::Network;
use model::observer::{Event, Observer, Topic};
use model::semantics::{Reading, Semantics, Step};
use model::verdict::Reason;
use std::collections::BTreeMap;

const MOST_STATES: u64 = 1_500;

fn network(text: &str) -> Network {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics))
}

fn search(text: &str) -> GrowthReport {
    let network = network(text);
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let limits = Budget::unlimited().states(MOST_STATES);
    let report = growth(&semantics, &GrowthOptions::default(), &Context::silent(&limits));
    for run in &report.growing {
        let gains: Vec<_> = run.stages.iter().map(|stage| stage.gains.clone()).collect();
        assert_eq!(verify(&semantics, run), Ok(gains), "{text}");
    }
    report
}

/// The channels that grow, sorted.
fn growing(text: &str) -> Vec<String> {
    search(text).channels().into_iter().collect()
}

fn length(report: &GrowthReport, channel: &str) -> Option<u32> {
    report.longest.iter().find(|l| l.channel == channel).map(|l| l.length)
}

#[test]
fn a_loop_that_sends_grows() {
    let report = search("chan c = [1] of { byte }; active proctype P() { do :: c!1 od }");
    assert_eq!(report.growing.len(), 1);
    let run = &report.growing[0];
    assert!(run.prefix.is_empty() && run.stages.len() == 1 && run.stages[0].steps.len() == 1, "{run:?}");
    assert_eq!(run.stages[0].gains, [(String::from("c"), 1)]);
    assert!(!report.complete && report.stopped.is_none());
}

#[test]
fn creation_in_a_loop_iboc_figure_8() {
    let text = "mtype = { msg0, msg1 }; chan C = [1] of { mtype };
        active proctype P() { do :: run Q() od }
        proctype Q() { C!msg0; C?msg1 }";
    assert_eq!(growing(text), ["C"]);
}

#[test]
fn creation_by_itself_iboc_figure_9() {
    let text = "mtype = { msg0 }; chan C = [1] of { mtype }; active proctype P() { C!msg0; run P() }";
    assert_eq!(growing(text), ["C"]);
}

#[test]
fn mutual_creation() {
    let text = "chan C = [1] of { byte };
        active proctype A() { C!1; run B() }
        proctype B() { C!2; run A() }";
    assert_eq!(growing(text), ["C"]);
}

#[test]
fn creation_without_messages_fills_no_channel() {
    let text = "chan C = [1] of { byte }; active proctype P() { do :: run Q() od } proctype Q() { C?1 }";
    assert_eq!(growing(text), [""; 0]);
}

#[test]
fn creation_that_looks_at_numbers_is_refused() {
    let text = "chan C = [1] of { byte }; active proctype P() { C!1; _nr_pr < 5 -> run P() }";
    let report = search(text);
    assert!(report.growing.is_empty() && report.complete, "{report:?}");
    let text = "chan C = [1] of { byte }; active proctype P() { C!1; if :: _pid < 5 -> run P() :: else fi }";
    let report = search(text);
    assert!(report.growing.is_empty() && report.complete, "{report:?}");
}

#[test]
fn an_else_beside_a_rendezvous_is_not_forever_when_receivers_multiply() {
    // Each round leaves one more Q that would take the rendezvous, and then there is no `else`.
    let text = "chan r = [0] of { byte }; chan C = [1] of { byte };
        active proctype P() { if :: r!1 :: else -> C!1; run Q(); run P() fi }
        proctype Q() { r?1 }";
    assert_eq!(growing(text), [""; 0]);
}

#[test]
fn growth_in_stages() {
    let text = "chan a = [1] of { byte }; chan k = [1] of { byte };
        active proctype P() { do :: a!1 :: break od; do :: a?1 -> k!1 od }";
    let report = search(text);
    assert_eq!(report.channels().into_iter().collect::<Vec<_>>(), ["a", "k"]);
    let staged = report.growing.iter().find(|run| run.stages.len() == 2).expect("k grows in stages");
    assert_eq!(staged.stages[1].gains, [(String::from("a"), -1), (String::from("k"), 1)]);
}

#[test]
fn growth_in_three_stages() {
    let text = "chan a = [1] of { byte }; chan k = [1] of { byte }; chan m = [1] of { byte };
        active proctype P() { do :: a!1 :: break od; do :: a?1 -> k!1 :: break od; do :: k?1 -> m!1; m!2 od }";
    let report = search(text);
    assert_eq!(report.channels().into_iter().collect::<Vec<_>>(), ["a", "k", "m"]);
}

#[test]
fn a_second_stage_that_the_first_cannot_feed_does_not_grow() {
    // What the first loop sends is not what the second receives, but for one message.
    let text = "chan a = [1] of { byte }; chan k = [1] of { byte };
        active proctype P() { a!2; do :: a!1 :: break od; do :: a?2 -> k!1 od }";
    assert_eq!(growing(text), ["a"]);
    // Alternating letters behind some of the right ones: the first seven rounds work.
    let text = "chan a = [1] of { byte }; chan k = [1] of { byte };
        active proctype P() { a!1; a!1; a!1; a!1; a!1; a!1; do :: a!1; a!2 :: break od; do :: a?1 -> k!1 od }";
    assert_eq!(growing(text), ["a"]);
}

#[test]
fn a_second_stage_that_counts_is_refused() {
    let text = "chan a = [1] of { byte }; chan k = [1] of { byte };
        active proctype P() { do :: a!1 :: break od; do :: len(a) < 4 && nempty(a) -> a?1; k!1 od }";
    assert_eq!(growing(text), ["a"]);
}

#[test]
fn moving_back_and_forth_grows_but_no_loop_repeats() {
    // c to d; on empty(c) one more to d; d to c; on empty(d) one more to c.
    let text = "chan c = [1] of { byte }; chan d = [1] of { byte };
        active proctype P() {
            c!1;
            do
            :: do :: nempty(c) -> c?1; d!1 :: empty(c) -> d!1; break od;
               do :: nempty(d) -> d?1; c!1 :: empty(d) -> c!1; break od
            od }";
    let report = search(text);
    assert_eq!(report.growing, []);
    assert!(!report.complete && report.stopped == Some(Reason::States));
    assert!(length(&report, "c") > Some(10));
    // The same with `else`, and with atomic sequences that lose control.
    let text = text.replace("empty(c) -> d", "else -> d").replace("empty(d) -> c", "else -> c");
    assert_eq!(growing(&text.replace("nelse", "nempty")), [""; 0]);
}

#[test]
fn contents_that_rotate_do_not_grow() {
    let text = "chan c = [2] of { byte }; byte x; active proctype P() { c!1; c!2; do :: c?x; c!x od }";
    let report = search(text);
    assert!(report.complete && report.growing.is_empty() && report.digest.is_some(), "{report:?}");
    assert_eq!(length(&report, "c"), Some(2));
}

#[test]
fn a_loop_that_order_blocks_in_the_second_round_is_refused() {
    // Finite parts return, one letter more: but behind the 1 there are 2s.
    let text = "chan c = [2] of { byte }; active proctype P() { c!1; do :: c?1; c!2; c!2 od }";
    let report = search(text);
    assert!(report.complete && report.growing.is_empty());
    // The same when some of the right letters are there at first: more rounds work than are replayed.
    let text = "chan c = [2] of { byte };
        active proctype P() { c!1; c!1; c!1; c!1; c!1; c!1; c!1; c!1; do :: c?1; c!2; c!2 od }";
    let report = search(text);
    assert!(report.complete && report.growing.is_empty());
    // With the right letters it repeats.
    assert_eq!(growing("chan c = [2] of { byte }; active proctype P() { c!1; do :: c?1; c!1; c!1 od }"), ["c"]);
    // Two letters by turns: w·s^ω = r^ω with |w| = 1.
    let text = "chan c = [2] of { byte }; byte n;
        active proctype P() { c!1; c!2; do :: c?1; c?2; c!1; c!2; c!1; c!2 od }";
    assert_eq!(growing(text), ["c"]);
}

#[test]
fn an_else_that_depends_on_the_growing_channel_is_refused() {
    let text = "chan c = [2] of { byte }; active proctype P() { do :: c?1 -> c!2 :: else -> c!2; c!2 od }";
    // In front there is a 2, so the `else` is possible forever; but that is not our argument.
    let channels = growing(text);
    assert!(channels.is_empty() || channels == ["c"]);
    let text = "chan c = [2] of { byte }; active proctype P() { do :: c?1 :: else -> c!1 od }";
    assert!(search(text).complete);
}

#[test]
fn an_else_on_something_else_is_fine() {
    let text = "chan c = [2] of { byte }; chan d = [2] of { byte };
        active proctype P() { do :: d?1 :: else -> c!1 od }";
    assert_eq!(growing(text), ["c"]);
}

#[test]
fn tests_of_length_limit_growth() {
    for guard in ["nfull(c)", "len(c) < 3", "!(c?[1])", "empty(c)"] {
        let text = format!("chan c = [2] of {{ byte }}; active proctype P() {{ do :: {guard} -> c!1 od }}");
        let report = search(&text);
        assert!(report.complete && report.growing.is_empty(), "{guard}: {report:?}");
    }
}

#[test]
fn a_timeout_that_waits_for_the_growing_channel_is_refused() {
    let text = "chan c = [2] of { byte }; active proctype P() { do :: c?1 :: timeout -> c!1; c!1 od }";
    let report = search(text);
    assert!(report.complete && report.growing.is_empty(), "{report:?}");
    // No process receives: the timeout comes again and again.
    let text = "chan c = [2] of { byte }; active proctype P() { do :: timeout -> c!1 od }";
    assert_eq!(growing(text), ["c"]);
}

#[test]
fn an_escape_that_waits_for_the_growing_channel_is_refused() {
    let text = "chan c = [2] of { byte }; byte x;
        active proctype P() { { do :: x = 1 - x; c!1 od } unless { c?1 } }";
    let report = search(text);
    assert!(report.growing.is_empty(), "{report:?}");
}

#[test]
fn losing_control_because_a_growing_channel_is_empty_is_refused() {
    // Q can add to d only while P is blocked on d in its atomic sequence: one message more, and P keeps control.
    let text = "chan d = [2] of { byte }; byte go;
        active proctype P() { do :: atomic { go = 1; d?1; go = 0 } od }
        active proctype Q() { do :: atomic { go == 1 -> go = 2; d!1; d!1 } od }";
    let report = search(text);
    assert!(report.growing.is_empty() && report.complete, "{report:?}");
}

#[test]
fn what_becomes_possible_only_after_many_rounds_counts() {
    let alternatives = [
        // The alternative of an `else`, what a timeout waits for, and an escape.
        "active proctype P() { do :: len(c) > 9 -> c?1 :: else -> c!1 od }",
        "active proctype P() { do :: len(c) > 9 -> c?1 :: timeout -> c!1 od }",
        "active proctype P() { { do :: x = 1 - x; c!1 od } unless { len(c) > 9 } }",
        // What a process in control waits for: with ten messages it keeps control, and Q does not move.
        "active proctype P() { do :: atomic { x = 1; if :: x == 0 :: len(c) > 9 fi; x = 2 } od }
         active proctype Q() { do :: atomic { x == 1 -> c!1; x = 0 } od }",
        // An alternative inside a deterministic step.
        "active proctype P() { do :: d_step { if :: len(c) > 9 -> c?1 :: else -> c!1 fi } od }",
    ];
    for processes in alternatives {
        let report = search(&format!("chan c = [2] of {{ byte }}; byte x; {processes}"));
        assert!(report.complete && report.growing.is_empty(), "{processes}");
        assert!(length(&report, "c") >= Some(10), "{processes}");
    }
}

/// The first steps of a model with one process and no choice.
fn first_steps(semantics: &Semantics<'_>, count: usize) -> Vec<Step> {
    let (mut stepper, mut steps) = (semantics.stepper(), Vec::new());
    let mut state = stepper.initial().expect("small").expect("no fault");
    for _ in 0..count {
        let mut next = None;
        stepper.expand(&state, None, &mut |s| next = s.state.map(|state| (s.step, state.to_vec()))).expect("small");
        let (step, after) = next.expect("it goes on");
        steps.push(step);
        state = after;
    }
    steps
}

fn loop_of(prefix: &[Step], steps: &[Step]) -> GrowingRun {
    let stage = Stage { between: Vec::new(), steps: steps.to_vec(), others: Vec::new(), gains: Vec::new() };
    GrowingRun { prefix: prefix.to_vec(), stages: vec![stage] }
}

#[test]
fn messages_in_another_order_are_refused_even_if_many_rounds_run() {
    let network = network(
        "chan c = [2] of { byte };
         active proctype P() { c!1; c!1; c!1; c!1; c!1; c!1; c!1; c!1; do :: c?1; c!2; c!2 od }",
    );
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let steps = first_steps(&semantics, 11);
    assert_eq!(verify(&semantics, &loop_of(&steps[..8], &steps[8..])), Err(Refusal::Order));
}

#[test]
fn a_channel_that_dies_between_two_stages_feeds_nobody() {
    let text = "chan k = [1] of { byte };
        init { run A(); _nr_pr == 1; run B() }
        proctype A() { chan c = [1] of { byte }; do :: c!1 :: break od }
        proctype B() { chan c = [1] of { byte }; c!1; c!1; c!1; do :: c?1 -> k!1 od }";
    assert_eq!(growing(text), ["A[1]:c"]);
}

#[test]
fn an_alternative_that_only_this_process_could_take_is_not_forever() {
    // The third P would find its number in the channel, and `else` would be gone.
    let text = "chan C = [1] of { byte }; chan t = [1] of { byte };
        active proctype P() { if :: t?eval(_pid) :: else -> C!1; run P() fi }
        active proctype Q() { t!40 }";
    assert_eq!(growing(text), [""; 0]);
}

#[test]
fn deterministic_steps_count() {
    let text = "chan c = [2] of { byte }; byte n;
        active proctype P() { do :: d_step { n = 0; do :: n < 3 -> c!n; n++ :: else -> break od; n = 0 } od }";
    assert_eq!(growing(text), ["c"]);
    let text = "chan c = [2] of { byte };
        active proctype P() { do :: d_step { if :: len(c) < 3 -> c!1 :: else fi } od }";
    assert!(search(text).complete);
    let text = "chan c = [2] of { byte }; chan d = [2] of { byte };
        active proctype P() { do :: c!1; c!1 od }
        active proctype Q() { do :: d_step { c?1 -> d!1 } od }";
    assert_eq!(growing(text), ["c", "d"]);
}

#[test]
fn local_channels_have_names() {
    let text = "active proctype P() { chan c = [1] of { byte }; do :: c!1 od }";
    assert_eq!(growing(text), ["P[0]:c"]);
    let text = "chan ts[2] = [1] of { byte }; active proctype P() { do :: ts[1]!1 od }";
    let report = search(text);
    assert_eq!(report.channels().into_iter().collect::<Vec<_>>(), ["ts[1]"]);
    assert_eq!(length(&report, "ts[0]"), Some(0));
}

#[test]
fn sorted_and_random_receives_on_a_growing_channel_are_refused() {
    for statement in ["c!!2; c!!1", "c!1; c!2; c??2; c!1", "c!len(c)"] {
        let text = format!("chan c = [2] of {{ byte }}; active proctype P() {{ do :: {statement} od }}");
        assert_eq!(growing(&text), [""; 0], "{statement}");
    }
}

#[test]
fn the_run_to_the_longest_length_reaches_it() {
    let text = "chan c = [2] of { byte }; byte n; active proctype P() { do :: n < 7 -> c!n; n++ :: c?_ od }";
    let report = search(text);
    assert!(report.complete);
    let longest = report.longest.iter().find(|l| l.channel == "c").expect("c is known");
    assert_eq!((longest.length, longest.run.len()), (7, 20));
}

/// What each stage adds, without limits.
fn verify(semantics: &Semantics<'_>, run: &GrowingRun) -> Result<Vec<Vec<(String, i64)>>, Refusal> {
    model::growth::verify(semantics, run, &Context::unlimited())
}

#[test]
fn a_run_that_there_is_no_time_to_replay_shows_nothing() {
    let network = network("chan c = [1] of { byte }; active proctype P() { do :: c!1; c!1; c?1 od }");
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let run = loop_of(&[], &first_steps(&semantics, 3));
    assert!(verify(&semantics, &run).is_ok());
    let none = Budget::unlimited().timeout(std::time::Duration::ZERO);
    none.look_soon();
    assert_eq!(model::growth::verify(&semantics, &run, &Context::silent(&none)), Err(Refusal::Unfinished));
}

#[test]
fn a_made_up_run_is_refused() {
    let network = network("chan c = [1] of { byte }; active proctype P() { do :: c!1; c?1 od }");
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let edges = first_steps(&semantics, 2);
    assert_eq!(verify(&semantics, &loop_of(&[], &edges)), Err(Refusal::NoGrowth));
    assert_eq!(verify(&semantics, &loop_of(&[], &edges[..1])), Err(Refusal::FinitePart));
    assert_eq!(verify(&semantics, &loop_of(&[], &edges[1..])), Err(Refusal::Replay));
    assert_eq!(verify(&semantics, &loop_of(&[], &[])), Err(Refusal::NoLoop));
    let declared = Semantics::new(&network, Reading::Declared);
    assert_eq!(verify(&declared, &loop_of(&[], &edges)), Err(Refusal::Reading));
}

/// Three counters of a byte each have to come round: the loop has thousands of steps, and among as many states as it has no
/// breadth-first search finds it.
#[test]
fn a_loop_of_thousands_of_steps_is_found_by_whoever_does_not_receive() {
    let text = "chan a = [1] of { byte }; chan b = [1] of { byte }; chan log = [1] of { byte };
        active proctype A() { byte n; do :: a!n -> log!1; b?_; n++ od }
        active proctype B() { byte m; do :: a?m; b!m od }
        active proctype R() { do :: log?_ od }
        active [2] proctype Tick() { byte k; do :: k++ od }";
    let network = network(text);
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let options = GrowthOptions { stop_at_first: true, ..GrowthOptions::default() };
    let report = growth(&semantics, &options, &Context::silent(&Budget::unlimited().states(4_000)));
    let [run] = report.growing.as_slice() else { panic!("{:?}", report.stopped) };
    let [stage] = run.stages.as_slice() else { panic!("{} stages", run.stages.len()) };
    assert_eq!(stage.gains, [(String::from("log"), 256)]);
    assert!(stage.steps.len() > 2_000, "{} steps", stage.steps.len());
    // One step less, and it is no loop.
    let shorter = Stage { steps: stage.steps[1..].to_vec(), ..stage.clone() };
    assert!(verify(&semantics, &GrowingRun { prefix: run.prefix.clone(), stages: vec![shorter] }).is_err());
}

#[test]
fn long_walks_reach_the_bounds_of_hundreds_of_processes() {
    let text = "#define N 300
        chan go[N] = [1] of { bit }; chan here[N] = [1] of { bit }; chan log = [1] of { bit };
        proctype worker(int id) { log!1; do :: here[id]!1; go[id]?1 od }
        active proctype master() {
          int i;
          do :: for (i : 0 .. N - 1) { here[i]?1 }; for (i : 0 .. N - 1) { go[i]!1 } od
        }
        init { int i; do :: i < N -> run worker(i); i++ :: else -> break od }";
    let network = network(text);
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let each = (0..300).flat_map(|i| [(format!("go[{i}]"), 1), (format!("here[{i}]"), 1)]);
    let wanted: BTreeMap<String, u64> = each.chain([(String::from("log"), 300)]).collect();
    let reached = explore::fill::lengths(&semantics, &wanted, &Context::silent(&Budget::unlimited()));
    let reached: BTreeMap<String, u64> = reached.into_iter().map(|(name, length)| (name, length.into())).collect();
    assert_eq!(reached, wanted);
}

/// Ends a search at so many states.
struct Stop(Cancel, u64);

impl Observer for Stop {
    fn wants(&self, topic: Topic) -> bool {
        topic == Topic::Progress
    }

    fn event(&self, event: &Event<'_>) {
        if let Event::Progress(progress) = event
            && progress.states > self.1
        {
            self.0.cancel();
        }
    }
}

/// The run to a queue of thousands of messages takes longer than many looks at the clock: there is none once the time is over.
#[test]
fn no_run_is_looked_for_after_the_end() {
    let text = "chan c = [1] of { byte }; active proctype S() { int n; do :: c!1; n++ od }";
    let network = network(text);
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let (budget, cancel) = Budget::unlimited().linked();
    let report = growth(&semantics, &GrowthOptions::default(), &Context::new(&budget, &Stop(cancel, 20_000)));
    assert_eq!(report.stopped, Some(Reason::Interrupted));
    let longest = &report.longest[0];
    assert!(
        longest.length > 8_000 && longest.run.is_empty(),
        "{} messages, {} steps",
        longest.length,
        longest.run.len()
    );
}
