//! Which capacities a model can see: with another capacity it would do something else, not only the same in another order.
//!
//! A send that waits is seen by an `else` or an escape beside it, by an atomic sequence or a deterministic step around it, by
//! `timeout`, by `enabled`, and by processes of lower priority; how much a channel holds by `full`, `nfull` and `len`.

use model::declared::declaration;
use model::expr::{ChannelTest, Expr};
use model::ids::LocationId;
use model::network::{Action, Edge, Machine, Network};
use model::source::Span;
use std::collections::{BTreeMap, BTreeSet};

const LENGTH: &str = "`full`, `nfull` or `len` looks at it";
const BESIDE: &str = "`else` or `unless` stands beside a send to it";
const ATOMIC: &str = "`atomic` or `d_step` stands around a send to it";
const TIMEOUT: &str = "`timeout` sees whether a send waits";
const OTHERS: &str = "`enabled` or a priority sees whether a send waits";

/// By declaration, what sees its capacity.
pub(crate) struct Observed {
    of: BTreeMap<Span, &'static str>,
    /// This may see any capacity.
    any: Option<&'static str>,
}

impl Observed {
    /// What the processes, claims and formulas of a network see.
    pub(crate) fn new(network: &Network) -> Observed {
        let mut observed = Observed { of: BTreeMap::new(), any: None };
        if network.uses_priorities || network.any_expression(&|e| matches!(e, Expr::Enabled(_))) {
            observed.any = Some(OTHERS);
        }
        if network.any_expression(&|e| matches!(e, Expr::Timeout)) {
            observed.any = Some(TIMEOUT);
        }
        network.walk_all(&mut |machine, e| observed.look(network, machine, e));
        for machine in &network.machines {
            observed.sends(network, machine);
        }
        observed
    }

    /// What sees the capacity of a declaration.
    pub(crate) fn by(&self, declaration: Span) -> Option<&'static str> {
        self.any.or_else(|| self.of.get(&declaration).copied())
    }

    fn look(&mut self, network: &Network, machine: Option<&Machine>, e: &Expr) {
        if let Expr::Channel(ChannelTest::Full | ChannelTest::NotFull | ChannelTest::Len, channel) = e {
            self.add(declaration(network, machine, channel), LENGTH);
        }
    }

    fn add(&mut self, declaration: Option<Span>, why: &'static str) {
        match declaration {
            Some(span) => drop(self.of.entry(span).or_insert(why)),
            None => self.any = self.any.or(Some(why)),
        }
    }

    /// What stands beside and around the sends of a machine.
    fn sends(&mut self, network: &Network, machine: &Machine) {
        let inside: BTreeSet<LocationId> = machine.edges.iter().filter(|e| e.atomic).map(|e| e.to).collect();
        for (index, location) in machine.locations.iter().enumerate() {
            let edges = || location.edges.iter().map(|id| &machine.edges[id.index()]);
            let beside = edges().any(|e| e.escape > 0 || is_else(&e.action));
            for edge in edges() {
                let atomic = edge.atomic || inside.contains(&LocationId::from(index));
                self.edge(network, machine, edge, beside, atomic);
            }
        }
    }

    fn edge(&mut self, network: &Network, machine: &Machine, edge: &Edge, beside: bool, atomic: bool) {
        match &edge.action {
            Action::Send { channel, .. } if beside || atomic => {
                let why = if beside { BESIDE } else { ATOMIC };
                self.add(declaration(network, Some(machine), channel), why);
            }
            Action::Deterministic(body) => {
                for action in body.guard.iter().chain(body.nodes.iter().flatten().map(|choice| &choice.action)) {
                    if let Action::Send { channel, .. } = action {
                        self.add(declaration(network, Some(machine), channel), ATOMIC);
                    }
                }
            }
            _ => {}
        }
    }
}

/// An `else`, also as the guard of a deterministic step.
fn is_else(action: &Action) -> bool {
    match action {
        Action::Else => true,
        Action::Deterministic(step) => matches!(step.guard.as_slice(), [Action::Else]),
        _ => false,
    }
}
