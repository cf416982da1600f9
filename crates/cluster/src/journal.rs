//! The checkpoint of a process: a journal of complete layers, from which a later search goes on.
//!
//! A journal is a file of frames, each with its length and a checksum. The first one says which search it belongs to. A layer
//! is the states that were found in it, in some frames, and a frame that ends it, with what this process has counted so far.
//! Layers are appended and never changed. What stands behind the last complete one was interrupted, and is cut off.
//!
//! Processes are interrupted at different moments, so their journals end with different layers: they go on from the last
//! one that all have. References between processes rely on the numbers of states, which depend on the order in which
//! messages have arrived. So every start of the search draws a number, its *epoch*, which its layers carry: a layer counts
//! only if all processes have it from the same epoch.

use crate::exchange::garbled;
use crate::peers::{difference, lines, nonce};
use crate::search::Search;
use crate::totals;
use crate::wire::{Kind, Reader, Writer};
use crate::{Identity, Refused};
use explore::disk::{self, Checkpoint};
use explore::table::StateId;
use model::budget::Stopwatch;
use model::verdict::Reason;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const TITLE: &str = "highwater cluster checkpoint 1";
/// Frames of states are about so long.
const FRAME: usize = 1 << 20;
/// Longer frames are not read.
const MOST_FRAME: usize = 1 << 30;
const HEAD: usize = 12;
/// Writing takes at most such a share of the time.
const SHARE: u32 = 20;

/// What a frame has, by its first byte.
const STATES: u8 = b's';
const LAYER: u8 = b'l';

/// A layer that is complete in the file.
#[derive(Clone, Copy)]
struct Saved {
    layer: u64,
    epoch: u128,
    /// Where the file goes on.
    end: u64,
}

/// The layers of a journal that are of one epoch.
#[derive(Clone, Copy)]
struct Piece {
    epoch: u128,
    first: u64,
    last: u64,
}

/// A layer that is complete and not written yet.
struct Mark {
    layer: u64,
    /// The first of its states, and the first of the next layer.
    states: [StateId; 2],
    totals: Writer,
}

/// The journal of this process.
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Where the first layer begins.
    start: u64,
    saved: Vec<Saved>,
    epoch: u128,
    pending: Vec<Mark>,
    /// How many shapes the file knows.
    shapes: usize,
    /// The first state that is not written yet.
    next: StateId,
    since: Stopwatch,
    last_took: Duration,
}

impl Journal {
    /// Makes the journal of a process, or opens it and checks all that it has.
    pub(crate) fn open(checkpoint: &Checkpoint, process: usize, identity: &Identity) -> Result<Journal, Refused> {
        let (Checkpoint::New(folder) | Checkpoint::Resume(folder)) = checkpoint;
        let path = folder.join(format!("process-{process}"));
        let title = format!("{TITLE}\n{}", lines(identity));
        let opened = match checkpoint {
            Checkpoint::New(_) => create(&path, &title),
            Checkpoint::Resume(_) => File::options().read(true).write(true).open(&path),
        };
        let file = opened.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => disk::Refused::Exists(folder.clone()),
            _ => disk::Refused::Unreadable(path.clone(), error),
        })?;
        let (epoch, start, since) = (0, (HEAD + title.len()) as u64, Stopwatch::start());
        let (saved, pending, last_took) = (Vec::new(), Vec::new(), Duration::ZERO);
        let mut journal = Journal { path, file, start, saved, epoch, pending, shapes: 0, next: 0, since, last_took };
        if let Checkpoint::Resume(_) = checkpoint {
            journal.verify(folder, &title)?;
        }
        Ok(journal)
    }

    /// Reads the whole file: it belongs to this search, and no frame is damaged.
    fn verify(&mut self, folder: &Path, title: &str) -> Result<(), Refused> {
        let mut frames = Frames::at(&self.file, 0).map_err(|error| self.unreadable(error))?;
        let first = frames.next().map_err(|error| self.unreadable(error))?.unwrap_or_default();
        let there = String::from_utf8_lossy(&first).into_owned();
        if let Some((name, there, here)) = difference(title, &there) {
            return Err(disk::Refused::Foreign(folder.to_owned(), name, there, here).into());
        }
        while let Some(frame) = frames.next().map_err(|error| self.unreadable(error))? {
            if frame.first() == Some(&LAYER) {
                let head = layer_head(&frame).ok_or_else(|| self.unreadable(damaged()))?;
                self.saved.push(Saved { layer: head.0, epoch: head.1, end: frames.at });
            }
        }
        Ok(())
    }

    fn unreadable(&self, error: io::Error) -> Refused {
        let path = self.path.clone();
        match error.kind() {
            ErrorKind::InvalidData => disk::Refused::Damaged(path, error.to_string()),
            _ => disk::Refused::Unreadable(path, error),
        }
        .into()
    }

    fn reason(&self, error: &io::Error) -> Reason {
        Reason::Disk(format!("{}: {error}", self.path.display()))
    }

    fn pieces(&self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for &Saved { layer, epoch, .. } in &self.saved {
            match pieces.last_mut() {
                Some(piece) if piece.epoch == epoch => piece.last = layer,
                _ => pieces.push(Piece { epoch, first: layer, last: layer }),
            }
        }
        pieces
    }

    /// Removes the layers behind one, or all.
    fn cut(&mut self, last: Option<u64>) -> io::Result<()> {
        self.saved.retain(|saved| last.is_some_and(|last| saved.layer <= last));
        let end = self.saved.last().map_or(self.start, |saved| saved.end);
        self.file.set_len(end)?;
        self.file.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}

