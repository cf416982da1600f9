//! Which statements some run reaches, as SPIN reports it: a statement is reached when a process is at it, even if it cannot
//! be executed there.

use super::Semantics;
use crate::ids::{LocationId, MachineId};

/// The places at which processes were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached(Vec<bool>);

/// A statement that no process gets to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The process type.
    pub machine: MachineId,
    /// Its place.
    pub location: LocationId,
}

impl Reached {
    pub(super) fn new(semantics: &Semantics<'_>) -> Self {
        Reached(vec![false; semantics.places()])
    }

    #[inline(always)]
    pub(super) fn mark(&mut self, place: usize) {
        self.0[place] = true;
    }

    /// Of each place, whether a process was there.
    pub fn places(&self) -> &[bool] {
        &self.0
    }

    /// The same places again; `None` if they are those of another model.
    pub fn restore(semantics: &Semantics<'_>, places: Vec<bool>) -> Option<Self> {
        (places.len() == semantics.places()).then_some(Reached(places))
    }

    /// Adds places by their numbers: those of the first machine, in order, then those of the second, and so on.
    pub fn add(&mut self, places: impl Iterator<Item = usize>) {
        places.for_each(|place| self.0[place] = true);
    }

    /// Adds what another stepper of the same semantics has reached.
    pub fn join(&mut self, other: &Reached) {
        for (here, there) in self.0.iter_mut().zip(&other.0) {
            *here |= there;
        }
    }

    /// Whether a process of this type was ever there.
    pub fn has_run(&self, semantics: &Semantics<'_>, machine: MachineId) -> bool {
        let first = semantics.machines[machine.index()].first_location;
        self.0[first + semantics.network.machine(machine).initial.index()]
    }

    /// The statements that were not reached, by process type, in the order of their places.
    pub fn unreached(&self, semantics: &Semantics<'_>) -> Vec<Unreached> {
        let mut unreached = Vec::new();
        for (index, machine) in semantics.network.machines.iter().enumerate() {
            let first = semantics.machines[index].first_location;
            for (number, location) in machine.locations.iter().enumerate() {
                let from = &location.reached_from;
                if !from.is_empty() && !from.iter().any(|from| self.0[first + from.index()]) {
                    unreached.push(Unreached { machine: index.into(), location: number.into() });
                }
            }
        }
        unreached
    }
}
