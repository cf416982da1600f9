//! Writes a specification of a family for any size.
//!
//! ```text
//! cargo run -p highwater-cegar --example families -- philosophers 5 > examples/c/five.spec
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

use cegar::families::{Style, philosophers, readers_writers, surge_protector};
use std::process::ExitCode;

const FAMILIES: &str = "philosophers, left-handed, readers-writers, surge, surge-states, surge-events";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = arguments.get(1).and_then(|size| size.parse::<usize>().ok());
    let text = match (arguments.first().map(String::as_str), size) {
        (Some("philosophers"), Some(n)) => philosophers(n, false),
        (Some("left-handed"), Some(n)) => philosophers(n, true),
        (Some("readers-writers"), Some(n)) => readers_writers(n),
        (Some("surge"), Some(n)) => surge_protector(n, Style::StatesAndEvents),
        (Some("surge-states"), Some(n)) => surge_protector(n, Style::States),
        (Some("surge-events"), Some(n)) => surge_protector(n, Style::Events),
        _ => {
            eprintln!("usage: families FAMILY SIZE, where FAMILY is one of {FAMILIES}");
            return ExitCode::from(2);
        }
    };
    print!("{text}");
    ExitCode::SUCCESS
}