/// A new file with its first frame, in a folder that is made if need be.
fn create(path: &Path, title: &str) -> io::Result<File> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    // A start that came to nothing, such as one with another key, has left no layer.
    if fs::read(path).is_ok_and(|known| known == framed(title.as_bytes())) {
        fs::remove_file(path)?;
    }
    let mut file = File::options().read(true).write(true).create_new(true).open(path)?;
    file.write_all(&framed(title.as_bytes()))?;
    file.sync_all()?;
    Ok(file)
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    std::array::from_fn(|i| digest[i])
}

fn framed(payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32).to_le_bytes()[..], &checksum(payload), payload].concat()
}

fn damaged() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "the file is damaged")
}

/// The frames of a file, one after the other.
struct Frames<'f> {
    input: BufReader<&'f File>,
    /// Where the next one begins.
    at: u64,
    length: u64,
}

impl<'f> Frames<'f> {
    fn at(mut file: &'f File, at: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(at))?;
        Ok(Frames { input: BufReader::with_capacity(1 << 16, file), at, length: file.metadata()?.len() })
    }

    /// The next frame; `None` where the file ends, or where it was being written.
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let left = (self.length - self.at).saturating_sub(HEAD as u64);
        if left == 0 {
            return Ok(None);
        }
        let mut head = [0; HEAD];
        self.input.read_exact(&mut head)?;
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        // A file system may have made room for what was not written any more.
        if length as u64 > left || head == [0; HEAD] {
            return Ok(None);
        }
        if length > MOST_FRAME {
            return Err(damaged());
        }
        let mut payload = vec![0; length];
        self.input.read_exact(&mut payload)?;
        if checksum(&payload) != head[4..] {
            return Err(damaged());
        }
        self.at += (HEAD + length) as u64;
        Ok(Some(payload))
    }
}

/// The layer, its epoch and the number of its first state, of a frame that ends a layer; and the rest.
fn layer_head(frame: &[u8]) -> Option<(u64, u128, StateId, Reader<'_>)> {
    let mut reader = Reader::new(frame.get(1..)?);
    Some((reader.number()?, reader.wide()?, reader.small()?, reader))
}

/// The number of the layer that comes next, and of its first state: from the last layer that all processes have, if there is one.
pub(crate) fn begin(search: &mut Search<'_>) -> Result<Option<(u64, StateId)>, Reason> {
    let Some(mut journal) = search.journal.take() else { return Ok(None) };
    let last = agree(search, &mut journal)?;
    journal.cut(last).map_err(|error| journal.reason(&error))?;
    let next = match last {
        Some(last) => Some((last + 1, load(search, &mut journal)?)),
        None => None,
    };
    (journal.next, journal.since) = (search.partition.len() as StateId, Stopwatch::start());
    search.journal = Some(journal);
    Ok(next)
}

/// All processes tell each other which layers they have, and draw the number of this epoch: the last layer that all have.
fn agree(search: &mut Search<'_>, journal: &mut Journal) -> Result<Option<u64>, Reason> {
    let mut parcel = search.parcel(Kind::Resume);
    let drawn = nonce();
    parcel.wide(u128::from_le_bytes(std::array::from_fn(|i| drawn[i])));
    for Piece { epoch, first, last } in journal.pieces() {
        parcel.wide(epoch);
        parcel.number(first);
        parcel.number(last);
    }
    search.exchange.broadcast(&parcel.0);
    let mut pieces: Vec<Option<Vec<Piece>>> = vec![None; search.exchange.count];
    search.round(|_, bytes| {
        let (head, mut reader) =
            Reader::open(bytes).filter(|(head, _)| head.kind == Kind::Resume).ok_or_else(garbled)?;
        let epoch = reader.wide().ok_or_else(garbled)?;
        if head.source == 0 {
            journal.epoch = epoch;
        }
        let place = pieces.get_mut(usize::from(head.source)).ok_or_else(garbled)?;
        *place = Some(read_pieces(&mut reader).ok_or_else(garbled)?);
        Ok(())
    })?;
    Ok(common(&pieces.into_iter().collect::<Option<Vec<_>>>().ok_or_else(garbled)?))
}

fn read_pieces(reader: &mut Reader<'_>) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    while !reader.is_empty() {
        pieces.push(Piece { epoch: reader.wide()?, first: reader.number()?, last: reader.number()? });
    }
    Some(pieces)
}

