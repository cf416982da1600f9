//! The manifest of a checkpoint: what a search has counted at the end of a layer, and which parts of which files it needs.
//!
//! It is a text of lines, the last of which is a checksum of the others. It is written under another name, forced to the
//! disk and renamed, after the files it names were forced to the disk: whenever the power fails, there is a whole one. Files
//! of an older manifest are removed only when a newer one is in its place; what was appended since is cut off.

use super::Identity;
use super::blocks::{NO_REFERENCE, Reference, Stream, checksum};
use super::graph::EDGES;
use super::runs::Run;
use crate::graph::Marks;
use model::verdict::Property;
use std::fmt::{self, Write as _};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = "checkpoint";
const NEW: &str = "checkpoint.new";
const TITLE: &str = "highwater checkpoint 1";
/// The file of all layers.
pub(crate) const LAYERS: &str = "layers";

/// Why a checkpoint is of no use.
#[derive(Debug)]
pub enum Refused {
    /// Other folders than those of the checkpoint were given.
    Ignored,
    /// There is one where one is to be made.
    Exists(PathBuf),
    /// There is none, or a file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// A file is not what it was.
    Damaged(PathBuf, String),
    /// It belongs to another search: what is different, there and here.
    Foreign(PathBuf, String, String, String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Ignored => f.write_str(
                "--resume goes on in the folders of its checkpoint: --spill and another --checkpoint would be ignored",
            ),
            Refused::Exists(folder) => {
                let folder = folder.display();
                write!(f, "{folder} has a checkpoint already: --resume {folder} goes on from it; or remove the folder")
            }
            Refused::Unreadable(path, error) => write!(f, "the checkpoint cannot be read: {}: {error}", path.display()),
            Refused::Damaged(path, what) => write!(f, "the checkpoint is of no use: {}: {what}", path.display()),
            Refused::Foreign(folder, name, there, here) => {
                let folder = folder.display();
                write!(
                    f,
                    "the checkpoint in {folder} belongs to another search: its {name} is {there}, here it is {here}"
                )
            }
        }
    }
}

impl std::error::Error for Refused {}

/// What was counted up to the end of a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Total {
    pub(crate) states: u64,
    pub(crate) state_bytes: u64,
    pub(crate) transitions: u64,
    pub(crate) alone: u64,
    pub(crate) depth: u64,
    pub(crate) digest: u128,
    /// The first state after which a run cannot go on because of a fault.
    pub(crate) crash: Option<Reference>,
}

/// A part of a file: the name of the file, or none for that of all layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: Option<String>,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) states: u64,
}

/// A checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) identity: Identity,
    /// Where the files are, if not beside it.
    pub(crate) data: Option<String>,
    pub(crate) total: Total,
    /// The layer that is to be expanded.
    pub(crate) layer: Option<Part>,
    pub(crate) runs: Vec<Part>,
    /// The shapes of states in the order of their numbers.
    pub(crate) shapes: Vec<(u16, u32)>,
    /// The places that processes have reached.
    pub(crate) reached: Vec<bool>,
    /// Of each property that is violated: how often, and in which state first.
    pub(crate) violations: Vec<(Property, u64, Reference)>,
    /// For questions about cycles.
    pub(crate) drawing: Option<Drawing>,
}

/// What is kept of the edges between states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawing {
    /// Where the file of edges ends.
    pub(crate) edges: u64,
    /// The different sets of what occurs, in the order of their numbers.
    pub(crate) sets: Vec<Marks>,
    /// A condition that is watched was seen to hold.
    pub(crate) noticed: bool,
    /// Why some run cannot go on, if one cannot.
    pub(crate) crash: Option<String>,
}

impl Manifest {
    pub(crate) fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    /// Where the files are.
    pub(crate) fn data(&self, folder: &Path) -> PathBuf {
        self.data.as_ref().map_or(folder.to_owned(), PathBuf::from)
    }

