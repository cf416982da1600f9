//! States in a few bytes each, whatever their length: shared pieces, packed states, and the table of them.
//!
//! * [`Pieces`] names strings of sixteen bytes, for all threads.
//! * [`Packer`] turns a state into two such names, looking up only what a step has changed.
//! * [`PackedTable`] is the set of packed states, with numbers in the order in which they are found.
//!
//! Nothing is lost: two states are the same exactly if their names are.

mod packer;
mod pieces;
mod table;

pub(crate) use packer::{CROWDED, Packer};
pub use pieces::Pieces;
pub(crate) use table::{Entry, PackedTable};
