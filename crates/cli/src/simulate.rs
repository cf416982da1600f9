//! `simulate`: one run of a model, at random, chosen by hand, or along a trace.
//!
//! The simulator takes its steps from the same semantics as the engines, so a trace that an engine
//! wrote replays here, step by step.

use crate::arguments::SimulateArgs;
use crate::failure::Failure;
use crate::model_file::{self, ModelFile};
use crate::{components, compositions, machines, programs, terminal, verify};
use cfront::term::Scalar;
use model::budget::{Budget, Cancel};
use model::fault::FaultAt;
use model::semantics::{Reading, Semantics, Step};
use model::source::SourceMap;
use model::trace::{Narrator, ReplayError, Snapshot};
use report::chart::{self, Fold};
use report::diagnostics;
use report::parse;
use std::io::{BufRead, Write};
use std::path::Path;

/// Runs a model once.
pub fn run(args: &SimulateArgs, stop: &Cancel) -> Result<i32, Failure> {
    let budget = &Budget::unlimited().until(stop);
    if let Some(trace) = &args.replay {
        return replay(args, trace, budget);
    }
    let file = read(args, &args.read, budget)?;
    let mut chooser = if args.interactive { Chooser::Hand } else { Chooser::Random(Random::new(args.seed)) };
    if let Some(composition) = &file.composition {
        return compositions::run(composition, args, &mut chooser);
    }
    if let Some(program) = &file.program {
        return programs::run(program, &file.sources, args, &mut chooser);
    }
    if let Some(components) = &file.components {
        return components::run(components, &file.sources, args, &mut chooser);
    }
    let Some(network) = &file.network else { return Err(Failure::Model) };
    let semantics = Semantics::new(network, reading(args, &file));
    Simulation::new(&semantics, &file)?.run(args.steps, &mut chooser)
}

/// Queues of communicating machines have no capacity that could be read otherwise.
fn reading(args: &SimulateArgs, file: &ModelFile) -> Reading {
    if file.specification.is_some() { Reading::Unbounded } else { args.channels.into() }
}

/// What is wrong at the end of a run of communicating machines that was written for a property.
fn end_of_machines(
    semantics: &Semantics<'_>,
    file: &ModelFile,
    args: &SimulateArgs,
    property: &str,
    state: &[u8],
) -> Result<Option<&'static str>, Failure> {
    let own = file.specification.clone().unwrap_or_default();
    let style = terminal::error_style(&args.style);
    let specification = machines::chosen(own, semantics.network(), &args.bad, style)?;
    let asked = machines::properties().into_iter().find(|asked| asked.to_string() == property);
    let end = asked.and_then(|asked| machines::ending(semantics, &file.sources, &specification, &asked, state));
    Ok(end.map(|end| end.code))
}

fn read(args: &SimulateArgs, read: &crate::arguments::ReadArgs, budget: &Budget) -> Result<ModelFile, Failure> {
    let file = model_file::read(&args.file, read, budget)?;
    if !file.diagnostics.is_empty() {
        let text = diagnostics::render(&file.diagnostics, &file.sources, terminal::error_style(&args.style));
        std::io::stderr().write_all(text.as_bytes())?;
    }
    Ok(file)
}

