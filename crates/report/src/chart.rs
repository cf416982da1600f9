//! A run as text: one row per move, with who moved, what it did, and what is in the channels now.
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
//! from here on forever:
//!    4  ╭  hand.pml:12  P:0  q!req(7)               q ▕ req(1) req(7)
//!    5  ╰  hand.pml:17  Q:1  q?req(1)               q ▕ req(7)
//! ⟲ repeats from step 4
//! ```
//! Where several lanes move in a step, each has a row of its own, and the lanes are drawn; where their states have
//! names, they share a row. `lanes` is how that looks, `ending` what is said of the end. Columns in which nothing
//! stands are left out.

mod ending;
mod lanes;

pub(crate) use ending::ending;
pub use ending::{because, sentence, stopped};

use crate::cycles::enumerated;
use crate::places::Places;
use crate::style::{Ink, Style, clean, counted, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::chart::{Change, Chart, ChartStep, Contents, Move};
use model::source::SourceMap;
use std::ops::Range;

/// A run of more steps than this is folded ..
const LONG: usize = 60;
/// .. to so many at the beginning ..
const HEAD: usize = 20;
/// .. and so many at the end.
const TAIL: usize = 40;
/// A queue of more messages than this is shown by its two ends.
const LONG_QUEUE: usize = 10;
/// More changes by one move than this are counted.
const MANY_CHANGES: usize = 8;

/// How much of a long run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fold {
    /// The beginning and the end.
    Middle,
    /// Every step.
    Nothing,
}

/// Every step of a run, and where it ends.
pub fn whole(chart: &Chart, sources: &SourceMap, style: Style) -> String {
    let places = Places::new(sources);
    steps(chart, Fold::Nothing, &places, style) + &ending(chart, &places, style)
}

/// The steps of a run.
pub(crate) fn steps(chart: &Chart, fold: Fold, places: &Places<'_>, style: Style) -> String {
    let mut titles = vec![
        ("step", Set::Right),
        ("", Set::Left),
        ("", Set::Left),
        ("", Set::Left),
        ("place", Set::Left),
        ("who", Set::Left),
        ("event", Set::Elastic),
        ("who takes part", Set::Elastic),
        ("statement", Set::Elastic),
        ("changed", Set::Elastic),
        ("channels", Set::Elastic),
    ];
    titles.extend(chart.columns.iter().map(|title| (title.as_str(), Set::Right)));
    let mut table = Table::new(&titles);
    let shown: Vec<usize> = (0..chart.steps.len()).filter(|&at| is_shown(&chart.steps[at])).collect();
    let loop_from = chart.loop_from.filter(|&first| first < chart.steps.len());
    let repeated = loop_from.map_or(0..0, |first| shown.partition_point(|&at| at < first)..shown.len());
    let hidden = hidden(shown.len(), fold);
    for position in (0..hidden.start).chain(hidden.end..shown.len()) {
        let at = shown[position];
        if position == hidden.end && !hidden.is_empty() {
            table.push(Row::Remark(fold_remark(chart, &shown[hidden.clone()], style)));
        }
        if let Some(gap) = chart.gap.filter(|gap| gap.after == at) {
            let missing = counted(gap.steps, "step", "steps");
            table.push(Row::Remark(format!("{} {missing} are left out", style.ellipsis())));
        }
        if !repeated.is_empty() && repeated.start == position {
            table.push(Row::Remark(String::from("from here on forever:")));
        }
        push_step(&mut table, chart, at, loop_line(position, &repeated, style), places, style);
    }
    if let Some(first) = loop_from {
        let (again, first) = (style.choose("⟲", "<-"), grouped(chart.number(first)));
        let silent = if repeated.is_empty() { ", and nothing of it is seen" } else { "" };
        table.push(Row::Remark(format!("{again} repeats from step {first}{silent}")));
    } else if chart.loop_from == Some(chart.steps.len()) {
        table.push(Row::Remark(String::from("from here on nothing happens")));
    }
    lanes::title(chart, style) + &table.render("  ", style) + &round(chart)
}

/// A step without an event and without a remark has a row only if it says so.
fn is_shown(step: &ChartStep) -> bool {
    step.shown || step.event.is_some() || !step.remarks.is_empty()
}

/// The steps that are not shown.
fn hidden(steps: usize, fold: Fold) -> Range<usize> {
    if fold == Fold::Nothing || steps <= LONG { 0..0 } else { HEAD..steps - TAIL }
}

fn fold_remark(chart: &Chart, hidden: &[usize], style: Style) -> String {
    let count = counted(hidden.len() as u64, "step", "steps");
    let last = hidden.last().copied().unwrap_or(0);
    let inside = |first: &usize| hidden.first().is_some_and(|start| start <= first && *first <= last);
    let repeats = match chart.loop_from.filter(inside) {
        Some(first) => format!(", forever from step {} on", grouped(chart.number(first))),
        None => String::new(),
    };
    format!("{} {count}{repeats}; --trace writes all", style.ellipsis())
}

