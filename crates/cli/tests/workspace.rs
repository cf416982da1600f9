//! What holds for the sources of the workspace as a whole.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

/// Each crate has one executable of integration tests, which names its files; a file that it does not name is never
/// compiled, and its tests pass in silence.
#[test]
fn every_test_file_is_a_module_of_its_executable() {
    let mut files = 0;
    for package in children(&root().join("crates")) {
        let Ok(main) = fs::read_to_string(package.join("tests/main.rs")) else {
            let tests = children(&package.join("tests"));
            assert!(tests.is_empty(), "{tests:?} need a tests/main.rs");
            continue;
        };
        for file in children(&package.join("tests")) {
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_module = file.extension().is_some_and(|extension| extension == "rs") && name != "main";
            if is_module {
                files += 1;
                let line = format!("mod {name};");
                assert!(
                    main.lines().any(|l| l == line),
                    "{} is not in {}/tests/main.rs",
                    file.display(),
                    package.display()
                );
            }
        }
    }
    assert!(files > 80, "{files} files were found");
}

/// The files of the library that may tell the kinds of systems apart. A new kind of input must not need another one.
const DISPATCH: [&str; 7] = [
    "checker/src/lib.rs",
    "highwater/src/convert.rs",
    "highwater/src/options.rs",
    "highwater/src/show.rs",
    "highwater/src/simulate.rs",
    "highwater/src/strategy.rs",
    "input/src/system.rs",
];

#[test]
fn kinds_of_systems_are_told_apart_in_few_files() {
    let kinds = ["System::Network", "System::Composition", "System::Program", "System::Components"];
    let mut found = Vec::new();
    let folder = root().join("crates");
    let packages = ["checker", "highwater", "input"].map(|package| rust_files(&folder.join(package).join("src")));
    for file in packages.concat() {
        let text = fs::read_to_string(&file).expect("readable");
        let arms = text.lines().filter(|line| line.contains("=>") && kinds.iter().any(|kind| line.contains(kind)));
        if arms.count() > 1 {
            let name = file.strip_prefix(&folder).expect("a file of a crate");
            found.push(name.to_string_lossy().replace('\\', "/"));
        }
    }
    assert_eq!(found, DISPATCH, "a match over System belongs into the dispatch");
    for package in ["report", "cli"] {
        for file in rust_files(&root().join("crates").join(package).join("src")) {
            let text = fs::read_to_string(&file).expect("readable");
            assert!(kinds.iter().all(|kind| !text.contains(kind)), "{} knows kinds of systems", file.display());
        }
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for path in children(&folder) {
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|extension| extension == "rs") => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    files
}

/// Every random test draws from `model::random`, and reads how long it runs from `testing`, so that a seed in a message is
/// the seed of one well-known sequence.
#[test]
fn there_is_one_random_generator_and_one_reader_of_the_seeds() {
    // The marks of generators, in pieces, so that they are not found here: the multipliers and shifts of linear
    // congruential generators, of SplitMix64 and of xorshift, and the usual names.
    let marks = [
        concat!("6364136", "223846793005"),
        concat!("1664", "525"),
        concat!("bf58", "476d1ce4e5b9"),
        concat!("2545", "f4914f6cdd1d"),
        concat!("<<", "13"),
        concat!("<<", "25;"),
        concat!("struct", "rng"),
        concat!("struct", "random"),
        concat!("env::var(\"highwater_", "seeds\")"),
    ];
    // The order of a search is part of an engine: another sequence would find other runs. The inputs of compiled C
    // programs have a twin in C. The seeds of the campaigns against SPIN are logged, and must keep their models.
    let exceptions = [
        ("crates/model/src/random.rs", 2),
        ("crates/testing/src/c/inputs.rs", 2),
        ("crates/explore/src/growth/walk.rs", 2),
        ("crates/pdr/src/explore.rs", 1),
        ("crates/promela/tests/spin/random.rs", 3),
    ];
    let files = ["crates", "benches"].map(|folder| rust_files(&root().join(folder))).concat();
    assert!(files.len() > 300, "{} files were found", files.len());
    for file in files {
        let text = fs::read_to_string(&file).expect("readable").to_lowercase();
        let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
        let marks = marks.map(|mark| mark.replace('_', ""));
        let found: usize = marks.iter().map(|mark| text.matches(mark.as_str()).count()).sum();
        let path = file.to_string_lossy().replace('\\', "/");
        let allowed = exceptions.iter().find(|(name, _)| path.ends_with(name)).map_or(0, |(_, count)| *count);
        assert_eq!(found, allowed, "{path}: random numbers come from `testing::Random`");
    }
}

/// One budget, one observer, one set of reasons, one maker of findings: what was several once stays one.
#[test]
fn there_is_one_budget_one_observer_and_one_reason() {
    let sources: Vec<(PathBuf, String)> = children(&root().join("crates"))
        .iter()
        .flat_map(|package| rust_files(&package.join("src")))
        .map(|file| (file.clone(), fs::read_to_string(&file).expect("readable")))
        .collect();
    let places = |what: &str| -> Vec<String> {
        let of = |(file, text): &(PathBuf, String)| text.contains(what).then(|| file.to_string_lossy().into_owned());
        sources.iter().filter_map(of).collect()
    };
    for (what, place) in [
        ("pub struct Budget", "model/src/budget.rs"),
        ("pub trait Observer", "model/src/observer.rs"),
        ("pub enum Reason", "model/src/reason.rs"),
        ("-> Finding {", "highwater/src/evidence.rs"),
    ] {
        let found = places(what);
        assert!(matches!(&found[..], [file] if file.replace('\\', "/").ends_with(place)), "{what}: {found:?}");
    }
    // No engine says `Proved` before its search has ended: `Outcome::prove` takes the certificate along.
    assert_eq!(places("verdict: Verdict::Proved,").iter().filter(|file| !file.contains("tests")).count(), 0);
}

/// Libraries whose tests or examples are switched off, so that they are not compiled twice, have none.
#[test]
fn nothing_that_is_switched_off_has_tests() {
    for package in children(&root().join("crates")) {
        let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("readable");
        for file in rust_files(&package.join("src")) {
            let text = fs::read_to_string(&file).expect("readable");
            if manifest.lines().any(|line| line == "test = false") {
                assert!(!text.contains("#[test]"), "{} has tests that do not run", file.display());
            }
            if manifest.lines().any(|line| line == "doctest = false") {
                assert_eq!(runnable_examples(&text), 0, "{} has examples that do not run", file.display());
            }
        }
    }
}

/// How many examples in comments would be compiled and run.
fn runnable_examples(text: &str) -> usize {
    let comments = text.lines().filter_map(|line| line.trim().strip_prefix("//!").or(line.trim().strip_prefix("///")));
    let fences: Vec<&str> = comments.filter_map(|line| line.trim().strip_prefix("```")).collect();
    fences.iter().step_by(2).filter(|info| matches!(**info, "" | "rust" | "no_run" | "should_panic")).count()
}
