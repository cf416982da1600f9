//! Running the compiler's preprocessor, for texts that need one.
//!
//! This is the one module of the crate that starts a process and reads files; the driver calls it, and no one else. A text
//! without directives is taken as it is, so that no compiler is needed for it. `#line` directives of the text are
//! blanked first: they name files that only its generator has seen, and places are to be those of the file at hand.
//! A compiler that does not end is given up at a deadline.

use crate::codes::Say;
use crate::places::named_files;
use crate::process::{self, Failed};
use crate::text::blank;
use crate::{DataModel, Input};
use model::budget::Budget;
use model::diagnostic::Diagnostic;
use model::source::{SourceMap, Span};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The compilers that are looked for, in this order.
const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];

/// How long a compiler may take when the caller sets no deadline.
const LONGEST: Duration = Duration::from_secs(60);
/// How long it may take to say that it is there.
const GREETING: Duration = Duration::from_secs(10);

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
    compiler_within(&Budget::unlimited().timeout(GREETING))
}

fn compiler_within(budget: &Budget) -> Option<&'static str> {
    COMPILERS.into_iter().find(|name| {
        let said = process::run(Command::new(name).arg("--version"), b"", budget);
        // One that is there and does not answer is found again, and given up, when it is needed.
        said.map_or_else(|failed| failed == Failed::Late, |said| said.success)
    })
}

/// Whether a text has directives that only a preprocessor understands.
pub fn is_needed(text: &str) -> bool {
    blank(text).directive.is_some()
}

/// Makes an input of a text: preprocessed if it needs to be. `flags` are handed to the compiler, such as `-DN=3`.
pub fn preprocess(path: &Path, text: &str, model: DataModel, flags: &[String]) -> Result<Input, Box<Failure>> {
    preprocess_within(path, text, model, flags, &Budget::unlimited())
}

/// The same; the compiler is given up when the budget is used up.
pub fn preprocess_within(
    path: &Path,
    text: &str,
    model: DataModel,
    flags: &[String],
    budget: &Budget,
) -> Result<Input, Box<Failure>> {
    let longest = budget.left().is_none().then(|| budget.at_most(LONGEST));
    let budget = longest.as_ref().unwrap_or(budget);
    let input = Input::plain(path.display().to_string(), text);
    // A macro of the command line means something in a text without directives, too.
    let defined = || flags.iter().any(|flag| flag.starts_with("-D")).then_some(0);
    let Some(directive) = blank(text).directive.or_else(defined) else { return Ok(input) };
    let fail = |say: Say, at: usize, message: String| {
        let mut sources = SourceMap::new();
        let file = sources.add(&input.name, text);
        Box::new(Failure { diagnostic: say.at(Span::new(file, at, at + 1), message), sources })
    };
    let Some(compiler) = compiler_within(&budget.at_most(GREETING)) else {
        return Err(fail(
            Say::NoCompiler,
            directive,
            String::from("this text needs a preprocessor, and there is none"),
        ));
    };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let clean = without_line_directives(text);
    let expand = |flags: &[String]| expand(compiler, &clean, directory, model, flags, budget);
    let expanded = expand(flags)
        .or_else(|message| with_foreign_headers(compiler, model, flags, budget, expand).unwrap_or(Err(message)))
        .map_err(|message| fail(Say::Preprocessor, complaint_offset(text, &message), first_line(&message)))?;
    let (expanded, macros) = definitions_apart(&expanded);
    let named = named_files(&expanded).into_iter().filter(|name| !name.starts_with('<'));
    let included = named.filter_map(|name| Some((name.clone(), read_text(Path::new(&name))?))).collect();
    Ok(Input { preprocessed: Some(expanded), included, macros, ..input })
}

fn read_text(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The text without the definitions of macros, whose lines stay; and the macros without arguments that have one meaning.
fn definitions_apart(expanded: &str) -> (String, BTreeMap<String, String>) {
    let (mut text, mut macros) = (String::with_capacity(expanded.len()), BTreeMap::new());
    for line in expanded.split_inclusive('\n') {
        let Some((name, meaning)) = definition(line) else {
            text.push_str(line);
            continue;
        };
        text.push('\n');
        let known = macros.entry(name.to_owned()).or_insert(Some(meaning));
        if *known != Some(meaning) {
            *known = None;
        }
    }
    let plain = |(name, meaning): (String, Option<&str>)| {
        let meaning = meaning.filter(|meaning| !meaning.starts_with('('))?;
        Some((name, meaning.trim().to_owned()))
    };
    (text, macros.into_iter().filter_map(plain).collect())
}

/// The name and what follows it in a `#define` of the compiler. What is not defined any more has another meaning than
/// before: none.
fn definition(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("#define ").or_else(|| line.strip_prefix("#undef "))?;
    Some(rest.split_at(rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())))
}

