//! The models below a folder, with the library's errors.

use crate::error::Error;
use std::path::{Path, PathBuf};

/// All files below a folder that have the extension of a model, by name; C files and hidden ones are left out.
pub fn models_below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(input::models_below(folder)?)
}
