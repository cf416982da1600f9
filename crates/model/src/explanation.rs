//! What there is to say about the codes of diagnostics, for `highwater explain`: texts in Markdown, and their reader.
//!
//! A section explains a code. Its heading is the code and a title; paragraphs follow, a fenced example, and a last paragraph
//! that begins with `What to do:`. Example and advice may be missing.

use std::sync::LazyLock;

/// What there is to say about a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means.
    pub text: &'static str,
    /// A text that gets the message, or a command; may be empty.
    pub example: &'static str,
    /// What to do about it; may be empty, if the text says it.
    pub advice: &'static str,
}

/// Explanations that are read when they are needed.
pub type Table = LazyLock<Vec<Explanation>>;

/// The explanations in some files, in order.
pub fn read(files: &[&'static str]) -> Vec<Explanation> {
    files.iter().flat_map(|file| file.split("\n# ").skip(1)).map(section).collect()
}

fn section(section: &'static str) -> Explanation {
    let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
    let (code, title) = heading.split_once(": ").unwrap_or((heading, ""));
    let (body, advice) = body.rsplit_once("\nWhat to do: ").unwrap_or((body, ""));
    let (text, fenced) = body.split_once("\n```").unwrap_or((body, ""));
    // The first line of a fenced block names its language.
    let (_, fenced) = fenced.split_once('\n').unwrap_or_default();
    let (example, _) = fenced.split_once("\n```").unwrap_or((fenced, ""));
    Explanation { code, title, text: text.trim(), example, advice: advice.trim() }
}

/// The explanation of a code; upper and lower case are the same.
pub fn find(table: &'static [Explanation], code: &str) -> Option<&'static Explanation> {
    table.iter().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

/// What is wrong with a table, if something is: codes are in order, titles are a few words, and nothing is empty.
pub fn fault(table: &[Explanation]) -> Option<String> {
    if let Some(pair) = table.windows(2).find(|pair| pair[0].code >= pair[1].code) {
        return Some(format!("{} stands before {}", pair[0].code, pair[1].code));
    }
    table.iter().find_map(|Explanation { code, title, text, example, .. }| {
        let wrong = if [title, text, example].iter().any(|part| part.trim().is_empty()) {
            "a part is empty"
        } else if title.len() > 60 || title.ends_with('.') {
            "the title is not a few words"
        } else if !text.ends_with('.') || text.lines().any(|line| line.len() > 100) {
            "the text has no end, or a line that is too long"
        } else {
            return None;
        };
        Some(format!("{code}: {wrong}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_a_code_a_title_a_text_an_example_and_advice() {
        let text = "<!-- two -->\n\n# A1: one\n\nFirst.\n\nSecond `#`.\n\n```c\n#define X\n  x\n```\n\nWhat to do: this\nor that.\n\n# A2: two\n\nOnly text.\n";
        let expected = [
            Explanation {
                code: "A1",
                title: "one",
                text: "First.\n\nSecond `#`.",
                example: "#define X\n  x",
                advice: "this\nor that.",
            },
            Explanation { code: "A2", title: "two", text: "Only text.", example: "", advice: "" },
        ];
        assert_eq!(read(&[text]), expected);
    }
}
