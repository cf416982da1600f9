//! Equivalences of structures: quotients are equivalent and smallest, and what tells two structures apart is so.

use compose::equivalence::{Ability, Distinction, Equivalence, Side, distinguish, minimise};
use model::context::Context;
use model::ids::EventId;
use model::structure::{Move, StateParts, Structure, TAU};
use testing::Random;

const ALL: [Equivalence; 4] =
    [Equivalence::Strong, Equivalence::Branching, Equivalence::Divergence, Equivalence::Trace];
const A: EventId = EventId(0);
const B: EventId = EventId(1);

fn structure(states: &[&[(EventId, u32)]]) -> Structure {
    let state = |moves: &&[(EventId, u32)]| StateParts {
        moves: moves.iter().map(|&(event, to)| Move { event, to }).collect(),
        ..StateParts::default()
    };
    Structure::new([], vec![0], states.iter().map(state).collect())
}

fn difference(left: &Structure, right: &Structure, by: Equivalence) -> Option<Distinction> {
    distinguish(left, right, by, &Context::unlimited()).expect("no limit")
}

fn random_structure(random: &mut Random, most: usize) -> Structure {
    let count = 1 + random.below(most);
    let states = (0..count).map(|_| {
        let moves = (0..random.below(4))
            .map(|_| Move { event: [A, B, TAU, TAU][random.below(4)], to: random.below(count) as u32 });
        StateParts { moves: moves.collect(), ..StateParts::default() }
    });
    let states = states.collect();
    Structure::new([A, B], vec![0], states)
}

/// Whether a sequence of events is possible, silent steps left out.
fn has_trace(structure: &Structure, word: &[EventId]) -> bool {
    let closed = |states: Vec<u32>| {
        let (mut seen, mut waiting) = (Vec::new(), states);
        while let Some(state) = waiting.pop() {
            if !seen.contains(&state) {
                seen.push(state);
                waiting.extend(structure.moves_with(state, TAU).iter().map(|step| step.to));
            }
        }
        seen
    };
    let mut states = closed(vec![0]);
    for &event in word {
        let next = states.iter().flat_map(|&state| structure.moves_with(state, event)).map(|step| step.to);
        states = closed(next.collect());
    }
    !states.is_empty()
}

/// All words over two events, up to a length.
fn words(length: usize) -> Vec<Vec<EventId>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let until = all.len();
        for at in from..until {
            all.extend([A, B].map(|event| [&all[at][..], &[event]].concat()));
        }
        from = until;
    }
    all
}

#[test]
fn a_quotient_is_equivalent_and_smallest() {
    for seed in 0..testing::rounds(1_000) {
        let mut random = Random::new(seed);
        let original = random_structure(&mut random, 12);
        for by in ALL {
            let smallest = minimise(&original, by, &Context::unlimited()).expect("no limit");
            assert_eq!(difference(&original, &smallest, by), None, "seed {seed}, {by:?}");
            let again = minimise(&smallest, by, &Context::unlimited()).expect("no limit");
            assert_eq!(again.states(), smallest.states(), "seed {seed}, {by:?}");
        }
    }
}

#[test]
fn finer_equivalences_imply_coarser_ones_and_traces_are_those_of_all_words() {
    // Three states have seven sets of them: what two such structures differ in shows after 49 events, and mostly much earlier.
    let words = words(9);
    let mut different = 0;
    for seed in 0..testing::rounds(1_500) {
        let mut random = Random::new(seed + 1_000_000);
        let (left, right) = (random_structure(&mut random, 3), random_structure(&mut random, 3));
        let apart = ALL.map(|by| difference(&left, &right, by));
        let [strong, branching, divergence, trace] = &apart;
        assert!(strong.is_some() || branching.is_none() && divergence.is_none(), "seed {seed}");
        assert!(divergence.is_some() || branching.is_none(), "seed {seed}");
        assert!(branching.is_some() || trace.is_none(), "seed {seed}");
        let by_words = words.iter().find(|word| has_trace(&left, word) != has_trace(&right, word));
        assert!(by_words.is_none() || trace.is_some(), "seed {seed}: {by_words:?}");
        if let Some(distinction) = trace {
            let Ability::Event(last) = distinction.ability else { panic!("seed {seed}: {distinction:?}") };
            let mut word: Vec<EventId> = distinction.exchanges.iter().map(|exchange| exchange.event).collect();
            word.push(last);
            let is_left = distinction.by == Side::Left;
            assert_eq!(
                (has_trace(&left, &word), has_trace(&right, &word)),
                (is_left, !is_left),
                "seed {seed}: {distinction:?}"
            );
            different += 1;
        }
        for distinction in apart.iter().flatten() {
            let word: Vec<EventId> =
                distinction.exchanges.iter().map(|exchange| exchange.event).filter(|e| *e != TAU).collect();
            assert!(has_trace(&left, &word) && has_trace(&right, &word), "seed {seed}: {distinction:?}");
        }
    }
    assert!(different > 500, "{different}");
}

/// `a.b + a.c` and `a.(b + c)` have the same traces; the choice is made at another time.
#[test]
fn the_classics_are_told_apart_by_the_right_equivalences() {
    let c = EventId(2);
    let early = structure(&[&[(A, 1), (A, 2)], &[(B, 3)], &[(c, 3)], &[]]);
    let late = structure(&[&[(A, 1)], &[(B, 2), (c, 2)], &[]]);
    assert_eq!(difference(&early, &late, Equivalence::Trace), None);
    let distinction = difference(&early, &late, Equivalence::Strong).expect("different");
    assert_eq!((distinction.exchanges.len(), distinction.exchanges[0].event), (1, A));
    assert!(
        matches!(distinction.ability, Ability::Event(event) if event == B || event == c)
            && distinction.by == Side::Right
    );

    let silent = structure(&[&[(TAU, 1)], &[(A, 2)], &[]]);
    let plain = structure(&[&[(A, 1)], &[]]);
    assert!(difference(&silent, &plain, Equivalence::Strong).is_some());
    assert_eq!(difference(&silent, &plain, Equivalence::Divergence), None);

    let busy = structure(&[&[(TAU, 0), (A, 1)], &[]]);
    assert_eq!(difference(&busy, &plain, Equivalence::Branching), None);
    let distinction = difference(&busy, &plain, Equivalence::Divergence).expect("different");
    assert_eq!((distinction.by, distinction.ability), (Side::Left, Ability::Divergence));
}
