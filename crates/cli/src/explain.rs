//! `explain`: what a diagnostic or a verdict means, with an example.

use highwater::{Error, OLD_NAMES};
use model::explanation::Explanation;
use report::explain;
use report::style::Style;
use std::io::Write;

/// Prints one explanation, or the list of all.
pub fn run(code: Option<&str>, style: Style) -> Result<i32, Error> {
    let mut out = std::io::stdout().lock();
    let Some(code) = code else {
        for entry in explain::list().chain(highwater::explanations()) {
            writeln!(out, "{:<24} {}", entry.code, entry.title)?;
        }
        return Ok(0);
    };
    let old = OLD_NAMES.iter().find(|(old, _)| old.eq_ignore_ascii_case(code));
    let code = old.map_or(code, |(_, new)| *new);
    let mut of_front_ends = highwater::explanations();
    if let Some(Explanation { code, title, text, example, .. }) =
        of_front_ends.find(|entry| entry.code.eq_ignore_ascii_case(code))
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