    /// Writes it in the place of an older one.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let new = folder.join(NEW);
        let mut file = File::create(&new)?;
        file.write_all(self.text().as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, Manifest::path(folder))?;
        // Not every system lets a folder be opened.
        File::open(folder).map_or(Ok(()), |folder| folder.sync_all().or(Ok(())))
    }

    fn text(&self) -> String {
        let mut text = format!("{TITLE}\n");
        // A string takes every text.
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "{name} {value}");
        };
        for (name, value) in &self.identity {
            line("of", format!("{name} {}", one_line(value)));
        }
        if let Some(data) = &self.data {
            line("data", one_line(data));
        }
        let Total { states, state_bytes, transitions, alone, depth, digest, crash } = &self.total;
        let crash = crash.unwrap_or(NO_REFERENCE);
        line("total", format!("{states} {state_bytes} {transitions} {alone} {depth} {digest} {crash}"));
        for (name, part) in
            self.layer.iter().map(|part| ("layer", part)).chain(self.runs.iter().map(|run| ("run", run)))
        {
            let Part { name: file, start, end, states } = part;
            line(name, format!("{} {start} {end} {states}", file.as_deref().unwrap_or(LAYERS)));
        }
        for (parent, machine) in &self.shapes {
            line("shape", format!("{parent} {machine}"));
        }
        line("reached", self.reached.iter().map(|&reached| if reached { '1' } else { '0' }).collect());
        for (property, count, at) in &self.violations {
            line("violated", format!("{property} {count} {at}"));
        }
        if let Some(Drawing { edges, sets, noticed, crash }) = &self.drawing {
            let sets: Vec<String> = sets.iter().map(Marks::to_string).collect();
            line("edges", format!("{edges} {} {}", u8::from(*noticed), sets.join(" ")));
            crash.iter().for_each(|crash| line("crash", one_line(crash)));
        }
        let sum = checksum(text.as_bytes());
        format!("{text}checksum {sum:016x}\n")
    }

    pub(crate) fn read(folder: &Path) -> Result<Manifest, Refused> {
        let path = Manifest::path(folder);
        let text = fs::read_to_string(&path).map_err(|error| Refused::Unreadable(path.clone(), error))?;
        Manifest::parse(&text)
            .ok_or_else(|| Refused::Damaged(path, String::from("it is damaged, or of another version")))
    }

    fn parse(text: &str) -> Option<Manifest> {
        let start = text.rfind("checksum ")?;
        let sum = text[start..].strip_prefix("checksum ")?.strip_suffix('\n')?;
        if u64::from_str_radix(sum, 16).ok()? != checksum(&text.as_bytes()[..start]) {
            return None;
        }
        let mut lines = text[..start].lines();
        if lines.next()? != TITLE {
            return None;
        }
        let mut manifest = Manifest::default();
        for line in lines {
            let (name, value) = line.split_once(' ')?;
            let mut words = value.split(' ');
            match name {
                "of" => {
                    let (name, value) = value.split_once(' ')?;
                    manifest.identity.push((name.to_owned(), value.to_owned()));
                }
                "data" => manifest.data = Some(value.to_owned()),
                "total" => manifest.total = total(&mut words)?,
                "layer" => manifest.layer = Some(part(&mut words)?),
                "run" => manifest.runs.push(part(&mut words)?),
                "shape" => manifest.shapes.push((number(&mut words)?, number(&mut words)?)),
                "reached" => manifest.reached = value.chars().map(|mark| mark == '1').collect(),
                "violated" => {
                    let property = match words.next()? {
                        "safety" => Property::Safety,
                        "deadlock" => Property::Deadlock,
                        _ => return None,
                    };
                    manifest.violations.push((property, number(&mut words)?, number(&mut words)?));
                }
                "edges" => {
                    let (edges, noticed) = (number(&mut words)?, number::<u8>(&mut words)? == 1);
                    let sets = words.filter(|word| !word.is_empty()).map(|word| word.parse().ok());
                    let sets = sets.collect::<Option<Vec<Marks>>>();
                    manifest.drawing = Some(Drawing { edges, noticed, sets: sets?, crash: None });
                }
                "crash" => manifest.drawing.as_mut()?.crash = Some(value.to_owned()),
                _ => return None,
            }
        }
        Some(manifest)
    }

    /// Whether it is a checkpoint of this search.
    pub(crate) fn belongs(&self, identity: &Identity, folder: &Path) -> Result<(), Refused> {
        let value = |of: &Identity, name: &str| {
            of.iter().find(|(known, _)| known == name).map_or(String::from("not given"), |(_, value)| one_line(value))
        };
        for (name, _) in identity.iter().chain(&self.identity) {
            let (there, here) = (value(&self.identity, name), value(identity, name));
            if there != here {
                return Err(Refused::Foreign(folder.to_owned(), name.clone(), there, here));
            }
        }
        Ok(())
    }

    /// Reads all files through: each has all its states, in order, and every checksum fits.
    pub(crate) fn verify(&self, folder: &Path) -> Result<(), Refused> {
        let data = self.data(folder);
        let path = data.join(LAYERS);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: io::Error| match error.kind() {
                io::ErrorKind::InvalidData | io::ErrorKind::Other => Refused::Damaged(path, error.to_string()),
                io::ErrorKind::UnexpectedEof => Refused::Damaged(path, String::from("the file is too short")),
                _ => Refused::Unreadable(path, error),
            }
        };
        let layers = File::open(&path).map_err(failed(&path))?;
        let count = || {
            let (mut states, mut stream) = (0, Stream::new(&layers, 0, self.length()));
            while let Some((_, block)) = stream.next()? {
                states += block.states(true).count() as u64;
            }
            io::Result::Ok(states)
        };
        if count().map_err(failed(&path))? != self.total.states {
            return Err(Refused::Damaged(path, String::from("it has another number of states")));
        }
        if let Some(Drawing { edges, .. }) = self.drawing {
            let path = data.join(EDGES);
            let file = File::open(&path).map_err(failed(&path))?;
            let mut stream = Stream::new(&file, 0, edges);
            while stream.next().map_err(failed(&path))?.is_some() {}
        }
        for run in self.runs.iter().filter(|run| run.name.is_some()) {
            let path = data.join(run.name.as_deref().unwrap_or(LAYERS));
            let file = File::open(&path).map_err(failed(&path))?;
            open_part(run, Arc::new(file), false).map_err(failed(&path))?;
        }
        Ok(())
    }

    /// The length of the file of all layers: the last one stands at its end.
    pub(crate) fn length(&self) -> u64 {
        self.layer.as_ref().map_or(0, |layer| layer.end)
    }
}

