//! Which infinite runs count.

/// What is assumed of the scheduler, from little to much.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Fairness {
    /// Nothing: every run counts.
    #[default]
    None,
    /// A process that is always able to move from some point on moves again and again.
    Weak,
    /// A process that is able to move again and again moves again and again.
    Strong,
    /// Of a choice that comes again and again, each alternative is taken again and again.
    Choice,
}

impl Fairness {
    /// Whether only some runs count.
    pub fn is_assumed(self) -> bool {
        self != Fairness::None
    }

    /// What is said of a proof, before what it rests on.
    pub fn words(self) -> &'static str {
        match self {
            Fairness::None => "",
            Fairness::Weak => "fair runs only",
            Fairness::Strong => "strongly fair runs only",
            Fairness::Choice => "runs with fair choices only",
        }
    }
}
