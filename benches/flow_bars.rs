//! Bars: what bounds of the queues of services cost, measured in CPU time.

use crate::ring;
use explore::growth::{GrowthOptions, growth};
use explore::reduction::Mode;
use explore::search::{Options, search};
use flow::{Question, Report};
use highwater::{Check, Model, Verdict};
use model::budget::{Budget, Cancel, Stopwatch};
use model::context::Context;
use model::network::Network;
use model::semantics::{Reading, Semantics};
use model::verdict::Property;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Where the section begins and ends on the page.
const TITLE: &str = "\n## Queues of services\n";

/// The page with this section measured again.
pub fn replaced(page: &str) -> String {
    let rest = page.split(TITLE).next().unwrap_or_default();
    format!("{}\n{}", rest.trim_end(), section())
}

/// What is measured, what is wanted, and the figure.
type Bar = (&'static str, &'static str, String);

/// The section.
pub fn section() -> String {
    let mut bars = Vec::new();
    let mut details = known_systems(&mut bars);
    details += &growing_systems(&mut bars);
    details += &exact_shares(&mut bars);
    details += &exponents(&mut bars);
    details += &public_models(&mut bars);
    details += &searches(&mut bars);
    bars.push(numbers());
    let mut text = format!(
        "{TITLE}\nCPU time, in seconds, of all threads. `cargo bench -p highwater-cli --bench flow -- bars` measures this \
         section alone. The systems with known answers are in `known_bounds.txt` and `before_the_rules.txt` in \
         `crates/certify/tests/data`.\n\n\
         | what | goal | figure |\n| --- | --- | --- |\n"
    );
    for (what, goal, figure) in bars {
        let _ = writeln!(text, "| {what} | {goal} | {figure} |");
    }
    text + "\n" + &details
}

/// The CPU time of this thread, exactly, and of all threads, in hundredths: seconds. (Linux; 0 elsewhere.)
fn cpu() -> [f64; 2] {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let own = read("/proc/thread-self/schedstat").split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    let stat = read("/proc/self/stat");
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    let ticks: f64 = fields.filter_map(|field| field.parse::<f64>().ok()).sum();
    [own.unwrap_or(0.0) / 1e9, ticks / 100.0]
}

pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = cpu();
    let result = work();
    let end = cpu();
    (result, (end[0] - begin[0]).max(end[1] - begin[1]))
}

/// What became of work that is stopped when it has taken so many seconds of CPU time, of all threads: wall time says little of
/// a machine that does other things, too.
pub struct Limited<T> {
    pub result: T,
    /// CPU time.
    pub time: f64,
    /// How long it went on after it was cancelled: seconds of wall time.
    pub over: Option<f64>,
}

pub fn limited<T>(most: f64, work: impl FnOnce(&Cancel) -> T) -> Limited<T> {
    let (cancel, done, told) = (Cancel::default(), AtomicBool::new(false), Mutex::new(None));
    let begin = cpu()[1];
    let (result, time) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if cpu()[1] - begin >= most {
                    *told.lock().unwrap() = Some(Stopwatch::start());
                    return cancel.cancel();
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let result = timed(|| work(&cancel));
        done.store(true, Ordering::Relaxed);
        result
    });
    let over = told.into_inner().unwrap().map(|watch: Stopwatch| watch.elapsed().as_secs_f64());
    Limited { result, time, over }
}

fn network(text: &str) -> Network {
    let read = promela::read("model.pml", text, &promela::preprocess::Options::default());
    read.network.unwrap_or_else(|| panic!("{:?}\n{text}", read.diagnostics))
}

fn checked(network: &Network, question: &Question, most: f64) -> (Report, f64) {
    let check = |cancel: &Cancel| {
        let budget = Budget::unlimited().timeout(2 * LONGEST).until(cancel);
        flow::check(network, question, &Context::silent(&budget))
    };
    let Limited { result, time, .. } = limited(most, check);
    (result, time)
}

// --- systems with known answers ---------------------------------------------------------------------

