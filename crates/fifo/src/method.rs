//! The entry: a system, a property and a method in, a checked verdict out.

use crate::absint::AbsInt;
use crate::armc::Armc;
use crate::cegar::{CegarSettings, Refining};
use crate::check::is_invariant;
use crate::portfolio::{Portfolio, in_lanes};
use crate::property::Property;
use crate::replay::replay;
use crate::search::Search;
use crate::space::{Control, Space};
use crate::system::{System, SystemError};
use crate::verdict::{Invariant, Report, Run, Statistics, Verdict};
use model::budget::Budget;
use model::context::Context;
use model::reason::Reason;
use queues::{Extrapolation, Language, Limit};
use std::fmt;
use std::sync::Arc;

/// How to look for an answer.
#[derive(Clone)]
pub enum Method {
    /// All of them in turn.
    Auto,
    /// Configuration by configuration, breadth-first.
    Search,
    /// Abstract interpretation, with a restricted extrapolation as widening.
    AbsInt(Arc<dyn Extrapolation>),
    /// Refinement of partition abstractions.
    Cegar(CegarSettings),
    /// Abstract regular model checking.
    Armc(Arc<dyn Extrapolation>),
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Auto => f.write_str("Auto"),
            Method::Search => f.write_str("Search"),
            Method::AbsInt(with) => write!(f, "AbsInt({})", with.name()),
            Method::Cegar(settings) => write!(f, "Cegar({})", settings.name()),
            Method::Armc(with) => write!(f, "Armc({})", with.name()),
        }
    }
}

/// How much an analysis may do and keep, beside its budget.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes, by our own estimate.
    pub memory: Option<usize>,
    /// Elementary steps of work.
    pub steps: Option<u64>,
    /// How many threads may work, each with its share of the memory. Only [`Method::Auto`] uses more than one; which
    /// method answers then depends on the clock. `None` is one.
    pub threads: Option<usize>,
    /// If there are more configurations than this, and finitely many, no sets of queue contents are made of them: the answer
    /// is [`Verdict::Finite`]. `None` is any number.
    pub listed: Option<usize>,
}

/// What a state of an automaton takes while it is built, roughly: that memory is not counted otherwise.
const DRAFT_BYTES: usize = 200;

impl Limits {
    pub(crate) fn for_languages(&self, budget: &Budget) -> queues::Limits {
        let states = queues::Limits::default().states;
        queues::Limits {
            states: self.memory.map_or(states, |bytes| states.min(bytes / DRAFT_BYTES)),
            bytes: self.memory.unwrap_or(usize::MAX),
            steps: self.steps.unwrap_or(u64::MAX),
            budget: budget.clone(),
        }
    }
}

/// What a technique says before anybody has checked it.
pub(crate) enum Answer {
    Safe(Vec<(Control, Language)>),
    Finite,
    Unsafe(Run),
    Stuck(Reason),
}

/// A method at work. It can be stopped by any limit and asked to go on later.
pub(crate) trait Technique {
    fn name(&self) -> String;

    /// Works until there is an answer, or a limit is hit.
    fn advance(&mut self, space: &mut Space<'_>, cx: &Context<'_>) -> Result<Answer, Limit>;

    /// Whether it seems to come to an end by itself, so that a longer turn pays.
    fn converges(&self) -> bool {
        false
    }

    /// Adds what it took.
    fn count(&self, statistics: &mut Statistics);

    /// Gives up for good, and gives back what memory it can; how many bytes that is.
    fn abandon(&mut self) -> usize {
        0
    }
}

impl Method {
    pub(crate) fn technique(&self) -> Box<dyn Technique> {
        match self {
            Method::Auto => Box::new(Portfolio::new()),
            Method::Search => Box::new(Search::new()),
            Method::AbsInt(with) => Box::new(AbsInt::new(with.clone())),
            Method::Cegar(settings) => Box::new(Refining::new(settings.clone())),
            Method::Armc(with) => Box::new(Armc::new(with.clone())),
        }
    }
}

