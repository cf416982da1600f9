//! A run as a chart: one row per step, with who moved, what it did, and what is in the channels now.
//!
//! ```text
//! step     place        who  event                 changed  channels
//!    1  ┌  hand.pml:8   P:0  x = 1                 x = 1
//!    2  └  hand.pml:9   P:0  q!req(1)                       q ▕ req(1)
//!    3     hand.pml:11  P:0  c!ack → Q:1 (line 16)
//! ```
//! A bracket holds an atomic sequence together. A message that is handed over has an arrow to the
//! process that takes it. A channel is a bar with its messages behind it, head first. The middle of
//! a long run is left out: the beginning says what it is about, the end is what went wrong.
//!
//! A run without end has a loop: its steps are held together by a line, and after the last of them it begins again.
//!
//! ```text
//! from here on for ever:
//!    4  ╭  hand.pml:12  P:0  q!req(7)               q ▕ req(1) req(7)
//!    5  ╰  hand.pml:17  Q:1  q?req(1)               q ▕ req(7)
//! ⟲ repeats from step 4
//! ```

use crate::places::Places;
use crate::style::{Ink, Style, clean, counted, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::source::SourceMap;
use model::verdict::{Actor, Contents, Standing, WitnessStep};
use std::ops::Range;

/// A run of more steps than this is folded ..
const LONG: usize = 60;
/// .. to so many at the beginning ..
const HEAD: usize = 20;
/// .. and so many at the end.
const TAIL: usize = 40;
/// A queue of more messages than this is shown by its two ends.
const LONG_QUEUE: usize = 10;
/// More processes than this are not listed.
const MANY: usize = 40;

/// How much of a long run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// The beginning and the end.
    Middle,
    /// Every step.
    Nothing,
}

/// The steps of a run; `loop_from` is the first step of its loop, if it has one.
pub fn run(steps: &[WitnessStep], loop_from: Option<usize>, fold: Fold, sources: &SourceMap, style: Style) -> String {
    steps_table(steps, loop_from, fold, &Places::new(sources), style)
}

/// Where processes are; `stuck` says that none of them can move.
pub fn standing(processes: &[Standing], stuck: bool, sources: &SourceMap, style: Style) -> String {
    standing_table(processes, stuck, &Places::new(sources), style)
}

pub(crate) fn steps_table(
    steps: &[WitnessStep],
    loop_from: Option<usize>,
    fold: Fold,
    places: &Places<'_>,
    style: Style,
) -> String {
    let mut table = Table::new(&[
        ("step", Set::Right),
        ("", Set::Left),
        ("", Set::Left),
        ("place", Set::Left),
        ("who", Set::Left),
        ("event", Set::Elastic),
        ("changed", Set::Elastic),
        ("channels", Set::Elastic),
    ]);
    let hidden = hidden(steps.len(), fold);
    let repeated = loop_from.map_or(0..0, |first| first..steps.len());
    for position in (0..hidden.start).chain(hidden.end..steps.len()) {
        if position == hidden.end && !hidden.is_empty() {
            table.push(Row::Remark(fold_remark(&hidden, loop_from, style)));
        }
        if loop_from == Some(position) {
            table.push(Row::Remark(String::from("from here on for ever:")));
        }
        table.push(Row::Cells(step_cells(steps, position, &repeated, places, style)));
        let arrow = style.choose("↳", "->");
        for text in &steps[position].remarks {
            table.push(Row::Remark(format!("{arrow} {}", clean(text))));
        }
    }
    if loop_from == Some(steps.len()) {
        table.push(Row::Remark(String::from("from here on nothing happens")));
    }
    if !repeated.is_empty() {
        let (again, first) = (style.choose("⟲", "<-"), grouped(repeated.start as u64 + 1));
        table.push(Row::Remark(format!("{again} repeats from step {first}")));
    }
    table.render("  ", style)
}

/// The steps that are not shown.
pub(crate) fn hidden(steps: usize, fold: Fold) -> Range<usize> {
    if fold == Fold::Nothing || steps <= LONG { 0..0 } else { HEAD..steps - TAIL }
}

pub(crate) fn fold_remark(hidden: &Range<usize>, loop_from: Option<usize>, style: Style) -> String {
    let count = counted(hidden.len() as u64, "step", "steps");
    let repeats = match loop_from.filter(|first| hidden.contains(first)) {
        Some(first) => format!(", for ever from step {} on", grouped(first as u64 + 1)),
        None => String::new(),
    };
    format!("{} {count}{repeats}; --trace writes all", style.ellipsis())
}

fn step_cells(
    steps: &[WitnessStep],
    position: usize,
    repeated: &Range<usize>,
    places: &Places<'_>,
    style: Style,
) -> Vec<Cell> {
    let step = &steps[position];
    let place = step.actor.as_ref().map_or_else(String::new, |actor| places.short(actor.span));
    vec![
        Cell::inked(Ink::Faint, grouped(position as u64 + 1)),
        Cell::inked(Ink::Bad, loop_line(position, repeated, style)),
        Cell::inked(Ink::Faint, bracket(steps, position, style)),
        Cell::inked(Ink::Faint, place),
        step.actor.as_ref().map_or_else(|| Cell::from(""), who),
        Cell::from(event(step, places, style)),
        Cell::from(changed(step)),
        Cell::from(channels(step, style)),
    ]
}

