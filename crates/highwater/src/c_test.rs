//! `--c-test`: the run of a violation, written as a C program.

use crate::error::Error;
use cfront::witness::{STATUS, Test};
use std::path::{Path, PathBuf};

/// More parts of a run that a test cannot make happen than this are counted.
const MANY_MISSING: usize = 4;

/// Writes a test; `run` names the run. Returns what there is to say about it.
pub fn write(path: &Path, run: &str, Test { text, exits, missing }: &Test) -> Result<Vec<String>, Error> {
    let file = path.display();
    std::fs::write(path, text).map_err(|e| Error::Unwritable { file: file.to_string(), reason: e.to_string() })?;
    let end = match exits {
        true if missing.is_empty() => format!("it ends with status {STATUS}"),
        true => format!("it ends with status {STATUS} if what is missing does not matter"),
        false => String::from("a sanitizer shows the fault: -fsanitize=undefined,address"),
    };
    let mut notes = vec![format!("{file} is {run} as a C program; compiled and run, {end}")];
    if !missing.is_empty() {
        let mut shown = missing.iter().take(MANY_MISSING).cloned().collect::<Vec<_>>().join("; ");
        if let Some(more) = missing.len().checked_sub(MANY_MISSING).filter(|&more| more > 0) {
            shown += &format!("; and {more} more");
        }
        notes.push(format!("what it cannot make happen: {shown}"));
    }
    Ok(notes)
}

/// `test.c` is `test.client.c` for the part `client`.
pub fn named(path: &Path, part: &str) -> PathBuf {
    let part: String = part.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    path.with_extension(format!("{part}.c"))
}
