//! Which method the engine `compose` uses.

use crate::error::Error;
use crate::settings::{self, Settings};
use compose::Method;

/// The method that the settings name.
pub fn method(settings: &Settings) -> Result<Method, Error> {
    match settings.method {
        settings::Method::Auto if settings.plain => Ok(Method::Plain),
        _ if settings.plain => Err(Error::Usage(String::from("--plain is a method of its own: leave out --method"))),
        settings::Method::Auto => Ok(Method::Auto),
        settings::Method::Paper => Ok(Method::Paper),
        settings::Method::Refine => Ok(Method::Refine),
        settings::Method::Minimise => Ok(Method::Minimise),
        _ => Err(Error::Usage(String::from(
            "this --method is for queues; compositions and C components have paper, refine and minimise",
        ))),
    }
}
