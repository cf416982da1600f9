//! Extrapolations: the examples of the paper, and their definitions on random languages.

#![allow(clippy::print_stdout)]

use crate::support::{Random, joined, languages, products, seeds, vectors};
use queues::{
    Automaton, Bisimulation, BoundedLanguages, Colouring, Composition, Direction, Extrapolation, Identity,
    Intersection, Language, Languages, Once, Regex, RoundRobin, Start, Union,
};
use std::sync::Arc;

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;

fn letters(letters: &[u32]) -> Regex {
    Regex::Alt(letters.iter().copied().map(Regex::Letter).collect())
}

fn star(regex: Regex) -> Regex {
    Regex::Star(Box::new(regex))
}

#[test]
fn example_4_6_and_figure_6() {
    let mut all = languages(1, 5);
    let words = Regex::Alt(vec![Regex::word(&[A, A, C]), Regex::word(&[B, A, A, A])]);
    let l = all.regex(&words).unwrap();
    let rho = Bisimulation::rho(Direction::Forward);
    // The paper prints {a, b, c}* · {a, c} here. But c is read on the last edge only, which enters the accepting state, so
    // no loop of the quotient reads it.
    let figure_6c = Regex::Concat(vec![star(letters(&[A, B])), letters(&[A, C])]);
    assert_eq!(rho.apply(0, l, &mut all), Ok(all.regex(&figure_6c).unwrap()));
    // At depth 1, the states after a, b and ba are one: a leads from each of them to a state that does not accept.
    let a_plus = Regex::Plus(Box::new(Regex::Letter(A)));
    let figure_6d = Regex::Concat(vec![letters(&[A, B]), a_plus, letters(&[A, C])]);
    assert_eq!(rho.apply(1, l, &mut all), Ok(all.regex(&figure_6d).unwrap()));
    for k in 2..6 {
        assert_eq!(rho.apply(k, l, &mut all), Ok(l));
    }
    let figure_6b = all.regex(&star(letters(&[A, B, C]))).unwrap();
    assert_eq!(Bisimulation::rho_prime(Direction::Forward).apply(0, l, &mut all), Ok(figure_6b));
    assert_eq!(Bisimulation::rho_second(Direction::Forward).apply(0, l, &mut all), Ok(figure_6b));
}

#[test]
fn remark_5_3_finds_the_repetition() {
    let mut all = languages(1, 2);
    let (o, c) = (0, 1);
    let l = all.regex(&Regex::word(&[o, c, o, c])).unwrap();
    let rho = Bisimulation::rho(Direction::Forward);
    let zero = Regex::Concat(vec![star(letters(&[o, c])), Regex::Letter(c)]);
    assert_eq!(rho.apply(0, l, &mut all), Ok(all.regex(&zero).unwrap()));
    let one = Regex::Plus(Box::new(Regex::word(&[o, c])));
    assert_eq!(rho.apply(1, l, &mut all), Ok(all.regex(&one).unwrap()));
}

#[test]
fn example_4_10_and_5_2_requirements_hold_for_rho_second() {
    let (o, c) = (0, 1);
    let mut all = languages(2, 3);
    let rho = Bisimulation::rho_second(Direction::Forward);
    for word in [&[][..], &[o], &[o, c], &[o, c, o]] {
        let l = all.singleton(&[word.to_vec(), vec![]]).unwrap();
        assert_eq!(rho.apply(1, l, &mut all), Ok(l));
        let alphabet = all.stars(&[word.to_vec(), vec![]]).unwrap();
        assert_eq!(rho.apply(0, l, &mut all), Ok(alphabet));
    }
    let ococ = all.singleton(&[vec![o, c, o, c], vec![]]).unwrap();
    let repeated = Regex::Concat(vec![Regex::Plus(Box::new(Regex::word(&[o, c]))), Regex::Separator]);
    assert_eq!(rho.apply(1, ococ, &mut all), Ok(all.regex(&repeated).unwrap()));
}

/// Definition B.5, word by word.
fn bisimilar_naive(d: &Automaton, sep: u32, of: &Bisimulation, p: u32, q: u32, k: u32) -> bool {
    if k == 0 {
        return same_colour(d, sep, of, p, q);
    }
    let matched = |one: &[(u32, u32)], other: &[(u32, u32)]| {
        one.iter().all(|a| other.iter().any(|b| a.0 == b.0 && bisimilar_naive(d, sep, of, a.1, b.1, k - 1)))
    };
    let both = |one: Vec<(u32, u32)>, other: Vec<(u32, u32)>| matched(&one, &other) && matched(&other, &one);
    let out = |s: u32| d.edges(s).iter().map(|e| (e.letter, e.target)).collect::<Vec<_>>();
    let into = |s: u32| {
        let sources = (0..d.states() as u32).flat_map(|r| d.edges(r).iter().map(move |e| (r, e)));
        sources.filter(|(_, e)| e.target == s).map(|(r, e)| (e.letter, r)).collect::<Vec<_>>()
    };
    bisimilar_naive(d, sep, of, p, q, k - 1)
        && (of.direction == Direction::Backward || both(out(p), out(q)))
        && (of.direction == Direction::Forward || both(into(p), into(q)))
}

fn same_colour(d: &Automaton, sep: u32, of: &Bisimulation, p: u32, q: u32) -> bool {
    let end = |s: u32| d.accepts(s) || d.step(s, sep).is_some();
    let begin = |s: u32| s == 0 || (0..d.states() as u32).any(|r| d.step(r, sep) == Some(s));
    let all = of.colouring == Colouring::BeginsAndEnds || of.direction == Direction::Both;
    d.segment(p) == d.segment(q)
        && (end(p) == end(q) || !(all || of.direction == Direction::Forward))
        && (begin(p) == begin(q) || !(all || of.direction == Direction::Backward))
}

