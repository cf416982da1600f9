//! Random models from the whole grammar of Promela, small enough for both checkers to search completely.
//!
//! A model leaves out a random part of the features (swarm testing), so that the rest is dense, and favours a pair that
//! the table of pairs does not have yet. What SPIN refuses, and what `differences.md` lists, is avoided.

mod channels;
mod compound;
mod declarations;
mod expressions;
mod processes;
mod statements;

use crate::spin::random::Random;
use crate::spin::tree::{Feature, Node};
use std::collections::BTreeSet;

/// Every feature, in the order of the table.
#[rustfmt::skip]
pub const FEATURES: &[Feature] = &[
    "bit", "bool", "byte", "short", "int", "unsigned", "mtype", "mtype-named", "pid", "chan-variable", "limit-value",
    "typedef", "typedef-nested", "typedef-array-field", "typedef-array", "typedef-channel",
    "array", "array-computed-index", "array-initialiser", "show", "local-prefix", "hidden",
    "param-bit", "param-bool", "param-byte", "param-short", "param-int", "param-mtype", "param-pid", "param-chan",
    "param-typedef", "param-typedef-channel", "active-parameter",
    "channel", "rendezvous", "channel-array", "channel-local", "channel-local-array", "channel-in-block",
    "channel-in-inline", "channel-of-channels", "channel-of-typedef", "multi-field", "xr-xs",
    "send", "send-sorted", "send-paren", "receive", "receive-random", "receive-peek", "receive-random-peek",
    "receive-constant", "receive-eval", "receive-wildcard", "poll", "poll-random", "full", "empty", "nfull", "nempty",
    "len", "assign", "increment", "decrement", "expression", "assert", "printf", "skip", "goto", "goto-back", "break",
    "run", "run-expression", "run-in-loop", "select", "for-range", "for-array", "for-channel", "atomic", "d_step",
    "block", "block-declaration", "if", "do", "else", "timeout", "unless", "inline", "inline-nested", "macro", "arrow",
    "label", "label-end", "label-progress", "label-accept",
    "d_step-in-atomic", "atomic-in-d_step", "atomic-in-atomic", "unless-in-atomic", "unless-in-unless",
    "atomic-in-unless", "d_step-in-unless", "goto-out-of-atomic",
    "init", "active", "active-many", "provided", "priority", "run-priority", "set-priority", "get-priority",
    "remote-variable", "remote-label", "_pid", "_nr_pr", "enabled", "_last", "conditional", "shift", "division",
    "bitwise",
];

/// What else a model must have for a feature.
const NEEDS: &[(Feature, &[Feature])] = &[
    ("for-channel", &["typedef", "channel", "channel-of-typedef"]),
    ("channel-of-typedef", &["typedef", "channel"]),
    ("for-array", &["array"]),
    ("array-computed-index", &["array"]),
    ("array-initialiser", &["array"]),
    ("typedef-nested", &["typedef"]),
    ("typedef-array-field", &["typedef"]),
    ("typedef-array", &["typedef"]),
    ("typedef-channel", &["typedef"]),
    ("param-typedef", &["typedef", "run"]),
    ("param-typedef-channel", &["typedef", "typedef-channel", "param-typedef", "run"]),
    ("param-bit", &["run"]),
    ("param-bool", &["run"]),
    ("param-byte", &["run"]),
    ("param-short", &["run"]),
    ("param-int", &["run"]),
    ("param-mtype", &["run"]),
    ("param-pid", &["run"]),
    ("param-chan", &["run", "channel"]),
    ("run-in-loop", &["run"]),
    ("run-priority", &["run"]),
    ("goto-back", &["label"]),
    ("goto-out-of-atomic", &["goto", "atomic"]),
    ("d_step-in-atomic", &["d_step", "atomic"]),
    ("atomic-in-d_step", &["d_step", "atomic"]),
    ("atomic-in-atomic", &["atomic"]),
    ("unless-in-atomic", &["unless", "atomic"]),
    ("unless-in-unless", &["unless"]),
    ("atomic-in-unless", &["unless", "atomic"]),
    ("d_step-in-unless", &["unless", "d_step"]),
    ("inline-nested", &["inline"]),
    ("channel-in-inline", &["inline"]),
    ("channel-in-block", &["block", "block-declaration"]),
    ("channel-local-array", &["channel-local"]),
    ("channel-array", &["channel"]),
    ("channel-of-channels", &["channel"]),
    ("xr-xs", &["channel"]),
];

/// The type of a variable or of a field of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned(u32),
    Mtype,
    Named,
    Pid,
    /// A channel with the messages of this number.
    Chan(usize),
    /// A typedef of this number.
    Struct(usize),
}

/// A scalar that can be read, by its path.
#[derive(Clone, Debug)]
struct Var {
    path: String,
    kind: Kind,
    features: Vec<Feature>,
    /// A loop counter, which only its loop may change.
    fixed: bool,
    /// An element of an array of bits, which SPIN's verifier stores in a byte.
    wide_bit: bool,
    /// The path has an index that is no constant.
    computed: bool,
}

/// A channel, or a variable that has one.
#[derive(Clone, Debug)]
struct Chan {
    path: String,
    /// Which messages: the position in `Generator::messages`.
    messages: usize,
    /// `None`: a parameter or a variable.
    capacity: Option<usize>,
    features: Vec<Feature>,
}

