//! The proof of the compose engine as JSON: a tree of abstractions, as a list.
//!
//! A tree may be as deep as there are components, and JSON inside JSON is read by recursion; so the nodes stand in a list,
//! parts before what is made of them, and the last one is the root. A node has a `component`, or `parts`, which are
//! places in the list; the numbers of `hidden` events; and `classes`: each is a state (one number for a leaf, a class of each
//! part else) with the number of its class behind it. The root may have `invariants`: for some components, the weight of each of
//! their states.

use crate::parse::{DocumentError, need};
use model::composition_proof::{CompositionProof, Invariant, Node, Parts};
use model::fairness::Fairness;
use serde::{Deserialize, Serialize};

/// A tree deeper than this is not read.
const DEEPEST: usize = 1 << 14;

/// A node of the list.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) struct NodeJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    component: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    classes: Vec<Vec<u32>>,
    /// Of the root only: sums that never change, by component and state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    invariants: Vec<Vec<(u32, Vec<i64>)>>,
}

/// How large a proof is.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PartitionsSummary {
    nodes: usize,
    classes: usize,
}

/// The list of a tree.
pub(crate) fn list(proof: &CompositionProof) -> Vec<NodeJson> {
    let mut list = Vec::new();
    // Roots of what is in the list so far and belongs to nothing yet.
    let mut open: Vec<usize> = Vec::new();
    for node in bottom_up(&proof.root) {
        let (component, parts) = match &node.parts {
            Parts::Component(number) => (Some(*number), None),
            Parts::Nodes(parts) => (None, Some(open.split_off(open.len() - parts.len()))),
        };
        open.push(list.len());
        let class = |(state, class): &(Vec<u32>, u32)| [state.as_slice(), &[*class]].concat();
        let classes = node.classes.iter().map(class).collect();
        list.push(NodeJson { component, parts, hidden: node.hidden.clone(), classes, invariants: Vec::new() });
    }
    if let Some(root) = list.last_mut() {
        root.invariants = proof.invariants.iter().map(|invariant| invariant.weights.clone()).collect();
    }
    list
}

/// How large a proof is.
pub(crate) fn summary(proof: &CompositionProof) -> PartitionsSummary {
    let nodes = bottom_up(&proof.root);
    PartitionsSummary { nodes: nodes.len(), classes: nodes.iter().map(|node| node.classes.len()).sum() }
}

/// The nodes of a tree, parts before what is made of them.
fn bottom_up(root: &Node) -> Vec<&Node> {
    let (mut order, mut work) = (Vec::new(), vec![root]);
    while let Some(node) = work.pop() {
        order.push(node);
        if let Parts::Nodes(parts) = &node.parts {
            work.extend(parts);
        }
    }
    order.reverse();
    order
}

/// The tree of a list; `field` is where the list stands.
pub(crate) fn tree(field: &str, list: Vec<NodeJson>) -> Result<CompositionProof, DocumentError> {
    let mut built: Vec<Option<(Node, usize)>> = Vec::with_capacity(list.len());
    let (last, mut invariants) = (list.len(), Vec::new());
    for (position, mut node) in list.into_iter().enumerate() {
        let place = format!("{field}[{position}]");
        if position + 1 == last {
            invariants = std::mem::take(&mut node.invariants);
        }
        if !node.invariants.is_empty() {
            return Err(wrong(format!("{place}.invariants"), "given", "invariants at the root only"));
        }
        let node = build(&place, node, &mut built)?;
        built.push(Some(node));
    }
    let root = built.pop().flatten();
    if let Some(unused) = built.iter().position(Option::is_some) {
        let expected = "a node that is a part of another";
        return Err(wrong(format!("{field}[{unused}]"), "unused", expected));
    }
    need(root, || format!("{field}[0]")).map(|(root, _)| {
        let invariants = invariants.into_iter().map(|weights| Invariant { weights }).collect();
        CompositionProof { root, invariants, fair: Fairness::None }
    })
}

