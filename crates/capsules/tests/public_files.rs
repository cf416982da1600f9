//! Public models parse and resolve. They are no part of this repository: where they are missing, nothing is tested.

use capsules::{Dialect, Read, Text, read, Threads};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uml-rt")
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
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
    let (mut lowered, mut guessing, mut failed, mut table) = (0, 0, 0, String::from("| model | counts | reason |\n"));
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
            match fate(&read) {
                Fate::Lowered { guesses } => {
                    lowered += 1;
                    guessing += usize::from(guesses);
                }
                Fate::NotCounted(why) => table += &format!("| {name} | no | {why} |\n"),
                Fate::Failed(why) => {
                    failed += 1;
                    table += &format!("| {name} | yes | {why} |\n");
                }
            }
        }
    }
    table += &format!("\n{lowered} lowered, {guessing} of them with guesses; {failed} others count.\n");
    if let Some(file) = std::env::var_os("HIGHWATER_TABLE") {
        std::fs::write(file, &table).unwrap();
    }
    assert!(lowered * 10 >= (lowered + failed) * 9, "only {lowered} models");
    let philosophers = folder().join("art/samples/DiningPhilosophers/DiningPhils_v1/Top.art");
    let network = model(&philosophers, "art", Dialect::Art).network.expect("the philosophers are lowered");
    // The top capsule, four forks, and four philosophers with a timer each.
    assert_eq!(network.instances.len(), 1 + 4 + 2 * 4);
    assert!(network.havoc.is_empty(), "the first version is exact");
    let philosophers = folder().join("art/samples/DiningPhilosophers/DiningPhils_v2/Top.art");
    assert!(model(&philosophers, "art", Dialect::Art).network.is_some(), "the second version is lowered");
}
