//! The connections between processes: who may join, and whether everyone is still there.
//!
//! A process listens at its own address and connects to those before it. Two connections join each pair: one for data, which
//! the dataflow uses, and one for control. Each side proves that it knows the key (HMAC-SHA-256 over random numbers of
//! both sides), and then that it searches the same model with the same options. Nothing is encrypted.
//!
//! On the control connection each side says a few times a second that it is there. A process that closes a connection, or is
//! silent for some seconds, is lost, and with it its share of the states: the search ends in every process.

use crate::{Cluster, KEY};
use model::budget::{Budget, Stopwatch};
use model::verdict::Reason;
use sha2::{Digest, Sha256};
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use timely::communication::allocator::zero_copy::stream::Stream;

/// What all processes must have in common: names and values.
pub type Identity = Vec<(String, String)>;

/// Why a process does not take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The addresses or the number of the process make no sense.
    Hosts(String),
    /// There is no key.
    NoKey,
    /// This process cannot listen at its address.
    Address(String, String),
    /// A process has another key: who.
    WrongKey(String),
    /// A process searches something else: who, what is different, there and here.
    Foreign(String, String, String, String),
    /// The checkpoint cannot be made, or is not one of this search.
    Checkpoint(String),
}

impl From<explore::disk::Refused> for Refused {
    fn from(refused: explore::disk::Refused) -> Self {
        Refused::Checkpoint(refused.to_string())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Hosts(why) => write!(f, "--cluster: {why}"),
            Refused::NoKey => write!(f, "--cluster needs a key that all processes share, in {KEY}"),
            Refused::Address(host, why) => write!(f, "--cluster: cannot listen at {host}: {why}"),
            Refused::WrongKey(who) => write!(f, "{who} has another key ({KEY})"),
            Refused::Foreign(who, name, there, here) => {
                write!(f, "{who} takes part in another search: its {name} is {there}, here it is {here}")
            }
            Refused::Checkpoint(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refused {}

/// Why the connections could not be made.
pub(crate) enum Failed {
    Refused(Refused),
    Open(Reason),
}

impl From<Refused> for Failed {
    fn from(refused: Refused) -> Self {
        Failed::Refused(refused)
    }
}

/// How long processes wait for each other at first.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one message of the greeting may take.
const GREETING: Duration = Duration::from_secs(5);
/// How often a process says that it is there.
const PULSE: Duration = Duration::from_millis(400);
/// Who is silent for so long is lost.
const SILENCE: Duration = Duration::from_secs(3);
/// Between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(20);
const MAGIC: &[u8; 8] = b"highwtr1";
/// No identity is longer.
const MOST_TEXT: usize = 1 << 20;

/// What is said on a control connection.
const HERE: u8 = b'.';
const STOP: u8 = b's';
const DONE: u8 = b'd';

/// The other processes, connected.
pub(crate) struct Peers {
    pub(crate) process: usize,
    pub(crate) count: usize,
    /// Data, by process; none to itself.
    pub(crate) data: Vec<Option<Line>>,
    pub(crate) control: Arc<Control>,
}

/// What the threads of the connections tell the search.
#[derive(Default)]
pub(crate) struct Control {
    /// Why a process counts as lost.
    lost: Mutex<Option<String>>,
    is_lost: AtomicBool,
    /// Some process wants the search to end.
    stop: AtomicBool,
    /// How many others have all that they need.
    done: AtomicUsize,
    /// Nothing more is expected of anyone.
    over: AtomicBool,
    /// To each other process.
    lines: Mutex<Vec<TcpStream>>,
}

impl Control {
    fn lose(&self, who: &str, why: &str) {
        if !self.over.load(Ordering::Relaxed) {
            self.lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| format!("{who} {why}"));
            self.is_lost.store(true, Ordering::Release);
        }
    }

    /// Fails if a process is lost.
    pub(crate) fn check(&self) -> Result<(), Reason> {
        if !self.is_lost.load(Ordering::Acquire) {
            return Ok(());
        }
        let why = self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Err(Reason::Worker(why.unwrap_or_default()))
    }

    /// Whether some process wants the search to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Tells all others to end the search.
    pub(crate) fn stop(&self) {
        if !self.stop.swap(true, Ordering::Relaxed) {
            self.say(STOP);
        }
    }

    /// Tells all others that this process has all that it needs.
    pub(crate) fn done(&self) {
        self.say(DONE);
    }

    /// Whether all others have all that they need, or are gone.
    pub(crate) fn are_done(&self, count: usize) -> bool {
        self.done.load(Ordering::Acquire) + 1 >= count || self.is_lost.load(Ordering::Acquire)
    }

    /// Nothing more is expected of anyone.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A line that cannot be written to is noticed by who reads from it.
    fn say(&self, what: u8) {
        for mut line in self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = line.write_all(&[what]);
        }
    }

    /// Says now and then that this process is there.
    fn pulse(&self) {
        while !self.over.load(Ordering::Relaxed) && !self.is_lost.load(Ordering::Relaxed) {
            self.say(HERE);
            thread::sleep(PULSE);
        }
    }

    /// Listens to another process until it is done.
    fn listen(&self, who: &str, mut line: TcpStream) {
        let mut said = [0];
        loop {
            match line.read(&mut said) {
                Ok(0) => return self.lose(who, "has closed its connection"),
                Ok(_) if said[0] == STOP => self.stop.store(true, Ordering::Relaxed),
                Ok(_) if said[0] == DONE => {
                    self.done.fetch_add(1, Ordering::Release);
                    return;
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return self.lose(who, &format!("has not been heard of for {} s", SILENCE.as_secs()));
                }
                Err(error) => return self.lose(who, &format!("is lost: {error}")),
            }
        }
    }
}

/// A data connection. `timely` panics when one fails; here the process counts as lost (unless all is over), and the thread
/// waits for the end of this process.
pub(crate) struct Line {
    stream: TcpStream,
    who: String,
    control: Arc<Control>,
}

impl Line {
    fn fail(&self, why: &str) -> ! {
        self.control.lose(&self.who, why);
        loop {
            thread::park();
        }
    }
}

impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stream.read(buffer) {
            Ok(0) => self.fail("has closed its connection"),
            Ok(count) => Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => self.fail(&format!("is lost: {error}")),
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes).or_else(|error| match error.kind() {
            io::ErrorKind::Interrupted => Err(error),
            _ => self.fail(&format!("is lost: {error}")),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Stream for Line {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Line { stream: self.stream.try_clone()?, who: self.who.clone(), control: Arc::clone(&self.control) })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may have closed it first.
        self.stream.shutdown(how).or(Ok(()))
    }
}

/// A name for messages.
fn name(cluster: &Cluster, process: usize) -> String {
    format!("process {process} ({})", cluster.hosts[process])
}

/// Connects all processes.
pub(crate) fn connect(cluster: &Cluster, identity: &Identity, budget: &Budget) -> Result<Peers, Failed> {
    let (process, count) = (cluster.process, cluster.hosts.len());
    if !(2..=crate::MOST).contains(&count) {
        let why = format!("a cluster has 2 to {} processes; {count} addresses are given", crate::MOST);
        return Err(Refused::Hosts(why).into());
    }
    if process >= count {
        let why = format!("--process is a number from 0 to {}: one for each address", count - 1);
        return Err(Refused::Hosts(why).into());
    }
    if cluster.key.is_empty() {
        return Err(Refused::NoKey.into());
    }
    let host = &cluster.hosts[process];
    let cannot = |error: io::Error| Refused::Address(host.clone(), error.to_string());
    let listener = TcpListener::bind(host).map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    let greeter = Greeter { cluster, identity, budget, since: Stopwatch::start() };
    let mut found: Vec<[Option<TcpStream>; 2]> = (0..count).map(|_| [None, None]).collect();
    for (other, lines) in found.iter_mut().enumerate().take(process) {
        for purpose in [0, 1] {
            lines[usize::from(purpose)] = Some(greeter.call(other, purpose)?);
        }
    }
    while let Some(missing) = (process + 1..count).find(|&other| found[other].iter().any(Option::is_none)) {
        if let Some((other, purpose, line)) = greeter.answer(&listener, missing)? {
            found[other][usize::from(purpose)] = Some(line);
        }
    }
    let failed = |error: io::Error| Failed::Open(Reason::Worker(format!("a connection could not be set up: {error}")));
    join(cluster, found).map_err(failed)
}

/// Starts the threads of the control connections.
fn join(cluster: &Cluster, found: Vec<[Option<TcpStream>; 2]>) -> io::Result<Peers> {
    let control = Arc::new(Control::default());
    let mut data = Vec::new();
    for (other, [line, control_line]) in found.into_iter().enumerate() {
        let who = name(cluster, other);
        data.push(line.map(|stream| Line { stream, who: who.clone(), control: Arc::clone(&control) }));
        let Some(line) = control_line else { continue };
        line.set_read_timeout(Some(SILENCE))?;
        line.set_write_timeout(Some(SILENCE))?;
        control.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.try_clone()?);
        let control = Arc::clone(&control);
        thread::Builder::new().spawn(move || control.listen(&who, line))?;
    }
    let pulse = Arc::clone(&control);
    thread::Builder::new().spawn(move || pulse.pulse())?;
    Ok(Peers { process: cluster.process, count: cluster.hosts.len(), data, control })
}

