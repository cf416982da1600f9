//! Running the compiler's preprocessor, for texts that need one.
//!
//! This is the one module of the crate that starts a process and reads files; the driver calls it, and nobody else. A text
//! without directives is taken as it is, so that no compiler is needed for it. `#line` directives of the text are
//! blanked first: they name files that only its generator has seen, and places are to be those of the file at hand.

use crate::codes::Say;
use crate::places::named_files;
use crate::text::blank;
use crate::{DataModel, Input};
use model::diagnostic::Diagnostic;
use model::source::{SourceMap, Span};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The compilers that are looked for, in this order.
const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];

/// Why a text could not be preprocessed.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong.
    pub diagnostic: Diagnostic,
    /// The text that it speaks of.
    pub sources: SourceMap,
}

/// The first compiler that is installed.
pub fn compiler() -> Option<&'static str> {
    COMPILERS.into_iter().find(|name| {
        let mut command = Command::new(name);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

/// Whether a text has directives that only a preprocessor understands.
pub fn is_needed(text: &str) -> bool {
    blank(text).directive.is_some()
}

/// Makes an input of a text: preprocessed if it needs to be. `flags` are handed to the compiler, such as `-DN=3`.
pub fn preprocess(path: &Path, text: &str, model: DataModel, flags: &[String]) -> Result<Input, Box<Failure>> {
    let input = Input::plain(path.display().to_string(), text);
    // A macro of the command line means something in a text without directives, too.
    let defined = || flags.iter().any(|flag| flag.starts_with("-D")).then_some(0);
    let Some(directive) = blank(text).directive.or_else(defined) else { return Ok(input) };
    let fail = |say: Say, at: usize, message: String| {
        let mut sources = SourceMap::new();
        let file = sources.add(&input.name, text);
        Box::new(Failure { diagnostic: say.at(Span::new(file, at, at + 1), message), sources })
    };
    let Some(compiler) = compiler() else {
        return Err(fail(
            Say::NoCompiler,
            directive,
            String::from("this text needs a preprocessor, and there is none"),
        ));
    };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let clean = without_line_directives(text);
    let expanded = expand(compiler, &clean, directory, model, flags)
        .or_else(|message| {
            with_foreign_headers(compiler, model, flags, |flags| expand(compiler, &clean, directory, model, flags))
                .unwrap_or(Err(message))
        })
        .map_err(|message| fail(Say::Preprocessor, complaint_offset(text, &message), first_line(&message)))?;
    let named = named_files(&expanded).into_iter().filter(|name| !name.starts_with('<'));
    let included = named.filter_map(|name| Some((name.clone(), read_text(Path::new(&name))?))).collect();
    Ok(Input { preprocessed: Some(expanded), included, ..input })
}

fn read_text(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The text after `cc -E`, or what the compiler said.
fn expand(compiler: &str, text: &str, directory: &Path, model: DataModel, flags: &[String]) -> Result<String, String> {
    let mut command = Command::new(compiler);
    command.arg("-E").arg(if model == DataModel::Ilp32 { "-m32" } else { "-m64" });
    command.args(flags).arg("-I").arg(directory).args(["-x", "c", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{compiler}: {error}"))?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(text.as_bytes())));
        child.wait_with_output()
    });
    let output = output.map_err(|error| format!("{compiler}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The headers of a 64-bit system serve a 32-bit program as well, but for one that only lists what is missing. Where the
/// 32-bit ones are not installed, an empty one takes its place.
fn with_foreign_headers(
    compiler: &str,
    model: DataModel,
    flags: &[String],
    again: impl FnOnce(&[String]) -> Result<String, String>,
) -> Option<Result<String, String>> {
    if model != DataModel::Ilp32 {
        return None;
    }
    let said = Command::new(compiler).arg("-print-multiarch").output().ok()?;
    let multiarch = String::from_utf8(said.stdout).ok()?;
    let headers = Path::new("/usr/include").join(multiarch.trim());
    let empty = std::env::temp_dir().join(format!("highwater-headers-{}", std::process::id()));
    std::fs::create_dir_all(empty.join("gnu")).ok()?;
    std::fs::write(empty.join("gnu/stubs-32.h"), "").ok()?;
    let more = [String::from("-idirafter"), headers.display().to_string(), String::from("-idirafter")];
    let flags: Vec<String> = flags.iter().cloned().chain(more).chain([empty.display().to_string()]).collect();
    let expanded = again(&flags);
    let _ = std::fs::remove_dir_all(&empty);
    expanded.is_ok().then_some(expanded)
}

fn without_line_directives(text: &str) -> String {
    let is_line = |line: &str| {
        let Some(rest) = line.trim_start().strip_prefix('#') else { return false };
        let rest = rest.trim_start();
        rest.starts_with("line") || rest.starts_with(|c: char| c.is_ascii_digit())
    };
    text.split_inclusive('\n').map(|line| if is_line(line) { "\n" } else { line }).collect()
}

fn first_line(message: &str) -> String {
    let line = message.lines().find(|line| line.contains("error")).or(message.lines().next()).unwrap_or("");
    let said = line.rsplit("error: ").next().unwrap_or(line);
    format!("the preprocessor stops: {said}")
}

/// The place that the compiler complains about, if it names one in this text.
fn complaint_offset(text: &str, message: &str) -> usize {
    let place = message.lines().find_map(|line| {
        let mut parts = line.strip_prefix("<stdin>:")?.split(':');
        Some((parts.next()?.parse::<usize>().ok()?, parts.next()?.parse::<usize>().ok()?))
    });
    let Some((line, column)) = place else { return 0 };
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_directives_needs_no_compiler() {
        let text = "#line 4 \"x.cil.c\"\nint main() { return 0; }\n";
        let input = preprocess(Path::new("x.c"), text, DataModel::Ilp32, &[]).unwrap();
        assert!(input.preprocessed.is_none());
    }

    #[test]
    fn the_place_of_a_complaint_is_found() {
        assert_eq!(complaint_offset("a\n#include <x>\n", "<stdin>:2:10: fatal error: x: No such file"), 11);
    }
}
