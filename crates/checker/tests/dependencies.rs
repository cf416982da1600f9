//! What the checker is made of: front ends and `certify`, and nothing that finds proofs.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Crates that look for proofs, or do the mathematics of those that do, or show results.
const FORBIDDEN: [&str; 12] =
    ["flow", "explore", "fifo", "compose", "pdr", "cegar", "linear", "queues", "temporal", "report", "cli", "testing"];

/// The names of all crates of this workspace that a crate needs, tests and build scripts left out.
fn needed(metadata: &Value, root: &str) -> BTreeSet<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (package["name"].as_str().unwrap_or_default().to_owned(), package))
        .collect();
    let (mut found, mut todo) = (BTreeSet::new(), vec![root.to_owned()]);
    while let Some(name) = todo.pop() {
        let Some(package) = packages.get(&name) else { continue };
        if found.insert(name) {
            let normal = list(&package["dependencies"]).into_iter().filter(|needed| needed["kind"].is_null());
            todo.extend(normal.filter_map(|needed| needed["name"].as_str().map(str::to_owned)));
        }
    }
    found
}

#[test]
fn the_checker_has_no_engine_in_it() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path", manifest])
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let found = needed(&metadata, "highwater-checker");
    assert!(found.contains("highwater-certify") && found.contains("highwater-promela"), "{found:?}");
    assert!(needed(&metadata, "highwater-cli").contains("highwater-explore"), "the search does not find what is there");
    let of_certify = needed(&metadata, "highwater-certify");
    for name in ["highwater-bitvector", "highwater-encode"] {
        assert!(!of_certify.contains(name), "`certify` depends on {name}");
    }
    for name in FORBIDDEN.map(|name| format!("highwater-{name}")).into_iter().chain([String::from("highwater")]) {
        assert!(!found.contains(&name), "the checker depends on {name}");
    }
}
