//! The command line: picks engines, sets limits, maps verdicts to exit codes.
//!
//! | exit code | meaning |
//! | --- | --- |
//! | 0 | everything asked is proved |
//! | 1 | a property is violated, or a certificate is refused |
//! | 2 | the model cannot be read, or bad usage |
//! | 3 | a property is inconclusive or vacuous, and none is violated |
//! | 101 | internal error |

mod arguments;
mod asking;
mod boundedness;
mod capacities;
mod check;
mod components;
mod compositions;
mod convert;
mod explain;
mod failure;
mod livelock;
mod ltl;
mod machines;
mod model_file;
mod programs;
mod show;
mod simulate;
mod solvers;
mod terminal;
mod verify;

use arguments::{Cli, Command};
use clap::{CommandFactory, Parser};
use failure::Failure;
use model::budget::Cancel;
use std::io::Write;
use std::process::ExitCode;

/// Deep models are walked by recursion of a bounded depth; this is room enough for it.
const STACK: usize = 1 << 29;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let stop = interruptible();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&cli, &stop));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        _ => ExitCode::from(101),
    }
}

/// A flag that Ctrl-C sets; a second Ctrl-C ends the process.
fn interruptible() -> Cancel {
    let stop = Cancel::default();
    let flag = stop.clone();
    let _ = ctrlc::set_handler(move || {
        if flag.is_cancelled() {
            std::process::exit(3);
        }
        flag.cancel();
    });
    stop
}

fn run(cli: &Cli, stop: &Cancel) -> u8 {
    let result = match &cli.command {
        Command::Check(args) => check::run(args, stop),
        Command::VerifyCertificate(args) => verify::run(args, stop),
        Command::Simulate(args) => simulate::run(args, stop),
        Command::Show(args) => show::run(args, stop),
        Command::Convert(args) => convert::run(args, stop),
        Command::Ltl(args) => ltl::run(args),
        Command::Explain { code, style } => explain::run(code.as_deref(), terminal::style(style)),
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "highwater", &mut std::io::stdout());
            Ok(0)
        }
    };
    match result {
        Ok(code) => code as u8,
        // Somebody closed the pipe: nothing to say, and nobody to say it to.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => 2,
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "error: {failure}");
            failure.exit_code() as u8
        }
    }
}
