//! How long the engine for unbounded queues takes: for bars that were set, with the goal beside the figure; for
//! the protocols of Fig. 10 of the McScM paper; and how far it goes on those that grow: pipelines, lock servers, token ring,
//! sliding window, Peterson.
//!
//! Writes `benches/FIFO.md`.
//!
//! ```text
//! cargo bench -p highwater-cli --bench fifo             # some minutes
//! cargo bench -p highwater-cli --bench fifo -- quick    # a few seconds for each size
//! ```
//!
//! The program is asked as a user asks it: with its defaults, on one thread. A proof is checked before it counts, and
//! that is part of the time, which is that of the processor (user and system). After a size for
//! which the time was not enough, larger ones are not tried.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Protocols that differ in size only.
struct Family {
    title: &'static str,
    size: &'static str,
    text: fn(usize) -> String,
    sizes: &'static [usize],
}

const FAMILIES: [Family; 7] = [
    Family { title: "Pipeline", size: "stages", text: scm::families::pipeline, sizes: &[2, 5, 12, 50, 200] },
    Family {
        title: "Lock server with one mailbox",
        size: "clients",
        text: scm::families::lock_server,
        sizes: &[2, 4, 8, 16, 24],
    },
    Family {
        title: "Lock server whose clients do not wait",
        size: "clients",
        text: scm::families::impatient_lock_server,
        sizes: &[2, 4, 8, 16, 24],
    },
    Family { title: "Token ring", size: "processes", text: scm::families::token_ring, sizes: &[4, 8, 16, 32, 64] },
    Family {
        title: "Sliding window, forty packets",
        size: "window",
        text: |window| scm::families::sliding_window(40, window),
        sizes: &[1, 2, 5, 10, 20, 40],
    },
    Family {
        title: "Sliding window of four",
        size: "packets",
        text: |packets| scm::families::sliding_window(packets, 4),
        sizes: &[10, 100, 1000, 5000, 10_000],
    },
    Family {
        title: "Peterson's election",
        size: "peers",
        text: scm::families::peterson,
        sizes: &[3, 4, 5, 6, 7, 8, 9, 10],
    },
];

/// What came out for one size.
struct Row {
    size: String,
    seconds: f64,
    result: Value,
}

impl Row {
    fn is_proved(&self) -> bool {
        self.result["verdict"] == "proved"
    }

    fn text(&self) -> String {
        let stats = &self.result["stats"];
        let count = |name: &str| stats[name].as_u64().unwrap_or(0);
        let reached = self.result["certificate"]["control_states"].as_u64();
        let reached = reached.map_or_else(|| String::from("–"), |count| count.to_string());
        let verdict = match self.result["verdict"].as_str() {
            Some("inconclusive") => self.result["reason"].as_str().unwrap_or("?"),
            other => other.unwrap_or("?"),
        };
        let method = stats["method"].as_str().unwrap_or("–");
        let (looked_at, sets, mebibytes) = (count("control_states"), count("queue_sets"), count("memory_bytes") >> 20);
        format!(
            "| {} | {verdict} | {:.2} | {reached} | {looked_at} | {sets} | {mebibytes} | {method} |\n",
            self.size, self.seconds
        )
    }
}

/// The CPU time of all programs that were run so far. (Linux; 0 elsewhere.)
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(13).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn measure(family: &Family, size: usize, most: u64) -> Row {
    let file = std::env::temp_dir().join(format!("highwater-fifo-{}-{size}.scm", std::process::id()));
    std::fs::write(&file, (family.text)(size)).expect("the folder for temporary files can be written");
    let row = measure_file(&file, size.to_string(), most, &["-p", "safety"]);
    let _ = std::fs::remove_file(&file);
    row
}

fn measure_file(file: &Path, size: String, most: u64, more: &[&str]) -> Row {
    let start = cpu();
    let output = Command::new(env!("CARGO_BIN_EXE_highwater"))
        .args(["check", "--format", "json", "--jobs", "1", "--timeout", &format!("{most}s")])
        .args(more)
        .arg(file)
        .output()
        .expect("the program runs");
    let seconds = cpu() - start;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Row { size, seconds, result: document["results"][0].clone() }
}

