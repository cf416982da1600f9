//! How fast a GPU searches eight models, against SPIN's verifier on one core of the same machine.
//!
//! Writes `benches/GPU.md`.
//!
//! ```text
//! cargo bench -p highwater-cli --bench gpu                    # a GPU, SPIN and a C compiler
//! cargo bench -p highwater-cli --bench gpu -- prepare DIR     # SPIN's verifiers as C, where there is SPIN
//! cargo bench -p highwater-cli --bench gpu -- measure DIR     # with these, where there is a GPU and a C compiler
//! ```
//!
//! Every state of a model is searched for safety and deadlock, without reduction, by the program as a user calls it. A model is
//! searched twice, the second time with the kernel from the cache; the rate is that of the second search from when the kernel
//! is loaded. SPIN's verifier runs for half a minute at most and says its own rate.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A model, with the values of its macros.
struct Model {
    name: &'static str,
    macros: &'static [&'static str],
}

const MODELS: [Model; 9] = [
    Model { name: "petersonN", macros: &["N=4"] },
    Model { name: "leader", macros: &["N=8"] },
    Model { name: "pftp", macros: &["ROOM=2"] },
    Model { name: "iprotocol", macros: &["WINDOW=4", "ROOM=3"] },
    Model { name: "at", macros: &["N=4"] },
    Model { name: "fischer", macros: &["N=7"] },
    Model { name: "brp", macros: &["FRAMES=4"] },
    Model { name: "pipeline", macros: &["N=2", "CAP=3"] },
    // Large, for the device alone.
    Model { name: "at", macros: &["N=5"] },
];

/// The models that SPIN's verifier is compared on.
const COMPARED: usize = 8;

impl Model {
    fn title(&self) -> String {
        format!("{} {}", self.name, self.macros.join(" "))
    }

    fn file(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/gpu").join(format!("{}.pml", self.name))
    }

    fn definitions(&self) -> impl Iterator<Item = String> {
        self.macros.iter().map(|definition| format!("-D{definition}"))
    }
}

/// What the device said.
#[derive(Default)]
struct Device {
    states: f64,
    transitions: f64,
    seconds: f64,
    compilation: f64,
    bits: f64,
    fallback: f64,
    memory: f64,
    name: String,
    verdicts: String,
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
        measure(&folder);
    }
}

fn prepare(model: &Model, folder: &Path) {
    let folder = folder.join(model.name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut spin = Command::new("spin");
    spin.arg("-a").args(model.definitions()).arg(model.file()).current_dir(&folder);
    assert!(spin.status().expect("SPIN").success(), "{}", model.title());
}

fn measure(folder: &Path) {
    let cache = folder.join("cache");
    let _ = std::fs::remove_dir_all(&cache);
    let rows: Vec<(Device, Device)> =
        MODELS.iter().map(|model| (search(model, &cache), search(model, &cache))).collect();
    let pans: Vec<Pan> = MODELS[..COMPARED].iter().map(|model| pan(model, folder)).collect();
    let mut text = String::from(
        "# On a GPU\n\nWritten by `cargo bench -p highwater-cli --bench gpu`; times hold for one machine.\n\n",
    );
    let _ = writeln!(
        text,
        "{}, against `pan` (`gcc -O2 -DSAFETY -DNOREDUCE`) on one core of the same machine. Every state, without reduction.\n",
        rows[0].1.name
    );
    text += "| model | states | transitions | verdicts | seconds | M states/s | pan, M states/s | factor | by the CPU | kernel, s | from the cache, s | bits a state | bytes a state | pan's |\n";
    text += "| --- | --: | --: | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n";
    let mut factors = Vec::new();
    for (index, (model, (first, second))) in MODELS.iter().zip(&rows).enumerate() {
        let rate = second.states / second.seconds;
        let mut against = [String::from("–"), String::from("–"), String::from("–")];
        if let Some(pan) = pans.get(index).filter(|pan| pan.rate > 0.0) {
            factors.push(rate / pan.rate);
            against =
                [format!("{:.2}", pan.rate / 1e6), format!("{:.0}", rate / pan.rate), format!("{:.0}", pan.bytes)];
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.3} | {:.0} | {} | {} | {:.2} % | {:.1} | {:.1} | {} | {:.1} | {} |",
            model.title(),
            second.states,
            second.transitions,
            second.verdicts,
            second.seconds,
            rate / 1e6,
            against[0],
            against[1],
            100.0 * second.fallback / second.states,
            first.compilation,
            second.compilation,
            second.bits,
            second.memory / second.states,
            against[2],
        );
    }
    if !factors.is_empty() {
        let mean = (factors.iter().map(|factor| factor.ln()).sum::<f64>() / factors.len() as f64).exp();
        let _ = writeln!(text, "\nThe geometric mean of the factors is {mean:.0}.");
    }
    println!("{text}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/GPU.md");
    std::fs::write(file, text).expect("benches/GPU.md");
}

fn search(model: &Model, cache: &Path) -> Device {
    let program = std::env::var("HIGHWATER").unwrap_or_else(|_| env!("CARGO_BIN_EXE_highwater").to_owned());
    let mut command = Command::new(program);
    command.args(["check", "--device", "cuda", "--memory", "none", "--timeout", "100s", "--keep-going"]);
    command.args(["-p", "safety,deadlock", "--format", "json"]).args(model.definitions()).arg(model.file());
    let output = command.env("XDG_CACHE_HOME", cache).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    let document: Value = text.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let mut device = Device::default();
    let empty = Vec::new();
    let results = document["results"].as_array().unwrap_or(&empty);
    for result in results {
        let _ = write!(
            device.verdicts,
            "{} {} ",
            result["property"].as_str().unwrap_or("?"),
            result["verdict"].as_str().unwrap_or("?")
        );
    }
    let Some(result) = results.first() else {
        eprintln!("{}: {text}{}", model.title(), String::from_utf8_lossy(&output.stderr));
        return device;
    };
    let stats = &result["stats"];
    device.states = stats["states"].as_f64().unwrap_or(f64::NAN);
    device.transitions = stats["transitions"].as_f64().unwrap_or(f64::NAN);
    device.memory = stats["memory_bytes"].as_f64().unwrap_or(f64::NAN);
    let advice = result["advice"].as_array().unwrap_or(&empty);
    let note =
        advice.iter().filter_map(Value::as_str).find(|note| note.starts_with("searched on ")).unwrap_or_default();
    let number = |before: &str, after: &str| {
        let text = note.split(after).next().and_then(|text| text.rsplit(before).next());
        text.and_then(|text| text.trim().parse().ok()).unwrap_or(f64::NAN)
    };
    device.name = note.trim_start_matches("searched on ").split(" in ").next().unwrap_or_default().to_owned();
    device.seconds = number(" in ", " s after");
    device.compilation = number(" after ", " s for the kernel");
    device.bits = number(": ", " bits a state");
    device.fallback = number(", ", " of ");
    eprintln!("{}: {note}", model.title());
    device
}

fn pan(model: &Model, folder: &Path) -> Pan {
    let folder = folder.join(model.name);
    let mut compiler = Command::new("gcc");
    compiler.args(["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=100000", "-o", "pan", "pan.c"]);
    if !compiler.current_dir(&folder).status().is_ok_and(|status| status.success()) {
        return Pan::default();
    }
    let mut command = Command::new("timeout");
    command.args(["-s", "INT", "30", "./pan", "-n", "-m4000000", "-w26"]).current_dir(&folder);
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
