//! Processes that are created without end, and then send one after the other: `do :: run W() :: break od; go = 1`, where each `W`
//! waits for `go`.
//!
//! No loop fills a channel here. The first stage is a loop that leaves everything as it was, and one process more, always in
//! the same finite state: the *crowd*, as large as one likes. Some steps of the old processes follow. The second stage is what one
//! of the crowd does then, perhaps with old processes: after it all variables and all old processes are again as they were, and
//! some channel is longer. Each of the crowd can do the same in its turn, since nothing on the way looks at numbers of processes
//! or at bystanders (`dependence.rs`, as where processes multiply), and every channel that moves holds a prefix of one infinite
//! word, as in a loop. So for every `N` there is a run after which the channel holds `N` messages more.

use super::{GrowingRun, ROUNDS, Refusal, Replay, Taken, check_owners, images, letters, pumped, recast};
use crate::configuration::Configuration;
use crate::context::Context;
use crate::growth::parts::returned;
use crate::semantics::{Semantics, Step};
use std::collections::BTreeMap;

/// Decides whether the second stage is what each process can do that the first stage creates; then says what one of them adds.
pub(super) fn verify(
    semantics: &Semantics<'_>,
    run: &GrowingRun,
    cx: &Context<'_>,
) -> Result<Vec<Vec<(String, i64)>>, Refusal> {
    let [create, send] = run.stages.as_slice() else { return Err(Refusal::NoLoop) };
    if !create.between.is_empty() || !create.others.is_empty() || !send.others.is_empty() {
        return Err(Refusal::NoLoop);
    }
    let mut replay = begin(semantics, &run.prefix, cx)?;
    let creation = replay.follow(&create.steps)?;
    let (old, same) = replay.creates(&creation)?;
    replay.without_control()?;
    let between = replay.follow(&send.between)?;
    replay.without_control()?;
    // Whoever moves here was there before, and the only one of the crowd stands by.
    if !between.iter().all(|taken| taken.is_by(&|process| process < old)) {
        return Err(Refusal::Lives);
    }
    replay.keeps(&between, old + 1)?;
    replay.traffic(&between, &BTreeMap::new(), true)?;
    let round = replay.follow(&send.steps)?;
    replay.without_control()?;
    replay.keeps(&round, old + 1)?;
    let gains = replay.sends(&round, old)?;
    // Not for the proof, but against mistakes in it.
    let mut replay = begin(semantics, &run.prefix, cx)?;
    replay.follow(&create.steps)?;
    replay.repeat(&create.steps, &same, old, ROUNDS)?;
    replay.follow(&send.between)?;
    for member in old..old + ROUNDS {
        let player = |process: u32| if process as usize == old { member as u32 } else { process };
        let cast: Vec<Step> = send.steps.iter().map(|&step| recast(step, &player)).collect();
        replay.follow(&cast)?;
    }
    Ok(vec![Vec::new(), gains])
}

/// After the steps to the first loop.
fn begin<'s>(semantics: &'s Semantics<'s>, prefix: &[Step], cx: &'s Context<'s>) -> Result<Replay<'s>, Refusal> {
    let mut replay = Replay::begin(semantics, prefix, cx)?;
    replay.without_control()?;
    Ok(replay)
}

impl Replay<'_> {
    fn without_control(&mut self) -> Result<(), Refusal> {
        if self.in_control()? == (None, None) { Ok(()) } else { Err(Refusal::NoLoop) }
    }

    /// A round leaves everything as it was and one process more; how many there were, and each for itself.
    fn creates(&self, trace: &[Taken]) -> Result<(usize, Vec<usize>), Refusal> {
        let (before, after) = ends(trace)?;
        let old = before.process_count();
        let same = images(self.semantics, before, after).ok_or(Refusal::FinitePart)?;
        if after.process_count() != old + 1 || !same.iter().enumerate().all(|(process, image)| process == *image) {
            return Err(Refusal::FinitePart);
        }
        self.check_lives(trace, &same)?;
        if !self.changed(before, after)?.is_empty() {
            return Err(Refusal::NoLoop);
        }
        self.traffic(trace, &BTreeMap::new(), true)?;
        Ok((old, same))
    }

    /// No process is created or ends on the way.
    fn keeps(&self, trace: &[Taken], count: usize) -> Result<(), Refusal> {
        let kept = |state: &Configuration| state.process_count() == count;
        if trace.iter().all(|taken| kept(&taken.before) && kept(&taken.after)) { Ok(()) } else { Err(Refusal::Lives) }
    }

    /// What one of the crowd adds to channels, if the next one can do the same.
    fn sends(&self, trace: &[Taken], old: usize) -> Result<Vec<(String, i64)>, Refusal> {
        let (before, after) = ends(trace)?;
        if !returned(self.semantics, before, after, old) {
            return Err(Refusal::FinitePart);
        }
        let own = self.changed(before, after)?;
        if own.is_empty() {
            return Err(Refusal::NoGrowth);
        }
        let moving = self.fronts(trace, &own);
        check_owners(trace, &moving)?;
        let traffic = self.traffic(trace, &moving, true)?;
        for &queue in &own {
            let (sent, received) = traffic.get(&queue).cloned().unwrap_or_default();
            pumped(letters(self.semantics, before, queue), sent, received)?;
        }
        Ok(self.gains(before, after))
    }
}

impl Taken {
    /// Whether all who take part are such processes.
    fn is_by(&self, whom: &dyn Fn(usize) -> bool) -> bool {
        self.players().iter().all(|&(process, _)| whom(process))
    }
}

fn ends(trace: &[Taken]) -> Result<(&Configuration, &Configuration), Refusal> {
    let (first, last) = (trace.first().ok_or(Refusal::NoLoop)?, trace.last().ok_or(Refusal::NoLoop)?);
    Ok((&first.before, &last.after))
}
