//! Whether to reduce at all: small models are visited as a whole, larger ones in the way that is better.
//!
//! To find out who can move alone takes time for each state, and runs are then no longer shortest. So a search is tried without
//! first; then with reduction up to a small number of states, to see whether processes are alone often enough. The last attempt leaves
//! out at least what nothing can tell apart ([`super::trimmed`]), which costs nothing. What it does is decided before it starts, so
//! that it does not depend on the order in which states are visited.

use model::budget::Budget;
use model::semantics::Reading;

/// When states are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Never: every state is visited.
    Off,
    /// Once there are many states: small models are visited as a whole, so that runs are shortest and numbers mean
    /// something.
    #[default]
    Auto,
    /// Where nothing can tell states apart, but not where only the order of steps is different.
    Trimmed,
    /// Wherever it is possible.
    On,
}

impl Mode {
    /// The mode for a reading of the channels. With channels of any length, what is left of infinitely many states may be
    /// finite, and the checker, which visits all of them, would not finish: there, states are left out only if
    /// the caller knows that they are finitely many, or on request.
    pub fn of(self, reading: Reading) -> Mode {
        if self == Mode::Auto && reading == Reading::Unbounded { Mode::Off } else { self }
    }
}

/// With [`Mode::Auto`], so many states are visited before some are left out.
pub const WHOLE: u64 = 100_000;
/// So many states show whether processes are alone often enough. One thread visits them.
const PROBE: u64 = 20_000;

/// Whether to look for processes that can move alone is worth its price, given in how many states one did.
pub fn pays(alone: u64, states: u64) -> bool {
    alone * 20 >= states
}

/// How large a search was.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// States in which one process moved alone.
    pub alone: u64,
    /// All states.
    pub states: u64,
    /// The search ended because there may be no more.
    pub full: bool,
}

/// Whether [`gradually`] has come to its last attempt: there are many states.
pub(crate) fn is_last(mode: Mode, budget: &Budget) -> bool {
    mode == Mode::Auto && budget.most_states().is_none_or(|limit| limit > WHOLE)
}

/// Searches as the mode says. With [`Mode::Auto`] first as a whole, then with a try at leaving states out, then in the
/// way that is better.
pub fn gradually<F>(
    mode: Mode,
    budget: &Budget,
    search: &dyn Fn(Mode, &Budget) -> F,
    tally: &dyn Fn(&F) -> Tally,
) -> F {
    if mode != Mode::Auto {
        return search(mode, budget);
    }
    if budget.most_states().is_some_and(|limit| limit <= WHOLE) {
        return search(Mode::Off, budget);
    }
    let mut last = Mode::Trimmed;
    for (mode, most) in [(Mode::Off, WHOLE), (Mode::On, PROBE)] {
        let found = search(mode, &budget.clone().states(most));
        let Tally { alone, states, full } = tally(&found);
        if !full {
            return found;
        }
        if mode == Mode::On && pays(alone, states) {
            last = Mode::On;
        }
    }
    search(last, budget)
}
