//! What is printed is read back as the same system, and nothing that is read is too large or too odd to survive.
//!
//! Random structures are seeded; `HIGHWATER_SEEDS=N` makes it longer.

use crate::common;

use crate::common::{Random, examples, holds, load, none, product, rendered, said};
use model::composition::{Atom, Component, Composition, Named, Requirement, StepLabel};
use model::formula::{Connective, Ltl, Modality};
use model::ids::{EventId, PropositionId};
use model::source::Span;
use model::structure::{Ending, Move, StateParts, Structure, TAU};
use std::collections::{BTreeMap, BTreeSet};

fn seeds(default: u64) -> u64 {
    testing::seeds(default)
}

/// What can be seen of a state at once: its propositions, and how it ends.
fn look(composition: &Composition, state: &[u32]) -> Vec<String> {
    if composition.is_wrong(state) {
        // No component can look at a state that is wrong.
        return vec!["wrong".into()];
    }
    let holds = |id: usize| composition.holds(Atom::Proposition(PropositionId::from(id)), state, TAU);
    let names = composition.propositions.iter().enumerate().filter(|(id, _)| holds(*id));
    let mut line: Vec<String> = names.map(|(_, named)| named.name.clone()).collect();
    line.sort();
    line.push(if composition.is_done(state) { "done".into() } else { String::new() });
    line
}

/// Whether two products are bisimilar, by events as they are shown: classes of both together, refined until they stay.
fn same(one: &Composition, other: &Composition) -> bool {
    let products = [(one, product(one)), (other, product(other))];
    let mut classes: Vec<Vec<usize>> = products.iter().map(|(_, p)| vec![0; p.states.len()]).collect();
    let mut count = 0;
    loop {
        let mut known = BTreeMap::new();
        let mut next = classes.clone();
        for (which, (composition, product)) in products.iter().enumerate() {
            for (state, steps) in product.steps.iter().enumerate() {
                let step = |(step, to): &(StepLabel, usize)| (shown(composition, step.event()), classes[which][*to]);
                let steps: BTreeSet<(String, usize)> = steps.iter().map(step).collect();
                let fresh = known.len();
                let key = (classes[which][state], look(composition, &product.states[state]), steps);
                next[which][state] = *known.entry(key).or_insert(fresh);
            }
        }
        classes = next;
        if known.len() == count {
            return classes[0][0] == classes[1][0] && visible(one) == visible(other);
        }
        count = known.len();
    }
}

fn visible(composition: &Composition) -> BTreeSet<&str> {
    composition.events.iter().map(|event| event.name.as_str()).filter(|name| !name.starts_with('(')).collect()
}

fn shown(composition: &Composition, event: EventId) -> String {
    let name = composition.event_name(event);
    if event == TAU || name.starts_with('(') { "tau".into() } else { name.into() }
}

fn back(composition: &Composition) -> Composition {
    let text = fsp::print(composition).unwrap();
    let read = fsp::read("printed.fsp", &text, &fsp::Options::default(), &none);
    assert!(read.diagnostics.is_empty(), "{}\n{text}", rendered(&read));
    read.composition.unwrap()
}

#[test]
fn every_example_survives_being_printed() {
    for entry in std::fs::read_dir(examples()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "fsp") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let read = fsp::read("example.fsp", &text, &fsp::Options::default(), &load);
        let composition = read.composition.unwrap();
        let again = back(&composition);
        assert!(same(&composition, &again), "{}", path.display());
        let verdicts =
            |c: &Composition| c.formulas.iter().map(|r| (r.name.clone(), holds(c, &r.formula))).collect::<Vec<_>>();
        assert_eq!(verdicts(&composition), verdicts(&again), "{}", path.display());
        assert_eq!(fsp::print(&again).unwrap(), fsp::print(&back(&again)).unwrap());
    }
}

fn random_structure(random: &mut Random, events: usize, propositions: &mut Vec<Named>, part: usize) -> Structure {
    let count = 1 + random.below(4);
    let own: Vec<PropositionId> = (0..random.below(3))
        .map(|n| {
            propositions.push(Named { name: format!("p[{part}].q{n}"), span: Span::NONE });
            PropositionId::from(propositions.len() - 1)
        })
        .collect();
    let states = (0..count).map(|_| {
        let ending = [Ending::None, Ending::None, Ending::None, Ending::Done, Ending::Error][random.below(5)];
        let steps = if ending == Ending::None { random.below(4) } else { 0 };
        let step = |random: &mut Random| {
            let event = random.below(events + 1);
            let event = if event == events { TAU } else { EventId::from(event) };
            Move { event, to: random.below(count) as u32 }
        };
        let moves = (0..steps).map(|_| step(random)).collect();
        let labels = own.iter().copied().filter(|_| random.below(2) == 0).collect();
        StateParts { moves, labels, ending }
    });
    let states: Vec<StateParts> = states.collect();
    let alphabet: Vec<EventId> = (0..events).filter(|_| random.below(4) == 0).map(EventId::from).collect();
    Structure::new(alphabet, vec![random.below(count) as u32], states)
}

