//! Public models parse and resolve. They are no part of this repository: where they are missing, nothing is tested.

use capsules::{Dialect, Read, Text, Threads, read};
use model::network::{Action, Network};
use model::semantics::{Reading, Semantics};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uml-rt")
}

pub(crate) fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
}

fn text(path: &Path) -> Text {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    Text { name: path.display().to_string(), text }
}

/// Errors of lexer and parser.
fn is_syntax(code: &str) -> bool {
    code.starts_with("U00")
}

#[test]
fn every_public_file_parses() {
    if !folder().exists() {
        return;
    }
    for (extension, dialect, expected) in [("art", Dialect::Art, 286), ("room", Dialect::Room, 110)] {
        let mut found = Vec::new();
        files(&folder(), extension, &mut found);
        assert_eq!(found.len(), expected);
        let mut failed = Vec::new();
        for path in &found {
            let read = read(dialect, &text(path), &[], None, &Threads::Any);
            let syntax = read.diagnostics.iter().filter(|d| is_syntax(d.code));
            failed.extend(syntax.map(|d| format!("{}: {}", read.sources.describe(d.primary.span), d.message)));
        }
        assert!(failed.is_empty(), "{} of {} files:\n{}", failed.len(), found.len(), failed.join("\n"));
    }
}

/// The model of a file: with those beside it, and the top capsule of its build file.
fn model(path: &Path, extension: &str, dialect: Dialect) -> Read {
    let parent = path.parent().unwrap();
    let mut beside = Vec::new();
    files(parent, extension, &mut beside);
    let beside: Vec<Text> = beside.iter().filter(|other| *other != path).map(|p| text(p)).collect();
    let mut builds = Vec::new();
    files(parent, if dialect == Dialect::Art { "tcjs" } else { "etmap" }, &mut builds);
    let top = builds.iter().find_map(|p| capsules::top_capsule(dialect, &text(p).text).map(str::to_owned));
    read(dialect, &text(path), &beside, top.as_deref(), &Threads::Any)
}

/// Features that are rejected by decision, or files that are no models of their own: they do not count.
const REJECTED: [&str; 14] = [
    "a plugin part",
    "a capsule that is created by C++",
    "a part that is created by C++",
    "an unwired port",
    "a published port",
    "a subscribed port",
    "a port that is notified about its connections",
    "a service access point",
    "a service provision point",
    "a layer connection",
    "a trigger that is a call",
    "a second superclass",
    "a superclass in C++",
    "code that runs in every cycle",
];

/// What became of the model of a file.
enum Fate {
    Lowered {
        guesses: bool,
    },
    /// No top capsule, a declaration that is missing or wrong, or a feature that is rejected.
    NotCounted(String),
    Failed(String),
}

fn fate(read: &Read) -> Fate {
    let errors: Vec<_> = read.diagnostics.iter().filter(|d| d.is_error()).collect();
    let Some(first) = errors.first() else {
        return Fate::Lowered { guesses: read.network.as_ref().is_some_and(|n| !n.havoc.is_empty()) };
    };
    let wrong = errors.iter().find(|d| d.code.starts_with("U01"));
    let rejected = errors.iter().find(|d| d.code == "U0201" && REJECTED.iter().any(|r| d.message.starts_with(r)));
    match wrong.or(rejected) {
        Some(why) => Fate::NotCounted(format!("{} {}", why.code, why.message)),
        None => Fate::Failed(format!("{} {}", first.code, first.message)),
    }
}

