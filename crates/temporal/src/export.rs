//! Automata for other tools: the Hanoi omega-automata format, Promela's never claims, Graphviz.
//!
//! HOA: Babiak et al. (CAV 2015, *The Hanoi omega-automata format*). A never claim is a Promela process whose labels
//! that start with `accept` accept; SPIN starts it at its first state.

use crate::automaton::{Automaton, Cube, Edge, State};
use ltl::name;
use std::fmt::Write;

/// How a guard is spelled.
struct Spelling<'a> {
    atom: &'a dyn Fn(u32) -> String,
    and: &'a str,
    or: &'a str,
    top: &'a str,
}

impl Spelling<'_> {
    fn guard(&self, guard: &[Cube]) -> String {
        guard.iter().map(|cube| self.cube(cube)).collect::<Vec<_>>().join(self.or)
    }

    fn cube(&self, cube: &Cube) -> String {
        let positive = cube.positive.iter().map(|&atom| (self.atom)(atom));
        let negative = cube.negative.iter().map(|&atom| format!("!{}", (self.atom)(atom)));
        let literals: Vec<String> = positive.chain(negative).collect();
        if literals.is_empty() { self.top.to_string() } else { literals.join(self.and) }
    }
}

impl Automaton {
    /// In the Hanoi omega-automata format.
    pub fn to_hoa<S: AsRef<str>>(&self, names: &[S]) -> String {
        let mut text = format!("HOA: v1\nStates: {}\nStart: {}\nAP: {}", self.states.len(), self.initial, self.atoms);
        for atom in 0..self.atoms {
            let _ = write!(text, " \"{}\"", escaped(&name(names, atom)));
        }
        text.push_str("\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n");
        text.push_str("properties: trans-labels explicit-labels state-acc\n--BODY--\n");
        let spelling = Spelling { atom: &|atom| atom.to_string(), and: "&", or: " | ", top: "t" };
        for (number, state) in self.states.iter().enumerate() {
            let label = escaped(&state.formula.to_paper(names));
            let mark = if state.accepting { " {0}" } else { "" };
            let _ = writeln!(text, "State: {number} \"{label}\"{mark}");
            for edge in &state.edges {
                let _ = writeln!(text, "[{}] {}", spelling.guard(&edge.guard), edge.to);
            }
        }
        text.push_str("--END--\n");
        text
    }

    /// As a never claim of Promela. The names must be expressions of Promela.
    pub fn to_never<S: AsRef<str>>(&self, names: &[S]) -> String {
        let mut text = String::from("never {\n");
        let atom = |atom| format!("({})", name(names, atom));
        let spelling = Spelling { atom: &atom, and: " && ", or: " || ", top: "1" };
        let others = (0..self.states.len() as u32).filter(|&number| number != self.initial);
        for number in [self.initial].into_iter().chain(others) {
            let state = &self.states[number as usize];
            let _ = writeln!(text, "{}:", self.claim_label(number));
            if is_all(number, state) {
                text.push_str("\tskip\n");
            } else if state.edges.is_empty() {
                text.push_str("\tfalse;\n");
            } else {
                text.push_str("\tdo\n");
                for Edge { guard, to } in &state.edges {
                    let _ = writeln!(text, "\t:: ({}) -> goto {}", spelling.guard(guard), self.claim_label(*to));
                }
                text.push_str("\tod;\n");
            }
        }
        text.push_str("}\n");
        text
    }

    fn claim_label(&self, number: u32) -> String {
        let state = &self.states[number as usize];
        let prefix = if state.accepting { "accept" } else { "T0" };
        if number == self.initial {
            format!("{prefix}_init")
        } else if is_all(number, state) {
            "accept_all".to_string()
        } else {
            format!("{prefix}_S{number}")
        }
    }

    /// For Graphviz.
    pub fn to_dot<S: AsRef<str>>(&self, names: &[S]) -> String {
        let mut text = String::from("digraph {\n\trankdir=LR\n\tstart [shape=point]\n");
        let _ = writeln!(text, "\tstart -> {}", self.initial);
        let atom = |atom| name(names, atom);
        let spelling = Spelling { atom: &atom, and: " && ", or: " || ", top: "true" };
        for (number, state) in self.states.iter().enumerate() {
            let shape = if state.accepting { "doublecircle" } else { "circle" };
            let tip = escaped(&state.formula.to_paper(names));
            let _ = writeln!(text, "\t{number} [shape={shape}, tooltip=\"{tip}\"]");
            for edge in &state.edges {
                let guard = escaped(&spelling.guard(&edge.guard));
                let _ = writeln!(text, "\t{number} -> {} [label=\"{guard}\"]", edge.to);
            }
        }
        text.push_str("}\n");
        text
    }
}

/// Whether a state accepts everything at a glance.
fn is_all(number: u32, state: &State) -> bool {
    let loops = |edge: &Edge| edge.to == number && edge.guard == [Cube::default()];
    state.accepting && state.edges.iter().any(loops)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
