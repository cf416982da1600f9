//! Formulas: names become events, propositions of processes, and expressions over variables of procedures.

use super::{Part, Reader, Refused};
use crate::expression::{Expression, parse};
use crate::graph::Returns;
use crate::outline::Piece;
use cfront::term::Terms;
use model::composition::{Atom, Requirement};
use model::diagnostic::{Diagnostic, nearest};
use model::formula::Ltl;
use model::source::Span;
use std::ops::Range;

impl Reader<'_> {
    /// The formulas of the text and of the options, with the returns of which they speak; the propositions that they need
    /// go to the parts.
    pub(super) fn formulas(&mut self, parts: &mut [Part]) -> Refused<Vec<(Requirement, Vec<Returns>)>> {
        let mut formulas = self.outline.formulas.clone();
        for text in &self.options.formulas {
            let file = self.sources.add("formula", text.as_str());
            let piece = Piece { text: text.clone(), span: Span::new(file, 0, text.len()) };
            formulas.push((piece.clone(), piece));
        }
        formulas.iter().map(|(name, text)| self.formula(name, text, parts)).collect()
    }

    fn formula(&mut self, name: &Piece, text: &Piece, parts: &mut [Part]) -> Refused<(Requirement, Vec<Returns>)> {
        let place = |range: Range<usize>| {
            let start = text.span.start as usize;
            Span::new(text.span.file, start + range.start, start + range.end)
        };
        let parsed = ltl::parse(&text.text).map_err(|error| {
            let diagnostic = Diagnostic::error("M0201", place(error.range.clone()), error.message);
            Box::new(error.hint.into_iter().fold(diagnostic, Diagnostic::help))
        })?;
        if let Some(usual) = &parsed.usual {
            let warning = Diagnostic::warning("M0202", text.span, "this formula can be read in two ways");
            let read = parsed.formula.to_promela(&parsed.atoms);
            let other = usual.to_promela(&parsed.atoms);
            let help = format!("if {other} is meant, set parentheses: as in SPIN, `&&`, `||` and `->` bind equally");
            self.diagnostics.push(warning.label(format!("read as {read}")).help(help));
        }
        let (mut atoms, mut returning, mut returned) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (atom, places)) in parsed.atoms.iter().zip(&parsed.places).enumerate() {
            let span = place(places.first().cloned().unwrap_or(0..0));
            match self.return_atom(atom, span, parts)? {
                Some(return_atom) => {
                    returning.push(number);
                    returned.push(return_atom);
                    atoms.push(Ltl::Constant(false));
                }
                None => atoms.push(Ltl::Atom(Box::new(self.atom(atom, span, parts)?), atom.clone())),
            }
        }
        let (returns, events) = self.watched(&returned, parts)?;
        returning.into_iter().zip(events).for_each(|(number, event)| atoms[number] = event);
        let formula = ltl::with_atoms(&parsed.formula, &atoms);
        Ok((Requirement { name: name.text.clone(), formula, span: text.span }, returns))
    }

    fn atom(&mut self, text: &str, span: Span, parts: &mut [Part]) -> Refused<Atom> {
        let trimmed = text.trim();
        if self.event_numbers.contains_key(trimmed) && self.proposition_numbers.contains_key(trimmed) {
            let error = Diagnostic::error("M0203", span, format!("`{trimmed}` is an event and a proposition"));
            return Err(Box::new(error.help("give one of them another name")));
        }
        if let Some(&event) = self.event_numbers.get(trimmed).filter(|_| !trimmed.starts_with('(')) {
            return Ok(Atom::Event(event));
        }
        if let Some(&proposition) = self.proposition_numbers.get(trimmed) {
            return Ok(Atom::Proposition(proposition));
        }
        let (part, expression) = self.about_part(text, span, parts)?;
        let id = self.proposition(trimmed, span);
        if let Some(Part::Procedure(procedure)) = parts.get_mut(part) {
            procedure.propositions.push((id, expression));
        }
        Ok(Atom::Proposition(id))
    }

    /// An expression over the variables of one part.
    fn about_part(&mut self, text: &str, span: Span, parts: &[Part]) -> Refused<(usize, Expression)> {
        // The text stands behind a brace or a quote, if it has one.
        let quoted = span.end.saturating_sub(span.start) as usize > text.len();
        let inner = Span { start: span.start + u32::from(quoted), ..span };
        let mut expression = parse(text, inner).map_err(|error| {
            let name = text.chars().all(|c| c.is_ascii_alphanumeric() || "_.[]".contains(c));
            if name { self.no_event(text, span) } else { error }
        })?;
        let names: Vec<String> = expression.names().into_iter().map(str::to_owned).collect();
        let procedures = || parts.iter().enumerate().filter(|(_, part)| matches!(part, Part::Procedure(_)));
        let speaks_of =
            |name: &str, part: &Part| name.strip_prefix(part.name()).is_some_and(|rest| rest.starts_with('.'));
        let meant: Vec<usize> = procedures()
            .filter(|(_, part)| names.iter().any(|name| speaks_of(name, part)))
            .map(|(number, _)| number)
            .collect();
        let only: Vec<usize> = procedures().map(|(number, _)| number).collect();
        let part = match (&meant[..], &only[..]) {
            ([one], _) | ([], [one]) => *one,
            ([], _) => return Err(self.no_event(text, span)),
            _ => {
                let error = Diagnostic::error("M0204", span, "this expression speaks of more than one part");
                return Err(Box::new(error.help("parts share no variables; write one atom for each, and join them")));
            }
        };
        expression.without_prefix(parts[part].name());
        if let Part::Procedure(procedure) = &parts[part] {
            if let Some(unit) = self.unit_with(&procedure.component.name) {
                self.with_constants(&mut expression, unit, &procedure.component);
            }
            let single = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            expression
                .term(&procedure.component, &[], &mut Terms::new())
                .map_err(|error| if single { self.no_event(text, span) } else { error })?;
        }
        Ok((part, expression))
    }

    fn no_event(&self, name: &str, span: Span) -> Box<Diagnostic> {
        let error = Diagnostic::error("M0203", span, format!("no part has an event or a proposition `{name}`"));
        let mut known: Vec<&str> =
            self.event_numbers.keys().chain(self.proposition_numbers.keys()).map(String::as_str).collect();
        known.sort_unstable();
        Box::new(match nearest(name, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("an expression of C stands in braces, with the name of its part: `{server.state == 3}`"),
        })
    }
}
