//! The breadth-first search in several threads.

use crate::search::Options;

/// Whether it pays to go on in several threads.
pub(crate) fn is_wide(_: &Options, _: usize, _: u32) -> bool {
    false
}
