//! Infinite words that repeat from some letter on: what a queue would hold if it were filled forever.
//!
//! A letter is a message. After so many rounds of a loop that fills it, a queue holds a prefix of such a word.

/// `head · period^ω`; just `head` where the period is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Word {
    pub(super) head: Vec<Vec<u8>>,
    pub(super) period: Vec<Vec<u8>>,
}

impl Word {
    /// All letters of it.
    pub(super) fn letters(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.head.iter().chain(&self.period)
    }

    /// The letter at a position.
    fn letter(&self, position: usize) -> Option<&Vec<u8>> {
        match position.checked_sub(self.head.len()) {
            None => self.head.get(position),
            Some(beyond) => self.period.get(beyond.checked_rem(self.period.len())?),
        }
    }

    /// Whether both are the same infinite word.
    ///
    /// Beyond both heads the words have two periods; if they agree on the sum of these, they agree forever (Fine and
    /// Wilf).
    pub(super) fn equals(&self, other: &Word) -> bool {
        let enough = self.head.len().max(other.head.len()) + self.period.len() + other.period.len();
        !self.period.is_empty()
            && !other.period.is_empty()
            && (0..enough).all(|position| self.letter(position) == other.letter(position))
    }

    /// What is left when these letters are taken away in front; `None` if it does not start with them.
    pub(super) fn without(&self, front: &[Vec<u8>]) -> Option<Word> {
        let starts = front.iter().enumerate().all(|(position, letter)| self.letter(position) == Some(letter));
        if !starts {
            return None;
        }
        let mut rest = self.clone();
        match front.len().checked_sub(self.head.len()) {
            None => drop(rest.head.drain(..front.len())),
            Some(beyond) => {
                rest.head.clear();
                let turns = beyond.checked_rem(self.period.len()).unwrap_or(0);
                rest.period.rotate_left(turns);
            }
        }
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(head: &str, period: &str) -> Word {
        let letters = |text: &str| text.bytes().map(|b| vec![b]).collect();
        Word { head: letters(head), period: letters(period) }
    }

    #[test]
    fn words_are_compared_far_enough() {
        assert!(word("", "ab").equals(&word("ab", "abab")));
        assert!(word("a", "ba").equals(&word("", "ab")));
        assert!(!word("", "aab").equals(&word("", "aaba")));
        assert!(!word("", "ab").equals(&word("", "ba")));
        assert!(!word("ab", "").equals(&word("", "ab")));
    }

    #[test]
    fn letters_in_front_are_taken_away() {
        let front = |text: &str| text.bytes().map(|b| vec![b]).collect::<Vec<_>>();
        assert_eq!(word("xy", "abc").without(&front("x")), Some(word("y", "abc")));
        assert_eq!(word("xy", "abc").without(&front("xyabcab")), Some(word("", "cab")));
        assert_eq!(word("xy", "abc").without(&front("xa")), None);
    }
}
