//! A real browser, driven over the DevTools protocol: a small client for its websocket.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One browser at a time: the machines that run tests are small.
static TURN: Mutex<()> = Mutex::new(());
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// A browser with one page.
pub struct Browser {
    process: Child,
    socket: BufReader<TcpStream>,
    session: Option<String>,
    last: u64,
    /// What the page has asked the network for since the start, and what it complained of.
    pub events: Vec<Value>,
    folder: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

/// A place for files of these tests.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

impl Browser {
    /// Starts Chromium; `None`, with a visible line, where there is none.
    pub fn start() -> Option<Browser> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = scratch(&format!("profile-{}-{number}", std::process::id()));
        let profile = format!("--user-data-dir={}", folder.display());
        let mut command = Command::new("chromium");
        let flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
                     --disable-component-update --disable-sync --hide-scrollbars --remote-debugging-port=0 \
                     --window-size=1400,1000 about:blank";
        command.arg(profile).args(flags.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped());
        let Ok(mut process) = command.spawn() else {
            let _ = writeln!(std::io::stderr(), "SKIPPED: chromium is not installed, the page is not tested");
            return None;
        };
        let mut lines = BufReader::new(process.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).unwrap() > 0, "chromium ended");
            if let Some(address) = line.trim().strip_prefix("DevTools listening on ws://") {
                break address.to_owned();
            }
        };
        // Nobody reads what it says from now on, but it must be able to say it.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        let (host, path) = address.split_once('/').unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let mut socket = BufReader::new(stream);
        let handshake = format!(
            "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        );
        socket.get_mut().write_all(handshake.as_bytes()).unwrap();
        loop {
            let mut line = String::new();
            socket.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
        }
        let (session, events) = (None, Vec::new());
        let mut browser = Browser { process, socket, session, last: 0, events, folder, _turn: turn };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.send(&message.to_string());
        loop {
            let answer: Value = serde_json::from_slice(&self.receive()).unwrap();
            if answer["id"] == json!(self.last) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// A frame of text, masked with zeros.
    fn send(&mut self, text: &str) {
        let mut frame = vec![0x81];
        match text.len() {
            short @ 0..126 => frame.push(0x80 | short as u8),
            middle @ 126..65536 => {
                frame.push(0x80 | 126);
                frame.extend((middle as u16).to_be_bytes());
            }
            long => {
                frame.push(0x80 | 127);
                frame.extend((long as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.socket.get_mut().write_all(&frame).unwrap();
    }

    /// A message, of one frame or several.
    fn receive(&mut self) -> Vec<u8> {
        let mut message = Vec::new();
        loop {
            let mut head = [0; 2];
            self.socket.read_exact(&mut head).unwrap();
            let length = match head[1] & 0x7f {
                126 => {
                    let mut bytes = [0; 2];
                    self.socket.read_exact(&mut bytes).unwrap();
                    u64::from(u16::from_be_bytes(bytes))
                }
                127 => {
                    let mut bytes = [0; 8];
                    self.socket.read_exact(&mut bytes).unwrap();
                    u64::from_be_bytes(bytes)
                }
                short => u64::from(short),
            };
            let mut payload = vec![0; length as usize];
            self.socket.read_exact(&mut payload).unwrap();
            if head[0] & 0x0f <= 2 {
                message.extend(payload);
                if head[0] & 0x80 != 0 {
                    return message;
                }
            }
        }
    }

    /// The value of an expression on the page; promises are awaited.
    pub fn value(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", params);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Opens a page, and waits until it is drawn.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        let drawn = "new Promise(done => { const look = () => document.readyState === 'complete' && \
                     (!document.getElementById('data') || document.querySelector('.detail')?.childElementCount) ? done(1) : \
                     setTimeout(look, 5); look() })";
        self.value(drawn);
        self.settle();
    }

    /// A measurement of the page, by its name.
    pub fn metric(&mut self, name: &str) -> f64 {
        let answer = self.call("Performance.getMetrics", json!({}));
        let metrics = answer["metrics"].as_array().unwrap();
        metrics.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64().unwrap()
    }

    /// Writes a page and opens it.
    pub fn show(&mut self, name: &str, page: &str) {
        let file = scratch(name);
        std::fs::write(&file, page).unwrap();
        self.open(&format!("file://{}", file.display()));
    }

    /// Waits for two frames.
    pub fn settle(&mut self) {
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "text": text }));
        }
        self.settle();
    }

    /// How large the window is.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        self.settle();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
