//! Files that `check` writes when all models are checked: one for all of them, in several forms.

use crate::arguments::{Form, Output};
use highwater::{Error, Report};
use report::document::Entry;
use std::path::Path;

/// Writes what was found, in every form that is wanted.
pub fn write(outputs: &[Output], found: &[(String, Result<Report, Error>)], defines: &[String]) -> Result<(), Error> {
    // A trail belongs to one model, and is written with it.
    let outputs: Vec<&Output> = outputs.iter().filter(|output| output.form != Form::Trail).collect();
    if outputs.is_empty() {
        return Ok(());
    }
    let messages: Vec<_> = found.iter().map(|(_, found)| found.as_ref().err().map(Error::diagnostic)).collect();
    let mut entries = Vec::new();
    for ((file, found), message) in found.iter().zip(&messages) {
        match (found, message) {
            (Ok(report), _) => entries.push(Entry::Checked(Box::new(report.document()))),
            (Err(error), Some(message)) => entries.push(Entry::Unreadable(error.unreadable(file, defines, message))),
            (Err(_), None) => {}
        }
    }
    outputs.iter().try_for_each(|Output { form, file }| save(file, &text(*form, &entries)?))
}

fn text(form: Form, entries: &[Entry<'_>]) -> Result<String, Error> {
    Ok(match form {
        Form::Html => web::page(entries, &command(std::env::args().skip(1))),
        Form::Json => report::json::lines(entries)?,
        Form::Junit => formats::junit::xml(entries),
        Form::Mermaid => formats::mermaid::diagram(entries),
        Form::Sarif => formats::sarif::log(entries),
        Form::Svg => web::sequence::first(entries),
        Form::Trail => return Err(Error::Internal("a trail is no document about several models")),
    })
}

/// The command line, as a shell takes it; files that it writes apart.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let mut words = vec![String::from("highwater")];
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        if argument == "--output" {
            arguments.next();
        } else if !argument.starts_with("--output=") {
            words.push(quoted(&argument));
        }
    }
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Whether a file can be written, as far as can be seen without writing it: before the work, not after it.
pub fn writable(path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let seen = match path.metadata() {
        Ok(about) if about.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        Ok(about) if about.is_file() => std::fs::OpenOptions::new().append(true).open(path).map(drop),
        Ok(_) => Ok(()),
        Err(_) => match folder.metadata() {
            Ok(about) if about.is_dir() => Ok(()),
            Ok(_) => Err(std::io::ErrorKind::NotADirectory.into()),
            Err(error) => Err(error),
        },
    };
    seen.map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::Unwritable { file: path.display().to_string(), reason: error.to_string() }
}

/// Writes a file.
pub fn save(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|error| unwritable(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_one_that_a_shell_takes_and_writes_nothing() {
        let words = ["check", "it's a.pml", "--output", "html=x.html", "--output=json=y", "-p", "ltl:[] (x)"];
        let words = words.map(String::from).into_iter();
        assert_eq!(command(words), r"highwater check 'it'\''s a.pml' -p 'ltl:[] (x)'");
    }
}