/// The rows of a step, and what there is to say about it.
fn push_step(table: &mut Table, chart: &Chart, at: usize, mark: &str, places: &Places<'_>, style: Style) {
    let (step, arrow) = (&chart.steps[at], style.choose("↳", "->"));
    let together = chart.form.moves.is_none() || step.moves.iter().all(|one| one.states.is_some());
    let rows = if together { step.moves.len().min(1) } else { step.moves.len() };
    for number in 0..rows.max(1) {
        let one = step.moves.get(number);
        let first = |text: String| if number == 0 { text } else { String::new() };
        let columns = chart.columns.iter().enumerate();
        let columns = columns.map(|(column, _)| step.columns.get(column).map_or("", String::as_str));
        let columns: Vec<Cell> = columns.map(|value| Cell::from(first(clean(value)))).collect();
        let mut cells = vec![
            Cell::inked(Ink::Faint, first(grouped(chart.number(at)))),
            Cell::inked(Ink::Bad, first(String::from(mark))),
            Cell::inked(Ink::Faint, first(String::from(bracket(&chart.steps, at, style)))),
            Cell::from(first(lanes::drawn(chart, step, style))),
            Cell::inked(Ink::Faint, one.and_then(|one| one.span).map_or_else(String::new, |span| places.short(span))),
            one.filter(|one| one.states.is_none()).map_or_else(|| Cell::from(""), |one| who(chart, one.lane)),
            Cell::from(first(event(chart, step, places, style))),
            Cell::from(first(lanes::participants(chart, step, style))),
            Cell::from(one.map_or_else(String::new, |one| clean(&one.does))),
            Cell::from(one.map_or_else(String::new, |one| changed(&one.changes))),
            Cell::from(first(channels(step, style))),
        ];
        cells.extend(columns);
        table.push(Row::Cells(cells));
        for remark in one.iter().flat_map(|one| &one.remarks) {
            table.push(Row::Remark(format!("      {arrow} {}", clean(remark))));
        }
    }
    for remark in &step.remarks {
        table.push(Row::Remark(format!("{arrow} {}", clean(remark))));
    }
}

/// `P:0`, in the colour of the lane; nothing where there is only one who could move.
fn who(chart: &Chart, lane: usize) -> Cell {
    let number = chart.lanes.get(lane).and_then(|lane| lane.instance);
    if chart.form.moves.is_none() && number.is_none() && chart.lanes.len() == 1 {
        return Cell::from("");
    }
    Cell::inked(Ink::Process(number.unwrap_or(lane as u32)), clean(&chart.lane_name(lane)))
}

/// The part of the bracket around an atomic sequence that belongs to a step.
fn bracket(steps: &[ChartStep], position: usize, style: Style) -> &'static str {
    // What is not shown has no part of it.
    let group = |at: &usize| is_continued(steps, *at);
    let continued = (0..position).rev().take_while(group).any(|at| is_shown(&steps[at]));
    let goes_on = (position..steps.len()).take_while(group).any(|at| is_shown(&steps[at + 1]));
    match (continued, goes_on) {
        (false, false) => "",
        (false, true) => style.choose("┌", "/"),
        (true, true) => style.choose("│", "|"),
        (true, false) => style.choose("└", "\\"),
    }
}

/// The part of the line along a loop that belongs to a step.
fn loop_line(position: usize, repeated: &Range<usize>, style: Style) -> &'static str {
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
fn is_continued(steps: &[ChartStep], position: usize) -> bool {
    let step = &steps[position];
    let next = steps.get(position + 1).and_then(|next| next.moves.first());
    step.atomic && next.is_some_and(|next| step.moves.iter().any(|one| one.lane == next.lane))
}

/// What happened, with an arrow to the receiver of a rendezvous.
fn event(chart: &Chart, step: &ChartStep, places: &Places<'_>, style: Style) -> String {
    let event = clean(step.event.as_deref().unwrap_or(""));
    let partner = step.moves.get(1).filter(|_| chart.form.moves.is_none());
    let Some(partner) = partner else { return event };
    let file = |one: &Move| one.span.map(|span| span.file);
    let place = match partner.span.and_then(|span| places.at(span)) {
        Some(at) if step.moves.first().and_then(file) == file(partner) => format!(" (line {})", at.line),
        Some(at) => format!(" ({})", at.short()),
        None => String::new(),
    };
    format!("{event} {} {}{place}", style.arrow(), clean(&chart.lane_name(partner.lane)))
}

/// `i = 0, s.f = 3`
fn changed(changes: &[Change]) -> String {
    let one = |Change { name, value }: &Change| format!("{} = {}", clean(name), clean(value));
    let mut shown: Vec<String> = changes.iter().take(MANY_CHANGES).map(one).collect();
    if let Some(more) = changes.len().checked_sub(MANY_CHANGES).filter(|&more| more > 0) {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

fn channels(step: &ChartStep, style: Style) -> String {
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

/// What one round of a loop adds to the channels.
fn round(chart: &Chart) -> String {
    let gains: Vec<String> = chart.gains.iter().map(|(name, gain)| format!("{gain} to {}", clean(name))).collect();
    if chart.loop_from.is_none() || gains.is_empty() {
        return String::new();
    }
    format!("  each round adds {}\n", enumerated(gains))
}

/// How long a run is: `after 3 steps, then 2 steps forever`.
pub fn when(chart: &Chart) -> String {
    let steps = |count: u64| counted(count, "step", "steps");
    let length = chart.length();
    match chart.loop_from.map(|first| first as u64) {
        Some(first) if first < length => format!("after {}, then {} forever", steps(first), steps(length - first)),
        Some(_) => format!("after {}, then nothing forever", steps(length)),
        None if length == 0 => String::from("in the first state"),
        None => format!("after {}", steps(length)),
    }
}

#[cfg(test)]
mod tests;
