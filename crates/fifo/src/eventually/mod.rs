//! That something stays possible: a machine that has not ended can move again, a queue that is not empty can give away its
//! head. These are AG EF: no single run shows that it fails, and no inductive set alone that it holds.
//!
//! Each machine, or each channel, is an *obligation*: open where the machine has transitions, or the channel a message, and
//! discharged by a transition of the machine, or a receive from the channel. Losses are no transitions.
//!
//! Configurations are listed, breadth-first (`graph.rs`). If an obligation is open where it cannot be discharged by what
//! follows, and all of that is listed, it is violated; if all configurations are listed, and that is nowhere so, it holds.
//! Where they do not come to an end, an invariant is ranked (`ranking.rs`): that is a proof for queues of any length. What
//! can be closed sets without end, by the part that is listed, are candidates, in which the replayer looks for one.

mod graph;
mod ranking;

use crate::method::{Limits, Technique};
use crate::property::Property;
use crate::search::Search;
use crate::space::Space;
use crate::system::{Op, System, SystemError};
use crate::verdict::{Run, Statistics};
use graph::Graph;
use model::context::Context;
use model::queue_ranking::QueueRanking;
use model::reason::Reason;
use queues::Limit;

/// So many configurations are expanded at first.
const FIRST: usize = 1 << 12;
/// Queues that do not get longer than this do not grow, until so many configurations were expanded.
const SHORT: u16 = 8;
const MANY: usize = 1 << 16;
/// How many times more are, where no queue gets longer; where some do, a few times only.
const TIMES: usize = 4;
const MOST_GROWING: usize = 1 << 18;

/// What an obligation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Machines: each can move again, or has no transitions.
    Machines,
    /// Channels: each can give away its head, or is empty.
    Channels,
}

impl Kind {
    /// What a property is about, if it says that something stays possible.
    pub fn of(property: &model::verdict::Property) -> Option<Kind> {
        match property {
            model::verdict::Property::PartialDeadlock => Some(Kind::Machines),
            model::verdict::Property::EventualReception => Some(Kind::Channels),
            _ => None,
        }
    }

    /// What a transition discharges.
    fn discharged(self, machine: usize, op: Op) -> Option<usize> {
        match (self, op) {
            (Kind::Machines, _) => Some(machine),
            (Kind::Channels, Op::Receive(channel, _)) => Some(channel),
            (Kind::Channels, _) => None,
        }
    }

    /// How many obligations there are.
    fn count(self, system: &System) -> usize {
        match self {
            Kind::Machines => system.machines.len(),
            Kind::Channels => system.channels,
        }
    }
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// It holds of all configurations, which are finitely many.
    Finite,
    /// It holds, by this proof.
    Ranked(Box<QueueRanking>),
    /// A run to a configuration from which an obligation that is open there is never discharged.
    Stuck(Run),
    /// There is no answer.
    Open(Reason),
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The system; what is bad in it does not matter.
    pub system: &'a System,
    /// What must stay possible.
    pub kind: Kind,
    /// Whether a ranking of it is of use.
    pub ranks: bool,
}

/// Looks for an answer. `accepts` is asked about candidates, and says whether one is a violation.
pub fn check(
    question: &Question<'_>,
    limits: &Limits,
    cx: &Context<'_>,
    accepts: &mut dyn FnMut(&Run) -> bool,
) -> (Found, Statistics) {
    let Question { system, kind, ranks } = *question;
    let plain = System { bad: Vec::new(), ..system.clone() };
    let mut statistics = Statistics { method: String::from("search"), ..Statistics::default() };
    let mut space = match Space::new(&plain, Property::BadStates, limits.for_languages(cx.budget)) {
        Ok(space) => space,
        Err(SystemError::Limit(limit)) => return (Found::Open(limit.into()), statistics),
        Err(error) => return (Found::Open(Reason::NotSupported(error.to_string())), statistics),
    };
    let mut search = Search::new();
    let mut look = Look { kind, ranks, statistics: &mut statistics, accepts };
    let found = look.at(&mut space, &mut search, cx).unwrap_or_else(|limit| Found::Open(limit.into()));
    statistics.configurations = search.size().0;
    statistics.controls = space.controls();
    statistics.languages = space.languages.count();
    statistics.bytes = space.languages.bytes();
    statistics.steps = space.languages.steps();
    (found, statistics)
}

struct Look<'a> {
    kind: Kind,
    /// A ranking is to be looked for.
    ranks: bool,
    statistics: &'a mut Statistics,
    accepts: &'a mut dyn FnMut(&Run) -> bool,
}

impl Look<'_> {
    fn at(&mut self, space: &mut Space<'_>, search: &mut Search, cx: &Context<'_>) -> Result<Found, Limit> {
        if !Search::can_list(space.system) {
            return Ok(Found::Open(Reason::NotSupported("a machine with more than 65,535 states or messages".into())));
        }
        let mut most = FIRST;
        loop {
            let all = search.explore(space, most, cx)?;
            let graph = Graph::new(space, search, self.kind)?;
            if let Some(stuck) = graph.stuck() {
                return Ok(Found::Stuck(search.run_to(space, stuck)));
            }
            if all {
                return Ok(Found::Finite);
            }
            let grows = !search.converges() && (search.longest() > SHORT || most >= MANY);
            if grows
                && std::mem::take(&mut self.ranks)
                && let Some((proof, method)) = ranking::find(space, self.kind, cx)?
            {
                self.statistics.method = method;
                return Ok(Found::Ranked(Box::new(proof)));
            }
            if grows && most > MOST_GROWING {
                let why = "queues grow, no ranking was found, and no configuration from which nothing leads on";
                return Ok(Found::Open(Reason::NotProvable(why.into())));
            }
            for candidate in graph.candidates(space, search) {
                let run = search.run_to(space, candidate);
                if (self.accepts)(&run) {
                    return Ok(Found::Stuck(run));
                }
            }
            most = most.saturating_mul(TIMES);
        }
    }
}
