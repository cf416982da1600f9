//! The models below a folder.

use crate::error::Error;
use crate::front_end::extensions;
use std::path::{Path, PathBuf};

/// All files below a folder that have the extension of a model, by name. Hidden files and folders are left out; so are C
/// files, most of which are no models of their own, and files without an extension. Links to folders are not followed.
pub fn models_below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        let unreadable =
            |e: std::io::Error| Error::Unreadable { file: folder.display().to_string(), reason: e.to_string() };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if is_model(&path) && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_model(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
    !["", "c", "i"].contains(&extension.as_str()) && extensions().any(|known| known == extension)
}