/// The text after `cc -E -dD`, or what the compiler said.
fn expand(
    compiler: &str,
    text: &str,
    directory: &Path,
    model: DataModel,
    flags: &[String],
    budget: &Budget,
) -> Result<String, String> {
    let mut command = Command::new(compiler);
    command.args(["-E", "-dD"]).arg(if model == DataModel::Ilp32 { "-m32" } else { "-m64" });
    command.args(flags).arg("-I").arg(directory).args(["-x", "c", "-"]);
    let finished = process::run(&mut command, text.as_bytes(), budget).map_err(|failed| match failed {
        Failed::NotStarted(why) => format!("error: {compiler} cannot be started: {why}"),
        Failed::Late => format!("error: {compiler} did not end in time"),
        Failed::TooMuch => format!("error: {compiler} prints without end"),
    })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if finished.success { Ok(text(&finished.output)) } else { Err(text(&finished.complaint)) }
}

/// The headers of a 64-bit system serve a 32-bit program as well, but for one that only lists what is missing. Where the
/// 32-bit ones are not installed, an empty one takes its place.
fn with_foreign_headers(
    compiler: &str,
    model: DataModel,
    flags: &[String],
    budget: &Budget,
    again: impl FnOnce(&[String]) -> Result<String, String>,
) -> Option<Result<String, String>> {
    if model != DataModel::Ilp32 {
        return None;
    }
    let said = process::run(Command::new(compiler).arg("-print-multiarch"), b"", budget).ok()?;
    let multiarch = String::from_utf8(said.output).ok()?;
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
    let line = message.lines().find(|line| line.contains("error")).or(message.lines().next());
    let line = line.unwrap_or("it says nothing about why");
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
    use std::time::Instant;

    #[test]
    fn a_text_without_directives_needs_no_compiler() {
        let text = "#line 4 \"x.cil.c\"\nint main() { return 0; }\n";
        let input = preprocess(Path::new("x.c"), text, DataModel::Ilp32, &[]).unwrap();
        assert!(input.preprocessed.is_none());
    }

    /// What is said when this script is the compiler.
    #[cfg(unix)]
    fn with_fake_compiler(name: &str, script: &str, time: Duration) -> Result<String, String> {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("highwater-fake-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("cc");
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        let mode = if script == "unexecutable" { 0o644 } else { 0o755 };
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let compiler = file.display().to_string();
        let again = || {
            expand(&compiler, "#define A\n", Path::new("."), DataModel::Lp64, &[], &Budget::unlimited().timeout(time))
        };
        let mut expanded = again();
        // Another thread that starts a process holds the file open for a moment.
        while expanded.as_ref().is_err_and(|message| message.contains("busy")) {
            expanded = again();
        }
        let _ = std::fs::remove_dir_all(&folder);
        expanded.map_err(|message| first_line(&message))
    }

    #[test]
    #[cfg(unix)]
    fn a_compiler_that_misbehaves_is_named_with_what_it_did() {
        let long = Duration::from_secs(20);
        let start = Instant::now();
        let hanging = with_fake_compiler("hangs", "sleep 30", Duration::from_millis(200)).unwrap_err();
        assert!(hanging.ends_with("cc did not end in time"), "{hanging}");
        assert!(start.elapsed() < Duration::from_secs(5));
        assert!(with_fake_compiler("dies", "kill -9 $$", long).unwrap_err().ends_with("it says nothing about why"));
        assert!(
            with_fake_compiler("fails", "echo 'x: error: no' >&2; exit 1", long).unwrap_err().ends_with("stops: no")
        );
        let refused = with_fake_compiler("mode", "unexecutable", long).unwrap_err();
        assert!(refused.contains("cannot be started"), "{refused}");
        assert_eq!(with_fake_compiler("works", "echo int x", long).unwrap(), "int x\n");
    }

    #[test]
    fn macros_with_one_meaning_are_known_and_leave_their_lines() {
        let text = "#define A (2 + 1)\nint x;\n#define F(a) a\n#define A (2 + 1)\n#define B 1\n#undef B\n#define C 1\n\
                    #define C 2\nint y;\n";
        let (rest, macros) = definitions_apart(text);
        assert_eq!(rest, "\nint x;\n\n\n\n\n\n\nint y;\n");
        assert_eq!(macros.into_iter().collect::<Vec<_>>(), [(String::from("A"), String::from("(2 + 1)"))]);
    }

    #[test]
    fn a_macro_of_the_command_line_wins_over_one_that_is_not_taken() {
        let text = "#ifndef N\n#define N 4\n#endif\nint x = N;\n";
        let input = |flags: &[String]| preprocess(Path::new("x.c"), text, DataModel::Lp64, flags).ok();
        let of = |input: Option<Input>| input.and_then(|input| input.macros.get("N").cloned());
        if compiler().is_some() {
            assert_eq!(of(input(&[])).as_deref(), Some("4"));
            assert_eq!(of(input(&[String::from("-DN=8")])).as_deref(), Some("8"));
        }
    }

    #[test]
    fn the_place_of_a_complaint_is_found() {
        assert_eq!(complaint_offset("a\n#include <x>\n", "<stdin>:2:10: fatal error: x: No such file"), 11);
    }
}
