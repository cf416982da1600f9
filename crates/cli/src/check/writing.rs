//! What was found goes to the terminal and to files.

use crate::arguments::{CheckArgs, Format};
use crate::failure::Failure;
use crate::model_file::ModelFile;
use crate::terminal;
use model::budget::Stopwatch;
use model::diagnostic::Diagnostic;
use model::source::Span;
use model::verdict::Outcome;
use report::diagnostics;
use report::document::{Document, NotChecked};
use report::json::{self, Unreadable};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Prints what was found, writes what is to be written, and returns the exit code.
pub fn report_outcomes(
    file: &ModelFile,
    outcomes: Vec<Outcome>,
    not_checked: Vec<NotChecked>,
    start: Stopwatch,
    args: &CheckArgs,
    traced: &mut bool,
) -> Result<i32, Failure> {
    let document = Document {
        model: file.info.clone(),
        outcomes,
        not_checked,
        warnings: file.diagnostics.iter().filter(|d| !d.is_error()).count(),
        sources: &file.sources,
        time: start.elapsed(),
    };
    write_document(&document, args)?;
    write_files(&document, args, traced)?;
    Ok(document.exit_code())
}

/// Errors and warnings.
pub fn show_diagnostics(file: &ModelFile, args: &CheckArgs) -> Result<(), Failure> {
    if file.diagnostics.is_empty() {
        return Ok(());
    }
    let text = diagnostics::render(&file.diagnostics, &file.sources, terminal::error_style(&args.style));
    std::io::stderr().write_all(text.as_bytes())?;
    Ok(())
}

/// A model that cannot be read, for JSON.
pub fn write_unreadable(file: &ModelFile) -> Result<(), Failure> {
    let unreadable = Unreadable {
        file: &file.info.file,
        language: Some(file.info.language),
        sha256: Some(&file.info.sha256),
        defines: &file.info.defines,
        diagnostics: &file.diagnostics,
        sources: &file.sources,
    };
    json::write_unreadable(&mut std::io::stdout().lock(), &unreadable)?;
    Ok(())
}

/// A file that is not there, or of another language.
pub fn report_failure(path: &Path, args: &CheckArgs, failure: &Failure) -> Result<(), Failure> {
    writeln!(std::io::stderr(), "error: {failure}")?;
    if args.format == Format::Json {
        let file = path.display().to_string();
        let sources = model::source::SourceMap::new();
        let diagnostic = Diagnostic::error("unreadable", Span::NONE, failure.to_string());
        let unreadable = Unreadable {
            file: &file,
            language: None,
            sha256: None,
            defines: &args.read.define,
            diagnostics: &[diagnostic],
            sources: &sources,
        };
        json::write_unreadable(&mut std::io::stdout().lock(), &unreadable)?;
    }
    Ok(())
}

fn write_document(document: &Document<'_>, args: &CheckArgs) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match args.format {
        Format::Json => json::write_check(&mut out, document)?,
        Format::Human => {
            let text = report::human::render(document, args.stats, terminal::style(&args.style));
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

/// `--trace` and `--certificate`
fn write_files(document: &Document<'_>, args: &CheckArgs, traced: &mut bool) -> Result<(), Failure> {
    if let Some(path) = &args.trace
        && !*traced
        && let Some(outcome) = document.outcomes.iter().find(|o| has_run(o) && !o.details.advisory)
    {
        let mut out = create(path)?;
        json::write_trace(&mut out, &document.model, outcome, document.sources)?;
        out.flush()?;
        *traced = true;
    }
    if let Some(path) = &args.certificate {
        let mut out = create(path)?;
        json::write_certificates(&mut out, &document.model, &document.outcomes)?;
        out.flush()?;
    }
    Ok(())
}

fn has_run(outcome: &Outcome) -> bool {
    let details = &outcome.details;
    let others = details.joint.is_some() || details.program_run.is_some() || details.components_run.is_some();
    outcome.witness.is_some() || others
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    let unwritable =
        |e: std::io::Error| Failure::Unwritable { file: path.display().to_string(), reason: e.to_string() };
    Ok(BufWriter::new(File::create(path).map_err(unwritable)?))
}
