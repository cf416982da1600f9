//! A list of states as a condition.
//!
//! A variable that has the same value in all states is a condition of its own. The others are the columns of a table, which is
//! written as a decision diagram: one column after the other, what has few values first, and equal parts once.
//!
//! In a loose list (see `enumerated.rs`) numbers from outside are left out, but for differences that have few values.

use crate::search::Search;
use crate::system::Cut;
use bitvector::{Sort, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Columns of a list whose values differ: a diagram is as deep.
const COLUMNS: usize = 400;
/// A number from outside with no more values than this is one like any other.
const FEW_VALUES: usize = 2;
/// Differences of numbers from outside that are distinguished.
const DIFFERENCES: usize = 64;
/// Names that people are shown.
const SHOWN: usize = 8;

/// The states at a cut point.
#[derive(Default)]
pub(crate) struct Listing {
    /// That a state is one of them, for the solver and for people.
    pub(crate) conditions: Vec<(TermId, String)>,
    columns: Vec<Column>,
    /// The first of the states with each row, by number, and the row.
    rows: Vec<(usize, Vec<u64>)>,
    known: HashSet<Vec<u64>>,
}

/// What a list says of a variable.
struct Column {
    /// The variable, by its place in the state.
    at: usize,
    /// What is subtracted from it, if this is a difference.
    base: Option<usize>,
    /// Its value in each state.
    values: Vec<u64>,
    distinct: BTreeSet<u64>,
}

impl Column {
    fn new(at: usize, base: Option<usize>, values: Vec<u64>) -> Column {
        let distinct = values.iter().copied().collect();
        Column { at, base, values, distinct }
    }

    /// The column's word in a state.
    fn term(&self, terms: &mut Terms, state: &[TermId]) -> TermId {
        match self.base {
            Some(base) => terms.sub(state[self.at], state[base]),
            None => state[self.at],
        }
    }
}

impl Search<'_, '_> {
    /// The list of the states that are known at a cut point; nothing if it would be too large.
    pub(crate) fn listing(&mut self, cut: Cut, loose: bool) -> Option<Listing> {
        let states = self.beside.explorer.known.iter().enumerate();
        let states: Vec<usize> = states.filter(|(_, known)| known.cut == cut).map(|(number, _)| number).collect();
        if states.is_empty() {
            let conditions = vec![(self.system.terms.bool(false), String::from("never reached"))];
            return Some(Listing { conditions, ..Listing::default() });
        }
        let columns = self.columns(cut, &states, loose);
        let mut listing = Listing::default();
        for (place, &number) in states.iter().enumerate() {
            let row: Vec<u64> = columns.iter().map(|column| column.values[place]).collect();
            if listing.known.insert(row.clone()) {
                listing.rows.push((number, row));
            }
        }
        listing.columns = columns;
        let constant = listing.columns.iter().take_while(|column| column.distinct.len() == 1).count();
        if listing.columns.len() - constant > COLUMNS {
            return None;
        }
        let (terms, state) = (&mut self.system.terms, &self.system.state);
        let words: Vec<TermId> = listing.columns.iter().map(|column| column.term(terms, state)).collect();
        for (&word, column) in words.iter().zip(&listing.columns).take(constant) {
            let same = equal(terms, word, column.values[0]);
            listing.conditions.push((same, bitvector::to_c(terms, same)));
        }
        if constant < words.len() {
            let table: Vec<&[u64]> = listing.rows.iter().map(|(_, row)| &row[constant..]).collect();
            let names = words[constant..].iter().take(SHOWN).map(|&word| bitvector::to_c(terms, word));
            let names = names.collect::<Vec<_>>().join(", ");
            let dots = if words.len() - constant > SHOWN { ", …" } else { "" };
            let text = format!("one of {} combinations of {names}{dots}", table.len());
            listing.conditions.push((diagram(terms, &words[constant..], &table), text));
        }
        Some(listing)
    }

    /// The columns of a list, what has the fewest values first.
    fn columns(&mut self, cut: Cut, states: &[usize], loose: bool) -> Vec<Column> {
        let explorer = &*self.beside.explorer;
        let terms = &self.system.terms;
        let mut columns: Vec<Column> = Vec::new();
        // The first number from outside, which the others are compared with.
        let mut first: Option<Column> = None;
        for (at, &variable) in self.system.state.iter().enumerate() {
            if !explorer.liveness.matters(self.system.cuts[cut], at) {
                continue;
            }
            let values = states.iter().map(|&number| explorer.known[number].values[at]).collect();
            let column = Column::new(at, None, values);
            let outside = column.distinct.len() > FEW_VALUES
                && terms.sort(variable) != Sort::Bool
                && explorer.inputs.is_from_outside(self.system.variables[at]);
            match &first {
                _ if !loose || !outside => columns.push(column),
                None => first = Some(column),
                Some(base) if terms.sort(self.system.state[base.at]) == terms.sort(variable) => {
                    let width = terms.width(variable);
                    let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
                    let minus = column.values.iter().zip(&base.values).map(|(a, b)| a.wrapping_sub(*b) & mask);
                    let difference = Column::new(at, Some(base.at), minus.collect());
                    if difference.distinct.len() < column.distinct.len().min(DIFFERENCES) {
                        columns.push(difference);
                    }
                }
                Some(_) => {}
            }
        }
        columns.sort_by_key(|column| column.distinct.len());
        columns
    }

    /// Each row as values of the state: constants, and variables for what is left open. Also the number of its state.
    pub(crate) fn cases(&mut self, listing: &Listing) -> Vec<(usize, Vec<TermId>)> {
        let mut cases = Vec::new();
        for (number, row) in &listing.rows {
            let mut values = self.system.state.clone();
            for (column, &value) in listing.columns.iter().zip(row) {
                let terms = &mut self.system.terms;
                let sort = terms.sort(values[column.at]);
                let value = terms.constant_of(sort, u128::from(value));
                values[column.at] = match column.base {
                    Some(base) => terms.add(self.system.state[base], value),
                    None => value,
                };
            }
            cases.push((*number, values));
        }
        cases
    }

    /// Whether a state is listed, if its values are numbers.
    pub(crate) fn is_listed(&mut self, listing: &Listing, state: &[TermId]) -> Option<bool> {
        let terms = &mut self.system.terms;
        let mut row = Vec::new();
        for column in &listing.columns {
            let word = column.term(terms, state);
            row.push(terms.as_const(word)? as u64);
        }
        Some(listing.known.contains(&row))
    }
}

/// `word == value`; of a truth value, the word or its negation.
fn equal(terms: &mut Terms, word: TermId, value: u64) -> TermId {
    let sort = terms.sort(word);
    let value = terms.constant_of(sort, u128::from(value));
    terms.eq(word, value)
}

/// That the words have the values of some row, the first word decided first. As deep as there are words.
fn diagram(terms: &mut Terms, words: &[TermId], rows: &[&[u64]]) -> TermId {
    let Some((&word, others)) = words.split_first() else { return terms.bool(true) };
    let mut groups: BTreeMap<u64, Vec<&[u64]>> = BTreeMap::new();
    for row in rows {
        if let Some((&value, rest)) = row.split_first() {
            groups.entry(value).or_default().push(rest);
        }
    }
    // What follows, and the values that it follows.
    let mut behind: Vec<(TermId, Vec<u64>)> = Vec::new();
    let mut place: HashMap<TermId, usize> = HashMap::new();
    for (value, rows) in groups {
        let rest = diagram(terms, others, &rows);
        let at = *place.entry(rest).or_insert_with(|| {
            behind.push((rest, Vec::new()));
            behind.len() - 1
        });
        behind[at].1.push(value);
    }
    let mut parts = Vec::new();
    for (rest, values) in behind {
        let choices: Vec<TermId> = values.iter().map(|&value| equal(terms, word, value)).collect();
        let choice = terms.or_all(&choices);
        parts.push(terms.and(choice, rest));
    }
    terms.or_all(&parts)
}
