//! From an offset in the text that was parsed back to the place that its author wrote.
//!
//! A preprocessed text names the file and line of each of its lines, but not the column: macros are expanded, comments are
//! gone, blanks are squeezed. The line of the original is compared with the expanded one from both ends; what is equal
//! maps one to one, and what differs in the middle is the use of a macro, as a whole.

use crate::Input;
use crate::text::blank;
use lang_c::span::Span as Parsed;
use model::source::{FileId, SourceMap, Span};
use std::collections::HashMap;

/// Where things that were parsed stand.
pub(crate) struct Places {
    /// The lines of the parsed text; empty if it is the original itself.
    lines: Vec<Line>,
    /// The parsed text.
    text: String,
    /// The originals by file, without comments, with the offsets of their lines.
    originals: HashMap<FileId, (String, Vec<usize>)>,
}

struct Line {
    start: usize,
    file: FileId,
    /// From 0.
    number: usize,
}

impl Places {
    /// The places of an input, and the map of its files. File 0 is the one that the user named.
    pub fn new(input: &Input) -> (Places, SourceMap) {
        let mut sources = SourceMap::new();
        let main = sources.add(&input.name, &input.text);
        let Some(text) = &input.preprocessed else {
            return (Places { lines: Vec::new(), text: String::new(), originals: HashMap::new() }, sources);
        };
        let mut files = HashMap::from([(String::from("<stdin>"), main), (input.name.clone(), main)]);
        for (name, text) in &input.included {
            let file = sources.add(name, text);
            files.insert(name.clone(), file);
        }
        let mut lines = Vec::new();
        let (mut file, mut number, mut start) = (main, 0_usize, 0_usize);
        for line in text.split_inclusive('\n') {
            if let Some((next, name)) = marker(line) {
                number = next.saturating_sub(1);
                file = files.get(&name).copied().unwrap_or(main);
                if !files.contains_key(&name) {
                    number = 0;
                }
            } else {
                lines.push(Line { start, file, number });
                number += 1;
            }
            start += line.len();
        }
        let originals = sources.files().iter().enumerate().map(|(id, file)| {
            let starts = std::iter::once(0).chain(file.text.match_indices('\n').map(|(at, _)| at + 1)).collect();
            (FileId(id as u32), (blank(&file.text).text, starts))
        });
        let originals = originals.collect();
        (Places { lines, text: text.clone(), originals }, sources)
    }

    /// The place of what was parsed.
    pub fn span(&self, parsed: Parsed) -> Span {
        if self.lines.is_empty() {
            return Span::new(FileId(0), parsed.start, parsed.end);
        }
        let (file, start) = self.original(parsed.start, false);
        let (last_file, last) = self.original(parsed.end.saturating_sub(1).max(parsed.start), true);
        let end = if last_file == file { last.max(start) } else { start };
        Span::new(file, start, end)
    }

    fn original(&self, offset: usize, end: bool) -> (FileId, usize) {
        let index = self.lines.partition_point(|line| line.start <= offset).saturating_sub(1);
        let Some(line) = self.lines.get(index) else { return (FileId(0), 0) };
        let Some((text, starts)) = self.originals.get(&line.file) else { return (line.file, 0) };
        let Some(&start) = starts.get(line.number) else { return (line.file, text.len()) };
        let original = text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or("");
        let expanded = self.text.get(line.start..).and_then(|rest| rest.split('\n').next()).unwrap_or("");
        (line.file, start + column(original.as_bytes(), expanded.as_bytes(), offset - line.start, end))
    }
}

/// `# 12 "file.c" 1 3`: the number and the name.
fn marker(line: &str) -> Option<(usize, String)> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "))?;
    let (number, rest) = rest.split_once(' ')?;
    let name = rest.trim_start().strip_prefix('"')?;
    let name = name.split('"').next()?;
    Some((number.parse().ok()?, name.to_string()))
}

/// The names of the files in the markers of a text, each once.
pub(crate) fn named_files(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (_, name) in text.lines().filter_map(marker) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Where a byte of the expanded line stands in the original line; one past it for the end of something.
fn column(original: &[u8], expanded: &[u8], at: usize, end: bool) -> usize {
    let solid = |line: &[u8]| -> Vec<usize> { (0..line.len()).filter(|&i| !line[i].is_ascii_whitespace()).collect() };
    let (there, here) = (solid(original), solid(expanded));
    let equal = |&(a, b): &(&usize, &usize)| original[*a] == expanded[*b];
    let wordy = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut front = there.iter().zip(&here).take_while(equal).count();
    let mut back = there.iter().rev().zip(here.iter().rev()).take_while(equal).count();
    if front < here.len() || front < there.len() {
        // Words are equal as a whole or not at all.
        while front > 0 && wordy(original[there[front - 1]]) {
            front -= 1;
        }
        back = back.min(here.len() - front).min(there.len() - front);
        while back > 0 && wordy(original[there[there.len() - back]]) {
            back -= 1;
        }
        // The use of a macro ends with its own bracket.
        let open = |back: usize| {
            let middle = &there[front..there.len() - back];
            let count = |bracket: u8| middle.iter().filter(|&&i| original[i] == bracket).count();
            count(b'(') > count(b')')
        };
        while back > 0 && open(back) {
            back -= 1;
        }
    }
    let rank = here.partition_point(|&i| i < at);
    let place = if rank < front {
        there[rank]
    } else if rank + back >= here.len() && rank < here.len() {
        there[there.len() - (here.len() - rank)]
    } else if end {
        match (there.len() - back.min(there.len())).checked_sub(1) {
            Some(last) if last + 1 > front => there[last],
            _ => there.get(front).copied().unwrap_or(original.len()),
        }
    } else {
        there.get(front).copied().unwrap_or(original.len())
    };
    (place + usize::from(end)).min(original.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macro_in_the_middle_is_one_place() {
        let original = b"  x = MAX(a, b)   + y;";
        let expanded = b"  x = ((a)>(b)?(a):(b)) + y;";
        let y = expanded.iter().position(|&b| b == b'y').unwrap();
        assert_eq!(original[column(original, expanded, y, false)], b'y');
        assert_eq!(column(original, expanded, 2, false), 2);
        assert_eq!(column(original, expanded, 9, false), 6);
        assert_eq!(column(original, expanded, 9, true), 15);
    }

    #[test]
    fn markers_are_read() {
        assert_eq!(marker("# 12 \"a b.c\" 1 3\n"), Some((12, String::from("a b.c"))));
        assert_eq!(marker("#pragma x\n"), None);
    }
}
