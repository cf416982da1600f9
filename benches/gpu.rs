//! How fast a GPU searches eight models, against SPIN's verifier on one core of the same machine.
//!
//! Writes `benches/GPU.md`.
//!
//! ```text
//! cargo bench -p highwater-cli --bench gpu                    # a GPU, SPIN and a C compiler
//! cargo bench -p highwater-cli --bench gpu -- prepare DIR     # SPIN's verifiers as C, where there is SPIN
//! cargo bench -p highwater-cli --bench gpu -- measure DIR     # with these, where there is a GPU and a C compiler
//! cargo bench -p highwater-cli --bench gpu -- compare DIR     # many models, where there is a GPU; `measure` comes first
//! ```
//!
//! `HIGHWATER_GPU_MODELS` names folders with public models, with colons between; `HIGHWATER_SEEDS` says how many random ones there are.
//!
//! Every state of a model is searched for safety and deadlock, without reduction, by the program as a user calls it. A model is
//! searched three times, from the second on with the kernel from the cache; the rate is the middle one, from when the kernel
//! is loaded. SPIN's verifier runs for twenty seconds at most and says its own rate. A smaller instance of each model is searched by
//! both the device and the CPU, and what they count is compared; so are random models, models of pairs of features, and public
//! ones.

#![allow(clippy::print_stdout, clippy::print_stderr)]

/// What the tests of `gpu` compare, of which this uses a part.
#[allow(dead_code)]
#[path = "../crates/gpu/tests/campaign.rs"]
mod campaign;
#[allow(dead_code)]
#[path = "../crates/gpu/tests/compare.rs"]
mod compare;

/// The generator of models from the whole grammar, which `promela` compares with SPIN.
#[allow(dead_code)]
#[path = "../crates/promela/tests/spin"]
mod spin {
    pub mod generate;
    pub mod judge;
    pub mod random;
    pub mod tree;
}

use campaign::{Row, Tally};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A model, with the values of its macros.
struct Model {
    name: &'static str,
    macros: &'static [&'static str],
    /// Those of a smaller instance, which the CPU searches too.
    small: &'static [&'static str],
}

const MODELS: [Model; 9] = [
    Model { name: "petersonN", macros: &["N=4"], small: &["N=3"] },
    Model { name: "leader", macros: &["N=8"], small: &["N=6"] },
    Model { name: "pftp", macros: &["ROOM=2"], small: &["ROOM=1", "WINDOW=1"] },
    Model { name: "iprotocol", macros: &["WINDOW=4", "ROOM=3"], small: &["WINDOW=3", "ROOM=2"] },
    Model { name: "at", macros: &["N=4"], small: &["N=3"] },
    Model { name: "fischer", macros: &["N=7"], small: &["N=5"] },
    Model { name: "brp", macros: &["FRAMES=4"], small: &["FRAMES=2"] },
    Model { name: "pipeline", macros: &["N=2", "CAP=3"], small: &["N=1", "CAP=3"] },
    // Large, for the device alone.
    Model { name: "at", macros: &["N=5"], small: &["N=3"] },
];

/// The models that SPIN's verifier is compared on.
const COMPARED: usize = 8;

impl Model {
    fn title(&self) -> String {
        titled(self.name, self.macros)
    }

    fn file(&self) -> PathBuf {
        folder().join("gpu").join(format!("{}.pml", self.name))
    }
}

fn titled(name: &str, macros: &[&str]) -> String {
    format!("{name} {}", macros.join(" "))
}

fn definitions(macros: &[&str]) -> impl Iterator<Item = String> {
    macros.iter().map(|definition| format!("-D{definition}"))
}

/// The folder of the benchmarks; `HIGHWATER_BENCHES` names it on another machine than that of the build.
fn folder() -> PathBuf {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches");
    std::env::var_os("HIGHWATER_BENCHES").map_or_else(here, PathBuf::from)
}

