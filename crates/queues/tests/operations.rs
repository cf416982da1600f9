//! Every operation against its definition, vector by vector, on random languages.

#![allow(clippy::print_stdout)]

use crate::support::{Random, has, joined, languages, products, seeds, subwords, vectors};
use queues::{Language, Languages, Regex};

/// A few random languages with their naive reading.
struct Setting {
    languages: Languages,
    ids: Vec<Language>,
    products: Vec<Vec<Vec<Regex>>>,
    vectors: Vec<Vec<Vec<u32>>>,
}

fn setting(seed: u64) -> (Setting, Random) {
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let channels = 1 + random.below(3) as usize;
    let letters = 1 + random.below(2) as u32;
    let mut languages = languages(channels, letters as usize);
    let products: Vec<_> = (0..2).map(|_| products(&mut random, channels, letters)).collect();
    let ids = products.iter().map(|one| languages.regex(&joined(one)).unwrap()).collect();
    let size = if letters == 1 { 7 } else { 4 };
    let vectors = vectors(channels, letters, size);
    (Setting { languages, ids, products, vectors }, random)
}

impl Setting {
    fn check(&self, what: &str, language: Language, naive: impl Fn(&[Vec<u32>]) -> bool) {
        for vector in &self.vectors {
            assert_eq!(self.languages.contains(language, vector), naive(vector), "{what} at {vector:?}");
        }
    }
}

#[test]
fn boolean_operations_are_those_of_sets() {
    for seed in 0..seeds(300) {
        let (mut all, _) = setting(seed);
        let (a, b) = (all.ids[0], all.ids[1]);
        let (pa, pb) = (all.products[0].clone(), all.products[1].clone());
        all.check("regex", a, |v| has(&pa, v));
        let union = all.languages.union(a, b).unwrap();
        all.check("union", union, |v| has(&pa, v) || has(&pb, v));
        let both = all.languages.intersection(a, b).unwrap();
        all.check("intersection", both, |v| has(&pa, v) && has(&pb, v));
        let rest = all.languages.difference(a, b).unwrap();
        all.check("difference", rest, |v| has(&pa, v) && !has(&pb, v));
        let not = all.languages.complement(a).unwrap();
        all.check("complement", not, |v| !has(&pa, v));
        assert_eq!(all.languages.is_included(a, b).unwrap(), all.languages.is_empty(rest));
        assert_eq!(all.languages.meet(a, b).unwrap(), !all.languages.is_empty(both));
        assert!(all.languages.is_included(a, union).unwrap() && all.languages.is_included(both, a).unwrap());
    }
}

#[test]
fn equal_sets_are_equal_values() {
    for seed in 0..seeds(300) {
        let (mut all, _) = setting(seed);
        let (a, b) = (all.ids[0], all.ids[1]);
        let l = &mut all.languages;
        let (not_a, not_b) = (l.complement(a).unwrap(), l.complement(b).unwrap());
        let meet = l.intersection(not_a, not_b).unwrap();
        let union = l.union(a, b).unwrap();
        assert_eq!(l.complement(meet).unwrap(), union, "de Morgan");
        let (rest, both) = (l.difference(a, b).unwrap(), l.intersection(a, b).unwrap());
        assert_eq!(l.union(rest, both).unwrap(), a);
        assert_eq!(l.complement(not_a).unwrap(), a);
        let equal = l.is_included(a, b).unwrap() && l.is_included(b, a).unwrap();
        assert_eq!(equal, a == b);
    }
}

