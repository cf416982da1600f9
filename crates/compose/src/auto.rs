//! All methods in slices: a short plain search first, then the others, each with more and more states.

use crate::meter::Meter;
use crate::problem::Problem;
use crate::refine::{Manner, refine};
use crate::trace::RefinementTrace;
use crate::{Statistics, Verdict, by, counting, minimise, plain};
use model::verdict::Reason;

/// The states of the first slice, and how much more each next one has.
const FIRST: u64 = 20_000;
const FACTOR: u64 = 8;
/// The iterations of the first slice.
const ITERATIONS: u64 = 50;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Plain,
    Stubborn,
    Refine,
    Minimise,
    Count,
}

/// Answers by whatever comes to an end first.
pub(crate) fn auto(
    problem: &Problem<'_>,
    meter: &Meter<'_>,
    trace: &mut RefinementTrace<'_>,
    statistics: &mut Statistics,
) -> Result<Verdict, Reason> {
    // Where stuttering counts, little can be merged.
    let order = match problem.sees_stuttering {
        true => [Method::Plain, Method::Stubborn, Method::Count, Method::Refine, Method::Minimise],
        false => [Method::Plain, Method::Stubborn, Method::Count, Method::Minimise, Method::Refine],
    };
    let mut given_up: Vec<Method> = Vec::new();
    // A proof that the plain search found and that takes more states to check than to find.
    let mut costly: Option<Verdict> = None;
    let (mut states, mut iterations) = (FIRST, ITERATIONS);
    loop {
        for method in order.into_iter().filter(|method| !given_up.contains(method)).collect::<Vec<Method>>() {
            let slice = meter.slice(states);
            let found = match method {
                Method::Plain => by(statistics, "plain", |_| plain::plain_and_checkable(problem, &slice)),
                Method::Stubborn => {
                    by(statistics, "stubborn", |_| plain::deadlock(problem, &slice).map(|found| (found, true)))
                }
                // It is as good as it gets the first time.
                Method::Count => by(statistics, "count", |_| {
                    given_up.push(method);
                    counting::count(problem, meter).map(|found| (found, true))
                }),
                Method::Refine => by(statistics, "refine", |statistics| {
                    refine(problem, Manner::Eager, iterations, &slice, trace, statistics).map(|found| (found, true))
                }),
                Method::Minimise => by(statistics, "minimise", |statistics| {
                    minimise::minimise(problem, &slice, trace, statistics).map(|found| (found, true))
                }),
            };
            statistics.abstract_states = slice.most_states();
            statistics.memory_bytes = statistics.memory_bytes.max(slice.most_bytes());
            match found {
                Ok((Verdict::Fails(run), _)) if !problem.confirms(&run) => given_up.push(method),
                Ok((verdict, true)) => return Ok(verdict),
                Ok((verdict, false)) => costly = Some(verdict),
                Err(Reason::States) => {}
                Err(Reason::NotProvable(_) | Reason::NotSupported(_)) => given_up.push(method),
                Err(reason) => return costly_or(costly, reason, statistics),
            }
        }
        if meter.is_whole(states) || given_up.len() == order.len() {
            return costly_or(costly, Reason::States, statistics);
        }
        states = states.saturating_mul(FACTOR);
        iterations = iterations.saturating_mul(FACTOR);
    }
}

/// The proof that is left when nothing better was found.
fn costly_or(costly: Option<Verdict>, reason: Reason, statistics: &mut Statistics) -> Result<Verdict, Reason> {
    if costly.is_some() {
        statistics.method = String::from("plain");
    }
    costly.ok_or(reason)
}
