//! Where a run ends: where every lane is, what it waits for, and who refuses it.
//!
//! ```text
//! where it ends
//!   P:0  hand.pml:11  waits here  c!ack;
//!
//! why nothing can happen
//!   `phil[0]` in `RIGHT` waits for `right.0.get`, which `fork[1]` refuses in `TAKEN`
//!   they wait in a circle: phil[0] → fork[1] → phil[1] → fork[0] → phil[0]
//! ```

use super::who;
use crate::places::Places;
use crate::style::{Ink, Style, clean, counted};
use crate::table::{Cell, Row, Set, Table};
use model::chart::{Awaited, Blocked, Chart, Waits};
use model::source::Span;

/// More lanes than this are not listed.
const MANY: usize = 40;
/// More events that a lane waits for than this are counted.
const MANY_EVENTS: usize = 4;
/// A circle of more lanes than this is shown by its two ends.
const LONG_CIRCLE: usize = 16;

/// Where the lanes are at the end; nothing if that is not known.
pub(crate) fn ending(chart: &Chart, places: &Places<'_>, style: Style) -> String {
    if chart.waiting.is_empty() {
        return String::new();
    }
    let named = !chart.form.processes && chart.waiting.iter().any(|waits| waits.state.is_some());
    let title = match (named, chart.loop_from) {
        (true, _) => "why nothing can happen",
        (false, Some(_)) => "where a round ends",
        (false, None) => "where it ends",
    };
    let body = if named { sentences(chart, style) } else { table(chart, places, style) };
    style.paint(Ink::Strong, title) + "\n" + &body + &circle(chart, style)
}

fn table(chart: &Chart, places: &Places<'_>, style: Style) -> String {
    let mut table = Table::new(&[("", Set::Left), ("", Set::Left), ("", Set::Left), ("", Set::Wrapped)]);
    for waits in chart.waiting.iter().take(MANY) {
        rows(chart, waits, places).into_iter().for_each(|cells| table.push(Row::Cells(cells)));
    }
    if let Some(more) = chart.waiting.len().checked_sub(MANY).filter(|&more| more > 0) {
        table.push(Row::Remark(format!("{} and {more} more", style.ellipsis())));
    }
    table.render("  ", style)
}

/// A row for each alternative that a stuck lane waits for, else one for the lane.
fn rows(chart: &Chart, waits: &Waits, places: &Places<'_>) -> Vec<Vec<Cell>> {
    let remark = match (waits.done, chart.stuck) {
        (true, _) if waits.state.is_some() => {
            Cell::from(format!("in {}", clean(waits.state.as_deref().unwrap_or_default())))
        }
        (true, _) => Cell::from("may stop here"),
        (false, true) => Cell::inked(Ink::Bad, "waits here"),
        (false, false) => Cell::from("is here"),
    };
    let mut alternatives = alternatives(chart, waits, places).into_iter();
    let mut row = |who: Cell, remark: Cell| {
        let (span, text) = alternatives.next()?;
        // A line may be megabytes long; no terminal is.
        let line: String = text.chars().take(1000).collect();
        let place = span.map_or_else(String::new, |span| places.short(span));
        Some(vec![who, Cell::inked(Ink::Faint, place), remark, Cell::from(clean(&line))])
    };
    let first = row(who(chart, waits.lane), remark);
    let others = std::iter::from_fn(|| row(Cell::from(""), Cell::from("")));
    first.into_iter().chain(others).collect()
}