/// A system, and the most that each of its channels ever holds; none if it grows.
struct Known {
    name: &'static str,
    text: &'static str,
    truth: Vec<(&'static str, Option<u64>)>,
}

fn known() -> impl Iterator<Item = Known> {
    let all = include_str!("../crates/certify/tests/data/known_bounds.txt");
    all.split("\n=== ").skip(1).filter_map(|system| {
        let (head, text) = system.split_once('\n')?;
        let (name, truth) = head.split_once(" | ")?;
        let entries = truth.trim_start_matches("large ").split(", ").filter_map(|entry| entry.rsplit_once(' '));
        Some(Known { name, text, truth: entries.map(|(channel, most)| (channel, most.parse().ok())).collect() })
    })
}

/// Groups of systems: what they are called, the goal, and the beginnings of their names.
const GROUPS: [(&str, &str, &[&str]); 5] = [
    (
        "windows 3 to 10,000, six senders, shared credits, differences: by flow",
        "exact, < 0.1 s each",
        &["window", "six senders", "two senders with", "credits", "100 credits", "10000 credits", "difference"],
    ),
    (
        "single-writer globals, copies, flag arrays for 2 to 50 clients: by flow",
        "exact, < 1 s",
        &["flag", "a phase", "a toggle", "copy of", "one flag", "pid reuse", "a writer"],
    ),
    (
        "workers per request, pools, sessions: by flow",
        "proved, < 0.1 s",
        &["pool", "service: a session", "service: a supervisor", "service: tokens"],
    ),
    ("sends guarded by a look at the queue: by flow", "exact", &["poll"]),
    ("known answers, of those that are bounded: proved by flow alone", "≥ 85 %", &[""]),
];

/// Families of systems, and the beginnings of their names.
const FAMILIES: [(&str, &[&str]); 9] = [
    ("windows", &["window", "six senders", "two senders with", "sequence"]),
    ("credits, semaphores", &["credits", "100 credits", "10000 credits", "test and decrement", "semaphore"]),
    ("differences", &["difference"]),
    ("counts", &["count", "two processes", "two senders and", "an intermediate", "a deterministic", "a rendezvous"]),
    ("flags, copies", &["flag", "a phase", "a toggle", "copy of", "one flag", "pid reuse", "a writer"]),
    ("pools", &["pool"]),
    ("services", &["service"]),
    ("polls", &["poll"]),
    ("priorities", &["growth"]),
];

/// Per family, and for all: how many of the bounded ones flow proves, and how many bounds are the truth.
fn known_systems(bars: &mut Vec<Bar>) -> String {
    let mut rows = [([0usize; 4], 0.0f64); FAMILIES.len()];
    let mut groups = [([0usize; 4], 0.0f64); GROUPS.len()];
    for Known { name, text, truth } in known().filter(|known| known.truth.iter().all(|(_, most)| most.is_some())) {
        let (report, time) = checked(&network(text), &Question::Boundedness, 10.0);
        let of = |channel: &str| report.queues.iter().find(|queue| queue.name == channel).and_then(|q| q.at_most);
        let exact = truth.iter().filter(|(channel, most)| of(channel) == *most).count();
        let counts = [1, usize::from(report.complete), truth.len(), exact];
        let add = |row: (&mut [usize; 4], &mut f64)| {
            row.0.iter_mut().zip(counts).for_each(|(sum, more)| *sum += more);
            *row.1 = row.1.max(time);
        };
        for (group, (_, _, begins)) in groups.iter_mut().zip(GROUPS) {
            if begins.iter().any(|begin| name.starts_with(begin)) {
                add((&mut group.0, &mut group.1));
            }
        }
        let is_of = |(_, begins): &(&str, &[&str])| begins.iter().any(|begin| name.starts_with(begin));
        let Some(family) = FAMILIES.iter().position(is_of) else { panic!("of no family: {name}") };
        add((&mut rows[family].0, &mut rows[family].1));
    }
    for ((counts, time), (what, goal, _)) in groups.iter().zip(GROUPS) {
        let [number, proved, bounds, exact] = counts;
        let share = 100.0 * *proved as f64 / (*number).max(1) as f64;
        let figure =
            format!("{proved} of {number} proved ({share:.0} %), {exact} of {bounds} bounds exact, ≤ {time:.3} s");
        bars.push((what, goal, figure));
    }
    bars.push(written_before());
    let mut text = String::from(
        "Bounded systems with known answers, by flow alone:\n\n| systems | number | proved | bounds | exact | longest time |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for ((family, _), ([number, proved, bounds, exact], time)) in FAMILIES.iter().zip(rows) {
        let _ = writeln!(text, "| {family} | {number} | {proved} | {bounds} | {exact} | {time:.3} |");
    }
    text
}

/// The systems that were written down before the rules.
fn written_before() -> Bar {
    let all = include_str!("../crates/certify/tests/data/before_the_rules.txt");
    let (mut number, mut proved, mut longest) = (0, 0, 0.0f64);
    for system in all.split("\n## ").skip(1).filter(|system| !system.contains("=grows")) {
        let text: String = system
            .lines()
            .skip(2)
            .filter(|line| !line.starts_with("corrected: "))
            .fold(String::new(), |text, line| text + line + "\n");
        let (report, time) = checked(&network(&text), &Question::Boundedness, 10.0);
        (number, proved, longest) = (number + 1, proved + usize::from(report.complete), longest.max(time));
    }
    let share = 100.0 * proved as f64 / f64::from(number.max(1));
    let figure = format!("{proved} of {number} proved ({share:.0} %), ≤ {longest:.3} s");
    ("200 systems written before the rules, of those that are bounded: proved by flow alone", "≥ 85 %", figure)
}

/// Systems in which a channel grows: no bound of it is proved, and a run shows it.
fn growing_systems(bars: &mut Vec<Bar>) -> String {
    let mut text = String::from(
        "\nSystems in which a channel grows without end, by both engines, 10 seconds each. *Wrong* are bounds of such a \
         channel; *shown* are those with a run that is repeated, which the replay accepts.\n\n\
         | system | wrong | shown | time |\n| --- | ---: | --- | ---: |\n",
    );
    // Of all systems, and of those that are there for their growth: how many, shown, wrong, and the longest time.
    let mut sums = [([0usize; 3], 0.0f64); 2];
    for Known { name, text: model, truth } in known().filter(|known| known.truth.iter().any(|(_, most)| most.is_none()))
    {
        let Limited { result: (verdict, bounded), time, .. } = limited(10.0, |cancel| decided(model, cancel));
        let grows = |channel: &&String| truth.iter().any(|(name, most)| name == channel && most.is_none());
        let wrong = bounded.iter().filter(grows).count();
        let is_shown = verdict == Some(Verdict::Violated);
        let is_growth = name.starts_with("growth") || name.contains("created") || name.contains("sessions");
        for (sum, longest) in sums.iter_mut().take(1 + usize::from(is_growth)) {
            sum.iter_mut().zip([1, usize::from(is_shown), wrong]).for_each(|(sum, more)| *sum += more);
            *longest = longest.max(time);
        }
        let shown = if is_shown { "yes" } else { "no" };
        let _ = writeln!(text, "| {name} | {wrong} | {shown} | {time:.2} |");
    }
    let goals = [
        ("systems that look like these and grow", "never a wrong bound; growth shown"),
        ("growth: clients without end, guards, priorities, atomic loops, doubling", "shown, < 1 s"),
    ];
    for ((what, goal), ([number, shown, wrong], time)) in goals.into_iter().zip(sums) {
        bars.push((what, goal, format!("{shown} of {number} shown, {wrong} wrong, ≤ {time:.2} s")));
    }
    text
}

/// The verdict on boundedness by both engines, and the channels with a bound.
fn decided(text: &str, cancel: &Cancel) -> (Option<Verdict>, Vec<String>) {
    let Ok(model) = Model::from_text("model.pml", text) else { return (None, Vec::new()) };
    let check = Check::new(&model).property("boundedness").map(|check| check.until(cancel).timeout(LONGEST));
    let Ok(report) = check.and_then(|check| check.run()) else { return (None, Vec::new()) };
    let Some(finding) = report.finding("boundedness") else { return (None, Vec::new()) };
    let bounded = finding.channels().into_iter().filter(|channel| channel.at_most.is_some());
    (Some(finding.verdict()), bounded.map(|channel| channel.name).collect())
}

/// The limit of wall time, for a machine that does other things, too.
pub const LONGEST: Duration = Duration::from_secs(1_000);

/// The public models with a buffered channel, where they are at hand: how many are decided with 10 seconds of CPU time.
fn public_models(bars: &mut Vec<Bar>) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/promela");
    let (mut open, mut counts, mut latest) = (Vec::new(), [0usize; 3], 0.0f64);
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(&next).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| ["pml", "pr", "prm", "promela"].iter().any(|known| e == *known))
                && let Ok(model) = Model::read(&path)
                && let Ok(check) = Check::new(&model).property("boundedness")
                && let Limited { result: Ok(report), time, over } =
                    limited(10.0, |cancel| check.until(cancel).timeout(LONGEST).run())
                && let Some(finding) = report.finding("boundedness")
                && !finding.channels().is_empty()
            {
                latest = latest.max(over.unwrap_or(0.0));
                eprintln!("public: {} {:?} {time:.2} {over:?}", path.display(), finding.verdict());
                match finding.verdict() {
                    Verdict::Proved => counts[0] += 1,
                    Verdict::Violated => counts[1] += 1,
                    _ => {
                        counts[2] += 1;
                        open.push(path.strip_prefix(&folder).unwrap_or(&path).display().to_string());
                    }
                }
            }
        }
    }
    let all: usize = counts.iter().sum();
    if all == 0 {
        return String::from("\nThe public models are not at hand.\n");
    }
    let share = 100.0 * (counts[0] + counts[1]) as f64 / all as f64;
    open.sort();
    let figure = format!("{share:.0} % ({} of {all})", counts[0] + counts[1]);
    bars.push(("public models with buffered channels, 10 s each: decided", "≥ 95 %", figure));
    bars.push(("the public model that goes on longest after its time is over", "≤ 0.5 s", format!("{latest:.2} s")));
    format!(
        "\nPublic models with buffered channels, 10 seconds of CPU time each, of all threads: {all}, of which {} are proved, {} grow, {} are open \
         ({share:.0} % decided). Open: {}.\n",
        counts[0],
        counts[1],
        counts[2],
        open.join(", ")
    )
}

