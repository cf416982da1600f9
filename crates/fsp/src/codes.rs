//! The codes of this front end's diagnostics: what each means, with an example.
//!
//! | Codes        | Who says it | Explained in |
//! |--------------|-------------|--------------|
//! | F0001..F0007 | the lexer and the parser, about the order of words | `syntax` |
//! | F0101..F0114 | about definitions, names and what they mean        | `definitions` |
//! | F0201..F0202 | about what is too large                            | `sizes` |
//! | F0301..F0304 | about formulas and fluents                         | `formulas` |
//! | F0401..F0403 | about `.aut` files                                 | `automata` |
//! | F0501..F0506 | warnings                                           | `warnings` |
//!
//! Every example is a whole text that gets its message, and no other; `tests/messages.rs` reads them all, and compares
//! what is said about them with snapshots. Those of F04 are `.aut` files.

mod automata;
mod definitions;
mod formulas;
mod sizes;
mod syntax;
mod warnings;

/// What there is to say about a code.
#[derive(Debug, Clone, Copy)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// What it means and what to do.
    pub text: &'static str,
    /// A text that gets the message.
    pub example: &'static str,
}

/// The explanation of a code.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    ALL.iter().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

/// All codes, in order.
pub const ALL: &[Explanation] = &joined();

/// The tables of the ranges, in order.
const RANGES: [&[Explanation]; 6] =
    [syntax::CODES, definitions::CODES, sizes::CODES, formulas::CODES, automata::CODES, warnings::CODES];

const COUNT: usize = {
    let (mut count, mut range) = (0, 0);
    while range < RANGES.len() {
        count += RANGES[range].len();
        range += 1;
    }
    count
};

/// One table of all ranges. A constant cannot be made with iterators.
const fn joined() -> [Explanation; COUNT] {
    let mut all = [RANGES[0][0]; COUNT];
    let (mut next, mut range) = (0, 0);
    while range < RANGES.len() {
        let mut entry = 0;
        while entry < RANGES[range].len() {
            all[next] = RANGES[range][entry];
            (next, entry) = (next + 1, entry + 1);
        }
        range += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_in_order_and_none_is_there_twice() {
        assert!(ALL.windows(2).all(|pair| pair[0].code < pair[1].code));
    }

    #[test]
    fn no_part_of_an_explanation_is_empty() {
        for Explanation { code, title, text, example } in ALL {
            assert!([title, text, example].iter().all(|part| !part.trim().is_empty()), "{code}");
            assert!(title.len() <= 60 && !title.ends_with('.'), "the title of {code} is a few words");
            assert!(text.ends_with('.') && text.lines().all(|line| line.len() <= 100), "{code}");
        }
    }

    #[test]
    fn a_code_is_found_in_upper_and_lower_case() {
        assert_eq!(explain("f0101").map(|entry| entry.code), Some("F0101"));
        assert!(explain("F9999").is_none());
    }
}
