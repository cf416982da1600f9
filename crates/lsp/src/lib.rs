//! A language server: what an editor asks of a model while it is written.
//!
//! * In: messages of the Language Server Protocol, from an editor.
//! * Out: diagnostics as one types, and a lens that checks the model and shows its verdicts, for every language; for Promela
//!   also hovers with the proved bound of a channel, definitions, references, renaming, an outline, and bounds as hints.
//!
//! `transport` reads and writes messages, `text` has positions as editors count them, `index` finds names in a text whether or not
//! it can be parsed, `bounds` checks in the background, `server` answers.

mod bounds;
mod index;
mod server;
mod text;
mod transport;

pub use server::serve;
