//! A cluster on this machine: the same command, once for each process.

use crate::peers::new_key;
use crate::{KEY, MOST};
use std::ffi::OsString;
use std::io;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// How the processes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this exit code of the first one.
    Code(i32),
    /// This process was ended by a signal.
    Lost(usize),
}

/// Starts a program as so many processes of a cluster, with `--cluster` and `--process` behind its arguments, and waits for
/// them. The output of the first one is seen, and the errors of all.
pub fn run(program: &Path, arguments: &[OsString], count: usize) -> io::Result<Exit> {
    if !(2..=MOST).contains(&count) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("a cluster has 2 to {MOST} processes")));
    }
    // The ports are free now, and nobody else is told of them.
    let listeners: Vec<TcpListener> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
    let hosts = listeners.iter().map(|listener| listener.local_addr().map(|address| address.to_string()));
    let hosts = hosts.collect::<Result<Vec<_>, _>>()?.join(",");
    drop(listeners);
    let key = std::env::var(KEY).ok().filter(|key| !key.is_empty()).unwrap_or_else(new_key);
    let start = |process: usize| -> io::Result<Child> {
        let mut command = Command::new(program);
        command.args(arguments).args(["--cluster", &hosts, "--process", &process.to_string()]).env(KEY, &key);
        if process > 0 {
            command.stdin(Stdio::null()).stdout(Stdio::null());
        }
        command.spawn()
    };
    let mut children: Vec<Child> = Vec::new();
    for process in 0..count {
        match start(process) {
            Ok(child) => children.push(child),
            Err(error) => {
                children.iter_mut().for_each(|child| drop(child.kill()));
                return Err(error);
            }
        }
    }
    let ends = children.iter_mut().map(Child::wait).collect::<Result<Vec<_>, _>>()?;
    let lost = ends.iter().position(|end| end.code().is_none());
    Ok(match (ends[0].code(), lost) {
        (Some(code), None) => Exit::Code(code),
        // Those that are left say so themselves; the worst that they can say is that nothing is known.
        (Some(code), Some(_)) if code != 0 => Exit::Code(code),
        (_, lost) => Exit::Lost(lost.unwrap_or(0)),
    })
}
