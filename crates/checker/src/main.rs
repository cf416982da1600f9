//! `highwater-check MODEL CERTIFICATE`: the checker alone.
//!
//! | exit code | meaning |
//! | --- | --- |
//! | 0 | every claim of the certificate is accepted |
//! | 1 | a claim is refused |
//! | 2 | the model or the certificate cannot be read, or bad usage |
//! | 3 | a limit was reached or a claim leaves out channels, and none is refused |
//! | 101 | internal error |

use input::{Choice, Language, ReadOptions};
use model::budget::Budget;
use model::context::Context;
use model::observer::Silent;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
Usage: highwater-check [OPTIONS] MODEL CERTIFICATE

Checks what `highwater check MODEL --certificate CERTIFICATE` wrote, with the checker alone.

Options:
  -I DIR               Another folder with included files
  --language LANGUAGE  The language of the model, where the extension does not tell it
  --timeout SECONDS    Stop after this time [default: 60]
  --memory MIB         Stop when the process has so much memory [default: 4096]
  -h, --help           Print this text
  -V, --version        Print the version
";

struct Arguments {
    model: PathBuf,
    certificate: PathBuf,
    options: ReadOptions,
    budget: Budget,
}

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    if arguments.iter().any(|argument| argument == "-h" || argument == "--help") {
        return say(USAGE, 0);
    }
    if arguments.iter().any(|argument| argument == "-V" || argument == "--version") {
        return say(concat!("highwater-check ", env!("CARGO_PKG_VERSION"), "\n"), 0);
    }
    match read(arguments) {
        Ok(arguments) => run(&arguments),
        Err(message) => fail(&format!("{message}\n\n{USAGE}"), 2),
    }
}

fn read(arguments: Vec<String>) -> Result<Arguments, String> {
    let (mut files, mut options) = (Vec::new(), ReadOptions::default());
    let (mut seconds, mut memory) = (60u64, 4096u64);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        match argument.as_str() {
            "-I" => options.include.push(PathBuf::from(value()?)),
            "--timeout" => seconds = number(value()?)?,
            "--memory" => memory = number(value()?)?,
            "--language" => {
                let name = value()?;
                options.language = Some(Language::named(&name).ok_or(format!("there is no language `{name}`"))?);
            }
            option if option.starts_with('-') && option.len() > 1 => return Err(format!("unknown option `{option}`")),
            _ => files.push(PathBuf::from(argument)),
        }
    }
    let [model, certificate] = <[PathBuf; 2]>::try_from(files).map_err(|_| "two files are needed")?;
    let budget = Budget::unlimited().timeout(Duration::from_secs(seconds)).memory(memory << 20);
    Ok(Arguments { model, certificate, options, budget })
}

fn run(arguments: &Arguments) -> ExitCode {
    let text = match std::fs::read_to_string(&arguments.certificate) {
        Ok(text) => text,
        Err(error) => return fail(&format!("cannot read {}: {error}", arguments.certificate.display()), 2),
    };
    let cx = Context::new(&arguments.budget, &Silent);
    // The exit code of a panic is 101.
    match checker::verify(&arguments.model, &text, &arguments.options, &cx) {
        Ok(verified) => {
            let code = say(&verified.to_string(), verified.exit_code());
            match verified.refused() {
                Some(why) => fail(&why, 1),
                None => code,
            }
        }
        Err(error) => fail(&error.to_string(), error.exit_code()),
    }
}

/// A reader that has seen enough closes the pipe: that is no error.
fn say(text: &str, code: i32) -> ExitCode {
    let _ = std::io::stdout().write_all(text.as_bytes());
    ExitCode::from(code as u8)
}

fn fail(message: &str, code: i32) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {}", message.trim_end());
    ExitCode::from(code as u8)
}