/// What was to be reached: a name, the text, what is asked, and the seconds that it may take.
struct Bar {
    name: String,
    extension: &'static str,
    text: String,
    ask: Vec<String>,
    goal: f64,
}

impl Bar {
    fn scm(name: String, text: String, goal: f64) -> Bar {
        Bar { name, extension: "scm", text, ask: vec![String::from("-p"), String::from("safety")], goal }
    }

    fn row(&self, most: u64) -> String {
        let file = std::env::temp_dir().join(format!("highwater-bar-{}.{}", std::process::id(), self.extension));
        std::fs::write(&file, &self.text).expect("the folder for temporary files can be written");
        let ask: Vec<&str> = self.ask.iter().map(String::as_str).collect();
        let Row { seconds, result, .. } = measure_file(&file, self.name.clone(), most, &ask);
        let _ = std::fs::remove_file(&file);
        let word = |value: &Value| value.as_str().unwrap_or("–").to_owned();
        let (verdict, kind) = (word(&result["verdict"]), word(&result["certificate"]["kind"]));
        format!("| {} | {verdict} | {kind} | {} | **{seconds:.2}** |\n", self.name, self.goal)
    }
}

/// A lock server, and clients without end that ask again while they wait.
const CLIENTS: &str = "mtype = { request, release, grant, deny };
chan mail = [8] of { mtype }; chan out = [8] of { mtype };
byte lent;
proctype client() { do :: mail!request; do :: mail!request :: out?grant -> lent++; lent--; mail!release; break \
  :: out?deny -> break od od }
active proctype server() { do :: mail?request -> out!grant; do :: mail?request -> out!deny :: mail?release -> break od od }
init { do :: run client() :: break od }
";

const ENDLESS: &str = "chan c = [2] of { byte }; chan d = [2] of { byte };
active proctype P() { do :: c!1; c!2; d?1 :: c!1 od }
active proctype Q() { byte x; do :: c?x; if :: x == 2 -> d!1 :: else fi od }
";

fn bars(most: u64) -> String {
    let mut bars = vec![
        Bar::scm(String::from("pipeline of 12 stages"), scm::families::pipeline(12), 10.0),
        Bar::scm(String::from("lock server, 8 clients"), scm::families::lock_server(8), 10.0),
        Bar::scm(String::from("the same with clients that do not wait"), scm::families::impatient_lock_server(8), 10.0),
        Bar::scm(String::from("token ring of 64"), scm::families::token_ring(64), 2.0),
    ];
    let variants = [
        (2, None),
        (3, None),
        (4, None),
        (5, None),
        (2, Some(2)),
        (2, Some(3)),
        (2, Some(5)),
        (3, Some(2)),
        (3, Some(3)),
        (4, Some(2)),
        (4, Some(3)),
    ];
    bars.extend(variants.map(|(k, modulus)| {
        let modulo = modulus.map_or_else(String::new, |modulus| format!(" modulo {modulus}"));
        Bar::scm(format!("{k} queues equally long{modulo}"), scm::families::equal_queues(k, modulus), 1.0)
    }));
    let finite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/kmc/ex-benchmark.cfsm");
    if let Ok(text) = std::fs::read_to_string(finite) {
        let ask = vec![String::from("-p"), String::from("deadlock,reception,orphan")];
        let name = String::from("50,653 configurations (KMC's `ex-benchmark`), three properties");
        bars.push(Bar { name, extension: "cfsm", text, ask, goal: 2.0 });
    }
    let philosophers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/kmc/philo.cfsm");
    if let Ok(text) = std::fs::read_to_string(philosophers) {
        let ask = vec![String::from("-p"), String::from("partial-deadlock")];
        bars.push(Bar {
            name: String::from("KMC's `philo`, partial deadlock"),
            extension: "cfsm",
            text,
            ask,
            goal: 1.0,
        });
    }
    let unbounded = |asked: &str| ["-p", asked, "--channels", "unbounded"].map(String::from).to_vec();
    let asserted = ENDLESS.replace("d!1", "assert(len(d) == 0); d!1");
    for (name, text, asked) in [
        ("lock server, any number of clients, `[] (lent <= 1)`, Promela", CLIENTS, "ltl:[] (lent <= 1)"),
        ("`[] (len(d) <= 1)`, Promela", ENDLESS, "ltl:[] (len(d) <= 1)"),
        ("`[] !(d?[2])`, Promela", ENDLESS, "ltl:[] !(d?[2])"),
        ("the same model, safety", ENDLESS, "safety"),
        ("`assert(len(d) == 0)`, Promela", asserted.as_str(), "safety"),
    ] {
        let name = String::from(name);
        bars.push(Bar { name, extension: "pml", text: text.to_owned(), ask: unbounded(asked), goal: 1.0 });
    }
    let mut text = String::from(
        "\n## Bars\n\nSeconds of CPU time, beside the goal.\n\n\
         | what | verdict | certificate | goal | CPU seconds |\n| --- | --- | --- | ---: | ---: |\n",
    );
    for bar in bars {
        let row = bar.row(most);
        print!("{row}");
        text += &row;
    }
    text
}

