//! The library, its reports and the command line stay small, and so do the replayers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder and below it that are not tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true if name != "tests" => found.extend(sources(&path)),
            false if name.ends_with(".rs") && !name.ends_with("tests.rs") => found.push(path),
            _ => {}
        }
    }
    found
}

/// The code lines of a folder below `crates`.
fn size(folder: &str) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    sources(&folder).iter().map(|file| testing::code_lines(&fs::read_to_string(file).unwrap())).sum()
}

#[test]
fn comments_blank_lines_and_tests_are_not_counted() {
    let text = "//! A file.\n\nuse a::b;\n\n/// A function.\nfn f() {}\n#[cfg(test)]\nmod c;\nfn g() {}\n\
                #[cfg(test)]\nmod tests {\n    fn h() {\n    }\n}\n";
    assert_eq!(testing::code_lines(text), 3);
}

#[test]
fn the_library_its_reports_and_the_command_line_have_at_most_10_000_lines() {
    let [library, builder, report, cli] = ["highwater/src", "highwater/src/builder", "report/src", "cli/src"].map(size);
    assert!(builder > 500 && report > 1000 && cli > 500, "{builder}, {report}, {cli}");
    let all = library - builder + report + cli;
    assert!(all <= 10_000, "{all} lines");
}

#[test]
fn the_replayers_have_at_most_2_000_lines() {
    let replay = size("replay/src");
    assert!((500..=2000).contains(&replay), "{replay} lines");
}

/// The crates of this workspace that a crate depends on, tests apart.
fn dependencies(name: &str, found: &mut BTreeSet<String>) {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("Cargo.toml");
    let Ok(text) = fs::read_to_string(manifest) else { return };
    let (_, after) = text.split_once("[dependencies]\n").expect("dependencies");
    for line in after.lines().take_while(|line| !line.starts_with('[')) {
        let Some((dependency, _)) = line.split_once(".workspace") else { continue };
        if found.insert(dependency.to_owned()) {
            dependencies(dependency, found);
        }
    }
}

#[test]
fn the_replayers_depend_on_no_engine() {
    let mut found = BTreeSet::new();
    dependencies("replay", &mut found);
    assert!(found.contains("spec") && found.contains("model"), "{found:?}");
    for engine in ["cegar", "compose", "explore", "fifo", "flow", "pdr"] {
        assert!(!found.contains(engine), "replay depends on {engine}");
    }
}
