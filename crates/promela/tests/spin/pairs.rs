//! Which pairs of features both checkers have executed: the table, its holes, and the log that keeps it.
//!
//! A pair counts when SPIN's verifier reaches both features in one process, or in statements about one channel.

use super::generate::FEATURES;
use super::impossible;
use super::tree::Feature;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

pub type Pair = (Feature, Feature);

#[derive(Default)]
pub struct Table {
    covered: BTreeSet<Pair>,
    log: Option<PathBuf>,
    /// The first seed that the log does not have.
    pub next: Option<u64>,
}

fn feature(name: &str) -> Option<Feature> {
    FEATURES.iter().copied().find(|f| *f == name)
}

/// `a+b` as a pair of features, in the order of the table.
pub fn pair(text: &str) -> Option<Pair> {
    let (a, b) = text.split_once('+')?;
    let (a, b) = (feature(a)?, feature(b)?);
    Some((a.min(b), a.max(b)))
}

pub fn name(pair: Option<Pair>) -> String {
    pair.map_or_else(|| "-".to_owned(), |(a, b)| format!("{a}+{b}"))
}

/// All pairs.
fn all() -> impl Iterator<Item = Pair> {
    FEATURES.iter().flat_map(|a| FEATURES.iter().map(move |b| (*a, *b))).filter(|(a, b)| a < b)
}

impl Table {
    /// The table that a log has; without one it is empty, and nothing is kept.
    pub fn load(log: Option<PathBuf>) -> Table {
        let mut table = Table { log, ..Table::default() };
        let text = table.log.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        for line in text.lines() {
            let mut cells = line.split('\t');
            let seed = cells.next().and_then(|s| s.parse::<u64>().ok());
            table.next = table.next.max(seed.map(|s| s + 1));
            table.covered.extend(cells.nth(2).unwrap_or_default().split(' ').filter_map(pair));
        }
        table
    }

    /// Counts the pairs of groups of features, and writes a line of the log.
    pub fn record(&mut self, seed: u64, wanted: Option<Pair>, outcome: &str, groups: &[Vec<Feature>]) {
        let mut new = Vec::new();
        for group in groups {
            for a in group {
                for b in group {
                    if a < b && self.covered.insert((a, b)) {
                        new.push(format!("{a}+{b}"));
                    }
                }
            }
        }
        if let Some(path) = &self.log {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let line = format!("{seed}\t{}\t{outcome}\t{}\n", name(wanted), new.join(" "));
            file.and_then(|mut f| f.write_all(line.as_bytes())).expect("the log can be written");
        }
    }

    pub fn holes(&self) -> Vec<Pair> {
        all().filter(|pair| impossible::why(*pair).is_none() && !self.covered.contains(pair)).collect()
    }

    /// The number of pairs, and for each feature the ones that it has not met; all of them with `HIGHWATER_PAIRS`.
    pub fn print(&self) {
        let holes = self.holes();
        let impossible = all().filter(|pair| impossible::why(*pair).is_some()).count();
        println!("{} pairs of features covered, {impossible} impossible, {} open", self.covered.len(), holes.len());
        if std::env::var_os("HIGHWATER_PAIRS").is_none() {
            return;
        }
        for feature in FEATURES {
            let other = |(a, b): &Pair| (feature == a).then_some(*b).or((feature == b).then_some(*a));
            let others: Vec<Feature> = holes.iter().filter_map(other).collect();
            if !others.is_empty() {
                println!("  {feature} ({}): {}", others.len(), others.join(" "));
            }
        }
    }
}
