//! Temporal formulas about communicating machines.
//!
//! An atom is `client@closed`, where a machine is, or an event: `requests!syn`, a message that is sent, and `requests?syn`, one
//! that is taken. A channel that is a number stands in quotes with its message: `"0!syn"`. The formulas are answered by a
//! search, as those of Promela are: a violation is a run that is replayed, and a proof needs a search that comes to an end,
//! since no channel grows without end.

use crate::error::Error;
use model::diagnostic::nearest;
use model::event::Event;
use model::expr::Expr;
use model::formula::{Atom, Connective, Ltl};
use model::network::{Formula, Network};
use model::source::Span;

/// Adds formulas to a network; their names are their texts.
pub fn add_formulas(network: &mut Network, texts: &[String]) -> Result<(), Error> {
    for text in texts {
        let refused = |why: String| Error::Usage(format!("-p ltl:'{text}': {why}"));
        let parsed = ltl::parse(text).map_err(|error| refused(error.message))?;
        let atoms = parsed.atoms.iter().map(|atom| read_atom(atom, network)).collect::<Result<Vec<_>, _>>();
        let formula = ltl::with_atoms(&parsed.formula, &atoms.map_err(refused)?);
        network.formulas.push(Formula {
            name: text.clone(),
            text: text.clone(),
            formula,
            is_question: false,
            span: Span::NONE,
        });
    }
    Ok(())
}

fn read_atom(text: &str, network: &Network) -> Result<Ltl, String> {
    let words = text.trim().to_owned();
    if let Some((name, state)) = text.split_once('@') {
        return at(name.trim(), state.trim(), network, &words);
    }
    if !text.contains(['!', '?']) {
        let why = "an atom is a machine in a state, `client@closed`, or a message, `requests!syn` or `requests?syn`";
        return Err(format!("`{words}`: {why}"));
    }
    Ok(Ltl::Atom(Box::new(Atom::Event(Event::parse(text, network)?)), words))
}

/// A machine is in one of the states with a label.
fn at(name: &str, state: &str, network: &Network, words: &str) -> Result<Ltl, String> {
    let Some(index) = network.machines.iter().position(|machine| machine.name == name) else {
        let near = nearest(name, network.machines.iter().map(|machine| machine.name.as_str()));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(format!("there is no automaton `{name}`{hint}"));
    };
    let locations = network.machines[index].locations.iter().enumerate();
    let places = locations.filter(|(_, location)| location.labels.iter().any(|label| label == state));
    let atoms = places.map(|(place, _)| {
        let expr = Expr::At { machine: index.into(), pid: None, location: place.into() };
        Ltl::Atom(Box::new(Atom::State(expr)), words.to_owned())
    });
    let either = |one: Ltl, other: Ltl| Ltl::Binary(Connective::Or, Box::new(one), Box::new(other));
    atoms.reduce(either).ok_or_else(|| format!("`{name}` has no state `{state}`"))
}