/// What a search said.
#[derive(Clone, Default)]
struct Searched {
    states: f64,
    transitions: f64,
    memory: f64,
    verdicts: String,
    digest: String,
    /// Of a device.
    seconds: f64,
    compilation: f64,
    bits: f64,
    fallback: f64,
    name: String,
}

impl Searched {
    fn rate(&self) -> f64 {
        self.states / self.seconds
    }

    /// What does not depend on where it was.
    fn counts(&self) -> String {
        format!("{} states, {} transitions, {}, {}", self.states, self.transitions, self.verdicts, self.digest)
    }
}

/// What SPIN's verifier said.
#[derive(Default)]
struct Pan {
    rate: f64,
    bytes: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let folder = arguments.get(1).map_or_else(|| std::env::temp_dir().join("highwater-gpu-bench"), PathBuf::from);
    if arguments.first().is_none_or(|first| first == "prepare") {
        MODELS[..COMPARED].iter().for_each(|model| prepare(model, &folder));
    }
    if arguments.first().is_none_or(|first| first == "measure") {
        std::fs::write(folder.join("measured.md"), measure(&folder)).expect("a file");
    }
    if arguments.first().is_none_or(|first| first == "compare") {
        let measured = std::fs::read_to_string(folder.join("measured.md")).unwrap_or_default();
        std::fs::write(self::folder().join("GPU.md"), measured + &campaigns()).expect("benches/GPU.md");
    }
}

fn prepare(model: &Model, folder: &Path) {
    let folder = folder.join(model.name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut spin = Command::new("spin");
    spin.arg("-a").args(definitions(model.macros)).arg(model.file()).current_dir(&folder);
    assert!(spin.status().expect("SPIN").success(), "{}", model.title());
}

fn measure(work: &Path) -> String {
    let cache = work.join("cache");
    let _ = std::fs::remove_dir_all(&cache);
    let device = ["--device", "cuda", "--memory", "none"];
    let rows: Vec<[Searched; 3]> =
        MODELS.iter().map(|model| [(); 3].map(|()| search(model, model.macros, &device, &cache))).collect();
    let pans: Vec<Pan> = MODELS[..COMPARED].iter().map(|model| pan(model, work)).collect();
    let mut text = String::from(
        "# On a GPU\n\nWritten by `cargo bench -p highwater-cli --bench gpu`; times hold for one machine.\n\n",
    );
    let _ = writeln!(
        text,
        "{}, against `pan` (`gcc -O2 -DSAFETY -DNOREDUCE`) on one core of the same machine. Every state, without reduction.\n",
        rows[0][1].name
    );
    text += &speeds(&rows, &pans);
    text += &sizes(&rows, &pans);
    text + &comparisons(&cache)
}

fn speeds(rows: &[[Searched; 3]], pans: &[Pan]) -> String {
    let mut text = String::from(
        "| model | states | transitions | verdicts | seconds | M states/s | pan, M states/s | factor | by the CPU | kernel, s | from the cache, s |\n\
         | --- | --: | --: | --- | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    let mut factors = Vec::new();
    for (index, (model, row)) in MODELS.iter().zip(rows).enumerate() {
        let mut sorted = row.clone();
        sorted.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let middle = &sorted[1];
        let (mut rate, mut factor) = (String::from("–"), String::from("–"));
        if let Some(pan) = pans.get(index).filter(|pan| pan.rate > 0.0) {
            factors.push(middle.rate() / pan.rate);
            (rate, factor) = (format!("{:.2}", pan.rate / 1e6), format!("{:.0}", middle.rate() / pan.rate));
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.3} | {:.0} | {rate} | {factor} | {:.2} % | {:.1} | {:.1} |",
            model.title(),
            middle.states,
            middle.transitions,
            middle.verdicts,
            middle.seconds,
            middle.rate() / 1e6,
            100.0 * middle.fallback / middle.states,
            row[0].compilation,
            row[1].compilation,
        );
    }
    if !factors.is_empty() {
        let mean = (factors.iter().map(|factor| factor.ln()).sum::<f64>() / factors.len() as f64).exp();
        let _ = writeln!(text, "\nThe geometric mean of the factors is {mean:.0}.");
    }
    text + "\nSeconds count from when the kernel is loaded, and are the middle one of three searches. `pan` is stopped after twenty \
        seconds and says its own rate.\n"
}

fn sizes(rows: &[[Searched; 3]], pans: &[Pan]) -> String {
    let mut text = String::from(
        "\n## Memory\n\nThe bytes of a state are all that is allocated on the device when the search is over, divided by the states: the \
         states, their parents, the table, unused room and the lists between kernels. The CPU's are those of its table after four \
         hundred thousand states.\n\n\
         | model | bits a state | bits / 8 + 20 | bytes a state | the CPU's | pan's |\n| --- | --: | --: | --: | --: | --: |\n",
    );
    for (index, (model, row)) in MODELS.iter().zip(rows).enumerate() {
        let device = &row[1];
        let on_cpu = ["--device", "cpu", "--memory", "none", "--max-states", "400000"];
        let cpu = search(model, model.macros, &on_cpu, Path::new("."));
        let pan = pans.get(index).map_or(String::from("–"), |pan| format!("{:.0}", pan.bytes));
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {:.1} | {:.1} | {pan} |",
            model.title(),
            device.bits,
            device.bits / 8.0 + 20.0,
            device.memory / device.states,
            cpu.memory / cpu.states,
        );
    }
    text
}

