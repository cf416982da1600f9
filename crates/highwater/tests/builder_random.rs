//! Random systems, written in Rust and in Promela at once: they have the same states and the same verdicts.

use crate::twins::compare;
use highwater::builder::{Edge, Expr, Process, System, Type, any, name};
use testing::Random;

const VARIABLES: [&str; 3] = ["x", "y", "own"];

/// A statement, in both notations.
fn statement(random: &mut Random, edge: Edge, channels: &[(String, u32)]) -> (Edge, String) {
    let variable = VARIABLES[random.below(3) as usize];
    let value = random.below(3);
    let (channel, _) = &channels[random.below(channels.len() as u64) as usize];
    match random.below(8) {
        0 => (edge.guard(name(variable).less(value + 1)), format!("{variable} < {}", value + 1)),
        1 => (edge.guard(name(variable).differs(value)), format!("{variable} != {value}")),
        2 => (edge.assign(variable, value), format!("{variable} = {value}")),
        3 => (edge.assign(variable, (name(variable) + 1) % 3), format!("{variable} = (({variable} + 1) % 3)")),
        4 => {
            let message: [Expr; 2] = [name(variable), value.into()];
            (edge.send(channel.as_str(), message), format!("{channel}!{variable},{value}"))
        }
        5 => (edge.receive(channel.as_str(), [any(), value.into()]), format!("{channel}?_,{value}")),
        6 => (edge.receive(channel.as_str(), [variable.into(), any()]), format!("{channel}?{variable},_")),
        _ => (edge.assert(name(variable).at_most(value + 1)), format!("assert({variable} <= {})", value + 1)),
    }
}

/// A location's name: Promela tells end locations by their names, and so those without edges.
fn location(index: u64, ends: &[bool], edges: &[u64]) -> String {
    let end = ends[index as usize] || edges[index as usize] == 0;
    format!("{}{index}", if end { "end_" } else { "L" })
}

fn process(random: &mut Random, number: usize, channels: &[(String, u32)]) -> (Process, String) {
    let count = 1 + random.below(3);
    let ends: Vec<bool> = (0..count).map(|_| random.below(3) == 0).collect();
    let edges: Vec<u64> =
        (0..count).map(|index| if index == 0 { 1 + random.below(2) } else { random.below(3) }).collect();
    let instances = 1 + usize::from(number == 0 && random.below(4) == 0);
    let mut process = Process::new(format!("P{number}")).instances(instances).variable("own", Type::Byte, 0);
    let mut text = format!("active [{instances}] proctype P{number}() {{ byte own;\n");
    process = process.initial(location(0, &ends, &edges));
    for index in 0..count {
        let from = location(index, &ends, &edges);
        process = process.location(from.clone());
        if ends[index as usize] {
            process = process.end(from.clone());
        }
        let mut options = Vec::new();
        for _ in 0..edges[index as usize] {
            let to = location(random.below(count), &ends, &edges);
            let (first, one) = statement(random, Edge::new(from.clone(), to.clone()), channels);
            let (edge, written) = match random.below(3) {
                0 => {
                    let (edge, two) = statement(random, first, channels);
                    (edge, format!("atomic {{ {one}; {two} }}"))
                }
                _ => (first, one),
            };
            process = process.edge(edge);
            options.push(format!(":: {written}; goto {to}"));
        }
        if !options.is_empty() && random.below(4) == 0 {
            let to = location(random.below(count), &ends, &edges);
            process = process.edge(Edge::new(from.clone(), to.clone()).otherwise());
            options.push(format!(":: else; goto {to}"));
        }
        match options.is_empty() {
            true => text += &format!("{from}: false;\n"),
            false => text += &format!("{from}: if {} fi;\n", options.join(" ")),
        }
    }
    (process, text + "}\n")
}

fn system(seed: u64) -> (System, String) {
    let mut random = Random::new(seed);
    let channels: Vec<(String, u32)> =
        (0..1 + random.below(2)).map(|index| (format!("c{index}"), random.below(3) as u32)).collect();
    let mut system = System::new(format!("random {seed}")).variable("x", Type::Byte, 0).variable("y", Type::Bit, 1);
    let mut text = String::from("byte x; bit y = 1;\n");
    for (name, capacity) in &channels {
        system = system.channel(name.as_str(), *capacity, [Type::Byte, Type::Byte]);
        text += &format!("chan {name} = [{capacity}] of {{ byte, byte }};\n");
    }
    for number in 0..2 + random.below(2) as usize {
        let (process, written) = process(&mut random, number, &channels);
        system = system.process(process);
        text += &written;
    }
    (system, text)
}

#[test]
fn random_systems_have_the_same_states_and_verdicts() {
    let mut verdicts = std::collections::BTreeMap::new();
    for seed in 0..testing::seeds(60) {
        let (system, text) = system(seed);
        for verdict in compare(&system, &text, &["safety", "deadlock", "boundedness"]) {
            *verdicts.entry(verdict.name()).or_insert(0) += 1;
        }
    }
    // The comparison means something only if the systems differ.
    assert!(verdicts["proved"] > 0 && verdicts["violated"] > 0, "{verdicts:?}");
}
