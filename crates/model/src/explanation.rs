//! What there is to say about the codes of diagnostics: the tables of the front ends, for `highwater explain`.

/// What there is to say about a code.
#[derive(Debug, Clone, Copy)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means and what to do.
    pub text: &'static str,
    /// A text that gets the message; may be empty.
    pub example: &'static str,
}

/// The explanation of a code; upper and lower case are the same.
pub fn find(table: &'static [Explanation], code: &str) -> Option<&'static Explanation> {
    table.iter().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

/// How many codes some tables have.
pub const fn count(tables: &[&[Explanation]]) -> usize {
    let (mut count, mut table) = (0, 0);
    while table < tables.len() {
        count += tables[table].len();
        table += 1;
    }
    count
}

/// One table of several, in order. A constant cannot be made with iterators.
pub const fn joined<const COUNT: usize>(tables: &[&[Explanation]]) -> [Explanation; COUNT] {
    let mut all = [Explanation { code: "", title: "", text: "", example: "" }; COUNT];
    let (mut next, mut table) = (0, 0);
    while table < tables.len() {
        let mut entry = 0;
        while entry < tables[table].len() {
            all[next] = tables[table][entry];
            (next, entry) = (next + 1, entry + 1);
        }
        table += 1;
    }
    all
}

/// What is wrong with a table, if something is: codes are in order, titles are a few words, and nothing is empty.
pub fn fault(table: &[Explanation]) -> Option<String> {
    if let Some(pair) = table.windows(2).find(|pair| pair[0].code >= pair[1].code) {
        return Some(format!("{} stands before {}", pair[0].code, pair[1].code));
    }
    table.iter().find_map(|Explanation { code, title, text, example }| {
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
