//! Whether to reduce at all: small models are visited as a whole, larger ones in the way that is better.
//!
//! To find out who can move alone takes time for each state, and runs are then no longer shortest. So a search is tried without
//! first, then with reduction up to some number of states, and the last attempt does it if processes were alone often enough.

use model::budget::Budget;

/// When states are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Never: every state is visited.
    Off,
    /// Once there are many states: small models are visited as a whole, so that runs are shortest and numbers mean
    /// something.
    #[default]
    Auto,
    /// Wherever it is possible.
    On,
}

/// With [`Mode::Auto`], so many states are visited before some are left out.
pub const WHOLE: u64 = 100_000;

/// Whether leaving out states is worth its price, given in how many states one process moved alone.
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

/// Searches as the mode says. With [`Mode::Auto`] first as a whole, then with a try at leaving states out, then in the
/// way that is better.
pub fn gradually<F>(
    mode: Mode,
    budget: &Budget,
    search: &dyn Fn(bool, &Budget) -> F,
    tally: &dyn Fn(&F) -> Tally,
) -> F {
    if mode != Mode::Auto {
        return search(mode == Mode::On, budget);
    }
    let fits = |most: u64| budget.most_states().is_none_or(|limit| most < limit);
    let mut pays_off = false;
    for (reduce, most) in [(false, WHOLE), (true, 2 * WHOLE)].into_iter().filter(|(_, most)| fits(*most)) {
        let found = search(reduce, &budget.clone().states(most));
        let Tally { alone, states, full } = tally(&found);
        pays_off = pays(alone, states);
        if !full {
            return found;
        }
    }
    search(pays_off, budget)
}
