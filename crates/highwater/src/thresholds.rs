//! Which capacities `full` and `nfull` compare with: with another capacity, such a test would mean something else.

use model::declared::declaration;
use model::expr::{ChannelTest, Expr};
use model::network::Network;
use model::source::Span;
use std::collections::BTreeSet;

/// The declarations of channels whose capacity is tested.
pub(crate) enum Thresholds {
    /// These.
    Of(BTreeSet<Span>),
    /// A test is about a channel that was assigned, received or passed on: it may be any.
    Any,
}

impl Thresholds {
    /// Those of a model, its claims and its formulas.
    pub(crate) fn of(network: &Network) -> Thresholds {
        let mut found = Some(BTreeSet::new());
        network.walk_all(&mut |machine, expression| {
            if let Expr::Channel(ChannelTest::Full | ChannelTest::NotFull, channel) = expression {
                let span = declaration(network, machine, channel);
                found = found.take().zip(span).map(|(mut spans, span)| {
                    spans.insert(span);
                    spans
                });
            }
        });
        found.map_or(Thresholds::Any, Thresholds::Of)
    }

    /// Whether the capacity of a declaration may be tested.
    pub(crate) fn may_test(&self, declaration: Span) -> bool {
        match self {
            Thresholds::Of(spans) => spans.contains(&declaration),
            Thresholds::Any => true,
        }
    }
}
