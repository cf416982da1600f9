//! Abstract regular model checking (Bouajjani, Habermehl and Vojnar 2004), as the paper compares with it.
//!
//! Layer by layer, everything that a step reaches is added and the sets are extrapolated, all with one precision `k`. If
//! something bad gets into a layer, the path back is computed exactly through the layers. Either it arrives at the
//! initial configurations, and there is a run; or it ends before, and everything starts again with `k+1`.

use crate::method::{Answer, Technique, unconfirmed};
use crate::run::along;
use crate::space::{Control, Move, Space};
use crate::trace::Event;
use crate::verdict::{Run, Statistics};
use model::context::Context;
use queues::{Extrapolation, Language, Limit};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The sets of one layer that the path back goes through.
type Layer = BTreeMap<Control, Language>;

/// The state of the exploration.
pub(crate) struct Armc {
    extrapolation: Arc<dyn Extrapolation>,
    k: u32,
    /// By layer, the sets that changed there.
    layers: Vec<Layer>,
    /// The newest set of each control state.
    newest: Layer,
}

impl Armc {
    pub(crate) fn new(extrapolation: Arc<dyn Extrapolation>) -> Self {
        Armc { extrapolation, k: 0, layers: Vec::new(), newest: Layer::new() }
    }

    /// What a step from the last layer adds, extrapolated: the control states whose sets change.
    fn next_layer(&self, space: &mut Space<'_>) -> Result<Layer, Limit> {
        let mut grown = Layer::new();
        match self.layers.last() {
            None => grown.extend(space.initial()?.into_iter().map(|control| (control, space.start))),
            Some(last) => {
                for (&control, &language) in last {
                    self.add_steps(space, control, language, &mut grown)?;
                }
            }
        }
        let empty = space.languages.empty();
        let mut layer = Layer::new();
        for (control, added) in grown {
            let before = self.newest.get(&control).copied().unwrap_or(empty);
            if !space.languages.is_included(added, before)? {
                let both = space.languages.union(before, added)?;
                let larger = self.extrapolation.apply(self.k, both, &mut space.languages)?;
                layer.insert(control, larger);
            }
        }
        Ok(layer)
    }

    fn add_steps(
        &self,
        space: &mut Space<'_>,
        control: Control,
        language: Language,
        grown: &mut Layer,
    ) -> Result<(), Limit> {
        let empty = space.languages.empty();
        for step in space.moves(control)?.iter() {
            let after = space.post(step.op, language)?;
            if !space.languages.is_empty(after) {
                let sum = grown.entry(step.target).or_insert(empty);
                *sum = space.languages.union(*sum, after)?;
            }
        }
        Ok(())
    }

    /// The set of a control state at a layer.
    fn at_layer(&self, layer: usize, control: Control) -> Option<Language> {
        self.layers[..=layer].iter().rev().find_map(|changes| changes.get(&control).copied())
    }

    /// The bad part of the last layer, if there is any.
    fn bad_part(&self, space: &mut Space<'_>) -> Result<Layer, Limit> {
        let mut part = Layer::new();
        for (&control, &language) in self.layers.last().into_iter().flatten() {
            let bad = space.bad(control)?;
            if space.languages.meet(language, bad)? {
                part.insert(control, space.languages.intersection(language, bad)?);
            }
        }
        Ok(part)
    }

    /// The path back through the layers, the last layer's part given; the parts of all layers if it arrives.
    fn path_back(&self, space: &mut Space<'_>, last: Layer) -> Result<Option<Vec<Layer>>, Limit> {
        let mut parts = vec![last];
        for layer in (0..self.layers.len() - 1).rev() {
            let known: BTreeSet<Control> =
                self.layers[..=layer].iter().flat_map(|changes| changes.keys().copied()).collect();
            let mut part = Layer::new();
            for control in known {
                let Some(here) = self.at_layer(layer, control) else { continue };
                let sources = self.sources(space, control, &parts[parts.len() - 1])?;
                let common = space.languages.intersection(here, sources)?;
                if !space.languages.is_empty(common) {
                    part.insert(control, common);
                }
            }
            if part.is_empty() {
                return Ok(None);
            }
            parts.push(part);
        }
        parts.reverse();
        Ok(self.arrival(space, &parts[0])?.map(|_| parts))
    }

