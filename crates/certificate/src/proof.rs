//! The proof of the flow engine as JSON, and read back: as `model::flow_proof` has it, but for the ranking.
//!
//! A ranking is a tree, and may be a chain of thousands of stages. JSON that is nested so deep is refused by most
//! readers (ours stops at 128 levels). So a document has it as a list, in which a stage names those that come after it
//! by their numbers:
//!
//! ```text
//! "ranking": ["empty", {"bounded":{"weights":{…}}}, {"split":{"part":{"instance":0},"groups":[0,1],"cases":[1,0]}}]
//! ```
//! The last stage is the first one to look at, and a stage leads only to stages that stand before it: what refers to
//! itself, or to what is not there yet, is refused. So is a stage that two others lead to, with which a short document
//! would stand for an endless tree, and one that no one leads to. Everything here is done with lists, not with
//! recursion; still the tree is, in the end, taken apart by recursion (when it is dropped), and so there is a limit on
//! its depth.

use crate::parse::{DocumentError, need};
use model::flow_proof::{Abstraction, Bound, FlowProof, History, Part, Progress, Ranking, Weights};
use serde::{Deserialize, Serialize};

/// A ranking with more stages than this inside each other is not read.
const DEEPEST: usize = 4096;

/// What a result says about a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct ProofSummary {
    /// Kinds of messages that have weights.
    messages: usize,
    /// Stages of the ranking.
    stages: usize,
    /// Queues with a bound.
    bounds: usize,
}

/// How large a proof is.
pub(crate) fn summary(proof: &FlowProof) -> ProofSummary {
    let claimed = proof.abstraction.queues.iter().filter(|queue| queue.claimed);
    let (listed, _) = listed(&proof.ranking);
    ProofSummary {
        messages: claimed.map(|queue| queue.atoms.len()).sum(),
        stages: listed.iter().filter(|stage| !matches!(stage, Ranking::Empty)).count(),
        bounds: proof.bounds.len() + proof.abstraction.linear.bounds.len(),
    }
}

/// A proof, as a document has it.
#[derive(Serialize)]
pub(crate) struct ProofJson<'a> {
    abstraction: &'a Abstraction,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<&'a Progress>,
    ranking: Vec<StageJson<'a>>,
    bounds: &'a [Bound],
    bound_weights: &'a [Weights],
    #[serde(skip_serializing_if = "<[History]>::is_empty")]
    histories: &'a [History],
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum StageJson<'a> {
    Empty,
    Bounded { weights: &'a Weights },
    Lose { weights: &'a Weights, then: usize },
    Split { part: Part, groups: &'a [u32], cases: Vec<usize> },
}

/// A proof as JSON.
pub(crate) fn proof_json(proof: &FlowProof) -> ProofJson<'_> {
    ProofJson {
        abstraction: &proof.abstraction,
        progress: proof.progress.as_ref(),
        ranking: stages(&proof.ranking),
        bounds: &proof.bounds,
        bound_weights: &proof.bound_weights,
        histories: &proof.histories,
    }
}

/// All stages, level by level, so that those a stage leads to come after it; and for each where they begin.
fn listed(root: &Ranking) -> (Vec<&Ranking>, Vec<usize>) {
    let (mut found, mut begins) = (vec![root], Vec::new());
    while let Some(&ranking) = found.get(begins.len()) {
        begins.push(found.len());
        match ranking {
            Ranking::Empty | Ranking::Bounded(_) => {}
            Ranking::Lose(_, then) => found.push(then),
            Ranking::Split { cases, .. } => found.extend(cases),
        }
    }
    (found, begins)
}

/// The stages of a ranking from the last to the first.
fn stages(root: &Ranking) -> Vec<StageJson<'_>> {
    let (found, begins) = listed(root);
    let last = found.len() - 1;
    let backwards = found.iter().zip(begins).rev();
    backwards.map(|(ranking, begin)| stage(ranking, last.saturating_sub(begin))).collect()
}

/// One stage; `first` is the number of the first one that it leads to, the others have smaller ones.
fn stage(ranking: &Ranking, first: usize) -> StageJson<'_> {
    match ranking {
        Ranking::Empty => StageJson::Empty,
        Ranking::Bounded(weights) => StageJson::Bounded { weights },
        Ranking::Lose(weights, _) => StageJson::Lose { weights, then: first },
        Ranking::Split { part, groups, cases } => {
            StageJson::Split { part: *part, groups, cases: (0..cases.len()).map(|case| first - case).collect() }
        }
    }
}

