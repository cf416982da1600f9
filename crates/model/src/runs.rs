//! A list of numbers in which equal ones stand together: each run of them is stored once.
//!
//! The potentials of a process with thousands of nodes, in a proof about one of its queues, change in a handful of places.

use serde::{Deserialize, Serialize};

/// A list of numbers. Its document is `[[count, number], …]`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Vec<(u32, i64)>", try_from = "Vec<(u32, i64)>")]
pub struct Runs {
    /// Where a run ends (the index after its last number), and its number.
    ends: Vec<(u32, i64)>,
}

impl Runs {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.ends.last().map_or(0, |&(end, _)| end as usize)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number at an index.
    pub fn get(&self, index: u32) -> Option<i64> {
        let run = self.ends.partition_point(|&(end, _)| end <= index);
        self.ends.get(run).map(|&(_, number)| number)
    }

    /// The number of each run.
    pub fn numbers(&self) -> impl Iterator<Item = i64> {
        self.ends.iter().map(|&(_, number)| number)
    }

    /// All numbers.
    pub fn iter(&self) -> impl Iterator<Item = i64> {
        let begins = std::iter::once(0).chain(self.ends.iter().map(|&(end, _)| end));
        begins.zip(&self.ends).flat_map(|(begin, &(end, number))| (begin..end).map(move |_| number))
    }
}

impl FromIterator<i64> for Runs {
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Self {
        let mut ends: Vec<(u32, i64)> = Vec::new();
        for (end, number) in (1..).zip(numbers) {
            match ends.last_mut() {
                Some(last) if last.1 == number => last.0 = end,
                _ => ends.push((end, number)),
            }
        }
        Runs { ends }
    }
}

impl From<Runs> for Vec<(u32, i64)> {
    fn from(runs: Runs) -> Self {
        let begins = std::iter::once(0).chain(runs.ends.iter().map(|&(end, _)| end));
        begins.zip(&runs.ends).map(|(begin, &(end, number))| (end - begin, number)).collect()
    }
}

impl TryFrom<Vec<(u32, i64)>> for Runs {
    type Error = String;

    fn try_from(counted: Vec<(u32, i64)>) -> Result<Self, String> {
        let mut end = 0u32;
        let ends = counted.into_iter().map(|(count, number)| {
            let counted = end.checked_add(count).filter(|_| count > 0);
            end = counted.ok_or_else(|| String::from("a run has no numbers, or too many"))?;
            Ok((end, number))
        });
        Ok(Runs { ends: ends.collect::<Result<_, String>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_what_it_was_made_of() {
        for numbers in [&[][..], &[3], &[0, 0, 0], &[1, 1, 2, 2, 2, 1], &[5, -5, 5]] {
            let runs: Runs = numbers.iter().copied().collect();
            assert_eq!(runs.len(), numbers.len());
            let each: Vec<i64> = (0..numbers.len() as u32).filter_map(|index| runs.get(index)).collect();
            assert_eq!(each, numbers);
            assert_eq!(runs.get(numbers.len() as u32), None);
            assert_eq!(runs.iter().collect::<Vec<_>>(), numbers);
            assert_eq!(Runs::try_from(Vec::from(runs.clone())), Ok(runs));
        }
    }

    #[test]
    fn neighbours_may_be_equal() {
        let odd = Runs::try_from(vec![(2, 1), (1, 1), (1, 2)]).unwrap();
        assert_eq!((odd.len(), odd.get(2), odd.get(3), odd.get(4)), (4, Some(1), Some(2), None));
        assert_eq!(odd.iter().collect::<Vec<_>>(), [1, 1, 1, 2]);
    }

    #[test]
    fn runs_of_none_and_of_too_many_are_refused() {
        assert!(Runs::try_from(vec![(0, 7), (2, 1)]).is_err());
        assert!(Runs::try_from(vec![(u32::MAX, 1), (1, 1)]).is_err());
    }
}
