//! Random models of the whole language, and of each pair of its features.

use crate::campaign::{self, Tally};
use crate::compare::compiler;

#[allow(clippy::print_stdout)]
fn all_the_same(rows: &[campaign::Row]) {
    println!("{}", Tally::of(rows).text());
    let different: Vec<_> = rows.iter().filter(|row| row.result.is_err()).collect();
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn random_models_have_the_same_states() {
    let Some(compiler) = compiler() else { return };
    let first = testing::first(0);
    let seeds: Vec<u64> = testing::only().map_or((first..first + testing::seeds(24)).collect(), |seed| vec![seed]);
    all_the_same(&campaign::random(&seeds, compiler.as_ref()));
}

/// The pairs of features that `promela` reaches with SPIN beside it: by default a few of them.
#[test]
fn models_of_each_pair_of_features_have_the_same_states() {
    let Some(compiler) = compiler() else { return };
    let (first, count) = (testing::first(0) as usize, testing::seeds(16) as usize);
    all_the_same(&campaign::pairs(first, count, compiler.as_ref()));
}
