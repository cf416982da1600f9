//! The flow engine beside the papers' own method, in one run on one machine, on models that grow.
//!
//! Writes `benches/FLOW.md`.
//!
//! ```text
//! cargo bench -p highwater-cli --bench flow             # some minutes
//! cargo bench -p highwater-cli --bench flow -- quick    # small sizes
//! cargo bench -p highwater-cli --bench flow -- bars     # the section on queues of services alone
//! ```
//!
//! Both methods read the same text and answer the same question, boundedness with the bounds of all channels: the
//! default generates cycles as it needs them; `--abstraction cycles` enumerates them all and solves the papers' linear
//! problems, exactly. Times are CPU times of one thread; of short runs the shortest of three counts.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "flow_bars.rs"]
mod bars;

use bars::{Limited, limited, timed};
use flow::{Question, Report};
use model::budget::{Budget, Cancel, Stopwatch};
use model::context::Context;
use model::network::Network;
use model::verdict::Reason;
use std::fmt::Write as _;
use std::path::Path;

/// Models that differ in size only.
struct Family {
    title: &'static str,
    size: &'static str,
    about: &'static str,
    text: fn(usize) -> String,
    sizes: &'static [usize],
    /// What the papers needed, in seconds.
    paper: &'static [(usize, f64)],
}

const FAMILIES: [Family; 4] = [
    Family {
        title: "Leader election in a ring",
        size: "processes",
        about: "The algorithm of Ciclo's Table V, which stops at 50 processes; its model has a little more in it (62 effect vectors for 5).",
        text: ring,
        sizes: &[5, 10, 20, 50, 100, 200, 500, 1000, 2000],
        paper: &[(5, 0.58), (10, 1.45), (20, 4.66), (50, 33.53)],
    },
    Family {
        title: "Clients, each with its own server",
        size: "clients",
        about: "Ciclo's Fig. 1, with a server for each client: parts that share no channel.",
        text: pairs,
        sizes: &[10, 100, 1000, 5000, 10_000],
        paper: &[],
    },
    Family {
        title: "Clients of one server",
        size: "clients",
        about: "The server answers to the channel of whoever asked: one cycle with an effect vector for each client.",
        text: one_server,
        sizes: &[10, 100, 1000, 5000, 10_000],
        paper: &[],
    },
    Family {
        title: "A chain of diamonds",
        size: "diamonds",
        about: "One process that has the choice between two ways, n times in a row: 2ⁿ elementary cycles, so no exponent fits.",
        text: diamonds,
        sizes: &[5, 10, 15, 20, 40],
        paper: &[],
    },
];

/// A ring in which the greatest number wins (Dolev, Klawe & Rodeh), as in SPIN's distribution.
fn ring(n: usize) -> String {
    format!(
        "#define N {n}
mtype = {{ one, two, winner }};
chan q[N] = [8] of {{ mtype, int }};
proctype node(chan inp, out; int mynumber) {{
  bool active_ = true, know = false; int nr, maximum = mynumber, neighbour;
  out!one(mynumber);
end: do
  :: inp?one(nr) ->
     if
     :: active_ ->
        if
        :: nr != maximum -> out!two(nr); neighbour = nr
        :: else -> know = true; out!winner,nr
        fi
     :: else -> out!one(nr)
     fi
  :: inp?two(nr) ->
     if
     :: active_ ->
        if
        :: neighbour > nr && neighbour > maximum -> maximum = neighbour; out!one(neighbour)
        :: else -> active_ = false
        fi
     :: else -> out!two(nr)
     fi
  :: inp?winner,nr -> if :: know :: else -> out!winner,nr fi; break
  od
}}
init {{
  int i;
  atomic {{ i = 1; do :: i <= N -> run node(q[i-1], q[i%N], (N+3-i)%N+1); i++ :: i > N -> break od }}
}}
"
    )
}

fn pairs(n: usize) -> String {
    format!(
        "#define N {n}
mtype = {{ req, ack, rel }};
chan ts[N] = [1] of {{ mtype }};
chan tc[N] = [1] of {{ mtype }};
proctype client(int id) {{ do :: ts[id]!req; tc[id]?ack -> ts[id]!rel od }}
proctype server(int id) {{ do :: ts[id]?req -> tc[id]!ack; ts[id]?rel od }}
init {{ int i; do :: i < N -> run client(i); run server(i); i++ :: else -> break od }}
"
    )
}