#[test]
fn sends_and_receives_are_those_of_queues() {
    for seed in 0..seeds(300) {
        let (mut all, mut random) = setting(seed);
        let a = all.ids[0];
        let pa = all.products[0].clone();
        let channel = random.below(all.languages.channels() as u64) as usize;
        let m = random.below(all.languages.letters() as u64) as u32;
        let with = |v: &[Vec<u32>], word: Vec<u32>| {
            let mut changed = v.to_vec();
            changed[channel] = word;
            changed
        };
        let send = all.languages.send(a, channel, m).unwrap();
        all.check("send", send, |v| {
            v[channel].split_last().is_some_and(|(&last, rest)| last == m && has(&pa, &with(v, rest.to_vec())))
        });
        let receive = all.languages.receive(a, channel, m).unwrap();
        all.check("receive", receive, |v| {
            has(&pa, &with(v, std::iter::once(m).chain(v[channel].iter().copied()).collect()))
        });
        let unsend = all.languages.unsend(a, channel, m).unwrap();
        all.check("unsend", unsend, |v| {
            has(&pa, &with(v, v[channel].iter().copied().chain(std::iter::once(m)).collect()))
        });
        let unreceive = all.languages.unreceive(a, channel, m).unwrap();
        all.check("unreceive", unreceive, |v| {
            v[channel].split_first().is_some_and(|(&first, rest)| first == m && has(&pa, &with(v, rest.to_vec())))
        });
    }
}

#[test]
fn losses_close_under_subwords() {
    for seed in 0..seeds(200) {
        let (mut all, mut random) = setting(seed);
        let a = all.ids[0];
        let pa = all.products[0].clone();
        let lossy: Vec<bool> = (0..all.languages.channels()).map(|_| random.below(2) == 0).collect();
        let gained = all.languages.gain(a, &lossy).unwrap();
        let lost = all.languages.lose(a, &lossy).unwrap();
        for vector in all.vectors.clone() {
            let below = |v: &[Vec<u32>]| -> bool {
                let mut choices: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
                for (word, &lossy) in v.iter().zip(&lossy) {
                    let words = if lossy { subwords(word) } else { vec![word.clone()] };
                    let longer = |one: &Vec<Vec<u32>>| {
                        words.iter().map(|w| one.iter().cloned().chain([w.clone()]).collect()).collect::<Vec<_>>()
                    };
                    choices = choices.iter().flat_map(longer).collect();
                }
                choices.iter().any(|choice| has(&pa, choice))
            };
            assert_eq!(all.languages.contains(gained, &vector), below(&vector), "gain at {vector:?}");
            let one = all.languages.singleton(&vector).unwrap();
            let above = all.languages.gain(one, &lossy).unwrap();
            let expected = all.languages.meet(above, a).unwrap();
            assert_eq!(all.languages.contains(lost, &vector), expected, "lose at {vector:?}");
        }
        assert_eq!(all.languages.lose(lost, &lossy).unwrap(), lost, "closed");
        assert!(all.languages.is_included(a, lost).unwrap());
    }
}

#[test]
fn the_shortest_member_is_one_and_none_is_shorter() {
    for seed in 0..seeds(300) {
        let (all, _) = setting(seed);
        let a = all.ids[0];
        let size = |v: &[Vec<u32>]| v.iter().map(Vec::len).sum::<usize>();
        let least = all.vectors.iter().filter(|v| has(&all.products[0], v)).map(|v| size(v)).min();
        match all.languages.shortest(a) {
            None => assert!(all.languages.is_empty(a) && least.is_none()),
            Some(member) => {
                assert!(all.languages.contains(a, &member));
                assert!(least.is_none_or(|least| size(&member) == least));
            }
        }
    }
}

#[test]
fn what_is_described_is_the_language() {
    for seed in 0..seeds(300) {
        let (mut all, _) = setting(seed);
        for a in all.ids.clone() {
            let not = all.languages.complement(a).unwrap();
            for language in [a, not] {
                let regex = all.languages.products(language).unwrap().regex();
                assert_eq!(all.languages.regex(&regex).unwrap(), language, "{regex:?}");
            }
        }
    }
}

#[test]
fn finite_sets_have_their_members() {
    for seed in 0..seeds(200) {
        let (mut all, mut random) = setting(seed);
        let chosen: Vec<_> = all.vectors.iter().filter(|_| random.below(3) == 0).cloned().collect();
        let language = all.languages.finite(chosen.clone()).unwrap();
        all.check("finite", language, |v| chosen.contains(&v.to_vec()));
        let mut union = all.languages.empty();
        for vector in &chosen {
            let one = all.languages.singleton(vector).unwrap();
            union = all.languages.union(union, one).unwrap();
        }
        assert_eq!(union, language);
    }
}
