//! The server: documents, requests and their answers.
//!
//! Messages are handled one after the other. Diagnostics are computed when no message waits, so a burst of keystrokes costs one
//! reading of the text.

use crate::bounds::{self, Bounds, Job};
use crate::index::{Index, Kind, Symbol};
use crate::text::Text;
use crate::transport::{self, Incoming};
use highwater::settings::{Language, ReadOptions};
use highwater::{Budget, Cancel, Diagnostic, Error, Model};
use model::source::{SourceMap, Span};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;

/// Reading a text takes no longer than this.
const TIME: Duration = Duration::from_secs(2);

/// The error codes of JSON-RPC and of the protocol.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;
const REQUEST_FAILED: i64 = -32803;

/// The command that checks everything that a model states.
const CHECK: &str = "highwater.check";

/// What happens.
pub(crate) enum Event {
    In(Incoming),
    Bounds(String, Bounds),
}

/// Serves one editor; returns the exit code, which is 0 if the editor asked for the end.
pub fn serve(input: impl Read + Send + 'static, output: &mut dyn Write) -> io::Result<i32> {
    let (sender, events) = mpsc::channel();
    let own = sender.clone();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(input);
        loop {
            let next = transport::read(&mut reader).unwrap_or(Incoming::End);
            let end = next == Incoming::End;
            if own.send(Event::In(next)).is_err() || end {
                return;
            }
        }
    });
    let mut server =
        Server { sender, documents: HashMap::new(), initialized: false, refreshes: false, shut_down: false };
    loop {
        match server.next(&events, output)? {
            Event::Bounds(uri, bounds) => server.bounds(&uri, bounds, output)?,
            Event::In(Incoming::End) => return Ok(1),
            Event::In(Incoming::Malformed(why)) => {
                transport::write(output, &failure(&Value::Null, (PARSE_ERROR, why)))?;
            }
            Event::In(Incoming::Message(message)) => {
                if message.get("method").is_some_and(|method| method == "exit") {
                    return Ok(if server.shut_down { 0 } else { 1 });
                }
                server.message(&message, output)?;
            }
        }
    }
}

type Answer = Result<Value, (i64, String)>;

fn failure(id: &Value, (code, message): (i64, String)) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

fn invalid(what: &str) -> (i64, String) {
    (INVALID_PARAMS, format!("`{what}` is missing or makes no sense"))
}

struct Document {
    text: Text,
    version: i64,
    path: String,
    promela: bool,
    /// Diagnostics are not those of the text.
    dirty: bool,
    index: Option<Index>,
    bounds: Bounds,
    /// Ends the check in the background.
    check: Cancel,
}

impl Document {
    fn index(&mut self) -> &Index {
        let text = &self.text;
        self.index.get_or_insert_with(|| Index::new(text.as_str()))
    }
}

struct Server {
    sender: Sender<Event>,
    documents: HashMap<String, Document>,
    initialized: bool,
    /// The editor asks for lenses again when it is told to.
    refreshes: bool,
    shut_down: bool,
}

impl Server {
    /// The next event; while there is none, diagnostics are brought up to date.
    fn next(&mut self, events: &Receiver<Event>, output: &mut dyn Write) -> io::Result<Event> {
        match events.try_recv() {
            Ok(event) => return Ok(event),
            Err(TryRecvError::Disconnected) => return Ok(Event::In(Incoming::End)),
            Err(TryRecvError::Empty) => self.publish(output)?,
        }
        Ok(events.recv().unwrap_or(Event::In(Incoming::End)))
    }

