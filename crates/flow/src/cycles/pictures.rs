//! Pictures of the elementary cycles of each process type, where they are, and what they do to the channels.
//!
//! They are what the papers' method (`check --abstraction cycles`) combines: Ciclo section IV-B shows those of its first
//! figure. Processes of one type share a cycle and differ in its effect.

use super::{ShownCycle, TypeCycles, list};
use model::context::Context;
use model::ids::EdgeId;
use model::network::{Edge, Network};
use model::source::SourceMap;
use model::trace::statement;
use model::verdict::Reason;
use std::fmt::Write as _;

/// So many cycles of a type are shown, and the effects for so many processes, and so many different effects of one.
const MOST_CYCLES: usize = 100;
const MOST_PROCESSES: usize = 3;
const MOST_EFFECTS: usize = 4;

/// Graphviz colours that can be distinguished, used in turn.
const COLOURS: [&str; 8] = ["#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf"];

/// A network, to be shown with its cycles.
pub struct Pictures<'a> {
    /// The network.
    pub network: &'a Network,
    /// Its texts.
    pub sources: &'a SourceMap,
}

impl Pictures<'_> {
    /// The cycles, or why they cannot be told.
    fn all_cycles(&self) -> Result<Vec<TypeCycles>, Reason> {
        list(self.network, MOST_CYCLES, &Context::unlimited())
    }

    /// As text.
    pub fn text(&self) -> Result<String, Reason> {
        let mut text = String::new();
        for listed in self.all_cycles()? {
            let title = self.network.machine(listed.machine).title();
            let _ = writeln!(text, "{title}: {}, {}", count_cycles(&listed), some(&listed.processes));
            for (number, cycle) in (1..).zip(&listed.cycles) {
                let _ = writeln!(text, "  cycle {number}");
                for &edge in &cycle.edges {
                    let edge = &self.network.machine(listed.machine).edges[edge.index()];
                    let statement = self.label(&listed, edge);
                    let _ = writeln!(text, "        {:<20} {statement}", self.sources.short(edge.span));
                }
                effect_lines(cycle).iter().for_each(|line| {
                    let _ = writeln!(text, "      {line}");
                });
            }
            if listed.more {
                text.push_str("  … more\n");
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// The statement of an edge, on one line.
    fn label(&self, listed: &TypeCycles, edge: &Edge) -> String {
        statement(self.network, listed.machine, edge, self.sources)
    }

    /// A graph for Graphviz: the machines, with the edges of each cycle in its colour and its numbers beside them.
    pub fn dot(&self) -> Result<String, Reason> {
        let mut text = String::from("digraph cycles {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=9];\n");
        for listed in self.all_cycles()? {
            let index = listed.machine.index();
            let machine = self.network.machine(listed.machine);
            let title = quoted(&machine.title());
            let _ = writeln!(text, "  subgraph cluster_{index} {{\n    label=\"{title}\";");
            let start = machine.initial.0;
            let _ = writeln!(text, "    start_{index} [shape=point];\n    start_{index} -> m{index}_{start};");
            for (id, _) in machine.used() {
                let _ = writeln!(text, "    m{index}_{} [label=\"{}\"];", id.0, id.0);
            }
            for (edge, id) in machine.edges.iter().zip(0..) {
                let style = on_cycles(&listed, EdgeId(id));
                let label = quoted(&self.label(&listed, edge));
                let ends = format!("m{index}_{} -> m{index}_{}", edge.from.0, edge.to.0);
                let _ = writeln!(text, "    {ends} [label=\"{label}{}\"{}];", style.0, style.1);
            }
            let _ = writeln!(text, "    legend_{index} [shape=plaintext, label=\"{}\"];", legend(&listed));
            text.push_str("  }\n");
        }
        Ok(text + "}\n")
    }
}

/// The numbers of the cycles that an edge is on, and the colour of the first.
fn on_cycles(listed: &TypeCycles, edge: EdgeId) -> (String, String) {
    let numbers: Vec<usize> =
        (0..).zip(&listed.cycles).filter(|(_, c)| c.edges.contains(&edge)).map(|(i, _)| i).collect();
    let Some(&first) = numbers.first() else { return (String::new(), String::from(", color=\"#aaaaaa\"")) };
    let shown: Vec<String> = numbers.iter().take(MOST_EFFECTS).map(|i| (i + 1).to_string()).collect();
    let more = if numbers.len() > MOST_EFFECTS { ", …" } else { "" };
    let colour = COLOURS[first % COLOURS.len()];
    (format!("\\n({}{more})", shown.join(", ")), format!(", color=\"{colour}\", penwidth=2"))
}

/// What each cycle does, left-justified.
fn legend(listed: &TypeCycles) -> String {
    let mut text = format!("{}\\l", count_cycles(listed));
    for (number, cycle) in (1..).zip(&listed.cycles) {
        for line in effect_lines(cycle) {
            let _ = write!(text, "{number}  {}\\l", quoted(&line));
        }
    }
    if listed.more {
        text.push_str("… more\\l");
    }
    text
}

fn count_cycles(listed: &TypeCycles) -> String {
    match (listed.cycles.len(), listed.more) {
        (0, _) => String::from("no cycle"),
        (1, false) => String::from("1 cycle"),
        (count, false) => format!("{count} cycles"),
        (count, true) => format!("more than {count} cycles"),
    }
}

/// The first names of a list.
fn some(processes: &[String]) -> String {
    let shown = processes.iter().take(MOST_PROCESSES).cloned().collect::<Vec<_>>().join(", ");
    match processes.len() {
        0 => String::from("never created"),
        count if count > MOST_PROCESSES => format!("{shown}, … ({count} processes)"),
        _ => shown,
    }
}

/// `client[1]: ts[0]: req +1, tc[0]: ack -1`, for some processes.
fn effect_lines(cycle: &ShownCycle) -> Vec<String> {
    let mut lines = Vec::new();
    for (process, effects) in cycle.takers.iter().take(MOST_PROCESSES) {
        let mut shown: Vec<String> = effects.iter().take(MOST_EFFECTS).map(|e| effect(e)).collect();
        if effects.len() > MOST_EFFECTS {
            shown.push(format!("… ({} effects)", effects.len()));
        }
        let shown = if effects.is_empty() { String::from("too many effects") } else { shown.join(", or ") };
        lines.push(format!("{process}: {shown}"));
    }
    if cycle.takers.len() > MOST_PROCESSES {
        lines.push(format!("… {} more processes", cycle.takers.len() - MOST_PROCESSES));
    }
    lines
}

fn effect(changes: &[(String, i64)]) -> String {
    if changes.is_empty() {
        return String::from("no effect on channels");
    }
    let each = changes.iter().map(|(name, change)| format!("{name} {change:+}"));
    each.collect::<Vec<_>>().join(", ")
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
