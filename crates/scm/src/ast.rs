//! The tree that the parser makes of a file: names are still names, and nothing has been looked up.

use model::expr::{BinaryOp, UnaryOp};
use model::source::Span;

/// A word or a number that stands for something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    /// What was written; a number without zeros in front.
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Name {
    pub(crate) fn number(&self) -> Option<u64> {
        self.text.parse().ok()
    }
}

/// A whole file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) channels: Vec<Channel>,
    /// Numbers or names after `lossy :`.
    pub(crate) lossy: Vec<Name>,
    pub(crate) messages: Vec<Variable>,
    pub(crate) automata: Vec<Automaton>,
    pub(crate) bad: Vec<Bad>,
}

/// A channel: its name is its number, unless it was given one.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) name: Name,
    pub(crate) lossy: bool,
}

/// A message of the alphabet, or a variable of an automaton.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: Name,
    pub(crate) real: bool,
    pub(crate) value: Option<Formula>,
}

/// An automaton.
#[derive(Debug)]
pub(crate) struct Automaton {
    pub(crate) name: Name,
    pub(crate) variables: Vec<Variable>,
    pub(crate) initial: Vec<Name>,
    pub(crate) states: Vec<State>,
}

/// A state and its transitions.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) name: Name,
    pub(crate) transitions: Vec<Transition>,
}

/// A transition.
#[derive(Debug)]
pub(crate) struct Transition {
    pub(crate) to: Name,
    pub(crate) guard: Option<Formula>,
    pub(crate) action: Option<Action>,
    pub(crate) assignments: Vec<(Name, Formula)>,
    /// From `to` to the semicolon.
    pub(crate) span: Span,
}

/// What a transition does to a channel.
#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) channel: Name,
    pub(crate) send: bool,
    pub(crate) message: Name,
}

/// An expression over numbers: conditions are numbers that are not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Formula {
    Constant(i32),
    Variable(Name),
    Unary(UnaryOp, Box<Formula>),
    Binary(BinaryOp, Box<(Formula, Formula)>),
}

impl Formula {
    /// Whether it is the word `true`, or as good as.
    pub(crate) fn is_true(&self) -> bool {
        matches!(self, Formula::Constant(value) if *value != 0)
    }
}

/// One set of bad configurations.
#[derive(Debug)]
pub(crate) struct Bad {
    pub(crate) automata: Vec<(Name, Vec<(Name, Formula)>)>,
    pub(crate) language: Option<Language>,
    pub(crate) span: Span,
}

/// What the queues of a bad configuration hold.
#[derive(Debug)]
pub(crate) enum Language {
    /// One expression for all queues, with separators.
    Joined(Regex),
    /// An expression for each of some queues.
    PerChannel(Vec<(Name, Regex)>),
}

/// A regular expression.
#[derive(Clone, Debug)]
pub(crate) struct Regex {
    pub(crate) kind: RegexKind,
    pub(crate) span: Span,
}

/// What a regular expression is.
#[derive(Clone, Debug)]
pub(crate) enum RegexKind {
    Empty,
    Separator,
    Message(Name),
    Sequence(Vec<Regex>),
    Union(Vec<Regex>),
    Star(Box<Regex>),
    Plus(Box<Regex>),
}