/// Whether the automaton with equivalent states merged accepts a vector, by following sets of states.
fn quotient_accepts(d: &Automaton, sep: u32, vector: &[Vec<u32>], same: &dyn Fn(u32, u32) -> bool) -> bool {
    let states = d.states() as u32;
    let spread = |set: Vec<u32>| (0..states).filter(|&s| set.iter().any(|&t| same(s, t))).collect::<Vec<_>>();
    let word = vector.join(&sep);
    let mut set = spread(if states > 0 { vec![0] } else { vec![] });
    for letter in word {
        set = spread(set.iter().filter_map(|&s| d.step(s, letter)).collect());
    }
    set.iter().any(|&s| d.accepts(s))
}

fn random_language(seed: u64) -> (Languages, Language) {
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let channels = 1 + random.below(2) as usize;
    let mut all = languages(channels, 2);
    let products = products(&mut random, channels, 2);
    let language = all.regex(&joined(&products)).unwrap();
    (all, language)
}

#[test]
fn bisimulation_is_its_definition() {
    for seed in 0..seeds(120) {
        let (mut all, l) = random_language(seed);
        let d = all.automaton(l).clone();
        if d.states() > 12 {
            continue;
        }
        let sep = all.separator();
        for direction in [Direction::Forward, Direction::Backward, Direction::Both] {
            for colouring in [Colouring::Standard, Colouring::BeginsAndEnds] {
                let of = Bisimulation { direction, colouring, start: Start::Coloured };
                for k in 0..3 {
                    let larger = of.apply(k, l, &mut all).unwrap();
                    let same = |p, q| bisimilar_naive(&d, sep, &of, p, q, k);
                    let table: Vec<Vec<bool>> =
                        (0..d.states() as u32).map(|p| (0..d.states() as u32).map(|q| same(p, q)).collect()).collect();
                    for vector in vectors(all.channels(), 2, 4) {
                        let naive = quotient_accepts(&d, sep, &vector, &|p, q| table[p as usize][q as usize]);
                        assert_eq!(all.contains(larger, &vector), naive, "{of:?} {k} {vector:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn bounded_languages_are_their_definition() {
    for seed in 0..seeds(120) {
        let (mut all, l) = random_language(seed);
        let d = all.automaton(l).clone();
        let sep = all.separator();
        for k in 0..3 {
            let larger = BoundedLanguages.apply(k, l, &mut all).unwrap();
            let accepted = |p: u32, local: bool| {
                let mut found = Vec::new();
                let mut runs = vec![(p, Vec::new())];
                while let Some((s, word)) = runs.pop() {
                    if d.accepts(s) || local && d.step(s, sep).is_some() {
                        found.push(word.clone());
                    }
                    for e in d.edges(s).iter().filter(|e| word.len() < k as usize && !(local && e.letter == sep)) {
                        runs.push((e.target, word.iter().copied().chain([e.letter]).collect()));
                    }
                }
                found.sort();
                found
            };
            let key = |p: u32| (d.segment(p), accepted(p, false), accepted(p, true));
            let keys: Vec<_> = (0..d.states() as u32).map(key).collect();
            for vector in vectors(all.channels(), 2, 4) {
                let naive = quotient_accepts(&d, sep, &vector, &|p, q| keys[p as usize] == keys[q as usize]);
                assert_eq!(all.contains(larger, &vector), naive, "ξ {k} {vector:?}");
            }
        }
    }
}

/// Definition 4.3.
#[test]
fn all_of_them_are_extrapolations() {
    let rho = |direction| Arc::new(Bisimulation::rho(direction)) as Arc<dyn Extrapolation>;
    let some = || vec![rho(Direction::Forward), rho(Direction::Backward), Arc::new(BoundedLanguages) as _];
    let all_to_universe = Once { name: "everything".into(), enlarge: |_, all: &mut Languages| all.universe() };
    let candidates: Vec<Arc<dyn Extrapolation>> = vec![
        rho(Direction::Both),
        Arc::new(Bisimulation::rho_prime(Direction::Forward)),
        Arc::new(Bisimulation::rho_second(Direction::Backward)),
        Arc::new(Identity),
        Arc::new(Composition(some())),
        Arc::new(Union(some())),
        Arc::new(Intersection(some())),
        Arc::new(RoundRobin(some())),
        Arc::new(all_to_universe),
    ];
    for seed in 0..seeds(120) {
        let (mut all, l) = random_language(seed);
        let states = all.automaton(l).states() as u32;
        for candidate in &candidates {
            for k in [0, 1, 2, 5] {
                let larger = candidate.apply(k, l, &mut all).unwrap();
                assert!(all.is_included(l, larger).unwrap(), "{} {k}", candidate.name());
            }
            let exact = candidate.apply(3 * states + 6, l, &mut all).unwrap();
            assert_eq!(exact, l, "{}", candidate.name());
        }
    }
}

#[test]
fn names_are_names_of_different_things() {
    let mut names: Vec<String> = queues::EXTRAPOLATION_NAMES
        .iter()
        .map(|name| queues::extrapolation_by_name(name).expect("a known name").name())
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), queues::EXTRAPOLATION_NAMES.len());
    assert!(queues::extrapolation_by_name("rho-sideways").is_none());
}
