//! `test`: the models of `highwater.toml`, each against the verdicts that are expected of it.
//!
//! ```toml
//! [[model]]
//! file = "real-deadlock.pml"
//! options = ["-D", "GIVE_WAY"]
//! expect = { deadlock = "violated", boundedness = "proved", "ltl:answered" = "inconclusive(timeout)" }
//! ```
//! What the model states and `expect` does not mention is expected to be proved, so that a property that is added to a model
//! is never left out.

use crate::arguments::{CheckArgs, Cli, Command, Form, TestArgs};
use crate::check::examine;
use crate::outputs::save;
use crate::terminal::{self, explain_error};
use clap::Parser;
use formats::junit::Case;
use highwater::{Cancel, Error, Finding, Property, Reason, Report, Verdict, Wanted};
use model::budget::Stopwatch;
use model::text::counted;
use report::document::combined_exit_code;
use report::style::{Style, duration};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the file with expectations.
const FILE: &str = "highwater.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    #[serde(default)]
    model: Vec<Expected>,
}

/// What is expected of a model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    file: String,
    /// Options of `check`, as they would be typed in the folder.
    #[serde(default)]
    options: Vec<String>,
    /// Verdicts by property; all others that the model states are to be proved.
    #[serde(default)]
    expect: BTreeMap<String, String>,
}

/// Checks every model of a folder and returns the exit code: 1 if something is not as expected.
pub fn run(args: &TestArgs, stop: &Cancel) -> Result<i32, Error> {
    let outputs = outputs(args)?;
    let Expectations { model: models } = expectations(&args.folder)?;
    // Files and options are meant from there.
    let elsewhere =
        |e: std::io::Error| Error::Unreadable { file: args.folder.display().to_string(), reason: e.to_string() };
    std::env::set_current_dir(&args.folder).map_err(elsewhere)?;
    let (start, style) = (Stopwatch::start(), terminal::style(&args.style));
    let (mut codes, mut suites) = (Vec::new(), Vec::new());
    for expected in &models {
        let Tested { code, cases } = expected.test(args, stop)?;
        terminal::print(shown(expected, &cases, args.quiet, style).as_bytes())?;
        codes.push(code);
        suites.push((expected.name(), cases));
    }
    let failed = codes.iter().filter(|code| **code != 0).count();
    if !args.quiet {
        terminal::print(total(models.len(), failed, start.elapsed()).as_bytes())?;
    }
    let xml = formats::junit::tests(suites.iter().map(|(name, cases)| (name.as_str(), cases.as_slice())));
    outputs.iter().try_for_each(|file| save(file, &xml))?;
    Ok(combined_exit_code(codes))
}

fn outputs(args: &TestArgs) -> Result<Vec<PathBuf>, Error> {
    let path = |output: &crate::arguments::Output| match output.form {
        Form::Junit => Ok(std::path::absolute(&output.file)?),
        _ => Err(Error::Usage(String::from("the output of `test` has the form junit=FILE"))),
    };
    args.output.iter().map(path).collect()
}

fn expectations(folder: &Path) -> Result<Expectations, Error> {
    let path = folder.join(FILE);
    let unreadable = |reason: String| Error::Unreadable { file: path.display().to_string(), reason };
    let text = std::fs::read_to_string(&path).map_err(|e| unreadable(e.to_string()))?;
    let expectations: Expectations =
        toml::from_str(&text).map_err(|e| unreadable(e.to_string().trim_end().to_owned()))?;
    if expectations.model.is_empty() {
        return Err(unreadable(String::from("it names no model: [[model]] with a `file`")));
    }
    Ok(expectations)
}

/// What came of a model.
struct Tested {
    code: i32,
    cases: Vec<Case>,
}

