//! How large a model may be. A text of a few bytes can ask for a structure that fills the machine (`a[0..1000000000]`), so
//! everything that a text can multiply is counted here, and refused with a place when it is too much.

/// How deep parentheses, conditions and sets may nest in the text.
pub(crate) const DEEPEST: usize = 200;
/// How deep compositions may be made of compositions, and constants of constants.
pub(crate) const DEEPEST_USE: usize = 200;
/// The most states of one component.
pub const MOST_STATES: usize = 2_000_000;
/// The most steps of one component.
pub const MOST_STEPS: usize = 20_000_000;
/// The most names of events in a model, and the most events of one set.
pub const MOST_EVENTS: usize = 1_000_000;
/// The most components.
pub const MOST_COMPONENTS: usize = 20_000;
/// The most values of one range.
pub const MOST_VALUES: u64 = 2_000_000;
/// The most elementary things that are done for one model: steps made, labels written out, values tried.
pub const MOST_WORK: u64 = 40_000_000;
/// After so many errors the rest is noise.
pub(crate) const MOST_ERRORS: usize = 30;
