//! Regular expressions of bad configurations: messages are looked up, separators counted.
//!
//! A word has one separator less than there are channels. So every part of an expression must have a definite number of
//! them: the sides of `|` the same, and what is repeated none. An error points at the part that breaks this, not at the
//! whole.

use super::Lowering;
use crate::ast::{self, RegexKind};
use crate::specification::{QueueLanguage, Regex};
use model::diagnostic::Diagnostic;
use model::source::Span;
use std::collections::HashMap;

impl Lowering<'_, '_> {
    /// The language of a set of bad configurations; `None` after an error.
    pub(super) fn language(&mut self, language: &ast::Language) -> Option<QueueLanguage> {
        match language {
            ast::Language::Joined(regex) => self.joined(regex),
            ast::Language::PerChannel(parts) => self.per_channel(parts),
        }
    }

    fn joined(&mut self, regex: &ast::Regex) -> Option<QueueLanguage> {
        let channels = self.file.channels.len();
        let separators = self.separators(regex)?;
        let lowered = self.regex(regex)?;
        if separators + 1 != channels {
            let message = format!(
                "this expression has {separators} separator{} `#`, and {channels} channel{} need {}",
                if separators == 1 { "" } else { "s" },
                if channels == 1 { "" } else { "s" },
                channels - 1
            );
            let error = Diagnostic::error("S0201", regex.span, message);
            let shape = vec!["_"; channels.min(8)].join(".#.");
            let more = if channels > 8 { " and so on" } else { "" };
            self.report(
                error.help(format!("one part per channel, in order: `{shape}`{more}, where `_` is an empty queue")),
            );
            return None;
        }
        Some(QueueLanguage { regex: lowered, span: regex.span })
    }

    fn per_channel(&mut self, parts: &[(ast::Name, ast::Regex)]) -> Option<QueueLanguage> {
        let symbols = 1..=self.file.messages.len() as i32;
        let mut queues: Vec<Option<Regex>> = vec![None; self.file.channels.len()];
        let mut first: HashMap<usize, Span> = HashMap::new();
        let mut whole = parts.first()?.0.span;
        for (name, regex) in parts {
            whole = whole.to(regex.span);
            let channel = self.channel(name)?;
            if let Some(first) = first.insert(channel, name.span) {
                let message = format!("channel `{}` is named twice in one set of bad configurations", name.text);
                self.report(Diagnostic::error("S0204", name.span, message).also(first, "first here"));
            }
            if self.separators(regex)? > 0 {
                let error = Diagnostic::error("S0205", regex.span, "a separator in the language of one channel");
                self.report(error.help("write either one expression for all channels, or one per channel without `#`"));
                return None;
            }
            queues[channel] = Some(self.regex(regex)?);
        }
        let mut sequence = Vec::new();
        for (index, queue) in queues.into_iter().enumerate() {
            if index > 0 {
                sequence.push(Regex::Separator);
            }
            sequence.push(queue.unwrap_or_else(|| Regex::any(symbols.clone())));
        }
        Some(QueueLanguage { regex: Regex::Concat(sequence), span: whole })
    }

    fn regex(&mut self, regex: &ast::Regex) -> Option<Regex> {
        Some(match &regex.kind {
            RegexKind::Empty => Regex::Empty,
            RegexKind::Separator => Regex::Separator,
            RegexKind::Message(name) => Regex::Message(self.message(name)?),
            RegexKind::Sequence(parts) => Regex::Concat(self.regexes(parts)?),
            RegexKind::Union(parts) => Regex::Union(self.regexes(parts)?),
            RegexKind::Star(inner) => Regex::Star(Box::new(self.regex(inner)?)),
            RegexKind::Plus(inner) => Regex::Plus(Box::new(self.regex(inner)?)),
        })
    }

    fn regexes(&mut self, parts: &[ast::Regex]) -> Option<Vec<Regex>> {
        parts.iter().map(|part| self.regex(part)).collect()
    }

    /// The number of separators in every word of an expression; an error if it varies.
    fn separators(&mut self, regex: &ast::Regex) -> Option<usize> {
        match &regex.kind {
            RegexKind::Empty | RegexKind::Message(_) => Some(0),
            RegexKind::Separator => Some(1),
            RegexKind::Sequence(parts) => parts.iter().try_fold(0, |sum, part| Some(sum + self.separators(part)?)),
            RegexKind::Union(parts) => {
                let first = self.separators(parts.first()?)?;
                for part in &parts[1..] {
                    let other = self.separators(part)?;
                    if other != first {
                        let message = format!("this side of `|` has {other} separators `#`, the first one has {first}");
                        let error = Diagnostic::error("S0203", part.span, message);
                        let error = error.also(parts[0].span, format!("{first} here"));
                        self.report(error.help("`.` binds tighter than `|`: parentheses may be missing"));
                        return None;
                    }
                }
                Some(first)
            }
            RegexKind::Star(inner) | RegexKind::Plus(inner) => {
                if self.separators(inner)? > 0 {
                    let error = Diagnostic::error("S0202", regex.span, "a separator `#` cannot be repeated");
                    self.report(error.help("the number of channels is fixed: repeat what is between separators"));
                    return None;
                }
                Some(0)
            }
        }
    }
}
