//! C files: which procedures they have, and the graphs of those that are requested.

use super::{Reader, Refused};
use crate::outline::Piece;
use cfront::Component;
use model::diagnostic::{Diagnostic, nearest};
use model::source::{FileId, Span};
use std::collections::HashMap;

/// A C file.
pub(super) struct Unit {
    pub(super) input: cfront::Input,
    /// The procedures with a body.
    pub(super) procedures: Vec<String>,
    /// The number of its first text among the sources.
    base: u32,
    /// The names that were looked up, and their values if they are enumerators.
    pub(super) enumerators: HashMap<String, Option<i128>>,
}

impl Reader<'_> {
    /// Reads every file, to know which procedures there are.
    pub(super) fn read_units(&mut self) -> Refused<()> {
        for file in self.outline.files.clone() {
            let input = (self.load)(&file.text).map_err(|error| {
                let message = format!("`{}` cannot be read: {error}", file.text);
                Box::new(Diagnostic::error("M0003", file.span, message).help("file names are relative to this file"))
            })?;
            let base = self.sources.files().len() as u32;
            let options = cfront::Options { entries: Vec::new(), ..self.options.c.clone() };
            let read = cfront::read(&input, &options);
            for source in read.sources.files() {
                self.sources.add(source.name.clone(), source.text.clone());
            }
            self.diagnostics.extend(read.diagnostics.into_iter().map(|diagnostic| shifted(diagnostic, base)));
            let procedures = read.program.map_or(Vec::new(), |program| program.procedures);
            let procedures = procedures.into_iter().map(|procedure| procedure.name).collect();
            self.units.push(Unit { input, procedures, base, enumerators: HashMap::new() });
        }
        Ok(())
    }

    /// The file that defines a procedure.
    pub(super) fn unit_with(&self, procedure: &str) -> Option<usize> {
        self.units.iter().position(|unit| unit.procedures.iter().any(|known| known == procedure))
    }

    /// Whatever `cproc` speaks of must be there.
    pub(super) fn check_names(&mut self) -> Refused<()> {
        for about in &self.outline.about {
            let name = &about.name.text;
            let called = self.units.iter().any(|unit| mentions(&without_comments(&unit.input.text), name));
            let defined = self.unit_with(name).is_some();
            let missing = if about.abstracts.is_empty() { !defined } else { !called };
            if missing {
                let what = if about.abstracts.is_empty() { "procedure" } else { "routine" };
                let error = Diagnostic::error("M0102", about.name.span, format!("no file has a {what} `{name}`"));
                let texts: Vec<String> = self.units.iter().map(|unit| without_comments(&unit.input.text)).collect();
                let words = texts.iter().flat_map(|text| words(text)).take(20_000);
                return Err(Box::new(match nearest(name, words) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help("name its file: `file \"server.c\";`"),
                }));
            }
        }
        Ok(())
    }

    /// The graph of a procedure, with places among all sources.
    pub(super) fn component(&mut self, name: &Piece) -> Refused<Component> {
        let number = self.unit_with(&name.text).ok_or_else(|| self.no_procedure(name, "procedure"))?;
        let abstracted = self.outline.about.iter().filter(|about| !about.abstracts.is_empty());
        let external = abstracted.map(|about| about.name.text.clone()).collect();
        let (entries, shared, marks_loads) = (vec![name.text.clone()], self.shared_names.clone(), true);
        let options = cfront::Options { entries, external, shared, marks_loads, ..self.options.c.clone() };
        let Unit { input, base, .. } = &self.units[number];
        let (base, read) = (*base, cfront::read(input, &options));
        self.diagnostics.extend(read.diagnostics.into_iter().map(|diagnostic| shifted(diagnostic, base)));
        let component = read.program.and_then(|program| program.components.into_iter().next());
        let Some(mut component) = component else {
            let message = format!("the procedure `{}` cannot be used", name.text);
            return Err(Box::new(
                Diagnostic::error("M0103", name.span, message).help("see what is said about its file"),
            ));
        };
        component.locations.iter_mut().for_each(|location| shift(&mut location.span, base));
        component.edges.iter_mut().for_each(|edge| shift(&mut edge.span, base));
        component.objects.iter_mut().for_each(|object| shift(&mut object.span, base));
        Ok(component)
    }
}

fn shift(span: &mut Span, base: u32) {
    span.file = FileId(span.file.0.saturating_add(base));
}

fn shifted(mut diagnostic: Diagnostic, base: u32) -> Diagnostic {
    shift(&mut diagnostic.primary.span, base);
    diagnostic.secondary.iter_mut().for_each(|label| shift(&mut label.span, base));
    diagnostic
}

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| word.len() > 1)
}

/// A text without its comments.
fn without_comments(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("/*").into_iter().chain(rest.find("//")).min() {
        kept.push_str(&rest[..at]);
        kept.push(' ');
        let (end, length) = if rest[at..].starts_with("/*") { ("*/", 2) } else { ("\n", 0) };
        rest = rest[at + 2..].find(end).map_or("", |found| &rest[at + 2 + found + length..]);
    }
    kept + rest
}

fn mentions(text: &str, name: &str) -> bool {
    words(text).any(|word| word == name) || name.len() == 1 && text.contains(name)
}
