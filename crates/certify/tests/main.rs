//! The integration tests of `certify`, one executable: each file is a module.

mod arrivals_random;
mod before_the_rules;
mod counters_random;
mod created_random;
mod flow_attacks;
mod flow_corpus;
mod flow_proofs;
mod flow_random;
mod known_bounds;
mod polls_random;
mod programs;
mod random_livelock;
mod support;
