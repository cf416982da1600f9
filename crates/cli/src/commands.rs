//! The commands beside `check`: each reads a file, calls the library, and prints.

use crate::arguments::{ConvertArgs, ReadArgs, ShowArgs, SimulateArgs, StyleArgs, VerifyArgs};
use crate::files;
use crate::terminal::{self, diagnose, explain_error};
use highwater::show::{Picture, Shown, What};
use highwater::simulate::SimulateOptions;
use highwater::{Budget, Cancel, Error, Model};
use report::progress::TerminalObserver;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// How long a picture waits for bounds.
const BOUNDS: Duration = Duration::from_secs(20);

/// Reads a model and shows what the front end says about it.
pub fn read(path: &Path, read: &ReadArgs, budget: &Budget, style: &StyleArgs) -> Result<Model, Error> {
    let model = files::read(path, read, budget).inspect_err(|error| {
        let _ = explain_error(error, style);
    })?;
    diagnose(&model, model.warnings(), style)?;
    Ok(model)
}

fn text_of(path: &Path) -> Result<String, Error> {
    let unreadable = |e: std::io::Error| Error::Unreadable { file: path.display().to_string(), reason: e.to_string() };
    std::fs::read_to_string(path).map_err(unreadable)
}

/// `verify-certificate`
pub fn verify(args: &VerifyArgs, stop: &Cancel) -> Result<i32, Error> {
    let (budget, observer) = (args.limits.budget(stop), TerminalObserver::new(!args.style.ascii, false));
    let certificate = text_of(&args.certificate)?;
    let verified = highwater::verify_with(&args.file, &certificate, &args.read.options(), &budget, &observer);
    let verified = verified.inspect_err(|error| {
        let _ = explain_error(error, &args.style);
    })?;
    terminal::print(verified.to_string().as_bytes())?;
    match verified.refused() {
        Some(why) => Err(Error::Refused(why)),
        None => Ok(verified.exit_code()),
    }
}

/// `simulate`
pub fn simulate(args: &SimulateArgs, stop: &Cancel) -> Result<i32, Error> {
    let options = SimulateOptions {
        seed: (!args.interactive).then_some(args.seed),
        steps: args.steps,
        channels: args.channels,
        bad: args.bad.clone(),
        columns: args.columns.as_deref().map_or_else(Vec::new, highwater::simulate::split_columns),
        style: terminal::style(&args.style),
    };
    let mut out = std::io::stdout().lock();
    match &args.replay {
        Some(trace) => {
            let trace = text_of(trace)?;
            let replayed = highwater::simulate::replay(&args.file, &trace, &args.read.options(), &options, &mut out);
            replayed.inspect_err(|error| {
                let _ = explain_error(error, &args.style);
            })
        }
        None => {
            let model = read(&args.file, &args.read, &Budget::unlimited().until(stop), &args.style)?;
            highwater::simulate::run(&model, &options, &mut out)
        }
    }
}

/// `show`
pub fn show(args: &ShowArgs, stop: &Cancel) -> Result<i32, Error> {
    let model = read(&args.file, &args.read, &Budget::unlimited().until(stop), &args.style)?;
    let drawn = args.format == Picture::Svg;
    let what = args.what.unwrap_or(if drawn { What::Channels } else { What::Machines });
    if drawn && what == What::Channels {
        return picture(&model, &Budget::unlimited().timeout(BOUNDS).memory(highwater::DEFAULT_MEMORY).until(stop));
    }
    match highwater::show::show(&model, what, args.format)? {
        Shown::Text(text) => terminal::print(text.as_bytes()).map(|()| 0),
        Shown::Open(reason) => {
            terminal::error(&format!("the cycles could not be computed: {reason}"));
            Ok(3)
        }
    }
}

/// Processes and channels, with the bounds that are found in a short time.
fn picture(model: &Model, budget: &Budget) -> Result<i32, Error> {
    let channels = highwater::show::channels(model, budget)?;
    let none = || Error::Usage(format!("{} has no channels to draw, or too many", model.name()));
    let picture = web::picture::of_channels(&channels).ok_or_else(none)?;
    terminal::print(picture.svg().as_bytes()).map(|()| 0)
}

/// `convert`
pub fn convert(args: &ConvertArgs, stop: &Cancel) -> Result<i32, Error> {
    let budget = args.limits.budget(stop);
    let model = read(&args.file, &args.read, &budget, &args.style)?;
    let converted = highwater::convert::convert(&model, args.to, &budget);
    let (text, warnings) = converted.inspect_err(|error| {
        let _ = explain_error(error, &args.style);
    })?;
    diagnose(&model, &warnings, &args.style)?;
    terminal::print(text.as_bytes())?;
    Ok(0)
}

/// `cluster run`
pub fn share(processes: usize, command: &[OsString]) -> Result<i32, Error> {
    if command.first().is_none_or(|word| word != "check") {
        return Err(Error::Usage(String::from("processes share a check: cluster run -n 2 -- check FILE")));
    }
    let shared = std::env::current_exe().and_then(|program| cluster::run(&program, command, processes));
    match shared.map_err(|error| Error::Usage(format!("the processes could not be started: {error}")))? {
        cluster::Exit::Code(code) => Ok(code),
        cluster::Exit::Lost(process) => {
            terminal::error(&format!("process {process} was ended by a signal"));
            Ok(3)
        }
    }
}
