//! Models that have a pair of features where a run reaches both.

use super::pairs::Pair;
use super::tree::{self, Node, Printed};
use super::{generate, judge};

/// How many models are generated for one that is compared, and how many of them are searched.
const CANDIDATES: u64 = 60;
const SEARCHED: usize = 6;

/// The model of a seed; for a pair, one of many candidates that reaches both features in one process, or in statements about
/// one channel, if there is one.
pub fn model(seed: u64, pair: Option<Pair>) -> Vec<Node> {
    let Some(pair) = pair else { return generate::model(seed, &[]) };
    let mut candidates: Vec<Vec<Node>> =
        (0..CANDIDATES).map(|n| generate::model(seed ^ n << 48, &[pair.0, pair.1])).collect();
    candidates.sort_by_cached_key(|model| distance(&tree::print(model), pair));
    let chosen = candidates[..SEARCHED].iter().position(|model| reaches(model, pair));
    candidates.swap_remove(chosen.unwrap_or(0))
}

/// Whether Highwater reaches both features; SPIN has the last word.
fn reaches(model: &[Node], (a, b): Pair) -> bool {
    let printed = tree::print(model);
    let Ok(Some(ours)) = judge::search(&printed.text) else { return false };
    let groups = tree::groups(&printed.occurrences, &ours.unreached);
    groups.iter().any(|group| group.contains(&a) && group.contains(&b))
}

/// How far the later one of two features is from the beginning of its process; where one channel has both, how far both
/// are from theirs.
fn distance(printed: &Printed, (a, b): Pair) -> usize {
    let start = |process: &str| printed.occurrences.iter().find(|o| o.process == process).map_or(0, |o| o.line);
    let of = |feature| printed.occurrences.iter().filter(move |o| o.feature == feature && !o.process.is_empty());
    let both = of(a).flat_map(|a| of(b).map(move |b| (a, b)));
    let far = both.filter_map(|(a, b)| {
        let (x, y) = (a.line.saturating_sub(start(&a.process)), b.line.saturating_sub(start(&b.process)));
        if a.process == b.process {
            return Some(x.max(y));
        }
        a.channels.iter().any(|c| b.channels.contains(c)).then_some(x + y)
    });
    far.min().unwrap_or(usize::MAX)
}