/// The protocols of the paper's figure 10, with the best and the worst setting of its tool there, in seconds.
const FIGURE_10: [(&str, &str, &str); 11] = [
    ("alternating-bit", "0.25", "1.28"),
    ("cd", "0.00", "0.02"),
    ("nested", "0.43", "13.85"),
    ("non-regular", "0.01", "0.03"),
    ("peterson", "0.53", "499.52"),
    ("tcp", "0.25", "> 1 h"),
    ("server-two-clients", "4.81", "> 1 h"),
    ("token-ring", "0.49", "79.79"),
    ("sliding-window", "0.50", "48.54"),
    ("brp", "1.59", "> 1 h"),
    ("pop3", "0.38", "> 1 h"),
];

fn figure_10(most: u64) -> String {
    let mut text = String::from(
        "\n## The protocols of Fig. 10\n\nThe files of `examples/scm`. The last two columns are the paper's: its best and \
         its worst setting, for its own models of the same protocols.\n\n\
         | protocol | verdict | seconds | control states | looked at | queue sets | MiB | answered by | paper, best | worst |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: |\n",
    );
    for (name, best, worst) in FIGURE_10 {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/scm/{name}.scm"));
        let row = measure_file(&file, name.to_owned(), most, &["-p", "safety"]).text();
        print!("{row}");
        let _ = writeln!(text, "{} {best} | {worst} |", row.trim_end());
    }
    text
}

fn section(family: &Family, most: u64) -> String {
    let mut text = format!("\n## {}\n\n", family.title);
    let size = family.size;
    let _ =
        writeln!(text, "| {size} | verdict | seconds | control states | looked at | queue sets | MiB | answered by |");
    text += "| ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |\n";
    for &size in family.sizes {
        let row = measure(family, size, most);
        print!("{}: {}", family.title, row.text());
        text += &row.text();
        if !row.is_proved() {
            break;
        }
    }
    text
}

fn main() {
    let quick = std::env::args().any(|a| a == "quick");
    let most = if quick { 5 } else { 60 };
    let mut text = String::from("# Protocols over unbounded queues\n\n");
    let _ = writeln!(
        text,
        "Measured in one run on one machine by `benches/fifo.rs`: `check -p safety --jobs 1`, {most} seconds at most for \
         each size, reading and the check of the proof included, in seconds of CPU time. *Control states* are those of the invariant, *looked \
         at* those of the product that the engine came to; *MiB* is the engine's own estimate for its sets."
    );
    text += &bars(most);
    text += &figure_10(most);
    for family in &FAMILIES {
        text += &section(family, most);
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/FIFO.md");
    match std::fs::write(&page, text) {
        Ok(()) => println!("written: {}", page.display()),
        Err(error) => eprintln!("{}: {error}", page.display()),
    }
}
