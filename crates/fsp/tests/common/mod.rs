//! A naive twin of the engines: the product spelled out, and formulas decided by an automaton and the book.

#![allow(dead_code)]

use model::composition::{Atom, Composition, StepLabel, Stepper};
use model::formula::Ltl;
use model::ids::EventId;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
pub use testing::Random;

/// The folder of examples.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fsp")
}

/// Loads files beside the examples.
pub fn load(name: &str) -> Result<String, String> {
    std::fs::read_to_string(examples().join(name)).map_err(|error| error.to_string())
}

pub fn none(name: &str) -> Result<String, String> {
    Err(format!("no file {name}"))
}

pub fn rendered(read: &fsp::Read) -> String {
    report::diagnostics::render(&read.diagnostics, &read.sources, report::style::Style::PLAIN)
}

/// Reads a text that has nothing wrong with it.
pub fn valid(text: &str) -> Composition {
    let read = fsp::read("model.fsp", text, &fsp::Options::default(), &load);
    assert!(read.diagnostics.is_empty(), "{}\n{text}", rendered(&read));
    read.composition.unwrap()
}

/// The codes of what is said about a text.
pub fn said(text: &str) -> Vec<&'static str> {
    fsp::read("model.fsp", text, &fsp::Options::default(), &none).diagnostics.iter().map(|d| d.code).collect()
}

/// Everything that can be reached.
pub struct Product {
    pub states: Vec<Vec<u32>>,
    pub steps: Vec<Vec<(StepLabel, usize)>>,
    pub stuck: Vec<usize>,
    pub wrong: Vec<usize>,
}

pub fn product(composition: &Composition) -> Product {
    let mut stepper = Stepper::new(composition);
    let mut states = composition.initial_states();
    let mut numbers: HashMap<Vec<u32>, usize> = states.iter().cloned().enumerate().map(|(n, s)| (s, n)).collect();
    let (mut steps, mut stuck, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    while at < states.len() {
        assert!(at < 400_000, "too large for a test");
        let state = states[at].clone();
        let mut found = Vec::new();
        stepper.steps(&state, &mut |step, next| {
            let number = *numbers.entry(next.to_vec()).or_insert_with(|| {
                states.push(next.to_vec());
                states.len() - 1
            });
            found.push((step, number));
        });
        if stepper.is_stuck(&state) {
            stuck.push(at);
        }
        if composition.is_wrong(&state) {
            wrong.push(at);
        }
        steps.push(found);
        at += 1;
    }
    Product { states, steps, stuck, wrong }
}

pub fn deadlocks(composition: &Composition) -> bool {
    !product(composition).stuck.is_empty()
}

pub fn event(composition: &Composition, name: &str) -> EventId {
    EventId::from(composition.events.iter().position(|event| event.name == name).expect(name))
}

pub fn event_names(composition: &Composition) -> BTreeSet<&str> {
    composition.events.iter().map(|event| event.name.as_str()).collect()
}

/// Whether all infinite runs satisfy a formula: the automaton of the negation beside the product, and a cycle through an
/// accepting edge.
pub fn holds(composition: &Composition, formula: &Ltl<Atom>) -> bool {
    let mut atoms: Vec<(Atom, String)> = Vec::new();
    formula.walk(&mut |part| {
        if let Ltl::Atom(atom, text) = part
            && !atoms.iter().any(|(known, _)| known == &**atom)
        {
            atoms.push((**atom, text.clone()));
        }
    });
    let negated = temporal::numbered(formula, &atoms).negated();
    let automaton = temporal::automaton(&negated, &temporal::Limits::default()).expect("small");
    let product = product(composition);
    let mut nodes: Vec<(usize, usize)> = Vec::new();
    let mut numbers: HashMap<(usize, usize), usize> = HashMap::new();
    let mut edges: Vec<Vec<usize>> = Vec::new();
    let initial = automaton.initial as usize;
    for state in 0..composition.initial_states().len() {
        numbers.insert((state, initial), nodes.len());
        nodes.push((state, initial));
    }
    let mut at = 0;
    while at < nodes.len() {
        let (state, place) = nodes[at];
        let mut next = Vec::new();
        for &(step, to) in &product.steps[state] {
            for edge in &automaton.states[place].edges {
                let valuation = |number: u32| {
                    let (atom, _) = atoms[number as usize];
                    composition.holds(atom, &product.states[state], step.event())
                };
                if !edge.guard.iter().any(|cube| cube.holds(valuation)) {
                    continue;
                }
                let node = (to, edge.to as usize);
                let number = *numbers.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() - 1
                });
                next.push(number);
            }
        }
        edges.push(next);
        at += 1;
    }
    // A node that accepts and reaches itself.
    !(0..nodes.len()).filter(|&n| automaton.states[nodes[n].1].accepting).any(|n| reaches_itself(n, &edges))
}

fn reaches_itself(node: usize, edges: &[Vec<usize>]) -> bool {
    let mut seen = vec![false; edges.len()];
    let mut waiting = edges[node].clone();
    while let Some(next) = waiting.pop() {
        if next == node {
            return true;
        }
        if !std::mem::replace(&mut seen[next], true) {
            waiting.extend(&edges[next]);
        }
    }
    false
}