fn random_formula(random: &mut Random, atoms: &[(Atom, String)], depth: usize) -> Ltl<Atom> {
    if depth == 0 || random.below(4) == 0 {
        let (atom, text) = atoms[random.below(atoms.len())].clone();
        return Ltl::Atom(Box::new(atom), text);
    }
    let mut inner = || Box::new(random_formula(random, atoms, depth - 1));
    let (a, b) = (inner(), inner());
    match random.below(7) {
        0 => Ltl::Unary(Modality::Not, a),
        1 => Ltl::Unary(Modality::Next, a),
        2 => Ltl::Unary(Modality::Always, a),
        3 => Ltl::Unary(Modality::Eventually, a),
        4 => Ltl::Binary(Connective::Implies, a, b),
        5 => Ltl::Binary(Connective::Until, a, b),
        _ => Ltl::Binary(Connective::Or, a, b),
    }
}

fn random_composition(random: &mut Random) -> Composition {
    let names = ["a", "b[1]", "[2].c", "(a)", "PUT !1", "set", "hidden", "event x"];
    let span = Span::NONE;
    let mut composition = Composition { name: "S".into(), ..Composition::default() };
    composition.events = names.iter().map(|name| Named { name: name.to_string(), span }).collect();
    for part in 0..1 + random.below(3) {
        let structure = random_structure(random, names.len(), &mut composition.propositions, part);
        let name = format!("part\n{part}");
        composition.components.push(Component { name, structure, state_names: vec![], state_spans: vec![], span });
    }
    // Formulas name only events that somebody has.
    let mut atoms: Vec<(Atom, String)> = Vec::new();
    for (index, named) in composition.events.iter().enumerate() {
        let event = EventId::from(index);
        let known = composition.components.iter().any(|component| component.structure.takes_part(event));
        if known && !named.name.starts_with('(') {
            atoms.push((Atom::Event(event), named.name.clone()));
        }
    }
    if !atoms.is_empty() {
        for n in 0..2 {
            let formula = random_formula(random, &atoms, 3);
            composition.formulas.push(Requirement { name: format!("F{n}"), formula, span });
        }
    }
    composition
}

/// Events that no component takes part in are not printed, nor are states that are not reached.
fn without_unused(mut composition: Composition) -> Composition {
    let used = |event: usize| composition.components.iter().any(|c| c.structure.takes_part(EventId::from(event)));
    let unused: Vec<usize> = (0..composition.events.len()).filter(|&event| !used(event)).collect();
    for event in unused {
        composition.events[event].name = "(unused)".into();
    }
    composition
}

#[test]
fn random_structures_survive_being_printed() {
    for seed in 1..=seeds(400) {
        let mut random = Random::new(seed);
        let composition = without_unused(random_composition(&mut random));
        let again = back(&composition);
        assert!(same(&composition, &again), "seed {seed}\n{}", fsp::print(&composition).unwrap());
        for (one, other) in composition.formulas.iter().zip(&again.formulas) {
            let verdicts = (holds(&composition, &one.formula), holds(&again, &other.formula));
            assert_eq!(verdicts.0, verdicts.1, "seed {seed}: {}", one.formula);
        }
    }
}

#[test]
fn random_structures_survive_as_aut_files() {
    for seed in 1..=seeds(400) {
        let mut random = Random::new(seed);
        let composition = random_composition(&mut random);
        let component = &composition.components[0];
        let text = fsp::print_aut(&component.structure, &|event| composition.event_name(event).to_owned()).unwrap();
        let read = fsp::read_aut("printed.aut", &text, &fsp::Options::default());
        let again = read.composition.unwrap_or_else(|| panic!("seed {seed}\n{text}"));
        let steps = |composition: &Composition| {
            let product = product(composition);
            product.steps.iter().map(|steps| steps.len()).collect::<BTreeSet<_>>()
        };
        let alone = Composition {
            components: vec![Component {
                structure: Structure::new([], component.structure.initial().to_vec(), bare(&component.structure)),
                ..component.clone()
            }],
            ..composition.clone()
        };
        assert_eq!(steps(&alone), steps(&again), "seed {seed}\n{text}");
    }
}

