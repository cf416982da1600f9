//! Sets of bad configurations: those of a file, and those that are given in a line for a network that is already there.
//!
//! The short form, `client@1|2 && server@idle with c.c^*.#`, names machines and labels of locations. A label may
//! belong to several locations, as in a network whose data were folded: then each of them is meant.

use super::Lowering;
use crate::ast::{self, Channel, File, Name, Variable};
use crate::specification::{Allowed, Bad, Specification};
use model::diagnostic::Diagnostic;
use model::ids::LocationId;
use model::network::{Initial, Machine, Network};
use model::source::Span;
use std::collections::HashMap;

impl Lowering<'_, '_> {
    pub(super) fn specification(&mut self, network: &Network) -> Specification {
        let bad = self.file.bad.iter().map(|bad| self.bad(bad, network)).collect();
        Specification { bad }
    }

    fn bad(&mut self, bad: &ast::Bad, network: &Network) -> Bad {
        let mut machines: Vec<Option<Vec<Allowed>>> = vec![None; network.machines.len()];
        let mut named: HashMap<usize, Span> = HashMap::new();
        for (name, states) in &bad.automata {
            let Some(&index) = self.automata.get(name.text.as_str()) else {
                let file = self.file;
                self.unknown("S0106", "automaton", name, file.automata.iter().map(|a| a.name.text.as_str()));
                continue;
            };
            if let Some(first) = named.insert(index, name.span) {
                let message = format!("automaton `{}` is named twice in one set of bad configurations", name.text);
                let error = Diagnostic::error("S0204", name.span, message).also(first, "first here");
                self.report(error.help("several `in` of one automaton mean *or*: write them one after the other"));
            }
            machines[index] =
                Some(states.iter().filter_map(|(state, guard)| self.allowed(index, state, guard)).collect());
        }
        let queues = bad.language.as_ref().and_then(|language| self.language(language));
        Bad { machines, queues, span: bad.span }
    }

    fn allowed(&mut self, automaton: usize, state: &Name, guard: &ast::Formula) -> Option<Allowed> {
        let location = self.state(automaton, state)?;
        let condition = if guard.is_true() { None } else { Some(self.expression(automaton, guard)?) };
        Some(Allowed { location, condition, span: state.span })
    }

    /// A part of the short form: all locations with one of the labels.
    fn labelled(&mut self, machine: &Machine, labels: &[(Name, ast::Formula)]) -> Vec<Allowed> {
        let mut allowed = Vec::new();
        for (label, _) in labels {
            let carries = |location: &&model::network::Location| location.labels.contains(&label.text);
            if !machine.locations.iter().any(|location| carries(&location)) {
                let known = machine.locations.iter().flat_map(|location| &location.labels).map(String::as_str);
                let error = self.unknown_name("S0105", "state", label, known);
                self.report(error.label(format!("not a state of `{}`", machine.name)));
            }
            for (index, location) in machine.locations.iter().enumerate() {
                if carries(&location) {
                    allowed.push(Allowed { location: LocationId::from(index), condition: None, span: label.span });
                }
            }
        }
        allowed
    }

    fn short(&mut self, bad: &ast::Bad, network: &Network) -> Bad {
        let mut machines: Vec<Option<Vec<Allowed>>> = vec![None; network.machines.len()];
        for (name, labels) in &bad.automata {
            let Some(index) = network.machines.iter().position(|machine| machine.name == name.text) else {
                self.unknown("S0106", "automaton", name, network.machines.iter().map(|machine| machine.name.as_str()));
                continue;
            };
            if machines[index].is_some() {
                let message = format!("automaton `{}` is named twice in one set of bad configurations", name.text);
                let error = Diagnostic::error("S0204", name.span, message);
                self.report(error.help(format!("for *or*, write `{}@1|2`", name.text)));
            }
            machines[index] = Some(self.labelled(&network.machines[index], labels));
        }
        let queues = bad.language.as_ref().and_then(|language| self.language(language));
        Bad { machines, queues, span: bad.span }
    }
}

/// Looks up the names of a set of bad configurations in a network of plain machines; `None` after an error.
pub(crate) fn lower_short(bad: &ast::Bad, network: &Network, diagnostics: &mut Vec<Diagnostic>) -> Option<Bad> {
    let name = |text: &str| Name { text: text.to_owned(), span: Span::NONE };
    let channels = network.variables.iter().filter(|variable| matches!(variable.initial, Initial::NewChannel(_)));
    let symbols = network.symbol_sets.first().map_or(&[][..], |set| set.symbols.as_slice());
    let file = File {
        channels: channels.map(|channel| Channel { name: name(&channel.name), lossy: false }).collect(),
        messages: symbols.iter().map(|text| Variable { name: name(text), real: false, value: None }).collect(),
        ..File::default()
    };
    let mut lowering = Lowering::new(&file, diagnostics);
    lowering.declare_channels();
    lowering.declare_messages(&mut Network { symbol_sets: vec![Default::default()], ..Network::default() });
    let lowered = lowering.short(bad, network);
    if crate::has_errors(diagnostics) { None } else { Some(lowered) }
}
