//! Strong fairness, and what formulas assume of runs, against a twin that knows neither Streett's condition nor any way
//! to keep assumptions apart.
//!
//! The twin makes one Büchi automaton of the whole negated formula, lists all pairs of a state of the model and one of
//! the automaton, and tries every set of processes: those that are able to move again and again. Without the states
//! where others are able, is there a strongly connected part that accepts and in which all of the set move? That is
//! exponential, and plainly the definition.
//!
//! `HIGHWATER_SEEDS=N` tries N systems, `HIGHWATER_FIRST=S` starts at a seed.

use crate::ltl_models::{self, Style};
use certify::temporal::decide;
use explore::Options;
use explore::liveness::Setting;
use explore::moves::Mover;
use explore::reduction::Mode;
use model::claim::{AtomSet, Watcher, halves};
use model::context::Context;
use model::fairness::Fairness;
use model::formula::Ltl;
use model::semantics::{Reading, Semantics};
use model::verdict::{Outcome, Property, Verdict};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Larger products are not compared.
const MOST_PAIRS: usize = 600;

/// A state of the model and one of the automaton.
#[derive(Default)]
struct Pair {
    accepting: bool,
    /// The processes that are able to move.
    able: BTreeSet<u32>,
    /// Where its moves lead, and who moves.
    moves: Vec<(usize, BTreeSet<u32>)>,
}

/// The pairs; none where there are too many, or where something has no value.
fn pairs(semantics: &Semantics<'_>, formula: &Ltl) -> Option<Vec<Pair>> {
    let atoms = formula.atoms();
    let negation = temporal::numbered(formula, &atoms).negated();
    let automaton = temporal::automaton(&negation, &temporal::Limits::default()).ok()?;
    let atoms: Vec<_> = atoms.into_iter().map(|(atom, _)| atom).collect();
    let (watcher, mut mover, mut asker) = (Watcher::new(semantics, &atoms), Mover::new(semantics), semantics.stepper());
    mover.stepper.listen();
    let first = (semantics.stepper().initial().ok()?.ok()?, automaton.initial);
    let (mut known, mut found) = (HashMap::from([(first.clone(), 0)]), vec![first]);
    let mut pairs: Vec<Pair> = Vec::new();
    while let Some((state, at)) = found.get(pairs.len()).cloned() {
        let mut mark = |state: &[u8], successor: &model::semantics::Successor<'_>| {
            watcher.in_step(&mut semantics.stepper(), state, successor)
        };
        mover.expand(&state, &mut mark, &|| false).ok()?;
        let here = watcher.in_state(&mut asker, &state, AtomSet::MAX, mover.is_timeout()).ok()?;
        let actors = |step| halves(step).into_iter().flatten().map(|(process, _)| process);
        let node = &automaton.states[at as usize];
        let able = mover.first_steps().flat_map(actors).collect();
        let mut pair = Pair { accepting: node.accepting, able, moves: Vec::new() };
        let mut next: Vec<(Vec<u8>, AtomSet, BTreeSet<u32>)> = (0..mover.len())
            .map(|move_| {
                let moved = mover.steps(move_).into_iter().flat_map(actors).collect();
                (mover.state(move_).to_vec(), mover.marks(move_), moved)
            })
            .collect();
        if mover.is_stuck() {
            next.push((state, 0, BTreeSet::new()));
        }
        for (state, events, moved) in next {
            for edge in &node.edges {
                if edge.guard.iter().any(|cube| cube.holds(|atom| (here | events) >> atom & 1 == 1)) {
                    let (new, target) = (found.len(), (state.clone(), edge.to));
                    let number = *known.entry(target.clone()).or_insert(new);
                    if number == new {
                        found.push(target);
                    }
                    pair.moves.push((number, moved.clone()));
                }
            }
        }
        pairs.push(pair);
        if found.len() > MOST_PAIRS || mover.crashed.is_some() {
            return None;
        }
    }
    Some(pairs)
}