impl Expected {
    fn name(&self) -> String {
        [self.file.as_str()].into_iter().chain(self.options.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
    }

    fn test(&self, args: &TestArgs, stop: &Cancel) -> Result<Tested, Error> {
        let check = self.check_args()?;
        let named = self.named()?;
        let budget = check.limits.budget(stop);
        let wanted = |model: &highwater::Model| Ok(Wanted::Listed([model.stated()?, named].concat()));
        match examine(&check, Path::new(&self.file), &budget, wanted) {
            Ok((_, report)) => {
                let mut tested = self.compare(&report);
                self.again(&check, &report, &mut tested, stop)?;
                Ok(tested)
            }
            Err(
                error @ (Error::Unreadable { .. } | Error::Language { .. } | Error::Model(_) | Error::Limit { .. }),
            ) => {
                explain_error(&error, &args.style)?;
                let failure = Some(error.to_string());
                let cases = vec![Case { name: String::from("read"), failure, time: Duration::ZERO }];
                Ok(Tested { code: error.exit_code(), cases })
            }
            Err(error) => Err(error),
        }
    }

    /// Checks alone what a search left open because it found something else first.
    fn again(&self, check: &CheckArgs, report: &Report, tested: &mut Tested, stop: &Cancel) -> Result<(), Error> {
        let stopped = |finding: &Finding<'_>| matches!(finding.reason(), Some(Reason::StoppedEarly));
        for property in report.findings().filter(stopped).map(|finding| finding.property()) {
            let budget = check.limits.budget(stop);
            let wanted = |_: &highwater::Model| Wanted::parse(std::slice::from_ref(&property));
            let (_, alone) = examine(check, Path::new(&self.file), &budget, wanted)?;
            let found = alone.findings().map(|finding| self.case(&finding)).find(|case| case.name == property);
            if let (Some(case), Some(old)) = (found, tested.cases.iter_mut().find(|case| case.name == property)) {
                *old = case;
            }
        }
        tested.code = i32::from(tested.cases.iter().any(|case| case.failure.is_some()));
        Ok(())
    }

    /// The options, as `check` reads them; none that chooses properties or writes.
    fn check_args(&self) -> Result<CheckArgs, Error> {
        let wrong = |why: String| Error::Usage(format!("{FILE}: the options of {}: {why}", self.file));
        let words = ["highwater", "check", "--quiet", self.file.as_str()].into_iter();
        let parsed = Cli::try_parse_from(words.chain(self.options.iter().map(String::as_str)));
        let Command::Check(args) = parsed.map_err(|e| wrong(e.to_string()))?.command else {
            return Err(Error::Internal("`check` is another command"));
        };
        let output = &args.output;
        let writes = output.trace.is_some() || output.certificate.is_some() || output.c_test.is_some();
        if writes || !output.output.is_empty() || output.watch || args.files.len() > 1 || !args.properties.is_empty() {
            let why =
                "they say how the model is read and checked; properties are those of `expect`, and nothing is written";
            return Err(wrong(String::from(why)));
        }
        Ok(*args)
    }

    /// The properties that are mentioned; each has a verdict that can be expected.
    fn named(&self) -> Result<Vec<Property>, Error> {
        for (property, verdict) in &self.expect {
            let word = verdict.split_once('(').map_or(verdict.as_str(), |(word, _)| word);
            if !["proved", "violated", "inconclusive", "vacuous"].contains(&word) {
                let file = &self.file;
                let known = "proved, violated, inconclusive, inconclusive(REASON), vacuous";
                return Err(Error::Usage(format!("{FILE}: {file}: {property}: `{verdict}` is none of {known}")));
            }
        }
        let keys: Vec<String> = self.expect.keys().cloned().collect();
        Ok(Wanted::parse(&keys)?.named().to_vec())
    }

    fn compare(&self, report: &Report) -> Tested {
        let mut cases: Vec<Case> = report.findings().map(|finding| self.case(&finding)).collect();
        for property in self.expect.keys().filter(|property| report.finding(property).is_none()) {
            let failure = Some(String::from("the model has no such property"));
            cases.push(Case { name: property.clone(), failure, time: Duration::ZERO });
        }
        Tested { code: i32::from(cases.iter().any(|case| case.failure.is_some())), cases }
    }

    fn case(&self, finding: &Finding<'_>) -> Case {
        let name = finding.property();
        let expected = self.expect.get(&name).map_or("proved", String::as_str);
        let reason = finding.reason().map(Reason::code).unwrap_or_default();
        let found = match finding.verdict() {
            Verdict::Inconclusive => format!("inconclusive({reason})"),
            other => other.to_string(),
        };
        let as_expected = expected == found || expected == finding.verdict().name();
        let failure = (!as_expected).then(|| format!("expected {expected}, found {found}"));
        Case { name, failure, time: finding.time() }
    }
}

/// A line for a model, and one for each result that is not as expected.
fn shown(expected: &Expected, cases: &[Case], quiet: bool, style: Style) -> String {
    let failures: Vec<&Case> = cases.iter().filter(|case| case.failure.is_some()).collect();
    if failures.is_empty() {
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        let mark = if style.unicode { "✔" } else { "+" };
        return if quiet { String::new() } else { format!("{mark} {}  {}\n", expected.name(), names.join(", ")) };
    }
    let mut text = format!("{} {}\n", if style.unicode { "✘" } else { "x" }, expected.name());
    for Case { name, failure, .. } in failures {
        text += &format!("    {name}: {}\n", failure.as_deref().unwrap_or_default());
    }
    text
}

fn total(models: usize, failed: usize, time: Duration) -> String {
    let words = if failed == 0 { String::from("all as expected") } else { format!("{failed} not as expected") };
    format!("\n{}: {words} in {}\n", counted(models as u64, "model", "models"), duration(time))
}