/// Greets other processes.
struct Greeter<'a> {
    cluster: &'a Cluster,
    identity: &'a Identity,
    budget: &'a Budget,
    since: Stopwatch,
}

impl Greeter<'_> {
    /// Fails if it has taken too long.
    fn look(&self, other: usize, why: &str) -> Result<(), Failed> {
        self.budget.check().map_err(Failed::Open)?;
        if self.since.elapsed() < PATIENCE {
            return Ok(());
        }
        let (who, seconds) = (name(self.cluster, other), PATIENCE.as_secs());
        Err(Failed::Open(Reason::Worker(format!("{who} did not join within {seconds} s{why}"))))
    }

    /// Connects to a process that listens, or will soon.
    fn call(&self, other: usize, purpose: u8) -> Result<TcpStream, Failed> {
        loop {
            let tried =
                TcpStream::connect(&self.cluster.hosts[other]).and_then(|line| self.greet(line, other, purpose));
            match tried {
                Ok(Ok(line)) => return Ok(line),
                Ok(Err(refused)) => return Err(refused.into()),
                Err(error) => self.look(other, &format!(": {error}"))?,
            }
            thread::sleep(PAUSE);
        }
    }

    /// The greeting of who connects.
    fn greet(&self, mut line: TcpStream, other: usize, purpose: u8) -> io::Result<Result<TcpStream, Refused>> {
        prepare(&line)?;
        let (me, own) = (self.cluster.process as u32, nonce());
        let mut hello = MAGIC.to_vec();
        hello.push(purpose);
        hello.extend(me.to_le_bytes());
        hello.extend(own);
        line.write_all(&hello)?;
        let mut theirs = [0; 64];
        line.read_exact(&mut theirs)?;
        hello.extend(&theirs[..32]);
        if self.proof(b"answer", &hello) != theirs[32..] {
            return Ok(Err(Refused::WrongKey(name(self.cluster, other))));
        }
        line.write_all(&self.proof(b"call", &hello))?;
        self.compare(line, other)
    }

    /// Takes a connection from a process, if there is one; who is not a process of this cluster is not listened to.
    fn answer(&self, listener: &TcpListener, missing: usize) -> Result<Option<(usize, u8, TcpStream)>, Failed> {
        match listener.accept() {
            Ok((line, from)) => match self.greeted(line) {
                Ok((other, purpose, Ok(line))) => return Ok(Some((other, purpose, line))),
                Ok((_, _, Err(refused))) => return Err(refused.into()),
                Err(error) => self.look(missing, &format!("; a connection from {from} was refused: {error}"))?,
            },
            Err(_) => {
                self.look(missing, "")?;
                thread::sleep(PAUSE);
            }
        }
        Ok(None)
    }

    /// The greeting of who listens.
    fn greeted(&self, mut line: TcpStream) -> io::Result<(usize, u8, Result<TcpStream, Refused>)> {
        line.set_nonblocking(false)?;
        prepare(&line)?;
        let mut hello = [0; MAGIC.len() + 1 + 4 + 32];
        line.read_exact(&mut hello)?;
        let (magic, rest) = hello.split_at(MAGIC.len());
        let (purpose, other) = (rest[0], u32::from_le_bytes([rest[1], rest[2], rest[3], rest[4]]) as usize);
        let expected = (self.cluster.process + 1..self.cluster.hosts.len()).contains(&other);
        if magic != MAGIC || purpose > 1 || !expected {
            return Err(io::Error::other("it is no process of this cluster"));
        }
        let own = nonce();
        let hello = [&hello[..], &own].concat();
        line.write_all(&[own, self.proof(b"answer", &hello)].concat())?;
        let mut theirs = [0; 32];
        line.read_exact(&mut theirs)?;
        if self.proof(b"call", &hello) != theirs {
            return Err(io::Error::other(format!("it has another key ({KEY})")));
        }
        Ok((other, purpose, self.compare(line, other)?))
    }

    /// Both sides say what they search.
    fn compare(&self, mut line: TcpStream, other: usize) -> io::Result<Result<TcpStream, Refused>> {
        let text = lines(self.identity);
        line.write_all(&(text.len() as u32).to_le_bytes())?;
        line.write_all(text.as_bytes())?;
        let mut length = [0; 4];
        line.read_exact(&mut length)?;
        let mut theirs = vec![0; (u32::from_le_bytes(length) as usize).min(MOST_TEXT)];
        line.read_exact(&mut theirs)?;
        let theirs = String::from_utf8_lossy(&theirs).into_owned();
        if let Some((name, there, here)) = difference(&text, &theirs) {
            return Ok(Err(Refused::Foreign(self::name(self.cluster, other), name, there, here)));
        }
        line.set_read_timeout(None)?;
        line.set_write_timeout(None)?;
        Ok(Ok(line))
    }

    /// Shows that this process knows the key, to who knows the random numbers of both sides.
    fn proof(&self, role: &[u8], hello: &[u8]) -> [u8; 32] {
        hmac(self.cluster.key.as_bytes(), &[role, hello].concat())
    }
}

