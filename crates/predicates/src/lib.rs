//! Predicate abstraction of C: which errors can be reached, and labelled structures that do at least what the code does.
