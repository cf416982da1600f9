//! What the engine for C components counted, and the predicates that its proof needs: for `--stats`, and for JSON.

use crate::json::milliseconds;
use crate::places::{At, Places};
use crate::style::{Ink, Style, clean, counted, duration, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::source::Span;
use model::verdict::{ComponentsStats, Outcome, ProcedureStats, RefinementRound};
use serde::Serialize;
use std::collections::BTreeMap;

/// More rows than this are not listed.
const MANY: usize = 60;

/// The counts of all outcomes about C components, as tables.
pub(crate) fn tables(outcomes: &[Outcome], places: &Places<'_>, style: Style) -> String {
    let counted: Vec<(&Outcome, &ComponentsStats)> =
        outcomes.iter().filter_map(|outcome| Some((outcome, outcome.details.components.as_ref()?))).collect();
    if counted.is_empty() {
        return String::new();
    }
    let each = counted.iter().flat_map(|(outcome, stats)| {
        [rounds_table(outcome, stats, places, style), predicates_table(outcome, stats, places, style)]
    });
    let parts = [counts_table(&counted, style)].into_iter().chain(each);
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The two levels: rounds of predicates, splits of partitions.
fn counts_table(counted: &[(&Outcome, &ComponentsStats)], style: Style) -> String {
    let mut table = Table::new(&[
        ("cegar for", Set::Left),
        ("refinements", Set::Right),
        ("predicates", Set::Right),
        ("abstract states", Set::Right),
        ("splits", Set::Right),
        ("composed", Set::Right),
        ("solver calls", Set::Right),
        ("remembered", Set::Right),
        ("search", Set::Right),
        ("obligations", Set::Right),
        ("check", Set::Right),
        ("checked by", Set::Left),
    ]);
    for (outcome, stats) in counted {
        let proved = !stats.checked_by.is_empty();
        let cells = [
            clean(&outcome.property.to_string()),
            grouped(stats.refinements),
            grouped(stats.predicates),
            grouped(stats.abstract_states),
            grouped(stats.splits),
            grouped(stats.composed_states),
            grouped(stats.solver_calls),
            grouped(stats.remembered),
            duration(stats.search_time),
            if proved { grouped(stats.obligations) } else { String::new() },
            if proved { duration(stats.check_time) } else { String::new() },
            clean(&stats.checked_by),
        ];
        table.push(Row::Cells(cells.into_iter().map(Cell::from).collect()));
    }
    table.render("", style)
}

/// Round by round: the run that is impossible, and the predicates that show it.
fn rounds_table(outcome: &Outcome, stats: &ComponentsStats, places: &Places<'_>, style: Style) -> String {
    if stats.rounds.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        ("round", Set::Right),
        ("part", Set::Left),
        ("cannot take part in the run", Set::Elastic),
        ("because of", Set::Elastic),
    ]);
    for round in stats.rounds.iter().take(MANY) {
        let new = round.predicates.iter().map(|(text, spans)| new_predicate(text, spans, places));
        let new: Vec<String> = new.collect();
        let mut run = clean(&round.events.join(", "));
        if run.is_empty() {
            run = String::from("without events");
        }
        table.push(Row::Cells(vec![
            Cell::inked(Ink::Faint, grouped(round.round)),
            Cell::from(clean(&round.part)),
            Cell::from(format!("{run}: {}", counted(round.steps, "step", "steps"))),
            Cell::from(new.join("; ")),
        ]));
    }
    if let Some(more) = stats.rounds.len().checked_sub(MANY).filter(|&more| more > 0) {
        let more = counted(more as u64, "more round", "more rounds");
        table.push(Row::Remark(format!("{} and {more}; --format json has all", style.ellipsis())));
    }
    let title = format!("runs that were excluded on the way to {}", clean(&outcome.property.to_string()));
    style.paint(Ink::Strong, &title) + "\n" + &table.render("  ", style)
}

/// `x == 0 (pair.c:12 and 3 more places)`
fn new_predicate(text: &str, spans: &[Span], places: &Places<'_>) -> String {
    let more = match spans.len().saturating_sub(1) {
        0 => String::new(),
        more => format!(" and {}", counted(more as u64, "more place", "more places")),
    };
    let first = spans.first().map_or_else(String::new, |span| places.short(*span));
    format!("{} ({first}{more})", clean(text))
}

/// By part and line, in the order of the text; several places of a graph may be one line of it.
type Rows = BTreeMap<(String, (u32, u32), String), Vec<String>>;

fn by_place(stats: &ComponentsStats, places: &Places<'_>) -> Rows {
    let mut rows = Rows::new();
    for ProcedureStats { part, predicates, .. } in &stats.procedures {
        for (span, texts) in predicates {
            let line = places.at(*span).map_or(0, |at| at.line);
            let row = rows.entry((clean(part), (span.file.0, line), places.short(*span))).or_default();
            for text in texts.iter().map(|text| clean(text)) {
                if !row.contains(&text) {
                    row.push(text);
                }
            }
        }
    }
    rows
}

