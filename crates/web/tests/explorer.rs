//! The explorer in a browser: its walks are those of the simulator, and its server answers no other page.

#![allow(clippy::print_stdout)]

use crate::browser::{Browser, scratch};
use highwater::settings::{Channels, ReadOptions};
use highwater::simulate::{SimulateOptions, replay};
use highwater::walk::walk;
use highwater::{Model, Style};
use model::around::Around;
use model::chart::StepKey;
use model::source::SourceMap;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
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
    fn around(&self, steps: &[StepKey]) -> Result<Around, String> {
        highwater::walk::around(&self.0, Channels::Declared, steps).map_err(|error| error.to_string())
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

/// What a page shows of a state: the rows of the chart, the queues, the variables, the steps that can be taken.
const SHOWN: &str = "({ rows: [...document.querySelectorAll('.chart .label')].map(l => l.textContent), \
    queues: [...document.querySelectorAll('.stack')].map(s => [s.dataset.channel, [...s.querySelectorAll('.chip')].map(c => c.textContent)]), \
    values: [...document.querySelectorAll('.values tr')].map(r => [r.querySelector('th').textContent, r.querySelector('td').textContent]), \
    enabled: [...document.querySelectorAll('.take')].map(t => [[...t.querySelectorAll('.lane-name')].map(l => l.textContent), t.querySelector('code').textContent]), \
    trace: null })";

/// Walks at random by the keys of the page, and asks for the trace of each walk.
const WALKS: &str = "(async (walks, steps, seed) => {
    const shown = () => (SHOWN), found = [];
    const at = count => new Promise(done => { const look = () => document.body.dataset.steps === String(count) ? done() : setTimeout(look, 0); look(); });
    const press = key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const random = bound => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % bound; };
    for (let walk = 0; walk < walks; walk++) {
        press('Home');
        await at(0);
        let taken = 0;
        while (taken < steps) {
            const count = document.querySelectorAll('.take').length;
            if (!count) break;
            press(String(1 + random(Math.min(9, count))));
            await at(++taken);
        }
        const answer = await fetch('trace', { method: 'POST', body: JSON.stringify(window.walked()) });
        found.push({ ...shown(), taken, trace: await answer.text() });
    }
    return found;
})";

/// What `simulate --replay` prints of a trace, and what the simulator says of the state that it leads to.
fn compared(file: &Path, walked: &Value, options: &SimulateOptions) {
    let trace = walked["trace"].as_str().unwrap();
    let mut printed = Vec::new();
    assert_eq!(replay(file, trace, &ReadOptions::default(), options, &mut printed).unwrap(), 0);
    let printed = String::from_utf8(printed).unwrap();
    let taken = walked["taken"].as_u64().unwrap() as usize;
    assert!(printed.contains(&format!("replayed {taken} steps")), "{printed}");
    let name = format!("{}:", file.file_name().unwrap().to_str().unwrap());
    let rows: Vec<&str> = printed.lines().filter(|line| line.contains(&name)).take(taken).collect();
    let labels = walked["rows"].as_array().unwrap();
    assert_eq!((rows.len(), labels.len()), (taken, taken), "{printed}");
    for (row, label) in rows.iter().zip(labels) {
        assert!(row.contains(label.as_str().unwrap()), "{row} against {label}");
    }
    // The last contents of each queue that the printed run has are those of the page.
    for queue in walked["queues"].as_array().unwrap() {
        let mark = format!("{} |", queue[0].as_str().unwrap());
        let last = rows.iter().rev().find_map(|row| row.split_once(&mark).map(|(_, held)| held.trim().to_owned()));
        let held: Vec<&str> = queue[1].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        let last = last.unwrap_or_default();
        assert!(
            last == held.join(" ") || last.starts_with(&(held.join(" ") + "  ")),
            "{last} against {held:?}\n{printed}"
        );
    }
    // The state and its steps, from a model and a trace that are read again.
    let model = Model::read_with(file, &ReadOptions::default(), &highwater::Budget::unlimited()).unwrap();
    let steps: Value = serde_json::from_str(trace).unwrap();
    let steps: Vec<StepKey> = steps["witness"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| serde_json::from_value(step["step"].clone()).unwrap())
        .collect();
    let here = walk(&model, Channels::Declared, &steps).unwrap();
    let values: Vec<[String; 2]> = here.variables.iter().map(|one| [one.name.clone(), one.value.clone()]).collect();
    assert_eq!(walked["values"], json!(values), "{printed}");
    let enabled: Vec<Value> = here
        .enabled
        .iter()
        .map(|one| {
            let lanes: Vec<String> = one.words.moves.iter().map(|m| here.chart.lane_name(m.lane)).collect();
            json!([lanes, one.words.event])
        })
        .collect();
    assert_eq!(walked["enabled"], json!(enabled), "{printed}");
}