fn comparisons(cache: &Path) -> String {
    let mut text = String::from(
        "\n## Device and CPU\n\nStates, transitions, verdicts and the digest over all states, by both.\n\n\
         | model | on the device | digest | on the CPU |\n| --- | --- | --- | --- |\n",
    );
    for model in &MODELS[..COMPARED] {
        let device = search(model, model.small, &["--device", "cuda", "--memory", "none"], cache);
        let cpu = search(model, model.small, &["--device", "cpu", "--memory", "none"], cache);
        let same = if device.counts() == cpu.counts() { String::from("the same") } else { cpu.counts() };
        let Searched { states, transitions, verdicts, digest, .. } = device;
        let title = titled(model.name, model.small);
        let _ =
            writeln!(text, "| {title} | {states} states, {transitions} transitions, {verdicts}| `{digest}` | {same} |");
    }
    text
}

/// The most states of a public model that is compared: of one that SPIN has searched, and of others, some of which have no end.
const MOST_PUBLIC: (u64, u64) = (6_000_000, 200_000);

fn campaigns() -> String {
    let device = match gpu::Cuda::new(0, None) {
        Ok(device) => device,
        Err(failure) => return format!("\nMore models: {failure}.\n"),
    };
    let mut text = String::from(
        "\n## Many models\n\nEach is searched by the CPU and by the device, which begins with one of the first layers: states, transitions, \
         depth, errors, digest, places that are reached, and runs that replay. A model is left out if it has too many states to \
         compare, or if no kernel is generated for it.\n\n\
         | models | the same | different | states | by the CPU | left out |\n| --- | --: | --: | --: | --: | --- |\n",
    );
    let mut add = |name: &str, rows: &[Row]| {
        rows.iter().filter(|row| row.result.is_err()).for_each(|row| eprintln!("{row}"));
        let Tally { same, states, by_the_cpu, different, left } = Tally::of(rows);
        let left: Vec<String> = left.iter().map(|(why, count)| format!("{count}: {why}")).collect();
        let share = 100.0 * by_the_cpu / states.max(1) as f64;
        let row = format!("| {name} | {same} | {different} | {states} | {share:.1} % | {} |", left.join("; "));
        eprintln!("{row}");
        let _ = writeln!(text, "{row}");
    };
    let seeds: Vec<u64> = (0..testing::seeds(2_900)).collect();
    add("random, of the whole language", &campaign::random(&seeds, &device));
    add("random, of each pair of features", &campaign::pairs(0, usize::MAX, &device));
    for folder in std::env::var("HIGHWATER_GPU_MODELS").unwrap_or_default().split(':').filter(|name| !name.is_empty()) {
        let searched = Path::new(folder).join("spin-results.tsv").exists();
        let most = if searched { MOST_PUBLIC.0 } else { MOST_PUBLIC.1 };
        let rows = campaign::below(Path::new(folder), most, &device);
        let name = Path::new(folder).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        add(&format!("public, {name}"), &rows);
    }
    text
}

