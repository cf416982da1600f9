//! The list of what is public, as a snapshot in `public_api.txt`: a change of the API is seen in a review.
//! `HIGHWATER_BLESS=1` writes it.
//!
//! A scanner of the sources is enough for that: the crate's own modules that `lib.rs` makes public or re-exports from, and in
//! them every line that declares something public.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The file of a module, if it is one of this crate.
fn file(folder: &Path, module: &str) -> Option<PathBuf> {
    let candidates = [folder.join(format!("{module}.rs")), folder.join(module).join("mod.rs")];
    candidates.into_iter().find(|path| path.is_file())
}

/// The modules that a file makes public or re-exports from.
fn exported(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("pub mod ").or(line.strip_prefix("pub use ")));
    let first = |line: &str| line.trim_start_matches("crate::").split([':', ';']).next().unwrap_or("").to_owned();
    lines.map(first).filter(|module| !module.is_empty()).collect()
}

/// The public declarations of a file, each in one line; variants, methods of traits and fields among them.
fn declarations(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or("");
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (trimmed, indent) = (line.trim(), line.len() - line.trim_start().len());
        if let Some(end) = &open
            && line.starts_with(end.as_str())
        {
            open = None;
            continue;
        }
        let is_comment =
            trimmed.is_empty() || trimmed.starts_with('}') || trimmed.starts_with("//") || trimmed.starts_with("#[");
        let declares = trimmed.starts_with("pub ") || open.is_some() || trimmed.starts_with("impl") && indent == 0;
        if is_comment || !declares {
            // `choices!` declares an enumeration.
            if trimmed == "choices! {" {
                let about = lines.by_ref().map(str::trim).find(|line| line.ends_with('{')).unwrap_or("");
                found.push(format!("pub enum {}", about.trim_end_matches(" {")));
                open = Some(String::from("}"));
            }
            continue;
        }
        let mut whole = trimmed.to_owned();
        // A signature over several lines.
        while whole.contains("fn ") && !whole.ends_with(['{', ';', '}']) {
            let Some(next) = lines.next() else { break };
            whole += " ";
            whole += next.trim();
        }
        if trimmed.starts_with("pub enum ") || trimmed.starts_with("pub trait ") {
            open = Some(format!("{}}}", " ".repeat(indent)));
        }
        let indent = " ".repeat(indent);
        found.push(format!("{indent}{}", whole.trim_end_matches(" {").trim_end_matches(" }").trim_end_matches(';')));
    }
    found
}

#[test]
fn the_public_items_are_those_of_the_snapshot() {
    let root = std::fs::read_to_string(sources().join("lib.rs")).unwrap();
    let mut text = format!("# crate\n{}\n", declarations(&root).join("\n"));
    for module in exported(&root) {
        let Some(path) = file(&sources(), &module) else { continue };
        let source = std::fs::read_to_string(&path).unwrap();
        text += &format!("\n# {module}\n{}\n", declarations(&source).join("\n"));
        let folder = sources().join(&module);
        for part in exported(&source).iter().filter_map(|part| Some((part, file(&folder, part)?))) {
            let source = std::fs::read_to_string(part.1).unwrap();
            text += &format!("\n# {module}::{}\n{}\n", part.0, declarations(&source).join("\n"));
        }
    }
    assert!(text.contains("pub fn assert_proved(&self)") && text.contains("pub struct System"), "{text}");
    if std::env::var_os("HIGHWATER_BLESS").is_some_and(|value| value == "1") {
        let snapshot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/public_api.txt");
        std::fs::write(snapshot, &text).unwrap();
        return;
    }
    let listed = include_str!("public_api.txt");
    let different = text.lines().zip(listed.lines()).find(|(is, was)| is != was);
    assert_eq!(different, None, "the public API changed: see tests/public_api.txt");
    assert_eq!(text.lines().count(), listed.lines().count(), "the public API changed: see tests/public_api.txt");
}