/// An identity as text: a line for each name.
pub(crate) fn lines(identity: &Identity) -> String {
    let lines: Vec<String> = identity.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    lines.join("\n")
}

/// The first line in which such texts differ: its name, what it is there and what it is here.
pub(crate) fn difference(here: &str, there: &str) -> Option<(String, String, String)> {
    let differ = here.lines().zip(there.lines().chain(std::iter::repeat("missing")));
    let (here, there) = differ.into_iter().find(|(here, there)| here != there)?;
    let (name, here) = here.split_once('=').unwrap_or(("version", here));
    let there = there.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')).unwrap_or(there);
    Some((name.to_owned(), there.to_owned(), here.to_owned()))
}

fn prepare(line: &TcpStream) -> io::Result<()> {
    line.set_nodelay(true)?;
    line.set_read_timeout(Some(GREETING))?;
    line.set_write_timeout(Some(GREETING))
}

/// HMAC-SHA-256 (RFC 2104).
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|b| b ^ 0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(block.map(|b| b ^ 0x5c)).chain_update(inner).finalize().into()
}

/// Random bytes: the standard library seeds its hashers from the system's generator.
pub(crate) fn nonce() -> [u8; 32] {
    let mut hash = Sha256::new();
    for _ in 0..4 {
        hash.update(RandomState::new().build_hasher().finish().to_le_bytes());
    }
    hash.update(std::process::id().to_le_bytes());
    hash.finalize().into()
}

/// A new key.
pub(crate) fn new_key() -> String {
    nonce().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::hmac;

    #[test]
    fn hmac_is_that_of_rfc_4231() {
        let hex = |bytes: [u8; 32]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let found = hex(hmac(b"Jefe", b"what do ya want for nothing?"));
        assert_eq!(found, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        let long = hex(hmac(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"));
        assert_eq!(long, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    }
}
