//! What engines counted and have to show: tables for `--stats`, and the `stats` of a result.
//!
//! Properties that were answered by one search share a row. Of a long exhibit the first rows are shown.

use crate::json::milliseconds;
use crate::places::{At, Places};
use crate::style::{Ink, Style, bytes, clean, counted, duration, grouped};
use crate::table::{Cell, Row, Set, Table};
use model::stats::{Datum, Exhibit, Field, Figure, Sheet, Value};
use model::verdict::Outcome;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::HashSet;
use std::time::Duration;

/// More rows than this are not listed.
const MANY: usize = 60;
/// So many of several counts are listed one by one.
const FEW: usize = 8;

/// What was counted for an outcome, sheet by sheet.
fn sheets(outcome: &Outcome) -> Vec<Sheet> {
    let search = outcome.stats.as_ref().map(model::verdict::SearchStats::sheet);
    search.into_iter().chain(outcome.details.sheets.iter().cloned()).collect()
}

/// The counts of all outcomes, and then what they have to show.
pub(crate) fn tables(outcomes: &[Outcome], places: &Places<'_>, style: Style) -> String {
    let counted: Vec<(&Outcome, Sheet)> =
        outcomes.iter().flat_map(|outcome| sheets(outcome).into_iter().map(move |sheet| (outcome, sheet))).collect();
    let mut headings: Vec<&'static str> = Vec::new();
    for (_, sheet) in &counted {
        if !headings.contains(&sheet.heading) {
            headings.push(sheet.heading);
        }
    }
    let mut parts: Vec<String> = headings.iter().map(|heading| sheet_table(heading, &counted, style)).collect();
    for outcome in outcomes {
        let exhibits = outcome.details.exhibits.iter().filter(|exhibit| !exhibit.rows.is_empty());
        parts.extend(exhibits.map(|exhibit| exhibit_table(outcome, exhibit, places, style)));
    }
    parts.join("\n")
}

