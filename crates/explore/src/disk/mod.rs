//! The search on disk: breadth-first with delayed duplicate detection, for what does not fit into memory.
//!
//! A layer is expanded as a whole, and only then it is found out which of its successors are new: all are sorted by a hash
//! and held against the states on the disk, which are sorted, too. So the disk is read from front to back, and never for the
//! sake of one state. In memory are the successors of a layer (`candidates`), as far as there is room, and a filter and a
//! sparse index for each sorted run (`runs`).
//!
//! All states stand in one file, layer after layer (`layers`), each with a reference to its parent: a run to a state is
//! found by following references, one read per step. A layer is sorted, so it is a run itself. Runs are merged into larger
//! ones, so that there are never more than a few: as many as the number of layers has binary digits.
//!
//! States, transitions, verdicts, the length of runs and the digest are those of the search in memory, for any number of
//! threads. With a checkpoint (`manifest`), the files stay, and a later search goes on from the last layer that was complete.
//!
//! After Stern and Dill, *Using magnetic disk instead of main memory in the Murphi verifier* (1998), and Korf, *Delayed
//! duplicate detection* (2003).

mod blocks;
mod candidates;
mod cycles;
mod edges;
pub(crate) mod graph;
mod layers;
mod manifest;
mod runs;
mod safety;
mod stage;

pub use manifest::Refused;
pub(crate) use safety::search;

use manifest::Manifest;
use model::verdict::Reason;
use std::io;
use std::path::{Path, PathBuf};

/// Where the states are kept, and whether for good.
#[derive(Clone, Debug)]
pub struct Disk {
    /// The folder of the files.
    place: Place,
    /// The folder of the checkpoint, and what it is a checkpoint of.
    checkpoint: Option<(PathBuf, Identity)>,
    /// Goes on from the checkpoint.
    resume: bool,
    /// Bytes for candidates in memory.
    room: Option<u64>,
}

#[derive(Clone, Debug)]
enum Place {
    /// In a folder of its own below this one, which is removed in the end if there is no checkpoint.
    Below(PathBuf),
    /// In this folder.
    At(PathBuf),
}

/// So many letters of the name of a search are part of the name of its folder.
const MOST_LETTERS: usize = 40;

/// What a checkpoint belongs to: names and values. Another search must not go on from it.
pub type Identity = Vec<(String, String)>;

/// A checkpoint: whether it is made, or the search goes on from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// Makes a new one in this folder.
    New(PathBuf),
    /// Goes on from the one in this folder.
    Resume(PathBuf),
}

impl Checkpoint {
    /// The checkpoint in one of these folders, if one is given. A search that goes on uses the folders that it has.
    pub fn of(new: Option<&Path>, resume: Option<&Path>, spill: Option<&Path>) -> Result<Option<Checkpoint>, Refused> {
        match (new, resume) {
            (None, None) => Ok(None),
            (Some(new), None) => Ok(Some(Checkpoint::New(new.to_owned()))),
            (new, Some(folder)) if spill.is_none() && new.is_none_or(|new| new == folder) => {
                Ok(Some(Checkpoint::Resume(folder.to_owned())))
            }
            _ => Err(Refused::Ignored),
        }
    }
}

impl Checkpoint {
    /// That of one of several searches of a check, in a folder below. A search that had not begun when the check was interrupted
    /// begins.
    #[must_use]
    pub fn part(&self, name: &str) -> Checkpoint {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let words: String = name.chars().take(MOST_LETTERS).map(plain).collect();
        let below = format!("{words}-{:016x}", blocks::checksum(name.as_bytes()));
        match self {
            Checkpoint::New(folder) => Checkpoint::New(folder.join(below)),
            Checkpoint::Resume(folder) => {
                let own = folder.join(below);
                let begun = |folder: &Path| Manifest::path(folder).exists();
                let others = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
                let interrupted = begun(folder) || others.into_iter().any(|other| begun(&other));
                if interrupted && !begun(&own) { Checkpoint::New(own) } else { Checkpoint::Resume(own) }
            }
        }
    }
}

impl Disk {
    /// In the folders that are given, if one is; a checkpoint must be one of this search.
    pub fn of(
        checkpoint: Option<&Checkpoint>,
        spill: Option<&Path>,
        identity: Identity,
    ) -> Result<Option<Disk>, Refused> {
        match checkpoint {
            None => Ok(spill.map(Disk::spill)),
            Some(Checkpoint::New(folder)) => Disk::checkpoint(folder, spill, identity).map(Some),
            Some(Checkpoint::Resume(folder)) => Disk::resume(folder, identity).map(Some),
        }
    }

    /// Below a folder, for the time of the search.
    pub fn spill(folder: &Path) -> Disk {
        Disk { place: Place::Below(folder.to_owned()), checkpoint: None, resume: false, room: None }
    }

    /// With a checkpoint in a folder, where the states are as well, unless they are spilled elsewhere.
    pub fn checkpoint(folder: &Path, spill: Option<&Path>, identity: Identity) -> Result<Disk, Refused> {
        if Manifest::path(folder).exists() {
            return Err(Refused::Exists(folder.to_owned()));
        }
        let place = spill.map_or(Place::At(folder.to_owned()), |spill| Place::Below(spill.to_owned()));
        Ok(Disk { place, checkpoint: Some((folder.to_owned(), identity)), resume: false, room: None })
    }

    /// From the checkpoint in a folder on, if it belongs to this search and all its files are as they were.
    pub fn resume(folder: &Path, identity: Identity) -> Result<Disk, Refused> {
        let manifest = Manifest::read(folder)?;
        manifest.belongs(&identity, folder)?;
        manifest.verify(folder)?;
        let (place, checkpoint) = (Place::At(manifest.data(folder)), Some((folder.to_owned(), identity)));
        Ok(Disk { place, checkpoint, resume: true, room: None })
    }

    /// For another search in the same place, without a checkpoint.
    #[must_use]
    pub(crate) fn beside(&self) -> Disk {
        let (Place::Below(folder) | Place::At(folder)) = &self.place;
        Disk { place: Place::Below(folder.clone()), checkpoint: None, resume: false, room: self.room }
    }

    /// With so many bytes of memory for the successors of a layer, instead of a quarter of what may be used.
    #[must_use]
    pub fn room(self, bytes: u64) -> Disk {
        Disk { room: Some(bytes), ..self }
    }
}

/// Why the search ends early.
enum Stop {
    Disk(io::Error),
    Reason(Reason),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Disk(error)
    }
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Stop::Reason(reason)
    }
}
