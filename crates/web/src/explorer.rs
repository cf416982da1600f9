//! The explorer: a page that walks through a model, and the small server on this machine that it asks.
//!
//! The server keeps nothing but the model: a request has all steps of the walk, and the answer says where they lead. So
//! going back is asking with fewer steps, and a page that is closed leaves nothing behind. It listens on 127.0.0.1 only,
//! and answers only those who know the token in the address, under its own name, from its own page.

use crate::data::Tables;
use crate::page::explorer_page;
use crate::run::{RunData, run};
use model::around::{Around, Near};
use model::chart::{Change, Chart, ChartStep, Contents, StepKey};
use model::source::SourceMap;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

/// Longer requests are refused.
const LONGEST: u64 = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(20);

/// Where a walk leads.
#[derive(Clone, Debug)]
pub struct Here {
    /// The steps that were taken.
    pub chart: Chart,
    /// What can be done now: the step, what it does, and whether it ends in an error.
    pub enabled: Vec<(StepKey, ChartStep, bool)>,
    /// The variables and their values.
    pub variables: Vec<Change>,
    /// The channels and what they hold.
    pub channels: Vec<Contents>,
}

/// What the explorer asks of a model.
pub trait Explored: Sync {
    /// The name of the model.
    fn name(&self) -> &str;
    /// Its texts.
    fn sources(&self) -> &SourceMap;
    /// Where some steps lead; what is wrong, if they cannot be taken.
    fn walk(&self, steps: &[StepKey]) -> Result<Here, String>;
    /// The runs that violate its properties: the property, and the steps.
    fn violations(&self) -> Result<Vec<(String, Vec<StepKey>)>, String>;
    /// The states around the one that some steps lead to.
    fn around(&self, steps: &[StepKey]) -> Result<Around, String>;
    /// A walk as a document that can be replayed.
    fn trace(&self, steps: &[StepKey]) -> Result<String, String>;
}

/// A server that waits for requests.
pub struct Server {
    listener: TcpListener,
    host: String,
    token: String,
}

impl Server {
    /// A server at a free port, or at a given one.
    pub fn new(port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let host = listener.local_addr()?.to_string();
        // The keys of the hasher come from the system's source of random numbers.
        let part = || RandomState::new().build_hasher().finish();
        Ok(Server { listener, host, token: format!("{:016x}{:016x}", part(), part()) })
    }

    /// What to open in a browser.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.host, self.token)
    }

    /// Answers requests, for as long as the process lives.
    pub fn serve(&self, model: &dyn Explored) -> io::Result<()> {
        std::thread::scope(|scope| {
            for stream in self.listener.incoming() {
                let Ok(stream) = stream else { continue };
                // Whoever goes away in the middle of a request is no concern of the others.
                scope.spawn(move || self.answer(stream, model).ok());
            }
        });
        Ok(())
    }

    fn answer(&self, stream: TcpStream, model: &dyn Explored) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut reader = BufReader::new(stream);
        let response = match Request::read(&mut reader)? {
            Some(request) => self.response(&request, model),
            None => Response::refused(400),
        };
        reader.get_mut().write_all(&response.bytes())
    }

    fn response(&self, request: &Request, model: &dyn Explored) -> Response {
        // Another name for this machine, or a page from elsewhere, is somebody else.
        let own_page = format!("http://{}", self.host);
        let is_own = request.host == self.host && request.origin.as_ref().is_none_or(|origin| *origin == own_page);
        let Some(path) = request.path.strip_prefix(&format!("/{}/", self.token)).filter(|_| is_own) else {
            return Response::refused(403);
        };
        let steps = || serde_json::from_slice::<Vec<StepKey>>(&request.body).map_err(|error| error.to_string());
        let answer = match (request.method.as_str(), path) {
            ("GET", "") => {
                return Response::new(200, "text/html; charset=utf-8", explorer_page(model.name(), model.sources()));
            }
            ("POST", "walk") => {
                steps().and_then(|steps| model.walk(&steps)).map(|here| here_json(&here, model.sources()))
            }
            ("POST", "trace") => steps().and_then(|steps| model.trace(&steps)),
            ("POST", "around") => steps().and_then(|steps| model.around(&steps)).map(|around| around_json(&around)),
            ("POST", "violations") => model.violations().map(|runs| json!(runs).to_string()),
            _ => return Response::refused(404),
        };
        match answer {
            Ok(text) => Response::new(200, "application/json", text),
            Err(error) => Response::new(422, "application/json", json!({ "error": error }).to_string()),
        }
    }
}

