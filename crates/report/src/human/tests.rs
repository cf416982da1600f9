//! What a user sees.

use super::sentences::finding;
use super::*;
use crate::chart::when;
use crate::sample;
use model::diagnostic::Diagnostic;
use model::semantics::Reading;
use model::source::Span;
use model::verdict::{Property, SearchStats};

const UNICODE: Style = Style { color: false, unicode: true, width: 100 };

fn lines(outcomes: Vec<Outcome>, style: Style) -> String {
    let sources = sample::sources();
    let mut document = sample::document(&sources, outcomes);
    document.not_checked = vec![sample::not_checked(true)].into();
    verdict_lines(&document, style)
}

fn every_verdict() -> Vec<Outcome> {
    let late = Outcome {
        property: Property::Livelock,
        engine: "explore",
        time: std::time::Duration::from_secs(60),
        ..sample::outcome(Verdict::Inconclusive(Reason::Timeout))
    };
    let vacuous = Outcome {
        property: Property::Boundedness,
        reading: Reading::Unbounded,
        ..sample::outcome(Verdict::Vacuous(String::from("no statement sends")))
    };
    vec![sample::outcome(Verdict::Proved), sample::deadlock(), late, vacuous]
}

#[test]
fn each_verdict_has_its_line() {
    insta::assert_snapshot!(lines(every_verdict(), UNICODE), @"
    ✔ proved        safety       no assertion fails, no run-time error — all 10 052 states, channels as declared (explore, 12 ms)
    ✘ violated      deadlock     2 processes are stuck after 2 steps — channels as declared (explore, 3 ms)
    ? inconclusive  livelock     the time limit was reached (--timeout) after 10 052 states — channels as declared (explore, 60.0 s)
    ○ vacuous       boundedness  no statement sends — channels without bounds (explore, 12 ms)
    – not checked   ltl:p1       temporal properties are not checked by this version
    ");
}

#[test]
fn each_verdict_has_its_line_in_ascii() {
    let text = lines(every_verdict(), Style::PLAIN);
    assert!(text.is_ascii());
    insta::assert_snapshot!(text, @"
    + proved        safety       no assertion fails, no run-time error - all 10 052 states, channels as declared (explore, 12 ms)
    x violated      deadlock     2 processes are stuck after 2 steps - channels as declared (explore, 3 ms)
    ? inconclusive  livelock     the time limit was reached (--timeout) after 10 052 states - channels as declared (explore, 60.0 s)
    o vacuous       boundedness  no statement sends - channels without bounds (explore, 12 ms)
    - not checked   ltl:p1       temporal properties are not checked by this version
    ");
}

#[test]
fn each_verdict_has_its_colour() {
    let text = lines(every_verdict(), Style { color: true, ..UNICODE });
    let codes: Vec<_> = text.lines().map(|line| line.split('m').next().unwrap_or("")).collect();
    assert_eq!(codes, ["\x1b[1;32", "\x1b[1;31", "\x1b[1;33", "\x1b[1;33", "\x1b[1;33"]);
}

#[test]
fn a_violation_is_shown_with_its_run_its_end_and_its_place() {
    let sources = sample::sources();
    let document = sample::document(&sources, vec![sample::outcome(Verdict::Violated)]);
    insta::assert_snapshot!(render(&document, false, UNICODE), @"
    models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

    ✘ violated      safety  assertion violated, after 6 steps — channels as declared (explore, 12 ms)

    the run that violates safety
      step     place        who  event                  changed  channels
         1  ┌  hand.pml:8   P:0  x = 1                  x = 1
         2  └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
         3     hand.pml:11  P:0  c!ack → Q:1 (line 16)
         4     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
         5     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
         6     hand.pml:18  Q:1  assert(x == 0)

    where it ends
      P:0  hand.pml:13  may stop here  }
      Q:1  hand.pml:18  is here        assert(x == 0)

    violated[assertion]: assertion violated
       ╭▸ models/hand.pml:18:3
       │
    18 │   assert(x == 0)
       ╰╴  ━━━━━━━━━━━━━━

    for more: highwater explain assertion

    1 violated in 15 ms
    ");
}

#[test]
fn a_deadlock_in_ascii() {
    let sources = sample::sources();
    let mut document = sample::document(&sources, vec![sample::deadlock()]);
    document.warnings = vec![Diagnostic::warning("P0101", Span::NONE, "odd")].into();
    let text = render(&document, false, Style { width: 80, ..Style::PLAIN });
    assert!(text.is_ascii());
    insta::assert_snapshot!(text, @r"
    models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3, 1 warning

    x violated      deadlock  2 processes are stuck after 2 steps - channels as declared (explore, 3 ms)

    the run that violates deadlock
      step     place       who  event     changed  channels
         1  /  hand.pml:8  P:0  x = 1     x = 1
         2  \  hand.pml:9  P:0  q!req(1)           q | req(1)

    where it ends
      P:0  hand.pml:11  waits here  c!ack;
      Q:1  hand.pml:17  waits here  q?req(x);

    violated[invalid-end-state]: invalid end state: nothing can move
      --> models/hand.pml:11:3
       |
    11 |   c!ack;
       |   ^^^^^

    for more: highwater explain invalid-end-state

    1 violated in 15 ms
    ");
}

fn rendered(outcome: Outcome, with_stats: bool, style: Style) -> String {
    render(&sample::document(&sample::sources(), vec![outcome]), with_stats, style)
}

#[test]
fn bounded_channels_have_a_table_and_notes_and_their_stats() {
    insta::assert_snapshot!(rendered(sample::bounded(), true, Style { width: 120, ..UNICODE }), @"
    models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

    ✔ proved        boundedness  every channel is bounded — channels without bounds (flow, 3 ms)

    how long the channels get
      channel  declared  at most  reached  exact  messages                               from → to
      q               2        2        2  yes    req                                    P → Q
      log             –    1 200        7         req(1), req(2), req(3), req(4), … (6)  P, Q → none

    note: `log` needs room for 1200 messages

    flow for     instances  points  transitions  counterexamples
    boundedness          2      41        1 077                2

    combinations of cycles on the way, for boundedness
      processes   cycles  would add to  refined
      P[0]; Q[1]  3       q             values of `x`
      P[0]        1       q; r          values of `y`
                                        values of `P[0]:n`

    1 proved in 15 ms
    ");
}

#[test]
fn a_channel_that_grows_is_shown_with_the_loop_and_what_a_round_adds() {
    insta::assert_snapshot!(rendered(sample::unbounded(), false, UNICODE), @"
    models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

    ✘ violated      boundedness  `q` grows without end, after 2 steps, then 3 steps forever — channels without bounds (explore, 3 ms)

    how long the channels get
      channel  declared               at most  reached  exact  messages  from → to
      q               2  no bound: +2 a round        2         req       P → Q
      r               2                     2        2  yes    req       P → Q

    the run that violates boundedness
      step        place        who  event                  changed  channels
         1     ┌  hand.pml:8   P:0  x = 1                  x = 1
         2     └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
      from here on forever:
         3  ╭     hand.pml:11  P:0  c!ack → Q:1 (line 16)
         4  │     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
         5  ╰     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
      ⟲ repeats from step 3
      each round adds 2 to q

    violated[unbounded]: `q` grows without end
       ╭▸ models/hand.pml:12:3
       │
    12 │   q!req(7)
       ╰╴  ━━━━━━━━

    for more: highwater explain unbounded

    1 violated in 15 ms
    ");
}

#[test]
fn what_cannot_be_proved_is_shown_with_the_cycles_that_nothing_forbids() {
    let text = rendered(sample::not_provable(), false, Style::PLAIN);
    assert!(text.is_ascii());
    insta::assert_snapshot!(text, @"
    models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

    ? inconclusive  boundedness  no proof for `q`, and no run that fills it; 1 of 2 channels proved bounded - channels without bounds (flow, 3 ms)

    how long the channels get
      channel  declared  at most  reached  exact  messages  from -> to
      q               2        ?        2         req       P -> Q
      r               2        2        2  yes    req       P -> Q

    an unrefuted combination of cycles
      P[0], 2 times: +1 q: req
        hand.pml:11  c!ack
        hand.pml:12  q!req(7)
      Q[*], once: -1 q: req, +1 processes of R
        hand.pml:16  c?ack
        hand.pml:17  q?req(x)
      together they would add to processes of R and q

    note: a loop of P sends without waiting: let it wait for an answer
    for more: highwater explain not-provable

    1 inconclusive in 15 ms
    ");
}

#[test]
fn advice_says_its_verdict_and_is_counted_apart() {
    let advice = [sample::bounded(), sample::unbounded(), sample::not_provable()].map(sample::advisory);
    let outcomes = [vec![sample::outcome(Verdict::Proved)], advice.to_vec()].concat();
    let sources = sample::sources();
    insta::assert_snapshot!(render(&sample::document(&sources, outcomes), false, UNICODE), @"
    models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

    ✔ proved        safety       no assertion fails, no run-time error — all 10 052 states, channels as declared (explore, 12 ms)
    • advice        boundedness  proved: every channel is bounded — channels without bounds (flow, 3 ms)
    • advice        boundedness  violated: `q` grows without end, after 2 steps, then 3 steps forever — channels without bounds (explore, 3 ms)
    • advice        boundedness  inconclusive: no proof for `q`, and no run that fills it; 1 of 2 channels proved bounded — channels without bounds (flow, 3 ms)

    how long the channels get
      channel  declared  at most  reached  exact  messages                               from → to
      q               2        2        2  yes    req                                    P → Q
      log             –    1 200        7         req(1), req(2), req(3), req(4), … (6)  P, Q → none

    note: `log` needs room for 1200 messages

    how long the channels get
      channel  declared               at most  reached  exact  messages  from → to
      q               2  no bound: +2 a round        2         req       P → Q
      r               2                     2        2  yes    req       P → Q

    note: `-p boundedness` asks for this property, and shows the run

    how long the channels get
      channel  declared  at most  reached  exact  messages  from → to
      q               2        ?        2         req       P → Q
      r               2        2        2  yes    req       P → Q

    an unrefuted combination of cycles
      P[0], 2 times: +1 q: req
        hand.pml:11  c!ack
        hand.pml:12  q!req(7)
      Q[*], once: -1 q: req, +1 processes of R
        hand.pml:16  c?ack
        hand.pml:17  q?req(x)
      together they would add to processes of R and q

    note: a loop of P sends without waiting: let it wait for an answer
    for more: highwater explain not-provable

    1 proved, 3 as advice in 15 ms
    ");
}

#[test]
fn a_livelock_is_a_loop_and_its_absence_a_proof_for_channels_of_any_length() {
    insta::assert_snapshot!(rendered(sample::livelock(Verdict::Violated), false, UNICODE), @"
    models/hand.pml: Promela, 2 process types, 2 processes, 2 channels, -D N=3

    ✘ violated      livelock  a loop without progress, after 3 steps, then 3 steps forever — channels as declared (flow, 3 ms)

    the run that violates livelock
      step        place        who  event                  changed  channels
         1     ┌  hand.pml:8   P:0  x = 1                  x = 1
         2     └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
         3        hand.pml:11  P:0  c!ack → Q:1 (line 16)
      from here on forever:
         4  ╭     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
         5  │     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
         6  ╰     hand.pml:18  Q:1  assert(x == 0)
      ⟲ repeats from step 4

    violated[non-progress-cycle]: a loop without progress
       ╭▸ models/hand.pml:12:3
       │
    12 │   q!req(7)
       ╰╴  ━━━━━━━━

    for more: highwater explain non-progress-cycle

    1 violated in 15 ms
    ");
    let outcomes = vec![sample::livelock(Verdict::Proved)];
    insta::assert_snapshot!(lines(outcomes, UNICODE).lines().next().unwrap_or(""), @"✔ proved        livelock  no endless run without progress, for channels of any length — channels as declared (flow, 3 ms)");
}

#[test]
fn stats_come_after_the_runs() {
    let text = rendered(sample::outcome(Verdict::Proved), true, Style::PLAIN);
    let sections: Vec<_> = text.split("\n\n").filter_map(|section| section.split("  ").next()).collect();
    assert_eq!(sections.len(), 4, "{text}");
    assert_eq!(sections[2], "search for");
}

#[test]
fn when_it_happens_is_said_in_words() {
    let mut witness = sample::witness();
    witness.loop_from = Some(4);
    assert_eq!(when(&witness), "after 4 steps, then 2 steps forever");
    witness.loop_from = None;
    assert_eq!(when(&witness), "after 6 steps");
    witness.steps.truncate(1);
    assert_eq!(when(&witness), "after 1 step");
    witness.steps.clear();
    assert_eq!(when(&witness), "in the first state");
}

#[test]
fn a_violation_in_the_first_state_needs_no_chart() {
    let sources = sample::sources();
    let mut outcome = sample::outcome(Verdict::Violated);
    if let Some(witness) = &mut outcome.witness {
        witness.steps.clear();
        witness.waiting.clear();
    }
    let text = render(&sample::document(&sources, vec![outcome]), false, Style::PLAIN);
    assert!(text.contains("assertion violated, in the first state") && !text.contains("where it ends"), "{text}");
}

#[test]
fn several_violations_are_counted() {
    let mut outcome = sample::deadlock();
    outcome.stats = Some(SearchStats { violations: 1200, ..sample::stats() });
    assert_eq!(finding(&outcome), "2 processes are stuck after 2 steps, 1 200 violations in all");
}

#[test]
fn a_model_without_properties_says_so() {
    let sources = sample::sources();
    let text = render(&sample::document(&sources, Vec::new()), false, Style::PLAIN);
    assert!(text.ends_with("nothing to check in 15 ms\n"), "{text}");
}
