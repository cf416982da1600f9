//! The longest that every queue got, and in which state.

use model::growth::Parts;
use model::semantics::SHAPE_BYTES;
use rustc_hash::FxHashMap;

/// For one stack of processes: a state that has it, and per queue the largest length and where it was seen.
type OfShape = (Vec<u8>, Vec<(u32, u32)>);

/// Lengths of queues, by number. What they are called depends on the stack of processes, so they are kept by that.
#[derive(Default)]
pub(crate) struct Lengths {
    shapes: FxHashMap<[u8; SHAPE_BYTES], OfShape>,
    /// How often a queue was longer than before.
    pub(crate) grown: u64,
}

impl Lengths {
    /// Adds the queues of a state; `true` if it is the first one with its stack of processes.
    pub(crate) fn add(&mut self, parts: &mut Parts<'_>, state: &[u8], id: u32) -> bool {
        let known = self.shapes.len();
        let (_, queues) = self.shapes.entry([state[0], state[1]]).or_insert_with(|| {
            let count = parts.lengths(state).len();
            (state.to_vec(), vec![(0, id); count])
        });
        let grown = &mut self.grown;
        parts.each_length(state, &mut |queue, length| {
            if length > queues[queue].0 {
                *grown += 1;
                queues[queue] = (length, id);
            }
        });
        self.shapes.len() > known
    }

    /// For every stack of processes a state that has it, and per queue the largest length and where it was seen.
    pub(crate) fn by_shape(&self) -> impl Iterator<Item = (&[u8], &[(u32, u32)])> {
        self.shapes.values().map(|(sample, queues)| (sample.as_slice(), queues.as_slice()))
    }
}