// --- size --------------------------------------------------------------------------------------------

/// The text of a model, by its size.
type Text = fn(usize) -> String;

/// Clients, or workers, `N` of them, each of which `init` creates.
fn created(n: usize, declarations: &str, of: &str) -> String {
    format!("#define N {n}\n{declarations}\ninit {{ int i; do :: i < N -> run {of}(i); i++ :: else -> break od }}\n")
}

fn token_ring(n: usize) -> String {
    let ring = "chan c[N] = [1] of { bit };
proctype node(int id) { do :: c[id]?1 -> progress: c[(id + 1) % N]!1 od }
active proctype start() { c[0]!1 }";
    created(n, ring, "node")
}

fn pipeline(n: usize) -> String {
    let stages = "chan c[N] = [1] of { bit };
proctype stage(int id) { do :: c[id]?1 -> if :: id + 1 < N -> c[id + 1]!1 :: else fi od }
active proctype source() { c[0]!1; c[0]!1; c[0]!1 }";
    created(n, stages, "stage")
}

fn acknowledged(n: usize) -> String {
    let stages = "chan c[N] = [1] of { bit }; chan a[N] = [1] of { bit };
proctype stage(int id) { do :: c[id]?1 -> a[id]!1; if :: id + 1 < N -> c[id + 1]!1; a[id + 1]?1 :: else fi od }
active proctype source() { do :: c[0]!1; a[0]?1 od }";
    created(n, stages, "stage")
}

