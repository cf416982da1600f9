//! Comparisons of many models, in threads: those below a folder, random ones, and ones for pairs of features. The tests run few of
//! them, `benches/gpu.rs` runs them all on a device.

use crate::compare::{Compared, compare, read};
use crate::spin::{generate, tree};
use gpu::Compile;
use input::{Language, ReadOptions, System, Text};
use model::budget::Budget;
use model::network::Network;
use model::semantics::Reading;
use model::source::SourceMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The pairs of features that some model reaches, each after a seed.
const PAIRS: &str = include_str!("../../promela/tests/spin/cover.tsv");

/// A model, and what became of it.
#[derive(Debug)]
pub struct Row {
    pub name: String,
    pub result: Result<Compared, String>,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.result {
            Ok(Compared::Same(states, share)) => {
                write!(f, "{}: {states} states, the same, {:.2} % by the CPU", self.name, 100.0 * share)
            }
            Ok(Compared::Left(why)) => write!(f, "{}: left out: {why}", self.name),
            Err(difference) => write!(f, "{}: DIFFERENT: {difference}", self.name),
        }
    }
}

/// What became of many models.
#[derive(Debug, Default)]
pub struct Tally {
    pub same: usize,
    pub states: u64,
    pub by_the_cpu: f64,
    pub different: usize,
    pub left: BTreeMap<String, usize>,
}

impl Tally {
    pub fn of(rows: &[Row]) -> Tally {
        let mut tally = Tally::default();
        for row in rows {
            match &row.result {
                Ok(Compared::Same(states, share)) => {
                    (tally.same, tally.states) = (tally.same + 1, tally.states + states);
                    tally.by_the_cpu += *states as f64 * share;
                }
                Ok(Compared::Left(why)) => *tally.left.entry(why.clone()).or_default() += 1,
                Err(_) => tally.different += 1,
            }
        }
        tally
    }

    pub fn text(&self) -> String {
        let Tally { same, states, by_the_cpu, different, left } = self;
        let share = 100.0 * by_the_cpu / (*states).max(1) as f64;
        let left: Vec<String> = left.iter().map(|(why, count)| format!("{count}: {why}")).collect();
        let left = if left.is_empty() { String::from("none") } else { left.join("; ") };
        format!(
            "{same} models with {states} states are the same ({share:.1} % by the CPU), {different} differ; left out: {left}"
        )
    }
}

/// Does some work for each of so many numbers, in as many threads as there are processors. `HIGHWATER_SHOW` shows each row at once.
#[allow(clippy::print_stdout)]
fn each(count: usize, work: impl Fn(usize) -> Row + Sync) -> Vec<Row> {
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let show = std::env::var_os("HIGHWATER_SHOW").is_some();
    let threads = std::thread::available_parallelism().map_or(2, |threads| threads.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            // The readers of models recurse.
            let worker = std::thread::Builder::new().stack_size(64 << 20);
            let work = || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let row = work(index);
                    if show {
                        println!("{row}");
                    }
                    rows.lock().unwrap().push((index, row));
                }
            };
            worker.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort_by_key(|(index, _)| *index);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The network in a file, or why there is none. What has the extension of no language is Promela.
fn network(path: &Path) -> Result<(Network, SourceMap), String> {
    let front_end = input::of(path, None).or_else(|_| input::of(path, Some(Language::Promela)));
    let options = ReadOptions::default();
    let parsed = front_end.and_then(|reader| reader.read(&Text::load(path)?, &options, &[], &Budget::unlimited()));
    match parsed {
        Ok(input::Parsed { system: Some(System::Network(model)), sources, .. }) => Ok((model.network, sources)),
        Ok(input::Parsed { system: Some(_), .. }) => Err(String::from("it is no network")),
        _ => Err(String::from("it is not read as a model of its own")),
    }
}

/// The models in a table of SPIN's results that SPIN reads, those with most states first; `None` if there is no such table.
fn listed(folder: &Path) -> Option<Vec<PathBuf>> {
    let table = std::fs::read_to_string(folder.join("spin-results.tsv")).ok()?;
    let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let read = rows.filter(|cells| cells.get(1) == Some(&"yes"));
    let states = |cells: &[&str]| cells.get(2).and_then(|states| states.parse().ok()).unwrap_or(u64::MAX);
    let mut files: Vec<_> = read.map(|cells| (Reverse(states(&cells)), folder.join(cells[0]))).collect();
    files.sort();
    Some(files.into_iter().map(|(_, file)| file).collect())
}

/// The models below a folder, or those of its table of SPIN's results, up to so many states.
pub fn below(folder: &Path, most: u64, compiler: &(dyn Compile + Sync)) -> Vec<Row> {
    let files = listed(folder).unwrap_or_else(|| input::models_below(folder).expect("a folder"));
    each(files.len(), |index| {
        let name = files[index].strip_prefix(folder).unwrap_or(&files[index]).display().to_string();
        let result = match network(&files[index]) {
            Ok(model) => compare(&model, Reading::Declared, &[50, 10, 1], most, compiler),
            Err(why) => Ok(Compared::Left(why)),
        };
        Row { name, result }
    })
}

/// The model of a text, with lossless or dropping channels.
fn generated(name: String, drop: bool, text: &str, compiler: &(dyn Compile + Sync)) -> Row {
    let reading = if drop { Reading::Drop } else { Reading::Declared };
    let result = match read("random.pml", text) {
        Some(model) => compare(&model, reading, &[40, 15, 5, 2, 1], 5000, compiler),
        None => Ok(Compared::Left(String::from("it is not read"))),
    };
    Row { name, result: result.map_err(|difference| format!("{}: {difference}\n{text}", reading.name())) }
}

/// The random models of some seeds.
pub fn random(seeds: &[u64], compiler: &(dyn Compile + Sync)) -> Vec<Row> {
    each(seeds.len(), |index| {
        let seed = seeds[index];
        let text = tree::print(&generate::model(seed, &[])).text;
        generated(format!("seed {seed}"), seed.is_multiple_of(3), &text, compiler)
    })
}

/// Random models for so many pairs of features, from a place in their list on. One model in a few has both in a run, so each
/// pair has several models.
pub fn pairs(first: usize, count: usize, compiler: &(dyn Compile + Sync)) -> Vec<Row> {
    const MODELS: usize = 2;
    let feature = |name: &str| generate::FEATURES.iter().copied().find(|feature| *feature == name);
    let lines = PAIRS.lines().filter_map(|line| line.split_once('\t'));
    let pairs = lines.filter_map(|(seed, pair)| {
        let (one, other) = pair.split_once('+')?;
        Some((seed.parse::<u64>().ok()?, feature(one)?, feature(other)?))
    });
    let pairs: Vec<_> = pairs.collect();
    let count = count.min(pairs.len());
    each(count * MODELS, |index| {
        let (seed, one, other) = pairs[(first + index / MODELS) % pairs.len()];
        let seed = seed ^ ((index % MODELS) as u64 + 1) << 48;
        let text = tree::print(&generate::model(seed, &[one, other])).text;
        generated(format!("{one} and {other}, seed {seed}"), index % 4 == 3, &text, compiler)
    })
}
