//! The explorer in a browser: its walks are those of the simulator, and its server answers no other page.

use crate::browser::{Browser, scratch};
use highwater::settings::{Channels, ReadOptions};
use highwater::simulate::{SimulateOptions, replay};
use highwater::walk::walk;
use highwater::{Model, Style};
use model::chart::StepKey;
use model::random::Random;
use model::source::SourceMap;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use web::explorer::{Explored, Here, Server};

struct Viewed(Model);

impl Explored for Viewed {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn sources(&self) -> &SourceMap {
        self.0.sources()
    }
    fn walk(&self, steps: &[StepKey]) -> Result<Here, String> {
        let here = walk(&self.0, Channels::Declared, steps).map_err(|error| error.to_string())?;
        let enabled = here.enabled.into_iter().map(|one| (one.key, one.words, one.fault)).collect();
        Ok(Here { chart: here.chart, enabled, variables: here.variables, channels: here.channels })
    }
    fn violations(&self) -> Result<Vec<(String, Vec<StepKey>)>, String> {
        Ok(Vec::new())
    }
    fn trace(&self, steps: &[StepKey]) -> Result<String, String> {
        Ok(walk(&self.0, Channels::Declared, steps).map_err(|error| error.to_string())?.trace(&self.0))
    }
}

/// Serves a model for as long as the tests run; the file, and the address.
fn served(name: &str, text: &str) -> (PathBuf, String) {
    let file = scratch(name);
    std::fs::write(&file, text).unwrap();
    let model = Model::read_with(&file, &ReadOptions::default(), &highwater::Budget::unlimited()).unwrap();
    let server = Server::new(0).unwrap();
    let address = server.address();
    std::thread::spawn(move || server.serve(&Viewed(model)));
    (file, address)
}

const MODEL: &str = "mtype = { req, ack }; chan q = [2] of { mtype, byte }, r = [0] of { byte }; byte x;
    active proctype P() { byte n; do :: q!req(n) -> n = (n + 1) % 3 :: r?x :: atomic { x > 1 -> x = 0; n = 0 } od }
    active proctype Q() { byte m; do :: q?req(m) -> r!m :: q??req(2) -> skip od }";

/// Sends a request as it is; the code of the answer.
fn code(address: &str, request: &str) -> u16 {
    let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer.split_whitespace().nth(1).map_or(0, |code| code.parse().unwrap())
}