/// `P:0`, in the colour of the process.
fn who(actor: &Actor) -> Cell {
    Cell::inked(Ink::Process(actor.instance), name(actor))
}

/// Type and number; the colons of `:init:` are not needed to tell it from other names here.
fn name(actor: &Actor) -> String {
    format!("{}:{}", clean(actor.name.trim_matches(':')), actor.instance)
}

/// The part of the bracket around an atomic sequence that belongs to a step.
fn bracket(steps: &[WitnessStep], position: usize, style: Style) -> &'static str {
    let continued = position > 0 && is_continued(steps, position - 1);
    match (continued, is_continued(steps, position)) {
        (false, false) => "",
        (false, true) => style.choose("┌", "/"),
        (true, true) => style.choose("│", "|"),
        (true, false) => style.choose("└", "\\"),
    }
}

/// The part of the line along a loop that belongs to a step.
pub(crate) fn loop_line(position: usize, repeated: &Range<usize>, style: Style) -> &'static str {
    if !repeated.contains(&position) {
        return "";
    }
    match (position == repeated.start, position + 1 == repeated.end) {
        (true, true) => style.choose("⊂", "="),
        (true, false) => style.choose("╭", "+"),
        (false, false) => style.choose("│", ":"),
        (false, true) => style.choose("╰", "+"),
    }
}

/// Whether the next step belongs to the same atomic sequence. Control that stays with a process is
/// lost when it cannot move; so the next step must really be its own, or that of the receiver it
/// handed control to.
fn is_continued(steps: &[WitnessStep], position: usize) -> bool {
    let involved = |step: &WitnessStep, number: u32| {
        [&step.actor, &step.partner].into_iter().flatten().any(|actor| actor.instance == number)
    };
    let step = &steps[position];
    let next = steps.get(position + 1);
    step.atomic && next.and_then(|next| next.actor.as_ref()).is_some_and(|actor| involved(step, actor.instance))
}

/// What happened, with an arrow to the receiver of a rendezvous.
fn event(step: &WitnessStep, places: &Places<'_>, style: Style) -> String {
    let event = clean(&step.event);
    let Some(partner) = &step.partner else { return event };
    let at = places.at(partner.span);
    let same_file = step.actor.as_ref().is_none_or(|actor| actor.span.file == partner.span.file);
    let place = match at {
        Some(at) if same_file => format!(" (line {})", at.line),
        Some(at) => format!(" ({})", at.short()),
        None => String::new(),
    };
    format!("{event} {} {}{place}", style.arrow(), name(partner))
}

fn changed(step: &WitnessStep) -> String {
    let changes = step.changes.iter().map(|change| format!("{} = {}", clean(&change.name), clean(&change.value)));
    changes.collect::<Vec<_>>().join(", ")
}

fn channels(step: &WitnessStep, style: Style) -> String {
    step.channels.iter().map(|contents| channel(contents, style)).collect::<Vec<_>>().join("   ")
}

/// `q ▕ a b c`; of a long queue the first and the last messages, and how many there are.
fn channel(contents: &Contents, style: Style) -> String {
    let mut text = format!("{} {}", clean(&contents.channel), style.choose("▕", "|"));
    let messages = &contents.messages;
    let mut push = |part: &str| text += &format!(" {part}");
    if messages.len() <= LONG_QUEUE {
        messages.iter().for_each(|message| push(&clean(message)));
    } else {
        messages.iter().take(LONG_QUEUE / 2).for_each(|message| push(&clean(message)));
        push(style.ellipsis());
        messages.iter().skip(messages.len() - LONG_QUEUE / 2).for_each(|message| push(&clean(message)));
        push(&format!("({})", grouped(messages.len() as u64)));
    }
    text
}

pub(crate) fn standing_table(processes: &[Standing], stuck: bool, places: &Places<'_>, style: Style) -> String {
    let mut table = Table::new(&[("", Set::Left), ("", Set::Left), ("", Set::Left), ("", Set::Elastic)]);
    for process in processes.iter().take(MANY) {
        table.push(Row::Cells(standing_cells(process, stuck, places)));
    }
    if let Some(more) = processes.len().checked_sub(MANY).filter(|&more| more > 0) {
        table.push(Row::Remark(format!("{} and {more} more", style.ellipsis())));
    }
    table.render("  ", style)
}

