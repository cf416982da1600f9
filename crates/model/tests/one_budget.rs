//! One Budget, one Observer, one Reason: counted in the sources of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the clock may be read outside the budget, and why.
const CLOCKS: [(&str, &str); 1] = [("report/src/progress.rs", "draws the line of progress a few times a second")];

/// The sources of all crates, without their tests: the path inside `crates`, and the text.
fn sources() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the crates").to_owned();
    let mut folders: Vec<PathBuf> =
        fs::read_dir(&crates).expect("the crates").map(|entry| entry.expect("a crate").path().join("src")).collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).expect("a text");
                let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
                let path = path.strip_prefix(&crates).expect("inside").to_string_lossy().replace('\\', "/");
                sources.push((path, code.to_owned()));
            }
        }
    }
    assert!(sources.len() > 300, "only {} sources were found", sources.len());
    sources
}

/// The sources with one of these, and the line.
fn with(wanted: &[&str]) -> Vec<(String, String)> {
    let has = |line: &&str| {
        let code = line.trim_start();
        !code.starts_with("//") && wanted.iter().any(|wanted| code.contains(wanted))
    };
    let found = sources().into_iter().flat_map(|(path, text)| {
        text.lines().filter(has).map(|line| (path.clone(), line.trim().to_owned())).collect::<Vec<_>>()
    });
    found.collect()
}

#[test]
fn there_is_one_budget_one_observer_and_one_reason() {
    for (wanted, home) in [
        ("struct Budget", "model/src/budget.rs"),
        ("trait Observer", "model/src/observer.rs"),
        ("enum Reason", "model/src/reason.rs"),
    ] {
        let found: Vec<(String, String)> = with(&[wanted])
            .into_iter()
            .filter(|(_, line)| line.split(wanted).nth(1).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
            .collect();
        let homes: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(homes, [home], "{wanted}: {found:#?}");
    }
}

#[test]
fn nothing_but_the_budget_looks_at_the_clock_or_the_memory() {
    let looks = with(&["Instant::now", "SystemTime::now", "memory_stats::", "/proc/self", "resident_bytes("]);
    let others: Vec<_> = looks
        .iter()
        .filter(|(path, _)| path != "model/src/budget.rs" && !CLOCKS.iter().any(|(allowed, _)| path == allowed))
        .collect();
    assert!(others.is_empty(), "{others:#?}");
    for (allowed, why) in CLOCKS {
        assert!(looks.iter().any(|(path, _)| path == allowed), "{allowed} needs no exception any more ({why})");
    }
}
