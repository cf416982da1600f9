//! What the terminal can show, and what is printed on it.

use crate::arguments::{StyleArgs, When};
use highwater::{Diagnostic, Error, Model, Style};
use std::io::{IsTerminal, Write};

/// The style for standard output.
pub fn style(args: &StyleArgs) -> Style {
    style_for(args, std::io::stdout().is_terminal())
}

/// The style for standard error.
pub fn error_style(args: &StyleArgs) -> Style {
    style_for(args, std::io::stderr().is_terminal())
}

fn style_for(args: &StyleArgs, terminal: bool) -> Style {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let color = match args.color {
        When::Auto => terminal && !plain,
        When::Always => true,
        When::Never => false,
    };
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let width = columns.filter(|&c: &usize| (40..=1000).contains(&c)).unwrap_or(if terminal { 120 } else { 0 });
    Style { color, unicode: !args.ascii, width }
}

/// Prints to standard output.
pub fn print(text: &[u8]) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(())
}

/// Prints an error message; if no one reads it, there is nothing left to do.
pub fn error(message: &str) {
    let _ = writeln!(std::io::stderr(), "error: {message}");
}

/// Prints errors and warnings with their places.
pub fn diagnose(model: &Model, list: &[Diagnostic], args: &StyleArgs) -> Result<(), Error> {
    if list.is_empty() {
        return Ok(());
    }
    std::io::stderr().write_all(model.render(list, error_style(args)).as_bytes())?;
    Ok(())
}

/// Prints what is wrong with a model or with an argument, where that has a place.
pub fn explain_error(error: &Error, args: &StyleArgs) -> Result<(), Error> {
    Ok(std::io::stderr().write_all(error.render(error_style(args)).as_bytes())?)
}
