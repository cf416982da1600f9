//! Concurrent C: components that meet in events, checked by two levels of abstraction refinement.
