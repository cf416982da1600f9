//! What stands in the way of a proof: cycles of processes that, taken together, nothing forbids.
//!
//! ```text
//! an unrefuted combination of cycles
//!   P[0], 2 times: +1 q: req
//!     hand.pml:11  c!ack
//!     hand.pml:12  q!req(7)
//!   together they would add to q
//! ```
//! A combination is no run: whether the processes can really take these cycles so often, in parallel, is not known. But
//! who knows the model sees in it either the mistake, or the reason why it cannot happen.

use crate::places::Places;
use crate::style::{Ink, Style, clean, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::source::Span;
use model::verdict::{CycleVerdict, Outcome, Property};

/// More cycles than this are not shown.
const MANY: usize = 20;
/// More statements than this of one cycle are not shown.
const LONG: usize = 30;

/// The combination of an outcome, with what it would add to; nothing if there is none.
pub(crate) fn combination(outcome: &Outcome, places: &Places<'_>, style: Style) -> String {
    let cycles = &outcome.details.cycles;
    if cycles.is_empty() {
        return String::new();
    }
    let mut text = style.paint(Ink::Strong, "an unrefuted combination of cycles") + "\n";
    for cycle in cycles.iter().take(MANY) {
        text += &format!("  {}\n", heading(cycle, style));
        text += &statements(&cycle.statements, places, style);
    }
    if cycles.len() > MANY {
        text += &format!("  {} {} more cycles\n", style.ellipsis(), grouped((cycles.len() - MANY) as u64));
    }
    let consequence = consequence(&outcome.property, &outcome.details.grows, cycles.len());
    text + &consequence.map_or_else(String::new, |words| format!("  {words}\n"))
}

/// Who, how often, and to what effect.
fn heading(cycle: &CycleVerdict, style: Style) -> String {
    let times = match cycle.times.as_str() {
        "1" => String::from("once"),
        times => format!("{} times", clean(times)),
    };
    let effects: Vec<String> =
        cycle.effects.iter().map(|(name, change)| format!("{change:+} {}", clean(name))).collect();
    let effects = if effects.is_empty() { String::from("adds nothing") } else { effects.join(", ") };
    format!("{}, {times}: {effects}", style.paint(Ink::Strong, &clean(&cycle.process)))
}

fn statements(statements: &[(String, Span)], places: &Places<'_>, style: Style) -> String {
    let mut table = Table::new(&[("", Set::Left), ("", Set::Elastic)]);
    for (text, span) in statements.iter().take(LONG) {
        table.push(Row::Cells(vec![Cell::inked(Ink::Faint, places.short(*span)), Cell::from(clean(text))]));
    }
    if statements.len() > LONG {
        let more = grouped((statements.len() - LONG) as u64);
        table.push(Row::Remark(format!("{} {more} more statements", style.ellipsis())));
    }
    table.render("    ", style)
}

/// What would happen if the cycles were repeated forever.
fn consequence(property: &Property, grows: &[String], cycles: usize) -> Option<String> {
    let who = if cycles == 1 { "it" } else { "together they" };
    match (property, grows) {
        (Property::Livelock, []) => Some(format!("{who} would go on forever without progress")),
        (_, []) => None,
        (_, grows) => {
            Some(format!("{who} would add to {}", enumerated(grows.iter().map(|name| clean(name)).collect())))
        }
    }
}

/// Names in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn enumerated(mut names: Vec<String>) -> String {
    match (names.pop(), names.is_empty()) {
        (None, _) => String::new(),
        (Some(only), true) => only,
        (Some(last), false) => format!("{} and {last}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn shown(outcome: &Outcome) -> String {
        combination(outcome, &Places::new(&sample::sources()), Style::PLAIN)
    }

    #[test]
    fn cycles_are_shown_with_places_and_effects() {
        insta::assert_snapshot!(shown(&sample::not_provable()), @"
        an unrefuted combination of cycles
          P[0], 2 times: +1 q: req
            hand.pml:11  c!ack
            hand.pml:12  q!req(7)
          Q[*], once: -1 q: req, +1 processes of R
            hand.pml:16  c?ack
            hand.pml:17  q?req(x)
          together they would add to processes of R and q
        ");
    }

    #[test]
    fn one_cycle_that_spins() {
        let mut outcome = Outcome { property: Property::Livelock, ..sample::not_provable() };
        outcome.details.cycles.truncate(1);
        outcome.details.cycles[0].effects.clear();
        outcome.details.grows.clear();
        insta::assert_snapshot!(shown(&outcome), @"
        an unrefuted combination of cycles
          P[0], 2 times: adds nothing
            hand.pml:11  c!ack
            hand.pml:12  q!req(7)
          it would go on forever without progress
        ");
    }

    #[test]
    fn very_long_combinations_are_cut() {
        let mut outcome = sample::not_provable();
        let cycle = &mut outcome.details.cycles[0];
        cycle.statements = vec![cycle.statements[0].clone(); 1000];
        outcome.details.cycles = vec![outcome.details.cycles[0].clone(); 30];
        let text = shown(&outcome);
        assert!(text.contains("    ... 970 more statements\n") && text.contains("  ... 10 more cycles\n"), "{text}");
    }

    #[test]
    fn names_in_a_sentence() {
        let names = |text: &str| enumerated(text.split_whitespace().map(String::from).collect());
        assert_eq!([names(""), names("a"), names("a b"), names("a b c")], ["", "a", "a and b", "a, b and c"]);
    }
}
