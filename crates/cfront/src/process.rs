//! A process that ends in time.
//!
//! The compiler is somebody else's program: it may hang, print without end, or leave a child behind that holds its pipes.
//! Nothing here waits for it longer than until a deadline: what it prints is read by threads of their own, which are left
//! to themselves when the time is up.

use model::budget::Budget;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long to wait between two looks.
const PACE: Duration = Duration::from_millis(2);
/// How long to wait before the budget is looked at again.
const LOOK: Duration = Duration::from_millis(50);
/// What prints more than this is not a preprocessor.
const MOST_OUTPUT: u64 = 1 << 28;

/// What a process did.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Whether its status is that of success.
    pub success: bool,
    /// What it printed.
    pub output: Vec<u8>,
    /// What it complained about.
    pub complaint: Vec<u8>,
}

/// Why there is nothing to tell.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// It cannot be started: why not.
    NotStarted(String),
    /// It was still running at the deadline, and was killed.
    Late,
    /// It printed without end.
    TooMuch,
}

/// Runs a command on an input, as long as its budget lasts.
pub(crate) fn run(command: &mut Command, input: &[u8], budget: &Budget) -> Result<Finished, Failed> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| Failed::NotStarted(error.to_string()))?;
    let (stdin, input) = (child.stdin.take(), input.to_vec());
    // A process that reads nothing breaks the pipe, or leaves this thread waiting until it is killed.
    std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(&input)));
    let output = reader(child.stdout.take());
    let complaint = reader(child.stderr.take());
    let finished = wait(&mut child, &output, &complaint, budget);
    if finished.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    finished
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let _ = pipe.take(MOST_OUTPUT + 1).read_to_end(&mut bytes);
        }
        send.send(bytes)
    });
    receive
}

fn wait(
    child: &mut Child,
    output: &Receiver<Vec<u8>>,
    complaint: &Receiver<Vec<u8>>,
    budget: &Budget,
) -> Result<Finished, Failed> {
    let output = receive(output, budget)?;
    if output.len() as u64 > MOST_OUTPUT {
        return Err(Failed::TooMuch);
    }
    let complaint = receive(complaint, budget)?;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Finished { success: status.success(), output, complaint }),
            Ok(None) if budget.in_time().is_err() => return Err(Failed::Late),
            Ok(None) => std::thread::sleep(PACE),
            Err(error) => return Err(Failed::NotStarted(error.to_string())),
        }
    }
}

/// What a thread sends, unless it takes too long or the user stops it.
fn receive(from: &Receiver<Vec<u8>>, budget: &Budget) -> Result<Vec<u8>, Failed> {
    loop {
        match from.recv_timeout(budget.left().map_or(LOOK, |left| left.min(LOOK))) {
            Ok(bytes) => return Ok(bytes),
            Err(RecvTimeoutError::Timeout) if budget.in_time().is_ok() => {}
            Err(_) => return Err(Failed::Late),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn shell(script: &str, input: &str, time: Duration) -> Result<Finished, Failed> {
        run(Command::new("/bin/sh").args(["-c", script]), input.as_bytes(), &Budget::unlimited().timeout(time))
    }

    #[test]
    fn what_a_process_says_comes_back() {
        let long = "x".repeat(200_000);
        let finished = shell("cat; echo no >&2; exit 3", &long, Duration::from_secs(20)).unwrap();
        assert_eq!((finished.success, finished.output.len()), (false, long.len()));
        assert_eq!(finished.complaint, b"no\n");
        assert!(shell("true", &long, Duration::from_secs(20)).unwrap().success);
    }

    #[test]
    fn a_process_that_hangs_or_leaves_a_child_or_prints_without_end_is_given_up() {
        let start = Instant::now();
        let time = Duration::from_millis(200);
        assert_eq!(shell("exec sleep 30", "", time).unwrap_err(), Failed::Late);
        assert_eq!(shell("sleep 30 & exit 0", "", time).unwrap_err(), Failed::Late);
        assert_eq!(shell("exec sleep 30 >&- 2>&-", "", time).unwrap_err(), Failed::Late);
        assert!(matches!(shell("yes", "", time).unwrap_err(), Failed::Late | Failed::TooMuch));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_process_that_is_not_there_is_told() {
        let failed = run(&mut Command::new("/nowhere/cc"), b"", &Budget::unlimited().timeout(Duration::from_secs(5)))
            .unwrap_err();
        assert!(matches!(failed, Failed::NotStarted(_)));
    }
}
