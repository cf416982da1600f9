//! The partition abstraction (definition 3.1 of the paper), with transitions worked out on demand.
//!
//! Classes are numbered and never reused. The halves of a class that is split take its place in the partition, and in
//! the transitions of its neighbours, in the same order, so that a search meets everything in the order in which a fresh
//! computation would have put it.

use crate::space::{Control, Move, Space};
use queues::{Language, Limit};
use std::collections::HashMap;

/// The number of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Class(pub(crate) u32);

impl Class {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A transition of the abstraction: which move of the control state, and to which class.
pub(crate) type Arrow = (u32, Class);

/// A control state with a class of its partition.
struct Node {
    control: Control,
    language: Language,
    is_bad: bool,
    /// `None` before the first query.
    arrows: Option<Vec<Arrow>>,
    /// The classes with arrows to this one, some of them perhaps no more, some perhaps twice.
    sources: Vec<Class>,
}

/// All classes so far, split ones included.
#[derive(Default)]
pub(crate) struct Abstraction {
    nodes: Vec<Node>,
    partitions: HashMap<Control, Vec<Class>>,
}

impl Abstraction {
    pub(crate) fn control(&self, class: Class) -> Control {
        self.nodes[class.index()].control
    }

    pub(crate) fn language(&self, class: Class) -> Language {
        self.nodes[class.index()].language
    }

    pub(crate) fn is_bad(&self, class: Class) -> bool {
        self.nodes[class.index()].is_bad
    }

    /// How many transitions from a class are known.
    pub(crate) fn known_arrows(&self, class: Class) -> usize {
        self.nodes[class.index()].arrows.as_ref().map_or(0, Vec::len)
    }

    /// The partition of a control state, made if it is new.
    pub(crate) fn partition(&mut self, space: &mut Space<'_>, control: Control) -> Result<Vec<Class>, Limit> {
        if let Some(classes) = self.partitions.get(&control) {
            return Ok(classes.clone());
        }
        let class = self.node(space, control, space.universe)?;
        self.partitions.insert(control, vec![class]);
        Ok(vec![class])
    }

    fn node(&mut self, space: &mut Space<'_>, control: Control, language: Language) -> Result<Class, Limit> {
        let bad = space.bad(control)?;
        let is_bad = space.languages.meet(language, bad)?;
        space.languages.keep(size_of::<Node>() + 40)?;
        self.nodes.push(Node { control, language, is_bad, arrows: None, sources: Vec::new() });
        Ok(Class(self.nodes.len() as u32 - 1))
    }

    /// The transitions from a class.
    pub(crate) fn arrows(&mut self, space: &mut Space<'_>, class: Class) -> Result<&[Arrow], Limit> {
        if self.nodes[class.index()].arrows.is_none() {
            let arrows = self.fresh_arrows(space, class)?;
            self.set_arrows(class, arrows, |_| true);
        }
        Ok(self.nodes[class.index()].arrows.as_deref().unwrap_or(&[]))
    }

    fn fresh_arrows(&mut self, space: &mut Space<'_>, class: Class) -> Result<Vec<Arrow>, Limit> {
        let (control, language) = (self.control(class), self.language(class));
        let mut arrows = Vec::new();
        for (at, step) in space.moves(control)?.iter().enumerate() {
            let after = space.post(step.op, language)?;
            if space.languages.is_empty(after) {
                continue;
            }
            for target in self.partition(space, step.target)? {
                if space.languages.meet(after, self.language(target))? {
                    arrows.push((at as u32, target));
                }
            }
        }
        Ok(arrows)
    }

    /// Sets the arrows of a class, and tells the targets that do not know it yet.
    fn set_arrows(&mut self, class: Class, arrows: Vec<Arrow>, is_new: impl Fn(Class) -> bool) {
        for &(_, target) in arrows.iter().filter(|arrow| is_new(arrow.1)) {
            let sources = &mut self.nodes[target.index()].sources;
            if sources.last() != Some(&class) {
                sources.push(class);
            }
        }
        self.nodes[class.index()].arrows = Some(arrows);
    }

    /// Puts two halves in the place of a class. Nothing has changed if a limit stops it.
    pub(crate) fn split(
        &mut self,
        space: &mut Space<'_>,
        class: Class,
        inside: Language,
        outside: Language,
    ) -> Result<(), Limit> {
        let control = self.control(class);
        let moves = space.moves(control)?;
        let halves = [self.node(space, control, inside)?, self.node(space, control, outside)?];
        let mut changed = Vec::new();
        if let Some(arrows) = self.nodes[class.index()].arrows.clone() {
            for half in halves {
                changed.push((half, self.arrows_past_split(space, half, &moves, &arrows, class, halves)?));
            }
        }
        let mut sources = self.nodes[class.index()].sources.clone();
        sources.sort_unstable();
        sources.dedup();
        for source in sources.into_iter().filter(|&source| source != class) {
            if let Some(arrows) = self.nodes[source.index()].arrows.clone() {
                let moves = space.moves(self.control(source))?;
                changed.push((source, self.arrows_past_split(space, source, &moves, &arrows, class, halves)?));
            }
        }
        // From here on nothing can fail.
        for (source, arrows) in changed {
            self.set_arrows(source, arrows, |target| halves.contains(&source) || halves.contains(&target));
        }
        self.nodes[class.index()].arrows = None;
        if let Some(partition) = self.partitions.get_mut(&control)
            && let Some(at) = partition.iter().position(|&other| other == class)
        {
            partition.splice(at..=at, halves);
        }
        Ok(())
    }

    /// The arrows of a class, given those it had (or the class it is a half of had), now that `class` is two.
    fn arrows_past_split(
        &self,
        space: &mut Space<'_>,
        source: Class,
        moves: &[Move],
        arrows: &[Arrow],
        class: Class,
        halves: [Class; 2],
    ) -> Result<Vec<Arrow>, Limit> {
        let is_half = halves.contains(&source);
        let mut past = Vec::new();
        for &(at, target) in arrows {
            let targets = if target == class { &halves[..] } else { std::slice::from_ref(&target) };
            if target != class && !is_half {
                past.push((at, target));
                continue;
            }
            let after = space.post(moves[at as usize].op, self.language(source))?;
            for &target in targets {
                if space.languages.meet(after, self.language(target))? {
                    past.push((at, target));
                }
            }
        }
        Ok(past)
    }

    /// All partitions, by control state.
    pub(crate) fn partitions(&self) -> Vec<(Control, Vec<Language>)> {
        let languages = |classes: &Vec<Class>| classes.iter().map(|&class| self.language(class)).collect();
        let mut all: Vec<_> = self.partitions.iter().map(|(&at, classes)| (at, languages(classes))).collect();
        all.sort_unstable();
        all
    }

    /// Classes and transitions over all control states of the product.
    pub(crate) fn whole_size(&mut self, space: &mut Space<'_>) -> Result<(usize, usize), Limit> {
        let (mut states, mut transitions) = (0, 0);
        for control in space.whole_product()? {
            for class in self.partition(space, control)? {
                states += 1;
                transitions += self.arrows(space, class)?.len();
            }
        }
        Ok((states, transitions))
    }
}
