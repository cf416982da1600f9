//! A system as a picture: processes, and the channels between them with what they hold at most.
//!
//! The layout is layered, as in Sugiyama, Tagawa and Toda (1981): edges against the order of Eades, Lin and Smyth (1993) are
//! turned around, a node is as far to the right as the longest path to it, an edge over several layers runs straight through each
//! between its nodes, and the order in a layer follows the barycentres of the neighbours, swept to and fro. Left to right;
//! sizes in pixels.

use crate::sequence::escaped;
use model::verdict::{ChannelState, ChannelVerdict};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Larger systems have no picture.
const MANY: usize = 80;
/// Longer names are cut.
const LONG_NAME: usize = 28;
const SWEEPS: usize = 8;
const HEIGHT: f64 = 34.0;
const ROW: f64 = 54.0;
const GAP: f64 = 64.0;
const LETTER: f64 = 7.6;

/// Nodes and edges with their places.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Picture {
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
    /// Processes and channels.
    pub nodes: Vec<Node>,
    /// Who sends, and who receives.
    pub edges: Vec<Edge>,
}

/// A process, or a channel.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Node {
    /// Its name.
    pub label: String,
    /// What a channel holds at most: `≤ 3`.
    pub note: String,
    /// `process`, or for a channel `bounded`, `unbounded`, `inconclusive`, `plain`.
    pub kind: &'static str,
    /// The left side.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// An arrow between a process and a channel.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Edge {
    /// The path, as SVG writes it.
    pub path: String,
    /// The kind of its channel.
    pub kind: &'static str,
    /// Its width.
    pub width: f64,
}

/// A channel that is to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// What stands below it.
    pub note: String,
    /// `bounded`, `unbounded`, `inconclusive` or `plain`.
    pub kind: &'static str,
    /// What it holds at most, if that is known.
    pub at_most: Option<u64>,
    /// Who sends to it.
    pub senders: Vec<String>,
    /// Who receives from it.
    pub receivers: Vec<String>,
}

/// The picture of a system whose channels have verdicts; none if there are no channels, or very many.
pub fn of_channels(channels: &[ChannelVerdict]) -> Option<Picture> {
    let shown = channels.iter().filter(|channel| !channel.senders.is_empty() || !channel.receivers.is_empty());
    of(&shown.map(channel).collect::<Vec<_>>())
}

/// A channel with its verdict.
pub fn channel(channel: &ChannelVerdict) -> Channel {
    let note = match (channel.state, channel.proved_at_most, channel.declared) {
        (_, _, Some(0)) => String::from("rendezvous"),
        (ChannelState::Bounded, Some(bound), None) => format!("≤ {bound}"),
        (ChannelState::Bounded, Some(bound), Some(declared)) => format!("≤ {bound}, declared [{declared}]"),
        (ChannelState::Bounded, None, _) => String::from("bounded"),
        (ChannelState::Unbounded, ..) => String::from("no bound"),
        (ChannelState::Inconclusive, ..) => String::from("?"),
    };
    let kind = if channel.declared == Some(0) { "plain" } else { channel.state.name() };
    let ChannelVerdict { name, senders, receivers, .. } = channel.clone();
    Channel { name, note, kind, at_most: channel.proved_at_most, senders, receivers }
}

/// The picture of some channels and of those who use them; none if there are no channels, or very many.
pub fn of(channels: &[Channel]) -> Option<Picture> {
    let channels = without_indices(channels);
    if channels.is_empty() || channels.len() > MANY {
        return None;
    }
    let processes: BTreeSet<&String> = channels.iter().flat_map(|c| c.senders.iter().chain(&c.receivers)).collect();
    let number: BTreeMap<&String, usize> = processes.iter().enumerate().map(|(number, name)| (*name, number)).collect();
    let mut edges = Vec::new();
    for (position, channel) in channels.iter().enumerate() {
        let own = processes.len() + position;
        edges.extend(channel.senders.iter().map(|sender| (number[sender], own)));
        edges.extend(channel.receivers.iter().map(|receiver| (own, number[receiver])));
    }
    let process = |name: &&String| node(name, String::new(), "process");
    let mut nodes: Vec<Node> = processes.iter().map(process).collect();
    nodes.extend(channels.iter().map(|channel| node(&channel.name, channel.note.clone(), channel.kind)));
    let of_edge = |&(from, to): &(usize, usize)| {
        let channel = &channels[from.max(to) - processes.len()];
        let width = |bound: u64| 1.4 + (1.0 + bound.min(1 << 20) as f64).log2() * 0.9;
        // What has no bound is as wide as what has a large one.
        let bound = if channel.kind == "unbounded" { Some(31) } else { channel.at_most };
        (channel.kind, width(bound.unwrap_or(0)))
    };
    Some(laid_out(nodes, &edges, of_edge))
}