#[test]
fn only_its_own_page_is_answered() {
    let (_, address) = served("refused.pml", MODEL);
    let (host, rest) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let token = rest.trim_end_matches('/');
    assert!(host.starts_with("127.0.0.1:") && token.len() == 32, "{address}");
    let get = |path: &str, host: &str, more: &str| {
        code(&address, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"))
    };
    let own = format!("/{token}/");
    assert_eq!(get(&own, host, ""), 200);
    assert_eq!(get(&own, host, &format!("Origin: http://{host}\r\n")), 200);
    for path in ["/", "/walk", "/00000000000000000000000000000000/", "//", &format!("/{token}")] {
        assert_eq!(get(path, host, ""), 403, "{path}");
    }
    assert_eq!(get(&own, "evil.example:80", ""), 403);
    assert_eq!(get(&own, host, "Origin: http://evil.example\r\n"), 403);
    assert_eq!(get(&own, host, "Origin: null\r\n"), 403);
    for path in ["../../etc/passwd", "walk", "%2e%2e/", "refused.pml"] {
        assert_eq!(get(&format!("{own}{path}"), host, ""), 404, "{path}");
    }
    let post = |body: &str| {
        code(
            &address,
            &format!("POST {own}walk HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
        )
    };
    assert_eq!((post("[]"), post("[{\"edge\":[0,99]}]"), post("nonsense"), post("")), (200, 422, 422, 422));
    assert_eq!(code(&address, "\r\n\r\n"), 400);
    assert_eq!(
        code(&address, &format!("POST {own}walk HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999\r\n\r\n")),
        400
    );
    assert_eq!(get(&own, host, ""), 200);
}

/// Waits until the page has walked so many steps.
fn reached(browser: &mut Browser, steps: usize) {
    let look = format!(
        "new Promise(done => {{ const look = () => document.body.dataset.steps === '{steps}' ? done(1) : setTimeout(look, 3); look() }})"
    );
    browser.value(&look);
}

#[test]
fn walks_in_the_browser_are_those_of_the_simulator() {
    let Some(mut browser) = Browser::start() else { return };
    let (file, address) = served("walked.pml", MODEL);
    browser.open(&address);
    reached(&mut browser, 0);
    let mut random = Random::new(7);
    let options = SimulateOptions {
        seed: None,
        steps: 0,
        channels: Channels::Declared,
        bad: Vec::new(),
        columns: Vec::new(),
        style: Style::PLAIN,
    };
    for _ in 0..testing::seeds(12) {
        browser.press("Home");
        reached(&mut browser, 0);
        for step in 1..=8 {
            let count = browser.value("document.querySelectorAll('.take').length").as_u64().unwrap() as usize;
            assert!(count > 0);
            let chosen = random.scaled(count.min(9)) + 1;
            browser.press(&chosen.to_string());
            reached(&mut browser, step);
        }
        let trace = browser.value(
            "fetch('trace', { method: 'POST', body: JSON.stringify(window.walked()) }).then(answer => answer.text())",
        );
        let mut printed = Vec::new();
        assert_eq!(replay(&file, trace.as_str().unwrap(), &ReadOptions::default(), &options, &mut printed).unwrap(), 0);
        let printed = String::from_utf8(printed).unwrap();
        assert!(printed.contains("replayed 8 steps"), "{printed}");
        let labels = browser.value("[...document.querySelectorAll('.chart .label')].map(label => label.textContent)");
        let held = browser.value(
            "[...document.querySelectorAll('.stack')].filter(s => s.dataset.channel === 'q').map(s => \
             [...s.querySelectorAll('.chip')].map(c => c.textContent).join(' '))[0] ?? ''",
        );
        let rows: Vec<&str> = printed.lines().filter(|line| line.contains("walked.pml:")).take(8).collect();
        assert_eq!((rows.len(), labels.as_array().unwrap().len()), (8, 8), "{printed}");
        for (row, label) in rows.iter().zip(labels.as_array().unwrap()) {
            assert!(row.contains(label.as_str().unwrap()), "{row} against {label}");
        }
        let last = rows.iter().rev().find_map(|row| row.split_once("q |").map(|(_, held)| held.trim().to_owned()));
        assert_eq!(held, json!(last.unwrap_or_default()), "{printed}");
    }
}

#[test]
fn steps_are_undone_and_taken_again() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, address) = served("undone.pml", MODEL);
    browser.open(&address);
    reached(&mut browser, 0);
    let channels = browser.value("[...document.querySelectorAll('.stack')].map(s => s.dataset.channel)");
    assert_eq!(channels, json!(["q"]));
    let state = "[document.querySelector('.values').textContent, [...document.querySelectorAll('.take')].map(t => t.textContent)]";
    let mut seen: Vec<Value> = vec![browser.value(state)];
    for step in 1..=4 {
        browser.press("1");
        reached(&mut browser, step);
        seen.push(browser.value(state));
    }
    for step in (0..4).rev() {
        browser.press("u");
        reached(&mut browser, step);
        assert_eq!(browser.value(state), seen[step]);
    }
    let asked = browser.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
    for event in asked {
        let to = event["params"]["request"]["url"].as_str().unwrap();
        assert!(to.starts_with(&address) || to == "about:blank" || to.starts_with("data:"), "{to}");
    }
}

/// The time that this thread has had a processor, which does not depend on what else the machine does; the wall clock where
/// the system does not say.
fn processor_time(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|number| number.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

#[test]
fn a_step_of_a_hundred_processes_takes_less_than_50_ms() {
    let text =
        "chan q[100] = [2] of { byte }; active [100] proctype P() { byte n; do :: q[_pid]!n :: q[_pid]?n -> n++ od }";
    let model = Model::from_text("hundred.pml", text).unwrap();
    let mut steps = Vec::new();
    let (mut quickest, start) = (Duration::MAX, Instant::now());
    for round in 0..60 {
        let before = processor_time(start);
        let here = walk(&model, Channels::Declared, &steps).unwrap();
        if round > 40 {
            quickest = quickest.min(processor_time(start) - before);
        }
        steps.push(here.enabled[round * 7 % here.enabled.len()].key.clone());
    }
    assert!(quickest < Duration::from_millis(50), "{quickest:?}");
}
