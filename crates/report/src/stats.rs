//! What engines counted: a table for `--stats`, and the `stats` of a result.
//!
//! A search counts states; the flow engine counts the points and transitions of its abstraction, the counterexamples on
//! its way and the linear problems that it solved. An answer may have both, where a search was led by what the flow
//! engine found, so the names of the counts differ. Then come the combinations of cycles that were refuted, each with
//! what had to be looked at for that: this is where the time of a hard proof went. Here are the tables; `json` has the rest.

mod json;

pub(crate) use json::{StatsJson, stats_json};

use crate::style::{Ink, Style, bytes, clean, counted, duration, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::verdict::{FlowStats, Outcome, QueueStats, Refinement, SearchStats};

/// More refinements than this are not listed.
const MANY: usize = 40;

/// The counts of all outcomes, as tables.
pub(crate) fn tables(outcomes: &[Outcome], style: Style) -> String {
    let mut parts = Vec::new();
    let searches = searches(outcomes);
    if !searches.is_empty() {
        parts.push(search_table(searches, style));
    }
    if outcomes.iter().any(|outcome| outcome.details.flow.is_some()) {
        parts.push(flow_table(outcomes, style));
    }
    if outcomes.iter().any(|outcome| outcome.details.queues.is_some()) {
        parts.push(queue_table(outcomes, style));
    }
    if outcomes.iter().any(|outcome| outcome.details.composition.is_some()) {
        parts.push(composition_table(outcomes, style));
    }
    for outcome in outcomes {
        let invariant = outcome.details.queues.as_ref().map_or(&[][..], |stats| &stats.invariant);
        if !invariant.is_empty() {
            parts.push(invariant_table(outcome, invariant, style));
        }
    }
    for outcome in outcomes.iter().filter(|outcome| !outcome.details.refinements.is_empty()) {
        parts.push(refinement_table(outcome, style));
    }
    parts.join("\n")
}

fn search_table(searches: Vec<Search<'_>>, style: Style) -> String {
    let mut table = Table::new(&[
        ("search for", Set::Left),
        ("states", Set::Right),
        ("transitions", Set::Right),
        ("depth", Set::Right),
        ("bytes/state", Set::Right),
        ("memory", Set::Right),
        ("states/s", Set::Right),
    ]);
    for search in searches {
        table.push(Row::Cells(search_cells(search)));
    }
    table.render("", style)
}

/// A search, and the properties that it answered.
struct Search<'a> {
    properties: String,
    first: &'a Outcome,
    stats: &'a SearchStats,
}

/// The searches that were made. Properties that were answered by the same one share a row.
fn searches(outcomes: &[Outcome]) -> Vec<Search<'_>> {
    let mut searches: Vec<Search<'_>> = Vec::new();
    for outcome in outcomes {
        let Some(stats) = &outcome.stats else { continue };
        let property = clean(&outcome.property.to_string());
        match searches.iter_mut().find(|search| is_same_search(search.first, outcome)) {
            Some(search) => search.properties += &format!(", {property}"),
            None => searches.push(Search { properties: property, first: outcome, stats }),
        }
    }
    searches
}

/// The same counts, but for the violations of each property.
fn is_same_search(one: &Outcome, other: &Outcome) -> bool {
    let counts = |outcome: &Outcome| outcome.stats.clone().map(|stats| SearchStats { violations: 0, ..stats });
    let about = |outcome: &Outcome| (outcome.engine, outcome.reading, outcome.time);
    about(one) == about(other) && counts(one) == counts(other)
}

fn search_cells(Search { properties, first, stats }: Search<'_>) -> Vec<Cell> {
    let seconds = first.time.as_secs_f64();
    let per_state = if stats.states > 0 { stats.state_bytes as f64 / stats.states as f64 } else { 0.0 };
    let rate = if seconds > 0.0 { (stats.states as f64 / seconds) as u64 } else { 0 };
    vec![
        Cell::from(properties),
        Cell::from(grouped(stats.states)),
        Cell::from(grouped(stats.transitions)),
        Cell::from(grouped(stats.depth)),
        Cell::from(format!("{per_state:.1}")),
        Cell::from(bytes(stats.memory_bytes)),
        Cell::from(grouped(rate)),
    ]
}