/// The states of a structure with their steps alone.
fn bare(structure: &Structure) -> Vec<StateParts> {
    (0..structure.states() as u32)
        .map(|state| StateParts { moves: structure.moves(state).to_vec(), ..StateParts::default() })
        .collect()
}

#[test]
fn ten_thousand_events_and_a_hundred_thousand_states_are_read() {
    let start = std::time::Instant::now();
    let many = common::valid("P = (a[0..99][0..99] -> P).\nQ = (a[i:0..99][j:0..99] -> Q).\n||S = (P || Q).");
    assert_eq!(many.events.len(), 10_000);
    let long =
        common::valid("P = COUNT[0], COUNT[i:0..99999] = (when (i < 99999) up -> COUNT[i+1] | down -> COUNT[0]).");
    assert_eq!(long.components[0].structure.states(), 100_000);
    let text = fsp::print(&long).unwrap();
    assert_eq!(common::valid(&text).components[0].structure.states(), 100_000);
    let chain: String = (0..100_000).map(|n| format!("a[{}] -> ", n % 7)).collect();
    let chain = common::valid(&format!("P = ({chain}STOP)."));
    assert_eq!(chain.components[0].structure.states(), 100_001);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn what_explodes_is_refused_quickly() {
    let start = std::time::Instant::now();
    let deep =
        |open: &str, inner: &str, close: &str| format!("P = {}{inner}{}.", open.repeat(5000), close.repeat(5000));
    let doubling: String = (1..60).map(|n| format!("set S{n} = {{S{}.S{}, S{}}}\n", n - 1, n - 1, n - 1)).collect();
    for (text, code) in [
        ("P = (a[0..1000000000] -> P).".into(), "F0201"),
        ("P = (a[0..999][0..999][0..999] -> P).".into(), "F0201"),
        (format!("set S0 = {{a, b}}\n{doubling}P = (S59 -> P)."), "F0201"),
        ("P = (a -> P).\n||S(N=1) = (S(N+1) || S(N+2)).".into(), "F0202"),
        ("P = (a -> P).\n||A(N=40) = if (N > 0) then (a:A(N-1) || b:A(N-1)) else P.".into(), "F0201"),
        ("P = P;END.".into(), "F0202"),
        ("const A = B + 1\nconst B = A\nP = (a[A] -> P).".into(), "F0202"),
        ("P = (a -> P).\n||S = (p[0..100000]:P).".into(), "F0201"),
        (deep("(", "STOP", ")"), "F0005"),
        (deep("if 1 then ", "STOP", ""), "F0005"),
        (deep("(a -> ", "STOP", ")"), "F0005"),
        (format!("P = (a[{}1{}] -> P).", "(".repeat(5000), ")".repeat(5000)), "F0005"),
        (format!("P = (a[{}1] -> P).", "-".repeat(5000)), "F0005"),
        (format!("P = (a{} -> P).", ".b".repeat(5000)), "F0005"),
        (format!("P = ({}a{} -> P).", "{".repeat(5000), "}".repeat(5000)), "F0005"),
        (format!("P = (a -> P).\n||S = {}P{}.", "(".repeat(5000), ")".repeat(5000)), "F0005"),
        (format!("P = (a -> P).\nltl F {{ {}a{} }}", "(".repeat(5000), ")".repeat(5000)), "F0301"),
    ] {
        let said = said(&text);
        assert!(said.contains(&code), "{code} {said:?}: {}", text.chars().take(80).collect::<String>());
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn what_nests_as_deep_as_it_may_is_read() {
    let nested = |open: &str, inner: &str, close: &str| format!("P = {}{inner}{}.", open.repeat(95), close.repeat(95));
    common::valid(&nested("(a -> ", "STOP", ")"));
    common::valid(&nested("if 1 then ", "(a -> STOP)", ""));
    common::valid(&format!("P = (a[{}1{}] -> P).", "(".repeat(190), ")".repeat(190)));
    common::valid(&format!("P = (a[{}1{}] -> P).", "(1+".repeat(95), ")".repeat(95)));
    common::valid(&format!("P = (a[{}1] -> P).", "1 + ".repeat(50_000)));
    common::valid(&format!("P = (a -> P).\n||S = {}P{}.", "(".repeat(95), ")".repeat(95)));
}