/// With `HIGHWATER_TABLE=FILE`, a table of the models that were not lowered is written there, with the reason of each.
#[test]
fn public_models_are_lowered_or_rejected_with_an_error() {
    if !folder().exists() {
        return;
    }
    let (mut lowered, mut guessing, mut failed) = (0, 0, 0);
    let (mut table, mut rows) = (String::from("| model | counts | reason |\n"), String::new());
    for (extension, dialect) in [("art", Dialect::Art), ("room", Dialect::Room)] {
        let mut found = Vec::new();
        files(&folder(), extension, &mut found);
        // In Art the files of a folder are one model.
        if dialect == Dialect::Art {
            found.dedup_by_key(|path| path.parent().map(Path::to_path_buf));
        }
        for path in found {
            let read = model(&path, extension, dialect);
            assert_eq!(read.network.is_none(), read.diagnostics.iter().any(|d| d.is_error()), "{}", path.display());
            let name = path.strip_prefix(folder()).unwrap().display().to_string();
            let fate = match fate(&read) {
                Fate::Lowered { .. } if is_made_by_a_factory(&path) => Fate::NotCounted(String::from("a factory")),
                fate => fate,
            };
            match fate {
                Fate::Lowered { guesses } => {
                    lowered += 1;
                    guessing += usize::from(guesses);
                }
                Fate::NotCounted(why) => table += &format!("| {name} | no | {why} |\n"),
                Fate::Failed(why) => {
                    failed += 1;
                    table += &format!("| {name} | yes | {why} |\n");
                    let why = why.split_once(' ').map_or("", |(_, message)| message);
                    rows += &format!("| `{name}` | {why} |\n");
                }
            }
        }
    }
    let figures = format!("{lowered} lowered, {guessing} of them with guesses; {failed} others count");
    table += &format!("\n{figures}.\n");
    if let Some(file) = std::env::var_os("HIGHWATER_TABLE") {
        std::fs::write(file, &table).unwrap();
    }
    let all = lowered + failed;
    let book =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/capsules.md")).unwrap();
    let (read, known) = (format!("{lowered} of {all} ({} %)", lowered * 100 / all), book.replace('\n', " "));
    let says = known.contains(&read) && known.contains(&format!("{guessing} of them with guesses"));
    assert!(says && book.contains(&rows), "the book should say: {read}, {guessing} of them with guesses\n{rows}");
    assert!(lowered * 10 >= (lowered + failed) * 9, "only {lowered} models");
    let philosophers = folder().join("art/samples/DiningPhilosophers/DiningPhils_v1/Top.art");
    let network = model(&philosophers, "art", Dialect::Art).network.expect("the philosophers are lowered");
    // The top capsule, four forks, and four philosophers with a timer each.
    assert_eq!(network.instances.len(), 1 + 4 + 2 * 4);
    assert!(network.havoc.is_empty(), "the first version is exact");
    let philosophers = folder().join("art/samples/DiningPhilosophers/DiningPhils_v2/Top.art");
    let network = model(&philosophers, "art", Dialect::Art).network.expect("the philosophers are lowered");
    assert!(network.havoc.is_empty(), "the second version is exact");
}

/// What the runs of a network come to: whether an assertion fails without a guess, and whether a test passes.
fn outcome(network: &Network) -> (bool, bool) {
    let semantics = Semantics::new(network, Reading::Unbounded);
    let mut stepper = semantics.stepper();
    let first = (stepper.initial().unwrap().unwrap(), None);
    let (mut failed, mut passed) = (false, false);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut left = VecDeque::from([first]);
    while let Some((state, control)) = left.pop_front() {
        stepper.load(&state);
        for process in 0..stepper.loaded_processes() {
            let (machine, location) = stepper.loaded_place(process);
            let says = |action: &Action| matches!(action, Action::Print { format, .. } if format == "PASS\\n");
            passed |= network.machine(machine).edges_from(location).any(|edge| says(&edge.action));
        }
        let mut moved = false;
        let expanded = stepper.expand(&state, control, &mut |successor| {
            moved = true;
            failed |= successor.fault.is_some();
            match successor.state {
                Some(state) => {
                    let next = (state.to_vec(), successor.control);
                    if seen.insert(next.clone()) {
                        left.push_back(next);
                    }
                }
                None => failed = true,
            }
        });
        failed |= expanded.is_err();
        if !moved && control.is_some() && seen.insert((state.clone(), None)) {
            left.push_back((state, None));
        }
        if seen.len() > 20_000 {
            break;
        }
    }
    (failed, passed)
}

/// Tests whose outcome depends on what the documentation leaves open: which of several enabled transitions is taken.
const LEFT_OPEN: [&str; 1] = ["receive_any"];

/// Whether C++ creates the capsules of a model.
fn is_made_by_a_factory(path: &Path) -> bool {
    let mut builds = Vec::new();
    files(path.parent().unwrap(), "tcjs", &mut builds);
    builds.iter().any(|build| capsules::has_factory(&text(build).text))
}

#[test]
fn the_tests_of_the_art_compiler_pass_where_they_are_exact() {
    if !folder().exists() {
        return;
    }
    let mut found = Vec::new();
    files(&folder().join("art/tests"), "art", &mut found);
    found.dedup_by_key(|path| path.parent().map(Path::to_path_buf));
    let (mut checked, mut wrong) = (0, Vec::new());
    for path in found {
        let name = path.parent().and_then(|p| p.file_name()).unwrap().to_string_lossy().into_owned();
        let read = model(&path, "art", Dialect::Art);
        let Some(network) = read.network.filter(|network| network.havoc.is_empty()) else { continue };
        let has = |text: &str| read.sources.files().iter().any(|file| file.text.contains(text));
        if !has("PASS()") || LEFT_OPEN.contains(&name.as_str()) || is_made_by_a_factory(&path) {
            continue;
        }
        checked += 1;
        let (failed, passed) = outcome(&network);
        if failed || !passed {
            wrong.push(format!("{name}: failed {failed}, passed {passed}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 20, "only {checked} tests are exact");
}
