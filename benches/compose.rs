//! The compose engine beside the paper's algorithm and beside the plain product, in one run on one machine.
//!
//! Writes `benches/COMPOSE.md`.
//!
//! ```text
//! cargo bench -p highwater-cli --bench compose             # some minutes
//! cargo bench -p highwater-cli --bench compose -- quick    # small sizes
//! ```
//!
//! Deadlock of the families of Fig. 10 of the MAGIC paper, for growing sizes: the default, the paper's Fig. 8, and the
//! product of all components, each until it takes longer than a limit; one thread. The default's figure includes reading and
//! the check of the proof by the small checker. The state/event, state and event styles of the surge protector (Fig. 3)
//! follow: states of the automaton, and times.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use fsp::families::{Style, dining, dining_deadlock, readers_writers, surge_protector};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

struct Family {
    title: &'static str,
    text: fn(usize) -> String,
    sizes: &'static [usize],
    /// What the paper reports: size, seconds of its algorithm, seconds of its plain search.
    paper: &'static [(usize, &'static str, &'static str)],
}

const SIZES: &[usize] = &[2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 200];

const FAMILIES: [Family; 3] = [
    Family {
        title: "DPD: dining philosophers with a deadlock",
        text: dining_deadlock,
        sizes: SIZES,
        paper: &[(9, "191", "22.5"), (10, "755", "87.6")],
    },
    Family {
        title: "DPN: dining philosophers without a deadlock",
        text: dining,
        sizes: SIZES,
        paper: &[(3, "0.849", "0.779"), (4, "7.86", "11.8"), (5, "84.6", "197"), (6, "831", "–")],
    },
    Family {
        title: "RW: readers and writers",
        text: readers_writers,
        sizes: SIZES,
        paper: &[
            (4, "4.40", "6.48"),
            (5, "7.33", "35.1"),
            (6, "12.6", "257"),
            (7, "25.3", "–"),
            (8, "60.5", "–"),
            (9, "132", "–"),
        ],
    },
];

/// What is compared, with its arguments.
const METHODS: [(&str, &[&str]); 3] = [("default", &[]), ("Fig. 8", &["--method", "paper"]), ("plain", &["--plain"])];

struct Measured {
    seconds: f64,
    decided: bool,
    result: Value,
    /// The largest resident size, in MiB.
    mebibytes: u64,
}

/// Runs `check` on a text. The resident size comes from the wrapper that the shell has for it, where there is one.
fn measure(text: &str, property: &str, arguments: &[&str], most: u64) -> Measured {
    let file = std::env::temp_dir().join(format!("highwater-compose-{}.fsp", std::process::id()));
    std::fs::write(&file, text).expect("the folder for temporary files can be written");
    let start = Instant::now();
    let timed = Path::new("/usr/bin/time").exists();
    let tool = env!("CARGO_BIN_EXE_highwater");
    let mut command = Command::new(if timed { "/usr/bin/time" } else { tool });
    if timed {
        command.args(["-f", "resident %M", tool]);
    }
    let output = command
        .args(["check", "-p", property, "--format", "json", "--jobs", "1", "--stats", "--timeout", &format!("{most}s")])
        .args(arguments)
        .arg(&file)
        .output()
        .expect("the program runs");
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&file);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let result = document["results"][0].clone();
    let decided = matches!(result["verdict"].as_str(), Some("proved" | "violated"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let resident = said.lines().find_map(|line| line.strip_prefix("resident ")?.trim().parse::<u64>().ok());
    Measured { seconds, decided, result, mebibytes: resident.unwrap_or(0) >> 10 }
}

fn family(family: &Family, sizes: &[usize], most: u64) -> String {
    let mut text = format!("\n## {}\n\n", family.title);
    text += "| n | verdict |";
    for (name, _) in METHODS {
        let _ = write!(text, " {name}, s | states | MiB |");
    }
    text += " paper, s | its plain search, s |\n| ---: | --- |";
    text += &" ---: | ---: | ---: |".repeat(METHODS.len());
    text += " ---: | ---: |\n";
    let mut gone = [false; METHODS.len()];
    for &size in sizes {
        let model = (family.text)(size);
        let mut row = String::new();
        let mut verdicts = Vec::new();
        for (index, (name, arguments)) in METHODS.iter().enumerate() {
            if gone[index] {
                row += " – | – | – |";
                continue;
            }
            let measured = measure(&model, "deadlock", arguments, most);
            println!("{} {size} {name}: {:.2} s", family.title, measured.seconds);
            gone[index] = !measured.decided;
            if measured.decided {
                let states = measured.result["stats"]["abstract_states"].as_u64().unwrap_or(0);
                let _ = write!(row, " {:.2} | {states} | {} |", measured.seconds, measured.mebibytes);
                verdicts.push(measured.result["verdict"].as_str().unwrap_or("?").to_owned());
            } else {
                let _ = write!(row, " > {most} | | |");
            }
        }
        verdicts.dedup();
        let paper = family.paper.iter().find(|(n, ..)| *n == size);
        let paper = paper.map_or(("", ""), |(_, own, plain)| (own, plain));
        let _ = writeln!(text, "| {size} | {} |{row} {} | {} |", verdicts.join(" AND "), paper.0, paper.1);
        if gone.iter().all(|gone| *gone) {
            break;
        }
    }
    text
}

fn surge(ranges: &[usize], most: u64) -> String {
    let mut text = String::from(
        "\n## The surge protector in three styles (Fig. 3)\n\n\
         States of the automaton of the negated specification, and seconds for everything.\n\n\
         | range | states and events | s | states only | s | events only | s |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut gone = [false; 3];
    for &range in ranges {
        let _ = write!(text, "| {range} |");
        for (index, style) in [Style::StatesAndEvents, Style::States, Style::Events].into_iter().enumerate() {
            if gone[index] {
                text += " – | – |";
                continue;
            }
            let measured = measure(&surge_protector(range, style), "ltl:Protected", &[], most);
            println!("surge protector {range}: {:.2} s", measured.seconds);
            gone[index] = !measured.decided;
            let states = measured.result["stats"]["automaton_states"].as_u64().unwrap_or(0);
            let seconds = if measured.decided { format!("{:.2}", measured.seconds) } else { format!("> {most}") };
            let _ = write!(text, " {states} | {seconds} |");
        }
        text += "\n";
    }
    text
}

fn main() {
    let quick = std::env::args().any(|a| a == "quick");
    let most = if quick { 3 } else { 60 };
    let sizes = if quick { &SIZES[..8] } else { SIZES };
    let mut text = format!(
        "# Compositions: the default, the paper's algorithm, the plain product\n\n\
         Measured in one run on one machine by `benches/compose.rs`: `check -p deadlock --jobs 1`, {most} seconds at most for \
         each size; after a size for which that is not enough, larger ones are not tried. Reading and the check of the proof \
         are included. *States* are the most abstract states that were looked at at once, *MiB* the largest resident size. \
         *Paper*: what its authors report in Fig. 10 for theirs and for a plain search (2004), for C programs whose \
         structures are larger than these; what can be compared is how each grows.\n"
    );
    for each in &FAMILIES {
        let sizes: Vec<usize> = each.sizes.iter().copied().filter(|size| sizes.contains(size)).collect();
        text += &family(each, &sizes, most);
    }
    text += &surge(if quick { &[1, 2, 3] } else { &[1, 2, 3, 4, 5, 6, 8, 10] }, most);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/COMPOSE.md");
    match std::fs::write(&page, text) {
        Ok(()) => println!("written: {}", page.display()),
        Err(error) => eprintln!("{}: {error}", page.display()),
    }
}