fn search(model: &Model, macros: &[&str], options: &[&str], cache: &Path) -> Searched {
    let program = std::env::var("HIGHWATER").unwrap_or_else(|_| env!("CARGO_BIN_EXE_highwater").to_owned());
    let mut command = Command::new(program);
    command.args(["check", "--timeout", "100s", "--keep-going", "-p", "safety,deadlock", "--format", "json"]);
    command.args(options).args(definitions(macros)).arg(model.file());
    let output = command.env("XDG_CACHE_HOME", cache).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    let document: Value = text.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let mut searched = Searched::default();
    let empty = Vec::new();
    let results = document["results"].as_array().unwrap_or(&empty);
    for result in results {
        let word = |field: &str| result[field].as_str().unwrap_or("?").to_owned();
        let _ = write!(searched.verdicts, "{} {} ", word("property"), word("verdict"));
    }
    let Some(result) = results.first() else {
        eprintln!("{}: {text}{}", titled(model.name, macros), String::from_utf8_lossy(&output.stderr));
        return searched;
    };
    let stats = &result["stats"];
    searched.states = stats["states"].as_f64().unwrap_or(f64::NAN);
    searched.transitions = stats["transitions"].as_f64().unwrap_or(f64::NAN);
    searched.memory = stats["memory_bytes"].as_f64().unwrap_or(f64::NAN);
    let mut digests = results.iter().filter_map(|result| result["certificate"]["digest"].as_str());
    searched.digest = digests.next_back().unwrap_or("none").to_owned();
    let advice = result["advice"].as_array().unwrap_or(&empty);
    let note =
        advice.iter().filter_map(Value::as_str).find(|note| note.starts_with("searched on ")).unwrap_or_default();
    let number = |before: &str, after: &str| {
        let text = note.split(after).next().and_then(|text| text.rsplit(before).next());
        text.and_then(|text| text.trim().parse().ok()).unwrap_or(f64::NAN)
    };
    searched.name = note.trim_start_matches("searched on ").split(" in ").next().unwrap_or_default().to_owned();
    searched.seconds = number(" in ", " s after");
    searched.compilation = number(" after ", " s for the kernel");
    searched.bits = number(": ", " bits a state");
    searched.fallback = number(", ", " of ");
    eprintln!("{}: {note}", titled(model.name, macros));
    searched
}

fn pan(model: &Model, folder: &Path) -> Pan {
    let folder = folder.join(model.name);
    let mut compiler = Command::new("gcc");
    compiler.args(["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=100000", "-o", "pan", "pan.c"]);
    if !compiler.current_dir(&folder).status().is_ok_and(|status| status.success()) {
        return Pan::default();
    }
    let mut command = Command::new("timeout");
    command.args(["-s", "INT", "20", "./pan", "-n", "-m4000000", "-w26"]).current_dir(&folder);
    let output =
        command.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let number = |line: &str, after: &str| {
        let found = output.lines().find(|text| text.contains(line))?;
        let start = if after.is_empty() { 0 } else { found.find(after)? + after.len() };
        found[start..].split_whitespace().next()?.parse::<f64>().ok()
    };
    let stored = number("states, stored", "").unwrap_or(f64::NAN);
    let memory = number("total actual memory usage", "").unwrap_or(f64::NAN);
    let rate = number("pan: rate", "rate").unwrap_or(0.0);
    eprintln!("pan {}: {stored} states, {rate} a second", model.title());
    Pan { rate, bytes: memory * 1e6 / stored }
}