fn tree(n: usize) -> String {
    let nodes = "chan down[N] = [1] of { bit }; chan up[N] = [1] of { bit };
proctype node(int id) {
  do
  :: down[id]?1 ->
     if :: 2 * id + 1 < N -> down[2 * id + 1]!1 :: else fi;
     if :: 2 * id + 2 < N -> down[2 * id + 2]!1 :: else fi;
     if :: 2 * id + 1 < N -> up[2 * id + 1]?1 :: else fi;
     if :: 2 * id + 2 < N -> up[2 * id + 2]?1 :: else fi;
     up[id]!1
  od
}
active proctype root() { do :: down[0]!1; up[0]?1 od }";
    created(n, nodes, "node")
}

fn reply_channels(n: usize) -> String {
    let clients = "chan ask = [1] of { chan };
proctype client(int id) { chan mine = [1] of { bit }; do :: ask!mine; mine?1 od }
active proctype server() { chan reply; do :: ask?reply -> reply!1 od }";
    created(n, clients, "client")
}

fn options(n: usize) -> String {
    let each: String = (0..n).map(|i| format!("  :: c[{i}]?1 -> r[{i}]!1\n")).collect();
    let clients = format!(
        "chan c[N] = [1] of {{ bit }}; chan r[N] = [1] of {{ bit }};
proctype client(int id) {{ do :: c[id]!1; r[id]?1 od }}
active proctype server() {{\n  do\n{each}  od\n}}"
    );
    created(n, &clients, "client")
}