/// Follows a trace; it must end in the problem it was written for.
fn replay(args: &SimulateArgs, path: &Path, budget: &Budget) -> Result<i32, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Unreadable { file: path.display().to_string(), reason: e.to_string() })?;
    let trace = parse::parse_trace(&text).map_err(|e| Failure::Mismatch(format!("{}: {e}", path.display())))?;
    let mut read_args = args.read.clone();
    read_args.define.clone_from(&trace.defines);
    read_args.system.clone_from(&trace.system);
    if let Some(reading) = &trace.c {
        let unknown = || Failure::Mismatch(format!("there is no data model `{}`", reading.data_model));
        read_args.c = programs::options_named(&reading.data_model, reading.signed_overflow).ok_or_else(unknown)?;
        read_args.c.entry.clone_from(&reading.entry);
    }
    let file = read(args, &read_args, budget)?;
    verify::belongs(&trace.sha256, &file)?;
    if file.composition.is_some() || file.components.is_some() {
        return replay_joint(args, &read_args, &trace, file, budget);
    }
    if let Some(program) = &file.program {
        return programs::replay(program, &file.sources, &trace, args);
    }
    let Some(network) = &file.network else { return Err(Failure::Model) };
    let semantics = Semantics::new(network, trace.reading);
    let mut narrator = Narrator::new(&semantics, &file.sources);
    let replayed = match narrator.replay(&trace.steps) {
        Ok(replayed) => replayed,
        Err(ReplayError::Initial(fault)) if trace.problem_code.as_deref() == Some(fault.fault.code()) => {
            let place = file.sources.describe(fault.span);
            writeln!(std::io::stdout(), "replayed 0 steps: {} at {place}, in the first state", fault.fault)?;
            return Ok(0);
        }
        Err(error) => return Err(Failure::Mismatch(not_replayed(&error))),
    };
    let standing = narrator.snapshot(&replayed.state).processes;
    let stuck = replayed.fault.is_none() && nothing_moves(&semantics, &replayed.state, replayed.control);
    let of_queues = matches!(trace.property.as_str(), "reception" | "orphan");
    let machines = (file.specification.is_some() || of_queues) && trace.loop_from.is_none();
    let problem = match &replayed.fault {
        // After a failed assertion a run goes on, and may end with another problem.
        Some(fault) if !of_queues => Some(fault.fault.code()),
        _ if machines => end_of_machines(&semantics, &file, args, &trace.property, &replayed.state)?,
        None if trace.loop_from.is_none() && is_assertion(&trace.property) => {
            broken_assertion(&semantics, &file.sources, &trace.property, &trace.steps)
        }
        None if stuck => Some("invalid-end-state"),
        _ => None,
    };
    // A run with a loop has no problem at its end: its loop is the problem.
    let looping = trace.loop_from.is_some() && problem.is_none();
    if trace.problem_code.is_some() && trace.problem_code.as_deref() != problem && !looping {
        let (expected, found) = (trace.problem_code.unwrap_or_default(), problem.unwrap_or("no problem"));
        return Err(Failure::Mismatch(format!("the run ends with {found}, not with {expected}")));
    }
    let style = terminal::style(&args.style);
    let mut out = std::io::stdout().lock();
    out.write_all(chart::run(&replayed.steps, trace.loop_from, Fold::Nothing, &file.sources, style).as_bytes())?;
    out.write_all(chart::standing(&standing, stuck, &file.sources, style).as_bytes())?;
    let end = problem.or(trace.problem_code.as_deref().filter(|_| looping)).unwrap_or("no problem");
    let (steps, property, reading) = (replayed.steps.len(), &trace.property, trace.reading.name());
    writeln!(out, "replayed {steps} steps: {end} ({property}, channels {reading})")?;
    Ok(0)
}

/// A trace of structures or of C components side by side, with the formula that it is about if that is none of theirs.
fn replay_joint(
    args: &SimulateArgs,
    read: &crate::arguments::ReadArgs,
    trace: &parse::Trace,
    mut file: ModelFile,
    budget: &Budget,
) -> Result<i32, Failure> {
    if let Some(formula) = trace.property.strip_prefix("ltl:").filter(|name| !file.has_formula(name)) {
        file = model_file::read_with_formulas(&args.file, read, &[formula.to_owned()], budget)?;
    }
    match (&file.composition, &file.components) {
        (Some(composition), _) => compositions::replay(composition, trace, args),
        (None, Some(components)) => components::replay(components, &file.sources, trace, args),
        (None, None) => Err(Failure::Model),
    }
}

fn is_assertion(property: &str) -> bool {
    property == "trace" || property == "notrace"
}

/// What is wrong with the messages of a run, by the assertion of the model.
fn broken_assertion(
    semantics: &Semantics<'_>,
    sources: &SourceMap,
    property: &str,
    steps: &[Step],
) -> Option<&'static str> {
    let machine = semantics.network().claims.iter().find(|claim| claim.name == property)?;
    explore::traced::witness(semantics, sources, machine, steps).map(|witness| witness.problem_code)
}

fn nothing_moves(semantics: &Semantics<'_>, state: &[u8], control: Option<u32>) -> bool {
    let mut stepper = semantics.stepper();
    let control = control.filter(|&process| stepper.keeps_control(state, process) == Ok(true));
    stepper.expand(state, control, &mut |_| ()) == Ok(0)
}