fn one_server(n: usize) -> String {
    format!(
        "#define N {n}
mtype = {{ req, ack }};
chan ask = [1] of {{ mtype, int }};
chan tc[N] = [1] of {{ mtype }};
proctype client(int id) {{ do :: ask!req(id); tc[id]?ack od }}
active proctype server() {{ int who; do :: ask?req(who) -> tc[who]!ack od }}
init {{ int i; do :: i < N -> run client(i); i++ :: else -> break od }}
"
    )
}

fn diamonds(n: usize) -> String {
    let diamond = "    if :: x = 1; x = 2 :: x = 3; x = 4 fi;\n";
    format!(
        "chan c = [1] of {{ byte }};\nactive proctype P() {{\n  byte x;\n  do\n  :: c!0;\n{}    c?_\n  od\n}}\n",
        diamond.repeat(n)
    )
}

type Method = fn(&Network, &Question, &Context<'_>) -> Report;

/// One method on one model.
struct Run {
    /// Seconds until the proof.
    proof: f64,
    /// Seconds until the bounds.
    total: f64,
    report: Report,
}

impl Run {
    fn new(method: Method, network: &Network, most: f64) -> Run {
        let watch = Stopwatch::start();
        let work = |cancel: &Cancel| {
            let budget = Budget::unlimited().timeout(bars::LONGEST * 10).until(cancel);
            method(network, &Question::Boundedness, &Context::silent(&budget))
        };
        let Limited { result: report, time: total, .. } = limited(most, work);
        // The time for bounds is wall time: its share counts.
        let bounds = report.sizes.bounds_time.as_secs_f64() / watch.elapsed().as_secs_f64();
        Run { proof: total * (1.0 - bounds).max(0.0), total, report }
    }

    /// The best of three, if they are short.
    fn best(method: Method, network: &Network, most: f64) -> Run {
        let mut best = Run::new(method, network, most);
        for _ in 0..2 {
            if best.total < 0.5 {
                let again = Run::new(method, network, most);
                best = if again.total < best.total { again } else { best };
            }
        }
        best
    }

    fn is_late(&self) -> bool {
        !self.report.complete && self.report.reason == Some(Reason::Interrupted)
    }

    fn has_bounds(&self) -> bool {
        self.report.complete && self.report.queues.iter().all(|q| q.at_most.is_some())
    }

    fn proof_cell(&self, most: f64) -> String {
        match &self.report.reason {
            _ if self.report.complete => seconds(self.proof),
            Some(Reason::Interrupted) => late(most),
            Some(Reason::NotProvable(_)) => format!("refused after {}", seconds(self.total)),
            _ => String::from("–"),
        }
    }

    fn bounds_cell(&self, most: f64) -> String {
        if self.has_bounds() {
            seconds(self.total)
        } else if self.report.complete {
            late(most)
        } else {
            String::from("–")
        }
    }

    /// The greatest bound of a channel.
    fn bound(&self) -> String {
        let most = self.report.queues.iter().filter_map(|q| q.at_most).max();
        most.filter(|_| self.has_bounds()).map_or(String::from("–"), |n| n.to_string())
    }
}

struct Row {
    size: usize,
    reading: f64,
    default: Run,
    cycles: Option<Run>,
}

fn main() {
    let asked = |what: &str| std::env::args().any(|a| a == what);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/FLOW.md");
    if asked("election") {
        println!("{}", bars::measure_election());
        return;
    }
    if asked("bars") {
        write_page(&page, &bars::replaced(&std::fs::read_to_string(&page).unwrap_or_default()));
        return;
    }
    let quick = asked("quick");
    let most = if quick { 5.0 } else { 20.0 };
    let mut text = String::from("# The flow engine beside the papers' method\n\n");
    text += "Measured in one run on one machine by `benches/flow.rs`";
    text += if quick { " (`quick`)" } else { "" };
    let _ = writeln!(
        text,
        ": boundedness, and the bounds of all channels.\n\n\
         * *default*: cycles are generated as they are needed. Bounds get better for a limited amount of work.\n\
         * *cycles*: `--abstraction cycles`, the method of the papers: all elementary cycles (Johnson), no more than \
         2,000,000; one variable for each effect vector; one linear problem for boundedness and one for each channel, \
         solved exactly. It has {} seconds; after a size for which that is not enough, larger ones are not tried.\n\
         * *Ciclo*: what its authors report in Table V, on an AMD Athlon 64 X2, with lp_solve.\n\n\
         Times are CPU times, in seconds. *Bound* is the greatest of a channel. The exponent is the slope of all of the time, \
         reading included, against the size on logarithmic scales, over the three largest sizes that came to an end.",
        most
    );
    for family in &FAMILIES {
        let sizes = family.sizes.iter().copied().filter(|&n| !quick || n <= 1000);
        let rows = measure(family, sizes, most);
        text += &section(family, &rows, most);
    }
    write_page(&page, &(text + &bars::section()));
}

fn write_page(page: &Path, text: &str) {
    println!("{text}");
    if let Err(error) = std::fs::write(page, text) {
        println!("cannot write the table: {error}");
    }
}

fn measure(family: &Family, sizes: impl Iterator<Item = usize>, most: f64) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for size in sizes {
        eprintln!("{}: {size}", family.title);
        let (read, reading) =
            timed(|| promela::read("model.pml", &(family.text)(size), &promela::preprocess::Options::default()));
        let Some(network) = read.network else {
            eprintln!("cannot be read: {:?}", read.diagnostics);
            continue;
        };
        let default = Run::best(flow::check, &network, 120.0);
        let tried = rows.last().is_none_or(|row| row.cycles.as_ref().is_some_and(|run| !run.is_late()));
        let cycles = tried.then(|| Run::best(flow::cycles::check, &network, most));
        rows.push(Row { size, reading, default, cycles });
    }
    rows
}

