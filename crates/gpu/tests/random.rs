//! Random models from the whole grammar.

use crate::compare::{Compared, compare, compiler, read};
use crate::spin::{generate, tree};
use model::semantics::Reading;

#[test]
#[allow(clippy::print_stdout)]
fn random_models_have_the_same_states() {
    let Some(compiler) = compiler() else { return };
    let (mut compared, mut share) = (0, 0.0);
    let first = testing::first(0);
    let seeds: Vec<u64> = testing::only().map_or((first..first + testing::seeds(24)).collect(), |seed| vec![seed]);
    for seed in seeds {
        let text = tree::print(&generate::model(seed, &[])).text;
        let Some(model) = read("random.pml", &text) else { continue };
        let reading = if seed % 3 == 0 { Reading::Drop } else { Reading::Declared };
        match compare(&model, reading, &[40, 15, 5, 2, 1], 5000, compiler.as_ref()) {
            Ok(Compared::Same(part)) => (compared, share) = (compared + 1, share + part),
            Ok(Compared::Left) => {}
            Err(difference) => panic!("seed {seed}, {}: {difference}\n{text}", reading.name()),
        }
    }
    println!("{compared} models, {:.1} % of the states by the CPU", 100.0 * share / f64::from(compared.max(1)));
}
