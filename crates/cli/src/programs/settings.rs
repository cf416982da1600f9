//! What makes no sense for C programs, and what makes sense for nothing else.

use crate::arguments::{Channels, CheckArgs, MethodName};
use crate::failure::Failure;

/// Refuses options that are not for C programs.
pub fn refuse_senseless(args: &CheckArgs) -> Result<(), Failure> {
    let senseless = [
        (args.apply_bounds, "--apply-bounds"),
        (args.channels != Channels::Declared, "--channels"),
        (!args.bad.is_empty(), "--bad"),
        (!args.progress.is_empty(), "--progress"),
        (args.fair, "--fair"),
        (args.bitstate, "--bitstate"),
        (args.plain, "--plain"),
        (args.method != MethodName::Auto, "--method"),
        (args.path_invariant.is_some(), "--path-invariant"),
        (args.extrapolation.is_some(), "--extrapolation"),
        (args.max_depth.is_some(), "--max-depth"),
        (args.max_states.is_some(), "--max-states"),
    ];
    match senseless.iter().find(|(given, _)| *given) {
        Some((_, flag)) => Err(Failure::Usage(format!("{flag} is not for C programs (.c)"))),
        None => Ok(()),
    }
}

/// The first option that is for C only, if one is given.
pub fn only_for_c(args: &CheckArgs) -> Option<&'static str> {
    let options =
        [(args.c_faults, "--c-faults"), (args.c_test.is_some(), "--c-test"), (args.cross_check, "--cross-check")];
    options.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
}