    /// An initial control state whose initial contents are in the part.
    fn arrival(&self, space: &mut Space<'_>, part: &Layer) -> Result<Option<Control>, Limit> {
        let nothing = vec![Vec::new(); space.languages.channels()];
        let initial = space.initial()?;
        let arrives = |control: &Control| part.get(control).is_some_and(|&set| space.languages.contains(set, &nothing));
        Ok(initial.into_iter().find(arrives))
    }

    /// What leads into the part, or is in it already.
    fn sources(&self, space: &mut Space<'_>, control: Control, part: &Layer) -> Result<Language, Limit> {
        let mut sum = part.get(&control).copied().unwrap_or(space.languages.empty());
        for step in space.moves(control)?.iter() {
            if let Some(&there) = part.get(&step.target) {
                let before = space.pre(step.op, there)?;
                sum = space.languages.union(sum, before)?;
            }
        }
        Ok(sum)
    }

    /// A run through the parts of all layers.
    fn run_through(&self, space: &mut Space<'_>, parts: &[Layer]) -> Result<Option<Run>, Limit> {
        let Some(initial) = self.arrival(space, &parts[0])? else { return Ok(None) };
        let (mut control, mut set) = (initial, space.start);
        let (mut moves, mut sets) = (Vec::new(), vec![set]);
        for part in &parts[1..] {
            if let Some(&here) = part.get(&control) {
                let stays = space.languages.intersection(set, here)?;
                if !space.languages.is_empty(stays) {
                    set = stays;
                    sets.pop();
                    sets.push(set);
                    continue;
                }
            }
            let Some((step, after)) = self.step_into(space, control, set, part)? else { return Ok(None) };
            (control, set) = (step.target, after);
            moves.push(step);
            sets.push(set);
        }
        along(space, initial, &moves, &sets)
    }

    /// A move from the set into the part, with what it reaches there.
    fn step_into(
        &self,
        space: &mut Space<'_>,
        control: Control,
        set: Language,
        part: &Layer,
    ) -> Result<Option<(Move, Language)>, Limit> {
        for step in space.moves(control)?.iter() {
            let Some(&there) = part.get(&step.target) else { continue };
            let after = space.post(step.op, set)?;
            let common = space.languages.intersection(after, there)?;
            if !space.languages.is_empty(common) {
                return Ok(Some((*step, common)));
            }
        }
        Ok(None)
    }
}

impl Technique for Armc {
    fn name(&self) -> String {
        format!("abstract regular model checking, {}", self.extrapolation.name())
    }

    fn advance(&mut self, space: &mut Space<'_>, cx: &Context<'_>) -> Result<Answer, Limit> {
        loop {
            space.languages.spend(1)?;
            let bad = self.bad_part(space)?;
            if bad.is_empty() {
                let layer = self.next_layer(space)?;
                if layer.is_empty() {
                    return Ok(Answer::Safe(self.newest.iter().map(|(&control, &set)| (control, set)).collect()));
                }
                self.newest.extend(&layer);
                self.layers.push(layer);
                continue;
            }
            if let Some(parts) = self.path_back(space, bad)? {
                return Ok(match self.run_through(space, &parts)? {
                    Some(run) => Answer::Unsafe(run),
                    None => Answer::Stuck(unconfirmed("the path back is not a run")),
                });
            }
            self.k += 1;
            self.layers.clear();
            self.newest.clear();
            Event::Precision { k: self.k }.tell(space, cx);
        }
    }

    fn count(&self, statistics: &mut Statistics) {
        statistics.iterations = self.k as usize;
    }
}