/// Whether the property holds of the system.
pub fn check(system: &System, property: Property, method: &Method, limits: &Limits, cx: &Context<'_>) -> Report {
    match (method, limits.threads) {
        (Method::Auto, Some(threads)) if threads > 1 => in_lanes(system, property, limits, threads, cx),
        _ => examine(system, property, &mut *method.technique(), limits, cx),
    }
}

/// Lets one technique work, and checks what it says.
pub(crate) fn examine(
    system: &System,
    property: Property,
    technique: &mut dyn Technique,
    limits: &Limits,
    cx: &Context<'_>,
) -> Report {
    let mut statistics = Statistics { method: technique.name(), ..Statistics::default() };
    let mut space = match Space::new(system, property, limits.for_languages(cx.budget)) {
        Ok(space) => space,
        Err(SystemError::Limit(limit)) => return inconclusive(limit.into(), statistics),
        Err(error) => return inconclusive(Reason::NotSupported(error.to_string()), statistics),
    };
    space.listed = limits.listed;
    let answer = technique.advance(&mut space, cx);
    let verdict = match answer {
        Ok(answer) => confirm(&mut space, answer).unwrap_or_else(|limit| Err(limit.into())),
        Err(limit) => Err(limit.into()),
    };
    statistics.method = technique.name();
    technique.count(&mut statistics);
    statistics.controls = space.controls();
    statistics.languages = space.languages.count();
    statistics.bytes = space.languages.bytes();
    statistics.steps = space.languages.steps();
    match verdict {
        Ok(Confirmed::Safe(reached)) => {
            // The limits were those of the analysis; what its result is used for is another matter.
            space.languages.set_limits(queues::Limits::default());
            let invariant = Box::new(Invariant { languages: space.languages, reached });
            Report { verdict: Verdict::Safe(invariant), statistics }
        }
        Ok(Confirmed::Finite) => Report { verdict: Verdict::Finite, statistics },
        Ok(Confirmed::Unsafe(run)) => Report { verdict: Verdict::Unsafe(run), statistics },
        Err(reason) => inconclusive(reason, statistics),
    }
}

/// What an engine found did not pass its own check: a fault of the engine.
pub(crate) fn unconfirmed(why: &str) -> Reason {
    Reason::Internal(format!("an answer was found, but not confirmed: {why}"))
}

fn inconclusive(reason: Reason, statistics: Statistics) -> Report {
    Report { verdict: Verdict::Inconclusive(reason), statistics }
}

/// An answer that passed its check.
enum Confirmed {
    Safe(Vec<(Vec<u32>, Language)>),
    Finite,
    Unsafe(Run),
}

fn confirm(space: &mut Space<'_>, answer: Answer) -> Result<Result<Confirmed, Reason>, Limit> {
    match answer {
        Answer::Stuck(reason) => Ok(Err(reason)),
        Answer::Finite => Ok(Ok(Confirmed::Finite)),
        Answer::Safe(reached) => {
            if let Err(why) = is_invariant(space, &reached)? {
                return Ok(Err(unconfirmed(&why)));
            }
            let mut named: Vec<_> =
                reached.iter().map(|&(at, language)| (space.states(at).to_vec(), language)).collect();
            named.sort();
            Ok(Ok(Confirmed::Safe(named)))
        }
        Answer::Unsafe(run) => match replay(space.system, &run) {
            Err(error) => Ok(Err(unconfirmed(&error.to_string()))),
            Ok(configurations) => {
                let Some(last) = configurations.last() else {
                    return Ok(Err(unconfirmed("the run is empty")));
                };
                let bad = space.bad_at(&last.control)?;
                let ends_badly = space.languages.contains(bad, &last.contents());
                let complaint = || unconfirmed("the run does not end in a bad configuration");
                Ok(if ends_badly { Ok(Confirmed::Unsafe(run)) } else { Err(complaint()) })
            }
        },
    }
}
