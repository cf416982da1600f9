//! The components of a composition, as text or as a graph for Graphviz.

use model::composition::{Component, Composition};
use model::structure::Ending;
use std::fmt::Write;

/// State by state: its name, what holds in it, and where its steps lead.
pub fn text(composition: &Composition) -> String {
    let mut text = String::new();
    for component in &composition.components {
        let structure = &component.structure;
        let events: Vec<&str> = structure.alphabet().iter().map(|event| composition.event_name(*event)).collect();
        let _ = writeln!(
            text,
            "{}: {} states, {} steps\n  alphabet {{{}}}",
            component.name,
            structure.states(),
            structure.steps(),
            events.join(", ")
        );
        for state in 0..structure.states() as u32 {
            let _ = writeln!(text, "  {}{}", component.state_name(state), marks(composition, component, state));
            for step in structure.moves(state) {
                let _ =
                    writeln!(text, "      {} → {}", composition.event_name(step.event), component.state_name(step.to));
            }
        }
        text.push('\n');
    }
    text
}

fn marks(composition: &Composition, component: &Component, state: u32) -> String {
    let mut marks = String::new();
    if component.structure.initial().contains(&state) {
        marks += " start";
    }
    marks += match component.structure.ending(state) {
        Ending::None => "",
        Ending::Done => " end",
        Ending::Error => " error",
    };
    let propositions = component.structure.labels(state).iter();
    let names: Vec<&str> =
        propositions.filter_map(|p| composition.propositions.get(p.index())).map(|p| p.name.as_str()).collect();
    if !names.is_empty() {
        marks += &format!(" {{{}}}", names.join(", "));
    }
    marks
}

/// A cluster for each component.
pub fn dot(composition: &Composition) -> String {
    let mut text = String::from("digraph highwater {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=9];\n");
    for (index, component) in composition.components.iter().enumerate() {
        let structure = &component.structure;
        let _ = writeln!(text, "  subgraph cluster_{index} {{\n    label=\"{}\";", quoted(&component.name));
        for initial in structure.initial() {
            let start = format!("start_{index}_{initial}");
            let _ = writeln!(text, "    {start} [shape=point];\n    {start} -> c{index}_{initial};");
        }
        for state in 0..structure.states() as u32 {
            let shape = match structure.ending(state) {
                Ending::None => "",
                Ending::Done => ", shape=doublecircle",
                Ending::Error => ", shape=octagon",
            };
            let label = quoted(&component.state_name(state));
            let _ = writeln!(text, "    c{index}_{state} [label=\"{label}\"{shape}];");
            for step in structure.moves(state) {
                let label = quoted(composition.event_name(step.event));
                let _ = writeln!(text, "    c{index}_{state} -> c{index}_{} [label=\"{label}\"];", step.to);
            }
        }
        text.push_str("  }\n");
    }
    text + "}\n"
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
