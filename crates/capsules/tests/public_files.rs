//! Public models parse and resolve. They are no part of this repository: where they are missing, nothing is tested.

use capsules::{Dialect, Read, Text, read};
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
            let read = read(dialect, &text(path), &[], None);
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
    files(parent, "tcjs", &mut builds);
    let top = builds.iter().find_map(|p| capsules::top_capsule(&text(p).text).map(str::to_owned));
    read(dialect, &text(path), &beside, top.as_deref())
}

#[test]
fn public_models_are_lowered_or_rejected_with_an_error() {
    if !folder().exists() {
        return;
    }
    let mut lowered = 0;
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
            lowered += usize::from(read.network.is_some());
        }
    }
    assert!(lowered >= 25, "only {lowered} models");
    let philosophers = folder().join("art/samples/DiningPhilosophers/DiningPhils_v1/Top.art");
    let network = model(&philosophers, "art", Dialect::Art).network.expect("the philosophers are lowered");
    // The top capsule, four forks, and four philosophers with a timer each.
    assert_eq!(network.instances.len(), 1 + 4 + 2 * 4);
}
