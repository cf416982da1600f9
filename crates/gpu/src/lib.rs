//! Explicit-state search on a device: the model as generated code, the states in the device's memory.
//!
//! * In: a [`model::semantics::Semantics`] with bounded channels, properties, a budget and an observer.
//! * Out: what [`explore`] returns: the same states, transitions, errors and digest.
//!
//! `generate` writes a text of CUDA C++ for a model, `packing` says where each value is in a state, `store` holds the states,
//! `search` runs layer after layer and gives the CPU what the text does not do. A `backend` runs the text: `cuda` a device,
//! `host` this machine, which is how the text is tested without a device.

mod backend;
mod choice;
mod cuda;
mod generate;
mod host;
mod packing;
mod search;
mod store;

pub use backend::{Args, Backend, Compile, Failure, Kernel};
pub use choice::{Device, Place, check};
pub use cuda::Cuda;
pub use generate::Unsupported;
pub use host::Host;
pub use search::{Refused, Report, search, text};
