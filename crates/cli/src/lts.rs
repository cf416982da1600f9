//! `lts`: labelled transition systems as files of their own.

use crate::arguments::{LtsArgs, LtsCommand};
use crate::commands;
use crate::terminal;
use highwater::{Budget, Cancel, Error, Model, Reason, lts};

/// Reads one or two files and prints a result.
pub fn run(command: &LtsCommand, stop: &Cancel) -> Result<i32, Error> {
    match command {
        LtsCommand::Info(args) => {
            let (models, _) = read(args, stop)?;
            terminal::print(lts::info(&models[0])?.as_bytes())?;
            Ok(0)
        }
        LtsCommand::Minimise(args) => {
            let (models, budget) = read(args, stop)?;
            finish(lts::minimise(&models[0], args.equivalence, &budget)?.map(|text| (text, 0)))
        }
        LtsCommand::Compare(args) => {
            let (models, budget) = read(args, stop)?;
            let compared = lts::compare(&models[0], &models[1], args.equivalence, &budget)?;
            finish(compared.map(|compared| (compared.text, i32::from(!compared.equivalent))))
        }
    }
}

/// Clap has counted the files.
fn read<const FILES: usize>(args: &LtsArgs<FILES>, stop: &Cancel) -> Result<(Vec<Model>, Budget), Error> {
    let budget = args.limits.budget(stop);
    let models = args.files.iter().map(|file| commands::read(file, &args.read, &budget, &args.style));
    Ok((models.collect::<Result<_, _>>()?, budget))
}

fn finish(result: Result<(String, i32), Reason>) -> Result<i32, Error> {
    match result {
        Ok((text, code)) => terminal::print(text.as_bytes()).map(|()| code),
        Err(reason) => {
            terminal::error(&format!("inconclusive: {reason}"));
            Ok(reason.exit_code())
        }
    }
}
