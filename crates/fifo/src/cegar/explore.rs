//! Breadth-first search of the abstraction, which goes on after a refinement where nothing has changed before.
//!
//! Corollary 6.8 of the paper needs the shortest counterexamples: then, with `UPInv`, an unsafe system is always found
//! unsafe. When a class is split, everything that was discovered before it stays as it is; the search returns to the
//! class that was being expanded when the split one was discovered.

use super::abstraction::{Abstraction, Class};
use crate::space::{Control, Move, Space};
use queues::{Language, Limit};
use std::collections::BTreeMap;

/// A path of the abstraction from the start to something bad.
pub(crate) struct AbstractPath {
    pub(crate) classes: Vec<Class>,
    pub(crate) moves: Vec<Move>,
}

/// A discovered class: from which place in the order, by which move.
#[derive(Clone, Copy)]
struct Discovery {
    class: Class,
    from: Option<(u32, u32)>,
}

/// The order of discovery.
#[derive(Default)]
pub(crate) struct Exploration {
    order: Vec<Discovery>,
    /// By class: its place in the order.
    places: Vec<Option<u32>>,
    expanded: usize,
    begun: bool,
}

impl Exploration {
    /// A shortest path to a class with something bad in it, if there is one.
    pub(crate) fn path_to_bad(
        &mut self,
        abstraction: &mut Abstraction,
        space: &mut Space<'_>,
    ) -> Result<Option<AbstractPath>, Limit> {
        if !self.begun {
            self.begin(abstraction, space)?;
        }
        // After a stop by a limit, the way that had been found is still the last discovery.
        if let Some(place) = self.bad_place(abstraction) {
            return self.path_to(place, abstraction, space).map(Some);
        }
        while self.expanded < self.order.len() {
            if let Some(place) = self.expand(abstraction, space)? {
                return self.path_to(place, abstraction, space).map(Some);
            }
        }
        Ok(None)
    }

    fn begin(&mut self, abstraction: &mut Abstraction, space: &mut Space<'_>) -> Result<(), Limit> {
        self.order.clear();
        self.places.clear();
        self.expanded = 0;
        for control in space.initial()? {
            for class in abstraction.partition(space, control)? {
                if space.languages.meet(abstraction.language(class), space.start)? {
                    self.discover(class, None);
                }
            }
        }
        self.begun = true;
        Ok(())
    }

    /// Initial classes are all discovered at once; a later bad one can only be the last.
    fn bad_place(&self, abstraction: &Abstraction) -> Option<usize> {
        let bad = |place: &usize| abstraction.is_bad(self.order[*place].class);
        let initial = (0..self.order.len()).take_while(|&place| self.order[place].from.is_none());
        initial.chain(self.order.len().checked_sub(1)).find(bad)
    }

    fn discover(&mut self, class: Class, from: Option<(u32, u32)>) -> bool {
        if self.places.len() <= class.index() {
            self.places.resize(class.index() + 1, None);
        }
        let fresh = self.places[class.index()].is_none();
        if fresh {
            self.places[class.index()] = Some(self.order.len() as u32);
            self.order.push(Discovery { class, from });
        }
        fresh
    }

    /// Expands the next class; the place of a bad one if it was discovered.
    fn expand(&mut self, abstraction: &mut Abstraction, space: &mut Space<'_>) -> Result<Option<usize>, Limit> {
        let class = self.order[self.expanded].class;
        let arrows = abstraction.arrows(space, class)?.to_vec();
        space.languages.spend(1 + arrows.len())?;
        for (step, target) in arrows {
            if self.discover(target, Some((self.expanded as u32, step))) && abstraction.is_bad(target) {
                return Ok(Some(self.order.len() - 1));
            }
        }
        self.expanded += 1;
        Ok(None)
    }

    /// The places on the way to a place, the first one first.
    fn places_to(&self, place: usize) -> Vec<usize> {
        let before = |&at: &usize| self.order[at].from.map(|(from, _)| from as usize);
        let mut places: Vec<usize> = std::iter::successors(Some(place), before).collect();
        places.reverse();
        places
    }

    fn path_to(&self, place: usize, abstraction: &Abstraction, space: &mut Space<'_>) -> Result<AbstractPath, Limit> {
        let places = self.places_to(place);
        let classes: Vec<Class> = places.iter().map(|&at| self.order[at].class).collect();
        let mut moves = Vec::new();
        for (before, &at) in classes.iter().zip(&places[1..]) {
            let (_, number) = self.order[at].from.unwrap_or_default();
            moves.push(space.moves(abstraction.control(*before))?[number as usize]);
        }
        Ok(AbstractPath { classes, moves })
    }

    /// The control states on the way to the last discovery that is bad.
    pub(crate) fn last_controls(&self, abstraction: &Abstraction) -> Vec<Control> {
        let places = self.bad_place(abstraction).map(|place| self.places_to(place)).unwrap_or_default();
        places.into_iter().map(|at| abstraction.control(self.order[at].class)).collect()
    }

    /// Undoes the discovery of a class, and all that came after it.
    pub(crate) fn forget(&mut self, class: Class) {
        let Some(place) = self.places.get(class.index()).copied().flatten() else { return };
        let Some((from, _)) = self.order[place as usize].from else {
            self.begun = false;
            return;
        };
        for discovery in self.order.drain(place as usize..) {
            self.places[discovery.class.index()] = None;
        }
        self.expanded = self.expanded.min(from as usize);
    }

    /// The union of the classes that were reached, by control state.
    pub(crate) fn invariant(
        &self,
        abstraction: &Abstraction,
        space: &mut Space<'_>,
    ) -> Result<Vec<(Control, Language)>, Limit> {
        let mut unions: BTreeMap<Control, Language> = BTreeMap::new();
        for discovery in &self.order {
            let (control, language) = (abstraction.control(discovery.class), abstraction.language(discovery.class));
            let empty = space.languages.empty();
            let union = unions.entry(control).or_insert(empty);
            *union = space.languages.union(*union, language)?;
        }
        Ok(unions.into_iter().collect())
    }

    /// Classes that were reached, and the transitions between them.
    pub(crate) fn size(&self, abstraction: &Abstraction) -> (usize, usize) {
        let arrows = self.order.iter().map(|discovery| abstraction.known_arrows(discovery.class));
        (self.order.len(), arrows.sum())
    }
}