fn not_replayed(error: &ReplayError) -> String {
    match error {
        ReplayError::NoSuchStep(position) => {
            format!("step {} of the trace is not possible in this model", position + 1)
        }
        ReplayError::Initial(fault) => format!("the first state has a fault: {}", fault.fault),
        ReplayError::Overflow(overflow) => overflow.to_string(),
    }
}

/// Who chooses the next step.
pub enum Chooser {
    /// The dice.
    Random(Random),
    /// The user.
    Hand,
}

impl Chooser {
    /// One of some steps; nothing at the end of the input, or for `q`.
    pub fn choose(&mut self, out: &mut dyn Write, options: &[String]) -> Result<Option<usize>, Failure> {
        match self {
            Chooser::Random(random) => Ok(Some(random.below(options.len()))),
            Chooser::Hand => ask(out, options),
        }
    }

    /// A value that comes from outside, as the bits of its type; nothing at the end of the input, or for `q`.
    pub fn number(&mut self, out: &mut dyn Write, what: &str, scalar: Scalar) -> Result<Option<u64>, Failure> {
        let number = match self {
            Chooser::Random(random) => Some(i128::from(DRAWN[random.below(DRAWN.len())])),
            Chooser::Hand => ask_number(out, what)?,
        };
        let mask = u64::MAX >> (64 - u32::from(scalar.width.clamp(1, 64)));
        Ok(number.map(|number| number as u64 & mask))
    }
}

/// Numbers that are drawn for what comes from outside: mostly small ones, on which most programs decide.
const DRAWN: [i64; 12] = [0, 0, 1, 1, 2, 3, 4, 7, 10, 100, -1, -2];

/// Reads a number; nothing at the end of the input, or for `q`.
fn ask_number(out: &mut dyn Write, what: &str) -> Result<Option<i128>, Failure> {
    loop {
        write!(out, "{what} (a number, or q): ")?;
        out.flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 || line.trim() == "q" {
            writeln!(out)?;
            return Ok(None);
        }
        match line.trim().parse::<i128>() {
            Ok(number) => return Ok(Some(number)),
            Err(_) => writeln!(out, "please give a number")?,
        }
    }
}

/// A small generator of random numbers (SplitMix64): the same on every machine.
pub struct Random {
    state: u64,
}

impl Random {
    fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((u128::from(z) * bound as u128) >> 64) as usize
    }
}

/// A step that can be taken now.
struct Candidate {
    step: Step,
    state: Option<Vec<u8>>,
    control: Option<u32>,
    fault: Option<FaultAt>,
}

struct Simulation<'a> {
    narrator: Narrator<'a>,
    semantics: &'a Semantics<'a>,
    file: &'a ModelFile,
    state: Vec<u8>,
    control: Option<u32>,
    snapshot: Snapshot,
}

impl<'a> Simulation<'a> {
    fn new(semantics: &'a Semantics<'a>, file: &'a ModelFile) -> Result<Self, Failure> {
        let state = match semantics.stepper().initial() {
            Ok(Ok(state)) => state,
            Ok(Err(fault)) => return Err(Failure::Mismatch(format!("the first state has a fault: {}", fault.fault))),
            Err(overflow) => return Err(Failure::Mismatch(overflow.to_string())),
        };
        let mut narrator = Narrator::new(semantics, &file.sources);
        let snapshot = narrator.snapshot(&state);
        Ok(Simulation { narrator, semantics, file, state, control: None, snapshot })
    }

    fn run(&mut self, most: usize, chooser: &mut Chooser) -> Result<i32, Failure> {
        let mut out = std::io::stdout().lock();
        for number in 1..=most {
            let candidates = self.candidates()?;
            if candidates.is_empty() {
                return self.stopped(&mut out, number - 1);
            }
            let index = match chooser {
                Chooser::Random(random) => random.below(candidates.len()),
                Chooser::Hand => match self.ask(&mut out, &candidates)? {
                    Some(index) => index,
                    None => return Ok(0),
                },
            };
            let Some(chosen) = candidates.into_iter().nth(index) else { return Ok(0) };
            if let Some(code) = self.take(&mut out, number, chosen)? {
                return Ok(code);
            }
        }
        writeln!(out, "stopped after {most} steps (--steps)")?;
        Ok(0)
    }

