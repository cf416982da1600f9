//! A vector that is indexed like a dense one and walked like a sparse one.
//!
//! Elimination needs both: to add to any entry at once, and to visit only the entries that were touched. A
//! [`Scattered`] vector keeps all values in place and a list of the touched indices, and is cleared by that list, so
//! that one allocation serves every pivot.

use crate::rational::{Rational, common_denominator};

/// Values by index, with a list of those that may differ from zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scattered {
    values: Vec<Rational>,
    listed: Vec<bool>,
    touched: Vec<u32>,
}

impl Scattered {
    /// Makes room for one more index.
    pub(crate) fn grow(&mut self) {
        self.values.push(Rational::ZERO);
        self.listed.push(false);
    }

    /// How many indices there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Sets every entry to zero.
    pub(crate) fn clear(&mut self) {
        for index in self.touched.drain(..) {
            self.values[index as usize] = Rational::ZERO;
            self.listed[index as usize] = false;
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &Rational {
        &self.values[index as usize]
    }

    pub(crate) fn set(&mut self, index: u32, value: Rational) {
        *self.entry(index) = value;
    }

    /// `self[index] -= left * right`.
    #[inline]
    pub(crate) fn subtract_product(&mut self, index: u32, left: &Rational, right: &Rational) {
        self.entry(index).subtract_product(left, right);
    }

    /// Multiplies all entries with the least positive integer that makes integers of them.
    pub(crate) fn make_integers(&mut self) {
        if self.iter().all(|(_, value)| value.is_integer()) {
            return;
        }
        let factor = common_denominator(self.touched.iter().map(|&index| &self.values[index as usize]));
        for &index in &self.touched {
            self.values[index as usize] *= &factor;
        }
    }

    /// The entries that differ from zero, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Rational)> {
        self.touched.iter().map(|&index| (index, self.get(index))).filter(|(_, value)| !value.is_zero())
    }

    /// The entries that differ from zero, by index.
    pub(crate) fn sorted(&self) -> Vec<(u32, Rational)> {
        let mut entries: Vec<_> = self.iter().map(|(index, value)| (index, value.clone())).collect();
        entries.sort_unstable_by_key(|(index, _)| *index);
        entries
    }

    #[inline]
    fn entry(&mut self, index: u32) -> &mut Rational {
        if !self.listed[index as usize] {
            self.listed[index as usize] = true;
            self.touched.push(index);
        }
        &mut self.values[index as usize]
    }
}
