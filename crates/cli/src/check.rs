//! `check`: the verdicts of one file after the other, on the terminal and in files.

use crate::arguments::{Capacities, CheckArgs, Form, Format};
use crate::files::{self, Stamp};
use crate::outputs;
use crate::terminal::{self, diagnose, explain_error};
use highwater::options::Kind;
use highwater::{Budget, Cancel, Check, Error, Model, Property, Report, Wanted};
use model::source::SourceMap;
use report::document::{Entry, combined_exit_code};
use report::human;
use report::progress::TerminalObserver;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often `--watch` looks at the files.
const PAUSE: Duration = Duration::from_millis(100);

/// Checks every file and returns the exit code; with `--watch`, again and again.
pub fn run(args: &CheckArgs, stop: &Cancel) -> Result<i32, Error> {
    if !args.output.watch {
        return once(args, stop).map(|(code, _)| code);
    }
    if args.files.iter().any(|path| files::is_input(path)) {
        return Err(Error::Usage(String::from("--watch is for files: standard input is read once")));
    }
    let mut watched = args.files.clone();
    loop {
        let mut before = Stamp::of(&watched);
        let (code, read) = once(args, stop)?;
        if read != watched {
            (before, watched) = (Stamp::of(&read), read);
        }
        let files = if watched.len() == 1 { "file" } else { "files" };
        let _ = writeln!(std::io::stderr(), "watching {} {files} (Ctrl-C ends)", watched.len());
        while !stop.is_cancelled() && Stamp::of(&watched) == before {
            std::thread::sleep(PAUSE);
        }
        if stop.is_cancelled() {
            return Ok(code);
        }
    }
}

/// Checks every file once; returns the exit code, and the files and folders that were looked at.
fn once(args: &CheckArgs, stop: &Cancel) -> Result<(i32, Vec<PathBuf>), Error> {
    let wanted = match args.output.apply_bounds {
        Some(_) => Wanted::Listed(vec![Property::Boundedness]),
        None => Wanted::parse(&args.properties)?,
    };
    let models = files::models(&args.files, &args.read)?;
    let one_at_a_time = [
        (args.output.certificate.is_some(), "--certificate"),
        (args.output.c_test.is_some(), "--c-test"),
        (args.output.output.iter().any(|output| output.form == Form::Trail), "--output trail"),
    ];
    for (given, option) in one_at_a_time {
        if given && models.len() > 1 {
            return Err(Error::Usage(format!("{option} is for one file at a time")));
        }
    }
    let output = &args.output;
    let written = output.output.iter().map(|output| &output.file);
    for file in written.chain(&output.trace).chain(&output.certificate).chain(&output.c_test) {
        outputs::writable(file)?;
    }
    let watched = args.files.iter().cloned().collect();
    let mut run = Run { args, wanted, stop, traced: false, found: Vec::new(), watched };
    let mut codes = Vec::new();
    for path in &models {
        run.watched.insert(path.clone());
        let code = match run.file(path) {
            Ok(code) => code,
            // Bad input in one file does not keep the others from being checked.
            Err(
                error @ (Error::Unreadable { .. } | Error::Language { .. } | Error::Model(_) | Error::Limit { .. }),
            ) => run.unreadable(path, error.with_open(&run.wanted))?,
            Err(error) => {
                explain_error(&error, &args.style)?;
                return Err(error);
            }
        };
        codes.push(code);
    }
    outputs::write(&args.output.output, &run.found, &args.read.define)?;
    Ok((combined_exit_code(codes), run.watched.into_iter().collect()))
}

/// Reads a model and checks what is wanted of it.
pub fn examine(
    args: &CheckArgs,
    path: &Path,
    budget: &Budget,
    wanted: impl FnOnce(&Model) -> Result<Wanted, Error>,
) -> Result<(Model, Report), Error> {
    let model = files::read(path, &args.read, budget)?;
    let wanted = wanted(&model)?;
    let model = model.with_formulas(wanted.named(), budget)?;
    if args.output.apply_bounds.is_some() && model.kind() != Kind::Promela {
        let (meant, other) = (Kind::Promela.name(), model.kind().name());
        return Err(Error::Usage(format!("--apply-bounds does not apply to {other}; it is for {meant}")));
    }
    if !args.output.quiet {
        diagnose(&model, model.warnings(), &args.style)?;
    }
    let observer = TerminalObserver::new(!args.style.ascii, args.methods.trace_refinement);
    let check = Check::new(&model).budget(budget.clone()).settings(args.settings()).observer(&observer);
    let report = check.wanted(&wanted).run()?;
    Ok((model, report))
}

