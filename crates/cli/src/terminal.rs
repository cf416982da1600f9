//! What the terminal can show.

use crate::arguments::{StyleArgs, When};
use report::style::Style;
use std::io::IsTerminal;

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