/// What a lane could do next: each alternative with the reason why it cannot, where nothing can move.
fn alternatives(chart: &Chart, waits: &Waits, places: &Places<'_>) -> Vec<(Option<Span>, String)> {
    let reason = |awaited: &Awaited| {
        let blocked = awaited.blocked.as_ref()?;
        let (event, why) = (&awaited.event, because(chart, blocked));
        // A condition that is false is not said twice.
        let same = why.strip_prefix(&format!("`{event}`")).map(|rest| format!("{event}{rest}"));
        Some((awaited.span, same.unwrap_or_else(|| format!("{event}: {why}"))))
    };
    let reasons: Vec<_> =
        waits.events.iter().filter(|_| chart.stuck && !waits.done).filter_map(reason).take(MANY_EVENTS).collect();
    if !reasons.is_empty() {
        return reasons;
    }
    let written = || waits.span.and_then(|span| places.line(span)).map_or("", |line| line.text.trim()).to_owned();
    let text = match waits.events.as_slice() {
        [] => written(),
        events => events.iter().map(|awaited| awaited.event.as_str()).collect::<Vec<_>>().join(" | "),
    };
    vec![(waits.span, text)]
}

/// `c` is full (1 of 1), until Q:1 receives
pub fn because(chart: &Chart, blocked: &Blocked) -> String {
    let names: Vec<String> = blocked.lanes.iter().take(MANY_EVENTS).map(|&lane| chart.lane_name(lane)).collect();
    let why = &blocked.why;
    match (names.is_empty(), blocked.lanes.len() - names.len()) {
        (true, _) => format!("{why}, and no process can change that"),
        (false, 0) => format!("{why}, until {} {}", names.join(" or "), blocked.until),
        (false, more) => format!("{why}, until {} or one of {more} more {}", names.join(", "), blocked.until),
    }
}

/// Of a lane that waits for nothing and may not stop, why it does not move.
pub fn stopped(waits: &Waits) -> Option<&'static str> {
    (!waits.done && waits.events.is_empty()).then_some("can do nothing any more")
}

/// Why nothing can happen, lane by lane.
fn sentences(chart: &Chart, style: Style) -> String {
    let one = |waits: &Waits| format!("  {}\n", clean(&sentence(chart, waits)));
    let mut text: String = chart.waiting.iter().take(MANY).map(one).collect();
    if let Some(more) = chart.waiting.len().checked_sub(MANY).filter(|&more| more > 0) {
        text += &format!("  {} and {more} more; --format json has all\n", style.ellipsis());
    }
    text
}

/// `phil[0]` in `RIGHT` waits for `right.0.get`, which `fork[1]` refuses in `TAKEN`.
pub fn sentence(chart: &Chart, waits: &Waits) -> String {
    let here = format!("`{}` in `{}`", chart.lane_name(waits.lane), waits.state.as_deref().unwrap_or(""));
    if waits.events.is_empty() {
        return format!("{here} {}", stopped(waits).unwrap_or("has done its work"));
    }
    let wish = |awaited: &Awaited| {
        let by = |(lane, state): &(usize, String)| format!("`{}` refuses in `{state}`", chart.lane_name(*lane));
        let by: Vec<String> = awaited.refused_by.iter().take(MANY_EVENTS).map(by).collect();
        format!("`{}`, which {}", awaited.event, by.join(" and "))
    };
    let mut wishes: Vec<String> = waits.events.iter().take(MANY_EVENTS).map(wish).collect();
    if let Some(more) = waits.events.len().checked_sub(MANY_EVENTS).filter(|&more| more > 0) {
        wishes.push(counted(more as u64, "other event", "other events"));
    }
    let end = if waits.done { "; it may also stop" } else { "" };
    format!("{here} waits for {}{end}", wishes.join("; or for "))
}

/// Lanes that wait for each other.
fn circle(chart: &Chart, style: Style) -> String {
    let Some(first) = chart.circle.first() else { return String::new() };
    let (arrow, count) = (format!(" {} ", style.arrow()), chart.circle.len());
    let names: Vec<String> = chart.circle.iter().chain([first]).map(|&lane| clean(&chart.lane_name(lane))).collect();
    let shown = if count <= LONG_CIRCLE {
        names.join(&arrow)
    } else {
        let (start, end) = (&names[..LONG_CIRCLE / 2], &names[count - LONG_CIRCLE / 2..]);
        [start.join(&arrow), String::from(style.ellipsis()), end.join(&arrow)].join(&arrow)
    };
    format!("  they wait in a circle: {shown}\n")
}
