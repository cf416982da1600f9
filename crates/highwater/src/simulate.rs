//! `simulate`: one run of a model, at random, chosen by hand, or along a trace.
//!
//! The simulator takes its steps from the same semantics as the engines, so a trace that an engine
//! wrote replays here, step by step.

use crate::certificate::{belongs, property_named};
use crate::error::Error;
use crate::model::{Model, NetworkModel, System};
use crate::settings::{Channels, ReadOptions};
use crate::{components, compositions, machines, programs};
use cfront::term::Scalar;
use model::budget::Budget;
use model::chart::{Chart, ChartStep, StepKey};
use model::fault::FaultAt;
use model::random::Random;
use model::semantics::{Reading, Semantics, Step};
use model::source::SourceMap;
use model::trace::{Narrator, ReplayError, Snapshot};
use report::chart;
use report::parse::{self, Trace};
use report::style::Style;
use std::io::{BufRead, Write};
use std::path::Path;

/// How a simulation goes.
#[derive(Clone, Debug)]
pub struct SimulateOptions {
    /// The seed of the random choices; `None` to choose every step by hand.
    pub seed: Option<u64>,
    /// The most steps.
    pub steps: usize,
    /// The channel semantics.
    pub channels: Channels,
    /// The bad configurations that a run was found for, where they are not those of the file.
    pub bad: Vec<String>,
    /// How output looks.
    pub style: Style,
}

/// Runs a model once; returns the exit code.
pub fn run(model: &Model, options: &SimulateOptions, out: &mut dyn Write) -> Result<i32, Error> {
    let mut chooser = options.seed.map_or(Chooser::Hand, |seed| Chooser::Random(Random::new(seed)));
    let (sources, steps) = (&model.sources, options.steps);
    match &model.system {
        System::Composition(composition) => compositions::run(composition, steps, &mut chooser, out),
        System::Program(program) => programs::run(program, sources, steps, &mut chooser, out),
        System::Components(components) => components::run(components, sources, steps, &mut chooser, out),
        System::Network(network) => {
            // Queues of communicating machines have no capacity that could be read otherwise.
            let reading = if network.is_machines() { Reading::Unbounded } else { options.channels.into() };
            let semantics = Semantics::new(&network.network, reading);
            Simulation::new(&semantics, sources)?.run(steps, &mut chooser, out)
        }
    }
}

/// Follows a trace that `check` wrote for the model in a file; it must end in the problem it was written for.
pub fn replay(
    path: &Path,
    trace: &str,
    read: &ReadOptions,
    options: &SimulateOptions,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let trace = parse::parse_trace(trace).map_err(|e| Error::Mismatch(e.to_string()))?;
    let mut read = read.clone();
    read.define.clone_from(&trace.defines);
    read.system.clone_from(&trace.system);
    if let Some(reading) = &trace.c {
        let unknown = || Error::Mismatch(format!("there is no data model `{}`", reading.data_model));
        read.c = input::options_named(&reading.data_model, reading.signed_overflow).ok_or_else(unknown)?;
        read.c.entry.clone_from(&reading.entry);
    }
    let model = Model::read_with(path, &read, &Budget::unlimited())?;
    belongs(&trace.sha256, &model)?;
    let (sources, style) = (&model.sources, options.style);
    match &model.system {
        System::Network(network) => replay_network(network, sources, &trace, options, out),
        System::Program(program) => programs::replay(program, sources, &trace, style, out),
        System::Composition(_) | System::Components(_) => replay_joint(model, &trace, style, out),
    }
}

/// What is wrong at the end of a run of communicating machines that was written for a property.
fn end_of_machines(
    semantics: &Semantics<'_>,
    model: &NetworkModel,
    sources: &SourceMap,
    options: &SimulateOptions,
    property: &str,
    state: &[u8],
) -> Result<Option<&'static str>, Error> {
    let own = model.bad.clone().unwrap_or_default();
    let specification = machines::chosen(own, semantics.network(), &options.bad)?;
    let known = machines::properties().into_iter().find(|known| known.to_string() == property);
    let end = known.and_then(|known| replay::ending(semantics, sources, &specification, &known, state));
    Ok(end.map(|end| end.code))
}

