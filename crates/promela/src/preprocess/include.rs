//! Included files.
//!
//! `#include` asks the [`Loader`] for a text and puts it on top of the files that are being read. The
//! loader is the only way to the disk, so whoever calls [`tokenize`](super::tokenize) decides what a
//! model may see; [`DiskLoader`] is the usual one. A file that is included again is not loaded again.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use model::diagnostic::Diagnostic;
use model::source::{FileId, Span};

use super::reading::OpenFile;
use super::report::shorten;
use super::{Loader, Preprocessor};
use crate::lexer::PieceKind;
use crate::token::TokenKind;

/// How many files may include each other.
const MAX_INCLUDES: usize = 64;

/// What it costs to open a file, compared to moving a token.
const WORK_PER_INCLUDE: usize = 32;

/// The largest file that is included.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Finds included files on the disk.
#[derive(Clone, Debug, Default)]
pub struct DiskLoader {
    /// The directories to look in, in this order.
    pub include_dirs: Vec<PathBuf>,
}

impl DiskLoader {
    /// A loader that looks in these directories.
    pub fn new(include_dirs: Vec<PathBuf>) -> Self {
        DiskLoader { include_dirs }
    }
}

impl Loader for DiskLoader {
    fn load(&mut self, name: &str, quoted: bool, including_file_name: &str) -> Result<(String, String), String> {
        let own = Path::new(including_file_name).parent().filter(|_| quoted);
        let directories = own.into_iter().chain(self.include_dirs.iter().map(PathBuf::as_path));
        let candidates: Vec<PathBuf> = directories.map(|directory| directory.join(name)).collect();
        let Some(path) = candidates.iter().find(|path| path.exists() && !path.is_dir()) else {
            let looked: Vec<String> = candidates.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(match looked.is_empty() {
                true => String::from("no include directory was given"),
                false => format!("there is no {}", looked.join(", ")),
            });
        };
        read_regular_file(path).map(|text| (path.display().to_string(), text))
    }
}