/// A request, as far as it matters.
struct Request {
    method: String,
    path: String,
    host: String,
    origin: Option<String>,
    body: Vec<u8>,
}

impl Request {
    /// Reads a request; none if it is none.
    fn read(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
        let mut head = reader.by_ref().take(64 << 10);
        let mut line = String::new();
        head.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
        let (method, path) = (method.to_owned(), path.to_owned());
        let mut request = Request { method, path, host: String::new(), origin: None, body: Vec::new() };
        let mut length = 0;
        loop {
            let mut line = String::new();
            if head.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "host" => request.host = value.to_owned(),
                "origin" => request.origin = Some(value.to_owned()),
                "content-length" => length = value.parse().unwrap_or(u64::MAX),
                _ => {}
            }
        }
        if length > LONGEST {
            return Ok(None);
        }
        reader.take(length).read_to_end(&mut request.body)?;
        Ok(Some(request))
    }
}

struct Response {
    code: u16,
    kind: &'static str,
    body: String,
}

impl Response {
    fn new(code: u16, kind: &'static str, body: String) -> Response {
        Response { code, kind, body }
    }

    fn refused(code: u16) -> Response {
        Response::new(code, "text/plain", String::from("refused\n"))
    }

    fn bytes(&self) -> Vec<u8> {
        let Response { code, kind, body } = self;
        let reason = if *code == 200 { "OK" } else { "Refused" };
        format!(
            "HTTP/1.1 {code} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n\
             Connection: close\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    }
}

/// The answer to a walk.
#[derive(Serialize)]
struct HereData {
    strings: Vec<String>,
    places: Vec<[u32; 5]>,
    run: RunData,
    enabled: Vec<EnabledData>,
    variables: Vec<(usize, usize)>,
    channels: Vec<(usize, Vec<usize>)>,
}

#[derive(Serialize)]
struct EnabledData {
    key: StepKey,
    lanes: Vec<usize>,
    place: Option<usize>,
    label: usize,
    fault: bool,
}

fn around_json(around: &Around) -> String {
    let state = |state: &Near| json!([state.column, state.kept, state.then, state.passed, state.end, state.more]);
    let states: Vec<Value> = around.states.iter().map(state).collect();
    json!({ "states": states, "steps": around.steps, "here": around.here }).to_string()
}

fn here_json(here: &Here, sources: &SourceMap) -> String {
    let mut tables = Tables::of(sources);
    let run = run(&here.chart, &mut tables);
    let mut enabled = Vec::new();
    for (key, words, fault) in &here.enabled {
        let first = words.moves.first();
        let label = words.event.as_deref().or(first.map(|first| first.does.as_str())).unwrap_or("");
        enabled.push(EnabledData {
            key: key.clone(),
            lanes: words.moves.iter().map(|one| one.lane).collect(),
            place: tables.place(first.and_then(|first| first.span)),
            label: tables.text(label),
            fault: *fault,
        });
    }
    let variables = here.variables.iter().map(|one| (tables.text(&one.name), tables.text(&one.value))).collect();
    let channels = here.channels.iter().map(|one| (tables.text(&one.channel), tables.texts(&one.messages))).collect();
    let (strings, places) = tables.into_parts();
    serde_json::to_string(&HereData { strings, places, run, enabled, variables, channels }).unwrap_or_default()
}
