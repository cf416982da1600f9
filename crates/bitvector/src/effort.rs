//! How much a query may cost.

use model::budget::Budget;
use model::reason::Reason;

/// What a query may use.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'a> {
    /// Time, memory, and who may stop it.
    pub budget: &'a Budget,
    /// Stop after so many conflicts of the search, with [`Reason::Limit`].
    pub conflicts: Option<u64>,
    /// Stop when the solver's own tables are larger than so many bytes, about.
    pub tables: Option<u64>,
}

/// Places in the tables are numbers of 32 bits; this keeps far below them when the caller sets no limit.
const MOST_MEMORY: u64 = 8 << 30;

static UNLIMITED: Budget = Budget::unlimited();

impl Effort<'static> {
    /// No limit at all.
    pub fn unlimited() -> Self {
        Effort { budget: &UNLIMITED, conflicts: None, tables: None }
    }
}

impl<'a> From<&'a Budget> for Effort<'a> {
    fn from(budget: &'a Budget) -> Self {
        Effort { budget, conflicts: None, tables: budget.most_memory() }
    }
}

impl Effort<'_> {
    /// Are tables of this size too large?
    pub(crate) fn too_large(&self, bytes: usize) -> bool {
        bytes as u64 > self.tables.unwrap_or(MOST_MEMORY).min(MOST_MEMORY)
    }

    /// The reason to stop now, if there is one.
    pub(crate) fn exceeded(&self) -> Option<Reason> {
        self.budget.check().err()
    }
}