/// The last layer that all have from the same epoch.
fn common(all: &[Vec<Piece>]) -> Option<u64> {
    let (first, others) = all.split_first()?;
    let shared = |piece: &Piece| {
        let same = |pieces: &Vec<Piece>| pieces.iter().find(|other| other.epoch == piece.epoch).copied();
        let parts = others.iter().map(same).collect::<Option<Vec<_>>>()?;
        let begins = parts.iter().map(|part| part.first).fold(piece.first, u64::max);
        let ends = parts.iter().map(|part| part.last).fold(piece.last, u64::min);
        (begins <= ends).then_some(ends)
    };
    first.iter().filter_map(shared).max()
}

/// Takes the states and what was counted from the file: the number of the first state of the layer that comes next.
fn load(search: &mut Search<'_>, journal: &mut Journal) -> Result<StateId, Reason> {
    let damage = |journal: &Journal| journal.reason(&damaged());
    let file = journal.file.try_clone().map_err(|error| journal.reason(&error))?;
    let mut frames = Frames::at(&file, journal.start).map_err(|error| journal.reason(&error))?;
    let mut found = None;
    while let Some(frame) = frames.next().map_err(|error| journal.reason(&error))? {
        match frame.first() {
            Some(&STATES) => {
                take_states(search, journal, &mut Reader::new(&frame[1..])).ok_or_else(|| damage(journal))?;
            }
            Some(&LAYER) => {
                let (_, _, next, mut reader) = layer_head(&frame).ok_or_else(|| damage(journal))?;
                let properties = search.options.properties.len();
                let totals = totals::read(&mut reader, search.me(), properties).ok_or_else(|| damage(journal))?;
                if totals.stats.states != search.partition.len() as u64 {
                    return Err(damage(journal));
                }
                found = Some((next, totals));
                search.pack();
            }
            _ => return Err(damage(journal)),
        }
        search.cx.budget.room(search.partition.memory_bytes(), search.partition.growth_bytes())?;
    }
    let (next, totals) = found.ok_or_else(|| damage(journal))?;
    totals::go_on(search, totals);
    Ok(next)
}

fn take_states(search: &mut Search<'_>, journal: &mut Journal, reader: &mut Reader<'_>) -> Option<()> {
    for _ in 0..reader.number()? {
        let (parent, machine) = (reader.small()?, reader.small()?);
        journal.shapes += 1;
        search.semantics.add_shape(parent, machine).filter(|&id| usize::from(id) == journal.shapes)?;
    }
    let mut last = 0;
    while !reader.is_empty() {
        let (source, parent) = (reader.small()?, reader.small::<StateId>()?);
        if source != last {
            search.partition.flush(last).then_some(())?;
            last = source;
        }
        let state = reader.bytes()?;
        match parent.checked_sub(1) {
            Some(parent) => search.partition.push(state, (source, parent)).then_some(())?,
            None => search.partition.first(state),
        }
    }
    search.partition.flush(last).then_some(())
}

/// A layer is complete: it is written, unless layers were written a moment ago. `states` are those that were found in it.
pub(crate) fn complete(search: &mut Search<'_>, states: [StateId; 2]) -> Result<(), Reason> {
    if search.journal.is_none() {
        return Ok(());
    }
    let mut totals = Writer::default();
    totals::write(search, &mut totals);
    let layer = search.layer;
    let Some(journal) = &mut search.journal else { return Ok(()) };
    journal.pending.push(Mark { layer, states, totals });
    let due = journal.since.elapsed() >= journal.last_took * SHARE;
    if due { write(search) } else { Ok(()) }
}

/// Writes the layers that are complete.
pub(crate) fn write(search: &mut Search<'_>) -> Result<(), Reason> {
    let Some(mut journal) = search.journal.take() else { return Ok(()) };
    let start = Stopwatch::start();
    let end = journal.append(search).map_err(|error| journal.reason(&error));
    (journal.last_took, journal.since) = (start.elapsed(), Stopwatch::start());
    search.journal = Some(journal);
    end
}

impl Journal {
    fn append(&mut self, search: &mut Search<'_>) -> io::Result<()> {
        for mark in std::mem::take(&mut self.pending) {
            while self.next < mark.states[1] {
                let frame = self.states(search, mark.states[1]);
                self.file.write_all(&framed(&frame.0))?;
            }
            let mut frame = Writer(vec![LAYER]);
            frame.number(mark.layer);
            frame.wide(self.epoch);
            frame.number(mark.states[0].into());
            frame.0.extend(mark.totals.0);
            self.file.write_all(&framed(&frame.0))?;
        }
        self.file.sync_data()
    }

    /// A frame with states before one.
    fn states(&mut self, search: &mut Search<'_>, end: StateId) -> Writer {
        let mut frame = Writer(vec![STATES]);
        let shapes = search.semantics.shapes();
        let new = &shapes[self.shapes.min(shapes.len())..];
        frame.number(new.len() as u64);
        for &(parent, machine) in new {
            frame.number(parent.into());
            frame.number(machine.into());
        }
        self.shapes = shapes.len();
        while self.next < end && frame.0.len() < FRAME {
            let parent = search.partition.parent(self.next);
            frame.number(parent.map_or(0, |(source, _)| source.into()));
            frame.number(parent.map_or(0, |(_, id)| u64::from(id) + 1));
            search.with_state(self.next, |state| frame.bytes(state));
            self.next += 1;
        }
        frame
    }
}
