//! `check`: the verdicts of one file after the other, on the terminal and in files.

use crate::arguments::{CheckArgs, Format};
use crate::terminal::{self, diagnose, explain_error};
use highwater::options::Kind;
use highwater::settings::Settings;
use highwater::{Error, Finding, Model, Results, Wanted, capacities};
use model::budget::{Cancel, Stopwatch};
use model::context::Context;
use model::diagnostic::Diagnostic;
use model::source::{SourceMap, Span};
use model::verdict::{Outcome, Property};
use report::document::{Document, combined_exit_code};
use report::json::{self, Unreadable};
use report::progress::TerminalObserver;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Checks every file and returns the exit code.
pub fn run(args: &CheckArgs, stop: &Cancel) -> Result<i32, Error> {
    let wanted = match args.output.apply_bounds {
        true => Wanted::Listed(vec![Property::Boundedness]),
        false => Wanted::parse(&args.properties)?,
    };
    for (given, option) in
        [(args.output.certificate.is_some(), "--certificate"), (args.output.c_test.is_some(), "--c-test")]
    {
        if given && args.files.len() > 1 {
            return Err(Error::Usage(format!("{option} is for one file at a time")));
        }
    }
    let mut run = Run { args, settings: args.settings(), wanted, stop, traced: false };
    let mut codes = Vec::new();
    for path in &args.files {
        let code = match run.file(path) {
            Ok(code) => code,
            // Bad input in one file does not keep the others from being checked.
            Err(
                error @ (Error::Unreadable { .. } | Error::Language { .. } | Error::Model(_) | Error::Limit { .. }),
            ) => run.unreadable(path, &error)?,
            Err(error) => {
                explain_error(&error, &args.style)?;
                return Err(error);
            }
        };
        codes.push(code);
    }
    Ok(combined_exit_code(codes))
}

struct Run<'a> {
    args: &'a CheckArgs,
    settings: Settings,
    wanted: Wanted,
    stop: &'a Cancel,
    /// A run was written.
    traced: bool,
}

impl Run<'_> {
    fn file(&mut self, path: &Path) -> Result<i32, Error> {
        let start = Stopwatch::start();
        let args = self.args;
        let budget = args.limits.budget(self.stop);
        let mut model = Model::read_with(path, &args.read.options(), &budget)?;
        if let Wanted::Listed(properties) = &self.wanted {
            model = model.with_formulas(properties, &budget)?;
        }
        if args.output.apply_bounds && model.kind() != Kind::Promela {
            let (meant, other) = (Kind::Promela.name(), model.kind().name());
            return Err(Error::Usage(format!("--apply-bounds does not apply to {other}; it is for {meant}")));
        }
        diagnose(model.warnings(), model.sources(), &args.style)?;
        let observer = TerminalObserver::new(!args.style.ascii, args.methods.trace_refinement);
        let cx = Context::new(&budget, &observer);
        let results = highwater::check(&model, &self.wanted, &self.settings, &cx)?;
        drop(observer);
        if args.output.apply_bounds {
            return apply_bounds(&results, &model);
        }
        self.report(&model, results, start)
    }

    /// Prints what was found, writes what is to be written, and returns the exit code.
    fn report(&mut self, model: &Model, results: Results, start: Stopwatch) -> Result<i32, Error> {
        let document = Document {
            model: model.info().clone(),
            outcomes: results.findings.into_iter().map(Finding::into_outcome).collect(),
            not_checked: results.not_checked,
            warnings: model.warnings().len(),
            sources: model.sources(),
            time: start.elapsed(),
        };
        self.write_files(&document)?;
        let mut text = Vec::new();
        match self.args.output.format {
            Format::Json => json::write_check(&mut text, &document)?,
            Format::Human => {
                let style = terminal::style(&self.args.style);
                text = report::human::render(&document, self.args.output.stats, style).into_bytes();
            }
        }
        // Whoever closes the pipe gets the exit code all the same.
        match terminal::print(&text) {
            Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            printed => printed?,
        }
        Ok(document.exit_code())
    }

    /// `--trace` and `--certificate`
    fn write_files(&mut self, document: &Document<'_>) -> Result<(), Error> {
        if let Some(path) = &self.args.output.trace
            && !self.traced
            && let Some(outcome) = document.outcomes.iter().find(|o| has_run(o) && !o.details.advisory)
        {
            let mut out = create(path)?;
            json::write_trace(&mut out, &document.model, outcome, document.sources)?;
            out.flush()?;
            self.traced = true;
        }
        if let Some(path) = &self.args.output.certificate {
            let mut out = create(path)?;
            json::write_certificates(&mut out, &document.model, &document.outcomes)?;
            out.flush()?;
        }
        Ok(())
    }

    /// A file that is not there, has errors, or is of another language.
    fn unreadable(&self, path: &Path, error: &Error) -> Result<i32, Error> {
        explain_error(error, &self.args.style)?;
        let (file, empty) = (path.display().to_string(), SourceMap::new());
        let message = [Diagnostic::error("unreadable", Span::NONE, error.to_string())];
        let defines = &self.args.read.define;
        let unreadable = match error {
            Error::Model(found) | Error::Limit { unreadable: found, .. } => Unreadable {
                file: &found.info.file,
                language: Some(found.info.language),
                sha256: Some(&found.info.sha256),
                defines: &found.info.defines,
                diagnostics: &found.diagnostics,
                sources: &found.sources,
                exit_code: error.exit_code(),
            },
            _ => {
                terminal::error(&error.to_string());
                Unreadable {
                    file: &file,
                    language: None,
                    sha256: None,
                    defines,
                    diagnostics: &message,
                    sources: &empty,
                    exit_code: error.exit_code(),
                }
            }
        };
        if self.args.output.format == Format::Json {
            json::write_unreadable(&mut std::io::stdout().lock(), &unreadable)?;
        }
        Ok(error.exit_code())
    }
}

/// `--apply-bounds`: exit code 0 if every channel got a capacity that suffices, 3 if not.
fn apply_bounds(results: &Results, model: &Model) -> Result<i32, Error> {
    let applied = capacities::applied(&results.findings, model);
    terminal::print(applied.text.as_bytes())?;
    if applied.unknown == 0 && applied.tested == 0 && results.not_checked.is_empty() {
        return Ok(0);
    }
    if applied.unknown > 0 || applied.tested == 0 {
        let count = applied.unknown;
        writeln!(std::io::stderr(), "note: {count} declarations stay as they are: no bound is known for them")?;
    }
    if applied.tested > 0 {
        let (count, why) = (applied.tested, "`full` or `nfull` compare with their capacity");
        writeln!(std::io::stderr(), "note: {count} declarations stay as they are: {why}")?;
    }
    Ok(3)
}

fn has_run(outcome: &Outcome) -> bool {
    outcome.witness.is_some()
}

fn create(path: &Path) -> Result<BufWriter<File>, Error> {
    let unwritable = |e: std::io::Error| Error::Unwritable { file: path.display().to_string(), reason: e.to_string() };
    Ok(BufWriter::new(File::create(path).map_err(unwritable)?))
}
