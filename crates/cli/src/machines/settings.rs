//! Which method the engine `fifo` uses, from the command line.

use crate::arguments::{CheckArgs, MethodName, PathInvariant};
use crate::failure::Failure;
use fifo::{CegarSettings, Generator, Method, Pass};
use queues::{EXTRAPOLATION_NAMES, Extrapolation, extrapolation_by_name};
use std::sync::Arc;

/// What breadth-first refinement is complete for finding faults with, and the widenings that prove most.
const DEFAULT: &str = "rho-forward";

/// The method that the command line asks for. A path invariant alone asks for refinement.
pub fn method(args: &CheckArgs) -> Result<Method, Failure> {
    let refines = args.path_invariant.is_some() || args.extrapolation.is_some();
    let kind = match args.method {
        MethodName::Auto if refines => MethodName::Cegar,
        kind => kind,
    };
    if args.plain || matches!(kind, MethodName::Paper | MethodName::Refine | MethodName::Minimise) {
        let why = "--plain and --method paper, refine and minimise are for structures side by side (.fsp, .aut)";
        return Err(Failure::Usage(String::from(why)));
    }
    if args.path_invariant.is_some() && kind != MethodName::Cegar {
        return Err(Failure::Usage(String::from("--path-invariant is for --method cegar")));
    }
    if args.extrapolation.is_some() && kind == MethodName::Search {
        return Err(Failure::Usage(String::from("--extrapolation is for --method absint, cegar and armc")));
    }
    let with = extrapolation(args.extrapolation.as_deref().unwrap_or(DEFAULT))?;
    Ok(match kind {
        MethodName::Auto | MethodName::Paper | MethodName::Refine | MethodName::Minimise => Method::Auto,
        MethodName::Search => Method::Search,
        MethodName::Absint => Method::AbsInt(with),
        MethodName::Armc => Method::Armc(with),
        MethodName::Cegar => {
            let (generator, pass) = match args.path_invariant.unwrap_or(PathInvariant::UpinvFwd) {
                PathInvariant::UpinvFwd => (Generator::Uniform, Pass::Forward),
                PathInvariant::UpinvBwd => (Generator::Uniform, Pass::Backward),
                PathInvariant::ApinvFwd => (Generator::Adaptive, Pass::Forward),
                PathInvariant::ApinvBwd => (Generator::Adaptive, Pass::Backward),
            };
            Method::Cegar(CegarSettings { generator, pass, extrapolation: with, iterations: None })
        }
    })
}

fn extrapolation(name: &str) -> Result<Arc<dyn Extrapolation>, Failure> {
    extrapolation_by_name(name).ok_or_else(|| {
        let known = EXTRAPOLATION_NAMES.join(", ");
        Failure::Usage(format!("--extrapolation {name}: there is no such extrapolation; there are {known}"))
    })
}
