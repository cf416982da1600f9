//! A machine in the making: locations, edges and variables.

use super::process_type;
use model::expr::{Expr, Place, Scope};
use model::ids::{EdgeId, LocationId, VariableId};
use model::network::{Action, Edge, Initial, Location, Machine, ScalarType, Telling, Variable};
use model::source::Span;
use std::collections::{BTreeMap, HashSet};

/// The most locations that one edge is led past.
const LONGEST: usize = 100;

/// A machine in the making.
pub(super) struct Build {
    pub(super) locations: Vec<Location>,
    pub(super) edges: Vec<Edge>,
    pub(super) variables: Vec<Variable>,
    /// Edges that guess.
    pub(super) havoc: Vec<EdgeId>,
    /// What is told of edges and of places.
    pub(super) told: BTreeMap<EdgeId, Telling>,
    pub(super) states: BTreeMap<LocationId, String>,
    pub(super) wrong: BTreeMap<LocationId, String>,
    span: Span,
}

impl Build {
    pub(super) fn new(span: Span) -> Build {
        let (locations, edges, variables, havoc) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (told, states, wrong) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Build { locations, edges, variables, havoc, told, states, wrong, span }
    }

    /// What is told of the edge that was made last.
    pub(super) fn tell(&mut self, telling: Telling) {
        if let Some(last) = self.edges.len().checked_sub(1) {
            self.told.insert(last.into(), telling);
        }
    }

    pub(super) fn says(&mut self, text: impl Into<String>) {
        self.tell(Telling::Says(text.into()));
    }

    pub(super) fn location(&mut self) -> LocationId {
        self.locations.push(Location { span: Some(self.span), ..Location::default() });
        LocationId::from(self.locations.len() - 1)
    }

    pub(super) fn label(&mut self, location: LocationId, label: &str, end: bool) {
        let location = &mut self.locations[location.index()];
        location.labels.push(label.to_owned());
        location.end |= end;
    }

    pub(super) fn edge(&mut self, from: LocationId, to: LocationId, action: Action, span: Span) {
        let id = self.edges.len();
        self.edges.push(Edge { from, to, action, atomic: false, escape: 0, span });
        self.locations[from.index()].edges.push(id.into());
    }

    /// An edge to a new location.
    pub(super) fn then(&mut self, from: LocationId, action: Action, span: Span) -> LocationId {
        let to = self.location();
        self.edge(from, to, action, span);
        to
    }

    pub(super) fn variable(&mut self, name: String, ty: ScalarType, initial: i32, span: Span) -> VariableId {
        let initial = if initial == 0 { Initial::Zero } else { Initial::Value(Expr::Const(initial)) };
        self.variables.push(Variable { name, ty, dimensions: Vec::new(), initial, span });
        VariableId::from(self.variables.len() - 1)
    }

    /// How far it is built.
    pub(super) fn mark(&self) -> (usize, usize, usize) {
        (self.locations.len(), self.edges.len(), self.havoc.len())
    }

    /// Drops what was built since then.
    pub(super) fn back_to(&mut self, &(locations, edges, havoc): &(usize, usize, usize)) {
        self.locations.truncate(locations);
        self.edges.truncate(edges);
        self.havoc.truncate(havoc);
        self.told.retain(|edge, _| edge.index() < edges);
        self.wrong.retain(|location, _| location.index() < locations);
        for location in &mut self.locations {
            location.edges.retain(|edge| edge.index() < edges);
        }
    }

    /// Edges lead past locations where nothing happens. Of a loop of such locations one is left.
    pub(super) fn shorten(&mut self) {
        let guesses: HashSet<&EdgeId> = self.havoc.iter().collect();
        let next = |at: LocationId| {
            let location = &self.locations[at.index()];
            let [only] = location.edges[..] else { return None };
            let edge = &self.edges[only.index()];
            let nothing = edge.action == Action::Skip && location.labels.is_empty() && !guesses.contains(&only);
            nothing.then_some(edge.to)
        };
        let end = |at| std::iter::successors(Some(at), |&at| next(at)).take(LONGEST).last().unwrap_or(at);
        let ends: Vec<LocationId> = self.edges.iter().map(|edge| end(edge.to)).collect();
        self.edges.iter_mut().zip(ends).for_each(|(edge, end)| edge.to = end);
    }

    pub(super) fn machine(self, name: String, initial: LocationId, span: Span) -> Machine {
        let Build { locations, edges, variables, .. } = self;
        Machine { locations, edges, variables, initial, ..process_type(name, span) }
    }
}

/// A variable of the machine.
pub(super) fn place(variable: VariableId, span: Span) -> Place {
    Place { scope: Scope::Local, variable, indices: Vec::new(), span }
}

/// Its value.
pub(super) fn value(variable: VariableId, span: Span) -> Expr {
    Expr::Read(place(variable, span))
}
