//! The command line: arguments, the terminal, exit codes. Everything else is the library `highwater`.
//!
//! | exit code | meaning |
//! | --- | --- |
//! | 0 | every property that was checked is proved |
//! | 1 | a property is violated, or a certificate is refused |
//! | 2 | the model cannot be read, or bad usage |
//! | 3 | a property is inconclusive or vacuous, and none is violated |
//! | 101 | internal error |

mod arguments;
mod check;
mod commands;
mod explain;
mod files;
mod ltl;
mod lts;
mod outputs;
mod terminal;
mod test;
mod view;

use arguments::{Cli, ClusterCommand, Command};
use clap::{CommandFactory, Parser};
use highwater::{Cancel, Error};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(arguments::words(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    exit_on_panic();
    let stop = interruptible();
    ExitCode::from(highwater::with_deep_stack(|| run(&cli, &stop)))
}

/// A panic, in any thread, ends the process with the exit code of an internal error.
fn exit_on_panic() {
    let describe = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        describe(panic);
        std::process::exit(101);
    }));
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
        Command::Test(args) => test::run(args, stop),
        Command::VerifyCertificate(args) => commands::verify(args, stop),
        Command::Simulate(args) => commands::simulate(args, stop),
        Command::Show(args) => commands::show(args, stop),
        Command::View(args) => view::run(args, stop),
        Command::Convert(args) => commands::convert(args, stop),
        Command::Ltl(args) => ltl::run(args),
        Command::Lts(command) => lts::run(command, stop),
        Command::Cluster(ClusterCommand::Run { processes, command }) => commands::share(*processes, command),
        Command::Explain { code, style } => explain::run(code.as_deref(), terminal::style(style)),
        Command::Lsp => lsp::serve(std::io::stdin(), &mut std::io::stdout().lock()).map_err(Error::from),
        Command::Schema => terminal::print(formats::SCHEMA.as_bytes()).map(|()| 0),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "highwater", &mut script);
            terminal::print(&script).map(|()| 0)
        }
    };
    match result {
        Ok(code) => code as u8,
        // A reader that has seen enough closes the pipe: that is no error.
        Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            terminal::error(&error.to_string());
            error.exit_code() as u8
        }
    }
}