fn standing_cells(process: &Standing, stuck: bool, places: &Places<'_>) -> Vec<Cell> {
    let span = process.actor.span;
    let remark = match (process.valid_end, stuck) {
        (true, _) => Cell::from("may stop here"),
        (false, true) => Cell::inked(Ink::Bad, "waits here"),
        (false, false) => Cell::from("is here"),
    };
    let text = match process.options.as_slice() {
        [] | [_] => places.line(span).map_or("", |line| line.text.trim()).to_owned(),
        options => options.join(" | "),
    };
    // A line may be megabytes long; no terminal is.
    let line: String = text.chars().take(1000).collect();
    vec![who(&process.actor), Cell::inked(Ink::Faint, places.short(span)), remark, Cell::from(clean(&line))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use model::semantics::Step;

    const UNICODE: Style = Style { color: false, unicode: true, width: 100 };

    fn drawn(steps: &[WitnessStep], loop_from: Option<usize>, style: Style) -> String {
        run(steps, loop_from, Fold::Middle, &sample::sources(), style)
    }

    fn many(count: usize) -> Vec<WitnessStep> {
        let actor = || sample::actor("P", 0, "x = 1");
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
        let whole = run(&many(180), None, Fold::Nothing, &sample::sources(), UNICODE);
        assert_eq!(whole.lines().count(), 181);
    }

    #[test]
    fn the_steps_of_a_loop_are_held_together() {
        insta::assert_snapshot!(drawn(&sample::steps(), Some(3), UNICODE), @"
        step        place        who  event                  changed  channels
           1     ┌  hand.pml:8   P:0  x = 1                  x = 1
           2     └  hand.pml:9   P:0  q!req(1)                        q ▕ req(1)
           3        hand.pml:11  P:0  c!ack → Q:1 (line 16)
        from here on for ever:
           4  ╭     hand.pml:12  P:0  q!req(7)                        q ▕ req(1) req(7)
           5  │     hand.pml:17  Q:1  q?req(1)                        q ▕ req(7)
           6  ╰     hand.pml:18  Q:1  assert(x == 0)
        ⟲ repeats from step 4
        ");
        let ascii = drawn(&sample::steps(), Some(0), Style { unicode: false, ..UNICODE });
        assert!(ascii.is_ascii());
        insta::assert_snapshot!(ascii, @r"
        step        place        who  event                   changed  channels
        from here on for ever:
           1  +  /  hand.pml:8   P:0  x = 1                   x = 1
           2  :  \  hand.pml:9   P:0  q!req(1)                         q | req(1)
           3  :     hand.pml:11  P:0  c!ack -> Q:1 (line 16)
           4  :     hand.pml:12  P:0  q!req(7)                         q | req(1) req(7)
           5  :     hand.pml:17  Q:1  q?req(1)                         q | req(7)
           6  +     hand.pml:18  Q:1  assert(x == 0)
        <- repeats from step 1
        ");
        assert!(drawn(&many(180), Some(99), UNICODE).contains("… 120 steps, for ever from step 100 on; --trace"));
    }

    #[test]
    fn a_loop_of_one_step_and_one_that_does_not_exist() {
        insta::assert_snapshot!(drawn(&many(2), Some(1), UNICODE), @"
        step     place       who  event
           1     hand.pml:8  P:0  x = 0
        from here on for ever:
           2  ⊂  hand.pml:8  P:0  x = 1
        ⟲ repeats from step 2
        ");
        let ended = drawn(&many(2), None, UNICODE) + "  from here on nothing happens\n";
        assert_eq!(drawn(&many(2), Some(2), UNICODE), ended);
        assert_eq!(drawn(&many(2), Some(usize::MAX), UNICODE), drawn(&many(2), None, UNICODE));
    }

    #[test]
    fn a_lost_message_has_nobody_who_moved() {
        let mut lost =
            sample::step(sample::actor("P", 0, "x = 1"), "q loses message 2", Step::Loss { queue: 0, position: 1 });
        lost.actor = None;
        insta::assert_snapshot!(drawn(&[lost], None, UNICODE), @"
        step  event
           1  q loses message 2
        ");
    }

    #[test]
    fn control_that_was_lost_closes_the_bracket() {
        let mut steps = sample::steps();
        steps[1].atomic = true;
        steps[2].actor = Some(sample::actor("Q", 1, "c?ack"));
        let brackets: Vec<_> = (0..3).map(|position| bracket(&steps, position, UNICODE)).collect();
        assert_eq!(brackets, ["┌", "└", ""]);
        steps[0].partner = Some(sample::actor("Q", 1, "c?ack"));
        steps[1].actor = Some(sample::actor("Q", 1, "c?ack"));
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
        let processes = [sample::deadlock_witness().standing, sample::witness().standing].concat();
        insta::assert_snapshot!(standing(&processes, true, &sample::sources(), UNICODE), @"
        P:0  hand.pml:11  waits here     c!ack;
        Q:1  hand.pml:17  waits here     q?req(x);
        P:0  hand.pml:13  may stop here  }
        Q:1  hand.pml:18  waits here     assert(x == 0)
        ");
    }

    #[test]
    fn of_very_many_processes_some_are_left_out() {
        let processes = vec![sample::deadlock_witness().standing[0].clone(); 255];
        let text = standing(&processes, true, &sample::sources(), UNICODE);
        assert!(text.ends_with("… and 215 more\n"), "{text}");
    }

    #[test]
    fn each_process_has_its_colour() {
        let text = drawn(&sample::steps(), None, Style { color: true, ..UNICODE });
        assert!(text.contains("\x1b[36mP:0\x1b[0m") && text.contains("\x1b[35mQ:1\x1b[0m"), "{text:?}");
    }
}
