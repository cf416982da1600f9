//! Random expressions, and a slow, obvious reading of them.

#![allow(dead_code)]

use queues::{Languages, Limits, Regex};
pub use testing::{Random, seeds};

/// An expression for one channel.
pub fn channel(random: &mut Random, letters: u32, depth: u32) -> Regex {
    let part = |random: &mut Random| channel(random, letters, depth - 1);
    match if depth == 0 { random.below(3) } else { random.below(8) } {
        0 => Regex::Epsilon,
        1 | 2 => Regex::Letter(random.below(letters)),
        3 | 4 => Regex::Concat((0..2 + random.below(2)).map(|_| part(random)).collect()),
        5 | 6 => Regex::Alt((0..1 + random.below(3)).map(|_| part(random)).collect()),
        _ if random.below(2) == 0 => Regex::Star(Box::new(part(random))),
        _ => Regex::Plus(Box::new(part(random))),
    }
}

/// A union of products, as lists of expressions.
pub fn products(random: &mut Random, channels: usize, letters: u32) -> Vec<Vec<Regex>> {
    (0..random.below(4)).map(|_| (0..channels).map(|_| channel(random, letters, 3)).collect()).collect()
}

/// The products as one expression.
pub fn joined(products: &[Vec<Regex>]) -> Regex {
    let product = |channels: &Vec<Regex>| {
        let mut parts = Vec::new();
        for (at, channel) in channels.iter().enumerate() {
            parts.extend((at > 0).then_some(Regex::Separator));
            parts.push(channel.clone());
        }
        Regex::Concat(parts)
    };
    Regex::Alt(products.iter().map(product).collect())
}

pub fn languages(channels: usize, letters: usize) -> Languages {
    Languages::new(channels, letters, Limits::default())
}

/// Whether the word is one of the expression, by trying every way to cut it.
pub fn matches(regex: &Regex, word: &[u32]) -> bool {
    match regex {
        Regex::Empty | Regex::Separator => false,
        Regex::Epsilon => word.is_empty(),
        Regex::Letter(letter) => word == [*letter],
        Regex::Concat(parts) => matches_all(parts, word),
        Regex::Alt(parts) => parts.iter().any(|part| matches(part, word)),
        Regex::Star(part) => word.is_empty() || repeats(part, word),
        Regex::Plus(part) => matches(part, word) || repeats(part, word),
    }
}

fn repeats(part: &Regex, word: &[u32]) -> bool {
    (1..=word.len()).any(|cut| matches(part, &word[..cut]) && (cut == word.len() || repeats(part, &word[cut..])))
}

fn matches_all(parts: &[Regex], word: &[u32]) -> bool {
    match parts.split_first() {
        None => word.is_empty(),
        Some((first, rest)) => {
            (0..=word.len()).any(|cut| matches(first, &word[..cut]) && matches_all(rest, &word[cut..]))
        }
    }
}

/// Whether the vector is in the union of products.
pub fn has(products: &[Vec<Regex>], vector: &[Vec<u32>]) -> bool {
    products.iter().any(|product| product.iter().zip(vector).all(|(channel, word)| matches(channel, word)))
}

/// All vectors with at most `size` messages.
pub fn vectors(channels: usize, letters: u32, size: usize) -> Vec<Vec<Vec<u32>>> {
    if channels == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for word in words(letters, size) {
        for rest in vectors(channels - 1, letters, size - word.len()) {
            all.push(std::iter::once(word.clone()).chain(rest).collect());
        }
    }
    all
}

/// All words of at most this length.
pub fn words(letters: u32, length: usize) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let to = all.len();
        for at in from..to {
            for letter in 0..letters {
                let mut longer = all[at].clone();
                longer.push(letter);
                all.push(longer);
            }
        }
        from = to;
    }
    all
}

/// All subwords.
pub fn subwords(word: &[u32]) -> Vec<Vec<u32>> {
    let count = 1usize << word.len();
    let chosen = |bits: usize| word.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &m)| m).collect();
    (0..count).map(chosen).collect()
}
