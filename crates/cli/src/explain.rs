//! `explain`: what a diagnostic or a verdict means, with an example.

use highwater::Error;
use model::explanation::{Explanation, find};
use report::style::Style;
use std::io::Write;

/// The tables of the front ends for models.
const MODELS: [&[Explanation]; 3] = [promela::codes::ALL, scm::codes::ALL, fsp::codes::ALL];

/// Prints one explanation, or the list of all.
pub fn run(code: Option<&str>, style: Style) -> Result<i32, Error> {
    let mut out = std::io::stdout().lock();
    let Some(code) = code else {
        for entry in report::explain::list() {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        for entry in MODELS.iter().copied().flatten() {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        for entry in cfront::codes::all() {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        for entry in cegar::codes::all() {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        return Ok(0);
    };
    let models = MODELS.iter().find_map(|table| find(table, code));
    let models = models.map(|entry| (entry.code, entry.title, entry.text, entry.example));
    let programs = || cfront::codes::explain(code).map(|entry| (entry.code, entry.title, entry.text, entry.example));
    let components = || cegar::codes::explain(code).map(|entry| (entry.code, entry.title, entry.text, ""));
    let found = models.or_else(programs).or_else(components);
    if let Some((code, title, text, example)) = found {
        writeln!(out, "{code}: {title}\n\n{text}\n")?;
        if !example.is_empty() {
            writeln!(out, "For example:\n\n{}", indent(example))?;
        }
        return Ok(0);
    }
    match report::explain::explain(code) {
        Some(entry) => {
            out.write_all(entry.render(style).as_bytes())?;
            Ok(0)
        }
        None => Err(Error::Usage(format!(
            "there is nothing to explain about `{code}`; `highwater explain` lists what there is"
        ))),
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