fn replay_network(
    model: &NetworkModel,
    sources: &SourceMap,
    trace: &Trace,
    options: &SimulateOptions,
    out: &mut dyn Write,
) -> Result<i32, Error> {
    let semantics = Semantics::new(&model.network, trace.reading);
    let mut narrator = Narrator::new(&semantics, sources);
    let steps = network_steps(trace).map_err(|error| Error::Mismatch(error.to_string()))?;
    let replayed = match narrator.replay(&steps) {
        Ok(replayed) => replayed,
        Err(ReplayError::Initial(fault)) if trace.problem_code.as_deref() == Some(fault.fault.code()) => {
            let place = sources.describe(fault.span);
            writeln!(out, "replayed 0 steps: {} at {place}, in the first state", fault.fault)?;
            return Ok(0);
        }
        Err(error) => return Err(Error::Mismatch(not_replayed(&error))),
    };
    let stuck = replayed.fault.is_none() && nothing_moves(&semantics, &replayed.state, replayed.control);
    let of_queues = matches!(trace.property.as_str(), "reception" | "orphan");
    let machines = (model.is_machines() || of_queues) && trace.loop_from.is_none();
    let problem = match &replayed.fault {
        // After a failed assertion a run goes on, and may end with another problem.
        Some(fault) if !of_queues => Some(fault.fault.code()),
        _ if machines => end_of_machines(&semantics, model, sources, options, &trace.property, &replayed.state)?,
        None if trace.loop_from.is_none() && is_assertion(&trace.property) => {
            broken_assertion(&semantics, sources, &trace.property, &steps)
        }
        None if stuck => Some("invalid-end-state"),
        _ => None,
    };
    // A run with a loop has no problem at its end: its loop is the problem.
    let looping = trace.loop_from.is_some() && problem.is_none();
    if trace.problem_code.is_some() && trace.problem_code.as_deref() != problem && !looping {
        let (expected, found) = (trace.problem_code.as_deref().unwrap_or_default(), problem.unwrap_or("no problem"));
        return Err(Error::Mismatch(format!("the run ends with {found}, not with {expected}")));
    }
    let chart = Chart { loop_from: trace.loop_from, stuck, ..narrator.chart(replayed) };
    out.write_all(chart::whole(&chart, sources, options.style).as_bytes())?;
    let end = problem.or(trace.problem_code.as_deref().filter(|_| looping)).unwrap_or("no problem");
    let (steps, property, reading) = (chart.steps.len(), &trace.property, trace.reading.name());
    writeln!(out, "replayed {steps} steps: {end} ({property}, channels {reading})")?;
    Ok(0)
}

/// A trace of a composition or of C components, with the formula that it is about if that is none of theirs.
fn replay_joint(model: Model, trace: &Trace, style: Style, out: &mut dyn Write) -> Result<i32, Error> {
    let model = model.with_formulas(&[property_named(&trace.property)?], &Budget::unlimited())?;
    match &model.system {
        System::Composition(composition) => compositions::follow(composition, &model.sources, trace, style, out),
        System::Components(components) => components::replay(components, &model.sources, trace, style, out),
        _ => Err(Error::Internal("the kind of a model depends on its formulas")),
    }
}

/// Shows a run that was replayed, with the number of its steps.
pub(crate) fn replayed(
    out: &mut dyn Write,
    run: &Chart,
    steps: usize,
    trace: &Trace,
    sources: &SourceMap,
    style: Style,
) -> Result<i32, Error> {
    out.write_all(chart::whole(run, sources, style).as_bytes())?;
    writeln!(out, "replayed {steps} steps: {} ({})", run.problem_code, trace.property)?;
    Ok(0)
}

/// The steps of a trace of processes.
fn network_steps(trace: &Trace) -> Result<Vec<Step>, parse::DocumentError> {
    trace.keys(|key| match key {
        StepKey::Network(key) => Some(Step::from(*key)),
        _ => None,
    })
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
    pub fn choose(&mut self, out: &mut dyn Write, options: &[String]) -> Result<Option<usize>, Error> {
        match self {
            Chooser::Random(random) => Ok(Some(random.scaled(options.len()))),
            Chooser::Hand => ask(out, options),
        }
    }

    /// A value that comes from outside, as the bits of its type; nothing at the end of the input, or for `q`.
    pub fn number(&mut self, out: &mut dyn Write, what: &str, scalar: Scalar) -> Result<Option<u64>, Error> {
        let number = match self {
            Chooser::Random(random) => Some(i128::from(DRAWN[random.scaled(DRAWN.len())])),
            Chooser::Hand => read_number(out, &format!("{what} (a number, or q): "), "a number", |_: &i128| true)?,
        };
        let mask = u64::MAX >> (64 - u32::from(scalar.width.clamp(1, 64)));
        Ok(number.map(|number| number as u64 & mask))
    }
}

/// Numbers that are drawn for what comes from outside: mostly small ones, on which most programs decide.
const DRAWN: [i64; 12] = [0, 0, 1, 1, 2, 3, 4, 7, 10, 100, -1, -2];