fn node(name: &str, note: String, kind: &'static str) -> Node {
    let mut label: String = name.chars().filter(|c| !c.is_control()).take(LONG_NAME).collect();
    if name.chars().count() > LONG_NAME {
        label.push('…');
    }
    let letters = label.chars().count().max(note.chars().count());
    let height = if note.is_empty() { HEIGHT } else { HEIGHT + 8.0 };
    Node { label, note, kind, x: 0.0, y: 0.0, width: 26.0 + LETTER * letters as f64, height }
}

/// Channels that differ in their indices only become one, if there are many.
fn without_indices(channels: &[Channel]) -> Vec<Channel> {
    if channels.len() <= MANY / 4 {
        return channels.to_vec();
    }
    let mut kinds: Vec<(Channel, usize)> = Vec::new();
    for channel in channels {
        let outside = channel.name.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
        let name = outside.collect::<Vec<_>>().join("[*]");
        let alike = kinds.iter_mut().find(|(kind, _)| kind.name == name && kind.kind == channel.kind);
        match alike {
            Some((kind, count)) => {
                *count += 1;
                kind.at_most = kind.at_most.max(channel.at_most);
                for (all, more) in [(&mut kind.senders, &channel.senders), (&mut kind.receivers, &channel.receivers)] {
                    more.iter().for_each(|name| {
                        if !all.contains(name) {
                            all.push(name.clone())
                        }
                    });
                }
            }
            None => kinds.push((Channel { name, ..channel.clone() }, 1)),
        }
    }
    let named = |(kind, count): (Channel, usize)| match kind.at_most {
        Some(bound) if count > 1 => Channel { note: format!("{count} × ≤ {bound}"), ..kind },
        _ if count > 1 => Channel { note: format!("{count} × {}", kind.note), ..kind },
        _ => kind,
    };
    kinds.into_iter().map(named).collect()
}

/// The layers, from left to right; numbers from the count of nodes on are bends.
struct Layers {
    layer: Vec<usize>,
    order: Vec<Vec<usize>>,
    /// For each edge the nodes that it passes, from left to right, and whether it was turned around.
    chains: Vec<(Vec<usize>, bool)>,
}

fn laid_out(
    mut nodes: Vec<Node>,
    edges: &[(usize, usize)],
    of_edge: impl Fn(&(usize, usize)) -> (&'static str, f64),
) -> Picture {
    let mut layers = layered(nodes.len(), edges);
    layers.sort();
    let mut widths = vec![0.0f64; layers.order.len()];
    for (node, layer) in nodes.iter().zip(&layers.layer) {
        widths[*layer] = widths[*layer].max(node.width);
    }
    let lefts: Vec<f64> = widths
        .iter()
        .scan(16.0, |left, width| {
            let own = *left;
            *left += width + GAP;
            Some(own)
        })
        .collect();
    let rows = layers.order.iter().map(Vec::len).max().unwrap_or(0);
    let height = rows as f64 * ROW + 16.0;
    // The middle of every node and bend.
    let mut middle = vec![(0.0, 0.0); layers.layer.len()];
    for (layer, order) in layers.order.iter().enumerate() {
        let top = (height - order.len() as f64 * ROW) / 2.0;
        for (row, &node) in order.iter().enumerate() {
            middle[node] = (lefts[layer] + widths[layer] / 2.0, top + (row as f64 + 0.5) * ROW);
        }
    }
    for (node, &(x, y)) in nodes.iter_mut().zip(&middle) {
        (node.x, node.y) = (x - node.width / 2.0, y - node.height / 2.0);
    }
    let mut drawn = Vec::new();
    for (edge, (chain, turned)) in edges.iter().zip(&layers.chains) {
        let (kind, width) = of_edge(edge);
        let widths: Vec<f64> = chain.iter().map(|&node| widths[layers.layer[node]]).collect();
        drawn.push(Edge { path: path(chain, *turned, &nodes, &middle, &widths), kind, width });
    }
    let right = lefts.last().zip(widths.last()).map_or(0.0, |(left, width)| left + width);
    Picture { width: right + 16.0, height, nodes, edges: drawn }
}

/// Where every node is, and where edges bend.
fn layered(count: usize, edges: &[(usize, usize)]) -> Layers {
    let turned = against_the_order(count, edges);
    let forward: Vec<(usize, usize)> =
        edges.iter().zip(&turned).map(|(&(from, to), &turned)| if turned { (to, from) } else { (from, to) }).collect();
    let mut layer = vec![0; count];
    // A longest path has fewer edges than there are nodes.
    for _ in 0..count {
        forward.iter().for_each(|&(from, to)| layer[to] = layer[to].max(layer[from] + 1));
    }
    let mut chains = Vec::new();
    for (&(from, to), &turned) in forward.iter().zip(&turned) {
        let mut chain = vec![from];
        for between in layer[from] + 1..layer[to] {
            chain.push(layer.len());
            layer.push(between);
        }
        chain.push(to);
        chains.push((chain, turned));
    }
    let mut order = vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)];
    layer.iter().enumerate().for_each(|(node, &layer)| order[layer].push(node));
    Layers { layer, order, chains }
}

