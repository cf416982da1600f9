//! `simulate --replay` for C components: a run that was written is followed again.

use super::{ComponentsFile, script};
use crate::certificate;
use crate::error::Error;
use crate::simulate::replayed;
use model::chart::Form;
use model::source::SourceMap;
use replay::components::confirmed;
use report::parse::Trace;
use report::style::Style;
use std::io::Write;

/// Follows a trace; it must violate what it was written for.
pub fn replay(
    file: &ComponentsFile,
    sources: &SourceMap,
    trace: &Trace,
    style: Style,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let mismatch = |why: String| Error::Mismatch(format!("the trace is not possible in this model: {why}"));
    let specification = &file.specification;
    if trace.kind != Form::COMPONENTS.kind {
        return Err(Error::Mismatch(String::from("the trace is none of C components")));
    }
    let property = certificate::property_named(&trace.property)?;
    let question = specification.question(&property);
    let question = question.ok_or_else(|| Error::Mismatch(format!("there is no property `{}`", trace.property)))?;
    let parts = cegar::parts_of(specification, question).map_err(|reason| mismatch(reason.to_string()))?;
    let script = script::of_trace(trace, specification, question).map_err(mismatch)?;
    let (_, run) = confirmed(specification, question, &parts, sources, &script).map_err(mismatch)?;
    if trace.problem_code.as_deref().is_some_and(|code| code != run.problem_code) {
        let expected = trace.problem_code.as_deref().unwrap_or_default();
        return Err(Error::Mismatch(format!("the run ends with {}, not with {expected}", run.problem_code)));
    }
    replayed(out, &run, run.steps.len(), trace, sources, style)
}