/// Reads a number that fits; nothing at the end of the input, or for `q`.
fn read_number<T: std::str::FromStr>(
    out: &mut dyn Write,
    prompt: &str,
    please: &str,
    fits: impl Fn(&T) -> bool,
) -> Result<Option<T>, Error> {
    loop {
        write!(out, "{prompt}")?;
        out.flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 || line.trim() == "q" {
            writeln!(out)?;
            return Ok(None);
        }
        match line.trim().parse::<T>() {
            Ok(number) if fits(&number) => return Ok(Some(number)),
            _ => writeln!(out, "please give {please}")?,
        }
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
    sources: &'a SourceMap,
    state: Vec<u8>,
    control: Option<u32>,
    snapshot: Snapshot,
}

impl<'a> Simulation<'a> {
    fn new(semantics: &'a Semantics<'a>, sources: &'a SourceMap) -> Result<Self, Error> {
        let state = match semantics.stepper().initial() {
            Ok(Ok(state)) => state,
            Ok(Err(fault)) => return Err(Error::Mismatch(format!("the first state has a fault: {}", fault.fault))),
            Err(overflow) => return Err(Error::Mismatch(overflow.to_string())),
        };
        let mut narrator = Narrator::new(semantics, sources);
        let snapshot = narrator.snapshot(&state);
        Ok(Simulation { narrator, semantics, sources, state, control: None, snapshot })
    }

    fn run(&mut self, most: usize, chooser: &mut Chooser, out: &mut dyn Write) -> Result<i32, Error> {
        for number in 1..=most {
            let candidates = self.candidates()?;
            if candidates.is_empty() {
                return self.stopped(out, number - 1);
            }
            let index = match chooser {
                Chooser::Random(random) => Some(random.scaled(candidates.len())),
                Chooser::Hand => ask(out, &self.lines(&candidates))?,
            };
            let Some(chosen) = index.and_then(|index| candidates.into_iter().nth(index)) else { return Ok(0) };
            if let Some(code) = self.take(out, number, chosen)? {
                return Ok(code);
            }
        }
        writeln!(out, "stopped after {most} steps (--steps)")?;
        Ok(0)
    }

    fn candidates(&mut self) -> Result<Vec<Candidate>, Error> {
        let mut stepper = self.semantics.stepper();
        let bound = |o: model::fault::Overflow| Error::Mismatch(o.to_string());
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
    fn take(&mut self, out: &mut dyn Write, number: usize, chosen: Candidate) -> Result<Option<i32>, Error> {
        let words = self.narrator.describe(&self.state, chosen.step);
        if let Some(text) = self.narrator.output(&self.state, chosen.step) {
            writeln!(out, "      {}", text.trim_end_matches('\n'))?;
        }
        let (who, place) = self.mover(&words, 0);
        let partner = Some(self.mover(&words, 1).0).filter(|who| !who.is_empty());
        let partner = partner.map(|who| format!(" -> {who}")).unwrap_or_default();
        write!(out, "{number:5} {place:<20} {who:<16} {}{partner}", words.event.unwrap_or_default())?;
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

    /// Who moves in a step, and where; nothing if there is no such mover.
    fn mover(&self, words: &ChartStep, index: usize) -> (String, String) {
        let Some(mover) = words.moves.get(index) else { return Default::default() };
        let who = self.narrator.lane(mover.lane).map(ToString::to_string);
        (who.unwrap_or_default(), mover.span.map(|span| self.sources.short(span)).unwrap_or_default())
    }

    fn fault(&self, out: &mut dyn Write, fault: Option<FaultAt>) -> Result<Option<i32>, Error> {
        let Some(FaultAt { fault, span }) = fault else { return Ok(None) };
        writeln!(out, "violated: {fault} at {}", self.sources.describe(span))?;
        Ok(Some(1))
    }

    /// Nothing can move.
    fn stopped(&mut self, out: &mut dyn Write, steps: usize) -> Result<i32, Error> {
        if self.semantics.stepper().is_valid_end(&self.state) {
            writeln!(out, "the run ends after {steps} steps: nothing can move, and every process may stop")?;
            return Ok(0);
        }
        writeln!(out, "violated: invalid end state after {steps} steps: nothing can move")?;
        for waits in self.narrator.waiting(&self.state).iter().filter(|waits| !waits.done) {
            let who = self.narrator.lane(waits.lane).map(ToString::to_string).unwrap_or_default();
            let place = waits.span.map(|span| self.sources.describe(span)).unwrap_or_default();
            writeln!(out, "  {who} waits at {place}")?;
        }
        Ok(1)
    }

    /// The candidates, a line for each.
    fn lines(&mut self, candidates: &[Candidate]) -> Vec<String> {
        let line = |candidate: &Candidate| {
            let words = self.narrator.describe(&self.state, candidate.step);
            let (who, place) = self.mover(&words, 0);
            format!("{who:<16} {place:<20} {}", words.event.unwrap_or_default())
        };
        candidates.iter().map(line).collect()
    }
}

/// Shows options and reads a number; nothing at the end of the input, or for `q`.
fn ask(out: &mut dyn Write, options: &[String]) -> Result<Option<usize>, Error> {
    for (index, option) in options.iter().enumerate() {
        writeln!(out, "  {:>3}) {option}", index + 1)?;
    }
    let last = options.len();
    let (prompt, please) = (format!("step 1-{last}, or q: "), format!("a number from 1 to {last}"));
    let number = read_number(out, &prompt, &please, |number| (1..=last).contains(number))?;
    Ok(number.map(|number| number - 1))
}