/// For each edge, whether it is against an order that has few such edges: who is only received from comes last, who only sends
/// comes first, and if there is neither, the one that sends most and receives least comes next.
fn against_the_order(count: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut left: BTreeSet<usize> = (0..count).collect();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let mut degrees = vec![(0i64, 0i64); count];
        for &(from, to) in edges.iter().filter(|(from, to)| left.contains(from) && left.contains(to)) {
            (degrees[from].0, degrees[to].1) = (degrees[from].0 + 1, degrees[to].1 + 1);
        }
        let next: Vec<(usize, (i64, i64))> = left.iter().map(|&node| (node, degrees[node])).collect();
        let sink = next.iter().find(|(_, (out, into))| *out == 0 && *into > 0);
        let source = next.iter().find(|(_, (_, into))| *into == 0);
        let most = next.iter().max_by_key(|(node, (out, into))| (out - into, std::cmp::Reverse(*node)));
        let Some(&(node, _)) = sink.or(source).or(most) else { break };
        left.remove(&node);
        if sink.is_some() { last.push(node) } else { first.push(node) }
    }
    let mut place = vec![0; count];
    first.iter().chain(last.iter().rev()).enumerate().for_each(|(position, &node)| place[node] = position);
    edges.iter().map(|&(from, to)| place[from] > place[to]).collect()
}

impl Layers {
    /// Sorts every layer by the mean position of the neighbours in the layer before, then in the layer behind, and so on.
    fn sort(&mut self) {
        let links: Vec<(usize, usize)> =
            self.chains.iter().flat_map(|(chain, _)| chain.windows(2).map(|pair| (pair[0], pair[1]))).collect();
        let last = self.order.len();
        for sweep in 0..SWEEPS {
            let forward = sweep % 2 == 0;
            for step in 1..last {
                let layer = if forward { step } else { last - 1 - step };
                let mut position = vec![0.0; self.layer.len()];
                for order in &self.order {
                    let middle = order.len() as f64 / 2.0;
                    order.iter().enumerate().for_each(|(row, &node)| position[node] = row as f64 - middle);
                }
                let mean = |node: usize| {
                    let of = |&(left, right): &(usize, usize)| match forward {
                        true => (right == node).then(|| position[left]),
                        false => (left == node).then(|| position[right]),
                    };
                    let near: Vec<f64> = links.iter().filter_map(of).collect();
                    if near.is_empty() { position[node] } else { near.iter().sum::<f64>() / near.len() as f64 }
                };
                let mut order: Vec<(f64, usize)> = self.order[layer].iter().map(|&node| (mean(node), node)).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.order[layer] = order.into_iter().map(|(_, node)| node).collect();
            }
        }
    }
}

/// A curve from the side of one node to the side of another, straight through the layers between them; at its end is room for
/// the arrow.
fn path(chain: &[usize], turned: bool, nodes: &[Node], middle: &[(f64, f64)], widths: &[f64]) -> String {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let last = chain.len() - 1;
    for (position, (&node, width)) in chain.iter().zip(widths).enumerate() {
        let (x, y) = middle[node];
        let half = nodes.get(node).map_or(width / 2.0, |node| node.width / 2.0);
        // An edge that was turned around keeps apart from the one that was not.
        let apart = if turned && (position == 0 || position == last) { 7.0 } else { 0.0 };
        if position > 0 {
            let tip = if position == last && !turned { 7.0 } else { 0.0 };
            points.push((x - half - tip, y + apart));
        }
        if position < last {
            let tip = if position == 0 && turned { 7.0 } else { 0.0 };
            points.push((x + half + tip, y + apart));
        }
    }
    if turned {
        points.reverse();
    }
    let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    for (index, pair) in points.windows(2).enumerate() {
        let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
        let bend = (x1 + x2) / 2.0;
        // Every second piece passes a layer.
        let _ = match index % 2 {
            1 => write!(path, "H{x2:.1}"),
            _ => write!(path, "C{bend:.1} {y1:.1} {bend:.1} {y2:.1} {x2:.1} {y2:.1}"),
        };
    }
    path
}

