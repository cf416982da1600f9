//! What SPIN and Highwater say of a model.

use explore::{Options, Order};
use model::budget::Budget;
use model::context::Context;
use model::semantics::{Reading, Semantics};
use model::verdict::{Property, Reason, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Models with more states are left out: SPIN's verifier would take too long for them.
const MOST_STATES: u64 = 30_000;

/// Line and state of statements that were not reached, by process type.
pub type Unreached = BTreeMap<String, Vec<(usize, u32)>>;

/// SPIN's report.
#[derive(Debug, Default, Clone)]
pub struct Spin {
    pub states: u64,
    pub safety: bool,
    pub deadlock: bool,
    /// An error after which SPIN goes on and Highwater does not.
    pub fatal: bool,
    pub unreached: Unreached,
    pub messages: Vec<String>,
}

/// Highwater's report.
#[derive(Debug, Clone)]
pub struct Ours {
    pub states: u64,
    pub safety: bool,
    pub deadlock: bool,
    pub unreached: Unreached,
}

/// How a comparison ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Both agree.
    Agree(Spin),
    /// SPIN refuses the model.
    Refused(String),
    /// Too many states.
    Large,
    /// SPIN's verifier did not finish.
    Unfinished(String),
    /// The verdicts agree, and SPIN's two searches do not agree with each other about the number of states: a bug of its
    /// verifiers that the book's chapter on differences describes.
    Excused(String),
    Differ(Difference),
}

/// How Highwater and SPIN differ.
#[derive(Debug, Clone)]
pub struct Difference {
    pub how: String,
    /// How many states SPIN has, if the difference is in states only, reached or stored.
    states: Option<u64>,
}

/// Complaints after which SPIN makes a verifier all the same.
const TOLERATED: &[&str] = &["place initialized chan decl", "dubious use of 'else'"];

/// Errors after which the verifier stops, however many errors were allowed.
const STOPS: &[&str] = &["block in d_step seq", "qsend bad queue#", "rv-attempt in d_step"];

pub fn installed(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

pub fn execute(folder: &Path, seconds: u32, program: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new("timeout");
    command.arg(format!("{seconds}s")).arg(program).args(arguments).current_dir(folder);
    let output = command.stdin(Stdio::null()).output().expect("`timeout` is there");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

fn first_line(text: &str) -> String {
    text.lines().find(|l| l.contains("rror")).or(text.lines().next()).unwrap_or_default().trim().to_owned()
}

fn fast_compiler() -> &'static str {
    static FAST: OnceLock<&str> = OnceLock::new();
    FAST.get_or_init(testing::judge::verifier_compiler)
}

/// Compares with a verifier of the fast compiler; a difference must be one for the system's compiler, too.
pub fn confirmed<T>(judge: impl Fn(&str) -> T, differs: impl Fn(&T) -> bool) -> T {
    let first = judge(fast_compiler());
    if differs(&first) && fast_compiler() != "cc" { judge("cc") } else { first }
}

/// Makes a verifier; `Err` has SPIN's reason for refusing the model.
pub fn compile(folder: &Path, compiler: &str, text: &str, flags: &[&str]) -> Result<(), String> {
    std::fs::write(folder.join("model.pml"), text).expect("the model is written");
    let _ = std::fs::remove_file(folder.join("pan.c"));
    // Tiny C's preprocessor takes half the time of SPIN's own choice.
    let preprocessor: &[&str] = if compiler == "tcc" { &["-Ptcc -xc -E"] } else { &[] };
    let (_, said) = execute(folder, 100, "spin", &[preprocessor, &["-o1", "-o2", "-o3", "-a", "model.pml"]].concat());
    let tolerated = |line: &str| TOLERATED.iter().any(|t| line.contains(t));
    let error = said.lines().find(|line| line.contains("rror") && !tolerated(line));
    if !folder.join("pan.c").exists() || error.is_some() {
        return Err(error.unwrap_or("no pan.c").trim().to_owned());
    }
    repair(folder);
    let mut arguments = vec!["-O0", "-w", "-DNOREDUCE", "-DVECTORSZ=4096"];
    arguments.extend_from_slice(flags);
    arguments.extend_from_slice(&["-o", "pan", "pan.c"]);
    let (code, said) = execute(folder, 600, compiler, &arguments);
    if code == Some(0) { Ok(()) } else { Err(format!("pan.c: {}", first_line(&said))) }
}

/// Repairs bugs of SPIN's verifiers, which the book's chapter on differences describes: a `d_step` that begins with an
/// assertion or a `printf` is executed in the middle of a rendezvous; a poll has no parentheses, and `??[..]` is the place of
/// the message; an `enabled` inside another one makes that one take the step, and `else` is requested the wrong process; a
/// rendezvous in an escape that finds no partner makes the verifier forget that another escape was executed.
fn repair(folder: &Path) {
    let change = |file: &str, change: &dyn Fn(String) -> String| {
        let path = folder.join(file);
        let bytes = std::fs::read(&path).expect("SPIN has written it");
        std::fs::write(path, change(String::from_utf8_lossy(&bytes).into_owned())).expect("it is written again");
    };
    change("pan.m", &|text| {
        let text = text.replace("/* default 258 */", "IfNotBlocked").replace("/* default 259 */", "IfNotBlocked");
        // A receive needs the place of the message.
        without_tests_for_rendezvous(&text).replace("Q_has(", "!!Q_has(").replace("(XX = !!Q_has(", "(XX = Q_has(")
    });
    change("pan.h", &|text| text.replace("int e_state;", "int e_state, e_before;"));
    change("pan.c", &|text| {
        let text =
            text.replace("trpt->e_state = t->e_trans;", "trpt->e_before = trpt->e_state; trpt->e_state = t->e_trans;");
        let text = text.replace("else trpt->e_state = 0; /* undo */", "else trpt->e_state = trpt->e_before;");
        let begins = "int before = TstOnly, moved = trpt->o_pm;\n\ttrpt->o_pm &= ~1;\n\tTstOnly = 1;\n\ttt = (int)";
        let ends = "TstOnly = before;\n\ttrpt->o_pm = moved;\n\t_this = othis;\n\treturn res;";
        let text = text.replace("TstOnly = 1;\n\ttt = (int)", begins);
        text.replace("TstOnly = 0;\n\t_this = othis;\n\treturn res;", ends)
    });
}

/// `Q_has(c, ..)` for `not_RV(c) && Q_has(c, ..)`: the generator polls buffered channels only.
fn without_tests_for_rendezvous(text: &str) -> String {
    const AND: &str = " && \\\n\t\t";
    let mut parts = text.split(AND);
    let mut repaired = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match repaired.rfind("not_RV(").filter(|test| !repaired[*test..].contains('\n')) {
            Some(test) => repaired.truncate(test),
            None => repaired.push_str(AND),
        }
        repaired.push_str(part);
    }
    repaired
}

