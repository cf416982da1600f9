//! What the engine for C programs counted, the predicates that its proof needs, and the invariant: for `--stats`, and for JSON.

use crate::json::milliseconds;
use crate::places::{At, Places};
use crate::style::{Ink, Style, clean, counted, duration, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::source::Span;
use model::verdict::{Outcome, ProgramStats};
use serde::Serialize;

/// More predicates or conditions than this are not listed.
const MANY: usize = 40;

/// The counts of all outcomes about C programs, as tables.
pub(crate) fn tables(outcomes: &[Outcome], places: &Places<'_>, style: Style) -> String {
    let of = |outcome: &Outcome| {
        let stats = outcome.details.program.as_ref()?;
        let (predicates, invariant) = (predicate_list(stats, style), invariant_table(&stats.invariant, places, style));
        let parts = [counts_table(outcome, stats, style), predicates, invariant];
        Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"))
    };
    outcomes.iter().filter_map(of).collect::<Vec<_>>().join("\n")
}

/// What the engine for C programs counted.
fn counts_table(outcome: &Outcome, stats: &ProgramStats, style: Style) -> String {
    let mut table = Table::new(&[
        ("pdr for", Set::Left),
        ("iterations", Set::Right),
        ("cut points", Set::Right),
        ("variables", Set::Right),
        ("lemmas", Set::Right),
        ("solver calls", Set::Right),
        ("search", Set::Right),
        ("check", Set::Right),
        ("checked by", Set::Left),
    ]);
    let cells = [
        clean(&outcome.property.to_string()),
        grouped(stats.iterations),
        grouped(stats.cut_points),
        grouped(stats.variables),
        grouped(stats.lemmas),
        grouped(stats.solver_calls),
        duration(stats.search_time),
        if stats.check_time.is_zero() { String::new() } else { duration(stats.check_time) },
        clean(&stats.checked_by),
    ];
    table.push(Row::Cells(cells.into_iter().map(Cell::from).collect()));
    table.render("", style)
}

/// The predicates that a proof needs, one a line.
fn predicate_list(stats: &ProgramStats, style: Style) -> String {
    let predicates = &stats.predicates;
    if predicates.is_empty() {
        return String::new();
    }
    let title = counted(predicates.len() as u64, "predicate that the proof needs", "predicates that the proof needs");
    let mut text = style.paint(Ink::Strong, &title) + "\n";
    for predicate in predicates.iter().take(MANY) {
        text += &format!("  {}\n", clean(predicate));
    }
    text + &and_more(predicates.len(), style)
}

/// Where, and what holds there.
fn invariant_table(invariant: &[(Span, Vec<String>)], places: &Places<'_>, style: Style) -> String {
    let rows: Vec<(String, &String)> = invariant
        .iter()
        .flat_map(|(span, conditions)| conditions.iter().map(|condition| (places.short(*span), condition)))
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[("place", Set::Left), ("whenever a run is there", Set::Elastic)]);
    let mut last = String::new();
    for (place, condition) in rows.iter().take(MANY) {
        let shown = if *place == last { String::new() } else { place.clone() };
        last.clone_from(place);
        table.push(Row::Cells(vec![Cell::inked(Ink::Faint, shown), Cell::from(clean(condition))]));
    }
    style.paint(Ink::Strong, "the invariant") + "\n" + &table.render("  ", style) + &and_more(rows.len(), style)
}

fn and_more(count: usize, style: Style) -> String {
    match count.checked_sub(MANY).filter(|&more| more > 0) {
        Some(more) => format!("  {} and {more} more; --format json has all\n", style.ellipsis()),
        None => String::new(),
    }
}

/// The part of `stats` that is about a C program.
#[derive(Serialize)]
pub(crate) struct ProgramStatsJson<'a> {
    iterations: u64,
    cut_points: u64,
    variables: u64,
    lemmas: u64,
    solver_calls: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    predicates: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    invariant: Vec<HeldJson<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    checked_by: &'a str,
    search_ms: f64,
    check_ms: f64,
}

#[derive(Serialize)]
struct HeldJson<'a> {
    at: Option<At<'a>>,
    conditions: &'a [String],
}

/// What was counted for a C program.
pub(crate) fn program_json<'a>(stats: &'a ProgramStats, places: &Places<'a>) -> ProgramStatsJson<'a> {
    let held =
        |(span, conditions): &'a (Span, Vec<String>)| HeldJson { at: places.at(*span).map(At::start), conditions };
    ProgramStatsJson {
        iterations: stats.iterations,
        cut_points: stats.cut_points,
        variables: stats.variables,
        lemmas: stats.lemmas,
        solver_calls: stats.solver_calls,
        predicates: &stats.predicates,
        invariant: stats.invariant.iter().map(held).collect(),
        checked_by: &stats.checked_by,
        search_ms: milliseconds(stats.search_time),
        check_ms: milliseconds(stats.check_time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use model::verdict::Verdict;
    use std::time::Duration;

    #[test]
    fn counts_predicates_and_the_invariant_are_tables() {
        let sources = sample::sources();
        let mut outcome = sample::outcome(Verdict::Proved);
        let text = |texts: &[&str]| texts.iter().map(|&text| String::from(text)).collect::<Vec<_>>();
        outcome.details.program = Some(ProgramStats {
            iterations: 3,
            cut_points: 2,
            variables: 4,
            lemmas: 5,
            solver_calls: 1_200,
            predicates: text(&["i < n"]),
            invariant: vec![(sample::span("x = 1"), text(&["i < n", "x == 0"])), (sample::span("x = 1"), Vec::new())],
            checked_by: String::from("the embedded solver"),
            search_time: Duration::from_millis(12),
            check_time: Duration::from_millis(3),
        });
        insta::assert_snapshot!(tables(&[outcome], &Places::new(&sources), Style::PLAIN), @"
        pdr for  iterations  cut points  variables  lemmas  solver calls  search  check  checked by
        safety            3           2          4       5         1 200   12 ms   3 ms  the embedded solver

        1 predicate that the proof needs
          i < n

        the invariant
          place       whenever a run is there
          hand.pml:8  i < n
                      x == 0
        ");
    }
}
