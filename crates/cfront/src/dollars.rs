//! Names with `$`, which GCC has and the grammar has not.
//!
//! Each gets another name of the same length that the text does not use, so that every offset stays what it is. What comes
//! out has the names of the text again.

use crate::program::{Component, Program};
use model::diagnostic::Diagnostic;
use std::collections::{BTreeMap, HashSet};

/// The letters that stand for `$`, one after the other.
const LETTERS: &[u8] = b"SDabcdefghijklmnopqrstuvwxyzABCEFGHIJKLMNOPQRTUVWXYZ_";

/// Names that were replaced: the new one, and that of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renamed {
    old: BTreeMap<String, String>,
}

impl Renamed {
    /// Replaces the names of a text; what is in quotes stays.
    pub fn replace(bytes: &mut [u8]) -> Renamed {
        let mut renamed = Renamed::default();
        if !bytes.contains(&b'$') {
            return renamed;
        }
        let words: Vec<std::ops::Range<usize>> = words(bytes).collect();
        let mut used: HashSet<Vec<u8>> = words.iter().map(|word| bytes[word.clone()].to_vec()).collect();
        let mut new: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        for word in words {
            let name = bytes[word.clone()].to_vec();
            if !name.contains(&b'$') {
                continue;
            }
            let other = match new.get(&name) {
                Some(other) => other.clone(),
                None => match unused(&name, &used) {
                    Some(other) => other,
                    // The parser says where the first such name stands.
                    None => continue,
                },
            };
            bytes[word].copy_from_slice(&other);
            used.insert(other.clone());
            let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
            renamed.old.insert(text(&other), text(&name));
            new.insert(name, other);
        }
        renamed
    }

    /// The name that the parser sees.
    pub fn seen(&self, name: &str) -> String {
        let found = self.old.iter().find(|(_, old)| *old == name);
        found.map_or_else(|| name.to_string(), |(new, _)| new.clone())
    }

    /// Gives what was read the names of the text.
    pub fn restore(&self, program: &mut Option<Program>, diagnostics: &mut [Diagnostic]) {
        if self.old.is_empty() {
            return;
        }
        for diagnostic in diagnostics {
            self.back(&mut diagnostic.message);
            self.back(&mut diagnostic.primary.text);
            diagnostic.help.iter_mut().for_each(|help| self.back(help));
        }
        if let Some(program) = program {
            program.procedures.iter_mut().for_each(|procedure| self.back(&mut procedure.name));
            program.components.iter_mut().for_each(|component| self.component(component));
        }
    }

    fn component(&self, component: &mut Component) {
        use crate::program::{Cause, Instruction};
        self.back(&mut component.name);
        for variable in &mut component.variables {
            self.back(&mut variable.name);
            variable.procedure.iter_mut().for_each(|name| self.back(name));
        }
        for object in &mut component.objects {
            self.back(&mut object.name);
            object.function.iter_mut().for_each(|name| self.back(name));
        }
        for location in &mut component.locations {
            self.back(&mut location.procedure);
            location.label.iter_mut().for_each(|label| self.back(label));
        }
        for edge in &mut component.edges {
            if let Instruction::Call { routine, .. } | Instruction::Havoc(_, Cause::Nondet(routine)) =
                &mut edge.instruction
            {
                self.back(routine);
            }
        }
        component.routines.iter_mut().for_each(|routine| self.back(routine));
    }

    /// Every word of a text that is a new name becomes the old one.
    fn back(&self, text: &mut String) {
        let mut bytes = text.clone().into_bytes();
        let ranges: Vec<std::ops::Range<usize>> = words(&bytes).collect();
        for word in ranges {
            if let Some(old) = std::str::from_utf8(&bytes[word.clone()]).ok().and_then(|word| self.old.get(word)) {
                bytes[word].copy_from_slice(old.as_bytes());
            }
        }
        if let Ok(restored) = String::from_utf8(bytes) {
            *text = restored;
        }
    }
}

/// A name of the same length that is not used: letters in the places of `$`, all of them tried.
fn unused(name: &[u8], used: &HashSet<Vec<u8>>) -> Option<Vec<u8>> {
    let places: Vec<usize> = (0..name.len()).filter(|&at| name[at] == b'$').collect();
    (0..LETTERS.len().pow(2)).find_map(|number| {
        let mut other = name.to_vec();
        for (index, &at) in places.iter().enumerate() {
            let digit = if index == 0 { number } else { number / LETTERS.len() };
            other[at] = LETTERS[digit % LETTERS.len()];
        }
        (!used.contains(&other) && !other[0].is_ascii_digit()).then_some(other)
    })
}

/// The words of a text outside of quotes.
fn words(bytes: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            if matches!(byte, b'"' | b'\'') {
                at = crate::text::quoted_end(bytes, at, byte);
                continue;
            }
            let length = bytes[at..].iter().take_while(|byte| crate::text::is_word(**byte)).count();
            let start = at;
            at += length.max(1);
            if length > 0 {
                return Some(start..start + length);
            }
        }
        None
    })
}
