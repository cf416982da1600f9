use super::*;
use crate::sample;
use model::chart::{Form, Gap, Lane, Waits};
use model::semantics::Step;

const UNICODE: Style = Style { color: false, unicode: true, width: 100 };

fn of(steps: &[ChartStep]) -> Chart {
    Chart { steps: steps.to_vec(), ..Chart::new(&Form::RUN, sample::lanes()) }
}

fn drawn(steps: &[ChartStep], loop_from: Option<usize>, style: Style) -> String {
    super::steps(&Chart { loop_from, ..of(steps) }, Fold::Middle, &Places::new(&sample::sources()), style)
}

fn standing(waiting: Vec<Waits>) -> String {
    let chart = Chart { waiting, stuck: true, ..of(&[]) };
    ending(&chart, &Places::new(&sample::sources()), UNICODE)
}

fn many(count: usize) -> Vec<ChartStep> {
    let actor = || sample::moves(0, "x = 1");
    (0..count).map(|n| sample::step(actor(), &format!("x = {n}"), sample::edge(0, 0))).collect()
}

#[test]
fn a_run_shows_rendezvous_queues_and_atomic_brackets() {
    insta::assert_snapshot!(drawn(&sample::steps(), None, UNICODE), @"
    step     place        who  event                  changed  channels
       1  ┌  hand.pml:8   P:0  x = 1                  x = 1
       2  └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
       3     hand.pml:11  P:0  c!ack → Q:1 (line 16)
       4     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
       5     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
       6     hand.pml:18  Q:1  assert(x == 0)
    ");
}

#[test]
fn the_same_run_in_ascii() {
    let text = drawn(&sample::steps(), None, Style { unicode: false, ..UNICODE });
    assert!(text.is_ascii());
    insta::assert_snapshot!(text, @r"
    step     place        who  event                   changed  channels
       1  /  hand.pml:8   P:0  x = 1                   x = 1
       2  \  hand.pml:9   P:0  q!req(1)                         q | req(1)
       3     hand.pml:11  P:0  c!ack -> Q:1 (line 16)
       4     hand.pml:12  P:0  q!req(7)                         q | req(1) req(7)
       5     hand.pml:17  Q:1  q?req(1)                         q | req(7)
       6     hand.pml:18  Q:1  assert(x == 0)
    ");
}

#[test]
fn a_narrow_terminal_cuts_the_elastic_columns() {
    let text = drawn(&sample::steps(), None, Style { width: 60, ..UNICODE });
    assert!(text.lines().all(|line| line.chars().count() <= 60));
    insta::assert_snapshot!(text, @"
    step     place        who  event       changed  channels
       1  ┌  hand.pml:8   P:0  x = 1       x = 1
       2  └  hand.pml:9   P:0  q!req(1)             q ▕ req(1)
       3     hand.pml:11  P:0  c!ack → Q…
       4     hand.pml:12  P:0  q!req(7)             q ▕ req(1…
       5     hand.pml:17  Q:1  q?req(1)             q ▕ req(7)
       6     hand.pml:18  Q:1  assert(x …
    ");
}

#[test]
fn a_long_run_is_folded_in_the_middle() {
    let text = drawn(&many(180), None, UNICODE);
    assert_eq!(text.lines().count(), 1 + HEAD + 1 + TAIL);
    let around: Vec<_> = text.lines().skip(HEAD).take(3).collect();
    insta::assert_snapshot!(around.join("\n"), @"
      20  hand.pml:8  P:0  x = 19
    … 120 steps; --trace writes all
     141  hand.pml:8  P:0  x = 140
    ");
}

#[test]
fn a_run_of_sixty_steps_is_shown_whole_and_so_is_any_run_that_must_not_be_folded() {
    assert!(!drawn(&many(60), None, UNICODE).contains("--trace"));
    let whole = whole(&of(&many(180)), &sample::sources(), UNICODE);
    assert_eq!(whole.lines().count(), 181);
}

#[test]
fn the_steps_of_a_loop_are_held_together() {
    insta::assert_snapshot!(drawn(&sample::steps(), Some(3), UNICODE), @"
    step        place        who  event                  changed  channels
       1     ┌  hand.pml:8   P:0  x = 1                  x = 1
       2     └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
       3        hand.pml:11  P:0  c!ack → Q:1 (line 16)
    from here on forever:
       4  ╭     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
       5  │     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
       6  ╰     hand.pml:18  Q:1  assert(x == 0)
    ⟲ repeats from step 4
    ");
    let ascii = drawn(&sample::steps(), Some(0), Style { unicode: false, ..UNICODE });
    assert!(ascii.is_ascii());
    insta::assert_snapshot!(ascii, @r"
    step        place        who  event                   changed  channels
    from here on forever:
       1  +  /  hand.pml:8   P:0  x = 1                   x = 1
       2  :  \  hand.pml:9   P:0  q!req(1)                         q | req(1)
       3  :     hand.pml:11  P:0  c!ack -> Q:1 (line 16)
       4  :     hand.pml:12  P:0  q!req(7)                         q | req(1) req(7)
       5  :     hand.pml:17  Q:1  q?req(1)                         q | req(7)
       6  +     hand.pml:18  Q:1  assert(x == 0)
    <- repeats from step 1
    ");
    assert!(drawn(&many(180), Some(99), UNICODE).contains("… 120 steps, forever from step 100 on; --trace"));
}

#[test]
fn a_loop_of_one_step_and_one_that_does_not_exist() {
    insta::assert_snapshot!(drawn(&many(2), Some(1), UNICODE), @"
    step     place       who  event
       1     hand.pml:8  P:0  x = 0
    from here on forever:
       2  ⊂  hand.pml:8  P:0  x = 1
    ⟲ repeats from step 2
    ");
    let ended = drawn(&many(2), None, UNICODE) + "  from here on nothing happens\n";
    assert_eq!(drawn(&many(2), Some(2), UNICODE), ended);
    assert_eq!(drawn(&many(2), Some(usize::MAX), UNICODE), drawn(&many(2), None, UNICODE));
}

#[test]
fn a_lost_message_has_nobody_who_moved() {
    let mut lost = sample::step(sample::moves(0, "x = 1"), "q loses message 2", Step::Loss { queue: 0, position: 1 });
    lost.moves.clear();
    insta::assert_snapshot!(drawn(&[lost], None, UNICODE), @"
    step  event
       1  q loses message 2
    ");
}

#[test]
fn control_that_was_lost_closes_the_bracket() {
    let mut steps = sample::steps();
    steps[1].atomic = true;
    steps[2].moves = vec![sample::moves(1, "c?ack")];
    let brackets: Vec<_> = (0..3).map(|position| bracket(&steps, position, UNICODE)).collect();
    assert_eq!(brackets, ["┌", "└", ""]);
    steps[0].moves.push(sample::moves(1, "c?ack"));
    steps[1].moves = vec![sample::moves(1, "c?ack")];
    let handed_over: Vec<_> = (0..3).map(|position| bracket(&steps, position, UNICODE)).collect();
    assert_eq!(handed_over, ["┌", "│", "└"]);
}

#[test]
fn a_long_queue_is_shown_by_its_ends_and_its_length() {
    let messages = (0..1200).map(|n| n.to_string()).collect();
    let contents = Contents { channel: String::from("q"), messages };
    assert_eq!(channel(&contents, UNICODE), "q ▕ 0 1 2 3 4 … 1195 1196 1197 1198 1199 (1 200)");
    let empty = Contents { channel: String::from("q"), messages: Vec::new() };
    assert_eq!(channel(&empty, UNICODE), "q ▕");
}

#[test]
fn the_processes_stand_where_they_wait() {
    let processes = [sample::deadlock_witness().waiting, sample::witness().waiting].concat();
    insta::assert_snapshot!(standing(processes), @"
    where it ends
      P:0  hand.pml:11  waits here     c!ack;
      Q:1  hand.pml:17  waits here     q?req(x);
      P:0  hand.pml:13  may stop here  }
      Q:1  hand.pml:18  waits here     assert(x == 0)
    ");
}

#[test]
fn of_very_many_processes_some_are_left_out() {
    let processes = vec![sample::deadlock_witness().waiting[0].clone(); 255];
    let text = standing(processes);
    assert!(text.ends_with("… and 215 more\n"), "{text}");
}

#[test]
fn each_process_has_its_colour() {
    let text = drawn(&sample::steps(), None, Style { color: true, ..UNICODE });
    assert!(text.contains("\x1b[36mP:0\x1b[0m") && text.contains("\x1b[35mQ:1\x1b[0m"), "{text:?}");
}

fn plain(chart: &Chart) -> String {
    steps(chart, Fold::Nothing, &Places::new(&sample::sources()), Style::PLAIN)
}

#[test]
fn events_of_components_are_shown_with_who_takes_part() {
    let run = Chart { loop_from: Some(1), ..sample::joint() };
    insta::assert_snapshot!(plain(&run), @"
    step     event  who takes part
       1     go     P: IDLE -> BUSY; Q: ON
    -> `p` is true now
    from here on forever:
       2  =  tau    Q: ON -> OFF
    <- repeats from step 2
    ");
    assert_eq!(when(&run), "after 1 step, then 1 step forever");
    assert_eq!(when(&sample::joint()), "after 2 steps");
}

#[test]
fn lanes_that_are_stuck_are_shown_with_what_they_wait_for() {
    let places = sample::sources();
    insta::assert_snapshot!(ending(&sample::joint(), &Places::new(&places), Style::PLAIN), @"
    why nothing can happen
      `P` in `BUSY` waits for `a`, which `Q` refuses in `OFF`; or for `b`, which `Q` refuses in `OFF`
      `R` in `BUSY` has done its work
      `S` in `BUSY` can do nothing any more
      they wait in a circle: P -> Q -> P
    ");
    let lanes = (0..40).map(|n: u32| Lane { name: n.to_string(), ..Lane::default() }).collect();
    let long = Chart { lanes, circle: (0..40).collect(), ..sample::joint() };
    let text = ending(&long, &Places::new(&places), Style::PLAIN);
    assert!(
        text.ends_with(
            "circle: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> ... -> 32 -> 33 -> 34 -> 35 -> 36 -> 37 -> 38 -> 39 -> 0\n"
        ),
        "{text}"
    );
}

#[test]
fn a_run_of_c_is_a_table_of_statements_and_what_they_change() {
    insta::assert_snapshot!(plain(&sample::program()), @"
    step  place        who   statement       changed
       1  hand.pml:8   main  x = 1           x = 1
       2  hand.pml:18  f     assert(x == 0)  f::n = -3, p = &a[1]
          -> `read` returned -3
    ");
    assert_eq!(when(&sample::program()), "after 2 steps");
    let mut one = sample::program();
    one.lanes.truncate(1);
    one.steps.truncate(1);
    assert!(!plain(&one).contains("main"), "{}", plain(&one));
}

#[test]
fn steps_behind_a_gap_keep_their_numbers() {
    let long = Chart { gap: Some(Gap { after: 1, steps: 1_000 }), ..sample::program() };
    let text = plain(&long);
    assert!(text.contains("... 1 000 steps are left out") && text.contains("1 002"), "{text}");
    assert_eq!(when(&long), "after 1 002 steps");
}

#[test]
fn lanes_are_drawn_and_joined_where_they_take_part_in_an_event() {
    let run = Chart { loop_from: Some(2), ..sample::components() };
    insta::assert_snapshot!(plain(&run), @"
    the parts, from left to right: a, b, L
    step            place        who  event  statement  changed
       1     o | |  hand.pml:8   a           x = 1      x = 1
    from here on forever:
       3  =  o-+-o  hand.pml:12  a    take   q!req(7)
                    hand.pml:16  L           c?ack
    <- repeats from step 3
    ");
    assert_eq!(when(&run), "after 2 steps, then 1 step forever");
    let silent = Chart { loop_from: Some(1), ..sample::components() };
    assert!(plain(&silent).contains("repeats from step 2\n"), "{}", plain(&silent));
    let mut unseen = silent;
    unseen.steps.truncate(2);
    assert!(plain(&unseen).contains("repeats from step 2, and nothing of it is seen"), "{}", plain(&unseen));
}