/// Whether there is an accepting run on which exactly these processes are able to move again and again, and each does;
/// or, if none are given, any accepting run.
fn accepts(pairs: &[Pair], processes: Option<&BTreeSet<u32>>) -> bool {
    let inside = |pair: usize| processes.is_none_or(|processes| pairs[pair].able.is_subset(processes));
    let reached = |from: usize| {
        let (mut seen, mut work) = (BTreeSet::new(), vec![from]);
        while let Some(at) = work.pop() {
            let next = pairs[at].moves.iter().map(|(to, _)| *to).filter(|&to| inside(to));
            work.extend(next.filter(|&to| seen.insert(to)));
        }
        seen
    };
    (0..pairs.len()).filter(|&pair| inside(pair) && pairs[pair].accepting).any(|pair| {
        let part: BTreeSet<usize> = reached(pair);
        let back: BTreeSet<usize> = part.iter().copied().filter(|&other| reached(other).contains(&pair)).collect();
        let inner = back.iter().flat_map(|&at| pairs[at].moves.iter().filter(|(to, _)| back.contains(to)));
        let moved: BTreeSet<u32> = inner.flat_map(|(_, moved)| moved.iter().copied()).collect();
        back.contains(&pair) && processes.is_none_or(|processes| processes.is_subset(&moved))
    })
}

/// Whether every run keeps the formula; with strong fairness, every fair one.
fn keeps(pairs: &[Pair], fair: Fairness) -> bool {
    if fair == Fairness::None {
        return !accepts(pairs, None);
    }
    let all: Vec<u32> =
        pairs.iter().flat_map(|pair| &pair.able).copied().collect::<BTreeSet<_>>().into_iter().collect();
    let subset = |bits: u32| (0..all.len()).filter(|at| bits >> at & 1 == 1).map(|at| all[at]).collect();
    !(0..1 << all.len()).any(|bits| accepts(pairs, Some(&subset(bits))))
}

/// With every state visited and with some left out, in one thread and in several.
fn ways(seed: u64) -> [Options; 3] {
    let threads = Options { jobs: 2, alone: (seed % 3 * 5) as usize, long: 0, ..Options::reducing(Mode::On) };
    [Options::reducing(Mode::Off), Options::reducing(Mode::On), threads]
}

fn judge(seed: u64, text: &str, counts: &mut BTreeMap<String, usize>) {
    let read = promela::read("random.pml", text, &promela::preprocess::Options::default());
    let Some(network) = read.network else { return };
    let semantics = Semantics::new(&network, Reading::Declared);
    let formula = &network.formulas[0].formula;
    let Some(pairs) = pairs(&semantics, formula) else { return };
    let unlimited = Context::unlimited();
    for fair in [Fairness::None, Fairness::Strong] {
        let expected = keeps(&pairs, fair);
        assert_eq!(
            decide(&semantics, formula, fair, &unlimited),
            Ok(expected),
            "seed {seed} {fair:?} {formula}\n{text}"
        );
        for options in &ways(seed) {
            let setting = Setting { semantics: &semantics, sources: &read.sources, fair, options, cx: unlimited };
            let Outcome { verdict, certificate, witness, property, .. } =
                setting.formula(&Property::Ltl(String::from("f")), formula);
            let context = || format!("seed {seed} {fair:?} {} threads {formula}\n{text}", options.jobs);
            *counts.entry(format!("{} {fair:?}", verdict.name())).or_default() += 1;
            match verdict {
                Verdict::Proved | Verdict::Vacuous(_) => {
                    assert!(expected, "{}", context());
                    let certificate = certificate.expect("a proof has a certificate");
                    let accepted = certify::verify(&semantics, &property, &certificate, &unlimited);
                    assert_eq!(accepted, Ok(()), "{}", context());
                }
                Verdict::Violated => assert!(!expected && witness.is_some(), "{}", context()),
                other => panic!("{other:?} {}", context()),
            }
        }
    }
}

#[test]
fn formulas_with_assumptions_agree_with_the_definition() {
    let (first, seeds) = (testing::first(0), testing::seeds(300));
    let mut counts = BTreeMap::new();
    let style = Style { own: true };
    for seed in first..first + seeds {
        let formula = if seed % 4 == 0 { ltl_models::formula(seed, style) } else { ltl_models::assuming(seed, style) };
        judge(seed, &format!("{}ltl f {{ {formula} }}\n", ltl_models::model(seed, style)), &mut counts);
    }
    for (verdict, most) in [("proved None", 16), ("proved Strong", 16), ("violated None", 8), ("violated Strong", 8)] {
        let count = counts.get(verdict).copied().unwrap_or(0) as u64;
        assert!(count * most > seeds, "{verdict}: {counts:?}");
    }
}
