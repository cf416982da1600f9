//! Concurrent C: source text to typed control-flow graphs.
