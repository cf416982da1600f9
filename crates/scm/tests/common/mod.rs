//! A naive twin of the engines: configurations spelled out, steps by the book, regular expressions by backtracking.
//!
//! It reads nothing but the network's edges (Definition 2.3 of the McScM paper), so that it can be compared with
//! `model::semantics`, and it says what an example can be expected to do before any engine does.

#![allow(dead_code)]

use model::expr::{Expr, Pattern};
use model::ids::LocationId;
use model::network::{Action, Network};
use scm::{Model, Regex, Specification};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

/// A configuration: where the machines are, and what is in the queues.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Configuration {
    pub locations: Vec<LocationId>,
    pub queues: Vec<Vec<i32>>,
}

pub fn initial(network: &Network) -> Configuration {
    Configuration {
        locations: network.instances.iter().map(|i| network.machine(i.machine).initial).collect(),
        queues: vec![Vec::new(); network.variables.len()],
    }
}

/// What an edge does: channel, whether it sends, message.
pub fn action(action: &Action) -> Option<(usize, bool, i32)> {
    let index = |e: &Expr| match e {
        Expr::Read(place) => place.variable.index(),
        other => panic!("not a channel: {other:?}"),
    };
    match action {
        Action::Skip => None,
        Action::Send { channel, message, .. } => Some((index(channel), true, message[0].constant().unwrap())),
        Action::Receive { channel, pattern, .. } => match &pattern[0] {
            Pattern::Match(e) => Some((index(channel), false, e.constant().unwrap())),
            other => panic!("{other:?}"),
        },
        other => panic!("not a plain action: {other:?}"),
    }
}

pub fn successors(network: &Network, from: &Configuration) -> Vec<Configuration> {
    let mut found = Vec::new();
    for (process, instance) in network.instances.iter().enumerate() {
        for edge in network.machine(instance.machine).edges_from(from.locations[process]) {
            let mut next = from.clone();
            next.locations[process] = edge.to;
            match action(&edge.action) {
                None => {}
                Some((channel, true, message)) => next.queues[channel].push(message),
                Some((channel, false, message)) => {
                    if from.queues[channel].first() != Some(&message) {
                        continue;
                    }
                    next.queues[channel].remove(0);
                }
            }
            found.push(next);
        }
    }
    for (channel, queue) in from.queues.iter().enumerate() {
        for position in 0..queue.len() {
            if network.channel_types[channel].lossy {
                let mut next = from.clone();
                next.queues[channel].remove(position);
                found.push(next);
            }
        }
    }
    found
}

/// Whether a word is in a language: all the suffixes that can be left over.
pub fn rests<'w>(regex: &Regex, word: &'w [i32]) -> Vec<&'w [i32]> {
    let mut found: Vec<&[i32]> = match regex {
        Regex::Empty => vec![word],
        Regex::Message(value) => word.strip_prefix(&[*value]).into_iter().collect(),
        Regex::Separator => word.strip_prefix(&[0]).into_iter().collect(),
        Regex::Concat(parts) => {
            parts.iter().fold(vec![word], |words, part| words.into_iter().flat_map(|word| rests(part, word)).collect())
        }
        Regex::Union(parts) => parts.iter().flat_map(|part| rests(part, word)).collect(),
        Regex::Star(inner) => repeated(inner, vec![word]),
        Regex::Plus(inner) => repeated(inner, rests(inner, word)),
    };
    found.sort_by_key(|rest| rest.len());
    found.dedup_by_key(|rest| rest.len());
    found
}

fn repeated<'w>(inner: &Regex, mut found: Vec<&'w [i32]>) -> Vec<&'w [i32]> {
    let mut next = 0;
    while next < found.len() {
        for rest in rests(inner, found[next]) {
            if !found.iter().any(|other| other.len() == rest.len()) {
                found.push(rest);
            }
        }
        next += 1;
    }
    found
}

pub fn is_bad(specification: &Specification, configuration: &Configuration) -> bool {
    specification.bad.iter().any(|bad| {
        bad.covers(&configuration.locations)
            && bad.queues.as_ref().is_none_or(|language| {
                let word = configuration.queues.join(&0);
                rests(&language.regex, &word).iter().any(|rest| rest.is_empty())
            })
    })
}

/// What a search found.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// The length of the shortest run to a bad configuration.
    Bad(usize),
    /// Nothing; so many configurations were seen.
    Nothing(usize),
}

/// Breadth-first search over configurations whose queues are no longer than `longest`.
pub fn search(model: &Model, longest: usize, most: usize) -> Found {
    let mut depth: HashMap<Configuration, usize> = HashMap::new();
    let mut waiting: VecDeque<(&Network, Configuration)> = VecDeque::new();
    let network = &model.network;
    let first = initial(network);
    depth.insert(first.clone(), 0);
    waiting.push_back((network, first));
    while let Some((network, configuration)) = waiting.pop_front() {
        let steps = depth[&configuration];
        if is_bad(&model.specification, &configuration) {
            return Found::Bad(steps);
        }
        for next in successors(network, &configuration) {
            let short = next.queues.iter().all(|queue| queue.len() <= longest);
            if short && depth.len() < most && !depth.contains_key(&next) {
                depth.insert(next.clone(), steps + 1);
                waiting.push_back((network, next));
            }
        }
    }
    Found::Nothing(depth.len())
}

/// The folder of examples.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scm")
}

/// The published models, where they are at hand.
pub fn published() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/scm");
    files(&folder)
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "scm"));
    files.sort();
    files
}

pub fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Reads a text that has nothing wrong with it.
pub fn valid(name: &str, text: &str) -> Model {
    let read = scm::read(name, text);
    let said: Vec<String> = read
        .diagnostics
        .iter()
        .map(|d| format!("{}: {} {}", read.sources.describe(d.primary.span), d.code, d.message))
        .collect();
    read.model.unwrap_or_else(|| panic!("{}", said.join("\n")))
}

pub fn load(path: &Path) -> Model {
    valid(&path.display().to_string(), &std::fs::read_to_string(path).unwrap())
}

pub use testing::Random;
