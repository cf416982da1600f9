//! The commands beside `check`: each reads a file, calls the library, and prints.

use crate::arguments::{ConvertArgs, ReadArgs, ShowArgs, SimulateArgs, StyleArgs, VerifyArgs};
use crate::terminal::{self, diagnose, explain_error};
use highwater::show::Shown;
use highwater::simulate::SimulateOptions;
use highwater::{Budget, Cancel, Error, Model};
use report::progress::TerminalObserver;
use std::path::Path;

/// Reads a model and shows what the front end says about it.
pub fn read(path: &Path, read: &ReadArgs, budget: &Budget, style: &StyleArgs) -> Result<Model, Error> {
    let model = Model::read_with(path, &read.options(), budget).inspect_err(|error| {
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
    match highwater::show::show(&model, args.what, args.format)? {
        Shown::Text(text) => terminal::print(text.as_bytes()).map(|()| 0),
        Shown::Open(reason) => {
            terminal::error(&format!("the cycles could not be computed: {reason}"));
            Ok(3)
        }
    }
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
