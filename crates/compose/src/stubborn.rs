//! Looks for a deadlock far away: stubborn sets leave out interleavings, and states in which few components can move come
//! first.
//!
//! A set of components is *stubborn* in a state if each event that one of them is ready for has all its participants in the
//! set, if they are all ready for it, or else one that is not. Whatever the others do, no component of the set has moved: the
//! first to do so would take part in an event that it is ready for now. So a step of the set stays possible, and can as well
//! come first (Valmari 1989); a deadlock that can be reached can be reached by a step of the set. What is found is a run; that
//! there is none is said by nothing that can be checked, so it says no more than that the search need not go on.

use crate::lts::{TAU, with_event};
use crate::meter::Meter;
use crate::product::{Path, Product, Successors};
use crate::search::{NO_PARENT, path_to};
use crate::table::Table;
use model::verdict::Reason;
use std::collections::VecDeque;

/// States by how many components could move before them.
#[derive(Default)]
struct Waiting {
    by_count: Vec<VecDeque<u32>>,
}

impl Waiting {
    fn push(&mut self, count: usize, state: u32) {
        if self.by_count.len() <= count {
            self.by_count.resize_with(count + 1, VecDeque::new);
        }
        self.by_count[count].push_back(state);
    }

    fn pop(&mut self) -> Option<u32> {
        self.by_count.iter_mut().find_map(VecDeque::pop_front)
    }
}

/// Sets of components, with room that is used again.
struct Stubborn<'p> {
    product: &'p Product<'p>,
    inside: Vec<bool>,
    members: Vec<u32>,
    /// How many steps each component leads in this state.
    leads: Vec<usize>,
    best: Vec<bool>,
}

impl<'p> Stubborn<'p> {
    fn new(product: &'p Product<'p>) -> Stubborn<'p> {
        let parts = product.parts.len();
        let nothing = || vec![false; parts];
        Stubborn { product, inside: nothing(), members: Vec::new(), leads: vec![0; parts], best: nothing() }
    }

    fn add(&mut self, part: u32) {
        if !std::mem::replace(&mut self.inside[part as usize], true) {
            self.members.push(part);
        }
    }

    fn is_ready(&self, state: &[u32], part: u32, event: u32) -> bool {
        !self.product.parts[part as usize].moves_with(state[part as usize], event).is_empty()
    }

    /// The least stubborn set around a component.
    fn close(&mut self, state: &[u32], seed: u32) {
        self.inside.fill(false);
        self.members.clear();
        self.add(seed);
        let mut at = 0;
        while let Some(&part) = self.members.get(at) {
            at += 1;
            let moves = &self.product.parts[part as usize].moves[state[part as usize] as usize];
            let mut next = 0;
            while let Some(&(event, _)) = moves.get(next).filter(|(event, _)| *event != TAU) {
                next += with_event(&moves[next..], event).len();
                let who = self.product.participants.of(event);
                let refuses = |part: &&u32| !self.is_ready(state, **part, event);
                if who.iter().filter(refuses).any(|&part| self.inside[part as usize]) {
                    continue;
                }
                match who.iter().find(refuses) {
                    Some(&part) => self.add(part),
                    None => who.iter().for_each(|&part| self.add(part)),
                }
            }
        }
    }

    /// Chooses a set that has steps, and few. Whether a component is in it says [`Self::has`].
    fn choose(&mut self, state: &[u32], successors: &Successors) {
        self.leads.fill(0);
        successors.iter().for_each(|(step, _)| self.leads[step.part as usize] += 1);
        let mut least = usize::MAX;
        for seed in 0..self.leads.len() {
            if self.leads[seed] == 0 || least == 1 {
                continue;
            }
            self.close(state, seed as u32);
            let steps = self.members.iter().map(|&part| self.leads[part as usize]).sum();
            if steps < least {
                least = steps;
                self.best.clone_from(&self.inside);
            }
        }
    }

    /// How many components can move.
    fn movable(&mut self, successors: &Successors) -> usize {
        self.inside.fill(false);
        for (step, _) in successors.iter() {
            self.inside[step.part as usize] = true;
            if step.event != TAU {
                self.product.participants.of(step.event).iter().for_each(|&part| self.inside[part as usize] = true);
            }
        }
        self.inside.iter().filter(|&&inside| inside).count()
    }

    fn has(&self, part: u32) -> bool {
        self.best[part as usize]
    }
}

/// A path to a state without steps that is not a good end, if there is one.
pub(crate) fn find(
    product: &Product<'_>,
    meter: &Meter<'_>,
    is_good: impl Fn(&[u32]) -> bool,
) -> Result<Option<Path>, Reason> {
    let mut table = Table::new(product.parts.iter().map(|part| part.states()));
    let (mut parents, mut waiting, mut stubborn) = (Vec::new(), Waiting::default(), Stubborn::new(product));
    product.initial(|state| {
        if table.insert(state).1 {
            parents.push(NO_PARENT);
            waiting.push(0, table.len() as u32 - 1);
        }
        Ok(())
    })?;
    let (mut state, mut successors) = (Vec::new(), Successors::default());
    while let Some(at) = waiting.pop() {
        table.get(at, &mut state);
        product.expand(&state, &mut successors)?;
        meter.spend(1 + successors.len() * product.parts.len())?;
        if successors.is_empty() {
            if product.is_wrong(&state) || is_good(&state) {
                continue;
            }
            return path_to(product, &table, &parents, at).map(Some);
        }
        stubborn.choose(&state, &successors);
        let count = stubborn.movable(&successors);
        for (_, next) in successors.iter().filter(|(step, _)| stubborn.has(step.part)) {
            let (number, new) = table.insert(next);
            if new {
                parents.push(at);
                waiting.push(count, number);
                meter.store(table.len(), table.bytes() + parents.len() * 8)?;
            }
        }
    }
    Ok(None)
}
