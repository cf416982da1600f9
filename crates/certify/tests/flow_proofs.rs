//! Honest proofs are accepted, and what is accepted is true.

use crate::support::{CASES, OLD_MISTAKES, Truth};

#[test]
fn honest_proofs_are_accepted_and_true() {
    let mut wrong = Vec::new();
    for case in CASES {
        let network = case.network(0);
        let Some(proof) = case.prove(&network) else {
            wrong.push(format!("{}: no proof", case.name));
            continue;
        };
        match case.verify(&network, &proof) {
            Err(refusal) => wrong.push(format!("{}: {refusal}", case.name)),
            Ok(accepted) => {
                let truth = Truth::of(case, &network);
                wrong.extend(
                    truth.contradicts(&network, &proof, &accepted).map(|what| format!("{}: {what}", case.name)),
                );
                if !case.live && accepted.bounded.is_empty() {
                    wrong.push(format!("{}: nothing is proved", case.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whatever the engine says of the other variants, an accepted claim is true of them.
#[test]
fn nothing_wrong_is_accepted() {
    for (case, variant) in CASES.iter().map(|case| (case, 1)).chain(OLD_MISTAKES.iter().map(|case| (case, 0))) {
        let network = case.network(variant);
        let Some(proof) = case.prove(&network) else { continue };
        let Ok(accepted) = case.verify(&network, &proof) else { continue };
        let truth = Truth::of(case, &network);
        assert_eq!(truth.contradicts(&network, &proof, &accepted), None, "{}", case.name);
    }
}

/// The proof of one variant is not taken for one of the other, where that would be wrong.
#[test]
fn a_proof_of_another_model_is_refused() {
    for case in CASES {
        let (good, bad) = (case.network(0), case.network(1));
        let proof = case.prove(&good).unwrap_or_else(|| panic!("{}: no proof", case.name));
        if let Ok(accepted) = case.verify(&bad, &proof) {
            assert_eq!(Truth::of(case, &bad).contradicts(&bad, &proof, &accepted), None, "{}", case.name);
        }
    }
}

/// The searches see what is wrong with the second variants, so the tests above can fail.
#[test]
fn the_other_variants_are_different() {
    for case in CASES {
        let (good, bad) = (Truth::of(case, &case.network(0)), Truth::of(case, &case.network(1)));
        assert_ne!(format!("{good:?}"), format!("{bad:?}"), "{}", case.name);
    }
    for case in OLD_MISTAKES {
        let truth = Truth::of(case, &case.network(0));
        assert!(truth.has_livelock() || truth.is_used("q"), "{}: {truth:?}", case.name);
    }
}
