//! Messages of JSON-RPC, each behind a header with its length.

use serde_json::Value;
use std::io::{self, BufRead, Write};

/// A longer message is not read.
const LARGEST: usize = 64 << 20;

/// What comes in.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming {
    Message(Value),
    /// A message that is not JSON, or has no length.
    Malformed(String),
    End,
}

/// Reads the next message.
pub(crate) fn read(reader: &mut dyn BufRead) -> io::Result<Incoming> {
    let mut length = None;
    let mut headers = 0;
    loop {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(Incoming::End);
        }
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        match (line.split_once(':'), line.is_empty()) {
            (_, true) if headers == 0 => continue,
            (_, true) => break,
            (Some((name, value)), _) if name.trim().eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse::<usize>().ok();
            }
            _ => {}
        }
        headers += 1;
    }
    let Some(length) = length else { return Ok(Incoming::Malformed(String::from("there is no Content-Length"))) };
    if length > LARGEST {
        return Ok(Incoming::Malformed(format!("a message of {length} bytes")));
    }
    let mut body = vec![0; length];
    match reader.read_exact(&mut body) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Incoming::End),
        Err(error) => return Err(error),
    }
    Ok(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Malformed(error.to_string()),
    })
}

/// Writes a message.
pub(crate) fn write(writer: &mut dyn Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(writer, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    writer.flush()
}
