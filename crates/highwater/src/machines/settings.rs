//! Which method the engine `fifo` uses, from the command line.

use crate::error::Error;
use crate::settings::{Method as MethodChoice, PathInvariant, Settings};
use fifo::{CegarSettings, Generator, Method, Pass};
use queues::{EXTRAPOLATION_NAMES, Extrapolation, extrapolation_by_name};
use std::sync::Arc;

/// What breadth-first refinement is complete for finding faults with, and the widenings that prove most.
const DEFAULT: &str = "rho-forward";

/// The method that the command line asks for. A path invariant alone asks for refinement.
pub fn method(settings: &Settings) -> Result<Method, Error> {
    let refines = settings.path_invariant.is_some() || settings.extrapolation.is_some();
    let kind = match settings.method {
        MethodChoice::Auto if refines => MethodChoice::Cegar,
        kind => kind,
    };
    if matches!(kind, MethodChoice::Paper | MethodChoice::Refine | MethodChoice::Minimise) {
        let why = "--method paper, refine and minimise are for compositions (.fsp, .aut) and C components (.spec)";
        return Err(Error::Usage(String::from(why)));
    }
    if settings.path_invariant.is_some() && kind != MethodChoice::Cegar {
        return Err(Error::Usage(String::from("--path-invariant is for --method cegar")));
    }
    if settings.extrapolation.is_some() && kind == MethodChoice::Search {
        return Err(Error::Usage(String::from("--extrapolation is for --method absint, cegar and armc")));
    }
    let with = extrapolation(settings.extrapolation.as_deref().unwrap_or(DEFAULT))?;
    Ok(match kind {
        MethodChoice::Auto | MethodChoice::Paper | MethodChoice::Refine | MethodChoice::Minimise => Method::Auto,
        MethodChoice::Search => Method::Search,
        MethodChoice::Absint => Method::AbsInt(with),
        MethodChoice::Armc => Method::Armc(with),
        MethodChoice::Cegar => {
            let (generator, pass) = match settings.path_invariant.unwrap_or(PathInvariant::UpinvFwd) {
                PathInvariant::UpinvFwd => (Generator::Uniform, Pass::Forward),
                PathInvariant::UpinvBwd => (Generator::Uniform, Pass::Backward),
                PathInvariant::ApinvFwd => (Generator::Adaptive, Pass::Forward),
                PathInvariant::ApinvBwd => (Generator::Adaptive, Pass::Backward),
            };
            Method::Cegar(CegarSettings { generator, pass, extrapolation: with, iterations: None })
        }
    })
}

fn extrapolation(name: &str) -> Result<Arc<dyn Extrapolation>, Error> {
    extrapolation_by_name(name).ok_or_else(|| {
        let known = EXTRAPOLATION_NAMES.join(", ");
        Error::Usage(format!("--extrapolation {name}: there is no such extrapolation; there are {known}"))
    })
}
