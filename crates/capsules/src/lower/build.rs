//! A machine in the making: locations, edges and variables.

use super::process_type;
use model::expr::{Expr, Place, Scope};
use model::ids::{LocationId, VariableId};
use model::network::{Action, Edge, Initial, Location, Machine, ScalarType, Variable};
use model::source::Span;

/// A machine in the making.
pub(super) struct Build {
    pub(super) locations: Vec<Location>,
    pub(super) edges: Vec<Edge>,
    pub(super) variables: Vec<Variable>,
    span: Span,
}

impl Build {
    pub(super) fn new(span: Span) -> Build {
        Build { locations: Vec::new(), edges: Vec::new(), variables: Vec::new(), span }
    }

    pub(super) fn location(&mut self) -> LocationId {
        self.locations.push(Location { span: Some(self.span), ..Location::default() });
        LocationId::from(self.locations.len() - 1)
    }

    pub(super) fn label(&mut self, location: LocationId, label: &str, end: bool) {
        let location = &mut self.locations[location.index()];
        location.labels.push(label.to_owned());
        location.end = end;
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

    /// Between two sends a machine keeps control: nothing that it does there concerns another one.
    pub(super) fn make_atomic(&mut self, waits: &[LocationId]) {
        for index in 0..self.edges.len() {
            let to = self.edges[index].to;
            let sends = |e: &model::ids::EdgeId| matches!(self.edges[e.index()].action, Action::Send { .. });
            let interrupted = waits.contains(&to) || self.locations[to.index()].edges.iter().any(sends);
            self.edges[index].atomic = !interrupted;
        }
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
