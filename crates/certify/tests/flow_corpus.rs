//! Public models, where they are at hand: every proof of the flow engine is accepted.
//!
//! `HIGHWATER_MODELS` is a folder with Promela models; without it nothing is done.

use crate::support::Case;
use std::path::{Path, PathBuf};

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|e| ["pml", "pm", "prom", "pr", "promela"].iter().any(|x| e == *x)) {
            found.push(path);
        }
    }
}

#[test]
fn proofs_of_public_models_are_accepted() {
    let Ok(folder) = std::env::var("HIGHWATER_MODELS") else { return };
    let mut files = Vec::new();
    models(Path::new(&folder), &mut files);
    files.sort();
    let (mut proved, mut refused) = (0, Vec::new());
    for file in files {
        let Ok(text) = std::fs::read(&file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) else { continue };
        let include_dirs = file.parent().map(Path::to_path_buf).into_iter().collect();
        let options = promela::preprocess::Options { include_dirs, ..Default::default() };
        let Some(network) = promela::read(&file.to_string_lossy(), &text, &options).network else { continue };
        for live in [false, true] {
            let case = Case { name: "public", text: "", variants: ["", ""], live, events: &[] };
            let Some(proof) = case.prove(&network) else { continue };
            proved += 1;
            if let Err(refusal) = case.verify(&network, &proof) {
                refused.push(format!("{}, livelock {live}: {refusal}", file.display()));
            }
        }
    }
    assert!(refused.is_empty(), "{} of {proved} are refused:\n{}", refused.len(), refused.join("\n"));
}
