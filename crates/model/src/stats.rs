//! What engines counted, and what they have to show: figures with names, and tables.
//!
//! Whoever runs an engine puts its counters into a [`Sheet`] and its findings into [`Exhibit`]s; renderers print both
//! without knowing the engine. A figure has a name for documents and a title for people; where one of them is empty, it
//! is left out there.

use crate::source::Span;
use std::time::Duration;

/// What one engine counted for one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sheet {
    /// What stands over the properties: `flow for`.
    pub heading: &'static str,
    /// The figures, in order.
    pub figures: Vec<Figure>,
}

impl Sheet {
    /// A sheet without figures.
    pub fn new(heading: &'static str) -> Self {
        Sheet { heading, figures: Vec::new() }
    }

    /// The sheet with one more figure.
    #[must_use]
    pub fn with(mut self, key: &'static str, title: &'static str, value: impl Into<Value>) -> Self {
        self.push(key, title, value);
        self
    }

    /// Adds a figure.
    pub fn push(&mut self, key: &'static str, title: &'static str, value: impl Into<Value>) {
        self.figures.push(Figure { key, title, value: value.into() });
    }

    /// Gives a figure that is there another value.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        if let Some(figure) = self.figures.iter_mut().find(|figure| figure.key == key) {
            figure.value = value.into();
        }
    }
}

/// A figure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figure {
    /// Its name in documents; empty if it is for people only.
    pub key: &'static str,
    /// Its title in tables; empty if it is for documents only.
    pub title: &'static str,
    /// The figure itself.
    pub value: Value,
}

/// A value, with its unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// So many things.
    Count(u64),
    /// So many things of each of several kinds.
    Counts(Vec<u64>),
    /// So many things for each of so many others.
    Ratio(u64, u64),
    /// So many things in the time of the answer.
    Rate(u64),
    /// Memory.
    Bytes(u64),
    /// A time; none at all if it is zero.
    Duration(Duration),
    /// Words; none if they are empty.
    Text(String),
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Value::Count(count)
    }
}

impl From<Duration> for Value {
    fn from(time: Duration) -> Self {
        Value::Duration(time)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

/// A titled table: an invariant, predicates, rounds of refinement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exhibit {
    /// Its name in documents.
    pub key: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Documents have it among the statistics of the result; else in the result itself.
    pub in_stats: bool,
    /// The rows: records, or mere texts.
    pub rows: Vec<Datum>,
}

/// A cell of an exhibit, or a row of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Datum {
    /// Words.
    Text(String),
    /// So many things.
    Count(u64),
    /// A place in the source, if there is one.
    Place(Option<Span>),
    /// Several; in a table, records have rows of their own.
    List(Vec<Datum>),
    /// Fields.
    Record(Vec<Field>),
}

impl Datum {
    /// A list of texts.
    pub fn texts(texts: &[String]) -> Self {
        Datum::List(texts.iter().cloned().map(Datum::Text).collect())
    }
}

/// A field of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name in documents.
    pub key: &'static str,
    /// Its title in tables; empty if it is for documents only.
    pub title: &'static str,
    /// What it holds.
    pub value: Datum,
}

impl Field {
    /// A field.
    pub fn new(key: &'static str, title: &'static str, value: Datum) -> Self {
        Field { key, title, value }
    }
}