/// Reads a file that has an end: a device or a pipe may have none.
fn read_regular_file(path: &Path) -> Result<String, String> {
    let why = |problem: &dyn Display| format!("`{}`: {problem}", path.display());
    let data = fs::metadata(path).map_err(|error| why(&error))?;
    if !data.is_file() {
        return Err(why(&"not a regular file"));
    }
    if data.len() > MAX_FILE_BYTES {
        return Err(why(&"too large"));
    }
    let bytes = fs::read(path).map_err(|error| why(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Preprocessor<'_> {
    pub(super) fn include(&mut self, span: Span) {
        let Some((name, quoted, place)) = self.header(span).filter(|(name, ..)| !name.is_empty()) else {
            let report = Diagnostic::error("P0010", span, "`#include` needs the name of a file");
            return self.report(report.label("no name follows").help("write `#include \"file\"` or `#include <file>`"));
        };
        if self.files.len() > MAX_INCLUDES {
            return self.endless_include(&name, place);
        }
        match self.load(&name, quoted) {
            Ok((file, text)) => {
                self.charge(WORK_PER_INCLUDE + text.len() / 8, place);
                if !self.stopped {
                    self.files.push(OpenFile::new(file, text));
                }
            }
            Err(why) => {
                let report = Diagnostic::error("P0016", place, format!("cannot include `{}`: {why}", shorten(&name)));
                let help = if quoted {
                    "the name is relative to the file that includes it; `-I` adds directories"
                } else {
                    "files in angle brackets are looked for in the directories of `-I` only"
                };
                self.report(report.label("cannot be read").help(help));
            }
        }
    }

    /// The file name of an `#include`, which may come out of a macro.
    fn header(&mut self, span: Span) -> Option<(String, bool, Span)> {
        if let Some(header) = self.files.last_mut()?.scanner.header() {
            return Some(header);
        }
        let pieces = self.expanded_line(span);
        let first = pieces.first()?;
        if let PieceKind::Str(text) = first.kind {
            return Some((self.names.text(text).to_owned(), true, first.span));
        }
        let length = pieces.iter().position(|piece| piece.is(TokenKind::Gt)).filter(|_| first.is(TokenKind::Lt))?;
        Some((self.spelling(&pieces[1..length]), false, first.span))
    }

    /// The file of an `#include`; one that was included before is not read again.
    fn load(&mut self, name: &str, quoted: bool) -> Result<(FileId, Rc<str>), String> {
        let includer = self.files.last().map_or(Span::NONE.file, |file| file.scanner.file());
        let key = (name.to_owned(), quoted, includer);
        if let Some((file, text)) = self.included.get(&key) {
            return Ok((*file, Rc::clone(text)));
        }
        let (shown, text) = self.loader.load(name, quoted, &self.sources.file(includer).name)?;
        let known = self.sources.files().iter().position(|file| file.name == shown && file.text == text);
        let text: Rc<str> = Rc::from(text);
        let file = match known {
            Some(index) => FileId(index as u32),
            None => self.sources.add(shown, &*text),
        };
        self.included.insert(key, (file, Rc::clone(&text)));
        Ok((file, text))
    }

    fn endless_include(&mut self, name: &str, span: Span) {
        let message = format!("files include each other more than {MAX_INCLUDES} deep");
        let report =
            Diagnostic::error("P0017", span, message).label(format!("`{}` would be one too many", shorten(name))).help(
                "begin a file that may be included twice with `#ifndef NAME` and `#define NAME`, end it with `#endif`",
            );
        self.report(report);
        self.give_up();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preprocess::Options;
    use crate::preprocess::testing::{read, read_with};

    #[test]
    fn included_files_are_read_in_place() {
        let files = [("a.h", "#define N 3\ninner\n"), ("b.h", "#include <a.h>\nN")];
        let reading =
            read_with("#define B <b.h>\nx\n#include B\ny N\n#include \"a.h\" z\n", &Options::default(), &files);
        assert_eq!(reading.words(), "x inner 3 y 3 inner");
        assert!(reading.diagnostics.is_empty());
        assert_eq!(reading.sources.describe(reading.tokens[1].span), "a.h:2:1");
        assert_eq!(reading.sources.describe(reading.tokens[4].spelled), "a.h:1:11");
        assert_eq!(reading.sources.files().len(), 3, "a file that is included twice is stored once");
    }

    #[test]
    fn a_file_that_cannot_be_included_is_an_error() {
        let reading = read("#include \"gone.h\"\nx");
        assert_eq!(reading.only("P0016").1, "\"gone.h\"");
        assert_eq!(reading.words(), "x");
        for text in ["#include", "#include gone", "#include \"", "#include \"\"", "#include <a"] {
            read(text).only("P0010");
        }
    }

    #[test]
    fn endless_inclusion_stops_with_one_error() {
        let twice = "x\n#include \"main.pml\"\n#include \"main.pml\"\n";
        let reading = read_with(twice, &Options::default(), &[("main.pml", twice)]);
        reading.only("P0017");
        assert_eq!(reading.tokens.len(), 1 + 1 + MAX_INCLUDES);
        let guarded = "#ifndef G\n#define G\n#include \"g.h\"\nonce\n#endif\n";
        let reading = read_with("#include \"g.h\"\n", &Options::default(), &[("g.h", guarded)]);
        assert_eq!((reading.words().as_str(), reading.codes()), ("once", vec![]));
    }

    #[test]
    fn inclusion_that_ends_but_takes_too_long_is_stopped() {
        let names: Vec<String> = (0..=60).map(|n| format!("f{n}")).collect();
        let texts: Vec<String> = (1..=61).map(|n| format!("#include \"f{n}\"\n#include \"f{n}\"\n")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().zip(&texts).map(|(n, t)| (n.as_str(), t.as_str())).collect();
        files.push(("f61", ""));
        let options = Options { max_tokens: 100_000, ..Options::default() };
        read_with("#include \"f0\"", &options, &files).only("P0018");
    }

    #[test]
    fn the_disk_loader_looks_next_to_the_file_and_then_in_the_directories() {
        let root = std::env::temp_dir().join(format!("highwater-includes-{}", std::process::id()));
        let (here, there) = (root.join("here"), root.join("there"));
        fs::create_dir_all(&here).unwrap();
        fs::create_dir_all(&there).unwrap();
        fs::write(here.join("a.h"), "here").unwrap();
        fs::write(there.join("a.h"), "there").unwrap();
        fs::write(there.join("b.h"), b"b\xff").unwrap();
        let mut loader = DiskLoader::new(vec![there.clone()]);
        let main = here.join("main.pml").display().to_string();
        let mut load = |name: &str, quoted: bool| loader.load(name, quoted, &main);
        assert_eq!(load("a.h", true), Ok((here.join("a.h").display().to_string(), String::from("here"))));
        assert_eq!(load("a.h", false).unwrap().1, "there");
        assert_eq!(load("b.h", true).unwrap().1, "b\u{fffd}");
        assert!(load("gone.h", true).unwrap_err().contains("gone.h"));
        assert!(load("../there", true).is_err(), "a directory is no file");
        assert!(DiskLoader::default().load("a.h", false, &main).is_err());
        fs::remove_dir_all(&root).unwrap();
    }
}
