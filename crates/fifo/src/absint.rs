//! Abstract interpretation: one language for each control state, grown and extrapolated until nothing is missing.
//!
//! After Le Gall, Jeannet and Jéron (2006); section 7.1 of the paper recommends it as the first thing to try. Each
//! control state has a language. A move that leads out of the language of its target enlarges it; from some enlargement
//! on, an extrapolation is applied as well, and since a *restricted* one has finitely many results, that comes to an end.
//! If nothing bad is in the result, it is an inductive invariant.
//!
//! If something bad gets in, the round is lost, and the next one is more precise: a larger `k`, and more enlargements
//! that are not extrapolated. If nothing had been extrapolated, something bad can really be reached, and there is nothing
//! left to try; but which run leads there, others have to find.

use crate::method::{Answer, Technique};
use crate::space::{Control, Space};
use crate::trace::{Event, progress};
use crate::verdict::Statistics;
use model::context::Context;
use model::reason::Reason;
use queues::{Extrapolation, Language, Limit};
use std::collections::VecDeque;
use std::sync::Arc;

/// How often progress is reported.
const PACE: usize = 1 << 12;

/// The languages of one round, by control state.
#[derive(Default)]
struct Round {
    languages: Vec<Language>,
    enlarged: Vec<u32>,
    queued: Vec<bool>,
    queue: VecDeque<Control>,
    begun: bool,
    /// How many times moves were followed.
    followed: usize,
    /// Whether an extrapolation has added anything yet.
    extrapolated: bool,
}

/// The state of the iteration.
pub(crate) struct AbsInt {
    extrapolation: Arc<dyn Extrapolation>,
    k: u32,
    /// After which precision to give up.
    last: u32,
    round: Round,
}

impl AbsInt {
    pub(crate) fn new(extrapolation: Arc<dyn Extrapolation>) -> Self {
        AbsInt::up_to(u32::MAX, extrapolation)
    }

    /// With an extrapolation that never becomes exact, so that trying on forever is no use.
    pub(crate) fn up_to(last: u32, extrapolation: Arc<dyn Extrapolation>) -> Self {
        AbsInt { extrapolation, k: 0, last, round: Round::default() }
    }

    /// With one precision.
    pub(crate) fn at(k: u32, extrapolation: Arc<dyn Extrapolation>) -> Self {
        AbsInt { extrapolation, k, last: k, round: Round::default() }
    }

    /// How many enlargements are taken as they are.
    fn patience(&self) -> u32 {
        2 * self.k
    }

    /// Makes the language of a control state hold another one. Says whether something bad got in.
    fn enlarge(&mut self, space: &mut Space<'_>, at: Control, by: Language) -> Result<bool, Limit> {
        self.round.make_room(space, at);
        let before = self.round.languages[at.index()];
        if space.languages.is_included(by, before)? {
            return Ok(false);
        }
        let mut language = space.languages.union(before, by)?;
        if self.round.enlarged[at.index()] >= self.patience() {
            let exact = language;
            language = self.extrapolation.apply(self.k, exact, &mut space.languages)?;
            self.round.extrapolated |= language != exact;
        }
        let bad = space.bad(at)?;
        let is_bad = space.languages.meet(language, bad)?;
        self.round.enlarged[at.index()] += 1;
        self.round.languages[at.index()] = language;
        if !std::mem::replace(&mut self.round.queued[at.index()], true) {
            self.round.queue.push_back(at);
        }
        Ok(is_bad)
    }

    fn begin(&mut self, space: &mut Space<'_>) -> Result<bool, Limit> {
        for control in space.initial()? {
            if self.enlarge(space, control, space.start)? {
                return Ok(true);
            }
        }
        self.round.begun = true;
        Ok(false)
    }

    /// Follows the moves of one control state. Says whether something bad got in.
    fn follow(&mut self, space: &mut Space<'_>, control: Control) -> Result<bool, Limit> {
        let language = self.round.languages[control.index()];
        for step in space.moves_with(control, language)? {
            let after = space.post(step.op, language)?;
            if !space.languages.is_empty(after) && self.enlarge(space, step.target, after)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One round; `None` if something bad got in.
    fn stabilise(
        &mut self,
        space: &mut Space<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Vec<(Control, Language)>>, Limit> {
        if !self.round.begun && self.begin(space)? {
            return Ok(None);
        }
        while let Some(&control) = self.round.queue.front() {
            // A loop of the control state may queue it again while it is followed.
            self.round.queued[control.index()] = false;
            let followed = self.follow(space, control);
            if followed.is_err() {
                self.round.queued[control.index()] = true;
            }
            if followed? {
                return Ok(None);
            }
            self.round.queue.pop_front();
            self.round.followed += 1;
            if self.round.followed.is_multiple_of(PACE) {
                progress(space.controls(), self.round.followed, space, cx);
            }
        }
        let all = self.round.languages.iter().enumerate().map(|(at, &language)| (Control(at as u32), language));
        Ok(Some(all.filter(|&(_, language)| !space.languages.is_empty(language)).collect()))
    }
}

impl Round {
    fn make_room(&mut self, space: &Space<'_>, at: Control) {
        if at.index() >= self.languages.len() {
            let size = space.controls();
            self.languages.resize(size, space.languages.empty());
            self.enlarged.resize(size, 0);
            self.queued.resize(size, false);
        }
    }
}

impl Technique for AbsInt {
    fn name(&self) -> String {
        format!("abstract interpretation, {}", self.extrapolation.name())
    }

    fn advance(&mut self, space: &mut Space<'_>, cx: &Context<'_>) -> Result<Answer, Limit> {
        loop {
            space.languages.spend(1)?;
            if let Some(reached) = self.stabilise(space, cx)? {
                return Ok(Answer::Safe(reached));
            }
            if !self.round.extrapolated {
                let why = "something bad is reached without any extrapolation, and this method finds no runs";
                return Ok(Answer::Stuck(Reason::NotProvable(why.into())));
            }
            if self.k >= self.last {
                let why = format!("something bad gets in up to precision {}", self.last);
                return Ok(Answer::Stuck(Reason::NotProvable(why)));
            }
            self.k += 1;
            self.round = Round::default();
            Event::Precision { k: self.k }.tell(space, cx);
        }
    }

    fn count(&self, statistics: &mut Statistics) {
        statistics.iterations = self.k as usize;
    }
}
