//! A regular expression as a graph: a point reads a letter, or goes on to other points without one.

use model::queue_proof::SEPARATOR;
use scm::Regex;

#[derive(Debug, Default)]
struct Point {
    letter: Option<(u32, u32)>,
    silent: Vec<u32>,
}

/// A nondeterministic automaton with silent steps; point 0 is the end.
#[derive(Debug)]
pub(crate) struct Pattern {
    points: Vec<Point>,
    start: u32,
}

impl Pattern {
    pub(crate) fn new(regex: &Regex) -> Pattern {
        let mut pattern = Pattern { points: vec![Point::default()], start: 0 };
        pattern.start = pattern.before(regex, 0);
        pattern
    }

    pub(crate) fn start(&self) -> u32 {
        self.start
    }

    pub(crate) fn is_end(&self, point: u32) -> bool {
        point == 0
    }

    pub(crate) fn silent(&self, point: u32) -> &[u32] {
        &self.points[point as usize].silent
    }

    /// The letter that is read at a point, and where that leads.
    pub(crate) fn letter(&self, point: u32) -> Option<(u32, u32)> {
        self.points[point as usize].letter
    }

    fn add(&mut self, letter: Option<(u32, u32)>, silent: Vec<u32>) -> u32 {
        self.points.push(Point { letter, silent });
        self.points.len() as u32 - 1
    }

    /// A point from which a word of the expression leads to `then`.
    fn before(&mut self, regex: &Regex, then: u32) -> u32 {
        match regex {
            Regex::Empty => then,
            // A message that is no letter is in no queue.
            Regex::Message(value) => match u32::try_from(*value) {
                Ok(letter) if letter != SEPARATOR => self.add(Some((letter, then)), Vec::new()),
                _ => self.add(None, Vec::new()),
            },
            Regex::Separator => self.add(Some((SEPARATOR, then)), Vec::new()),
            Regex::Concat(parts) => parts.iter().rev().fold(then, |then, part| self.before(part, then)),
            Regex::Union(parts) => {
                let silent = parts.iter().map(|part| self.before(part, then)).collect();
                self.add(None, silent)
            }
            Regex::Star(inner) => self.repeat(inner, then).1,
            Regex::Plus(inner) => self.repeat(inner, then).0,
        }
    }

    /// Points before one round at least, and before any number of rounds.
    fn repeat(&mut self, inner: &Regex, then: u32) -> (u32, u32) {
        let again = self.add(None, vec![then]);
        let round = self.before(inner, again);
        self.points[again as usize].silent.push(round);
        (round, again)
    }
}
