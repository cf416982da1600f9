//! What must not be reached: bad configurations of a system of communicating machines.
//!
//! A [`Bad`] says where each machine may be (or that it may be anywhere) and what the queues may hold, all queues in
//! one word with separators between them: `a.b.#.c` is `ab` in channel 0 and `c` in channel 1. A configuration is bad
//! when it lies in one of them.

use model::expr::Expr;
use model::ids::LocationId;
use model::source::Span;

/// The bad configurations of a model: the union of its parts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Specification {
    /// The parts, in the order of the text.
    pub bad: Vec<Bad>,
}

/// One set of bad configurations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bad {
    /// Per machine of the network, in its order: where it may be. `None`: anywhere.
    pub machines: Vec<Option<Vec<Allowed>>>,
    /// What the queues may hold. `None`: anything.
    pub queues: Option<QueueLanguage>,
    /// Where it is written.
    pub span: Span,
}

impl Bad {
    /// Whether a vector of locations, one per machine, is one that this part speaks of; data and queues are left out.
    pub fn covers(&self, locations: &[LocationId]) -> bool {
        self.machines
            .iter()
            .zip(locations)
            .all(|(allowed, at)| allowed.as_ref().is_none_or(|states| states.iter().any(|state| state.location == *at)))
    }
}

/// A location where a machine may be in a bad configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allowed {
    /// The location.
    pub location: LocationId,
    /// What the machine's own variables must satisfy, if anything.
    pub condition: Option<Expr>,
    /// Where it is written.
    pub span: Span,
}

/// A language of queue contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueLanguage {
    /// Words over messages, with exactly one separator less than there are channels.
    pub regex: Regex,
    /// Where it is written.
    pub span: Span,
}

/// A regular expression over messages and separators. Its depth is limited when it is read.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Regex {
    /// The empty word.
    Empty,
    /// A message, by its value in the network.
    Message(i32),
    /// `#`: the end of one queue and the beginning of the next.
    Separator,
    /// One after the other.
    Concat(Vec<Regex>),
    /// One of them; none at all is the empty language.
    Union(Vec<Regex>),
    /// Any number of times.
    Star(Box<Regex>),
    /// At least once.
    Plus(Box<Regex>),
}

impl Regex {
    /// Any word over some messages.
    pub fn any(messages: impl IntoIterator<Item = i32>) -> Regex {
        Regex::Star(Box::new(Regex::Union(messages.into_iter().map(Regex::Message).collect())))
    }

    /// Whether there is no word in the language.
    pub fn is_void(&self) -> bool {
        match self {
            Regex::Empty | Regex::Separator | Regex::Message(_) | Regex::Star(_) => false,
            Regex::Concat(parts) => parts.iter().any(Regex::is_void),
            Regex::Union(parts) => parts.iter().all(Regex::is_void),
            Regex::Plus(inner) => inner.is_void(),
        }
    }

    /// The same language without parts that have no word; `None` if it has none itself.
    pub fn without_void(&self) -> Option<Regex> {
        Some(match self {
            Regex::Empty | Regex::Separator | Regex::Message(_) => self.clone(),
            Regex::Concat(parts) => Regex::Concat(parts.iter().map(Regex::without_void).collect::<Option<_>>()?),
            Regex::Union(parts) => {
                let parts: Vec<Regex> = parts.iter().filter_map(Regex::without_void).collect();
                if parts.is_empty() {
                    return None;
                }
                Regex::Union(parts)
            }
            Regex::Star(inner) => match inner.without_void() {
                Some(inner) => Regex::Star(Box::new(inner)),
                None => Regex::Empty,
            },
            Regex::Plus(inner) => Regex::Plus(Box::new(inner.without_void()?)),
        })
    }

    /// Calls `visit` for every message that is named.
    pub fn messages(&self, visit: &mut dyn FnMut(i32)) {
        match self {
            Regex::Empty | Regex::Separator => {}
            Regex::Message(value) => visit(*value),
            Regex::Concat(parts) | Regex::Union(parts) => parts.iter().for_each(|part| part.messages(visit)),
            Regex::Star(inner) | Regex::Plus(inner) => inner.messages(visit),
        }
    }
}
