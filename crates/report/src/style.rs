//! How text looks: colours, the characters for lines and arrows, numbers, times and sizes.
//!
//! Every function that makes text for people takes a [`Style`]. It says what the terminal can do;
//! no one else asks. Text that comes from a model goes through `clean` before it is shown, so that
//! a model cannot move the cursor.

pub(crate) use model::text::{counted, grouped};
use std::time::Duration;

/// What the output can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Colours and bold type, by ANSI sequences.
    pub color: bool,
    /// Characters other than ASCII, for lines, arrows and marks.
    pub unicode: bool,
    /// The columns that a line of a table may take; 0 is no limit.
    pub width: usize,
}

impl Style {
    /// ASCII without colours and without a limit: for files, and for tests.
    pub const PLAIN: Style = Style { color: false, unicode: false, width: 0 };

    /// The text in a colour, if there are colours.
    pub(crate) fn paint(self, ink: Ink, text: &str) -> String {
        if !self.color || text.is_empty() {
            return String::from(text);
        }
        format!("\x1b[{}m{text}\x1b[0m", ink.code())
    }

    /// One of two texts: with Unicode, or in ASCII.
    pub(crate) fn choose<'t>(self, unicode: &'t str, ascii: &'t str) -> &'t str {
        if self.unicode { unicode } else { ascii }
    }

    /// The text with Greek letters and primes by name, if there is only ASCII.
    pub(crate) fn letters(self, text: &str) -> String {
        let named = [("ρ", "rho"), ("ξ", "xi"), ("′", "'"), ("″", "''")];
        named
            .iter()
            .fold(String::from(text), |text, (unicode, ascii)| text.replace(unicode, self.choose(unicode, ascii)))
    }

    /// The dash between two parts of a sentence.
    pub(crate) fn dash(self) -> &'static str {
        self.choose("—", "-")
    }

    /// The arrow from a sender to a receiver.
    pub(crate) fn arrow(self) -> &'static str {
        self.choose("→", "->")
    }

    /// What stands for text that was left out.
    pub(crate) fn ellipsis(self) -> &'static str {
        self.choose("…", "...")
    }

    /// The text in at most so many characters.
    pub(crate) fn cut(self, text: &str, width: usize) -> String {
        if text.chars().nth(width).is_none() {
            return String::from(text);
        }
        let ellipsis = self.ellipsis();
        let kept = width.saturating_sub(ellipsis.chars().count());
        text.chars().take(kept).chain(ellipsis.chars()).take(width).collect()
    }
}

/// What a colour means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ink {
    /// Proved.
    Good,
    /// Violated.
    Bad,
    /// Neither.
    Doubt,
    /// Of less interest.
    Faint,
    /// Of more interest.
    Strong,
    /// A process: its number chooses the colour.
    Process(u32),
}

impl Ink {
    /// The parameters of the ANSI sequence.
    fn code(self) -> &'static str {
        const PROCESSES: [&str; 6] = ["36", "35", "34", "33", "32", "96"];
        match self {
            Ink::Good => "1;32",
            Ink::Bad => "1;31",
            Ink::Doubt => "1;33",
            Ink::Faint => "2",
            Ink::Strong => "1",
            Ink::Process(number) => PROCESSES[number as usize % PROCESSES.len()],
        }
    }
}

/// The text without control characters; what was one is shown as `?`.
pub(crate) fn clean(text: &str) -> String {
    let bidirectional = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() || bidirectional(c) => '?',
            c => c,
        })
        .collect()
}

/// A time as a person would say it: `0.02 ms`, `0.4 ms`, `12 ms`, `60.0 s`, `3 min 20 s`.
pub fn duration(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    match time.as_secs() {
        0 if milliseconds < 0.1 => format!("{milliseconds:.2} ms"),
        0 if milliseconds < 1.0 => format!("{milliseconds:.1} ms"),
        0 => format!("{} ms", time.as_millis()),
        1..120 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// A size: `812 B`, `1.5 MiB`.
pub(crate) fn bytes(size: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if size < 1024 {
        return format!("{size} B");
    }
    let mut value = size as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        assert_eq!(
            [0, 7, 999, 1000, 1_203_004].map(grouped),
            ["0", "7", "999", "1 000", "1 203 004"].map(String::from)
        );
    }

    #[test]
    fn times_and_sizes_have_the_unit_a_person_would_choose() {
        let time = |micros| duration(Duration::from_micros(micros));
        assert_eq!([time(23), time(400), time(12_345)], ["0.02 ms", "0.4 ms", "12 ms"].map(String::from));
        assert_eq!(time(60_000_000), "60.0 s");
        assert_eq!(time(200_000_000), "3 min 20 s");
        assert_eq!([bytes(812), bytes(1_572_864)], ["812 B", "1.5 MiB"].map(String::from));
    }

    #[test]
    fn a_cut_text_ends_with_an_ellipsis_and_has_the_width() {
        let unicode = Style { unicode: true, ..Style::PLAIN };
        assert_eq!(unicode.cut("abcdef", 6), "abcdef");
        assert_eq!(unicode.cut("abcdef", 4), "abc…");
        assert_eq!(Style::PLAIN.cut("abcdef", 5), "ab...");
        assert_eq!(Style::PLAIN.cut("abcdef", 2), "..");
    }

    #[test]
    fn a_model_cannot_send_escape_sequences() {
        assert_eq!(clean("a\x1b[2Jb\u{202e}c"), "a?[2Jb?c");
    }
}
