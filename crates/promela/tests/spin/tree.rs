//! A model as a tree of text: what the generator makes, the printer numbers and the shrinker cuts.

use super::judge::Unreached;
use std::collections::BTreeMap;

/// The name of a production or of a property of a variable; the table of pairs is over these.
pub type Feature = &'static str;

/// A declaration, a statement or a process: `head`, then blocks of nodes, then `tail`.
#[derive(Clone, Default, Debug)]
pub struct Node {
    pub head: String,
    pub blocks: Vec<Block>,
    pub tail: String,
    pub features: Vec<Feature>,
    /// `->` follows, not `;`.
    pub arrow: bool,
    /// Channels that the statement uses.
    pub channels: Vec<String>,
    /// The process type whose statements are below this node.
    pub process: Option<String>,
}

/// Statements in a row, after `open`.
#[derive(Clone, Default, Debug)]
pub struct Block {
    pub open: String,
    pub items: Vec<Node>,
}

impl Node {
    pub fn leaf(head: impl Into<String>) -> Node {
        Node { head: head.into(), ..Node::default() }
    }
}

/// A feature at a line of a process.
#[derive(Clone, Debug)]
pub struct Occurrence {
    pub feature: Feature,
    pub process: String,
    pub line: usize,
    pub channels: Vec<String>,
}

/// The text of a model, and where its features are.
#[derive(Default)]
pub struct Printed {
    pub text: String,
    pub occurrences: Vec<Occurrence>,
    line: usize,
}

/// Prints a model, one statement to a line.
pub fn print(model: &[Node]) -> Printed {
    let mut printed = Printed { line: 1, ..Printed::default() };
    for node in model {
        printed.node(node, "");
        printed.push("\n");
    }
    printed
}

impl Printed {
    fn push(&mut self, text: &str) {
        self.line += text.matches('\n').count();
        self.text.push_str(text);
    }

    fn node(&mut self, node: &Node, process: &str) {
        let process = node.process.as_deref().unwrap_or(process);
        let occurrences = node.features.iter().map(|feature| Occurrence {
            feature,
            process: process.to_owned(),
            line: self.line,
            channels: node.channels.clone(),
        });
        self.occurrences.extend(occurrences);
        self.push(&node.head);
        for block in &node.blocks {
            self.push(&block.open);
            self.push("\n");
            self.items(&block.items, process);
        }
        self.push(&node.tail);
    }

    fn items(&mut self, items: &[Node], process: &str) {
        if items.is_empty() {
            self.push("skip");
        }
        for (index, item) in items.iter().enumerate() {
            self.node(item, process);
            let last = index + 1 == items.len();
            self.push(if last {
                "\n"
            } else if item.arrow {
                " ->\n"
            } else {
                ";\n"
            });
        }
    }
}

/// Features that are reached, by process and by channel.
pub fn groups(occurrences: &[Occurrence], unreached: &Unreached) -> Vec<Vec<Feature>> {
    let mut groups: BTreeMap<String, Vec<Feature>> = BTreeMap::new();
    for occurrence in occurrences.iter().filter(|o| !o.process.is_empty()) {
        let lines = unreached.get(&occurrence.process);
        if lines.is_some_and(|lines| lines.iter().any(|(line, _)| *line == occurrence.line)) {
            continue;
        }
        groups.entry(format!("process {}", occurrence.process)).or_default().push(occurrence.feature);
        for channel in &occurrence.channels {
            groups.entry(format!("channel {channel}")).or_default().push(occurrence.feature);
        }
    }
    groups.into_values().collect()
}