    fn candidates(&mut self) -> Result<Vec<Candidate>, Failure> {
        let mut stepper = self.semantics.stepper();
        let bound = |o: model::fault::Overflow| Failure::Mismatch(o.to_string());
        let control = match self.control {
            Some(process) if stepper.keeps_control(&self.state, process).map_err(bound)? => Some(process),
            _ => None,
        };
        let mut candidates = Vec::new();
        stepper
            .expand(&self.state, control, &mut |s| {
                let (step, state, control) = (s.step, s.state.map(<[u8]>::to_vec), s.control);
                candidates.push(Candidate { step, state, control, fault: s.fault });
            })
            .map_err(bound)?;
        Ok(candidates)
    }

    /// Takes a step and prints it; returns an exit code if the run cannot go on.
    fn take(&mut self, out: &mut dyn Write, number: usize, chosen: Candidate) -> Result<Option<i32>, Failure> {
        let words = self.narrator.describe(&self.state, chosen.step);
        if let Some(text) = self.narrator.output(&self.state, chosen.step) {
            writeln!(out, "      {}", text.trim_end_matches('\n'))?;
        }
        let who = words.actor.as_ref().map(|a| format!("{}:{}", a.name, a.instance)).unwrap_or_default();
        let place = words.actor.as_ref().map(|a| self.file.sources.short(a.span)).unwrap_or_default();
        let partner = words.partner.as_ref().map(|p| format!(" -> {}:{}", p.name, p.instance)).unwrap_or_default();
        write!(out, "{number:5} {place:<20} {who:<16} {}{partner}", words.event)?;
        let Some(next) = chosen.state else {
            writeln!(out)?;
            return self.fault(out, chosen.fault);
        };
        let after = self.narrator.snapshot(&next);
        for change in model::trace::changes(&self.snapshot, &after) {
            write!(out, "  {}={}", change.name, change.value)?;
        }
        for contents in model::trace::touched(&self.snapshot, &after) {
            write!(out, "  {}=[{}]", contents.channel, contents.messages.join(" "))?;
        }
        writeln!(out)?;
        (self.state, self.control, self.snapshot) = (next, chosen.control, after);
        self.fault(out, chosen.fault)
    }

    fn fault(&self, out: &mut dyn Write, fault: Option<FaultAt>) -> Result<Option<i32>, Failure> {
        let Some(FaultAt { fault, span }) = fault else { return Ok(None) };
        writeln!(out, "violated: {fault} at {}", self.file.sources.describe(span))?;
        Ok(Some(1))
    }

    /// Nothing can move.
    fn stopped(&mut self, out: &mut dyn Write, steps: usize) -> Result<i32, Failure> {
        if self.semantics.stepper().is_valid_end(&self.state) {
            writeln!(out, "the run ends after {steps} steps: nothing can move, and every process may stop")?;
            return Ok(0);
        }
        writeln!(out, "violated: invalid end state after {steps} steps: nothing can move")?;
        for standing in self.snapshot.processes.iter().filter(|s| !s.valid_end) {
            let actor = &standing.actor;
            writeln!(out, "  {}:{} waits at {}", actor.name, actor.instance, self.file.sources.describe(actor.span))?;
        }
        Ok(1)
    }

    /// Shows the candidates and reads a number; nothing at the end of the input, or for `q`.
    fn ask(&mut self, out: &mut dyn Write, candidates: &[Candidate]) -> Result<Option<usize>, Failure> {
        let mut options = Vec::new();
        for candidate in candidates {
            let words = self.narrator.describe(&self.state, candidate.step);
            let who = words.actor.as_ref().map(|a| format!("{}:{}", a.name, a.instance)).unwrap_or_default();
            let place = words.actor.as_ref().map(|a| self.file.sources.short(a.span)).unwrap_or_default();
            options.push(format!("{who:<16} {place:<20} {}", words.event));
        }
        ask(out, &options)
    }
}

/// Shows options and reads a number.
fn ask(out: &mut dyn Write, options: &[String]) -> Result<Option<usize>, Failure> {
    for (index, option) in options.iter().enumerate() {
        writeln!(out, "  {:>3}) {option}", index + 1)?;
    }
    loop {
        write!(out, "step 1-{}, or q: ", options.len())?;
        out.flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 || line.trim() == "q" {
            writeln!(out)?;
            return Ok(None);
        }
        match line.trim().parse::<usize>() {
            Ok(number) if (1..=options.len()).contains(&number) => return Ok(Some(number - 1)),
            _ => writeln!(out, "please give a number from 1 to {}", options.len())?,
        }
    }
}