/// The number before a phrase of SPIN's report.
fn number_before(text: &str, phrase: &str) -> Option<u64> {
    text[..text.find(phrase)?].split_whitespace().next_back()?.parse::<f64>().ok().map(|n| n as u64)
}

/// Runs the verifier for states and errors.
fn verify(folder: &Path) -> Result<Spin, String> {
    let (code, said) = execute(folder, 60, "./pan", &["-m20000", "-w18", "-c0"]);
    let stopped = STOPS.iter().any(|error| said.contains(error));
    let complete = code == Some(0) && !said.contains("Search not completed") && !said.contains("depth too small");
    let complete = complete || stopped;
    let states = number_before(&said, " states, stored");
    let (Some(states), true) = (states, complete) else { return Err(first_line(&said)) };
    let mut spin = Spin { states, ..Spin::default() };
    for line in said.lines().filter_map(|l| l.strip_prefix("pan:")) {
        let Some((_, message)) = line.split_once(": ") else { continue };
        match message {
            m if m.starts_with("invalid end state") => spin.deadlock = true,
            m if m.starts_with("assertion violated") => spin.safety = true,
            _ => (spin.safety, spin.fatal) = (true, true),
        }
        spin.messages.push(message.to_owned());
    }
    spin.unreached = unreached(&said);
    Ok(spin)
}

/// The part of the report on states that were not reached.
fn unreached(said: &str) -> Unreached {
    let mut all = Unreached::new();
    let mut process = None;
    for line in said.lines() {
        if let Some(name) = line.strip_prefix("unreached in ") {
            let name = name.trim_start_matches("proctype ").trim();
            let name = if name == "init" { ":init:" } else { name };
            process = Some(name.to_owned());
            all.insert(name.to_owned(), Vec::new());
        } else if let (Some(name), Some(rest)) = (&process, line.trim().strip_prefix("model.pml:")) {
            let mut cells = rest.split(", ");
            let line = cells.next().and_then(|n| n.parse().ok());
            let state = cells.next().and_then(|s| s.strip_prefix("state ")).and_then(|n| n.parse().ok());
            all.entry(name.clone()).or_default().extend(line.zip(state));
        }
    }
    all
}

/// Hidden variables are no part of SPIN's states, as `_` is not of ours. The generator only assigns them.
fn without_hidden(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some((before, after)) = text.split_once("hidden byte ") {
        let Some((name, rest)) = after.split_once(';') else { break };
        let assigned = format!("{name} = ");
        text = format!("{before}{}", rest.replace(&assigned, "_ = "));
    }
    text
}