struct Run<'a> {
    args: &'a CheckArgs,
    wanted: Wanted,
    stop: &'a Cancel,
    /// A run was written.
    traced: bool,
    /// What was found of every file, if files are to be written.
    found: Vec<(String, Result<Report, Error>)>,
    /// The files and folders that were looked at.
    watched: BTreeSet<PathBuf>,
}

impl Run<'_> {
    fn file(&mut self, path: &Path) -> Result<i32, Error> {
        let budget = self.args.limits.budget(self.stop);
        let wanted = self.wanted.clone();
        let (model, report) = examine(self.args, path, &budget, |_| Ok(wanted))?;
        self.watch(model.sources());
        if let Some(wanted) = self.args.output.apply_bounds {
            return apply_bounds(&report, &model, wanted, &budget);
        }
        self.write_trail(&model, &report)?;
        self.report(report)
    }

    /// The first run of a model with channels as declared, for SPIN.
    fn write_trail(&self, model: &Model, report: &Report) -> Result<(), Error> {
        for output in self.args.output.output.iter().filter(|output| output.form == Form::Trail) {
            if let Some(trail) = highwater::trail::write(model, &report.document().outcomes)? {
                outputs::save(&output.file, &trail)?;
            }
        }
        Ok(())
    }

    /// The files that a model was read from.
    fn watch(&mut self, sources: &SourceMap) {
        let files = sources.files().iter().map(|file| PathBuf::from(&file.name));
        self.watched.extend(files.filter(|file| file.is_file()));
    }

    /// Prints what was found, writes what is to be written, and returns the exit code.
    fn report(&mut self, report: Report) -> Result<i32, Error> {
        self.write_files(&report)?;
        let text = match self.args.output.format {
            Format::Json => report.to_json(),
            Format::Github => formats::github::annotations(&Entry::Checked(Box::new(report.document()))),
            Format::Human if self.args.output.quiet => {
                human::quiet(&report.document(), terminal::style(&self.args.style))
            }
            Format::Human => report.render(terminal::style(&self.args.style), self.args.output.stats),
        };
        // Whoever closes the pipe gets the exit code all the same.
        match terminal::print(text.as_bytes()) {
            Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            printed => printed?,
        }
        let code = report.exit_code();
        self.keep(report.document().model.file, Ok(report));
        Ok(code)
    }

    /// Keeps what was found, for files that are written at the end.
    fn keep(&mut self, file: String, found: Result<Report, Error>) {
        if !self.args.output.output.is_empty() {
            self.found.push((file, found));
        }
    }

    /// `--trace` and `--certificate`
    fn write_files(&mut self, report: &Report) -> Result<(), Error> {
        if let Some(path) = &self.args.output.trace
            && !self.traced
            && let Some(trace) = report.trace()
        {
            outputs::save(path, &trace)?;
            self.traced = true;
        }
        if let Some(path) = &self.args.output.certificate {
            outputs::save(path, &report.certificates())?;
        }
        Ok(())
    }

    /// A file that is not there, has errors, or is of another language.
    fn unreadable(&mut self, path: &Path, error: Error) -> Result<i32, Error> {
        explain_error(&error, &self.args.style)?;
        if let Error::Model(unreadable) | Error::Limit { unreadable, .. } = &error {
            self.watch(&unreadable.sources);
        }
        if !matches!(error, Error::Model(_) | Error::Limit { .. }) {
            terminal::error(&error.to_string());
        }
        let (file, defines, message) = (path.display().to_string(), &self.args.read.define, error.diagnostic());
        let text = match self.args.output.format {
            Format::Human => String::new(),
            Format::Json => error.to_json(&file, defines),
            Format::Github => {
                formats::github::annotations(&Entry::Unreadable(error.unreadable(&file, defines, &message)))
            }
        };
        std::io::stdout().lock().write_all(text.as_bytes())?;
        let code = error.exit_code();
        self.keep(path.display().to_string(), Err(error));
        Ok(code)
    }
}

/// `--apply-bounds`: exit code 0 if every channel got the capacity that is wanted, 3 if not.
fn apply_bounds(report: &Report, model: &Model, wanted: Capacities, budget: &Budget) -> Result<i32, Error> {
    let wanted = match wanted {
        Capacities::NeverWait => highwater::Capacities::NeverWait,
        Capacities::Smallest => highwater::Capacities::Smallest,
    };
    let applied = report.apply_bounds(model, wanted, budget);
    terminal::print(applied.text.as_bytes())?;
    for note in &applied.notes {
        writeln!(std::io::stderr(), "note: {note}")?;
    }
    for (why, count) in &applied.refused {
        writeln!(std::io::stderr(), "note: {count} declarations stay as they are: {why}")?;
    }
    let checked = report.findings().all(|finding| finding.engine().is_some());
    Ok(if applied.refused.is_empty() && checked { 0 } else { 3 })
}