/// The columns of the papers on this method. Those about elementary cycles are there only where they were enumerated.
fn flow_table(outcomes: &[Outcome], style: Style) -> String {
    let mut table = Table::new(&[
        ("flow for", Set::Left),
        ("instances", Set::Right),
        ("points", Set::Right),
        ("transitions", Set::Right),
        ("message types", Set::Right),
        ("cycles", Set::Right),
        ("effect vectors", Set::Right),
        ("counterexamples", Set::Right),
        ("spurious", Set::Right),
        ("linear problems", Set::Right),
    ]);
    for outcome in outcomes {
        if let Some(stats) = outcome.details.flow {
            table.push(Row::Cells(flow_cells(clean(&outcome.property.to_string()), stats)));
        }
    }
    table.render("", style)
}

fn flow_cells(property: String, stats: FlowStats) -> Vec<Cell> {
    let known = |count: Option<u64>| count.map_or_else(String::new, grouped);
    let counts = [
        grouped(stats.instances),
        grouped(stats.nodes),
        grouped(stats.transitions),
        grouped(stats.message_types),
        known(stats.cycles),
        known(stats.effect_vectors),
        grouped(stats.counterexamples),
        grouped(stats.spurious),
        grouped(stats.problems),
    ];
    [property].into_iter().chain(counts).map(Cell::from).collect()
}

/// The columns of the paper on abstractions of queues: loops, and the size of the last abstraction.
fn queue_table(outcomes: &[Outcome], style: Style) -> String {
    let mut table = Table::new(&[
        ("fifo for", Set::Left),
        ("answered by", Set::Left),
        ("loops", Set::Right),
        ("abstract states", Set::Right),
        ("transitions", Set::Right),
        ("configurations", Set::Right),
        ("control states", Set::Right),
        ("queue sets", Set::Right),
        ("memory", Set::Right),
    ]);
    for outcome in outcomes {
        if let Some(stats) = &outcome.details.queues {
            table.push(Row::Cells(queue_cells(clean(&outcome.property.to_string()), stats, style)));
        }
    }
    table.render("", style)
}

fn queue_cells(property: String, stats: &QueueStats, style: Style) -> Vec<Cell> {
    let greek = [("ρ", "rho"), ("ξ", "xi"), ("′", "'"), ("″", "''")];
    let method = greek
        .iter()
        .fold(clean(&stats.method), |name, (unicode, ascii)| name.replace(unicode, style.choose(unicode, ascii)));
    let counts = [
        grouped(stats.iterations),
        grouped(stats.abstract_states),
        grouped(stats.abstract_transitions),
        grouped(stats.configurations),
        grouped(stats.controls),
        grouped(stats.languages),
        bytes(stats.memory_bytes),
    ];
    [property, method].into_iter().chain(counts).map(Cell::from).collect()
}

/// Refinements, and the size of the last abstraction.
fn composition_table(outcomes: &[Outcome], style: Style) -> String {
    let mut table = Table::new(&[
        ("compose for", Set::Left),
        ("answered by", Set::Left),
        ("iterations", Set::Right),
        ("abstract states", Set::Right),
        ("classes", Set::Elastic),
        ("automaton", Set::Right),
        ("memory", Set::Right),
        ("search", Set::Right),
        ("check", Set::Right),
    ]);
    for outcome in outcomes {
        let Some(stats) = &outcome.details.composition else { continue };
        let automaton = if stats.automaton_states > 0 { grouped(stats.automaton_states) } else { String::new() };
        let cells = [
            clean(&outcome.property.to_string()),
            clean(&stats.method),
            grouped(stats.iterations),
            grouped(stats.abstract_states),
            classes(&stats.classes, style),
            automaton,
            bytes(stats.memory_bytes),
            duration(stats.search_time),
            if stats.check_time.is_zero() { String::new() } else { duration(stats.check_time) },
        ];
        table.push(Row::Cells(cells.into_iter().map(Cell::from).collect()));
    }
    table.render("", style)
}

