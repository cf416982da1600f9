//! The models that a command names: files, folders, standard input.

use crate::arguments::ReadArgs;
use highwater::{Budget, Error, Model};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What stands for standard input on the command line, and in messages.
const INPUT: &str = "-";
const INPUT_NAME: &str = "<stdin>";

/// The models that are named, with those below the folders among them.
pub fn models(given: &[PathBuf], read: &ReadArgs) -> Result<Vec<PathBuf>, Error> {
    if given.iter().filter(|path| is_input(path)).count() > 1 {
        return Err(Error::Usage(String::from("standard input (`-`) can be read once only")));
    }
    let mut models = Vec::new();
    for path in given {
        if is_input(path) || !path.is_dir() {
            models.push(path.clone());
            continue;
        }
        if let Some(language) = read.language {
            let name = highwater::Choice::name(language);
            return Err(Error::Usage(format!("--language {name} is for files: {} is a folder", path.display())));
        }
        let below = highwater::models_below(path)?;
        if below.is_empty() {
            return Err(Error::Usage(format!("there is no model below {}", path.display())));
        }
        models.extend(below);
    }
    Ok(models)
}

/// Whether a path stands for standard input.
pub fn is_input(path: &Path) -> bool {
    path == Path::new(INPUT)
}

/// Reads a model from a file or from standard input.
pub fn read(path: &Path, read: &ReadArgs, budget: &Budget) -> Result<Model, Error> {
    if !is_input(path) {
        return Model::read_with(path, &read.options(), budget);
    }
    if read.language.is_none() {
        return Err(Error::Usage(String::from("standard input (`-`) needs --language: it has no extension")));
    }
    Model::from_reader(INPUT_NAME, &mut std::io::stdin().lock(), &read.options(), budget)
}

/// What changes when a file is written.
#[derive(PartialEq, Eq, Debug)]
pub struct Stamp(Vec<Option<(SystemTime, u64)>>);

impl Stamp {
    /// That of some files as they are now; a file that is not there has one, too.
    pub fn of(files: &[PathBuf]) -> Stamp {
        let stamp = |file: &PathBuf| {
            let metadata = std::fs::metadata(file).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        Stamp(files.iter().map(stamp).collect())
    }
}