/// Process types and states that were not reached.
fn states(unreached: &Unreached) -> BTreeSet<(&str, u32)> {
    unreached.iter().flat_map(|(name, all)| all.iter().map(|(_, state)| (name.as_str(), *state))).collect()
}

/// Highwater's search, in this process; nothing if there are too many states.
pub fn search(text: &str) -> Result<Option<Ours>, String> {
    let read = promela::read("model.pml", &without_hidden(text), &promela::preprocess::Options::default());
    let Some(network) = read.network else {
        let first = read.diagnostics.first().map_or_else(String::new, |d| d.message.clone());
        return Err(first);
    };
    let semantics = Semantics::new(&network, Reading::Declared);
    let properties = vec![Property::Safety, Property::Deadlock];
    let few = Budget::unlimited().states(MOST_STATES);
    let options = Options { order: Order::Breadth, keep_going: true, properties, ..Options::default() };
    let outcomes = explore::check(&semantics, &read.sources, &options, &Context::silent(&few));
    if outcomes.iter().any(|o| matches!(o.verdict, Verdict::Inconclusive(Reason::States))) {
        return Ok(None);
    }
    let states = outcomes[0].stats.as_ref().map_or(0, |s| s.states);
    if states >= MOST_STATES {
        return Ok(None);
    }
    let violated = |index: usize| outcomes[index].verdict == Verdict::Violated;
    let mut unreached = Unreached::new();
    for statement in &outcomes[0].details.unreached {
        let line = read.sources.position(statement.span).line as usize;
        unreached.entry(statement.process.clone()).or_default().push((line, statement.state));
    }
    Ok(Some(Ours { states, safety: violated(0), deadlock: violated(1), unreached }))
}

/// Compares states and errors.
pub fn compare(folder: &Path, text: &str) -> Outcome {
    let ours = match search(text) {
        Ok(None) => return Outcome::Large,
        Ok(Some(ours)) => Ok(ours),
        Err(reason) => Err(reason),
    };
    let differs = |outcome: &Outcome| !matches!(outcome, Outcome::Agree(_) | Outcome::Large);
    let depth_first = confirmed(|compiler| against_spin(folder, compiler, text, ours.as_ref(), None), differs);
    let Outcome::Differ(Difference { states: Some(states), .. }) = depth_first else { return depth_first };
    // Where SPIN's two searches do not agree with each other, one of them does not restore a state as it was. Local arrays of
    // channels have that effect on both.
    match against_spin(folder, "cc", text, ours.as_ref(), Some("-DBFS")) {
        Outcome::Agree(spin) => Outcome::Excused(format!("{states} states, and {} with -DBFS, as here", spin.states)),
        Outcome::Differ(Difference { states: Some(others), .. }) if others != states && has_local_channels(text) => {
            Outcome::Excused(format!("{states} states, and {others} with -DBFS: local arrays of channels"))
        }
        _ => depth_first,
    }
}

/// Whether a process has an array of channels; the generator calls it `k` and a number.
fn has_local_channels(text: &str) -> bool {
    let names = text.split("chan k").skip(1);
    names.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit())).any(|rest| rest.starts_with('['))
}

fn against_spin(
    folder: &Path,
    compiler: &str,
    text: &str,
    ours: Result<&Ours, &String>,
    search: Option<&str>,
) -> Outcome {
    let mut flags = vec!["-DSAFETY", "-DNOCLAIM"];
    flags.extend(search);
    if ["priority", "unsigned"].iter().any(|word| text.contains(word)) {
        // Otherwise SPIN's verifier takes part of a priority, or of a number of more than 8 bits, for padding.
        flags.push("-DNOCOMP");
    }
    if let Err(reason) = compile(folder, compiler, text, &flags) {
        return Outcome::Refused(reason);
    }
    let spin = match verify(folder) {
        Ok(spin) => spin,
        Err(reason) => return Outcome::Unfinished(reason),
    };
    let ours = match ours {
        Ok(ours) => ours,
        Err(reason) => return Outcome::Differ(Difference { how: format!("refused here: {reason}"), states: None }),
    };
    let same_verdicts = match spin.fatal {
        true => ours.safety || ours.deadlock,
        false => ours.safety == spin.safety && ours.deadlock == spin.deadlock,
    };
    let same_states = ours.states == spin.states && states(&ours.unreached) == states(&spin.unreached);
    if same_verdicts && (same_states || spin.fatal) {
        return Outcome::Agree(spin);
    }
    let states = same_verdicts.then_some(spin.states);
    let spin = (spin.states, spin.safety, spin.deadlock, spin.messages, spin.unreached);
    let how = format!("{ours:?}; SPIN: states, safety, deadlock, messages, unreached {spin:?}");
    Outcome::Differ(Difference { how, states })
}
