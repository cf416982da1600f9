//! Lanes beside the steps, and those who take part in an event.
//!
//! ```text
//! the parts, from left to right: client, server
//! step         place      who     event  statement   changed
//!    3  ● │    pair.c:12  client         x = 1       x = 1
//!    4  ●─●    pair.c:13  client  hello  hello()
//!              pair.c:31  server         hello()
//! ```

use crate::style::{Ink, Style, clean};
use model::chart::{Chart, ChartStep, Move};

/// More lanes than this are not drawn.
const MANY: usize = 12;
/// More participants of a step than this are counted.
const MANY_PARTICIPANTS: usize = 6;

/// Lanes are drawn where the form lists them, and where they fit.
fn are_drawn(chart: &Chart) -> bool {
    chart.form.lanes.is_some() && (2..=MANY).contains(&chart.lanes.len())
}

/// Which lane is which.
pub(super) fn title(chart: &Chart, style: Style) -> String {
    let Some(lanes) = chart.form.lanes.filter(|_| are_drawn(chart)) else { return String::new() };
    let names: Vec<String> = (0..chart.lanes.len()).map(|lane| clean(&chart.lane_name(lane))).collect();
    style.paint(Ink::Faint, &format!("  the {lanes}, from left to right: {}", names.join(", "))) + "\n"
}

/// `● │ │`, or `●─┼─●` where the first and the last take part in an event.
pub(super) fn drawn(chart: &Chart, step: &ChartStep, style: Style) -> String {
    if !are_drawn(chart) {
        return String::new();
    }
    let takes_part = |lane: usize| step.moves.iter().any(|one| one.lane == lane);
    let movers = || step.moves.iter().map(|one| one.lane);
    let (first, last) = (movers().min().unwrap_or(0), movers().max().unwrap_or(0));
    let mut text = String::new();
    for lane in 0..chart.lanes.len() {
        let between = first < lane && lane < last;
        text += match (takes_part(lane), between) {
            (true, _) => style.choose("●", "o"),
            (false, true) => style.choose("┼", "+"),
            (false, false) => style.choose("│", "|"),
        };
        if lane + 1 < chart.lanes.len() {
            text += if first <= lane && lane < last { style.choose("─", "-") } else { " " };
        }
    }
    text
}

/// `phil[0]: THINK → RIGHT; fork[0]: FREE → TAKEN`, where states have names.
pub(super) fn participants(chart: &Chart, step: &ChartStep, style: Style) -> String {
    let one = |one: &Move| {
        let (lane, (from, to)) = (clean(&chart.lane_name(one.lane)), one.states.as_ref()?);
        if from == to {
            return Some(format!("{lane}: {}", clean(to)));
        }
        Some(format!("{lane}: {} {} {}", clean(from), style.arrow(), clean(to)))
    };
    let mut shown: Vec<String> = step.moves.iter().filter_map(one).collect();
    if let Some(more) = shown.len().checked_sub(MANY_PARTICIPANTS).filter(|&more| more > 0) {
        shown.truncate(MANY_PARTICIPANTS);
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}
