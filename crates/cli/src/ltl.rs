//! `ltl`: the automaton of a formula, for people and for other tools.

use crate::arguments::{AutomatonFormat, LtlArgs};
use crate::terminal;
use highwater::Error;
use model::diagnostic::Diagnostic;
use model::source::{SourceMap, Span};
use report::diagnostics;
use std::io::Write;
use temporal::{Automaton, Limits, Parsed};

/// Translates a formula and prints the automaton.
pub fn run(args: &LtlArgs) -> Result<i32, Error> {
    let parsed = match temporal::parse(&args.formula) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(args, &error),
    };
    if let Some(usual) = &parsed.usual {
        let (read, usual) = (parsed.formula.to_promela(&parsed.atoms), usual.to_promela(&parsed.atoms));
        writeln!(std::io::stderr(), "note: read as SPIN does, `{read}`; with parentheses it could be `{usual}`")?;
    }
    let formula = if args.negate { parsed.formula.negated() } else { parsed.formula.clone() };
    let automaton =
        temporal::automaton(&formula, &Limits::default()).map_err(|too_large| Error::Usage(too_large.to_string()))?;
    let names = &parsed.atoms;
    let text = match args.format {
        AutomatonFormat::Text => table(&automaton, &parsed),
        AutomatonFormat::Never => automaton.to_never(names),
        AutomatonFormat::Hoa => automaton.to_hoa(names),
        AutomatonFormat::Dot => automaton.to_dot(names),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

/// What is wrong with a formula, with the place underlined.
fn refuse(args: &LtlArgs, error: &temporal::SyntaxError) -> Result<i32, Error> {
    let mut sources = SourceMap::new();
    let file = sources.add("<formula>", args.formula.as_str());
    let span = Span::new(file, error.range.start, error.range.end);
    let mut diagnostic = Diagnostic::error("L0001", span, error.message.clone());
    if let Some(hint) = &error.hint {
        diagnostic = diagnostic.help(hint.clone());
    }
    let text = diagnostics::render(&[diagnostic], &sources, terminal::error_style(&args.style));
    std::io::stderr().write_all(text.as_bytes())?;
    Ok(2)
}

/// State by state: what is still to come, and where each letter leads.
fn table(automaton: &Automaton, parsed: &Parsed) -> String {
    let names = &parsed.atoms;
    let accepting = automaton.states.iter().filter(|state| state.accepting).count();
    let mut text = format!(
        "{}: {} states, {accepting} of them accepting, {} edges\n",
        parsed.formula.to_promela(names),
        automaton.states.len(),
        automaton.edges()
    );
    for (index, state) in automaton.states.iter().enumerate() {
        let initial = if index as u32 == automaton.initial { ", initial" } else { "" };
        let accepting = if state.accepting { ", accepting" } else { "" };
        text += &format!("\n{index}{initial}{accepting}: {}\n", state.formula.to_promela(names));
        for edge in &state.edges {
            let guard: Vec<String> = edge.guard.iter().map(|cube| cube_text(cube, names)).collect();
            text += &format!("  {} -> {}\n", guard.join(" || "), edge.to);
        }
    }
    text
}

fn cube_text(cube: &temporal::Cube, names: &[String]) -> String {
    let name = |atom: &u32| names.get(*atom as usize).map_or_else(|| atom.to_string(), Clone::clone);
    let positive = cube.positive.iter().map(name);
    let negative = cube.negative.iter().map(|atom| format!("!{}", name(atom)));
    let literals: Vec<String> = positive.chain(negative).collect();
    if literals.is_empty() { String::from("true") } else { literals.join(" && ") }
}
