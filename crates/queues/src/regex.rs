//! Regular expressions over messages and separators, as front ends write them.

use crate::languages::{Language, Languages};
use crate::limits::Limit;
use crate::nondeterministic::Nondeterministic;
use std::fmt::Write;

/// A regular expression. A nesting of many thousands is the parser's to refuse.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Regex {
    /// No word.
    Empty,
    /// The empty word.
    Epsilon,
    /// A message.
    Letter(u32),
    /// The mark between two channels.
    Separator,
    /// One after the other.
    Concat(Vec<Regex>),
    /// Any of them.
    Alt(Vec<Regex>),
    /// Any number of times.
    Star(Box<Regex>),
    /// At least once.
    Plus(Box<Regex>),
}

/// Why an expression is no set of queue contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegexError {
    /// Some word has another number of separators.
    #[error("the number of '#' in every word of the expression must be {expected}")]
    Separators {
        /// How many there must be.
        expected: usize,
    },
    /// A message that does not exist.
    #[error("there is no message {0}")]
    Letter(u32),
    /// It took too long or too much.
    #[error(transparent)]
    Limit(#[from] Limit),
}

impl Regex {
    /// Any word over these messages.
    pub fn any(letters: impl IntoIterator<Item = u32>) -> Regex {
        Regex::Star(Box::new(Regex::Alt(letters.into_iter().map(Regex::Letter).collect())))
    }

    /// A word.
    pub fn word(letters: &[u32]) -> Regex {
        Regex::Concat(letters.iter().copied().map(Regex::Letter).collect())
    }

    /// The number of operators and letters.
    pub fn size(&self) -> usize {
        match self {
            Regex::Empty | Regex::Epsilon | Regex::Letter(_) | Regex::Separator => 1,
            Regex::Concat(parts) | Regex::Alt(parts) => 1 + parts.iter().map(Regex::size).sum::<usize>(),
            Regex::Star(part) | Regex::Plus(part) => 1 + part.size(),
        }
    }

    /// The text of the expression in the notation of `.scm` files, with names for messages.
    pub fn text(&self, name: &dyn Fn(u32) -> String) -> String {
        let mut text = String::new();
        self.write(&mut text, name, Binding::Loose);
        text
    }

    fn write(&self, text: &mut String, name: &dyn Fn(u32) -> String, around: Binding) {
        let needed = self.binding();
        if needed < around {
            text.push('(');
        }
        match self {
            Regex::Empty => text.push('0'),
            Regex::Epsilon => text.push('_'),
            Regex::Letter(letter) => text.push_str(&name(*letter)),
            Regex::Separator => text.push('#'),
            Regex::Concat(parts) if parts.is_empty() => text.push('_'),
            Regex::Alt(parts) if parts.is_empty() => text.push('0'),
            Regex::Concat(parts) => join(text, parts, '.', name, Binding::Tight),
            Regex::Alt(parts) => join(text, parts, '|', name, Binding::Sequence),
            Regex::Star(part) => {
                part.write(text, name, Binding::Tight);
                let _ = write!(text, "^*");
            }
            Regex::Plus(part) => {
                part.write(text, name, Binding::Tight);
                let _ = write!(text, "^+");
            }
        }
        if needed < around {
            text.push(')');
        }
    }

    fn binding(&self) -> Binding {
        match self {
            Regex::Alt(parts) if !parts.is_empty() => Binding::Loose,
            Regex::Concat(parts) if !parts.is_empty() => Binding::Sequence,
            Regex::Star(_) | Regex::Plus(_) => Binding::Repeated,
            _ => Binding::Tight,
        }
    }
}

/// How tightly the outermost operator of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Loose,
    Sequence,
    Repeated,
    Tight,
}

fn join(text: &mut String, parts: &[Regex], mark: char, name: &dyn Fn(u32) -> String, around: Binding) {
    let around = if mark == '.' { Binding::Repeated } else { around };
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            text.push(mark);
        }
        part.write(text, name, around);
    }
}

impl Languages {
    /// The language of an expression.
    pub fn regex(&mut self, regex: &Regex) -> Result<Language, RegexError> {
        let mut automaton = Nondeterministic::default();
        let (start, end) = (automaton.state(), automaton.state());
        automaton.starts.push(start);
        automaton.accept(end);
        self.compile(&mut automaton, regex, start, end)?;
        let language = self.intern_choices(&automaton)?;
        if self.has_separators(language) {
            Ok(language)
        } else {
            Err(RegexError::Separators { expected: self.channels() - 1 })
        }
    }

    /// Puts the expression between two states (Thompson's construction).
    fn compile(
        &mut self,
        automaton: &mut Nondeterministic,
        regex: &Regex,
        start: u32,
        end: u32,
    ) -> Result<(), RegexError> {
        self.budget.spend(1)?;
        self.budget.fits(automaton.states())?;
        match regex {
            Regex::Empty => {}
            Regex::Epsilon => automaton.silent(start, end),
            Regex::Letter(letter) if *letter >= self.separator() => return Err(RegexError::Letter(*letter)),
            Regex::Letter(letter) => automaton.edge(start, *letter, end),
            Regex::Separator => automaton.edge(start, self.separator(), end),
            Regex::Concat(parts) => {
                let mut reached = start;
                for part in parts {
                    let next = automaton.state();
                    self.compile(automaton, part, reached, next)?;
                    reached = next;
                }
                automaton.silent(reached, end);
            }
            Regex::Alt(parts) => {
                for part in parts {
                    self.compile(automaton, part, start, end)?;
                }
            }
            Regex::Star(part) | Regex::Plus(part) => {
                let (from, to) = (automaton.state(), automaton.state());
                automaton.silent(start, from);
                automaton.silent(to, from);
                automaton.silent(to, end);
                if matches!(regex, Regex::Star(_)) {
                    automaton.silent(from, end);
                }
                self.compile(automaton, part, from, to)?;
            }
        }
        Ok(())
    }

    /// Whether all words have the right number of separators: each state has one segment, and words end in the last.
    fn has_separators(&self, language: Language) -> bool {
        let automaton = self.automaton(language);
        let last = self.channels() as u32 - 1;
        (0..automaton.states() as u32).all(|state| {
            let segment = automaton.segment(state);
            let right = |edge: &crate::Edge| {
                automaton.segment(edge.target) == segment + u32::from(edge.letter == self.separator())
            };
            automaton.edges(state).iter().all(right) && (!automaton.accepts(state) || segment == last)
        })
    }
}