/// One row for each search under a heading.
fn sheet_table(heading: &'static str, counted: &[(&Outcome, Sheet)], style: Style) -> String {
    let sheets = || counted.iter().filter(|(_, sheet)| sheet.heading == heading);
    let mut columns: Vec<(&'static str, Set)> = vec![(heading, Set::Left)];
    for figure in sheets().flat_map(|(_, sheet)| &sheet.figures).filter(|figure| !figure.title.is_empty()) {
        if !columns.iter().any(|(title, _)| *title == figure.title) {
            columns.push((figure.title, set(&figure.value)));
        }
    }
    let mut rows: Vec<(&Outcome, String, Vec<String>)> = Vec::new();
    for (outcome, sheet) in sheets() {
        let shown = |title: &str| sheet.figures.iter().find(|figure| figure.title == title);
        let text = |figure: &Figure| value_text(&figure.value, outcome.time, style);
        let cells = columns[1..].iter().map(|(title, _)| shown(title).map_or_else(String::new, text)).collect();
        let property = clean(&outcome.property.to_string());
        match rows.iter_mut().find(|(one, _, known)| is_same_search(one, outcome) && *known == cells) {
            Some((_, properties, _)) => *properties += &format!(", {property}"),
            None => rows.push((outcome, property, cells)),
        }
    }
    let mut table = Table::new(&columns);
    for (_, properties, cells) in rows {
        table.push(Row::Cells([properties].into_iter().chain(cells).map(Cell::from).collect()));
    }
    table.render("", style)
}

fn is_same_search(one: &Outcome, other: &Outcome) -> bool {
    let about = |outcome: &Outcome| (outcome.engine, outcome.reading, outcome.time);
    about(one) == about(other)
}

fn set(value: &Value) -> Set {
    match value {
        Value::Text(_) => Set::Left,
        Value::Counts(_) => Set::Elastic,
        _ => Set::Right,
    }
}

fn value_text(value: &Value, time: Duration, style: Style) -> String {
    match value {
        Value::Count(count) => grouped(*count),
        Value::Counts(counts) => sum(counts, style),
        Value::Ratio(_, 0) => String::from("0.0"),
        Value::Ratio(count, of) => format!("{:.1}", *count as f64 / *of as f64),
        Value::Rate(_) if time.is_zero() => String::from("0"),
        Value::Rate(count) => grouped((*count as f64 / time.as_secs_f64()) as u64),
        Value::Bytes(size) => bytes(*size),
        Value::Duration(time) if time.is_zero() => String::new(),
        Value::Duration(time) => duration(*time),
        Value::Text(text) => style.letters(&clean(text)),
    }
}

/// `3 + 3 + 2`; of many, the sum.
fn sum(counts: &[u64], style: Style) -> String {
    let each: Vec<String> = counts.iter().take(FEW).map(|count| grouped(*count)).collect();
    if counts.len() <= FEW {
        return each.join(" + ");
    }
    format!("{} + {} = {}", each.join(" + "), style.ellipsis(), grouped(counts.iter().sum()))
}

// --- exhibits -----------------------------------------------------------------------------------------

/// Titles and texts of a row.
type Texts = Vec<(&'static str, String)>;

fn exhibit_table(outcome: &Outcome, exhibit: &Exhibit, places: &Places<'_>, style: Style) -> String {
    let mut rows: Vec<Texts> = exhibit.rows.iter().flat_map(|row| row_texts(row, places, style)).collect();
    rows.dedup();
    let mut columns: Vec<(&'static str, Set)> = Vec::new();
    for (title, _) in rows.iter().flatten() {
        if !columns.iter().any(|(known, _)| known == title) {
            columns.push((title, Set::Elastic));
        }
    }
    // What comes first says what the row is about, and is not cut.
    if let [(_, first), _, ..] = columns.as_mut_slice() {
        *first = Set::Left;
    }
    let mut table = Table::new(&columns);
    for row in rows.iter().take(MANY) {
        let text =
            |title: &str| row.iter().find(|(of, _)| *of == title).map_or_else(String::new, |(_, text)| text.clone());
        table.push(Row::Cells(columns.iter().map(|(title, _)| Cell::from(text(title))).collect()));
    }
    if let Some(more) = rows.len().checked_sub(MANY).filter(|&more| more > 0) {
        let more = counted(more as u64, "more row", "more rows");
        table.push(Row::Remark(format!("{} and {more}; --format json has all", style.ellipsis())));
    }
    let property = clean(&outcome.property.to_string());
    // `{}` in a title stands for the property.
    let title = match exhibit.title.split_once("{}") {
        Some((before, after)) => format!("{before}{property}{after}"),
        None => format!("{}, for {property}", exhibit.title),
    };
    style.paint(Ink::Strong, &title) + "\n" + &table.render("  ", style)
}

/// The rows of a datum: a record has one, and more where one of its fields is a list of records, or ends in a list.
fn row_texts(row: &Datum, places: &Places<'_>, style: Style) -> Vec<Texts> {
    let Datum::Record(fields) = row else { return vec![vec![("", datum_text(row, places, style))]] };
    let (mut first, mut below) = (Vec::new(), Vec::new());
    for (position, Field { title, value, .. }) in fields.iter().enumerate().filter(|(_, field)| !field.title.is_empty())
    {
        match value {
            Datum::List(list) if matches!(list.first(), Some(Datum::Record(_))) => {
                below.extend(list.iter().flat_map(|row| row_texts(row, places, style)));
            }
            Datum::List(list) if position + 1 == fields.len() && !list.is_empty() => {
                below.extend(list.iter().map(|one| vec![(*title, datum_text(one, places, style))]));
            }
            value => first.push((*title, datum_text(value, places, style))),
        }
    }
    let mut below = below.into_iter();
    first.extend(below.next().unwrap_or_default());
    [first].into_iter().chain(below).collect()
}

fn datum_text(datum: &Datum, places: &Places<'_>, style: Style) -> String {
    match datum {
        Datum::Text(text) => clean(text),
        Datum::Count(count) => grouped(*count),
        Datum::Place(span) => span.map_or_else(String::new, |span| places.short(span)),
        Datum::List(list) if list.is_empty() => String::from(style.choose("–", "-")),
        Datum::List(list) => list.iter().map(|one| datum_text(one, places, style)).collect::<Vec<_>>().join("; "),
        Datum::Record(fields) => {
            fields.iter().map(|field| datum_text(&field.value, places, style)).collect::<Vec<_>>().join(" ")
        }
    }
}

// --- JSON ---------------------------------------------------------------------------------------------

/// The `stats` of a result; `{}` where nothing was counted.
pub(crate) struct StatsJson<'a> {
    outcome: &'a Outcome,
    places: &'a Places<'a>,
}

/// What was counted for an outcome.
pub(crate) fn stats_json<'a>(outcome: &'a Outcome, places: &'a Places<'a>) -> StatsJson<'a> {
    StatsJson { outcome, places }
}

