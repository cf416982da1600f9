//! `explain`: what a diagnostic or a verdict means, with an example.

use crate::failure::Failure;
use report::style::Style;
use std::io::Write;

/// Prints one explanation, or the list of all.
pub fn run(code: Option<&str>, style: Style) -> Result<i32, Failure> {
    let mut out = std::io::stdout().lock();
    let Some(code) = code else {
        for entry in report::explain::list() {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        for entry in promela::codes::ALL {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        for entry in scm::codes::ALL {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        for entry in fsp::codes::ALL {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        for entry in c::codes::all() {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        for entry in concurrent::codes::all() {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        return Ok(0);
    };
    let promela = promela::codes::explain(code).map(|entry| (entry.code, entry.title, entry.text, entry.example));
    let machines = || scm::codes::explain(code).map(|entry| (entry.code, entry.title, entry.text, entry.example));
    let structures = || fsp::codes::explain(code).map(|entry| (entry.code, entry.title, entry.text, entry.example));
    let programs = || c::codes::explain(code).map(|entry| (entry.code, entry.title, entry.text, entry.example));
    let components = || concurrent::codes::explain(code).map(|entry| (entry.code, entry.title, entry.text, ""));
    let found = promela.or_else(machines).or_else(structures).or_else(programs).or_else(components);
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
        None => Err(Failure::Usage(format!(
            "there is nothing to explain about `{code}`; `highwater explain` lists what there is"
        ))),
    }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