/// A proof on the way in.
#[derive(Deserialize)]
pub(crate) struct RawProof {
    abstraction: Option<Abstraction>,
    progress: Option<Progress>,
    ranking: Option<Vec<RawStage>>,
    bounds: Option<Vec<Bound>>,
    bound_weights: Option<Vec<Weights>>,
    #[serde(default)]
    histories: Vec<History>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawStage {
    Empty,
    Bounded { weights: Weights },
    Lose { weights: Weights, then: usize },
    Split { part: Part, groups: Vec<u32>, cases: Vec<usize> },
}

/// The proof that stands in a field of a document.
pub(crate) fn proof_of(field: &str, raw: RawProof) -> Result<FlowProof, DocumentError> {
    let inner = |name: &str| format!("{field}.{name}");
    let stages = need(raw.ranking, || inner("ranking"))?;
    Ok(FlowProof {
        abstraction: need(raw.abstraction, || inner("abstraction"))?,
        progress: raw.progress,
        ranking: ranking_of(&inner("ranking"), stages)?,
        bounds: need(raw.bounds, || inner("bounds"))?,
        bound_weights: need(raw.bound_weights, || inner("bound_weights"))?,
        histories: raw.histories,
    })
}

/// A part of the tree that has been put together, and how deep it is.
struct Built {
    ranking: Ranking,
    depth: usize,
}

fn ranking_of(field: &str, stages: Vec<RawStage>) -> Result<Ranking, DocumentError> {
    let mut built = Vec::with_capacity(stages.len());
    for (number, stage) in stages.into_iter().enumerate() {
        let next = build(&format!("{field}[{number}]"), stage, &mut built)?;
        built.push(Some(next));
    }
    let root = built.pop().flatten();
    if let Some(number) = built.iter().position(Option::is_some) {
        let expected = "a stage that another one leads to";
        return Err(DocumentError::Value { field: format!("{field}[{number}]"), found: "unused".into(), expected });
    }
    need(root, || format!("{field}[0]")).map(|root| root.ranking)
}

fn build(field: &str, stage: RawStage, built: &mut [Option<Built>]) -> Result<Built, DocumentError> {
    let mut depth = 1;
    let mut take = |name: String, number: usize| {
        let part = built.get_mut(number).and_then(Option::take).ok_or_else(|| astray(field, &name, number))?;
        depth = depth.max(part.depth + 1);
        Ok::<_, DocumentError>(part.ranking)
    };
    let ranking = match stage {
        RawStage::Empty => Ranking::Empty,
        RawStage::Bounded { weights } => Ranking::Bounded(weights),
        RawStage::Lose { weights, then } => Ranking::Lose(weights, Box::new(take("lose.then".into(), then)?)),
        RawStage::Split { part, groups, cases } => {
            let cases =
                cases.into_iter().enumerate().map(|(case, number)| take(format!("split.cases[{case}]"), number));
            Ranking::Split { part, groups, cases: cases.collect::<Result<_, _>>()? }
        }
    };
    if depth > DEEPEST {
        let (field, found) = (String::from(field), format!("{depth} stages deep"));
        return Err(DocumentError::Value { field, found, expected: "at most 4096 stages inside each other" });
    }
    Ok(Built { ranking, depth })
}

/// A stage leads to one that does not stand before it, or that another stage leads to already.
fn astray(field: &str, name: &str, number: usize) -> DocumentError {
    let expected = "the number of an earlier stage to which no other leads";
    DocumentError::Value { field: format!("{field}.{name}"), found: number.to_string(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::flow_proof::{Atom, Instance, Node, Origin, Point, Queue, QueueKey, Values};
    use model::runs::Runs;

    /// A small proof.
    fn sample() -> FlowProof {
        let key = QueueKey { instance: None, variable: 0, element: 0 };
        let atom = Atom { classes: vec![0, 0], values: vec![Values::Set(vec![2]), Values::Range(0, 255)] };
        let nodes =
            vec![Node { at: Point::Location(3), values: Vec::new() }, Node { at: Point::Gone, values: Vec::new() }];
        let weights = Weights {
            messages: [(0, vec![1])].into(),
            nodes: [(0, [2, 0].into_iter().collect())].into(),
            ..Weights::default()
        };
        FlowProof {
            abstraction: Abstraction {
                globals: vec![Values::Queues(vec![0])],
                queues: vec![Queue { key, constants: vec![vec![2], Vec::new()], atoms: vec![atom], claimed: true }],
                instances: vec![Instance {
                    machine: 0,
                    origin: Origin::Initial(0),
                    many: false,
                    folded: Vec::new(),
                    nodes,
                    first: vec![0],
                    levels: Runs::default(),
                }],
                ..Abstraction::default()
            },
            progress: None,
            ranking: Ranking::Lose(weights.clone(), Box::new(Ranking::Bounded(weights.clone()))),
            bounds: vec![Bound { queue: 0, atoms: Vec::new(), at_most: 2, weights: 0, unit: 1 }],
            bound_weights: vec![weights],
            histories: vec![History { machine: 0, marks: vec![(1, 1)], never: vec![(2, 1)] }],
        }
    }

    fn written(proof: &FlowProof) -> String {
        serde_json::to_string(&proof_json(proof)).unwrap()
    }

    fn read(text: &str) -> Result<FlowProof, DocumentError> {
        proof_of("proof", serde_json::from_str(text)?)
    }

    fn with_ranking(ranking: Ranking) -> FlowProof {
        FlowProof { ranking, ..sample() }
    }

    fn chain(length: usize) -> Ranking {
        (1..length).fold(Ranking::Empty, |then, _| Ranking::Lose(Weights::default(), Box::new(then)))
    }

    /// What is said about a ranking.
    fn message(stages: &str) -> String {
        let stages = stages.replace('W', r#"{"messages":{},"nodes":{},"values":{},"numbers":{}}"#);
        let text = format!(
            r#"{{"abstraction":{{"globals":[],"queues":[],"instances":[],"creations":[],"followed":[],"numbers":[]}},
                "ranking":{stages},"bounds":[],"bound_weights":[]}}"#
        );
        read(&text).map_or_else(|error| error.to_string(), |_| String::from("read"))
    }

    #[test]
    fn a_proof_that_was_written_is_read_back() {
        let proof = sample();
        insta::assert_snapshot!(written(&proof), @r#"{"abstraction":{"globals":[{"queues":[0]}],"queues":[{"key":{"instance":null,"variable":0,"element":0},"constants":[[2],[]],"atoms":[{"classes":[0,0],"values":[{"set":[2]},{"range":[0,255]}]}],"claimed":true}],"instances":[{"machine":0,"origin":{"initial":0},"many":false,"folded":[],"nodes":[{"at":{"location":3},"values":[]},{"at":"gone","values":[]}],"first":[0]}],"creations":[],"followed":[],"numbers":[]},"ranking":[{"bounded":{"weights":{"messages":{"0":[1]},"nodes":{"0":[[1,2],[1,0]]},"values":{},"numbers":{}}}},{"lose":{"weights":{"messages":{"0":[1]},"nodes":{"0":[[1,2],[1,0]]},"values":{},"numbers":{}},"then":0}}],"bounds":[{"queue":0,"at_most":2,"weights":0,"unit":1}],"bound_weights":[{"messages":{"0":[1]},"nodes":{"0":[[1,2],[1,0]]},"values":{},"numbers":{}}],"histories":[{"machine":0,"marks":[[1,1]],"never":[[2,1]]}]}"#);
        assert_eq!(read(&written(&proof)).unwrap(), proof);
        let progress = Some(Progress { events: vec![String::from("q?ack")] });
        let livelock = FlowProof { progress, ..with_ranking(Ranking::Empty) };
        assert_eq!(read(&written(&livelock)).unwrap(), livelock);
    }

    #[test]
    fn the_stages_of_a_tree_keep_their_order() {
        let split = |cases| Ranking::Split { part: Part::Instance(1), groups: vec![0, 1, 1], cases };
        let tree = split(vec![chain(3), split(vec![Ranking::Bounded(Weights::default()), Ranking::Empty]), chain(2)]);
        let proof = with_ranking(tree);
        assert_eq!(read(&written(&proof)).unwrap(), proof);
        assert_eq!(summary(&proof), ProofSummary { messages: 1, stages: 6, bounds: 1 });
    }

    #[test]
    fn a_deep_ranking_is_read_back_and_a_deeper_one_is_refused() {
        let deep = with_ranking(chain(DEEPEST));
        assert_eq!(read(&written(&deep)).unwrap(), deep);
        let message = read(&written(&with_ranking(chain(DEEPEST + 1)))).unwrap_err().to_string();
        assert!(message.starts_with("the field `proof.ranking[4096]` is `4097 stages deep`"), "{message}");
    }

    #[test]
    fn a_ranking_that_is_no_tree_is_refused() {
        let astray = |field: &str, number: usize| {
            let expected = "the number of an earlier stage to which no other leads";
            format!("the field `proof.ranking{field}` is `{number}`, expected {expected}")
        };
        assert_eq!(message(r#"["empty",{"lose":{"weights":W,"then":0}}]"#), "read");
        assert_eq!(message(r#"[{"lose":{"weights":W,"then":0}}]"#), astray("[0].lose.then", 0));
        assert_eq!(message(r#"[{"lose":{"weights":W,"then":1}},"empty"]"#), astray("[0].lose.then", 1));
        let twice = r#"["empty",{"split":{"part":{"instance":0},"groups":[],"cases":[0,0]}}]"#;
        assert_eq!(message(twice), astray("[1].split.cases[1]", 0));
        assert_eq!(message("[]"), "the field `proof.ranking[0]` is missing");
        assert_eq!(
            message(r#"["empty","empty"]"#),
            "the field `proof.ranking[0]` is `unused`, expected a stage that another one leads to"
        );
    }

    #[test]
    fn a_proof_that_lacks_something_says_what() {
        let good = written(&sample());
        let message = |text: &str| read(text).unwrap_err().to_string();
        for name in ["abstraction", "ranking", "bounds", "bound_weights"] {
            let bad = good.replacen(&format!("\"{name}\""), "\"other\"", 1);
            assert_eq!(message(&bad), format!("the field `proof.{name}` is missing"));
        }
        let bad = message(&good.replace("\"claimed\"", "\"blamed\""));
        assert!(bad.contains("missing field `claimed` at line 1 column"), "{bad}");
        for end in 0..good.len() {
            assert!(read(&good[..end]).is_err());
        }
    }
}