/// Twelve walks by default; `HIGHWATER_SEEDS=1000` makes a thousand.
#[test]
fn walks_in_the_browser_are_those_of_the_simulator() {
    let Some(mut browser) = Browser::start() else { return };
    let (file, address) = served("walked.pml", MODEL);
    browser.open(&address);
    reached(&mut browser, 0);
    let options = SimulateOptions {
        seed: None,
        steps: 0,
        channels: Channels::Declared,
        bad: Vec::new(),
        columns: Vec::new(),
        style: Style::PLAIN,
    };
    let (walks, at_once) = (testing::seeds(12), 20);
    for first in (0..walks).step_by(at_once as usize) {
        let count = at_once.min(walks - first);
        let call = format!("{}({count}, 8, {})", WALKS.replace("SHOWN", SHOWN), 7 + first);
        let found = browser.value(&call);
        assert_eq!(found.as_array().unwrap().len() as u64, count);
        found.as_array().unwrap().iter().for_each(|walked| compared(&file, walked, &options));
    }
}

#[test]
fn the_states_around_the_walk_are_a_graph_that_can_be_walked() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, address) = served("around.pml", MODEL);
    browser.open(&address);
    reached(&mut browser, 0);
    let graph = "new Promise(done => { const look = () => document.querySelector('.states .state.here') ? done([document.querySelectorAll('.states .state').length, \
        document.querySelectorAll('.way').length, document.querySelectorAll('.states .state.passed').length]) : setTimeout(look, 5); look() })";
    let first = browser.value(graph);
    assert!(first[0].as_u64().unwrap() > 3 && first[1].as_u64().unwrap() >= first[0].as_u64().unwrap() - 1, "{first}");
    // The nearest states are what the enabled steps lead to: a click on one is a step.
    let click =
        "document.querySelector('.state[data-column=\"1\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))";
    browser.value(click);
    reached(&mut browser, 1);
    let second = browser.value(
        "new Promise(done => { const look = () => document.querySelectorAll('.states .state.passed').length === 2 ? done(1) : setTimeout(look, 5); look() })",
    );
    assert_eq!(second, json!(1));
    // And the state behind it is where the walk came from.
    browser.value("document.querySelector('.state[data-column=\"-1\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    reached(&mut browser, 0);
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
    // Without its page, the server goes on.
    drop(browser);
    let (host, rest) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert_eq!(code(&address, &format!("GET /{rest} HTTP/1.1\r\nHost: {host}\r\n\r\n")), 200);
}

/// The time that this thread has had a processor, which does not depend on what else the machine does; the wall clock where
/// the system does not say.
fn processor_time(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|number| number.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

const HUNDRED: &str =
    "chan q[100] = [2] of { byte }; active [100] proctype P() { byte n; do :: q[_pid]!n :: q[_pid]?n -> n++ od }";

/// From the key to the frame that shows the new state. The time on the wall depends on what else the machine does, and is
/// printed; what must hold is the processor time of the page's thread, which includes the graph of states.
#[test]
fn a_step_of_a_hundred_processes_is_on_the_page_within_50_ms() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, address) = served("hundred.pml", HUNDRED);
    browser.open(&address);
    reached(&mut browser, 0);
    browser.call("Performance.enable", json!({ "timeDomain": "threadTicks" }));
    let before = browser.metric("TaskDuration");
    let times = browser.value(
        "(async () => {
        const times = [], frame = () => new Promise(done => requestAnimationFrame(done));
        for (let step = 1; step <= 40; step++) {
            await new Promise(done => setTimeout(done, 60));
            await frame();
            const start = performance.now();
            document.body.dispatchEvent(new KeyboardEvent('keydown', { key: String(1 + step % 9), bubbles: true }));
            while (document.body.dataset.steps !== String(step)) await new Promise(done => setTimeout(done, 0));
            await frame();
            times.push(performance.now() - start);
        }
        return times.sort((a, b) => a - b);
    })()",
    );
    let times: Vec<f64> = times.as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
    let processor = (browser.metric("TaskDuration") - before) * 1000.0 / 40.0;
    println!("a step takes {:.0} to {:.0} ms, half of them at most {:.0} ms", times[0], times[39], times[20]);
    println!("{processor:.1} ms of processor time in the page");
    assert!(processor > 0.0 && processor < 50.0, "{processor} ms");
}

#[test]
fn a_step_of_a_hundred_processes_takes_less_than_50_ms() {
    let model = Model::from_text("hundred.pml", HUNDRED).unwrap();
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