impl Serialize for StatsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut written = HashSet::new();
        for sheet in sheets(self.outcome) {
            for figure in sheet.figures.iter().filter(|figure| !figure.key.is_empty() && written.insert(figure.key)) {
                write_figure(&mut map, figure)?;
            }
        }
        write_exhibits(&mut map, self.outcome.details.exhibits.iter().filter(|exhibit| exhibit.in_stats), self.places)?;
        map.end()
    }
}

fn write_figure<M: SerializeMap>(map: &mut M, figure: &Figure) -> Result<(), M::Error> {
    match &figure.value {
        Value::Count(count) | Value::Rate(count) | Value::Ratio(count, _) => map.serialize_entry(figure.key, count),
        Value::Counts(counts) => map.serialize_entry(figure.key, counts),
        Value::Bytes(size) => map.serialize_entry(figure.key, size),
        Value::Duration(time) => map.serialize_entry(figure.key, &milliseconds(*time)),
        Value::Text(text) if text.is_empty() => Ok(()),
        Value::Text(text) => map.serialize_entry(figure.key, text),
    }
}

fn write_exhibits<'a, M: SerializeMap>(
    map: &mut M,
    exhibits: impl Iterator<Item = &'a Exhibit>,
    places: &Places<'_>,
) -> Result<(), M::Error> {
    for exhibit in exhibits.filter(|exhibit| !exhibit.rows.is_empty()) {
        let rows: Vec<DatumJson<'_, '_>> = exhibit.rows.iter().map(|datum| DatumJson { datum, places }).collect();
        map.serialize_entry(exhibit.key, &rows)?;
    }
    Ok(())
}

/// The exhibits that stand in the result itself.
#[derive(Default)]
pub(crate) struct ExhibitsJson<'a>(pub(crate) Option<(&'a [Exhibit], &'a Places<'a>)>);

impl Serialize for ExhibitsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some((exhibits, places)) = self.0 {
            write_exhibits(&mut map, exhibits.iter().filter(|exhibit| !exhibit.in_stats), places)?;
        }
        map.end()
    }
}

struct DatumJson<'a, 'p> {
    datum: &'a Datum,
    places: &'a Places<'p>,
}

impl<'a> Serialize for DatumJson<'a, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let places = self.places;
        match self.datum {
            Datum::Text(text) => text.serialize(serializer),
            Datum::Count(count) => count.serialize(serializer),
            Datum::Place(span) => span.and_then(|span| places.at(span)).map(At::start).serialize(serializer),
            Datum::List(list) => serializer.collect_seq(list.iter().map(|datum| DatumJson { datum, places })),
            Datum::Record(fields) => {
                let entry = |field: &'a Field| (field.key, DatumJson { datum: &field.value, places });
                serializer.collect_map(fields.iter().map(entry))
            }
        }
    }
}

#[cfg(test)]
mod tests;