/// `3 + 3 + 2`; of many components, the sum.
fn classes(classes: &[(String, u64)], style: Style) -> String {
    let each: Vec<String> = classes.iter().take(FEW).map(|(_, count)| grouped(*count)).collect();
    if classes.len() <= FEW {
        return each.join(" + ");
    }
    let sum = classes.iter().map(|(_, count)| count).sum();
    format!("{} + {} = {}", each.join(" + "), style.ellipsis(), grouped(sum))
}

/// The classes of so many components are listed one by one.
const FEW: usize = 8;

/// Control states, and what the queues can hold there.
fn invariant_table(outcome: &Outcome, invariant: &[(String, String)], style: Style) -> String {
    let mut table = Table::new(&[("control state", Set::Left), ("the queues hold", Set::Elastic)]);
    for (control, set) in invariant.iter().take(MANY) {
        table.push(Row::Cells(vec![Cell::from(clean(control)), Cell::from(clean(set))]));
    }
    if let Some(more) = invariant.len().checked_sub(MANY).filter(|&more| more > 0) {
        table.push(Row::Remark(format!("{} and {more} more; --format json has all", style.ellipsis())));
    }
    let title = format!("the invariant that proves {}", clean(&outcome.property.to_string()));
    style.paint(Ink::Strong, &title) + "\n" + &table.render("  ", style)
}

fn refinement_table(outcome: &Outcome, style: Style) -> String {
    let refinements = &outcome.details.refinements;
    let mut table = Table::new(&[
        ("", Set::Right),
        ("processes", Set::Elastic),
        ("cycles", Set::Right),
        ("would add to", Set::Elastic),
        ("looked at", Set::Elastic),
    ]);
    for (number, refinement) in (1..).zip(refinements).take(MANY) {
        table.push(Row::Cells(refinement_cells(number, refinement)));
    }
    if let Some(more) = refinements.len().checked_sub(MANY).filter(|&more| more > 0) {
        table.push(Row::Remark(format!("{} and {more} more; --format json has all", style.ellipsis())));
    }
    let title = counted(refinements.len() as u64, "combination of cycles", "combinations of cycles");
    let title = format!("{title} on the way, for {}", clean(&outcome.property.to_string()));
    style.paint(Ink::Strong, &title) + "\n" + &table.render("  ", style)
}

