//! The binary, as tests of what a user sees call it.

#![allow(dead_code)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the tool.
pub fn highwater(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_highwater")).args(arguments).output().unwrap()
}

/// A place for a file; each suite has a folder of its own.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// A file with this text.
pub fn written(name: &str, text: &str) -> PathBuf {
    let file = scratch(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// A path as an argument.
pub fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// All that was printed.
pub fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap() + &String::from_utf8(output.stderr.clone()).unwrap()
}

/// `check`: the exit code, the document, and what stood on stderr.
pub fn document(file: &Path, more: &[&str]) -> (i32, Value, String) {
    let output = highwater(&[&["check", path(file), "--format", "json"], more].concat());
    let errors = String::from_utf8(output.stderr).unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}"));
    (output.status.code().unwrap(), document, errors)
}

/// `check`: the exit code, the results, and what stood on stderr.
pub fn check(file: &Path, more: &[&str]) -> (i32, Vec<Value>, String) {
    let (code, document, errors) = document(file, more);
    (code, document["results"].as_array().unwrap().clone(), errors)
}

/// The result for a property.
pub fn of<'a>(results: &'a [Value], property: &str) -> &'a Value {
    results.iter().find(|result| result["property"] == property).unwrap_or_else(|| panic!("nothing about {property}"))
}
