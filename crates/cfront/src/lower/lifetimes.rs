//! Lifetimes: where the variables of a block end.
//!
//! A variable of a block lives until the block is left, in whichever way (C11 6.2.4, paragraph 6), and a pointer to it is
//! indeterminate from then on. Each edge that leaves a block says which objects end with it ([`Step::Dies`]); `resolve`
//! finds the pointers that may hold their addresses. What a jump leaves is known when the procedure has been read: its
//! label, and the declarations that follow the jump in the text, come later.

use super::Lowering;
use super::graph::Step;
use super::scope::{Left, Scope};
use crate::program::{LocationId, ObjectId};
use lang_c::span::Span as Parsed;

impl Lowering<'_> {
    /// The object belongs to the innermost scope.
    pub(super) fn born(&mut self, object: ObjectId) {
        let Some(frame) = self.frames.last_mut() else { return };
        let Some(scope) = frame.scopes.last() else { return };
        let objects = frame.objects.entry(scope.number).or_default();
        if !objects.contains(&object) {
            objects.push(object);
        }
    }

    /// Lowers something in a scope of its own.
    pub(super) fn scoped(&mut self, place: Parsed, work: impl FnOnce(&mut Self)) {
        self.scopes += 1;
        let number = self.scopes;
        if let Some(frame) = self.frames.last_mut() {
            frame.scopes.push(Scope { number, ..Scope::default() });
        }
        work(self);
        let Some(frame) = self.frames.last_mut() else { return };
        frame.scopes.pop();
        if let Some(objects) = frame.objects.get(&number).cloned() {
            self.emit(Step::Dies(objects), place);
        }
    }

    /// The numbers of the scopes around.
    pub(super) fn scopes_around(&self) -> Vec<usize> {
        self.frames.last().map(|frame| frame.scopes.iter().map(|scope| scope.number).collect()).unwrap_or_default()
    }

    /// Jumps out of some scopes; what comes next in the text is reached by other jumps only.
    pub(super) fn leave(&mut self, target: LocationId, left: Option<Left>, place: Parsed) {
        if let (Some(left), Some(frame)) = (left, self.frames.last_mut()) {
            frame.exits.push((self.graph.edges.len(), left));
            self.emit(Step::Plain(crate::program::Instruction::Nop), place);
        }
        self.jump(target, place);
        self.here = self.fresh(place);
    }

    /// Ends the lifetimes that the jumps of this procedure end.
    pub(super) fn end_lifetimes(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        for (edge, left) in std::mem::take(&mut frame.exits) {
            let scopes = match left {
                Left::Scopes(scopes) => scopes,
                Left::Goto(label, mut scopes) => {
                    let around = frame.labels.get(&label).map(|label| &label.scopes[..]).unwrap_or_default();
                    scopes.retain(|scope| !around.contains(scope));
                    scopes
                }
            };
            let objects: Vec<ObjectId> =
                scopes.iter().filter_map(|scope| frame.objects.get(scope)).flatten().copied().collect();
            if let Some(edge) = self.graph.edges.get_mut(edge).filter(|_| !objects.is_empty()) {
                edge.step = Step::Dies(objects);
            }
        }
    }

    /// Everything that belongs to the procedure ends, parameters included.
    pub(super) fn end_procedure(&mut self, mut objects: Vec<ObjectId>, place: Parsed) {
        objects.sort_unstable();
        if !objects.is_empty() {
            self.emit(Step::Dies(objects), place);
        }
    }
}
