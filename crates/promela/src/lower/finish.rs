//! The end: graphs become machines, labels that others ask about are found, and what looks like a mistake is told.
//!
//! It is all that has to wait until everything has been read: a process may ask about a label of one that comes later, and
//! whether a variable is used is known only then.

use super::flow::FlowError;
use super::{Lowering, Pending, RemoteLabel};
use crate::token::Name;
use model::diagnostic::{Diagnostic, nearest};
use model::formula::Atom;
use model::ids::{LocationId, MachineId};
use model::network::{Location, Network};
use model::source::Span;
use std::collections::HashMap;

/// More unused variables than this are not listed.
const MOST_UNUSED: usize = 20;

impl Lowering<'_> {
    pub(super) fn finish(mut self) -> Network {
        self.check_runs();
        self.check_unused();
        if self.network.instances.is_empty() {
            let error = self.error("P0246", Span::NONE, "no process runs");
            *error = error.clone().help("write `init { .. }`, or `active` before a process type");
        }
        let bodies = std::mem::take(&mut self.bodies);
        let mut graphs: HashMap<MachineId, usize> = HashMap::new();
        let mut pending: Vec<Pending> = bodies;
        for (index, body) in pending.iter().enumerate() {
            if let Some(machine) = body.machine {
                graphs.insert(machine, index);
            }
        }
        let counts: Vec<usize> = pending.iter().map(|body| body.graph.count()).collect();
        let (locations, added) = self.resolve_remote_labels(&graphs, &mut pending);
        for (index, body) in pending.into_iter().enumerate() {
            let names = self.names;
            let text = |name: Name| names.text(name).to_owned();
            match body.graph.finish(body.sequence, body.claim.is_some(), &text) {
                Ok(mut finished) => {
                    number(&mut finished.locations, index, &counts, &added);
                    let machine = match (body.machine, body.claim) {
                        (Some(id), _) => &mut self.network.machines[id.index()],
                        (None, Some(claim)) => &mut self.claims[claim],
                        (None, None) => continue,
                    };
                    machine.locations = finished.locations;
                    machine.edges = finished.edges;
                    machine.initial = finished.initial;
                }
                Err(errors) => errors.into_iter().for_each(|e| self.flow_error(e)),
            }
        }
        self.network.claims = std::mem::take(&mut self.claims);
        fix_remote_labels(&mut self.network, &locations);
        self.network
    }

    /// Says which variables no one refers to, as SPIN does; with errors about, that would only be a consequence.
    fn check_unused(&mut self) {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let mut unused = std::mem::take(&mut self.declared);
        unused.retain(|(_, span)| !self.used.contains(span));
        unused.dedup();
        for (name, span) in unused.into_iter().take(MOST_UNUSED) {
            let text = self.text(name);
            let warning = self.warning("P0255", span, format!("variable `{text}` is never used"));
            *warning = warning.clone().label("declared here").help("leave it out: every variable makes states larger");
        }
    }

    fn check_runs(&mut self) {
        for (machine, given, span) in std::mem::take(&mut self.runs) {
            let machine = self.network.machine(machine);
            let (name, expected, place) = (machine.name.clone(), machine.parameters, machine.span);
            if given != expected {
                let message = format!("process type `{name}` has {expected} parameters, but {given} are given");
                let error = self.error("P0238", span, message);
                *error = error.clone().also(place, "declared here");
            }
        }
    }

    /// The locations of all `P@label`, in order of their placeholders, and the places of those that added an element.
    fn resolve_remote_labels(
        &mut self,
        graphs: &HashMap<MachineId, usize>,
        pending: &mut [Pending],
    ) -> (Vec<LocationId>, Vec<(usize, usize)>) {
        let mut added = Vec::new();
        let remote = std::mem::take(&mut self.remote_labels);
        let mut locations = Vec::with_capacity(remote.len());
        for RemoteLabel { machine, label, span, body, elements } in remote {
            let graph = graphs.get(&machine).map(|&index| &mut pending[index].graph);
            let element = graph.as_ref().and_then(|g| g.first_label(label).map(|entry| entry.element));
            match (graph, element) {
                (Some(graph), Some(element)) => {
                    if graph.keep_label(element) {
                        added.push((body, elements));
                    }
                    locations.push(LocationId(element.0));
                }
                (graph, _) => {
                    let labels: Vec<Name> =
                        graph.map(|g| g.labels.iter().map(|l| l.name).collect()).unwrap_or_default();
                    self.unknown_label(label, span, &labels);
                    locations.push(LocationId(0));
                }
            }
        }
        (locations, added)
    }

    fn unknown_label(&mut self, label: Name, span: Span, labels: &[Name]) {
        let text = self.text(label);
        let known: Vec<&str> = labels.iter().map(|&name| self.names.text(name)).collect();
        let hint = nearest(&text, known.iter().copied()).map(str::to_owned);
        let error = self.error("P0220", span, format!("there is no label `{text}`"));
        *error = error.clone().label("this label is not defined in the process type");
        *error = match hint {
            Some(hint) => error.clone().help(format!("did you mean `{hint}`?")),
            None => error.clone().help(format!("write `{text}:` before the statement that is meant")),
        };
    }

    fn flow_error(&mut self, error: FlowError) {
        match error {
            FlowError::NoLabel(label, span, known) => self.unknown_label(label, span, &known),
            FlowError::EndlessJump(span) => {
                let error = self.error("P0221", span, "this jump leads back to itself");
                *error = error.clone().help("put a statement, such as `skip`, between the label and the jump");
            }
            FlowError::CrossesDStep(span) => {
                let error = self.error("P0222", span, "a jump cannot enter or leave a `d_step`");
                *error = error.clone().help("use `atomic` instead of `d_step`, or restructure the loop");
            }
            FlowError::RunInDStep(span) => {
                let error = self.error("P0248", span, "a `d_step` cannot create a process");
                *error = error.clone().help("use `atomic` instead of `d_step`, or put the `run` before or after it");
            }
            FlowError::TwoElse(span) => {
                let error = self.error("P0223", span, "two `else` can be reached at the same place");
                *error = error
                    .clone()
                    .help("an option that starts with an inner `if` brings its `else` along; put `skip` before one");
            }
            FlowError::SelfLoop(span) => {
                let error = self.error("P0224", span, "a loop that does nothing: `skip` leads to itself");
                *error = error.clone().help("let it do something, or wait for something");
            }
        }
    }
}

