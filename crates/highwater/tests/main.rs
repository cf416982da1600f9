//! The integration tests of `highwater`, one executable: each file is a module.

mod applicability;
mod arrivals;
mod builder;
mod builder_errors;
mod builder_random;
mod c_random;
mod capsules;
mod created_channels;
mod facade;
mod fsp_book;
mod fsp_random;
mod public_api;
mod scm_random;
mod size;
mod twins;
