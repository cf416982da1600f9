//! Which Promela models fold into communicating machines, and why the others do not: `survey FILE...`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let read = promela::read(&path, &text, &promela::preprocess::Options::default());
        let Some(network) = read.network else {
            writeln!(out, "{path}: not read")?;
            continue;
        };
        match scm::fold(&network, &scm::fold::Limits::default()) {
            Ok(folded) => {
                let states: usize = folded.processes.iter().map(|process| process.states.len()).sum();
                let (messages, exact) = (folded.messages.len(), folded.is_exact());
                let printed = scm::print(&folded.network, &folded.errors()).is_ok();
                writeln!(out, "{path}: {states} states, {messages} messages, exact {exact}, printed {printed}")?;
            }
            Err(reason) => writeln!(out, "{}: {}", read.sources.describe(reason.span), reason.why)?,
        }
    }
    Ok(())
}
