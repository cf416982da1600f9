//! Which method the engine `compose` uses, from the command line; and what makes no sense for structures side by side.

use crate::arguments::{Channels, CheckArgs, MethodName};
use crate::failure::Failure;
use compose::Method;

/// The method that the command line asks for.
pub fn method(args: &CheckArgs) -> Result<Method, Failure> {
    method_for(args, "structures side by side", ".fsp, .aut")
}

/// The same for models of another name, in files that end so.
pub fn method_for(args: &CheckArgs, models: &str, endings: &str) -> Result<Method, Failure> {
    let senseless = [
        (args.apply_bounds, "--apply-bounds"),
        (args.channels != Channels::Declared, "--channels"),
        (!args.bad.is_empty(), "--bad"),
        (!args.progress.is_empty(), "--progress"),
        (args.fair, "--fair"),
        (args.bitstate, "--bitstate"),
        (args.path_invariant.is_some(), "--path-invariant"),
        (args.extrapolation.is_some(), "--extrapolation"),
        (args.max_depth.is_some(), "--max-depth"),
    ];
    if let Some((_, flag)) = senseless.iter().find(|(given, _)| *given) {
        return Err(Failure::Usage(format!("{flag} is not for {models} ({endings})")));
    }
    match args.method {
        MethodName::Auto if args.plain => Ok(Method::Plain),
        _ if args.plain => Err(Failure::Usage(String::from("--plain is a method of its own: leave out --method"))),
        MethodName::Auto => Ok(Method::Auto),
        MethodName::Paper => Ok(Method::Paper),
        MethodName::Refine => Ok(Method::Refine),
        MethodName::Minimise => Ok(Method::Minimise),
        MethodName::Search | MethodName::Absint | MethodName::Cegar | MethodName::Armc => {
            Err(Failure::Usage(format!("this --method is for queues; {models} have paper, refine and minimise")))
        }
    }
}