/// Numbers the statements of a body through the whole model, as SPIN does: in the order in which its parser makes elements. The
/// element that `P@label` adds to the body of `P` is made where that stands, between those of another body.
fn number(locations: &mut [Location], body: usize, counts: &[usize], added: &[(usize, usize)]) {
    let before: usize = counts[..body].iter().sum();
    for statement in locations.iter_mut().flat_map(|location| &mut location.executes) {
        let own = *statement as usize;
        let made = added.iter().filter(|&&(at, elements)| at < body || (at == body && elements < own)).count();
        *statement = (before + own - 1 + made) as u32;
    }
}

/// Replaces the placeholders of `P@label`.
fn fix_remote_labels(network: &mut Network, locations: &[LocationId]) {
    let mut fix = |e: &mut model::expr::Expr| {
        if let model::expr::Expr::At { location, .. } = e
            && let Some(&known) = locations.get(location.index())
        {
            *location = known;
        }
    };
    for machine in network.machines.iter_mut().chain(&mut network.claims) {
        if let Some(provided) = &mut machine.provided {
            provided.walk_mut(&mut fix);
        }
        for edge in &mut machine.edges {
            edge.action.walk_mut(&mut fix);
        }
    }
    for formula in &mut network.formulas {
        formula.formula.walk_atoms_mut(&mut |atom| {
            if let Atom::State(e) = atom {
                e.walk_mut(&mut fix);
            }
        });
    }
}
