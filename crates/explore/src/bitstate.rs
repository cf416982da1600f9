//! The search that remembers bits.
