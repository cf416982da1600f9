//! The last look at a cycle without progress, and its words.
//!
//! The lasso is replayed in the model's own semantics: it must be a cycle, and nothing in it may be progress. If that fails, there
//! is no violation.

use super::judge::Judge;
use super::{Lasso, ProgressOf};
use model::chart::Chart;
use model::semantics::{Semantics, Step, Stepper};
use model::source::SourceMap;
use model::trace::Narrator;

/// Replays a lasso and puts it into words; `None` if it is not a cycle, or if there is progress in it.
pub(super) fn witness(
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    progress: &ProgressOf<'_>,
    lasso: &Lasso,
) -> Option<Chart> {
    let mut narrator = Narrator::new(semantics, sources);
    let start = narrator.replay(&lasso.stem).ok()?;
    let all: Vec<Step> = lasso.stem.iter().chain(&lasso.cycle).copied().collect();
    let end = narrator.replay(&all).ok()?;
    let mut stepper = semantics.stepper();
    let settled = |stepper: &mut Stepper<'_>, state: &[u8], control: Option<u32>| {
        control.filter(|&process| stepper.keeps_control(state, process) == Ok(true))
    };
    let controls = (settled(&mut stepper, &start.state, start.control), settled(&mut stepper, &end.state, end.control));
    if lasso.cycle.is_empty() || start.state != end.state || controls.0 != controls.1 {
        return None;
    }
    if makes_progress(semantics, progress, &start.state, start.control, &lasso.cycle)? {
        return None;
    }
    let (problem, problem_code) = words();
    Some(Chart { loop_from: Some(lasso.stem.len()), problem, problem_code, ..narrator.chart(end) })
}

/// What is wrong with such a run, and the short name of it.
pub(crate) fn words() -> (String, &'static str) {
    (String::from("non-progress cycle"), "non-progress-cycle")
}

/// Whether there is progress in a cycle; `None` if it does not run. Inner states of atomic sequences count only where
/// the cycle has no others.
fn makes_progress(
    semantics: &Semantics<'_>,
    progress: &ProgressOf<'_>,
    start: &[u8],
    control: Option<u32>,
    cycle: &[Step],
) -> Option<bool> {
    let (mut stepper, mut judge) = (semantics.stepper(), Judge::new(semantics, progress));
    stepper.listen();
    let (mut state, mut control) = (start.to_vec(), control);
    let (mut inner, mut outer, mut events) = (false, Vec::new(), false);
    for &wanted in cycle {
        control = control.filter(|&process| stepper.keeps_control(&state, process) == Ok(true));
        let is_progress = judge.is_state(&state);
        match control {
            Some(_) => inner |= is_progress,
            None => outer.push(is_progress),
        }
        let mut next = None;
        stepper
            .expand(&state, control, &mut |successor| {
                if let (true, None, Some(after)) = (successor.step == wanted, &next, successor.state) {
                    events |= judge.is_event(&state, &successor);
                    next = Some((after.to_vec(), successor.control));
                }
            })
            .ok()?;
        (state, control) = next?;
    }
    Some(events || if outer.is_empty() { inner } else { outer.contains(&true) })
}
