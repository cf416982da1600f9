//! Relations by hand, what happens to them when they are tampered with, and sums of random automata against enumeration.

use super::*;
use model::queue_proof::{QueueAutomaton, QueueEntry, QueueProof};
use std::collections::BTreeSet;
use testing::Random;

/// Both queues are equally long between rounds, and the sets of the invariant do not say so.
fn check(proof: &QueueCounts, lossy: &str, bad: &str) -> Result<(), Refusal> {
    let text = format!(
        "scm equal :\nnb_channels = 2 ; {lossy}\nparameters : int a ;
automaton p :\ninitial : 0\nstate 0 : to 1 : when true , 0 ! a ;\nstate 1 : to 0 : when true , 1 ! a ;
automaton q :\ninitial : 0\nstate 0 : to 1 : when true , 0 ? a ;\nstate 1 : to 0 : when true , 1 ? a ;
bad_states : (automaton p : in 0 : true automaton q : in 0 : true with {bad})\n"
    );
    let read = scm::read("equal.scm", &text);
    let model = read.model.unwrap_or_else(|| panic!("{bad}: {:?}", read.diagnostics));
    verify(&model.network, &model.specification, &Property::Safety, proof, &Context::unlimited())
}

fn equal() -> QueueCounts {
    let anything = QueueAutomaton { accepting: vec![1], edges: vec![vec![(1, 0), (0, 1)], vec![(1, 1)]] };
    let entry = |control: [u32; 2]| QueueEntry { control: control.to_vec(), automaton: 0 };
    let entries = vec![entry([0, 0]), entry([0, 1]), entry([1, 0]), entry([1, 1])];
    let invariant = QueueProof { automata: vec![anything], entries, ..QueueProof::default() };
    // What p sends and q takes first weighs 1, and what comes then -1.
    let relation =
        Relation { modulus: None, weights: vec![(0, 1, 1), (1, 1, -1)], potentials: vec![vec![0, -1], vec![0, 1]] };
    QueueCounts { invariant, relations: vec![relation] }
}

const LONGER: &str = "a.a^*.#";

#[test]
fn a_relation_excludes_what_sets_do_not() {
    assert_eq!(check(&equal(), "", LONGER), Ok(()));
    assert_eq!(check(&equal(), "", "a.a.a^*.#.a"), Ok(()));
    assert_eq!(check(&equal(), "", "a.(a.a)^*.#.(a.a)^*"), Ok(()), "an odd number and an even one");
    for allowed in ["a.a^*.#.a", "a^*.#.a^*", "a.(a.a)^*.#.(a.a.a)^*"] {
        let refused = check(&equal(), "", allowed);
        assert!(matches!(refused, Err(Refusal::Violated(_))), "{allowed}: {refused:?}");
    }
    let mut modular = equal();
    modular.relations[0].modulus = Some(2);
    assert_eq!(check(&modular, "", "a.#"), Ok(()));
    assert!(check(&modular, "", "a.a.#").is_err());
}

#[test]
fn every_corruption_is_refused() {
    let refuse = |what: &str, change: &dyn Fn(&mut QueueCounts)| {
        let mut proof = equal();
        change(&mut proof);
        assert!(check(&proof, "", LONGER).is_err(), "{what} is accepted: {proof:?}");
    };
    refuse("no relation", &|proof| proof.relations.clear());
    for at in 0..2 {
        for weight in [-2, -1, 0, 1, 2, i64::MAX, i64::MIN] {
            if weight != equal().relations[0].weights[at].2 {
                refuse("another weight", &|proof| proof.relations[0].weights[at].2 = weight);
                refuse("two weights", &|proof| {
                    let (channel, letter, _) = proof.relations[0].weights[at];
                    proof.relations[0].weights.push((channel, letter, weight));
                });
            }
        }
        refuse("a weight that is missing", &|proof| _ = proof.relations[0].weights.remove(at));
        refuse("a channel that does not exist", &|proof| proof.relations[0].weights[at].0 = 2);
        refuse("potentials that are missing", &|proof| drop(proof.relations[0].potentials.remove(at)));
        for state in 0..2 {
            refuse("another potential", &|proof| proof.relations[0].potentials[at][state] += 5);
            refuse("a location that is missing", &|proof| _ = proof.relations[0].potentials[at].remove(state));
        }
    }
    for modulus in [0, 1, LARGEST_MODULUS + 1] {
        refuse("no modulus", &|proof| proof.relations[0].modulus = Some(modulus));
    }
    refuse("an invariant with a hole", &|proof| drop(proof.invariant.entries.pop()));
    let refused = check(&equal(), "lossy : 1", LONGER);
    assert!(matches!(refused, Err(Refusal::Malformed(_))), "a channel that loses messages: {refused:?}");
}

/// What is said to have no path with a sum has none, up to some length; and modulo a number it has one if that is said.
#[test]
fn sums_of_random_paths_are_those_of_an_enumeration() {
    let (cx, mut excluded, mut possible) = (Context::unlimited(), 0, 0);
    let pace = Pace::new(&cx);
    for seed in 0..testing::seeds(2000) {
        let mut random = Random::new(seed);
        let places = 1 + random.below(4_usize);
        let edges: Vec<(usize, usize, Read)> = (0..random.below(7_usize))
            .map(|_| {
                let read = (random.below(3_u32) > 0).then(|| (0, random.below(3_u32)));
                (random.below(places), random.below(places), read)
            })
            .collect();
        let ends: Vec<bool> = (0..places).map(|_| random.below(3_u32) == 0).collect();
        let weights: BTreeMap<(usize, u32), i64> =
            (0..3).map(|letter| ((0, letter), i64::from(random.below(5_u32)) - 2)).collect();
        let modulus = (random.below(2_u32) == 0).then(|| 1 + random.below(5_u32));
        let total = i128::from(random.below(9_u32)) - 4;
        let path = Path::of(
            &pace,
            Some(0),
            |&place: &usize| ends[place],
            |&place, next| next.extend(edges.iter().filter(|edge| edge.0 == place).map(|edge| (edge.2, edge.1))),
        )
        .unwrap();
        let says = path.allows(&[Count { weights: &weights, modulus, total }], &pace).unwrap();
        let mut now: BTreeSet<(usize, i128)> = BTreeSet::from([(0, 0)]);
        let mut found = false;
        for _ in 0..24 {
            let fits = |&(place, sum): &(usize, i128)| ends[place] && is_zero(sum - total, modulus);
            found |= now.iter().any(fits);
            let step = |&(place, sum): &(usize, i128)| {
                let weigh = |read: Read| read.map_or(0, |read| i128::from(weights[&read]));
                let from = edges.iter().filter(move |edge| edge.0 == place);
                from.map(move |edge| (edge.1, sum + weigh(edge.2))).collect::<Vec<_>>()
            };
            now = now.iter().flat_map(step).filter(|(_, sum)| sum.abs() < 60).collect();
        }
        assert!(says || !found, "seed {seed}: there is a path with the sum {total}");
        assert!(modulus.is_none() || says == found, "seed {seed}: there is no path with the sum {total}");
        excluded += u32::from(!says && ends.contains(&true));
        possible += u32::from(says);
    }
    assert!(excluded > 20 && possible > 20, "{excluded} {possible}");
}