const SVG_STYLE: &str = "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;text-anchor:middle;fill:#17212b}\
    .note{font-size:11px;fill:#5a6876}rect{fill:#eef2f6;stroke:#5a6876;stroke-width:1.2}.process{fill:#fff;stroke:#17212b;stroke-width:1.5}\
    .process+text{font-weight:600}.bounded{fill:#e4f5e9;stroke:#1b7f3b}.unbounded{fill:#fdeae8;stroke:#c2261d}\
    .unbounded~.note{fill:#c2261d;font-weight:600}.inconclusive{fill:#fff3d9;stroke:#9a5b00}\
    path{fill:none;stroke:#5a6876;stroke-opacity:.75}path.bounded{fill:none;stroke:#5a6876}path.unbounded{fill:none;stroke:#c2261d}\
    path.inconclusive{fill:none;stroke:#9a5b00;stroke-dasharray:5 4}\
    @media(prefers-color-scheme:dark){svg{background:#161e27}text{fill:#e4ebf2}.note{fill:#98a7b6}rect{fill:#1f2a35;stroke:#98a7b6}\
    .process{fill:#161e27;stroke:#e4ebf2}.bounded{fill:#14301d;stroke:#6fd58c}.unbounded{fill:#3a1a1b;stroke:#ff8a80}\
    .unbounded~.note{fill:#ff8a80}.inconclusive{fill:#352912;stroke:#ffc766}\
    path,path.bounded{stroke:#98a7b6}path.unbounded{stroke:#ff8a80}path.inconclusive{stroke:#ffc766}}";

impl Picture {
    /// A file that a browser shows.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>{SVG_STYLE}</style>\n<defs><marker id=\"tip\" \
             viewBox=\"0 0 8 8\" refX=\"1\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" \
             orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:context-stroke;stroke:none\"/></marker></defs>\n"
        );
        for Edge { path, kind, width } in &self.edges {
            let _ = writeln!(
                svg,
                "<path class=\"{kind}\" d=\"{path}\" stroke-width=\"{width:.1}\" marker-end=\"url(#tip)\"/>"
            );
        }
        for Node { label, note, kind, x, y, width, height } in &self.nodes {
            let round = if *kind == "process" { 5.0 } else { height / 2.0 };
            let (middle, line) = (x + width / 2.0, y + height / 2.0 + if note.is_empty() { 4.5 } else { -2.0 });
            let _ = write!(
                svg,
                "<g><rect class=\"{kind}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{round:.1}\"/>\
                 <text x=\"{middle:.1}\" y=\"{line:.1}\">{}</text>",
                escaped(label)
            );
            if !note.is_empty() {
                let below = line + 14.0;
                let _ = write!(svg, "<text class=\"note\" x=\"{middle:.1}\" y=\"{below:.1}\">{}</text>", escaped(note));
            }
            svg += "</g>\n";
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, from: &str, to: &str) -> Channel {
        let (senders, receivers) = (vec![String::from(from)], vec![String::from(to)]);
        Channel {
            name: String::from(name),
            kind: "bounded",
            at_most: Some(3),
            senders,
            receivers,
            ..Channel::default()
        }
    }

    #[test]
    fn a_pipeline_is_laid_out_from_left_to_right() {
        let picture = of(&[one("a", "P", "Q"), one("b", "Q", "R")]).unwrap();
        let x = |label: &str| picture.nodes.iter().find(|node| node.label == label).unwrap().x;
        assert!(x("P") < x("a") && x("a") < x("Q") && x("Q") < x("b") && x("b") < x("R"), "{picture:?}");
        assert_eq!(picture.edges.len(), 4);
    }

    #[test]
    fn nodes_never_overlap() {
        let names = ["A", "B", "C", "D", "E"];
        let all = names.iter().flat_map(|from| names.iter().map(move |to| one(&format!("{from}{to}"), from, to)));
        let some: Vec<Channel> = all.take(20).collect();
        let picture = of(&some).unwrap();
        assert_eq!(picture.nodes.len(), 25);
        for (position, a) in picture.nodes.iter().enumerate() {
            assert!(a.x >= 0.0 && a.x + a.width <= picture.width && a.y >= 0.0 && a.y + a.height <= picture.height);
            for b in &picture.nodes[position + 1..] {
                let apart =
                    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
                assert!(apart, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_thousand_channels_of_one_array_are_one_node_and_names_are_text() {
        let many: Vec<Channel> = (0..1000).map(|n| one(&format!("<q>[{n}]"), "P", "Q")).collect();
        let picture = of(&many).unwrap();
        assert_eq!(picture.nodes.len(), 3);
        let svg = picture.svg();
        assert!(svg.contains("&lt;q&gt;[*]") && svg.contains("1000 × ≤ 3") && !svg.contains("<q>"), "{svg}");
    }
}