/// A variable of a typedef.
#[derive(Clone, Debug)]
struct StructVar {
    path: String,
    typedef: usize,
    features: Vec<Feature>,
}

/// What is visible at a point of the text.
#[derive(Clone, Default)]
struct Scope {
    vars: Vec<Var>,
    chans: Vec<Chan>,
    structs: Vec<StructVar>,
    /// Arrays of scalars: name and length.
    arrays: Vec<(String, usize)>,
}

#[derive(Clone)]
struct Typedef {
    name: String,
    /// Name, type, length of an array.
    fields: Vec<(String, Kind, Option<usize>)>,
    /// Name, messages, capacity.
    channels: Vec<(String, usize, usize)>,
    features: Vec<Feature>,
}

/// A process type that can be run.
#[derive(Clone)]
struct Runnable {
    name: String,
    parameters: Vec<Kind>,
}

/// Where a statement stands.
#[derive(Clone, Copy, Default)]
struct Place {
    in_loop: bool,
    atomic: bool,
    d_step: bool,
    unless: bool,
    inline: bool,
    /// In a block, where SPIN refuses a label before the first statement.
    nested: bool,
    /// The loop around allows `break`.
    breakable: bool,
}

pub struct Generator {
    random: Random,
    absent: BTreeSet<Feature>,
    wanted: Vec<Feature>,
    scope: Scope,
    messages: Vec<Vec<Kind>>,
    typedefs: Vec<Typedef>,
    runnables: Vec<Runnable>,
    /// The first process, with the variables and labels that others may refer to.
    first: Option<(String, Vec<String>, Vec<String>)>,
    place: Place,
    /// Labels of the process that may be jumped back to.
    labels: Vec<String>,
    forward: Vec<String>,
    fresh: usize,
    /// Counters of bounded loops, declared at the beginning of the process.
    counters: Vec<String>,
    inlines: Vec<Node>,
    process: String,
    features: Vec<Feature>,
    used: Vec<String>,
    runs: usize,
    /// The number of the process, where it is known.
    own: Option<usize>,
    /// Hidden variables, which are only assigned.
    hidden: Vec<String>,
    /// A process claims a channel for itself; SPIN refuses a second claim.
    claims: bool,
    /// SPIN takes `full(c)` and its like only where a whole condition stands.
    probes: bool,
}

/// The model of a seed that favours `wanted`.
pub fn model(seed: u64, wanted: &[Feature]) -> Vec<Node> {
    let mut wanted = wanted.to_vec();
    for (feature, needs) in NEEDS {
        if wanted.contains(feature) {
            wanted.extend(needs.iter());
        }
    }
    let mut random = Random::new(seed);
    let dense = 25 + random.below(40);
    let absent = FEATURES.iter().copied().filter(|f| random.chance(dense) && !wanted.contains(f)).collect();
    let mut generator = Generator {
        random,
        absent,
        wanted,
        scope: Scope::default(),
        messages: Vec::new(),
        typedefs: Vec::new(),
        runnables: Vec::new(),
        first: None,
        place: Place::default(),
        labels: Vec::new(),
        forward: Vec::new(),
        fresh: 0,
        counters: Vec::new(),
        inlines: Vec::new(),
        process: String::new(),
        features: Vec::new(),
        used: Vec::new(),
        runs: 0,
        own: None,
        hidden: Vec::new(),
        claims: false,
        probes: false,
    };
    generator.settle_conflicts();
    generator.model()
}

impl Generator {
    fn on(&self, feature: Feature) -> bool {
        debug_assert!(FEATURES.contains(&feature), "{feature} is not in the table");
        !self.absent.contains(feature)
    }

    fn wants(&self, feature: Feature) -> bool {
        self.wanted.contains(&feature)
    }

    /// True with `percent`, more often for a wanted feature, never for an absent one.
    fn maybe(&mut self, feature: Feature, percent: usize) -> bool {
        let percent = if self.wants(feature) { percent.max(75) } else { percent };
        self.on(feature) && self.random.chance(percent)
    }

    /// SPIN refuses a rendezvous beside priorities and `enabled`.
    fn settle_conflicts(&mut self) {
        let priorities = ["priority", "run-priority", "set-priority", "get-priority"];
        let asynchronous = ["priority", "run-priority", "set-priority", "get-priority", "enabled"];
        let wanted = |list: &[Feature], wanted: &[Feature]| list.iter().any(|f| wanted.contains(f));
        if !wanted(&priorities, &self.wanted) && (wanted(&["rendezvous"], &self.wanted) || self.random.chance(75)) {
            self.absent.extend(priorities);
        }
        if !wanted(&["enabled"], &self.wanted) && (wanted(&["rendezvous"], &self.wanted) || self.random.chance(75)) {
            self.absent.insert("enabled");
        }
        if asynchronous.iter().any(|f| self.on(f)) {
            self.absent.insert("rendezvous");
        }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn uses(&mut self, feature: Feature) {
        debug_assert!(FEATURES.contains(&feature), "{feature} is not in the table");
        if !self.features.contains(&feature) {
            self.features.push(feature);
        }
    }

    /// A node with the features that were used since the last one.
    fn node(&mut self, head: impl Into<String>) -> Node {
        let mut node = Node::leaf(head);
        node.features = std::mem::take(&mut self.features);
        node.channels = std::mem::take(&mut self.used);
        node
    }
}
