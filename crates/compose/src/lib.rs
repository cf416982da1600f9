//! State/event properties and deadlock of compositions, component by component.
//!
//! * In: a [`Composition`] and a [`Question`].
//! * Out: an [`Answer`]: a proof that a small checker accepts, or a run that the model's semantics replay.
//!
//! Five methods (the paper is Chaki and others, *Concurrent software verification with states, events, and deadlocks*):
//!
//! * `plain`: the product on the fly (`product`, `table`, `search`, `lasso`).
//! * `refine`: Figs. 4 and 8 of the paper, and a less patient version (`partition`, `projection`, `assemble`, `trace`).
//! * `minimise`: compose, hide, minimise, along a tree of components.
//! * `counting`: linear invariants of all components, for those that count.
//! * `auto`: all of them in slices.
//!
//! What only fair runs keep is answered by `fair`, and progress under fair choice by `progress`: products, too.
//!
//! This crate never prints. A limit that is hit is a reason, never an answer.

mod assemble;
mod auto;
mod components;
mod counting;
pub mod equivalence;
mod fair;
mod lasso;
mod lts;
mod meter;
mod minimise;
mod partition;
mod plain;
mod problem;
mod product;
mod progress;
mod projection;
mod refine;
mod search;
mod stubborn;
mod stuttering;
mod table;
mod trace;
pub mod vacuity;
mod watch;

pub use model::composition::Question;

use lts::TAU;
use meter::Meter;
use model::composition::{Composition, Run};
use model::composition_proof::CompositionProof;
use model::context::Context;
use model::fairness::Fairness;
use model::reason::Reason;
use problem::Problem;
use refine::Manner;
use trace::RefinementTrace;

/// The name of the engine.
pub const ENGINE: &str = "compose";

/// How it is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Whatever comes to an end first.
    #[default]
    Auto,
    /// The product of all components, on the fly: the baseline.
    Plain,
    /// The paper's algorithms: Fig. 4 for formulas, Fig. 8 for deadlock; one split an iteration.
    Paper,
    /// The same with better first partitions and several splits an iteration.
    Refine,
    /// Compose, hide, minimise, one component after the other.
    Minimise,
    /// Linear invariants over the states of all components, and a SAT solver.
    Count,
    /// Stubborn sets, for deadlock only: a run, if there is one, and no proof.
    Stubborn,
}

/// An answer, and what was counted on the way.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub verdict: Verdict,
    /// What was counted.
    pub statistics: Statistics,
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds.
    Holds(Box<CompositionProof>),
    /// A run that violates it.
    Fails(Box<Run>),
    /// Not known.
    Inconclusive(Reason),
}

/// What was counted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// The method that answered, as text.
    pub method: String,
    /// Refinements of the partitions.
    pub iterations: u64,
    /// The most abstract states that were looked at at once.
    pub abstract_states: u64,
    /// Classes of each component at the end.
    pub classes: Vec<u64>,
    /// States of the automaton of the negated formula.
    pub automaton_states: u64,
    /// Bytes, estimated.
    pub memory_bytes: u64,
}

/// Answers a question.
pub fn check(composition: &Composition, question: Question<'_>, method: Method, cx: &Context<'_>) -> Answer {
    let mut statistics = Statistics::default();
    let meter = Meter::new(cx);
    let mut trace = RefinementTrace::new(composition, cx);
    let verdict = meter
        .look()
        .and_then(|()| Problem::new(composition, question, cx.budget))
        .and_then(|problem| answer(&problem, method, &meter, &mut trace, &mut statistics))
        .unwrap_or_else(Verdict::Inconclusive);
    statistics.abstract_states = statistics.abstract_states.max(meter.most_states());
    statistics.memory_bytes = statistics.memory_bytes.max(meter.most_bytes());
    Answer { verdict, statistics }
}

fn answer(
    problem: &Problem<'_>,
    method: Method,
    meter: &Meter<'_>,
    trace: &mut RefinementTrace<'_>,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    statistics.automaton_states = problem.watch.as_ref().map_or(0, |watch| watch.states.len() as u64);
    let verdict = match problem.question {
        Question::Progress(wanted, fair) => {
            if !matches!(method, Method::Auto | Method::Plain) {
                let why = "progress is answered by the product: leave out --method";
                return Err(Reason::NotSupported(String::from(why)));
            }
            match fair {
                Fairness::Choice => by(statistics, "plain", |_| progress::progress(problem, wanted, meter))?,
                _ => fair::progress(problem, (wanted, fair), meter, statistics)?,
            }
        }
        Question::Fair(formula, fair) => fair::formula(problem, (formula, fair), method, meter, trace, statistics)?,
        Question::Deadlock | Question::Safety | Question::Formula(_) => {
            answer_by(problem, method, meter, trace, statistics)?
        }
    };
    confirmed(problem, verdict)
}

/// By a method, whichever runs the question is about.
fn answer_by(
    problem: &Problem<'_>,
    method: Method,
    meter: &Meter<'_>,
    trace: &mut RefinementTrace<'_>,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    match method {
        Method::Auto => auto::auto(problem, meter, trace, statistics),
        Method::Plain => by(statistics, "plain", |_| plain::plain(problem, meter)),
        Method::Paper => by(statistics, "paper", |statistics| {
            refine::refine(problem, Manner::Paper, u64::MAX, meter, trace, statistics)
        }),
        Method::Refine => by(statistics, "refine", |statistics| {
            refine::refine(problem, Manner::Eager, u64::MAX, meter, trace, statistics)
        }),
        Method::Count => by(statistics, "count", |_| counting::count(problem, meter)),
        Method::Stubborn => by(statistics, "stubborn", |_| plain::deadlock(problem, meter)),
        Method::Minimise => {
            by(statistics, "minimise", |statistics| minimise::minimise(problem, meter, trace, statistics))
        }
    }
}

/// A run counts if it replays.
fn confirmed(problem: &Problem<'_>, verdict: Verdict) -> Result<Verdict, Reason> {
    match verdict {
        Verdict::Fails(run) if !problem.confirms(&run) => {
            let reason = "a counterexample was found, but its run did not replay";
            Err(Reason::Internal(String::from(reason)))
        }
        verdict => Ok(verdict),
    }
}

/// Notes who answered.
fn by<T>(statistics: &mut Statistics, method: &str, work: impl FnOnce(&mut Statistics) -> T) -> T {
    statistics.method = String::from(method);
    work(statistics)
}