fn client_server(n: usize) -> String {
    crate::one_server(n)
}

fn barrier(n: usize) -> String {
    let workers = "chan go[N] = [1] of { bit }; chan here[N] = [1] of { bit };
proctype worker(int id) { do :: here[id]!1; go[id]?1 od }
active proctype master() {
  int i;
  do :: for (i : 0 .. N - 1) { here[i]?1 }; for (i : 0 .. N - 1) { go[i]!1 } od
}";
    created(n, workers, "worker")
}

fn two_phase_commit(n: usize) -> String {
    let participants = "mtype = { prepare, yes, no, commit, abort, done };
chan down[N] = [2] of { mtype }; chan up[N] = [2] of { mtype };
proctype participant(int id) {
  do
  :: down[id]?prepare ->
     if :: up[id]!yes; if :: down[id]?commit :: down[id]?abort fi :: up[id]!no; down[id]?abort fi;
     up[id]!done
  od
}
active proctype coordinator() {
  int i; bool ok;
  do
  :: ok = true;
     for (i : 0 .. N - 1) { down[i]!prepare };
     for (i : 0 .. N - 1) { if :: up[i]?yes :: up[i]?no -> ok = false fi };
     if
     :: ok -> for (i : 0 .. N - 1) { down[i]!commit }
     :: else -> for (i : 0 .. N - 1) { down[i]!abort }
     fi;
     for (i : 0 .. N - 1) { up[i]?done }
  od
}";
    created(n, participants, "participant")
}

/// Bounds that a run reaches, for a thousand processes.
fn exact_shares(bars: &mut Vec<Bar>) -> String {
    let mut text = String::from(
        "\nThe share of bounds that are exact, of a thousand processes, by both engines:\n\n\
         | system | channels | exact | time |\n| --- | ---: | ---: | ---: |\n",
    );
    let systems: [(&str, Text); 5] = [
        ("client–server", client_server),
        ("tree", tree),
        ("barrier", barrier),
        ("acknowledged pipeline", acknowledged),
        ("two-phase commit", two_phase_commit),
    ];
    let (mut least, mut longest) = (100.0f64, 0.0f64);
    for (name, model) in systems {
        eprintln!("exact: {name}");
        let ((channels, exact), time) = timed(|| exact(&model(1000)));
        (least, longest) = (least.min(100.0 * exact as f64 / channels as f64), longest.max(time));
        let _ = writeln!(text, "| {name} | {channels} | {:.1} % | {time:.2} |", 100.0 * exact as f64 / channels as f64);
    }
    let figure = format!("≥ {least:.1} %, ≤ {longest:.2} s");
    bars.push(("bounds that are exact with a thousand processes, five families", "≥ 95 %, ≤ 5 s", figure));
    text
}

fn exact(text: &str) -> (usize, usize) {
    let Ok(model) = Model::from_text("model.pml", text) else { panic!("a model: {text}") };
    let check = |cancel: &Cancel| Check::new(&model).property("boundedness")?.until(cancel).timeout(LONGEST).run();
    let Ok(report) = limited(60.0, check).result else { panic!("no answer: {text}") };
    let channels: Vec<_> = report.findings().flat_map(|finding| finding.channels()).collect();
    (channels.len(), channels.iter().filter(|channel| channel.is_exact()).count())
}