    fn message(&mut self, message: &Value, output: &mut dyn Write) -> io::Result<()> {
        let (id, params) = (message.get("id"), message.get("params").unwrap_or(&Value::Null));
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // An answer to a request of ours would have no method; there are no such requests.
            let malformed = failure(id.unwrap_or(&Value::Null), (INVALID_REQUEST, String::from("there is no method")));
            return if message.get("result").is_some() { Ok(()) } else { transport::write(output, &malformed) };
        };
        let Some(id) = id else {
            self.notified(method, params);
            return Ok(());
        };
        let answer = match self.answer(method, params) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => failure(id, error),
        };
        transport::write(output, &answer)
    }

    fn notified(&mut self, method: &str, params: &Value) {
        let Some(uri) = params.pointer("/textDocument/uri").and_then(Value::as_str).map(str::to_owned) else { return };
        match method {
            "textDocument/didOpen" => {
                let item = &params["textDocument"];
                let text = item["text"].as_str().unwrap_or_default().to_owned();
                self.open(
                    uri,
                    item["languageId"].as_str().unwrap_or_default(),
                    text,
                    item["version"].as_i64().unwrap_or(0),
                );
            }
            "textDocument/didChange" => {
                let Some(document) = self.documents.get_mut(&uri) else { return };
                let changes = params["contentChanges"].as_array().map_or(&[][..], Vec::as_slice);
                for change in changes {
                    document.text = document.text.changed(change).unwrap_or_else(|| document.text.clone());
                }
                document.version =
                    params.pointer("/textDocument/version").and_then(Value::as_i64).unwrap_or(document.version + 1);
                document.check.cancel();
                (document.dirty, document.index) = (true, None);
            }
            "textDocument/didSave" => {
                let whole = self.documents.get(&uri).is_some_and(|document| !document.bounds.verdicts.is_empty());
                self.check(&uri, whole);
            }
            "textDocument/didClose" => {
                if let Some(document) = self.documents.remove(&uri) {
                    document.check.cancel();
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, uri: String, language: &str, text: String, version: i64) {
        let path = path_of(&uri);
        let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let promela = language == "promela" || ["pml", "prm", "promela"].contains(&extension.as_str());
        let (text, check) = (Text::new(text), Cancel::default());
        let document =
            Document { text, version, path, promela, dirty: true, index: None, bounds: Bounds::default(), check };
        self.documents.insert(uri.clone(), document);
        self.check(&uri, false);
    }

    /// Looks for the bounds of channels in the background; for all that the model states if it is the `whole`.
    fn check(&mut self, uri: &str, whole: bool) {
        let Some(document) = self.documents.get_mut(uri).filter(|document| document.promela || whole) else { return };
        document.check.cancel();
        document.check = Cancel::default();
        let job = Job {
            uri: uri.to_owned(),
            path: document.path.clone(),
            text: document.text.as_str().to_owned(),
            version: document.version,
            language: document.promela.then_some(Language::Promela),
            whole,
        };
        bounds::start(job, document.check.clone(), self.sender.clone());
    }

    fn bounds(&mut self, uri: &str, bounds: Bounds, output: &mut dyn Write) -> io::Result<()> {
        let Some(document) = self.documents.get_mut(uri) else { return Ok(()) };
        let asked = !bounds.verdicts.is_empty();
        document.bounds = bounds;
        document.dirty |= asked;
        if !asked || !self.refreshes {
            return Ok(());
        }
        transport::write(output, &json!({"jsonrpc": "2.0", "id": uri, "method": "workspace/codeLens/refresh"}))
    }

    fn answer(&mut self, method: &str, params: &Value) -> Answer {
        match method {
            "initialize" => {
                self.initialized = true;
                let refreshes = params.pointer("/capabilities/workspace/codeLens/refreshSupport");
                self.refreshes = refreshes.and_then(Value::as_bool).unwrap_or(false);
                return Ok(capabilities());
            }
            "shutdown" => {
                self.shut_down = true;
                return Ok(Value::Null);
            }
            _ if !self.initialized => return Err((NOT_INITIALIZED, String::from("`initialize` comes first"))),
            _ => {}
        }
        if method == "workspace/executeCommand" {
            let uri = params.pointer("/arguments/0").and_then(Value::as_str).ok_or_else(|| invalid("arguments"))?;
            let wanted =
                params.get("command").is_some_and(|command| command == CHECK) && self.documents.contains_key(uri);
            self.check(uri, true);
            return if wanted { Ok(Value::Null) } else { Err(invalid("command")) };
        }
        let known = [
            "textDocument/hover",
            "textDocument/definition",
            "textDocument/references",
            "textDocument/rename",
            "textDocument/documentSymbol",
            "textDocument/inlayHint",
            "textDocument/codeLens",
        ];
        if !known.contains(&method) {
            return Err((METHOD_NOT_FOUND, format!("there is no `{method}`")));
        }
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str).ok_or_else(|| invalid("uri"))?;
        let document = self.documents.get_mut(uri).ok_or_else(|| invalid("uri"))?;
        if method == "textDocument/codeLens" {
            return Ok(lenses(uri, document));
        }
        if !document.promela {
            return Ok(Value::Null);
        }
        match method {
            "textDocument/documentSymbol" => return Ok(outline(document)),
            "textDocument/inlayHint" => return Ok(hints(document)),
            _ => {}
        }
        let position = params.get("position").ok_or_else(|| invalid("position"))?;
        let offset = document.text.offset(position).ok_or_else(|| invalid("position"))?;
        document.index();
        let Document { text, index: Some(index), .. } = &*document else { return Ok(Value::Null) };
        let location = |at: &std::ops::Range<usize>| json!({"uri": uri, "range": text.range(at.start, at.end)});
        Ok(match method {
            "textDocument/hover" => hover(document, index, offset),
            "textDocument/definition" => index.resolve(offset).map_or(Value::Null, |symbol| location(&symbol.at)),
            "textDocument/references" => {
                index.resolve(offset).map_or(Value::Null, |symbol| index.uses(symbol).iter().map(location).collect())
            }
            _ => {
                let to = params.get("newName").and_then(Value::as_str).ok_or_else(|| invalid("newName"))?;
                let uses = index.renamed(offset, to).map_err(|why| (REQUEST_FAILED, why))?;
                let edit = |at: &std::ops::Range<usize>| json!({"range": text.range(at.start, at.end), "newText": to});
                json!({"changes": {uri: uses.iter().map(edit).collect::<Vec<Value>>()}})
            }
        })
    }

    fn publish(&mut self, output: &mut dyn Write) -> io::Result<()> {
        for (uri, document) in self.documents.iter_mut().filter(|(_, document)| document.dirty) {
            document.dirty = false;
            let params = json!({"uri": uri, "version": document.version, "diagnostics": diagnostics(document)});
            let message = json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params});
            transport::write(output, &message)?;
        }
        Ok(())
    }
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": true, "change": 2, "save": true},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "renameProvider": true,
            "documentSymbolProvider": true,
            "inlayHintProvider": true,
            "codeLensProvider": {"resolveProvider": false},
            "executeCommandProvider": {"commands": [CHECK]},
        },
        "serverInfo": {"name": "highwater", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// The path of a URI; what is no file keeps its name.
fn path_of(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else { return uri.to_owned() };
    let (mut bytes, path) = (Vec::new(), path.as_bytes());
    let mut at = 0;
    while at < path.len() {
        let hex = path.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| path[at] == b'%') {
            Some(byte) => {
                bytes.push(byte);
                at += 3;
            }
            None => {
                bytes.push(path[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn diagnostics(document: &Document) -> Vec<Value> {
    let language = document.promela.then_some(Language::Promela);
    let options = ReadOptions { language, ..ReadOptions::default() };
    let budget = Budget::unlimited().timeout(TIME);
    match Model::from_reader(&document.path, &mut document.text.as_str().as_bytes(), &options, &budget) {
        Ok(model) => {
            let warnings = model.warnings().iter().map(|one| diagnostic(document, one, model.sources()));
            warnings.chain(violations(document)).collect()
        }
        Err(Error::Model(unreadable) | Error::Limit { unreadable, .. }) => {
            unreadable.diagnostics.iter().map(|one| diagnostic(document, one, &unreadable.sources)).collect()
        }
        Err(Error::Language { .. }) => Vec::new(),
        Err(error) => vec![json!({
            "range": document.text.range(0, 0), "severity": 1, "source": "highwater", "message": error.to_string(),
        })],
    }
}

/// Where properties are violated, if this text was checked.
fn violations(document: &Document) -> impl Iterator<Item = Value> {
    let known = document.bounds.version == document.version;
    let own = document.bounds.violations.iter().filter(move |(span, _)| known && span.file.0 == 0);
    own.map(|(span, message)| {
        let range = document.text.range(span.start as usize, span.end as usize);
        json!({"range": range, "severity": 1, "source": "highwater", "message": message})
    })
}

/// What the front end says, at its place; what it says of another file is said at the beginning, with the place.
fn diagnostic(document: &Document, one: &Diagnostic, sources: &SourceMap) -> Value {
    let own = |span: Span| span.file.0 == 0;
    let here = own(one.primary.span);
    let place = if here { String::new() } else { format!("{}: ", sources.describe(one.primary.span)) };
    let mut message = format!("{place}{}", one.message);
    for line in one.help.iter().chain(Some(&one.primary.text).filter(|text| !text.is_empty())) {
        message += &format!("\n{line}");
    }
    let range = |span: Span| document.text.range(span.start as usize, span.end as usize);
    let related: Vec<Value> = one
        .secondary
        .iter()
        .filter(|label| own(label.span))
        .map(|label| json!({"location": {"uri": format!("file://{}", document.path), "range": range(label.span)}, "message": label.text}))
        .collect();
    json!({
        "range": if here { range(one.primary.span) } else { document.text.range(0, 0) },
        "severity": if one.is_error() { 1 } else { 2 },
        "code": one.code,
        "source": "highwater",
        "message": message,
        "relatedInformation": related,
    })
}

fn hover(document: &Document, index: &Index, offset: usize) -> Value {
    let (Some(symbol), Some(at)) = (index.resolve(offset), index.name_at(offset)) else { return Value::Null };
    let mut text = format!("```promela\n{}\n```", index.declaration(symbol));
    for (name, bound) in bounds_of(document, symbol) {
        let stale = if document.bounds.version == document.version { "" } else { " (before the last edits)" };
        text += &format!("\n\n`{name}` holds {bound} messages, whatever its capacity{stale}");
    }
    json!({"contents": {"kind": "markdown", "value": text}, "range": document.text.range(at.start, at.end)})
}

/// The bounds of the channels that a declaration makes: `q`, or `q[0]`, `q[1]`; of local ones `P[0]:q`.
fn bounds_of<'d>(document: &'d Document, symbol: &Symbol) -> Vec<(&'d str, &'d str)> {
    if symbol.kind != Kind::Channel {
        return Vec::new();
    }
    let declared = |full: &str| {
        let local = full.contains(':');
        let name = full.rsplit(':').next().unwrap_or(full);
        name.split('[').next() == Some(symbol.name.as_str()) && local == symbol.scope.is_some()
    };
    let channels = document.bounds.channels.iter().filter(|(name, _)| declared(name));
    channels.map(|(name, bound)| (name.as_str(), bound.as_str())).collect()
}

fn outline(document: &mut Document) -> Value {
    document.index();
    let Document { text, index: Some(index), .. } = &*document else { return Value::Null };
    let item = |symbol: &Symbol, children: Vec<Value>| {
        json!({
            "name": symbol.name, "kind": symbol.kind.symbol(), "detail": index.declaration(symbol),
            "range": text.range(symbol.whole.start.min(symbol.at.start), symbol.whole.end.max(symbol.at.end)),
            "selectionRange": text.range(symbol.at.start, symbol.at.end), "children": children,
        })
    };
    let inside = |outer: &Symbol, inner: &Symbol| {
        inner.scope.as_ref().is_some_and(|scope| outer.whole.start <= scope.start && scope.end <= outer.whole.end)
    };
    let with_children = |symbol: &Symbol| {
        let holds = matches!(symbol.kind, Kind::Process | Kind::Inline);
        let inner = index.symbols.iter().filter(|inner| holds && inside(symbol, inner));
        item(symbol, inner.map(|inner| item(inner, Vec::new())).collect())
    };
    index.symbols.iter().filter(|symbol| symbol.scope.is_none()).map(with_children).collect()
}

/// At the first line, the command that checks the model, and what it found last.
fn lenses(uri: &str, document: &Document) -> Value {
    let range = document.text.range(0, 0);
    let Bounds { version, verdicts, .. } = &document.bounds;
    let stale = if *version == document.version { "" } else { " (before the last edits)" };
    let mark = |verdict: &str| match verdict {
        "proved" => "✔",
        "violated" => "✘",
        _ => "?",
    };
    let words: Vec<String> = verdicts.iter().map(|(name, verdict)| format!("{} {name}", mark(verdict))).collect();
    let mut lenses = vec![json!({"range": range, "command": {"title": "check", "command": CHECK, "arguments": [uri]}})];
    if !words.is_empty() {
        let title = words.join("  ") + stale;
        lenses.push(json!({"range": range, "command": {"title": title, "command": CHECK, "arguments": [uri]}}));
    }
    Value::Array(lenses)
}

/// Bounds behind the names of channels; none after an edit.
fn hints(document: &mut Document) -> Value {
    document.index();
    let Document { text, index: Some(index), bounds, version, .. } = &*document else { return Value::Null };
    if bounds.version != *version {
        return json!([]);
    }
    let hint = |symbol: &Symbol| {
        let found = bounds_of(document, symbol);
        let (_, first) = found.first()?;
        let words = if found.iter().all(|(_, bound)| bound == first) { first } else { "different bounds" };
        Some(json!({"position": text.position(symbol.at.end), "label": format!(" {words}"), "paddingLeft": true}))
    };
    index.symbols.iter().filter_map(hint).collect()
}
