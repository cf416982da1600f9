//! A text, with positions as editors count them: lines from 0, and in a line the units of UTF-16.

use serde_json::{Value, json};

/// A text that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: String) -> Text {
        let begins = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = [0].into_iter().chain(begins).collect();
        Text { text, lines }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The byte at a position; positions behind the end of a line or of the text are its end.
    pub(crate) fn offset(&self, position: &Value) -> Option<usize> {
        let number = |key: &str| usize::try_from(position.get(key)?.as_u64()?).ok();
        let (line, column) = (number("line")?, number("character")?);
        let Some(&start) = self.lines.get(line) else { return Some(self.text.len()) };
        let end = self.lines.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let mut units = 0;
        for (at, c) in self.text[start..end].char_indices() {
            if units >= column {
                return Some(start + at);
            }
            units += c.len_utf16();
        }
        Some(end)
    }

    /// The position of a byte.
    pub(crate) fn position(&self, offset: usize) -> Value {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|start| *start <= offset).saturating_sub(1);
        let units: usize = self.text[self.lines[line]..offset].chars().map(char::len_utf16).sum();
        json!({"line": line, "character": units})
    }

    pub(crate) fn range(&self, start: usize, end: usize) -> Value {
        json!({"start": self.position(start), "end": self.position(end.max(start))})
    }

    /// The text after a change of `textDocument/didChange`; `None` if that makes no sense.
    pub(crate) fn changed(&self, change: &Value) -> Option<Text> {
        let new = change.get("text")?.as_str()?;
        let Some(range) = change.get("range").filter(|range| !range.is_null()) else {
            return Some(Text::new(new.to_owned()));
        };
        let (start, end) = (self.offset(range.get("start")?)?, self.offset(range.get("end")?)?);
        let (start, end) = (start.min(end), start.max(end));
        Some(Text::new([&self.text[..start], new, &self.text[end..]].concat()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_units_of_utf_16_and_changes_replace_them() {
        let text = Text::new(String::from("a𝄞b\nc"));
        assert_eq!(text.offset(&json!({"line": 0, "character": 3})), Some(5));
        assert_eq!(text.position(5), json!({"line": 0, "character": 3}));
        assert_eq!(text.offset(&json!({"line": 0, "character": 99})), Some(6));
        assert_eq!(text.offset(&json!({"line": 7, "character": 0})), Some(8));
        let change =
            json!({"range": {"start": {"line": 0, "character": 1}, "end": {"line": 1, "character": 0}}, "text": "x"});
        assert_eq!(text.changed(&change).unwrap().as_str(), "axc");
        assert_eq!(text.changed(&json!({"text": "new"})).unwrap().as_str(), "new");
        assert_eq!(text.changed(&json!({"range": 3, "text": "new"})), None);
    }
}