fn refinement_cells(number: u64, refinement: &Refinement) -> Vec<Cell> {
    let list = |names: &[String]| clean(&names.join(", "));
    let refined = match refinement.refined.as_slice() {
        [] => Cell::inked(Ink::Doubt, "nothing was left to look at"),
        refined => Cell::from(list(refined)),
    };
    vec![
        Cell::inked(Ink::Faint, grouped(number)),
        Cell::from(list(&refinement.processes)),
        Cell::from(grouped(refinement.cycles as u64)),
        Cell::from(list(&refinement.grows)),
        refined,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Places;
    use crate::sample;
    use model::semantics::Reading;
    use model::verdict::{Property, Verdict};

    #[test]
    fn stats_of_one_search_share_a_row() {
        let deadlock = Outcome { property: Property::Deadlock, ..sample::outcome(Verdict::Proved) };
        let mut bounded = Outcome { property: Property::Boundedness, ..sample::outcome(Verdict::Proved) };
        bounded.reading = Reading::Unbounded;
        let outcomes = [sample::outcome(Verdict::Proved), deadlock, bounded];
        insta::assert_snapshot!(tables(&outcomes, Style::PLAIN), @"
        search for        states  transitions  depth  bytes/state   memory  states/s
        safety, deadlock  10 052       30 127     41         24.0  1.5 MiB   814 586
        boundedness       10 052       30 127     41         24.0  1.5 MiB   814 586
        ");
    }

    #[test]
    fn the_flow_engine_tells_its_counts_and_what_it_refuted() {
        insta::assert_snapshot!(tables(&[sample::bounded()], Style::PLAIN), @"
        flow for     instances  points  transitions  message types  counterexamples  spurious  linear problems
        boundedness          2      41        1 077              4                2         2                9

        2 combinations of cycles on the way, for boundedness
             processes   cycles  would add to  looked at
          1  P[0], Q[1]       3  q             values of `x`
          2  P[0]             1  q, r          values of `y`, values of `P[0]:n`
        ");
    }

    #[test]
    fn cycles_are_counted_where_they_were_enumerated() {
        let mut outcome = sample::not_provable();
        if let Some(flow) = &mut outcome.details.flow {
            (flow.cycles, flow.effect_vectors) = (Some(12_000), Some(6));
        }
        outcome.details.refinements = sample::refinements();
        outcome.details.refinements[1].refined.clear();
        outcome.stats = Some(sample::stats());
        insta::assert_snapshot!(tables(std::slice::from_ref(&outcome), Style { width: 100, ..Style::PLAIN }), @"
        search for   states  transitions  depth  bytes/state   memory   states/s
        boundedness  10 052       30 127     41         24.0  1.5 MiB  3 242 580

        flow for     instances  points  transitions  message types  cycles  effect vectors  counterexamples  spurious  linear problems
        boundedness          2      41        1 077              4  12 000               6                2         2                9

        2 combinations of cycles on the way, for boundedness
             processes   cycles  would add to  looked at
          1  P[0], Q[1]       3  q             values of `x`
          2  P[0]             1  q, r          nothing was left to look at
        ");
        insta::assert_snapshot!(serde_json::to_string(&stats_json(&outcome, &Places::new(&sample::sources()))).unwrap(), @r#"{"states":10052,"transitions":30127,"depth":41,"state_bytes":241248,"memory_bytes":1572864,"violations":0,"instances":2,"points":41,"abstract_transitions":1077,"message_types":4,"cycles":12000,"effect_vectors":6,"counterexamples":2,"spurious":2,"linear_problems":9}"#);
    }

    #[test]
    fn of_very_many_refinements_some_are_left_out() {
        let mut outcome = sample::bounded();
        outcome.details.refinements = vec![sample::refinements()[0].clone(); 200];
        let text = tables(&[outcome], Style::PLAIN);
        assert!(text.ends_with("... and 160 more; --format json has all\n"), "{text}");
    }

    #[test]
    fn an_invariant_is_a_table_of_control_states() {
        let invariant =
            vec![(String::from("0, 1"), String::from("(a.b)^*")), (String::from("1, 1"), String::from("_"))];
        let method = String::from("abstract interpretation, ρ forward");
        let counts = QueueStats { method, controls: 12, languages: 1500, invariant, ..QueueStats::default() };
        let mut outcome = Outcome { stats: None, ..sample::outcome(Verdict::Proved) };
        outcome.details.queues = Some(counts);
        insta::assert_snapshot!(tables(std::slice::from_ref(&outcome), Style::PLAIN), @"
        fifo for  answered by                           loops  abstract states  transitions  configurations  control states  queue sets  memory
        safety    abstract interpretation, rho forward      0                0            0               0              12       1 500     0 B

        the invariant that proves safety
          control state  the queues hold
          0, 1           (a.b)^*
          1, 1           _
        ");
        let json = serde_json::to_value(stats_json(&outcome, &Places::new(&sample::sources()))).unwrap();
        assert_eq!((&json["control_states"], &json["queue_sets"]), (&12.into(), &1500.into()));
        assert_eq!(json["invariant"][0]["queues"], "(a.b)^*");
    }

    #[test]
    fn where_nothing_was_counted_there_is_nothing() {
        let mut outcome = sample::deadlock();
        outcome.stats = None;
        assert_eq!(serde_json::to_string(&stats_json(&outcome, &Places::new(&sample::sources()))).unwrap(), "{}");
        assert_eq!(tables(&[outcome], Style::PLAIN), "");
    }
}
