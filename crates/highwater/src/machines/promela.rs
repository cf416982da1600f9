//! Promela models whose channels have no bounds: who answers, and for how long.
//!
//! A search comes to an end if no channel grows without end, and then its answer is the simplest. So it goes first, for a
//! while. If it was not enough, the static engine says whether every channel is bounded, or a search that looks at their
//! lengths. If so, the states are finitely many, and a search with partial-order reduction gets most of the time, first a little in depth: what is bad may be at
//! the end of a long run. Its answer is one for channels of any length, since none of them was cut off. Otherwise only
//! runs count that such a search finds in depth: the checker, which visits all states, would not come to an end. Then the
//! model is folded into plain machines, where it can be, and the engine for queues of any length is asked. What neither
//! has answered the search tries with the time that is left.

use crate::error::Error;
use crate::evidence::{Answer, Claim};
use crate::networks::{Networks, one_search};
use crate::settings::{Engine, Reduction, SearchOrder};
use explore::growth::{GrowthOptions, GrowthReport, growth};
use model::budget::Budget;
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::Property;

/// A search of more states than this takes longer than asking the other engine first.
const FIRST_STATES: u64 = 300_000;

impl Networks<'_> {
    /// Safety, deadlock, reception and orphans of a Promela model for channels of any length.
    pub(crate) fn unbounded(&self, properties: Vec<Property>, cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        if self.settings().engine == Engine::Fifo {
            return self.machines(&cx.budget.slice(25))?.check(&properties, cx);
        }
        // Properties of queues are for machines, with half of the time at most.
        let (queues, properties): (Vec<Property>, Vec<Property>) =
            properties.into_iter().partition(|p| matches!(p, Property::Reception | Property::Orphan));
        let mut answers = Vec::new();
        if !queues.is_empty() {
            let half = cx.budget.slice(if properties.is_empty() { 100 } else { 50 });
            answers = self.machines(&half)?.check(&queues, &cx.with(&half))?;
        }
        answers.extend(self.searched(properties, cx)?);
        Ok(answers)
    }

    /// The questions that a search answers, too.
    fn searched(&self, properties: Vec<Property>, cx: &Context<'_>) -> Result<Vec<Answer>, Error> {
        if properties.is_empty() {
            return Ok(Vec::new());
        }
        let settings = self.settings();
        let search = |properties, budget: &Budget| {
            self.search(properties, (settings.search, settings.reduction), &cx.with(budget))
        };
        // Who asks for one kind of search, or limits it, gets it.
        if one_search(settings) || cx.budget.most_states().is_some() {
            return search(properties, cx.budget);
        }
        let mut answers = search(properties, &cx.budget.slice(25).states(FIRST_STATES))?;
        if cx.budget.is_cancelled() || answers.iter().any(is_violated) || !open(&answers) {
            return Ok(answers);
        }
        let reduction = if settings.reduction == Reduction::None { Reduction::None } else { Reduction::Order };
        let finite = is_finite(self.network(), reduction, cx);
        let (deep, wide) = (cx.budget.slice(20).states(FIRST_STATES), cx.budget.slice(75));
        for (order, budget) in [(SearchOrder::Depth, deep), (settings.search, wide)] {
            if open(&answers) && (finite || order == SearchOrder::Depth) {
                let found = self.search(still_open(&answers), (order, reduction), &cx.with(&budget))?;
                replace(&mut answers, found.into_iter().filter(|answer| finite || is_violated(answer)));
            }
        }
        if cx.budget.is_cancelled() || !open(&answers) {
            return Ok(answers);
        }
        let machines = self.machines(&cx.budget.slice(if finite { 40 } else { 10 }))?;
        if machines.fits() {
            let most = cx.budget.slice(if finite { 100 } else { 90 });
            let found = machines.check(&still_open(&answers), &cx.with(&most))?;
            replace(&mut answers, found);
        }
        if !finite && !cx.budget.is_cancelled() && open(&answers) {
            let found = search(still_open(&answers), cx.budget)?;
            replace(&mut answers, found);
        }
        Ok(answers)
    }
}

/// Whether there are finitely many states, by what the static engine says in a moment, or a search that looks at lengths.
/// Nothing is proved by that here: it is asked to spend the time well.
fn is_finite(network: &Network, reduction: Reduction, cx: &Context<'_>) -> bool {
    let report = flow::check(network, &flow::Question::Boundedness, &cx.with(&cx.budget.slice(10)));
    let options = GrowthOptions { stop_at_first: true, reduction: reduction.into(), ..GrowthOptions::default() };
    let search = || growth(&Semantics::new(network, Reading::Unbounded), &options, &cx.with(&cx.budget.slice(25)));
    let visits_all = |report: GrowthReport| report.complete && report.crashed.is_none();
    if report.complete { report.queues.iter().all(|queue| queue.bounded) } else { visits_all(search()) }
}

fn still_open(answers: &[Answer]) -> Vec<Property> {
    answers.iter().filter(|answer| answer.is_open()).map(|answer| answer.outcome.property.clone()).collect()
}

fn is_violated(answer: &Answer) -> bool {
    matches!(answer.claim, Claim::Violated(_))
}

fn open(answers: &[Answer]) -> bool {
    answers.iter().any(Answer::is_open)
}

/// Takes better answers instead of those that are none, and the last answer where all are.
fn replace(answers: &mut [Answer], others: impl IntoIterator<Item = Answer>) {
    for other in others {
        if let Some(answer) = answers.iter_mut().find(|answer| answer.outcome.property == other.outcome.property) {
            let time = answer.outcome.time + other.outcome.time;
            *answer = other;
            answer.outcome.time = time;
        }
    }
}
