//! No input makes the reader panic or hang, and what it accepts can be printed and read again.
//!
//! Examples are mutated: bytes are changed, pieces removed, repeated, exchanged, and replaced by other pieces. The generator
//! is seeded; `HIGHWATER_FUZZ=N` makes it longer.

use crate::common;

use crate::common::{Random, examples, load, none};
use std::time::{Duration, Instant};

/// What the examples do not have.
const MORE: &str = "
const N = 3  range R = 0..N  set S = {a, b[R].c}
P(M=2) = Q[0], Q[i:0..M]{m[i], hot} = (when (i < M) in[j:R] -> S -> Q[i+1] | out[x:{u, v}] -> w[x] -> END) + {z}
  /{forall[i:R] {nu[i]/in[i]}, {k, l}/z} \\{hot}.
E = (a -> END).
T = E;E;STOP.
property W = (p.a -> W | p.b[R].c -> ERROR).
||C(K=2) = (p:P(K) || if (K > 1) then {x, y}::E else T || forall[i:1..K] q[i]:E || W)/{n/p.nu}@{p, q}.
fluent ON[i:R] = <n[i], {p.a}> initially 1
assert G1 = [] (ON[1] -> <> p.a) ltl G2 { \"prop p.m[1]\" U {q[1..2].a} }
progress LIVE = {a}  menu M = {a}
";

const PIECES: &[&str] = &[
    "->", "||", "|", "(", ")", "{", "}", "[", "]", ".", "..", ",", ";", ":", "::", "/", "\\", "@", "+", "-", "%", "=",
    "<", ">", "!", "&&", "==", "when", "if", "then", "else", "forall", "property", "const", "range", "set", "assert",
    "ltl", "fluent", "STOP", "END", "ERROR", "P", "Q", "N", "R", "a", "i", "i:", "0", "1", "7", "99999999", "0..9999",
    "é", "\0", "/*", "//", "\"", "\n", "minimal", "[]", "<>", "U",
];

fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if first.is_alphanumeric() {
            rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        found.push(&rest[..len]);
        rest = &rest[len..];
    }
    found
}

fn mutated(text: &str, random: &mut Random) -> String {
    let mut parts = pieces(text);
    for _ in 0..1 + random.below(6) {
        if parts.is_empty() {
            parts.push(" ");
        }
        let (at, other) = (random.below(parts.len()), random.below(parts.len()));
        match random.below(6) {
            0 => drop(parts.drain(at..(at + 1 + random.below(20)).min(parts.len()))),
            1 => parts.insert(at, PIECES[random.below(PIECES.len())]),
            2 => parts.swap(at, other),
            3 => parts[at] = PIECES[random.below(PIECES.len())],
            4 => {
                let copy: Vec<&str> = parts[at..(at + 30).min(parts.len())].to_vec();
                parts.splice(other..other, copy);
            }
            _ => parts.truncate(at + 1),
        }
    }
    let mut bytes = parts.concat().into_bytes();
    for _ in 0..random.below(3) {
        if !bytes.is_empty() {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn rounds(default: usize) -> usize {
    testing::rounds(default as u64) as usize
}

#[test]
fn mutated_examples_never_panic_and_never_hang() {
    let mut texts = vec![MORE.to_owned()];
    let mut automata = Vec::new();
    for entry in std::fs::read_dir(examples()).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("fsp") => texts.push(text),
            Some("aut") => automata.push(text),
            _ => {}
        }
    }
    texts.sort();
    let read = fsp::read("more.fsp", MORE, &fsp::Options::default(), &none);
    assert!(read.composition.is_some(), "{}", common::rendered(&read));
    let mut accepted = 0;
    for seed in 1..=rounds(4000) as u64 {
        let mut random = Random::new(seed);
        let start = Instant::now();
        let options = fsp::Options { formulas: vec!["[] <> a".into()], ..Default::default() };
        let options = if random.below(2) == 0 { options } else { fsp::Options::default() };
        if random.below(8) == 0 {
            let text = mutated(&automata[random.below(automata.len())], &mut random);
            fsp::read_aut("fuzz.aut", &text, &options);
        } else {
            let text = mutated(&texts[random.below(texts.len())], &mut random);
            let read = fsp::read("fuzz.fsp", &text, &options, &load);
            common::rendered(&read);
            if let Some(composition) = read.composition {
                accepted += 1;
                if let Ok(printed) = fsp::print(&composition) {
                    let again = fsp::read("printed.fsp", &printed, &fsp::Options::default(), &none);
                    assert!(again.composition.is_some(), "seed {seed}\n{}\n{printed}", common::rendered(&again));
                }
            }
        }
        assert!(start.elapsed() < Duration::from_secs(20), "seed {seed} took {:?}", start.elapsed());
    }
    assert!(accepted > 10, "the mutations should not spoil everything: {accepted}");
}