/// CPU time with ten times as many processes, reading included, and the memory of an election.
fn exponents(bars: &mut Vec<Bar>) -> String {
    let mut text = String::from(
        "\nTen times as many processes, by flow, reading and bounds included:\n\n\
         | system | n = 1,000 | n = 10,000 | exponent |\n| --- | ---: | ---: | ---: |\n",
    );
    let livelock = || Question::Livelock { events: Vec::new() };
    let systems: [(&str, Text, Question); 8] = [
        ("ring", token_ring, Question::Boundedness),
        ("pipeline", pipeline, Question::Boundedness),
        ("acknowledged pipeline", acknowledged, Question::Boundedness),
        ("tree", tree, Question::Boundedness),
        ("clients with reply channels in messages", reply_channels, Question::Boundedness),
        ("server with n options", options, Question::Boundedness),
        ("leader election", ring, Question::Boundedness),
        ("ring, freedom from livelock", token_ring, livelock()),
    ];
    let mut steepest = 0.0f64;
    for (name, model, question) in systems {
        eprintln!("exponent: {name}");
        let [small, large] = [1_000, 10_000].map(|n| {
            let (network, reading) = timed(|| network(&model(n)));
            let (report, time) = checked(&network, &question, 60.0);
            (report, reading + time)
        });
        let cell =
            |(report, time): &(Report, f64)| format!("{time:.2}{}", if report.complete { "" } else { " (not proved)" });
        let exponent = (large.1 / small.1).log10();
        steepest = steepest.max(exponent);
        let _ = writeln!(text, "| {name} | {} | {} | {exponent:.2} |", cell(&small), cell(&large));
    }
    let memory = election_memory();
    let _ = writeln!(text, "\nMemory for the leader election with n = 3,000: {memory} MB at most.");
    bars.push(("CPU exponent between n = 1,000 and 10,000, eight families", "≤ 1.4", format!("≤ {steepest:.2}")));
    bars.push(("memory, leader election n = 3,000", "< 200 MB", format!("{memory} MB")));
    text
}

/// The most memory that this process has used: bytes. (Linux.)
pub fn measure_election() -> String {
    let (report, _) = checked(&network(&ring(3_000)), &Question::Boundedness, 60.0);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap_or(0);
    format!("{}{}", kilobytes / 1000, if report.complete { "" } else { " (not proved)" })
}

/// In a process of its own, since memory that was used before counts.
fn election_memory() -> String {
    let output = std::env::current_exe().and_then(|own| Command::new(own).arg("election").output());
    output.map_or(String::from("–"), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

// --- searches ----------------------------------------------------------------------------------------

/// The same states, visited for boundedness and for safety.
fn searches(bars: &mut Vec<Bar>) -> String {
    let model = "chan c[4] = [8] of { byte };
active [4] proctype P() {
  byte n, x;
  do
  :: n < 3 -> n++; c[_pid]!n
  :: c[(_pid + 1) % 4]?x
  :: n == 3 -> break
  od
}
";
    let network = network(model);
    let unlimited = Budget::unlimited();
    let semantics = Semantics::new(&network, Reading::Unbounded);
    let options = GrowthOptions { reduction: Mode::Off, ..GrowthOptions::default() };
    let (grown, bounds) = timed(|| growth(&semantics, &options, &Context::silent(&unlimited)));
    let options = Options { properties: vec![Property::Safety], reduction: Mode::Off, ..Options::default() };
    let semantics = Semantics::new(&network, Reading::Declared);
    let (found, safety) = timed(|| search(&semantics, &options, &Context::silent(&unlimited)));
    let ratio = (bounds / grown.stats.states as f64) / (safety / found.stats.states as f64);
    bars.push(("boundedness search against safety search on the same states", "≤ 3×", format!("{ratio:.1}×")));
    format!(
        "\nA search for boundedness against one for safety: {} states in {bounds:.2} s, {} in {safety:.2} s; {ratio:.1}× per \
         state.\n",
        grown.stats.states, found.stats.states,
    )
}

/// A chain of stages each of which sends two messages for one: the bounds do not fit into 64 bits.
fn numbers() -> Bar {
    let model = created(
        64,
        "chan c[N + 1] = [1] of { bit };
proctype stage(int id) { do :: c[id]?1 -> c[id + 1]!1; c[id + 1]!1 od }
active proctype start() { c[0]!1 }",
        "stage",
    );
    let limit = Duration::from_secs(3);
    let watch = Stopwatch::start();
    let report = Model::from_text("model.pml", &model)
        .and_then(|model| Check::new(&model).property("boundedness")?.timeout(limit).run());
    let over = (watch.elapsed().as_secs_f64() - limit.as_secs_f64()).max(0.0);
    let reason = report.ok().and_then(|report| Some(report.finding("boundedness")?.reason()?.to_string()));
    let figure = format!("{}, {over:.2} s over its time limit", reason.unwrap_or_else(|| String::from("proved")));
    ("a doubling chain of 64 stages, 3 s", "a bound, or a clear reason, ≤ 0.5 s late", figure)
}
