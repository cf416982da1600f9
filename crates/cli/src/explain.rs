//! `explain`: what a diagnostic or a verdict means, with an example.

use highwater::{Error, OLD_NAMES};
use model::explanation::{Explanation, Table, find};
use report::explain;
use report::style::Style;
use std::io::Write;

/// The tables of the front ends.
static FRONT_ENDS: [&Table; 6] = [
    &promela::codes::ALL,
    &scm::codes::ALL,
    &fsp::codes::ALL,
    &cfront::codes::ALL,
    &cegar::codes::ALL,
    &capsules::codes::ALL,
];

/// Prints one explanation, or the list of all.
pub fn run(code: Option<&str>, style: Style) -> Result<i32, Error> {
    let mut out = std::io::stdout().lock();
    let Some(code) = code else {
        for entry in explain::list().chain(FRONT_ENDS.iter().flat_map(|table| table.iter())) {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        return Ok(0);
    };
    let old = OLD_NAMES.iter().find(|(old, _)| old.eq_ignore_ascii_case(code));
    let code = old.map_or(code, |(_, new)| *new);
    if let Some(Explanation { code, title, text, example, .. }) = FRONT_ENDS.iter().find_map(|table| find(table, code))
    {
        writeln!(out, "{code}: {title}\n\n{text}\n")?;
        if !example.is_empty() {
            writeln!(out, "For example:\n\n{}", indent(example))?;
        }
        return Ok(0);
    }
    match explain::explain(code) {
        Some(entry) => {
            out.write_all(explain::render(entry, style).as_bytes())?;
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