/// Where, and which predicates are told apart there.
fn predicates_table(outcome: &Outcome, stats: &ComponentsStats, places: &Places<'_>, style: Style) -> String {
    let rows = by_place(stats, places);
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[("part", Set::Left), ("place", Set::Left), ("predicates", Set::Elastic)]);
    let mut last = String::new();
    for ((part, _, place), predicates) in rows.iter().take(MANY) {
        let shown = if *part == last { String::new() } else { part.clone() };
        last.clone_from(part);
        table.push(Row::Cells(vec![
            Cell::from(shown),
            Cell::inked(Ink::Faint, place.clone()),
            Cell::from(predicates.join("; ")),
        ]));
    }
    if let Some(more) = rows.len().checked_sub(MANY).filter(|&more| more > 0) {
        let more = counted(more as u64, "more place", "more places");
        table.push(Row::Remark(format!("{} and {more}; --format json has all", style.ellipsis())));
    }
    let title = format!("the predicates that {} needs", clean(&outcome.property.to_string()));
    style.paint(Ink::Strong, &title) + "\n" + &table.render("  ", style)
}

/// The part of `stats` that is about C components.
#[derive(Serialize)]
pub(crate) struct ComponentsStatsJson<'a> {
    refinements: u64,
    predicates: u64,
    abstract_states: u64,
    splits: u64,
    composed_states: u64,
    solver_calls: u64,
    remembered: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<RoundJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    procedures: Vec<ProcedureJson<'a>>,
    obligations: u64,
    #[serde(skip_serializing_if = "str::is_empty")]
    checked_by: &'a str,
    search_ms: f64,
    check_ms: f64,
}

#[derive(Serialize)]
struct RoundJson<'a> {
    round: u64,
    part: &'a str,
    /// The run that was excluded: its events, and how many steps it has.
    events: &'a [String],
    steps: u64,
    predicates: Vec<NewJson<'a>>,
}

/// A predicate, the first place where it is looked at, and how many there are.
#[derive(Serialize)]
struct NewJson<'a> {
    predicate: &'a str,
    at: Option<At<'a>>,
    places: usize,
}

fn round_json<'a>(round: &'a RefinementRound, places: &Places<'a>) -> RoundJson<'a> {
    let RefinementRound { round, part, events, steps, predicates } = round;
    let new = |(predicate, spans): &'a (String, Vec<Span>)| NewJson {
        predicate,
        at: spans.first().and_then(|span| places.at(*span)).map(At::start),
        places: spans.len(),
    };
    RoundJson { round: *round, part, events, steps: *steps, predicates: predicates.iter().map(new).collect() }
}

#[derive(Serialize)]
struct ProcedureJson<'a> {
    part: &'a str,
    states: u64,
    predicates: Vec<PredicatesJson<'a>>,
}

#[derive(Serialize)]
struct PredicatesJson<'a> {
    at: Option<At<'a>>,
    predicates: &'a [String],
}

/// What was counted for C components.
pub(crate) fn components_json<'a>(stats: &'a ComponentsStats, places: &Places<'a>) -> ComponentsStatsJson<'a> {
    let one = |(span, predicates): &'a (Span, Vec<String>)| PredicatesJson {
        at: places.at(*span).map(At::start),
        predicates,
    };
    let procedure = |procedure: &'a ProcedureStats| ProcedureJson {
        part: &procedure.part,
        states: procedure.states,
        predicates: procedure.predicates.iter().map(one).collect(),
    };
    ComponentsStatsJson {
        refinements: stats.refinements,
        predicates: stats.predicates,
        abstract_states: stats.abstract_states,
        splits: stats.splits,
        composed_states: stats.composed_states,
        solver_calls: stats.solver_calls,
        remembered: stats.remembered,
        rounds: stats.rounds.iter().map(|round| round_json(round, places)).collect(),
        procedures: stats.procedures.iter().map(procedure).collect(),
        obligations: stats.obligations,
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
    fn counts_rounds_and_predicates_are_tables() {
        let sources = sample::sources();
        let mut outcome = sample::outcome(Verdict::Proved);
        let (here, there) = (sample::span("x = 1"), sample::span("c!ack"));
        let text = |texts: &[&str]| texts.iter().map(|&text| String::from(text)).collect::<Vec<_>>();
        outcome.details.components = Some(ComponentsStats {
            refinements: 1,
            splits: 2,
            predicates: 3,
            abstract_states: 40,
            composed_states: 120,
            solver_calls: 1_200,
            remembered: 5,
            procedures: vec![ProcedureStats {
                part: String::from("client"),
                states: 40,
                predicates: vec![(there, text(&["x == 1"])), (here, text(&["x == 1"])), (here, text(&["x == 1", "y"]))],
            }],
            rounds: vec![RefinementRound {
                round: 1,
                part: String::from("client"),
                events: text(&["hello", "key"]),
                steps: 9,
                predicates: vec![(String::from("x == 1"), vec![here, there])],
            }],
            obligations: 57,
            checked_by: String::from("the embedded solver"),
            search_time: Duration::from_millis(12),
            check_time: Duration::from_millis(3),
        });
        insta::assert_snapshot!(tables(&[outcome], &Places::new(&sources), Style::PLAIN), @"
        cegar for  refinements  predicates  abstract states  splits  composed  solver calls  remembered  search  obligations  check  checked by
        safety               1           3               40       2       120         1 200           5   12 ms           57   3 ms  the embedded solver

        runs that were excluded on the way to safety
          round  part    cannot take part in the run  because of
              1  client  hello, key: 9 steps          x == 1 (hand.pml:8 and 1 more place)

        the predicates that safety needs
          part    place        predicates
          client  hand.pml:8   x == 1; y
                  hand.pml:11  x == 1
        ");
    }
}
