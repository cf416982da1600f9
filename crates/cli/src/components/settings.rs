//! Which method answers questions about C components, and what makes no sense for them.

use crate::arguments::CheckArgs;
use crate::compositions::settings::method_for;
use crate::failure::Failure;
use compose::Method;

/// The method that the command line asks for.
pub fn method(args: &CheckArgs) -> Result<Method, Failure> {
    let method = method_for(args, "C components", ".spec")?;
    if args.c_faults {
        return Err(Failure::Usage(String::from(
            "--c-faults is for C programs (.c); of C components faults always count",
        )));
    }
    Ok(method)
}