fn build(place: &str, raw: NodeJson, built: &mut [Option<(Node, usize)>]) -> Result<(Node, usize), DocumentError> {
    let mut depth = 1;
    let parts = match (raw.component, raw.parts) {
        (Some(number), None) => Parts::Component(number),
        (None, Some(numbers)) => {
            let mut take = |number: usize| {
                let part = built.get_mut(number).and_then(Option::take);
                let expected = "the number of an earlier node that is a part of no other";
                let (part, below) = part.ok_or_else(|| wrong(format!("{place}.parts"), number, expected))?;
                depth = depth.max(below + 1);
                Ok(part)
            };
            Parts::Nodes(numbers.into_iter().map(&mut take).collect::<Result<_, DocumentError>>()?)
        }
        _ => return Err(wrong(String::from(place), "neither or both", "`component` or `parts`")),
    };
    if depth > DEEPEST {
        return Err(wrong(String::from(place), format!("{depth} nodes deep"), "at most 16384 nodes inside each other"));
    }
    let class = |mut numbers: Vec<u32>| numbers.pop().map(|class| (numbers, class));
    let classes: Option<Vec<_>> = raw.classes.into_iter().map(class).collect();
    let classes = classes.ok_or_else(|| wrong(format!("{place}.classes"), "[]", "a state and a class"))?;
    Ok((Node { parts, hidden: raw.hidden, classes }, depth))
}

fn wrong(field: String, found: impl ToString, expected: &'static str) -> DocumentError {
    DocumentError::Value { field, found: found.to_string(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(component: u32, classes: &[(u32, u32)]) -> Node {
        let classes = classes.iter().map(|&(state, class)| (vec![state], class)).collect();
        Node { parts: Parts::Component(component), hidden: Vec::new(), classes }
    }

    fn pair(one: Node, other: Node) -> Node {
        Node { parts: Parts::Nodes(vec![one, other]), hidden: vec![4], classes: vec![(vec![0, 7], 1)] }
    }

    fn read(text: &str) -> Result<CompositionProof, DocumentError> {
        tree("partitions", serde_json::from_str(text)?)
    }

    #[test]
    fn a_tree_that_was_written_is_read_back() {
        let root = pair(pair(leaf(2, &[(0, 7), (1, 7)]), leaf(0, &[])), leaf(1, &[]));
        let weights = vec![(0, vec![0, -1]), (2, vec![1, 0, 2])];
        let proof = CompositionProof { root, invariants: vec![Invariant { weights }], fair: Fairness::None };
        let text = serde_json::to_string(&list(&proof)).unwrap();
        insta::assert_snapshot!(text, @r#"[{"component":2,"classes":[[0,7],[1,7]]},{"component":0},{"parts":[0,1],"hidden":[4],"classes":[[0,7,1]]},{"component":1},{"parts":[2,3],"hidden":[4],"classes":[[0,7,1]],"invariants":[[[0,[0,-1]],[2,[1,0,2]]]]}]"#);
        assert_eq!(read(&text).unwrap(), proof);
        assert_eq!(summary(&proof), PartitionsSummary { nodes: 5, classes: 4 });
    }

    #[test]
    fn a_list_that_is_no_tree_is_refused() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        for (text, start) in [
            ("[]", "the field `partitions[0]` is missing"),
            (r#"[{"component":0},{"component":1}]"#, "the field `partitions[0]` is `unused`"),
            (r#"[{"component":0},{"parts":[0,0]}]"#, "the field `partitions[1].parts` is `0`"),
            (r#"[{"parts":[0]}]"#, "the field `partitions[0].parts` is `0`"),
            ("[{}]", "the field `partitions[0]` is `neither or both`"),
            (r#"[{"component":0,"classes":[[]]}]"#, "the field `partitions[0].classes` is `[]`"),
        ] {
            assert!(message(text).starts_with(start), "{text}: {}", message(text));
        }
    }
}