fn section(family: &Family, rows: &[Row], most: f64) -> String {
    let mut text = format!("\n## {}\n\n{}\n\n", family.title, family.about);
    let paper = !family.paper.is_empty();
    let _ = writeln!(
        text,
        "| {} | reading | default: proof | with bounds | bound | cycles: proof | with bounds | bound | elementary cycles | \
         effect vectors |{}",
        family.size,
        if paper { " Ciclo |" } else { "" }
    );
    let _ = writeln!(text, "|{}", " ---: |".repeat(if paper { 11 } else { 10 }));
    for row in rows {
        let _ = write!(
            text,
            "| {} | {} | {} | {} | {} |",
            row.size,
            seconds(row.reading),
            row.default.proof_cell(most),
            row.default.bounds_cell(most),
            row.default.bound()
        );
        let cells = match &row.cycles {
            None => vec![String::from("–"); 5],
            Some(run) => vec![
                run.proof_cell(most),
                run.bounds_cell(most),
                run.bound(),
                run.report.sizes.cycles.map_or(String::from("–"), |n| n.to_string()),
                run.report.sizes.effect_vectors.map_or(String::from("–"), |n| n.to_string()),
            ],
        };
        let _ = write!(text, " {} |", cells.join(" | "));
        if paper {
            let theirs = family.paper.iter().find(|(n, _)| *n == row.size);
            let _ = write!(text, " {} |", theirs.map_or(String::from("–"), |(_, s)| format!("{s:.2}")));
        }
        text.push('\n');
    }
    text + &exponents(family, rows)
}

/// How the times grow.
fn exponents(family: &Family, rows: &[Row]) -> String {
    let default: Vec<(usize, f64)> = rows.iter().map(|r| (r.size, r.reading + r.default.total)).collect();
    let run =
        |row: &Row, time: fn(&Run) -> Option<f64>| Some((row.size, row.reading + row.cycles.as_ref().and_then(time)?));
    let proofs: Vec<(usize, f64)> =
        rows.iter().filter_map(|r| run(r, |c| c.report.complete.then_some(c.proof))).collect();
    let bounds: Vec<(usize, f64)> = rows.iter().filter_map(|r| run(r, |c| c.has_bounds().then_some(c.total))).collect();
    let word = |points: &[(usize, f64)]| slope(points).map_or(String::from("–"), |e| format!("{e:.2}"));
    let mut text =
        format!("\nExponents: default {}, cycles {} (proof alone {})", word(&default), word(&bounds), word(&proofs));
    if !family.paper.is_empty() {
        let _ = write!(text, ", Ciclo {}", word(family.paper));
    }
    text + ".\n"
}

/// The slope of a straight line through the last three points, on logarithmic scales.
fn slope(points: &[(usize, f64)]) -> Option<f64> {
    let last = &points[points.len().checked_sub(3)?..];
    let logs: Vec<(f64, f64)> = last.iter().map(|&(n, s)| ((n as f64).ln(), s.max(1e-6).ln())).collect();
    let mean = |f: fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let below: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    (below > 0.0).then(|| above / below)
}

fn seconds(time: f64) -> String {
    if time < 0.1 { format!("{time:.4}") } else { format!("{time:.2}") }
}

fn late(most: f64) -> String {
    format!("> {most}")
}