/// Reads a run of a checkpoint.
pub(crate) fn open_part(part: &Part, file: Arc<File>, room: bool) -> io::Result<Run> {
    let Part { name, start, end, states } = part.clone();
    let parents = name.is_none();
    let (index, numbers, filters) = (Vec::new(), Vec::new(), Vec::new());
    Run::read(Run { file, name, parents, index, numbers, start, end, states, filters }, room)
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn number<N: std::str::FromStr>(words: &mut std::str::Split<'_, char>) -> Option<N> {
    words.next()?.parse().ok()
}

fn total(words: &mut std::str::Split<'_, char>) -> Option<Total> {
    Some(Total {
        states: number(words)?,
        state_bytes: number(words)?,
        transitions: number(words)?,
        alone: number(words)?,
        depth: number(words)?,
        digest: number(words)?,
        crash: Some(number(words)?).filter(|&at| at != NO_REFERENCE),
    })
}

fn part(words: &mut std::str::Split<'_, char>) -> Option<Part> {
    let name = words.next()?;
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let name = (name != LAYERS).then(|| name.to_owned());
    plain.then_some(Part { name, start: number(words)?, end: number(words)?, states: number(words)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written_and_not_if_a_letter_is_another() {
        let part = |name: Option<&str>| Part { name: name.map(str::to_owned), start: 1, end: 20, states: 3 };
        let manifest = Manifest {
            identity: vec![
                (String::from("model"), String::from("a b c")),
                (String::from("version"), String::from("1")),
            ],
            data: Some(String::from("/a folder")),
            total: Total { states: 1, digest: u128::MAX, crash: Some(7), ..Total::default() },
            layer: Some(part(None)),
            runs: vec![part(Some("run-3")), part(None)],
            shapes: vec![(0, 1), (1, 2)],
            reached: vec![true, false, true],
            violations: vec![(Property::Deadlock, 2, 5)],
            drawing: Some(Drawing {
                edges: 12,
                sets: vec![0, Marks::MAX],
                noticed: true,
                crash: Some(String::from("a b")),
            }),
        };
        let text = manifest.text();
        assert_eq!(Manifest::parse(&text), Some(manifest));
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] ^= 1;
            let other = String::from_utf8(other).unwrap_or_default();
            // A digit of the checksum may be written as a capital letter and mean the same; one bit does not make it so.
            assert_eq!(Manifest::parse(&other), None, "{at}");
        }
    }
}
